use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;
use crate::engine::Failure;
use crate::engine::scripted::{Mishap, Scripted};
use crate::host::RealHost;

fn subject(host: &Path) -> Subject {
    Subject {
        service: "web".to_owned(),
        kind: "node-modules".to_owned(),
        path: "node_modules".to_owned(),
        host: host.to_path_buf(),
        target: "/app/node_modules".to_owned(),
        source: ".".to_owned(),
        file: "compose.yaml".to_owned(),
        files: Some(3),
        images: vec!["node:22".to_owned()],
        built: false,
        project: PathBuf::from("/project"),
    }
}

/// A tree of three entries at its top, and a directory for the write test.
struct Stage {
    tree: tempfile::TempDir,
    scratch: tempfile::TempDir,
}

impl Stage {
    fn new() -> Self {
        let tree = tempfile::tempdir().unwrap();
        for name in ["a", "b", ".hidden"] {
            tempfile::Builder::new()
                .prefix(name)
                .rand_bytes(0)
                .tempfile_in(tree.path())
                .unwrap()
                .keep()
                .unwrap();
        }
        Self { tree, scratch: tempfile::tempdir().unwrap() }
    }

    fn run(&self, engine: &Scripted) -> Result<Measurement, Error> {
        let options =
            Options { image: None, runs: 2, scratch: Some(self.scratch.path().to_path_buf()) };
        let subject = subject(self.tree.path());
        let task = Task { engine, host: &RealHost, subject: &subject, options: &options };
        measure(&task, &mut |_| ())
    }

    fn message(&self, engine: &Scripted) -> String {
        let error = self.run(engine).map(|_| ()).unwrap_err().to_string();
        self.assert_clean(engine, &error);
        error
    }

    /// Nothing of ours is there any more, and nothing happened to the tree.
    fn assert_clean(&self, engine: &Scripted, what: &str) {
        assert!(engine.containers.borrow().is_empty(), "{what}: {:?}", engine.containers);
        assert!(RealHost.entries(self.scratch.path()).unwrap().is_empty(), "{what}");
        assert_eq!(RealHost.entries(self.tree.path()).unwrap().len(), 3, "{what}");
    }
}

fn engine() -> Scripted {
    Scripted::new().answering("n=0 && for f in", Ok("3".to_owned()))
}

#[test]
fn bind_and_volume_are_timed_in_turns() {
    let (stage, engine) = (Stage::new(), engine());
    let measurement = stage.run(&engine).unwrap();
    stage.assert_clean(&engine, "the good end");
    assert_eq!(measurement.whole.files, 3);
    assert_eq!((measurement.image.as_str(), measurement.runs), ("node:22", 2));
    let operations: Vec<_> = measurement.rows.iter().map(|row| row.operation).collect();
    assert_eq!(operations, [Operation::Walk, Operation::Read, Operation::Write]);
    for row in &measurement.rows {
        assert_eq!(row.bind.each, [500.0, 500.0]);
        assert_eq!(row.ratio(), Some(1.0));
    }
    let heard = engine.heard.borrow();
    let timed = heard.iter().filter_map(|script| script.strip_prefix("cd /composefix/"));
    let timed: Vec<&str> =
        timed.filter_map(|rest| rest.split_once(" && timed")).map(|t| t.0).collect();
    let warm = ["tree", "volume/tree", "tree", "volume/tree", "scratch", "volume/scratch"];
    assert_eq!(timed, [warm, warm, warm].concat());
}

#[test]
fn nothing_is_left_whichever_step_goes_wrong() {
    let steps = {
        let (stage, engine) = (Stage::new(), engine());
        stage.run(&engine).unwrap();
        engine.steps()
    };
    assert!(steps > 25, "{steps}");
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let mut refused = 0;
    for mishap in [Mishap::Failure, Mishap::Interruption, Mishap::Panic] {
        for step in 0..steps {
            let stage = Stage::new();
            let engine = engine().failing_at(step, mishap);
            let ended = catch_unwind(AssertUnwindSafe(|| stage.run(&engine)));
            assert_eq!(ended.is_err(), mishap == Mishap::Panic, "{mishap:?} at {step}");
            refused += usize::from(!matches!(ended, Ok(Ok(_))));
            // What a clean-up that panics leaves goes with `--rm` when the process ends.
            let in_clean_up =
                engine.heard.borrow().last().is_some_and(|last| last.contains("--quiet"));
            if mishap != Mishap::Panic || !in_clean_up {
                stage.assert_clean(&engine, &format!("{mishap:?} at {step}"));
            }
        }
    }
    std::panic::set_hook(hook);
    assert!(refused > 2 * steps, "{refused} of {steps} steps matter");
}

#[test]
fn what_stands_in_the_way_is_said() {
    let failed =
        |code, says: &str| Err(Failure::Failed { code: Some(code), says: says.to_owned() });
    for (text, answer, says) in [
        (
            "image inspect",
            failed(1, "No such image"),
            "`docker pull node:22` gets it, or name another",
        ),
        (
            "command -v",
            Ok("find\nxargs".to_owned()),
            "the image node:22 lacks find, xargs; name another",
        ),
        ("n=0 && for f in", Ok("0".to_owned()), "3 entries here and 0 in the container"),
        (
            "cp -R",
            Ok("code 1: cp: no space left".to_owned()),
            "cannot copy the tree in the container: cp: no space left",
        ),
        ("&& timed", Ok("what".to_owned()), "the clock says `what`"),
        (":", failed(127, "exec: \"sh\""), "cannot run `sh`"),
    ] {
        let stage = Stage::new();
        let engine = Scripted::new()
            .answering("n=0 && for f in", Ok("3".to_owned()))
            .answering(text, answer);
        let error = stage.message(&engine);
        assert!(error.contains(says), "{text}: {error}");
    }
}

#[test]
fn what_cannot_be_removed_is_said_with_the_command_for_it() {
    let stage = Stage::new();
    let broken = Err(Failure::Failed { code: Some(1), says: "gone away".to_owned() });
    let engine = engine().answering("ps --all --quiet", broken);
    let error = stage.run(&engine).map(|_| ()).unwrap_err().to_string();
    assert!(
        error.contains(": gone away; `docker rm --force --volumes composefix-measure-"),
        "{error}"
    );
}

#[test]
fn without_a_shared_directory_writes_are_not_measured() {
    let stage = Stage::new();
    let engine = engine().answering("[ -f \"$(printf", Ok("code 1: ".to_owned()));
    let measurement = stage.run(&engine).unwrap();
    stage.assert_clean(&engine, "no mark");
    assert_eq!(measurement.rows.len(), 2);
    let (operation, reason) = &measurement.not_measured[0];
    assert_eq!(*operation, Operation::Write);
    assert!(reason.contains("--scratch"), "{reason}");
}

#[test]
fn leftovers_of_dead_runs_go_and_others_stay() {
    let stage = Stage::new();
    let engine = engine();
    let recent = session_name_of_now();
    for name in ["composefix-measure-1000-1-a", recent.as_str(), "other"] {
        engine.containers.borrow_mut().insert(name.to_owned());
    }
    stage.run(&engine).unwrap();
    let left: Vec<String> = engine.containers.borrow().iter().cloned().collect();
    assert_eq!(left, [recent, "other".to_owned()]);
    let heard = engine.heard.borrow();
    assert!(heard.contains(&"rm --volumes composefix-measure-1000-1-a".to_owned()), "{heard:?}");
}

fn session_name_of_now() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    format!("composefix-measure-{}-1-a", now.as_secs())
}
