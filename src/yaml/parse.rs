//! The one file that names the YAML parser: its options, its events, its errors.

use granit_parser::{
    ErrorKind, Event as Raw, Parser, ScalarStyle, ScanError, StrInput, StructureStyle,
};

use super::build::{Builder, DASH, Event, Props};
use super::messages::{Trouble, problem};
use super::{Document, Style, dialect, tabs};
use crate::error::Problem;
use crate::source::{Source, Span};

/// Bytes that may be read again because of such places: a file of 3 KB may have thousands.
const MAX_REREAD: usize = 16 << 20;

/// How large a file may be. What is larger is refused with a problem, never cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Nodes of the tree, keys included. An alias counts as one node, whatever it stands for.
    pub nodes: usize,
    /// Bytes of the text.
    pub bytes: usize,
}

impl Default for Limits {
    /// Two million nodes and 64 MiB.
    fn default() -> Self {
        Self { nodes: 2_000_000, bytes: 64 << 20 }
    }
}

/// Reads a YAML file into a tree. A file without any document (empty, comments only) has no root.
///
/// The first thing that Compose's YAML reader would refuse is returned as a problem with its place,
/// and so are collections more than 255 deep.
pub fn parse(source: &Source, limits: &Limits) -> Result<Document, Problem> {
    if source.text().len() > limits.bytes {
        let message = format!("this file is larger than {} MiB", limits.bytes >> 20);
        return Err(Problem::of_file(source.name(), message));
    }
    dialect::characters(source)?;
    dialect::directives(source)?;
    match read_repaired(source, source.text(), limits) {
        Ok(builder) => builder.finish(),
        Err(Failure { refused: Refused::Tab, problem }) => read_tabs(source, limits, problem),
        Err(failure) => Err(failure.problem),
    }
}

/// Why reading stopped.
struct Failure {
    problem: Problem,
    refused: Refused,
}

/// Whether Compose would stop there too.
enum Refused {
    Rightly,
    /// A tab that indents a line, perhaps between brackets.
    Tab,
    /// A `-` before a comma or bracket, which is text for Compose.
    Dash(usize),
    /// A `#` right behind a quote or bracket, which begins a comment for Compose.
    Comment(usize),
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self { problem, refused: Refused::Rightly }
    }
}

/// Reads `text`, which is that of `source` or has other bytes in some places.
fn read<'s>(source: &'s Source, text: &str, limits: &Limits) -> Result<Builder<'s>, Failure> {
    let mut parser = Parser::new_from_str_with_options(text, options());
    let mut builder = Builder::new(source, limits.nodes);
    while let Some(next) = parser.next_event() {
        let (raw, span) = next.map_err(|error| failure(source, &error))?;
        let tag = span.tag_span().map(|tag| bytes(&tag));
        let anchor = if anchor_id(&raw) == 0 { None } else { anchor(source, &mut parser)? };
        builder.event(event(raw, &span), &Props { tag, anchor })?;
    }
    Ok(builder)
}

/// `[cat, -]` is a list of two texts for Compose, and `"a"# b` has a comment; both are errors for the
/// parser. So it gets other bytes in these places, and the tree the text as written.
fn read_repaired<'s>(
    source: &'s Source,
    text: &str,
    limits: &Limits,
) -> Result<Builder<'s>, Failure> {
    let mut result = read(source, text, limits);
    let mut repaired = String::new();
    // Each place costs a reading, so their number is limited by the size of the text.
    for _ in 0..MAX_REREAD / text.len().max(1) {
        let (at, length) = match &result {
            Err(Failure { refused: Refused::Dash(at), .. }) => (*at, 1),
            Err(Failure { refused: Refused::Comment(at), .. }) => (*at, 2),
            _ => break,
        };
        if repaired.is_empty() {
            text.clone_into(&mut repaired);
        }
        repair(&mut repaired, at, length);
        result = read(source, &repaired, limits);
    }
    result
}

/// `-` becomes another letter, `# c` becomes ` #c`; the length stays.
fn repair(text: &mut String, at: usize, characters: usize) {
    let rest = text.get(at..).unwrap_or_default();
    let taken: usize = rest.chars().take(characters).map(char::len_utf8).sum();
    let new = match rest.get(..taken) {
        Some("-") => DASH.to_owned(),
        Some("#\n" | "#\r") => format!(" {}", rest.get(1..2).unwrap_or_default()),
        _ => format!("{:#<taken$}", " "),
    };
    text.replace_range(at..at + taken, &new);
}

/// Between brackets Compose takes tabs as indentation and the parser does not. So it gets spaces in
/// their place: once everywhere, to learn where brackets are, then only there, because in a block
/// text a tab is text.
fn read_tabs(source: &Source, limits: &Limits, problem: Problem) -> Result<Document, Problem> {
    let text = source.text();
    let everywhere = tabs::as_spaces(text, &[Span::new(0, text.len())]);
    let Ok(builder) = read_repaired(source, &everywhere, limits) else { return Err(problem) };
    let between_brackets = tabs::as_spaces(text, builder.flows());
    read_repaired(source, &between_brackets, limits).map_err(|failure| failure.problem)?.finish()
}

fn options() -> granit_parser::Options {
    granit_parser::options! {
        // As go-yaml does.
        block_scalar_eof_without_line_feed: true,
        emit_anchor_events: true,
        // Anchors live on in the next document for Compose, so the tree resolves aliases itself.
        emit_unresolved_aliases: true,
        max_buffered_comment_events: usize::MAX,
    }
}

/// The anchor that follows its node as an event of its own.
fn anchor<'s>(
    source: &Source,
    parser: &mut Parser<'s, StrInput<'s>>,
) -> Result<Option<Span>, Problem> {
    match parser.peek() {
        Some(Err(error)) => Err(syntax_error(source, &error)),
        Some(Ok((Raw::Anchor(..), span))) => Ok(Some(bytes(span))),
        _ => Ok(None),
    }
}

fn anchor_id(raw: &Raw<'_>) -> usize {
    match raw {
        Raw::Scalar(_, _, id, _) | Raw::SequenceStart(_, id, _) | Raw::MappingStart(_, id, _) => {
            *id
        }
        _ => 0,
    }
}

fn event(raw: Raw<'_>, span: &granit_parser::Span) -> Event {
    let span = bytes(span);
    match raw {
        Raw::DocumentStart(explicit, _) => Event::Document { marker: explicit.then_some(span) },
        Raw::DocumentEnd => Event::DocumentEnd { marker: (!span.is_empty()).then_some(span) },
        Raw::Alias(_) | Raw::UnresolvedAlias(_) => Event::Alias { span },
        Raw::Comment(..) => Event::Comment { span },
        Raw::Scalar(value, style, ..) => {
            Event::Scalar { span, value: value.into_owned(), style: scalar_style(style) }
        }
        Raw::SequenceStart(style, ..) => {
            Event::Start { span, mapping: false, flow: style == StructureStyle::Flow }
        }
        Raw::MappingStart(style, ..) => {
            Event::Start { span, mapping: true, flow: style == StructureStyle::Flow }
        }
        Raw::SequenceEnd | Raw::MappingEnd => Event::End { span },
        _ => Event::Other,
    }
}

const fn scalar_style(style: ScalarStyle) -> Style {
    match style {
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted => Style::Single,
        ScalarStyle::DoubleQuoted => Style::Double,
        ScalarStyle::Literal => Style::Literal,
        ScalarStyle::Folded => Style::Folded,
    }
}

/// Byte offsets are always known for a text in memory.
fn bytes(span: &granit_parser::Span) -> Span {
    let range = span.byte_range().unwrap_or_default();
    Span::new(range.start, range.end.max(range.start))
}

fn syntax_error(source: &Source, error: &ScanError) -> Problem {
    problem(source, offset(error), trouble(error.kind()), &error.info())
}

fn failure(source: &Source, error: &ScanError) -> Failure {
    let at = offset(error);
    let refused = match error.kind() {
        ErrorKind::TabInBlockIndentation => Refused::Tab,
        ErrorKind::PlainScalarStartsWithDashFlowIndicator
            if source.slice(Span::new(at, at + 1)) == "-" =>
        {
            Refused::Dash(at)
        }
        ErrorKind::CommentNotSeparated if source.slice(Span::new(at, at + 1)) == "#" => {
            Refused::Comment(at)
        }
        _ => Refused::Rightly,
    };
    Failure { problem: syntax_error(source, error), refused }
}

fn offset(error: &ScanError) -> usize {
    error.marker().byte_offset().unwrap_or_default()
}

/// What an error of the parser means to a person. Errors that a text in memory cannot cause, or
/// that say it well enough themselves, are [`Trouble::Other`].
fn trouble(kind: &ErrorKind) -> Trouble {
    match kind {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabInPlainScalar
        | ErrorKind::TabAtBlockScalarStart
        | ErrorKind::InvalidBlockEntryWhitespace
        | ErrorKind::InvalidMappingValueWhitespace => Trouble::Tab,
        ErrorKind::UnclosedQuotedScalar => Trouble::OpenQuote,
        ErrorKind::UnclosedFlowCollection { open } => Trouble::OpenBracket(*open),
        ErrorKind::MismatchedFlowCollectionEnd { open, close } => {
            Trouble::WrongBracket(*open, *close)
        }
        ErrorKind::MisplacedFlowCollectionEnd => Trouble::LoneBracket,
        ErrorKind::UnexpectedEofFlowSequence | ErrorKind::ExpectedFlowSequenceSeparator => {
            Trouble::NoComma(']')
        }
        ErrorKind::UnexpectedEofFlowMapping
        | ErrorKind::UnexpectedEofImplicitFlowMapping
        | ErrorKind::ExpectedFlowMappingSeparator => Trouble::NoComma('}'),
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => {
            Trouble::SecondColon
        }
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => Trouble::NoColon,
        ErrorKind::ExpectedBlockMappingKey
        | ErrorKind::ExpectedBlockSequenceEntry
        | ErrorKind::InvalidIndentation
        | ErrorKind::MappingKeyNotAllowed => Trouble::Indentation,
        ErrorKind::BlockSequenceEntryNotAllowed | ErrorKind::BlockEntryInFlowCollection => {
            Trouble::LoneDash
        }
        ErrorKind::UnexpectedCharacter { character } => Trouble::Character(*character),
        ErrorKind::PlainScalarStartsWithDashFlowIndicator => Trouble::Character('-'),
        ErrorKind::UnknownQuotedScalarEscape => Trouble::Escape,
        ErrorKind::InvalidQuotedScalarHexEscape
        | ErrorKind::InvalidLowSurrogateHexEscape
        | ErrorKind::InvalidLowSurrogate
        | ErrorKind::MissingLowSurrogate
        | ErrorKind::UnpairedLowSurrogate
        | ErrorKind::InvalidUnicodeEscape => Trouble::UnicodeEscape,
        ErrorKind::InvalidTrailingSingleQuotedScalar
        | ErrorKind::InvalidTrailingDoubleQuotedScalar => Trouble::AfterQuote,
        ErrorKind::CommentNotSeparated => Trouble::Comment,
        ErrorKind::RecursionLimitExceeded => Trouble::TooDeep,
        ErrorKind::BomInsideDocument => Trouble::ByteOrderMark,
        ErrorKind::ExpectedDocumentStart => Trouble::AfterDocument,
        ErrorKind::UndeclaredTagHandle => Trouble::TagHandle,
        ErrorKind::ExpectedNodeContent => Trouble::NoValue,
        ErrorKind::InvalidBlockScalarHeader | ErrorKind::ZeroBlockScalarIndent => {
            Trouble::BlockHeader
        }
        ErrorKind::InvalidBlockScalarIndent => Trouble::BlockIndent,
        _ => Trouble::Other,
    }
}
