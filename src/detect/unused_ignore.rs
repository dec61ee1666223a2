#![doc = include_str!("unused_ignore.md")]

use super::{Context, Detector, Meta};
use crate::compose::{BaseId, FileId, Origin};
use crate::finding::{Finding, MountRef, Severity};
use crate::yaml::NodeId;

/// See the page above.
pub struct UnusedIgnore;

/// Also known to the run, which makes the findings.
pub const META: Meta = Meta {
    id: "unused-ignore",
    severity: Severity::Note,
    summary: "a request to ignore a finding that matches none, or that cannot be followed",
    page: include_str!("unused_ignore.md"),
};

impl Detector for UnusedIgnore {
    fn meta(&self) -> &'static Meta {
        &META
    }

    /// Nothing: what matches no finding is only known after all projects of a run. See the module
    /// `run`.
    fn detect(&self, _: &Context<'_>) -> Vec<Finding> {
        Vec::new()
    }
}

/// Stands for the mount of a finding that is about none.
pub fn no_mount(target: &str) -> MountRef {
    MountRef {
        kind: "",
        source: None,
        target: target.to_owned(),
        origin: Origin { file: FileId(0), node: NodeId(0), base: BaseId(0) },
        place: None,
    }
}
