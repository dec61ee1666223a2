//! The container engine that answers on this machine, the real Docker Compose and the program.

use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::images;
use super::support::{root, variable};

/// How long one command may take.
const PATIENCE: Duration = Duration::from_secs(180);

/// Variables of Compose that would make a project another one.
const NOT_OURS: [&str; 7] = [
    "COMPOSE_FILE",
    "COMPOSE_PROJECT_NAME",
    "COMPOSE_PROFILES",
    "COMPOSE_ENV_FILES",
    "COMPOSE_PATH_SEPARATOR",
    "COMPOSE_DISABLE_ENV_FILE",
    "DOCKER_DEFAULT_PLATFORM",
];

/// An engine, with the images that the cases build upon.
#[derive(Debug)]
pub(crate) struct Engine {
    docker: PathBuf,
    compose: PathBuf,
    composefix: PathBuf,
    /// The image that all others are built upon.
    pub(crate) base: String,
    /// Names of images that were not there and stand for the real ones.
    stand_ins: Vec<&'static str>,
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Said {
    /// The exit code was 0.
    pub(crate) ok: bool,
    /// Standard output, without blanks at its ends.
    pub(crate) text: String,
    /// Standard error.
    pub(crate) errors: String,
}

impl Said {
    /// The text of a command that must end well.
    pub(crate) fn well(self) -> String {
        assert!(self.ok, "{}\n{}", self.text, self.errors);
        self.text
    }

    /// What a command said that must fail.
    pub(crate) fn badly(self) -> String {
        assert!(!self.ok, "this should fail and says: {}\n{}", self.text, self.errors);
        format!("{}\n{}", self.text, self.errors)
    }
}

impl Engine {
    /// None, with the reason, where nothing can be run.
    ///
    /// # Errors
    /// What is missing, when `COMPOSEFIX_REQUIRE_ENGINE=1` says that nothing may be.
    pub(crate) fn find() -> Result<Result<Self, String>, String> {
        let required = variable("COMPOSEFIX_REQUIRE_ENGINE").is_some_and(|word| word == "1");
        match Self::make() {
            Ok(engine) => Ok(Ok(engine)),
            Err(reason) if required => Err(format!("COMPOSEFIX_REQUIRE_ENGINE is 1, but {reason}")),
            Err(reason) => Ok(Err(reason)),
        }
    }

    fn make() -> Result<Self, String> {
        let compose = variable("COMPOSEFIX_COMPOSE").map(PathBuf::from);
        let compose = compose.ok_or("COMPOSEFIX_COMPOSE names no Docker Compose")?;
        let mut engine = Self {
            docker: PathBuf::from("docker"),
            compose,
            composefix: PathBuf::from(env!("CARGO_BIN_EXE_composefix")),
            base: images::base_name(),
            stand_ins: Vec::new(),
        };
        let answer = engine
            .docker_maybe(&["info", "--format", "{{.ServerVersion}} {{.OSType}}/{{.Architecture}}"])
            .map_err(|problem| format!("there is no docker command: {problem}"))?;
        if !answer.ok || answer.text.is_empty() {
            return Err(format!("no container engine answers: {}", answer.errors));
        }
        let own = format!("linux/{}", std::env::consts::ARCH);
        if std::env::consts::OS != "linux" || !answer.text.ends_with(&own) {
            return Err(format!(
                "the images are made of this machine's programs, which the engine ({}) cannot run",
                answer.text
            ));
        }
        images::make(&engine)?;
        for name in images::STAND_INS {
            if !engine.docker(&["image", "inspect", name]).ok {
                engine.docker(&["tag", &engine.base, name]).well();
                engine.stand_ins.push(name);
            }
        }
        Ok(engine)
    }

    /// Removes the images.
    pub(crate) fn tidy(&self) {
        for name in self.stand_ins.iter().copied().chain([self.base.as_str()]) {
            self.docker(&["image", "rm", "--force", name]);
        }
    }

    /// Runs `docker`.
    pub(crate) fn docker(&self, words: &[&str]) -> Said {
        self.docker_maybe(words).unwrap()
    }

    fn docker_maybe(&self, words: &[&str]) -> Result<Said, String> {
        ended(Command::new(&self.docker).args(words), None)
    }

    /// Runs `docker` with a file as its standard input.
    pub(crate) fn docker_reads(&self, words: &[&str], input: File) -> Said {
        ended(Command::new(&self.docker).args(words), Some(input)).unwrap()
    }

    /// Docker Compose, to be run in a project's directory.
    pub(crate) fn compose(&self, directory: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(&self.compose);
        command.args(words).current_dir(directory);
        for name in NOT_OURS {
            command.env_remove(name);
        }
        // Without the plug-in buildx, Compose builds by itself.
        command.env("COMPOSE_BAKE", "false").env("COMPOSE_PROGRESS", "plain");
        command.env("COMPOSE_ANSI", "never").env("COMPOSE_MENU", "0");
        command
    }

    /// composefix itself, with what it may know of the base image.
    pub(crate) fn composefix(&self, directory: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(&self.composefix);
        command.args(words).arg("--rules").arg(root().join("tests/engine/rules"));
        command.current_dir(directory).env_clear().env("HOME", directory.parent().unwrap());
        command
    }
}

/// Runs a command to its end.
pub(crate) fn ended(command: &mut Command, input: Option<File>) -> Result<Said, String> {
    let shown = format!("{command:?}");
    let mut files = [tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap()];
    let mut child = command
        .stdin(input.map_or_else(Stdio::null, Stdio::from))
        .stdout(files[0].try_clone().unwrap())
        .stderr(files[1].try_clone().unwrap())
        .spawn()
        .map_err(|error| format!("{shown}: {error}"))?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > PATIENCE {
            child.kill().and_then(|()| child.wait()).unwrap();
            return Err(format!("{shown} does not end"));
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let [text, errors] = files.each_mut().map(|file| {
        let mut text = Vec::new();
        file.rewind().and_then(|()| file.read_to_end(&mut text)).unwrap();
        String::from_utf8_lossy(&text).trim().to_owned()
    });
    Ok(Said { ok: status.success(), text, errors })
}
