//! The projects that the cases start from.

use std::sync::LazyLock;

use super::engine::Engine;
use super::project::Project;

/// What the application answers when it has its whole tree, of the first lock file.
pub(crate) const ANSWER: &str = "601 files, lock one, page first";

/// A Dockerfile that installs into `/app/node_modules`.
pub(crate) const INSTALLS: &str = "\
FROM BASE
WORKDIR /app
COPY package*.json ./
RUN npm ci
COPY . .
CMD [\"serve\", \"node_modules\"]
";

/// A Dockerfile whose image lacks the tree.
pub(crate) const LACKS: &str = "\
FROM BASE
WORKDIR /app
COPY src src
CMD [\"serve\", \"node_modules\"]
";

/// The project's directory in the container.
pub(crate) const BIND: &str = "\
services:
  web:
    build: .
    volumes:
      - .:/app
";

/// A lock file of some packages, so that the tree counts where it is not on the host.
static LOCK: LazyLock<String> =
    LazyLock::new(|| format!("one\n{}", "      \"resolved\": \"\",\n".repeat(20)));

/// A Node.js application whose packages are on the host.
pub(crate) fn node<'e>(
    engine: &'e Engine,
    case: &str,
    dockerfile: &str,
    compose: &str,
) -> Project<'e> {
    let files = [
        ("compose.yaml", compose),
        ("Dockerfile", dockerfile),
        (".dockerignore", "node_modules\n"),
        ("package.json", "{\"dependencies\": {\"left-pad\": \"1.0.0\"}}\n"),
        ("package-lock.json", &LOCK),
        ("src/page", "first\n"),
    ];
    let project = Project::new(engine, case, &files);
    project.install("node_modules", "package-lock.json");
    project
}

/// A PHP application whose packages are on the host.
pub(crate) fn php<'e>(
    engine: &'e Engine,
    case: &str,
    dockerfile: &str,
    compose: &str,
) -> Project<'e> {
    let files = [
        ("compose.yaml", compose),
        ("Dockerfile", dockerfile),
        (".dockerignore", "vendor\n"),
        ("composer.json", "{\"require\": {\"acme/parts\": \"1.0\"}}\n"),
        ("composer.lock", "one\n"),
        ("src/page", "first\n"),
    ];
    let project = Project::new(engine, case, &files);
    project.install("vendor", "composer.lock");
    project
}
