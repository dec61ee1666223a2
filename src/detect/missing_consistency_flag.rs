#![doc = include_str!("missing_consistency_flag.md")]

use super::{Context, Detector, Meta};
use crate::compose::{Mount, Service, Syntax};
use crate::finding::{Finding, Severity};
use crate::host::EntryKind;
use crate::machine::has_drive_letter;
use crate::rules::Platform;
use crate::scope::is_of_system;

/// See the page above.
pub struct MissingConsistencyFlag;

const META: Meta = Meta {
    id: "missing-consistency-flag",
    severity: Severity::Note,
    summary: "a bind has no consistency flag on a platform where one helps",
    page: include_str!("missing_consistency_flag.md"),
};

impl Detector for MissingConsistencyFlag {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn detect(&self, cx: &Context<'_>) -> Vec<Finding> {
        let platforms = cx.platforms_where(Platform::flags_help);
        if platforms.is_empty() {
            return Vec::new();
        }
        cx.each_mount(|service, mount| missing(cx, service, mount, &platforms))
    }
}

fn missing(
    cx: &Context<'_>,
    service: &Service,
    mount: &Mount,
    platforms: &[String],
) -> Option<Finding> {
    // Nobody waits for a service that only copies.
    let unconcerned = mount.consistency.is_some() || cx.copier(service).is_some();
    if unconcerned || !is_shared_directory(cx, mount) {
        return None;
    }
    let mount_ref = cx.mount_ref(mount);
    let source = mount_ref.source.as_deref().unwrap_or_default();
    let message = format!(
        "`{source}` is bind-mounted to {} without a consistency flag: each read waits until host and container agree",
        mount.target
    );
    Some(Finding {
        platforms: platforms.to_vec(),
        ..cx.finding(&META, &service.name, message, mount_ref)
    })
}

/// True for a bind of a directory that file sharing brings from the host.
fn is_shared_directory(cx: &Context<'_>, mount: &Mount) -> bool {
    let Some(source) = mount.host_path() else { return false };
    // The platforms with such flags know no drive letters, whatever this machine knows.
    let foreign = mount.source.as_deref().is_none_or(has_drive_letter);
    let of_system = is_of_system(source) && !cx.moves_with_project(mount);
    if foreign || of_system || !mount.target.starts_with('/') {
        return false;
    }
    match cx.host.target_kind(source) {
        Some(kind) => kind == EntryKind::Directory,
        // Compose makes a directory of what is not there, so a name is all there is to go by.
        None => mount.syntax == Syntax::Short && !looks_like_file(source.file_name()),
    }
}

/// True for a name that people give to files: one with a dot in it, or `Dockerfile`.
fn looks_like_file(name: Option<&std::ffi::OsStr>) -> bool {
    let name = name.map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    name.contains('.') || name.ends_with("file")
}
