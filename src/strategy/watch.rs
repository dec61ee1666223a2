#![doc = include_str!("watch.md")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::bind::{
    Wide, holds_code, installed, mounted_below, named, other_binds, seen, spelled_below, unproven,
    wide,
};
use super::{Group, Member, Meta, Names, Strategy};
use crate::compose::{Origin, relative_name};
use crate::detect::{Context, ImageUser, slashes};
use crate::finding::{Applicability, Change, Fix, NewWatch, WatchTarget};
use crate::host::EntryKind;

/// See the page above.
pub struct Watch;

const META: Meta = Meta {
    id: "watch",
    summary: "the bind becomes `develop.watch`, which copies what changes",
    page: include_str!("watch.md"),
    repairs: &["slow-tree", "slow-writes"],
    nests: false,
};

impl Strategy for Watch {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn propose(
        &self,
        cx: &Context<'_>,
        group: &Group<'_>,
        _: &mut Names,
    ) -> Result<Vec<Fix>, String> {
        group.members.iter().map(|member| fix(cx, group, member)).collect()
    }
}

fn fix(cx: &Context<'_>, group: &Group<'_>, member: &Member<'_>) -> Result<Fix, String> {
    let service = &member.service.name;
    let bind = wide(cx, member)?;
    if member.service.build.is_none() {
        return Err(format!("`{service}` has no `build`, and `develop.watch` needs one"));
    }
    let code = holds_code(cx, member.service, &bind);
    if code == Some(false) {
        return Err(format!(
            "the image of `{service}` does not hold the code: its Dockerfile copies no `{}` to {}",
            bind.source, bind.mount.target
        ));
    }
    let unproven = unproven(cx, member.service, &bind)?;
    overlap(cx, group, member, &bind)?;
    let rebuilt = manifests(cx, &bind);
    let rules = rules(cx, member, &bind, &rebuilt)?;
    Ok(Fix {
        strategy: META.id,
        applicability: Applicability::Unsafe,
        title: format!(
            "replace the bind of `{}` at {} by `develop.watch`",
            bind.source, bind.mount.target
        ),
        notes: notes(cx, member, &bind, &unproven, &rebuilt, code),
        changes: vec![
            Change::RemoveMount {
                service: service.clone(),
                at: bind.place,
                target: bind.mount.target.clone(),
            },
            Change::Watch { service: service.clone(), instead_of: bind.place, rules },
        ],
    })
}

/// Refuses what another bind of the service stands in the way of. Compose does not watch what lies
/// below the source of a bind of the same service, whatever its target is.
fn overlap(
    cx: &Context<'_>,
    group: &Group<'_>,
    member: &Member<'_>,
    bind: &Wide<'_>,
) -> Result<(), String> {
    let goes = |target: &str| {
        let same = |m: &Member<'_>| m.service.name == member.service.name;
        group.members.iter().any(|m| same(m) && m.mount.target == target)
    };
    for (other, source) in other_binds(member.service, bind.mount) {
        if source == bind.directory && goes(&other.target) {
            continue;
        }
        let written = cx.mount_ref(other).source.unwrap_or_default();
        if bind.directory.starts_with(source) {
            return Err(format!(
                "the service also mounts `{written}` at {}, and Compose does not watch what a bind of the same service holds",
                other.target
            ));
        }
        if source.starts_with(bind.directory) && !seen(cx, member.service, other).is_empty() {
            return Err(format!("the bind of `{written}` lies in it and holds trees, too"));
        }
    }
    Ok(())
}

/// Manifests and lock files of what is installed, relative to the bind's source: the image has to be
/// built anew when one of them changes.
fn manifests(cx: &Context<'_>, bind: &Wide<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (tree, kind) in installed(cx, &bind.trees) {
        let place = kind.paths.iter().find_map(|path| {
            let above = tree.path.strip_suffix(path.as_str())?;
            (above.is_empty() || above.ends_with('/')).then_some(above)
        });
        let Some(place) = place else { continue };
        let names =
            kind.manifests.iter().map(|m| &m.file).chain(kind.locks.iter().map(|l| &l.file));
        for name in names {
            let path = format!("{place}{name}");
            if cx.host.target_kind(&bind.directory.join(&path)) == Some(EntryKind::File) {
                found.insert(path);
            }
        }
    }
    found
}

fn rules(
    cx: &Context<'_>,
    member: &Member<'_>,
    bind: &Wide<'_>,
    rebuilt: &BTreeSet<String>,
) -> Result<Vec<NewWatch>, String> {
    let home = cx.project.home_beside(member.service, bind.place.list);
    let home = home.ok_or("the service has no mapping of its own in a file of the project")?;
    let base = spelled(cx, bind, home);
    let target = if bind.target.is_empty() { "/" } else { bind.target.as_str() };
    let sync = NewWatch {
        action: "sync".to_owned(),
        path: slashes(bind.directory),
        written: base.clone(),
        target: Some(WatchTarget { path: bind.mount.target.clone(), written: target.to_owned() }),
        ignore: ignored(cx, member, bind),
    };
    let further = rebuilt.iter().map(|path| NewWatch {
        action: "rebuild".to_owned(),
        path: slashes(&bind.directory.join(path)),
        written: if base == "." { path.clone() } else { spelled_below(&base, path) },
        target: None,
        ignore: Vec::new(),
    });
    Ok(std::iter::once(sync).chain(further).collect())
}

/// The bind's source as a rule spells it that goes into another mapping.
fn spelled(cx: &Context<'_>, bind: &Wide<'_>, home: Origin) -> String {
    let base = cx.project.base_of(home);
    let same = cx.project.base_of(bind.mount.origin) == base;
    if same && !bind.source.starts_with('~') {
        let short = bind.source.trim_end_matches('/');
        return if short.is_empty() { "/".to_owned() } else { short.to_owned() };
    }
    match relative_name(base, bind.directory) {
        path if path == "." || path.starts_with("..") => path,
        path => format!("./{path}"),
    }
}

/// What must not be copied: trees, which the container has its own of; what else is mounted below
/// the target, since a copy there would be written through that mount; and git's own files.
fn ignored(cx: &Context<'_>, member: &Member<'_>, bind: &Wide<'_>) -> Vec<String> {
    let survey = cx.surveys.below(bind.directory);
    let trees = survey.into_iter().flat_map(|survey| &survey.trees).filter(|tree| !tree.tracked);
    let mut by_kind: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for tree in trees {
        by_kind.entry(&tree.kind).or_default().push(&tree.path);
    }
    let mut ignored: BTreeSet<String> = BTreeSet::new();
    for (kind, paths) in by_kind {
        let name = cx.rules.tree(kind).filter(|k| !k.ambiguous).and_then(|k| k.paths.first());
        match name.filter(|n| paths.iter().all(|p| Path::new(p).ends_with(n))) {
            // Where there are several there may be more, too small to count.
            Some(name) if paths.len() > 1 => drop(ignored.insert(format!("**/{name}/"))),
            _ => ignored.extend(paths.iter().map(|path| format!("{path}/"))),
        }
    }
    for path in mounted_below(member.service, bind.mount) {
        let slash = match cx.host.target_kind(&bind.directory.join(path)) {
            Some(EntryKind::File) => "",
            _ => "/",
        };
        ignored.insert(format!("{path}{slash}"));
    }
    if cx.host.kind(&bind.directory.join(".git")).is_some() {
        ignored.insert(".git/".to_owned());
    }
    let covered: Vec<String> =
        ignored.iter().filter_map(|i| i.strip_prefix("**/")).map(str::to_owned).collect();
    ignored.retain(|i| {
        i.starts_with("**/") || !covered.iter().any(|c| Path::new(i).ends_with(c.as_str()))
    });
    ignored.into_iter().collect()
}

fn notes(
    cx: &Context<'_>,
    member: &Member<'_>,
    bind: &Wide<'_>,
    unproven: &[&str],
    rebuilt: &BTreeSet<String>,
    code: Option<bool>,
) -> Vec<String> {
    let service = &member.service.name;
    let (source, target) = (&bind.source, &bind.mount.target);
    let mut notes = vec![format!(
        "everybody starts the project with `docker compose watch` from now on, which needs Docker Compose 2.22: with `docker compose up` alone {service} runs the code that was in its image when that was built"
    )];
    if code.is_none() {
        notes.push(format!(
            "the image must hold the code: check that the Dockerfile copies `{source}` to {target}"
        ));
    }
    let trees = named(unproven.iter().copied());
    if !trees.is_empty() {
        notes.push(format!(
            "what is in {trees} on the host is not copied: check that the Dockerfile installs it below {target}"
        ));
    }
    if !rebuilt.is_empty() {
        let files = named(rebuilt.iter().map(String::as_str));
        notes.push(format!("a change of {files} builds the image anew and replaces the container"));
    }
    notes.push(format!(
        "copies go one way: what the container writes below {target}, such as uploads, generated code and new lock files, does not reach the host and is lost with the container"
    ));
    let user = match cx.user_of(member.service) {
        ImageUser::Root => String::new(),
        _ => format!("the service's user must be able to write to {target}, and "),
    };
    notes.push(format!("{user}the image needs the programs `stat`, `mkdir` and `rmdir`"));
    if bind.mount.read_only {
        notes.push(format!(
            "the bind was read-only; now the container can change what is in {target}"
        ));
    }
    notes
}
