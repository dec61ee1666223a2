//! A measurement for programs, version 1; `schema/measure.schema.json` describes it. Within a version
//! fields are only added.

use serde::Serialize;

use super::rounds::{Row, Times};
use super::sample::Amount;
use super::subject::Subject;
use super::words::{estimate, method, on_whole};
use super::{Measurement, Record};
use crate::report::json::printable;

/// The record as JSON, with a line break at its end.
pub fn render(record: &Record<'_>) -> String {
    printable(&Model::of(record))
}

#[derive(Serialize)]
struct Model<'a> {
    version: u32,
    tool: Tool,
    engine: &'a str,
    platforms: &'a [String],
    image: &'a str,
    tree: Tree<'a>,
    whole: AmountModel,
    sample: Option<SampleModel>,
    runs: usize,
    rows: Vec<RowModel>,
    not_measured: Vec<NotMeasured<'a>>,
    estimate: Vec<String>,
    method: Vec<String>,
    others: Vec<Tree<'a>>,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Tree<'a> {
    file: &'a str,
    service: &'a str,
    kind: &'a str,
    path: &'a str,
    target: &'a str,
    source: &'a str,
}

#[derive(Serialize)]
struct AmountModel {
    files: u64,
    directories: u64,
    bytes: u64,
}

#[derive(Serialize)]
struct SampleModel {
    #[serde(flatten)]
    amount: AmountModel,
    /// Of all files and directories, 0 to 1.
    share: f64,
}

#[derive(Serialize)]
struct RowModel {
    operation: &'static str,
    count: u64,
    bind: TimesModel,
    volume: TimesModel,
    ratio: Option<f64>,
    whole: Option<Whole>,
}

#[derive(Serialize)]
struct TimesModel {
    median_ms: f64,
    min_ms: f64,
    max_ms: f64,
    each_ms: Vec<f64>,
    passes: u64,
    resolution_ms: f64,
}

#[derive(Serialize)]
struct Whole {
    bind_ms: f64,
    volume_ms: f64,
    /// Scaled up from a sample.
    scaled: bool,
}

#[derive(Serialize)]
struct NotMeasured<'a> {
    operation: &'static str,
    reason: &'a str,
}

impl<'a> Model<'a> {
    fn of(record: &'a Record<'_>) -> Self {
        let measurement = record.measurement;
        let sample = measurement.sample.map(|sample| SampleModel {
            amount: sample.into(),
            share: share(sample, measurement.whole),
        });
        let not = measurement.not_measured.iter();
        let not = not.map(|(operation, reason)| NotMeasured { operation: operation.id(), reason });
        Self {
            version: 1,
            tool: Tool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") },
            engine: record.engine,
            platforms: record.platforms,
            image: &measurement.image,
            tree: record.subject.into(),
            whole: measurement.whole.into(),
            sample,
            runs: measurement.runs,
            rows: measurement.rows.iter().map(|row| RowModel::of(measurement, row)).collect(),
            not_measured: not.collect(),
            estimate: estimate(record),
            method: method(measurement),
            others: record.others.iter().map(Tree::from).collect(),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of files are far below 2^52")]
fn share(part: Amount, whole: Amount) -> f64 {
    rounded(part.entries() as f64 / whole.entries().max(1) as f64)
}

/// To three digits behind the point; more would only seem exact.
fn rounded(number: f64) -> f64 {
    (number * 1e3).round() / 1e3
}

impl<'a> From<&'a Subject> for Tree<'a> {
    fn from(subject: &'a Subject) -> Self {
        Self {
            file: &subject.file,
            service: &subject.service,
            kind: &subject.kind,
            path: &subject.path,
            target: &subject.target,
            source: &subject.source,
        }
    }
}

impl From<Amount> for AmountModel {
    fn from(amount: Amount) -> Self {
        let Amount { files, directories, bytes } = amount;
        Self { files, directories, bytes }
    }
}

impl From<&Times> for TimesModel {
    fn from(times: &Times) -> Self {
        let (min, max) = times.range();
        Self {
            median_ms: rounded(times.median()),
            min_ms: rounded(min),
            max_ms: rounded(max),
            each_ms: times.each.iter().copied().map(rounded).collect(),
            passes: times.passes,
            resolution_ms: rounded(times.resolution()),
        }
    }
}

impl RowModel {
    fn of(measurement: &Measurement, row: &Row) -> Self {
        let whole = on_whole(measurement, row).map(|(bind, volume)| Whole {
            bind_ms: rounded(bind),
            volume_ms: rounded(volume),
            scaled: measurement.sample.is_some(),
        });
        Self {
            operation: row.operation.id(),
            count: row.count,
            bind: (&row.bind).into(),
            volume: (&row.volume).into(),
            ratio: row.ratio().map(rounded),
            whole,
        }
    }
}
