//! Podman in a virtual machine.

use std::path::PathBuf;

use serde_json::Value;

use super::Answer;
use super::look::Look;

/// Where the machines are described, a folder for each provider.
pub(super) fn folder(look: &Look<'_>) -> Option<PathBuf> {
    let configuration = look.variable_or_home("XDG_CONFIG_HOME", ".config")?;
    Some(configuration.join("containers/podman/machine"))
}

pub(super) fn answer(look: &mut Look<'_>, machine: Option<&str>) -> Answer {
    let Some(folder) = folder(look) else { return Answer::known("podman-machine") };
    for provider in ["applehv", "libkrun", "qemu", "hyperv", "wsl"] {
        let directory = folder.join(provider);
        for name in look.names(&directory) {
            let Some(own) = name.strip_suffix(".json") else { continue };
            if machine.is_some_and(|machine| machine != own) {
                continue;
            }
            let file = directory.join(&name);
            let Some(description) = look.json(&file) else { continue };
            look.saw_file(&file, &format!("the machine `{own}` runs by {provider}"));
            if let Some(kind) = description.pointer("/Mounts/0/Type").and_then(Value::as_str) {
                look.saw(&file, "Mounts[0].Type", kind);
            }
        }
    }
    Answer::known("podman-machine")
}
