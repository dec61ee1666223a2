//! Engines on macOS.

use std::path::Path;

use super::endpoint::Endpoint;
use super::engine::Engine;
use super::look::{Look, one_of};
use super::{Answer, colima, desktop, podman, rancher};

/// Where the docker command line looks when nobody chose anything. On macOS it is a link that the
/// engine in use puts there.
const USUAL: &str = "/var/run/docker.sock";

pub(super) fn answer(look: &mut Look<'_>, endpoint: &Endpoint) -> Answer {
    let socket = match endpoint {
        Endpoint::Socket(socket) => socket.clone(),
        _ => Path::new(USUAL).to_path_buf(),
    };
    let socket = look.follow(&socket);
    if let Some(engine) = Engine::of_socket(look, &socket) {
        return engine.answer(look);
    }
    if socket != Path::new(USUAL) {
        let shown = look.shown(&socket);
        return Answer::unknown(format!("no engine that is known listens at {shown}"));
    }
    let installed = installed(look);
    match installed.as_slice() {
        [] => Answer::unknown("no engine that is known is installed"),
        [engine] => engine.answer(look),
        engines => {
            let mut platforms = Vec::new();
            for engine in engines {
                platforms.extend(engine.answer(look).platforms().iter().cloned());
            }
            one_of(platforms, "several engines are installed and no context chooses one")
        }
    }
}

/// Engines that left their settings in the home directory.
fn installed(look: &mut Look<'_>) -> Vec<Engine> {
    let mut engines = Vec::new();
    let found = |look: &mut Look<'_>, path: Option<std::path::PathBuf>, name: &str| {
        let there = path.filter(|path| look.is_there(path));
        if let Some(path) = &there {
            look.saw_file(path, &format!("{name} is installed"));
        }
        there.is_some()
    };
    let desktop = desktop::settings_file(look);
    if found(look, desktop, "Docker Desktop") {
        engines.push(Engine::Desktop);
    }
    let orbstack = look.home(".orbstack");
    if found(look, orbstack, "OrbStack") {
        engines.push(Engine::OrbStack);
    }
    let colima = colima::home(look).map(|home| home.join("default/colima.yaml"));
    if found(look, colima, "Colima") {
        engines.push(Engine::Colima("default".to_owned()));
    }
    let rancher = rancher::settings_file(look);
    if found(look, rancher, "Rancher Desktop") {
        engines.push(Engine::Rancher);
    }
    let podman = podman::folder(look);
    if found(look, podman, "Podman") {
        engines.push(Engine::PodmanMachine(None));
    }
    engines
}
