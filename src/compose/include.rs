//! `include`: other projects' resources beside the own ones.
//!
//! Each included project is loaded on its own, with its own directory and `.env`, before its
//! resources are added.

use std::path::{Path, PathBuf};

use super::load::{Context, Loader, is_remote};
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
        let entries = match include.data {
            Data::Null => return Ok(()),
            Data::List(ref list) => list.items.clone(),
            _ => return Err(self.problem(&include, "`include` must be a list")),
        };
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
            let Some(first) = paths.first() else {
                return Err(self.problem(&entry, "an `include` entry needs a path"));
            };
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
            import(root, imported);
        }
        Ok(())
    }
}

/// Adds an included project's resources; what is there already stays.
fn import(root: &mut Value, imported: Value) {
    let (Data::Map(map), Data::Map(imported)) = (&mut root.data, imported.data) else { return };
    for (section, value) in imported.entries {
        if !matches!(section.as_str(), "services" | "volumes" | "networks" | "secrets" | "configs")
        {
            continue;
        }
        match (map.get_mut(&section), value.data) {
            (Some(Value { data: Data::Map(own), .. }), Data::Map(more)) => {
                for (name, resource) in more.entries {
                    if own.get(&name).is_none() {
                        own.entries.push((name, resource));
                    }
                }
            }
            (None, data) => {
                map.entries.push((section, Value { data, origin: value.origin, directive: None }));
            }
            _ => {}
        }
    }
}
