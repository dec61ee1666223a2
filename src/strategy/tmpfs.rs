#![doc = include_str!("tmpfs.md")]

use super::volume::{cover, obstacle};
use super::{Group, Names, Strategy};
use crate::detect::Context;
use crate::finding::{Applicability, Fix};

/// See the page above.
pub struct Tmpfs;

impl Strategy for Tmpfs {
    fn id(&self) -> &'static str {
        "tmpfs"
    }

    fn summary(&self) -> &'static str {
        "a tmpfs over a tree that can be thrown away"
    }

    fn page(&self) -> &'static str {
        include_str!("tmpfs.md")
    }

    fn repairs(&self) -> &'static [&'static str] {
        &["slow-writes"]
    }

    fn nests(&self) -> bool {
        true
    }

    fn propose(
        &self,
        cx: &Context<'_>,
        group: &Group<'_>,
        _: &mut Names,
    ) -> Result<Vec<Fix>, String> {
        if let Some(advice) = group.members.iter().find_map(|m| obstacle(cx, m, self.id())) {
            return Ok(group.members.iter().map(|_| advice.clone()).collect());
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
                let change = cover(cx, member, None)
                    .ok_or("this mount is not written in a `volumes` list")?;
                Ok(Fix {
                    strategy: "tmpfs",
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
    if let Some(facts) = member.facts.filter(|f| !f.on_disk) {
        notes.push(format!(
            "on Linux hosts the engine creates an empty {} owned by root: create the directory yourself first",
            facts.path
        ));
    }
    notes
}
