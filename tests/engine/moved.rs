//! `relocate` and `narrow`: the tree leaves the bind, or the bind leaves the tree.

use super::Case;
use super::engine::Engine;
use super::project::Project;
use super::shop::{ANSWER, BIND, INSTALLS, node};

pub(crate) const CASES: &[Case] = &[
    ("moves_an_environment_beside_the_bind", relocate),
    ("leaves_the_old_place_alone", relocate_leaves_the_host),
    ("binds_only_what_is_source", narrow),
];

const COMPOSE: &str = "\
services:
  web:
    build: .
    command: sh -c 'uv sync && exec uv run serve'
    volumes:
      - .:/code
";

fn python<'e>(engine: &'e Engine, case: &str) -> Project<'e> {
    let files = [
        ("compose.yaml", COMPOSE),
        ("Dockerfile", "FROM BASE\nWORKDIR /code\n"),
        ("pyproject.toml", "[project]\nname = \"shop\"\n"),
        ("uv.lock", "one\n"),
        ("src/page", "first\n"),
    ];
    let project = Project::new(engine, case, &files);
    project.install(".venv", "uv.lock");
    project.put(".venv/pyvenv.cfg", "home = /usr/bin\n");
    project
}

const RELOCATE: [&str; 3] = ["--strategy", "relocate", "--unsafe"];

fn relocate(engine: &Engine) {
    let project = python(engine, "relocate");
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    let files = project.files("web", "/code/.venv");
    project.is_unsafe("/code/.venv", "", &RELOCATE[..2]);
    project.apply(&RELOCATE, &["UV_PROJECT_ENVIRONMENT: /opt/venv", "venv:/opt/venv"]);
    project.up();
    project.has_volume("web", "/opt/venv", "venv");
    assert_eq!(project.answer("web"), ANSWER);
    assert_eq!(project.sh("web", "cat /tmp/tree"), "/opt/venv");
    assert_eq!(project.files("web", "/opt/venv"), files);
    project.put("src/page", "second\n");
    assert_eq!(project.answer("web"), ANSWER.replace("first", "second"));
}

fn relocate_leaves_the_host(engine: &Engine) {
    let project = python(engine, "relocate-host");
    project.apply(&RELOCATE, &[]);
    let host = project.host_files();
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    assert_eq!(project.host_files(), host, "the container wrote to the host");
    // Nothing is mounted inside the bind.
    let mounts = project.sh("web", "grep -c ' /code' /proc/self/mounts");
    assert_eq!(mounts, "1");
}

fn narrow(engine: &Engine) {
    let project = node(engine, "narrow", INSTALLS, BIND);
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    let files = project.files("web", "/app/node_modules");
    let words = ["--strategy", "narrow", "--unsafe"];
    project.is_unsafe("/app/node_modules", "", &words[..2]);
    project.apply(&words, &["- ./src:/app/src"]);
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    assert_eq!(project.files("web", "/app/node_modules"), files);
    assert_eq!(project.mount("web", "/app/node_modules"), None);
    project.put("src/page", "second\n");
    assert_eq!(project.answer("web"), ANSWER.replace("first", "second"));
    // As the page says: what is new at the top is not seen, a file that is replaced neither, and
    // what the container installs goes with it.
    project.put("top", "new\n");
    project.shell("web", "cat /app/top").badly();
    project.put("other", "two\n");
    std::fs::rename(project.directory.join("other"), project.directory.join("package-lock.json"))
        .unwrap();
    assert_eq!(project.sh("web", "head -n 1 package-lock.json"), "one");
    project.sh("web", "touch node_modules/added");
    project.compose(&["up", "-d", "-t", "0", "--force-recreate"]).well();
    project.shell("web", "ls node_modules/added").badly();
    assert_eq!(project.sh("web", "head -n 1 package-lock.json"), "two");
}
