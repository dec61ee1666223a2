//! The report for people.

use std::fmt;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, Severity as Level, SourceCode,
    ThemeCharacters, ThemeStyles,
};

use super::excerpt::Excerpt;
use super::visible::visible;
use super::{Report, Reported, words};
use crate::detect::grouped;
use crate::error::Problem;
use crate::finding::{Applicability, Severity, Tree};
use crate::source::{Source, Span};
use crate::survey::Evidence;

/// How the text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct Style {
    /// With ANSI colours.
    pub colour: bool,
    /// With characters for drawing outside of ASCII.
    pub unicode: bool,
    /// Columns at most; lines of source are not wrapped.
    pub width: usize,
    /// Findings alone, without the summary.
    pub quiet: bool,
    /// The ids of rules lead to their pages.
    pub links: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self { colour: false, unicode: true, width: 100, quiet: false, links: false }
    }
}

/// All findings that count, each with the line that causes it, and what they come to.
pub fn render(report: &Report, style: Style) -> String {
    render_with(report, style, words::page)
}

/// The same with the addresses of the rules' pages.
fn render_with(report: &Report, style: Style, page: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    for reported in report.counting() {
        let page = page(reported.finding.rule).filter(|_| style.links);
        Shown::finding(reported, report, page.as_deref()).draw(style, &mut out);
    }
    if !style.quiet {
        out.push_str(&summary(report));
        out.push('\n');
    }
    out
}

/// What could not be checked, in the same form. Empty when nothing is in the way.
pub fn render_problems(report: &Report, style: Style) -> String {
    let mut out = String::new();
    for problem in &report.problems {
        Shown::problem(problem, report).draw(style, &mut out);
    }
    out
}

/// One line: what was found, what `apply` can do about it, and what was not looked at.
pub fn summary(report: &Report) -> String {
    let mut parts = Vec::new();
    let count = |severity| report.counting().filter(|r| r.finding.severity == severity).count();
    let by_severity: Vec<String> = [Severity::Error, Severity::Warning, Severity::Note]
        .into_iter()
        .map(|severity| (count(severity), severity.word()))
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| plural(number, word))
        .collect();
    let findings = report.counting().count();
    if findings == 0 {
        parts.push(format!("no findings in {}", plural(report.files.len(), "file")));
    } else {
        let findings = plural(findings, "finding");
        parts.push(format!("{findings} ({})", by_severity.join(", ")));
    }
    let promising = |wanted| {
        let fixes = report.counting().filter_map(|r| r.finding.fix.as_ref());
        fixes.filter(|fix| fix.applicability == wanted).count()
    };
    match (promising(Applicability::Safe), promising(Applicability::Unsafe)) {
        (0, 0) => {}
        (safe, 0) => parts.push(format!("{safe} fixable")),
        (0, risky) => parts.push(format!("{risky} fixable with --unsafe")),
        (safe, risky) => parts.push(format!("{safe} fixable, {risky} more with --unsafe")),
    }
    let suppressed = report.suppressed().count();
    if suppressed > 0 {
        parts.push(format!("{suppressed} ignored (-v lists them)"));
    }
    if !report.not_judged.is_empty() {
        parts.push(format!("{} not judged (-v tells why)", report.not_judged.len()));
    }
    if !report.problems.is_empty() {
        parts.push(plural(report.problems.len(), "problem"));
    }
    parts.join(", ")
}

/// A number and a noun.
pub(crate) fn plural(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// A finding or a problem as `miette` draws it. Nothing in it needs escaping any more.
#[derive(Debug)]
struct Shown {
    code: String,
    level: Level,
    message: String,
    label: Option<String>,
    excerpt: Option<Excerpt>,
    /// What to do, then what to know about it.
    help: Vec<String>,
}

/// [`Shown`] at a width.
#[derive(Debug)]
struct Laid<'a> {
    shown: &'a Shown,
    help: String,
}

impl Shown {
    fn finding(reported: &Reported, report: &Report, page: Option<&str>) -> Self {
        let finding = &reported.finding;
        let excerpt = excerpt(report, &reported.file, reported.span);
        let help = words::help(finding, report);
        let help = help.iter().map(|line| visible(line).into_owned()).collect();
        Self {
            code: format!("{}[{}]", finding.severity.word(), linked(finding.rule, page)),
            level: match finding.severity {
                Severity::Error => Level::Error,
                Severity::Warning => Level::Warning,
                Severity::Note => Level::Advice,
            },
            message: {
                let said = words::said(finding);
                let said = visible(&said);
                match &excerpt {
                    Some(_) => said.into_owned(),
                    None => format!("{}: {said}", visible(&reported.file)),
                }
            },
            label: finding.tree.as_ref().map(covers),
            excerpt,
            help,
        }
    }

    fn problem(problem: &Problem, report: &Report) -> Self {
        let place = problem.file.as_ref().zip(problem.span);
        let excerpt = place.and_then(|(file, span)| excerpt(report, file, span));
        let message = match (&problem.file, &excerpt) {
            (Some(file), None) => format!("{}: {}", visible(file), visible(&problem.message)),
            _ => visible(&problem.message).into_owned(),
        };
        Self {
            code: "error".to_owned(),
            level: Level::Error,
            message,
            label: None,
            excerpt,
            help: problem.help.iter().map(|help| visible(help).into_owned()).collect(),
        }
    }

    fn draw(&self, style: Style, out: &mut String) {
        let theme = GraphicalTheme {
            characters: if style.unicode {
                ThemeCharacters::unicode()
            } else {
                ThemeCharacters::ascii()
            },
            styles: if style.colour { ThemeStyles::ansi() } else { ThemeStyles::none() },
        };
        let handler = GraphicalReportHandler::new_themed(theme)
            .with_width(style.width)
            .with_urls(false)
            .without_syntax_highlighting();
        let mut drawn = String::new();
        // Writing to a string does not fail.
        let laid = Laid { shown: self, help: listed(&self.help, style.width) };
        handler.render_report(&mut drawn, &laid).unwrap_or_default();
        for line in drawn.lines() {
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out.push('\n');
    }
}

/// A text that leads to an address, as terminals read it (OSC 8).
fn linked(text: &str, address: Option<&str>) -> String {
    match address {
        Some(address) => format!("\u{1b}]8;;{address}\u{1b}\\{text}\u{1b}]8;;\u{1b}\\"),
        None => text.to_owned(),
    }
}

fn excerpt(report: &Report, file: &str, span: Span) -> Option<Excerpt> {
    report.sources.get(file).map(|source: &Source| Excerpt::new(source, span))
}

/// What the mount covers, and how much of it.
fn covers(tree: &Tree) -> String {
    let facts = &tree.facts;
    let name = visible(if facts.path == "." { &facts.kind } else { &facts.path });
    match (facts.files.map(grouped), facts.evidence) {
        (Some(files), Evidence::Measured) if facts.at_least => {
            format!("covers {name}, {files} files or more")
        }
        (Some(files), Evidence::Measured) => format!("covers {name}, {files} files"),
        (Some(files), _) => format!("covers {name}, about {files} files"),
        (None, _) => format!("covers {name}"),
    }
}

/// Columns that `miette` leaves free around a help text.
const HELP_MARGIN: usize = 10;

/// The first text as it is, each other one as an item whose lines are indented alike.
fn listed(texts: &[String], width: usize) -> String {
    let Some((first, items)) = texts.split_first() else { return String::new() };
    let width = width.saturating_sub(HELP_MARGIN);
    let mut out = first.clone();
    for item in items {
        let mut column = width;
        for (index, word) in item.split(' ').enumerate() {
            let length = word.chars().count();
            if index == 0 || column + 1 + length > width {
                out.push_str(if index == 0 { "\n- " } else { "\n  " });
                column = 2;
            } else {
                out.push(' ');
                column += 1;
            }
            out.push_str(word);
            column += length;
        }
    }
    out
}

impl fmt::Display for Laid<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown.message)
    }
}

impl std::error::Error for Laid<'_> {}

impl Diagnostic for Laid<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.shown.code))
    }

    fn severity(&self) -> Option<Level> {
        Some(self.shown.level)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        (!self.help.is_empty()).then(|| Box::new(&self.help) as Box<dyn fmt::Display + 'a>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.shown.excerpt.as_ref().map(|excerpt| excerpt as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let excerpt = self.shown.excerpt.as_ref()?;
        let label = LabeledSpan::new_with_span(self.shown.label.clone(), excerpt.marked());
        Some(Box::new(std::iter::once(label)))
    }
}

#[cfg(test)]
mod tests;
