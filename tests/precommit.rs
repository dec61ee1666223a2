//! The hooks of `.pre-commit-hooks.yaml` under the real pre-commit.
//!
//! `COMPOSEFIX_PRECOMMIT` names the program. Without it every trial is ignored; with
//! `COMPOSEFIX_REQUIRE_PRECOMMIT=1` that is a failure. The trial of the wheel wants
//! `COMPOSEFIX_WHEEL` in the same way.
#![cfg_attr(not(unix), allow(dead_code, reason = "nothing of it runs there"))]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may panic")]

#[path = "support/repository.rs"]
mod repository;
mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use repository::{Ran, Repository};
use serde_json::{Value, json};
use support::{put, root, text, variable};

const CLEAN: &str = "services:\n  web:\n    image: redis\n";
const BIND: &str = "services:\n  web:\n    build: .\n    volumes:\n      - .:/app\n";
const PACKAGE: (&str, &str) = ("package.json", "{\"dependencies\": {\"left-pad\": \"1.0.0\"}}\n");
/// Installs where a volume would go: what proves that a fix is safe.
const DOCKERFILE: (&str, &str) =
    ("Dockerfile", "FROM node:22\nWORKDIR /app\nCOPY package*.json ./\nRUN npm ci\nCOPY . .\n");

/// Settings of cargo for what pre-commit builds.
const QUICK: &str = "\
[profile.release.package.composefix]
opt-level = 0
codegen-units = 16
";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = [
        trial("names_are_those_of_the_search", names),
        trial("system/works", |tool| works(tool, &local("system", &json!([])))),
        trial("system/whichever_file_is_staged", staged_apart),
        trial("system/odd_names", odd_names),
        trial("system/what_is_not_staged_does_not_count", unstaged),
        trial("rust/from_a_clone", from_a_clone),
        wheel(),
    ];
    libtest_mimic::run(&arguments, Vec::from(trials)).exit_code()
}

/// A trial that is ignored when a variable is not set, or fails if it must be.
fn needs(
    variables: &'static [&'static str],
    run: impl FnOnce(&[PathBuf]) + Send + 'static,
) -> impl FnOnce() -> Result<Completion, Failed> {
    move || {
        let values: Vec<PathBuf> =
            variables.iter().filter_map(|name| variable(name).map(PathBuf::from)).collect();
        if values.len() == variables.len() {
            run(&values);
            return Ok(Completion::Completed);
        }
        let words = format!("{} is not set", variables.join(" or "));
        match variable("COMPOSEFIX_REQUIRE_PRECOMMIT").as_deref() {
            Some("1") => {
                Err(Failed::from(format!("COMPOSEFIX_REQUIRE_PRECOMMIT is 1 and {words}")))
            }
            _ => Ok(Completion::ignored_with(words)),
        }
    }
}

fn trial(name: &str, run: impl FnOnce(&Path) + Send + 'static) -> Trial {
    Trial::ignorable_test(name, needs(&["COMPOSEFIX_PRECOMMIT"], move |paths| run(&paths[0])))
}

fn wheel() -> Trial {
    let run = |paths: &[PathBuf]| {
        let wheel = root().join(&paths[1]);
        works(&paths[0], &local("python", &json!([wheel])));
    };
    Trial::ignorable_test("python/wheel", needs(&["COMPOSEFIX_PRECOMMIT", "COMPOSEFIX_WHEEL"], run))
}

// ---- configurations

/// The hooks as the repository offers them.
fn manifest() -> Vec<Value> {
    serde_yaml::from_str(&text(&root().join(".pre-commit-hooks.yaml"))).unwrap()
}

/// The same hooks by another way to install the program.
fn local(language: &str, dependencies: &Value) -> Value {
    let mut hooks = manifest();
    for hook in &mut hooks {
        hook["language"] = json!(language);
        hook["additional_dependencies"] = dependencies.clone();
    }
    json!({"repos": [{"repo": "local", "hooks": hooks}]})
}

/// A repository with a configuration of pre-commit and other files; all but the latter committed.
fn repository(config: &Value, files: &[(&str, &str)]) -> Repository {
    // JSON is YAML.
    let repository = Repository::new(&[(".pre-commit-config.yaml", &config.to_string())]);
    repository.commit_all();
    for (name, text) in files {
        repository.put(name, text);
    }
    repository
}

/// Runs a hook on what is staged.
fn hook(tool: &Path, repository: &Repository, id: &str) -> Ran {
    let store = repository.outside().join("store");
    // Dependencies are those of the release build; the program itself need not be fast here.
    put(&store.join(".cargo/config.toml"), QUICK.as_bytes());
    let store = store.display().to_string();
    let or_usual = |name: &str, usual: &str| {
        let home = variable("HOME").unwrap_or_default();
        variable(name).unwrap_or(format!("{home}/{usual}"))
    };
    let (cargo, rustup) = (or_usual("CARGO_HOME", ".cargo"), or_usual("RUSTUP_HOME", ".rustup"));
    // What was built is used, and nothing is fetched.
    let target = variable("CARGO_TARGET_DIR").unwrap_or_default();
    let target = root().join(if target.is_empty() { "target" } else { &target });
    let target = target.display().to_string();
    let variables = [
        ("PRE_COMMIT_HOME", store.as_str()),
        ("CARGO_HOME", &cargo),
        ("RUSTUP_HOME", &rustup),
        ("CARGO_TARGET_DIR", &target),
        ("CARGO_NET_OFFLINE", "true"),
        // Builds of one directory and not of another each time.
        ("CARGO_INCREMENTAL", "0"),
    ];
    let tool = if tool.components().count() > 1 { root().join(tool) } else { tool.to_owned() };
    repository.run(&tool, &["run", "--color", "never", id], &variables)
}

// ---- trials

/// Clean, with a finding, repaired: for each way to install the program.
fn works(tool: &Path, config: &Value) {
    let project = repository(config, &[("compose.yaml", CLEAN), PACKAGE, DOCKERFILE]);
    project.git("add --all");
    let clean = hook(tool, &project, "composefix");
    assert_eq!(clean.code, 0, "{}", clean.said);
    assert!(clean.said.contains("Passed"), "{}", clean.said);

    project.put("compose.yaml", BIND);
    project.git("add --all");
    let found = hook(tool, &project, "composefix");
    assert_eq!(found.code, 1, "{}", found.said);
    for words in ["exit code: 1", "warning[slow-tree]", "compose.yaml:5:9"] {
        assert!(found.said.contains(words), "{words}: {}", found.said);
    }

    let changed = hook(tool, &project, "composefix-apply");
    assert_eq!(changed.code, 1, "{}", changed.said);
    assert!(changed.said.contains("files were modified by this hook"), "{}", changed.said);
    assert!(project.text("compose.yaml").contains("- node_modules:/app/node_modules\n"));
    project.git("add --all");
    for id in ["composefix-apply", "composefix"] {
        let again = hook(tool, &project, id);
        assert_eq!(again.code, 0, "{id}: {}", again.said);
    }
}

/// A file and its override file are one project: what is found does not depend on which of them is
/// staged, and is what the search of the whole repository finds.
fn staged_apart(tool: &Path) {
    let config = local("system", &json!([]));
    let covered = "services:\n  web:\n    volumes:\n      - code:/app\nvolumes:\n  code:\n";
    let binds = "services:\n  web:\n    volumes:\n      - .:/app\n";
    let job = "services:\n  job:\n    image: redis\n";
    for (base, over) in [(BIND, covered), (BIND, job), (CLEAN, binds), (CLEAN, BIND), (CLEAN, job)]
    {
        let project = repository(&config, &[PACKAGE]);
        let (below, above) = ("compose.yaml", "compose.override.yaml");
        let words: &[&[&str]] = &[&[below], &[above], &[below, above]];
        project.put(below, CLEAN);
        project.put(above, "services: {}\n");
        project.commit_all();
        project.put(below, base);
        project.put(above, over);
        let whole = project.check(&["."]);
        assert!(whole.code < 2, "{}", whole.said);
        for staged in words {
            // The rest is committed, so that pre-commit does not hide it.
            project.git("add --all");
            project.git("commit --quiet --message x");
            for name in *staged {
                project.put(name, &(project.text(name) + "# touched\n"));
                project.git(&format!("add {name}"));
            }
            let ran = hook(tool, &project, "composefix");
            assert_eq!(ran.code, whole.code, "{staged:?}\n{base}\n{over}\n{}", ran.said);
            assert_eq!(places(&ran.said), places(&whole.said), "{staged:?}\n{base}\n{over}");
        }
    }
}

/// Where findings are, in the text report.
fn places(said: &str) -> BTreeSet<String> {
    let places = said.split("╭─[").skip(1);
    places.map(|rest| rest.split(']').next().unwrap().to_owned()).collect()
}

/// No name of a file or directory is taken for a flag.
fn odd_names(tool: &Path) {
    let config = local("system", &json!([]));
    for name in ["--yes/compose.yaml", "-y/compose.yaml", "a b/compose.dev.yml", "é/compose-x.yaml"]
    {
        let directory = Path::new(name).parent().unwrap().display().to_string();
        let files = [(name, BIND), (&format!("{directory}/{}", PACKAGE.0), PACKAGE.1)];
        let project = repository(&config, &files);
        project.git("add --all");
        let ran = hook(tool, &project, "composefix");
        assert_eq!(ran.code, 1, "{}", ran.said);
        assert!(ran.said.contains(&format!("╭─[{name}:5:9]")), "{}", ran.said);
        let ran = hook(tool, &project, "composefix-apply");
        assert_eq!(ran.code, 0, "what is not proven is left: {}", ran.said);
        assert_eq!(project.text(name), BIND);
    }
}

/// pre-commit hides what is not staged, and so it is neither found nor rewritten.
fn unstaged(tool: &Path) {
    let project =
        repository(&local("system", &json!([])), &[("compose.yaml", CLEAN), PACKAGE, DOCKERFILE]);
    project.git("add --all");
    project.put("compose.yaml", BIND);
    for id in ["composefix", "composefix-apply"] {
        let ran = hook(tool, &project, id);
        assert_eq!(ran.code, 0, "{id}: {}", ran.said);
        assert_eq!(project.text("compose.yaml"), BIND);
    }
}

/// The hooks take the files that the search of a directory takes.
fn names(tool: &Path) {
    let names = [
        "compose.yaml",
        "compose.yml",
        "compose.json",
        "docker-compose.yml",
        "docker-compose.yaml",
        "docker-compose.json",
        "docker-compose.override.yml",
        "compose.override.yaml",
        "docker-compose.dev.yml",
        "compose.dev.local.yaml",
        "compose-prod.yml",
        "compose_test.yaml",
        "composes.yaml",
        "docker-composer.yml",
        "docker-compose2.yml",
        "a b/compose x.yaml",
        ".devcontainer/docker-compose.yml",
        "deep/down/compose.yaml",
        "composer.json",
        "composer.yaml",
        "composer-local.json",
        "composefix.yaml",
        "composefix.dev.yml",
        "Compose.yaml",
        "my-compose.yaml",
        "my-docker-compose.yml",
        "compose.yaml.dist",
        "compose.yaml~",
        "compose.toml",
        "elsewhere/compose",
        "dockercompose.yml",
        "docker-compose/values.yaml",
        "compose/app.yaml",
    ];
    let mut config = local("system", &json!([]));
    let hooks = config["repos"][0]["hooks"].as_array_mut().unwrap();
    for hook in hooks.iter_mut() {
        hook["entry"] = json!("printf");
        hook["args"] = json!(["<%s>\\n"]);
        hook["verbose"] = json!(true);
    }
    let project = repository(&config, &[]);
    for name in names {
        project.put(name, "services: {}\n");
    }
    #[cfg(unix)]
    for (name, to) in [("link/compose.yaml", "../Compose.yaml"), ("compose.l.yml", "compose.toml")]
    {
        fs::create_dir_all(project.path().join(name).parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(to, project.path().join(name)).unwrap();
    }
    project.git("add --all");
    let report = project.check(&["--format", "json", "."]);
    let report: Value = serde_json::from_str(&report.said).unwrap();
    let searched = report["files"].as_array().unwrap().iter();
    let searched: BTreeSet<String> =
        searched.map(|file| file["path"].as_str().unwrap().to_owned()).collect();
    assert!(searched.len() > 15 && searched.contains("compose.l.yml"), "{searched:?}");
    for id in ["composefix", "composefix-apply"] {
        let said = hook(tool, &project, id).said;
        let taken = said.lines().filter_map(|line| line.strip_prefix('<')?.strip_suffix('>'));
        let taken: BTreeSet<String> = taken.map(str::to_owned).collect();
        assert_eq!(taken, searched, "{id}: {said}");
    }
}

/// As users have it: pre-commit clones the project and lets cargo install it.
fn from_a_clone(tool: &Path) {
    let project = Repository::new(&[]);
    let here = root().display().to_string();
    let list = ["-C", &here, "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let list = project.run(Path::new("git"), &list, &[]);
    assert_eq!(list.code, 0, "{}", list.said);
    for name in list.said.split('\0').filter(|name| !name.is_empty()) {
        // A file that is deleted and not yet committed is still listed.
        if root().join(name).is_file() {
            let to = project.path().join(name);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(root().join(name), to).unwrap();
        }
    }
    project.commit_all();
    let rev = project.git("rev-parse HEAD");
    let ids: Vec<Value> = manifest().iter().map(|hook| json!({"id": hook["id"]})).collect();
    let repo = json!({"repo": project.path(), "rev": rev.trim(), "hooks": ids});
    works(tool, &json!({"repos": [repo]}));
}
