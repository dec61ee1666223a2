//! The JSON report of the program against its schema.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails by a panic")]

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

/// A project with a finding, a mount that cannot be judged and, by the side, a broken file.
const FILES: [(&str, &str); 3] = [
    (
        "compose.yaml",
        "services:\n  web: # wéb\n    image: node:22\n    volumes:\n      - ./:/app\n      - cache:/c:ro\n      \
         - ${UNSET_SOURCE}:/data\nvolumes:\n  cache:\n",
    ),
    ("package.json", "{\"dependencies\": {\"left-pad\": \"1.0.0\"}}\n"),
    ("bad.yaml", "services: [\n"),
];

fn project() -> TempDir {
    let place = tempfile::tempdir().unwrap();
    for (name, text) in FILES {
        #[expect(clippy::disallowed_methods, reason = "a test lays out its own files")]
        fs::write(place.path().join(name), text).unwrap();
    }
    place
}

/// What `check --format json` prints in a directory.
fn printed(directory: &Path, words: &str) -> Vec<u8> {
    Command::new(env!("CARGO_BIN_EXE_composefix"))
        .args(["check", "--format", "json"])
        .args(words.split_whitespace())
        .current_dir(directory)
        .env_clear()
        .output()
        .unwrap()
        .stdout
}

fn report(words: &str) -> Value {
    serde_json::from_slice(&printed(project().path(), words)).unwrap()
}

#[test]
fn every_report_fits_the_schema() {
    let schema: Value = serde_json::from_str(include_str!("../schema/report.schema.json")).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    for words in [
        "",
        "--show-mounts",
        "--full-survey --platform all --unsafe",
        "bad.yaml compose.yaml gone.yaml",
        ". --profile *",
    ] {
        let report = report(words);
        let wrong: Vec<String> = validator
            .iter_errors(&report)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert_eq!(wrong, [""; 0], "{words}: {report:#}");
    }
}

#[test]
fn places_are_those_of_the_text() {
    let report = report("--show-mounts bad.yaml compose.yaml");
    let text = FILES[0].1;
    let mount = &report["mounts"][0];
    let (start, end) = (&mount["span"]["start"], &mount["span"]["end"]);
    let offset = |position: &Value| usize::try_from(position["offset"].as_u64().unwrap()).unwrap();
    assert_eq!(text.get(offset(start)..offset(end)), Some("./:/app"));
    assert_eq!((&start["line"], &start["column"]), (&5.into(), &9.into()));
    assert_eq!(report["findings"][0]["span"], mount["span"]);
    assert_eq!(report["findings"][0]["service"], "web");
    let problem = &report["problems"][0];
    assert_eq!(
        (&problem["file"], &problem["span"]["start"]["line"]),
        (&"bad.yaml".into(), &1.into())
    );
    assert_eq!(report["summary"]["findings"], report["findings"].as_array().unwrap().len());
}

#[test]
fn equal_runs_give_equal_bytes() {
    let project = project();
    let words = ". --show-mounts --platform all";
    assert_eq!(printed(project.path(), words), printed(project.path(), words));
}
