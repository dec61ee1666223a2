//! Stages of a Dockerfile: what is set in each, and what happened to its files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::lex::{Instruction, Text};
use super::shell::{Command, join};
use super::words::{UNKNOWN, Variable, expand, json, list, split};
use crate::compose::Build;
use crate::rules::Rules;

/// Stages that a file may have.
const MAX_STAGES: usize = 200;

/// What a stage starts from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum From {
    /// An earlier stage.
    Stage(usize),
    /// An image.
    Image(String),
    /// A name that is not known here.
    Unknown,
}

/// Variables with their values; none for one that is not known.
pub(super) type Env = BTreeMap<String, Option<String>>;

/// One stage, once all of it has run.
#[derive(Debug, Clone)]
pub(super) struct Stage {
    name: Option<String>,
    pub(super) from: From,
    /// What it does itself, in order.
    pub(super) events: Vec<Event>,
    pub(super) env: Arc<Env>,
    args: Env,
    /// None when not known.
    pub(super) workdir: Option<String>,
    /// None for what the base image says, which is not known.
    pub(super) user: Option<String>,
    pub(super) volumes: BTreeSet<String>,
    pub(super) entrypoint: Option<Vec<String>>,
    pub(super) cmd: Option<Vec<String>>,
    /// Users with their ids, as far as the file or the base image tells.
    pub(super) users: BTreeMap<String, u32>,
}

/// Something that happens to files.
#[derive(Debug, Clone)]
pub(super) struct Event {
    pub(super) line: usize,
    /// The user in effect; none when not known.
    pub(super) user: Option<String>,
    pub(super) effect: Effect,
}

/// What happens.
#[derive(Debug, Clone)]
pub(super) enum Effect {
    /// A directory is made with those above it.
    Directory(String),
    /// A volume is declared.
    Volume(String),
    /// Files are brought in.
    Copy(Copy),
    /// A command runs.
    Run(Run),
    /// An instruction that could not be read may have done anything.
    Lost,
}

/// A `COPY` or `ADD`.
#[derive(Debug, Clone)]
pub(super) struct Copy {
    /// None for the context.
    pub(super) from: Option<From>,
    pub(super) sources: Vec<String>,
    /// Names of files that are written in the Dockerfile itself.
    pub(super) documents: Vec<String>,
    /// Absolute.
    pub(super) to: String,
    /// It ends in a slash, or there are several sources.
    pub(super) into: bool,
    pub(super) owner: Option<String>,
    /// Archives are unpacked, addresses fetched, or only some files taken.
    pub(super) odd: bool,
    /// For people.
    pub(super) text: String,
}

/// A command of a `RUN`.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) command: Command,
    pub(super) env: Arc<Env>,
    /// Targets of `--mount`: what is written there does not stay.
    pub(super) mounts: Vec<String>,
}

/// Reads all stages.
///
/// # Errors
/// What no builder would take.
pub(super) fn stages(text: &Text, build: &Build, rules: &Rules) -> Result<Vec<Stage>, String> {
    let mut reader = Reader { text, build, rules, global: Env::new(), stages: Vec::new() };
    for instruction in &text.instructions {
        reader.instruction(instruction)?;
    }
    if reader.stages.is_empty() {
        return Err("it has no `FROM`".to_owned());
    }
    Ok(reader.stages)
}

/// The stage that is built.
///
/// # Errors
/// When there is none of that name.
pub(super) fn target(stages: &[Stage], build: &Build) -> Result<usize, String> {
    let Some(target) = &build.target else { return Ok(stages.len().saturating_sub(1)) };
    find(stages, target).ok_or_else(|| format!("it has no stage `{target}`"))
}

fn find(stages: &[Stage], name: &str) -> Option<usize> {
    let named = |stage: &Stage| stage.name.as_deref().is_some_and(|n| n.eq_ignore_ascii_case(name));
    let number = || name.parse().ok().filter(|number| *number < stages.len());
    stages.iter().rposition(named).or_else(number)
}

pub(super) struct Reader<'a> {
    pub(super) text: &'a Text,
    build: &'a Build,
    rules: &'a Rules,
    /// `ARG` before the first `FROM`.
    global: Env,
    pub(super) stages: Vec<Stage>,
}

fn lookup(env: &Env, name: &str) -> Variable {
    match env.get(name) {
        Some(Some(value)) => Variable::Set(value.clone()),
        Some(None) => Variable::Unknown,
        None => Variable::Unset,
    }
}

pub(super) fn known(text: String) -> Option<String> {
    (!text.contains(UNKNOWN)).then_some(text)
}

impl Reader<'_> {
    fn instruction(&mut self, instruction: &Instruction) -> Result<(), String> {
        match instruction.name.as_str() {
            "FROM" => return self.from(instruction),
            "ARG" => {
                self.arg(instruction);
                return Ok(());
            }
            _ => {}
        }
        let escape = self.text.escape;
        let rest = instruction.rest.as_str();
        let Some(stage) = self.stages.last() else {
            return Err(format!("line {}: an instruction before `FROM`", instruction.line));
        };
        match instruction.name.as_str() {
            "COPY" | "ADD" => {
                let effect = self.copy(instruction).map_or(Effect::Lost, Effect::Copy);
                self.push(instruction.line, effect);
            }
            "RUN" => self.run(instruction),
            "ENV" => self.env(rest),
            "WORKDIR" => {
                let path = self.filled(rest);
                let to = join(stage.workdir.as_deref(), &path);
                self.push(instruction.line, to.clone().map_or(Effect::Lost, Effect::Directory));
                self.change(|stage| stage.workdir = to);
            }
            "USER" => {
                let user = known(self.filled(rest))
                    .map(|user| user.split(':').next().unwrap_or_default().to_owned());
                self.change(|stage| stage.user = user);
            }
            "VOLUME" => {
                for path in list(rest, escape) {
                    let Some(path) = join(Some("/"), &self.filled(&path)) else { continue };
                    self.push(instruction.line, Effect::Volume(path.clone()));
                    self.change(|stage| stage.volumes.extend([path]));
                }
            }
            "ENTRYPOINT" => {
                let words = self.command(rest);
                self.change(|stage| {
                    stage.entrypoint = Some(words);
                    stage.cmd = None;
                });
            }
            "CMD" => {
                let words = self.command(rest);
                self.change(|stage| stage.cmd = Some(words));
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn change(&mut self, change: impl FnOnce(&mut Stage)) {
        if let Some(stage) = self.stages.last_mut() {
            change(stage);
        }
    }

    pub(super) fn push(&mut self, line: usize, effect: Effect) {
        self.change(|stage| {
            let user = stage.user.clone();
            stage.events.push(Event { line, user, effect });
        });
    }

    /// A name's value in the last stage: `ENV` wins over `ARG`.
    pub(super) fn value(&self, name: &str) -> Variable {
        let Some(stage) = self.stages.last() else { return lookup(&self.global, name) };
        match lookup(&stage.env, name) {
            Variable::Unset => lookup(&stage.args, name),
            found => found,
        }
    }

    pub(super) fn filled(&self, word: &str) -> String {
        expand(word, self.text.escape, &|name| self.value(name))
    }

    /// A command as words; a shell line is split at blanks.
    fn command(&self, rest: &str) -> Vec<String> {
        let escape = self.text.escape;
        let plain = |word: &String| expand(word, escape, &|name| Variable::Set(format!("${name}")));
        json(rest).unwrap_or_else(|| split(rest, escape).iter().map(plain).collect())
    }

    fn from(&mut self, instruction: &Instruction) -> Result<(), String> {
        if self.stages.len() >= MAX_STAGES {
            return Err(format!("it has more than {MAX_STAGES} stages"));
        }
        let words = split(&instruction.rest, self.text.escape);
        let mut words = words.iter();
        let image =
            words.next().ok_or_else(|| format!("line {}: `FROM` what?", instruction.line))?;
        let name = words.next().filter(|word| word.eq_ignore_ascii_case("as")).and(words.next());
        let image = known(expand(image, self.text.escape, &|n| lookup(&self.global, n)));
        let from = match image {
            Some(image) => self.origin(&image),
            None => From::Unknown,
        };
        let mut stage = self.start(&from);
        stage.name = name.cloned();
        self.stages.push(stage);
        Ok(())
    }

    /// What a name behind `FROM` or `--from` stands for.
    pub(super) fn origin(&self, name: &str) -> From {
        if self.build.additional_contexts.contains(name) {
            return From::Unknown;
        }
        match find(&self.stages, name) {
            Some(stage) => From::Stage(stage),
            None => From::Image(name.to_owned()),
        }
    }

    fn start(&self, from: &From) -> Stage {
        if let From::Stage(stage) = from
            && let Some(stage) = self.stages.get(*stage)
        {
            let (events, args, env) = (Vec::new(), stage.args.clone(), Arc::clone(&stage.env));
            let (workdir, user) = (stage.workdir.clone(), stage.user.clone());
            let (entrypoint, cmd) = (stage.entrypoint.clone(), stage.cmd.clone());
            let (volumes, users) = (stage.volumes.clone(), stage.users.clone());
            let from = from.clone();
            return Stage {
                name: None,
                from,
                events,
                env,
                args,
                workdir,
                user,
                volumes,
                entrypoint,
                cmd,
                users,
            };
        }
        let mut stage = Stage {
            name: None,
            from: from.clone(),
            events: Vec::new(),
            env: Arc::default(),
            args: Env::new(),
            workdir: None,
            user: None,
            volumes: BTreeSet::new(),
            entrypoint: None,
            cmd: None,
            users: BTreeMap::from([("root".to_owned(), 0)]),
        };
        let From::Image(image) = from else { return stage };
        if image == "scratch" {
            stage.workdir = Some("/".to_owned());
            stage.user = Some("root".to_owned());
        } else if let Some(base) = self.rules.base_for(image) {
            stage.workdir.clone_from(&base.workdir);
            stage.user = Some(base.user.clone());
            stage.users.extend(base.users.iter().map(|(name, id)| (name.clone(), *id)));
        }
        stage
    }

    fn arg(&mut self, instruction: &Instruction) {
        for word in split(&instruction.rest, self.text.escape) {
            let (name, default) = match word.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(self.filled(value))),
                None => (word, None),
            };
            let global = self.global.get(&name).cloned();
            let value = match (self.build.args.get(&name), default) {
                (Some(given), _) => Some(given.clone()),
                (None, Some(default)) => Some(known(default)),
                // Inside a stage a bare `ARG` takes the value from before the first `FROM`.
                (None, None) => global.filter(|_| !self.stages.is_empty()),
            };
            let Some(value) = value else { continue };
            match self.stages.last_mut() {
                Some(stage) => drop(stage.args.insert(name, value)),
                None => drop(self.global.insert(name, value)),
            }
        }
    }

    fn env(&mut self, rest: &str) {
        let words = split(rest, self.text.escape);
        let pairs: Vec<(String, String)> = match words.first() {
            // The old form: one name, the rest of the line is its value.
            Some(first) if !first.contains('=') => {
                let value = rest.trim_start().strip_prefix(first.as_str()).unwrap_or_default();
                vec![(first.clone(), self.filled(value.trim()))]
            }
            _ => {
                let pairs = words.iter().filter_map(|word| word.split_once('='));
                pairs.map(|(name, value)| (name.to_owned(), self.filled(value))).collect()
            }
        };
        self.change(|stage| {
            Arc::make_mut(&mut stage.env).extend(pairs.into_iter().map(|(k, v)| (k, known(v))));
        });
    }
}

/// Text for people: one line, not too long, nothing unknown in it.
pub(super) fn shortened(text: &str) -> String {
    const LENGTH: usize = 80;
    let clean = text.replace(UNKNOWN, "…");
    let clean = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    if clean.chars().count() <= LENGTH {
        return clean;
    }
    let mut short: String = clean.chars().take(LENGTH).collect();
    short.push('…');
    short
}
