//! What several suites share: the fixtures, the program in this process, and its patches.
#![allow(dead_code, reason = "each suite uses a part of it")]

pub(crate) mod compose;
pub(crate) mod patch;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use composefix::cli::Command;
use composefix::host::{Environment, Host, MemoryHost, MemoryNode};
use serde::Deserialize;

/// A folder of `fixtures/`.
#[derive(Debug, Clone)]
pub(crate) struct Fixture {
    /// The folder's name.
    pub(crate) name: String,
    /// The folder.
    pub(crate) place: PathBuf,
    /// What `case.yaml` says.
    pub(crate) case: Case,
    /// Files below `input/`, by their path with `/`.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

/// `case.yaml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    /// What the fixture teaches.
    pub(crate) why: String,
    /// Flags of the run.
    #[serde(default)]
    pub(crate) args: Vec<String>,
    /// Directories to imagine in the project, with their number of files.
    #[serde(default)]
    pub(crate) tree: BTreeMap<String, u64>,
    /// Nothing may change, not even with `--unsafe`.
    #[serde(default)]
    pub(crate) stays: bool,
    /// Lines, without blanks around them, that the edit takes away or changes beyond inserting.
    #[serde(default)]
    pub(crate) goes: Vec<String>,
}

impl Fixture {
    /// All fixtures, by name.
    pub(crate) fn all() -> Vec<Self> {
        let mut names: Vec<String> = fs::read_dir(root().join("fixtures"))
            .unwrap()
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.file_type().unwrap().is_dir())
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        names.sort();
        names.iter().map(|name| Self::read(name)).collect()
    }

    fn read(name: &str) -> Self {
        let place = root().join("fixtures").join(name);
        let text = text(&place.join("case.yaml"));
        let case = serde_yaml::from_str(&text)
            .unwrap_or_else(|error| panic!("fixtures/{name}/case.yaml: {error}"));
        let files = files_below(&place.join("input"));
        assert!(!files.is_empty(), "fixtures/{name}/input has no files");
        Self { name: name.to_owned(), place, case, files }
    }

    /// The project at an absolute path, with other texts for some of its files.
    pub(crate) fn host(&self, at: &Path, texts: &BTreeMap<String, Vec<u8>>) -> MemoryHost {
        self.add_to(MemoryHost::default(), at, texts)
    }

    /// Another file system with the project in it.
    pub(crate) fn add_to(
        &self,
        host: MemoryHost,
        at: &Path,
        texts: &BTreeMap<String, Vec<u8>>,
    ) -> MemoryHost {
        let files = self.files.iter().chain(texts);
        let host =
            files.fold(host, |host, (name, text)| host.with_file(at.join(name), text.as_slice()));
        let trees = self.case.tree.iter();
        trees.fold(host, |host, (path, files)| host.with(at.join(path), MemoryNode::Tree(*files)))
    }

    /// `check` or `apply`, further words, and the fixture's own flags.
    pub(crate) fn words(&self, words: &str) -> Vec<String> {
        let own = self.case.args.iter().cloned();
        words.split_whitespace().map(str::to_owned).chain(own).collect()
    }
}

/// What a run printed and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) code: u8,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    /// Standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("no JSON: {error}\n{}{}", self.stdout, self.stderr))
    }
}

/// Runs the program in this process, as a pipeline would: no terminal, nothing on standard input.
pub(crate) fn run(host: &dyn Host, environment: &Environment, words: &[String]) -> Outcome {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let mut command = Command {
        stdin: &mut std::io::empty(),
        stdout: &mut stdout,
        stderr: &mut stderr,
        stdin_is_terminal: false,
        stdout_is_terminal: false,
        stderr_is_terminal: false,
        environment: environment.clone(),
        host,
    };
    let words = std::iter::once("composefix").chain(words.iter().map(String::as_str));
    let exit = command.main(words.map(OsString::from));
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Outcome { code: exit.code(), stdout: text(stdout), stderr: text(stderr) }
}

/// An environment without variables.
pub(crate) fn environment(directory: &Path) -> Environment {
    Environment {
        directory: directory.to_path_buf(),
        home: Some(PathBuf::from("/home/dev")),
        ..Environment::default()
    }
}

/// The repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A variable of the process that runs the tests.
#[expect(clippy::disallowed_methods, reason = "suites are told by variables what to do")]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A file's bytes.
#[expect(clippy::disallowed_methods, reason = "suites read the repository")]
pub(crate) fn bytes(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A file's text.
pub(crate) fn text(path: &Path) -> String {
    String::from_utf8(bytes(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Writes a file and the directories above it.
#[expect(clippy::disallowed_methods, reason = "suites lay out their own files")]
pub(crate) fn put(path: &Path, content: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// All files below a directory, by their path with `/`; none when it is not there.
pub(crate) fn files_below(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let walk = ignore::WalkBuilder::new(directory).standard_filters(false).build();
    walk.filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(|entry| {
            let name = entry.path().strip_prefix(directory).unwrap();
            let parts: Vec<&str> = name.iter().map(|part| part.to_str().unwrap()).collect();
            (parts.join("/"), bytes(entry.path()))
        })
        .collect()
}
