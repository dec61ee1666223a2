//! Where the parser's spans are not what the tree promises, and what Compose refuses.

use super::*;
use crate::error::Problem;
use crate::source::Source;

struct File {
    source: Source,
    tree: Document,
}

impl File {
    fn new(text: &str) -> Self {
        let source = Source::new("f.yaml", text);
        let tree = parse(&source, &Limits::default()).unwrap_or_else(|p| panic!("{text:?}: {p:?}"));
        Self { source, tree }
    }

    /// The node at a path of keys and indices.
    fn at(&self, path: &str) -> NodeId {
        path.split('/').filter(|step| !step.is_empty()).fold(self.tree.roots()[0], |node, step| {
            match step.parse::<usize>() {
                Ok(index) => self.tree.items(node)[index].node,
                Err(_) => self.tree.get(node, step).unwrap_or_else(|| panic!("no {step}")).value,
            }
        })
    }

    fn text(&self, path: &str) -> &str {
        self.source.slice(self.tree.node(self.at(path)).span)
    }

    fn span(&self, path: &str) -> Span {
        self.tree.node(self.at(path)).span
    }

    fn dashes(&self, path: &str) -> Vec<usize> {
        self.tree.items(self.at(path)).iter().filter_map(|item| item.dash).collect()
    }
}

fn refused(text: &str) -> Problem {
    let source = Source::new("f.yaml", text);
    match parse(&source, &Limits::default()) {
        Ok(_) => panic!("accepted: {text:?}"),
        Err(problem) => problem,
    }
}

/// Message and the text it points to.
fn refusal(text: &str) -> (String, String) {
    let (source, problem) = (Source::new("f.yaml", text), refused(text));
    let token = source.slice(problem.span.unwrap_or_default()).to_owned();
    (problem.message, token)
}

#[track_caller]
fn assert_refused(text: &str, message: &str, token: &str) {
    assert_eq!(refusal(text), (message.to_owned(), token.to_owned()), "{text:?}");
}

#[test]
fn pitfall_1_dashes_are_found_and_lists_begin_at_the_first() {
    let f = File::new("a:\n- x\n# - c\n- # d - e\n- y\n-\nb: 1\n");
    assert_eq!(f.dashes("a"), [3, 13, 23, 27]);
    assert_eq!(f.text("a"), "- x\n# - c\n- # d - e\n- y\n-");
    assert_eq!(f.span("a/1"), Span::at(14));
    assert_eq!(f.span("a/3"), Span::at(28));
}

#[test]
fn pitfall_1_nested_dashes_belong_to_their_own_lists() {
    let f = File::new("- - x\n  - y\n-   - z\n- -\n  -\n");
    assert_eq!(f.dashes(""), [0, 12, 20]);
    assert_eq!((f.dashes("0"), f.dashes("1"), f.dashes("2")), (vec![2, 8], vec![16], vec![22, 26]));
    assert_eq!((f.text("0"), f.text("2")), ("- x\n  - y", "-\n  -"));
}

#[test]
fn pitfall_1_a_dash_of_a_block_scalar_header_is_no_dash() {
    let f = File::new("a:\n- |-\n  x\n- >-\n  - y\n- -z\n");
    assert_eq!(f.dashes("a"), [3, 12, 23]);
    assert_eq!(f.text("a/1"), ">-\n  - y");
}

#[test]
fn pitfall_2_block_collections_end_with_their_last_descendant() {
    let f = File::new("a:\n  b:\n    - c: 1 # d\n\n# e\nf: 2\n");
    assert_eq!((f.text("a"), f.text("a/b"), f.text("a/b/0")), ("b:\n    - c: 1", "- c: 1", "c: 1"));
    assert_eq!(f.text(""), "a:\n  b:\n    - c: 1 # d\n\n# e\nf: 2");
}

#[test]
fn pitfall_2_an_absent_last_value_ends_a_collection() {
    let f = File::new("a:\n  - b:\n# c\nd:\n  - !t\ne:\n  k: !t # x\n");
    assert_eq!((f.text("a"), f.text("d"), f.text("e")), ("- b:", "- !t", "k: !t"));
}

#[test]
fn pitfall_3_block_scalars_reach_from_header_to_end_of_text() {
    let text =
        "a: | # c\n  x\n  y\n\n\n# d\nb: !t &k >-\n  z\n    \nc: |2\n   i\nd: |\ne: >\n\n\nf: 1\n";
    let f = File::new(text);
    assert_eq!(f.text("a"), "| # c\n  x\n  y");
    // Blanks deeper than the text are text.
    assert_eq!((f.text("b"), f.tree.text_of(f.at("b"))), (">-\n  z\n    ", Some("z\n  ")));
    assert_eq!((f.text("c"), f.text("d"), f.text("e")), ("|2\n   i", "|", ">"));
}

#[test]
fn pitfall_3_plus_keeps_its_line_breaks() {
    let f = File::new("a:\n  b: |+\n    x\n\n  c: |+\n\n\n  d: |+\n    y");
    assert_eq!(f.text("a/b"), "|+\n    x\n\n");
    assert_eq!(f.text("a/c"), "|+\n\n\n");
    assert_eq!(f.text("a/d"), "|+\n    y");
    assert_eq!(f.tree.text_of(f.at("a/d")), Some("y"));
}

#[test]
fn pitfall_3_line_breaks_of_windows() {
    let f = File::new("a: |\r\n  x\r\n\r\n\r\nb: |+\r\n  y\r\n\r\nc: 1\r\n");
    assert_eq!((f.text("a"), f.text("b")), ("|\r\n  x", "|+\r\n  y\r\n\r\n"));
}

#[test]
fn pitfall_4_absent_values_lie_behind_colon_or_dash() {
    let f = File::new("a:\nb: # c\nc: ~\nd: !reset\ne: &x !t\nf: {g: , h, \"i\":}\n? j\n");
    assert_eq!((f.span("a"), f.span("b")), (Span::at(2), Span::at(5)));
    assert_eq!(f.text("c"), "~");
    assert_eq!(f.tree.text_of(f.at("a")), Some(""));
    let (d, e) = (f.tree.node(f.at("d")), f.tree.node(f.at("e")));
    assert_eq!(f.source.slice(Span::new(d.span.start - 2, d.end())), "d: !reset");
    assert_eq!((d.tag.as_ref().unwrap().text.as_str(), d.span.is_empty()), ("!reset", true));
    assert_eq!(f.source.slice(Span::new(e.start(), e.end())), " &x !t");
    let behind = |path| f.source.slice(Span::new(0, f.span(path).start)).to_owned();
    assert!(behind("f/g").ends_with("{g:") && behind("f/h").ends_with(", h"));
    assert!(behind("f/i").ends_with("\"i\":") && behind("j").ends_with("? j"));
}

#[test]
fn pitfall_4_an_absent_document_lies_behind_its_marker() {
    let f = File::new("--- # c\n...\n---\n");
    let spans: Vec<Span> = f.tree.roots().iter().map(|root| f.tree.node(*root).span).collect();
    assert_eq!(spans, [Span::at(3), Span::at(15)]);
    assert!(File::new("# nothing\n").tree.roots().is_empty());
}

#[test]
fn pitfall_5_properties_have_their_places() {
    let f = File::new(
        "a: &x !t # c\n  k: 1\nb: !<tag:yaml.org,2002:str> &y-1 v\nc: *x\nd: &z\n  &k key: 1\n",
    );
    let node = f.tree.node(f.at("a"));
    let (tag, anchor) = (node.tag.as_ref().unwrap(), node.anchor.as_ref().unwrap());
    assert_eq!((tag.text.as_str(), f.source.slice(tag.span)), ("!t", "!t"));
    assert_eq!((anchor.text.as_str(), f.source.slice(anchor.span)), ("x", "&x"));
    assert_eq!((node.start(), f.text("a")), (3, "k: 1"));
    let tag = f.tree.node(f.at("b")).tag.as_ref().unwrap();
    assert_eq!(tag.text, "!<tag:yaml.org,2002:str>");
    assert_eq!(f.tree.follow(f.at("c")), f.at("a"));
    assert_eq!((f.text("c"), f.text("d")), ("*x", "&k key: 1"));
    let comments: Vec<&str> = f.tree.comments().iter().map(|c| f.source.slice(*c)).collect();
    assert_eq!(comments, ["# c"]);
}

#[test]
fn pitfall_6_errors_point_to_tokens_and_speak_plainly() {
    assert_refused("a: b: c\n", "a `:` stands where no key can be", ":");
    assert_refused(
        "a:\n  b: 1\n c: 2\n",
        "the indentation of this line fits nothing above it",
        "c: 2",
    );
    assert_refused(
        "- a\nb: c # d\n",
        "the indentation of this line fits nothing above it",
        "b: c # d",
    );
    assert_refused("a: \"b\nc: 1\n", "this quote is never closed", "\"b");
    assert_refused("a: [1, 2\n", "this `[` is never closed", "[");
    assert_refused("a: @b c\n", "no value can start with `@`", "@b");
    assert_refused("a: \"x\\q\"\n", "`\\q` is no escape that YAML knows", "\\q");
    assert_refused("a: 'b' c\n", "text follows the closing quote", "c");
    assert_refused("a: [b}\n", "`[` is closed by `}`", "[");
    assert_refused("a: 1\nb\nc: 2\n", "this line is neither a key nor a list item", "b");
}

#[test]
fn pitfall_8_a_byte_order_mark_is_no_indentation() {
    let f = File::new("\u{feff}a:\n- b\n");
    assert_eq!((f.span("").start, f.dashes("a")), (3, vec![6]));
    assert_refused(
        "a: 1\n\u{feff}b: 2\n",
        "a byte order mark stands inside the file: U+FEFF",
        "\u{feff}",
    );
}

#[test]
fn pitfall_14_text_at_the_end_without_line_break_has_none() {
    let f = File::new("a: |\n  x");
    assert_eq!((f.tree.text_of(f.at("a")), f.text("a")), (Some("x"), "|\n  x"));
}

#[test]
fn pitfall_18_an_alias_inside_its_own_value_is_refused() {
    assert_refused("a: &a [*a]\n", "alias `*a` stands inside the value it stands for", "*a");
    assert_refused(
        "a: &a\n  b: {c: *a}\n",
        "alias `*a` stands inside the value it stands for",
        "*a",
    );
}

#[test]
fn aliases_without_anchor_are_refused() {
    assert_refused(
        "a: *b\nc: &b 1\n",
        "alias `*b` stands for nothing: no `&b` comes before it",
        "*b",
    );
}

#[test]
fn aliases_mean_the_last_anchor_before_them_and_reach_earlier_documents() {
    let f = File::new("a: &x 1\nb: &x 2\nc: *x\n");
    assert_eq!(f.tree.follow(f.at("c")), f.at("b"));
    let f = File::new("a: &x 1\n---\n- *x\n");
    let second = f.tree.items(f.tree.roots()[1])[0].node;
    assert_eq!(f.tree.follow(second), f.at("a"));
}

#[test]
fn keys_stand_once() {
    assert_refused("a: 1\nb: 2\n'a': 3\n", "the key 'a' stands twice, on lines 1 and 3", "'a'");
    assert_refused("x: {1: a, \"1\": b}", "the key \"1\" stands twice, on lines 1 and 1", "\"1\"");
    assert_refused("<<: {a: 1}\n<<: {b: 1}\n", "the key << stands twice, on lines 1 and 2", "<<");
    File::new("a: {b: 1}\nb: {b: 1}\n1: a\n01: b\n");
    File::new("&k b: 1\nc: 2\n*k : 3\n");
}

#[test]
fn keys_are_scalars() {
    assert_refused("a:\n  : x\n", "an entry without a key", ": x");
    assert_refused("? [a]\n: 1\n", "a list or mapping cannot be a key", "[a]");
    assert_refused("a: {{ .X }}\n", "a list or mapping cannot be a key", "{{ .X }}");
    assert_refused("a: &x [b]\n*x : 1\n", "a list or mapping cannot be a key", "*x");
    assert!(File::new("!!str : 1\n").tree.get(NodeId(0), "").is_some());
}

#[test]
fn a_colon_before_a_comma_belongs_to_a_plain_key() {
    let f = File::new("{a:, b: 1, c :, \"d\":, e:}");
    let keys: Vec<_> =
        f.tree.entries(f.at("")).iter().map(|e| f.tree.text_of(e.key).unwrap()).collect();
    assert_eq!(keys, ["a:", "b", "c :", "d", "e:"]);
    assert_eq!(f.source.slice(f.tree.node(f.tree.entries(f.at(""))[0].key).span), "a:");
    let f = File::new("[a:, http://x:, [&k b:], *k, {c: d}, \"e\":]");
    let texts: Vec<_> = f.tree.items(f.at("")).iter().map(|i| f.tree.text_of(i.node)).collect();
    assert_eq!(texts, [Some("a:"), Some("http://x:"), None, None, None, None]);
    assert_eq!((f.text("2/0"), f.text("5")), ("b:", "\"e\":"));
    assert_eq!(f.tree.follow(f.at("3")), f.at("2/0"));
}

#[test]
fn compose_refuses_some_escapes_and_characters() {
    assert_refused("a: \"x\\\\\\/y\"\n", "Compose does not know the escape `\\/`", "\\/");
    assert_refused(
        "a: \"\\ud83d\\ude80\"\n",
        "Compose does not know the escape `\\ud83d`",
        "\\ud83d",
    );
    File::new("a: \"\\u00e9\\x41\\U0001f680\\\\/\"\nb: '\\/'\n");
    for (text, code) in
        [("a\u{85}b", "U+0085"), ("a \u{2028}b", "U+2028"), ("- 'a\u{2029}b'", "U+2029")]
    {
        let message = format!("this invisible character ends the line for Compose: {code}");
        assert_eq!(refused(text).message, message);
    }
    assert_eq!(
        refused("a: \u{7f}").message,
        "Compose does not allow this control character: U+007F"
    );
    assert_eq!(
        refused("a: \u{9f}").message,
        "Compose does not allow this control character: U+009F"
    );
    File::new("ä: ö \u{a0} \u{2027} \u{feff}\n");
}

#[test]
fn a_dash_between_brackets_is_text() {
    let f = File::new("a: [cat, -, {b: -}, -]\nc: [\n\t\"d\",\n\t-]\n");
    let texts =
        |path| f.tree.items(f.at(path)).iter().map(|i| f.tree.text_of(i.node)).collect::<Vec<_>>();
    assert_eq!(texts("a"), [Some("cat"), Some("-"), None, Some("-")]);
    assert_eq!(
        (f.tree.text_of(f.at("a/2/b")), texts("c")),
        (Some("-"), vec![Some("d"), Some("-")])
    );
}

#[test]
fn a_comment_may_follow_a_quote_or_bracket() {
    let f = File::new("a: \"b\"# c\nd: [e]#é\nf: 'g'#\nh: 1\n");
    assert_eq!((f.text("a"), f.text("d"), f.text("f"), f.text("h")), ("\"b\"", "[e]", "'g'", "1"));
    let comments: Vec<&str> = f.tree.comments().iter().map(|c| f.source.slice(*c)).collect();
    assert_eq!(comments, ["# c", "#é"]);
}

#[test]
fn keys_and_names_have_the_form_that_compose_asks_for() {
    assert_refused("{a\n b: 1}\n", "a key and its `:` must stand on one line", "a\n b");
    File::new("{? a\n b\n : 1, \"c\": \n d}\n");
    let message = "Compose allows only ASCII letters, digits, `-` and `_` in the name of an anchor";
    assert_refused("a: &b.c 1\n", message, "&b.c");
    assert_refused("a: &b{c: d}\n", message, "&b");
}

#[test]
fn compose_ends_plain_text_between_brackets_at_a_question_mark() {
    let message = "Compose does not allow `?` in text without quotes between brackets";
    assert_refused("a: [curl, http://x/?y=1]\n", message, "?");
    File::new("a: [\"x?\", 'y?']\nb: http://x/?y=1\nc: {? d : e}\n");
}

#[test]
fn tabs_are_refused_where_compose_refuses_them() {
    let indents = "a tab indents this line; YAML allows spaces only";
    let stands = "a tab stands here; YAML allows spaces only";
    for text in [
        "a:\n\tb: 1\n",
        "a: 1\n\t\nb: 2\n",
        "a: \"1\"\n\t# c\n",
        "a: x\n\ty\n",
        "- [a\n\t]\n",
        "\ta: 1\n",
        "a: |\n  \tx\n",
        "a: |\n \t\n  x\n",
    ] {
        assert_refused(text, indents, "\t");
    }
    for text in ["-\tx\n", "- \tx\n", "-\t\n  x\n", "?\ta\n", "? a\n:\tb\n", "- -\tx\n"] {
        assert_refused(text, stands, "\t");
    }
    for text in [
        "a:\t1\t# c\n",
        "a\t: 1\n",
        "{\n\t\"a\": [\n\t\t1\n\t]\n}\n",
        "a: \"x\n\ty\"\n",
        "a: x\n \ty\n",
        "a: x\n \t\n \t# c\n",
        "a: |\t# c\n  x\n  \t\n",
        "--- \t1\n",
        "a: &x\t!t\t1\n",
        "a: &x-\t1\n",
        "# \t-\tx\n- '-\tx'\n",
        "a: [\"b\"\n\t]\n",
    ] {
        File::new(text);
    }
}

#[test]
fn tabs_indent_freely_between_brackets() {
    let f = File::new("a: [\n\t\"b\\\n\tc\n\n\td\", # e\n\t{\tf: \"g\"\n\t}]\nh: |\n  x\n  \ty\n");
    assert_eq!(f.tree.text_of(f.at("a/0")), Some("bc\nd"));
    assert_eq!(f.text("a/1"), "{\tf: \"g\"\n\t}");
    assert_eq!(f.tree.text_of(f.at("h")), Some("x\n\ty\n"));
    let indents = "a tab indents this line; YAML allows spaces only";
    assert_refused("a: [\n\t\"b\"]\nc:\n\td: 1\n", indents, "\t");
    assert_refused("a: [\n\t\"b\"]\nc: |\n\td: 1\n", indents, "\t");
    assert_refused("a: [\n\tb\n\t]\n", indents, "\t");
    File::new("a:\n  - [1,\n\t2]\n");
}

#[test]
fn limits_hold() {
    let parse = |text: &str, limits: Limits| parse(&Source::new("f.yaml", text), &limits);
    let limits = Limits { nodes: 5, ..Limits::default() };
    assert!(parse("[1, 2, 3, 4]", limits).is_ok());
    assert_eq!(
        parse("[1, 2, 3, 4, 5]", limits).unwrap_err().message,
        "this file has more than 5 values"
    );
    let limits = Limits { bytes: 1 << 20, ..Limits::default() };
    assert_eq!(
        parse(&"#".repeat((1 << 20) + 1), limits).unwrap_err().message,
        "this file is larger than 1 MiB"
    );
    for text in ["[".repeat(256), "- ".repeat(256), "{a: ".repeat(100_000)] {
        assert_eq!(refused(&text).message, "lists and mappings are more than 255 deep");
    }
    File::new(&("a:\n".to_owned() + &"# c\n".repeat(5000) + "  b: 1\n"));
}

#[test]
fn a_large_file_takes_no_more_than_proportional_time() {
    use std::fmt::Write as _;
    let mut text = String::new();
    for i in 0..20_000 {
        writeln!(text, "key{i}: {{a: [1, *x], b: \"\t\"}}").unwrap();
    }
    let f = File::new(&("x: &x\n  - 1\n".to_owned() + &text));
    assert_eq!(f.tree.entries(f.at("")).len(), 20_001);
}

#[test]
fn paths_and_parents() {
    let f = File::new("services:\n  web:\n    volumes: [a, {b.c: 1}]\n");
    let node = f.at("services/web/volumes/1/b.c");
    assert_eq!(f.tree.path_of(node), "services.web.volumes[1][\"b.c\"]");
    assert_eq!(f.tree.path_of(f.tree.roots()[0]), "");
    let parents = f.tree.parents();
    assert_eq!(parents[f.at("services/web").0 as usize], Some(f.at("services")));
    assert_eq!(parents[f.tree.roots()[0].0 as usize], None);
}
