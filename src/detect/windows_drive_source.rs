#![doc = include_str!("windows_drive_source.md")]

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::Path;

use super::windows::spellings;
use super::{Context, Detector, Meta};
use crate::compose::{Mount, Service};
use crate::finding::{Finding, Severity};
use crate::machine::{MountTable, on_drive};
use crate::rules::{Cost, Platform};

/// See the page above.
pub struct WindowsDriveSource;

const META: Meta = Meta {
    id: "windows-drive-source",
    severity: Severity::Warning,
    summary: "under WSL 2 the source lies on a Windows drive",
    page: include_str!("windows_drive_source.md"),
};

impl Detector for WindowsDriveSource {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn detect(&self, cx: &Context<'_>) -> Vec<Finding> {
        let costly = |p: &Platform| p.windows_drives.is_some_and(|cost| cost > Cost::None);
        let platforms = cx.platforms_where(costly);
        if platforms.is_empty() {
            return Vec::new();
        }
        let concerned = cx.platforms.iter().filter(|p| costly(p));
        let advice: BTreeSet<&String> = concerned.filter_map(|p| p.advice.as_ref()).collect();
        let advice: Vec<String> = advice.into_iter().cloned().collect();
        let table = OnceCell::new();
        let mounted = |path: &str| {
            let at = |table: &MountTable| table.at(Path::new(path))?.windows_drive().map(|_| ());
            path.starts_with('/') && at(table.get_or_init(|| MountTable::read(cx.host))).is_some()
        };
        cx.each_mount(|service, mount| {
            // `v:/x:ro` has a drive for a source by mistake: its target says so.
            let misread = !mount.target.starts_with('/');
            if misread || !spellings(cx, mount).iter().any(|s| on_drive(s) || mounted(s)) {
                return None;
            }
            Some(Finding {
                platforms: platforms.clone(),
                advice: advice.clone(),
                ..on_windows(cx, service, mount)
            })
        })
    }
}

fn on_windows(cx: &Context<'_>, service: &Service, mount: &Mount) -> Finding {
    let mount_ref = cx.mount_ref(mount);
    let source = mount_ref.source.as_deref().unwrap_or_default();
    let message = format!(
        "`{source}` lies on a Windows drive and is bind-mounted to {}: each file crosses from Windows into Linux",
        mount.target
    );
    cx.finding(&META, &service.name, message, mount_ref)
}
