//! The command line: flags to a run, a run to words and an exit code.
//!
//! [`Command`] holds everything that a process has, so that a test can run the whole program
//! without one.

mod apply;
mod args;
mod check;
mod closest;
mod completions;
mod explain;
mod judgement;
mod list;
mod manual;
mod targets;
mod terminal;

use std::ffi::OsString;
use std::io::{Read, Write};

use clap::Parser as _;

use crate::compose::Request;
use crate::error::Error;
use crate::host::{Environment, Host};
use crate::rewrite::Destination;
use crate::rules::Rules;
use crate::run::{self, Examination, Session};
use args::{Arguments, ColourChoice, JudgementFlags, OutputFlags, ProjectFlags, RuleFlags, Task};

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
    pub stderr: &'a mut dyn Write,
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
            Task::List(flags) => self.list(flags),
            Task::Explain(flags) => self.explain(flags),
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

    fn rules(&self, flags: &RuleFlags) -> Result<Rules, Error> {
        let here = &self.environment.directory;
        let mut directories = flags.directories.iter();
        directories.try_fold(Rules::builtin()?, |rules, directory| {
            rules.with_directory(self.host, &here.join(directory))
        })
    }

    /// Looks at the projects that the flags name.
    fn examine(
        &mut self,
        project: &ProjectFlags,
        judgement: &JudgementFlags,
        counts: judgement::Counts,
    ) -> Result<Examined, Error> {
        let rules = self.rules(&judgement.rules)?;
        let settings = judgement::settings(judgement, counts, &rules, &self.environment)?;
        let targets =
            targets::find(project, self.host, &self.environment, &rules, &mut *self.stdin)?;
        if matches!(settings.destination, Destination::File(_)) && targets.requests.len() > 1 {
            let message = "`--to FILE` takes the changes of one project; name its files with -f";
            return Err(Error::Usage { message: message.to_owned() });
        }
        let session =
            Session { host: self.host, environment: &self.environment, rules: &rules, settings };
        let mut examination = run::examine(&session, &targets.requests);
        examination.report.problems.extend(targets.problems);
        examination.report.problems.sort();
        examination.report.notes.extend(targets.notes);
        Ok(Examined { requests: targets.requests, examination })
    }

    /// Tells what could not be checked.
    fn say_problems(&mut self, examination: &Examination, output: &OutputFlags) {
        let style = self.style(output, self.stderr_is_terminal);
        self.say_text(&crate::report::text::render_problems(&examination.report, style));
    }

    /// Tells what `-v` asks for.
    fn say_notes(&mut self, examination: &Examination, output: &OutputFlags) {
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
        for note in &report.notes {
            self.say(&format!("note: {note}"));
        }
    }
}

#[cfg(test)]
mod tests;
