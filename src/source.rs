//! The exact text of one file, and the only place that knows lines and columns.
//!
//! Everything else in the program speaks of bytes: a [`Span`] is a half-open byte range. Lines and
//! columns appear only where a person or a report needs them, by [`Source::position`].

use std::fmt;
use std::ops::Range;

/// Byte order mark of UTF-8; it belongs to no line's columns.
const BOM: &str = "\u{feff}";

/// A half-open range of bytes in one [`Source`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// A span from `start` up to, not including, `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// An empty span at `offset`.
    pub const fn at(offset: usize) -> Self {
        Self::new(offset, offset)
    }

    /// True for a span without bytes.
    pub const fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// The span as a range, for indexing.
    pub const fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// A place in a file for people: line and column count from 1, the column in Unicode scalar
/// values, the offset in bytes from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in Unicode scalar values, from 1.
    pub column: usize,
    /// Byte offset, from 0.
    pub offset: usize,
}

/// The text of one file, byte for byte, under the name that reports use for it.
#[derive(Clone)]
pub struct Source {
    name: String,
    text: String,
    line_starts: Vec<usize>,
}

impl Source {
    /// Keeps `text` under `name`, the path relative to the working directory with `/`.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let line_starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1))
            .collect();
        Self { name: name.into(), text, line_starts }
    }

    /// The name that reports use.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text, byte order mark included.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span; empty when the span does not lie on character borders of this text.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// Line and column of a byte offset. An offset past the end counts as the end.
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.line_starts.partition_point(|start| *start <= offset);
        let start = self.line_start(offset);
        let head = self.text.get(start..offset).unwrap_or_default();
        let head = head.strip_prefix(BOM).unwrap_or(head);
        Position { line, column: head.chars().count() + 1, offset }
    }

    /// The byte offset of a line and column, both from 1, the column in Unicode scalar values. What
    /// lies behind the end of a line counts as its end.
    pub fn offset_of(&self, line: usize, column: usize) -> usize {
        let start = self.line_starts.get(line.saturating_sub(1)).copied();
        let start = start.unwrap_or(self.text.len());
        let text = self.text.get(start..self.line_end(start)).unwrap_or_default();
        let mark = usize::from(text.starts_with(BOM));
        let wanted = column.saturating_sub(1) + mark;
        start + text.char_indices().nth(wanted).map_or(text.len(), |(at, _)| at)
    }

    /// Offset of the first byte of the line that `offset` is on.
    pub fn line_start(&self, offset: usize) -> usize {
        let line = self.line_starts.partition_point(|start| *start <= offset);
        self.line_starts.get(line.saturating_sub(1)).copied().unwrap_or(0)
    }

    /// Offset of the end of the line that `offset` is on: before its line break, or the end of the
    /// text.
    pub fn line_end(&self, offset: usize) -> usize {
        let rest = self.text.get(offset..).unwrap_or_default();
        let end = rest.find('\n').map_or(self.text.len(), |i| offset + i);
        if end > offset && self.text.as_bytes().get(end - 1) == Some(&b'\r') {
            end - 1
        } else {
            end
        }
    }

    /// Offset of the start of the next line, or the end of the text.
    pub fn next_line(&self, offset: usize) -> usize {
        let rest = self.text.get(offset..).unwrap_or_default();
        rest.find('\n').map_or(self.text.len(), |i| offset + i + 1)
    }

    /// The line break that ends the line `offset` is on. The last line may have none: then the
    /// one before it counts, and `\n` in a text of one line.
    pub fn newline_at(&self, offset: usize) -> &'static str {
        let end = self.next_line(offset);
        let line_break = |end: usize| match self.text.get(..end).unwrap_or_default() {
            head if head.ends_with("\r\n") => Some("\r\n"),
            head if head.ends_with('\n') => Some("\n"),
            _ => None,
        };
        line_break(end).or_else(|| line_break(self.line_start(offset))).unwrap_or("\n")
    }

    /// Bytes between the start of the line and `offset`, a byte order mark not counted: the column
    /// that indentation is measured in.
    pub fn indent_of(&self, offset: usize) -> usize {
        let start = self.line_start(offset);
        let mark = if start == 0 && self.text.starts_with(BOM) { BOM.len() } else { 0 };
        offset.saturating_sub(start + mark)
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({:?}, {} bytes)", self.name, self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_offsets_count_bytes() {
        let s = Source::new("x", "a: 1\nüb: 2\n");
        assert_eq!(s.position(8), Position { line: 2, column: 3, offset: 8 });
        assert_eq!(s.position(999), Position { line: 3, column: 1, offset: 12 });
    }

    #[test]
    fn places_of_people_are_offsets_again() {
        for text in ["a: 1\nüb: 2\n", "\u{feff}ab\r\nc", "", "\n\n"] {
            let s = Source::new("x", text);
            for offset in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                let place = s.position(offset);
                // Neither the mark nor the inside of a line break has a place of its own.
                let inside = s.slice(Span::new(0, offset)).ends_with('\r')
                    || offset == 0 && text.starts_with(BOM);
                if !inside {
                    assert_eq!(s.offset_of(place.line, place.column), offset, "{text:?}");
                }
            }
        }
        assert_eq!(Source::new("x", "ab\nc").offset_of(1, 99), 2);
        assert_eq!(Source::new("x", "ab\nc").offset_of(9, 1), 4);
    }

    #[test]
    fn a_byte_order_mark_has_no_column() {
        let s = Source::new("x", "\u{feff}ab\n");
        assert_eq!(s.position(3), Position { line: 1, column: 1, offset: 3 });
        assert_eq!(s.indent_of(4), 1);
    }

    #[test]
    fn line_ends_are_those_of_the_line_itself() {
        let s = Source::new("x", "a\r\nb\nc");
        assert_eq!((s.newline_at(0), s.newline_at(3), s.newline_at(5)), ("\r\n", "\n", "\n"));
        assert_eq!((s.line_end(0), s.line_end(3), s.line_end(5)), (1, 4, 6));
        assert_eq!((s.next_line(0), s.next_line(5)), (3, 6));
    }
}
