//! The real Docker Compose, and what its models say.
#![allow(clippy::indexing_slicing, reason = "JSON answers null for what it does not have")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::{Outcome, variable};

/// How long Compose may take for one file.
const PATIENCE: Duration = Duration::from_secs(20);

/// The program that `COMPOSEFIX_COMPOSE` names.
#[derive(Debug, Clone)]
pub(crate) struct Compose {
    program: PathBuf,
}

impl Compose {
    /// None when the variable is not set, which `COMPOSEFIX_REQUIRE_COMPOSE=1` makes a failure.
    ///
    /// # Errors
    /// Why the program cannot be relied on.
    pub(crate) fn find() -> Result<Option<Self>, String> {
        let Some(program) = variable("COMPOSEFIX_COMPOSE") else {
            let required = variable("COMPOSEFIX_REQUIRE_COMPOSE").is_some_and(|word| word == "1");
            let message = "COMPOSEFIX_REQUIRE_COMPOSE is 1 and COMPOSEFIX_COMPOSE is not set";
            return if required { Err(message.to_owned()) } else { Ok(None) };
        };
        let compose = Self { program: PathBuf::from(&program) };
        let place = tempfile::tempdir().map_err(|error| error.to_string())?;
        let says = |text: &str| {
            super::put(&place.path().join("compose.yaml"), text.as_bytes());
            compose.output(place.path(), &[], &BTreeMap::new())
        };
        let good = says("name: x\nservices:\n  web:\n    image: busybox\n")?;
        if !good.status.success() {
            return Err(format!("{program} refuses a valid file: {}", messages(&good)));
        }
        let model: Result<Value, _> = serde_json::from_slice(&good.stdout);
        let image = "/services/web/image";
        if !model.is_ok_and(|model| model.pointer(image) == Some(&json!("busybox"))) {
            return Err(format!("{program} prints no model"));
        }
        if says("services: {web: [\n")?.status.success() {
            return Err(format!("{program} accepts a broken file: its exit code says nothing"));
        }
        Ok(Some(compose))
    }

    /// Runs `config` in a directory, whose parent stands for the home directory.
    fn output(
        &self,
        directory: &Path,
        flags: &[String],
        variables: &BTreeMap<String, String>,
    ) -> Result<Output, String> {
        let (mut stdout, mut stderr) = (temporary()?, temporary()?);
        let mut child = Command::new(&self.program)
            .args(flags)
            .args(["config", "--format", "json"])
            .current_dir(directory)
            .env_clear()
            .env("HOME", home(directory))
            .envs(variables)
            .stdin(Stdio::null())
            .stdout(stdout.try_clone().map_err(|error| error.to_string())?)
            .stderr(stderr.try_clone().map_err(|error| error.to_string())?)
            .spawn()
            .map_err(|error| format!("{} does not run: {error}", self.program.display()))?;
        // Compose itself hangs on some files, such as a mapping with `!reset` that merges itself.
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
                break status;
            }
            if start.elapsed() > PATIENCE {
                child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
                return Err(format!("{} does not end", self.program.display()));
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        Ok(Output { status, stdout: content(&mut stdout)?, stderr: content(&mut stderr)? })
    }

    /// The model of the project in a directory.
    ///
    /// # Errors
    /// Why Compose refuses it.
    pub(crate) fn model(&self, directory: &Path, flags: &[String]) -> Result<Value, String> {
        self.model_with(directory, flags, &BTreeMap::new())
    }

    /// The model of the project in a directory, loaded with variables of the process.
    ///
    /// # Errors
    /// Why Compose refuses it.
    pub(crate) fn model_with(
        &self,
        directory: &Path,
        flags: &[String],
        variables: &BTreeMap<String, String>,
    ) -> Result<Value, String> {
        let output = self.output(directory, flags, variables)?;
        if !output.status.success() {
            return Err(messages(&output));
        }
        serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
    }
}

fn temporary() -> Result<File, String> {
    tempfile::tempfile().map_err(|error| error.to_string())
}

fn content(file: &mut File) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(|error| error.to_string())
}

/// The home directory that Compose is given for a project.
pub(crate) fn home(directory: &Path) -> PathBuf {
    directory.parent().unwrap_or(directory).join("home")
}

/// Those of a run's flags that Compose has, too.
pub(crate) fn flags_of_compose(words: &[String]) -> Vec<String> {
    let mut flags = Vec::new();
    let mut words = words.iter();
    while let (Some(flag), value) = (words.next(), words.as_slice().first()) {
        if ["-f", "--profile", "--project-directory", "--env-file"].contains(&flag.as_str()) {
            flags.extend([flag.clone()].into_iter().chain(value.cloned()));
        }
    }
    flags
}

fn messages(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim().to_owned()
}

/// A mount: service, type, source, target, read-only.
type Row = (String, String, Option<String>, String, bool);

/// Every mount of a model, by service, in Compose's order; a service's `tmpfs` last.
pub(crate) fn mounts_of_model(model: &Value) -> Vec<Row> {
    // What Compose prints can be loaded again, so its dollars are doubled.
    let text = |value: &Value| value.as_str().map(|text| text.replace("$$", "$"));
    let mut rows = Vec::new();
    for (name, service) in entries(&model["services"]) {
        for mount in list(&service["volumes"]) {
            rows.push((
                name.clone(),
                text(&mount["type"]).unwrap_or_default(),
                text(&mount["source"]),
                text(&mount["target"]).unwrap_or_default(),
                mount["read_only"] == true,
            ));
        }
        for path in list(&service["tmpfs"]).iter().filter_map(Value::as_str) {
            let target = path.split(':').next().unwrap_or_default().replace("$$", "$");
            let target = composefix::compose::clean_path(&target);
            rows.push((name.clone(), "tmpfs".to_owned(), None, target, false));
        }
    }
    rows
}

/// Every mount that `check --show-mounts --format json` shows.
///
/// # Errors
/// What the program says when it shows none.
pub(crate) fn mounts_of_report(outcome: &Outcome) -> Result<Vec<Row>, String> {
    let report = outcome.json();
    if outcome.code > 1 {
        return Err(report["problems"].to_string());
    }
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let rows = list(&report["mounts"]).iter().map(|mount| {
        (
            text(&mount["service"]).unwrap_or_default(),
            text(&mount["type"]).unwrap_or_default(),
            text(&mount["source"]),
            text(&mount["target"]).unwrap_or_default(),
            mount["read_only"] == true,
        )
    });
    Ok(rows.collect())
}

/// Checks that `after` is `before` with mounts added below binds, with names for anonymous volumes,
/// and with top-level volumes for both. Consistency flags may be gone.
///
/// # Errors
/// The first other difference.
pub(crate) fn only_mounts_added(before: &Value, after: &Value) -> Result<(), String> {
    let (old, new) = (rest(before), rest(after));
    if old != new {
        return Err(format!("outside of services and volumes: {old} becomes {new}"));
    }
    let mut used = BTreeSet::new();
    let (old, new) = (entries(&before["services"]), entries(&after["services"]));
    if old.iter().map(|(name, _)| name).ne(new.iter().map(|(name, _)| name)) {
        return Err("there are other services".to_owned());
    }
    for ((name, old), (_, new)) in old.into_iter().zip(new) {
        if without(old, "volumes") != without(new, "volumes") {
            return Err(format!("service {name}: {old} becomes {new}"));
        }
        let (old, new) = (list(&old["volumes"]), list(&new["volumes"]));
        mounts_grow(old, new, &mut used).map_err(|error| format!("service {name}: {error}"))?;
    }
    let project = before["name"].as_str().unwrap_or_default();
    let (old, new) = (entries(&before["volumes"]), entries(&after["volumes"]));
    if old.iter().any(|entry| !new.contains(entry)) {
        return Err(format!("{} become {}", before["volumes"], after["volumes"]));
    }
    for (key, definition) in new.into_iter().filter(|entry| !old.contains(entry)) {
        let plain = json!({"name": format!("{project}_{key}")});
        if *definition != plain || !used.remove(key) {
            return Err(format!("top-level volume {key}: {definition}"));
        }
    }
    if used.is_empty() { Ok(()) } else { Err(format!("mounts of old volumes: {used:?}")) }
}

/// What differs between two models, a line for each value that goes (`-`) or comes (`+`). Items of
/// lists are values as a whole. `directory` is shown as `[PLACE]`, extension fields are left out:
/// they may hold an anchored list that changed.
pub(crate) fn model_changes(before: &Value, after: &Value, directory: &Path) -> String {
    let mut lines = Vec::new();
    changes("", before, after, &mut lines);
    let place = directory.to_string_lossy();
    lines.iter().map(|line| line.replace(&*place, "[PLACE]") + "\n").collect()
}

fn changes(path: &str, before: &Value, after: &Value, lines: &mut Vec<String>) {
    if before == after {
        return;
    }
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            for key in keys.into_iter().filter(|key| !key.starts_with("x-")) {
                changes(&format!("{path}/{key}"), &before[key], &after[key], lines);
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            let gone = old.iter().filter(|item| !new.contains(item));
            lines.extend(gone.map(|item| format!("- {path} {item}")));
            let come = new.iter().filter(|item| !old.contains(item));
            lines.extend(come.map(|item| format!("+ {path} {item}")));
        }
        (old, new) => {
            let shown = |sign: char, value: &Value| format!("{sign} {path} {value}");
            lines.extend((!old.is_null()).then(|| shown('-', old)));
            lines.extend((!new.is_null()).then(|| shown('+', new)));
        }
    }
}

/// Collects the volumes of new mounts in `used`.
fn mounts_grow(old: &[Value], new: &[Value], used: &mut BTreeSet<String>) -> Result<(), String> {
    let (kept, added): (Vec<&Value>, Vec<&Value>) =
        new.iter().partition(|mount| old.iter().any(|other| other["target"] == mount["target"]));
    if kept.len() != old.len() {
        return Err(format!("{} mounts become {}", old.len(), kept.len()));
    }
    for (old, new) in old.iter().zip(kept) {
        let source = new["source"].as_str();
        if old["type"] == "volume"
            && old["source"].is_null()
            && let Some(source) = source
        {
            used.insert(source.to_owned());
            if without(old, "source") == without(new, "source") {
                continue;
            }
        }
        // A flag that nothing reads may go, never come.
        if old != new && without(old, "consistency") != *new {
            return Err(format!("{old} becomes {new}"));
        }
    }
    for mount in added {
        let target = mount["target"].as_str().unwrap_or_default();
        let below = |bind: &&Value| {
            let above = bind["target"].as_str().unwrap_or_default().trim_end_matches('/');
            target.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
        };
        if !old.iter().filter(|mount| mount["type"] == "bind").any(|bind| below(&bind)) {
            return Err(format!("{mount} lies below no bind"));
        }
        let source = mount["source"].as_str();
        used.extend(source.map(str::to_owned));
        let planned = match source {
            Some(source) => json!({"type": "volume", "source": source, "target": target}),
            None => json!({"type": "tmpfs", "target": target, "tmpfs": {"mode": 0o1777}}),
        };
        // Compose adds no options to a volume in long syntax and empty ones in short syntax. Of
        // services that share a new volume one alone may fill it.
        let plain = mount["volume"].as_object().is_some_and(Map::is_empty)
            || mount["volume"] == json!({"nocopy": true});
        let mount = if plain { &without(mount, "volume") } else { mount };
        if *mount != planned {
            return Err(format!("{mount} is new and should be {planned}"));
        }
    }
    Ok(())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn entries(value: &Value) -> Vec<(&String, &Value)> {
    value.as_object().map(Map::iter).into_iter().flatten().collect()
}

fn without(value: &Value, key: &str) -> Value {
    let mut value = value.clone();
    if let Value::Object(map) = &mut value {
        map.remove(key);
    }
    value
}

/// A model without services, volumes and extension fields: those may hold an anchored list that
/// grew.
fn rest(model: &Value) -> Value {
    let mut model = model.clone();
    if let Value::Object(map) = &mut model {
        map.retain(|key, _| key != "services" && key != "volumes" && !key.starts_with("x-"));
    }
    model
}
