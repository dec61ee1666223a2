//! Text from files and names, made harmless for terminals.
//!
//! A Compose file may come from a stranger. An escape sequence in it could rewrite what the user
//! sees before they answer a question, and a bidirectional control could hide what a line says.

use std::borrow::Cow;

/// `text` with every character that a terminal would obey instead of show written as an escape:
/// `\n`, `\u{1b}`. Tabs are escaped too; a line of source that keeps them uses [`visible_line`].
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden)
}

/// The same for a line of source text: tabs stay.
pub fn visible_line(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c != '\t' && is_hidden(c))
}

/// True for characters that are obeyed or leave no trace: control characters, marks that change
/// the direction of writing, line separators, tags and other marks without width.
pub(super) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

fn escaped(text: &str, escape: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&escape) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            c if !escape(c) => out.push(c),
            '\n' | '\r' | '\t' => out.extend(c.escape_default()),
            c => out.extend(c.escape_unicode()),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        for (text, shown) in [
            ("plain ümläut 日本 👩‍💻", "plain ümläut 日本 👩‍💻"),
            ("\u{1b}[2Jx", "\\u{1b}[2Jx"),
            ("a\u{9b}31m", "a\\u{9b}31m"),
            ("a\nb\r\tc\0\u{7f}", "a\\nb\\r\\tc\\u{0}\\u{7f}"),
            ("\u{202e}gnp.\u{2066}x\u{2069}", "\\u{202e}gnp.\\u{2066}x\\u{2069}"),
            ("\u{feff}\u{200b}\u{e0041}", "\\u{feff}\\u{200b}\\u{e0041}"),
        ] {
            assert_eq!(visible(text), shown);
            assert!(!visible(text).contains(is_hidden));
        }
    }

    #[test]
    fn lines_keep_their_tabs() {
        assert_eq!(visible_line("\ta\u{1b}"), "\ta\\u{1b}");
    }
}
