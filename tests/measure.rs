//! `composefix measure` on a real engine.
//!
//! An engine is one that `docker info` reaches; `COMPOSEFIX_DOCKER_HOST` stands for `DOCKER_HOST`
//! here. Without one the trials that need it are ignored; with `COMPOSEFIX_REQUIRE_ENGINE=1` that is
//! a failure. They also want a static `busybox`, of which they make an image.
#![cfg_attr(not(unix), allow(dead_code, reason = "nothing of it runs there"))]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may panic")]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use serde_json::Value;
use support::{bytes, put, root, variable};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = vec![
        always("no_engine/docker_is_missing", docker_is_missing),
        always("no_engine/engine_is_remote", engine_is_remote),
        always("no_engine/nothing_to_measure", nothing_to_measure),
        always("no_engine/scratch_in_the_project", scratch_in_the_project),
    ];
    if cfg!(unix) {
        trials.extend([
            trial("engine/table", table),
            trial("engine/json_of_a_sample", json_of_a_sample),
            trial("engine/odd_names", odd_names),
            trial("engine/errors_leave_nothing", errors_leave_nothing),
            trial("engine/signals_leave_nothing", signals_leave_nothing),
        ]);
    }
    // One after the other: each looks at all that the engine holds.
    let arguments = Arguments { test_threads: Some(1), ..arguments };
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A trial that needs no engine.
fn always(name: &str, run: fn()) -> Trial {
    Trial::test(name, move || {
        run();
        Ok(())
    })
}

/// A trial that is ignored where no engine answers, or fails if one must.
fn trial(name: &str, run: fn(&Engine)) -> Trial {
    Trial::ignorable_test(name, move || match Engine::find() {
        Ok(engine) => {
            run(&engine);
            Ok(Completion::Completed)
        }
        Err(why) if variable("COMPOSEFIX_REQUIRE_ENGINE").as_deref() == Some("1") => {
            Err(Failed::from(format!("COMPOSEFIX_REQUIRE_ENGINE is 1 and {why}")))
        }
        Err(why) => Ok(Completion::ignored_with(why)),
    })
}

/// An engine with images of this suite.
struct Engine {
    host: Option<String>,
}

const IMAGE: &str = "composefix-test-busybox:1";
/// Holds nothing that could run.
const EMPTY: &str = "composefix-test-empty:1";

impl Engine {
    fn find() -> Result<Self, String> {
        let host = variable("COMPOSEFIX_DOCKER_HOST").or_else(|| variable("DOCKER_HOST"));
        let engine = Self { host };
        let info = engine.command("docker").args(["info", "--format", "{{.OSType}}"]).output();
        let answer = info.map_err(|_| "the program docker is not there".to_owned())?;
        if !answer.status.success() || text(&answer.stdout).trim() != "linux" {
            return Err("no container engine answers".to_owned());
        }
        let found = std::env::split_paths(&variable("PATH").unwrap_or_default())
            .map(|directory| directory.join("busybox"))
            .find(|path| path.is_file());
        let busybox = found.ok_or("there is no busybox to make an image of")?;
        let ldd = Command::new("ldd").arg(&busybox).output();
        if ldd.is_ok_and(|ldd| ldd.status.success()) {
            return Err("busybox is not static: install the package busybox-static".to_owned());
        }
        engine.import(&busybox);
        Ok(engine)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_remove("DOCKER_CONTEXT");
        if let Some(host) = &self.host {
            command.env("DOCKER_HOST", host);
        }
        command
    }

    fn docker(&self, words: &[&str]) -> String {
        let output = self.command("docker").args(words).output().unwrap();
        assert!(output.status.success(), "docker {words:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    /// Makes the images that are not there yet.
    fn import(&self, busybox: &Path) {
        let have = self.docker(&["images", "--format", "{{.Repository}}:{{.Tag}}"]);
        for (name, program, links) in [
            (IMAGE, Some(busybox), &["sh", "cat", "cp", "du", "find", "mkdir", "rm", "xargs"][..]),
            (EMPTY, None, &[]),
        ] {
            if have.lines().any(|line| line == name) {
                continue;
            }
            let root = tempfile::tempdir().unwrap();
            let bin = root.path().join("bin");
            fs::create_dir(&bin).unwrap();
            if let Some(program) = program {
                fs::copy(program, bin.join("busybox")).unwrap();
            }
            #[cfg(unix)]
            for link in links {
                std::os::unix::fs::symlink("busybox", bin.join(link)).unwrap();
            }
            let archive = root.path().join("root.tar");
            let mut tar = Command::new("tar");
            tar.arg("-C").arg(root.path()).arg("-cf").arg(&archive).arg("bin");
            assert!(tar.status().unwrap().success());
            let archive = archive.to_str().unwrap();
            self.docker(&["import", "--change", "ENV PATH=/bin", archive, name]);
        }
    }

    /// Everything that a measurement could leave: containers, volumes, images.
    fn holds(&self) -> [String; 3] {
        let sorted = |text: String| {
            let mut lines: Vec<&str> = text.lines().collect();
            lines.sort_unstable();
            lines.join("\n")
        };
        [
            sorted(self.docker(&[
                "ps",
                "--all",
                "--quiet",
                "--filter",
                "label=composefix.measure",
            ])),
            sorted(self.docker(&["volume", "ls", "--quiet"])),
            sorted(self.docker(&["images", "--all", "--no-trunc", "--quiet"])),
        ]
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A project with a tree, and a directory that stands for the system's temporary one.
struct Project {
    place: tempfile::TempDir,
}

impl Project {
    /// `packages` of six files each.
    fn new(image: &str, packages: usize) -> Self {
        let project = Self { place: tempfile::tempdir().unwrap() };
        let compose =
            format!("services:\n  web:\n    image: {image}\n    volumes:\n      - .:/app\n");
        project.put("compose.yaml", &compose);
        project.put("package.json", "{\"dependencies\": {\"left-pad\": \"1.0.0\"}}\n");
        for package in 0..packages {
            for file in 0..6 {
                project.put(&format!("node_modules/p{package:04}/lib/{file}.js"), "module\n");
            }
        }
        fs::create_dir(project.place.path().join("temporary")).unwrap();
        project
    }

    fn directory(&self) -> PathBuf {
        self.place.path().join("project")
    }

    fn put(&self, name: &str, content: &str) {
        put(&self.directory().join(name), content.as_bytes());
    }

    /// The program, beside which nobody else writes to the temporary directory.
    fn command(&self, engine: Option<&Engine>, words: &str) -> Command {
        let program = env!("CARGO_BIN_EXE_composefix");
        let mut command = match engine {
            Some(engine) => engine.command(program),
            None => Command::new(program),
        };
        command
            .arg("measure")
            .args(words.split_whitespace())
            .current_dir(self.directory())
            .env("TMPDIR", self.place.path().join("temporary"))
            .env_remove("COMPOSE_FILE")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        support::files_below(&self.directory())
    }

    fn temporary(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.place.path().join("temporary")).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    /// Runs it; the engine, the project and the temporary directory must be as they were.
    fn measure(&self, engine: &Engine, words: &str) -> Output {
        let (files, held) = (self.files(), engine.holds());
        let output = self.command(Some(engine), words).output().unwrap();
        self.assert_untouched(engine, &files, &held);
        output
    }

    fn assert_untouched(
        &self,
        engine: &Engine,
        files: &BTreeMap<String, Vec<u8>>,
        held: &[String; 3],
    ) {
        assert_eq!(&self.files(), files);
        assert_eq!(self.temporary(), Vec::<PathBuf>::new());
        assert_eq!(&engine.holds(), held);
    }
}

fn failing(output: &Output, says: &str) {
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}{}", text(&output.stdout));
    assert!(stderr.contains(says), "no `{says}` in: {stderr}");
    assert_eq!(text(&output.stdout), "");
}

fn docker_is_missing() {
    let project = Project::new("node:22", 100);
    let mut command = project.command(None, "");
    command.env("PATH", project.place.path()).env_remove("DOCKER_HOST");
    let output = command.output().unwrap();
    failing(&output, "no container engine answers (`docker` is not on the PATH; `podman` is not");
}

fn engine_is_remote() {
    let project = Project::new("node:22", 100);
    let mut command = project.command(None, "");
    command.env("DOCKER_HOST", "ssh://me@server.example").env("PATH", project.place.path());
    failing(&command.output().unwrap(), "runs on another machine");
}

fn nothing_to_measure() {
    let project = Project::new("node:22", 1);
    let few = project.command(None, "").output().unwrap();
    failing(&few, "nothing to measure");
    let broken = project.command(None, "-f missing.yaml").output().unwrap();
    failing(&broken, "missing.yaml");
    let project = Project::new("node:22", 0);
    let absent = project.command(None, "").output().unwrap();
    failing(&absent, "node_modules is not on disk yet");
}

fn scratch_in_the_project() {
    let project = Project::new("node:22", 100);
    let inside = project.command(None, "--scratch node_modules").output().unwrap();
    failing(&inside, "belongs to the project, which is never written to");
    let missing = project.command(None, "--scratch ../nowhere").output().unwrap();
    failing(&missing, "is no directory");
    let runs = project.command(None, "--runs 0").output().unwrap();
    failing(&runs, "--runs");
}

fn table(engine: &Engine) {
    let project = Project::new(IMAGE, 100);
    let output = project.measure(engine, "--runs 2");
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert_eq!(stderr, "", "progress is for terminals");
    for part in [
        "compose.yaml: node_modules of web, 600 files in 200 directories, ",
        "image composefix-test-busybox:1\n",
        "through the bind",
        "\nlook at 800 files and directories  ",
        "\nread 600 files  ",
        "\nwrite 100 files of 1.0 kB  ",
        "- What reads all of node_modules would take ",
        "- 2 rounds, bind and volume in turns",
    ] {
        assert!(stdout.contains(part), "no `{part}` in:\n{stdout}");
    }
    let rows = stdout.lines().filter(|line| line.ends_with('x')).count();
    assert_eq!(rows, 3, "every row has a ratio:\n{stdout}");
    let quiet = text(&project.measure(engine, "--runs 1 --quiet").stdout);
    assert_eq!(quiet.lines().count(), 4, "{quiet}");
}

fn json_of_a_sample(engine: &Engine) {
    let project = Project::new("node:22", 900);
    for file in 0..600 {
        project.put(&format!("other/node_modules/a/{file}.js"), "x");
    }
    project.put("other/package.json", "{\"dependencies\": {\"a\": \"1\"}}\n");
    let output = project.measure(engine, &format!("--runs 1 --format json --image {IMAGE}"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let schema = bytes(&root().join("schema/measure.schema.json"));
    let schema: Value = serde_json::from_slice(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&report).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}\n{report:#}");
    assert_eq!(report["version"], 1);
    assert_eq!(report["whole"]["files"], 5_400);
    assert_eq!(report["whole"]["directories"], 1_800);
    let sample = &report["sample"];
    assert!(
        (4_000..=5_000).contains(
            &sample["files"]
                .as_u64()
                .map_or(0, |files| { files + sample["directories"].as_u64().unwrap() })
        ),
        "{sample}"
    );
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows[1]["operation"], "read");
    assert_eq!(rows[1]["count"], sample["files"]);
    assert_eq!(rows[1]["whole"]["scaled"], true);
    assert!(rows[1]["bind"]["median_ms"].as_f64().unwrap() > 0.0, "{report:#}");
    assert_eq!(report["others"][0]["path"], "other/node_modules");
    let mut wrong = report.clone();
    wrong["version"] = 2.into();
    assert!(!validator.is_valid(&wrong));
    let other = format!("--runs 1 --format json --image {IMAGE} --tree other/node_modules");
    let output = project.measure(engine, &other);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["sample"], Value::Null);
    assert_eq!(report["tree"]["path"], "other/node_modules");
}

/// Names that would mean something to a shell, to `--mount` or to a tool, in the tree's path, at its
/// top and within a sample.
fn odd_names(engine: &Engine) {
    let project = Project::new(IMAGE, 0);
    let odd = "a \"b\", 'c'\n$(touch x) `d` \\ *";
    let compose = format!(
        "services:\n  web:\n    image: {IMAGE}\n    volumes:\n      - type: bind\n        source: {}\n        target: /app\n",
        serde_json::to_string(&format!("./{odd}")).unwrap()
    );
    project.put("compose.yaml", &compose.replace('$', "$$"));
    let tree = format!("{odd}/node_modules");
    project.put(&format!("{odd}/package.json"), "{\"dependencies\": {\"a\": \"1\"}}\n");
    for package in 0..30 {
        for file in 0..200 {
            project.put(&format!("{tree}/-rf {package}\n{odd}/{file}"), "x");
        }
    }
    project.put(&format!("{tree}/.hidden"), "x");
    project.put(&format!("{tree}/..also"), "x");
    let output = project.measure(engine, "--runs 1 --format json");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["whole"]["files"], 6_002);
    assert!(report["sample"]["files"].as_u64().unwrap() > 4_000, "{report:#}");
}

fn errors_leave_nothing(engine: &Engine) {
    let project = Project::new("composefix-test-never-there:1", 100);
    for (words, says) in [
        (
            "",
            "`docker pull composefix-test-never-there:1` gets it, or name another one with --image",
        ),
        ("--image=-x", "the image -x is not on this machine"),
        (&format!("--image={EMPTY}"), "cannot run `sh`"),
    ] {
        failing(&project.measure(engine, words), says);
    }
}

/// Signals in the middle: first while it starts, then while it copies and measures. The last one
/// cannot be caught; then the engine cleans up, and the directory for the write test stays.
fn signals_leave_nothing(engine: &Engine) {
    let project = Project::new(IMAGE, 400);
    let (files, held) = (project.files(), engine.holds());
    for (signal, wait) in
        [("INT", 0), ("INT", 150), ("INT", 600), ("INT", 2_500), ("TERM", 3_500), ("HUP", 1_500)]
    {
        let mut running = project.command(Some(engine), "--runs 99").spawn().unwrap();
        if wait > 0 {
            wait_for_container(engine, &mut running);
        }
        thread::sleep(Duration::from_millis(wait));
        send(signal, &running);
        let output = running.wait_with_output().unwrap();
        if wait > 0 {
            failing(&output, "interrupted; nothing of the measurement is left");
        } else {
            assert!(!output.status.success());
        }
        project.assert_untouched(engine, &files, &held);
    }
    let mut running = project.command(Some(engine), "--runs 99").spawn().unwrap();
    wait_for_container(engine, &mut running);
    send("KILL", &running);
    running.wait().unwrap();
    let patience = Instant::now() + Duration::from_secs(30);
    while engine.holds() != held && Instant::now() < patience {
        thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(engine.holds(), held);
    assert_eq!(project.files(), files);
}

fn wait_for_container(engine: &Engine, running: &mut Child) {
    let patience = Instant::now() + Duration::from_secs(30);
    while engine.holds()[0].is_empty() {
        assert!(Instant::now() < patience && running.try_wait().unwrap().is_none());
        thread::sleep(Duration::from_millis(20));
    }
}

fn send(signal: &str, running: &Child) {
    let mut kill = Command::new("kill");
    kill.arg(format!("-{signal}")).arg(running.id().to_string());
    assert!(kill.status().unwrap().success());
}
