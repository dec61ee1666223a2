//! What the run has to say, apart from how a format says it.
//!
//! A [`Report`] is all that a format may know. Formats are functions from it to text; none of them
//! looks at the project, the disk or the flags.

pub mod diff;
mod excerpt;
pub mod json;
#[cfg(test)]
pub(crate) mod sample;
pub mod text;
pub mod visible;

use std::collections::BTreeMap;

use crate::error::Problem;
use crate::finding::Finding;
use crate::source::{Source, Span};

pub use crate::suppress::{SuppressedBy, Suppression};

/// The result of a run.
#[derive(Debug, Default)]
pub struct Report {
    /// Ids of the judged platforms, sorted.
    pub platforms: Vec<String>,
    /// Every file that was read, by path.
    pub files: Vec<CheckedFile>,
    /// Findings, by file, place and rule; those that do not count as well.
    pub findings: Vec<Reported>,
    /// What could not be checked.
    pub problems: Vec<Problem>,
    /// Mounts and services that were left out of the judgement, and why.
    pub not_judged: Vec<NotJudged>,
    /// Every resolved mount, with `--show-mounts`.
    pub mounts: Option<Vec<MountRow>>,
    /// The texts of all files that the above speaks of, by name.
    pub sources: BTreeMap<String, Source>,
    /// What was surveyed and what was skipped on the way, for `-v`.
    pub notes: Vec<String>,
}

impl Report {
    /// The findings that count.
    pub fn counting(&self) -> impl Iterator<Item = &Reported> {
        self.findings.iter().filter(|reported| reported.suppressed.is_none())
    }

    /// The findings that somebody said do not count, and why.
    pub fn suppressed(&self) -> impl Iterator<Item = (&Reported, &Suppression)> {
        self.findings.iter().filter_map(|reported| Some((reported, reported.suppressed.as_ref()?)))
    }
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CheckedFile {
    /// Path relative to the working directory, with `/`.
    pub path: String,
    /// True when the project that it belongs to could be checked.
    pub ok: bool,
}

/// A finding with its place.
#[derive(Debug)]
pub struct Reported {
    /// The finding.
    pub finding: Finding,
    /// The file.
    pub file: String,
    /// The bytes in it.
    pub span: Span,
    /// Why it does not count; none when it does.
    pub suppressed: Option<Suppression>,
}

/// Something that was not judged.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotJudged {
    /// The file.
    pub file: String,
    /// The bytes in it.
    pub span: Span,
    /// The service concerned.
    pub service: Option<String>,
    /// Why: lower case, no full stop.
    pub message: String,
}

/// One resolved mount.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MountRow {
    /// The file that wrote it.
    pub file: String,
    /// The bytes that wrote it.
    pub span: Span,
    /// The service.
    pub service: String,
    /// `bind`, `volume`, `tmpfs` or `other`.
    pub kind: &'static str,
    /// Host path or volume key as Compose resolves it.
    pub source: Option<String>,
    /// Container path.
    pub target: String,
    /// Mounted read-only.
    pub read_only: bool,
}
