//! Platforms of a certain version.

use std::cmp::Ordering;

use super::{Platform, Versions};

/// A version as numbers: `4.67` is `4.67.0`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version(Vec<u64>);

impl Version {
    /// Reads numbers joined by dots, `v` before them or not; none for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
        let parts = text.strip_prefix('v').unwrap_or(text).split('.');
        let numbers: Option<Vec<u64>> =
            parts.map(|part| part.parse().ok().filter(|_| digits(part))).collect();
        let mut numbers = numbers?;
        while numbers.last() == Some(&0) {
            numbers.pop();
        }
        Some(Self(numbers))
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl Versions {
    /// True for a version in this range.
    fn hold_for(&self, version: &Version) -> bool {
        let bound = |text: &Option<String>| text.as_deref().and_then(Version::parse);
        bound(&self.from).is_none_or(|from| from <= *version)
            && bound(&self.below).is_none_or(|below| *version < below)
    }
}

impl Platform {
    /// True when something of it is different in this version of its program.
    pub fn differs_in(&self, version: &str) -> bool {
        let version = Version::parse(version);
        version.is_some_and(|version| self.versions.iter().any(|range| range.hold_for(&version)))
    }

    /// The platform as one version of its program has it, with the id `id@version`.
    ///
    /// # Errors
    /// Why there is no such thing: lower case, no full stop.
    pub fn at_version(&self, text: &str) -> Result<Self, String> {
        let Some(program) = &self.program else {
            return Err(format!(
                "nothing that is known of `{}` depends on a version: leave `@{text}` out",
                self.id
            ));
        };
        let version = Version::parse(text).ok_or_else(|| {
            format!(
                "`{text}` is no version of {program}: write numbers joined by dots, such as 4.67"
            )
        })?;
        let mut own = Self {
            id: format!("{}@{text}", self.id),
            title: format!("{} ({program} {text})", self.title),
            versions: Vec::new(),
            ..self.clone()
        };
        for range in self.versions.iter().filter(|range| range.hold_for(&version)) {
            own.bind = range.bind.clone().unwrap_or(own.bind);
            own.nested_volumes = range.nested_volumes.unwrap_or(own.nested_volumes);
            own.host_events = range.host_events.unwrap_or(own.host_events);
            own.strategies = range.strategies.clone().unwrap_or(own.strategies);
            if let Some(advice) = &range.advice {
                own.advice = Some(advice.clone()).filter(|advice| !advice.is_empty());
            }
            own.notes.push(range.says.clone());
        }
        Ok(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        Version::parse(text).unwrap()
    }

    #[test]
    fn versions_compare_by_their_numbers() {
        for (less, more) in
            [("4.9", "4.10"), ("4.67.0", "4.67.1"), ("4", "4.0.1"), ("v1.2", "1.3"), ("0", "0.1")]
        {
            assert!(version(less) < version(more), "{less} {more}");
        }
        assert_eq!(version("4.67"), version("v4.67.0"));
        for other in [
            "",
            "v",
            "4.",
            ".4",
            "4..1",
            "latest",
            "4.x",
            "4.67-beta",
            "+4",
            "99999999999999999999",
        ] {
            assert_eq!(Version::parse(other), None, "{other}");
        }
    }

    #[test]
    fn ranges_take_their_first_version_and_leave_their_last() {
        let range = |from: Option<&str>, below: Option<&str>| Versions {
            from: from.map(str::to_owned),
            below: below.map(str::to_owned),
            says: String::new(),
            bind: None,
            nested_volumes: None,
            host_events: None,
            strategies: None,
            advice: None,
        };
        let some = range(Some("4.67"), Some("4.68"));
        assert!(some.hold_for(&version("4.67.0")) && some.hold_for(&version("4.67.9")));
        assert!(!some.hold_for(&version("4.68")) && !some.hold_for(&version("4.66.9")));
        assert!(range(None, Some("2")).hold_for(&version("1.9")));
        assert!(range(Some("2"), None).hold_for(&version("30")));
    }
}
