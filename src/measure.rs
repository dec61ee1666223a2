//! What a tree costs through its bind mount, and what it would cost in a volume, measured on the
//! user's own engine.
//!
//! One throw-away container sees the tree through a read-only bind, and a copy of it in a volume.
//! The same steps are timed in both, in turns. The container's shell reads its script from this
//! process, `--rm` removes the container together with its anonymous volume, and the label is for
//! whatever goes wrong beyond that: so nothing is left, however this process ends.
//!
//! Times are read inside the container from `/proc/uptime`, before and after a step. It has a
//! resolution of 10 ms, but it is monotonic, every shell reads it without starting a program, and
//! neither the start of a command in the container nor the connection to the engine, 50 ms and more
//! each with ranges just as wide, is in the figures. A step that is short is repeated within one
//! timing.

pub mod image;
mod json;
mod rounds;
mod sample;
mod scratch;
mod script;
mod session;
pub mod subject;
#[cfg(test)]
mod tests;
mod words;

use std::path::{Path, PathBuf};

use crate::engine::Engine;
use crate::error::Error;
use crate::host::Host;
use image::Image;
pub use json::render as render_json;
use rounds::Plan;
pub use rounds::{Operation, Row, Times};
pub use sample::{Amount, Sample};
use scratch::Scratch;
use session::Session;
use subject::Subject;
pub use words::render as render_text;

/// What the user asked for.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Image to use instead of the service's own.
    pub image: Option<String>,
    /// How often each step is timed; at least 1.
    pub runs: usize,
    /// Directory for the write test, absolute; the system's temporary one if none.
    pub scratch: Option<PathBuf>,
}

/// What a measurement works with.
pub struct Task<'a> {
    /// The engine.
    pub engine: &'a dyn Engine,
    /// The file system.
    pub host: &'a dyn Host,
    /// The tree.
    pub subject: &'a Subject,
    /// What the user asked for.
    pub options: &'a Options,
}

/// What came out.
#[derive(Debug)]
pub struct Measurement {
    /// The image that the steps ran in, by name.
    pub image: String,
    /// The tree as it lies on the host.
    pub whole: Amount,
    /// The part that was measured; none when that is the whole tree.
    pub sample: Option<Amount>,
    /// Rounds.
    pub runs: usize,
    /// What was timed, in the order of [`Operation`].
    pub rows: Vec<Row>,
    /// What was not, and why.
    pub not_measured: Vec<(Operation, String)>,
}

/// A measurement with what it is about: all that the output may know.
#[derive(Debug)]
pub struct Record<'a> {
    /// The engine's program and version: `docker 28.2.2`.
    pub engine: &'a str,
    /// Which platform this machine is, as far as it is known.
    pub platforms: &'a [String],
    /// What was measured.
    pub subject: &'a Subject,
    /// What could have been measured instead, largest first.
    pub others: &'a [Subject],
    /// What came out.
    pub measurement: &'a Measurement,
}

/// Measures a tree. `progress` hears what is being done.
///
/// # Errors
/// [`Error::Measure`], after everything that was made is removed again.
pub fn measure(task: &Task<'_>, progress: &mut dyn FnMut(&str)) -> Result<Measurement, Error> {
    session::remove_leftovers(task.engine);
    progress("counting the tree");
    let tree = &task.subject.host;
    let sample = sample::choose(task.host, tree, sample::LIMITS)
        .map_err(|error| stop(format!("cannot read {}: {error}", tree.display())))?;
    let sample = sample.ok_or_else(|| {
        stop(format!("{} holds no file that is small enough to copy", tree.display()))
    })?;
    let image = image::find(task.engine, task.subject, task.options.image.as_deref())?;
    let mut scratch = Scratch::new(task.host, tree, task.options.scratch.as_deref())?;
    progress("starting a container");
    let started = Session::start(task.engine, &image, tree, scratch.path());
    let mut session = match started {
        Err(error) if scratch.is_named_in(&error.to_string()) && !scratch.is_asked_for() => {
            scratch.give_up("the engine does not share the temporary directory");
            Session::start(task.engine, &image, tree, None)?
        }
        started => started?,
    };
    let measured = in_container(task, &mut session, &sample, &mut scratch, &image, progress);
    let ended = session.end();
    let gone = scratch.remove();
    // What may still be there matters more than why nothing was measured.
    ended?;
    gone?;
    let (rows, not_measured) = measured?;
    Ok(Measurement {
        image: image.name,
        whole: sample.whole,
        sample: sample.units.is_some().then_some(sample.amount),
        runs: task.options.runs,
        rows,
        not_measured,
    })
}

type Measured = (Vec<Row>, Vec<(Operation, String)>);

fn in_container(
    task: &Task<'_>,
    session: &mut Session<'_>,
    sample: &Sample,
    scratch: &mut Scratch,
    image: &Image,
    progress: &mut dyn FnMut(&str),
) -> Result<Measured, Error> {
    session.check_tools(&image.name, sample.units.is_some())?;
    session.check_tree(task.host, &task.subject.host)?;
    if let Some(mark) = scratch.mark()
        && !session.sees_mark(&mark)?
    {
        scratch.give_up("the engine sees another directory in the place of the temporary one");
    }
    progress("copying the tree into a volume");
    session.copy(sample)?;
    let plan = Plan { runs: task.options.runs, sample, writes: scratch.path().is_some() };
    let rows = rounds::run(session, &plan, progress)?;
    let not = scratch.reason().map(|reason| (Operation::Write, reason.to_owned()));
    Ok((rows, not.into_iter().collect()))
}

fn stop(message: impl Into<String>) -> Error {
    Error::Measure { message: message.into() }
}

/// A path as messages show it.
fn shown(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}
