//! A scratch copy of a project, on disk and in the engine.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use super::engine::{Engine, Said, ended};
use super::images::tree_files;
use super::support::{files_below, put};

/// What Compose projects, volumes and containers of these tests are called, before the process and
/// the case.
pub(crate) const PREFIX: &str = "cfxtest";

/// A project. When it is dropped, all that Compose made for it is removed, volumes and built images
/// too.
pub(crate) struct Project<'e> {
    pub(crate) engine: &'e Engine,
    /// The project's name for Compose: that of its directory.
    pub(crate) name: String,
    /// The project's directory.
    pub(crate) directory: PathBuf,
    above: Option<TempDir>,
}

/// What composefix says of a tree.
#[derive(Debug)]
pub(crate) struct Verdict {
    /// `safe`, `unsafe`, `manual`.
    pub(crate) applicability: String,
    /// What stands below the fix.
    pub(crate) notes: String,
}

impl<'e> Project<'e> {
    /// A project of some files, in which `BASE` stands for the base image.
    pub(crate) fn new(engine: &'e Engine, case: &str, files: &[(&str, &str)]) -> Self {
        let above = tempfile::tempdir().unwrap();
        let name = format!("{PREFIX}-{}-{case}", std::process::id());
        let directory = above.path().canonicalize().unwrap().join(&name);
        fs::create_dir(&directory).unwrap();
        let project = Self { engine, name, directory, above: Some(above) };
        for (name, text) in files {
            project.put(name, text);
        }
        project
    }

    /// Writes a file of the host.
    pub(crate) fn put(&self, name: &str, text: &str) {
        let text = text.replace("BASE", &self.engine.base);
        put(&self.directory.join(name), text.as_bytes());
    }

    /// Fills a directory of the host as a package manager would.
    pub(crate) fn install(&self, tree: &str, lock: &str) {
        for (name, text) in tree_files() {
            put(&self.directory.join(tree).join(name), text.as_bytes());
        }
        fs::copy(self.directory.join(lock), self.directory.join(tree).join(".lock")).unwrap();
    }

    /// A file of the host.
    pub(crate) fn text(&self, name: &str) -> String {
        super::support::text(&self.directory.join(name))
    }

    // ---- the program

    /// Runs composefix in the project.
    pub(crate) fn composefix(&self, words: &[&str]) -> Said {
        ended(&mut self.engine.composefix(&self.directory, words), None).unwrap()
    }

    /// `composefix apply --yes`, which must change the project, and some words it must then hold.
    pub(crate) fn apply(&self, words: &[&str], holds: &[&str]) -> String {
        let before = self.text("compose.yaml");
        let said = self.composefix(&[&["apply", "--yes"], words].concat());
        let after = self.text("compose.yaml");
        assert!(said.ok && before != after, "nothing is written: {}{}", said.text, said.errors);
        for word in holds {
            assert!(after.contains(word), "{word} is missing in\n{after}\n{}", said.errors);
        }
        said.errors
    }

    /// `composefix apply --yes`, which must leave the project as it is: what it says.
    pub(crate) fn leaves(&self, words: &[&str]) -> String {
        let before = self.text("compose.yaml");
        let said = self.composefix(&[&["apply", "--yes"], words].concat());
        assert_eq!(self.text("compose.yaml"), before, "the file changes");
        format!("{}\n{}", said.text, said.errors)
    }

    /// What `composefix check` says of a tree, by its path in the container.
    pub(crate) fn verdict(&self, target: &str, words: &[&str]) -> Verdict {
        let words = [&["check", "--format", "json", "--exit-zero"], words].concat();
        let said = self.composefix(&words);
        let report: Value = serde_json::from_str(&said.text)
            .unwrap_or_else(|error| panic!("{error}: {}{}", said.text, said.errors));
        let findings = report["findings"].as_array().unwrap();
        let of_tree = |finding: &&Value| {
            finding["tree"]["target"] == target || finding["mount"]["target"] == target
        };
        let finding = findings.iter().find(of_tree);
        let fix =
            &finding.unwrap_or_else(|| panic!("nothing is said of {target}: {report}"))["fix"];
        Verdict {
            applicability: fix["applicability"].as_str().unwrap_or("none").to_owned(),
            notes: fix["notes"].to_string(),
        }
    }

    /// Checks that a fix is not proven, that its notes say why, and that it is not written unless
    /// it is asked for.
    pub(crate) fn is_unsafe(&self, target: &str, note: &str, words: &[&str]) {
        let verdict = self.verdict(target, words);
        assert_eq!(verdict.applicability, "unsafe", "{verdict:?}");
        assert!(verdict.notes.contains(note), "no word of `{note}`: {verdict:?}");
        self.leaves(words);
    }

    // ---- Docker Compose

    /// Runs Docker Compose in the project.
    pub(crate) fn compose(&self, words: &[&str]) -> Said {
        ended(&mut self.engine.compose(&self.directory, words), None).unwrap()
    }

    /// `docker compose up -d`, which must end well.
    pub(crate) fn up(&self) {
        self.compose(&["up", "-d", "-t", "0"]).well();
    }

    /// `docker compose down`: volumes stay.
    pub(crate) fn down(&self) {
        self.compose(&["down", "-t", "0"]).well();
    }

    /// A shell command in a running service.
    pub(crate) fn shell(&self, service: &str, script: &str) -> Said {
        self.compose(&["exec", "-T", service, "sh", "-c", script])
    }

    /// The text of a shell command that must end well.
    pub(crate) fn sh(&self, service: &str, script: &str) -> String {
        self.shell(service, script).well()
    }

    /// The identifier of a service's container.
    pub(crate) fn container(&self, service: &str) -> String {
        self.compose(&["ps", "-aq", service]).well()
    }

    /// What the engine knows of a service's container.
    pub(crate) fn inspect(&self, service: &str) -> Value {
        let text = self.engine.docker(&["inspect", &self.container(service)]).well();
        serde_json::from_str::<Value>(&text).unwrap()[0].take()
    }

    /// The mount at a path of a service's container: its type and, of a volume, its name.
    pub(crate) fn mount(&self, service: &str, target: &str) -> Option<(String, String)> {
        let inspected = self.inspect(service);
        let mounts = inspected["Mounts"].as_array().unwrap();
        let mount = mounts.iter().find(|mount| mount["Destination"] == target)?;
        let word = |name: &str| mount[name].as_str().unwrap_or_default().to_owned();
        Some((word("Type"), word("Name")))
    }

    /// Checks that a named volume of the project lies at a path.
    pub(crate) fn has_volume(&self, service: &str, target: &str, key: &str) {
        let volume = ("volume".to_owned(), format!("{}_{key}", self.name));
        assert_eq!(self.mount(service, target), Some(volume), "{}", self.text("compose.yaml"));
    }

    /// What the application answers over HTTP, once it does.
    pub(crate) fn answer(&self, service: &str) -> String {
        eventually(30, || {
            let said = self.shell(service, "wget -qO- http://127.0.0.1:8080/cgi-bin/answer");
            let logs = || self.compose(&["logs", service]).text;
            if said.ok { Ok(said.text) } else { Err(format!("{}\n{}", said.errors, logs())) }
        })
    }

    /// All files below a directory of a container, with a digest of what they hold.
    pub(crate) fn files(&self, service: &str, directory: &str) -> String {
        self.sh(service, &format!("cd {directory} && find . -type f | sort | xargs md5sum"))
    }

    /// Waits until a service's container has ended: its exit code and what it said.
    pub(crate) fn ends(&self, service: &str) -> (i64, String) {
        let state = eventually(30, || {
            let state = self.inspect(service)["State"].clone();
            let ended = state["Status"] == "exited";
            if ended { Ok(state) } else { Err(format!("still there: {state}")) }
        });
        let logs = self.compose(&["logs", "--no-log-prefix", service]);
        (state["ExitCode"].as_i64().unwrap(), format!("{}{}", logs.text, logs.errors))
    }

    /// Files of the host, by their path.
    pub(crate) fn host_files(&self) -> std::collections::BTreeMap<String, Vec<u8>> {
        files_below(&self.directory)
    }
}

impl Drop for Project<'_> {
    fn drop(&mut self) {
        let words = ["down", "--volumes", "--remove-orphans", "--rmi", "local", "-t", "0"];
        let down = self.compose(&words);
        // A case may have changed the file, so that Compose does not know of all that it made.
        let label = format!("label=com.docker.compose.project={}", self.name);
        let left = ["container", "volume", "network"].map(|kind| {
            let all = if kind == "container" { &["ls", "-q", "-a"][..] } else { &["ls", "-q"] };
            let list = || self.engine.docker(&[&[kind], all, &["--filter", &label]].concat()).text;
            for name in list().lines() {
                self.engine.docker(&[kind, "rm", "-f", name]);
            }
            list()
        });
        // Where the engine made directories as root, another user cannot remove them.
        let above = self.above.take().unwrap();
        let mount = format!("{}:/above", above.path().display());
        if fs::remove_dir_all(above.path()).is_err() {
            let clear = ["sh", "-c", "rm -rf /above/*"];
            let words = ["run", "--rm", "--network", "none", "-v", &mount, &self.engine.base];
            self.engine.docker(&[&words[..], &clear].concat());
        }
        if !std::thread::panicking() {
            assert!(left.iter().all(String::is_empty), "this is left: {left:?}\n{}", down.errors);
        }
    }
}

/// Tries until it goes well, for some seconds.
pub(crate) fn eventually<T>(seconds: u64, mut attempt: impl FnMut() -> Result<T, String>) -> T {
    let start = Instant::now();
    loop {
        match attempt() {
            Ok(value) => return value,
            Err(problem) if start.elapsed() > Duration::from_secs(seconds) => {
                panic!("not after {seconds} s: {problem}")
            }
            Err(_) => std::thread::sleep(Duration::from_millis(100)),
        }
    }
}
