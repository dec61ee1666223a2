//! Projects and what every format says of them.

pub(crate) mod edits;
pub(crate) mod readers;
pub(crate) mod shapes;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use composefix::compose::Request;
use composefix::finding::Applicability;
use composefix::host::{Environment, MemoryHost, MemoryNode};
use composefix::report::{
    Report, SuppressedBy, Suppression, github, gitlab, json, junit, rdjson, sarif,
};
use composefix::rules::Rules;
use composefix::run::{self, Session, Settings};
use serde_json::Value;

use crate::support::{self, Fixture, environment, put};

/// The formats besides text.
pub(crate) const FORMATS: [&str; 6] = ["json", "sarif", "github", "gitlab", "junit", "rdjson"];

/// Where fixtures lie.
const PLACE: &str = "/project/shop";

/// Names of files and services, paths and messages made to break out of any format.
pub(crate) const HOSTILE: &str =
    "é日\u{1f40b}\u{1b}[2J\n::error::x%0A::set-output name=a::b,c\r]]><&>\"'\u{2028}\u{fffe}";

/// A project with what the formats say of it.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// Texts of the files, by the names that reports use.
    pub(crate) files: BTreeMap<String, String>,
    /// Reports by format.
    pub(crate) said: BTreeMap<&'static str, String>,
    /// The patch that `apply` prints, where it was asked.
    pub(crate) patch: String,
}

impl Case {
    pub(crate) fn json(&self, format: &str) -> Value {
        serde_json::from_str(&self.said[format])
            .unwrap_or_else(|error| panic!("{}: {format} is not JSON: {error}", self.name))
    }

    /// Number of findings by whether they count, and of problems.
    pub(crate) fn counts(&self) -> (usize, usize, usize) {
        let report = self.json("json");
        let findings = report["findings"].as_array().unwrap();
        let suppressed = findings.iter().filter(|f| !f["suppressed"].is_null()).count();
        let problems = report["problems"].as_array().unwrap().len();
        (findings.len() - suppressed, suppressed, problems)
    }
}

/// All projects.
pub(crate) fn cases() -> Vec<Case> {
    let fixtures = Fixture::all();
    let half = fixtures.len() / 2;
    let mut cases: Vec<Case> = std::thread::scope(|scope| {
        let halves = [&fixtures[..half], &fixtures[half..]]
            .map(|part| scope.spawn(|| part.iter().map(of_fixture).collect::<Vec<Case>>()));
        halves.into_iter().flat_map(|half| half.join().unwrap()).collect()
    });
    cases.extend([wide(), hostile("hostile", false), hostile("hostile-whole", true), suppressed()]);
    cases.push(of_report("empty", &Report::default()));
    cases
}

/// What the program finds in a fixture when some of its files have other texts.
pub(crate) fn again(fixture: &Fixture, texts: &BTreeMap<String, Vec<u8>>) -> Value {
    let host = fixture.host(Path::new(PLACE), texts);
    let words = fixture.words("check --unsafe --format json");
    support::run(&host, &environment(Path::new(PLACE)), &words).json()
}

fn of_fixture(fixture: &Fixture) -> Case {
    let host = fixture.host(Path::new(PLACE), &BTreeMap::new());
    let files = fixture.files.iter();
    let files =
        files.filter_map(|(n, text)| Some((n.clone(), String::from_utf8(text.clone()).ok()?)));
    in_memory(&fixture.name, &host, files.collect(), |words| fixture.words(words))
}

/// A file with a byte order mark and Windows line ends, whose repairs stand behind wide characters.
fn wide() -> Case {
    let text =
        "\u{feff}services: {web: {labels: {é日: \u{1f40b}}, image: 'node:22', volumes: [./:/é/日, \
                './:/app:cached']}} # é日\u{1f40b}\r\nvolumes: {}\r\n# end"
            .to_owned();
    let host = MemoryHost::default()
        .with_file(format!("{PLACE}/compose.yaml"), text.as_str())
        .with_file(format!("{PLACE}/package.json"), "{\"dependencies\": {\"a\": \"1\"}}")
        .with(format!("{PLACE}/node_modules"), MemoryNode::Tree(600));
    let files = BTreeMap::from([("compose.yaml".to_owned(), text)]);
    in_memory("wide", &host, files, |words| words.split(' ').map(str::to_owned).collect())
}

fn in_memory(
    name: &str,
    host: &MemoryHost,
    files: BTreeMap<String, String>,
    words: impl Fn(&str) -> Vec<String>,
) -> Case {
    let said = |command: &str| {
        let outcome = support::run(host, &environment(Path::new(PLACE)), &words(command));
        assert!(outcome.code < 2, "{name}: {command}: {}{}", outcome.stderr, outcome.stdout);
        outcome.stdout
    };
    let patch = said("apply --diff --unsafe");
    let said = FORMATS.map(|format| (format, said(&format!("check --unsafe --format {format}"))));
    Case { name: name.to_owned(), files, said: said.into(), patch }
}

/// A Compose file with findings of all severities on hostile names, and with columns that bytes,
/// characters and UTF-16 count differently.
fn hostile_text() -> String {
    let target = quoted(&format!("/{HOSTILE}"));
    let relative = quoted(&format!("relative {HOSTILE}"));
    format!(
        "services:\n  web: {{image: 'node:22', volumes: [./:/app, {{type: bind, source: ./, target: \
         {target}}}, xx:/c]}} # é日\u{1f40b}\n  app:\n    image: node:22\n    volumes:\n      - \
         ./:/app:cached\n      - xx:/é日\n      - yy:/é日\n      - source: ./\n        target: {relative}\n        \
         type: bind\nvolumes:\n  xx:\n  yy:\n"
    )
}

/// A text in double quotes, as YAML reads it.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\u{2028}' | '\u{fffe}' | '\0'..='\u{1f}' => {
                write!(out, "\\u{:04x}", u32::from(c)).unwrap();
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The hostile project, by the program itself. Unless it is whole there are problems, too.
fn hostile(case: &str, whole: bool) -> Case {
    let above = tempfile::tempdir().unwrap();
    let place = above.path().canonicalize().unwrap().join("a repository");
    let directory = place.join("sub é%20#");
    let name =
        if cfg!(unix) { format!("{HOSTILE}.yaml").replace('/', "") } else { "é.yaml".to_owned() };
    put(&place.join(".git/HEAD"), b"");
    put(&directory.join("package.json"), b"{\"dependencies\": {\"left-pad\": \"1.0.0\"}}\n");
    let mut files = BTreeMap::from([(name.clone(), hostile_text())]);
    let mut words = vec!["check".to_owned(), "--unsafe".to_owned(), name.clone()];
    if !whole {
        let broken = format!("broken {name}");
        files.insert(broken.clone(), format!("services: [\n  \"{}\n", HOSTILE.replace('"', "")));
        words.extend([broken, "gone.yaml".to_owned()]);
    }
    for (name, text) in &files {
        put(&directory.join(name), text.as_bytes());
    }
    #[cfg(unix)]
    if !whole {
        std::os::unix::fs::symlink(&name, directory.join("link.yaml")).unwrap();
        files.insert("link.yaml".to_owned(), hostile_text());
        words.push("link.yaml".to_owned());
    }
    let requests = FORMATS.map(|format| format!("{format}={format}.out")).join(",");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_composefix"))
        .args(&words)
        .args(["--format", &requests])
        .current_dir(&directory)
        .env_clear()
        .output()
        .unwrap();
    let expected = if whole { 1 } else { 2 };
    assert_eq!(output.status.code(), Some(expected), "{case}: {output:?}");
    let said = FORMATS.map(|f| (f, support::text(&directory.join(format!("{f}.out")))));
    Case { name: case.to_owned(), files, said: said.into(), patch: String::new() }
}

/// Findings of which every second one does not count.
fn suppressed() -> Case {
    let rules = Rules::builtin().unwrap();
    let settings = Settings {
        platforms: vec!["macos-virtiofs".to_owned()],
        write_from: Applicability::Unsafe,
        edits_alone: true,
        ..Settings::default()
    };
    let environment = Environment { directory: PLACE.into(), ..Environment::default() };
    let host = MemoryHost::default()
        .with_file(format!("{PLACE}/compose.yaml"), hostile_text())
        .with_file(format!("{PLACE}/package.json"), "{\"dependencies\": {\"a\": \"1\"}}")
        .with(format!("{PLACE}/node_modules"), MemoryNode::Tree(600));
    let session = Session { host: &host, environment: &environment, rules: &rules, settings };
    let mut report = run::examine(&session, &[Request::default()]).report;
    assert!(report.problems.is_empty() && report.findings.len() > 3, "{report:?}");
    for (index, reported) in report.findings.iter_mut().enumerate().step_by(2) {
        let by = if index % 4 == 0 { SuppressedBy::Comment } else { SuppressedBy::Config };
        reported.fails = false;
        reported.suppressed = Some(Suppression { by, reason: format!("because {HOSTILE}") });
    }
    of_report("suppressed", &report)
}

fn of_report(name: &str, report: &Report) -> Case {
    let said = [
        ("json", json::render(report)),
        ("sarif", sarif::render(report)),
        ("github", github::render(report)),
        ("gitlab", gitlab::render(report)),
        ("junit", junit::render(report)),
        ("rdjson", rdjson::render(report)),
    ];
    let files = report.sources.iter().map(|(name, s)| (name.clone(), s.text().to_owned()));
    Case { name: name.to_owned(), files: files.collect(), said: said.into(), patch: String::new() }
}
