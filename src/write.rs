//! Writes files like a database: all of them or none, and only over what was read.
//!
//! A file is replaced by renaming a finished, synchronised copy over it, so that a reader sees the
//! old text or the new one and a crash leaves one of the two. Mode and owner are kept; access
//! control lists and extended attributes are not. Two kinds of files are rewritten in place
//! instead, with a copy of the old text beside them until all is done: those with several hard
//! links, which a rename would tear apart, and those whose owner we may not give to a new file. A
//! crash in that moment leaves the copy, named `.composefix-…`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::host::{Host as _, RealHost};

/// A file to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// Where it lies. A symbolic link is followed and stays.
    pub path: PathBuf,
    /// What it held when the change was planned; none for a file that was not there and is to be
    /// created, with the mode that new files get.
    pub before: Option<Vec<u8>>,
    /// What it shall hold.
    pub after: Vec<u8>,
}

/// Why nothing was written. Unless a variant says otherwise every file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The file is not there any more or cannot be read.
    #[error("cannot read {}: {error}; nothing was written", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        error: io::Error,
    },
    /// A directory, device or pipe.
    #[error("{} is not a regular file; nothing was written", .path.display())]
    NotAFile {
        /// What was to be written.
        path: PathBuf,
    },
    /// Somebody else wrote the file since it was read.
    #[error("{} has changed since it was read; nothing was written, run again", .path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A file to be created is there already.
    #[error("{} is there already; nothing was written, run again", .path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Two of the files are one, perhaps through a link.
    #[error("{} and {} are the same file; nothing was written, name only one of them",
        .first.display(), .second.display())]
    Twice {
        /// One name.
        first: PathBuf,
        /// The other.
        second: PathBuf,
    },
    /// The file's mode or the system forbids writing.
    #[error("{} is read-only; nothing was written, make it writable first", .path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// The file or its directory does not let us write.
    #[error("cannot write to the directory of {}: {error}; nothing was written, \
        check its permissions and the free space", .path.display())]
    Directory {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        error: io::Error,
    },
    /// The new text could not be put in place.
    #[error("cannot write {}: {error}; every file is as it was", .path.display())]
    Replace {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        error: io::Error,
    },
    /// Writing failed and so did the way back: this new file is still there.
    #[error("cannot remove {} after an error: {error}; remove it", .path.display())]
    NotRemoved {
        /// The new file.
        path: PathBuf,
        /// What the system said.
        #[source]
        error: io::Error,
    },
    /// Writing failed and so did the way back: this file is not as it was.
    #[error("cannot restore {} after an error: {error}; its old text is in {}, copy it back",
        .path.display(), .copy.display())]
    NotRestored {
        /// The file, with new or partly new text.
        path: PathBuf,
        /// Where its old text is kept.
        copy: PathBuf,
        /// What the system said.
        #[source]
        error: io::Error,
    },
}

/// Writes all files or none.
///
/// Files whose new text is the old one are checked like the others and then left alone.
///
/// # Errors
/// The first file that cannot be written. No temporary file is left, except in
/// [`WriteError::NotRestored`].
pub fn write_all(files: &[Write]) -> Result<(), WriteError> {
    write_with(files, &|file, target| file.persist(target).map(drop).map_err(|e| e.error))
}

/// How a finished copy takes the place of a file.
type Rename<'a> = &'a dyn Fn(NamedTempFile, &Path) -> io::Result<()>;

fn write_with(files: &[Write], rename: Rename<'_>) -> Result<(), WriteError> {
    let mut targets: BTreeMap<Identity, &Path> = BTreeMap::new();
    let mut prepared = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let path = file.path.as_path();
        if file.before.is_none() {
            if let Some(other) = files.iter().take(index).find(|other| other.path == path) {
                let (first, second) = (other.path.clone(), path.to_path_buf());
                return Err(WriteError::Twice { first, second });
            }
            prepared.push(Prepared::created(file)?);
            continue;
        }
        let target = fs::canonicalize(path)
            .map_err(|error| WriteError::Unreadable { path: path.to_path_buf(), error })?;
        let data = verify(file, &target)?;
        if let Some(first) = targets.insert(identity(&target, &data), path) {
            let (first, second) = (first.to_path_buf(), path.to_path_buf());
            return Err(WriteError::Twice { first, second });
        }
        if file.before.as_ref() != Some(&file.after) {
            check_writable(file, &target, &data)?;
            let alone = files.len() == 1;
            prepared.push(
                Prepared::new(file, target, &data, alone)
                    .map_err(|error| WriteError::Directory { path: path.to_path_buf(), error })?,
            );
        }
    }
    verify_and_commit(prepared, rename)
}

fn verify_and_commit(
    mut prepared: Vec<Prepared<'_>>,
    rename: Rename<'_>,
) -> Result<(), WriteError> {
    // Preparing waited for the disk, so look once more.
    for file in &prepared {
        if file.write.before.is_some() {
            verify(file.write, &file.target)?;
        } else {
            verify_absent(file.write, &file.target)?;
        }
    }
    // What is not done in one step fails more easily and goes first.
    prepared.sort_by_key(|file| file.new.is_some());
    let mut done: Vec<Prepared<'_>> = Vec::new();
    for mut file in prepared {
        let written = match file.new.take() {
            Some(new) if file.write.before.is_none() => {
                new.persist_noclobber(&file.target).map(drop).map_err(|e| e.error)
            }
            Some(new) => rename(new, &file.target),
            None => overwrite(&file.target, &file.write.after),
        };
        let failed = written.err().map(|error| (file.write.path.clone(), error));
        if failed.is_none() || file.in_place {
            done.push(file);
        }
        if let Some((path, error)) = failed {
            return Err(roll_back(done).unwrap_or(WriteError::Replace { path, error }));
        }
    }
    let directories: BTreeSet<&Path> =
        done.iter().filter_map(|file| file.target.parent()).collect();
    directories.into_iter().for_each(sync_directory);
    Ok(())
}

/// Puts back every file, the last one first; returns the first that could not be.
fn roll_back(done: Vec<Prepared<'_>>) -> Option<WriteError> {
    let mut failed = None;
    for file in done.into_iter().rev() {
        if let Err(error) = file.restore() {
            failed.get_or_insert(error);
        }
    }
    failed
}

/// A file with all that is needed to write it and to undo that.
struct Prepared<'a> {
    write: &'a Write,
    /// The path with all links followed.
    target: PathBuf,
    in_place: bool,
    /// The new text; none when written in place.
    new: Option<NamedTempFile>,
    /// The old text; none for a single file, which a failed rename leaves alone.
    old: Option<NamedTempFile>,
}

impl<'a> Prepared<'a> {
    /// A file that is not there yet.
    fn created(write: &'a Write) -> Result<Self, WriteError> {
        let path = write.path.as_path();
        let failed = |error| WriteError::Directory { path: path.to_path_buf(), error };
        let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(failed(io::ErrorKind::InvalidInput.into()));
        };
        let target = fs::canonicalize(directory).map_err(failed)?.join(name);
        verify_absent(write, &target)?;
        let new = plain_copy(&target, &write.after, new_file_mode()).map_err(failed)?;
        Ok(Self { write, target, in_place: false, new: Some(new), old: None })
    }

    fn new(
        write: &'a Write,
        target: PathBuf,
        data: &fs::Metadata,
        alone: bool,
    ) -> io::Result<Self> {
        let new = if links(data) == 1 { copy(&target, &write.after, data)? } else { None };
        let in_place = new.is_none();
        let before = write.before.as_deref().unwrap_or_default();
        let old = if in_place {
            Some(plain_copy(&target, before, None)?)
        } else if alone {
            None
        } else {
            match copy(&target, before, data)? {
                Some(old) => Some(old),
                None => Some(plain_copy(&target, before, None)?),
            }
        };
        Ok(Self { write, target, in_place, new, old })
    }

    /// Puts the old text back.
    fn restore(self) -> Result<(), WriteError> {
        let Some(before) = &self.write.before else {
            let path = self.write.path.clone();
            return fs::remove_file(&self.target)
                .map_err(|error| WriteError::NotRemoved { path, error });
        };
        let Some(old) = self.old else { return Ok(()) };
        let (old, error) = if self.in_place {
            match overwrite(&self.target, before) {
                Ok(()) => return Ok(()),
                Err(error) => (old, error),
            }
        } else {
            match old.persist(&self.target) {
                Ok(_) => return Ok(()),
                Err(failed) => (failed.file, failed.error),
            }
        };
        let copy = old.path().to_path_buf();
        let path = self.write.path.clone();
        match old.keep() {
            Ok(_) => Err(WriteError::NotRestored { path, copy, error }),
            Err(failed) => Err(WriteError::NotRestored { path, copy, error: failed.error }),
        }
    }
}

/// Looks whether there is still nothing where a file is to be created; a link to nowhere is
/// something.
fn verify_absent(file: &Write, target: &Path) -> Result<(), WriteError> {
    match fs::symlink_metadata(target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Ok(_) => Err(WriteError::Exists { path: file.path.clone() }),
        Err(error) => Err(WriteError::Directory { path: file.path.clone(), error }),
    }
}

/// Looks whether the file still holds what was read.
fn verify(file: &Write, target: &Path) -> Result<fs::Metadata, WriteError> {
    let path = || file.path.clone();
    let unreadable = |error| WriteError::Unreadable { path: path(), error };
    let data = fs::metadata(target).map_err(unreadable)?;
    if !data.is_file() {
        return Err(WriteError::NotAFile { path: path() });
    }
    let before = file.before.as_deref().unwrap_or_default();
    let size = u64::try_from(before.len()).unwrap_or(u64::MAX);
    if data.len() != size {
        return Err(WriteError::Changed { path: path() });
    }
    match RealHost.read(target, size) {
        Ok(bytes) if bytes == before => Ok(data),
        // It grew meanwhile.
        Err(error) if error.kind() != io::ErrorKind::InvalidInput => Err(unreadable(error)),
        _ => Err(WriteError::Changed { path: path() }),
    }
}

/// Looks whether we may write. The administrator may write anything, so the mode is asked first.
fn check_writable(file: &Write, target: &Path, data: &fs::Metadata) -> Result<(), WriteError> {
    let path = file.path.clone();
    if data.permissions().readonly() {
        return Err(WriteError::ReadOnly { path });
    }
    match OpenOptions::new().write(true).open(target) {
        Ok(_) => Ok(()),
        Err(error) => Err(match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                WriteError::ReadOnly { path }
            }
            _ => WriteError::Replace { path, error },
        }),
    }
}

/// A synchronised temporary file beside `target` with this text, for nobody else's eyes unless
/// there is a mode for it.
fn plain_copy(
    target: &Path,
    text: &[u8],
    mode: Option<fs::Permissions>,
) -> io::Result<NamedTempFile> {
    let directory = target.parent().unwrap_or(target);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".composefix-");
    if let Some(mode) = mode {
        builder.permissions(mode);
    }
    let mut file = builder.tempfile_in(directory)?;
    file.write_all(text)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// The same with the mode and owner of `target`; none when it cannot have that owner.
fn copy(target: &Path, text: &[u8], data: &fs::Metadata) -> io::Result<Option<NamedTempFile>> {
    let file = plain_copy(target, text, None)?;
    if !give_owner(file.as_file(), data)? {
        return Ok(None);
    }
    // After the owner, since a change of owner may clear bits of the mode.
    file.as_file().set_permissions(data.permissions())?;
    file.as_file().sync_all()?;
    Ok(Some(file))
}

/// Overwrites a file without making a new one.
fn overwrite(target: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(target)?;
    file.write_all(text)?;
    file.set_len(u64::try_from(text.len()).unwrap_or(u64::MAX))?;
    file.sync_all()
}

/// What two names of one file have in common: device and inode.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = PathBuf;

#[cfg(unix)]
fn identity(_: &Path, data: &fs::Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt as _;

    (data.dev(), data.ino())
}

#[cfg(not(unix))]
fn identity(target: &Path, _: &fs::Metadata) -> Identity {
    target.to_path_buf()
}

/// Number of names that the file has.
#[cfg(unix)]
fn links(data: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(data)
}

#[cfg(not(unix))]
fn links(_: &fs::Metadata) -> u64 {
    1
}

/// What new files get before the process's own mask takes bits away.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems have no such mode")]
fn new_file_mode() -> Option<fs::Permissions> {
    Some(std::os::unix::fs::PermissionsExt::from_mode(0o666))
}

#[cfg(not(unix))]
fn new_file_mode() -> Option<fs::Permissions> {
    None
}

/// Gives `file` the owner and group in `data`; false when that is not allowed.
#[cfg(unix)]
fn give_owner(file: &File, data: &fs::Metadata) -> io::Result<bool> {
    use std::os::unix::fs::{MetadataExt as _, fchown};

    let now = file.metadata()?;
    let same = now.uid() == data.uid() && now.gid() == data.gid();
    Ok(same || fchown(file, Some(data.uid()), Some(data.gid())).is_ok())
}

#[cfg(not(unix))]
fn give_owner(_: &File, _: &fs::Metadata) -> io::Result<bool> {
    Ok(true)
}

/// Makes the renames in a directory last. Some file systems cannot, and the files are written by
/// then, so that a failure changes nothing.
#[cfg(unix)]
fn sync_directory(directory: &Path) {
    if let Ok(directory) = File::open(directory) {
        directory.sync_all().ok();
    }
}

#[cfg(not(unix))]
fn sync_directory(_: &Path) {}

#[cfg(test)]
mod tests;
