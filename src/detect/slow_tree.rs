#![doc = include_str!("slow_tree.md")]

use super::exposed::findings;
use super::{Context, Detector, Meta};
use crate::compose::MountKind;
use crate::finding::{Finding, Severity};
use crate::rules::Access;

/// See the page above.
pub struct SlowTree;

const META: Meta = Meta {
    id: "slow-tree",
    severity: Severity::Warning,
    summary: "a bind mount covers a large tree that is read all the time",
    page: include_str!("slow_tree.md"),
};

impl Detector for SlowTree {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn detect(&self, cx: &Context<'_>) -> Vec<Finding> {
        let effect = "each file is opened across a virtual machine";
        findings(cx, &META, (MountKind::Bind, Access::ReadMostly), |p| p.bind.read_mostly, effect)
    }
}
