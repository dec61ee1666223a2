//! Services that share a tree: whose content it is, and who sees whose.

use std::process::{Command, Stdio};

use super::Case;
use super::engine::Engine;
use super::project::eventually;
use super::shop::{ANSWER, INSTALLS, LACKS, node};

pub(crate) const CASES: &[Case] = &[
    ("H7_two_images_share_one_volume", two_images),
    ("H8_two_that_fill_at_once_get_in_each_others_way", race),
    ("H8_nocopy_leaves_the_volume_to_the_other", nocopy),
    ("H9_a_reader_alone_never_sees_what_is_installed", split),
    ("H18_an_anonymous_volume_is_inherited", anonymous),
];

const TREE: &str = "/app/node_modules";

/// Both install; each image marks what it built.
fn two_images(engine: &Engine) {
    let compose = "\
services:
  web:
    build: .
    volumes:
      - .:/app
  worker:
    build: {context: ., dockerfile: Dockerfile.worker}
    volumes:
      - .:/app
    depends_on: [web]
";
    let marked = |name: &str| {
        INSTALLS.replace("RUN npm ci", &format!("RUN npm ci && echo {name} >node_modules/.lock"))
    };
    let project = node(engine, "h7", &marked("web"), compose);
    project.put("Dockerfile.worker", &marked("worker"));
    let lock = |service: &str| project.sh(service, "cat node_modules/.lock");
    project.apply(&[], &["web_node_modules:/app", "worker_node_modules:/app"]);
    project.up();
    assert_eq!((lock("web").as_str(), lock("worker").as_str()), ("web", "worker"));
    project.compose(&["down", "-v", "-t", "0"]).well();
    // Forced: one volume. Whoever comes first fills it for both.
    let one = project.text("compose.yaml").replace("worker_node_modules", "web_node_modules");
    let one = one.replacen("  web_node_modules:\n", "", 1);
    project.put("compose.yaml", &one);
    let check = ["check", "--select", "shared-overlay", "--exit-zero"];
    assert!(project.composefix(&check).text.contains("warning[shared-overlay]"), "{one}");
    project.up();
    assert_eq!((lock("web").as_str(), lock("worker").as_str()), ("web", "web"));
}

/// Two containers that nobody orders, on a volume that takes a moment to fill. One of them starts
/// with a part of it, or does not start.
fn race(engine: &Engine) {
    let anchored = "\
x-app: &app
  build: .
  volumes: &code
    - .:/app
services:
  web:
    <<: *app
  worker:
    <<: *app
";
    let project = node(engine, "h8", INSTALLS, anchored);
    project.is_unsafe(TREE, "fill the volume at the same time when they start together", &[]);
    // Ten times the tree: 6,010 files.
    let more = "RUN npm ci && for n in 1 2 3 4 5 6 7 8 9; do cp -r node_modules /tmp/$n; done && mv /tmp/? node_modules";
    project.put("Dockerfile", &INSTALLS.replace("RUN npm ci", more));
    project.compose(&["build", "web"]).well();
    let (image, volume) = (format!("{}-web", project.name), format!("{}-race", project.name));
    let mount = format!("{volume}:{TREE}");
    let count = format!("find {TREE} -type f | wc -l");
    let mut seen = Vec::new();
    let mut struck = false;
    for _ in 0..10 {
        let words = ["run", "--rm", "--network", "none", "-v", &mount, &image, "sh", "-c", &count];
        let start = || Command::new("docker").args(words).stdout(Stdio::piped()).spawn().unwrap();
        let both = [start(), start()].map(|child| child.wait_with_output().unwrap());
        engine.docker(&["volume", "rm", &volume]).well();
        let texts = both.map(|output| String::from_utf8(output.stdout).unwrap().trim().to_owned());
        struck = texts.iter().any(|text| text != "6010");
        seen.push(texts);
        if struck {
            break;
        }
    }
    assert!(struck, "{seen:?}");
}

/// What the notes say of the service that must not fill: start the other with it.
fn nocopy(engine: &Engine) {
    let compose = "\
services:
  web:
    build: .
    image: IMAGE
    volumes:
      - .:/app
  worker:
    image: IMAGE
    volumes:
      - .:/app
";
    let image = format!("composefix-engine-nocopy-{}", std::process::id());
    let project = node(engine, "h8-nocopy", INSTALLS, &compose.replace("IMAGE", &image));
    let said = project.apply(&["--unsafe"], &["nocopy"]);
    project.compose(&["build"]).well();
    let (filler, other) =
        if said.contains("`web` fills the volume") { ("web", "worker") } else { ("worker", "web") };
    assert!(said.contains(&format!("start `{filler}` with it")), "{said}");
    project.compose(&["up", "-d", "-t", "0", "--no-deps", other]).well();
    assert_ne!(project.ends(other).0, 0, "it has a tree");
    project.up();
    for service in [filler, other] {
        assert_eq!(project.answer(service), ANSWER);
    }
    project.compose(&["down", "-v", "-t", "0"]).well();
    engine.docker(&["image", "rm", &image]).well();
}

/// One service installs, the other reads.
fn split(engine: &Engine) {
    let compose = "\
services:
  install:
    build: .
    command: npm install
    volumes:
      - .:/app
  web:
    build: .
    volumes:
      - .:/app
    depends_on: {install: {condition: service_completed_successfully}}
";
    let project = node(engine, "h9", LACKS, compose);
    // Forced by hand: the reader alone gets a volume.
    let forced =
        compose.replace("    depends_on", "      - tree:/app/node_modules\n    depends_on");
    project.put("compose.yaml", &format!("{forced}volumes:\n  tree:\n"));
    project.compose(&["up", "-d", "-t", "0"]).well();
    assert_eq!(project.ends("web").0, 1);
    project.compose(&["down", "-v", "-t", "0"]).well();
    // The program changes both.
    project.put("compose.yaml", compose);
    project.apply(&["--unsafe"], &[]);
    let mounts = project.text("compose.yaml").matches(":/app/node_modules").count();
    assert_eq!(mounts, 2, "{}", project.text("compose.yaml"));
    project.up();
    let key = project.mount("web", TREE);
    assert_eq!(key, project.mount("install", TREE));
    assert_eq!(project.answer("web"), ANSWER);
}

fn anonymous(engine: &Engine) {
    let compose = "\
services:
  web:
    build: .
    volumes:
      - .:/app
      - /app/node_modules
";
    let project = node(engine, "h18", INSTALLS, compose);
    let check = ["check", "--select", "anonymous-tree-volume", "--exit-zero"];
    assert!(project.composefix(&check).text.contains("anonymous-tree-volume"));
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    let first = project.mount("web", TREE).unwrap().1;
    project.put("package-lock.json", "two\n");
    project.compose(&["up", "-d", "-t", "0", "--build", "--force-recreate"]).well();
    assert_eq!(project.answer("web"), ANSWER, "the old content is not kept");
    assert_eq!(project.mount("web", TREE).unwrap().1, first);
    project.compose(&["up", "-d", "-t", "0", "-V", "--force-recreate"]).well();
    assert_eq!(project.answer("web"), ANSWER.replace("one", "two"));
    let second = project.mount("web", TREE).unwrap().1;
    assert_ne!(first, second);
    project.down();
    // Both stay behind.
    for volume in [first, second] {
        eventually(5, || {
            let removed = engine.docker(&["volume", "rm", &volume]);
            if removed.ok { Ok(()) } else { Err(removed.errors) }
        });
    }
}
