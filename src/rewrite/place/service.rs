//! Whole new services.

use super::{NewService, Placer, is_flow, key_style, root_for, text};
use crate::compose::Place;
use crate::finding::NewMount;
use crate::rewrite::Op;
use crate::rewrite::item::short;
use crate::yaml::{Kind, New, Style};

impl Placer<'_> {
    pub(super) fn add_service(
        &mut self,
        name: &str,
        near: &str,
        beside: Place,
        service: NewService,
    ) -> Result<(), String> {
        let home = self.beside(self.named(near)?, beside)?;
        let document = self.document(home.file)?;
        let root = root_for(document, home.node).ok_or("the file has no top level")?;
        let services = document.get(root, "services").map(|entry| document.follow(entry.value));
        let services = services.filter(|s| matches!(document.node(*s).kind, Kind::Mapping { .. }));
        let mapping = services.ok_or("the file's `services` takes no further entry")?;
        let style = key_style(document, mapping);
        let index = document.entries(mapping).len();
        let mounts: Option<Vec<New>> =
            service.mounts.iter().map(|m| short(m).map(New::plain)).collect();
        let mounts = mounts.ok_or("the short syntax cannot say its mounts")?;
        let mut whole = service.definition.clone();
        if let New::Mapping { entries, .. } = &mut whole {
            let list = New::Sequence { items: mounts, flow: false };
            entries.push(("volumes".to_owned(), Style::Plain, list));
        }
        let value = fitted(&whole, style, is_flow(document, mapping));
        let key = (name.to_owned(), style);
        self.push(home.file, Op::InsertEntry { mapping, index, key, value });
        for volume in service.mounts.iter().filter_map(NewMount::volume) {
            self.homes.entry(volume.to_owned()).or_default().push(home);
        }
        self.effects.services.insert(name.to_owned(), service);
        Ok(())
    }
}

/// A value as it is written where the keys have `style`: in brackets for `flow`, everything in double
/// quotes where the keys are, and no text without quotes that would be read as something else.
fn fitted(value: &New, style: Style, flow: bool) -> New {
    match value {
        New::Null => New::Null,
        New::Scalar { text: value, style: own } => match (style, own) {
            (_, Style::Plain) if is_word(value) => New::plain(value.clone()),
            (Style::Double, _) => New::Scalar { text: value.clone(), style: Style::Double },
            (_, Style::Literal | Style::Folded) if !flow => {
                New::Scalar { text: value.clone(), style: *own }
            }
            (_, Style::Literal | Style::Folded) => {
                New::Scalar { text: value.clone(), style: Style::Double }
            }
            _ => text(value, *own, flow),
        },
        New::Sequence { items, flow: own } => {
            let flow = flow || *own;
            let items = items.iter().map(|item| fitted(item, style, flow)).collect();
            New::Sequence { items, flow }
        }
        New::Mapping { entries, flow: own } => {
            let flow = flow || *own;
            let entry = |(key, own, value): &(String, Style, New)| {
                let key_style = if style == Style::Double { style } else { *own };
                (key.clone(), key_style, fitted(value, style, flow))
            };
            New::Mapping { entries: entries.iter().map(entry).collect(), flow }
        }
    }
}

/// True for what JSON has without quotes.
fn is_word(value: &str) -> bool {
    matches!(value, "true" | "false" | "null") || value.parse::<u32>().is_ok()
}
