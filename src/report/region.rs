//! Where a span begins and ends, in all the ways that formats count.

use super::Report;
use crate::source::{Position, Source, Span};

/// A span of one file. Lines and columns count from 1; ends are exclusive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Region<'a> {
    /// First character.
    pub(super) start: Position,
    /// Behind the last character.
    pub(super) end: Position,
    /// Column of the first byte, in bytes of the line; a byte order mark counts.
    pub(super) start_byte: usize,
    /// Column behind the last byte, in bytes of the line; a byte order mark counts.
    pub(super) end_byte: usize,
    /// Characters before the first one, from 0; a byte order mark does not count.
    pub(super) characters_before: usize,
    /// Characters in it.
    pub(super) characters: usize,
    /// Its text.
    pub(super) text: &'a str,
}

impl<'a> Region<'a> {
    /// The part of a span that lies on its first line. Without the text of the file only its very
    /// beginning is a place that surely exists.
    pub(super) fn on_first_line(report: &'a Report, file: &str, span: Span) -> Self {
        match report.sources.get(file) {
            Some(source) => {
                let start = source.position(span.start).offset;
                let end = span.end.clamp(start, source.line_end(start).max(start));
                Self::whole(source, Span::new(start, end))
            }
            None => Self::beginning(),
        }
    }

    /// All of a span.
    pub(super) fn whole(source: &'a Source, span: Span) -> Self {
        let (start, end) = (source.position(span.start), source.position(span.end));
        let column = |at: Position| at.offset - source.line_start(at.offset) + 1;
        let before = source.slice(Span::new(0, start.offset));
        let text = source.slice(Span::new(start.offset, end.offset));
        Self {
            start,
            end,
            start_byte: column(start),
            end_byte: column(end),
            characters_before: before.trim_start_matches('\u{feff}').chars().count(),
            characters: text.chars().count(),
            text,
        }
    }

    fn beginning() -> Self {
        let at = Position { line: 1, column: 1, offset: 0 };
        Self {
            start: at,
            end: at,
            start_byte: 1,
            end_byte: 1,
            characters_before: 0,
            characters: 0,
            text: "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(text: &str) -> Report {
        Report { sources: [("x".to_owned(), Source::new("x", text))].into(), ..Report::default() }
    }

    #[test]
    fn it_counts_bytes_and_characters() {
        let text = "\u{feff}ä: 1\nöb: 日本\n";
        let report = report(text);
        let start = text.find('日').unwrap();
        let region = Region::on_first_line(&report, "x", Span::new(start, start + 6));
        assert_eq!((region.start.line, region.start.column, region.end.column), (2, 5, 7));
        assert_eq!((region.start_byte, region.end_byte), (6, 12));
        assert_eq!((region.characters_before, region.characters, region.text), (9, 2, "日本"));
        let first = Region::on_first_line(&report, "x", Span::new(3, 5));
        assert_eq!((first.start.column, first.start_byte, first.characters_before), (1, 4, 0));
    }

    #[test]
    fn it_ends_with_the_first_line() {
        let report = report("a: [1,\r\n  2]\n");
        let region = Region::on_first_line(&report, "x", Span::new(3, 12));
        assert_eq!(((region.end.line, region.end.column), region.text), ((1, 7), "[1,"));
        let past = Region::on_first_line(&report, "x", Span::new(99, 3));
        assert_eq!(past.start, past.end);
        let gone = Region::on_first_line(&report, "gone", Span::new(3, 9));
        assert_eq!((gone.start.line, gone.end.column, gone.text), (1, 1, ""));
    }
}
