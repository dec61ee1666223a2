//! Words and operators of a shell line.

use std::iter::Peekable;
use std::str::Chars;

use super::lex::here_document;
use super::words::{UNKNOWN, Variable, expand};

/// A piece of a shell line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A word, quotes off and variables filled in.
    Word(String),
    /// `&&`, `||`, `|`, `&`, `(`, `)`, and `;` for line ends too.
    Operator(&'static str),
}

/// Takes a shell line apart. Redirections and comments are left out.
pub(super) fn tokens(text: &str, value: &dyn Fn(&str) -> Variable) -> Vec<Token> {
    let mut reader = Reader {
        chars: text.chars().peekable(),
        value,
        raw: String::new(),
        tokens: Vec::new(),
        documents: Vec::new(),
        skip: false,
    };
    reader.read();
    reader.tokens
}

struct Reader<'t, 'v> {
    chars: Peekable<Chars<'t>>,
    value: &'v dyn Fn(&str) -> Variable,
    /// The word so far, with its quotes.
    raw: String,
    tokens: Vec<Token>,
    /// Here-documents that begin on the next line.
    documents: Vec<(String, bool)>,
    /// The next word is where something is redirected to.
    skip: bool,
}

impl Reader<'_, '_> {
    fn read(&mut self) {
        while let Some(c) = self.chars.next() {
            match c {
                '\\' => match self.chars.next() {
                    Some('\n') | None => {}
                    Some(next) => self.raw.extend([c, next]),
                },
                '\'' | '"' => self.quoted(c),
                '`' => self.command_output('`'),
                '$' if self.chars.peek() == Some(&'(') => {
                    self.chars.next();
                    self.command_output(')');
                }
                '$' if self.chars.peek() == Some(&'{') => self.braces(),
                '#' if self.raw.is_empty() => while self.chars.next_if(|c| *c != '\n').is_some() {},
                '\n' => {
                    self.operator(";");
                    self.skip_documents();
                }
                '>' | '<' => self.redirect(c),
                '&' if self.chars.next_if_eq(&'&').is_some() => self.operator("&&"),
                '&' if self.chars.peek() == Some(&'>') => {}
                '|' if self.chars.next_if_eq(&'|').is_some() => self.operator("||"),
                '|' => {
                    self.chars.next_if_eq(&'&');
                    self.operator("|");
                }
                '&' => self.operator("&"),
                ';' => self.operator(";"),
                '(' => self.operator("("),
                ')' => self.operator(")"),
                c if c.is_whitespace() => self.word(),
                c => self.raw.push(c),
            }
        }
        self.word();
    }

    fn word(&mut self) {
        if self.raw.is_empty() {
            return;
        }
        let raw = std::mem::take(&mut self.raw);
        if std::mem::take(&mut self.skip) {
            return;
        }
        self.tokens.push(Token::Word(expand(&raw, '\\', self.value)));
    }

    fn operator(&mut self, operator: &'static str) {
        self.word();
        self.skip = false;
        self.tokens.push(Token::Operator(operator));
    }

    fn quoted(&mut self, quote: char) {
        self.raw.push(quote);
        while let Some(c) = self.chars.next() {
            match c {
                '\\' if quote == '"' => {
                    self.raw.push(c);
                    self.raw.extend(self.chars.next());
                }
                '`' if quote == '"' => self.command_output('`'),
                '$' if quote == '"' && self.chars.peek() == Some(&'(') => {
                    self.chars.next();
                    self.command_output(')');
                }
                c => {
                    self.raw.push(c);
                    if c == quote {
                        return;
                    }
                }
            }
        }
        // Never closed: what it says is not known.
        self.raw.push(UNKNOWN);
        self.raw.push(quote);
    }

    /// Passes over `$(…)` or a pair of backquotes.
    fn command_output(&mut self, end: char) {
        self.raw.push(UNKNOWN);
        let mut depth = 1_usize;
        while let Some(c) = self.chars.next() {
            match c {
                '\\' => drop(self.chars.next()),
                '(' if end == ')' => depth += 1,
                c if c == end => {
                    depth -= 1;
                    if depth == 0 {
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    /// Copies `${…}`.
    fn braces(&mut self) {
        self.raw.push('$');
        for c in self.chars.by_ref() {
            self.raw.push(c);
            if c == '}' {
                return;
            }
        }
    }

    fn redirect(&mut self, c: char) {
        // `2>file`: the number is no word.
        if self.raw.chars().all(|c| c.is_ascii_digit()) {
            self.raw.clear();
        } else {
            self.word();
        }
        if c == '<' && self.chars.next_if_eq(&'<').is_some() {
            let mut name = "<<".to_owned();
            while let Some(c) =
                self.chars.next_if(|c| !c.is_whitespace() && !matches!(c, '>' | ';' | '|' | '&'))
            {
                name.push(c);
            }
            self.documents.extend(here_document(&name));
            return;
        }
        while self.chars.next_if(|c| matches!(c, '>' | '&' | '|' | '<')).is_some() {}
        self.skip = true;
    }

    /// Passes over the here-documents that begin here.
    fn skip_documents(&mut self) {
        for (name, tabs) in std::mem::take(&mut self.documents) {
            loop {
                let mut line = String::new();
                let mut any = false;
                for c in self.chars.by_ref() {
                    any = true;
                    if c == '\n' {
                        break;
                    }
                    line.push(c);
                }
                let line = if tabs { line.trim_start_matches('\t') } else { &line };
                if !any || line == name {
                    break;
                }
            }
        }
    }
}
