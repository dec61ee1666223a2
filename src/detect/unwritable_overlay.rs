#![doc = include_str!("unwritable_overlay.md")]

use super::{Context, Detector, Meta, Overlay};
use crate::finding::{Finding, Severity};
use crate::rules::Access;

/// See the page above.
pub struct UnwritableOverlay;

const META: Meta = Meta {
    id: "unwritable-overlay",
    severity: Severity::Warning,
    summary: "a volume covers the tree and the service's user cannot write to it",
    page: include_str!("unwritable_overlay.md"),
};

impl Detector for UnwritableOverlay {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn detect(&self, cx: &Context<'_>) -> Vec<Finding> {
        let overlays = cx.overlays().into_iter();
        let must_write = |overlay: &Overlay<'_>| {
            !overlay.mount.read_only
                && (overlay.kind.access == Access::WriteHeavy
                    || cx.installs(overlay.service, overlay.kind))
        };
        overlays
            .filter(must_write)
            .filter_map(|Overlay { service, mount, kind }| {
                let user = cx.shut_out(service, &mount.target, kind)?;
                let message = format!(
                    "the volume over {} ({}) belongs to root, and the service runs as {user}: it cannot write there",
                    mount.target, kind.title
                );
                let advice = format!(
                    "create the directory in the Dockerfile and give it away, before `USER`: `RUN mkdir -p {0} && chown -R {user} {0}`; a volume that exists already keeps its owner",
                    mount.target
                );
                let finding = cx.finding(&META, &service.name, message, cx.mount_ref(mount));
                Some(Finding { advice: vec![advice], ..finding })
            })
            .collect()
    }
}
