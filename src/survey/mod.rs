//! Which trees lie, or are implied, below a directory of the host, and how large they are.
//!
//! Directories are visited level by level, each with its names sorted; links are never followed.
//! `walk` goes through them, `site` judges one with what `evidence` reads from its manifests, lock files
//! and `settings`, `count` counts a tree, `index` tells which trees git tracks.

mod count;
mod evidence;
mod index;
mod settings;
mod site;
#[cfg(test)]
mod tests;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::host::{EntryKind, Host, lexical_clean};
use crate::progress::Progress;
use crate::rules::TreeKind;
use index::Repository;
#[cfg(test)]
pub(crate) use index::index_of;
pub use index::tracked_names;
use site::{Catalog, Findings, Site};

/// How sure it is that a tree is there. Ordered from weakest to strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// The ecosystem puts it there; nothing on disk yet.
    Manifest,
    /// Estimated from a lock file.
    LockFile,
    /// Counted on disk.
    Measured,
}

/// What is known about one tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFacts {
    /// Id of its kind in `rules/trees`.
    pub kind: String,
    /// Path relative to the surveyed directory, with `/`; `.` for the directory itself.
    pub path: String,
    /// How sure it is.
    pub evidence: Evidence,
    /// Number of files and links, counted or estimated; none for a manifest.
    pub files: Option<u64>,
    /// Bytes in the files; counted in a full survey only.
    pub bytes: Option<u64>,
    /// True when there are at least so many files: counting stopped early, or a part of the tree
    /// cannot be read.
    pub at_least: bool,
    /// True when the directory itself is on disk.
    pub on_disk: bool,
    /// Why the project does not use the tree although it is on disk: its tools put it elsewhere.
    pub unused: Option<String>,
    /// The command that fills the tree by hand: that of the lock file, else the kind's.
    pub install: Option<String>,
    /// True when git tracks the tree or a file in it. A volume would hide those files, so nothing
    /// may be laid over the tree; it is listed so that callers can say why. Files that only hold the
    /// place of a directory, such as `.gitkeep`, do not count.
    pub tracked: bool,
    /// Directories below the tree, relative to it, that git tracks by a file that holds their place.
    pub directories: Vec<String>,
}

/// Limits of a survey.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Files from which a tree counts as large; 0 is taken as 1.
    pub min_files: u64,
    /// Count everything instead of stopping when the verdict is certain.
    pub full: bool,
    /// Directories visited at most outside the trees.
    pub directories: usize,
    /// Levels below the surveyed directory that are searched.
    pub depth: usize,
    /// Subdirectories of one directory that are searched at most, the first by name.
    pub entries: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { min_files: 500, full: false, directories: 20_000, depth: 8, entries: 10_000 }
    }
}

/// The result of looking below one directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// Large trees, outermost only, sorted by path.
    pub trees: Vec<TreeFacts>,
    /// Why something was left out, for `-v`: a limit reached, an unreadable directory, an exception.
    /// Lower case, no full stop, paths relative to the surveyed directory. Names stand in them as
    /// they are on disk, control characters included.
    pub notes: Vec<String>,
}

/// What a survey works with.
#[derive(Clone, Copy)]
struct Look<'a> {
    host: &'a dyn Host,
    catalog: &'a Catalog<'a>,
    limits: Limits,
    progress: &'a dyn Progress,
}

/// A tree with what is needed to ask git about it.
struct Candidate {
    facts: TreeFacts,
    absolute: PathBuf,
    repository: Option<Rc<Repository>>,
}

/// Looks for trees of `kinds` in and below `directory`, an absolute path.
///
/// The directory need not be there: a tree that it would be is reported when the files beside it
/// imply so. If it is a tree itself, that is the only result, with the path `.`.
pub fn survey(
    host: &dyn Host,
    kinds: &[TreeKind],
    directory: &Path,
    limits: Limits,
    progress: &dyn Progress,
) -> Survey {
    let catalog = Catalog::new(kinds);
    let look = Look { host, catalog: &catalog, limits, progress };
    let directory = lexical_clean(directory);
    let mut notes = Vec::new();
    if let Some(itself) = as_tree(look, &directory, &mut notes) {
        return finish(host, itself, notes);
    }
    match host.target_kind(&directory) {
        Some(EntryKind::Directory) => {}
        Some(_) => return Survey { trees: Vec::new(), notes },
        None => {
            notes.push("the directory is not there".to_owned());
            return Survey { trees: Vec::new(), notes };
        }
    }
    let found = walk::walk(look, real_path(host, &directory), &mut notes);
    finish(host, found, notes)
}

/// What was found, before trees inside of others are dropped.
#[derive(Default)]
struct Found {
    candidates: Vec<Candidate>,
    /// Kept trees, relative like `TreeFacts::path`.
    kept: BTreeSet<String>,
}

/// The surveyed directory as a tree of the directory above it; none when it is no tree at all.
fn as_tree(look: Look<'_>, directory: &Path, notes: &mut Vec<String>) -> Option<Found> {
    let Look { host, catalog, .. } = look;
    for path in catalog.paths() {
        if !directory.ends_with(path) {
            continue;
        }
        let above = directory.ancestors().nth(path.split('/').count())?;
        let names = catalog.list(host, above, 0).ok()?.named;
        let relative = path.split('/').map(|_| "..").collect::<Vec<_>>().join("/");
        let relative = relative.as_str();
        let site = Site { look, directory: above, relative, names: &names };
        let Findings { trees, kept, on_disk, .. } = site.examine(Some(path), notes);
        if kept.is_empty() && on_disk.is_empty() && trees.is_empty() {
            continue;
        }
        if !kept.is_empty() {
            notes.push(format!(". is {path}, which is source or data and stays where it is"));
        }
        let absolute = real_path(host, directory);
        let repository = absolute.parent().and_then(|above| Repository::find(host, above));
        let repository = repository.map(Rc::new);
        let candidate = |facts| Candidate {
            facts: TreeFacts { path: ".".to_owned(), ..facts },
            absolute: absolute.clone(),
            repository: repository.clone(),
        };
        return Some(Found {
            candidates: trees.into_iter().map(candidate).collect(),
            kept: BTreeSet::new(),
        });
    }
    None
}

/// The path with links followed as far as it is there.
fn real_path(host: &dyn Host, path: &Path) -> PathBuf {
    for above in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (host.canonical(above), path.strip_prefix(above)) {
            // Joining nothing would add a separator.
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
    }
    path.to_path_buf()
}

/// Drops what lies in another tree or around a kept one, and asks git about the rest.
fn finish(host: &dyn Host, found: Found, mut notes: Vec<String>) -> Survey {
    let mut trees: BTreeMap<String, Candidate> = BTreeMap::new();
    for candidate in found.candidates {
        // The first to claim a path has it.
        trees.entry(candidate.facts.path.clone()).or_insert(candidate);
    }
    let paths: BTreeSet<String> = trees.keys().cloned().collect();
    trees.retain(|path, _| {
        if let Some(kept) = found.kept.iter().find(|kept| is_above(path, kept)) {
            notes.push(format!("{path} stays where it is because it holds {kept}"));
            return false;
        }
        let mut above = ancestors(path).skip(1);
        !found.kept.contains(path) && !above.any(|a| paths.contains(a) || found.kept.contains(a))
    });
    let mut trees: Vec<Candidate> = trees.into_values().collect();
    index::mark_tracked(host, &mut trees, &mut notes);
    Survey { trees: trees.into_iter().map(|candidate| candidate.facts).collect(), notes }
}

/// The path itself and every path above it: `a/b`, `a`.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.rsplit_once('/').map(|(above, _)| above))
}

/// True when `path` is a directory above `other`.
fn is_above(path: &str, other: &str) -> bool {
    other.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))
}

fn join(above: &str, name: &str) -> String {
    if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") }
}
