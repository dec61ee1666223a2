//! A running program whose outputs are read while something else is waited for.

use std::io::{self, BufRead as _, BufReader, Read};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::{Failure, Interrupt};

/// How often an interruption is looked for.
const TICK: Duration = Duration::from_millis(20);

/// How long a program that has closed its outputs may take to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// What came from a program.
#[derive(Debug)]
pub(super) enum Event {
    /// A line of standard output, its line break included.
    Line(Vec<u8>),
    /// Standard output has ended.
    End,
    /// All of standard error.
    Said(Vec<u8>),
}

/// A program that runs.
pub(super) struct Running {
    child: Child,
    /// None once it is closed.
    pub(super) stdin: Option<ChildStdin>,
    events: Receiver<Event>,
    interrupt: Interrupt,
    said: Vec<u8>,
}

impl Running {
    /// Starts it in a process group of its own: a Ctrl-C is for this program, which decides what
    /// ends and in which order.
    pub(super) fn start(
        program: &str,
        words: &[String],
        with_input: bool,
        interrupt: &Interrupt,
    ) -> Result<Self, Failure> {
        let mut command = Command::new(program);
        let stdin = if with_input { Stdio::piped() } else { Stdio::null() };
        command.args(words).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        apart(&mut command);
        let mut child = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Failure::Missing(program.to_owned()),
            _ => Failure::Failed { code: None, says: format!("cannot run {program}: {error}") },
        })?;
        let (sender, events) = channel();
        if let Some(stdout) = child.stdout.take() {
            let sender = sender.clone();
            thread::spawn(move || lines(stdout, &sender));
        }
        if let Some(mut stderr) = child.stderr.take() {
            thread::spawn(move || {
                let mut bytes = Vec::new();
                stderr.read_to_end(&mut bytes).ok();
                // Nobody listens any more when the run is over.
                sender.send(Event::Said(bytes)).ok();
            });
        }
        let stdin = child.stdin.take();
        Ok(Self { child, stdin, events, interrupt: interrupt.clone(), said: Vec::new() })
    }

    /// The next line of standard output; none at its end. `since` is the number of interruptions
    /// that are known already.
    pub(super) fn line(&mut self, since: usize) -> Result<Option<Vec<u8>>, Failure> {
        loop {
            if self.interrupt.count() > since {
                return Err(Failure::Interrupted);
            }
            match self.events.recv_timeout(TICK) {
                Ok(Event::Line(line)) => return Ok(Some(line)),
                Ok(Event::End) | Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Ok(Event::Said(bytes)) => self.said = bytes,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// How it ended and the last line that it wrote to standard error. It is given time to end after
    /// its output did, then it is killed.
    pub(super) fn end(&mut self) -> (Option<i32>, String) {
        self.stdin = None;
        let status = self.wait();
        let deadline = Instant::now() + PATIENCE;
        while self.said.is_empty() && Instant::now() < deadline {
            match self.events.recv_timeout(TICK) {
                Ok(Event::Said(bytes)) => {
                    self.said = bytes;
                    break;
                }
                Err(RecvTimeoutError::Disconnected) => break,
                _ => {}
            }
        }
        (status.and_then(|status| status.code()), last_line(&self.said))
    }

    /// Waits for its end for a while, then kills it.
    fn wait(&mut self) -> Option<ExitStatus> {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            thread::sleep(TICK);
        }
        self.kill();
        None
    }

    /// Ends it at once.
    pub(super) fn kill(&mut self) {
        self.stdin = None;
        // It may have ended by itself.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn lines(stdout: impl Read, sender: &Sender<Event>) {
    let mut reader = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        let read = reader.read_until(b'\n', &mut line);
        if !matches!(read, Ok(1..)) || sender.send(Event::Line(line)).is_err() {
            break;
        }
    }
    sender.send(Event::End).ok();
}

#[cfg(unix)]
fn apart(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0);
}

#[cfg(windows)]
fn apart(command: &mut Command) {
    use std::os::windows::process::CommandExt as _;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
}

/// The last line that says something. Engines put advice about `--help` below it.
pub(super) fn last_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines().map(str::trim);
    let says = |line: &&str| !line.is_empty() && !line.contains("--help");
    lines.rfind(says).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_what_matters() {
        let text = b"\ndocker: Error response: no.\nSee 'docker run --help'.\n\n";
        assert_eq!(last_line(text), "docker: Error response: no.");
        assert_eq!(last_line(b""), "");
    }

    #[test]
    fn a_program_that_is_not_there_is_told_by_its_name() {
        let started = Running::start("no-such-engine", &[], false, &Interrupt::default());
        let missing = Failure::Missing("no-such-engine".to_owned());
        assert_eq!(started.err(), Some(missing));
    }
}
