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

mod build;
mod complete;
mod conflict;
mod dotenv;
mod extends;
mod extract;
mod forms;
mod include;
pub mod interpolate;
mod load;
mod merge;
mod overlay;
mod resolve;
mod select;
mod targets;
mod value;
mod volume;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use crate::source::{Source, Span};
use crate::yaml::Document;

pub use complete::missing;
pub use load::load;
pub use overlay::{Resolved, resolve};
pub use select::{Chosen, DEFAULT_NAMES, OVERRIDE_NAMES, Request, files_of_directory};
pub use value::{BaseId, Data, FileId, List, Map, Origin, Replaced, Slot, Text, Value};
pub use volume::{CONSISTENCY_FLAGS, MountKind, is_path, sections};

/// A loaded project.
#[derive(Debug)]
pub struct Project {
    /// Its name, as Compose derives it: the prefix of the engine's names for its volumes.
    pub name: String,
    /// The project directory.
    pub directory: PathBuf,
    /// The files that it is put together from, the lower ones first; what these include or extend is
    /// not among them.
    pub stack: Vec<PathBuf>,
    /// Who chose these files.
    pub chosen: Chosen,
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
    /// `build`: what the image is built from.
    pub build_of: Option<Build>,
    /// See [`Service::image_key`].
    pub(crate) image_key: String,
    /// `user`.
    pub user: Option<String>,
    /// `command` as words.
    pub command: Vec<String>,
    /// `entrypoint` as words.
    pub entrypoint: Vec<String>,
    /// `environment`, either form; none for a value that is not known: one that comes from whoever
    /// runs Compose, or that holds a variable without value.
    pub environment: BTreeMap<String, Option<String>>,
    /// Host paths of its `env_file`, in order, whose variables `environment` overrules.
    pub env_files: Vec<String>,
    /// Rules of its `develop.watch`, in order.
    pub watch: Vec<WatchRule>,
    /// Services that its `depends_on` names: Compose creates their containers first.
    pub depends_on: Vec<String>,
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

/// What a service's image is built from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Build {
    /// Directory of the context as Compose resolves it, or the address of a remote one.
    pub context: String,
    /// True for a context that is no directory of this machine: a repository, an archive.
    pub remote: bool,
    /// The Dockerfile, relative to the context; none for `Dockerfile`.
    pub dockerfile: Option<String>,
    /// `dockerfile_inline`: the text itself.
    pub inline: Option<String>,
    /// The stage to build; none for the last.
    pub target: Option<String>,
    /// Values for `ARG`; none where it comes from whoever builds.
    pub args: BTreeMap<String, Option<String>>,
    /// Names of `additional_contexts`.
    pub additional_contexts: BTreeSet<String>,
    /// Variables without value that it depends on.
    pub unset: Vec<String>,
}

/// One mount of one service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// What it brings in.
    pub kind: MountKind,
    /// A bind's host path without `.`, `..` and doubled separators, or a volume's key; none for an
    /// anonymous volume.
    pub source: Option<String>,
    /// The path that Compose hands to the engine where it is not `source`: it leaves absolute paths
    /// as they are written, `//c/work` for example.
    pub uncleaned: Option<String>,
    /// Container path, cleaned.
    pub target: String,
    /// Mounted read-only.
    pub read_only: bool,
    /// How it is written.
    pub syntax: Syntax,
    /// Options of a short entry's third section.
    pub options: Vec<String>,
    /// A volume that the engine must not fill from the image.
    pub nocopy: bool,
    /// `cached`, `delegated` or `consistent`, if it names one: a short entry's first such option, or
    /// a long entry's `consistency`. Other words there mean nothing to anybody and are left out.
    pub consistency: Option<String>,
    /// True for a bind that Compose from version 2 describes to the engine by its interface for
    /// mounts, `consistency` with it: in long syntax with `create_host_path: false`, `propagation`
    /// or `recursive`. Any other becomes a line of text on which there is no place for a flag.
    pub by_mount_interface: bool,
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

impl Mount {
    /// Puts a consistency flag in the place of the present ones, as an edit of the entry does.
    pub fn set_consistency(&mut self, flag: Option<&str>) {
        self.consistency = flag.map(str::to_owned);
        if self.syntax == Syntax::Short {
            self.options.retain(|o| !CONSISTENCY_FLAGS.contains(&o.as_str()));
            self.options.extend(flag.map(str::to_owned));
        }
    }
}

/// A rule of `develop.watch`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchRule {
    /// `sync`, `rebuild`, `restart`, `sync+restart`, `sync+exec`.
    pub action: String,
    /// Absolute host path.
    pub path: String,
    /// Container path that it copies to, cleaned.
    pub target: Option<String>,
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
    /// Absolute host path of a volume of the driver `local` whose options make it a bind mount.
    pub bind: Option<String>,
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
        let at = self.services.binary_search_by(|service| service.name.as_str().cmp(name)).ok()?;
        self.services.get(at)
    }

    /// An attribute of a service after everything is merged, also one that is not modelled.
    pub fn attribute(&self, service: &str, key: &str) -> Option<&Value> {
        self.root.get("services")?.get(service)?.get(key)
    }

    /// The file of an origin.
    pub fn file(&self, id: FileId) -> Option<&File> {
        self.files.get(id.0)
    }

    /// The services whose containers are created before a service's: those that it depends on, and
    /// those that they depend on.
    pub fn dependencies<'a>(&'a self, service: &'a Service) -> BTreeSet<&'a str> {
        let mut found = BTreeSet::new();
        let mut open: Vec<&Service> = vec![service];
        while let Some(service) = open.pop() {
            for name in &service.depends_on {
                if found.insert(name.as_str()) {
                    open.extend(self.service(name));
                }
            }
        }
        found
    }

    /// The host directory or file behind a mount: a bind's source, or the device of a volume that is
    /// a bind by its options. None when there is none or it is no path of this kind of machine.
    pub fn host_source<'p>(&'p self, mount: &'p Mount) -> Option<&'p Path> {
        if mount.kind == MountKind::Bind {
            return mount.host_path();
        }
        let key = mount.source.as_deref().filter(|_| mount.kind == MountKind::Volume)?;
        let device = self.volumes.iter().find(|v| v.key == key)?.bind.as_deref()?;
        Some(Path::new(device)).filter(|path| path.is_absolute())
    }

    /// The mapping that a service's own new attributes go to: the last one of a file that is the
    /// project's own or included. What others may extend is left alone.
    pub fn home_of(&self, service: &Service) -> Option<Origin> {
        let own = |part: &&Origin| self.file(part.file).is_some_and(|f| f.role != Role::Extended);
        service.parts.iter().rev().find(own).copied()
    }

    /// Like [`home_of`](Self::home_of), in one file where the service has a mapping of its own there:
    /// what belongs together stands together, so that either all of it is loaded or nothing.
    pub fn home_in(&self, service: &Service, file: FileId) -> Option<Origin> {
        self.homes_in(service, file).next().or_else(|| self.home_of(service))
    }

    /// Like [`home_in`](Self::home_in) in the file of one of the service's `volumes` lists: the
    /// mapping that the list stands in, where it stands in one.
    pub fn home_beside(&self, service: &Service, list: Origin) -> Option<Origin> {
        let holds = |part: &Origin| {
            let entry = self.file(part.file)?.document.get(part.node, "volumes")?;
            (entry.value == list.node).then_some(())
        };
        let mut homes = self.homes_in(service, list.file);
        homes.find(|p| holds(p).is_some()).or_else(|| self.home_in(service, list.file))
    }

    /// The mappings of a service in one file that others do not extend, the last one first.
    fn homes_in(&self, service: &Service, file: FileId) -> impl Iterator<Item = Origin> {
        let own = self.file(file).is_some_and(|f| f.role != Role::Extended);
        service.parts.iter().rev().filter(move |part| own && part.file == file).copied()
    }

    /// The mount that decides what the container sees at `path`, among its own and those that it
    /// takes over by `volumes_from`.
    pub fn mount_at<'a>(&'a self, service: &'a Service, path: &str) -> Option<&'a Mount> {
        let mut seen: Vec<&str> = vec![&service.name];
        let mut open: Vec<&Service> = vec![service];
        let mut found: Option<&Mount> = None;
        while let Some(service) = open.pop() {
            let mount = service.mount_at(path);
            let depth = |m: &Mount| m.target.len();
            // Own mounts come first: one that is taken over counts only where it lies deeper.
            if mount.is_some_and(|m| found.is_none_or(|known| depth(m) > depth(known))) {
                found = mount;
            }
            for from in &service.volumes_from {
                if !seen.contains(&from.as_str()) {
                    seen.push(from);
                    open.extend(self.service(from));
                }
            }
        }
        found
    }

    /// The first service that takes over the mounts of another one by its own `volumes_from`.
    pub fn taker_of(&self, service: &str) -> Option<&Service> {
        self.services.iter().find(|s| s.volumes_from.iter().any(|from| from == service))
    }

    /// Services that see `path` through a mount of another service, which they take over by
    /// `volumes_from`, of that service or of one that takes it over.
    pub fn takers<'a>(
        &'a self,
        mount: &'a Mount,
        path: &'a str,
    ) -> impl Iterator<Item = &'a Service> {
        let others = self.services.iter().filter(|s| !s.volumes_from.is_empty());
        others.filter(move |service| {
            let own = service.mounts.iter().any(|m| std::ptr::eq(m, mount));
            !own && self.mount_at(service, path).is_some_and(|m| std::ptr::eq(m, mount))
        })
    }

    /// The directory that relative paths behind an origin start from.
    pub fn base_of(&self, origin: Origin) -> &Path {
        self.bases.get(origin.base.0).map_or(&self.directory, PathBuf::as_path)
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
