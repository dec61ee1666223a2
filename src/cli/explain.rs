//! `composefix explain`.

use std::fmt::Write as _;

use super::args::{ExplainFlags, OutputFlags};
use super::list::access_word;
use super::{Command, Exit};
use crate::detect;
use crate::error::{Error, unknown};
use crate::report::page::render;
use crate::rules::{
    Answer, Carrier, Citation, Cost, Flag, FlagEffect, Ownership, Platform, Preferences, Rules,
    TreeKind,
};
use crate::strategy;

impl Command<'_> {
    pub(super) fn explain(
        &mut self,
        flags: &ExplainFlags,
        output: &OutputFlags,
    ) -> Result<Exit, Error> {
        let rules = self.rules(&flags.rules)?;
        let found = page(&flags.id, &rules).map_err(|message| Error::Usage { message })?;
        let page = found.ok_or_else(|| Error::Usage {
            message: unknown(
                "id",
                &flags.id,
                ids(&rules),
                "`composefix list rules|strategies|platforms|trees` shows them all",
            ),
        })?;
        let style = self.style(output, self.stdout_is_terminal);
        self.print(&render(&page, style))?;
        Ok(Exit::Success)
    }
}

fn ids(rules: &Rules) -> Vec<&str> {
    let own = detect::ALL.iter().map(|d| d.id()).chain(strategy::ALL.iter().map(|s| s.id()));
    let platforms = rules.platforms().map(|platform| platform.id.as_str());
    own.chain(platforms).chain(rules.trees().iter().map(|tree| tree.id.as_str())).collect()
}

/// The page of an id, or why a version of a platform has none.
fn page(id: &str, rules: &Rules) -> Result<Option<String>, String> {
    if let Some(platform) = rules.platform_named(id)? {
        return Ok(Some(platform_page(&platform)));
    }
    let detector = detect::detector(id).map(|detector| detector.meta().page.to_owned());
    Ok(detector
        .or_else(|| strategy::strategy(id).map(|strategy| strategy.meta().page.to_owned()))
        .or_else(|| rules.tree(id).map(tree_page)))
}

fn platform_page(platform: &Platform) -> String {
    let mut page = format!("# {}\n\n{}\n", platform.id, platform.title);
    list(&mut page, "What a bind mount costs", costs(platform));
    list(&mut page, "What else a bind mount does", behaviour(platform));
    list(&mut page, "Consistency flags that are read", platform.consistency_flags.iter().map(flag));
    list(&mut page, "Strategies, best first", preferences(&platform.strategies));
    list(&mut page, "Advice", platform.advice.iter().cloned());
    list(&mut page, "Notes", platform.notes.iter().cloned());
    let program = platform.program.as_deref().unwrap_or_default();
    for range in &platform.versions {
        let bounds = match (&range.from, &range.below) {
            (Some(from), Some(below)) => format!("from {from} and before {below}"),
            (Some(from), None) => format!("from {from}"),
            (None, below) => format!("before {}", below.as_deref().unwrap_or_default()),
        };
        let strategies = range.strategies.iter().flat_map(preferences);
        let advice = range.advice.iter().filter(|advice| !advice.is_empty()).cloned();
        let lines = std::iter::once(range.says.clone()).chain(strategies).chain(advice);
        list(&mut page, &format!("{program} {bounds}"), lines);
    }
    page.push_str("\n## Sources\n");
    for claim in &platform.claims {
        let doubt = if claim.is_uncertain() { "Not certain: " } else { "" };
        write!(page, "\n{doubt}{}.\n\n", claim.says.trim_end_matches('.')).unwrap_or_default();
        for source in &claim.sources {
            writeln!(page, "- {}", cited(source)).unwrap_or_default();
        }
    }
    page
}

/// What a bind mount costs on the platform, by class of tree.
pub(super) fn costs(platform: &Platform) -> Vec<String> {
    let cost = |cost: Cost| match cost {
        Cost::None => "as fast as a volume",
        Cost::Slow => "slower than a volume",
        Cost::VerySlow => "many times slower than a volume",
    };
    let bind = &platform.bind;
    let lines = [
        format!("many small files, read: {}", cost(bind.read_mostly)),
        format!("many small files, written: {}", cost(bind.write_heavy)),
        format!("a database: {}", cost(bind.database)),
    ];
    let drives = platform.windows_drives.map(|c| format!("from a Windows drive: {}", cost(c)));
    lines.into_iter().chain(drives).collect()
}

/// What the platform does with nested volumes, file events and owners.
pub(super) fn behaviour(platform: &Platform) -> [String; 3] {
    let nested = match platform.nested_volumes {
        Answer::Yes => "a volume nested in it stays mounted",
        Answer::No => "a volume nested in it is lost",
        Answer::Unknown => "whether a volume nested in it stays mounted is not known",
    };
    let events = match platform.host_events {
        Answer::Yes => "a change on the host raises a file event in the container",
        Answer::No => "a change on the host raises no file event in the container",
        Answer::Unknown => {
            "whether a change on the host raises a file event in the container is not known"
        }
    };
    let owners = match platform.ownership {
        Ownership::Real => "owners and modes are those of the host's files",
        Ownership::Emulated => {
            "the container sees the owners that it expects, and the host's files stay as they are"
        }
        Ownership::Fixed => "owners and modes are always the same: `chown` fails or does nothing",
        Ownership::Unknown => "what becomes of owners and modes is not known",
    };
    [nested, events, owners].map(str::to_owned)
}

fn preferences(strategies: &Preferences) -> [String; 2] {
    let shown = |list: &[String]| match list {
        [] => "none".to_owned(),
        list => list.join(", "),
    };
    [
        format!("for trees that are read: {}", shown(&strategies.read_mostly)),
        format!("for trees that are written: {}", shown(&strategies.write_heavy)),
    ]
}

fn flag(own: &Flag) -> String {
    let effect = match own.effect {
        FlagEffect::Faster => "makes the mount faster",
        FlagEffect::Usual => "asks for what happens anyway",
        FlagEffect::Bypass => "makes the mount go past the synchronised copy",
    };
    let by = own.by.iter().map(|by| match by {
        Carrier::ComposeV1 => "by docker-compose 1",
        Carrier::MountInterface => {
            "by any Compose, in long syntax with `create_host_path: false`, `propagation` or `recursive`"
        }
    });
    let by: Vec<&str> = by.collect();
    format!("`{}` {effect}, handed on {}", own.flag, by.join(" or "))
}

fn tree_page(tree: &TreeKind) -> String {
    let mut page = format!("# {}\n\n{} ({})\n", tree.id, tree.title, tree.ecosystem);
    let mut facts = vec![
        format!("lies at {}", tree.paths.join(", ")),
        format!("is {}", access_word(tree.access)),
    ];
    let manifests: Vec<&str> = tree.manifests.iter().map(|m| m.file.as_str()).collect();
    if !manifests.is_empty() {
        facts.push(format!("belongs to {}", manifests.join(", ")));
    }
    if tree.portable {
        facts.push("may be shared by services of different images".to_owned());
    }
    if tree.disposable {
        facts.push("can be thrown away at any time".to_owned());
    }
    if let Some(install) = &tree.install {
        facts.push(format!("is filled by `{install}`"));
    }
    list(&mut page, "What is known", facts);
    list(&mut page, "Sources", tree.sources.iter().map(cited));
    page
}

fn cited(citation: &Citation) -> String {
    let doubt = if citation.uncertain { " (uncertain)" } else { "" };
    let says = citation.says.trim_end_matches('.');
    format!("{says}{doubt}: {} (read {})", citation.url, citation.checked)
}

/// A heading with a list; nothing without items.
fn list(page: &mut String, heading: &str, items: impl IntoIterator<Item = String>) {
    let mut items = items.into_iter().peekable();
    if items.peek().is_some() {
        write!(page, "\n## {heading}\n\n").unwrap_or_default();
    }
    for item in items {
        writeln!(page, "- {item}").unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_has_a_page() {
        let rules = Rules::builtin().unwrap();
        for id in ids(&rules) {
            let page = page(id, &rules).unwrap().unwrap();
            assert!(page.starts_with('#') && page.lines().count() > 2, "{id}: {page}");
        }
        assert_eq!(page("nothing", &rules), Ok(None));
    }

    #[test]
    fn a_platform_page_has_costs_and_sources() {
        let rules = Rules::builtin().unwrap();
        let page = page("macos-virtiofs", &rules).unwrap().unwrap();
        for words in ["# macos-virtiofs\n", "## What a bind mount costs\n", "https://"] {
            assert!(page.contains(words), "{page}");
        }
    }

    #[test]
    fn a_version_has_a_page_of_its_own() {
        let rules = Rules::builtin().unwrap();
        let known = |id| page(id, &rules).unwrap().unwrap();
        let (lost, old) = (known("macos-docker-vmm"), known("macos-docker-vmm@4.70"));
        assert!(lost.contains("a volume nested in it is lost"), "{lost}");
        assert!(lost.contains("## Docker Desktop from 4.68 and before 4.80\n"), "{lost}");
        assert!(old.starts_with("# macos-docker-vmm@4.70\n"), "{old}");
        assert!(old.contains("a volume nested in it stays mounted"), "{old}");
        assert!(old.contains("- From 4.68 to 4.79 no report"), "its range is a note: {old}");
        assert!(!old.contains("## Docker Desktop from"), "other versions are not its: {old}");
        assert!(page("macos-docker-vmm@new", &rules).unwrap_err().contains("is no version"));
    }
}
