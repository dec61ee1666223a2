//! Where tokens begin and end: what the parser's events leave out or place elsewhere.
//!
//! Everything here works on bytes. The characters that matter are ASCII, and no byte of a longer
//! character looks like one of them.

use crate::source::Span;

/// Byte order mark of UTF-8.
pub(super) const BOM: &[u8] = "\u{feff}".as_bytes();

/// True for a byte that ends a line.
pub(super) const fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Offset of the next token at or after `at`: blanks, line breaks and comments are passed over, and
/// in a flow collection commas too. `at` must lie between two tokens.
pub(super) fn next_token(text: &[u8], mut at: usize, flow: bool) -> usize {
    loop {
        match text.get(at) {
            Some(b' ' | b'\t' | b'\n' | b'\r') => at += 1,
            Some(b',') if flow => at += 1,
            Some(b'#') => at = line_end(text, at),
            Some(0xEF) if tail(text, at).starts_with(BOM) => at += BOM.len(),
            _ => return at,
        }
    }
}

/// Offset of the end of the line that `at` is on, before its line break.
pub(super) fn line_end(text: &[u8], at: usize) -> usize {
    let rest = tail(text, at);
    at + rest.iter().position(|b| is_break(*b)).unwrap_or(rest.len())
}

/// Offset of the first byte of the line that `at` is on.
pub(super) fn line_start(text: &[u8], at: usize) -> usize {
    let head = text.get(..at).unwrap_or_default();
    head.iter().rposition(|b| is_break(*b)).map_or(0, |i| i + 1)
}

/// The bytes from `at` on.
pub(super) fn tail(text: &[u8], at: usize) -> &[u8] {
    text.get(at..).unwrap_or_default()
}

/// The span of a block scalar from its header at `header` to the end of its text. `raw` is the
/// parser's span: from the first text to the next token, blank lines and that token's indentation
/// included.
///
/// Blank lines at the end are cut, unless the header says `+`: then the span ends where the next
/// line begins. A line of blanks that are deeper than the text's indentation is text.
pub(super) fn block_scalar(text: &[u8], header: usize, raw: Span) -> Span {
    let header_end = header
        + tail(text, header).iter().take_while(|b| b.is_ascii_graphic() && **b != b'#').count();
    let keep = text.get(header..header_end).is_some_and(|h| h.contains(&b'+'));
    let mut end = raw.end.max(header_end);
    if keep {
        let start = line_start(text, end);
        let rest = text.get(start..end).unwrap_or_default();
        let cut = start > header_end
            && rest.iter().all(|b| *b == b' ')
            && rest.len() <= indent(text, raw);
        return Span::new(header, if cut { start } else { end });
    }
    let indent = indent(text, raw);
    while end > raw.start {
        let start = line_start(text, end).max(raw.start);
        let line = text.get(start..end).unwrap_or_default();
        let line_indent = start - line_start(text, start) + line.len();
        if line.iter().all(|b| *b == b' ') && line_indent <= indent {
            // Over the line break before it, `\r\n` being one.
            end = start.saturating_sub(1);
            if text.get(end) == Some(&b'\n') && end > 0 && text.get(end - 1) == Some(&b'\r') {
                end -= 1;
            }
        } else {
            return Span::new(header, end);
        }
    }
    Span::new(header, header_end)
}

/// Number of blanks before the text of a block scalar.
fn indent(text: &[u8], raw: Span) -> usize {
    raw.start - line_start(text, raw.start)
}
