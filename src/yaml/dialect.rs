//! Where Compose's YAML reader differs from YAML 1.2: characters, escapes and texts that the parser
//! takes and Compose refuses or reads in another way.

use super::Style;
use super::spans::{BOM, is_break, tail};
use crate::error::Problem;
use crate::source::{Source, Span};

/// Refuses characters that Compose does not allow anywhere, or that end a line for Compose and for
/// nobody else.
pub(super) fn characters(source: &Source) -> Result<(), Problem> {
    let text = source.text().as_bytes();
    for (at, byte) in text.iter().enumerate() {
        // Most bytes end here.
        if matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t') {
            continue;
        }
        let rest = tail(text, at);
        let before = at.checked_sub(1).and_then(|i| text.get(i));
        let (message, help) = match rest {
            [0xC2, 0x85, ..] | [0xE2, 0x80, 0xA8 | 0xA9, ..] => (
                "this invisible character ends the line for Compose",
                "remove it, or write it as an escape in double quotes",
            ),
            [0..=0x1F | 0x7F, ..] | [0xC2, 0x80..=0x9F, ..] | [0xEF, 0xBF, 0xBE | 0xBF, ..] => (
                "Compose does not allow this control character",
                "remove it, or write it as an escape in double quotes",
            ),
            _ if rest.starts_with(BOM) && before.is_some_and(|b| is_break(*b)) => {
                ("a byte order mark stands inside the file", "remove it")
            }
            _ => continue,
        };
        let length =
            source.text().get(at..).and_then(|t| t.chars().next()).map_or(1, char::len_utf8);
        let span = Span::new(at, at + length);
        let code = source.slice(span).chars().next().map_or(0, u32::from);
        let message = format!("{message}: U+{code:04X}");
        return Err(Problem::at(source.name(), span, message).with_help(help));
    }
    Ok(())
}

/// Refuses directives that Compose does not know: it takes `%YAML 1.1` and `%TAG`.
pub(super) fn directives(source: &Source) -> Result<(), Problem> {
    let mut may_come = true;
    let mut at = 0;
    for line in source.text().split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.strip_prefix('\u{feff}').unwrap_or(line).trim_end();
        if let Some(directive) = line.strip_prefix('%').filter(|_| may_come) {
            let mut words = directive.split_whitespace();
            let known = match (words.next(), words.next()) {
                (Some("YAML"), version) => version == Some("1.1"),
                (name, _) => name == Some("TAG"),
            };
            if !known {
                let span = Span::new(start, source.line_end(start));
                return Err(Problem::at(
                    source.name(),
                    span,
                    "Compose does not know this directive",
                )
                .with_help("remove it; Compose reads YAML 1.1 whatever it says"));
            }
        } else if !line.is_empty() && !line.trim_start().starts_with('#') {
            may_come = line == "..." || line.starts_with("... ");
        }
    }
    Ok(())
}

/// Refuses what Compose does not take inside a scalar that is written at `span`.
pub(super) fn scalar(source: &Source, span: Span, style: Style, flow: bool) -> Result<(), Problem> {
    match style {
        Style::Double => escapes(source, span),
        Style::Plain if flow => plain_in_flow(source, span),
        _ => Ok(()),
    }
}

/// `\/` and halves of surrogate pairs.
fn escapes(source: &Source, span: Span) -> Result<(), Problem> {
    let text = source.text().as_bytes();
    let mut from = span.start;
    while let Some(offset) =
        text.get(from..span.end).and_then(|t| t.iter().position(|b| *b == b'\\'))
    {
        let escape = escape(text, from + offset);
        let token = source.slice(escape);
        if escape_is_bad(text, escape) {
            let message = format!("Compose does not know the escape `{token}`");
            return Err(Problem::at(source.name(), escape, message)
                .with_help("write the character itself, without a backslash"));
        }
        from = escape.end;
    }
    Ok(())
}

/// The escape that begins with the backslash at `slash`.
pub(super) fn escape(text: &[u8], slash: usize) -> Span {
    let digits = match text.get(slash + 1) {
        Some(b'x') => 2,
        Some(b'u') => 4,
        Some(b'U') => 8,
        // A longer character stays whole.
        Some(first) if !first.is_ascii() => {
            tail(text, slash + 2).iter().take_while(|b| **b & 0xC0 == 0x80).count()
        }
        _ => 0,
    };
    Span::new(slash, (slash + 2 + digits).min(text.len()))
}

/// True for an escape that the parser takes and Compose does not, and for one that names no
/// character.
pub(super) fn escape_is_bad(text: &[u8], escape: Span) -> bool {
    match text.get(escape.range()).unwrap_or_default() {
        [_, b'/'] => true,
        [_, b'x' | b'u' | b'U', digits @ ..] => {
            let code =
                std::str::from_utf8(digits).ok().and_then(|d| u32::from_str_radix(d, 16).ok());
            code.and_then(char::from_u32).is_none()
        }
        _ => false,
    }
}

/// The name of the anchor or alias at `span`.
pub(super) fn name(source: &Source, span: Span) -> Result<&str, Problem> {
    let name = source.slice(Span::new(span.start + 1, span.end));
    let next = source.text().as_bytes().get(span.end);
    let ends =
        next.is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b',' | b']' | b'}' | b':'));
    if ends && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')) {
        return Ok(name);
    }
    let message = "Compose allows only ASCII letters, digits, `-` and `_` in the name of an anchor";
    Err(Problem::at(source.name(), span, message).with_help("rename it, or put a space behind it"))
}

/// `?` ends a plain text between brackets for Compose, and a `:` cannot begin one.
fn plain_in_flow(source: &Source, span: Span) -> Result<(), Problem> {
    let token = source.slice(span);
    let offset = if token.starts_with(':') { Some(0) } else { token.find('?') };
    let Some(offset) = offset else { return Ok(()) };
    let sign = if token.starts_with(':') { ':' } else { '?' };
    let at = span.start + offset;
    let message =
        format!("Compose does not allow `{sign}` in text without quotes between brackets");
    Err(Problem::at(source.name(), Span::new(at, at + 1), message)
        .with_help("put the text in quotes"))
}
