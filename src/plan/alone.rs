//! What repairs one finding by itself.
//!
//! The texts of a plan hold the edits of all its fixes together, and nobody can tell from them which
//! bytes belong to which finding. Formats that attach an edit to each finding need that, so each
//! group is proven a second time, alone.

use std::collections::BTreeMap;

use super::{Planner, Texts};
use crate::finding::Finding;

impl Planner<'_> {
    /// New texts for each finding of the groups: those that repair its group and nothing else. A
    /// group whose edit does not hold without the others has none.
    ///
    /// `together` are the texts that repair all groups.
    pub(super) fn each_alone(
        &self,
        findings: &[Finding],
        groups: &[Vec<usize>],
        together: &Texts,
    ) -> BTreeMap<usize, Texts> {
        let mut alone = BTreeMap::new();
        for group in groups {
            let texts = match groups {
                [_] => together.clone(),
                _ => self.attempt(findings, &[group]).unwrap_or_default(),
            };
            if !texts.is_empty() {
                alone.extend(group.iter().map(|index| (*index, texts.clone())));
            }
        }
        alone
    }
}
