//! Which configuration and which rules each project is judged by.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::RuleFlags;
use crate::compose::{Request, relative_name};
use crate::config::{Config, Refused, locate};
use crate::error::{Error, Problem};
use crate::host::{Environment, Host, lexical_clean};
use crate::rules::Rules;
use crate::source::Source;

/// Which configuration counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Choice {
    /// The nearest to each project.
    Nearest,
    /// This one, for all.
    File(PathBuf),
    /// None.
    Nothing,
}

impl Choice {
    /// By flag, else by variable, else the nearest.
    pub(super) fn of(flags: &RuleFlags, environment: &Environment) -> Self {
        let variable = environment.variables.get("COMPOSEFIX_CONFIG");
        let variable = variable.filter(|path| !path.is_empty()).map(PathBuf::from);
        match flags.config.clone() {
            _ if flags.no_config => Self::Nothing,
            Some(path) => Self::File(path),
            None => variable.map_or(Self::Nearest, Self::File),
        }
    }
}

/// A configuration with what is judged by it.
pub(super) struct Setup {
    /// None where there is no configuration.
    pub(super) config: Option<Arc<Config>>,
    /// What is known.
    pub(super) rules: Rules,
    /// Projects.
    pub(super) requests: Vec<Request>,
    /// The run searches all that the configuration can speak of.
    pub(super) everything: bool,
}

/// All configurations of a run, each read once.
pub(super) struct Setups<'a> {
    pub(super) host: &'a dyn Host,
    pub(super) environment: &'a Environment,
    pub(super) choice: Choice,
    builtin: Rules,
    /// `--rules`.
    pub(super) folders: &'a [PathBuf],
    /// In the order in which they were met.
    pub(super) all: Vec<Setup>,
    /// Index by configuration; none for one that does not hold.
    known: BTreeMap<Option<PathBuf>, Option<usize>>,
    /// The configuration of a directory.
    nearest: BTreeMap<PathBuf, Option<PathBuf>>,
    /// What does not hold.
    pub(super) problems: Vec<Problem>,
    /// Texts that the problems speak of.
    pub(super) sources: Vec<Source>,
}

impl<'a> Setups<'a> {
    pub(super) fn new(
        host: &'a dyn Host,
        environment: &'a Environment,
        choice: Choice,
        folders: &'a [PathBuf],
    ) -> Result<Self, Error> {
        Ok(Self {
            host,
            environment,
            choice,
            builtin: Rules::builtin()?,
            folders,
            all: Vec::new(),
            known: BTreeMap::new(),
            nearest: BTreeMap::new(),
            problems: Vec::new(),
            sources: Vec::new(),
        })
    }

    /// The setup for projects in a directory; none when its configuration does not hold, which is
    /// then among the problems.
    pub(super) fn of_directory(&mut self, directory: &Path) -> Result<Option<usize>, Error> {
        let path = match &self.choice {
            Choice::Nothing => None,
            Choice::File(path) => Some(lexical_clean(&self.environment.directory.join(path))),
            Choice::Nearest => locate(self.host, self.environment, directory, &mut self.nearest),
        };
        if let Some(index) = self.known.get(&path) {
            return Ok(*index);
        }
        let index = match self.read(path.as_deref()) {
            Ok((config, rules)) => {
                let rules = self.with_folders(rules)?;
                self.all.push(Setup { config, rules, requests: Vec::new(), everything: false });
                Some(self.all.len() - 1)
            }
            Err(refused) => {
                self.problems.push(refused.problem);
                self.sources.extend(refused.source);
                None
            }
        };
        self.known.insert(path, index);
        Ok(index)
    }

    /// What is known in the working directory.
    pub(super) fn rules_here(mut self) -> Result<Rules, Error> {
        let index = self.of_directory(&self.environment.directory)?;
        match (index.map(|index| self.all.swap_remove(index)), self.problems.pop()) {
            (Some(setup), _) => Ok(setup.rules),
            (None, problem) => {
                let message = problem.map(|p| one_line(&p, self.sources.last()));
                let message = message.unwrap_or_default() + " (`--no-config` goes without)";
                Err(Error::Usage { message })
            }
        }
    }

    pub(super) fn get(&self, index: usize) -> Option<&Setup> {
        self.all.get(index)
    }

    pub(super) fn config(&self, index: usize) -> Option<&Config> {
        self.all.get(index)?.config.as_deref()
    }

    pub(super) fn add(&mut self, index: usize, request: Request) {
        if let Some(setup) = self.all.get_mut(index) {
            setup.requests.push(request);
        }
    }

    fn read(&self, path: Option<&Path>) -> Result<(Option<Arc<Config>>, Rules), Box<Refused>> {
        let Some(path) = path else { return Ok((None, self.builtin.clone())) };
        let name = relative_name(&self.environment.directory, path);
        let config = Config::read(self.host, path, &name)?;
        match config.rules(self.host, &self.builtin) {
            Ok(rules) => Ok((Some(Arc::new(config)), rules)),
            Err(problem) => Err(Box::new(Refused { problem, source: Some(config.source) })),
        }
    }

    fn with_folders(&self, rules: Rules) -> Result<Rules, Error> {
        let here = &self.environment.directory;
        self.folders
            .iter()
            .try_fold(rules, |rules, folder| rules.with_directory(self.host, &here.join(folder)))
    }
}

/// A problem on one line: `FILE:LINE:COLUMN: what`.
pub(super) fn one_line(problem: &Problem, source: Option<&Source>) -> String {
    let file = problem.file.as_deref().unwrap_or_default();
    let place = problem.span.zip(source).map(|(span, source)| source.position(span.start));
    let place = place.map(|at| format!(":{}:{}", at.line, at.column)).unwrap_or_default();
    format!("{file}{place}: {}", problem.message)
}
