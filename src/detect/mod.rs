//! The detectors: each finds one kind of problem in a loaded project.
//!
//! A detector says what is so; what can be done about it is a strategy's business. The list
//! [`ALL`] is the only registry: `explain`, `list`, `--select` and the documentation read it.

pub mod anonymous_tree_volume;
pub mod duplicate_target;
pub mod nested_under_read_only;
pub mod slow_tree;
pub mod slow_writes;

use std::path::{Path, PathBuf};

use crate::compose::{Mount, MountKind, Project, Service, Syntax, is_under, sections};
use crate::finding::{Finding, MountRef, Severity, Tree};
use crate::host::Host;
use crate::rules::{Access, ImageKind, Platform, Role, Rules, TreeKind};
use crate::scope::Surveys;
use crate::survey::{Evidence, TreeFacts};

/// Every detector, by id.
pub const ALL: &[&dyn Detector] = &[
    &anonymous_tree_volume::AnonymousTreeVolume,
    &duplicate_target::DuplicateTarget,
    &nested_under_read_only::NestedUnderReadOnly,
    &slow_tree::SlowTree,
    &slow_writes::SlowWrites,
];

/// Finds one kind of problem.
pub trait Detector: Sync {
    /// The rule's id: a noun that names the problem.
    fn id(&self) -> &'static str;
    /// How much its findings matter.
    fn severity(&self) -> Severity;
    /// One line for lists.
    fn summary(&self) -> &'static str;
    /// The rule's page, in Markdown.
    fn page(&self) -> &'static str;
    /// All findings in a project, those of inactive services too.
    fn detect(&self, cx: &Context<'_>) -> Vec<Finding>;
}

/// A detector by its rule's id.
pub fn detector(id: &str) -> Option<&'static dyn Detector> {
    ALL.iter().copied().find(|d| d.id() == id)
}

/// What detectors and strategies look at.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The file system.
    pub host: &'a dyn Host,
    /// The project.
    pub project: &'a Project,
    /// What is known about trees, platforms and images.
    pub rules: &'a Rules,
    /// The platforms to judge for.
    pub platforms: &'a [&'a Platform],
    /// What lies below the binds.
    pub surveys: &'a Surveys,
}

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

impl<'a> Context<'a> {
    /// Trees of one class that services see through a bind, with nothing mounted over them.
    pub fn exposed(&self, access: Access) -> Vec<Exposed<'a>> {
        let services = self.project.services.iter().filter(|s| self.idle(s).is_none());
        services.flat_map(|s| self.exposed_in(s, access)).collect()
    }

    /// The same for one service, whatever its image.
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

    /// The family of a service's image, when services of that family read no dependency trees.
    pub fn idle(&self, service: &Service) -> Option<&'a ImageKind> {
        let image = service.image.as_deref().filter(|_| service.build.is_none())?;
        let (kind, _) = self.rules.image_for(image)?;
        matches!(kind.role, Role::Database | Role::WebServer | Role::Service).then_some(kind)
    }

    /// Why a bind was not judged; none when it was, or when there is nothing to judge about it.
    pub fn unjudged(&self, mount: &Mount) -> Option<String> {
        if mount.kind != MountKind::Bind {
            return None;
        }
        if !mount.unset.is_empty() {
            return Some(format!(
                "{} is not set, so what is mounted is not known",
                mount.unset.join(", ")
            ));
        }
        let source = mount.source.as_deref()?;
        self.surveys
            .outside
            .iter()
            .find(|(s, _)| s == source)
            .map(|(_, why)| format!("not looked into: {why}"))
    }

    /// Ids of the judged platforms for which `holds`.
    pub fn platforms_where(&self, holds: impl Fn(&Platform) -> bool) -> Vec<String> {
        let mut ids: Vec<String> =
            self.platforms.iter().filter(|p| holds(p)).map(|p| p.id.clone()).collect();
        ids.sort();
        ids
    }

    /// A mount as a finding speaks of it.
    pub fn mount_ref(&self, mount: &Mount) -> MountRef {
        let written = self.written(mount).and_then(|w| w.source);
        MountRef {
            kind: mount.kind.word(),
            source: written.or_else(|| mount.source.clone()),
            target: mount.target.clone(),
            origin: mount.origin,
            place: mount.place,
        }
    }

    /// Source and target as the file spells them, variables unfilled; none when they are not apart
    /// in the file, because the whole entry comes from a variable.
    pub fn written(&self, mount: &Mount) -> Option<Written> {
        let file = self.project.file(mount.origin.file)?;
        let node = file.document.follow(mount.origin.node);
        match mount.syntax {
            Syntax::Tmpfs => None,
            Syntax::Long => {
                let text = |key: &str| {
                    let value = file.document.get(node, key)?.value;
                    file.document.text_of(file.document.follow(value)).map(str::to_owned)
                };
                Some(Written { source: text("source"), target: text("target")? })
            }
            Syntax::Short => {
                let text = file.document.text_of(node)?;
                let mut parts = sections(text).into_iter().map(str::to_owned);
                match (parts.next(), parts.next(), mount.source.is_some()) {
                    (Some(source), Some(target), true) => {
                        Some(Written { source: Some(source), target })
                    }
                    (Some(target), None, false) => Some(Written { source: None, target }),
                    _ => None,
                }
            }
        }
    }
}

/// A mount's two ends as the file spells them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Host path or volume; none for an anonymous volume.
    pub source: Option<String>,
    /// Container path.
    pub target: String,
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
pub fn exposed_finding(
    cx: &Context<'_>,
    detector: &dyn Detector,
    exposed: &Exposed<'_>,
    platforms: Vec<String>,
    cost: &str,
) -> Finding {
    let mount = cx.mount_ref(exposed.mount);
    let source = mount.source.clone().unwrap_or_default();
    let message = format!("{}; {cost}", describe(exposed, &source));
    Finding {
        rule: detector.id(),
        severity: detector.severity(),
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
        Evidence::LockFile => format!("gets about {files} files under {tree}, by its lock file"),
        Evidence::Manifest => format!("gets its {tree} by its manifest"),
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

/// A host path with `/`, as reports show it.
pub fn slashes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// The deepest bind of a service strictly above a container path.
pub fn bind_above<'a>(service: &'a Service, path: &str) -> Option<&'a Mount> {
    let above =
        |m: &&Mount| m.kind == MountKind::Bind && m.target != path && is_under(path, &m.target);
    service.mounts.iter().filter(above).max_by_key(|m| m.target.len())
}
