//! How often each rule was broken, instead of where.

use std::collections::BTreeMap;

use serde::Serialize;

use super::text::{Style, plural, summary};
use super::{Report, json};
use crate::finding::Applicability;

/// What is said of one rule.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Row {
    rule: &'static str,
    count: usize,
    /// True when all of them can be repaired.
    fixable: bool,
    fixable_count: usize,
}

/// The rules of the findings that count, the most frequent first, then by id. Fixable is what has a
/// fix of at least this promise.
fn rows(report: &Report, least: Applicability) -> Vec<Row> {
    let mut counts: BTreeMap<&'static str, (usize, usize)> = BTreeMap::new();
    for reported in report.counting() {
        let fix = reported.finding.fix.as_ref();
        let (count, fixable) = counts.entry(reported.finding.rule).or_default();
        *count += 1;
        *fixable += usize::from(fix.is_some_and(|fix| fix.applicability >= least));
    }
    let mut rows: Vec<Row> = counts
        .into_iter()
        .map(|(rule, (count, fixable_count))| Row {
            rule,
            count,
            fixable: count == fixable_count,
            fixable_count,
        })
        .collect();
    // The order by id stays where counts are equal.
    rows.sort_by_key(|row| std::cmp::Reverse(row.count));
    rows
}

/// A table for people: count, rule, `[*]` where `apply` repairs all of them and `[-]` where it
/// repairs some; then what they come to.
pub fn render_text(report: &Report, least: Applicability, style: Style) -> String {
    let rows = rows(report, least);
    let counts = rows.iter().map(|row| row.count.to_string().len()).max().unwrap_or_default();
    let names = rows.iter().map(|row| row.rule.len()).max().unwrap_or_default();
    let line = |row: &Row| {
        let mark = match row.fixable_count {
            _ if row.fixable => "[*]",
            0 => "[ ]",
            _ => "[-]",
        };
        format!("{:>counts$}  {:<names$}  {mark}\n", row.count, row.rule)
    };
    let mut out: String = rows.iter().map(line).collect();
    if style.quiet {
        return out;
    }
    out.push_str(&summary(report));
    out.push('\n');
    let fixable = rows.iter().map(|row| row.fixable_count).sum();
    if fixable > 0 {
        let flag = if least < Applicability::Safe { " --unsafe" } else { "" };
        let what = plural(fixable, "finding");
        let line = format!("[*] `composefix apply{flag}` repairs {what}\n");
        out.push_str(&line);
    }
    out
}

/// A list for programs: for each rule `rule`, `count`, `fixable` (all of them) and `fixable_count`.
pub fn render_json(report: &Report, least: Applicability) -> String {
    json::printable(&rows(report, least))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::finding::Fix;
    use crate::report::{Reported, SuppressedBy, Suppression, sample};

    /// A report with a finding for each rule and promise.
    fn report(findings: &[(&'static str, Option<Applicability>)]) -> Report {
        let one = |(rule, promise): &(&'static str, Option<Applicability>)| {
            let mut reported: Reported =
                sample::report(Applicability::Safe).findings.pop().unwrap();
            reported.finding.rule = rule;
            let fix = reported.finding.fix.take();
            reported.finding.fix =
                promise.and_then(|applicability| Some(Fix { applicability, ..fix? }));
            reported
        };
        Report { findings: findings.iter().map(one).collect(), ..Report::default() }
    }

    fn several() -> Report {
        use Applicability::{Manual, Safe, Unsafe};
        let mut report = report(&[
            ("slow-writes", Some(Safe)),
            ("slow-tree", Some(Safe)),
            ("duplicate-target", None),
            ("slow-tree", Some(Unsafe)),
            ("database-on-bind", Some(Manual)),
            ("slow-tree", None),
            ("unused-ignore", None),
        ]);
        let reason = "why".to_owned();
        report.findings[6].suppressed = Some(Suppression { by: SuppressedBy::Comment, reason });
        report
    }

    #[test]
    fn the_most_frequent_stand_first_then_the_first_by_id() {
        let expected = "\
3  slow-tree         [-]
1  database-on-bind  [ ]
1  duplicate-target  [ ]
1  slow-writes       [*]
6 findings (6 warnings), 2 fixable, 1 more with --unsafe, 1 ignored (-v lists them)
[*] `composefix apply` repairs 2 findings
";
        let text = render_text(&several(), Applicability::Safe, Style::default());
        assert_eq!(text, expected);
        let quiet = Style { quiet: true, ..Style::default() };
        let table = render_text(&several(), Applicability::Safe, quiet);
        assert_eq!(table.lines().collect::<Vec<_>>(), expected.lines().take(4).collect::<Vec<_>>());
        let text = render_text(&several(), Applicability::Unsafe, Style::default());
        assert!(text.ends_with("[*] `composefix apply --unsafe` repairs 3 findings\n"), "{text}");
    }

    #[test]
    fn counts_stand_below_each_other() {
        let mut findings = vec![("slow-tree", None); 12];
        findings.push(("slow-writes", None));
        let text = render_text(&report(&findings), Applicability::Safe, Style::default());
        assert!(text.starts_with("12  slow-tree    [ ]\n 1  slow-writes  [ ]\n"), "{text}");
    }

    #[test]
    fn programs_get_a_list() {
        let list: Value =
            serde_json::from_str(&render_json(&several(), Applicability::Unsafe)).unwrap();
        assert_eq!(
            list[0],
            json!({"rule": "slow-tree", "count": 3, "fixable": false, "fixable_count": 2})
        );
        assert_eq!(list[3]["fixable"], true);
        assert_eq!(list.as_array().map(Vec::len), Some(4));
    }

    #[test]
    fn nothing_found_is_said() {
        let nothing = Report::default();
        let text = render_text(&nothing, Applicability::Safe, Style::default());
        assert_eq!(text, "no findings in 0 files\n");
        assert_eq!(render_json(&nothing, Applicability::Safe), "[]\n");
    }
}
