//! Tabs where Compose's YAML reader allows none.
//!
//! The parser refuses tabs only where they would change the structure. Compose is stricter: outside
//! brackets no tab may stand where a key could begin, which is at the start of a line and behind
//! `-`, `?` and the `:` of a `?` entry; and the lines of a plain text are indented by spaces.

use super::messages::tab;
use super::spans::{is_break, line_start, tail};
use super::{Document, Kind};
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
    let scalars =
        document.nodes.iter().filter(|n| matches!(n.kind, Kind::Scalar { .. })).map(|n| n.span);
    let mut free: Vec<Span> =
        scalars.chain(flows.iter().copied()).chain(document.comments.iter().copied()).collect();
    free.retain(|span| !span.is_empty());
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

/// Checks the lines of a plain text, and in flow collections the blanks behind it, where Compose
/// still looks for more text. `column` is the least number of spaces.
pub(super) fn in_plain(
    source: &Source,
    span: Span,
    flow: bool,
    column: usize,
) -> Result<(), Problem> {
    let text = source.text().as_bytes();
    let mut end = span.end;
    if flow {
        end += tail(text, end).iter().take_while(|b| b.is_ascii_whitespace()).count();
    }
    let Some(lines) = text.get(span.start..end).filter(|lines| lines.contains(&b'\t')) else {
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
