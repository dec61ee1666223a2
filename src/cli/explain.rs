//! `composefix explain`.

use std::fmt::Write as _;

use super::args::ExplainFlags;

use super::list::access_word;
use super::{Command, Exit};
use crate::detect;
use crate::error::{Error, unknown};
use crate::report::visible::visible;
use crate::rules::{Citation, Cost, Platform, Rules, TreeKind};
use crate::strategy;

impl Command<'_> {
    pub(super) fn explain(&mut self, flags: &ExplainFlags) -> Result<Exit, Error> {
        let rules = self.rules(&flags.rules)?;
        let page = page(&flags.id, &rules).ok_or_else(|| Error::Usage {
            message: unknown(
                "id",
                &flags.id,
                ids(&rules),
                "`composefix list rules|strategies|platforms|trees` shows them all",
            ),
        })?;
        let lines: String = page.trim_end().lines().map(|line| visible(line) + "\n").collect();
        self.print(&lines)?;
        Ok(Exit::Success)
    }
}

fn ids(rules: &Rules) -> Vec<&str> {
    let own = detect::ALL.iter().map(|d| d.id()).chain(strategy::ALL.iter().map(|s| s.id()));
    let platforms = rules.platforms().map(|platform| platform.id.as_str());
    own.chain(platforms).chain(rules.trees().iter().map(|tree| tree.id.as_str())).collect()
}

fn page(id: &str, rules: &Rules) -> Option<String> {
    let detector = detect::detector(id).map(|detector| detector.meta().page.to_owned());
    detector
        .or_else(|| strategy::strategy(id).map(|strategy| strategy.meta().page.to_owned()))
        .or_else(|| rules.platform(id).map(platform_page))
        .or_else(|| rules.tree(id).map(tree_page))
}

fn platform_page(platform: &Platform) -> String {
    let mut page = format!("# {}\n\n{}\n", platform.id, platform.title);
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
    let lines = lines.into_iter().chain(drives);
    list(&mut page, "What a bind mount costs", lines);
    let flags = platform.consistency_flags.iter().map(|flag| format!("`{flag}`"));
    list(&mut page, "Consistency flags that are read", flags);
    let strategies = &platform.strategies;
    let lines = [
        format!("for trees that are read: {}", strategies.read_mostly.join(", ")),
        format!("for trees that are written: {}", strategies.write_heavy.join(", ")),
    ];
    list(&mut page, "Strategies, best first", lines);
    list(&mut page, "Advice", platform.advice.iter().cloned());
    list(&mut page, "Notes", platform.notes.iter().cloned());
    for claim in &platform.claims {
        list(&mut page, claim.says.trim_end_matches('.'), claim.sources.iter().map(cited));
    }
    page
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
            let page = page(id, &rules).unwrap();
            assert!(page.starts_with('#') && page.lines().count() > 2, "{id}: {page}");
        }
        assert_eq!(page("nothing", &rules), None);
    }

    #[test]
    fn a_platform_page_has_costs_and_sources() {
        let rules = Rules::builtin().unwrap();
        let page = page("macos-virtiofs", &rules).unwrap();
        for words in ["# macos-virtiofs\n", "## What a bind mount costs\n", "https://"] {
            assert!(page.contains(words), "{page}");
        }
    }
}
