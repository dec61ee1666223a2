//! What makes a finding the same finding in the next report.
//!
//! Services that follow findings over time compare these marks. No line number goes into one, so
//! lines may be added above. What goes in is the rule, the file in its repository, service,
//! container path and tree, and the text of the line. Findings that are alike in all of that are
//! counted in the order of the report.

use std::collections::BTreeMap;

use super::{Report, Reported};
use crate::error::Problem;
use crate::source::{Source, Span};

/// The marks of all findings, in the order of the report. Each occurs once. One that does not count
/// has its place in the order too, so the marks of others do not move when it is suppressed.
pub fn of_findings(report: &Report) -> Vec<String> {
    numbered(report.findings.iter().map(|reported| of_finding(report, reported)))
}

/// The marks of all problems, in the order of the report. Each occurs once.
pub fn of_problems(report: &Report) -> Vec<String> {
    numbered(report.problems.iter().map(|problem| of_problem(report, problem)))
}

fn of_finding(report: &Report, reported: &Reported) -> u64 {
    let Reported { finding, file, span, .. } = reported;
    hash(&[
        finding.rule,
        report.repository_name(file),
        &finding.service,
        &finding.mount.target,
        finding.tree.as_ref().map_or("", |tree| &tree.target),
        line(report.sources.get(file), *span),
    ])
}

fn of_problem(report: &Report, problem: &Problem) -> u64 {
    let file = problem.file.as_deref().unwrap_or_default();
    hash(&["problem", report.repository_name(file), &problem.message])
}

/// The line that a span begins on, without the blanks around it.
fn line(source: Option<&Source>, span: Span) -> &str {
    source.map_or("", |source| {
        let start = source.position(span.start).offset;
        source.slice(Span::new(source.line_start(start), source.line_end(start))).trim()
    })
}

/// Each hash with its number among equal ones: `0123456789abcdef:1`.
fn numbered(hashes: impl Iterator<Item = u64>) -> Vec<String> {
    let mut seen: BTreeMap<u64, usize> = BTreeMap::new();
    let number = hashes.map(|hash| {
        let count = seen.entry(hash).or_default();
        *count += 1;
        format!("{hash:016x}:{count}")
    });
    number.collect()
}

/// FNV-1a of 64 bits over the parts, each with its length before it so that they do not run into one
/// another. The hashers of the standard library may change; marks must not.
fn hash(parts: &[&str]) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(PRIME);
    parts.iter().fold(BASIS, |hash, part| {
        let length = u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes();
        length.into_iter().chain(part.bytes()).fold(hash, step)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Applicability;
    use crate::report::{RealPath, SuppressedBy, Suppression, sample};

    fn marks(change: impl FnOnce(&mut Report)) -> Vec<String> {
        let mut report = sample::report(Applicability::Safe);
        change(&mut report);
        of_findings(&report)
    }

    fn with_text(report: &mut Report, text: &str) {
        report.findings[0].span = sample::span(text, "./:/app");
        report.sources.insert("compose.yaml".to_owned(), Source::new("compose.yaml", text));
    }

    #[test]
    fn they_never_change() {
        assert_eq!(marks(|_| ()), ["dfe0315f416de40b:1"]);
        assert_eq!(hash(&[]), 0xcbf2_9ce4_8422_2325);
    }

    #[test]
    fn they_follow_a_line_that_moves() {
        let same = marks(|_| ());
        let moved = format!("# more\n\n{}", sample::TEXT.replace("      -", "  -"));
        assert_eq!(marks(|report| with_text(report, &moved)), same);
        assert_eq!(marks(|report| report.findings[0].finding.message.push('x')), same);
        let windows = sample::TEXT.replace('\n', "\r\n");
        assert_eq!(marks(|report| with_text(report, &windows)), same);
    }

    #[test]
    fn they_tell_findings_apart() {
        let changes: [fn(&mut Report); 6] = [
            |_| (),
            |report| with_text(report, &sample::TEXT.replace("./:/app", "./:/app # x")),
            |report| report.findings[0].finding.rule = "slow-writes",
            |report| report.findings[0].finding.service = "we".to_owned(),
            |report| report.findings[0].finding.tree = None,
            |report| {
                let real = RealPath {
                    in_repository: Some("a/compose.yaml".to_owned()),
                    from_here: "compose.yaml".to_owned(),
                    absolute: "/x/a/compose.yaml".to_owned(),
                };
                report.real_paths.insert("compose.yaml".to_owned(), real);
            },
        ];
        let all: std::collections::BTreeSet<_> = changes.into_iter().flat_map(marks).collect();
        assert_eq!(all.len(), changes.len());
    }

    #[test]
    fn equal_ones_are_counted_whether_they_count_or_not() {
        let mut report = sample::full_report();
        let [first, _] = &mut report.findings[..] else { panic!() };
        let reason = "known".to_owned();
        first.suppressed = Some(Suppression { by: SuppressedBy::Comment, reason });
        let again = sample::report(Applicability::Safe).findings.remove(0);
        report.findings.push(again);
        let marks = of_findings(&report);
        assert!(marks[0].ends_with(":1") && marks[2].ends_with(":2"), "{marks:?}");
        assert_eq!(marks[0].split(':').next(), marks[2].split(':').next());
        report.problems.push(report.problems[0].clone());
        let problems = of_problems(&report);
        assert!(problems[3].ends_with(":2"), "{problems:?}");
    }
}
