//! The way through the directories outside of trees.

use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;
use std::rc::Rc;

use super::index::Repository;
use super::site::{Findings, Listing, Members, Site};
use super::{Candidate, Evidence, Found, Look, TreeFacts, join};

/// A directory to visit.
struct Visit {
    absolute: PathBuf,
    /// Relative to the surveyed directory, with `/`; empty for itself.
    relative: String,
    depth: usize,
    repository: Option<Rc<Repository>>,
    /// Kinds that an exception further up turns off where a directory has no lock file of its own,
    /// as in the packages of a workspace.
    off: Rc<BTreeSet<String>>,
    /// Workspaces further up, the innermost last, with the directories of their tops.
    workspaces: Rc<Vec<(String, Rc<Members>)>>,
}

impl Visit {
    /// The workspace that the directory is a package of, for trees of a kind.
    fn workspace_for(&self, kind: &str) -> Option<&Members> {
        let found = self.workspaces.iter().rev().find(|(top, members)| {
            let below = if top.is_empty() {
                Some(self.relative.as_str())
            } else {
                self.relative.strip_prefix(top.as_str()).and_then(|rest| rest.strip_prefix('/'))
            };
            members.kind == kind && below.is_some_and(|below| members.packages.contain(below))
        });
        found.map(|(_, members)| members.as_ref())
    }
}

/// Visits `top` and what is below it, level by level.
pub(super) fn walk(look: Look<'_>, top: PathBuf, notes: &mut Vec<String>) -> Found {
    let limits = look.limits;
    let repository = Repository::find(look.host, &top).map(Rc::new);
    let top = Visit {
        absolute: top,
        relative: String::new(),
        depth: 0,
        repository,
        off: Rc::default(),
        workspaces: Rc::default(),
    };
    let mut walk = Walk {
        look,
        notes,
        found: Found::default(),
        closed: BTreeSet::new(),
        queue: VecDeque::from([top]),
        queued: 1,
        too_deep: false,
        too_many: false,
    };
    while let Some(visit) = walk.queue.pop_front() {
        walk.visit(visit);
    }
    if walk.too_deep {
        walk.notes.push(format!("directories below level {} were not searched", limits.depth));
    }
    if walk.too_many {
        walk.notes.push(format!("the search ended after {} directories", limits.directories));
    }
    walk.found
}

struct Walk<'a> {
    look: Look<'a>,
    notes: &'a mut Vec<String>,
    found: Found,
    /// Never entered: trees of any kind, also those that an exception speaks of.
    closed: BTreeSet<PathBuf>,
    queue: VecDeque<Visit>,
    /// Directories that were ever in the queue.
    queued: usize,
    too_deep: bool,
    too_many: bool,
}

impl Walk<'_> {
    fn visit(&mut self, mut visit: Visit) {
        let shown = if visit.relative.is_empty() { "." } else { visit.relative.as_str() };
        let Look { host, catalog, limits, .. } = self.look;
        let limit = limits.entries;
        let listing = match catalog.list(host, &visit.absolute, limit) {
            Ok(listing) => listing,
            Err(error) => return self.notes.push(format!("cannot read {shown}: {error}")),
        };
        if listing.cut {
            let note =
                format!("{shown} has more than {limit} subdirectories, the rest is left out");
            self.notes.push(note);
        }
        if visit.depth > 0 && listing.named.keys().any(|name| name == ".git") {
            let inner = Repository::at(host, &visit.absolute).map(Rc::new);
            visit.repository = inner.or(visit.repository);
        }
        let site = Site {
            look: self.look,
            directory: &visit.absolute,
            relative: &visit.relative,
            names: &listing.named,
        };
        let findings = site.examine(None, self.notes);
        self.keep(&mut visit, findings);
        self.enter(&visit, &listing);
    }

    /// Takes over what was found in a directory.
    fn keep(&mut self, visit: &mut Visit, findings: Findings) {
        let Findings { trees, kept, on_disk, off, locked, workspaces } = findings;
        self.closed.extend(on_disk.iter().map(|path| visit.absolute.join(path)));
        self.found.kept.extend(kept.iter().map(|path| join(&visit.relative, path)));
        for mut tree in trees {
            if !locked.contains(&tree.kind) {
                let workspace = visit.workspace_for(&tree.kind);
                let part_of_one = visit.off.contains(&tree.kind) || workspace.is_some();
                if part_of_one && tree.evidence != Evidence::Measured {
                    continue;
                }
                if let Some(workspace) = workspace {
                    tree.install.clone_from(&workspace.install);
                }
            }
            self.found.candidates.push(Candidate {
                absolute: visit.absolute.join(&tree.path),
                facts: TreeFacts { path: join(&visit.relative, &tree.path), ..tree },
                repository: visit.repository.clone(),
            });
        }
        if !off.is_empty() {
            visit.off = Rc::new(visit.off.union(&off).cloned().collect());
        }
        if !workspaces.is_empty() {
            let own = workspaces.into_iter().map(|w| (visit.relative.clone(), Rc::new(w)));
            visit.workspaces = Rc::new(visit.workspaces.iter().cloned().chain(own).collect());
        }
    }

    /// Puts the subdirectories in the queue, as far as the limits allow.
    fn enter(&mut self, visit: &Visit, listing: &Listing) {
        for name in listing.directories() {
            let absolute = visit.absolute.join(name);
            if name == ".git" || self.closed.contains(&absolute) {
                continue;
            }
            if visit.depth >= self.look.limits.depth {
                self.too_deep = true;
                return;
            }
            if self.queued >= self.look.limits.directories {
                self.too_many = true;
                return;
            }
            self.queued += 1;
            self.queue.push_back(Visit {
                absolute,
                relative: join(&visit.relative, &name.to_string_lossy()),
                depth: visit.depth + 1,
                repository: visit.repository.clone(),
                off: visit.off.clone(),
                workspaces: visit.workspaces.clone(),
            });
        }
    }
}
