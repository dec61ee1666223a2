//! Looking at files and variables, with a record of what was seen.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Answer, Evidence};
use crate::host::{EntryKind, Environment, Host, System, lexical_clean};
use crate::rules::Rules;

/// Largest settings file that is read, in bytes.
const FILE_LIMIT: u64 = 4 << 20;

/// Links that are followed from a socket to the engine's own.
const MAX_LINKS: usize = 8;

/// The machine, and what was seen of it so far.
pub(super) struct Look<'a> {
    pub(super) host: &'a dyn Host,
    pub(super) environment: &'a Environment,
    pub(super) rules: &'a Rules,
    /// Where the project lies, links followed.
    pub(super) directory: PathBuf,
    pub(super) evidence: Vec<Evidence>,
}

impl<'a> Look<'a> {
    pub(super) fn new(
        host: &'a dyn Host,
        environment: &'a Environment,
        rules: &'a Rules,
        directory: &Path,
    ) -> Self {
        let directory = host.canonical(directory).unwrap_or_else(|_| directory.to_path_buf());
        Self { host, environment, rules, directory, evidence: Vec::new() }
    }

    /// Records what a key of a file says.
    pub(super) fn saw(&mut self, path: &Path, key: &str, says: &str) {
        let (place, key) = (self.shown(path), Some(key.to_owned()));
        self.evidence.push(Evidence { place, key, says: says.to_owned() });
    }

    /// Records what a file or directory says as a whole.
    pub(super) fn saw_file(&mut self, path: &Path, says: &str) {
        let place = self.shown(path);
        self.evidence.push(Evidence { place, key: None, says: says.to_owned() });
    }

    /// Records what a variable says. Its value is not shown: it may be nobody else's business.
    pub(super) fn saw_variable(&mut self, name: &str, says: &str) {
        let (place, key) = ("environment".to_owned(), Some(name.to_owned()));
        self.evidence.push(Evidence { place, key, says: says.to_owned() });
    }

    /// A path as evidence shows it.
    pub(super) fn shown(&self, path: &Path) -> String {
        let below = self.environment.home.as_deref().and_then(|home| path.strip_prefix(home).ok());
        let text = match below {
            Some(below) => Path::new("~").join(below),
            None => path.to_path_buf(),
        };
        text.to_string_lossy().replace('\\', "/")
    }

    /// A variable that is set to something.
    pub(super) fn variable(&self, name: &str) -> Option<&'a str> {
        self.environment.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// A path below the home directory; none without one.
    pub(super) fn home(&self, below: &str) -> Option<PathBuf> {
        self.environment.home.as_ref().map(|home| home.join(below))
    }

    /// The directory that a variable names, else one below the home directory.
    pub(super) fn variable_or_home(&self, name: &str, below: &str) -> Option<PathBuf> {
        self.variable(name).map(PathBuf::from).or_else(|| self.home(below))
    }

    pub(super) fn is_there(&self, path: &Path) -> bool {
        self.host.kind(path).is_some()
    }

    pub(super) fn is_directory(&self, path: &Path) -> bool {
        self.host.target_kind(path) == Some(EntryKind::Directory)
    }

    /// Names in a directory, sorted; empty where there is none.
    pub(super) fn names(&self, directory: &Path) -> Vec<String> {
        let entries = self.host.entries(directory).unwrap_or_default();
        entries.into_iter().filter_map(|entry| entry.name.into_string().ok()).collect()
    }

    /// A text file without its byte order mark; none where there is none. What cannot be read is
    /// recorded.
    pub(super) fn text(&mut self, path: &Path) -> Option<String> {
        self.host.target_kind(path)?;
        match self.host.read(path, FILE_LIMIT) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                Some(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
            }
            Err(error) => {
                self.saw_file(path, &format!("cannot be read: {error}"));
                None
            }
        }
    }

    /// A JSON file; none where there is none. What cannot be read is recorded.
    pub(super) fn json(&mut self, path: &Path) -> Option<Value> {
        let text = self.text(path)?;
        let value = serde_json::from_str(&text).map_err(|error| error.to_string());
        self.or_record(path, "JSON", value)
    }

    /// A YAML file; none where there is none. What cannot be read is recorded.
    pub(super) fn yaml(&mut self, path: &Path) -> Option<serde_yaml::Value> {
        let text = self.text(path)?;
        let value = serde_yaml::from_str(&text).map_err(|error| error.to_string());
        self.or_record(path, "YAML", value)
    }

    fn or_record<T>(&mut self, path: &Path, form: &str, value: Result<T, String>) -> Option<T> {
        match value {
            Ok(value) => Some(value),
            Err(error) => {
                self.saw_file(path, &format!("is not {form}: {error}"));
                None
            }
        }
    }

    /// Where a chain of links ends, whether or not something is there. Each link is recorded.
    pub(super) fn follow(&mut self, path: &Path) -> PathBuf {
        let mut at = path.to_path_buf();
        for _ in 0..MAX_LINKS {
            let Ok(target) = self.host.link(&at) else { break };
            let next = lexical_clean(&at.parent().unwrap_or(Path::new("/")).join(target));
            let says = format!("is a link to {}", self.shown(&next));
            self.saw_file(&at, &says);
            at = next;
        }
        at
    }

    /// The name of a platform, with the version of its program where that makes a difference.
    pub(super) fn named(&self, id: &str, program: &str, version: Option<&str>) -> String {
        let rules = self.rules.platform(id).filter(|p| p.program.as_deref() == Some(program));
        let differs = |version: &&str| rules.is_some_and(|platform| platform.differs_in(version));
        match version.filter(differs) {
            Some(version) => format!("{id}@{version}"),
            None => id.to_owned(),
        }
    }

    /// The version that the bundle of a macOS application names: `Docker` for Docker Desktop.
    pub(super) fn bundle_version(&mut self, bundle: &str, program: &str) -> Option<String> {
        if self.environment.system != System::Macos {
            return None;
        }
        let path = PathBuf::from(format!("/Applications/{bundle}.app/Contents/Info.plist"));
        let text = self.text(&path)?;
        let (_, rest) = text.split_once("<key>CFBundleShortVersionString</key>")?;
        let (before, rest) = rest.split_once("<string>")?;
        let (version, _) = rest.split_once("</string>")?;
        let version = leading_version(version.trim()).filter(|_| before.trim().is_empty())?;
        self.saw(&path, "CFBundleShortVersionString", &format!("{program} {version}"));
        Some(version)
    }
}

/// One of several answers about one engine: the same platform once.
pub(super) fn one_of(platforms: impl IntoIterator<Item = String>, reason: &str) -> Answer {
    let mut platforms: Vec<String> = platforms.into_iter().collect();
    platforms.sort();
    platforms.dedup();
    match platforms.as_slice() {
        [] => Answer::unknown(reason),
        [platform] => Answer::known(platform),
        _ => Answer::OneOf { platforms, reason: reason.to_owned() },
    }
}

/// The numbers joined by dots that a text begins with: `4.37.1` of `4.37.1 (178610)`.
pub(super) fn leading_version(text: &str) -> Option<String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let version = text.get(..end)?.trim_end_matches('.');
    (version.contains('.') && version.starts_with(|c: char| c.is_ascii_digit()))
        .then(|| version.to_owned())
}

/// A value of a settings file as evidence shows it.
pub(super) fn shown_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_off_the_front() {
        for (text, version) in [
            ("4.37.1 (178610)", Some("4.37.1")),
            ("4.92.0", Some("4.92.0")),
            ("1.19.", Some("1.19")),
            ("4", None),
            ("v4.1", None),
            (".4", None),
            ("", None),
        ] {
            assert_eq!(leading_version(text).as_deref(), version, "{text}");
        }
    }
}
