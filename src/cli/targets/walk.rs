//! The search of a directory for Compose files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use globset::{Glob, GlobSet, GlobSetBuilder};
use ignore::{DirEntry, WalkBuilder};

use super::{NAMES, OTHERS};
use crate::config::Config;
use crate::error::Error;
use crate::host::{EntryKind, Host};
use crate::rules::TreeKind;

/// Compose files by directory.
pub(super) type Found = BTreeMap<PathBuf, BTreeSet<PathBuf>>;

/// What a search came across.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub(super) found: Found,
    /// Patterns of the configuration that left something out, by their index in `exclude`.
    pub(super) met: BTreeSet<usize>,
    /// Directories and Compose files that they left out.
    pub(super) excluded: BTreeSet<PathBuf>,
    /// What could not be looked into.
    pub(super) errors: Vec<String>,
}

/// Where to search, and what to leave out.
pub(super) struct Search<'a> {
    pub(super) host: &'a dyn Host,
    pub(super) directory: &'a Path,
    /// Dependency trees are not entered.
    pub(super) trees: Vec<TreeKind>,
    pub(super) config: Option<&'a Config>,
    /// Whether ignore files count.
    pub(super) ignores: bool,
}

impl Search<'_> {
    /// Hidden directories count (`.devcontainer`), ignored ones and dependency trees do not. Only
    /// ignore files of the project decide, since those of the user or of one clone would make the
    /// result differ between machines.
    pub(super) fn walk(self) -> Result<Walked, Error> {
        let names = Names::new()?;
        let left_out = Arc::new(Mutex::new((BTreeSet::new(), BTreeSet::new())));
        let (shared, known) = (Arc::clone(&left_out), names.clone());
        let (trees, pattern_for) = (self.trees, self.config.map(Config::pattern_for));
        let walk = WalkBuilder::new(self.directory)
            .standard_filters(self.ignores)
            .hidden(false)
            .require_git(false)
            .git_global(false)
            .git_exclude(false)
            .sort_by_file_path(Ord::cmp)
            .filter_entry(move |entry| {
                let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
                let pattern_for = pattern_for.as_ref().filter(|_| entry.depth() > 0);
                let pattern = pattern_for.and_then(|find| find(entry.path(), is_directory));
                if let (Some(pattern), Ok(mut left_out)) = (pattern, shared.lock()) {
                    left_out.0.insert(pattern);
                    if is_directory || known.fit(entry) {
                        left_out.1.insert(entry.path().to_path_buf());
                    }
                    return false;
                }
                !is_directory || entry.depth() == 0 || !is_tree(entry.path(), &trees)
            })
            .build();
        let mut walked = Walked::default();
        for entry in walk {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    walked.errors.push(error.to_string());
                    continue;
                }
            };
            let path = entry.path();
            if names.fit(&entry)
                && self.host.target_kind(path) == Some(EntryKind::File)
                && let Some(parent) = path.parent()
            {
                let files = walked.found.entry(parent.to_path_buf()).or_default();
                files.insert(path.to_path_buf());
            }
        }
        (walked.met, walked.excluded) =
            left_out.lock().map(|left_out| left_out.clone()).unwrap_or_default();
        Ok(walked)
    }
}

/// Names of Compose files.
#[derive(Clone)]
struct Names {
    those: GlobSet,
    others: GlobSet,
}

impl Names {
    fn new() -> Result<Self, Error> {
        Ok(Self { those: glob_set(&NAMES)?, others: glob_set(&OTHERS)? })
    }

    fn fit(&self, entry: &DirEntry) -> bool {
        let name = Path::new(entry.file_name());
        self.those.is_match(name) && !self.others.is_match(name)
    }
}

fn glob_set(patterns: &[&str]) -> Result<GlobSet, Error> {
    let mut set = GlobSetBuilder::new();
    let wrong = |error: globset::Error| Error::Usage { message: error.to_string() };
    for pattern in patterns {
        set.add(Glob::new(pattern).map_err(wrong)?);
    }
    set.build().map_err(wrong)
}

/// True for a directory that holds what tools have put there: git's own, and every tree that the
/// rules know by its place. Where the place alone says nothing, a manifest beside it must.
fn is_tree(path: &Path, trees: &[TreeKind]) -> bool {
    path.file_name().is_some_and(|name| name == ".git")
        || trees.iter().any(|tree| {
            tree.paths.iter().any(|place| {
                path.ends_with(place) && (!tree.ambiguous || is_confirmed(path, place, tree))
            })
        })
}

fn is_confirmed(path: &Path, place: &str, tree: &TreeKind) -> bool {
    let levels = Path::new(place).components().count();
    let Some(above) = path.ancestors().nth(levels) else { return false };
    let exists = |path: PathBuf| path.symlink_metadata().is_ok();
    let beside = tree.manifests.iter().map(|m| &m.file).chain(tree.locks.iter().map(|l| &l.file));
    tree.markers.iter().any(|marker| exists(path.join(marker)))
        || beside.filter(|name| !name.contains('*')).any(|name| exists(above.join(name)))
}
