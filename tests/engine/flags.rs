//! `consistency` and `drop-flag`: what becomes of the flags on their way to the engine.

use serde_json::Value;

use super::Case;
use super::engine::Engine;
use super::project::Project;
use super::shop::{ANSWER, BIND, INSTALLS, node};

pub(crate) const CASES: &[Case] = &[
    ("drop_flag_changes_nothing_for_the_engine", drop_flag),
    ("consistency_is_harmless", consistency),
    ("reach_the_engine_by_the_mount_interface_alone", which_arrive),
];

/// What the engine was told to mount.
fn told(project: &Project<'_>, service: &str) -> (String, Value) {
    let host = &project.inspect(service)["HostConfig"];
    let place = project.directory.display().to_string();
    (host["Binds"].to_string().replace(&place, "."), host["Mounts"].clone())
}

fn drop_flag(engine: &Engine) {
    for (flag, after) in [(":cached", "- .:/app\n"), (":ro,delegated", "- .:/app:ro\n")] {
        let compose = BIND.replace(".:/app", &format!(".:/app{flag}"));
        let project = node(engine, "drop", INSTALLS, &compose);
        project.up();
        assert_eq!(project.answer("web"), ANSWER);
        let (files, mounts) = (project.files("web", "/app"), told(&project, "web"));
        let container = project.container("web");
        let words = ["--select", "dead-consistency-flag"];
        project.apply(&words, &[after]);
        project.up();
        assert_eq!(told(&project, "web"), mounts);
        assert_eq!(project.answer("web"), ANSWER);
        // Compose sees the same project: not even the container is made anew.
        assert_eq!(project.container("web"), container);
        assert_eq!(
            project.files("web", "/app").replace("./compose.yaml", ""),
            project.files("web", "/app").replace("./compose.yaml", ""),
        );
        assert_eq!(files.lines().count(), project.files("web", "/app").lines().count());
    }
}

fn consistency(engine: &Engine) {
    let project = node(engine, "consistency", INSTALLS, BIND);
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    let mounts = told(&project, "web");
    let words = ["--platform", "macos-osxfs", "--select", "missing-consistency-flag", "--unsafe"];
    project.apply(&words, &["- .:/app:cached"]);
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    assert_eq!(told(&project, "web"), mounts, "Compose v2 hands the flag on");
    project.put("src/page", "second\n");
    assert_eq!(project.answer("web"), ANSWER.replace("first", "second"));
}

/// `rules/platforms/macos-osxfs.yaml`: Compose from version 2 keeps the flags away from the engine.
/// `rules/platforms/macos-virtiofs.yaml`: with Compose the flag reaches the engine only where the
/// mount interface is used, as with `create_host_path: false`.
fn which_arrive(engine: &Engine) {
    let compose = "\
services:
  web:
    image: BASE
    command: [sleep, '3600']
    volumes:
      - .:/short:cached
      - .:/slow:ro,delegated
      - {type: bind, source: ., target: /long, consistency: cached}
      - {type: bind, source: ., target: /made, consistency: cached, bind: {create_host_path: true}}
      - {type: bind, source: ., target: /there, consistency: cached, bind: {create_host_path: false}}
";
    let project = Project::new(engine, "flags", &[("compose.yaml", compose)]);
    project.up();
    let (binds, mounts) = told(&project, "web");
    assert!(!binds.contains("cached") && !binds.contains("delegated"), "{binds}");
    for target in ["/short", "/slow", "/long", "/made"] {
        assert!(binds.contains(target), "{binds}");
    }
    let mounts = mounts.as_array().unwrap();
    assert_eq!(mounts.len(), 1, "{mounts:?}");
    assert_eq!(mounts[0]["Target"], "/there");
    assert_eq!(mounts[0]["Consistency"], "cached");
    // docker itself hands the short flag on, so that it is Compose which drops it.
    let name = format!("{}-run", project.name);
    let bind = format!("{}:/short:cached", project.directory.display());
    engine.docker(&["create", "--name", &name, "-v", &bind, &engine.base]).well();
    let inspected = engine.docker(&["inspect", "-f", "{{json .HostConfig.Binds}}", &name]).well();
    engine.docker(&["rm", &name]).well();
    assert!(inspected.contains("/short:cached"), "{inspected}");
}
