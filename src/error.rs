//! What can be wrong with input, as values.
//!
//! A [`Problem`] concerns one file and does not stop the others. [`Error`] is for what makes the
//! run itself impossible.

mod closest;

use crate::source::Span;

pub use closest::{shortened, unknown};

/// Something about one input file that keeps it from being checked. Exit code 2.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The file's name as reports show it; none when no file is to blame.
    pub file: Option<String>,
    /// The place in that file, if there is one.
    pub span: Option<Span>,
    /// What is wrong: lower case, no full stop.
    pub message: String,
    /// What to do next.
    pub help: Option<String>,
}

impl Problem {
    /// A problem of a whole file.
    pub fn of_file(file: impl Into<String>, message: impl Into<String>) -> Self {
        Self { file: Some(file.into()), span: None, message: message.into(), help: None }
    }

    /// A problem at a place of a file.
    pub fn at(file: impl Into<String>, span: Span, message: impl Into<String>) -> Self {
        Self { file: Some(file.into()), span: Some(span), message: message.into(), help: None }
    }

    /// The same problem with advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// What makes the whole run impossible. Exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A flag or argument that cannot be followed.
    #[error("{message}")]
    Usage {
        /// What is wrong with it and what would be right.
        message: String,
    },
    /// A rule file, built in or from `--rules`, that does not hold.
    #[error("rule file {file}: {message}")]
    Rules {
        /// The rule file.
        file: String,
        /// What is wrong with it.
        message: String,
    },
    /// A measurement that cannot be made. Nothing of it is left.
    #[error("{message}")]
    Measure {
        /// What stands in its way and what to do about it.
        message: String,
    },
    /// Output that could not be written.
    #[error("cannot write {target}: {error}")]
    Output {
        /// Where it should have gone.
        target: String,
        /// What the system said.
        #[source]
        error: std::io::Error,
    },
}
