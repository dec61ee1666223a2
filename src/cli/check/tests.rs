use std::collections::BTreeMap;
use std::path::PathBuf;

use super::super::args::Task;
use super::super::tests::{Outcome, Stage, parsed};
use super::*;
use crate::finding::Applicability;
use crate::host::{Host as _, RealHost};
use crate::report::{SuppressedBy, Suppression, sample};
use crate::run::Patch;

/// What `check` makes of an examination.
fn checked(stage: &Stage, words: &str, examination: &Examination) -> Outcome<Result<Exit, String>> {
    let arguments = parsed(&format!("check {words}"));
    let Task::Check(flags) = &arguments.task else { unreachable!() };
    stage.play(|command| {
        wanted(flags, &command.environment)
            .and_then(|wanted| command.report(flags, &arguments.output, &wanted, examination))
            .map_err(|error| error.to_string())
    })
}

fn examination(report: Report) -> Examination {
    let patch = Patch {
        path: PathBuf::from("/x/compose.yaml"),
        name: "compose.yaml".to_owned(),
        before: Some("a\n".to_owned()),
        after: "b\n".to_owned(),
    };
    Examination { report, patches: vec![patch], ..Examination::default() }
}

fn exit_of(words: &str, report: Report) -> Exit {
    checked(&Stage::default(), words, &examination(report)).result.unwrap()
}

#[test]
fn failing_findings_and_problems_decide_the_exit_code() {
    let warning = || sample::report(Applicability::Safe);
    let note = || {
        let mut report = warning();
        report.findings[0].fails = false;
        report
    };
    assert_eq!(exit_of("", Report::default()), Exit::Success);
    assert_eq!(exit_of("", warning()), Exit::Findings);
    assert_eq!(exit_of("--exit-zero", warning()), Exit::Success);
    assert_eq!(exit_of("", note()), Exit::Success);
    let ignored = || {
        let mut report = warning();
        report.findings[0].suppressed =
            Some(Suppression { by: SuppressedBy::Comment, reason: "why".to_owned() });
        report.findings[0].fails = false;
        report
    };
    assert_eq!(exit_of("", ignored()), Exit::Success);
    assert_eq!(exit_of("--exit-zero", sample::full_report()), Exit::Error);
}

#[test]
fn findings_and_problems_are_both_told() {
    let outcome = checked(&Stage::default(), "", &examination(sample::full_report()));
    assert!(outcome.stdout.contains("warning[slow-tree]"), "{}", outcome.stdout);
    assert!(!outcome.stdout.contains("gone.yaml"), "{}", outcome.stdout);
    assert!(outcome.stderr.contains("gone.yaml: cannot read"), "{}", outcome.stderr);
    for format in ["json", "sarif", "github", "gitlab", "junit", "rdjson"] {
        let problems = || examination(sample::full_report());
        let outcome = checked(&Stage::default(), &format!("--format {format}"), &problems());
        assert!(outcome.stdout.contains("gone.yaml"), "{}", outcome.stdout);
        assert_eq!(outcome.stderr, "", "{format}");
        let place = tempfile::tempdir().unwrap();
        let stage = Stage { directory: place.path().to_path_buf(), ..Stage::default() };
        let outcome = checked(&stage, &format!("--format {format}=a"), &problems());
        assert!(outcome.stderr.contains("gone.yaml"), "{format}: {}", outcome.stderr);
    }
}

#[test]
fn the_variable_knows_every_format() {
    for (format, start) in [
        ("sarif", "{\n  \"$schema\""),
        ("github", "::warning "),
        ("gitlab", "[\n"),
        ("junit", "<?xml"),
        ("rdjson", "{\n  \"diagnostics\""),
    ] {
        let variables = BTreeMap::from([("COMPOSEFIX_FORMAT".to_owned(), format.to_owned())]);
        let stage = Stage { variables, ..Stage::default() };
        let outcome = checked(&stage, "", &examination(sample::report(Applicability::Safe)));
        assert!(outcome.stdout.starts_with(start), "{format}: {}", outcome.stdout);
        assert_eq!(outcome.result, Ok(Exit::Findings));
    }
}

#[test]
fn each_report_goes_where_it_should() {
    let place = tempfile::tempdir().unwrap();
    let stage = Stage { directory: place.path().to_path_buf(), ..Stage::default() };
    let text_of = |name: &str| {
        String::from_utf8(RealHost.read(&place.path().join(name), 1 << 20).unwrap()).unwrap()
    };
    let report = || examination(sample::report(Applicability::Safe));
    let outcome = checked(&stage, "--format text,json=a.json --format text=b.txt", &report());
    assert!(outcome.stdout.starts_with("warning[slow-tree]"));
    assert!(text_of("a.json").starts_with("{\n  \"version\": 1"));
    assert_eq!(text_of("b.txt"), outcome.stdout);
    let outcome = checked(&stage, "--format json -o c.json", &report());
    assert_eq!((outcome.stdout.as_str(), text_of("c.json")), ("", text_of("a.json")));
    let outcome = checked(&stage, "-o d.txt", &report());
    assert_eq!((outcome.stdout.as_str(), text_of("d.txt")), ("", text_of("b.txt")));
    let outcome = checked(&stage, "-o no/such/e.txt", &report());
    assert!(outcome.result.unwrap_err().starts_with("cannot write "));
    let variables = BTreeMap::from([("COMPOSEFIX_FORMAT".to_owned(), "json".to_owned())]);
    let stage = Stage { variables, ..stage };
    assert_eq!(checked(&stage, "", &report()).stdout, text_of("a.json"));
    assert_eq!(checked(&stage, "--format text", &report()).stdout, text_of("b.txt"));
}

#[test]
fn two_reports_do_not_share_a_place() {
    let variables = BTreeMap::from([("COMPOSEFIX_FORMAT".to_owned(), "xml".to_owned())]);
    let stage = Stage { variables, ..Stage::default() };
    for (words, message) in [
        ("--format text,json", "only one report can go to standard output"),
        ("--format text,json -o x", "-o names one file for several reports"),
        ("--format json=y -o x", "every --format has its own file"),
        ("--format json --diff", "the patch of --diff goes to standard output"),
        ("", "COMPOSEFIX_FORMAT: unknown format `xml`"),
    ] {
        let outcome = checked(&stage, words, &Examination::default());
        let error = outcome.result.unwrap_err();
        assert!(error.starts_with(message), "{words}: {error}");
    }
}

#[test]
fn diff_prints_the_patch_alone() {
    let outcome =
        checked(&Stage::default(), "--diff", &examination(sample::report(Applicability::Safe)));
    assert_eq!(outcome.stdout, "--- a/compose.yaml\n+++ b/compose.yaml\n@@ -1 +1 @@\n-a\n+b\n");
    assert_eq!(outcome.result, Ok(Exit::Findings));
}

#[test]
fn verbose_tells_what_was_left_out() {
    let mut report = sample::full_report();
    report.problems.clear();
    report.notes = vec!["`x` was not looked into".to_owned()];
    let outcome = checked(&Stage::default(), "-v", &examination(report));
    assert_eq!(
        outcome.stderr,
        "not judged: compose.yaml:5: its source is a variable without value\n\
         note: `x` was not looked into\n"
    );
}
