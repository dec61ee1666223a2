//! Loading one project: files, documents, variables, `extends`, `include`, merge.
//!
//! The phases are Compose's own, in its order. For each file, and in it for each YAML document:
//! resolve aliases, fill in variables, apply `extends`, bring in `include`, merge on top of what is
//! there. Relative paths are resolved when the mounts are read off; until then each value remembers
//! the directory that it starts from.

use std::path::{Path, PathBuf};

use super::forms::{self, Misfit};
use super::interpolate::Variables as _;
use super::interpolate::{InvalidTemplate, interpolate};
use super::merge::{Place, merge, settle};
use super::resolve::{Resolver, VALUE_BUDGET};
use super::select::{FILE_LIMIT, Layered, Request, Selection, select};
use super::targets::settle_services;
use super::value::{BaseId, Data, FileId, Map, Origin, Value};
use super::{File, Project, Role, Skipped, extract, fit_name, relative_name};
use crate::error::Problem;
use crate::host::{Environment, Host};
use crate::source::Source;
use crate::yaml;

/// Files or services that may stand on each other by `include` or `extends`.
pub(super) const CHAIN: usize = 128;

/// Bytes that variables may add to the texts of one project.
const TEXT_GROWTH: usize = 64 << 20;

/// The variable with the project's name.
const NAME: &str = "COMPOSE_PROJECT_NAME";

/// Loads the project that `request` names.
///
/// # Errors
/// The first thing that keeps Compose, or this program, from reading it.
pub fn load(
    host: &dyn Host,
    environment: &Environment,
    request: &Request,
) -> Result<Project, Problem> {
    let name = |path: &Path| relative_name(&environment.directory, path);
    let Selection { files, chosen, directory, variables, profiles } =
        select(host, environment, request, &name)?;
    let mut loader = Loader {
        host,
        environment,
        request,
        files: Vec::new(),
        bases: Vec::new(),
        skipped: Vec::new(),
        budget: VALUE_BUDGET,
        growth: TEXT_GROWTH,
    };
    let mut variables = variables;
    let name = loader.name(&files, &directory, &variables)?;
    if !name.is_empty() {
        variables.set(NAME, name.clone());
    }
    let context = Context {
        base: loader.base(&directory),
        variables,
        role: Role::Main,
        extend: true,
        trail: Vec::new(),
    };
    let root = loader.stack(&files, &context)?;
    let mut project = Project {
        name,
        directory,
        stack: files,
        chosen,
        files: loader.files,
        bases: loader.bases,
        services: Vec::new(),
        volumes: Vec::new(),
        skipped: loader.skipped,
        root,
    };
    extract::fill(&mut project, &profiles, environment)?;
    Ok(project)
}

/// How a file is being loaded.
#[derive(Clone)]
pub(super) struct Context {
    pub(super) base: BaseId,
    pub(super) variables: Layered,
    pub(super) role: Role,
    /// False for a file that `extends` reads: its own `extends` are followed service by service,
    /// its `include` not at all.
    pub(super) extend: bool,
    /// Files that include each other on the way here.
    pub(super) trail: Vec<PathBuf>,
}

pub(super) struct Loader<'a> {
    pub(super) host: &'a dyn Host,
    pub(super) environment: &'a Environment,
    request: &'a Request,
    files: Vec<File>,
    bases: Vec<PathBuf>,
    skipped: Vec<Skipped>,
    budget: usize,
    /// Bytes that variables may still add to the texts of the project.
    growth: usize,
}

impl Loader<'_> {
    /// The project name: `COMPOSE_PROJECT_NAME`, else the last `name:` of the main files, else the
    /// directory's name. It is known before variables are filled in, as one of them holds it.
    fn name(
        &mut self,
        files: &[PathBuf],
        directory: &Path,
        variables: &Layered,
    ) -> Result<String, Problem> {
        if let Some(given) = variables.value(NAME).filter(|name| !name.is_empty()) {
            if fit_name(given) == given {
                return Ok(given.to_owned());
            }
            return Err(Problem {
                file: None,
                span: None,
                message: format!("`{NAME}` is no project name"),
                help: Some(
                    "use small letters, digits, `-` and `_`, and a letter or digit first"
                        .to_owned(),
                ),
            });
        }
        let mut named = String::new();
        for path in files {
            let file = self.open(path, Role::Main)?;
            let document = &self.file(file)?.document;
            let mut texts = document.roots().iter().filter_map(|root| {
                document.text_of(document.follow(document.get(*root, "name")?.value))
            });
            if let Some(name) = texts.rfind(|name| !name.is_empty()) {
                name.clone_into(&mut named);
            }
        }
        // A template that does not hold is named with its place later.
        let named = interpolate(&named, variables).map_or(String::new(), |filled| filled.text);
        let own = directory.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        Ok(Some(fit_name(&named)).filter(|name| !name.is_empty()).unwrap_or_else(|| fit_name(own)))
    }

    pub(super) fn base(&mut self, directory: &Path) -> BaseId {
        let known = self.bases.iter().position(|b| b == directory);
        BaseId(known.unwrap_or_else(|| {
            self.bases.push(directory.to_path_buf());
            self.bases.len() - 1
        }))
    }

    pub(super) fn directory(&self, base: BaseId) -> &Path {
        self.bases.get(base.0).map_or(Path::new(""), PathBuf::as_path)
    }

    /// Reads and parses a file once, whoever asks for it.
    pub(super) fn open(&mut self, path: &Path, role: Role) -> Result<FileId, Problem> {
        if let Some(at) = self.files.iter().position(|f| f.path == path) {
            if let Some(file) = self.files.get_mut(at) {
                file.role = file.role.min(role);
            }
            return Ok(FileId(at));
        }
        let name = relative_name(&self.environment.directory, path);
        let source = if let Some(text) = self.request.texts.get(path) {
            Source::new(&name, text.as_str())
        } else {
            let bytes = self.host.read(path, FILE_LIMIT).map_err(|e| cannot_read(&name, &e))?;
            yaml::decode(&name, bytes)?
        };
        let document = yaml::parse(&source, &yaml::Limits::default())?;
        self.files.push(File { path: path.to_path_buf(), source, document, role });
        Ok(FileId(self.files.len() - 1))
    }

    /// Files on top of each other.
    pub(super) fn stack(&mut self, paths: &[PathBuf], context: &Context) -> Result<Value, Problem> {
        let mut merged: Option<Value> = None;
        for path in paths {
            let file = self.open(path, context.role)?;
            let roots = self.file(file)?.document.roots().to_vec();
            let alone = roots.len() == 1;
            for root in roots {
                let mut value = self.resolve(file, root, context)?;
                match value.data {
                    Data::Null if alone => continue,
                    Data::Null => {
                        return Err(self
                            .problem(&value, "this YAML document is empty")
                            .with_help("remove its `---`: Compose refuses empty documents"));
                    }
                    Data::Map(_) => {}
                    _ => return Err(self.problem(&value, "the top level must be a mapping")),
                }
                self.check_format(&value)?;
                if context.extend {
                    self.extend_services(&mut value, file, context)?;
                    self.include(&mut value, path, context)?;
                }
                let mut all = match merged {
                    None => settle(value),
                    Some(below) => merge(below, value, &Place::ROOT),
                };
                settle_services(&mut all).map_err(|misfit| self.misfit(misfit))?;
                if context.extend {
                    forms::check(&all).map_err(|misfit| self.misfit(misfit))?;
                }
                merged = Some(all);
            }
        }
        if merged.is_none() && context.role == Role::Included {
            let nothing = Data::Map(Map { entries: Vec::new(), parts: Vec::new() });
            return Ok(Value { data: nothing, ..Value::null() });
        }
        merged.ok_or_else(|| {
            let name = paths.last().map(|p| relative_name(&self.environment.directory, p));
            Problem::of_file(name.unwrap_or_default(), "the file is empty")
                .with_help("a Compose file needs at least `services:`")
        })
    }

    pub(super) fn file(&self, id: FileId) -> Result<&File, Problem> {
        self.files.get(id.0).ok_or_else(|| Problem::of_file("", "no such file in the project"))
    }

    fn resolve(
        &mut self,
        file: FileId,
        root: yaml::NodeId,
        context: &Context,
    ) -> Result<Value, Problem> {
        let Some(opened) = self.files.get(file.0) else {
            return Err(Problem::of_file("", "no such file in the project"));
        };
        let mut resolver = Resolver {
            source: &opened.source,
            document: &opened.document,
            file,
            base: context.base,
            budget: &mut self.budget,
            aliases: 0,
        };
        let mut value = resolver.value(root)?;
        self.fill_in(&mut value, &context.variables)?;
        Ok(value)
    }

    /// Variables are filled in everywhere but in keys.
    fn fill_in(&mut self, value: &mut Value, variables: &Layered) -> Result<(), Problem> {
        match &mut value.data {
            Data::Null => Ok(()),
            Data::Map(map) => {
                map.entries.iter_mut().try_for_each(|(_, v)| self.fill_in(v, variables))
            }
            Data::List(list) => list.items.iter_mut().try_for_each(|v| self.fill_in(v, variables)),
            Data::Scalar(text) if !text.string || !text.text.contains('$') => Ok(()),
            Data::Scalar(text) => {
                let filled = interpolate(&text.text, variables).and_then(|filled| {
                    let more = filled.text.len().saturating_sub(text.text.len());
                    self.growth = self.growth.checked_sub(more).ok_or(InvalidTemplate::Length)?;
                    Ok(filled)
                });
                match filled {
                    Ok(filled) => {
                        text.text = filled.text;
                        text.unset = filled.unset;
                        Ok(())
                    }
                    Err(invalid) => Err(self
                        .problem(value, invalid.to_string())
                        .with_help("write `$$` for a dollar that starts no variable")),
                }
            }
        }
    }

    /// Files of the first format need words of their own.
    fn check_format(&self, root: &Value) -> Result<(), Problem> {
        let Some(map) = root.map() else { return Ok(()) };
        if map.get("services").is_none() {
            let old = map.entries.iter().find(|(key, v)| {
                !key.starts_with("x-")
                    && !matches!(
                        key.as_str(),
                        "volumes" | "networks" | "configs" | "secrets" | "models"
                    )
                    && (v.get("image").is_some() || v.get("build").is_some())
            });
            if let Some((key, value)) = old {
                let message = format!(
                    "service `{key}` stands at the top level: this is the Compose v1 format, which Compose no longer reads"
                );
                return Err(self
                    .problem(value, message)
                    .with_help("indent the services below a `services:` key"));
            }
        }
        Ok(())
    }

    /// Takes what a copy of `value` costs from the budget.
    pub(super) fn charge(&mut self, value: &Value, place: &Value) -> Result<(), Problem> {
        let Some(left) = self.budget.checked_sub(value.cost()) else {
            return Err(self
                .problem(place, "this project expands to too many values")
                .with_help("split it, or write less of it by `extends`"));
        };
        self.budget = left;
        Ok(())
    }

    pub(super) fn problem(&self, value: &Value, message: impl Into<String>) -> Problem {
        self.problem_at(value.origin, message)
    }

    fn problem_at(&self, origin: Origin, message: impl Into<String>) -> Problem {
        match self.files.get(origin.file.0) {
            Some(file) => {
                Problem::at(file.source.name(), file.document.node(origin.node).span, message)
            }
            None => Problem { file: None, span: None, message: message.into(), help: None },
        }
    }

    fn misfit(&self, misfit: Misfit) -> Problem {
        let problem = self.problem_at(misfit.origin, misfit.message);
        Problem { help: misfit.help, ..problem }
    }

    /// A file that cannot be opened is the fault of the line that asks for it.
    pub(super) fn blame(&self, value: &Value, problem: Problem, path: &Path) -> Problem {
        if self.host.target_kind(path).is_some() {
            return problem;
        }
        let name = relative_name(&self.environment.directory, path);
        self.problem(value, format!("{name} is not there"))
            .with_help("create it, or correct the path; it starts from the project directory")
    }

    pub(super) fn skip(&mut self, value: &Value, service: Option<&str>, reason: String) {
        self.skipped.push(Skipped {
            origin: value.origin,
            service: service.map(str::to_owned),
            reason,
        });
    }
}

pub(super) fn is_remote(path: &str) -> bool {
    path.contains("://") || path.starts_with("oci:") || path.starts_with("git@")
}

fn cannot_read(name: &str, error: &std::io::Error) -> Problem {
    let message = match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => format!("cannot read the file: {error}"),
    };
    Problem::of_file(name, message).with_help("check the path and its permissions")
}
