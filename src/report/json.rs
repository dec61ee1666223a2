//! The report for programs, version 1; `schema/report.schema.json` describes it.
//!
//! Its types are apart from the program's own, so that a change inside does not change what other
//! programs read. Within a version fields are only added.

use std::fmt::Write as _;

use serde::Serialize;

use super::visible::is_hidden;
use super::{MountRow, NotJudged, Report, Reported};
use crate::error::Problem;
use crate::finding::{Applicability, Fix, MountRef, Tree};
use crate::source::{Position, Source, Span};
use crate::survey::Evidence;

/// The report as JSON, with a line break at its end. Equal reports give equal bytes.
///
/// Characters that a terminal would obey are written as `\uXXXX`, so that printing the report is
/// harmless.
pub fn render(report: &Report) -> String {
    printable(&Model::of(report))
}

/// A model as JSON that can be printed, with a line break at its end.
pub(crate) fn printable(model: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(model).unwrap_or_else(|error| {
        // Strings, numbers and lists: nothing in the models can fail to become JSON.
        unreachable!("the report is not JSON: {error}")
    });
    text.push('\n');
    if text.contains(|c| c != '\n' && is_hidden(c)) { escaped(&text) } else { text }
}

/// Outside of its strings JSON has no such characters but line breaks.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if c == '\n' || !is_hidden(c) {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}").unwrap_or_default();
            }
        }
    }
    out
}

#[derive(Serialize)]
struct Model<'a> {
    version: u32,
    tool: Tool,
    platforms: &'a [String],
    files: Vec<FileModel<'a>>,
    findings: Vec<FindingModel<'a>>,
    problems: Vec<ProblemModel<'a>>,
    not_judged: Vec<NotJudgedModel<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mounts: Option<Vec<MountRowModel<'a>>>,
    summary: Summary,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct FileModel<'a> {
    path: &'a str,
    status: &'static str,
}

#[derive(Serialize)]
struct FindingModel<'a> {
    rule: &'static str,
    severity: &'static str,
    message: &'a str,
    file: &'a str,
    span: SpanModel,
    service: &'a str,
    mount: Option<MountModel<'a>>,
    tree: Option<TreeModel<'a>>,
    platforms: &'a [String],
    fix: Option<FixModel<'a>>,
    advice: &'a [String],
    suppressed: Option<&'a str>,
}

#[derive(Serialize)]
struct SpanModel {
    start: PositionModel,
    end: PositionModel,
}

#[derive(Serialize)]
struct PositionModel {
    line: usize,
    column: usize,
    offset: usize,
}

#[derive(Serialize)]
struct MountModel<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    source: Option<&'a str>,
    target: &'a str,
}

#[derive(Serialize)]
struct TreeModel<'a> {
    kind: &'a str,
    path: &'a str,
    target: &'a str,
    evidence: &'static str,
    files: Option<u64>,
    bytes: Option<u64>,
    at_least: bool,
}

#[derive(Serialize)]
struct FixModel<'a> {
    strategy: &'static str,
    applicability: &'static str,
    title: &'a str,
    notes: &'a [String],
}

#[derive(Serialize)]
struct ProblemModel<'a> {
    file: Option<&'a str>,
    span: Option<SpanModel>,
    message: &'a str,
    help: Option<&'a str>,
}

#[derive(Serialize)]
struct NotJudgedModel<'a> {
    file: &'a str,
    span: SpanModel,
    service: Option<&'a str>,
    message: &'a str,
}

#[derive(Serialize)]
struct MountRowModel<'a> {
    file: &'a str,
    span: SpanModel,
    service: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    source: Option<&'a str>,
    target: &'a str,
    read_only: bool,
}

#[derive(Serialize)]
struct Summary {
    files: usize,
    findings: usize,
    fixable: usize,
    suppressed: usize,
}

impl<'a> Model<'a> {
    fn of(report: &'a Report) -> Self {
        let place = |file: &str, span| SpanModel::of(report.sources.get(file), span);
        Self {
            version: 1,
            tool: Tool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") },
            platforms: &report.platforms,
            files: report
                .files
                .iter()
                .map(|f| FileModel { path: &f.path, status: if f.ok { "ok" } else { "error" } })
                .collect(),
            findings: report
                .findings
                .iter()
                .map(|r| FindingModel::of(r, place(&r.file, r.span)))
                .collect(),
            problems: report.problems.iter().map(|p| ProblemModel::of(p, report)).collect(),
            not_judged: report
                .not_judged
                .iter()
                .map(|n| NotJudgedModel::of(n, place(&n.file, n.span)))
                .collect(),
            mounts: report.mounts.as_ref().map(|rows| {
                rows.iter().map(|m| MountRowModel::of(m, place(&m.file, m.span))).collect()
            }),
            summary: Summary {
                files: report.files.len(),
                findings: report.counting().count(),
                fixable: report.counting().filter(|r| is_fixable(r)).count(),
                suppressed: report.suppressed().count(),
            },
        }
    }
}

fn is_fixable(reported: &Reported) -> bool {
    let fix = reported.finding.fix.as_ref();
    fix.is_some_and(|fix| fix.applicability >= Applicability::Unsafe)
}

impl<'a> FindingModel<'a> {
    fn of(reported: &'a Reported, span: SpanModel) -> Self {
        let finding = &reported.finding;
        Self {
            rule: finding.rule,
            severity: finding.severity.word(),
            message: &finding.message,
            file: &reported.file,
            span,
            service: &finding.service,
            mount: MountModel::of(&finding.mount),
            tree: finding.tree.as_ref().map(TreeModel::of),
            platforms: &finding.platforms,
            fix: finding.fix.as_ref().map(FixModel::of),
            advice: &finding.advice,
            suppressed: reported.suppressed.as_ref().map(|s| s.reason.as_str()),
        }
    }
}

impl<'a> MountModel<'a> {
    fn of(mount: &'a MountRef) -> Option<Self> {
        let MountRef { kind, source, target, .. } = mount;
        (!kind.is_empty()).then_some(Self { kind, source: source.as_deref(), target })
    }
}

impl<'a> TreeModel<'a> {
    fn of(tree: &'a Tree) -> Self {
        Self {
            kind: &tree.facts.kind,
            path: &tree.facts.path,
            target: &tree.target,
            evidence: match tree.facts.evidence {
                Evidence::Measured => "measured",
                Evidence::LockFile => "lockfile",
                Evidence::Manifest => "manifest",
            },
            files: tree.facts.files,
            bytes: tree.facts.bytes,
            at_least: tree.facts.at_least,
        }
    }
}

impl<'a> FixModel<'a> {
    fn of(fix: &'a Fix) -> Self {
        Self {
            strategy: fix.strategy,
            applicability: fix.applicability.word(),
            title: &fix.title,
            notes: &fix.notes,
        }
    }
}

impl<'a> ProblemModel<'a> {
    fn of(problem: &'a Problem, report: &'a Report) -> Self {
        let source = problem.file.as_ref().and_then(|file| report.sources.get(file));
        Self {
            file: problem.file.as_deref(),
            span: problem.span.filter(|_| source.is_some()).map(|s| SpanModel::of(source, s)),
            message: &problem.message,
            help: problem.help.as_deref(),
        }
    }
}

impl<'a> NotJudgedModel<'a> {
    fn of(row: &'a NotJudged, span: SpanModel) -> Self {
        Self { file: &row.file, span, service: row.service.as_deref(), message: &row.message }
    }
}

impl<'a> MountRowModel<'a> {
    fn of(row: &'a MountRow, span: SpanModel) -> Self {
        Self {
            file: &row.file,
            span,
            service: &row.service,
            kind: row.kind,
            source: row.source.as_deref(),
            target: &row.target,
            read_only: row.read_only,
        }
    }
}

impl SpanModel {
    /// Without the text only the start of the file is a place that surely exists.
    fn of(source: Option<&Source>, span: Span) -> Self {
        let start = Position { line: 1, column: 1, offset: 0 };
        let position = |offset| source.map_or(start, |source| source.position(offset)).into();
        Self { start: position(span.start), end: position(span.end.max(span.start)) }
    }
}

impl From<Position> for PositionModel {
    fn from(position: Position) -> Self {
        Self { line: position.line, column: position.column, offset: position.offset }
    }
}

#[cfg(test)]
mod tests;
