#![doc = include_str!("dead_consistency_flag.md")]

use super::{Context, Detector, Meta};
use crate::compose::{Mount, MountKind, Service, Syntax};
use crate::finding::{Finding, Severity};

/// See the page above.
pub struct DeadConsistencyFlag;

const META: Meta = Meta {
    id: "dead-consistency-flag",
    severity: Severity::Note,
    summary: "`cached`, `delegated` or `consistent` where nothing reads it",
    page: include_str!("dead_consistency_flag.md"),
};

impl Detector for DeadConsistencyFlag {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn detect(&self, cx: &Context<'_>) -> Vec<Finding> {
        cx.each_mount(|service, mount| dead(cx, service, mount))
    }
}

fn dead(cx: &Context<'_>, service: &Service, mount: &Mount) -> Option<Finding> {
    let flag = mount.consistency.as_deref()?;
    // A source that is not known may be a path on the next machine.
    let shared = mount.kind == MountKind::Bind || !mount.unset.is_empty();
    let platforms = cx.platforms_where(|p| !shared || !p.reads_flag(flag, mount));
    if platforms.is_empty() {
        return None;
    }
    let shown = match mount.syntax {
        Syntax::Long => format!("consistency: {flag}"),
        Syntax::Short | Syntax::Tmpfs => format!(":{flag}"),
    };
    let reason = match mount.syntax {
        _ if !shared => {
            let kind = mount.kind.word();
            format!("it is about files of the host, and this is a mount of type {kind}")
        }
        Syntax::Long => "the engine gets it in few cases and never looks at it".to_owned(),
        Syntax::Short | Syntax::Tmpfs => {
            "Compose from version 2 drops it without a word, and the engine never looked at it"
                .to_owned()
        }
    };
    let message = format!("`{shown}` does nothing for {}: {reason}", mount.target);
    Some(Finding { platforms, ..cx.finding(&META, &service.name, message, cx.mount_ref(mount)) })
}
