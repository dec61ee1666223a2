//! Engines on Linux that is not WSL.

use std::path::Path;

use super::Answer;
use super::endpoint::Endpoint;
use super::engine::Engine;
use super::look::{Look, one_of};
use super::mounts::MountTable;

pub(super) fn answer(look: &mut Look<'_>, endpoint: &Endpoint) -> Answer {
    if let Endpoint::Socket(socket) = endpoint {
        let socket = look.follow(socket);
        match Engine::of_socket(look, &socket) {
            None | Some(Engine::Podman) => {}
            Some(engine) => return engine.answer(look),
        }
    }
    if let Some(answer) = shared(look) {
        return answer;
    }
    let release = Path::new("/proc/sys/kernel/osrelease");
    if look.is_there(release) {
        look.saw_file(release, "Linux, and nothing points to a virtual machine");
    }
    Answer::known("linux-native")
}

/// The engine runs on this system, which may itself be a virtual machine or a container that gets
/// the project from a host. The file system below the project tells.
pub(super) fn shared(look: &mut Look<'_>) -> Option<Answer> {
    let table = MountTable::read(look.host);
    let entry = table.at(&look.directory)?;
    let (platforms, host): (&[&str], _) = match entry.kind.as_str() {
        "vboxsf" => (&["docker-machine"], "VirtualBox"),
        "fuse.osxfs" | "osxfs" => (&["macos-osxfs"], "osxfs"),
        "fuse.grpcfuse" | "grpcfuse" => (&["macos-grpcfuse", "windows-hyperv"], "gRPC FUSE"),
        "fakeowner" | "virtiofs" => {
            (&["docker-desktop-linux", "macos-docker-vmm", "macos-virtiofs"], "VirtioFS")
        }
        "fuse.sshfs" => (&["colima-sshfs"], "sshfs"),
        "9p" if entry.windows_drive().is_some() => (&["windows-wsl2-drive"], "WSL"),
        "9p" => (&["colima-9p"], "9p"),
        _ => return None,
    };
    let (kind, point) = (entry.kind.clone(), look.shown(&entry.point));
    let says = format!("{point}, which holds the project, is {kind}: {host} brings it from a host");
    look.saw_file(Path::new("/proc/self/mountinfo"), &says);
    let reason = "the engine runs on this system, and the project comes from a host that the file system does not name";
    Some(match platforms {
        [platform] => Answer::doubtful(*platform, reason),
        platforms => one_of(platforms.iter().map(|id| (*id).to_owned()), reason),
    })
}
