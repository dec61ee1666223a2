#![doc = include_str!("watch_under_bind.md")]

use std::path::Path;

use super::{Context, Detector, Meta};
use crate::compose::{Data, Mount, MountKind, Service, Syntax, WatchRule};
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
                let Some((bind, effect)) = covering(cx, service, rule) else { continue };
                let path =
                    crate::compose::relative_name(&cx.project.directory, Path::new(&rule.path));
                let message = format!(
                    "the bind at {} covers what `develop.watch` syncs from {path}: {effect}",
                    bind.target
                );
                let finding = Finding {
                    advice: vec![
                        "drop the bind if the code is in the image, else the rule".to_owned(),
                    ],
                    ..cx.finding(&META, &service.name, message, cx.mount_ref(bind))
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

/// The bind that is in the way of a rule, and what happens.
fn covering<'a>(
    cx: &Context<'_>,
    service: &'a Service,
    rule: &WatchRule,
) -> Option<(&'a Mount, &'static str)> {
    let mut binds = service.mounts.iter().filter(|m| m.kind == MountKind::Bind);
    if let Some(bind) = binds.find(|bind| skips(cx, service, bind, rule)) {
        return Some((bind, "Compose leaves such a path unwatched, with a warning"));
    }
    let covered = service.mount_at(rule.target.as_deref()?)?;
    (covered.kind == MountKind::Bind)
        .then_some((covered, "each changed file is copied through the bind onto the host"))
}

/// True when Compose skips a rule because of a bind. It compares host paths as texts, for two
/// actions only, and knows a bind by its options: a long entry without `bind` has none.
fn skips(cx: &Context<'_>, service: &Service, bind: &Mount, rule: &WatchRule) -> bool {
    let below = |source| Path::new(&rule.path).strip_prefix(source).ok();
    let Some(inside) = bind.host_path().and_then(below) else { return false };
    matches!(rule.action.as_str(), "sync" | "sync+restart")
        && !inside.to_string_lossy().starts_with("..")
        && has_options(cx, service, bind)
}

/// True for a bind that has options in Compose's model: every short entry, and a long one with
/// `bind`, even an empty one.
fn has_options(cx: &Context<'_>, service: &Service, bind: &Mount) -> bool {
    let written = || {
        let list = cx.project.attribute(&service.name, "volumes")?.list()?;
        let item = list.items.iter().find(|item| item.origin == bind.origin)?;
        item.get("bind").map(|options| matches!(options.data, Data::Map(_)))
    };
    bind.syntax == Syntax::Short || written().unwrap_or_default()
}
