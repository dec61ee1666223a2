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

    /// Adds a file's variables below the present ones; a later file of the same layer wins over an
    /// earlier one, so the files of a layer are read together.
    pub(super) fn add_files(
        &mut self,
        host: &dyn Host,
        files: &[PathBuf],
        name: &dyn Fn(&Path) -> String,
    ) -> Result<(), Problem> {
        let mut layer = BTreeMap::new();
        for file in files {
            let shown = name(file);
            let bytes = host.read(file, FILE_LIMIT).map_err(|e| {
                Problem::of_file(&shown, format!("cannot read the env file: {e}"))
                    .with_help("create it, or name another with --env-file")
            })?;
            let text = String::from_utf8_lossy(&bytes);
            let pairs = dotenv::parse(&text, self).map_err(|bad| {
                let line = text.get(..bad.offset).map_or(1, |t| t.matches('\n').count() + 1);
                Problem::of_file(&shown, format!("line {line}: {}", bad.message))
                    .with_help("write NAME=value, with quotes around a value of several words")
            })?;
            layer.extend(pairs);
        }
        for (name, value) in layer {
            self.variables.entry(name).or_insert(value);
        }
        Ok(())
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
    let mut variables = Layered::of_process(environment);
    let mut files: Vec<PathBuf> = request.files.iter().map(|f| absolute(f)).collect();
    let asked = request.project_directory.as_deref().map(absolute);
    let disabled = variables.value("COMPOSE_DISABLE_ENV_FILE").is_some_and(|v| {
        matches!(v.to_ascii_lowercase().as_str(), "1" | "true" | "t" | "yes" | "y" | "on")
    });
    let explicit = match (&request.env_files, variables.value("COMPOSE_ENV_FILES")) {
        (given, _) if !given.is_empty() => given.iter().map(|f| absolute(f)).collect(),
        (_, Some(list)) => {
            list.split(',').filter(|f| !f.is_empty()).map(|f| absolute(Path::new(f))).collect()
        }
        _ => Vec::new(),
    };
    let env_files = |directory: &Path| -> Vec<PathBuf> {
        let default = directory.join(".env");
        if !explicit.is_empty() {
            explicit.clone()
        } else if !disabled && host.target_kind(&default) == Some(EntryKind::File) {
            vec![default]
        } else {
            Vec::new()
        }
    };
    let mut chosen = Chosen::Named;
    if files.is_empty() {
        let start = asked.as_ref().unwrap_or(here);
        let mut early = variables.clone();
        early.add_files(host, &env_files(start), name)?;
        if let Some(list) = early.value("COMPOSE_FILE").filter(|l| !l.is_empty()) {
            let separator = early.value("COMPOSE_PATH_SEPARATOR").unwrap_or(OS_SEPARATOR);
            files = list.split(separator).map(|f| absolute(&start.join(f))).collect();
            chosen = Chosen::Variable;
        } else {
            files = default_files(host, start).ok_or_else(|| Problem {
                file: None,
                span: None,
                message: "no Compose file here or in a parent directory".to_owned(),
                help: Some(format!("name one, or create {}", DEFAULT_NAMES.join(", "))),
            })?;
            chosen = Chosen::Default;
        }
    }
    let directory = asked.unwrap_or_else(|| {
        files.first().and_then(|f| f.parent()).map_or_else(|| here.clone(), Path::to_path_buf)
    });
    variables.add_files(host, &env_files(&directory), name)?;
    let mut profiles = request.profiles.clone();
    if profiles.is_empty() {
        let listed = variables.value("COMPOSE_PROFILES").unwrap_or_default();
        profiles = listed.split(',').filter(|p| !p.is_empty()).map(str::to_owned).collect();
    }
    Ok(Selection { files, chosen, directory, variables, profiles })
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
