//! `composefix init`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use super::args::{InitFlags, JudgementFlags, OutputFlags, ProjectFlags};
use super::judgement::{Counts, DEFAULT_PLATFORMS};
use super::setups::Choice;
use super::targets::NO_FILE;
use super::{Command, Examined, Exit};
use crate::compose::relative_name;
use crate::config::{NAME, SCHEMA, locate, root_of};
use crate::detect::unused_ignore;
use crate::error::Error;
use crate::finding::Severity;
use crate::host::lexical_clean;
use crate::report::Reported;
use crate::write::{Write, write_all};

/// The reason of an entry until somebody gives a better one.
const REASON: &str = "TODO: why this stays";

impl Command<'_> {
    pub(super) fn init(&mut self, flags: &InitFlags, output: &OutputFlags) -> Result<Exit, Error> {
        let here = self.environment.directory.clone();
        let root = root_of(self.host, &self.environment, &here).unwrap_or(here.clone());
        let path = root.join(NAME);
        let name = relative_name(&here, &path);
        if self.host.kind(&path).is_some() && !flags.diff {
            let message = format!(
                "{name} is there already; edit it, or move it away and run `composefix init` again"
            );
            return Err(Error::Usage { message });
        }
        let mut examined = self.look_at(&root, flags, output)?;
        let report = &mut examined.examination.report;
        report.problems.retain(|problem| problem.message != NO_FILE);
        let whole = report.problems.is_empty();
        let entries = if flags.no_baseline { Vec::new() } else { self.entries(&root, &examined) };
        let platforms = platforms(flags);
        let text = text(&platforms, &entries);
        if flags.diff {
            self.print(&text)?;
        } else {
            let file = Write { path, before: None, after: text.into_bytes() };
            if let Err(error) = write_all(&[file]) {
                return Ok(self.complain(&error));
            }
            if !output.quiet {
                self.say(&format!("created {name}"));
                self.say_next(&platforms, entries.len());
            }
        }
        if whole {
            return Ok(Exit::Success);
        }
        self.say_problems(&examined.examination, output);
        self.say("what could not be checked is not in the file: repair it, or add it to `exclude`");
        Ok(Exit::Error)
    }

    /// Everything below a directory that no configuration of its own speaks of.
    fn look_at(
        &mut self,
        root: &Path,
        flags: &InitFlags,
        output: &OutputFlags,
    ) -> Result<Examined, Error> {
        let project = ProjectFlags { paths: vec![root.to_path_buf()], ..ProjectFlags::default() };
        let judgement = JudgementFlags { platform: platforms(flags), ..JudgementFlags::default() };
        self.examine_by(Choice::Nearest, &project, &judgement, &Counts::default(), output)
    }

    /// An entry for each finding that counts.
    fn entries(&self, root: &Path, examined: &Examined) -> Vec<Entry> {
        let here = &self.environment.directory;
        let findings = examined.examination.report.findings.iter();
        let counting =
            findings.filter(|r| r.suppressed.is_none() && r.finding.rule != unused_ignore::META.id);
        let (mut entries, mut known) = (BTreeSet::new(), BTreeMap::new());
        for Reported { finding, file, .. } in counting {
            let file = lexical_clean(&here.join(file));
            let directory = file.parent().unwrap_or(&file);
            let other = locate(self.host, &self.environment, directory, &mut known);
            // A file outside of the repository cannot be named.
            let Ok(below) = file.strip_prefix(root) else { continue };
            if other.is_some_and(|other| other != root.join(NAME)) {
                continue;
            }
            let target = finding.tree.as_ref().map_or(&finding.mount.target, |tree| &tree.target);
            entries.insert(Entry {
                file: globset::escape(&below.to_string_lossy().replace('\\', "/")),
                service: finding.service.clone(),
                rule: finding.rule,
                target: target.clone(),
                severity: finding.severity,
            });
        }
        entries.into_iter().collect()
    }

    fn say_next(&mut self, platforms: &[String], entries: usize) {
        self.say(&format!("platforms: {}", platforms.join(", ")));
        if entries == 0 {
            self.say("`composefix check` judges by it from now on");
            return;
        }
        let written =
            if entries == 1 { "1 entry".to_owned() } else { format!("{entries} entries") };
        self.say(&format!(
            "{written} under `ignore`: what `composefix check` finds today does not count, what is new does"
        ));
        self.say("next: write in each `reason` why it stays, or take the entry out and run `composefix apply`");
    }
}

/// The words for `platforms`.
fn platforms(flags: &InitFlags) -> Vec<String> {
    let words = flags.platform.iter().map(|word| word.trim());
    let words: Vec<String> = words.filter(|w| !w.is_empty()).map(str::to_owned).collect();
    if words.is_empty() { DEFAULT_PLATFORMS.map(str::to_owned).to_vec() } else { words }
}

/// An entry of the baseline, in the order of the file.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    file: String,
    service: String,
    rule: &'static str,
    target: String,
    severity: Severity,
}

fn text(platforms: &[String], entries: &[Entry]) -> String {
    let mut text = format!("# yaml-language-server: $schema={SCHEMA}\n\n");
    text.push_str("# The platforms of the team, see `composefix list platforms`.\nplatforms:\n");
    for platform in platforms {
        writeln!(text, "  - {}", scalar(platform)).unwrap_or_default();
    }
    if entries.is_empty() {
        return text;
    }
    text.push_str(
        "\n# What `composefix check` found when this file was written. Repair it, or say why it stays.\nignore:\n",
    );
    for Entry { file, service, rule, target, .. } in entries {
        let fields = [("file", file), ("service", service), ("target", target)];
        writeln!(text, "  - rule: {rule}").unwrap_or_default();
        for (key, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
            writeln!(text, "    {key}: {}", scalar(value)).unwrap_or_default();
        }
        writeln!(text, "    reason: {}", scalar(REASON)).unwrap_or_default();
    }
    text
}

/// A text as YAML, without quotes where nothing can be mistaken.
fn scalar(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let word = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    let kept = !["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
        .contains(&text.to_lowercase().as_str());
    if word && kept && text.chars().all(plain) {
        return text.to_owned();
    }
    // JSON strings are YAML.
    serde_json::to_string(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_could_be_something_else_are_quoted() {
        for (text, yaml) in [
            ("/app/node_modules", "/app/node_modules"),
            ("web-1", "web-1"),
            ("1", "\"1\""),
            ("no", "\"no\""),
            ("a: b", "\"a: b\""),
            ("[x].yaml", "\"[x].yaml\""),
            ("", "\"\""),
            ("ü\n", "\"ü\\n\""),
        ] {
            assert_eq!(scalar(text), yaml);
            let back: String = serde_yaml::from_str(yaml).unwrap();
            assert_eq!(back, text);
        }
    }
}
