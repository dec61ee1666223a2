//! Reading a [`Document`].

use super::scalar::Scalar;
use super::{Document, Entry, Item, Kind, Node, NodeId, Style};
use crate::source::Span;

/// Stands in for the node of an id that belongs to another document.
static ABSENT: Node = Node {
    kind: Kind::Scalar { value: String::new(), style: Style::Plain },
    span: Span::at(0),
    tag: None,
    anchor: None,
};

impl Document {
    /// The node of `id`. An id of another document gives any node, or an absent value.
    pub fn node(&self, id: NodeId) -> &Node {
        self.nodes.get(id.0 as usize).unwrap_or(&ABSENT)
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.nodes.get_mut(id.0 as usize)
    }

    /// All nodes of the file, keys and aliases included.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter()
    }

    /// The root of each YAML document of the file, in order. An empty file has none.
    pub fn roots(&self) -> &[NodeId] {
        &self.roots
    }

    /// All comments, from `#` to the end of the text on that line, in order.
    pub fn comments(&self) -> &[Span] {
        &self.comments
    }

    /// Items of a sequence; none for any other node.
    pub fn items(&self, id: NodeId) -> &[Item] {
        match &self.node(id).kind {
            Kind::Sequence { items, .. } => items,
            _ => &[],
        }
    }

    /// Entries of a mapping; none for any other node.
    pub fn entries(&self, id: NodeId) -> &[Entry] {
        match &self.node(id).kind {
            Kind::Mapping { entries, .. } => entries,
            _ => &[],
        }
    }

    /// The entry of a mapping whose key is the scalar `key`. Looks through neither aliases nor merge
    /// keys.
    pub fn get(&self, mapping: NodeId, key: &str) -> Option<Entry> {
        self.entries(mapping).iter().find(|entry| self.text_of(entry.key) == Some(key)).copied()
    }

    /// The value of a scalar as text, whatever its type.
    pub fn text_of(&self, id: NodeId) -> Option<&str> {
        match &self.node(id).kind {
            Kind::Scalar { value, .. } => Some(value),
            _ => None,
        }
    }

    /// The value of a scalar as Compose types it.
    pub fn scalar(&self, id: NodeId) -> Option<Scalar<'_>> {
        let node = self.node(id);
        match &node.kind {
            Kind::Scalar { value, style } => {
                Some(Scalar::of(value, *style, node.tag.as_ref().map(|tag| tag.text.as_str())))
            }
            _ => None,
        }
    }

    /// The node that an alias stands for, or the node itself. Never an alias.
    pub fn follow(&self, id: NodeId) -> NodeId {
        // An anchor cannot stand on an alias, so one step is enough.
        match self.node(id).kind {
            Kind::Alias { target, .. } => target,
            _ => id,
        }
    }

    /// The collection that a node stands in; none for a root.
    pub fn parent_of(&self, child: NodeId) -> Option<NodeId> {
        self.parents().get(child.0 as usize).copied().flatten()
    }

    /// For each node, by its index, the collection that it is an item, a key or a value of; none for
    /// roots. Takes time in proportion to the whole document.
    pub fn parents(&self) -> Vec<Option<NodeId>> {
        let mut parents = vec![None; self.nodes.len()];
        let mut set = |child: NodeId, parent: u32| {
            if let Some(slot) = parents.get_mut(child.0 as usize) {
                *slot = Some(NodeId(parent));
            }
        };
        for (index, node) in (0..).zip(&self.nodes) {
            match &node.kind {
                Kind::Sequence { items, .. } => items.iter().for_each(|item| set(item.node, index)),
                Kind::Mapping { entries, .. } => entries.iter().for_each(|entry| {
                    set(entry.key, index);
                    set(entry.value, index);
                }),
                _ => {}
            }
        }
        parents
    }

    /// Where a node is, for people: `services.web.volumes[1]`. A key has the path of its entry, the
    /// root of the first document an empty one; further documents begin with `document 2: `. Takes
    /// time in proportion to the whole document.
    pub fn path_of(&self, id: NodeId) -> String {
        let parents = self.parents();
        let parent = |id: NodeId| parents.get(id.0 as usize).copied().flatten();
        let mut steps = Vec::new();
        let mut root = id;
        while let Some(up) = parent(root) {
            steps.push((up, root));
            root = up;
        }
        let mut path = String::new();
        if let Some(index @ 1..) = self.roots.iter().position(|r| *r == root) {
            path = format!("document {}: ", index + 1);
        }
        for (up, child) in steps.into_iter().rev() {
            self.step(&mut path, up, child);
        }
        path
    }

    /// Appends the way from a collection to its child.
    fn step(&self, path: &mut String, parent: NodeId, child: NodeId) {
        let item = self.items(parent).iter().position(|item| item.node == child);
        let entry = self.entries(parent).iter().find(|e| e.key == child || e.value == child);
        let key = entry.map(|entry| match &self.node(entry.key).kind {
            Kind::Scalar { value, .. } => value.clone(),
            Kind::Alias { name, .. } => format!("*{name}"),
            _ => String::new(),
        });
        let dot = if path.is_empty() || path.ends_with(' ') { "" } else { "." };
        let step = match (item, key) {
            (Some(index), _) => format!("[{index}]"),
            (None, Some(key)) if plain_step(&key) => format!("{dot}{key}"),
            (None, key) => format!("[{:?}]", key.unwrap_or_default()),
        };
        path.push_str(&step);
    }
}

fn plain_step(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_-*<".contains(c))
}
