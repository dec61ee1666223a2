//! Engines on Unix, recognised by where their sockets lie.

use std::path::Path;

use super::look::Look;
use super::{Answer, colima, desktop, podman, rancher};
use crate::host::System;

/// An engine that listens at a socket file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Engine {
    /// Docker Desktop.
    Desktop,
    /// `OrbStack`.
    OrbStack,
    /// Colima, with the name of the profile.
    Colima(String),
    /// Lima without Colima, with the name of the instance.
    Lima(String),
    /// Rancher Desktop.
    Rancher,
    /// Podman in a virtual machine, with its name where the socket tells.
    PodmanMachine(Option<String>),
    /// Podman on this very system.
    Podman,
}

impl Engine {
    /// The engine whose socket this is, links followed; none when the place is nobody's.
    pub(super) fn of_socket(look: &Look<'_>, socket: &Path) -> Option<Self> {
        let names: Vec<&str> = socket.iter().filter_map(|name| name.to_str()).collect();
        let has = |name: &str| names.contains(&name);
        let below = |directory: Option<std::path::PathBuf>| {
            let rest = socket.strip_prefix(directory?).ok()?;
            Some(rest.iter().next()?.to_str()?.to_owned())
        };
        if let Some(profile) = below(colima::home(look)) {
            // Before 0.4 there was one socket for the default profile.
            let first = profile == "docker.sock";
            return Some(Self::Colima(if first { "default".to_owned() } else { profile }));
        }
        if let Some(instance) = below(look.variable_or_home("LIMA_HOME", ".lima")) {
            return Some(Self::Lima(instance));
        }
        if has(".orbstack") {
            return Some(Self::OrbStack);
        }
        if has(".rd") {
            return Some(Self::Rancher);
        }
        let own = |below: &str| look.home(below).is_some_and(|own| socket.starts_with(own));
        if has("com.docker.docker") || own(".docker") {
            return Some(Self::Desktop);
        }
        if !names.iter().any(|name| name.contains("podman")) {
            return None;
        }
        let file = names.last().copied().unwrap_or_default();
        let machine = file.strip_suffix("-api.sock").map(str::to_owned);
        let elsewhere = look.environment.system != System::Linux;
        let in_machine = has("machine") || names.iter().any(|n| n.starts_with("podman-machine"));
        Some(if machine.is_some() || elsewhere || in_machine {
            Self::PodmanMachine(machine)
        } else {
            Self::Podman
        })
    }

    /// How this engine shares files.
    pub(super) fn answer(&self, look: &mut Look<'_>) -> Answer {
        match self {
            Self::Desktop => desktop::answer(look),
            Self::OrbStack => {
                let version = look.bundle_version("OrbStack", "OrbStack");
                Answer::known(look.named("orbstack", "OrbStack", version.as_deref()))
            }
            Self::Colima(profile) => colima::answer(look, profile),
            Self::Lima(instance) => colima::lima(look, instance),
            Self::Rancher => rancher::answer(look),
            Self::PodmanMachine(machine) => podman::answer(look, machine.as_deref()),
            Self::Podman => Answer::known("linux-native"),
        }
    }
}
