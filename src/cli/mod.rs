//! The command line: flags to a run, a run to words and an exit code.
//!
//! [`Command`] holds everything that a process has, so that a test can run the whole program
//! without one.

mod apply;
mod args;
mod check;
mod completions;
mod explain;
mod init;
mod judgement;
mod links;
mod list;
mod manual;
mod measure;
mod meter;
mod notes;
mod platform;
mod repository;
mod setups;
mod targets;
mod terminal;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::time::Instant;

use clap::Parser as _;

use crate::compose::Request;
use crate::error::Error;
use crate::finding::Finding;
use crate::host::{Environment, Host};
use crate::progress::{Progress, Silent};
use crate::rewrite::Destination;
use crate::rules::Rules;
use crate::run::{self, Examination, Session};
use args::{Arguments, ColourChoice, JudgementFlags, OutputFlags, ProjectFlags, RuleFlags, Task};
use judgement::Failure;
use meter::Meter;
use setups::{Choice, Setups};

/// How a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// `check`: nothing at or above `--fail-on`. `apply`: everything it may write is written.
    Success,
    /// `check`: findings at or above `--fail-on`. `apply`: there is a patch and it was not written.
    Findings,
    /// Something could not be checked or written; no Compose file was changed.
    Error,
}

impl Exit {
    /// The number that the process ends with.
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Findings => 1,
            Self::Error => 2,
        }
    }
}

/// The program with all that it touches.
pub struct Command<'a> {
    /// Standard input.
    pub stdin: &'a mut dyn Read,
    /// Standard output: the report or the patch, nothing else.
    pub stdout: &'a mut dyn Write,
    /// Standard error: everything else.
    pub stderr: &'a mut (dyn Write + Send),
    /// A person types on standard input.
    pub stdin_is_terminal: bool,
    /// A person reads standard output.
    pub stdout_is_terminal: bool,
    /// A person reads standard error.
    pub stderr_is_terminal: bool,
    /// Variables, working directory, home.
    pub environment: Environment,
    /// The file system that projects are read from.
    pub host: &'a dyn Host,
}

/// What was asked to be examined, and what came out.
struct Examined {
    requests: Vec<Request>,
    examination: Examination,
}

impl Command<'_> {
    /// Runs the program; the first argument is its own name.
    pub fn main(&mut self, arguments: impl Iterator<Item = OsString>) -> Exit {
        let done = match Arguments::try_parse_from(arguments) {
            Ok(arguments) => self.run(&arguments),
            Err(error) => self.show_usage(&error),
        };
        done.unwrap_or_else(|error| self.complain(&error))
    }

    fn run(&mut self, arguments: &Arguments) -> Result<Exit, Error> {
        let output = &arguments.output;
        match &arguments.task {
            Task::Check(flags) => self.check(flags, output),
            Task::Apply(flags) => self.apply(flags, output),
            Task::Platform(flags) => self.platform(flags, output),
            Task::Measure(flags) => self.measure(flags, output),
            Task::List(flags) => self.list(flags),
            Task::Explain(flags) => self.explain(flags, output),
            Task::Init(flags) => self.init(flags, output),
            Task::Completions(flags) => self.completions(flags),
            Task::Man(flags) => self.manual(flags),
        }
    }

    /// Help and version are answers; anything else that clap says is about a wrong flag.
    fn show_usage(&mut self, error: &clap::Error) -> Result<Exit, Error> {
        let wrong = error.use_stderr();
        let is_terminal = if wrong { self.stderr_is_terminal } else { self.stdout_is_terminal };
        let variables = &self.environment.variables;
        let text = if terminal::colour(ColourChoice::Auto, variables, is_terminal) {
            error.render().ansi().to_string()
        } else {
            error.render().to_string()
        };
        if wrong {
            self.say_text(&text);
            return Ok(Exit::Error);
        }
        self.print(&text)?;
        Ok(Exit::Success)
    }

    fn complain(&mut self, error: &dyn std::error::Error) -> Exit {
        self.say(&format!("error: {error}"));
        Exit::Error
    }

    /// What is known in the working directory.
    fn rules(&self, flags: &RuleFlags) -> Result<Rules, Error> {
        let choice = Choice::of(flags, &self.environment);
        Setups::new(self.host, &self.environment, choice, &flags.directories)?.rules_here()
    }

    /// Looks at the projects that the flags name.
    fn examine(
        &mut self,
        project: &ProjectFlags,
        judgement: &JudgementFlags,
        counts: &judgement::Counts,
        output: &OutputFlags,
    ) -> Result<Examined, Error> {
        let choice = Choice::of(&judgement.rules, &self.environment);
        self.examine_by(choice, project, judgement, counts, output)
    }

    /// The same by a chosen configuration.
    fn examine_by(
        &mut self,
        choice: Choice,
        project: &ProjectFlags,
        judgement: &JudgementFlags,
        counts: &judgement::Counts,
        output: &OutputFlags,
    ) -> Result<Examined, Error> {
        let begin = Instant::now();
        let clock = || begin.elapsed();
        let watched = self.is_watched(output);
        let environment = &self.environment;
        let mut setups = Setups::new(self.host, environment, choice, &judgement.rules.directories)?;
        let found = targets::find(project, &mut setups, &mut *self.stdin, output.verbose)?;
        if !(setups.problems.is_empty() && found.problems.is_empty()) {
            // What was not looked at may be what an entry speaks of.
            for setup in &mut setups.all {
                setup.everything = false;
            }
        }
        let mut asides = BTreeSet::new();
        let mut auto = |rules: &Rules| {
            let found = platform::auto(project, self.host, environment, rules)?;
            asides.extend(found.notes.into_iter().map(|note| format!("note: {note}")));
            Ok(found.platforms)
        };
        let meter = watched.then(|| Meter::new(&mut *self.stderr, &environment.directory, &clock));
        let progress: &dyn Progress = meter.as_ref().map_or(&Silent, |meter| meter);
        let mut notes = Vec::new();
        let judged = judge(&mut setups, judgement, counts, &mut auto, (progress, &mut notes))?;
        drop(meter);
        let Examined { mut examination, requests } = judged;
        let Setups { mut problems, mut sources, .. } = setups;
        let report = &mut examination.report;
        problems.extend(found.problems);
        for (problem, source) in found.doubts {
            if counts.strict_config {
                problems.push(problem);
                sources.push(source);
            } else {
                asides.insert(format!("warning: {}", setups::one_line(&problem, Some(&source))));
            }
        }
        if !problems.is_empty() {
            examination.patches.clear();
        }
        report.problems.extend(problems);
        report.problems.sort();
        notes.extend(found.notes);
        notes.append(&mut report.notes);
        report.notes = notes;
        let named = sources.into_iter().map(|source| (source.name().to_owned(), source));
        report.sources.extend(named);
        for line in asides.iter().filter(|_| !output.quiet) {
            self.say(line);
        }
        Ok(Examined { requests, examination })
    }

    /// Tells what could not be checked.
    fn say_problems(&mut self, examination: &Examination, output: &OutputFlags) {
        let style = self.style(output, self.stderr_is_terminal);
        self.say_text(&crate::report::text::render_problems(&examination.report, style));
    }
}

/// Judges the projects of each setup by its own settings. One whose configuration does not hold
/// is left out.
fn judge(
    setups: &mut Setups<'_>,
    judgement: &JudgementFlags,
    counts: &judgement::Counts,
    auto: &mut judgement::Auto<'_>,
    (progress, notes): (&dyn Progress, &mut Vec<String>),
) -> Result<Examined, Error> {
    let (host, environment) = (setups.host, setups.environment);
    let mut sessions = Vec::new();
    for setup in &setups.all {
        match judgement::settings(judgement, counts, setup, environment, auto) {
            Ok(settings) => {
                notes.extend(notes::of_setup(setups, setup, judgement, &settings.platforms));
                let session = Session { host, environment, rules: &setup.rules, settings };
                sessions.push((session, setup.requests.as_slice()));
            }
            Err(Failure::Usage(error)) => return Err(error),
            Err(Failure::Config(problem)) => {
                setups.problems.push(problem);
                let config = setup.config.as_ref();
                setups.sources.extend(config.map(|config| config.source.clone()));
            }
        }
    }
    let requests: Vec<Request> =
        sessions.iter().flat_map(|(_, requests)| *requests).cloned().collect();
    if matches!(counts.destination, Destination::File(_)) && requests.len() > 1 {
        let message = "`--to FILE` takes the changes of one project; name its files with -f";
        return Err(Error::Usage { message: message.to_owned() });
    }
    let work: Vec<(&Session<'_>, &[Request])> =
        sessions.iter().map(|(session, requests)| (session, *requests)).collect();
    Ok(Examined { requests, examination: run::examine_all(&work, progress) })
}

/// The container path that a finding is about.
fn target_of(finding: &Finding) -> &String {
    finding.tree.as_ref().map_or(&finding.mount.target, |tree| &tree.target)
}

#[cfg(test)]
mod tests;
