use std::process::Command;

use super::*;
use crate::host::{MemoryHost, MemoryNode, RealHost};

/// An index of version 2 or 3, entries with the second flags field for version 3.
fn index(version: u32, hash: usize, paths: &[&str], extensions: &[(&[u8], &[u8])]) -> Vec<u8> {
    let mut bytes = b"DIRC".to_vec();
    bytes.extend(version.to_be_bytes());
    bytes.extend(u32::try_from(paths.len()).unwrap().to_be_bytes());
    for path in paths {
        let start = bytes.len();
        bytes.extend(vec![7; 40 + hash]);
        let length = u16::try_from(path.len()).unwrap().min(0xfff);
        bytes.extend((length | if version == 3 { 0x4000 } else { 0 }).to_be_bytes());
        if version == 3 {
            bytes.extend([0x20, 0]);
        }
        bytes.extend(path.as_bytes());
        bytes.push(0);
        while !(bytes.len() - start).is_multiple_of(8) {
            bytes.push(0);
        }
    }
    for (name, content) in extensions {
        bytes.extend(*name);
        bytes.extend(u32::try_from(content.len()).unwrap().to_be_bytes());
        bytes.extend(*content);
    }
    bytes.extend(vec![9; hash]);
    bytes
}

/// An index that tracks these paths.
pub(crate) fn index_of(paths: &[&str]) -> Vec<u8> {
    index(2, 20, paths, &[])
}

/// An index of version 4: for each entry the bytes to drop from the path before, and the rest.
fn index_v4(entries: &[(&[u8], &str)]) -> Vec<u8> {
    let mut bytes = b"DIRC\0\0\0\x04".to_vec();
    bytes.extend(u32::try_from(entries.len()).unwrap().to_be_bytes());
    for (drop, rest) in entries {
        bytes.extend([7; 62]);
        bytes.extend(*drop);
        bytes.extend(rest.as_bytes());
        bytes.push(0);
    }
    bytes.extend([9; 20]);
    bytes
}

fn paths_of(bytes: &[u8], hash: usize) -> Option<Vec<String>> {
    let mut paths = Vec::new();
    read(bytes, hash, &mut |path| paths.push(String::from_utf8(path.to_vec()).unwrap()))?;
    Some(paths)
}

/// Which of the paths below `/r` are tracked.
fn tracked(host: &MemoryHost, paths: &[&str]) -> Result<Vec<String>, String> {
    let repository = Repository::find(host, Path::new("/r")).unwrap();
    let mut wanted: Paths =
        paths.iter().map(|path| (path.as_bytes().to_vec(), Tracked::default())).collect();
    repository.mark(host, &mut wanted)?;
    let found = wanted.into_iter().filter(|(_, found)| found.files);
    Ok(found.map(|(path, _)| String::from_utf8(path).unwrap()).collect())
}

#[test]
fn reads_entries_of_every_length() {
    let long = "d/".repeat(2100) + "f";
    let paths: Vec<String> = (1..30).map(|length| "x".repeat(length)).chain([long]).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    for version in [2, 3] {
        for hash in [20, 32] {
            assert_eq!(paths_of(&index(version, hash, &paths, &[]), hash).unwrap(), paths);
        }
    }
}

#[test]
fn reads_compressed_paths() {
    let long = format!("a/{}", "y".repeat(300));
    // 302 = ((1 + 1) << 7 | 46): dropped bytes as git writes them.
    let bytes =
        index_v4(&[(b"\0", "a/one"), (b"\x03", "two"), (b"\x05", &long), (b"\x81\x2e", "b")]);
    assert_eq!(paths_of(&bytes, 20).unwrap(), ["a/one", "a/two", &long, "b"]);
    assert_eq!(paths_of(&index_v4(&[(b"\x01", "a")]), 20), None);
}

#[test]
fn passes_over_optional_extensions_only() {
    let with = |name: &[u8]| index(2, 20, &["a"], &[(b"TREE", b"123"), (name, b"")]);
    assert!(paths_of(&with(b"UNTR"), 20).is_some());
    assert!(paths_of(&with(b"sdir"), 20).is_some());
    assert!(paths_of(&with(b"new!"), 20).is_none());
}

#[test]
fn never_takes_damaged_bytes_for_an_index() {
    let whole = index(3, 20, &["a/b", "vendor/c"], &[(b"TREE", b"123")]);
    let all = paths_of(&whole, 20);
    for length in 0..whole.len() {
        // Without its extensions it may look whole, but no path is ever missing.
        let found = paths_of(&whole[..length], 20);
        assert!(found.is_none() || found == all, "{length}");
    }
    assert_eq!(paths_of(&whole[..whole.len() - 1], 20), None);
    assert_eq!(paths_of(&whole, 32), None);
    let mut wrong = whole;
    wrong[7] = 5;
    assert_eq!(paths_of(&wrong, 20), None);
}

#[test]
fn tells_what_is_tracked_at_and_below_a_path() {
    let content = index(2, 20, &["a/vendor/x/y", "lib", "sparse/dir/", "vendor2/z"], &[]);
    let host = MemoryHost::default().with_file("/r/.git/index", content);
    let paths = ["vendor", "a/vendor", "a/vendor/x", "a/vend", "lib", "sparse/dir", "sparse/other"];
    assert_eq!(tracked(&host, &paths).unwrap(), ["a/vendor", "a/vendor/x", "lib", "sparse/dir"]);
}

#[test]
fn names_what_is_tracked_in_a_directory() {
    let paths = ["README", "app/src/a", "app/src/b", "app/x", "apple/y"];
    let host = MemoryHost::default()
        .with_file("/r/.git/HEAD", "")
        .with_file("/r/.git/index", index_of(&paths))
        .with("/r/app/new", MemoryNode::Directory)
        .with("/r/empty", MemoryNode::Directory)
        .with("/elsewhere", MemoryNode::Directory);
    let names = |path: &str| {
        let names = tracked_names(&host, Path::new(path))?;
        Some(names.into_iter().collect::<Vec<_>>())
    };
    assert_eq!(names("/r").unwrap(), ["README", "app", "apple"]);
    assert_eq!(names("/r/app").unwrap(), ["src", "x"]);
    assert_eq!(names("/r/empty").unwrap(), [""; 0]);
    assert_eq!(names("/elsewhere"), None);
    assert_eq!(names("/r/missing"), None);
}

#[test]
fn reads_sha256_and_split_indexes() {
    let id = [0xab; 20];
    let split = index(2, 20, &["own/x"], &[(b"link", &id)]);
    let host = MemoryHost::default()
        .with_file("/r/.git/index", split)
        .with_file(format!("/r/.git/sharedindex.{}", "ab".repeat(20)), index(2, 20, &["s/x"], &[]));
    assert_eq!(tracked(&host, &["own", "s", "t"]).unwrap(), ["own", "s"]);

    let unsplit = index(2, 20, &["own/x"], &[(b"link", &[0; 20])]);
    let host = MemoryHost::default().with_file("/r/.git/index", unsplit);
    assert_eq!(tracked(&host, &["own", "s"]).unwrap(), ["own"]);

    let host = MemoryHost::default().with_file("/r/.git/index", index(2, 32, &["a/b"], &[]));
    assert_eq!(tracked(&host, &["a", "b"]).unwrap(), ["a"]);
}

#[test]
fn finds_the_repository() {
    let host = MemoryHost::default()
        .with_file("/r/.git/HEAD", "ref: refs/heads/main\n")
        .with_file("/r/.git/modules/m/HEAD", "")
        .with_file("/r/m/.git", "gitdir: ../.git/modules/m\n")
        .with_file("/tree/.git", "gitdir: /r/.git/worktrees/tree\n")
        .with_file("/r/.git/worktrees/tree/HEAD", "")
        .with("/r/empty/.git", MemoryNode::Directory)
        .with_file("/r/odd/.git", "no pointer");
    let find = |path: &str| {
        let found = Repository::find(&host, Path::new(path))?;
        Some((found.root, found.directory))
    };
    let pair = |root: &str, directory: &str| Some((root.into(), directory.into()));
    assert_eq!(find("/r/a/b"), pair("/r", "/r/.git"));
    assert_eq!(find("/r/m/x"), pair("/r/m", "/r/.git/modules/m"));
    assert_eq!(find("/tree"), pair("/tree", "/r/.git/worktrees/tree"));
    assert_eq!(find("/r/empty"), pair("/r", "/r/.git"));
    assert_eq!(find("/r/odd"), pair("/r", "/r/.git"));
    assert_eq!(find("/elsewhere"), None);
    assert_eq!(tracked(&host, &["a"]).unwrap(), [""; 0], "nothing was ever added");
}

#[test]
fn a_broken_index_is_a_problem() {
    let host = MemoryHost::default().with_file("/r/.git/index", "DIRC?");
    let problem = tracked(&host, &["a"]).unwrap_err();
    assert_eq!(problem, "the index file has a format that is not known");
    let host = MemoryHost::default()
        .with("/r/.git/index", MemoryNode::Other)
        .with_file("/r/.git/HEAD", "");
    assert_eq!(
        tracked(&host, &["a"]).unwrap_err(),
        "cannot read the index file: not a regular file"
    );
}

#[test]
fn agrees_with_git() {
    let directory = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(directory.path()).unwrap();
    let git_in = |at: &Path, arguments: &[&str]| {
        let run = Command::new("git")
            .args(["-c", "user.name=n", "-c", "user.email=e", "-c", "protocol.file.allow=always"])
            .args(arguments)
            .current_dir(at)
            .env("GIT_CONFIG_GLOBAL", root.join("no-config"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output();
        match run {
            Ok(run) if run.status.success() => true,
            Ok(run) => panic!("{arguments:?}: {}", String::from_utf8_lossy(&run.stderr)),
            Err(_) => false,
        }
    };
    if !git_in(&root, &["--version"]) {
        eprintln!("skipped: no git");
        return;
    }
    let put = |path: &Path| {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::File::create(path).unwrap();
    };
    let fill = |top: &Path| {
        for path in ["web/vendor/x/autoload", "web/vendor/deep/er/file", "node_modules/y", "src/a"]
        {
            put(&top.join(path));
        }
    };
    let check = |top: &Path, what: &str| {
        let repository = Repository::find(&RealHost, top).unwrap();
        assert_eq!(repository.root, top, "{what}");
        let mut paths: Paths = ["web/vendor", "node_modules"]
            .map(|path| (path.as_bytes().to_vec(), Tracked::default()))
            .into();
        repository.mark(&RealHost, &mut paths).unwrap();
        assert!(paths[b"web/vendor".as_slice()].files, "{what}");
        assert!(!paths[b"node_modules".as_slice()].files, "{what}");
    };
    for hash in ["sha1", "sha256"] {
        let top = root.join(hash);
        fill(&top);
        git_in(&top, &["init", "-q", "--object-format", hash]);
        git_in(&top, &["add", "web", "src"]);
        for version in ["2", "3", "4"] {
            git_in(&top, &["update-index", "--index-version", version]);
            check(&top, &format!("{hash} version {version}"));
            // An entry with extended flags makes version 3 out of 2.
            put(&top.join("later"));
            git_in(&top, &["add", "--intent-to-add", "later"]);
            check(&top, &format!("{hash} version {version}, extended"));
            git_in(&top, &["rm", "-q", "--cached", "later"]);
        }
        git_in(&top, &["update-index", "--split-index"]);
        check(&top, &format!("{hash} split"));
        put(&top.join("src/b"));
        git_in(&top, &["add", "src/b"]);
        check(&top, &format!("{hash} split with an entry of its own"));
        git_in(&top, &["update-index", "--no-split-index"]);
        check(&top, &format!("{hash} split no more"));
        git_in(&top, &["commit", "-q", "-m", "m"]);
        let other = root.join(format!("{hash}-tree"));
        git_in(&top, &["worktree", "add", "-q", other.to_str().unwrap(), "HEAD", "--detach"]);
        check(&other, &format!("{hash} worktree"));
    }
    let outer = root.join("outer");
    std::fs::create_dir(&outer).unwrap();
    git_in(&outer, &["init", "-q"]);
    git_in(&outer, &["submodule", "add", "-q", root.join("sha1").to_str().unwrap(), "sub"]);
    check(&outer.join("sub"), "submodule");
}
