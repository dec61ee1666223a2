#![doc = include_str!("drop_flag.md")]

use super::{Group, Meta, Names, Strategy};
use crate::compose::Syntax;
use crate::detect::Context;
use crate::finding::{Applicability, Change, Fix};

/// See the page above.
pub struct DropFlag;

const META: Meta = Meta {
    id: "drop-flag",
    summary: "a consistency flag that nothing reads goes",
    page: include_str!("drop_flag.md"),
    repairs: &["dead-consistency-flag"],
    nests: false,
};

impl Strategy for DropFlag {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn propose(
        &self,
        cx: &Context<'_>,
        group: &Group<'_>,
        _: &mut Names,
    ) -> Result<Vec<Fix>, String> {
        group
            .members
            .iter()
            .map(|member| {
                let mount = member.mount;
                let flag = mount.consistency.as_deref().ok_or("the entry has no flag")?;
                if let Some(platform) = cx.platforms.iter().find(|p| p.reads_flag(flag, mount)) {
                    return Err(format!("{} reads the flag", platform.title));
                }
                let at = mount.place.ok_or("this mount is not written in a `volumes` list")?;
                let what = match mount.syntax {
                    Syntax::Long => format!("take `consistency: {flag}` out"),
                    Syntax::Short | Syntax::Tmpfs => format!("take `{flag}` out of the entry"),
                };
                Ok(Fix {
                    strategy: META.id,
                    applicability: Applicability::Safe,
                    title: what,
                    notes: Vec::new(),
                    changes: vec![Change::SetFlag {
                        service: member.service.name.clone(),
                        at,
                        target: member.target.clone(),
                        flag: None,
                    }],
                })
            })
            .collect()
    }
}
