//! From changes to text.
//!
//! 1. `place` decides which node of which file each change goes to.
//! 2. `emit` turns that into bytes to insert, in the file's own indentation, quotes and line ends.
//!    `aside` does both for changes that go to one given file, which may not be there yet.
//! 3. `gate` proves that the new text means the old project plus the changes, and nothing else.
//!    `elsewhere` does that for other projects that load the same file.
//!
//! Nothing is ever serialised anew: every byte that an edit does not insert is the user's.

mod aside;
mod elsewhere;
mod emit;
mod gate;
mod item;
mod layout;
mod place;

use std::path::PathBuf;

use crate::compose::FileId;
use crate::source::Span;
use crate::yaml::{Document, Kind, New, NodeId, Style};

pub use aside::{Destination, OneFile, Outlet, outlet};
pub use elsewhere::hold;
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
    /// Another text for a scalar, in its own style. It must differ in one run of characters that need
    /// no quotes and no escapes.
    SetText {
        /// The scalar.
        node: NodeId,
        /// The new text.
        text: String,
    },
    /// An item goes.
    RemoveItem {
        /// The sequence.
        sequence: NodeId,
        /// Index in the sequence as it was read.
        index: usize,
    },
    /// An entry goes.
    RemoveEntry {
        /// The mapping.
        mapping: NodeId,
        /// Index in the mapping as it was read.
        index: usize,
    },
    /// A list of names becomes a mapping with the names as keys.
    Unfold {
        /// The sequence; its items are scalars.
        sequence: NodeId,
        /// What every name that was there gets.
        value: New,
        /// New entries behind them.
        added: Vec<(String, Style, New)>,
    },
}

impl Op {
    /// The node that it changes, and where in it: ops with equal slots follow each other.
    fn slot(&self) -> (NodeId, usize) {
        match self {
            Self::InsertItem { sequence: node, index, .. }
            | Self::InsertEntry { mapping: node, index, .. }
            | Self::RemoveItem { sequence: node, index }
            | Self::RemoveEntry { mapping: node, index } => (*node, *index),
            Self::SetText { node, .. } | Self::Unfold { sequence: node, .. } => (*node, 0),
        }
    }

    /// True for an op that only adds to what is there.
    fn inserts(&self) -> bool {
        matches!(self, Self::InsertItem { .. } | Self::InsertEntry { .. })
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
    /// The text that was read; none for a file that is not there yet.
    pub before: Option<String>,
    /// The text that was proven.
    pub after: String,
}

/// The text with its edits made. Insertions at one offset follow each other in the given order and
/// come before what replaces the bytes there.
///
/// None when two edits overlap.
pub fn apply_edits(text: &str, edits: &[Edit]) -> Option<String> {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|e| (e.span.start, e.span.end));
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
    let mut moved = Moved::default();
    for op in ops {
        match op {
            Op::InsertItem { sequence, index, value } => {
                let index = moved.insert(*sequence, *index);
                tree.insert_item(*sequence, index, value)?;
            }
            Op::InsertEntry { mapping, index, key: (key, style), value } => {
                let index = moved.insert(*mapping, *index);
                tree.insert_entry(*mapping, index, (key, *style), value)?;
            }
            Op::SetText { node, text } => {
                let Kind::Scalar { style, .. } = &document.node(*node).kind else { return None };
                tree.replace_scalar(*node, text, *style).then_some(())?;
            }
            Op::RemoveItem { sequence, index } => {
                let index = moved.remove(*sequence, *index);
                tree.remove_item(*sequence, index).then_some(())?;
            }
            Op::RemoveEntry { mapping, index } => {
                let index = moved.remove(*mapping, *index);
                tree.remove_entry(*mapping, index).then_some(())?;
            }
            Op::Unfold { sequence, value, added } => {
                let names = document.items(*sequence).iter().map(|item| {
                    let Kind::Scalar { value, style } = &document.node(item.node).kind else {
                        return None;
                    };
                    Some((value.clone(), *style))
                });
                let names = names.collect::<Option<Vec<_>>>()?.into_iter();
                let mut entries: Vec<_> = names.map(|(n, s)| (n, s, value.clone())).collect();
                entries.extend(added.iter().cloned());
                let flow =
                    matches!(document.node(*sequence).kind, Kind::Sequence { flow: true, .. });
                tree.replace_node(*sequence, &New::Mapping { entries, flow }).then_some(())?;
            }
        }
    }
    Some(tree)
}

/// How far items and entries have moved.
#[derive(Debug, Default)]
struct Moved {
    inserted: Vec<(NodeId, usize)>,
    removed: Vec<(NodeId, usize)>,
}

impl Moved {
    fn insert(&mut self, node: NodeId, index: usize) -> usize {
        let now = self.now(node, index);
        self.inserted.push((node, index));
        now
    }

    fn remove(&mut self, node: NodeId, index: usize) -> usize {
        let now = self.now(node, index);
        self.removed.push((node, index));
        now
    }

    /// Where something is that was read at `index`.
    fn now(&self, node: NodeId, index: usize) -> usize {
        let more = self.inserted.iter().filter(|(n, i)| *n == node && *i <= index).count();
        let less = self.removed.iter().filter(|(n, i)| *n == node && *i < index).count();
        (index + more).saturating_sub(less)
    }
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
