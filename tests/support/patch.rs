//! Applies what `--diff` prints, independently of how it was made.

use std::collections::BTreeMap;

/// The files that a patch changes, with their new texts.
///
/// # Errors
/// The first line of the patch that does not fit its file.
pub(crate) fn applied(
    patch: &str,
    files: &BTreeMap<String, Vec<u8>>,
) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut changed = BTreeMap::new();
    let mut lines = patch.split_inclusive('\n').peekable();
    let is_head = |line: &&str| line.starts_with("--- a/") || *line == "--- /dev/null\n";
    while let Some(line) = lines.next().filter(|line| !line.is_empty()) {
        let created = line == "--- /dev/null\n";
        let name = line.strip_prefix("--- a/").map(|name| name.trim_end_matches(['\n', '\t']));
        let head = lines.next().unwrap_or_default();
        let new = head.trim_end_matches(['\n', '\t']).strip_prefix("+++ b/");
        let new = new.ok_or_else(|| format!("no file head: {head:?}"))?;
        if !created && name != Some(new) {
            return Err(format!("another file: {line:?} {head:?}"));
        }
        let mut body = Vec::new();
        while let Some(line) = lines.next_if(|line| !is_head(line)) {
            body.push(line);
        }
        let old = match files.get(new) {
            Some(_) if created => return Err(format!("{new} is there already")),
            Some(old) => old.as_slice(),
            None if created => &[],
            None => return Err(format!("no such file: {new}")),
        };
        let old = std::str::from_utf8(old).map_err(|error| error.to_string())?;
        changed.insert(new.to_owned(), patched(old, &body)?.into_bytes());
    }
    Ok(changed)
}

fn patched(old: &str, body: &[&str]) -> Result<String, String> {
    let mut rest = old.split_inclusive('\n').enumerate();
    let mut out: Vec<&str> = Vec::new();
    for (index, line) in body.iter().enumerate() {
        let last = body.get(index + 1).is_some_and(|next| next.starts_with('\\'));
        let text = line.get(1..).unwrap_or_default();
        let text = if last { text.trim_end_matches('\n') } else { text };
        match line.chars().next() {
            Some('@') => {
                let first = first_line(line).ok_or_else(|| format!("no hunk head: {line:?}"))?;
                while let Some((_, kept)) =
                    rest.clone().next().filter(|(number, _)| number + 1 < first)
                {
                    out.push(kept);
                    rest.next();
                }
            }
            Some(mark @ (' ' | '-')) => {
                let (number, there) = rest.next().ok_or("the patch goes past the end")?;
                if there != text {
                    return Err(format!("line {}: {there:?} is not {text:?}", number + 1));
                }
                if mark == ' ' {
                    out.push(there);
                }
            }
            Some('+') => out.push(text),
            Some('\\') => {}
            _ => return Err(format!("no line of a patch: {line:?}")),
        }
    }
    out.extend(rest.map(|(_, line)| line));
    Ok(out.concat())
}

/// The first old line of a hunk: 3 of `@@ -3,3 +3,7 @@`.
fn first_line(head: &str) -> Option<usize> {
    let old = head.strip_prefix("@@ -")?.split(' ').next()?;
    let (first, count) = old.split_once(',').unwrap_or((old, "1"));
    let first: usize = first.parse().ok()?;
    // A hunk without old lines names the line before it.
    Some(if count == "0" { first + 1 } else { first })
}
