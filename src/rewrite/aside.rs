//! Changes that go to one given file: the project's override file, or a file of the user's choice.
//!
//! Compose puts such a file on top of the others, so it holds only what is new. What it cannot say,
//! because Compose adds mounts and never takes one away, is refused with the reason.

mod content;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::emit::fresh;
use super::gate::rewritten;
use super::place::Effects;
use crate::compose::{
    Chosen, DEFAULT_NAMES, File, OVERRIDE_NAMES, Project, Request, files_of_directory,
    relative_name,
};
use crate::finding::Change;
use crate::host::{Host, lexical_clean};
use crate::yaml::Kind;
use content::Content;

/// Where the user wants changes to go.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Destination {
    /// Each into the file that it concerns.
    #[default]
    InPlace,
    /// The file that Compose puts on top of the project's first one by itself.
    Override,
    /// This file.
    File(PathBuf),
}

/// Where the changes of one project go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outlet {
    /// Each into the file that it concerns.
    InPlace,
    /// All into one file.
    OneFile(OneFile),
    /// Nowhere, for this reason.
    Closed(String),
}

/// The file that all changes go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneFile {
    /// Absolute path.
    pub path: PathBuf,
    /// True for a file that the project does not have yet.
    pub is_new: bool,
    /// What the user has to do so that Compose loads a new file; none when it does so by itself.
    pub hint: Option<String>,
    /// What a new file says about itself in its first line.
    about: String,
}

/// Finds where the changes of a project go; `here` is the working directory, `request` what was
/// loaded.
pub fn outlet(
    host: &dyn Host,
    here: &Path,
    project: &Project,
    request: &Request,
    destination: &Destination,
) -> Outlet {
    let finder = Finder { host, here, project, request };
    let found = match destination {
        Destination::InPlace => return Outlet::InPlace,
        Destination::Override => finder.override_file(),
        Destination::File(path) => finder.other_file(path),
    };
    found.map_or_else(Outlet::Closed, Outlet::OneFile)
}

struct Finder<'a> {
    host: &'a dyn Host,
    here: &'a Path,
    project: &'a Project,
    request: &'a Request,
}

impl Finder<'_> {
    /// The project's override file, or the one that it is to get.
    fn override_file(&self) -> Result<OneFile, String> {
        let Self { host, project, .. } = self;
        let name = |path: &Path| relative_name(self.here, path);
        let [first, rest @ ..] = project.stack.as_slice() else {
            return Err("the project has no file".to_owned());
        };
        let directory = first.parent().unwrap_or(first);
        let is_override = |path: &&PathBuf| {
            path.parent() == Some(directory) && OVERRIDE_NAMES.iter().any(|n| path.ends_with(n))
        };
        if let Some(over) = rest.iter().find(is_override) {
            return Ok(OneFile {
                path: over.clone(),
                is_new: false,
                hint: None,
                about: String::new(),
            });
        }
        let way_out = "give the changes a file with `--to PATH`";
        let default = files_of_directory(*host, directory).unwrap_or_default();
        if !DEFAULT_NAMES.iter().any(|n| first.ends_with(n)) || default.first() != Some(first) {
            return Err(format!("Compose loads no override file with {}: {way_out}", name(first)));
        }
        if let Some(over) = default.get(1) {
            return Err(format!(
                "{0} is no part of this run: add `-f {1} -f {0}`",
                name(over),
                name(first)
            ));
        }
        if !rest.is_empty() {
            // On top of the first file alone the changes might not even load.
            return Err(format!(
                "Compose loads no override file by itself when there are several files: {way_out}"
            ));
        }
        let stem = first.file_stem().unwrap_or_default().to_string_lossy();
        let ending = first.extension().unwrap_or_default().to_string_lossy();
        let path = directory.join(format!("{stem}.override.{ending}"));
        if project.chosen == Chosen::Default || self.request.alone {
            let about =
                format!("Docker Compose puts this on top of {} by itself.", plain_name(first));
            return Ok(OneFile { path, is_new: true, hint: None, about });
        }
        Ok(self.on_top(path))
    }

    /// A file of the project, or one that is not there yet.
    fn other_file(&self, path: &Path) -> Result<OneFile, String> {
        let path = lexical_clean(&self.here.join(path));
        if self.project.stack.contains(&path) {
            return Ok(OneFile { path, is_new: false, hint: None, about: String::new() });
        }
        if self.host.kind(&path).is_some() {
            let name = relative_name(self.here, &path);
            return Err(format!(
                "{name} exists and is no file of this project: name the project's files and it with -f, or choose another file"
            ));
        }
        Ok(self.on_top(path))
    }

    /// A new file that Compose loads only when it is told to.
    fn on_top(&self, path: PathBuf) -> OneFile {
        let flags = |name: &dyn Fn(&Path) -> String| {
            let stack = self.project.stack.iter().chain([&path]);
            let flags: Vec<String> = stack.map(|file| format!("-f {}", name(file))).collect();
            flags.join(" ")
        };
        let name = |path: &Path| relative_name(self.here, path);
        let hint = match self.project.chosen {
            Chosen::Variable => format!("add {} to COMPOSE_FILE", name(&path)),
            _ => format!("use it with docker compose {}", flags(&name)),
        };
        let about = format!("Goes on top: docker compose {}", flags(&plain_name));
        OneFile { path, is_new: true, hint: Some(hint), about }
    }
}

/// A file's name, fit for a comment.
fn plain_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

impl OneFile {
    /// The file's new text with the changes in it, and what they do.
    ///
    /// # Errors
    /// Why one of the changes cannot be said there.
    pub fn with(
        &self,
        project: &Project,
        changes: &BTreeSet<Change>,
    ) -> Result<(String, Effects), String> {
        let content = Content::of(project, changes)?;
        let text = match project.files.iter().find(|file| file.path == self.path) {
            Some(file) if !self.is_new => extended(file, &content)?,
            _ => {
                let content = fresh(&content.entries());
                format!("# {}\n# Written by composefix.\n\n{content}", self.about)
            }
        };
        Ok((text, content.effects))
    }
}

/// The text of a file that is there with the content in it.
fn extended(file: &File, content: &Content) -> Result<String, String> {
    let document = &file.document;
    let is_mapping =
        |root: &&crate::yaml::NodeId| matches!(document.node(**root).kind, Kind::Mapping { .. });
    if let Some(root) = document.roots().iter().rev().find(is_mapping) {
        return rewritten(file, &content.ops(document, *root)?);
    }
    // Only comments, if anything.
    let mut text = file.source.text().to_owned();
    let newline = file.source.newline_at(0);
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str(newline);
    }
    text.push_str(&fresh(&content.entries()).replace('\n', newline));
    Ok(text)
}

#[cfg(test)]
mod tests;
