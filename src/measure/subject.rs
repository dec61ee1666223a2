//! Which tree is measured.

use std::path::PathBuf;

use super::shown;
use crate::compose::{Project, Service};
use crate::error::unknown;
use crate::finding::Finding;
use crate::survey::Evidence;

/// A tree that a service sees through a bind mount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// The service.
    pub service: String,
    /// Id of the tree's kind.
    pub kind: String,
    /// The tree, relative to the bind's source.
    pub path: String,
    /// The tree on the host, absolute.
    pub host: PathBuf,
    /// The tree in the container.
    pub target: String,
    /// The bind's source, as the file spells it.
    pub source: String,
    /// The file that writes the bind, as reports name it.
    pub file: String,
    /// Files in it; none where nothing is on disk.
    pub files: Option<u64>,
    /// Names that the service's image may have, best first.
    pub images: Vec<String>,
    /// The image is built from the project, not pulled.
    pub built: bool,
    /// The project's directory.
    pub project: PathBuf,
}

impl Subject {
    /// The tree of a finding of `slow-tree` or `slow-writes`; none of others.
    pub fn of(finding: &Finding, file: &str, project: &Project) -> Option<Self> {
        let tree = finding.tree.as_ref()?;
        let service = project.service(&finding.service)?;
        let mount = service.mounts.iter().find(|mount| mount.target == finding.mount.target)?;
        let source = project.host_source(mount)?;
        // The finding's own host path is for reports: a backslash in a name is a slash in it.
        let path = tree.facts.path.as_str();
        let host = if path == "." { source.to_path_buf() } else { source.join(path) };
        Some(Self {
            service: finding.service.clone(),
            kind: tree.facts.kind.clone(),
            path: tree.facts.path.clone(),
            host,
            target: tree.target.clone(),
            source: finding.mount.source.clone().unwrap_or_default(),
            file: file.to_owned(),
            files: tree.facts.files.filter(|_| tree.facts.evidence == Evidence::Measured),
            images: images(project, service),
            built: service.build.is_some(),
            project: project.directory.clone(),
        })
    }

    /// The tree by a name that says something: its path, or the container path of a bind that is
    /// itself the tree.
    pub fn name(&self) -> &str {
        if self.path == "." { &self.target } else { &self.path }
    }

    fn is_named(&self, word: &str) -> bool {
        [&self.path, &self.kind, &self.target].into_iter().any(|name| name == word)
    }
}

/// What the service names, or what Compose calls what it builds: by its second and its first version.
fn images(project: &Project, service: &Service) -> Vec<String> {
    match &service.image {
        Some(image) => vec![image.clone()],
        None if service.build.is_some() => {
            ['-', '_'].map(|between| format!("{}{between}{}", project.name, service.name)).to_vec()
        }
        None => Vec::new(),
    }
}

/// The chosen tree, and the others that could be chosen.
#[derive(Debug, PartialEq, Eq)]
pub struct Choice {
    /// What is measured.
    pub subject: Subject,
    /// What else there is, largest first.
    pub others: Vec<Subject>,
}

/// Chooses the largest tree of those that the user means; of equals the first by name.
///
/// # Errors
/// Why there is none: one sentence.
pub fn choose(
    mut all: Vec<Subject>,
    service: Option<&str>,
    tree: Option<&str>,
) -> Result<Choice, String> {
    if all.is_empty() {
        return Err("no bind mount covers a large tree here, so there is nothing to measure; \
                    `composefix check -v` says what was looked at"
            .to_owned());
    }
    let names = |of: fn(&Subject) -> &str| {
        let mut names: Vec<String> = all.iter().map(|one| of(one).to_owned()).collect();
        names.sort();
        names.dedup();
        names
    };
    let (services, trees) = (names(|one| &one.service), names(Subject::name));
    let complain = |what: &str, word: &str, known: &[String]| {
        let see = format!("those with one are {}", known.join(", "));
        unknown(what, word, known.iter().map(String::as_str), &see)
    };
    if let Some(word) = service
        && !services.iter().any(|name| name == word)
    {
        return Err(complain("service with a slow tree", word, &services));
    }
    if let Some(word) = tree
        && !all.iter().any(|one| one.is_named(word))
    {
        return Err(complain("tree", word, &trees));
    }
    all.sort_by(|a, b| {
        let key = |one: &Subject| (one.service.clone(), one.path.clone(), one.target.clone());
        b.files.cmp(&a.files).then_with(|| key(a).cmp(&key(b)))
    });
    let meant = |one: &Subject| {
        service.is_none_or(|word| one.service == word) && tree.is_none_or(|word| one.is_named(word))
    };
    let Some(at) = all.iter().position(meant) else {
        let (service, tree) = (service.unwrap_or_default(), tree.unwrap_or_default());
        return Err(format!("{service} sees no slow tree {tree}"));
    };
    let subject = all.remove(at);
    if subject.files.is_none() {
        return Err(format!(
            "{} is not on disk yet, so there is nothing to measure; install the project's \
             dependencies first",
            shown(&subject.host)
        ));
    }
    Ok(Choice { subject, others: all })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(service: &str, path: &str, files: Option<u64>) -> Subject {
        Subject {
            service: service.to_owned(),
            kind: "node-modules".to_owned(),
            path: path.to_owned(),
            host: PathBuf::from("/p").join(path),
            target: format!("/app/{path}"),
            source: ".".to_owned(),
            file: "compose.yaml".to_owned(),
            files,
            images: Vec::new(),
            built: false,
            project: PathBuf::from("/p"),
        }
    }

    fn all() -> Vec<Subject> {
        vec![
            subject("web", "a", Some(10)),
            subject("api", "b", Some(20)),
            subject("web", "b", Some(20)),
            subject("web", "c", None),
        ]
    }

    fn chosen(
        service: Option<&str>,
        tree: Option<&str>,
    ) -> Result<(String, String, usize), String> {
        choose(all(), service, tree)
            .map(|choice| (choice.subject.service, choice.subject.path, choice.others.len()))
    }

    #[test]
    fn the_largest_is_chosen_of_those_that_are_meant() {
        let is = |service: &str, path: &str| Ok((service.to_owned(), path.to_owned(), 3));
        assert_eq!(chosen(None, None), is("api", "b"));
        assert_eq!(chosen(Some("web"), None), is("web", "b"));
        assert_eq!(chosen(Some("web"), Some("a")), is("web", "a"));
        assert_eq!(chosen(None, Some("/app/a")), is("web", "a"));
        assert_eq!(chosen(None, Some("node-modules")), is("api", "b"));
    }

    #[test]
    fn what_cannot_be_chosen_is_said() {
        for (service, tree, says) in [
            (Some("wep"), None, "did you mean `web`?"),
            (None, Some("zzzzzz"), "unknown tree `zzzzzz`; those with one are a, b, c"),
            (Some("api"), Some("a"), "api sees no slow tree a"),
            (None, Some("c"), "not on disk yet"),
        ] {
            let error = chosen(service, tree).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
        assert!(choose(Vec::new(), None, None).unwrap_err().contains("nothing to measure"));
    }
}
