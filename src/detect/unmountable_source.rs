#![doc = include_str!("unmountable_source.md")]

use super::windows::spellings;
use super::{Context, Detector, Meta};
use crate::compose::{Mount, Service};
use crate::finding::{Finding, Severity};
use crate::machine::distribution;

/// See the page above.
pub struct UnmountableSource;

const META: Meta = Meta {
    id: "unmountable-source",
    severity: Severity::Error,
    summary: "the engine's host cannot mount the source",
    page: include_str!("unmountable_source.md"),
};

/// Distributions that Docker Desktop keeps for itself. No engine shares files from inside them.
const INTERNAL: [&str; 2] = ["docker-desktop", "docker-desktop-data"];

impl Detector for UnmountableSource {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn detect(&self, cx: &Context<'_>) -> Vec<Finding> {
        cx.each_mount(|service, mount| unmountable(cx, service, mount))
    }
}

fn unmountable(cx: &Context<'_>, service: &Service, mount: &Mount) -> Option<Finding> {
    let mut distributions = spellings(cx, mount).into_iter().filter_map(|s| distribution(&s));
    let internal = distributions.find(|name| INTERNAL.contains(&name.as_str()))?;
    let mount_ref = cx.mount_ref(mount);
    let source = mount_ref.source.as_deref().unwrap_or_default();
    let message = format!(
        "`{source}` lies in {internal}, which Docker Desktop keeps for itself: the engine cannot mount it to {}",
        mount.target
    );
    let advice = [
        "mount a named volume if the files are the engine's own, for instance those of another volume",
        "keep source in your own distribution, such as ~/project, and start Compose there",
    ];
    let advice = advice.map(str::to_owned).to_vec();
    Some(Finding { advice, ..cx.finding(&META, &service.name, message, mount_ref) })
}
