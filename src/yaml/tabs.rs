//! Tabs where Compose's YAML reader allows none.
//!
//! The parser refuses tabs only where they would change the structure. Compose is stricter: outside
//! brackets no tab may stand where a key could begin, which is at the start of a line and behind
//! `-`, `?` and the `:` of a `?` entry; and the lines of a plain text are indented by spaces.

use super::messages::tab;
use super::spans::{is_break, line_end, line_start, tail};
use super::{Document, Kind, Style};
use crate::error::Problem;
use crate::source::{Source, Span};

/// The text with spaces for the tabs that indent lines within `spans`, which are sorted.
pub(super) fn as_spaces(text: &str, spans: &[Span]) -> String {
    let mut spans = spans.iter().peekable();
    let mut leading = true;
    let replaced = text.char_indices().map(|(at, c)| {
        while spans.next_if(|span| span.end <= at).is_some() {}
        let inside = spans.peek().is_some_and(|span| span.start <= at);
        let tab = c == '\t' && leading && inside;
        leading = matches!(c, '\n' | '\r') || leading && matches!(c, ' ' | '\t');
        if tab { ' ' } else { c }
    });
    replaced.collect()
}

/// Checks all tabs outside scalars, comments and `flows`, the outermost flow collections.
pub(super) fn between_tokens(
    source: &Source,
    document: &Document,
    flows: &[Span],
) -> Result<(), Problem> {
    let text = source.text().as_bytes();
    if !text.contains(&b'\t') {
        return Ok(());
    }
    let scalars = document.nodes.iter().filter_map(|node| match node.kind {
        // The lines after a plain text have been checked with it.
        Kind::Scalar { style: Style::Plain, .. } => Some(with_blanks(text, node.span)),
        Kind::Scalar { .. } => Some(node.span),
        _ => None,
    });
    let mut free: Vec<Span> =
        scalars.chain(flows.iter().copied()).chain(document.comments.iter().copied()).collect();
    free.sort_unstable();
    let mut free = free.into_iter().peekable();
    let mut at = 0;
    while let Some(offset) = tail(text, at).iter().position(|b| *b == b'\t') {
        at += offset;
        while free.next_if(|span| span.end <= at).is_some() {}
        if let Some(span) = free.peek().filter(|span| span.start <= at) {
            at = span.end;
            continue;
        }
        let blanks = tail(text, at).iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        if !allowed(text, at) {
            return Err(tab(source, at));
        }
        at += blanks;
    }
    Ok(())
}

/// True when the tab at `at`, outside brackets, stands behind something that no key can follow.
fn allowed(text: &[u8], at: usize) -> bool {
    let line = text.get(line_start(text, at)..at).unwrap_or_default();
    let line = line.strip_prefix(super::spans::BOM).unwrap_or(line).trim_ascii_end();
    let alone = |head: &[u8]| head.last().is_none_or(|b| matches!(b, b' ' | b'\t'));
    match line {
        [] => false,
        b"---" => true,
        [head @ .., b'-' | b'?'] => !alone(head),
        // Behind nothing but indicators it is the colon of a `?` entry.
        [head @ .., b':'] => !head.iter().all(|b| matches!(b, b' ' | b'\t' | b'-' | b'?')),
        _ => true,
    }
}

/// A span with the blanks and line breaks behind it. An absent text has none.
fn with_blanks(text: &[u8], span: Span) -> Span {
    let blanks = tail(text, span.end).iter().take_while(|b| b.is_ascii_whitespace()).count();
    Span::new(span.start, if span.is_empty() { span.end } else { span.end + blanks })
}

/// Checks the blank lines before the first text of a block scalar, and the indentation of that text:
/// from it Compose learns how far the text is indented, unless the header says so.
pub(super) fn in_block(source: &Source, span: Span) -> Result<(), Problem> {
    let text = source.text().as_bytes();
    let header = Span::new(span.start, line_end(text, span.start));
    let header_text = text.get(header.range()).unwrap_or_default();
    if header_text.iter().take(3).any(u8::is_ascii_digit) {
        return Ok(());
    }
    let lines = text.get(header.end..span.end).unwrap_or_default();
    let first = lines.iter().position(|b| !matches!(b, b' ' | b'\n' | b'\r'));
    match first.filter(|first| lines.get(*first) == Some(&b'\t')) {
        Some(first) => Err(tab(source, header.end + first)),
        None => Ok(()),
    }
}

/// Checks the lines of a plain text and the blanks behind it, where Compose still looks for more
/// text. `column` is the least number of spaces.
pub(super) fn in_plain(source: &Source, span: Span, column: usize) -> Result<(), Problem> {
    let text = source.text().as_bytes();
    let span = with_blanks(text, span);
    let Some(lines) = text.get(span.range()).filter(|lines| lines.contains(&b'\t')) else {
        return Ok(());
    };
    let mut leading = None;
    for (offset, byte) in lines.iter().enumerate() {
        leading = match (byte, leading) {
            (byte, _) if is_break(*byte) => Some(0),
            (b'\t', Some(count)) if count < column => return Err(tab(source, span.start + offset)),
            (b' ' | b'\t', Some(count)) => Some(count + 1),
            _ => None,
        };
    }
    Ok(())
}
