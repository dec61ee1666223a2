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

/// Where the program is published; none as long as `Cargo.toml` names no repository.
pub(super) fn home() -> Option<&'static str> {
    published(env!("CARGO_PKG_REPOSITORY"))
}

/// Where a rule's page can be read; none as long as the program is published nowhere.
pub(super) fn page(rule: &str) -> Option<String> {
    home().map(|home| page_in(home, rule))
}

fn published(repository: &str) -> Option<&str> {
    Some(repository.trim_end_matches('/')).filter(|home| home.starts_with("https://"))
}

/// The page of a rule in a repository, as it was in this version.
fn page_in(home: &str, rule: &str) -> String {
    let (version, file) = (env!("CARGO_PKG_VERSION"), rule.replace('-', "_"));
    format!("{home}/blob/v{version}/src/detect/{file}.md")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::detect;

    #[test]
    fn pages_lie_in_a_repository_that_others_reach() {
        for (repository, home) in [
            ("https://git.example/me/composefix/", Some("https://git.example/me/composefix")),
            ("", None),
            ("git@git.example:me/composefix", None),
            ("http://git.example/me/composefix", None),
        ] {
            assert_eq!(published(repository), home, "{repository}");
        }
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            page_in("https://git.example/me/composefix", "slow-tree"),
            format!("https://git.example/me/composefix/blob/v{version}/src/detect/slow_tree.md")
        );
        for detector in detect::ALL {
            let page = page_in(env!("CARGO_MANIFEST_DIR"), detector.id());
            let page = page.replace(&format!("/blob/v{version}"), "");
            assert!(Path::new(&page).is_file(), "{page}");
        }
    }
}
