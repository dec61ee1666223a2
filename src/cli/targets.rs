//! Paths on the command line to projects.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use globset::{Glob, GlobSet, GlobSetBuilder};
use ignore::WalkBuilder;

use super::args::ProjectFlags;
use super::setups::Setups;
use crate::compose::{Request, files_of_directory, relative_name};
use crate::config::Config;
use crate::error::{Error, Problem};
use crate::host::{EntryKind, Host, lexical_clean};
use crate::rules::TreeKind;
use crate::source::Source;
use crate::yaml;

/// Names of Compose files in a directory that is searched.
const NAMES: [&str; 2] = ["compose*.{yaml,yml,json}", "docker-compose*.{yaml,yml,json}"];

/// Names that look like them: Composer's manifests and our own configuration.
const OTHERS: [&str; 2] = ["composer*", "composefix*"];

/// What is wrong with a directory without any.
pub(super) const NO_FILE: &str = "no Compose file in this directory";

/// Largest text that is read from standard input, in bytes.
const INPUT_LIMIT: u64 = 64 << 20;

/// What the paths stand for, beside the projects, which go to their setups.
#[derive(Debug, Default)]
pub(super) struct Targets {
    /// Paths that stand for nothing.
    pub(super) problems: Vec<Problem>,
    /// What is doubtful about a configuration, with its text.
    pub(super) doubts: Vec<(Problem, Source)>,
    /// Directories that could not be looked into.
    pub(super) notes: Vec<String>,
}

/// Finds the projects that the flags name and gives each to its setup: those of the paths in their
/// order, those of a directory by path. `-` stands for `stdin`. What is excluded is left out where
/// it is named, too, with `--force-exclude`.
pub(super) fn find(
    flags: &ProjectFlags,
    setups: &mut Setups<'_>,
    stdin: &mut dyn Read,
) -> Result<Targets, Error> {
    let (host, environment) = (setups.host, setups.environment);
    let here = &environment.directory;
    let targets = Targets::default();
    let mut finder = Finder { flags, host, here, setups, targets, seen: BTreeSet::new() };
    let input = Path::new("-");
    if flags.file.iter().chain(&flags.paths).any(|path| path == input) {
        finder.read_input(stdin)?;
    } else if flags.paths.is_empty() {
        let variable = environment.variables.get("COMPOSE_FILE");
        finder.add_default(variable.is_some_and(|files| !files.is_empty()))?;
    }
    for path in flags.paths.iter().filter(|path| *path != input) {
        let path = lexical_clean(&here.join(path));
        if host.target_kind(&path) == Some(EntryKind::Directory) {
            finder.search(&path)?;
        } else {
            finder.add_named(path)?;
        }
    }
    Ok(finder.targets)
}

struct Finder<'a, 's> {
    flags: &'a ProjectFlags,
    host: &'a dyn Host,
    here: &'a Path,
    setups: &'a mut Setups<'s>,
    targets: Targets,
    /// Files of the requests so far.
    seen: BTreeSet<Vec<PathBuf>>,
}

impl Finder<'_, '_> {
    fn request(&self, files: Vec<PathBuf>) -> Request {
        Request {
            files,
            project_directory: self.flags.project_directory.clone(),
            env_files: self.flags.env_file.clone(),
            profiles: self.flags.profile.clone(),
            texts: BTreeMap::new(),
            alone: false,
        }
    }

    fn add(&mut self, setup: usize, request: Request) {
        if self.seen.insert(request.files.clone()) {
            self.setups.add(setup, request);
        }
    }

    /// What Compose would load here, or what the configuration says instead.
    fn add_default(&mut self, by_variable: bool) -> Result<(), Error> {
        let files = self.flags.file.clone();
        let asked = self.flags.project_directory.as_deref();
        let first = files.first().and_then(|file| file.parent());
        let directory = self.here.join(asked.or(first).unwrap_or(Path::new("")));
        let Some(setup) = self.setups.of_directory(&lexical_clean(&directory))? else {
            return Ok(());
        };
        let projects = self.projects(setup);
        if files.is_empty() && asked.is_none() && !by_variable && !projects.is_empty() {
            for project in projects {
                self.add(setup, project);
            }
        } else {
            self.add(setup, self.request(files));
        }
        Ok(())
    }

    /// The projects of a setup's configuration; flags overrule what it says of them.
    fn projects(&self, setup: usize) -> Vec<Request> {
        let projects = self.setups.config(setup).into_iter().flat_map(Config::projects);
        let flags = self.flags;
        let projects = projects.map(|project| Request {
            project_directory: flags.project_directory.clone().or(project.project_directory),
            env_files: if flags.env_file.is_empty() {
                project.env_files
            } else {
                flags.env_file.clone()
            },
            profiles: if flags.profile.is_empty() {
                project.profiles
            } else {
                flags.profile.clone()
            },
            ..project
        });
        projects.collect()
    }

    /// A file by its name.
    fn add_named(&mut self, file: PathBuf) -> Result<(), Error> {
        let Some(setup) = self.setup_of(&file)? else { return Ok(()) };
        let excludes = |config: &Config| config.excludes(&file, false);
        if !(self.flags.force_exclude && self.setups.config(setup).is_some_and(excludes)) {
            self.add_file(setup, file);
        }
        Ok(())
    }

    fn setup_of(&mut self, file: &Path) -> Result<Option<usize>, Error> {
        self.setups.of_directory(file.parent().unwrap_or(file))
    }

    /// A file that belongs to projects of the configuration, or stands for itself and perhaps goes
    /// on top of a neighbour.
    fn add_file(&mut self, setup: usize, file: PathBuf) {
        let mut projects = self.projects(setup);
        projects.retain(|project| project.files.contains(&file));
        if projects.is_empty() {
            self.add(setup, Request { alone: true, ..self.request(vec![file]) });
        }
        for project in projects {
            self.add(setup, project);
        }
    }

    /// Standard input, under the name that the user gave it; among other files of `-f` as one of
    /// them.
    fn read_input(&mut self, stdin: &mut dyn Read) -> Result<(), Error> {
        let path = lexical_clean(&self.here.join(&self.flags.stdin_filename));
        let name = relative_name(self.here, &path);
        let mut bytes = Vec::new();
        stdin.take(INPUT_LIMIT + 1).read_to_end(&mut bytes).map_err(|error| Error::Usage {
            message: format!("cannot read standard input: {error}"),
        })?;
        if bytes.len() as u64 > INPUT_LIMIT {
            let message = "standard input has more than 64 MiB".to_owned();
            return Err(Error::Usage { message });
        }
        let text = match yaml::decode(&name, bytes) {
            Ok(source) => source.text().to_owned(),
            Err(problem) => {
                self.targets.problems.push(problem);
                return Ok(());
            }
        };
        let files = self.flags.file.iter().map(|file| {
            if file == Path::new("-") { path.clone() } else { lexical_clean(&self.here.join(file)) }
        });
        let files: Vec<PathBuf> = files.collect();
        let alone = files.is_empty();
        let files = if alone { vec![path.clone()] } else { files };
        let mut request = Request { alone, ..self.request(files) };
        let Some(setup) = self.setup_of(&path)? else { return Ok(()) };
        let excludes = |config: &Config| config.excludes(&path, false);
        if self.flags.force_exclude && self.setups.config(setup).is_some_and(excludes) {
            return Ok(());
        }
        request.texts.insert(path, text);
        self.setups.add(setup, request);
        Ok(())
    }

    /// Every Compose file below a directory. What Compose would load in a directory is one project,
    /// any other file is one of its own or goes on top of a neighbour.
    fn search(&mut self, directory: &Path) -> Result<(), Error> {
        let Some(top) = self.setups.of_directory(directory)? else { return Ok(()) };
        let (found, met) = self.walk(directory, top)?;
        if found.is_empty() && met.is_empty() {
            let name = relative_name(self.here, directory);
            self.targets.problems.push(
                Problem::of_file(name, NO_FILE)
                    .with_help("name the file if it is called otherwise or ignored by git"),
            );
        }
        for (directory, mut files) in found {
            let Some(setup) = self.setups.of_directory(&directory)? else { continue };
            if let Some(config) = self.setups.config(setup) {
                files.retain(|file| !config.excludes(file, false) || setup == top);
            }
            let own = self.projects(setup);
            let is_own = |file: &PathBuf| own.iter().any(|project| project.files.contains(file));
            if let Some(project) = files_of_directory(self.host, &directory)
                && project.iter().any(|file| files.contains(file))
                && !project.iter().any(is_own)
            {
                files.retain(|file| !project.contains(file));
                // A default file may itself go on top of a neighbour.
                match <[PathBuf; 1]>::try_from(project) {
                    Ok([file]) => self.add_file(setup, file),
                    Err(project) => self.add(setup, self.request(project)),
                }
            }
            for file in files {
                self.add_file(setup, file);
            }
        }
        self.take_everything(directory, top, &met);
        Ok(())
    }

    /// Notes which configurations the search covers, and patterns of the one at its top that left
    /// nothing out.
    fn take_everything(&mut self, directory: &Path, top: usize, met: &BTreeSet<usize>) {
        for setup in &mut self.setups.all {
            let config = setup.config.as_ref();
            setup.everything |= config.is_some_and(|c| c.directory.starts_with(directory));
        }
        let Some(setup) = self.setups.get(top).filter(|setup| setup.everything) else { return };
        let Some(config) = &setup.config else { return };
        for (index, pattern) in config.file.exclude.iter().enumerate() {
            if !met.contains(&index) && !pattern.starts_with('!') {
                let message = format!("`{pattern}` excludes nothing");
                let problem = config
                    .problem(config.item("exclude", index), message)
                    .with_help("remove the pattern, or correct it");
                self.targets.doubts.push((problem, config.source.clone()));
            }
        }
    }

    /// Compose files by directory. Hidden directories count (`.devcontainer`), ignored ones and
    /// dependency trees do not. Only ignore files of the project decide, since those of the user or
    /// of one clone would make the result differ between machines.
    fn walk(&mut self, directory: &Path, setup: usize) -> Result<(Found, BTreeSet<usize>), Error> {
        let (names, others) = (glob_set(&NAMES)?, glob_set(&OTHERS)?);
        let trees = self.setups.get(setup).map(|setup| setup.rules.trees().to_vec());
        let trees = trees.unwrap_or_default();
        let pattern_for = self.setups.config(setup).map(Config::pattern_for);
        let met = Arc::new(Mutex::new(BTreeSet::new()));
        let shared = Arc::clone(&met);
        let walk = WalkBuilder::new(directory)
            .hidden(false)
            .require_git(false)
            .git_global(false)
            .git_exclude(false)
            .sort_by_file_path(Ord::cmp)
            .filter_entry(move |entry| {
                let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
                let pattern_for = pattern_for.as_ref().filter(|_| entry.depth() > 0);
                let pattern = pattern_for.and_then(|find| find(entry.path(), is_directory));
                if let (Some(pattern), Ok(mut met)) = (pattern, shared.lock()) {
                    met.insert(pattern);
                    return false;
                }
                !is_directory || entry.depth() == 0 || !is_tree(entry.path(), &trees)
            })
            .build();
        let mut found = Found::new();
        for entry in walk {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.targets.notes.push(format!("not searched: {error}"));
                    continue;
                }
            };
            let name = Path::new(entry.file_name());
            if names.is_match(name)
                && !others.is_match(name)
                && self.host.target_kind(entry.path()) == Some(EntryKind::File)
                && let Some(parent) = entry.path().parent()
            {
                found.entry(parent.to_path_buf()).or_default().insert(entry.path().to_path_buf());
            }
        }
        let met = met.lock().map(|met| met.clone()).unwrap_or_default();
        Ok((found, met))
    }
}

/// Compose files by directory.
type Found = BTreeMap<PathBuf, BTreeSet<PathBuf>>;

fn glob_set(patterns: &[&str]) -> Result<GlobSet, Error> {
    let mut set = GlobSetBuilder::new();
    let wrong = |error: globset::Error| Error::Usage { message: error.to_string() };
    for pattern in patterns {
        set.add(Glob::new(pattern).map_err(wrong)?);
    }
    set.build().map_err(wrong)
}

/// True for a directory that holds what tools have put there: git's own, and every tree that the
/// rules know by its place. Where the place alone says nothing, a manifest beside it must.
fn is_tree(path: &Path, trees: &[TreeKind]) -> bool {
    path.file_name().is_some_and(|name| name == ".git")
        || trees.iter().any(|tree| {
            tree.paths.iter().any(|place| {
                path.ends_with(place) && (!tree.ambiguous || is_confirmed(path, place, tree))
            })
        })
}

fn is_confirmed(path: &Path, place: &str, tree: &TreeKind) -> bool {
    let levels = Path::new(place).components().count();
    let Some(above) = path.ancestors().nth(levels) else { return false };
    let exists = |path: PathBuf| path.symlink_metadata().is_ok();
    let beside = tree.manifests.iter().map(|m| &m.file).chain(tree.locks.iter().map(|l| &l.file));
    tree.markers.iter().any(|marker| exists(path.join(marker)))
        || beside.filter(|name| !name.contains('*')).any(|name| exists(above.join(name)))
}

#[cfg(test)]
mod tests;
