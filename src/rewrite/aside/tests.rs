use super::*;
use crate::compose::{Request, load};
use crate::finding::{NewMount, NewSource, NewWatch, WatchTarget};
use crate::host::{Environment, MemoryHost};
use crate::rewrite::prove;
use crate::yaml::{New, Style};

const BASE: &str = "services:\n  web:\n    image: node\n    volumes: ['.:/app', '/app/tmp']\n";

fn project(text: &str, over: Option<&str>) -> Project {
    let mut host = MemoryHost::default().with_file("/p/compose.yaml", text);
    if let Some(over) = over {
        host = host.with_file("/p/compose.override.yaml", over);
    }
    let environment = Environment { directory: "/p".into(), ..Environment::default() };
    load(&host, &environment, &Request::default()).unwrap()
}

fn file(is_new: bool) -> OneFile {
    let path = PathBuf::from("/p/compose.override.yaml");
    OneFile { path, is_new, hint: None, about: "About.".to_owned() }
}

fn web() -> String {
    "web".to_owned()
}

/// One change of each kind that can be said on top.
fn changes(before: &Project) -> BTreeSet<Change> {
    let place = |target: &str| {
        let mounts = &before.service("web").unwrap().mounts;
        mounts.iter().find(|mount| mount.target == target).unwrap().place.unwrap()
    };
    let (beside, at) = (place("/app"), place("/app/tmp"));
    let definition = New::Mapping {
        entries: vec![
            ("image".to_owned(), Style::Plain, New::plain("busybox")),
            (
                "command".to_owned(),
                Style::Plain,
                New::Scalar { text: "sleep 1\nsync\n".to_owned(), style: Style::Literal },
            ),
        ],
        flow: false,
    };
    let watch = NewWatch {
        action: "sync".to_owned(),
        path: "/p/src".to_owned(),
        written: "./src".to_owned(),
        target: Some(WatchTarget { path: "/app/src".to_owned(), written: "/app/src".to_owned() }),
        ignore: vec!["x/".to_owned()],
    };
    let mount = |source: NewSource, target: &str| Change::AddMount {
        service: web(),
        mount: NewMount {
            source,
            target: target.to_owned(),
            written: target.to_owned(),
            read_only: false,
        },
        beside,
    };
    [
        mount(NewSource::Volume { key: "deps".to_owned(), nocopy: true }, "/app/deps"),
        mount(NewSource::Tmpfs, "/app/cache"),
        Change::DeclareVolume { key: "deps".to_owned() },
        Change::NameVolume {
            service: web(),
            at,
            target: "/app/tmp".to_owned(),
            key: "scratch".to_owned(),
        },
        Change::SetVariable { service: web(), name: "A".to_owned(), value: "1".to_owned() },
        Change::AddDependency { service: web(), on: "sync".to_owned(), beside },
        Change::Watch { service: web(), instead_of: beside, rules: vec![watch] },
        Change::AddService {
            name: "sync".to_owned(),
            near: web(),
            beside,
            mounts: Vec::new(),
            definition,
        },
    ]
    .into()
}

#[test]
fn every_kind_of_change_stands_in_a_new_file() {
    let before = project(BASE, None);
    let (text, effects) = file(true).with(&before, &changes(&before)).unwrap();
    let expected = "\
# About.
# Written by composefix.

services:
  sync:
    image: busybox
    command: |
      sleep 1
      sync
  web:
    volumes:
      - type: tmpfs
        target: /app/cache
        tmpfs:
          mode: 0o1777
      - deps:/app/deps:nocopy
      - scratch:/app/tmp
    environment:
      A: '1'
    depends_on:
      sync:
        condition: service_healthy
    develop:
      watch:
        - action: sync
          path: ./src
          target: /app/src
          ignore:
            - x/

volumes:
  deps:
  scratch:
";
    assert_eq!(text, expected);
    prove(&before, &project(BASE, Some(&text)), &effects).unwrap();
}

#[test]
fn every_kind_of_change_fits_into_what_is_there() {
    for over in [
        "services:\n  web:\n    volumes:\n      - ./x:/x\n    environment:\n      B: 1\n    \
         depends_on:\n      db:\n        condition: service_started\n    develop:\n      watch:\n        \
         - {action: rebuild, path: ./y}\n  db:\n    image: db\nvolumes:\n  old:\n",
        "services:\n  web:\n    environment:\n      - B=1\n    develop: {}\n",
        "{\"services\": {\"web\": {\"environment\": [\"B=1\"], \"develop\": {\"watch\": []}}}}\n",
    ] {
        let before = project(BASE, Some(over));
        let (text, effects) = file(false).with(&before, &changes(&before)).unwrap();
        prove(&before, &project(BASE, Some(&text)), &effects)
            .unwrap_or_else(|why| panic!("{why}\n{text}"));
    }
}

#[test]
fn what_takes_something_away_is_refused() {
    let before = project(BASE, None);
    let at = before.service("web").unwrap().mounts[0].place.unwrap();
    let target = "/app".to_owned();
    for change in [
        Change::RemoveMount { service: web(), at, target: target.clone() },
        Change::NarrowMount { service: web(), at, target: target.clone(), to: Vec::new() },
        Change::SetFlag { service: web(), at, target, flag: None },
    ] {
        let reason = file(true).with(&before, &[change].into()).unwrap_err();
        let expected = "service `web`: a file on top cannot ";
        assert!(reason.starts_with(expected) && reason.ends_with("change it in place"), "{reason}");
    }
}

#[test]
fn names_of_files_cannot_end_a_comment() {
    assert_eq!(plain_name(Path::new("/p/a\nb: c.yaml")), "a?b: c.yaml");
}
