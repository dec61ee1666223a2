//! Reading services, mounts and volumes off the merged project.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::forms::is_name;
use super::value::{Data, List, Origin, Value};
use super::volume::{CONSISTENCY_FLAGS, MountKind, parse_short};
use super::{
    Mount, Place, Project, Service, Skipped, Syntax, Volume, WatchRule, build, clean_path,
};
use crate::error::Problem;
use crate::host::{Environment, lexical_clean};

/// Fills `project` from the merged root of its files.
pub(super) fn fill(
    project: &mut Project,
    profiles: &[String],
    environment: &Environment,
) -> Result<(), Problem> {
    let root = std::mem::replace(&mut project.root, Value::null());
    let result = read(project, &root, profiles, environment);
    project.root = root;
    result
}

fn read(
    project: &mut Project,
    root: &Value,
    profiles: &[String],
    environment: &Environment,
) -> Result<(), Problem> {
    let home = environment.home.as_deref();
    if let Some(volumes) = root.get("volumes").and_then(Value::map) {
        let found = volumes.entries.iter().map(|(key, value)| Volume {
            key: key.clone(),
            origin: value.origin,
            definition: value.clone(),
            bind: device(project, value, home),
        });
        project.volumes = found.collect();
        project.volumes.sort_by(|a, b| a.key.cmp(&b.key));
    }
    let Some(services) = root.get("services").and_then(Value::map) else { return Ok(()) };
    for (name, value) in &services.entries {
        let service = Reader { project, home, name }.service(value, profiles)?;
        project.services.push(service);
    }
    project.services.sort_by(|a, b| a.name.cmp(&b.name));
    name_images(&mut project.services);
    check_volume_names(project)
}

fn problem(project: &Project, origin: Origin, message: impl Into<String>) -> Problem {
    let (file, span) = project.place_of(origin);
    Problem::at(file, span, message)
}

struct Reader<'a> {
    project: &'a mut Project,
    home: Option<&'a Path>,
    name: &'a str,
}

impl Reader<'_> {
    fn service(&mut self, value: &Value, profiles: &[String]) -> Result<Service, Problem> {
        let own: Vec<&str> = value.get("profiles").map(Value::texts).unwrap_or_default();
        let words = |key: &str| match value.get(key) {
            Some(v) if v.list().is_some() => v.texts().into_iter().map(str::to_owned).collect(),
            Some(v) => v.text().map(split_words).unwrap_or_default(),
            None => Vec::new(),
        };
        let mut service = Service {
            name: self.name.to_owned(),
            active: own.is_empty()
                || profiles.iter().any(|p| p == "*" || own.contains(&p.as_str())),
            parts: value.map().map(|m| m.parts.clone()).unwrap_or_default(),
            volume_lists: Vec::new(),
            mounts: Vec::new(),
            replaced: Vec::new(),
            image: value.text_of("image").map(str::to_owned),
            build: value.get("build").map(|b| self.build_key(b)),
            build_of: value
                .get("build")
                .map(|b| build::read(b, self.directory(b.origin), self.home)),
            image_key: String::new(),
            user: value.text_of("user").map(str::to_owned),
            command: words("command"),
            entrypoint: words("entrypoint"),
            environment: value.get("environment").map(environment).unwrap_or_default(),
            env_files: value.get("env_file").map(|v| self.env_files(v)).unwrap_or_default(),
            watch: self.watch_rules(value),
            depends_on: value
                .get("depends_on")
                .map(Value::names)
                .unwrap_or_default()
                .into_iter()
                .map(str::to_owned)
                .collect(),
            volumes_from: value
                .get("volumes_from")
                .map(Value::texts)
                .unwrap_or_default()
                .iter()
                .filter(|v| !v.starts_with("container:"))
                .map(|v| v.split(':').next().unwrap_or_default().to_owned())
                .collect(),
        };
        if let Some(list) = value.get("volumes").and_then(Value::list) {
            self.volumes(list, &mut service);
        }
        let memory = value.get("tmpfs").map(|tmpfs| Self::memory(tmpfs, &mut service));
        self.check_targets(&service, memory.unwrap_or_default())?;
        Ok(service)
    }

    /// `env_file`: a path, or a list of paths and mappings with `path`.
    fn env_files(&self, value: &Value) -> Vec<String> {
        let entry = |value: &Value| {
            let path = value.text().or_else(|| value.text_of("path"))?;
            Some(resolve_path(path, self.directory(value.origin), self.home))
        };
        match value.list() {
            Some(list) => list.items.iter().filter_map(entry).collect(),
            None => entry(value).into_iter().collect(),
        }
    }

    fn watch_rules(&self, service: &Value) -> Vec<WatchRule> {
        let rules = service.get("develop").and_then(|d| d.get("watch")).and_then(Value::list);
        let rules = rules.map(|list| list.items.as_slice()).unwrap_or_default().iter();
        let read = rules.filter_map(|rule| {
            Some(WatchRule {
                action: rule.text_of("action")?.to_owned(),
                path: resolve_path(rule.text_of("path")?, self.directory(rule.origin), self.home),
                target: rule.text_of("target").map(clean_path),
            })
        });
        read.collect()
    }

    fn volumes(&mut self, list: &List, service: &mut Service) {
        service.volume_lists.clone_from(&list.parts);
        for (item, slot) in list.items.iter().zip(&list.slots) {
            match self.mount(item, slot.place) {
                Ok(mount) => service.mounts.push(mount),
                Err(unset) => {
                    let reason = format!("{} not set, so this mount is not known", list_of(unset));
                    self.skip(item, reason);
                }
            }
        }
        for lost in &list.replaced {
            let mount = self.mount(&lost.mount, lost.place).ok();
            service.replaced.extend(mount.map(|mount| (mount, lost.by)));
        }
    }

    /// A mount, or the variables without which it is not known. Other entries that are no mounts
    /// have been refused before.
    fn mount<'v>(&self, item: &'v Value, place: Place) -> Result<Mount, &'v [String]> {
        match &item.data {
            Data::Scalar(entry) => {
                let parsed = parse_short(&entry.text).map_err(|_| entry.unset.as_slice())?;
                Ok(Mount {
                    kind: parsed.kind,
                    source: self.source_of(parsed.kind, parsed.source.as_deref(), item.origin),
                    uncleaned: uncleaned(parsed.kind, parsed.source.as_deref()),
                    target: parsed.target,
                    read_only: parsed.read_only,
                    syntax: Syntax::Short,
                    nocopy: parsed.options.iter().any(|o| o == "nocopy"),
                    consistency: flag_among(parsed.options.iter().map(String::as_str)),
                    options: parsed.options,
                    by_mount_interface: false,
                    unset: entry.unset.clone(),
                    origin: item.origin,
                    place: Some(place),
                })
            }
            _ => self.long(item, place),
        }
    }

    fn long<'v>(&self, item: &'v Value, place: Place) -> Result<Mount, &'v [String]> {
        let unset = |key: &str| match item.get(key).map(|v| &v.data) {
            Some(Data::Scalar(text)) => text.unset.as_slice(),
            _ => &[],
        };
        let kind = MountKind::of_word(item.text_of("type").unwrap_or_default());
        if kind == MountKind::Other && !unset("type").is_empty() {
            return Err(unset("type"));
        }
        Ok(Mount {
            kind,
            source: self.source_of(kind, item.text_of("source"), item.origin),
            uncleaned: uncleaned(kind, item.text_of("source")),
            target: clean_path(item.text_of("target").unwrap_or_default()),
            read_only: item.get("read_only").is_some_and(Value::is_true),
            syntax: Syntax::Long,
            nocopy: item.get("volume").and_then(|v| v.get("nocopy")).is_some_and(Value::is_true),
            options: Vec::new(),
            consistency: flag_among(item.text_of("consistency").into_iter()),
            by_mount_interface: kind == MountKind::Bind && by_mount_interface(item),
            unset: [unset("source"), unset("target"), unset("type")].concat(),
            origin: item.origin,
            place: Some(place),
        })
    }

    /// A source as Compose resolves it.
    fn source_of(&self, kind: MountKind, source: Option<&str>, origin: Origin) -> Option<String> {
        let source = source.filter(|source| kind == MountKind::Bind || !source.is_empty())?;
        Some(match kind {
            MountKind::Bind => resolve_path(source, self.directory(origin), self.home),
            _ => source.to_owned(),
        })
    }

    /// Compose looks for equal targets once more, those of `tmpfs` as they are written, in the
    /// services that it would start. What variables that are not set would say is not known.
    fn check_targets(&self, service: &Service, memory: Vec<(&str, Origin)>) -> Result<(), Problem> {
        let mounts = service.mounts.iter().filter(|m| m.place.is_some() && m.unset.is_empty());
        let mounts = mounts.map(|mount| (mount.target.as_str(), mount.origin));
        let mut seen = BTreeSet::new();
        for (target, origin) in memory.into_iter().chain(mounts).filter(|_| service.active) {
            if !seen.insert(target) {
                let message = format!("service `{}` mounts {target} twice", self.name);
                return Err(problem(self.project, origin, message)
                    .with_help("take one of the two mounts out: Compose refuses both together"));
            }
        }
        Ok(())
    }

    /// A service's `tmpfs`: `path` or `path:options`.
    /// Returns the targets as they are written, where they are known.
    fn memory<'v>(tmpfs: &'v Value, service: &mut Service) -> Vec<(&'v str, Origin)> {
        let items = match &tmpfs.data {
            Data::List(list) => list.items.iter().collect(),
            _ => vec![tmpfs],
        };
        let mut seen = BTreeSet::new();
        let mut written = Vec::new();
        for item in items {
            if let Data::Scalar(text) = &item.data
                && seen.insert(&text.text)
            {
                let path = text.text.split(':').next().unwrap_or_default();
                if text.unset.is_empty() {
                    written.push((path, item.origin));
                }
                service.mounts.push(Mount {
                    kind: MountKind::Tmpfs,
                    source: None,
                    uncleaned: None,
                    target: clean_path(path),
                    read_only: false,
                    syntax: Syntax::Tmpfs,
                    nocopy: false,
                    options: Vec::new(),
                    consistency: None,
                    by_mount_interface: false,
                    unset: text.unset.clone(),
                    origin: item.origin,
                    place: None,
                });
            }
        }
        written
    }

    fn directory(&self, origin: Origin) -> &Path {
        self.project.bases.get(origin.base.0).map_or(Path::new(""), |b| b.as_path())
    }

    /// Equal for builds that give the same image: the resolved context and every other attribute.
    fn build_key(&self, build: &Value) -> String {
        let context = build.text().or_else(|| build.text_of("context")).unwrap_or(".");
        let mut key = if context.contains("://") {
            context.to_owned()
        } else {
            resolve_path(context, self.directory(build.origin), self.home)
        };
        if let Some(map) = build.map() {
            let mut rest: Vec<_> = map.entries.iter().filter(|(k, _)| k != "context").collect();
            rest.sort_by(|a, b| a.0.cmp(&b.0));
            for (name, value) in rest {
                key.extend([" ", name, "=", &plain_text(value)]);
            }
        }
        key
    }

    fn skip(&mut self, value: &Value, reason: String) {
        self.project.skipped.push(Skipped {
            origin: value.origin,
            service: Some(self.name.to_owned()),
            reason,
        });
    }
}

/// The host path that a volume binds: `o` is a list of mount options, `device` starts at the project
/// directory as a mount's source does. A variable without value leaves it unknown.
fn device(project: &Project, volume: &Value, home: Option<&Path>) -> Option<String> {
    let local = volume.text_of("driver").is_none_or(|driver| driver == "local");
    let external = volume.get("external").is_some_and(|e| e.is_true() || e.map().is_some());
    let options = volume.get("driver_opts").filter(|_| local && !external)?;
    let binds = options.text_of("o")?.split(',').any(|o| matches!(o.trim(), "bind" | "rbind"));
    let Data::Scalar(device) = &options.get("device")?.data else { return None };
    let base = project.bases.get(volume.origin.base.0).map_or(&*project.directory, |b| b.as_path());
    (binds && device.unset.is_empty() && !device.text.is_empty())
        .then(|| resolve_path(&device.text, base, home))
}

/// See [`Mount::uncleaned`].
fn uncleaned(kind: MountKind, source: Option<&str>) -> Option<String> {
    let path = source.filter(|path| kind == MountKind::Bind && path.starts_with('/'))?;
    (lexical_clean(Path::new(path)).to_str() != Some(path)).then(|| path.to_owned())
}

/// See [`Mount::by_mount_interface`].
fn by_mount_interface(item: &Value) -> bool {
    let Some(bind) = item.get("bind") else { return false };
    let says = |key: &str| bind.text_of(key).is_some_and(|text| !text.is_empty());
    bind.get("create_host_path").is_some_and(|create| !create.is_true())
        || says("propagation")
        || says("recursive")
}

/// The first consistency flag among some words.
fn flag_among<'w>(mut words: impl Iterator<Item = &'w str>) -> Option<String> {
    words.find(|word| CONSISTENCY_FLAGS.contains(word)).map(str::to_owned)
}

/// A host path as Compose resolves it: `~` is the home directory, relative paths start at `base`,
/// Windows paths stay as they are.
pub(super) fn resolve_path(path: &str, base: &Path, home: Option<&Path>) -> String {
    if let (Some(rest), Some(home)) = (path.strip_prefix('~'), home) {
        let joined = home.join(rest.trim_start_matches(std::path::is_separator));
        return lexical_clean(&joined).to_string_lossy().into_owned();
    }
    if is_windows_path(path) {
        return path.to_owned();
    }
    lexical_clean(&base.join(path)).to_string_lossy().into_owned()
}

/// True for an absolute path of Windows: `C:\code`, `C:/code`, `\\server\share`.
fn is_windows_path(path: &str) -> bool {
    let mut chars = path.chars();
    path.starts_with(r"\\")
        || chars.next().is_some_and(|c| c.is_ascii_alphanumeric())
            && chars.next() == Some(':')
            && matches!(chars.next(), Some('\\' | '/'))
}

/// A value on one line, mappings sorted: only for comparing.
fn plain_text(value: &Value) -> String {
    match &value.data {
        Data::Null => "~".to_owned(),
        Data::Scalar(text) => text.text.clone(),
        Data::List(list) => {
            let items: Vec<String> = list.items.iter().map(plain_text).collect();
            format!("[{}]", items.join(","))
        }
        Data::Map(map) => {
            let mut items: Vec<String> =
                map.entries.iter().map(|(k, v)| format!("{k}:{}", plain_text(v))).collect();
            items.sort();
            format!("{{{}}}", items.join(","))
        }
    }
}

/// `environment` as a mapping or as a list of `NAME=value`.
fn environment(value: &Value) -> BTreeMap<String, Option<String>> {
    let known = |value: &Value| match &value.data {
        Data::Scalar(text) => text.unset.is_empty(),
        _ => false,
    };
    match &value.data {
        Data::Map(map) => {
            let entries = map.entries.iter();
            entries
                .map(|(k, v)| (k.clone(), v.text().filter(|_| known(v)).map(str::to_owned)))
                .collect()
        }
        Data::List(list) => {
            let entry = |item: &Value| {
                let text = item.text()?;
                let (name, value) =
                    text.split_once('=').map_or((text, None), |(n, v)| (n, Some(v)));
                Some((name.to_owned(), value.filter(|_| known(item)).map(str::to_owned)))
            };
            list.items.iter().filter_map(entry).collect()
        }
        _ => BTreeMap::new(),
    }
}

/// Splits a command line at blanks; quotes hold words together.
fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, c) if c.is_whitespace() => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            (_, c) => word.push(c),
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

fn list_of(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", names.join(", "))
}

/// A source such as `app/src` can be neither: no volume may be called that, and a path starts with
/// `./`. Where a variable brought it in, another machine may set another value. Other undeclared
/// volumes may come from a file that this one is loaded with.
fn check_volume_names(project: &Project) -> Result<(), Problem> {
    for mount in project.services.iter().flat_map(|s| &s.mounts) {
        let Some(source) = mount.source.as_deref().filter(|_| mount.kind == MountKind::Volume)
        else {
            continue;
        };
        let declared = project.volumes.iter().any(|v| v.key == source);
        let literal = || {
            let file = project.file(mount.origin.file);
            file.is_some_and(|f| f.source.slice(project.place_of(mount.origin).1).contains(source))
        };
        if !declared && !is_name(source) && literal() {
            let message = format!("`{source}` is neither a volume's name nor a path");
            return Err(problem(project, mount.origin, message)
                .with_help(format!("write `./{source}` if it is a directory")));
        }
    }
    Ok(())
}

/// Equal builds give equal images, whatever name they get. An image that another service builds by
/// that name is the built one.
fn name_images(services: &mut [Service]) {
    let by_name: BTreeMap<String, String> =
        services.iter().filter_map(|s| Some((s.image.clone()?, s.build.clone()?))).collect();
    for service in services {
        let build = service.build.as_ref();
        let build = build.or_else(|| service.image.as_ref().and_then(|image| by_name.get(image)));
        service.image_key = match (build, &service.image) {
            (Some(build), _) => format!("build {build}"),
            (None, Some(image)) => format!("image {image}"),
            (None, None) => format!("service {}", service.name),
        };
    }
}
