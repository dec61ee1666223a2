//! `volume` and `name-volume`: the application works as before with its tree in a named volume.

use super::Case;
use super::engine::Engine;
use super::project::Project;
use super::shop::{ANSWER, BIND, INSTALLS, LACKS, node};

pub(crate) const CASES: &[Case] = &[
    ("is_filled_by_the_image", filled_by_the_image),
    ("is_filled_by_the_command", filled_by_the_command),
    ("belongs_to_the_images_user", belongs_to_the_images_user),
    ("is_kept_by_down_and_renewed_by_the_notes_command", kept_and_renewed),
    ("is_shared_by_services_of_one_image", shared_by_one_image),
    ("holds_a_database_that_is_moved_by_the_advice", database),
    ("gets_a_name", name_volume),
];

const TREE: &str = "/app/node_modules";

/// The application answers, and sees the same files.
fn answers_as_before(project: &Project<'_>, files: &str) {
    assert_eq!(project.answer("web"), ANSWER);
    assert_eq!(project.files("web", TREE), files);
    project.put("src/page", "second\n");
    assert_eq!(project.answer("web"), ANSWER.replace("first", "second"), "the source is no bind");
    project.put("src/page", "first\n");
}

fn filled_by_the_image(engine: &Engine) {
    let project = node(engine, "by-image", INSTALLS, BIND);
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    let files = project.files("web", TREE);
    assert_eq!(project.verdict(TREE, &[]).applicability, "safe");
    project.apply(&[], &["node_modules:/app/node_modules"]);
    project.up();
    project.has_volume("web", TREE, "node_modules");
    answers_as_before(&project, &files);
    // What the container installs stays in the engine.
    project.sh("web", "rm -r node_modules/p0 && echo new >node_modules/added");
    assert_eq!(project.host_files().keys().filter(|name| name.contains("/p0/")).count(), 60);
    assert!(!project.directory.join("node_modules/added").exists());
}

fn filled_by_the_command(engine: &Engine) {
    let compose = format!("{BIND}    command: sh -c 'npm install && exec serve node_modules'\n");
    let project = node(engine, "by-command", LACKS, &compose);
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    let files = project.files("web", TREE);
    assert_eq!(project.verdict(TREE, &[]).applicability, "safe");
    project.apply(&[], &["node_modules:/app/node_modules"]);
    project.up();
    project.has_volume("web", TREE, "node_modules");
    answers_as_before(&project, &files);
}

fn belongs_to_the_images_user(engine: &Engine) {
    let dockerfile =
        INSTALLS.replace("CMD", "RUN chown -R 1000:1000 /app/node_modules\nUSER 1000:1000\nCMD");
    let project = node(engine, "user", &dockerfile, BIND);
    assert_eq!(project.verdict(TREE, &[]).applicability, "safe");
    project.apply(&[], &["node_modules:/app/node_modules"]);
    project.up();
    project.has_volume("web", TREE, "node_modules");
    assert_eq!(project.answer("web"), ANSWER);
    assert_eq!(project.sh("web", "id -u; stat -c %u:%g node_modules"), "1000\n1000:1000");
    project.sh("web", "touch node_modules/mine && rm -r node_modules/p0");
}

fn kept_and_renewed(engine: &Engine) {
    let project = node(engine, "kept", INSTALLS, BIND);
    let said = project.apply(&[], &[]);
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    project.sh("web", "echo kept >node_modules/mark");
    project.down();
    project.up();
    assert_eq!(project.sh("web", "cat node_modules/mark"), "kept");
    // The command that the notes give renews this one volume.
    let command =
        format!("docker compose rm -sf web && docker volume rm {}_node_modules", project.name);
    assert!(said.contains(&command), "the notes do not say `{command}`: {said}");
    project.compose(&["rm", "-sf", "web"]).well();
    engine.docker(&["volume", "rm", &format!("{}_node_modules", project.name)]).well();
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    project.shell("web", "cat node_modules/mark").badly();
}

fn shared_by_one_image(engine: &Engine) {
    let compose = "\
services:
  web:
    build: &build {context: ., tags: []}
    image: composefix-engine-shared
    volumes:
      - .:/app
  worker:
    build: *build
    image: composefix-engine-shared
    command: sh -c 'serve node_modules'
    volumes:
      - .:/app
";
    let compose =
        compose.replace("engine-shared", &format!("engine-shared-{}", std::process::id()));
    let project = node(engine, "shared", INSTALLS, &compose);
    project.compose(&["build", "web"]).well();
    project.apply(&[], &["node_modules:/app/node_modules", "nocopy"]);
    for _ in 0..3 {
        project.up();
        for service in ["web", "worker"] {
            project.has_volume(service, TREE, "node_modules");
            assert_eq!(project.answer(service), ANSWER);
            assert_eq!(project.sh(service, "cat /tmp/at-start"), "601");
        }
        project.compose(&["down", "-v", "-t", "0"]).well();
    }
    engine.docker(&["image", "rm", &format!("composefix-engine-shared-{}", std::process::id())]);
}

/// The advice is followed by the letter, with our own name for the image that it copies with.
fn database(engine: &Engine) {
    let compose = "\
services:
  store:
    image: redis:7
    entrypoint: [sh, -c, 'echo started >>/data/log && exec sleep 3600']
    volumes:
      - ./data:/data
";
    let project = Project::new(engine, "database", &[("compose.yaml", compose)]);
    project.up();
    project.sh("store", "test -s /data/log && echo row >/data/dump.rdb");
    let said = project.composefix(&["check", "--format", "json", "--exit-zero"]).text;
    let report: serde_json::Value = serde_json::from_str(&said).unwrap();
    let fix = &report["findings"][0]["fix"];
    assert_eq!(fix["applicability"], "manual", "{report}");
    let notes = fix["notes"].to_string().replace("\\\"", "\"");
    let copy = format!(
        "docker run --rm -v \"$PWD/data\":/from:ro -v {}_store_data:/to alpine cp -a /from/. /to/",
        project.name
    );
    for word in ["`docker compose stop store`", "`docker compose create store`", &copy] {
        assert!(notes.contains(word), "`{word}` is missing in {notes}");
    }
    project.leaves(&["--unsafe"]);
    project.compose(&["stop", "-t", "0", "store"]).well();
    project.put(
        "compose.yaml",
        &(compose.replace("./data:", "store_data:") + "volumes:\n  store_data:\n"),
    );
    project.compose(&["create", "store"]).well();
    let from = format!("{}/data:/from:ro", project.directory.display());
    let to = format!("{}_store_data:/to", project.name);
    let words = ["run", "--rm", "--network", "none", "-v", &from, "-v", &to, "alpine"];
    engine.docker(&[&words[..], &["cp", "-a", "/from/.", "/to/"]].concat()).well();
    for starts in 2..4 {
        project.up();
        let log = vec!["started"; starts].join("\n");
        assert_eq!(project.sh("store", "cat /data/dump.rdb /data/log"), format!("row\n{log}"));
        project.down();
    }
    assert_eq!(project.text("data/dump.rdb"), "row\n", "the old data is untouched");
}

fn name_volume(engine: &Engine) {
    let compose = format!("{BIND}      - /app/node_modules\n");
    let project = node(engine, "name", INSTALLS, &compose);
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    let files = project.files("web", TREE);
    let (kind, anonymous) = project.mount("web", TREE).unwrap();
    assert_eq!(kind, "volume");
    let words = ["--select", "anonymous-tree-volume", "--strategy", "name-volume", "--unsafe"];
    project.is_unsafe(TREE, "starts", &words[..4]);
    project.apply(&words, &["- node_modules:/app/node_modules"]);
    project.up();
    project.has_volume("web", TREE, "node_modules");
    answers_as_before(&project, &files);
    // As the page says, the old one stays behind until somebody removes it.
    engine.docker(&["volume", "rm", &anonymous]).well();
}
