//! What is timed, how often, and what is made of the times.

use super::sample::Sample;
use super::script::WRITTEN_FILES;
use super::session::Session;
use crate::error::Error;

/// What a step does with the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// Looks at every file and directory: its size, its times.
    Walk,
    /// Opens and reads every file.
    Read,
    /// Writes small files, outside of the tree.
    Write,
}

impl Operation {
    /// The word of the JSON report.
    pub fn id(self) -> &'static str {
        match self {
            Self::Walk => "walk",
            Self::Read => "read",
            Self::Write => "write",
        }
    }

    /// What it is, for messages.
    pub fn words(self) -> &'static str {
        match self {
            Self::Walk => "walk through the tree",
            Self::Read => "reading of all files",
            Self::Write => "writing of small files",
        }
    }
}

/// Where a step happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// On the host, through a bind mount.
    Bind,
    /// In a volume.
    Volume,
}

/// The times of one step at one place.
#[derive(Debug, Clone, PartialEq)]
pub struct Times {
    /// Milliseconds of one pass, a time for each round in their order.
    pub each: Vec<f64>,
    /// Passes that were timed together: a time is exact to 10 ms divided by this.
    pub passes: u64,
}

impl Times {
    /// The middle one, or the mean of the two in the middle; 0 of none.
    pub fn median(&self) -> f64 {
        let sorted = self.sorted();
        let middle = sorted.len() / 2;
        let at = |index: usize| sorted.get(index).copied().unwrap_or_default();
        if sorted.len() % 2 == 1 {
            at(middle)
        } else {
            f64::midpoint(at(middle.saturating_sub(1)), at(middle))
        }
    }

    /// The shortest and the longest.
    pub fn range(&self) -> (f64, f64) {
        let sorted = self.sorted();
        let end = |time: Option<&f64>| time.copied().unwrap_or_default();
        (end(sorted.first()), end(sorted.last()))
    }

    /// Milliseconds within which nothing can be told apart.
    #[expect(clippy::cast_precision_loss, reason = "there are at most some dozens of passes")]
    pub fn resolution(&self) -> f64 {
        RESOLUTION * 1_000.0 / self.passes.max(1) as f64
    }

    fn sorted(&self) -> Vec<f64> {
        let mut sorted = self.each.clone();
        sorted.sort_by(f64::total_cmp);
        sorted
    }
}

/// One operation at both places.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What was done.
    pub operation: Operation,
    /// Files and directories that one pass looks at, files that it reads or writes.
    pub count: u64,
    /// Through the bind mount.
    pub bind: Times,
    /// In the volume.
    pub volume: Times,
}

impl Row {
    /// How many times as long the bind takes; none where the volume's time is too short to tell.
    pub fn ratio(&self) -> Option<f64> {
        let volume = self.volume.median();
        (volume >= self.volume.resolution()).then(|| self.bind.median() / volume)
    }
}

/// What is to be done.
pub(super) struct Plan<'a> {
    pub(super) runs: usize,
    pub(super) sample: &'a Sample,
    pub(super) writes: bool,
}

/// Seconds that the clock of the container tells apart.
const RESOLUTION: f64 = 0.01;

/// Seconds that one timing should take, so that the clock's steps are within three percent of it.
const ENOUGH: f64 = 0.3;
/// Passes in one timing at most.
const MOST_PASSES: u64 = 20;

/// Times every operation at both places, in turns: what else the machine does falls on both. The
/// first pass of each counts nothing but how many passes a timing needs; it leaves all caches warm.
pub(super) fn run(
    session: &mut Session<'_>,
    plan: &Plan<'_>,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<Row>, Error> {
    let mut operations = vec![Operation::Walk, Operation::Read];
    operations.extend(plan.writes.then_some(Operation::Write));
    let mut rows = Vec::new();
    for operation in operations {
        progress(&format!("warming up: {}", operation.words()));
        let mut empty = |place| {
            let seconds = session.time(operation, place, 1)?;
            Ok::<_, Error>(Times { each: Vec::new(), passes: passes(seconds) })
        };
        let (bind, volume) = (empty(Place::Bind)?, empty(Place::Volume)?);
        let amount = plan.sample.amount;
        let count = match operation {
            Operation::Walk => amount.entries(),
            Operation::Read => amount.files,
            Operation::Write => WRITTEN_FILES,
        };
        rows.push(Row { operation, count, bind, volume });
    }
    for round in 1..=plan.runs {
        for row in &mut rows {
            progress(&format!("round {round} of {}: {}", plan.runs, row.operation.words()));
            for (place, times) in [(Place::Bind, &mut row.bind), (Place::Volume, &mut row.volume)] {
                let seconds = session.time(row.operation, place, times.passes)?;
                #[expect(clippy::cast_precision_loss, reason = "there are at most 20 passes")]
                let passes = times.passes as f64;
                times.each.push(seconds * 1_000.0 / passes);
            }
        }
    }
    Ok(rows)
}

/// How many passes make a timing long enough when one takes so many seconds.
fn passes(seconds: f64) -> u64 {
    (1..MOST_PASSES)
        .zip(1..)
        .find(|(_, passes)| f64::from(*passes) * seconds >= ENOUGH)
        .map_or(MOST_PASSES, |(passes, _): (u64, u32)| passes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(each: &[f64], passes: u64) -> Times {
        Times { each: each.to_vec(), passes }
    }

    #[test]
    fn medians_are_in_the_middle() {
        for (each, median, range) in [
            (&[3.0, 1.0, 2.0][..], 2.0, (1.0, 3.0)),
            (&[4.0, 1.0, 2.0, 3.0], 2.5, (1.0, 4.0)),
            (&[7.0], 7.0, (7.0, 7.0)),
            (&[1.0, 1.0, 100.0], 1.0, (1.0, 100.0)),
            (&[], 0.0, (0.0, 0.0)),
        ] {
            let times = times(each, 1);
            assert!((times.median() - median).abs() < 1e-9, "{each:?}");
            assert_eq!(times.range(), range, "{each:?}");
        }
    }

    #[test]
    fn short_steps_are_repeated() {
        for (seconds, expected) in [(0.0, 20), (0.01, 20), (0.1, 3), (0.3, 1), (60.0, 1)] {
            assert_eq!(passes(seconds), expected, "{seconds}");
        }
    }

    #[test]
    fn a_ratio_needs_a_time_that_the_clock_can_tell() {
        let row = |bind: f64, volume: f64, passes: u64| Row {
            operation: Operation::Walk,
            count: 1,
            bind: times(&[bind], 1),
            volume: times(&[volume], passes),
        };
        assert_eq!(row(100.0, 20.0, 1).ratio(), Some(5.0));
        assert_eq!(row(100.0, 5.0, 1).ratio(), None);
        assert_eq!(row(100.0, 5.0, 20).ratio(), Some(20.0));
        assert_eq!(row(100.0, 0.0, 20).ratio(), None);
    }
}
