//! From a YAML tree to values: aliases and merge keys followed, as go-yaml does it.

use super::value::{BaseId, Data, Directive, FileId, List, Map, Origin, Text, Value, text_cost};
use crate::error::Problem;
use crate::source::Source;
use crate::yaml::scalar::Scalar;
use crate::yaml::{Document, Kind, NodeId, Style};

/// Values that the aliases of one project may grow to. Real projects stay below 100,000; a nest of
/// aliases that doubles at each level passes it at once.
pub(super) const VALUE_BUDGET: usize = 1_000_000;

/// Levels that a value may be nested once aliases are followed.
const DEPTH: usize = 512;

/// Turns nodes of one file into values.
pub(super) struct Resolver<'a> {
    pub(super) source: &'a Source,
    pub(super) document: &'a Document,
    pub(super) file: FileId,
    pub(super) base: BaseId,
    /// Values that may still be made, shared by all files of the project.
    pub(super) budget: &'a mut usize,
    /// Aliases that are being followed.
    pub(super) aliases: usize,
}

impl Resolver<'_> {
    /// The value of a node.
    pub(super) fn value(&mut self, id: NodeId) -> Result<Value, Problem> {
        self.at_depth(id, 0)
    }

    fn at_depth(&mut self, id: NodeId, depth: usize) -> Result<Value, Problem> {
        let node = self.document.node(id);
        let cost = match &node.kind {
            Kind::Scalar { value, .. } => text_cost(value),
            _ => 1,
        };
        if depth > DEPTH {
            return Err(self
                .problem(id, "the aliases of this project nest too deep")
                .with_help("write the repeated part once, or split the file"));
        }
        let Some(left) = self.budget.checked_sub(cost) else {
            // A file is read again for each `include` and `extends` that names it.
            let (what, help) = if self.aliases > 0 {
                ("the aliases of this project", "write the repeated part once, or split the file")
            } else {
                ("the files of this project", "include and extend each file in fewer places")
            };
            return Err(self
                .problem(id, format!("{what} expand to too many values"))
                .with_help(help));
        };
        *self.budget = left;
        let data = match &node.kind {
            Kind::Alias { target, .. } => {
                self.aliases += 1;
                let value = self.at_depth(*target, depth + 1);
                self.aliases -= 1;
                return value;
            }
            Kind::Scalar { value, style } => {
                let tag = node.tag.as_ref().map(|t| t.text.as_str());
                let typed = ["!!null", "!!bool", "!!int", "!!float", "!!timestamp"];
                match Scalar::of(value, *style, tag) {
                    Scalar::Str(_) if tag.is_some_and(|tag| typed.contains(&tag)) => {
                        let message = format!("`{value}` does not fit its tag");
                        return Err(self.problem(id, message).with_help("take the tag out"));
                    }
                    Scalar::Null => Data::Null,
                    other => Data::Scalar(Text {
                        text: value.clone(),
                        string: matches!(other, Scalar::Str(_)),
                        unset: Vec::new(),
                    }),
                }
            }
            Kind::Sequence { items, .. } => {
                let mut kept = Vec::new();
                for (index, item) in items.iter().enumerate() {
                    let item = self.at_depth(item.node, depth + 1)?;
                    if item.directive != Some(Directive::Reset) {
                        kept.push((index, item));
                    }
                }
                Data::List(List::written(self.origin(id), kept))
            }
            Kind::Mapping { .. } => Data::Map(self.mapping(id, depth)?),
        };
        let directive = node.tag.as_ref().and_then(|t| match t.text.as_str() {
            "!reset" => Some(Directive::Reset),
            "!override" => Some(Directive::Override),
            _ => None,
        });
        Ok(Value { data, origin: self.origin(id), directive })
    }

    /// Own keys win over merged ones; of several merged mappings the first wins.
    fn mapping(&mut self, id: NodeId, depth: usize) -> Result<Map, Problem> {
        let Kind::Mapping { entries, .. } = &self.document.node(id).kind else {
            return Err(self.problem(id, "expected a mapping"));
        };
        let mut map = Map { entries: Vec::new(), parts: vec![self.origin(id)] };
        let mut merged = Vec::new();
        for entry in entries {
            if self.is_merge_key(entry.key) {
                merged.push(entry.value);
                continue;
            }
            let node = self.document.node(self.document.follow(entry.key));
            let Kind::Scalar { value: key, style } = &node.kind else {
                return Err(self.problem(entry.key, "a key must be a plain text"));
            };
            let tag = node.tag.as_ref().map(|t| t.text.as_str());
            if !matches!(Scalar::of(key, *style, tag), Scalar::Str(_)) {
                let message = format!("the key `{key}` is no text");
                return Err(self.problem(entry.key, message).with_help("put it in quotes"));
            }
            let key = key.to_owned();
            let value = self.at_depth(entry.value, depth + 1)?;
            map.entries.push((key, value));
        }
        for value in merged {
            self.merge(&mut map, value, depth, true)?;
        }
        Ok(map)
    }

    fn merge(
        &mut self,
        map: &mut Map,
        id: NodeId,
        depth: usize,
        lists: bool,
    ) -> Result<(), Problem> {
        let target = self.document.follow(id);
        match &self.document.node(target).kind {
            Kind::Mapping { .. } => {
                let aliased = usize::from(target != id);
                self.aliases += aliased;
                let other = self.at_depth(target, depth + 1)?;
                self.aliases -= aliased;
                if let Data::Map(other) = other.data {
                    for (key, value) in other.entries {
                        match map.get_mut(&key) {
                            None => map.entries.push((key, value)),
                            // Compose takes the tagged entry out and merges then, so that what
                            // the merge key brings takes the place of what lies below.
                            Some(own)
                                if own.directive == Some(Directive::Reset)
                                    && value.directive != Some(Directive::Reset) =>
                            {
                                *own = Value { directive: Some(Directive::Override), ..value };
                            }
                            Some(_) => {}
                        }
                    }
                }
                Ok(())
            }
            Kind::Sequence { items, .. } if lists => {
                items.iter().try_for_each(|i| self.merge(map, i.node, depth + 1, false))
            }
            _ => Err(self
                .problem(id, "a merge key `<<` takes a mapping or a list of mappings")
                .with_help("point it at an anchor on a mapping, such as `<<: *defaults`")),
        }
    }

    fn is_merge_key(&self, key: NodeId) -> bool {
        let node = self.document.node(key);
        matches!(&node.kind, Kind::Scalar { value, style: Style::Plain } if value == "<<" && node.tag.is_none())
    }

    fn origin(&self, node: NodeId) -> Origin {
        Origin { file: self.file, node, base: self.base }
    }

    fn problem(&self, id: NodeId, message: impl Into<String>) -> Problem {
        Problem::at(self.source.name(), self.document.node(id).span, message)
    }
}
