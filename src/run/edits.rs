//! New texts of files as replacements in the old ones.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::compose::Project;
use crate::plan::Texts;
use crate::report::Replacement;
use crate::rewrite::{Edit, apply_edits};
use crate::source::Span;

/// What makes the new texts out of the project's files, by file and place. Whole lines are replaced.
pub(super) fn replacements(project: &Project, texts: &Texts) -> Vec<Replacement> {
    let mut all = Vec::new();
    for (path, after) in texts {
        let Some(file) = project.files.iter().find(|file| file.path == *path) else { continue };
        let edits = edits(file.source.text(), after);
        all.extend(edits.into_iter().map(|edit| Replacement {
            file: file.source.name().to_owned(),
            span: edit.span,
            text: edit.text,
        }));
    }
    all.sort();
    all
}

/// The edits that make `after` out of `before`.
fn edits(before: &str, after: &str) -> Vec<Edit> {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let (mut edits, mut at) = (Vec::new(), 0);
    for change in capture_diff_slices(Algorithm::Myers, &old, &new) {
        let text = |lines: Option<&[&str]>| lines.unwrap_or_default().concat();
        let removed = text(old.get(change.old_range()));
        if !matches!(change, DiffOp::Equal { .. }) {
            let added = text(new.get(change.new_range()));
            edits.push(beyond_mark(at, &removed, &added));
        }
        at += removed.len();
    }
    debug_assert_eq!(apply_edits(before, &edits).as_deref(), Some(after));
    edits
}

/// An edit without the byte order mark, which belongs to the file and to none of its lines.
fn beyond_mark(at: usize, removed: &str, added: &str) -> Edit {
    const MARK: &str = "\u{feff}";
    let end = at + removed.len();
    match added.strip_prefix(MARK) {
        Some(rest) if at == 0 && removed.starts_with(MARK) => {
            Edit { span: Span::new(MARK.len(), end), text: rest.to_owned() }
        }
        _ => Edit { span: Span::new(at, end), text: added.to_owned() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_make_the_new_text() {
        for (before, after, count) in [
            ("a\nb\n", "a\nb\n", 0),
            ("a\nb\n", "a\nx\nb\ny\n", 2),
            ("a\r\nb\r\nc", "a\r\nc", 1),
            ("a\nb", "a\nb\nc\n", 1),
            ("\u{feff}a\nb\n", "\u{feff}x\nb\n", 1),
            ("\u{feff}a\n", "\u{feff}x\na\n", 1),
            ("", "a\n", 1),
        ] {
            let edits = edits(before, after);
            assert_eq!(apply_edits(before, &edits).as_deref(), Some(after), "{before:?}");
            assert_eq!(edits.len(), count, "{before:?} {edits:?}");
            let marked = edits.iter().any(|e| e.text.contains('\u{feff}'));
            assert!(!marked, "{before:?} {edits:?}");
        }
    }
}
