//! Errors of syntax in words for people who do not know YAML's grammar.

use super::spans::{is_break, line_end, line_start, next_token, tail};
use crate::error::Problem;
use crate::source::{Source, Span};

/// What is wrong with the text, as far as it can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    /// A tab where only spaces are allowed.
    Tab,
    /// A quote without its end.
    OpenQuote,
    /// `[` or `{` without its end.
    OpenBracket(char),
    /// `[` closed by `}`, or `{` by `]`.
    WrongBracket(char, char),
    /// `]` or `}` without its start.
    LoneBracket,
    /// Neither `,` nor this bracket follows an item.
    NoComma(char),
    /// `: ` where no key can be.
    SecondColon,
    /// A line that should be a key but has no `:`.
    NoColon,
    /// A line that belongs to no list or mapping above it.
    Indentation,
    /// `- ` where no list can be.
    LoneDash,
    /// A character that starts no value.
    Character(char),
    /// An unknown escape in double quotes.
    Escape,
    /// An escape that is no character.
    UnicodeEscape,
    /// Text right behind a closing quote.
    AfterQuote,
    /// `#` without a blank before it.
    Comment,
    /// Too many collections in each other.
    TooDeep,
    /// A byte order mark in the middle.
    ByteOrderMark,
    /// Text behind the end of the document's value.
    AfterDocument,
    /// A tag such as `!a!b` whose `!a!` is unknown.
    TagHandle,
    /// Something that cannot stand in for a value.
    NoValue,
    /// More than `|`, `>`, `+`, `-` and a digit in the header of a block text.
    BlockHeader,
    /// A line of a block text with too little indentation.
    BlockIndent,
    /// Anything else: the parser's own words.
    Other,
}

/// A problem with the token or line at offset `at`. `words` are the parser's own.
pub(super) fn problem(source: &Source, at: usize, trouble: Trouble, words: &str) -> Problem {
    let text = source.text().as_bytes();
    let span = match trouble {
        Trouble::Tab => return tab(source, tab_at(text, at)),
        Trouble::OpenBracket(_) | Trouble::WrongBracket(..) | Trouble::LoneBracket => {
            Span::new(at, (at + 1).min(text.len()))
        }
        Trouble::Escape | Trouble::UnicodeEscape => escape_at(text, at),
        Trouble::Indentation | Trouble::NoColon | Trouble::LoneDash | Trouble::OpenQuote => {
            rest_of_line(source, at)
        }
        _ => token_at(source, at),
    };
    let (message, help) = words_for(trouble, source.slice(span), words);
    let problem = Problem::at(source.name(), span, message);
    if help.is_empty() { problem } else { problem.with_help(help) }
}

/// A tab in the indentation of a line, or right behind an indicator.
pub(super) fn tab(source: &Source, at: usize) -> Problem {
    let text = source.text().as_bytes();
    let start = line_start(text, at);
    let leading = text.get(start..at).unwrap_or_default().iter().all(|b| matches!(b, b' ' | b'\t'));
    let span = Span::new(at, at + tail(text, at).iter().take_while(|b| **b == b'\t').count());
    let message = if leading {
        "a tab indents this line; YAML allows spaces only"
    } else {
        "a tab stands here; YAML allows spaces only"
    };
    Problem::at(source.name(), span, message).with_help("replace the tab by spaces")
}

fn words_for(trouble: Trouble, token: &str, words: &str) -> (String, String) {
    let (message, help) = match trouble {
        Trouble::OpenQuote => ("this quote is never closed", "close it with the same quote"),
        Trouble::OpenBracket(open) => {
            let close = if open == '[' { ']' } else { '}' };
            return (
                format!("this `{open}` is never closed"),
                format!("add the missing `{close}`"),
            );
        }
        Trouble::WrongBracket(open, close) => {
            return (format!("`{open}` is closed by `{close}`"), "use the matching bracket".into());
        }
        Trouble::LoneBracket => ("this closes nothing", "remove it, or add the opening bracket"),
        Trouble::NoComma(close) => {
            let message = format!("`,` or `{close}` is missing before this");
            return (
                message,
                "separate items by `,`; put text with special characters in quotes".into(),
            );
        }
        Trouble::SecondColon => (
            "a `:` stands where no key can be",
            "quote a text that contains `: `; if this is a key, check its indentation and the line above",
        ),
        Trouble::NoColon => (
            "this line is neither a key nor a list item",
            "add the missing `:`, or check the indentation",
        ),
        Trouble::Indentation => (
            "the indentation of this line fits nothing above it",
            "start it in the same column as its siblings",
        ),
        Trouble::LoneDash => {
            ("a list item stands where no list can be", "start the list on a line of its own")
        }
        Trouble::Character(character) => {
            let message = format!("no value can start with `{}`", character.escape_default());
            return (message, "put the text in quotes".into());
        }
        Trouble::Escape => {
            let message = format!("`{token}` is no escape that YAML knows");
            return (message, "write `\\\\` for a backslash, or use single quotes".into());
        }
        Trouble::UnicodeEscape => ("this escape names no character", "write the character itself"),
        Trouble::AfterQuote => {
            ("text follows the closing quote", "put the whole text in one pair of quotes")
        }
        Trouble::Comment => {
            ("this `#` needs a space before it to start a comment", "add the space")
        }
        Trouble::TooDeep => ("lists and mappings are more than 255 deep", "nest them less deeply"),
        Trouble::ByteOrderMark => ("a byte order mark stands inside the file", "remove it"),
        Trouble::AfterDocument => (
            "this belongs to nothing above it",
            "check the indentation; a new document starts with a line `---`",
        ),
        Trouble::TagHandle => {
            return (format!("the tag `{token}` is not declared"), "use a tag with one `!`".into());
        }
        Trouble::NoValue => {
            ("a value is missing here", "remove the extra character, or use quotes")
        }
        Trouble::BlockHeader => (
            "this cannot follow `|` or `>`",
            "start the text on the next line, or put it in quotes",
        ),
        Trouble::BlockIndent => ("this line is indented less than the text's first line", ""),
        Trouble::Tab | Trouble::Other => return (words.to_owned(), String::new()),
    };
    (message.to_owned(), help.to_owned())
}

/// From `at` to the next blank or line break, one character at least. An offset at the end of a line
/// or of the text means the last token before it.
fn token_at(source: &Source, at: usize) -> Span {
    let text = source.text().as_bytes();
    let mut start = at.min(text.len());
    if text.get(start).is_none_or(|b| is_break(*b)) {
        let head = text.get(..start).unwrap_or_default();
        let end = head.iter().rposition(|b| !b.is_ascii_whitespace()).map_or(0, |i| i + 1);
        let head = text.get(..end).unwrap_or_default();
        start = head.iter().rposition(u8::is_ascii_whitespace).map_or(0, |i| i + 1);
    }
    let length = tail(text, start).iter().take_while(|b| !b.is_ascii_whitespace()).count();
    on_characters(source, Span::new(start, start + length.max(1)))
}

/// From `at` to the last visible character of its line. An offset between lines means the next token.
pub(super) fn rest_of_line(source: &Source, at: usize) -> Span {
    let text = source.text().as_bytes();
    let mut start = at;
    if text.get(at).is_none_or(u8::is_ascii_whitespace) {
        start = next_token(text, at, false);
    }
    if start >= text.len() {
        return token_at(source, at);
    }
    let line = text.get(start..line_end(text, start)).unwrap_or_default();
    on_characters(source, Span::new(start, start + line.trim_ascii_end().len().max(1)))
}

/// The span, widened to whole characters and cut to the text.
fn on_characters(source: &Source, span: Span) -> Span {
    let text = source.text();
    let mut end = span.end.min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    Span::new(span.start.min(end), end)
}

/// The first tab that is meant by an error reported at `at`: the parser points to the token or line
/// around it.
fn tab_at(text: &[u8], at: usize) -> usize {
    let mut start = line_start(text, at);
    if !text.get(start..line_end(text, at)).is_some_and(|line| line.contains(&b'\t')) {
        start = at;
    }
    let found = tail(text, start).iter().position(|b| *b == b'\t').map(|i| start + i);
    found.unwrap_or(at)
}

/// The first escape in the quoted text at `at` that is unknown or no character. The parser points to
/// the quote.
fn escape_at(text: &[u8], at: usize) -> Span {
    let mut from = at + 1;
    while let Some(offset) = tail(text, from).iter().position(|b| *b == b'\\') {
        let slash = from + offset;
        let span = super::dialect::escape(text, slash);
        let known = text.get(slash + 1).is_some_and(|b| b"0abtnvfre \t\"\\N_LPxuU\r\n".contains(b));
        if !known || super::dialect::escape_is_bad(text, span) {
            return span;
        }
        from = span.end.max(slash + 2);
    }
    Span::new(at, (at + 1).min(text.len()))
}
