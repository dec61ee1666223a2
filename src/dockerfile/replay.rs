//! What became of one path of an image, instruction by instruction.

use super::copy::Landing;
use super::install::{Fill, fill, root_of};
use super::stage::{Copy, Effect, Event, From, Run, Stage, shortened};
use super::{Content, Image};
use crate::compose::is_under;
use crate::rules::TreeKind;

/// Stages and copies that a question may go through.
const MAX_DEPTH: usize = 40;
/// Events that a question may look at.
const MAX_EVENTS: usize = 100_000;

/// What is known about a path at some moment of the build.
#[expect(clippy::struct_excessive_bools, reason = "independent facts, no states")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) content: Content,
    /// Whether a directory is there; none when not known.
    pub(super) exists: Option<bool>,
    /// Whose it is, with the instruction that made it so; none when not known.
    pub(super) owner: Option<Owner>,
    /// Who wrote what is in it, where that is another user than the owner.
    pub(super) inner: Option<String>,
    /// Everybody may write to it.
    pub(super) open: bool,
    /// Something was brought to the directory of its manifest.
    pub(super) manifest: bool,
    /// A package manager was told to leave packages out.
    pub(super) lean: bool,
    /// It lies in a declared volume: some builders drop what is written there later.
    pub(super) volume: bool,
}

/// An owner and what made it so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) by: String,
}

impl Seen {
    fn unknown() -> Self {
        Self {
            content: Content::Unknown,
            exists: None,
            owner: None,
            inner: None,
            open: false,
            manifest: false,
            lean: false,
            volume: false,
        }
    }

    fn nothing() -> Self {
        Self { content: Content::Absent, exists: Some(false), ..Self::unknown() }
    }

    /// What can be said when it is one of both.
    fn or(self, other: &Self) -> Self {
        let same = self.content == other.content;
        Self {
            content: if same { self.content } else { Content::Unknown },
            exists: self.exists.filter(|_| self.exists == other.exists),
            owner: self
                .owner
                .filter(|own| other.owner.as_ref().is_some_and(|o| o.name == own.name)),
            inner: self.inner.or_else(|| other.inner.clone()),
            open: self.open && other.open,
            manifest: self.manifest && other.manifest,
            lean: self.lean || other.lean,
            volume: self.volume || other.volume,
        }
    }

    /// Something may have been put there.
    pub(super) fn disturb(&mut self) {
        if matches!(self.content, Content::Absent | Content::Created { .. }) {
            self.content = Content::Unknown;
        }
        if self.exists == Some(false) {
            self.exists = None;
        }
    }

    /// Something may have been put there or taken away.
    pub(super) fn forget(&mut self) {
        self.content = Content::Unknown;
        self.exists = None;
        self.owner = None;
    }

    pub(super) fn remove(&mut self) {
        let Self { manifest, lean, volume, .. } = *self;
        *self = Self { manifest, lean, volume, ..Self::nothing() };
    }

    /// Makes the directory if it is not there.
    pub(super) fn create(&mut self, owner: Option<Owner>) {
        match self.exists {
            Some(true) => {}
            Some(false) => self.owner = owner,
            None => {
                let same =
                    self.owner.as_ref().zip(owner.as_ref()).is_some_and(|(a, b)| a.name == b.name);
                if !same {
                    self.owner = None;
                }
            }
        }
        self.exists = Some(true);
    }

    /// Puts files into it.
    pub(super) fn put(&mut self, content: Content, owner: Option<&Owner>) {
        let full = matches!(self.content, Content::Filled { .. });
        if !full || matches!(content, Content::Filled { .. }) {
            self.content = if self.volume { Content::Unknown } else { content };
        }
        if owner.map(|o| &o.name) != self.owner.as_ref().map(|o| &o.name) {
            self.inner = Some(owner.map_or_else(String::new, |o| o.name.clone()));
        }
    }
}

/// Answers questions about the paths of an image.
pub(super) struct Replay<'a> {
    pub(super) image: &'a Image,
    pub(super) kind: Option<&'a TreeKind>,
    left: usize,
    depth: usize,
}

impl<'a> Replay<'a> {
    pub(super) fn new(image: &'a Image, kind: Option<&'a TreeKind>) -> Self {
        Self { image, kind, left: MAX_EVENTS, depth: 0 }
    }

    /// What is known of `path` before the event number `until` of a stage.
    pub(super) fn at(&mut self, stage: usize, path: &str, until: usize) -> Seen {
        let Some(own) = self.image.stages.get(stage) else { return Seen::unknown() };
        if self.depth >= MAX_DEPTH {
            return Seen::unknown();
        }
        self.depth += 1;
        let mut seen = match &own.from {
            From::Stage(before) => self.at(*before, path, usize::MAX),
            From::Image(name) => self.base(name, path),
            From::Unknown => Seen::unknown(),
        };
        for (index, event) in own.events.iter().take(until).enumerate() {
            if self.left == 0 {
                seen = Seen::unknown();
                break;
            }
            self.left -= 1;
            self.event(own, stage, index, event, path, &mut seen);
        }
        self.depth -= 1;
        seen
    }

    fn base(&self, image: &str, path: &str) -> Seen {
        if image == "scratch" {
            return Seen::nothing();
        }
        let Some(base) = self.image.bases.get(image) else { return Seen::unknown() };
        let within = |tops: &[String]| tops.iter().any(|top| is_under(path, top));
        if within(&base.lacks) || within(&base.empty) && !base.empty.iter().any(|top| top == path) {
            Seen::nothing()
        } else if within(&base.empty) {
            Seen { exists: None, ..Seen::nothing() }
        } else {
            Seen::unknown()
        }
    }

    fn event(
        &mut self,
        stage: &Stage,
        number: usize,
        index: usize,
        event: &Event,
        path: &str,
        seen: &mut Seen,
    ) {
        let owner = |by: String| {
            let name = event.user.clone()?;
            Some(Owner { name, line: event.line, by })
        };
        match &event.effect {
            Effect::Directory(dir) if is_under(dir, path) => {
                seen.create(owner(format!("WORKDIR {dir}")));
            }
            Effect::Directory(_) => {}
            Effect::Volume(top) => seen.volume |= is_under(path, top),
            Effect::Lost => seen.forget(),
            Effect::Copy(copy) => self.copied(copy, event.line, path, seen),
            Effect::Run(run) => {
                if run.mounts.iter().any(|mount| is_under(path, mount)) {
                    return;
                }
                let mut after = seen.clone();
                self.ran(stage, number, index, event, run, path, &mut after);
                *seen = if run.command.sure { after } else { after.or(seen) };
            }
        }
    }

    fn copied(&mut self, copy: &Copy, line: usize, path: &str, seen: &mut Seen) {
        if let Some(kind) = self.kind {
            let root = root_of(path, kind);
            let parent = copy.to.rsplit_once('/').map_or("", |(parent, _)| parent);
            let beside = !copy.into && (parent == root || parent.is_empty() && root == "/");
            seen.manifest |= is_under(&root, &copy.to) || beside;
        }
        for landing in copy.landings(path, &self.image.context) {
            let name = copy.owner.as_deref().and_then(|o| o.split(':').next()).unwrap_or("root");
            let owner = Owner { name: name.to_owned(), line, by: copy.text.clone() };
            let fixed = copy.owner.is_some() || copy.from.is_none();
            let filled = Content::Filled { by: copy.text.clone(), line };
            match landing {
                Landing::Below => {
                    seen.create(Some(owner.clone()));
                    let made = Content::Created { by: copy.text.clone(), line };
                    if matches!(seen.content, Content::Absent) {
                        seen.put(made, Some(&owner));
                    }
                }
                Landing::Tree => {
                    let differs = seen.exists != Some(false)
                        && seen.owner.as_ref().is_none_or(|o| o.name != owner.name);
                    seen.create(Some(owner.clone()));
                    seen.put(filled, Some(&owner));
                    if differs {
                        seen.owner = None;
                    }
                }
                Landing::Maybe => {
                    seen.disturb();
                    if seen.owner.as_ref().is_some_and(|o| o.name != owner.name) {
                        seen.owner = None;
                    } else if seen.exists.is_none() && seen.owner.is_none() {
                        seen.owner = Some(owner);
                    }
                }
                Landing::Other(From::Stage(stage), there) => {
                    let other = self.at(stage, &there, usize::MAX);
                    let owner = if fixed {
                        Some(owner)
                    } else {
                        // Builders differ in whether the owner comes along, unless it is root.
                        other
                            .owner
                            .clone()
                            .filter(|o| o.name == "root" || o.name == "0")
                            .map(|_| owner)
                    };
                    brought(seen, &other, &copy.text, line, owner.as_ref());
                }
                Landing::Other(..) => {
                    seen.disturb();
                    seen.owner = None;
                }
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the moment of the build and what is known")]
    fn ran(
        &mut self,
        stage: &Stage,
        number: usize,
        index: usize,
        event: &Event,
        run: &Run,
        path: &str,
        seen: &mut Seen,
    ) {
        let user = run.command.user.clone().or_else(|| event.user.clone());
        let by = shortened(&format!("RUN {}", run.command.words.join(" ")));
        let owner = user.map(|name| Owner { name, line: event.line, by: by.clone() });
        if let Some(kind) = self.kind
            && let Some(fill) = fill(run, kind, path)
        {
            let root = root_of(path, kind);
            let manifest = seen.manifest || run.mounts.iter().any(|m| is_under(m, &root));
            let content = match fill {
                Fill::Elsewhere => return,
                Fill::All if manifest && !seen.lean => Content::Filled { by, line: event.line },
                Fill::All | Fill::Part if manifest => Content::Partial { by, line: event.line },
                _ => return seen.disturb(),
            };
            seen.create(owner.clone());
            seen.put(content, owner.as_ref());
            return;
        }
        self.shell(stage, number, index, run, path, owner, seen);
    }
}

/// Files of another place of the build arrive.
pub(super) fn brought(seen: &mut Seen, other: &Seen, by: &str, line: usize, owner: Option<&Owner>) {
    let by = by.to_owned();
    match &other.content {
        Content::Absent if other.exists == Some(false) => return,
        Content::Unknown => {
            seen.disturb();
            seen.owner = None;
            return;
        }
        _ => {}
    }
    let differs = seen.exists != Some(false)
        && seen.owner.as_ref().map(|o| &o.name) != owner.map(|o| &o.name);
    seen.create(owner.cloned());
    if differs {
        seen.owner = None;
    }
    match &other.content {
        Content::Filled { .. } => seen.put(Content::Filled { by, line }, owner),
        Content::Partial { .. } => seen.put(Content::Partial { by, line }, owner),
        Content::Created { .. } if seen.content == Content::Absent => {
            seen.put(Content::Created { by, line }, owner);
        }
        _ => {}
    }
    if other.inner.is_some() && owner.is_none() {
        seen.inner.clone_from(&other.inner);
    }
}
