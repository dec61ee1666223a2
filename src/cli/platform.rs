//! `composefix platform`, and `--platform auto`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::args::{ListFormat, OutputFlags, PlatformFlags, ProjectFlags};
use super::explain::{behaviour, costs};
use super::{Command, Exit};
use crate::error::Error;
use crate::host::{EntryKind, Environment, Host, lexical_clean};
use crate::machine::{Answer, Evidence, Verdict, detect};
use crate::report::visible::visible;
use crate::rules::Rules;

impl Command<'_> {
    pub(super) fn platform(
        &mut self,
        flags: &PlatformFlags,
        output: &OutputFlags,
    ) -> Result<Exit, Error> {
        let rules = self.rules(&flags.rules)?;
        let path = flags.path.as_deref().unwrap_or(Path::new("."));
        let path = lexical_clean(&self.environment.directory.join(path));
        if self.host.target_kind(&path).is_none() {
            let message = format!("{} is not there", path.display());
            return Err(Error::Usage { message });
        }
        let directory = directory_of(self.host, path);
        let verdict = detect(self.host, &self.environment, &rules, &directory);
        let text = match flags.format {
            ListFormat::Text => page(&verdict, &rules, output.quiet),
            ListFormat::Json => {
                // Strings and lists of strings: nothing in them can fail to become JSON.
                serde_json::to_string_pretty(&Model::of(&verdict)).unwrap_or_default() + "\n"
            }
        };
        self.print(&text)?;
        Ok(match verdict.answer {
            Answer::Unknown { .. } => Exit::Error,
            _ => Exit::Success,
        })
    }
}

/// What `--platform auto` stands for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// Platforms to judge for; none where the engine runs on another machine.
    pub(super) platforms: Vec<String>,
    /// What the user should know about them.
    pub(super) notes: Vec<String>,
}

/// The platforms of this machine for the projects that the flags name.
///
/// # Errors
/// [`Error::Usage`] where a machine is none that is known.
pub(super) fn auto(
    project: &ProjectFlags,
    host: &dyn Host,
    environment: &Environment,
    rules: &Rules,
) -> Result<Found, Error> {
    let mut found = Found::default();
    for directory in directories(project, host, environment) {
        let note = match detect(host, environment, rules, &directory).answer {
            Answer::Unknown { reason } => {
                return Err(Error::Usage {
                    message: format!(
                        "`auto` finds no platform: {reason}; see `composefix platform`, or name one with --platform"
                    ),
                });
            }
            Answer::Remote { reason } => Some(format!(
                "{reason}: bind mounts show its directories, so no platform is judged for"
            )),
            Answer::OneOf { platforms, reason } => {
                let note = format!("this machine is one of {}: {reason}", platforms.join(", "));
                found.platforms.extend(platforms);
                Some(note)
            }
            Answer::Known { platform, doubt } => {
                let note =
                    doubt.map(|doubt| format!("this machine seems to be {platform}: {doubt}"));
                found.platforms.push(platform);
                note
            }
        };
        found.notes.extend(note);
    }
    found.platforms.sort();
    found.platforms.dedup();
    found.notes.sort();
    found.notes.dedup();
    Ok(found)
}

/// Where the projects lie that the flags name; the working directory where they name none.
fn directories(project: &ProjectFlags, host: &dyn Host, environment: &Environment) -> Vec<PathBuf> {
    let here = &environment.directory;
    let named = match &project.project_directory {
        Some(directory) => vec![directory],
        None => project.paths.iter().chain(project.file.first()).collect(),
    };
    let named = named.into_iter().filter(|path| *path != Path::new("-"));
    let mut directories: Vec<PathBuf> =
        named.map(|path| directory_of(host, lexical_clean(&here.join(path)))).collect();
    if directories.is_empty() {
        directories.push(here.clone());
    }
    directories.sort();
    directories.dedup();
    directories
}

/// The directory itself, or the one that a file lies in.
fn directory_of(host: &dyn Host, path: PathBuf) -> PathBuf {
    if host.target_kind(&path) == Some(EntryKind::Directory) {
        return path;
    }
    path.parent().map_or(path.clone(), Path::to_path_buf)
}

fn page(verdict: &Verdict, rules: &Rules, quiet: bool) -> String {
    let names = verdict.answer.platforms();
    if quiet {
        return names.iter().flat_map(|name| [name.as_str(), "\n"]).collect();
    }
    let known: Vec<_> =
        names.iter().filter_map(|name| rules.platform_named(name).ok().flatten()).collect();
    let mut out = String::new();
    let mut line = |text: &str| writeln!(out, "{}", visible(text)).unwrap_or_default();
    match &verdict.answer {
        Answer::Known { doubt, .. } => {
            for platform in &known {
                line(&format!("{}: {}", platform.id, platform.title));
            }
            if let Some(doubt) = doubt {
                line(&format!("Not certain: {doubt}."));
            }
        }
        Answer::OneOf { reason, .. } => {
            line(&format!("One of these: {reason}."));
            for platform in &known {
                line(&format!("{}: {}", platform.id, platform.title));
            }
        }
        Answer::Remote { reason } => {
            line(&format!("An engine on another machine: {reason}."));
            line("Bind mounts show directories of that machine, so no platform is judged for.");
        }
        Answer::Unknown { reason } => {
            line(&format!("Not known: {reason}."));
            line("Name a platform with --platform; `composefix list platforms` shows them all.");
        }
    }
    if !verdict.evidence.is_empty() {
        line("");
        line("Evidence");
    }
    for Evidence { place, key, says } in &verdict.evidence {
        let key = key.as_ref().map(|key| format!(", {key}")).unwrap_or_default();
        line(&format!("- {place}{key}: {says}"));
    }
    for platform in &known {
        let whose = if known.len() > 1 { format!(" on {}", platform.id) } else { String::new() };
        line("");
        line(&format!("What that means for bind mounts{whose}"));
        for fact in costs(platform).into_iter().chain(behaviour(platform)) {
            line(&format!("- {fact}"));
        }
    }
    if !known.is_empty() {
        line("");
        line("Use");
        line(&format!("- composefix check --platform {}", names.join(",")));
        for platform in &known {
            line(&format!("- composefix explain {}", platform.id));
        }
    }
    out
}

/// The answer for programs, version 1; `schema/machine.schema.json` describes it.
#[derive(Serialize)]
struct Model<'a> {
    version: u32,
    /// `known`, `one-of`, `remote`, `unknown`.
    verdict: &'static str,
    platforms: &'a [String],
    reason: Option<&'a str>,
    evidence: Vec<EvidenceModel<'a>>,
}

#[derive(Serialize)]
struct EvidenceModel<'a> {
    place: &'a str,
    key: Option<&'a str>,
    says: &'a str,
}

impl<'a> Model<'a> {
    fn of(verdict: &'a Verdict) -> Self {
        let (word, reason) = match &verdict.answer {
            Answer::Known { doubt, .. } => ("known", doubt.as_deref()),
            Answer::OneOf { reason, .. } => ("one-of", Some(reason.as_str())),
            Answer::Remote { reason } => ("remote", Some(reason.as_str())),
            Answer::Unknown { reason } => ("unknown", Some(reason.as_str())),
        };
        let evidence = verdict.evidence.iter().map(|own| EvidenceModel {
            place: &own.place,
            key: own.key.as_deref(),
            says: &own.says,
        });
        Self {
            version: 1,
            verdict: word,
            platforms: verdict.answer.platforms(),
            reason,
            evidence: evidence.collect(),
        }
    }
}
