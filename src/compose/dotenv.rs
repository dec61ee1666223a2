//! `.env` files, read as Compose reads them.

use std::collections::BTreeMap;

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

/// Reads `NAME=value` lines. Values may use the variables of `outer`, those above them and those of
/// the files before, `earlier`.
///
/// # Errors
/// At the first line that Compose refuses.
pub(super) fn parse(
    text: &str,
    outer: &dyn Variables,
    earlier: &BTreeMap<String, String>,
) -> Result<Vec<(String, String)>, Malformed> {
    let mut found: Vec<(String, String)> = Vec::new();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut rest = text;
    let mut size = 0;
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return Ok(found);
        }
        if rest.starts_with('#') {
            rest = rest.split_once('\n').map_or("", |(_, next)| next);
            continue;
        }
        let offset = text.len() - rest.len();
        let bad = |message: &str| Malformed { offset, message: message.to_owned() };
        let (name, value) = match statement(rest).map_err(bad)? {
            // A bare word at the very end counts for nothing.
            Statement::End => return Ok(found),
            // A bare name is taken from the environment.
            Statement::Bare(name, next) => {
                rest = next;
                found.extend(outer.value(name).map(|value| (name.to_owned(), value.to_owned())));
                continue;
            }
            Statement::Set(name, value) => (name, value),
        };
        let (raw, next, single) = read_value(value).map_err(bad)?;
        rest = next;
        let value = if single {
            raw
        } else {
            let scope = Scope { found: &found, outer, earlier };
            interpolate(&raw, &scope).map_err(|e| bad(reason(&e)))?.text
        };
        size += value.len();
        if size > text.len() + GROWTH {
            return Err(bad(reason(&InvalidTemplate::Length)));
        }
        found.push((name.to_owned(), value));
    }
}

enum Statement<'t> {
    /// A name, and what follows its `=` or `:`.
    Set(&'t str, &'t str),
    /// A name alone on its line, and the next line.
    Bare(&'t str, &'t str),
    End,
}

fn statement(text: &str) -> Result<Statement<'_>, &'static str> {
    let text = match text.strip_prefix("export") {
        Some(rest) if rest.starts_with(is_blank) => rest.trim_start_matches(is_blank),
        _ => text,
    };
    let inside =
        |c: char| c.is_alphanumeric() || is_blank(c) || matches!(c, '_' | '.' | '-' | '[' | ']');
    let Some(end) = text.find(|c| !inside(c)) else { return Ok(Statement::End) };
    let (name, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let name = name.trim_end();
    let mut after = rest.chars();
    let mark = after.next();
    if !matches!(mark, Some('=' | ':' | '\n')) {
        return Err("a name has letters, digits, `_`, `.` and `-`, and `=` behind it");
    }
    if name.contains(' ') {
        return Err("a name cannot contain spaces");
    }
    let after = after.as_str().trim_start_matches(is_blank);
    Ok(if mark == Some('\n') { Statement::Bare(name, after) } else { Statement::Set(name, after) })
}

/// White space that ends no line.
fn is_blank(c: char) -> bool {
    matches!(c, '\t' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\u{85}' | '\u{a0}')
}

/// A value without its quotes and escapes, what follows it, and whether it is to stay as it is.
fn read_value(text: &str) -> Result<(String, &str, bool), &'static str> {
    let Some(quote) = text.chars().next().filter(|c| matches!(c, '\'' | '"')) else {
        let (line, next) = text.split_once('\n').unwrap_or((text, ""));
        let value = line.split_once(" #").map_or(line, |(value, _)| value);
        return Ok((value.trim_end().to_owned(), next, false));
    };
    // A quoted value may go on over several lines.
    let mut value = String::new();
    let mut guarded = false;
    for (at, c) in text.char_indices().skip(1) {
        match (guarded, c) {
            (false, '\\') => guarded = true,
            (false, c) if c == quote => {
                let next = text.get(at + 1..).unwrap_or_default();
                let value = if quote == '"' { unescape(&value) } else { value };
                return Ok((value, next, quote == '\''));
            }
            (true, c) if c != quote => {
                value.extend(['\\', c]);
                guarded = false;
            }
            (_, c) => {
                value.push(c);
                guarded = false;
            }
        }
    }
    Err("a quoted value is not closed")
}

/// What is wrong with a value, without its text.
fn reason(invalid: &InvalidTemplate) -> &'static str {
    match invalid {
        InvalidTemplate::Variable(_) => "the value has a `${` that starts no valid variable",
        InvalidTemplate::Depth => "the variables are nested too deeply",
        InvalidTemplate::Length => "the variables fill in too much text",
    }
}

/// Escapes of a double-quoted value.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('a') => out.push('\u{7}'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('v') => out.push('\u{b}'),
            // Left to interpolation, which makes one dollar of two.
            Some('$') => out.push_str("$$"),
            Some(other @ ('"' | '\\')) => out.push(other),
            Some('0') => {
                let digits: String =
                    chars.clone().take(3).take_while(char::is_ascii_digit).collect();
                chars = chars.as_str().get(digits.len()..).unwrap_or_default().chars();
                let code = u8::from_str_radix(&digits, 8).ok().filter(|_| digits.len() == 3);
                match code {
                    Some(code) => out.push(char::from(code)),
                    None => out.extend(["\\", &digits]),
                }
            }
            Some(other) => out.extend(['\\', other]),
            None => out.push('\\'),
        }
    }
    out
}

struct Scope<'a> {
    found: &'a [(String, String)],
    earlier: &'a BTreeMap<String, String>,
    outer: &'a dyn Variables,
}

impl Variables for Scope<'_> {
    fn value(&self, name: &str) -> Option<&str> {
        // The environment wins over the file, as in Compose.
        let own = || self.found.iter().rev().find(|(n, _)| n == name).map(|(_, v)| v.as_str());
        let before = || self.earlier.get(name).map(String::as_str);
        self.outer.value(name).or_else(own).or_else(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: BTreeMap<&str, &str> = BTreeMap::new();

    fn values(text: &str) -> Vec<(String, String)> {
        parse(text, &BTreeMap::from([("HOST", "h")]), &BTreeMap::new()).unwrap()
    }

    #[test]
    fn lines_quotes_comments_and_variables() {
        let text = "# c\nA=1\nexport B = two words # c\nC=\"x$A\\n${HOST}\" # c\nD='$A'\nE=\nHOST\n\
                    F=\"a\nb\"\nG=x#y\nH: 7\nI=\"c\\$A\"\r\nJ=#z\nK='it\\'s'\t L=\"\\0101\"\n\
                    export\tM=1\nlast word";
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
                ("J", "#z"),
                ("K", "it's"),
                ("L", "A"),
                ("M", "1"),
            ]
        );
    }

    #[test]
    fn what_compose_refuses_names_its_line() {
        assert_eq!(parse("A=1\nB C=2\n", &NONE, &BTreeMap::new()).unwrap_err().offset, 4);
        assert!(
            parse("A=\"open\n", &NONE, &BTreeMap::new())
                .unwrap_err()
                .message
                .contains("not closed")
        );
        assert_eq!(parse("A='a' 'b'\n", &NONE, &BTreeMap::new()).unwrap_err().offset, 6);
        assert!(parse("A=1\n!\n", &NONE, &BTreeMap::new()).is_err());
    }

    #[test]
    fn a_bad_value_is_not_shown() {
        for text in ["A=secret${B", "A=secret${b.secret}", "A=${secret!}"] {
            let message = parse(text, &NONE, &BTreeMap::new()).unwrap_err().message;
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
        assert!(
            parse(&text, &NONE, &BTreeMap::new()).unwrap_err().message.contains("too much text")
        );
        let mut text = format!("A={}\n", "x".repeat(1 << 20));
        text.extend((0..20).map(|n| format!("V{n}=$A\n")));
        assert!(
            parse(&text, &NONE, &BTreeMap::new()).unwrap_err().message.contains("too much text")
        );
    }
}
