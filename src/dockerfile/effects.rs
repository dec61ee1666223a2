//! What the usual commands do to a path.

use super::Content;
use super::copy::below;
use super::replay::{Owner, Replay, Seen, brought};
use super::shell::{Command, join};
use super::stage::{Run, Stage, shortened};
use super::words::UNKNOWN;
use crate::compose::is_under;

/// Programs that put nothing into a project's directories.
const HARMLESS: [&str; 44] = [
    "[",
    "[[",
    "a2dismod",
    "a2dissite",
    "a2enmod",
    "a2ensite",
    "addgroup",
    "apk",
    "apt",
    "apt-get",
    "apt-key",
    "cat",
    "corepack",
    "curl",
    "deluser",
    "dnf",
    "dpkg",
    "echo",
    "export",
    "gem",
    "groupadd",
    "groupmod",
    "locale-gen",
    "microdnf",
    "pecl",
    "pip",
    "pip3",
    "printf",
    "pwd",
    "set",
    "sleep",
    "test",
    "true",
    "type",
    "ulimit",
    "umask",
    "update-ca-certificates",
    "usermod",
    "useradd",
    "adduser",
    "yum",
    "which",
    "whoami",
    ":",
];

impl Replay<'_> {
    #[expect(clippy::too_many_arguments, reason = "the moment of the build and what is known")]
    pub(super) fn shell(
        &mut self,
        stage: &Stage,
        number: usize,
        index: usize,
        run: &Run,
        path: &str,
        owner: Option<Owner>,
        seen: &mut Seen,
    ) {
        let command = &run.command;
        let dir = command.dir.as_deref();
        match command.program() {
            "mkdir" => {
                if paths(command, &["-m", "--mode"], 0)
                    .any(|p| join(dir, p).is_some_and(|p| is_under(&p, path)))
                {
                    seen.create(owner);
                }
            }
            "install" if command.has_flag(&['d'], "--directory") => {
                install(command, path, owner.as_ref(), seen);
            }
            "rm" => removed(command, path, seen),
            "mv" | "cp" | "rsync" => self.moved(number, index, command, path, owner.as_ref(), seen),
            "chown" => owned(command, path, owner.as_ref(), seen),
            "chmod" => opened(command, path, seen),
            "ln" => {
                if paths(command, &[], 0).any(|p| join(dir, p).is_none_or(|p| is_under(path, &p))) {
                    seen.forget();
                }
            }
            "composer" if loads_all(run, seen) => {
                let by = shortened(&format!("RUN {}", command.words.join(" ")));
                let line = owner.map_or(0, |o| o.line);
                seen.content = Content::Filled { by, line };
            }
            "bundle" | "npm" | "yarn" | "pnpm" | "composer" if configures_less(command) => {
                seen.lean = true;
            }
            "pip" | "pip3" if command.has_flag(&['t'], "--target") => seen.disturb(),
            "find" | "git" | "xargs" | "make" if takes_away(command) => seen.forget(),
            "npm" | "pnpm" | "yarn" if command.words.iter().any(|word| word == "prune") => {
                if matches!(seen.content, Content::Filled { .. }) {
                    seen.content = Content::Unknown;
                }
            }
            program if HARMLESS.contains(&program) || program.starts_with("docker-php-ext-") => {
                let homes = stage.users.len() > 1 || program.contains("user");
                if homes && is_under(path, "/home") {
                    seen.disturb();
                }
            }
            _ => seen.disturb(),
        }
    }

    /// `mv` and `cp`: what was at one path is at another.
    fn moved(
        &mut self,
        stage: usize,
        index: usize,
        command: &Command,
        path: &str,
        owner: Option<&Owner>,
        seen: &mut Seen,
    ) {
        let dir = command.dir.as_deref();
        let mut words: Vec<&str> = paths(command, &["-t", "-S"], 0).collect();
        let Some(last) = words.pop() else { return };
        let Some(to) = join(dir, last) else { return seen.disturb() };
        let into = last.ends_with('/') || words.len() > 1;
        let moves = command.program() == "mv";
        for word in words {
            let contents = word.ends_with("/.") || word.ends_with("/*");
            let Some(from) = join(dir, word.trim_end_matches('*')) else {
                seen.disturb();
                continue;
            };
            if moves && is_under(path, &from) && (!contents || path != from) {
                seen.remove();
                continue;
            }
            let name = from.rsplit('/').next().unwrap_or_default();
            let inside = if to == "/" { format!("/{name}") } else { format!("{to}/{name}") };
            // Onto the path itself: below it, should the directory be there already.
            let landing = if contents {
                below(path, &to)
            } else if is_under(path, &inside) && (into || path == inside) {
                below(path, &inside)
            } else if !into && to == path && seen.exists == Some(false) {
                Some("")
            } else {
                if is_under(path, &to) || is_under(&to, path) {
                    seen.disturb();
                }
                continue;
            };
            let Some(rest) = landing else { continue };
            let there = if rest.is_empty() { from } else { format!("{from}/{rest}") };
            let other = self.at(stage, &there, index);
            let line = owner.map_or(0, |o| o.line);
            let by = owner.as_ref().map_or_else(String::new, |o| o.by.clone());
            let keeps = moves || command.has_flag(&['a', 'p'], "--archive");
            let owner = if keeps { other.owner.clone() } else { owner.cloned() };
            brought(seen, &other, &by, line, owner.as_ref());
        }
    }
}

/// `composer dump-autoload` behind an install that left nothing out but the autoloader.
fn loads_all(run: &Run, seen: &Seen) -> bool {
    let dumps = |word: &String| matches!(word.as_str(), "dump-autoload" | "dumpautoload");
    let Content::Partial { by, .. } = &seen.content else { return false };
    let lean = seen.lean || run.env.contains_key("COMPOSER_NO_DEV") || by.contains("--no-dev");
    let words = &run.command.words;
    let whole = words.iter().all(|word| word != "--no-dev" && word != "--dry-run");
    words.iter().any(dumps) && whole && by.contains("--no-autoloader") && !by.contains('…') && !lean
}

/// `bundle config set without development`, `npm config set omit dev`.
fn configures_less(command: &Command) -> bool {
    let has = |names: &[&str]| command.words.iter().any(|word| names.contains(&word.as_str()));
    has(&["config"]) && has(&["without", "omit", "production", "only", "deployment"])
}

/// Arguments that are no flags and no values of the given flags, without the first few.
fn paths<'c>(
    command: &'c Command,
    valued: &'c [&str],
    skip: usize,
) -> impl Iterator<Item = &'c str> {
    let words = command.words.iter().map(String::as_str);
    let before = command.words.iter().map(String::as_str);
    let pairs = before.zip(words.skip(1));
    let plain = pairs.filter(|(before, word)| !word.starts_with('-') && !valued.contains(before));
    plain.map(|(_, word)| word).skip(skip)
}

/// `install -d -o user dir`.
fn install(command: &Command, path: &str, owner: Option<&Owner>, seen: &mut Seen) {
    let dir = command.dir.as_deref();
    let value = |names: [&str; 2]| {
        let at = command.words.iter().position(|word| names.contains(&word.as_str()))?;
        command.words.get(at + 1).cloned()
    };
    let named = value(["-o", "--owner"]).or_else(|| {
        command.words.iter().find_map(|word| word.strip_prefix("--owner=")).map(str::to_owned)
    });
    let valued = ["-o", "--owner", "-g", "--group", "-m", "--mode"];
    for target in paths(command, &valued, 0).filter_map(|p| join(dir, p)) {
        if target == path {
            seen.create(owner.cloned());
            if let Some(name) = &named {
                seen.owner = owner.map(|own| Owner { name: name.clone(), ..own.clone() });
            }
        } else if is_under(&target, path) {
            seen.create(owner.cloned());
        }
    }
}

fn removed(command: &Command, path: &str, seen: &mut Seen) {
    if !command.has_flag(&['r', 'R'], "--recursive") {
        return;
    }
    for word in paths(command, &[], 0) {
        let clean = word.trim_end_matches(['*', '/']);
        let all = word.ends_with("/*") || word == "*";
        let clean = if all && clean.is_empty() && !word.starts_with('/') { "." } else { clean };
        let Some(top) = join(command.dir.as_deref(), if clean.is_empty() { "/" } else { clean })
        else {
            seen.forget();
            continue;
        };
        if top.contains(['*', '?', '[', '{']) {
            let fixed = top.split(['*', '?', '[', '{']).next().unwrap_or_default();
            if path.starts_with(fixed) {
                seen.forget();
            }
        } else if all && top == path {
            seen.content = Content::Absent;
            seen.inner = None;
        } else if is_under(path, &top) && (!all || !path.contains("/.")) {
            seen.remove();
        } else if is_under(path, &top) {
            seen.forget();
        }
    }
}

fn owned(command: &Command, path: &str, by: Option<&Owner>, seen: &mut Seen) {
    let all = command.has_flag(&['R'], "--recursive");
    let mut words = paths(command, &[], 0);
    let Some(name) = words.next().map(|owner| owner.split(':').next().unwrap_or_default()) else {
        return;
    };
    if name.is_empty() || command.words.iter().any(|word| word.starts_with("--reference")) {
        return;
    }
    let name = (!name.contains(UNKNOWN)).then(|| name.to_owned());
    for word in words {
        let Some(top) = join(command.dir.as_deref(), word) else {
            seen.owner = None;
            continue;
        };
        if top.contains(['*', '?', '{']) {
            let fixed = top.split(['*', '?', '{']).next().unwrap_or_default();
            if path.starts_with(fixed.trim_end_matches('/')) {
                seen.owner = None;
            }
            continue;
        }
        if (top != path && !(all && is_under(path, &top))) || seen.exists == Some(false) {
            continue;
        }
        seen.owner = name.clone().zip(by).map(|(name, by)| Owner { name, ..by.clone() });
        if all {
            seen.inner = None;
        } else if !matches!(seen.content, Content::Absent) && seen.inner.is_none() {
            // What is in it still belongs to whoever it belonged to.
            seen.inner = Some(String::new());
        }
    }
}

fn opened(command: &Command, path: &str, seen: &mut Seen) {
    let mut words = paths(command, &[], 0);
    let Some(mode) = words.next() else { return };
    let digit = mode.chars().last().and_then(|c| c.to_digit(8));
    let everybody = match digit {
        Some(digit) => digit & 2 != 0,
        None => mode.split(',').any(|part| {
            let (who, what) = part.split_once(['+', '=']).unwrap_or((part, ""));
            (who.contains(['a', 'o'])) && what.contains('w')
        }),
    };
    let all = command.has_flag(&['R'], "--recursive");
    for top in words.filter_map(|word| join(command.dir.as_deref(), word)) {
        if top == path || all && is_under(path, &top) {
            seen.open = everybody && seen.exists != Some(false) && (all || seen.inner.is_none());
        }
    }
}

/// `find … -delete`, `find … -exec rm`, `git clean`.
fn takes_away(command: &Command) -> bool {
    command
        .words
        .iter()
        .any(|word| matches!(word.as_str(), "-delete" | "rm" | "clean" | "distclean"))
}
