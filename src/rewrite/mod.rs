//! From changes to text.
//!
//! 1. `place` decides which node of which file each change goes to.
//! 2. `emit` turns that into bytes to insert, in the file's own indentation, quotes and line ends.
//! 3. `gate` proves that the new text means the old project plus the changes, and nothing else.
//!
//! Nothing is ever serialised anew: every byte that an edit does not insert is the user's.

mod emit;
mod gate;
mod item;
mod layout;
mod place;

use std::path::PathBuf;

use crate::compose::FileId;
use crate::source::Span;
use crate::yaml::{Document, New, NodeId, Style};

pub use gate::{prove, rewritten};
pub use place::{Bystanders, Effects, Placement, place};

/// One edit of a file's tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    /// A new item before the one at `index`; at the end when there is none.
    InsertItem {
        /// The sequence.
        sequence: NodeId,
        /// Index in the sequence as it was read.
        index: usize,
        /// The item.
        value: New,
    },
    /// A new entry before the one at `index`; at the end when there is none.
    InsertEntry {
        /// The mapping.
        mapping: NodeId,
        /// Index in the mapping as it was read.
        index: usize,
        /// Its key and how that is written.
        key: (String, Style),
        /// Its value.
        value: New,
    },
    /// Text in front of a scalar's own, inside its quotes.
    Prefix {
        /// The scalar.
        node: NodeId,
        /// What goes in front; free of characters that need quotes or escapes.
        text: String,
    },
}

impl Op {
    /// The node that it changes, and where in it: ops with equal slots follow each other.
    fn slot(&self) -> (NodeId, usize) {
        match self {
            Self::InsertItem { sequence: node, index, .. }
            | Self::InsertEntry { mapping: node, index, .. } => (*node, *index),
            Self::Prefix { node, .. } => (*node, 0),
        }
    }
}

/// Edits of one file's tree, in the order in which those at one place follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileOps {
    /// The file.
    pub file: FileId,
    /// Its edits.
    pub ops: Vec<Op>,
}

/// Bytes to put in the place of others; an insertion has an empty span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The old bytes.
    pub span: Span,
    /// The new ones.
    pub text: String,
}

/// The old and the new text of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// Absolute path.
    pub path: PathBuf,
    /// Path as reports show it.
    pub name: String,
    /// The text that was read.
    pub before: String,
    /// The text that was proven.
    pub after: String,
}

/// The text with its edits made. Edits at one offset follow each other in the given order.
///
/// None when two edits overlap.
pub fn apply_edits(text: &str, edits: &[Edit]) -> Option<String> {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|e| e.span.start);
    let mut out = String::with_capacity(text.len() + 256);
    let mut at = 0;
    for edit in sorted {
        out.push_str(text.get(at..edit.span.start)?);
        out.push_str(&edit.text);
        at = edit.span.end;
    }
    out.push_str(text.get(at..)?);
    Some(out)
}

/// The tree as it must be after the edits.
fn edited_tree(document: &Document, ops: &[Op]) -> Option<Document> {
    let mut tree = document.clone();
    let mut inserted: Vec<(NodeId, usize)> = Vec::new();
    let mut shifted = |node: NodeId, index: usize| {
        let before = inserted.iter().filter(|(n, i)| *n == node && *i <= index).count();
        inserted.push((node, index));
        index + before
    };
    for op in ops {
        match op {
            Op::InsertItem { sequence, index, value } => {
                let index = shifted(*sequence, *index);
                tree.insert_item(*sequence, index, value)?;
            }
            Op::InsertEntry { mapping, index, key: (key, style), value } => {
                let index = shifted(*mapping, *index);
                tree.insert_entry(*mapping, index, (key, *style), value)?;
            }
            Op::Prefix { node, text } => {
                let crate::yaml::Kind::Scalar { value, style } = &document.node(*node).kind else {
                    return None;
                };
                tree.replace_scalar(*node, &format!("{text}{value}"), *style).then_some(())?;
            }
        }
    }
    Some(tree)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insert(at: usize, text: &str) -> Edit {
        Edit { span: Span::at(at), text: text.to_owned() }
    }

    #[test]
    fn edits_at_one_place_keep_their_order() {
        let edits = [insert(2, "1"), insert(0, "0"), insert(2, "2")];
        assert_eq!(apply_edits("abcd", &edits).as_deref(), Some("0ab12cd"));
    }

    #[test]
    fn overlapping_edits_are_refused() {
        let edits = [
            Edit { span: Span::new(0, 3), text: String::new() },
            Edit { span: Span::new(2, 4), text: String::new() },
        ];
        assert_eq!(apply_edits("abcd", &edits), None);
    }
}
