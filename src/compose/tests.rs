//! Loading as a whole; the real Compose is asked in `tests/oracle.rs`.

use std::path::Path;

use super::*;
use crate::error::Problem;
use crate::host::{Environment, MemoryHost};

fn loaded(files: &[(&str, &str)], variables: &[(&str, &str)]) -> Result<Project, Problem> {
    let directory = Path::new("/home/me/shop");
    let host = files.iter().fold(MemoryHost::default(), |host, (name, text)| {
        host.with_file(directory.join(name), *text)
    });
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let environment = Environment {
        variables: variables.iter().map(owned).collect(),
        directory: directory.to_path_buf(),
        home: Some("/home/me".into()),
        ..Environment::default()
    };
    load(&host, &environment, &Request::default())
}

/// `source>target` of each mount of a service, sources without the project directory.
fn mounts(project: &Project, service: &str) -> Vec<String> {
    let mounts = project.service(service).unwrap().mounts.iter();
    mounts
        .map(|mount| {
            let source = mount.source.as_deref().unwrap_or_default();
            format!("{}>{}", source.replace("/home/me/shop", ""), mount.target)
        })
        .collect()
}

/// File, line, message and advice of a problem.
fn refusal(files: &[(&str, &str)]) -> (String, usize, String, String) {
    let problem = loaded(files, &[]).unwrap_err();
    let file = problem.file.unwrap_or_default();
    let text = files.iter().find(|(name, _)| *name == file).map_or("", |(_, text)| *text);
    let start = problem.span.map_or(0, |span| span.start);
    let line = 1 + text.get(..start).unwrap().matches('\n').count();
    (file, line, problem.message, problem.help.unwrap_or_default())
}

#[test]
fn what_compose_refuses_is_named_with_its_place() {
    let web = "services:\n  web:\n    image: a\n";
    for (text, line, message) in [
        ("    volumes:\n", 4, "`volumes` of service `web` must be a list"),
        ("    volumes:\n    - .:/a\n    - 80\n", 6, "a mount must be a text or a mapping"),
        ("    volumes:\n    - {source: ., target: /a}\n", 5, "this mount has no `type`"),
        ("    volumes:\n    - {type: bnd, target: /a}\n", 5, "`bnd` is no type of mount"),
        ("    volumes:\n    - {type: bind, source: .}\n", 5, "this mount has no target"),
        ("    volumes:\n    - {type: bind, target: /a}\n", 5, "this bind mount has no source"),
        (
            "    volumes:\n    - {type: tmpfs, target: /a, read_only: 1}\n",
            5,
            "`read_only` of a mount must be true or false",
        ),
        ("    tmpfs: /a\n    volumes: ['.:/a']\n", 5, "service `web` mounts /a twice"),
        ("    user: 1000\n", 4, "`user` of service `web` must be a text"),
        ("    command: [1]\n", 4, "an entry of `command` of service `web` must be a text"),
        ("  a/b:\n    image: a\n", 5, "`a/b` is no name for a service"),
        ("volumes:\n  d: x\n", 5, "volume `d` must be a mapping or nothing"),
        ("volumes:\n", 4, "`volumes` must be a mapping"),
        ("version: 3\n", 4, "`version` must be a text"),
    ] {
        let text = format!("{web}{text}");
        let (file, at, what, help) = refusal(&[("compose.yaml", &text)]);
        assert_eq!((file.as_str(), at, what.as_str()), ("compose.yaml", line, message), "{text}");
        assert!(!help.is_empty(), "{text}");
    }
}

#[test]
fn names_that_are_not_known_are_let_pass() {
    let text = "new: {}\nservices:\n  web: {image: a, new: 1, volumes: [{type: bind, source: ., \
                target: /a, new: 1}]}\nvolumes: {d: {new: 1}}\n";
    assert_eq!(mounts(&loaded(&[("compose.yaml", text)], &[]).unwrap(), "web"), [">/a"]);
}

#[test]
fn what_depends_on_a_variable_that_is_not_set_is_not_refused() {
    let text = "services:\n  web:\n    image: ${X:?set it}\n    volumes:\n      - ${X}:/a\n      - \
                {type: '${X}', target: /b}\n      - {type: tmpfs, target: '/c', read_only: '${X}'}\n";
    let project = loaded(&[("compose.yaml", text)], &[]).unwrap();
    assert_eq!(mounts(&project, "web"), [">/c"]);
    assert_eq!(project.skipped.len(), 2);
}

#[test]
fn equal_targets_are_settled_document_by_document() {
    let one = "services: {web: {image: a, volumes: ['./a:/x', './b:/x/', './c:/x', './d:/y']}}\n";
    let project = loaded(&[("compose.yaml", one)], &[]).unwrap();
    assert_eq!(mounts(&project, "web"), ["/b>/x", "/d>/y"]);
    let lost: Vec<_> = project.service("web").unwrap().replaced.iter().collect();
    let places: Vec<_> = lost.iter().map(|(m, by)| (m.place.unwrap().index, by.index)).collect();
    assert_eq!(places, [(0, 2), (2, 1)]);
    let over = "services: {web: {volumes: ['./e:/x']}}\n";
    let files = [("compose.yaml", one), ("compose.override.yaml", over)];
    assert_eq!(mounts(&loaded(&files, &[]).unwrap(), "web"), ["/e>/x", "/d>/y"]);
}

#[test]
fn an_extended_file_is_settled_before_its_own_extends() {
    let files = [
        ("compose.yaml", "services: {web: {image: a, extends: {file: x/b.yaml, service: m}}}\n"),
        (
            "x/b.yaml",
            "services:\n  m: {extends: n, volumes: ['./a:/x', './b:/x/', './c:/x']}\n  \
             n: {volumes: ['./d:/x', './e:/z']}\n",
        ),
    ];
    assert_eq!(mounts(&loaded(&files, &[]).unwrap(), "web"), ["/x/b>/x", "/x/e>/z"]);
}

#[test]
fn a_tag_beside_extends_counts_for_the_files_below() {
    let files = [
        ("compose.yaml", "services: {web: {image: a, volumes: ['./a:/a']}}\n"),
        (
            "compose.override.yaml",
            "services:\n  web: {extends: b, volumes: !reset []}\n  b: {image: b, volumes: ['./b:/b']}\n",
        ),
    ];
    assert_eq!(mounts(&loaded(&files, &[]).unwrap(), "web"), [""; 0]);
}

#[test]
fn included_resources_must_be_the_same() {
    let main = |own: &str| format!("include:\n  - inc.yaml\n{own}");
    let web = "services: {web: {image: a}}\n";
    let data = "volumes: {d: }\n";
    for (own, included, clash) in [
        (web, web, None),
        (web, "services: {web: {image: b}}\n", Some("service `web`")),
        (web, "services: {web: {image: a, user: b}}\n", Some("service `web`")),
        (data, data, None),
        (data, "volumes: {d: {}}\n", Some("volume `d`")),
        ("networks: {n: }\n", "networks: {n: {driver: x}}\n", Some("network `n`")),
        ("services: {w: {image: $U}}\n", "services: {w: {image: b}}\n", None),
    ] {
        let main = main(own);
        let files = [("compose.yaml", main.as_str()), ("inc.yaml", included)];
        let Some(clash) = clash else {
            assert!(loaded(&files, &[]).is_ok(), "{own}{included}");
            continue;
        };
        let (file, line, message, help) = refusal(&files);
        assert_eq!((file.as_str(), line), ("compose.yaml", 2));
        assert!(message.contains("inc.yaml") && message.contains(clash), "{message}");
        assert!(help.contains("path"), "{help}");
    }
}

#[test]
fn files_that_are_included_over_and_over_are_not_called_aliases() {
    let names: Vec<String> = (0..25).map(|n| format!("{n}.yaml")).collect();
    let texts: Vec<String> =
        (1..=25).map(|n| format!("include: [{n}.yaml, {n}.yaml]\nservices: {{}}\n")).collect();
    let mut files: Vec<(&str, &str)> =
        names.iter().zip(&texts).map(|(name, text)| (name.as_str(), text.as_str())).collect();
    files.extend([
        ("compose.yaml", "include: [0.yaml]\nservices: {}\n"),
        ("25.yaml", "services: {}\n"),
    ]);
    let (_, _, message, help) = refusal(&files);
    assert_eq!(message, "the files of this project expand to too many values");
    assert!(help.contains("include"), "{help}");
}

#[test]
fn the_project_name_can_be_used_in_values() {
    let text =
        "name: Sh op\nservices: {web: {image: a, volumes: ['./$COMPOSE_PROJECT_NAME:/a']}}\n";
    let project = loaded(&[("compose.yaml", text)], &[]).unwrap();
    assert_eq!(
        (project.name.as_str(), mounts(&project, "web")),
        ("shop", vec!["/shop>/a".to_owned()])
    );
    let named = [("COMPOSE_PROJECT_NAME", "other")];
    assert_eq!(loaded(&[("compose.yaml", text)], &named).unwrap().name, "other");
    let named = [("COMPOSE_PROJECT_NAME", "Not Fit")];
    let problem = loaded(&[("compose.yaml", text)], &named).unwrap_err();
    assert!(problem.message.contains("no project name") && problem.help.is_some());
}

#[test]
fn env_files_are_read_in_order() {
    let text = "services: {web: {image: a, volumes: ['$X:/a']}}\n";
    let files = [("compose.yaml", text), ("e1", "Y=/one\nX=/two\n"), ("e2", "X=$Y\n")];
    let given = [("COMPOSE_ENV_FILES", "e1,e2")];
    assert_eq!(mounts(&loaded(&files, &given).unwrap(), "web"), ["/one>/a"]);
    let files = [("compose.yaml", text), (".env", "X=/one\nCOMPOSE_DISABLE_ENV_FILE=1\n")];
    assert_eq!(loaded(&files, &[("X", "/two")]).map(|p| mounts(&p, "web")).unwrap(), ["/two>/a"]);
    assert!(loaded(&files, &[("COMPOSE_DISABLE_ENV_FILE", "yes")]).is_err());
}

#[test]
fn container_paths_are_cleaned_like_compose() {
    for (path, clean) in [
        ("/app/", "/app"),
        ("/app//x", "/app/x"),
        ("/app/./x/../y", "/app/y"),
        ("/..", "/"),
        ("app/venv/", "app/venv"),
        ("./app", "app"),
        ("../x", "../x"),
        ("/", "/"),
    ] {
        assert_eq!(clean_path(path), clean, "{path}");
    }
    assert!(is_under("/app/x", "/app") && is_under("/app", "/app") && is_under("/x", "/"));
    assert!(!is_under("/apps", "/app"));
}

#[test]
fn names_are_relative_to_the_working_directory() {
    let name = |path: &str| relative_name(Path::new("/a/b"), Path::new(path));
    assert_eq!(name("/a/b/c.yaml"), "c.yaml");
    assert_eq!(name("/a/c/d.yaml"), "../c/d.yaml");
}
