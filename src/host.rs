//! The only look at the machine: files, directories and the environment.
//!
//! Everything that reads the file system goes through [`Host`], so that any layout, of any platform,
//! can be a fixture. Paths are absolute throughout.

mod memory;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};

pub use memory::{MemoryHost, MemoryNode};

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

impl From<fs::FileType> for EntryKind {
    fn from(kind: fs::FileType) -> Self {
        if kind.is_symlink() {
            Self::Link
        } else if kind.is_dir() {
            Self::Directory
        } else if kind.is_file() {
            Self::File
        } else {
            Self::Other
        }
    }
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

    /// Shows `visit` every entry of a directory, in whatever order the system has them, until it
    /// breaks off. The number is the size of a regular file in bytes when `sizes` asks for it, else 0.
    ///
    /// Holds one entry at a time, so a directory may have any number of them.
    ///
    /// # Errors
    /// What the system says, also after some entries have been shown.
    fn scan(
        &self,
        path: &Path,
        sizes: bool,
        visit: &mut dyn FnMut(Entry, u64) -> ControlFlow<()>,
    ) -> io::Result<()>;

    /// Entries of a directory, sorted by name.
    ///
    /// # Errors
    /// What the system says.
    fn entries(&self, path: &Path) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        self.scan(path, false, &mut |entry, _| {
            entries.push(entry);
            ControlFlow::Continue(())
        })?;
        entries.sort();
        Ok(entries)
    }

    /// Size of a regular file in bytes, links not followed; 0 when it cannot be seen.
    fn size(&self, path: &Path) -> u64;

    /// Where a symbolic link points, as it is written.
    ///
    /// # Errors
    /// What the system says, `InvalidInput` for what is no link.
    fn link(&self, path: &Path) -> io::Result<PathBuf>;

    /// The path with every link in it followed.
    ///
    /// # Errors
    /// What the system says, `NotFound` for a path that is not there.
    fn canonical(&self, path: &Path) -> io::Result<PathBuf>;
}

/// The machine that the program runs on.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealHost;

impl Host for RealHost {
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        // Opening a pipe waits for a writer and opening a device may do anything, so look first.
        let size = regular_file(&fs::metadata(path)?, limit)?;
        let file = File::open(path)?;
        // What was opened may be another file by now.
        regular_file(&file.metadata()?, limit)?;
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if u64::try_from(bytes.len()).is_ok_and(|size| size <= limit) {
            Ok(bytes)
        } else {
            Err(too_large(limit))
        }
    }

    fn kind(&self, path: &Path) -> Option<EntryKind> {
        fs::symlink_metadata(path).ok().map(|data| data.file_type().into())
    }

    fn target_kind(&self, path: &Path) -> Option<EntryKind> {
        fs::metadata(path).ok().map(|data| data.file_type().into())
    }

    fn scan(
        &self,
        path: &Path,
        sizes: bool,
        visit: &mut dyn FnMut(Entry, u64) -> ControlFlow<()>,
    ) -> io::Result<()> {
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            // Usually comes with the listing, without a system call of its own.
            let kind = match entry.file_type() {
                Ok(kind) => EntryKind::from(kind),
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            let size = if sizes && kind == EntryKind::File {
                entry.metadata().map_or(0, |data| data.len())
            } else {
                0
            };
            if visit(Entry { name: entry.file_name(), kind }, size).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn size(&self, path: &Path) -> u64 {
        fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file).map_or(0, |data| data.len())
    }

    fn link(&self, path: &Path) -> io::Result<PathBuf> {
        fs::read_link(path)
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        // Windows spells such a path `\\?\C:\x`, which no other program shows.
        dunce::canonicalize(path)
    }
}

/// The size of a regular file of at most `limit` bytes.
fn regular_file(data: &fs::Metadata, limit: u64) -> io::Result<u64> {
    if !data.is_file() {
        return Err(not_a_file());
    }
    if data.len() > limit { Err(too_large(limit)) } else { Ok(data.len()) }
}

fn not_a_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}

fn too_large(limit: u64) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("larger than {limit} bytes"))
}

/// The path without `.`, `..` and doubled separators, links not looked at: `/a/./b/../c` is `/a/c`,
/// `/..` is `/`, nothing at all is `.`.
///
/// Does to text what Go's `filepath.Clean` does, since that is how Compose joins paths.
pub fn lexical_clean(path: &Path) -> PathBuf {
    let mut clean: Vec<Component<'_>> = Vec::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => match clean.last() {
                Some(Component::Normal(_)) => drop(clean.pop()),
                Some(Component::RootDir | Component::Prefix(_)) => {}
                _ => clean.push(component),
            },
            _ => clean.push(component),
        }
    }
    if clean.is_empty() { PathBuf::from(".") } else { clean.iter().collect() }
}

/// What the process was started with. Read once, at the edge of the program.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// Variables; those that are not UTF-8 are left out.
    pub variables: BTreeMap<String, String>,
    /// The working directory, absolute.
    pub directory: PathBuf,
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// The operating system.
    pub system: System,
    /// True on 64-bit ARM, such as Apple silicon.
    pub is_arm: bool,
}

/// Operating systems that engines tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum System {
    /// Linux, WSL included, and whatever is none of the others.
    #[default]
    Linux,
    /// macOS.
    Macos,
    /// Windows itself.
    Windows,
}

impl System {
    /// The system that the program was built for.
    pub fn current() -> Self {
        match std::env::consts::OS {
            "macos" => Self::Macos,
            "windows" => Self::Windows,
            _ => Self::Linux,
        }
    }
}

impl Environment {
    /// The environment of this process.
    ///
    /// The working directory is spelled as in `$PWD` when that names the same directory: shells and
    /// Compose do so, and a path below it then keeps the links that the user sees.
    ///
    /// # Errors
    /// What the system says when there is no working directory, because it was deleted for example.
    pub fn from_process() -> io::Result<Self> {
        #[expect(clippy::disallowed_methods, reason = "this is the one place that reads it")]
        let directory = std::env::current_dir()?;
        Ok(Self::from_parts(std::env::vars_os(), directory))
    }

    fn from_parts(variables: impl Iterator<Item = (OsString, OsString)>, real: PathBuf) -> Self {
        let home_name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        let mut environment = Self {
            directory: real,
            system: System::current(),
            is_arm: std::env::consts::ARCH == "aarch64",
            ..Self::default()
        };
        let mut shown = None;
        for (name, value) in variables {
            if name == "PWD" {
                shown = Some(value.clone());
            } else if name == home_name && !value.is_empty() {
                environment.home = Some(PathBuf::from(&value));
            }
            if let (Ok(name), Ok(value)) = (name.into_string(), value.into_string()) {
                environment.variables.insert(name, value);
            }
        }
        if let Some(shown) = shown.filter(|shown| same_directory(shown, &environment.directory)) {
            environment.directory = PathBuf::from(shown);
        }
        environment
    }
}

/// True when `shown` is an absolute path of the directory `real`.
fn same_directory(shown: &OsStr, real: &Path) -> bool {
    let shown = Path::new(shown);
    let same = || Some(fs::canonicalize(shown).ok()? == fs::canonicalize(real).ok()?);
    shown.is_absolute() && same().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cleans_paths_as_go_does() {
        for (path, clean) in [
            ("", "."),
            (".", "."),
            ("./", "."),
            ("a/./b/../c", "a/c"),
            ("a//b/", "a/b"),
            ("a/..", "."),
            ("a/../..", ".."),
            ("../../a", "../../a"),
            ("/", "/"),
            ("/..", "/"),
            ("/../a", "/a"),
            ("/a/b/../../..", "/"),
        ] {
            let got = lexical_clean(Path::new(path));
            assert_eq!(got.as_os_str(), Path::new(clean).as_os_str(), "{path:?}");
        }
    }

    #[test]
    fn reads_regular_files_within_the_limit_only() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a");
        fs::File::create(&file).and_then(|mut f| io::Write::write_all(&mut f, b"12345")).unwrap();
        assert_eq!(RealHost.read(&file, 5).unwrap(), b"12345");
        assert_eq!(RealHost.read(&file, 4).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        let error = RealHost.read(directory.path(), 99).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        let missing = RealHost.read(&directory.path().join("b"), 99).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        assert_eq!(RealHost.size(&file), 5);
        assert_eq!(RealHost.size(directory.path()), 0);
    }

    #[cfg(unix)]
    #[test]
    fn never_waits_for_a_pipe_or_reads_a_device() {
        let directory = tempfile::tempdir().unwrap();
        let pipe = directory.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        if made.is_ok_and(|status| status.success()) {
            assert_eq!(RealHost.kind(&pipe), Some(EntryKind::Other));
            assert_eq!(RealHost.read(&pipe, 9).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        } else {
            eprintln!("skipped the pipe: no mkfifo");
        }
        let error = RealHost.read(Path::new("/dev/zero"), 9).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }

    #[cfg(unix)]
    #[test]
    fn tells_links_from_their_targets() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::create_dir(at("b")).unwrap();
        File::create(at("c")).unwrap();
        std::os::unix::fs::symlink("b", at("a")).unwrap();
        std::os::unix::fs::symlink("gone", at("d")).unwrap();
        let found: Vec<_> = RealHost
            .entries(directory.path())
            .unwrap()
            .into_iter()
            .map(|entry| (entry.name.into_string().unwrap(), entry.kind))
            .collect();
        let expected = [
            ("a".to_owned(), EntryKind::Link),
            ("b".to_owned(), EntryKind::Directory),
            ("c".to_owned(), EntryKind::File),
            ("d".to_owned(), EntryKind::Link),
        ];
        assert_eq!(found, expected);
        assert_eq!(RealHost.target_kind(&at("a")), Some(EntryKind::Directory));
        assert_eq!(RealHost.target_kind(&at("d")), None);
        assert_eq!(RealHost.link(&at("d")).unwrap(), Path::new("gone"));
        assert_eq!(RealHost.link(&at("c")).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        assert_eq!(RealHost.canonical(&at("a")).unwrap(), fs::canonicalize(at("b")).unwrap());
    }

    #[cfg(unix)]
    #[test]
    fn keeps_the_spelling_of_pwd_only_where_it_is_true() {
        use std::os::unix::ffi::OsStringExt as _;

        let directory = tempfile::tempdir().unwrap();
        let real = fs::canonicalize(directory.path()).unwrap().join("real");
        let link = directory.path().join("link");
        fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let with = |pwd: &Path| {
            let variables = [
                ("PWD".into(), pwd.into()),
                ("HOME".into(), "/home/me".into()),
                ("BAD".into(), OsString::from_vec(vec![0xff])),
            ];
            Environment::from_parts(variables.into_iter(), real.clone())
        };
        assert_eq!(with(&link).directory, link);
        assert_eq!(with(directory.path()).directory, real);
        assert_eq!(with(Path::new("link")).directory, real);
        assert_eq!(with(Path::new("/no/such/place")).directory, real);
        assert_eq!(with(&link).home.as_deref(), Some(Path::new("/home/me")));
        assert!(!with(&link).variables.contains_key("BAD"));
    }

    #[test]
    fn reads_the_process() {
        let environment = Environment::from_process().unwrap();
        assert!(environment.directory.is_absolute());
        assert!(environment.variables.contains_key("PATH"));
    }
}
