#![doc = include_str!("shared_overlay.md")]

use std::collections::BTreeMap;

use super::{Context, Detector, Meta, Overlay};
use crate::compose::{Mount, Service};
use crate::finding::{Finding, Severity};

/// See the page above.
pub struct SharedOverlay;

const META: Meta = Meta {
    id: "shared-overlay",
    severity: Severity::Warning,
    summary: "one volume covers the tree of services that get in each other's way",
    page: include_str!("shared_overlay.md"),
};

impl Detector for SharedOverlay {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn detect(&self, cx: &Context<'_>) -> Vec<Finding> {
        let mut by_volume: BTreeMap<&str, Vec<Overlay<'_>>> = BTreeMap::new();
        for overlay in cx.overlays() {
            if let Some(key) = overlay.mount.source.as_deref() {
                by_volume.entry(key).or_default().push(overlay);
            }
        }
        let users = users(cx, &by_volume);
        let mut found = Vec::new();
        for (key, overlays) in by_volume {
            let users = users.get(key).map(Vec::as_slice).unwrap_or_default();
            for overlay in &overlays {
                let service = overlay.service;
                let others = users.iter().filter(|(s, _)| s.name != service.name);
                let strangers =
                    others.clone().filter(|(s, _)| s.image_key() != service.image_key());
                let strangers: Vec<&str> = strangers.map(|(s, _)| s.name.as_str()).collect();
                let racing = others.filter(|(s, m)| races(cx, overlay, s, m));
                let racing: Vec<&str> = racing.map(|(s, _)| s.name.as_str()).collect();
                let (message, advice) = if !strangers.is_empty() && !overlay.kind.portable {
                    let message = format!(
                        "the volume `{key}` covers {} here and in {}, whose image is another: compiled modules of one image do not run in the other",
                        overlay.mount.target,
                        names(&strangers)
                    );
                    (message, "give each image a volume of its own")
                } else if !racing.is_empty() {
                    let message = format!(
                        "{} and {} fill the volume `{key}` from their image at the same time when they start together: one of them can fail or find half of the files",
                        service.name,
                        names(&racing)
                    );
                    (
                        message,
                        "let one service fill it: `nocopy` for the others, or `depends_on` the first",
                    )
                } else {
                    continue;
                };
                found.push(Finding {
                    advice: vec![advice.to_owned()],
                    ..cx.finding(&META, &service.name, message, cx.mount_ref(overlay.mount))
                });
            }
        }
        found
    }
}

/// For each of some volumes the services that mount it for their programs to read, with the mount.
fn users<'a, T>(
    cx: &Context<'a>,
    volumes: &BTreeMap<&str, T>,
) -> BTreeMap<&'a str, Vec<(&'a Service, &'a Mount)>> {
    let mut users: BTreeMap<&str, Vec<(&Service, &Mount)>> = BTreeMap::new();
    for service in &cx.project.services {
        let sources = service.mounts.iter().filter_map(|m| Some((m.source.as_deref()?, m)));
        let mut here = sources.filter(|(key, _)| volumes.contains_key(key)).peekable();
        if here.peek().is_some() && cx.idle(service).is_none() {
            here.for_each(|(key, mount)| users.entry(key).or_default().push((service, mount)));
        }
    }
    users
}

/// True for two services that copy into a volume at once: both hold the tree in their image, neither
/// waits for the other, and nothing forbids either to copy.
fn races(cx: &Context<'_>, overlay: &Overlay<'_>, other: &Service, mount: &Mount) -> bool {
    let service = overlay.service;
    let waits = |a: &Service, b: &Service| cx.project.dependencies(a).contains(b.name.as_str());
    let ordered = || waits(service, other) || waits(other, service);
    let copying = !overlay.mount.nocopy && !mount.nocopy;
    // What one entry does for both cannot be said differently for one of them.
    let apart = overlay.mount.place != mount.place;
    let filled = || {
        cx.image_fills(service, &overlay.mount.target, overlay.kind)
            && cx.image_fills(other, &mount.target, overlay.kind)
    };
    copying && apart && !ordered() && filled()
}

fn names(services: &[&str]) -> String {
    let quoted: Vec<String> = services.iter().map(|s| format!("`{s}`")).collect();
    quoted.join(", ")
}
