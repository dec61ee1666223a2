//! The program against the real Docker Compose.
//!
//! `COMPOSEFIX_COMPOSE` names the binary of Compose v2. Without it every trial is ignored; with
//! `COMPOSEFIX_REQUIRE_COMPOSE=1` that is a failure. `COMPOSEFIX_ORACLE_CASES` is the number of
//! generated projects, `COMPOSEFIX_ORACLE_FIRST` the first of them: one failure is run again by
//! `COMPOSEFIX_ORACLE_FIRST=1234 COMPOSEFIX_ORACLE_CASES=1`.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may panic")]

#[path = "support/dice.rs"]
mod dice;
#[path = "support/generate.rs"]
mod generate;
#[path = "support/jumble.rs"]
mod jumble;
#[path = "support/loading.rs"]
mod loading;
mod support;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use composefix::host::{Environment, MemoryHost, MemoryNode};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use serde_json::{Map, Value};
use support::compose::{
    Compose, flags_of_compose, home, model_changes, mounts_of_model, mounts_of_report,
    only_mounts_added,
};
use support::{Fixture, environment, files_below, patch, put, run, text, variable};
use tempfile::TempDir;

type Files = BTreeMap<String, Vec<u8>>;
type Check = Box<dyn Fn(&Compose) -> Result<(), String> + Send>;

/// Generated projects in one trial.
const CHUNK: u64 = 10;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let compose = Compose::find();
    let trial = |(name, check): (String, Check)| {
        let compose = compose.clone();
        Trial::ignorable_test(name, move || match compose {
            Ok(Some(compose)) => {
                check(&compose).map(|()| Completion::Completed).map_err(Failed::from)
            }
            Ok(None) => Ok(Completion::ignored_with("COMPOSEFIX_COMPOSE is not set")),
            Err(problem) => Err(Failed::from(problem)),
        })
    };
    libtest_mimic::run(&arguments, checks().into_iter().map(trial).collect()).exit_code()
}

fn checks() -> Vec<(String, Check)> {
    let mut checks: Vec<(String, Check)> = Vec::new();
    for fixture in Fixture::all() {
        let name = format!("fixture/{}", fixture.name);
        let other = fixture.clone();
        checks.push((name, Box::new(move |compose| agrees(compose, &fixture))));
        if !other.case.stays {
            let name = format!("on-top/{}", other.name);
            checks.push((name, Box::new(move |compose| holds_on_top(compose, &other))));
        }
    }
    for (name, text) in BROKEN {
        checks.push((format!("refused/{name}"), Box::new(|compose| refused(compose, text))));
    }
    for (name, text) in ODD {
        checks.push((format!("accepted/{name}"), Box::new(|compose| accepted(compose, text))));
    }
    checks.push(("loading/templates".to_owned(), Box::new(loading::templates)));
    checks.push(("loading/env-files".to_owned(), Box::new(loading::env_files)));
    for case in loading::CASES {
        let name = format!("loading/{}", case.name);
        checks.push((name, Box::new(|compose| loading::loads_alike(compose, case))));
    }
    let number = |name: &str, default| {
        variable(name).map_or(default, |text| text.parse().expect("a number of cases"))
    };
    let first = number("COMPOSEFIX_ORACLE_FIRST", 0);
    let end = first + number("COMPOSEFIX_ORACLE_CASES", 60);
    for start in (first..end).step_by(usize::try_from(CHUNK).unwrap()) {
        let seeds = start..end.min(start + CHUNK);
        let name = format!("generated/{}-{}", seeds.start, seeds.end - 1);
        let (others, jumbled) =
            (seeds.clone(), format!("jumbled/{}-{}", seeds.start, seeds.end - 1));
        checks.push((name, Box::new(move |compose| generated(compose, seeds.clone()))));
        checks.push((jumbled, Box::new(move |compose| loading::jumbled(compose, others.clone()))));
    }
    checks
}

// ---- projects

/// A project on disk, at `shop` in a directory of its own.
struct Place {
    directory: PathBuf,
    /// Removed when dropped.
    _above: TempDir,
}

impl Place {
    fn new(files: &Files) -> Self {
        let above = tempfile::tempdir().unwrap();
        let directory = above.path().canonicalize().unwrap().join("shop");
        let place = Self { directory, _above: above };
        place.put(files);
        place
    }

    fn put(&self, files: &Files) {
        for (name, content) in files {
            put(&self.directory.join(name), content);
        }
    }

    fn environment(&self) -> Environment {
        Environment { home: Some(home(&self.directory)), ..environment(&self.directory) }
    }
}

/// Compose and we see the same mounts, and it loads what was rewritten as planned.
fn agrees(compose: &Compose, fixture: &Fixture) -> Result<(), String> {
    let place = Place::new(&fixture.files);
    let flags = flags_of_compose(&fixture.case.args);
    let before = compose.model(&place.directory, &flags)?;
    let host = fixture.host(&place.directory, &Files::new());
    let words = fixture.words("check --show-mounts --format json");
    let report = run(&host, &place.environment(), &words);
    same(&mounts_of_model(&before), &mounts_of_report(&report)?)?;
    if fixture.case.stays {
        return Ok(());
    }
    let mut expected = files_below(&fixture.place.join("expected"));
    expected.retain(|name, _| !name.starts_with("report.") && name != CHANGES);
    match edit_holds(compose, &place, &flags, &before, &expected) {
        Ok(()) if !fixture.place.join("expected").join(CHANGES).exists() => Ok(()),
        Ok(()) => Err(format!("only mounts are added: {CHANGES} says nothing more")),
        Err(_) if other_changes_hold(compose, &place, &flags, &before, fixture)? => Ok(()),
        Err(problem) => Err(problem),
    }
}

/// What an edit changes in Compose's own model, for edits that do more than add mounts.
const CHANGES: &str = "model.txt";

/// True when the rewritten project differs as `expected/model.txt` says. `SNAPSHOTS=overwrite`
/// writes that file anew.
fn other_changes_hold(
    compose: &Compose,
    place: &Place,
    flags: &[String],
    before: &Value,
    fixture: &Fixture,
) -> Result<bool, String> {
    let after = compose.model(&place.directory, flags)?;
    let found = model_changes(before, &after, &place.directory);
    let path = fixture.place.join("expected").join(CHANGES);
    if variable("SNAPSHOTS").is_some_and(|word| word == "overwrite") {
        put(&path, found.as_bytes());
    }
    if !path.exists() {
        return Ok(false);
    }
    let expected = text(&path);
    if expected == found {
        return Ok(true);
    }
    Err(format!("Compose's model changes by\n{found}and not, as {CHANGES} says, by\n{expected}"))
}

/// What a file on top of the others says comes to the same as the edit in place.
fn holds_on_top(compose: &Compose, fixture: &Fixture) -> Result<(), String> {
    let mut expected = files_below(&fixture.place.join("expected"));
    expected.retain(|name, _| !name.starts_with("report.") && name != CHANGES);
    let in_place = Place::new(&fixture.files);
    let flags = flags_of_compose(&fixture.case.args);
    let before = compose.model(&in_place.directory, &flags)?;
    in_place.put(&expected);
    let wanted = unordered(compose.model(&in_place.directory, &flags)?, &in_place);
    let host = fixture.host(&in_place.directory, &expected);
    let words = fixture.words("check --format json");
    let remaining = findings(&run(&host, &in_place.environment(), &words));
    for to in ["override", "more/on-top.yaml"] {
        let place = Place::new(&fixture.files);
        let host = fixture.host(&place.directory, &Files::new());
        let words = fixture.words(&format!("apply --diff --unsafe --to {to}"));
        let outcome = run(&host, &place.environment(), &words);
        if outcome.stdout.is_empty() {
            // Nothing, or nothing but reasons.
            let silent = !outcome.stderr.contains("left: ");
            return if silent { Err(format!("--to {to} does nothing")) } else { Ok(()) };
        }
        let changed = patch::applied(&outcome.stdout, &fixture.files)?;
        place.put(&changed);
        if changed.len() != 1 {
            return Err(format!("--to {to} changes {} files", changed.len()));
        }
        let mut flags = flags.clone();
        let mut words = fixture.words("check --format json");
        let mut lines = outcome.stderr.lines();
        let said = lines.find_map(|line| line.strip_prefix("use it with docker compose "));
        if let Some(said) = said {
            for words in [&mut flags, &mut words] {
                while let Some(at) = words.iter().position(|word| word == "-f") {
                    words.drain(at..=at + 1);
                }
            }
            flags.splice(0..0, said.split(' ').map(str::to_owned));
            words.extend(said.split(' ').map(str::to_owned));
        } else if to != "override" {
            return Err(format!("--to {to} does not say how to use it"));
        }
        let edit = &outcome.stdout;
        let after = compose.model(&place.directory, &flags).map_err(|e| format!("{e}\n{edit}"))?;
        let says = |after: &Value| model_changes(&before, after, &place.directory);
        if !outcome.stderr.contains("a file on top") {
            let after = unordered(after.clone(), &place);
            if after != wanted {
                return Err(format!("{edit}gives\n{}not\n{}", says(&after), says(&wanted)));
            }
        }
        let host = fixture.host(&place.directory, &changed);
        let left = findings(&run(&host, &place.environment(), &words));
        if !outcome.stderr.contains("a file on top") && left != remaining {
            return Err(format!("{edit}leaves {left} findings, the edit in place {remaining}"));
        }
    }
    Ok(())
}

/// Number of findings in a report.
fn findings(outcome: &support::Outcome) -> usize {
    outcome.json()["findings"].as_array().unwrap().len()
}

/// A model without the order of mounts, the place on disk, extension fields, and the empty options
/// that the short syntax gives a volume.
fn unordered(mut model: Value, place: &Place) -> Value {
    let sections = model.as_object_mut().unwrap();
    sections.retain(|key, _| !key.starts_with("x-"));
    for (_, service) in model["services"].as_object_mut().into_iter().flatten() {
        if let Some(mounts) = service["volumes"].as_array_mut() {
            mounts.sort_by_key(|mount| mount["target"].to_string());
            for mount in mounts.iter_mut().filter_map(Value::as_object_mut) {
                mount.retain(|key, options| {
                    key != "volume" || *options != Value::Object(Map::new())
                });
            }
        }
    }
    let text = model.to_string().replace(&*place.directory.to_string_lossy(), "[PLACE]");
    serde_json::from_str(&text).unwrap()
}

/// Writes the files and looks at what Compose makes of them, with all profiles as well: a list may
/// feed services that the run was not about.
fn edit_holds(
    compose: &Compose,
    place: &Place,
    flags: &[String],
    before: &Value,
    changed: &Files,
) -> Result<(), String> {
    let all = [&["--profile".to_owned(), "*".to_owned()], flags].concat();
    let before_all = compose.model(&place.directory, &all).ok();
    let before_all = before_all.filter(|model| model != before);
    place.put(changed);
    let after = compose.model(&place.directory, flags)?;
    only_mounts_added(before, &after)?;
    match before_all {
        Some(before) => only_mounts_added(&before, &compose.model(&place.directory, &all)?),
        None => Ok(()),
    }
}

fn same<T: PartialEq + std::fmt::Debug>(compose: &[T], ours: &[T]) -> Result<(), String> {
    if compose == ours {
        return Ok(());
    }
    let lines = |rows: &[T]| {
        let lines: Vec<String> = rows.iter().map(|row| format!("\n  {row:?}")).collect();
        lines.concat()
    };
    Err(format!("Compose mounts{}\nwe mount{}", lines(compose), lines(ours)))
}

fn check_alone(text: &str) -> (Place, support::Outcome) {
    let files = Files::from([("compose.yaml".to_owned(), text.as_bytes().to_vec())]);
    let place = Place::new(&files);
    let host = MemoryHost::default().with_file(place.directory.join("compose.yaml"), text);
    let words = ["check", "--show-mounts", "--format", "json"].map(str::to_owned);
    let outcome = run(&host, &place.environment(), &words);
    (place, outcome)
}

fn refused(compose: &Compose, text: &str) -> Result<(), String> {
    let (place, outcome) = check_alone(text);
    if compose.model(&place.directory, &[]).is_ok() {
        return Err(format!("Compose accepts this:\n{text}"));
    }
    let reason = &outcome.json()["problems"][0]["message"];
    match outcome.code {
        2 if reason.as_str().is_some_and(|reason| !reason.is_empty()) => Ok(()),
        code => Err(format!("check ends with {code} and the problem {reason} for\n{text}")),
    }
}

fn accepted(compose: &Compose, text: &str) -> Result<(), String> {
    let (place, outcome) = check_alone(text);
    let model = compose.model(&place.directory, &[]);
    let model = model.map_err(|error| format!("Compose says: {error}\n{text}"))?;
    let ours = mounts_of_report(&outcome).map_err(|problem| format!("{problem}\n{text}"))?;
    same(&mounts_of_model(&model), &ours).map_err(|difference| format!("{difference}\n{text}"))
}

// ---- generated projects

fn generated(compose: &Compose, seeds: std::ops::Range<u64>) -> Result<(), String> {
    let mut problems = Vec::new();
    for seed in seeds {
        let project = generate::project(seed);
        let Err(difference) = compare(compose, &project) else { continue };
        let small = smaller(compose, project, &difference);
        let words = small.words.join(" ");
        let files = small.files.iter().map(|(name, text)| format!("--- {name}\n{text}"));
        let files = files.collect::<Vec<_>>().concat();
        let Difference { kind, what } = compare(compose, &small).unwrap_err();
        problems.push(format!("==== project {seed}, {kind}; flags: {words}\n{files}---- {what}\n"));
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.concat()) }
}

/// How a project tells Compose and us apart.
struct Difference {
    kind: &'static str,
    what: String,
}

/// What Compose refuses for other reasons than its YAML we may accept, so only what it loads is
/// compared.
fn compare(compose: &Compose, project: &generate::Project) -> Result<(), Difference> {
    let differs = |kind, what| Difference { kind, what };
    let text = |(name, text): (&String, &String)| (name.clone(), text.clone().into_bytes());
    let files: Files = project.files.iter().map(text).collect();
    let place = Place::new(&files);
    let flags = flags_of_compose(&project.words);
    let Ok(before) = compose.model(&place.directory, &flags) else { return Ok(()) };
    let host = generate::TREES.iter().fold(
        files.iter().fold(MemoryHost::default(), |host, (name, content)| {
            host.with_file(place.directory.join(name), content.as_slice())
        }),
        |host, path| host.with(place.directory.join(path), MemoryNode::Tree(900)),
    );
    let run = |words: &str| {
        let words = words.split(' ').map(str::to_owned);
        let words: Vec<String> = words.chain(project.words.iter().cloned()).collect();
        run(&host, &place.environment(), &words)
    };
    let ours = mounts_of_report(&run("check --show-mounts --format json"))
        .map_err(|problem| differs("refused", problem))?;
    same(&mounts_of_model(&before), &ours).map_err(|what| differs("mounts", what))?;
    let outcome = run("apply --diff --unsafe");
    if outcome.stdout.is_empty() {
        return Ok(());
    }
    let edit = &outcome.stdout;
    let changed =
        patch::applied(edit, &files).map_err(|what| differs("patch", format!("{what}\n{edit}")))?;
    edit_holds(compose, &place, &flags, &before, &changed)
        .map_err(|what| differs("edit", format!("{what}\n{edit}")))
}

/// The project with every line and file taken away that the difference does not need, as far as
/// that is found in a minute.
fn smaller(
    compose: &Compose,
    project: generate::Project,
    difference: &Difference,
) -> generate::Project {
    let still = |project: &generate::Project| {
        compare(compose, project).is_err_and(|other| other.kind == difference.kind)
    };
    let start = Instant::now();
    let in_time = || start.elapsed() < Duration::from_secs(60);
    let mut best = project;
    loop {
        let mut parts = best.parts().into_iter().take_while(|_| in_time());
        let Some(next) = parts.find(|part| still(part)) else { return best };
        best = next;
    }
}

// ---- small files

/// What Compose refuses for its YAML, or for a form that an edit would have to rely on.
const BROKEN: &[(&str, &str)] = &[
    ("tab-that-indents", "services:\n\tweb:\n\t\timage: a\n"),
    ("tab-behind-blanks", "services:\n  web:\n  \timage: a\n"),
    ("tab-on-a-blank-line", "services:\n\t\n  web:\n    image: a\n"),
    ("section-twice", "services:\n  a: {image: x}\nservices:\n  b: {image: x}\n"),
    ("service-twice", "services:\n  a: {image: x}\n  a: {image: y}\n"),
    ("key-twice-quoted", "services:\n  web:\n    image: a\n    \"image\": b\n"),
    ("key-twice-in-braces", "services: {web: {image: a, image: b}}\n"),
    (
        "merge-key-twice",
        "x-a: &a {init: true}\nservices:\n  web:\n    <<: *a\n    <<: *a\n    image: a\n",
    ),
    ("open-double-quote", "services:\n  web:\n    image: \"a\n"),
    ("open-single-quote", "services:\n  web:\n    image: 'a\n"),
    ("open-bracket", "services:\n  web:\n    image: a\n    volumes: [./:/app\n"),
    ("open-brace", "services: {web: {image: a}\n"),
    ("undefined-alias", "services:\n  web:\n    image: a\n    volumes: *code\n"),
    ("alias-before-anchor", "services:\n  web: {image: a, volumes: *c}\nx-code: &c [./:/app]\n"),
    ("alias-in-itself", "x-a: &a [*a]\nservices:\n  web: {image: a}\n"),
    ("version-1", "web:\n  image: a\n  volumes:\n    - .:/app\n"),
    ("volumes-null", "services:\n  web: {image: a}\nvolumes:\n"),
    ("volumes-list", "services:\n  web: {image: a}\nvolumes:\n  - data\n"),
    ("services-null", "services:\n"),
    ("services-list", "services:\n  - web\n"),
    ("service-null", "services:\n  web:\n"),
    ("service-text", "services:\n  web: a\n"),
    ("empty", ""),
    ("only-a-comment", "# nothing\n"),
    ("list", "- a\n"),
    ("text", "hello\n"),
    ("mounts-as-mapping", "services:\n  web:\n    image: a\n    volumes:\n      ./: /app\n"),
    ("mounts-as-text", "services:\n  web:\n    image: a\n    volumes: ./:/app\n"),
    ("mount-null", "services:\n  web:\n    image: a\n    volumes:\n      -\n"),
    ("mount-number", "services:\n  web:\n    image: a\n    volumes:\n      - 80\n"),
    ("mount-with-many-colons", "services:\n  web:\n    image: a\n    volumes: ['./a:/b:ro:z']\n"),
    ("mount-without-source", "services:\n  web:\n    image: a\n    volumes: [':/b']\n"),
    ("bad-indentation", "services:\n  web:\n    image: a\n   volumes: []\n"),
    ("bad-list-indentation", "services:\n  web:\n    command:\n      - a\n     - b\n"),
    ("two-colons", "services:\n  web:\n    image: a: b\n"),
    ("bad-escape", "services:\n  web:\n    image: \"a\\q\"\n"),
    ("at-sign", "services:\n  web:\n    image: @a\n"),
    ("number-as-key", "services:\n  1:\n    image: a\n"),
    ("null-as-key", "services:\n  ~:\n    image: a\n"),
    ("list-as-key", "services:\n  ? [a]\n  : image: a\n"),
    ("text-under-a-number-tag", "services:\n  web:\n    image: !!int a\n"),
    ("merged-text", "services:\n  web:\n    <<: text\n    image: a\n"),
    ("second-document", "services:\n  web: {image: a}\n---\nservices: [\n"),
    ("control-character", "services:\n  web:\n    image: a\u{1}\n"),
    ("substitution", "services:\n  web:\n    image: ${A/b/c}\n"),
    ("open-variable", "services:\n  web:\n    image: ${A\n"),
    ("circle", "services:\n  a: {extends: b}\n  b: {image: a, extends: a}\n"),
    ("heir-of-nobody", "services:\n  web: {image: a, extends: gone}\n"),
    ("missing-include", "include: [gone.yaml]\nservices:\n  web: {image: a}\n"),
];

/// What Compose loads, however odd it looks, and with which mounts.
const ODD: &[(&str, &str)] = &[
    ("tab-behind-a-colon", "services:\n  web:\n    image:\ta\n"),
    ("tab-at-the-end", "services:\t\n  web:\n    image: a\n"),
    ("tabs-in-braces", "services: {\n\tweb: {image: a}\n}\n"),
    ("carriage-returns", "services:\r\n  web:\r\n    image: a\r\n"),
    ("byte-order-mark", "\u{feff}services:\n  web:\n    image: a\n"),
    ("unknown-tag", "services:\n  web:\n    image: !foo a\n"),
    ("reset-without-base", "services:\n  web:\n    image: a\n    volumes: !reset []\n"),
    ("override-without-base", "services:\n  web:\n    image: a\n    volumes: !override [./:/a]\n"),
    (
        "anchor-again",
        "x-a: &a {init: true}\nx-b: &a {tty: true}\nservices:\n  web:\n    <<: *a\n    image: a\n",
    ),
    ("merge-list", "x-a: &a {init: true}\nservices:\n  web:\n    <<: [*a, *a]\n    image: a\n"),
    ("same-mount-twice", "services:\n  web:\n    image: a\n    volumes: [./a:/a, ./a:/a]\n"),
    ("lone-dollar", "services:\n  web:\n    image: a\n    command: echo $\n"),
    ("document-end", "services:\n  web:\n    image: a\n...\n"),
    ("empty-second-document", "services:\n  web:\n    image: a\n---\nservices: {}\n"),
    ("name-in-capitals", "name: Shop\nservices:\n  web:\n    image: a\n"),
    ("no-services", "name: shop\n"),
    (
        "one-target-in-two-spellings",
        "services:\n  web:\n    image: a\n    volumes: [./a:/app, ./b:/app/, ./c:/app]\n",
    ),
    (
        "one-target-in-two-documents",
        "services:\n  web:\n    image: a\n    volumes: [./a:/app, data:/app/]\nvolumes: {data: }\n\
         ---\nservices:\n  web:\n    volumes: [./c:/app]\n",
    ),
    (
        "yes-is-true",
        "services:\n  web:\n    image: a\n    volumes:\n\
         \x20     - {type: bind, source: ./a, target: /a, read_only: yes}\n\
         \x20     - {type: bind, source: ./b, target: /b, read_only: 'ON'}\n\
         \x20     - {type: bind, source: ./c, target: /c, read_only: y}\n",
    ),
    (
        "memory-is-added-up",
        "services:\n  web:\n    image: a\n    tmpfs: /run\n---\nservices:\n  web:\n    tmpfs: /tmp\n\
         ---\nservices:\n  web:\n    tmpfs: [/run, /var/run]\n",
    ),
    (
        "reset-beside-a-merge-key",
        "x-a: &a\n  volumes: [./b:/b]\nservices:\n  web:\n    image: a\n    volumes: [./a:/a]\n\
         ---\nx-a: &a\n  volumes: [./b:/b]\nservices:\n  web:\n    <<: *a\n    volumes: !reset []\n",
    ),
];
