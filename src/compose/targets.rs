//! Which mount of several on one target counts.

use std::collections::BTreeMap;

use super::value::{Data, Value};
use super::volume::sections;
use super::{Mount, Place};

/// Mounts in order, one for each target.
#[derive(Default)]
pub(super) struct Targets {
    mounts: Vec<Mount>,
    /// Where the mount on each target is: a list may have thousands.
    at: BTreeMap<String, usize>,
}

impl Targets {
    /// The mounts, in order.
    pub(super) fn into_mounts(self) -> Vec<Mount> {
        self.mounts
    }

    /// The later of two mounts on one target counts, at the place of the first.
    pub(super) fn put(&mut self, target: String, mount: Mount, replaced: &mut Vec<(Mount, Place)>) {
        if let Some(old) = self.at.get(&target).and_then(|at| self.mounts.get_mut(*at)) {
            let winner = mount.place;
            let loser = std::mem::replace(old, mount);
            replaced.extend(winner.map(|winner| (loser, winner)));
        } else {
            self.at.insert(target, self.mounts.len());
            self.mounts.push(mount);
        }
    }

    /// What is left of the mounts of a document and those below it. Compose looks for equal targets
    /// twice for each document: as they are spelled, which has been done, and as paths.
    pub(super) fn settled(self, replaced: &mut Vec<(Mount, Place)>) -> Self {
        let mut left = Self::default();
        for mount in self.mounts {
            left.put(mount.target.clone(), mount, replaced);
        }
        left
    }
}

/// A mount's target before it is cleaned.
pub(super) fn spelled_target(item: &Value) -> String {
    match &item.data {
        Data::Scalar(entry) => {
            let parts = if entry.text.len() <= 2 {
                vec![entry.text.as_str()]
            } else {
                sections(&entry.text)
            };
            let target = if parts.len() > 1 { parts.get(1) } else { parts.first() };
            target.copied().unwrap_or_default().to_owned()
        }
        _ => item.text_of("target").unwrap_or_default().to_owned(),
    }
}
