//! Every file of `tests/machines/`: a machine as far as it is looked at, and what
//! `composefix platform` says of it.
//!
//! `SNAPSHOTS=overwrite cargo test --test machines` writes the text behind `expected: |` anew; the git
//! diff of that is to be read like code.
#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use composefix::host::{Environment, MemoryHost, MemoryNode, System};
use composefix::rules::Rules;
use serde::Deserialize;
use serde_json::Value;
use support::{Outcome, bytes, root, run, text, variable};

/// A machine.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Machine {
    /// What the case teaches.
    why: String,
    system: Name,
    #[serde(default)]
    arm: bool,
    home: PathBuf,
    /// Where the project lies.
    directory: PathBuf,
    #[serde(default)]
    variables: BTreeMap<String, String>,
    /// Texts by path.
    #[serde(default)]
    files: BTreeMap<PathBuf, String>,
    /// JSON files by path.
    #[serde(default)]
    json: BTreeMap<PathBuf, Value>,
    #[serde(default)]
    links: BTreeMap<PathBuf, PathBuf>,
    #[serde(default)]
    directories: Vec<PathBuf>,
    #[serde(default)]
    sockets: Vec<PathBuf>,
    /// Names that the answer gives to `--platform`.
    platforms: Vec<String>,
    /// What the command prints.
    expected: String,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Name {
    Linux,
    Macos,
    Windows,
}

impl Machine {
    fn host(&self) -> MemoryHost {
        let mut host = MemoryHost::default();
        for (path, text) in &self.files {
            host = host.with_file(path, text.as_str());
        }
        for (path, value) in &self.json {
            host = host.with_file(path, serde_json::to_vec(value).unwrap());
        }
        for (path, target) in &self.links {
            host = host.with(path, MemoryNode::Link(target.clone()));
        }
        for path in self.directories.iter().chain([&self.directory]) {
            host = host.with(path, MemoryNode::Directory);
        }
        for path in &self.sockets {
            host = host.with(path, MemoryNode::Other);
        }
        host
    }

    fn environment(&self) -> Environment {
        Environment {
            variables: self.variables.clone(),
            directory: self.directory.clone(),
            home: Some(self.home.clone()),
            system: match self.system {
                Name::Linux => System::Linux,
                Name::Macos => System::Macos,
                Name::Windows => System::Windows,
            },
            is_arm: self.arm,
        }
    }

    fn run(&self, host: &MemoryHost, words: &str) -> Outcome {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        run(host, &self.environment(), &words)
    }
}

/// All cases, by name.
fn machines() -> Vec<(String, PathBuf, Machine)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join("tests/machines")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = text(&path);
        let machine = serde_yaml::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        found.push((name, path, machine));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

#[test]
fn every_machine_is_told_with_its_evidence() {
    let mut wrong = Vec::new();
    for (name, path, machine) in machines() {
        assert!(!machine.why.is_empty(), "{name} does not say why it is there");
        let outcome = machine.run(&machine.host(), "platform");
        assert_eq!(outcome.stderr, "", "{name}");
        if variable("SNAPSHOTS").as_deref() == Some("overwrite") {
            overwrite(&path, &outcome.stdout);
        } else if outcome.stdout != machine.expected {
            wrong.push(format!("{name}:\n{}", outcome.stdout));
        }
        let json = machine.run(&machine.host(), "platform --format json");
        let report: Value = serde_json::from_str(&json.stdout).unwrap();
        assert_eq!(report["platforms"], serde_json::json!(machine.platforms), "{name}");
        let unknown = report["verdict"] == "unknown";
        assert_eq!((outcome.code == 2, json.code == 2), (unknown, unknown), "{name}");
        for entry in report["evidence"].as_array().unwrap() {
            let says = entry["says"].as_str().unwrap();
            assert!(outcome.stdout.contains(says), "{name}: {says}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Replaces what stands behind the last key.
fn overwrite(path: &Path, page: &str) {
    let text = text(path);
    let (head, _) = text.split_once("\nexpected: |\n").unwrap();
    let body: String = page
        .lines()
        .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("  {line}\n") })
        .collect();
    let text = format!("{head}\nexpected: |\n{body}");
    support::put(path, text.as_bytes());
}

#[test]
fn answers_fit_their_schema() {
    let schema = bytes(&root().join("schema/machine.schema.json"));
    let schema: Value = serde_json::from_slice(&schema).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (name, _, machine) in machines() {
        let outcome = machine.run(&machine.host(), "platform --format json");
        let report = serde_json::from_str(&outcome.stdout).unwrap();
        let errors: Vec<String> = validator.iter_errors(&report).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {}", errors.join("; "));
    }
}

#[test]
fn every_platform_is_some_machine() {
    let rules = Rules::builtin().unwrap();
    let told: BTreeSet<String> = machines().into_iter().flat_map(|(.., m)| m.platforms).collect();
    let told: BTreeSet<&str> =
        told.iter().map(|name| name.split_once('@').map_or(name.as_str(), |(id, _)| id)).collect();
    for name in &told {
        assert!(rules.platform(name).is_some(), "{name} has no rules");
    }
    let known: BTreeSet<&str> = rules.platforms().map(|platform| platform.id.as_str()).collect();
    // Nothing that lies on the disk tells which folders are shared so.
    let untold = BTreeSet::from(["docker-file-shares"]);
    assert_eq!(&known - &told, untold);
}

const PROJECT: &str = "services:\n  web:\n    image: node:22\n    working_dir: /app\n    command: npm start\n    volumes: ['./:/app']\n";

#[test]
fn auto_judges_for_the_machine_that_is_told() {
    for (name, _, machine) in machines() {
        let at = |file: &str| machine.directory.join(file);
        let host = machine
            .host()
            .with_file(at("compose.yaml"), PROJECT)
            .with_file(at("package.json"), "{\"dependencies\": {\"a\": \"1\"}}");
        let outcome = machine.run(&host, "check --platform auto --format json --exit-zero");
        if machine.expected.starts_with("Not known") {
            assert_eq!(outcome.code, 2, "{name}: {}", outcome.stderr);
            assert!(outcome.stderr.starts_with("error: `auto` finds no platform: "), "{name}");
            continue;
        }
        assert_eq!(outcome.code, 0, "{name}: {}", outcome.stderr);
        let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert_eq!(report["platforms"], serde_json::json!(machine.platforms), "{name}");
        let slow = report["findings"].as_array().unwrap().iter().any(|f| f["rule"] == "slow-tree");
        if machine.platforms.is_empty() {
            assert!(!slow, "{name}");
            assert!(outcome.stderr.contains("another machine"), "{name}: {}", outcome.stderr);
        }
    }
}

#[test]
fn no_value_of_a_variable_is_shown_but_paths_and_contexts() {
    let machine = Machine {
        why: String::new(),
        system: Name::Linux,
        arm: false,
        home: "/home/me".into(),
        directory: "/home/me/shop".into(),
        variables: BTreeMap::from([(
            "DOCKER_HOST".to_owned(),
            "ssh://deploy@secret.example.com:2222".to_owned(),
        )]),
        files: BTreeMap::new(),
        json: BTreeMap::new(),
        links: BTreeMap::new(),
        directories: Vec::new(),
        sockets: Vec::new(),
        platforms: Vec::new(),
        expected: String::new(),
    };
    let outcome = machine.run(&machine.host(), "platform");
    assert_eq!(outcome.code, 0);
    assert!(outcome.stdout.contains("ssh"), "{}", outcome.stdout);
    for word in ["secret", "deploy", "2222"] {
        assert!(!outcome.stdout.contains(word), "{}", outcome.stdout);
    }
}

#[test]
fn a_path_chooses_the_project() {
    let (_, _, machine) = machines().into_iter().find(|(name, ..)| name == "wsl-drive").unwrap();
    let host = machine.host().with("/home/me/other", MemoryNode::Directory);
    assert_eq!(machine.run(&host, "platform -q").stdout, "windows-wsl2-drive\n");
    assert_eq!(machine.run(&host, "platform -q /home/me/other").stdout, "windows-wsl2-distro\n");
    let gone = machine.run(&host, "platform /nowhere");
    assert_eq!((gone.code, gone.stdout.as_str()), (2, ""));
    assert!(gone.stderr.contains("/nowhere is not there"), "{}", gone.stderr);
}
