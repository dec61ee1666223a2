//! What the image that a service builds holds, read from the project's own files.
//!
//! Evidence for repairs: whether a volume over a tree is filled from the image, who may write to
//! it, whether the code is in the image at all. Nothing is built or fetched. An answer other than
//! "unknown" holds for every build of these files; what depends on a condition, on the machine that
//! builds or on an image that is not described in `rules/images` is unknown. `ONBUILD` of a base
//! image is not seen.
//!
//! `lex` takes the text apart, `stage` follows variables, users and directories through the stages,
//! `replay` follows one path through what the stages do. Paths are cleaned container paths.

mod context;
mod copy;
mod effects;
mod files;
mod ignore;
mod images;
mod install;
mod lex;
mod replay;
mod shell;
mod source;
mod stage;
mod tokens;
mod words;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::compose::is_under;
use crate::rules::{Base, TreeKind};
use context::Context;
use replay::{Replay, Seen};
use stage::{From, Stage};

pub use images::Images;

/// An image that a service builds.
#[derive(Debug)]
pub struct Image {
    /// The Dockerfile; none for one that stands in the Compose file.
    pub file: Option<PathBuf>,
    stages: Vec<Stage>,
    /// The stage that is built.
    target: usize,
    context: Context,
    /// See [`Images::lasting`].
    lasting: Vec<(String, String)>,
    /// What is known of base images, by name.
    bases: BTreeMap<String, Base>,
}

/// What an image holds at a path. Lines count from 1 in the Dockerfile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// All that belongs there.
    Filled {
        /// The instruction that brings it, for people: `RUN composer install`.
        by: String,
        /// Its line.
        line: usize,
    },
    /// A part of it: packages for production only, an environment without packages.
    Partial {
        /// The instruction that brings it.
        by: String,
        /// Its line.
        line: usize,
    },
    /// Something, which need not be what belongs there.
    Created {
        /// The instruction that brings it.
        by: String,
        /// Its line.
        line: usize,
    },
    /// Nothing: the path is missing, or an empty directory.
    Absent,
    /// The files do not tell.
    Unknown,
}

/// Who runs in a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum User {
    /// User 0, who may write everywhere.
    Root,
    /// Another user.
    Named {
        /// Its name, or its number as text.
        name: String,
        /// Its number.
        uid: Option<u32>,
    },
    /// The files do not tell.
    Unknown,
}

/// Whether a user may write to a new volume at a path, which takes owner and content from the image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// It may.
    Yes {
        /// What makes it so.
        why: String,
    },
    /// It may not.
    No {
        /// What makes it so.
        why: String,
    },
    /// The files do not tell.
    Unknown,
}

impl Image {
    /// What the image holds at `path`, where a tree of this kind belongs.
    ///
    /// Filled when a command that surely runs is one of the kind's installers, works in the
    /// directory of the tree's manifest once something was copied there, and installs all of it, or
    /// when a `COPY` brings the tree by its own name; and when nothing later takes it away. A tree
    /// that comes along with `COPY . .` is unknown: another checkout does not have it.
    pub fn content(&self, path: &str, kind: &TreeKind) -> Content {
        self.seen(path, Some(kind)).content
    }

    /// Whether the image holds the host's directory `source` at `target`, as a bind mount would
    /// show it: filled when a `COPY` from the context brings it, created for a part of it.
    pub fn holds_source(&self, target: &str, source: &Path) -> Content {
        source::holds(self, target, source)
    }

    /// Whether `user` may write to a new volume at `path`. `kind` is the tree that belongs there.
    pub fn writable(&self, path: &str, kind: Option<&TreeKind>, user: &User) -> Access {
        let seen = self.seen(path, kind);
        let name = match user {
            User::Root => return Access::Yes { why: "root may write everywhere".to_owned() },
            User::Unknown => return Access::Unknown,
            User::Named { name, .. } => name,
        };
        if seen.exists == Some(false) {
            let why = format!("the image lacks {path}, so a new volume there belongs to root");
            return Access::No { why };
        }
        if seen.exists.is_none() {
            return Access::Unknown;
        }
        if seen.open {
            return Access::Yes { why: format!("everybody may write to {path}") };
        }
        let Some(owner) = seen.owner else { return Access::Unknown };
        match self.same_user(&owner.name, user) {
            Some(true)
                if seen.inner.as_ref().is_some_and(|i| self.same_user(i, user) != Some(true)) =>
            {
                Access::Unknown
            }
            Some(true) => Access::Yes {
                why: format!("`{}` (line {}) gives {path} to {name}", owner.by, owner.line),
            },
            Some(false) => Access::No {
                why: format!("`{}` (line {}) gives {path} to {}", owner.by, owner.line, owner.name),
            },
            None => Access::Unknown,
        }
    }

    /// The user that the image runs as.
    pub fn user(&self) -> User {
        self.stage()
            .and_then(|stage| stage.user.as_deref())
            .map_or(User::Unknown, |u| self.user_of(u))
    }

    /// The user that `user` of a service, or of a Dockerfile, stands for in this image: a name or a
    /// number, a group behind a colon does not matter.
    pub fn user_of(&self, user: &str) -> User {
        let name = user.split(':').next().unwrap_or_default();
        match self.id_of(name) {
            _ if name.is_empty() || name.contains(['$', '\0']) => User::Unknown,
            Some(0) => User::Root,
            uid => User::Named { name: name.to_owned(), uid },
        }
    }

    /// True when the image declares a volume at `path` or above it.
    pub fn declares_volume(&self, path: &str) -> bool {
        self.stage().is_some_and(|stage| stage.volumes.iter().any(|top| is_under(path, top)))
    }

    /// Volumes that the Dockerfile declares; those of the base image are not seen.
    pub fn volumes(&self) -> impl Iterator<Item = &str> {
        self.stage().into_iter().flat_map(|stage| stage.volumes.iter().map(String::as_str))
    }

    /// The working directory; none when it is not known.
    pub fn workdir(&self) -> Option<&str> {
        self.stage()?.workdir.as_deref()
    }

    /// A variable that the Dockerfile sets with `ENV`; none also for a value that is not known.
    pub fn env(&self, name: &str) -> Option<&str> {
        self.stage()?.env.get(name)?.as_deref()
    }

    /// The words that a container starts with: `ENTRYPOINT`, then `CMD`. Empty when both are the
    /// base image's.
    pub fn command_words(&self) -> Vec<&str> {
        let parts = self.stage().into_iter().flat_map(|stage| [&stage.entrypoint, &stage.cmd]);
        parts.flatten().flatten().map(String::as_str).collect()
    }

    /// The `ENTRYPOINT` that the Dockerfile sets.
    pub fn entrypoint(&self) -> Option<&[String]> {
        self.stage()?.entrypoint.as_deref()
    }

    /// The `CMD` that the Dockerfile sets and no later `ENTRYPOINT` takes back.
    pub fn cmd(&self) -> Option<&[String]> {
        self.stage()?.cmd.as_deref()
    }

    /// The image below all stages, arguments filled in; none when it is not known.
    pub fn base(&self) -> Option<&str> {
        let mut stage = self.stage()?;
        for _ in &self.stages {
            match &stage.from {
                From::Stage(before) => stage = self.stages.get(*before)?,
                From::Image(name) => return Some(name),
                From::Unknown => return None,
            }
        }
        None
    }

    fn stage(&self) -> Option<&Stage> {
        self.stages.get(self.target)
    }

    fn seen(&self, path: &str, kind: Option<&TreeKind>) -> Seen {
        Replay::new(self, kind).at(self.target, path, usize::MAX)
    }

    fn id_of(&self, name: &str) -> Option<u32> {
        name.parse().ok().or_else(|| self.stage()?.users.get(name).copied())
    }

    fn same_user(&self, owner: &str, user: &User) -> Option<bool> {
        let User::Named { name, uid } = user else { return None };
        if owner.is_empty() {
            return None;
        }
        match (self.id_of(owner), uid) {
            (Some(a), Some(b)) => Some(a == *b),
            _ if owner == name => Some(true),
            (Some(0), None) => Some(false),
            _ => None,
        }
    }
}
