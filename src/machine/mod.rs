//! Which engine and which way of sharing files this machine uses, told from files and variables.
//!
//! No daemon is asked and nothing is run: the answer is the same whether the engine is up or not.
//! Each step that leads to the answer is kept as [`Evidence`], so that a user can see where it went
//! wrong. The facts behind it (places of files, keys, defaults) are public; the rule files of the
//! platforms cite their sources.

mod colima;
mod container;
mod desktop;
mod docker_machine;
mod endpoint;
mod engine;
mod linux;
mod look;
mod mac;
mod mounts;
mod podman;
mod rancher;
mod windows;
mod windows_path;
mod wsl;

use std::path::Path;

pub use mounts::{MountEntry, MountTable};
pub use windows_path::{distribution, has_drive_letter, on_drive};

use crate::host::{Environment, Host, System};
use crate::rules::Rules;
use endpoint::Endpoint;
use look::Look;

/// What a machine was found to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The answer.
    pub answer: Answer,
    /// What led to it, in the order in which it was looked at.
    pub evidence: Vec<Evidence>,
}

/// Which platform a machine is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// This one, as `--platform` takes it: an id, or `id@version`.
    Known {
        /// The platform.
        platform: String,
        /// What is not quite sure about it; lower case, no full stop.
        doubt: Option<String>,
    },
    /// One of several that the files do not tell apart. Judging for all of them is on the safe side.
    OneOf {
        /// The platforms, sorted.
        platforms: Vec<String>,
        /// Why they cannot be told apart; lower case, no full stop.
        reason: String,
    },
    /// The engine runs on another machine, whose directories bind mounts would show.
    Remote {
        /// How that was seen; lower case, no full stop.
        reason: String,
    },
    /// Nothing that is known fits.
    Unknown {
        /// Why; lower case, no full stop.
        reason: String,
    },
}

impl Answer {
    fn known(platform: impl Into<String>) -> Self {
        Self::Known { platform: platform.into(), doubt: None }
    }

    fn doubtful(platform: impl Into<String>, doubt: impl Into<String>) -> Self {
        Self::Known { platform: platform.into(), doubt: Some(doubt.into()) }
    }

    fn unknown(reason: impl Into<String>) -> Self {
        Self::Unknown { reason: reason.into() }
    }

    /// Names for `--platform`; empty where nothing is to be judged.
    pub fn platforms(&self) -> &[String] {
        match self {
            Self::Known { platform, .. } => std::slice::from_ref(platform),
            Self::OneOf { platforms, .. } => platforms,
            Self::Remote { .. } | Self::Unknown { .. } => &[],
        }
    }
}

/// One thing that was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The file, with `~` for the home directory, or `environment`.
    pub place: String,
    /// The key, variable or line in it.
    pub key: Option<String>,
    /// What it says, or what follows from its absence; lower case, no full stop.
    pub says: String,
}

/// Tells what this machine is for a project in `directory`, which matters where one machine shares
/// some directories and holds others itself.
pub fn detect(
    host: &dyn Host,
    environment: &Environment,
    rules: &Rules,
    directory: &Path,
) -> Verdict {
    let mut look = Look::new(host, environment, rules, directory);
    let answer = answer(&mut look);
    Verdict { answer, evidence: look.evidence }
}

fn answer(look: &mut Look<'_>) -> Answer {
    let endpoint = match endpoint::find(look) {
        Ok(endpoint) => endpoint,
        Err(reason) => return Answer::unknown(reason),
    };
    if let Endpoint::Remote(scheme) = &endpoint {
        return docker_machine::answer(look).unwrap_or_else(|| Answer::Remote {
            reason: format!("the engine is reached by {scheme}, so it runs on another machine"),
        });
    }
    if let Some(answer) = container::answer(look) {
        return answer;
    }
    match look.environment.system {
        System::Macos => mac::answer(look, &endpoint),
        System::Windows => windows::answer(look, &endpoint),
        System::Linux => {
            if wsl::is_here(look) {
                wsl::answer(look, &endpoint)
            } else {
                linux::answer(look, &endpoint)
            }
        }
    }
}
