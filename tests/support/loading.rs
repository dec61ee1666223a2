//! Loading alone, against the real Compose: the mounts of each service, its volumes, and what is
//! refused.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use composefix::compose::{Project, Request, load};
use composefix::host::{Environment, MemoryHost};
use serde_json::Value;

use super::jumble::{Jumble, jumble};
use super::support::compose::{Compose, mounts_of_model};
use super::{Place, same};

/// A small project and how it is loaded.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// Names and texts.
    files: &'static [(&'static str, &'static str)],
    /// Flags of Compose, one blank between two words.
    flags: &'static str,
    /// Variables of the process.
    variables: &'static [(&'static str, &'static str)],
    /// Whether Compose accepts it.
    accepted: bool,
}

/// Compose and we both take it, with the same mounts, or both refuse it.
pub(crate) fn loads_alike(compose: &Compose, case: &Case) -> Result<(), String> {
    let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
    let project = Jumble {
        files: case.files.iter().map(owned).collect(),
        flags: case.flags.split_whitespace().map(str::to_owned).collect(),
        variables: case.variables.iter().map(owned).collect(),
    };
    let (place, theirs, ours) = both(compose, &project);
    let _ = place;
    match (theirs, ours) {
        (Ok(theirs), Ok(ours)) if case.accepted => alike(&theirs, &ours),
        (Err(_), Err(problem)) if !case.accepted && !problem.is_empty() => Ok(()),
        (theirs, ours) => {
            Err(format!("Compose says {:?} and we say {:?}", theirs.err(), ours.err()))
        }
    }
}

/// Projects that Compose loads have the same mounts here.
pub(crate) fn jumbled(compose: &Compose, seeds: std::ops::Range<u64>) -> Result<(), String> {
    let mut problems = Vec::new();
    for seed in seeds {
        let project = jumble(seed);
        let Err(first) = difference(compose, &project) else { continue };
        let small = smaller(compose, project, first.split('\n').next().unwrap_or_default());
        let files = small.files.iter().map(|(name, text)| format!("--- {name}\n{text}"));
        let files = files.collect::<Vec<_>>().concat();
        let what = difference(compose, &small).err().unwrap_or(first);
        let (flags, variables) = (small.flags.join(" "), &small.variables);
        problems.push(format!("==== jumble {seed}; {flags} {variables:?}\n{files}---- {what}\n"));
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.concat()) }
}

fn difference(compose: &Compose, project: &Jumble) -> Result<(), String> {
    let (_place, theirs, ours) = both(compose, project);
    match (theirs, ours) {
        (Ok(theirs), Ok(ours)) => alike(&theirs, &ours),
        (Ok(_), Err(problem)) => Err(format!("refused here\n{problem}")),
        (Err(reason), Ok(_)) if must_refuse(&reason) => {
            Err(format!("accepted here\nCompose says {reason}"))
        }
        (Err(_), _) => Ok(()),
    }
}

/// Reasons of Compose that are reasons here, too. Whether what is referred to is there is not
/// looked at: another file may bring it in. Compose sees circles of `extends` that are none, in some
/// orders of its own.
fn must_refuse(reason: &str) -> bool {
    // What depends on a variable that is not set is not known here.
    !reason.contains("variable is not set")
        && [
            "validating",
            "conflicts with imported",
            "already mounted",
            "circular",
            "Circular",
            "must be",
        ]
        .iter()
        .any(|word| reason.contains(word))
}

fn both(
    compose: &Compose,
    project: &Jumble,
) -> (Place, Result<Value, String>, Result<Project, String>) {
    let text = |(name, text): (&String, &String)| (name.clone(), text.clone().into_bytes());
    let place = Place::new(&project.files.iter().map(text).collect());
    let theirs = compose.model_with(&place.directory, &project.flags, &project.variables);
    let host = project.files.iter().fold(MemoryHost::default(), |host, (name, text)| {
        host.with_file(place.directory.join(name), text.as_str())
    });
    let environment = Environment { variables: project.variables.clone(), ..place.environment() };
    let ours = load(&host, &environment, &request(&project.flags));
    (place, theirs, ours.map_err(|problem| problem.message))
}

fn request(flags: &[String]) -> Request {
    let mut request = Request::default();
    for pair in flags.chunks(2) {
        let [flag, value] = pair else { continue };
        let path = || PathBuf::from(value);
        match flag.as_str() {
            "-f" => request.files.push(path()),
            "--profile" => request.profiles.push(value.clone()),
            "--project-directory" => request.project_directory = Some(path()),
            "--env-file" => request.env_files.push(path()),
            other => panic!("{other}"),
        }
    }
    request
}

fn alike(theirs: &Value, ours: &Project) -> Result<(), String> {
    let rows = ours.services.iter().filter(|service| service.active).flat_map(|service| {
        service.mounts.iter().map(|mount| {
            let kind = mount.kind.word().to_owned();
            let source = mount.uncleaned.clone().or_else(|| mount.source.clone());
            let target = mount.target.clone();
            (service.name.clone(), kind, source, target, mount.read_only)
        })
    });
    same(&mounts_of_model(theirs), &rows.collect::<Vec<_>>())
        .map_err(|what| format!("mounts\n{what}"))?;
    let declared: BTreeSet<&str> = ours.volumes.iter().map(|v| v.key.as_str()).collect();
    let volumes = theirs["volumes"].as_object().into_iter().flatten();
    for (key, _) in volumes {
        if !declared.contains(key.as_str()) {
            return Err(format!("volumes\n{key} is not declared here"));
        }
    }
    match theirs["name"].as_str() {
        Some(name) if name != ours.name => Err(format!("name\n{name} is {} here", ours.name)),
        _ => Ok(()),
    }
}

fn smaller(compose: &Compose, project: Jumble, kind: &str) -> Jumble {
    let still = |project: &Jumble| {
        difference(compose, project).is_err_and(|other| other.split('\n').next() == Some(kind))
    };
    let start = Instant::now();
    let mut best = project;
    loop {
        let in_time = || start.elapsed() < Duration::from_secs(60);
        let mut parts = best.parts().into_iter().take_while(|_| in_time());
        let Some(next) = parts.find(|part| still(part)) else { return best };
        best = next;
    }
}

/// Loading step by step.
pub(crate) const CASES: &[Case] = &[
    Case {
        name: "paths-of-windows",
        files: &[(
            "compose.yaml",
            r"
services:
  web:
    image: a
    volumes:
      - C:\work\shop:/a
      - C:/work/shop:/b:ro
      - //c/work/shop/:/c
      - /mnt/c/work/../shop:/d
      - \\wsl.localhost\Ubuntu\home\me:/e
      - \\server\share\x:/f
      - {type: bind, source: '\\?\C:\work', target: /g}
      - {type: bind, source: //wsl.localhost/Ubuntu/home, target: /h}
      - ./a/../b/:/i
",
        )],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "include-same-volume",
        files: &[
            (
                "compose.yaml",
                "include: [inc/c.yaml]\nservices:\n  web: {image: a}\nvolumes: {d: }\n",
            ),
            ("inc/c.yaml", "services: {x: {image: b}}\nvolumes: {d: }\n"),
        ],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "include-volume-null-and-empty",
        files: &[
            (
                "compose.yaml",
                "include: [inc/c.yaml]\nservices:\n  web: {image: a}\nvolumes: {d: }\n",
            ),
            ("inc/c.yaml", "services: {x: {image: b}}\nvolumes: {d: {}}\n"),
        ],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "include-volume-driver",
        files: &[
            (
                "compose.yaml",
                "include: [inc/c.yaml]\nservices:\n  web: {image: a}\nvolumes: {d: }\n",
            ),
            ("inc/c.yaml", "services: {x: {image: b}}\nvolumes: {d: {driver: local}}\n"),
        ],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "include-same-driver",
        files: &[
            (
                "compose.yaml",
                "include: [inc/c.yaml]\nservices:\n  web: {image: a}\nvolumes: {d: {driver: local}}\n",
            ),
            ("inc/c.yaml", "services: {x: {image: b}}\nvolumes: {d: {driver: local}}\n"),
        ],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "include-same-service",
        files: &[
            ("compose.yaml", "include: [inc/c.yaml]\nservices:\n  web: {image: a}\n"),
            ("inc/c.yaml", "services:\n  web: {image: a}\n"),
        ],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "include-other-image",
        files: &[
            ("compose.yaml", "include: [inc/c.yaml]\nservices:\n  web: {image: a}\n"),
            ("inc/c.yaml", "services: {web: {image: b}}\n"),
        ],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "include-same-short-mounts",
        files: &[
            (
                "compose.yaml",
                "include: [inc/c.yaml]\nservices: {web: {image: a, volumes: ['/x:/y']}}\n",
            ),
            ("inc/c.yaml", "services: {web: {image: a, volumes: ['/x:/y']}}\n"),
        ],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "include-same-long-mounts",
        files: &[
            (
                "compose.yaml",
                "include: [inc/c.yaml]\nservices: {web: {image: a, volumes: [{type: bind, source: /x, target: /y}]}}\n",
            ),
            (
                "inc/c.yaml",
                "services: {web: {image: a, volumes: [{type: bind, source: /x, target: /y}]}}\n",
            ),
        ],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "include-command-in-two-forms",
        files: &[
            ("compose.yaml", "include: [inc/c.yaml]\nservices: {web: {image: a, command: x}}\n"),
            ("inc/c.yaml", "services: {web: {image: a, command: [x]}}\n"),
        ],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "include-network",
        files: &[
            (
                "compose.yaml",
                "include: [inc/c.yaml]\nservices:\n  web: {image: a}\nnetworks: {n: }\n",
            ),
            ("inc/c.yaml", "services: {x: {image: b}}\nnetworks: {n: {driver: x}}\n"),
        ],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "includes-of-two-directories",
        files: &[
            ("compose.yaml", "include: [a/c.yaml, b/c.yaml]\n"),
            ("a/c.yaml", "services: {web: {image: a, volumes: ['./a:/a']}}\n"),
            ("b/c.yaml", "services: {web: {image: a, volumes: ['./a:/a']}}\n"),
        ],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "include-twice",
        files: &[
            ("compose.yaml", "include: [a/c.yaml, a/c.yaml]\n"),
            ("a/c.yaml", "services: {web: {image: a, volumes: ['./a:/a']}}\n"),
            ("b/c.yaml", "services: {web: {image: a, volumes: ['./a:/a']}}\n"),
        ],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "include-diamond",
        files: &[
            ("compose.yaml", "include: [a.yaml, b/c.yaml]\n"),
            ("a.yaml", "include: [d/c.yaml]\nservices:\n  web: {image: a}\n"),
            ("b/c.yaml", "include: [../d/c.yaml]\nservices: {y: {image: y}}\n"),
            (
                "d/c.yaml",
                "services: {z: {image: z, volumes: ['./s:/a', 'd:/d']}}\nvolumes: {d: }\n",
            ),
        ],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "include-with-override",
        files: &[
            ("compose.yaml", "include:\n  - path: [a/c.yaml, o.yaml]\n"),
            ("a/c.yaml", "services: {web: {image: a, volumes: ['./a:/a']}}\n"),
            ("o.yaml", "services: {web: {volumes: ['./b:/b', './c:/a/']}}\n"),
        ],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "override-of-what-is-included",
        files: &[
            ("compose.yaml", "include: [a/c.yaml]\n"),
            ("a/c.yaml", "services: {web: {image: a, volumes: ['./a:/a']}}\n"),
            ("compose.override.yaml", "services: {web: {volumes: ['./b:/b']}}\n"),
        ],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "include-of-nothing",
        files: &[("compose.yaml", "include: [{}]\nservices:\n  web: {image: a}\n")],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "include-of-an-empty-file",
        files: &[
            ("compose.yaml", "include: [a.yaml]\nservices:\n  web: {image: a}\n"),
            ("a.yaml", "# nothing\n"),
        ],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "extended-file-settles-first",
        files: &[
            ("compose.yaml", "services: {y: {image: a, extends: {file: a.yaml, service: z}}}\n"),
            (
                "a.yaml",
                "services: {z: {extends: w, volumes: ['./a:/x', './b:/x/', './c:/x']}, w: {volumes: ['./d:/x', './e:/z', './f:/x/']}}\n",
            ),
        ],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "extended-file-of-any-form",
        files: &[
            ("compose.yaml", "services: {y: {image: a, extends: {file: a.yaml, service: z}}}\n"),
            (
                "a.yaml",
                "services: {z: {user: a}, w: {volumes: [{type: foo, target: /a}], image: 3}}\nvolumes:\n",
            ),
        ],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "extended-file-with-half-a-mount",
        files: &[
            ("compose.yaml", "services: {y: {image: a, extends: {file: a.yaml, service: z}}}\n"),
            ("a.yaml", "services: {z: {user: a}, w: {volumes: [{type: foo}]}}\n"),
        ],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "extended-null-mounts",
        files: &[
            ("compose.yaml", "services: {y: {image: a, extends: {file: a.yaml, service: z}}}\n"),
            ("a.yaml", "services: {z: {volumes: }}\n"),
        ],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "null-over-mounts",
        files: &[
            ("compose.yaml", "services: {web: {image: a, volumes: ['./a:/a']}}\nvolumes: {d: }\n"),
            ("compose.override.yaml", "services: {web: {volumes: }}\nvolumes:\n"),
        ],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "reset-beside-extends",
        files: &[
            ("compose.yaml", "services: {web: {image: a, volumes: ['./a:/a'], tmpfs: /t}}\n"),
            (
                "compose.override.yaml",
                "services:\n  web: {extends: b, volumes: !reset [], tmpfs: !override [/u]}\n  b: {image: b, volumes: ['./b:/b'], tmpfs: /v}\n",
            ),
        ],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "override-beside-extends",
        files: &[
            ("compose.yaml", "services: {web: {image: a, volumes: ['./a:/a'], tmpfs: /t}}\n"),
            (
                "compose.override.yaml",
                "services:\n  web: {extends: b, volumes: !override ['./c:/c']}\n  b: {image: b, volumes: ['./b:/b'], tmpfs: /v}\n",
            ),
        ],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "mapping-over-mounts",
        files: &[
            ("compose.yaml", "services: {web: {image: a, volumes: ['./a:/a']}}\n"),
            ("compose.override.yaml", "services: {web: {volumes: {a: b}}}\n"),
        ],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "null-over-services",
        files: &[
            ("compose.yaml", "services:\n  web: {image: a}\n"),
            ("compose.override.yaml", "services:\n"),
        ],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "reset-item",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes: [!reset './a:/a', './b:/b']}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "windows-paths",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes: ['C:\\x:/a', 'C:/x:/b', 'c:x:/c', '\\\\srv\\x:/d', {type: bind, source: '1:/x', target: /e}, {type: bind, source: 'http://x', target: /f}]}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "one-target-twice-long",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes: [{type: bind, source: ./a, target: /a}, {type: bind, source: ./b, target: /a/}]}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "one-target-twice-short-and-long",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes: ['./b:/a', {type: bind, source: ./a, target: /a/}]}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "one-target-short-then-long",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes: ['./b:/a/', {type: bind, source: ./a, target: /a}]}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "one-target-of-a-tmpfs",
        files: &[("compose.yaml", "services: {web: {image: a, tmpfs: /a, volumes: ['./a:/a']}}\n")],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "one-target-of-a-tmpfs-with-a-slash",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, tmpfs: /a/, volumes: ['./a:/a']}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "one-target-in-an-inactive-service",
        files: &[(
            "compose.yaml",
            "services: {a: {image: a}, web: {image: a, profiles: [p], tmpfs: /a, volumes: ['./a:/a']}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "mount-no-type",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes: [{source: ./a, target: /a}]}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "mount-unknown-type",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes: [{type: foo, target: /a}]}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "mount-null-type",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes: [{type: , target: /a}]}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "mount-no-target",
        files: &[("compose.yaml", "services: {web: {image: a, volumes: [{type: tmpfs}]}}\n")],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "mount-number-as-target",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes: [{type: tmpfs, target: 1}]}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "mount-bind-without-source",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes: [{type: bind, target: /a}]}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "mount-null-source",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes: [{type: volume, source: , target: /a}]}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "mount-number-as-source",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes: [{type: bind, source: 1, target: /a}]}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "mount-read-only-maybe",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes: [{type: bind, source: ., target: /a, read_only: maybe}]}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "mount-read-only-one",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes: [{type: bind, source: ., target: /a, read_only: '1'}]}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "mount-options-as-text",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes: [{type: bind, source: ., target: /a, bind: x}]}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "mount-consistency-as-number",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes: [{type: bind, source: ., target: /a, consistency: 1}]}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "mount-empty-source",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes: [{type: bind, source: '', target: /a}]}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "mount-empty-volume",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes: [{type: volume, source: '', target: /a}]}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "mount-extension",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes: [{type: tmpfs, target: /a, x-why: 1}]}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "mount-memory-with-source",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes: [{type: tmpfs, source: x, target: /a}]}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "mount-other-options",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes: [{type: bind, source: ., target: /a, volume: {nocopy: true}}]}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "mount-read-only-in-capitals",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes: [{type: bind, source: ., target: /a, read_only: 'ON'}]}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "form-mounts-null",
        files: &[("compose.yaml", "services: {web: {image: a, volumes: }}\n")],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "form-tmpfs-null",
        files: &[("compose.yaml", "services: {web: {image: a, tmpfs: }}\n")],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "form-tmpfs-number",
        files: &[("compose.yaml", "services: {web: {image: a, tmpfs: [3]}}\n")],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "form-user-number",
        files: &[("compose.yaml", "services: {web: {image: a, user: 1000}}\n")],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "form-image-number",
        files: &[("compose.yaml", "services: {web: {image: 1}}\n")],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "form-build-null",
        files: &[("compose.yaml", "services: {web: {build: }}\n")],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "form-command-number",
        files: &[("compose.yaml", "services: {web: {image: a, command: [1]}}\n")],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "form-profiles-text",
        files: &[("compose.yaml", "services: {web: {image: a, profiles: dev}}\n")],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "form-volumes-from-twice",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes_from: [b, b]}, b: {image: b}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "form-service-name",
        files: &[("compose.yaml", "services: {'a b': {image: a}}\n")],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "form-volume-name",
        files: &[("compose.yaml", "services:\n  web: {image: a}\nvolumes: {'a/b': }\n")],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "form-volume-text",
        files: &[("compose.yaml", "services:\n  web: {image: a}\nvolumes: {d: x}\n")],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "form-volume-list",
        files: &[("compose.yaml", "services:\n  web: {image: a}\nvolumes: {d: []}\n")],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "form-driver-number",
        files: &[("compose.yaml", "services:\n  web: {image: a}\nvolumes: {d: {driver: 1}}\n")],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "form-version-number",
        files: &[("compose.yaml", "version: 3\nservices:\n  web: {image: a}\n")],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "form-name-null",
        files: &[("compose.yaml", "name:\nservices:\n  web: {image: a}\n")],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "form-configs-null",
        files: &[("compose.yaml", "services:\n  web: {image: a}\nconfigs:\n")],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "form-services-text",
        files: &[("compose.yaml", "services: x\n")],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "form-extends-list",
        files: &[("compose.yaml", "services: {web: {extends: [b]}, b: {image: b}}\n")],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "form-extends-nobody",
        files: &[("compose.yaml", "services: {web: {extends: {}}, b: {image: b}}\n")],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "form-unclosed-variable-in-a-mount",
        files: &[("compose.yaml", "services: {web: {image: a, volumes: ['./a$${b:/c']}}\n")],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "form-word-that-is-not-used",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes: ['${HOME:-${B.c}}:/c']}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "form-line-in-a-variable",
        files: &[(
            "compose.yaml",
            "services: {web: {image: a, volumes: [\"./${N:-a\\nb}:/c\"]}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: false,
    },
    Case {
        name: "list-of-files",
        files: &[
            ("a.yaml", "services: {a: {image: a, volumes: ['./x:/t']}}\n"),
            ("sub/b.yaml", "services: {b: {image: a, volumes: ['./x:/t']}}\n"),
            ("compose.yaml", "services:\n  web: {image: a}\n"),
        ],
        flags: "",
        variables: &[("COMPOSE_FILE", "a.yaml:sub/b.yaml")],
        accepted: true,
    },
    Case {
        name: "list-with-a-separator",
        files: &[
            ("a.yaml", "services: {a: {image: a, volumes: ['./x:/t']}}\n"),
            ("sub/b.yaml", "services: {b: {image: a, volumes: ['./x:/t']}}\n"),
            ("compose.yaml", "services:\n  web: {image: a}\n"),
            (".env", "COMPOSE_PATH_SEPARATOR=,\nCOMPOSE_FILE=a.yaml,sub/b.yaml\n"),
        ],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "list-with-no-separator",
        files: &[
            ("a.yaml", "services: {a: {image: a, volumes: ['./x:/t']}}\n"),
            ("sub/b.yaml", "services: {b: {image: a, volumes: ['./x:/t']}}\n"),
            ("compose.yaml", "services:\n  web: {image: a}\n"),
        ],
        flags: "",
        variables: &[("COMPOSE_FILE", "a.yaml:sub/b.yaml"), ("COMPOSE_PATH_SEPARATOR", "")],
        accepted: true,
    },
    Case {
        name: "list-starts-at-the-working-directory",
        files: &[
            ("a.yaml", "services: {a: {image: a, volumes: ['./x:/t']}}\n"),
            ("sub/b.yaml", "services: {b: {image: a, volumes: ['./x:/t']}}\n"),
            ("compose.yaml", "services:\n  web: {image: a}\n"),
            ("sub/a.yaml", "services:\n  web: {image: a}\n"),
        ],
        flags: "--project-directory sub",
        variables: &[("COMPOSE_FILE", "a.yaml")],
        accepted: true,
    },
    Case {
        name: "list-in-an-env-file",
        files: &[
            ("sub/c.yaml", "services: {a: {image: a, volumes: ['${X:-./none}:/a']}}\n"),
            (".env", "X=./one\nCOMPOSE_FILE=sub/c.yaml\n"),
            ("sub/.env", "X=./two"),
        ],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "env-files-in-order",
        files: &[
            ("compose.yaml", "services: {a: {image: a, volumes: ['${X:-./none}:/a']}}\n"),
            ("e1", "Y=./one\nX=./two\n"),
            ("e2", "X=$Y\n"),
        ],
        flags: "--env-file e1 --env-file e2",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "env-files-by-variable",
        files: &[
            ("compose.yaml", "services: {a: {image: a, volumes: ['${X:-./none}:/a']}}\n"),
            ("e1", "X=./one\n"),
            (".env", "X=./two\n"),
        ],
        flags: "",
        variables: &[("COMPOSE_ENV_FILES", "e1")],
        accepted: true,
    },
    Case {
        name: "env-file-disables-itself",
        files: &[
            ("compose.yaml", "services: {a: {image: a, volumes: ['${X:-./none}:/a']}}\n"),
            (".env", "COMPOSE_DISABLE_ENV_FILE=1\nX=./two\n"),
        ],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "env-file-is-disabled",
        files: &[
            ("compose.yaml", "services: {a: {image: a, volumes: ['${X:-./none}:/a']}}\n"),
            (".env", "X=./two\n"),
        ],
        flags: "",
        variables: &[("COMPOSE_DISABLE_ENV_FILE", "t")],
        accepted: true,
    },
    Case {
        name: "env-file-is-disabled-by-no-boolean",
        files: &[
            ("compose.yaml", "services: {a: {image: a, volumes: ['${X:-./none}:/a']}}\n"),
            (".env", "X=./two\n"),
        ],
        flags: "",
        variables: &[("COMPOSE_DISABLE_ENV_FILE", "yes")],
        accepted: false,
    },
    Case {
        name: "profiles-none",
        files: &[(
            "compose.yaml",
            "services:\n  a: {image: a, profiles: [''], volumes: ['.:/a']}\n  b: {image: a, profiles: [p], volumes: ['.:/a']}\n  c: {image: a, profiles: [q], volumes: ['.:/a']}\n",
        )],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "profiles-flag",
        files: &[(
            "compose.yaml",
            "services:\n  a: {image: a, profiles: [''], volumes: ['.:/a']}\n  b: {image: a, profiles: [p], volumes: ['.:/a']}\n  c: {image: a, profiles: [q], volumes: ['.:/a']}\n",
        )],
        flags: "--profile p",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "profiles-star",
        files: &[(
            "compose.yaml",
            "services:\n  a: {image: a, profiles: [''], volumes: ['.:/a']}\n  b: {image: a, profiles: [p], volumes: ['.:/a']}\n  c: {image: a, profiles: [q], volumes: ['.:/a']}\n",
        )],
        flags: "--profile *",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "profiles-list",
        files: &[(
            "compose.yaml",
            "services:\n  a: {image: a, profiles: [''], volumes: ['.:/a']}\n  b: {image: a, profiles: [p], volumes: ['.:/a']}\n  c: {image: a, profiles: [q], volumes: ['.:/a']}\n",
        )],
        flags: "",
        variables: &[("COMPOSE_PROFILES", "q, p")],
        accepted: true,
    },
    Case {
        name: "profiles-flag-over-list",
        files: &[(
            "compose.yaml",
            "services:\n  a: {image: a, profiles: [''], volumes: ['.:/a']}\n  b: {image: a, profiles: [p], volumes: ['.:/a']}\n  c: {image: a, profiles: [q], volumes: ['.:/a']}\n",
        )],
        flags: "--profile q",
        variables: &[("COMPOSE_PROFILES", "p")],
        accepted: true,
    },
    Case {
        name: "project-name-of-the-directory",
        files: &[(
            "compose.yaml",
            "services: {a: {image: a, volumes: ['./$COMPOSE_PROJECT_NAME:/a', '$PWD/x:/b']}}\n",
        )],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "project-name-of-the-last-file",
        files: &[
            (
                "compose.yaml",
                "name: one\nservices: {a: {image: a, volumes: ['./$COMPOSE_PROJECT_NAME:/a', '$PWD/x:/b']}}\n",
            ),
            ("compose.override.yaml", "name: T wo\nservices: {}\n"),
        ],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "project-name-of-the-environment",
        files: &[(
            "compose.yaml",
            "name: one\nservices: {a: {image: a, volumes: ['./$COMPOSE_PROJECT_NAME:/a', '$PWD/x:/b']}}\n",
        )],
        flags: "",
        variables: &[("COMPOSE_PROJECT_NAME", "x-y")],
        accepted: true,
    },
    Case {
        name: "project-name-in-what-is-included",
        files: &[
            ("compose.yaml", "name: foo\ninclude: [sub/c.yaml]\n"),
            (
                "sub/c.yaml",
                "name: bar\nservices: {a: {image: a, volumes: ['./$COMPOSE_PROJECT_NAME:/a', '$PWD/x:/b']}}\n",
            ),
        ],
        flags: "",
        variables: &[],
        accepted: true,
    },
    Case {
        name: "project-name-that-does-not-fit",
        files: &[(
            "compose.yaml",
            "services: {a: {image: a, volumes: ['./$COMPOSE_PROJECT_NAME:/a', '$PWD/x:/b']}}\n",
        )],
        flags: "",
        variables: &[("COMPOSE_PROJECT_NAME", "A B")],
        accepted: false,
    },
];

/// Templates, for the source of a mount.
pub(crate) const TEMPLATES: &[&str] = &[
    "$A",
    "${A}",
    "${A:-x}",
    "${A-x}",
    "${E:-x}",
    "${E-x}",
    "${N:-x}",
    "${N-x}",
    "${A:+y}",
    "${A+y}",
    "${E:+y}",
    "${E+y}",
    "${N:+y}",
    "${N+y}",
    "${A:?e}",
    "${A?e}",
    "${E?e}",
    "${E:?e}",
    "${N:?e}",
    "${N?e}",
    "${N:-${A}}",
    "${N:-$A}",
    "${N:-${N:-z}}",
    "${N:-${E:-z}}x",
    "$$A",
    "$$$A",
    "$${A}",
    "${N:-$$A}",
    "${N:-a}b}",
    "${N:-a{b}",
    "${N:-{}}",
    "${N:-${A}}}",
    "${}",
    "${ A}",
    "${A }",
    "${A:-}",
    "${A:}",
    "${A!x}",
    "${A:=x}",
    "${A=x}",
    "$",
    "a$",
    "a$b$",
    "$1",
    "$1A",
    "${1}",
    "${1A}",
    "${A.b}",
    "${A/b/c}",
    "$A.b",
    "$A-b",
    "${A",
    "${A:-x",
    "${N:-x y}",
    "${N:-\"q\"}",
    "${N:-'q'}",
    "${N:-a:b}",
    "${N:-./a:/b}",
    "${N:?a:b}",
    "${A:+./a:/b}",
    "${N:-$}",
    "${N:-$$}",
    "${N:-a$}",
    "${a}",
    "${_x}",
    "${é}",
    "$é",
    "${A:-é}",
    "${N:-é}",
    "${N:-${B",
    "${N:-${B}",
    "${N:+${B.c}}",
    "${A:-${B.c}}",
    "${A:?${B.c}}",
    "${N:-${B.c}}",
    "${A-${N?e}}",
    "${N-${N?e}}",
    "${N:-\n}",
    "${N:-a\nb}",
    "$(A)",
    "${N:-$(pwd)}",
    "$[A]",
    "${A}${A}",
    "${A}$A${N}",
    "${N:-${A:+${E:-${N-q}}}}",
    "${N:-}",
    "${N-}",
    "${N+}",
    "${N:+}",
    "${A+}",
    "${A:+}",
    "${A?}",
    "${A:?}",
    "$A$",
    "$$",
    "$$$",
    "$$$$",
    "$${",
    "$${A",
    "${$}",
    "${$A}",
    "${A$}",
    "${A:-$A}x}",
    "${A:1}",
    "${A::x}",
    "${A:-:x}",
    "${N:-:x}",
    "${N--x}",
    "${N-:x}",
    "${N:--x}",
    "${N:-?x}",
    "${N-?}",
    "${N+-x}",
    "${A?-x}",
    "${A:?-x}",
    "${A-?}",
    "${N:-{{.X}}}",
    "{{$A}}",
    "${A:-{{.X}}}",
    "${N:-}}",
    "${N-a-b:-c}",
    "${N:+a}${N-b}",
    "${A:+a:+b}",
    "${E-:-x}",
    "${N:-x}}${A}",
    "${A}}",
    "${N:-${A}-${A}}",
    "${N:-a${A}}b}",
    "${N:-${A:-${A}}}",
    "$N_A",
    "$A_",
    "${N_}",
    "\\$A",
    "\\${A}",
    "${N:-\\}}",
    "${N:-a\\}b}",
];

/// Texts of env files that set `V` and `W`.
pub(crate) const ENV_FILES: &[&str] = &[
    "V=1",
    "V= 1",
    "V =1",
    " V=1",
    "export V=1",
    "export  V=1",
    "exportV=1",
    "V=a b",
    "V=a#b",
    "V=a #b",
    "V=a\t#b",
    "V=#b",
    "V= #b",
    "V=\"a#b\"",
    "V=\"a\" #b",
    "V=\"a\"b",
    "V='a'b",
    "V='a' b",
    "V=\"a b\"",
    "V=\"a\\nb\"",
    "V=\"a\\tb\"",
    "V=\"a\\\\b\"",
    "V=\"a\\\"b\"",
    "V=\"a\\$W\"",
    "W=w\nV=\"$W\"",
    "W=w\nV='$W'",
    "W=w\nV=$W",
    "W=w\nV=${W}",
    "W=w\nV=${X:-d}",
    "V=${X:-d e}",
    "V=$X",
    "V=$$W",
    "W=w\nV=\\$W",
    "V=a\\nb",
    "V=\"a\nb\"",
    "V='a\nb'",
    "V=",
    "V=\nW=2",
    "V",
    "V\nW=2",
    "V:1",
    "V: 1",
    "V:\n",
    "V.A=1",
    "V-A=1\nV=1",
    "1V=1",
    "V=a\r\nW=b\r\n",
    "V=\"a\"\r\nW=b\r\n",
    "# c\nV=1",
    "  # c\nV=1",
    "V=1 # c",
    "V=1#c",
    "V=1  ",
    "V=\"1  \"",
    "V='it\\'s'",
    "V=\"unterminated",
    "V='unterminated",
    "V=un\"quo\"ted",
    "V=\"a\" \"b\"",
    "V='a' 'b'",
    "V=a=b",
    "V==b",
    "=b",
    "V=a\nV=b",
    "V=$V\n",
    "V=x\nV=${V}y",
    "V=`a`",
    "V=$(pwd)",
    "V=${",
    "V=${W",
    "V=\"${W:-x}\"",
    "V='${W:-x}'",
    "V=\"\\${W}\"",
    "V=\"$$W\"",
    "V=a;b",
    "V=~/x",
    "\u{feff}V=1",
    "V=1\n\n\nW=2",
    "V=1;W=2",
    "V=\"1\";W=2",
    "export V\nW=2",
    "V=\"a\\\\\"\nW=b",
    "V='a\\\\'\nW=b",
    "V=\"é\"",
    "É=1\nV=2",
    "V=a\u{b}b",
    "V=\ta",
    "V\t=a",
    "V =  a",
    "V=\"a\\rb\"",
    "V=\"\\u0041\"",
    "V=\"a\\'b\"",
    "V='a\\nb'",
    "V=\\\"a\\\"",
    "V=/a:b",
    "V=a\\#b",
    "V=\"a # b\"",
    "V='a # b'",
    "V=\"\" #x",
    "V=''",
    "V=\"${W?e}\"",
    "V=${W:?e}",
    "W=\nV=${W:-e}",
    "A B=1",
    "V=1\nA B",
    "V=1\nA B=2",
    "-=1",
    "V=1\n!",
    "V[0]=1\nW=2",
    "V=$1",
    "V=\"a$\"",
    "V=a${W:-b #c}",
    "V=a$$",
    "V=[1]",
    "V={\"a\": \"b\"}",
    "V=  \"a\"",
    "V=\"a\"   ",
    "export V=\"a\"",
    "V='a\"b'",
    "V=\"a'b\"",
    "V=a\"b",
    "V=#",
    "V=\"#\"",
    "# V=1 \\\nW=2",
    "V=a\\\nW=b",
    "V = 1",
    "V : 1",
    "V=1:2",
    "V:a=b",
    "W=$V\nV=2",
    "V=\"a\n\nb\"\nW=c",
    "V=\"x${W}\"\nW=z",
    "V=\"$W\n$W\"\n",
    "\n\nV=1",
    "\t V=1",
    "V=1\n#x",
    "V=\"a\\\nb\"",
    "V=\"\\\\n\"",
    "V=\"\\\\$W\"",
    "V=\"a\\'\"",
    "V=\"{\\\"a\\\":1}\"",
    "V=\u{a0}a",
    "V=a\u{a0}",
    "\u{a0}V=1",
    "export\tV=1",
    "export=1\nV=2",
    "exports=1\nV=2",
    "export V: 1",
    "V=yes # \"x\"",
    "V=\"x\" # \"y\"",
    "V='x' # 'y'",
    "V='x'#y",
    "V=\"x\"#y",
    "V=a  #b  ",
    "V=\"a\"\tW=b",
    "V=\"a\\0101b\"",
    "V=\"\\01b\"",
    "V=\"\\a\\b\\f\\v\\c\"",
    "V\n",
    "V #c\n",
    "export V W\n",
    "V=\n\nW=1",
];

/// Every template alike, short and long.
pub(crate) fn templates(compose: &Compose) -> Result<(), String> {
    let projects = TEMPLATES.iter().flat_map(|template| {
        let quoted = |text: String| serde_json::to_string(&text).unwrap();
        let short = quoted(format!("./p{template}q:/t"));
        let long = quoted(format!("./p{template}q"));
        [short, format!("{{type: bind, source: {long}, target: /t}}")].map(|item| {
            let text = format!("services:\n  web:\n    image: a\n    volumes:\n      - {item}\n");
            (BTreeMap::from([("compose.yaml".to_owned(), text)]), (*template).to_owned())
        })
    });
    let variables = [("A", "a"), ("E", ""), ("_x", "u"), ("A_", "q")];
    all_alike(compose, projects, &variables)
}

/// Every env file alike.
pub(crate) fn env_files(compose: &Compose) -> Result<(), String> {
    let source = "'/r|${V-U}|${W-U}|'";
    let text = format!(
        "services: {{web: {{image: a, volumes: [{{type: bind, source: {source}, target: /t}}]}}}}\n"
    );
    let projects = || {
        ENV_FILES.iter().map(|file| {
            let files = [("compose.yaml", text.as_str()), (".env", file)];
            let files = files.map(|(name, text)| (name.to_owned(), text.to_owned()));
            (BTreeMap::from(files), (*file).to_owned())
        })
    };
    all_alike(compose, projects(), &[])?;
    all_alike(compose, projects(), &[("W", "env")])?;
    all_alike(compose, projects(), &[("V", "env")])
}

fn all_alike(
    compose: &Compose,
    projects: impl Iterator<Item = (BTreeMap<String, String>, String)>,
    variables: &[(&str, &str)],
) -> Result<(), String> {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let variables: BTreeMap<String, String> = variables.iter().map(owned).collect();
    let mut problems = Vec::new();
    for (files, name) in projects {
        let project = Jumble { files, flags: Vec::new(), variables: variables.clone() };
        let (_place, theirs, ours) = both(compose, &project);
        let difference = match (theirs, ours) {
            (Ok(theirs), Ok(ours)) => alike(&theirs, &ours),
            (Ok(_), Err(problem)) => Err(format!("refused here: {problem}")),
            // A variable that must be set may be set on another machine.
            (Err(reason), Ok(_)) if !reason.contains("required variable") => {
                Err(format!("accepted here; Compose says {reason}"))
            }
            (Err(_), _) => Ok(()),
        };
        problems.extend(difference.err().map(|what| format!("{name:?} {variables:?}: {what}\n")));
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.concat()) }
}
