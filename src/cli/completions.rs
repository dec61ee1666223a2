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
