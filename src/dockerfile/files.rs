//! The instructions that change files.

use std::sync::Arc;

use super::lex::{HereDocument, Instruction, here_document};
use super::shell::{Command, commands, join};
use super::stage::{Copy, Effect, From, Reader, Run, known, shortened};
use super::words::{UNKNOWN, Variable, json, list};

impl Reader<'_> {
    /// A `COPY` or `ADD`; none when it cannot be told where it copies to.
    pub(super) fn copy(&self, instruction: &Instruction) -> Option<Copy> {
        let stage = self.stages.last()?;
        let from = instruction
            .flag("from")
            .map(|name| known(self.filled(name)).map_or(From::Unknown, |n| self.origin(&n)));
        let words = list(&instruction.rest, self.text.escape);
        let mut words: Vec<String> = words.iter().map(|word| self.filled(word)).collect();
        let to = words.pop()?;
        let is_document = |word: &String| here_document(word).is_some();
        let names = instruction.documents.iter().map(|d: &HereDocument| d.name.clone());
        let documents: Vec<String> = names.collect();
        let sources: Vec<String> = words.into_iter().filter(|word| !is_document(word)).collect();
        let into = to.ends_with('/')
            || matches!(to.as_str(), "." | "..")
            || to.ends_with("/.")
            || sources.len() + documents.len() > 1;
        let unpacks = |source: &String| {
            let archive = [".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2", ".tbz2", ".txz"];
            source.contains("://")
                || source.starts_with("git@")
                || archive.iter().any(|end| source.ends_with(end))
        };
        let odd = instruction.flags.iter().any(|(key, _)| key == "parents" || key == "exclude")
            || sources.iter().any(|source| source.contains(UNKNOWN))
            || instruction.name == "ADD" && sources.iter().any(unpacks);
        let owner = instruction.flag("chown").map(|owner| self.filled(owner));
        Some(Copy {
            from,
            documents,
            to: join(stage.workdir.as_deref(), &to)?,
            into,
            owner,
            odd,
            text: shortened(&format!("{} {}", instruction.name, shown(instruction))),
            sources,
        })
    }

    /// A `RUN`, command by command.
    pub(super) fn run(&mut self, instruction: &Instruction) {
        let Some(stage) = self.stages.last() else { return };
        let mounts = instruction.all_flags("mount").filter_map(|mount| {
            let part = |names: [&str; 3]| {
                mount
                    .split(',')
                    .filter_map(|part| part.split_once('='))
                    .find_map(|(k, v)| names.contains(&k).then(|| v.trim_matches('"').to_owned()))
            };
            let writes = !matches!(part(["type"; 3]).as_deref(), Some("secret" | "ssh"));
            let target = part(["target", "dst", "destination"]).filter(|_| writes)?;
            join(stage.workdir.as_deref(), &self.filled(&target))
        });
        let mounts: Vec<String> = mounts.collect();
        let value = |name: &str| self.value(name);
        let dir = stage.workdir.as_deref();
        let words = json(&instruction.rest);
        let script = match instruction.documents.first() {
            Some(document) if reads_script(&instruction.rest) => document.text.as_str(),
            _ => instruction.rest.as_str(),
        };
        let commands = match words {
            Some(words) => commands(&quoted(&words), dir, &|_| Variable::Unknown),
            None => commands(script, dir, &value),
        };
        let env = Arc::clone(&stage.env);
        for command in commands {
            let (env, mounts) = (Arc::clone(&env), mounts.clone());
            if let Some((name, id)) = new_user(&command) {
                self.change(|stage| stage.users.extend([(name, id)]));
            }
            self.push(instruction.line, Effect::Run(Run { command, env, mounts }));
        }
    }
}

/// True when the here-document is the script itself: `RUN <<EOF`, `RUN bash -e <<EOF`.
fn reads_script(rest: &str) -> bool {
    let before = rest.split("<<").next().unwrap_or_default();
    let mut words = before.split_whitespace();
    let shell = words.next().is_none_or(|word| {
        ["sh", "bash", "ash", "dash"].contains(&word.rsplit('/').next().unwrap_or_default())
    });
    shell && words.all(|word| word.starts_with('-'))
}

/// Words as a shell would need them.
fn quoted(words: &[String]) -> String {
    let quoted = |word: &String| format!("'{}'", word.replace('\'', "'\\''"));
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// A user that a command creates or renumbers, with its id.
fn new_user(command: &Command) -> Option<(String, u32)> {
    if !matches!(command.program(), "useradd" | "adduser" | "usermod") || !command.sure {
        return None;
    }
    let mut id = None;
    let mut words = command.words.iter().skip(1);
    let mut name = None;
    while let Some(word) = words.next() {
        let number = word.strip_prefix("--uid=").map(str::to_owned);
        if number.is_some() {
            id = number;
        } else if matches!(word.as_str(), "-u" | "--uid" | "-ou" | "-Du") {
            id = words.next().cloned();
        } else if !word.starts_with('-') {
            name = Some(word.clone());
        }
    }
    // `adduser -D app wheel` names a group last; only the plain form is read.
    Some((name.filter(|n| !n.contains(UNKNOWN))?, id?.parse().ok()?))
}

fn shown(instruction: &Instruction) -> String {
    let from = instruction.flag("from").map(|from| format!("--from={from} ")).unwrap_or_default();
    format!("{from}{}", instruction.rest)
}
