//! Attributes of services that are mappings or lists of names: `environment`, `depends_on`,
//! `develop`, `volumes_from`.
//!
//! Compose merges these attributes key by key, whatever file they come from, so a new key goes into
//! the service's own mapping. Where that is an alias, or comes by a merge key, the edit would reach
//! others or take something away, and is refused.

use super::{Placer, has_part, is_flow, key_style, merges_key, text};
use crate::compose::{Origin, Place, Service};
use crate::finding::{Change, NewWatch};
use crate::rewrite::Op;
use crate::rewrite::item::beside_keys;
use crate::yaml::{Kind, New, NodeId, Style};

/// What goes into an attribute that is not there yet.
#[derive(Debug)]
pub(super) enum Pending {
    /// A list.
    Items(Vec<New>),
    /// A mapping.
    Entries(Vec<(String, Style, New)>),
}

/// Why a service takes no new attribute.
const HOMELESS: &str = "it has no mapping of its own in a file of the project";

/// Where an attribute of a service is written.
enum Slot {
    /// Nowhere: it goes into this mapping.
    Missing(Origin),
    /// As a value of its own.
    There(Origin),
}

impl<'a> Placer<'a> {
    pub(super) fn pend_item(&mut self, part: Origin, key: &'static str, item: New) {
        let slot = (part.file, part.node, key);
        match self.pending.entry(slot).or_insert_with(|| Pending::Items(Vec::new())) {
            Pending::Items(items) => items.push(item),
            Pending::Entries(_) => {}
        }
    }

    fn pend_entry(&mut self, part: Origin, key: &'static str, entry: (String, Style, New)) {
        let slot = (part.file, part.node, key);
        match self.pending.entry(slot).or_insert_with(|| Pending::Entries(Vec::new())) {
            Pending::Entries(entries) => entries.push(entry),
            Pending::Items(_) => {}
        }
    }

    /// Writes the attributes that were not there.
    pub(super) fn flush(&mut self) {
        for ((file, mapping, key), pending) in std::mem::take(&mut self.pending) {
            let Ok(document) = self.document(file) else { continue };
            let flow = is_flow(document, mapping);
            let style = key_style(document, mapping);
            let value = match pending {
                Pending::Items(items) => New::Sequence { items, flow },
                Pending::Entries(entries) => New::Mapping { entries, flow },
            };
            let index = document.entries(mapping).len();
            let key = (key.to_owned(), style);
            self.push(file, Op::InsertEntry { mapping, index, key, value });
        }
    }

    /// Where an attribute is or would be in one of a service's mappings, and that the edit reaches
    /// nobody who does not want the same change.
    fn slot(
        &self,
        home: Origin,
        service: &Service,
        key: &str,
        wish: impl Fn(&Service) -> Change,
    ) -> Result<Slot, String> {
        let heirs = self.project.services.iter().filter(|s| has_part(s, home));
        let unwilling = |s: &&Service| {
            let change = wish(s);
            s.name != service.name
                && !self.changes.contains(&change)
                && !self.bystanders.wanted.contains(&change)
        };
        if let Some(heir) = heirs.clone().find(unwilling) {
            return Err(format!("service `{}` would inherit the new `{key}`", heir.name));
        }
        let document = self.document(home.file)?;
        let Some(entry) = document.get(home.node, key) else {
            if merges_key(document, home.node, key) {
                return Err(format!("an own `{key}` would replace what the merge key brings"));
            }
            return Ok(Slot::Missing(home));
        };
        if matches!(document.node(entry.value).kind, Kind::Alias { .. }) {
            return Err(format!("its `{key}` is an alias"));
        }
        Ok(Slot::There(Origin { node: entry.value, ..home }))
    }

    pub(super) fn named(&self, name: &str) -> Result<&'a Service, String> {
        self.project.service(name).ok_or_else(|| "the service is gone".to_owned())
    }

    /// Services that get the attributes of a part.
    fn reached(&self, part: Origin) -> Vec<String> {
        let heirs = self.project.services.iter().filter(|s| has_part(s, part));
        heirs.map(|s| s.name.clone()).collect()
    }

    // ---- environment

    pub(super) fn set_variable(
        &mut self,
        service: &str,
        name: &str,
        value: &str,
    ) -> Result<(), String> {
        let effect = (service.to_owned(), name.to_owned(), value.to_owned());
        if self.effects.variables.contains(&effect) {
            return Ok(());
        }
        let service = self.named(service)?;
        let home = self.project.home_of(service).ok_or(HOMELESS)?;
        let slot = self.slot(home, service, "environment", |s| Change::SetVariable {
            service: s.name.clone(),
            name: name.to_owned(),
            value: value.to_owned(),
        })?;
        for heir in self.reached(home) {
            self.effects.variables.insert((heir, name.to_owned(), value.to_owned()));
        }
        match slot {
            Slot::Missing(part) => {
                let document = self.document(part.file)?;
                let flow = is_flow(document, part.node);
                let style = key_style(document, part.node);
                let entry = (name.to_owned(), style, text(value, beside_keys(style), flow));
                self.pend_entry(part, "environment", entry);
            }
            Slot::There(at) => {
                let document = self.document(at.file)?;
                let op = match &document.node(at.node).kind {
                    Kind::Mapping { entries, flow } => {
                        let style = key_style(document, at.node);
                        Op::InsertEntry {
                            mapping: at.node,
                            index: entries.len(),
                            key: (name.to_owned(), style),
                            value: text(value, beside_keys(style), *flow),
                        }
                    }
                    Kind::Sequence { items, flow } => {
                        let style = key_style(document, at.node);
                        let value = text(&format!("{name}={value}"), style, *flow);
                        Op::InsertItem { sequence: at.node, index: items.len(), value }
                    }
                    Kind::Scalar { .. } | Kind::Alias { .. } => {
                        return Err("its `environment` takes no further entry".to_owned());
                    }
                };
                self.push(at.file, op);
            }
        }
        Ok(())
    }

    // ---- depends_on

    pub(super) fn add_dependency(
        &mut self,
        service: &str,
        on: &str,
        beside: Place,
    ) -> Result<(), String> {
        if self.effects.dependencies.contains(&(service.to_owned(), on.to_owned())) {
            return Ok(());
        }
        let service = self.named(service)?;
        let home = self.beside(service, beside)?;
        let wish = |s: &Service| {
            let on = on.to_owned();
            Change::AddDependency { service: s.name.clone(), on, beside }
        };
        let slot = self.slot(home, service, "depends_on", wish)?;
        for heir in self.reached(home) {
            self.effects.dependencies.insert((heir, on.to_owned()));
        }
        match slot {
            Slot::Missing(part) => {
                let document = self.document(part.file)?;
                let flow = is_flow(document, part.node);
                let style = key_style(document, part.node);
                let entry = (on.to_owned(), style, condition("service_healthy", style, flow));
                self.pend_entry(part, "depends_on", entry);
            }
            Slot::There(at) => {
                let document = self.document(at.file)?;
                let style = key_style(document, at.node);
                let op = match &document.node(at.node).kind {
                    Kind::Mapping { entries, flow } => Op::InsertEntry {
                        mapping: at.node,
                        index: entries.len(),
                        key: (on.to_owned(), style),
                        value: condition("service_healthy", style, *flow),
                    },
                    Kind::Sequence { items, .. } => {
                        let bare = |id: NodeId| {
                            let node = document.node(id);
                            matches!(node.kind, Kind::Scalar { style, .. }
                                if !matches!(style, Style::Literal | Style::Folded))
                                && node.anchor.is_none()
                                && node.tag.is_none()
                        };
                        if !items.iter().all(|item| bare(item.node)) {
                            return Err("its `depends_on` holds more than names".to_owned());
                        }
                        Op::Unfold {
                            sequence: at.node,
                            value: condition("service_started", style, true),
                            added: vec![(
                                on.to_owned(),
                                style,
                                condition("service_healthy", style, true),
                            )],
                        }
                    }
                    Kind::Scalar { .. } | Kind::Alias { .. } => {
                        return Err("its `depends_on` takes no further entry".to_owned());
                    }
                };
                self.push(at.file, op);
            }
        }
        Ok(())
    }

    // ---- volumes_from

    pub(super) fn take_over(
        &mut self,
        service: &str,
        from: &str,
        beside: Place,
    ) -> Result<(), String> {
        if self.effects.volumes_from.contains(&(service.to_owned(), from.to_owned())) {
            return Ok(());
        }
        let service = self.named(service)?;
        let home = self.beside(service, beside)?;
        let wish = |s: &Service| {
            let from = from.to_owned();
            Change::VolumesFrom { service: s.name.clone(), from, beside }
        };
        let slot = self.slot(home, service, "volumes_from", wish)?;
        for heir in self.reached(home) {
            self.effects.volumes_from.insert((heir, from.to_owned()));
        }
        match slot {
            Slot::Missing(part) => {
                let document = self.document(part.file)?;
                let flow = is_flow(document, part.node);
                let item = text(from, key_style(document, part.node), flow);
                self.pend_item(part, "volumes_from", item);
            }
            Slot::There(at) => {
                let document = self.document(at.file)?;
                let Kind::Sequence { items, flow } = &document.node(at.node).kind else {
                    return Err("its `volumes_from` takes no further entry".to_owned());
                };
                let value = text(from, key_style(document, at.node), *flow);
                let index = items.len();
                self.push(at.file, Op::InsertItem { sequence: at.node, index, value });
            }
        }
        Ok(())
    }

    /// The service's mapping in the file of a mount, see [`Project::home_in`].
    pub(super) fn beside(&self, service: &Service, place: Place) -> Result<Origin, String> {
        self.project.home_in(service, place.list.file).ok_or_else(|| HOMELESS.to_owned())
    }

    // ---- develop

    pub(super) fn watch(
        &mut self,
        service: &str,
        instead_of: Place,
        rules: &[NewWatch],
    ) -> Result<(), String> {
        if self.effects.watch.iter().any(|(s, r)| s == service && r == rules) {
            return Ok(());
        }
        let service = self.named(service)?;
        let home = self.project.home_beside(service, instead_of.list).ok_or(HOMELESS)?;
        let slot = self.slot(home, service, "develop", |s| Change::Watch {
            service: s.name.clone(),
            instead_of,
            rules: rules.to_vec(),
        })?;
        for heir in self.reached(home) {
            self.effects.watch.insert((heir, rules.to_vec()));
        }
        match slot {
            Slot::Missing(part) => {
                let document = self.document(part.file)?;
                let (style, flow) = (key_style(document, part.node), is_flow(document, part.node));
                let items = rules.iter().map(|rule| watch_rule(rule, style, flow));
                self.pend_watch(part, style, flow, items.collect());
            }
            Slot::There(at) => {
                let document = self.document(at.file)?;
                if !matches!(document.node(at.node).kind, Kind::Mapping { .. }) {
                    return Err("its `develop` takes no further entry".to_owned());
                }
                let style = key_style(document, at.node);
                let Some(entry) = document.get(at.node, "watch") else {
                    if merges_key(document, at.node, "watch") {
                        return Err("its `develop` gets its rules by a merge key".to_owned());
                    }
                    let flow = is_flow(document, at.node);
                    for rule in rules {
                        self.pend_item(at, "watch", watch_rule(rule, style, flow));
                    }
                    return Ok(());
                };
                let Kind::Sequence { items, flow } = &document.node(entry.value).kind else {
                    return Err("its `develop.watch` takes no further rule".to_owned());
                };
                let (index, flow) = (items.len(), *flow);
                for rule in rules {
                    let value = watch_rule(rule, style, flow);
                    self.push(at.file, Op::InsertItem { sequence: entry.value, index, value });
                }
            }
        }
        Ok(())
    }

    /// Rules for a service without `develop`: several binds may have asked for some.
    fn pend_watch(&mut self, part: Origin, style: Style, flow: bool, rules: Vec<New>) {
        let slot = (part.file, part.node, "develop");
        let pending = self.pending.entry(slot).or_insert_with(|| {
            let list = New::Sequence { items: Vec::new(), flow };
            Pending::Entries(vec![("watch".to_owned(), style, list)])
        });
        if let Pending::Entries(entries) = pending
            && let Some((.., New::Sequence { items, .. })) = entries.first_mut()
        {
            items.extend(rules);
        }
    }
}

/// `condition: …` as a mapping.
pub(in crate::rewrite) fn condition(condition: &str, style: Style, flow: bool) -> New {
    let value = beside_keys(style);
    let entry = ("condition".to_owned(), style, text(condition, value, flow));
    New::Mapping { entries: vec![entry], flow }
}

pub(in crate::rewrite) fn watch_rule(rule: &NewWatch, style: Style, flow: bool) -> New {
    let value = beside_keys(style);
    let entry = |key: &str, new: New| (key.to_owned(), style, new);
    let mut entries = vec![
        entry("action", text(&rule.action, value, flow)),
        entry("path", text(&rule.written, value, flow)),
    ];
    if let Some(target) = &rule.target {
        entries.push(entry("target", text(&target.written, value, flow)));
    }
    if !rule.ignore.is_empty() {
        let items = rule.ignore.iter().map(|path| text(path, value, flow)).collect();
        entries.push(entry("ignore", New::Sequence { items, flow }));
    }
    New::Mapping { entries, flow }
}
