//! The types of scalars, as Compose's YAML reader (go-yaml 3) has them: neither YAML 1.1 nor 1.2.

use super::Style;

/// A scalar with its type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar<'a> {
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`; `yes`, `on` and their like are text.
    Bool(bool),
    /// A whole number from -2^63 up to 2^64 - 1.
    Int(i128),
    /// A number with a fraction or an exponent, or too large for [`Scalar::Int`].
    Float(f64),
    /// A date, or a date and time.
    Timestamp,
    /// Anything else.
    Str(&'a str),
}

impl<'a> Scalar<'a> {
    /// Types a scalar from its text, the way it is written and its tag as written.
    ///
    /// A tag of another application (`!reset`) makes it text. A tag that does not fit the text
    /// (`!!int x`), which Compose refuses, makes it text too.
    pub fn of(text: &'a str, style: Style, tag: Option<&str>) -> Self {
        let tag = tag.map(short);
        let resolved = match (tag, style) {
            (None | Some("!"), Style::Plain) => return resolve(text, true),
            (None | Some("!"), _) => return Self::Str(text),
            (Some("!!timestamp"), _) => resolve(text, true),
            (Some(_), _) => resolve(text, false),
        };
        match (tag, resolved) {
            (Some("!!null"), Self::Null)
            | (Some("!!bool"), Self::Bool(_))
            | (Some("!!int"), Self::Int(_))
            | (Some("!!float"), Self::Float(_))
            | (Some("!!timestamp"), Self::Timestamp) => resolved,
            #[expect(clippy::cast_precision_loss, reason = "go-yaml converts in the same way")]
            (Some("!!float"), Self::Int(int)) => Self::Float(int as f64),
            _ => Self::Str(text),
        }
    }
}

/// `!!int` for `!<tag:yaml.org,2002:int>`.
fn short(tag: &str) -> &str {
    match tag.strip_prefix("!<tag:yaml.org,2002:").and_then(|rest| rest.strip_suffix('>')) {
        Some("null") => "!!null",
        Some("bool") => "!!bool",
        Some("int") => "!!int",
        Some("float") => "!!float",
        Some("timestamp") => "!!timestamp",
        Some("str") => "!!str",
        _ => tag,
    }
}

fn resolve(text: &str, dates: bool) -> Scalar<'_> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Scalar::Null,
        "true" | "True" | "TRUE" => return Scalar::Bool(true),
        "false" | "False" | "FALSE" => return Scalar::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Scalar::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
            return Scalar::Float(f64::INFINITY);
        }
        "-.inf" | "-.Inf" | "-.INF" => return Scalar::Float(f64::NEG_INFINITY),
        _ => {}
    }
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) {
        return Scalar::Str(text);
    }
    if dates && is_timestamp(text) {
        return Scalar::Timestamp;
    }
    let digits = text.replace('_', "");
    if let Some(int) = int(&digits) {
        return Scalar::Int(int);
    }
    // A number too large for 64 bits is text.
    match float(&digits) {
        Some(float) if float.is_finite() => Scalar::Float(float),
        _ => Scalar::Str(text),
    }
}

/// `12`, `-0x1F`, `0o17`, `0777` (octal), `0b11`.
fn int(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, digits.get(2..)?),
        [b'0', b'o' | b'O', ..] => (8, digits.get(2..)?),
        [b'0', b'b' | b'B', ..] => (2, digits.get(2..)?),
        [b'0', _, ..] => (8, digits.get(1..)?),
        _ => (10, digits),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let int = i128::from(u64::from_str_radix(digits, radix).ok()?);
    if negative { (int <= 1 << 63).then_some(-int) } else { Some(int) }
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`
fn float(text: &str) -> Option<f64> {
    let number = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (number, None),
    };
    let mantissa_fits = match mantissa.split_once('.') {
        Some(("", fraction)) => digits(fraction),
        Some((whole, fraction)) => digits(whole) && (fraction.is_empty() || digits(fraction)),
        None => digits(mantissa),
    };
    let exponent_fits = exponent.is_none_or(|e| digits(e.strip_prefix(['+', '-']).unwrap_or(e)));
    if mantissa_fits && exponent_fits { text.parse().ok() } else { None }
}

/// `2001-1-2`, `2001-1-2 3:4:5.6`, `2001-1-2T3:4:5.6Z`, `2001-1-2t3:4:5+01:00`; a time with `T` needs
/// its zone, one with a blank has none.
fn is_timestamp(text: &str) -> bool {
    fn number(text: &str, most: usize) -> Option<(u32, &str)> {
        let length = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
        Some((text.get(..length)?.parse().ok()?, text.get(length..)?))
    }
    fn date(text: &str) -> Option<&str> {
        let rest = text.get(4..)?;
        let (year, _) = number(text, 4).filter(|(_, after)| after.len() == rest.len())?;
        let (month, rest) = number(rest.strip_prefix('-')?, 2)?;
        let (day, rest) = number(rest.strip_prefix('-')?, 2)?;
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            4 | 6 | 9 | 11 => 30,
            2 if leap => 29,
            2 => 28,
            1..=12 => 31,
            _ => 0,
        };
        (1..=days).contains(&day).then_some(rest)
    }
    fn time(text: &str) -> Option<&str> {
        let (hour, rest) = number(text, 2)?;
        let (minute, rest) = number(rest.strip_prefix(':')?, 2)?;
        let (second, rest) = number(rest.strip_prefix(':')?, 2)?;
        let fraction = rest
            .strip_prefix(['.', ','])
            .map(|f| f.trim_start_matches(|c: char| c.is_ascii_digit()));
        let rest = match fraction {
            Some(after) if after.len() + 1 < rest.len() => after,
            _ => rest,
        };
        (hour < 24 && minute < 60 && second < 60).then_some(rest)
    }
    fn zone(text: &str) -> bool {
        let two = |a: u8, b: u8| {
            (a.is_ascii_digit() && b.is_ascii_digit()).then(|| (a - b'0') * 10 + b - b'0')
        };
        match text.as_bytes() {
            b"Z" => true,
            [b'+' | b'-', a, b, b':', c, d] => {
                two(*a, *b).is_some_and(|h| h <= 24) && two(*c, *d).is_some_and(|m| m < 60)
            }
            _ => false,
        }
    }
    let Some(rest) = date(text) else { return false };
    match rest.as_bytes().first() {
        None => true,
        Some(b' ') => time(rest.trim_start_matches(' ')).is_some_and(str::is_empty),
        Some(b'T' | b't') => rest.get(1..).and_then(time).is_some_and(zone),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Scalar<'_> {
        Scalar::of(text, Style::Plain, None)
    }

    #[test]
    fn whole_numbers() {
        let cases: &[(&str, i128)] = &[
            ("0", 0),
            ("-0", 0),
            ("+1", 1),
            ("00", 0),
            ("0777", 511),
            ("+0777", 511),
            ("-0777", -511),
            ("0_7", 7),
            ("0o17", 15),
            ("0O17", 15),
            ("-0o17", -15),
            ("+0o17", 15),
            ("0b11", 3),
            ("-0b11", -3),
            ("+0b11", 3),
            ("0B11", 3),
            ("1_000", 1000),
            ("1__0", 10),
            ("1_", 1),
            ("-_1", -1),
            ("0x1F", 31),
            ("0X1f", 31),
            ("-0x1F", -31),
            ("0_x1F", 31),
            ("0xFFFFFFFFFFFFFFFF", i128::from(u64::MAX)),
            ("18446744073709551615", i128::from(u64::MAX)),
            ("-9223372036854775808", i128::from(i64::MIN)),
        ];
        for (text, value) in cases {
            assert_eq!(plain(text), Scalar::Int(*value), "{text}");
        }
    }

    #[test]
    fn other_numbers() {
        let cases: &[(&str, f64)] = &[
            (".5", 0.5),
            (".5_0", 0.5),
            ("5.", 5.0),
            ("-.5", -0.5),
            ("+.5", 0.5),
            ("1e3", 1000.0),
            ("1.e3", 1000.0),
            ("1_e3", 1000.0),
            ("1E5", 1e5),
            ("1.5e-3", 0.0015),
            ("0.0", 0.0),
            ("1_0.5", 10.5),
            ("08", 8.0),
            ("18446744073709551616", 18_446_744_073_709_551_616.0),
            ("-9223372036854775809", -9_223_372_036_854_775_808.0),
            (".inf", f64::INFINITY),
            ("+.Inf", f64::INFINITY),
            ("-.INF", f64::NEG_INFINITY),
        ];
        for (text, value) in cases {
            assert_eq!(plain(text), Scalar::Float(*value), "{text}");
        }
        assert!(matches!(plain(".nan"), Scalar::Float(value) if value.is_nan()));
    }

    #[test]
    fn dates_and_times() {
        for text in [
            "2001-01-01",
            "2001-1-1",
            "2000-02-29",
            "2001-01-01 10:00:00",
            "2001-01-01   10:00:00",
            "2001-01-01T10:00:00Z",
            "2001-01-01t1:2:3.5+01:00",
        ] {
            assert_eq!(plain(text), Scalar::Timestamp, "{text}");
        }
        for text in [
            "2001-02-30",
            "1900-02-29",
            "2001-13-01",
            "2001-01-01T10:00:00",
            "2001-01",
            "201-01-01",
        ] {
            assert_eq!(plain(text), Scalar::Str(text), "{text}");
        }
    }

    #[test]
    fn words() {
        for text in ["", "~", "null", "Null", "NULL"] {
            assert_eq!(plain(text), Scalar::Null, "{text}");
        }
        for (text, value) in [("true", true), ("True", true), ("FALSE", false)] {
            assert_eq!(plain(text), Scalar::Bool(value), "{text}");
        }
        for text in [
            "yes",
            "no",
            "on",
            "off",
            "y",
            "n",
            "tRUE",
            "nULL",
            "80:80",
            "12:30:45",
            "1,000",
            "0x",
            "0b12",
            "0o8",
            "1e",
            "1e999",
            ".e3",
            ".",
            "+",
            "0x1.8p1",
            "infinity",
            "nan",
            "_1",
            "-0xFFFFFFFFFFFFFFFF",
            "0x-1",
            "0-1",
            "1.2.3",
            "--1",
            "<<",
        ] {
            assert_eq!(plain(text), Scalar::Str(text), "{text}");
        }
    }

    #[test]
    fn quotes_make_text_and_tags_decide() {
        let of = Scalar::of;
        assert_eq!(of("1", Style::Single, None), Scalar::Str("1"));
        assert_eq!(of("1", Style::Literal, Some("!")), Scalar::Str("1"));
        assert_eq!(of("1", Style::Plain, Some("!")), Scalar::Int(1));
        assert_eq!(of("~", Style::Plain, Some("!!str")), Scalar::Str("~"));
        assert_eq!(of("1", Style::Plain, Some("!<tag:yaml.org,2002:str>")), Scalar::Str("1"));
        assert_eq!(of("0o17", Style::Double, Some("!!int")), Scalar::Int(15));
        assert_eq!(of("1", Style::Plain, Some("!!float")), Scalar::Float(1.0));
        assert_eq!(of("true", Style::Double, Some("!!bool")), Scalar::Bool(true));
        assert_eq!(of("", Style::Single, Some("!!null")), Scalar::Null);
        assert_eq!(of("2001-01-01", Style::Double, Some("!!timestamp")), Scalar::Timestamp);
        assert_eq!(of("1", Style::Plain, Some("!reset")), Scalar::Str("1"));
        assert_eq!(of("", Style::Plain, Some("!reset")), Scalar::Str(""));
        assert_eq!(of("x", Style::Plain, Some("!!int")), Scalar::Str("x"));
    }
}
