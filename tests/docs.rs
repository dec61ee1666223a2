//! Pages, README and notes for contributors against what the program has.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may panic")]

mod support;

use std::collections::BTreeSet;
use std::path::Path;

use composefix::host::MemoryHost;
use composefix::rules::{Answer, Cost, Rules};
use composefix::{detect, strategy};
use serde_json::Value;
use support::{Fixture, Outcome, bytes, environment, root, run, text};

const RULE_HEADINGS: [&str; 5] =
    ["What it finds", "Why it matters", "Example", "After", "When it is wrong"];
const STRATEGY_HEADINGS: [&str; 4] =
    ["What it does", "What changes for you", "When it is safe", "Undo"];

fn rules() -> Vec<&'static str> {
    detect::ALL.iter().map(|detector| detector.id()).collect()
}

fn strategies() -> Vec<&'static str> {
    strategy::ALL.iter().map(|strategy| strategy.id()).collect()
}

fn headings(page: &str) -> Vec<&str> {
    page.lines().filter_map(|line| line.strip_prefix("## ")).collect()
}

/// What stands below a heading.
fn section<'p>(page: &'p str, heading: &str) -> &'p str {
    let (_, rest) = page.split_once(&format!("\n## {heading}\n")).unwrap();
    rest.split("\n## ").next().unwrap()
}

/// The YAML block below a heading.
fn block<'p>(page: &'p str, heading: &str) -> &'p str {
    let rest = section(page, heading).split("```yaml\n").nth(1).unwrap();
    rest.split("```").next().unwrap()
}

/// The program on one Compose file beside what the pages say that the directory holds.
fn ran(compose: &str, words: &str) -> Outcome {
    let place = Path::new("/project/shop");
    let dependencies = "{\"dependencies\": {\"left-pad\": \"1.0.0\"}}\n";
    let host = MemoryHost::default()
        .with_file(place.join("compose.yaml"), compose)
        .with_file(place.join("package.json"), dependencies)
        .with_file(place.join("symfony.lock"), "{}\n")
        .with_file(place.join("src/index.js"), "");
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    run(&host, &environment(place), &words)
}

/// The flags of a command that a page names below a heading.
fn flags_of(page: &str, heading: &str, command: &str) -> Option<String> {
    let text = section(page, heading).replace('\n', " ");
    text.split('`').find_map(|code| code.strip_prefix(command)).map(str::to_owned)
}

fn finds(compose: &str, rule: &str, flags: &str) -> bool {
    let outcome = ran(compose, &format!("check --select {rule} --format json {flags}"));
    assert!(outcome.code < 2, "{rule}: {}", outcome.stdout);
    !outcome.json()["findings"].as_array().unwrap().is_empty()
}

#[test]
fn every_page_has_its_headings() {
    for detector in detect::ALL {
        let (id, page) = (detector.id(), detector.meta().page);
        assert!(page.starts_with(&format!("# {id}\n")), "{id}");
        assert_eq!(headings(page), RULE_HEADINGS, "{id}");
    }
    for strategy in strategy::ALL {
        let (id, page) = (strategy.id(), strategy.meta().page);
        assert!(page.starts_with(&format!("# {id}\n")), "{id}");
        assert_eq!(headings(page), STRATEGY_HEADINGS, "{id}");
    }
}

#[test]
fn examples_fire_their_rule_and_what_comes_after_does_not() {
    for detector in detect::ALL {
        let (id, page) = (detector.id(), detector.meta().page);
        let flags = flags_of(page, "Example", "composefix check ").unwrap_or_default();
        let finds = |heading| finds(block(page, heading), id, &flags);
        assert!(finds("Example"), "{id}: the example is not found");
        assert!(!finds("After"), "{id}: what comes after is found as well");
    }
}

/// With the command that the page names, or else the usual one. Where no edit is offered, what comes
/// after is somebody's decision.
#[test]
fn what_comes_after_is_what_apply_writes() {
    let mut written = 0;
    for detector in detect::ALL {
        let (id, page) = (detector.id(), detector.meta().page);
        let named = flags_of(page, "After", "composefix apply ");
        let usual = || format!("--select {id} --unsafe");
        let words = format!("apply {} --to -", named.unwrap_or_else(usual));
        let example = block(page, "Example");
        let outcome = ran(example, &words);
        assert_eq!(outcome.code, 0, "{id}: {}", outcome.stderr);
        if outcome.stdout != example {
            assert_eq!(outcome.stdout, block(page, "After"), "{id}");
            written += 1;
        }
    }
    assert!(written >= 3, "the pages show {written} edits");
}

#[test]
fn ids_are_sorted_and_stand_for_one_thing_each() {
    for ids in [rules(), strategies()] {
        assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
    }
    let known = Rules::builtin().unwrap();
    let all: Vec<&str> = rules()
        .into_iter()
        .chain(strategies())
        .chain(known.platforms().map(|platform| platform.id.as_str()))
        .chain(known.trees().iter().map(|tree| tree.id.as_str()))
        .collect();
    let different: BTreeSet<&str> = all.iter().copied().collect();
    assert_eq!(all.len(), different.len(), "`explain` could not tell them apart");
}

#[test]
fn every_rule_and_strategy_has_a_fixture() {
    let mut fired = BTreeSet::new();
    let mut used = BTreeSet::new();
    for fixture in Fixture::all() {
        let path = fixture.place.join("expected/report.json");
        let report: Value = serde_json::from_slice(&bytes(&path)).unwrap();
        for finding in report["findings"].as_array().unwrap() {
            fired.insert(finding["rule"].as_str().unwrap().to_owned());
            if finding["fix"]["applicability"] != "manual" {
                used.extend(finding["fix"]["strategy"].as_str().map(str::to_owned));
            }
        }
    }
    assert_eq!(Vec::from_iter(fired), rules());
    assert_eq!(Vec::from_iter(used), strategies());
}

/// By its id, with a version or not: a group would let a new platform in unseen.
#[test]
fn every_platform_is_named_by_a_fixture() {
    let mut named = BTreeSet::new();
    for fixture in Fixture::all() {
        let args = fixture.case.args.windows(2);
        let given = args.filter(|pair| pair[0] == "--platform").flat_map(|pair| pair[1].split(','));
        let ids = given.filter_map(|name| name.split('@').next());
        named.extend(ids.map(str::to_owned));
    }
    for platform in Rules::builtin().unwrap().platforms() {
        assert!(named.contains(&platform.id), "no fixture has --platform {}", platform.id);
    }
}

#[test]
fn the_readme_names_what_there_is() {
    let readme = text(&root().join("README.md"));
    for detector in detect::ALL {
        let row = format!("| `{}` | {} |", detector.id(), detector.meta().severity.word());
        assert!(readme.contains(&row), "no row {row}");
    }
    let known = Rules::builtin().unwrap();
    let others = strategies().into_iter().chain(known.platforms().map(|p| p.id.as_str()));
    for id in others {
        assert!(readme.contains(&format!("\n| `{id}` |")), "no row for {id}");
    }
}

/// Costs and file events in the table of platforms, and what stands first among what helps.
#[test]
fn the_readme_says_of_platforms_what_their_files_say() {
    let readme = text(&root().join("README.md"));
    for platform in Rules::builtin().unwrap().platforms() {
        let id = format!("| `{}` | ", platform.id);
        let row = readme.lines().find_map(|line| line.strip_prefix(&id)).unwrap();
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let cost = match platform.bind.read_mostly {
            Cost::None => "nothing",
            Cost::Slow => "slow",
            Cost::VerySlow => "very slow",
        };
        let events = match platform.host_events {
            Answer::Yes => "yes",
            Answer::No => "no",
            Answer::Unknown => "not known",
        };
        assert_eq!(cells[..2], [cost, events], "{}", platform.id);
        let best = platform.strategies.read_mostly.first();
        let best = best.map_or("nothing is needed".to_owned(), |id| format!("`{id}`"));
        assert!(cells[2].starts_with(&best), "{}: {} instead of {best}", platform.id, cells[2]);
    }
}

/// Its first two blocks of YAML show a file before and after an edit.
#[test]
fn the_edit_in_the_readme_is_true() {
    let readme = text(&root().join("README.md"));
    let blocks = readme.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let blocks: Vec<&str> = blocks.collect();
    let outcome = ran(blocks[0], "apply --select slow-tree --unsafe --to -");
    assert_eq!(outcome.stdout, blocks[1]);
    for word in ["`docker compose run --rm web npm install`", "the image holds"] {
        let json = ran(blocks[0], "check --format json").stdout;
        assert!(json.contains(word), "the notes do not say {word}");
    }
}

/// A hook that is written out in the README takes the files that the repository's own hook takes, also
/// when it is made to install the wheel, as the text below it says.
#[test]
fn the_readme_shows_the_hook_as_it_is() {
    let readme = text(&root().join("README.md"));
    let block = |words: &str| -> Value {
        let mut blocks = readme.split("```yaml\n").skip(1).filter(|rest| rest.contains(words));
        serde_yaml::from_str(blocks.next().unwrap().split("```").next().unwrap()).unwrap()
    };
    let hooks = text(&root().join(".pre-commit-hooks.yaml"));
    let hooks: Vec<Value> = serde_yaml::from_str(&hooks).unwrap();
    let written = &block("language: system")["repos"][0]["hooks"][0];
    for key in ["id", "name", "entry", "args", "files", "types", "types_or", "require_serial"] {
        assert_eq!(written[key], hooks[0][key], "{key}");
    }
    let version = env!("CARGO_PKG_VERSION");
    let wheel = format!("`additional_dependencies: [composefix=={version}]`");
    assert!(readme.contains("`language: python`") && readme.contains(&wheel), "no {wheel}");
    let used = &block("rev: ")["repos"][0];
    assert_eq!(used["rev"], format!("v{version}"));
    assert_eq!(used["hooks"][0]["id"], hooks[0]["id"]);
}

/// What the README and `docs/` show of `composefix platform` is the start of a machine's answer.
#[test]
fn the_readme_shows_a_machine_as_it_is_told() {
    let readme = text(&root().join("README.md"));
    let shown = section(&readme, "Which machine").split("```text\n").nth(1).unwrap();
    let machine = text(&root().join("tests/machines/wsl-drive.yaml"));
    let machine: Value = serde_yaml::from_str(&machine).unwrap();
    let told = machine["expected"].as_str().unwrap();
    let shown = shown.split("```").next().unwrap();
    assert!(told.starts_with(shown) && shown.contains("Evidence"), "{told}");
}

/// The pages for users, by their path.
fn pages() -> Vec<(String, String)> {
    let mut names = vec!["README.md".to_owned(), "CONTRIBUTING.md".to_owned()];
    for entry in std::fs::read_dir(root().join("docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if Path::new(&name).extension().is_some_and(|end| end == "md") {
            names.push(format!("docs/{name}"));
        }
    }
    names.into_iter().map(|name| (name.clone(), text(&root().join(name)))).collect()
}

#[test]
fn links_lead_somewhere() {
    let mut links = 0;
    for (name, page) in pages() {
        let from = root().join(&name);
        for link in page.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
            if link.starts_with("https://") {
                continue;
            }
            links += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let to = if path.is_empty() { from.clone() } else { from.with_file_name(path) };
            assert!(to.is_file(), "{name}: {link}");
            let wanted = |line: &&str| {
                let heading = line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
                line.starts_with("## ") && heading == anchor
            };
            assert!(anchor.is_empty() || text(&to).lines().any(|l| wanted(&l)), "{name}: {link}");
        }
    }
    assert!(links > 10, "only {links} links were looked at");
}

/// A version that a user is to copy is the one of this tree.
#[test]
fn pages_name_this_version() {
    let version = env!("CARGO_PKG_VERSION");
    let mut named = 0;
    for (name, page) in pages() {
        for before in ["composefix==", "composefix@v", "composefix.git#v", "composefix/v", "rev: v"]
        {
            for rest in page.split(before).skip(1) {
                named += 1;
                assert!(rest.starts_with(version), "{name}: {before}{rest:.9}");
            }
        }
    }
    assert!(named > 4, "only {named} versions were looked at");
}

#[test]
fn the_changelog_names_what_there_is() {
    let changelog = text(&root().join("CHANGELOG.md"));
    let known = Rules::builtin().unwrap();
    let platforms = known.platforms().map(|platform| platform.id.as_str());
    for id in rules().into_iter().chain(strategies()).chain(platforms) {
        assert!(changelog.contains(&format!("`{id}`")), "{id}");
    }
}

#[test]
fn contributing_gives_a_reason_for_each_dependency_and_a_line_to_each_module() {
    let contributing = text(&root().join("CONTRIBUTING.md"));
    let manifest = text(&root().join("Cargo.toml"));
    let mut section = "";
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        } else if section.ends_with("dependencies]")
            && let Some((name, _)) = line.split_once(" = ")
        {
            let named = format!("`{name}`");
            let rows = contributing.lines().filter(|line| line.starts_with("| `"));
            assert!(rows.filter(|row| row.contains(&named)).count() > 0, "no reason for {name}");
        }
    }
    for line in text(&root().join("src/lib.rs")).lines() {
        let Some(module) = line.strip_prefix("pub mod ") else { continue };
        let module = module.trim_end_matches(';');
        let named = [format!("`src/{module}.rs`"), format!("`src/{module}/`")];
        assert!(named.iter().any(|name| contributing.contains(name)), "no line for {module}");
    }
}

/// Volumes may hold the only copy of something, so nothing here tells anyone to remove all of them.
#[test]
fn no_advice_removes_more_than_it_has_to() {
    let words = [["down", "-v"], ["down", "--volumes"], ["volume", "prune"], ["system", "prune"]];
    let wrong: Vec<String> = words.iter().map(|words| words.join(" ")).collect();
    let walk = ignore::WalkBuilder::new(root()).hidden(false).require_git(false).build();
    let mut files = 0;
    for entry in walk.filter_map(Result::ok) {
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        if !is_file || entry.path().components().any(|part| part.as_os_str() == ".git") {
            continue;
        }
        files += 1;
        let content = bytes(entry.path());
        let content = String::from_utf8_lossy(&content);
        for advice in &wrong {
            assert!(!content.contains(advice.as_str()), "{}: {advice}", entry.path().display());
        }
    }
    assert!(files > 300, "only {files} files were looked at");
}
