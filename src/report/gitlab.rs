//! The Code Quality report of GitLab.
//!
//! Paths are relative to the root of the repository. A finding that does not count is left out:
//! GitLab has no word for it and would show it as one that does.

use serde::Serialize;

use super::region::Region;
use super::visible::visible;
use super::{Report, Reported, fingerprint, json, words};
use crate::error::Problem;
use crate::finding::Severity;
use crate::source::Span;

/// A JSON list with an entry for each finding that counts and each problem; `[]` for a clean report.
pub fn render(report: &Report) -> String {
    let marks = fingerprint::of_problems(report).into_iter();
    let problems =
        report.problems.iter().zip(marks).map(|(p, mark)| Entry::problem(p, mark, report));
    let marks = fingerprint::of_findings(report).into_iter();
    let findings = report.findings.iter().zip(marks).filter(|(r, _)| r.suppressed.is_none());
    let findings = findings.map(|(reported, mark)| Entry::finding(reported, mark, report));
    json::printable(&problems.chain(findings).collect::<Vec<_>>())
}

#[derive(Serialize)]
struct Entry<'a> {
    description: String,
    check_name: &'a str,
    fingerprint: String,
    severity: &'static str,
    location: Location<'a>,
}

#[derive(Serialize)]
struct Location<'a> {
    path: &'a str,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: usize,
    end: usize,
}

impl<'a> Entry<'a> {
    fn finding(reported: &'a Reported, fingerprint: String, report: &'a Report) -> Self {
        Self {
            description: visible(&words::said(&reported.finding)).into_owned(),
            check_name: reported.finding.rule,
            fingerprint,
            severity: match reported.finding.severity {
                Severity::Error => "critical",
                Severity::Warning => "major",
                Severity::Note => "info",
            },
            location: Location::of(report, &reported.file, reported.span),
        }
    }

    /// A problem without a file is one of the whole directory.
    fn problem(problem: &'a Problem, fingerprint: String, report: &'a Report) -> Self {
        let file = problem.file.as_deref().unwrap_or(".");
        Self {
            description: visible(&words::problem(problem)).into_owned(),
            check_name: "problem",
            fingerprint,
            severity: "blocker",
            location: Location::of(report, file, problem.span.unwrap_or_default()),
        }
    }
}

impl<'a> Location<'a> {
    fn of(report: &'a Report, file: &'a str, span: Span) -> Self {
        let region = Region::on_first_line(report, file, span);
        let lines = Lines { begin: region.start.line, end: region.end.line };
        Self { path: report.repository_name(file), lines }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::finding::Applicability;
    use crate::report::{SuppressedBy, Suppression, sample};

    fn parsed(report: &Report) -> Value {
        serde_json::from_str(&render(report)).unwrap()
    }

    #[test]
    fn the_report_is_exactly_this() {
        let report = sample::report(Applicability::Safe);
        let [mark] = &fingerprint::of_findings(&report)[..] else { panic!() };
        let expected = json!([{
            "description": "web: `./` holds 41,230 files under node_modules and is bind-mounted to \
                /app; each file is opened across a virtual machine",
            "check_name": "slow-tree",
            "fingerprint": mark,
            "severity": "major",
            "location": {"path": "compose.yaml", "lines": {"begin": 4, "end": 4}}
        }]);
        assert_eq!(parsed(&report), expected);
        assert_eq!(render(&Report::default()), "[]\n");
    }

    #[test]
    fn problems_block_and_come_first() {
        let report = parsed(&sample::full_report());
        let severities: Vec<&str> =
            report.as_array().unwrap().iter().map(|e| e["severity"].as_str().unwrap()).collect();
        assert_eq!(severities, ["blocker", "blocker", "blocker", "major", "critical"]);
        assert_eq!(
            report[0]["location"],
            json!({"path": "x.yaml", "lines": {"begin": 2, "end": 2}})
        );
        assert_eq!(report[2]["location"]["path"], ".");
    }

    #[test]
    fn what_does_not_count_is_left_out() {
        let mut report = sample::report(Applicability::Safe);
        let reason = "known".to_owned();
        report.findings[0].suppressed = Some(Suppression { by: SuppressedBy::Config, reason });
        assert_eq!(render(&report), "[]\n");
    }
}
