//! One run over one or more projects: load, look, judge, plan, prove.
//!
//! `check` and `apply` are the same run. `check` prints the report, `apply` the patches; so they
//! cannot disagree.

mod edits;
mod files;
mod notes;
mod prepare;
mod unused;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::compose::{
    MountKind, Origin, Project, Request, Resolved, Service, load, relative_name, resolve,
};
use crate::detect::{Context, unused_ignore};
use crate::error::Problem;
use crate::finding::{Applicability, Change, Fix};
use crate::host::{Environment, Host, lexical_clean};
use crate::plan::{Plan, Texts, key, plan};
use crate::progress::{Progress, Silent};
use crate::report::{CheckedFile, MountRow, NotJudged, Report, Reported, Suppression};
use crate::rewrite::{Destination, Effects, Outlet, hold, outlet};
use crate::rules::{Access, Platform, Rules};
use crate::source::{Source, Span};
use edits::replacements;
use prepare::{Prepared, in_parallel, look_around};
use unused::Unused;

pub use files::files;

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
    /// What the user has to do so that the patches take effect.
    pub hints: Vec<String>,
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
    /// The rule that found it; none for what is no finding.
    pub rule: Option<&'static str>,
}

/// Loads, judges and plans every requested project, all with the same settings. See
/// [`examine_all`].
pub fn examine(session: &Session<'_>, requests: &[Request]) -> Examination {
    examine_all(&[(session, requests)], &Silent)
}

/// A project to look at, and how.
#[derive(Clone, Copy)]
struct Task<'a> {
    session: &'a Session<'a>,
    request: &'a Request,
    progress: &'a dyn Progress,
}

/// Loads, judges and plans every requested project, each by its own session. Sessions differ in
/// rules and settings alone.
///
/// Projects are taken in the order of their files, whatever the order of the requests. Findings
/// stand where they stand in the files as they were read; edits are planned on top of those that
/// earlier projects made to a file that both read, and must hold in every other project that reads
/// it. What several projects find at one place is reported once. `progress` hears of it all as it
/// goes on.
pub fn examine_all(work: &[(&Session<'_>, &[Request])], progress: &dyn Progress) -> Examination {
    let Some((first, _)) = work.first() else { return Examination::default() };
    let tasks = work.iter().flat_map(|(session, requests)| {
        requests.iter().map(move |request| Task { session, request, progress })
    });
    let mut tasks: Vec<Task<'_>> = tasks.collect();
    tasks.sort_by(|a, b| a.request.files.cmp(&b.request.files));
    progress.asked(tasks.len());
    let mut run = Run {
        session: first,
        tasks: &tasks,
        progress,
        readers: OnceCell::new(),
        seen: BTreeSet::new(),
        files: BTreeMap::new(),
        texts: BTreeMap::new(),
        repaired: BTreeSet::new(),
        failing: BTreeSet::new(),
        unused: Unused::default(),
        left: BTreeSet::new(),
        hints: BTreeSet::new(),
        report: Report::default(),
    };
    let ids = work.iter().flat_map(|(session, _)| &session.settings.platforms);
    run.report.platforms = ids.cloned().collect::<BTreeSet<_>>().into_iter().collect();
    run.report.mounts = first.settings.show_mounts.then(Vec::new);
    for batch in tasks.chunks(BATCH) {
        for prepared in in_parallel(batch, Prepared::of) {
            run.project(prepared);
            progress.judged();
        }
    }
    run.find_unused();
    for (session, _) in work.iter().filter(|(_, requests)| !requests.is_empty()) {
        run.find_stale(session);
    }
    run.finish()
}

/// The platforms of a session, by name.
fn judged<'a>(session: &'a Session<'_>) -> Vec<Cow<'a, Platform>> {
    let words = session.settings.platforms.iter();
    let named = words.filter_map(|word| session.rules.platform_named(word).ok().flatten());
    let mut platforms: Vec<Cow<'_, Platform>> = named.collect();
    platforms.sort_by(|a, b| a.id.cmp(&b.id));
    platforms
}

/// Projects that are in memory at once.
const BATCH: usize = 64;

struct Run<'a> {
    /// Of the project at hand.
    session: &'a Session<'a>,
    tasks: &'a [Task<'a>],
    progress: &'a dyn Progress,
    /// Who reads which files; found out when the first edit asks for it.
    readers: OnceCell<Vec<Reader>>,
    /// Stacks of files that were examined.
    seen: BTreeSet<Vec<PathBuf>>,
    files: BTreeMap<String, bool>,
    texts: BTreeMap<PathBuf, Patch>,
    /// Findings that the new texts repair.
    repaired: BTreeSet<Identity>,
    /// Findings that fail by the settings of a project that has them.
    failing: BTreeSet<Identity>,
    unused: Unused<'a>,
    left: BTreeSet<Left>,
    hints: BTreeSet<String>,
    report: Report,
}

/// What makes a finding of two projects the same: file, bytes, rule, service, container paths of
/// tree and mount.
type Identity = (String, Span, &'static str, String, String, String);

fn identity(reported: &Reported) -> Identity {
    let Reported { finding, file, span, .. } = reported;
    let tree = finding.tree.as_ref().map(|tree| tree.target.clone()).unwrap_or_default();
    let (service, target) = (finding.service.clone(), finding.mount.target.clone());
    (file.clone(), *span, finding.rule, service, tree, target)
}

/// A project as one that may read the files of another.
struct Reader {
    request: Request,
    stack: Vec<PathBuf>,
    files: BTreeSet<PathBuf>,
}

impl<'a> Run<'a> {
    fn project(&mut self, prepared: Prepared<'a>) {
        self.session = prepared.session;
        let platforms = judged(self.session);
        let platforms: Vec<&Platform> = platforms.iter().map(|platform| &**platform).collect();
        let Session { host, environment, rules, settings } = self.session;
        let Prepared { asked, resolved, surveys, images, .. } = prepared;
        let Resolved { request, project, note } = resolved;
        self.report.notes.extend(note);
        let project = match project {
            Ok(project) => project,
            Err(problem) => return self.refuse(&request, problem),
        };
        if !self.seen.insert(project.stack.clone()) {
            return;
        }
        let outlet =
            outlet(*host, &environment.directory, &project, &request, &settings.destination);
        if let (Destination::File(_), Outlet::Closed(reason)) = (&settings.destination, &outlet) {
            let problem = Problem { file: None, span: None, message: reason.clone(), help: None };
            return self.refuse(&request, problem);
        }
        let cx = Context {
            host: *host,
            project: &project,
            rules,
            platforms: &platforms,
            surveys: &surveys,
            images: &images,
        };
        self.describe(&cx);
        if asked.alone {
            self.leave_replaced(&cx, &request, asked);
        }
        if let Some(rows) = &mut self.report.mounts {
            // A file that was put on top of a neighbour shows what it mounts itself.
            let own = request.files != asked.files && asked.alone;
            let own = own.then(|| load(*host, environment, asked).ok()).flatten();
            rows.extend(mount_rows(own.as_ref().unwrap_or(&project)));
        }
        let plan = match self.plan(&cx, &request, &outlet) {
            Ok(plan) => plan,
            Err(problem) => return self.refuse(&request, problem),
        };
        self.watch_asks(&cx, &plan);
        let mut suppressed = plan.suppressed;
        for (index, finding) in plan.findings.into_iter().enumerate() {
            let (file, span) = project.place_of(finding.mount.origin);
            let edits = plan.alone.get(&index).map(|texts| replacements(&project, texts));
            let (file, edits) = (file.to_owned(), edits.unwrap_or_default());
            let suppressed = suppressed.remove(&index);
            let reported = Reported { file, span, finding, suppressed, fails: false, edits };
            if plan.repaired.contains(&index) {
                self.repaired.insert(identity(&reported));
            }
            if fails(&reported, settings) {
                self.failing.insert(identity(&reported));
            }
            self.report.findings.push(reported);
        }
        if let (Outlet::OneFile(file), false) = (&outlet, plan.texts.is_empty()) {
            self.hints.extend(file.hint.clone());
        }
        self.take_texts(&project, plan.texts);
    }

    /// The plan for a project, with its findings where they stand in the files as they were read.
    fn plan(&self, cx: &Context<'_>, request: &Request, outlet: &Outlet) -> Result<Plan, Problem> {
        let Session { host, environment, settings, .. } = self.session;
        let project = cx.project;
        let elsewhere =
            |texts: &Texts, effects: &Effects| self.holds_elsewhere(&project.stack, texts, effects);
        let plan_for = |cx: &Context<'_>, request: &Request| {
            plan(cx, settings, environment, request, outlet, &elsewhere)
        };
        let mut planned = plan_for(cx, request);
        if project.files.iter().any(|file| self.texts.contains_key(&file.path)) {
            let request = self.with_texts(request);
            let edited = load(*host, environment, &request)?;
            let rest = plan_for(&Context { project: &edited, ..*cx }, &request);
            planned = Plan { texts: Texts::new(), repaired: BTreeSet::new(), ..planned };
            planned = followed(planned, rest);
        }
        // Where a bind went, what stood in the way of another edit may be gone as well.
        for _ in 0..ROUNDS {
            if !takes_binds(&planned) {
                break;
            }
            let mut request = self.with_texts(request);
            request.texts.extend(planned.texts.clone());
            let edited = load(*host, environment, &request)?;
            let surveys = look_around(self.session, &edited, self.progress);
            let cx = Context { project: &edited, surveys: &surveys, ..*cx };
            let next = plan_for(&cx, &request);
            if next.texts.is_empty() {
                break;
            }
            planned = followed(planned, next);
        }
        Ok(planned)
    }

    /// The request with what was planned so far.
    fn with_texts(&self, request: &Request) -> Request {
        let mut request = request.clone();
        for (path, patch) in &self.texts {
            request.texts.insert(path.clone(), patch.after.clone());
        }
        request
    }

    /// Why new texts cannot be had in the other projects that read the files.
    fn holds_elsewhere(
        &self,
        own: &[PathBuf],
        texts: &Texts,
        effects: &Effects,
    ) -> Result<(), String> {
        if self.tasks.len() < 2 {
            return Ok(());
        }
        let Session { host, environment, .. } = self.session;
        let readers = self.readers.get_or_init(|| self.find_readers());
        let others = readers.iter().filter(|reader| {
            reader.stack != own && texts.keys().any(|path| reader.files.contains(path))
        });
        for reader in others {
            let mut request = self.with_texts(&reader.request);
            // What could not be loaded before need not be loaded now.
            let Ok(before) = load(*host, environment, &request) else { continue };
            request.texts.extend(texts.clone());
            load(*host, environment, &request)
                .map_err(|problem| problem.message)
                .and_then(|after| hold(&before, &after, effects))
                .map_err(|why| {
                    let here = &environment.directory;
                    let names = reader.stack.iter().map(|path| relative_name(here, path));
                    let names: Vec<String> = names.collect();
                    format!("the edit would not suit {}: {why}", names.join(" with "))
                })?;
        }
        Ok(())
    }

    fn find_readers(&self) -> Vec<Reader> {
        let Session { host, environment, .. } = self.session;
        let readers = in_parallel(self.tasks, |task| {
            let Resolved { request, project, .. } = resolve(*host, environment, task.request);
            let project = project.ok()?;
            let files = project.files.into_iter().map(|file| file.path).collect();
            Some(Reader { request, stack: project.stack, files })
        });
        readers.into_iter().flatten().collect()
    }

    fn take_texts(&mut self, project: &Project, texts: Texts) {
        let here = &self.session.environment.directory;
        for (path, after) in texts {
            let file = project.files.iter().find(|file| file.path == path);
            let patch = self.texts.entry(path.clone()).or_insert_with(|| Patch {
                name: relative_name(here, &path),
                path,
                before: file.map(|file| file.source.text().to_owned()),
                after: String::new(),
            });
            patch.after = after;
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

    /// Files, and what was not judged.
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
            }
            self.leave_disregarded(cx, service);
        }
        let here = &self.session.environment.directory;
        self.report.notes.extend(notes::of_surveys(cx.surveys, here));
    }

    /// A tree that a service sees and nobody in it reads: no finding, but said.
    fn leave_disregarded(&mut self, cx: &Context<'_>, service: &Service) {
        let settings = &self.session.settings;
        let wanted =
            |rule: &str| settings.select.is_empty() || settings.select.iter().any(|r| r == rule);
        let classes = [(Access::ReadMostly, "slow-tree"), (Access::WriteHeavy, "slow-writes")];
        for (access, _) in classes.iter().filter(|(_, rule)| wanted(rule)) {
            for exposed in cx.exposed_in(service, *access) {
                let Some(message) = cx.disregarded(&exposed) else { continue };
                let (file, span) = cx.project.place_of(exposed.mount.origin);
                self.leave_unjudged(file, span, service, &exposed.target, message);
            }
        }
    }

    /// Binds of a file that was named by itself, and that its override file replaces: no finding,
    /// since nothing starts with them, but said.
    fn leave_replaced(&mut self, cx: &Context<'_>, request: &Request, asked: &Request) {
        if request.files == asked.files {
            return;
        }
        let project = cx.project;
        for service in project.services.iter().filter(|service| service.active) {
            let binds = service.replaced.iter().filter(|(m, _)| m.kind == MountKind::Bind);
            for (mount, winner) in binds.filter(|(m, w)| m.origin.file != w.list.file) {
                let (file, span) = project.place_of(mount.origin);
                let (other, _) = project.place_of(winner.list);
                let message = format!("{other} mounts something else there");
                self.leave_unjudged(file, span, service, &mount.target, message);
            }
        }
    }

    /// Lists something that is no finding, for `apply` and for `check`.
    fn leave_unjudged(
        &mut self,
        file: &str,
        span: Span,
        service: &Service,
        target: &str,
        message: String,
    ) {
        let line = self.report.sources.get(file).map_or(0, |s| s.position(span.start).line);
        self.left.insert(Left {
            file: file.to_owned(),
            line,
            service: service.name.clone(),
            target: target.to_owned(),
            reason: message.clone(),
            rule: None,
        });
        self.report.not_judged.push(NotJudged {
            file: file.to_owned(),
            span,
            service: Some(service.name.clone()),
            message,
        });
    }

    fn leave(&mut self, reported: &Reported) {
        let Reported { finding, file, span, suppressed, .. } = reported;
        let reason = match &finding.fix {
            _ if suppressed.is_some() => suppressed.iter().map(Suppression::words).collect(),
            _ if finding.rule == unused_ignore::META.id => finding.message.clone(),
            None => finding.advice.join("; "),
            Some(fix) if fix.applicability == Applicability::Manual => std::iter::once(&fix.title)
                .chain(&fix.notes)
                .cloned()
                .collect::<Vec<_>>()
                .join("; "),
            Some(fix) => format!("{}: not proven safe, `--unsafe` writes it", fix.title),
        };
        let reason = if reason.is_empty() { "no strategy repairs it".to_owned() } else { reason };
        let source = self.report.sources.get(file);
        self.left.insert(Left {
            file: file.clone(),
            line: source.map_or(0, |s| s.position(span.start).line),
            service: finding.service.clone(),
            target: finding.tree.as_ref().map_or(&finding.mount.target, |t| &t.target).clone(),
            reason,
            rule: Some(finding.rule),
        });
    }

    /// Findings by place, each once: of the same finding in two projects the one with the better
    /// fix.
    fn sort_findings(&mut self) {
        let mut findings: BTreeMap<Identity, Reported> = BTreeMap::new();
        for reported in std::mem::take(&mut self.report.findings) {
            // Where one of them counts, it counts.
            let promise = |r: &Reported| {
                (r.suppressed.is_none(), r.finding.fix.as_ref().map(|fix| fix.applicability))
            };
            match findings.entry(identity(&reported)) {
                Entry::Vacant(place) => drop(place.insert(reported)),
                Entry::Occupied(mut place) if promise(place.get()) < promise(&reported) => {
                    place.insert(reported);
                }
                Entry::Occupied(_) => {}
            }
        }
        for (identity, reported) in &findings {
            if !self.repaired.contains(identity) {
                self.leave(reported);
            }
        }
        self.report.findings = findings.into_values().collect();
    }

    fn finish(mut self) -> Examination {
        self.sort_findings();
        for reported in &mut self.report.findings {
            // Where several projects find it, the strictest decides.
            let failing = self.failing.contains(&identity(reported));
            reported.fails = failing && reported.suppressed.is_none();
        }
        let report = &mut self.report;
        report.files = self.files.into_iter().map(|(path, ok)| CheckedFile { path, ok }).collect();
        if let Some(mounts) = &mut report.mounts {
            let mut seen = BTreeSet::new();
            mounts.retain(|row| seen.insert(row.clone()));
        }
        report.not_judged.sort();
        report.not_judged.dedup();
        report.problems.sort();
        report.problems.dedup();
        report.notes.sort();
        report.notes.dedup();
        let whole = report.problems.is_empty();
        let differs = |patch: &Patch| patch.before.as_ref() != Some(&patch.after);
        let patches = self.texts.into_values().filter(|p| whole && differs(p)).collect();
        Examination {
            report: self.report,
            patches,
            left: self.left.into_iter().collect(),
            hints: self.hints.into_iter().collect(),
        }
    }
}

/// True for a finding that fails a gate by these settings.
fn fails(reported: &Reported, settings: &Settings) -> bool {
    reported.suppressed.is_none() && reported.finding.severity >= settings.fail_on
}

/// Times that a project is planned again after its own edits.
const ROUNDS: usize = 4;

/// True for a plan that takes binds away.
fn takes_binds(plan: &Plan) -> bool {
    let repaired = plan.repaired.iter().filter_map(|index| plan.findings.get(*index));
    let mut changes = repaired.filter_map(|f| f.fix.as_ref()).flat_map(|fix| &fix.changes);
    changes.any(|c| matches!(c, Change::RemoveMount { .. } | Change::NarrowMount { .. }))
}

/// A plan with another one that was made on top of its texts. Findings stay where they stand before
/// both; what is not found any more is repaired.
fn followed(first: Plan, next: Plan) -> Plan {
    let Plan { findings, texts, repaired, alone, suppressed, asked } = first;
    let mut all = Plan { texts, repaired, alone, suppressed, asked, ..Plan::default() };
    all.texts.extend(next.texts);
    for (index, mut finding) in findings.into_iter().enumerate() {
        let now = next.findings.iter().position(|other| key(other) == key(&finding));
        if now.is_none_or(|index| next.repaired.contains(&index)) {
            all.repaired.insert(index);
        }
        if let Some(now) = now.and_then(|index| next.findings.get(index)) {
            let title =
                |fix: &Option<Fix>| fix.as_ref().map(|f| (f.applicability, f.title.clone()));
            if title(&finding.fix) != title(&now.fix) {
                // The edit belongs to a fix that gave way to another one.
                all.alone.remove(&index);
            }
            finding.fix.clone_from(&now.fix);
            finding.advice.clone_from(&now.advice);
        }
        all.findings.push(finding);
    }
    all
}

/// Every mount of a project's active services.
fn mount_rows(project: &Project) -> impl Iterator<Item = MountRow> {
    let services = project.services.iter().filter(|s| s.active);
    services.flat_map(|s| s.mounts.iter().map(move |m| (s, m))).map(|(service, mount)| {
        let (file, span) = project.place_of(mount.origin);
        MountRow {
            file: file.to_owned(),
            span,
            service: service.name.clone(),
            kind: mount.kind.word(),
            source: mount.uncleaned.clone().or_else(|| mount.source.clone()),
            target: mount.target.clone(),
            read_only: mount.read_only,
        }
    })
}

/// Bytes of a refused file that are kept to show the line of the problem.
const SHOWN_LIMIT: u64 = 1 << 20;
