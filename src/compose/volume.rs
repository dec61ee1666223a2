//! The two ways to write a mount: `source:target:options` and the mapping.

use super::clean_path;

/// What a mount brings into the container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MountKind {
    /// A path of the host.
    Bind,
    /// A named or anonymous volume.
    Volume,
    /// Memory.
    Tmpfs,
    /// A path of an image.
    Image,
    /// A Windows named pipe.
    Npipe,
    /// A cluster volume.
    Cluster,
    /// A word that Compose may know and this program does not.
    Other,
}

impl MountKind {
    /// The word that Compose uses for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Bind => "bind",
            Self::Volume => "volume",
            Self::Tmpfs => "tmpfs",
            Self::Image => "image",
            Self::Npipe => "npipe",
            Self::Cluster => "cluster",
            Self::Other => "other",
        }
    }

    /// The kind that a long entry's `type` names.
    pub fn of_word(word: &str) -> Self {
        match word {
            "bind" => Self::Bind,
            "volume" => Self::Volume,
            "tmpfs" => Self::Tmpfs,
            "image" => Self::Image,
            "npipe" => Self::Npipe,
            "cluster" => Self::Cluster,
            _ => Self::Other,
        }
    }
}

/// A short entry, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShortMount {
    /// Bind or volume.
    pub(super) kind: MountKind,
    /// Source as written; none for an anonymous volume.
    pub(super) source: Option<String>,
    /// Target, cleaned as Compose cleans it.
    pub(super) target: String,
    /// `ro` was the last word on it.
    pub(super) read_only: bool,
    /// The third section's options, in order; Compose drops those that it does not know.
    pub(super) options: Vec<String>,
}

/// The words that said how far host and container may see different content for a while. They are
/// spelled in lower case, anything else is none of them.
pub const CONSISTENCY_FLAGS: [&str; 3] = ["cached", "consistent", "delegated"];

/// Splits a short entry at its colons. Those inside `${…}` do not count, nor the one behind a
/// single letter that starts a section: that is a Windows drive.
pub fn sections(entry: &str) -> Vec<&str> {
    split(entry).0
}

/// The sections, and whether a `${` is still open at the end.
fn split(entry: &str) -> (Vec<&str>, bool) {
    let mut parts = Vec::new();
    let (mut start, mut open, mut before) = (0, 0_usize, '\0');
    for (at, c) in entry.char_indices() {
        match c {
            '{' if before == '$' => open += 1,
            '}' => open = open.saturating_sub(1),
            ':' if open == 0 => {
                let section = entry.get(start..at).unwrap_or_default();
                let mut letters = section.chars();
                let drive =
                    letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none();
                if !drive {
                    parts.push(section);
                    start = at + 1;
                }
            }
            _ => {}
        }
        before = c;
    }
    parts.push(entry.get(start..).unwrap_or_default());
    (parts, open > 0)
}

/// True for a source that names a path of the host rather than a volume.
pub fn is_path(source: &str) -> bool {
    let mut chars = source.chars();
    let drive = chars.next().is_some_and(char::is_alphabetic) && chars.next() == Some(':');
    source.starts_with(['.', '/', '~']) || source.starts_with(r"\\") || drive
}

/// Takes a short entry apart, variables already filled in.
///
/// # Errors
/// What Compose says of an entry that it refuses.
pub(super) fn parse_short(entry: &str) -> Result<ShortMount, &'static str> {
    if entry.is_empty() {
        return Err("the entry is empty");
    }
    let (parts, open) = if entry.len() <= 2 { (vec![entry], false) } else { split(entry) };
    if open {
        return Err("its `${` is not closed");
    }
    if parts.iter().any(|p| p.is_empty()) {
        return Err("there is nothing between two colons");
    }
    let (source, target, options) = match *parts.as_slice() {
        [target] => (None, target, ""),
        [source, target] => (Some(source), target, ""),
        [source, target, options] => (Some(source), target, options),
        _ => return Err("there are too many colons"),
    };
    let options: Vec<String> =
        options.split(',').filter(|o| !o.is_empty()).map(str::to_owned).collect();
    let mode = options.iter().rev().find(|o| matches!(o.as_str(), "ro" | "rw"));
    Ok(ShortMount {
        kind: if source.is_some_and(is_path) { MountKind::Bind } else { MountKind::Volume },
        source: source.map(str::to_owned),
        target: clean_path(target),
        read_only: mode.is_some_and(|m| m == "ro"),
        options,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(entry: &str) -> (MountKind, Option<String>, String, bool) {
        let m = parse_short(entry).unwrap();
        (m.kind, m.source, m.target, m.read_only)
    }

    #[test]
    fn short_entries_mean_what_compose_says() {
        use MountKind::{Bind, Volume};
        let some = |s: &str| Some(s.to_owned());
        for (entry, kind, source, target, read_only) in [
            (".:/app", Bind, some("."), "/app", false),
            ("./a:/b:ro", Bind, some("./a"), "/b", true),
            ("./a:/b:ro,rw", Bind, some("./a"), "/b", false),
            ("~/x:/b:cached,ro", Bind, some("~/x"), "/b", true),
            ("data:/b", Volume, some("data"), "/b", false),
            ("/b", Volume, None, "/b", false),
            ("v", Volume, None, "v", false),
            ("v:/app", Volume, None, "v:/app", false),
            ("v:/x:/y", Bind, some("v:/x"), "/y", false),
            ("/x:ro", Bind, some("/x"), "ro", false),
            ("vol/sub:/x", Volume, some("vol/sub"), "/x", false),
            (r"C:\work:/w", Bind, some(r"C:\work"), "/w", false),
            (r"\\srv\share:/w", Bind, some(r"\\srv\share"), "/w", false),
            ("deps:/app//node_modules/", Volume, some("deps"), "/app/node_modules", false),
            ("deps:/app/x/../y", Volume, some("deps"), "/app/y", false),
            ("app/venv/", Volume, None, "app/venv", false),
        ] {
            assert_eq!(short(entry), (kind, source, target.to_owned(), read_only), "{entry}");
        }
        for entry in ["", ":/x", "aa::/x", "./a:/b:ro:z", "./a:", "./a${b:/c"] {
            assert!(parse_short(entry).is_err(), "{entry}");
        }
    }

    #[test]
    fn colons_inside_variables_do_not_split() {
        assert_eq!(
            sections("${CODE:-.}:${DEST:-${X:-/app}}:${MODE:-rw}"),
            ["${CODE:-.}", "${DEST:-${X:-/app}}", "${MODE:-rw}"]
        );
    }
}
