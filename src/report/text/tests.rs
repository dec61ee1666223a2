use super::*;
use crate::report::{CheckedFile, NotJudged, sample};

fn drawn(report: &Report) -> String {
    render(report, Style::default())
}

#[test]
fn a_finding_looks_like_this() {
    let expected = "\
warning[slow-tree]

  ⚠ web: `./` holds 41,230 files under node_modules and is bind-mounted to /app; each file is
  │ opened across a virtual machine
   ╭─[compose.yaml:4:9]
 4 │       - ./:/app
   ·         ───┬───
   ·            ╰── covers node_modules, 41,230 files
   ╰────
  help: fix available with `composefix apply`: mount a volume over node_modules
        - run `npm ci` once in the container

1 finding (1 warning), 1 fixable
";
    assert_eq!(drawn(&sample::report(Applicability::Safe)), expected);
}

#[test]
fn without_unicode_it_is_ascii() {
    let style = Style { unicode: false, ..Style::default() };
    let text = render(&sample::full_report(), style);
    assert!(text.is_ascii(), "{text}");
    assert!(text.contains(",-[compose.yaml:4:9]"), "{text}");
}

#[test]
fn colour_changes_nothing_else() {
    let report = sample::full_report();
    let coloured = render(&report, Style { colour: true, ..Style::default() });
    assert!(coloured.contains("\u{1b}[33m"), "{coloured:?}");
    assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), drawn(&report));
}

#[test]
fn the_id_of_a_rule_leads_to_its_page() {
    let report = sample::report(Applicability::Safe);
    let page = |rule: &str| Some(format!("https://git.example/{rule}.md"));
    let links = Style { links: true, ..Style::default() };
    let link = "\u{1b}]8;;https://git.example/slow-tree.md\u{1b}\\slow-tree\u{1b}]8;;\u{1b}\\";
    for colour in [false, true] {
        let style = Style { colour, ..links };
        let text = render_with(&report, style, page);
        assert!(text.contains(&format!("warning[{link}]")), "{text:?}");
        assert_eq!(
            text.replace(link, "slow-tree"),
            render(&report, Style { links: false, ..style })
        );
    }
    assert_eq!(render_with(&report, links, |_| None), drawn(&report));
    assert_eq!(render_with(&report, Style::default(), page), drawn(&report));
}

#[test]
fn the_promise_of_a_fix_decides_what_to_do() {
    for (applicability, words) in [
        (Applicability::Safe, "help: fix available with `composefix apply`: mount"),
        (Applicability::Unsafe, "help: fix available with `composefix apply --unsafe`: mount"),
        (Applicability::Manual, "help: by hand: mount"),
    ] {
        let text = drawn(&sample::report(applicability));
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn it_tells_when_a_finding_does_not_hold_everywhere() {
    let mut report = sample::report(Applicability::Safe);
    report.platforms.push("windows-wsl2-drive".to_owned());
    let text = drawn(&report);
    assert!(text.contains("\n        - holds for macos-virtiofs only\n"), "{text}");
}

#[test]
fn advice_stands_where_no_fix_is() {
    let text = drawn(&sample::full_report());
    assert!(text.contains("\n  help: by hand: remove one of them\n"), "{text}");
}

#[test]
fn long_notes_are_indented_alike() {
    let mut report = sample::report(Applicability::Unsafe);
    let fix = report.findings[0].finding.fix.as_mut().unwrap();
    fix.notes = vec!["a few words that say more than one line of this width can hold".to_owned()];
    let text = render(&report, Style { width: 50, ..Style::default() });
    let expected =
        "        - a few words that say more than one\n          line of this width can hold\n";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn problems_look_like_this() {
    let text = render_problems(&sample::full_report(), Style::default());
    let expected = "\
error

  × `]` is missing
   ╭─[x.yaml:2:1]
 2 │ b: ü
   · ─
   ╰────
  help: close the list

error

  × gone.yaml: cannot read: no such file

error

  × no Compose file

";
    assert_eq!(text, expected);
    assert_eq!(render_problems(&Report::default(), Style::default()), "");
}

#[test]
fn the_summary_counts_what_matters() {
    let mut report = sample::full_report();
    assert_eq!(
        summary(&report),
        "2 findings (1 error, 1 warning), 1 fixable with --unsafe, 1 not judged (-v tells why), \
         3 problems"
    );
    report.findings.push(sample::report(Applicability::Safe).findings.remove(0));
    assert!(summary(&report).contains(", 1 fixable, 1 more with --unsafe,"));
    report.findings[1].finding.severity = Severity::Note;
    assert!(summary(&report).starts_with("3 findings (2 warnings, 1 note)"));
    let file = |path: &str| CheckedFile { path: path.to_owned(), ok: true };
    let clean = Report { files: vec![file("a"), file("b")], ..Report::default() };
    assert_eq!(drawn(&clean), "no findings in 2 files\n");
    let quiet = Style { quiet: true, ..Style::default() };
    assert_eq!(render(&clean, quiet), "");
    assert!(!render(&report, quiet).contains("3 findings"));
}

#[test]
fn labels_say_how_the_size_is_known() {
    let mut tree = sample::slow_tree(Applicability::Safe).tree.unwrap();
    tree.facts.at_least = true;
    assert_eq!(covers(&tree), "covers node_modules, 41,230 files or more");
    tree.facts.evidence = Evidence::LockFile;
    assert_eq!(covers(&tree), "covers node_modules, about 41,230 files");
    tree.facts.files = None;
    tree.facts.path = ".".to_owned();
    assert_eq!(covers(&tree), "covers node-modules");
}

/// A report whose finding is at `part` of `text`.
fn at(text: &str, part: &str) -> Report {
    let mut report = sample::report(Applicability::Safe);
    report.sources.insert("compose.yaml".to_owned(), Source::new("compose.yaml", text));
    report.findings[0].span = sample::span(text, part);
    report
}

#[test]
fn hostile_text_is_shown_and_not_obeyed() {
    let text = "a\u{1b}[2J: \u{202e}x\u{1b}]0;y\u{7} # \u{9b}1m\r\nnext: 1\r\n";
    let mut report = at(text, "\u{202e}x\u{1b}]0;y\u{7}");
    let finding = &mut report.findings[0].finding;
    finding.message = "m\u{1b}[1m\nx".to_owned();
    finding.tree.as_mut().unwrap().facts.path = "p\u{1b}[1m".to_owned();
    let fix = finding.fix.as_mut().unwrap();
    fix.title = "t\u{1b}[1m".to_owned();
    fix.notes = vec!["n\u{1b}[1m\nq".to_owned()];
    report.not_judged = vec![NotJudged {
        file: "f\u{1b}".to_owned(),
        span: Span::default(),
        service: None,
        message: "\u{1b}".to_owned(),
    }];
    report.problems = vec![
        Problem::of_file("f\u{1b}[1m", "m\u{1b}[1m").with_help("h\u{1b}[1m"),
        Problem::at("compose.yaml", Span::new(0, 3), "z\u{1b}[1m"),
    ];
    let text = drawn(&report) + &render_problems(&report, Style::default());
    let hidden = |c: char| c != '\n' && super::super::visible::is_hidden(c);
    assert!(!text.contains(hidden), "{text:?}");
    assert!(text.contains("a\\u{1b}[2J: \\u{202e}x\\u{1b}]0;y\\u{7} # \\u{9b}1m\n"), "{text}");
    assert!(text.contains("m\\u{1b}[1m\\nx") && text.contains("p\\u{1b}[1m"), "{text}");
    assert!(text.contains("[compose.yaml:1:8]"), "{text}");
}

#[test]
fn a_mount_of_several_lines_is_shown_whole() {
    let text = "v:\n  - type: bind\n    source: .\n    target: /app\n  - x\n";
    let text = drawn(&at(text, "type: bind\n    source: .\n    target: /app"));
    for line in
        [" 2 │ ╭─▶   - type: bind\n", " 3 │ │       source: .\n", " 4 │ ├─▶     target: /app\n"]
    {
        assert!(text.contains(line), "{text}");
    }
    assert!(!text.contains("- x"), "{text}");
}

#[test]
fn long_texts_are_cut() {
    let long = format!(
        "{{\"a\": \"{}\", \"v\": [\".:/app\"], \"z\": \"{}\"}}",
        "x".repeat(5_000),
        "y".repeat(5_000)
    );
    let text = drawn(&at(&long, ".:/app"));
    assert!(text.lines().all(|line| line.chars().count() < 200), "{text}");
    assert!(text.contains("\".:/app\"], ") && text.contains("[compose.yaml:1:5018]"), "{text}");
    let list = "- a\n".repeat(100);
    let text = drawn(&at(&list, &list));
    assert!(text.lines().count() < 20, "{text}");
    let scalar = "ü".repeat(1_000);
    let text = drawn(&at(&scalar, &scalar));
    assert!(text.lines().all(|line| line.chars().count() < 200), "{text}");
}

#[test]
fn odd_places_do_no_harm() {
    let mut report = sample::report(Applicability::Safe);
    for span in [
        Span::at(0),
        Span::at(999),
        Span::new(5, 3),
        Span::new(0, 999),
        Span::at(sample::TEXT.len()),
    ] {
        report.findings[0].span = span;
        assert!(drawn(&report).contains("[compose.yaml:"), "{span:?}");
    }
    let report = at("\u{feff}a: ./:/app", "./:/app");
    assert!(drawn(&report).contains(" 1 │ a: ./:/app\n   ·    ───┬───\n"), "{}", drawn(&report));
    let mut report = at("", "");
    assert!(drawn(&report).contains("[compose.yaml:1:1]"));
    report.sources.clear();
    assert!(drawn(&report).contains("⚠ compose.yaml: web: `./` holds"), "{}", drawn(&report));
}
