//! Choosing fixes, combining them, and proving the result.
//!
//! Findings that must be repaired together form groups. Each group gets the first strategy that fits
//! it on every judged platform. Everything that could be written with `--unsafe` is then proven, so
//! that no fix is announced that the gate would refuse; what is really written is a part of that.

mod alone;
mod settings;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::compose::{Project, Request, Service, load};
use crate::detect::{self, Context, Detector};
use crate::finding::{Applicability, Change, Finding, Fix};
use crate::host::Environment;
use crate::rewrite::{Bystanders, Effects, Outlet, place, prove, rewritten};
use crate::rules::{Access, Answer};
use crate::strategy::{self, Claims, Group, Member, Names, Strategy};
use crate::suppress::{Ask, Suppression};

pub use settings::Settings;

/// What is to be done in one project.
#[derive(Debug, Default)]
pub struct Plan {
    /// Findings of active services with their fixes, sorted.
    pub findings: Vec<Finding>,
    /// New texts of the files that change.
    pub texts: Texts,
    /// Indices of the findings that the new texts repair.
    pub repaired: BTreeSet<usize>,
    /// New texts that repair a finding and what must be repaired with it, nothing else; by index.
    pub alone: BTreeMap<usize, Texts>,
    /// Findings that do not count, by their index. Nothing is proposed for them.
    pub suppressed: BTreeMap<usize, Suppression>,
    /// What suppressed a finding, of an active service or not.
    pub asked: BTreeSet<Ask>,
}

/// Plans one project. Changes go to `outlet`; `elsewhere` says why new texts, with what they do in
/// this project, cannot be had in others.
pub fn plan(
    cx: &Context<'_>,
    settings: &Settings,
    environment: &Environment,
    request: &Request,
    outlet: &Outlet,
    elsewhere: Objection<'_>,
) -> Plan {
    let detectors = selected(settings);
    let planner = Planner { cx, settings, environment, request, outlet, elsewhere, detectors };
    let mut findings = planner.detect(cx);
    let (suppressed, asked) = planner.suppressed(&findings);
    let mut groups = Planner::groups(&findings, &suppressed);
    planner.propose(&mut findings, &groups);
    groups.retain(|group| group.iter().any(|i| is_written(&findings, *i, Applicability::Unsafe)));
    let (proven, refused) = planner.prove_most(&findings, &groups);
    let accepted = groups.len() - refused.len();
    for (group, reason) in refused {
        for index in group {
            if let Some(Finding { fix: Some(fix), .. }) = findings.get_mut(index) {
                *fix = Fix::manual(fix.strategy, fix.title.clone(), vec![reason.clone()]);
            }
        }
    }
    groups.retain(|group| group.iter().all(|i| is_written(&findings, *i, settings.write_from)));
    // What is left of the accepted groups; where all are, their proof stands.
    let (texts, refused) = if groups.len() == accepted {
        (proven, Vec::new())
    } else {
        planner.prove_most(&findings, &groups)
    };
    groups.retain(|group| !refused.iter().any(|(r, _)| r == group));
    let alone = if settings.edits_alone {
        planner.each_alone(&findings, &groups, &texts)
    } else {
        BTreeMap::new()
    };
    let plan = planner.finish(findings, texts, &groups, (alone, suppressed));
    Plan { asked, ..plan }
}

fn is_written(findings: &[Finding], index: usize, from: Applicability) -> bool {
    let fix = findings.get(index).and_then(|f| f.fix.as_ref());
    fix.is_some_and(|f| f.applicability >= from && !f.changes.is_empty())
}

fn selected(settings: &Settings) -> Vec<&'static dyn Detector> {
    detect::ALL.iter().copied().filter(|d| settings.reports(d.id())).collect()
}

/// What all fixes of a group promise together.
fn promise(fixes: &[Fix]) -> Applicability {
    fixes.iter().map(|f| f.applicability).min().unwrap_or(Applicability::Manual)
}

/// Why a strategy that comes first in the order gave way to one that promises more.
fn passed_over(fix: &Fix) -> String {
    let why = match fix.applicability {
        Applicability::Manual => fix.title.as_str(),
        _ => "it is not proven safe here",
    };
    format!("{} comes first on this platform, but {why}", fix.strategy)
}

/// New texts of files, by path.
pub type Texts = BTreeMap<PathBuf, String>;

/// Why new texts that have these effects in their own project cannot be had in others.
pub type Objection<'a> = &'a dyn Fn(&Texts, &Effects) -> Result<(), String>;

struct Planner<'a> {
    cx: &'a Context<'a>,
    settings: &'a Settings,
    environment: &'a Environment,
    request: &'a Request,
    outlet: &'a Outlet,
    elsewhere: Objection<'a>,
    detectors: Vec<&'static dyn Detector>,
}

impl<'a> Planner<'a> {
    fn detect(&self, cx: &Context<'_>) -> Vec<Finding> {
        let mut found: Vec<Finding> = self.detectors.iter().flat_map(|d| d.detect(cx)).collect();
        for finding in &mut found {
            finding.severity = self.settings.severity(finding.rule, finding.severity);
        }
        found.sort_by(|a, b| key(a).cmp(&key(b)));
        found
    }

    /// The findings that do not count, by index, and everything that says so.
    fn suppressed(&self, findings: &[Finding]) -> (BTreeMap<usize, Suppression>, BTreeSet<Ask>) {
        let mut suppressed = BTreeMap::new();
        let mut asked = BTreeSet::new();
        let asks = self.settings.asks(self.cx.project).filter(|asks| !asks.is_empty());
        let Some(asks) = asks else { return (suppressed, asked) };
        for (index, finding) in findings.iter().enumerate() {
            for (ask, suppression) in asks.about(finding) {
                asked.insert(ask);
                suppressed.entry(index).or_insert(suppression);
            }
        }
        (suppressed, asked)
    }

    /// Indices of findings that belong together, each group in the findings' order: those on one
    /// tree of the host, and those on one entry that several services share. What is suppressed is
    /// in none.
    fn groups(findings: &[Finding], suppressed: &BTreeMap<usize, Suppression>) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<(&str, String), Vec<usize>> = BTreeMap::new();
        let counting = findings.iter().enumerate().filter(|(i, _)| !suppressed.contains_key(i));
        for (index, finding) in counting {
            let what = match &finding.tree {
                Some(tree) => tree.host.clone(),
                None => format!("{:?}", finding.mount.place),
            };
            groups.entry((finding.rule, what)).or_default().push(index);
        }
        groups.into_values().collect()
    }

    // ---- strategies

    fn propose(&self, findings: &mut [Finding], groups: &[Vec<usize>]) {
        let mut names = Names::of(self.cx.project);
        for indices in groups {
            let Some(first) = indices.first().and_then(|i| findings.get(*i)) else { continue };
            let (candidates, mut reasons) = self.candidates(first);
            let Some(group) = self.group(findings, indices) else { continue };
            let mut best: Option<(Applicability, Vec<Fix>, Claims)> = None;
            let mut passed = Vec::new();
            for candidate in candidates {
                let proposed = candidate.propose(self.cx, &group, &mut names);
                let own = names.take_back();
                match proposed {
                    Ok(mut proposed) => {
                        self.doubt(candidate.meta(), &mut proposed);
                        let promise = promise(&proposed);
                        if best.as_ref().is_none_or(|(known, ..)| *known < promise) {
                            let before = best.replace((promise, proposed, own));
                            passed.extend(before.map(|(_, fixes, _)| fixes));
                        }
                    }
                    // Once there is something to write, nobody asks why what comes later is not.
                    Err(_) if best.as_ref().is_some_and(|(p, ..)| *p > Applicability::Manual) => {}
                    Err(reason) => {
                        reasons.push(format!("{} was not taken: {reason}", candidate.id()));
                    }
                }
                if best.as_ref().is_some_and(|(known, ..)| *known == Applicability::Safe) {
                    break;
                }
            }
            reasons.extend(passed.iter().flatten().take(1).map(passed_over));
            let mut fixes = Vec::new();
            if let Some((promise, proposed, own)) = best {
                fixes = proposed;
                names.keep(own);
                // They are written together or not at all.
                for fix in &mut fixes {
                    fix.applicability = promise;
                }
            }
            let mut fixes = fixes.into_iter();
            for index in indices {
                let Some(finding) = findings.get_mut(*index) else { continue };
                match fixes.next() {
                    Some(mut fix) => {
                        fix.notes.extend(reasons.iter().cloned());
                        finding.fix = Some(fix);
                    }
                    None => finding.advice.extend(reasons.iter().cloned()),
                }
                let concerned =
                    self.cx.platforms.iter().filter(|p| finding.platforms.contains(&p.id));
                if finding.tree.is_some() {
                    finding.advice.extend(concerned.filter_map(|p| p.advice.clone()));
                }
            }
        }
    }

    /// Nobody can promise a nested mount for a platform where none was seen to stay.
    fn doubt(&self, meta: &strategy::Meta, fixes: &mut [Fix]) {
        let mut judged = self.cx.platforms.iter().filter(|_| meta.nests);
        let Some(platform) = judged.find(|p| p.nested_volumes == Answer::Unknown) else { return };
        for fix in fixes.iter_mut().filter(|fix| fix.applicability > Applicability::Manual) {
            fix.applicability = fix.applicability.min(Applicability::Unsafe);
            fix.notes.push(format!(
                "whether {} keeps what is nested in a bind mount is not known: look in the container a few seconds after its start",
                platform.title
            ));
        }
    }

    /// Strategies for a finding, best first, and why others are out.
    fn candidates(&self, finding: &Finding) -> (Vec<&'static dyn Strategy>, Vec<String>) {
        let ids: Vec<&str> = if self.settings.strategies.is_empty() {
            self.preferred(finding)
        } else {
            self.settings.strategies.iter().map(String::as_str).collect()
        };
        let mut fit = Vec::new();
        let mut out = Vec::new();
        for id in ids {
            let Some(candidate) = strategy::strategy(id) else { continue };
            if !candidate.meta().repairs.contains(&finding.rule) {
                continue;
            }
            let losing = self
                .cx
                .platforms
                .iter()
                .find(|p| candidate.meta().nests && p.nested_volumes == Answer::No);
            match losing {
                None => fit.push(candidate),
                Some(platform) => out.push(format!(
                    "{id} was not taken: {} unmounts what is nested in a bind mount",
                    platform.title
                )),
            }
        }
        (fit, out)
    }

    /// The order of the first platform concerned, as far as every platform concerned agrees.
    fn preferred(&self, finding: &Finding) -> Vec<&'a str> {
        let access =
            finding.tree.as_ref().and_then(|t| self.cx.rules.tree(&t.facts.kind)).map(|k| k.access);
        let Some(access) = access else {
            let repairing =
                strategy::ALL.iter().filter(|s| s.meta().repairs.contains(&finding.rule));
            return repairing.map(|s| s.id()).collect();
        };
        let concerned = self.cx.platforms.iter().filter(|p| finding.platforms.contains(&p.id));
        let lists: Vec<&'a Vec<String>> = concerned
            .map(|p| match access {
                Access::WriteHeavy => &p.strategies.write_heavy,
                Access::ReadMostly | Access::Kept => &p.strategies.read_mostly,
            })
            .collect();
        let Some((first, rest)) = lists.split_first() else { return Vec::new() };
        first
            .iter()
            .filter(|id| rest.iter().all(|list| list.contains(id)))
            .map(String::as_str)
            .collect()
    }

    fn group(&self, findings: &[Finding], indices: &[usize]) -> Option<Group<'a>> {
        let cx: &Context<'a> = self.cx;
        let members = indices.iter().filter_map(|index| {
            let finding = findings.get(*index)?;
            let service = cx.project.service(&finding.service)?;
            let mount = service.mounts.iter().find(|m| m.target == finding.mount.target)?;
            let source = cx.project.host_source(mount);
            let facts = finding.tree.as_ref().and_then(|tree| {
                let survey = cx.surveys.below(source?)?;
                survey.trees.iter().find(|t| t.path == tree.facts.path && t.kind == tree.facts.kind)
            });
            Some(Member {
                service,
                mount,
                target: finding.tree.as_ref().map_or(&mount.target, |t| &t.target).clone(),
                kind: facts.and_then(|f| cx.rules.tree(&f.kind)),
                facts,
                host: finding.tree.as_ref().map(|t| t.host.clone()),
            })
        });
        let members: Vec<Member<'a>> = members.collect();
        let rule = indices.first().and_then(|i| findings.get(*i)).map(|f| f.rule)?;
        (members.len() == indices.len()).then_some(Group { rule, members })
    }

    // ---- proof

    /// Proves the groups together; where that fails, as many of them as hold, in order.
    fn prove_most(
        &self,
        findings: &[Finding],
        groups: &[Vec<usize>],
    ) -> (Texts, Vec<(Vec<usize>, String)>) {
        if groups.is_empty() {
            return (Texts::new(), Vec::new());
        }
        let everything: Vec<&Vec<usize>> = groups.iter().collect();
        if let Ok(texts) = self.attempt(findings, &everything) {
            return (texts, Vec::new());
        }
        let mut accepted: Vec<&Vec<usize>> = Vec::new();
        let mut refused = Vec::new();
        let mut texts = Texts::new();
        for group in groups {
            accepted.push(group);
            match self.attempt(findings, &accepted) {
                Ok(proven) => texts = proven,
                Err(reason) => {
                    accepted.pop();
                    refused.push((group.clone(), reason));
                }
            }
        }
        (texts, refused)
    }

    /// New texts for the groups, if the gate lets them pass.
    fn attempt(&self, findings: &[Finding], groups: &[&Vec<usize>]) -> Result<Texts, String> {
        let project = self.cx.project;
        let fixed: BTreeSet<usize> = groups.iter().flat_map(|g| g.iter().copied()).collect();
        let changes_of = |wanted: &dyn Fn(usize, &Finding) -> bool| -> BTreeSet<Change> {
            let wanted = findings.iter().enumerate().filter(|(i, f)| wanted(*i, f));
            wanted
                .filter_map(|(_, f)| f.fix.as_ref())
                .flat_map(|f| f.changes.iter().cloned())
                .collect()
        };
        let active = |f: &Finding| project.service(&f.service).is_some_and(|s| s.active);
        let changes = changes_of(&|i, f| fixed.contains(&i) && active(f));
        let elsewhere = changes_of(&|i, f| fixed.contains(&i) && !active(f));
        let mut request = self.request.clone();
        let (texts, effects) = match self.outlet {
            Outlet::InPlace => self.in_place(&changes, &elsewhere)?,
            Outlet::OneFile(file) => {
                request.files.clone_from(&project.stack);
                if file.is_new {
                    request.files.push(file.path.clone());
                }
                let (text, effects) = file.with(project, &changes)?;
                (Texts::from([(file.path.clone(), text)]), effects)
            }
            Outlet::Closed(reason) => return Err(reason.clone()),
        };
        request.texts.extend(texts.clone());
        let after = load(self.cx.host, self.environment, &request)
            .map_err(|p| format!("the project would not load any more: {}", p.message))?;
        prove(project, &after, &effects)?;
        (self.elsewhere)(&texts, &effects)?;
        self.prove_findings(findings, &fixed, &after)?;
        Ok(texts)
    }

    /// New texts with each change in the file that it concerns, and what they do.
    fn in_place(
        &self,
        changes: &BTreeSet<Change>,
        wanted: &BTreeSet<Change>,
    ) -> Result<(Texts, Effects), String> {
        let project = self.cx.project;
        let indifferent = |service: &Service| self.cx.idle(service).is_some();
        let placement = place(project, changes, &Bystanders { wanted, indifferent: &indifferent })?;
        let mut texts = Texts::new();
        for edited in &placement.files {
            let file = project.file(edited.file).ok_or("a file is missing")?;
            texts.insert(file.path.clone(), rewritten(file, &edited.ops)?);
        }
        Ok((texts, placement.effects))
    }

    /// What was to be repaired is gone, and nothing new has come.
    fn prove_findings(
        &self,
        findings: &[Finding],
        fixed: &BTreeSet<usize>,
        after: &Project,
    ) -> Result<(), String> {
        let cx = Context { project: after, ..*self.cx };
        let left = self.detect(&cx);
        for finding in &left {
            let known = findings.iter().position(|f| key(f) == key(finding));
            let active = after.service(&finding.service).is_some_and(|s| s.active);
            match known {
                Some(index) if fixed.contains(&index) && active => {
                    return Err(format!("the edit would not repair {}", finding.rule));
                }
                Some(_) => {}
                None => return Err(format!("the edit would bring a new {}", finding.rule)),
            }
        }
        Ok(())
    }

    // ---- result

    fn finish(
        &self,
        findings: Vec<Finding>,
        texts: Texts,
        groups: &[Vec<usize>],
        (mut alone, mut suppressed): (BTreeMap<usize, Texts>, BTreeMap<usize, Suppression>),
    ) -> Plan {
        let repaired: BTreeSet<usize> = groups.iter().flatten().copied().collect();
        let mut plan = Plan { texts, ..Plan::default() };
        for (index, finding) in findings.into_iter().enumerate() {
            if self.cx.project.service(&finding.service).is_some_and(|s| s.active) {
                if repaired.contains(&index) {
                    plan.repaired.insert(plan.findings.len());
                }
                if let Some(texts) = alone.remove(&index) {
                    plan.alone.insert(plan.findings.len(), texts);
                }
                if let Some(suppression) = suppressed.remove(&index) {
                    plan.suppressed.insert(plan.findings.len(), suppression);
                }
                plan.findings.push(finding);
            }
        }
        plan
    }
}

/// What makes a finding the same finding after an edit moved it: service, rule, container paths of
/// tree and mount.
pub fn key(finding: &Finding) -> (&str, &str, &str, &str) {
    let tree = finding.tree.as_ref().map_or("", |t| t.target.as_str());
    (&finding.service, finding.rule, tree, &finding.mount.target)
}
