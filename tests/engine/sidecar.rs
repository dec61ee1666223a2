//! `sidecar`: a service copies the tree one way, and the application waits for the first copy.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use super::Case;
use super::engine::Engine;
use super::project::{Project, eventually};
use super::shop::{ANSWER, node, php};

pub(crate) const CASES: &[Case] = &[
    ("is_complete_before_the_application_starts", complete_at_start),
    ("listens_and_brings_edits_and_deletes", listens),
    ("looks_again_and_brings_edits_and_deletes", looks),
    ("listens_and_looks_for_a_team_of_several_machines", listens_and_looks),
    ("survives_an_install_from_scratch", survives),
    ("gives_the_copy_to_the_readers_user", readable),
    ("waits_for_a_tree_that_is_not_there", waits),
    ("is_taken_over_with_volumes_from", taken_over),
    ("is_not_offered_for_compiled_programs", compiled),
];

/// The image lacks the tree.
const DOCKERFILE: &str = "\
FROM BASE
WORKDIR /srv/app
CMD [\"serve\", \"vendor\"]
";

const BIND: &str = "\
services:
  web:
    build: .
    volumes:
      - .:/srv/app
";

const TREE: &str = "/srv/app/vendor";
const LISTEN: [&str; 5] = ["--strategy", "sidecar", "--platform", "macos-virtiofs", "--unsafe"];
const LOOK: [&str; 5] = ["--strategy", "sidecar", "--platform", "windows-wsl2-drive", "--unsafe"];

/// Seconds until a change arrives, as the page says, and what a busy machine adds.
const LISTENING: u64 = 2 + SLACK;
const LOOKING: u64 = 10 + SLACK;
const SLACK: u64 = 4;

fn complete_at_start(engine: &Engine) {
    let project = php(engine, "sidecar", DOCKERFILE, BIND);
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    let files = project.files("web", TREE);
    project.down();
    project.is_unsafe(TREE, "", &LISTEN[..4]);
    project.apply(&LISTEN, &["vendor:/srv/app/vendor:ro", "condition: service_healthy"]);
    let host = project.host_files();
    project.up();
    project.has_volume("web", TREE, "vendor");
    assert_eq!(project.answer("web"), ANSWER);
    // What the application saw in its first moment.
    assert_eq!(project.sh("web", "cat /tmp/at-start"), "601");
    assert_eq!(project.files("web", TREE), files);
    let started = project.inspect("web")["State"]["StartedAt"].to_string();
    let health = project.inspect("vendor-sync")["State"]["Health"].clone();
    assert_eq!(health["Status"], "healthy");
    let healthy = health["Log"].as_array().unwrap().iter().find(|check| check["ExitCode"] == 0);
    assert!(*healthy.unwrap()["End"].to_string() < *started, "{health} {started}");
    assert!(project.shell("web", "touch vendor/mine").badly().contains("Read-only file system"));
    assert_eq!(project.host_files(), host, "nothing is written to the host");
    // The mounts of the sidecar cannot be written by it either.
    project.shell("vendor-sync", "touch /host/mine").badly();
}

/// A change, a new file, a rename, a delete and a tree that is installed anew: each arrives, and
/// nothing of the host is touched.
fn arrives(project: &Project<'_>, seconds: u64) {
    let vendor = project.directory.join("vendor");
    let reads = |script: &str, text: &str| {
        eventually(seconds, || {
            let said = project.shell("web", script);
            if said.text == text { Ok(()) } else { Err(format!("{script}: {said:?}")) }
        });
    };
    project.put("vendor/p0/f0", "changed\n");
    project.put("vendor/new/deep/file", "new\n");
    fs::rename(vendor.join("p1"), vendor.join("moved")).unwrap();
    fs::remove_dir_all(vendor.join("p2")).unwrap();
    fs::remove_file(vendor.join("p3/f0")).unwrap();
    let all =
        "cat vendor/p0/f0 vendor/new/deep/file; ls vendor | tr '\\n' ' '; ls vendor/p3 | wc -l";
    reads(all, "changed\nnew\nmoved new p0 p3 p4 p5 p6 p7 p8 p9 59");
    let host = project.host_files();
    // An empty tree deletes nothing: it is about to be installed.
    let below = fs::read_dir(&vendor).unwrap().map(|entry| entry.unwrap().file_name());
    let below: Vec<_> = below.collect();
    let away = project.directory.join("away");
    fs::create_dir(&away).unwrap();
    for name in &below {
        fs::rename(vendor.join(name), away.join(name)).unwrap();
    }
    std::thread::sleep(Duration::from_secs(seconds));
    assert_eq!(project.sh("web", "cat vendor/p0/f0"), "changed");
    for name in &below {
        fs::rename(away.join(name), vendor.join(name)).unwrap();
    }
    assert_eq!(project.host_files(), host, "the sources are as they were");
    project.put("vendor/p0/f0", "again\n");
    reads("cat vendor/p0/f0", "again");
}

fn listens(engine: &Engine) {
    let project = php(engine, "sidecar-listens", DOCKERFILE, BIND);
    project.apply(&LISTEN, &["inotifywait"]);
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    arrives(&project, LISTENING);
}

fn looks(engine: &Engine) {
    let project = php(engine, "sidecar-looks", DOCKERFILE, BIND);
    project.apply(&LOOK, &["while sleep 10"]);
    assert!(!project.text("compose.yaml").contains("inotify"));
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    arrives(&project, LOOKING);
}

fn listens_and_looks(engine: &Engine) {
    let project = php(engine, "sidecar-both", DOCKERFILE, BIND);
    project.apply(&["--strategy", "sidecar", "--unsafe"], &["inotifywait", "while sleep 10"]);
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    arrives(&project, LISTENING);
    // Where no event comes the next look brings it: nobody listens for the moment.
    let stop = "for p in /proc/[0-9]*; do \
        if grep -q ^inotifywait $p/cmdline; then kill -STOP ${p#/proc/}; fi; done";
    project.sh("vendor-sync", stop);
    project.put("vendor/late", "late\n");
    eventually(LOOKING, || {
        let said = project.shell("web", "cat vendor/late");
        if said.text == "late" { Ok(()) } else { Err(format!("{said:?}")) }
    });
}

/// Installing from scratch on the host: the copy survives, the reader sees the host's directory until
/// it starts again.
fn survives(engine: &Engine) {
    let project = php(engine, "sidecar-survives", DOCKERFILE, BIND);
    project.apply(&LOOK, &[]);
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    let copy = || project.sh("vendor-sync", "ls -A /data | wc -l");
    assert_eq!(copy(), "11");
    fs::remove_dir_all(project.directory.join("vendor")).unwrap();
    std::thread::sleep(Duration::from_secs(LOOKING));
    assert_eq!(copy(), "11");
    project.put("composer.lock", "two\n");
    project.install("vendor", "composer.lock");
    assert_eq!(project.answer("web"), ANSWER.replace("one", "two"));
    project.sh("web", "grep -q ' /srv/app ' /proc/self/mounts");
    project.shell("web", "grep -q ' /srv/app/vendor ' /proc/self/mounts").badly();
    eventually(LOOKING, || {
        let lock = project.sh("vendor-sync", "cat /data/.lock");
        if lock == "two" { Ok(()) } else { Err(lock) }
    });
    project.compose(&["restart", "-t", "0", "web"]).well();
    project.sh("web", "grep -q ' /srv/app/vendor ' /proc/self/mounts");
    assert_eq!(project.answer("web"), ANSWER.replace("one", "two"));
}

/// Files that only their owner may read on the host.
fn readable(engine: &Engine) {
    let project = php(engine, "sidecar-user", DOCKERFILE, &format!("{BIND}    user: '1000'\n"));
    let own = project.directory.join("vendor/p0");
    fs::set_permissions(own.join("f0"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::set_permissions(&own, fs::Permissions::from_mode(0o700)).unwrap();
    project.up();
    project.shell("web", "cat vendor/p0/f0").badly();
    project.apply(&LISTEN, &["--chown=1000"]);
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    let found = project.sh("web", "id -u; stat -c %u vendor/p0/f0; cat vendor/p0/f0");
    assert_eq!(found, "1000\n1000\nmodule 0 0");
    let mode = fs::metadata(own.join("f0")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "the host's mode is as it was");
}

fn waits(engine: &Engine) {
    let project = php(engine, "sidecar-waits", DOCKERFILE, BIND);
    project.apply(&LISTEN, &[]);
    let vendor = project.directory.join("vendor");
    fs::rename(&vendor, project.directory.join("away")).unwrap();
    let mut up = engine.compose(&project.directory, &["up", "-d"]);
    let mut child =
        up.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn();
    let child = child.as_mut().unwrap();
    let logs = || project.compose(&["logs", "vendor-sync"]).text;
    eventually(60, || {
        let logs = logs();
        if logs.contains("nothing to copy in /host/vendor") { Ok(()) } else { Err(logs) }
    });
    assert_ne!(project.inspect("web")["State"]["Status"], "running", "it starts without a tree");
    fs::rename(project.directory.join("away"), &vendor).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(project.answer("web"), ANSWER);
    assert_eq!(project.sh("web", "cat /tmp/at-start"), "601");
}

fn taken_over(engine: &Engine) {
    let project = php(engine, "sidecar-from", DOCKERFILE, &format!("version: '2.4'\n{BIND}"));
    let words = ["--strategy", "sidecar", "--platform", "macos-osxfs", "--unsafe"];
    project.apply(&words, &["volumes_from:", "- vendor-sync:ro"]);
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    assert_eq!(project.sh("web", "cat /tmp/at-start"), "601");
    let mount = project.mount("web", TREE);
    assert_eq!(mount, project.mount("vendor-sync", TREE));
    assert_eq!(mount.map(|(kind, _)| kind).as_deref(), Some("volume"));
    // docker-compose v1 hands `:ro` on; Compose from version 2 loses it, and what the container
    // writes is gone with the next copy.
    project.sh("web", "touch vendor/mine");
    arrives(&project, LISTENING);
}

fn compiled(engine: &Engine) {
    let bind = BIND.replace("/srv/app", "/app");
    let dockerfile = DOCKERFILE.replace("/srv/app", "/app").replace("vendor", "node_modules");
    let project = node(engine, "sidecar-native", &dockerfile, &bind);
    let said = project.leaves(&LISTEN);
    assert!(said.contains("left: "), "{said}");
}
