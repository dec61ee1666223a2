//! The four articles that composefix began with: what they measured on their platforms is what is
//! found there, and what helped there is what is offered. Their whole reports are fixtures.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may panic")]

mod support;

use std::path::Path;

use composefix::host::{MemoryHost, MemoryNode};
use serde_json::Value;
use support::{environment, run};

const PLACE: &str = "/project/shop";

/// A project of an article.
#[derive(Clone, Copy)]
struct Project {
    compose: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// Directories with their number of files.
    trees: &'static [(&'static str, u64)],
}

/// Symfony in development, on Docker for Mac with docker-compose 1.
const SYMFONY: Project = Project {
    compose: "services:\n  php:\n    build: .\n    volumes:\n      - .:/app\n",
    files: &[
        ("Dockerfile", "FROM php:7.4-fpm\nWORKDIR /app\n"),
        ("composer.json", "{\"require\": {\"symfony/framework-bundle\": \"^5.0\"}}\n"),
        ("symfony.lock", "{\"symfony/framework-bundle\": {\"version\": \"5.0\"}}\n"),
    ],
    trees: &[("vendor", 10_259), ("var/cache", 2_200)],
};

const SYMFONY_CACHED: Project = Project {
    compose: "services:\n  php:\n    build: .\n    volumes:\n      - .:/app:cached\n",
    ..SYMFONY
};

/// Laravel on Windows.
const LARAVEL: Project = Project {
    compose: "services:\n  app:\n    build: .\n    volumes:\n      - ./:/app\n",
    files: &[
        ("Dockerfile", "FROM php:8.3-fpm\nWORKDIR /app\n"),
        ("composer.json", "{\"require\": {\"laravel/framework\": \"^11.0\"}}\n"),
    ],
    trees: &[("vendor", 7_400)],
};

const LARAVEL_FLAGS: Project = Project {
    compose: "services:\n  app:\n    build: .\n    volumes:\n      - ./:/app:delegated\n      - ./public:/app/public:cached\n",
    ..LARAVEL
};

/// A build on Docker for Mac 17.12 and on Docker Machine: its output is a bind of its own.
const BUILD: Project = Project {
    compose: "services:\n  build:\n    image: rust:1.23\n    command: cargo build\n    working_dir: /app\n    volumes:\n      - ./src:/app/src\n      - ./target:/app/target\n",
    files: &[
        ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n"),
        ("src/main.rs", ""),
    ],
    trees: &[("target", 5_000)],
};

const BUILD_DELEGATED: Project = Project {
    compose: "services:\n  build:\n    image: rust:1.23\n    command: cargo build\n    working_dir: /app\n    volumes:\n      - ./src:/app/src:cached\n      - ./target:/app/target:delegated\n",
    ..BUILD
};

/// A database with its data on the host.
const MYSQL: Project = Project {
    compose: "services:\n  db:\n    image: mysql:5.7\n    volumes:\n      - ./data:/var/lib/mysql\n",
    files: &[("data/ibdata1", "x")],
    trees: &[],
};

impl Project {
    /// The findings with these flags, with all fixes.
    fn findings(self, flags: &str) -> Vec<Value> {
        let place = Path::new(PLACE);
        let host = MemoryHost::default().with_file(place.join("compose.yaml"), self.compose);
        let files = self.files.iter();
        let host = files.fold(host, |host, (name, text)| host.with_file(place.join(name), *text));
        let trees = self.trees.iter();
        let host = trees
            .fold(host, |host, (name, size)| host.with(place.join(name), MemoryNode::Tree(*size)));
        let words = format!("check --unsafe --format json {flags}");
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let outcome = run(&host, &environment(place), &words);
        assert!(outcome.code < 2, "{}{}", outcome.stdout, outcome.stderr);
        outcome.json()["findings"].as_array().unwrap().clone()
    }

    /// A line for each finding: severity, rule, strategy, and what the fix does.
    fn lines(self, flags: &str) -> Vec<String> {
        let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        let line = |finding: &Value| {
            let (fix, rule) = (&finding["fix"], word(&finding["rule"]));
            let (by, title) = (word(&fix["strategy"]), word(&fix["title"]));
            format!("{} {rule}, {by}: {title}", word(&finding["severity"]))
        };
        self.findings(flags).iter().map(line).collect()
    }

    /// Everything that fixes and advice say.
    fn said(self, flags: &str) -> String {
        let findings = self.findings(flags);
        let said = findings.iter().flat_map(|f| [&f["fix"]["notes"], &f["advice"]]);
        said.map(Value::to_string).collect::<Vec<_>>().join("\n")
    }
}

const VENDOR: &str = "warning slow-tree, volume: mount the named volume `vendor` over /app/vendor";
const CACHE: &str = "warning slow-writes, tmpfs: keep /app/var/cache in memory";
const ADD_CACHED: &str =
    "note missing-consistency-flag, consistency: add `cached` to the bind at /app";
const DROP_CACHED: &str = "note dead-consistency-flag, drop-flag: take `cached` out of the entry";
const DROP_DELEGATED: &str =
    "note dead-consistency-flag, drop-flag: take `delegated` out of the entry";

const ADD_CACHED_TO_SOURCE: &str =
    "note missing-consistency-flag, consistency: add `cached` to the bind at /app/src";
const ADD_DELEGATED: &str =
    "note missing-consistency-flag, consistency: add `delegated` to the bind at /app/target";
const OUTPUT: &str = "warning slow-writes, tmpfs: replace the bind of `./target` by a named volume";
const DATABASE: &str =
    "warning database-on-bind, volume: move the data into a named volume, such as `db_data`";

/// What is found on a platform.
type OnPlatform = (&'static str, &'static [&'static str]);

/// What an article says, its project, and what is found on its own platforms and those of today.
const ARTICLES: [(&str, Project, &[OnPlatform]); 8] = [
    (
        "Symfony: `cached` helps on osxfs; VirtioFS has no such flag",
        SYMFONY,
        &[
            ("macos-osxfs", &[ADD_CACHED, VENDOR, CACHE]),
            ("macos-virtiofs", &[VENDOR, CACHE]),
            ("linux-native", &[]),
        ],
    ),
    (
        "Symfony: with `cached` the packages are still slow on osxfs",
        SYMFONY_CACHED,
        &[
            ("macos-osxfs", &[VENDOR, CACHE]),
            ("macos-virtiofs", &[DROP_CACHED, VENDOR, CACHE]),
            ("macos-grpcfuse", &[DROP_CACHED, VENDOR, CACHE]),
        ],
    ),
    (
        "Laravel: binds of Windows are slow with either virtual machine",
        LARAVEL,
        &[
            ("windows-hyperv", &[VENDOR]),
            ("windows-wsl2-drive", &[VENDOR]),
            ("windows-wsl2-distro", &[]),
        ],
    ),
    (
        "Laravel: the flags were tried on Windows and do nothing",
        LARAVEL_FLAGS,
        &[
            ("windows-hyperv", &[DROP_DELEGATED, VENDOR, DROP_CACHED]),
            ("windows-wsl2-drive", &[DROP_DELEGATED, VENDOR, DROP_CACHED]),
        ],
    ),
    (
        "Docker for Mac 17.12: `delegated` for what is written, no flag on Docker Machine",
        BUILD,
        &[
            ("macos-osxfs", &[ADD_CACHED_TO_SOURCE, ADD_DELEGATED, OUTPUT]),
            ("docker-machine", &[OUTPUT]),
        ],
    ),
    (
        "Docker for Mac 17.12: flags that are there are read on osxfs alone",
        BUILD_DELEGATED,
        &[("macos-osxfs", &[OUTPUT]), ("docker-machine", &[DROP_CACHED, DROP_DELEGATED, OUTPUT])],
    ),
    (
        "Docker Machine: what docker-sync did, a volume does",
        SYMFONY,
        &[("docker-machine", &[VENDOR, CACHE])],
    ),
    (
        "MySQL: a bind is as fast as a volume on Linux",
        MYSQL,
        &[("linux-native", &[]), ("macos-virtiofs", &[DATABASE])],
    ),
];

#[test]
fn platforms_differ_as_the_articles_measured() {
    for (claim, project, platforms) in ARTICLES {
        for (platform, expected) in platforms {
            let found = project.lines(&format!("--platform {platform}"));
            assert_eq!(found, *expected, "{claim} ({platform})");
        }
    }
}

/// osxfs wakes a copier; on Docker Machine it has to look for itself, and nobody offers it unasked.
#[test]
fn a_copy_listens_where_the_host_can_be_heard() {
    let copied = "slow-tree, sidecar: copy /app/vendor into a volume";
    for (platform, looks) in [("macos-osxfs", false), ("docker-machine", true)] {
        let flags = format!("--platform {platform} --strategy sidecar");
        let lines = SYMFONY_CACHED.lines(&flags);
        assert!(lines.iter().any(|line| line.contains(copied)), "{platform}: {lines:?}");
        let said = SYMFONY_CACHED.said(&flags);
        assert_eq!(said.contains("looked through every ten seconds"), looks, "{platform}: {said}");
    }
}

#[test]
fn only_a_windows_drive_is_told_to_move_into_the_distribution() {
    for (platform, told) in [("windows-wsl2-drive", true), ("windows-hyperv", false)] {
        let said = LARAVEL.said(&format!("--platform {platform}"));
        assert_eq!(said.contains("move the project into the distribution"), told, "{said}");
    }
}
