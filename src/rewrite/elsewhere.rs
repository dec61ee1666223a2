//! What an edit does to other projects that load the same file.

use super::gate::{prove, same_value};
use super::place::Effects;
use crate::compose::{Project, missing};

/// Checks that another project is as it was, apart from effects that reach it through a file that it
/// shares.
///
/// # Errors
/// What else would change in it.
pub fn hold(before: &Project, after: &Project, effects: &Effects) -> Result<(), String> {
    let reaching = reaching(before, after, effects);
    if let Some(key) = effects.volumes.iter().find(|key| clashes(before, after, key)) {
        return Err(format!("it has another volume `{key}`"));
    }
    prove(before, after, &reaching)?;
    match missing(after) {
        Some(what) if missing(before).is_none() => Err(what),
        _ => Ok(()),
    }
}

/// True when a new volume's key stands for something else there, and would be mounted.
fn clashes(before: &Project, after: &Project, key: &str) -> bool {
    let mounts = |project: &Project| {
        let all = project.services.iter().flat_map(|service| &service.mounts);
        all.filter(|mount| mount.source.as_deref() == Some(key)).count()
    };
    before.volumes.iter().any(|volume| volume.key == key) && mounts(after) != mounts(before)
}

/// The effects that show in the project.
fn reaching(before: &Project, after: &Project, effects: &Effects) -> Effects {
    let source = |project: &Project, service: &str, target: &str| {
        let mounts = project.service(service).map(|s| s.mounts.as_slice()).unwrap_or_default();
        mounts.iter().find(|m| m.target == target).map(|m| (m.source.clone(), m.options.clone()))
    };
    let new = |service: &str, target: &str| {
        source(before, service, target).is_none() && source(after, service, target).is_some()
    };
    let other = |service: &str, target: &str| {
        let old = source(before, service, target);
        old.is_some() && old != source(after, service, target)
    };
    let differs = |service: &str, key: &str| match (
        before.attribute(service, key),
        after.attribute(service, key),
    ) {
        (Some(old), Some(new)) => !same_value(old, new),
        (None, None) => false,
        _ => true,
    };
    let mut reaching = effects.clone();
    reaching.mounts.retain(|(service, mount)| new(service, &mount.target));
    reaching.named.retain(|(service, target, _)| other(service, target));
    reaching.flags.retain(|(service, target, _)| other(service, target));
    reaching.removed.retain(|(service, target)| {
        source(before, service, target).is_some() && source(after, service, target).is_none()
    });
    let declares = |project: &Project, key: &str| project.volumes.iter().any(|v| v.key == key);
    reaching.volumes.retain(|key| declares(after, key) && !declares(before, key));
    reaching.variables.retain(|(service, ..)| differs(service, "environment"));
    reaching.dependencies.retain(|(service, _)| differs(service, "depends_on"));
    reaching.watch.retain(|(service, _)| differs(service, "develop"));
    reaching
        .services
        .retain(|name, _| before.service(name).is_none() && after.service(name).is_some());
    reaching
}
