//! A report with one of everything, for tests.

use super::{CheckedFile, MountRow, NotJudged, Replacement, Report, Reported};
use crate::compose::{BaseId, FileId, Origin};
use crate::error::Problem;
use crate::finding::{Applicability, Finding, Fix, MountRef, Severity, Tree};
use crate::source::{Source, Span};
use crate::survey::{Evidence, TreeFacts};
use crate::yaml::NodeId;

/// The text behind [`report`]; the mount `./:/app` stands on line 4.
pub(crate) const TEXT: &str =
    "services:\n  web:\n    volumes:\n      - ./:/app\n      - x:/app/x\n";

/// The place of `part` in `text`.
pub(crate) fn span(text: &str, part: &str) -> Span {
    let start = text.find(part).unwrap();
    Span::new(start, start + part.len())
}

/// A `slow-tree` finding on `./:/app`.
pub(crate) fn slow_tree(applicability: Applicability) -> Finding {
    Finding {
        rule: "slow-tree",
        severity: Severity::Warning,
        message:
            "`./` holds 41,230 files under node_modules and is bind-mounted to /app; each file \
            is opened across a virtual machine"
                .to_owned(),
        service: "web".to_owned(),
        mount: MountRef {
            kind: "bind",
            source: Some("./".to_owned()),
            target: "/app".to_owned(),
            origin: Origin { file: FileId(0), node: NodeId(0), base: BaseId(0) },
            place: None,
        },
        tree: Some(Tree {
            facts: facts(),
            host: "/x/node_modules".to_owned(),
            target: "/app/node_modules".to_owned(),
        }),
        platforms: vec!["macos-virtiofs".to_owned()],
        advice: Vec::new(),
        fix: Some(Fix {
            strategy: "volume",
            applicability,
            title: "mount a volume over node_modules".to_owned(),
            notes: vec!["run `npm ci` once in the container".to_owned()],
            changes: Vec::new(),
        }),
    }
}

fn facts() -> TreeFacts {
    TreeFacts {
        kind: "node-modules".to_owned(),
        path: "node_modules".to_owned(),
        evidence: Evidence::Measured,
        files: Some(41_230),
        bytes: Some(310_000_000),
        at_least: false,
        on_disk: true,
        tracked: false,
        directories: Vec::new(),
        unused: None,
        install: None,
    }
}

/// One warning with that fix, on [`TEXT`] in `compose.yaml`.
pub(crate) fn report(applicability: Applicability) -> Report {
    Report {
        platforms: vec!["macos-virtiofs".to_owned()],
        files: vec![CheckedFile { path: "compose.yaml".to_owned(), ok: true }],
        findings: vec![Reported {
            finding: slow_tree(applicability),
            file: "compose.yaml".to_owned(),
            span: span(TEXT, "./:/app"),
            suppressed: None,
            fails: true,
            edits: Vec::new(),
        }],
        sources: [("compose.yaml".to_owned(), Source::new("compose.yaml", TEXT))].into(),
        ..Report::default()
    }
}

/// The same warning with an edit that repairs it.
pub(crate) fn with_edit() -> Report {
    let mut report = report(Applicability::Safe);
    let at = span(TEXT, "      - x:").start;
    let text = "      - y:/app/y\n".to_owned();
    let edit = Replacement { file: "compose.yaml".to_owned(), span: Span::at(at), text };
    report.findings[0].edits.push(edit);
    report
}

/// [`report`] with a second finding without tree and fix, problems, mounts and a mount that was not
/// judged.
pub(crate) fn full_report() -> Report {
    let mut report = report(Applicability::Unsafe);
    let mut duplicate = slow_tree(Applicability::Safe);
    duplicate.rule = "duplicate-target";
    duplicate.severity = Severity::Error;
    duplicate.message = "two mounts on /app/x".to_owned();
    duplicate.mount.source = None;
    duplicate.tree = None;
    duplicate.fix = None;
    duplicate.advice = vec!["remove one of them".to_owned()];
    duplicate.platforms = report.platforms.clone();
    let second = span(TEXT, "x:/app/x");
    report.findings.push(Reported {
        finding: duplicate,
        file: "compose.yaml".to_owned(),
        span: second,
        suppressed: None,
        fails: true,
        edits: Vec::new(),
    });
    report.files.push(CheckedFile { path: "x.yaml".to_owned(), ok: false });
    report.sources.insert("x.yaml".to_owned(), Source::new("x.yaml", "a: [1\nb: ü\n"));
    report.problems = vec![
        Problem::at("x.yaml", Span::new(6, 7), "`]` is missing").with_help("close the list"),
        Problem::of_file("gone.yaml", "cannot read: no such file"),
        Problem { file: None, span: None, message: "no Compose file".to_owned(), help: None },
    ];
    report.not_judged = vec![NotJudged {
        file: "compose.yaml".to_owned(),
        span: second,
        service: None,
        message: "its source is a variable without value".to_owned(),
    }];
    report.mounts = Some(vec![MountRow {
        file: "compose.yaml".to_owned(),
        span: second,
        service: "web".to_owned(),
        kind: "volume",
        source: Some("x".to_owned()),
        target: "/app/x".to_owned(),
        read_only: true,
    }]);
    report
}
