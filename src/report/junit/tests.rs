use super::*;
use crate::finding::Applicability;
use crate::report::{CheckedFile, SuppressedBy, Suppression, sample};

#[test]
fn the_report_is_exactly_this() {
    let mut report = sample::full_report();
    report.files.push(CheckedFile { path: "clean.yaml".to_owned(), ok: true });
    report.files.push(CheckedFile { path: "left.yaml".to_owned(), ok: false });
    let expected = "\
<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<testsuites name=\"composefix\" tests=\"7\" failures=\"2\" errors=\"3\" skipped=\"1\">
  <testsuite name=\"clean.yaml\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\">
    <testcase name=\"no findings\" classname=\"clean.yaml\" file=\"clean.yaml\"/>
  </testsuite>
  <testsuite name=\"compose.yaml\" tests=\"2\" failures=\"2\" errors=\"0\" skipped=\"0\">
    <testcase name=\"slow-tree: web /app/node_modules\" classname=\"compose.yaml\" file=\"compose.yaml\" line=\"4\">
      <failure type=\"slow-tree\" message=\"web: `./` holds 41,230 files under node_modules and is \
bind-mounted to /app; each file is opened across a virtual machine\">compose.yaml:4:9: warning: web: \
`./` holds 41,230 files under node_modules and is bind-mounted to /app; each file is opened across a \
virtual machine
fix available with `composefix apply --unsafe`: mount a volume over node_modules
run `npm ci` once in the container</failure>
    </testcase>
    <testcase name=\"duplicate-target: web /app\" classname=\"compose.yaml\" file=\"compose.yaml\" line=\"5\">
      <failure type=\"duplicate-target\" message=\"web: two mounts on /app/x\">compose.yaml:5:9: error: \
web: two mounts on /app/x
by hand: remove one of them</failure>
    </testcase>
  </testsuite>
  <testsuite name=\"composefix\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">
    <testcase name=\"can be checked\" classname=\"composefix\">
      <error type=\"problem\" message=\"no Compose file\">no Compose file</error>
    </testcase>
  </testsuite>
  <testsuite name=\"gone.yaml\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">
    <testcase name=\"can be checked\" classname=\"gone.yaml\" file=\"gone.yaml\">
      <error type=\"problem\" message=\"cannot read: no such file\">gone.yaml: cannot read: no such file</error>
    </testcase>
  </testsuite>
  <testsuite name=\"left.yaml\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\">
    <testcase name=\"no findings\" classname=\"left.yaml\" file=\"left.yaml\">
      <skipped message=\"its project could not be checked\"/>
    </testcase>
  </testsuite>
  <testsuite name=\"x.yaml\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">
    <testcase name=\"can be checked\" classname=\"x.yaml\" file=\"x.yaml\" line=\"2\">
      <error type=\"problem\" message=\"`]` is missing\">x.yaml:2:1: `]` is missing; close the list</error>
    </testcase>
  </testsuite>
</testsuites>
";
    assert_eq!(render(&report), expected);
}

#[test]
fn what_fails_the_run_is_a_failure_and_what_does_not_count_is_skipped() {
    let mut report = sample::report(Applicability::Safe);
    let failures = |report: &Report| render(report).matches("<failure").count();
    assert_eq!(failures(&report), 1);
    report.findings[0].fails = false;
    assert_eq!(failures(&report), 0);
    assert!(render(&report).contains("<system-out>compose.yaml:4:9: warning: web:"));
    let reason = "\"known\"".to_owned();
    report.findings[0].suppressed = Some(Suppression { by: SuppressedBy::Comment, reason });
    let text = render(&report);
    assert!(text.contains("<skipped message=\"&quot;known&quot;\"/>"), "{text}");
    assert!(!text.contains("<failure"), "{text}");
}

#[test]
fn nothing_is_left_that_xml_cannot_hold() {
    let all: String = ('\0'..=char::MAX).filter(|c| u32::from(*c) % 97 == 0 || *c < 'A').collect();
    let text = escaped(&format!("{all}\u{fffe}\u{ffff}]]>"));
    let allowed = |c: char| matches!(c, ' '..='\u{fffd}' | '\u{10000}'..);
    assert!(text.chars().all(allowed), "{text}");
    assert!(!text.contains(['<', '>', '"', '\'']), "{text}");
    assert!(text.ends_with("\\u{fffe}\\u{ffff}]]&gt;"), "{text}");
}
