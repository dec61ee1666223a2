//! Moving a database off a bind mount: advice, never an edit. An empty volume in the place of a
//! directory with data shows an empty database, and the user's data seems lost.

use super::{Member, volume_key};
use crate::detect::{Contents, Context};
use crate::finding::Fix;

/// What to do by hand for one service.
pub(super) fn move_database(cx: &Context<'_>, member: &Member<'_>, strategy: &'static str) -> Fix {
    let service = &member.service.name;
    let source = cx.mount_ref(member.mount).source.unwrap_or_default();
    let target = &member.mount.target;
    let key = volume_key([service.as_str(), "data"].into_iter());
    if cx.contents(member.mount) == Contents::Nothing {
        return Fix::manual(
            strategy,
            format!("replace `{source}` by a named volume, such as `{key}:{target}`"),
            vec![format!(
                "`{source}` holds nothing here, so nothing is lost; on other machines of the team it may: move their data first"
            )],
        );
    }
    let transfer = cx
        .database_at(member.service, member.mount)
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
            "copy it while it is stopped: `docker compose stop {service}`, then `docker run --rm -v {project}_{key}:/to -v \"$PWD/{}\":/from:ro alpine cp -a /from/. /to/`",
            source.trim_start_matches("./").trim_end_matches('/')
        ));
        notes.push(format!("then mount `{key}:{target}` and declare `{key}` under `volumes`"));
    }
    notes.push(format!("keep `{source}` until you have seen that everything is there"));
    Fix::manual(strategy, format!("move the data into a named volume, such as `{key}`"), notes)
}
