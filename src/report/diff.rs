//! Changes as a unified patch that `git apply` and `patch -p1` take.
//!
//! Lines end at `\n` and nowhere else, as both programs see it; what stands before it, a `\r`
//! included, goes into the patch byte for byte.

use std::fmt::Write as _;
use std::ops::Range;

use anstyle::{AnsiColor, Style};
use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

use super::visible::visible_line;
use crate::rewrite::Patch;

/// Unchanged lines around a change.
const CONTEXT: usize = 3;

/// The patch, one part per file that differs. Empty when none does.
///
/// On a system where `patch` changes line breaks, give it `--binary`.
pub fn unified(patches: &[Patch]) -> String {
    let mut out = String::new();
    each_line(patches, &mut |_, text| {
        out.push_str(text);
        out.push('\n');
    });
    out
}

/// The patch for people: characters that a terminal would obey are escaped, so it is to be read
/// and not to be applied. With `colour` it has ANSI colours.
pub fn for_people(patches: &[Patch], colour: bool) -> String {
    let mut out = String::new();
    each_line(patches, &mut |kind, text| {
        let text = visible_line(text.strip_suffix('\r').unwrap_or(text));
        let style = if colour { kind.style() } else { Style::new() };
        writeln!(out, "{style}{text}{style:#}").unwrap_or_default();
    });
    out
}

/// What a line of a patch is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Hunk,
    Kept,
    Removed,
    Added,
}

impl Kind {
    fn mark(self) -> &'static str {
        match self {
            Self::File | Self::Hunk => "",
            Self::Kept => " ",
            Self::Removed => "-",
            Self::Added => "+",
        }
    }

    fn style(self) -> Style {
        match self {
            Self::File => Style::new().bold(),
            Self::Hunk => AnsiColor::Cyan.on_default(),
            Self::Kept => Style::new(),
            Self::Removed => AnsiColor::Red.on_default(),
            Self::Added => AnsiColor::Green.on_default(),
        }
    }
}

/// Takes each line of a patch, without its line break.
type Sink<'a> = &'a mut dyn FnMut(Kind, &str);

fn each_line(patches: &[Patch], sink: Sink<'_>) {
    for patch in patches.iter().filter(|p| p.before.as_deref() != Some(&p.after)) {
        let old_name = match patch.before {
            Some(_) => git_name("a/", &patch.name),
            None => "/dev/null".to_owned(),
        };
        sink(Kind::File, &format!("--- {old_name}"));
        sink(Kind::File, &format!("+++ {}", git_name("b/", &patch.name)));
        let old: Vec<&str> =
            patch.before.as_deref().unwrap_or_default().split_inclusive('\n').collect();
        let new: Vec<&str> = patch.after.split_inclusive('\n').collect();
        let changes = capture_diff_slices(Algorithm::Myers, &old, &new);
        for hunk in group_diff_ops(changes, CONTEXT) {
            each_line_of_hunk(&hunk, &old, &new, sink);
        }
    }
}

fn each_line_of_hunk(hunk: &[DiffOp], old: &[&str], new: &[&str], sink: Sink<'_>) {
    let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { return };
    let old_lines = extent(&(first.old_range().start..last.old_range().end));
    let new_lines = extent(&(first.new_range().start..last.new_range().end));
    sink(Kind::Hunk, &format!("@@ -{old_lines} +{new_lines} @@"));
    for change in hunk {
        let (removed, added) = (change.old_range(), change.new_range());
        if matches!(change, DiffOp::Equal { .. }) {
            each_text_line(Kind::Kept, old.get(removed), sink);
        } else {
            each_text_line(Kind::Removed, old.get(removed), sink);
            each_text_line(Kind::Added, new.get(added), sink);
        }
    }
}

fn each_text_line(kind: Kind, lines: Option<&[&str]>, sink: Sink<'_>) {
    for line in lines.unwrap_or_default() {
        let text = line.strip_suffix('\n');
        sink(kind, &format!("{}{}", kind.mark(), text.unwrap_or(line)));
        if text.is_none() {
            sink(kind, "\\ No newline at end of file");
        }
    }
}

/// First line and number of lines; a run without lines is named by the line before it.
fn extent(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        count => format!("{},{count}", lines.start + 1),
    }
}

/// A file name as git writes it in the head of a patch: in quotes when it has characters that would
/// end it, with a tab behind it when it has a space.
fn git_name(side: &str, name: &str) -> String {
    if !name.contains(|c: char| c.is_control() || matches!(c, '"' | '\\')) {
        let end = if name.contains(' ') { "\t" } else { "" };
        return format!("{side}{name}{end}");
    }
    let mut out = format!("\"{side}");
    for byte in name.bytes() {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'\r' => out.push_str("\\r"),
            b' '..=b'~' => out.push(char::from(byte)),
            other => write!(out, "\\{other:03o}").unwrap_or_default(),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests;
