//! `composefix apply`.

use std::collections::BTreeSet;

use super::args::{ApplyFlags, ColourChoice, OutputFlags, To};
use super::judgement::{Counts, least};
use super::{Command, Examined, Exit, target_of};
use crate::compose::relative_name;
use crate::error::Error;
use crate::finding::Applicability;
use crate::report::Reported;
use crate::report::diff::{for_people, unified};
use crate::report::text::{Style, plural};
use crate::rewrite::Destination;
use crate::run::{Examination, Left, Patch};
use crate::write::{Write, write_all};

impl Command<'_> {
    pub(super) fn apply(
        &mut self,
        flags: &ApplyFlags,
        output: &OutputFlags,
    ) -> Result<Exit, Error> {
        if flags.diff && flags.to == To::Stdout {
            let message = "--diff and `--to -` both go to standard output; use one of them";
            return Err(Error::Usage { message: message.to_owned() });
        }
        let destination = match &flags.to {
            To::Files(destination) => destination.clone(),
            To::Stdout => Destination::InPlace,
        };
        let counts = Counts { destination, ..Counts::default() };
        let examined = self.examine(&flags.project, &flags.judgement, &counts, output)?;
        self.finish(flags, output, &examined)
    }

    fn finish(
        &mut self,
        flags: &ApplyFlags,
        output: &OutputFlags,
        examined: &Examined,
    ) -> Result<Exit, Error> {
        let Examined { requests, examination } = examined;
        if !examination.report.problems.is_empty() {
            self.say_problems(examination, output);
            self.say("nothing was written");
            return Ok(Exit::Error);
        }
        self.say_notes(examination, output);
        if flags.to == To::Stdout {
            let text = self.rewritten(examined)?;
            self.print(&text)?;
            self.say_left(examination, output);
            return Ok(Exit::Success);
        }
        let patches = &examination.patches;
        if flags.diff {
            self.print_patch(output, patches)?;
            self.say_left(examination, output);
            for hint in examination.hints.iter().filter(|_| !output.quiet) {
                self.say(hint);
            }
            return Ok(if patches.is_empty() { Exit::Success } else { Exit::Findings });
        }
        let is_input =
            |patch: &Patch| requests.iter().any(|request| request.texts.contains_key(&patch.path));
        let in_place = flags.to == To::Files(Destination::InPlace);
        if in_place && requests.iter().any(|request| !request.texts.is_empty())
            || patches.iter().any(is_input)
        {
            let message = "standard input cannot be changed in place; add `--to -` or `--diff`";
            return Err(Error::Usage { message: message.to_owned() });
        }
        if patches.is_empty() {
            if !output.quiet {
                self.say("nothing to change");
            }
            self.say_left(examination, output);
            return Ok(Exit::Success);
        }
        self.write(flags, output, examination)
    }

    /// Shows, asks and writes.
    fn write(
        &mut self,
        flags: &ApplyFlags,
        output: &OutputFlags,
        examination: &Examination,
    ) -> Result<Exit, Error> {
        let patches = &examination.patches;
        if !flags.yes {
            self.print_patch(output, patches)?;
        }
        let least = least(&flags.judgement);
        if !output.quiet {
            for line in fixes(examination, least) {
                self.say(&line);
            }
        }
        self.say_left(examination, output);
        if !flags.yes {
            if !(self.stdin_is_terminal && self.stderr_is_terminal) {
                self.say(
                    "not written: there is no terminal to ask on; --yes writes without asking",
                );
                return Ok(Exit::Findings);
            }
            if !self.ask(&format!("write {}?", plural(patches.len(), "file"))) {
                self.say("not written");
                return Ok(Exit::Findings);
            }
        }
        let files: Vec<Write> = patches.iter().map(as_write).collect();
        if let Err(error) = write_all(&files) {
            return Ok(self.complain(&error));
        }
        if !output.quiet {
            for patch in patches {
                let done = if patch.before.is_some() { "changed" } else { "created" };
                self.say(&format!("{done} {}", patch.name));
            }
            for hint in &examination.hints {
                self.say(hint);
            }
        }
        Ok(Exit::Success)
    }

    /// The whole text of the one input file, changed or not.
    fn rewritten(&self, examined: &Examined) -> Result<String, Error> {
        let Examined { requests, examination } = examined;
        let usage = |message: &str| Error::Usage { message: message.to_owned() };
        let report = &examination.report;
        let several = "`--to -` takes exactly one file; name it";
        let name = match requests.as_slice() {
            [request] => match (request.files.as_slice(), report.files.as_slice()) {
                ([file], _) => {
                    let here = &self.environment.directory;
                    relative_name(here, &crate::host::lexical_clean(&here.join(file)))
                }
                ([], [file]) => file.path.clone(),
                _ => return Err(usage(several)),
            },
            _ => return Err(usage(several)),
        };
        if let Some(other) = examination.patches.iter().find(|patch| patch.name != name) {
            let message =
                format!("`--to -` writes {name} alone, but {} changes as well", other.name);
            return Err(usage(&message));
        }
        if let Some(patch) = examination.patches.first() {
            return Ok(patch.after.clone());
        }
        let source = report.sources.get(&name);
        source.map(|s| s.text().to_owned()).ok_or_else(|| usage("there is no text to write"))
    }

    /// Prints the patch: byte for byte for programs, fit for a terminal for people. Variables that
    /// force colours do not count here, since a patch in a file must stay a patch.
    pub(super) fn print_patch(
        &mut self,
        output: &OutputFlags,
        patches: &[Patch],
    ) -> Result<(), Error> {
        let text = if self.stdout_is_terminal || output.color == ColourChoice::Always {
            let Style { colour, .. } = self.style(output, self.stdout_is_terminal);
            for_people(patches, colour)
        } else {
            unified(patches)
        };
        self.print(&text)
    }

    /// Lists what stays as it is, and why.
    fn say_left(&mut self, examination: &Examination, output: &OutputFlags) {
        if output.quiet {
            return;
        }
        for left in &examination.left {
            let Left { file, line, service, target, reason, .. } = left;
            let about = format!("{service} {target}");
            let colon = if about.trim().is_empty() { "" } else { ": " };
            self.say(&format!("left: {file}:{line}: {}{colon}{reason}", about.trim()));
        }
    }
}

fn as_write(patch: &Patch) -> Write {
    Write {
        path: patch.path.clone(),
        before: patch.before.clone().map(String::into_bytes),
        after: patch.after.clone().into_bytes(),
    }
}

/// What the patches do: the title of each fix, and each note below the first title that has it.
fn fixes(examination: &Examination, least: Applicability) -> Vec<String> {
    let mut lines = Vec::new();
    let mut seen = BTreeSet::new();
    for reported in examination.report.findings.iter().filter(|r| !is_left(examination, r)) {
        let finding = &reported.finding;
        let Some(fix) = finding.fix.as_ref().filter(|fix| fix.applicability >= least) else {
            continue;
        };
        let title = format!("fix: {} {}: {}", finding.service, target_of(finding), fix.title);
        let notes = fix.notes.iter().map(|note| format!("  - {note}"));
        lines.extend(std::iter::once(title).chain(notes).filter(|line| seen.insert(line.clone())));
    }
    lines
}

fn is_left(examination: &Examination, reported: &Reported) -> bool {
    let finding = &reported.finding;
    examination.left.iter().any(|left| {
        left.rule.is_none_or(|rule| rule == finding.rule)
            && left.file == reported.file
            && left.service == finding.service
            && left.target == *target_of(finding)
    })
}

#[cfg(test)]
mod tests;
