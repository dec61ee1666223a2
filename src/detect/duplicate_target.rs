#![doc = include_str!("duplicate_target.md")]

use super::{Context, Detector};
use crate::finding::{Finding, Severity};

/// See the page above.
pub struct DuplicateTarget;

impl Detector for DuplicateTarget {
    fn id(&self) -> &'static str {
        "duplicate-target"
    }

    fn severity(&self) -> Severity {
        Severity::Error
    }

    fn summary(&self) -> &'static str {
        "two mounts of one service have the same target"
    }

    fn page(&self) -> &'static str {
        include_str!("duplicate_target.md")
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
                found.push(Finding {
                    rule: self.id(),
                    severity: self.severity(),
                    message: format!(
                        "`{source}` never reaches {}: a later entry of the list has the same target, and Compose keeps the last without a word",
                        mount.target
                    ),
                    service: service.name.clone(),
                    mount,
                    tree: None,
                    platforms: cx.platforms_where(|_| true),
                    advice: vec![
                        "remove one of the two entries: only you know which was meant".to_owned(),
                    ],
                    fix: None,
                });
            }
        }
        found
    }
}
