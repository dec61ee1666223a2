//! Whether two resources of one name, one of them from an `include`, are the same.
//!
//! Compose compares what is written in the including document with what it has made of the included
//! project: short forms are spelled out there and relative paths resolved. It refuses what is not
//! equal to the last key. Here the answer is no only where that is sure.

use super::value::{BaseId, Data, List, Map, Value, truth};
use super::volume::parse_short;

/// Attributes whose short forms Compose spells out, so that equal things may look different and, in
/// a document that includes, different things equal.
const SPELLED_OUT: &str = "build configs depends_on devices env_file environment extends external gpus \
     include label_file labels models networks ports secrets ssh ulimits additional_contexts";

/// Attributes that hold a path, which Compose resolves.
const PATHS: [&str; 3] = ["file", "path", "device"];

/// True when Compose takes `own` and `included` for two resources. `raw` says that `own` stands in
/// the document that includes, rather than in another included project.
pub(super) fn differ(own: &Value, included: &Value, raw: bool) -> bool {
    match (&own.data, &included.data) {
        (Data::Map(own), Data::Map(included)) => maps_differ(own, included, raw),
        _ => plainly_differ(own, included),
    }
}

fn maps_differ(own: &Map, included: &Map, raw: bool) -> bool {
    if raw && own.entries.iter().any(|(key, value)| is_short(key, value)) {
        return true;
    }
    let lacks = |map: &Map, other: &Map| {
        map.entries.iter().any(|(key, value)| other.get(key).is_none() && !is_nothing(value))
    };
    lacks(own, included)
        || lacks(included, own)
        || own.entries.iter().any(|(key, value)| {
            included.get(key).is_some_and(|other| match (key.as_str(), &value.data, &other.data) {
                ("volumes", Data::List(own), Data::List(included)) => mounts_differ(own, included),
                (key, ..) if SPELLED_OUT.split_whitespace().any(|word| word == key) => false,
                (key, ..) if PATHS.contains(&key) => {
                    is_absolute(value) && is_absolute(other) && plainly_differ(value, other)
                }
                _ => plainly_differ(value, other),
            })
        })
}

/// True for a short form that is spelled out in every included project.
fn is_short(key: &str, value: &Value) -> bool {
    match (key, &value.data) {
        ("build", Data::Scalar(_)) => true,
        ("depends_on", Data::List(list)) => !list.items.is_empty(),
        ("volumes" | "ports", Data::List(list)) => {
            let mut items = list.items.iter().zip(&list.slots);
            items.any(|(item, slot)| item.text().is_some() && !slot.settled)
        }
        _ => false,
    }
}

/// Compose drops some values that are empty.
fn is_nothing(value: &Value) -> bool {
    match &value.data {
        Data::Null => true,
        Data::Scalar(text) => text.text.is_empty(),
        Data::List(list) => list.items.is_empty(),
        Data::Map(map) => map.entries.is_empty(),
    }
}

fn mounts_differ(own: &List, included: &List) -> bool {
    own.items.len() != included.items.len()
        || own.items.iter().zip(&included.items).any(|(own, included)| {
            match (essence(own), essence(included)) {
                (Some(own), Some(included)) => own != included,
                _ => false,
            }
        })
}

/// Target, source and where a relative source starts; none for what is not known.
fn essence(mount: &Value) -> Option<(String, Option<String>, Option<BaseId>)> {
    let (target, source) = if let Data::Scalar(entry) = &mount.data {
        let short = parse_short(&entry.text).ok()?;
        (short.target, short.source)
    } else {
        let target = super::clean_path(mount.text_of("target")?);
        (target, mount.text_of("source").map(str::to_owned))
    };
    let relative = source.as_deref().is_some_and(|source| source.starts_with('.'));
    let source = source.map(|source| if relative { super::clean_path(&source) } else { source });
    // `..` and several directories may lead to one place.
    if source.as_deref().is_some_and(|source| source.starts_with("..")) {
        return None;
    }
    Some((target, source, relative.then_some(mount.origin.base)))
}

/// True for values that no spelling makes equal.
fn plainly_differ(own: &Value, included: &Value) -> bool {
    match (&own.data, &included.data) {
        (Data::Null, Data::Null) => false,
        (Data::Scalar(own), Data::Scalar(included)) => {
            let unknown = !own.unset.is_empty() || !included.unset.is_empty();
            let numbers = [own, included].iter().all(|text| is_number(&text.text));
            let booleans = truth(&own.text).is_some() && truth(&own.text) == truth(&included.text);
            own.text != included.text && !unknown && !numbers && !booleans
        }
        (Data::List(own), Data::List(included)) => {
            own.items.len() != included.items.len()
                || own.items.iter().zip(&included.items).any(|(a, b)| plainly_differ(a, b))
        }
        (Data::Map(own), Data::Map(included)) => {
            let lacks = |map: &Map, other: &Map| {
                map.entries
                    .iter()
                    .any(|(key, value)| other.get(key).is_none() && !is_nothing(value))
            };
            lacks(own, included)
                || lacks(included, own)
                || own.entries.iter().any(|(key, value)| {
                    let spelled_out = SPELLED_OUT.split_whitespace().any(|word| word == key);
                    let other = included.get(key).filter(|_| !spelled_out);
                    let path = PATHS.contains(&key.as_str());
                    let other =
                        other.filter(|other| !path || is_absolute(value) && is_absolute(other));
                    other.is_some_and(|other| plainly_differ(value, other))
                })
        }
        _ => true,
    }
}

fn is_absolute(value: &Value) -> bool {
    value.text().is_some_and(|path| path.starts_with('/'))
}

fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'))
}
