//! Small projects of many shapes, each from a number: the same number gives the same project.

use std::collections::BTreeMap;

use super::dice::{Dice, smaller};

/// Directories with many files, in every project.
pub(crate) const TREES: [&str; 5] =
    ["node_modules", "vendor", "var/cache", "sub/node_modules", "inc/node_modules"];

/// A project and the flags to load it with.
#[derive(Debug, Clone)]
pub(crate) struct Project {
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) words: Vec<String>,
}

impl Project {
    /// Every project that has a little less in it.
    pub(crate) fn parts(&self) -> Vec<Self> {
        let parts = smaller(&self.files).into_iter();
        parts.map(|files| Self { files, ..self.clone() }).collect()
    }
}

/// The project of a number.
pub(crate) fn project(seed: u64) -> Project {
    let mut maker = Maker { dice: Dice::new(seed, 0x5eed), volume: "" };
    // Compose refuses two files of which one is included and that declare a volume differently.
    maker.volume = maker.dice.pick(&["", " {}", "   # keep", " {driver: local}", " ~"]);
    let mut files = BTreeMap::new();
    let mut words: Vec<String> = Vec::new();
    let dependencies = "{\"dependencies\": {\"left-pad\": \"1.0.0\"}}\n";
    for name in ["package.json", "sub/package.json", "inc/package.json"] {
        files.insert(name.to_owned(), dependencies.to_owned());
    }
    files.insert("composer.json".to_owned(), "{\"require\": {\"a/b\": \"1.0\"}}\n".to_owned());
    files.insert("symfony.lock".to_owned(), "{}\n".to_owned());
    if maker.dice.chance(30) {
        let text = "CODE=./sub\nDEST=/code\n# ROOT=.\nRO='true'\n";
        files.insert(".env".to_owned(), text.to_owned());
    }
    let mut add = |name: &str, text: String| files.insert(name.to_owned(), text);
    match maker.dice.below(9) {
        0 => drop(add("compose.yaml", maker.file(Role::Base))),
        1 => {
            add("compose.yaml", maker.file(Role::Base));
            let name = maker.dice.pick(&["compose.override.yaml", "docker-compose.override.yml"]);
            add(name, maker.file(Role::Override));
        }
        2 => {
            add("a.yaml", maker.file(Role::Base));
            add("b.yaml", maker.file(Role::Override));
            words.extend(["-f", "a.yaml", "-f", "b.yaml"].map(str::to_owned));
        }
        3 => {
            add("compose.yaml", maker.file(Role::Base));
            add("sub/b.yaml", maker.file(Role::Override));
            add("c.yaml", maker.file(Role::Override));
            let given = ["-f", "compose.yaml", "-f", "sub/b.yaml", "-f", "c.yaml"];
            words.extend(given.map(str::to_owned));
        }
        4 => {
            let include = maker.dice.pick(&[
                "  - inc/compose.yaml",
                "  - path: inc/compose.yaml",
                "  - path: [inc/compose.yaml, inc/more.yaml]",
                "  - path: inc/compose.yaml\n    project_directory: .",
                "  - path: inc/compose.yaml\n    env_file: inc/.env",
            ]);
            if include.contains("env_file") || maker.dice.chance(20) {
                add("inc/.env", "DEST=/inc\nCODE=./inc\n".to_owned());
            }
            if include.contains("more") {
                add("inc/more.yaml", maker.file(Role::Included));
            }
            add("inc/compose.yaml", maker.file(Role::Included));
            let text = maker.file(Role::Base);
            add("compose.yaml", format!("include:\n{include}\n{text}"));
        }
        5 | 6 => {
            add("common/base.yaml", maker.file(Role::Extended));
            add("compose.yaml", maker.file(Role::Heir));
        }
        7 => {
            let (first, second) = (maker.file(Role::Base), maker.file(Role::Override));
            let first = first.trim_end();
            add("compose.yaml", format!("{first}\n---\n{second}"));
        }
        _ => {
            add("sub/compose.yaml", maker.file(Role::Base));
            words.extend(["-f", "sub/compose.yaml"].map(str::to_owned));
            if maker.dice.chance(30) {
                words.extend(["--project-directory", "."].map(str::to_owned));
            }
        }
    }
    if maker.dice.chance(40) {
        words.extend(["--profile", "dev"].map(str::to_owned));
    }
    if maker.dice.chance(15) {
        let naming = ["--select", "anonymous-tree-volume", "--strategy", "name-volume"];
        words.extend(naming.map(str::to_owned));
    }
    Project { files, words }
}

/// What a file is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Base,
    Override,
    Included,
    Extended,
    /// Extends services of `common/base.yaml`.
    Heir,
}

/// How the lines of one file look.
#[derive(Clone, Copy)]
struct Look {
    step: usize,
    /// Columns between a key and the dashes of its list.
    dash: usize,
    comments: bool,
}

/// Anchors that a file has so far.
#[derive(Default)]
struct Anchors {
    /// Of lists of mounts.
    lists: Vec<&'static str>,
    /// Of mappings that a service can merge.
    mappings: Vec<&'static str>,
}

struct Maker {
    dice: Dice,
    /// What stands behind the name of a declared volume.
    volume: &'static str,
}

impl Maker {
    fn word(&mut self, words: &'static str) -> &'static str {
        let words: Vec<&str> = words.split_whitespace().collect();
        self.dice.pick(&words)
    }

    // ---- files

    fn file(&mut self, role: Role) -> String {
        let step = if self.dice.chance(20) { 4 } else { 2 };
        let dash = if self.dice.chance(25) { 0 } else { step };
        let look = Look { step, dash, comments: self.dice.chance(30) };
        let mut lines = Vec::new();
        if self.dice.chance(10) && role == Role::Base {
            lines.push(
                self.dice.pick(&["name: other", "name: shop", "name: ${NAME:-shop}"]).to_owned(),
            );
        }
        let mut anchors = self.anchors(look, &mut lines);
        let mut body = vec!["services:".to_owned()];
        for name in self.names(role) {
            body.extend(nested(look.step, self.service(name, role, look, &mut anchors)));
            if self.dice.chance(20) {
                body.push(String::new());
            }
        }
        let all = format!("{}{}", lines.join("\n"), body.join("\n"));
        let volumes = self.volumes(role, look, &all);
        if self.dice.chance(15) {
            lines.extend(volumes);
            lines.extend(body);
        } else {
            lines.extend(body);
            lines.extend(volumes);
        }
        if look.comments {
            lines.push("# the end".to_owned());
        }
        let end = if self.dice.chance(15) { "\r\n" } else { "\n" };
        let last = if self.dice.chance(15) { "" } else { end };
        lines.join(end) + last
    }

    fn names(&mut self, role: Role) -> Vec<&'static str> {
        let names: &[&str] = match role {
            Role::Included => &["inc", "inc-db"],
            Role::Extended => &["base", "web"],
            _ => &["web", "api", "worker"],
        };
        let first = names[0];
        let others = names.iter().skip(1).copied();
        let all = role == Role::Extended;
        std::iter::once(first).chain(others.filter(|_| all || self.dice.chance(40))).collect()
    }

    fn anchors(&mut self, look: Look, lines: &mut Vec<String>) -> Anchors {
        let mut anchors = Anchors::default();
        if self.dice.chance(20) {
            anchors.lists.push("code");
            lines.push("x-code: &code".to_owned());
            lines.extend(nested(look.dash, self.list(look)));
        }
        if self.dice.chance(20) {
            anchors.mappings.push("base");
            lines.push("x-base: &base".to_owned());
            let image = self.image();
            let mut body = vec![image];
            if self.dice.chance(70) {
                body.push("volumes:".to_owned());
                body.extend(nested(look.dash, self.list(look)));
            }
            if self.dice.chance(30) {
                body.push("tmpfs: /run/base".to_owned());
            }
            lines.extend(nested(look.step, body));
        }
        anchors
    }

    /// Declares what the file mounts, so that Compose loads it.
    fn volumes(&mut self, role: Role, look: Look, text: &str) -> Vec<String> {
        let used = ["data", "node_modules", "cache"].into_iter().filter(|name| {
            text.contains(&format!("{name}:")) || text.contains(&format!("source: {name}"))
        });
        let mut names: Vec<&str> = used.collect();
        if role == Role::Heir || role == Role::Base {
            names = vec!["data", "node_modules", "cache"];
        }
        if names.is_empty()
            || role == Role::Extended
            || (role == Role::Override && self.dice.chance(50))
        {
            return Vec::new();
        }
        if self.dice.chance(10) {
            let value = self.volume.split('#').next().unwrap().trim();
            let entries: Vec<String> = names.iter().map(|n| format!("{n}: {value}")).collect();
            return vec![format!("volumes: {{{}}}", entries.join(", "))];
        }
        let mut lines = vec!["volumes:".to_owned()];
        for name in names {
            lines.extend(nested(look.step, vec![format!("{name}:{}", self.volume)]));
        }
        lines
    }

    // ---- services

    fn service(
        &mut self,
        name: &'static str,
        role: Role,
        look: Look,
        anchors: &mut Anchors,
    ) -> Vec<String> {
        let mut body = Vec::new();
        if !anchors.mappings.is_empty() && self.dice.chance(40) {
            let anchor = self.dice.pick(&anchors.mappings);
            body.push(match self.dice.below(3) {
                0 => format!("<<: [*{anchor}]"),
                1 => format!("<<: [*{anchor}, *{}]", self.dice.pick(&anchors.mappings)),
                _ => format!("<<: *{anchor}"),
            });
        }
        match role {
            Role::Heir if self.dice.chance(60) => {
                let service = self.dice.pick(&["base", "web"]);
                body.push(format!("extends: {{file: common/base.yaml, service: {service}}}"));
            }
            Role::Base | Role::Extended | Role::Heir if name != "web" && self.dice.chance(25) => {
                body.push(self.dice.pick(&["extends: web", "extends: {service: web}"]).to_owned());
            }
            _ => {}
        }
        let inherits = body.iter().any(|line| line.starts_with("extends"));
        if self.dice.chance(if role == Role::Override || inherits { 30 } else { 95 }) {
            let image = self.image();
            body.push(image);
        }
        for (percent, line) in [
            (30, "working_dir: /app"),
            (30, "command: npm run dev"),
            (10, "command: [sh, -c, \"npm ci && npm start\"]"),
            (10, "user: node"),
            (15, "environment: {A: b}"),
            (15, "profiles: [dev]"),
        ] {
            let key = line.split(':').next().unwrap();
            if self.dice.chance(percent) && !body.iter().any(|other| other.starts_with(key)) {
                body.push(line.to_owned());
            }
        }
        body.extend(self.mounts(role, look, anchors));
        match self.dice.below(12) {
            0 => body.push("tmpfs: /run".to_owned()),
            1 => body.push("tmpfs: [/run, \"/app/var/cache:size=64m\", /app/tmp/]".to_owned()),
            2 if role == Role::Override => body.push("tmpfs: !reset null".to_owned()),
            _ => {}
        }
        if look.comments {
            body.push("# next".to_owned());
        }
        let anchor = if self.dice.chance(20) { format!(" &{name}") } else { String::new() };
        if !anchor.is_empty() {
            anchors.mappings.push(name);
        }
        std::iter::once(format!("{name}:{anchor}")).chain(nested(look.step, body)).collect()
    }

    fn image(&mut self) -> String {
        self.dice
            .pick(&[
                "image: node:22",
                "image: node:22",
                "image: node:20",
                "image: php:8.3-cli",
                "image: nginx:1.27",
                "image: ${IMAGE:-node:22}",
                "build: .",
                "build: {context: ./sub}",
            ])
            .to_owned()
    }

    fn mounts(&mut self, role: Role, look: Look, anchors: &mut Anchors) -> Vec<String> {
        match self.dice.below(20) {
            0 | 1 => Vec::new(),
            2..=4 if !anchors.lists.is_empty() => {
                vec![format!("volumes: *{}", self.dice.pick(&anchors.lists))]
            }
            4 if role == Role::Override => vec!["volumes: !reset []".to_owned()],
            5 if role == Role::Override => vec!["volumes: !reset null".to_owned()],
            6 => vec!["volumes: []".to_owned()],
            7 | 8 => {
                let count = 1 + self.dice.below(3);
                let items: Vec<String> = (0..count).map(|_| self.flow_item()).collect();
                vec![format!("volumes: [{}]", items.join(", "))]
            }
            tag => {
                let tag = if tag == 9 && role == Role::Override { " !override" } else { "" };
                let tag = if tag.is_empty() && self.dice.chance(15) { " &own" } else { tag };
                if tag == " &own" && !anchors.lists.contains(&"own") {
                    anchors.lists.push("own");
                }
                let mut lines = vec![format!("volumes:{tag}")];
                lines.extend(nested(look.dash, self.list(look)));
                lines
            }
        }
    }

    // ---- mounts

    fn list(&mut self, look: Look) -> Vec<String> {
        let count = 1 + self.dice.below(4);
        let mut lines = Vec::new();
        for _ in 0..count {
            if look.comments && self.dice.chance(20) {
                lines.push("# a mount".to_owned());
            }
            let gap = if self.dice.chance(5) { "   " } else { " " };
            let item = match self.dice.below(20) {
                0..4 => self.long(),
                4 => vec![format!("{{{}}}", self.long_in_braces())],
                _ => vec![self.short()],
            };
            for (index, line) in item.into_iter().enumerate() {
                let lead = if index == 0 { format!("-{gap}") } else { " ".repeat(gap.len() + 1) };
                lines.push(format!("{lead}{line}"));
            }
        }
        lines
    }

    fn source(&mut self) -> &'static str {
        self.word(
            r". . . . ./ ./ ./ ./sub ./sub/ ./sub .. ../shop ./sub/.. ~/code ~ /srv/data ./inc ./$$x
              ./ü ${CODE:-.} ${CODE-./sub} $ROOT/sub ${ROOT:-.}/sub ./${CODE:+sub} C:\code
              ./node_modules data data node_modules cache",
        )
    }

    fn target(&mut self) -> &'static str {
        self.word(
            "/app /app /app /app /app/ /app/./ /app/sub /app//sub /app/node_modules /app/vendor
             /app/sub/node_modules/ /srv/../app /code /code /data / app /srv /srv/app /opt/x
             /var/www/html /usr/src/app ${DEST:-/app} $DEST/x ${DEST:-/code}/sub
             ${DEST:-/srv/www}",
        )
    }

    fn short_text(&mut self) -> String {
        if self.dice.chance(8) {
            return self
                .dice
                .pick(&["/app/node_modules", "/app/vendor/", "/data", "v", "${ENTRY:-.:/app}"])
                .to_owned();
        }
        let (source, target) = (self.source(), self.target());
        if self.dice.chance(40) {
            return format!("{source}:{target}");
        }
        let options =
            self.word("ro rw ro,z cached delegated,ro z rw,ro ro,rw nocopy bogus ${MODE:-rw}");
        format!("{source}:{target}:{options}")
    }

    fn short(&mut self) -> String {
        let text = self.short_text();
        let comment = if self.dice.chance(15) { "   # why" } else { "" };
        let text = match self.dice.below(10) {
            0 | 1 => format!("\"{}\"", text.replace('\\', "\\\\")),
            2 => format!("'{text}'"),
            3 if comment.is_empty() => format!(">-\n{text}"),
            _ if text.starts_with('~') && text.len() < 2 => format!("'{text}'"),
            _ => text,
        };
        // A block scalar's second line is placed here, where the item's own column is known.
        text.replace(">-\n", ">-\u{0}") + comment
    }

    fn flow_item(&mut self) -> String {
        if self.dice.chance(20) {
            return format!("{{{}}}", self.long_in_braces());
        }
        let text = self.short_text();
        match self.dice.below(3) {
            0 => format!("'{text}'"),
            1 if !text.contains(['{', '$', '\\']) => text,
            _ => format!("\"{}\"", text.replace('\\', "\\\\")),
        }
    }

    fn long_in_braces(&mut self) -> String {
        let (source, target) = (self.source(), self.target());
        let kind = if source.starts_with(['.', '/', '~', '$', 'C']) { "bind" } else { "volume" };
        let rest = self.dice.pick(&["", "", ", read_only: true", ", \"read_only\": 'yes'", ","]);
        format!("type: {kind}, source: '{source}', \"target\": \"{target}\"{rest}")
    }

    fn long(&mut self) -> Vec<String> {
        let (source, target) = (self.source(), self.target());
        let named = ["data", "node_modules", "cache"].contains(&source);
        let quote = self.dice.pick(&["", "", "'", "\""]);
        let quote = if source.contains('\\') || source == "~" { "'" } else { quote };
        let kind = format!("type: {}", if named { "volume" } else { "bind" });
        let source = format!("source: {quote}{source}{quote}");
        let target = format!("target: {quote}{target}{quote}");
        let mut lines = match self.dice.below(12) {
            0 => vec!["type: tmpfs".to_owned(), target],
            1 => vec!["type: volume".to_owned(), target],
            2 => vec![target, kind, source],
            _ => vec![kind, source, target],
        };
        if self.dice.chance(35) {
            let value = self.word(
                "true false True TRUE yes on y no off 'Yes' \"true\" \"false\" ${RO:-true}
                 ${RO:-false} ${RO:-on}",
            );
            lines.push(format!("read_only: {value}"));
        }
        let options: &[&str] = match (lines[0].as_str(), self.dice.below(5)) {
            ("type: bind", 0) => &["bind: {create_host_path: false}"],
            ("type: bind", 1) => &["consistency: cached"],
            ("type: volume", 0) => &["volume:", "  nocopy: true"],
            ("type: tmpfs", 0) => &["tmpfs: {size: 1000}"],
            _ => &[],
        };
        lines.extend(options.iter().map(|line| (*line).to_owned()));
        lines
    }
}

/// Lines further to the right; a text behind `>-` gets a line of its own, further still.
fn nested(columns: usize, lines: Vec<String>) -> Vec<String> {
    let margin = " ".repeat(columns);
    let lines = lines.into_iter().flat_map(|line| match line.split_once('\u{0}') {
        Some((head, text)) => {
            let inner = head.len() - head.trim_start().len() + 2;
            vec![head.to_owned(), format!("{}{text}", " ".repeat(inner + 2))]
        }
        None => vec![line],
    });
    lines.map(|line| if line.is_empty() { line } else { format!("{margin}{line}") }).collect()
}
