//! What was found, and what can be done about it.

use crate::compose::{Origin, Place};
use crate::survey::TreeFacts;
use crate::yaml::New;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know; fails no gate by default.
    Note,
    /// Costs time on a judged platform.
    Warning,
    /// The project does not do what its file says, or does not start.
    Error,
}

impl Severity {
    /// The word that reports and flags use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// What a fix promises. Ordered: each includes the promise of the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Applicability {
    /// No edit is offered; the finding says what to do by hand and why a tool must not.
    Manual,
    /// The result is a valid project that does what the fix's title says, but evidence is missing
    /// that nothing breaks; the notes name each gap.
    Unsafe,
    /// The project starts and behaves as before on every platform, only faster.
    Safe,
}

impl Applicability {
    /// The word that reports use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Unsafe => "unsafe",
            Self::Safe => "safe",
        }
    }
}

/// A problem in a project, at one primary place.
#[derive(Debug, Clone)]
pub struct Finding {
    /// Id of the rule.
    pub rule: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// One sentence: the fact, then the cost. Lower case, no full stop.
    pub message: String,
    /// The service concerned; empty where it is about none.
    pub service: String,
    /// The mount concerned; its `kind` is empty where it is about none.
    pub mount: MountRef,
    /// The tree concerned.
    pub tree: Option<Tree>,
    /// Ids of the judged platforms on which it holds, sorted.
    pub platforms: Vec<String>,
    /// What to do by hand where no strategy answers the rule; each stands on its own.
    pub advice: Vec<String>,
    /// What a strategy can do; none when there is no strategy for it.
    pub fix: Option<Fix>,
}

/// A mount as a finding speaks of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MountRef {
    /// `bind`, `volume`, `tmpfs`.
    pub kind: &'static str,
    /// Source as the file spells it, variables unfilled; none for anonymous.
    pub source: Option<String>,
    /// Container path.
    pub target: String,
    /// What wrote it.
    pub origin: Origin,
    /// Its place in a `volumes` list.
    pub place: Option<Place>,
}

/// A tree as a finding speaks of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// What is known about it.
    pub facts: TreeFacts,
    /// Absolute host path, with `/`.
    pub host: String,
    /// Container path.
    pub target: String,
}

/// A repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// Id of the strategy that does it, or that cannot do it here.
    pub strategy: &'static str,
    /// What it promises.
    pub applicability: Applicability,
    /// What it does, in a few words.
    pub title: String,
    /// What the user should know before and after; each stands on its own.
    pub notes: Vec<String>,
    /// What changes in the project; empty for advice.
    pub changes: Vec<Change>,
}

impl Fix {
    /// Advice without an edit, because a strategy must not do it here.
    pub fn manual(strategy: &'static str, title: impl Into<String>, notes: Vec<String>) -> Self {
        Self {
            strategy,
            applicability: Applicability::Manual,
            title: title.into(),
            notes,
            changes: Vec::new(),
        }
    }
}

/// One change to a project, said without a place in a file. Equal changes are one change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// A service waits until another one is healthy.
    AddDependency {
        /// The service that waits.
        service: String,
        /// The service that it waits for.
        on: String,
        /// Where the mount stands that needs the other service: both are written in one file.
        beside: Place,
    },
    /// A mount for a service.
    AddMount {
        /// The service.
        service: String,
        /// The new mount.
        mount: NewMount,
        /// The mount that it goes next to.
        beside: Place,
    },
    /// A new service.
    AddService {
        /// Its name, new in the whole project.
        name: String,
        /// The service in whose file it goes.
        near: String,
        /// Where that service's mount stands, see [`Project::home_in`](crate::compose::Project::home_in).
        beside: Place,
        /// Its mounts.
        mounts: Vec<NewMount>,
        /// The rest of its definition, in block style. A scalar in plain style is written without
        /// quotes where that leaves it what it is: `true` is no text.
        definition: New,
    },
    /// A top-level volume without options.
    DeclareVolume {
        /// Its key, new in the whole project.
        key: String,
    },
    /// An anonymous volume gets a name.
    NameVolume {
        /// The service.
        service: String,
        /// Where the anonymous volume stands.
        at: Place,
        /// Its container path.
        target: String,
        /// The new top-level volume's key.
        key: String,
    },
    /// One bind becomes several of what lies below it.
    NarrowMount {
        /// The service.
        service: String,
        /// Where the bind stands.
        at: Place,
        /// Its container path.
        target: String,
        /// What takes its place; at least one.
        to: Vec<NewMount>,
    },
    /// A mount goes.
    RemoveMount {
        /// The service.
        service: String,
        /// Where it stands.
        at: Place,
        /// Its container path.
        target: String,
    },
    /// A mount gets another consistency flag, or none.
    SetFlag {
        /// The service.
        service: String,
        /// Where the mount stands.
        at: Place,
        /// Its container path.
        target: String,
        /// `cached`, `delegated`; none takes the present one away.
        flag: Option<String>,
    },
    /// A service gets an environment variable that it does not have.
    SetVariable {
        /// The service.
        service: String,
        /// The variable.
        name: String,
        /// Its value.
        value: String,
    },
    /// A service gets the mounts of another one.
    VolumesFrom {
        /// The service.
        service: String,
        /// The other service and its options: `sync:ro`.
        from: String,
        /// Where the mount stands that the other service's mounts go over.
        beside: Place,
    },
    /// A service gets rules for `docker compose watch`.
    Watch {
        /// The service.
        service: String,
        /// The mount whose place they take: they go into the file that writes it.
        instead_of: Place,
        /// The rules, in order.
        rules: Vec<NewWatch>,
    },
}

/// A mount that is to be added.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NewMount {
    /// What it brings in.
    pub source: NewSource,
    /// Container path, cleaned, variables filled in.
    pub target: String,
    /// The container path as the file should spell it: the neighbour's own target, variables kept,
    /// with the tree's path behind it.
    pub written: String,
    /// Mounted read-only.
    pub read_only: bool,
}

/// What a new mount brings in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum NewSource {
    /// A volume without a name.
    Anonymous,
    /// Memory.
    Tmpfs,
    /// A named volume.
    Volume {
        /// Its key.
        key: String,
        /// True when the engine must not fill it from the image.
        nocopy: bool,
    },
    /// A path of the host.
    Bind {
        /// As Compose resolves it.
        path: String,
        /// As the file should spell it.
        written: String,
        /// Options behind the target that the bind it comes from has: `z`, `cached`.
        options: Vec<String>,
    },
}

impl NewMount {
    /// The key of the named volume that it mounts.
    pub fn volume(&self) -> Option<&str> {
        match &self.source {
            NewSource::Volume { key, .. } => Some(key),
            _ => None,
        }
    }
}

/// A rule for `docker compose watch` that is to be added.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NewWatch {
    /// `sync`, `rebuild`, `sync+restart`.
    pub action: String,
    /// Absolute host path, as Compose resolves it.
    pub path: String,
    /// The host path as the file should spell it.
    pub written: String,
    /// Container path that `sync` copies to.
    pub target: Option<WatchTarget>,
    /// Paths below `path` that are left out.
    pub ignore: Vec<String>,
}

/// Where a rule for `docker compose watch` copies to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct WatchTarget {
    /// Container path, cleaned, variables filled in.
    pub path: String,
    /// The path as the file should spell it.
    pub written: String,
}
