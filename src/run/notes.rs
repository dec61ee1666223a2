//! What `-v` tells about the surveys of a project.

use std::path::Path;

use crate::compose::relative_name;
use crate::detect::grouped;
use crate::scope::Surveys;
use crate::survey::{Evidence, Survey, TreeFacts};

/// A line for each directory that was looked into and for each source that was not, then what the
/// surveys themselves have to say. `here` is where names start from.
pub(super) fn of_surveys(surveys: &Surveys, here: &Path) -> Vec<String> {
    let mut notes = Vec::new();
    for (directory, survey) in surveys.all() {
        let name = relative_name(here, directory);
        notes.push(format!("looked into {name}: {}", trees(survey)));
        notes.extend(survey.notes.iter().map(|note| format!("{name}: {note}")));
    }
    for (source, reason) in surveys.passed_over() {
        // What lies elsewhere has little to do with the working directory.
        let below = source.strip_prefix(here).is_ok();
        let whole = || source.to_string_lossy().into_owned();
        let name = if below { relative_name(here, source) } else { whole() };
        notes.push(format!("not looked into {name}: {reason}"));
    }
    notes
}

fn trees(survey: &Survey) -> String {
    if survey.trees.is_empty() {
        return "no large tree".to_owned();
    }
    survey.trees.iter().map(tree).collect::<Vec<_>>().join("; ")
}

/// Where a tree lies, of which kind it is, how many files it has and how that is known.
fn tree(tree: &TreeFacts) -> String {
    let TreeFacts { path, kind, .. } = tree;
    let size = match (tree.files.map(grouped), tree.evidence) {
        (Some(files), Evidence::Measured) if tree.at_least => {
            format!("{files} files or more counted")
        }
        (Some(files), Evidence::Measured) => format!("{files} files counted"),
        (Some(files), Evidence::LockFile) => format!("about {files} files by its lock file"),
        (_, Evidence::LockFile) => "expected by its lock file".to_owned(),
        (_, _) => "expected by its manifest".to_owned(),
    };
    let mut words = vec![kind.clone(), size];
    words.extend(tree.tracked.then(|| "tracked by git".to_owned()));
    words.extend(tree.unused.as_ref().map(|why| format!("unused: {why}")));
    format!("{path} ({})", words.join(", "))
}
