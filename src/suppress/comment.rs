//! Comments that ask for a finding not to count.
//!
//! `# composefix: ignore[rule, rule] reason`, at the end of a line of the mount, or on a line of its
//! own in the comment right above it.

use crate::source::{Source, Span};
use crate::yaml::Document;

/// What such a comment begins with.
const NAME: &str = "composefix:";

/// A comment that asks for findings not to count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// From its `#` to its end.
    pub span: Span,
    /// The line that it stands on, from 1.
    pub line: usize,
    /// The rules between the brackets; none when there are no brackets, or nothing in them.
    pub rules: Vec<String>,
    /// Why; none when it does not say.
    pub reason: Option<String>,
}

/// The comments of one file.
#[derive(Debug, Clone, Default)]
pub struct Comments {
    /// In the order of the file.
    pub all: Vec<Comment>,
}

/// Lines above a mount that are looked through for a request.
const LINES_ABOVE: usize = 20;

impl Comments {
    /// Finds them.
    pub fn of(source: &Source, document: &Document) -> Self {
        if !source.text().contains(NAME) {
            return Self::default();
        }
        let spans = document.comments().iter();
        Self { all: spans.filter_map(|span| comment(source, *span)).collect() }
    }

    /// Those that speak of what stands on the lines from `first` to `last`.
    pub fn about<'a>(
        &'a self,
        source: &'a Source,
        first: usize,
        last: usize,
    ) -> impl Iterator<Item = &'a Comment> {
        let at = self.all.partition_point(|comment| comment.line + LINES_ABOVE < first);
        let near = self.all.get(at..).unwrap_or_default();
        let near = near.iter().take_while(move |comment| comment.line <= last);
        near.filter(move |comment| {
            let above = || (comment.line..first).all(|line| is_comment(source, line));
            comment.line >= first || above()
        })
    }
}

/// True for a line that holds a comment and nothing else.
fn is_comment(source: &Source, line: usize) -> bool {
    let start = source.offset_of(line, 1);
    source
        .slice(Span::new(start, source.line_end(start)))
        .trim_start_matches(['\u{feff}', ' ', '\t'])
        .starts_with('#')
}

/// The request in a comment; none in any other comment.
fn comment(source: &Source, whole: Span) -> Option<Comment> {
    let text = source.slice(whole);
    // A comment may say something else first: `# the source  # composefix: ignore[slow-tree] …`.
    let (at, rest) = text.match_indices('#').find_map(|(at, _)| {
        let rest = text.get(at + 1..)?.trim_start().strip_prefix(NAME)?.trim_start();
        Some((at, rest.strip_prefix("ignore")?))
    })?;
    if rest.starts_with(|c: char| c.is_alphanumeric() || c == '-' || c == '_') {
        return None;
    }
    let (rules, reason) = match rest.trim_start().strip_prefix('[').and_then(|r| r.split_once(']'))
    {
        Some((rules, reason)) => (rules, reason),
        None => ("", rest),
    };
    let rules = rules.split(',').map(str::trim).filter(|rule| !rule.is_empty());
    let reason = reason.trim().trim_start_matches([':', '-', '–', '—']).trim();
    Some(Comment {
        span: Span::new(whole.start + at, whole.end),
        line: source.position(whole.start).line,
        rules: rules.map(str::to_owned).collect(),
        reason: reason.chars().any(char::is_alphanumeric).then(|| reason.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::{Limits, parse};

    fn comments(text: &str) -> (Source, Comments) {
        let source = Source::new("f", text);
        let document = parse(&source, &Limits::default()).unwrap();
        let comments = Comments::of(&source, &document);
        (source, comments)
    }

    #[test]
    fn rules_and_reason_are_told_apart() {
        for (text, rules, reason) in [
            ("# composefix: ignore[slow-tree] small team", vec!["slow-tree"], Some("small team")),
            ("#composefix:ignore[a,b ]: why, [really]", vec!["a", "b"], Some("why, [really]")),
            ("# source # composefix: ignore[a] - ok", vec!["a"], Some("ok")),
            ("# composefix: ignore[a]", vec!["a"], None),
            ("# composefix: ignore[a] --", vec!["a"], None),
            ("# composefix: ignore[] why", vec![], Some("why")),
            ("# composefix: ignore", vec![], None),
            ("# composefix: ignore[a why", vec![], Some("[a why")),
        ] {
            let (source, comments) = comments(&format!("a: b {text}\r\n"));
            let [comment] = comments.all.as_slice() else { panic!("{text}") };
            assert_eq!(comment.rules, rules, "{text}");
            assert_eq!(comment.reason.as_deref(), reason, "{text}");
            assert!(text.ends_with(source.slice(comment.span)), "{text}");
        }
        for text in ["# about composefix: ignore[a] b", "# composefix: ignored", "# composefix: x"]
        {
            assert!(comments(&format!("a: b {text}\n")).1.all.is_empty(), "{text}");
        }
        let literal = "a: |\n  # composefix: ignore[a] no comment\n";
        assert!(comments(literal).1.all.is_empty());
    }

    #[test]
    fn a_comment_is_about_its_line_or_about_what_follows_it() {
        let ignore = "# composefix: ignore[a] why";
        let text = format!(
            "- one {ignore}\n- two\n{ignore}\n# and more words\n  {ignore}\n- three\n\n{ignore}\n\n- four\n"
        );
        let (source, comments) = comments(&text);
        let lines = |line: usize| -> Vec<usize> {
            comments.about(&source, line, line).map(|comment| comment.line).collect()
        };
        assert_eq!(lines(1), [1]);
        assert_eq!(lines(2), [0; 0], "the end of the line above speaks of that line");
        assert_eq!(lines(6), [3, 5]);
        assert_eq!(lines(10), [0; 0], "a blank line parts them");
    }
}
