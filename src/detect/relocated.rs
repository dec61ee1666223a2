//! Trees that a service keeps outside of the bind by a variable of the tree's ecosystem.

use std::path::{Path, PathBuf};

use super::Context;
use crate::compose::{MountKind, Service};
use crate::host::EntryKind;
use crate::rules::{Exception, Relocation, TreeKind};

/// Bytes of a file that are read.
const LIMIT: u64 = 1 << 20;

/// What a service has in a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Setting {
    /// Nothing, as far as the project's files tell.
    None,
    /// A value that the Compose file or its `env_file` sets; none when it is not known.
    Own(Option<String>),
    /// A value that the image brings.
    Image(String),
}

impl Context<'_> {
    /// What a service has in a variable.
    pub fn variable(&self, service: &Service, name: &str) -> Setting {
        if let Some(value) = service.environment.get(name) {
            return Setting::Own(value.clone());
        }
        let files = service.env_files.iter().rev();
        let mut found = files.filter_map(|file| self.host.read(Path::new(file), LIMIT).ok());
        if let Some(setting) = found.find_map(|bytes| assigned(&bytes, name)) {
            return setting;
        }
        let image = self.image(service).and_then(|image| image.env(name));
        image.map_or(Setting::None, |value| Setting::Image(value.to_owned()))
    }

    /// The variable by which a service keeps a tree, whose host path is given, outside of its binds.
    pub fn relocated<'k>(
        &self,
        service: &Service,
        kind: &'k TreeKind,
        host: &Path,
    ) -> Option<&'k str> {
        let moves = |relocation: &&Relocation| {
            let Some(directory) = directory_of(relocation, kind, host) else { return false };
            let value = match self.variable(service, &relocation.variable) {
                Setting::Own(Some(value)) | Setting::Image(value) => value,
                Setting::Own(None) | Setting::None => return false,
            };
            // A path inside a bind is as slow there as here.
            let bound = service.mount_at(&value).is_some_and(|m| m.kind == MountKind::Bind);
            value.starts_with('/') && !bound && self.overruled(relocation, &directory).is_none()
        };
        kind.relocations.iter().find(moves).map(|relocation| relocation.variable.as_str())
    }

    /// The file that overrules a variable.
    pub fn overruled<'k>(
        &self,
        relocation: &'k Relocation,
        directory: &Path,
    ) -> Option<&'k Exception> {
        relocation.unless.iter().find(|exception| {
            let path = directory.join(&exception.file);
            if self.host.target_kind(&path) != Some(EntryKind::File) {
                return false;
            }
            // What cannot be read may say anything.
            self.host.read(&path, LIMIT).map_or(true, |bytes| exception.fits(&bytes))
        })
    }
}

/// The directory of the manifest of a tree at `host`, if the variable moves trees that lie there.
pub fn directory_of(relocation: &Relocation, kind: &TreeKind, host: &Path) -> Option<PathBuf> {
    let of = relocation.of.as_ref().or(kind.paths.first())?;
    let depth = of.split('/').count();
    host.ends_with(of).then(|| host.ancestors().nth(depth).map(Path::to_path_buf))?
}

/// What the last line of an environment file that speaks of a variable sets it to.
fn assigned(bytes: &[u8], name: &str) -> Option<Setting> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().rev().find_map(|line| {
        let line = line.trim();
        let line = line.strip_prefix("export ").unwrap_or(line);
        let rest = line.strip_prefix(name)?.trim_start();
        if rest.is_empty() {
            return Some(Setting::Own(None));
        }
        let value = rest.strip_prefix('=')?.trim().trim_matches(['"', '\'']);
        Some(Setting::Own((!value.contains('$')).then(|| value.to_owned())))
    })
}

/// True when a text, such as a command or the value of `PATH`, names a relative path as whole
/// components of some path in it.
pub fn names_path(text: &str, path: &str) -> bool {
    let wanted: Vec<&str> = path.split('/').collect();
    let in_path = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '@' | '+');
    text.split(|c| !in_path(c)).any(|word| {
        let parts: Vec<&str> = word.split('/').collect();
        parts.windows(wanted.len()).any(|window| window == wanted)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_by_whole_components() {
        for text in [
            ".venv/bin/uvicorn main:app",
            "PATH=/app/.venv/bin:/usr/bin",
            "sh -c \"./vendor/../.venv/x\"",
            "source .venv",
        ] {
            assert!(names_path(text, ".venv"), "{text}");
        }
        for text in ["/opt/venv/bin/x", "app.venv/bin", ".venv2/bin", "uv sync", ""] {
            assert!(!names_path(text, ".venv"), "{text}");
        }
        assert!(names_path("cp -r /app/vendor/bundle/ruby x", "vendor/bundle"));
        assert!(!names_path("ls vendor; bundle install", "vendor/bundle"));
    }

    #[test]
    fn the_last_line_of_an_environment_file_counts() {
        let at = |text: &str| assigned(text.as_bytes(), "A");
        let own = |value: &str| Some(Setting::Own(Some(value.to_owned())));
        assert_eq!(at("A=/x\nB=1\nA='/y'\n"), own("/y"));
        assert_eq!(at("export A = /x"), own("/x"));
        assert_eq!(at("A"), Some(Setting::Own(None)));
        assert_eq!(at("A=$B/x"), Some(Setting::Own(None)));
        assert_eq!(at("AB=1\n#A=2\n"), None);
    }
}
