use crate::rewrite::emit::candidates;
use crate::rewrite::{Op, apply_edits, edited_tree};
use crate::source::Source;
use crate::yaml::{self, Document, New, NodeId, Style};

fn parsed(text: &str) -> (Source, Document) {
    let source = Source::new("compose.yaml", text);
    let document = yaml::parse(&source, &yaml::Limits::default()).unwrap();
    (source, document)
}

/// The node at a path of keys and indices.
fn at(document: &Document, path: &str) -> NodeId {
    path.split('.').filter(|step| !step.is_empty()).fold(document.roots()[0], |node, step| {
        match step.parse::<usize>() {
            Ok(index) => document.items(node)[index].node,
            Err(_) => document.get(node, step).unwrap().value,
        }
    })
}

/// What becomes of a text; none when it takes no such edit. What is written is what was planned, and
/// no comment is lost.
fn edited(text: &str, ops: impl Fn(&Document) -> Vec<Op>) -> Option<String> {
    let (source, document) = parsed(text);
    let (ops, edits) = candidates(&source, &document, &ops(&document)).into_iter().next()?;
    let new = apply_edits(text, &edits)?;
    let (after_source, after) = parsed(&new);
    let planned = edited_tree(&document, &ops).unwrap();
    assert_eq!(planned.same_as(&after).map_err(|d| d.what), Ok(()), "{new}");
    let comments = |source: &Source, document: &Document| -> Vec<String> {
        document.comments().iter().map(|c| source.slice(*c).to_owned()).collect()
    };
    assert_eq!(comments(&source, &document), comments(&after_source, &after), "{new}");
    Some(new)
}

/// Takes out what is at the paths, items or entries.
fn without(text: &str, paths: &[&str]) -> Option<String> {
    edited(text, |document| paths.iter().map(|path| removal(document, path)).collect())
}

fn removal(document: &Document, path: &str) -> Op {
    let (above, last) = path.rsplit_once('.').unwrap_or(("", path));
    let parent = at(document, above);
    if let Ok(index) = last.parse() {
        return Op::RemoveItem { sequence: parent, index };
    }
    let value = document.get(parent, last).unwrap().value;
    let index = document.entries(parent).iter().position(|e| e.value == value).unwrap();
    Op::RemoveEntry { mapping: parent, index }
}

/// Takes an entry out and puts `new: {k: [v]}` at the end of its mapping.
fn exchanged(text: &str, path: &str) -> Option<String> {
    edited(text, |document| {
        let (above, _) = path.rsplit_once('.').unwrap_or(("", path));
        let mapping = at(document, above);
        let quote = if text.starts_with('{') { Style::Double } else { Style::Plain };
        let flow = text.starts_with('{');
        let word = New::Scalar { text: "v".to_owned(), style: quote };
        let list = New::Sequence { items: vec![word], flow };
        let value = New::Mapping { entries: vec![("k".to_owned(), quote, list)], flow };
        let index = document.entries(mapping).len();
        let key = ("new".to_owned(), quote);
        vec![removal(document, path), Op::InsertEntry { mapping, index, key, value }]
    })
}

#[test]
fn items_go_with_their_lines() {
    for (old, path, new) in [
        ("v:\n  - a\n  - b\n  - c\n", "v.1", "v:\n  - a\n  - c\n"),
        ("v:\n- a\n- b\nw: 1\n", "v.1", "v:\n- a\nw: 1\n"),
        ("v:\r\n  - a\r\n  - b\r\n", "v.0", "v:\r\n  - b\r\n"),
        ("v:\n  - a\n  - b", "v.1", "v:\n  - a"),
        ("v:\r\n  - a\r\n  - b", "v.1", "v:\r\n  - a"),
        ("v:\n  - type: bind\n    source: .\n  - b\n", "v.0", "v:\n  - b\n"),
        ("v:\n  -   a\n\n  -   b\n", "v.0", "v:\n\n  -   b\n"),
    ] {
        assert_eq!(without(old, &[path]).as_deref(), Some(new), "{old:?}");
    }
}

#[test]
fn comments_stay_where_they_were() {
    for (old, path, new) in [
        (
            "v:\n  # one\n  - a   # two\n  # three\n  - b\n",
            "v.0",
            "v:\n  # one\n  # two\n  # three\n  - b\n",
        ),
        (
            "v:\n  - type: bind # one\n    # two\n    source: .\n  - b\n",
            "v.0",
            "v:\n  # one\n    # two\n  - b\n",
        ),
        ("v:\n  - a\n  - b # last", "v.1", "v:\n  - a\n  # last"),
        ("w: 1\nv: # what\n  # one\n  - a\nx: 2\n", "v", "w: 1\n# what\n  # one\nx: 2\n"),
        ("- # one\n  a: 1\n  b: 2\n", "0.a", "- # one\n  b: 2\n"),
    ] {
        assert_eq!(without(old, &[path]).as_deref(), Some(new), "{old:?}");
    }
}

#[test]
fn entries_go_with_all_that_they_hold() {
    for (old, path, new) in [
        ("a: 1\nv:\n  - x\n  - y\nb: 2\n", "v", "a: 1\nb: 2\n"),
        ("a: 1\nv: |\n  x\n  y\n", "v", "a: 1\n"),
        ("a: 1\nv: |\n  x\n\nb: 2\n", "v", "a: 1\n\nb: 2\n"),
        ("v: 1\nb: 2\n", "v", "b: 2\n"),
        ("s:\n  - v: 1\n    b: 2\n", "s.0.v", "s:\n  - b: 2\n"),
        ("a: 1\nv: 2", "v", "a: 1"),
        ("a: 1\nv:\nb: 2\n", "v", "a: 1\nb: 2\n"),
    ] {
        assert_eq!(without(old, &[path]).as_deref(), Some(new), "{old:?}");
    }
}

#[test]
fn brackets_lose_one_comma() {
    for (old, path, new) in [
        ("v: [a, b, c]\n", "v.0", "v: [b, c]\n"),
        ("v: [a, b, c]\n", "v.1", "v: [a, c]\n"),
        ("v: [a, b, c]\n", "v.2", "v: [a, b]\n"),
        ("v: [ a ]\n", "v.0", "v: [  ]\n"),
        ("v: [a, b,]\n", "v.1", "v: [a,]\n"),
        ("v: {a: 1, b: 2}\n", "v.b", "v: {a: 1}\n"),
        ("{\n  \"a\": 1,\n  \"v\": [\n    2\n  ]\n}\n", "v", "{\n  \"a\": 1\n}\n"),
        ("{\n  \"v\": [\n    2\n  ],\n  \"a\": 1\n}\n", "v", "{\n  \"a\": 1\n}\n"),
    ] {
        assert_eq!(without(old, &[path]).as_deref(), Some(new), "{old:?}");
    }
}

#[test]
fn something_new_comes_in_the_place_of_what_goes() {
    for (old, path, new) in [
        ("s:\n  a: 1\n  v: [x]\n", "s.v", "s:\n  a: 1\n  new:\n    k:\n      - v\n"),
        ("s:\n  v: [x]\n  a: 1\n", "s.v", "s:\n  a: 1\n  new:\n    k:\n      - v\n"),
        ("s:\n  v: [x]\n", "s.v", "s:\n  new:\n    k:\n      - v\n"),
        ("s:\n  v: [x]", "s.v", "s:\n  new:\n    k:\n      - v"),
        ("s:\n  v: [x] # why", "s.v", "s:\n  new:\n    k:\n      - v\n  # why"),
        ("s:\n  a: 1\n  v: [x]", "s.v", "s:\n  a: 1\n  new:\n    k:\n      - v"),
        ("s:\r\n  v:\r\n  - x\r\nt: 1\r\n", "s.v", "s:\r\n  new:\r\n    k:\r\n    - v\r\nt: 1\r\n"),
        (
            "s:\n    a: 1\n    # why\n    v:\n        - x # which\n\nt: 1\n",
            "s.v",
            "s:\n    a: 1\n    new:\n        k:\n            - v\n    # why\n        # which\n\nt: 1\n",
        ),
        (
            "{\"s\": {\"a\": 1, \"v\": [2]}}\n",
            "s.v",
            "{\"s\": {\"a\": 1, \"new\": {\"k\": [\"v\"]}}}\n",
        ),
        (
            "{\n  \"s\": {\n    \"v\": [\n      2\n    ]\n  }\n}\n",
            "s.v",
            "{\n  \"s\": {\n    \"new\": {\"k\": [\"v\"]}\n  }\n}\n",
        ),
        (
            "{\n  \"s\": {\n    \"v\": [2],\n    \"a\": 1\n  }\n}\n",
            "s.v",
            "{\n  \"s\": {\n    \"a\": 1,\n    \"new\": {\"k\": [\"v\"]}\n  }\n}\n",
        ),
    ] {
        assert_eq!(exchanged(old, path).as_deref(), Some(new), "{old:?}");
    }
}

#[test]
fn what_comes_behind_a_list_does_not_meet_what_goes_in_it() {
    let old = "s:\n  v:\n    - a\n    - b # c\n  # d\n";
    let new = "s:\n  v:\n    - a\n  new: w\n    # c\n  # d\n";
    let both = |document: &Document| {
        let key = ("new".to_owned(), Style::Plain);
        let mapping = at(document, "s");
        let value = New::plain("w");
        vec![removal(document, "s.v.1"), Op::InsertEntry { mapping, index: 1, key, value }]
    };
    assert_eq!(edited(old, both).as_deref(), Some(new));
}

#[test]
fn several_go_at_once() {
    let old = "v:\n  - a\n  - b # c\n  - d\n  - e\n";
    assert_eq!(without(old, &["v.0", "v.1", "v.3"]).as_deref(), Some("v:\n  # c\n  - d\n"));
    let old = "v: [a, b, c, d, e]\n";
    for (gone, new) in [
        (vec!["v.0", "v.1"], "v: [c, d, e]\n"),
        (vec!["v.1", "v.2"], "v: [a, d, e]\n"),
        (vec!["v.3", "v.4"], "v: [a, b, c]\n"),
        (vec!["v.0", "v.2", "v.4"], "v: [b, d]\n"),
    ] {
        assert_eq!(without(old, &gone).as_deref(), Some(new), "{gone:?}");
    }
    let exchange = |document: &Document| {
        let value = New::plain("n");
        let insert = Op::InsertItem { sequence: at(document, "v"), index: 3, value };
        vec![removal(document, "v.1"), insert, removal(document, "v.2")]
    };
    assert_eq!(edited(old, exchange).as_deref(), Some("v: [a, n, d, e]\n"));
}

#[test]
fn scalars_change_in_as_few_bytes_as_possible() {
    for (old, text, new) in [
        ("v: [\"./:/app\"]\n", "./src:/app/src", "v: [\"./src:/app/src\"]\n"),
        ("v: ['./:/it''s']\n", "./src:/it's", "v: ['./src:/it''s']\n"),
        ("v: [a:/b]\n", "a:/b:z", "v: [a:/b:z]\n"),
        ("v:\n- &x .:/app # c\n- *x\n", "./src:/app", "v:\n- &x ./src:/app # c\n- *x\n"),
    ] {
        let set = |document: &Document| {
            vec![Op::SetText { node: at(document, "v.0"), text: text.to_owned() }]
        };
        assert_eq!(edited(old, set).as_deref(), Some(new));
    }
}

#[test]
fn lists_of_names_become_mappings() {
    let condition = || New::Mapping {
        entries: vec![("c".to_owned(), Style::Plain, New::plain("x"))],
        flow: true,
    };
    for (old, new) in [
        ("v: [a, b]\n", "v: {a: {c: x}, b: {c: x}, n: {c: x}}\n"),
        ("v:\n  - a # why\n  - b\n", "v:\n    a: {c: x} # why\n    b: {c: x}\n    n: {c: x}\n"),
        ("v:\r\n- a\r\nw: 1\r\n", "v:\r\n  a: {c: x}\r\n  n: {c: x}\r\nw: 1\r\n"),
        ("v: []\n", "v: {n: {c: x}}\n"),
    ] {
        let unfold = |document: &Document| {
            vec![Op::Unfold {
                sequence: at(document, "v"),
                value: condition(),
                added: vec![("n".to_owned(), Style::Plain, condition())],
            }]
        };
        assert_eq!(edited(old, unfold).as_deref(), Some(new));
    }
}
