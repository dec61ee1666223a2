//! One run over one or more projects: load, look, judge, plan, prove.
//!
//! `check` and `apply` are the same run. `check` prints the report, `apply` the patches; so they
//! cannot disagree.

use std::path::PathBuf;

use crate::compose::Request;
use crate::finding::Applicability;
use crate::host::{Environment, Host};
use crate::report::Report;
use crate::rules::Rules;

/// What a run works with.
pub struct Session<'a> {
    /// The file system.
    pub host: &'a dyn Host,
    /// Variables, working directory, home.
    pub environment: &'a Environment,
    /// What is known.
    pub rules: &'a Rules,
    /// What the user asked for.
    pub settings: Settings,
}

/// What the user asked for.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Ids of platforms to judge for; they exist.
    pub platforms: Vec<String>,
    /// Strategies to use instead of the platforms' own order, best first; they exist.
    pub strategies: Vec<String>,
    /// Rules to report; empty for all; they exist.
    pub select: Vec<String>,
    /// Rules not to report.
    pub ignore: Vec<String>,
    /// The least that a fix must promise to be written: `Safe`, or `Unsafe` with `--unsafe`.
    pub write_from: Applicability,
    /// Count every file of every tree.
    pub full_survey: bool,
    /// Add all resolved mounts to the report.
    pub show_mounts: bool,
}

/// What came out.
#[derive(Debug, Default)]
pub struct Examination {
    /// Findings, problems and the rest.
    pub report: Report,
    /// Proven changes, one per file, by path. Empty when there is a problem anywhere.
    pub patches: Vec<Patch>,
    /// What was found and is not in the patches, and why.
    pub left: Vec<Left>,
}

/// The old and the new text of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// Absolute path.
    pub path: PathBuf,
    /// Path as reports show it.
    pub name: String,
    /// The text that was read.
    pub before: String,
    /// The text that was proven.
    pub after: String,
}

/// Something that a run leaves as it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Left {
    /// The file.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// The service.
    pub service: String,
    /// The container path.
    pub target: String,
    /// Why it is left: lower case, no full stop.
    pub reason: String,
}
