use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::super::args::Task;
use super::super::tests::{Outcome, Stage, parsed};
use super::*;
use crate::compose::Request;
use crate::error::Problem;
use crate::host::{Host as _, RealHost};
use crate::report::{Report, sample};

const PATCH: &str = "--- a/compose.yaml\n+++ b/compose.yaml\n@@ -3,3 +3,4 @@\n     volumes:\n       \
    - ./:/app\n       - x:/app/x\n+      - y:/app/node_modules\n";

const FIXES: &str = "fix: web /app/node_modules: mount a volume over node_modules\n  - run `npm ci` \
    once in the container\n";

/// A directory with the sample's file.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        std::fs::File::create(place.file()).unwrap();
        std::io::Write::write_all(
            &mut std::fs::File::create(place.file()).unwrap(),
            sample::TEXT.as_bytes(),
        )
        .unwrap();
        place
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("compose.yaml")
    }

    fn text(&self) -> String {
        String::from_utf8(RealHost.read(&self.file(), 1 << 20).unwrap()).unwrap()
    }

    fn stage(&self) -> Stage {
        Stage { directory: self.0.path().to_path_buf(), ..Stage::default() }
    }

    fn after() -> String {
        format!("{}      - y:/app/node_modules\n", sample::TEXT)
    }

    /// One fix and its patch.
    fn examined(&self, report: Report) -> Examined {
        let patch = Patch {
            path: self.file(),
            name: "compose.yaml".to_owned(),
            before: Some(sample::TEXT.to_owned()),
            after: Self::after(),
        };
        Examined {
            requests: vec![Request { files: vec![self.file()], ..Request::default() }],
            examination: Examination { report, patches: vec![patch], ..Examination::default() },
        }
    }
}

fn applied(stage: &Stage, words: &str, examined: &Examined) -> Outcome<Result<Exit, String>> {
    let arguments = parsed(&format!("apply {words}"));
    let Task::Apply(flags) = &arguments.task else { unreachable!() };
    stage.play(|command| {
        command.finish(flags, &arguments.output, examined).map_err(|error| error.to_string())
    })
}

fn outcome(exit: Exit, stdout: &str, stderr: &str) -> Outcome<Result<Exit, String>> {
    Outcome { result: Ok(exit), stdout: stdout.to_owned(), stderr: stderr.to_owned() }
}

fn safe() -> Report {
    sample::report(Applicability::Safe)
}

#[test]
fn yes_writes_and_names_the_files() {
    let place = Place::new();
    let done = applied(&place.stage(), "--yes", &place.examined(safe()));
    assert_eq!(done, outcome(Exit::Success, "", &format!("{FIXES}changed compose.yaml\n")));
    assert_eq!(place.text(), Place::after());
    let place = Place::new();
    assert_eq!(
        applied(&place.stage(), "-yq", &place.examined(safe())),
        outcome(Exit::Success, "", "")
    );
    assert_eq!(place.text(), Place::after());
}

#[test]
fn diff_prints_the_patch_and_writes_nothing() {
    let place = Place::new();
    for words in ["--diff", "--diff --yes"] {
        let done = applied(&place.stage(), words, &place.examined(safe()));
        assert_eq!(done, outcome(Exit::Findings, PATCH, ""));
        assert_eq!(place.text(), sample::TEXT);
    }
    let mut nothing = place.examined(safe());
    nothing.examination.patches.clear();
    assert_eq!(applied(&place.stage(), "--diff", &nothing), outcome(Exit::Success, "", ""));
}

#[test]
fn forced_colours_do_not_spoil_a_patch_in_a_pipe() {
    let place = Place::new();
    let variables = BTreeMap::from([("FORCE_COLOR".to_owned(), "1".to_owned())]);
    let stage = Stage { variables, ..place.stage() };
    assert_eq!(applied(&stage, "--diff", &place.examined(safe())).stdout, PATCH);
    let stage = Stage { terminals: true, ..place.stage() };
    let shown = applied(&stage, "--diff", &place.examined(safe())).stdout;
    assert_eq!(anstream::adapter::strip_str(&shown).to_string(), PATCH);
    assert_ne!(shown, PATCH);
}

#[test]
fn without_a_terminal_nothing_is_written() {
    let place = Place::new();
    let done = applied(&place.stage(), "", &place.examined(safe()));
    let refusal = "not written: there is no terminal to ask on; --yes writes without asking\n";
    assert_eq!(done, outcome(Exit::Findings, PATCH, &format!("{FIXES}{refusal}")));
    assert_eq!(place.text(), sample::TEXT);
}

#[test]
fn the_answer_decides() {
    for (stdin, exit) in [
        ("y\n", Exit::Success),
        ("YES\n", Exit::Success),
        ("\n", Exit::Findings),
        ("", Exit::Findings),
        ("n\ny\n", Exit::Findings),
        ("yesterday\n", Exit::Findings),
    ] {
        let place = Place::new();
        let stage = Stage { stdin, terminals: true, ..place.stage() };
        let done = applied(&stage, "--color never", &place.examined(safe()));
        assert_eq!(done.result, Ok(exit), "{stdin:?}");
        assert!(done.stderr.contains("write 1 file? [y/N] "), "{}", done.stderr);
        assert_eq!(done.stdout, PATCH);
        let text = if exit == Exit::Success { Place::after() } else { sample::TEXT.to_owned() };
        assert_eq!(place.text(), text, "{stdin:?}");
    }
}

#[test]
fn a_problem_anywhere_keeps_everything_as_it_is() {
    let place = Place::new();
    for words in ["--yes", "--diff", "--to -"] {
        let mut report = safe();
        report.problems = vec![Problem::of_file("x.yaml", "cannot read")];
        let done = applied(&place.stage(), words, &place.examined(report));
        let told = "error\n\n  × x.yaml: cannot read\n\nnothing was written\n";
        assert_eq!(done, outcome(Exit::Error, "", told));
        assert_eq!(place.text(), sample::TEXT);
    }
}

#[test]
fn a_file_that_changed_meanwhile_is_an_error() {
    let place = Place::new();
    let mut examined = place.examined(safe());
    examined.examination.patches[0].before = Some("x".to_owned());
    let done = applied(&place.stage(), "--yes", &examined);
    assert_eq!(done.result, Ok(Exit::Error));
    assert!(
        done.stderr.contains("error: ") && done.stderr.contains("has changed"),
        "{}",
        done.stderr
    );
    assert_eq!(place.text(), sample::TEXT);
}

#[test]
fn what_is_left_is_listed_with_its_reason() {
    let place = Place::new();
    let mut examined = place.examined(safe());
    examined.examination.patches.clear();
    examined.examination.left = vec![Left {
        file: "compose.yaml".to_owned(),
        line: 4,
        service: "web".to_owned(),
        target: "/app/node_modules".to_owned(),
        reason: "its safety is not proven\u{1b}".to_owned(),
        rule: None,
    }];
    let left = "left: compose.yaml:4: web /app/node_modules: its safety is not proven\\u{1b}\n";
    let told = format!("nothing to change\n{left}");
    assert_eq!(applied(&place.stage(), "", &examined), outcome(Exit::Success, "", &told));
    assert!(fixes(&examined.examination, Applicability::Safe).is_empty());
}

#[test]
fn fixes_below_the_promise_are_not_announced() {
    let place = Place::new();
    let examined = place.examined(sample::report(Applicability::Unsafe));
    assert_eq!(fixes(&examined.examination, Applicability::Safe), [""; 0]);
    assert_eq!(fixes(&examined.examination, Applicability::Unsafe).join("\n") + "\n", FIXES);
}

#[test]
fn standard_output_gets_the_whole_file() {
    let place = Place::new();
    let mut examined = place.examined(safe());
    let done = applied(&place.stage(), "--to -", &examined);
    assert_eq!(done, outcome(Exit::Success, &Place::after(), ""));
    examined.examination.patches.clear();
    let done = applied(&place.stage(), "--to -", &examined);
    assert_eq!(done, outcome(Exit::Success, sample::TEXT, ""));
    examined.requests = vec![Request::default()];
    let done = applied(&place.stage(), "--to -", &examined);
    assert_eq!(done, outcome(Exit::Success, sample::TEXT, ""));
    assert_eq!(place.text(), sample::TEXT);
}

#[test]
fn standard_output_takes_one_file_only() {
    let place = Place::new();
    let mut two = place.examined(safe());
    two.requests.push(Request::default());
    let mut merged = place.examined(safe());
    merged.requests[0].files.push(PathBuf::from("b.yaml"));
    let mut unknown = place.examined(Report::default());
    unknown.requests = vec![Request::default()];
    for examined in [two, merged, unknown] {
        let error = applied(&place.stage(), "--to -", &examined).result.unwrap_err();
        assert_eq!(error, "`--to -` takes exactly one file; name it");
    }
    let mut other = place.examined(safe());
    other.examination.patches[0].name = "b.yaml".to_owned();
    let error = applied(&place.stage(), "--to -", &other).result.unwrap_err();
    assert_eq!(error, "`--to -` writes compose.yaml alone, but b.yaml changes as well");
}

#[test]
fn standard_input_is_not_written_in_place() {
    let place = Place::new();
    let mut examined = place.examined(safe());
    let texts = BTreeMap::from([(place.file(), sample::TEXT.to_owned())]);
    examined.requests[0].texts = texts;
    let done = applied(&place.stage(), "--yes", &examined);
    assert!(done.result.unwrap_err().starts_with("standard input cannot be changed in place"));
    assert_eq!(place.text(), sample::TEXT);
    assert_eq!(applied(&place.stage(), "--to -", &examined).stdout, Place::after());
    assert_eq!(applied(&place.stage(), "--diff", &examined).stdout, PATCH);
}

#[test]
fn names_are_found_from_relative_paths() {
    let place = Place::new();
    let mut examined = place.examined(safe());
    examined.requests[0].files = vec![Path::new("./a/../compose.yaml").to_path_buf()];
    assert_eq!(applied(&place.stage(), "--to -", &examined).stdout, Place::after());
}
