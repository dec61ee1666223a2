//! `composefix measure`.

use std::path::{Path, PathBuf};

use super::args::{JudgementFlags, ListFormat, MeasureFlags, OutputFlags};
use super::judgement::Counts;
use super::{Command, Examined, Exit};
use crate::compose::{Project, relative_name, resolve};
use crate::engine::{CommandLine, Engine, Failure, Interrupt};
use crate::error::Error;
use crate::host::{EntryKind, lexical_clean};
use crate::machine::{Answer, detect};
use crate::measure::subject::{Choice, Subject, choose};
use crate::measure::{Options, Record, Task, measure, render_json, render_text};
use crate::report::visible::visible;

impl Command<'_> {
    pub(super) fn measure(
        &mut self,
        flags: &MeasureFlags,
        output: &OutputFlags,
    ) -> Result<Exit, Error> {
        let Some(subjects) = self.subjects(flags, output)? else { return Ok(Exit::Error) };
        let choice = choose(subjects, flags.service.as_deref(), flags.tree.as_deref());
        let Choice { subject, others } = choice.map_err(stop)?;
        let options = Options {
            image: flags.image.clone(),
            runs: usize::from(flags.runs),
            scratch: self.scratch(flags, &subject)?,
        };
        let platforms = self.platforms_of(flags, &subject)?;
        let interrupt = Interrupt::listen()
            .map_err(|error| stop(format!("cannot listen to Ctrl-C: {error}")))?;
        let (engine, version) = answering(CommandLine::all(&interrupt))?;
        let version = format!("{} {version}", engine.program());
        let (host, shows) = (self.host, self.stderr_is_terminal && !output.quiet);
        let task = Task { engine: &engine, host, subject: &subject, options: &options };
        let measured = measure(&task, &mut |step| {
            if shows {
                self.say_text(&format!("\r\u{1b}[K{}", visible(step)));
            }
        });
        if shows {
            self.say_text("\r\u{1b}[K");
        }
        let measurement = measured?;
        let record = Record {
            engine: &version,
            platforms: &platforms,
            subject: &subject,
            others: &others,
            measurement: &measurement,
        };
        self.print(&match flags.format {
            ListFormat::Text => render_text(&record, output.quiet),
            ListFormat::Json => render_json(&record),
        })?;
        Ok(Exit::Success)
    }

    /// Every tree that could be measured: what the rules find on any platform, ignored or not. None
    /// when something could not be checked, which is then said.
    fn subjects(
        &mut self,
        flags: &MeasureFlags,
        output: &OutputFlags,
    ) -> Result<Option<Vec<Subject>>, Error> {
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
        let judgement = JudgementFlags {
            platform: words(&["all"]),
            select: words(&["slow-tree", "slow-writes"]),
            rules: flags.rules.clone(),
            ..JudgementFlags::default()
        };
        let counts = Counts { full_survey: true, no_ignores: true, ..Counts::default() };
        let Examined { requests, examination } =
            self.examine(&flags.project, &judgement, &counts, output)?;
        if !examination.report.problems.is_empty() {
            self.say_problems(&examination, output);
            return Ok(None);
        }
        let resolved =
            requests.iter().map(|one| resolve(self.host, &self.environment, one).project);
        let projects: Vec<Project> = resolved.filter_map(Result::ok).collect();
        let here = &self.environment.directory;
        let reads = |project: &&Project, file: &str| {
            project.files.iter().any(|own| relative_name(here, &own.path) == file)
        };
        let found = examination.report.findings.iter().filter_map(|reported| {
            let file = reported.file.as_str();
            let mut readers = projects.iter().filter(|project| reads(project, file));
            readers.find_map(|project| Subject::of(&reported.finding, file, project))
        });
        Ok(Some(found.collect()))
    }

    /// The directory of `--scratch`, if it is one and not the project's.
    fn scratch(&self, flags: &MeasureFlags, subject: &Subject) -> Result<Option<PathBuf>, Error> {
        let Some(named) = &flags.scratch else { return Ok(None) };
        let path = lexical_clean(&self.environment.directory.join(named));
        if self.host.target_kind(&path) != Some(EntryKind::Directory) {
            return Err(stop(format!("--scratch: {} is no directory", named.display())));
        }
        let real = |path: &Path| self.host.canonical(path).unwrap_or_else(|_| path.to_path_buf());
        let inside = [&subject.project, &subject.host];
        if inside.into_iter().any(|own| real(&path).starts_with(real(own))) {
            return Err(stop(format!(
                "--scratch: {} belongs to the project, which is never written to; name a directory \
                 outside of it",
                named.display()
            )));
        }
        Ok(Some(path))
    }

    /// Which platforms this machine may be for the project.
    ///
    /// # Errors
    /// [`Error::Measure`] where its engine runs on another machine: a bind would show directories of
    /// that one.
    fn platforms_of(&self, flags: &MeasureFlags, subject: &Subject) -> Result<Vec<String>, Error> {
        let rules = self.rules(&flags.rules)?;
        match detect(self.host, &self.environment, &rules, &subject.project).answer {
            Answer::Remote { reason } => Err(stop(format!(
                "{reason}, and a bind mount there would show directories of that machine; choose an \
                 engine of this machine, by `docker context use` for example"
            ))),
            answer => Ok(answer.platforms().to_vec()),
        }
    }
}

fn stop(message: impl Into<String>) -> Error {
    Error::Measure { message: message.into() }
}

/// The first engine that answers, with its version.
fn answering<E: Engine>(engines: impl IntoIterator<Item = E>) -> Result<(E, String), Error> {
    let mut failures = Vec::new();
    for engine in engines {
        match version(&engine) {
            Ok(version) => return Ok((engine, version)),
            Err(Failure::Interrupted) => return Err(stop("interrupted")),
            Err(failure @ Failure::Missing(_)) => failures.push(failure.to_string()),
            Err(failure) => failures.push(format!("{}: {failure}", engine.program())),
        }
    }
    Err(stop(format!(
        "no container engine answers ({}); start one, Docker Desktop for example, and try again",
        failures.join("; ")
    )))
}

/// The version of an engine that runs Linux containers.
fn version(engine: &dyn Engine) -> Result<String, Failure> {
    let format = if engine.program() == "podman" {
        "linux {{.Version.Version}}"
    } else {
        "{{.OSType}} {{.ServerVersion}}"
    };
    let failed = |says: &str| Failure::Failed { code: Some(0), says: says.to_owned() };
    let answer = engine.run(&["info", "--format", format].map(str::to_owned))?;
    match answer.split_once(' ') {
        Some(("linux", version)) if !version.is_empty() => Ok(version.to_owned()),
        Some(("windows", _)) => Err(failed("it runs Windows containers")),
        _ => Err(failed("it does not say its version, so it seems not to run")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::scripted::Scripted;

    #[test]
    fn the_first_engine_that_answers_is_taken() {
        let silent = || Scripted::new().answering("info", Err(Failure::Missing("docker".into())));
        let (_, version) = answering([silent(), Scripted::new()]).unwrap();
        assert_eq!(version, "1.0");
        for (info, says) in [
            (Err(Failure::Missing("docker".to_owned())), "`docker` is not on the PATH"),
            (Ok("windows 1.0".to_owned()), "docker: it runs Windows containers"),
            (Ok(String::new()), "docker: it does not say its version"),
            (
                Err(Failure::Failed { code: Some(1), says: "Cannot connect".to_owned() }),
                "docker: Cannot connect); start one",
            ),
            (Err(Failure::Interrupted), "interrupted"),
        ] {
            let error = answering([Scripted::new().answering("info", info)]).map(|_| ());
            let error = error.unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
