use serde_json::{Value, json};

use super::*;
use crate::report::sample;

fn parsed(report: &Report) -> Value {
    serde_json::from_str(&render(report)).unwrap()
}

/// What the schema has against a report.
fn against_schema(report: &Value) -> Vec<String> {
    let text = include_str!("../../../schema/report.schema.json");
    let schema: Value = serde_json::from_str(text).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    validator.iter_errors(report).map(|e| format!("{}: {e}", e.instance_path())).collect()
}

#[test]
fn the_report_is_exactly_this() {
    let report = parsed(&sample::report(Applicability::Safe));
    let expected = json!({
        "version": 1,
        "tool": {"name": "composefix", "version": env!("CARGO_PKG_VERSION")},
        "platforms": ["macos-virtiofs"],
        "files": [{"path": "compose.yaml", "status": "ok"}],
        "findings": [{
            "rule": "slow-tree",
            "severity": "warning",
            "message": "`./` holds 41,230 files under node_modules and is bind-mounted to /app; \
                each file is opened across a virtual machine",
            "file": "compose.yaml",
            "span": {
                "start": {"line": 4, "column": 9, "offset": 38},
                "end": {"line": 4, "column": 16, "offset": 45}
            },
            "service": "web",
            "mount": {"type": "bind", "source": "./", "target": "/app"},
            "tree": {
                "kind": "node-modules", "path": "node_modules", "target": "/app/node_modules",
                "evidence": "measured", "files": 41230, "bytes": 310_000_000, "at_least": false
            },
            "platforms": ["macos-virtiofs"],
            "fix": {
                "strategy": "volume", "applicability": "safe",
                "title": "mount a volume over node_modules",
                "notes": ["run `npm ci` once in the container"]
            },
            "advice": [],
            "suppressed": null
        }],
        "problems": [],
        "not_judged": [],
        "summary": {"files": 1, "findings": 1, "fixable": 1, "suppressed": 0}
    });
    assert_eq!(report, expected);
}

#[test]
fn the_schema_takes_every_report() {
    for report in [
        Report::default(),
        sample::report(Applicability::Safe),
        sample::report(Applicability::Manual),
        sample::full_report(),
    ] {
        let report = parsed(&report);
        assert_eq!(against_schema(&report), [""; 0], "{report:#}");
    }
}

#[test]
fn the_schema_refuses_what_no_report_has() {
    let good = parsed(&sample::full_report());
    for (pointer, value) in [
        ("/version", json!(2)),
        ("/findings/0/severity", json!("fatal")),
        ("/findings/0/span", json!(null)),
        ("/findings/0/span/start/line", json!(0)),
        ("/findings/0/rule", json!("Slow Tree")),
        ("/findings/0/fix/strategy", json!(null)),
        ("/findings/0/file", json!("a\\b.yaml")),
        ("/findings/0/file", json!("/a/b.yaml")),
        ("/findings/0/tree/evidence", json!("guessed")),
        ("/problems/0/message", json!("")),
        ("/mounts/0/type", json!(null)),
        ("/summary", json!({"files": 1})),
        ("/tool", json!({"name": "composefix", "version": "1", "more": 1})),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value;
        assert!(!against_schema(&bad).is_empty(), "{pointer} may be wrong");
    }
}

#[test]
fn fixable_is_what_apply_can_write() {
    for (applicability, fixable) in
        [(Applicability::Safe, 1), (Applicability::Unsafe, 1), (Applicability::Manual, 0)]
    {
        let report = parsed(&sample::report(applicability));
        assert_eq!(report["summary"]["fixable"], fixable, "{applicability:?}");
    }
}

#[test]
fn problems_have_a_place_only_where_the_text_is_known() {
    let mut report = sample::full_report();
    let gone = Problem::at("gone.yaml", Span::new(3, 4), "x");
    report.problems.push(gone);
    let report = parsed(&report);
    assert_eq!(
        report["problems"][0]["span"]["start"],
        json!({"line": 2, "column": 1, "offset": 6})
    );
    assert_eq!(report["problems"][1]["file"], "gone.yaml");
    assert_eq!(report["problems"][2]["file"], Value::Null);
    assert_eq!(report["problems"][3]["span"], Value::Null);
    assert_eq!(report["files"][1], json!({"path": "x.yaml", "status": "error"}));
}

#[test]
fn it_can_be_printed_and_says_the_same() {
    let mut report = sample::report(Applicability::Safe);
    let hostile = "a\u{1b}[2J\u{9b}1m\u{202e}\u{7f}\u{e0041}\n\"ü";
    report.findings[0].finding.message = hostile.to_owned();
    let text = render(&report);
    assert!(!text.contains(|c| c != '\n' && is_hidden(c)), "{text}");
    assert_eq!(parsed(&report)["findings"][0]["message"], hostile);
    assert!(text.ends_with("}\n") && text.contains("\n  \"version\": 1"));
}
