//! Which trees git tracks, from the index of their repository.
//!
//! Reads index versions 2, 3 and 4, with split and sparse indexes and both hash lengths. The format
//! is <https://git-scm.com/docs/index-format>. Checksums are not verified: the answer only ever
//! holds a fix back, and git itself complains about a damaged index.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::Candidate;
use crate::host::{EntryKind, Host, lexical_clean};

/// Bytes of an index that are read at most: a million entries have about 100 MB.
const INDEX_LIMIT: u64 = 256 << 20;
/// Bytes of a `.git` file that are read at most.
const POINTER_LIMIT: u64 = 64 << 10;
/// Bytes of an object name: SHA-1, and SHA-256 in new repositories that ask for it.
const HASHES: [usize; 2] = [20, 32];

/// A repository with a working tree.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Repository {
    /// Top of the working tree.
    root: PathBuf,
    /// Where its index lies. Not below `root` for additional working trees and submodules.
    directory: PathBuf,
}

impl Repository {
    /// The repository whose working tree `directory` is in.
    pub(super) fn find(host: &dyn Host, directory: &Path) -> Option<Self> {
        directory.ancestors().find_map(|above| Self::at(host, above))
    }

    /// The repository whose working tree starts at `root`.
    pub(super) fn at(host: &dyn Host, root: &Path) -> Option<Self> {
        let dot_git = root.join(".git");
        let directory = match host.target_kind(&dot_git)? {
            EntryKind::Directory => dot_git,
            EntryKind::File => {
                let pointer = String::from_utf8(host.read(&dot_git, POINTER_LIMIT).ok()?).ok()?;
                let target = pointer.strip_prefix("gitdir:")?.trim();
                lexical_clean(&root.join(target))
            }
            _ => return None,
        };
        // Git takes a directory without HEAD for none of its own and looks further up.
        let is_git =
            ["HEAD", "index"].iter().any(|name| host.kind(&directory.join(name)).is_some());
        is_git.then(|| Self { root: root.to_path_buf(), directory })
    }

    /// Marks each of `paths`, relative to the root, that is tracked or holds tracked files.
    fn mark(&self, host: &dyn Host, paths: &mut Paths) -> Result<(), String> {
        let index = self.directory.join("index");
        if host.kind(&index).is_none() {
            return Ok(()); // Nothing was ever added.
        }
        let Some(shared) = mark_file(host, &index, paths)? else { return Ok(()) };
        // A split index takes most entries from a second file. Those that were deleted since count
        // as tracked until git joins the two, which errs on the safe side.
        mark_file(host, &self.directory.join(format!("sharedindex.{shared}")), paths).map(drop)
    }
}

/// Paths to look for, and what of each is tracked.
type Paths = BTreeMap<Vec<u8>, Tracked>;

/// What git tracks of a tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Tracked {
    /// A file that has a meaning of its own, or the tree itself.
    files: bool,
    /// Directories below the tree that are tracked for themselves, by a file that holds their place.
    directories: BTreeSet<String>,
}

/// Files that only make git keep the directory that they lie in.
const PLACEHOLDERS: [&[u8]; 4] = [b".gitignore", b".gitkeep", b".keep", b".placeholder"];

/// Sets [`tracked`](super::TreeFacts::tracked) and what goes with it on trees that are. An index that cannot be read is a
/// note.
pub(super) fn mark_tracked(host: &dyn Host, trees: &mut [Candidate], notes: &mut Vec<String>) {
    let mut wanted: BTreeMap<PathBuf, (Rc<Repository>, Paths)> = BTreeMap::new();
    for tree in trees.iter() {
        let Some(repository) = &tree.repository else { continue };
        let Some(path) = relative(repository, &tree.absolute) else { continue };
        let root = repository.root.clone();
        let (_, paths) = wanted.entry(root).or_insert_with(|| (repository.clone(), Paths::new()));
        paths.insert(path, Tracked::default());
    }
    for (repository, paths) in wanted.values_mut() {
        if let Err(problem) = repository.mark(host, paths) {
            notes.push(format!("cannot tell what git tracks: {problem}"));
        }
    }
    for tree in trees {
        let Some(repository) = &tree.repository else { continue };
        let found = relative(repository, &tree.absolute).and_then(|path| {
            let (_, paths) = wanted.get(&repository.root)?;
            paths.get(&path)
        });
        let Some(found) = found else { continue };
        tree.facts.tracked = found.files;
        tree.facts.directories = found.directories.iter().cloned().collect();
    }
}

/// The path as the index spells it.
fn relative(repository: &Repository, path: &Path) -> Option<Vec<u8>> {
    let names = path.strip_prefix(&repository.root).ok()?.iter();
    Some(names.map(std::ffi::OsStr::as_encoded_bytes).collect::<Vec<_>>().join(&b'/'))
}

/// Names of what git tracks directly in a directory, an absolute path; none where there is no
/// repository, nothing was ever added to it, or its index cannot be read.
pub fn tracked_names(host: &dyn Host, directory: &Path) -> Option<BTreeSet<String>> {
    let real = host.canonical(directory).ok()?;
    let repository = Repository::find(host, &real)?;
    let mut prefix = relative(&repository, &real)?;
    if !prefix.is_empty() {
        prefix.push(b'/');
    }
    let mut names = BTreeSet::new();
    let mut note = |names: &mut BTreeSet<Vec<u8>>, path: &[u8]| {
        let name =
            path.strip_prefix(prefix.as_slice()).and_then(|p| p.split(|b| *b == b'/').next());
        if let Some(name) = name.filter(|n| !n.is_empty() && !names.contains(*n)) {
            names.insert(name.to_vec());
        }
    };
    let index = repository.directory.join("index");
    if let Some(shared) = read_file(host, &index, &mut names, &mut note).ok()? {
        let shared = repository.directory.join(format!("sharedindex.{shared}"));
        read_file(host, &shared, &mut names, &mut note).ok()?;
    }
    // A name that is no text cannot be written into a Compose file either.
    Some(names.into_iter().filter_map(|name| String::from_utf8(name).ok()).collect())
}

/// Reads one index file; returns the name of the shared index that it builds on.
fn mark_file(host: &dyn Host, file: &Path, paths: &mut Paths) -> Result<Option<String>, String> {
    read_file(host, file, paths, &mut mark_path)
}

/// Shows `visit` every path of one index file with what was `seen`; returns the name of the shared
/// index that it builds on.
fn read_file<T: Clone>(
    host: &dyn Host,
    file: &Path,
    seen: &mut T,
    visit: &mut dyn FnMut(&mut T, &[u8]),
) -> Result<Option<String>, String> {
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
    let bytes = host.read(file, INDEX_LIMIT);
    let bytes = bytes.map_err(|error| format!("cannot read the {name} file: {error}"))?;
    // Nothing in the file says how long object names are. Only the right length adds up.
    for hash in HASHES {
        let mut found = seen.clone();
        if let Some(shared) = read(&bytes, hash, &mut |path| visit(&mut found, path)) {
            *seen = found;
            return Ok(Some(shared).filter(|shared| !shared.is_empty()));
        }
    }
    Err(format!("the {name} file has a format that is not known"))
}

/// Marks the path and what is above it.
fn mark_path(paths: &mut Paths, path: &[u8]) {
    let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    let last = ends.clone().next_back();
    let name = path.get(last.map_or(0, |at| at + 1)..).unwrap_or_default();
    for end in ends.chain([path.len()]) {
        let Some(found) = path.get(..end).and_then(|above| paths.get_mut(above)) else { continue };
        if end == path.len() || !PLACEHOLDERS.contains(&name) {
            found.files = true;
        } else if let Some(directory) = last.and_then(|last| path.get(end + 1..last)) {
            found.directories.insert(String::from_utf8_lossy(directory).into_owned());
        }
    }
}

/// Shows `visit` every path of an index with object names of `hash` bytes. None when the bytes are
/// no such index, else the name of the shared index that it builds on, empty if there is none.
fn read(bytes: &[u8], hash: usize, visit: &mut dyn FnMut(&[u8])) -> Option<String> {
    /// Times, device, inode, mode, owner and size of the file.
    const STAT: usize = 40;
    /// The flag for a second field of flags.
    const EXTENDED: u16 = 0x4000;

    let mut rest = Reader(bytes);
    if rest.take(4)? != b"DIRC" {
        return None;
    }
    let version = rest.number()?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let entries = rest.number()?;
    let mut path = Vec::new();
    for _ in 0..entries {
        rest.take(STAT + hash)?;
        let flags = u16::from_be_bytes(rest.take(2)?.try_into().ok()?);
        let mut fixed = STAT + hash + 2;
        if flags & EXTENDED != 0 {
            if version < 3 {
                return None;
            }
            rest.take(2)?;
            fixed += 2;
        }
        if version == 4 {
            let dropped = rest.variable_number()?;
            path.truncate(path.len().checked_sub(dropped)?);
            path.extend_from_slice(rest.text()?);
        } else {
            path = rest.text()?.to_vec();
            // Entries are filled up with NULs to a multiple of eight bytes; one was the text's end.
            let length = fixed + path.len();
            let filler = rest.take(7 - length % 8)?;
            if filler.iter().any(|byte| *byte != 0) {
                return None;
            }
        }
        visit(&path);
    }
    let mut shared = String::new();
    while rest.0.len() > hash {
        let name = rest.take(4)?;
        let length = usize::try_from(rest.number()?).ok()?;
        let content = rest.take(length)?;
        match name {
            b"link" => {
                let id = content.get(..hash)?;
                if id.iter().any(|byte| *byte != 0) {
                    shared = id.iter().fold(shared, |hex, byte| format!("{hex}{byte:02x}"));
                }
            }
            // Those that start with a capital letter may be passed over. `sdir` announces entries of
            // whole directories, with a `/` at their end, which need no care.
            b"sdir" | [b'A'..=b'Z', ..] => {}
            _ => return None,
        }
    }
    (rest.0.len() == hash).then_some(shared)
}

/// Bytes that are still to be read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    /// Seven bits a byte, the highest first; each further byte adds one to what came before.
    fn variable_number(&mut self) -> Option<usize> {
        let mut number: usize = 0;
        loop {
            let [byte] = *self.take(1)? else { return None };
            number = number.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
            number = number.checked_add(1)?;
        }
    }

    /// Up to the next NUL, which is passed over.
    fn text(&mut self) -> Option<&'a [u8]> {
        let end = self.0.iter().position(|byte| *byte == 0)?;
        let text = self.take(end)?;
        self.take(1)?;
        Some(text)
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::index_of;
