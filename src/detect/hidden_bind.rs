#![doc = include_str!("hidden_bind.md")]

use super::exposed::findings;
use super::{Context, Detector, Meta};
use crate::compose::MountKind;
use crate::finding::{Finding, Severity};
use crate::rules::Access;

/// See the page above.
pub struct HiddenBind;

const META: Meta = Meta {
    id: "hidden-bind",
    severity: Severity::Warning,
    summary: "a volume that is a bind mount by its options covers a large tree",
    page: include_str!("hidden_bind.md"),
};

impl Detector for HiddenBind {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn detect(&self, cx: &Context<'_>) -> Vec<Finding> {
        let read = "each file is opened across a virtual machine";
        let written = "each file is written across a virtual machine";
        let volume = MountKind::Volume;
        let mut found =
            findings(cx, &META, (volume, Access::ReadMostly), |p| p.bind.read_mostly, read);
        found.extend(findings(
            cx,
            &META,
            (volume, Access::WriteHeavy),
            |p| p.bind.write_heavy,
            written,
        ));
        found
    }
}
