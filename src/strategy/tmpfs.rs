#![doc = include_str!("tmpfs.md")]

use super::cover::{cover, mount_point, obstacle};
use super::{Group, Meta, Names, Strategy};
use crate::detect::Context;
use crate::finding::{Applicability, Fix, NewSource};

/// See the page above.
pub struct Tmpfs;

const META: Meta = Meta {
    id: "tmpfs",
    summary: "a tmpfs over a tree that can be thrown away",
    page: include_str!("tmpfs.md"),
    repairs: &["slow-writes"],
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
        group
            .members
            .iter()
            .map(|member| {
                let change = cover(cx, member, NewSource::Tmpfs)
                    .ok_or("this mount is not written in a `volumes` list")?;
                Ok(Fix {
                    strategy: META.id,
                    applicability: Applicability::Unsafe,
                    title: format!("keep {} in memory", member.target),
                    notes: notes(member),
                    changes: vec![change],
                })
            })
            .collect()
    }
}

fn notes(member: &super::Member<'_>) -> Vec<String> {
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
