#![doc = include_str!("consistency.md")]

use super::{Group, Member, Meta, Names, Strategy};
use crate::detect::Context;
use crate::finding::{Applicability, Change, Fix};
use crate::rules::{Access, Platform};

/// See the page above.
pub struct Consistency;

const META: Meta = Meta {
    id: "consistency",
    summary: "`cached` or `delegated` on a bind, where something reads it",
    page: include_str!("consistency.md"),
    repairs: &["missing-consistency-flag"],
    nests: false,
};

impl Strategy for Consistency {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn propose(
        &self,
        cx: &Context<'_>,
        group: &Group<'_>,
        _: &mut Names,
    ) -> Result<Vec<Fix>, String> {
        let flag =
            if group.members.iter().all(|m| only_written(cx, m)) { "delegated" } else { "cached" };
        let gains = |p: &Platform| p.gains_by(flag);
        let Some(reader) = cx.platforms.iter().find(|p| gains(p)) else {
            return Err(format!("nothing reads `{flag}` on the judged platforms"));
        };
        let others = cx.platforms.iter().filter(|p| !gains(p)).map(|p| p.title.as_str());
        let others: Vec<&str> = others.collect();
        group
            .members
            .iter()
            .map(|member| {
                let at =
                    member.mount.place.ok_or("this mount is not written in a `volumes` list")?;
                Ok(Fix {
                    strategy: META.id,
                    applicability: Applicability::Unsafe,
                    title: format!("add `{flag}` to the bind at {}", member.target),
                    notes: notes(flag, reader, &others),
                    changes: vec![Change::SetFlag {
                        service: member.service.name.clone(),
                        at,
                        target: member.target.clone(),
                        flag: Some(flag.to_owned()),
                    }],
                })
            })
            .collect()
    }
}

/// True for a bind that covers trees which are written, and none that are read all the time.
fn only_written(cx: &Context<'_>, member: &Member<'_>) -> bool {
    let seen = |access| cx.exposed_in(member.service, access);
    let here = |access| seen(access).iter().any(|e| e.mount.target == member.mount.target);
    here(Access::WriteHeavy) && !here(Access::ReadMostly)
}

fn notes(flag: &str, reader: &Platform, others: &[&str]) -> Vec<String> {
    let late = match flag {
        "delegated" => "what the container writes can reach the host late",
        _ => "changes on the host can reach the container late, by seconds",
    };
    let mut notes = vec![
        format!(
            "{} reads the flag when docker-compose 1 hands it on; Compose from version 2 drops it without a word",
            reader.title
        ),
        late.to_owned(),
    ];
    if !others.is_empty() {
        notes.push(format!("it does nothing on {}", others.join(", ")));
    }
    notes
}
