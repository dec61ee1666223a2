//! What a configuration file may say, as serde reads it.
//!
//! An id that does not exist is refused while it is read, so that the error has its place.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

use globset::{Glob, GlobBuilder, GlobMatcher};
use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, de};

use crate::detect;
use crate::error::{shortened, unknown};
use crate::finding::Severity;
use crate::rules::TreeKind;
use crate::strategy;

/// `.composefix.yaml`. Every key may be left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ConfigFile {
    /// Platforms to judge for: ids and groups, as `--platform` takes them.
    pub platforms: Vec<String>,
    /// Strategies to use instead of the platforms' own order, best first.
    pub strategies: Vec<StrategyId>,
    /// What ends `check` with exit code 1.
    pub fail_on: Option<FailOn>,
    /// Files from which a tree counts as large.
    pub min_files: Option<u64>,
    /// Rules that are off or matter more or less than usual.
    pub rules: BTreeMap<RuleId, Level>,
    /// Findings that do not count, and why.
    pub ignore: Vec<Ignore>,
    /// What a search in directories leaves out: patterns as in `.gitignore`, from the
    /// configuration's directory.
    pub exclude: Vec<String>,
    /// How projects are loaded where the defaults do not fit.
    pub projects: Vec<ProjectEntry>,
    /// Kinds of trees of the team's own.
    pub trees: Vec<TreeKind>,
    /// Folders with more rule files, from the configuration's directory.
    pub rules_dirs: Vec<String>,
    /// How the strategy `sidecar` writes its service.
    pub sidecar: SidecarEntry,
}

/// One project of `projects`. Paths start at the configuration's directory.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProjectEntry {
    /// Its Compose files, in order: `-f`. At least one.
    pub files: Vec<String>,
    /// `--project-directory`.
    #[serde(default)]
    pub project_directory: Option<String>,
    /// `--env-file`, in order.
    #[serde(default)]
    pub env_files: Vec<String>,
    /// `--profile`.
    #[serde(default)]
    pub profiles: Vec<String>,
}

/// One entry of `ignore`. What is left out fits anything.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ignore {
    /// The rule.
    #[serde(default)]
    pub rule: Option<RuleId>,
    /// The Compose file, from the configuration's directory.
    #[serde(default)]
    pub file: Option<FilePattern>,
    /// The service.
    #[serde(default)]
    pub service: Option<String>,
    /// The container path of the tree or of its mount.
    #[serde(default)]
    pub target: Option<String>,
    /// Why it does not count.
    pub reason: Reason,
}

/// `sidecar`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SidecarEntry {
    /// An image with the programs that the service needs, used instead of one that is built.
    pub image: Option<String>,
    /// Seconds between two looks at the tree where the platform raises no file events.
    pub interval: Option<u32>,
}

/// What a rule is set to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Not used.
    Off,
    /// [`Severity::Note`].
    Note,
    /// [`Severity::Warning`].
    Warning,
    /// [`Severity::Error`].
    Error,
}

impl Level {
    /// The severity of its findings; none for a rule that is off.
    pub fn severity(self) -> Option<Severity> {
        match self {
            Self::Off => None,
            Self::Note => Some(Severity::Note),
            Self::Warning => Some(Severity::Warning),
            Self::Error => Some(Severity::Error),
        }
    }
}

/// `fail-on`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FailOn {
    /// [`Severity::Note`].
    Note,
    /// [`Severity::Warning`].
    Warning,
    /// [`Severity::Error`].
    Error,
}

impl From<FailOn> for Severity {
    fn from(word: FailOn) -> Self {
        match word {
            FailOn::Note => Self::Note,
            FailOn::Warning => Self::Warning,
            FailOn::Error => Self::Error,
        }
    }
}

/// Text that is something only if it holds.
trait Checked: Sized {
    /// What is expected, for the error about a value that is no text.
    const WHAT: &'static str;

    /// The value, or what is wrong with the text.
    fn of(text: &str) -> Result<Self, String>;
}

/// Reads a [`Checked`] text. Goes by a visitor, since only that gives an error its place.
struct Reader<T>(PhantomData<T>);

impl<T: Checked> Visitor<'_> for Reader<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::WHAT)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        T::of(text).map_err(E::custom)
    }
}

macro_rules! read_checked {
    ($($name:ident),*) => {$(
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
                reader.deserialize_str(Reader(PhantomData))
            }
        }
    )*};
}
read_checked!(RuleId, StrategyId, FilePattern, Reason);

/// The id of a rule that there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RuleId(&'static str);

impl RuleId {
    /// The id.
    pub fn id(self) -> &'static str {
        self.0
    }
}

impl Checked for RuleId {
    const WHAT: &'static str = "the id of a rule";

    fn of(text: &str) -> Result<Self, String> {
        let known = detect::ALL.iter().map(|detector| detector.id());
        detect::detector(text)
            .map(|detector| Self(detector.id()))
            .ok_or_else(|| unknown("rule", text, known, "`composefix list rules` shows them all"))
    }
}

/// The id of a strategy that there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StrategyId(&'static str);

impl StrategyId {
    /// The id.
    pub fn id(self) -> &'static str {
        self.0
    }
}

impl Checked for StrategyId {
    const WHAT: &'static str = "the id of a strategy";

    fn of(text: &str) -> Result<Self, String> {
        let known = strategy::ALL.iter().map(|strategy| strategy.id());
        strategy::strategy(text).map(|strategy| Self(strategy.id())).ok_or_else(|| {
            unknown("strategy", text, known, "`composefix list strategies` shows them all")
        })
    }
}

/// A pattern for paths below the configuration's directory: `*` stays in one component, `**` does
/// not.
#[derive(Debug, Clone)]
pub struct FilePattern(GlobMatcher);

impl FilePattern {
    /// True for a path from the configuration's directory, with `/`.
    pub fn fits(&self, path: &str) -> bool {
        self.0.is_match(Path::new(path))
    }

    /// The one path that it can fit; none for a pattern of several.
    pub fn literal(&self) -> Option<&str> {
        let text = self.text();
        (!text.contains(['*', '?', '[', ']', '{', '}', '\\', '!'])).then_some(text)
    }

    /// As it is written, without a leading `./`.
    pub fn text(&self) -> &str {
        self.glob().glob()
    }

    fn glob(&self) -> &Glob {
        self.0.glob()
    }
}

impl PartialEq for FilePattern {
    fn eq(&self, other: &Self) -> bool {
        self.glob() == other.glob()
    }
}

impl Eq for FilePattern {}

impl Checked for FilePattern {
    const WHAT: &'static str = "a path or a pattern of paths";

    fn of(text: &str) -> Result<Self, String> {
        let plain = text.strip_prefix("./").unwrap_or(text);
        if plain.is_empty() || plain.starts_with('/') {
            let text = shortened(text, 60);
            return Err(format!("`{text}` is no path below this file's directory"));
        }
        let glob = GlobBuilder::new(plain).literal_separator(true).build();
        glob.map(|glob| Self(glob.compile_matcher()))
            .map_err(|error| shortened(&error.to_string(), 200).into_owned())
    }
}

/// Why something does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason(String);

impl Reason {
    /// The words.
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl Checked for Reason {
    const WHAT: &'static str = "a reason in words";

    fn of(text: &str) -> Result<Self, String> {
        if text.chars().any(char::is_alphanumeric) {
            Ok(Self(text.trim().to_owned()))
        } else {
            Err("the reason is empty: say why the finding does not count".to_owned())
        }
    }
}
