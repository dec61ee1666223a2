//! Trees that services see through a bind mount.

use std::path::PathBuf;

use super::{Context, Meta, slashes};
use crate::compose::{Mount, MountKind, Service};
use crate::finding::{Finding, Tree};
use crate::rules::{Access, Cost, Platform, TreeKind};
use crate::survey::{Evidence, TreeFacts};

/// A tree that a service sees through a bind mount, or through a volume that is one by its options.
pub struct Exposed<'a> {
    /// The service.
    pub service: &'a Service,
    /// The bind or the volume.
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
/// that class, through mounts of one kind. `price` reads that cost off a platform; `effect` says
/// what it means.
pub(super) fn findings(
    cx: &Context<'_>,
    meta: &Meta,
    (kind, access): (MountKind, Access),
    price: impl Fn(&Platform) -> Cost,
    effect: &str,
) -> Vec<Finding> {
    let platforms = cx.platforms_where(|p| price(p) > Cost::None);
    if platforms.is_empty() {
        return Vec::new();
    }
    let trees = cx.project.services.iter().flat_map(|service| cx.exposed_in(service, access));
    trees
        .filter(|tree| tree.mount.kind == kind && cx.disregarded(tree).is_none())
        .map(|tree| finding(cx, meta, &tree, platforms.clone(), effect))
        .collect()
}

impl<'a> Context<'a> {
    /// Why a tree that a service sees costs it nothing: nobody in there reads it.
    pub fn disregarded(&self, exposed: &Exposed<'_>) -> Option<String> {
        let idle = self.idle(exposed.service);
        let idle =
            idle.map(|image| format!("{} reads nothing in {}", image.title, exposed.facts.path));
        let copier = || {
            let tool = self.copier(exposed.service)?;
            Some(format!("the service only copies {} with {tool}", exposed.facts.path))
        };
        let relocated = || {
            let variable = self.relocated(exposed.service, exposed.kind, &exposed.host)?;
            Some(format!("the service keeps its {} elsewhere ({variable})", exposed.facts.path))
        };
        idle.or_else(|| exposed.facts.unused.clone()).or_else(copier).or_else(relocated)
    }

    /// The copying program that a service runs, by its command or its image's name. Such a service
    /// goes through a tree when something changes in it, and nobody waits for that.
    pub fn copier(&self, service: &Service) -> Option<&'static str> {
        let named = |text: &str| {
            let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            words.find_map(|word| COPIERS.into_iter().find(|tool| word == *tool))
        };
        let image = service.image.as_deref().filter(|_| service.build.is_none());
        let image = image.and_then(|image| image.rsplit('/').next()).and_then(named);
        image.or_else(|| self.command_of(service).iter().find_map(|words| named(words)))
    }

    /// Trees of one class that one service sees, whether it reads them or not.
    pub fn exposed_in(&self, service: &'a Service, access: Access) -> Vec<Exposed<'a>> {
        let mut found = Vec::new();
        for mount in service.mounts.iter().filter(|m| m.target.starts_with('/')) {
            let Some(source) = self.project.host_source(mount) else { continue };
            let Some(survey) = self.surveys.below(source) else { continue };
            if survey.trees.is_empty() || self.data_path(&mount.target).is_some() {
                continue;
            }
            for facts in &survey.trees {
                let Some(kind) = self.rules.tree(&facts.kind) else { continue };
                let target = join(&mount.target, &facts.path);
                let seen = self.project.mount_at(service, &target);
                let seen = seen.is_some_and(|m| std::ptr::eq(m, mount));
                if kind.access == access && seen {
                    let host =
                        if facts.path == "." { source.into() } else { source.join(&facts.path) };
                    found.push(Exposed { service, mount, kind, facts, target, host });
                }
            }
        }
        found
    }
}

/// Programs that copy trees from one place to another.
const COPIERS: [&str; 4] = ["lsyncd", "mutagen", "rsync", "unison"];

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
        tree: Some(Tree {
            facts: exposed.facts.clone(),
            host: slashes(&exposed.host),
            target: exposed.target.clone(),
        }),
        platforms,
        ..cx.finding(meta, &exposed.service.name, message, mount)
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
    if exposed.mount.kind == MountKind::Volume {
        return format!(
            "the volume `{source}` is a bind mount by its options; it {amount} and is mounted to {target}"
        );
    }
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
