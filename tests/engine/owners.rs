//! Who may write: to a volume, to a mount point, to a read-only bind.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown};

use super::Case;
use super::engine::Engine;
use super::shop::{ANSWER, BIND, INSTALLS, LACKS, node};

pub(crate) const CASES: &[Case] = &[
    ("H3_a_volume_over_an_image_of_root_shuts_the_user_out", of_root),
    ("H3_a_volume_where_the_image_has_nothing_shuts_the_user_out", of_nobody),
    ("H5_a_read_only_bind_needs_its_mount_point", read_only),
    ("H6_the_engine_leaves_a_directory_of_root", left_behind),
];

const TREE: &str = "/app/node_modules";
const USER: &str = "    user: '1000'\n";

fn of_root(engine: &Engine) {
    let project = node(engine, "h3", INSTALLS, &format!("{BIND}{USER}"));
    project.is_unsafe(TREE, "the service runs as 1000, and a new volume belongs to root", &[]);
    let said = project.apply(&["--unsafe"], &[]);
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    let denied = project.shell("web", "touch node_modules/mine").badly();
    assert!(denied.contains("Permission denied"), "{denied}");
    // The line that the notes give.
    let line = "RUN mkdir -p /app/node_modules && chown -R 1000 /app/node_modules";
    assert!(said.contains(line), "{said}");
    project.put("Dockerfile", &INSTALLS.replace("CMD", &format!("{line}\nCMD")));
    project.compose(&["down", "-v", "-t", "0"]).well();
    project.compose(&["up", "-d", "-t", "0", "--build"]).well();
    project.sh("web", "touch node_modules/mine");
    // Then it would have been safe.
    project.put("compose.yaml", &format!("{BIND}{USER}"));
    assert_eq!(project.verdict(TREE, &[]).applicability, "safe");
}

fn of_nobody(engine: &Engine) {
    let compose =
        format!("{BIND}{USER}    command: sh -c 'npm install && exec serve node_modules'\n");
    let project = node(engine, "h3-lacks", LACKS, &compose);
    let verdict = project.verdict(TREE, &[]);
    assert_eq!(verdict.applicability, "manual", "{verdict:?}");
    assert!(verdict.notes.contains("unwritable-overlay"), "{verdict:?}");
    project.leaves(&["--unsafe"]);
    // Forced by hand.
    let volume = "volumes:\n  node_modules:\n";
    let forced = compose.replace(".:/app\n", ".:/app\n      - node_modules:/app/node_modules\n");
    project.put("compose.yaml", &(forced + volume));
    let check = ["check", "--select", "unwritable-overlay", "--exit-zero"];
    assert!(project.composefix(&check).text.contains("warning[unwritable-overlay]"));
    project.up();
    let (code, says) = project.ends("web");
    assert_ne!(code, 0);
    assert!(says.contains("Permission denied"), "{says}");
    let owner = ["run", "--rm", "-T", "web", "stat", "-c", "%u:%g %a", "node_modules"];
    assert_eq!(project.compose(&owner).well(), "0:0 755");
}

fn read_only(engine: &Engine) {
    let compose = BIND.replace(".:/app", ".:/app:ro");
    let project = node(engine, "h5", INSTALLS, &compose);
    let tree = project.directory.join("node_modules");
    fs::remove_dir_all(&tree).unwrap();
    let verdict = project.verdict(TREE, &[]);
    assert_eq!(verdict.applicability, "manual", "{verdict:?}");
    assert!(verdict.notes.contains("cannot make a mount point"), "{verdict:?}");
    project.leaves(&["--unsafe"]);
    // Forced by hand.
    let forced =
        format!("{compose}      - node_modules:/app/node_modules\nvolumes:\n  node_modules:\n");
    project.put("compose.yaml", &forced);
    let check = ["check", "--select", "nested-under-read-only", "--exit-zero"];
    assert!(project.composefix(&check).text.contains("error[nested-under-read-only]"));
    let said = project.compose(&["up", "-d", "-t", "0"]).badly();
    assert!(said.contains("node_modules: read-only file system"), "{said}");
    // With the directory there it starts, and the program writes the fix when it is asked to.
    fs::create_dir(&tree).unwrap();
    project.put("compose.yaml", &compose);
    project.is_unsafe(TREE, "node_modules", &[]);
    project.apply(&["--unsafe"], &["node_modules:/app/node_modules"]);
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
}

fn left_behind(engine: &Engine) {
    let project = node(engine, "h6", INSTALLS, BIND);
    let tree = project.directory.join("node_modules");
    fs::remove_dir_all(&tree).unwrap();
    // Where root runs the tests the project is given to somebody else. Others cannot, and need not.
    let nobody = 65534;
    drop(chown(&project.directory, Some(nobody), Some(nobody)));
    let verdict = project.verdict(TREE, &[]);
    let note = "the engine creates an empty node_modules owned by root";
    assert!(verdict.notes.contains(note), "{verdict:?}");
    project.apply(&[], &[]);
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    let owner = |path| fs::metadata(path).unwrap().uid();
    assert_eq!(owner(&tree), 0);
    assert_ne!(owner(&project.directory), 0);
    assert_eq!(fs::read_dir(&tree).unwrap().count(), 0);
    project.down();
    assert!(tree.exists(), "it stays");
}
