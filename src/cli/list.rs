//! `composefix list`.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::Serialize;

use super::args::{ListFlags, ListFormat, Listed};
use super::{Command, Exit};
use crate::detect;
use crate::error::Error;
use crate::report::visible::visible;
use crate::rules::{Access, Rules};
use crate::strategy;

impl Command<'_> {
    pub(super) fn list(&mut self, flags: &ListFlags) -> Result<Exit, Error> {
        let rules = self.rules(&flags.rules)?;
        let rows = rows(flags.what, &rules);
        let text = match flags.format {
            ListFormat::Text => columns(&rows),
            ListFormat::Json => {
                // Rows are strings and lists of strings: nothing in them can fail to become JSON.
                serde_json::to_string_pretty(&rows).unwrap_or_default() + "\n"
            }
        };
        self.print(&text)?;
        Ok(Exit::Success)
    }
}

/// One line of a list.
#[derive(Serialize)]
#[serde(untagged)]
enum Row<'a> {
    Rule { id: &'a str, severity: &'a str, summary: &'a str },
    Strategy { id: &'a str, summary: &'a str, repairs: &'a [&'a str] },
    Platform { id: &'a str, title: &'a str, groups: &'a [String] },
    Tree { id: &'a str, access: &'a str, title: &'a str, ecosystem: &'a str, paths: &'a [String] },
}

fn rows(what: Listed, rules: &Rules) -> Vec<Row<'_>> {
    match what {
        Listed::Rules => detect::ALL
            .iter()
            .map(|d| Row::Rule {
                id: d.id(),
                severity: d.meta().severity.word(),
                summary: d.meta().summary,
            })
            .collect(),
        Listed::Strategies => strategy::ALL
            .iter()
            .map(|s| Row::Strategy {
                id: s.id(),
                summary: s.meta().summary,
                repairs: s.meta().repairs,
            })
            .collect(),
        Listed::Platforms => rules
            .platforms()
            .map(|p| Row::Platform { id: &p.id, title: &p.title, groups: &p.groups })
            .collect(),
        Listed::Trees => rules
            .trees()
            .iter()
            .map(|t| Row::Tree {
                id: &t.id,
                access: access_word(t.access),
                title: &t.title,
                ecosystem: &t.ecosystem,
                paths: &t.paths,
            })
            .collect(),
    }
}

/// The word that rule files use.
pub(super) fn access_word(access: Access) -> &'static str {
    match access {
        Access::ReadMostly => "read-mostly",
        Access::WriteHeavy => "write-heavy",
        Access::Kept => "kept",
    }
}

impl Row<'_> {
    /// Its id, a word of its kind or its groups where it has any, and what it is.
    fn cells(&self) -> [Cow<'_, str>; 3] {
        let (id, word, text) = match self {
            Self::Rule { id, severity, summary } => (*id, Cow::from(*severity), *summary),
            Self::Strategy { id, summary, .. } => (*id, Cow::from(""), *summary),
            Self::Platform { id, title, groups } => (*id, Cow::from(groups.join(", ")), *title),
            Self::Tree { id, access, title, .. } => (*id, Cow::from(*access), *title),
        };
        [Cow::from(id), word, Cow::from(text)]
    }
}

fn columns(rows: &[Row<'_>]) -> String {
    let cells: Vec<[String; 3]> =
        rows.iter().map(|row| row.cells().map(|cell| visible(&cell).into_owned())).collect();
    let width = |column: fn(&[String; 3]) -> &String| {
        cells.iter().map(|row| column(row).chars().count()).max().unwrap_or(0)
    };
    let (first, second) = (width(|[id, _, _]| id), width(|[_, word, _]| word));
    let gap = if second == 0 { "" } else { "  " };
    let mut out = String::new();
    for [id, word, text] in &cells {
        writeln!(out, "{id:first$}{gap}{word:second$}  {text}").unwrap_or_default();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_has_a_line_for_each_id() {
        let rules = Rules::builtin().unwrap();
        for (what, id, count) in [
            (Listed::Rules, "slow-tree  ", detect::ALL.len()),
            (Listed::Strategies, "volume  ", strategy::ALL.len()),
            (Listed::Platforms, "macos-virtiofs  ", rules.platforms().count()),
            (Listed::Trees, "composer-vendor  ", rules.trees().len()),
        ] {
            let text = columns(&rows(what, &rules));
            assert_eq!(text.lines().count(), count, "{text}");
            assert!(text.lines().any(|line| line.starts_with(id)), "{text}");
            let json = serde_json::to_value(rows(what, &rules)).unwrap();
            assert_eq!(json.as_array().unwrap().len(), count);
            assert!(json[0]["id"].is_string(), "{json}");
        }
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [
            Row::Rule { id: "a", severity: "warning", summary: "first" },
            Row::Rule { id: "long", severity: "note", summary: "second\u{1b}" },
        ];
        assert_eq!(columns(&rows), "a     warning  first\nlong  note     second\\u{1b}\n");
    }

    #[test]
    fn platforms_stand_with_their_groups() {
        let groups = ["macos".to_owned(), "desktop".to_owned()];
        let rows = [
            Row::Platform { id: "linux", title: "Linux", groups: &[] },
            Row::Platform { id: "mac", title: "Mac", groups: &groups },
        ];
        assert_eq!(columns(&rows), "linux                  Linux\nmac    macos, desktop  Mac\n");
    }
}
