//! Builds of which nothing can be known, and files that nobody would write.

use proptest::prelude::*;

use super::*;

fn reason(compose: &str, files: &[(&str, &str)]) -> String {
    built(compose, files).image().map(|_| ()).unwrap_err().to_owned()
}

#[test]
fn builds_that_tell_nothing_say_why() {
    let simple = "services: {web: {build: .}}";
    let long = "FROM node:22\n".repeat(100_000);
    for (compose, text, part) in [
        ("services: {web: {image: x}}", "FROM a\n", "builds no image"),
        ("services: {web: {build: 'https://github.com/a/b.git'}}", "FROM a\n", "no directory"),
        ("services: {web: {build: 'git@github.com:a/b.git'}}", "FROM a\n", "no directory"),
        ("services: {web: {build: '../other'}}", "FROM a\n", "outside the repository"),
        (
            "services: {web: {build: {context: ., dockerfile: ../x/Dockerfile}}}",
            "FROM a\n",
            "outside",
        ),
        ("services: {web: {build: {context: ., dockerfile: none}}}", "FROM a\n", "cannot be read"),
        (
            "services: {web: {build: {context: '${WHERE}'}}}",
            "FROM a\n",
            "`WHERE`, which is not set",
        ),
        ("services: {web: {build: {context: ., target: dev}}}", "FROM a\n", "no stage `dev`"),
        (simple, "", "no `FROM`"),
        (simple, "RUN a\nFROM a\n", "line 1"),
        (simple, "FROM a\nRNU b\n", "line 2: there is no instruction `RNU`"),
        (simple, "FROM a\nRUN <<EOF\nb\n", "`EOF` is never reached"),
        (simple, &long, "cannot be read: larger than"),
    ] {
        let reason = reason(compose, &[("Dockerfile", text)]);
        assert!(reason.contains(part), "{compose}: {reason}");
    }
}

#[test]
fn a_dockerfile_may_stand_in_the_compose_file_or_have_another_name() {
    let inline = "services:\n  web:\n    build:\n      context: .\n      dockerfile_inline: |\n        FROM node:22\n        USER node\n";
    let inline = built(inline, &[]);
    let image = inline.image().unwrap();
    assert_eq!((image.base(), image.file.as_deref()), (Some("node:22"), None));
    let other = "services: {web: {build: {context: ., dockerfile: docker/dev.Dockerfile}}}";
    let ignore = ("docker/dev.Dockerfile.dockerignore", "node_modules");
    let files = [("docker/dev.Dockerfile", "FROM node:22\nCOPY . /app\n"), ignore];
    let other = built(other, &files);
    assert_eq!(content(&other, "/app/node_modules", "node-modules"), "absent");
    let file = other.image().unwrap().file.clone();
    assert_eq!(file.as_deref(), Some(Path::new("/p/docker/dev.Dockerfile")));
}

#[test]
fn a_name_of_another_context_is_no_stage() {
    let compose = "services: {web: {build: {context: ., additional_contexts: [base=./x]}}}";
    let built = built(compose, &[("Dockerfile", "FROM node:22 AS base\nUSER node\nFROM base\n")]);
    assert_eq!(built.image().unwrap().user(), User::Unknown);
}

#[test]
fn stages_that_copy_from_each_other_end() {
    use std::fmt::Write as _;
    let mut file =
        String::from("FROM node:22 AS s0\nWORKDIR /app\nCOPY package.json .\nRUN npm ci\n");
    for stage in 1..150 {
        let before = stage - 1;
        let copy = format!("COPY --from=s{before} /app /app\n").repeat(3);
        write!(file, "FROM node:22 AS s{stage}\n{copy}").unwrap();
    }
    let built = image_of(&file);
    assert_eq!(content(&built, "/app/node_modules", "node-modules"), "unknown");
    let image = built.image().unwrap();
    assert_eq!(image.holds_source("/app", Path::new("/p")), Content::Unknown);
    let deep = "(".repeat(50_000) + "$(" + &"sh -c '".repeat(1000) + &"${A:-".repeat(20_000);
    let built = image_of(&format!("FROM node:22\nRUN {deep}\nENV A={deep}\nWORKDIR {deep}\n"));
    assert!(built.image().is_ok());
}

const SAMPLE: &str = "# escape=\\\nARG V=1\nFROM node:${V} AS a\nENV A=b\nWORKDIR /app\nCOPY --chown=node package*.json ./\n\
    RUN --mount=type=cache,target=/c set -e; cd /app && (npm ci || exit 1) && chown -R node:node . \\\n  && rm -rf /tmp/*\n\
    RUN <<EOF\nif true; then mkdir -p /x; fi\nEOF\nVOLUME [\"/d\"]\nFROM a\nCOPY --from=a /app /app\nUSER node\nCMD [\"x\"]\n";

fn ask(text: &str) {
    let built = with_ignore(text, text);
    let Ok(image) = built.image() else { return };
    let rules = rules();
    for path in ["/app/node_modules", "/app", "/"] {
        let kind = rules.tree("node-modules").unwrap();
        let _ = image.content(path, kind);
        let _ = image.holds_source(path, Path::new("/p"));
        let _ = image.writable(path, Some(kind), &image.user());
    }
    let _ = (image.base(), image.command_words(), image.workdir(), image.declares_volume("/d"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn changed_files_never_end_the_program(
        cuts in prop::collection::vec((0..600_usize, 0..20_usize, "[ \\\\\n\"'$(){}<&|;#=*/a-zé\u{0}-]{0,6}"), 1..8)
    ) {
        let mut text: Vec<char> = SAMPLE.chars().collect();
        for (at, length, put) in cuts {
            let at = at.min(text.len());
            let end = (at + length).min(text.len());
            text.splice(at..end, put.chars());
        }
        ask(&text.into_iter().collect::<String>());
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(FROM|RUN|COPY|ENV|\\PC|\n| ){0,60}") {
        ask(&text);
    }
}
