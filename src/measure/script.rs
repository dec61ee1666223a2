//! The scripts that run in the container: plain `sh` with the tools of busybox.
//!
//! Nothing that a user, a file or a project says stands in them but numbers and octal codes.

use std::fmt::Write as _;
use std::path::Path;

use super::rounds::{Operation, Place};

/// Where the tree's bind is mounted, read-only.
pub(super) const TREE: &str = "/composefix/tree";
/// Where the volume is mounted.
pub(super) const VOLUME: &str = "/composefix/volume";
/// Where the directory for the write test is mounted.
pub(super) const SCRATCH: &str = "/composefix/scratch";

/// Files that one pass of the write test writes.
pub(super) const WRITTEN_FILES: u64 = 100;
/// Bytes in each of them.
pub(super) const WRITTEN_BYTES: u64 = 1_024;

/// Tools that every measurement needs.
pub(super) const TOOLS: [&str; 6] = ["cat", "cp", "du", "find", "mkdir", "rm"];

/// Functions for all steps. `each` gives a command the measured paths; `du` looks at every entry
/// once and prints little; the trap is for the case that this process is gone.
const FUNCTIONS: &str = r#"
each() { if [ -f /composefix/volume/list ]; then xargs -0 "$@" </composefix/volume/list; else "$@" .; fi; }
walk() { each du -s >/dev/null; }
content() { each sh -c 'find "$@" -type f -exec cat {} + >/dev/null' sh; }
small() { j=0; while [ $j -lt 100 ]; do printf %s "$kb" >"w$i-$j" || return 1; j=$((j+1)); done; }
timed() {
  n=$1; shift; bad=0; i=0
  read a rest </proc/uptime
  while [ $i -lt $n ]; do "$@" || bad=1; i=$((i+1)); done
  read b rest </proc/uptime
  echo "$a $b"
  return $bad
}
kb=0123456789abcdef; kb=$kb$kb$kb$kb; kb=$kb$kb$kb$kb; kb=$kb$kb$kb$kb
trap 'rm -f /composefix/scratch/w*-*' EXIT
"#;

/// Says which tools are missing, a line each, and defines the functions.
pub(super) fn prepare(sampled: bool) -> String {
    let xargs = if sampled { " xargs" } else { "" };
    let tools = TOOLS.join(" ");
    format!(
        "{FUNCTIONS}for tool in {tools}{xargs}; do command -v $tool >/dev/null || echo $tool; done\n\
         [ -r /proc/uptime ] || echo /proc/uptime"
    )
}

/// Counts the names in the tree's top directory; needs no tool, and any name counts once.
pub(super) fn count_names() -> String {
    format!(
        "cd {TREE} && n=0 && for f in ./* ./.[!.]* ./..?*; do \
         if [ -e \"$f\" ] || [ -L \"$f\" ]; then n=$((n+1)); fi; done; echo $n"
    )
}

/// Succeeds where the directory for the write test holds a file of this name.
pub(super) fn has_mark(mark: &str) -> String {
    format!("[ -f \"$(printf '{}')\" ]", octal(format!("{SCRATCH}/{mark}").as_bytes()))
}

/// Scripts that write the list of measured paths, one after the other. Each is short enough for any
/// shell.
pub(super) fn list<'p>(units: impl Iterator<Item = &'p Path>) -> Vec<String> {
    let mut scripts = Vec::new();
    let mut line = String::new();
    let mut flush = |line: &mut String| {
        if !line.is_empty() {
            scripts.push(format!("printf '{line}' >>{VOLUME}/list"));
            line.clear();
        }
    };
    for unit in units {
        // In front of a name that begins with a dash, too.
        line += &octal(b"./");
        line += &octal(slashes(unit).as_slice());
        line += &octal(&[0]);
        if line.len() > 8_000 {
            flush(&mut line);
        }
    }
    flush(&mut line);
    scripts
}

/// Copies what is measured into the volume.
pub(super) fn copy() -> String {
    format!(
        "mkdir {VOLUME}/tree {VOLUME}/scratch && cd {TREE} && each sh -c '\n\
         for unit do\n\
         case $unit in\n\
         .) cp -R -P ./. {VOLUME}/tree/ || exit 1;;\n\
         *) mkdir -p \"{VOLUME}/tree/${{unit%/*}}\" && cp -R -P \"$unit\" \"{VOLUME}/tree/${{unit%/*}}/\" || exit 1;;\n\
         esac\n\
         done' sh"
    )
}

/// Times some passes of an operation: prints the seconds since the engine's start before and after.
pub(super) fn timed(operation: Operation, place: Place, passes: u64) -> String {
    let (directory, function) = match (operation, place) {
        (Operation::Write, Place::Bind) => (SCRATCH.to_owned(), "small"),
        (Operation::Write, Place::Volume) => (format!("{VOLUME}/scratch"), "small"),
        (Operation::Walk, Place::Bind) => (TREE.to_owned(), "walk"),
        (Operation::Walk, Place::Volume) => (format!("{VOLUME}/tree"), "walk"),
        (Operation::Read, Place::Bind) => (TREE.to_owned(), "content"),
        (Operation::Read, Place::Volume) => (format!("{VOLUME}/tree"), "content"),
    };
    format!("cd {directory} && timed {passes} {function}")
}

/// Removes what the write test wrote.
pub(super) fn wipe() -> String {
    format!("rm -f {SCRATCH}/w*-* {VOLUME}/scratch/w*-*")
}

/// A path's bytes with `/` between its names, also on Windows.
fn slashes(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for name in path {
        if !bytes.is_empty() {
            bytes.push(b'/');
        }
        bytes.extend(name.as_encoded_bytes());
    }
    bytes
}

/// Bytes as `printf` has them in its format: every byte escaped, so that nothing else is in it.
fn octal(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 4);
    for byte in bytes {
        write!(out, "\\{byte:03o}").unwrap_or_default();
    }
    out
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn names_reach_the_shell_as_codes_alone() {
        let units = [PathBuf::from("a'b\n$(rm -rf /)/-c")];
        let scripts = list(units.iter().map(PathBuf::as_path));
        assert_eq!(scripts.len(), 1);
        let code = scripts[0].strip_prefix("printf '").unwrap();
        let code = code.strip_suffix("' >>/composefix/volume/list").unwrap();
        assert!(code.bytes().all(|b| b == b'\\' || b.is_ascii_digit()), "{code}");
        assert!(code.starts_with("\\056\\057\\141\\047\\142\\012"), "{code}");
        assert!(code.ends_with("\\057\\055\\143\\000"), "{code}");
    }

    #[test]
    fn long_lists_come_in_pieces() {
        let units: Vec<PathBuf> = (0..500).map(|n| PathBuf::from(format!("unit-{n:04}"))).collect();
        let scripts = list(units.iter().map(PathBuf::as_path));
        assert!(scripts.len() > 2, "{}", scripts.len());
        assert!(scripts.iter().all(|script| script.len() < 9_000));
    }

    #[test]
    fn what_is_written_is_what_is_said() {
        assert!(FUNCTIONS.contains(&format!("$j -lt {WRITTEN_FILES} ")));
        assert_eq!(WRITTEN_BYTES, 16 * 4 * 4 * 4);
    }
}
