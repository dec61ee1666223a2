//! What `-v` tells beside the report: what counts, what was looked at, what was left out.

use std::path::PathBuf;

use super::args::{JudgementFlags, OutputFlags};
use super::judgement::{Origin, origin};
use super::setups::{Choice, Setup, Setups};
use super::{Command, target_of};
use crate::compose::relative_name;
use crate::host::lexical_clean;
use crate::report::Reported;
use crate::report::text::plural;
use crate::run::Examination;

/// By what the projects of a setup are judged: configuration, rules, platforms, and who says so. A
/// line each; none for a setup without projects.
pub(super) fn of_setup(
    setups: &Setups<'_>,
    setup: &Setup,
    flags: &JudgementFlags,
    platforms: &[String],
) -> Vec<String> {
    if setup.requests.is_empty() {
        return Vec::new();
    }
    let name = setup.config.as_ref().map(|config| config.source.name());
    let projects = plural(setup.requests.len(), "project");
    let configuration = match (name, &setups.choice) {
        (Some(name), Choice::Nearest) => format!("{name}, the nearest to {projects}"),
        (Some(name), _) if flags.rules.config.is_some() => format!("{name}, by --config"),
        (Some(name), _) => format!("{name}, by COMPOSEFIX_CONFIG"),
        (None, Choice::Nothing) => "none, by --no-config".to_owned(),
        (None, _) => format!("none found for {projects}"),
    };
    let who = match origin(flags, setup, setups.environment) {
        Origin::Flag => "by --platform".to_owned(),
        Origin::Variable => "by COMPOSEFIX_PLATFORM".to_owned(),
        Origin::Config => format!("by {}", name.unwrap_or_default()),
        Origin::Default => "the default".to_owned(),
    };
    let platforms = if platforms.is_empty() { "none".to_owned() } else { platforms.join(", ") };
    let folders: Vec<String> = folders(setups, setup);
    let rules = match folders.as_slice() {
        [] => "the built-in ones".to_owned(),
        folders => format!("the built-in ones, then {}", folders.join(", then ")),
    };
    vec![
        format!("configuration: {configuration}"),
        format!("rules: {rules}"),
        format!("platforms: {platforms}, {who}"),
    ]
}

/// Folders with rules, in the order in which they are laid over each other, and who names each.
fn folders(setups: &Setups<'_>, setup: &Setup) -> Vec<String> {
    let here = &setups.environment.directory;
    let named = |path: PathBuf| relative_name(here, &lexical_clean(&path));
    let config = setup.config.iter().flat_map(|config| {
        let by = config.source.name();
        let folders = config.file.rules_dirs.iter();
        folders.map(move |dir| format!("{} (by {by})", named(config.directory.join(dir))))
    });
    let flags = setups.folders.iter().map(|dir| format!("{} (by --rules)", named(here.join(dir))));
    config.chain(flags).collect()
}

impl Command<'_> {
    /// Tells what `-v` asks for, a line each: what was not judged, what is ignored, then what
    /// counted and what was looked at.
    pub(super) fn say_notes(&mut self, examination: &Examination, output: &OutputFlags) {
        if !output.verbose {
            return;
        }
        let report = &examination.report;
        for row in &report.not_judged {
            let line = report.sources.get(&row.file).map(|s| s.position(row.span.start).line);
            let place = line.map_or_else(|| row.file.clone(), |n| format!("{}:{n}", row.file));
            let service = row.service.as_deref().map(|s| format!("{s}: ")).unwrap_or_default();
            self.say(&format!("not judged: {place}: {service}{}", row.message));
        }
        for (Reported { finding, file, span, .. }, suppression) in report.suppressed() {
            let line = report.sources.get(file).map_or(0, |s| s.position(span.start).line);
            let about = format!("{} {}", finding.service, target_of(finding));
            self.say(&format!(
                "ignored: {file}:{line}: {}: {}: {}",
                about.trim(),
                finding.rule,
                suppression.words()
            ));
        }
        for note in &report.notes {
            self.say(&format!("note: {note}"));
        }
    }
}
