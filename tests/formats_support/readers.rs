//! Programs by others that read reports.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::{root, variable};

/// A Python with the packages `junitparser` and `schemastore`, which `COMPOSEFIX_READERS` names.
#[derive(Debug, Clone)]
pub(crate) struct Readers {
    python: PathBuf,
}

impl Readers {
    /// None when the variable is not set, which `COMPOSEFIX_REQUIRE_READERS=1` makes a failure.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub(crate) fn find() -> Result<Option<Self>, String> {
        match variable("COMPOSEFIX_READERS") {
            Some(python) => Ok(Some(Self { python: PathBuf::from(python) })),
            None if variable("COMPOSEFIX_REQUIRE_READERS").is_some_and(|word| word == "1") => {
                Err("COMPOSEFIX_REQUIRE_READERS is 1 and COMPOSEFIX_READERS is not set".to_owned())
            }
            None => Ok(None),
        }
    }

    /// The schema of SARIF 2.1.0.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub(crate) fn sarif_schema(&self) -> Result<Value, String> {
        // A bracket that JavaScript takes as itself and other engines for regular expressions refuse.
        let text = self.script("sarif_schema.py", &[])?.to_string();
        serde_json::from_str(&text.replace("{2}]?$", "{2}\\\\]?$"))
            .map_err(|error| error.to_string())
    }

    /// What a reader of test reports finds in each of them.
    ///
    /// # Errors
    /// What it has against one.
    pub(crate) fn junit(&self, reports: &[PathBuf]) -> Result<Vec<Value>, String> {
        match self.script("junit.py", reports)? {
            Value::Array(read) if read.len() == reports.len() => Ok(read),
            other => Err(format!("not a list of all reports: {other}")),
        }
    }

    fn script(&self, name: &str, arguments: &[PathBuf]) -> Result<Value, String> {
        let script = root().join("tests/readers").join(name);
        let mut command = Command::new(&self.python);
        command.arg("-B").arg(script).args(arguments);
        serde_json::from_str(&printed(command)?).map_err(|error| format!("{name}: {error}"))
    }
}

/// What the program that `COMPOSEFIX_RDFORMAT` names has against reports in the format of reviewdog:
/// none when the variable is not set.
///
/// # Errors
/// What it has against one.
pub(crate) fn rdformat(reports: &[PathBuf]) -> Option<Result<(), String>> {
    let mut command = Command::new(variable("COMPOSEFIX_RDFORMAT")?);
    command.args(["--strict", "--no-extra-fields", "--verbose"]).args(reports);
    Some(printed(command).map(|_| ()))
}

fn printed(mut command: Command) -> Result<String, String> {
    let name = Path::new(command.get_program()).display().to_string();
    let output = command.output().map_err(|error| format!("{name} does not run: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        Ok(text(&output.stdout))
    } else {
        Err(format!("{name} fails\n{}{}", text(&output.stdout), text(&output.stderr)))
    }
}
