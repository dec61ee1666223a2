//! A service's `build`, as far as it tells what the image holds.

use std::path::Path;

use super::Build;
use super::extract::resolve_path;
use super::value::{Data, Value};

/// Reads `build`, short or long. `base` is where relative paths start.
pub(super) fn read(build: &Value, base: &Path, home: Option<&Path>) -> Build {
    let context = build.text().or_else(|| build.text_of("context")).unwrap_or(".");
    let remote = ["https://", "http://", "git://", "ssh://", "github.com/", "git@"]
        .iter()
        .any(|start| context.starts_with(start));
    let context = if remote { context.to_owned() } else { resolve_path(context, base, home) };
    let own = |key: &str| build.text_of(key).filter(|t| !t.is_empty()).map(str::to_owned);
    let mut unset = unset_in(build);
    for key in ["context", "dockerfile", "target"] {
        unset.extend(build.get(key).map(unset_in).unwrap_or_default());
    }
    let contexts = build.get("additional_contexts").map(Value::names).unwrap_or_default();
    let name_of = |entry: &str| entry.split('=').next().unwrap_or_default().to_owned();
    Build {
        context,
        remote,
        dockerfile: own("dockerfile"),
        inline: own("dockerfile_inline"),
        target: own("target"),
        args: build.get("args").map(args).unwrap_or_default().into_iter().collect(),
        additional_contexts: contexts.into_iter().map(name_of).collect(),
        unset,
    }
}

fn unset_in(value: &Value) -> Vec<String> {
    match &value.data {
        Data::Scalar(text) => text.unset.clone(),
        _ => Vec::new(),
    }
}

/// `args` as a mapping or as a list of `NAME=value`.
fn args(args: &Value) -> Vec<(String, Option<String>)> {
    let known =
        |value: &Value| value.text().filter(|_| unset_in(value).is_empty()).map(str::to_owned);
    match &args.data {
        Data::Map(map) => map.entries.iter().map(|(k, v)| (k.clone(), known(v))).collect(),
        Data::List(list) => {
            let entry = |item: &Value| {
                let text = item.text()?;
                Some(match text.split_once('=') {
                    Some((name, value)) => {
                        let value = unset_in(item).is_empty().then(|| value.to_owned());
                        (name.to_owned(), value)
                    }
                    None => (text.to_owned(), None),
                })
            };
            list.items.iter().filter_map(entry).collect()
        }
        _ => Vec::new(),
    }
}
