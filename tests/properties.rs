//! What holds for every YAML file: spans, order, structure and edits of the tree.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may panic")]

use std::fmt::Write as _;

use composefix::source::{Source, Span};
use composefix::yaml::{Document, Kind, Limits, New, NodeId, Style, parse};
use proptest::prelude::*;

/// A value to be written, with all that can be around it.
#[derive(Debug, Clone)]
enum Value {
    Null,
    Plain(&'static str),
    Single(String),
    Double(String),
    /// Header sign, chomping, lines.
    Block(char, &'static str, Vec<&'static str>),
    Sequence(Vec<Node>, Layout),
    /// Values; keys are made from their index.
    Mapping(Vec<Node>, Layout),
    Alias,
}

#[derive(Debug, Clone)]
struct Node {
    value: Value,
    anchor: bool,
    tag: Option<&'static str>,
    comment: bool,
    blank_line: bool,
}

#[derive(Debug, Clone, Copy)]
struct Layout {
    flow: bool,
    /// Steps of mappings, 2 or 4; sequences may have 0.
    step: usize,
    sequence_step: usize,
    key_style: usize,
}

fn layout() -> impl Strategy<Value = Layout> {
    (
        any::<bool>(),
        prop_oneof![Just(2_usize), Just(4)],
        prop_oneof![Just(0_usize), Just(2), Just(4)],
        0..4_usize,
    )
        .prop_map(|(flow, step, sequence_step, key_style)| Layout {
            flow,
            step,
            sequence_step,
            key_style,
        })
}

fn node() -> impl Strategy<Value = Node> {
    let plain = prop_oneof![
        Just("x"),
        Just("a b"),
        Just("./src:/app"),
        Just("80:80"),
        Just("~"),
        Just("-x"),
        Just("ü#ß"),
        Just("true"),
    ];
    let line = prop_oneof![
        Just("text"),
        Just(""),
        Just("  deeper"),
        Just("- x: # |"),
        Just("ü\u{1f680}"),
        Just("a ")
    ];
    let leaf = prop_oneof![
        2 => Just(Value::Null),
        4 => plain.prop_map(Value::Plain),
        2 => "[a-z'#:\" -]{0,8}".prop_map(Value::Single),
        2 => "[a-z'#:\"\\\\ é-]{0,8}".prop_map(Value::Double),
        2 => (
            prop_oneof![Just('|'), Just('>')],
            prop_oneof![Just(""), Just("-"), Just("+"), Just(" # c"), Just("+ # - c")],
            prop::collection::vec(line, 0..4),
        ).prop_map(|(sign, chomp, lines)| Value::Block(sign, chomp, lines)),
        1 => Just(Value::Alias),
    ];
    let with_props = |value: BoxedStrategy<Value>| {
        let tag = prop_oneof![6 => Just(None), 1 => Just(Some("!reset")), 1 => Just(Some("!!str")), 1 => Just(Some("!"))];
        (
            value,
            prop::bool::weighted(0.2),
            tag,
            prop::bool::weighted(0.2),
            prop::bool::weighted(0.1),
        )
            .prop_map(|(value, anchor, tag, comment, blank_line)| Node {
                value,
                anchor,
                tag,
                comment,
                blank_line,
            })
    };
    with_props(leaf.boxed()).prop_recursive(5, 40, 5, move |inner| {
        let many = prop::collection::vec(inner, 0..5);
        let value = prop_oneof![
            (many.clone(), layout()).prop_map(|(nodes, layout)| Value::Sequence(nodes, layout)),
            (many, layout()).prop_map(|(nodes, layout)| Value::Mapping(nodes, layout)),
        ];
        with_props(value.boxed())
    })
}

/// Writes nodes as text, line ends as `\n`.
#[derive(Default)]
struct Writer {
    text: String,
    anchors: usize,
}

impl Writer {
    fn props(&mut self, node: &Node) {
        if matches!(node.value, Value::Alias) && self.anchors > 0 {
            return;
        }
        if let Some(tag) = node.tag {
            write!(self.text, " {tag}").unwrap();
        }
        if node.anchor {
            write!(self.text, " &a{}", self.anchors).unwrap();
        }
    }

    fn key(&mut self, index: usize, style: usize) {
        let key = match style {
            0 => format!("k{index}"),
            1 => format!("'k {index}'"),
            2 => format!("\"k\\t{index}\""),
            _ => format!("? k{index}"),
        };
        self.text.push_str(&key);
    }

    /// A value between brackets.
    fn flow(&mut self, node: &Node, closed: &mut usize) {
        self.props(node);
        self.text.push(' ');
        match &node.value {
            Value::Null | Value::Block(..) if node.tag.is_some() || node.anchor => {}
            Value::Null | Value::Block(..) => self.text.push_str("''"),
            Value::Alias if *closed > 0 => self.text.push_str("*a0"),
            Value::Alias => self.text.push('y'),
            Value::Sequence(nodes, _) => {
                self.text.push('[');
                for node in nodes {
                    self.flow(node, &mut 0);
                    self.separator(node);
                }
                self.text.push(']');
            }
            Value::Mapping(nodes, layout) => {
                self.text.push('{');
                for (index, node) in nodes.iter().enumerate() {
                    self.key(index, layout.key_style);
                    self.text.push_str(if layout.key_style == 3 { " :" } else { ":" });
                    self.flow(node, &mut 0);
                    self.separator(node);
                }
                self.text.push('}');
            }
            value => self.scalar(value),
        }
        if node.anchor {
            self.anchors += 1;
        }
    }

    fn separator(&mut self, node: &Node) {
        self.text.push_str(if node.comment { " , # c, ]\n            " } else { " , " });
    }

    fn scalar(&mut self, value: &Value) {
        match value {
            Value::Plain(text) => self.text.push_str(text),
            Value::Single(text) => write!(self.text, "'{}'", text.replace('\'', "''")).unwrap(),
            Value::Double(text) => {
                let text = text.replace('\\', "\\\\").replace('"', "\\\"");
                write!(self.text, "\"{text}\"").unwrap();
            }
            _ => {}
        }
    }

    fn end_line(&mut self, node: &Node) {
        if node.comment {
            self.text.push_str(" # - c: [");
        }
        self.text.push('\n');
        if node.blank_line {
            self.text.push_str("\n  # own line\n");
        }
    }

    /// A value behind `-` or `key:`; what it is written in begins at `column`.
    fn block(&mut self, node: &Node, column: usize, in_mapping: bool, open: bool) {
        let aliased = self.anchors > 0 && !open;
        match &node.value {
            Value::Sequence(nodes, layout) if !layout.flow && !nodes.is_empty() => {
                self.props(node);
                self.end_line(node);
                let bare = in_mapping && layout.sequence_step == 0;
                let column = if bare { column } else { column + layout.sequence_step.max(1) };
                let own = self.claim(node);
                for node in nodes {
                    write!(self.text, "{}-", " ".repeat(column)).unwrap();
                    self.block(node, column, false, open || own);
                }
            }
            Value::Mapping(nodes, layout) if !layout.flow && !nodes.is_empty() => {
                self.props(node);
                self.end_line(node);
                let column = column + layout.step;
                let own = self.claim(node);
                for (index, node) in nodes.iter().enumerate() {
                    self.text.push_str(&" ".repeat(column));
                    self.key(index, layout.key_style);
                    if layout.key_style == 3 {
                        write!(self.text, "\n{}:", " ".repeat(column)).unwrap();
                    } else {
                        self.text.push(':');
                    }
                    self.block(node, column, true, open || own);
                }
            }
            Value::Block(sign, chomp, lines) => {
                self.props(node);
                writeln!(self.text, " {sign}{chomp}").unwrap();
                // The first line with text sets the indentation, and no blank one may be deeper.
                let first =
                    lines.iter().position(|line| !line.trim().is_empty() && !line.starts_with(' '));
                for line in lines.iter().skip(first.unwrap_or(lines.len())) {
                    writeln!(self.text, "{}{line}", " ".repeat(column + 3)).unwrap();
                }
                self.claim(node);
            }
            Value::Alias if aliased => {
                self.text.push_str(" *a0");
                self.end_line(node);
            }
            Value::Null | Value::Alias => {
                self.props(node);
                self.end_line(node);
                self.claim(node);
            }
            _ => {
                self.flow(node, &mut usize::from(aliased));
                self.end_line(node);
            }
        }
    }

    /// Counts the anchor of a node. True when it has one.
    fn claim(&mut self, node: &Node) -> bool {
        self.anchors += usize::from(node.anchor);
        node.anchor
    }
}

/// A file whose root is a mapping of such nodes.
fn file() -> impl Strategy<Value = String> {
    let head = prop_oneof![Just(""), Just("\u{feff}"), Just("# c\n---\n"), Just("\n\n# c\n")];
    (prop::collection::vec(node(), 1..5), head, any::<bool>(), any::<bool>()).prop_map(
        |(nodes, head, windows, cut)| {
            let mut writer = Writer { text: head.to_owned(), ..Writer::default() };
            for (index, node) in nodes.iter().enumerate() {
                write!(writer.text, "key{index}:").unwrap();
                writer.block(node, 0, true, false);
            }
            let mut text = writer.text;
            if cut && text.ends_with('\n') {
                text.pop();
            }
            if windows { text.replace('\n', "\r\n") } else { text }
        },
    )
}

fn read(text: &str) -> (Source, Document) {
    let source = Source::new("f.yaml", text);
    let tree =
        parse(&source, &Limits::default()).unwrap_or_else(|problem| panic!("{text}\n{problem:?}"));
    (source, tree)
}

/// Everything that the documentation of the tree says about spans.
fn check_spans(source: &Source, tree: &Document) {
    let mut before = 0;
    for root in tree.roots() {
        assert!(before <= tree.node(*root).start(), "roots overlap");
        before = tree.node(*root).end();
        check_node(source, tree, *root);
    }
    for pair in tree.comments().windows(2) {
        assert!(pair[0].end <= pair[1].start, "comments are out of order");
    }
    for comment in tree.comments() {
        assert!(source.slice(*comment).starts_with('#') && !source.slice(*comment).contains('\n'));
    }
}

fn check_node(source: &Source, tree: &Document, id: NodeId) {
    let node = tree.node(id);
    let text = source.slice(node.span);
    assert!(node.span.start <= node.span.end && node.span.end <= source.text().len());
    for (property, sign) in [(&node.tag, ""), (&node.anchor, "&")] {
        let Some(property) = property else { continue };
        assert_eq!(source.slice(property.span), format!("{sign}{}", property.text));
    }
    let mut last = node.span.start;
    let mut child = |id: NodeId| {
        let child = tree.node(id);
        assert!(last <= child.start(), "{text:?}: overlap before {child:?}");
        assert!(child.end() <= node.span.end, "{text:?}: ends before {child:?}");
        last = child.end();
    };
    match &node.kind {
        Kind::Scalar { value, style } => check_scalar(text, value, *style),
        Kind::Alias { name, target } => {
            assert_eq!(text, format!("*{name}"));
            assert_eq!(tree.node(*target).anchor.as_ref().map(|a| &a.text), Some(name));
        }
        Kind::Sequence { items, flow } => {
            assert_eq!(*flow, text.starts_with('[') && text.ends_with(']'), "{text:?}");
            for item in items {
                child(item.node);
                check_node(source, tree, item.node);
                assert_eq!(item.dash.is_none(), *flow);
                let Some(dash) = item.dash else { continue };
                let node = tree.node(item.node);
                assert_eq!(source.slice(Span::new(dash, dash + 1)), "-");
                assert!(dash < node.start());
                let between = source.slice(Span::new(dash + 1, node.start()));
                let blank = |line: &str| line.trim().is_empty() || line.trim().starts_with('#');
                assert!(between.lines().all(blank), "{between:?}");
            }
            if let Some(dash) = items.first().and_then(|item| item.dash) {
                assert_eq!(dash, node.span.start);
            }
        }
        Kind::Mapping { entries, flow } => {
            assert!(!*flow || !text.starts_with('{') || text.ends_with('}'), "{text:?}");
            for entry in entries {
                child(entry.key);
                child(entry.value);
                check_node(source, tree, entry.key);
                check_node(source, tree, entry.value);
            }
        }
    }
    let children = tree.items(id).len() + tree.entries(id).len();
    let brackets = text.starts_with(['[', '{']);
    assert!(children == 0 || brackets || last == node.span.end, "{text:?} reaches too far");
}

/// The text of a scalar's span says the same on its own.
fn check_scalar(text: &str, value: &str, style: Style) {
    let block = matches!(style, Style::Literal | Style::Folded);
    let sign = match style {
        Style::Plain => "",
        Style::Single => "'",
        Style::Double => "\"",
        Style::Literal => "|",
        Style::Folded => ">",
    };
    assert!(text.starts_with(sign), "{text:?} is {style:?}");
    if text.is_empty() {
        assert_eq!((value, style), ("", Style::Plain));
        return;
    }
    assert!(block || text.trim() == text, "{text:?}");
    assert!(!block || text.contains('+') || !text.ends_with(['\n', '\r']), "{text:?}");
    // A line break ends a text that had one; `+` has its own.
    let header = text.lines().next().unwrap_or_default().split('#').next().unwrap_or_default();
    let end = if block && value.ends_with('\n') && !header.contains('+') { "\n" } else { "" };
    // A digit in the header counts from the parent's column, which is unknown here.
    if block && header.contains(|c: char| c.is_ascii_digit()) {
        return;
    }
    // Between brackets lines may begin in the first column; elsewhere `?` is allowed.
    let alone = [
        format!("- {text}{end}"),
        format!("[{text}]"),
        format!("- {text}: 1"),
        format!("[? {text} : 1]"),
        format!("--- {text}{end}"),
    ];
    let same = alone.iter().any(|text| {
        parse(&Source::new("f.yaml", text.as_str()), &Limits::default()).is_ok_and(|tree| {
            let root = tree.roots()[0];
            let node = tree.items(root).first().map_or(root, |item| item.node);
            let node = tree.entries(node).first().map_or(node, |entry| entry.key);
            tree.text_of(node) == Some(value)
        })
    });
    assert!(same, "{alone:?} is not {value:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spans_are_exact(text in file()) {
        let (source, tree) = read(&text);
        check_spans(&source, &tree);
    }

    #[test]
    fn a_tree_equals_itself_whatever_is_between_its_tokens(text in file()) {
        let (_, tree) = read(&text);
        let (_, again) = read(&format!("# more\n\n{}", text.trim_start_matches('\u{feff}')));
        prop_assert_eq!(tree.same_as(&again), Ok(()));
    }

    #[test]
    fn a_planned_entry_equals_a_written_one(text in file()) {
        let text = text.trim_end_matches(['\r', '\n']).to_owned() + "\n";
        let (_, mut planned) = read(&text);
        let root = planned.roots()[0];
        let value = New::Sequence { items: vec![New::plain("x:/y")], flow: true };
        planned.insert_entry(root, usize::MAX, ("new", Style::Plain), &value).unwrap();
        let (_, written) = read(&format!("{text}new: [x:/y]\n"));
        prop_assert_eq!(planned.same_as(&written), Ok(()));
    }

    #[test]
    fn broken_text_is_a_problem_and_no_panic(text in file(), at in any::<prop::sample::Index>(), put in "[\\[\\]{}:,\"'&*!|>%@`#?\\- \t\n\\\\a\u{e9}]{1,3}") {
        let at = at.index(text.len() + 1);
        let at = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let mut text = text;
        text.insert_str(at, &put);
        let source = Source::new("f.yaml", text.as_str());
        match parse(&source, &Limits::default()) {
            Ok(tree) => check_spans(&source, &tree),
            Err(problem) => {
                let span = problem.span.unwrap();
                prop_assert!(text.get(span.range()).is_some(), "{:?}", problem);
                prop_assert!(!problem.message.contains("cannot tell where"), "{:?}", problem);
            }
        }
    }
}
