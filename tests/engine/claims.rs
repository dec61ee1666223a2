//! What the pages and the data say of Docker and Compose, as far as an engine shows it.

use super::Case;
use super::engine::Engine;
use super::project::Project;
use super::shop::{ANSWER, BIND, INSTALLS, node};

pub(crate) const CASES: &[Case] = &[
    ("a_volume_takes_files_owner_and_mode_of_the_image", takes_everything),
    ("nocopy_takes_nothing_of_the_image", nocopy),
    ("a_bind_is_the_same_directory_on_linux", same_directory),
    ("a_declared_volume_is_not_in_a_bind_of_its_parent", declared),
    ("a_tmpfs_has_its_mode_from_runc_1_1_9_on", tmpfs_mode),
    ("moving_and_linking_into_a_volume_fails_H4", across),
    ("an_own_list_replaces_the_merged_one_H17", merged),
    ("one_letter_is_no_volume_H14", one_letter),
    ("an_undeclared_volume_is_refused_H15", undeclared),
    ("the_last_of_two_mounts_counts_E2", last_counts),
    ("a_relative_target_is_refused", relative),
    ("npm_from_version_7_on_empties_the_directory_H4", npm),
    ("a_new_mount_replaces_the_container", replaces),
];

/// A project of one service that sleeps, with some mounts.
fn sleeping<'e>(engine: &'e Engine, case: &str, mounts: &[&str], rest: &str) -> Project<'e> {
    let mounts: Vec<String> = mounts.iter().map(|mount| format!("      - {mount}\n")).collect();
    let mounts = mounts.concat();
    let compose = format!(
        "services:\n  app:\n    build: .\n    command: [sleep, '3600']\n    volumes:\n{mounts}{rest}"
    );
    let dockerfile = "\
FROM BASE
WORKDIR /app
RUN mkdir tree && echo image >tree/file && chown -R 1000:1000 tree && chmod 750 tree
";
    Project::new(engine, case, &[("compose.yaml", &compose), ("Dockerfile", dockerfile)])
}

const NAMED: &str = "volumes:\n  named:\n";
const LOOK: &str = "stat -c '%u:%g %a' /app/tree; ls -A /app/tree";

/// `volume.md`: the volume starts with what the image holds at that path, never with the host's copy.
fn takes_everything(engine: &Engine) {
    let project = sleeping(engine, "takes", &[".:/app", "named:/app/tree"], NAMED);
    project.put("tree/of-the-host", "x");
    project.up();
    assert_eq!(project.sh("app", LOOK), "1000:1000 750\nfile");
}

/// `volume.md`: services that share a volume get `nocopy`, all but one.
fn nocopy(engine: &Engine) {
    let mount = "{type: volume, source: named, target: /app/tree, volume: {nocopy: true}}";
    let project = sleeping(engine, "nocopy", &[mount], NAMED);
    project.up();
    assert_eq!(project.sh("app", LOOK), "0:0 755");
}

/// `rules/platforms/linux-native.yaml`: a bind is the same directory, owners and modes included, and
/// mount points that are not there are made by the engine, which runs as root.
fn same_directory(engine: &Engine) {
    let project = sleeping(engine, "bind", &[".:/app", "./made:/made"], "");
    project.up();
    let device = "stat -c '%d %i %u %a' /app/compose.yaml";
    let inside = project.sh("app", device);
    let file = project.directory.join("compose.yaml").display().to_string();
    let outside = std::process::Command::new("stat").args(["-c", "%d %i %u %a", &file]).output();
    assert_eq!(inside, String::from_utf8(outside.unwrap().stdout).unwrap().trim());
    let made = std::fs::metadata(project.directory.join("made")).unwrap();
    assert_eq!(std::os::unix::fs::MetadataExt::uid(&made), 0);
}

/// `rules/images/postgres.yaml`: where the image declares a volume, a mount on its parent does not
/// persist.
fn declared(engine: &Engine) {
    let project = sleeping(engine, "declared", &["./lib:/var/lib/base"], "");
    let dockerfile = "FROM BASE\nRUN mkdir -p /var/lib/base/data\nVOLUME /var/lib/base/data\n";
    project.put("Dockerfile", dockerfile);
    project.up();
    project.sh("app", "echo row >/var/lib/base/data/table; echo note >/var/lib/base/beside");
    assert_eq!(project.text("lib/beside"), "note\n");
    assert!(!project.directory.join("lib/data/table").exists());
    let (kind, anonymous) = project.mount("app", "/var/lib/base/data").unwrap();
    assert_eq!(kind, "volume");
    project.down();
    project.up();
    project.shell("app", "cat /var/lib/base/data/table").badly();
    let second = project.mount("app", "/var/lib/base/data").unwrap().1;
    project.down();
    for volume in [anonymous, second] {
        engine.docker(&["volume", "rm", &volume]).well();
    }
}

/// `tmpfs.md`: engines from before August 2023 ignore the mode where the directory exists.
fn tmpfs_mode(engine: &Engine) {
    let mount = "{type: tmpfs, target: /app/TREE, tmpfs: {mode: 0o1777}}";
    let new = mount.replace("TREE", "new");
    let project = sleeping(engine, "mode", &[&mount.replace("TREE", "tree"), &new], "");
    project.up();
    assert_eq!(project.sh("app", "stat -c %a /app/new"), "1777");
    let version = engine
        .docker(&["version", "-f", "{{range .Server.Components}}{{.Name}} {{.Version}} {{end}}"])
        .well();
    let runc = version.split("runc ").nth(1).unwrap().to_owned();
    let numbers: Vec<u32> = runc
        .split(|c: char| !c.is_ascii_digit())
        .take(3)
        .map(|number| number.parse().unwrap())
        .collect();
    let mode = if numbers < vec![1, 1, 9] { "750" } else { "1777" };
    assert_eq!(project.sh("app", "stat -c %a /app/tree"), mode, "runc {runc}");
}

/// `volume.md`: the directory is a mount point. Tools that prepare beside it cannot move in.
fn across(engine: &Engine) {
    let project = sleeping(engine, "across", &[".:/app", "named:/app/tree"], NAMED);
    project.up();
    project.sh("app", "mkdir staged && ls -A tree");
    project.shell("app", "rmdir tree").badly();
    project.shell("app", "mv tree other").badly();
    assert!(project.shell("app", "ln compose.yaml tree/").badly().contains("ross-device"));
    project.sh("app", "rm -r tree/file && mkdir tree/new");
}

/// An own list beside `<<` replaces the merged one, so that a bind can be gone.
fn merged(engine: &Engine) {
    let compose = "\
x-app: &app
  image: BASE
  command: [sleep, '3600']
  volumes: ['.:/app']
services:
  app:
    <<: *app
    volumes: ['named:/app/tree']
volumes:
  named:
";
    let project = Project::new(engine, "merged", &[("compose.yaml", compose)]);
    let shown = project.composefix(&["check", "--show-mounts", "--format", "json"]).text;
    let report: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(report["mounts"].as_array().unwrap().len(), 1, "{report}");
    project.up();
    assert_eq!(project.mount("app", "/app"), None);
    assert!(project.mount("app", "/app/tree").is_some());
}

/// Why new volumes have names of two characters at least.
fn one_letter(engine: &Engine) {
    let project = sleeping(engine, "letter", &["v:/data"], "volumes:\n  v:\n");
    project.compose(&["up", "-d"]).badly();
    let project = sleeping(engine, "letters", &["vv:/data"], "volumes:\n  vv:\n");
    project.up();
    assert_eq!(project.mount("app", "/data").unwrap().0, "volume");
}

/// Why each new volume is declared where the service is loaded.
fn undeclared(engine: &Engine) {
    let project = sleeping(engine, "undeclared", &["named:/data"], "");
    let said = project.compose(&["config", "-q"]).badly();
    assert!(said.contains("refers to undefined volume named"), "{said}");
}

/// `duplicate_target.md`: Compose keeps the last and says nothing.
fn last_counts(engine: &Engine) {
    let project = sleeping(engine, "twice", &[".:/data", "named:/data"], NAMED);
    let check = ["check", "--select", "duplicate-target", "--exit-zero"];
    assert!(project.composefix(&check).text.contains("error[duplicate-target]"));
    project.up();
    assert_eq!(project.mount("app", "/data").unwrap().0, "volume");
}

/// `suspicious_target.md`: Compose takes it, the engine refuses it or mounts something else.
fn relative(engine: &Engine) {
    let project = sleeping(engine, "relative", &["named:app/tree"], NAMED);
    let check = ["check", "--select", "suspicious-target", "--exit-zero"];
    assert!(project.composefix(&check).text.contains("error[suspicious-target]"));
    project.compose(&["config", "-q"]).well();
    let said = project.compose(&["up", "-d"]).badly();
    assert!(said.contains("mount path must be absolute") || said.contains("invalid"), "{said}");
}

/// `src/strategy/evidence.rs`: `npm ci` of version 7 and later works on a mount point. Run with the npm
/// of this machine, whose programs the container borrows.
#[expect(clippy::print_stdout, reason = "what is skipped is said")]
fn npm(engine: &Engine) {
    let project = sleeping(engine, "npm", &[], "");
    project.put(
        "package.json",
        r#"{"name": "a", "version": "1.0.0", "dependencies": {"dep": "file:dep"}}"#,
    );
    project.put("dep/package.json", r#"{"name": "dep", "version": "1.0.0"}"#);
    project.put(
        "package-lock.json",
        r#"{"name": "a", "version": "1.0.0", "lockfileVersion": 3, "packages": {
            "": {"name": "a", "version": "1.0.0", "dependencies": {"dep": "file:dep"}},
            "dep": {"version": "1.0.0"}, "node_modules/dep": {"resolved": "dep", "link": true}}}"#,
    );
    let volume = format!("{}-npm", project.name);
    let binds = [
        "/usr:/usr:ro".to_owned(),
        "/lib:/lib:ro".to_owned(),
        "/lib64:/lib64:ro".to_owned(),
        format!("{}:/app", project.directory.display()),
        format!("{volume}:/app/node_modules"),
    ];
    let script = "cd /app && echo 1 >node_modules/old && npm --version && npm ci --offline --no-audit && ls node_modules";
    let mut words = vec!["run", "--rm", "--network", "none"];
    for bind in &binds {
        words.extend(["-v", bind.as_str()]);
    }
    let shell = [engine.base.as_str(), "env", "PATH=/usr/bin:/bin", "sh", "-c"];
    let has = engine.docker(&[&words[..], &shell, &["npm --version"]].concat());
    let major = has.text.split('.').next().unwrap_or_default().parse::<u32>();
    if major.is_ok_and(|major| major >= 7) {
        let said = engine.docker(&[&words[..], &shell, &[script]].concat()).well();
        engine.docker(&["volume", "rm", &volume]).well();
        assert!(said.ends_with("\ndep"), "{said}");
    } else {
        engine.docker(&["volume", "rm", "-f", &volume]);
        println!(
            "skipped: this machine has no npm of version 7 or later: {}{}",
            has.text, has.errors
        );
    }
}

/// What is in the container's own layer goes when a mount comes.
fn replaces(engine: &Engine) {
    let project = node(engine, "replaces", INSTALLS, BIND);
    project.up();
    assert_eq!(project.answer("web"), ANSWER);
    let before = project.container("web");
    project.sh("web", "echo 1 >/root/own");
    project.apply(&[], &[]);
    project.up();
    assert_ne!(project.container("web"), before);
    project.shell("web", "cat /root/own").badly();
}
