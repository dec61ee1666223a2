//! What is known about trees, platforms and images: data with sources, read from `rules/**`.
//!
//! Code asks the data and never compares names. Adding a tree kind, a platform or an image touches
//! no logic. The types here are the files' schema; `schema/*.json` says the same for editors and
//! other tools, and a test holds the two together.

mod builtin;
mod check;
mod load;
mod shelf;
mod version;

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::compose::Mount;

pub use builtin::BUILTIN;
pub use load::Rules;
pub use version::Version;

/// Ids of the strategies that platform files may name.
pub const STRATEGIES: &[&str] = &[
    "consistency",
    "drop-flag",
    "name-volume",
    "narrow",
    "relocate",
    "sidecar",
    "tmpfs",
    "volume",
    "watch",
];

/// Where a fact comes from.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Citation {
    /// Public address of the source.
    pub url: String,
    /// Day on which the source was read, `YYYY-MM-DD`.
    pub checked: String,
    /// What it says, in our words.
    pub says: String,
    /// True when the claim rests on a single report, a vendor's word or memory.
    #[serde(default)]
    pub uncertain: bool,
}

/// How a tree is used while developing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// Installed once, then read on every request or start: `vendor`, `node_modules`.
    ReadMostly,
    /// Written all the time: caches, build output, logs.
    WriteHeavy,
    /// Source, committed files or data of the user. Never moved, never reported.
    Kept,
}

/// One kind of tree: where it lies, what proves it, what may be done with it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeKind {
    /// The file's name without `.yaml`.
    pub id: String,
    /// A few words for people, such as "Composer packages".
    pub title: String,
    /// The language or tool that it belongs to.
    pub ecosystem: String,
    /// How it is used.
    pub access: Access,
    /// Where it lies, relative to the directory of its manifest, with `/`: `node_modules`,
    /// `storage/logs`. Several for several usual places; exactly one where a manifest implies the
    /// tree.
    pub paths: Vec<String>,
    /// Paths relative to the tree, any of which proves a tree of this kind: `pyvenv.cfg`.
    #[serde(default)]
    pub markers: Vec<String>,
    /// Files beside the tree that say that the ecosystem puts it there.
    #[serde(default)]
    pub manifests: Vec<Manifest>,
    /// Lock files beside the tree, from which its size is estimated. A lock implies no tree by
    /// itself; one that does stands among `manifests` too.
    #[serde(default)]
    pub locks: Vec<Lock>,
    /// True when the name alone says nothing (`build`, `target`, `env`): a manifest, lock or marker
    /// must be there as well.
    #[serde(default)]
    pub ambiguous: bool,
    /// Files that say that the tree is not there or must not be moved, although a manifest is.
    #[serde(default)]
    pub unless: Vec<Exception>,
    /// Settings in the project's files that put the tree elsewhere.
    #[serde(default)]
    pub moved_by: Vec<Setting>,
    /// Files that make packages below the manifest's directory share the tree beside it: those have
    /// no large tree of their own before one is counted.
    #[serde(default)]
    pub workspaces: Vec<Workspace>,
    /// Environment variables that put the tree elsewhere, the usual one of a path first.
    #[serde(default)]
    pub relocations: Vec<Relocation>,
    /// True when nothing in it depends on the image's libc, architecture or runtime version, so that
    /// services of different images may share one copy.
    #[serde(default)]
    pub portable: bool,
    /// True when its content can be thrown away at any time and comes back by itself, soon and in
    /// a size that memory can hold: a tmpfs will do. False for logs, for what others consume and
    /// for builds that take minutes.
    #[serde(default)]
    pub disposable: bool,
    /// Commands that fill it, as they stand in Dockerfiles and service commands: `composer install`.
    #[serde(default)]
    pub installers: Vec<String>,
    /// The command to fill it by hand inside the container, if there is a usual one.
    #[serde(default)]
    pub install: Option<String>,
    /// Where these facts come from. A rule file must say it.
    #[serde(default)]
    pub sources: Vec<Citation>,
}

/// A file that says that an ecosystem's tree belongs beside it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// File name, or path relative to the tree's manifest directory such as `bin/console`; `*` in
    /// the last component matches any run of characters.
    pub file: String,
    /// True when the file implies the tree even before any install. False: it only removes the
    /// doubt about an ambiguous name.
    #[serde(default)]
    pub implies: bool,
    /// For JSON files: the file implies the tree only if one of these top-level keys holds a
    /// mapping with at least one entry that is not in `platform_packages`.
    #[serde(default)]
    pub any_of: Vec<String>,
    /// The file implies the tree only if it contains this text: `in-project = true`.
    #[serde(default)]
    pub contains: Option<String>,
    /// Names (`*` at the end matches the rest) that are no packages: `php`, `ext-*`.
    #[serde(default)]
    pub platform_packages: Vec<String>,
}

/// A lock file and how to estimate the tree's size from it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// File name.
    pub file: String,
    /// What a line that stands for one package starts with, its indentation counted.
    pub package_line: String,
    /// What such a line goes on with; none for anything.
    #[serde(default)]
    pub not_followed_by: Option<String>,
    /// Files that one package has on average, with the basis of that figure in `sources`.
    pub files_per_package: u32,
    /// The command that fills the tree from this lock, where it is not the kind's own `install`.
    #[serde(default)]
    pub install: Option<String>,
}

/// A file that turns a tree's evidence off. It must satisfy `contains` and `lacks` where given.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exception {
    /// Path relative to the manifest's directory.
    pub file: String,
    /// The file must contain this text; none when its presence is enough.
    #[serde(default)]
    pub contains: Option<String>,
    /// The file must not contain this text: `nodeLinker:`.
    #[serde(default)]
    pub lacks: Option<String>,
    /// What that means, for `-v` and for people: "Yarn Plug'n'Play keeps no `node_modules`".
    pub reason: String,
}

impl Exception {
    /// True when the content of the file is what the exception speaks of.
    pub fn fits(&self, bytes: &[u8]) -> bool {
        self.contains.as_ref().is_none_or(|text| contains(bytes, text))
            && !self.lacks.as_ref().is_some_and(|text| contains(bytes, text))
    }
}

/// True when a file holds a text; line ends of either kind, and the end of the file, are line ends.
pub fn contains(bytes: &[u8], text: &str) -> bool {
    let mut file = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    file.push('\n');
    file.contains(text)
}

/// How a settings file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// JSON.
    Json,
    /// TOML, of which only `key = "text"` below `[tables]` is read.
    Toml,
    /// YAML.
    Yaml,
}

/// An entry of a settings file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// Path relative to the manifest's directory, from which the entry's value starts as well.
    pub file: String,
    /// Keys joined by dots: `config.vendor-dir`.
    pub key: String,
    /// How the file is written.
    pub format: Format,
}

/// A settings file that names the packages of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workspace {
    /// Path relative to the manifest's directory.
    pub file: String,
    /// Keys joined by dots; behind them a list of patterns, or a mapping with that list as `packages`.
    pub key: String,
    /// How the file is written.
    pub format: Format,
    /// The command that fills the trees of all packages, where no lock file tells.
    #[serde(default)]
    pub install: Option<String>,
}

/// An environment variable by which an ecosystem's tools put a tree elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relocation {
    /// The variable, which takes an absolute path.
    pub variable: String,
    /// Where the tree may go: an absolute container path that images do not have.
    pub path: String,
    /// Which of the kind's paths it moves, where there are several.
    #[serde(default)]
    pub of: Option<String>,
    /// Files beside the tree, one of which must be there for the variable to count; empty for always.
    #[serde(default)]
    pub when: Vec<String>,
    /// Files that overrule the variable.
    #[serde(default)]
    pub unless: Vec<Exception>,
}

/// How the team wants services that copy a tree into a volume.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sidecar {
    /// An image that has the programs; none to build one.
    pub image: Option<String>,
    /// Seconds between two looks at the tree where no file events come; none for the usual ones.
    pub interval: Option<u32>,
}

/// What a bind mount costs on a platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cost {
    /// As fast as a volume.
    None,
    /// Slower by a factor that people notice.
    Slow,
    /// Slower by an order of magnitude.
    VerySlow,
}

/// Three answers to one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// Nobody has shown it.
    Unknown,
}

/// One engine with one way to share files.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Platform {
    /// The file's name without `.yaml`.
    pub id: String,
    /// For people: `Docker Desktop for Mac, VirtioFS`.
    pub title: String,
    /// Groups that `--platform` accepts for it: `macos`, `windows`, `desktop`.
    #[serde(default)]
    pub groups: Vec<String>,
    /// What a bind mount costs, by class of tree.
    pub bind: BindCost,
    /// True when a volume nested in a bind mount stays mounted.
    pub nested_volumes: Answer,
    /// True when a change on the host raises a file event in the container.
    pub host_events: Answer,
    /// What becomes of owners and modes in a bind mount.
    pub ownership: Ownership,
    /// Consistency flags that something on the way to the engine reads here; empty where they do
    /// nothing.
    #[serde(default)]
    pub consistency_flags: Vec<Flag>,
    /// What a bind of a path on a Windows drive costs, where the project could lie on a Linux file
    /// system instead; none where there is no such choice, or where there are no such drives.
    #[serde(default)]
    pub windows_drives: Option<Cost>,
    /// Strategies, best first, by class of tree.
    pub strategies: Preferences,
    /// What helps there beside or instead of an edit. Every finding for the platform says it.
    #[serde(default)]
    pub advice: Option<String>,
    /// What a user of this platform should know; each stands on its own in output.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The program whose version `id@version` names: `Docker Desktop`. Goes with `versions`.
    #[serde(default)]
    pub program: Option<String>,
    /// What is different in some versions of that program. Without a version the fields above hold.
    #[serde(default)]
    pub versions: Vec<Versions>,
    /// Every claim above with its source.
    pub claims: Vec<Claim>,
}

/// What a bind mount does with owners and modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ownership {
    /// They are those of the host's files, and `chown` changes them there.
    Real,
    /// The container sees what it expects: `chown` succeeds, and the host's files stay as they are.
    Emulated,
    /// They are always the same; `chown` fails or has no effect.
    Fixed,
    /// Nobody has shown it.
    Unknown,
}

/// A consistency flag that something reads.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flag {
    /// `cached`, `delegated` or `consistent`.
    pub flag: String,
    /// What it does.
    pub effect: FlagEffect,
    /// What hands it on to the engine; one is enough.
    pub by: Vec<Carrier>,
}

/// What a consistency flag does where it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlagEffect {
    /// The mount becomes faster.
    Faster,
    /// It asks for what happens anyway.
    Usual,
    /// The mount goes past the synchronised copy and is as slow as without one.
    Bypass,
}

/// A way from a Compose file to the engine on which consistency flags are not lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum Carrier {
    /// docker-compose 1, in either syntax.
    #[serde(rename = "docker-compose-1")]
    ComposeV1,
    /// Any Compose, for long syntax with `create_host_path: false`, `propagation` or `recursive`:
    /// only such a mount is described to the engine by its interface for mounts.
    #[serde(rename = "mount-interface")]
    MountInterface,
}

impl Platform {
    /// True when something on the way to the engine reads this consistency flag of a mount. Where
    /// docker-compose 1 hands flags on, it is taken to be in use.
    pub fn reads_flag(&self, flag: &str, mount: &Mount) -> bool {
        let read = |by: &Carrier| *by == Carrier::ComposeV1 || mount.by_mount_interface;
        self.consistency_flags.iter().any(|own| own.flag == flag && own.by.iter().any(read))
    }

    /// True when this consistency flag makes every mount faster that has it.
    pub fn gains_by(&self, flag: &str) -> bool {
        self.consistency_flags.iter().any(|own| {
            own.flag == flag
                && own.effect == FlagEffect::Faster
                && own.by.contains(&Carrier::ComposeV1)
        })
    }

    /// True when some consistency flag makes every mount faster that has it.
    pub fn flags_help(&self) -> bool {
        self.gains_by("cached") || self.gains_by("delegated")
    }
}

/// What is different in a range of versions. What is not given is as in the platform itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Versions {
    /// First version that it holds for, numbers joined by dots; none from the start.
    #[serde(default)]
    pub from: Option<String>,
    /// First version that it no longer holds for; none up to today.
    #[serde(default)]
    pub below: Option<String>,
    /// What is different, in a sentence.
    pub says: String,
    /// What a bind mount costs there.
    #[serde(default)]
    pub bind: Option<BindCost>,
    /// Whether a volume nested in a bind mount stays mounted there.
    #[serde(default)]
    pub nested_volumes: Option<Answer>,
    /// Whether a change on the host raises a file event there.
    #[serde(default)]
    pub host_events: Option<Answer>,
    /// Strategies there, best first.
    #[serde(default)]
    pub strategies: Option<Preferences>,
    /// What helps there beside or instead of an edit. Empty where nothing need be said.
    #[serde(default)]
    pub advice: Option<String>,
}

/// Cost of a bind mount by class of tree.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BindCost {
    /// Many small files, read.
    pub read_mostly: Cost,
    /// Many small files, written.
    pub write_heavy: Cost,
    /// A database's files.
    pub database: Cost,
}

/// Strategies, best first, by class of tree.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Preferences {
    /// For trees that are read.
    pub read_mostly: Vec<String>,
    /// For trees that are written.
    pub write_heavy: Vec<String>,
}

/// One statement about a platform.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The field of the file that it backs: `bind`, `nested_volumes`, `host_events`, `ownership`,
    /// `consistency_flags`, `windows_drives`, `strategies`, `advice`, `notes`, `versions`.
    pub about: String,
    /// The statement, in a sentence.
    pub says: String,
    /// Where it comes from.
    pub sources: Vec<Citation>,
}

impl Claim {
    /// True when no source of it is beyond doubt.
    pub fn is_uncertain(&self) -> bool {
        self.sources.iter().all(|source| source.uncertain)
    }
}

/// What an image is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Keeps data on disk.
    Database,
    /// Serves or forwards requests; reads configuration and static files, no dependency trees.
    WebServer,
    /// Any other ready-made service that reads no dependency tree: mail catchers, dashboards.
    Service,
    /// Ready-made application whose code lies in the image beside uploads and plug-ins.
    Application,
    /// A language or a distribution that projects build their own images upon.
    Base,
}

/// A family of images: its data directories, and whether it reads dependency trees at all.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageKind {
    /// The file's name without `.yaml`.
    pub id: String,
    /// For people: `PostgreSQL`.
    pub title: String,
    /// Last path components of the image names, registry, tag and digest left out: `postgres`, or
    /// `mssql/server` where the last one alone says too little.
    pub repositories: Vec<String>,
    /// What it is for.
    pub role: Role,
    /// Directories that hold its data.
    #[serde(default)]
    pub data: Vec<DataDirectory>,
    /// How its data moves as a dump. Without, the files may be copied while it is stopped.
    #[serde(default)]
    pub transfer: Option<Transfer>,
    /// What holds before the first instruction of a Dockerfile, for the role `base` alone.
    #[serde(default)]
    pub base: Option<Base>,
    /// Where these facts come from.
    pub sources: Vec<Citation>,
}

/// What an image gives to those that are built upon it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Base {
    /// The user that it runs as.
    pub user: String,
    /// True when the programs that it is made for run as that user. A web server or php-fpm hands
    /// the work to a user of its own instead.
    #[serde(default)]
    pub keeps_user: bool,
    /// Its working directory; none where its variants differ.
    #[serde(default)]
    pub workdir: Option<String>,
    /// Users that it has beside root, with their numbers.
    #[serde(default)]
    pub users: BTreeMap<String, u32>,
    /// Usual directories of projects that it does not have.
    #[serde(default)]
    pub lacks: Vec<String>,
    /// Directories that are empty, or may be missing.
    #[serde(default)]
    pub empty: Vec<String>,
}

/// Commands for a shell in a database's container.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transfer {
    /// Writes everything to standard output.
    pub dump: String,
    /// Reads it from standard input.
    pub restore: String,
}

/// A data directory of an image.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataDirectory {
    /// Absolute path in the container.
    pub path: String,
    /// True when the image declares a volume there, so that something is always mounted.
    #[serde(default)]
    pub declared: bool,
    /// First major version it holds for; none from the start.
    #[serde(default)]
    pub from_major: Option<u32>,
    /// Last major version it holds for; none for today's.
    #[serde(default)]
    pub to_major: Option<u32>,
}

impl DataDirectory {
    /// True when an image of this major version keeps data here; none stands for the newest.
    pub fn holds_for(&self, major: Option<u32>) -> bool {
        match major {
            Some(major) => {
                self.from_major.is_none_or(|from| from <= major)
                    && self.to_major.is_none_or(|to| major <= to)
            }
            None => self.to_major.is_none(),
        }
    }
}
