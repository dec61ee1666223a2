//! What taking a wide bind away takes, whatever comes in its place.

use std::path::Path;

use super::Member;
use crate::compose::{Mount, MountKind, Place, Service, is_under};
use crate::detect::{Context, Filling, Written, join};
use crate::dockerfile::Content;
use crate::host::EntryKind;
use crate::rules::{Access, TreeKind};
use crate::survey::TreeFacts;

/// A bind of a directory that holds trees.
pub(super) struct Wide<'a> {
    /// The mount.
    pub(super) mount: &'a Mount,
    /// The directory, as Compose resolves it.
    pub(super) directory: &'a Path,
    /// Where the entry stands.
    pub(super) place: Place,
    /// The directory as the file spells it.
    pub(super) source: String,
    /// The container path as the file spells it, without a slash at the end.
    pub(super) target: String,
    /// The trees that the service sees through it.
    pub(super) trees: Vec<&'a TreeFacts>,
}

/// The bind of a member, if it can be taken away.
///
/// # Errors
/// Why it must stay.
pub(super) fn wide<'a>(cx: &Context<'a>, member: &Member<'a>) -> Result<Wide<'a>, String> {
    let (service, mount) = (member.service, member.mount);
    let name = &service.name;
    let place = mount.place.ok_or("this mount is not written in a `volumes` list")?;
    let Some(Written { source: Some(source), target, .. }) = cx.written(mount) else {
        return Err("the whole entry comes from a variable".to_owned());
    };
    if let Some(variable) = mount.unset.first() {
        return Err(format!("{variable} is not set, so what is mounted is not known"));
    }
    let directory = mount.host_path().ok_or("its source is no path of this machine")?;
    if cx.host.target_kind(directory) != Some(EntryKind::Directory) {
        return Err(format!("`{source}` is no directory"));
    }
    if service.replaced.iter().any(|(other, _)| other.target == mount.target) {
        return Err(format!(
            "another file of the project mounts something at {}, too, which would show again",
            mount.target
        ));
    }
    if let Some(user) = cx.project.taker_of(name) {
        return Err(format!("`{}` takes the mounts of `{name}` by `volumes_from`", user.name));
    }
    let trees = seen(cx, service, mount);
    if let Some(tree) = trees.iter().find(|tree| tree.path == ".") {
        let title = cx.rules.tree(&tree.kind).map_or(tree.kind.as_str(), |k| k.title.as_str());
        return Err(format!("`{source}` is the tree itself ({title}), and nothing else is in it"));
    }
    if let Some(tree) = trees.iter().find(|tree| tree.tracked) {
        return Err(format!("git tracks files in {}, which belong to the source", tree.path));
    }
    let target = target.trim_end_matches('/').to_owned();
    Ok(Wide { mount, directory, place, source, target, trees })
}

/// The trees that a service sees through one of its binds.
pub(super) fn seen<'a>(
    cx: &Context<'a>,
    service: &Service,
    mount: &'a Mount,
) -> Vec<&'a TreeFacts> {
    let survey = mount.host_path().and_then(|source| cx.surveys.below(source));
    let trees = survey.into_iter().flat_map(|survey| &survey.trees);
    let shown = |tree: &&TreeFacts| {
        let target = join(&mount.target, &tree.path);
        service.mount_at(&target).is_some_and(|m| m.target == mount.target)
    };
    trees.filter(shown).collect()
}

/// The other binds of a service.
pub(super) fn other_binds<'a>(
    service: &'a Service,
    mount: &'a Mount,
) -> impl Iterator<Item = (&'a Mount, &'a Path)> {
    let others = service.mounts.iter().filter(|m| m.target != mount.target);
    others.filter(|m| m.kind == MountKind::Bind).filter_map(|m| Some((m, m.host_path()?)))
}

/// Container paths of a service's other mounts below one of its binds, relative to it.
pub(super) fn mounted_below<'a>(service: &'a Service, mount: &'a Mount) -> Vec<&'a str> {
    let below = |m: &'a Mount| {
        if m.target == mount.target || !is_under(&m.target, &mount.target) {
            return None;
        }
        Some(m.target.strip_prefix(&mount.target)?.trim_start_matches('/'))
    };
    service.mounts.iter().filter_map(below).collect()
}

/// The trees of a bind that somebody installs, with their kinds.
pub(super) fn installed<'a>(
    cx: &Context<'a>,
    trees: &[&'a TreeFacts],
) -> Vec<(&'a TreeFacts, &'a TreeKind)> {
    let kinds = trees.iter().filter_map(|tree| Some((*tree, cx.rules.tree(&tree.kind)?)));
    kinds.filter(|(_, kind)| kind.access == Access::ReadMostly).collect()
}

/// Which of the installed trees of a bind a service would lack without it, as far as is known: those
/// that neither its image nor its own start is seen to fill.
///
/// # Errors
/// One of them is surely missing.
pub(super) fn unproven<'a>(
    cx: &Context<'a>,
    service: &Service,
    bind: &Wide<'a>,
) -> Result<Vec<&'a str>, String> {
    let mut unproven = Vec::new();
    for (tree, kind) in installed(cx, &bind.trees) {
        let target = join(&bind.mount.target, &tree.path);
        match cx.filling(service, &target, kind) {
            Filling::Sure => {}
            Filling::Never => {
                return Err(format!("the image of `{}` holds nothing at {target}", service.name));
            }
            Filling::Unknown => unproven.push(tree.path.as_str()),
        }
    }
    Ok(unproven)
}

/// A path below a directory, both as a file spells them.
pub(super) fn spelled_below(directory: &str, path: &str) -> String {
    match directory.trim_end_matches('/') {
        "" if directory.starts_with('/') => format!("/{path}"),
        directory => format!("{directory}/{path}"),
    }
}

/// Whether the image of a service holds the code that a bind shows; none where that is not known.
pub(super) fn holds_code(cx: &Context<'_>, service: &Service, bind: &Wide<'_>) -> Option<bool> {
    let image = cx.images.of(service).ok()?;
    match image.holds_source(&bind.mount.target, bind.directory) {
        Content::Filled { .. } => Some(true),
        Content::Absent => Some(false),
        Content::Partial { .. } | Content::Created { .. } | Content::Unknown => None,
    }
}

/// Names as people list them: `a, b and 3 more`.
pub(super) fn named<'p>(names: impl Iterator<Item = &'p str>) -> String {
    const SHOWN: usize = 4;
    let names: Vec<&str> = names.collect();
    let shown: Vec<&str> = names.iter().take(SHOWN).copied().collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_spelled_as_their_directory_is() {
        for (directory, path, spelled) in [
            (".", "src", "./src"),
            ("./", "src", "./src"),
            ("../app/", "src", "../app/src"),
            ("/", "src", "/src"),
            ("${CODE:-.}", "src", "${CODE:-.}/src"),
        ] {
            assert_eq!(spelled_below(directory, path), spelled);
        }
    }

    #[test]
    fn long_lists_of_names_are_cut() {
        assert_eq!(named(["a", "b"].into_iter()), "a, b");
        assert_eq!(named(["a", "b", "c", "d", "e"].into_iter()), "a, b, c, d and 1 more");
    }
}
