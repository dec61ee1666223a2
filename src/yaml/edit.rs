//! Changing a copy of a tree: what the text should say after an edit.
//!
//! An edit of the text is proved by reading the new text and comparing it with such a copy.

use super::{Document, Entry, Item, Kind, Node, NodeId, Style};
use crate::source::Span;

/// A value to be put into a [`Document`]. It has neither tags nor anchors.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum New {
    /// A value that is not written.
    Null,
    /// A scalar.
    Scalar {
        /// Its value, not quoted.
        text: String,
        /// How it is written.
        style: Style,
    },
    /// A list.
    Sequence {
        /// Its items, in order.
        items: Vec<Self>,
        /// Written as `[…]`.
        flow: bool,
    },
    /// A mapping.
    Mapping {
        /// Key, how the key is written, value.
        entries: Vec<(String, Style, Self)>,
        /// Written as `{…}`.
        flow: bool,
    },
}

impl New {
    /// A scalar without quotes.
    pub fn plain(text: impl Into<String>) -> Self {
        Self::Scalar { text: text.into(), style: Style::Plain }
    }
}

/// New nodes have empty spans at 0 and are children of no other node. Methods that find another kind
/// of node than they need change nothing and return none or false.
impl Document {
    /// Puts a new item before the one at `index`, or at the end. Returns its node.
    pub fn insert_item(&mut self, sequence: NodeId, index: usize, value: &New) -> Option<NodeId> {
        let Kind::Sequence { .. } = self.node(sequence).kind else { return None };
        let node = self.add(value)?;
        let Kind::Sequence { items, flow } = &mut self.node_mut(sequence)?.kind else {
            return None;
        };
        let dash = if *flow { None } else { Some(0) };
        items.insert(index.min(items.len()), Item { dash, node });
        Some(node)
    }

    /// Puts a new entry before the one at `index`, or at the end. Returns its value's node. It is for
    /// the caller to see that the key is new.
    pub fn insert_entry(
        &mut self,
        mapping: NodeId,
        index: usize,
        (key, style): (&str, Style),
        value: &New,
    ) -> Option<NodeId> {
        let Kind::Mapping { .. } = self.node(mapping).kind else { return None };
        let entry = self.entry(key, style, value)?;
        let Kind::Mapping { entries, .. } = &mut self.node_mut(mapping)?.kind else { return None };
        entries.insert(index.min(entries.len()), entry);
        Some(entry.value)
    }

    /// Takes an item out of a list.
    pub fn remove_item(&mut self, sequence: NodeId, index: usize) -> bool {
        match self.node_mut(sequence).map(|node| &mut node.kind) {
            Some(Kind::Sequence { items, .. }) if index < items.len() => {
                items.remove(index);
                true
            }
            _ => false,
        }
    }

    /// Takes an entry out of a mapping.
    pub fn remove_entry(&mut self, mapping: NodeId, index: usize) -> bool {
        match self.node_mut(mapping).map(|node| &mut node.kind) {
            Some(Kind::Mapping { entries, .. }) if index < entries.len() => {
                entries.remove(index);
                true
            }
            _ => false,
        }
    }

    /// Gives a scalar another text. Tag and anchor stay.
    pub fn replace_scalar(&mut self, node: NodeId, text: &str, style: Style) -> bool {
        let Some(Node { kind: kind @ Kind::Scalar { .. }, .. }) = self.node_mut(node) else {
            return false;
        };
        *kind = Kind::Scalar { value: text.to_owned(), style };
        true
    }

    /// Puts another value in the place of a node of any kind. Tag and anchor stay, as they do when
    /// the bytes of the node's span are replaced.
    pub fn replace_node(&mut self, node: NodeId, value: &New) -> bool {
        let Some(new) = self.add(value) else { return false };
        let kind = self.node(new).kind.clone();
        match self.node_mut(node) {
            Some(node) => {
                node.kind = kind;
                true
            }
            None => false,
        }
    }

    fn entry(&mut self, key: &str, style: Style, value: &New) -> Option<Entry> {
        let key = self.push(Kind::Scalar { value: key.to_owned(), style })?;
        Some(Entry { key, value: self.add(value)? })
    }

    /// Adds a value with its children. None when there are no ids left.
    fn add(&mut self, value: &New) -> Option<NodeId> {
        let kind = match value {
            New::Null => Kind::Scalar { value: String::new(), style: Style::Plain },
            New::Scalar { text, style } => Kind::Scalar { value: text.clone(), style: *style },
            New::Sequence { items, flow } => {
                let dash = if *flow { None } else { Some(0) };
                let items = items.iter().map(|item| Some(Item { dash, node: self.add(item)? }));
                Kind::Sequence { items: items.collect::<Option<_>>()?, flow: *flow }
            }
            New::Mapping { entries, flow } => {
                let entries =
                    entries.iter().map(|(key, style, value)| self.entry(key, *style, value));
                Kind::Mapping { entries: entries.collect::<Option<_>>()?, flow: *flow }
            }
        };
        self.push(kind)
    }

    fn push(&mut self, kind: Kind) -> Option<NodeId> {
        let id = NodeId(u32::try_from(self.nodes.len()).ok()?);
        self.nodes.push(Node { kind, span: Span::at(0), tag: None, anchor: None });
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;
    use crate::yaml::{Limits, parse};

    fn tree(text: &str) -> Document {
        parse(&Source::new("f.yaml", text), &Limits::default()).unwrap()
    }

    fn at(document: &Document, path: &[&str]) -> NodeId {
        path.iter().fold(document.roots()[0], |node, key| document.get(node, key).unwrap().value)
    }

    #[test]
    fn planned_nodes_equal_those_of_the_edited_text() {
        let mut planned = tree("services:\n  web:\n    volumes: &v\n      - .:/app\n    old: 1\n");
        let volumes = at(&planned, &["services", "web", "volumes"]);
        let web = at(&planned, &["services", "web"]);
        assert!(planned.insert_item(volumes, 9, &New::plain("data:/x")).is_some());
        let long = New::Mapping {
            entries: vec![
                ("type".into(), Style::Plain, New::plain("volume")),
                (
                    "opts".into(),
                    Style::Double,
                    New::Sequence { items: vec![New::plain("a")], flow: true },
                ),
            ],
            flow: false,
        };
        assert!(planned.insert_item(volumes, 0, &long).is_some());
        assert!(planned.remove_entry(web, 1));
        let root = planned.roots()[0];
        let data =
            New::Mapping { entries: vec![("data".into(), Style::Plain, New::Null)], flow: false };
        assert!(planned.insert_entry(root, 0, ("volumes", Style::Plain), &data).is_some());
        let edited = tree(
            "volumes:\n  data:\nservices:\n  web:\n    volumes: &v\n      - type: volume\n        \"opts\": [a]\n      - .:/app\n      - data:/x\n",
        );
        assert_eq!(planned.same_as(&edited), Ok(()));
    }

    #[test]
    fn replaced_nodes_keep_tag_and_anchor() {
        let mut planned = tree("a: &x !t one\nb: !u\nc: [1, 2]\n");
        let (a, b, c) = (at(&planned, &["a"]), at(&planned, &["b"]), at(&planned, &["c"]));
        assert!(planned.replace_scalar(a, "two", Style::Single));
        assert!(planned.replace_node(b, &New::Mapping { entries: Vec::new(), flow: true }));
        assert!(planned.remove_item(c, 0));
        assert_eq!(planned.same_as(&tree("a: &x !t 'two'\nb: !u {}\nc: [2]\n")), Ok(()));
    }

    #[test]
    fn other_kinds_stay_as_they_are() {
        let mut planned = tree("a: 1\nb: [1]\n");
        let (root, a, b) = (planned.roots()[0], at(&planned, &["a"]), at(&planned, &["b"]));
        assert!(planned.insert_item(a, 0, &New::Null).is_none());
        assert!(planned.insert_entry(b, 0, ("k", Style::Plain), &New::Null).is_none());
        assert!(
            !planned.remove_item(root, 0)
                && !planned.remove_entry(b, 0)
                && !planned.remove_item(b, 1)
        );
        assert!(!planned.replace_scalar(b, "x", Style::Plain));
        assert_eq!(planned.same_as(&tree("a: 1\nb: [1]\n")), Ok(()));
    }
}
