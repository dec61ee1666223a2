//! The project of a file that somebody names by itself.
//!
//! Some files are only meant to go on top of another one: `docker-compose.dev.yml`, an override
//! file. Compose refuses them alone. [`resolve`] is the one place that says which project such a
//! file belongs to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::complete::missing;
use super::load::load;
use super::select::{DEFAULT_NAMES, Request, files_of_directory};
use super::{Project, relative_name};
use crate::error::Problem;
use crate::host::{EntryKind, Environment, Host, lexical_clean};

/// Last parts of names that say: this is what others go on top of.
const BASE_WORDS: [&str; 2] = ["base", "common"];

/// Endings of Compose files.
const ENDINGS: [&str; 3] = ["yml", "yaml", "json"];

/// Files below a file whose own base is an overlay, too.
const LEVELS: usize = 4;

/// A project and how it was found.
#[derive(Debug)]
pub struct Resolved {
    /// What was loaded in the end.
    pub request: Request,
    /// The project.
    pub project: Result<Project, Problem>,
    /// What the user may want to know about the choice of files.
    pub note: Option<String>,
}

/// Loads the project of a request. A default file or its override file that stands alone is loaded
/// with the other one, as Compose does by itself: so it does not matter which of them a hook or an
/// editor names. A file that stands alone, that Compose would refuse alone, and that it takes on top
/// of a neighbour, is loaded on top of that neighbour. Any other request is loaded as it is.
///
/// The neighbour is the first of these, in the file's own directory, with which nothing is missing:
///
/// 1. the file that Compose loads there by default;
/// 2. the file of the same name without its last parts (`compose.dev.yaml` for
///    `compose.dev.local.yaml`), itself on top of what it needs;
/// 3. `….base.yml`, `…-common.yaml` and the like;
/// 4. everything that Compose loads there by default, the override file included.
pub fn resolve(host: &dyn Host, environment: &Environment, request: &Request) -> Resolved {
    let as_is = |project, note| Resolved { request: request.clone(), project, note };
    let file = match request.files.as_slice() {
        [file] if request.alone => lexical_clean(&environment.directory.join(file)),
        _ => return as_is(load(host, environment, request), None),
    };
    if let Some(pair) = pair_of(host, &file) {
        let request = Request { files: pair.to_vec(), ..request.clone() };
        let [base, over] = pair.map(|path| relative_name(&environment.directory, &path));
        let note = format!("{base} and {over}: judged together, as Compose loads them");
        let project = load(host, environment, &request);
        return Resolved { request, project, note: Some(note) };
    }
    let project = load(host, environment, request);
    let lacking = match &project {
        Ok(project) => missing(project),
        Err(problem) => Some(problem.message.clone()),
    };
    let name = |path: &Path| relative_name(&environment.directory, path);
    let Some(lacking) = lacking else { return as_is(project, None) };
    let search = Search { host, environment, request };
    if let Some((stack, project)) = search.on_top(&file, LEVELS) {
        let below: Vec<String> = stack.iter().filter(|f| **f != file).map(|f| name(f)).collect();
        return Resolved {
            request: Request { files: stack, ..request.clone() },
            project: Ok(project),
            note: Some(format!("{}: judged on top of {}", name(&file), below.join(" and "))),
        };
    }
    let way_out = format!("name what it goes on top of as well: -f BASE -f {}", name(&file));
    match project {
        Ok(project) => {
            let note = format!("{}: judged alone, though {lacking}; {way_out}", name(&file));
            as_is(Ok(project), Some(note))
        }
        Err(mut problem) => {
            if is_empty(host, request, &file) {
                let help = problem.help.take().map(|help| format!("{help}; ")).unwrap_or_default();
                problem.help = Some(format!("{help}if it is an overlay, {way_out}"));
            }
            as_is(Err(problem), None)
        }
    }
}

/// The default file and the override file of a directory, when `file` is one of them.
fn pair_of(host: &dyn Host, file: &Path) -> Option<[PathBuf; 2]> {
    let files = files_of_directory(host, file.parent()?)?;
    let pair: [PathBuf; 2] = files.try_into().ok()?;
    pair.iter().any(|path| path == file).then_some(pair)
}

/// True for a file that says nothing.
fn is_empty(host: &dyn Host, request: &Request, file: &Path) -> bool {
    let text = request.texts.get(file).cloned().or_else(|| {
        let bytes = host.read(file, 1 << 16).ok()?;
        String::from_utf8(bytes).ok()
    });
    text.is_some_and(|text| {
        let text = text.trim_start_matches('\u{feff}');
        text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
    })
}

struct Search<'a> {
    host: &'a dyn Host,
    environment: &'a Environment,
    request: &'a Request,
}

impl Search<'_> {
    /// The first stack of files, `file` on top, with which nothing is missing.
    fn on_top(&self, file: &Path, levels: usize) -> Option<(Vec<PathBuf>, Project)> {
        self.candidates(file, levels).into_iter().find_map(|mut stack| {
            if self.takes(&stack, file) {
                return None;
            }
            stack.push(file.to_path_buf());
            let project = self.complete(&stack)?;
            Some((stack, project))
        })
    }

    /// The project of a stack of files, if nothing is missing in it.
    fn complete(&self, stack: &[PathBuf]) -> Option<Project> {
        let request = Request { files: stack.to_vec(), ..self.request.clone() };
        let project = load(self.host, self.environment, &request).ok()?;
        missing(&project).is_none().then_some(project)
    }

    /// What may lie below a file, best first.
    fn candidates(&self, file: &Path, levels: usize) -> Vec<Vec<PathBuf>> {
        let Some(directory) = file.parent() else { return Vec::new() };
        let default = files_of_directory(self.host, directory).unwrap_or_default();
        let mut stacks: Vec<Vec<PathBuf>> = Vec::new();
        let first: Vec<PathBuf> = default.first().cloned().into_iter().collect();
        stacks.push(first.clone());
        if let Some(levels) = levels.checked_sub(1) {
            for shorter in shorter_names(file).filter(|path| self.is_file(path)) {
                let alone = vec![shorter.clone()];
                match self.complete(&alone) {
                    Some(_) => stacks.push(alone),
                    None => stacks.extend(self.on_top(&shorter, levels).map(|(stack, _)| stack)),
                }
            }
        }
        for base in base_names(file).filter(|path| self.is_file(path)) {
            stacks.push(vec![base.clone()]);
            stacks.push([vec![base], first.clone()].concat());
        }
        stacks.push(default);
        let mut seen = BTreeSet::new();
        stacks.retain(|stack| {
            !stack.is_empty()
                && !stack.iter().any(|path| path == file)
                && seen.insert(stack.clone())
        });
        stacks
    }

    fn is_file(&self, path: &Path) -> bool {
        self.host.target_kind(path) == Some(EntryKind::File)
    }

    /// True when these files extend or include `file`: then it lies below them.
    fn takes(&self, stack: &[PathBuf], file: &Path) -> bool {
        let request = Request { files: stack.to_vec(), ..self.request.clone() };
        load(self.host, self.environment, &request)
            .is_ok_and(|project| project.files.iter().any(|other| other.path == file))
    }
}

/// The file's name without its last part, without its last two, and so on, with each ending.
fn shorter_names(file: &Path) -> impl Iterator<Item = PathBuf> {
    let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let mut stems: Vec<String> = Vec::new();
    let mut rest = stem;
    while !is_root(rest)
        && let Some(at) = rest.rfind(['.', '-'])
    {
        rest = rest.get(..at).unwrap_or_default();
        stems.push(rest.to_owned());
    }
    with_endings(file, stems)
}

/// Names of what is made to have files on top: `docker-compose.base.yml`.
fn base_names(file: &Path) -> impl Iterator<Item = PathBuf> {
    let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let roots = ["docker-compose", "compose"];
    let own = roots.into_iter().filter(|root| stem.starts_with(root));
    let others = roots.into_iter().filter(|root| !stem.starts_with(root));
    let stems = own.chain(others).flat_map(|root| {
        BASE_WORDS.iter().flat_map(move |word| [format!("{root}.{word}"), format!("{root}-{word}")])
    });
    with_endings(file, stems.collect())
}

/// True for the part of a Compose file's name that says no more than that.
fn is_root(stem: &str) -> bool {
    DEFAULT_NAMES.iter().any(|name| Path::new(name).file_stem().is_some_and(|root| root == stem))
}

/// Paths beside `file` with these stems, the file's own ending first.
fn with_endings(file: &Path, stems: Vec<String>) -> impl Iterator<Item = PathBuf> {
    let own = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_owned();
    let directory = file.parent().unwrap_or(Path::new("")).to_path_buf();
    let mut endings = vec![own];
    endings.extend(ENDINGS.iter().map(|ending| (*ending).to_owned()));
    stems.into_iter().flat_map(move |stem| {
        let directory = directory.clone();
        let paths = endings.clone().into_iter();
        paths.map(move |ending| directory.join(format!("{stem}.{ending}")))
    })
}

#[cfg(test)]
mod tests;
