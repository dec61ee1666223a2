//! Docker Machine, which made virtual machines on this machine as well as servers elsewhere.

use std::path::{Path, PathBuf};

use super::Answer;
use super::look::Look;

/// Drivers whose machines run here.
const LOCAL: [&str; 8] = [
    "virtualbox",
    "vmware",
    "vmwarefusion",
    "vmwareworkstation",
    "hyperv",
    "parallels",
    "xhyve",
    "hyperkit",
];

/// An answer where the engine's address belongs to a machine that runs here.
pub(super) fn answer(look: &mut Look<'_>) -> Option<Answer> {
    let store = look.variable_or_home("MACHINE_STORAGE_PATH", ".docker/machine")?;
    let directory = match look.variable("DOCKER_MACHINE_NAME") {
        Some(name) => store.join("machines").join(name),
        None => of_certificates(look.variable("DOCKER_CERT_PATH")?, &store)?,
    };
    let file = directory.join("config.json");
    let config = look.json(&file)?;
    let driver = config.get("DriverName")?.as_str()?.to_owned();
    look.saw(&file, "DriverName", &driver);
    if driver == "virtualbox" {
        return Some(Answer::known("docker-machine"));
    }
    let reason = format!("the machine runs by {driver}; what is known is about VirtualBox");
    LOCAL.contains(&driver.as_str()).then(|| Answer::doubtful("docker-machine", reason))
}

/// The folder of certificates is that of the machine, or one that several share.
fn of_certificates(certificates: &str, store: &Path) -> Option<PathBuf> {
    let directory = PathBuf::from(certificates);
    directory.starts_with(store.join("machines")).then_some(directory)
}
