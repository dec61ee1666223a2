//! Where each change goes: the file and the node.
//!
//! A mount goes next to the bind that it covers, in the list that wrote that bind. A list can feed
//! several services, by an anchor, by `extends`, by an alias; then it is edited only if all of them
//! want the same mount. Otherwise the mount goes into a list of the service's own. What fits
//! neither way is refused with the reason.

mod entry;
mod keys;
mod service;

use std::collections::{BTreeMap, BTreeSet};

use super::item::{is_flow, item, key_style, text, value_style};
use super::{FileOps, Op};
use crate::compose::{FileId, Origin, Place, Project, Role, Service};
use crate::finding::{Change, NewMount, NewWatch};
use crate::yaml::{Document, Kind, New, NodeId, Style};
use keys::Pending;

pub(super) use keys::{condition, watch_rule};
pub(super) use service::{fitted, whole};

/// What placed changes do to the model: more than was asked for where a list feeds services that
/// do not mind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Effects {
    /// New mounts, by service.
    pub mounts: BTreeSet<(String, NewMount)>,
    /// Anonymous volumes that get a name: service, container path, key.
    pub named: BTreeSet<(String, String, String)>,
    /// New top-level volumes.
    pub volumes: BTreeSet<String>,
    /// Mounts that get another consistency flag, or none: service, container path, flag.
    pub flags: BTreeSet<(String, String, Option<String>)>,
    /// Mounts that go: service, container path.
    pub removed: BTreeSet<(String, String)>,
    /// New environment variables: service, name, value.
    pub variables: BTreeSet<(String, String, String)>,
    /// Services that wait until another is healthy: service, the other one.
    pub dependencies: BTreeSet<(String, String)>,
    /// New rules for `watch`, by service.
    pub watch: BTreeSet<(String, Vec<NewWatch>)>,
    /// Services that take over another one's mounts: service, the other one with its options.
    pub volumes_from: BTreeSet<(String, String)>,
    /// New services.
    pub services: BTreeMap<String, NewService>,
}

/// What a new service is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewService {
    /// Its mounts.
    pub mounts: Vec<NewMount>,
    /// The rest of it.
    pub definition: New,
}

/// Changes with their places.
#[derive(Debug, Clone, Default)]
pub struct Placement {
    /// Edits by file.
    pub files: Vec<FileOps>,
    /// What they do.
    pub effects: Effects,
}

/// Services that a change may reach although nobody asked for it there.
pub struct Bystanders<'a> {
    /// Changes that are wanted there as well, only not in this run: findings of inactive services.
    pub wanted: &'a BTreeSet<Change>,
    /// True for services that do not look at the tree at all.
    pub indifferent: &'a dyn Fn(&Service) -> bool,
}

/// Finds a place for every change.
///
/// # Errors
/// Why one of them has none.
pub fn place(
    project: &Project,
    changes: &BTreeSet<Change>,
    bystanders: &Bystanders<'_>,
) -> Result<Placement, String> {
    let mut placer = Placer {
        project,
        changes,
        bystanders,
        ops: BTreeMap::new(),
        effects: Effects::default(),
        homes: BTreeMap::new(),
        pending: BTreeMap::new(),
    };
    let mut done = BTreeSet::new();
    let of = |service: &str| {
        let service = service.to_owned();
        move |why: String| format!("service `{service}`: {why}")
    };
    for change in changes {
        match change {
            Change::AddMount { service, mount, beside } => {
                if !done.contains(&(service.clone(), mount.target.clone())) {
                    placer.add_mount(service, mount, *beside, &mut done).map_err(of(service))?;
                }
            }
            Change::NameVolume { service, at, target, key } => {
                placer.name_volume(service, *at, target, key, &mut done).map_err(of(service))?;
            }
            Change::SetFlag { service, at, target, .. }
            | Change::RemoveMount { service, at, target }
            | Change::NarrowMount { service, at, target, .. } => {
                if !done.contains(&(service.clone(), target.clone())) {
                    placer.edit_mount(change, *at, target, &mut done).map_err(of(service))?;
                }
            }
            Change::SetVariable { service, name, value } => {
                placer.set_variable(service, name, value).map_err(of(service))?;
            }
            Change::AddDependency { service, on, beside } => {
                placer.add_dependency(service, on, *beside).map_err(of(service))?;
            }
            Change::VolumesFrom { service, from, beside } => {
                placer.take_over(service, from, *beside).map_err(of(service))?;
            }
            Change::Watch { service, instead_of, rules } => {
                placer.watch(service, *instead_of, rules).map_err(of(service))?;
            }
            Change::AddService { name, near, beside, mounts, definition } => {
                let service = NewService { mounts: mounts.clone(), definition: definition.clone() };
                placer.add_service(name, near, *beside, service).map_err(of(name))?;
            }
            Change::DeclareVolume { .. } => {}
        }
    }
    placer.flush();
    placer.declare()?;
    let files = placer.ops.into_iter().map(|(file, ops)| FileOps { file, ops }).collect();
    Ok(Placement { files, effects: placer.effects })
}

struct Placer<'a> {
    project: &'a Project,
    changes: &'a BTreeSet<Change>,
    bystanders: &'a Bystanders<'a>,
    ops: BTreeMap<FileId, Vec<Op>>,
    effects: Effects,
    /// For each new volume, the places that mention it.
    homes: BTreeMap<String, Vec<Origin>>,
    /// Attributes that a mapping does not have yet, with what goes into them.
    pending: BTreeMap<(FileId, NodeId, &'static str), Pending>,
}

type Done = BTreeSet<(String, String)>;

impl<'a> Placer<'a> {
    fn document(&self, file: FileId) -> Result<&'a Document, String> {
        self.project.file(file).map(|f| &f.document).ok_or_else(|| "a file is missing".to_owned())
    }

    fn push(&mut self, file: FileId, op: Op) {
        self.ops.entry(file).or_default().push(op);
    }

    // ---- mounts

    fn add_mount(
        &mut self,
        service: &str,
        mount: &NewMount,
        beside: Place,
        done: &mut Done,
    ) -> Result<(), String> {
        let list = beside.list;
        let role = self.project.file(list.file).map_or(Role::Extended, |f| f.role);
        let blocked = match role {
            Role::Extended => Some("its list lies in a file that others may extend too".to_owned()),
            Role::Main | Role::Included => {
                let wish = |user: &Service| Change::AddMount {
                    service: user.name.clone(),
                    mount: mount.clone(),
                    beside,
                };
                // Where the service has something else above the tree, the mount would not cover
                // this bind.
                let sees = |user: &Service| {
                    user.mount_at(&mount.target).and_then(|m| m.place).is_some_and(|place| {
                        same_node(place.list, beside.list) && place.index == beside.index
                    })
                };
                self.stranger(list, wish, sees)
            }
        };
        let Some(reason) = blocked else {
            for user in users(self.project, list) {
                done.insert((user.name.clone(), mount.target.clone()));
                self.effects.mounts.insert((user.name.clone(), mount.clone()));
            }
            let value = item(self.document(list.file)?, list.node, Some(beside.index), mount);
            self.push(
                list.file,
                Op::InsertItem { sequence: list.node, index: beside.index + 1, value },
            );
            self.mention(mount, list);
            return Ok(());
        };
        let service = self.project.service(service).ok_or("the service is gone")?;
        let at = self.own_list(service, mount).map_err(|own| format!("{reason}, and {own}"))?;
        done.insert((service.name.clone(), mount.target.clone()));
        self.effects.mounts.insert((service.name.clone(), mount.clone()));
        self.mention(mount, at);
        Ok(())
    }

    /// Why a list cannot be edited: a service that it feeds and that wants something else.
    /// `fits` tells whether the change makes sense for a service that does not mind it.
    fn stranger(
        &self,
        list: Origin,
        wish: impl Fn(&Service) -> Change,
        fits: impl Fn(&Service) -> bool,
    ) -> Option<String> {
        let stranger = users(self.project, list).find(|user| {
            let change = wish(user);
            let wanted = self.changes.contains(&change) || self.bystanders.wanted.contains(&change);
            let unconcerned = (self.bystanders.indifferent)(user) && fits(user);
            !wanted && !unconcerned
        })?;
        Some(format!(
            "its list also feeds service `{}`, which needs another mount there",
            stranger.name
        ))
    }

    /// A list that only this service uses: its own, or a new one where that adds to what comes by
    /// `extends` or from another file.
    fn own_list(&mut self, service: &Service, mount: &NewMount) -> Result<Origin, String> {
        let mut reason = "it has no mapping of its own in a file of the project".to_owned();
        for part in service.parts.iter().rev() {
            let file = self.project.file(part.file).ok_or("a file is missing")?;
            if file.role == Role::Extended {
                continue;
            }
            let heirs = self.project.services.iter().filter(|s| has_part(s, *part));
            if let Some(heir) = self.unwilling(heirs, service, mount) {
                reason = format!("service `{heir}` would inherit the mount");
                continue;
            }
            let Some(entry) = file.document.get(part.node, "volumes") else {
                if merges_key(&file.document, part.node, "volumes") {
                    "a list of its own would replace what the merge key brings"
                        .clone_into(&mut reason);
                    continue;
                }
                let item = item(&file.document, part.node, None, mount);
                self.pend_item(*part, "volumes", item);
                return Ok(*part);
            };
            let list = Origin { node: entry.value, ..*part };
            if !matches!(file.document.node(entry.value).kind, Kind::Sequence { .. }) {
                "its own list is an alias".clone_into(&mut reason);
                continue;
            }
            if let Some(heir) = self.unwilling(users(self.project, list), service, mount) {
                reason = format!("service `{heir}` shares its own list as well");
                continue;
            }
            let index = file.document.items(entry.value).len();
            let value = item(&file.document, list.node, index.checked_sub(1), mount);
            self.push(part.file, Op::InsertItem { sequence: entry.value, index, value });
            return Ok(list);
        }
        Err(reason)
    }

    /// A service other than `service` that would get the mount, too, and brings none of its own on
    /// the same target to take its place.
    fn unwilling(
        &self,
        reached: impl Iterator<Item = &'a Service>,
        service: &Service,
        mount: &NewMount,
    ) -> Option<&'a str> {
        let replaces = |other: &Service| {
            self.changes.iter().any(|change| {
                matches!(change, Change::AddMount { service, mount: own, .. }
                    if *service == other.name && own.target == mount.target)
            })
        };
        let mut others = reached.filter(|s| s.name != service.name);
        others.find(|other| !replaces(other)).map(|other| other.name.as_str())
    }

    fn mention(&mut self, mount: &NewMount, at: Origin) {
        if let Some(key) = mount.volume() {
            self.homes.entry(key.to_owned()).or_default().push(at);
        }
    }

    // ---- names for anonymous volumes

    fn name_volume(
        &mut self,
        service: &str,
        at: Place,
        target: &str,
        key: &str,
        done: &mut Done,
    ) -> Result<(), String> {
        self.effects.named.insert((service.to_owned(), target.to_owned(), key.to_owned()));
        if done.contains(&(service.to_owned(), target.to_owned())) {
            return Ok(());
        }
        let file = self.project.file(at.list.file).ok_or("a file is missing")?;
        if file.role == Role::Extended {
            return Err("its list lies in a file that others may extend too".to_owned());
        }
        let wish = |user: &Service| Change::NameVolume {
            service: user.name.clone(),
            at,
            target: target.to_owned(),
            key: key.to_owned(),
        };
        let stranger = self.stranger(at.list, wish, |_| true);
        if let Some(reason) = stranger {
            return Err(reason);
        }
        let item = file.document.items(at.list.node).get(at.index).ok_or("the entry is gone")?;
        let node = item.node;
        let op = match &file.document.node(node).kind {
            Kind::Scalar { value, style: Style::Plain | Style::Single | Style::Double, .. } => {
                Op::SetText { node, text: format!("{key}:{value}") }
            }
            Kind::Mapping { flow, .. } => Op::InsertEntry {
                mapping: node,
                index: 1,
                key: ("source".to_owned(), key_style(&file.document, node)),
                value: text(key, value_style(&file.document, node), *flow),
            },
            _ => return Err("the entry is written in a way that cannot be extended".to_owned()),
        };
        for user in users(self.project, at.list) {
            done.insert((user.name.clone(), target.to_owned()));
            self.effects.named.insert((user.name.clone(), target.to_owned(), key.to_owned()));
        }
        self.push(at.list.file, op);
        self.homes.entry(key.to_owned()).or_default().push(at.list);
        Ok(())
    }

    // ---- top-level volumes

    /// Each new volume is declared where everyone who loads its mount finds it: once in the first
    /// of the project's own files that mentions it, and in each included file that does, because an
    /// included file is a project of its own.
    fn declare(&mut self) -> Result<(), String> {
        let mut wanted: BTreeMap<(FileId, NodeId), Vec<String>> = BTreeMap::new();
        for (key, places) in &self.homes {
            let mut seen_main = false;
            let mut places: Vec<Origin> = places.clone();
            places.sort();
            places.dedup_by_key(|p| p.file);
            for place in places {
                let file = self.project.file(place.file).ok_or("a file is missing")?;
                if file.role == Role::Main && std::mem::replace(&mut seen_main, true) {
                    continue;
                }
                let root =
                    root_for(&file.document, place.node).ok_or("the file has no top level")?;
                wanted.entry((place.file, root)).or_default().push(key.clone());
            }
            self.effects.volumes.insert(key.clone());
        }
        // Compose takes a volume twice only if both definitions are equal, and nothing is not equal
        // to empty braces.
        let mut braces: BTreeSet<&String> = BTreeSet::new();
        for ((file, root), keys) in &wanted {
            if declares_in_brackets(self.document(*file)?, *root) {
                braces.extend(keys);
            }
        }
        for ((file, root), keys) in &wanted {
            let keys = keys.iter().map(|key| (key, braces.contains(key)));
            self.declare_in(*file, self.document(*file)?, *root, keys)?;
        }
        Ok(())
    }

    fn declare_in<'k>(
        &mut self,
        file: FileId,
        document: &Document,
        root: NodeId,
        keys: impl Iterator<Item = (&'k String, bool)>,
    ) -> Result<(), String> {
        let nothing = |braces: bool| {
            if braces { New::Mapping { entries: Vec::new(), flow: true } } else { New::Null }
        };
        let Some(entry) = document.get(root, "volumes") else {
            let flow = is_flow(document, root);
            let style = key_style(document, root);
            let entries = keys.map(|(k, braces)| (k.clone(), style, nothing(braces))).collect();
            let value = New::Mapping { entries, flow };
            let index = document.entries(root).len();
            let key = ("volumes".to_owned(), style);
            self.push(file, Op::InsertEntry { mapping: root, index, key, value });
            return Ok(());
        };
        let mapping = document.follow(entry.value);
        let Kind::Mapping { entries, .. } = &document.node(mapping).kind else {
            return Err(
                "the top-level `volumes` is no mapping that could take another entry".to_owned()
            );
        };
        let style = key_style(document, if entries.is_empty() { root } else { mapping });
        let index = entries.len();
        for (key, braces) in keys {
            let key = (key.clone(), style);
            self.push(file, Op::InsertEntry { mapping, index, key, value: nothing(braces) });
        }
        Ok(())
    }
}

/// True when the top-level volumes of a document are, or would be, written in brackets.
fn declares_in_brackets(document: &Document, root: NodeId) -> bool {
    let volumes = document.get(root, "volumes").map(|entry| document.follow(entry.value));
    is_flow(document, volumes.unwrap_or(root))
}

/// Services whose mounts come, among others, from this list.
fn users(project: &Project, list: Origin) -> impl Iterator<Item = &Service> {
    project.services.iter().filter(move |s| s.volume_lists.iter().any(|l| same_node(*l, list)))
}

/// True when a mapping was merged into a service.
fn has_part(service: &Service, part: Origin) -> bool {
    service.parts.iter().any(|p| same_node(*p, part))
}

fn same_node(a: Origin, b: Origin) -> bool {
    a.file == b.file && a.node == b.node
}

/// The document of a file that a node lies in: where its top-level `volumes` is or would be.
fn root_for(document: &Document, node: NodeId) -> Option<NodeId> {
    let at = document.node(node).start();
    let holds = |root: &NodeId| {
        let root = document.node(*root);
        root.start() <= at && at <= root.end()
    };
    document.roots().iter().copied().find(holds).or(document.roots().first().copied())
}

/// True when a merge key brings a key into a mapping.
pub(super) fn merges_key(document: &Document, mapping: NodeId, key: &str) -> bool {
    let brings = |id: NodeId| {
        let id = document.follow(id);
        document.get(id, key).is_some() || merges_key(document, id, key)
    };
    document.get(mapping, "<<").is_some_and(|merge| {
        let value = document.follow(merge.value);
        brings(value) || document.items(value).iter().any(|item| brings(item.node))
    })
}
