//! The proof that an edit does what it says and nothing else.
//!
//! Two independent looks. The *text*: parsed again, it must be the old tree with the planned nodes in
//! it, scalar styles, anchors, tags and comments included. The *meaning*: the project loaded from the
//! new text must be the old one plus the effects. What the first cannot see, because an anchor feeds
//! several places, the second does.

mod service;

use std::collections::BTreeSet;

use super::emit::candidates;
use super::place::Effects;
use super::{Op, apply_edits, edited_tree};
use crate::compose::{Data, File, Mount, MountKind, Project, Value};
use crate::finding::{NewMount, NewSource};
use crate::source::Source;
use crate::yaml;

/// The text of a file with its edits made and proven.
///
/// # Errors
/// Which check refused, for people: lower case, no full stop.
pub fn rewritten(file: &File, ops: &[Op]) -> Result<String, String> {
    let mut reason = "the file is laid out in a way that takes no such edit".to_owned();
    for (ops, edits) in candidates(&file.source, &file.document, ops) {
        let planned = edited_tree(&file.document, &ops).ok_or("the edit does not fit the file")?;
        let Some(text) = apply_edits(file.source.text(), &edits) else {
            "two edits would overlap".clone_into(&mut reason);
            continue;
        };
        match same_text(file, &planned, &text) {
            Ok(()) => return Ok(text),
            Err(why) => reason = why,
        }
    }
    Err(reason)
}

fn same_text(file: &File, planned: &yaml::Document, text: &str) -> Result<(), String> {
    let source = Source::new(file.source.name(), text);
    let document = yaml::parse(&source, &yaml::Limits::default())
        .map_err(|p| format!("the new text would not be valid: {}", p.message))?;
    planned.same_as(&document).map_err(|difference| {
        format!("the new text would also change {}: {}", difference.path, difference.what)
    })?;
    let comments = |source: &Source, document: &yaml::Document| -> Vec<String> {
        document.comments().iter().map(|c| source.slice(*c).to_owned()).collect()
    };
    if comments(&file.source, &file.document) != comments(&source, &document) {
        return Err("a comment would be lost or moved".to_owned());
    }
    Ok(())
}

/// Checks that `after` is `before` plus the effects.
///
/// # Errors
/// The first difference that nobody asked for.
pub fn prove(before: &Project, after: &Project, effects: &Effects) -> Result<(), String> {
    let names = |project: &Project| -> BTreeSet<String> {
        project.services.iter().map(|s| s.name.clone()).collect()
    };
    let mut expected = names(before);
    expected.extend(effects.services.keys().cloned());
    if expected != names(after) || expected.len() != before.services.len() + effects.services.len()
    {
        return Err("the set of services would not be the planned one".to_owned());
    }
    for old in &before.services {
        let new = after.service(&old.name).ok_or("a service would be lost")?;
        let of_this = MountEffects::of(effects, &old.name);
        same_mounts(&old.mounts, &new.mounts, &of_this)
            .map_err(|what| format!("service `{}`: {what}", old.name))?;
    }
    for (name, planned) in &effects.services {
        let mounts = after.service(name).map(|s| s.mounts.as_slice()).unwrap_or_default();
        let same = mounts.len() == planned.mounts.len()
            && planned
                .mounts
                .iter()
                .all(|p| mounts.iter().any(|m| m.target == p.target && is_planned(m, p)));
        if !same {
            return Err(format!("the mounts of the new service `{name}` would not be the planned"));
        }
    }
    let expected: BTreeSet<&str> = before
        .volumes
        .iter()
        .map(|v| v.key.as_str())
        .chain(effects.volumes.iter().map(String::as_str))
        .collect();
    if expected != after.volumes.iter().map(|v| v.key.as_str()).collect() {
        return Err("the set of top-level volumes would not be the planned one".to_owned());
    }
    for old in &before.volumes {
        let new = after.volumes.iter().find(|v| v.key == old.key);
        if !new.is_some_and(|new| same_value(&old.definition, &new.definition)) {
            return Err(format!("the definition of volume `{}` would change", old.key));
        }
    }
    same_rest(before, after, effects)
}

/// What the effects do to the mounts of one service.
struct MountEffects<'a> {
    added: BTreeSet<&'a NewMount>,
    removed: BTreeSet<&'a str>,
    effects: &'a Effects,
    service: &'a str,
}

impl<'a> MountEffects<'a> {
    fn of(effects: &'a Effects, service: &'a str) -> Self {
        let added = effects.mounts.iter().filter(|(s, _)| s == service).map(|(_, m)| m);
        let removed = effects.removed.iter().filter(|(s, _)| s == service);
        Self {
            added: added.collect(),
            removed: removed.map(|(_, target)| target.as_str()).collect(),
            effects,
            service,
        }
    }

    /// A mount as it should be afterwards.
    fn expected(&self, old: &Mount) -> Mount {
        let mut new = old.clone();
        let here = |service: &str, target: &str| service == self.service && target == old.target;
        if let Some((.., key)) = self.effects.named.iter().find(|(s, t, _)| here(s, t)) {
            new.source = Some(key.clone());
        }
        if let Some((.., flag)) = self.effects.flags.iter().find(|(s, t, _)| here(s, t)) {
            new.set_consistency(flag.as_deref());
        }
        new
    }
}

fn same_mounts(old: &[Mount], new: &[Mount], effects: &MountEffects<'_>) -> Result<(), String> {
    let (extra, kept): (Vec<&Mount>, Vec<&Mount>) =
        new.iter().partition(|m| !old.iter().any(|o| o.target == m.target));
    let old: Vec<&Mount> =
        old.iter().filter(|m| !effects.removed.contains(m.target.as_str())).collect();
    if kept.len() < old.len() {
        return Err("a mount would be lost".to_owned());
    }
    if kept.len() > old.len() {
        return Err("another mount would take the place of the one that goes".to_owned());
    }
    for (old, new) in old.iter().zip(&kept) {
        let expected = effects.expected(old);
        let same = expected.kind == new.kind
            && expected.source == new.source
            && expected.target == new.target
            && expected.read_only == new.read_only
            && expected.options == new.options;
        if !same {
            return Err(format!("the mount at {} would change", old.target));
        }
    }
    if extra.len() != effects.added.len() {
        return Err("the new mounts would not be the planned ones".to_owned());
    }
    for mount in extra {
        let planned = effects.added.iter().find(|a| a.target == mount.target);
        if !planned.is_some_and(|planned| is_planned(mount, planned)) {
            return Err(format!("the new mount at {} would not be the planned one", mount.target));
        }
    }
    Ok(())
}

fn is_planned(mount: &Mount, planned: &NewMount) -> bool {
    let (kind, source) = match &planned.source {
        NewSource::Volume { key, .. } => (MountKind::Volume, Some(key)),
        NewSource::Anonymous => (MountKind::Volume, None),
        NewSource::Tmpfs => (MountKind::Tmpfs, None),
        NewSource::Bind { path, .. } => (MountKind::Bind, Some(path)),
    };
    let options = match &planned.source {
        NewSource::Bind { options, .. } => {
            let named = |o: &&String| !matches!(o.as_str(), "ro" | "rw");
            mount.options.iter().filter(named).eq(options.iter().filter(named))
        }
        _ => true,
    };
    mount.kind == kind
        && mount.source.as_ref() == source
        && mount.read_only == planned.read_only
        && options
}

/// Everything but mounts, volumes and extension fields: those may hold an anchored list that grew.
fn same_rest(before: &Project, after: &Project, effects: &Effects) -> Result<(), String> {
    let differs = |what: &str| Err(format!("`{what}` would change"));
    let (Some(old), Some(new)) = (before.root.map(), after.root.map()) else {
        return differs("the file");
    };
    for (key, value) in &old.entries {
        if key.starts_with("x-") || key == "volumes" {
            continue;
        }
        let Some(other) = new.get(key) else { return differs(key) };
        if key != "services" {
            if !same_value(value, other) {
                return differs(key);
            }
            continue;
        }
        let (Some(services), Some(others)) = (value.map(), other.map()) else { continue };
        for (name, service) in &services.entries {
            let Some(other) = others.get(name) else { return differs(name) };
            if let Err(attribute) = service::same(name, service, (other, after), effects) {
                return differs(&format!("services.{name}{attribute}"));
            }
        }
        for (name, definition) in &effects.services {
            let planned = others.get(name);
            let planned = planned.is_some_and(|v| service::is_new(v, &definition.definition));
            if !planned {
                return Err(format!("the new service `{name}` would not be the planned one"));
            }
        }
    }
    let added = new.entries.iter().find(|(k, _)| old.get(k).is_none() && k != "volumes");
    added.map_or(Ok(()), |(key, _)| differs(key))
}

/// Equal data, wherever it was written.
pub(super) fn same_value(old: &Value, new: &Value) -> bool {
    match (&old.data, &new.data) {
        (Data::Null, Data::Null) => true,
        (Data::Scalar(a), Data::Scalar(b)) => a == b,
        (Data::List(a), Data::List(b)) => {
            a.items.len() == b.items.len()
                && a.items.iter().zip(&b.items).all(|(a, b)| same_value(a, b))
        }
        (Data::Map(a), Data::Map(b)) => {
            a.entries.len() == b.entries.len()
                && a.entries.iter().all(|(k, v)| b.get(k).is_some_and(|other| same_value(v, other)))
        }
        _ => false,
    }
}
