//! Trees that services see through a bind mount.

use std::path::PathBuf;

use super::{Context, Meta, slashes};
use crate::compose::{Mount, Service, is_under};
use crate::finding::{Finding, Tree};
use crate::rules::{Access, Cost, Platform, Role, TreeKind};
use crate::survey::{Evidence, TreeFacts};

/// A tree that a service sees through a bind mount.
pub struct Exposed<'a> {
    /// The service.
    pub service: &'a Service,
    /// The bind.
    pub mount: &'a Mount,
    /// The tree's kind.
    pub kind: &'a TreeKind,
    /// What is known about the tree.
    pub facts: &'a TreeFacts,
    /// Its container path.
    pub target: String,
    /// Its host path.
    pub host: PathBuf,
}

/// Findings for every exposed tree of one class, on the platforms where a bind costs something for
/// that class. `price` reads that cost off a platform; `effect` says what it means.
pub(super) fn findings(
    cx: &Context<'_>,
    meta: &Meta,
    access: Access,
    price: impl Fn(&Platform) -> Cost,
    effect: &str,
) -> Vec<Finding> {
    let platforms = cx.platforms_where(|p| price(p) > Cost::None);
    if platforms.is_empty() {
        return Vec::new();
    }
    let trees = cx.exposed(access);
    trees.iter().map(|tree| finding(cx, meta, tree, platforms.clone(), effect)).collect()
}

impl<'a> Context<'a> {
    /// Trees of one class that services see through a bind, with nothing mounted over them.
    pub fn exposed(&self, access: Access) -> Vec<Exposed<'a>> {
        let trees = self.project.services.iter().flat_map(|s| self.exposed_in(s, access));
        trees.filter(|e| self.disregarded(e).is_none()).collect()
    }

    /// Why a tree that a service sees costs it nothing: nobody in there reads it.
    pub fn disregarded(&self, exposed: &Exposed<'_>) -> Option<String> {
        let idle = self.idle(exposed.service);
        let idle =
            idle.map(|image| format!("{} reads nothing in {}", image.title, exposed.facts.path));
        let relocated = || {
            let variable = self.relocated(exposed.service, exposed.kind, &exposed.host)?;
            Some(format!("the service keeps its {} elsewhere ({variable})", exposed.facts.path))
        };
        idle.or_else(|| exposed.facts.unused.clone()).or_else(relocated)
    }

    /// Trees of one class that one service sees, whether it reads them or not.
    pub fn exposed_in(&self, service: &'a Service, access: Access) -> Vec<Exposed<'a>> {
        let mut found = Vec::new();
        for mount in service.mounts.iter().filter(|m| m.target.starts_with('/')) {
            let Some(source) = mount.host_path() else { continue };
            let Some(survey) = self.surveys.below(source) else { continue };
            if survey.trees.is_empty() || self.holds_data(mount) {
                continue;
            }
            for facts in &survey.trees {
                let Some(kind) = self.rules.tree(&facts.kind) else { continue };
                let target = join(&mount.target, &facts.path);
                let seen = service.mount_at(&target).is_some_and(|m| std::ptr::eq(m, mount));
                if kind.access == access && seen {
                    let host =
                        if facts.path == "." { source.into() } else { source.join(&facts.path) };
                    found.push(Exposed { service, mount, kind, facts, target, host });
                }
            }
        }
        found
    }

    /// True for a target that is some database's data directory, whatever the image is called. Short
    /// paths such as `/data` are left out: applications use them, too.
    fn holds_data(&self, mount: &Mount) -> bool {
        let databases = self.rules.images().filter(|i| i.role == Role::Database);
        databases
            .flat_map(|i| &i.data)
            .any(|data| data.path.matches('/').count() > 2 && is_under(&mount.target, &data.path))
    }
}

/// The container path of a tree below a mount.
pub fn join(target: &str, path: &str) -> String {
    match (path, target) {
        (".", _) => target.to_owned(),
        (_, "/") => format!("/{path}"),
        _ => format!("{target}/{path}"),
    }
}

/// The finding of an exposed tree, without its fix.
fn finding(
    cx: &Context<'_>,
    meta: &Meta,
    exposed: &Exposed<'_>,
    platforms: Vec<String>,
    cost: &str,
) -> Finding {
    let mount = cx.mount_ref(exposed.mount);
    let source = mount.source.clone().unwrap_or_default();
    let message = format!("{}; {cost}", describe(exposed, &source));
    Finding {
        rule: meta.id,
        severity: meta.severity,
        message,
        service: exposed.service.name.clone(),
        mount,
        tree: Some(Tree {
            facts: exposed.facts.clone(),
            host: slashes(&exposed.host),
            target: exposed.target.clone(),
        }),
        platforms,
        advice: Vec::new(),
        fix: None,
    }
}

/// What is below a bind, and how that is known.
fn describe(exposed: &Exposed<'_>, source: &str) -> String {
    let facts = exposed.facts;
    let target = &exposed.mount.target;
    let tree = if facts.path == "." { exposed.kind.title.as_str() } else { facts.path.as_str() };
    let files = facts.files.map(grouped).unwrap_or_default();
    let amount = match facts.evidence {
        Evidence::Measured if facts.at_least => format!("holds {files} files or more under {tree}"),
        Evidence::Measured => format!("holds {files} files under {tree}"),
        Evidence::LockFile => {
            format!("will hold about {files} files under {tree}, as its lock file says,")
        }
        Evidence::Manifest => format!("will hold {tree}, as its manifest says,"),
    };
    format!("`{source}` {amount} and is bind-mounted to {target}")
}

/// A number with commas between groups of three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
