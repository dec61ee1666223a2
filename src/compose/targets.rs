//! Which mount of several on one target counts.
//!
//! Compose looks for equal targets twice for each document once it is merged: as they are spelled,
//! and with the targets of short entries cleaned. A file that is extended is settled before a
//! service of it is merged with anything.

use std::collections::BTreeMap;

use super::clean_path;
use super::forms::Misfit;
use super::value::{Data, List, Replaced, Slot, Value};
use super::volume::{parse_short, sections};

/// Leaves one mount for each target in every service of a merged document.
///
/// # Errors
/// For an entry that has no target, or that Compose cannot take apart.
pub(super) fn settle_services(root: &mut Value) -> Result<(), Misfit> {
    let Data::Map(map) = &mut root.data else { return Ok(()) };
    let Some(Value { data: Data::Map(services), .. }) = map.get_mut("services") else {
        return Ok(());
    };
    for (_, service) in &mut services.entries {
        if let Data::Map(attributes) = &mut service.data
            && let Some(Value { data: Data::List(list), .. }) = attributes.get_mut("volumes")
        {
            settle(list)?;
        }
    }
    Ok(())
}

fn settle(list: &mut List) -> Result<(), Misfit> {
    list.items.iter().try_for_each(check)?;
    unique(list, |item, slot| match &item.data {
        Data::Scalar(entry) if slot.settled => clean_path(spelled(&entry.text)),
        _ => target(item).to_owned(),
    });
    unique(list, |item, _| match &item.data {
        Data::Scalar(entry) => clean_path(spelled(&entry.text)),
        _ => target(item).to_owned(),
    });
    list.slots.iter_mut().for_each(|slot| slot.settled = true);
    Ok(())
}

/// The later of two mounts with one key counts, at the place of the first.
fn unique(list: &mut List, key: impl Fn(&Value, Slot) -> String) {
    let mut at: BTreeMap<String, usize> = BTreeMap::new();
    let items = std::mem::take(&mut list.items);
    let slots = std::mem::take(&mut list.slots);
    for (item, slot) in items.into_iter().zip(slots) {
        let key = key(&item, slot);
        let old = at.get(&key).copied();
        let old = old.and_then(|at| Some((list.items.get_mut(at)?, list.slots.get_mut(at)?)));
        if let Some((old, old_slot)) = old {
            let mount = std::mem::replace(old, item);
            let place = std::mem::replace(old_slot, slot).place;
            list.replaced.push(Replaced { mount, place, by: slot.place });
        } else {
            at.insert(key, list.items.len());
            list.items.push(item);
            list.slots.push(slot);
        }
    }
}

fn check(item: &Value) -> Result<(), Misfit> {
    match &item.data {
        Data::Scalar(entry) if entry.string => match parse_short(&entry.text) {
            Err(reason) if entry.unset.is_empty() => {
                let message = format!("`{}` is no mount: {reason}", entry.text);
                Err(Misfit::new(item, message)
                    .with_help("write `source:target` or `source:target:options`"))
            }
            _ => Ok(()),
        },
        Data::Map(map) => {
            let target = map.get("target");
            if !target.is_some_and(|t| matches!(&t.data, Data::Scalar(text) if text.string)) {
                return Err(Misfit::new(target.unwrap_or(item), "this mount has no target")
                    .with_help("add `target:` with a path in the container"));
            }
            if item.text_of("type") == Some("bind") && map.get("source").is_none() {
                return Err(Misfit::new(item, "this bind mount has no source")
                    .with_help("add `source:` with a path of the host"));
            }
            Ok(())
        }
        Data::Null | Data::Scalar(_) | Data::List(_) => {
            Err(Misfit::new(item, "a mount must be a text or a mapping")
                .with_help("write `source:target`, in quotes where YAML reads something else"))
        }
    }
}

/// A mount's target before it is cleaned.
fn target(item: &Value) -> &str {
    match &item.data {
        Data::Scalar(entry) => spelled(&entry.text),
        _ => item.text_of("target").unwrap_or_default(),
    }
}

/// The target of a short entry before it is cleaned.
fn spelled(entry: &str) -> &str {
    let parts = if entry.len() <= 2 { vec![entry] } else { sections(entry) };
    let target = if parts.len() > 1 { parts.get(1) } else { parts.first() };
    target.copied().unwrap_or_default()
}
