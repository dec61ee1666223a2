//! Sentences that all formats share. They may hold anything that names in files hold: each format
//! makes them harmless in its own way.

use super::Report;
use crate::error::Problem;
use crate::finding::{Applicability, Finding, Fix};

/// What is said of a finding: the service if it is about one, the fact, the cost.
pub(super) fn said(finding: &Finding) -> String {
    let about = finding.service.as_str();
    let colon = if about.is_empty() { "" } else { ": " };
    format!("{about}{colon}{}", finding.message)
}

/// What to do about a finding, then what to know about that, a line each.
pub(super) fn help(finding: &Finding, report: &Report) -> Vec<String> {
    let mut help: Vec<String> = finding.fix.as_ref().map(advice).unwrap_or_default();
    help.extend(finding.advice.iter().map(|line| format!("by hand: {line}")));
    if finding.platforms != report.platforms && !finding.platforms.is_empty() {
        help.push(format!("holds for {} only", finding.platforms.join(", ")));
    }
    help
}

fn advice(fix: &Fix) -> Vec<String> {
    let how = match fix.applicability {
        Applicability::Safe => "fix available with `composefix apply`",
        Applicability::Unsafe => "fix available with `composefix apply --unsafe`",
        Applicability::Manual => "by hand",
    };
    let title = format!("{how}: {}", fix.title);
    std::iter::once(title).chain(fix.notes.iter().cloned()).collect()
}

/// What a finding is about, for lists: the service and the container path.
pub(super) fn subject(finding: &Finding) -> String {
    let target = finding.tree.as_ref().map_or(&finding.mount.target, |tree| &tree.target);
    format!("{} {target}", finding.service)
}

/// A problem in one line: what is wrong, then what to do.
pub(super) fn problem(problem: &Problem) -> String {
    match &problem.help {
        Some(help) => format!("{}; {help}", problem.message),
        None => problem.message.clone(),
    }
}

/// Where a rule's page can be read; none as long as `Cargo.toml` names no repository.
pub(super) fn page(rule: &str) -> Option<String> {
    let (home, version) = (env!("CARGO_PKG_REPOSITORY"), env!("CARGO_PKG_VERSION"));
    let file = rule.replace('-', "_");
    Some(home)
        .filter(|home| home.starts_with("https://"))
        .map(|home| format!("{home}/blob/v{version}/src/detect/{file}.md"))
}
