//! How a new entry is written: as its neighbour is.

use super::layout::fitting;
use crate::compose::sections;
use crate::finding::{NewMount, NewSource};
use crate::yaml::{Document, Kind, New, NodeId, Style};

/// A new item in the way of its neighbour: short or long, quotes, brackets.
pub(super) fn item(
    document: &Document,
    list: NodeId,
    neighbour: Option<usize>,
    mount: &NewMount,
) -> New {
    let items = document.items(list);
    let neighbour = neighbour.and_then(|i| items.get(i)).map(|i| document.follow(i.node));
    let kind = neighbour.map(|n| &document.node(n).kind);
    let in_flow = is_flow(document, list);
    if let Some(entry) = short(mount) {
        let style = match kind {
            Some(Kind::Scalar { style, .. }) => Some(*style),
            Some(Kind::Mapping { .. }) => None,
            _ => Some(if in_flow { key_style(document, list) } else { Style::Plain }),
        };
        if let Some(style) = style {
            return text(&entry, style, in_flow);
        }
    }
    let (flow, style) = match (neighbour, kind) {
        // An alias in brackets may stand for a mapping without.
        (Some(node), Some(Kind::Mapping { flow, .. })) => {
            (*flow || in_flow, value_style(document, node))
        }
        (_, Some(Kind::Scalar { style: Style::Double, .. })) if in_flow => (true, Style::Double),
        _ => (in_flow, Style::Plain),
    };
    let key = match neighbour {
        Some(node) if matches!(kind, Some(Kind::Mapping { .. })) => key_style(document, node),
        _ => style,
    };
    long(mount, key, style, flow)
}

/// `source:target:options`; none for what the short syntax cannot say.
pub(super) fn short(mount: &NewMount) -> Option<String> {
    let (source, mut options) = match &mount.source {
        NewSource::Volume { key, nocopy } => {
            (key, if *nocopy { vec!["nocopy".to_owned()] } else { Vec::new() })
        }
        NewSource::Bind { written, options, .. } => (written, options.clone()),
        NewSource::Anonymous if mount.read_only => return None,
        NewSource::Anonymous => {
            return (sections(&mount.written).len() == 1).then(|| mount.written.clone());
        }
        NewSource::Tmpfs => return None,
    };
    if sections(&mount.written).len() > 1 || sections(source).len() > 1 {
        return None;
    }
    if mount.read_only && !options.iter().any(|o| o == "ro") {
        options.insert(0, "ro".to_owned());
    }
    let options =
        if options.is_empty() { String::new() } else { format!(":{}", options.join(",")) };
    Some(format!("{source}:{}{options}", mount.written))
}

/// A mount as a mapping; `key` and `style` say how keys and values are written.
fn long(mount: &NewMount, key: Style, style: Style, flow: bool) -> New {
    let (kind, source) = match &mount.source {
        NewSource::Volume { key, .. } => ("volume", Some(key.as_str())),
        NewSource::Bind { written, .. } => ("bind", Some(written.as_str())),
        NewSource::Anonymous => ("volume", None),
        NewSource::Tmpfs => ("tmpfs", None),
    };
    let pairs =
        [("type", Some(kind)), ("source", source), ("target", Some(mount.written.as_str()))];
    let mut entries: Vec<(String, Style, New)> = pairs
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), key, text(value?, style, flow))))
        .collect();
    if mount.read_only {
        entries.push(("read_only".to_owned(), key, New::plain("true")));
    }
    let option = |name: &str, value: &str| {
        let entries = vec![(name.to_owned(), key, New::plain(value))];
        New::Mapping { entries, flow }
    };
    match &mount.source {
        NewSource::Volume { nocopy: true, .. } => {
            entries.push(("volume".to_owned(), key, option("nocopy", "true")));
        }
        // Without a mode a tmpfs over a directory takes that directory's mode and belongs to
        // root, so that a service with another user could not write to it. JSON has no octal.
        NewSource::Tmpfs => {
            let mode = if key == Style::Double { "1023" } else { "0o1777" };
            entries.push(("tmpfs".to_owned(), key, option("mode", mode)));
        }
        NewSource::Anonymous | NewSource::Volume { .. } | NewSource::Bind { .. } => {}
    }
    New::Mapping { entries, flow }
}

/// True for a collection in brackets.
pub(super) fn is_flow(document: &Document, id: NodeId) -> bool {
    match &document.node(id).kind {
        Kind::Sequence { flow, .. } | Kind::Mapping { flow, .. } => *flow,
        Kind::Scalar { .. } | Kind::Alias { .. } => false,
    }
}

/// How the keys of a mapping are written; of a list, its first text.
pub(super) fn key_style(document: &Document, id: NodeId) -> Style {
    let first = document
        .entries(id)
        .first()
        .map(|e| e.key)
        .or_else(|| document.items(id).first().map(|i| i.node));
    first.map_or(Style::Plain, |n| scalar_style(document, n))
}

/// How a text is written beside keys of a style: in double quotes where they are, as in JSON.
pub(super) fn beside_keys(keys: Style) -> Style {
    if keys == Style::Double { Style::Double } else { Style::Plain }
}

/// How the first text value of a mapping is written.
pub(super) fn value_style(document: &Document, id: NodeId) -> Style {
    document.entries(id).first().map_or(Style::Plain, |e| scalar_style(document, e.value))
}

fn scalar_style(document: &Document, id: NodeId) -> Style {
    match document.node(id).kind {
        Kind::Scalar { style, .. } => style,
        _ => Style::Plain,
    }
}

/// A new text in a style that can hold it.
pub(super) fn text(value: &str, style: Style, flow: bool) -> New {
    New::Scalar { text: value.to_owned(), style: fitting(value, style, flow) }
}
