//! The user's own container engine, through its command line.
//!
//! Only `measure` uses it. Commands are lists of words, so nothing that a file or a name says is
//! ever read by a shell. [`Engine`] is what the rest of the program sees; [`CommandLine`] runs
//! `docker` or `podman`, tests use a scripted one.

mod child;
mod command_line;
#[cfg(test)]
pub(crate) mod scripted;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

pub use command_line::CommandLine;

/// A container engine.
pub trait Engine {
    /// The program that speaks to it, as a user types it: `docker`.
    fn program(&self) -> &str;

    /// Runs a command to its end: what it prints on standard output, without blanks at its ends.
    ///
    /// # Errors
    /// See [`Failure`]. Nothing is run once the user has asked to stop.
    fn run(&self, words: &[String]) -> Result<String, Failure>;

    /// The same for a clean-up: only the next request to stop ends it.
    ///
    /// # Errors
    /// See [`Failure`].
    fn clean_up(&self, words: &[String]) -> Result<String, Failure>;

    /// Runs a command that reads a script for `sh` from standard input, such as `run -i`.
    ///
    /// # Errors
    /// See [`Failure`]. A command that ends at once is noticed by the first [`Shell::ask`].
    fn open(&self, words: &[String]) -> Result<Box<dyn Shell + '_>, Failure>;
}

/// A shell in a container. It ends when its standard input does, so it outlives this process by no
/// more than the step that it is at.
pub trait Shell {
    /// Runs a script and waits for its end. Its standard input is empty; both of its outputs are in
    /// the answer.
    ///
    /// # Errors
    /// See [`Failure`]. The shell is of no use afterwards.
    fn ask(&mut self, script: &str) -> Result<Answer, Failure>;

    /// Ends the standard input and waits until the command has ended. One that is still at a step is
    /// not waited for.
    fn close(&mut self);
}

/// What a script in a container came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Exit code of its last command.
    pub code: i32,
    /// What it printed, without blanks at its ends.
    pub text: String,
}

/// Why a command brought nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The program is not there.
    #[error("`{0}` is not on the PATH")]
    Missing(String),
    /// The command ended with an error.
    #[error("{says}")]
    Failed {
        /// Its exit code; none where a signal ended it.
        code: Option<i32>,
        /// What it said last, or what the system said; one line.
        says: String,
    },
}

/// Whether, and how often, the user asked to stop.
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    flag: Arc<AtomicBool>,
    seen: Arc<AtomicUsize>,
}

impl Interrupt {
    /// Listens to the signals that ask a process to stop. From then on they only count.
    ///
    /// # Errors
    /// What the system says.
    pub fn listen() -> std::io::Result<Self> {
        let interrupt = Self::default();
        #[cfg(unix)]
        let signals = {
            use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
            [SIGINT, SIGTERM, SIGHUP]
        };
        #[cfg(not(unix))]
        let signals = [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM];
        for signal in signals {
            signal_hook::flag::register(signal, Arc::clone(&interrupt.flag))?;
        }
        Ok(interrupt)
    }

    /// How many times so far.
    pub fn count(&self) -> usize {
        if self.flag.swap(false, Ordering::SeqCst) {
            self.seen.fetch_add(1, Ordering::SeqCst);
        }
        self.seen.load(Ordering::SeqCst)
    }

    /// Asks to stop, as the signal does.
    pub fn raise(&self) {
        self.flag.store(true, Ordering::SeqCst);
    }
}

/// A field of a comma-separated list such as that of `--mount`, quoted as RFC 4180 has it.
pub fn field(key: &str, value: &str) -> String {
    let text = format!("{key}={value}");
    if text.contains([',', '"', '\n', '\r']) || text.starts_with(' ') {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_hold_any_name() {
        for (value, text) in [
            ("/a b", "source=/a b"),
            ("/a,b", "\"source=/a,b\""),
            ("/a\"b", "\"source=/a\"\"b\""),
            ("/a\nb", "\"source=/a\nb\""),
            ("/a'$(b)`", "source=/a'$(b)`"),
        ] {
            assert_eq!(field("source", value), text);
        }
    }

    #[test]
    fn interruptions_are_counted_once_each() {
        let interrupt = Interrupt::default();
        assert_eq!(interrupt.count(), 0);
        interrupt.raise();
        let other = interrupt.clone();
        assert_eq!((other.count(), interrupt.count()), (1, 1));
        other.raise();
        assert_eq!(interrupt.count(), 2);
    }
}
