//! One run over one or more projects: load, look, judge, plan, prove.
//!
//! `check` and `apply` are the same run. `check` prints the report, `apply` the patches; so they
//! cannot disagree.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::compose::{Origin, Project, Request, Service, load, relative_name};
use crate::detect::Context;
use crate::dockerfile::Images;
use crate::error::Problem;
use crate::finding::{Applicability, Finding};
use crate::host::{Environment, Host, lexical_clean};
use crate::plan::plan;
use crate::report::{CheckedFile, MountRow, NotJudged, Report, Reported};
use crate::rules::{Access, Platform, Rules};
use crate::scope::survey_binds;
use crate::source::{Source, Span};
use crate::survey::Limits;

pub use crate::plan::Settings;
pub use crate::rewrite::Patch;

/// What a run works with.
pub struct Session<'a> {
    /// The file system.
    pub host: &'a dyn Host,
    /// Variables, working directory, home.
    pub environment: &'a Environment,
    /// What is known.
    pub rules: &'a Rules,
    /// What the user asked for.
    pub settings: Settings,
}

/// What came out.
#[derive(Debug, Default)]
pub struct Examination {
    /// Findings, problems and the rest.
    pub report: Report,
    /// Proven changes, one per file, by path. Empty when there is a problem anywhere.
    pub patches: Vec<Patch>,
    /// What was found and is not in the patches, and why.
    pub left: Vec<Left>,
}

/// Something that a run leaves as it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Left {
    /// The file.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// The service.
    pub service: String,
    /// The container path.
    pub target: String,
    /// Why it is left: lower case, no full stop.
    pub reason: String,
}

/// Loads, judges and plans every requested project.
///
/// Projects are taken in the order of their files, whatever the order of the requests, and each
/// sees the edits that those before it made to a file that both read.
pub fn examine(session: &Session<'_>, requests: &[Request]) -> Examination {
    let mut ordered: Vec<&Request> = requests.iter().collect();
    ordered.sort_by(|a, b| a.files.cmp(&b.files));
    let mut run = Run {
        session,
        platforms: session
            .settings
            .platforms
            .iter()
            .filter_map(|id| session.rules.platform(id))
            .collect(),
        files: BTreeMap::new(),
        texts: BTreeMap::new(),
        left: BTreeSet::new(),
        report: Report::default(),
    };
    run.platforms.sort_by(|a, b| a.id.cmp(&b.id));
    run.report.platforms = run.platforms.iter().map(|p| p.id.clone()).collect();
    run.report.mounts = session.settings.show_mounts.then(Vec::new);
    for request in ordered {
        run.project(request);
    }
    run.finish()
}

struct Run<'a> {
    session: &'a Session<'a>,
    platforms: Vec<&'a Platform>,
    files: BTreeMap<String, bool>,
    texts: BTreeMap<PathBuf, Patch>,
    left: BTreeSet<Left>,
    report: Report,
}

impl Run<'_> {
    fn project(&mut self, request: &Request) {
        let Session { host, environment, rules, settings } = self.session;
        let mut request = request.clone();
        for (path, patch) in &self.texts {
            request.texts.insert(path.clone(), patch.after.clone());
        }
        let project = match load(*host, environment, &request) {
            Ok(project) => project,
            Err(problem) => return self.refuse(&request, problem),
        };
        let limits = Limits { full: settings.full_survey, ..Limits::default() };
        let platforms = self.platforms.clone();
        let surveys = survey_binds(*host, environment, rules, &project, limits);
        let images = Images::read(*host, environment, rules, &project);
        let cx = Context {
            host: *host,
            project: &project,
            rules,
            platforms: &platforms,
            surveys: &surveys,
            images: &images,
        };
        let plan = plan(&cx, settings, environment, &request);
        self.describe(&cx);
        for (index, finding) in plan.findings.into_iter().enumerate() {
            let (file, span) = project.place_of(finding.mount.origin);
            let file = file.to_owned();
            if !plan.repaired.contains(&index) {
                self.leave(&project, &finding, &file, span);
            }
            self.report.findings.push(Reported { finding, file, span });
        }
        for file in &project.files {
            let Some(after) = plan.texts.get(&file.path) else { continue };
            let patch = self.texts.entry(file.path.clone()).or_insert_with(|| Patch {
                path: file.path.clone(),
                name: file.source.name().to_owned(),
                before: file.source.text().to_owned(),
                after: String::new(),
            });
            patch.after.clone_from(after);
        }
    }

    /// A project that cannot be loaded: its files count as read, none as checked.
    fn refuse(&mut self, request: &Request, problem: Problem) {
        let Session { host, environment, .. } = self.session;
        let here = &environment.directory;
        for path in &request.files {
            self.files.insert(relative_name(here, &lexical_clean(&here.join(path))), false);
        }
        if let Some(name) = &problem.file {
            self.files.insert(name.clone(), false);
            let path = lexical_clean(&here.join(name));
            let text = request.texts.get(&path).cloned().or_else(|| {
                let bytes = host.read(&path, SHOWN_LIMIT).ok()?;
                String::from_utf8(bytes).ok()
            });
            if let Some(text) = text {
                self.report.sources.insert(name.clone(), Source::new(name, text));
            }
        }
        self.report.problems.push(problem);
    }

    /// Files, mounts, and what was not judged.
    fn describe(&mut self, cx: &Context<'_>) {
        let project = cx.project;
        for file in &project.files {
            let name = file.source.name();
            self.files.entry(name.to_owned()).or_insert(true);
            self.report.sources.entry(name.to_owned()).or_insert_with(|| file.source.clone());
        }
        let not_judged = |origin: Origin, service: Option<&str>, message: String| {
            let (file, span) = project.place_of(origin);
            NotJudged { file: file.to_owned(), span, service: service.map(str::to_owned), message }
        };
        for skipped in &project.skipped {
            let service = skipped.service.as_deref();
            let row = not_judged(skipped.origin, service, skipped.reason.clone());
            self.report.not_judged.push(row);
        }
        for service in project.services.iter().filter(|s| s.active) {
            for mount in &service.mounts {
                if let Some(reason) = cx.unjudged(mount) {
                    let row = not_judged(mount.origin, Some(&service.name), reason);
                    self.report.not_judged.push(row);
                }
                if let Some(rows) = &mut self.report.mounts {
                    let (file, span) = project.place_of(mount.origin);
                    rows.push(MountRow {
                        file: file.to_owned(),
                        span,
                        service: service.name.clone(),
                        kind: mount.kind.word(),
                        source: mount.source.clone(),
                        target: mount.target.clone(),
                        read_only: mount.read_only,
                    });
                }
            }
            self.leave_disregarded(cx, service);
        }
        for (directory, survey) in cx.surveys.all() {
            let name = relative_name(&self.session.environment.directory, directory);
            let trees = survey.trees.iter().map(|t| format!("{} ({})", t.path, t.kind));
            let trees: Vec<String> = trees.collect();
            let seen = if trees.is_empty() { "no large tree".to_owned() } else { trees.join(", ") };
            self.report.notes.push(format!("{name}: {seen}"));
            self.report.notes.extend(survey.notes.iter().map(|note| format!("{name}: {note}")));
        }
    }

    /// A tree that a service sees and nobody in it reads: no finding, but said.
    fn leave_disregarded(&mut self, cx: &Context<'_>, service: &Service) {
        let wanted = |rule: &str| {
            let settings = &self.session.settings;
            settings.select.is_empty() || settings.select.iter().any(|r| r == rule)
        };
        let classes = [(Access::ReadMostly, "slow-tree"), (Access::WriteHeavy, "slow-writes")];
        for (access, _) in classes.iter().filter(|(_, rule)| wanted(rule)) {
            for exposed in cx.exposed_in(service, *access) {
                let Some(message) = cx.disregarded(&exposed) else { continue };
                let (file, span) = cx.project.place_of(exposed.mount.origin);
                let line = self.report.sources.get(file).map_or(0, |s| s.position(span.start).line);
                self.left.insert(Left {
                    file: file.to_owned(),
                    line,
                    service: service.name.clone(),
                    target: exposed.target.clone(),
                    reason: message.clone(),
                });
                self.report.not_judged.push(NotJudged {
                    file: file.to_owned(),
                    span,
                    service: Some(service.name.clone()),
                    message,
                });
            }
        }
    }

    fn leave(&mut self, project: &Project, finding: &Finding, file: &str, span: Span) {
        let source = project.files.iter().find(|f| f.source.name() == file).map(|f| &f.source);
        let reason = match &finding.fix {
            None => finding.advice.join("; "),
            Some(fix) if fix.applicability == Applicability::Manual => std::iter::once(&fix.title)
                .chain(&fix.notes)
                .cloned()
                .collect::<Vec<_>>()
                .join("; "),
            Some(fix) => format!("{}: not proven safe, `--unsafe` writes it", fix.title),
        };
        let reason = if reason.is_empty() { "no strategy repairs it".to_owned() } else { reason };
        self.left.insert(Left {
            file: file.to_owned(),
            line: source.map_or(0, |s| s.position(span.start).line),
            service: finding.service.clone(),
            target: finding.tree.as_ref().map_or(&finding.mount.target, |t| &t.target).clone(),
            reason,
        });
    }

    fn finish(mut self) -> Examination {
        let report = &mut self.report;
        report.files = self.files.into_iter().map(|(path, ok)| CheckedFile { path, ok }).collect();
        report.findings.sort_by(|a, b| {
            let key = |r: &Reported| {
                let target = r.finding.tree.as_ref().map(|t| t.target.clone());
                (r.file.clone(), r.span, r.finding.rule, r.finding.service.clone(), target)
            };
            key(a).cmp(&key(b))
        });
        report.not_judged.sort();
        report.not_judged.dedup();
        report.problems.sort();
        report.problems.dedup();
        report.notes.sort();
        report.notes.dedup();
        let whole = report.problems.is_empty();
        let patches = self.texts.into_values().filter(|p| whole && p.before != p.after).collect();
        Examination { report: self.report, patches, left: self.left.into_iter().collect() }
    }
}

/// Bytes of a refused file that are kept to show the line of the problem.
const SHOWN_LIMIT: u64 = 1 << 20;
