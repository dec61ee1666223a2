//! Single entries of settings files.

use serde_json::Value;

use crate::rules::Format;
use crate::source::Source;
use crate::yaml::{self, Document, NodeId};

/// What stands behind a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Entry {
    /// A text.
    Text(String),
    /// A list of texts, or the `packages` of a mapping.
    List(Vec<String>),
    /// Anything else.
    Odd,
}

/// What stands behind `key`, whose parts are joined by dots; none when nothing does, and for a file
/// that cannot be understood.
pub(super) fn entry(bytes: &[u8], key: &str, format: Format) -> Option<Entry> {
    let text = std::str::from_utf8(bytes).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match format {
        Format::Json => json(text, key),
        Format::Toml => toml(text, key),
        Format::Yaml => yaml(text, key),
    }
}

fn json(text: &str, key: &str) -> Option<Entry> {
    let root: Value = serde_json::from_str(text).ok()?;
    let value = key.split('.').try_fold(&root, |value, key| value.get(key))?;
    let list = |value: &Value| {
        let texts = value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned));
        texts.collect::<Option<Vec<String>>>()
    };
    match value {
        Value::Null => None,
        Value::String(text) => Some(Entry::Text(text.clone())),
        other => {
            let found = list(other).or_else(|| other.get("packages").and_then(list));
            Some(found.map_or(Entry::Odd, Entry::List))
        }
    }
}

fn yaml(text: &str, key: &str) -> Option<Entry> {
    let document = yaml::parse(&Source::new("", text), &yaml::Limits::default()).ok()?;
    let root = document.follow(*document.roots().first()?);
    let get = |node: NodeId, key: &str| Some(document.follow(document.get(node, key)?.value));
    let value = key.split('.').try_fold(root, get)?;
    if let Some(text) = document.text_of(value) {
        return (!text.is_empty()).then(|| Entry::Text(text.to_owned()));
    }
    let found = list(&document, value).or_else(|| list(&document, get(value, "packages")?));
    Some(found.map_or(Entry::Odd, Entry::List))
}

fn list(document: &Document, node: NodeId) -> Option<Vec<String>> {
    let items = document.items(node);
    let texts = items.iter().map(|item| document.text_of(document.follow(item.node)));
    (!items.is_empty()).then(|| texts.map(|t| t.map(str::to_owned)).collect())?
}

/// Reads `key = "text"`, with the table in front where it stands below one.
fn toml(text: &str, key: &str) -> Option<Entry> {
    let plain = |name: &str| name.replace(['"', '\'', ' ', '\t'], "");
    let mut table = String::new();
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            table = plain(name.split(']').next().unwrap_or_default());
            continue;
        }
        let Some((name, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) else {
            continue;
        };
        let name = plain(name);
        let whole = if table.is_empty() { name } else { format!("{table}.{name}") };
        if whole == key {
            return Some(quoted(value.trim()).map_or(Entry::Odd, Entry::Text));
        }
    }
    None
}

/// The text between quotes, if nothing but a comment follows and nothing in it is escaped.
fn quoted(value: &str) -> Option<String> {
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (text, rest) = value.strip_prefix(quote)?.split_once(quote)?;
    let rest = rest.trim_start();
    let ends = rest.is_empty() || rest.starts_with('#');
    (ends && !text.contains('\\')).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Entry {
        Entry::Text(text.to_owned())
    }

    fn list(texts: &[&str]) -> Entry {
        Entry::List(texts.iter().map(|t| (*t).to_owned()).collect())
    }

    #[test]
    fn json_entries_are_found_by_their_keys() {
        let at = |file: &str| entry(file.as_bytes(), "config.vendor-dir", Format::Json);
        assert_eq!(at("\u{feff}{\"config\": {\"vendor-dir\": \"lib\"}}"), Some(text("lib")));
        assert_eq!(at(r#"{"config": {"vendor-dir": 1}}"#), Some(Entry::Odd));
        for file in [r#"{"config": {}}"#, r#"{"config": {"vendor-dir": null}}"#, "{", "[]"] {
            assert_eq!(at(file), None, "{file}");
        }
        let packages = |file: &str| entry(file.as_bytes(), "workspaces", Format::Json);
        assert_eq!(packages(r#"{"workspaces": ["a/*", "b"]}"#), Some(list(&["a/*", "b"])));
        assert_eq!(packages(r#"{"workspaces": {"packages": ["a"]}}"#), Some(list(&["a"])));
        assert_eq!(packages(r#"{"workspaces": {"nohoist": ["a"]}}"#), Some(Entry::Odd));
    }

    #[test]
    fn yaml_entries_are_found_by_their_keys() {
        let at = |file: &str, key: &str| entry(file.as_bytes(), key, Format::Yaml);
        assert_eq!(
            at("---\nBUNDLE_PATH: \"vendor/gems\"\n", "BUNDLE_PATH"),
            Some(text("vendor/gems"))
        );
        assert_eq!(
            at("packages:\n  - 'a/*'\n  - \"!a/b\"\n", "packages"),
            Some(list(&["a/*", "!a/b"]))
        );
        assert_eq!(at("packages: []\n", "packages"), Some(Entry::Odd));
        for file in ["", "a: 1", "packages:", "packages: [", "- packages"] {
            assert_eq!(at(file, "packages"), None, "{file}");
        }
    }

    #[test]
    fn toml_entries_are_found_below_their_table() {
        let at = |file: &str| entry(file.as_bytes(), "build.target-dir", Format::Toml);
        for file in [
            "[build]\ntarget-dir = \"out\" # here",
            "[net]\na = 1\n[ build ]\njobs = 2\n'target-dir'='out'",
            "build.target-dir = 'out'",
        ] {
            assert_eq!(at(file), Some(text("out")), "{file}");
        }
        assert_eq!(at("[build]\ntarget-dir = [\"out\"]"), Some(Entry::Odd));
        for file in
            ["[build]\n#target-dir = 'out'", "target-dir = 'out'", "[other]\ntarget-dir='o'"]
        {
            assert_eq!(at(file), None, "{file}");
        }
    }
}
