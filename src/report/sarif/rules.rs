//! The rules as SARIF describes them. They do not depend on what was found.

use serde_json::{Value, json};

use super::{put, words};
use crate::detect::{self, Meta};
use crate::finding::Severity;

/// Characters that services show of a rule's full description.
const LIMIT: usize = 1000;

/// Every rule, in the order of the detectors.
pub(super) fn all() -> Vec<Value> {
    detect::ALL.iter().map(|detector| rule(detector.meta())).collect()
}

fn rule(meta: &Meta) -> Value {
    let plain = plain(meta.page);
    let mut rule = json!({
        "id": meta.id,
        "name": meta.id.split('-').map(capital).collect::<String>(),
        "shortDescription": {"text": sentence(meta.summary)},
        "fullDescription": {"text": about(&plain, meta.summary)},
        "help": {"text": plain, "markdown": meta.page},
        "defaultConfiguration": {"level": meta.severity.word()},
        "properties": {
            "tags": ["docker-compose", "volumes", kind(meta.severity)],
            "problem.severity": match meta.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "recommendation",
            },
        },
    });
    put(&mut rule, "helpUri", words::page(meta.id));
    rule
}

/// Errors are about what a project does, all else about what it costs.
fn kind(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "correctness",
        Severity::Warning | Severity::Note => "performance",
    }
}

/// A summary begins in lower case and ends without a stop.
fn sentence(summary: &str) -> String {
    format!("{}.", capital(&summary.replace('`', "")))
}

/// A text with its first letter in upper case.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().collect::<String>());
    format!("{}{}", first.unwrap_or_default(), letters.as_str())
}

/// The first paragraph below the first heading of a page; the summary for a page without one.
fn about(plain: &str, summary: &str) -> String {
    let mut blocks = plain.split("\n\n").filter(|block| block.contains(' ') && block.contains('.'));
    let first = blocks.next().map_or_else(|| sentence(summary), |block| block.replace('\n', " "));
    match first.char_indices().nth(LIMIT) {
        Some((at, _)) => format!("{}…", first.get(..at).unwrap_or_default()),
        None => first,
    }
}

/// A page without the marks of Markdown: headings, code, fences. In a block of code `#` stays.
fn plain(page: &str) -> String {
    let (mut out, mut code) = (String::with_capacity(page.len()), false);
    for line in page.lines() {
        if line.starts_with("```") {
            code = !code;
        } else {
            let heading = !code && line.starts_with('#');
            let line = if heading { line.trim_start_matches('#').trim_start() } else { line };
            out.push_str(&if code { line.to_owned() } else { line.replace('`', "") });
            out.push('\n');
        }
    }
    out.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_described_within_what_services_show() {
        for rule in all() {
            let text = |pointer: &str| {
                rule.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
            };
            for pointer in ["/shortDescription/text", "/fullDescription/text", "/help/text"] {
                let text = text(pointer);
                assert!(!text.is_empty() && !text.contains("```"), "{rule:#}");
                assert!(!text.contains("\n##") && !text.starts_with('#'), "{rule:#}");
            }
            assert!(text("/fullDescription/text").chars().count() <= 1024, "{rule:#}");
            assert!(text("/fullDescription/text").len() > 40, "{rule:#}");
            assert!(text("/help/markdown").starts_with("# "), "{rule:#}");
            assert_ne!(rule["name"], rule["id"]);
        }
    }

    #[test]
    fn plain_text_keeps_code_and_loses_marks() {
        let page = "# a\n\n## B\n\nUses `x`, twice.\n\n```yaml\n# c\n  - `b`\n```\n- d\n  e\n";
        assert_eq!(plain(page), "a\n\nB\n\nUses x, twice.\n\n# c\n  - `b`\n- d\n  e");
        assert_eq!(about(&plain(page), "x"), "Uses x, twice.");
        assert_eq!(about("a", "no page"), "No page.");
    }
}
