//! Variables in values, as Compose fills them in.
//!
//! `$NAME`, `${NAME}`, the operators `:-` `-` `:?` `?` `:+` `+` with nesting, and `$$` for a dollar.
//! A dollar before anything else stays: `$(date)`, `^x$`.
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

/// A template that Compose refuses, or that no project needs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTemplate {
    /// What stands there instead of a variable, its end cut off where it is long.
    #[error("`{0}` is no valid variable")]
    Variable(String),
    /// Defaults in defaults, on more than 100 levels.
    #[error("the variables are nested too deeply")]
    Depth,
    /// More than 1 MiB comes in by variables.
    #[error("the variables fill in too much text")]
    Length,
}

impl InvalidTemplate {
    fn variable(text: &str) -> Self {
        let end = text.char_indices().nth(SHOWN).map(|(at, _)| at);
        let shown = end.and_then(|end| text.get(..end)).map(|head| format!("{head}…"));
        Self::Variable(shown.unwrap_or_else(|| text.to_owned()))
    }
}

/// Levels of defaults in defaults.
const DEPTH: usize = 100;

/// Bytes that variables may add to one text.
const GROWTH: usize = 1 << 20;

/// Characters that a message shows of an invalid variable.
const SHOWN: usize = 60;

/// Fills in the variables of `template`.
///
/// # Errors
/// For braces that hold no variable or an operator that Compose does not know, as in `${a.b}`.
pub fn interpolate(template: &str, variables: &dyn Variables) -> Result<Filled, InvalidTemplate> {
    fill(template, variables, 0)
}

fn fill(
    template: &str,
    variables: &dyn Variables,
    depth: usize,
) -> Result<Filled, InvalidTemplate> {
    if depth > DEPTH {
        return Err(InvalidTemplate::Depth);
    }
    let mut filled = Filled::default();
    let mut rest = template;
    while let Some((head, tail)) = rest.split_once('$') {
        filled.text.push_str(head);
        rest = if let Some(after) = tail.strip_prefix('$') {
            filled.text.push('$');
            after
        } else if let Some(inside) = tail.strip_prefix('{') {
            // What Compose shows: all from the dollar on, or the braces alone.
            let open = rest.get(head.len()..).unwrap_or_default();
            let (body, after) = braced(inside).ok_or_else(|| InvalidTemplate::variable(open))?;
            let whole = open.get(..body.len() + 3).unwrap_or(open);
            substitute(body, variables, &mut filled, depth)
                .ok_or_else(|| InvalidTemplate::variable(whole))??;
            after
        } else {
            let (name, after) = split_name(tail);
            if name.is_empty() {
                filled.text.push('$');
                rest = after;
                continue;
            }
            plain(name, variables, &mut filled);
            after
        };
        if filled.text.len() > template.len() + GROWTH {
            return Err(InvalidTemplate::Length);
        }
    }
    filled.text.push_str(rest);
    Ok(filled)
}

/// Splits what follows `${` at the brace that closes it, as Compose finds it: on the same line, and
/// behind as many others as braces were opened before. It looks at no brace right behind an opening
/// one, and where none closes it takes the last of the line.
fn braced(text: &str) -> Option<(&str, &str)> {
    let (_, behind_name) = split_name(text);
    let line = text.split('\n').next().unwrap_or_default();
    let end = if behind_name.starts_with('}') {
        text.len() - behind_name.len()
    } else {
        let last = line.rfind('}')?;
        closing(line.get(..last)?).unwrap_or(last)
    };
    let (body, rest) = text.split_at_checked(end)?;
    Some((body, rest.strip_prefix('}')?))
}

fn closing(line: &str) -> Option<usize> {
    let mut open = 1;
    let mut bytes = line.bytes().enumerate().skip(1);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'}' => {
                open -= 1;
                if open == 0 {
                    return Some(at);
                }
            }
            b'{' => {
                open += 1;
                bytes.next();
            }
            _ => {}
        }
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
    depth: usize,
) -> Option<Result<(), InvalidTemplate>> {
    let (name, operator) = split_name(body);
    if name.is_empty() {
        return None;
    }
    let value = variables.value(name);
    let (colon, rest) = operator.strip_prefix(':').map_or((false, operator), |rest| (true, rest));
    let present = value.filter(|v| !(colon && v.is_empty()));
    // Compose fills in the word behind an operator in any case, so it must be valid.
    let word = rest.get(1..).unwrap_or_default();
    let operator = rest.chars().next();
    if operator.is_none_or(|c| !"-+?".contains(c)) {
        return (operator.is_none() && !colon).then(|| {
            plain(name, variables, filled);
            Ok(())
        });
    }
    let inner = match fill(word, variables, depth + 1) {
        Ok(inner) => inner,
        Err(invalid) => return Some(Err(invalid)),
    };
    match (operator, present) {
        (Some('+'), None) => {}
        (Some('+'), Some(_)) | (Some('-'), None) => {
            filled.text.push_str(&inner.text);
            filled.unset.extend(inner.unset);
        }
        (_, Some(value)) => filled.text.push_str(value),
        (_, None) => filled.unset.push(name.to_owned()),
    }
    Some(Ok(()))
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
            ("${NONE:-a{b}x}y", "a{b}xy"),
            ("${NONE:-a{b}y", "a{by"),
            ("${A:-{{.X}}}y", "a}y"),
            ("${A?${NONE?no}}", "a"),
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
    fn a_dollar_that_starts_nothing_stays() {
        for text in ["$(pwd)", "a$", "$1", "$ x", "$-", "}$", "$é"] {
            assert_eq!(fill(text).unwrap().text, text);
        }
        assert_eq!(fill("${NONE:-$(x)}$").unwrap().text, "$(x)$");
    }

    #[test]
    fn what_grows_without_end_is_refused() {
        let nested = |levels: usize| format!("{}x{}", "${N:-".repeat(levels), "}".repeat(levels));
        assert_eq!(fill(&nested(100)).unwrap().text, "x");
        assert_eq!(fill(&nested(101)), Err(InvalidTemplate::Depth));
        assert_eq!(fill(&nested(50_000)), Err(InvalidTemplate::Depth));
        let long = "x".repeat(300_000);
        let variables = BTreeMap::from([("L", long.as_str())]);
        assert_eq!(interpolate("$L$L$L", &variables).unwrap().text.len(), 900_000);
        assert_eq!(interpolate("$L$L$L$L", &variables), Err(InvalidTemplate::Length));
    }

    #[test]
    fn a_long_text_is_not_shown_whole() {
        let error = fill(&format!("a${{{}", "ü".repeat(500))).unwrap_err().to_string();
        assert!(error.starts_with("`${ü") && error.chars().count() < 100, "{error}");
        assert_eq!(fill("x${a.b}y").unwrap_err(), InvalidTemplate::Variable("${a.b}".to_owned()));
    }

    #[test]
    fn braces_without_a_variable_are_refused() {
        for template in [
            "${}",
            "${a.b}",
            "${A/x/y}",
            "${A",
            "${1}",
            "${A:}",
            "${A!}",
            "${A:=x}",
            "${NONE:-${B",
            "${A:-${B.c}}",
            "${NONE:+${B.c}}",
            "${A:?${B.c}}",
            "${NONE:-a\nb}",
        ] {
            assert!(fill(template).is_err(), "{template}");
        }
    }
}
