use super::*;
use crate::host::{MemoryHost, MemoryNode};
use crate::progress::Silent;

/// Kinds that are like real ones where it matters here.
const KINDS: &str = r#"
- id: composer-vendor
  access: read-mostly
  paths: [vendor]
  manifests:
    - {file: composer.json, implies: true, any_of: [require, require-dev], platform_packages: [php, "ext-*"]}
    - {file: composer.lock, implies: true}
  moved_by: [{file: composer.json, key: config.vendor-dir, format: json}]
  locks:
    - {file: composer.lock, package_line: '            "name": ', files_per_package: 40}
- id: node-modules
  access: read-mostly
  paths: [node_modules]
  manifests:
    - {file: package.json, implies: true, any_of: [dependencies, devDependencies]}
    - {file: package-lock.json, implies: true}
  moved_by: [{file: pnpm-workspace.yaml, key: modulesDir, format: yaml}]
  workspaces:
    - {file: pnpm-workspace.yaml, key: packages, format: yaml, install: pnpm install}
    - {file: package.json, key: workspaces, format: json}
  locks:
    - {file: package-lock.json, package_line: '    "node_modules/', files_per_package: 30}
    - {file: pnpm-lock.yaml, package_line: '  pkg@', not_followed_by: 'link:', files_per_package: 30}
  unless:
    - {file: .pnp.cjs, reason: "Plug'n'Play keeps none"}
    - {file: .yarnrc.yml, contains: "nodeLinker: pnp", reason: "Plug'n'Play is set"}
- id: python-venv
  access: read-mostly
  paths: [.venv, venv, env]
  ambiguous: true
  markers: [pyvenv.cfg]
  manifests:
    - {file: pyproject.toml, implies: true}
    - {file: "requirements*.txt"}
- id: cargo-target
  access: write-heavy
  paths: [target]
  ambiguous: true
  manifests: [{file: Cargo.toml, implies: true}]
- id: maven-target
  access: write-heavy
  paths: [target]
  ambiguous: true
  manifests: [{file: pom.xml, implies: true}]
- id: laravel-storage
  access: write-heavy
  paths: [storage/framework, public]
  ambiguous: true
  manifests: [{file: artisan, implies: true}]
- id: ruby-bundle
  access: read-mostly
  paths: [vendor/bundle]
  manifests: [{file: Gemfile, implies: true}]
- id: dotnet-obj
  access: write-heavy
  paths: [obj]
  ambiguous: true
  manifests: [{file: "*.csproj"}]
- id: go-vendor
  access: kept
  paths: [vendor]
  ambiguous: true
  markers: [modules.txt]
- id: uploads
  access: kept
  paths: [public/uploads]
"#;

fn kinds() -> Vec<TreeKind> {
    let text = KINDS.replace("  access:", "  title: t\n  ecosystem: e\n  sources: []\n  access:");
    serde_yaml::from_str(&text).unwrap()
}

/// Surveys a directory and tells nobody.
fn survey(host: &dyn Host, kinds: &[TreeKind], directory: &Path, limits: Limits) -> Survey {
    super::survey(host, kinds, directory, limits, &Silent)
}

/// Surveys `/p`.
fn look(host: &MemoryHost, limits: Limits) -> Survey {
    survey(host, &kinds(), Path::new("/p"), limits)
}

/// A line for each tree of `/p`.
fn trees(host: &MemoryHost) -> Vec<String> {
    lines(&look(host, Limits::default()))
}

fn lines(survey: &Survey) -> Vec<String> {
    survey
        .trees
        .iter()
        .map(|tree| {
            let files = tree.files.map_or("?".to_owned(), |files| files.to_string());
            let flags =
                [(tree.at_least, "+"), (tree.tracked, " tracked"), (!tree.on_disk, " away")];
            let flags: String =
                flags.iter().filter(|(set, _)| *set).map(|(_, text)| *text).collect();
            format!("{} {} {:?} {files}{flags}", tree.path, tree.kind, tree.evidence)
        })
        .collect()
}

fn host() -> MemoryHost {
    MemoryHost::default().with("/p", MemoryNode::Directory)
}

const TREE: fn(u64) -> MemoryNode = MemoryNode::Tree;

/// A lock file of npm with so many packages.
fn npm_lock(packages: usize) -> String {
    format!("{{\n{}}}\n", "    \"node_modules/x\": {\n    },\n".repeat(packages))
}

#[test]
fn a_tree_is_large_from_the_limit_on() {
    let host = host().with("/p/a/node_modules", TREE(500)).with("/p/b/node_modules", TREE(499));
    assert_eq!(trees(&host), ["a/node_modules node-modules Measured 500+"]);
    let small = Limits { min_files: 499, ..Limits::default() };
    assert_eq!(
        lines(&look(&host, small)),
        ["a/node_modules node-modules Measured 499+", "b/node_modules node-modules Measured 499+"]
    );
    let zero = Limits { min_files: 0, ..Limits::default() };
    assert_eq!(look(&host.with("/p/c/node_modules", TREE(0)), zero).trees.len(), 2);
}

#[test]
fn what_is_written_all_the_time_counts_with_few_files() {
    let crates = || host().with_file("/p/Cargo.toml", "");
    let with = |files| crates().with("/p/target", TREE(files));
    assert_eq!(trees(&crates()), ["target cargo-target Manifest ? away"]);
    assert_eq!(trees(&with(0)), ["target cargo-target Manifest ?"]);
    assert_eq!(trees(&with(97)), ["target cargo-target Measured 97"]);
    assert_eq!(trees(&with(900)), ["target cargo-target Measured 500+"]);
    // Nothing says that Cargo writes there, and packages are only read.
    assert_eq!(trees(&host().with("/p/target", TREE(97))), [""; 0]);
    let read = host().with_file("/p/composer.json", r#"{"require": {"a/b": "1"}}"#);
    assert_eq!(trees(&read.with("/p/vendor", TREE(97))), [""; 0]);
}

#[test]
fn a_full_survey_counts_files_and_bytes() {
    let host = host().with("/p/node_modules", TREE(41_000));
    let full = look(&host, Limits { full: true, ..Limits::default() });
    assert_eq!(
        full.trees,
        [TreeFacts {
            kind: "node-modules".to_owned(),
            path: "node_modules".to_owned(),
            evidence: Evidence::Measured,
            files: Some(41_000),
            bytes: Some(4_100_000),
            at_least: false,
            on_disk: true,
            unused: None,
            install: None,
            tracked: false,
            directories: Vec::new(),
        }]
    );
    assert_eq!(look(&host, Limits::default()).trees[0].bytes, None);
}

#[test]
fn only_outermost_trees_count() {
    let host = host()
        .with("/p/node_modules", TREE(600))
        .with("/p/node_modules/x/node_modules", TREE(600))
        .with("/p/vendor", TREE(600))
        .with("/p/vendor/bundle", TREE(600))
        .with("/p/small/node_modules/x/vendor", TREE(10))
        .with_file("/p/small/node_modules/x/composer.lock", composer_lock(99));
    assert_eq!(
        trees(&host),
        ["node_modules node-modules Measured 500+", "vendor composer-vendor Measured 500+"]
    );
}

fn composer_lock(packages: usize) -> String {
    "            \"name\": \"a/b\",\n".repeat(packages)
}

#[test]
fn a_lock_file_stands_in_for_files() {
    let host = |packages, files: Option<u64>| {
        let host = host()
            .with_file("/p/package-lock.json", npm_lock(packages))
            .with_file("/p/package.json", r#"{"dependencies": {"x": "1"}}"#);
        match files {
            Some(files) => host.with("/p/node_modules", TREE(files)),
            None => host,
        }
    };
    assert_eq!(trees(&host(17, None)), ["node_modules node-modules LockFile 510 away"]);
    assert_eq!(trees(&host(17, Some(0))), ["node_modules node-modules LockFile 510"]);
    assert_eq!(trees(&host(17, Some(9))), ["node_modules node-modules LockFile 510"]);
    assert_eq!(trees(&host(17, Some(900))), ["node_modules node-modules Measured 500+"]);
    assert_eq!(trees(&host(1, Some(900))), ["node_modules node-modules Measured 500+"]);
    // The lock file knows better than the manifest.
    assert_eq!(trees(&host(16, None)), [""; 0]);
    assert_eq!(trees(&host(0, Some(0))), [""; 0]);
}

#[test]
fn a_lock_file_in_another_format_says_nothing() {
    let host = host()
        .with_file("/p/package-lock.json", "x".repeat(5000))
        .with_file("/p/package.json", r#"{"dependencies": {"x": "1"}}"#);
    let found = look(&host, Limits::default());
    assert_eq!(lines(&found), ["node_modules node-modules Manifest ? away"]);
    assert_eq!(found.notes, ["no packages recognised in package-lock.json"]);
    // The larger of two counts.
    let host = host.with_file("/p/pnpm-lock.yaml", "  pkg@1\n".repeat(20) + "  pkg@link:x\n");
    assert_eq!(trees(&host), ["node_modules node-modules LockFile 600 away"]);
}

#[test]
fn a_manifest_implies_what_is_not_there_yet() {
    let with = |text: &str| {
        let found = look(&host().with_file("/p/a/composer.json", text), Limits::default());
        (lines(&found), found.notes)
    };
    let yes = || vec!["a/vendor composer-vendor Manifest ? away".to_owned()];
    assert_eq!(with(r#"{"require": {"php": "8", "a/b": "1"}}"#), (yes(), vec![]));
    assert_eq!(with("\u{feff}{\"require-dev\": {\"a/b\": \"1\"}}"), (yes(), vec![]));
    let no = [
        r#"{"require": {"php": "8", "ext-json": "*"}}"#,
        r#"{"require": []}"#,
        r#"{"name": "a/b"}"#,
        "[]",
    ];
    for text in no {
        assert_eq!(with(text), (vec![], vec![]), "{text}");
    }
    let (found, notes) = with("{");
    assert!(found.is_empty());
    assert!(notes[0].starts_with("a/composer.json is not understood: "), "{notes:?}");
}

#[test]
fn files_in_the_tree_overrule_the_manifest() {
    let with = |node| {
        let host = host().with_file("/p/package.json", r#"{"dependencies": {"x": "1"}}"#);
        trees(&host.with("/p/node_modules", node))
    };
    assert_eq!(with(TREE(0)), ["node_modules node-modules Manifest ?"]);
    assert_eq!(with(TREE(1)), [""; 0]);
    assert_eq!(with(MemoryNode::File(vec![])), [""; 0]);
    assert_eq!(with(MemoryNode::Unreadable), [""; 0]);
}

#[test]
fn an_ambiguous_name_needs_proof() {
    let host = host()
        .with("/p/a/target", TREE(900))
        .with("/p/b/target", TREE(900))
        .with_file("/p/b/pom.xml", "")
        .with("/p/c/env", TREE(900))
        .with("/p/d/env", TREE(900))
        .with_file("/p/d/env/pyvenv.cfg", "")
        .with("/p/e/venv", TREE(900))
        .with_file("/p/e/requirements-dev.txt", "")
        .with("/p/f/obj", TREE(900))
        .with_file("/p/f/App.csproj", "");
    assert_eq!(
        trees(&host),
        [
            "b/target maven-target Measured 500+",
            "d/env python-venv Measured 500+",
            "e/venv python-venv Measured 500+",
            "f/obj dotnet-obj Measured 500+",
        ]
    );
}

#[test]
fn an_ambiguous_name_without_proof_is_searched() {
    let host = host().with("/p/target/node_modules", TREE(900));
    assert_eq!(trees(&host), ["target/node_modules node-modules Measured 500+"]);
}

#[test]
fn of_several_usual_places_one_is_expected() {
    let host = host().with_file("/p/pyproject.toml", "");
    assert_eq!(trees(&host), [".venv python-venv Manifest ? away"]);
    let empty = host.clone().with("/p/venv", TREE(0));
    assert_eq!(trees(&empty), ["venv python-venv Manifest ?"]);
    let full = host.with("/p/venv", TREE(900));
    assert_eq!(trees(&full), ["venv python-venv Measured 500+"]);
}

#[test]
fn the_first_kind_by_id_has_the_path() {
    let host = host().with_file("/p/pom.xml", "").with_file("/p/Cargo.toml", "");
    assert_eq!(trees(&host), ["target cargo-target Manifest ? away"]);
    let mut reversed = kinds();
    reversed.reverse();
    let host = host.with("/p/target", TREE(900));
    let found = survey(&host, &reversed, Path::new("/p"), Limits::default());
    assert_eq!(lines(&found), ["target cargo-target Measured 500+"]);
}

#[test]
fn kept_trees_win_and_are_not_entered() {
    let host = host()
        .with("/p/vendor", TREE(900))
        .with_file("/p/vendor/modules.txt", "")
        .with("/p/vendor/x/node_modules", TREE(900))
        .with_file("/p/composer.lock", composer_lock(99));
    assert_eq!(trees(&host), [""; 0]);
}

#[test]
fn a_tree_around_a_kept_one_stays() {
    let host = host()
        .with_file("/p/artisan", "")
        .with("/p/public", TREE(900))
        .with("/p/storage/framework", TREE(900));
    assert_eq!(trees(&host).len(), 2);
    let host = host.with_file("/p/public/uploads/me.jpg", "");
    let found = look(&host, Limits::default());
    assert_eq!(lines(&found), ["storage/framework laravel-storage Measured 500+"]);
    assert_eq!(found.notes, ["public stays where it is because it holds public/uploads"]);
}

#[test]
fn exceptions_come_first() {
    let host =
        host().with("/p/node_modules", TREE(900)).with_file("/p/.yarnrc.yml", "nodeLinker: x");
    assert_eq!(trees(&host).len(), 1);
    let set = host.clone().with_file("/p/.yarnrc.yml", "a: b\nnodeLinker: pnp\n");
    let found = look(&set, Limits::default());
    assert_eq!(lines(&found), ["node_modules node-modules Measured 500+"]);
    assert_eq!(found.trees[0].unused.as_deref(), Some("Plug'n'Play is set"));
    assert_eq!(found.notes, ["node_modules is left out: Plug'n'Play is set (.yarnrc.yml)"]);
    let pnp = host.with_file("/p/.pnp.cjs", "").with("/p/node_modules/x/vendor", TREE(900));
    let pnp = look(&pnp, Limits::default());
    assert_eq!(lines(&pnp).len(), 1, "an excepted tree is not searched either");
    assert!(pnp.trees[0].unused.is_some());
}

#[test]
fn exceptions_hold_for_the_packages_of_a_workspace() {
    let host = host()
        .with_file("/p/.pnp.cjs", "")
        .with_file("/p/packages/a/package.json", r#"{"dependencies": {"x": "1"}}"#)
        .with_file("/p/other/package-lock.json", npm_lock(99))
        .with("/p/disk/node_modules", TREE(900));
    assert_eq!(
        trees(&host),
        [
            "disk/node_modules node-modules Measured 500+",
            "other/node_modules node-modules LockFile 2970 away"
        ]
    );
}

#[test]
fn links_are_not_followed() {
    let host = host()
        .with("/elsewhere", TREE(900))
        .with("/elsewhere/node_modules", TREE(900))
        .with("/p/node_modules", MemoryNode::Link("/elsewhere".into()))
        .with("/p/code", MemoryNode::Link("/elsewhere".into()))
        .with("/p/storage", MemoryNode::Link("/elsewhere".into()))
        .with_file("/p/artisan", "")
        .with_file("/p/real.json", r#"{"dependencies": {"x": "1"}}"#)
        .with("/p/package.json", MemoryNode::Link("real.json".into()))
        .with("/p/b/package.json", MemoryNode::Link("../real.json".into()));
    let found = look(&host, Limits::default());
    assert_eq!(lines(&found), ["b/node_modules node-modules Manifest ? away"]);
    assert_eq!(
        found.notes,
        [
            "storage/framework is a link and is not followed",
            "node_modules is a link and is not followed",
        ]
    );
}

#[test]
fn the_directory_may_be_a_tree_itself() {
    let host = host()
        .with("/p/node_modules", TREE(900))
        .with("/p/node_modules/x/node_modules", TREE(900))
        .with("/p/target", TREE(900))
        .with("/p/storage/framework", TREE(900))
        .with_file("/p/artisan", "")
        .with_file("/p/composer.lock", composer_lock(20))
        .with("/p/link", MemoryNode::Link("node_modules".into()))
        .with("/q/node_modules", MemoryNode::Link("/p/node_modules".into()));
    let at = |path: &str| lines(&survey(&host, &kinds(), Path::new(path), Limits::default()));
    assert_eq!(at("/p/node_modules"), [". node-modules Measured 500+"]);
    assert_eq!(at("/p/x/../node_modules/"), [". node-modules Measured 500+"]);
    assert_eq!(at("/q/node_modules"), [". node-modules Measured 500+"]);
    assert_eq!(at("/p/storage/framework"), [". laravel-storage Measured 500+"]);
    assert_eq!(at("/p/vendor"), [". composer-vendor LockFile 800 away"]);
    assert_eq!(at("/p/target"), [""; 0], "nothing beside it proves it");
    assert_eq!(at("/q/vendor"), [""; 0]);
}

#[test]
fn a_directory_that_is_a_small_or_kept_tree_is_not_searched() {
    let host = host()
        .with("/p/node_modules/x/vendor", TREE(400))
        .with_file("/p/node_modules/x/composer.lock", composer_lock(99))
        .with("/p/vendor/x/node_modules", TREE(900))
        .with_file("/p/vendor/modules.txt", "");
    let at = |path: &str| survey(&host, &kinds(), Path::new(path), Limits::default());
    assert_eq!(at("/p/node_modules"), Survey::default());
    let vendor = at("/p/vendor");
    assert!(vendor.trees.is_empty());
    assert_eq!(vendor.notes, [". is vendor, which is source or data and stays where it is"]);
}

#[test]
fn no_directory_has_no_trees() {
    let host = host().with_file("/p/file", "");
    let at = |path: &str| survey(&host, &kinds(), Path::new(path), Limits::default());
    assert_eq!(at("/p/file"), Survey::default());
    assert_eq!(at("/gone").notes, ["the directory is not there"]);
}

#[test]
fn limits_end_the_search_with_a_note() {
    let host = host()
        .with("/p/a/node_modules", TREE(900))
        .with("/p/b/c/node_modules", TREE(900))
        .with("/p/z", MemoryNode::Directory);
    let depth = look(&host, Limits { depth: 1, ..Limits::default() });
    assert_eq!(lines(&depth), ["a/node_modules node-modules Measured 500+"]);
    assert_eq!(depth.notes, ["directories below level 1 were not searched"]);
    let directories = look(&host, Limits { directories: 4, ..Limits::default() });
    assert_eq!(lines(&directories), ["a/node_modules node-modules Measured 500+"]);
    assert_eq!(directories.notes, ["the search ended after 4 directories"]);
    let entries = look(&host, Limits { entries: 2, ..Limits::default() });
    assert_eq!(entries.trees.len(), 2, "the first by name are searched");
    assert_eq!(entries.notes, [". has more than 2 subdirectories, the rest is left out"]);
    let enough = look(&host, Limits { depth: 2, directories: 5, entries: 3, ..Limits::default() });
    assert_eq!(enough.notes, [""; 0]);
}

#[test]
fn unreadable_directories_are_notes() {
    let host = host()
        .with("/p/closed", MemoryNode::Unreadable)
        .with("/p/node_modules", TREE(900))
        .with("/p/node_modules/x", MemoryNode::Unreadable);
    let early = look(&host, Limits::default());
    assert_eq!(early.notes, ["cannot read closed: permission denied"]);
    let full = look(&host, Limits { full: true, ..Limits::default() });
    assert_eq!(lines(&full), ["node_modules node-modules Measured 900+"]);
    let expected =
        ["node_modules: cannot read 1 directory", "cannot read closed: permission denied"];
    assert_eq!(full.notes, expected);
}

#[test]
fn tracked_trees_are_told_apart() {
    let host = host()
        .with_file("/r/.git/index", index_of(&["app/node_modules/x/y"]))
        .with("/r/app/node_modules", TREE(900))
        .with("/r/app/web/node_modules", TREE(900))
        .with("/p/app", MemoryNode::Link("/r/app".into()))
        .with_file("/r/app/sub/.git/index", index_of(&["vendor/x"]))
        .with("/r/app/sub/vendor", TREE(900));
    let at = |path: &str| lines(&survey(&host, &kinds(), Path::new(path), Limits::default()));
    let expected = [
        "node_modules node-modules Measured 500+ tracked",
        "sub/vendor composer-vendor Measured 500+ tracked",
        "web/node_modules node-modules Measured 500+",
    ];
    assert_eq!(at("/r/app"), expected);
    assert_eq!(at("/p/app"), expected);
    assert_eq!(at("/r/app/node_modules"), [". node-modules Measured 500+ tracked"]);
    let broken = host.with_file("/r/.git/index", "junk");
    let found = survey(&broken, &kinds(), Path::new("/r/app/web"), Limits::default());
    assert_eq!(lines(&found), ["node_modules node-modules Measured 500+"]);
    assert_eq!(
        found.notes,
        ["cannot tell what git tracks: the index file has a format that is not known"]
    );
}

#[test]
fn a_real_disk_is_surveyed_like_one_in_memory() {
    let directory = tempfile::tempdir().unwrap();
    for package in 0..60 {
        let package = directory.path().join(format!("web/node_modules/p{package}"));
        std::fs::create_dir_all(&package).unwrap();
        for file in 0..10 {
            std::fs::File::create(package.join(format!("f{file}"))).unwrap().set_len(3).unwrap();
        }
    }
    let at = |full| {
        let limits = Limits { full, ..Limits::default() };
        survey(&crate::host::RealHost, &kinds(), directory.path(), limits)
    };
    assert_eq!(lines(&at(false)), ["web/node_modules node-modules Measured 500+"]);
    assert_eq!(lines(&at(true)), ["web/node_modules node-modules Measured 600"]);
    assert_eq!(at(true).trees[0].bytes, Some(1800));
    assert_eq!(at(true), at(true));
}

#[test]
fn git_directories_are_not_searched() {
    let host = host().with("/p/.git/modules/node_modules", TREE(900));
    assert_eq!(trees(&host), [""; 0]);
}

#[test]
fn a_tree_lies_where_the_settings_put_it() {
    let set = |to: &str| {
        let text = format!(r#"{{"require": {{"a/b": "1"}}, "config": {{"vendor-dir": "{to}"}}}}"#);
        host().with_file("/p/composer.json", text)
    };
    assert_eq!(trees(&set("vendor/")), ["vendor composer-vendor Manifest ? away"]);
    assert_eq!(trees(&set("./lib/php")), ["lib/php composer-vendor Manifest ? away"]);
    for elsewhere in ["/opt/vendor", "../vendor", "$HOME/vendor", "."] {
        assert_eq!(trees(&set(elsewhere)), [""; 0], "{elsewhere}");
    }
    let host = set("lib/php").with("/p/lib/php", TREE(900)).with("/p/vendor", TREE(700));
    let found = look(&host, Limits::default());
    let expected =
        ["lib/php composer-vendor Measured 500+", "vendor composer-vendor Measured 500+"];
    assert_eq!(lines(&found), expected);
    let reason = "composer.json puts it to lib/php (config.vendor-dir)";
    let unused = found.trees.iter().map(|tree| tree.unused.as_deref()).collect::<Vec<_>>();
    assert_eq!(unused, [None, Some(reason)]);
    let locked = set("lib/php").with_file("/p/composer.lock", composer_lock(20));
    assert_eq!(trees(&locked), ["lib/php composer-vendor LockFile 800 away"]);
}

#[test]
fn packages_of_a_workspace_have_no_tree_of_their_own() {
    let dependent = r#"{"dependencies": {"x": "1"}}"#;
    let with = |top: &str| {
        host()
            .with_file("/p/package.json", top)
            .with_file("/p/apps/web/package.json", dependent)
            .with_file("/p/apps/old/package.json", dependent)
            .with_file("/p/tool/package.json", dependent)
    };
    let npm = with(r#"{"workspaces": ["./apps/*", "!apps/old"]}"#);
    let expected = [
        "apps/old/node_modules node-modules Manifest ? away",
        "node_modules node-modules Manifest ? away",
        "tool/node_modules node-modules Manifest ? away",
    ];
    assert_eq!(trees(&npm), expected);
    let pnpm = with("{}").with_file("/p/pnpm-workspace.yaml", "packages: ['**']\n");
    let found = look(&pnpm, Limits::default());
    assert_eq!(lines(&found), ["node_modules node-modules Manifest ? away"]);
    assert_eq!(found.trees[0].install.as_deref(), Some("pnpm install"));
    // What is counted is there, and is filled from the top.
    let counted = look(&pnpm.with("/p/apps/web/node_modules", TREE(900)), Limits::default());
    let expected = [
        "apps/web/node_modules node-modules Measured 500+",
        "node_modules node-modules Manifest ? away",
    ];
    assert_eq!(lines(&counted), expected);
    assert_eq!(counted.trees[0].install.as_deref(), Some("pnpm install"));
}

#[test]
fn files_that_hold_a_place_are_no_content() {
    let at = |path: &str| {
        let host = host().with_file("/p/.git/index", index_of(&[path])).with_file("/p/artisan", "");
        let survey = look(&host.with("/p/storage/framework", TREE(900)), Limits::default());
        (lines(&survey), survey.trees[0].directories.clone())
    };
    let free = || vec!["storage/framework laravel-storage Measured 500+".to_owned()];
    assert_eq!(at("storage/framework/.gitignore"), (free(), vec![]));
    assert_eq!(at("storage/framework/a/b/.gitkeep"), (free(), vec!["a/b".to_owned()]));
    let (tracked, _) = at("storage/framework/a/down");
    assert_eq!(tracked, ["storage/framework laravel-storage Measured 500+ tracked"]);
}
