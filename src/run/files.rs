//! Which files a run would look at.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::prepare::in_parallel;
use crate::compose::{Request, Resolved, relative_name, resolve};
use crate::error::Problem;
use crate::host::{EntryKind, Environment, Host, lexical_clean};

/// Names of the Compose files that the projects are made of, those that others include or extend as
/// well, and the requests that stand for no files. A project that does not hold is one of its own
/// files.
pub fn files(
    host: &dyn Host,
    environment: &Environment,
    requests: &[Request],
) -> (BTreeSet<String>, BTreeSet<Problem>) {
    let here = &environment.directory;
    let (mut names, mut problems) = (BTreeSet::new(), BTreeSet::new());
    let resolved = in_parallel(requests, |request| resolve(host, environment, request));
    for Resolved { request, project, .. } in resolved {
        match project {
            Ok(project) => {
                names.extend(project.files.iter().map(|file| file.source.name().to_owned()));
            }
            Err(problem) => {
                let paths = request.files.iter().map(|path| lexical_clean(&here.join(path)));
                let paths: Vec<PathBuf> = paths.collect();
                let is_there = |path: &PathBuf| {
                    request.texts.contains_key(path)
                        || host.target_kind(path) == Some(EntryKind::File)
                };
                if paths.is_empty() || !paths.iter().all(is_there) {
                    problems.insert(problem);
                } else {
                    names.extend(paths.iter().map(|path| relative_name(here, path)));
                }
            }
        }
    }
    (names, problems)
}
