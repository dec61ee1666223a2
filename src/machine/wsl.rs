//! WSL, where the place of the project decides, as the table of mounts tells it.
//!
//! Drives may be mounted anywhere (`[automount] root` in `/etc/wsl.conf`), and `/mnt/wsl` is no
//! drive, so the path alone says nothing.

use std::path::{Path, PathBuf};

use super::Answer;
use super::desktop::{self, Backend, WindowsFiles};
use super::endpoint::Endpoint;
use super::engine::Engine;
use super::look::{Look, one_of};
use super::mounts::MountTable;

/// Where the kernel says its name.
const RELEASE: &str = "/proc/sys/kernel/osrelease";

/// True inside WSL. Its variables may be missing, under sudo for example.
pub(super) fn is_here(look: &mut Look<'_>) -> bool {
    if look.variable("WSL_DISTRO_NAME").is_some() {
        look.saw_variable("WSL_DISTRO_NAME", "the program runs in WSL");
        return true;
    }
    let release = look.text(Path::new(RELEASE)).unwrap_or_default();
    let here = release.to_lowercase().contains("microsoft");
    if here {
        look.saw_file(Path::new(RELEASE), &format!("{}: the kernel of WSL", release.trim()));
    }
    here
}

pub(super) fn answer(look: &mut Look<'_>, endpoint: &Endpoint) -> Answer {
    if let Endpoint::Socket(socket) = endpoint {
        let socket = look.follow(socket);
        if let Some(engine @ (Engine::Colima(_) | Engine::Lima(_) | Engine::Rancher)) =
            Engine::of_socket(look, &socket)
        {
            return engine.answer(look);
        }
    }
    let table = MountTable::read(look.host);
    let integration = Path::new("/mnt/wsl/docker-desktop");
    let integrated = look.is_directory(integration);
    if integrated {
        look.saw_file(integration, "Docker Desktop serves this distribution");
    }
    if integrated || *endpoint == Endpoint::Loopback {
        let mut others = Vec::new();
        for files in windows_files(look, &table) {
            match desktop::on_windows(look, &files) {
                (Backend::Wsl, _) | (_, None) => others.push(by_table(look, &table)),
                (_, Some(answer)) => others.push(answer),
            }
        }
        let unknown = others.iter().find(|answer| answer.platforms().is_empty()).cloned();
        let platforms = others.iter().flat_map(|answer| answer.platforms().to_vec());
        match (others.len(), unknown) {
            (0, _) => {}
            (_, Some(unknown)) => return unknown,
            _ => {
                return one_of(
                    platforms,
                    "several users of Windows have Docker Desktop, with other settings",
                );
            }
        }
    }
    by_table(look, &table)
}

/// Docker Desktop's files on the drives of Windows, for each user that has any.
fn windows_files(look: &Look<'_>, table: &MountTable) -> Vec<WindowsFiles> {
    let drives = table.entries().filter(|entry| entry.windows_drive().is_some());
    let mut drives: Vec<PathBuf> = drives.map(|entry| entry.point.clone()).collect();
    drives.sort();
    drives.dedup();
    let mut found = Vec::new();
    for drive in drives {
        for user in look.names(&drive.join("Users")) {
            let directory = drive.join("Users").join(user).join("AppData/Roaming/Docker");
            let settings =
                desktop::settings_in(look, &directory).filter(|file| look.is_there(file));
            found.extend(settings.map(|settings| WindowsFiles {
                settings: Some(settings),
                admin: drive.join("ProgramData/DockerDesktop/admin-settings.json"),
                components:
                    drive.join("Program Files/Docker/Docker/resources/componentsVersion.json"),
            }));
        }
    }
    found
}

/// Whether the project lies on a drive of Windows or in the distribution.
fn by_table(look: &mut Look<'_>, table: &MountTable) -> Answer {
    let Some(entry) = table.at(&look.directory) else {
        return Answer::unknown("the table of mounts does not tell where the project lies");
    };
    let (point, kind) = (look.shown(&entry.point), &entry.kind);
    let (platform, says) = match entry.windows_drive() {
        Some("") => (
            "windows-wsl2-drive",
            format!("{point}, which holds the project, is a Windows drive by {kind}"),
        ),
        Some(drive) => (
            "windows-wsl2-drive",
            format!("{point}, which holds the project, is the Windows drive {drive} by {kind}"),
        ),
        None => (
            "windows-wsl2-distro",
            format!(
                "{point}, which holds the project, is {kind}: the distribution's own file system"
            ),
        ),
    };
    let seen = Path::new("/proc/self/mountinfo");
    if !look.evidence.iter().any(|own| own.says == says) {
        look.saw_file(seen, &says);
    }
    Answer::known(platform)
}
