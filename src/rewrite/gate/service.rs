//! The attributes of one service, mounts left out, before and after.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::same_value;
use crate::compose::{Map, Project, Value, clean_path};
use crate::finding::NewWatch;
use crate::host::lexical_clean;
use crate::rewrite::place::Effects;
use crate::yaml::New;

/// Checks one service.
///
/// # Errors
/// The attribute that differs, with a dot in front; empty for the service as a whole.
pub(super) fn same(
    name: &str,
    old: &Value,
    (new, after): (&Value, &Project),
    effects: &Effects,
) -> Result<(), String> {
    let (Some(old), Some(new)) = (old.map(), new.map()) else {
        return if same_value(old, new) { Ok(()) } else { Err(String::new()) };
    };
    let keys = |map: &Map| -> BTreeSet<String> {
        let keys = map.entries.iter().map(|(k, _)| k.clone());
        keys.filter(|k| k != "volumes" && !k.starts_with("x-")).collect()
    };
    for key in keys(old).union(&keys(new)) {
        let (old, new) = (old.get(key), new.get(key));
        let same = match key.as_str() {
            "environment" => variables(old, name, effects) == variables(new, "", effects),
            "depends_on" => dependencies(old, name, effects) == dependencies(new, "", effects),
            "volumes_from" => volumes_from(old, name, effects) == volumes_from(new, "", effects),
            "develop" => same_develop(old, (new, after), name, effects),
            _ => old.zip(new).is_some_and(|(old, new)| same_value(old, new)),
        };
        if !same {
            return Err(format!(".{key}"));
        }
    }
    Ok(())
}

/// A service's variables, with those that the effects add for `name`; none for a form of its own.
fn variables(
    value: Option<&Value>,
    name: &str,
    effects: &Effects,
) -> Option<BTreeMap<String, Option<String>>> {
    let mut found = BTreeMap::new();
    if let Some(value) = value {
        if let Some(map) = value.map() {
            for (key, value) in &map.entries {
                found.insert(key.clone(), value.text().map(str::to_owned));
            }
        } else {
            for item in &value.list()?.items {
                let (key, value) = match item.text()?.split_once('=') {
                    Some((key, value)) => (key, Some(value.to_owned())),
                    None => (item.text()?, None),
                };
                found.insert(key.to_owned(), value);
            }
        }
    }
    for (_, key, value) in effects.variables.iter().filter(|(s, ..)| s == name) {
        if found.insert(key.clone(), Some(value.clone())).is_some() {
            return None;
        }
    }
    Some(found)
}

/// What a service takes mounts over from, with what the effects add for `name`.
fn volumes_from<'a>(value: Option<&'a Value>, name: &str, effects: &'a Effects) -> Vec<&'a str> {
    let new = effects.volumes_from.iter().filter(|(s, _)| s == name);
    let new = new.map(|(_, from)| from.as_str());
    value.map(Value::texts).unwrap_or_default().into_iter().chain(new).collect()
}

type Conditions = BTreeMap<String, BTreeMap<String, Option<String>>>;

/// What a service waits for, in the long form, with what the effects add for `name`.
fn dependencies(value: Option<&Value>, name: &str, effects: &Effects) -> Conditions {
    let mut found = Conditions::new();
    let condition = |text: &str| BTreeMap::from([("condition".to_owned(), Some(text.to_owned()))]);
    if let Some(map) = value.and_then(Value::map) {
        for (service, value) in &map.entries {
            let fields = value.map().map(|m| m.entries.as_slice()).unwrap_or_default();
            let mut all = condition("service_started");
            all.extend(fields.iter().map(|(k, v)| (k.clone(), v.text().map(str::to_owned))));
            found.insert(service.clone(), all);
        }
    } else if let Some(value) = value {
        let names = value.texts().into_iter();
        found.extend(names.map(|name| (name.to_owned(), condition("service_started"))));
    }
    for (_, on) in effects.dependencies.iter().filter(|(s, _)| s == name) {
        found.insert(on.clone(), condition("service_healthy"));
    }
    found
}

fn same_develop(
    old: Option<&Value>,
    (new, after): (Option<&Value>, &Project),
    name: &str,
    effects: &Effects,
) -> bool {
    let rules: Vec<&NewWatch> =
        effects.watch.iter().filter(|(s, _)| s == name).flat_map(|(_, rules)| rules).collect();
    if rules.is_empty() {
        return old.zip(new).is_some_and(|(old, new)| same_value(old, new));
    }
    let entries = |value: Option<&Value>| -> Vec<(String, Value)> {
        value.and_then(Value::map).map(|m| m.entries.clone()).unwrap_or_default()
    };
    let (old, new) = (entries(old), entries(new));
    let others = |entries: &[(String, Value)]| -> BTreeSet<String> {
        entries.iter().map(|(k, _)| k.clone()).filter(|k| k != "watch").collect()
    };
    let rest = others(&old) == others(&new)
        && old
            .iter()
            .filter(|(k, _)| k != "watch")
            .all(|(key, value)| new.iter().any(|(k, other)| k == key && same_value(value, other)));
    let list = |entries: &[(String, Value)]| -> Vec<Value> {
        let watch = entries.iter().find(|(k, _)| k == "watch");
        watch.and_then(|(_, v)| v.list()).map(|l| l.items.clone()).unwrap_or_default()
    };
    // Files that come later may have rules of their own behind the new ones.
    let (before, now) = (list(&old), list(&new));
    let (mut kept, mut added) = (before.iter().peekable(), rules);
    let planned = now.iter().all(|value| {
        if kept.next_if(|old| same_value(old, value)).is_some() {
            return true;
        }
        let rule = added.iter().position(|rule| is_rule(value, rule, after));
        rule.map(|at| added.swap_remove(at)).is_some()
    });
    rest && planned && kept.next().is_none() && added.is_empty()
}

fn is_rule(value: &Value, rule: &NewWatch, project: &Project) -> bool {
    let text = |key: &str| value.get(key).and_then(Value::text);
    let ignore = value.get("ignore").map(Value::texts).unwrap_or_default();
    let keys = 2 + usize::from(rule.target.is_some()) + usize::from(!rule.ignore.is_empty());
    let path = value
        .get("path")
        .and_then(|path| Some(lexical_clean(&project.base_of(path.origin).join(path.text()?))));
    text("action") == Some(&rule.action)
        && path.as_deref() == Some(Path::new(&rule.path))
        && text("target").map(clean_path) == rule.target.as_ref().map(|t| t.path.clone())
        && ignore == rule.ignore.iter().map(String::as_str).collect::<Vec<_>>()
        && value.map().is_some_and(|map| map.entries.len() == keys)
}

/// True for a service that says what a planned one says, its mounts left out.
pub(super) fn is_new(value: &Value, planned: &New) -> bool {
    let (Some(map), New::Mapping { entries, .. }) = (value.map(), planned) else { return false };
    let known = |key: &str| key == "volumes" || entries.iter().any(|(planned, ..)| planned == key);
    map.entries.iter().all(|(key, _)| known(key))
        && entries
            .iter()
            .all(|(key, _, planned)| map.get(key).is_some_and(|value| is_planned(value, planned)))
}

/// True for a value that says what a planned one says; `$$` in the plan stands for `$`.
fn is_planned(value: &Value, planned: &New) -> bool {
    match planned {
        New::Null => value.text().is_none() && value.map().is_none() && value.list().is_none(),
        New::Scalar { text, .. } => value.text() == Some(text.replace("$$", "$").as_str()),
        New::Sequence { items, .. } => value.list().is_some_and(|list| {
            list.items.len() == items.len()
                && list.items.iter().zip(items).all(|(value, planned)| is_planned(value, planned))
        }),
        New::Mapping { entries, .. } => value.map().is_some_and(|map| {
            map.entries.len() == entries.len()
                && entries.iter().all(|(key, _, planned)| {
                    map.get(key).is_some_and(|value| is_planned(value, planned))
                })
        }),
    }
}
