//! A test report in the form that `JUnit` made common.
//!
//! Each file is a suite: one passed case for a file without findings, else a case for each finding.
//! What fails the run is a failure, what does not count is skipped with its reason, and what is below
//! `--fail-on` is a passed case that tells about itself. What could not be checked is an error.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::region::Region;
use super::visible::visible;
use super::{Report, Reported, words};
use crate::error::Problem;
use crate::source::Span;

/// The report as XML 1.0, with a line break at its end. It holds no times, so that equal reports
/// give equal bytes.
pub fn render(report: &Report) -> String {
    let mut suites: BTreeMap<&str, Vec<Case>> = BTreeMap::new();
    for problem in &report.problems {
        let file = problem.file.as_deref().unwrap_or(env!("CARGO_PKG_NAME"));
        suites.entry(file).or_default().push(Case::problem(problem, report));
    }
    for reported in &report.findings {
        let case = Case::finding(reported, report);
        suites.entry(&reported.file).or_default().push(case);
    }
    for file in &report.files {
        suites.entry(&file.path).or_insert_with(|| vec![Case::silent(file.ok)]);
    }
    let all = suites.values().flatten();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let name = attribute("name", env!("CARGO_PKG_NAME"));
    writeln!(out, "<testsuites{name}{}>", counts(&all)).unwrap_or_default();
    for (file, cases) in &suites {
        let name = attribute("name", file);
        writeln!(out, "  <testsuite{name}{}>", counts(&cases.iter())).unwrap_or_default();
        for case in cases {
            case.write(file, &mut out);
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

#[derive(PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    Error,
    Skipped,
}

struct Case {
    name: String,
    /// False for what concerns no file.
    of_file: bool,
    line: Option<usize>,
    outcome: Outcome,
    /// The rule or what else kind of thing it is.
    kind: &'static str,
    /// One line; empty when there is nothing to say.
    message: String,
    /// The place and everything that is known.
    details: Vec<String>,
}

impl Case {
    fn finding(reported: &Reported, report: &Report) -> Self {
        let finding = &reported.finding;
        let (outcome, message) = match &reported.suppressed {
            Some(suppression) => (Outcome::Skipped, suppression.reason.clone()),
            None if reported.fails => (Outcome::Failed, words::said(finding)),
            None => (Outcome::Passed, words::said(finding)),
        };
        let (place, line) = place(report, &reported.file, Some(reported.span));
        let said = format!("{}: {}", finding.severity.word(), words::said(finding));
        let mut details = vec![format!("{place}: {said}")];
        details.extend(words::help(finding, report));
        Self {
            name: format!("{}: {}", finding.rule, words::subject(finding)),
            of_file: true,
            line,
            outcome,
            kind: finding.rule,
            message,
            details,
        }
    }

    fn problem(problem: &Problem, report: &Report) -> Self {
        let file = problem.file.as_deref().unwrap_or_default();
        let (place, line) = place(report, file, problem.span);
        let said = if place.is_empty() { String::new() } else { format!("{place}: ") };
        Self {
            name: "can be checked".to_owned(),
            of_file: problem.file.is_some(),
            line,
            outcome: Outcome::Error,
            kind: "problem",
            message: problem.message.clone(),
            details: vec![format!("{said}{}", words::problem(problem))],
        }
    }

    /// A file that nothing is said about.
    fn silent(checked: bool) -> Self {
        let (outcome, message) = if checked {
            (Outcome::Passed, "")
        } else {
            (Outcome::Skipped, "its project could not be checked")
        };
        Self {
            name: "no findings".to_owned(),
            of_file: true,
            line: None,
            outcome,
            kind: "",
            message: message.to_owned(),
            details: Vec::new(),
        }
    }

    fn write(&self, file: &str, out: &mut String) {
        let line = self.line.map(|line| attribute("line", &line.to_string())).unwrap_or_default();
        let names = [("name", self.name.as_str()), ("classname", file), ("file", file)];
        let names = names.iter().filter(|(name, _)| self.of_file || *name != "file");
        let names: String = names.map(|(name, value)| attribute(name, value)).collect();
        let message = attribute("message", &self.message);
        let kind = attribute("type", self.kind);
        let details = text(&self.details);
        let inside = match self.outcome {
            Outcome::Passed if details.is_empty() => String::new(),
            Outcome::Passed => format!("<system-out>{details}</system-out>"),
            Outcome::Failed => format!("<failure{kind}{message}>{details}</failure>"),
            Outcome::Error => format!("<error{kind}{message}>{details}</error>"),
            Outcome::Skipped => format!("<skipped{message}/>"),
        };
        if inside.is_empty() {
            writeln!(out, "    <testcase{names}{line}/>").unwrap_or_default();
        } else {
            writeln!(out, "    <testcase{names}{line}>\n      {inside}\n    </testcase>")
                .unwrap_or_default();
        }
    }
}

/// Where it is, for people, and the line.
fn place(report: &Report, file: &str, span: Option<Span>) -> (String, Option<usize>) {
    match span.filter(|_| report.sources.contains_key(file)) {
        Some(span) => {
            let start = Region::on_first_line(report, file, span).start;
            (format!("{file}:{}:{}", start.line, start.column), Some(start.line))
        }
        None => (file.to_owned(), None),
    }
}

fn counts<'a>(cases: &(impl Iterator<Item = &'a Case> + Clone)) -> String {
    let count = |outcome| cases.clone().filter(|case| case.outcome == outcome).count();
    let numbers = [
        ("tests", cases.clone().count()),
        ("failures", count(Outcome::Failed)),
        ("errors", count(Outcome::Error)),
        ("skipped", count(Outcome::Skipped)),
    ];
    numbers.iter().map(|(name, number)| attribute(name, &number.to_string())).collect()
}

fn attribute(name: &str, value: &str) -> String {
    format!(" {name}=\"{}\"", escaped(value))
}

fn text(lines: &[String]) -> String {
    lines.iter().map(|line| escaped(line)).collect::<Vec<_>>().join("\n")
}

/// Text for an attribute or an element. Nothing is left in it that XML 1.0 cannot hold, that a reader
/// would change, or that a terminal would obey.
fn escaped(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for c in visible(value).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\u{fffe}' | '\u{ffff}' => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests;
