//! What the file says: services with mounts, shared by anchors, aliases and merge keys.

use super::{Tape, Value};

const SOURCES: [&str; 9] =
    ["./", ".", "./api", "./web", "./api/", "${CODE:-.}", "$PWD", "./ünï", "./my web"];
const TARGETS: [&str; 9] = [
    "/app",
    "/srv/api",
    "/usr/src/app",
    "/app/",
    "${APP_DIR:-/app}",
    "/code/$STAGE",
    "/srv/ünï",
    "/a/rather/long/path/that/goes/on/and/on/and/on/until/it/fills/the/line/and/more",
    "/my app",
];
const IMAGES: [&str; 6] =
    ["node:22", "php:8.3-fpm", "python:3.13", "nginx:1.27", "postgres:17", "ghcr.io/o/app:1"];
const NAMES: [&str; 6] = [
    "web",
    "api",
    "worker_1",
    "a",
    "db.main",
    "the-service-with-a-name-that-nobody-would-ever-want-to-type-twice-in-a-row",
];

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}

fn map(entries: Vec<(&str, Value)>) -> Value {
    Value::Map(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// The documents of one file.
pub(super) fn content(tape: &mut Tape<'_>, json: bool) -> Vec<Value> {
    let volumes = tape.of(&[&[][..], &[], &["data"], &["data", "cache"]]);
    let brackets = tape.chance(20);
    Content { tape, json, volumes, brackets, anchors: Vec::new() }.documents()
}

struct Content<'a, 'b> {
    tape: &'a mut Tape<'b>,
    json: bool,
    /// Top-level volumes.
    volumes: &'static [&'static str],
    /// There is a top-level `volumes` although it is empty.
    brackets: bool,
    /// Names of anchors, with what they stand on.
    anchors: Vec<(String, Anchored)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Anchored {
    Service,
    List,
    Item,
}

impl Content<'_, '_> {
    fn documents(&mut self) -> Vec<Value> {
        let count = 1 + self.tape.pick(4);
        let names: Vec<&str> = NAMES[..count].to_vec();
        let two = !self.json && count > 1 && self.tape.chance(8);
        let mut sections: Vec<(&str, Value)> = Vec::new();
        if self.tape.chance(20) {
            sections.push(("name", text("proj")));
        }
        for key in ["x-app", "x-vols"] {
            if self.tape.chance(15) {
                let value = self.extension(key);
                sections.push((key, value));
            }
        }
        let services = if two { &names[..count - 1] } else { &names[..] };
        let services = services.iter().map(|name| ((*name).to_owned(), self.service())).collect();
        let volumes = self.volumes();
        let at = sections.len();
        sections.push(("services", Value::Map(services)));
        if let Some(volumes) = volumes {
            let first = self.tape.chance(25);
            sections.insert(if first { at } else { at + 1 }, ("volumes", volumes));
        }
        if self.tape.chance(15) {
            sections.push(("networks", map(vec![("front", Value::Nothing)])));
        }
        if self.tape.chance(15) {
            let notice = self.lines();
            sections.push(("x-notice", notice));
        }
        let mut documents = vec![map(sections)];
        if two {
            // Anchors end with their document for some readers.
            self.anchors.clear();
            let last = Value::Map(vec![(names[count - 1].to_owned(), self.service())]);
            documents.push(map(vec![("services", last)]));
        }
        documents
    }

    fn volumes(&mut self) -> Option<Value> {
        let mut entries = Vec::new();
        for name in self.volumes {
            let value = match self.tape.pick(4) {
                0 | 1 => Value::Nothing,
                2 => map(vec![("driver", text("local"))]),
                _ => Value::Map(Vec::new()),
            };
            entries.push(((*name).to_owned(), value));
        }
        (self.brackets || !entries.is_empty()).then_some(Value::Map(entries))
    }

    /// A section that services take parts of.
    fn extension(&mut self, key: &str) -> Value {
        if key == "x-vols" {
            let list = self.mounts();
            return self.mark(list, Anchored::List, 100);
        }
        let mut entries = vec![("image", text("app"))];
        if self.tape.chance(60) {
            entries.push(("volumes", self.mounts()));
        }
        self.mark(map(entries), Anchored::Service, 100)
    }

    fn mark(&mut self, value: Value, kind: Anchored, percent: usize) -> Value {
        if self.json || !self.tape.chance(percent) {
            return value;
        }
        let name = format!("m{}", self.anchors.len());
        self.anchors.push((name.clone(), kind));
        Value::Marked(format!("&{name}"), Box::new(value))
    }

    fn alias(&mut self, kind: Anchored) -> Option<Value> {
        let fit: Vec<&String> =
            self.anchors.iter().filter(|(_, k)| *k == kind).map(|(n, _)| n).collect();
        let name = fit.get(self.tape.pick(fit.len().max(1)))?;
        Some(Value::Bare(format!("*{name}")))
    }

    fn service(&mut self) -> Value {
        if self.tape.chance(6)
            && let Some(alias) = self.alias(Anchored::Service)
        {
            return alias;
        }
        let mut entries = Vec::new();
        if self.tape.chance(20)
            && let Some(alias) = self.alias(Anchored::Service)
        {
            let several = self.tape.chance(30);
            let value = if several { Value::List(vec![alias]) } else { alias };
            entries.push(("<<", value));
        }
        if self.tape.chance(30) {
            entries.push(("build", text(".")));
        } else {
            let image = self.tape.of(&IMAGES);
            entries.push(("image", text(image)));
        }
        self.extras(&mut entries);
        if self.tape.chance(90) || entries.len() == 1 {
            let list = if self.tape.chance(10) { self.alias(Anchored::List) } else { None };
            let list = list.unwrap_or_else(|| self.own_list());
            entries.push(("volumes", list));
        }
        self.extras(&mut entries);
        self.mark(map(entries), Anchored::Service, 12)
    }

    fn own_list(&mut self) -> Value {
        let list = self.mounts();
        if !self.json && self.tape.chance(2) {
            return Value::Marked("!override".to_owned(), Box::new(list));
        }
        self.mark(list, Anchored::List, 12)
    }

    /// Attributes that have nothing to do with mounts, each at most once.
    fn extras(&mut self, entries: &mut Vec<(&str, Value)>) {
        for _ in 0..self.tape.pick(3) {
            let (key, value) = match self.tape.pick(8) {
                0 => ("ports", Value::List(vec![text("8080:80"), text("127.0.0.1:9:9")])),
                1 => (
                    "environment",
                    map(vec![("A", text("1 # no comment")), ("B", Value::Bare("null".to_owned()))]),
                ),
                2 => ("command", self.lines()),
                3 => ("labels", map(vec![("note", self.lines())])),
                4 => ("working_dir", text("/app")),
                5 => ("depends_on", Value::List(Vec::new())),
                6 => (
                    "develop",
                    map(vec![(
                        "watch",
                        Value::List(vec![map(vec![
                            ("action", text("rebuild")),
                            ("path", text("./docker")),
                        ])]),
                    )]),
                ),
                _ => (
                    "healthcheck",
                    map(vec![("test", self.lines()), ("retries", Value::Bare("3".to_owned()))]),
                ),
            };
            if entries.iter().all(|(k, _)| *k != key) {
                entries.push((key, value));
            }
        }
    }

    fn lines(&mut self) -> Value {
        let text = self.tape.of(&[
            "npm run dev\n",
            "sh -c \"a && b\"",
            "one\n\n  two # no comment\nthree\n",
            "one\n\n\n",
            "- no: list\n",
            "",
        ]);
        Value::Lines(text.to_owned())
    }

    fn mounts(&mut self) -> Value {
        let count = 1 + self.tape.pick(4);
        let mut targets = Vec::new();
        let mut items = Vec::new();
        for _ in 0..count {
            if self.tape.chance(6)
                && let Some(alias) = self.alias(Anchored::Item)
            {
                items.push(alias);
                continue;
            }
            let (target, item) = self.mount();
            let place = target.replace("${APP_DIR:-/app}", "/app");
            let place = place.trim_end_matches('/').to_owned();
            if !targets.contains(&place) {
                targets.push(place);
                let item = self.mark(item, Anchored::Item, 8);
                items.push(item);
            }
        }
        Value::List(items)
    }

    /// A mount with its target.
    fn mount(&mut self) -> (String, Value) {
        let long = self.tape.chance(25);
        let entry = |kind: &str, source: Option<&str>, target: &str, more: &str| {
            if !long {
                let source = source.map(|s| format!("{s}:")).unwrap_or_default();
                return Value::Text(format!("{source}{target}{more}"));
            }
            let mut entries = vec![("type", text(kind))];
            entries.extend(source.map(|s| ("source", text(s))));
            entries.push(("target", text(target)));
            if more.contains("ro") {
                entries.push(("read_only", Value::Bare("true".to_owned())));
            }
            map(entries)
        };
        match self.tape.pick(10) {
            7 if !self.volumes.is_empty() => {
                ("/data".to_owned(), entry("volume", Some("data"), "/data", ""))
            }
            0..=7 => {
                let source = self.tape.of(&SOURCES);
                let target = self.tape.of(&TARGETS);
                let more = self.tape.of(&["", "", "", ":ro", ":cached", ":rw,z"]);
                let mut item = entry("bind", Some(source), target, more);
                if let Value::Map(entries) = &mut item
                    && self.tape.chance(30)
                {
                    let create = Value::Bare("true".to_owned());
                    entries.push(("bind".to_owned(), map(vec![("create_host_path", create)])));
                }
                (target.to_owned(), item)
            }
            8 => {
                let target = self.tape.of(&["/app/node_modules", "/srv/api/vendor"]);
                (target.to_owned(), entry("volume", None, target, ""))
            }
            _ => {
                let target = "/etc/nginx/conf.d/default.conf";
                (target.to_owned(), entry("bind", Some("./api/nginx.conf"), target, ":ro"))
            }
        }
    }
}
