//! Input that was made to break a program: it is answered with one clear message, in little time.
#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by a panic")]

mod hostile_support;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use composefix::write::{Write, WriteError, write_all};
use hostile_support::{Place, SERVICE};
use serde_json::Value;

/// A text that a name, a note or a list of many parts is made of.
fn many(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect()
}

// ---- the file itself

#[test]
fn texts_without_sense_are_one_problem() {
    let deep = "a: ".to_owned() + &"[".repeat(100_000);
    let closed = format!("x-a: {}{}\n{SERVICE}", "{a: ".repeat(3000), "}".repeat(3000));
    let block = many(1000, |depth| format!("{}a:\n", " ".repeat(depth)));
    let dashes = format!("x-a: \n  {}a\n{SERVICE}", "- ".repeat(20_000));
    let lists = many(11, |n| format!("x-{0}: &a{0} [{1}]\n", n + 1, format!("*a{n},").repeat(10)));
    let lists = format!("x-0: &a0 [lol]\n{lists}{SERVICE}");
    let merges =
        many(11, |n| format!("x-{0}: &a{0}\n  <<: [{1}]\n", n + 1, format!("*a{n},").repeat(10)));
    let merges = format!("x-0: &a0 {{k: v}}\n{merges}{SERVICE}");
    let repeated =
        format!("x-a: &a {}\nx-b: [{}]\n{SERVICE}", "x".repeat(100_000), "*a,".repeat(20_000));
    let nested =
        format!("services:\n  a:\n    image: {}{}\n", "${A:-".repeat(20_000), "}".repeat(20_000));
    for (text, message) in [
        (deep.as_str(), "255 deep"),
        (&closed, "255 deep"),
        (&block, "255 deep"),
        (&dashes, "255 deep"),
        (&lists, "too many values"),
        (&merges, "too many values"),
        (&repeated, "too many values"),
        (&nested, "nested too deeply"),
        ("x-a: &a [*a]\n", "inside the value"),
        ("services: &s\n  a: *s\n", "inside the value"),
        ("x-a: &a\n  <<: *a\n", "inside the value"),
        ("x-a: *gone\n", "gone"),
        ("x-a: \"\\ud800\"\n", "escape"),
        ("x-a: a\0b\n", "NUL"),
        ("\u{1}\u{2}", "character"),
        ("", "empty"),
        ("# a\n# b", "empty"),
        ("---\n", "empty"),
        ("~", "empty"),
        ("---\n---\nservices: {}\n", "document is empty"),
        ("services: {}\n---\n# c\n", "document is empty"),
        ("%YAML 1.2\n---\nservices: {}\n", "directive"),
        ("# c\n\n%FOO bar\n---\nservices: {}\n", "directive"),
        ("services: {}\n...\n%YAML 1.2\n---\nservices: {}\n", "directive"),
        ("- a\n", "mapping"),
        ("hello", "mapping"),
        ("services: []\n", "mapping"),
        ("services:\n  a: []\n", "mapping"),
        ("services:\n  a:\n    volumes: {}\n", "list"),
        ("services:\n  a:\n    volumes: [[]]\n", "mount"),
        ("services:\n  a: {}\nservices:\n  b: {}\n", "twice"),
        ("services:\n\ta: {}\n", "tab"),
        ("services:\n  a:\n    extends: a\n", "circle"),
        ("services:\n  a:\n    extends: {file: compose.yaml, service: a}\n", "circle"),
        ("include: [compose.yaml]\nservices: {}\n", "circle"),
    ] {
        let place = Place::new();
        place.put("compose.yaml", text);
        place.refuses("check", message);
        place.refuses("apply --unsafe --yes", message);
        assert_eq!(place.text("compose.yaml"), text.as_bytes());
    }
}

#[test]
fn bytes_that_are_no_text_are_one_problem() {
    let utf16 = |text: &str| -> Vec<u8> {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    let program = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\xff\xfe".as_slice();
    for (bytes, message) in [
        (utf16(SERVICE).as_slice(), "UTF-16"),
        (&utf16(SERVICE)[2..], "NUL"),
        (program, "UTF-8"),
        (b"x-a: \xfc\n", "UTF-8"),
        (b"\xff", "UTF-8"),
        (&[0x80; 5000], "UTF-8"),
    ] {
        let place = Place::new();
        place.put("compose.yaml", bytes);
        place.refuses("check", message);
    }
}

#[test]
fn large_files_are_read() {
    let flow = format!("services:\n  a:\n    command: [{}]\n", "a, ".repeat(50_000));
    let scalar = format!("x-a: \"{}\"\n{SERVICE}", "a".repeat(20_000_000));
    let line = format!("{SERVICE}# {}\n", "ü".repeat(1_000_000));
    let services = many(10_000, |n| format!("  s{n}:\n    volumes: [./:/app]\n"));
    let services = format!("services:\n{services}");
    let mounts = many(5000, |n| format!("    - ./d{n}:/app/d{n}\n"));
    let mounts = format!("services:\n  a:\n    volumes:\n{mounts}");
    for text in [flow, scalar, line, services, mounts] {
        let place = Place::new();
        place.put("compose.yaml", &text);
        assert_eq!(place.run("check").code, 0);
    }
}

/// The time for one tree must not grow with the square of the services that see it, or worse.
#[test]
fn many_services_may_share_a_tree() {
    let services = many(1000, |n| format!("  s{n}:\n    image: node:22\n    volumes: [./:/app]\n"));
    let place = Place::with_packages();
    place.put("compose.yaml", format!("services:\n{services}"));
    assert_eq!(place.run("check -q --format json").code, 1);
}

#[test]
fn what_only_looks_odd_is_read() {
    for text in [
        format!("x-a: {}{}\n{SERVICE}", "[".repeat(200), "]".repeat(200)),
        format!("x-a: \"\\0\"\n{SERVICE}"),
        format!("{SERVICE}...\n"),
        format!("%YAML 1.1\n%TAG ! tag:x,2000:\n---\n{SERVICE}"),
        format!("{SERVICE}x-a: |\n  ...\n  %no directive\n"),
        "services:\n  a:\n    image: ${X:?must be set}\n    volumes: ['${Y:?}:/app']\n".to_owned(),
        "services:\n  web:\n    volumes: [\"./w\\u001b[31m\\u0007\\n:/app\"]\n".to_owned(),
        "services: {}\n".to_owned(),
    ] {
        let place = Place::new();
        place.put("compose.yaml", &text);
        let ran = place.run("check -v");
        assert_eq!(ran.code, 0, "{text}: {}", ran.err);
        assert!(!ran.out.contains('\u{1b}') && !ran.err.contains('\u{1b}'));
    }
}

#[test]
fn a_refused_name_is_shown_without_its_control_characters() {
    let place = Place::new();
    place.put("compose.yaml", "services:\n  \"w\\u001b[31m\\u0007\":\n    image: a\n");
    let ran = place.run("check");
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("is no name for a service") && !ran.err.contains('\u{1b}'));
}

/// Compose refuses to start such a project. Here the variable may only be set elsewhere, so the mount
/// counts as one that cannot be judged.
#[test]
fn a_mount_with_a_variable_that_must_be_set_is_not_judged() {
    let place = Place::with_packages();
    place.put("compose.yaml", "services:\n  a:\n    volumes: ['${DIR:?set it}:/app']\n");
    let ran = place.run("check -v");
    assert_eq!(ran.code, 0);
    assert!(ran.err.contains("not judged: compose.yaml:3: a: `DIR` is not set"), "{}", ran.err);
}

// ---- names and places

#[test]
fn patches_name_every_file() {
    for name in [
        "a\nb.yaml",
        "a\u{1b}[31mb.yaml",
        "two words.yaml",
        " .yaml",
        "q\"uo'te.yaml",
        "ünï.yaml",
        "tab\t.yaml",
        "back\\slash.yaml",
        "-dash.yaml",
        "*.yaml",
        "cr\r.yaml",
    ] {
        let place = Place::with_packages();
        place.put(name, SERVICE);
        let shown = place.run_with(&["check", "--color", "never", "--", name]);
        assert_eq!(shown.code, 1, "{name:?}: {}", shown.err);
        assert!(!shown.out.contains(['\u{1b}', '\r']), "{name:?}: {}", shown.out);
        let patch = place.run_with(&["apply", "--unsafe", "--diff", "--", name]);
        assert_eq!(patch.code, 1, "{name:?}: {}", patch.err);
        place.put("the.patch", &patch.out);
        for program in [&["git", "apply"][..], &["patch", "-p1", "-s", "-i"]] {
            let mut command = Command::new(program[0]);
            command.args(&program[1..]).arg("the.patch").current_dir(place.path());
            match command.output() {
                Ok(output) => assert!(output.status.success(), "{name:?} {program:?}: {output:?}"),
                Err(error) => {
                    println!("skipped {}: {error}", program[0]);
                    continue;
                }
            }
            let text = String::from_utf8(place.text(name)).unwrap();
            assert!(text.contains("node_modules:/app/node_modules"), "{name:?} {program:?}");
            place.put(name, SERVICE);
        }
    }
}

#[test]
fn places_that_are_no_files_are_one_problem() {
    let place = Place::new();
    fs::create_dir(place.path().join("directory.yaml")).unwrap();
    symlink("loop.yaml", place.path().join("loop.yaml")).unwrap();
    symlink("gone", place.path().join("broken.yaml")).unwrap();
    let pipe = place.pipe("pipe.yaml");
    let mut paths = vec![
        ("directory.yaml", "no Compose file"),
        ("loop.yaml", "cannot read"),
        ("broken.yaml", "no such file"),
        ("gone/away.yaml", "no such file"),
        ("/dev/zero", "not a regular file"),
        ("/dev/null", "not a regular file"),
    ];
    paths.extend(pipe.then_some(("pipe.yaml", "not a regular file")));
    for (path, message) in paths {
        place.refuses(&format!("check {path}"), message);
        if path == "directory.yaml" {
            continue;
        }
        for text in [
            format!("include: [{path}]\nservices: {{}}\n"),
            format!("services:\n  a:\n    extends: {{file: {path}, service: a}}\n"),
        ] {
            let inner = Place::new();
            inner.put("compose.yaml", &text);
            symlink("loop.yaml", inner.path().join("loop.yaml")).unwrap();
            symlink("gone", inner.path().join("broken.yaml")).unwrap();
            inner.pipe("pipe.yaml");
            let ran = inner.run("check");
            assert_eq!(ran.code, 2, "{text}");
            assert_eq!(ran.problems(), 1, "{text}: {}", ran.err);
        }
    }
    place.refuses("check -f directory.yaml", "not a regular file");
    place.refuses("check .", "no Compose file");
}

#[test]
fn circles_and_chains_of_files_end() {
    let place = Place::new();
    place.put("compose.yaml", "include: [b.yaml]\nservices: {}\n");
    place.put("b.yaml", "include: [compose.yaml]\nservices: {}\n");
    place.refuses("check", "circle");

    let place = Place::new();
    let extending =
        |file: &str| format!("services:\n  a:\n    extends: {{file: {file}, service: a}}\n");
    place.put("compose.yaml", extending("b.yaml"));
    place.put("b.yaml", extending("compose.yaml"));
    place.refuses("check", "circle");

    let place = Place::new();
    place.put("compose.yaml", "include: [0.yaml]\nservices: {}\n");
    for number in 0..200 {
        let text = format!("include: [{}.yaml]\nservices: {{}}\n", number + 1);
        place.put(&format!("{number}.yaml"), &text);
    }
    place.refuses("check", "128 steps");

    let place = Place::new();
    let chain = many(3000, |n| format!("  s{n}:\n    extends: s{}\n", n + 1));
    place.put("compose.yaml", format!("services:\n{chain}  s3000:\n    image: a\n"));
    place.refuses("check", "128 steps");

    let place = Place::new();
    let mounts = many(1500, |n| format!("    - ./d{n}:/d{n}\n"));
    let heirs = many(1500, |n| format!("  s{n}:\n    extends: base\n"));
    place.put("compose.yaml", format!("services:\n  base:\n    volumes:\n{mounts}{heirs}"));
    place.refuses("check", "too many values");
}

#[test]
fn binds_of_the_system_are_not_looked_into() {
    for source in ["/", "~", "/proc", "/dev", "/sys", "/root", "../../..", "./gone", "//", "~x"] {
        let place = Place::new();
        let text = format!("services:\n  a:\n    volumes: [\"{source}:/app\"]\n");
        place.put("compose.yaml", &text);
        let ran = place.run("check");
        assert_eq!((ran.code, ran.problems()), (0, 0), "{source}: {}", ran.err);
    }
}

#[test]
fn links_that_go_in_circles_are_not_followed() {
    let place = Place::new();
    place.put("compose.yaml", SERVICE);
    place.put("a/b/file", "");
    symlink("..", place.path().join("a/b/up")).unwrap();
    symlink(place.path(), place.path().join("a/self")).unwrap();
    symlink("loop", place.path().join("loop")).unwrap();
    symlink("self/a/../loop", place.path().join("a/maze")).unwrap();
    for words in ["check", "check .", "check --full-survey"] {
        assert_eq!(place.run(words).code, 0, "{words}");
    }
}

// ---- variables

#[test]
fn env_files_that_cannot_be_read_are_one_problem() {
    let doubling = many(60, |n| format!("V{}=$V{n}$V{n}\n", n + 1));
    let nested = format!("A={}{}", "${B:-".repeat(5000), "}".repeat(5000));
    for (env, message) in [
        ("A=1\nB C=word\n", "line 2"),
        ("A=\"open\n", "not closed"),
        ("A=${B.c}\n", "no valid variable"),
        (&format!("V0=0123456789abcdef\n{doubling}"), "too much text"),
        (&nested, "nested too deeply"),
    ] {
        let place = Place::new();
        place.put("compose.yaml", SERVICE);
        place.put(".env", env);
        place.refuses("check", message);
    }
    let place = Place::new();
    place.put("compose.yaml", SERVICE);
    place.refuses("check --env-file gone", "gone");
    place.refuses("check --env-file /dev/zero", "not a regular file");
    place.refuses("check --env-file .", "not a regular file");
}

#[test]
fn odd_env_files_do_no_harm() {
    let place = Place::new();
    place.put("compose.yaml", SERVICE);
    place.put(".env", many(50_000, |n| format!("V{n}=x\n")));
    assert_eq!(place.run("check").code, 0);

    let place = Place::new();
    place.put("compose.yaml", SERVICE);
    fs::create_dir(place.path().join(".env")).unwrap();
    assert_eq!(place.run("check").code, 0);

    let place = Place::new();
    place.put("compose.yaml", SERVICE);
    place.pipe(".env");
    assert_eq!(place.run("check").code, 0);

    let place = Place::new();
    place.put(".env", format!("V={}\n", "x".repeat(900_000)));
    let labels = many(5000, |n| format!("      l{n}: $V\n"));
    place.put("compose.yaml", format!("services:\n  a:\n    labels:\n{labels}"));
    place.refuses("check", "too much text");
}

#[test]
fn compose_file_may_point_nowhere() {
    let place = Place::new();
    place.put("compose.yaml", SERVICE);
    for (list, message) in
        [("gone.yaml", "no such file"), ("compose.yaml:/dev/zero", "not a regular file")]
    {
        let ran = place.run_in(&["check"], &[("COMPOSE_FILE", list)]);
        assert_eq!((ran.code, ran.problems()), (2, 1), "{list}: {}", ran.err);
        assert!(ran.err.contains(message), "{list}: {}", ran.err);
    }
}

#[test]
fn values_of_variables_are_not_shown() {
    const MARKER: &str = "s3cr3t-m4rk3r";
    let text = "\
services:
  web:
    image: node:22
    user: $SHELL_SECRET
    command: run --token=$FILE_SECRET npm ci
    environment: {A: $SHELL_SECRET, B: $FILE_SECRET}
    labels: [\"a=${FILE_SECRET}\"]
    build: {context: ., args: {A: $FILE_SECRET}}
    volumes: ['./:/app', '$NOTHING:/x']
";
    for env in ["FILE_SECRET=s3cr3t-m4rk3r\n", "A=s3cr3t-m4rk3r${B\n", "A=s3cr3t-m4rk3r\nB C\n"] {
        let place = Place::with_packages();
        place.put("compose.yaml", text);
        place.put(".env", env);
        for words in [
            "check",
            "check -v",
            "check --format json",
            "check --diff --unsafe",
            "check --show-mounts --format json",
            "apply --unsafe --diff",
            "apply --unsafe --to -",
            "apply -v --unsafe --yes",
        ] {
            let words: Vec<&str> = words.split_whitespace().collect();
            let ran = place.run_in(&words, &[("SHELL_SECRET", MARKER)]);
            let shown = ran.out.contains(MARKER) || ran.err.contains(MARKER);
            assert!(!shown, "{words:?}: {}{}", ran.out, ran.err);
        }
    }
}

// ---- writing

#[test]
fn files_that_may_not_be_written_stay_as_they_are() {
    let place = Place::with_packages();
    place.put("compose.yaml", SERVICE);
    let path = place.path().join("compose.yaml");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let ran = place.run("apply --unsafe --yes");
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("read-only"), "{}", ran.err);
    assert_eq!(place.text("compose.yaml"), SERVICE.as_bytes());
    assert_eq!(place.names_with(".composefix-"), 0);
}

#[test]
fn one_file_under_two_names_is_written_once_or_not_at_all() {
    let place = Place::with_packages();
    place.put("compose.yaml", SERVICE);
    symlink("compose.yaml", place.path().join("linked.yaml")).unwrap();
    fs::hard_link(place.path().join("compose.yaml"), place.path().join("hard.yaml")).unwrap();
    assert_eq!(place.run("check compose.yaml ./compose.yaml").findings(), 1);
    for other in ["linked.yaml", "hard.yaml"] {
        let ran = place.run(&format!("apply --unsafe --yes compose.yaml {other}"));
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.contains("same file"), "{}", ran.err);
        assert_eq!(place.text("compose.yaml"), SERVICE.as_bytes());
    }
    let ran = place.run("apply --unsafe --yes compose.yaml ./compose.yaml");
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn a_file_that_cannot_be_read_is_one_problem() {
    let place = Place::new();
    place.put("compose.yaml", SERVICE);
    let path = place.path().join("compose.yaml");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::File::open(&path).is_ok() {
        println!("skipped: this user may read everything");
        return;
    }
    place.refuses("check", "ermission denied");
}

#[test]
fn a_file_that_changed_meanwhile_is_not_written() {
    let place = Place::new();
    let write = |name: &str| Write {
        path: place.path().join(name),
        before: Some(b"planned\n".to_vec()),
        after: b"new\n".to_vec(),
    };
    place.put("a", "planned\n");
    for other in ["changed\n", "PLANNED\n", "planned\nmore\n", ""] {
        place.put("b", other);
        let error = write_all(&[write("a"), write("b")]).unwrap_err();
        assert!(matches!(&error, WriteError::Changed { path } if path.ends_with("b")), "{error}");
        assert_eq!((place.text("a"), place.text("b")), (b"planned\n".to_vec(), other.into()));
    }
    place.put("b", "planned\n");
    write_all(&[write("a"), write("b")]).unwrap();
    assert_eq!((place.text("a"), place.text("b")), (b"new\n".to_vec(), b"new\n".to_vec()));
}

// ---- every file of the fixtures, broken in many ways

/// Compose files of the fixtures.
fn fixtures(directory: &Path, found: &mut Vec<String>) {
    let mut entries: Vec<_> = fs::read_dir(directory).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            fixtures(&path, found);
        } else if name.contains("compose") && !name.contains("composer") {
            #[expect(clippy::disallowed_methods, reason = "a test reads its own files")]
            found.extend(fs::read_to_string(&path));
        }
    }
}

/// `COMPOSEFIX_MUTANTS=200000 cargo test --release --test hostile mutated` looks at more.
#[test]
fn mutated_files_are_refused_or_examined() {
    let mut texts = Vec::new();
    fixtures(Path::new("fixtures"), &mut texts);
    assert!(texts.len() > 20);
    let count = std::env::var_os("COMPOSEFIX_MUTANTS");
    let count = count.and_then(|text| text.to_str()?.parse().ok()).unwrap_or(2000);
    let broken = hostile_support::examine_mutants(&texts, count);
    assert_eq!(broken, [""; 0]);
}

#[test]
fn problems_are_in_the_json_report_too() {
    let place = Place::new();
    place.put("compose.yaml", "services: [");
    let ran = place.run("check --format json");
    assert_eq!((ran.code, ran.err.as_str()), (2, ""));
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["problems"].as_array().map(Vec::len), Some(1));
}

// ---- the configuration

#[test]
fn configurations_without_sense_are_one_problem() {
    let lists = many(11, |n| format!("x{0}: &a{0} [{1}]\n", n + 1, format!("*a{n},").repeat(10)));
    let bomb = format!("x0: &a0 [lol]\n{lists}platforms: *a11\n");
    let words = format!("platforms: &p [{}]\nstrategies: *p\n", "volume, ".repeat(50_000));
    for (text, message) in [
        ("a: ".to_owned() + &"[".repeat(100_000), "255 deep"),
        (format!("ignore: {}{}", "{a: ".repeat(3000), "}".repeat(3000)), "255 deep"),
        (bomb, "unknown key"),
        (format!("exclude: [{}]\n", "a, ".repeat(200_000)), "more than 100000 values"),
        ("# ".to_owned() + &"x".repeat(2 << 20), "larger than 1048576 bytes"),
        (words, "unknown platform `volume`"),
        (format!("platforms: [{}]\n", "x".repeat(500_000)), "unknown platform"),
        ("ignore: &i\n- {reason: *i}\n".to_owned(), "inside the value"),
        ("exclude: ['".to_owned() + &"{a,".repeat(5000) + "']\n", "glob"),
        ("platforms: [a\0b]".to_owned(), "NUL"),
        ("platforms: \"\\ud800\"\n".to_owned(), "escape"),
    ] {
        let place = Place::new();
        place.put("compose.yaml", SERVICE);
        place.put(".composefix.yaml", &text);
        place.refuses("check", message);
        place.refuses("apply --unsafe --yes", message);
    }
}

#[test]
fn what_is_no_text_is_no_configuration() {
    let refuses = |lay: &dyn Fn(&Path), message: &str| {
        let place = Place::new();
        place.put("compose.yaml", SERVICE);
        lay(&place.path().join(".composefix.yaml"));
        place.refuses("check", message);
        let taken = place.run("init");
        assert_eq!(taken.code, 2, "{}", taken.err);
    };
    refuses(&|path| fs::create_dir(path).unwrap(), "a directory, not a configuration");
    refuses(&|path| symlink("gone", path).unwrap(), "cannot read the configuration");
    refuses(&|path| symlink(".composefix.yaml", path).unwrap(), "cannot read the configuration");
    refuses(&|path| symlink("/dev/zero", path).unwrap(), "not a regular file");
    refuses(
        &|path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
        "not a regular file",
    );
    let bytes = |bytes: &'static [u8]| {
        move |path: &Path| {
            std::io::Write::write_all(&mut fs::File::create(path).unwrap(), bytes).unwrap();
        }
    };
    refuses(&bytes(b"platforms: [\xff]\n"), "not UTF-8");
    refuses(&bytes(b"\xff\xfea\0"), "UTF-16");
}

/// Requests to ignore something cost no more than the mounts that they speak of.
#[test]
fn many_requests_take_little_time() {
    let line = "      # composefix: ignore[slow-tree] x\n";
    let mounts = many(3000, |n| format!("      - ./:/app{n} # composefix: ignore[slow-tree] x\n"));
    let block =
        format!("services:\n  a:\n    image: a\n    volumes:\n{}{mounts}", line.repeat(3000));
    let entries = many(1000, |n| format!("- {{service: s{n}, reason: x}}\n"));
    let place = Place::new();
    place.put("compose.yaml", &block);
    place.put(".composefix.yaml", format!("ignore:\n{entries}"));
    let outcome = place.run("check --format json");
    assert!(outcome.code < 2, "{}", outcome.err);
}
