#![doc = include_str!("suspicious_target.md")]

use super::{Context, Detector, Meta};
use crate::compose::{CONSISTENCY_FLAGS, Mount, MountKind, Service, Syntax};
use crate::finding::{Finding, Severity};
use crate::machine::has_drive_letter;

/// See the page above.
pub struct SuspiciousTarget;

const META: Meta = Meta {
    id: "suspicious-target",
    severity: Severity::Error,
    summary: "a mount's target is not an absolute path",
    page: include_str!("suspicious_target.md"),
};

/// Options that people put where the container path belongs.
const OPTIONS: [&str; 5] = ["ro", "rw", "z", "Z", "nocopy"];

impl Detector for SuspiciousTarget {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn detect(&self, cx: &Context<'_>) -> Vec<Finding> {
        cx.each_mount(|service, mount| suspicious(cx, service, mount))
    }
}

fn suspicious(cx: &Context<'_>, service: &Service, mount: &Mount) -> Option<Finding> {
    if !mount.unset.is_empty() || mount.target.starts_with('/') {
        return None;
    }
    let letter = swallowed_volume(cx, mount);
    let target = mount.target.as_str();
    if letter.is_none() && (has_drive_letter(target) || target.starts_with('\\')) {
        return None;
    }
    let (message, advice) = match letter {
        Some(letter) => (
            format!(
                "Compose reads `{letter}:` as a Windows drive, so the volume `{letter}` is not mounted: the engine gets the target `{target}` and refuses it"
            ),
            format!(
                "give the volume a name of two letters or more, or write the mount as a mapping with `source: {letter}`"
            ),
        ),
        None => (
            format!(
                "`{target}` is not an absolute path: Compose takes it, and the engine refuses it or mounts something else"
            ),
            remedy(mount),
        ),
    };
    Some(Finding {
        advice: vec![advice],
        ..cx.finding(&META, &service.name, message, cx.mount_ref(mount))
    })
}

/// The volume of one letter that `v:/app` or `v:/app:ro` was meant to mount. Where no such volume is
/// declared, the letter may be a drive of a Windows container after all: `C:` is, and people write
/// drives in upper case.
fn swallowed_volume(cx: &Context<'_>, mount: &Mount) -> Option<char> {
    let volume = match (mount.kind, &mount.source) {
        (MountKind::Volume, None) => &mount.target,
        (MountKind::Bind, Some(source)) if holds_options(mount) => source,
        _ => return None,
    };
    let letter = volume.chars().next().filter(char::is_ascii_alphabetic)?;
    let rest = volume.strip_prefix(letter)?;
    if mount.syntax != Syntax::Short || !rest.starts_with(":/") {
        return None;
    }
    let declared = cx.project.volumes.iter().any(|v| v.key.chars().eq([letter]));
    (declared || (letter.is_ascii_lowercase() && letter != 'c')).then_some(letter)
}

/// True for `source:options`: the options stand where the container path belongs.
fn holds_options(mount: &Mount) -> bool {
    let is_option = |word: &str| OPTIONS.contains(&word) || CONSISTENCY_FLAGS.contains(&word);
    mount.syntax == Syntax::Short
        && mount.source.is_some()
        && mount.target.split(',').all(is_option)
}

fn remedy(mount: &Mount) -> String {
    let target = mount.target.as_str();
    if holds_options(mount) {
        return format!(
            "name the volume or the host path in front: options such as `{target}` come third, behind source and target"
        );
    }
    if let Some(below) = target.strip_prefix('~') {
        return format!(
            "write the home directory out, as in /home/app{below}: nobody expands `~` inside the container"
        );
    }
    "write the whole path inside the container, from its root".to_owned()
}
