#![doc = include_str!("empty_overlay.md")]

use super::{Context, Detector, Filling, Meta, Overlay};
use crate::compose::Service;
use crate::finding::{Finding, Severity};

/// See the page above.
pub struct EmptyOverlay;

const META: Meta = Meta {
    id: "empty-overlay",
    severity: Severity::Warning,
    summary: "a volume covers the tree and nothing ever fills it",
    page: include_str!("empty_overlay.md"),
};

impl Detector for EmptyOverlay {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn detect(&self, cx: &Context<'_>) -> Vec<Finding> {
        let overlays = cx.overlays().into_iter();
        let empty = overlays.filter(|overlay| stays_empty(cx, overlay));
        empty
            .map(|Overlay { service, mount, kind }| {
                let install = kind.install.as_deref().unwrap_or("the install");
                let why = match &mount.source {
                    None => "the image holds nothing there and every new container starts with an empty volume",
                    Some(_) => "no service that mounts it copies (`nocopy`) or installs anything into it",
                };
                let message = format!(
                    "nothing fills the volume over {} ({}): {why}",
                    mount.target, kind.title
                );
                let advice = format!(
                    "run `{install}` in the Dockerfile, after the manifests are copied there, or in the service's command"
                );
                let finding = cx.finding(&META, &service.name, message, cx.mount_ref(mount));
                Finding { advice: vec![advice], ..finding }
            })
            .collect()
    }
}

/// True for a volume that surely never gets a file from the project: an anonymous one over a path
/// that the image lacks, or a named one that no service may copy into.
fn stays_empty(cx: &Context<'_>, overlay: &Overlay<'_>) -> bool {
    let Overlay { service, mount, kind } = overlay;
    let installs = |service: &Service| cx.installs(service, kind);
    match mount.source.as_deref() {
        None => cx.filling(service, &mount.target, kind) == Filling::Never,
        Some(key) => {
            let mut users = cx.project.services.iter().flat_map(|s| {
                let mounts = s.mounts.iter().filter(|m| m.source.as_deref() == Some(key));
                mounts.map(move |m| (s, m))
            });
            let here = cx.project.volumes.iter().any(|v| {
                v.key == key
                    && !v.definition.get("external").is_some_and(crate::compose::Value::is_true)
            });
            here && users.all(|(user, mount)| {
                // A service without a tree of its own at this path may be there to fill it.
                mount.nocopy && mount.target == overlay.mount.target && !installs(user)
            })
        }
    }
}
