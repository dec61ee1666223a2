//! The directory on the host that the write test writes to: never the project.

use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile, TempDir};

use super::{shown, stop};
use crate::error::Error;
use crate::host::Host;
use crate::machine::MountTable;

/// A directory of our own, or why there is none.
pub(super) struct Scratch {
    /// With a file by which a container can tell that it sees this very directory.
    held: Option<(TempDir, NamedTempFile, PathBuf)>,
    reason: Option<String>,
    asked_for: bool,
}

impl Scratch {
    /// Creates it in a directory that the user names, else in the system's temporary directory. That
    /// one is of use only where it lies on the same kind of file system as the tree: the test is to
    /// go through the same share.
    pub(super) fn new(host: &dyn Host, tree: &Path, base: Option<&Path>) -> Result<Self, Error> {
        let mut builder = Builder::new();
        builder.prefix("composefix-measure-");
        let made = match base {
            Some(base) => builder.tempdir_in(base),
            None => builder.tempdir(),
        };
        let directory = match (made, base) {
            (Ok(directory), _) => directory,
            (Err(error), Some(base)) => {
                return Err(stop(format!("cannot write to {}: {error}", shown(base))));
            }
            (Err(error), None) => {
                return Ok(Self::without(&format!("there is no temporary directory: {error}")));
            }
        };
        let real = host.canonical(directory.path()).unwrap_or(directory.path().to_path_buf());
        let table = MountTable::read(host);
        let kind = |path: &Path| table.at(path).map(|entry| entry.kind.clone());
        if base.is_none() && kind(&real) != kind(tree) {
            let kinds = [kind(&real), kind(tree)].map(Option::unwrap_or_default);
            let [own, others] = kinds;
            return Ok(Self::without(&format!(
                "the temporary directory is {own}, the tree lies on {others}"
            )));
        }
        let mark = Builder::new().prefix("mark-").tempfile_in(directory.path());
        let mark =
            mark.map_err(|error| stop(format!("cannot write to {}: {error}", shown(&real))))?;
        Ok(Self { held: Some((directory, mark, real)), reason: None, asked_for: base.is_some() })
    }

    fn without(reason: &str) -> Self {
        let mut scratch = Self { held: None, reason: None, asked_for: false };
        scratch.give_up(reason);
        scratch
    }

    /// Goes on without it.
    pub(super) fn give_up(&mut self, reason: &str) {
        let advice = "`--scratch DIR` names another one, outside of the project and shared like it";
        self.reason = Some(format!("{reason}; {advice}"));
        self.held = None;
    }

    pub(super) fn path(&self) -> Option<&Path> {
        self.held.as_ref().map(|(_, _, real)| real.as_path())
    }

    /// Name of the file that a container must see in it.
    pub(super) fn mark(&self) -> Option<String> {
        let (_, mark, _) = self.held.as_ref()?;
        Some(mark.path().file_name()?.to_string_lossy().into_owned())
    }

    /// Why there is none.
    pub(super) fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    pub(super) fn is_asked_for(&self) -> bool {
        self.asked_for
    }

    pub(super) fn is_named_in(&self, message: &str) -> bool {
        self.path().is_some_and(|path| message.contains(&*path.to_string_lossy()))
    }

    /// Removes it with all that is in it.
    pub(super) fn remove(self) -> Result<(), Error> {
        let Some((directory, mark, real)) = self.held else { return Ok(()) };
        drop(mark);
        directory.close().map_err(|error| {
            stop(format!("cannot remove {}: {error}; please remove it by hand", shown(&real)))
        })
    }
}
