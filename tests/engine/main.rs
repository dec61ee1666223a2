#![doc = include_str!("README.md")]
#![cfg_attr(not(unix), allow(dead_code, unused_imports, reason = "nothing of it runs there"))]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may panic")]

#[cfg(unix)]
mod caches;
#[cfg(unix)]
mod claims;
#[cfg(unix)]
mod covered;
#[cfg(unix)]
mod engine;
#[cfg(unix)]
mod flags;
#[cfg(unix)]
mod hazards;
#[cfg(unix)]
mod images;
#[cfg(unix)]
mod moved;
#[cfg(unix)]
mod owners;
#[cfg(unix)]
mod project;
#[cfg(unix)]
mod shared;
#[cfg(unix)]
mod shop;
#[cfg(unix)]
mod sidecar;
#[path = "../support/mod.rs"]
mod support;
#[cfg(unix)]
mod watch;

use std::process::ExitCode;

/// A case: its name, and what it does with an engine.
#[cfg(unix)]
type Case = (&'static str, fn(&engine::Engine));

#[cfg(unix)]
fn main() -> ExitCode {
    use std::sync::Arc;

    use libtest_mimic::{Arguments, Completion, Failed, Trial};

    let arguments = Arguments::from_args();
    // Whoever only lists the trials needs no engine.
    let found = if arguments.list { Ok(Err(String::new())) } else { engine::Engine::find() };
    let found = Arc::new(found);
    let groups = [
        ("volume", covered::CASES),
        ("relocate-narrow", moved::CASES),
        ("tmpfs", caches::CASES),
        ("sidecar", sidecar::CASES),
        ("watch", watch::CASES),
        ("flags", flags::CASES),
        ("hazard", hazards::CASES),
        ("hazard", owners::CASES),
        ("hazard", shared::CASES),
        ("claim", claims::CASES),
    ];
    let cases =
        groups.iter().flat_map(|(group, cases)| cases.iter().map(move |case| (group, case)));
    let trial = |(group, (name, case)): (&&str, &Case)| {
        let (found, case) = (Arc::clone(&found), *case);
        Trial::ignorable_test(format!("{group}/{name}"), move || match found.as_ref() {
            Ok(Ok(engine)) => {
                case(engine);
                Ok(Completion::Completed)
            }
            Ok(Err(reason)) => Ok(Completion::ignored_with(reason.as_str())),
            Err(problem) => Err(Failed::from(problem)),
        })
    };
    let conclusion = libtest_mimic::run(&arguments, cases.map(trial).collect());
    if let Ok(Ok(engine)) = found.as_ref() {
        engine.tidy();
    }
    conclusion.exit_code()
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    ExitCode::SUCCESS
}
