//! Which terminals show links.

use std::collections::BTreeMap;

/// Programs that show links, as they name themselves in `TERM_PROGRAM`.
const PROGRAMS: [&str; 8] =
    ["Hyper", "iTerm.app", "terminology", "WezTerm", "vscode", "ghostty", "zed", "rio"];

/// Terminals that show links, by the beginning of `TERM`.
const TERMS: [&str; 5] = ["xterm-kitty", "alacritty", "foot", "xterm-ghostty", "contour"];

/// Variables that only terminals with links set.
const MARKS: [&str; 4] = ["DOMTERM", "WT_SESSION", "KONSOLE_VERSION", "KITTY_WINDOW_ID"];

/// The first VTE that shows them; 0.50.0 crashed on them.
const VTE: u32 = 5001;

/// Whether a stream shows links: a dumb terminal never, else `FORCE_HYPERLINK` decides (`0` for
/// no, anything else for yes), else whether the stream is a terminal that is known to show them.
pub(super) fn shows_links(variables: &BTreeMap<String, String>, is_terminal: bool) -> bool {
    let value = |name: &str| variables.get(name).map(String::as_str).filter(|v| !v.is_empty());
    if value("TERM") == Some("dumb") {
        return false;
    }
    if let Some(forced) = value("FORCE_HYPERLINK") {
        return forced != "0";
    }
    is_terminal
        && (MARKS.iter().any(|name| value(name).is_some())
            || value("TERM_PROGRAM").is_some_and(|program| PROGRAMS.contains(&program))
            || value("TERM").is_some_and(|term| TERMS.iter().any(|known| term.starts_with(known)))
            || value("COLORTERM") == Some("xfce4-terminal")
            || value("VTE_VERSION").and_then(|v| v.parse().ok()).is_some_and(|v: u32| v >= VTE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_terminals_show_them_and_files_do_not() {
        for (variables, terminal, expected) in [
            ("", true, false),
            ("TERM=xterm-256color", true, false),
            ("TERM=xterm-kitty", true, true),
            ("TERM=xterm-kitty", false, false),
            ("TERM_PROGRAM=iTerm.app", true, true),
            ("TERM_PROGRAM=Apple_Terminal", true, false),
            ("WT_SESSION=1", true, true),
            ("VTE_VERSION=5000", true, false),
            ("VTE_VERSION=7600", true, true),
            ("VTE_VERSION=new", true, false),
            ("WT_SESSION=1 NO_COLOR=1", true, true),
            ("WT_SESSION=1 TERM=dumb", true, false),
            ("FORCE_HYPERLINK=1", false, true),
            ("FORCE_HYPERLINK=0 WT_SESSION=1", true, false),
            ("FORCE_HYPERLINK= WT_SESSION=1", true, true),
            ("FORCE_HYPERLINK=1 TERM=dumb", true, false),
        ] {
            let pairs = variables.split_whitespace().filter_map(|pair| pair.split_once('='));
            let map = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            assert_eq!(shows_links(&map, terminal), expected, "{variables} {terminal}");
        }
    }
}
