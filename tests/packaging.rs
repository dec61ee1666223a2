//! What packages hold besides the program, under the programs that read it.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a helper of a test fails by a panic")]

use std::io::Write as _;
use std::process::{Command, Stdio};

/// What the program prints.
fn printed(words: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_composefix")).args(words).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{words:?}");
    output.stdout
}

/// What another program makes of that and what it complains of; none where it is not installed.
#[expect(clippy::print_stdout, reason = "what is skipped is told")]
fn read_by(program: &str, words: &[&str], input: &[u8]) -> Option<(String, String)> {
    let started = Command::new(program)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = started else {
        println!("skipped: no {program}");
        return None;
    };
    // A reader that stops early is judged by its exit code.
    child.stdin.take().unwrap().write_all(input).ok();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let (made, complaints) = (text(output.stdout), text(output.stderr));
    assert!(output.status.success(), "{program} {words:?}: {complaints}");
    Some((made, complaints))
}

#[test]
fn shells_take_their_completions() {
    for (shell, words) in [("bash", &["-n"][..]), ("zsh", &["-n"]), ("fish", &["--no-execute"])] {
        let script = printed(&["completions", shell]);
        if let Some((_, complaints)) = read_by(shell, words, &script) {
            assert_eq!(complaints, "", "{shell}");
        }
    }
}

#[test]
fn bash_completes_commands_flags_and_values() {
    for (line, expected) in [
        ("composefix ch", "check"),
        ("composefix check --unsa", "--unsafe"),
        ("composefix list pl", "platforms"),
        ("composefix check --fail-on no", "note"),
    ] {
        let mut script = printed(&["completions", "bash"]);
        let words = format!(
            "\nCOMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMP_LINE='{line}'\n\
             _composefix composefix \"${{COMP_WORDS[COMP_CWORD]}}\" \
             \"${{COMP_WORDS[COMP_CWORD - 1]}}\"\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
        );
        script.extend(words.into_bytes());
        let flags = ["--noprofile", "--norc"];
        let Some((reply, _)) = read_by("bash", &flags, &script) else { return };
        assert_eq!(reply.trim_end(), expected, "{line}");
    }
}

#[test]
fn pages_are_rendered_without_complaint() {
    for words in [&["man"][..], &["man", "check"], &["man", "apply"], &["man", "completions"]] {
        let page = printed(words);
        let flags = ["-man", "-Tascii", "-ww", "-P-cbou"];
        let Some((shown, complaints)) = read_by("groff", &flags, &page) else { return };
        assert_eq!(complaints, "", "{words:?}");
        for heading in ["NAME", "SYNOPSIS", "OPTIONS", "EXIT STATUS", "SEE ALSO"] {
            assert!(shown.lines().any(|line| line == heading), "{words:?}: {heading}\n{shown}");
        }
    }
}
