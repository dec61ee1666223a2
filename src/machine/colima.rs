//! Colima and Lima, which it is built upon.

use std::path::PathBuf;

use serde_yaml::Value;

use super::Answer;
use super::look::{Look, one_of};

/// Where Colima keeps its profiles: `COLIMA_HOME`, else `~/.colima` if it is there, else below the
/// configuration directory if that is there.
pub(super) fn home(look: &Look<'_>) -> Option<PathBuf> {
    if let Some(home) = look.variable("COLIMA_HOME") {
        return Some(PathBuf::from(home));
    }
    let usual = look.home(".colima")?;
    if look.is_directory(&usual) {
        return Some(usual);
    }
    let named = look.variable("XDG_CONFIG_HOME").map(PathBuf::from);
    let configuration = named.or_else(|| look.home(".config").filter(|dir| look.is_directory(dir)));
    let there = configuration.map(|directory| directory.join("colima"));
    Some(there.filter(|directory| look.is_directory(directory)).unwrap_or(usual))
}

pub(super) fn answer(look: &mut Look<'_>, profile: &str) -> Answer {
    let Some(home) = home(look) else {
        return Answer::unknown("there is no home directory to look for Colima's settings in");
    };
    let instance = match profile {
        "default" => "colima".to_owned(),
        profile => format!("colima-{profile}"),
    };
    // What the machine was made with does not change with the settings.
    let made_with = home.join("_lima").join(instance).join("colima.yaml");
    let settings = home.join(profile).join("colima.yaml");
    let found = [made_with, settings].into_iter().find_map(|file| Some((look.yaml(&file)?, file)));
    let Some((settings, file)) = found else {
        let reason = format!("the profile `{profile}` of Colima has no colima.yaml");
        return one_of(["colima-sshfs", "colima-virtiofs"].map(str::to_owned), &reason);
    };
    let machine = text(&settings, "vmType");
    let kind = text(&settings, "mountType");
    if let Some(runtime) = text(&settings, "runtime").filter(|runtime| *runtime != "docker") {
        let says = format!("{runtime}, which Docker Compose does not talk to");
        look.saw(&file, "runtime", &says);
    }
    if settings.get("mountInotify") == Some(&Value::Bool(true)) {
        look.saw(&file, "mountInotify", "true: changes on the host are told, as an experiment");
    }
    let kind = match (kind, machine) {
        (Some(kind), _) => {
            look.saw(&file, "mountType", kind);
            kind
        }
        (None, Some(machine)) => {
            // The default follows the virtual machine.
            let kind = if machine == "qemu" { "sshfs" } else { "virtiofs" };
            look.saw(&file, "vmType", &format!("{machine}, whose default is {kind}"));
            kind
        }
        (None, None) => {
            look.saw(&file, "mountType", "is not set");
            let reason = "neither mountType nor vmType is set, and the default depends on the version of Colima";
            return one_of(["colima-sshfs", "colima-virtiofs"].map(str::to_owned), reason);
        }
    };
    match kind {
        "sshfs" | "reverse-sshfs" => Answer::known("colima-sshfs"),
        "9p" => Answer::known("colima-9p"),
        "virtiofs" => Answer::known("colima-virtiofs"),
        other => Answer::unknown(format!("Colima shares files by `{other}`, which is not known")),
    }
}

/// An instance of Lima that somebody made without Colima.
pub(super) fn lima(look: &mut Look<'_>, instance: &str) -> Answer {
    if let Some(home) = look.variable_or_home("LIMA_HOME", ".lima") {
        let file = home.join(instance).join("lima.yaml");
        if let Some(settings) = look.yaml(&file) {
            for key in ["vmType", "mountType"] {
                match text(&settings, key) {
                    Some(value) => look.saw(&file, key, value),
                    None => look.saw(&file, key, "is not set, so Lima chooses"),
                }
            }
            if settings.get("mountInotify") == Some(&Value::Bool(true)) {
                look.saw(
                    &file,
                    "mountInotify",
                    "true: changes on the host are told, as an experiment",
                );
            }
        }
    }
    Answer::known("lima")
}

/// A setting that is set to something.
fn text<'v>(settings: &'v Value, key: &str) -> Option<&'v str> {
    settings.get(key)?.as_str().filter(|text| !text.is_empty())
}
