//! The team's own words: `.composefix.yaml`.
//!
//! The nearest file upwards from a project counts, and it alone: nothing is merged. What it says
//! stands behind flags and variables and before the defaults.

mod file;
mod read;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::Gitignore;

use crate::compose::Request;
use crate::error::Problem;
use crate::host::{Environment, Host, lexical_clean};
use crate::rules::{Rules, Sidecar};
use crate::source::{Source, Span};
use crate::yaml::{Document, NodeId};

pub use file::{
    ConfigFile, FailOn, FilePattern, Ignore, Level, ProjectEntry, Reason, RuleId, SidecarEntry,
    StrategyId,
};

/// The name of a configuration file.
pub const NAME: &str = ".composefix.yaml";

/// Where editors find the schema of a configuration.
pub const SCHEMA: &str =
    "https://raw.githubusercontent.com/OWNER/composefix/main/schema/config.schema.json";

/// A configuration that holds.
#[derive(Debug, Clone)]
pub struct Config {
    /// Absolute path.
    pub path: PathBuf,
    /// The directory that its paths start from.
    pub directory: PathBuf,
    /// Its text.
    pub source: Source,
    /// What it says.
    pub file: ConfigFile,
    document: Document,
    excluded: Gitignore,
}

/// A configuration that does not hold.
#[derive(Debug)]
pub struct Refused {
    /// The first thing in it that is wrong.
    pub problem: Problem,
    /// Its text, where it has one.
    pub source: Option<Source>,
}

/// The file that counts for projects in a directory; none when there is none.
///
/// Looks in the directory and in those above it, up to the first one that holds `.git`. It never
/// goes up into the home directory, so that what lies there does not change how the repositories
/// below it are judged.
///
/// `known` holds the answers for directories that were looked at before: projects of one repository
/// have most of what lies above them in common.
pub fn locate(
    host: &dyn Host,
    environment: &Environment,
    directory: &Path,
    known: &mut BTreeMap<PathBuf, Option<PathBuf>>,
) -> Option<PathBuf> {
    let home = environment.home.as_deref();
    let mut found = None;
    let mut passed = Vec::new();
    for (steps, directory) in directory.ancestors().enumerate() {
        let into_home = home.is_some_and(|home| home.starts_with(directory));
        if let Some(answer) = known.get(directory).filter(|_| steps == 0 || !into_home) {
            found.clone_from(answer);
            break;
        }
        if steps > 0 && into_home {
            break;
        }
        passed.push(directory);
        let path = directory.join(NAME);
        if host.kind(&path).is_some() {
            found = Some(path);
            break;
        }
        if host.kind(&directory.join(".git")).is_some() {
            break;
        }
    }
    known.extend(passed.into_iter().map(|directory| (directory.to_path_buf(), found.clone())));
    found
}

/// The root of the repository that a directory lies in; none without one. A home directory that is
/// one does not count.
pub fn root_of(host: &dyn Host, environment: &Environment, directory: &Path) -> Option<PathBuf> {
    let above = directory.ancestors();
    let mut above = above.take_while(|above| Some(*above) != environment.home.as_deref());
    above.find(|above| host.kind(&above.join(".git")).is_some()).map(Path::to_path_buf)
}

impl Config {
    /// Reads a file. `name` is what reports call it.
    ///
    /// # Errors
    /// The first thing in it that does not hold.
    pub fn read(host: &dyn Host, path: &Path, name: &str) -> Result<Self, Box<Refused>> {
        read::read(host, path, name)
    }

    /// True for what a search leaves out. Only paths below the configuration's directory can be.
    pub fn excludes(&self, path: &Path, is_directory: bool) -> bool {
        path.starts_with(&self.directory)
            && self.excluded.matched_path_or_any_parents(path, is_directory).is_ignore()
    }

    /// The pattern that leaves out this very path, by its index in `exclude`; the directories above
    /// it are not asked. For use in another thread, too.
    pub fn pattern_for(&self) -> impl Fn(&Path, bool) -> Option<usize> + Send + Sync + 'static {
        let (excluded, directory) = (self.excluded.clone(), self.directory.clone());
        let patterns = self.file.exclude.clone();
        move |path, is_directory| {
            if !path.starts_with(&directory) {
                return None;
            }
            match excluded.matched(path, is_directory) {
                Match::Ignore(glob) => patterns.iter().position(|p| p == glob.original()),
                _ => None,
            }
        }
    }

    /// What is known, with the team's own folders and kinds of trees laid over it.
    ///
    /// # Errors
    /// The first folder or kind that does not hold.
    pub fn rules(&self, host: &dyn Host, known: &Rules) -> Result<Rules, Problem> {
        let mut rules = known.clone();
        for (index, folder) in self.file.rules_dirs.iter().enumerate() {
            let path = lexical_clean(&self.directory.join(folder));
            rules = rules
                .with_directory(host, &path)
                .map_err(|error| self.problem(self.item("rules-dirs", index), error.to_string()))?;
        }
        for (index, tree) in self.file.trees.iter().enumerate() {
            rules = rules.with_tree(tree.clone()).map_err(|(near, message)| {
                let whole = self.item("trees", index);
                self.problem(self.part(whole, &near), message)
            })?;
        }
        let SidecarEntry { image, interval } = self.file.sidecar.clone();
        Ok(rules.with_sidecar(Sidecar { image, interval }))
    }

    /// The projects that it names, as they are to be loaded.
    pub fn projects(&self) -> impl Iterator<Item = Request> {
        let absolute = |path: &String| lexical_clean(&self.directory.join(path));
        self.file.projects.iter().map(move |entry| Request {
            files: entry.files.iter().map(absolute).collect(),
            project_directory: entry.project_directory.as_ref().map(absolute),
            env_files: entry.env_files.iter().map(absolute).collect(),
            profiles: entry.profiles.clone(),
            ..Request::default()
        })
    }

    /// A problem of this file.
    pub fn problem(&self, span: Span, message: impl Into<String>) -> Problem {
        Problem::at(self.source.name(), span, message)
    }

    /// A path from the configuration's directory, with `/`; none for one outside of it.
    pub fn relative(&self, path: &Path) -> Option<String> {
        let below = path.strip_prefix(&self.directory).ok()?;
        Some(below.to_string_lossy().replace('\\', "/"))
    }

    /// The bytes of an item of a list at the top.
    pub fn item(&self, key: &str, index: usize) -> Span {
        item(&self.document, key, index)
            .map_or(Span::default(), |node| self.document.node(node).span)
    }

    /// The bytes of the first `text` inside of `whole`; all of it when it is not there.
    fn part(&self, whole: Span, text: &str) -> Span {
        match self.source.slice(whole).find(text) {
            Some(at) if !text.is_empty() => {
                Span::new(whole.start + at, whole.start + at + text.len())
            }
            _ => whole,
        }
    }
}

/// An item of a list at the top.
fn item(document: &Document, key: &str, index: usize) -> Option<NodeId> {
    let list = document.get(*document.roots().first()?, key)?.value;
    Some(document.items(document.follow(list)).get(index)?.node)
}
