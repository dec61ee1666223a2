use super::super::args::Task;
use super::super::setups::{Choice, one_line};
use super::super::tests::parsed;
use super::*;
use crate::host::{Environment, RealHost};

/// A directory with empty files in it.
struct Place(tempfile::TempDir);

impl Place {
    fn new(files: &[&str]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for file in files {
            place.put(file, "");
        }
        place
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::io::Write::write_all(&mut std::fs::File::create(path).unwrap(), text.as_bytes())
            .unwrap();
    }

    fn environment(&self) -> Environment {
        let home = self.0.path().parent().map(Path::to_path_buf);
        Environment { directory: self.0.path().to_path_buf(), home, ..Environment::default() }
    }

    /// What is found, with the requests of all setups and what does not hold.
    fn find(&self, words: &str, mut stdin: &[u8]) -> (Targets, Vec<Request>, Vec<String>) {
        let arguments = parsed(&format!("check {words}"));
        let Task::Check(flags) = arguments.task else { unreachable!() };
        let environment = self.environment();
        let choice = Choice::of(&flags.judgement.rules, &environment);
        let mut setups = Setups::new(&RealHost, &environment, choice, &[]).unwrap();
        let targets = find(&flags.project, &mut setups, &mut stdin, true).unwrap();
        let problems = setups.problems.iter().map(|problem| one_line(problem, None)).collect();
        let requests = setups.all.into_iter().flat_map(|setup| setup.requests).collect();
        (targets, requests, problems)
    }

    /// The files of each request, relative to the directory.
    fn files(&self, words: &str) -> Vec<String> {
        let (targets, requests, problems) = self.find(words, b"");
        assert_eq!(targets.problems, []);
        assert_eq!(problems, [""; 0]);
        let name = |file: &PathBuf| relative_name(self.0.path(), &self.0.path().join(file));
        let files =
            |request: &Request| request.files.iter().map(name).collect::<Vec<_>>().join("+");
        requests.iter().map(files).collect()
    }
}

#[test]
fn without_paths_compose_decides() {
    let place = Place::new(&[]);
    assert_eq!(place.files(""), [""]);
    assert_eq!(place.files("-f b.yaml -f a.yaml"), ["b.yaml+a.yaml"]);
}

#[test]
fn each_named_file_is_a_project_and_named_twice_is_named_once() {
    let place = Place::new(&["a.yaml"]);
    assert_eq!(place.files("b.yaml a.yaml ./x/../a.yaml"), ["b.yaml", "a.yaml"]);
}

#[test]
fn a_directory_is_searched_for_projects() {
    let place = Place::new(&[
        "compose.yaml",
        "compose.override.yaml",
        "docker-compose.prod.yml",
        "composer.json",
        "composer.lock",
        "other.yaml",
        "b/docker-compose.yml",
        "b/compose.json",
        "a/docker-compose.override.yml",
        ".devcontainer/docker-compose.yml",
    ]);
    let expected = [
        "compose.yaml+compose.override.yaml",
        "docker-compose.prod.yml",
        ".devcontainer/docker-compose.yml",
        "a/docker-compose.override.yml",
        "b/docker-compose.yml",
        "b/compose.json",
    ];
    assert_eq!(place.files("."), expected);
    assert_eq!(
        place.files("b . a"),
        [expected[4], expected[5], expected[0], expected[1], expected[2], expected[3]]
    );
}

#[test]
fn ignored_files_and_dependency_trees_are_not_searched() {
    let place = Place::new(&[
        "compose.yaml",
        "node_modules/x/compose.yaml",
        "app/composer.json",
        "app/vendor/x/docker-compose.yml",
        ".venv/compose.yaml",
        ".git/compose.yaml",
        "crate/Cargo.toml",
        "crate/target/compose.yaml",
        "plain/target/compose.yaml",
        "out/compose.yaml",
        "sub/skipped/compose.yaml",
    ]);
    place.put(".gitignore", "/out\n");
    place.put("sub/.gitignore", "skipped/\n");
    assert_eq!(place.files("."), ["compose.yaml", "plain/target/compose.yaml"]);
    assert_eq!(place.files("node_modules/x"), ["node_modules/x/compose.yaml"]);
}

#[test]
fn an_ignored_override_still_belongs_to_its_project() {
    let place = Place::new(&["compose.yaml", "compose.override.yaml"]);
    place.put(".gitignore", "compose.override.yaml\n");
    assert_eq!(place.files("."), ["compose.yaml+compose.override.yaml"]);
}

#[test]
fn a_directory_without_compose_files_is_a_problem() {
    let place = Place::new(&["x/composer.json"]);
    let (targets, requests, _) = place.find("x", b"");
    assert!(requests.is_empty());
    assert_eq!(targets.problems.len(), 1);
    assert_eq!(targets.problems[0].file.as_deref(), Some("x"));
}

#[test]
fn standard_input_has_a_name_and_a_text() {
    let place = Place::new(&[]);
    for (words, name) in [
        ("-", "compose.yaml"),
        ("- --stdin-filename sub/x.yaml", "sub/x.yaml"),
        ("-f - --stdin-filename x.yaml", "x.yaml"),
    ] {
        let (_, requests, _) = place.find(words, b"services: {}\n");
        let path = place.0.path().join(name);
        let [request] = requests.as_slice() else { panic!("{requests:?}") };
        assert_eq!(request.files, std::slice::from_ref(&path));
        assert_eq!(request.texts[&path], "services: {}\n");
    }
    let (_, requests, _) = place.find("-f a.yaml -f -", b"x: 1\n");
    let names = ["a.yaml", "compose.yaml"].map(|name| place.0.path().join(name));
    assert_eq!(requests[0].files, names);
    let (targets, requests, _) = place.find("-", b"a: \xff\xfe\n");
    assert_eq!((requests.len(), targets.problems.len()), (0, 1));
}

#[test]
fn flags_of_the_project_hold_for_every_request() {
    let place = Place::new(&["a/compose.yaml", "b/compose.yaml"]);
    let words = ". --profile dev --profile test --env-file e --project-directory p";
    let (_, requests, _) = place.find(words, b"");
    assert_eq!(requests.len(), 2);
    for request in requests {
        assert_eq!(request.profiles, ["dev", "test"]);
        assert_eq!(request.env_files, [PathBuf::from("e")]);
        assert_eq!(request.project_directory, Some(PathBuf::from("p")));
    }
}
