//! The text of a Dockerfile, taken apart into instructions.
//!
//! Written here since the crates for it know no here-document behind a command
//! (`RUN cat <<EOF > file`), so that its text would count as instructions, and leave shell lines,
//! `ENV` and `ARG` as they are.

use super::words::split;

/// Instructions that a file may have; more is no file that somebody wrote.
const MAX_INSTRUCTIONS: usize = 5_000;

/// What builders know.
const KNOWN: [&str; 18] = [
    "ADD",
    "ARG",
    "CMD",
    "COPY",
    "ENTRYPOINT",
    "ENV",
    "EXPOSE",
    "FROM",
    "HEALTHCHECK",
    "LABEL",
    "MAINTAINER",
    "ONBUILD",
    "RUN",
    "SHELL",
    "STOPSIGNAL",
    "USER",
    "VOLUME",
    "WORKDIR",
];

/// A Dockerfile.
#[derive(Debug)]
pub(super) struct Text {
    /// The character that escapes others and line ends: `\` or `` ` ``.
    pub(super) escape: char,
    /// In the file's order.
    pub(super) instructions: Vec<Instruction>,
}

/// One instruction.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Instruction {
    /// Line that it starts on, from 1.
    pub(super) line: usize,
    /// Its name in capitals.
    pub(super) name: String,
    /// `--name=value` before the arguments, in order; the value is empty when there is none.
    pub(super) flags: Vec<(String, String)>,
    /// What is left, line ends taken out.
    pub(super) rest: String,
    /// Here-documents that it reads, in order.
    pub(super) documents: Vec<HereDocument>,
}

/// A here-document.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HereDocument {
    /// The word that ends it.
    pub(super) name: String,
    /// Its lines.
    pub(super) text: String,
}

impl Instruction {
    /// The value of a flag.
    pub(super) fn flag(&self, name: &str) -> Option<&str> {
        self.flags.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The values of a flag that may come several times.
    pub(super) fn all_flags<'i>(&'i self, name: &'i str) -> impl Iterator<Item = &'i str> {
        self.flags.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Takes a Dockerfile apart.
///
/// # Errors
/// What no builder would take, with the line.
pub(super) fn read(text: &str) -> Result<Text, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let escape = escape_of(text);
    let mut lines = text.lines().enumerate();
    let mut instructions = Vec::new();
    while let Some((index, first)) = lines.next() {
        let first = first.trim();
        if first.is_empty() || first.starts_with('#') {
            continue;
        }
        let (mut whole, mut goes_on) = continued(first, escape);
        while goes_on {
            let Some((_, next)) = lines.next() else { break };
            let trimmed = next.trim();
            // Comments and empty lines do not end an instruction.
            if trimmed.is_empty() || trimmed.starts_with('#') {
                continue;
            }
            let (part, more) = continued(next, escape);
            whole.push_str(&part);
            goes_on = more;
        }
        let mut instruction = instruction(index + 1, &whole)?;
        if ["RUN", "COPY", "ADD"].contains(&instruction.name.as_str()) {
            for (name, tabs) in here_documents(&instruction.rest, escape) {
                let mut text = String::new();
                loop {
                    let Some((_, line)) = lines.next() else {
                        return Err(format!("line {}: `{name}` is never reached", index + 1));
                    };
                    let line = if tabs { line.trim_start_matches('\t') } else { line };
                    if line == name {
                        break;
                    }
                    text.push_str(line);
                    text.push('\n');
                }
                instruction.documents.push(HereDocument { name, text });
            }
        }
        instructions.push(instruction);
        if instructions.len() > MAX_INSTRUCTIONS {
            return Err(format!("it has more than {MAX_INSTRUCTIONS} instructions"));
        }
    }
    Ok(Text { escape, instructions })
}

/// The character of the `# escape=` directive, which stands before everything but other directives.
fn escape_of(text: &str) -> char {
    for line in text.lines() {
        let Some(comment) = line.trim().strip_prefix('#') else { break };
        let Some((key, value)) = comment.split_once('=') else { break };
        let key = key.trim().to_lowercase();
        if key == "escape" {
            return if value.trim() == "`" { '`' } else { '\\' };
        }
        if !key.chars().all(|c| c.is_ascii_alphanumeric()) {
            break;
        }
    }
    '\\'
}

/// A line without its escaped end, and whether it has one. A doubled escape character is none.
fn continued(line: &str, escape: char) -> (String, bool) {
    match line.trim_end().strip_suffix(escape) {
        Some(rest) if !rest.ends_with(escape) => (rest.to_owned(), true),
        _ => (line.trim_end_matches(['\r', '\n']).to_owned(), false),
    }
}

fn instruction(line: usize, text: &str) -> Result<Instruction, String> {
    let (name, mut rest) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
    let name = name.to_ascii_uppercase();
    if !KNOWN.contains(&name.as_str()) {
        let name: String = name.chars().take(40).collect();
        return Err(format!("line {line}: there is no instruction `{name}`"));
    }
    let mut flags = Vec::new();
    rest = rest.trim();
    if !["ENV", "ARG", "LABEL", "CMD", "ENTRYPOINT"].contains(&name.as_str()) {
        while let Some(flag) = rest.strip_prefix("--") {
            let (flag, behind) = flag.split_once(char::is_whitespace).unwrap_or((flag, ""));
            if flag.is_empty() {
                break;
            }
            let (key, value) = flag.split_once('=').unwrap_or((flag, ""));
            let value = value.trim_matches('"');
            flags.push((key.to_ascii_lowercase(), value.to_owned()));
            rest = behind.trim_start();
        }
    }
    Ok(Instruction { line, name, flags, rest: rest.to_owned(), documents: Vec::new() })
}

/// The word of a here-document (`<<EOF`, `<<-"EOF"`, `3<<EOF`) and whether tabs before lines go.
pub(super) fn here_document(word: &str) -> Option<(String, bool)> {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix("<<")?;
    let (rest, tabs) = rest.strip_prefix('-').map_or((rest, false), |rest| (rest, true));
    let name: String = rest.chars().filter(|c| !matches!(c, '"' | '\'' | '\\')).collect();
    (!name.is_empty() && !name.contains(['<', '>', '(', '|', '&', ';'])).then_some((name, tabs))
}

fn here_documents(rest: &str, escape: char) -> Vec<(String, bool)> {
    if !rest.contains("<<") {
        return Vec::new();
    }
    split(rest, escape).iter().filter_map(|word| here_document(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(usize, String, String)> {
        let read = read(text).unwrap().instructions.into_iter();
        read.map(|i| (i.line, i.name, i.rest)).collect()
    }

    #[test]
    fn lines_go_on_and_comments_do_not_end_them() {
        let text = "# syntax=docker/dockerfile:1\n\nfrom node:22 as base\nRUN a && \\\n  # why\n\n  b \\ \n  c\n  run d\n";
        let expected =
            [(3, "FROM", "node:22 as base"), (4, "RUN", "a &&   b   c"), (9, "RUN", "d")];
        let expected = expected.map(|(line, a, b)| (line, a.to_owned(), b.to_owned()));
        assert_eq!(names(text), expected);
    }

    #[test]
    fn the_escape_character_can_be_chosen() {
        let text = "# escape=`\nFROM x\nRUN a `\n b\\\nRUN c\n";
        let rests: Vec<String> = names(text).into_iter().map(|(_, _, rest)| rest).collect();
        assert_eq!(rests, ["x", "a  b\\", "c"]);
        let late = "FROM x\n# escape=`\nRUN a `\nRUN b\n";
        assert_eq!(names(late).len(), 3);
    }

    #[test]
    fn here_documents_are_no_instructions() {
        let text = "FROM x\nRUN cat <<EOF > /f && python3 <<-'PY'\nRUN no\nEOF\n\tpass\n\tPY\nCOPY <<a <<b /d/\n1\na\n2\nb\nRUN echo $((1<<2)) \"<<x\"\n";
        let read = read(text).unwrap();
        let documents = |index: usize| {
            let documents = &read.instructions[index].documents;
            documents.iter().map(|d| (d.name.as_str(), d.text.as_str())).collect::<Vec<_>>()
        };
        assert_eq!(documents(1), [("EOF", "RUN no\n"), ("PY", "pass\n")]);
        assert_eq!(documents(2), [("a", "1\n"), ("b", "2\n")]);
        assert_eq!(read.instructions.len(), 4);
    }

    #[test]
    fn flags_stand_apart() {
        let text = "FROM --platform=$BUILDPLATFORM x\nCOPY --from=a --chown=\"1:1\" --link b c\nENV --x y\n";
        let read = read(text).unwrap().instructions;
        let copy = &read[1];
        assert_eq!(
            (copy.flag("from"), copy.flag("chown"), copy.flag("link")),
            (Some("a"), Some("1:1"), Some(""))
        );
        assert_eq!((copy.rest.as_str(), read[2].rest.as_str()), ("b c", "--x y"));
    }

    #[test]
    fn what_no_builder_takes_is_refused_with_its_line() {
        for (text, line) in [("FROM x\nRNU a\n", "line 2"), ("FROM x\nRUN <<EOF\na\n", "line 2")] {
            assert!(read(text).unwrap_err().starts_with(line), "{text}");
        }
        assert!(read(&"RUN a\n".repeat(MAX_INSTRUCTIONS + 1)).is_err());
    }
}
