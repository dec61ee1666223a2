use super::*;
use crate::finding::{Applicability, Severity};
use crate::report::{RealPath, sample};
use crate::source::Source;

fn run_of(report: &Report) -> Value {
    let log: Value = serde_json::from_str(&render(report)).unwrap();
    assert_eq!((&log["version"], log["runs"].as_array().map(Vec::len)), (&json!("2.1.0"), Some(1)));
    log["runs"][0].clone()
}

#[test]
fn a_result_is_exactly_this() {
    let report = sample::with_edit();
    let run = run_of(&report);
    let index = detect::ALL.iter().position(|d| d.id() == "slow-tree").unwrap();
    let [mark] = &fingerprint::of_findings(&report)[..] else { panic!() };
    let expected = json!([{
        "ruleId": "slow-tree",
        "ruleIndex": index,
        "level": "warning",
        "message": {"text": "web: `./` holds 41,230 files under node_modules and is bind-mounted to \
            /app; each file is opened across a virtual machine.\n\
            fix available with `composefix apply`: mount a volume over node_modules.\n\
            run `npm ci` once in the container."},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": "compose.yaml", "uriBaseId": "%SRCROOT%"},
            "region": {
                "startLine": 4, "startColumn": 9, "endLine": 4, "endColumn": 16,
                "charOffset": 38, "charLength": 7, "snippet": {"text": "./:/app"}
            }
        }}],
        "partialFingerprints": {"primaryLocationLineHash": mark},
        "fixes": [{
            "description": {"text": "mount a volume over node_modules."},
            "artifactChanges": [{
                "artifactLocation": {"uri": "compose.yaml", "uriBaseId": "%SRCROOT%"},
                "replacements": [{
                    "deletedRegion": {
                        "startLine": 5, "startColumn": 1, "endLine": 5, "endColumn": 1,
                        "charOffset": 46, "charLength": 0
                    },
                    "insertedContent": {"text": "      - y:/app/y\n"}
                }]
            }]
        }],
        "properties": {
            "service": "web", "target": "/app", "tree": "/app/node_modules",
            "platforms": ["macos-virtiofs"], "strategy": "volume", "applicability": "safe"
        }
    }]);
    assert_eq!(run["results"], expected);
    assert_eq!(run["tool"]["driver"]["rules"][index]["id"], "slow-tree");
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn what_could_not_be_checked_is_told_and_nothing_is_repaired_beside_it() {
    let mut report = sample::full_report();
    report.findings[0].edits = sample::with_edit().findings.remove(0).edits;
    let run = run_of(&report);
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let notifications = invocation["toolExecutionNotifications"].as_array().unwrap();
    let levels: Vec<&Value> = notifications.iter().map(|n| &n["level"]).collect();
    assert_eq!(levels, ["error", "error", "error", "note"]);
    assert_eq!(notifications[0]["message"]["text"], "`]` is missing.\nclose the list.");
    let place = &notifications[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["region"]["startLine"], 2);
    assert_eq!(notifications[1]["locations"][0]["physicalLocation"].get("region"), None);
    assert_eq!(notifications[2].get("locations"), None);
    assert_eq!(run["results"][0].get("fixes"), None);
}

#[test]
fn what_does_not_count_is_there_with_its_reason() {
    for (by, kind) in [(SuppressedBy::Comment, "inSource"), (SuppressedBy::Config, "external")] {
        let mut report = sample::with_edit();
        report.findings[0].suppressed = Some(Suppression { by, reason: "known".to_owned() });
        let result = &run_of(&report)["results"][0];
        let expected = json!([{"kind": kind, "status": "accepted", "justification": "known"}]);
        assert_eq!(result["suppressions"], expected);
        assert_eq!(result.get("fixes"), None);
    }
    assert_eq!(run_of(&sample::with_edit())["results"][0].get("suppressions"), None);
}

#[test]
fn paths_are_those_of_the_repository() {
    let mut report = sample::report(Applicability::Safe);
    let mut uri = |in_repository: Option<&str>| {
        let real = RealPath {
            in_repository: in_repository.map(str::to_owned),
            from_here: "../x/c.yaml".to_owned(),
            absolute: "/x/ü:c.yaml".to_owned(),
        };
        report.real_paths.insert("compose.yaml".to_owned(), real);
        run_of(&report)["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
            .clone()
    };
    assert_eq!(
        uri(Some("a b/ü%:#?.yaml")),
        json!({"uri": "a%20b/%C3%BC%25%3A%23%3F.yaml", "uriBaseId": "%SRCROOT%"})
    );
    assert_eq!(uri(None), json!({"uri": "file:///x/%C3%BC%3Ac.yaml"}));
}

#[test]
fn columns_count_characters_and_levels_are_those_of_findings() {
    let text = "\u{feff}ä: {ö: ./:/app}\n";
    let mut report = sample::report(Applicability::Safe);
    report.findings[0].span = sample::span(text, "./:/app");
    report.sources.insert("compose.yaml".to_owned(), Source::new("compose.yaml", text));
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        report.findings[0].finding.severity = severity;
        let result = &run_of(&report)["results"][0];
        let region = &result["locations"][0]["physicalLocation"]["region"];
        assert_eq!((&region["startColumn"], &region["charOffset"]), (&json!(8), &json!(7)));
        assert_eq!(result["level"], severity.word());
    }
}

#[test]
fn names_make_no_links_and_obey_no_terminal() {
    let mut report = sample::report(Applicability::Safe);
    report.findings[0].finding.message = "[click](http://x) \u{1b}[2J".to_owned();
    let text = render(&report);
    assert!(!text.contains('\u{1b}'));
    let message = &run_of(&report)["results"][0]["message"]["text"];
    assert!(
        message.as_str().unwrap().starts_with("web: [click] (http://x) \u{1b}[2J.\n"),
        "{message}"
    );
}
