//! Projects that ask much of loading, each from a number: few services and few targets, so that
//! files, documents, `extends`, `include`, merge keys and tags meet on the same mounts.

use std::collections::BTreeMap;

use super::dice::{Dice, smaller};

/// A project, the flags to load it with and the variables of the process.
#[derive(Debug, Clone)]
pub(crate) struct Jumble {
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) flags: Vec<String>,
    pub(crate) variables: BTreeMap<String, String>,
}

impl Jumble {
    /// Every project that has a little less in it.
    pub(crate) fn parts(&self) -> Vec<Self> {
        let parts = smaller(&self.files).into_iter();
        parts.map(|files| Self { files, ..self.clone() }).collect()
    }
}

/// The project of a number.
pub(crate) fn jumble(seed: u64) -> Jumble {
    let mut maker = Maker { dice: Dice::new(seed, 0xc0de), volume: "" };
    maker.volume = maker.dice.pick(&["", " {}", " ~", " {driver: local}"]);
    let mut files = BTreeMap::new();
    let mut flags: Vec<String> = Vec::new();
    let mut variables = BTreeMap::new();
    let file = |maker: &mut Maker, role| {
        let mut text = maker.document(role);
        if maker.dice.chance(15) {
            let second = if role == Role::Main { Role::Over } else { role };
            text = format!("{text}---\n{}", maker.document(second));
        }
        text
    };
    files.insert("compose.yaml".to_owned(), file(&mut maker, Role::Main));
    for (name, role) in [
        ("ext/base.yaml", Role::Extended),
        ("ext/mid.yaml", Role::Middle),
        ("inc/one.yaml", Role::Included),
        ("inc/two.yaml", Role::Included),
        ("inc/over.yaml", Role::Over),
    ] {
        files.insert(name.to_owned(), file(&mut maker, role));
    }
    match maker.dice.below(4) {
        0 => {
            let name = maker.dice.pick(&["compose.override.yaml", "docker-compose.override.yml"]);
            files.insert(name.to_owned(), file(&mut maker, Role::Over));
        }
        1 => {
            files.insert("sub/more.yaml".to_owned(), file(&mut maker, Role::Over));
            flags.extend(["-f", "compose.yaml", "-f", "sub/more.yaml"].map(str::to_owned));
        }
        _ => {}
    }
    for (percent, name, text) in [
        (40, ".env", "SRC=./env\nDST=\"/b\" # target\nexport MODE='ro'\nITEM=${SRC}:/c:$MODE\n"),
        (30, "inc/.env", "SRC=./inc-env\nDST=/a\nTAG=$DST\n"),
        (30, "inc/e.env", "SRC=d1\n"),
    ] {
        if maker.dice.chance(percent) {
            files.insert(name.to_owned(), text.to_owned());
        }
    }
    for (percent, name, value) in [
        (15, "DST", "/a/"),
        (10, "SRC", ""),
        (10, "COMPOSE_PROFILES", "q, p"),
        (5, "COMPOSE_PROJECT_NAME", "named"),
    ] {
        if maker.dice.chance(percent) {
            variables.insert(name.to_owned(), value.to_owned());
        }
    }
    if maker.dice.chance(30) {
        let profile = maker.dice.pick(&["p", "q", "*"]);
        flags.extend(["--profile", profile].map(str::to_owned));
    }
    if maker.dice.chance(10) {
        flags.extend(["--project-directory", "sub"].map(str::to_owned));
    }
    files.insert("sub/keep".to_owned(), String::new());
    Jumble { files, flags, variables }
}

/// What a file is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Main,
    Over,
    Included,
    /// Extended by main files, and extends `base.yaml`.
    Middle,
    Extended,
}

struct Maker {
    dice: Dice,
    /// What stands behind the name of a declared volume: what is included must say the same.
    volume: &'static str,
}

impl Maker {
    fn document(&mut self, role: Role) -> String {
        let mut text: Vec<String> = Vec::new();
        if role == Role::Main && self.dice.chance(10) {
            text.push(self.dice.pick(&["name: given\n", "name: ${N:-Di rect}\n"]).to_owned());
        }
        let list = self.list();
        text.push(format!("x-list: &list [{list}]\n"));
        let (one, two) = (self.list(), self.list());
        text.push(format!("x-one: &one {{volumes: [{one}], tmpfs: /one}}\n"));
        text.push(format!("x-two: &two {{volumes: [{two}], image: two, profiles: [p]}}\n"));
        if role == Role::Main && self.dice.chance(45) {
            text.push(
                self.dice.pick(&[
                    "include: [inc/one.yaml]\n",
                    "include: [inc/one.yaml, inc/two.yaml]\n",
                    "include:\n  - path: inc/two.yaml\n    env_file: inc/e.env\n",
                    "include:\n  - path: [inc/one.yaml, inc/over.yaml]\n    project_directory: .\n",
                    "include:\n  - path: inc/one.yaml\n    project_directory: ${IP:-sub}\n",
                    "include:\n  - inc/one.yaml\n  - inc/one.yaml\n",
                ])
                .to_owned(),
            );
        }
        if role == Role::Included && self.dice.chance(10) {
            text.push("include: [../ext/mid.yaml]\n".to_owned());
        }
        let names = match role {
            Role::Included => self.dice.pick(&["i j", "i j", "i", "k l", "k l", "a"]),
            _ => "a b c",
        };
        text.push("services:\n".to_owned());
        for name in names.split(' ') {
            if role != Role::Over || self.dice.chance(60) {
                let service = self.service(name, role);
                text.push(service);
            }
        }
        if role == Role::Over {
            text.push("  z: {image: z}\n".to_owned());
        }
        let declared = if self.dice.chance(95) { self.volume } else { " {name: other}" };
        if role != Role::Over || self.dice.chance(40) {
            text.push(format!("volumes:\n  d1:\n  d2:{declared}\n"));
        }
        text.concat()
    }

    fn service(&mut self, name: &str, role: Role) -> String {
        let mut lines = vec![format!("  {name}:\n")];
        let mut line = |text: &str| lines.push(format!("    {text}\n"));
        if self.dice.chance(25) {
            line(self.dice.pick(&["<<: *one", "<<: [*one, *two]", "<<: [*two, *one]", "<<: *two"]));
        }
        let own = match name {
            "a" => "b",
            _ => "c",
        };
        if name != "c" && self.dice.chance(if role == Role::Over { 10 } else { 35 }) {
            let there = match role {
                Role::Main | Role::Over => "ext/",
                Role::Included => "../ext/",
                Role::Middle | Role::Extended => "",
            };
            let service = self.dice.pick(&["a", "b", "c"]);
            let text = match (role, self.dice.below(4)) {
                (Role::Main | Role::Over | Role::Included, 0) => {
                    format!("extends: {{file: {there}mid.yaml, service: {service}}}")
                }
                (Role::Extended, _) | (Role::Main | Role::Middle, 1) if role != Role::Included => {
                    format!("extends: {own}")
                }
                _ => format!("extends: {{file: {there}base.yaml, service: {service}}}"),
            };
            line(&text);
        }
        if self.dice.chance(if role == Role::Over { 30 } else { 90 }) {
            line(self.dice.pick(&[
                "image: one",
                "image: one",
                "image: two",
                "image: ${IMAGE-three}",
            ]));
        }
        if self.dice.chance(10) {
            line(self.dice.pick(&["profiles: [p]", "profiles: [q]", "profiles: [p, q]"]));
        }
        match self.dice.below(14) {
            0 => line("tmpfs: /t"),
            1 => line("tmpfs: [/t, /u:size=1m]"),
            2 if role == Role::Over => line("tmpfs: !reset null"),
            _ => {}
        }
        if self.dice.chance(8) {
            line(self.dice.pick(&["working_dir: /w", "command: [x, y]", "environment: [A=1]"]));
        }
        let list = self.list();
        match self.dice.below(24) {
            0..=2 => {}
            3 => line("volumes: *list"),
            4 if role == Role::Over => line("volumes: !reset []"),
            5 | 6 if role == Role::Over => line(&format!("volumes: !override [{list}]")),
            7 => line("volumes: []"),
            8 if role == Role::Over => line("volumes:"),
            9 if role == Role::Over => line("volumes: !reset null"),
            10 => line(&format!("volumes: [!reset '/r', {list}]")),
            _ => {
                line("volumes:");
                for _ in 0..=self.dice.below(4) {
                    let item = self.item();
                    line(&format!("  - {item}"));
                }
            }
        }
        lines.concat()
    }

    fn list(&mut self) -> String {
        let items: Vec<String> = (0..=self.dice.below(3)).map(|_| self.item()).collect();
        items.join(", ")
    }

    fn item(&mut self) -> String {
        let source = self.dice.pick(&[
            ".",
            "./s",
            "./s/",
            "../up",
            "/abs",
            "~/h",
            "d1",
            "d2",
            "${SRC:-./v}",
            "./${SRC}x",
            "./$$y",
            "./$PWD",
            "./${COMPOSE_PROJECT_NAME}",
        ]);
        let target =
            self.dice.pick(&["/a", "/a", "/a/", "/b", "/b/../a", "/b", "/c", "${DST:-/a}", "rel"]);
        match self.dice.below(14) {
            0 => "/a".to_owned(),
            1 => "'${ITEM:-./i:/a:ro}'".to_owned(),
            2..=4 => {
                let named = source.starts_with('d');
                let target =
                    if self.dice.chance(80) { target.trim_end_matches('/') } else { target };
                let kind = if named { "volume" } else { "bind" };
                let rest = self.dice.pick(&["", "", ", read_only: 'yes'", ", x-why: {a: b}"]);
                format!("{{type: {kind}, source: '{source}', target: '{target}'{rest}}}")
            }
            5 => format!("{{type: tmpfs, target: '{target}'}}"),
            6 => format!("'{source}:{target}:ro'"),
            7 => format!("'{source}:{target}:${{MODE:-rw}}'"),
            _ => format!("'{source}:{target}'"),
        }
    }
}
