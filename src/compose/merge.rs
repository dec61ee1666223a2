//! How Compose puts one file on top of another.
//!
//! Mappings merge key by key, lists are appended, scalars are replaced, and a null leaves what was
//! there. A few attributes have rules of their own. `volumes` of a service are appended here; that a
//! later mount replaces an earlier one on the same target is decided once the document is merged,
//! see `targets.rs`.

use super::value::{Data, Directive, List, Map, Text, Value};

/// Where a value stands while two files are merged.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    parent: Option<&'a Self>,
    key: &'a str,
}

impl<'a> Place<'a> {
    /// The top of a file.
    pub(super) const ROOT: Place<'static> = Place { parent: None, key: "" };

    /// A service's own mapping, for `extends`.
    pub(super) const SERVICE: Place<'static> =
        Place { parent: Some(&Place { parent: Some(&Self::ROOT), key: "services" }), key: "*" };

    fn child(&'a self, key: &'a str) -> Self {
        Place { parent: Some(self), key }
    }

    /// The keys below a service, outermost last, when the place is inside one.
    fn in_service(&self) -> Option<Vec<&'a str>> {
        let mut keys = Vec::new();
        let mut place = *self;
        while let Some(parent) = place.parent {
            keys.push(place.key);
            place = *parent;
        }
        (keys.len() >= 3 && keys.pop() == Some("services")).then(|| {
            keys.pop();
            keys
        })
    }
}

/// Puts `over` on top of `base`.
pub(super) fn merge(base: Value, over: Value, place: &Place<'_>) -> Value {
    if over.directive == Some(Directive::Override) {
        return settle(over);
    }
    let (base, over) = match place.in_service().as_deref() {
        Some(["command" | "entrypoint"] | ["test", "healthcheck"]) => {
            return over_unless_null(base, over);
        }
        Some(["logging"]) if base.text_of("driver") != over.text_of("driver") => {
            let both = base.get("driver").is_some() && over.get("driver").is_some();
            if both {
                return over_unless_null(base, over);
            }
            (base, over)
        }
        Some(["build"]) => (as_map(base, "context"), as_map(over, "context")),
        Some(["tmpfs"]) => (as_list(base), as_list(over)),
        Some(["depends_on" | "networks"]) if base.map().is_some() != over.map().is_some() => {
            (names_as_map(base), names_as_map(over))
        }
        _ => (base, over),
    };
    match (base.data, over.data) {
        (Data::Map(lower), Data::Map(upper)) => {
            Value { data: Data::Map(merge_maps(lower, upper, place)), ..shell(base.origin) }
        }
        (Data::List(mut list), Data::List(more)) => {
            list.append(more);
            Value { data: Data::List(list), ..shell(base.origin) }
        }
        (data, Data::Null) => Value { data, ..shell(base.origin) },
        (_, data) => settle(Value { data, ..shell(over.origin) }),
    }
}

/// Puts a service on top of the one that it extends. Its tags go on to count for what lies below its
/// document.
pub(super) fn extend(base: Value, own: Value) -> Value {
    let marks = marked(&own);
    let mut all = merge(settle(base), own, &Place::SERVICE);
    for mark in marks {
        put_back(&mut all, mark);
    }
    all
}

/// A tagged value below a mapping: the keys that lead to it, the last one first.
struct Mark {
    keys: Vec<String>,
    value: Value,
}

fn marked(value: &Value) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (key, inner) in value.map().map_or(&[][..], |map| &map.entries) {
        if inner.directive.is_some() {
            marks.push(Mark { keys: vec![key.clone()], value: inner.clone() });
        } else {
            let deeper = marked(inner).into_iter().map(|mut mark| {
                mark.keys.push(key.clone());
                mark
            });
            marks.extend(deeper);
        }
    }
    marks
}

fn put_back(value: &mut Value, mut mark: Mark) {
    let (Some(key), Data::Map(map)) = (mark.keys.pop(), &mut value.data) else { return };
    match map.get_mut(&key) {
        Some(inner) if mark.keys.is_empty() => inner.directive = mark.value.directive,
        Some(inner) => put_back(inner, mark),
        None if mark.keys.is_empty() => map.entries.push((key, mark.value)),
        None => {}
    }
}

/// A value as it stands alone: `!reset` entries are gone, `!override` has nothing to replace.
pub(super) fn settle(mut value: Value) -> Value {
    value.directive = None;
    match &mut value.data {
        Data::Map(map) => {
            map.entries.retain(|(_, v)| v.directive != Some(Directive::Reset));
            for (_, v) in &mut map.entries {
                let inner = std::mem::replace(v, shell(v.origin));
                *v = settle(inner);
            }
        }
        Data::List(list) => {
            list.items = std::mem::take(&mut list.items).into_iter().map(settle).collect();
        }
        Data::Null | Data::Scalar(_) => {}
    }
    value
}

fn merge_maps(mut lower: Map, upper: Map, place: &Place<'_>) -> Map {
    lower.parts.extend(upper.parts);
    for (key, value) in upper.entries {
        if value.directive == Some(Directive::Reset) {
            lower.remove(&key);
            continue;
        }
        let extension = key.starts_with("x-");
        match lower.get_mut(&key) {
            Some(old) if !extension => {
                let below = std::mem::replace(old, shell(old.origin));
                *old = merge(below, value, &place.child(&key));
            }
            _ => lower.set(key, settle(value)),
        }
    }
    lower
}

fn over_unless_null(base: Value, over: Value) -> Value {
    if matches!(over.data, Data::Null) { base } else { settle(over) }
}

fn shell(origin: super::value::Origin) -> Value {
    Value { data: Data::Null, origin, directive: None }
}

/// `build: dir` is short for a mapping.
fn as_map(value: Value, key: &str) -> Value {
    if !matches!(value.data, Data::Scalar(_)) {
        return value;
    }
    let origin = value.origin;
    let map = Map { entries: vec![(key.to_owned(), value)], parts: vec![origin] };
    Value { data: Data::Map(map), ..shell(origin) }
}

/// `tmpfs: /run` is short for a list.
fn as_list(value: Value) -> Value {
    if !matches!(value.data, Data::Scalar(_)) {
        return value;
    }
    let origin = value.origin;
    let list = List { parts: Vec::new(), ..List::written(origin, vec![(0, value)]) };
    Value { data: Data::List(list), ..shell(origin) }
}

/// A list of names as a mapping with nothing behind the names.
fn names_as_map(value: Value) -> Value {
    let Data::List(list) = value.data else { return value };
    let entries = list.items.into_iter().filter_map(|item| {
        let origin = item.origin;
        match item.data {
            Data::Scalar(Text { text, .. }) => Some((text, shell(origin))),
            _ => None,
        }
    });
    let map = Map { entries: entries.collect(), parts: list.parts };
    Value { data: Data::Map(map), ..shell(value.origin) }
}
