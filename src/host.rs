//! The only look at the machine: files, directories and the environment.
//!
//! Everything that reads the file system goes through [`Host`], so that any layout, of any platform,
//! can be a fixture.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// What lies at a path, links not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A device, socket or pipe.
    Other,
}

/// One entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Its name without the directory.
    pub name: OsString,
    /// What it is, links not followed.
    pub kind: EntryKind,
}

/// The file system as the program sees it.
pub trait Host: Sync {
    /// The bytes of a regular file (links followed).
    ///
    /// # Errors
    /// What the system says; `InvalidInput` for anything but a regular file and for a file of more
    /// than `limit` bytes.
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>>;

    /// What lies at `path`, links not followed; none when nothing does or it cannot be seen.
    fn kind(&self, path: &Path) -> Option<EntryKind>;

    /// What lies at `path`, links followed; none when nothing does or it cannot be seen.
    fn target_kind(&self, path: &Path) -> Option<EntryKind>;

    /// Entries of a directory, sorted by name.
    ///
    /// # Errors
    /// What the system says.
    fn entries(&self, path: &Path) -> io::Result<Vec<Entry>>;

    /// Size of a regular file in bytes, links not followed; 0 when it cannot be seen.
    fn size(&self, path: &Path) -> u64;

    /// The path with every link in it followed.
    ///
    /// # Errors
    /// What the system says, `NotFound` for a path that is not there.
    fn canonical(&self, path: &Path) -> io::Result<PathBuf>;
}

/// What the process was started with. Read once, at the edge of the program.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// Variables.
    pub variables: BTreeMap<String, String>,
    /// The working directory, absolute.
    pub directory: PathBuf,
    /// The user's home directory.
    pub home: Option<PathBuf>,
}
