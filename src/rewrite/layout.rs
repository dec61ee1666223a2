//! How a file is laid out: what new lines must look like to fit in.

use crate::source::Source;
use crate::yaml::{Document, Kind, NodeId, Style};

/// The habits of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    /// Columns that a nested mapping is indented by.
    pub(super) step: usize,
    /// Columns between a key and the dashes of its list.
    pub(super) dash: usize,
}

impl Layout {
    /// Reads the habits off the first nested mapping and the first list of a file.
    pub(super) fn of(source: &Source, document: &Document) -> Self {
        let mut step = None;
        let mut dash = None;
        let mut todo: Vec<NodeId> = document.roots().iter().rev().copied().collect();
        while let Some(id) = todo.pop() {
            match &document.node(id).kind {
                Kind::Mapping { entries, flow: false } => {
                    for entry in entries.iter().rev() {
                        todo.push(entry.value);
                    }
                    for entry in entries {
                        let key = source.indent_of(document.node(entry.key).start());
                        match &document.node(entry.value).kind {
                            Kind::Mapping { entries, flow: false } => {
                                let inner = entries.first().map(|e| document.node(e.key).start());
                                let inner = inner.map(|at| source.indent_of(at));
                                step = step.or_else(|| inner?.checked_sub(key).filter(|s| *s > 0));
                            }
                            Kind::Sequence { items, flow: false } => {
                                let at = items.first().and_then(|i| i.dash);
                                let at = at.map(|at| source.indent_of(at));
                                dash = dash.or_else(|| at?.checked_sub(key));
                            }
                            _ => {}
                        }
                    }
                }
                Kind::Sequence { items, flow: false } => {
                    todo.extend(items.iter().rev().map(|i| i.node));
                }
                _ => {}
            }
            if step.is_some() && dash.is_some() {
                break;
            }
        }
        let step = step.unwrap_or(2);
        Self { step, dash: dash.unwrap_or(step) }
    }
}

/// White space that puts a line at the column of `at`: the line's own when nothing else stands
/// before it, else blanks.
pub(super) fn indent(source: &Source, at: usize) -> String {
    let start = source.line_start(at);
    let head = source.text().get(start..at).unwrap_or_default();
    let head = head.strip_prefix('\u{feff}').unwrap_or(head);
    if head.chars().all(|c| c == ' ') { head.to_owned() } else { " ".repeat(head.chars().count()) }
}

/// True when nothing but blanks stands before `at` on its line.
pub(super) fn starts_line(source: &Source, at: usize) -> bool {
    let head = source.text().get(source.line_start(at)..at).unwrap_or_default();
    head.strip_prefix('\u{feff}').unwrap_or(head).chars().all(|c| c == ' ')
}

/// The style nearest to `style` that can hold a text on one line. `flow` is true inside brackets.
pub(super) fn fitting(text: &str, style: Style, flow: bool) -> Style {
    match style {
        Style::Double | Style::Single => style,
        Style::Plain | Style::Literal | Style::Folded if is_plain(text, flow) => Style::Plain,
        Style::Plain | Style::Literal | Style::Folded => Style::Single,
    }
}

/// A text as it is written in a style that can hold it.
pub(super) fn quoted(text: &str, style: Style) -> String {
    match style {
        Style::Double => format!("\"{}\"", escaped(text)),
        Style::Single => format!("'{}'", text.replace('\'', "''")),
        Style::Plain | Style::Literal | Style::Folded => text.to_owned(),
    }
}

/// A text inside double quotes.
pub(super) fn escaped(text: &str) -> String {
    let escape = |c: char| match c {
        '\\' => "\\\\".to_owned(),
        '"' => "\\\"".to_owned(),
        '\n' => "\\n".to_owned(),
        '\t' => "\\t".to_owned(),
        c => c.to_string(),
    };
    text.chars().map(escape).collect()
}

/// True when a text without quotes is read as that very text, as a string.
fn is_plain(text: &str, flow: bool) -> bool {
    let first = text.chars().next();
    let fit = |c: char| {
        let bracket = flow && matches!(c, ',' | '[' | ']' | '{' | '}');
        !bracket && !c.is_control()
    };
    first.is_some_and(|c| c.is_alphanumeric() || matches!(c, '/' | '_' | '$' | '.'))
        && text.chars().all(fit)
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with([':', ' '])
        && matches!(
            crate::yaml::scalar::Scalar::of(text, Style::Plain, None),
            crate::yaml::scalar::Scalar::Str(_)
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_style_that_cannot_hold_a_text_gives_way_to_quotes() {
        for (text, style, flow, written) in [
            ("nm:/app", Style::Plain, false, "nm:/app"),
            ("nm:${D:-/app}/x", Style::Plain, false, "nm:${D:-/app}/x"),
            ("nm:${D:-/app}/x", Style::Plain, true, "'nm:${D:-/app}/x'"),
            ("nm:/it's", Style::Single, false, "'nm:/it''s'"),
            ("nm:/a\"b", Style::Double, false, "\"nm:/a\\\"b\""),
            ("nm:/a #b", Style::Folded, false, "'nm:/a #b'"),
            ("80", Style::Plain, false, "'80'"),
        ] {
            assert_eq!(quoted(text, fitting(text, style, flow)), written);
        }
    }
}
