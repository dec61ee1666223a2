//! Data flows one way through the program: no module imports one that comes after it.
#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod support;

use std::collections::BTreeSet;
use std::path::Path;

use support::{files_below, root};

/// The modules of the library, from the text of a file to words for people.
const ORDER: [&str; 24] = [
    "source",
    "error",
    "yaml",
    "host",
    "progress",
    "compose",
    "rules",
    "machine",
    "survey",
    "scope",
    "dockerfile",
    "finding",
    "detect",
    "strategy",
    "config",
    "suppress",
    "rewrite",
    "plan",
    "report",
    "run",
    "engine",
    "measure",
    "write",
    "cli",
];

/// Each file below `src/` with its module and its text, tests left out.
fn sources() -> Vec<(String, String, String)> {
    let files = files_below(&root().join("src")).into_iter();
    let is_code = |name: &str| {
        let path = Path::new(name);
        path.extension().is_some_and(|end| end == "rs")
            && !path.file_stem().is_some_and(|stem| stem == "tests" || stem == "sample")
    };
    let files = files.filter(|(name, _)| is_code(name));
    let sources = files.map(|(name, text)| {
        let text = String::from_utf8(text).unwrap();
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap().to_owned();
        let module = name.split(['/', '.']).next().unwrap().to_owned();
        (name, module, text)
    });
    sources.collect()
}

/// What stands behind each `word` in a text, as far as it is a name.
fn names_behind<'t>(text: &'t str, word: &str) -> impl Iterator<Item = &'t str> {
    let rests = text.split(word).skip(1).collect::<Vec<_>>().into_iter();
    rests.map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap())
}

#[test]
fn nothing_flows_back() {
    let place = |module: &str| ORDER.iter().position(|other| *other == module);
    let mut modules = BTreeSet::new();
    for (file, module, text) in sources() {
        if ["lib", "main"].contains(&module.as_str()) {
            continue;
        }
        let own = place(&module).unwrap_or_else(|| panic!("{file}: not in the order"));
        modules.insert(module);
        assert!(!text.contains("crate::{"), "{file}: one `use` for each module, please");
        for other in names_behind(&text, "crate::") {
            let there = place(other).unwrap_or_else(|| panic!("{file} imports crate::{other}"));
            assert!(there <= own, "{file} imports {other}, which comes after it");
        }
    }
    assert_eq!(modules, BTreeSet::from(ORDER.map(str::to_owned)));
}

#[test]
fn one_module_knows_the_parser() {
    for (file, module, text) in sources() {
        let knows = text.contains("granit");
        assert!(!knows || module == "yaml", "{file} names the YAML parser");
    }
}

#[test]
fn one_module_looks_at_the_machine() {
    for (file, module, text) in sources() {
        let looks = ["std::fs", "std::env"].iter().any(|word| text.contains(word));
        let may = ["host", "write", "main"].contains(&module.as_str()) || file == "cli/check.rs";
        assert!(!looks || may, "{file} looks at files or variables by itself");
    }
}
