#![doc = include_str!("relocate.md")]

use std::path::{Path, PathBuf};

use super::cover::treasure;
use super::evidence::{may_be_shut_out, may_stay_empty};
use super::volume::{Share, shares, stale};
use super::{Group, Member, Meta, Names, Strategy};
use crate::compose::is_under;
use crate::detect::{Context, Setting, directory_of, names_path};
use crate::finding::{Applicability, Change, Fix, NewMount, NewSource};
use crate::host::EntryKind;
use crate::rules::{Access, Relocation, TreeKind};

/// See the page above.
pub struct Relocate;

const META: Meta = Meta {
    id: "relocate",
    summary: "the tree moves out of the bind by its ecosystem's own variable, onto a named volume",
    page: include_str!("relocate.md"),
    repairs: &["slow-tree", "slow-writes"],
    nests: false,
};

impl Strategy for Relocate {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn propose(
        &self,
        cx: &Context<'_>,
        group: &Group<'_>,
        names: &mut Names,
    ) -> Result<Vec<Fix>, String> {
        if let Some(advice) = treasure(cx, group, META.id) {
            return Ok(advice);
        }
        let moves: Vec<&Relocation> =
            group.members.iter().map(|member| fitting(cx, member)).collect::<Result<_, _>>()?;
        let shares = shares(cx, group, names);
        let members = group.members.iter().zip(&shares).zip(&moves);
        members.map(|((member, share), moved)| fix(cx, group, member, (share, moved))).collect()
    }
}

/// The variable that moves a member's tree.
///
/// # Errors
/// Why none does.
fn fitting<'k>(cx: &Context<'_>, member: &Member<'k>) -> Result<&'k Relocation, String> {
    let (kind, host) = member.kind.zip(member.host.as_deref()).ok_or("no tree is concerned")?;
    let facts = member.facts.ok_or("no tree is concerned")?;
    if facts.path == "." {
        return Err("the bind mounts the tree itself".to_owned());
    }
    let movable = |r: &&Relocation| directory_of(r, kind, Path::new(host)).is_some();
    let relocation = kind.relocations.iter().find(movable);
    let relocation =
        relocation.ok_or_else(|| format!("no variable moves {} ({})", facts.path, kind.title))?;
    let directory = directory_of(relocation, kind, Path::new(host)).unwrap_or_default();
    has_evidence(cx, relocation, &directory)?;
    if let Some(exception) = cx.overruled(relocation, &directory) {
        return Err(exception.reason.clone());
    }
    let service = member.service;
    if let Some(taker) = cx.project.takers(member.mount, &member.target).next() {
        return Err(format!(
            "`{}` sees the tree by `volumes_from`, and would go on reading it from the bind",
            taker.name
        ));
    }
    for other in kind.relocations.iter().filter(movable) {
        if matches!(cx.variable(service, &other.variable), Setting::Own(_)) {
            return Err(format!("`{}` sets {} already", service.name, other.variable));
        }
    }
    is_alone(cx, member, kind, relocation)?;
    if let Some(place) = mention(cx, member, relocation, kind) {
        return Err(format!(
            "{place} names {}, which {} would not change",
            facts.path, relocation.variable
        ));
    }
    let taken = service
        .mounts
        .iter()
        .find(|m| is_under(&relocation.path, &m.target) || is_under(&m.target, &relocation.path));
    match taken {
        Some(mount) => Err(format!("something is mounted at {} already", mount.target)),
        None => Ok(relocation),
    }
}

/// A file that says that the tool which reads the variable is in use.
fn has_evidence(cx: &Context<'_>, relocation: &Relocation, directory: &Path) -> Result<(), String> {
    let there = |file: &String| cx.host.target_kind(&directory.join(file)) == Some(EntryKind::File);
    if relocation.when.is_empty() || relocation.when.iter().any(there) {
        return Ok(());
    }
    let files = relocation.when.join(" or ");
    Err(format!(
        "there is no {files} beside the tree, so nothing shows that {} is read",
        relocation.variable
    ))
}

/// One variable moves all trees of its kind to one place, so there must be one only.
fn is_alone(
    cx: &Context<'_>,
    member: &Member<'_>,
    kind: &TreeKind,
    relocation: &Relocation,
) -> Result<(), String> {
    let trees = cx.exposed_in(member.service, kind.access).into_iter();
    let same =
        trees.filter(|e| e.kind.id == kind.id && directory_of(relocation, kind, &e.host).is_some());
    let hosts: std::collections::BTreeSet<PathBuf> = same.map(|e| e.host).collect();
    if hosts.len() > 1 {
        let (name, variable) = (&member.service.name, &relocation.variable);
        return Err(format!(
            "`{name}` sees several trees of this kind, and {variable} would put them all in one place"
        ));
    }
    Ok(())
}

/// What of a service names the tree where it is now.
fn mention(
    cx: &Context<'_>,
    member: &Member<'_>,
    relocation: &Relocation,
    kind: &TreeKind,
) -> Option<String> {
    let service = member.service;
    let path = relocation.of.as_ref().or(kind.paths.first())?;
    if cx.command_of(service).iter().any(|word| names_path(word, path)) {
        return Some("the command".to_owned());
    }
    let values = service.environment.iter();
    let mut values = values.filter_map(|(name, value)| Some((name, value.as_ref()?)));
    if let Some((name, _)) = values.find(|(_, value)| names_path(value, path)) {
        return Some(format!("the variable {name}"));
    }
    let check = cx.project.attribute(&service.name, "healthcheck").and_then(|c| c.get("test"));
    if check.is_some_and(|test| test.texts().iter().any(|word| names_path(word, path))) {
        return Some("the health check".to_owned());
    }
    let lasting = cx.images.lasting(service);
    let (instruction, _) = lasting.iter().find(|(_, rest)| names_path(rest, path))?;
    Some(format!("`{instruction}` of the Dockerfile"))
}

fn fix(
    cx: &Context<'_>,
    group: &Group<'_>,
    member: &Member<'_>,
    (share, relocation): (&Share, &Relocation),
) -> Result<Fix, String> {
    let beside = member.mount.place.ok_or("this mount is not written in a `volumes` list")?;
    let Relocation { variable, path, .. } = relocation;
    let service = member.service.name.clone();
    let key = &share.key;
    let mount = NewMount {
        source: NewSource::Volume { key: key.clone(), nocopy: share.nocopy() },
        target: path.clone(),
        written: path.clone(),
        read_only: false,
    };
    Ok(Fix {
        strategy: META.id,
        applicability: Applicability::Unsafe,
        title: format!("move {} to the named volume `{key}` at {path} ({variable})", member.target),
        notes: notes(cx, group, member, key, relocation),
        changes: vec![
            Change::AddMount { service: service.clone(), mount, beside },
            Change::DeclareVolume { key: key.clone() },
            Change::SetVariable { service, name: variable.clone(), value: path.clone() },
        ],
    })
}

/// What evidence is missing, and what the user should know in any case.
fn notes(
    cx: &Context<'_>,
    group: &Group<'_>,
    member: &Member<'_>,
    key: &str,
    relocation: &Relocation,
) -> Vec<String> {
    let Relocation { variable, path, .. } = relocation;
    let moved = Member {
        service: member.service,
        mount: member.mount,
        target: path.clone(),
        kind: member.kind,
        facts: member.facts,
        host: member.host.clone(),
    };
    let mut notes = Vec::new();
    if let Some(kind) = member.kind.filter(|kind| kind.access == Access::ReadMostly) {
        notes.extend(may_stay_empty(cx, &moved, kind));
    }
    notes.extend(may_be_shut_out(cx, &moved));
    let old = &member.target;
    notes.push(format!(
        "tools that read {variable} use {path}; scripts and settings that name {old} themselves find there what the host has, or nothing"
    ));
    notes.push(stale(cx, group, member, key));
    notes
}
