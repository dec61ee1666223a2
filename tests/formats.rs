//! Every format of `check`, read by programs and schemas of others.
//!
//! `COMPOSEFIX_READERS` names a Python with the packages `junitparser` and `schemastore`. Without it
//! the trials that need one are ignored; with `COMPOSEFIX_REQUIRE_READERS=1` that is a failure.
//! `COMPOSEFIX_RDFORMAT` names the program of the npm package `@umbrelladocs/rdformat-validator`.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may panic")]

mod formats_support;
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use formats_support::edits::{by_bytes, by_columns, by_offset, edited};
use formats_support::readers::{Readers, rdformat};
use formats_support::{Case, HOSTILE, again, cases, shapes};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use serde_json::{Value, json};
use support::patch::applied;
use support::{Fixture, put};

type Check = fn(&[Case]) -> Result<Completion, String>;

const CHECKS: [(&str, Check); 11] = [
    ("sarif/schema", sarif_schema),
    ("sarif/places", sarif_places),
    ("sarif/edits", edits_agree),
    ("sarif/repairs", edits_repair),
    ("sarif/suppressions", suppressions),
    ("github/commands", github_commands),
    ("gitlab/shape", gitlab_shape),
    ("junit/reader", junit_reader),
    ("rdjson/shape", rdjson_shape),
    ("rdjson/reader", rdjson_reader),
    ("all/links", links),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let listed = if arguments.list { Vec::new() } else { cases() };
    let cases = Arc::new(listed);
    let trial = |(name, check): (&str, Check)| {
        let cases = Arc::clone(&cases);
        Trial::ignorable_test(name, move || check(&cases).map_err(Failed::from))
    };
    libtest_mimic::run(&arguments, CHECKS.into_iter().map(trial).collect()).exit_code()
}

/// Runs a check on each case; a failure names the case.
fn each(cases: &[Case], check: impl Fn(&Case) -> Result<(), String>) -> Result<Completion, String> {
    let failed = cases
        .iter()
        .filter_map(|case| check(case).err().map(|problem| format!("{}: {problem}", case.name)));
    let failed: Vec<String> = failed.take(3).collect();
    if failed.is_empty() { Ok(Completion::Completed) } else { Err(failed.join("\n")) }
}

#[expect(clippy::needless_pass_by_value, reason = "callers compare what they just made")]
fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: T, expected: T) -> Result<(), String> {
    if got == expected { Ok(()) } else { Err(format!("{what}: {got:?} and not {expected:?}")) }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn named<'c>(cases: &'c [Case], name: &str) -> &'c Case {
    cases.iter().find(|case| case.name == name).unwrap()
}

// ---- SARIF

fn sarif_schema(cases: &[Case]) -> Result<Completion, String> {
    let Some(readers) = Readers::find()? else {
        return Ok(Completion::ignored_with("COMPOSEFIX_READERS is not set"));
    };
    let schema = readers.sarif_schema()?;
    let id = schema["$id"].as_str().or(schema["id"].as_str()).unwrap_or_default();
    if !id.ends_with("/sarif-schema-2.1.0.json") {
        return Err(format!("not the schema of OASIS: {id}"));
    }
    let mut bad = named(cases, "hostile").json("sarif");
    bad["runs"][0]["results"][0]["level"] = json!("fatal");
    same("refuses a wrong level", shapes::against(&schema, &bad).is_err(), true)?;
    each(cases, |case| shapes::against(&schema, &case.json("sarif")))
}

/// Regions are whole and exact, marks are there once, and results are the findings.
fn sarif_places(cases: &[Case]) -> Result<Completion, String> {
    each(cases, |case| {
        let (count, suppressed, problems) = case.counts();
        let run = &case.json("sarif")["runs"][0];
        let results = list(&run["results"]);
        same("results", results.len(), count + suppressed)?;
        let invocation = &run["invocations"][0];
        same("success", &invocation["executionSuccessful"], &json!(problems == 0))?;
        let told = list(&invocation["toolExecutionNotifications"]).iter();
        same("problems", told.filter(|n| n["level"] == "error").count(), problems)?;
        let mut marks = BTreeSet::new();
        for (result, finding) in results.iter().zip(list(&case.json("json")["findings"])) {
            let region = &result["locations"][0]["physicalLocation"]["region"];
            let text = &case.files[finding["file"].as_str().unwrap()];
            let bytes = by_columns(text, region);
            same("places", by_offset(text, region), bytes.clone())?;
            let start = finding["span"]["start"]["offset"].as_u64().map(usize::try_from);
            same("start", Some(Ok(bytes.start)), start)?;
            same("lines", &region["startLine"], &region["endLine"])?;
            let part = text.get(bytes).unwrap_or_default();
            same("snippet", region["snippet"]["text"].as_str().unwrap_or_default(), part)?;
            let mark = result["partialFingerprints"]["primaryLocationLineHash"].as_str().unwrap();
            same("a mark of its own", marks.insert(mark.to_owned()), true)?;
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            let rule = &run["tool"]["driver"]["rules"][index]["id"];
            same("rule", rule, &result["ruleId"])?;
        }
        Ok(())
    })
}

/// Characters, offsets and bytes name the same edits, and a single edit is what `apply` writes.
fn edits_agree(cases: &[Case]) -> Result<Completion, String> {
    let (repaired, whole) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let wide = named(cases, "wide").json("sarif");
    same(
        "repairs behind wide characters",
        wide.to_string().matches("deletedRegion").count() > 2,
        true,
    )?;
    each(cases, |case| {
        let sarif = case.json("sarif");
        let (rdjson, report) = (case.json("rdjson"), case.json("json"));
        let findings = list(&report["findings"]).iter();
        let counting = findings.zip(list(&sarif["runs"][0]["results"]));
        let counting = counting.filter(|(finding, _)| finding["suppressed"].is_null());
        let problems = list(&report["problems"]).len();
        for ((finding, result), diagnostic) in
            counting.zip(list(&rdjson["diagnostics"]).iter().skip(problems))
        {
            let changes = list(&result["fixes"][0]["artifactChanges"]);
            let [change] = changes else {
                same("changes in several files", diagnostic.get("suggestions"), None)?;
                continue;
            };
            let text = &case.files[finding["file"].as_str().unwrap()];
            let replacements = list(&change["replacements"]);
            let with = |place: fn(&str, &Value) -> std::ops::Range<usize>| {
                let edits = replacements.iter().map(|r| {
                    let new = r["insertedContent"]["text"].as_str().unwrap().to_owned();
                    (place(text, &r["deletedRegion"]), new)
                });
                edited(text, edits.collect())
            };
            let suggested = list(&diagnostic["suggestions"])
                .iter()
                .map(|s| (by_bytes(text, &s["range"]), s["text"].as_str().unwrap().to_owned()));
            let after = with(by_columns);
            same("offsets", &with(by_offset), &after)?;
            same("bytes", &edited(text, suggested.collect()), &after)?;
            same("an edit that changes something", &after == text, false)?;
            same("the file of the finding", &change["artifactLocation"], {
                &result["locations"][0]["physicalLocation"]["artifactLocation"]
            })?;
            repaired.set(repaired.get() + 1);
            if !case.patch.is_empty() && is_whole(&sarif) {
                let files =
                    case.files.iter().map(|(n, text)| (n.clone(), text.clone().into_bytes()));
                let written = applied(&case.patch, &files.collect())?;
                let name = finding["file"].as_str().unwrap();
                let written =
                    written.get(name).map(|text| String::from_utf8_lossy(text).into_owned());
                same("what `apply` writes", written, Some(after))?;
                whole.set(whole.get() + 1);
            }
        }
        Ok(())
    })?;
    same("repairs are seen", repaired.get() > 100 && whole.get() > 50, true)?;
    Ok(Completion::Completed)
}

/// Each edit alone, with nothing else changed, takes its own finding away.
fn edits_repair(cases: &[Case]) -> Result<Completion, String> {
    let mut tried = 0;
    for fixture in Fixture::all() {
        let case = named(cases, &fixture.name);
        let (sarif, report) = (case.json("sarif"), case.json("json"));
        let results = list(&sarif["runs"][0]["results"]);
        for (finding, result) in list(&report["findings"]).iter().zip(results) {
            let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
            for change in list(&result["fixes"][0]["artifactChanges"]) {
                let name = change["artifactLocation"]["uri"].as_str().unwrap();
                let text = case.files.get(name).ok_or_else(|| format!("{}: {name}", case.name))?;
                let edits = list(&change["replacements"]).iter().map(|r| {
                    let new = r["insertedContent"]["text"].as_str().unwrap().to_owned();
                    (by_columns(text, &r["deletedRegion"]), new)
                });
                files.insert(name.to_owned(), edited(text, edits.collect()).into_bytes());
            }
            if files.is_empty() {
                continue;
            }
            let after = again(&fixture, &files);
            let left = list(&after["findings"]).iter().any(|other| key(other) == key(finding));
            same(&format!("{}: {} is left", case.name, finding["message"]), left, false)?;
            same(&case.name, list(&after["problems"]).len(), 0)?;
            tried += 1;
        }
    }
    same("repairs are seen", tried > 100, true)?;
    Ok(Completion::Completed)
}

/// What makes a finding the same one after an edit.
fn key(finding: &Value) -> [&Value; 4] {
    let (mount, tree) = (&finding["mount"]["target"], &finding["tree"]["target"]);
    [&finding["rule"], &finding["service"], mount, tree]
}

/// True when one and the same edit repairs all that is repaired.
fn is_whole(sarif: &Value) -> bool {
    let fixes = list(&sarif["runs"][0]["results"]).iter().filter_map(|result| result.get("fixes"));
    let edits: BTreeSet<String> = fixes.map(|f| f[0]["artifactChanges"].to_string()).collect();
    edits.len() == 1
}

/// What does not count is in no report as something that does.
fn suppressions(cases: &[Case]) -> Result<Completion, String> {
    let case = named(cases, "suppressed");
    let (count, suppressed, _) = case.counts();
    same("both kinds", count > 0 && suppressed > 1, true)?;
    let sarif = case.json("sarif");
    let kinds = list(&sarif["runs"][0]["results"]).iter().filter_map(|result| {
        let suppression = list(result.get("suppressions")?).first()?;
        let reason = suppression["justification"].as_str()?.to_owned();
        Some((suppression["kind"].as_str()?.to_owned(), reason, result.get("fixes").is_some()))
    });
    let kinds: Vec<_> = kinds.collect();
    same("suppressions", kinds.len(), suppressed)?;
    same("kinds", kinds.iter().map(|(kind, ..)| kind.as_str()).collect::<BTreeSet<_>>(), {
        BTreeSet::from(["inSource", "external"])
    })?;
    let reason = format!("because {HOSTILE}");
    same("reasons", kinds.iter().all(|(_, said, fix)| *said == reason && !fix), true)?;
    same("gitlab", list(&case.json("gitlab")).len(), count)?;
    same("rdjson", list(&case.json("rdjson")["diagnostics"]).len(), count)?;
    same("github", case.said["github"].lines().count(), count)?;
    Ok(Completion::Completed)
}

// ---- GitHub

/// A line as the runner of GitHub Actions takes it apart: command, properties, message.
fn command(line: &str) -> Option<(&str, BTreeMap<&str, String>, String)> {
    let (head, message) = line.strip_prefix("::")?.split_once("::")?;
    let (name, properties) = head.split_once(' ').unwrap_or((head, ""));
    let plain = |text: &str| {
        let text = text.replace("%0D", "\r").replace("%0A", "\n");
        text.replace("%3A", ":").replace("%2C", ",").replace("%25", "%")
    };
    let properties = properties.split(',').filter_map(|pair| pair.split_once('='));
    let properties = properties.map(|(name, value)| (name, plain(value))).collect();
    Some((name, properties, message.to_owned()))
}

fn github_commands(cases: &[Case]) -> Result<Completion, String> {
    each(cases, |case| {
        let (count, _, problems) = case.counts();
        let said = &case.said["github"];
        let bare = said.chars().find(|c| c.is_control() && *c != '\n');
        same("control characters", bare, None)?;
        let lines: Vec<&str> = said.split_terminator('\n').collect();
        same("commands", lines.len(), count + problems)?;
        let report = case.json("json");
        let counting = list(&report["findings"]).iter().filter(|f| f["suppressed"].is_null());
        for (line, finding) in lines.iter().skip(problems).zip(counting) {
            let (name, properties, message) = command(line).ok_or("no command")?;
            let word = match finding["severity"].as_str().unwrap() {
                "note" => "notice",
                other => other,
            };
            same("severity", name, word)?;
            let keys: Vec<&str> = properties.keys().copied().collect();
            same("properties", keys, vec!["col", "endColumn", "endLine", "file", "line", "title"])?;
            let start = &finding["span"]["start"];
            same("line", &properties["line"], &start["line"].to_string())?;
            same("column", &properties["col"], &start["column"].to_string())?;
            same("lines", &properties["line"], &properties["endLine"])?;
            same("line breaks", message.contains(['\r', '\n']), false)?;
        }
        for line in lines.iter().take(problems) {
            same("severity", command(line).ok_or("no command")?.0, "error")?;
        }
        Ok(())
    })
}

// ---- GitLab

fn gitlab_shape(cases: &[Case]) -> Result<Completion, String> {
    each(cases, |case| {
        let report = case.json("gitlab");
        shapes::against(&shapes::gitlab(), &report)?;
        let (count, _, problems) = case.counts();
        same("entries", list(&report).len(), count + problems)?;
        let marks: BTreeSet<String> =
            list(&report).iter().map(|e| e["fingerprint"].to_string()).collect();
        same("marks", marks.len(), count + problems)?;
        let blocking = list(&report).iter().filter(|e| e["severity"] == "blocker").count();
        same("problems", blocking, problems)
    })
}

// ---- JUnit

fn junit_reader(cases: &[Case]) -> Result<Completion, String> {
    let Some(readers) = Readers::find()? else {
        return Ok(Completion::ignored_with("COMPOSEFIX_READERS is not set"));
    };
    let (_place, paths) = laid_out(cases, "junit");
    let read = readers.junit(&paths)?;
    let read: BTreeMap<&str, &Value> =
        cases.iter().zip(&read).map(|(case, read)| (case.name.as_str(), read)).collect();
    each(cases, |case| {
        let (count, suppressed, problems) = case.counts();
        let read = read[case.name.as_str()];
        let report = case.json("json");
        let mut sum = [0; 4];
        for suite in list(&read["suites"]) {
            same("counts", &suite["written"], &suite["counted"])?;
            for (sum, number) in sum.iter_mut().zip(list(&suite["written"])) {
                *sum += number.as_u64().unwrap();
            }
        }
        same("sums", &json!(sum), &read["stated"])?;
        let cases = || list(&read["suites"]).iter().flat_map(|suite| list(&suite["cases"]));
        let with = |kind: &str| cases().filter(|c| c["results"][0][0] == kind).count();
        let findings = list(&report["findings"]).iter();
        let failing = findings.filter(|f| f["suppressed"].is_null() && f["severity"] != "note");
        same("failures", with("failure"), failing.count())?;
        same("errors", with("error"), problems)?;
        let told = cases().filter(|c| c["name"] != "no findings").count();
        same("cases", told, count + suppressed + problems)?;
        let skipped = cases().filter(|c| c["results"][0][0] == "skipped");
        let reasons = skipped.filter(|c| c["name"] != "no findings");
        same("skipped", reasons.count(), suppressed)
    })
}

/// The reports of a format, each in a file of its own.
fn laid_out(cases: &[Case], format: &str) -> (tempfile::TempDir, Vec<PathBuf>) {
    let place = tempfile::tempdir().unwrap();
    let paths = cases.iter().map(|case| {
        let path = place.path().join(format!("{}.{format}", case.name));
        put(&path, case.said[format].as_bytes());
        path
    });
    let paths = paths.collect();
    (place, paths)
}

// ---- reviewdog

fn rdjson_shape(cases: &[Case]) -> Result<Completion, String> {
    each(cases, |case| {
        let report = case.json("rdjson");
        shapes::against(&shapes::rdjson(), &report)?;
        let (count, _, problems) = case.counts();
        let diagnostics = list(&report["diagnostics"]);
        same("diagnostics", diagnostics.len(), count + problems)?;
        let json = case.json("json");
        let counting = list(&json["findings"]).iter().filter(|f| f["suppressed"].is_null());
        for (diagnostic, finding) in diagnostics.iter().skip(problems).zip(counting) {
            let text = &case.files[finding["file"].as_str().unwrap()];
            let start = by_bytes(text, &diagnostic["location"]["range"]).start;
            same("start", &json!(start), &finding["span"]["start"]["offset"])?;
        }
        Ok(())
    })
}

fn rdjson_reader(cases: &[Case]) -> Result<Completion, String> {
    let (_place, paths) = laid_out(cases, "rdjson");
    match rdformat(&paths) {
        Some(Ok(())) => Ok(Completion::Completed),
        Some(Err(problem)) => Err(problem),
        None => Ok(Completion::ignored_with("COMPOSEFIX_RDFORMAT is not set")),
    }
}

// ---- paths

/// A file that is named through a link is reported where it really lies, from the repository's root.
fn links(cases: &[Case]) -> Result<Completion, String> {
    if !cfg!(unix) {
        return Ok(Completion::ignored_with("no links here"));
    }
    let case = named(cases, "hostile");
    let report = case.json("json");
    let names: BTreeSet<&str> =
        list(&report["findings"]).iter().map(|f| f["file"].as_str().unwrap()).collect();
    same("named through the link, too", names.contains("link.yaml") && names.len() == 2, true)?;
    let sarif = case.json("sarif");
    let places = list(&sarif["runs"][0]["results"]).iter();
    let uris: BTreeSet<&str> = places
        .map(|r| &r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
        .filter_map(Value::as_str)
        .collect();
    same("one place", uris.len(), 1)?;
    let uri = uris.first().copied().unwrap_or_default();
    same("from the root", uri.starts_with("sub%20%C3%A9%2520%23/%C3%A9%E6%97%A5"), true)?;
    same("encoded", uri.is_ascii() && !uri.contains(['\n', ' ', '<', '"']), true)?;
    for line in case.said["github"].lines().filter(|line| line.starts_with("::warning")) {
        let file = command(line).ok_or("no command")?.1["file"].clone();
        same("github", file.starts_with("sub é%20#/é日"), true)?;
    }
    let gitlab = case.json("gitlab");
    let warnings = list(&gitlab).iter().filter(|e| e["severity"] != "blocker");
    let paths: BTreeSet<String> = warnings.map(|e| e["location"]["path"].to_string()).collect();
    same("gitlab", paths.len(), 1)?;
    Ok(Completion::Completed)
}
