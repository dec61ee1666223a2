//! The project that Compose loads: services, mounts and volumes, each with the bytes that wrote it.
//!
//! [`load`] follows Compose's own phases, see `load.rs`. What is not modelled here (ports, networks,
//! environment, …) is still kept apart and merged, but nobody reads it.
//!
//! What Compose accepts is never refused. What it refuses is refused here, too, but for what may be
//! right on another machine or beside another file: a variable that is not set, though the file
//! demands it by `?`, as a fresh clone has no `.env` yet (what depends on it is
//! [skipped](Project::skipped)); a service, volume or network that is named and not there, as a
//! fragment may be loaded on its own; and a name that a newer Compose may know.

mod conflict;
mod dotenv;
mod extends;
mod extract;
mod forms;
mod include;
pub mod interpolate;
mod load;
mod merge;
mod resolve;
mod select;
mod targets;
mod value;
mod volume;

use std::path::{Component, Path, PathBuf};

use crate::source::{Source, Span};
use crate::yaml::Document;

pub use load::load;
pub use select::{DEFAULT_NAMES, OVERRIDE_NAMES, Request, files_of_directory};
pub use value::{BaseId, Data, FileId, List, Map, Origin, Replaced, Slot, Text, Value};
pub use volume::{MountKind, is_path, sections};

/// A loaded project.
#[derive(Debug)]
pub struct Project {
    /// Its name, as Compose derives it: the prefix of the engine's names for its volumes.
    pub name: String,
    /// The project directory.
    pub directory: PathBuf,
    /// Every file that was read, in the order of reading.
    pub files: Vec<File>,
    /// Directories that relative paths start from.
    pub bases: Vec<PathBuf>,
    /// All services, by name, those of inactive profiles included.
    pub services: Vec<Service>,
    /// Top-level volumes, by key.
    pub volumes: Vec<Volume>,
    /// What could not be judged, and why.
    pub skipped: Vec<Skipped>,
    /// Everything, merged: also what is not modelled above.
    pub root: Value,
}

/// One file of a project.
#[derive(Debug)]
pub struct File {
    /// Absolute path.
    pub path: PathBuf,
    /// Its text.
    pub source: Source,
    /// Its tree.
    pub document: Document,
    /// How it came into the project.
    pub role: Role,
}

/// How a file came into a project. Ordered by how much of it the project takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Named by the user or found by its name.
    Main,
    /// By `include`: all of it, as a project of its own.
    Included,
    /// By `extends`: single services, no top-level volumes.
    Extended,
}

/// A service after everything is merged.
#[derive(Debug, Clone)]
pub struct Service {
    /// Its name.
    pub name: String,
    /// True when its profiles are active: Compose would start it.
    pub active: bool,
    /// The mappings that were merged into it, in order; merge keys not counted.
    pub parts: Vec<Origin>,
    /// The lists that its `volumes` were put together from, in order.
    pub volume_lists: Vec<Origin>,
    /// Mounts that count, in Compose's order; its `tmpfs` entries last.
    pub mounts: Vec<Mount>,
    /// Mounts that a later one on the same target replaced, with that later one's place.
    pub replaced: Vec<(Mount, Place)>,
    /// `image`.
    pub image: Option<String>,
    /// `build`: text that is equal for services that build the same image.
    pub build: Option<String>,
    /// See [`Service::image_key`].
    pub(crate) image_key: String,
    /// `user`.
    pub user: Option<String>,
    /// `command` as words.
    pub command: Vec<String>,
    /// `entrypoint` as words.
    pub entrypoint: Vec<String>,
    /// Services that its `volumes_from` names.
    pub volumes_from: Vec<String>,
}

impl Service {
    /// What tells whether two services run the same image: equal texts mean equal images.
    pub fn image_key(&self) -> &str {
        &self.image_key
    }

    /// The mount that decides what the container sees at `path`: the deepest one at or above it.
    pub fn mount_at(&self, path: &str) -> Option<&Mount> {
        self.mounts
            .iter()
            .filter(|m| m.target.starts_with('/') && is_under(path, &m.target))
            .max_by_key(|m| m.target.len())
    }
}

/// One mount of one service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// What it brings in.
    pub kind: MountKind,
    /// A bind's host path or a volume's key, as Compose resolves it; none for an anonymous volume.
    pub source: Option<String>,
    /// Container path, cleaned.
    pub target: String,
    /// Mounted read-only.
    pub read_only: bool,
    /// How it is written.
    pub syntax: Syntax,
    /// Options of a short entry's third section.
    pub options: Vec<String>,
    /// Variables without value in it: what is mounted on another machine is not known.
    pub unset: Vec<String>,
    /// The node that wrote it.
    pub origin: Origin,
    /// Its place in a `volumes` list; none for the service's `tmpfs`.
    pub place: Option<Place>,
}

impl Mount {
    /// The host directory or file of a bind, if it is a path of this kind of machine.
    pub fn host_path(&self) -> Option<&Path> {
        let source = self.source.as_deref().filter(|_| self.kind == MountKind::Bind)?;
        let path = Path::new(source);
        (path.is_absolute() && self.unset.is_empty()).then_some(path)
    }
}

/// How a mount is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// `source:target`
    Short,
    /// A mapping with `type`.
    Long,
    /// An entry of the service's `tmpfs`.
    Tmpfs,
}

/// A place in a list: before the item that stands there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The list.
    pub list: Origin,
    /// Index of the item, from 0.
    pub index: usize,
}

/// A top-level volume.
#[derive(Debug, Clone)]
pub struct Volume {
    /// Its key.
    pub key: String,
    /// What wrote it.
    pub origin: Origin,
    /// Its definition.
    pub definition: Value,
}

/// Something that could not be judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The value concerned.
    pub origin: Origin,
    /// The service concerned.
    pub service: Option<String>,
    /// Why: lower case, no full stop.
    pub reason: String,
}

impl Project {
    /// A service by name.
    pub fn service(&self, name: &str) -> Option<&Service> {
        self.services.iter().find(|s| s.name == name)
    }

    /// The file of an origin.
    pub fn file(&self, id: FileId) -> Option<&File> {
        self.files.get(id.0)
    }

    /// Name of the file and the bytes behind an origin.
    pub fn place_of(&self, origin: Origin) -> (&str, Span) {
        self.file(origin.file).map_or(("", Span::default()), |file| {
            (file.source.name(), file.document.node(origin.node).span)
        })
    }
}

/// A project name as Compose makes it fit: small letters, digits, `_` and `-`, a letter or digit first.
fn fit_name(name: &str) -> String {
    let name = name.to_lowercase();
    let fit = name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    fit.collect::<String>().trim_start_matches(['_', '-']).to_owned()
}

/// Cleans a container path as Compose does: no double slashes, no `.`, no `..`, no slash at the end.
pub fn clean_path(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            ".." if absolute => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (absolute, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}

/// True when `path` is `top` or lies below it. Both are cleaned container paths.
pub fn is_under(path: &str, top: &str) -> bool {
    path.strip_prefix(top)
        .is_some_and(|rest| top == "/" || rest.is_empty() || rest.starts_with('/'))
}

/// `path` as reports show it: relative to the working directory, with `/`.
pub fn relative_name(directory: &Path, path: &Path) -> String {
    let from: Vec<Component<'_>> = directory.components().collect();
    let to: Vec<Component<'_>> = path.components().collect();
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from.iter().skip(common).map(|_| "..".to_owned());
    let down = to.iter().skip(common).map(|c| c.as_os_str().to_string_lossy().into_owned());
    let parts: Vec<String> = up.chain(down).collect();
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}

#[cfg(test)]
mod tests;
