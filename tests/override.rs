//! `apply --to override` and `--to FILE`, and files that go on top of others.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may panic")]

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use composefix::host::{MemoryHost, MemoryNode, lexical_clean};
use serde_json::Value;
use support::{Outcome, environment, patch, run};

/// Where the projects lie.
const PLACE: &str = "/project/shop";

const BASE: &str = "services:\n  web:\n    image: node:22\n    volumes:\n      - ./:/app\n";

/// What an override file for `BASE` has to say.
const CONTENT: &str = "services:\n  web:\n    volumes:\n      - node_modules:/app/node_modules\n\n\
                       volumes:\n  node_modules:\n";

/// A project with large trees in `.` and in `../other`.
#[derive(Debug, Clone, Default)]
struct Project {
    files: BTreeMap<String, Vec<u8>>,
    variables: BTreeMap<String, String>,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let mut project = Self::default();
        project.put("package.json", "{\"dependencies\": {\"left-pad\": \"1.0.0\"}}\n");
        project.put("../other/package.json", "{\"dependencies\": {\"left-pad\": \"1.0.0\"}}\n");
        for (name, text) in files {
            project.put(name, text);
        }
        project
    }

    fn put(&mut self, name: &str, text: &str) {
        self.files.insert(name.to_owned(), text.as_bytes().to_vec());
    }

    fn with(mut self, variable: &str, value: &str) -> Self {
        self.variables.insert(variable.to_owned(), value.to_owned());
        self
    }

    fn run_in(&self, directory: &str, words: &str) -> Outcome {
        let place = Path::new(PLACE);
        let at = |name: &str| lexical_clean(&place.join(name));
        let host = MemoryHost::default()
            .with("/project/.git", MemoryNode::Directory)
            .with(at("node_modules"), MemoryNode::Tree(900))
            .with(at("../other/node_modules"), MemoryNode::Tree(900));
        let files = self.files.iter();
        let host = files.fold(host, |host, (name, text)| host.with_file(at(name), text.as_slice()));
        let mut environment = environment(&place.join(directory));
        environment.variables.clone_from(&self.variables);
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        run(&host, &environment, &words)
    }

    fn run(&self, words: &str) -> Outcome {
        self.run_in("", words)
    }

    /// The files that `apply --diff --unsafe` changes, which are then part of the project.
    fn apply(&mut self, words: &str) -> BTreeMap<String, String> {
        let outcome = self.run(&format!("apply --diff --unsafe {words}"));
        assert!(outcome.code < 2, "{words}: {}", outcome.stderr);
        let changed = patch::applied(&outcome.stdout, &self.files).unwrap();
        self.files.extend(changed.clone());
        let text = |(name, text)| (name, String::from_utf8(text).unwrap());
        changed.into_iter().map(text).collect()
    }

    /// The names of the files that change.
    fn changes(&mut self, words: &str) -> Vec<String> {
        self.apply(words).into_keys().collect()
    }

    /// Each finding: file, line, service.
    fn findings(&self, words: &str) -> Vec<(String, u64, String)> {
        let outcome = self.run(&format!("check --format json {words}"));
        assert!(outcome.code < 2, "{words}: {}", outcome.stdout);
        let report = outcome.json();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let row = |finding: &Value| {
            let line = finding["span"]["start"]["line"].as_u64().unwrap();
            (text(&finding["file"]), line, text(&finding["service"]))
        };
        report["findings"].as_array().unwrap().iter().map(row).collect()
    }
}

fn finding(file: &str, line: u64, service: &str) -> (String, u64, String) {
    (file.to_owned(), line, service.to_owned())
}

// ---- new files

#[test]
fn a_new_override_file_is_named_like_its_base() {
    for (base, over) in [
        ("compose.yaml", "compose.override.yaml"),
        ("compose.yml", "compose.override.yml"),
        ("docker-compose.yml", "docker-compose.override.yml"),
        ("docker-compose.yaml", "docker-compose.override.yaml"),
    ] {
        let mut project = Project::new(&[(base, BASE)]);
        let head = format!(
            "# Docker Compose puts this on top of {base} by itself.\n# Written by composefix.\n\n"
        );
        let changed = project.apply("--to override");
        assert_eq!(changed, [(over.to_owned(), format!("{head}{CONTENT}"))].into());
        assert_eq!(project.findings(""), []);
        assert_eq!(project.changes("--to override"), [""; 0]);
        assert_eq!(project.changes(""), [""; 0]);
    }
}

#[test]
fn a_file_of_the_users_choice_comes_with_the_way_to_use_it() {
    let mut project = Project::new(&[("compose.yaml", BASE)]);
    let outcome = project.run("apply --diff --unsafe --to local/fast.yml");
    let hint = "use it with docker compose -f compose.yaml -f local/fast.yml\n";
    assert_eq!((outcome.code, outcome.stderr.as_str()), (1, hint));
    let changed = project.apply("--to local/fast.yml");
    let text = &changed["local/fast.yml"];
    let head = "# Goes on top: docker compose -f compose.yaml -f fast.yml\n";
    assert!(text.starts_with(head) && text.ends_with(CONTENT), "{text}");
    assert_eq!(project.findings("-f compose.yaml -f local/fast.yml"), []);
    assert_eq!(project.findings(""), [finding("compose.yaml", 5, "web")]);
}

#[test]
fn what_is_there_already_is_extended_only_as_part_of_the_project() {
    let mut project = Project::new(&[("compose.yaml", BASE), ("fast.yml", "services: {}\n")]);
    let outcome = project.run("apply --diff --unsafe --to fast.yml");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert!(outcome.stderr.contains("fast.yml exists and is no file of this project"));
    let changed = project.apply("-f compose.yaml -f fast.yml --to fast.yml");
    assert_eq!(changed.keys().collect::<Vec<_>>(), ["fast.yml"]);
    assert_eq!(project.findings("-f compose.yaml -f fast.yml"), []);
    let over = ("compose.override.yaml", "services:\n  web: {tty: true}\n");
    let mut project = Project::new(&[("compose.yaml", BASE), over]);
    // Named, the file stands for what Compose loads; with a flag it stands for itself.
    assert_eq!(project.changes("--to override compose.yaml"), [over.0]);
    let outcome = project.run("apply --diff --unsafe --to override -f compose.yaml");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, ""));
    let advice = "add `-f compose.yaml -f compose.override.yaml`";
    assert!(outcome.stderr.contains(advice), "{}", outcome.stderr);
}

#[test]
fn a_bind_that_the_override_file_replaces_is_no_finding_but_said() {
    let over = "services:\n  web:\n    volumes: ['code:/app']\nvolumes:\n  code:\n";
    let mut project = Project::new(&[("compose.yaml", BASE), ("compose.override.yaml", over)]);
    for words in ["", "compose.yaml", "compose.override.yaml"] {
        assert_eq!(project.findings(words), [], "{words}");
        assert_eq!(project.changes(words), [""; 0], "{words}");
    }
    let outcome = project.run("apply --diff compose.yaml");
    let line =
        "left: compose.yaml:5: web /app: compose.override.yaml mounts something else there\n";
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, line));
    assert_eq!(project.findings("-f compose.yaml"), [finding("compose.yaml", 5, "web")]);
}

#[test]
fn one_file_takes_the_changes_of_one_project() {
    let project = Project::new(&[("compose.yaml", BASE), ("../other/compose.yaml", BASE)]);
    let outcome =
        project.run("apply --diff --unsafe --to fast.yml compose.yaml ../other/compose.yaml");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert!(outcome.stderr.contains("takes the changes of one project"), "{}", outcome.stderr);
    let mut project = project;
    let both = ["../other/compose.override.yaml", "compose.override.yaml"];
    assert_eq!(project.changes("--to override compose.yaml ../other/compose.yaml"), both);
    assert_eq!(
        (project.findings(""), project.findings("../other/compose.override.yaml")),
        (vec![], vec![])
    );
}

#[test]
fn where_compose_loads_no_override_file_the_way_out_is_named() {
    let dev = ("dev.yaml", "services:\n  web:\n    image: node:22\n    volumes: [./:/app]\n");
    let over = ("docker-compose.dev.yml", "services:\n  web: {tty: true}\n");
    let project =
        Project::new(&[("docker-compose.yml", BASE), dev, over, ("sub/compose.yaml", BASE)]);
    for (words, reason) in [
        ("dev.yaml", "Compose loads no override file with dev.yaml"),
        ("docker-compose.dev.yml", "when there are several files"),
        ("-f docker-compose.yml -f dev.yaml", "when there are several files"),
    ] {
        let outcome = project.run(&format!("apply --diff --unsafe --to override {words}"));
        assert_eq!((outcome.code, outcome.stdout.as_str()), (0, ""), "{words}");
        let stderr = &outcome.stderr;
        assert!(stderr.contains(reason) && stderr.contains("`--to PATH`"), "{words}: {stderr}");
    }
    let words = "apply --diff --unsafe --to override";
    let named = project.run(&format!("{words} -f docker-compose.yml"));
    let hint = "use it with docker compose -f docker-compose.yml -f docker-compose.override.yml\n";
    assert!(named.stderr.ends_with(hint), "{}", named.stderr);
    let listed = project.with("COMPOSE_FILE", "docker-compose.yml").run(words);
    let hint = "add docker-compose.override.yml to COMPOSE_FILE\n";
    assert!(listed.stderr.ends_with(hint), "{}", listed.stderr);
}

#[test]
fn what_comes_from_other_files_can_be_covered_on_top() {
    let common = "services:\n  app:\n    image: node:22\n    volumes:\n      - .:${DIR:-/app}\n";
    let base = "include: [../other/compose.yaml]\nservices:\n  shop:\n    \
                extends: {file: common.yml, service: app}\n";
    let files = [("compose.yaml", base), ("common.yml", common), ("../other/compose.yaml", BASE)];
    let mut project = Project::new(&files);
    let changed = project.apply("--to override");
    let text = &changed["compose.override.yaml"];
    assert!(
        text.contains("  shop:\n    volumes:\n      - node_modules:${DIR:-/app}/node_modules\n")
    );
    assert!(text.contains("  web:\n    volumes:\n      - "), "{text}");
    assert_eq!((changed.len(), project.findings("")), (1, Vec::new()));
}

// ---- override files that are there

#[test]
fn an_override_file_keeps_its_style() {
    for (before, after) in [
        ("# mine\n", "# mine\nservices:\n  web:\n    volumes:\n      - nm\n\nvolumes:\n  n:\n"),
        ("", "services:\n  web:\n    volumes:\n      - nm\n\nvolumes:\n  n:\n"),
        ("# mine", "# mine\nservices:\n  web:\n    volumes:\n      - nm\n\nvolumes:\n  n:\n"),
        (
            "services:\n    web:\n        tty: true # tty\n",
            "services:\n    web:\n        tty: true # tty\n        volumes:\n            - nm\n\n\
             volumes:\n    n:\n",
        ),
        (
            "services:\n  job: {image: a}\n",
            "services:\n  job: {image: a}\n  web:\n    volumes:\n      - nm\n\nvolumes:\n  n:\n",
        ),
        (
            "services:\n  web: {tty: true}\nvolumes: {x: {}}\n",
            "services:\n  web: {tty: true, volumes: [nm]}\nvolumes: {x: {}, n: {}}\n",
        ),
        (
            "volumes:\n  xx:\nservices:\n  web:\n    volumes:\n    - 'xx:/x'\n",
            "volumes:\n  xx:\n  n:\nservices:\n  web:\n    volumes:\n    - 'xx:/x'\n    - 'nm'\n",
        ),
        (
            "services:\r\n  web:\r\n    tty: true\r\n",
            "services:\r\n  web:\r\n    tty: true\r\n    volumes:\r\n      - nm\r\n\r\n\
             volumes:\r\n  n:\r\n",
        ),
        (
            "{\"services\": {\"web\": {\"tty\": true}}}\n",
            "{\"services\": {\"web\": {\"tty\": true, \"volumes\": [\"nm\"]}}, \"volumes\": {\"n\": {}}}\n",
        ),
        (
            "services:\n  web: {tty: true}\n---\nservices:\n  web:\n    init: true\n",
            "services:\n  web: {tty: true}\n---\nservices:\n  web:\n    init: true\n    volumes:\n      \
             - nm\n\nvolumes:\n  n:\n",
        ),
    ] {
        let over = "compose.override.yaml";
        let mut project = Project::new(&[("compose.yaml", BASE), (over, before)]);
        let changed = project.apply("--to override");
        let after = after.replace("nm", "node_modules:/app/node_modules");
        let after = after.replace("n:\n", "node_modules:\n").replace("n:\r", "node_modules:\r");
        let after = after.replace("n: {}", "node_modules: {}").replace("\"n\"", "\"node_modules\"");
        assert_eq!(changed, [(over.to_owned(), after)].into(), "{before}");
        assert_eq!(project.findings(""), [], "{before}");
    }
}

#[test]
fn an_override_file_that_takes_no_further_entry_is_left() {
    let list = "x-v: &v ['x:/x']\nvolumes: {x: }\n";
    for (before, reason) in [
        ("services:\n  web:\n", "`services.web` takes no further entry"),
        ("x-s: &s {web: {tty: true}}\nservices: *s\n", "`services` takes no further entry"),
        (&format!("{list}services:\n  web: {{volumes: *v}}\n"), "its `volumes` takes no further"),
        (
            &format!("x-w: &w\n  volumes: ['x:/x']\n{list}services:\n  web:\n    <<: *w\n"),
            "would replace what the merge key brings",
        ),
        ("services:\n  web:\n    volumes: !reset []\n    tty: true\n", ""),
    ] {
        let over = ("compose.override.yaml", before);
        let project = Project::new(&[("compose.yaml", BASE), over]);
        let outcome = project.run("apply --diff --unsafe --to override");
        assert_eq!((outcome.code, outcome.stdout.as_str()), (0, ""), "{before}");
        assert!(outcome.stderr.contains(reason), "{before}: {}", outcome.stderr);
    }
}

#[test]
fn an_anonymous_volume_gets_its_name_on_top() {
    let base = format!("{BASE}      - /app/node_modules\n");
    let mut project = Project::new(&[("compose.yaml", &base)]);
    assert_eq!(project.findings("").len(), 1);
    let changed = project.apply("--to override");
    let text = &changed["compose.override.yaml"];
    assert!(text.ends_with(CONTENT), "{text}");
    assert_eq!(project.findings(""), []);
    let long = "      - type: volume\n        target: /app/node_modules\n        \
                volume: {nocopy: true}\n";
    let project = Project::new(&[("compose.yaml", &format!("{BASE}{long}"))]);
    let outcome = project.run("apply --diff --unsafe --to override");
    assert_eq!(outcome.stdout, "");
    assert!(outcome.stderr.contains("would have to repeat"), "{}", outcome.stderr);
}

// ---- files on top of others

/// A file that Compose refuses alone.
const DEV: &str = "services:\n  web:\n    volumes:\n      - ../other:/srv\n";

#[test]
fn an_overlay_is_judged_on_top_of_its_neighbour() {
    let files = [("docker-compose.yml", BASE), ("docker-compose.dev.yml", DEV)];
    let project = Project::new(&files);
    let both =
        [finding("docker-compose.dev.yml", 4, "web"), finding("docker-compose.yml", 5, "web")];
    for words in ["docker-compose.dev.yml", "docker-compose.dev.yml docker-compose.yml"] {
        assert_eq!(project.findings(words), both, "{words}");
        let mut project = project.clone();
        let names = ["docker-compose.dev.yml", "docker-compose.yml"];
        assert_eq!(project.changes(words), names, "{words}");
        assert_eq!(project.findings(words), [], "{words}");
        assert_eq!(project.changes(words), [""; 0], "{words}");
        let words = "-f docker-compose.yml -f docker-compose.dev.yml";
        assert_eq!(project.findings(words), [], "{words}");
        assert_eq!(project.findings("-f docker-compose.yml"), []);
    }
    let note = "note: docker-compose.dev.yml: judged on top of docker-compose.yml\n";
    let outcome = project.run("check -v docker-compose.dev.yml");
    assert!(outcome.stderr.contains(note), "{}", outcome.stderr);
    assert_eq!(project.run("check -f docker-compose.dev.yml").json_findings(), 1);
}

trait Findings {
    fn json_findings(&self) -> usize;
}

impl Findings for Outcome {
    /// Number of findings in a text report.
    fn json_findings(&self) -> usize {
        self.stdout.matches("warning[slow-tree]").count()
    }
}

#[test]
fn an_override_file_named_by_itself_is_judged_with_its_base() {
    let files = [("compose.yaml", BASE), ("compose.override.yaml", DEV)];
    let mut project = Project::new(&files);
    assert_eq!(project.findings("compose.override.yaml"), project.findings(""));
    assert_eq!(project.changes("--to override compose.override.yaml"), ["compose.override.yaml"]);
    assert_eq!(project.findings("compose.override.yaml"), []);
}

#[test]
fn places_are_those_of_the_files_as_they_were_read() {
    // The edit for the base moves the lines below it.
    let two = format!("{BASE}  job:\n    image: a\n    volumes:\n      - ../other:/srv:ro\n");
    let dev = "services:\n  job: {working_dir: /srv, command: npm start}\n";
    let project = Project::new(&[("docker-compose.yml", &two), ("docker-compose.dev.yml", dev)]);
    let all = [finding("docker-compose.yml", 5, "web"), finding("docker-compose.yml", 9, "job")];
    assert_eq!(project.findings("docker-compose.yml"), all);
    assert_eq!(project.findings("docker-compose.dev.yml docker-compose.yml"), all);
    assert_eq!(project.findings("docker-compose.yml docker-compose.dev.yml"), all);
}

#[test]
fn an_edit_must_suit_every_project_that_reads_the_file() {
    // In the other project the new name stands for something else.
    let dev = "services:\n  web: {tty: true}\nvolumes:\n  node_modules: {driver: local}\n";
    let files = [("docker-compose.yml", BASE), ("docker-compose.dev.yml", dev)];
    let mut project = Project::new(&files);
    let changed = project.apply("docker-compose.yml docker-compose.dev.yml");
    assert_eq!(changed.keys().collect::<Vec<_>>(), ["docker-compose.yml"]);
    let text = &changed["docker-compose.yml"];
    assert!(!text.contains("- node_modules:/app"), "{text}");
    assert_eq!(project.findings("docker-compose.yml docker-compose.dev.yml"), []);
}

#[test]
fn an_overlay_without_base_is_judged_as_it_is() {
    let project = Project::new(&[("docker-compose.dev.yml", DEV)]);
    let words = "docker-compose.dev.yml";
    assert_eq!(project.findings(words), [finding(words, 4, "web")]);
    let outcome = project.run("check -v docker-compose.dev.yml");
    let note = "name what it goes on top of as well: -f BASE -f docker-compose.dev.yml";
    assert!(outcome.stderr.contains(note), "{}", outcome.stderr);
}

// ---- which files make up a project

#[test]
fn files_are_chosen_as_compose_does() {
    let other = "services:\n  web:\n    image: node:22\n    volumes: [../other:/app]\n";
    let files = [
        ("compose.yaml", BASE),
        ("a.yaml", other),
        ("b.yaml", DEV),
        ("sub/keep", ""),
        ("l.env", "X=1"),
    ];
    let project = Project::new(&files);
    let file_of = |project: &Project, words: &str| {
        let found = project.findings(words);
        found.into_iter().map(|(file, ..)| file).collect::<Vec<_>>()
    };
    let set = |name: &str, value: &str| project.clone().with(name, value);
    let separator = if cfg!(windows) { ";" } else { ":" };
    assert_eq!(file_of(&set("COMPOSE_FILE", "a.yaml"), ""), ["a.yaml"]);
    let list = set("COMPOSE_FILE", &format!("compose.yaml{separator}b.yaml"));
    assert_eq!(file_of(&list, ""), ["b.yaml", "compose.yaml"]);
    let list = set("COMPOSE_FILE", "compose.yaml,b.yaml").with("COMPOSE_PATH_SEPARATOR", ",");
    assert_eq!(file_of(&list, ""), ["b.yaml", "compose.yaml"]);
    assert_eq!(file_of(&list, "-f a.yaml"), ["a.yaml"]);
    let mut written = project.clone();
    written.put(".env", "COMPOSE_FILE=a.yaml\n");
    assert_eq!(file_of(&written, ""), ["a.yaml"]);
    let disabled = written.clone().with("COMPOSE_DISABLE_ENV_FILE", "1");
    assert_eq!(file_of(&disabled, ""), ["compose.yaml"]);
    let listed = written.clone().with("COMPOSE_ENV_FILES", "l.env");
    assert_eq!(file_of(&listed, ""), ["compose.yaml"]);
    assert_eq!(file_of(&written, "--env-file l.env"), ["compose.yaml"]);
    let outcome = project.run_in("sub", "check --format json");
    assert_eq!(outcome.json()["findings"][0]["file"], "../compose.yaml");
    assert_eq!(file_of(&project, "--project-directory sub -f compose.yaml"), [""; 0]);
}

#[test]
fn of_two_override_files_the_first_name_counts() {
    let over = "services:\n  web: {volumes: !override ['.:/x']}\n";
    let mut project = Project::new(&[("compose.yaml", BASE), ("compose.override.yaml", over)]);
    assert_eq!(project.findings("")[0].0, "compose.override.yaml");
    project.put("compose.override.yml", "services:\n  web: {volumes: !reset []}\n");
    assert_eq!(project.findings(""), []);
    project.put("docker-compose.override.yml", over);
    assert_eq!(project.findings(""), []);
}
