//! The lines of a file around a span, fit to be shown.

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use super::visible::{visible, visible_line};
use crate::source::{Position, Source, Span};

/// Lines shown of a span that has more: its first ones.
const LINES: usize = 8;

/// Characters shown of a line that has more: those around the span.
const WIDTH: usize = 160;

/// Characters kept before the span in a line that is cut.
const LEAD: usize = 40;

/// Whole lines with hidden characters escaped, and the span in them.
#[derive(Debug)]
pub(super) struct Excerpt {
    name: String,
    text: String,
    /// Line of the first shown line, from 1.
    first_line: usize,
    start: Position,
    /// Offset and length of the span in `text`.
    marked: (usize, usize),
}

impl Excerpt {
    /// The lines that `span` lies on.
    pub(super) fn new(source: &Source, span: Span) -> Self {
        let start = source.position(span.start);
        let mut shown = Self {
            name: visible(source.name()).into_owned(),
            text: String::new(),
            first_line: start.line,
            start,
            marked: (0, 0),
        };
        let (mut from, mut begin, mut end) = (source.line_start(start.offset), None, 0);
        for _ in 0..LINES {
            let line = Span::new(from, source.line_end(from));
            let inside = Span::new(
                span.start.clamp(line.start, line.end),
                span.end.clamp(line.start, line.end),
            );
            let at = shown.push(source, line, inside);
            begin = begin.or(Some(at.0));
            end = at.1;
            from = source.next_line(line.end);
            if span.end <= from || from >= source.text().len() {
                break;
            }
        }
        let begin = begin.unwrap_or_default();
        shown.marked = (begin, end.saturating_sub(begin));
        shown
    }

    /// Offset and length of the span in the excerpt.
    pub(super) fn marked(&self) -> SourceSpan {
        self.marked.into()
    }

    /// Adds a line; returns start and end of `inside` in the excerpt.
    fn push(&mut self, source: &Source, line: Span, inside: Span) -> (usize, usize) {
        let text = |start, end| source.slice(Span::new(start, end));
        let mut head = text(line.start, inside.start);
        if line.start == 0 {
            head = head.strip_prefix('\u{feff}').unwrap_or(head);
        }
        let mut body = text(inside.start, inside.end);
        let mut tail = text(inside.end, line.end);
        let (mut before, mut after) = ("", "");
        if head.chars().count() + body.chars().count() + tail.chars().count() > WIDTH {
            (before, head) = last_characters(head, LEAD);
            let (kept, cut) = first_characters(body, WIDTH - LEAD);
            body = kept;
            (tail, after) = if cut.is_empty() { first_characters(tail, LEAD) } else { ("", cut) };
        }
        self.text.push_str(if before.is_empty() { "" } else { "…" });
        self.text.push_str(&visible_line(head));
        let start = self.text.len();
        self.text.push_str(&visible_line(body));
        let end = self.text.len();
        self.text.push_str(&visible_line(tail));
        self.text.push_str(if after.is_empty() { "\n" } else { "…\n" });
        (start, end)
    }
}

/// The last `count` characters, and what is before them.
fn last_characters(text: &str, count: usize) -> (&str, &str) {
    let skip = text.chars().count().saturating_sub(count);
    first_characters(text, skip)
}

/// The first `count` characters, and the rest.
fn first_characters(text: &str, count: usize) -> (&str, &str) {
    let at = text.char_indices().nth(count).map_or(text.len(), |(at, _)| at);
    text.split_at_checked(at).unwrap_or((text, ""))
}

impl SourceCode for Excerpt {
    /// Everything for a span with context; for one without, its line and column.
    fn read_span<'a>(
        &'a self,
        _: &SourceSpan,
        before: usize,
        _: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let (line, column) = if before == 0 {
            (self.start.line, self.start.column - 1)
        } else {
            (self.first_line, 0)
        };
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            self.text.as_bytes(),
            (0, self.text.len()).into(),
            line - 1,
            column,
            self.text.lines().count(),
        )))
    }
}
