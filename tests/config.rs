//! `.composefix.yaml`, requests to ignore findings, and `composefix init`, on real directories.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by a panic")]

mod support;

use std::path::Path;

use composefix::config::ConfigFile;
use composefix::host::{Environment, RealHost};
use serde_json::Value;
use support::{Outcome, bytes, environment, put, run, text};

const MANIFEST: &str = "{\"dependencies\": {\"left-pad\": \"1.0.0\"}}\n";
const WEB: &str = "services:\n  web:\n    image: node:22\n    volumes:\n      - ./:/app\n";

/// A repository.
struct Place {
    directory: tempfile::TempDir,
    variables: Vec<(&'static str, String)>,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let place = Self { directory: tempfile::tempdir().unwrap(), variables: Vec::new() };
        place.put(".git/HEAD", "ref: refs/heads/main\n");
        for (name, text) in files {
            place.put(name, text);
        }
        place
    }

    /// One project with a slow tree, and a configuration.
    fn web(config: &str) -> Self {
        Self::new(&[
            ("compose.yaml", WEB),
            ("package.json", MANIFEST),
            (".composefix.yaml", config),
        ])
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn put(&self, name: &str, text: &str) {
        put(&self.path().join(name), text.as_bytes());
    }

    fn text(&self, name: &str) -> String {
        text(&self.path().join(name))
    }

    fn environment(&self, directory: &str) -> Environment {
        let variables = self.variables.iter();
        Environment {
            variables: variables.map(|(n, v)| ((*n).to_owned(), v.clone())).collect(),
            ..environment(&self.path().join(directory))
        }
    }

    fn run_in(&self, directory: &str, words: &str) -> Outcome {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        run(&RealHost, &self.environment(directory), &words)
    }

    fn run(&self, words: &str) -> Outcome {
        self.run_in("", words)
    }

    fn json(&self, words: &str) -> Value {
        self.run(&format!("check --format json {words}")).json()
    }

    /// Findings as `RULE SERVICE`, with `!` where they do not count.
    fn findings(&self, words: &str) -> Vec<String> {
        let json = self.json(words);
        assert_eq!(json["problems"], serde_json::json!([]), "{words}");
        let words = |finding: &Value| {
            let mark = if finding["suppressed"].is_null() { "" } else { "!" };
            let word = |key: &str| finding[key].as_str().unwrap().to_owned();
            format!("{mark}{} {}", word("rule"), word("service")).trim_end().to_owned()
        };
        json["findings"].as_array().unwrap().iter().map(words).collect()
    }

    fn platforms(&self, words: &str) -> Vec<String> {
        let json = self.json(words);
        let ids = json["platforms"].as_array().unwrap().iter();
        ids.map(|id| id.as_str().unwrap().to_owned()).collect()
    }
}

// ---- where it is found, and what comes first

#[test]
fn flags_win_over_variables_over_the_configuration_over_defaults() {
    let mut place = Place::web("platforms: [docker-machine]\n");
    assert_eq!(place.platforms(""), ["docker-machine"]);
    assert_eq!(place.platforms("--no-config"), ["macos-virtiofs", "windows-wsl2-drive"]);
    place.variables.push(("COMPOSEFIX_PLATFORM", "podman-machine".to_owned()));
    assert_eq!(place.platforms(""), ["podman-machine"]);
    assert_eq!(place.platforms("--platform macos-osxfs"), ["macos-osxfs"]);
    place.put("ci/strict.yaml", "platforms: [linux-native]\n");
    place.variables = vec![("COMPOSEFIX_CONFIG", "ci/strict.yaml".to_owned())];
    assert_eq!(place.platforms(""), ["linux-native"]);
    assert_eq!(place.platforms("--config .composefix.yaml"), ["docker-machine"]);
    assert_eq!(place.platforms("--no-config"), ["macos-virtiofs", "windows-wsl2-drive"]);
    let both = place.run("check --config ci/strict.yaml --no-config");
    assert_eq!(both.code, 2, "{}", both.stderr);
}

#[test]
fn severities_and_what_fails_come_from_flag_or_configuration() {
    let place = Place::web("fail-on: error\n");
    assert_eq!(place.run("check").code, 0);
    assert_eq!(place.run("check --fail-on warning").code, 1);
    assert_eq!(place.run("check --no-config --fail-on error").code, 0);
    assert_eq!(place.run("check --no-config").code, 1);
    place.put(".composefix.yaml", "rules: {slow-tree: error}\nfail-on: error\n");
    assert_eq!(place.run("check").code, 1);
    assert_eq!(place.json("")["findings"][0]["severity"], "error");
    place.put(".composefix.yaml", "rules: {slow-tree: note}\n");
    assert_eq!(place.run("check").code, 0);
    assert_eq!(place.run("check --fail-on note").code, 1);
    assert_eq!(place.findings(""), ["slow-tree web"]);
    place.put(".composefix.yaml", "rules: {slow-tree: off}\n");
    assert_eq!(place.findings(""), [""; 0]);
    assert_eq!(place.findings("--select slow-tree"), ["slow-tree web"]);
}

#[test]
fn the_nearest_configuration_counts_alone() {
    let config = |platform: &str| format!("platforms: [{platform}]\n");
    let place = Place::new(&[
        (".composefix.yaml", &config("macos-osxfs")),
        ("compose.yaml", WEB),
        ("package.json", MANIFEST),
        ("a/compose.yaml", WEB),
        ("a/package.json", MANIFEST),
        (
            "a/.composefix.yaml",
            &format!("{}rules: {{slow-tree: note}}\n", config("docker-machine")),
        ),
        ("b/c/compose.yaml", WEB),
        ("b/c/package.json", MANIFEST),
        ("sub/.git/HEAD", ""),
        ("sub/compose.yaml", WEB),
        ("sub/package.json", MANIFEST),
    ]);
    assert_eq!(place.platforms(""), ["macos-osxfs"]);
    assert_eq!(place.platforms("b/c/compose.yaml"), ["macos-osxfs"]);
    assert_eq!(place.platforms("a/compose.yaml"), ["docker-machine"]);
    assert_eq!(place.platforms("-f a/compose.yaml"), ["docker-machine"]);
    let own = place.platforms("sub/compose.yaml");
    assert_eq!(own, ["macos-virtiofs", "windows-wsl2-drive"], "another repository");
    // One run, each project by its own.
    let json = place.json(".");
    let seen: Vec<(&str, &str, &Value)> = json["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|f| f["rule"] == "slow-tree")
        .map(|f| {
            let word = |key: &str| f[key].as_str().unwrap();
            (word("file"), word("severity"), &f["platforms"])
        })
        .collect();
    let osxfs = serde_json::json!(["macos-osxfs"]);
    let machine = serde_json::json!(["docker-machine"]);
    let find = |file: &str| *seen.iter().find(|(name, ..)| *name == file).unwrap();
    assert_eq!(find("a/compose.yaml"), ("a/compose.yaml", "note", &machine));
    assert_eq!(find("b/c/compose.yaml"), ("b/c/compose.yaml", "warning", &osxfs));
    assert_eq!(place.run("check a").code, 0);
    assert_eq!(place.run("check .").code, 1, "the others fail by their own");
}

#[test]
fn the_home_directory_is_not_gone_up_into() {
    let place =
        Place::new(&[("code/shop/compose.yaml", WEB), ("code/shop/package.json", MANIFEST)]);
    std::fs::remove_dir_all(place.path().join(".git")).unwrap();
    place.put(".composefix.yaml", "platforms: [macos-osxfs]\n");
    let judged = |home: &Path| {
        let environment =
            Environment { home: Some(home.to_path_buf()), ..place.environment("code/shop") };
        let words = ["check", "--format", "json"].map(str::to_owned);
        run(&RealHost, &environment, &words).json()["platforms"].as_array().unwrap().len()
    };
    assert_eq!(judged(place.path()), 2);
    assert_eq!(judged(&place.path().join("code")), 2);
    assert_eq!(judged(Path::new("/home/dev")), 1);
}

// ---- what does not hold

#[test]
fn what_does_not_hold_is_said_with_its_place() {
    for (config, place, message) in [
        ("platfroms: []", "1:1", "unknown key `platfroms`; did you mean `platforms`?"),
        ("a: 1", "1:1", "unknown key `a`; known are platforms, "),
        ("platforms: [macos, macos-virtofs]", "1:20", "did you mean `macos-virtiofs`?"),
        ("platforms: macos", "1:12", "expected a sequence"),
        ("strategies:\n- volumes", "2:3", "unknown strategy `volumes`; did you mean `volume`?"),
        ("rules:\n  slow-tre: off", "2:3", "unknown rule `slow-tre`; did you mean `slow-tree`?"),
        ("rules:\n  slow-tree: of", "2:14", "unknown word `of`; did you mean `off`?"),
        ("fail-on: warnings", "1:10", "did you mean `warning`?"),
        ("min-files: many", "1:12", "expected a whole number"),
        ("min-files: -1", "1:12", "expected a whole number"),
        ("min-files: 0", "1:12", "at least 1 file"),
        ("ignore:\n- rule: slow-tree", "2:3", "missing key `reason`"),
        ("ignore:\n- rule: slow-tre\n  reason: x", "2:9", "did you mean `slow-tree`?"),
        ("ignore:\n- file: a\n  reason: ' - '", "3:11", "the reason is empty"),
        ("ignore:\n- reason: all", "2:3", "would ignore everything"),
        ("ignore:\n- file: 'a[b'\n  reason: x", "2:9", "unclosed character class"),
        ("ignore:\n- file: /a\n  reason: x", "2:9", "no path below"),
        ("ignore:\n- service: [a]\n  reason: x", "2:12", "expected a string"),
        ("exclude: ['a', '']", "1:16", "pattern is empty"),
        ("exclude: ['a{b']", "1:11", "error parsing glob"),
        ("projects:\n- files: []", "2:3", "has no file"),
        ("projects:\n- file: [a]", "2:3", "did you mean `files`?"),
        ("rules-dirs: [gone]", "1:14", "has none of the folders"),
        ("sidecar: {interval: 0}", "1:10", "from 1 to 3600"),
        ("sidecar: {image: 'a b'}", "1:10", "no name of an image"),
        (
            "trees:\n- id: a\n  title: b\n  ecosystem: c\n  access: kept\n  paths: [../x]",
            "6:11",
            "plain relative path",
        ),
        ("trees:\n- id: a", "2:3", "missing key `title`"),
        ("rules: {}\nrules: {}", "2:1", "twice"),
        ("- a", "1:1", "expected struct"),
        ("a: [", "1:4", "never closed"),
        ("{}\n---\n{}", "3:1", "one YAML document"),
    ] {
        let project = Place::web(config);
        let outcome = project.run("check --format json");
        assert_eq!(outcome.code, 2, "{config}");
        let json = outcome.json();
        let problem = &json["problems"][0];
        let start = &problem["span"]["start"];
        let at = format!("{}:{}", start["line"], start["column"]);
        let said = problem["message"].as_str().unwrap();
        assert!(said.contains(message), "{config}: {said}");
        assert_eq!(at, place, "{config}: {said}");
        assert_eq!(problem["file"], ".composefix.yaml");
        let apply = project.run("apply --unsafe --yes");
        assert_eq!((apply.code, apply.stdout.as_str()), (2, ""), "{config}");
        assert_eq!(project.text("compose.yaml"), WEB);
    }
}

#[test]
fn files_that_say_nothing_are_fine_and_files_that_are_none_are_not() {
    for config in ["", "# nothing\n", "---\n", "{}\n", "\u{feff}platforms: [macos-virtiofs]\n"] {
        assert_eq!(Place::web(config).findings(""), ["slow-tree web"], "{config:?}");
    }
    let place = Place::web("");
    let gone = place.run("check --config gone.yaml");
    assert_eq!(gone.code, 2);
    assert!(gone.stderr.contains("gone.yaml: cannot read"), "{}", gone.stderr);
    assert!(gone.stderr.contains("--no-config"), "{}", gone.stderr);
}

#[test]
fn a_configuration_that_does_not_hold_concerns_its_own_projects_alone() {
    let place = Place::new(&[
        ("a/compose.yaml", WEB),
        ("a/package.json", MANIFEST),
        ("b/compose.yaml", WEB),
        ("b/package.json", MANIFEST),
        ("b/.composefix.yaml", "nonsense: true\n"),
    ]);
    let outcome = place.run("check . --format json");
    let json = outcome.json();
    assert_eq!(outcome.code, 2);
    assert_eq!(json["findings"].as_array().unwrap().len(), 1);
    assert_eq!(json["problems"][0]["file"], "b/.composefix.yaml");
}

/// The schema takes what the program takes.
#[test]
fn the_schema_and_the_program_agree() {
    let read = |name: &str| -> Value {
        let path = support::root().join("schema").join(name);
        serde_json::from_str(&text(&path)).unwrap()
    };
    let (mut schema, tree) = (read("config.schema.json"), read("tree.schema.json"));
    let there = "tree.schema.json#/$defs/tree";
    assert_eq!(schema["properties"]["trees"]["items"]["$ref"], there);
    assert_eq!(schema["$id"], composefix::config::SCHEMA);
    schema["properties"]["trees"]["items"]["$ref"] = "#/$defs/tree".into();
    for (name, part) in tree["$defs"].as_object().unwrap() {
        assert_eq!(schema["$defs"][name], Value::Null);
        schema["$defs"][name] = part.clone();
    }
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let own = "{id: our-tree, title: Ours, ecosystem: ours, access: read-mostly, paths: [deps]}";
    let trees = format!("trees: [{own}]");
    for config in [
        "{}",
        "platforms: [macos]",
        "strategies: [volume, tmpfs]",
        "fail-on: note",
        "min-files: 1",
        "rules: {slow-tree: off, slow-writes: error}",
        "ignore: [{rule: slow-tree, file: 'a/**', service: web, target: /app, reason: it stays}]",
        "exclude: [old/, '!old/new']",
        "projects: [{files: [a.yaml], project-directory: ., env-files: [b], profiles: ['*']}]",
        &trees,
        "sidecar: {image: 'registry.example:5000/sync:1', interval: 60}",
    ] {
        let value: Value = serde_yaml::from_str(config).unwrap();
        let errors: Vec<String> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
        assert_eq!(errors, [""; 0], "{config}");
        serde_yaml::from_str::<ConfigFile>(config).unwrap();
        let place = Place::web(config);
        place.put("a.yaml", WEB);
        place.put("b", "");
        assert_eq!(place.json("")["problems"], serde_json::json!([]), "{config}");
    }
    for config in [
        "platfroms: []",
        "strategies: [volumes]",
        "fail-on: off",
        "min-files: 0",
        "rules: {slow-tre: off}",
        "rules: {slow-tree: loud}",
        "ignore: [{rule: slow-tree}]",
        "ignore: [{reason: it stays}]",
        "projects: [{files: []}]",
        "trees: [{id: a}]",
        "sidecar: {interval: 0}",
    ] {
        let value: Value = serde_yaml::from_str(config).unwrap();
        assert!(!validator.is_valid(&value), "{config}");
        assert_eq!(Place::web(config).run("check").code, 2, "{config}");
    }
}

#[test]
fn the_configuration_in_the_readme_is_one() {
    for page in ["README.md", "docs/configuration.md"] {
        let text = text(&support::root().join(page));
        let (_, section) = text.split_once("# Configuration\n").unwrap();
        let config = section.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
        let place = Place::web(config);
        place.put(".composefix/rules/trees/.keep", "");
        for file in ["deploy/base.yaml", "deploy/dev.yaml"] {
            place.put(file, WEB);
        }
        place.put("deploy/dev.env", "");
        assert!(place.findings("").contains(&"slow-tree web".to_owned()), "{page}");
    }
}

#[test]
fn every_key_is_shown() {
    let schema = bytes(&support::root().join("schema/config.schema.json"));
    let schema: Value = serde_json::from_slice(&schema).unwrap();
    let page = text(&support::root().join("docs/configuration.md"));
    for key in schema["properties"].as_object().unwrap().keys() {
        let shown = page.contains(&format!("\n{key}:"));
        assert!(shown || key.starts_with('$'), "docs/configuration.md has no `{key}`");
    }
}

// ---- what it changes

#[test]
fn a_search_leaves_out_what_is_excluded_and_a_name_does_not() {
    let place = Place::new(&[
        (".composefix.yaml", "exclude: [old/, '*.gen.yaml']\n"),
        ("compose.yaml", WEB),
        ("package.json", MANIFEST),
        ("old/compose.yaml", WEB),
        ("old/package.json", MANIFEST),
        ("x/old/deep/compose.yaml", WEB),
        ("compose.gen.yaml", "not: [yaml"),
        ("n/.composefix.yaml", "exclude: [compose.b.yaml]\n"),
        ("n/compose.b.yaml", WEB),
        ("n/compose.a.yaml", WEB),
    ]);
    let files = |words: &str| -> Vec<String> {
        let json = place.json(words);
        let files = json["files"].as_array().unwrap().iter();
        files.map(|file| file["path"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(files("."), ["compose.yaml", "n/compose.a.yaml"]);
    assert_eq!(files("old"), ["old/compose.yaml"], "asked for by name");
    assert_eq!(files("old/compose.yaml"), ["old/compose.yaml"]);
    assert_eq!(files("old/compose.yaml compose.yaml --force-exclude"), ["compose.yaml"]);
    assert_eq!(files("old/compose.yaml --force-exclude"), [""; 0]);
    assert_eq!(place.run("check old/compose.yaml --force-exclude").code, 0);
    let outside = place.run_in("old", "check - --stdin-filename compose.yaml --force-exclude");
    assert_eq!(outside.code, 0, "{}", outside.stderr);
}

#[test]
fn a_pattern_that_excludes_nothing_is_doubtful() {
    let place = Place::web("exclude: [gone/]\nrules: {slow-tree: off}\n");
    let outcome = place.run("check .");
    assert_eq!(outcome.code, 0);
    let line = "warning: .composefix.yaml:1:11: `gone/` excludes nothing\n";
    assert!(outcome.stderr.contains(line), "{}", outcome.stderr);
    assert_eq!(place.run("check . --strict-config").code, 2);
    assert_eq!(place.run("check --strict-config").code, 0, "nothing was searched");
    place.put("gone/compose.yaml", WEB);
    assert_eq!(place.run("check . --strict-config").code, 0);
}

#[test]
fn projects_are_loaded_as_the_configuration_says() {
    let base = "services:\n  web:\n    image: node:22\n  tool:\n    image: node:22\n    profiles: [dev]\n    volumes:\n      - ${CODE}:/app\n";
    let over = "services:\n  web:\n    volumes:\n      - ./:/app\n";
    let place = Place::new(&[
        (
            ".composefix.yaml",
            "projects:\n- files: [deploy/base.yaml, deploy/over.yaml]\n  project-directory: .\n  env-files: [deploy/dev.env]\n  profiles: [dev]\n",
        ),
        ("package.json", MANIFEST),
        ("deploy/base.yaml", base),
        ("deploy/over.yaml", over),
        ("deploy/dev.env", "CODE=./\n"),
    ]);
    let both = ["slow-tree tool", "slow-tree web"];
    assert_eq!(place.findings(""), both);
    assert_eq!(place.run_in("deploy", "check").code, 1);
    assert_eq!(place.findings("deploy/base.yaml"), both);
    assert_eq!(place.findings("deploy/over.yaml deploy/base.yaml"), both, "one project, once");
    assert_eq!(place.findings("--profile other"), ["slow-tree web"], "flags win");
    assert_eq!(
        place.findings("-f deploy/base.yaml -f deploy/over.yaml --project-directory ."),
        ["slow-tree web"]
    );
    place.put("deploy/compose.dev.yaml", over);
    place.put(
        ".composefix.yaml",
        "projects: [{files: [deploy/base.yaml, deploy/compose.dev.yaml], project-directory: .}]\n",
    );
    assert_eq!(place.findings("."), ["slow-tree web"], "a search takes them up");
}

#[test]
fn the_team_knows_its_own_trees_and_what_is_large() {
    let tree = "trees:\n- id: our-deps\n  title: Our packages\n  ecosystem: ours\n  access: read-mostly\n  paths: [deps]\n  manifests: [{file: our.lock, implies: true}]\n";
    let place = Place::new(&[(".composefix.yaml", tree), ("compose.yaml", WEB), ("our.lock", "")]);
    assert_eq!(place.json("")["findings"][0]["tree"]["kind"], "our-deps");
    assert!(place.run("list trees").stdout.contains("our-deps"));
    assert_eq!(place.run("list trees --no-config").stdout.matches("our-deps").count(), 0);
    assert_eq!(place.run("explain our-deps").code, 0);
    place.put(".composefix.yaml", "nonsense: 1\n");
    let list = place.run("list trees");
    assert_eq!(list.code, 2);
    assert!(list.stderr.contains(".composefix.yaml:1:1: unknown key"), "{}", list.stderr);

    let place = Place::web("min-files: 3\n");
    place.put("package.json", "{}\n");
    for number in 0..3 {
        place.put(&format!("node_modules/a/{number}.js"), "");
    }
    assert_eq!(place.findings(""), ["slow-tree web"]);
    assert_eq!(place.findings("--no-config"), [""; 0]);

    place.put(
        "team/trees/our-deps.yaml",
        &(tree.replace("trees:\n- ", "").replace("\n  ", "\n")
            + "sources: [{url: 'https://example.com/', checked: 2026-10-15, says: Ours.}]\n"),
    );
    place.put(".composefix.yaml", "rules-dirs: [team]\n");
    assert!(place.run("list trees").stdout.contains("our-deps"));
}

#[test]
fn sidecars_are_written_as_the_team_wants_them() {
    let place = Place::new(&[
        (
            ".composefix.yaml",
            "strategies: [sidecar]\nsidecar: {image: 'registry.example:5000/sync:1', interval: 60}\n",
        ),
        (
            "compose.yaml",
            "services:\n  web:\n    image: php:8.3-fpm\n    volumes:\n      - ./:/app\n",
        ),
        ("composer.json", "{\"require\": {\"psr/log\": \"3.0\"}}\n"),
    ]);
    for number in 0..600 {
        place.put(&format!("vendor/a/{number}.php"), "");
    }
    let patch = place.run("apply --unsafe --diff").stdout;
    for line in
        ["+    image: registry.example:5000/sync:1\n", "+    user: root\n", "+    entrypoint:\n"]
    {
        assert!(patch.contains(line), "{patch}");
    }
    assert!(patch.contains("while sleep 60; do echo .; done"), "{patch}");
    assert!(!patch.contains("apk add"), "{patch}");
    let notes = place.json("--unsafe").to_string();
    assert!(notes.contains("it must hold `sh`, `rsync` and `inotifywait`"), "{notes}");
    let usual = place.run("apply --unsafe --diff --no-config --strategy sidecar").stdout;
    assert!(usual.contains("while sleep 10") && usual.contains("apk add"), "{usual}");
}

// ---- what is ignored

/// Compose files with the services `kept`, whose finding is ignored, and `web`, whose is not.
const IGNORED: [(&str, &str); 9] = [
    ("at the end", "      - ./:/app # composefix: ignore[slow-tree] two people\n"),
    (
        "behind other words",
        "      - ./:/app # the code # composefix: ignore[slow-tree] two people\n",
    ),
    ("above", "      # composefix: ignore[slow-tree] two people\n      - ./:/app\n"),
    (
        "above, several lines",
        "      # composefix: ignore[dead-consistency-flag, slow-tree] two people\n      # who know why\n      - ./:/app:cached\n",
    ),
    (
        "long, first line",
        "      - type: bind # composefix: ignore[slow-tree] two people\n        source: ./\n        target: /app\n",
    ),
    (
        "long, above",
        "      # composefix: ignore[slow-tree] two people\n      - type: bind\n        source: ./\n        target: /app\n",
    ),
    (
        "long, inside",
        "      - type: bind\n        source: ./\n        # composefix: ignore[slow-tree] two people\n        target: /app\n",
    ),
    (
        "long, last line",
        "      - type: bind\n        source: ./\n        target: /app # composefix: ignore[slow-tree] two people\n",
    ),
    (
        "flow",
        "      [\n        ./cache:/cache,\n        ./:/app, # composefix: ignore[slow-tree] two people\n      ]\n",
    ),
];

fn two_services(kept: &str) -> String {
    format!(
        "services:\n  kept:\n    image: node:20\n    volumes:\n{kept}  web:\n    image: node:22\n    volumes:\n      - ./:/srv\n"
    )
}

#[test]
fn comments_are_followed_by_check_and_apply() {
    for (name, kept) in IGNORED {
        for crlf in [false, true] {
            let text = two_services(kept);
            let text = if crlf { text.replace('\n', "\r\n") } else { text };
            let place = Place::new(&[("compose.yaml", &text), ("package.json", MANIFEST)]);
            let findings = place.findings("");
            assert!(findings.contains(&"!slow-tree kept".to_owned()), "{name}: {findings:?}");
            assert!(findings.contains(&"slow-tree web".to_owned()), "{name}: {findings:?}");
            assert!(!findings.iter().any(|f| f.contains("unused")), "{name}: {findings:?}");
            let first = &place.json("")["findings"].as_array().unwrap().clone();
            let first = first.iter().find(|f| !f["suppressed"].is_null()).unwrap();
            assert!(first["suppressed"].as_str().unwrap().starts_with("two people"), "{name}");
            assert_eq!(first["fix"], Value::Null, "{name}");
            assert_eq!(place.json("")["summary"]["fixable"].as_u64(), Some(1), "{name}");
            let open = place.findings("--no-ignores --select slow-tree");
            assert_eq!(open, ["slow-tree kept", "slow-tree web"], "{name}");

            let apply = place.run("apply --unsafe --yes --select slow-tree");
            assert_eq!(apply.code, 0, "{name}: {}", apply.stderr);
            let left = "kept /app/node_modules: ignored by a comment: two people";
            assert!(apply.stderr.contains(left), "{name}: {}", apply.stderr);
            let after = place.text("compose.yaml");
            assert!(after.contains("node_modules:/srv/node_modules"), "{name}: {after}");
            assert!(!after.contains("/app/node_modules"), "{name}: {after}");
            assert_eq!(place.findings("--select slow-tree"), ["!slow-tree kept"], "{name}");
        }
    }
}

#[test]
fn the_exit_code_is_that_of_what_counts() {
    let place = Place::new(&[("package.json", MANIFEST)]);
    place
        .put("compose.yaml", &WEB.replace("./:/app", "./:/app # composefix: ignore[slow-tree] x1"));
    let outcome = place.run("check");
    assert_eq!(outcome.code, 0);
    assert_eq!(outcome.stdout, "no findings in 1 file, 1 ignored (-v lists them)\n");
    let line =
        "ignored: compose.yaml:5: web /app/node_modules: slow-tree: ignored by a comment: x1\n";
    assert!(place.run("check -v").stderr.contains(line));
    assert_eq!(place.run("check --no-ignores").code, 1);
    assert_eq!(place.run("apply --unsafe --yes").code, 0);
    assert_eq!(place.text("compose.yaml").lines().count(), 5);
}

#[test]
fn a_comment_on_a_shared_mount_holds_for_all_that_share_it() {
    for text in [
        "x-code: &code ./:/app # composefix: ignore[slow-tree] shared\nservices:\n  a: {image: 'node:22', volumes: [*code]}\n  b:\n    image: node:22\n    volumes:\n      - *code\n",
        "x-v: &v\n  volumes:\n    # composefix: ignore[slow-tree] shared\n    - ./:/app\nservices:\n  a:\n    <<: *v\n    image: node:22\n  b:\n    <<: *v\n    image: node:22\n",
        "services:\n  a:\n    image: node:22\n    volumes:\n      - ./:/app # composefix: ignore[slow-tree] shared\n  b:\n    extends: a\n",
    ] {
        let place = Place::new(&[("compose.yaml", text), ("package.json", MANIFEST)]);
        assert_eq!(place.findings(""), ["!slow-tree a", "!slow-tree b"], "{text}");
    }
    let one = "x-code: &code ./:/app\nservices:\n  a:\n    image: node:22\n    volumes:\n      - *code # composefix: ignore[slow-tree] here alone\n  b:\n    image: node:22\n    volumes:\n      - *code\n";
    let place = Place::new(&[("compose.yaml", one), ("package.json", MANIFEST)]);
    assert_eq!(place.findings(""), ["!slow-tree a", "slow-tree b"]);
}

#[test]
fn comments_that_cannot_be_followed_are_told_and_the_finding_stays() {
    for (comment, message) in [
        ("# composefix: ignore[slow-tree]", "gives no reason"),
        ("# composefix: ignore[slow-tree] --", "gives no reason"),
        ("# composefix: ignore", "names no rule"),
        ("# composefix: ignore[] why", "names no rule"),
        ("# composefix: ignore[slow-tree why", "names no rule"),
        ("# composefix: ignore[slow-tre] why", "did you mean `slow-tree`?"),
        ("# composefix: ignore[duplicate-target] why", "no finding of `duplicate-target` here"),
    ] {
        let place = Place::new(&[("package.json", MANIFEST)]);
        place.put("compose.yaml", &WEB.replace("./:/app", &format!("./:/app {comment}")));
        assert_eq!(place.findings(""), ["slow-tree web", "unused-ignore web"], "{comment}");
        let json = place.json("--select unused-ignore,duplicate-target");
        let finding = &json["findings"][0];
        assert!(finding["message"].as_str().unwrap().contains(message), "{finding}");
        assert_eq!(finding["severity"], "note");
        assert_eq!(place.findings("--ignore unused-ignore"), ["slow-tree web"], "{comment}");
    }
    let text = WEB.replace("services", "# composefix: ignore[slow-tree] at no mount\nservices");
    let place = Place::new(&[("compose.yaml", &text), ("package.json", MANIFEST)]);
    assert_eq!(place.findings(""), ["unused-ignore", "slow-tree web"]);
    assert_eq!(place.json("")["findings"][0]["mount"], Value::Null);
}

#[test]
fn a_request_is_only_stale_where_the_run_can_know() {
    let none = [""; 0];
    // Another platform would have the finding; the rule is off; the mount is not known.
    let ignored = WEB.replace("./:/app", "./:/app # composefix: ignore[slow-tree] why");
    let place = Place::new(&[("compose.yaml", &ignored), ("package.json", MANIFEST)]);
    assert_eq!(place.findings("--platform linux-native"), none);
    assert_eq!(place.findings("--ignore slow-tree"), none);
    assert_eq!(place.findings("--select unused-ignore"), none);
    assert_eq!(place.findings("--no-ignores --ignore slow-tree"), none);
    place.put("compose.yaml", &ignored.replace("./:/app", "${CODE}:/app"));
    assert_eq!(place.findings(""), none);
    place.put("compose.yaml", &ignored.replace("image", "profiles: [x]\n    image"));
    assert_eq!(place.findings(""), none, "nobody starts the service today");
    place.put("compose.yaml", &ignored);
    place.put("package.json", "{}\n");
    assert_eq!(place.findings(""), ["unused-ignore web"], "nothing is there any more");
    place.put("compose.yaml", &ignored.replace("[slow-tree]", "[slow-tree, unused-ignore]"));
    assert_eq!(place.findings(""), ["!unused-ignore web"]);

    // Entries of the configuration.
    let place = Place::web(
        "ignore:\n- {file: compose.yaml, rule: slow-tree, reason: why}\n- {service: db, reason: why}\n- {file: b/compose.yaml, rule: slow-tree, reason: why}\n",
    );
    place.put("b/compose.yaml", WEB);
    assert_eq!(place.findings(""), ["!slow-tree web"], "others were not looked at");
    assert_eq!(place.findings("b/compose.yaml"), ["unused-ignore"]);
    let all = place.findings(".");
    assert_eq!(all, ["unused-ignore db", "unused-ignore", "!slow-tree web"]);
    assert_eq!(place.findings(". --platform linux-native"), ["unused-ignore db", "unused-ignore"]);
    assert_eq!(place.findings(". --ignore unused-ignore"), ["!slow-tree web"]);
    assert_eq!(place.run("check . --strict-config").code, 2);
    place.put("b/package.json", MANIFEST);
    place.put(".composefix.yaml", "ignore:\n- {file: '*/compose.yaml', reason: why}\n- {file: gone.yaml, reason: why}\n- {file: .composefix.yaml, rule: unused-ignore, reason: why}\n");
    assert_eq!(place.findings("b/compose.yaml"), ["!unused-ignore", "!slow-tree web"]);
}

#[test]
fn entries_fit_by_rule_file_service_and_target() {
    let two = two_services("      - ./:/app\n");
    for (entry, expected) in [
        ("rule: slow-tree", ["!slow-tree kept", "!slow-tree web"]),
        ("rule: slow-writes", ["slow-tree kept", "slow-tree web"]),
        ("file: compose.yaml", ["!slow-tree kept", "!slow-tree web"]),
        ("file: ./compose.yaml", ["!slow-tree kept", "!slow-tree web"]),
        ("file: '*.yaml'", ["!slow-tree kept", "!slow-tree web"]),
        ("file: 'x/*.yaml'", ["slow-tree kept", "slow-tree web"]),
        ("service: web", ["slow-tree kept", "!slow-tree web"]),
        ("target: /app", ["!slow-tree kept", "slow-tree web"]),
        ("target: /app/node_modules", ["!slow-tree kept", "slow-tree web"]),
        ("service: web, target: /app", ["slow-tree kept", "slow-tree web"]),
    ] {
        let config = format!("ignore: [{{{entry}, reason: it stays}}]\n");
        let place = Place::new(&[
            (".composefix.yaml", &config),
            ("compose.yaml", &two),
            ("package.json", MANIFEST),
        ]);
        assert_eq!(place.findings("--select slow-tree"), expected, "{entry}");
        let patch = place.run("apply --unsafe --diff --select slow-tree").stdout;
        for (finding, target) in expected.iter().zip(["/app", "/srv"]) {
            let written = patch.contains(&format!("node_modules:{target}/node_modules\n"));
            assert_eq!(written, finding.starts_with("slow"), "{entry}: {patch}");
        }
        assert_eq!(patch.is_empty(), expected.iter().all(|f| f.starts_with('!')), "{entry}");
    }
}

// ---- init

#[test]
fn init_writes_a_baseline_that_check_passes_by() {
    let two = two_services("      - ./:/app\n");
    let place = Place::new(&[
        ("app/compose.yaml", &two),
        ("app/package.json", MANIFEST),
        ("[odd] dir/compose.yaml", WEB),
        ("[odd] dir/package.json", MANIFEST),
        ("own/compose.yaml", WEB),
        ("own/package.json", MANIFEST),
        ("own/.composefix.yaml", "rules: {slow-tree: note}\n"),
    ]);
    assert_eq!(place.run("check .").code, 1);
    let shown = place.run("init --diff");
    assert_eq!((shown.code, place.path().join(".composefix.yaml").exists()), (0, false));
    let outcome = place.run_in("app", "init");
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("created ../.composefix.yaml"), "{}", outcome.stderr);
    let config = place.text(".composefix.yaml");
    assert_eq!(config, shown.stdout);
    assert!(config.starts_with("# yaml-language-server: $schema=https://"), "{config}");
    assert!(config.contains("  - macos-virtiofs\n  - windows-wsl2-drive\n"), "{config}");
    assert!(!config.contains("own/"), "what has its own configuration is not in it: {config}");
    assert_eq!(config.matches("reason: \"TODO: why this stays\"").count(), 3, "{config}");
    for words in ["check app", "check .", "check . --strict-config"] {
        let outcome = place.run(words);
        assert_eq!(outcome.code, 0, "{words}: {}{}", outcome.stdout, outcome.stderr);
    }
    assert_eq!(place.run_in("app", "check --fail-on note").code, 0);
    assert_eq!(place.run("check . --no-ignores").code, 1);
    let again = place.run("init");
    assert_eq!(again.code, 2);
    assert!(again.stderr.contains(".composefix.yaml is there already"), "{}", again.stderr);
    assert_eq!(place.text(".composefix.yaml"), config);

    // What was repaired is not ignored any more.
    let repaired = two.replace("- ./:/srv\n", "- ./:/srv\n      - mods:/srv/node_modules\n");
    place.put("app/compose.yaml", &format!("volumes: {m}\n{repaired}", m = "{mods: {}}"));
    let findings = place.findings("app --select slow-tree,unused-ignore");
    assert_eq!(findings, ["unused-ignore web", "!slow-tree kept"]);
    let outcome = place.run("check app --select slow-tree,unused-ignore");
    assert_eq!(outcome.code, 0, "a note fails no gate: {}", outcome.stdout);
    assert_eq!(place.run("check app --strict-config").code, 2);
}

#[test]
fn init_asks_for_little() {
    let place = Place::new(&[]);
    let outcome = place.run("init --platform macos,docker-machine");
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(
        place.text(".composefix.yaml").ends_with("platforms:\n  - macos\n  - docker-machine\n")
    );
    assert_eq!(Place::new(&[]).run("init --platform mac-os").code, 2);

    let place = Place::new(&[("compose.yaml", WEB), ("package.json", MANIFEST)]);
    assert_eq!(place.run("init --no-baseline").code, 0);
    assert_eq!(place.run("check").code, 1);

    let place = Place::new(&[("a/compose.yaml", WEB), ("a/package.json", MANIFEST)]);
    place.put("b/compose.yaml", "services: [");
    let outcome = place.run("init");
    assert_eq!(outcome.code, 2, "something could not be checked");
    assert!(outcome.stderr.contains("b/compose.yaml"), "{}", outcome.stderr);
    assert!(place.text(".composefix.yaml").contains("file: a/compose.yaml\n"));

    // Without a repository it goes where one stands.
    let place = Place::new(&[("a/compose.yaml", WEB)]);
    std::fs::remove_dir_all(place.path().join(".git")).unwrap();
    assert_eq!(place.run_in("a", "init").code, 0);
    assert!(place.path().join("a/.composefix.yaml").exists());
}
