//! The rule files: their schemas, their types and what the program finds in them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::Path;

use composefix::config::{ConfigFile, FailOn, Ignore, Level, ProjectEntry, SidecarEntry};
use composefix::detect;
use composefix::host::RealHost;
use composefix::rules::{
    Access, Answer, BUILTIN, Base, BindCost, Carrier, Citation, Claim, Cost, DataDirectory,
    Exception, Flag, FlagEffect, Format, ImageKind, Lock, Manifest, Ownership, Platform,
    Preferences, Relocation, Role, Rules, STRATEGIES, Setting, Transfer, TreeKind, Versions,
    Workspace,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

const FOLDERS: [(&str, &str); 3] =
    [("trees", "tree"), ("platforms", "platform"), ("images", "image")];

fn text_of(path: &Path) -> String {
    io::read_to_string(File::open(path).expect("the file is there")).expect("it is text")
}

fn put(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("can be made");
    io::Write::write_all(&mut File::create(path).expect("can be made"), text.as_bytes())
        .expect("can be written");
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Path below `rules/` and text of every rule file on disk.
fn on_disk() -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for (folder, _) in FOLDERS {
        for entry in root().join("rules").join(folder).read_dir().expect("the folder is there") {
            let path = entry.expect("can be listed").path();
            let name = path.file_name().and_then(|name| name.to_str()).expect("plain names");
            files.insert(format!("{folder}/{name}"), text_of(&path));
        }
    }
    files
}

fn schema(kind: &str) -> Value {
    let path = root().join("schema").join(format!("{kind}.schema.json"));
    serde_json::from_str(&text_of(&path)).expect("a schema is JSON")
}

fn rules() -> Rules {
    Rules::builtin().expect("the built-in rules hold")
}

#[test]
fn every_file_on_disk_is_built_in_and_no_other() {
    let embedded: BTreeMap<_, _> =
        BUILTIN.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    assert_eq!(embedded.len(), BUILTIN.len(), "a path is listed twice");
    let disk = on_disk();
    assert_eq!(embedded.keys().collect::<Vec<_>>(), disk.keys().collect::<Vec<_>>());
    assert_eq!(embedded, disk);
    assert!(BUILTIN.is_sorted_by_key(|(path, _)| path));
}

#[test]
fn every_file_satisfies_its_schema() {
    let mut wrong = Vec::new();
    for (folder, kind) in FOLDERS {
        let schema = schema(kind);
        jsonschema::draft202012::meta::validate(&schema).expect("the schema is one");
        let validator = jsonschema::validator_for(&schema).expect("the schema compiles");
        let head = format!("# yaml-language-server: $schema=../../schema/{kind}.schema.json\n");
        for (path, text) in on_disk().iter().filter(|(path, _)| path.starts_with(folder)) {
            assert!(text.starts_with(&head), "{path} does not name its schema");
            let value: Value = serde_yaml::from_str(text).expect("a rule file is YAML");
            wrong.extend(
                validator
                    .iter_errors(&value)
                    .map(|error| format!("{path}: {}: {error}", error.instance_path())),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_holds() {
    rules().check().expect("platforms and images hold");
    let disk = on_disk();
    let count = |folder: &str| disk.keys().filter(|path| path.starts_with(folder)).count();
    let rules = rules();
    assert_eq!(rules.trees().len(), count("trees"));
    assert_eq!(rules.platforms().count(), count("platforms"));
    assert_eq!(rules.images().count(), count("images"));
}

#[test]
fn ids_are_file_names_and_unique_where_people_type_them() {
    let rules = rules();
    let mut seen = BTreeSet::new();
    let typed = rules.trees().iter().map(|tree| ("trees", &tree.id));
    let typed = typed.chain(rules.platforms().map(|platform| ("platforms", &platform.id)));
    for (folder, id) in typed {
        assert!(on_disk().contains_key(&format!("{folder}/{id}.yaml")), "{folder}/{id}");
        assert!(seen.insert(id), "two things are called {id}");
        assert!(!STRATEGIES.contains(&id.as_str()), "{id} is a strategy too");
    }
    assert!(rules.trees().is_sorted_by_key(|tree| &tree.id));
    for platform in rules.platforms() {
        for group in &platform.groups {
            assert!(!seen.contains(group), "{group} is a group and an id");
        }
    }
}

/// The names that serde expects where it meets one that it does not know.
fn expected<T: DeserializeOwned>(text: &str) -> BTreeSet<String> {
    let error = serde_yaml::from_str::<T>(text).err().expect("an unknown name is an error");
    let message = error.to_string();
    let (_, names) = message.split_once("expected").expect("the error names what it expected");
    names.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn schemas_and_types_have_the_same_fields() {
    let fields = |schema: &Value, pointer: &str| -> BTreeSet<String> {
        let properties = schema.pointer(pointer).and_then(|part| part.get("properties"));
        let properties = properties.and_then(Value::as_object);
        properties.expect("the schema has this part").keys().cloned().collect()
    };
    let unknown = "no-such-field: 1";
    let (tree, platform, image) = (schema("tree"), schema("platform"), schema("image"));
    let config = schema("config");
    for schema in [&tree, &platform, &image] {
        assert_eq!(expected::<Citation>(unknown), fields(schema, "/$defs/citation"));
    }
    let closed = [(&tree, "/$defs/tree"), (&platform, ""), (&image, "")];
    for (schema, pointer) in closed.into_iter().chain([(&config, "")]) {
        let part = schema.pointer(pointer).and_then(|part| part.get("additionalProperties"));
        assert_eq!(part, Some(&Value::Bool(false)));
    }
    assert_eq!(expected::<ConfigFile>(unknown), fields(&config, ""));
    assert_eq!(expected::<Ignore>(unknown), fields(&config, "/$defs/ignore"));
    assert_eq!(expected::<ProjectEntry>(unknown), fields(&config, "/$defs/project"));
    assert_eq!(expected::<SidecarEntry>(unknown), fields(&config, "/$defs/sidecar"));
    assert_eq!(expected::<TreeKind>(unknown), fields(&tree, "/$defs/tree"));
    assert_eq!(expected::<Manifest>(unknown), fields(&tree, "/$defs/manifest"));
    assert_eq!(expected::<Lock>(unknown), fields(&tree, "/$defs/lock"));
    assert_eq!(expected::<Exception>(unknown), fields(&tree, "/$defs/exception"));
    assert_eq!(expected::<Setting>(unknown), fields(&tree, "/$defs/setting"));
    assert_eq!(expected::<Workspace>(unknown), fields(&tree, "/$defs/workspace"));
    assert_eq!(expected::<Relocation>(unknown), fields(&tree, "/$defs/relocation"));
    assert_eq!(expected::<Platform>(unknown), fields(&platform, ""));
    assert_eq!(expected::<Claim>(unknown), fields(&platform, "/$defs/claim"));
    assert_eq!(expected::<BindCost>(unknown), fields(&platform, "/$defs/bind"));
    assert_eq!(expected::<Preferences>(unknown), fields(&platform, "/$defs/strategies"));
    assert_eq!(expected::<Flag>(unknown), fields(&platform, "/$defs/flag"));
    assert_eq!(expected::<Versions>(unknown), fields(&platform, "/$defs/versions"));
    assert_eq!(expected::<ImageKind>(unknown), fields(&image, ""));
    assert_eq!(expected::<DataDirectory>(unknown), fields(&image, "/$defs/data"));
    assert_eq!(expected::<Base>(unknown), fields(&image, "/$defs/base"));
    assert_eq!(expected::<Transfer>(unknown), fields(&image, "/$defs/transfer"));

    let values = |schema: &Value, pointer: &str| -> BTreeSet<String> {
        let list = schema.pointer(pointer).and_then(Value::as_array).expect("a list of values");
        list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    assert_eq!(expected::<Access>("no-such"), values(&tree, "/$defs/tree/properties/access/enum"));
    let formats = "/$defs/setting/properties/format/enum";
    assert_eq!(expected::<Format>("no-such"), values(&tree, formats));
    assert_eq!(expected::<Role>("no-such"), values(&image, "/properties/role/enum"));
    let flag = |field: &str| format!("/$defs/flag/properties/{field}");
    assert_eq!(expected::<FlagEffect>("no-such"), values(&platform, &(flag("effect") + "/enum")));
    assert_eq!(expected::<Carrier>("no-such"), values(&platform, &(flag("by") + "/items/enum")));
    let ownership = "/properties/ownership/enum";
    assert_eq!(expected::<Ownership>("no-such"), values(&platform, ownership));
    let strategies = STRATEGIES.iter().map(|id| (*id).to_owned()).collect();
    assert_eq!(values(&platform, "/$defs/strategy/enum"), strategies);
    assert_eq!(values(&config, "/properties/strategies/items/enum"), strategies);
    let levels = "/properties/rules/additionalProperties/enum";
    assert_eq!(expected::<Level>("no-such"), values(&config, levels));
    assert_eq!(expected::<FailOn>("no-such"), values(&config, "/properties/fail-on/enum"));
    let ids = detect::ALL.iter().map(|detector| detector.id().to_owned()).collect();
    assert_eq!(values(&config, "/$defs/rule/enum"), ids);
}

#[test]
fn every_claim_has_its_place_and_every_field_its_claim() {
    for platform in rules().platforms() {
        let about: BTreeSet<_> = platform.claims.iter().map(|claim| claim.about.as_str()).collect();
        for field in [
            "bind",
            "nested_volumes",
            "host_events",
            "ownership",
            "consistency_flags",
            "strategies",
        ] {
            assert!(about.contains(field), "{}: nothing backs {field}", platform.id);
        }
        assert_eq!(about.contains("advice"), platform.advice.is_some(), "{}", platform.id);
        let drives = platform.windows_drives.is_some();
        assert_eq!(about.contains("windows_drives"), drives, "{}", platform.id);
        let versions = !platform.versions.is_empty();
        assert_eq!(about.contains("versions"), versions, "{}", platform.id);
        assert_eq!(about.contains("notes"), !platform.notes.is_empty(), "{}", platform.id);
    }
}

#[test]
fn no_two_families_share_a_repository() {
    let rules = rules();
    for image in rules.images() {
        for repository in &image.repositories {
            if let Some(base) = &image.base {
                assert_eq!(rules.base_for(repository), Some(base), "{repository}");
                assert!(rules.image_for(repository).is_none(), "{repository}");
                continue;
            }
            let (found, _) = rules.image_for(repository).expect("a family finds itself");
            assert_eq!(found.id, image.id, "{repository}");
        }
    }
}

#[test]
fn only_an_image_itself_is_a_base() {
    let rules = rules();
    let node = rules.base_for("node").expect("it is known");
    for reference in ["node:22-slim", "docker.io/library/node@sha256:1", "library/node:1"] {
        assert_eq!(rules.base_for(reference), Some(node), "{reference}");
    }
    for reference in ["bitnami/node", "ghcr.io/me/node:22", "nodes", "postgres", ""] {
        assert!(rules.base_for(reference).is_none(), "{reference}");
    }
}

#[test]
fn image_references_find_their_family() {
    let rules = rules();
    for (reference, id, major) in [
        ("postgres", "postgres", None),
        ("postgres:latest", "postgres", None),
        ("postgres:alpine", "postgres", None),
        ("postgres:18-alpine", "postgres", Some(18)),
        ("postgres:15", "postgres", Some(15)),
        ("postgres:9.6.24", "postgres", Some(9)),
        ("postgres:9a8f3c", "postgres", None),
        ("docker.io/library/postgres:16@sha256:0123", "postgres", Some(16)),
        ("postgis/postgis:16-3.4", "postgres", Some(16)),
        ("localhost:5000/postgres", "postgres", None),
        ("localhost:5000/team/mysql:8.4", "mysql", Some(8)),
        ("pgvector/pgvector:pg16", "postgres-extensions", None),
        ("bitnami/mysql:8", "bitnami-mysql", Some(8)),
        ("mcr.microsoft.com/mssql/server:2022-latest", "mssql", Some(2022)),
        ("getmeili/meilisearch:v1.12", "meilisearch", Some(1)),
        ("selenium/hub", "browsers", None),
        ("nginx@sha256:0123", "nginx", None),
        ("mongo:7", "mongo", Some(7)),
    ] {
        let found = rules.image_for(reference).map(|(image, major)| (image.id.as_str(), major));
        assert_eq!(found, Some((id, major)), "{reference}");
    }
    for reference in
        ["", ":", "php:8.4-fpm", "mypostgres", "postgres/tools", "team/hub", "team/server", "node"]
    {
        assert!(rules.image_for(reference).is_none(), "{reference}");
    }
}

#[test]
fn data_directories_follow_the_major_version() {
    let rules = rules();
    let directories = |reference: &str| -> Vec<String> {
        let (image, major) = rules.image_for(reference).expect("a family");
        let holding = image.data.iter().filter(|directory| directory.holds_for(major));
        holding.map(|directory| directory.path.clone()).collect()
    };
    assert_eq!(directories("postgres:15"), ["/var/lib/postgresql/data"]);
    assert_eq!(directories("postgres:17.2"), ["/var/lib/postgresql/data"]);
    assert_eq!(directories("postgres:18-alpine"), ["/var/lib/postgresql"]);
    assert_eq!(directories("postgres:19"), ["/var/lib/postgresql"]);
    assert_eq!(directories("postgres"), ["/var/lib/postgresql"]);
    assert_eq!(directories("influxdb:1.8"), ["/var/lib/influxdb"]);
    assert_eq!(directories("influxdb:2.7"), ["/var/lib/influxdb2", "/etc/influxdb2"]);
    assert!(directories("nginx").is_empty());
}

#[test]
fn groups_hold_their_platforms() {
    let rules = rules();
    let ids = |group: &str| -> Vec<String> {
        rules.platforms_of_group(group).iter().map(|platform| platform.id.clone()).collect()
    };
    assert_eq!(
        ids("macos"),
        [
            "colima-9p",
            "colima-sshfs",
            "colima-virtiofs",
            "docker-file-shares",
            "docker-machine",
            "lima",
            "macos-docker-vmm",
            "macos-grpcfuse",
            "macos-osxfs",
            "macos-virtiofs",
            "orbstack",
            "podman-machine",
            "rancher-desktop",
        ]
    );
    assert_eq!(
        ids("windows"),
        [
            "docker-file-shares",
            "docker-machine",
            "podman-machine",
            "rancher-desktop",
            "windows-docker-vmm",
            "windows-hyperv",
            "windows-wsl2-distro",
            "windows-wsl2-drive",
        ]
    );
    assert_eq!(
        ids("desktop"),
        [
            "docker-desktop-linux",
            "docker-file-shares",
            "macos-docker-vmm",
            "macos-grpcfuse",
            "macos-osxfs",
            "macos-virtiofs",
            "windows-docker-vmm",
            "windows-hyperv",
            "windows-wsl2-distro",
            "windows-wsl2-drive",
        ]
    );
    assert_eq!(ids("all").len(), 20);
    assert_eq!(ids("all").len(), rules.platforms().count());
    assert!(ids("macos-virtiofs").is_empty());
    assert!(ids("").is_empty());
}

#[test]
fn a_platform_where_volumes_detach_names_no_strategy_that_nests() {
    let rules = rules();
    let versions = rules.platforms().flat_map(|platform| {
        let bounds = platform.versions.iter().map(|range| range.from.as_deref().unwrap_or("0"));
        bounds.map(|version| platform.at_version(version).unwrap())
    });
    for platform in rules.platforms().cloned().chain(versions) {
        if platform.nested_volumes == Answer::No {
            let lists = [&platform.strategies.read_mostly, &platform.strategies.write_heavy];
            for id in lists.into_iter().flatten() {
                let strategy = composefix::strategy::strategy(id).unwrap();
                assert!(!strategy.meta().nests, "{} names {id}", platform.id);
            }
            assert!(platform.advice.is_some(), "{} says nothing to do instead", platform.id);
        }
    }
}

/// Reports name these versions; between and after them the careful answer stays.
#[test]
fn versions_are_judged_as_reports_say() {
    let rules = rules();
    for (name, nested, events) in [
        ("macos-docker-vmm", Answer::No, Answer::Yes),
        ("macos-docker-vmm@4.66.1", Answer::Yes, Answer::Yes),
        ("macos-docker-vmm@4.67.0", Answer::No, Answer::Yes),
        ("macos-docker-vmm@4.68", Answer::Yes, Answer::Yes),
        ("macos-docker-vmm@4.79.3", Answer::Yes, Answer::Yes),
        ("macos-docker-vmm@4.80", Answer::No, Answer::Yes),
        ("macos-docker-vmm@4.87", Answer::No, Answer::Yes),
        ("macos-docker-vmm@4.92", Answer::No, Answer::Yes),
        ("macos-virtiofs", Answer::Yes, Answer::Yes),
        ("macos-virtiofs@4.67", Answer::No, Answer::Yes),
        ("macos-virtiofs@4.68", Answer::Yes, Answer::Yes),
        ("macos-virtiofs@4.88", Answer::Yes, Answer::Yes),
        ("macos-grpcfuse@3.0.2", Answer::No, Answer::Yes),
        ("macos-grpcfuse@4.30", Answer::Yes, Answer::No),
        ("macos-grpcfuse@4.31", Answer::Yes, Answer::Yes),
        ("windows-hyperv@2.1.0.5", Answer::Yes, Answer::No),
        ("windows-hyperv@2.2.0.0", Answer::No, Answer::Yes),
        ("windows-hyperv@2.2.0.3", Answer::Yes, Answer::Yes),
        ("orbstack@0.7", Answer::Yes, Answer::No),
        ("orbstack@2.1.3", Answer::Yes, Answer::Yes),
        ("orbstack@2.2.2", Answer::Yes, Answer::No),
        ("windows-docker-vmm", Answer::Unknown, Answer::Unknown),
    ] {
        let platform = rules.platform_named(name).unwrap().unwrap();
        assert_eq!((platform.nested_volumes, platform.host_events), (nested, events), "{name}");
        let named = platform.strategies.read_mostly.iter().any(|id| id == "volume");
        assert_eq!(named, nested != Answer::No, "{name}");
    }
    let cost = |name| rules.platform_named(name).unwrap().unwrap().bind.read_mostly;
    assert_eq!(cost("podman-machine@4.9"), Cost::VerySlow);
    assert_eq!(cost("podman-machine@5.0"), Cost::Slow);
}

#[test]
fn names_that_say_nothing_need_evidence() {
    let rules = rules();
    for name in [
        "vendor",
        "env",
        "venv",
        "build",
        "target",
        "dist",
        "bin",
        "obj",
        "deps",
        "log",
        "out",
        "core",
        "storage",
        "generated",
        "packages",
        "coverage",
        "var/cache",
        "tmp/cache",
    ] {
        for tree in rules.trees().iter().filter(|tree| tree.paths.iter().any(|path| path == name)) {
            assert!(tree.ambiguous, "{} takes any {name}", tree.id);
        }
    }
    for (id, marker) in [("go-vendor", "modules.txt"), ("python-venv-named", "pyvenv.cfg")] {
        let tree = rules.tree(id).expect("a kind");
        assert_eq!(tree.markers, [marker]);
        assert!(tree.manifests.is_empty(), "{id} is proven by its content only");
    }
}

#[test]
fn two_kinds_never_imply_one_path_from_one_file() {
    let mut seen = BTreeMap::new();
    for tree in rules().trees() {
        for manifest in tree.manifests.iter().filter(|manifest| manifest.implies) {
            let key = (manifest.file.clone(), tree.paths.clone());
            let other = seen.insert(key, tree.id.clone());
            assert_eq!(other, None, "{} implies the same", tree.id);
        }
    }
}

#[test]
fn kept_trees_are_neither_implied_nor_filled() {
    for id in ["git-directory", "go-vendor", "yarn-cache", "laravel-uploads", "uploads"] {
        let rules = rules();
        let tree = rules.tree(id).expect("a kind");
        assert_eq!(tree.access, Access::Kept, "{id}");
        assert!(tree.installers.is_empty() && tree.install.is_none(), "{id}");
    }
}

const OWN_TREE: &str = "
id: own-tree
title: Own packages
ecosystem: Own
access: read-mostly
paths: [own_packages]
sources:
  - {url: https://example.com/own, checked: 2026-10-15, says: It is there.}
";

const OWN_PLATFORM: &str = "
id: own
title: Own engine
bind: {read-mostly: slow, write-heavy: slow, database: slow}
nested_volumes: 'yes'
host_events: 'yes'
ownership: real
strategies: {read-mostly: [volume], write-heavy: []}
claims:
  - {about: bind, says: a, sources: &own [{url: 'https://example.com/', checked: 2026-10-15, says: b}]}
  - {about: nested_volumes, says: a, sources: *own}
  - {about: host_events, says: a, sources: *own}
  - {about: ownership, says: a, sources: *own}
  - {about: strategies, says: a, sources: *own}
";

#[test]
fn a_folder_adds_and_replaces() {
    let dir = tempfile::tempdir().expect("a directory");
    put(&dir.path().join("trees/own-tree.yaml"), OWN_TREE);
    put(&dir.path().join("trees/README.md"), "not a rule file");
    let vendor = OWN_TREE.replace("own-tree", "composer-vendor");
    put(&dir.path().join("trees/composer-vendor.yaml"), &vendor);
    let image = "{id: own-image, title: Own, repositories: [team/postgres, nginx], role: service,
        sources: [{url: 'https://example.com/', checked: 2026-10-15, says: Ours.}]}";
    put(&dir.path().join("images/own-image.yaml"), image);

    let before = rules();
    let after = rules().with_directory(&RealHost, dir.path()).expect("the folder holds");
    assert_eq!(after.trees().len(), before.trees().len() + 1);
    assert_eq!(after.tree("own-tree").expect("added").paths, ["own_packages"]);
    assert_eq!(after.tree("composer-vendor").expect("replaced").title, "Own packages");
    assert!(after.trees().is_sorted_by_key(|tree| &tree.id));
    assert_eq!(after.platforms().count(), before.platforms().count());
    let family = |reference: &str| after.image_for(reference).map(|(image, _)| image.id.clone());
    assert_eq!(family("team/postgres:15").as_deref(), Some("own-image"));
    assert_eq!(family("postgres:15").as_deref(), Some("postgres"));
    assert_eq!(family("nginx").as_deref(), Some("own-image"), "own files come first");
    after.check().expect("built-in files still hold");
}

#[test]
fn a_wrong_file_is_named_with_line_and_reason() {
    let unknown = OWN_PLATFORM.replace("[volume]", "[volum]");
    let versions = |range: &str| format!("{OWN_PLATFORM}program: Own\nversions:\n  - {range}\n");
    for (path, text, message) in [
        (
            "trees/own-tree.yaml",
            OWN_TREE.replace("title:", "titel:"),
            "unknown field `titel`, expected one of `id`, ",
        ),
        ("trees/own-tree.yaml", OWN_TREE.replace("read-mostly", "often"), "at line 5 column 9"),
        ("trees/other.yaml", OWN_TREE.to_owned(), "line 2: the id `own-tree` is not the file's"),
        ("trees/own-tree.yaml", OWN_TREE.replace("[own_", "[/own_"), "line 6: `/own_packages`"),
        ("trees/own-tree.yaml", OWN_TREE.replace("-10-15", "-15-10"), "line 8: `2026-15-10`"),
        ("trees/own-tree.yaml", OWN_TREE.replace("https:", "file:"), "line 8: `file://"),
        ("trees/own-tree.yml", OWN_TREE.to_owned(), "rule files end in .yaml"),
        ("platforms/own.yaml", unknown, "line 8: unknown strategy `volum`; known are"),
        (
            "platforms/own.yaml",
            OWN_PLATFORM.replace("about: bind", "about: notes"),
            "no claim backs `bind`",
        ),
        ("platforms/own.yaml", format!("{OWN_PLATFORM}program: Own\n"), "go together"),
        ("platforms/own.yaml", versions("{says: a}"), "a range needs `from` or `below`"),
        ("platforms/own.yaml", versions("{says: a, from: 1.x}"), "`1.x` is no version"),
        ("platforms/own.yaml", versions("{says: a, from: '2', below: '1.9'}"), "ends before"),
        ("images/own.yaml", "id: [".to_owned(), "line 1"),
        ("tree/own-tree.yaml", OWN_TREE.to_owned(), "none of the folders trees, platforms"),
    ] {
        let dir = tempfile::tempdir().expect("a directory");
        put(&dir.path().join(path), &text);
        let error = rules().with_directory(&RealHost, dir.path()).expect_err(path).to_string();
        assert!(error.contains(message), "{path}: {error}");
        let named =
            if path.starts_with("tree/") { "" } else { path.split('/').next_back().unwrap() };
        assert!(error.contains(named), "{path}: {error}");
    }
}

#[test]
fn an_unknown_key_fails_schema_and_type() {
    let with_key = format!("{OWN_TREE}colour: red\n");
    let value: Value = serde_yaml::from_str(&with_key).expect("YAML");
    let validator = jsonschema::validator_for(&schema("tree")).expect("the schema compiles");
    assert!(!validator.is_valid(&value));
    assert!(serde_yaml::from_str::<TreeKind>(&with_key).is_err());
    let without: Value = serde_yaml::from_str(OWN_TREE).expect("YAML");
    assert!(validator.is_valid(&without));
}

#[test]
fn a_version_changes_what_its_range_says_and_nothing_else() {
    let text = format!(
        "{OWN_PLATFORM}advice: upgrade\nprogram: Own\nversions:
  - from: '2'
    below: '3.1'
    says: Volumes were lost.
    nested_volumes: 'no'
    bind: {{read-mostly: none, write-heavy: slow, database: very-slow}}
    strategies: {{read-mostly: [narrow], write-heavy: []}}
    advice: ''
"
    );
    let dir = tempfile::tempdir().expect("a directory");
    put(&dir.path().join("platforms/own.yaml"), &text);
    let rules = rules().with_directory(&RealHost, dir.path()).expect("the folder holds");
    let named = |name: &str| {
        rules.platform_named(name).map(|found| found.map(std::borrow::Cow::into_owned))
    };
    let base = named("own").expect("it holds").expect("it is known");
    assert_eq!(base.nested_volumes, Answer::Yes);
    let inside = named("own@3.0.7").expect("it holds").expect("it is known");
    assert_eq!((inside.id.as_str(), inside.nested_volumes), ("own@3.0.7", Answer::No));
    assert_eq!(inside.title, "Own engine (Own 3.0.7)");
    assert_eq!(inside.strategies.read_mostly, ["narrow"]);
    assert_eq!((inside.bind.read_mostly, inside.bind.database), (Cost::None, Cost::VerySlow));
    assert_eq!((inside.advice, inside.host_events), (None, Answer::Yes));
    assert_eq!(inside.notes, ["Volumes were lost."]);
    let outside = named("own@3.1").expect("it holds").expect("it is known");
    assert_eq!((outside.nested_volumes, &outside.bind), (Answer::Yes, &base.bind));
    assert_eq!(outside.advice.as_deref(), Some("upgrade"));
    assert_eq!(named("other@3"), Ok(None));
    assert!(named("own@new").unwrap_err().starts_with("`new` is no version of Own"));
    let without = named("linux-native@6").unwrap_err();
    assert_eq!(
        without,
        "nothing that is known of `linux-native` depends on a version: leave `@6` out"
    );
}

/// Commands are shown between single quotes, on one line.
#[test]
fn commands_that_move_data_fit_between_quotes() {
    for image in rules().images() {
        for command in image.transfer.iter().flat_map(|t| [&t.dump, &t.restore]) {
            assert!(!command.contains(['\'', '\n', '`']), "{}: {command}", image.id);
        }
    }
}
