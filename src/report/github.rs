//! Workflow commands of GitHub Actions: an annotation for each finding that counts and each problem.
//!
//! Whatever a file says stays inside of its own command: line breaks, `%` and, in properties, `:`
//! and `,` are escaped as the runner wants it, and everything else that is not for the eye as in
//! the text report.

use std::fmt::Write as _;

use super::region::Region;
use super::visible::visible;
use super::{Report, Reported, words};
use crate::error::Problem;
use crate::finding::Severity;
use crate::source::Span;

/// A line for each annotation; nothing for a clean report.
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    for problem in &report.problems {
        out.push_str(&problem_line(problem, report));
    }
    for reported in report.findings.iter().filter(|r| r.suppressed.is_none()) {
        out.push_str(&finding_line(reported, report));
    }
    out
}

fn finding_line(reported: &Reported, report: &Report) -> String {
    let finding = &reported.finding;
    let command = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let place = place(report, &reported.file, Some(reported.span));
    let title = format!("composefix ({})", finding.rule);
    let lines = std::iter::once(words::said(finding)).chain(words::help(finding, report));
    annotation(command, &place, &title, lines)
}

fn problem_line(problem: &Problem, report: &Report) -> String {
    let place = problem.file.as_ref().map(|file| place(report, file, problem.span));
    let lines = std::iter::once(problem.message.clone()).chain(problem.help.clone());
    annotation("error", &place.unwrap_or_default(), "composefix", lines)
}

fn annotation(
    command: &str,
    place: &str,
    title: &str,
    lines: impl Iterator<Item = String>,
) -> String {
    let lines: Vec<String> = lines.map(|line| data(&visible(&line))).collect();
    format!("::{command} {place}title={}::{}\n", property(title), lines.join("%0A"))
}

/// The properties for a place, each with a comma behind it. GitHub takes columns only where the
/// annotation has one line.
fn place(report: &Report, file: &str, span: Option<Span>) -> String {
    let mut out = format!("file={},", property(report.repository_name(file)));
    if let Some(span) = span.filter(|_| report.sources.contains_key(file)) {
        let Region { start, end, .. } = Region::on_first_line(report, file, span);
        let (line, column) = (start.line, start.column);
        let to = format!("line={line},endLine={},col={column},endColumn={},", end.line, end.column);
        out.push_str(&to);
    }
    out
}

/// Text as a command's message.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Text as a property. A name keeps its line breaks, since the runner gives them back.
fn property(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '%' | '\r' | '\n' | ':' | ',' => {
                write!(out, "%{:02X}", u32::from(c)).unwrap_or_default();
            }
            c => out.push_str(&visible(c.encode_utf8(&mut [0; 4]))),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Applicability;
    use crate::report::{SuppressedBy, Suppression, sample};

    #[test]
    fn annotations_look_like_this() {
        let expected = "\
::error file=x.yaml,line=2,endLine=2,col=1,endColumn=2,title=composefix::`]` is missing%0Aclose the list
::error file=gone.yaml,title=composefix::cannot read: no such file
::error title=composefix::no Compose file
::warning file=compose.yaml,line=4,endLine=4,col=9,endColumn=16,title=composefix (slow-tree)::web: \
`./` holds 41,230 files under node_modules and is bind-mounted to /app; each file is opened across a \
virtual machine%0Afix available with `composefix apply --unsafe`: mount a volume over \
node_modules%0Arun `npm ci` once in the container
::error file=compose.yaml,line=5,endLine=5,col=9,endColumn=17,title=composefix (duplicate-target)::web: \
two mounts on /app/x%0Aby hand: remove one of them
";
        assert_eq!(render(&sample::full_report()), expected);
        assert_eq!(render(&Report::default()), "");
    }

    #[test]
    fn nothing_gets_out_of_its_command() {
        let mut report = sample::report(Applicability::Safe);
        let hostile = "a\n::error::x\r%0A::set-output name=x::y,z\u{1b}[2J";
        report.findings[0].finding.message = hostile.to_owned();
        let source = report.sources.remove("compose.yaml").unwrap();
        report.sources.insert(hostile.to_owned(), source);
        report.findings[0].file = hostile.to_owned();
        let text = render(&report);
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(!text.contains('\u{1b}') && !text.contains('\r'), "{text}");
        let name =
            "file=a%0A%3A%3Aerror%3A%3Ax%0D%250A%3A%3Aset-output name=x%3A%3Ay%2Cz\\u{1b}[2J,";
        assert!(text.starts_with(&format!("::warning {name}line=4,")), "{text}");
        assert!(text.contains("::web: a\\n::error::x\\r%250A::set-output"), "{text}");
    }

    #[test]
    fn what_does_not_count_is_left_out_and_notes_are_notices() {
        let mut report = sample::report(Applicability::Safe);
        report.findings[0].finding.severity = Severity::Note;
        assert!(render(&report).starts_with("::notice "));
        let reason = "known".to_owned();
        report.findings[0].suppressed = Some(Suppression { by: SuppressedBy::Config, reason });
        assert_eq!(render(&report), "");
    }
}
