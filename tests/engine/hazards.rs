//! What a volume over a tree can do to an application: what fills it, and what takes it away. Each
//! case shows that the program does not call the fix safe, then lets it happen.

use std::fs;
use std::process::Command;

use super::Case;
use super::engine::{Engine, ended};
use super::project::eventually;
use super::shop::{ANSWER, BIND, INSTALLS, LACKS, node, php};

pub(crate) const CASES: &[Case] = &[
    ("H1_the_volume_is_empty", empty),
    ("H2_the_volume_is_stale", stale),
    ("H4_the_directory_cannot_be_removed", removed_inside),
    ("H10_what_git_tracks_is_hidden", tracked),
    ("H11_the_directory_is_removed_on_the_host", removed_outside),
    ("H13_a_changed_definition_loses_the_data", definition),
];

const TREE: &str = "/app/node_modules";

fn empty(engine: &Engine) {
    let project = node(engine, "h1", LACKS, BIND);
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    project.is_unsafe(TREE, "the new volume starts empty", &[]);
    let said = project.apply(&["--unsafe"], &[]);
    project.compose(&["up", "-d", "-t", "0"]).well();
    let (code, says) = project.ends("web");
    assert_eq!(code, 1);
    assert!(says.contains("cannot find the module node_modules/p9/f59"), "{says}");
    // What the notes advise helps.
    assert!(said.contains("run `docker compose run --rm web npm install` once"), "{said}");
    project.compose(&["run", "--rm", "-T", "web", "npm", "install"]).well();
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
}

/// The fix is safe, and its notes tell this in any case.
fn stale(engine: &Engine) {
    let project = node(engine, "h2", INSTALLS, BIND);
    let verdict = project.verdict(TREE, &[]);
    let note = "later images and lock-file changes do not reach the volume";
    assert!(verdict.notes.contains(note), "{verdict:?}");
    project.apply(&[], &[]);
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    project.put("package-lock.json", "two\n");
    project.compose(&["up", "-d", "-t", "0", "--build"]).well();
    assert_eq!(project.answer("web"), ANSWER, "the new image reached the volume");
    // The image has it; installing in the container, as the note says, brings it.
    let image = ["run", "--rm", "-T", "--no-deps", "-v", "/app/node_modules", "web"];
    let fresh = project.compose(&[&image[..], &["cat", "node_modules/.lock"]].concat()).well();
    assert_eq!(fresh, "two");
    project.sh("web", "npm install");
    assert_eq!(project.answer("web"), ANSWER.replace("one", "two"));
}

fn removed_inside(engine: &Engine) {
    let command = "sh -c 'rm -rf node_modules && npm install && exec serve node_modules'";
    let project = node(engine, "h4", INSTALLS, &format!("{BIND}    command: {command}\n"));
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    project.is_unsafe(TREE, "removes or renames node_modules itself", &[]);
    project.apply(&["--unsafe"], &[]);
    project.up();
    let (code, says) = project.ends("web");
    assert_ne!(code, 0);
    assert!(says.contains("node_modules': Device or resource busy"), "{says}");
    // By then it is empty.
    let mount = format!("{}_node_modules:/look", project.name);
    let look =
        ["run", "--rm", "--network", "none", "-v", &mount, &engine.base, "ls", "-A", "/look"];
    assert_eq!(engine.docker(&look).well(), "");
}

fn tracked(engine: &Engine) {
    let compose = BIND.replace("/app", "/srv/app");
    let dockerfile = LACKS.replace("/app", "/srv/app").replace("node_modules", "vendor");
    let project = php(engine, "h10", &dockerfile, &compose);
    for words in ["init -q .", "add -f vendor"] {
        let mut git = Command::new("git");
        ended(git.args(words.split(' ')).current_dir(&project.directory), None).unwrap().well();
    }
    assert_eq!(project.verdict("/srv/app/vendor", &[]).applicability, "manual");
    project.leaves(&["--unsafe"]);
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    let forced = format!("{compose}      - vendor:/srv/app/vendor\nvolumes:\n  vendor:\n");
    project.put("compose.yaml", &forced);
    project.up();
    assert_eq!(project.ends("web").0, 1, "the committed files are not hidden");
}

/// Whoever removes the directory that a volume lies upon takes it out of running containers, on
/// Linux. They see the host's directory, until they are restarted.
fn removed_outside(engine: &Engine) {
    let project = node(engine, "h11", INSTALLS, BIND);
    let note = project.verdict(TREE, &[]).notes;
    assert!(note.contains("keep node_modules installed on the host"), "{note}");
    project.apply(&[], &[]);
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    project.sh("web", "echo kept >node_modules/mark");
    fs::remove_dir_all(project.directory.join("node_modules")).unwrap();
    project.put("node_modules/of-the-host", "host\n");
    eventually(5, || {
        let found = project.shell("web", "ls -A node_modules").text;
        if found == "of-the-host" { Ok(()) } else { Err(found) }
    });
    project.compose(&["restart", "-t", "0", "web"]).well();
    assert_eq!(project.sh("web", "cat node_modules/mark"), "kept");
    assert_eq!(project.answer("web"), ANSWER.replace("601", "602"));
}

/// Why new volumes get new names.
fn definition(engine: &Engine) {
    let own = "      - node_modules:/data\nvolumes:\n  node_modules:\n";
    let project = node(engine, "h13", INSTALLS, &format!("{BIND}{own}"));
    project.up();
    project.sh("web", "echo row >/data/table");
    project.apply(&[], &["node_modules:/data"]);
    project.up();
    assert_eq!(project.sh("web", "cat /data/table"), "row");
    assert_eq!(project.answer("web"), ANSWER);
    project.shell("web", "cat node_modules/table").badly();
    // Forced: another definition under the old name.
    let text = project.text("compose.yaml");
    let changed = text.replace(
        "\n  node_modules:\n",
        "\n  node_modules:\n    driver_opts: {type: tmpfs, device: tmpfs}\n",
    );
    assert_ne!(changed, text);
    project.put("compose.yaml", &changed);
    project.compose(&["up", "-d", "-t", "0", "-y"]).well();
    project.shell("web", "cat /data/table").badly();
}
