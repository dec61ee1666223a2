//! `docker` and `podman`.

use std::io::Write as _;

use super::child::Running;
use super::{Answer, Engine, Failure, Interrupt, Shell};

/// Line that ends an answer; its exit code follows.
const MARK: &str = "composefix-end-of-answer";

/// An engine by its program.
#[derive(Debug, Clone)]
pub struct CommandLine {
    program: &'static str,
    interrupt: Interrupt,
}

impl CommandLine {
    /// The programs that are known, best first.
    pub fn all(interrupt: &Interrupt) -> [Self; 2] {
        ["docker", "podman"].map(|program| Self { program, interrupt: interrupt.clone() })
    }
}

impl Engine for CommandLine {
    fn program(&self) -> &str {
        self.program
    }

    fn run(&self, words: &[String]) -> Result<String, Failure> {
        self.run_since(0, words)
    }

    fn clean_up(&self, words: &[String]) -> Result<String, Failure> {
        self.run_since(self.interrupt.count(), words)
    }

    fn open(&self, words: &[String]) -> Result<Box<dyn Shell + '_>, Failure> {
        if self.interrupt.count() > 0 {
            return Err(Failure::Interrupted);
        }
        let running = Running::start(self.program, words, true, &self.interrupt)?;
        Ok(Box::new(OpenShell { running, answered: false, busy: false, ended: false }))
    }
}

impl CommandLine {
    /// Runs a command unless there were more requests to stop than `since`, or come to be.
    fn run_since(&self, since: usize, words: &[String]) -> Result<String, Failure> {
        if self.interrupt.count() > since {
            return Err(Failure::Interrupted);
        }
        let mut running = Running::start(self.program, words, false, &self.interrupt)?;
        let mut text = Vec::new();
        loop {
            match running.line(since) {
                Ok(Some(line)) => text.extend(line),
                Ok(None) => break,
                Err(failure) => {
                    running.kill();
                    return Err(failure);
                }
            }
        }
        match running.end() {
            (Some(0), _) => Ok(String::from_utf8_lossy(&text).trim().to_owned()),
            (code, says) => Err(failed(code, says)),
        }
    }
}

fn failed(code: Option<i32>, says: String) -> Failure {
    let says = match (says.is_empty(), code) {
        (false, _) => says,
        (true, Some(code)) => format!("it ended with exit code {code} and said nothing"),
        (true, None) => "it was ended from outside".to_owned(),
    };
    Failure::Failed { code, says }
}

struct OpenShell {
    running: Running,
    /// It has answered before: its container exists.
    answered: bool,
    /// It is at a step whose answer nobody waits for any more.
    busy: bool,
    ended: bool,
}

impl OpenShell {
    /// Reads up to the mark.
    fn answer(&mut self, since: usize) -> Result<Answer, Failure> {
        let mut text = Vec::new();
        while let Some(line) = self.running.line(since)? {
            let shown = String::from_utf8_lossy(&line);
            if let Some(code) = shown.trim().strip_prefix(MARK) {
                self.answered = true;
                self.busy = false;
                let text = String::from_utf8_lossy(&text).trim().to_owned();
                return Ok(Answer { code: code.trim().parse().unwrap_or(-1), text });
            }
            text.extend(line);
        }
        self.ended = true;
        let (code, says) = self.running.end();
        Err(failed(code.filter(|code| *code != 0), says))
    }
}

impl Shell for OpenShell {
    fn ask(&mut self, script: &str) -> Result<Answer, Failure> {
        let text = format!("{{ {script}\n}} </dev/null 2>&1\nprintf '\\n%s %s\\n' {MARK} $?\n");
        self.busy = true;
        let written = self
            .running
            .stdin
            .as_mut()
            .map(|stdin| stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()));
        // One that has ended cannot be written to; why it ended is with its output.
        let _: Option<bool> = written.map(|written| written.is_ok());
        self.answer(0)
    }

    fn close(&mut self) {
        if self.ended {
            return;
        }
        self.ended = true;
        if self.busy && !self.answered {
            // The engine may be about to create the container. Once that answers, or cannot be
            // started, there is nothing to come that a clean-up would not see.
            self.answer(1).ok();
        }
        if self.busy {
            self.running.kill();
        } else {
            self.running.end();
        }
    }
}

impl Drop for OpenShell {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_request_to_stop_only_clean_ups_run() {
        let interrupt = Interrupt::default();
        let missing = CommandLine { program: "no-such-engine", interrupt: interrupt.clone() };
        let not_there = || Failure::Missing("no-such-engine".to_owned());
        assert_eq!(missing.run(&[]), Err(not_there()));
        interrupt.raise();
        assert_eq!(missing.run(&[]), Err(Failure::Interrupted));
        assert_eq!(missing.open(&[]).err(), Some(Failure::Interrupted));
        assert_eq!(missing.clean_up(&[]), Err(not_there()));
    }

    /// `sh` reads its script from standard input just as a container's shell does.
    #[cfg(unix)]
    #[test]
    fn a_shell_answers_each_script_with_its_code() {
        let interrupt = Interrupt::default();
        let engine = CommandLine { program: "sh", interrupt: interrupt.clone() };
        let mut shell = engine.open(&["-s".to_owned()]).unwrap();
        let answer = |code, text: &str| Ok(Answer { code, text: text.to_owned() });
        assert_eq!(shell.ask("echo a; echo b >&2"), answer(0, "a\nb"));
        assert_eq!(shell.ask("cat; printf c; false"), answer(1, "c"), "its input is empty");
        assert_eq!(shell.ask("x=1"), answer(0, ""));
        assert_eq!(shell.ask("echo $x"), answer(0, "1"));
        let Err(Failure::Failed { code, says }) = shell.ask("exit 3") else { panic!("it ended") };
        assert_eq!((code, says.as_str()), (Some(3), "it ended with exit code 3 and said nothing"));
        shell.close();

        let mut shell = engine.open(&["-s".to_owned()]).unwrap();
        shell.ask(":").unwrap();
        interrupt.raise();
        let start = std::time::Instant::now();
        assert_eq!(shell.ask("sleep 30"), Err(Failure::Interrupted));
        shell.close();
        assert!(start.elapsed().as_secs() < 10, "a step that nobody waits for is not waited for");
    }
}
