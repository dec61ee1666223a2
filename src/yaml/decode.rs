//! From the bytes of a file to text.

use crate::error::Problem;
use crate::source::Source;

/// Reads `bytes` as UTF-8, with or without byte order mark, and keeps them under `name`.
///
/// UTF-16, bytes that are not UTF-8 and NUL bytes are a problem whose message names line and column
/// of the first of them: there is no text yet that a span could point into.
pub fn decode(name: &str, bytes: Vec<u8>) -> Result<Source, Problem> {
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return Err(Problem::of_file(name, "this file is UTF-16 text")
            .with_help("save it as UTF-8; composefix reads and writes nothing else"));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let byte = bytes.get(at).copied().unwrap_or_default();
        let place = place(bytes.get(..at).unwrap_or_default());
        Problem::of_file(name, format!("byte 0x{byte:02X} on {place} is not UTF-8"))
            .with_help("save the file as UTF-8")
    })?;
    if let Some(at) = text.find('\0') {
        let place = place(text.as_bytes().get(..at).unwrap_or_default());
        return Err(Problem::of_file(
            name,
            format!("a NUL byte on {place}: this is not a text file"),
        )
        .with_help("if it is UTF-16 text, save it as UTF-8"));
    }
    Ok(Source::new(name, text))
}

/// Line and column behind `head`, which is UTF-8.
fn place(head: &[u8]) -> String {
    let head = String::from_utf8_lossy(head);
    let line = head.matches('\n').count() + 1;
    let last = head.rsplit('\n').next().unwrap_or_default();
    let column = last.trim_start_matches('\u{feff}').chars().count() + 1;
    format!("line {line}, column {column}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(bytes: &[u8]) -> String {
        decode("f.yaml", bytes.to_vec()).unwrap_err().message
    }

    #[test]
    fn names_the_place_of_the_first_byte_that_is_not_utf8() {
        assert_eq!(
            message(b"a: 1\nb: \xc3\xbc\xe9\n"),
            "byte 0xE9 on line 2, column 5 is not UTF-8"
        );
        assert_eq!(message(b"\xef\xbb\xbf\xff"), "byte 0xFF on line 1, column 1 is not UTF-8");
    }

    #[test]
    fn refuses_utf16_and_nul_bytes() {
        assert_eq!(message(b"\xff\xfea\0"), "this file is UTF-16 text");
        assert_eq!(message(b"\xfe\xff\0a"), "this file is UTF-16 text");
        assert_eq!(message(b"a\nb\0"), "a NUL byte on line 2, column 2: this is not a text file");
    }

    #[test]
    fn keeps_a_byte_order_mark() {
        let source = decode("f.yaml", b"\xef\xbb\xbfa: 1\n".to_vec()).unwrap();
        assert_eq!(source.text(), "\u{feff}a: 1\n");
    }
}
