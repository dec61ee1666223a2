#![doc = include_str!("volume.md")]

use super::cover::{cover, mount_point, obstacle};
use super::database::move_database;
use super::evidence::{is_removed, lacks_directories, may_be_shut_out, may_stay_empty};
use super::{Group, Member, Meta, Names, Strategy, volume_key};
use crate::detect::Context;
use crate::finding::{Applicability, Change, Fix, NewSource};
use crate::rules::Access;

/// See the page above.
pub struct NamedVolume;

const META: Meta = Meta {
    id: "volume",
    summary: "a named volume over the tree, declared at the top level",
    page: include_str!("volume.md"),
    repairs: &["database-on-bind", "hidden-bind", "slow-tree", "slow-writes"],
    nests: true,
};

impl Strategy for NamedVolume {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn propose(
        &self,
        cx: &Context<'_>,
        group: &Group<'_>,
        names: &mut Names,
    ) -> Result<Vec<Fix>, String> {
        if group.rule == "database-on-bind" {
            let advice = group.members.iter().map(|m| move_database(cx, m, META.id, names));
            return Ok(advice.collect());
        }
        if let Some(advice) = obstacle(cx, group, META.id) {
            return Ok(advice);
        }
        let keys = keys(cx, group, names);
        let members = group.members.iter().zip(&keys);
        let fillers: Vec<Filler> =
            members.map(|(member, key)| filler(cx, group, &keys, member, key)).collect();
        let members = group.members.iter().zip(&keys).zip(fillers);
        members
            .map(|((member, key), filler)| {
                let sharers = group.members.iter().zip(&keys).filter(|(_, k)| *k == key);
                let waits = |m: &Member<'_>| cx.project.depends_on(member.service, &m.service.name);
                // Another service installs into the same volume before this one starts.
                let served = sharers
                    .map(|(m, _)| m)
                    .any(|m| waits(m) && m.kind.is_some_and(|kind| cx.installs(m.service, kind)));
                fix(cx, group, member, key, (&filler, served))
            })
            .collect()
    }
}

/// Who fills a member's new volume when its containers are created. Several that start together
/// would copy into it at the same time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Filler {
    /// This service, or one whose container exists before.
    Own,
    /// Another service, so this one must not.
    Other(String),
    /// Several: they share the entry, so that what one does all do.
    Race,
}

pub(super) fn filler(
    cx: &Context<'_>,
    group: &Group<'_>,
    keys: &[String],
    member: &Member<'_>,
    key: &str,
) -> Filler {
    let sharers = group.members.iter().zip(keys).filter(|(_, k)| *k == key).map(|(m, _)| m);
    let sharers: Vec<&Member<'_>> = sharers.collect();
    let list = |m: &Member<'_>| m.mount.place.map(|place| (place.list.file, place.list.node));
    let waits =
        |m: &Member<'_>, on: &Member<'_>| cx.project.depends_on(m.service, &on.service.name);
    let first = sharers.iter().copied().max_by_key(|m| {
        let waiting = sharers.iter().filter(|other| waits(other, m)).count();
        let installing = m.kind.is_some_and(|kind| cx.installs(m.service, kind));
        (m.service.active, installing, waiting, std::cmp::Reverse(m.service.name.as_str()))
    });
    let Some(first) = first else { return Filler::Own };
    let ordered = |m: &Member<'_>| m.service.name == first.service.name || waits(m, first);
    if sharers.iter().copied().all(ordered) {
        return Filler::Own;
    }
    let shared = |m: &Member<'_>| sharers.iter().filter(|other| list(other) == list(m)).count() > 1;
    if sharers.iter().copied().any(shared) {
        return Filler::Race;
    }
    if ordered(member) { Filler::Own } else { Filler::Other(first.service.name.clone()) }
}

/// A volume for each member: one for all when the tree is portable or all run the same image, else
/// one for each image, because compiled modules fit only the image that built them.
pub(super) fn keys(cx: &Context<'_>, group: &Group<'_>, names: &mut Names) -> Vec<String> {
    let portable = group.members.iter().all(|m| m.kind.is_some_and(|k| k.portable));
    let mut images: Vec<(String, String)> = Vec::new();
    let several = !portable && {
        let mut keys: Vec<&str> = group.members.iter().map(|m| m.service.image_key()).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.len() > 1
    };
    let key = |member: &Member<'_>| {
        let image = if several { member.service.image_key() } else { "" };
        if let Some((_, name)) = images.iter().find(|(i, _)| *i == image) {
            return name.clone();
        }
        let tree = member.tree_key(cx);
        let own = volume_key([member.service.name.as_str(), tree.as_str()].into_iter());
        let wishes = if several { vec![own] } else { vec![tree, own] };
        let name = names.claim(&wishes);
        images.push((image.to_owned(), name.clone()));
        name
    };
    group.members.iter().map(key).collect()
}

fn fix(
    cx: &Context<'_>,
    group: &Group<'_>,
    member: &Member<'_>,
    key: &str,
    (filler, served): (&Filler, bool),
) -> Result<Fix, String> {
    let nocopy = matches!(filler, Filler::Other(_));
    let source = NewSource::Volume { key: key.to_owned(), nocopy };
    let mount = cover(cx, member, source).ok_or("this mount is not written in a `volumes` list")?;
    let gaps = gaps(cx, member, filler, served);
    let applicability = if gaps.is_empty() { Applicability::Safe } else { Applicability::Unsafe };
    Ok(Fix {
        strategy: META.id,
        applicability,
        title: format!("mount the named volume `{key}` over {}", member.target),
        notes: [gaps, remarks(cx, group, member, key, filler)].concat(),
        changes: vec![mount, Change::DeclareVolume { key: key.to_owned() }],
    })
}

/// What evidence is missing for a safe fix.
fn gaps(cx: &Context<'_>, member: &Member<'_>, filler: &Filler, served: bool) -> Vec<String> {
    let mut gaps = Vec::new();
    if let Some(kind) = member.kind {
        // A cache fills itself; packages do not.
        let installed = kind.access == Access::ReadMostly;
        gaps.extend(may_stay_empty(cx, member, kind).filter(|_| installed && !served));
        gaps.extend(is_removed(cx, member, kind));
    }
    gaps.extend(lacks_directories(member));
    gaps.extend(may_be_shut_out(cx, member));
    if !member.kind.is_some_and(|kind| kind.portable) {
        let image = member.service.image_key();
        let mut takers = cx.project.takers(member.mount, &member.target);
        gaps.extend(takers.find(|taker| taker.image_key() != image).map(|taker| {
            format!(
                "`{}` takes the volume over by `volumes_from` and runs another image: what is compiled for one need not run in the other",
                taker.name
            )
        }));
    }
    if *filler == Filler::Race {
        gaps.push(
            "the services share one entry and fill the volume at the same time when they start together for the first time: start one of them alone first"
                .to_owned(),
        );
    }
    if member.mount.read_only {
        gaps.extend(mount_point(member));
    }
    gaps
}

/// What the user should know in any case.
fn remarks(
    cx: &Context<'_>,
    group: &Group<'_>,
    member: &Member<'_>,
    key: &str,
    filler: &Filler,
) -> Vec<String> {
    let service = &member.service.name;
    let mut notes = Vec::new();
    if let Filler::Other(other) = filler {
        notes.push(format!(
            "`{other}` fills the volume from its image and {service} does not (`nocopy`), because two that copy at once get in each other's way: start `{other}` with it"
        ));
    }
    let takers = cx.project.takers(member.mount, &member.target);
    let takers: Vec<String> = takers.take(NAMED).map(|s| format!("`{}`", s.name)).collect();
    if !takers.is_empty() {
        notes.push(format!(
            "the volume also reaches what takes over the mounts of {service} by `volumes_from`: {}",
            takers.join(", ")
        ));
    }
    let project = &cx.project.name;
    notes.push(format!(
        "later images and lock-file changes do not reach the volume: run the install in the container, or refresh this one volume with `{} && docker volume rm {project}_{key}`",
        release(cx, group, member)
    ));
    if !member.mount.read_only {
        notes.extend(mount_point(member));
    }
    let installed = member.kind.is_some_and(|kind| kind.access == Access::ReadMostly);
    if let Some(facts) = member.facts.filter(|_| installed) {
        notes.push(format!(
            "tools on the host no longer see what the container installs: keep {} installed on the host for the editor",
            facts.path
        ));
    }
    notes
}

/// Services that a command line names one by one.
const NAMED: usize = 5;

/// The command that removes the containers which hold a member's volume.
pub(super) fn release(cx: &Context<'_>, group: &Group<'_>, member: &Member<'_>) -> String {
    let portable = member.kind.is_some_and(|k| k.portable);
    let image = member.service.image_key();
    let same = group.members.iter().filter(|m| portable || m.service.image_key() == image);
    let holders = same.flat_map(|m| {
        let takers = cx.project.takers(m.mount, &m.target);
        [m.service].into_iter().chain(takers).map(|service| service.name.as_str())
    });
    let names: Vec<&str> = holders.take(NAMED + 1).collect();
    if names.len() > NAMED {
        return "docker compose down".to_owned();
    }
    format!("docker compose rm -sf {}", names.join(" "))
}
