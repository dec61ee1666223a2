//! The flags as the user gave them.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::error::unknown;
use crate::finding::Severity;
use crate::rewrite::Destination;

/// Finds slow bind mounts in Docker Compose projects and rewrites them, with proof
///
/// On macOS and Windows each file of a bind mount is opened across a virtual machine. A mount that
/// covers a large dependency tree makes every start and every request slow. composefix finds such
/// mounts, says what they cost, and moves the trees into volumes.
#[derive(Debug, Parser)]
#[command(name = "composefix", version, max_term_width = 100, arg_required_else_help = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) task: Task,
    #[command(flatten)]
    pub(super) output: OutputFlags,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(super) enum Task {
    Check(CheckFlags),
    Apply(ApplyFlags),
    Platform(PlatformFlags),
    Measure(MeasureFlags),
    List(ListFlags),
    Explain(ExplainFlags),
    Init(InitFlags),
    Completions(CompletionFlags),
    Man(ManualFlags),
}

/// Find problems; writes nothing
///
/// Exit code 0: nothing at or above --fail-on. 1: findings. 2: something could not be checked.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct CheckFlags {
    #[command(flatten)]
    pub(super) project: ProjectFlags,
    #[command(flatten)]
    pub(super) judgement: JudgementFlags,
    /// Fail from this severity on; without it as the configuration says, else warning
    #[arg(long, value_name = "SEVERITY", help_heading = "Result",
        value_parser = PossibleValuesParser::new(["error", "warning", "note"]).map(|word| severity(&word)))]
    pub(super) fail_on: Option<Severity>,
    /// End with 0 although there are findings
    #[arg(long, help_heading = "Result")]
    pub(super) exit_zero: bool,
    /// Form of the report: text, json, sarif, github, gitlab, junit or rdjson; several with commas
    ///
    /// With `=FILE` the report goes to that file, else to standard output. Only one report can go
    /// to standard output. text is for people, json has everything, sarif is for code scanning,
    /// github prints annotations in GitHub Actions, gitlab is a Code Quality report, junit a test
    /// report, rdjson is for reviewdog. Environment variable: `COMPOSEFIX_FORMAT`.
    #[arg(long, value_name = "FORMAT[=FILE]", value_delimiter = ',', help_heading = "Result",
        value_parser = format_request)]
    pub(super) format: Vec<FormatRequest>,
    /// Write the report to this file
    #[arg(short, value_name = "FILE", help_heading = "Result")]
    pub(super) output: Option<PathBuf>,
    /// Print the patch that `apply` would write instead of the report
    #[arg(long, help_heading = "Result")]
    pub(super) diff: bool,
    /// Print how often each rule was broken instead of where, as text or json
    #[arg(long, conflicts_with_all = ["diff", "show_mounts"], help_heading = "Result")]
    pub(super) statistics: bool,
    /// Print the names of the Compose files that would be checked, and check none
    #[arg(long, conflicts_with_all = ["diff", "statistics", "show_mounts"], help_heading = "Result")]
    pub(super) show_files: bool,
    /// Add every resolved mount to the JSON report
    #[arg(long, help_heading = "Result")]
    pub(super) show_mounts: bool,
    /// Count every file of every tree instead of stopping when the verdict is certain
    #[arg(long, help_heading = "Judgement")]
    pub(super) full_survey: bool,
    /// Let no comment and no configuration ignore a finding
    #[arg(long, help_heading = "Judgement")]
    pub(super) no_ignores: bool,
    /// Take what is doubtful about the configuration for an error
    #[arg(long, help_heading = "Configuration")]
    pub(super) strict_config: bool,
}

/// Plan fixes, show the patch, ask, write
///
/// Exit code 0: everything that may be written is written. 1: there is a patch and it was not
/// written. 2: something could not be checked or written, and no file was changed.
#[derive(Debug, Args)]
pub(super) struct ApplyFlags {
    #[command(flatten)]
    pub(super) project: ProjectFlags,
    #[command(flatten)]
    pub(super) judgement: JudgementFlags,
    /// Write without asking
    #[arg(long, short, help_heading = "Result")]
    pub(super) yes: bool,
    /// Print the patch; never ask, never write
    #[arg(long, help_heading = "Result")]
    pub(super) diff: bool,
    /// Where changes go: in-place, override, a file, or - for standard output
    ///
    /// override: the override file that Compose puts on top of the project by itself; it is created
    /// or extended. A file: created, for use with `-f`. -: the whole rewritten file is printed.
    #[arg(long, value_name = "WHERE", default_value = "in-place", value_parser = outlet, help_heading = "Result")]
    pub(super) to: To,
}

/// Show which engine and file sharing this machine uses, and what tells so
///
/// Reads settings files and variables; asks no daemon. Exit code 0: it is known. 2: it is not.
#[derive(Debug, Args)]
pub(super) struct PlatformFlags {
    /// Directory or file of the project, where that matters; default: the working directory
    ///
    /// WSL and Docker Desktop for Windows treat files on Windows drives and files of a distribution
    /// differently.
    #[arg(value_name = "PATH")]
    pub(super) path: Option<PathBuf>,
    /// Form of the answer
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    pub(super) format: ListFormat,
    #[command(flatten)]
    pub(super) rules: RuleFlags,
}

/// Time a tree through its bind mount and in a volume, on your own engine
///
/// The tree is one that `slow-tree` or `slow-writes` finds, on whatever platform. A throw-away
/// container sees it read-only, with a copy in a volume; nothing is written to the project, no image
/// is pulled, and everything that was made is removed again, also after Ctrl-C. Exit code 0: it is
/// measured. 2: it could not be.
#[derive(Debug, Args)]
pub(super) struct MeasureFlags {
    #[command(flatten)]
    pub(super) project: ProjectFlags,
    /// Measure a tree of this service; default: the one with the largest
    #[arg(long, value_name = "NAME", help_heading = "Measurement")]
    pub(super) service: Option<String>,
    /// Tree to measure, by its path, its container path or its kind; default: the largest
    #[arg(long, value_name = "TREE", help_heading = "Measurement")]
    pub(super) tree: Option<String>,
    /// Rounds; each times every step once
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=99),
        help_heading = "Measurement")]
    pub(super) runs: u8,
    /// Image to use instead of the service's own; it must be on this machine and hold a shell
    #[arg(long, value_name = "IMAGE", help_heading = "Measurement")]
    pub(super) image: Option<String>,
    /// Directory in which the write test makes one of its own; default: the system's temporary one
    ///
    /// It must be shared with the engine in the same way as the project, and lie outside of it.
    #[arg(long, value_name = "DIR", help_heading = "Measurement")]
    pub(super) scratch: Option<PathBuf>,
    /// Form of the answer
    #[arg(long, value_enum, default_value_t = ListFormat::Text, help_heading = "Result")]
    pub(super) format: ListFormat,
    #[command(flatten)]
    pub(super) rules: RuleFlags,
}

/// List what is known, a line each
#[derive(Debug, Args)]
pub(super) struct ListFlags {
    /// What to list
    #[arg(value_enum)]
    pub(super) what: Listed,
    /// Form of the list
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    pub(super) format: ListFormat,
    #[command(flatten)]
    pub(super) rules: RuleFlags,
}

/// Show the page of a rule, strategy, platform or tree
#[derive(Debug, Args)]
pub(super) struct ExplainFlags {
    /// Its id, as in reports and lists
    pub(super) id: String,
    #[command(flatten)]
    pub(super) rules: RuleFlags,
}

/// Print the script that lets a shell complete flags and names
///
/// For packagers, and for whoever installed composefix without a package. bash reads it from
/// ~/.local/share/bash-completion/completions/composefix, fish from
/// ~/.config/fish/completions/composefix.fish, zsh from a file _composefix in a directory of $fpath.
#[derive(Debug, Args)]
pub(super) struct CompletionFlags {
    /// Which shell
    #[arg(value_enum)]
    pub(super) shell: Shell,
}

/// Print a page for man
///
/// For packagers. The page of a command is named composefix-COMMAND.1, that of the program
/// composefix.1.
#[derive(Debug, Args)]
pub(super) struct ManualFlags {
    /// The command that the page is about; without one, the program
    pub(super) command: Option<String>,
}

/// Write .composefix.yaml: the team's platforms and today's findings
///
/// It goes into the root of the repository, or into the working directory where there is none. Each
/// finding of today becomes an entry that is ignored, with a reason to fill in, so that `check`
/// passes at once and tells what is new. Exit code 2: the file is there already, or something could
/// not be checked.
#[derive(Debug, Args)]
pub(super) struct InitFlags {
    /// Platforms of the team: ids, groups or all; several with commas
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub(super) platform: Vec<String>,
    /// Write no entries for today's findings
    #[arg(long)]
    pub(super) no_baseline: bool,
    /// Print the file instead of writing it
    #[arg(long)]
    pub(super) diff: bool,
}

/// Which projects.
#[derive(Debug, Default, Args)]
pub(super) struct ProjectFlags {
    /// Compose files, directories to search for them, or - for standard input
    ///
    /// Without any: what `docker compose` would load here.
    #[arg(value_name = "PATH", conflicts_with = "file")]
    pub(super) paths: Vec<PathBuf>,
    /// Compose file; several make one project
    #[arg(long, short, value_name = "FILE", help_heading = "Project, as in docker compose")]
    pub(super) file: Vec<PathBuf>,
    /// Directory that relative paths start from
    #[arg(long, value_name = "DIR", help_heading = "Project, as in docker compose")]
    pub(super) project_directory: Option<PathBuf>,
    /// File with variables instead of .env
    #[arg(long, value_name = "FILE", help_heading = "Project, as in docker compose")]
    pub(super) env_file: Vec<PathBuf>,
    /// Profile to turn on; * for all
    #[arg(long, value_name = "NAME", help_heading = "Project, as in docker compose")]
    pub(super) profile: Vec<String>,
    /// Leave out what the configuration excludes even when it is named
    #[arg(long, help_heading = "Configuration")]
    pub(super) force_exclude: bool,
    /// Name of the file that comes by standard input
    #[arg(
        long,
        value_name = "FILE",
        default_value = "compose.yaml",
        help_heading = "Project, as in docker compose"
    )]
    pub(super) stdin_filename: PathBuf,
}

/// How to judge.
#[derive(Debug, Default, Args)]
pub(super) struct JudgementFlags {
    /// Platforms to judge for: ids, id@version, groups, all or auto; several with commas
    ///
    /// auto is the machine that the program runs on, see `composefix platform`. Default: macos-virtiofs and windows-wsl2-drive, on every machine, so that a gate says the
    /// same everywhere. `composefix list platforms` shows them all. Environment variable:
    /// `COMPOSEFIX_PLATFORM`.
    #[arg(long, value_name = "ID", value_delimiter = ',', help_heading = "Judgement")]
    pub(super) platform: Vec<String>,
    /// Strategies to use instead of the platform's own, best first; several with commas
    #[arg(long, value_name = "ID", value_delimiter = ',', help_heading = "Judgement")]
    pub(super) strategy: Vec<String>,
    /// Rules to use, all others off; several with commas
    #[arg(long, value_name = "RULE", value_delimiter = ',', help_heading = "Judgement")]
    pub(super) select: Vec<String>,
    /// Rules not to use; several with commas
    #[arg(long, value_name = "RULE", value_delimiter = ',', help_heading = "Judgement")]
    pub(super) ignore: Vec<String>,
    /// Include fixes whose safety is not proven
    #[arg(long = "unsafe", help_heading = "Judgement")]
    pub(super) risky: bool,
    #[command(flatten)]
    pub(super) rules: RuleFlags,
}

/// What is known.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct RuleFlags {
    /// Configuration to use instead of the nearest .composefix.yaml
    ///
    /// Environment variable: `COMPOSEFIX_CONFIG`.
    #[arg(long, value_name = "FILE", conflicts_with = "no_config", help_heading = "Configuration")]
    pub(super) config: Option<PathBuf>,
    /// Use no configuration
    #[arg(long, help_heading = "Configuration")]
    pub(super) no_config: bool,
    /// Folder with more rule files: platforms, trees, images
    #[arg(long = "rules", value_name = "DIR", help_heading = "Judgement")]
    pub(super) directories: Vec<PathBuf>,
}

/// How to speak.
#[derive(Debug, Args)]
pub(super) struct OutputFlags {
    /// When to use colours
    #[arg(long, value_enum, global = true, value_name = "WHEN", default_value_t = ColourChoice::Auto,
        help_heading = "Output")]
    pub(super) color: ColourChoice,
    /// Say only what was found: no summary, no notes, no progress
    #[arg(long, short, global = true, conflicts_with = "verbose", help_heading = "Output")]
    pub(super) quiet: bool,
    /// Say also what counted, what was looked at, and what was left out and why
    #[arg(long, short, global = true, help_heading = "Output")]
    pub(super) verbose: bool,
}

/// `--color`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ColourChoice {
    /// On a terminal, unless the environment says otherwise
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}

/// What `list` lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Listed {
    /// Kinds of problems
    Rules,
    /// Kinds of repairs
    Strategies,
    /// Engines with their way to share files
    Platforms,
    /// Kinds of dependency trees, caches and build output
    Trees,
}

/// Form of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ListFormat {
    /// For people
    Text,
    /// For programs
    Json,
}

/// Form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Text,
    Json,
    Sarif,
    Github,
    Gitlab,
    Junit,
    Rdjson,
}

impl Format {
    /// Every format by its name.
    const ALL: [(&str, Self); 7] = [
        ("text", Self::Text),
        ("json", Self::Json),
        ("sarif", Self::Sarif),
        ("github", Self::Github),
        ("gitlab", Self::Gitlab),
        ("junit", Self::Junit),
        ("rdjson", Self::Rdjson),
    ];

    /// True for a report that holds what could not be checked, too.
    pub(super) fn has_problems(self) -> bool {
        self != Self::Text
    }

    /// True for a report that attaches an edit to each finding.
    pub(super) fn has_edits(self) -> bool {
        matches!(self, Self::Sarif | Self::Rdjson)
    }
}

/// One `--format`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FormatRequest {
    pub(super) format: Format,
    /// Where the report goes; none for standard output.
    pub(super) file: Option<PathBuf>,
}

/// `--to`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum To {
    /// Into files.
    Files(Destination),
    /// Nowhere: the whole text is printed.
    Stdout,
}

/// The parser has let only the three words through.
fn severity(word: &str) -> Severity {
    match word {
        "error" => Severity::Error,
        "note" => Severity::Note,
        _ => Severity::Warning,
    }
}

/// Reads `FORMAT[=FILE]`.
pub(super) fn format_request(text: &str) -> Result<FormatRequest, String> {
    let (word, file) = match text.split_once('=') {
        Some((_, "")) => return Err("a file name must follow the `=`".to_owned()),
        Some((word, file)) => (word, Some(PathBuf::from(file))),
        None => (text, None),
    };
    let Some((_, format)) = Format::ALL.iter().find(|(name, _)| *name == word) else {
        let names = Format::ALL.map(|(name, _)| name);
        return Err(unknown("format", word, names, &format!("formats are {}", names.join(", "))));
    };
    Ok(FormatRequest { format: *format, file })
}

fn outlet(text: &str) -> Result<To, String> {
    match text {
        "in-place" => Ok(To::Files(Destination::InPlace)),
        "override" => Ok(To::Files(Destination::Override)),
        "-" => Ok(To::Stdout),
        "" => Err("a file name is missing".to_owned()),
        _ if text.ends_with(['/', '\\']) => Err("this is no name of a file".to_owned()),
        file => Ok(To::Files(Destination::File(PathBuf::from(file)))),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_flags_hold_together() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn formats_name_their_file() {
        let json = |file: Option<&str>| FormatRequest {
            format: Format::Json,
            file: file.map(PathBuf::from),
        };
        assert_eq!(format_request("json"), Ok(json(None)));
        assert_eq!(format_request("json=a=b.json"), Ok(json(Some("a=b.json"))));
        assert!(format_request("json=").is_err());
        for (name, format) in Format::ALL {
            assert_eq!(format_request(name), Ok(FormatRequest { format, file: None }));
        }
        let error = format_request("jsn=x").unwrap_err();
        assert_eq!(error, "unknown format `jsn`; did you mean `json`?");
    }
}
