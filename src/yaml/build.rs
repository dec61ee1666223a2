//! From the parser's events to the tree.
//!
//! The parser says what is there, in order, but not always where: dashes and colons have no event,
//! block collections end at the token after them, absent values lie anywhere near. So the builder
//! walks over the text in step with the events: `cursor` is the end of the last token that was
//! taken, and between it and the next event there are only blanks, comments and one indicator.

use std::collections::BTreeMap;

use super::keys::unique_keys;
use super::messages::rest_of_line;
use super::spans::{block_scalar, next_token};
use super::{Document, Entry, Item, Kind, Node, NodeId, Property, Style, dialect, tabs};
use crate::error::Problem;
use crate::source::{Source, Span};

/// What the parser sees in place of a dash that it would refuse.
pub(super) const DASH: &str = "_";

/// What the parser reports.
#[derive(Debug)]
pub(super) enum Event {
    /// A document begins; the span of its `---`.
    Document { marker: Option<Span> },
    /// A document ends; the span of its `...`.
    DocumentEnd { marker: Option<Span> },
    /// A scalar. The span of an absent one is empty and its place means nothing.
    Scalar { span: Span, value: String, style: Style },
    /// A list or mapping begins. Only a written bracket has a span with bytes.
    Start { span: Span, mapping: bool, flow: bool },
    /// The innermost list or mapping ends; its bracket's span.
    End { span: Span },
    /// `*name`, known or not.
    Alias { span: Span },
    /// `# …`
    Comment { span: Span },
    /// Nothing of interest.
    Other,
}

/// Tag and anchor of a node, as spans.
#[derive(Debug, Default)]
pub(super) struct Props {
    pub(super) tag: Option<Span>,
    pub(super) anchor: Option<Span>,
}

/// Where a new node goes.
#[derive(Debug, Clone, Copy)]
enum Place {
    Root,
    Item {
        dash: Option<usize>,
    },
    Key,
    /// The colon's offset, if one is written.
    Value {
        key: NodeId,
        colon: Option<usize>,
    },
}

/// Whether a mapping is a pair without braces in a flow list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pair {
    No,
    /// `[a: 1]`
    Yes,
    /// `[a:]`, which is one text for Compose.
    Text,
}

/// A collection whose end has not come yet.
pub(super) struct Open {
    pub(super) id: NodeId,
    items: Vec<Item>,
    pub(super) entries: Vec<Entry>,
    key: Option<NodeId>,
    mapping: bool,
    flow: bool,
    pub(super) pair: Pair,
    /// The key was written as `? key`.
    explicit: bool,
    /// Column that the parser of Compose takes as the indentation of the block around.
    column: usize,
}

/// Builds one [`Document`] from events.
pub(super) struct Builder<'s> {
    pub(super) source: &'s Source,
    pub(super) text: &'s [u8],
    max_nodes: usize,
    pub(super) document: Document,
    pub(super) open: Vec<Open>,
    pub(super) cursor: usize,
    pub(super) anchors: BTreeMap<String, NodeId>,
    /// Outermost flow collections: tabs are allowed there.
    flows: Vec<Span>,
}

impl<'s> Builder<'s> {
    pub(super) fn new(source: &'s Source, max_nodes: usize) -> Self {
        Self {
            source,
            text: source.text().as_bytes(),
            max_nodes: max_nodes.min(u32::MAX as usize),
            document: Document::default(),
            open: Vec::new(),
            cursor: 0,
            anchors: BTreeMap::new(),
            flows: Vec::new(),
        }
    }

    /// Takes the next event.
    pub(super) fn event(&mut self, event: Event, props: &Props) -> Result<(), Problem> {
        match event {
            Event::Document { marker } | Event::DocumentEnd { marker } => {
                self.cursor = marker.map_or(self.cursor, |marker| marker.end);
                Ok(())
            }
            Event::Scalar { span, value, style } => self.scalar(span, value, style, props),
            Event::Start { span, mapping, flow } => self.start(span, mapping, flow, props),
            Event::End { span } => self.end(span),
            Event::Alias { span } => self.alias(span),
            Event::Comment { mut span } => {
                // Right behind a quote the parser saw a blank before it.
                if self.text.get(span.start.saturating_sub(1)..span.start) == Some(b"#") {
                    span.start -= 1;
                }
                self.document.comments.push(span);
                Ok(())
            }
            Event::Other => Ok(()),
        }
    }

    /// The finished tree.
    pub(super) fn finish(mut self) -> Result<Document, Problem> {
        // A comment behind a property or a header is reported late.
        self.document.comments.sort_unstable();
        tabs::between_tokens(self.source, &self.document, &self.flows)?;
        Ok(self.document)
    }

    fn scalar(
        &mut self,
        raw: Span,
        mut value: String,
        style: Style,
        props: &Props,
    ) -> Result<(), Problem> {
        let absent = style == Style::Plain && raw.is_empty();
        let tagged = props.tag.is_some();
        let place = self.place(first_byte(raw, absent, props))?;
        let flow = self.in_flow();
        let at = self.place_of_absent(place, props);
        if let (true, true, Place::Value { key, colon: Some(colon) }) = (absent, flow, place)
            && !tagged
            && props.anchor.is_none()
        {
            self.glue(key, colon);
        }
        let (tag, anchor) = self.props(props)?;
        let span = match style {
            _ if absent => Span::at(at),
            Style::Literal | Style::Folded => {
                let header = next_token(self.text, self.cursor, flow);
                self.expect(header, b"|>")?;
                block_scalar(self.text, header, raw)
            }
            _ => raw,
        };
        if absent {
            value.clear();
            if matches!(place, Place::Key) && !tagged {
                return Err(self.no_key());
            }
        } else {
            dialect::scalar(self.source, span, style, flow)?;
            if style == Style::Plain {
                if let (Some(b'-'), Some(rest)) =
                    (self.text.get(span.start), value.strip_prefix(DASH))
                {
                    value = format!("-{rest}");
                }
                tabs::in_plain(self.source, span, self.column())?;
            } else if matches!(style, Style::Literal | Style::Folded) {
                tabs::in_block(self.source, span)?;
            }
            self.cursor = raw.end.max(span.end);
        }
        let kind = Kind::Scalar { value, style };
        self.add(Node { kind, span, tag, anchor }, place)?;
        Ok(())
    }

    fn alias(&mut self, span: Span) -> Result<(), Problem> {
        let place = self.place(span.start)?;
        self.cursor = span.end;
        let name = dialect::name(self.source, span)?.to_owned();
        let Some(target) = self.anchors.get(&name).copied() else {
            let message =
                format!("alias `*{name}` stands for nothing: no `&{name}` comes before it");
            let help = format!("put `&{name}` on the value that is meant, above this line");
            return Err(Problem::at(self.source.name(), span, message).with_help(help));
        };
        if self.open.iter().any(|open| open.id == target) {
            let message = format!("alias `*{name}` stands inside the value it stands for");
            return Err(Problem::at(self.source.name(), span, message)
                .with_help(format!("remove it, or move it out of `&{name}`")));
        }
        if matches!(place, Place::Key)
            && !matches!(self.document.node(target).kind, Kind::Scalar { .. })
        {
            return Err(self.collection_as_key(span));
        }
        let kind = Kind::Alias { name, target };
        self.add(Node { kind, span, tag: None, anchor: None }, place)?;
        Ok(())
    }

    fn start(
        &mut self,
        raw: Span,
        mapping: bool,
        flow: bool,
        props: &Props,
    ) -> Result<(), Problem> {
        let place = self.place(first_byte(raw, false, props))?;
        let in_flow = self.in_flow();
        let (tag, anchor) = self.props(props)?;
        let start = next_token(self.text, self.cursor, in_flow);
        let written = !raw.is_empty() && matches!(self.text.get(start), Some(b'[' | b'{'));
        if matches!(place, Place::Key) {
            return Err(self.collection_as_key(Span::at(start)));
        }
        self.cursor = if flow && written { raw.end } else { start };
        let column = if flow { self.column() } else { self.source.indent_of(start) + 1 };
        let kind = if mapping {
            Kind::Mapping { entries: Vec::new(), flow }
        } else {
            Kind::Sequence { items: Vec::new(), flow }
        };
        let id = self.add(Node { kind, span: Span::at(start), tag, anchor }, place)?;
        self.open.push(Open {
            id,
            items: Vec::new(),
            entries: Vec::new(),
            key: None,
            explicit: false,
            mapping,
            flow,
            pair: if flow && !written { Pair::Yes } else { Pair::No },
            column,
        });
        Ok(())
    }

    fn end(&mut self, raw: Span) -> Result<(), Problem> {
        let Some(open) = self.open.pop() else { return Err(self.lost(raw.start)) };
        if open.pair == Pair::Text {
            return self.text_instead_of_pair(&open);
        }
        unique_keys(self.source, &self.document, &open.entries)?;
        let last = match (open.items.last(), open.entries.last()) {
            (Some(item), _) => {
                self.document.node(item.node).end().max(item.dash.map_or(0, |d| d + 1))
            }
            (_, Some(entry)) => {
                self.document.node(entry.key).end().max(self.document.node(entry.value).end())
            }
            _ => 0,
        };
        let end = if open.flow && open.pair == Pair::No { raw.end } else { last };
        if open.flow {
            self.cursor = self.cursor.max(end);
        }
        let outermost = open.flow && !self.in_flow();
        if let Some(node) = self.document.node_mut(open.id) {
            node.span.end = end.max(node.span.start);
            match &mut node.kind {
                Kind::Sequence { items, .. } => *items = open.items,
                Kind::Mapping { entries, .. } => *entries = open.entries,
                _ => {}
            }
            if outermost {
                self.flows.push(node.span);
            }
        }
        Ok(())
    }

    /// Steps over the indicator that leads to the next node, whose first byte is at `first`.
    fn place(&mut self, first: usize) -> Result<Place, Problem> {
        let Some(open) = self.open.last_mut() else { return Ok(Place::Root) };
        let next = next_token(self.text, self.cursor, open.flow);
        let byte = self.text.get(next);
        match (open.mapping, open.key) {
            (false, _) if open.flow => Ok(Place::Item { dash: None }),
            (false, _) => {
                self.expect(next, b"-")?;
                self.cursor = next + 1;
                Ok(Place::Item { dash: Some(next) })
            }
            (true, None) => {
                // `? key`; a plain text can begin with `?` as well.
                open.explicit = byte == Some(&b'?') && next < first;
                self.cursor = if open.explicit { next + 1 } else { next };
                Ok(Place::Key)
            }
            (true, Some(key)) => {
                // A plain text can begin with `:` as well, outside brackets.
                let blank = self.text.get(next + 1).is_none_or(u8::is_ascii_whitespace);
                let colon = byte == Some(&b':') && next < first && (open.flow || blank);
                let colon = colon.then_some(next);
                if !open.explicit
                    && let Some(colon) = colon
                {
                    self.key_on_one_line(key, colon)?;
                }
                self.cursor = colon.map_or(self.cursor, |colon| colon + 1);
                Ok(Place::Value { key, colon })
            }
        }
    }

    /// Adds a node and hands it to the collection around it.
    fn add(&mut self, node: Node, place: Place) -> Result<NodeId, Problem> {
        let count = self.document.nodes.len();
        let id = match u32::try_from(count) {
            Ok(id) if count < self.max_nodes => NodeId(id),
            _ => {
                let message = format!("this file has more than {} values", self.max_nodes);
                return Err(Problem::at(self.source.name(), Span::at(node.span.start), message));
            }
        };
        if let Some(anchor) = &node.anchor {
            self.anchors.insert(anchor.text.clone(), id);
        }
        self.document.nodes.push(node);
        match (self.open.last_mut(), place) {
            (Some(open), Place::Item { dash }) => open.items.push(Item { dash, node: id }),
            (Some(open), Place::Key) => open.key = Some(id),
            (Some(open), Place::Value { key, .. }) => {
                open.entries.push(Entry { key, value: id });
                open.key = None;
            }
            _ => self.document.roots.push(id),
        }
        Ok(id)
    }

    /// Tag and anchor as the tree keeps them; the cursor moves behind them.
    fn props(&mut self, props: &Props) -> Result<(Option<Property>, Option<Property>), Problem> {
        let tag = props.tag.map(|span| Property { text: self.source.slice(span).to_owned(), span });
        let anchor = match props.anchor {
            Some(span) => {
                Some(Property { text: dialect::name(self.source, span)?.to_owned(), span })
            }
            None => None,
        };
        for span in [props.tag, props.anchor].into_iter().flatten() {
            self.cursor = self.cursor.max(span.end);
        }
        Ok((tag, anchor))
    }

    /// Where a value that is not written is said to be.
    fn place_of_absent(&self, place: Place, props: &Props) -> usize {
        match place {
            Place::Item { dash: Some(dash) } => dash + 1,
            Place::Value { colon: Some(colon), .. } => colon + 1,
            Place::Value { key, .. } => self.document.node(key).end(),
            _ => match first_byte(Span::default(), true, props) {
                usize::MAX => self.cursor,
                first => first,
            },
        }
    }

    /// The outermost flow collections, in order.
    pub(super) fn flows(&self) -> &[Span] {
        &self.flows
    }

    /// True between brackets.
    pub(super) fn in_flow(&self) -> bool {
        self.open.last().is_some_and(|open| open.flow)
    }

    fn column(&self) -> usize {
        self.open.last().map_or(0, |open| open.column)
    }

    fn expect(&self, at: usize, bytes: &[u8]) -> Result<(), Problem> {
        if self.text.get(at).is_some_and(|b| bytes.contains(b)) {
            Ok(())
        } else {
            Err(self.lost(at))
        }
    }

    /// Text and events do not fit together.
    pub(super) fn lost(&self, at: usize) -> Problem {
        let message = "composefix cannot tell where this value begins";
        Problem::at(self.source.name(), rest_of_line(self.source, at), message)
            .with_help("please report this file, or the lines around this place")
    }
}

/// First byte of a node with its properties; for an absent node without any, the end of the text.
fn first_byte(raw: Span, absent: bool, props: &Props) -> usize {
    let own = if absent { usize::MAX } else { raw.start };
    // The span of a block collection is empty, but begins at its first child.
    [props.tag, props.anchor].into_iter().flatten().map(|span| span.start).fold(own, usize::min)
}
