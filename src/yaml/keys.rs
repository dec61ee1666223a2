//! Keys: what Compose asks of them, and the keys that it reads in its own way.

use std::cmp::Ordering;

use super::build::{Builder, Open, Pair};
use super::messages::rest_of_line;
use super::{Document, Entry, Kind, NodeId, Style};
use crate::error::Problem;
use crate::source::{Source, Span};

impl Builder<'_> {
    /// Compose looks for the colon of a key on the line that the key begins on.
    pub(super) fn key_on_one_line(&self, key: NodeId, colon: usize) -> Result<(), Problem> {
        let span = Span::new(self.document.node(key).start(), colon);
        if !self.source.slice(span).contains(['\n', '\r']) {
            return Ok(());
        }
        Err(Problem::at(self.source.name(), span, "a key and its `:` must stand on one line")
            .with_help("join the lines; if these are two entries, separate them by `,`"))
    }

    /// `{a:, b: 1}`: Compose takes a colon right before `,`, `]` or `}` as part of a plain key.
    pub(super) fn glue(&mut self, key: NodeId, colon: usize) -> Option<()> {
        if !matches!(self.text.get(colon + 1), Some(b',' | b']' | b'}')) {
            return None;
        }
        let blanks = Span::new(self.document.node(key).span.end, colon);
        let blanks = self.source.slice(blanks).trim_matches([' ', '\t']);
        let node = self.document.node_mut(key)?;
        let Kind::Scalar { value, style: Style::Plain } = &mut node.kind else { return None };
        if node.span.is_empty() || !blanks.is_empty() {
            return None;
        }
        value.push_str(self.source.slice(Span::new(node.span.end, colon + 1)));
        node.span.end = colon + 1;
        if let Some(open) = self.open.last_mut().filter(|open| open.pair == Pair::Yes) {
            open.pair = Pair::Text;
        }
        Some(())
    }

    /// `[a:]`: a list with the text `a:` for Compose, not with a mapping.
    pub(super) fn text_instead_of_pair(&mut self, open: &Open) -> Result<(), Problem> {
        let Some(entry) = open.entries.first() else { return Err(self.lost(self.cursor)) };
        let key = self.document.node(entry.key).clone();
        self.cursor = self.cursor.max(key.span.end);
        if let Some(anchor) = &key.anchor {
            self.anchors.insert(anchor.text.clone(), open.id);
        }
        if let Some(pair) = self.document.node_mut(open.id) {
            *pair = key;
        }
        // Key and value came last.
        self.document.nodes.truncate(open.id.0 as usize + 1);
        Ok(())
    }

    pub(super) fn no_key(&self) -> Problem {
        let span = rest_of_line(self.source, self.cursor);
        Problem::at(self.source.name(), span, "an entry without a key")
            .with_help("write the key before the `:`, or remove the entry")
    }

    pub(super) fn collection_as_key(&self, at: Span) -> Problem {
        let span = if at.is_empty() { rest_of_line(self.source, at.start) } else { at };
        // The inner brace of `{{ name }}` is the key.
        let outer = Span::new(span.start.saturating_sub(1), span.end);
        let template = self.source.slice(outer).starts_with("{{");
        let (span, help) = if template {
            (outer, "if this is a template, render it first or put it in quotes")
        } else {
            (span, "use text as the key")
        };
        Problem::at(self.source.name(), span, "a list or mapping cannot be a key").with_help(help)
    }
}

/// Refuses a mapping with two keys of the same text, as Compose does: quotes, tags and types make no
/// difference, and an alias equals only an alias of the same name.
pub(super) fn unique_keys(
    source: &Source,
    document: &Document,
    entries: &[Entry],
) -> Result<(), Problem> {
    fn text(document: &Document, key: NodeId) -> (bool, &str) {
        match &document.node(key).kind {
            Kind::Scalar { value, .. } => (false, value),
            Kind::Alias { name, .. } => (true, name),
            _ => (true, ""),
        }
    }
    let mut keys: Vec<NodeId> = entries.iter().map(|entry| entry.key).collect();
    // Equal keys stay in order of the text.
    keys.sort_by(|a, b| text(document, *a).cmp(&text(document, *b)));
    let same = |pair: &[NodeId]| match pair {
        [a, b] if text(document, *a).cmp(&text(document, *b)) == Ordering::Equal => Some((*b, *a)),
        _ => None,
    };
    let Some((second, first)) = keys.windows(2).filter_map(same).min() else { return Ok(()) };
    let (first, second) = (document.node(first).span, document.node(second).span);
    let line = |span: Span| source.position(span.start).line;
    let key = source.slice(second);
    let message =
        format!("the key {key} stands twice, on lines {} and {}", line(first), line(second));
    Err(Problem::at(source.name(), second, message)
        .with_help("remove one of them, or merge the two"))
}
