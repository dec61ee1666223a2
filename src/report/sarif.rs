//! SARIF 2.1.0, as code scanning services read it.
//!
//! Paths are relative to the root of the repository, with links followed. A region is the part of
//! the mount that lies on its first line. A finding that does not count is there with its
//! suppression.

mod rules;

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::region::Region;
use super::{Replacement, Report, Reported, SuppressedBy, Suppression, fingerprint, json, words};
use crate::detect;
use crate::error::Problem;
use crate::finding::{Finding, Fix};
use crate::source::Span;

/// The name that stands for the root of the repository.
const ROOT: &str = "%SRCROOT%";

/// One log with one run, as JSON with a line break at its end. Equal reports give equal bytes.
pub fn render(report: &Report) -> String {
    let marks = fingerprint::of_findings(report).into_iter();
    let results = report.findings.iter().zip(marks).map(|(r, mark)| result(report, r, &mark));
    let version = env!("CARGO_PKG_VERSION");
    let mut driver = json!({
        "name": env!("CARGO_PKG_NAME"),
        "version": version,
        "semanticVersion": version,
        "rules": rules::all(),
    });
    put(&mut driver, "informationUri", words::home());
    json::printable(&json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": driver},
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": {
                ROOT: {"description": {"text": "The root of the repository."}}
            },
            "invocations": [invocation(report)],
            "results": results.collect::<Vec<_>>(),
            "properties": {"platforms": report.platforms},
        }]
    }))
}

/// Adds a field where there is a value for it.
fn put(object: &mut Value, name: &str, value: Option<impl Into<Value>>) {
    if let (Some(value), Some(object)) = (value, object.as_object_mut()) {
        object.insert(name.to_owned(), value.into());
    }
}

fn result(report: &Report, reported: &Reported, mark: &str) -> Value {
    let finding = &reported.finding;
    let mut result = json!({
        "ruleId": finding.rule,
        "level": finding.severity.word(),
        "message": {"text": message(finding, report)},
        "locations": [location(report, &reported.file, Some(reported.span))],
        "partialFingerprints": {"primaryLocationLineHash": mark},
        "properties": properties(finding),
    });
    put(&mut result, "ruleIndex", detect::ALL.iter().position(|d| d.id() == finding.rule));
    put(&mut result, "suppressions", reported.suppressed.as_ref().map(suppressions));
    let edits = report.edits_of(reported);
    if let (Some(finding_fix), false) = (&finding.fix, edits.is_empty()) {
        put(&mut result, "fixes", Some(json!([fix(report, finding_fix, edits)])));
    }
    result
}

/// The sentence that lists show, then what to do about it, a line each.
fn message(finding: &Finding, report: &Report) -> String {
    let lines = std::iter::once(words::said(finding)).chain(words::help(finding, report));
    let lines: Vec<String> = lines.map(|line| sentence(&line)).collect();
    lines.join("\n")
}

/// A line of words as a sentence. `[a](b)` would be a link in SARIF, and a name of a mount must not
/// make one.
fn sentence(line: &str) -> String {
    let end = if line.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{}{end}", line.replace("](", "] ("))
}

fn properties(finding: &Finding) -> Value {
    let mut properties = json!({
        "service": finding.service,
        "target": finding.mount.target,
        "platforms": finding.platforms,
    });
    put(&mut properties, "tree", finding.tree.as_ref().map(|tree| tree.target.as_str()));
    put(&mut properties, "strategy", finding.fix.as_ref().map(|fix| fix.strategy));
    let promise = finding.fix.as_ref().map(|fix| fix.applicability.word());
    put(&mut properties, "applicability", promise);
    properties
}

fn suppressions(suppression: &Suppression) -> Value {
    let kind = match suppression.by {
        SuppressedBy::Comment => "inSource",
        SuppressedBy::Config => "external",
    };
    json!([{"kind": kind, "status": "accepted", "justification": suppression.reason}])
}

/// One fix with a change for each file.
fn fix(report: &Report, fix: &Fix, edits: &[Replacement]) -> Value {
    let mut changes: Vec<Value> = Vec::new();
    for same_file in edits.chunk_by(|a, b| a.file == b.file) {
        let Some(first) = same_file.first() else { continue };
        let Some(source) = report.sources.get(&first.file) else { continue };
        let replacement = |edit: &Replacement| {
            json!({
                "deletedRegion": bounds(&Region::whole(source, edit.span)),
                "insertedContent": {"text": edit.text},
            })
        };
        changes.push(json!({
            "artifactLocation": artifact(report, &first.file),
            "replacements": same_file.iter().map(replacement).collect::<Vec<_>>(),
        }));
    }
    json!({"description": {"text": sentence(&fix.title)}, "artifactChanges": changes})
}

// ---- the run itself

/// What could not be checked, and what was not judged.
fn invocation(report: &Report) -> Value {
    let problems = report.problems.iter().map(|problem| problem_of(report, problem));
    let not_judged = report.not_judged.iter().map(|row| {
        let service = row.service.as_ref().map(|s| format!("{s}: ")).unwrap_or_default();
        json!({
            "level": "note",
            "message": {"text": sentence(&format!("not judged: {service}{}", row.message))},
            "locations": [location(report, &row.file, Some(row.span))],
        })
    });
    json!({
        "executionSuccessful": report.problems.is_empty(),
        "toolExecutionNotifications": problems.chain(not_judged).collect::<Vec<_>>(),
    })
}

fn problem_of(report: &Report, problem: &Problem) -> Value {
    let lines = std::iter::once(&problem.message).chain(&problem.help);
    let lines: Vec<String> = lines.map(|line| sentence(line)).collect();
    let mut notification = json!({"level": "error", "message": {"text": lines.join("\n")}});
    let place = problem.file.as_ref().map(|file| location(report, file, problem.span));
    put(&mut notification, "locations", place.map(|place| json!([place])));
    notification
}

// ---- places

fn location(report: &Report, file: &str, span: Option<Span>) -> Value {
    let mut place = json!({"artifactLocation": artifact(report, file)});
    if let Some(span) = span.filter(|_| report.sources.contains_key(file)) {
        let region = Region::on_first_line(report, file, span);
        let mut shown = bounds(&region);
        let text = Some(region.text).filter(|text| !text.is_empty());
        shown.extend(text.map(|text| ("snippet".to_owned(), json!({"text": text}))));
        put(&mut place, "region", Some(shown));
    }
    json!({"physicalLocation": place})
}

fn bounds(region: &Region<'_>) -> Map<String, Value> {
    let fields = [
        ("startLine", region.start.line),
        ("startColumn", region.start.column),
        ("endLine", region.end.line),
        ("endColumn", region.end.column),
        ("charOffset", region.characters_before),
        ("charLength", region.characters),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect()
}

/// A file below the root of the repository, or where it lies on the machine.
fn artifact(report: &Report, file: &str) -> Value {
    match report.real_paths.get(file) {
        Some(real) if real.in_repository.is_none() => {
            let slash = if real.absolute.starts_with('/') { "" } else { "/" };
            json!({"uri": format!("file://{slash}{}", encoded(&real.absolute))})
        }
        _ => json!({"uri": encoded(report.repository_name(file)), "uriBaseId": ROOT}),
    }
}

/// A path as part of an URI.
fn encoded(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            other => write!(uri, "%{other:02X}").unwrap_or_default(),
        }
    }
    uri
}

#[cfg(test)]
mod tests;
