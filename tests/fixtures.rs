//! Every folder of `fixtures/`: the whole program on its files, compared with `expected/`.
//!
//! A fixture has `input/`, `case.yaml` (`why`, `args`, `tree`, `stays`, `goes`) and `expected/` with the two
//! reports and the files that `apply --unsafe` rewrites; where an edit does more than add mounts also
//! `model.txt`, which the tests with real Compose compare. `SNAPSHOTS=overwrite cargo test --test
//! fixtures` writes `expected/` anew; the git diff of that is to be read like code.
//!
//! Beside the comparison each fixture must hold what the program promises of any project, so that
//! no author can forget it.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may panic")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;

use composefix::host::MemoryHost;
use composefix::source::Source;
use composefix::yaml;
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use support::{Fixture, Outcome, bytes, environment, files_below, patch, put, run, variable};

/// Where a fixture's project lies; the last part is the project's name.
const PLACE: &str = "/project/shop";

type Files = BTreeMap<String, Vec<u8>>;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = Fixture::all().into_iter().map(|fixture| {
        Trial::test(fixture.name.clone(), move || examine(&fixture).map_err(Failed::from))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn examine(fixture: &Fixture) -> Result<(), String> {
    let run = Run::of(fixture)?;
    run.matches_expected()?;
    run.fits_the_schema()?;
    run.spans_are_exact()?;
    run.writes_only_what_is_promised()?;
    run.only_inserts()?;
    run.is_done_after_one_run()?;
    run.is_the_same_every_time()
}

/// A fixture with what the program says about it.
struct Run<'a> {
    fixture: &'a Fixture,
    text: Outcome,
    json: Outcome,
    report: Value,
    /// The patch of `apply --diff --unsafe`.
    patch: String,
    /// The files that it changes.
    changed: Files,
}

fn ran(fixture: &Fixture, texts: &Files, words: &str) -> Outcome {
    let place = Path::new(PLACE);
    run(&fixture.host(place, texts), &environment(place), &fixture.words(words))
}

impl<'a> Run<'a> {
    fn of(fixture: &'a Fixture) -> Result<Self, String> {
        let as_it_is = Files::new();
        let text = ran(fixture, &as_it_is, "check --format text");
        let json = ran(fixture, &as_it_is, "check --format json");
        let apply = ran(fixture, &as_it_is, "apply --diff --unsafe");
        let report = json.json();
        ensure(json.code < 2 && text.code == json.code, || {
            format!(
                "check ends with {} and {}\n{}{}",
                text.code, json.code, text.stderr, json.stdout
            )
        })?;
        ensure(apply.code == u8::from(!apply.stdout.is_empty()), || {
            format!("apply ends with {}\n{}", apply.code, apply.stderr)
        })?;
        let changed = patch::applied(&apply.stdout, &fixture.files)?;
        Ok(Self { fixture, text, json, report, patch: apply.stdout, changed })
    }

    fn findings(&self) -> &[Value] {
        self.report["findings"].as_array().unwrap()
    }

    /// `expected/` holds the two reports and the changed files, byte for byte, and nothing else.
    fn matches_expected(&self) -> Result<(), String> {
        let place = self.fixture.place.join("expected");
        let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
        let json = self.json.stdout.replace(&version, "\"version\": \"[VERSION]\"");
        let mut expected = self.changed.clone();
        expected.insert("report.txt".to_owned(), self.text.stdout.clone().into_bytes());
        expected.insert("report.json".to_owned(), json.into_bytes());
        let mut there = files_below(&place);
        // What real Compose makes of the edit is another test's business.
        there.remove("model.txt");
        let overwrite = variable("SNAPSHOTS").is_some_and(|word| word == "overwrite");
        let names: BTreeSet<&String> = expected.keys().chain(there.keys()).collect();
        for name in names {
            let path = place.join(name);
            match (there.get(name), expected.get(name)) {
                (old, Some(new)) if old == Some(new) => {}
                (_, Some(new)) if overwrite => put(&path, new),
                (Some(_), None) if overwrite => std::fs::remove_file(&path).unwrap(),
                (old, new) => {
                    let old = old.map(Vec::as_slice).unwrap_or_default();
                    let new = new.map(Vec::as_slice).unwrap_or_default();
                    return Err(difference(name, old, new));
                }
            }
        }
        Ok(())
    }

    fn fits_the_schema(&self) -> Result<(), String> {
        let schema = bytes(&support::root().join("schema/report.schema.json"));
        let schema: Value = serde_json::from_slice(&schema).unwrap();
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        let wrong: Vec<String> = validator
            .iter_errors(&self.report)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        ensure(wrong.is_empty(), || format!("not in the report's schema: {}", wrong.join("\n")))
    }

    /// A span is the mount as the file writes it, in bytes as in lines and columns.
    fn spans_are_exact(&self) -> Result<(), String> {
        for finding in self.findings() {
            let name = finding["file"].as_str().unwrap();
            let file = &self.fixture.files[name];
            let text = std::str::from_utf8(file).unwrap();
            let (start, end) = (&finding["span"]["start"], &finding["span"]["end"]);
            let offsets = offset(start)..offset(end);
            let slice = text.get(offsets.clone());
            let slice = slice.ok_or_else(|| format!("{name}: {offsets:?} is no text"))?;
            for position in [start, end] {
                let (line, column) = line_and_column(text, offset(position));
                ensure(position["line"] == line && position["column"] == column, || {
                    format!("{name}: {position} is line {line}, column {column}")
                })?;
            }
            if finding["rule"] == "unused-ignore" {
                let request = slice.starts_with("# composefix:") || slice.contains("reason:");
                ensure(request, || format!("{name}: {slice:?} ignores nothing"))?;
                continue;
            }
            let mount = &finding["mount"];
            let written = mount["source"].as_str().or_else(|| mount["target"].as_str()).unwrap();
            ensure(slice == slice.trim_start() && slice.contains(written), || {
                format!("{name}: {slice:?} does not hold the mount {mount}")
            })?;
        }
        Ok(())
    }

    /// `stays`, `--unsafe` and `safe` mean what they say.
    fn writes_only_what_is_promised(&self) -> Result<(), String> {
        let fixes = |word: &str| {
            let mut found = self.findings().iter();
            found.any(|finding| finding["fix"]["applicability"] == word)
        };
        ensure(self.patch.is_empty() == self.fixture.case.stays, || {
            format!("`stays` is {}, the patch is:\n{}", self.fixture.case.stays, self.patch)
        })?;
        ensure(self.patch.is_empty() != (fixes("safe") || fixes("unsafe")), || {
            "the report offers other fixes than the patch makes".to_owned()
        })?;
        let careful = ran(self.fixture, &Files::new(), "apply --diff");
        ensure(careful.stdout.is_empty() != fixes("safe"), || {
            format!("without --unsafe the patch is:\n{}", careful.stdout)
        })
    }

    /// An edit takes nothing away but what the case names: no text, no comment, no line end.
    fn only_inserts(&self) -> Result<(), String> {
        let mut gone = BTreeSet::new();
        for (name, new) in &self.changed {
            let old = std::str::from_utf8(&self.fixture.files[name]).unwrap();
            let new = std::str::from_utf8(new).unwrap();
            let mut new_lines = new.split_inclusive('\n');
            let count = |text: &str, line: &str| text.lines().filter(|l| l.trim() == line).count();
            for line in old.split_inclusive('\n') {
                // What is named is not looked for: a long new text holds the letters of any short
                // line.
                let named = self.fixture.case.goes.iter().any(|goes| goes == line.trim());
                if named && count(new, line.trim()) < count(old, line.trim()) {
                    gone.insert(line.trim().to_owned());
                    continue;
                }
                let mut ahead = new_lines.clone();
                let kept = ahead.any(|other| is_kept(line, other));
                ensure(kept, || format!("{name}: the line {line:?} is gone"))?;
                new_lines = ahead;
            }
            let is_crlf = |text: &str| {
                text.matches('\n').count() == text.matches("\r\n").count() && text.contains('\n')
            };
            ensure(!is_crlf(old) || is_crlf(new), || {
                format!("{name}: a line ends without a carriage return")
            })?;
            ensure(comments(old) == comments(new), || {
                format!("{name}: comments were {:?}, are {:?}", comments(old), comments(new))
            })?;
        }
        let named: BTreeSet<String> = self.fixture.case.goes.iter().cloned().collect();
        ensure(gone == named, || format!("{named:?} should go, {gone:?} went"))
    }

    /// What was repaired is gone, and nothing is left to be changed.
    fn is_done_after_one_run(&self) -> Result<(), String> {
        let again = ran(self.fixture, &self.changed, "apply --diff --unsafe");
        ensure(again.code == 0 && again.stdout.is_empty(), || {
            format!("a second run changes more:\n{}{}", again.stdout, again.stderr)
        })?;
        let after = ran(self.fixture, &self.changed, "check --format json").json();
        let key = |finding: &Value| {
            ["/rule", "/service", "/tree/target", "/mount/target"]
                .map(|path| finding.pointer(path).cloned().unwrap_or_default().to_string())
        };
        let repaired = |finding: &&Value| {
            matches!(finding["fix"]["applicability"].as_str(), Some("safe" | "unsafe"))
        };
        let mut left: BTreeSet<_> = self.findings().iter().map(key).collect();
        for finding in self.findings().iter().filter(repaired) {
            left.remove(&key(finding));
        }
        let found: BTreeSet<_> = after["findings"].as_array().unwrap().iter().map(key).collect();
        ensure(found == left, || {
            format!("after the edit there is {found:#?}\ninstead of {left:#?}")
        })
    }

    /// Neither time nor the order of what is asked for changes a byte.
    fn is_the_same_every_time(&self) -> Result<(), String> {
        let none = Files::new();
        ensure(ran(self.fixture, &none, "check --format text") == self.text, || {
            "a second run says something else".to_owned()
        })?;
        let flags = without_files(&self.fixture.case.args);
        let files = self.fixture.files.keys().filter(|name| is_compose_file(name));
        let paths: Vec<String> =
            files.flat_map(|name| ["one/", "two/"].map(|copy| format!("{copy}{name}"))).collect();
        let place = Path::new(PLACE);
        let host = ["one", "two"].iter().fold(MemoryHost::default(), |host, copy| {
            self.fixture.add_to(host, &place.join(copy), &none)
        });
        for command in ["check --format=json --unsafe", "apply --diff --unsafe"] {
            let outcome = |paths: &mut dyn Iterator<Item = &String>| {
                let words = command.split(' ').map(str::to_owned);
                let words: Vec<String> =
                    words.chain(flags.iter().cloned()).chain(paths.cloned()).collect();
                run(&host, &environment(place), &words)
            };
            ensure(outcome(&mut paths.iter()) == outcome(&mut paths.iter().rev()), || {
                format!("`{command}` depends on the order of its paths")
            })?;
        }
        Ok(())
    }
}

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

fn difference(name: &str, old: &[u8], new: &[u8]) -> String {
    let shown = |bytes: &[u8]| {
        // Carriage returns are shown, because they are compared as well.
        snapbox::Data::text(String::from_utf8_lossy(bytes).replace('\r', "␍"))
    };
    let mut out = String::new();
    snapbox::report::write_diff(
        &mut out,
        &shown(old),
        &shown(new),
        Some(&format!("expected/{name}")),
        Some(&"this run"),
        snapbox::report::Palette::plain(),
    )
    .unwrap();
    format!("{out}\nIf this is better, write it with SNAPSHOTS=overwrite and read the git diff.")
}

fn offset(position: &Value) -> usize {
    usize::try_from(position["offset"].as_u64().unwrap()).unwrap()
}

fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let head = text.get(..offset).unwrap();
    let line = head.rsplit('\n').next().unwrap();
    (head.matches('\n').count() + 1, line.trim_start_matches('\u{feff}').chars().count() + 1)
}

/// True for a new line that is the old one with text inserted and with the same line end. Where
/// the file ended without one, the new line may have one.
fn is_kept(old: &str, new: &str) -> bool {
    let end = |line: &str| line.len() - line.trim_end_matches(['\r', '\n']).len();
    let (old_text, old_end) = old.split_at(old.len() - end(old));
    let (new_text, new_end) = new.split_at(new.len() - end(new));
    let mut rest = new_text.chars();
    old_text.chars().all(|c| rest.any(|other| other == c))
        && (old_end == new_end || old_end.is_empty())
}

fn comments(text: &str) -> Vec<String> {
    let source = Source::new("compose.yaml", text);
    let document = yaml::parse(&source, &yaml::Limits::default()).unwrap();
    document.comments().iter().map(|span| source.slice(*span).to_owned()).collect()
}

fn is_compose_file(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.starts_with("compose.") && !name.contains("override")
}

/// Flags without `-f`, which cannot stand beside paths.
fn without_files(args: &[String]) -> Vec<String> {
    let mut kept = args.to_vec();
    while let Some(at) = kept.iter().position(|word| word == "-f") {
        kept.drain(at..=at + 1);
    }
    kept
}
