//! From edits of the tree to bytes.

mod change;

use std::collections::BTreeSet;

use super::layout::{Layout, indent, quoted, starts_line};
use super::{Edit, Op};
use crate::source::{Source, Span};
use crate::yaml::{Document, Kind, New, NodeId, Style};

/// Ways to write the edits of one file, best first, each with the edits of the tree that it stands
/// for. Only a new top-level section has several: where a file ends inside a block scalar, what
/// follows can become part of it, and only the gate sees that.
pub(super) fn candidates(
    source: &Source,
    document: &Document,
    ops: &[Op],
) -> Vec<(Vec<Op>, Vec<Edit>)> {
    let slots = |inserts: bool| ops.iter().filter(move |op| op.inserts() == inserts).map(Op::slot);
    let removes = |op: &Op| matches!(op, Op::RemoveItem { .. } | Op::RemoveEntry { .. });
    let emitter = Emitter {
        source,
        document,
        layout: Layout::of(source, document),
        parents: document.parents(),
        gone: ops.iter().filter(|op| removes(op)).map(Op::slot).collect(),
        new: slots(true).collect(),
    };
    let mut all: Vec<(Vec<Op>, Vec<Edit>)> = Vec::new();
    for way in [SectionPlace::EndSpaced, SectionPlace::End, SectionPlace::Top] {
        let ops: Vec<Op> = ops.iter().map(|op| emitter.placed(op, way)).collect();
        let Some(edits) = emitter.edits(&ops, way) else { continue };
        if !all.iter().any(|(_, known)| *known == edits) {
            all.push((ops, edits));
        }
    }
    all
}

/// Where a new top-level section goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SectionPlace {
    /// At the end, after a blank line.
    EndSpaced,
    /// At the end.
    End,
    /// Before the first section.
    Top,
}

/// Entries as the text of a new file, two blanks a level.
pub(super) fn fresh(entries: &[(String, Style, New)]) -> String {
    let (source, document) = (Source::new("", ""), Document::default());
    let layout = Layout { step: 2, dash: 2 };
    let emitter = Emitter {
        source: &source,
        document: &document,
        layout,
        gone: BTreeSet::new(),
        new: BTreeSet::new(),
        parents: Vec::new(),
    };
    let sections = entries
        .iter()
        .map(|(key, style, value)| emitter.keyed("", &quoted(key, *style), value, "\n") + "\n");
    sections.collect::<Vec<_>>().join("\n")
}

struct Emitter<'a> {
    source: &'a Source,
    document: &'a Document,
    layout: Layout,
    /// Items and entries that go.
    gone: BTreeSet<(NodeId, usize)>,
    /// Where items and entries come.
    new: BTreeSet<(NodeId, usize)>,
    /// The collection around each node, by the node's index.
    parents: Vec<Option<NodeId>>,
}

impl Emitter<'_> {
    /// The op as this way has it: a new section at the top is the first entry.
    fn placed(&self, op: &Op, way: SectionPlace) -> Op {
        let mut op = op.clone();
        if let Op::InsertEntry { mapping, index, .. } = &mut op
            && way == SectionPlace::Top
            && self.is_section(*mapping, *index)
        {
            *index = 0;
        }
        op
    }

    fn edits(&self, ops: &[Op], way: SectionPlace) -> Option<Vec<Edit>> {
        let edits = ops.iter().enumerate().map(|(at, op)| {
            let mut before = ops.iter().take(at);
            let joins = before.any(|other| other.inserts() && other.slot() == op.slot());
            Some((self.depth(op.slot().0), self.edit(op, way, joins)?))
        });
        let mut edits = edits.collect::<Option<Vec<_>>>()?;
        // Where an inner and an outer collection end at the same byte, the inner one grows first.
        edits.sort_by_key(|(depth, _)| std::cmp::Reverse(*depth));
        Some(edits.into_iter().flat_map(|(_, edits)| edits).collect())
    }

    /// Collections around a node.
    fn depth(&self, node: NodeId) -> usize {
        let parent = |node: &NodeId| self.parents.get(usize::try_from(node.0).ok()?).copied()?;
        std::iter::successors(Some(node), parent).count()
    }

    /// `joins` is true when another op for the same place comes before this one.
    fn edit(&self, op: &Op, way: SectionPlace, joins: bool) -> Option<Vec<Edit>> {
        match op {
            Op::InsertItem { sequence, index, value } => self.item(*sequence, *index, value, joins),
            Op::InsertEntry { mapping, index, key, value } => {
                self.entry(*mapping, *index, key, value, (way, joins))
            }
            Op::SetText { node, text } => Some(vec![self.set_text(*node, text)?]),
            Op::RemoveItem { sequence, index } => self.remove_item(*sequence, *index),
            Op::RemoveEntry { mapping, index } => self.remove_entry(*mapping, *index),
            Op::Unfold { sequence, value, added } => self.unfold(*sequence, value, added),
        }
    }

    // ---- items

    fn item(&self, sequence: NodeId, index: usize, value: &New, joins: bool) -> Option<Vec<Edit>> {
        let items = self.document.items(sequence);
        if self.is_flow(sequence) {
            if let Some(there) = self.leaving(sequence, index).and_then(|i| items.get(i)) {
                let at = self.document.node(there.node).start();
                return Some(vec![Self::instead(at, &flow(value), joins)]);
            }
            let previous = index.checked_sub(1).and_then(|i| items.get(i)).map(|p| p.node);
            return Some(self.in_brackets(sequence, previous, &flow(value), joins));
        }
        let previous = items.get(self.staying(sequence, index)?)?;
        let dash = previous.dash?;
        let gap = self.document.node(previous.node).start().checked_sub(dash + 1);
        let gap = gap.filter(|g| (1..=8).contains(g) && self.same_line(dash, previous.node));
        let margin = indent(self.source, dash);
        let inner = margin.chars().count() + 1 + gap.unwrap_or(1);
        let lead = format!("{margin}-{}", " ".repeat(gap.unwrap_or(1)));
        let line = format!("{lead}{}", self.block(value, inner, self.newline(previous.node)));
        Some(vec![self.line_after(previous.node, &line)])
    }

    // ---- entries

    fn entry(
        &self,
        mapping: NodeId,
        index: usize,
        (key, style): &(String, Style),
        value: &New,
        (way, joins): (SectionPlace, bool),
    ) -> Option<Vec<Edit>> {
        let entries = self.document.entries(mapping);
        let name = quoted(key, *style);
        if self.is_flow(mapping) {
            let text = format!("{name}: {}", flow(value));
            if let Some(there) = self.leaving(mapping, index).and_then(|i| entries.get(i)) {
                let at = self.document.node(there.key).start();
                return Some(vec![Self::instead(at, &text, joins)]);
            }
            let previous = index.checked_sub(1).and_then(|i| entries.get(i));
            let last = previous.map(|e| self.last_node(e.key, e.value));
            return Some(self.in_brackets(mapping, last, &text, joins));
        }
        let first = self.document.node(entries.first()?.key).start();
        let margin = indent(self.source, first);
        if way == SectionPlace::Top && index == 0 && self.document.roots().contains(&mapping) {
            return Some(vec![self.top_section(first, &margin, &name, value)?]);
        }
        let Some(previous) = self.staying(mapping, index).and_then(|i| entries.get(i)) else {
            let text = self.keyed(&margin, &name, value, self.source.newline_at(first));
            return self.first_line(mapping, first, text);
        };
        let last = self.last_node(previous.key, previous.value);
        let newline = self.newline(last);
        let text = self.keyed(&margin, &name, value, newline);
        if self.is_section(mapping, index) {
            return Some(vec![self.section(mapping, &text, way)?]);
        }
        Some(vec![self.line_after(last, &text)])
    }

    /// The first of the neighbours that go right before `index`.
    fn leaving(&self, collection: NodeId, index: usize) -> Option<usize> {
        let goes = |at: &usize| self.gone.contains(&(collection, *at));
        (0..index).rev().take_while(goes).last()
    }

    /// The last item or entry before `index` that stays.
    fn staying(&self, collection: NodeId, index: usize) -> Option<usize> {
        (0..index).rev().find(|before| !self.gone.contains(&(collection, *before)))
    }

    /// Text in brackets that takes the place of what starts at `at`.
    fn instead(at: usize, text: &str, joins: bool) -> Edit {
        insertion(at, if joins { format!(", {text}") } else { text.to_owned() })
    }

    /// Lines in the place of a block mapping's entries, all of which go.
    fn first_line(&self, mapping: NodeId, first: usize, mut text: String) -> Option<Vec<Edit>> {
        if !starts_line(self.source, first) {
            return None;
        }
        let whole = self.source.text();
        let ends_file = self.source.next_line(self.document.node(mapping).end()) == whole.len();
        let remarked = self.document.comments().iter().any(|c| c.start > first);
        if whole.ends_with('\n') || !ends_file || remarked {
            text.push_str(self.source.newline_at(first));
        }
        Some(vec![insertion(self.source.line_start(first), text)])
    }

    /// True when nothing is left of a collection but something new comes into it.
    fn is_refilled(&self, collection: NodeId) -> bool {
        let there = self.document.entries(collection).len();
        self.staying(collection, there).is_none()
            && self.new.iter().any(|(node, _)| *node == collection)
    }

    /// A new top-level section behind everything that belongs to its document.
    fn section(&self, root: NodeId, text: &str, way: SectionPlace) -> Option<Edit> {
        let whole = self.source.text();
        let at = self.end_of_document(root);
        let head = whole.get(..at)?;
        let newline = self.source.newline_at(at.saturating_sub(1));
        let open = !head.ends_with('\n');
        let blank = head.ends_with("\n\n") || head.ends_with("\n\r\n");
        let mut out = String::new();
        if open {
            out.push_str(newline);
        }
        if way == SectionPlace::EndSpaced && !blank {
            out.push_str(newline);
        }
        out.push_str(text);
        if !open || at < whole.len() {
            out.push_str(newline);
        }
        Some(insertion(at, out))
    }

    /// A new section above the line of the first one.
    fn top_section(&self, first: usize, margin: &str, name: &str, value: &New) -> Option<Edit> {
        let newline = self.source.newline_at(first);
        let text = self.keyed(margin, name, value, newline);
        let at = first.checked_sub(self.source.indent_of(first))?;
        starts_line(self.source, first).then(|| insertion(at, format!("{text}{newline}{newline}")))
    }

    /// True for a new entry behind all others of a document.
    fn is_section(&self, mapping: NodeId, index: usize) -> bool {
        self.document.roots().contains(&mapping)
            && index == self.document.entries(mapping).len()
            && !self.is_flow(mapping)
    }

    /// The start of the line with the marker that ends a document, or the end of the text.
    fn end_of_document(&self, root: NodeId) -> usize {
        let text = self.source.text();
        let mut at = self.source.next_line(self.document.node(root).end());
        while at < text.len() {
            let line = text.get(at..self.source.line_end(at)).unwrap_or_default();
            let marker = ["---", "..."].iter().find_map(|m| line.strip_prefix(m));
            if marker.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])) {
                return at;
            }
            at = self.source.next_line(at);
        }
        text.len()
    }

    // ---- shapes

    /// `key:` with its value in block style, without a final line break.
    fn keyed(&self, margin: &str, name: &str, value: &New, newline: &str) -> String {
        let column = margin.chars().count();
        match value {
            New::Null => format!("{margin}{name}:"),
            New::Scalar { text, style: Style::Literal } => {
                let inner = " ".repeat(column + self.layout.step);
                format!("{margin}{name}: |{}", literal(text, &inner, newline))
            }
            New::Scalar { .. }
            | New::Mapping { flow: true, .. }
            | New::Sequence { flow: true, .. } => {
                format!("{margin}{name}: {}", flow(value))
            }
            New::Mapping { entries, .. } => {
                let inner = " ".repeat(column + self.layout.step);
                let lines = entries.iter().map(|(key, style, value)| {
                    let name = quoted(key, *style);
                    format!("{newline}{}", self.keyed(&inner, &name, value, newline))
                });
                format!("{margin}{name}:{}", lines.collect::<String>())
            }
            New::Sequence { items, .. } => {
                let dash = " ".repeat(column + self.layout.dash);
                let lines = items.iter().map(|item| {
                    let text = self.block(item, column + self.layout.dash + 2, newline);
                    format!("{newline}{dash}- {text}")
                });
                format!("{margin}{name}:{}", lines.collect::<String>())
            }
        }
    }

    /// A value behind a dash; further lines start at `column`.
    fn block(&self, value: &New, column: usize, newline: &str) -> String {
        match value {
            New::Mapping { entries, flow: false } => {
                let margin = " ".repeat(column);
                let lines = entries.iter().map(|(key, style, value)| {
                    self.keyed(&margin, &quoted(key, *style), value, newline)
                });
                let text = lines.collect::<Vec<_>>().join(newline);
                text.trim_start_matches(' ').to_owned()
            }
            New::Scalar { text, style: Style::Literal } => {
                format!("|{}", literal(text, &" ".repeat(column), newline))
            }
            other => flow(other),
        }
    }

    /// Text behind an item or entry of a flow collection, or as the first one; `joins` when another
    /// new one goes before it.
    fn in_brackets(
        &self,
        collection: NodeId,
        previous: Option<NodeId>,
        text: &str,
        joins: bool,
    ) -> Vec<Edit> {
        let Some(previous) = previous else {
            let comma = if joins { ", " } else { "" };
            let at = self.document.node(collection).span.start + 1;
            return vec![insertion(at, format!("{comma}{text}"))];
        };
        let end = self.document.node(previous).end();
        let whole = self.source.text();
        // `a:,` would be read as a key named `a:`.
        let guard = if whole.get(..end).is_some_and(|t| t.ends_with(':')) { " " } else { "" };
        let Some(at) = self.first_of_line(collection, previous) else {
            return vec![insertion(end, format!("{guard}, {text}"))];
        };
        let line = format!("{}{}{text}", self.source.newline_at(at), indent(self.source, at));
        let line_end = self.source.line_end(end);
        let behind = whole.get(end..line_end).unwrap_or_default().trim_start();
        let comma = behind.strip_prefix(',');
        let rest = comma.unwrap_or(behind).trim_start();
        if !rest.is_empty() && !rest.starts_with('#') {
            return vec![insertion(end, format!("{guard},{line}"))];
        }
        // A comment stays on the line that it speaks of.
        match (comma, joins) {
            (Some(_), _) => vec![insertion(line_end, format!("{line},"))],
            (None, true) => vec![insertion(line_end, format!(",{line}"))],
            (None, false) => {
                vec![insertion(end, format!("{guard},")), insertion(line_end, line)]
            }
        }
    }

    /// Where the item or entry that ends with `node` starts, if it has a line of its own.
    fn first_of_line(&self, collection: NodeId, node: NodeId) -> Option<usize> {
        let key =
            self.document.entries(collection).iter().find(|e| e.value == node || e.key == node);
        let start = self.document.node(key.map_or(node, |e| e.key)).start();
        let open = self.document.node(collection).span.start;
        (starts_line(self.source, start)
            && self.source.line_start(open) != self.source.line_start(start))
        .then_some(start)
    }

    /// A line of its own behind the last line of a node, with that line's comment.
    fn line_after(&self, node: NodeId, line: &str) -> Edit {
        let node = self.tail(node);
        let end = self.document.node(node).end();
        let newline = self.newline(node);
        if self.source.text().get(..end).is_some_and(|t| t.ends_with('\n')) {
            return insertion(end, format!("{line}{newline}"));
        }
        insertion(self.source.line_end(end), format!("{newline}{line}"))
    }

    /// The last node of a block collection that stays, when what is behind it goes.
    fn tail(&self, node: NodeId) -> NodeId {
        let children: Vec<NodeId> = match &self.document.node(node).kind {
            Kind::Sequence { items, flow: false } => items.iter().map(|i| i.node).collect(),
            Kind::Mapping { entries, flow: false } => {
                entries.iter().map(|e| self.last_node(e.key, e.value)).collect()
            }
            _ => return node,
        };
        match self.staying(node, children.len()).map(|at| (at + 1, children.get(at))) {
            Some((count, Some(last))) => {
                let inner = self.tail(*last);
                if count == children.len() && inner == *last { node } else { inner }
            }
            _ => node,
        }
    }

    fn newline(&self, node: NodeId) -> &'static str {
        let end = self.document.node(node).end();
        let inside = self.source.text().get(..end).is_some_and(|t| t.ends_with('\n'));
        self.source.newline_at(if inside { end.saturating_sub(1) } else { end })
    }

    /// The node that an entry ends with: its key when the value is not written.
    fn last_node(&self, key: NodeId, value: NodeId) -> NodeId {
        if self.document.node(value).end() >= self.document.node(key).end() { value } else { key }
    }

    fn same_line(&self, at: usize, node: NodeId) -> bool {
        self.source.line_start(at) == self.source.line_start(self.document.node(node).start())
    }

    fn is_flow(&self, id: NodeId) -> bool {
        matches!(
            self.document.node(id).kind,
            Kind::Sequence { flow: true, .. } | Kind::Mapping { flow: true, .. }
        )
    }
}

/// The lines of a literal block, each behind a line break.
fn literal(text: &str, margin: &str, newline: &str) -> String {
    let line = |line: &str| match line {
        "" => newline.to_owned(),
        line => format!("{newline}{margin}{line}"),
    };
    text.lines().map(line).collect()
}

/// A value on one line.
fn flow(value: &New) -> String {
    match value {
        New::Null => String::new(),
        New::Scalar { text, style } => quoted(text, *style),
        New::Sequence { items, .. } => {
            let items: Vec<String> = items.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        New::Mapping { entries, .. } => {
            let entries: Vec<String> = entries
                .iter()
                .map(|(key, style, value)| format!("{}: {}", quoted(key, *style), flow(value)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

fn insertion(at: usize, text: String) -> Edit {
    Edit { span: Span::at(at), text }
}
