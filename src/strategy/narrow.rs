#![doc = include_str!("narrow.md")]

use std::collections::BTreeSet;

use super::bind::{
    Wide, holds_code, installed, mounted_below, named, spelled_below, unproven, wide,
};
use super::{Group, Member, Meta, Names, Strategy};
use crate::compose::{CONSISTENCY_FLAGS, Syntax};
use crate::detect::{Context, join, slashes};
use crate::finding::{Applicability, Change, Fix, NewMount, NewSource};
use crate::host::EntryKind;
use crate::survey::tracked_names;

/// See the page above.
pub struct Narrow;

const META: Meta = Meta {
    id: "narrow",
    summary: "one wide bind becomes binds of the source below it",
    page: include_str!("narrow.md"),
    repairs: &["slow-tree", "slow-writes"],
    nests: false,
};

/// Mounts that one bind may become: a longer list is no help to anybody.
const MOST: usize = 20;

/// What no application reads while it runs; what the image holds of it stays visible.
const UNREAD: [&str; 24] = [
    ".circleci",
    ".devcontainer",
    ".dockerignore",
    ".DS_Store",
    ".editorconfig",
    ".fleet",
    ".git",
    ".gitattributes",
    ".github",
    ".gitignore",
    ".gitlab",
    ".gitlab-ci.yml",
    ".gitmodules",
    ".idea",
    ".mailmap",
    ".pre-commit-config.yaml",
    ".vs",
    ".vscode",
    ".zed",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "SECURITY.md",
];

impl Strategy for Narrow {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn propose(
        &self,
        cx: &Context<'_>,
        group: &Group<'_>,
        _: &mut Names,
    ) -> Result<Vec<Fix>, String> {
        group.members.iter().map(|member| fix(cx, member)).collect()
    }
}

fn fix(cx: &Context<'_>, member: &Member<'_>) -> Result<Fix, String> {
    let service = member.service;
    let bind = wide(cx, member)?;
    if bind.mount.syntax != Syntax::Short {
        return Err("only a bind in short syntax can be split up".to_owned());
    }
    if bind.mount.options.iter().any(|o| o.contains('$')) {
        return Err("its options come from a variable".to_owned());
    }
    let code = holds_code(cx, service, &bind);
    let unproven = unproven(cx, service, &bind)?;
    if let Some(tree) = unproven.first().filter(|_| service.build.is_none()) {
        return Err(format!(
            "nothing in the project would fill {tree} in the container: `{}` neither builds its image nor installs when it starts",
            service.name
        ));
    }
    // A consistency flag that nothing reads is not written anew.
    let read = |flag: &str| {
        !CONSISTENCY_FLAGS.contains(&flag)
            || cx.platforms.iter().any(|p| p.reads_flag(flag, bind.mount))
    };
    let options: Vec<String> = bind.mount.options.iter().filter(|o| read(o)).cloned().collect();
    let chosen = chosen(cx, member, &bind)?;
    let mounts = chosen.parts.iter().map(|part| NewMount {
        source: NewSource::Bind {
            path: slashes(&bind.directory.join(&part.path)),
            written: spelled_below(&bind.source, &escaped(&part.path)),
            options: options.clone(),
        },
        target: join(&bind.mount.target, &part.path),
        written: format!("{}/{}", bind.target, escaped(&part.path)),
        read_only: bind.mount.read_only,
    });
    Ok(Fix {
        strategy: META.id,
        applicability: Applicability::Unsafe,
        title: format!(
            "bind {} below {} instead of all of `{}`",
            match chosen.parts.len() {
                1 => "the one directory of source".to_owned(),
                many => format!("the {many} directories and files of source"),
            },
            bind.mount.target,
            bind.source
        ),
        notes: notes(cx, member, &bind, &unproven, &chosen, code),
        changes: vec![Change::NarrowMount {
            service: service.name.clone(),
            at: bind.place,
            target: bind.mount.target.clone(),
            to: mounts.collect(),
        }],
    })
}

/// A name as a Compose file spells it.
fn escaped(name: &str) -> String {
    name.replace('$', "$$")
}

/// A directory or file that stays bound.
struct Part {
    /// Relative to the bind's source.
    path: String,
    is_file: bool,
}

/// What stays bound of a directory.
struct Chosen {
    /// Sorted by path.
    parts: Vec<Part>,
    /// What git does not track, and what is bound nevertheless.
    untracked: Vec<String>,
    /// True where git said what belongs to the source.
    by_git: bool,
}

fn chosen(cx: &Context<'_>, member: &Member<'_>, bind: &Wide<'_>) -> Result<Chosen, String> {
    let mut chosen = Chosen { parts: Vec::new(), untracked: Vec::new(), by_git: false };
    let survey = cx.surveys.below(bind.directory);
    let left_out: Vec<&str> = survey
        .into_iter()
        .flat_map(|survey| &survey.trees)
        .map(|tree| tree.path.as_str())
        .chain(mounted_below(member.service, bind.mount))
        .collect();
    let mut open = vec![String::new()];
    while let Some(directory) = open.pop() {
        let (entries, by_git) = entries(cx, bind, &directory)?;
        chosen.by_git |= by_git;
        for entry in entries {
            let path = if directory.is_empty() {
                entry.name.clone()
            } else {
                format!("{directory}/{}", entry.name)
            };
            if left_out.contains(&path.as_str()) {
                continue;
            }
            let inside =
                |tree: &&str| tree.strip_prefix(path.as_str()).is_some_and(|r| r.starts_with('/'));
            // A mount below an own bind stays what it is; a tree has to come out.
            if bind.trees.iter().any(|tree| inside(&tree.path.as_str())) {
                open.push(path);
                continue;
            }
            if entry.name.contains(':') || entry.name.chars().any(char::is_control) {
                return Err(format!("the short syntax cannot say {path}"));
            }
            if entry.kind == EntryKind::Link {
                return Err(format!("{path} is a link, which a bind of its own would follow"));
            }
            if !entry.tracked {
                chosen.untracked.push(path.clone());
            }
            chosen.parts.push(Part { path, is_file: entry.kind != EntryKind::Directory });
            if chosen.parts.len() > MOST {
                return Err(format!("more than {MOST} mounts would take its place"));
            }
        }
    }
    chosen.parts.sort_by(|a, b| (a.is_file, &a.path).cmp(&(b.is_file, &b.path)));
    if chosen.parts.iter().all(|part| part.is_file) {
        return Err(match chosen.parts.len() {
            0 => format!("nothing of `{}` is source beside the tree", bind.source),
            _ => format!("all that is source in `{}` are single files", bind.source),
        });
    }
    Ok(chosen)
}

/// Something in a directory that may stay bound.
struct Candidate {
    name: String,
    kind: EntryKind,
    tracked: bool,
}

/// What may stay bound of a directory: what git tracks in it, so that every clone comes to the same
/// result, else everything. Beside what git tracks an environment file, which applications need.
fn entries(
    cx: &Context<'_>,
    bind: &Wide<'_>,
    directory: &str,
) -> Result<(Vec<Candidate>, bool), String> {
    let place = bind.directory.join(directory);
    let unreadable = |_| format!("`{}` cannot be listed", bind.source);
    let there = cx.host.entries(&place).map_err(unreadable)?;
    let tracked: Option<BTreeSet<String>> =
        tracked_names(cx.host, &place).filter(|names| !names.is_empty());
    let mut found = Vec::new();
    for entry in there {
        let Ok(name) = entry.name.into_string() else {
            return Err("a name in it is not UTF-8".to_owned());
        };
        let known = tracked.as_ref().is_none_or(|names| names.contains(&name));
        let wanted = known || name == ".env";
        if wanted && entry.kind != EntryKind::Other && !is_unread(&name) {
            found.push(Candidate { name, kind: entry.kind, tracked: known });
        }
    }
    Ok((found, tracked.is_some()))
}

/// True for what only tools outside of the container read.
fn is_unread(name: &str) -> bool {
    let ends = |end: &str| {
        std::path::Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case(end))
    };
    let compose = (name.starts_with("compose.") || name.starts_with("docker-compose."))
        && (ends("yaml") || ends("yml") || ends("json"));
    UNREAD.contains(&name) || compose || name == "Dockerfile" || name.starts_with("Dockerfile.")
}

fn notes(
    cx: &Context<'_>,
    member: &Member<'_>,
    bind: &Wide<'_>,
    unproven: &[&str],
    chosen: &Chosen,
    code: Option<bool>,
) -> Vec<String> {
    let service = &member.service.name;
    let (source, target) = (&bind.source, &bind.mount.target);
    let mut notes = Vec::new();
    for (tree, kind) in installed(cx, &bind.trees) {
        let place = join(target, &tree.path);
        let check = if unproven.contains(&tree.path.as_str()) {
            "check that the Dockerfile installs it there, and "
        } else {
            ""
        };
        notes.push(if cx.installs(member.service, kind) {
            format!(
                "{place} lies in the container itself now: each new container installs it again when it starts"
            )
        } else {
            format!(
                "{place} comes from the image now: {check}build anew when the lock file changes; what is installed in the container is lost with it"
            )
        });
    }
    if code.is_none() {
        notes.push(format!(
            "what else {service} needs directly in {target} must be in the image: check that its Dockerfile copies the project there"
        ));
    }
    notes.push(format!(
        "what is new directly in `{source}` is not seen in the container until somebody adds it to the list, and what the container writes there, logs and caches as well, no longer reaches the host"
    ));
    if chosen.by_git {
        notes.push(
            "only what git tracks is bound, so that every clone mounts the same: files that are not added yet are not seen"
                .to_owned(),
        );
    }
    for path in &chosen.untracked {
        notes.push(format!(
            "git does not track {path}: it must be there before the first start, or the engine makes a directory of that name"
        ));
    }
    let files = named(chosen.parts.iter().filter(|p| p.is_file).map(|p| p.path.as_str()));
    if !files.is_empty() {
        notes.push(format!(
            "{files} are bound as single files: editors that save by renaming leave the container with the old one until it is restarted, and tools in the container cannot replace them"
        ));
    }
    notes
}

#[cfg(test)]
mod tests;
