#![doc = include_str!("volume.md")]

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

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
        let shares = shares(cx, group, names);
        let members = group.members.iter().zip(&shares);
        members.map(|(member, share)| fix(cx, group, member, share)).collect()
    }
}

/// A member's new volume.
pub(super) struct Share {
    /// Its key.
    pub(super) key: String,
    /// Who fills it.
    pub(super) filler: Filler,
    /// True when another service installs into it before this one starts.
    served: bool,
}

impl Share {
    /// True where the engine must not fill the volume when this member's container is created.
    pub(super) fn nocopy(&self) -> bool {
        matches!(self.filler, Filler::Other(_))
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

/// The volumes of a group, in the order of its members.
pub(super) fn shares(cx: &Context<'_>, group: &Group<'_>, names: &mut Names) -> Vec<Share> {
    let keys = keys(cx, group, names);
    let mut by_key: BTreeMap<&str, Vec<&Member<'_>>> = BTreeMap::new();
    for (key, member) in keys.iter().zip(&group.members) {
        by_key.entry(key).or_default().push(member);
    }
    let by_key: BTreeMap<&str, Sharers<'_>> =
        by_key.into_iter().map(|(key, members)| (key, Sharers::of(cx, &members))).collect();
    let share = |(key, member): (&String, &Member<'_>)| {
        let sharers = by_key.get(key.as_str());
        let before = cx.project.dependencies(member.service);
        Share {
            key: key.clone(),
            filler: sharers.map_or(Filler::Own, |s| s.filler(&member.service.name, &before)),
            served: sharers.is_some_and(|s| !s.installing.is_disjoint(&before)),
        }
    };
    keys.iter().zip(&group.members).map(share).collect()
}

/// The services that share one new volume.
struct Sharers<'a> {
    /// The one whose container is to fill it.
    first: &'a str,
    /// Those that install into it when they start.
    installing: BTreeSet<&'a str>,
    /// All others wait for the first.
    ordered: bool,
    /// Two of them have the same entry.
    one_entry: bool,
}

impl<'a> Sharers<'a> {
    fn of(cx: &'a Context<'_>, members: &[&'a Member<'_>]) -> Self {
        let name = |m: &&'a Member<'_>| m.service.name.as_str();
        let installs = |m: &&&Member<'_>| m.kind.is_some_and(|k| cx.installs(m.service, k));
        let installing: BTreeSet<&str> = members.iter().filter(installs).map(name).collect();
        let before: Vec<BTreeSet<&str>> =
            members.iter().map(|m| cx.project.dependencies(m.service)).collect();
        let mut waiting: BTreeMap<&str, usize> = BTreeMap::new();
        for other in before.iter().flatten() {
            *waiting.entry(other).or_default() += 1;
        }
        let rank = |m: &&&'a Member<'_>| {
            let name = name(m);
            let waiting = waiting.get(name).copied().unwrap_or_default();
            (m.service.active, installing.contains(name), waiting, Reverse(name))
        };
        let first = members.iter().max_by_key(rank).map_or("", name);
        let follows = |(m, before): (&&'a Member<'_>, &BTreeSet<&str>)| {
            name(m) == first || before.contains(first)
        };
        let ordered = members.iter().zip(&before).all(follows);
        let lists: BTreeSet<_> = members
            .iter()
            .map(|m| m.mount.place.map(|place| (place.list.file, place.list.node)))
            .collect();
        Self { first, installing, ordered, one_entry: lists.len() < members.len() }
    }

    /// Who fills the volume of the member with this name, whose container comes behind those of
    /// `before`.
    fn filler(&self, name: &str, before: &BTreeSet<&str>) -> Filler {
        let own = name == self.first || before.contains(self.first);
        if self.one_entry && !self.ordered {
            Filler::Race
        } else if own || self.ordered {
            Filler::Own
        } else {
            Filler::Other(self.first.to_owned())
        }
    }
}

/// A volume for each member: one for all when the tree is portable or all run the same image, else
/// one for each image, because compiled modules fit only the image that built them.
fn keys(cx: &Context<'_>, group: &Group<'_>, names: &mut Names) -> Vec<String> {
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
    share: &Share,
) -> Result<Fix, String> {
    let key = &share.key;
    let source = NewSource::Volume { key: key.clone(), nocopy: share.nocopy() };
    let mount = cover(cx, member, source).ok_or("this mount is not written in a `volumes` list")?;
    let gaps = gaps(cx, member, share);
    let applicability = if gaps.is_empty() { Applicability::Safe } else { Applicability::Unsafe };
    Ok(Fix {
        strategy: META.id,
        applicability,
        title: format!("mount the named volume `{key}` over {}", member.target),
        notes: [gaps, remarks(cx, group, member, share)].concat(),
        changes: vec![mount, Change::DeclareVolume { key: key.clone() }],
    })
}

/// What evidence is missing for a safe fix.
fn gaps(cx: &Context<'_>, member: &Member<'_>, share: &Share) -> Vec<String> {
    let mut gaps = Vec::new();
    if let Some(kind) = member.kind {
        // A cache fills itself; packages do not.
        let installed = kind.access == Access::ReadMostly;
        gaps.extend(may_stay_empty(cx, member, kind).filter(|_| installed && !share.served));
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
    if share.filler == Filler::Race {
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
fn remarks(cx: &Context<'_>, group: &Group<'_>, member: &Member<'_>, share: &Share) -> Vec<String> {
    let service = &member.service.name;
    let mut notes = Vec::new();
    if let Filler::Other(other) = &share.filler {
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
    notes.push(stale(cx, group, member, &share.key));
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

/// What does not reach a volume once it is filled, and how to fill it anew.
pub(super) fn stale(cx: &Context<'_>, group: &Group<'_>, member: &Member<'_>, key: &str) -> String {
    format!(
        "later images and lock-file changes do not reach the volume: run the install in the container, or refresh this one volume with `{} && docker volume rm {}_{key}`",
        release(cx, group, member),
        cx.project.name
    )
}

/// Services that a command line names one by one.
const NAMED: usize = 5;

/// The command that removes the containers which hold a member's volume.
fn release(cx: &Context<'_>, group: &Group<'_>, member: &Member<'_>) -> String {
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
