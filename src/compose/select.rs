//! Which files make up a project: flags, `COMPOSE_FILE`, or the default names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::dotenv;
use super::interpolate::Variables;
use crate::error::Problem;
use crate::host::{EntryKind, Environment, Host, lexical_clean};

/// Names that Compose looks for, best first.
pub const DEFAULT_NAMES: [&str; 4] =
    ["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"];

/// Names of the file that goes on top of a default one, best first.
pub const OVERRIDE_NAMES: [&str; 4] = [
    "compose.override.yml",
    "compose.override.yaml",
    "docker-compose.override.yml",
    "docker-compose.override.yaml",
];

/// Bytes that a Compose or `.env` file may have.
pub(super) const FILE_LIMIT: u64 = 64 << 20;

/// What the user asked to load, as in `docker compose`.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// `-f`, in order. Empty: `COMPOSE_FILE`, else the default names here or in a parent directory.
    pub files: Vec<PathBuf>,
    /// `--project-directory`.
    pub project_directory: Option<PathBuf>,
    /// `--env-file`, in order.
    pub env_files: Vec<PathBuf>,
    /// `--profile`; `*` stands for all.
    pub profiles: Vec<String>,
    /// Text to use instead of reading the file of that name: standard input, or a planned edit.
    pub texts: BTreeMap<PathBuf, String>,
    /// The one file stands for itself and not for `-f`: [`resolve`](super::resolve) may put it on
    /// top of a neighbour.
    pub alone: bool,
}

/// Who chose the files of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chosen {
    /// The user named them.
    Named,
    /// The variable `COMPOSE_FILE`.
    Variable,
    /// Nobody: they have the default names.
    Default,
}

/// A project's files, directory and variables.
#[derive(Debug, Clone)]
pub(super) struct Selection {
    pub(super) files: Vec<PathBuf>,
    pub(super) chosen: Chosen,
    pub(super) directory: PathBuf,
    pub(super) variables: Layered,
    pub(super) profiles: Vec<String>,
}

/// Variables of the process over those of `.env` files.
#[derive(Debug, Clone, Default)]
pub(super) struct Layered {
    variables: BTreeMap<String, String>,
}

impl Variables for Layered {
    fn value(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }
}

impl Layered {
    pub(super) fn of_process(environment: &Environment) -> Self {
        Self { variables: environment.variables.clone() }
    }

    /// Adds the variables of files below the present ones. Of one name the last file has the word.
    pub(super) fn add_files(
        &mut self,
        host: &dyn Host,
        files: &[PathBuf],
        name: &dyn Fn(&Path) -> String,
    ) -> Result<(), Problem> {
        for (name, value) in self.read(host, files, name)? {
            self.variables.entry(name).or_insert(value);
        }
        Ok(())
    }

    fn read(
        &self,
        host: &dyn Host,
        files: &[PathBuf],
        name: &dyn Fn(&Path) -> String,
    ) -> Result<BTreeMap<String, String>, Problem> {
        let mut layer = BTreeMap::new();
        for file in files {
            let shown = name(file);
            let bytes = host.read(file, FILE_LIMIT).map_err(|e| {
                Problem::of_file(&shown, format!("cannot read the env file: {e}"))
                    .with_help("create it, or name another with --env-file")
            })?;
            let text = String::from_utf8_lossy(&bytes);
            let pairs = dotenv::parse(&text, self, &layer).map_err(|bad| {
                let line = text.get(..bad.offset).map_or(1, |t| t.matches('\n').count() + 1);
                Problem::of_file(&shown, format!("line {line}: {}", bad.message))
                    .with_help("write NAME=value, with quotes around a value of several words")
            })?;
            layer.extend(pairs);
        }
        Ok(layer)
    }

    /// Sets a variable, whatever it was.
    pub(super) fn set(&mut self, name: &str, value: String) {
        self.variables.insert(name.to_owned(), value);
    }
}

/// Finds the files, the project directory and the variables.
pub(super) fn select(
    host: &dyn Host,
    environment: &Environment,
    request: &Request,
    name: &dyn Fn(&Path) -> String,
) -> Result<Selection, Problem> {
    let here = &environment.directory;
    let absolute = |path: &Path| lexical_clean(&here.join(path));
    let mut process = Layered::of_process(environment);
    let working = here.to_string_lossy().into_owned();
    process.variables.entry("PWD".to_owned()).or_insert(working);
    let asked = request.project_directory.as_deref().map(absolute);
    let directory_of = |files: &[PathBuf]| {
        let first = || files.first().and_then(|f| f.parent()).map(Path::to_path_buf);
        asked.clone().or_else(first).unwrap_or_else(|| here.clone())
    };
    let mut files: Vec<PathBuf> = request.files.iter().map(|f| absolute(f)).collect();
    let explicit: Vec<PathBuf> = match process.value("COMPOSE_ENV_FILES") {
        _ if !request.env_files.is_empty() => {
            request.env_files.iter().map(|f| absolute(f)).collect()
        }
        Some(list) => {
            list.split(',').filter(|f| !f.is_empty()).map(|f| absolute(Path::new(f))).collect()
        }
        None => Vec::new(),
    };
    let env_files = |directory: &Path, process: &Layered| -> Result<Vec<PathBuf>, Problem> {
        if !explicit.is_empty() {
            return Ok(explicit.clone());
        }
        let default = directory.join(".env");
        let there = host.target_kind(&default) == Some(EntryKind::File);
        Ok(if !is_disabled(process)? && there { vec![default] } else { Vec::new() })
    };
    // Settings of Compose itself count as if they were the process's own, and may change which env
    // file is read next.
    let start = directory_of(&files);
    for (name, value) in process.read(host, &env_files(&start, &process)?, name)? {
        if name.starts_with("COMPOSE_") {
            process.variables.entry(name).or_insert(value);
        }
    }
    let mut variables = process.clone();
    variables.add_files(host, &env_files(&start, &process)?, name)?;
    let mut chosen = Chosen::Named;
    if files.is_empty() {
        if let Some(list) = variables.value("COMPOSE_FILE").filter(|l| !l.is_empty()) {
            let separator = variables.value("COMPOSE_PATH_SEPARATOR").filter(|s| !s.is_empty());
            let list = list.split(separator.unwrap_or(OS_SEPARATOR));
            files = list.map(|f| absolute(Path::new(f))).collect();
            chosen = Chosen::Variable;
        } else {
            files = default_files(host, &start).ok_or_else(|| Problem {
                file: None,
                span: None,
                message: "no Compose file here or in a parent directory".to_owned(),
                help: Some(format!("name one, or create {}", DEFAULT_NAMES.join(", "))),
            })?;
            chosen = Chosen::Default;
        }
    }
    let directory = directory_of(&files);
    variables.add_files(host, &env_files(&directory, &process)?, name)?;
    let mut profiles = request.profiles.clone();
    if profiles.is_empty() {
        let listed = variables.value("COMPOSE_PROFILES").unwrap_or_default();
        profiles = listed.split(',').map(|p| p.trim().to_owned()).collect();
    }
    Ok(Selection { files, chosen, directory, variables, profiles })
}

/// Whether `COMPOSE_DISABLE_ENV_FILE` says that no `.env` file is read.
fn is_disabled(process: &Layered) -> Result<bool, Problem> {
    match process.value("COMPOSE_DISABLE_ENV_FILE") {
        Some("1" | "t" | "T" | "true" | "TRUE" | "True") => Ok(true),
        None | Some("0" | "f" | "F" | "false" | "FALSE" | "False") => Ok(false),
        Some(_) => Err(Problem {
            file: None,
            span: None,
            message: "`COMPOSE_DISABLE_ENV_FILE` must be true or false".to_owned(),
            help: Some("set it to 1 or 0, or unset it".to_owned()),
        }),
    }
}

/// The default file of the nearest directory that has one, with its override file.
pub(super) fn default_files(host: &dyn Host, start: &Path) -> Option<Vec<PathBuf>> {
    start.ancestors().find_map(|directory| files_of_directory(host, directory))
}

/// What Compose loads when started in this very directory.
pub fn files_of_directory(host: &dyn Host, directory: &Path) -> Option<Vec<PathBuf>> {
    let exists = |name: &&str| host.target_kind(&directory.join(name)) == Some(EntryKind::File);
    let base = DEFAULT_NAMES.iter().find(|n| exists(n))?;
    let over = OVERRIDE_NAMES.iter().find(|n| exists(n));
    Some(std::iter::once(base).chain(over).map(|n| directory.join(n)).collect())
}

const OS_SEPARATOR: &str = if cfg!(windows) { ";" } else { ":" };
