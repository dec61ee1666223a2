//! Forms of values that Compose refuses.
//!
//! Compose holds every document against a schema once it is merged on top of those before it; a
//! file that is extended is not looked at, what comes of it is. Here the same is done for what
//! mounts, volumes and services are read from. A name that this program does not know is let pass:
//! a newer Compose may know it.

use super::value::{Data, Map, Origin, Text, Value, truth};

/// A value that Compose refuses, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Misfit {
    /// What wrote the value.
    pub(super) origin: Origin,
    /// What is wrong with it: lower case, no full stop.
    pub(super) message: String,
    /// What to do next.
    pub(super) help: Option<String>,
}

impl Misfit {
    pub(super) fn new(value: &Value, message: impl Into<String>) -> Self {
        Self { origin: value.origin, message: message.into(), help: None }
    }

    pub(super) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

type Checked = Result<(), Misfit>;

/// What an attribute belongs to.
#[derive(Debug, Clone, Copy)]
enum Owner<'a> {
    /// The document.
    Document,
    /// A service, with its name.
    Service(&'a str),
    /// Something inside of a service, with the service's name and the attribute that holds it.
    Inside(&'a str, &'a str),
    /// A top-level volume, with its key.
    Volume(&'a str),
    /// A mount.
    Mount,
    /// Something inside of a mount, with the attribute that holds it.
    InMount(&'a str),
}

impl Owner<'_> {
    /// What a message calls an attribute of it.
    fn call(self, key: &str) -> String {
        match self {
            Self::Document => format!("`{key}`"),
            Self::Service(name) => format!("`{key}` of service `{name}`"),
            Self::Inside(name, section) => format!("`{section}.{key}` of service `{name}`"),
            Self::Volume(name) => format!("`{key}` of volume `{name}`"),
            Self::Mount => format!("`{key}` of a mount"),
            Self::InMount(section) => format!("`{section}.{key}` of a mount"),
        }
    }
}

/// Forms that a value may have, as bits.
type Forms = u8;

const TEXT: Forms = 1;
/// A number or a boolean.
const OTHER: Forms = 2;
const NULL: Forms = 4;
const LIST: Forms = 8;
const MAP: Forms = 16;

/// Attributes of a service with the forms that each may have.
const SERVICE: &[(Forms, &str)] = &[
    (
        TEXT,
        "cgroup cgroup_parent container_name domainname hostname image ipc network_mode platform \
         pull_policy restart runtime stop_signal user userns_mode uts working_dir",
    ),
    (TEXT | OTHER, "attach init privileged read_only stdin_open tty"),
    (TEXT | MAP, "build"),
    (TEXT | LIST | NULL, "command entrypoint"),
    (TEXT | LIST, "env_file tmpfs"),
    (MAP | LIST, "annotations depends_on environment extra_hosts labels networks sysctls"),
    (MAP | NULL, "deploy develop"),
    (MAP, "healthcheck logging ulimits"),
    (
        LIST,
        "cap_add cap_drop configs devices expose links ports profiles secrets security_opt \
         volumes volumes_from",
    ),
];

/// Attributes of a service whose lists hold nothing but texts.
const TEXTS: &str =
    "cap_add cap_drop command depends_on entrypoint links profiles tmpfs volumes_from";

/// Holds a merged document against what Compose takes.
///
/// # Errors
/// The first value that Compose refuses.
pub(super) fn check(root: &Value) -> Checked {
    let Some(map) = root.map() else { return Ok(()) };
    for key in ["name", "version"] {
        field(map, key, TEXT, Owner::Document)?;
    }
    for key in ["services", "volumes", "networks", "configs", "secrets", "models"] {
        field(map, key, MAP, Owner::Document)?;
    }
    for (section, one) in [("services", "service"), ("volumes", "volume")] {
        let entries = map.get(section).and_then(Value::map).map(|map| map.entries.as_slice());
        for (name, value) in entries.unwrap_or_default() {
            if !is_name(name) {
                let message = format!("`{name}` is no name for a {one}");
                return Err(
                    Misfit::new(value, message).with_help("use letters, digits, `.`, `_` and `-`")
                );
            }
            match one {
                "service" => service(name, value)?,
                _ => volume(name, value)?,
            }
        }
    }
    Ok(())
}

/// True for what Compose takes as the key of a service or a volume.
pub(super) fn is_name(name: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    !name.is_empty() && name.chars().all(legal)
}

fn service(name: &str, value: &Value) -> Checked {
    let Some(map) = value.map() else {
        return Err(Misfit::new(value, format!("service `{name}` must be a mapping"))
            .with_help("put its attributes below it, indented, or take it out"));
    };
    let own = Owner::Service(name);
    for (forms, keys) in SERVICE {
        for key in keys.split_whitespace() {
            field(map, key, *forms, own)?;
        }
    }
    for key in TEXTS.split_whitespace() {
        for item in map.get(key).and_then(Value::list).map_or(&[][..], |list| &list.items) {
            form(item, TEXT, || format!("an entry of {}", own.call(key)))?;
        }
    }
    if let Some(list) = map.get("volumes_from").and_then(Value::list) {
        let again = list.items.iter().enumerate().find(|(index, item)| {
            list.items.iter().take(*index).any(|other| other.text() == item.text())
        });
        if let Some((_, item)) = again {
            let message = format!("{} stands there twice", own.call("volumes_from"));
            return Err(Misfit::new(item, message).with_help("take one of the two out"));
        }
    }
    if let Some(build) = map.get("build").and_then(Value::map) {
        for key in ["context", "dockerfile", "dockerfile_inline", "target"] {
            field(build, key, TEXT, Owner::Inside(name, "build"))?;
        }
    }
    let mounts = map.get("volumes").and_then(Value::list).map_or(&[][..], |list| &list.items);
    mounts.iter().filter_map(|item| Some((item, item.map()?))).try_for_each(|(i, m)| mount(i, m))
}

fn mount(item: &Value, map: &Map) -> Checked {
    let kinds = ["bind", "volume", "tmpfs", "image", "npipe", "cluster"];
    let help = || format!("write one of {}", kinds.join(", "));
    let Some(kind) = map.get("type") else {
        return Err(Misfit::new(item, "this mount has no `type`").with_help(help()));
    };
    let known = match &kind.data {
        Data::Scalar(text) => text.string && kinds.contains(&text.text.as_str()) || open(text),
        _ => false,
    };
    if !known {
        let shown = kind.text().unwrap_or("null");
        return Err(Misfit::new(kind, format!("`{shown}` is no type of mount")).with_help(help()));
    }
    for key in ["source", "consistency"] {
        field(map, key, TEXT, Owner::Mount)?;
    }
    boolean(map, "read_only")?;
    for key in ["bind", "volume", "tmpfs", "image"] {
        field(map, key, MAP, Owner::Mount)?;
    }
    for (section, key) in [("bind", "create_host_path"), ("volume", "nocopy")] {
        map.get(section).and_then(Value::map).map_or(Ok(()), |map| boolean(map, key))?;
    }
    for (section, key) in [
        ("bind", "propagation"),
        ("bind", "recursive"),
        ("bind", "selinux"),
        ("volume", "subpath"),
        ("image", "subpath"),
    ] {
        if let Some(map) = map.get(section).and_then(Value::map) {
            field(map, key, TEXT, Owner::InMount(section))?;
        }
    }
    Ok(())
}

fn volume(name: &str, value: &Value) -> Checked {
    let own = Owner::Volume(name);
    match &value.data {
        Data::Null => Ok(()),
        Data::Map(map) => {
            for key in ["driver", "name"] {
                field(map, key, TEXT, own)?;
            }
            field(map, "driver_opts", MAP, own)?;
            field(map, "external", TEXT | OTHER | MAP, own)?;
            field(map, "labels", LIST | MAP, own)
        }
        _ => Err(Misfit::new(value, format!("volume `{name}` must be a mapping or nothing"))
            .with_help(format!("write `{name}:` with nothing behind it, or put options below it"))),
    }
}

/// True for a text whose value is not known, as a variable in it is not set.
fn open(text: &Text) -> bool {
    !text.unset.is_empty()
}

fn boolean(map: &Map, key: &str) -> Checked {
    let Some(value) = map.get(key) else { return Ok(()) };
    let fits = match &value.data {
        Data::Scalar(text) => truth(&text.text).is_some() || open(text),
        _ => false,
    };
    if fits {
        return Ok(());
    }
    Err(Misfit::new(value, format!("`{key}` of a mount must be true or false"))
        .with_help("write one of the two, or take it out"))
}

fn field(map: &Map, key: &str, forms: Forms, owner: Owner<'_>) -> Checked {
    map.get(key).map_or(Ok(()), |value| form(value, forms, || owner.call(key)))
}

fn form(value: &Value, forms: Forms, what: impl Fn() -> String) -> Checked {
    let (own, help) = match &value.data {
        Data::Null => (NULL, "take it out, or put a value behind it"),
        Data::Scalar(text) if text.string => (TEXT, "write it in that form"),
        Data::Scalar(_) => (OTHER, "put it in quotes"),
        Data::List(_) => (LIST, "write it in that form"),
        Data::Map(_) => (MAP, "write it in that form"),
    };
    if own & forms != 0 {
        return Ok(());
    }
    let names =
        [(TEXT, "a text"), (OTHER, "a number or boolean"), (LIST, "a list"), (MAP, "a mapping")];
    let allowed: Vec<&str> =
        names.iter().filter(|(form, _)| form & forms != 0).map(|(_, name)| *name).collect();
    let help = if own == OTHER && forms & TEXT == 0 { "write it in that form" } else { help };
    let message = format!("{} must be {}", what(), allowed.join(" or "));
    Err(Misfit::new(value, message).with_help(help))
}
