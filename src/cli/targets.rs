//! Paths on the command line to projects.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use globset::{Glob, GlobSet, GlobSetBuilder};
use ignore::WalkBuilder;

use super::args::ProjectFlags;
use crate::compose::{Request, files_of_directory, relative_name};
use crate::error::{Error, Problem};
use crate::host::{EntryKind, Environment, Host, lexical_clean};
use crate::rules::{Rules, TreeKind};
use crate::yaml;

/// Names of Compose files in a directory that is searched.
const NAMES: [&str; 2] = ["compose*.{yaml,yml,json}", "docker-compose*.{yaml,yml,json}"];

/// Names that look like them: Composer's manifests and our own configuration.
const OTHERS: [&str; 2] = ["composer*", "composefix*"];

/// Largest text that is read from standard input, in bytes.
const INPUT_LIMIT: u64 = 64 << 20;

/// What the paths stand for.
#[derive(Debug, Default)]
pub(super) struct Targets {
    /// Projects, in the order of the paths; those of a directory by path.
    pub(super) requests: Vec<Request>,
    /// Paths that stand for nothing.
    pub(super) problems: Vec<Problem>,
    /// Directories that could not be looked into.
    pub(super) notes: Vec<String>,
}

/// Finds the projects that the flags name. `-` stands for `stdin`.
pub(super) fn find(
    flags: &ProjectFlags,
    host: &dyn Host,
    environment: &Environment,
    rules: &Rules,
    stdin: &mut dyn Read,
) -> Result<Targets, Error> {
    let here = &environment.directory;
    let mut finder =
        Finder { flags, host, here, targets: Targets::default(), seen: BTreeSet::new() };
    let input = Path::new("-");
    if flags.file.iter().chain(&flags.paths).any(|path| path == input) {
        finder.read_input(stdin)?;
    } else if flags.paths.is_empty() {
        finder.add(flags.file.clone());
    }
    for path in flags.paths.iter().filter(|path| *path != input) {
        let path = lexical_clean(&here.join(path));
        if host.target_kind(&path) == Some(EntryKind::Directory) {
            finder.search(&path, rules)?;
        } else {
            finder.add_alone(path);
        }
    }
    Ok(finder.targets)
}

struct Finder<'a> {
    flags: &'a ProjectFlags,
    host: &'a dyn Host,
    here: &'a Path,
    targets: Targets,
    /// Files of the requests so far.
    seen: BTreeSet<Vec<PathBuf>>,
}

impl Finder<'_> {
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

    fn add(&mut self, files: Vec<PathBuf>) {
        if self.seen.insert(files.clone()) {
            let request = self.request(files);
            self.targets.requests.push(request);
        }
    }

    /// A file that stands for itself, and perhaps goes on top of a neighbour.
    fn add_alone(&mut self, file: PathBuf) {
        if self.seen.insert(vec![file.clone()]) {
            let request = Request { alone: true, ..self.request(vec![file]) };
            self.targets.requests.push(request);
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
        request.texts.insert(path, text);
        self.targets.requests.push(request);
        Ok(())
    }

    /// Every Compose file below a directory. What Compose would load in a directory is one project,
    /// any other file is one of its own or goes on top of a neighbour.
    fn search(&mut self, directory: &Path, rules: &Rules) -> Result<(), Error> {
        let found = self.walk(directory, rules)?;
        if found.is_empty() {
            let name = relative_name(self.here, directory);
            self.targets.problems.push(
                Problem::of_file(name, "no Compose file in this directory")
                    .with_help("name the file if it is called otherwise or ignored by git"),
            );
        }
        for (directory, mut files) in found {
            if let Some(project) = files_of_directory(self.host, &directory)
                && project.iter().any(|file| files.contains(file))
            {
                files.retain(|file| !project.contains(file));
                // A default file may itself go on top of a neighbour.
                match <[PathBuf; 1]>::try_from(project) {
                    Ok([file]) => self.add_alone(file),
                    Err(project) => self.add(project),
                }
            }
            for file in files {
                self.add_alone(file);
            }
        }
        Ok(())
    }

    /// Compose files by directory. Hidden directories count (`.devcontainer`), ignored ones and
    /// dependency trees do not. Only ignore files of the project decide, since those of the user or
    /// of one clone would make the result differ between machines.
    fn walk(
        &mut self,
        directory: &Path,
        rules: &Rules,
    ) -> Result<BTreeMap<PathBuf, BTreeSet<PathBuf>>, Error> {
        let (names, others) = (glob_set(&NAMES)?, glob_set(&OTHERS)?);
        let trees = rules.trees().to_vec();
        let walk = WalkBuilder::new(directory)
            .hidden(false)
            .require_git(false)
            .git_global(false)
            .git_exclude(false)
            .sort_by_file_path(Ord::cmp)
            .filter_entry(move |entry| {
                let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
                !is_directory || entry.depth() == 0 || !is_tree(entry.path(), &trees)
            })
            .build();
        let mut found: BTreeMap<PathBuf, BTreeSet<PathBuf>> = BTreeMap::new();
        for entry in walk {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.targets.notes.push(format!("not searched: {error}"));
                    continue;
                }
            };
            let is_file = self.host.target_kind(entry.path()) == Some(EntryKind::File);
            let name = Path::new(entry.file_name());
            if is_file
                && names.is_match(name)
                && !others.is_match(name)
                && let Some(parent) = entry.path().parent()
            {
                found.entry(parent.to_path_buf()).or_default().insert(entry.path().to_path_buf());
            }
        }
        Ok(found)
    }
}

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
