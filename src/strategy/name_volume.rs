#![doc = include_str!("name_volume.md")]

use super::{Group, Meta, Names, Strategy, volume_key};
use crate::detect::{Context, bind_above};
use crate::finding::{Applicability, Change, Fix};

/// See the page above.
pub struct NameVolume;

const META: Meta = Meta {
    id: "name-volume",
    summary: "an anonymous volume over a tree gets a name",
    page: include_str!("name_volume.md"),
    repairs: &["anonymous-tree-volume"],
    // The volume is nested already; naming it changes nothing about that.
    nests: false,
};

impl Strategy for NameVolume {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn propose(
        &self,
        cx: &Context<'_>,
        group: &Group<'_>,
        names: &mut Names,
    ) -> Result<Vec<Fix>, String> {
        let Some(first) = group.members.first() else { return Ok(Vec::new()) };
        let image = first.service.image_key();
        if group.members.iter().any(|m| m.service.image_key() != image) {
            return Err("services of different images share the entry and would share the volume"
                .to_owned());
        }
        let below = bind_above(first.service, &first.target)
            .and_then(|bind| first.target.strip_prefix(&bind.target))
            .unwrap_or(&first.target);
        let tree = volume_key(below.split('/'));
        let own = volume_key([first.service.name.as_str(), tree.as_str()].into_iter());
        let key = names.claim(&[tree, own]);
        let project = &cx.project.name;
        group
            .members
            .iter()
            .map(|member| {
                let at = member.mount.place.ok_or("this mount is not written in a `volumes` list")?;
                Ok(Fix {
                    strategy: META.id,
                    applicability: Applicability::Unsafe,
                    title: format!("name the volume at {} `{key}`", member.target),
                    notes: vec![
                        "the named volume starts anew from the image: what the anonymous one holds is not carried over"
                            .to_owned(),
                        format!(
                            "it stays when the project is taken down; refresh it with `docker compose rm -sf {} && docker volume rm {project}_{key}`",
                            member.service.name
                        ),
                    ],
                    changes: vec![
                        Change::NameVolume {
                            service: member.service.name.clone(),
                            at,
                            target: member.target.clone(),
                            key: key.clone(),
                        },
                        Change::DeclareVolume { key: key.clone() },
                    ],
                })
            })
            .collect()
    }
}
