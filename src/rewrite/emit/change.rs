//! Edits that take bytes away or put others in their place. Comments stay where they are.

use super::{Emitter, flow, insertion};
use crate::rewrite::Edit;
use crate::rewrite::layout::{escaped, indent, quoted, starts_line};
use crate::source::Span;
use crate::yaml::{Kind, New, NodeId, Style};

impl Emitter<'_> {
    /// Replaces as few bytes of a scalar as possible.
    pub(super) fn set_text(&self, node: NodeId, text: &str) -> Option<Edit> {
        let Kind::Scalar { value: old, style } = &self.document.node(node).kind else {
            return None;
        };
        let span = self.document.node(node).span;
        let quote = match style {
            Style::Plain => 0,
            Style::Single | Style::Double => 1,
            Style::Literal | Style::Folded => return None,
        };
        let inner = Span::new(span.start + quote, span.end.checked_sub(quote)?);
        let fit = |new: &str| match style {
            Style::Single => new.replace('\'', "''"),
            Style::Double => escaped(new),
            _ => new.to_owned(),
        };
        let there = self.source.text().get(inner.start..inner.end)?;
        if there == fit(old) {
            let new = fit(text);
            let head = common(there.chars(), new.chars());
            let (old_rest, new_rest) = (there.get(head..)?, new.get(head..)?);
            let tail = common(old_rest.chars().rev(), new_rest.chars().rev());
            let middle = new_rest.get(..new_rest.len() - tail)?;
            let span = Span::new(inner.start + head, inner.end - tail);
            return Some(Edit { span, text: middle.to_owned() });
        }
        // Written in another way than it would be here, over several lines for instance: only the
        // two ends can be told apart.
        if let Some(front) = text.strip_suffix(old.as_str()) {
            return Some(insertion(inner.start, fit(front)));
        }
        text.strip_prefix(old.as_str()).map(|back| insertion(inner.end, fit(back)))
    }

    pub(super) fn remove_item(&self, sequence: NodeId, index: usize) -> Option<Vec<Edit>> {
        let items = self.document.items(sequence);
        let item = items.get(index)?;
        if let Some(dash) = item.dash {
            return self.erase(dash, self.document.node(item.node).end(), false);
        }
        let nodes: Vec<(usize, usize)> =
            items.iter().map(|i| self.extent(i.node, i.node)).collect();
        self.remove_from_brackets(sequence, &nodes, index)
    }

    pub(super) fn remove_entry(&self, mapping: NodeId, index: usize) -> Option<Vec<Edit>> {
        let entries = self.document.entries(mapping);
        let entry = entries.get(index)?;
        let extents: Vec<(usize, usize)> =
            entries.iter().map(|e| self.extent(e.key, self.last_node(e.key, e.value))).collect();
        if self.is_flow(mapping) {
            return self.remove_from_brackets(mapping, &extents, index);
        }
        let (start, end) = *extents.get(index)?;
        debug_assert_eq!(start, self.document.node(entry.key).start());
        if starts_line(self.source, start) {
            return self.erase(start, end, self.is_refilled(mapping));
        }
        // Behind a dash: the next entry takes its place.
        let next = extents.get(index + 1)?.0;
        Some(vec![Edit { span: Span::new(start, next), text: String::new() }])
    }

    fn extent(&self, first: NodeId, last: NodeId) -> (usize, usize) {
        (self.document.node(first).start(), self.document.node(last).end())
    }

    /// Takes one of several neighbours in brackets out, with its comma unless something new takes
    /// its place.
    fn remove_from_brackets(
        &self,
        collection: NodeId,
        extents: &[(usize, usize)],
        index: usize,
    ) -> Option<Vec<Edit>> {
        let first = self.leaving(collection, index + 1)?;
        if first < index {
            return Some(Vec::new());
        }
        // Neighbours that go are one edit.
        let count =
            (index..extents.len()).take_while(|at| self.gone.contains(&(collection, *at))).count();
        let behind = index + count;
        let (start, end) = (extents.get(index)?.0, extents.get(behind.checked_sub(1)?)?.1);
        let filled = self.new.contains(&(collection, behind));
        let span = match (extents.get(behind), index.checked_sub(1)) {
            _ if filled => Span::new(start, end),
            (Some(next), _) => Span::new(start, next.0),
            (None, Some(previous)) => Span::new(extents.get(previous)?.1, end),
            (None, None) => Span::new(start, end),
        };
        Some(vec![Edit { span, text: String::new() }])
    }

    /// Takes the lines from `start`, which begins its line, to `end` away, but for comments. At the
    /// end of a file without a last line end the line before loses its own, unless other lines come
    /// in the place of these.
    fn erase(&self, start: usize, end: usize, refilled: bool) -> Option<Vec<Edit>> {
        let text = self.source.text();
        if !starts_line(self.source, start) {
            return None;
        }
        let closed = text.get(..end)?.ends_with('\n');
        let stop = if closed { end } else { self.source.next_line(end) };
        let mut gone: Vec<Span> = Vec::new();
        let mut line = self.source.line_start(start);
        while line < stop {
            let next = self.source.next_line(line);
            let within = |c: &&Span| line <= c.start && c.start < next;
            let comment = self.document.comments().iter().find(within);
            let span = match comment {
                Some(comment) => {
                    let head = text.get(line..comment.start)?;
                    let blank = head.len() - head.trim_start_matches(' ').len();
                    Span::new(line + blank, comment.start)
                }
                None => Span::new(line, next),
            };
            let behind = text.get(end.min(span.end)..span.end)?;
            if line <= end && end < next && !behind.trim().is_empty() {
                return None;
            }
            match gone.last_mut() {
                Some(last) if last.end == span.start => last.end = span.end,
                _ => gone.push(span),
            }
            line = next;
        }
        if let Some(last) = gone.last_mut()
            && last.end == text.len()
            && !text.ends_with('\n')
            && !refilled
            && starts_line(self.source, last.start)
        {
            let head = text.get(..last.start)?;
            let head = head.strip_suffix('\n').unwrap_or(head);
            last.start = head.strip_suffix('\r').unwrap_or(head).len();
        }
        let gone = gone.into_iter().filter(|span| span.start < span.end);
        Some(gone.map(|span| Edit { span, text: String::new() }).collect())
    }

    /// A list of names becomes a mapping: each dash a blank, each name a key.
    pub(super) fn unfold(
        &self,
        sequence: NodeId,
        value: &New,
        added: &[(String, Style, New)],
    ) -> Option<Vec<Edit>> {
        let items = self.document.items(sequence);
        let span = self.document.node(sequence).span;
        let new = added
            .iter()
            .map(|(key, style, value)| format!("{}: {}", quoted(key, *style), flow(value)));
        let new: Vec<String> = new.collect();
        let mut edits = Vec::new();
        let in_brackets = self.is_flow(sequence);
        if in_brackets {
            let open = Span::new(span.start, span.start + 1);
            edits.push(Edit { span: open, text: "{".to_owned() });
        }
        for (index, item) in items.iter().enumerate() {
            if let Some(dash) = item.dash {
                let dash = Span::new(dash, dash + 1);
                edits.push(Edit { span: dash, text: " ".to_owned() });
            }
            let last = index + 1 == items.len();
            let more =
                if last && in_brackets { format!(", {}", new.join(", ")) } else { String::new() };
            let end = self.document.node(item.node).end();
            edits.push(insertion(end, format!(": {}{more}", flow(value))));
        }
        match (items.last(), in_brackets) {
            (None, true) => edits.push(insertion(span.start + 1, new.join(", "))),
            (None, false) => return None,
            (Some(last), false) => {
                let start = self.document.node(last.node).start();
                let margin = indent(self.source, start);
                let margin = " ".repeat(margin.chars().count());
                for line in &new {
                    edits.push(self.line_after(last.node, &format!("{margin}{line}")));
                }
            }
            (Some(_), true) => {}
        }
        if in_brackets {
            let close = Span::new(span.end.checked_sub(1)?, span.end);
            edits.push(Edit { span: close, text: "}".to_owned() });
        }
        Some(edits)
    }
}

#[cfg(test)]
mod tests;

/// Bytes that two texts have in common at their start.
fn common(a: impl Iterator<Item = char>, b: impl Iterator<Item = char>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}
