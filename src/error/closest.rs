//! What the user may have meant by a word that is not known.

use std::borrow::Cow;

/// The complaint about a word that is not among the known ones of its kind. It names a close one,
/// else ends with `otherwise`.
pub fn unknown<'a>(
    kind: &str,
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
    otherwise: &str,
) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let word = shortened(word, LONGEST);
    let lower = word.to_lowercase();
    match similar::get_close_matches(lower.as_str(), &known, 1, 0.6).first() {
        Some(close) => format!("unknown {kind} `{word}`; did you mean `{close}`?"),
        None => format!("unknown {kind} `{word}`; {otherwise}"),
    }
}

/// Characters of a word that are worth showing.
const LONGEST: usize = 60;

/// A text with no more than so many characters; what is cut off is marked.
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_words_are_named() {
        let known = ["slow-tree", "slow-writes", "duplicate-target"];
        for (word, message) in [
            ("slow-tre", "unknown rule `slow-tre`; did you mean `slow-tree`?"),
            ("Slow-Write", "unknown rule `Slow-Write`; did you mean `slow-writes`?"),
            ("sarif", "unknown rule `sarif`; see the list"),
            ("", "unknown rule ``; see the list"),
        ] {
            assert_eq!(unknown("rule", word, known, "see the list"), message);
        }
        let long = unknown("rule", &"ü".repeat(99), known, "see the list");
        assert_eq!(long, format!("unknown rule `{}…`; see the list", "ü".repeat(LONGEST)));
    }
}
