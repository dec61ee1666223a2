//! What a run is asked to do.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::compose::Project;
use crate::config::Config;
use crate::finding::{Applicability, Severity};
use crate::rewrite::Destination;
use crate::suppress::Asks;

/// What the user and the team asked for.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag or a key of its own")]
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
    /// Prove what repairs each finding by itself, too.
    pub edits_alone: bool,
    /// Where changes go.
    pub destination: Destination,
    /// Severities of rules that have another one than usual.
    pub levels: BTreeMap<&'static str, Severity>,
    /// The severity from which findings fail a gate.
    pub fail_on: Severity,
    /// Files from which a tree counts as large; none for the usual number.
    pub min_files: Option<u64>,
    /// The configuration, for what it ignores.
    pub config: Option<Arc<Config>>,
    /// Comments and the configuration may ignore findings.
    pub ignores: bool,
    /// The run looks at everything that the configuration speaks of.
    pub everything: bool,
    /// What is doubtful about the configuration is a problem.
    pub strict: bool,
}

impl Default for Settings {
    /// No platform, every rule, safe fixes, in place.
    fn default() -> Self {
        Self {
            platforms: Vec::new(),
            strategies: Vec::new(),
            select: Vec::new(),
            ignore: Vec::new(),
            write_from: Applicability::Safe,
            full_survey: false,
            show_mounts: false,
            edits_alone: false,
            destination: Destination::default(),
            levels: BTreeMap::new(),
            fail_on: Severity::Warning,
            min_files: None,
            config: None,
            ignores: true,
            everything: false,
            strict: false,
        }
    }
}

impl Settings {
    /// True for a rule that is to be reported.
    pub fn reports(&self, rule: &str) -> bool {
        let named = |list: &[String]| list.iter().any(|other| other == rule);
        (self.select.is_empty() || named(&self.select)) && !named(&self.ignore)
    }

    /// How much a finding of a rule matters.
    pub fn severity(&self, rule: &str, usual: Severity) -> Severity {
        self.levels.get(rule).copied().unwrap_or(usual)
    }

    /// Everything that may suppress findings of a project; none when nothing may.
    pub fn asks<'a>(&'a self, project: &'a Project) -> Option<Asks<'a>> {
        self.ignores.then(|| Asks::of(project, self.config.as_deref()))
    }
}
