//! The GitHub Action and the GitLab template, as far as a shell can run them: each script with the
//! variables that its step documents, in a repository of its own.
#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may panic")]

#[path = "support/repository.rs"]
mod repository;
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use repository::{Ran, Repository};
use serde_json::Value;
use support::{put, root, text, variable};

const CLEAN: &str = "services:\n  web:\n    image: redis\n";
const BIND: &str = "services:\n  web:\n    image: node\n    volumes:\n      - .:/app\n";
const BROKEN: &str = "services: [\n";
const PACKAGE: (&str, &str) = ("package.json", "{\"dependencies\": {\"left-pad\": \"1.0.0\"}}\n");

/// Stands for the program: writes down its words, and runs the real one.
const PROGRAM: &str = r#"#!/usr/bin/env bash
printf '<%s>\n' "$@" >"$RECORD"
exec "$REAL" "$@"
"#;

/// Stands for Python: makes an environment whose pip writes down its words.
const PYTHON: &str = r#"#!/usr/bin/env bash
[ "$1 $2" = "-m venv" ] || exit 3
mkdir -p "$3/bin"
printf '#!/bin/sh\nprintf "<%%s>\\n" "$@" >"$RECORD"\n' >"$3/bin/python"
printf '#!/bin/sh\necho composefix 0.0.0\n' >"$3/bin/composefix"
chmod +x "$3/bin/python" "$3/bin/composefix"
"#;

const PIP: &str = "#!/bin/sh\nprintf '<%s>\\n' \"$@\" >\"$RECORD.pip\"\n";

fn yaml(name: &str) -> Value {
    serde_yaml::from_str(&text(&root().join(name))).unwrap()
}

fn executable(path: &Path, script: &str) {
    put(path, script.as_bytes());
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A repository beside what a runner gives to a job.
struct Job {
    repository: Repository,
    action: Value,
}

impl Job {
    fn new(compose: &str) -> Self {
        let repository = Repository::new(&[("compose.yaml", compose), PACKAGE]);
        let stubs = repository.outside().join("stubs");
        executable(&stubs.join("composefix"), PROGRAM);
        executable(&stubs.join("python3"), PYTHON);
        executable(&stubs.join("pip"), PIP);
        for name in ["output", "path"] {
            put(&repository.outside().join(name), b"");
        }
        Self { repository, action: yaml("action.yml") }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.repository.outside().join(name)
    }

    fn said_in(&self, name: &str) -> String {
        text(&self.at(name))
    }

    /// Runs a script as a runner does.
    fn bash(&self, script: &str, variables: &BTreeMap<String, String>) -> Ran {
        put(&self.at("script"), script.as_bytes());
        let path = variable("PATH").unwrap_or_default();
        let mut all = variables.clone();
        for (name, value) in [
            ("PATH", format!("{}:{path}", self.at("stubs").display())),
            ("REAL", env!("CARGO_BIN_EXE_composefix").to_owned()),
            ("RECORD", self.at("record").display().to_string()),
            ("RUNNER_TEMP", self.at("temp").display().to_string()),
            ("GITHUB_OUTPUT", self.at("output").display().to_string()),
            ("GITHUB_PATH", self.at("path").display().to_string()),
        ] {
            all.insert(name.to_owned(), value);
        }
        let all: Vec<(&str, &str)> = all.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        let script = self.at("script").display().to_string();
        let words = ["--noprofile", "--norc", "-e", "-o", "pipefail", &script];
        self.repository.run(Path::new("bash"), &words, &all)
    }

    /// Runs a step of the action with some of its inputs.
    fn step(&self, id: &str, inputs: &[(&str, &str)]) -> Ran {
        let step = steps(&self.action).into_iter().find(|step| step["id"] == id).unwrap();
        let value = |expression: &str| {
            let name = expression.strip_prefix("${{ inputs.").unwrap();
            let name = name.strip_suffix(" }}").unwrap();
            let given = inputs.iter().find(|(other, _)| *other == name);
            let default = || self.action["inputs"][name]["default"].as_str().unwrap();
            given.map_or_else(default, |(_, value)| value).to_owned()
        };
        let env = step["env"].as_object().unwrap().iter();
        let env = env.map(|(name, from)| (name.clone(), value(from.as_str().unwrap())));
        self.bash(step["run"].as_str().unwrap(), &env.collect())
    }

    fn words(&self) -> Vec<String> {
        let record = self.said_in("record");
        record.lines().map(|line| line.trim_matches(['<', '>']).to_owned()).collect()
    }
}

fn steps(action: &Value) -> Vec<Value> {
    action["runs"]["steps"].as_array().unwrap().clone()
}

#[test]
fn the_action_has_the_shape_that_runners_want() {
    let action = yaml("action.yml");
    assert_eq!(action["runs"]["using"], "composite");
    let whole = text(&root().join("action.yml"));
    for (name, input) in action["inputs"].as_object().unwrap() {
        assert!(input["description"].as_str().is_some_and(|words| words.ends_with('.')), "{name}");
        assert!(input["default"].is_string(), "{name}");
        assert!(whole.contains(&format!("inputs.{name} ")), "{name} is not used");
    }
    for step in steps(&action) {
        if let Some(uses) = step["uses"].as_str() {
            assert!(uses.starts_with("github/"), "{uses}: whose is that?");
            continue;
        }
        let run = step["run"].as_str().unwrap();
        assert_eq!(step["shell"], "bash");
        // Text of an input would be run by the shell.
        assert!(!run.contains("${{"), "{run}");
        for name in step["env"].as_object().unwrap().keys() {
            assert!(run.contains(&format!("${name}")), "{name} is not used");
        }
        for used in run.split("$COMPOSEFIX_").skip(1) {
            let name = used.split(|c: char| !c.is_ascii_uppercase()).next().unwrap();
            assert!(step["env"].get(format!("COMPOSEFIX_{name}")).is_some(), "{used}");
        }
    }
    for (name, output) in action["outputs"].as_object().unwrap() {
        let from = output["value"].as_str().unwrap();
        assert_eq!(from, format!("${{{{ steps.check.outputs.{name} }}}}"));
    }
}

#[test]
fn the_check_ends_as_the_program_does() {
    for (compose, code) in [(CLEAN, 0), (BIND, 1), (BROKEN, 2)] {
        let job = Job::new(compose);
        let ran = job.step("check", &[]);
        assert_eq!(ran.code, code, "{}", ran.said);
        assert_eq!(job.said_in("output"), format!("exit-code={code}\n"));
        assert!(ran.said.starts_with("composefix check --format github -- .\n"), "{}", ran.said);
        assert_eq!(ran.said.contains("slow-tree"), code == 1, "{}", ran.said);
    }
}

#[test]
fn inputs_become_arguments() {
    let job = Job::new(BIND);
    job.repository.put("a b/compose.yaml", CLEAN);
    let ran = job.step(
        "check",
        &[
            ("paths", "a b\n\ncompose.yaml\n"),
            ("platforms", "linux-native,macos-osxfs"),
            ("args", "--fail-on=error\n--select\nslow-tree"),
            ("sarif", "out.sarif"),
        ],
    );
    assert_eq!(ran.code, 0, "{}", ran.said);
    assert_eq!(
        job.words(),
        [
            "check",
            "--format",
            "github",
            "--format",
            "sarif=out.sarif",
            "--platform",
            "linux-native,macos-osxfs",
            "--fail-on=error",
            "--select",
            "slow-tree",
            "--",
            "a b",
            "compose.yaml",
        ]
    );
    let file = job.repository.path().join("out.sarif");
    let output = job.said_in("output");
    let path = output.strip_prefix("exit-code=0\nsarif=").unwrap().trim_end();
    assert_eq!(Path::new(path).canonicalize().unwrap(), file.canonicalize().unwrap());
    assert!(text(&file).contains("slow-tree"));
}

/// Without a report there is nothing to upload.
#[test]
fn no_report_is_named_that_was_not_written() {
    let job = Job::new(CLEAN);
    let ran = job.step("check", &[("sarif", "out.sarif"), ("args", "--frobnicate")]);
    assert_eq!(ran.code, 2, "{}", ran.said);
    assert_eq!(job.said_in("output"), "exit-code=2\n");
}

#[test]
fn no_input_is_run() {
    let evil = "\"; touch owned; $(touch owned) `touch owned` ${{ x }} *";
    for input in ["paths", "platforms", "args", "sarif"] {
        let job = Job::new(CLEAN);
        job.step("check", &[(input, evil)]);
        assert!(!job.repository.path().join("owned").exists(), "{input}");
        assert!(job.words().iter().any(|word| word.ends_with(evil)), "{input}: {:?}", job.words());
    }
    for version in [evil, "1.0 --index-url=x", "1.0;x", "@x"] {
        let job = Job::new(CLEAN);
        let ran = job.step("install", &[("version", version)]);
        assert_eq!(ran.code, 2, "{version}: {}", ran.said);
        assert!(ran.said.starts_with("::error::`version` of composefix must be"), "{}", ran.said);
        assert!(!job.repository.path().join("owned").exists(), "{version}");
        assert!(!job.at("record").exists(), "{version}");
    }
}

#[test]
fn the_newest_or_the_named_version_is_installed() {
    for (version, requirement) in [("", "composefix"), ("0.1.0", "composefix==0.1.0")] {
        let job = Job::new(CLEAN);
        let ran = job.step("install", &[("version", version)]);
        assert_eq!((ran.code, ran.said.as_str()), (0, "composefix 0.0.0\n"));
        assert_eq!(job.words().last().unwrap(), requirement);
        let bin = job.at("temp/composefix/bin");
        assert_eq!(job.said_in("path"), format!("{}\n", bin.display()));
    }
    let job = Job::new(CLEAN);
    let ran = job.step("install", &[("version", "installed")]);
    assert_eq!(ran.code, 0, "{}", ran.said);
    assert!(!job.at("record").exists() && job.said_in("path").is_empty());
}

#[test]
fn the_job_for_gitlab_reports_and_fails() {
    let job_of = yaml("templates/gitlab-ci.yml")["composefix"].clone();
    let lines = |key: &str| -> Vec<String> {
        let lines = job_of[key].as_array().unwrap().iter();
        lines.map(|line| line.as_str().unwrap().to_owned()).collect()
    };
    let script = [lines("before_script"), lines("script")].concat().join("\n");
    let report = job_of["artifacts"]["reports"]["codequality"].as_str().unwrap();
    assert_eq!(job_of["artifacts"]["when"], "always");
    let usual = job_of["variables"].as_object().unwrap().iter();
    let usual: BTreeMap<String, String> =
        usual.map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned())).collect();
    for (compose, code) in [(CLEAN, 0), (BIND, 1), (BROKEN, 2)] {
        let job = Job::new(compose);
        let ran = job.bash(&script, &usual);
        assert_eq!(ran.code, code, "{}", ran.said);
        assert!(job.said_in("record.pip").ends_with("<composefix>\n"));
        assert_eq!(text(&job.repository.path().join(report)).contains("slow-tree"), code == 1);
        assert_eq!(
            ran.said.contains("[slow-tree]"),
            code == 1,
            "people read it, too: {}",
            ran.said
        );
    }
    let job = Job::new(BIND);
    let mut variables = usual;
    for (name, value) in [
        ("COMPOSEFIX_VERSION", "0.1.0"),
        ("COMPOSEFIX_PATHS", "compose.yaml package.json"),
        ("COMPOSEFIX_ARGS", "--fail-on error"),
    ] {
        assert!(variables.insert(name.to_owned(), value.to_owned()).is_some(), "{name}");
    }
    job.bash(&script, &variables);
    assert!(job.said_in("record.pip").ends_with("<composefix==0.1.0>\n"));
    let words = job.words();
    assert_eq!(
        words[words.len() - 5..],
        ["--fail-on", "error", "--", "compose.yaml", "package.json"]
    );
}
