//! Where the files of a report really lie, for services that know the repository alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::compose::relative_name;
use crate::detect::slashes;
use crate::host::{Host, lexical_clean};
use crate::report::{RealPath, Report};

/// The real path of every file that a finding, its edits or a problem names.
///
/// The repository is the one that the working directory lies in; without any, the working directory
/// stands for its root.
pub(super) fn real_paths(
    host: &dyn Host,
    directory: &Path,
    report: &Report,
) -> BTreeMap<String, RealPath> {
    let here = real(host, directory);
    let root = root(host, &here);
    let findings = report.findings.iter();
    let findings = findings.flat_map(|r| r.edits.iter().map(|e| &e.file).chain([&r.file]));
    let problems = report.problems.iter().filter_map(|p| p.file.as_ref());
    let not_judged = report.not_judged.iter().map(|row| &row.file);
    let mut paths = BTreeMap::new();
    for name in findings.chain(problems).chain(not_judged) {
        paths.entry(name.clone()).or_insert_with(|| {
            let path = real(host, &lexical_clean(&directory.join(name)));
            let inside = path.starts_with(root) && path != root;
            RealPath {
                in_repository: inside.then(|| relative_name(root, &path)),
                from_here: relative_name(&here, &path),
                absolute: slashes(&path),
            }
        });
    }
    paths
}

/// The closest directory above with a `.git`, which is a file in a linked worktree.
fn root<'a>(host: &dyn Host, here: &'a Path) -> &'a Path {
    here.ancestors().find(|above| host.kind(&above.join(".git")).is_some()).unwrap_or(here)
}

/// The path with its links followed, as far as it is there.
fn real(host: &dyn Host, path: &Path) -> PathBuf {
    if let Ok(real) = host.canonical(path) {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => real(host, parent).join(name),
        _ => path.to_path_buf(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Problem;
    use crate::host::{MemoryHost, MemoryNode};

    fn paths_of(
        host: &MemoryHost,
        directory: &str,
        names: &[&str],
    ) -> Vec<(Option<String>, String)> {
        let problems = names.iter().map(|name| Problem::of_file(*name, "x")).collect();
        let report = Report { problems, ..Report::default() };
        let paths = real_paths(host, Path::new(directory), &report);
        names
            .iter()
            .map(|n| (paths[*n].in_repository.clone(), paths[*n].from_here.clone()))
            .collect()
    }

    #[test]
    fn links_are_followed_and_paths_start_at_the_repository() {
        let host = MemoryHost::default()
            .with("/r/.git", MemoryNode::Directory)
            .with_file("/r/app/real.yaml", "")
            .with_file("/x/outside.yaml", "")
            .with("/r/app/link.yaml", MemoryNode::Link("real.yaml".into()))
            .with("/r/out.yaml", MemoryNode::Link("/x/outside.yaml".into()))
            .with("/home", MemoryNode::Link("/r".into()));
        let names = ["app/link.yaml", "app/gone/new.yaml", "out.yaml", "../x/outside.yaml"];
        let inside = |path: &str| (Some(path.to_owned()), path.to_owned());
        let outside = (None, "../x/outside.yaml".to_owned());
        let expected =
            [inside("app/real.yaml"), inside("app/gone/new.yaml"), outside.clone(), outside];
        assert_eq!(paths_of(&host, "/r", &names), expected);
        assert_eq!(paths_of(&host, "/home", &names[..3]), expected[..3]);
        let below = paths_of(&host, "/r/app", &["link.yaml", "../top.yaml"]);
        let top = (Some("top.yaml".to_owned()), "../top.yaml".to_owned());
        assert_eq!(below, [(Some("app/real.yaml".to_owned()), "real.yaml".to_owned()), top]);
    }

    #[test]
    fn a_worktree_and_no_repository_have_a_root_too() {
        let host =
            MemoryHost::default().with_file("/w/.git", "gitdir: x").with_file("/n/a/b.yaml", "");
        assert_eq!(paths_of(&host, "/w/a", &["b.yaml"])[0].0.as_deref(), Some("a/b.yaml"));
        assert_eq!(paths_of(&host, "/n/a", &["b.yaml"])[0].0.as_deref(), Some("b.yaml"));
    }
}
