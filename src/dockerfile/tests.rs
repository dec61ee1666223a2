//! Whole Dockerfiles, as projects have them.

mod broken;
mod owners;
mod trees;

use std::path::Path;

use super::*;
use crate::compose::{Project, Request, load};
use crate::host::{Environment, MemoryHost, MemoryNode};
use crate::rules::Rules;

/// A project in `/p` with `web` built from it. Each file is a name and a text.
pub(super) struct Built {
    images: Images,
    project: Project,
}

pub(super) fn rules() -> Rules {
    Rules::builtin().unwrap()
}

pub(super) fn built(compose: &str, files: &[(&str, &str)]) -> Built {
    let mut host = MemoryHost::default()
        .with("/p/.git", MemoryNode::Directory)
        .with("/p/src", MemoryNode::Directory)
        .with_file("/p/compose.yaml", compose);
    for (name, text) in files {
        host = host.with_file(Path::new("/p").join(name), *text);
    }
    let environment = Environment { directory: "/p".into(), ..Environment::default() };
    let request = Request::default();
    let project = load(&host, &environment, &request).unwrap();
    let images = Images::read(&host, &environment, &rules(), &project);
    Built { images, project }
}

impl Built {
    pub(super) fn image(&self) -> Result<&Image, &str> {
        self.images.of(self.project.service("web").unwrap())
    }
}

/// What `Dockerfile` gives with `build: .`.
pub(super) fn image_of(dockerfile: &str) -> Built {
    with_ignore(dockerfile, "")
}

pub(super) fn with_ignore(dockerfile: &str, ignore: &str) -> Built {
    let files = [("Dockerfile", dockerfile), (".dockerignore", ignore)];
    built("services: {web: {build: .}}", &files)
}

/// `filled RUN npm ci`, `unknown` and so on.
pub(super) fn content(built: &Built, path: &str, kind: &str) -> String {
    let rules = rules();
    words(built.image().unwrap().content(path, rules.tree(kind).unwrap()))
}

pub(super) fn words(content: Content) -> String {
    match content {
        Content::Filled { by, .. } => format!("filled {by}"),
        Content::Partial { by, .. } => format!("partial {by}"),
        Content::Created { by, .. } => format!("created {by}"),
        Content::Absent => "absent".to_owned(),
        Content::Unknown => "unknown".to_owned(),
    }
}

#[test]
fn only_what_lasts_counts_for_running_containers() {
    let text =
        "FROM a\nRUN rm .venv\n# ENV X=.venv\nENV A=1 \\\n  PATH=/app/.venv/bin:$PATH\ncmd x\n";
    let built = image_of(text);
    let lasting = built.images.lasting(built.project.service("web").unwrap());
    assert_eq!(lasting.len(), 2);
    assert!(crate::detect::names_path(&lasting[0].1, ".venv"));
    assert_eq!(lasting[1], ("CMD".to_owned(), "x".to_owned()));
}

#[test]
fn a_dockerfile_in_the_compose_file_is_known_without_its_build() {
    let compose = "services:\n  web:\n    build:\n      context: ${GONE}\n      dockerfile_inline: |\n        FROM a\n        ENV P=/x\n";
    let built = built(compose, &[]);
    assert!(built.image().is_err());
    let lasting = built.images.lasting(built.project.service("web").unwrap());
    assert_eq!(lasting, [("ENV".to_owned(), "P=/x".to_owned())]);
}
