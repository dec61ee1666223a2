#![doc = include_str!("slow_writes.md")]

use super::{Context, Detector, exposed_finding};
use crate::finding::{Finding, Severity};
use crate::rules::{Access, Cost};

/// See the page above.
pub struct SlowWrites;

impl Detector for SlowWrites {
    fn id(&self) -> &'static str {
        "slow-writes"
    }

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn summary(&self) -> &'static str {
        "a bind mount covers a tree that is written all the time"
    }

    fn page(&self) -> &'static str {
        include_str!("slow_writes.md")
    }

    fn detect(&self, cx: &Context<'_>) -> Vec<Finding> {
        let platforms = cx.platforms_where(|p| p.bind.write_heavy > Cost::None);
        if platforms.is_empty() {
            return Vec::new();
        }
        let cost = "each file is written across a virtual machine";
        let exposed = cx.exposed(Access::WriteHeavy);
        exposed.iter().map(|e| exposed_finding(cx, self, e, platforms.clone(), cost)).collect()
    }
}
