//! Whether a command fills a tree, and where.

use super::shell::{Command, join};
use super::stage::Run;
use super::words::{UNKNOWN, Variable};
use crate::compose::is_under;
use crate::rules::TreeKind;

/// What a command does to the content of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fill {
    /// It installs everything there.
    All,
    /// It installs a part there: no development packages, no autoloader.
    Part,
    /// It may install something there.
    Maybe,
    /// It leaves the tree alone.
    Elsewhere,
}

/// Variables that move what a program installs.
const MOVES: [(&str, &str); 6] = [
    ("bundle", "BUNDLE_PATH"),
    ("cargo", "CARGO_TARGET_DIR"),
    ("composer", "COMPOSER_VENDOR_DIR"),
    ("mix", "MIX_DEPS_PATH"),
    ("pnpm", "npm_config_modules_dir"),
    ("uv", "UV_PROJECT_ENVIRONMENT"),
];

/// Programs that install elsewhere unless a variable says that the tree is in the project.
const ELSEWHERE: [(&str, &str); 3] = [
    ("bundle", "BUNDLE_DEPLOYMENT"),
    ("pipenv", "PIPENV_VENV_IN_PROJECT"),
    ("poetry", "POETRY_VIRTUALENVS_IN_PROJECT"),
];

/// Flags that leave packages or files out.
const PARTLY: [&str; 23] = [
    "--no-dev",
    "--production",
    "--prod",
    "-P",
    "--omit=dev",
    "--only=prod",
    "--only=production",
    "--no-autoloader",
    "--package-lock-only",
    "--lockfile-only",
    "--dry-run",
    "--download-only",
    "--no-default-groups",
    "--no-group",
    "--only-group",
    "--only",
    "--only=main",
    "--without",
    "--no-plugins-install",
    "--mode=update-lockfile",
    "--mode=skip-build",
    "--help",
    "--omit",
];

/// Variables with the same effect, with the program that reads them.
const PARTLY_SET: [(&str, &str); 10] = [
    ("NODE_ENV", "npm"),
    ("NODE_ENV", "yarn"),
    ("NODE_ENV", "pnpm"),
    ("NODE_ENV", "bun"),
    ("NPM_CONFIG_PRODUCTION", "npm"),
    ("NPM_CONFIG_OMIT", "npm"),
    ("COMPOSER_NO_DEV", "composer"),
    ("UV_NO_DEV", "uv"),
    ("BUNDLE_WITHOUT", "bundle"),
    ("MIX_ENV", "mix"),
];

/// Where the manifest of a tree at `path` lies.
pub(super) fn root_of(path: &str, kind: &TreeKind) -> String {
    let own = kind.paths.iter().filter_map(|own| path.strip_suffix(own.as_str()));
    let root = own.filter_map(|root| root.strip_suffix('/')).max_by_key(|root| root.len());
    let parent = || path.rsplit_once('/').map_or("", |(parent, _)| parent);
    let root = root.unwrap_or_else(parent);
    if root.is_empty() { "/".to_owned() } else { root.to_owned() }
}

/// What `run` does to a tree at `path`; none when it is no installer of that kind.
pub(super) fn fill(run: &Run, kind: &TreeKind, path: &str) -> Option<Fill> {
    let words = program_words(&run.command);
    let mut installers = kind.installers.iter().map(|i| i.split(' ').collect::<Vec<_>>());
    let rest = installers.find_map(|installer| arguments(words, &installer))?;
    let program = name_of(words.first().map_or("", String::as_str));
    let program = program.strip_suffix(".phar").unwrap_or(program);
    Some(Installer { run, words, rest, program }.at(kind, path))
}

/// The words from the program on, an interpreter before it taken off.
fn program_words(command: &Command) -> &[String] {
    let words = command.words.as_slice();
    let interprets = ["php", "node", "ruby"].contains(&command.program());
    if !interprets {
        return words;
    }
    let mut at = 1;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        at += if word == "-d" { 2 } else { 1 };
    }
    words.get(at..).unwrap_or_default()
}

fn name_of(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// The words behind those of an installer; none when the command is another one.
fn arguments<'w>(words: &'w [String], installer: &[&str]) -> Option<&'w [String]> {
    let (program, wanted) = installer.split_first()?;
    let (first, rest) = words.split_first()?;
    if name_of(first) != *program {
        return None;
    }
    let flags_only = rest.iter().all(|word| word.starts_with('-'));
    if wanted.iter().all(|word| word.starts_with("--")) && !wanted.is_empty() {
        return (flags_only && wanted.iter().all(|w| rest.iter().any(|r| r == w))).then_some(rest);
    }
    // These install when they are told nothing.
    if flags_only && ["yarn", "bundle"].contains(program) && *wanted == ["install"] {
        let asks = |word: &String| matches!(word.as_str(), "-v" | "--version" | "-h" | "--help");
        return (!rest.iter().any(asks)).then_some(rest);
    }
    let mut value = false;
    for (at, word) in rest.iter().enumerate() {
        let here = rest.get(at..).unwrap_or_default();
        let matches = here.len() >= wanted.len() && here.iter().zip(wanted).all(|(a, b)| a == b);
        if matches {
            return here.get(wanted.len()..);
        }
        // Only flags and their values may stand between a program and its command.
        if !word.starts_with('-') && !value {
            return None;
        }
        value = word.starts_with('-') && !word.contains('=');
    }
    wanted.is_empty().then_some(rest)
}

struct Installer<'a> {
    run: &'a Run,
    words: &'a [String],
    /// Behind the installer's own words.
    rest: &'a [String],
    program: &'a str,
}

impl Installer<'_> {
    fn at(&self, kind: &TreeKind, path: &str) -> Fill {
        let has = |flags: &[&str]| self.words.iter().any(|word| flags.contains(&word.as_str()));
        if has(&["-g", "--global", "--location=global"]) {
            return Fill::Elsewhere;
        }
        let narrow = ["-w", "--workspace", "--filter", "-F", "--active", "create-project"];
        if has(&narrow) || self.words.iter().any(|word| word.contains(UNKNOWN)) {
            return Fill::Maybe;
        }
        if has(&["venv", "virtualenv"]) {
            return self.environment(path);
        }
        let Some(dir) = self.directory() else { return Fill::Maybe };
        let root = root_of(path, kind);
        let all = if self.partly() { Fill::Part } else { Fill::All };
        match self.moved(&dir) {
            Variable::Set(there) if there == path => return all,
            Variable::Set(_) => return Fill::Elsewhere,
            Variable::Unknown => return Fill::Maybe,
            Variable::Unset => {}
        }
        if dir == root {
            return if self.stays_in_project() { all } else { Fill::Maybe };
        }
        // An install further up may serve the packages of a workspace.
        if is_under(&root, &dir) { Fill::Maybe } else { Fill::Elsewhere }
    }

    /// `python -m venv DIR`: an environment without packages.
    fn environment(&self, path: &str) -> Fill {
        let dir = self.run.command.dir.as_deref();
        let mut operands = self.rest.iter().filter(|word| !word.starts_with('-'));
        match operands.next().map(|to| join(dir, to)) {
            Some(Some(to)) if to == path => Fill::Part,
            Some(Some(to)) if !is_under(path, &to) => Fill::Elsewhere,
            _ => Fill::Maybe,
        }
    }

    /// Where it works: its directory, or what a flag says.
    fn directory(&self) -> Option<String> {
        let base = self.run.command.dir.as_deref();
        let mut words = self.words.iter();
        while let Some(word) = words.next() {
            let (flag, value) = flag_and_value(word);
            let names = match self.program {
                "composer" => ["-d", "--working-dir", "--working-dir"],
                "npm" => ["--prefix", "--prefix", "-C"],
                "uv" => ["--directory", "--project", "--directory"],
                "yarn" | "bun" => ["--cwd", "--cwd", "--cwd"],
                _ => ["-C", "--dir", "--directory"],
            };
            if names.contains(&flag) {
                let value = value.or_else(|| words.next().map(String::as_str))?;
                return join(base, value);
            }
        }
        base.map(str::to_owned)
    }

    /// A variable's value; an empty one counts as none.
    fn variable(&self, name: &str) -> Variable {
        let own = self.run.command.env.iter().rev().find(|(key, _)| key == name);
        let own = own.map(|(_, value)| Some(value).filter(|v| !v.contains(UNKNOWN)));
        match own.or_else(|| self.run.env.get(name).map(Option::as_ref)) {
            Some(Some(value)) if value.is_empty() => Variable::Unset,
            Some(Some(value)) => Variable::Set(value.clone()),
            Some(None) => Variable::Unknown,
            None => Variable::Unset,
        }
    }

    /// Where a variable or flag moves the tree.
    fn moved(&self, dir: &str) -> Variable {
        let to = |value: Option<&str>| {
            let path = value.and_then(|value| join(Some(dir), value));
            path.map_or(Variable::Unknown, Variable::Set)
        };
        let flags = ["--path", "--modules-folder", "--modules-dir", "--target-dir"];
        for (at, word) in self.rest.iter().enumerate() {
            let (flag, value) = flag_and_value(word);
            if flags.contains(&flag) {
                return to(value.or_else(|| self.rest.get(at + 1).map(String::as_str)));
            }
            if flag == "--deployment" && self.program == "bundle" {
                return to(Some("vendor/bundle"));
            }
        }
        let name = MOVES.iter().find(|(program, _)| *program == self.program);
        match name.map_or(Variable::Unset, |(_, name)| self.variable(name)) {
            Variable::Set(value) => to(Some(&value)),
            other => other,
        }
    }

    fn stays_in_project(&self) -> bool {
        let name = ELSEWHERE.iter().find(|(program, _)| *program == self.program);
        let Some((_, name)) = name else { return true };
        let on = |value: &str| matches!(value.to_lowercase().as_str(), "1" | "true" | "yes" | "on");
        matches!(self.variable(name), Variable::Set(value) if on(&value))
    }

    fn partly(&self) -> bool {
        let flag = self.words.iter().any(|word| {
            PARTLY.contains(&word.as_str())
                || word.starts_with("--without=")
                || word.starts_with("--production=") && word != "--production=false"
                || word.starts_with("--no-group=")
        });
        let mut set = PARTLY_SET.iter().filter(|(_, program)| *program == self.program);
        flag || set.any(|(name, _)| match self.variable(name) {
            Variable::Set(value) => {
                !matches!(value.as_str(), "development" | "dev" | "test" | "0" | "false")
            }
            Variable::Unknown => true,
            Variable::Unset => false,
        })
    }
}

/// `--flag=value` taken apart.
fn flag_and_value(word: &str) -> (&str, Option<&str>) {
    word.split_once('=').map_or((word, None), |(flag, value)| (flag, Some(value)))
}
