//! What a rule file must satisfy beyond its shape.

use std::path::Path;

use serde::de::DeserializeOwned;

use crate::compose::CONSISTENCY_FLAGS;
use crate::error::Error;

use super::version::Version;
use super::{
    Access, Citation, Flag, ImageKind, Platform, Preferences, Relocation, Role, STRATEGIES,
    TreeKind,
};

/// A kind of rule file.
pub(super) trait Kind: DeserializeOwned {
    /// The folder below `rules/` that holds its files.
    const FOLDER: &'static str;

    /// Its id as the file says it.
    fn id(&self) -> &str;

    /// The first thing that does not hold.
    fn check(&self) -> Result<(), Fault>;

    /// Its sources, where they are not among what `check` looks at.
    fn cited(&self) -> Option<&[Citation]> {
        None
    }
}

/// Something that does not hold.
pub(super) struct Fault {
    /// Text that stands on the line to blame.
    near: String,
    /// What is wrong.
    message: String,
}

fn fault<T>(near: &str, message: impl Into<String>) -> Result<T, Fault> {
    Err(Fault { near: near.to_owned(), message: message.into() })
}

/// Reads and checks one file. `id` is its name without `.yaml`, `file` its name in errors.
pub(super) fn read<T: Kind>(id: &str, file: &str, text: &str) -> Result<T, Error> {
    let error = |message: String| Error::Rules { file: file.to_owned(), message };
    let value: T = serde_yaml::from_str(text).map_err(|cause| error(cause.to_string()))?;
    let verdict = if value.id() == id {
        kebab("id", id)
            .and_then(|()| value.check())
            .and_then(|()| value.cited().map_or(Ok(()), citations))
    } else {
        fault("id:", format!("the id `{}` is not the file's name `{id}`", value.id()))
    };
    match verdict {
        Ok(()) => Ok(value),
        Err(Fault { near, message }) => {
            let line = text.lines().position(|line| stands_in(line, &near));
            Err(error(match line {
                Some(before) => format!("line {}: {message}", before + 1),
                None => message,
            }))
        }
    }
}

impl Kind for TreeKind {
    const FOLDER: &'static str = "trees";

    fn id(&self) -> &str {
        &self.id
    }

    fn check(&self) -> Result<(), Fault> {
        filled("title", &self.title)?;
        filled("ecosystem", &self.ecosystem)?;
        if self.paths.is_empty() {
            return fault("paths:", "no path is named");
        }
        let files = self.manifests.iter().map(|manifest| &manifest.file);
        let files = files.chain(self.locks.iter().map(|lock| &lock.file));
        let files = files.chain(self.unless.iter().map(|exception| &exception.file));
        let files = files.chain(self.moved_by.iter().map(|setting| &setting.file));
        let files = files.chain(self.workspaces.iter().map(|workspace| &workspace.file));
        let files = files.chain(self.relocations.iter().flat_map(|relocation| {
            relocation.when.iter().chain(relocation.unless.iter().map(|e| &e.file))
        }));
        for path in self.paths.iter().chain(&self.markers).chain(files) {
            relative(path)?;
        }
        let implied = self.manifests.iter().any(|manifest| manifest.implies);
        if implied && self.paths.len() != 1 {
            return fault("implies:", "a manifest can imply one path only, here are several");
        }
        if implied && self.access == Access::Kept {
            return fault("implies:", "a kept tree is not implied");
        }
        if self.disposable && self.access != Access::WriteHeavy {
            return fault("disposable:", "only a write-heavy tree can be disposable");
        }
        let evidence = self.manifests.len() + self.locks.len() + self.markers.len();
        if self.ambiguous && evidence == 0 {
            return fault("ambiguous:", "needs a manifest, a lock or a marker");
        }
        for manifest in &self.manifests {
            let json = Path::new(&manifest.file).extension().is_some_and(|end| end == "json");
            if !json && !manifest.any_of.is_empty() {
                return fault("any_of:", "`any_of` is for JSON files");
            }
            if manifest.any_of.is_empty() && !manifest.platform_packages.is_empty() {
                return fault("platform_packages:", "`platform_packages` needs `any_of`");
            }
        }
        for lock in &self.locks {
            filled("package_line", &lock.package_line)?;
            if lock.files_per_package == 0 {
                return fault("files_per_package: 0", "a package has at least one file");
            }
        }
        let overruling = self.relocations.iter().flat_map(|relocation| &relocation.unless);
        for exception in self.unless.iter().chain(overruling) {
            filled("reason", &exception.reason)?;
        }
        let keys = self.moved_by.iter().map(|setting| &setting.key);
        for key in keys.chain(self.workspaces.iter().map(|workspace| &workspace.key)) {
            if key.split('.').any(str::is_empty) {
                return fault(key, format!("`{key}` must be keys joined by dots"));
            }
        }
        for relocation in &self.relocations {
            relocation_holds(self, relocation)?;
        }
        Ok(())
    }

    fn cited(&self) -> Option<&[Citation]> {
        Some(&self.sources)
    }
}

/// Checks a kind of tree that stands in no rule file. In an error: text at the place to blame, and
/// what is wrong.
pub(super) fn own_tree(tree: &TreeKind) -> Result<(), (String, String)> {
    let cited = || if tree.sources.is_empty() { Ok(()) } else { citations(&tree.sources) };
    kebab("id", &tree.id)
        .and_then(|()| tree.check())
        .and_then(|()| cited())
        .map_err(|Fault { near, message }| (near, message))
}

fn relocation_holds(kind: &TreeKind, relocation: &Relocation) -> Result<(), Fault> {
    let Relocation { variable, path, of, .. } = relocation;
    let fits = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    if variable.is_empty() || !variable.chars().all(fits) {
        return fault(variable, format!("`{variable}` is no environment variable in capitals"));
    }
    match path.strip_prefix('/') {
        Some(rest) => relative(rest)?,
        None => return fault(path, format!("`{path}` must be an absolute path")),
    }
    if kind.access == Access::Kept {
        return fault("relocations:", "a kept tree is not moved");
    }
    match of {
        Some(of) if kind.paths.contains(of) => Ok(()),
        Some(of) => fault(of, format!("`{of}` is none of the kind's paths")),
        None if kind.paths.len() == 1 => Ok(()),
        None => {
            fault(variable, format!("`{variable}` must say `of` which path, there are several"))
        }
    }
}

/// Fields of a platform file that a claim can back.
const BACKED: &[&str] = &[
    "bind",
    "nested_volumes",
    "host_events",
    "ownership",
    "consistency_flags",
    "windows_drives",
    "strategies",
    "advice",
    "notes",
    "versions",
];

impl Kind for Platform {
    const FOLDER: &'static str = "platforms";

    fn id(&self) -> &str {
        &self.id
    }

    fn check(&self) -> Result<(), Fault> {
        filled("title", &self.title)?;
        for group in &self.groups {
            kebab("group", group)?;
            if group == "all" {
                return fault("groups:", "every platform is in the group `all` already");
            }
        }
        for Flag { flag, by, .. } in &self.consistency_flags {
            if !CONSISTENCY_FLAGS.contains(&flag.as_str()) {
                return fault(flag, format!("`{flag}` is no consistency flag"));
            }
            if by.is_empty() {
                return fault(flag, format!("nothing hands `{flag}` on: leave it out"));
            }
        }
        strategies_hold(&self.strategies)?;
        versions_hold(self)?;
        for claim in &self.claims {
            filled("says", &claim.says)?;
            if !BACKED.contains(&claim.about.as_str()) {
                let message =
                    format!("a claim is about {}, not `{}`", BACKED.join(", "), claim.about);
                return fault(&format!("about: {}", claim.about), message);
            }
            citations(&claim.sources)?;
        }
        for field in ["bind", "nested_volumes", "host_events", "ownership", "strategies"] {
            if !self.claims.iter().any(|claim| claim.about == field) {
                return fault("claims:", format!("no claim backs `{field}`"));
            }
        }
        Ok(())
    }
}

fn strategies_hold(strategies: &Preferences) -> Result<(), Fault> {
    for list in [&strategies.read_mostly, &strategies.write_heavy] {
        for (at, strategy) in list.iter().enumerate() {
            if !STRATEGIES.contains(&strategy.as_str()) {
                let known = STRATEGIES.join(", ");
                let message = format!("unknown strategy `{strategy}`; known are {known}");
                return fault(strategy, message);
            }
            if list.iter().take(at).any(|other| other == strategy) {
                return fault(strategy, format!("strategy `{strategy}` is named twice"));
            }
        }
    }
    Ok(())
}

fn versions_hold(platform: &Platform) -> Result<(), Fault> {
    if platform.program.is_some() == platform.versions.is_empty() {
        return fault("versions:", "`program` and `versions` go together");
    }
    for range in &platform.versions {
        filled("says", &range.says)?;
        let bound = |text: &Option<String>| match text {
            None => Ok(None),
            Some(text) => match Version::parse(text) {
                None => fault(text, format!("`{text}` is no version as numbers joined by dots")),
                some => Ok(some),
            },
        };
        match (bound(&range.from)?, bound(&range.below)?) {
            (None, None) => return fault("versions:", "a range needs `from` or `below`"),
            (Some(from), Some(below)) if below <= from => {
                return fault("below:", "a range ends before it begins");
            }
            _ => {}
        }
        if let Some(strategies) = &range.strategies {
            strategies_hold(strategies)?;
        }
    }
    Ok(())
}

impl Kind for ImageKind {
    const FOLDER: &'static str = "images";

    fn id(&self) -> &str {
        &self.id
    }

    fn check(&self) -> Result<(), Fault> {
        filled("title", &self.title)?;
        if self.repositories.is_empty() {
            return fault("repositories:", "no repository is named");
        }
        for repository in &self.repositories {
            relative(repository)?;
            if repository.contains([':', '@']) || repository.chars().any(char::is_uppercase) {
                let message =
                    format!("`{repository}` is no lower-case name without tag and digest");
                return fault(repository, message);
            }
        }
        if (self.role == Role::Base) != self.base.is_some() {
            return fault("role:", "`base` goes with the role `base` and no other");
        }
        for path in self.base.iter().flat_map(|base| base.lacks.iter().chain(&base.empty)) {
            match path.strip_prefix('/') {
                Some(rest) => relative(rest)?,
                None => return fault(path, format!("`{path}` must be an absolute path")),
            }
        }
        for directory in &self.data {
            let path = directory.path.as_str();
            match path.strip_prefix('/') {
                Some(rest) => relative(rest)?,
                None => return fault(path, format!("`{path}` must be an absolute path")),
            }
            if let (Some(from), Some(to)) = (directory.from_major, directory.to_major)
                && to < from
            {
                return fault("to_major:", format!("`{path}` ends before it begins"));
            }
        }
        citations(&self.sources)
    }
}

/// Whether `words` stands in the line, not as a part of a longer word.
fn stands_in(line: &str, words: &str) -> bool {
    let inner = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut before = line;
    while let Some((left, right)) = before.rsplit_once(words) {
        let goes_on = words.ends_with(inner) && right.starts_with(inner);
        if !left.ends_with(inner) && !goes_on {
            return true;
        }
        before = left;
    }
    false
}

fn filled(field: &str, text: &str) -> Result<(), Fault> {
    if text.is_empty() { fault(field, format!("`{field}` is empty")) } else { Ok(()) }
}

/// Lower-case letters, digits and single hyphens.
fn kebab(field: &str, text: &str) -> Result<(), Fault> {
    let part = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    };
    if text.split('-').all(part) {
        Ok(())
    } else {
        fault(text, format!("{field} `{text}` must be lower-case words joined by hyphens"))
    }
}

/// A path below some directory, with `/` and nothing that leads out of it.
fn relative(path: &str) -> Result<(), Fault> {
    let odd = |part: &str| {
        part.is_empty() || part == "." || part == ".." || part.contains('\\') || part.contains('\0')
    };
    if path.split('/').any(odd) {
        fault(path, format!("`{path}` must be a plain relative path with `/`"))
    } else {
        Ok(())
    }
}

fn citations(sources: &[Citation]) -> Result<(), Fault> {
    if sources.is_empty() {
        return fault("sources:", "a source is needed");
    }
    for source in sources {
        if !source.url.starts_with("https://") || source.url.contains(char::is_whitespace) {
            return fault(&source.url, format!("`{}` is no https address", source.url));
        }
        if !is_date(&source.checked) {
            let message = format!("`{}` is no day as YYYY-MM-DD", source.checked);
            return fault(&source.checked, message);
        }
        filled("says", &source.says)?;
    }
    Ok(())
}

fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut number = |width: usize, least: u32, most: u32| {
        parts.next().is_some_and(|part| {
            part.len() == width
                && part.chars().all(|c| c.is_ascii_digit())
                && part.parse().is_ok_and(|value: u32| (least..=most).contains(&value))
        })
    };
    let day = number(4, 2000, 2999) && number(2, 1, 12) && number(2, 1, 31);
    day && parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_told_from_other_text() {
        for day in ["2026-10-15", "2000-01-31"] {
            assert!(is_date(day), "{day}");
        }
        for other in ["", "2026", "2026-10", "2026-13-01", "2026-00-10", "26-10-15", "2026-10-15-1"]
        {
            assert!(!is_date(other), "{other}");
        }
        assert!(!is_date("2026-1+-15"));
        assert!(!is_date("2026-10-32"));
    }

    #[test]
    fn the_line_to_blame_holds_the_whole_word() {
        assert!(stands_in("  read-mostly: [volum]", "volum"));
        assert!(stands_in("id: a", "id:"));
        assert!(stands_in("volumes, volum", "volum"));
        for line in ["nested_volumes: yes", "[volume]", "my-volum", ""] {
            assert!(!stands_in(line, "volum"), "{line}");
        }
    }

    #[test]
    fn paths_that_lead_elsewhere_are_refused() {
        for path in ["vendor", "storage/framework/views", ".yarn/cache", "*.csproj"] {
            assert!(relative(path).is_ok(), "{path}");
        }
        for path in ["", "/vendor", "a//b", "a/", "../a", "a/./b", "a\\b"] {
            assert!(relative(path).is_err(), "{path}");
        }
    }
}
