//! A measurement for people: what was measured, a table, and what follows from it.

use super::rounds::{Operation, Row, Times};
use super::sample::Amount;
use super::script::WRITTEN_BYTES;
use super::{Measurement, Record};
use crate::detect::grouped;
use crate::report::visible::visible;

/// Below this ratio a bind costs too little for a repair to be noticed.
const WORTH: f64 = 1.3;

/// The whole text. `quiet` leaves all but the table out.
pub fn render(record: &Record<'_>, quiet: bool) -> String {
    let mut lines = table(record.measurement);
    if !quiet {
        let listed = |lines: Vec<String>| lines.into_iter().map(|line| format!("- {line}"));
        let mut all = about(record);
        all.push(String::new());
        all.append(&mut lines);
        let not = record.measurement.not_measured.iter();
        all.extend(
            not.map(|(operation, reason)| {
                format!("Not measured: {}: {reason}.", operation.words())
            }),
        );
        all.push(String::new());
        all.push("What `composefix apply` would bring, as an estimate".to_owned());
        all.extend(listed(estimate(record)));
        all.push(String::new());
        all.push("How it was measured".to_owned());
        all.extend(listed(method(record.measurement)));
        lines = all;
    }
    lines.iter().flat_map(|line| [visible(line), "\n".into()]).collect()
}

fn about(record: &Record<'_>) -> Vec<String> {
    let Record { subject, measurement, .. } = record;
    let mut lines = vec![format!(
        "{}: {} of {}, {}, through the bind `{}`",
        subject.file,
        subject.name(),
        subject.service,
        amount(measurement.whole),
        subject.source
    )];
    let machine = match record.platforms {
        [] => "a machine that is not known".to_owned(),
        names => names.join(" or "),
    };
    lines.push(format!("{}, {machine}, image {}", record.engine, measurement.image));
    if let Some(sample) = measurement.sample {
        lines.push(format!(
            "A sample of {}: {} of the tree, spread evenly over it in the order of names.",
            amount(sample),
            share(sample, measurement.whole)
        ));
    }
    if !record.others.is_empty() {
        let others = record.others.iter().take(5);
        let mut names: Vec<String> =
            others.map(|other| format!("{} of {}", other.name(), other.service)).collect();
        if record.others.len() > names.len() {
            names.push(format!("{} more", record.others.len() - names.len()));
        }
        lines.push(format!(
            "Chosen among {}; the others are {}. --service and --tree choose.",
            record.others.len() + 1,
            names.join(", ")
        ));
    }
    lines
}

fn amount(amount: Amount) -> String {
    format!(
        "{} files in {} directories, {}",
        grouped(amount.files),
        grouped(amount.directories),
        size(amount.bytes)
    )
}

#[expect(clippy::cast_precision_loss, reason = "it is rounded to one digit")]
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

#[expect(clippy::cast_precision_loss, reason = "it is rounded to a percent")]
fn share(part: Amount, whole: Amount) -> String {
    let percent = part.entries() as f64 * 100.0 / whole.entries().max(1) as f64;
    if percent < 1.0 { "less than 1 %".to_owned() } else { format!("{percent:.0} %") }
}

/// Milliseconds for people.
pub(super) fn time(ms: f64) -> String {
    match ms {
        ms if ms < 10.0 => format!("{ms:.1} ms"),
        ms if ms < 1_000.0 => format!("{ms:.0} ms"),
        ms if ms < 10_000.0 => format!("{:.2} s", ms / 1e3),
        ms => format!("{:.1} s", ms / 1e3),
    }
}

fn times(times: &Times) -> String {
    let (shortest, longest) = times.range();
    format!("{} ({} to {})", time(times.median()), time(shortest), time(longest))
}

fn ratio(row: &Row) -> String {
    row.ratio().map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.1}x"))
}

fn label(row: &Row) -> String {
    let count = grouped(row.count);
    match row.operation {
        Operation::Walk => format!("look at {count} files and directories"),
        Operation::Read => format!("read {count} files"),
        Operation::Write => format!("write {count} files of {}", size(WRITTEN_BYTES)),
    }
}

fn table(measurement: &Measurement) -> Vec<String> {
    let head = ["median (range)", "through the bind", "in a volume", "ratio"].map(str::to_owned);
    let rows = measurement.rows.iter();
    let rows = rows.map(|row| [label(row), times(&row.bind), times(&row.volume), ratio(row)]);
    let rows: Vec<[String; 4]> = std::iter::once(head).chain(rows).collect();
    let mut widths = [0; 4];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |row: &[String; 4]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// An operation on the whole tree: milliseconds through the bind and in a volume. Of a sample it is
/// scaled up by the number of what is gone through. None for the write test, which has no whole.
#[expect(clippy::cast_precision_loss, reason = "numbers of files are far below 2^52")]
pub(super) fn on_whole(measurement: &Measurement, row: &Row) -> Option<(f64, f64)> {
    let (of, whole) = match row.operation {
        Operation::Walk => (row.count, measurement.whole.entries()),
        Operation::Read => (row.count, measurement.whole.files),
        Operation::Write => return None,
    };
    let factor = whole as f64 / of.max(1) as f64;
    Some((row.bind.median() * factor, row.volume.median() * factor))
}

/// What the times mean for somebody who thinks of `apply`, each a sentence.
pub(super) fn estimate(record: &Record<'_>) -> Vec<String> {
    let Record { measurement, subject, .. } = record;
    let name = subject.name();
    let mut lines = Vec::new();
    let rows = &measurement.rows;
    for row in rows {
        let Some((bind, volume)) = on_whole(measurement, row) else { continue };
        let does = match row.operation {
            Operation::Walk => format!("looks once at every file of {name}"),
            _ => format!("reads all of {name}"),
        };
        lines.push(format!("What {does} would take {} instead of {}.", time(volume), time(bind)));
    }
    if let Some(row) = rows.iter().find(|row| row.operation == Operation::Write) {
        lines.push(format!(
            "What writes {} small files there would take {} instead of {}.",
            row.count,
            time(row.volume.median()),
            time(row.bind.median())
        ));
    }
    if measurement.sample.is_some() {
        lines.push("The times for the whole tree are scaled up from the sample.".to_owned());
    }
    let most = rows.iter().filter_map(Row::ratio).fold(0.0, f64::max);
    if most < WORTH && rows.iter().all(|row| row.ratio().is_some()) {
        lines.push(
            "On this machine the bind costs next to nothing, so you would notice no difference. \
             On machines of others it may."
                .to_owned(),
        );
    }
    lines.push(
        "Your program itself was not run: what it computes, and what it does outside of this tree, \
         takes as long as before. A start or a request gains for the files that it really touches."
            .to_owned(),
    );
    lines.push("`composefix apply --diff` shows the edit for your team's platforms.".to_owned());
    lines
}

/// How to read the figures.
pub(super) fn method(measurement: &Measurement) -> Vec<String> {
    let mut lines = vec![
        format!(
            "{}, bind and volume in turns; a volume holds a copy of what is measured. Medians, with \
             the shortest and the longest time.",
            rounds(measurement.runs)
        ),
        "Caches are warm on both sides, since every file was read before: a first start is slower."
            .to_owned(),
        "Files are written to a directory of their own, not to your project, and nothing waits \
         for the disk."
            .to_owned(),
    ];
    let coarsest = measurement.rows.iter().flat_map(|row| [&row.bind, &row.volume]);
    let coarsest = coarsest.map(Times::resolution).fold(0.0, f64::max);
    lines.push(format!("Times are exact to {} or better.", time(coarsest)));
    lines
}

fn rounds(runs: usize) -> String {
    if runs == 1 { "One round".to_owned() } else { format!("{runs} rounds") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        for (ms, text) in [
            (0.04, "0.0 ms"),
            (9.94, "9.9 ms"),
            (214.4, "214 ms"),
            (2_140.0, "2.14 s"),
            (61_000.0, "61.0 s"),
        ] {
            assert_eq!(time(ms), text);
        }
        for (bytes, text) in
            [(999, "999 B"), (1_024, "1.0 kB"), (98_000_000, "98.0 MB"), (3_200_000_000, "3.2 GB")]
        {
            assert_eq!(size(bytes), text);
        }
        let amount = |files| Amount { files, directories: 0, bytes: 0 };
        assert_eq!(share(amount(50), amount(200)), "25 %");
        assert_eq!(share(amount(1), amount(2_000)), "less than 1 %");
    }
}
