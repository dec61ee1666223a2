//! Paths of Windows, as Compose files and users spell them on Windows and inside WSL.

use std::borrow::Cow;

/// Where Linux sees the drives of Windows: WSL, and Docker Desktop in its own machines.
const DRIVE_ROOTS: [&str; 4] = ["", "mnt/", "host_mnt/", "run/desktop/mnt/host/"];

/// True for a path on a Windows drive: `C:\x`, `c:/x`, `/c/x`, `//c/x`, `/mnt/c/x`.
pub fn on_drive(path: &str) -> bool {
    let path = without_prefix(path);
    if has_drive_letter(&path) {
        return true;
    }
    let path = path.replace('\\', "/");
    let Some(below) = path.strip_prefix('/').map(|rest| rest.trim_start_matches('/')) else {
        return false;
    };
    let is_letter = |part: &str| part.len() == 1 && part.starts_with(|c: char| c.is_alphabetic());
    DRIVE_ROOTS.iter().filter_map(|root| below.strip_prefix(root)).any(|rest| {
        // No drive is called by two letters, and `/mnt` itself is none.
        rest.split('/').next().is_some_and(is_letter)
    })
}

/// True for `C:` and what begins with it.
pub fn has_drive_letter(path: &str) -> bool {
    let mut chars = path.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.next() == Some(':')
}

/// The WSL distribution that a path such as `\\wsl$\Ubuntu\home` or `//wsl.localhost/Ubuntu` lies
/// in, in lower case.
pub fn distribution(path: &str) -> Option<String> {
    let path = without_prefix(path).replace('\\', "/").to_lowercase();
    let mut parts = path.strip_prefix('/')?.split('/').filter(|part| !part.is_empty());
    let share = parts.next()?;
    parts.next().filter(|_| matches!(share, "wsl$" | "wsl.localhost")).map(str::to_owned)
}

/// Windows itself spells whole paths as `\\?\C:\x` and `\\?\UNC\server\share`.
fn without_prefix(path: &str) -> Cow<'_, str> {
    match (path.strip_prefix(r"\\?\UNC"), path.strip_prefix(r"\\?\")) {
        (Some(rest), _) => Cow::Owned(format!(r"\{rest}")),
        (None, Some(rest)) => Cow::Borrowed(rest),
        (None, None) => Cow::Borrowed(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_on_drives_are_told_from_others() {
        for path in [
            r"C:\work",
            r"\\?\C:\work",
            "c:/work",
            "E:",
            "/c/work",
            "//c/work",
            "/mnt/e/proj",
            "/mnt/e",
            "/run/desktop/mnt/host/c/x",
            "/host_mnt/c/x",
        ] {
            assert!(on_drive(path), "{path}");
        }
        for path in [
            "",
            "/",
            ".",
            "c",
            "./c/x",
            "/mnt",
            "/mnt/wsl/x",
            "/mnt/data/c",
            "/code/c",
            "/home/me",
            r"\\wsl$\Ubuntu\c",
            r"\\server\share",
            "//var/run/docker.sock",
            "~/c",
            "${DRIVE}/x",
        ] {
            assert!(!on_drive(path), "{path}");
        }
    }

    #[test]
    fn distributions_are_read_off_their_share() {
        for (path, name) in [
            (r"\\wsl$\docker-desktop-data\version-pack-data", Some("docker-desktop-data")),
            (r"\\WSL.localhost\Docker-Desktop", Some("docker-desktop")),
            ("//wsl.localhost/Ubuntu/home/me", Some("ubuntu")),
            ("/wsl$/Debian", Some("debian")),
            (r"\\?\UNC\wsl.localhost\Ubuntu\home", Some("ubuntu")),
            (r"\\wsl$", None),
            (r"\\server\docker-desktop", None),
            ("wsl$/Ubuntu", None),
            ("/home/wsl$/Ubuntu", None),
        ] {
            assert_eq!(distribution(path).as_deref(), name, "{path}");
        }
    }
}
