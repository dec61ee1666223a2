//! A YAML file as a tree that knows the bytes behind every node.
//!
//! The tree is what the text says, not what it means: aliases and merge keys are nodes like others,
//! tags are kept, scalars are text until [`scalar::Scalar::of`] types them as Compose's own YAML
//! reader (go-yaml) does. The parser behind it is named in `parse.rs` and nowhere else.
//!
//! What Compose's reader refuses is refused here too, as a [`Problem`](crate::error::Problem) with
//! its place: a tree stands for what Compose would load.

mod build;
mod compare;
mod decode;
mod dialect;
mod edit;
mod keys;
mod messages;
mod parse;
pub mod scalar;
mod spans;
mod tabs;
mod tree;

#[cfg(test)]
mod tests;

use crate::source::Span;

pub use compare::Difference;
pub use decode::decode;
pub use edit::New;
pub use parse::{Limits, parse};

/// A node of one [`Document`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) u32);

/// A parsed YAML file. A file can hold several YAML documents; each has a root.
#[derive(Debug, Clone, Default)]
pub struct Document {
    pub(crate) nodes: Vec<Node>,
    pub(crate) roots: Vec<NodeId>,
    pub(crate) comments: Vec<Span>,
}

/// One value in the text.
#[derive(Debug, Clone)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// The bytes of the value itself, without anchor and tag. Quotes, brackets and the header of a
    /// block scalar belong to it, trailing blank lines and comments do not. A block collection
    /// reaches from its first key or dash to the end of its last descendant. A value that is not
    /// written at all has an empty span right behind its key's colon or its item's dash, or behind
    /// the key itself where no colon is written (`{a}`).
    pub span: Span,
    /// `!tag` as written.
    pub tag: Option<Property>,
    /// `&name`.
    pub anchor: Option<Property>,
}

impl Node {
    /// First byte of the node with its anchor and tag.
    pub fn start(&self) -> usize {
        let props = [&self.tag, &self.anchor];
        props
            .iter()
            .filter_map(|p| p.as_ref())
            .map(|p| p.span.start)
            .fold(self.span.start, usize::min)
    }

    /// One past the last byte of the node with its anchor and tag: an absent value can end before
    /// its own tag does.
    pub fn end(&self) -> usize {
        let props = [&self.tag, &self.anchor];
        props.iter().filter_map(|p| p.as_ref()).map(|p| p.span.end).fold(self.span.end, usize::max)
    }
}

/// A tag or an anchor of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// `!reset`, `!!str` as written; an anchor's name without `&`.
    pub text: String,
    /// Its bytes, with `!` or `&`.
    pub span: Span,
}

/// What a node is.
#[derive(Debug, Clone)]
pub enum Kind {
    /// Text, number, boolean or null.
    Scalar {
        /// The value after unescaping and folding; empty for a value that is not written.
        value: String,
        /// How it is written.
        style: Style,
    },
    /// A list.
    Sequence {
        /// Its items, in order.
        items: Vec<Item>,
        /// Written as `[…]`.
        flow: bool,
    },
    /// A mapping.
    Mapping {
        /// Its entries, in order. No two have the same key text: Compose refuses that, and so does
        /// [`parse()`].
        entries: Vec<Entry>,
        /// Written as `{…}`.
        flow: bool,
    },
    /// `*name`.
    Alias {
        /// The anchor's name.
        name: String,
        /// The node that the anchor stands on.
        target: NodeId,
    },
}

/// An item of a sequence.
#[derive(Debug, Clone, Copy)]
pub struct Item {
    /// Offset of the item's `-`; none in a flow sequence.
    pub dash: Option<usize>,
    /// The item.
    pub node: NodeId,
}

/// An entry of a mapping.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The key.
    pub key: NodeId,
    /// The value.
    pub value: NodeId,
}

/// How a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Style {
    /// Without quotes; also a value that is not written at all.
    Plain,
    /// `'…'`
    Single,
    /// `"…"`
    Double,
    /// `|`
    Literal,
    /// `>`
    Folded,
}
