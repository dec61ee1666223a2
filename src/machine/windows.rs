//! Engines on Windows itself.

use std::path::Path;

use super::Answer;
use super::desktop::{self, Backend, WindowsFiles};
use super::endpoint::Endpoint;
use super::look::Look;
use super::windows_path::{distribution, on_drive};
use super::{podman, rancher};

pub(super) fn answer(look: &mut Look<'_>, endpoint: &Endpoint) -> Answer {
    let pipe = match endpoint {
        Endpoint::Pipe(name) => name.to_lowercase(),
        _ => String::new(),
    };
    if pipe.contains("podman") {
        return podman::answer(look, Some(pipe.trim_start_matches("docker-")));
    }
    let file = |look: &Look<'_>, variable: &str, below: &str| {
        let top = look.variable(variable).unwrap_or_default();
        Path::new(top).join(below)
    };
    let files = WindowsFiles {
        settings: desktop::settings_file(look),
        admin: file(look, "ProgramData", "DockerDesktop/admin-settings.json"),
        components: file(look, "ProgramFiles", "Docker/Docker/resources/componentsVersion.json"),
    };
    let settings = files.settings.as_ref().is_some_and(|file| look.is_there(file));
    if settings || look.is_there(&files.components) || pipe.contains("desktop") {
        return match desktop::on_windows(look, &files) {
            (Backend::Wsl, _) => by_path(look),
            (_, answer) => answer.unwrap_or_else(|| Answer::unknown("nothing is known of it")),
        };
    }
    if rancher::settings_file(look).is_some_and(|file| look.is_there(&file)) {
        return rancher::answer(look);
    }
    if podman::folder(look).is_some_and(|folder| look.is_directory(&folder)) {
        return podman::answer(look, None);
    }
    Answer::unknown("no engine that is known is installed")
}

/// With WSL 2 the place of the project decides.
fn by_path(look: &mut Look<'_>) -> Answer {
    let directory = look.directory.to_string_lossy().into_owned();
    if let Some(name) = distribution(&directory) {
        let says = format!("lies in the file system of the distribution `{name}`");
        look.saw_file(Path::new(&directory), &says);
        return Answer::known("windows-wsl2-distro");
    }
    if on_drive(&directory) {
        look.saw_file(Path::new(&directory), "lies on a Windows drive");
        return Answer::known("windows-wsl2-drive");
    }
    Answer::unknown("the project lies on a network share, which Docker Desktop does not mount")
}
