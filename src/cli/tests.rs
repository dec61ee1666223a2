use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use super::*;
use crate::host::RealHost;

/// A process for tests: what goes in, and whether people are at its ends.
#[derive(Debug, Clone, Default)]
pub(super) struct Stage {
    pub(super) stdin: &'static str,
    pub(super) terminals: bool,
    pub(super) variables: BTreeMap<String, String>,
    pub(super) directory: PathBuf,
}

/// What came out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Outcome<T> {
    pub(super) result: T,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Stage {
    pub(super) fn play<T>(&self, act: impl FnOnce(&mut Command<'_>) -> T) -> Outcome<T> {
        let (mut stdin, mut stdout, mut stderr) = (self.stdin.as_bytes(), Vec::new(), Vec::new());
        let environment = Environment {
            variables: self.variables.clone(),
            directory: self.directory.clone(),
            ..Environment::default()
        };
        let result = act(&mut Command {
            stdin: &mut stdin,
            stdout: &mut stdout,
            stderr: &mut stderr,
            stdin_is_terminal: self.terminals,
            stdout_is_terminal: self.terminals,
            stderr_is_terminal: self.terminals,
            environment,
            host: &RealHost,
        });
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Outcome { result, stdout: text(stdout), stderr: text(stderr) }
    }

    pub(super) fn main(&self, words: &str) -> Outcome<Exit> {
        let words = std::iter::once("composefix").chain(words.split_whitespace());
        self.play(|command| command.main(words.map(OsString::from)))
    }
}

/// The task of a command line.
pub(super) fn parsed(words: &str) -> Arguments {
    let words = std::iter::once("composefix").chain(words.split_whitespace());
    Arguments::try_parse_from(words).unwrap()
}

#[test]
fn wrong_flags_are_errors_on_standard_error() {
    for (words, message) in [
        ("chek", "'check'"),
        ("check --format jsn", "unknown format `jsn`; did you mean `json`?"),
        ("check --format srif", "unknown format `srif`; did you mean `sarif`?"),
        (
            "check --format xml",
            "unknown format `xml`; formats are text, json, sarif, github, gitlab, junit, rdjson",
        ),
        ("check --fail-on warn", "'warning'"),
        ("check --frobnicate", "--frobnicate"),
        ("check -f a.yaml b.yaml", "cannot be used with"),
        ("check -q -v", "cannot be used with"),
        ("apply --to dir/", "this is no name of a file"),
        ("apply --to - --diff", "--diff and `--to -` both go to standard output"),
        ("apply --format json", "--format"),
        ("list sheep", "[possible values: rules, strategies, platforms, trees]"),
        ("explain slow-tre", "unknown id `slow-tre`; did you mean `slow-tree`?"),
        ("check --platform macos-virtofs", "did you mean `macos-virtiofs`?"),
        ("check --rules nowhere", "rule file"),
        ("", "Usage: composefix"),
    ] {
        let outcome = Stage::default().main(words);
        assert_eq!((outcome.result, outcome.stdout.as_str()), (Exit::Error, ""), "{words}");
        assert!(outcome.stderr.contains(message), "{words}: {}", outcome.stderr);
    }
}

#[test]
fn help_and_version_are_answers() {
    for (words, text) in [
        ("--version", concat!("composefix ", env!("CARGO_PKG_VERSION"), "\n")),
        ("--help", "Usage: composefix"),
        ("check -h", "--fail-on"),
        ("apply --help", "--yes"),
        ("list rules", "slow-tree"),
        ("list trees --format json", "\"id\": \"composer-vendor\""),
        ("explain volume", "#"),
    ] {
        let outcome = Stage::default().main(words);
        assert_eq!((outcome.result, outcome.stderr.as_str()), (Exit::Success, ""), "{words}");
        assert!(outcome.stdout.contains(text), "{words}: {}", outcome.stdout);
    }
}

#[test]
fn colours_follow_the_stream_and_the_environment() {
    let terminal = Stage { terminals: true, ..Stage::default() };
    assert!(terminal.main("--help").stdout.contains('\u{1b}'));
    assert!(!Stage::default().main("--help").stdout.contains('\u{1b}'));
    let variables = BTreeMap::from([("NO_COLOR".to_owned(), "1".to_owned())]);
    let plain = Stage { variables, ..terminal };
    assert!(!plain.main("--help").stdout.contains('\u{1b}'));
}

#[test]
fn names_from_arguments_are_escaped() {
    let outcome = Stage::default().main("check --select \u{1b}[2J");
    assert!(outcome.stderr.contains("unknown rule `\\u{1b}[2J`"), "{}", outcome.stderr);
}

/// A stream that fails with one kind of error.
struct Broken(io::ErrorKind);

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_closed_pipe_is_no_error_and_a_full_disk_is_one() {
    for (kind, exit, message) in [
        (io::ErrorKind::BrokenPipe, Exit::Success, ""),
        (io::ErrorKind::StorageFull, Exit::Error, "error: cannot write standard output: "),
    ] {
        let mut stderr = Vec::new();
        let exit_of = Command {
            stdin: &mut io::empty(),
            stdout: &mut Broken(kind),
            stderr: &mut stderr,
            stdin_is_terminal: false,
            stdout_is_terminal: false,
            stderr_is_terminal: false,
            environment: Environment::default(),
            host: &RealHost,
        }
        .main(["composefix", "list", "rules"].into_iter().map(OsString::from));
        assert_eq!(exit_of, exit);
        let stderr = String::from_utf8(stderr).unwrap();
        assert!(stderr.starts_with(message) && stderr.is_empty() == message.is_empty(), "{stderr}");
    }
}
