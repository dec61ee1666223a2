//! How the file says it.

use super::{Tape, Value};

/// Writes the documents of a file.
pub(super) fn write(tape: &mut Tape<'_>, documents: &[Value], json: bool) -> String {
    let mut writer = Writer {
        step: tape.of(&[2, 2, 2, 4, 4, 3, 8]),
        dash: tape.of(&[2, 2, 0, 0, 4]),
        noise: tape.of(&[0, 0, 5, 15]),
        quote: tape.of(&[0, 0, 1, 2, 3]),
        quoted_keys: if tape.chance(10) { 1 + tape.pick(2) } else { 0 },
        flow: tape.of(&[0, 0, 10, 40]),
        json,
        comments: 0,
        limit: None,
        text: String::new(),
        tape,
    };
    if json {
        writer.json(documents);
    } else {
        writer.documents(documents);
    }
    let text = std::mem::take(&mut writer.text);
    line_ends(tape, text)
}

struct Writer<'a, 'b> {
    tape: &'a mut Tape<'b>,
    text: String,
    step: usize,
    dash: usize,
    /// Percent of lines with something around them.
    noise: usize,
    /// Habit: plain, single, double, mixed.
    quote: usize,
    /// Habit: plain, single, double.
    quoted_keys: usize,
    /// Percent of collections in brackets.
    flow: usize,
    json: bool,
    comments: usize,
    /// Column that a comment must stay left of: the last value was a block scalar.
    limit: Option<usize>,
}

impl Writer<'_, '_> {
    // ---- files

    fn documents(&mut self, documents: &[Value]) {
        if self.tape.chance(10) {
            self.text.push('\u{feff}');
        }
        if self.tape.chance(15) {
            let header =
                self.tape.of(&["---\n", "--- # start\n", "%YAML 1.1\n---\n", "# head\n---\n\n"]);
            self.text.push_str(header);
        }
        for (index, document) in documents.iter().enumerate() {
            if index > 0 {
                self.comment_line(0);
                self.limit = None;
                let between =
                    self.tape.of(&["---\n", "...\n---\n", "--- # more\n", "---\n# more\n"]);
                self.text.push_str(between);
            }
            let Value::Map(entries) = document else { unreachable!("documents are mappings") };
            if self.tape.chance(4) {
                self.flow(document, 0);
                self.text.push('\n');
            } else {
                let margin = if self.tape.chance(4) { 2 } else { 0 };
                self.block_map(entries, margin, 0);
            }
        }
        if self.tape.chance(self.noise) {
            let end = self.tape.of(&[
                "\n",
                "\n\n\n",
                "# the end\n",
                "\n  # odd\n",
                "...\n",
                "   \n",
                "... # end\n# more\n",
            ]);
            let comment = end.trim_start_matches('\n').trim_start().starts_with('#');
            if !(comment && self.limit.is_some() && end.contains("  #")) {
                self.text.push_str(end);
            }
        }
    }

    fn json(&mut self, documents: &[Value]) {
        match self.tape.pick(4) {
            0 => self.pretty(&documents[0], 0, "  "),
            1 => self.pretty(&documents[0], 0, "    "),
            2 => self.pretty(&documents[0], 0, "\t"),
            _ => self.flow(&documents[0], 0),
        }
        self.text.push('\n');
    }

    fn pretty(&mut self, value: &Value, depth: usize, step: &str) {
        let (open, close, count) = match value {
            Value::List(items) => ('[', ']', items.len()),
            Value::Map(entries) => ('{', '}', entries.len()),
            _ => return self.scalar(value, true),
        };
        self.text.push(open);
        for index in 0..count {
            self.text.push_str(if index > 0 { ",\n" } else { "\n" });
            self.text.push_str(&step.repeat(depth + 1));
            match value {
                Value::List(items) => self.pretty(&items[index], depth + 1, step),
                Value::Map(entries) => {
                    self.key(&entries[index].0);
                    self.text.push_str(": ");
                    self.pretty(&entries[index].1, depth + 1, step);
                }
                _ => {}
            }
        }
        if count > 0 {
            self.text.push('\n');
            self.text.push_str(&step.repeat(depth));
        }
        self.text.push(close);
    }

    fn put(&mut self, parts: &[&str]) {
        self.text.extend(parts.iter().copied());
    }

    // ---- noise

    fn comment(&mut self) -> String {
        self.comments += 1;
        let more = self.tape.of(&["", " - x: y", " volumes:", " ünï \u{1f40b}", " #", " \"'"]);
        format!("# c{}{more}", self.comments)
    }

    /// Blank lines and comments above a line at `column`.
    fn comment_line(&mut self, column: usize) {
        if !self.tape.chance(self.noise) {
            return;
        }
        let odd = match self.tape.pick(4) {
            0 | 1 => column,
            2 => column.saturating_sub(1),
            _ => column + 3,
        };
        let at = self.limit.map_or(odd, |limit| odd.min(limit));
        match self.tape.pick(4) {
            0 => self.text.push('\n'),
            1 => self.put(&[&" ".repeat(at), "\n"]),
            _ => {
                let comment = self.comment();
                self.put(&[&" ".repeat(at), &comment, "\n"]);
            }
        }
    }

    /// Ends a line.
    fn end(&mut self) {
        if self.tape.chance(self.noise) {
            // Compose reads a tab behind a dash as the start of a value.
            let tab = if self.text.ends_with('-') { " " } else { "\t" };
            match self.tape.pick(3) {
                0 => self.text.push_str("  "),
                1 => self.text.push_str(tab),
                _ => {
                    let comment = self.comment();
                    let gap = self.tape.of(&[" ", "  ", tab, "        "]);
                    self.put(&[gap, &comment]);
                }
            }
        }
        self.text.push('\n');
    }

    // ---- block style

    /// Entries at a column; the first one's margin is written already when `inline` says so.
    fn block_map(&mut self, entries: &[(String, Value)], column: usize, inline: usize) {
        for (index, (key, value)) in entries.iter().enumerate() {
            if index > 0 || inline == 0 {
                self.comment_line(column);
                self.text.push_str(&" ".repeat(column));
            }
            self.limit = None;
            self.key(key);
            let space = self.tape.chance(self.noise / 8);
            self.text.push_str(if space { " :" } else { ":" });
            self.value(value, column, false);
        }
    }

    /// The value behind a key's colon or a dash, to the end of its last line.
    fn value(&mut self, value: &Value, column: usize, item: bool) {
        match value {
            Value::Marked(mark, inner) => {
                self.text.push(' ');
                self.text.push_str(mark);
                self.unmarked(inner, column, item, true);
            }
            other => self.unmarked(other, column, item, false),
        }
    }

    fn unmarked(&mut self, value: &Value, column: usize, item: bool, marked: bool) {
        let brackets = self.tape.chance(self.flow);
        match value {
            Value::Nothing => {
                let word = self.tape.of(&["", "", "", " ~", " null", " {}"]);
                self.text.push_str(word);
                self.end();
            }
            Value::Map(entries) if !entries.is_empty() && !brackets => {
                if item && !marked && self.tape.chance(95) {
                    let gap = self.tape.of(&[1, 1, 1, 3]);
                    self.text.push_str(&" ".repeat(gap));
                    return self.block_map(entries, column + 1 + gap, 1);
                }
                self.end();
                self.block_map(entries, column + self.step, 0);
            }
            Value::List(items) if !items.is_empty() && !brackets => {
                self.end();
                let at = column + self.dash;
                for item in items {
                    self.comment_line(at);
                    self.limit = None;
                    self.put(&[&" ".repeat(at), "-"]);
                    self.value(item, at, true);
                }
            }
            Value::List(_) | Value::Map(_) => {
                self.text.push(' ');
                self.flow(value, column);
                self.end();
            }
            Value::Lines(text) => self.lines(text, column),
            Value::Text(text) if item && self.tape.chance(2) => {
                // A mount as a block scalar: without `-` its last line break would belong to it.
                let header = self.tape.of(&[" |-", " >-"]);
                let margin = " ".repeat(column + self.step);
                self.put(&[header, "\n", &margin, text, "\n"]);
                self.limit = Some(column);
            }
            _ => {
                let gap = if item { self.tape.of(&[" ", " ", " ", "   "]) } else { " " };
                self.text.push_str(gap);
                self.scalar(value, false);
                self.end();
            }
        }
    }

    fn lines(&mut self, text: &str, column: usize) {
        if text.is_empty() || self.tape.chance(40) {
            self.text.push(' ');
            self.text.push_str(&double(text));
            return self.end();
        }
        let header = self.tape.of(&["|", ">", "|-", ">-", "|+", ">+"]);
        self.put(&[" ", header]);
        self.end();
        for line in text.lines() {
            let margin = if line.is_empty() { 0 } else { column + self.step };
            self.put(&[&" ".repeat(margin), line, "\n"]);
        }
        self.limit = Some(column);
    }

    // ---- flow style

    fn flow(&mut self, value: &Value, column: usize) {
        if let Value::Marked(mark, inner) = value {
            self.text.push_str(mark);
            self.text.push(' ');
            return self.flow(inner, column);
        }
        let (open, close, count) = match value {
            Value::List(items) => ('[', ']', items.len()),
            Value::Map(entries) => ('{', '}', entries.len()),
            Value::Nothing => return self.text.push_str(if self.json { "null" } else { "{}" }),
            Value::Lines(text) => return self.text.push_str(&double(text)),
            _ => return self.scalar(value, true),
        };
        let spread = count > 0 && self.tape.chance(25);
        let pad = if count > 0 && !spread { self.tape.of(&["", "", " "]) } else { "" };
        let comma = self.tape.of(&[", ", ", ", ", ", if self.json { "," } else { " , " }]);
        let inner = column + self.step;
        self.text.push(open);
        self.text.push_str(pad);
        for index in 0..count {
            let last = index + 1 == count;
            if spread {
                if index == 0 {
                    self.flow_end();
                }
                self.text.push_str(&" ".repeat(inner));
            }
            match value {
                Value::List(items) => self.flow(&items[index], inner),
                Value::Map(entries) => {
                    self.key(&entries[index].0);
                    self.text.push_str(": ");
                    self.flow(&entries[index].1, inner);
                }
                _ => {}
            }
            if spread {
                if !last || (!self.json && self.tape.chance(40)) {
                    self.text.push(',');
                }
                self.flow_end();
            } else if !last {
                self.text.push_str(comma);
            }
        }
        if spread {
            // Where Compose reads more than the standard allows: the bracket at the key's column.
            let at = if self.tape.chance(80) { column } else { inner };
            self.text.push_str(&" ".repeat(at));
        } else if count > 0 && !self.json && self.tape.chance(5) {
            self.text.push(',');
        }
        self.text.push_str(pad);
        self.text.push(close);
    }

    fn flow_end(&mut self) {
        if self.json { self.text.push('\n') } else { self.end() }
    }

    // ---- scalars

    fn key(&mut self, key: &str) {
        let text = match self.quoted_keys {
            _ if self.json => double(key),
            _ if key == "<<" => key.to_owned(),
            1 => single(key),
            2 => double(key),
            _ => key.to_owned(),
        };
        self.text.push_str(&text);
    }

    fn scalar(&mut self, value: &Value, flow: bool) {
        let text = match value {
            Value::Bare(text) => text.clone(),
            Value::Nothing => (if self.json { "null" } else { "~" }).to_owned(),
            Value::Text(text) | Value::Lines(text) => {
                let habit = if self.quote == 3 { self.tape.pick(3) } else { self.quote };
                let bracket = |c: char| ",[]{}#".contains(c);
                let bad = (flow && text.contains(bracket))
                    || text.contains(" #")
                    || text.contains('\n')
                    || text.is_empty();
                match habit {
                    _ if self.json => double(text),
                    0 if !bad => text.clone(),
                    2 => double(text),
                    _ if text.contains('\n') => double(text),
                    _ => single(text),
                }
            }
            _ => unreachable!("collections are written elsewhere"),
        };
        self.text.push_str(&text);
    }
}

fn single(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn double(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// CRLF, mixed line ends, no final line end.
fn line_ends(tape: &mut Tape<'_>, text: String) -> String {
    let text = match tape.pick(8) {
        0..=4 => text,
        5 | 6 => text.replace('\n', "\r\n"),
        _ => {
            let lines = text.split_inclusive('\n');
            lines
                .map(|l| if tape.chance(50) { l.replace('\n', "\r\n") } else { l.to_owned() })
                .collect()
        }
    };
    if tape.chance(12) { text.trim_end_matches(['\r', '\n']).to_owned() } else { text }
}
