#![doc = include_str!("duplicate_target.md")]

use super::{Context, Detector, Meta};
use crate::finding::{Finding, Severity};

/// See the page above.
pub struct DuplicateTarget;

const META: Meta = Meta {
    id: "duplicate-target",
    severity: Severity::Error,
    summary: "two mounts of one service have the same target",
    page: include_str!("duplicate_target.md"),
};

impl Detector for DuplicateTarget {
    fn meta(&self) -> &'static Meta {
        &META
    }
    /// Replacing a mount from another file, or from what is extended, is what overrides are for:
    /// only two entries of one list are a mistake.
    fn detect(&self, cx: &Context<'_>) -> Vec<Finding> {
        let mut found = Vec::new();
        for service in &cx.project.services {
            for (loser, winner) in &service.replaced {
                let same_list = loser.place.is_some_and(|p| p.list == winner.list);
                if !same_list {
                    continue;
                }
                let mount = cx.mount_ref(loser);
                let source = mount.source.as_deref().unwrap_or("an anonymous volume");
                let message = format!(
                    "`{source}` never reaches {}: a later entry of the list has the same target, and Compose keeps the last without a word",
                    mount.target
                );
                found.push(Finding {
                    advice: vec![
                        "remove one of the two entries: only you know which was meant".to_owned(),
                    ],
                    ..cx.finding(&META, &service.name, message, mount)
                });
            }
        }
        found
    }
}
