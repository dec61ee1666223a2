//! `composefix check`.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use super::args::{CheckFlags, ColourChoice, Format, FormatRequest, OutputFlags, format_request};
use super::judgement::{Counts, least};
use super::repository::real_paths;
use super::setups::{Choice, Setups};
use super::{Command, Exit, targets};
use crate::compose::Request;
use crate::error::Error;
use crate::host::Environment;
use crate::report::text::Style;
use crate::report::visible::visible;
use crate::report::{Report, github, gitlab, json, junit, rdjson, sarif, statistics, text};
use crate::run::{self, Examination};

impl Command<'_> {
    pub(super) fn check(
        &mut self,
        flags: &CheckFlags,
        output: &OutputFlags,
    ) -> Result<Exit, Error> {
        if flags.show_files {
            return self.show_files(flags, output);
        }
        let wanted = wanted(flags, &self.environment)?;
        let counts = Counts {
            full_survey: flags.full_survey,
            show_mounts: flags.show_mounts,
            edits_alone: wanted.iter().any(|request| request.format.has_edits()),
            fail_on: flags.fail_on,
            no_ignores: flags.no_ignores,
            strict_config: flags.strict_config,
            ..Counts::default()
        };
        let mut examined = self.examine(&flags.project, &flags.judgement, &counts, output)?;
        let report = &mut examined.examination.report;
        report.real_paths = real_paths(self.host, &self.environment.directory, report);
        self.report(flags, output, &wanted, &examined.examination)
    }

    /// Prints the names of the files that would be checked.
    fn show_files(&mut self, flags: &CheckFlags, output: &OutputFlags) -> Result<Exit, Error> {
        let environment = &self.environment;
        let rules = &flags.judgement.rules;
        let choice = Choice::of(rules, environment);
        let mut setups = Setups::new(self.host, environment, choice, &rules.directories)?;
        let found = targets::find(&flags.project, &mut setups, &mut *self.stdin, output.verbose)?;
        let Setups { all, mut problems, sources, .. } = setups;
        let requests: Vec<Request> = all.into_iter().flat_map(|setup| setup.requests).collect();
        let (names, unknown) = run::files(self.host, environment, &requests);
        problems.extend(found.problems.into_iter().chain(unknown));
        problems.sort();
        let sources = sources.into_iter().map(|source| (source.name().to_owned(), source));
        let report = Report {
            problems,
            sources: sources.collect(),
            notes: found.notes,
            ..Report::default()
        };
        let lines: Vec<_> = names.iter().flat_map(|name| [visible(name), "\n".into()]).collect();
        self.print(&lines.concat())?;
        let examination = Examination { report, ..Examination::default() };
        self.say_problems(&examination, output);
        self.say_notes(&examination, output);
        Ok(if examination.report.problems.is_empty() { Exit::Success } else { Exit::Error })
    }

    /// Prints every wanted report and decides the exit code.
    fn report(
        &mut self,
        flags: &CheckFlags,
        output: &OutputFlags,
        wanted: &[FormatRequest],
        examination: &Examination,
    ) -> Result<Exit, Error> {
        let report = &examination.report;
        for request in wanted {
            match &request.file {
                None => {
                    let style = self.style(output, self.stdout_is_terminal);
                    self.print(&rendered(report, request.format, style, flags))?;
                }
                Some(file) => {
                    let colour = output.color == ColourChoice::Always;
                    let style = Style { colour, links: false, ..self.style(output, false) };
                    let path = self.environment.directory.join(file);
                    let text = rendered(report, request.format, style, flags);
                    write_report(&path, &text)?;
                }
            }
        }
        if flags.diff {
            self.print_patch(output, &examination.patches)?;
        }
        // Problems that stand on standard output already are not told twice.
        let told = |r: &FormatRequest| r.format.has_problems() && r.file.is_none();
        if flags.statistics || !wanted.iter().any(told) {
            self.say_problems(examination, output);
        }
        self.say_notes(examination, output);
        Ok(match () {
            () if !report.problems.is_empty() => Exit::Error,
            () if report.findings.iter().any(|r| r.fails) && !flags.exit_zero => Exit::Findings,
            () => Exit::Success,
        })
    }
}

fn rendered(report: &Report, format: Format, style: Style, flags: &CheckFlags) -> String {
    let least = least(&flags.judgement);
    match format {
        Format::Json if flags.statistics => statistics::render_json(report, least),
        _ if flags.statistics => statistics::render_text(report, least, style),
        Format::Text => text::render(report, style),
        Format::Json => json::render(report),
        Format::Sarif => sarif::render(report),
        Format::Github => github::render(report),
        Format::Gitlab => gitlab::render(report),
        Format::Junit => junit::render(report),
        Format::Rdjson => rdjson::render(report),
    }
}

/// Straight to the file, which may be a pipe or a device.
fn write_report(path: &Path, text: &str) -> Result<(), Error> {
    File::create(path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| Error::Output { target: path.display().to_string(), error })
}

/// The reports to print: by flag, else by variable, else text. At most one of them goes to standard
/// output.
fn wanted(flags: &CheckFlags, environment: &Environment) -> Result<Vec<FormatRequest>, Error> {
    let usage = |message: &str| Error::Usage { message: message.to_owned() };
    let default = || FormatRequest { format: Format::Text, file: None };
    let mut wanted = flags.format.clone();
    let variable = environment.variables.get("COMPOSEFIX_FORMAT").map(String::as_str);
    if wanted.is_empty() {
        let words = variable.unwrap_or_default().split(',').map(str::trim);
        for word in words.filter(|word| !word.is_empty()) {
            let request = format_request(word)
                .map_err(|message| usage(&format!("COMPOSEFIX_FORMAT: {message}")))?;
            wanted.push(request);
        }
    }
    if let Some(file) = &flags.output {
        if wanted.is_empty() {
            wanted.push(default());
        }
        let mut free = wanted.iter_mut().filter(|request| request.file.is_none());
        match (free.next(), free.next()) {
            (Some(request), None) => request.file = Some(file.clone()),
            (None, _) => return Err(usage("every --format has its own file; -o is one too many")),
            _ => {
                return Err(usage(
                    "-o names one file for several reports; use --format FORMAT=FILE",
                ));
            }
        }
    }
    let other = |r: &&FormatRequest| !matches!(r.format, Format::Text | Format::Json);
    if flags.statistics && wanted.iter().find(other).is_some() {
        return Err(usage("--statistics are text or json; name one of them with --format"));
    }
    if flags.diff {
        // What the user asked for by flag is not dropped in silence.
        if flags.format.iter().any(|r| r.file.is_none()) && flags.output.is_none() {
            return Err(usage(
                "the patch of --diff goes to standard output; give the report a file",
            ));
        }
        wanted.retain(|request| request.file.is_some());
    } else if wanted.is_empty() {
        wanted.push(default());
    }
    if wanted.iter().filter(|request| request.file.is_none()).count() > 1 {
        return Err(usage("only one report can go to standard output; use --format FORMAT=FILE"));
    }
    Ok(wanted)
}

#[cfg(test)]
mod tests;
