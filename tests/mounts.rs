//! What the rules about single mounts say of one entry, on given platforms.
#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod support;

use std::path::Path;

use composefix::host::{MemoryHost, MemoryNode};
use serde_json::Value;
use support::{environment, run};

const PLACE: &str = "/project/shop";

/// Entries of a service's `volumes`, and what else the file says.
struct Given<'t> {
    entry: &'t str,
    more: &'t str,
    place: &'t str,
    flags: &'t str,
    /// The kernel's table of mounts.
    mounted: &'t str,
}

impl<'t> Given<'t> {
    fn entry(entry: &'t str) -> Self {
        Self { entry, more: "", place: PLACE, flags: "", mounted: "" }
    }

    /// The findings of one rule.
    fn findings(&self, rule: &str) -> Vec<Value> {
        let place = Path::new(self.place);
        let compose = format!(
            "services:\n  web:\n    image: node:22\n    volumes:\n      - {}\n{}",
            self.entry, self.more
        );
        let host = MemoryHost::default()
            .with_file(place.join("compose.yaml"), compose.as_str())
            .with_file(place.join(".env"), "SRC=./src\nDRIVE=/mnt/e/proj\nFLAG=cached\nUP=app\n")
            .with_file(place.join("src/index.js"), "")
            .with_file(place.join("lib/notes.d/one"), "")
            .with_file(place.join("Caddyfile"), "")
            .with_file("/etc/ssl/one", "")
            .with_file("/home/me/keys/one", "")
            .with_file("/proc/self/mountinfo", self.mounted)
            .with(place.join("agent"), MemoryNode::Other);
        let words = format!("check --select {rule} --format json {}", self.flags);
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let outcome = run(&host, &environment(place), &words);
        assert!(outcome.code < 2, "{compose}: {}{}", outcome.stdout, outcome.stderr);
        outcome.json().pointer("/findings").and_then(Value::as_array).unwrap().clone()
    }

    fn is_found(&self, rule: &str) -> bool {
        !self.findings(rule).is_empty()
    }
}

fn platforms(finding: &Value) -> Vec<&str> {
    let platforms = finding.pointer("/platforms").and_then(Value::as_array).unwrap();
    platforms.iter().filter_map(Value::as_str).collect()
}

#[test]
fn a_flag_is_dead_where_nothing_reads_it() {
    let both = "--platform macos-osxfs --platform macos-virtiofs";
    for (entry, flags, on) in [
        (".:/app:cached", both, &["macos-virtiofs"][..]),
        (".:/app:ro,consistent", both, &["macos-virtiofs"]),
        (".:/app:delegated", "--platform macos-osxfs", &[]),
        ("data:/data:cached", both, &["macos-osxfs", "macos-virtiofs"]),
        (".:/app:${FLAG}", both, &["macos-virtiofs"]),
        ("${NO_SUCH}/x:/app:cached", both, &["macos-virtiofs"]),
        (
            "{type: bind, source: ., target: /app, consistency: delegated}",
            both,
            &["macos-virtiofs"],
        ),
        (
            "{type: tmpfs, target: /run, consistency: cached}",
            "--platform macos-osxfs",
            &["macos-osxfs"],
        ),
        (".:/app", both, &[]),
        (".:/app:Cached", both, &[]),
        (".:/app:z,${NO_SUCH:-ro}", both, &[]),
        ("{type: bind, source: ., target: /app, consistency: default}", both, &[]),
    ] {
        let given = Given { more: "volumes: {data: }\n", flags, ..Given::entry(entry) };
        let found = given.findings("dead-consistency-flag");
        let named: Vec<Vec<&str>> = found.iter().map(platforms).collect();
        let expected = if on.is_empty() { vec![] } else { vec![on.to_vec()] };
        assert_eq!(named, expected, "{entry}");
    }
}

/// Container paths of the mounts whose flags are dead on an own platform that reads `consistent`.
fn dead_flags(by: &str) -> Vec<String> {
    let flags = format!("consistency_flags: [{{flag: consistent, effect: bypass, by: [{by}]}}]");
    let text = include_str!("../rules/platforms/linux-native.yaml")
        .replace("id: linux-native", "id: shares")
        .replace("host_events: 'yes'\n", &format!("host_events: 'yes'\n{flags}\n"));
    let place = Path::new(PLACE);
    let compose = "services:
  web:
    image: node:22
    volumes:
      - ./a:/short:consistent
      - ./a:/cached:cached
      - {type: bind, source: ./a, target: /long, consistency: consistent}
      - {type: bind, source: ./a, target: /creates, consistency: consistent, bind: {create_host_path: true}}
      - {type: bind, source: ./a, target: /must-exist, consistency: consistent, bind: {create_host_path: false}}
      - {type: bind, source: ./a, target: /propagates, consistency: consistent, bind: {propagation: rslave}}
      - {type: bind, source: ./a, target: /recursive, consistency: consistent, bind: {recursive: enabled}}
      - ./a:/none
";
    let host = MemoryHost::default()
        .with_file(place.join("compose.yaml"), compose)
        .with_file(place.join("own/platforms/shares.yaml"), text.as_str());
    let words = "check --format json --rules own --platform shares --select dead-consistency-flag";
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    let report = run(&host, &environment(place), &words).json();
    let found = report.pointer("/findings").and_then(Value::as_array).unwrap();
    let target = |f: &Value| f.pointer("/mount/target").and_then(Value::as_str).map(str::to_owned);
    found.iter().filter_map(target).collect()
}

#[test]
fn an_own_platform_says_which_flags_are_read_and_what_must_hand_them_on() {
    assert_eq!(dead_flags("docker-compose-1"), ["/cached"]);
    assert_eq!(dead_flags("mount-interface"), ["/short", "/cached", "/long", "/creates"]);
}

#[test]
fn a_flag_is_missing_on_directories_only() {
    for (entry, found) in [
        (".:/app", true),
        ("./src:/app:ro", true),
        ("./lib/notes.d:/notes", true),
        ("./not-there:/app", true),
        ("${SRC}:/app", true),
        ("${OTHER:-./lib}:${TARGET:-/lib}", true),
        ("/home/me/keys:/keys", true),
        ("{type: bind, source: ./src, target: /app}", true),
        ("{type: bind, source: ./not-there, target: /app}", false),
        ("./Caddyfile:/etc/Caddyfile", false),
        ("./agent:/agent", false),
        ("./not-there.conf:/etc/app.conf", false),
        ("./Procfile:/app/Procfile", false),
        ("~/.netrc:/home/app/.netrc", false),
        ("${NO_SUCH}/x:/app", false),
        ("/etc/ssl:/etc/ssl", false),
        ("/var/run/docker.sock:/var/run/docker.sock", false),
        (r"C:\work\web:/wd", false),
        (".:/app:cached", false),
        (".:/app:rw,consistent", false),
        ("data:/data", false),
        ("/data", false),
    ] {
        let more = "volumes: {data: }\n";
        let given = Given { more, flags: "--platform macos-osxfs", ..Given::entry(entry) };
        assert_eq!(given.is_found("missing-consistency-flag"), found, "{entry}");
    }
    for entry in [".:/app", "../lib:/lib"] {
        let flags = "--platform macos-osxfs";
        let given = Given { place: "/usr/src/shop", flags, ..Given::entry(entry) };
        assert!(given.is_found("missing-consistency-flag"), "{entry} lies beside the project");
    }
    assert!(!Given::entry(".:/app").is_found("missing-consistency-flag"), "no such platform");
}

#[test]
fn a_target_is_absolute() {
    for (entry, advice) in [
        ("./app/node_modules", Some("from its root")),
        ("app/venv/", Some("from its root")),
        ("./src:app", Some("from its root")),
        ("./src:${UP}/src", Some("from its root")),
        ("./src:${NO_SUCH:-app}", Some("from its root")),
        ("./src:.", Some("from its root")),
        (".:~/app", Some("in /home/app/app")),
        ("/data:ro,z", Some("come third")),
        ("data:cached", Some("come third")),
        ("v:/app", Some("two letters")),
        ("w:/app", Some("two letters")),
        ("v:/app:ro", Some("two letters")),
        ("{type: bind, source: ./src, target: src}", Some("from its root")),
        ("{type: tmpfs, target: ''}", Some("from its root")),
        ("{type: volume, source: v, target: /app}", None),
        ("./src:/app/", None),
        ("data:/app/../x", None),
        (r"C:\data", None),
        (r".:C:\app", None),
        ("./src:c:/app", None),
        ("C:/app", None),
        (r"\\.\pipe\docker:\\.\pipe\docker", None),
        ("./src:${NO_SUCH}", None),
        ("./src:app${NO_SUCH}", None),
        ("{type: bind, source: ./src, target: 'app${NO_SUCH}'}", None),
    ] {
        let given = Given { more: "volumes: {data: , v: }\n", ..Given::entry(entry) };
        let found = given.findings("suspicious-target");
        let said = found.first().map(|f| f.pointer("/advice/0").unwrap().as_str().unwrap());
        match advice {
            Some(words) => {
                assert!(said.is_some_and(|said| said.contains(words)), "{entry}: {said:?}");
            }
            None => assert_eq!(said, None, "{entry}"),
        }
    }
    let declared = Given { more: "volumes: {c: }\n", ..Given::entry("c:/app") };
    assert!(declared.is_found("suspicious-target"), "a volume of that name is declared");
    let tmpfs = Given { more: "    tmpfs: [run, /tmp]\n", ..Given::entry("./src:/app") };
    assert_eq!(tmpfs.findings("suspicious-target").len(), 1);
}

#[test]
fn the_distributions_of_the_engine_are_out_of_reach() {
    for (entry, found) in [
        (r"\\wsl$$\docker-desktop-data\x:/app", true),
        (r"\\wsl.localhost\docker-desktop\x:/app", true),
        ("//wsl.localhost/Docker-Desktop-Data/x:/app", true),
        (r"\\wsl.localhost\docker-desktop\${NO_SUCH}:/app", true),
        ("{type: bind, source: '//wsl$$/docker-desktop/x', target: /app}", true),
        (r"\\wsl$$\Ubuntu\home\me:/app", false),
        (r"\\wsl.localhost\docker-desktop-own\x:/app", false),
        (r"\\server\docker-desktop\x:/app", false),
        (r"C:\docker-desktop:/app", false),
        ("./docker-desktop-data:/app", false),
        ("{type: volume, source: docker-desktop-data, target: /app}", false),
    ] {
        let given = Given { more: "volumes: {docker-desktop-data: }\n", ..Given::entry(entry) };
        assert_eq!(given.is_found("unmountable-source"), found, "{entry}");
    }
}

#[test]
fn a_source_on_a_windows_drive_is_told_by_its_spelling() {
    for (entry, found) in [
        (r"C:\work:/app", true),
        ("e:/work:/app:ro", true),
        ("/c/work:/app", true),
        ("//c/work:/app", true),
        ("/mnt/c/work:/app", true),
        (r"C:\work\${NO_SUCH}:/app", true),
        ("${DRIVE}:/app", true),
        ("${OTHER:-D:/work}:/app", true),
        ("{type: bind, source: 'C:/work', target: /app}", true),
        (".:/app", false),
        ("../lib:/lib", false),
        ("${SRC}:/app", false),
        ("${NO_SUCH}/c/x:/app", false),
        ("/mnt/data/c:/app", false),
        ("v:/data:ro", false),
        ("data:/mnt/c/work", false),
        (r"\\wsl.localhost\Ubuntu\home:/app", false),
    ] {
        for place in [PLACE, "/mnt/c/shop"] {
            let given = Given { more: "volumes: {data: , v: }\n", place, ..Given::entry(entry) };
            let rows = given.findings("windows-drive-source");
            assert_eq!(!rows.is_empty(), found, "{entry} in {place}");
            for row in &rows {
                assert_eq!(platforms(row), ["windows-wsl2-drive"], "{entry}");
                let advice = row.pointer("/advice").and_then(Value::as_array).unwrap();
                assert_eq!(advice.len(), 1, "{entry}");
            }
        }
    }
    let elsewhere = "--platform windows-hyperv --platform macos-virtiofs --platform linux-native";
    let given = Given { flags: elsewhere, ..Given::entry(r"C:\work:/app") };
    assert!(!given.is_found("windows-drive-source"), "there the project can lie nowhere else");
}

#[test]
fn a_source_on_a_windows_drive_is_told_by_the_table_of_mounts() {
    let mounted = "60 53 8:32 / / rw - ext4 /dev/sdc rw\n\
        90 60 0:67 / /win/d rw - 9p D:\\134 rw,aname=drvfs;path=D:\\134;symlinkroot=/win/\n";
    for (entry, found) in [
        ("/win/d/work:/app", true),
        ("{type: bind, source: /win/d/work, target: /app}", true),
        ("/win/data:/app", false),
        ("/srv/work:/app", false),
        (".:/app", false),
    ] {
        for place in [PLACE, "/win/d/shop"] {
            let given = Given { place, mounted, ..Given::entry(entry) };
            assert_eq!(given.is_found("windows-drive-source"), found, "{entry} in {place}");
        }
        assert!(!Given::entry(entry).is_found("windows-drive-source"), "{entry} without a table");
    }
}
