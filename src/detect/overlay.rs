//! Trees that a volume covers already.

use super::{Context, bind_above};
use crate::compose::{Mount, MountKind, Service};
use crate::rules::{Access, TreeKind};

/// A volume that hides a tree of the bind above it.
pub struct Overlay<'a> {
    /// The service.
    pub service: &'a Service,
    /// The volume's mount.
    pub mount: &'a Mount,
    /// The kind of the tree.
    pub kind: &'a TreeKind,
}

impl<'a> Context<'a> {
    /// Every volume, named or anonymous, that lies over a tree of a bind.
    pub fn overlays(&self) -> Vec<Overlay<'a>> {
        let mut found = Vec::new();
        for service in &self.project.services {
            for mount in &service.mounts {
                let volume = mount.kind == MountKind::Volume && mount.target.starts_with('/');
                if volume && let Some(kind) = self.covered_kind(service, mount) {
                    found.push(Overlay { service, mount, kind });
                }
            }
        }
        found
    }

    /// The kind of tree that a mount hides from the bind above it: one that was found below the
    /// bind, else one whose name says enough.
    fn covered_kind(&self, service: &Service, mount: &Mount) -> Option<&'a TreeKind> {
        let bind = bind_above(service, &mount.target)?;
        let below = mount.target.strip_prefix(&bind.target)?.trim_start_matches('/');
        let surveyed = bind.host_path().and_then(|source| {
            let survey = self.surveys.below(source)?;
            let facts = survey.trees.iter().find(|t| t.path == below)?;
            self.rules.tree(&facts.kind)
        });
        let named = || {
            let fits = |path: &String| below == path || below.ends_with(&format!("/{path}"));
            let mut kinds = self.rules.trees().iter();
            kinds.find(|k| k.access != Access::Kept && !k.ambiguous && k.paths.iter().any(fits))
        };
        surveyed.or_else(named)
    }
}
