#![doc = include_str!("slow_writes.md")]

use super::exposed::findings;
use super::{Context, Detector, Meta};
use crate::compose::MountKind;
use crate::finding::{Finding, Severity};
use crate::rules::Access;

/// See the page above.
pub struct SlowWrites;

const META: Meta = Meta {
    id: "slow-writes",
    severity: Severity::Warning,
    summary: "a bind mount covers a tree that is written all the time",
    page: include_str!("slow_writes.md"),
};

impl Detector for SlowWrites {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn detect(&self, cx: &Context<'_>) -> Vec<Finding> {
        let effect = "each file is written across a virtual machine";
        findings(cx, &META, (MountKind::Bind, Access::WriteHeavy), |p| p.bind.write_heavy, effect)
    }
}
