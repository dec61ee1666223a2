//! The `composefix` program: hands the process to [`Command`].

use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use anstream::AutoStream;
use composefix::cli::{Command, Exit};
use composefix::host::{Environment, RealHost};

fn main() -> ExitCode {
    let (stdin, stdout, stderr) = (io::stdin(), io::stdout(), io::stderr());
    let (stdin_is_terminal, stdout_is_terminal) = (stdin.is_terminal(), stdout.is_terminal());
    let stderr_is_terminal = stderr.is_terminal();
    // They hand everything through, and teach old consoles of Windows to read colours.
    let mut stdout = AutoStream::always(stdout.lock());
    let mut stderr = AutoStream::always(stderr);
    let environment = match Environment::from_process() {
        Ok(environment) => environment,
        Err(error) => {
            writeln!(stderr, "error: there is no working directory: {error}").ok();
            return ExitCode::from(Exit::Error.code());
        }
    };
    let mut command = Command {
        stdin: &mut stdin.lock(),
        stdout: &mut stdout,
        stderr: &mut stderr,
        stdin_is_terminal,
        stdout_is_terminal,
        stderr_is_terminal,
        environment,
        host: &RealHost,
    };
    ExitCode::from(command.main(std::env::args_os()).code())
}
