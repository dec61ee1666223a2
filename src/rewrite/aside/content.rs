//! What a file on top of the others has to say.

use std::collections::{BTreeMap, BTreeSet};

use crate::compose::{Place, Project, sections};
use crate::finding::{Change, NewMount, NewSource, NewWatch};
use crate::rewrite::Op;
use crate::rewrite::item::{beside_keys, is_flow, item, key_style, text};
use crate::rewrite::layout::fitting;
use crate::rewrite::place::{
    Effects, NewService, condition, fitted, merges_key, watch_rule, whole,
};
use crate::yaml::{Document, Kind, New, NodeId, Style};

/// An entry of a mapping that is to be written.
type Entry = (String, Style, New);

/// Everything that is new.
#[derive(Debug, Default)]
pub(super) struct Content {
    services: BTreeMap<String, Additions>,
    volumes: BTreeSet<String>,
    /// What it does to the project.
    pub(super) effects: Effects,
}

/// What is new in one service.
#[derive(Debug, Default)]
struct Additions {
    /// The whole service, where it is new.
    definition: Option<New>,
    mounts: Vec<NewMount>,
    variables: Vec<(String, String)>,
    dependencies: BTreeSet<String>,
    watch: Vec<NewWatch>,
}

impl Content {
    /// What the changes of a project come to.
    ///
    /// # Errors
    /// Why one of them cannot be said in a file on top.
    pub(super) fn of(project: &Project, changes: &BTreeSet<Change>) -> Result<Self, String> {
        let mut content = Self::default();
        for change in changes {
            content.take(project, change)?;
        }
        let known = |key: &String| project.volumes.iter().any(|volume| volume.key == *key);
        content.volumes.retain(|key| !known(key));
        content.effects.volumes.clone_from(&content.volumes);
        Ok(content)
    }

    fn take(&mut self, project: &Project, change: &Change) -> Result<(), String> {
        let refused = |service: &str, what: &str| {
            Err(format!("service `{service}`: a file on top cannot {what}; change it in place"))
        };
        match change {
            Change::AddMount { service, mount, .. } => self.mount(service, mount),
            Change::NameVolume { service, at, target, key } => {
                let mount = named(project, *at, target, key)
                    .map_err(|why| format!("service `{service}`: {why}"))?;
                self.volumes.insert(key.clone());
                self.service(service).mounts.push(mount);
                let effect = (service.clone(), target.clone(), key.clone());
                self.effects.named.insert(effect);
            }
            Change::SetVariable { service, name, value } => {
                let effect = (service.clone(), name.clone(), value.clone());
                if self.effects.variables.insert(effect) {
                    self.service(service).variables.push((name.clone(), value.clone()));
                }
            }
            Change::AddDependency { service, on, .. } => {
                self.service(service).dependencies.insert(on.clone());
                self.effects.dependencies.insert((service.clone(), on.clone()));
            }
            Change::Watch { service, rules, .. } => {
                if self.effects.watch.insert((service.clone(), rules.clone())) {
                    self.service(service).watch.extend(rules.iter().cloned());
                }
            }
            Change::AddService { name, mounts, definition, .. } => {
                let new = NewService { mounts: mounts.clone(), definition: definition.clone() };
                let volumes = mounts.iter().filter_map(NewMount::volume);
                self.volumes.extend(volumes.map(str::to_owned));
                self.service(name).definition = Some(whole(&new)?);
                self.effects.services.insert(name.clone(), new);
            }
            Change::VolumesFrom { service, .. } => {
                return refused(service, "take over the mounts of a new service");
            }
            Change::DeclareVolume { key } => {
                self.volumes.insert(key.clone());
            }
            Change::RemoveMount { service, .. } | Change::NarrowMount { service, .. } => {
                return refused(service, "take a mount away");
            }
            Change::SetFlag { service, .. } => {
                return refused(service, "change the flag of a mount");
            }
        }
        Ok(())
    }

    fn service(&mut self, name: &str) -> &mut Additions {
        self.services.entry(name.to_owned()).or_default()
    }

    fn mount(&mut self, service: &str, mount: &NewMount) {
        self.volumes.extend(mount.volume().map(str::to_owned));
        if self.effects.mounts.insert((service.to_owned(), mount.clone())) {
            self.service(service).mounts.push(mount.clone());
        }
    }

    /// The entries of a new file.
    pub(super) fn entries(&self) -> Vec<Entry> {
        let document = Document::default();
        let writer = Writer { document: &document, node: NodeId(0) };
        let mut entries = Vec::new();
        if !self.services.is_empty() {
            let services =
                self.services.iter().map(|(name, service)| writer.service(name, service));
            entries.push(writer.entry("services", writer.mapping(services.collect())));
        }
        if !self.volumes.is_empty() {
            entries.push(writer.entry("volumes", writer.mapping(writer.volumes(self))));
        }
        entries
    }

    /// The edits of a file that is there; `root` is the mapping at its top.
    pub(super) fn ops(&self, document: &Document, root: NodeId) -> Result<Vec<Op>, String> {
        let top = Writer { document, node: root };
        let mut ops = Vec::new();
        match document.get(root, "services").map(|entry| entry.value) {
            _ if self.services.is_empty() => {}
            None => {
                let services =
                    self.services.iter().map(|(name, service)| top.service(name, service));
                let services = top.mapping(services.collect());
                ops.push(top.insertion(top.entry("services", services)));
            }
            Some(node) => {
                let services = Writer { document, node }.checked("services")?;
                for (name, service) in &self.services {
                    services.add_service(name, service, &mut ops)?;
                }
            }
        }
        match document.get(root, "volumes").map(|entry| entry.value) {
            _ if self.volumes.is_empty() => {}
            None => {
                let volumes = top.mapping(top.volumes(self));
                ops.push(top.insertion(top.entry("volumes", volumes)));
            }
            Some(node) => {
                let volumes = Writer { document, node }.checked("volumes")?;
                let new = volumes.volumes(self).into_iter();
                ops.extend(new.map(|entry| volumes.insertion(entry)));
            }
        }
        Ok(ops)
    }
}

/// The entry that gives an anonymous volume a name: Compose puts it in the place of the one with the
/// same target.
fn named(project: &Project, at: Place, target: &str, key: &str) -> Result<NewMount, String> {
    let file = project.file(at.list.file).ok_or("a file is missing")?;
    let document = &file.document;
    let item = document.items(at.list.node).get(at.index).ok_or("the entry is gone")?;
    let node = document.follow(item.node);
    let written = match &document.node(node).kind {
        Kind::Scalar { value, .. } if sections(value).len() == 1 => Some(value.as_str()),
        Kind::Mapping { entries, .. } => {
            let known = |key: &str| matches!(key, "type" | "target");
            let plain = entries.iter().all(|e| document.text_of(e.key).is_some_and(known));
            let target = document.get(node, "target").filter(|_| plain);
            target.and_then(|entry| document.text_of(entry.value))
        }
        _ => None,
    };
    let written = written.ok_or("a file on top would have to repeat the volume's options")?;
    Ok(NewMount {
        source: NewSource::Volume { key: key.to_owned(), nocopy: false },
        target: target.to_owned(),
        written: written.to_owned(),
        read_only: false,
    })
}

/// Writes values as they are written at a place of a document.
#[derive(Clone, Copy)]
struct Writer<'a> {
    document: &'a Document,
    /// The mapping that they go into.
    node: NodeId,
}

impl Writer<'_> {
    /// The writer, if its node is a mapping of its own.
    fn checked(self, name: &str) -> Result<Self, String> {
        match self.document.node(self.node).kind {
            Kind::Mapping { .. } => Ok(self),
            _ => Err(format!("the file's `{name}` takes no further entry")),
        }
    }

    fn flow(&self) -> bool {
        is_flow(self.document, self.node)
    }

    fn key_style(&self) -> Style {
        key_style(self.document, self.node)
    }

    fn value(&self, value: &str) -> New {
        text(value, beside_keys(self.key_style()), self.flow())
    }

    fn entry(&self, key: &str, value: New) -> Entry {
        (key.to_owned(), fitting(key, self.key_style(), self.flow()), value)
    }

    fn mapping(&self, entries: Vec<Entry>) -> New {
        New::Mapping { entries, flow: self.flow() }
    }

    fn insertion(&self, key: Entry) -> Op {
        let (key, style, value) = key;
        let index = self.document.entries(self.node).len();
        Op::InsertEntry { mapping: self.node, index, key: (key, style), value }
    }

    fn volumes(&self, content: &Content) -> Vec<Entry> {
        let nothing = || if self.flow() { self.mapping(Vec::new()) } else { New::Null };
        content.volumes.iter().map(|key| self.entry(key, nothing())).collect()
    }

    fn service(&self, name: &str, service: &Additions) -> Entry {
        let value = match &service.definition {
            Some(definition) => fitted(definition, self.key_style(), self.flow()),
            None => self.mapping(self.attributes(service)),
        };
        self.entry(name, value)
    }

    fn attributes(&self, service: &Additions) -> Vec<Entry> {
        let mut entries = Vec::new();
        let list = |items: Vec<New>| New::Sequence { items, flow: self.flow() };
        if !service.mounts.is_empty() {
            let items = service.mounts.iter();
            let items = items.map(|mount| item(self.document, self.node, None, mount));
            entries.push(self.entry("volumes", list(items.collect())));
        }
        if !service.variables.is_empty() {
            entries.push(self.entry("environment", self.mapping(self.variables(service))));
        }
        if !service.dependencies.is_empty() {
            entries.push(self.entry("depends_on", self.mapping(self.dependencies(service))));
        }
        if !service.watch.is_empty() {
            let watch = self.entry("watch", list(self.rules(service)));
            entries.push(self.entry("develop", self.mapping(vec![watch])));
        }
        entries
    }

    fn variables(&self, service: &Additions) -> Vec<Entry> {
        let variables = service.variables.iter();
        variables.map(|(name, value)| self.entry(name, self.value(value))).collect()
    }

    fn dependencies(&self, service: &Additions) -> Vec<Entry> {
        let healthy = || condition("service_healthy", self.key_style(), self.flow());
        service.dependencies.iter().map(|on| self.entry(on, healthy())).collect()
    }

    fn rules(&self, service: &Additions) -> Vec<New> {
        let rules = service.watch.iter();
        rules.map(|rule| watch_rule(rule, self.key_style(), self.flow())).collect()
    }

    // ---- what is there grows

    fn add_service(
        &self,
        name: &str,
        service: &Additions,
        ops: &mut Vec<Op>,
    ) -> Result<(), String> {
        let Some(there) = self.document.get(self.node, name) else {
            ops.push(self.insertion(self.service(name, service)));
            return Ok(());
        };
        let own = Self { node: there.value, ..*self };
        let own = own.checked(&format!("services.{name}"))?;
        for entry in own.attributes(service) {
            let (key, ..) = &entry;
            match own.document.get(own.node, key) {
                None if merges_key(own.document, own.node, key) => {
                    return Err(format!(
                        "service `{name}`: an own `{key}` would replace what the merge key brings"
                    ));
                }
                None => ops.push(own.insertion(entry)),
                Some(there) => own.grow(key, there.value, service, ops).ok_or_else(|| {
                    format!("service `{name}`: its `{key}` takes no further entry in that file")
                })?,
            }
        }
        Ok(())
    }

    /// Adds to an attribute that is there; none where its form takes nothing.
    fn grow(&self, key: &str, node: NodeId, service: &Additions, ops: &mut Vec<Op>) -> Option<()> {
        let document = self.document;
        let own = Self { node, ..*self };
        let index = document.items(node).len();
        let insert = |value: New| Op::InsertItem { sequence: node, index, value };
        match (key, &document.node(node).kind) {
            ("volumes", Kind::Sequence { .. }) => {
                let neighbour = index.checked_sub(1);
                let items = service.mounts.iter();
                ops.extend(items.map(|mount| insert(item(document, node, neighbour, mount))));
            }
            ("environment", Kind::Mapping { .. }) => {
                ops.extend(own.variables(service).into_iter().map(|entry| own.insertion(entry)));
            }
            ("environment", Kind::Sequence { .. }) => {
                let items = service.variables.iter().map(|(name, value)| format!("{name}={value}"));
                let style = key_style(document, node);
                ops.extend(items.map(|entry| insert(text(&entry, style, is_flow(document, node)))));
            }
            ("depends_on", Kind::Mapping { .. }) => {
                ops.extend(own.dependencies(service).into_iter().map(|entry| own.insertion(entry)));
            }
            ("develop", Kind::Mapping { .. }) => match document.get(node, "watch") {
                None => {
                    let items = own.rules(service);
                    let watch = own.entry("watch", New::Sequence { items, flow: own.flow() });
                    ops.push(own.insertion(watch));
                }
                Some(watch) => {
                    let Kind::Sequence { items, .. } = &document.node(watch.value).kind else {
                        return None;
                    };
                    let (sequence, index) = (watch.value, items.len());
                    let rules = Self { node: sequence, ..own }.rules(service).into_iter();
                    ops.extend(rules.map(|value| Op::InsertItem { sequence, index, value }));
                }
            },
            _ => return None,
        }
        Some(())
    }
}
