//! A file system that exists in memory only, for fixtures and tests.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};

use super::{Entry, EntryKind, Host, not_a_file, too_large};

/// Files in one subdirectory of a [`MemoryNode::Tree`].
const FILES_PER_DIRECTORY: u64 = 50;
/// Bytes that a file of a [`MemoryNode::Tree`] has.
const BYTES_PER_FILE: u64 = 100;
/// Links that a path may go through, as on Linux.
const MAX_LINKS: usize = 40;

/// What a [`MemoryHost`] has at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryNode {
    /// A regular file with this content.
    File(Vec<u8>),
    /// A symbolic link with this target, relative to the link's directory or absolute.
    Link(PathBuf),
    /// A directory.
    Directory,
    /// A directory that may be neither listed nor passed through.
    Unreadable,
    /// A directory with so many files of 100 bytes, 50 in each of its subdirectories `d0`, `d1` and
    /// so on. They are made up when looked at and cost nothing. Nodes given below it come on top.
    Tree(u64),
    /// A device, socket or pipe.
    Other,
}

impl MemoryNode {
    fn kind(&self) -> EntryKind {
        match self {
            Self::File(_) => EntryKind::File,
            Self::Link(_) => EntryKind::Link,
            Self::Directory | Self::Unreadable | Self::Tree(_) => EntryKind::Directory,
            Self::Other => EntryKind::Other,
        }
    }
}

/// A file system in memory. Directories above a node are there without being given.
#[derive(Debug, Clone, Default)]
pub struct MemoryHost {
    nodes: BTreeMap<PathBuf, MemoryNode>,
}

impl FromIterator<(PathBuf, MemoryNode)> for MemoryHost {
    fn from_iter<I: IntoIterator<Item = (PathBuf, MemoryNode)>>(nodes: I) -> Self {
        nodes.into_iter().fold(Self::default(), |host, (path, node)| host.with(path, node))
    }
}

impl MemoryHost {
    /// The same file system with `node` at the absolute path `path`, in place of what was there.
    #[must_use]
    pub fn with(mut self, path: impl Into<PathBuf>, node: MemoryNode) -> Self {
        let path = path.into();
        for parent in path.ancestors().skip(1) {
            self.nodes.entry(parent.to_path_buf()).or_insert(MemoryNode::Directory);
        }
        self.nodes.insert(path, node);
        self
    }

    /// The same file system with a regular file at `path`.
    #[must_use]
    pub fn with_file(self, path: impl Into<PathBuf>, content: impl Into<Vec<u8>>) -> Self {
        self.with(path, MemoryNode::File(content.into()))
    }

    /// The node at a path that has no link in it, given or made up.
    fn node(&self, path: &Path) -> Option<MemoryNode> {
        if let Some(node) = self.nodes.get(path) {
            return Some(node.clone());
        }
        let (top, files) = path.ancestors().find_map(|above| match self.nodes.get(above) {
            Some(MemoryNode::Tree(files)) => Some((above, *files)),
            _ => None,
        })?;
        let mut names = path.strip_prefix(top).ok()?.iter();
        let directory = number(names.next()?, 'd')?;
        let first = directory.checked_mul(FILES_PER_DIRECTORY).filter(|first| *first < files)?;
        let Some(name) = names.next() else { return Some(MemoryNode::Directory) };
        let file = number(name, 'f')?;
        let there = file < FILES_PER_DIRECTORY.min(files.saturating_sub(first));
        let bytes = usize::try_from(BYTES_PER_FILE).unwrap_or(0);
        (there && names.next().is_none()).then(|| MemoryNode::File(vec![b'x'; bytes]))
    }

    /// Follows every link of `path`, in the last component only if `last` says so.
    fn resolve(&self, path: &Path, last: bool) -> io::Result<(PathBuf, MemoryNode)> {
        let mut rest: Vec<OsString> = path.iter().rev().map(OsStr::to_os_string).collect();
        let mut at = PathBuf::new();
        let mut node = MemoryNode::Directory;
        let mut links = 0;
        while let Some(name) = rest.pop() {
            if node.kind() != EntryKind::Directory {
                return Err(io::ErrorKind::NotADirectory.into());
            }
            if node == MemoryNode::Unreadable {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            if name == ".." {
                at.pop();
            } else {
                at.push(name);
            }
            node = self.node(&at).ok_or(io::ErrorKind::NotFound)?;
            if let MemoryNode::Link(target) = &node
                && (last || !rest.is_empty())
            {
                links += 1;
                if links > MAX_LINKS {
                    return Err(io::Error::other("too many levels of symbolic links"));
                }
                let plain = target.components().filter(|part| *part != Component::CurDir);
                rest.extend(plain.rev().map(|part| part.as_os_str().to_os_string()));
                at.pop();
                node = MemoryNode::Directory;
            }
        }
        Ok((at, node))
    }
}

/// The number in a made-up name: 12 of `d12`.
fn number(name: &OsStr, letter: char) -> Option<u64> {
    let digits = name.to_str()?.strip_prefix(letter)?;
    let number: u64 = digits.parse().ok()?;
    (number.to_string() == digits).then_some(number)
}

impl Host for MemoryHost {
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let (_, MemoryNode::File(content)) = self.resolve(path, true)? else {
            return Err(not_a_file());
        };
        let fits = u64::try_from(content.len()).is_ok_and(|size| size <= limit);
        if fits { Ok(content) } else { Err(too_large(limit)) }
    }

    fn kind(&self, path: &Path) -> Option<EntryKind> {
        self.resolve(path, false).ok().map(|(_, node)| node.kind())
    }

    fn target_kind(&self, path: &Path) -> Option<EntryKind> {
        self.resolve(path, true).ok().map(|(_, node)| node.kind())
    }

    fn scan(
        &self,
        path: &Path,
        sizes: bool,
        visit: &mut dyn FnMut(Entry, u64) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let (at, node) = self.resolve(path, true)?;
        match node {
            MemoryNode::Directory | MemoryNode::Tree(_) => {}
            MemoryNode::Unreadable => return Err(io::ErrorKind::PermissionDenied.into()),
            _ => return Err(io::ErrorKind::NotADirectory.into()),
        }
        let given = self
            .nodes
            .range(at.clone()..)
            .skip(1)
            .map(|(path, _)| path)
            .take_while(|path| path.starts_with(&at))
            .filter(|path| path.parent() == Some(&at));
        // At most one of the two makes anything up: a tree's files lie one level below it.
        let directories = (0..).map(|number| at.join(format!("d{number}")));
        let directories = directories.take_while(|path| self.node(path).is_some());
        let files = (0..).map(|number| at.join(format!("f{number}")));
        let files = files.take_while(|path| self.node(path).is_some());
        let made_up = directories.chain(files).filter(|path| !self.nodes.contains_key(path));
        for path in given.cloned().chain(made_up) {
            let (Some(name), Some(node)) = (path.file_name(), self.node(&path)) else { continue };
            let size = match &node {
                MemoryNode::File(content) if sizes => u64::try_from(content.len()).unwrap_or(0),
                _ => 0,
            };
            let entry = Entry { name: name.to_os_string(), kind: node.kind() };
            if visit(entry, size).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn size(&self, path: &Path) -> u64 {
        match self.resolve(path, false) {
            Ok((_, MemoryNode::File(content))) => u64::try_from(content.len()).unwrap_or(0),
            _ => 0,
        }
    }

    fn link(&self, path: &Path) -> io::Result<PathBuf> {
        match self.resolve(path, false)? {
            (_, MemoryNode::Link(target)) => Ok(target),
            _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a link")),
        }
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.resolve(path, true).map(|(at, _)| at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(host: &MemoryHost, path: &str) -> Vec<String> {
        let entries = host.entries(Path::new(path)).unwrap();
        entries.into_iter().map(|entry| entry.name.into_string().unwrap()).collect()
    }

    #[test]
    fn makes_up_the_files_of_a_tree() {
        let host = MemoryHost::default()
            .with("/p/t", MemoryNode::Tree(120))
            .with_file("/p/t/d1/extra", "e")
            .with_file("/p/t/d7/f0", "not made up");
        assert_eq!(names(&host, "/p/t"), ["d0", "d1", "d2", "d7"]);
        assert_eq!(names(&host, "/p/t/d0").len(), 50);
        assert_eq!(names(&host, "/p/t/d1").len(), 51);
        assert_eq!(names(&host, "/p/t/d2").len(), 20);
        assert_eq!(names(&host, "/p/t/d7"), ["f0"]);
        assert_eq!(host.size(Path::new("/p/t/d2/f19")), 100);
        assert_eq!(host.kind(Path::new("/p/t/d2/f20")), None);
        assert_eq!(host.kind(Path::new("/p/t/d3")), None);
        assert_eq!(host.kind(Path::new("/p/t/d0/f0/x")), None);
        assert_eq!(host.kind(Path::new("/p/t/d00")), None);
    }

    #[test]
    fn an_empty_tree_is_a_directory() {
        let host = MemoryHost::default().with("/t", MemoryNode::Tree(0));
        assert_eq!(names(&host, "/t"), [""; 0]);
        assert_eq!(host.kind(Path::new("/t")), Some(EntryKind::Directory));
    }

    #[test]
    fn follows_links() {
        let host = MemoryHost::default()
            .with_file("/a/b/file", "text")
            .with("/a/up", MemoryNode::Link("./b/../b".into()))
            .with("/abs", MemoryNode::Link("/a/up".into()))
            .with("/loop", MemoryNode::Link("loop".into()));
        let file = Path::new("/abs/file");
        assert_eq!(host.read(file, 4).unwrap(), b"text");
        assert_eq!(host.canonical(file).unwrap(), Path::new("/a/b/file"));
        assert_eq!(host.kind(Path::new("/abs")), Some(EntryKind::Link));
        assert_eq!(host.target_kind(Path::new("/abs")), Some(EntryKind::Directory));
        assert_eq!(names(&host, "/abs"), ["file"]);
        assert!(host.read(Path::new("/loop"), 9).is_err());
        assert!(host.read(file, 3).is_err());
        assert!(host.kind(Path::new("/a/b/file/below")).is_none());
    }

    #[test]
    fn hides_what_is_unreadable() {
        let host = MemoryHost::default()
            .with_file("/p/secret/file", "text")
            .with("/p/secret", MemoryNode::Unreadable);
        let error = host.entries(Path::new("/p/secret")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        assert_eq!(host.kind(Path::new("/p/secret")), Some(EntryKind::Directory));
        assert_eq!(host.kind(Path::new("/p/secret/file")), None);
        assert_eq!(names(&host, "/p"), ["secret"]);
    }
}
