//! Variables in values, as Compose fills them in.
//!
//! `$NAME`, `${NAME}`, the operators `:-` `-` `:?` `?` `:+` `+` with nesting, and `$$` for a dollar.
//! Names are `[A-Za-z_][A-Za-z0-9_]*`. A name that is not set counts as empty.

/// The variables that interpolation may use.
pub trait Variables {
    /// The value of a variable; none when it is not set.
    fn value(&self, name: &str) -> Option<&str>;
}

/// A template with its variables filled in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filled {
    /// The text.
    pub text: String,
    /// Variables without value and without default, in order of appearance: each left a blank, or is
    /// one that the file demands by `?`.
    pub unset: Vec<String>,
}

/// A template that Compose refuses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no valid variable")]
pub struct InvalidTemplate(pub String);

/// Fills in the variables of `template`.
///
/// # Errors
/// For a dollar that starts no variable, as in `$(` or `${a.b}`.
pub fn interpolate(template: &str, variables: &dyn Variables) -> Result<Filled, InvalidTemplate> {
    let mut filled = Filled::default();
    let mut rest = template;
    while let Some((head, tail)) = rest.split_once('$') {
        filled.text.push_str(head);
        rest = if let Some(after) = tail.strip_prefix('$') {
            filled.text.push('$');
            after
        } else if let Some(inside) = tail.strip_prefix('{') {
            let (body, after) =
                braced(inside).ok_or_else(|| InvalidTemplate(template.to_owned()))?;
            substitute(body, variables, &mut filled)
                .ok_or_else(|| InvalidTemplate(format!("${{{body}}}")))??;
            after
        } else {
            let (name, after) = split_name(tail);
            if name.is_empty() {
                return Err(InvalidTemplate(template.to_owned()));
            }
            plain(name, variables, &mut filled);
            after
        };
    }
    filled.text.push_str(rest);
    Ok(filled)
}

/// Splits what follows `${` at its closing brace; inner `${…}` are skipped.
fn braced(text: &str) -> Option<(&str, &str)> {
    let mut open = 1;
    let mut before = '\0';
    for (at, c) in text.char_indices() {
        match c {
            '}' => {
                open -= 1;
                if open == 0 {
                    let (body, rest) = text.split_at_checked(at)?;
                    return Some((body, rest.strip_prefix('}')?));
                }
            }
            '{' if before == '$' => open += 1,
            _ => {}
        }
        before = c;
    }
    None
}

fn split_name(text: &str) -> (&str, &str) {
    let valid = |(i, c): (usize, char)| {
        c == '_' || c.is_ascii_alphabetic() || (i > 0 && c.is_ascii_digit())
    };
    let end = text.char_indices().find(|ic| !valid(*ic)).map_or(text.len(), |(i, _)| i);
    text.split_at_checked(end).unwrap_or((text, ""))
}

fn plain(name: &str, variables: &dyn Variables, filled: &mut Filled) {
    match variables.value(name) {
        Some(value) => filled.text.push_str(value),
        None => filled.unset.push(name.to_owned()),
    }
}

/// Fills in the body of `${…}`; none when it is not a variable with an operator that Compose knows.
fn substitute(
    body: &str,
    variables: &dyn Variables,
    filled: &mut Filled,
) -> Option<Result<(), InvalidTemplate>> {
    let (name, operator) = split_name(body);
    if name.is_empty() {
        return None;
    }
    let value = variables.value(name);
    let (colon, rest) = operator.strip_prefix(':').map_or((false, operator), |rest| (true, rest));
    let present = value.filter(|v| !(colon && v.is_empty()));
    let nested = |word: &str, filled: &mut Filled| -> Result<(), InvalidTemplate> {
        let inner = interpolate(word, variables)?;
        filled.text.push_str(&inner.text);
        filled.unset.extend(inner.unset);
        Ok(())
    };
    Some(match (rest.chars().next(), rest.get(1..).unwrap_or_default()) {
        (None, _) if !colon => {
            plain(name, variables, filled);
            Ok(())
        }
        (Some('-'), word) => match present {
            Some(value) => {
                filled.text.push_str(value);
                Ok(())
            }
            None => nested(word, filled),
        },
        (Some('+'), word) => match present {
            Some(_) => nested(word, filled),
            None => Ok(()),
        },
        (Some('?'), _) => {
            match present {
                Some(value) => filled.text.push_str(value),
                None => filled.unset.push(name.to_owned()),
            }
            Ok(())
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    impl Variables for BTreeMap<&str, &str> {
        fn value(&self, name: &str) -> Option<&str> {
            self.get(name).copied()
        }
    }

    fn fill(template: &str) -> Result<Filled, InvalidTemplate> {
        interpolate(template, &BTreeMap::from([("A", "a"), ("EMPTY", ""), ("DIR", "./d")]))
    }

    #[test]
    fn operators_choose_as_compose_does() {
        for (template, expected) in [
            ("$A/${A}", "a/a"),
            ("${A:-x}${A-x}", "aa"),
            ("${EMPTY:-x}|${EMPTY-x}", "x|"),
            ("${NONE:-x}|${NONE-x}", "x|x"),
            ("${A:+y}|${A+y}|${EMPTY:+y}|${EMPTY+y}|${NONE:+y}|${NONE+y}", "y|y||y||"),
            ("${A:?no}${A?no}", "aa"),
            ("${NONE:-${DIR}/x}:/y", "./d/x:/y"),
            ("${NONE:-${NO:-{}}}", "{}"),
            ("$$A $$$A", "$A $a"),
            ("${NONE:-./a:/z:ro}", "./a:/z:ro"),
            ("no variables }", "no variables }"),
        ] {
            assert_eq!(fill(template).unwrap().text, expected, "{template}");
        }
    }

    #[test]
    fn unset_variables_are_blank_and_named() {
        let filled = fill("${NONE}/x:$OTHER${NEED:?set it}").unwrap();
        assert_eq!(filled.text, "/x:");
        assert_eq!(filled.unset, ["NONE", "OTHER", "NEED"]);
    }

    #[test]
    fn a_dollar_that_starts_nothing_is_refused() {
        for template in ["$(pwd)", "${}", "${a.b}", "${A/x/y}", "${A", "$ ", "${1}", "${A:}", "$"] {
            assert!(fill(template).is_err(), "{template}");
        }
    }
}
