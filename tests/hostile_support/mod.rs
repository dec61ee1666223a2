//! Places to run the program in, and files broken at random.

use std::fs::{self, File};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use composefix::compose::Request;
use composefix::finding::Applicability;
use composefix::host::{Environment, MemoryHost, MemoryNode};
use composefix::rewrite::Destination;
use composefix::rules::Rules;
use composefix::run::{self, Session, Settings};
use tempfile::TempDir;

/// A service with one bind mount.
pub(crate) const SERVICE: &str = "services:\n  web:\n    volumes:\n      - ./:/app\n";

/// Seconds that a run may take on a busy machine. Alone, each takes less than two.
const LIMIT: Duration = Duration::from_secs(10);

/// A repository with nothing in it.
pub(crate) struct Place(TempDir);

/// What a run left behind.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// Problems that were told on standard error.
    pub(crate) fn problems(&self) -> usize {
        self.err.lines().filter(|line| *line == "error" || line.starts_with("error:")).count()
    }

    /// Findings in a text report.
    pub(crate) fn findings(&self) -> usize {
        self.out.lines().filter(|line| line.starts_with("warning[")).count()
    }
}

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::create_dir(place.path().join(".git")).unwrap();
        place
    }

    /// With a manifest that implies a `node_modules`.
    pub(crate) fn with_packages() -> Self {
        let place = Self::new();
        place.put("package.json", "{\"dependencies\": {\"a\": \"1\"}}");
        place
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        #[expect(clippy::disallowed_methods, reason = "a test lays out its own files")]
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn text(&self, name: &str) -> Vec<u8> {
        #[expect(clippy::disallowed_methods, reason = "a test looks at what was written")]
        fs::read(self.path().join(name)).unwrap()
    }

    /// Makes a pipe that nobody writes to; false where that cannot be done.
    #[expect(clippy::print_stdout, reason = "what is skipped is told")]
    pub(crate) fn pipe(&self, name: &str) -> bool {
        let made = Command::new("mkfifo").arg(self.path().join(name)).status();
        let made = made.is_ok_and(|status| status.success());
        if !made {
            println!("skipped a pipe: no mkfifo");
        }
        made
    }

    /// Files whose names start so.
    pub(crate) fn names_with(&self, start: &str) -> usize {
        let names = fs::read_dir(self.path()).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().starts_with(start)).count()
    }

    pub(crate) fn run(&self, words: &str) -> Ran {
        self.run_with(&words.split_whitespace().collect::<Vec<_>>())
    }

    pub(crate) fn run_with(&self, words: &[&str]) -> Ran {
        self.run_in(words, &[])
    }

    /// Runs the program to its end, which must come in time, by itself and without a panic.
    pub(crate) fn run_in(&self, words: &[&str], variables: &[(&str, &str)]) -> Ran {
        let outside = tempfile::tempdir().unwrap();
        let at = |name: &str| outside.path().join(name);
        let mut command = Command::new(env!("CARGO_BIN_EXE_composefix"));
        command.args(words).current_dir(self.path()).env_clear().env("HOME", "/root");
        command.envs(variables.iter().copied()).stdin(Stdio::null());
        command.stdout(File::create(at("out")).unwrap());
        command.stderr(File::create(at("err")).unwrap());
        let start = Instant::now();
        let mut child = command.spawn().unwrap();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if start.elapsed() > LIMIT {
                child.kill().unwrap();
                panic!("{words:?} takes more than {LIMIT:?}");
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let read = |path: PathBuf| {
            #[expect(clippy::disallowed_methods, reason = "a test looks at what was printed")]
            fs::read_to_string(path).unwrap()
        };
        let (out, err) = (read(at("out")), read(at("err")));
        assert!(!err.contains("panicked"), "{words:?}: {err}");
        let Some(code @ 0..=2) = status.code() else { panic!("{words:?}: {status}: {err}") };
        Ran { code, out, err }
    }

    /// Runs into exactly one problem whose message holds `message`.
    pub(crate) fn refuses(&self, words: &str, message: &str) {
        let ran = self.run(words);
        assert_eq!((ran.code, ran.problems()), (2, 1), "{words}: {}", ran.err);
        assert!(ran.err.contains(message), "{words}: no {message:?} in {}", ran.err);
        assert!(ran.err.len() < 4000, "{words}: {} bytes", ran.err.len());
    }
}

/// Pseudo-random numbers that are the same on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % count.max(1)
    }

    /// The text with one thing wrong in it.
    fn mutated(&mut self, text: &str) -> String {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        let (one, two) = (self.below(lines.len()), self.below(lines.len()));
        let at = self.below(text.len() + 1);
        let at = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let (head, tail) = text.split_at(at);
        match self.below(6) {
            0 if !lines.is_empty() => drop(lines.remove(one)),
            1 if !lines.is_empty() => lines.insert(two, lines[one]),
            2 if !lines.is_empty() => lines.swap(one, two),
            3 => return head.to_owned(),
            4 => {
                let skipped = 1 + self.below(8);
                return head.chars().chain(tail.chars().skip(skipped)).collect();
            }
            _ => {
                let parts = [
                    "\0",
                    "\t",
                    "\r",
                    "\n",
                    "  ",
                    "- ",
                    ": ",
                    ":",
                    "#",
                    " #",
                    "&a ",
                    "*a",
                    "!x ",
                    "[",
                    "]",
                    "{",
                    "}",
                    ",",
                    "'",
                    "\"",
                    "|",
                    ">-",
                    "%",
                    "@",
                    "`",
                    "?",
                    "${",
                    "}",
                    "$",
                    "\\",
                    "\u{feff}",
                    "\u{85}",
                    "\u{1f40b}",
                    "<<: *a\n",
                    "---\n",
                    "...\n",
                    "volumes:",
                    "~",
                ];
                let part = parts[self.below(parts.len())];
                return format!("{head}{part}{tail}");
            }
        }
        lines.concat()
    }
}

/// Examines that many files, each with up to three things wrong. Returns those that a panic or a
/// patch that does not hold came from.
pub(crate) fn examine_mutants(texts: &[String], count: usize) -> Vec<String> {
    let rules = Rules::builtin().unwrap();
    let settings = Settings {
        platforms: vec!["macos-virtiofs".to_owned()],
        strategies: Vec::new(),
        select: Vec::new(),
        ignore: Vec::new(),
        write_from: Applicability::Unsafe,
        full_survey: false,
        show_mounts: true,
        edits_alone: false,
        destination: Destination::InPlace,
        ..Settings::default()
    };
    let environment = Environment { directory: "/home/me/p".into(), ..Environment::default() };
    let host = MemoryHost::default()
        .with_file("/home/me/p/package.json", "{\"dependencies\": {\"a\": \"1\"}}")
        .with("/home/me/p/node_modules", MemoryNode::Tree(600));
    let examine = |text: &str| {
        let host = host.clone().with_file("/home/me/p/compose.yaml", text);
        let session = Session {
            host: &host,
            environment: &environment,
            rules: &rules,
            settings: settings.clone(),
        };
        run::examine(&session, &[Request::default()])
    };
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut broken = Vec::new();
    for _ in 0..count {
        let mut text = texts[dice.below(texts.len())].clone();
        for _ in 0..=dice.below(3) {
            text = dice.mutated(&text);
        }
        let result = catch_unwind(AssertUnwindSafe(|| {
            let first = examine(&text);
            let sound = first.patches.iter().all(|patch| {
                let second = examine(&patch.after);
                second.report.problems.is_empty() && second.patches.is_empty()
            });
            sound.then_some(())
        }));
        if !matches!(result, Ok(Some(()))) {
            broken.push(text);
        }
    }
    broken
}
