//! `watch`: the bind goes, and Compose copies what changes.

use std::fs::File;
use std::process::{Child, Stdio};

use super::Case;
use super::engine::Engine;
use super::project::{Project, eventually};
use super::shop::{ANSWER, BIND, INSTALLS, LACKS, node};

pub(crate) const CASES: &[Case] = &[
    ("copies_edits_and_builds_anew", copies_and_builds),
    ("skips_a_rule_below_a_bind_W1", skips_below_a_bind),
    ("needs_the_code_in_the_image_W2", needs_the_code),
];

const WATCH: [&str; 3] = ["--strategy", "watch", "--unsafe"];
const TREE: &str = "/app/node_modules";

/// `docker compose watch` in the background.
struct Watching {
    child: Child,
    log: File,
}

impl Watching {
    fn start(project: &Project<'_>) -> Self {
        let log = File::create(project.directory.parent().unwrap().join("watch.log")).unwrap();
        let mut command = project.engine.compose(&project.directory, &["watch", "--no-up"]);
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap());
        let child = command.stderr(log.try_clone().unwrap()).spawn().unwrap();
        Self { child, log }
    }

    fn says(&mut self, project: &Project<'_>) -> String {
        drop(self.log.sync_all());
        super::support::text(&project.directory.parent().unwrap().join("watch.log"))
    }

    /// Waits until it watches.
    fn ready(&mut self, project: &Project<'_>) {
        eventually(20, || {
            let said = self.says(project);
            if said.contains("Watch enabled") { Ok(()) } else { Err(said) }
        });
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn copies_and_builds(engine: &Engine) {
    let project = node(engine, "watch", INSTALLS, BIND);
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    let files = project.files("web", TREE);
    project.is_unsafe(TREE, "", &WATCH[..2]);
    project.apply(&WATCH, &["action: sync", "action: rebuild", "path: package-lock.json"]);
    assert!(!project.text("compose.yaml").contains("volumes"));
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    assert_eq!(project.files("web", TREE), files);
    assert_eq!(project.mount("web", "/app"), None);
    let mut watching = Watching::start(&project);
    watching.ready(&project);
    project.put("src/page", "second\n");
    eventually(20, || {
        let answer = project.answer("web");
        if answer == ANSWER.replace("first", "second") { Ok(()) } else { Err(answer) }
    });
    std::fs::remove_dir_all(project.directory.join("src/old")).ok();
    project.put("src/gone", "x\n");
    eventually(20, || {
        let said = project.shell("web", "cat src/gone");
        if said.ok { Ok(()) } else { Err(watching.says(&project)) }
    });
    std::fs::remove_file(project.directory.join("src/gone")).unwrap();
    eventually(20, || {
        let said = project.shell("web", "cat src/gone");
        if said.ok { Err(watching.says(&project)) } else { Ok(()) }
    });
    // The host's tree stays away from the container's, and what the container writes stays there.
    project.put("node_modules/p0/f0", "of the host\n");
    project.sh("web", "echo made >src/made");
    let container = project.container("web");
    project.put("package-lock.json", "two\n");
    eventually(60, || {
        let said = project.shell("web", "cat node_modules/.lock node_modules/p0/f0");
        if said.text == "two\nmodule 0 0" { Ok(()) } else { Err(watching.says(&project)) }
    });
    assert_ne!(project.container("web"), container);
    assert!(!project.directory.join("src/made").exists());
    project.shell("web", "cat src/made").badly();
}

fn skips_below_a_bind(engine: &Engine) {
    let rules =
        "    develop:\n      watch:\n        - {action: sync, path: ./src, target: /app/src}\n";
    let project = node(engine, "watch-w1", INSTALLS, &format!("{BIND}{rules}"));
    let said = project.composefix(&["check", "--select", "watch-under-bind", "--exit-zero"]).text;
    assert!(said.contains("watch-under-bind"), "{said}");
    project.up();
    let mut watching = Watching::start(&project);
    eventually(20, || {
        let said = watching.says(&project);
        let skipped = "also declared by a bind mount volume, this path won't be monitored";
        if said.contains(skipped) && said.contains("none of the selected services") {
            Ok(())
        } else {
            Err(said)
        }
    });
}

/// Forced by hand: the program offers nothing here.
fn needs_the_code(engine: &Engine) {
    let project = node(engine, "watch-w2", LACKS, BIND);
    project.leaves(&WATCH);
    project.put("compose.yaml", &BIND.replace(
        "    volumes:\n      - .:/app\n",
        "    develop:\n      watch:\n        - {action: sync, path: ., target: /app, ignore: [node_modules/]}\n",
    ));
    project.up();
    let (code, said) = project.ends("web");
    assert_ne!(code, 0);
    assert!(said.contains("cannot find the module"), "{said}");
}
