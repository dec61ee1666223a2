//! What excludes the hazards of a volume over a tree, read from the project's own files.
//!
//! A new volume is filled from the image when the first container is created, belongs to whoever
//! owns that path in the image, and cannot be removed from inside. Each function answers for one of
//! these: the gap in the evidence, in words for the user; none when nothing is missing.

use super::Member;
use crate::detect::{Context, Filling, ImageUser};
use crate::host::EntryKind;
use crate::rules::{Access, TreeKind};

/// The volume may stay empty: neither the image nor the service's own start is seen to fill it.
pub(super) fn may_stay_empty(
    cx: &Context<'_>,
    member: &Member<'_>,
    kind: &TreeKind,
) -> Option<String> {
    let Member { service, target, .. } = member;
    let filling = cx.filling(service, target, kind);
    if filling == Filling::Sure {
        return None;
    }
    let name = &service.name;
    let install = member.facts.and_then(|f| f.install.as_deref()).or(kind.install.as_deref());
    let run = install.map(|install| format!("`docker compose run --rm {name} {install}`"));
    if filling == Filling::Never {
        let how = run.map_or_else(String::new, |run| {
            format!(": run {run} once, or install it in the Dockerfile")
        });
        return Some(format!(
            "the new volume starts empty, because the image holds nothing at {target}{how}"
        ));
    }
    let how = run.map_or_else(String::new, |run| format!(", then run {run} once"));
    Some(format!(
        "the new volume starts with what the image holds at {target}: check that the image holds it{how}"
    ))
}

/// The service may not be allowed to write to the volume.
pub(super) fn may_be_shut_out(cx: &Context<'_>, member: &Member<'_>) -> Option<String> {
    let target = &member.target;
    let user = cx.user_of(member.service);
    let lines = |user: &str| {
        format!(
            "add `RUN mkdir -p {target} && chown -R {user} {target}` to its Dockerfile, before `USER`"
        )
    };
    // Packages are written by whoever installs them, a cache by whoever serves requests.
    let written = member.kind.is_some_and(|k| k.access == Access::WriteHeavy);
    match &user {
        ImageUser::Root if written && !cx.keeps_user(member.service) => Some(format!(
            "the container starts as root, and a server in it may write as a user of its own, such as www-data: a new volume belongs to root unless the image gives {target} to that user"
        )),
        ImageUser::Root => None,
        ImageUser::Other(_) if cx.may_write(member.service, target, member.kind) => None,
        ImageUser::Other(name) => Some(format!(
            "the service runs as {name}, and a new volume belongs to root unless the image gives {target} to that user: {}",
            lines(name)
        )),
        ImageUser::Unknown => Some(format!(
            "if the image runs as another user than root, a new volume does not belong to it: the image must create {target} and give it to that user"
        )),
    }
}

/// A command of the service or a script of its manifest removes or renames the tree's directory,
/// which fails on a mount point.
pub(super) fn is_removed(cx: &Context<'_>, member: &Member<'_>, kind: &TreeKind) -> Option<String> {
    let name = kind.paths.iter().find(|p| member.target.ends_with(p.as_str()))?;
    let busy = "which fails with \"resource busy\" on a mount point";
    let line = cx.command_of(member.service).join(" ");
    if removes(&line, name) {
        return Some(format!("the service's command removes or renames {name} itself, {busy}"));
    }
    if line.contains("npm ci")
        && name == "node_modules"
        && cx.base_major(member.service, "node").is_none_or(|m| m < TAME_NODE)
    {
        return Some(format!(
            "the service runs `npm ci`, and npm before version 7 removes the directory itself, {busy}; images from node:{TAME_NODE} on do not"
        ));
    }
    let script = scripts(cx, member).into_iter().find(|(_, line)| removes(line, name))?.0;
    Some(format!("the script `{script}` in package.json removes or renames {name} itself, {busy}"))
}

/// What is mounted lacks directories that a clone has and that are kept for those who write there.
pub(super) fn lacks_directories(member: &Member<'_>) -> Option<String> {
    let directories = member.facts.map(|facts| facts.directories.as_slice())?;
    if directories.is_empty() {
        return None;
    }
    let inside = |directory: &String| format!("{}/{directory}", member.target);
    let all: Vec<String> = directories.iter().map(inside).collect();
    Some(format!(
        "git keeps empty directories in {} that what is mounted there lacks: create them when the container starts, with `mkdir -p {}`",
        member.target,
        all.join(" ")
    ))
}

/// First major version of the node image whose npm empties the directory instead of removing it.
/// With npm 11 that was seen on an engine; version 7 came with another installer.
const TAME_NODE: u32 = 16;

/// True when a command line removes or renames a directory of this name itself, not what is in it.
fn removes(line: &str, name: &str) -> bool {
    let commands = ["rm -rf ", "rm -r ", "rm -fr ", "rimraf ", "mv "];
    commands.iter().any(|command| {
        line.split(command).skip(1).any(|rest| {
            let arguments = rest.split(['&', ';', '|']).next().unwrap_or_default();
            arguments.split_whitespace().any(|word| {
                let word = word.trim_matches(['"', '\'', '\\']).trim_end_matches('/');
                word == name || word.ends_with(&format!("/{name}"))
            })
        })
    })
}

/// Scripts of the package.json beside a member's tree.
fn scripts(cx: &Context<'_>, member: &Member<'_>) -> Vec<(String, String)> {
    let manifest = || {
        let host = member.host.as_deref().map(std::path::Path::new)?;
        let path = host.parent()?.join("package.json");
        (cx.host.kind(&path) == Some(EntryKind::File)).then_some(())?;
        let bytes = cx.host.read(&path, MANIFEST_LIMIT).ok()?;
        serde_json::from_slice::<serde_json::Value>(&bytes).ok()
    };
    let manifest = manifest();
    let scripts = manifest.as_ref().and_then(|m| m.get("scripts")).and_then(|s| s.as_object());
    let lines = scripts.into_iter().flatten();
    lines.filter_map(|(name, line)| Some((name.clone(), line.as_str()?.to_owned()))).collect()
}

/// Bytes of a manifest that are read.
const MANIFEST_LIMIT: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_directory_itself_counts_as_removed() {
        for line in [
            "rm -rf node_modules && npm i",
            "rimraf dist node_modules/",
            "mv ./node_modules /tmp",
            "sh -c \"rm -rf /app/node_modules\"",
        ] {
            assert!(removes(line, "node_modules"), "{line}");
        }
        for line in [
            "rm -rf node_modules/.cache",
            "rm -rf node_modules_old",
            "npm ci",
            "rm -rf dist; ls node_modules",
        ] {
            assert!(!removes(line, "node_modules"), "{line}");
        }
    }
}
