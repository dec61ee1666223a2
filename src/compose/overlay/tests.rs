use super::*;
use crate::host::MemoryHost;

const BASE: &str = "services:\n  web: {image: node, volumes: ['.:/app']}\n";
const OVER: &str = "services:\n  web: {volumes: ['./x:/x']}\n";

fn host(files: &[(&str, &str)]) -> MemoryHost {
    files.iter().fold(MemoryHost::default(), |host, (name, text)| {
        host.with_file(Path::new("/p").join(name), *text)
    })
}

fn resolved(files: &[(&str, &str)], name: &str) -> Resolved {
    let environment = Environment { directory: PathBuf::from("/p"), ..Environment::default() };
    let request = Request { files: vec![name.into()], alone: true, ..Request::default() };
    resolve(&host(files), &environment, &request)
}

/// The files of the project that a file belongs to.
fn stack(files: &[(&str, &str)], name: &str) -> String {
    let resolved = resolved(files, name);
    let names = resolved.request.files.iter().map(|file| relative_name(Path::new("/p"), file));
    names.map(|name| name.rsplit('/').next().unwrap().to_owned()).collect::<Vec<_>>().join("+")
}

#[test]
fn an_overlay_goes_on_top_of_what_compose_loads_there() {
    let override_file = ("docker-compose.override.yml", OVER);
    let dev = ("docker-compose.dev.yml", OVER);
    let files = [("docker-compose.yml", BASE), override_file, dev];
    assert_eq!(stack(&files, dev.0), "docker-compose.yml+docker-compose.dev.yml");
    assert_eq!(stack(&files, override_file.0), "docker-compose.yml+docker-compose.override.yml");
    let note = resolved(&files, dev.0).note;
    assert_eq!(
        note.as_deref(),
        Some("docker-compose.dev.yml: judged on top of docker-compose.yml")
    );
}

#[test]
fn names_tell_the_base() {
    for (base, over) in [
        ("docker-compose.yml", "docker-compose-dev.yaml"),
        ("compose.yaml", "dev.yml"),
        ("compose.prod.yaml", "compose.prod.local.yml"),
        ("compose-prod.yml", "compose-prod.debug.yml"),
        ("docker-compose.base.yml", "docker-compose.dev.yml"),
        ("docker-compose-common.yaml", "docker-compose.yml"),
        ("stack.yml", "stack.dev.yml"),
    ] {
        let expected = format!("{base}+{over}");
        assert_eq!(stack(&[(base, BASE), (over, OVER)], over), expected);
    }
}

#[test]
fn a_base_may_be_an_overlay_itself() {
    let worker = "services:\n  worker: {image: node, depends_on: [web]}\n";
    let local = "services:\n  worker: {tty: true}\n";
    let files =
        [("compose.yaml", BASE), ("compose.dev.yaml", worker), ("compose.dev.local.yaml", local)];
    let expected = "compose.yaml+compose.dev.yaml+compose.dev.local.yaml";
    assert_eq!(stack(&files, "compose.dev.local.yaml"), expected);
}

#[test]
fn the_override_file_helps_only_where_the_default_file_is_not_enough() {
    let more = "services:\n  job: {image: node}\n";
    let over = "services:\n  job: {volumes: ['./x:/x']}\n";
    let files =
        [("compose.yaml", BASE), ("compose.override.yaml", more), ("compose.ci.yaml", over)];
    let expected = "compose.yaml+compose.override.yaml+compose.ci.yaml";
    assert_eq!(stack(&files, "compose.ci.yaml"), expected);
}

#[test]
fn names_that_only_a_neighbour_declares_make_an_overlay_too() {
    let base = "services:\n  db: {image: b}\nvolumes: {data: }\n";
    for over in [
        "services:\n  web: {image: a, depends_on: [db]}\n",
        "services:\n  web: {image: a, volumes: ['data:/data']}\n",
        "services:\n  db:\n",
        "",
        "# nothing yet\n",
    ] {
        let files = [("compose.yaml", base), ("compose.dev.yaml", over)];
        assert_eq!(stack(&files, "compose.dev.yaml"), "compose.yaml+compose.dev.yaml", "{over:?}");
    }
}

#[test]
fn what_compose_loads_alone_stays_alone() {
    let heir = "services:\n  web: {extends: {file: compose.yaml, service: web}}\n";
    for text in [BASE, heir, "services: {}\n", "services: {x: {profiles: [y]}}\n"] {
        let files = [("compose.yaml", BASE), ("compose.dev.yaml", text)];
        assert_eq!(stack(&files, "compose.dev.yaml"), "compose.dev.yaml", "{text}");
    }
}

#[test]
fn a_default_file_and_its_override_file_are_one_project_whichever_is_named() {
    let expected = "compose.yaml+compose.override.yml";
    for over in [OVER, BASE, "services: [\n"] {
        let files = [("compose.yaml", BASE), ("compose.override.yml", over)];
        for (name, _) in files {
            assert_eq!(stack(&files, name), expected, "{name}: {over}");
            let resolved = resolved(&files, name);
            assert_eq!(
                resolved.note.as_deref(),
                Some(
                    "compose.yaml and compose.override.yml: judged together, as Compose loads them"
                )
            );
            assert_eq!(resolved.project.is_ok(), over != "services: [\n", "{name}: {over}");
        }
    }
    // Compose takes the best of each, so these are others.
    let others = [("docker-compose.yml", BASE), ("docker-compose.override.yml", OVER)];
    let files = [&[("compose.yaml", BASE), ("compose.override.yml", OVER)][..], &others].concat();
    assert_eq!(stack(&files, "docker-compose.yml"), "docker-compose.yml");
    assert_eq!(
        stack(&files, "docker-compose.override.yml"),
        "compose.yaml+docker-compose.override.yml"
    );
}

#[test]
fn what_no_neighbour_completes_stays_alone_and_says_why() {
    let other = "services:\n  other: {image: a}\n";
    let files = [("compose.yaml", other), ("compose.dev.yaml", OVER)];
    let alone = resolved(&files, "compose.dev.yaml");
    assert_eq!(alone.request.files, [PathBuf::from("compose.dev.yaml")]);
    assert!(alone.project.is_ok());
    let expected = "compose.dev.yaml: judged alone, though service `web` has neither an image nor \
                    a build context; name what it goes on top of as well: -f BASE -f compose.dev.yaml";
    assert_eq!(alone.note.as_deref(), Some(expected));
    let empty = resolved(&[("compose.dev.yaml", "")], "compose.dev.yaml").project.unwrap_err();
    assert!(empty.help.unwrap().ends_with("-f BASE -f compose.dev.yaml"));
    let broken = [("compose.yaml", BASE), ("compose.dev.yaml", "services: [\n")];
    assert!(resolved(&broken, "compose.dev.yaml").project.is_err());
}

#[test]
fn a_file_that_the_default_file_extends_is_no_overlay_of_it() {
    let heir = "services:\n  web:\n    image: a\n    extends: {file: common.yml, service: web}\n";
    let files = [("compose.yaml", heir), ("common.yml", OVER)];
    assert_eq!(stack(&files, "common.yml"), "common.yml");
}

#[test]
fn files_named_with_flags_are_never_second_guessed() {
    let environment = Environment { directory: PathBuf::from("/p"), ..Environment::default() };
    let files = vec![PathBuf::from("compose.dev.yaml")];
    let request = Request { files: files.clone(), ..Request::default() };
    let host = host(&[("compose.yaml", BASE), ("compose.dev.yaml", OVER)]);
    assert_eq!(resolve(&host, &environment, &request).request.files, files);
}
