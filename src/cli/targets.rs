//! Paths on the command line to projects.

mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::args::ProjectFlags;
use super::setups::Setups;
use crate::compose::{Request, files_of_directory, relative_name};
use crate::config::Config;
use crate::error::{Error, Problem};
use crate::host::{EntryKind, Host, lexical_clean};
use crate::source::Source;
use crate::yaml;
use walk::{Search, Walked};

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
    /// What was left out of the search, and why: for `-v`.
    pub(super) notes: Vec<String>,
}

/// Finds the projects that the flags name and gives each to its setup: those of the paths in their
/// order, those of a directory by path. `-` stands for `stdin`. What is excluded is left out where
/// it is named, too, with `--force-exclude`. What git ignores is looked for only if `verbose`, for it
/// takes as long as the search.
pub(super) fn find(
    flags: &ProjectFlags,
    setups: &mut Setups<'_>,
    stdin: &mut dyn Read,
    verbose: bool,
) -> Result<Targets, Error> {
    let (host, environment) = (setups.host, setups.environment);
    let here = &environment.directory;
    let targets = Targets::default();
    let mut finder = Finder { flags, host, here, setups, targets, seen: BTreeSet::new(), verbose };
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
    /// Somebody wants to know what was left out.
    verbose: bool,
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
        if !self.leaves_out(setup, &file) {
            self.add_file(setup, file);
        }
        Ok(())
    }

    /// True for a named file that is excluded all the same.
    fn leaves_out(&mut self, setup: usize, file: &Path) -> bool {
        let config = self.setups.config(setup).filter(|_| self.flags.force_exclude);
        let config = config.filter(|config| config.excludes(file, false));
        let note = config.map(|config| left_out(self.here, file, config));
        self.targets.notes.extend(note.clone());
        note.is_some()
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
        if self.leaves_out(setup, &path) {
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
        let Walked { found, met, .. } = self.walk(directory, top)?;
        if found.is_empty() && met.is_empty() {
            let name = relative_name(self.here, directory);
            self.targets.problems.push(
                Problem::of_file(name, NO_FILE)
                    .with_help("name the file if it is called otherwise or ignored by git"),
            );
        }
        for (directory, mut files) in found {
            let Some(setup) = self.setups.of_directory(&directory)? else { continue };
            if let Some(config) = self.setups.config(setup).filter(|_| setup != top) {
                let excluded = |file: &PathBuf| config.excludes(file, false);
                let notes = files.iter().filter(|file| excluded(file));
                let notes = notes.map(|file| left_out(self.here, file, config));
                self.targets.notes.extend(notes);
                files.retain(|file| !excluded(file));
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

    /// The files below a directory by the configuration of a setup. What is left out becomes a note.
    fn walk(&mut self, directory: &Path, setup: usize) -> Result<Walked, Error> {
        let trees = self.setups.get(setup).map(|setup| setup.rules.trees().to_vec());
        let (trees, config) = (trees.unwrap_or_default(), self.setups.config(setup));
        let search =
            |ignores| Search { host: self.host, directory, trees: trees.clone(), config, ignores };
        let walked = search(true).walk()?;
        let name = |path: &PathBuf| relative_name(self.here, path);
        let mut notes: Vec<String> =
            walked.errors.iter().map(|error| format!("not searched: {error}")).collect();
        let excluded = config.into_iter().flat_map(|config| {
            walked.excluded.iter().map(|path| left_out(self.here, path, config))
        });
        notes.extend(excluded);
        if self.verbose {
            let seen: BTreeSet<&PathBuf> = walked.found.values().flatten().collect();
            let all = search(false).walk()?.found;
            let ignored = all.values().flatten().filter(|path| !seen.contains(path));
            notes.extend(
                ignored.map(|path| format!("{}: left out by .gitignore or .ignore", name(path))),
            );
        }
        self.targets.notes.extend(notes);
        Ok(walked)
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
}

/// What is said of a path that a configuration excludes.
fn left_out(here: &Path, path: &Path, config: &Config) -> String {
    format!("{}: excluded by {}", relative_name(here, path), config.source.name())
}

#[cfg(test)]
mod tests;
