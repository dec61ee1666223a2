//! `tmpfs`: what comes back by itself lies in memory.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::Case;
use super::engine::Engine;
use super::project::{Project, eventually};

pub(crate) const CASES: &[Case] = &[
    ("is_writable_for_the_services_user", writable),
    ("is_empty_after_a_restart_and_runs_no_programs", empty_and_no_programs),
    ("behind_volumes_from_does_not_start", volumes_from),
];

const COMPOSE: &str = "\
services:
  php:
    build: .
    command: [sleep, '3600']
    user: '1000'
    volumes:
      - .:/srv/app
";

fn symfony<'e>(engine: &'e Engine, case: &str) -> Project<'e> {
    let files = [
        ("compose.yaml", COMPOSE),
        ("Dockerfile", "FROM BASE\nWORKDIR /srv/app\n"),
        ("symfony.lock", "{}\n"),
    ];
    let project = Project::new(engine, case, &files);
    project.install("var/cache", "symfony.lock");
    mode(&project, 0o777);
    project
}

/// Engines with a runc before 1.1.9 give a tmpfs the mode of the directory that it covers, whatever
/// the entry says.
fn mode(project: &Project<'_>, mode: u32) {
    let cache = project.directory.join("var/cache");
    fs::set_permissions(cache, fs::Permissions::from_mode(mode)).unwrap();
}

const TMPFS: [&str; 2] = ["--strategy", "tmpfs"];
const CACHE: &str = "/srv/app/var/cache";

fn writable(engine: &Engine) {
    let project = symfony(engine, "tmpfs");
    project.up();
    assert_eq!(project.verdict(CACHE, &TMPFS).applicability, "safe");
    project.apply(&TMPFS, &["type: tmpfs", "mode: 0o1777"]);
    let host = project.host_files();
    project.up();
    let found =
        project.sh("php", "id -u; stat -f -c %T var/cache; mkdir var/cache/new && echo made");
    assert_eq!(found, "1000\ntmpfs\nmade");
    assert_eq!(project.host_files(), host);
}

fn empty_and_no_programs(engine: &Engine) {
    let project = symfony(engine, "tmpfs-new");
    project.apply(&TMPFS, &[]);
    project.up();
    assert_eq!(project.sh("php", "ls -A var/cache"), "");
    project.sh("php", "echo 'echo runs' >var/cache/run && chmod +x var/cache/run");
    assert!(project.shell("php", "var/cache/run").badly().contains("Permission denied"));
    project.compose(&["restart", "-t", "0", "php"]).well();
    assert_eq!(project.sh("php", "ls -A var/cache"), "");
    let kind = || project.sh("php", "mkdir -p var/cache && stat -f -c %T var/cache");
    assert_eq!(kind(), "tmpfs");
    // Removed on the host, it is out of the container until that starts again.
    fs::remove_dir_all(project.directory.join("var/cache")).unwrap();
    fs::create_dir(project.directory.join("var/cache")).unwrap();
    mode(&project, 0o777);
    eventually(5, || if kind() == "tmpfs" { Err("still there".to_owned()) } else { Ok(()) });
    project.compose(&["restart", "-t", "0", "php"]).well();
    assert_eq!(kind(), "tmpfs");
}

/// Why no tmpfs is offered where somebody takes the mounts over.
fn volumes_from(engine: &Engine) {
    let project = symfony(engine, "tmpfs-from");
    let taker = "  cron:\n    build: .\n    command: [sleep, '3600']\n    volumes_from: [php]\n";
    project.put("compose.yaml", &format!("{COMPOSE}{taker}"));
    project.leaves(&[&TMPFS[..], &["--unsafe"]].concat());
    let forced = "      - {type: tmpfs, target: /srv/app/var/cache}\n";
    project.put("compose.yaml", &format!("{COMPOSE}{forced}{taker}"));
    let said = project.compose(&["up", "-d", "-t", "0"]).badly();
    assert!(said.contains("cron"), "{said}");
}
