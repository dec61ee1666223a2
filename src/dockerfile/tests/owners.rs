//! Who runs, and who may write where.

use super::*;

fn user(file: &str) -> User {
    image_of(file).image().unwrap().user()
}

/// `yes`, `no` or `unknown` for the image's own user.
fn writable(file: &str, path: &str) -> &'static str {
    let built = image_of(file);
    let image = built.image().unwrap();
    let rules = rules();
    match image.writable(path, rules.tree("node-modules"), &image.user()) {
        Access::Yes { .. } => "yes",
        Access::No { .. } => "no",
        Access::Unknown => "unknown",
    }
}

#[test]
fn users() {
    let named = |name: &str, uid| User::Named { name: name.to_owned(), uid };
    assert_eq!(user("FROM node:22\n"), User::Root);
    assert_eq!(user("FROM docker.io/library/node:22\nUSER node\n"), named("node", Some(1000)));
    assert_eq!(user("FROM node:22\nUSER 1000:1000\n"), named("1000", Some(1000)));
    assert_eq!(user("FROM node:22\nUSER 0\n"), User::Root);
    assert_eq!(user("FROM php\nUSER www-data\n"), named("www-data", None));
    assert_eq!(user("FROM corp/x\n"), User::Unknown);
    assert_eq!(user("FROM corp/x AS a\nUSER root\nFROM a\n"), User::Root);
    assert_eq!(user("FROM php\nARG U=app\nUSER ${U}\n"), named("app", None));
    assert_eq!(user("FROM php\nUSER $NOBODY_SET\n"), User::Unknown);
    let created = "FROM debian\nARG ID=1234\nRUN useradd -m -u $ID -s /bin/sh app\nUSER app\n";
    assert_eq!(user(created), named("app", Some(1234)));
}

#[test]
fn owners() {
    let start = "FROM node:22\nWORKDIR /app\n";
    for (rest, expected) in [
        ("USER node\n", "no"),
        ("RUN mkdir node_modules\nUSER node\n", "no"),
        ("RUN mkdir node_modules && chown node:node node_modules\nUSER node\n", "yes"),
        ("RUN mkdir node_modules && chown node:node node_modules\nUSER 1000\n", "yes"),
        ("RUN chown -R node:node /app\nUSER node\n", "no"),
        ("COPY package.json .\nRUN npm ci\nRUN chown -R node /app\nUSER node\n", "yes"),
        ("COPY package.json .\nRUN npm ci\nUSER node\n", "no"),
        ("COPY package.json .\nRUN npm ci\nRUN chown node node_modules\nUSER node\n", "unknown"),
        ("RUN chown node .\nUSER node\nCOPY --chown=node package.json .\nRUN npm ci\n", "yes"),
        ("USER node\nRUN mkdir -p /app/node_modules\n", "yes"),
        ("RUN install -d -o node -g node node_modules\nUSER node\n", "yes"),
        ("COPY --chown=node node_modules ./node_modules\nUSER node\n", "yes"),
        ("COPY package.json .\nRUN npm ci && chmod -R 777 .\nUSER node\n", "yes"),
        ("RUN mkdir node_modules && chown $WHO node_modules\nUSER node\n", "unknown"),
        ("COPY package.json .\nRUN npm ci\n", "yes"),
        ("COPY . .\nUSER node\n", "unknown"),
        ("RUN ./setup.sh\nUSER node\n", "unknown"),
        ("RUN if true; then mkdir node_modules; fi\nUSER node\n", "unknown"),
    ] {
        assert_eq!(writable(&format!("{start}{rest}"), "/app/node_modules"), expected, "{rest}");
    }
    assert_eq!(writable("FROM corp/x\nUSER app\n", "/app/node_modules"), "unknown");
    assert_eq!(writable("FROM node\nUSER node\nWORKDIR /app\n", "/app"), "yes");
    assert_eq!(writable("FROM node\nWORKDIR /app\nUSER node\n", "/app"), "no");
    let html = "FROM php:8-fpm\nWORKDIR /var/www/html\nUSER www-data\n";
    assert_eq!(writable(html, "/var/www/html"), "unknown");
}

#[test]
fn a_copy_between_stages_keeps_root_and_is_else_not_known() {
    let start = "FROM node:22 AS deps\nWORKDIR /app\nCOPY package.json .\n";
    let end = "FROM node:22\nWORKDIR /app\nCOPY --from=deps";
    let root = format!("{start}RUN npm ci\n{end} /app/node_modules node_modules\nUSER node\n");
    assert_eq!(writable(&root, "/app/node_modules"), "no");
    let node = format!(
        "{start}RUN chown node .\nUSER node\nRUN npm ci\n{end} /app/node_modules node_modules\nUSER node\n"
    );
    assert_eq!(writable(&node, "/app/node_modules"), "unknown");
    let given = format!(
        "{start}RUN npm ci\n{end} --chown=node:node /app/node_modules node_modules\nUSER node\n"
    );
    assert_eq!(writable(&given, "/app/node_modules"), "yes");
}

#[test]
fn what_a_container_starts_with() {
    let built = image_of(
        "FROM php AS a\nENV A=1 B=\"two words\"\nENV OLD is all this\nCMD [\"x\"]\nENTRYPOINT [\"run\", \"it\"]\n\
         VOLUME [\"/data\", \"/more\"]\nFROM a\nCMD serve --port $PORT\n",
    );
    let image = built.image().unwrap();
    assert_eq!(image.command_words(), ["run", "it", "serve", "--port", "$PORT"]);
    assert_eq!((image.env("A"), image.env("B")), (Some("1"), Some("two words")));
    assert_eq!((image.env("OLD"), image.env("C")), (Some("is all this"), None));
    assert!(image.declares_volume("/data/x") && !image.declares_volume("/dat"));
    assert_eq!(image.volumes().collect::<Vec<_>>(), ["/data", "/more"]);
    let reset = image_of("FROM php\nCMD [\"x\"]\nENTRYPOINT [\"run\"]\n");
    assert_eq!(reset.image().unwrap().command_words(), ["run"]);
}
