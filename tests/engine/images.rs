//! Images, made of programs of this machine: nothing is fetched.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::engine::{Engine, ended};
use super::support::put;

/// Images that composefix writes into projects, or knows, and that stand for real ones here where the
/// engine does not have those.
pub(crate) const STAND_INS: [&str; 3] = ["alpine:3.22", "alpine:latest", "redis:7"];

/// Programs that are copied, with the libraries they are linked with.
const PROGRAMS: [&str; 2] = ["rsync", "inotifywait"];

/// Scripts below `/usr/local/bin`. The package managers are stand-ins: they fill a tree with the
/// files of [`tree_files`] and the lock file. As npm from version 7, they empty the directory and do
/// not remove it.
const SCRIPTS: [(&str, &str); 7] = [
    (
        "install-tree",
        r#"#!/bin/sh
# install-tree DIRECTORY LOCK
set -e
mkdir -p "$1"
rm -rf "$1"/* "$1"/.lock
p=0
while [ $p -lt 10 ]; do
  mkdir "$1/p$p"
  f=0
  while [ $f -lt 60 ]; do echo "module $p $f" >"$1/p$p/f$f"; f=$((f + 1)); done
  p=$((p + 1))
done
cp "$2" "$1/.lock"
"#,
    ),
    ("npm", "#!/bin/sh\nexec install-tree node_modules package-lock.json\n"),
    ("composer", "#!/bin/sh\nexec install-tree vendor composer.lock\n"),
    (
        "uv",
        r#"#!/bin/sh
tree=${UV_PROJECT_ENVIRONMENT:-.venv}
case $1 in
  sync) exec install-tree "$tree" uv.lock ;;
  run) exec serve "$tree" ;;
esac
exit 2
"#,
    ),
    (
        "serve",
        r#"#!/bin/sh
# serve TREE: an application that does not start without its tree.
[ -f "$1/p9/f59" ] || { echo "cannot find the module $1/p9/f59" >&2; exit 1; }
find "$1" -type f | wc -l >/tmp/at-start
pwd >/tmp/place
echo "$1" >/tmp/tree
exec httpd -f -p 8080 -h /srv/www
"#,
    ),
    ("apk", "#!/bin/sh\n# All packages are there.\nexit 0\n"),
    ("server", "#!/bin/sh\necho started >>\"$1/log\" && exec sleep 3600\n"),
];

/// What the application answers: how many modules it has, of which lock file, and its page.
const ANSWER: &str = r#"#!/bin/sh
cd "$(cat /tmp/place)"
tree=$(cat /tmp/tree)
printf 'Content-Type: text/plain\r\n\r\n'
echo "$(find "$tree" -type f | wc -l) files, lock $(head -n 1 "$tree/.lock"), page $(cat src/page)"
"#;

/// The base image of this process: two runs do not meet.
pub(crate) fn base_name() -> String {
    format!("composefix-engine/base:{}", std::process::id())
}

/// Files of a tree, as the stand-ins write them, by their path and their content.
pub(crate) fn tree_files() -> impl Iterator<Item = (String, String)> {
    let numbers = (0..10).flat_map(|p| (0..60).map(move |f| (p, f)));
    numbers.map(|(p, f)| (format!("p{p}/f{f}"), format!("module {p} {f}\n")))
}

/// Makes the base image.
///
/// # Errors
/// Which program this machine lacks.
pub(crate) fn make(engine: &Engine) -> Result<(), String> {
    let place = tempfile::tempdir().unwrap();
    let top = place.path().join("root");
    let busybox = program("busybox")?;
    if !library_paths(&busybox).is_empty() {
        return Err("busybox is not static: please install busybox-static".to_owned());
    }
    for directory in ["bin", "usr/bin", "usr/local/bin", "tmp", "etc", "root", "srv/www/cgi-bin"] {
        fs::create_dir_all(top.join(directory)).unwrap();
    }
    mode(&top.join("tmp"), 0o1777);
    fs::copy(&busybox, top.join("bin/busybox")).unwrap();
    for applet in ended(Command::new(&busybox).arg("--list"), None)?.well().lines() {
        if applet != "busybox" {
            symlink("busybox", top.join("bin").join(applet)).unwrap();
        }
    }
    for name in PROGRAMS {
        let program = program(name)?;
        fs::copy(&program, top.join("usr/bin").join(name)).unwrap();
        for library in library_paths(&program) {
            let inside = top.join(library.strip_prefix("/").unwrap());
            fs::create_dir_all(inside.parent().unwrap()).unwrap();
            fs::copy(&library, inside).unwrap();
        }
    }
    put(&top.join("etc/passwd"), b"root:x:0:0::/root:/bin/sh\napp:x:1000:1000::/tmp:/bin/sh\n");
    put(&top.join("etc/group"), b"root:x:0:\napp:x:1000:\n");
    for (name, text) in SCRIPTS {
        script(&top.join("usr/local/bin").join(name), text);
    }
    script(&top.join("srv/www/cgi-bin/answer"), ANSWER);
    let tar = place.path().join("root.tar");
    // Whoever runs the tests, the files belong to root.
    let owner = ["--owner=0", "--group=0", "-cf"];
    ended(Command::new("tar").arg("-C").arg(&top).args(owner).arg(&tar).arg("."), None)?.well();
    let path = "ENV PATH=/usr/local/bin:/usr/bin:/bin";
    let words = ["import", "-c", path, "-c", "CMD [\"sh\"]", "-", &base_name()];
    engine.docker_reads(&words, fs::File::open(tar).unwrap()).well();
    Ok(())
}

fn program(name: &str) -> Result<PathBuf, String> {
    let found = ended(Command::new("sh").args(["-c", &format!("command -v {name}")]), None)?;
    if !found.ok {
        return Err(format!("this machine has no {name}, which the images are made of"));
    }
    fs::canonicalize(found.text).map_err(|error| error.to_string())
}

/// The libraries that a program is linked with; none for a static one.
fn library_paths(program: &Path) -> Vec<PathBuf> {
    let said = ended(Command::new("ldd").arg(program), None).unwrap();
    let words = said.text.split_whitespace().filter(|word| word.starts_with('/'));
    words.map(PathBuf::from).collect()
}

fn script(path: &Path, text: &str) {
    put(path, text.as_bytes());
    mode(path, 0o755);
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}
