//! One directory, judged for every kind of tree.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use super::evidence::{Beside, Moved, Packages, matches};
use super::{Evidence, Look, TreeFacts, count};
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
            let beside = beside.chain(kind.moved_by.iter().map(|setting| &setting.file));
            let beside = beside.chain(kind.workspaces.iter().map(|workspace| &workspace.file));
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
    pub(super) look: Look<'a>,
    pub(super) directory: &'a Path,
    /// Relative to the surveyed directory, with `/`; empty for itself.
    pub(super) relative: &'a str,
    pub(super) names: &'a BTreeMap<OsString, EntryKind>,
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
    /// Workspaces whose top is here.
    pub(super) workspaces: Vec<Members>,
}

/// The packages that share a tree of one kind with the directory that names them.
pub(super) struct Members {
    /// The kind's id.
    pub(super) kind: String,
    /// Their directories.
    pub(super) packages: Packages,
    /// The command that fills the tree.
    pub(super) install: Option<String>,
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
                host: self.look.host,
                directory: self.directory,
                prefix,
                names: self.names,
            },
            enough: self.look.limits.min_files.max(1),
            claimed: BTreeSet::new(),
            findings: Findings::default(),
            notes,
        };
        for kind in &self.look.catalog.kinds {
            let paths = kind.paths.iter().map(String::as_str);
            let paths = paths.filter(|path| only.is_none_or(|only| only == *path));
            let places: Vec<(&str, Place)> =
                paths.map(|path| (path, self.place(path, only.is_some()))).collect();
            let Some((first, _)) = places.first() else { continue };
            match examination.moved(kind) {
                None => examination.judge(kind, &places, first),
                Some(moved) => {
                    examination.leave(kind, &places, first, &moved);
                    if let Some(to) = moved.to.as_deref().filter(|_| only.is_none()) {
                        examination.judge(kind, &[(to, self.place_of(to))], to);
                    }
                }
            }
        }
        examination.findings
    }

    /// What is at a path that no rule names.
    fn place_of(&self, path: &str) -> Place {
        let mut at = self.directory.to_path_buf();
        for part in path.split('/') {
            at.push(part);
            match self.look.host.kind(&at) {
                Some(EntryKind::Directory) => {}
                Some(EntryKind::Link) => return Place::Link,
                Some(_) => return Place::Elsewhere,
                None => return Place::Missing,
            }
        }
        Place::Directory
    }

    fn place(&self, path: &str, follow: bool) -> Place {
        let mut at = self.directory.to_path_buf();
        for (depth, part) in path.split('/').enumerate() {
            at.push(part);
            let kind = if depth == 0 {
                self.names.get(OsStr::new(part)).copied()
            } else {
                self.look.host.kind(&at)
            };
            let kind = match kind {
                Some(EntryKind::Link) if follow => self.look.host.target_kind(&at).or(kind),
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
    /// Where the project's settings put a kind's tree, if not to a usual place.
    fn moved<'k>(&mut self, kind: &'k TreeKind) -> Option<Moved<'k>> {
        self.beside.moved(&kind.moved_by, &kind.paths, self.notes)
    }

    /// Looks at the usual places of a kind whose tree is elsewhere: nobody uses what lies there.
    fn leave(&mut self, kind: &TreeKind, places: &[(&str, Place)], usual: &str, moved: &Moved<'_>) {
        let (expected, own) = self.own(kind, places);
        self.findings.on_disk.extend(own.iter().map(|path| (*path).to_owned()));
        if !kind.workspaces.is_empty() {
            // What is set for a workspace is set for its packages.
            self.findings.off.insert(kind.id.clone());
        }
        let file = &moved.setting.file;
        let to = moved.to.as_deref().unwrap_or("another place");
        let reason = format!("{file} puts it to {to} ({})", moved.setting.key);
        self.left_out(kind, (expected, &own, usual), &reason, file);
    }

    /// Says why a kind's trees do not count.
    fn left_out(
        &mut self,
        kind: &TreeKind,
        (expected, own, usual): (bool, &[&str], &str),
        reason: &str,
        file: &str,
    ) {
        let prefix = self.beside.prefix;
        if expected || !own.is_empty() {
            let path = own.first().unwrap_or(&usual);
            self.notes.push(format!("{prefix}{path} is left out: {reason} ({prefix}{file})"));
        }
        if kind.access != Access::Kept {
            self.measure(kind, own, Some(reason));
        }
    }

    /// Whether something beside the places speaks of the kind, and the kind's trees on disk.
    fn own<'p>(&self, kind: &TreeKind, places: &[(&'p str, Place)]) -> (bool, Vec<&'p str>) {
        let locked = kind.locks.iter().any(|lock| self.beside.has_lock(lock));
        let expected = locked || kind.manifests.iter().any(|m| self.beside.has_manifest(m));
        let on_disk = places.iter().filter(|(_, place)| *place == Place::Directory);
        let own = on_disk
            .map(|(path, _)| *path)
            .filter(|path| !self.claimed.contains(*path))
            .filter(|path| !kind.ambiguous || expected || self.is_marked(kind, path));
        (expected, own.collect())
    }

    /// Judges one kind at its places, of which `usual` is the first.
    fn judge(&mut self, kind: &TreeKind, places: &[(&str, Place)], usual: &str) {
        let prefix = self.beside.prefix;
        let (expected, own) = self.own(kind, places);
        let named = || own.iter().map(|path| (*path).to_owned());
        self.findings.on_disk.extend(named());
        if kind.locks.iter().any(|lock| self.beside.has_lock(lock)) {
            self.findings.locked.insert(kind.id.clone());
        }
        if let Some(packages) = self.beside.packages(&kind.workspaces, self.notes) {
            let install = self.install(kind);
            let members = Members { kind: kind.id.clone(), packages, install };
            self.findings.workspaces.push(members);
        }
        if let Some(exception) = self.beside.exception(&kind.unless, self.notes) {
            // Holds further down as well, also where it stands alone.
            self.findings.off.insert(kind.id.clone());
            let (reason, file) = (&exception.reason, &exception.file);
            self.left_out(kind, (expected, &own, usual), reason, file);
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
        let in_use = !own.is_empty() && !measured.empty;
        if let Some(tree) = self.expect(kind, path, in_use, measured.empty) {
            self.claimed.insert(path.to_owned());
            self.findings.trees.push(TreeFacts { on_disk: !own.is_empty(), ..tree });
        }
    }

    fn install(&self, kind: &TreeKind) -> Option<String> {
        let beside = self.beside.install(kind);
        beside.or(kind.install.as_deref()).map(str::to_owned)
    }

    /// True when something in the tree proves its kind.
    fn is_marked(&self, kind: &TreeKind, path: &str) -> bool {
        let tree = self.site.directory.join(path);
        kind.markers.iter().any(|marker| self.site.look.host.kind(&tree.join(marker)).is_some())
    }

    /// Counts the kind's trees on disk and adds the large ones.
    ///
    /// One that is written all the time costs by how often it is written, so where a manifest says
    /// that it is, and no lock file how large, any file in it is enough: else the verdict would
    /// depend on what ran before.
    fn measure(&mut self, kind: &TreeKind, own: &[&str], unused: Option<&str>) -> Measured {
        let mut measured = Measured { large: false, empty: true };
        let written = kind.access == Access::WriteHeavy
            && !own.is_empty()
            && kind.manifests.iter().any(|m| self.beside.implies(m, self.notes))
            && self.beside.estimate(&kind.locks, self.notes).is_none();
        let Site { look: Look { host, limits, progress, .. }, directory, .. } = *self.site;
        for path in own {
            let tree = directory.join(path);
            let count = if limits.full {
                count::all(host, &tree, progress)
            } else {
                count::up_to(host, &tree, self.enough, progress)
            };
            let readable = count.unreadable == 0;
            if !readable {
                let directories = if count.unreadable == 1 { "directory" } else { "directories" };
                let (prefix, number) = (self.beside.prefix, count.unreadable);
                self.notes.push(format!("{prefix}{path}: cannot read {number} {directories}"));
            }
            measured.empty &= readable && count.files == 0;
            if count.files < if written { 1 } else { self.enough } {
                continue;
            }
            measured.large = true;
            self.findings.trees.push(TreeFacts {
                kind: kind.id.clone(),
                path: (*path).to_owned(),
                evidence: Evidence::Measured,
                files: Some(count.files),
                bytes: limits.full.then_some(count.bytes),
                at_least: !limits.full && count.files >= self.enough || !readable,
                on_disk: true,
                unused: unused.map(str::to_owned),
                install: self.install(kind),
                tracked: false,
                directories: Vec::new(),
            });
        }
        measured
    }

    /// The tree that lock files and manifests let expect at `path`, where no large one was counted.
    ///
    /// A lock file tells how much is installed, not where; that is what a manifest implies, or a tree
    /// that is `in_use` there.
    fn expect(
        &mut self,
        kind: &TreeKind,
        path: &str,
        in_use: bool,
        empty: bool,
    ) -> Option<TreeFacts> {
        let (evidence, files) = match self.beside.estimate(&kind.locks, self.notes) {
            Some(files) if files >= self.enough => (Evidence::LockFile, Some(files)),
            None if empty => (Evidence::Manifest, None),
            _ => return None,
        };
        let implied = kind.manifests.iter().any(|m| self.beside.implies(m, self.notes))
            || self.beside.packages(&kind.workspaces, self.notes).is_some();
        if !implied && (!in_use || evidence != Evidence::LockFile) {
            return None;
        }
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
            directories: Vec::new(),
        })
    }
}
