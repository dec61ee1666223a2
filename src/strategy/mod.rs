//! The strategies: each is one way to repair a problem, said as [`Change`](crate::finding::Change)s to the project.
//!
//! Where a change goes in which file is not a strategy's business, see `rewrite`. The list [`ALL`]
//! is the only registry.

mod bind;
pub mod consistency;
mod cover;
mod database;
pub mod drop_flag;
mod evidence;
pub mod name_volume;
pub mod narrow;
pub mod relocate;
pub mod sidecar;
pub mod tmpfs;
pub mod volume;
pub mod watch;

use std::collections::BTreeSet;
use std::path::{Component, Path};

use crate::compose::{Mount, Project, Service};
use crate::detect::Context;
use crate::finding::Fix;
use crate::rules::TreeKind;
use crate::survey::TreeFacts;

/// Every strategy, by id.
pub const ALL: &[&dyn Strategy] = &[
    &consistency::Consistency,
    &drop_flag::DropFlag,
    &name_volume::NameVolume,
    &narrow::Narrow,
    &relocate::Relocate,
    &sidecar::Sidecar,
    &tmpfs::Tmpfs,
    &volume::NamedVolume,
    &watch::Watch,
];

/// What is known about a strategy without asking it.
pub struct Meta {
    /// Its id.
    pub id: &'static str,
    /// One line for lists.
    pub summary: &'static str,
    /// Its page, in Markdown.
    pub page: &'static str,
    /// Rules whose findings it can repair.
    pub repairs: &'static [&'static str],
    /// True when it mounts something inside a bind mount, which some platforms lose.
    pub nests: bool,
}

/// One way to repair a problem.
pub trait Strategy: Sync {
    /// Id, words and what it is for.
    fn meta(&self) -> &'static Meta;

    /// Its id.
    fn id(&self) -> &'static str {
        self.meta().id
    }

    /// A fix for each member of a group, in the group's order.
    ///
    /// # Errors
    /// Why this strategy does not fit here; the next one is asked then.
    fn propose(
        &self,
        cx: &Context<'_>,
        group: &Group<'_>,
        names: &mut Names,
    ) -> Result<Vec<Fix>, String>;
}

/// A strategy by its id.
pub fn strategy(id: &str) -> Option<&'static dyn Strategy> {
    ALL.iter().copied().find(|s| s.id() == id)
}

/// Findings that are repaired together or not at all: all services that see one tree of the host.
/// A service left behind would write to a copy that the others no longer read.
pub struct Group<'a> {
    /// The rule of its findings.
    pub rule: &'static str,
    /// The members, by service name.
    pub members: Vec<Member<'a>>,
}

/// One finding of a group.
pub struct Member<'a> {
    /// The service.
    pub service: &'a Service,
    /// The mount that the finding is about.
    pub mount: &'a Mount,
    /// Container path of what is to be repaired.
    pub target: String,
    /// The tree's kind, where the finding has one.
    pub kind: Option<&'a TreeKind>,
    /// What is known about the tree.
    pub facts: Option<&'a TreeFacts>,
    /// Absolute host path of the tree.
    pub host: Option<String>,
}

impl Member<'_> {
    /// A key from the tree's place in the project: `auth/node_modules` becomes `auth_node_modules`.
    fn tree_key(&self, cx: &Context<'_>) -> String {
        let host = self.host.as_deref().unwrap_or(&self.target);
        let path = Path::new(host);
        let inside = path.strip_prefix(&cx.project.directory).ok();
        let shared = cx.project.directory.ancestors().find_map(|d| path.strip_prefix(d).ok());
        let parts = inside.or(shared).unwrap_or(path).components().filter_map(|c| match c {
            Component::Normal(part) => part.to_str(),
            _ => None,
        });
        volume_key(parts)
    }
}

/// Names for new volumes and services. A name is free only if nothing in the whole project uses it.
#[derive(Debug, Default)]
pub struct Names {
    taken: BTreeSet<String>,
    services: BTreeSet<String>,
    claims: Claims,
}

/// Names that a proposal wants.
#[derive(Debug, Default)]
pub struct Claims {
    volumes: Vec<String>,
    services: Vec<String>,
}

impl Names {
    /// Names that a project has in use: declared, or mounted and declared elsewhere.
    pub fn of(project: &Project) -> Self {
        let declared = project.volumes.iter().map(|v| v.key.clone());
        let mounts = project.services.iter().flat_map(|s| &s.mounts);
        Self {
            taken: declared.chain(mounts.filter_map(|m| m.source.clone())).collect(),
            services: project.services.iter().map(|s| s.name.clone()).collect(),
            claims: Claims::default(),
        }
    }

    /// Frees what was claimed since the last call, because another proposal may be chosen.
    pub fn take_back(&mut self) -> Claims {
        let claims = std::mem::take(&mut self.claims);
        for name in &claims.volumes {
            self.taken.remove(name);
        }
        for name in &claims.services {
            self.services.remove(name);
        }
        claims
    }

    /// Takes the names of the proposal that was chosen.
    pub fn keep(&mut self, claims: Claims) {
        self.taken.extend(claims.volumes);
        self.services.extend(claims.services);
    }

    /// For a volume: takes the first free wish, else the last with a number behind it.
    pub fn claim(&mut self, wishes: &[String]) -> String {
        let name = claim(&mut self.taken, wishes);
        self.claims.volumes.push(name.clone());
        name
    }

    /// For a service, in the same way.
    pub fn claim_service(&mut self, wishes: &[String]) -> String {
        let name = claim(&mut self.services, wishes);
        self.claims.services.push(name.clone());
        name
    }
}

fn claim(taken: &mut BTreeSet<String>, wishes: &[String]) -> String {
    let numbered = wishes.last().into_iter().flat_map(|w| (2..).map(move |n| format!("{w}_{n}")));
    let free = wishes.iter().cloned().chain(numbered).find(|w| !taken.contains(w));
    let name = free.unwrap_or_else(|| "tree".to_owned());
    taken.insert(name.clone());
    name
}

/// A volume's key made of path components: lower case, letters, digits, `_` and `-`, and never a
/// single letter, which Compose's short syntax takes for a Windows drive.
pub fn volume_key<'p>(parts: impl Iterator<Item = &'p str>) -> String {
    let mut key = String::new();
    for part in parts {
        let fit: String = part
            .trim_start_matches('.')
            .to_lowercase()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' })
            .collect();
        let fit = fit.trim_matches(['_', '-']);
        if !fit.is_empty() {
            if !key.is_empty() {
                key.push('_');
            }
            key.push_str(fit);
        }
    }
    match key.len() {
        0 => "tree".to_owned(),
        1 => format!("{key}_tree"),
        _ => key,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_fit_for_compose() {
        for (path, key) in [
            (".venv", "venv"),
            ("apps/web/node_modules", "apps_web_node_modules"),
            ("Front End/node_modules", "front_end_node_modules"),
            ("ümläut/vendor", "ml_ut_vendor"),
            ("a", "a_tree"),
            ("..", "tree"),
        ] {
            assert_eq!(volume_key(path.split('/')), key, "{path}");
        }
    }

    #[test]
    fn taken_names_are_not_given_twice() {
        let mut names = Names { taken: ["vendor".to_owned()].into(), ..Names::default() };
        let wishes = ["vendor".to_owned(), "web_vendor".to_owned()];
        assert_eq!(names.claim(&wishes), "web_vendor");
        assert_eq!(names.claim(&wishes), "web_vendor_2");
    }
}
