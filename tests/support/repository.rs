//! A git repository of a test, and programs that run in it.
#![allow(dead_code, reason = "each suite uses a part of it")]

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::support::{put, text, variable};

/// A repository that is removed when dropped.
#[derive(Debug)]
pub(crate) struct Repository {
    project: TempDir,
    /// Home, temporary and other directories of what runs, outside the project.
    outside: TempDir,
}

/// How a program ended and all that it said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) said: String,
}

impl Repository {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let directory = || tempfile::tempdir().unwrap();
        let repository = Self { project: directory(), outside: directory() };
        repository.git("init --quiet");
        for (name, text) in files {
            repository.put(name, text);
        }
        repository
    }

    pub(crate) fn path(&self) -> &Path {
        self.project.path()
    }

    pub(crate) fn outside(&self) -> &Path {
        self.outside.path()
    }

    pub(crate) fn put(&self, name: &str, text: &str) {
        put(&self.path().join(name), text.as_bytes());
    }

    pub(crate) fn text(&self, name: &str) -> String {
        text(&self.path().join(name))
    }

    /// Runs git, which must succeed.
    pub(crate) fn git(&self, words: &str) -> String {
        let words: Vec<&str> = words.split_whitespace().collect();
        let ran = self.run(Path::new("git"), &words, &[]);
        assert_eq!(ran.code, 0, "git {words:?}: {}", ran.said);
        ran.said
    }

    pub(crate) fn commit_all(&self) {
        self.git("add --all");
        self.git("commit --quiet --allow-empty --message x");
    }

    /// The program under test on the whole repository.
    pub(crate) fn check(&self, words: &[&str]) -> Ran {
        let words = [&["check"], words].concat();
        self.run(Path::new(env!("CARGO_BIN_EXE_composefix")), &words, &[])
    }

    /// Runs a program in the repository, with the program under test first on PATH.
    pub(crate) fn run(&self, program: &Path, words: &[&str], variables: &[(&str, &str)]) -> Ran {
        let own = Path::new(env!("CARGO_BIN_EXE_composefix")).parent().unwrap();
        let rest = variable("PATH").unwrap_or_default();
        let output = Command::new(program)
            .args(words)
            .current_dir(self.path())
            .env_clear()
            .env("PATH", format!("{}:{rest}", own.display()))
            .env("HOME", self.outside())
            .env("LC_ALL", "C.UTF-8")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .envs(["AUTHOR", "COMMITTER"].iter().flat_map(|who| {
                [("NAME", "x"), ("EMAIL", "x@example.org")]
                    .map(|(what, value)| (format!("GIT_{who}_{what}"), value))
            }))
            .envs(variables.iter().copied())
            .output()
            .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        let code = output.status.code().unwrap_or_else(|| panic!("{}: {said}", program.display()));
        Ran { code, said }
    }
}
