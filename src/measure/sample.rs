//! Which part of a tree is measured: all of it, or a sample of one that is large.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::host::{EntryKind, Host};

/// What lies in a tree or a part of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amount {
    /// Files, links and the like.
    pub files: u64,
    /// Directories, the top not counted.
    pub directories: u64,
    /// Bytes in the files.
    pub bytes: u64,
}

impl Amount {
    /// Files and directories.
    pub fn entries(self) -> u64 {
        self.files + self.directories
    }

    fn plus(self, other: Self) -> Self {
        Self {
            files: self.files + other.files,
            directories: self.directories + other.directories,
            bytes: self.bytes + other.bytes,
        }
    }
}

/// How much is measured at most.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) entries: u64,
    pub(super) bytes: u64,
}

/// A slow share opens a file in 1 to 3 ms and a measurement goes through the sample more than ten
/// times, so that this many entries take a few minutes at worst.
pub(super) const LIMITS: Limits = Limits { entries: 5_000, bytes: 128 << 20 };

/// Parts that a sample is made of, at least: one part alone may be unlike the others.
const PARTS: u64 = 20;

/// What is measured of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// The whole tree.
    pub whole: Amount,
    /// What is measured of it.
    pub amount: Amount,
    /// The directories and files that are measured, relative to the tree, in order; none for all.
    pub units: Option<Vec<PathBuf>>,
}

/// Chooses what is measured. None when not even one file is within the limits.
///
/// The choice depends on names and sizes alone: parts are taken in the order of their names, evenly
/// over the whole tree.
pub(super) fn choose(host: &dyn Host, tree: &Path, limits: Limits) -> io::Result<Option<Sample>> {
    let folder = Folder::read(host, tree)?;
    let whole = folder.total;
    if whole.entries() <= limits.entries && whole.bytes <= limits.bytes {
        return Ok(Some(Sample { whole, amount: whole, units: None }));
    }
    let mut parts = Vec::new();
    folder.split(host, tree, Path::new(""), limits, &mut parts)?;
    let (amount, units) = spread(&parts, whole, limits);
    Ok((!units.is_empty()).then_some(Sample { whole, amount, units: Some(units) }))
}

/// A directory with the sums of what lies below it.
#[derive(Default)]
struct Folder {
    total: Amount,
    below: BTreeMap<OsString, Self>,
}

impl Folder {
    fn read(host: &dyn Host, path: &Path) -> io::Result<Self> {
        let mut folder = Self::default();
        host.scan(path, true, &mut |entry, size| {
            if entry.kind == EntryKind::Directory {
                folder.below.insert(entry.name, Self::default());
            } else {
                folder.total.files += 1;
                folder.total.bytes += size;
            }
            ControlFlow::Continue(())
        })?;
        for (name, below) in &mut folder.below {
            *below = Self::read(host, &path.join(name))?;
            let itself = Amount { directories: 1, ..Amount::default() };
            folder.total = folder.total.plus(below.total).plus(itself);
        }
        Ok(folder)
    }

    /// Parts that are each a small share of what is measured, by name; a file is never split.
    fn split(
        &self,
        host: &dyn Host,
        path: &Path,
        relative: &Path,
        limits: Limits,
        parts: &mut Vec<(PathBuf, Amount)>,
    ) -> io::Result<()> {
        let mut names = BTreeMap::new();
        host.scan(path, true, &mut |entry, size| {
            names.insert(entry.name, size);
            ControlFlow::Continue(())
        })?;
        for (name, bytes) in names {
            let own = relative.join(&name);
            let Some(folder) = self.below.get(&name) else {
                parts.push((own, Amount { files: 1, directories: 0, bytes }));
                continue;
            };
            let Amount { bytes, .. } = folder.total;
            let entries = folder.total.entries();
            if entries <= limits.entries / PARTS && bytes <= limits.bytes / PARTS {
                let itself = Amount { directories: 1, ..Amount::default() };
                parts.push((own, folder.total.plus(itself)));
            } else {
                folder.split(host, &path.join(&name), &own, limits, parts)?;
            }
        }
        Ok(())
    }
}

/// Takes a part whenever what is taken so far stays within its share of what was passed by.
fn spread(parts: &[(PathBuf, Amount)], whole: Amount, limits: Limits) -> (Amount, Vec<PathBuf>) {
    let within = |taken: u64, passed: u64, limit: u64, whole: u64| {
        u128::from(taken) * u128::from(whole.max(limit)) <= u128::from(passed) * u128::from(limit)
    };
    let (mut taken, mut passed, mut units) = (Amount::default(), Amount::default(), Vec::new());
    for (path, amount) in parts {
        passed = passed.plus(*amount);
        let with = taken.plus(*amount);
        if within(with.entries(), passed.entries(), limits.entries, whole.entries())
            && within(with.bytes, passed.bytes, limits.bytes, whole.bytes)
        {
            taken = with;
            units.push(path.clone());
        }
    }
    (taken, units)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{MemoryHost, RealHost};

    const SMALL: Limits = Limits { entries: 100, bytes: 1 << 20 };

    fn tree(packages: usize, files: usize) -> MemoryHost {
        let mut host = MemoryHost::default();
        for package in 0..packages {
            for file in 0..files {
                host = host.with_file(format!("/t/p{package:03}/lib/{file:03}.js"), "12345678");
            }
        }
        host
    }

    #[test]
    fn a_small_tree_is_measured_as_a_whole() {
        let sample = choose(&tree(4, 10), Path::new("/t"), SMALL).unwrap().unwrap();
        let whole = Amount { files: 40, directories: 8, bytes: 320 };
        assert_eq!(sample, Sample { whole, amount: whole, units: None });
    }

    #[test]
    fn a_large_tree_is_sampled_evenly_and_always_alike() {
        let host = tree(100, 8);
        let sample = choose(&host, Path::new("/t"), SMALL).unwrap().unwrap();
        assert_eq!(choose(&host, Path::new("/t"), SMALL).unwrap().unwrap(), sample);
        assert_eq!(sample.whole.entries(), 1_000);
        let units = sample.units.unwrap();
        assert!((80..=100).contains(&sample.amount.entries()), "{:?}", sample.amount);
        let tens: std::collections::BTreeSet<_> = units
            .iter()
            .map(|unit| unit.to_str().unwrap().chars().take(3).collect::<String>())
            .collect();
        assert_eq!(tens.len(), 10, "{units:?}");
    }

    #[test]
    fn a_directory_full_of_files_is_sampled_by_files() {
        let mut host = MemoryHost::default();
        for file in 0..1_000 {
            host = host.with_file(format!("/t/deps/{file:04}.o"), "1");
        }
        let sample = choose(&host, Path::new("/t"), SMALL).unwrap().unwrap();
        assert!((90..=100).contains(&sample.amount.files), "{:?}", sample.amount);
        assert_eq!(sample.whole.files, 1_000);
    }

    #[test]
    fn a_file_beyond_the_limit_is_left_out() {
        let limits = Limits { entries: 100, bytes: 100 };
        let host = tree(2, 2).with_file("/t/p000/big", "x".repeat(1_000));
        let sample = choose(&host, Path::new("/t"), limits).unwrap().unwrap();
        assert!(sample.amount.bytes <= 100 && sample.amount.files > 0, "{sample:?}");
        let host = MemoryHost::default().with_file("/t/big", "x".repeat(1_000));
        assert_eq!(choose(&host, Path::new("/t"), limits).unwrap(), None);
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        assert!(choose(&RealHost, Path::new("/no/such/tree"), SMALL).is_err());
    }
}
