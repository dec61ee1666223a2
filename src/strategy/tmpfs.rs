#![doc = include_str!("tmpfs.md")]

use super::cover::{cover, mount_point, obstacle};
use super::evidence::lacks_directories;
use super::{Group, Member, Meta, Names, Strategy};
use crate::detect::Context;
use crate::finding::{Applicability, Fix, NewSource};

/// See the page above.
pub struct Tmpfs;

const META: Meta = Meta {
    id: "tmpfs",
    summary: "a tmpfs over a tree that can be thrown away",
    page: include_str!("tmpfs.md"),
    repairs: &["hidden-bind", "slow-writes"],
    nests: true,
};

impl Strategy for Tmpfs {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn propose(
        &self,
        cx: &Context<'_>,
        group: &Group<'_>,
        _: &mut Names,
    ) -> Result<Vec<Fix>, String> {
        if let Some(advice) = obstacle(cx, group, META.id) {
            return Ok(advice);
        }
        if let Some(lasting) = group.members.iter().find(|m| m.kind.is_none_or(|k| !k.disposable)) {
            return Err(format!("what is in {} must last", lasting.target));
        }
        if group.members.len() > 1 {
            let names: Vec<_> = group.members.iter().map(|m| m.service.name.as_str()).collect();
            return Err(format!("{} share the tree, and memory is not shared", names.join(", ")));
        }
        for Member { service, .. } in &group.members {
            if let Some(taker) = cx.project.taker_of(&service.name) {
                return Err(format!(
                    "`{}` takes over the mounts of `{}` by `volumes_from`, and the engine cannot hand on a tmpfs",
                    taker.name, service.name
                ));
            }
        }
        group.members.iter().map(|member| fix(cx, member)).collect()
    }
}

fn fix(cx: &Context<'_>, member: &Member<'_>) -> Result<Fix, String> {
    let change = cover(cx, member, NewSource::Tmpfs)
        .ok_or("this mount is not written in a `volumes` list")?;
    let gaps = gaps(cx, member);
    let applicability = if gaps.is_empty() { Applicability::Safe } else { Applicability::Unsafe };
    Ok(Fix {
        strategy: META.id,
        applicability,
        title: format!("keep {} in memory", member.target),
        notes: [gaps, remarks(member)].concat(),
        changes: vec![change],
    })
}

/// Bytes of a tree that fit into memory on any machine that runs containers.
const SMALL: u64 = 256 << 20;

/// What evidence is missing for a safe fix. That the content may be thrown away and that its usual
/// size fits is what the tree's kind says.
fn gaps(cx: &Context<'_>, member: &Member<'_>) -> Vec<String> {
    let mut gaps = Vec::new();
    let service = &member.service.name;
    let own = |key: &str| cx.project.attribute(service, key);
    let resources = own("deploy").and_then(|d| d.get("resources")?.get("limits")?.get("memory"));
    if own("mem_limit").or(resources).is_some() {
        gaps.push(format!("{service} has a limit on its memory, and a tmpfs counts against it"));
    }
    if let Some(bytes) = member.facts.and_then(|f| f.bytes).filter(|bytes| *bytes > SMALL) {
        gaps.push(format!("{} holds {} MiB now", member.target, bytes >> 20));
    }
    gaps.extend(lacks_directories(member));
    gaps
}

fn remarks(member: &Member<'_>) -> Vec<String> {
    let target = &member.target;
    let mut notes = vec![
        format!("{target} is empty each time the container starts, and takes memory while it runs"),
        "the engine lets no program start from a tmpfs (`noexec`)".to_owned(),
        format!(
            "nothing else may read {target} on the host: a tmpfs is seen by this container alone"
        ),
    ];
    notes.extend(mount_point(member));
    notes
}
