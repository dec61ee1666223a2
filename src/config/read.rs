//! The text of a configuration to its values, or to a problem with a place.
//!
//! The text goes through both readers: the tree tells places and refuses what was made to break a
//! program, serde tells values.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::file::ConfigFile;
use super::{Config, Refused, item};
use crate::error::{Problem, shortened, unknown};
use crate::host::{EntryKind, Host};
use crate::source::{Source, Span};
use crate::yaml::{self, Document};

/// Bytes that a configuration may have.
const FILE_LIMIT: u64 = 1 << 20;

/// Characters of an error that may hold a value of the file.
const LONGEST: usize = 300;

/// Seconds that a sidecar may wait.
const INTERVALS: std::ops::RangeInclusive<u32> = 1..=3600;

pub(super) fn read(host: &dyn Host, path: &Path, name: &str) -> Result<Config, Box<Refused>> {
    let refused = |problem, source| Box::new(Refused { problem, source });
    let bytes = host.read(path, FILE_LIMIT).map_err(|error| {
        let message = match host.target_kind(path) {
            Some(EntryKind::Directory) => "this is a directory, not a configuration".to_owned(),
            _ => format!("cannot read the configuration: {error}"),
        };
        let help = "rename or repair it, name another with --config, or use --no-config";
        refused(Problem::of_file(name, message).with_help(help), None)
    })?;
    let source = yaml::decode(name, bytes).map_err(|problem| refused(problem, None))?;
    let directory = path.parent().unwrap_or(path).to_path_buf();
    match parts(&source, &directory) {
        Ok((document, file, excluded)) => {
            Ok(Config { path: path.to_path_buf(), directory, source, file, document, excluded })
        }
        Err(problem) => Err(refused(problem, Some(source))),
    }
}

fn parts(source: &Source, directory: &Path) -> Result<(Document, ConfigFile, Gitignore), Problem> {
    let limits = yaml::Limits { nodes: 100_000, ..yaml::Limits::default() };
    let document = yaml::parse(source, &limits)?;
    if let Some(second) = document.roots().get(1) {
        let span = document.node(*second).span;
        return Err(Problem::at(source.name(), span, "a configuration is one YAML document"));
    }
    // A file of comments alone says nothing.
    let empty = document.roots().first().is_none_or(|root| document.text_of(*root) == Some(""));
    let file = if empty {
        ConfigFile::default()
    } else {
        serde_yaml::from_str(source.text()).map_err(|error| problem(source, &document, &error))?
    };
    holds(source, &document, &file)?;
    let excluded = excluded(source, &document, &file, directory)?;
    Ok((document, file, excluded))
}

/// What serde has to say, at its place and in our words.
fn problem(source: &Source, document: &Document, error: &serde_yaml::Error) -> Problem {
    let text = error.to_string();
    let Some(location) = error.location() else {
        return Problem::of_file(source.name(), text);
    };
    let place = format!(" at line {} column {}", location.line(), location.column());
    let message = in_our_words(text.strip_suffix(&place).unwrap_or(&text));
    let message = shortened(&message, LONGEST).into_owned();
    let at = source.offset_of(location.line(), location.column());
    Problem::at(source.name(), value_at(document, at), message)
}

/// The smallest value that begins at an offset; the offset alone where none does.
fn value_at(document: &Document, at: usize) -> Span {
    let begin = document.nodes().map(|node| node.span).filter(|span| span.start == at);
    begin.min_by_key(|span| span.end).unwrap_or(Span::at(at))
}

/// Names a close word for one that is not known.
fn in_our_words(message: &str) -> String {
    for (theirs, ours) in [("unknown field", "key"), ("unknown variant", "word")] {
        let Some((path, rest)) = message.split_once(theirs) else { continue };
        let mut words = rest.split('`').skip(1).step_by(2);
        let Some(word) = words.next() else { continue };
        let known: Vec<&str> = words.collect();
        let otherwise = format!("known are {}", known.join(", "));
        return format!("{path}{}", unknown(ours, word, known, &otherwise));
    }
    let message = message.replace("missing field", "missing key");
    match message.strip_suffix("expected u64").or_else(|| message.strip_suffix("expected u32")) {
        Some(head) => format!("{head}expected a whole number"),
        None => message,
    }
}

/// What the types cannot say.
fn holds(source: &Source, document: &Document, file: &ConfigFile) -> Result<(), Problem> {
    let span = |key: &str, index: Option<usize>| {
        let root = document.roots().first();
        let value = root.and_then(|root| document.get(*root, key)).map(|entry| entry.value);
        let node = index.map_or(value, |index| item(document, key, index));
        node.map_or(Span::default(), |node| document.node(node).span)
    };
    let wrong = |span: Span, message: String| Err(Problem::at(source.name(), span, message));
    if file.min_files == Some(0) {
        return wrong(span("min-files", None), "a tree has at least 1 file".to_owned());
    }
    for (index, entry) in file.ignore.iter().enumerate() {
        if entry.rule.is_none()
            && entry.file.is_none()
            && entry.service.is_none()
            && entry.target.is_none()
        {
            let message =
                "this entry would ignore everything: name a rule, file, service or target";
            return wrong(span("ignore", Some(index)), message.to_owned());
        }
    }
    for (index, entry) in file.projects.iter().enumerate() {
        if entry.files.is_empty() {
            let message = "this project has no file: name its Compose files";
            return wrong(span("projects", Some(index)), message.to_owned());
        }
    }
    if file.sidecar.interval.is_some_and(|seconds| !INTERVALS.contains(&seconds)) {
        let (least, most) = (INTERVALS.start(), INTERVALS.end());
        let message = format!("`interval` is a number of seconds from {least} to {most}");
        return wrong(span("sidecar", None), message);
    }
    if file.sidecar.image.as_ref().is_some_and(|image| !is_image(image)) {
        return wrong(span("sidecar", None), "`image` is no name of an image".to_owned());
    }
    Ok(())
}

/// A name with registry, tag and digest as they may be, and nothing that YAML or Compose would read
/// as something else.
fn is_image(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-/:@".contains(c);
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.ends_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(fits)
}

fn excluded(
    source: &Source,
    document: &Document,
    file: &ConfigFile,
    directory: &Path,
) -> Result<Gitignore, Problem> {
    let at = |index| {
        item(document, "exclude", index).map_or(Span::default(), |node| document.node(node).span)
    };
    let mut builder = GitignoreBuilder::new(directory);
    for (index, pattern) in file.exclude.iter().enumerate() {
        if pattern.trim().is_empty() || pattern.starts_with('#') {
            let message = "this pattern is empty: name a file or directory".to_owned();
            return Err(Problem::at(source.name(), at(index), message));
        }
        builder.add_line(None, pattern).map_err(|error| {
            let message = error.to_string();
            Problem::at(source.name(), at(index), shortened(&message, LONGEST))
        })?;
    }
    builder.build().map_err(|error| {
        let message = format!("the patterns of `exclude` are too many or too large: {error}");
        Problem::of_file(source.name(), message)
    })
}
