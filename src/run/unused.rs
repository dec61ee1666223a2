//! Requests to ignore findings that match none, or that cannot be followed: `unused-ignore`.
//!
//! A request counts as needed as soon as one project of the run needs it, and where the run cannot
//! know: its rule is off, the mount was not judged, or the finding would be there on a platform that
//! was not judged.

use std::collections::{BTreeMap, BTreeSet};

use super::{Run, Session, fails, identity};
use crate::compose::{Project, relative_name};
use crate::config::{Config, Ignore};
use crate::detect::unused_ignore::{META, no_mount};
use crate::detect::{self, Context};
use crate::error::unknown;
use crate::finding::{Finding, MountRef};
use crate::plan::Plan;
use crate::report::{Reported, SuppressedBy, Suppression};
use crate::rules::Platform;
use crate::source::Span;
use crate::suppress::{Ask, Asks, Comment, Subject, entries_about};

/// What is known about requests so far.
#[derive(Default)]
pub(super) struct Unused<'a> {
    /// Comments of all projects, by file and place.
    comments: BTreeMap<(String, Span), Seen<'a>>,
    /// What a project needs, or may need.
    needed: BTreeSet<Ask>,
}

/// A comment where it was seen first.
struct Seen<'a> {
    session: &'a Session<'a>,
    comment: Comment,
    /// The file from the configuration's directory.
    path: Option<String>,
    service: String,
    mount: MountRef,
}

impl<'a> Run<'a> {
    /// Takes down the requests of a project, and which of them it needs.
    pub(super) fn watch_asks(&mut self, cx: &Context<'_>, plan: &Plan) {
        let settings = &self.session.settings;
        let asks = settings.asks(cx.project).filter(|asks| !asks.is_empty());
        let Some(asks) = asks.filter(|_| settings.reports(META.id)) else { return };
        let needed = &mut self.unused.needed;
        needed.extend(plan.asked.iter().cloned());
        let is_off = |ask: &Ask| rule_of(ask).is_some_and(|rule| !settings.reports(rule));
        // Looking at every platform takes its time, so what is never told is not asked about.
        let told = |ask: &Ask| self.session.tells(ask, cx.project);
        let open = asks.all().into_iter().filter(|ask| !needed.contains(ask) && told(ask));
        let (off, mut open): (BTreeSet<Ask>, BTreeSet<Ask>) = open.partition(is_off);
        needed.extend(off);
        if !open.is_empty() {
            for (service, mount) in unjudged(cx) {
                for ask in asks.concerning(&service, &mount) {
                    open.remove(&ask);
                    needed.insert(ask);
                }
            }
        }
        if !open.is_empty() {
            let platforms: Vec<&Platform> = cx.rules.platforms().collect();
            let cx = Context { platforms: &platforms, ..*cx };
            let findings = detect::ALL.iter().flat_map(|detector| detector.detect(&cx));
            needed.extend(findings.flat_map(|f| asks.about(&f)).map(|(ask, _)| ask));
        }
        self.see(cx, &asks);
    }

    fn see(&mut self, cx: &Context<'_>, asks: &Asks<'_>) {
        let config = self.session.settings.config.as_deref();
        let mut subjects: BTreeMap<(&str, Span), (&str, MountRef)> = BTreeMap::new();
        for service in &cx.project.services {
            for mount in service.mounts.iter().map(|mount| cx.mount_ref(mount)) {
                for (file, comment) in asks.comments_on(&mount) {
                    let place = subjects.entry((file, comment.span));
                    place.or_insert_with(|| (&service.name, mount.clone()));
                }
            }
        }
        for (file, comment) in asks.comments() {
            let subject = subjects.remove(&(file, comment.span));
            let (service, mount) = subject.unwrap_or_else(|| ("", no_mount("")));
            let of = cx.project.files.iter().find(|f| f.source.name() == file);
            let path = of.zip(config).and_then(|(of, config)| config.relative(&of.path));
            let seen = self.unused.comments.entry((file.to_owned(), comment.span));
            seen.or_insert_with(|| Seen {
                session: self.session,
                comment: comment.clone(),
                path,
                service: service.to_owned(),
                mount,
            });
        }
    }

    /// Reports the comments that ignore nothing. To be called after the last project.
    pub(super) fn find_unused(&mut self) {
        for ((file, span), seen) in std::mem::take(&mut self.unused.comments) {
            let Seen { session, comment, path, service, mount } = seen;
            let Some((message, advice)) = self.complaint(&file, &comment) else { continue };
            let own = comment.rules.iter().any(|rule| rule == META.id);
            let own = comment.reason.filter(|_| own);
            let own = own.map(|reason| Suppression { by: SuppressedBy::Comment, reason });
            let targets = [Some(mount.target.as_str()), None];
            let subject = Subject { rule: Some(META.id), file: path, service: &service, targets };
            let suppressed = own.or_else(|| self.entry_about(session, &subject, false));
            let finding = self.finding(session, message, advice, &service, mount.clone());
            self.add(
                session,
                Reported { finding, file, span, suppressed, fails: false, edits: Vec::new() },
            );
        }
    }

    /// Reports the entries of a session's configuration that ignore nothing, as far as the run has
    /// seen what they speak of.
    pub(super) fn find_stale(&mut self, session: &'a Session<'a>) {
        let settings = &session.settings;
        let config = settings.config.as_deref().filter(|_| settings.ignores);
        let Some(config) = config.filter(|_| settings.reports(META.id)) else { return };
        if !self.report.problems.is_empty() {
            return;
        }
        let entries = config.file.ignore.iter().enumerate();
        let mut entries: Vec<(usize, &Ignore)> = entries.collect();
        // What is found here may be ignored as well.
        entries.sort_by_key(|(_, entry)| names_rule(entry));
        for (index, entry) in entries {
            let file = config.source.name().to_owned();
            let ask = Ask::Entry { file: file.clone(), index };
            let off = entry.rule.is_some_and(|rule| !settings.reports(rule.id()));
            if off || self.unused.needed.contains(&ask) {
                continue;
            }
            let Some(message) = self.stale(session, config, entry) else { continue };
            let span = config.item("ignore", index);
            self.report.sources.entry(file.clone()).or_insert_with(|| config.source.clone());
            if settings.strict {
                self.report.problems.push(config.problem(span, message));
                continue;
            }
            let service = entry.service.as_deref().unwrap_or_default();
            let target = entry.target.as_deref().unwrap_or_default();
            let subject = Subject {
                rule: Some(META.id),
                file: config.relative(&config.path),
                service,
                targets: [entry.target.as_deref(), None],
            };
            // An entry speaks of itself only by this rule's name.
            let suppressed = self.entry_about(session, &subject, true);
            let advice = "remove the entry, or correct what it names".to_owned();
            let finding = self.finding(session, message, advice, service, no_mount(target));
            self.add(
                session,
                Reported { finding, file, span, suppressed, fails: false, edits: Vec::new() },
            );
        }
    }

    /// Why an entry is of no use; none when the run has not seen all that it may be about.
    fn stale(&self, session: &Session<'_>, config: &Config, entry: &Ignore) -> Option<String> {
        let rule = entry.rule.map_or_else(
            || "this entry matches no finding".to_owned(),
            |rule| format!("this entry matches no finding of `{}`", rule.id()),
        );
        let literal = entry.file.as_ref().and_then(|pattern| pattern.literal());
        let Some(literal) = literal else { return session.settings.everything.then_some(rule) };
        let path = config.directory.join(literal);
        if session.host.kind(&path).is_none() {
            return Some(format!("{rule}: there is no file {literal}"));
        }
        let name = relative_name(&session.environment.directory, &path);
        (self.files.get(&name) == Some(&true)).then_some(rule)
    }

    /// What is wrong with a comment, and what to do; none for one that is needed.
    fn complaint(&self, file: &str, comment: &Comment) -> Option<(String, String)> {
        let form = "write `# composefix: ignore[rule] reason`".to_owned();
        if comment.rules.is_empty() {
            let message = "this request to ignore a finding names no rule, so it does not count";
            return Some((message.to_owned(), form));
        }
        if comment.reason.is_none() {
            let rules = comment.rules.join(", ");
            let message = "this request to ignore a finding gives no reason, so it does not count";
            return Some((message.to_owned(), format!("say why behind `ignore[{rules}]`")));
        }
        let known = |rule: &&String| detect::detector(rule).is_some();
        let (known, odd): (Vec<&String>, Vec<&String>) = comment.rules.iter().partition(known);
        let ids = || detect::ALL.iter().map(|detector| detector.id());
        let see = "`composefix list rules` shows them all";
        let mut words: Vec<String> =
            odd.iter().map(|word| unknown("rule", word, ids(), see)).collect();
        let needed = |rule: &str| {
            let (file, rule) = (file.to_owned(), rule.to_owned());
            let ask = Ask::Comment { file, span: comment.span, rule };
            rule_of(&ask) == Some(META.id) || self.unused.needed.contains(&ask)
        };
        let stale: Vec<String> =
            known.iter().filter(|rule| !needed(rule)).map(|rule| format!("`{rule}`")).collect();
        if !stale.is_empty() {
            words.push(format!("there is no finding of {} here to ignore", stale.join(" or ")));
        }
        if words.is_empty() {
            return None;
        }
        let kept = known.len() - stale.len();
        let advice = match (odd.is_empty(), kept) {
            (true, 0) => "remove the comment".to_owned(),
            (true, _) => format!("take {} out of the brackets", stale.join(" and ")),
            _ => "correct the name, or take it out".to_owned(),
        };
        Some((words.join("; "), advice))
    }

    /// The entry of a session's configuration that ignores something, if need be by the rule's name;
    /// it counts as needed.
    fn entry_about(
        &mut self,
        session: &Session<'_>,
        subject: &Subject<'_>,
        by_name: bool,
    ) -> Option<Suppression> {
        let config = session.settings.config.as_deref()?;
        let names = |ask: &Ask| match ask {
            Ask::Entry { index, .. } => config.file.ignore.get(*index).is_some_and(names_rule),
            Ask::Comment { .. } => false,
        };
        let mut first = None;
        for (ask, suppression) in entries_about(config, subject) {
            if !by_name || names(&ask) {
                self.unused.needed.insert(ask);
                first.get_or_insert(suppression);
            }
        }
        first
    }

    fn finding(
        &self,
        session: &Session<'_>,
        message: String,
        advice: String,
        service: &str,
        mount: MountRef,
    ) -> Finding {
        Finding {
            rule: META.id,
            severity: session.settings.severity(META.id, META.severity),
            message,
            service: service.to_owned(),
            mount,
            tree: None,
            platforms: self.report.platforms.clone(),
            advice: vec![advice],
            fix: None,
        }
    }

    fn add(&mut self, session: &Session<'_>, reported: Reported) {
        if fails(&reported, &session.settings) {
            self.failing.insert(identity(&reported));
        }
        self.report.findings.push(reported);
    }
}

impl Session<'_> {
    /// Whether it could be told of a request that this project does not need it.
    fn tells(&self, ask: &Ask, project: &Project) -> bool {
        let Ask::Entry { index, .. } = ask else { return true };
        let Some(config) = &self.settings.config else { return false };
        let Some(entry) = config.file.ignore.get(*index) else { return false };
        let Some(pattern) = &entry.file else { return self.settings.everything };
        let paths = project.files.iter().filter_map(|file| config.relative(&file.path));
        (self.settings.everything || pattern.literal().is_some())
            && paths.into_iter().any(|path| pattern.fits(&path))
    }
}

/// True for an entry that ignores what is found here.
fn names_rule(entry: &Ignore) -> bool {
    entry.rule.is_some_and(|rule| rule.id() == META.id)
}

/// The rule that a request is about, where that is one alone.
fn rule_of(ask: &Ask) -> Option<&str> {
    match ask {
        Ask::Comment { rule, .. } => Some(rule),
        Ask::Entry { .. } => None,
    }
}

/// Mounts about which the run cannot say whether there would be a finding, with their services.
fn unjudged(cx: &Context<'_>) -> Vec<(String, MountRef)> {
    let Project { services, skipped, .. } = cx.project;
    let mut found: Vec<(String, MountRef)> = Vec::new();
    for skipped in skipped {
        let mount = MountRef { origin: skipped.origin, ..no_mount("") };
        found.push((skipped.service.clone().unwrap_or_default(), mount));
    }
    for service in services {
        let open = service.mounts.iter().filter(|mount| cx.unjudged(mount).is_some());
        let replaced = service.replaced.iter().map(|(mount, _)| mount);
        found.extend(open.chain(replaced).map(|mount| (service.name.clone(), cx.mount_ref(mount))));
    }
    found
}
