//! Whether a project has all that it speaks of.

use super::{MountKind, Project, Service, Value};

/// What keeps Compose from starting a project that it could read: a service without an image, or
/// a name that nothing declares. Lower case, no full stop. None when nothing is missing.
///
/// Such a file is usually meant to go on top of another one. Mounts with variables that have no
/// value are not looked at.
pub fn missing(project: &Project) -> Option<String> {
    let services = project.root.get("services")?;
    project.services.iter().filter(|service| service.active).find_map(|service| {
        let value = services.get(&service.name)?;
        without_image(service, value)
            .or_else(|| undefined_volume(project, service))
            .or_else(|| undefined_name(project, service, value))
    })
}

fn without_image(service: &Service, value: &Value) -> Option<String> {
    let image = service.image.as_ref().is_some_and(|image| !image.is_empty());
    let runs = image || service.build.is_some() || value.get("provider").is_some();
    let name = &service.name;
    (!runs).then(|| format!("service `{name}` has neither an image nor a build context"))
}

fn undefined_volume(project: &Project, service: &Service) -> Option<String> {
    let volumes = service
        .mounts
        .iter()
        .filter(|mount| mount.kind == MountKind::Volume && mount.unset.is_empty())
        .filter_map(|mount| mount.source.as_deref());
    let known = |key: &str| project.volumes.iter().any(|volume| volume.key == key);
    undefined(service, "volume", volumes.filter(|key| !known(key)))
}

fn undefined_name(project: &Project, service: &Service, value: &Value) -> Option<String> {
    let section = |section: &'static str| {
        move |name: &&str| project.root.get(section).is_some_and(|all| all.get(name).is_some())
    };
    let names = |key: &str| value.get(key).map(Value::names).unwrap_or_default();
    let network = |name: &&str| *name == "default" || section("networks")(name);
    let needed = |name: &&str| {
        let entry = value.get("depends_on").and_then(|all| all.get(name));
        entry.is_none_or(|entry| entry.text_of("required").is_none_or(|word| word != "false"))
    };
    let known = |name: &&str| project.service(name).is_some();
    let networks = names("networks").into_iter().filter(|name| !network(name));
    let services = names("depends_on").into_iter().filter(|name| !known(name) && needed(name));
    undefined(service, "network", networks)
        .or_else(|| undefined(service, "service", services))
        .or_else(|| {
            [("config", "configs"), ("secret", "secrets")].into_iter().find_map(|(kind, key)| {
                let items = value.get(key).and_then(Value::list).map(|list| list.items.as_slice());
                let names = items.unwrap_or_default().iter();
                let names = names.filter_map(|item| item.text().or_else(|| item.text_of("source")));
                undefined(service, kind, names.filter(|name| !section(key)(name)))
            })
        })
}

fn undefined<'n>(
    service: &Service,
    kind: &str,
    mut names: impl Iterator<Item = &'n str>,
) -> Option<String> {
    let name = names.next()?;
    Some(format!("service `{}` refers to the undefined {kind} `{name}`", service.name))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::compose::{Request, load};
    use crate::host::{Environment, MemoryHost};

    fn missing_in(text: &str) -> Option<String> {
        let host = MemoryHost::default().with_file("/p/compose.yaml", text);
        let environment = Environment { directory: PathBuf::from("/p"), ..Environment::default() };
        missing(&load(&host, &environment, &Request::default()).unwrap())
    }

    #[test]
    fn complete_projects_miss_nothing() {
        for text in [
            "services: {}\n",
            "services:\n  web: {build: .}\n  job: {provider: {type: x}}\n",
            "services:\n  web: {image: a}\n  job: {profiles: [x], tty: true}\n",
            "services:\n  web: {image: a, volumes: ['.:/a', '/b', 'c:/c', '${D}:/d']}\nvolumes: {c: }\n",
            "services:\n  web: {image: a, networks: [default, n], secrets: [s], configs: [{source: c}]}\n\
             networks: {n: }\nsecrets: {s: {file: f}}\nconfigs: {c: {file: f}}\n",
            "services:\n  web: {image: a, depends_on: {db: {condition: service_started, required: false}}}\n",
            "services:\n  web: {image: a, depends_on: [db]}\n  db: {image: b, profiles: [x]}\n",
        ] {
            assert_eq!(missing_in(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        for (text, what) in [
            ("services:\n  web: {tty: true}\n", "service `web` has neither an image"),
            ("services:\n  web: {image: ''}\n", "service `web` has neither an image"),
            (
                "services:\n  web: {image: a, volumes: ['cache:/c']}\n",
                "the undefined volume `cache`",
            ),
            ("services:\n  web: {image: a, networks: {n: }}\n", "the undefined network `n`"),
            ("services:\n  web: {image: a, depends_on: [db]}\n", "the undefined service `db`"),
            ("services:\n  web: {image: a, secrets: [s]}\n", "the undefined secret `s`"),
            ("services:\n  web: {image: a, configs: [{source: c}]}\n", "the undefined config `c`"),
        ] {
            let found = missing_in(text).unwrap_or_default();
            assert!(found.contains(what), "{found}: {text}");
        }
    }
}
