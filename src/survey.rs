//! Which trees lie, or are implied, below a directory of the host, and how large they are.

use std::path::Path;

use crate::host::Host;
use crate::rules::Rules;

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
    /// Number of files, counted or estimated; none for a manifest.
    pub files: Option<u64>,
    /// Bytes in them, if counted.
    pub bytes: Option<u64>,
    /// True when counting stopped early: there are at least so many files.
    pub at_least: bool,
    /// True when the directory itself is on disk.
    pub on_disk: bool,
}

/// Limits of a survey.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Files from which a tree counts as large.
    pub min_files: u64,
    /// Count everything instead of stopping when the verdict is certain.
    pub full: bool,
    /// Directories visited at most outside the trees.
    pub directories: usize,
    /// Levels below the surveyed directory that are searched.
    pub depth: usize,
}

/// The result of looking below one directory.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    /// Large trees, outermost only, sorted by path, then kind.
    pub trees: Vec<TreeFacts>,
    /// Why something was left out, for `-v`: a limit reached, an unreadable directory, an exception.
    pub notes: Vec<String>,
}

/// Looks below `directory`.
pub fn survey(host: &dyn Host, rules: &Rules, directory: &Path, limits: Limits) -> Survey {
    todo_survey(host, rules, directory, limits)
}
