//! The container of one measurement, from its start to the proof that it is gone.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::image::Image;
use super::rounds::{Operation, Place};
use super::sample::Sample;
use super::{script, shown, stop};
use crate::engine::{Answer, Engine, Failure, Shell, field};
use crate::error::Error;
use crate::host::Host;

/// Label of everything that is ours; its value is the id of the measurement.
pub(super) const LABEL: &str = "composefix.measure";
const PREFIX: &str = "composefix-measure-";

/// Age in seconds from which what is left of another run is surely left: between its creation and
/// its start a container is as still as a forgotten one.
const OLD: u64 = 3_600;

/// How often a clean-up is tried, and how long it waits before it tries again. An engine that is
/// removing a container already refuses to do it twice.
const ATTEMPTS: usize = 5;
const PAUSE: Duration = Duration::from_millis(200);

/// A running container with a shell.
pub(super) struct Session<'e> {
    engine: &'e dyn Engine,
    id: String,
    shell: Option<Box<dyn Shell + 'e>>,
    ended: bool,
}

impl<'e> Session<'e> {
    /// Starts it. `scratch` is mounted for the write test.
    ///
    /// When this fails nothing is left.
    pub(super) fn start(
        engine: &'e dyn Engine,
        image: &Image,
        tree: &Path,
        scratch: Option<&Path>,
    ) -> Result<Self, Error> {
        let id = new_id();
        let mut session = Self { engine, id, shell: None, ended: false };
        let words = run_words(engine.program(), &session.id, &image.id, tree, scratch);
        let opened = engine.open(&words).and_then(|mut shell| {
            let answer = shell.ask(":");
            session.shell = Some(shell);
            answer
        });
        match opened {
            Ok(_) => Ok(session),
            Err(failure) => {
                session.end()?;
                Err(cannot_start(&failure, image))
            }
        }
    }

    fn ask(&mut self, script: &str) -> Result<Answer, Error> {
        let Some(shell) = &mut self.shell else { return Err(stop("the container has ended")) };
        shell.ask(script).map_err(|failure| match failure {
            Failure::Interrupted => interrupted(),
            other => stop(format!("the container ended before its time: {other}")),
        })
    }

    /// Runs a script that must succeed. `what` says what it does.
    fn must(&mut self, what: &str, script: &str) -> Result<String, Error> {
        let answer = self.ask(script)?;
        if answer.code == 0 {
            return Ok(answer.text);
        }
        let says = answer.text.lines().next().unwrap_or("no reason is given").to_owned();
        Err(stop(format!("cannot {what} in the container: {says}")))
    }

    /// Fails where the image lacks a tool.
    pub(super) fn check_tools(&mut self, image: &str, sampled: bool) -> Result<(), Error> {
        let missing = self.must("look for tools", &script::prepare(sampled))?;
        if missing.is_empty() {
            return Ok(());
        }
        let missing = missing.split_whitespace().collect::<Vec<_>>().join(", ");
        Err(stop(format!("the image {image} lacks {missing}; {ANOTHER}")))
    }

    /// Fails where the bind shows another directory than the one that was counted.
    pub(super) fn check_tree(&mut self, host: &dyn Host, tree: &Path) -> Result<(), Error> {
        let mut here = 0_u64;
        let count = host.scan(tree, false, &mut |_, _| {
            here += 1;
            ControlFlow::Continue(())
        });
        count.map_err(|error| stop(format!("cannot read {}: {error}", shown(tree))))?;
        let seen = self.must("read the tree", &script::count_names())?;
        if seen == here.to_string() {
            return Ok(());
        }
        Err(stop(format!(
            "{} has {here} entries here and {seen} in the container: the engine sees a directory of \
             another machine, or the tree is being changed",
            shown(tree)
        )))
    }

    /// True where the directory for the write test is really the one of the host.
    pub(super) fn sees_mark(&mut self, mark: &str) -> Result<bool, Error> {
        Ok(self.ask(&script::has_mark(mark))?.code == 0)
    }

    /// Puts what is measured into the volume.
    pub(super) fn copy(&mut self, sample: &Sample) -> Result<(), Error> {
        let units = sample.units.iter().flatten().map(std::path::PathBuf::as_path);
        for script in script::list(units) {
            self.must("write a list", &script)?;
        }
        self.must("copy the tree", &script::copy()).map(drop)
    }

    /// Times some passes of an operation: seconds for all of them, in steps of 0.01.
    pub(super) fn time(
        &mut self,
        operation: Operation,
        place: Place,
        passes: u64,
    ) -> Result<f64, Error> {
        let what = format!("time the {}", operation.words());
        let text = self.must(&what, &script::timed(operation, place, passes))?;
        if operation == Operation::Write {
            self.must("remove what was written", &script::wipe())?;
        }
        seconds(&text).ok_or_else(|| stop(format!("cannot {what}: the clock says `{text}`")))
    }

    /// Ends the container and makes sure that nothing of it is left.
    pub(super) fn end(&mut self) -> Result<(), Error> {
        if self.ended {
            return Ok(());
        }
        self.ended = true;
        if let Some(mut shell) = self.shell.take() {
            shell.close();
        }
        let mut last = String::new();
        for attempt in 0..ATTEMPTS {
            if attempt > 1 {
                std::thread::sleep(PAUSE);
            }
            match self.remove() {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(failure) => last = format!(": {failure}"),
            }
        }
        let program = self.engine.program();
        Err(stop(format!(
            "the container of this measurement may still be there{last}; \
             `{program} rm --force --volumes {PREFIX}{}` removes it",
            self.id
        )))
    }

    /// Removes what is there. True when nothing was.
    fn remove(&self) -> Result<bool, Failure> {
        let label = format!("label={LABEL}={}", self.id);
        let list = ["ps", "--all", "--quiet", "--filter", &label].map(str::to_owned);
        let found = self.engine.clean_up(&list)?;
        if found.is_empty() {
            return Ok(true);
        }
        let words = ["rm", "--force", "--volumes"].into_iter().chain(found.split_whitespace());
        self.engine.clean_up(&words.map(str::to_owned).collect::<Vec<_>>())?;
        Ok(false)
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        // Whoever wants to know has called it before.
        self.end().ok();
    }
}

/// What to do about an image that does not do.
pub(super) const ANOTHER: &str =
    "name another one with --image, such as alpine or busybox, that is on this machine";

/// What is said after a Ctrl-C.
pub(super) fn interrupted() -> Error {
    stop("interrupted; nothing of the measurement is left")
}

fn cannot_start(failure: &Failure, image: &Image) -> Error {
    match failure {
        Failure::Interrupted => interrupted(),
        // What engines end with when they cannot run the command itself.
        Failure::Failed { code: Some(126 | 127), says } => stop(format!(
            "the image {} cannot run `sh`, which the measurement needs ({says}); {ANOTHER}",
            image.name
        )),
        other => stop(format!("cannot start a container of {}: {other}", image.name)),
    }
}

/// The command that starts the container. It can do as little as possible: it has no network, no
/// rights but to read any file, and writes to nothing but its volume and the scratch directory.
fn run_words(
    program: &str,
    id: &str,
    image: &str,
    tree: &Path,
    scratch: Option<&Path>,
) -> Vec<String> {
    let bind = |source: &Path, target: &str| {
        let source = field("source", &source.to_string_lossy());
        format!("type=bind,{source},target={target}")
    };
    // Podman refuses it. There the container's label must do: they are removed together.
    let label =
        if program == "docker" { format!(",volume-label={LABEL}={id}") } else { String::new() };
    let volume = format!("type=volume,target={}{label}", script::VOLUME);
    let mut words = vec![
        "run".to_owned(),
        "--rm".to_owned(),
        "--interactive".to_owned(),
        format!("--name={PREFIX}{id}"),
        format!("--label={LABEL}={id}"),
    ];
    let fixed = [
        "--pull=never",
        "--network=none",
        "--no-healthcheck",
        "--read-only",
        "--user=0:0",
        "--cap-drop=ALL",
        "--cap-add=DAC_OVERRIDE",
        "--security-opt=no-new-privileges",
        // Without it SELinux would want the project's files relabelled.
        "--security-opt=label=disable",
        "--entrypoint=sh",
    ];
    words.extend(fixed.map(str::to_owned));
    words.push(format!("--mount={},readonly", bind(tree, script::TREE)));
    words.push(format!("--mount={volume}"));
    words.extend(scratch.map(|scratch| format!("--mount={}", bind(scratch, script::SCRATCH))));
    words.extend([image.to_owned(), "-s".to_owned()]);
    words
}

/// Starts with the second of its making, so that old ones can be told.
fn new_id() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}-{:x}", now.as_secs(), std::process::id(), now.subsec_nanos())
}

/// Removes containers of measurements that never ran or have ended, an hour old or more. `--rm` lets
/// few remain; whatever fails here is no reason not to measure.
pub(super) fn remove_leftovers(engine: &dyn Engine) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let label = format!("label={LABEL}");
    let words = [
        "ps",
        "--all",
        "--filter",
        &label,
        "--filter",
        "status=created",
        "--filter",
        "status=exited",
        "--format",
        "{{.Names}}",
    ];
    let Ok(names) = engine.run(&words.map(str::to_owned)) else { return };
    for name in names.lines().map(str::trim).filter(|name| is_old(name, now)) {
        // Without --force: an engine never removes a running container like this.
        engine.run(&["rm", "--volumes", name].map(str::to_owned)).ok();
    }
}

/// True for a name that a measurement gave, long enough ago.
fn is_old(name: &str, now: u64) -> bool {
    let made = name.strip_prefix(PREFIX).and_then(|id| id.split('-').next()?.parse::<u64>().ok());
    made.is_some_and(|made| made + OLD < now)
}

/// The difference between two readings of the clock, which stand on the last line.
fn seconds(text: &str) -> Option<f64> {
    let line = text.lines().last()?;
    let (before, after) = line.split_once(' ')?;
    let (before, after): (f64, f64) = (before.parse().ok()?, after.parse().ok()?);
    (after >= before).then_some(after - before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_container_can_do_little_and_any_path_is_one_word() {
        let tree = Path::new("/home/me/a \"b\", c\nd/node_modules");
        let words = run_words("docker", "1-2-3", "sha256:ab", tree, Some(Path::new("/tmp/s")));
        for word in [
            "--network=none",
            "--rm",
            "--pull=never",
            "--read-only",
            "--label=composefix.measure=1-2-3",
        ] {
            assert!(words.iter().any(|own| own == word), "{word}: {words:?}");
        }
        let mounts: Vec<&str> =
            words.iter().filter_map(|word| word.strip_prefix("--mount=")).collect();
        assert_eq!(
            mounts,
            [
                "type=bind,\"source=/home/me/a \"\"b\"\", c\nd/node_modules\",\
                 target=/composefix/tree,readonly",
                "type=volume,target=/composefix/volume,volume-label=composefix.measure=1-2-3",
                "type=bind,source=/tmp/s,target=/composefix/scratch",
            ]
        );
        assert_eq!(words[words.len() - 2..], ["sha256:ab", "-s"]);
        let podman = run_words("podman", "1-2-3", "sha256:ab", tree, None);
        assert!(!podman.iter().any(|word| word.contains("volume-label")), "{podman:?}");
    }

    #[test]
    fn only_old_names_of_our_own_are_leftovers() {
        for (name, old) in [
            ("composefix-measure-1000-7-ff", true),
            ("composefix-measure-9000-7-ff", false),
            ("composefix-measure-x", false),
            ("composefix-measure-", false),
            ("other-1000-7-ff", false),
        ] {
            assert_eq!(is_old(name, 10_000), old, "{name}");
        }
    }

    #[test]
    fn the_clock_is_read_off_the_last_line() {
        assert_eq!(seconds("find: x\n10.25 11.50"), Some(1.25));
        assert_eq!(seconds("10.25 10.25"), Some(0.0));
        for text in ["", "10.25", "11 10", "a b"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
