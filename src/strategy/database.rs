//! Moving a database off a bind mount: advice, never an edit. An empty volume in the place of a
//! directory with data shows an empty database, and the user's data seems lost.

use std::path::Path;

use super::{Member, Names, volume_key};
use crate::compose::{Mount, MountKind, relative_name};
use crate::detect::{Contents, Context};
use crate::finding::Fix;

/// What to do by hand for one service.
pub(super) fn move_database(
    cx: &Context<'_>,
    member: &Member<'_>,
    strategy: &'static str,
    names: &mut Names,
) -> Fix {
    let service = &member.service.name;
    let mount = member.mount;
    let source = cx.mount_ref(mount).source.unwrap_or_default();
    let target = &mount.target;
    // A volume that is there stays as it is: Compose would offer to make a changed one anew.
    let key = names.claim(&[volume_key([service.as_str(), "data"].into_iter())]);
    if cx.contents(mount) == Contents::Nothing {
        return Fix::manual(
            strategy,
            format!("replace `{source}` by a named volume, such as `{key}:{target}`"),
            vec![format!(
                "`{source}` holds nothing here, so nothing is lost; on other machines of the team it may: move their data first"
            )],
        );
    }
    let transfer = cx
        .database_at(member.service, mount)
        .and_then(|kind| Some((kind.title.as_str(), kind.transfer.as_ref()?)));
    let mut notes = vec![format!(
        "`{source}` holds data, and a new volume in its place would show an empty database"
    )];
    if let Some((title, transfer)) = transfer {
        notes.push(format!(
            "dump it while it runs: `docker compose exec -T {service} sh -c '{}' > {key}.dump`",
            transfer.dump
        ));
        notes.push(format!(
            "then mount `{key}:{target}`, declare `{key}` under `volumes`, start it and read the dump: `docker compose exec -T {service} sh -c '{}' < {key}.dump`",
            transfer.restore
        ));
        notes.push(format!(
            "do not copy the files instead: owners and letter case of what {title} wrote on a share of macOS or Windows need not suit a volume"
        ));
    } else {
        let project = &cx.project.name;
        notes.push(format!(
            "stop it with `docker compose stop {service}`, mount `{key}:{target}`, declare `{key}` under `volumes`, and create both with `docker compose create {service}`"
        ));
        notes.push(format!(
            "then copy, before it starts: `docker run --rm -v {}:/from:ro -v {project}_{key}:/to alpine cp -a /from/. /to/`",
            from(cx, mount, &source)
        ));
    }
    notes.push(format!("keep `{source}` until you have seen that everything is there"));
    Fix::manual(strategy, format!("move the data into a named volume, such as `{key}`"), notes)
}

/// What a mount's data comes from, as a word of a shell in the project's directory.
fn from(cx: &Context<'_>, mount: &Mount, source: &str) -> String {
    if mount.kind == MountKind::Volume {
        let volume = cx.project.volumes.iter().find(|volume| volume.key == source);
        let name = volume.and_then(|volume| volume.definition.text_of("name"));
        return name.map_or_else(|| format!("{}_{source}", cx.project.name), str::to_owned);
    }
    let directory = &cx.project.directory;
    let inside = mount.host_path().filter(|path| path.starts_with(directory));
    match inside {
        Some(path) if path == Path::new(directory) => r#""$PWD""#.to_owned(),
        Some(path) => format!(r#""$PWD/{}""#, relative_name(directory, path)),
        None if source.starts_with('/') => format!(r#""{}""#, source.trim_end_matches('/')),
        None if source.starts_with('.') => format!(r#""$PWD/{}""#, source.trim_end_matches('/')),
        None => "DIRECTORY".to_owned(),
    }
}
