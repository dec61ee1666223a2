//! Changes to mounts that are there: another flag, several in the place of one, none.

use super::{Done, Placer, is_flow, key_style, same_node, text, users, value_style};
use crate::compose::{CONSISTENCY_FLAGS, Place, Role, Service, sections};
use crate::finding::{Change, NewMount};
use crate::rewrite::Op;
use crate::rewrite::item::{item, short};
use crate::yaml::{Document, Kind, NodeId, Style};

impl Placer<'_> {
    /// Edits the entry at `at` for every service that it feeds; all of them must want it.
    pub(super) fn edit_mount(
        &mut self,
        change: &Change,
        at: Place,
        target: &str,
        done: &mut Done,
    ) -> Result<(), String> {
        let file = self.project.file(at.list.file).ok_or("a file is missing")?;
        // A flag that nothing reads means nothing in any other project either.
        let harmless = matches!(change, Change::SetFlag { flag: None, .. });
        if file.role == Role::Extended && !harmless {
            return Err("its list lies in a file that others may extend too".to_owned());
        }
        let wish = |service: &Service| for_service(change, &service.name);
        if let Some(reason) = self.stranger(at.list, wish, |_| false) {
            return Err(reason);
        }
        let document = &file.document;
        let entry = document.items(at.list.node).get(at.index).ok_or("the entry is gone")?;
        let mut ops = Vec::new();
        match change {
            Change::SetFlag { flag, .. } => {
                ops.push(flag_op(document, at.list.node, entry.node, flag.as_deref())?);
            }
            Change::RemoveMount { .. } => ops.extend(self.removal(document, at)?),
            Change::NarrowMount { to, .. } => {
                ops.extend(narrowed(document, at, entry.node, to)?);
            }
            _ => return Err("this change concerns no mount".to_owned()),
        }
        for user in users(self.project, at.list) {
            let name = user.name.clone();
            done.insert((name.clone(), target.to_owned()));
            match change {
                Change::SetFlag { flag, .. } => {
                    self.effects.flags.insert((name, target.to_owned(), flag.clone()));
                }
                Change::NarrowMount { to, .. } => {
                    self.effects.removed.insert((name.clone(), target.to_owned()));
                    let new = to.iter().map(|mount| (name.clone(), mount.clone()));
                    self.effects.mounts.extend(new);
                }
                _ => {
                    self.effects.removed.insert((name, target.to_owned()));
                }
            }
        }
        for op in ops {
            self.push(at.list.file, op);
        }
        Ok(())
    }

    /// The item goes; its list as well when nothing is left in it, because Compose takes no empty
    /// key. Of several that empty their list the first takes it away.
    fn removal(&self, document: &Document, at: Place) -> Result<Option<Op>, String> {
        let items = document.items(at.list.node);
        let going = |index: usize| {
            self.changes.iter().any(|change| {
                matches!(change, Change::RemoveMount { at: other, .. }
                    if same_node(other.list, at.list) && other.index == index)
            })
        };
        if !(0..items.len()).all(going) {
            return Ok(Some(Op::RemoveItem { sequence: at.list.node, index: at.index }));
        }
        if at.index > 0 {
            return Ok(None);
        }
        let node = document.node(at.list.node);
        if node.anchor.is_some() {
            return Err("its list has an anchor and would be empty".to_owned());
        }
        let parent = document.parent_of(at.list.node).ok_or("the list has no parent")?;
        let index = document.entries(parent).iter().position(|e| e.value == at.list.node);
        let index = index.ok_or("the list has no key")?;
        Ok(Some(Op::RemoveEntry { mapping: parent, index }))
    }
}

/// The same change for another service.
fn for_service(change: &Change, name: &str) -> Change {
    let mut change = change.clone();
    match &mut change {
        Change::SetFlag { service, .. }
        | Change::RemoveMount { service, .. }
        | Change::NarrowMount { service, .. } => name.clone_into(service),
        _ => {}
    }
    change
}

/// Takes the present flags off an entry and puts `flag` on it.
fn flag_op(
    document: &Document,
    list: NodeId,
    node: NodeId,
    flag: Option<&str>,
) -> Result<Op, String> {
    match &document.node(node).kind {
        Kind::Scalar { value, .. } => {
            let text = with_flag(value, flag)?;
            Ok(Op::SetText { node, text })
        }
        Kind::Mapping { entries, flow } => {
            let there = entries.iter().position(|e| {
                matches!(&document.node(e.key).kind, Kind::Scalar { value, .. } if value == "consistency")
            });
            match (there, flag) {
                (Some(index), None) => Ok(Op::RemoveEntry { mapping: node, index }),
                (Some(index), Some(flag)) => {
                    let node = entries.get(index).ok_or("the entry is gone")?.value;
                    Ok(Op::SetText { node, text: flag.to_owned() })
                }
                (None, Some(flag)) => Ok(Op::InsertEntry {
                    mapping: node,
                    index: entries.len(),
                    key: ("consistency".to_owned(), key_style(document, node)),
                    value: text(
                        flag,
                        value_style(document, node),
                        *flow || is_flow(document, list),
                    ),
                }),
                (None, None) => Err("the flag is written elsewhere".to_owned()),
            }
        }
        Kind::Alias { .. } => Err("the entry is an alias".to_owned()),
        Kind::Sequence { .. } => Err("the entry is no mount".to_owned()),
    }
}

/// A short entry with another flag: `a:b` becomes `a:b:x`, `a:b:c` becomes `a:b:c,x`.
fn with_flag(entry: &str, flag: Option<&str>) -> Result<String, String> {
    let parts = sections(entry);
    let (source, target, options) = match parts.as_slice() {
        [source, target] => (source, target, ""),
        [source, target, options] => (source, target, *options),
        _ => return Err("the whole entry comes from a variable".to_owned()),
    };
    if options.contains('$') {
        return Err("its options come from a variable".to_owned());
    }
    let kept = options.split(',').filter(|o| !o.is_empty() && !CONSISTENCY_FLAGS.contains(o));
    let options: Vec<&str> = kept.chain(flag).collect();
    let tail = if options.is_empty() { String::new() } else { format!(":{}", options.join(",")) };
    Ok(format!("{source}:{target}{tail}"))
}

/// The entry becomes the first of the new mounts, the others follow it.
fn narrowed(
    document: &Document,
    at: Place,
    node: NodeId,
    to: &[NewMount],
) -> Result<Vec<Op>, String> {
    let (first, rest) = to.split_first().ok_or("nothing would be left of the bind")?;
    let mut ops = Vec::new();
    match &document.node(node).kind {
        Kind::Scalar { style: Style::Plain | Style::Single | Style::Double, .. } => {
            let text = short(first).ok_or("the short syntax cannot say the new mounts")?;
            ops.push(Op::SetText { node, text });
        }
        _ => return Err("only a bind in short syntax can be split up".to_owned()),
    }
    for mount in rest {
        let value = item(document, at.list.node, Some(at.index), mount);
        ops.push(Op::InsertItem { sequence: at.list.node, index: at.index + 1, value });
    }
    Ok(ops)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::compose::{Request, load};
    use crate::host::{Environment, MemoryHost};
    use crate::rewrite::{Bystanders, place};

    #[test]
    fn flags_go_behind_options_and_never_into_a_default() {
        for (entry, flag, written) in [
            ("./:/app", Some("cached"), "./:/app:cached"),
            (".:/srv:z", Some("cached"), ".:/srv:z,cached"),
            (".:/srv:ro,delegated,Z", Some("cached"), ".:/srv:ro,Z,cached"),
            (".:/app:cached", None, ".:/app"),
            ("./log:/log:rw,delegated", None, "./log:/log:rw"),
            ("${S:-./lib}:${D:-/lib}", Some("cached"), "${S:-./lib}:${D:-/lib}:cached"),
            ("C:\\work:/wd", Some("cached"), "C:\\work:/wd:cached"),
        ] {
            assert_eq!(with_flag(entry, flag).as_deref(), Ok(written), "{entry}");
        }
        assert!(with_flag(".:/app:${MODE}", None).is_err());
        assert!(with_flag("${ALL}", None).is_err());
    }

    /// The ops that take the mounts at these targets out of every service that has them.
    fn removed(text: &str, targets: &[&str]) -> Result<Vec<Op>, String> {
        let host = MemoryHost::default().with_file("/p/compose.yaml", text);
        let environment = Environment { directory: "/p".into(), ..Environment::default() };
        let request = Request { files: vec!["/p/compose.yaml".into()], ..Request::default() };
        let project = load(&host, &environment, &request).unwrap();
        let mounts = project.services.iter().flat_map(|s| s.mounts.iter().map(move |m| (s, m)));
        let changes = mounts.filter(|(_, m)| targets.contains(&m.target.as_str())).map(|(s, m)| {
            let service = s.name.clone();
            Change::RemoveMount { service, at: m.place.unwrap(), target: m.target.clone() }
        });
        let bystanders = Bystanders { wanted: &BTreeSet::new(), indifferent: &|_| false };
        let placement = place(&project, &changes.collect(), &bystanders)?;
        Ok(placement.files.into_iter().flat_map(|file| file.ops).collect())
    }

    #[test]
    fn a_list_goes_with_its_last_entry() {
        let list = "services:\n  a:\n    image: x\n    volumes: [./:/a, ./b:/b, data:/c]\nvolumes: {data: }\n";
        let items = |targets: &[&str]| removed(list, targets).unwrap();
        assert!(matches!(items(&["/a"])[..], [Op::RemoveItem { index: 0, .. }]));
        assert!(matches!(
            items(&["/a", "/c"])[..],
            [Op::RemoveItem { index: 0, .. }, Op::RemoveItem { index: 2, .. }]
        ));
        assert!(matches!(items(&["/a", "/b", "/c"])[..], [Op::RemoveEntry { index: 1, .. }]));
    }

    #[test]
    fn a_list_that_others_use_stays() {
        let anchored = "services:\n  a:\n    image: x\n    volumes: &v [./:/a]\n  b:\n    image: y\n    volumes: *v\n";
        let reason = removed(anchored, &["/a"]).unwrap_err();
        assert!(reason.contains("has an anchor and would be empty"), "{reason}");
        let two = anchored.replace("./:/a]", "./:/a, ./b:/b]");
        assert!(matches!(removed(&two, &["/a"]).unwrap()[..], [Op::RemoveItem { index: 0, .. }]));
    }
}
