//! Docker Desktop's settings.
//!
//! `settings-store.json` has keys in `PascalCase`, `settings.json` (up to 4.34) in `camelCase`; keys
//! at their defaults may be missing. An administrator's file may lock a value or set the first one.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Answer;
use super::look::{Look, leading_version, one_of};
use crate::host::System;
use crate::rules::Version;

const PROGRAM: &str = "Docker Desktop";

/// The names of its settings file, today's first.
const NAMES: [&str; 2] = ["settings-store.json", "settings.json"];

/// Where the settings of this user lie; the first name that is there, else today's.
pub(super) fn settings_file(look: &Look<'_>) -> Option<PathBuf> {
    let directory = match look.environment.system {
        System::Macos => look.home("Library/Group Containers/group.com.docker"),
        System::Windows => look.variable("APPDATA").map(|data| Path::new(data).join("Docker")),
        System::Linux => look.home(".docker/desktop"),
    }?;
    settings_in(look, &directory)
}

/// The settings file of a directory.
pub(super) fn settings_in(look: &Look<'_>, directory: &Path) -> Option<PathBuf> {
    let mut files = NAMES.iter().map(|name| directory.join(name));
    files.clone().find(|file| look.is_there(file)).or_else(|| files.next())
}

/// How Docker Desktop shares files on macOS and Linux.
pub(super) fn answer(look: &mut Look<'_>) -> Answer {
    if look.environment.system == System::Linux {
        let version =
            components_version(look, Path::new("/opt/docker-desktop/componentsVersion.json"));
        return Answer::known(look.named("docker-desktop-linux", PROGRAM, version.as_deref()));
    }
    let version = look.bundle_version("Docker", PROGRAM);
    let admin = "/Library/Application Support/com.docker.docker/admin-settings.json";
    let settings = Settings::read(look, settings_file(look), Path::new(admin));
    let named = |look: &Look<'_>, id: &str| look.named(id, PROGRAM, version.as_deref());
    let before = |bound: &str| is_before(version.as_deref(), bound);
    let docker_vmm = settings.flag(look, "UseLibkrun");
    if docker_vmm == Some(true) {
        return Answer::known(named(look, "macos-docker-vmm"));
    }
    // VirtioFS needs Apple's framework; the setting stayed behind where that is off.
    let framework = settings.flag(look, "UseVirtualizationFramework") != Some(false);
    let virtiofs =
        framework && settings.flag_or(look, "UseVirtualizationFrameworkVirtioFS", !before("4.21"));
    if virtiofs && look.environment.is_arm && docker_vmm.is_none() && !before("4.86") {
        let platforms = ["macos-docker-vmm", "macos-virtiofs"].map(|id| named(look, id));
        return one_of(
            platforms,
            "files are shared by VirtioFS, but from 4.86 nothing tells which virtual machine runs on Apple silicon unless UseLibkrun is set",
        );
    }
    if virtiofs {
        return settings.answer(named(look, "macos-virtiofs"));
    }
    if settings.flag_or(look, "UseGrpcfuse", !before("2.4")) {
        return settings.answer(named(look, "macos-grpcfuse"));
    }
    settings.answer(named(look, "macos-osxfs"))
}

/// What runs the engine of Docker Desktop for Windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Backend {
    /// WSL 2.
    Wsl,
    /// Hyper-V.
    HyperV,
    /// Docker's own virtual machine monitor.
    DockerVmm,
    /// Windows itself, for containers of Windows.
    WindowsContainers,
}

/// Files of Docker Desktop for Windows, as Windows or WSL sees them.
pub(super) struct WindowsFiles {
    /// The user's settings; none where there is no place for them.
    pub(super) settings: Option<PathBuf>,
    /// The administrator's settings.
    pub(super) admin: PathBuf,
    /// The versions of its parts.
    pub(super) components: PathBuf,
}

/// What its settings say, and the name of the platform for Hyper-V and Docker VMM.
pub(super) fn on_windows(look: &mut Look<'_>, files: &WindowsFiles) -> (Backend, Option<Answer>) {
    let version = components_version(look, &files.components);
    let settings = Settings::read(look, files.settings.clone(), &files.admin);
    if settings.flag(look, "UseWindowsContainers") == Some(true) {
        let reason = "Docker Desktop runs containers of Windows, of which nothing is known here";
        return (Backend::WindowsContainers, Some(Answer::unknown(reason)));
    }
    let named = |look: &Look<'_>, id: &str| look.named(id, PROGRAM, version.as_deref());
    if settings.flag(look, "UseLibkrun") == Some(true) {
        return (Backend::DockerVmm, Some(Answer::known(named(look, "windows-docker-vmm"))));
    }
    // Before 2.3 there was no WSL 2 to choose.
    if settings.flag_or(look, "WslEngineEnabled", !is_before(version.as_deref(), "2.3")) {
        return (Backend::Wsl, None);
    }
    (Backend::HyperV, Some(Answer::known(named(look, "windows-hyperv"))))
}

/// The version that stands in `componentsVersion.json`, under a key that changed over time.
fn components_version(look: &mut Look<'_>, file: &Path) -> Option<String> {
    let components = look.json(file)?;
    let keys = ["appVersion", "AppVersion", "Informational", "version", "Version"];
    let found = keys.into_iter().find_map(|key| {
        let version = components.get(key)?.as_str().and_then(leading_version)?;
        Some((key, version))
    });
    let (key, version) = found?;
    look.saw(file, key, &format!("{PROGRAM} {version}"));
    Some(version)
}

/// True for a version that is known and comes before another one. Docker for Mac and Windows counted
/// years, 17.03 to 18.09, before Docker Desktop began with 2.0.
fn is_before(version: Option<&str>, bound: &str) -> bool {
    if version.is_some_and(|version| version.starts_with("17.") || version.starts_with("18.")) {
        return true;
    }
    let own = version.and_then(Version::parse);
    own.zip(Version::parse(bound)).is_some_and(|(own, bound)| own < bound)
}

/// The user's settings and the administrator's.
struct Settings {
    user: Option<(PathBuf, Value)>,
    admin: Option<(PathBuf, Value)>,
}

impl Settings {
    fn read(look: &mut Look<'_>, user: Option<PathBuf>, admin: &Path) -> Self {
        let user = user.and_then(|file| Some((look.json(&file)?, file)));
        let admin = look.json(admin).map(|value| (admin.to_path_buf(), value));
        Self { user: user.map(|(value, file)| (file, value)), admin }
    }

    /// The answer, doubted where there are no settings to read.
    fn answer(&self, platform: String) -> Answer {
        if self.user.is_some() || self.admin.is_some() {
            return Answer::known(platform);
        }
        Answer::doubtful(
            platform,
            "Docker Desktop's settings are not there or cannot be read, so its defaults are taken",
        )
    }

    /// What a setting, named as in `settings-store.json`, is set to; none where nothing sets it.
    fn flag(&self, look: &mut Look<'_>, key: &str) -> Option<bool> {
        let old = in_camel_case(key);
        let admin = self.admin.as_ref().and_then(|(file, settings)| {
            let entry = settings.get(&old).or_else(|| settings.get("linuxVM")?.get(&old))?;
            let locked = entry.get("locked").and_then(Value::as_bool).unwrap_or(false);
            Some((file, entry.get("value")?.as_bool()?, locked))
        });
        if let Some((file, value, true)) = admin {
            look.saw(file, &old, &format!("{value}, locked by an administrator"));
            return Some(value);
        }
        let user = self.user.as_ref().and_then(|(file, settings)| {
            let styles = [key, old.as_str()];
            let (key, value) =
                styles.into_iter().find_map(|key| Some((key, settings.get(key)?)))?;
            Some((file, key.to_owned(), value.as_bool()?))
        });
        if let Some((file, key, value)) = user {
            look.saw(file, &key, &value.to_string());
            return Some(value);
        }
        let (file, value, _) = admin?;
        look.saw(file, &old, &format!("{value}, set by an administrator"));
        Some(value)
    }

    /// The same with a default, which is recorded.
    fn flag_or(&self, look: &mut Look<'_>, key: &str, default: bool) -> bool {
        if let Some(value) = self.flag(look, key) {
            return value;
        }
        if let Some((file, _)) = &self.user {
            let default = if default { "on" } else { "off" };
            look.saw(file, key, &format!("is not set, so it is {default}"));
        }
        default
    }
}

/// `UseLibkrun` as `settings.json` spells it: `useLibkrun`.
fn in_camel_case(key: &str) -> String {
    let mut chars = key.chars();
    let first = chars.next().map(|c| c.to_ascii_lowercase());
    first.into_iter().chain(chars).collect()
}
