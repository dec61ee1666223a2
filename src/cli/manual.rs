//! `composefix man`: pages for `man`, made of the help texts and of what a manual says besides.

use clap::CommandFactory as _;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::args::{Arguments, ManualFlags};

use super::{Command, Exit};
use crate::error::{Error, unknown};

/// How a command ends, best first.
type Ends = [(&'static str, &'static str)];

const CHECK: [(&str, &str); 3] = [
    ("0", "Nothing was found at or above the severity of --fail-on."),
    ("1", "Something was found at or above it."),
    (
        "2",
        "Something could not be checked: a file that cannot be read or is not valid, a wrong flag. \
         What was found is reported all the same.",
    ),
];

const APPLY: [(&str, &str); 3] = [
    ("0", "Everything that may be written is written, or there was nothing to write."),
    ("1", "There is a patch and it was not written."),
    ("2", "Something could not be checked or written. No file was changed."),
];

const OTHERS: [(&str, &str); 2] = [("0", "It was printed."), ("2", "A flag or a name is wrong.")];

const MEASURE: [(&str, &str); 2] = [
    ("0", "It was measured."),
    ("2", "It could not be measured, or it was interrupted. Nothing of the measurement is left."),
];

/// Variables that the program reads.
const VARIABLES: [(&str, &str); 6] = [
    ("COMPOSEFIX_PLATFORM", "Platforms to judge for where --platform is not given, with commas."),
    ("COMPOSEFIX_CONFIG", "The configuration to use for all projects where --config is not given."),
    ("COMPOSEFIX_FORMAT", "Reports to make where --format is not given, with commas."),
    (
        "COMPOSE_FILE, COMPOSE_PATH_SEPARATOR, COMPOSE_PROFILES, COMPOSE_ENV_FILES, \
         COMPOSE_DISABLE_ENV_FILE, COMPOSE_PROJECT_NAME",
        "As in docker compose. Files may use any other variable, as they do there.",
    ),
    (
        "NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, TERM",
        "Whether there are colours; --color overrules them.",
    ),
    (
        "FORCE_HYPERLINK",
        "Whether ids of rules are links: 0 for never, another value for always. Without it they are \
         on a terminal that is known to show links. Never with TERM=dumb.",
    ),
];

impl Command<'_> {
    pub(super) fn manual(&mut self, flags: &ManualFlags) -> Result<Exit, Error> {
        let mut program = Arguments::command().disable_help_subcommand(true);
        program.build();
        let name = flags.command.as_deref();
        let page = page(&program, name).ok_or_else(|| {
            let names = program.get_subcommands().map(clap::Command::get_name);
            let see = "`composefix --help` shows them all";
            Error::Usage { message: unknown("command", name.unwrap_or_default(), names, see) }
        })?;
        self.print(&page)?;
        Ok(Exit::Success)
    }
}

/// The page of a command; without a name, of the program. None when there is no such command.
fn page(program: &clap::Command, name: Option<&str>) -> Option<String> {
    let command = match name {
        Some(name) => program.find_subcommand(name)?,
        None => program,
    };
    let own = command.get_display_name().unwrap_or_else(|| command.get_name());
    let others = std::iter::once(program).chain(program.get_subcommands());
    let others = others.map(|other| other.get_display_name().unwrap_or_else(|| other.get_name()));
    let others: Vec<&str> = others.filter(|other| *other != own).collect();
    let mut bytes = Vec::new();
    Man::new(command.clone().version(None::<&str>))
        // An empty date would be left out, and the next argument would take its place.
        .date(" ")
        .source(concat!("composefix ", env!("CARGO_PKG_VERSION")))
        .manual("composefix manual")
        .render(&mut bytes)
        // Memory takes everything.
        .ok()?;
    let page = String::from_utf8_lossy(&bytes).into_owned();
    Some(page + &rest(name, &others))
}

/// What stands on a page besides the help texts.
fn rest(name: Option<&str>, others: &[&str]) -> String {
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    match name {
        None => {
            roff.text([roman("Of composefix check:")]);
            list(&mut roff, &CHECK);
            roff.control("PP", []);
            roff.text([roman("Of composefix apply:")]);
            list(&mut roff, &APPLY);
            roff.control("PP", []);
            roff.text([roman("Of all others:")]);
            list(&mut roff, &OTHERS);
        }
        Some("check") => list(&mut roff, &CHECK),
        Some("apply") => list(&mut roff, &APPLY),
        Some("measure") => list(&mut roff, &MEASURE),
        Some(_) => list(&mut roff, &OTHERS),
    }
    if matches!(name, None | Some("check" | "apply")) {
        roff.control("SH", ["ENVIRONMENT"]);
        list(&mut roff, &VARIABLES);
    }
    roff.control("SH", ["SEE ALSO"]);
    let mut line = Vec::new();
    for other in others {
        line.extend([bold(*other), roman("(1), ")]);
    }
    line.extend([bold("docker-compose"), roman("(1)")]);
    roff.text(line);
    roff.to_roff()
}

fn list(roff: &mut Roff, rows: &Ends) {
    for (term, text) in rows {
        roff.control("TP", []);
        roff.text([bold(*term)]);
        roff.text([roman(*text)]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Stage;
    use super::*;
    use crate::cli::Exit;

    fn program() -> clap::Command {
        let mut program = Arguments::command().disable_help_subcommand(true);
        program.build();
        program
    }

    /// Headings and terms of a page.
    fn page_of(words: &str) -> String {
        let outcome = Stage::default().main(words);
        assert_eq!((outcome.result, outcome.stderr.as_str()), (Exit::Success, ""), "{words}");
        outcome.stdout
    }

    #[test]
    fn the_program_and_each_command_have_a_page() {
        let program = program();
        let names = program.get_subcommands().map(clap::Command::get_name);
        let mut pages = 0;
        for name in std::iter::once("").chain(names) {
            let page = page_of(&format!("man {name}"));
            let title = if name.is_empty() { String::new() } else { format!("-{name}") };
            let version = env!("CARGO_PKG_VERSION");
            let head = format!(
                ".TH composefix{title} 1 \" \" \"composefix {version}\" \"composefix manual\"\n"
            );
            assert!(page.contains(&head), "{name}: {page}");
            for heading in
                ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "\"EXIT STATUS\"", "\"SEE ALSO\""]
            {
                let found = page.lines().filter(|line| *line == format!(".SH {heading}")).count();
                assert_eq!(found, 1, "{name}: {heading}\n{page}");
            }
            assert_eq!(page.contains(".SH ENVIRONMENT"), ["", "check", "apply"].contains(&name));
            pages += 1;
        }
        assert!(pages >= 7, "{pages}");
    }

    #[test]
    fn every_flag_and_command_stands_on_its_page() {
        let program = program();
        let main = page_of("man");
        for command in program.get_subcommands() {
            let name = command.get_name();
            assert!(main.contains(&format!("composefix\\-{name}(1)")), "{name}: {main}");
            let page = page_of(&format!("man {name}"));
            for flag in command.get_arguments().filter_map(clap::Arg::get_long) {
                let flag = flag.replace('-', "\\-");
                assert!(page.contains(&format!("\\-\\-{flag}\\f")), "{name}: {flag}\n{page}");
            }
        }
    }

    #[test]
    fn exit_codes_and_variables_are_the_ones_that_there_are() {
        let main = page_of("man");
        for exit in [Exit::Success, Exit::Findings, Exit::Error] {
            assert!(main.contains(&format!("\\fB{}\\fR\n", exit.code())), "{exit:?}\n{main}");
        }
        for name in [
            "COMPOSEFIX_PLATFORM",
            "COMPOSEFIX_FORMAT",
            "COMPOSE_FILE",
            "NO_COLOR",
            "FORCE_HYPERLINK",
        ] {
            assert!(main.contains(name), "{name}");
        }
    }

    #[test]
    fn an_unknown_command_has_no_page() {
        let outcome = Stage::default().main("man chek");
        assert_eq!((outcome.result, outcome.stdout.as_str()), (Exit::Error, ""));
        assert!(outcome.stderr.contains("did you mean `check`?"), "{}", outcome.stderr);
    }
}
