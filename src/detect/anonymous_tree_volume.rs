#![doc = include_str!("anonymous_tree_volume.md")]

use super::{Context, Detector, Meta, Overlay};
use crate::finding::{Finding, Severity};

/// See the page above.
pub struct AnonymousTreeVolume;

const META: Meta = Meta {
    id: "anonymous-tree-volume",
    severity: Severity::Note,
    summary: "an anonymous volume covers a tree: it leaks and goes stale",
    page: include_str!("anonymous_tree_volume.md"),
};

impl Detector for AnonymousTreeVolume {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn detect(&self, cx: &Context<'_>) -> Vec<Finding> {
        let overlays = cx.overlays().into_iter();
        let anonymous = overlays.filter(|o| o.mount.source.is_none() && o.mount.place.is_some());
        anonymous
            .map(|Overlay { service, mount, kind }| {
                let message = format!(
                    "{} ({}) is covered by an anonymous volume: it keeps old content when the container is made anew and stays behind when the project goes",
                    mount.target, kind.title
                );
                cx.finding(&META, &service.name, message, cx.mount_ref(mount))
            })
            .collect()
    }
}
