//! The diagnostic format of reviewdog, `rdjson`.
//!
//! Columns count bytes of UTF-8, and paths are relative to the working directory: reviewdog adds the
//! way from the root of the repository by itself. A finding that does not count is left out. A
//! suggestion has no path of its own, so a repair that touches another file is not suggested; the
//! suggestions of one finding belong together.

use serde_json::{Value, json};

use super::region::Region;
use super::visible::visible;
use super::{Replacement, Report, Reported, json, words};
use crate::error::Problem;
use crate::finding::Severity;
use crate::source::Span;

/// One JSON object with a diagnostic for each finding that counts and each problem.
pub fn render(report: &Report) -> String {
    let findings = report.findings.iter().filter(|r| r.suppressed.is_none());
    let worst = findings.clone().map(|r| r.finding.severity).max();
    let worst = if report.problems.is_empty() { worst } else { Some(Severity::Error) };
    let problems = report.problems.iter().map(|p| problem_of(report, p));
    let diagnostics: Vec<Value> = problems.chain(findings.map(|r| finding_of(report, r))).collect();
    let mut result = json!({
        "source": {"name": env!("CARGO_PKG_NAME")},
        "diagnostics": diagnostics,
    });
    if let (Some(worst), Some(result)) = (worst, result.as_object_mut()) {
        result.insert("severity".to_owned(), word(worst).into());
    }
    json::printable(&result)
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "ERROR",
        Severity::Warning => "WARNING",
        Severity::Note => "INFO",
    }
}

fn finding_of(report: &Report, reported: &Reported) -> Value {
    let finding = &reported.finding;
    let lines = std::iter::once(words::said(finding)).chain(words::help(finding, report));
    let lines: Vec<String> = lines.map(|line| visible(&line).into_owned()).collect();
    let mut code = json!({"value": finding.rule});
    if let (Some(page), Some(code)) = (words::page(finding.rule), code.as_object_mut()) {
        code.insert("url".to_owned(), page.into());
    }
    let mut diagnostic = json!({
        "message": lines.join("\n"),
        "location": location(report, &reported.file, Some(reported.span)),
        "severity": word(finding.severity),
        "code": code,
    });
    let suggestions = suggestions(report, reported);
    if let (false, Some(diagnostic)) = (suggestions.is_empty(), diagnostic.as_object_mut()) {
        diagnostic.insert("suggestions".to_owned(), suggestions.into());
    }
    diagnostic
}

/// A problem without a file is one of the whole directory.
fn problem_of(report: &Report, problem: &Problem) -> Value {
    let file = problem.file.as_deref().unwrap_or(".");
    json!({
        "message": visible(&words::problem(problem)),
        "location": location(report, file, problem.span),
        "severity": word(Severity::Error),
        "code": {"value": "problem"},
    })
}

fn location(report: &Report, file: &str, span: Option<Span>) -> Value {
    let path = report.real_paths.get(file).map_or(file, |real| &real.from_here);
    match span.filter(|_| report.sources.contains_key(file)) {
        Some(span) => {
            json!({"path": path, "range": range(&Region::on_first_line(report, file, span))})
        }
        None => json!({"path": path}),
    }
}

fn range(region: &Region<'_>) -> Value {
    json!({
        "start": {"line": region.start.line, "column": region.start_byte},
        "end": {"line": region.end.line, "column": region.end_byte},
    })
}

fn suggestions(report: &Report, reported: &Reported) -> Vec<Value> {
    let edits = report.edits_of(reported);
    let Some(source) = report.sources.get(&reported.file) else { return Vec::new() };
    if edits.iter().any(|edit| edit.file != reported.file) {
        return Vec::new();
    }
    let suggestion = |edit: &Replacement| json!({"range": range(&Region::whole(source, edit.span)), "text": edit.text});
    edits.iter().map(suggestion).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Applicability;
    use crate::report::{SuppressedBy, Suppression, sample};
    use crate::source::Source;

    fn parsed(report: &Report) -> Value {
        serde_json::from_str(&render(report)).unwrap()
    }

    #[test]
    fn the_report_is_exactly_this() {
        let expected = json!({
            "source": {"name": "composefix"},
            "severity": "WARNING",
            "diagnostics": [{
                "message": "web: `./` holds 41,230 files under node_modules and is bind-mounted to \
                    /app; each file is opened across a virtual machine\n\
                    fix available with `composefix apply`: mount a volume over node_modules\n\
                    run `npm ci` once in the container",
                "location": {"path": "compose.yaml", "range": {
                    "start": {"line": 4, "column": 9}, "end": {"line": 4, "column": 16}
                }},
                "severity": "WARNING",
                "code": {"value": "slow-tree"},
                "suggestions": [{
                    "range": {"start": {"line": 5, "column": 1}, "end": {"line": 5, "column": 1}},
                    "text": "      - y:/app/y\n"
                }]
            }]
        });
        assert_eq!(parsed(&sample::with_edit()), expected);
        assert_eq!(
            parsed(&Report::default()),
            json!({"source": {"name": "composefix"}, "diagnostics": []})
        );
    }

    #[test]
    fn columns_count_bytes() {
        let mut report = sample::report(Applicability::Safe);
        let text = "ä: {ö: ./:/app}\n";
        report.findings[0].span = sample::span(text, "./:/app");
        report.sources.insert("compose.yaml".to_owned(), Source::new("compose.yaml", text));
        let range = &parsed(&report)["diagnostics"][0]["location"]["range"];
        assert_eq!(range["start"], json!({"line": 1, "column": 10}));
        assert_eq!(range["end"], json!({"line": 1, "column": 17}));
    }

    #[test]
    fn nothing_is_suggested_across_files_beside_problems_or_for_what_does_not_count() {
        let mut report = sample::with_edit();
        report.findings[0].edits[0].file = "other.yaml".to_owned();
        assert_eq!(parsed(&report)["diagnostics"][0].get("suggestions"), None);
        let mut report = sample::with_edit();
        report.problems = sample::full_report().problems;
        let rendered = parsed(&report);
        assert_eq!(rendered["severity"], "ERROR");
        assert_eq!(rendered["diagnostics"][2]["location"], json!({"path": "."}));
        assert_eq!(rendered["diagnostics"][3].get("suggestions"), None);
        let reason = "known".to_owned();
        let mut report = sample::with_edit();
        report.findings[0].suppressed = Some(Suppression { by: SuppressedBy::Config, reason });
        assert_eq!(parsed(&report)["diagnostics"], json!([]));
    }
}
