//! Rancher Desktop.

use std::path::PathBuf;

use super::Answer;
use super::look::{Look, shown_value};
use crate::host::System;
use crate::rules::Version;

/// Its settings: the first of the usual places that is there, else the first.
pub(super) fn settings_file(look: &Look<'_>) -> Option<PathBuf> {
    let named = |variable: &str| look.variable(variable).map(PathBuf::from);
    let places = match look.environment.system {
        System::Macos => vec![look.home("Library/Preferences")],
        System::Windows => vec![named("LOCALAPPDATA"), named("APPDATA")],
        System::Linux => vec![look.variable_or_home("XDG_CONFIG_HOME", ".config")],
    };
    let files = places.into_iter().flatten().map(|p| p.join("rancher-desktop/settings.json"));
    let files: Vec<PathBuf> = files.collect();
    files.iter().find(|file| look.is_there(file)).or(files.first()).cloned()
}

pub(super) fn answer(look: &mut Look<'_>) -> Answer {
    let version = look.bundle_version("Rancher Desktop", "Rancher Desktop");
    let mut kind = None;
    let file = settings_file(look);
    if let Some((settings, file)) = file.and_then(|file| Some((look.json(&file)?, file))) {
        // The second is where it stood while it was an experiment.
        for (pointer, key) in [
            ("/virtualMachine/type", "virtualMachine.type"),
            ("/virtualMachine/mount/type", "virtualMachine.mount.type"),
            ("/experimental/virtualMachine/mount/type", "experimental.virtualMachine.mount.type"),
            ("/containerEngine/name", "containerEngine.name"),
        ] {
            let Some(value) = settings.pointer(pointer) else { continue };
            let value = shown_value(value);
            look.saw(&file, key, &value);
            if key.ends_with("mount.type") && kind.is_none() {
                kind = Some(value);
            }
        }
    }
    let named = look.named("rancher-desktop", "Rancher Desktop", version.as_deref());
    let today = version.as_deref().and_then(Version::parse) >= Version::parse("1.20");
    match kind.as_deref() {
        Some("reverse-sshfs") if today || version.is_none() => Answer::doubtful(
            named,
            "reverse-sshfs is chosen, which is slower still than what is known of newer versions",
        ),
        _ => Answer::known(named),
    }
}
