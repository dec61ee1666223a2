//! Pages of Markdown, as a terminal shows them.
//!
//! The marks stay, so that what is printed into a file is Markdown still; lines are wrapped, and
//! colours tell headings and code apart.

use anstyle::{AnsiColor, Style as Look};
use textwrap::{Options, WordSeparator, WordSplitter};

use super::text::Style;
use super::visible::visible;

/// Columns that are read with ease, also where the terminal is wider.
const READABLE: usize = 80;

/// The page with wrapped paragraphs and lists, and a line break at its end. Code and tables are left
/// as they are.
pub fn render(page: &str, style: Style) -> String {
    let mut out = String::new();
    let mut block = Block { lines: Vec::new(), style };
    let mut fenced = false;
    for line in page.trim_end().lines().map(visible) {
        let fence = line.trim_start().starts_with("```");
        if fence || fenced {
            block.flush(&mut out);
            fenced = fenced != fence;
            out.push_str(&line);
            out.push('\n');
        } else if line.trim().is_empty() || line.starts_with(['#', '|']) {
            block.flush(&mut out);
            let is_heading = line.starts_with('#');
            let look = if is_heading { Look::new().bold() } else { Look::new() };
            out.push_str(&painted(&line, look, style));
            out.push('\n');
        } else {
            if line.starts_with("- ") {
                block.flush(&mut out);
            }
            block.lines.push(line.trim().to_owned());
        }
    }
    block.flush(&mut out);
    out
}

/// A paragraph or an item of a list.
struct Block {
    lines: Vec<String>,
    style: Style,
}

impl Block {
    fn flush(&mut self, out: &mut String) {
        let text = std::mem::take(&mut self.lines).join(" ");
        if text.is_empty() {
            return;
        }
        let hanging = if text.starts_with("- ") { "  " } else { "" };
        let options = Options::new(self.style.width.min(READABLE))
            .subsequent_indent(hanging)
            // Addresses stay whole, so that a terminal can open them.
            .break_words(false)
            .word_separator(WordSeparator::AsciiSpace)
            .word_splitter(WordSplitter::NoHyphenation);
        let mut code = false;
        for line in textwrap::wrap(&text, options) {
            out.push_str(&with_code(&line, &mut code, self.style));
            out.push('\n');
        }
    }
}

/// A line with what stands between backticks painted; `code` goes on from line to line.
fn with_code(line: &str, code: &mut bool, style: Style) -> String {
    let look = Look::new().fg_color(Some(AnsiColor::Cyan.into()));
    let mut out = String::new();
    for (at, part) in line.split('`').enumerate() {
        if at > 0 {
            *code = !*code;
            out.push('`');
        }
        if *code {
            out.push_str(&painted(part, look, style));
        } else {
            out.push_str(part);
        }
    }
    out
}

fn painted(text: &str, look: Look, style: Style) -> String {
    if style.colour && !text.is_empty() && look != Look::new() {
        format!("{look}{text}{look:#}")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Style =
        Style { colour: false, unicode: true, width: 40, quiet: false, links: false };

    #[test]
    fn paragraphs_and_items_are_wrapped_and_the_rest_is_not() {
        let page = "# a-title\n\nA paragraph that goes on\nfor longer than one line of forty.\n\n- an item that goes on for longer than one line of forty\n- short\n\n```yaml\nservices: {web: {image: a, volumes: ['./:/app', 'x:/app/x']}}\n```\n\n| a table | that is wider than forty columns at least |\n";
        let expected = "# a-title\n\nA paragraph that goes on for longer than\none line of forty.\n\n- an item that goes on for longer than\n  one line of forty\n- short\n\n```yaml\nservices: {web: {image: a, volumes: ['./:/app', 'x:/app/x']}}\n```\n\n| a table | that is wider than forty columns at least |\n";
        assert_eq!(render(page, PLAIN), expected);
        assert_eq!(render(expected, PLAIN), expected, "a second time changes nothing");
    }

    #[test]
    fn colours_add_nothing_else() {
        let page = "# a-title\n\nUse `docker compose\nwatch` there.\n";
        let coloured = render(page, Style { colour: true, ..PLAIN });
        assert!(coloured.starts_with("\u{1b}[1m# a-title\u{1b}[0m\n"), "{coloured:?}");
        let stripped = anstream::adapter::strip_str(&coloured).to_string();
        assert_eq!(stripped, render(page, PLAIN));
        assert!(coloured.contains("`\u{1b}[36mdocker compose watch\u{1b}[0m`"), "{coloured:?}");
    }

    #[test]
    fn hidden_characters_are_shown() {
        assert_eq!(render("a\u{1b}[31m b", PLAIN), "a\\u{1b}[31m b\n");
    }
}
