//! Places in reports as their readers find them, and edits as they make them.

use std::ops::Range;

use serde_json::Value;

const MARK: char = '\u{feff}';

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

/// The bytes of a SARIF region by its lines and columns, which count characters. The byte order mark
/// is none.
pub(crate) fn by_columns(text: &str, region: &Value) -> Range<usize> {
    let at = |line: &str, column: &str| {
        let (start, line) = line_of(text, number(&region[line]));
        let mark = line.len() - line.trim_start_matches(MARK).len();
        let characters = line.get(mark..).unwrap().chars().take(number(&region[column]) - 1);
        start + mark + characters.map(char::len_utf8).sum::<usize>()
    };
    at("startLine", "startColumn")..at("endLine", "endColumn")
}

/// The bytes of a SARIF region by its offset and length, which count characters.
pub(crate) fn by_offset(text: &str, region: &Value) -> Range<usize> {
    let mark = text.len() - text.trim_start_matches(MARK).len();
    let (offset, length) = (number(&region["charOffset"]), number(&region["charLength"]));
    let at = |characters: usize| {
        let text = text.get(mark..).unwrap();
        mark + text.chars().take(characters).map(char::len_utf8).sum::<usize>()
    };
    at(offset)..at(offset + length)
}

/// The bytes of a range of reviewdog, whose columns count bytes.
pub(crate) fn by_bytes(text: &str, range: &Value) -> Range<usize> {
    let at = |position: &Value| {
        line_of(text, number(&position["line"])).0 + number(&position["column"]) - 1
    };
    at(&range["start"])..at(&range["end"])
}

/// A line, from 1, and where it starts. There is an empty one behind the last line break.
fn line_of(text: &str, line: usize) -> (usize, &str) {
    let (mut start, mut rest) = (0, text);
    for _ in 1..line {
        let end = rest.find('\n').expect("a line of the file") + 1;
        start += end;
        rest = rest.get(end..).unwrap();
    }
    (start, rest.split_inclusive('\n').next().unwrap_or_default())
}

/// The text with all edits made.
pub(crate) fn edited(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut text = text.to_owned();
    for (range, new) in edits.into_iter().rev() {
        text.replace_range(range, &new);
    }
    text
}
