//! What mounting something over a tree takes, whatever is mounted.

use std::ops::ControlFlow;
use std::path::Path;

use super::{Group, Member};
use crate::detect::{Context, join};
use crate::finding::{Change, Fix, NewMount, NewSource};
use crate::host::EntryKind;
use crate::rules::Access;

/// Why a tool must not mount anything over the trees of a group: the advice that holds instead, for
/// each member.
pub(super) fn obstacle(
    cx: &Context<'_>,
    group: &Group<'_>,
    strategy: &'static str,
) -> Option<Vec<Fix>> {
    let advice = group.members.iter().find_map(|member| hindered(cx, member, strategy))?;
    Some(group.members.iter().map(|_| advice.clone()).collect())
}

/// Why what lies in the trees of a group must stay where it is: the advice that holds instead, for
/// each member.
pub(super) fn treasure(
    cx: &Context<'_>,
    group: &Group<'_>,
    strategy: &'static str,
) -> Option<Vec<Fix>> {
    let advice = group.members.iter().find_map(|member| kept(cx, member, strategy))?;
    Some(group.members.iter().map(|_| advice.clone()).collect())
}

fn kept(cx: &Context<'_>, member: &Member<'_>, strategy: &'static str) -> Option<Fix> {
    let facts = member.facts?;
    if facts.tracked {
        return Some(Fix::manual(
            strategy,
            format!("keep {} on the bind: git tracks files in it", facts.path),
            vec!["a volume would hide the committed files from the container".to_owned()],
        ));
    }
    let database = database_in(cx, member)?;
    Some(Fix::manual(
        strategy,
        format!("keep {} on the bind: it holds the database {database}", facts.path),
        vec![format!(
            "a volume would hide {database} from the container: move it to a directory of its own first"
        )],
    ))
}

/// Endings of `SQLite`'s database files.
const DATABASES: [&str; 4] = [".db", ".sqlite", ".sqlite3", ".db3"];

/// A database file that lies directly in a tree that programs write to. Deeper down, and among
/// packages, such files are caches of tools.
fn database_in(cx: &Context<'_>, member: &Member<'_>) -> Option<String> {
    member.kind.filter(|kind| kind.access == Access::WriteHeavy)?;
    let tree = Path::new(member.host.as_deref()?);
    let mut found = None;
    let scanned = cx.host.scan(tree, false, &mut |entry, _| {
        let name = entry.name.to_string_lossy();
        if entry.kind == EntryKind::File && DATABASES.iter().any(|end| name.ends_with(end)) {
            // The first by name, whatever the order on disk.
            found = found.take().into_iter().chain([name.into_owned()]).min();
        }
        ControlFlow::Continue(())
    });
    // A tree that is not there, or cannot be read, shows no database.
    scanned.ok().and(found)
}

fn hindered(cx: &Context<'_>, member: &Member<'_>, strategy: &'static str) -> Option<Fix> {
    let facts = member.facts?;
    let source = cx.mount_ref(member.mount).source.unwrap_or_default();
    if let Some(advice) = kept(cx, member, strategy) {
        return Some(advice);
    }
    if facts.path == "." {
        return Some(Fix::manual(
            strategy,
            format!("replace the bind of `{source}` by a named volume"),
            vec![
                "this entry mounts the tree itself, and only you know whether the host needs to see what the container writes there"
                    .to_owned(),
            ],
        ));
    }
    if member.mount.read_only && !facts.on_disk {
        return Some(Fix::manual(
            strategy,
            format!("create {} below `{source}` first", facts.path),
            vec![
                "the bind is read-only, so the engine cannot make a mount point in it and the container would not start"
                    .to_owned(),
            ],
        ));
    }
    if cx.written(member.mount).is_none() {
        return Some(Fix::manual(
            strategy,
            format!("mount a named volume at {}", member.target),
            vec![
                "the whole entry comes from a variable, so its target is not written in the file"
                    .to_owned(),
            ],
        ));
    }
    None
}

/// The mount that covers a member's tree.
pub(super) fn cover(cx: &Context<'_>, member: &Member<'_>, source: NewSource) -> Option<Change> {
    Some(Change::AddMount {
        service: member.service.name.clone(),
        mount: covering(cx, member, source, false)?,
        beside: member.mount.place?,
    })
}

/// What the mount that covers a member's tree is.
pub(super) fn covering(
    cx: &Context<'_>,
    member: &Member<'_>,
    source: NewSource,
    read_only: bool,
) -> Option<NewMount> {
    let written = cx.written(member.mount)?;
    // A variable in the target may bring options along (`/app:cached`): no place for a path behind it.
    let whole = written.options || member.mount.options.is_empty();
    let spelled = if whole { written.target.as_str() } else { &member.mount.target };
    let spelled = spelled.trim_end_matches('/');
    Some(NewMount {
        source,
        target: member.target.clone(),
        written: join(if spelled.is_empty() { "/" } else { spelled }, &member.facts?.path),
        read_only,
    })
}

/// What becomes of the mount point on hosts where the directory is not there, or not for everyone.
pub(super) fn mount_point(member: &Member<'_>) -> Option<String> {
    let facts = member.facts?;
    let path = &facts.path;
    if !facts.on_disk {
        Some(format!(
            "on Linux hosts the engine creates an empty {path} owned by root: create the directory yourself first"
        ))
    } else if member.mount.read_only {
        Some(format!(
            "the bind is read-only: {path} must exist in every clone, or the container does not start"
        ))
    } else {
        None
    }
}
