//! What the files beside a tree say about it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde_json::Value;

use super::settings::{Entry, entry};
use crate::compose::clean_path;
use crate::host::{EntryKind, Host};
use crate::rules::{Exception, Format, Lock, Manifest, Setting, TreeKind, Workspace, contains};

/// Bytes of a manifest or exception file that are read at most.
const MANIFEST_LIMIT: u64 = 4 << 20;
/// Bytes of a lock file that are read at most: those of large monorepos have a few million.
const LOCK_LIMIT: u64 = 64 << 20;
/// A lock file from this size on names packages; if none is found, its format is another.
const EMPTY_LOCK: usize = 4096;

/// The files of one directory that rules speak of.
pub(super) struct Beside<'a> {
    pub(super) host: &'a dyn Host,
    pub(super) directory: &'a Path,
    /// Relative to the surveyed directory, with a `/` at the end unless empty.
    pub(super) prefix: &'a str,
    pub(super) names: &'a BTreeMap<OsString, EntryKind>,
}

impl Beside<'_> {
    /// True for a regular file, also at the end of a link.
    fn is_file(&self, name: &str) -> bool {
        if name.contains('/') {
            return self.host.target_kind(&self.directory.join(name)) == Some(EntryKind::File);
        }
        match self.names.get(std::ffi::OsStr::new(name)) {
            Some(EntryKind::File) => true,
            Some(EntryKind::Link) => {
                self.host.target_kind(&self.directory.join(name)) == Some(EntryKind::File)
            }
            _ => false,
        }
    }

    fn read(&self, name: &str, limit: u64, notes: &mut Vec<String>) -> Option<Vec<u8>> {
        match self.host.read(&self.directory.join(name), limit) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                notes.push(format!("cannot read {}{name}: {error}", self.prefix));
                None
            }
        }
    }

    /// True when a file beside the tree fits the manifest's name.
    pub(super) fn has_manifest(&self, manifest: &Manifest) -> bool {
        self.manifests(manifest).next().is_some()
    }

    /// True when the lock file is there.
    pub(super) fn has_lock(&self, lock: &Lock) -> bool {
        self.is_file(&lock.file)
    }

    fn manifests<'m>(&'m self, manifest: &'m Manifest) -> impl Iterator<Item = &'m str> {
        let exact = !manifest.file.contains('*');
        let exact = exact.then_some(manifest.file.as_str());
        let wild = self.names.keys().filter_map(|name| name.to_str());
        let wild = wild.filter(move |name| exact.is_none() && matches(&manifest.file, name));
        exact.into_iter().chain(wild).filter(|name| self.is_file(name))
    }

    /// True when the manifest says that the ecosystem puts the tree here.
    pub(super) fn implies(&self, manifest: &Manifest, notes: &mut Vec<String>) -> bool {
        if !manifest.implies {
            return false;
        }
        if manifest.any_of.is_empty() && manifest.contains.is_none() {
            return self.has_manifest(manifest);
        }
        self.manifests(manifest).any(|name| {
            let Some(bytes) = self.read(name, MANIFEST_LIMIT, notes) else { return false };
            if !manifest.contains.as_ref().is_none_or(|text| contains(&bytes, text)) {
                return false;
            }
            if manifest.any_of.is_empty() {
                return true;
            }
            match names_package(&bytes, manifest) {
                Ok(found) => found,
                Err(error) => {
                    notes.push(format!("{}{name} is not understood: {error}", self.prefix));
                    false
                }
            }
        })
    }

    /// Files that the lock files let expect; none when none can be understood.
    pub(super) fn estimate(&self, locks: &[Lock], notes: &mut Vec<String>) -> Option<u64> {
        let mut largest = None;
        for lock in locks.iter().filter(|lock| self.has_lock(lock)) {
            let Some(bytes) = self.read(&lock.file, LOCK_LIMIT, notes) else { continue };
            let packages = packages(&bytes, lock);
            if packages == 0 && bytes.len() >= EMPTY_LOCK {
                notes.push(format!("no packages recognised in {}{}", self.prefix, lock.file));
                continue;
            }
            let files = packages.saturating_mul(u64::from(lock.files_per_package));
            largest = largest.max(Some(files));
        }
        largest
    }

    /// The command of the first lock file or workspace file beside the tree that names one.
    pub(super) fn install<'k>(&self, kind: &'k TreeKind) -> Option<&'k str> {
        let locks = kind.locks.iter().filter(|lock| self.has_lock(lock));
        let workspaces = kind.workspaces.iter().filter(|w| self.is_file(&w.file));
        locks
            .filter_map(|lock| lock.install.as_deref())
            .chain(workspaces.filter_map(|workspace| workspace.install.as_deref()))
            .next()
    }

    /// The first exception that holds here.
    pub(super) fn exception<'k>(
        &self,
        unless: &'k [Exception],
        notes: &mut Vec<String>,
    ) -> Option<&'k Exception> {
        unless.iter().find(|exception| {
            let file = exception.file.as_str();
            let first = file.split('/').next().unwrap_or(file);
            if !self.names.contains_key(std::ffi::OsStr::new(first)) {
                return false;
            }
            let kind = self.host.target_kind(&self.directory.join(file));
            if exception.contains.is_none() && exception.lacks.is_none() {
                return kind.is_some();
            }
            if kind != Some(EntryKind::File) {
                return false;
            }
            let Some(bytes) = self.read(file, MANIFEST_LIMIT, notes) else { return false };
            exception.fits(&bytes)
        })
    }
}

/// Where a settings file puts a tree.
pub(super) struct Moved<'k> {
    /// The entry that says so.
    pub(super) setting: &'k Setting,
    /// The new place, relative to the manifest's directory; none for one outside of it, and for one
    /// that depends on more than this file.
    pub(super) to: Option<String>,
}

impl Beside<'_> {
    /// The first setting that puts a tree elsewhere than to one of `paths`.
    pub(super) fn moved<'k>(
        &self,
        settings: &'k [Setting],
        paths: &[String],
        notes: &mut Vec<String>,
    ) -> Option<Moved<'k>> {
        settings.iter().find_map(|setting| {
            let to = match self.entry(&setting.file, &setting.key, setting.format, notes)? {
                Entry::Text(value) => inside(&value),
                Entry::List(_) | Entry::Odd => None,
            };
            let usual = to.as_ref().is_some_and(|to| paths.contains(to));
            (!usual).then_some(Moved { setting, to })
        })
    }

    /// The packages of the first workspace that is set up here.
    pub(super) fn packages(
        &self,
        workspaces: &[Workspace],
        notes: &mut Vec<String>,
    ) -> Option<Packages> {
        workspaces.iter().find_map(|workspace| {
            match self.entry(&workspace.file, &workspace.key, workspace.format, notes)? {
                Entry::List(patterns) => Packages::new(&patterns),
                Entry::Text(_) | Entry::Odd => None,
            }
        })
    }

    fn entry(
        &self,
        file: &str,
        key: &str,
        format: Format,
        notes: &mut Vec<String>,
    ) -> Option<Entry> {
        let first = file.split('/').next().unwrap_or(file);
        let there = self.names.contains_key(std::ffi::OsStr::new(first)) && self.is_file(file);
        let bytes = there.then(|| self.read(file, MANIFEST_LIMIT, notes))??;
        entry(&bytes, key, format)
    }
}

/// A plain path below the manifest's directory.
fn inside(value: &str) -> Option<String> {
    let odd = ['$', '%', '~', '{', '\\', ':', '*'];
    let path = clean_path(value);
    let leads_out = path.starts_with('/') || path == "." || path == ".." || path.starts_with("../");
    (!leads_out && !value.contains(odd)).then_some(path)
}

/// Directories of a workspace's packages, relative to its top.
pub(super) struct Packages {
    named: GlobSet,
    excepted: GlobSet,
}

impl Packages {
    /// None when a pattern cannot be understood: then nothing is known about any package.
    fn new(patterns: &[String]) -> Option<Self> {
        let mut named = GlobSetBuilder::new();
        let mut excepted = GlobSetBuilder::new();
        for pattern in patterns {
            let (set, pattern) = match pattern.strip_prefix('!') {
                Some(pattern) => (&mut excepted, pattern),
                None => (&mut named, pattern.as_str()),
            };
            let pattern = pattern.strip_prefix("./").unwrap_or(pattern).trim_end_matches('/');
            set.add(GlobBuilder::new(pattern).literal_separator(true).build().ok()?);
        }
        Some(Self { named: named.build().ok()?, excepted: excepted.build().ok()? })
    }

    /// True for a directory that holds one of the packages.
    pub(super) fn contain(&self, directory: &str) -> bool {
        self.named.is_match(directory) && !self.excepted.is_match(directory)
    }
}

/// True when one of the manifest's keys holds a package.
fn names_package(bytes: &[u8], manifest: &Manifest) -> Result<bool, serde_json::Error> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let json: Value = serde_json::from_slice(bytes)?;
    let is_package = |name: &String| !manifest.platform_packages.iter().any(|p| matches(p, name));
    Ok(manifest.any_of.iter().any(|key| match json.get(key) {
        Some(Value::Object(packages)) => packages.keys().any(is_package),
        _ => false,
    }))
}

/// Lines of the lock file that stand for a package.
fn packages(bytes: &[u8], lock: &Lock) -> u64 {
    let stands_for_one = |line: &&[u8]| {
        line.strip_prefix(lock.package_line.as_bytes()).is_some_and(|rest| {
            !lock.not_followed_by.as_ref().is_some_and(|not| rest.starts_with(not.as_bytes()))
        })
    };
    let lines = bytes.split(|byte| *byte == b'\n').filter(stands_for_one).count();
    u64::try_from(lines).unwrap_or(u64::MAX)
}

/// True when `name` fits `pattern`, in which `*` stands for any run of characters.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(first) else { return false };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*') {
        // Taking the first place each time leaves most for what follows.
        let Some((_, after)) = name.split_once(part) else { return false };
        name = after;
    }
    name.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_match_any_run() {
        for (pattern, name) in [
            ("a", "a"),
            ("*", ""),
            ("*", "x"),
            ("*.csproj", "App.csproj"),
            ("*.csproj", ".csproj"),
            ("next.config.*", "next.config.mjs"),
            ("requirements*.txt", "requirements.txt"),
            ("requirements*.txt", "requirements-dev.txt"),
            ("a*b*c", "a-b-b-c"),
            ("a**c", "abc"),
            ("ext-*", "ext-json"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("a", "ab"),
            ("ab*ba", "aba"),
            ("*.csproj", "App.csproj.user"),
            ("a*b*c", "a-c-b"),
            ("a*b*b", "ab"),
            ("requirements*.txt", "my-requirements.txt"),
        ] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn counts_lines_that_stand_for_packages() {
        let lock = |not: Option<&str>| Lock {
            file: "l".to_owned(),
            package_line: "    \"node_modules/".to_owned(),
            not_followed_by: not.map(str::to_owned),
            files_per_package: 1,
            install: None,
        };
        let text = b"{\r\n    \"node_modules/a\": {\r\n    \"node_modules/@types/b\": {\n      \"node_modules/c";
        assert_eq!(packages(text, &lock(None)), 2);
        assert_eq!(packages(text, &lock(Some("@types/"))), 1);
        assert_eq!(packages(b"", &lock(None)), 0);
    }
}
