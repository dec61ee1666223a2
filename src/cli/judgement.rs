//! Flags and environment to the settings of a run. Every id is checked here, so that a misspelled
//! one is an error and not a run that finds nothing.

use std::collections::BTreeSet;

use super::args::JudgementFlags;
use super::setups::Setup;
use crate::config::Level;

use crate::detect;
use crate::error::{Error, Problem, unknown};
use crate::finding::{Applicability, Severity};
use crate::host::Environment;
use crate::rewrite::Destination;
use crate::rules::Rules;
use crate::run::Settings;
use crate::strategy;

/// Platforms that are judged for when nobody says otherwise.
pub(super) const DEFAULT_PLATFORMS: [&str; 2] = ["macos-virtiofs", "windows-wsl2-drive"];

/// How much a run counts and shows, and where changes go.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct Counts {
    pub(super) full_survey: bool,
    pub(super) show_mounts: bool,
    pub(super) edits_alone: bool,
    pub(super) destination: Destination,
    pub(super) fail_on: Option<Severity>,
    pub(super) no_ignores: bool,
    pub(super) strict_config: bool,
}

/// Why there are no settings.
#[derive(Debug)]
pub(super) enum Failure {
    /// A flag or a variable: the run ends.
    Usage(Error),
    /// The configuration: its projects are not judged.
    Config(Problem),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Usage(error)
    }
}

/// Tells which platforms this machine may be, for `--platform auto`.
pub(super) type Auto<'a> = dyn FnMut(&Rules) -> Result<Vec<String>, Error> + 'a;

/// The settings that the flags, the environment and the configuration ask for, in this order.
pub(super) fn settings(
    flags: &JudgementFlags,
    counts: &Counts,
    setup: &Setup,
    environment: &Environment,
    auto: &mut Auto<'_>,
) -> Result<Settings, Failure> {
    let file = setup.config.as_ref().map(|config| config.file.clone()).unwrap_or_default();
    let rule_ids = || detect::ALL.iter().map(|detector| detector.id());
    let strategy_ids = || strategy::ALL.iter().map(|strategy| strategy.id());
    let see = |what: &str| format!("`composefix list {what}` shows them all");
    let known_rules = |words: &[String]| {
        let exists = |id: &str| detect::detector(id).is_some();
        ids(words, exists, |word| unknown("rule", word, rule_ids(), &see("rules")))
    };
    let exists = |id: &str| strategy::strategy(id).is_some();
    let mut strategies = ids(&flags.strategy, exists, |word| {
        unknown("strategy", word, strategy_ids(), &see("strategies"))
    })?;
    if strategies.is_empty() {
        strategies = file.strategies.iter().map(|strategy| strategy.id().to_owned()).collect();
    }
    let select = known_rules(&flags.select)?;
    let mut ignore = known_rules(&flags.ignore)?;
    let off = file.rules.iter().filter(|(_, level)| **level == Level::Off);
    let off = off.map(|(rule, _)| rule.id().to_owned());
    ignore.extend(off.filter(|rule| !select.contains(rule)));
    let levels = file.rules.iter();
    let levels = levels.filter_map(|(rule, level)| Some((rule.id(), level.severity()?)));
    Ok(Settings {
        platforms: platforms(flags, setup, environment, auto)?,
        strategies,
        select,
        ignore,
        write_from: least(flags),
        full_survey: counts.full_survey,
        show_mounts: counts.show_mounts,
        edits_alone: counts.edits_alone,
        destination: counts.destination.clone(),
        levels: levels.collect(),
        fail_on: counts.fail_on.or(file.fail_on.map(Severity::from)).unwrap_or(Severity::Warning),
        min_files: file.min_files,
        config: setup.config.clone(),
        ignores: !counts.no_ignores,
        everything: setup.everything,
        strict: counts.strict_config,
    })
}

/// The least promise of a fix that is taken.
pub(super) fn least(flags: &JudgementFlags) -> Applicability {
    if flags.risky { Applicability::Unsafe } else { Applicability::Safe }
}

/// The words without empty ones and repetitions, in their order, if all of them exist.
fn ids(
    words: &[String],
    exists: impl Fn(&str) -> bool,
    complaint: impl Fn(&str) -> String,
) -> Result<Vec<String>, Error> {
    let mut known = Vec::new();
    for word in words.iter().map(|word| word.trim()).filter(|word| !word.is_empty()) {
        if !exists(word) {
            return Err(Error::Usage { message: complaint(word) });
        }
        if !known.iter().any(|other| other == word) {
            known.push(word.to_owned());
        }
    }
    Ok(known)
}

/// Who says which platforms are judged for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Flag,
    Variable,
    Config,
    Default,
}

/// Flag before variable before configuration before default; where one is empty it says nothing.
pub(super) fn origin(flags: &JudgementFlags, setup: &Setup, environment: &Environment) -> Origin {
    let is_blank = |word: &str| word.trim().is_empty();
    let (variable, config) = (variable(environment), setup.config.as_ref());
    match () {
        () if !flags.platform.is_empty() => Origin::Flag,
        () if !is_blank(variable) => Origin::Variable,
        () if config.is_some_and(|c| c.file.platforms.iter().any(|word| !is_blank(word))) => {
            Origin::Config
        }
        () => Origin::Default,
    }
}

fn variable(environment: &Environment) -> &str {
    environment.variables.get("COMPOSEFIX_PLATFORM").map_or("", String::as_str)
}

/// The platforms that `origin` finds, sorted.
fn platforms(
    flags: &JudgementFlags,
    setup: &Setup,
    environment: &Environment,
    auto: &mut Auto<'_>,
) -> Result<Vec<String>, Failure> {
    let rules = &setup.rules;
    // What is wrong with the configuration is said even where a flag overrules it.
    let team = setup.config.as_deref().map(|config| {
        let words = config.file.platforms.iter().map(String::as_str);
        expand(words, rules, None).map_err(|(index, message)| {
            Failure::Config(config.problem(config.item("platforms", index), message))
        })
    });
    let team = team.transpose()?.unwrap_or_default();
    let words: Vec<&str> = match origin(flags, setup, environment) {
        Origin::Flag => flags.platform.iter().map(String::as_str).collect(),
        Origin::Variable => variable(environment).split(',').collect(),
        Origin::Config => return Ok(team),
        Origin::Default => DEFAULT_PLATFORMS.to_vec(),
    };
    let mut words = words.into_iter().map(str::trim).filter(|word| !word.is_empty()).peekable();
    if words.peek().is_none() {
        return Err(Error::Usage { message: "--platform names no platform".to_owned() }.into());
    }
    let chosen = expand(words, rules, Some(auto));
    chosen.map_err(|(_, message)| Failure::Usage(Error::Usage { message }))
}

/// The platforms that ids, groups and `auto` stand for, sorted; else the index of the word that
/// stands for none, and what to say about it.
fn expand<'w>(
    words: impl Iterator<Item = &'w str>,
    rules: &Rules,
    mut auto: Option<&mut Auto<'_>>,
) -> Result<Vec<String>, (usize, String)> {
    let mut chosen = BTreeSet::new();
    let words = words.map(str::trim).enumerate().filter(|(_, word)| !word.is_empty());
    for (index, word) in words {
        if word == "auto" {
            let Some(auto) = auto.as_mut() else {
                let message = "`auto` is for the command line: by a configuration every machine must say the same";
                return Err((index, message.to_owned()));
            };
            chosen.extend(auto(rules).map_err(|error| (index, error.to_string()))?);
            continue;
        }
        if let Some(platform) = rules.platform_named(word).map_err(|message| (index, message))? {
            chosen.insert(platform.id.clone());
            continue;
        }
        let group = rules.platforms_of_group(word);
        if group.is_empty() {
            return Err((index, unknown_platform(word, rules)));
        }
        chosen.extend(group.into_iter().map(|platform| platform.id.clone()));
    }
    Ok(chosen.into_iter().collect())
}

fn unknown_platform(word: &str, rules: &Rules) -> String {
    let ids = rules.platforms().map(|platform| platform.id.as_str());
    let groups: BTreeSet<&str> =
        rules.platforms().flat_map(|p| &p.groups).map(String::as_str).collect();
    let known = ids.chain(groups).chain(["all", "auto"]);
    unknown("platform", word, known, "`composefix list platforms` shows them all")
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::super::args::{Arguments, Task};
    use super::*;

    fn settings_of(words: &str, variable: Option<&str>) -> Result<Settings, String> {
        let words = ["composefix", "check"].into_iter().chain(words.split_whitespace());
        let arguments = Arguments::try_parse_from(words).unwrap();
        let Task::Check(flags) = arguments.task else { unreachable!() };
        let mut environment = Environment::default();
        if let Some(value) = variable {
            environment.variables.insert("COMPOSEFIX_PLATFORM".to_owned(), value.to_owned());
        }
        let rules = Rules::builtin().unwrap();
        let setup = Setup { config: None, rules, requests: Vec::new(), everything: false };
        let auto: &mut Auto<'_> = &mut |_| Ok(vec!["orbstack".to_owned()]);
        settings(&flags.judgement, &Counts::default(), &setup, &environment, auto).map_err(
            |failure| match failure {
                Failure::Usage(error) => error.to_string(),
                Failure::Config(problem) => problem.message,
            },
        )
    }

    fn platforms_of(words: &str, variable: Option<&str>) -> Vec<String> {
        settings_of(words, variable).unwrap().platforms
    }

    #[test]
    fn platforms_come_from_flag_then_variable_then_default() {
        assert_eq!(platforms_of("", None), DEFAULT_PLATFORMS);
        assert_eq!(platforms_of("", Some("")), DEFAULT_PLATFORMS);
        assert_eq!(
            platforms_of("", Some("macos-osxfs, linux-native")),
            ["linux-native", "macos-osxfs"]
        );
        let flag = "--platform macos-osxfs,linux-native --platform macos-osxfs";
        assert_eq!(platforms_of(flag, Some("nonsense")), ["linux-native", "macos-osxfs"]);
    }

    #[test]
    fn groups_stand_for_their_platforms() {
        let macos = platforms_of("--platform macos", None);
        assert!(macos.iter().any(|id| id == "macos-virtiofs"), "{macos:?}");
        assert!(!macos.iter().any(|id| id.starts_with("windows")), "{macos:?}");
        let all = platforms_of("--platform all", None);
        assert!(all.len() > macos.len() && all.is_sorted(), "{all:?}");
    }

    #[test]
    fn auto_is_this_machine_and_goes_with_others() {
        assert_eq!(platforms_of("--platform auto", None), ["orbstack"]);
        assert_eq!(
            platforms_of("--platform linux-native,auto", None),
            ["linux-native", "orbstack"]
        );
        assert_eq!(platforms_of("", Some("auto")), ["orbstack"]);
    }

    #[test]
    fn unknown_ids_are_errors_that_help() {
        for (words, message) in [
            ("--select slow-tre", "unknown rule `slow-tre`; did you mean `slow-tree`?"),
            ("--ignore x,slow-tree", "unknown rule `x`; `composefix list rules` shows them all"),
            ("--strategy volumes", "unknown strategy `volumes`; did you mean `volume`?"),
            (
                "--platform macos-virtofs",
                "unknown platform `macos-virtofs`; did you mean `macos-virtiofs`?",
            ),
            ("--platform mac-os", "unknown platform `mac-os`; did you mean `macos`?"),
            ("--platform ,", "--platform names no platform"),
        ] {
            assert_eq!(settings_of(words, None).unwrap_err(), message, "{words}");
        }
    }

    #[test]
    fn lists_keep_their_order_and_lose_repetitions() {
        let settings = settings_of(
            "--strategy tmpfs,volume --strategy tmpfs --select slow-tree, --unsafe",
            None,
        )
        .unwrap();
        assert_eq!(settings.strategies, ["tmpfs", "volume"]);
        assert_eq!(settings.select, ["slow-tree"]);
        assert_eq!(settings.write_from, Applicability::Unsafe);
        assert_eq!(settings_of("", None).unwrap().write_from, Applicability::Safe);
    }
}
