use crate::compose::Request;
use crate::finding::{Applicability, Change};
use crate::host::{Environment, MemoryHost, MemoryNode};
use crate::rewrite::Destination;
use crate::rules::Rules;
use crate::run::{self, Session, Settings};
use crate::survey::index_of;

/// A project with a service that builds its image, and 900 packages.
fn project() -> MemoryHost {
    MemoryHost::default()
        .with_file("/home/me/shop/package.json", r#"{"dependencies": {"a": "1"}}"#)
        .with("/home/me/shop/node_modules", MemoryNode::Tree(900))
        .with_file("/home/me/shop/src/a.js", "")
        .with_file("/home/me/shop/notes/draft.txt", "")
        .with_file("/home/me/shop/.env", "A=1")
        .with_file("/home/me/shop/local.txt", "")
}

/// What the wide bind of the project becomes, as the file would spell it, or why it stays.
fn narrowed(host: MemoryHost) -> (Vec<String>, Vec<String>) {
    let text = "services:\n  web:\n    build: .\n    volumes:\n      - ./:/app\n";
    let host = host.with_file("/home/me/shop/compose.yaml", text);
    let environment = Environment {
        directory: "/home/me/shop".into(),
        home: Some("/home/me".into()),
        ..Environment::default()
    };
    let rules = Rules::builtin().unwrap();
    let settings = Settings {
        platforms: vec!["macos-docker-vmm".to_owned()],
        strategies: vec!["narrow".to_owned()],
        select: Vec::new(),
        ignore: Vec::new(),
        write_from: Applicability::Unsafe,
        full_survey: false,
        show_mounts: false,
        edits_alone: false,
        destination: Destination::default(),
        ..Settings::default()
    };
    let session = Session { host: &host, environment: &environment, rules: &rules, settings };
    let request =
        Request { files: vec!["/home/me/shop/compose.yaml".into()], ..Request::default() };
    let finding = run::examine(&session, &[request]).report.findings.remove(0).finding;
    let Some(fix) = finding.fix else { return (Vec::new(), finding.advice) };
    let targets = fix.changes.iter().flat_map(|change| match change {
        Change::NarrowMount { to, .. } => to.iter().map(|m| m.written.clone()).collect(),
        _ => Vec::new(),
    });
    (targets.collect(), fix.notes)
}

#[test]
fn without_git_everything_but_the_tree_stays_bound() {
    let (bound, notes) = narrowed(project());
    assert_eq!(
        bound,
        ["/app/notes", "/app/src", "/app/.env", "/app/local.txt", "/app/package.json"]
    );
    assert!(!notes.iter().any(|note| note.contains("git")), "{notes:?}");
}

#[test]
fn with_git_only_what_it_tracks_and_the_environment_stay_bound() {
    let git = project().with_file("/home/me/shop/.git/HEAD", "").with_file(
        "/home/me/shop/.git/index",
        index_of(&["compose.yaml", "gone/a", "package.json", "src/a.js"]),
    );
    let (bound, notes) = narrowed(git);
    assert_eq!(bound, ["/app/src", "/app/.env", "/app/package.json"]);
    assert!(notes.iter().any(|note| note.contains("git does not track .env")), "{notes:?}");
    assert!(notes.iter().any(|note| note.contains("only what git tracks")), "{notes:?}");
}

#[test]
fn before_the_first_commit_everything_stays_bound() {
    let (bound, _) = narrowed(project().with_file("/home/me/shop/.git/HEAD", ""));
    assert_eq!(bound.len(), 5);
}

#[test]
fn a_link_keeps_the_bind_as_it_is() {
    let host = project().with("/home/me/shop/current", MemoryNode::Link("src".into()));
    let (bound, reasons) = narrowed(host);
    assert_eq!(bound, [""; 0]);
    assert!(reasons.iter().any(|reason| reason.contains("current is a link")), "{reasons:?}");
}
