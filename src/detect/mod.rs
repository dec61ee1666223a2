//! The detectors: each finds one kind of problem in a loaded project.
//!
//! A detector says what is so; what can be done about it is a strategy's business. The list
//! [`ALL`] is the only registry: `explain`, `list`, `--select` and the documentation read it.

pub mod anonymous_tree_volume;
pub mod database_on_bind;
pub mod dead_consistency_flag;
pub mod duplicate_target;
pub mod empty_overlay;
mod exposed;
pub mod hidden_bind;
mod image;
pub mod missing_consistency_flag;
pub mod nested_under_read_only;
mod overlay;
mod relocated;
pub mod shared_overlay;
pub mod slow_tree;
pub mod slow_writes;
pub mod suspicious_target;
pub mod unmountable_source;
pub mod unused_ignore;
pub mod unwritable_overlay;
pub mod watch_under_bind;
mod windows;
pub mod windows_drive_source;

use std::path::Path;

pub use database_on_bind::Contents;
pub use exposed::{Exposed, grouped, join};
pub use image::{Filling, ImageUser};
pub use overlay::Overlay;
pub use relocated::{Setting, directory_of, names_path};

use crate::compose::{Mount, MountKind, Project, Service, Syntax, is_under, sections};
use crate::dockerfile::Images;
use crate::finding::{Finding, MountRef, Severity};
use crate::host::Host;
use crate::rules::{ImageKind, Platform, Role, Rules};
use crate::scope::Surveys;

/// Every detector, by id.
pub const ALL: &[&dyn Detector] = &[
    &anonymous_tree_volume::AnonymousTreeVolume,
    &database_on_bind::DatabaseOnBind,
    &dead_consistency_flag::DeadConsistencyFlag,
    &duplicate_target::DuplicateTarget,
    &empty_overlay::EmptyOverlay,
    &hidden_bind::HiddenBind,
    &missing_consistency_flag::MissingConsistencyFlag,
    &nested_under_read_only::NestedUnderReadOnly,
    &shared_overlay::SharedOverlay,
    &slow_tree::SlowTree,
    &slow_writes::SlowWrites,
    &suspicious_target::SuspiciousTarget,
    &unmountable_source::UnmountableSource,
    &unused_ignore::UnusedIgnore,
    &unwritable_overlay::UnwritableOverlay,
    &watch_under_bind::WatchUnderBind,
    &windows_drive_source::WindowsDriveSource,
];

/// What is known about a detector without running it.
pub struct Meta {
    /// The rule's id: a noun that names the problem.
    pub id: &'static str,
    /// How much its findings matter.
    pub severity: Severity,
    /// One line for lists.
    pub summary: &'static str,
    /// The rule's page, in Markdown.
    pub page: &'static str,
}

/// Finds one kind of problem.
pub trait Detector: Sync {
    /// Id, severity and words.
    fn meta(&self) -> &'static Meta;

    /// All findings in a project, those of inactive services too.
    fn detect(&self, cx: &Context<'_>) -> Vec<Finding>;

    /// The rule's id.
    fn id(&self) -> &'static str {
        self.meta().id
    }
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
    /// What the services' Dockerfiles tell.
    pub images: &'a Images,
}

impl<'a> Context<'a> {
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
        self.surveys.reason_outside(source).map(|why| format!("not looked into: {why}"))
    }

    /// Ids of the judged platforms for which `holds`.
    pub fn platforms_where(&self, holds: impl Fn(&Platform) -> bool) -> Vec<String> {
        let mut ids: Vec<String> =
            self.platforms.iter().filter(|p| holds(p)).map(|p| p.id.clone()).collect();
        ids.sort();
        ids
    }

    /// True for a bind whose source lies wherever the project lies: written as a relative path, or
    /// below the project's directory.
    fn moves_with_project(&self, mount: &Mount) -> bool {
        let relative = |written: Written| written.source.is_some_and(|s| s.starts_with('.'));
        let below = |source: &String| Path::new(source).starts_with(&self.project.directory);
        self.written(mount).is_some_and(relative) || mount.source.as_ref().is_some_and(below)
    }

    /// Findings about single mounts, of whatever service: what `judge` says of each.
    fn each_mount(
        &self,
        judge: impl Fn(&'a Service, &'a Mount) -> Option<Finding>,
    ) -> Vec<Finding> {
        let services = self.project.services.iter();
        let mounts = services.flat_map(|service| service.mounts.iter().map(move |m| (service, m)));
        mounts.filter_map(|(service, mount)| judge(service, mount)).collect()
    }

    /// A finding about a mount that holds on every judged platform, without a tree, advice or fix.
    fn finding(&self, meta: &Meta, service: &str, message: String, mount: MountRef) -> Finding {
        Finding {
            rule: meta.id,
            severity: meta.severity,
            message,
            service: service.to_owned(),
            mount,
            tree: None,
            platforms: self.platforms_where(|_| true),
            advice: Vec::new(),
            fix: None,
        }
    }

    /// A mount as a finding speaks of it.
    pub fn mount_ref(&self, mount: &Mount) -> MountRef {
        // Where a variable holds the whole entry, the entry itself stands for its source: what the
        // variable holds is the user's own business.
        let whole = || {
            let file = self.project.file(mount.origin.file)?;
            file.document.text_of(mount.origin.node).map(str::to_owned)
        };
        let source = match self.written(mount) {
            Some(written) => written.source,
            None => mount.source.as_ref().and_then(|_| whole()),
        };
        MountRef {
            kind: mount.kind.word(),
            source,
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
                Some(Written { source: text("source"), target: text("target")?, options: true })
            }
            Syntax::Short => {
                let text = file.document.text_of(node)?;
                let mut parts = sections(text).into_iter().map(str::to_owned);
                match (parts.next(), parts.next(), mount.source.is_some()) {
                    (Some(source), Some(target), true) => {
                        let options = parts.next().is_some();
                        Some(Written { source: Some(source), target, options })
                    }
                    (Some(target), None, false) => {
                        Some(Written { source: None, target, options: true })
                    }
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
    /// True when the entry has a section for options.
    pub options: bool,
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
