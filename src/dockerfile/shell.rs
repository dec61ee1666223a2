//! A shell line of `RUN`, taken apart into the commands that it runs.
//!
//! Not a shell: what depends on a condition, a loop or a failure is marked as unsure, and what
//! depends on the output of a command is [`UNKNOWN`].

use std::collections::BTreeSet;

use super::tokens::{Token, tokens};
use super::words::{UNKNOWN, Variable};

/// Commands inside commands (`sh -c`, `su -c`) that are looked into.
const MAX_DEPTH: usize = 3;

/// One simple command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Command {
    /// Program and arguments, wrappers such as `sudo` and `env` taken off.
    pub(super) words: Vec<String>,
    /// Variables set for it alone.
    pub(super) env: Vec<(String, String)>,
    /// Where it runs; none when that is not known.
    pub(super) dir: Option<String>,
    /// Who runs it; none for the user of the instruction.
    pub(super) user: Option<String>,
    /// True when the build cannot go on without it.
    pub(super) sure: bool,
}

impl Command {
    /// The program's name without its directory.
    pub(super) fn program(&self) -> &str {
        self.words.first().map_or("", |word| word.rsplit('/').next().unwrap_or(word))
    }

    /// Arguments that are no flags.
    pub(super) fn operands(&self) -> impl Iterator<Item = &str> {
        self.words.iter().skip(1).map(String::as_str).filter(|word| !word.starts_with('-'))
    }

    /// Whether one of its short flags (`-rf`) or long flags is there.
    pub(super) fn has_flag(&self, short: &[char], long: &str) -> bool {
        self.words.iter().skip(1).any(|word| {
            let flags = word.strip_prefix('-').filter(|flags| !flags.starts_with('-'));
            word == long || flags.is_some_and(|flags| flags.contains(short))
        })
    }
}

/// `path` as seen from `dir`; none when either is not known.
pub(super) fn join(dir: Option<&str>, path: &str) -> Option<String> {
    if path.contains(UNKNOWN) || path.starts_with('~') || path.is_empty() {
        return None;
    }
    if path.starts_with('/') {
        return Some(crate::compose::clean_path(path));
    }
    dir.map(|dir| crate::compose::clean_path(&format!("{dir}/{path}")))
}

/// The commands of a shell line that starts in `dir`.
pub(super) fn commands(
    text: &str,
    dir: Option<&str>,
    value: &dyn Fn(&str) -> Variable,
) -> Vec<Command> {
    // A variable that the line sets itself has that value from then on, which is not followed.
    let breaks = |c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '(' | '{');
    let own: BTreeSet<&str> =
        text.split(breaks).filter_map(assignment).map(|(name, _)| name).collect();
    let value = &|name: &str| if own.contains(name) { Variable::Unknown } else { value(name) };
    let mut reader = Reader { value, commands: Vec::new() };
    reader.read(text, dir.map(str::to_owned), None, true, 0);
    reader.commands
}

struct Reader<'v> {
    value: &'v dyn Fn(&str) -> Variable,
    commands: Vec<Command>,
}

/// Where the reader stands between two commands.
struct Place {
    dir: Option<String>,
    /// Directories to come back to behind `)` and `popd`.
    back: Vec<Option<String>>,
    /// Blocks (`if`, `for`, …) around this place.
    blocks: usize,
    /// The next command runs only if one before it failed, or after a test.
    doubtful: bool,
    /// First command of this and-list.
    list: usize,
    sure: bool,
}

impl Reader<'_> {
    fn read(
        &mut self,
        text: &str,
        dir: Option<String>,
        user: Option<&str>,
        sure: bool,
        depth: usize,
    ) {
        let list = self.commands.len();
        let mut at = Place { dir, back: Vec::new(), blocks: 0, doubtful: false, list, sure };
        let mut words: Vec<String> = Vec::new();
        for token in tokens(text, self.value) {
            let Token::Operator(operator) = token else {
                if let Token::Word(word) = token {
                    words.push(word);
                }
                continue;
            };
            self.command(std::mem::take(&mut words), &mut at, user, depth);
            match operator {
                "(" => at.back.push(at.dir.clone()),
                ")" => {
                    if let Some(dir) = at.back.pop() {
                        at.dir = dir;
                    }
                }
                "||" => at.doubtful = true,
                ";" | "&" => {
                    at.doubtful = false;
                    at.list = self.commands.len();
                }
                _ => {}
            }
            if operator == "||" {
                self.doubt(at.list);
            }
        }
        self.command(words, &mut at, user, depth);
    }

    /// What a failure would skip is unsure, but comes back when nothing goes on after it.
    fn doubt(&mut self, list: usize) {
        for command in self.commands.iter_mut().skip(list) {
            command.sure = false;
        }
    }

    fn command(
        &mut self,
        mut words: Vec<String>,
        at: &mut Place,
        user: Option<&str>,
        depth: usize,
    ) {
        while let Some(first) = words.first() {
            match first.as_str() {
                "if" | "while" | "until" | "for" | "case" | "select" | "{" | "function" => {
                    at.blocks += 1;
                }
                "fi" | "done" | "esac" | "}" => {
                    at.blocks = at.blocks.saturating_sub(1);
                }
                "then" | "else" | "elif" | "do" | "!" => {}
                _ => break,
            }
            words.remove(0);
        }
        let Some(mut command) = strip(words, at.dir.clone(), user) else { return };
        command.sure = at.sure && at.blocks == 0 && !at.doubtful;
        match command.program() {
            // The build ends here, so what came before has not failed.
            "exit" | "false" | "return" if at.doubtful => {
                let fine = at.sure && at.blocks == 0;
                self.commands.iter_mut().skip(at.list).for_each(|c| c.sure = fine);
                return;
            }
            "cd" | "pushd" => {
                if command.program() == "pushd" {
                    at.back.push(at.dir.clone());
                }
                let to = command.operands().next().and_then(|to| join(at.dir.as_deref(), to));
                at.dir = if at.blocks > 0 || at.doubtful { None } else { to };
                return;
            }
            "popd" => {
                at.dir = at.back.pop().flatten();
                return;
            }
            "[" | "[[" | "test" => at.doubtful = true,
            "sh" | "bash" | "ash" | "dash" | "zsh" | "su" if depth < MAX_DEPTH => {
                if let Some(text) = script(&command) {
                    let user = if command.program() == "su" {
                        command.operands().next().filter(|name| *name != text).or(Some("root"))
                    } else {
                        command.user.as_deref()
                    };
                    let user = user.map(str::to_owned);
                    self.read(&text, command.dir.clone(), user.as_deref(), command.sure, depth + 1);
                    return;
                }
            }
            program => {
                // `npm ci || npm install`: one of both has run.
                let again = self.commands.last().is_some_and(|last| last.program() == program);
                if at.doubtful && again && at.blocks == 0 {
                    command.sure = at.sure;
                }
            }
        }
        self.commands.push(command);
    }
}

/// The text behind `-c`.
fn script(command: &Command) -> Option<String> {
    let is_c = |word: &String| {
        let flags = word.strip_prefix('-').filter(|flags| !flags.starts_with('-'));
        flags.is_some_and(|flags| flags.ends_with('c')) || word == "--command"
    };
    let at = command.words.iter().position(is_c)?;
    command.words.get(at + 1).cloned()
}

/// Takes assignments and wrappers off a command.
fn strip(words: Vec<String>, dir: Option<String>, user: Option<&str>) -> Option<Command> {
    let mut env = Vec::new();
    let mut user = user.map(str::to_owned);
    let mut words = words.into_iter().peekable();
    loop {
        let first = words.peek()?;
        if let Some((name, value)) = assignment(first) {
            env.push((name.to_owned(), value.to_owned()));
            words.next();
            continue;
        }
        let program = first.rsplit('/').next().unwrap_or_default();
        match program {
            "exec" | "time" | "nohup" | "command" | "nice" | "eatmydata" | "env" => {
                words.next();
                while words.next_if(|word| word.starts_with('-')).is_some() {}
            }
            "sudo" | "runuser" | "gosu" | "su-exec" | "setpriv" => {
                let named = matches!(program, "gosu" | "su-exec");
                user = Some("root".to_owned());
                words.next();
                if named {
                    user = words.next();
                }
                while let Some(flag) = words.next_if(|word| word.starts_with('-')) {
                    if matches!(flag.as_str(), "-u" | "--user") {
                        user = words.next();
                    } else if let Some(name) = flag.strip_prefix("--user=") {
                        user = Some(name.to_owned());
                    }
                }
            }
            // `corepack enable` is a command, `corepack pnpm install` a wrapper.
            "corepack" => {
                let mut rest = words.clone();
                rest.next();
                let wraps = rest.peek().is_some_and(|word| {
                    ["pnpm", "yarn", "npm"].contains(&word.split('@').next().unwrap_or_default())
                });
                if !wraps {
                    break;
                }
                words.next();
            }
            _ => break,
        }
    }
    Some(Command { words: words.collect(), env, dir, user, sure: true })
}

/// `NAME=value`.
fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let fit = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let first = name.chars().next()?;
    (name.chars().all(fit) && !first.is_ascii_digit()).then_some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `[?]dir: words`, a question mark for what is unsure.
    fn read(text: &str) -> Vec<String> {
        let value = |name: &str| match name {
            "APP" => Variable::Set("/app".to_owned()),
            _ => Variable::Unset,
        };
        let show = |c: Command| {
            let doubt = if c.sure { "" } else { "?" };
            let user = c.user.map(|u| format!("{u}@")).unwrap_or_default();
            let dir = c.dir.unwrap_or_else(|| "-".to_owned());
            format!("{doubt}{user}{dir}: {}", c.words.join(" "))
        };
        commands(text, Some("/w"), &value).into_iter().map(show).collect()
    }

    #[test]
    fn directories_are_followed() {
        assert_eq!(read("cd $APP && npm ci && cd sub; x"), ["/app: npm ci", "/app/sub: x"]);
        assert_eq!(read("(cd web && npm ci) && pwd"), ["/w/web: npm ci", "/w: pwd"]);
        assert_eq!(read("cd $UNSET && npm ci"), ["-: npm ci"]);
        assert_eq!(read("APP=/x && cd $APP && npm ci"), ["-: npm ci"]);
        assert_eq!(read("pushd a; x; popd; y"), ["/w/a: x", "/w: y"]);
    }

    #[test]
    fn conditions_and_failures_make_unsure() {
        assert_eq!(
            read("if [ -f x ]; then npm ci; else yarn; fi; z"),
            ["?/w: [ -f x ]", "?/w: npm ci", "?/w: yarn", "/w: z"]
        );
        assert_eq!(read("npm ci || true"), ["?/w: npm ci", "?/w: true"]);
        assert_eq!(read("cd /a && npm ci || exit 1"), ["/a: npm ci"]);
        assert_eq!(read("npm ci || npm install"), ["?/w: npm ci", "/w: npm install"]);
        assert_eq!(read("test -f x && npm ci; y"), ["/w: test -f x", "?/w: npm ci", "/w: y"]);
        assert_eq!(read("for d in a b; do x; done\ny"), ["?/w: d in a b", "?/w: x", "/w: y"]);
        assert_eq!(read("f() { x; }; y"), ["/w: f", "?/w: x", "/w: y"]);
    }

    #[test]
    fn wrappers_come_off() {
        assert_eq!(read("A=1 B=2 sudo -E npm ci"), ["root@/w: npm ci"]);
        assert_eq!(read("gosu node npm ci"), ["node@/w: npm ci"]);
        assert_eq!(read("su node -c 'cd /app && npm ci'"), ["node@/app: npm ci"]);
        assert_eq!(read("bash -lc \"npm ci > log 2>&1\""), ["/w: npm ci"]);
        assert_eq!(
            read("corepack enable && corepack pnpm install"),
            ["/w: corepack enable", "/w: pnpm install"]
        );
        assert_eq!(read("A=1"), Vec::<String>::new());
    }

    #[test]
    fn text_is_no_command() {
        assert_eq!(read("echo 'a && npm ci' # npm ci\nx"), ["/w: echo a && npm ci", "/w: x"]);
        assert_eq!(read("x $(npm ci) `npm ci`; y"), ["/w: x \0 \0", "/w: y"]);
        assert_eq!(read("cat <<EOF > f\nnpm ci\nEOF\ny"), ["/w: cat", "/w: y"]);
        assert_eq!(read("case $X in a) npm ci;; esac; y").last().unwrap(), "/w: y");
    }
}
