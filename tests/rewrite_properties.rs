//! What holds for every rewrite, whatever the file looks like.
//!
//! `PROPTEST_CASES=20000 cargo test --release --test rewrite_properties -- --nocapture` looks at more
//! files and prints what was refused.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by a panic")]

mod layouts;

use std::collections::BTreeMap;
use std::sync::Mutex;

use composefix::compose::Request;
use composefix::finding::{Applicability, Finding};
use composefix::host::{Environment, MemoryHost, MemoryNode};
use composefix::rewrite::Destination;
use composefix::rules::Rules;
use composefix::run::{self, Examination, Session, Settings};
use composefix::source::{Source, Span};
use composefix::yaml::{self, Limits};
use layouts::Tape;
use proptest::prelude::*;
use proptest::test_runner::{TestError, TestRunner};
use serde_yaml::Value;

const DIRECTORY: &str = "/home/me/project";

/// Directories of the project that a tree can lie in, and what can lie there.
const PLACES: [&str; 5] = ["", "api/", "web/", "ünï/", "my web/"];
const TREES: [(&str, &str, &str); 5] = [
    ("node_modules", "package.json", r#"{"dependencies": {"a": "1"}}"#),
    ("vendor", "composer.json", r#"{"require": {"a/b": "1"}}"#),
    (".venv", "uv.lock", ""),
    (".next", "next.config.mjs", ""),
    ("var/cache", "symfony.lock", "{}"),
];

/// Strategies that take something away.
const CUTTING: [&str; 2] = ["narrow", "watch"];

/// A project on disk around a Compose file.
fn host(tape: &mut Tape<'_>) -> MemoryHost {
    let mut host = MemoryHost::default().with_file(format!("{DIRECTORY}/api/nginx.conf"), "");
    for place in PLACES {
        host = host.with(format!("{DIRECTORY}/{place}src"), MemoryNode::Directory);
        for (index, (tree, manifest, text)) in TREES.into_iter().enumerate() {
            // The first is nearly everywhere, so that a plain file has something to repair.
            if tape.chance(20) == (index == 0 && place.is_empty()) {
                continue;
            }
            host = host.with_file(format!("{DIRECTORY}/{place}{manifest}"), text);
            if tape.chance(80) || index == 0 {
                host = host.with(format!("{DIRECTORY}/{place}{tree}"), MemoryNode::Tree(600));
            }
        }
    }
    host
}

/// What a run on one text needs.
struct Bench {
    host: MemoryHost,
    environment: Environment,
    settings: Settings,
    name: &'static str,
}

impl Bench {
    fn new(tape: &mut Tape<'_>, text: &str) -> Self {
        let strategies: &[&str] = match tape.pick(10) {
            0..5 => &[],
            5 => &["tmpfs", "volume", "name-volume"],
            6 | 7 => &["watch"],
            8 => &["narrow"],
            _ => &["watch", "narrow"],
        };
        let name = if text.starts_with('{') { "compose.json" } else { "compose.yaml" };
        Self::with(host(tape), strategies, name)
    }

    /// True when only what adds to a file may be written.
    fn only_adds(&self) -> bool {
        !self.settings.strategies.iter().any(|s| CUTTING.contains(&s.as_str()))
    }

    /// A directory with these trees.
    fn plain(trees: &[&str]) -> Self {
        let known = TREES.iter().filter(|(tree, ..)| trees.contains(tree));
        let host = known.fold(MemoryHost::default(), |host, (tree, manifest, text)| {
            host.with_file(format!("{DIRECTORY}/{manifest}"), *text)
                .with(format!("{DIRECTORY}/{tree}"), MemoryNode::Tree(600))
        });
        Self::with(host, &[], "compose.yaml")
    }

    fn with(host: MemoryHost, strategies: &[&str], name: &'static str) -> Self {
        let variables = [("PWD", DIRECTORY), ("STAGE", "dev")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self {
            host,
            environment: Environment {
                variables: variables.into(),
                directory: DIRECTORY.into(),
                home: Some("/home/me".into()),
                ..Environment::default()
            },
            settings: Settings {
                platforms: vec!["macos-virtiofs".to_owned(), "windows-wsl2-drive".to_owned()],
                strategies: strategies.iter().map(|s| (*s).to_owned()).collect(),
                select: Vec::new(),
                // What these tests promise is that an edit adds; a dead flag goes.
                ignore: vec!["dead-consistency-flag".to_owned()],
                write_from: Applicability::Unsafe,
                full_survey: false,
                show_mounts: false,
                edits_alone: false,
                destination: Destination::InPlace,
                ..Settings::default()
            },
            name,
        }
    }

    fn examine(&self, rules: &Rules, text: &str) -> Examination {
        let path = self.environment.directory.join(self.name);
        let host = self.host.clone().with_file(&path, text);
        let session = Session {
            host: &host,
            environment: &self.environment,
            rules,
            settings: self.settings.clone(),
        };
        run::examine(&session, &[Request { files: vec![path], ..Request::default() }])
    }
}

/// What makes a finding the same after an edit: service, rule, tree, mount.
fn key(finding: &Finding) -> (String, &'static str, String, String) {
    let tree = finding.tree.as_ref().map(|tree| tree.target.clone()).unwrap_or_default();
    (finding.service.clone(), finding.rule, tree, finding.mount.target.clone())
}

fn is_announced(finding: &Finding) -> bool {
    finding.fix.as_ref().is_some_and(|fix| fix.applicability >= Applicability::Unsafe)
}

/// Why there is no edit for a finding that a strategy answers.
fn refusal(finding: &Finding) -> Option<String> {
    let fix = finding.fix.as_ref().filter(|fix| fix.applicability == Applicability::Manual)?;
    Some(fix.notes.join("; "))
}

/// How often what was refused, with the shortest file for each reason.
#[derive(Default)]
struct Tally {
    cases: usize,
    announced: usize,
    refused: BTreeMap<String, (usize, String)>,
}

static TALLY: Mutex<Tally> = Mutex::new(Tally { cases: 0, announced: 0, refused: BTreeMap::new() });

fn count(examination: &Examination, text: &str) {
    let mut tally = TALLY.lock().unwrap();
    tally.cases += 1;
    for reported in &examination.report.findings {
        tally.announced += usize::from(is_announced(&reported.finding));
        let Some(reason) = refusal(&reported.finding) else { continue };
        let seen = tally.refused.entry(reason).or_insert_with(|| (0, text.to_owned()));
        seen.0 += 1;
        if text.len() < seen.1.len() {
            text.clone_into(&mut seen.1);
        }
    }
}

// ---- what must hold between the old and the new text

/// True when `new` is `old` with one piece put in.
fn grew(old: &str, new: &str) -> bool {
    let head = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let tail = old.bytes().rev().zip(new.bytes().rev()).take_while(|(a, b)| a == b).count();
    new.len() >= old.len() && head + tail >= old.len()
}

/// Words, marks and blanks of a text.
fn tokens(text: &str) -> Vec<&str> {
    let mark = |c: char| c.is_whitespace() || ",[]{}\"':".contains(c);
    text.split_inclusive(mark)
        .flat_map(|part| {
            let end = part.char_indices().last().filter(|(_, c)| mark(*c)).map(|(at, _)| at);
            let (word, mark) = part.split_at(end.unwrap_or(part.len()));
            [word, mark]
        })
        .filter(|token| !token.is_empty())
        .collect()
}

/// Every word of the old text is in the new one, in order. Lines without brackets and commas are
/// whole, or have one piece put in.
fn keeps(old: &str, new: &str) -> Result<(), String> {
    let mark = |text: &str| text.starts_with('\u{feff}');
    if mark(old) != mark(new) {
        return Err("the byte order mark is lost or new".to_owned());
    }
    let mut rest = tokens(new.trim_start_matches('\u{feff}')).into_iter();
    for token in tokens(old.trim_start_matches('\u{feff}')) {
        if !rest.any(|other| other == token) {
            return Err(format!("{token:?} is lost"));
        }
    }
    let plain = |line: &&str| !line.contains(['[', ']', '{', '}', ',']);
    let mut rest = new.trim_start_matches('\u{feff}').split_inclusive('\n');
    for line in old.trim_start_matches('\u{feff}').split_inclusive('\n').filter(plain) {
        // A last line without an end gets one when something follows it.
        let ends = line.ends_with('\n');
        let whole = |new: &str| {
            let new = if ends { new } else { new.trim_end_matches(['\r', '\n']) };
            new == line || (!line.trim().is_empty() && grew(line, new))
        };
        if !rest.any(whole) {
            return Err(format!("the line {line:?} is lost"));
        }
    }
    Ok(())
}

/// First word of each line with a comment, and the comment.
fn commented(text: &str) -> Vec<(String, String)> {
    let source = Source::new("f", text.trim_start_matches('\u{feff}'));
    let document = yaml::parse(&source, &Limits::default()).unwrap();
    let with_word = |span: &Span| {
        let line = Span::new(source.line_start(span.start), span.start);
        let word = source
            .slice(line)
            .trim_start()
            .split([' ', ',', '[', ']', '{', '}'])
            .next()
            .unwrap_or_default();
        (word.trim().to_owned(), source.slice(*span).to_owned())
    };
    document.comments().iter().map(with_word).collect()
}

fn blanks_at_ends(text: &str) -> usize {
    text.lines().filter(|line| line.ends_with([' ', '\t'])).count()
}

/// The documents of a file as another reader sees them; none when it cannot read the file.
fn documents(text: &str) -> Option<Vec<Value>> {
    use serde::Deserialize as _;

    let text = text.trim_start_matches('\u{feff}');
    let documents = serde_yaml::Deserializer::from_str(text).map(Value::deserialize);
    documents.collect::<Result<_, _>>().ok()
}

/// True when `new` is `old` with more items and entries, except that a text may get a volume's name
/// in front.
fn holds(new: &Value, old: &Value) -> bool {
    match (new, old) {
        (Value::Mapping(new), Value::Mapping(old)) => {
            old.iter().all(|(key, value)| new.get(key).is_some_and(|other| holds(other, value)))
        }
        (Value::Sequence(new), Value::Sequence(old)) => {
            let mut rest = new.iter();
            old.iter().all(|value| rest.any(|other| holds(other, value)))
        }
        (Value::String(new), Value::String(old)) => {
            new == old || (old.starts_with('/') && new.ends_with(&format!(":{old}")))
        }
        (Value::Tagged(new), Value::Tagged(old)) => {
            new.tag == old.tag && holds(&new.value, &old.value)
        }
        _ => new == old,
    }
}

/// A document without the lists of mounts in it.
fn without_mounts(document: &Value) -> Value {
    let Value::Mapping(sections) = document else { return document.clone() };
    let mut kept = sections.clone();
    kept.remove("x-vols");
    for name in ["services", "x-app"] {
        let Some(section) = kept.get_mut(name) else { continue };
        let services = match section {
            Value::Mapping(services) if name == "services" => services.values_mut().collect(),
            section => vec![section],
        };
        for service in services {
            if let Value::Mapping(attributes) = service {
                attributes.remove("volumes");
                // A merge key brings the list as well.
                attributes.remove("<<");
            }
        }
    }
    Value::Mapping(kept)
}

fn check(rules: &Rules, bench: &Bench, text: &str) -> Result<(), TestCaseError> {
    let first = bench.examine(rules, text);
    let problems = &first.report.problems;
    // Compose refuses a target that stays there twice once all spellings are cleaned.
    if problems.iter().any(|problem| problem.message.ends_with(" twice")) {
        return Ok(());
    }
    prop_assert!(problems.is_empty(), "{problems:?}");
    count(&first, text);
    let again = bench.examine(rules, text);
    prop_assert_eq!(&first.patches, &again.patches);
    let findings = first.report.findings.iter().map(|reported| &reported.finding);
    let announced = findings.clone().filter(|finding| is_announced(finding)).count();
    let Some(patch) = first.patches.first() else {
        prop_assert_eq!(announced, 0, "announced and not written");
        return Ok(());
    };
    let new = patch.after.as_str();
    prop_assert!(announced > 0, "written and not announced:\n{}", new);
    prop_assert_eq!(patch.before.as_deref(), Some(text));

    // The text.
    if bench.only_adds() {
        prop_assert_eq!(keeps(text, new), Ok(()), "\n{}", new);
        prop_assert_eq!(commented(new), commented(text), "\n{}", new);
    } else {
        let comments = |text: &str| commented(text).into_iter().map(|(_, comment)| comment);
        prop_assert!(comments(new).eq(comments(text)), "a comment is lost:\n{}", new);
    }
    let lines = text.matches('\n').count();
    if lines > 0 && text.matches("\r\n").count() == lines {
        prop_assert_eq!(new.matches("\r\n").count(), new.matches('\n').count(), "\n{:?}", new);
    } else if !text.contains('\r') {
        prop_assert!(!new.contains('\r'), "\n{:?}", new);
    }
    prop_assert_eq!(new.ends_with('\n'), text.ends_with('\n'), "\n{:?}", new);
    if bench.only_adds() {
        prop_assert_eq!(blanks_at_ends(new), blanks_at_ends(text), "\n{}", new);
    } else {
        prop_assert!(blanks_at_ends(new) <= blanks_at_ends(text), "\n{}", new);
    }

    // The meaning.
    if let Some(old) = documents(text) {
        let Some(now) = documents(new) else {
            return Err(TestCaseError::fail(format!("another reader refuses it:\n{new}")));
        };
        prop_assert_eq!(now.len(), old.len(), "\n{}", new);
        let kept = now.iter().zip(&old).all(|(now, old)| {
            if bench.only_adds() {
                holds(now, old)
            } else {
                holds(&without_mounts(now), &without_mounts(old))
            }
        });
        prop_assert!(kept, "something is lost:\n{}", new);
    }
    let second = bench.examine(rules, new);
    let problems = &second.report.problems;
    prop_assert!(problems.is_empty(), "{problems:?}\n{new}");
    prop_assert!(
        second.patches.is_empty(),
        "a second patch:\n{}\n{}",
        new,
        second.patches[0].after
    );
    let expected: Vec<_> = findings.filter(|finding| !is_announced(finding)).map(key).collect();
    let mut left: Vec<_> = second.report.findings.iter().map(|r| key(&r.finding)).collect();
    let mut expected = expected;
    left.sort();
    expected.sort();
    if !bench.only_adds() {
        // Without the bind there is nothing else to be found about it either.
        expected.retain(|key| left.contains(key));
    }
    prop_assert_eq!(left, expected, "\n{}", new);
    Ok(())
}

/// Layouts that are easily got wrong, with the two trees of an application in two languages.
#[test]
fn new_parts_fit_in_where_the_layout_leaves_little_room() {
    let rules = Rules::builtin().unwrap();
    let bench = Bench::plain(&["node_modules", ".venv"]);
    for (old, new) in [
        (
            "services: {a1: {image: app, volumes: [./:/app]}}\nvolumes: {}\n",
            "services: {a1: {image: app, volumes: [./:/app, node_modules:/app/node_modules, venv:/app/.venv]}}\n\
             volumes: {node_modules: {}, venv: {}}\n",
        ),
        (
            "# c\nservices:\n  a1:\n    volumes:\n    - ./:/app\n    command: |\n      run",
            "# c\nvolumes:\n  node_modules:\n  venv:\n\nservices:\n  a1:\n    volumes:\n    - ./:/app\n    \
             - node_modules:/app/node_modules\n    - venv:/app/.venv\n    command: |\n      run",
        ),
        (
            "  services:\r\n    a1: {volumes: [./:/app], command: app}\r\n  x-a: |\r\n    run",
            "  volumes:\r\n    node_modules:\r\n    venv:\r\n\r\n  services:\r\n    \
             a1: {volumes: [./:/app, node_modules:/app/node_modules, venv:/app/.venv], command: app}\r\n  \
             x-a: |\r\n    run",
        ),
        (
            "services:\n  a1:\n    volumes: [\n      ./:/app # code\n    ]\nvolumes: {\n  x: {}, # x\n}\n",
            "services:\n  a1:\n    volumes: [\n      ./:/app, # code\n      node_modules:/app/node_modules,\n      \
             venv:/app/.venv\n    ]\nvolumes: {\n  x: {}, # x\n  node_modules: {},\n  venv: {},\n}\n",
        ),
        (
            "x-a: &a\n  type: bind\n  source: ./\n  target: /app\nservices:\n  a1: {volumes: [*a], command: app}\n",
            "x-a: &a\n  type: bind\n  source: ./\n  target: /app\nservices:\n  \
             a1: {volumes: [*a, {type: volume, source: node_modules, target: /app/node_modules}, \
             {type: volume, source: venv, target: /app/.venv}], command: app}\n\n\
             volumes:\n  node_modules:\n  venv:\n",
        ),
    ] {
        let patches = bench.examine(&rules, old).patches;
        assert_eq!(patches.first().map(|patch| patch.after.as_str()), Some(new), "{old}");
    }
}

fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { 64 };
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 20_000, ..default }
}

#[test]
fn a_rewrite_adds_what_it_says_and_nothing_else() {
    let rules = Rules::builtin().unwrap();
    let tapes = prop::collection::vec(any::<u8>(), 0..300);
    let mut runner = TestRunner::new(config());
    let result = runner.run(&tapes, |bytes| {
        let mut tape = Tape::new(&bytes);
        let text = layouts::file(&mut tape);
        let bench = Bench::new(&mut tape, &text);
        check(&rules, &bench, &text)
            .map_err(|error| TestCaseError::fail(format!("{error}\nin {text:?}\n{text}")))
    });
    let tally = TALLY.lock().unwrap();
    println!("{} files, {} fixes announced", tally.cases, tally.announced);
    for (reason, (times, text)) in &tally.refused {
        println!("refused {times} times: {reason}\n{text}\n---");
    }
    if let Err(TestError::Fail(reason, _) | TestError::Abort(reason)) = result {
        panic!("{reason}");
    }
}
