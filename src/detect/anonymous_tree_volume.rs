#![doc = include_str!("anonymous_tree_volume.md")]

use super::{Context, Detector, Meta, bind_above};
use crate::compose::{Mount, MountKind, Service};
use crate::finding::{Finding, Severity};
use crate::rules::{Access, TreeKind};

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
        let mut found = Vec::new();
        for service in &cx.project.services {
            for mount in &service.mounts {
                let anonymous = mount.kind == MountKind::Volume && mount.source.is_none();
                if !anonymous || !mount.target.starts_with('/') || mount.place.is_none() {
                    continue;
                }
                let Some(kind) = covered_kind(cx, service, mount) else { continue };
                found.push(Finding {
                    rule: META.id,
                    severity: META.severity,
                    message: format!(
                        "{} ({}) is covered by an anonymous volume: it keeps old content when the container is made anew and stays behind when the project goes",
                        mount.target, kind.title
                    ),
                    service: service.name.clone(),
                    mount: cx.mount_ref(mount),
                    tree: None,
                    platforms: cx.platforms_where(|_| true),
                    advice: Vec::new(),
                    fix: None,
                });
            }
        }
        found
    }
}

/// The kind of tree that a mount hides from the bind above it: one that was found below the bind,
/// else one whose name says enough.
fn covered_kind<'a>(cx: &Context<'a>, service: &Service, mount: &Mount) -> Option<&'a TreeKind> {
    let bind = bind_above(service, &mount.target)?;
    let below = mount.target.strip_prefix(&bind.target)?.trim_start_matches('/');
    let surveyed =
        bind.host_path().and_then(|source| cx.surveys.below(source)).and_then(|survey| {
            let facts = survey.trees.iter().find(|t| t.path == below)?;
            cx.rules.tree(&facts.kind)
        });
    let named = || {
        let fits = |path: &String| below == path || below.ends_with(&format!("/{path}"));
        cx.rules
            .trees()
            .iter()
            .find(|k| k.access != Access::Kept && !k.ambiguous && k.paths.iter().any(fits))
    };
    surveyed.or_else(named)
}
