use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::*;
use crate::host::{Host as _, RealHost};

fn patch(name: &str, before: &str, after: &str) -> Patch {
    Patch {
        path: PathBuf::from("/x").join(name),
        name: name.into(),
        before: Some(before.into()),
        after: after.into(),
    }
}

fn lines(count: usize, line_break: &str) -> String {
    (1..=count).fold(String::new(), |text, n| text + &format!("key{n}: {n}{line_break}"))
}

fn put(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
}

/// Applies the patch with a program, if the machine has it.
fn applied(program: &str, arguments: &[&str], patches: &[Patch]) {
    let directory = tempfile::tempdir().unwrap();
    for patch in patches {
        if let Some(before) = &patch.before {
            put(&directory.path().join(&patch.name), before);
        }
    }
    let started = Command::new(program)
        .args(arguments)
        .current_dir(directory.path())
        .env("GIT_CEILING_DIRECTORIES", directory.path().parent().unwrap())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = started else {
        println!("skipped: this machine has no {program}");
        return;
    };
    let text = unified(patches);
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{program}: {output:?}\n{text}");
    for patch in patches {
        let now = RealHost.read(&directory.path().join(&patch.name), 1 << 20).unwrap();
        assert_eq!(String::from_utf8(now).unwrap(), patch.after, "{program}\n{text}");
    }
}

fn takes(patches: &[Patch]) {
    applied("git", &["apply", "-p1", "-"], patches);
    applied("patch", &["-p1", "--binary", "-s"], patches);
}

#[test]
fn a_new_file_comes_from_nowhere() {
    let new = Patch { before: None, ..patch("sub/my file.yaml", "", "a: 1\nb: 2\n") };
    let text = unified(std::slice::from_ref(&new));
    let expected = "--- /dev/null\n+++ b/sub/my file.yaml\t\n@@ -0,0 +1,2 @@\n+a: 1\n+b: 2\n";
    assert_eq!(text, expected);
    takes(&[new, patch("compose.yaml", "c: 1\n", "c: 2\n")]);
}

#[test]
fn other_programs_take_it() {
    let long = lines(20, "\n");
    let crlf = lines(20, "\r\n");
    for (before, after) in [
        (long.clone(), long.replace("key5: 5\n", "key5: 5\nnew: 1\nmore: 2\n")),
        (long.clone(), format!("top: 0\n{}", long.replace("key18: 18\n", ""))),
        (long.clone(), format!("{long}volumes:\n  vendor:\n")),
        (crlf.clone(), crlf.replace("key5: 5\r\n", "key5: 5\r\nnew: 1\r\n")),
        (crlf.clone(), format!("{crlf}volumes:\r\n  vendor:\r\n")),
        ("a: 1\nb: 2".to_owned(), "a: 1\nb: 2\nc: 3".to_owned()),
        ("a: 1\nb: 2".to_owned(), "a: 1\nx: 9\nb: 2".to_owned()),
        ("a: 1\nb: 2".to_owned(), "a: 1\nb: 2\n".to_owned()),
        ("a: 1\r\nb: 2".to_owned(), "a: 1\r\nb: 2\r\nc: 3".to_owned()),
        ("a: 1\r\nb: 2\nc: 3\r\n".to_owned(), "a: 1\r\nb: 2\nx: 9\nc: 3\r\nd: 4\r\n".to_owned()),
        ("a: 1\rstill: 1\nb: 2\n".to_owned(), "a: 1\rstill: 1\nx: 9\nb: 2\n".to_owned()),
        ("a: ü\n\n\nb: 日本\n".to_owned(), "a: ü\n\n\nb: 日本\nc: 1\n".to_owned()),
        ("x: 1\n".to_owned(), "y: 1\n".to_owned()),
        ("\u{feff}a: 1\nb: 2\n".to_owned(), "\u{feff}a: 1\nx: 3\nb: 2\n".to_owned()),
    ] {
        takes(&[patch("compose.yaml", &before, &after)]);
    }
}

#[test]
fn other_programs_take_several_files_with_any_name() {
    let names = ["a/compose.yaml", "b c/my file.yaml", "ümläut/日本.yaml", "quo\"te\\d.yaml"];
    let patches = names.map(|name| patch(name, "a: 1\nb: 2\n", "a: 1\nx: 3\nb: 2\n"));
    takes(&patches);
    takes(&[patch("tab\there\nand line.yaml", "a: 1\n", "a: 2\n")]);
}

#[test]
fn the_text_is_exactly_this() {
    let before = lines(12, "\n");
    let after = before.replace("key2: 2\n", "key2: two\n") + "end: 1";
    let expected = "--- a/my file.yaml\t\n+++ b/my file.yaml\t\n@@ -1,5 +1,5 @@\n key1: 1\n-key2: 2\n\
        +key2: two\n key3: 3\n key4: 4\n key5: 5\n@@ -10,3 +10,4 @@\n key10: 10\n key11: 11\n \
        key12: 12\n+end: 1\n\\ No newline at end of file\n";
    assert_eq!(unified(&[patch("my file.yaml", &before, &after)]), expected);
    assert_eq!(unified(&[patch("x", "a\n", "a\n")]), "");
    let above = unified(&[patch("../x.yaml", "a\n", "b\n")]);
    assert!(above.starts_with("--- a/../x.yaml\n+++ b/../x.yaml\n@@ -1 +1 @@\n"), "{above}");
}

#[test]
fn people_see_colours_and_no_control_characters() {
    let patches = [patch("a\u{1b}b.yaml", "a: \u{1b}[2J\r\n", "a: 1\r\n")];
    let plain = for_people(&patches, false);
    assert_eq!(
        plain,
        "--- \"a/a\\033b.yaml\"\n+++ \"b/a\\033b.yaml\"\n@@ -1 +1 @@\n-a: \\u{1b}[2J\n+a: 1\n"
    );
    let coloured = for_people(&patches, true);
    assert!(coloured.contains("\u{1b}[31m-a: \\u{1b}[2J\u{1b}[0m\n"), "{coloured:?}");
    assert!(coloured.contains("\u{1b}[32m+a: 1\u{1b}[0m\n"), "{coloured:?}");
    assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), plain);
}
