#![doc = include_str!("watch_under_bind.md")]

use std::path::Path;

use super::{Context, Detector, Meta};
use crate::compose::{Mount, MountKind, Service, WatchRule};
use crate::finding::{Finding, Severity};

/// See the page above.
pub struct WatchUnderBind;

const META: Meta = Meta {
    id: "watch-under-bind",
    severity: Severity::Warning,
    summary: "`develop.watch` copies into what a bind of the same service covers",
    page: include_str!("watch_under_bind.md"),
};

impl Detector for WatchUnderBind {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn detect(&self, cx: &Context<'_>) -> Vec<Finding> {
        let mut found = Vec::new();
        for service in &cx.project.services {
            for rule in service.watch.iter().filter(|rule| rule.action.starts_with("sync")) {
                let Some((bind, effect)) = covering(service, rule) else { continue };
                let path =
                    crate::compose::relative_name(&cx.project.directory, Path::new(&rule.path));
                let finding = Finding {
                    rule: META.id,
                    severity: META.severity,
                    message: format!(
                        "the bind at {} covers what `develop.watch` syncs from {path}: {effect}",
                        bind.target
                    ),
                    service: service.name.clone(),
                    mount: cx.mount_ref(bind),
                    tree: None,
                    platforms: cx.platforms_where(|_| true),
                    advice: vec![
                        "drop the bind if the code is in the image, else the rule".to_owned(),
                    ],
                    fix: None,
                };
                let known = |f: &Finding| f.service == finding.service && f.mount == finding.mount;
                if !found.iter().any(known) {
                    found.push(finding);
                }
            }
        }
        found
    }
}

/// The bind that is in the way of a rule, and what happens. Compose compares host paths: it skips a
/// rule whose path lies in a bind's source.
fn covering<'a>(service: &'a Service, rule: &WatchRule) -> Option<(&'a Mount, &'static str)> {
    let mut binds = service.mounts.iter().filter(|m| m.kind == MountKind::Bind);
    let source =
        |m: &&Mount| m.host_path().is_some_and(|source| Path::new(&rule.path).starts_with(source));
    if let Some(bind) = binds.find(source) {
        return Some((bind, "Compose leaves such a path unwatched, with a warning"));
    }
    let covered = service.mount_at(rule.target.as_deref()?)?;
    (covered.kind == MountKind::Bind)
        .then_some((covered, "each changed file is copied through the bind onto the host"))
}
