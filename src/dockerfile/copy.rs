//! Where a `COPY` puts things.

use super::context::Context;
use super::shell::join;
use super::stage::{Copy, From};
use crate::compose::{clean_path, is_under};

/// What a `COPY` means for a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Landing {
    /// Something lands below it, so that it is made.
    Below,
    /// It is brought by its own name.
    Tree,
    /// It may come along with what is around it.
    Maybe,
    /// It is what lies at that path of another image.
    Other(From, String),
}

/// `path` below `top`, without the slash between them; empty for `top` itself.
pub(super) fn below<'p>(path: &'p str, top: &str) -> Option<&'p str> {
    if !is_under(path, top) {
        return None;
    }
    Some(path.strip_prefix(top.trim_end_matches('/'))?.trim_start_matches('/'))
}

impl Copy {
    /// What it means for `path`, source by source.
    pub(super) fn landings(&self, path: &str, context: &Context) -> Vec<Landing> {
        if self.to != path && is_under(&self.to, path) {
            return vec![Landing::Below];
        }
        let Some(rest) = below(path, &self.to) else { return Vec::new() };
        if self.odd {
            return vec![Landing::Maybe];
        }
        let mut landings = Vec::new();
        if self.to == path && self.into && !self.documents.is_empty() {
            landings.push(Landing::Below);
        }
        landings
            .extend(self.sources.iter().filter_map(|source| self.landing(source, rest, context)));
        landings
    }

    fn landing(&self, source: &str, rest: &str, context: &Context) -> Option<Landing> {
        if let Some(from) = &self.from {
            if source.contains(['*', '?', '[']) {
                return Some(Landing::Maybe);
            }
            let there = join(Some("/"), source)?;
            let there =
                if rest.is_empty() { there } else { clean_path(&format!("{there}/{rest}")) };
            return Some(Landing::Other(from.clone(), there));
        }
        if context.is_file(source) {
            // A file in a directory that is there or is made now.
            return (rest.is_empty() && self.into).then_some(Landing::Below);
        }
        if source.contains(['*', '?', '[']) {
            return Some(Landing::Maybe);
        }
        let from = clean_path(&format!("{source}/{rest}"));
        let from = from.trim_start_matches('/');
        if from.is_empty() || from == "." {
            return Some(Landing::Tree);
        }
        match context.ignore.excludes(from) {
            Some(true) => None,
            // By its own name: without it the build would fail.
            Some(false) if rest.is_empty() => Some(Landing::Tree),
            _ => Some(Landing::Maybe),
        }
    }
}
