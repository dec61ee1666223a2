//! Resolved YAML with the place that wrote each value.
//!
//! A [`Value`] is what is left of a [`Document`](crate::yaml::Document) once aliases and merge keys
//! are followed, variables are filled in and files are merged. Each value keeps its [`Origin`], so
//! that an edit goes to the bytes that wrote it.

use super::Place;
use crate::yaml::NodeId;

/// A file of a project: index into [`Project::files`](super::Project::files).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub(crate) usize);

/// A directory that relative paths start from: index into [`Project::bases`](super::Project::bases).
///
/// It depends on how a file was loaded: the project directory for files given by `-f`, the included
/// project's directory for `include`, the file's own directory for `extends`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BaseId(pub(crate) usize);

/// The bytes that wrote a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// The file.
    pub file: FileId,
    /// The node in it. An aliased value has the anchored node.
    pub node: NodeId,
    /// Where its relative paths start.
    pub base: BaseId,
}

/// A tag with a meaning in Compose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Directive {
    /// `!reset`: the value is taken out of what was merged before.
    Reset,
    /// `!override`: the value replaces what was merged before.
    Override,
}

/// A resolved value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// What it is.
    pub data: Data,
    /// What wrote it; of a merged list or mapping the first part.
    pub origin: Origin,
    /// `!reset` or `!override`.
    pub directive: Option<Directive>,
}

/// The data of a [`Value`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Data {
    /// `null`, `~` or nothing.
    Null,
    /// Text, number or boolean.
    Scalar(Text),
    /// A list.
    List(List),
    /// A mapping.
    Map(Map),
}

/// A scalar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// After interpolation.
    pub text: String,
    /// False for what YAML reads as a number, boolean or time.
    pub string: bool,
    /// Variables that it uses, that are not set and that have no default: what Compose puts there
    /// on somebody else's machine is not known here.
    pub unset: Vec<String>,
}

/// A list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    /// Its items, in order.
    pub items: Vec<Value>,
    /// The sequences that it was put together from, in order.
    pub parts: Vec<Origin>,
    /// Where each item is written.
    pub slots: Vec<Slot>,
    /// Mounts that a later one on the same target has replaced.
    pub replaced: Vec<Replaced>,
}

impl List {
    /// A list of items that are written in one sequence, with the index of each in it.
    pub(super) fn written(list: Origin, items: Vec<(usize, Value)>) -> Self {
        let slot = |index| Slot { place: Place { list, index }, settled: false };
        let (slots, items) = items.into_iter().map(|(index, item)| (slot(index), item)).unzip();
        Self { items, parts: vec![list], slots, replaced: Vec::new() }
    }

    /// Puts the items of `more` behind the own ones.
    pub(super) fn append(&mut self, more: Self) {
        self.items.extend(more.items);
        self.parts.extend(more.parts);
        self.slots.extend(more.slots);
        self.replaced.extend(more.replaced);
    }
}

/// Where an item of a list is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// The sequence and the index in it.
    pub place: Place,
    /// Set for a mount once its document is merged: from then on Compose knows the cleaned target
    /// of a short entry alone.
    pub(super) settled: bool,
}

/// A mount that a later one on the same target has replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// The mount.
    pub mount: Value,
    /// Where it is written.
    pub place: Place,
    /// Where the later one is written.
    pub by: Place,
}

/// A mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Map {
    /// Its entries; keys are unique.
    pub entries: Vec<(String, Value)>,
    /// The mappings that files and `extends` put together, in order. What a merge key brings in is
    /// no part of its own.
    pub parts: Vec<Origin>,
}

impl Map {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.iter().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    /// The value of a key, to change it.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.entries.iter_mut().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    /// Sets a key, at its old place if there is one.
    pub fn set(&mut self, key: String, value: Value) {
        match self.get_mut(&key) {
            Some(old) => *old = value,
            None => self.entries.push((key, value)),
        }
    }

    /// Takes a key out.
    pub fn remove(&mut self, key: &str) {
        self.entries.retain(|(k, _)| k != key);
    }
}

/// What a text says in place of a boolean; none for a word that Compose refuses there.
pub(super) fn truth(text: &str) -> Option<bool> {
    match text.to_lowercase().as_str() {
        "true" | "y" | "yes" | "on" => Some(true),
        "false" | "n" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// Bytes of text that count as one value more.
const TEXT_UNIT: usize = 256;

/// What a text counts in the budget of values.
pub(super) fn text_cost(text: &str) -> usize {
    1 + text.len() / TEXT_UNIT
}

impl Value {
    /// What a copy of it counts in the budget of values: itself and all below it.
    pub(super) fn cost(&self) -> usize {
        match &self.data {
            Data::Null => 1,
            Data::Scalar(text) => text_cost(&text.text),
            Data::List(list) => 1 + list.items.iter().map(Self::cost).sum::<usize>(),
            Data::Map(map) => 1 + map.entries.iter().map(|(_, v)| v.cost()).sum::<usize>(),
        }
    }

    /// Nothing, written nowhere.
    pub(crate) fn null() -> Self {
        let origin = Origin { file: FileId(0), node: NodeId(0), base: BaseId(0) };
        Self { data: Data::Null, origin, directive: None }
    }

    /// A mapping's entries.
    pub fn map(&self) -> Option<&Map> {
        match &self.data {
            Data::Map(map) => Some(map),
            _ => None,
        }
    }

    /// A list's items.
    pub fn list(&self) -> Option<&List> {
        match &self.data {
            Data::List(list) => Some(list),
            _ => None,
        }
    }

    /// A scalar's text.
    pub fn text(&self) -> Option<&str> {
        match &self.data {
            Data::Scalar(text) => Some(&text.text),
            _ => None,
        }
    }

    /// The value of a key of a mapping.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.map()?.get(key)
    }

    /// The text of a key of a mapping.
    pub fn text_of(&self, key: &str) -> Option<&str> {
        self.get(key)?.text()
    }

    /// True for `true` in any spelling that Compose takes, quoted or from a variable.
    pub fn is_true(&self) -> bool {
        self.text().and_then(truth) == Some(true)
    }

    /// The texts of a list, or the one text of a scalar: many attributes take both forms.
    pub fn texts(&self) -> Vec<&str> {
        match &self.data {
            Data::Null | Data::Map(_) => Vec::new(),
            Data::Scalar(text) => vec![&text.text],
            Data::List(list) => list.items.iter().filter_map(Self::text).collect(),
        }
    }

    /// Names of a list, or keys of a mapping, as in `depends_on`.
    pub fn names(&self) -> Vec<&str> {
        match &self.data {
            Data::Map(map) => map.entries.iter().map(|(k, _)| k.as_str()).collect(),
            _ => self.texts(),
        }
    }
}
