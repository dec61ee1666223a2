//! How far a run is, for whoever waits for it.
//!
//! The library counts nothing for it and knows no terminal: it calls, and the caller counts.

use std::path::Path;

/// Is told how far a run is, often and from several threads at once. So it counts by itself, and
/// comes back at once.
pub trait Progress: Sync {
    /// So many more projects are to be judged.
    fn asked(&self, projects: usize);

    /// One of them was loaded, and its binds were looked into.
    fn looked_at(&self);

    /// One of them was judged, or turned out to be one that cannot be.
    fn judged(&self);

    /// So many more files of a tree were counted.
    fn counted(&self, tree: &Path, files: u64);
}

/// Tells nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn asked(&self, _: usize) {}

    fn looked_at(&self) {}

    fn judged(&self) {}

    fn counted(&self, _: &Path, _: u64) {}
}
