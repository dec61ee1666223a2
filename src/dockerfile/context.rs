//! The directory that an image is built from.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::ignore::Ignore;
use super::stage::{Effect, Stage};
use crate::host::{EntryKind, Host, lexical_clean};

/// What of a build context matters here.
#[derive(Debug, Default)]
pub(super) struct Context {
    /// The directory.
    pub(super) directory: PathBuf,
    /// What never reaches the builder.
    pub(super) ignore: Ignore,
    /// Sources of `COPY` that are files.
    files: BTreeSet<String>,
}

impl Context {
    /// Looks at what the stages copy.
    pub(super) fn read(
        host: &dyn Host,
        directory: &Path,
        ignore: Ignore,
        stages: &[Stage],
    ) -> Self {
        let mut files = BTreeSet::new();
        for event in stages.iter().flat_map(|stage| &stage.events) {
            let Effect::Copy(copy) = &event.effect else { continue };
            if copy.from.is_none() && !copy.odd {
                let sources = copy.sources.iter().filter(|s| is_file(host, directory, s));
                files.extend(sources.cloned());
            }
        }
        Self { directory: directory.to_path_buf(), ignore, files }
    }

    /// True for a file, or for a pattern that names files.
    pub(super) fn is_file(&self, source: &str) -> bool {
        self.files.contains(source)
    }

    /// The host path of something in it; none when it leads out.
    pub(super) fn host_path(&self, source: &str) -> Option<PathBuf> {
        let path = lexical_clean(&self.directory.join(source.trim_start_matches('/')));
        path.starts_with(&self.directory).then_some(path)
    }
}

fn is_file(host: &dyn Host, directory: &Path, source: &str) -> bool {
    let clean = lexical_clean(&directory.join(source.trim_start_matches('/')));
    let name = source.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let ends = |name: &str| name.trim_start_matches('.').contains('.') && !source.ends_with('/');
    if !clean.starts_with(directory) {
        return false;
    }
    if source.contains(['*', '?', '[']) {
        return ends(name) && !matches!(name, "*.*" | ".*");
    }
    match host.kind(&clean) {
        Some(EntryKind::Directory | EntryKind::Link) => false,
        Some(_) => true,
        // Not in this checkout: an ending tells.
        None => ends(name),
    }
}
