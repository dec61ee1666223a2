//! composefix finds slow bind mounts in Docker Compose projects and rewrites them.
//!
//! # One way through
//!
//! ```text
//!  text      tree       meaning          facts + knowledge      problem   remedy      proof      words
//! Source → Document → Project/Mount → Host/Surveys, Rules → Finding → Fix{Change} → Patch → Report
//! source    yaml       compose          survey  scope rules    detect    strategy    plan       report  cli
//!                                                                                    rewrite
//! ```
//!
//! Nothing flows back. [`run::examine`] goes the whole way; `check` prints what it found, `apply`
//! writes what it proved.
//!
//! | module | one line |
//! | --- | --- |
//! | [`source`] | exact text of one file; the only thing that knows lines and columns |
//! | [`error`] | what can be wrong with input, as values |
//! | [`yaml`] | a tree that knows the bytes behind every node |
//! | [`host`] | the only look at the machine |
//! | [`progress`] | how far a run is, for whoever waits for it |
//! | [`compose`] | the project that Compose loads, each mount with its origin |
//! | [`rules`] | trees, platforms and images: data with sources |
//! | [`survey`], [`scope`] | which trees lie below the binds, and where one may look |
//! | [`dockerfile`] | what the image holds that a service builds |
//! | [`finding`], [`detect`] | problems, one detector each |
//! | [`strategy`] | repairs, said as changes to the project |
//! | [`config`], [`suppress`] | the team's own words: its configuration, and findings that do not count |
//! | [`rewrite`] | changes → edits → text, and the gate |
//! | [`plan`], [`run`] | choose, combine, prove; a whole run |
//! | [`engine`], [`measure`] | the user's own container engine, and times taken on it |
//! | [`report`], [`write`](mod@write) | words for people and machines; files, all or none |
//! | [`cli`] | flags, streams, exit codes |

pub mod cli;
pub mod compose;
pub mod config;
pub mod detect;
pub mod dockerfile;
pub mod engine;
pub mod error;
pub mod finding;
pub mod host;
pub mod machine;
pub mod measure;
pub mod plan;
pub mod progress;
pub mod report;
pub mod rewrite;
pub mod rules;
pub mod run;
pub mod scope;
pub mod source;
pub mod strategy;
pub mod suppress;
pub mod survey;
pub mod write;
pub mod yaml;
