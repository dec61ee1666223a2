//! Development in a container: GitHub Codespaces and its like, and containers on this machine.

use std::path::Path;

use super::Answer;
use super::linux::shared;
use super::look::Look;
use crate::host::System;

/// An answer where the program runs inside a development container.
pub(super) fn answer(look: &mut Look<'_>) -> Option<Answer> {
    if look.environment.system != System::Linux {
        return None;
    }
    if look.variable("CODESPACES") == Some("true") {
        look.saw_variable(
            "CODESPACES",
            "GitHub Codespaces: the project lies on the machine of the engine",
        );
        return Some(Answer::known("remote-container"));
    }
    let variable = ["REMOTE_CONTAINERS", "GITPOD_WORKSPACE_ID"]
        .into_iter()
        .find(|name| look.variable(name).is_some());
    let inside = Path::new("/.dockerenv");
    if let Some(name) = variable {
        look.saw_variable(name, "a development container");
    } else if look.is_there(inside) {
        look.saw_file(inside, "the program runs in a container");
    } else {
        return None;
    }
    // A container on this machine shows what the engine shares from its host.
    Some(shared(look).unwrap_or_else(|| Answer::known("remote-container")))
}
