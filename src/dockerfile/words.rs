//! Words of an instruction: quotes, lists in JSON, variables.

/// Stands in a word for what is not known before the build: an unset variable, a command's output.
pub(super) const UNKNOWN: char = '\0';

/// What a name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Variable {
    /// This text.
    Set(String),
    /// Nothing, as far as the file tells.
    Unset,
    /// Something that is not known here.
    Unknown,
}

/// Splits at blanks outside quotes. Quotes and escapes stay in the words.
pub(super) fn split(text: &str, escape: char) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == escape && quote != Some('\'') {
            word.push(c);
            word.extend(chars.next());
            continue;
        }
        match quote {
            Some(q) if q == c => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if c.is_whitespace() => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                continue;
            }
            _ => {}
        }
        word.push(c);
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// The items of a list in JSON; none for anything else.
pub(super) fn json(text: &str) -> Option<Vec<String>> {
    let text = text.trim();
    text.starts_with('[').then(|| serde_json::from_str(text).ok()).flatten()
}

/// A list in JSON, or else words.
pub(super) fn list(text: &str, escape: char) -> Vec<String> {
    json(text).unwrap_or_else(|| split(text, escape))
}

/// A word with quotes taken off and variables filled in; [`UNKNOWN`] where one is not known.
pub(super) fn expand(word: &str, escape: char, value: &dyn Fn(&str) -> Variable) -> String {
    let mut out = String::new();
    let mut quote = None;
    let mut rest = word;
    while let Some(c) = rest.chars().next() {
        rest = behind(rest, c);
        if c == escape && quote != Some('\'') {
            if let Some(next) = rest.chars().next() {
                rest = behind(rest, next);
                if quote == Some('"') && !matches!(next, '"' | '$' | '`') && next != escape {
                    out.push(c);
                }
                out.push(next);
            }
            continue;
        }
        match (quote, c) {
            (Some(q), c) if q == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None | Some('"'), '$') => rest = variable(rest, escape, value, &mut out),
            (_, c) => out.push(c),
        }
    }
    out
}

fn behind(text: &str, c: char) -> &str {
    text.strip_prefix(c).unwrap_or_default()
}

/// Writes what stands behind a `$` and returns the rest of the text.
fn variable<'t>(
    text: &'t str,
    escape: char,
    value: &dyn Fn(&str) -> Variable,
    out: &mut String,
) -> &'t str {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name_of = |text: &'t str| {
        let rest = text.trim_start_matches(is_name);
        (text.strip_suffix(rest).unwrap_or_default(), rest)
    };
    let Some(inner) = text.strip_prefix('{') else {
        let (name, rest) = name_of(text);
        if name.is_empty() {
            // `$(…)`, `$@`, `$?` and the like belong to the shell.
            out.push(UNKNOWN);
            return text;
        }
        match value(name) {
            Variable::Set(text) => out.push_str(&text),
            Variable::Unset | Variable::Unknown => out.push(UNKNOWN),
        }
        return rest;
    };
    let mut depth = 1_usize;
    let end = inner.char_indices().find(|(_, c)| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    let Some((inner, rest)) = end.and_then(|(at, _)| inner.split_at_checked(at)) else {
        out.push(UNKNOWN);
        return "";
    };
    let (name, operator) = name_of(inner);
    let value = value(name);
    let (colon, operator) = operator.strip_prefix(':').map_or((false, operator), |o| (true, o));
    let set = match &value {
        Variable::Set(text) => Some(!colon || !text.is_empty()),
        Variable::Unset => Some(false),
        Variable::Unknown => None,
    };
    let mut chars = operator.chars();
    let (kind, word) = (chars.next(), chars.as_str());
    // Nothing inside is a variable of its own, which also keeps this from going deep.
    let word = |out: &mut String| {
        let plain = expand(word, escape, &|_| Variable::Unknown);
        out.push_str(&plain);
    };
    match (kind, set, value) {
        (None | Some('-' | '?'), Some(true), Variable::Set(text)) => out.push_str(&text),
        (Some('-'), Some(false), _) | (Some('+'), Some(true), _) => word(out),
        (Some('+'), Some(false), _) => {}
        _ => out.push(UNKNOWN),
    }
    behind(rest, '}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(word: &str) -> String {
        expand(word, '\\', &|name| match name {
            "A" => Variable::Set("a".to_owned()),
            "E" => Variable::Set(String::new()),
            "U" => Variable::Unknown,
            _ => Variable::Unset,
        })
    }

    #[test]
    fn words_keep_their_quotes() {
        assert_eq!(split(r#" a "b c"  d\ e 'f"g' "#, '\\'), ["a", "\"b c\"", "d\\ e", "'f\"g'"]);
        assert_eq!(list(r#"["a b", "c"]"#, '\\'), ["a b", "c"]);
        assert_eq!(list("['a']", '\\'), ["['a']"]);
    }

    #[test]
    fn variables_are_filled_in_like_buildkit_does() {
        for (word, text) in [
            ("/x/$A/y", "/x/a/y"),
            ("${A}b", "ab"),
            ("${N:-d}", "d"),
            ("${A:-d}", "a"),
            ("${E:-d}", "d"),
            ("${E-d}", ""),
            ("${A:+d}", "d"),
            ("${N:+d}", ""),
            ("'$A'", "$A"),
            ("\"$A b\"", "a b"),
            ("\\$A", "$A"),
            ("${N:-/a/${X}}", "/a/\0"),
        ] {
            assert_eq!(filled(word), text, "{word}");
        }
        for word in ["$N", "$U", "${U:-d}", "${A#x}", "${A", "$(pwd)", "${N:-${A}"] {
            assert!(filled(word).contains(UNKNOWN), "{word}");
        }
    }
}
