//! What the program says, and how it looks there.

use std::collections::BTreeMap;
use std::io;

use super::Command;
use super::args::{ColourChoice, OutputFlags};
use super::links::shows_links;
use crate::error::Error;
use crate::report::text::Style;
use crate::report::visible::visible;

/// Whether to use colours on a stream: the flag decides, then the environment, then the stream.
pub(super) fn colour(
    choice: ColourChoice,
    variables: &BTreeMap<String, String>,
    is_terminal: bool,
) -> bool {
    let set = |name: &str| variables.get(name).is_some_and(|value| !value.is_empty());
    let forced = |name: &str| set(name) && variables.get(name).is_some_and(|value| value != "0");
    match choice {
        ColourChoice::Always => true,
        ColourChoice::Never => false,
        ColourChoice::Auto if set("NO_COLOR") => false,
        ColourChoice::Auto if forced("FORCE_COLOR") || forced("CLICOLOR_FORCE") => true,
        ColourChoice::Auto => is_terminal && !is_dumb(variables),
    }
}

/// True for a terminal that shows plain text only.
fn is_dumb(variables: &BTreeMap<String, String>) -> bool {
    variables.get("TERM").is_some_and(|term| term == "dumb")
}

impl Command<'_> {
    /// How text looks on a stream.
    pub(super) fn style(&self, flags: &OutputFlags, is_terminal: bool) -> Style {
        let variables = &self.environment.variables;
        Style {
            colour: colour(flags.color, variables, is_terminal),
            unicode: !is_dumb(variables),
            quiet: flags.quiet,
            links: shows_links(variables, is_terminal),
            ..Style::default()
        }
    }

    /// True where somebody waits who sees a line that changes.
    pub(super) fn is_watched(&self, flags: &OutputFlags) -> bool {
        self.stderr_is_terminal && !flags.quiet && !is_dumb(&self.environment.variables)
    }

    /// Writes to standard output. A reader that has gone is no error.
    pub(super) fn print(&mut self, text: &str) -> Result<(), Error> {
        let written = self.stdout.write_all(text.as_bytes()).and_then(|()| self.stdout.flush());
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Error::Output { target: "standard output".to_owned(), error })
            }
            _ => Ok(()),
        }
    }

    /// Writes to standard error as it is. Nobody can be told when that fails.
    pub(super) fn say_text(&mut self, text: &str) {
        self.stderr.write_all(text.as_bytes()).and_then(|()| self.stderr.flush()).ok();
    }

    /// Writes a line to standard error, with nothing in it that a terminal would obey.
    pub(super) fn say(&mut self, line: &str) {
        self.say_text(&format!("{}\n", visible(line)));
    }

    /// Asks a question that is answered with yes or no.
    pub(super) fn ask(&mut self, question: &str) -> bool {
        self.say_text(&format!("{} [y/N] ", visible(question)));
        let mut answer = Vec::new();
        let mut byte = [0];
        while matches!(self.stdin.read(&mut byte), Ok(1)) && byte != *b"\n" && answer.len() < 80 {
            answer.extend(byte);
        }
        let answer = String::from_utf8_lossy(&answer).trim().to_lowercase();
        matches!(answer.as_str(), "y" | "yes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_decides_then_the_environment_then_the_stream() {
        use ColourChoice::{Always, Auto, Never};
        for (choice, variables, terminal, expected) in [
            (Auto, "", true, true),
            (Auto, "", false, false),
            (Auto, "NO_COLOR=1", true, false),
            (Auto, "NO_COLOR=", true, true),
            (Auto, "NO_COLOR=1 FORCE_COLOR=1", true, false),
            (Auto, "FORCE_COLOR=1", false, true),
            (Auto, "FORCE_COLOR=0", false, false),
            (Auto, "CLICOLOR_FORCE=1", false, true),
            (Auto, "TERM=dumb", true, false),
            (Auto, "TERM=dumb FORCE_COLOR=1", false, true),
            (Always, "NO_COLOR=1 TERM=dumb", false, true),
            (Never, "FORCE_COLOR=1", true, false),
        ] {
            let pairs = variables.split_whitespace().filter_map(|pair| pair.split_once('='));
            let map = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            assert_eq!(
                colour(choice, &map, terminal),
                expected,
                "{choice:?} {variables} {terminal}"
            );
        }
    }
}
