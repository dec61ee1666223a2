//! What the run has to say, apart from how a format says it.
//!
//! A [`Report`] is all that a format may know. Formats are functions from it to text; none of them
//! looks at the project, the disk or the flags.

pub mod diff;
mod excerpt;
pub mod fingerprint;
pub mod github;
pub mod gitlab;
pub mod json;
pub mod junit;
pub mod page;
pub mod rdjson;
mod region;
#[cfg(test)]
pub(crate) mod sample;
pub mod sarif;
pub mod statistics;
pub mod text;
pub mod visible;
mod words;

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
    /// Where files of findings and problems really lie, by name. One that is not here lies where its
    /// name says.
    pub real_paths: BTreeMap<String, RealPath>,
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
    /// It fails the run: it counts, and is at or above the severity that its project's settings name.
    pub fails: bool,
    /// What would repair it, and with it only what can be repaired in no other way: proven alone, in
    /// the files as they were read. Empty when nothing may be written for it, and where nobody asked.
    pub edits: Vec<Replacement>,
}

/// Other bytes for some bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Replacement {
    /// The file.
    pub file: String,
    /// The old bytes; empty for an insertion.
    pub span: Span,
    /// The new ones.
    pub text: String,
}

/// A file's path with every link in it followed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RealPath {
    /// Relative to the root of the repository, with `/`; none for a file that lies outside.
    pub in_repository: Option<String>,
    /// Relative to the working directory, with `/`.
    pub from_here: String,
    /// From the root of the file system, with `/`.
    pub absolute: String,
}

impl Report {
    /// The name by which a service that knows the repository finds a file: below the root of the
    /// repository where it lies there, else relative to the working directory.
    pub fn repository_name<'a>(&'a self, file: &'a str) -> &'a str {
        match self.real_paths.get(file) {
            Some(real) => real.in_repository.as_deref().unwrap_or(&real.from_here),
            None => file,
        }
    }

    /// The edits that repair a finding. None for one that does not count, and none at all where
    /// anything could not be checked: then `apply` would not write either.
    pub fn edits_of<'a>(&self, reported: &'a Reported) -> &'a [Replacement] {
        match reported.suppressed {
            None if self.problems.is_empty() => &reported.edits,
            _ => &[],
        }
    }
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
