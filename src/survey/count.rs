//! How many files a tree has.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::host::{EntryKind, Host};
use crate::progress::Progress;

/// Files seen before it pays to start threads: about a millisecond of work.
const ALONE: u64 = 512;
/// Threads at most; more only wait for the disk.
const MAX_THREADS: usize = 8;

/// What was counted in a tree. Files are regular files and links; links are not followed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Count {
    /// Files and links.
    pub(super) files: u64,
    /// Bytes in the regular files, if asked for.
    pub(super) bytes: u64,
    /// Directories that could not be read to the end.
    pub(super) unreadable: u64,
}

impl Count {
    fn add(&mut self, other: Self) {
        self.files += other.files;
        self.bytes += other.bytes;
        self.unreadable += other.unreadable;
    }

    /// Counts what lies directly in `directory`, until there are `enough` files. Directories in it
    /// are added to `found`.
    fn directory(
        &mut self,
        of: Of<'_>,
        directory: &Path,
        enough: Option<u64>,
        found: &mut Vec<PathBuf>,
    ) {
        let before = self.files;
        let scanned = of.host.scan(directory, enough.is_none(), &mut |entry, size| {
            match entry.kind {
                EntryKind::Directory => found.push(directory.join(entry.name)),
                EntryKind::File | EntryKind::Link => {
                    self.files += 1;
                    self.bytes += size;
                }
                EntryKind::Other => {}
            }
            let done = enough.is_some_and(|enough| self.files >= enough);
            if done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if scanned.is_err() {
            self.unreadable += 1;
        }
        of.progress.counted(of.tree, self.files - before);
    }
}

/// What is counted, and who is told.
#[derive(Clone, Copy)]
struct Of<'a> {
    host: &'a dyn Host,
    tree: &'a Path,
    progress: &'a dyn Progress,
}

/// Counts up to `enough` files, 1 or more, and no bytes.
///
/// Reports no unreadable directory once it has enough: whether it came across one is chance.
pub(super) fn up_to(host: &dyn Host, tree: &Path, enough: u64, progress: &dyn Progress) -> Count {
    let of = Of { host, tree, progress };
    let mut count = Count::default();
    let mut open = vec![tree.to_path_buf()];
    while let Some(directory) = open.pop() {
        count.directory(of, &directory, Some(enough), &mut open);
        if count.files >= enough {
            return Count { files: enough, ..Count::default() };
        }
    }
    count
}

/// Counts everything, with several threads once the tree proves big.
pub(super) fn all(host: &dyn Host, tree: &Path, progress: &dyn Progress) -> Count {
    let of = Of { host, tree, progress };
    let mut count = Count::default();
    let mut open = vec![tree.to_path_buf()];
    while count.files < ALONE {
        let Some(directory) = open.pop() else { return count };
        count.directory(of, &directory, None, &mut open);
    }
    // One core may as well count while another waits for the disk.
    let threads = thread::available_parallelism().map_or(2, usize::from).clamp(2, MAX_THREADS);
    let queue = Queue { state: Mutex::new(State { open, ..State::default() }), ..Queue::default() };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(|| queue.work(of))).collect();
        for worker in workers {
            match worker.join() {
                Ok(counted) => count.add(counted),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    count
}

/// Directories still to be counted, shared by the threads.
#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    open: Vec<PathBuf>,
    /// Threads that are counting and may find more directories.
    busy: usize,
    /// Threads that wait. Waking them costs a system call, also when there is none.
    waiting: usize,
}

impl Queue {
    /// Counts directories until there are none left and none can come.
    fn work(&self, of: Of<'_>) -> Count {
        let mut count = Count::default();
        let mut found = Vec::new();
        while let Some(directory) = self.next() {
            count.directory(of, &directory, None, &mut found);
            let mut state = self.lock();
            state.busy -= 1;
            let wake = state.waiting > 0 && (!found.is_empty() || state.busy == 0);
            state.open.append(&mut found);
            drop(state);
            if wake {
                self.changed.notify_all();
            }
        }
        count
    }

    fn next(&self) -> Option<PathBuf> {
        let mut state = self.lock();
        loop {
            if let Some(directory) = state.open.pop() {
                state.busy += 1;
                return Some(directory);
            }
            if state.busy == 0 {
                return None;
            }
            state.waiting += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::host::{MemoryHost, MemoryNode, RealHost};
    use crate::progress::Silent;

    fn all(host: &dyn Host, tree: &Path) -> Count {
        super::all(host, tree, &Silent)
    }

    fn up_to(host: &dyn Host, tree: &Path, enough: u64) -> Count {
        super::up_to(host, tree, enough, &Silent)
    }

    const TREE: &str = "/p/t";

    fn host(files: u64) -> MemoryHost {
        MemoryHost::default()
            .with(TREE, MemoryNode::Tree(files))
            .with("/p/t/d0/link", MemoryNode::Link("f0".into()))
            .with("/p/t/d0/socket", MemoryNode::Other)
    }

    #[test]
    fn stops_at_the_limit_exactly() {
        let count = |enough| up_to(&host(700), Path::new(TREE), enough);
        assert_eq!(count(500), Count { files: 500, ..Count::default() });
        assert_eq!(count(701), Count { files: 701, ..Count::default() });
        assert_eq!(count(702), Count { files: 701, ..Count::default() });
    }

    #[test]
    fn counts_everything_with_and_without_threads() {
        for files in [0, 1, 49, 511, 512, 5_000] {
            let count = all(&host(files), Path::new(TREE));
            assert_eq!(count, Count { files: files + 1, bytes: files * 100, unreadable: 0 });
        }
    }

    /// Sums up what it is told.
    #[derive(Default)]
    struct Sum(AtomicU64);

    impl Progress for Sum {
        fn asked(&self, _: usize) {}

        fn looked_at(&self) {}

        fn judged(&self) {}

        fn counted(&self, tree: &Path, files: u64) {
            assert_eq!(tree, Path::new(TREE));
            self.0.fetch_add(files, Ordering::Relaxed);
        }
    }

    #[test]
    fn every_file_is_told_once_from_all_threads() {
        for files in [0, 49, 5_000] {
            let sum = Sum::default();
            let count = super::all(&host(files), Path::new(TREE), &sum);
            assert_eq!(sum.0.into_inner(), count.files);
        }
        let sum = Sum::default();
        super::up_to(&host(700), Path::new(TREE), 500, &sum);
        assert_eq!(sum.0.into_inner(), 500);
    }

    #[test]
    fn tells_unreadable_directories() {
        let host = host(1_000)
            .with("/p/t/a", MemoryNode::Unreadable)
            .with("/p/t/d3/b", MemoryNode::Unreadable);
        assert_eq!(all(&host, Path::new(TREE)).unreadable, 2);
        assert_eq!(up_to(&host, Path::new(TREE), 2_000).unreadable, 2);
        assert_eq!(up_to(&host, Path::new(TREE), 1_000).unreadable, 0);
    }

    #[cfg(unix)]
    #[test]
    fn follows_no_link_on_disk() {
        let directory = tempfile::tempdir().unwrap();
        let tree = directory.path();
        std::fs::create_dir(tree.join("a")).unwrap();
        std::fs::File::create(tree.join("a/file")).unwrap().set_len(7).unwrap();
        std::os::unix::fs::symlink("..", tree.join("a/up")).unwrap();
        assert_eq!(all(&RealHost, tree), Count { files: 2, bytes: 7, unreadable: 0 });
        assert_eq!(up_to(&RealHost, tree, 9), Count { files: 2, bytes: 0, unreadable: 0 });
    }
}
