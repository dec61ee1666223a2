#![doc = include_str!("slow_tree.md")]

use super::{Context, Detector, exposed_finding};
use crate::finding::{Finding, Severity};
use crate::rules::{Access, Cost};

/// See the page above.
pub struct SlowTree;

impl Detector for SlowTree {
    fn id(&self) -> &'static str {
        "slow-tree"
    }

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn summary(&self) -> &'static str {
        "a bind mount covers a large tree that is read all the time"
    }

    fn page(&self) -> &'static str {
        include_str!("slow_tree.md")
    }

    fn detect(&self, cx: &Context<'_>) -> Vec<Finding> {
        let platforms = cx.platforms_where(|p| p.bind.read_mostly > Cost::None);
        if platforms.is_empty() {
            return Vec::new();
        }
        let cost = "each file is opened across a virtual machine";
        let exposed = cx.exposed(Access::ReadMostly);
        exposed.iter().map(|e| exposed_finding(cx, self, e, platforms.clone(), cost)).collect()
    }
}
