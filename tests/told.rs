//! What a run tells beside its findings: numbers, files, what it looked at, how far it is.
#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

mod support;

use std::ffi::OsString;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use composefix::cli::{Command, Exit};
use composefix::host::{Entry, EntryKind, Host, MemoryHost, MemoryNode, RealHost};
use serde_json::json;
use support::{Outcome, environment, put, run};
use tempfile::TempDir;

const WEB: &str = "\
services:
  web:
    image: node:22
    volumes:
      - ./:/app
";
const IMAGE: &str = "services:\n  web:\n    image: x\n";
const MANIFEST: &str = "{\"dependencies\": {\"left-pad\": \"1.0.0\"}}\n";

/// A repository with these files.
struct Place(TempDir);

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        place.put(".git/HEAD", "ref: refs/heads/main\n");
        for (name, text) in files {
            place.put(name, text);
        }
        place
    }

    fn put(&self, name: &str, text: &str) {
        put(&self.0.path().join(name), text.as_bytes());
    }

    fn run(&self, words: &str) -> Outcome {
        self.run_with(words, &[])
    }

    fn run_with(&self, words: &str, variables: &[(&str, &str)]) -> Outcome {
        let mut environment = environment(self.0.path());
        let variables = variables.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        environment.variables.extend(variables);
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        run(&RealHost, &environment, &words)
    }

    /// The lines that `-v` adds with this beginning.
    fn told(&self, words: &str, begin: &str) -> Vec<String> {
        let lines = self.run(words).stderr;
        lines.lines().filter(|line| line.starts_with(begin)).map(str::to_owned).collect()
    }
}

/// A search with everything that may be left out of one.
fn crowded() -> Place {
    Place::new(&[
        (".gitignore", "build/\n"),
        (".composefix.yaml", "platforms: [macos-virtiofs]\nexclude: [old/, '*.gen.yaml']\n"),
        ("package.json", MANIFEST),
        (
            "compose.yaml",
            "include: [parts/db.yaml]\nservices:\n  web:\n    image: node:22\n    volumes:\n      - ./:/app\n      - ./nginx.conf:/n.conf\n      - /outside/data:/data\n      - /outside/app.conf:/app.conf\n      - ${NOWHERE}:/u\n      - ./gone:/gone\n      - /etc/localtime:/etc/localtime\n  nginx:\n    image: nginx\n    volumes: ['./:/app']\n",
        ),
        ("nginx.conf", ""),
        ("parts/db.yaml", "services:\n  db:\n    image: x\n"),
        ("compose.dev.yaml", "services:\n  web:\n    tty: true\n"),
        ("old/compose.yaml", IMAGE),
        ("compose.gen.yaml", IMAGE),
        ("build/compose.yaml", IMAGE),
        ("sub/compose.yaml", IMAGE),
        ("sub/docker-compose.bad.yaml", "services: [\n"),
    ])
}

#[test]
fn statistics_stand_instead_of_the_findings() {
    let two = WEB.to_owned()
        + "  worker:\n    image: node:22\n    volumes: ['./:/app', 'data:/x', 'data:/x']\nvolumes: {data: }\n";
    let place = Place::new(&[("compose.yaml", &two), ("package.json", MANIFEST)]);
    let outcome = place.run("check --statistics");
    assert_eq!(
        outcome.stdout,
        "2  slow-tree         [ ]\n1  duplicate-target  [ ]\n\
         3 findings (1 error, 2 warnings), 2 fixable with --unsafe\n"
    );
    assert_eq!((outcome.code, outcome.stderr.as_str()), (1, ""));
    let quiet = place.run("check --statistics -q --unsafe");
    assert_eq!(quiet.stdout, "2  slow-tree         [*]\n1  duplicate-target  [ ]\n");
    let list = place.run("check --statistics --format json --unsafe");
    assert_eq!(
        list.json(),
        json!([
            {"rule": "slow-tree", "count": 2, "fixable": true, "fixable_count": 2},
            {"rule": "duplicate-target", "count": 1, "fixable": false, "fixable_count": 0},
        ])
    );
    assert_eq!(place.run("check --statistics --exit-zero").code, 0);
    assert_eq!(place.run("check --statistics --select watch-under-bind").code, 0);
    for words in ["check --statistics --format sarif", "check --statistics --format json=a,junit"] {
        let outcome = place.run(words);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
        assert!(outcome.stderr.starts_with("error: --statistics are text or json"), "{words}");
    }
}

#[test]
fn statistics_do_not_hide_what_could_not_be_checked() {
    let place = Place::new(&[("compose.yaml", "services: [\n")]);
    for format in ["text", "json"] {
        let outcome = place.run(&format!("check --statistics --format {format}"));
        assert_eq!(outcome.code, 2);
        assert!(outcome.stderr.contains("[compose.yaml:1:"), "{}", outcome.stderr);
    }
}

#[test]
fn files_are_shown_and_not_judged() {
    let place = crowded();
    let expected = "compose.dev.yaml\ncompose.yaml\nparts/db.yaml\nsub/compose.yaml\nsub/docker-compose.bad.yaml\n";
    let outcome = place.run("check --show-files .");
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), (expected, ""));
    assert_eq!(outcome.code, 0);
    for (words, expected) in [
        ("", "compose.yaml\nparts/db.yaml\n"),
        ("old/compose.yaml", "old/compose.yaml\n"),
        ("old/compose.yaml --force-exclude", ""),
        ("sub ./sub/compose.yaml", "sub/compose.yaml\nsub/docker-compose.bad.yaml\n"),
        ("-f sub/compose.yaml -f compose.gen.yaml", "compose.gen.yaml\nsub/compose.yaml\n"),
    ] {
        let outcome = place.run(&format!("check --show-files {words}"));
        assert_eq!((outcome.code, outcome.stdout.as_str()), (0, expected), "{words}");
    }
}

#[test]
fn paths_that_are_not_there_are_problems_of_show_files_too() {
    let place = crowded();
    for (words, shown, message) in [
        ("sub/compose.yaml gone.yaml", "sub/compose.yaml\n", "gone.yaml"),
        ("-f gone.yaml", "", "gone.yaml"),
        ("parts", "", "no Compose file in this directory"),
    ] {
        let outcome = place.run(&format!("check --show-files {words}"));
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, shown), "{words}");
        assert!(outcome.stderr.contains(message), "{words}: {}", outcome.stderr);
    }
    let empty = Place::new(&[]);
    assert_eq!(empty.run("check --show-files").code, 2);
}

#[test]
fn verbose_tells_what_counted_what_was_seen_and_what_was_left_out() {
    let place = crowded();
    let outcome = place.run("check -v compose.yaml old sub/compose.yaml .");
    let expected = "\
not judged: compose.yaml:8: web: not looked into: it lies outside the repository
not judged: compose.yaml:10: web: `NOWHERE` is not set, so this mount is not known
not judged: compose.yaml:15: nginx: nginx reads nothing in node_modules
note: configuration: .composefix.yaml, the nearest to 5 projects
note: rules: the built-in ones
note: platforms: macos-virtiofs, by .composefix.yaml
note: compose.gen.yaml: excluded by .composefix.yaml
note: old: excluded by .composefix.yaml
note: build/compose.yaml: left out by .gitignore or .ignore
note: compose.dev.yaml: judged on top of compose.yaml
note: looked into .: node_modules (node-modules, expected by its manifest)
note: not looked into /etc/localtime: it belongs to the operating system
note: not looked into /outside/app.conf: by its name it is a file
note: not looked into gone: it is not there
note: not looked into nginx.conf: it is no directory
";
    let told = outcome.stderr.lines().filter(|line| line.starts_with("not"));
    let expected: Vec<&str> = expected.lines().collect();
    assert_eq!(told.collect::<Vec<_>>(), expected, "{}", outcome.stderr);
    assert_eq!(outcome, place.run("check -v compose.yaml old sub/compose.yaml ."));
}

#[test]
fn verbose_tells_how_much_was_counted() {
    let place = Place::new(&[("compose.yaml", WEB), ("package.json", MANIFEST)]);
    place.put("node_modules/.package-lock.json", "{}");
    for number in 0..600 {
        place.put(&format!("node_modules/x/{number}.js"), "");
    }
    let seen = "note: looked into";
    assert_eq!(
        place.told("check -v", seen),
        ["note: looked into .: node_modules (node-modules, 500 files or more counted)"]
    );
    assert_eq!(
        place.told("check -v --full-survey", seen),
        ["note: looked into .: node_modules (node-modules, 601 files counted)"]
    );
    assert_eq!(place.told("apply -v --diff", seen).len(), 1);
}

#[test]
fn verbose_tells_who_chose_configuration_rules_and_platforms() {
    let place = Place::new(&[
        ("compose.yaml", IMAGE),
        ("a/.composefix.yaml", "rules-dirs: [more]\n"),
        ("a/compose.yaml", IMAGE),
        ("a/more/trees/.keep", ""),
        ("own/images/.keep", ""),
    ]);
    let lines = |words: &str, variables: &[(&str, &str)]| {
        let outcome = place.run_with(&format!("check -v {words}"), variables);
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        let begins = ["configuration", "rules", "platforms"].map(|word| format!("note: {word}: "));
        let told = outcome.stderr.lines();
        let told = told.filter(|line| begins.iter().any(|begin| line.starts_with(begin)));
        told.filter_map(|line| line.strip_prefix("note: ").map(str::to_owned)).collect::<Vec<_>>()
    };
    let default = "platforms: macos-virtiofs, windows-wsl2-drive, the default";
    assert_eq!(
        lines(". --rules own", &[]),
        [
            "configuration: none found for 1 project",
            "rules: the built-in ones, then own (by --rules)",
            default,
            "configuration: a/.composefix.yaml, the nearest to 1 project",
            "rules: the built-in ones, then a/more (by a/.composefix.yaml), then own (by --rules)",
            default,
        ]
    );
    let flag = "platforms: orbstack, by --platform";
    let rules = "rules: the built-in ones";
    let by = [("COMPOSEFIX_PLATFORM", "linux-native"), ("COMPOSEFIX_CONFIG", "a/.composefix.yaml")];
    assert_eq!(
        lines("--no-config --platform orbstack", &by),
        ["configuration: none, by --no-config", rules, flag]
    );
    let more = "rules: the built-in ones, then a/more (by a/.composefix.yaml)";
    let variable = "platforms: linux-native, by COMPOSEFIX_PLATFORM";
    assert_eq!(
        lines("compose.yaml", &by),
        ["configuration: a/.composefix.yaml, by COMPOSEFIX_CONFIG", more, variable]
    );
    assert_eq!(
        lines("--config a/.composefix.yaml", &[]),
        ["configuration: a/.composefix.yaml, by --config", more, default]
    );
}

#[test]
fn quiet_says_only_what_was_found() {
    let place = Place::new(&[
        ("compose.yaml", WEB),
        ("package.json", MANIFEST),
        (".composefix.yaml", "exclude: [nothing/]\n"),
    ]);
    assert!(place.run("check .").stderr.starts_with("warning: .composefix.yaml:1:11: "));
    let outcome = place.run("check -q .");
    assert!(outcome.stdout.starts_with("warning[slow-tree]"), "{}", outcome.stdout);
    assert!(!outcome.stdout.contains("1 finding"), "{}", outcome.stdout);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (1, ""));
    let outcome = place.run("apply -q --unsafe --yes .");
    assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (0, "", ""));
}

/// A file system that takes its time for each directory.
struct Slow(MemoryHost);

impl Host for Slow {
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.0.read(path, limit)
    }

    fn kind(&self, path: &Path) -> Option<EntryKind> {
        self.0.kind(path)
    }

    fn target_kind(&self, path: &Path) -> Option<EntryKind> {
        self.0.target_kind(path)
    }

    fn scan(
        &self,
        path: &Path,
        sizes: bool,
        visit: &mut dyn FnMut(Entry, u64) -> ControlFlow<()>,
    ) -> io::Result<()> {
        std::thread::sleep(Duration::from_millis(60));
        self.0.scan(path, sizes, visit)
    }

    fn size(&self, path: &Path) -> u64 {
        self.0.size(path)
    }

    fn link(&self, path: &Path) -> io::Result<PathBuf> {
        self.0.link(path)
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.0.canonical(path)
    }
}

/// What stands on standard error after `check`, with a person in front of it.
fn watched(host: &dyn Host, words: &str, term: &str) -> String {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let mut environment = environment(Path::new("/work"));
    environment.variables.insert("TERM".to_owned(), term.to_owned());
    let exit = Command {
        stdin: &mut io::empty(),
        stdout: &mut stdout,
        stderr: &mut stderr,
        stdin_is_terminal: true,
        stdout_is_terminal: true,
        stderr_is_terminal: true,
        environment,
        host,
    }
    .main(["composefix", "check"].into_iter().chain(words.split_whitespace()).map(OsString::from));
    assert_eq!(exit, Exit::Findings);
    String::from_utf8(stderr).unwrap()
}

#[test]
fn a_long_run_tells_how_far_it_is_and_leaves_nothing() {
    let host = MemoryHost::default()
        .with_file("/work/compose.yaml", WEB)
        .with_file("/work/package.json", MANIFEST)
        .with("/work/node_modules", MemoryNode::Tree(900));
    assert_eq!(watched(&host, "", "xterm"), "", "a short run");
    let slow = Slow(host);
    let told = watched(&slow, "--full-survey", "xterm");
    let first = "\r\u{1b}[?7llooked at 0 of 1 projects, judged 0, counted ";
    assert!(told.starts_with(first), "{told:?}");
    assert!(told.contains(" files, now in node_modules\u{1b}[K\u{1b}[?7h"), "{told:?}");
    assert!(told.ends_with("\r\u{1b}[K"), "{told:?}");
    for (words, term) in [("-q", "xterm"), ("", "dumb")] {
        assert_eq!(watched(&slow, &format!("--full-survey {words}"), term), "", "{words} {term}");
    }
}
