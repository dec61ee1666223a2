//! `.dockerignore`: what of a context never reaches the builder.

use globset::{GlobBuilder, GlobMatcher};

/// The patterns of one file, in order.
#[derive(Debug, Default)]
pub(super) struct Ignore {
    patterns: Vec<Pattern>,
    /// A line could not be read, so nothing is certain.
    odd: bool,
}

#[derive(Debug)]
struct Pattern {
    matcher: GlobMatcher,
    /// `!`: what it matches comes back.
    back: bool,
    text: String,
}

impl Ignore {
    /// Reads the text of a `.dockerignore`.
    pub(super) fn read(text: &str) -> Self {
        let mut ignore = Self::default();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let line = line.trim();
            let (line, back) = line.strip_prefix('!').map_or((line, false), |l| (l.trim(), true));
            let clean = crate::compose::clean_path(line);
            let text = clean.trim_start_matches('/');
            if line.is_empty() || text.is_empty() || text == "." {
                continue;
            }
            match GlobBuilder::new(text).literal_separator(true).backslash_escape(true).build() {
                Ok(glob) => {
                    let matcher = glob.compile_matcher();
                    ignore.patterns.push(Pattern { matcher, back, text: text.to_owned() });
                }
                Err(_) => ignore.odd = true,
            }
        }
        ignore
    }

    /// Whether a path relative to the context, all of it, stays out; none when it may in part.
    ///
    /// The last pattern that matches the path or a directory above it decides, as in Docker.
    pub(super) fn excludes(&self, path: &str) -> Option<bool> {
        if self.odd {
            return None;
        }
        let mut out = false;
        let mut partly = false;
        for pattern in &self.patterns {
            if above(path).any(|part| pattern.matcher.is_match(part)) {
                out = !pattern.back;
                partly = false;
            } else if pattern.back && pattern.may_lie_below(path) {
                // `!vendor/own` behind `vendor` lets a part through.
                partly = out;
            }
        }
        if partly { None } else { Some(out) }
    }

    /// True when some pattern keeps out nearly everything: `*`, `**`.
    pub(super) fn starts_with_everything(&self) -> bool {
        self.patterns.iter().any(|p| !p.back && matches!(p.text.as_str(), "*" | "**" | "**/*"))
    }
}

impl Pattern {
    /// True when it may match something below a directory that it does not match itself.
    fn may_lie_below(&self, path: &str) -> bool {
        let mut own = self.text.split('/');
        for part in path.split('/') {
            match own.next() {
                Some("**") => return true,
                Some(o) if o == part || o.contains(['*', '?', '[']) => {}
                _ => return false,
            }
        }
        own.next().is_some()
    }
}

/// The path itself and every directory above it, the highest first.
fn above(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    ends.filter_map(|end| path.get(..end)).filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_patterns() {
        for (text, path, expected) in [
            ("node_modules", "node_modules", Some(true)),
            ("node_modules", "web/node_modules", Some(false)),
            ("**/node_modules", "web/node_modules", Some(true)),
            ("**/node_modules", "node_modules", Some(true)),
            ("/vendor/", "vendor", Some(true)),
            ("vendor", "vendor/bundle", Some(true)),
            ("# vendor", "vendor", Some(false)),
            ("*", "vendor", Some(true)),
            ("*\n!vendor", "vendor", Some(false)),
            ("vendor\n!vendor/own", "vendor", None),
            ("vendor\n!vendor/own", "vendor/other", Some(true)),
            ("!vendor\nvendor", "vendor", Some(true)),
            ("*\n!*.json", "node_modules", Some(true)),
            ("./web/node_modules", "web/node_modules", Some(true)),
            ("[", "vendor", None),
            ("", "vendor", Some(false)),
        ] {
            assert_eq!(Ignore::read(text).excludes(path), expected, "{text:?} {path}");
        }
        assert!(Ignore::read("*\n!src").starts_with_everything());
        assert!(!Ignore::read("*.log").starts_with_everything());
    }
}
