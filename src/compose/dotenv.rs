//! `.env` files, read as Compose reads them.

use super::interpolate::{InvalidTemplate, Variables, interpolate};

/// Bytes that variables may add to the values of one file.
const GROWTH: usize = 8 << 20;

/// What went wrong on which line of an `.env` file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Malformed {
    /// Byte offset of the line.
    pub(super) offset: usize,
    /// What is wrong, without the value: that may be a secret.
    pub(super) message: String,
}

/// Reads `NAME=value` lines. Values may use the variables of `outer` and those above them.
///
/// # Errors
/// At the first line that Compose refuses.
pub(super) fn parse(text: &str, outer: &dyn Variables) -> Result<Vec<(String, String)>, Malformed> {
    let mut found: Vec<(String, String)> = Vec::new();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut rest = text;
    let mut size = 0;
    while !rest.is_empty() {
        let offset = text.len() - rest.len();
        let bad = |message: &str| Malformed { offset, message: message.to_owned() };
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            rest = after;
            continue;
        }
        let body = trimmed.strip_prefix("export ").unwrap_or(trimmed).trim_start();
        let Some(split) = body.find(['=', ':']) else {
            // A bare name is taken from the environment.
            if body.contains(char::is_whitespace) {
                return Err(bad("a name cannot contain spaces"));
            }
            if let Some(value) = outer.value(body) {
                found.push((body.to_owned(), value.to_owned()));
            }
            rest = after;
            continue;
        };
        let (name, value) = body.split_at_checked(split).unwrap_or((body, ""));
        let name = name.trim_end();
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(bad("a name cannot be empty or contain spaces"));
        }
        let value = value.get(1..).unwrap_or_default().trim_start();
        let quote = value.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let (raw, single) = if let Some(quote) = quote {
            // A quoted value may go on over several lines.
            let from = rest.find(value).map_or(0, |i| i + 1);
            let tail = rest.get(from..).unwrap_or_default();
            let end = closing(tail, quote).ok_or_else(|| bad("a quoted value is not closed"))?;
            let inner = tail.get(..end).unwrap_or_default();
            let behind = tail.get(end + 1..).unwrap_or_default();
            rest = behind.split_once('\n').map_or("", |(_, next)| next);
            (unescape(inner, quote), quote == '\'')
        } else {
            rest = after;
            let cut = value.find(" #").unwrap_or(value.len());
            let value = if value.starts_with('#') { "" } else { value.get(..cut).unwrap_or(value) };
            (value.trim_end().to_owned(), false)
        };
        let value = if single {
            raw
        } else {
            let scope = Scope { found: &found, outer };
            interpolate(&raw, &scope).map_err(|e| bad(reason(&e)))?.text
        };
        size += value.len();
        if size > text.len() + GROWTH {
            return Err(bad(reason(&InvalidTemplate::Length)));
        }
        found.push((name.to_owned(), value));
    }
    Ok(found)
}

/// What is wrong with a value, without its text.
fn reason(invalid: &InvalidTemplate) -> &'static str {
    match invalid {
        InvalidTemplate::Variable(_) => "the value has a `${` that starts no valid variable",
        InvalidTemplate::Depth => "the variables are nested too deeply",
        InvalidTemplate::Length => "the variables fill in too much text",
    }
}

/// Offset of the quote that closes a value; a backslash guards the next character.
fn closing(text: &str, quote: char) -> Option<usize> {
    let mut guarded = false;
    for (at, c) in text.char_indices() {
        if c == quote && !guarded {
            return Some(at);
        }
        guarded = c == '\\' && !guarded;
    }
    None
}

fn unescape(text: &str, quote: char) -> String {
    if quote == '\'' {
        return text.replace("\\'", "'");
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('n') => out.push('\n'),
                Some('r') => out.push('\r'),
                Some('t') => out.push('\t'),
                Some('$') => out.push_str("$$"),
                Some(other @ ('"' | '\\' | '\'')) => out.push(other),
                Some(other) => out.extend(['\\', other]),
                None => out.push('\\'),
            },
            (c, false) => out.push(c),
        }
    }
    out
}

struct Scope<'a> {
    found: &'a [(String, String)],
    outer: &'a dyn Variables,
}

impl Variables for Scope<'_> {
    fn value(&self, name: &str) -> Option<&str> {
        // The environment wins over the file, as in Compose.
        self.outer
            .value(name)
            .or_else(|| self.found.iter().rev().find(|(n, _)| n == name).map(|(_, v)| v.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn values(text: &str) -> Vec<(String, String)> {
        parse(text, &BTreeMap::from([("HOST", "h")])).unwrap()
    }

    #[test]
    fn lines_quotes_comments_and_variables() {
        let text = "# c\nA=1\nexport B = two words # c\nC=\"x$A\\n${HOST}\" # c\nD='$A'\nE=\nHOST\n\
                    F=\"a\nb\"\nG=x#y\nH: 7\nI=\"c\\$A\"\r\n";
        let got = values(text);
        let got: Vec<_> = got.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(
            got,
            [
                ("A", "1"),
                ("B", "two words"),
                ("C", "x1\nh"),
                ("D", "$A"),
                ("E", ""),
                ("HOST", "h"),
                ("F", "a\nb"),
                ("G", "x#y"),
                ("H", "7"),
                ("I", "c$A"),
            ]
        );
    }

    #[test]
    fn what_compose_refuses_names_its_line() {
        let none = BTreeMap::new();
        assert_eq!(parse("A=1\nB C=2\n", &none).unwrap_err().offset, 4);
        assert!(parse("A=\"open\n", &none).unwrap_err().message.contains("not closed"));
    }

    #[test]
    fn a_bad_value_is_not_shown() {
        for text in ["A=secret${B", "A=secret${b.secret}", "A=${secret!}"] {
            let message = parse(text, &BTreeMap::new()).unwrap_err().message;
            assert!(
                message.contains("no valid variable") && !message.contains("secret"),
                "{message}"
            );
        }
    }

    #[test]
    fn values_do_not_grow_without_end() {
        let mut text = "V0=0123456789\n".to_owned();
        text.extend((1..40).map(|n| format!("V{n}=$V{0}$V{0}\n", n - 1)));
        assert!(parse(&text, &BTreeMap::new()).unwrap_err().message.contains("too much text"));
        let mut text = format!("A={}\n", "x".repeat(1 << 20));
        text.extend((0..20).map(|n| format!("V{n}=$A\n")));
        assert!(parse(&text, &BTreeMap::new()).unwrap_err().message.contains("too much text"));
    }
}
