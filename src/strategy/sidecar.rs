#![doc = include_str!("sidecar.md")]

mod script;

use super::cover::{covering, mount_point, obstacle};
use super::{Group, Member, Meta, Names, Strategy, volume_key};
use crate::compose::{Origin, Role, is_path, relative_name};
use crate::detect::{Context, grouped};
use crate::finding::{Applicability, Change, Fix, NewMount, NewSource};
use crate::rules::{Answer, Platform};
use crate::yaml::{New, Style};
use script::{Script, Sync};

/// See the page above.
pub struct Sidecar;

const META: Meta = Meta {
    id: "sidecar",
    summary: "a service that copies the tree from the host into a volume, one way, and keeps it in step",
    page: include_str!("sidecar.md"),
    repairs: &["slow-tree"],
    nests: true,
};

/// Container paths of the new service.
const HOST: &str = "/host";
const DATA: &str = "/data";

impl Strategy for Sidecar {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn propose(
        &self,
        cx: &Context<'_>,
        group: &Group<'_>,
        names: &mut Names,
    ) -> Result<Vec<Fix>, String> {
        if let Some(advice) = obstacle(cx, group, META.id) {
            return Ok(advice);
        }
        if let Some(reason) = group.members.iter().find_map(|member| unfit(cx, member)) {
            return Err(reason);
        }
        let plan = Plan::of(cx, group, names)?;
        group.members.iter().map(|member| plan.fix(cx, member)).collect()
    }
}

/// Why one way from the host to the container is not the way of a member's tree.
fn unfit(cx: &Context<'_>, member: &Member<'_>) -> Option<String> {
    let path = member.facts.map_or(".", |f| f.path.as_str());
    let name = &member.service.name;
    let Some(kind) = member.kind.filter(|kind| kind.portable) else {
        return Some(format!(
            "{path} may hold programs compiled for the host, which do not run in the container"
        ));
    };
    if cx.installs(member.service, kind) {
        let line = cx.command_of(member.service).join(" ");
        let installer = kind.installers.iter().find(|i| line.contains(i.as_str()));
        let installer = installer.map_or("an install", String::as_str);
        return Some(format!(
            "`{name}` runs `{installer}` itself, and what it installs would be deleted again because the host lacks it; the strategy `volume` fits a tree that is made in the container"
        ));
    }
    if member.facts.is_some_and(|facts| facts.on_disk) {
        return None;
    }
    let install = member.facts.and_then(|f| f.install.as_deref());
    let how = install.map_or_else(String::new, |install| format!(" with `{install}`"));
    Some(format!("there is no {path} on the host to copy: install it there first{how}"))
}

/// How the readers come to the copy.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Form {
    /// Each mounts the named volume with this key.
    Volume(String),
    /// By `volumes_from`, for docker-compose v1: an anonymous volume of the new service.
    TakenOver,
}

/// The one new service of a group, with what its readers get.
struct Plan {
    service: String,
    form: Form,
    sync: Sync,
    /// The team's own image for it.
    image: Option<String>,
    owner: Option<String>,
    add: Change,
}

impl Plan {
    fn of(cx: &Context<'_>, group: &Group<'_>, names: &mut Names) -> Result<Self, String> {
        let unwritten = "this mount is not written in a `volumes` list";
        let (near, home) = nearest(cx, group)?;
        let facts = near.facts.ok_or("nothing is known about the tree")?;
        let beside = near.mount.place.ok_or(unwritten)?;
        let v1 = v1(cx)?;
        let tree = near.tree_key(cx);
        let own = volume_key([near.service.name.as_str(), tree.as_str()].into_iter());
        let wishes = [&tree, &own].map(|name| format!("{}-sync", name.replace('_', "-")));
        let service = names.claim_service(&wishes);
        let (form, to) = if v1 {
            if let Some(other) = group.members.iter().find(|m| m.target != near.target) {
                return Err(format!(
                    "`{}` and `{}` see the tree at different paths, and `volumes_from` hands on one",
                    near.service.name, other.service.name
                ));
            }
            (Form::TakenOver, covering(cx, near, NewSource::Anonymous, false).ok_or(unwritten)?)
        } else {
            let key = names.claim(&[tree, own]);
            let source = NewSource::Volume { key: key.clone(), nocopy: false };
            let to = NewMount {
                source,
                target: DATA.to_owned(),
                written: DATA.to_owned(),
                read_only: false,
            };
            (Form::Volume(key), to)
        };
        let owner = owner(cx, group);
        let image = cx.rules.sidecar().image.clone();
        let script = Script {
            from: format!("{HOST}/{}", facts.path),
            to: to.target.clone(),
            owner: owner.clone(),
            sync: sync(cx),
            fetches: v1 && image.is_none(),
        };
        let definition = definition(&script, image.as_deref(), &profiles(cx, group), v1);
        let add = Change::AddService {
            name: service.clone(),
            near: near.service.name.clone(),
            beside,
            mounts: vec![from(cx, near, home)?, to],
            definition,
        };
        Ok(Self { service, form, sync: script.sync, image, owner, add })
    }

    fn fix(&self, cx: &Context<'_>, member: &Member<'_>) -> Result<Fix, String> {
        let unwritten = "this mount is not written in a `volumes` list";
        let beside = member.mount.place.ok_or(unwritten)?;
        let service = member.service.name.clone();
        let mut changes = vec![
            self.add.clone(),
            Change::AddDependency { service: service.clone(), on: self.service.clone(), beside },
        ];
        match &self.form {
            Form::Volume(key) => {
                // What the image holds at that path is not to get into the copy, let alone from two
                // services at once.
                let source = NewSource::Volume { key: key.clone(), nocopy: true };
                let mount = covering(cx, member, source, true).ok_or(unwritten)?;
                changes.push(Change::AddMount { service, mount, beside });
                changes.push(Change::DeclareVolume { key: key.clone() });
            }
            Form::TakenOver => {
                changes.push(Change::VolumesFrom {
                    service,
                    from: format!("{}:ro", self.service),
                    beside,
                });
            }
        }
        Ok(Fix {
            strategy: META.id,
            applicability: Applicability::Unsafe,
            title: format!(
                "copy {} into a volume with the new service `{}`",
                member.target, self.service
            ),
            notes: self.notes(member),
            changes,
        })
    }

    /// What evidence is missing for a safe fix, and what the user should know.
    fn notes(&self, member: &Member<'_>) -> Vec<String> {
        let Some(facts) = member.facts else { return Vec::new() };
        let (path, target, sync) = (&facts.path, &member.target, &self.service);
        let install = facts.install.as_deref();
        let install = install.map_or_else(String::new, |i| format!(", such as `{i}`,"));
        let files = facts.files.map(grouped).unwrap_or_default();
        let amount = match facts.bytes {
            Some(bytes) => format!("{files} files, {} MB", grouped(bytes.div_ceil(1_000_000))),
            None if facts.at_least => {
                format!("{files} files or more, `check --full-survey` counts them")
            }
            None => format!("{files} files"),
        };
        let mut notes = vec![
            format!(
                "{target} is read-only in the container: installs{install} must run on the host, in a fresh clone before the first start, and an image or a program that writes there fails"
            ),
            format!(
                "the first start waits until the whole tree is copied, and its content is stored twice ({amount})"
            ),
            match self.sync {
                Sync::Listen => "a change on the host arrives after about two seconds; one that raises no file event, after a minute or so"
                    .to_owned(),
                Sync::Both(seconds) => format!(
                    "a change on the host arrives after about two seconds; where a platform forwards no file events, the tree is looked through every {}",
                    spelled(seconds)
                ),
                Sync::Poll(seconds) => format!(
                    "no judged platform forwards file events, so the tree is looked through every {}",
                    spelled(seconds)
                ),
            },
            format!(
                "what is deleted below {path} on the host is deleted in the copy, nothing outside it; an empty or missing {path} deletes nothing"
            ),
            self.rights(member),
            format!("members of the team on Linux run `{sync}` as well and do not need it"),
        ];
        notes.push(match &self.form {
            Form::Volume(_) if self.image.is_some() => self.image_note(sync),
            Form::Volume(_) => {
                "needs Docker Compose 2.17 or later, and the network when the new service's image is built"
                    .to_owned()
            }
            Form::TakenOver => {
                let fetch = match &self.image {
                    Some(_) => String::new(),
                    None => format!("; `{sync}` fetches rsync from the network when its container is made and needs an engine from 20.10 on"),
                };
                format!(
                    "for docker-compose v1: the mounts of `{sync}` come along, so the container sees the project once more, read-only, at {HOST}{fetch}"
                )
            }
        });
        if matches!(self.form, Form::TakenOver) && self.image.is_some() {
            notes.push(self.image_note(sync));
        }
        notes.extend(mount_point(member));
        notes
    }

    /// What the team's own image must bring.
    fn image_note(&self, service: &str) -> String {
        let image = self.image.as_deref().unwrap_or_default();
        let programs = match self.sync {
            Sync::Listen | Sync::Both(_) => "`sh`, `rsync` and `inotifywait`",
            Sync::Poll(_) => "`sh` and `rsync`",
        };
        format!(
            "`{service}` runs {image} as root, as the configuration says; it must hold {programs}"
        )
    }

    fn rights(&self, member: &Member<'_>) -> String {
        match &self.owner {
            Some(owner) => {
                format!("the copies belong to {owner}, the user that the service runs as")
            }
            None => format!(
                "the copies keep the host's owner and anyone in the container may read {}",
                member.target
            ),
        }
    }
}

/// The reader that the new service goes beside, with its mapping there. Each file must hold what its
/// own readers wait for: an included file is loaded alone as well, and so is the first of several.
fn nearest<'g, 'a>(
    cx: &Context<'_>,
    group: &'g Group<'a>,
) -> Result<(&'g Member<'a>, Origin), String> {
    let homes = group.members.iter().filter_map(|member| {
        let home = cx.project.home_in(member.service, member.mount.place?.list.file)?;
        let included = cx.project.file(home.file)?.role == Role::Included;
        Some((member, home, included))
    });
    let homes: Vec<(&Member<'_>, Origin, bool)> = homes.collect();
    let best = |active: bool| {
        let fit = homes.iter().filter(|(member, ..)| member.service.active || !active);
        fit.min_by_key(|(_, home, included)| (!included, home.file))
    };
    let (near, home, _) = best(true)
        .or_else(|| best(false))
        .ok_or("no reader has a mapping of its own in a file of the project")?;
    let elsewhere =
        |(_, other, included): &&(&Member<'_>, Origin, bool)| *included && other.file != home.file;
    if let Some((other, ..)) = homes.iter().find(elsewhere) {
        return Err(format!(
            "`{}` and `{}` stand in two included files, and each must load without the other",
            near.service.name, other.service.name
        ));
    }
    Ok((near, *home))
}

/// A number of seconds in a sentence.
fn spelled(seconds: u32) -> String {
    if seconds == script::INTERVAL { "ten seconds".to_owned() } else { format!("{seconds} s") }
}

/// How the copy learns of changes on every judged platform.
fn sync(cx: &Context<'_>) -> Sync {
    let tells = |p: &&&Platform| p.host_events == Answer::Yes;
    let telling = cx.platforms.iter().filter(tells).count();
    let interval = cx.rules.sidecar().interval.unwrap_or(script::INTERVAL);
    match telling {
        0 => Sync::Poll(interval),
        all if all == cx.platforms.len() => Sync::Listen,
        _ => Sync::Both(interval),
    }
}

/// True when docker-compose v1 is to read the project: every judged platform has consistency flags
/// with an effect, which only v1 hands on, and the file names a format of that time.
fn v1(cx: &Context<'_>) -> Result<bool, String> {
    let version = cx.project.root.text_of("version").and_then(|v| v.split_once('.'));
    let legacy = cx.platforms.iter().all(|p| p.flags_help());
    match (legacy, cx.project.root.text_of("version"), version) {
        (true, Some("2"), _) | (true, _, Some(("2", "0"))) => {
            Err("a file of version 2.0 has no `condition` to wait for the first copy: set `version: '2.4'`"
                .to_owned())
        }
        (true, _, Some(("2", _))) => Ok(true),
        _ => Ok(false),
    }
}

/// `uid` or `uid:gid` of the readers, if all run as the same one, on every machine.
fn owner(cx: &Context<'_>, group: &Group<'_>) -> Option<String> {
    let user = |member: &Member<'_>| {
        let user = member.service.user.clone()?;
        let written = cx.written_user(member.service)?;
        let number = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
        let numbers = user.split(':').count() <= 2 && user.split(':').all(number);
        (numbers && !written.contains('$')).then_some(user)
    };
    let (first, rest) = group.members.split_first()?;
    let first = user(first)?;
    rest.iter().all(|member| user(member).as_ref() == Some(&first)).then_some(first)
}

/// All profiles of the readers; none where one of them has none and so is always started.
fn profiles(cx: &Context<'_>, group: &Group<'_>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for member in &group.members {
        let own = cx.project.attribute(&member.service.name, "profiles");
        let own = own.map(|p| p.texts()).unwrap_or_default();
        if own.is_empty() {
            return Vec::new();
        }
        all.extend(own.into_iter().map(str::to_owned));
    }
    all.sort();
    all.dedup();
    all
}

/// The bind of the reader once more, read-only. Not the tree alone: where that is removed and
/// installed anew, a bind of it would stay on what was removed, and where it is missing the engine
/// would create it.
fn from(cx: &Context<'_>, near: &Member<'_>, home: Origin) -> Result<NewMount, String> {
    let path = near.mount.source.clone().ok_or("the bind has no source")?;
    let place = near.mount.place.ok_or("this mount is not written in a `volumes` list")?;
    let base = cx.project.base_of(home);
    let same = cx.project.base_of(place.list) == base;
    let spelled = cx.written(near.mount).and_then(|w| w.source);
    let variable = spelled.as_ref().is_some_and(|s| s.contains('$'));
    let written = match spelled {
        Some(spelled) if same && (variable || is_path(&spelled)) => spelled,
        _ if variable => {
            return Err("the bind's source holds a variable that another file fills in".to_owned());
        }
        _ => {
            let host = near.mount.host_path().ok_or("the bind's source is not known")?;
            let name = relative_name(base, host).replace('$', "$$");
            if name.starts_with('.') { name } else { format!("./{name}") }
        }
    };
    let labelled = near.mount.options.iter().any(|o| o.eq_ignore_ascii_case("z"));
    let mut options = if labelled { vec!["z".to_owned()] } else { Vec::new() };
    let helps = cx.platforms.iter().all(|p| p.gains_by("cached"));
    options.extend(helps.then(|| "cached".to_owned()));
    Ok(NewMount {
        source: NewSource::Bind { path, written, options },
        target: HOST.to_owned(),
        written: HOST.to_owned(),
        read_only: true,
    })
}

/// The new service without its mounts.
fn definition(script: &Script, image: Option<&str>, profiles: &[String], v1: bool) -> New {
    let entry = |key: &str, value: New| (key.to_owned(), Style::Plain, value);
    let literal = |text: String| New::Scalar { text, style: Style::Literal };
    let mapping = |entries: Vec<(String, Style, New)>| New::Mapping { entries, flow: false };
    let list = |words: &[&str]| New::Sequence {
        items: words.iter().map(|w| New::plain(*w)).collect(),
        flow: true,
    };
    let mut entries = match image {
        // The copies get their owner from root, whoever the image runs as.
        Some(image) => vec![entry("image", New::plain(image)), entry("user", New::plain("root"))],
        None if v1 => vec![entry("image", New::plain(script::IMAGE))],
        None => {
            let dockerfile = literal(script.dockerfile());
            vec![entry("build", mapping(vec![entry("dockerfile_inline", dockerfile)]))]
        }
    };
    let command = vec![New::plain("sh"), New::plain("-c"), literal(script.text())];
    // The image of a team may have an entry point, which would get the command as its arguments.
    let key = if image.is_some() { "entrypoint" } else { "command" };
    entries.push(entry(key, New::Sequence { items: command, flow: false }));
    // Without an init process the shell would not hear the signal to stop. Whenever it is stopped,
    // no file is left half written.
    entries.push(if v1 {
        entry("stop_signal", New::plain("SIGKILL"))
    } else {
        entry("init", New::plain("true"))
    });
    let test = entry("test", list(&["CMD", "test", "-f", script::READY]));
    let mut health = vec![test, entry("interval", New::plain("3s"))];
    if v1 {
        health.push(entry("retries", New::plain("300")));
    } else {
        health.push(entry("start_period", New::plain("15m")));
        health.push(entry("retries", New::plain("3")));
    }
    entries.push(entry("healthcheck", mapping(health)));
    entries.push(entry("restart", New::plain("unless-stopped")));
    if !profiles.is_empty() {
        let profiles: Vec<&str> = profiles.iter().map(String::as_str).collect();
        entries.push(entry("profiles", list(&profiles)));
    }
    mapping(entries)
}
