#![doc = include_str!("nested_under_read_only.md")]

use super::{Context, Detector, Meta, bind_above};
use crate::compose::Mount;
use crate::finding::{Finding, Severity};

/// See the page above.
pub struct NestedUnderReadOnly;

const META: Meta = Meta {
    id: "nested-under-read-only",
    severity: Severity::Error,
    summary: "a mount lies below a read-only bind and its mount point is not on the host",
    page: include_str!("nested_under_read_only.md"),
};

impl Detector for NestedUnderReadOnly {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn detect(&self, cx: &Context<'_>) -> Vec<Finding> {
        let mut found = Vec::new();
        for service in &cx.project.services {
            for mount in &service.mounts {
                let above = bind_above(service, &mount.target).filter(|b| b.read_only);
                // Another mount between the two would hold the mount point instead of the bind.
                let nearest = service
                    .mounts
                    .iter()
                    .filter(|m| {
                        m.target != mount.target
                            && crate::compose::is_under(&mount.target, &m.target)
                    })
                    .max_by_key(|m| m.target.len());
                let Some(above) = above.filter(|b| nearest.is_some_and(|n| std::ptr::eq(n, *b)))
                else {
                    continue;
                };
                if let Some(finding) = missing_mount_point(cx, &service.name, mount, above) {
                    found.push(finding);
                }
            }
        }
        found
    }
}

fn missing_mount_point(
    cx: &Context<'_>,
    service: &str,
    mount: &Mount,
    above: &Mount,
) -> Option<Finding> {
    let source = above.host_path()?;
    // A source that is not here says nothing about the machine that will run the project.
    cx.surveys.below(source)?;
    let below = mount.target.strip_prefix(&above.target)?.trim_start_matches('/');
    if cx.host.target_kind(&source.join(below)).is_some() {
        return None;
    }
    let parent = cx.mount_ref(above).source.unwrap_or_default();
    let directory = format!("{}/{below}", parent.trim_end_matches('/'));
    let message = format!(
        "{} lies below `{parent}`, which is mounted read-only, and {directory} is not on the host: the container does not start",
        mount.target
    );
    Some(Finding {
        advice: vec![
            format!(
                "create {directory} on the host: the engine makes mount points inside the bind, and a read-only bind takes none"
            ),
            "commit a placeholder such as `.gitkeep` in it, so that every clone has the directory"
                .to_owned(),
        ],
        ..cx.finding(&META, service, message, cx.mount_ref(mount))
    })
}
