//! Whether two trees say the same, and where not.

use std::fmt;

use super::{Document, Kind, NodeId, Property};

/// The first place, in order of the text, where two documents differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Where, as [`Document::path_of`] says it; empty for the root.
    pub path: String,
    /// What differs: the expected side first.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.what)
        } else {
            write!(f, "{}: {}", self.path, self.what)
        }
    }
}

impl Document {
    /// Compares two trees in everything but places and comments: kinds, block or flow, scalars with
    /// their style, tags, anchors, names of aliases, order. `self` is the expected one.
    pub fn same_as(&self, other: &Self) -> Result<(), Difference> {
        let count = (self.roots.len(), other.roots.len());
        if count.0 != count.1 {
            let what = format!("{} documents expected, {} found", count.0, count.1);
            return Err(Difference { path: String::new(), what });
        }
        // Depth is bounded by memory only, so no recursion.
        let mut open: Vec<(NodeId, NodeId)> =
            self.roots.iter().copied().zip(other.roots.iter().copied()).rev().collect();
        while let Some((mine, theirs)) = open.pop() {
            if let Some(what) = self.differs(mine, other, theirs) {
                return Err(Difference { path: self.path_of(mine), what });
            }
            let items = self.items(mine).iter().zip(other.items(theirs));
            open.extend(items.map(|(a, b)| (a.node, b.node)).rev());
            for (a, b) in self.entries(mine).iter().zip(other.entries(theirs)).rev() {
                open.push((a.value, b.value));
                open.push((a.key, b.key));
            }
        }
        Ok(())
    }

    /// What differs between two nodes, their children left out.
    fn differs(&self, mine: NodeId, other: &Self, theirs: NodeId) -> Option<String> {
        let (a, b) = (self.node(mine), other.node(theirs));
        let text = |property: &Option<Property>| property.as_ref().map(|p| p.text.clone());
        for (name, a, b) in [("tag", &a.tag, &b.tag), ("anchor", &a.anchor, &b.anchor)] {
            if text(a) != text(b) {
                let show =
                    |p| text(p).map_or_else(|| format!("no {name}"), |t| format!("{name} {t}"));
                return Some(format!("{} expected, {} found", show(a), show(b)));
            }
        }
        let same = match (&a.kind, &b.kind) {
            (Kind::Scalar { value, style }, Kind::Scalar { value: other, style: other_style }) => {
                value == other && style == other_style
            }
            (Kind::Sequence { items, flow }, Kind::Sequence { items: other, flow: other_flow }) => {
                items.len() == other.len() && flow == other_flow
            }
            (
                Kind::Mapping { entries, flow },
                Kind::Mapping { entries: other, flow: other_flow },
            ) => entries.len() == other.len() && flow == other_flow,
            (Kind::Alias { name, .. }, Kind::Alias { name: other, .. }) => name == other,
            _ => false,
        };
        (!same).then(|| format!("{} expected, {} found", describe(&a.kind), describe(&b.kind)))
    }
}

fn describe(kind: &Kind) -> String {
    let form = |flow: &bool| if *flow { "flow" } else { "block" };
    match kind {
        Kind::Scalar { value, style } => format!("{value:?} ({style:?})"),
        Kind::Sequence { items, flow } => format!("{} list of {}", form(flow), items.len()),
        Kind::Mapping { entries, flow } => format!("{} mapping of {}", form(flow), entries.len()),
        Kind::Alias { name, .. } => format!("alias *{name}"),
    }
}

#[cfg(test)]
mod tests {
    use crate::source::Source;
    use crate::yaml::{Document, Limits, parse};

    fn tree(text: &str) -> Document {
        parse(&Source::new("f.yaml", text), &Limits::default()).unwrap()
    }

    fn difference(a: &str, b: &str) -> String {
        tree(a).same_as(&tree(b)).unwrap_err().to_string()
    }

    #[test]
    fn places_and_comments_make_no_difference() {
        let a = tree("# c\na: &x [1, 'two']\nb:\n- !t k: *x\n- |\n  text\n");
        let b = tree("a:   &x [1,\n 'two',]\nb:\n    -  !t k: *x # c\n    -  |\n       text\n");
        assert_eq!(a.same_as(&b), Ok(()));
    }

    #[test]
    fn names_the_place_and_what_differs() {
        let cases = [
            (
                "s: {w: [1, 2]}",
                "s: {w: [1, 3]}",
                "s.w[1]: \"2\" (Plain) expected, \"3\" (Plain) found",
            ),
            ("a: 1", "a: '1'", "a: \"1\" (Plain) expected, \"1\" (Single) found"),
            ("a: 1\nb: 2", "b: 2\na: 1", "a: \"a\" (Plain) expected, \"b\" (Plain) found"),
            ("a: [1]", "a:\n- 1", "a: flow list of 1 expected, block list of 1 found"),
            ("a: [1]", "a: [1, 2]", "a: flow list of 1 expected, flow list of 2 found"),
            ("a: !x 1", "a: 1", "a: tag !x expected, no tag found"),
            ("a: &x 1", "a: &y 1", "a: anchor x expected, anchor y found"),
            (
                "x: [&a 1, &b 1, *a]",
                "x: [&a 1, &b 1, *b]",
                "x[2]: alias *a expected, alias *b found",
            ),
            (
                "a.b: {'': 1}",
                "a.b: {'': 2}",
                "[\"a.b\"][\"\"]: \"1\" (Plain) expected, \"2\" (Plain) found",
            ),
            ("a", "b", "\"a\" (Plain) expected, \"b\" (Plain) found"),
            ("a: 1", "a: 1\n---\n", "1 documents expected, 2 found"),
            (
                "a\n---\nb: 1",
                "a\n---\nb: 2",
                "document 2: b: \"1\" (Plain) expected, \"2\" (Plain) found",
            ),
            ("a: []", "a: {}", "a: flow list of 0 expected, flow mapping of 0 found"),
        ];
        for (a, b, expected) in cases {
            assert_eq!(difference(a, b), expected, "{a:?} {b:?}");
        }
    }
}
