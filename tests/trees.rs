//! What the built-in rules make of lock files, placeholders and settings in whole projects.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may panic")]

mod support;

use std::path::Path;

use composefix::host::{MemoryHost, MemoryNode};
use composefix::progress::Silent;
use composefix::rules::Rules;
use composefix::survey::{Evidence, Limits, survey};
use support::{environment, run};

const PLACE: &str = "/project/shop";

/// A lock file or a manifest: its name, its head, one package, and what comes behind.
struct Kind {
    manifests: &'static [(&'static str, &'static str)],
    lock: &'static str,
    head: &'static str,
    package: &'static str,
    tail: &'static str,
    tree: &'static str,
}

const NODE: &[(&str, &str)] = &[("package.json", r#"{"dependencies": {"x": "1"}}"#)];

const KINDS: &[(&str, Kind)] = &[
    (
        "package-lock v1",
        Kind {
            manifests: NODE,
            lock: "package-lock.json",
            head: "{\n  \"lockfileVersion\": 1,\n  \"dependencies\": {\n",
            package: "    \"p\": {\n      \"version\": \"1.0.0\",\n      \"resolved\": \"https://r/p.tgz\"\n    },\n",
            tail: "  }\n}\n",
            tree: "node_modules",
        },
    ),
    (
        "package-lock v2",
        Kind {
            manifests: NODE,
            lock: "package-lock.json",
            head: "{\n  \"lockfileVersion\": 2,\n  \"packages\": {\n    \"\": {\n      \"name\": \"shop\"\n    },\n",
            package: "    \"node_modules/p\": {\n      \"version\": \"1.0.0\",\n      \"resolved\": \"https://r/p.tgz\"\n    },\n",
            tail: "  }\n}\n",
            tree: "node_modules",
        },
    ),
    (
        "package-lock v3",
        Kind {
            manifests: NODE,
            lock: "package-lock.json",
            head: "{\n  \"lockfileVersion\": 3,\n  \"packages\": {\n",
            package: "    \"node_modules/p\": {\n      \"version\": \"1.0.0\",\n      \"resolved\": \"https://r/p.tgz\"\n    },\n",
            tail: "  }\n}\n",
            tree: "node_modules",
        },
    ),
    (
        "yarn v1",
        Kind {
            manifests: NODE,
            lock: "yarn.lock",
            head: "# yarn lockfile v1\n\n",
            package: "p@^1.0.0:\n  version \"1.0.0\"\n  resolved \"https://r/p.tgz#0\"\n\n",
            tail: "",
            tree: "node_modules",
        },
    ),
    (
        "yarn berry",
        Kind {
            manifests: &[NODE[0], (".yarnrc.yml", "nodeLinker: node-modules\n")],
            lock: "yarn.lock",
            head: "__metadata:\n  version: 8\n\n",
            package: "\"p@npm:^1.0.0\":\n  version: 1.0.0\n  resolution: \"p@npm:1.0.0\"\n\n",
            tail: "",
            tree: "node_modules",
        },
    ),
    (
        "pnpm",
        Kind {
            manifests: NODE,
            lock: "pnpm-lock.yaml",
            head: "lockfileVersion: '9.0'\n\npackages:\n\n",
            package: "  p@1.0.0:\n    resolution: {integrity: sha512-0}\n\n",
            tail: "",
            tree: "node_modules",
        },
    ),
    (
        "bun",
        Kind {
            manifests: NODE,
            lock: "bun.lock",
            head: "{\n  \"lockfileVersion\": 1,\n  \"workspaces\": {\n    \"\": {\n      \"name\": \"shop\",\n    },\n  },\n  \"packages\": {\n",
            package: "    \"p\": [\"p@1.0.0\", \"\", {}, \"sha512-0\"],\n\n",
            tail: "  }\n}\n",
            tree: "node_modules",
        },
    ),
    (
        "composer",
        Kind {
            manifests: &[("composer.json", r#"{"require": {"a/b": "1"}}"#)],
            lock: "composer.lock",
            head: "{\n    \"packages\": [\n",
            package: "        {\n            \"name\": \"a/b\",\n            \"dist\": {\n                \"type\": \"zip\"\n            }\n        },\n",
            tail: "    ]\n}\n",
            tree: "vendor",
        },
    ),
    (
        "poetry, told to stay in the project",
        Kind {
            manifests: &[
                ("pyproject.toml", ""),
                ("poetry.toml", "[virtualenvs]\nin-project = true\n"),
            ],
            lock: "poetry.lock",
            head: "",
            package: "[[package]]\nname = \"p\"\nversion = \"1.0.0\"\n\n",
            tail: "",
            tree: ".venv",
        },
    ),
    (
        "uv",
        Kind {
            manifests: &[("pyproject.toml", "")],
            lock: "uv.lock",
            head: "version = 1\n\n",
            package: "[[package]]\nname = \"p\"\nversion = \"1.0.0\"\n\n",
            tail: "",
            tree: ".venv",
        },
    ),
    (
        "pdm",
        Kind {
            manifests: &[("pyproject.toml", "")],
            lock: "pdm.lock",
            head: "[metadata]\nlock_version = \"4.5.0\"\n\n",
            package: "[[package]]\nname = \"p\"\nversion = \"1.0.0\"\n\n",
            tail: "",
            tree: ".venv",
        },
    ),
    (
        "bundler, told to stay in the project",
        Kind {
            manifests: &[
                ("Gemfile", ""),
                (".bundle/config", "---\nBUNDLE_PATH: \"vendor/bundle\"\n"),
            ],
            lock: "Gemfile.lock",
            head: "GEM\n  remote: https://rubygems.org/\n  specs:\n",
            package: "    rack (3.0.0)\n      logger (>= 1)\n",
            tail: "\nDEPENDENCIES\n  rack\n",
            tree: "vendor/bundle",
        },
    ),
    (
        "cargo",
        Kind {
            manifests: &[("Cargo.toml", "")],
            lock: "Cargo.lock",
            head: "version = 4\n\n",
            package: "[[package]]\nname = \"p\"\nversion = \"1.0.0\"\n\n",
            tail: "",
            tree: "target",
        },
    ),
    (
        "mix",
        Kind {
            manifests: &[("mix.exs", "")],
            lock: "mix.lock",
            head: "%{\n",
            package: "  \"jason\": {:hex, :jason, \"1.4.1\"},\n",
            tail: "}\n",
            tree: "deps",
        },
    ),
];

fn clone_of(kind: &Kind, packages: usize) -> MemoryHost {
    let place = Path::new(PLACE);
    let lock = format!("{}{}{}", kind.head, kind.package.repeat(packages), kind.tail);
    let host = MemoryHost::default().with_file(place.join(kind.lock), lock);
    let manifests = kind.manifests.iter();
    manifests.fold(host, |host, (name, text)| host.with_file(place.join(name), *text))
}

/// How sure it is that the kind's tree is there and large.
fn evidence(host: &MemoryHost, kind: &Kind) -> Option<Evidence> {
    let rules = Rules::builtin().unwrap();
    let found = survey(host, rules.trees(), Path::new(PLACE), Limits::default(), &Silent);
    found.trees.iter().find(|tree| tree.path == kind.tree).map(|tree| tree.evidence)
}

#[test]
fn a_fresh_clone_gets_the_verdict_of_a_full_checkout() {
    for (name, kind) in KINDS {
        let fresh = clone_of(kind, 60);
        assert_eq!(evidence(&fresh, kind), Some(Evidence::LockFile), "{name}");
        let full = fresh.with(Path::new(PLACE).join(kind.tree), MemoryNode::Tree(3000));
        assert_eq!(evidence(&full, kind), Some(Evidence::Measured), "{name}");
        let small = clone_of(kind, 2);
        assert_eq!(evidence(&small, kind), None, "{name}: two packages");
        let small = small.with(Path::new(PLACE).join(kind.tree), MemoryNode::Tree(90));
        assert_eq!(evidence(&small, kind), None, "{name}: two packages, installed");
    }
}

/// Their tools put the packages outside of the project unless told otherwise.
#[test]
fn a_lock_file_that_says_nothing_about_the_place_implies_nothing() {
    for lock in ["poetry.lock", "Gemfile.lock"] {
        let (_, kind) = KINDS.iter().find(|(_, kind)| kind.lock == lock).unwrap();
        let plain = Kind { manifests: &kind.manifests[..1], ..*kind };
        assert_eq!(evidence(&clone_of(&plain, 60), kind), None, "{lock}");
    }
    let pipfile = Kind {
        manifests: &[("Pipfile", "")],
        lock: "Pipfile.lock",
        head: "{\n    \"default\": {\n",
        package: "        \"p\": {\n            \"version\": \"==1.0.0\"\n        },\n",
        tail: "    }\n}\n",
        tree: ".venv",
    };
    let fresh = clone_of(&pipfile, 60);
    assert_eq!(evidence(&fresh, &pipfile), None);
    let started = fresh.with(Path::new(PLACE).join(".venv"), MemoryNode::Tree(30));
    assert_eq!(evidence(&started, &pipfile), Some(Evidence::LockFile), "it is used there");
}

/// A git index of version 2.
fn index(paths: &[&str]) -> Vec<u8> {
    let mut bytes = b"DIRC\0\0\0\x02".to_vec();
    bytes.extend(u32::try_from(paths.len()).unwrap().to_be_bytes());
    for path in paths {
        bytes.extend([0; 62]);
        bytes.extend(path.as_bytes());
        bytes.extend(vec![0; 8 - (62 + path.len()) % 8]);
    }
    bytes.extend([0; 20]);
    bytes
}

#[test]
fn placeholders_are_no_reason_to_keep_a_tree_but_their_directories_are_named() {
    let place = Path::new(PLACE);
    let compose = "services:\n  app:\n    image: php:8.4\n    volumes:\n      - .:/app\n";
    let report = |tracked: &[&str]| {
        let host = MemoryHost::default()
            .with_file(place.join("compose.yaml"), compose)
            .with_file(place.join("artisan"), "")
            .with_file(place.join(".git/HEAD"), "")
            .with_file(place.join(".git/index"), index(tracked))
            .with(place.join("storage/framework/cache"), MemoryNode::Tree(900));
        let words = ["check", "--format", "json"].map(str::to_owned);
        let json = run(&host, &environment(place), &words).json();
        let findings = json["findings"].as_array().unwrap().clone();
        let of_cache = |f: &&serde_json::Value| f["tree"]["path"] == "storage/framework/cache";
        findings.iter().find(of_cache).unwrap()["fix"].clone()
    };
    let fix =
        report(&["storage/framework/cache/.gitignore", "storage/framework/cache/data/.gitignore"]);
    assert_eq!(fix["strategy"], "volume");
    assert_eq!(fix["applicability"], "unsafe");
    assert!(
        fix["notes"].to_string().contains("`mkdir -p /app/storage/framework/cache/data`"),
        "{fix}"
    );
    let fix = report(&["storage/framework/cache/data/x.php"]);
    assert_eq!(fix["applicability"], "manual");
}
