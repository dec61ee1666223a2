//! How long a run takes, and its parts: `cargo bench`.
//!
//! A whole `check` of one project is to stay below 10 ms, process start included, and a file of any
//! size in proportion to its bytes.
#![expect(clippy::unwrap_used, reason = "a benchmark without its input is of no use")]

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};

use composefix::compose::{Request, load};
use composefix::config::locate;
use composefix::finding::Applicability;
use composefix::host::{Environment, Host, MemoryHost, MemoryNode, RealHost};
use composefix::progress::Silent;
use composefix::rewrite::Destination;
use composefix::rules::Rules;
use composefix::run::{self, Examination, Session, Settings};
use composefix::source::Source;
use composefix::survey::{self, survey};
use composefix::yaml;
use divan::Bencher;
use tempfile::TempDir;

const COMPOSE: &str = "services:\n  web:\n    image: node:22\n    volumes:\n      - ./:/app\n";
const MANIFEST: &str = "{\"dependencies\": {\"left-pad\": \"1.0.0\"}}\n";

fn main() {
    divan::main();
}

// ---- input

/// A project on disk: one service, 40 directories of sources and 600 files under `node_modules`.
fn project() -> TempDir {
    let project = tempfile::tempdir().unwrap();
    fs::create_dir(project.path().join(".git")).unwrap();
    put(project.path(), "compose.yaml", COMPOSE);
    put(project.path(), "package.json", MANIFEST);
    for number in 0..200 {
        put(project.path(), &format!("src/{}/{number}.js", number % 40), "");
    }
    for number in 0..600 {
        put(project.path(), &format!("node_modules/left-pad/{number}.js"), "");
    }
    project
}

fn put(directory: &Path, name: &str, text: &str) {
    let path = directory.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    #[expect(clippy::disallowed_methods, reason = "a benchmark lays out its own files")]
    fs::write(path, text).unwrap();
}

/// So many services; each shares the project with its own directory below it.
fn services(count: usize) -> String {
    let service = |n| {
        format!(
            "  s{n}:\n    image: node:22\n    command: [\"npm\", \"run\", \"dev\"]\n    environment:\n      \
             NAME: s{n}\n    ports:\n      - \"{n}:80\"\n    volumes:\n      - ./s{n}:/app # sources\n"
        )
    };
    format!("services:\n{}", (0..count).map(service).collect::<String>())
}

fn environment(directory: &Path) -> Environment {
    Environment { directory: directory.to_path_buf(), ..Environment::default() }
}

fn settings(write_from: Applicability) -> Settings {
    Settings {
        platforms: vec!["macos-virtiofs".to_owned(), "windows-wsl2-drive".to_owned()],
        strategies: Vec::new(),
        select: Vec::new(),
        ignore: Vec::new(),
        write_from,
        full_survey: false,
        show_mounts: false,
        edits_alone: false,
        destination: Destination::InPlace,
        ..Settings::default()
    }
}

fn examine(host: &dyn Host, rules: &Rules, directory: &Path, write: Applicability) -> Examination {
    let environment = environment(directory);
    let session = Session { host, environment: &environment, rules, settings: settings(write) };
    run::examine(&session, &[Request::default()])
}

// ---- a whole run

/// From start to end of the process.
#[divan::bench]
fn process(bencher: Bencher<'_, '_>) {
    let project = project();
    bencher.bench_local(|| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_composefix"));
        command.arg("check").current_dir(project.path()).env_clear();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        assert_eq!(command.status().unwrap().code(), Some(1));
    });
}

/// A process that does nothing: what the system takes for itself.
#[divan::bench]
fn process_version(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_composefix"));
        command.arg("--version").env_clear().stdout(Stdio::null());
        assert_eq!(command.status().unwrap().code(), Some(0));
    });
}

/// The same without the process: flags, rules, run and report.
#[divan::bench]
fn command(bencher: Bencher<'_, '_>) {
    let project = project();
    bencher.bench_local(|| {
        let mut out = Vec::new();
        let exit = composefix::cli::Command {
            stdin: &mut std::io::empty(),
            stdout: &mut out,
            stderr: &mut std::io::sink(),
            stdin_is_terminal: false,
            stdout_is_terminal: false,
            stderr_is_terminal: false,
            environment: environment(project.path()),
            host: &RealHost,
        }
        .main(["composefix", "check"].map(Into::into).into_iter());
        assert_eq!(exit.code(), 1);
        out
    });
}

/// All but the start of the process and the rules.
#[divan::bench]
fn examine_on_disk(bencher: Bencher<'_, '_>) {
    let project = project();
    let rules = Rules::builtin().unwrap();
    bencher.bench_local(|| {
        let found = examine(&RealHost, &rules, project.path(), Applicability::Safe);
        assert_eq!(found.report.findings.len(), 1);
    });
}

/// Planning and proving the patch of an application with two ecosystems.
#[divan::bench]
fn plan_laravel(bencher: Bencher<'_, '_>) {
    let directory = Path::new("/home/me/shop");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/laravel/input");
    let mut host = MemoryHost::default()
        .with(directory.join("vendor"), MemoryNode::Tree(9000))
        .with(directory.join("node_modules"), MemoryNode::Tree(20_000));
    for name in ["compose.yaml", "composer.json", "package.json", "artisan", "Dockerfile"] {
        let bytes = RealHost.read(&from.join(name), 1 << 20).unwrap();
        host = host.with_file(directory.join(name), bytes);
    }
    let rules = Rules::builtin().unwrap();
    bencher.bench_local(|| {
        let found = examine(&host, &rules, directory, Applicability::Unsafe);
        assert_eq!(found.patches.len(), 1);
    });
}

// ---- its parts

/// All rule files, parsed and checked.
#[divan::bench]
fn rules() -> Rules {
    Rules::builtin().unwrap()
}

/// The search for a configuration, six directories below the root of a repository.
#[divan::bench]
fn locate_config(bencher: Bencher<'_, '_>) {
    let project = project();
    let deep = project.path().join("a/b/c/d/e/f");
    let environment = environment(&deep);
    bencher.bench_local(|| locate(&RealHost, &environment, &deep, &mut BTreeMap::new()));
}

/// A look below one bind.
#[divan::bench]
fn survey_on_disk(bencher: Bencher<'_, '_>) {
    let project = project();
    let rules = Rules::builtin().unwrap();
    bencher.bench_local(|| {
        survey(&RealHost, rules.trees(), project.path(), survey::Limits::default(), &Silent)
    });
}

/// A file of 14, 2,200 and 22,000 services: 3 KB, 500 KB and 5 MB.
#[divan::bench(args = [14, 2200, 22_000], max_time = 3)]
fn parse(bencher: Bencher<'_, '_>, count: usize) {
    let text = services(count);
    bencher.counter(divan::counter::BytesCount::of_str(&text)).bench_local(|| {
        let source = Source::new("compose.yaml", black_box(text.as_str()));
        yaml::parse(&source, &yaml::Limits::default()).unwrap()
    });
}

/// The same files, read as a project.
#[divan::bench(args = [14, 2200, 22_000], max_time = 3)]
fn load_project(bencher: Bencher<'_, '_>, count: usize) {
    let directory = Path::new("/home/me/shop");
    let host = MemoryHost::default().with_file(directory.join("compose.yaml"), services(count));
    let environment = environment(directory);
    bencher.bench_local(|| load(&host, &environment, &Request::default()).unwrap());
}

/// Services that all share one tree: each has a finding and a fix.
#[divan::bench(args = [10, 100, 1000], max_time = 5)]
fn examine_shared_tree(bencher: Bencher<'_, '_>, count: usize) {
    let directory = Path::new("/home/me/shop");
    let service = |n| format!("  s{n}:\n    image: node:22\n    volumes:\n      - ./:/app\n");
    let text = format!("services:\n{}", (0..count).map(service).collect::<String>());
    let host = MemoryHost::default()
        .with_file(directory.join("compose.yaml"), text)
        .with_file(directory.join("package.json"), MANIFEST)
        .with(directory.join("node_modules"), MemoryNode::Tree(600));
    let rules = Rules::builtin().unwrap();
    bencher.bench_local(|| {
        let found = examine(&host, &rules, directory, Applicability::Unsafe);
        assert_eq!(found.report.findings.len(), count);
    });
}
