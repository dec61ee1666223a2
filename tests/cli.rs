//! The program as users and pipelines meet it: exit codes, streams, files.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails by a panic")]

use std::fs;
use std::path::Path;
use std::process::Stdio;

use snapbox::cmd::Command;
use snapbox::{assert_data_eq, str};
use tempfile::TempDir;

const COMPOSE: &str = "\
services:
  web:
    image: node:22
    volumes:
      - ./:/app
";

const PATCHED: &str = "\
services:
  web:
    image: node:22
    volumes:
      - ./:/app
      - node_modules:/app/node_modules

volumes:
  node_modules:
";

/// A project with 600 files under `node_modules`.
struct Project(TempDir);

impl Project {
    fn new() -> Self {
        let project = Self::empty();
        project.put("compose.yaml", COMPOSE);
        project.put("package.json", "{\"dependencies\": {\"left-pad\": \"1.0.0\"}}\n");
        project.put("node_modules/.package-lock.json", "{}\n");
        for number in 0..600 {
            project.put(&format!("node_modules/left-pad/{number}.js"), "");
        }
        project
    }

    fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        #[expect(clippy::disallowed_methods, reason = "a test lays out its own files")]
        fs::write(path, text).unwrap();
    }

    fn text(&self, name: &str) -> String {
        #[expect(clippy::disallowed_methods, reason = "a test looks at what was written")]
        fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    fn run(&self, words: &str) -> Command {
        run_in(self.0.path(), words)
    }
}

/// The program in a directory, with a clean environment and nothing on standard input.
fn run_in(directory: &Path, words: &str) -> Command {
    Command::new(env!("CARGO_BIN_EXE_composefix"))
        .args(words.split_whitespace())
        .current_dir(directory)
        .env_clear()
        .env("PATH", "")
        .stdin("")
}

fn output(command: Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn check_shows_the_line_and_ends_with_1() {
    let project = Project::new();
    project
        .run("check")
        .assert()
        .code(1)
        .stdout_eq(str![[r"
warning[slow-tree]

  ⚠ web: `./` holds [..] under node_modules and is bind-mounted to /app; [..]
...
   ╭─[compose.yaml:5:9]
 5 │       - ./:/app
   ·         ───┬───
   ·            ╰── covers node_modules, [..]
   ╰────
  help: fix available with `composefix apply --unsafe`: [..]
...
1 finding (1 warning), 1 fixable with --unsafe

"]])
        .stderr_eq("");
    assert_eq!(project.text("compose.yaml"), COMPOSE);
}

#[test]
fn fail_on_and_exit_zero_decide_the_exit_code() {
    let project = Project::new();
    for (words, code) in [
        ("check --fail-on error", 0),
        ("check --fail-on note", 1),
        ("check --exit-zero", 0),
        ("check --ignore slow-tree", 0),
        ("check --select slow-writes", 0),
        ("check --platform linux-native", 0),
        ("check --platform all", 1),
        ("check .", 1),
        ("check -f compose.yaml", 1),
    ] {
        project.run(words).assert().code(code).stderr_eq("");
    }
}

#[test]
fn a_clean_project_ends_with_0() {
    let project = Project::empty();
    project.put("compose.yaml", "services:\n  web:\n    image: nginx\n");
    project.run("check").assert().code(0).stdout_eq("no findings in 1 file\n").stderr_eq("");
    project.run("check -q").assert().code(0).stdout_eq("").stderr_eq("");
    project.run("apply").assert().code(0).stdout_eq("").stderr_eq("nothing to change\n");
}

#[test]
fn unknown_words_end_with_2_and_a_suggestion() {
    let project = Project::new();
    for (words, message) in [
        ("check --select slow-tre", "error: unknown rule `slow-tre`; did you mean `slow-tree`?"),
        ("apply --ignore slowtree", "did you mean `slow-tree`?"),
        ("check --platform macos-virtofs", "did you mean `macos-virtiofs`?"),
        ("check --strategy volum", "did you mean `volume`?"),
        ("check --format jsn", "did you mean `json`?"),
        ("check --fail-on warnin", "'warning'"),
        ("aply", "'apply'"),
    ] {
        let (code, stdout, stderr) = output(project.run(words));
        assert_eq!((code, stdout.as_str()), (2, ""), "{words}: {stderr}");
        assert!(stderr.contains(message), "{words}: {stderr}");
    }
}

#[test]
fn diff_prints_a_patch_and_writes_nothing() {
    let project = Project::new();
    let expected = "\
--- a/compose.yaml
+++ b/compose.yaml
@@ -3,3 +3,7 @@
     image: node:22
     volumes:
       - ./:/app
+      - node_modules:/app/node_modules
+
+volumes:
+  node_modules:
";
    project.run("apply --unsafe --diff").assert().code(1).stdout_eq(expected).stderr_eq("");
    project.run("apply --unsafe --to in-place --diff --yes").assert().code(1).stdout_eq(expected);
    project.run("check --unsafe --diff").assert().code(1).stdout_eq(expected).stderr_eq("");
    let forced = project.run("apply --unsafe --diff").env("FORCE_COLOR", "1");
    forced.assert().code(1).stdout_eq(expected);
    assert_eq!(project.text("compose.yaml"), COMPOSE);
}

#[test]
fn yes_writes_and_a_second_run_has_nothing_to_do() {
    let project = Project::new();
    let (code, stdout, stderr) = output(project.run("apply --unsafe --yes"));
    assert_eq!((code, stdout.as_str()), (0, ""), "{stderr}");
    assert!(stderr.starts_with("fix: web /app/node_modules: "), "{stderr}");
    assert!(stderr.ends_with("\nchanged compose.yaml\n"), "{stderr}");
    assert_eq!(project.text("compose.yaml"), PATCHED);
    project.run("check").assert().code(0);
    project.run("apply --unsafe --yes").assert().code(0).stderr_eq("nothing to change\n");
    project.run("apply --unsafe --diff").assert().code(0).stdout_eq("");
    assert_eq!(project.text("compose.yaml"), PATCHED);
}

#[test]
fn without_a_terminal_nothing_is_written() {
    let project = Project::new();
    let (code, stdout, stderr) = output(project.run("apply --unsafe").stdin("y\n"));
    assert_eq!(code, 1);
    assert!(stdout.starts_with("--- a/compose.yaml\n"), "{stdout}");
    assert!(stderr.contains("not written: there is no terminal to ask on"), "{stderr}");
    assert_eq!(project.text("compose.yaml"), COMPOSE);
}

#[test]
fn what_is_not_proven_safe_is_left_and_listed() {
    let project = Project::new();
    project.run("apply --yes").assert().code(0).stdout_eq("").stderr_eq(str![[r"
nothing to change
left: compose.yaml:5: web /app/node_modules: [..]`--unsafe` writes it

"]]);
    assert_eq!(project.text("compose.yaml"), COMPOSE);
}

#[test]
fn standard_input_is_a_file_like_others() {
    let project = Project::new();
    let (code, stdout, _) = output(project.run("check - --format json").stdin(COMPOSE));
    let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &report["findings"][0]["file"]), (1, &"compose.yaml".into()));
    let (code, stdout, _) =
        output(project.run("check - --format json --stdin-filename x/dev.yaml").stdin(COMPOSE));
    let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &report["files"][0]["path"]), (0, &"x/dev.yaml".into()));
    project.run("apply - --unsafe --to -").stdin(COMPOSE).assert().code(0).stdout_eq(PATCHED);
    project.run("apply - --to -").stdin(COMPOSE).assert().code(0).stdout_eq(COMPOSE);
    let (code, stdout, stderr) = output(project.run("apply - --unsafe --yes").stdin(COMPOSE));
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("standard input cannot be changed in place"), "{stderr}");
    assert_eq!(project.text("compose.yaml"), COMPOSE);
}

#[test]
fn the_whole_file_goes_to_standard_output() {
    let project = Project::new();
    project.run("apply --unsafe --to -").assert().code(0).stdout_eq(PATCHED);
    project.run("apply --unsafe --to - compose.yaml").assert().code(0).stdout_eq(PATCHED);
    project.run("apply --to - compose.yaml").assert().code(0).stdout_eq(COMPOSE);
    project.put("other.yaml", COMPOSE);
    let (code, stdout, stderr) = output(project.run("apply --to - compose.yaml other.yaml"));
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("takes exactly one file"), "{stderr}");
}

#[test]
fn an_override_file_is_created_and_extended() {
    let project = Project::new();
    let over = "compose.override.yaml";
    let (code, stdout, stderr) = output(project.run("apply --unsafe --diff --to override"));
    assert_eq!((code, stderr.as_str()), (1, ""));
    assert!(stdout.starts_with("--- /dev/null\n+++ b/compose.override.yaml\n"), "{stdout}");
    let (code, _, stderr) = output(project.run("apply --unsafe --yes --to override"));
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.ends_with("created compose.override.yaml\n"), "{stderr}");
    assert_eq!(project.text("compose.yaml"), COMPOSE);
    project.run("check").assert().code(0);
    project.put(over, "services:\n  web:\n    tty: true\n");
    let (_, _, stderr) = output(project.run("apply --unsafe --yes --to override"));
    assert!(stderr.ends_with("changed compose.override.yaml\n"), "{stderr}");
    let text = project.text(over);
    assert!(text.starts_with("services:\n  web:\n    tty: true\n    volumes:\n"), "{text}");
    project.run("check").assert().code(0);
    project.run("check compose.override.yaml").assert().code(0);
}

#[test]
fn another_file_is_created_once() {
    let project = Project::new();
    let (code, _, stderr) = output(project.run("apply --unsafe --yes --to fast.yaml"));
    assert_eq!(code, 0, "{stderr}");
    let hint = "created fast.yaml\nuse it with docker compose -f compose.yaml -f fast.yaml\n";
    assert!(stderr.ends_with(hint), "{stderr}");
    let text = project.text("fast.yaml");
    project.run("check -f compose.yaml -f fast.yaml").assert().code(0);
    let (code, _, stderr) = output(project.run("apply --unsafe --yes --to fast.yaml"));
    assert_eq!(code, 2);
    assert!(stderr.contains("fast.yaml exists and is no file of this project"), "{stderr}");
    assert_eq!(project.text("fast.yaml"), text);
    let words = "apply - --unsafe --yes --to other.yaml";
    project.run(words).stdin(COMPOSE).assert().code(0);
    assert!(project.text("other.yaml").ends_with("volumes:\n  node_modules:\n"));
}

#[test]
fn a_directory_may_hold_files_that_go_on_top_of_others() {
    let project = Project::new();
    let over = "services:\n  web:\n    environment: {A: b}\n";
    for name in ["compose.override.yaml", "compose.dev.yaml", "compose.prod.yaml"] {
        project.put(name, over);
    }
    project.put("compose.empty.yaml", "");
    let (code, stdout, stderr) = output(project.run("check -v ."));
    assert_eq!(code, 1, "{stderr}");
    assert!(stdout.contains("1 finding (1 warning)"), "{stdout}");
    for name in ["dev", "empty", "prod"] {
        let note = format!("note: compose.{name}.yaml: judged on top of compose.yaml\n");
        assert!(stderr.contains(&note), "{stderr}");
    }
    project.run("apply --unsafe --yes .").assert().code(0);
    assert_eq!(project.text("compose.yaml"), PATCHED);
    assert_eq!(project.text("compose.dev.yaml"), over);
    project.run("check .").assert().code(0);
}

#[test]
fn a_file_without_a_last_line_break_or_with_crlf_stays_so() {
    let project = Project::new();
    project.put("compose.yaml", COMPOSE.trim_end());
    let (_, stdout, _) = output(project.run("apply --unsafe --diff"));
    assert!(stdout.contains("\\ No newline at end of file\n"), "{stdout}");
    project.put("compose.yaml", &COMPOSE.replace('\n', "\r\n"));
    project.run("apply --unsafe --yes").assert().code(0);
    assert_eq!(project.text("compose.yaml"), PATCHED.replace('\n', "\r\n"));
}

#[test]
fn invalid_yaml_is_named_with_its_place() {
    let project = Project::new();
    project.put("bad.yaml", "services:\n  web: [\n");
    let (code, stdout, stderr) = output(project.run("check bad.yaml compose.yaml"));
    assert_eq!(code, 2);
    assert!(stderr.contains("[bad.yaml:2:8]"), "{stderr}");
    assert!(stdout.contains("warning[slow-tree]"), "{stdout}");
    assert!(!stdout.contains("bad.yaml"), "{stdout}");
    let (code, stdout, stderr) = output(project.run("apply --unsafe --yes bad.yaml compose.yaml"));
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(
        stderr.contains("[bad.yaml:2:8]") && stderr.contains("nothing was written"),
        "{stderr}"
    );
    assert_eq!(project.text("compose.yaml"), COMPOSE);
}

#[test]
fn a_file_that_is_not_there_ends_with_2() {
    let project = Project::empty();
    for (words, name) in [
        ("check gone.yaml", "gone.yaml"),
        ("check -f gone.yaml", "gone.yaml"),
        ("check .", "no Compose file in this directory"),
        ("check", "no Compose file"),
        ("apply --yes gone.yaml", "gone.yaml"),
    ] {
        let (code, _, stderr) = output(project.run(words));
        assert_eq!(code, 2, "{words}");
        assert!(stderr.contains(name), "{words}: {stderr}");
    }
}

#[test]
fn several_files_are_written_together_or_not_at_all() {
    let project = Project::new();
    project.put("second.yaml", COMPOSE);
    let words = "apply --unsafe --yes compose.yaml second.yaml";
    let path = project.0.path().join("second.yaml");
    let mut mode = fs::metadata(&path).unwrap().permissions();
    mode.set_readonly(true);
    fs::set_permissions(&path, mode.clone()).unwrap();
    let (code, stdout, stderr) = output(project.run(words));
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("error: ") && stderr.contains("read-only"), "{stderr}");
    assert_eq!(project.text("compose.yaml"), COMPOSE);
    assert_eq!(project.text("second.yaml"), COMPOSE);
    #[cfg_attr(unix, expect(clippy::permissions_set_readonly_false, reason = "for the owner"))]
    mode.set_readonly(false);
    fs::set_permissions(&path, mode).unwrap();
    let (code, _, stderr) = output(project.run(words));
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.ends_with("changed compose.yaml\nchanged second.yaml\n"), "{stderr}");
    assert_eq!(project.text("compose.yaml"), PATCHED);
    assert_eq!(project.text("second.yaml"), PATCHED);
}

#[test]
fn reports_go_to_files_and_standard_output() {
    let project = Project::new();
    let (code, stdout, _) = output(project.run("check --format text,json=report.json"));
    assert_eq!(code, 1);
    assert!(stdout.starts_with("warning[slow-tree]"), "{stdout}");
    let (_, stdout, stderr) = output(project.run("check --format json"));
    assert_eq!(project.text("report.json"), stdout);
    assert_eq!(stderr, "");
    let by_variable = project.run("check").env("COMPOSEFIX_FORMAT", "json");
    assert_eq!(output(by_variable).1, stdout);
    let by_variable = project.run("check").env("COMPOSEFIX_PLATFORM", "linux-native");
    by_variable.assert().code(0).stdout_eq("no findings in 1 file\n");
}

#[test]
fn colours_are_on_only_when_asked_for() {
    let project = Project::new();
    assert!(!output(project.run("check")).1.contains('\u{1b}'));
    assert!(output(project.run("check --color always")).1.contains('\u{1b}'));
    assert!(output(project.run("check").env("CLICOLOR_FORCE", "1")).1.contains('\u{1b}'));
    let both = project.run("check").env("FORCE_COLOR", "1").env("NO_COLOR", "1");
    assert!(!output(both).1.contains('\u{1b}'));
}

#[test]
fn escape_sequences_in_names_are_not_obeyed() {
    let project = Project::new();
    let hostile = "services:\n  \"w\\e[2J\":\n    image: node:22\n    volumes:\n      - ./:/app\n";
    project.put("compose.yaml", hostile);
    for words in ["check", "check --format json", "apply", "apply --unsafe"] {
        let (_, stdout, stderr) = output(project.run(words));
        assert!(!stdout.contains('\u{1b}') && !stderr.contains('\u{1b}'), "{words}");
    }
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    let project = Project::new();
    for (words, code) in [("check", 1), ("check --format json", 1), ("list trees", 0)] {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_composefix"))
            .args(words.split_whitespace())
            .current_dir(project.0.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{words}");
        assert_data_eq!(String::from_utf8(output.stderr).unwrap(), "");
    }
}

/// More projects than are loaded at once: each is reported, in the order of their files.
#[test]
fn many_projects_are_reported_in_order() {
    let project = Project::empty();
    for number in 0..150 {
        let place = format!("p{number:03}");
        project.put(&format!("{place}/compose.yaml"), COMPOSE);
        let manifest = "{\"dependencies\": {\"left-pad\": \"1.0.0\"}}\n";
        project.put(&format!("{place}/package.json"), manifest);
    }
    let run = || output(run_in(project.0.path(), "check --format json ."));
    let (code, text, _) = run();
    assert_eq!(code, 1);
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let files: Vec<&str> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["file"].as_str().unwrap())
        .collect();
    let expected: Vec<String> = (0..150).map(|n| format!("p{n:03}/compose.yaml")).collect();
    assert_eq!(files, expected);
    assert!(run().1 == text, "a second run says something else");
}
