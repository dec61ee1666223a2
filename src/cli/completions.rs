//! `composefix completions`.

use clap::CommandFactory as _;

use super::args::{Arguments, CompletionFlags};
use super::{Command, Exit};
use crate::error::Error;

impl Command<'_> {
    pub(super) fn completions(&mut self, flags: &CompletionFlags) -> Result<Exit, Error> {
        let mut arguments = Arguments::command();
        let name = arguments.get_name().to_owned();
        // Into memory first: the generator panics where a stream fails.
        let mut script = Vec::new();
        clap_complete::generate(flags.shell, &mut arguments, name, &mut script);
        self.print(&String::from_utf8_lossy(&script))?;
        Ok(Exit::Success)
    }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;
    use clap_complete::Shell;

    use super::super::tests::Stage;
    use super::*;

    #[test]
    fn every_shell_learns_every_command_and_flag() {
        let arguments = Arguments::command();
        for shell in Shell::value_variants() {
            let outcome = Stage::default().main(&format!("completions {shell}"));
            assert_eq!((outcome.result, outcome.stderr.as_str()), (Exit::Success, ""), "{shell}");
            let script = outcome.stdout;
            let mut flags = 0;
            for command in arguments.get_subcommands() {
                assert!(script.contains(command.get_name()), "{shell}: {}", command.get_name());
                for flag in command.get_arguments().filter_map(clap::Arg::get_long) {
                    // fish writes them without the dashes.
                    assert!(script.contains(flag), "{shell}: {flag}");
                    flags += 1;
                }
            }
            assert!(flags > 20, "{flags}");
        }
    }

    #[test]
    fn an_unknown_shell_is_an_error_that_names_the_others() {
        let outcome = Stage::default().main("completions csh");
        assert_eq!((outcome.result, outcome.stdout.as_str()), (Exit::Error, ""));
        assert!(
            outcome.stderr.contains("bash, elvish, fish, powershell, zsh"),
            "{}",
            outcome.stderr
        );
    }
}
