//! `include`: other projects' resources beside the own ones.
//!
//! Each included project is loaded on its own, with its own directory and `.env`, before its
//! resources are added.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::conflict::differ;
use super::load::{CHAIN, Context, Loader, is_remote};
use super::value::{Data, Value};
use super::{Role, relative_name};
use crate::error::Problem;
use crate::host::{EntryKind, lexical_clean};

impl Loader<'_> {
    pub(super) fn include(
        &mut self,
        root: &mut Value,
        path: &Path,
        context: &Context,
    ) -> Result<(), Problem> {
        let Some(include) = root.get("include").cloned() else { return Ok(()) };
        let mut trail = context.trail.clone();
        trail.push(path.to_path_buf());
        if trail.len() > CHAIN {
            let message = format!("files include each other over more than {CHAIN} steps");
            return Err(self.problem(&include, message));
        }
        let entries = match include.data {
            Data::Null => return Ok(()),
            Data::List(ref list) => list.items.clone(),
            _ => return Err(self.problem(&include, "`include` must be a list")),
        };
        let mut foreign = BTreeSet::new();
        for entry in entries {
            let paths = if entry.text().is_some() {
                entry.texts()
            } else {
                entry.get("path").map(Value::texts).unwrap_or_default()
            };
            if paths.iter().any(|p| is_remote(p)) {
                self.skip(&entry, None, "an included project is not on this machine".to_owned());
                continue;
            }
            let start = self.directory(context.base).to_path_buf();
            let paths: Vec<PathBuf> = paths.iter().map(|p| lexical_clean(&start.join(p))).collect();
            // Compose takes an entry without a path for one that brings in nothing.
            let Some(first) = paths.first() else { continue };
            if let Some(again) = paths.iter().find(|p| trail.contains(p)) {
                let name = relative_name(&self.environment.directory, again);
                return Err(self.problem(&entry, format!("{name} includes itself in a circle")));
            }
            let directory = match entry.text_of("project_directory") {
                Some(given) => lexical_clean(&start.join(given)),
                None => first.parent().unwrap_or(&start).to_path_buf(),
            };
            let mut variables = context.variables.clone();
            let env_files: Vec<PathBuf> = if let Some(given) = entry.get("env_file") {
                given.texts().iter().map(|f| lexical_clean(&start.join(f))).collect()
            } else {
                let default = directory.join(".env");
                let there = self.host.target_kind(&default) == Some(EntryKind::File);
                there.then_some(default).into_iter().collect()
            };
            let here = &self.environment.directory;
            variables.add_files(self.host, &env_files, &|p| relative_name(here, p))?;
            let inner = Context {
                base: self.base(&directory),
                variables,
                role: Role::Included,
                extend: true,
                trail: trail.clone(),
            };
            for path in &paths {
                self.open(path, Role::Included).map_err(|p| self.blame(&entry, p, path))?;
            }
            let imported = self.stack(&paths, &inner)?;
            if let Some(clash) = import(root, imported, &mut foreign) {
                let file = relative_name(&self.environment.directory, first);
                return Err(self
                    .problem(&entry, format!("{file} defines {clash} in another way"))
                    .with_help(
                        "define it once, or change what is included in a further file of `path`",
                    ));
            }
        }
        Ok(())
    }
}

/// Sections whose entries are brought in, with the word for one.
const SECTIONS: [(&str, &str); 5] = [
    ("services", "service"),
    ("volumes", "volume"),
    ("networks", "network"),
    ("secrets", "secret"),
    ("configs", "config"),
];

/// Adds an included project's resources. What is there already stays, if it is the same: `foreign`
/// are the resources that came in by an `include` before. Returns what is there in another way.
fn import(
    root: &mut Value,
    imported: Value,
    foreign: &mut BTreeSet<(&'static str, String)>,
) -> Option<String> {
    let (Data::Map(map), Data::Map(mut imported)) = (&mut root.data, imported.data) else {
        return None;
    };
    for (section, one) in SECTIONS {
        let Some(at) = imported.entries.iter().position(|(key, _)| key == section) else {
            continue;
        };
        let (_, value) = imported.entries.swap_remove(at);
        let origin = value.origin;
        let Data::Map(more) = value.data else { continue };
        if map.get(section).is_none() {
            let nothing = Data::Map(super::Map { entries: Vec::new(), parts: more.parts.clone() });
            map.entries
                .push((section.to_owned(), Value { data: nothing, origin, directive: None }));
        }
        let Some(Value { data: Data::Map(own), .. }) = map.get_mut(section) else { continue };
        for (name, resource) in more.entries {
            let key = (section, name.clone());
            match own.get(&name) {
                Some(there) if differ(there, &resource, !foreign.contains(&key)) => {
                    return Some(format!("{one} `{name}`, which is there already,"));
                }
                Some(_) => {}
                None => {
                    own.entries.push((name, resource));
                    foreign.insert(key);
                }
            }
        }
    }
    None
}
