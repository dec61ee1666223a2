//! Where the program may look, and what it saw there.
//!
//! Surveys stay inside the repository. Without one they stay near the Compose file. A bind of `/`,
//! of the home directory or of anything outside is not looked into.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::compose::Project;
use crate::host::{EntryKind, Environment, Host};
use crate::progress::Progress;
use crate::rules::Rules;
use crate::survey::{Limits, Survey, survey};

/// What lies below the binds of a project.
#[derive(Debug, Default)]
pub struct Surveys {
    by_directory: BTreeMap<PathBuf, Survey>,
    /// Sources that were not looked into, with the reason, sorted.
    outside: Vec<(String, String)>,
    /// Sources that cannot hold a tree, with the reason.
    passed_over: BTreeMap<PathBuf, &'static str>,
}

impl Surveys {
    /// What lies below a bind's source; none when it is no directory or lies outside.
    pub fn below(&self, source: &Path) -> Option<&Survey> {
        self.by_directory.get(source)
    }

    /// Why a source was not looked into; none when it was, or when nobody asked.
    pub fn reason_outside(&self, source: &str) -> Option<&str> {
        let at = self.outside.binary_search_by(|(other, _)| other.as_str().cmp(source)).ok()?;
        self.outside.get(at).map(|(_, reason)| reason.as_str())
    }

    /// Sources that were not looked into because no tree can be in them, by path, with the reason:
    /// lower case, no full stop.
    pub fn passed_over(&self) -> impl Iterator<Item = (&Path, &'static str)> {
        self.passed_over.iter().map(|(path, reason)| (path.as_path(), *reason))
    }

    /// Everything that was surveyed, by directory.
    pub fn all(&self) -> impl Iterator<Item = (&Path, &Survey)> {
        self.by_directory.iter().map(|(path, survey)| (path.as_path(), survey))
    }
}

/// Looks below every bind of the project that may be looked into, and below the volumes that are
/// binds by their options. `known` holds what other projects
/// of the same run have seen already.
pub fn survey_binds(
    host: &dyn Host,
    environment: &Environment,
    rules: &Rules,
    project: &Project,
    limits: Limits,
    progress: &dyn Progress,
) -> Surveys {
    let scope = Scope::of(host, environment, &project.directory);
    let mut surveys = Surveys::default();
    let mounts = project.services.iter().flat_map(|s| &s.mounts);
    for source in mounts.filter_map(|m| project.host_source(m)) {
        if surveys.by_directory.contains_key(source) {
            continue;
        }
        let reason = match scope.admits(host, source) {
            Ok(()) => match host.target_kind(source) {
                Some(EntryKind::Directory) => {
                    let seen = survey(host, rules.trees(), source, limits, progress);
                    surveys.by_directory.insert(source.to_path_buf(), seen);
                    continue;
                }
                Some(_) => "it is no directory",
                None => "it is not there",
            },
            Err(_) if is_of_system(source) => "it belongs to the operating system",
            Err(_) if has_ending(source) => "by its name it is a file",
            Err(reason) => {
                surveys.outside.push((source.to_string_lossy().into_owned(), reason));
                continue;
            }
        };
        surveys.passed_over.insert(source.to_path_buf(), reason);
    }
    surveys.outside.sort();
    surveys.outside.dedup();
    surveys
}

/// True for a path whose name alone says that it is a file or a socket.
fn has_ending(source: &Path) -> bool {
    let name = source.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    name.trim_start_matches('.').contains('.')
}

/// True for a path that belongs to the operating system and not to a user: no file sharing brings
/// it from the host, the engine's own machine has one.
pub fn is_of_system(source: &Path) -> bool {
    const SYSTEM: [&str; 10] =
        ["/bin", "/boot", "/dev", "/etc", "/lib", "/proc", "/run", "/sys", "/usr", "/var/run"];
    SYSTEM.iter().any(|top| source.starts_with(top))
}

/// The part of the file system that belongs to a project.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    repository: Option<PathBuf>,
    directory: PathBuf,
    home: Option<PathBuf>,
}

impl Scope {
    /// The scope of a project in `directory`.
    pub(crate) fn of(host: &dyn Host, environment: &Environment, directory: &Path) -> Self {
        let repository = directory
            .ancestors()
            .find(|d| host.kind(&d.join(".git")).is_some())
            .filter(|d| Some(*d) != environment.home.as_deref())
            .map(Path::to_path_buf);
        Self { repository, directory: directory.to_path_buf(), home: environment.home.clone() }
    }

    /// Whether `source` may be looked into; the reason when not.
    pub(crate) fn admits(&self, host: &dyn Host, source: &Path) -> Result<(), String> {
        self.admits_path(source)?;
        // A link inside the project may lead out of it.
        match host.canonical(source) {
            Ok(real) if real != source => self.admits_real(host, &real),
            _ => Ok(()),
        }
    }

    fn admits_path(&self, source: &Path) -> Result<(), String> {
        if self.home.as_deref().is_some_and(|home| home.starts_with(source)) {
            return Err("it is the home directory or lies above it".to_owned());
        }
        if let Some(repository) = &self.repository {
            return if source.starts_with(repository) {
                Ok(())
            } else {
                Err("it lies outside the repository".to_owned())
            };
        }
        let common = self.directory.ancestors().find(|d| source.starts_with(d));
        let near = common.is_some_and(|d| d.components().count() > 2)
            || source.starts_with(&self.directory);
        let holds_home = common.zip(self.home.as_deref()).is_some_and(|(d, home)| {
            home.starts_with(d)
                && !self.directory.starts_with(source)
                && !source.starts_with(&self.directory)
        });
        if near && !holds_home { Ok(()) } else { Err("it lies outside the project".to_owned()) }
    }

    /// The same for a path with its links followed: the project's own path may hold links, too.
    fn admits_real(&self, host: &dyn Host, real: &Path) -> Result<(), String> {
        let follow = |path: &Path| host.canonical(path).unwrap_or_else(|_| path.to_path_buf());
        let scope = Self {
            repository: self.repository.as_deref().map(follow),
            directory: follow(&self.directory),
            home: self.home.as_deref().map(follow),
        };
        scope.admits_path(real)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{MemoryHost, MemoryNode};

    fn admitted(host: &MemoryHost, directory: &str, source: &str) -> bool {
        let environment = Environment { home: Some("/home/me".into()), ..Environment::default() };
        let scope = Scope::of(host, &environment, Path::new(directory));
        scope.admits(host, Path::new(source)).is_ok()
    }

    #[test]
    fn a_repository_is_the_limit() {
        let host = MemoryHost::default().with("/home/me/shop/.git", MemoryNode::Directory);
        let admits = |source| admitted(&host, "/home/me/shop/deploy", source);
        assert!(admits("/home/me/shop") && admits("/home/me/shop/code"));
        assert!(!admits("/home/me/other") && !admits("/home/me") && !admits("/"));
    }

    #[test]
    fn without_a_repository_neighbours_count_and_the_home_directory_does_not() {
        let host = MemoryHost::default();
        let admits = |source| admitted(&host, "/home/me/code/shop", source);
        assert!(admits("/home/me/code/shop/a") && admits("/home/me/code/lib"));
        assert!(!admits("/home/me/elsewhere") && !admits("/home/me") && !admits("/home"));
        assert!(!admits("/") && !admits("/var/data"));
        assert!(admitted(&host, "/srv/app/deploy", "/srv/app/code"));
        assert!(!admitted(&host, "/srv/app", "/srv/other"));
    }

    #[test]
    fn a_link_out_of_the_project_is_not_followed() {
        let host = MemoryHost::default()
            .with("/home/me/shop/.git", MemoryNode::Directory)
            .with("/home/me/shop/code", MemoryNode::Link("/home/me/secret".into()))
            .with("/home/me/shop/lib", MemoryNode::Link("/home/me/shop/src".into()))
            .with("/home/me/secret", MemoryNode::Directory)
            .with("/home/me/shop/src", MemoryNode::Directory);
        assert!(!admitted(&host, "/home/me/shop", "/home/me/shop/code"));
        assert!(admitted(&host, "/home/me/shop", "/home/me/shop/lib"));
    }

    #[test]
    fn names_tell_what_holds_no_tree() {
        let holds_no_tree = |source: &Path| is_of_system(source) || has_ending(source);
        for source in ["/var/run/docker.sock", "/etc/localtime", "/opt/app.conf", "/dev"] {
            assert!(holds_no_tree(Path::new(source)), "{source}");
        }
        for source in ["/opt/app", "/data/.cache", "/variable", "/"] {
            assert!(!holds_no_tree(Path::new(source)), "{source}");
        }
    }
}
