//! One directory, judged for every kind of tree.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use super::evidence::{Beside, matches};
use super::{Evidence, Limits, TreeFacts, count};
use crate::host::{EntryKind, Host};
use crate::rules::{Access, TreeKind};

/// The kinds of trees, and the names by which a directory is worth a closer look.
pub(super) struct Catalog<'k> {
    /// Kept ones first, then by id: who comes first has a path that several claim.
    kinds: Vec<&'k TreeKind>,
    names: BTreeSet<&'k OsStr>,
    patterns: BTreeSet<&'k str>,
}

/// What a directory holds, as far as it matters: memory is bounded whatever lies in it.
#[derive(Default)]
pub(super) struct Listing {
    /// Entries that a rule names, and `.git`.
    pub(super) named: BTreeMap<OsString, EntryKind>,
    /// Other directories, the first by name.
    others: BTreeSet<OsString>,
    /// True when there are more of them.
    pub(super) cut: bool,
}

impl Listing {
    /// All directories, sorted by name.
    pub(super) fn directories(&self) -> BTreeSet<&OsStr> {
        let named = self.named.iter().filter(|(_, kind)| **kind == EntryKind::Directory);
        named.map(|(name, _)| name).chain(&self.others).map(OsString::as_os_str).collect()
    }
}

impl<'k> Catalog<'k> {
    pub(super) fn new(kinds: &'k [TreeKind]) -> Self {
        let mut sorted: Vec<&TreeKind> = kinds.iter().collect();
        sorted.sort_by_key(|kind| (kind.access != Access::Kept, &kind.id));
        let mut names = BTreeSet::from([OsStr::new(".git")]);
        let mut patterns = BTreeSet::new();
        for kind in kinds {
            let beside = kind.locks.iter().map(|lock| &lock.file);
            let beside = beside.chain(kind.unless.iter().map(|exception| &exception.file));
            for path in beside.chain(&kind.paths) {
                names.extend(path.split('/').next().map(OsStr::new));
            }
            for manifest in &kind.manifests {
                if manifest.file.contains('*') {
                    patterns.insert(manifest.file.as_str());
                } else {
                    names.extend(manifest.file.split('/').next().map(OsStr::new));
                }
            }
        }
        Self { kinds: sorted, names, patterns }
    }

    /// Every path at which some kind lies, the longest first.
    pub(super) fn paths(&self) -> Vec<&'k str> {
        let paths = self.kinds.iter().flat_map(|kind| &kind.paths).map(String::as_str);
        let mut paths: Vec<&str> = paths.collect::<BTreeSet<_>>().into_iter().collect();
        paths.sort_by_key(|path| std::cmp::Reverse(path.split('/').count()));
        paths
    }

    /// Lists a directory with at most `limit` directories that no rule names.
    pub(super) fn list(
        &self,
        host: &dyn Host,
        directory: &Path,
        limit: usize,
    ) -> io::Result<Listing> {
        let mut listing = Listing::default();
        host.scan(directory, false, &mut |entry, _| {
            if self.is_named(&entry.name) {
                listing.named.insert(entry.name, entry.kind);
            } else if entry.kind == EntryKind::Directory {
                listing.others.insert(entry.name);
                if listing.others.len() > limit {
                    listing.others.pop_last();
                    listing.cut = true;
                }
            }
            ControlFlow::Continue(())
        })?;
        Ok(listing)
    }

    fn is_named(&self, name: &OsStr) -> bool {
        let fits = |name: &str| self.patterns.iter().any(|pattern| matches(pattern, name));
        self.names.contains(name) || name.to_str().is_some_and(fits)
    }
}

/// A directory that trees may lie in.
pub(super) struct Site<'a> {
    pub(super) host: &'a dyn Host,
    pub(super) catalog: &'a Catalog<'a>,
    pub(super) directory: &'a Path,
    /// Relative to the surveyed directory, with `/`; empty for itself.
    pub(super) relative: &'a str,
    pub(super) names: &'a BTreeMap<OsString, EntryKind>,
    pub(super) limits: Limits,
}

/// What was found; paths are relative to the site.
#[derive(Default)]
pub(super) struct Findings {
    /// Large trees.
    pub(super) trees: Vec<TreeFacts>,
    /// Kept trees on disk.
    pub(super) kept: BTreeSet<String>,
    /// Every tree on disk, also small and excepted ones: nothing more is to be found in it.
    pub(super) on_disk: BTreeSet<String>,
    /// Kinds that an exception turns off.
    pub(super) off: BTreeSet<String>,
    /// Kinds with a lock file here.
    pub(super) locked: BTreeSet<String>,
}

/// What is at a place where a tree may lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Directory,
    Missing,
    Link,
    /// A file, or below one.
    Elsewhere,
}

/// What counting the trees of one kind came to.
struct Measured {
    /// One of them is large.
    large: bool,
    /// None of them holds a file, as far as can be seen.
    empty: bool,
}

impl Site<'_> {
    /// Judges the directory, for trees at `only` if given.
    ///
    /// With `only`, a link at that place is followed: someone has named it.
    pub(super) fn examine(&self, only: Option<&str>, notes: &mut Vec<String>) -> Findings {
        if self.names.keys().all(|name| name == ".git") {
            return Findings::default();
        }
        let prefix = if self.relative.is_empty() { "" } else { &format!("{}/", self.relative) };
        let mut examination = Examination {
            site: self,
            beside: Beside {
                host: self.host,
                directory: self.directory,
                prefix,
                names: self.names,
            },
            enough: self.limits.min_files.max(1),
            claimed: BTreeSet::new(),
            findings: Findings::default(),
            notes,
        };
        for kind in &self.catalog.kinds {
            let paths = kind.paths.iter().map(String::as_str);
            let paths = paths.filter(|path| only.is_none_or(|only| only == *path));
            let places: Vec<(&str, Place)> =
                paths.map(|path| (path, self.place(path, only.is_some()))).collect();
            if let Some((first, _)) = places.first() {
                examination.judge(kind, &places, first);
            }
        }
        examination.findings
    }

    fn place(&self, path: &str, follow: bool) -> Place {
        let mut at = self.directory.to_path_buf();
        for (depth, part) in path.split('/').enumerate() {
            at.push(part);
            let kind = if depth == 0 {
                self.names.get(OsStr::new(part)).copied()
            } else {
                self.host.kind(&at)
            };
            let kind = match kind {
                Some(EntryKind::Link) if follow => self.host.target_kind(&at).or(kind),
                _ => kind,
            };
            match kind {
                Some(EntryKind::Directory) => {}
                Some(EntryKind::Link) => return Place::Link,
                Some(_) => return Place::Elsewhere,
                None => return Place::Missing,
            }
        }
        Place::Directory
    }
}

/// A look at one directory, kind by kind.
struct Examination<'a> {
    site: &'a Site<'a>,
    beside: Beside<'a>,
    /// Files from which a tree is large.
    enough: u64,
    /// Paths that a kind has already: trees on disk and reported ones.
    claimed: BTreeSet<String>,
    findings: Findings,
    notes: &'a mut Vec<String>,
}

impl Examination<'_> {
    /// Judges one kind at its places, of which `usual` is the first.
    fn judge(&mut self, kind: &TreeKind, places: &[(&str, Place)], usual: &str) {
        let prefix = self.beside.prefix;
        let locked = kind.locks.iter().any(|lock| self.beside.has_lock(lock));
        let expected = locked || kind.manifests.iter().any(|m| self.beside.has_manifest(m));
        let on_disk = places.iter().filter(|(_, place)| *place == Place::Directory);
        let own: Vec<&str> = on_disk
            .map(|(path, _)| *path)
            .filter(|path| !self.claimed.contains(*path))
            .filter(|path| !kind.ambiguous || expected || self.is_marked(kind, path))
            .collect();
        let named = || own.iter().map(|path| (*path).to_owned());
        self.findings.on_disk.extend(named());
        if locked {
            self.findings.locked.insert(kind.id.clone());
        }
        if let Some(exception) = self.beside.exception(&kind.unless, self.notes) {
            // Holds further down as well, also where it stands alone.
            self.findings.off.insert(kind.id.clone());
            if expected || !own.is_empty() {
                let (path, reason) = (own.first().unwrap_or(&usual), &exception.reason);
                let file = &exception.file;
                self.notes.push(format!("{prefix}{path} is left out: {reason} ({prefix}{file})"));
            }
            if kind.access != Access::Kept {
                self.measure(kind, &own, Some(&exception.reason));
            }
            return;
        }
        self.claimed.extend(named());
        if kind.access == Access::Kept {
            self.findings.kept.extend(named());
            return;
        }
        let measured = self.measure(kind, &own, None);
        if !expected || measured.large {
            return;
        }
        for (path, _) in places.iter().filter(|(_, place)| *place == Place::Link) {
            self.notes.push(format!("{prefix}{path} is a link and is not followed"));
        }
        // Only one of several usual places is expected: the one in use, else the first.
        let usual_is_free = places
            .first()
            .is_some_and(|(path, place)| *place == Place::Missing && !self.claimed.contains(*path));
        let path = match own.first() {
            Some(path) => path,
            None if usual_is_free => usual,
            None => return,
        };
        if let Some(tree) = self.expect(kind, path, measured.empty) {
            self.claimed.insert(path.to_owned());
            self.findings.trees.push(TreeFacts { on_disk: !own.is_empty(), ..tree });
        }
    }

    fn install(&self, kind: &TreeKind) -> Option<String> {
        self.beside.install(&kind.locks).or(kind.install.as_deref()).map(str::to_owned)
    }

    /// True when something in the tree proves its kind.
    fn is_marked(&self, kind: &TreeKind, path: &str) -> bool {
        let tree = self.site.directory.join(path);
        kind.markers.iter().any(|marker| self.site.host.kind(&tree.join(marker)).is_some())
    }

    /// Counts the kind's trees on disk and adds the large ones.
    fn measure(&mut self, kind: &TreeKind, own: &[&str], unused: Option<&String>) -> Measured {
        let mut measured = Measured { large: false, empty: true };
        let Site { host, directory, limits, .. } = *self.site;
        for path in own {
            let tree = directory.join(path);
            let count = if limits.full {
                count::all(host, &tree)
            } else {
                count::up_to(host, &tree, self.enough)
            };
            let readable = count.unreadable == 0;
            if !readable {
                let directories = if count.unreadable == 1 { "directory" } else { "directories" };
                let (prefix, number) = (self.beside.prefix, count.unreadable);
                self.notes.push(format!("{prefix}{path}: cannot read {number} {directories}"));
            }
            measured.empty &= readable && count.files == 0;
            if count.files < self.enough {
                continue;
            }
            measured.large = true;
            self.findings.trees.push(TreeFacts {
                kind: kind.id.clone(),
                path: (*path).to_owned(),
                evidence: Evidence::Measured,
                files: Some(count.files),
                bytes: limits.full.then_some(count.bytes),
                at_least: !limits.full || !readable,
                on_disk: true,
                unused: unused.cloned(),
                install: self.install(kind),
                tracked: false,
            });
        }
        measured
    }

    /// The tree that lock files and manifests let expect at `path`, where no large one was counted.
    fn expect(&mut self, kind: &TreeKind, path: &str, empty: bool) -> Option<TreeFacts> {
        let (evidence, files) = match self.beside.estimate(&kind.locks, self.notes) {
            Some(files) if files >= self.enough => (Evidence::LockFile, Some(files)),
            None if empty && kind.manifests.iter().any(|m| self.beside.implies(m, self.notes)) => {
                (Evidence::Manifest, None)
            }
            _ => return None,
        };
        Some(TreeFacts {
            kind: kind.id.clone(),
            path: path.to_owned(),
            evidence,
            files,
            bytes: None,
            at_least: false,
            on_disk: false,
            unused: None,
            install: self.install(kind),
            tracked: false,
        })
    }
}
