use std::cell::RefCell;

use super::*;

/// A directory with files in it.
struct Place(tempfile::TempDir);

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            place.put(name, text);
        }
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, text: &str) {
        File::create(self.at(name)).unwrap().write_all(text.as_bytes()).unwrap();
    }

    fn text(&self, name: &str) -> String {
        String::from_utf8(RealHost.read(&self.at(name), 9_999).unwrap()).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let entries = RealHost.entries(self.0.path()).unwrap();
        entries.into_iter().map(|entry| entry.name.into_string().unwrap()).collect()
    }

    fn write(&self, name: &str, before: &str, after: &str) -> Write {
        Write { path: self.at(name), before: Some(before.into()), after: after.into() }
    }
}

fn real(file: NamedTempFile, target: &Path) -> io::Result<()> {
    file.persist(target).map(drop).map_err(|error| error.error)
}

#[test]
fn writes_several_files_and_leaves_nothing_else() {
    let place = Place::new(&[("a", "1"), ("b", "2"), ("c", "3")]);
    let files =
        [place.write("a", "1", "one"), place.write("b", "2", ""), place.write("c", "3", "3")];
    write_all(&files).unwrap();
    assert_eq!(["a", "b", "c"].map(|name| place.text(name)), ["one", "", "3"]);
    assert_eq!(place.names(), ["a", "b", "c"]);
    write_all(&[]).unwrap();
}

#[test]
fn refuses_all_when_one_has_changed() {
    for now in ["3", "2x", "", "22222222"] {
        let place = Place::new(&[("a", "1"), ("b", now)]);
        let error =
            write_all(&[place.write("a", "1", "one"), place.write("b", "2", "2")]).unwrap_err();
        assert!(matches!(&error, WriteError::Changed { path } if *path == place.at("b")));
        assert!(error.to_string().contains("b has changed since it was read"), "{error}");
        assert_eq!(place.text("a"), "1");
        assert_eq!(place.names(), ["a", "b"]);
    }
}

#[test]
fn refuses_what_is_no_file_or_not_there() {
    let place = Place::new(&[("a", "1")]);
    fs::create_dir(place.at("d")).unwrap();
    let first = place.write("a", "1", "one");
    let error = write_all(&[first.clone(), place.write("d", "", "x")]).unwrap_err();
    assert!(matches!(error, WriteError::NotAFile { .. }), "{error}");
    let error = write_all(&[first, place.write("gone", "", "x")]).unwrap_err();
    assert!(matches!(error, WriteError::Unreadable { .. }), "{error}");
    assert_eq!(place.text("a"), "1");
    assert_eq!(place.names(), ["a", "d"]);
}

#[test]
fn refuses_read_only_files_also_as_administrator() {
    let place = Place::new(&[("a", "1"), ("b", "2")]);
    let mut mode = fs::metadata(place.at("b")).unwrap().permissions();
    mode.set_readonly(true);
    fs::set_permissions(place.at("b"), mode).unwrap();
    let error =
        write_all(&[place.write("a", "1", "one"), place.write("b", "2", "two")]).unwrap_err();
    assert!(matches!(error, WriteError::ReadOnly { .. }), "{error}");
    assert!(error.to_string().contains("make it writable"), "{error}");
    assert_eq!(["a", "b"].map(|name| place.text(name)), ["1", "2"]);
    assert_eq!(place.names(), ["a", "b"]);
}

#[test]
fn a_failed_rename_undoes_the_earlier_ones() {
    let names = ["a", "b", "c"];
    for failing in names {
        let place = Place::new(&[("a", "1"), ("b", "2"), ("c", "3")]);
        let files = [("a", "1"), ("b", "2"), ("c", "3")].map(|(n, b)| place.write(n, b, "new"));
        let error = write_with(&files, &|file, target| {
            if target.ends_with(failing) { Err(io::Error::other("no")) } else { real(file, target) }
        })
        .unwrap_err();
        assert!(matches!(&error, WriteError::Replace { path, .. } if path.ends_with(failing)));
        assert_eq!(names.map(|name| place.text(name)), ["1", "2", "3"]);
        assert_eq!(place.names(), names);
    }
}

#[test]
fn keeps_the_old_text_when_it_cannot_go_back() {
    let place = Place::new(&[("a", "1"), ("b", "2")]);
    let files = [place.write("a", "1", "one"), place.write("b", "2", "two")];
    let error = write_with(&files, &|file, target| {
        if target.ends_with("a") {
            return real(file, target);
        }
        fs::remove_file(place.at("a"))?;
        fs::create_dir(place.at("a"))?;
        Err(io::Error::other("no"))
    })
    .unwrap_err();
    let WriteError::NotRestored { path, copy, .. } = &error else { panic!("{error}") };
    assert_eq!(*path, place.at("a"));
    assert_eq!(RealHost.read(copy, 9).unwrap(), b"1");
    assert!(error.to_string().contains("its old text is in"), "{error}");
    assert_eq!(place.text("b"), "2");
}

#[test]
fn looks_again_just_before_the_renames() {
    // The second file changes while the first is prepared: only a second look can see that, and it
    // comes before any rename.
    let place = Place::new(&[("a", "1"), ("b", "2")]);
    let renamed = RefCell::new(0);
    let files = [place.write("a", "1", "one"), place.write("b", "2", "two")];
    let prepared: Vec<_> = files
        .iter()
        .map(|file| {
            let data = verify(file, &file.path).unwrap();
            Prepared::new(file, file.path.clone(), &data, false).unwrap()
        })
        .collect();
    place.put("b", "X");
    let error = verify_and_commit(prepared, &|file, target| {
        *renamed.borrow_mut() += 1;
        real(file, target)
    })
    .unwrap_err();
    assert!(matches!(error, WriteError::Changed { .. }), "{error}");
    assert_eq!(*renamed.borrow(), 0);
    assert_eq!(place.names(), ["a", "b"]);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};

    use super::*;

    #[test]
    fn writes_through_links_and_leaves_them() {
        let place = Place::new(&[("real", "1")]);
        fs::create_dir(place.at("d")).unwrap();
        symlink("../real", place.at("d/link")).unwrap();
        symlink("d/link", place.at("link")).unwrap();
        write_all(&[place.write("link", "1", "one")]).unwrap();
        assert_eq!(RealHost.kind(&place.at("link")), Some(crate::host::EntryKind::Link));
        assert_eq!(RealHost.kind(&place.at("d/link")), Some(crate::host::EntryKind::Link));
        assert_eq!(place.text("real"), "one");
        assert_eq!(place.names(), ["d", "link", "real"]);
    }

    #[test]
    fn refuses_one_file_under_two_names() {
        let place = Place::new(&[("a", "1")]);
        symlink("a", place.at("b")).unwrap();
        let error =
            write_all(&[place.write("a", "1", "x"), place.write("b", "1", "y")]).unwrap_err();
        assert!(matches!(error, WriteError::Twice { .. }), "{error}");
        assert_eq!(place.text("a"), "1");
    }

    #[test]
    fn refuses_one_file_under_two_hard_links() {
        let place = Place::new(&[("a", "1")]);
        fs::hard_link(place.at("a"), place.at("b")).unwrap();
        let error =
            write_all(&[place.write("a", "1", "x"), place.write("b", "1", "y")]).unwrap_err();
        assert!(matches!(error, WriteError::Twice { .. }), "{error}");
        assert_eq!(place.text("a"), "1");
    }

    #[test]
    fn keeps_mode_and_owner() {
        let place = Place::new(&[("a", "1")]);
        fs::set_permissions(place.at("a"), fs::Permissions::from_mode(0o640)).unwrap();
        if chown(place.at("a"), Some(1234), Some(4321)).is_err() {
            eprintln!("skipped the owner: not the administrator");
        }
        let before = fs::metadata(place.at("a")).unwrap();
        write_all(&[place.write("a", "1", "one")]).unwrap();
        let after = fs::metadata(place.at("a")).unwrap();
        assert_eq!(after.mode(), before.mode());
        assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
        assert_ne!(after.ino(), before.ino(), "was replaced");
        // Undoing keeps them as well.
        place.put("b", "2");
        let files = [place.write("a", "one", "two"), place.write("b", "2", "two")];
        write_with(&files, &|file, target| {
            if target.ends_with("b") { Err(io::Error::other("no")) } else { real(file, target) }
        })
        .unwrap_err();
        let undone = fs::metadata(place.at("a")).unwrap();
        assert_eq!(undone.mode(), before.mode());
        assert_eq!((undone.uid(), undone.gid()), (before.uid(), before.gid()));
        assert_eq!(place.text("a"), "one");
    }

    #[test]
    fn keeps_hard_links_together() {
        let place = Place::new(&[("a", "old text"), ("c", "3")]);
        fs::hard_link(place.at("a"), place.at("b")).unwrap();
        write_all(&[place.write("a", "old text", "new")]).unwrap();
        assert_eq!(place.text("b"), "new");
        assert_eq!(place.names(), ["a", "b", "c"]);

        let files = [place.write("c", "3", "three"), place.write("a", "new", "newer text")];
        write_with(&files, &|_, _| Err(io::Error::other("no"))).unwrap_err();
        assert_eq!(["a", "b", "c"].map(|name| place.text(name)), ["new", "new", "3"]);
        assert_eq!(place.names(), ["a", "b", "c"]);
        assert_eq!(fs::metadata(place.at("a")).unwrap().nlink(), 2);
    }
}

fn create(place: &Place, name: &str, after: &str) -> Write {
    Write { path: place.at(name), before: None, after: after.into() }
}

#[test]
fn creates_a_file_where_there_is_none() {
    let place = Place::new(&[("a", "1")]);
    write_all(&[place.write("a", "1", "one"), create(&place, "new", "two")]).unwrap();
    assert_eq!([place.text("a"), place.text("new")], ["one", "two"]);
    assert_eq!(place.names(), ["a", "new"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;

        let mode = |name: &str| fs::metadata(place.at(name)).unwrap().permissions().mode();
        assert_eq!(mode("new"), mode("a"), "both are as this process creates files");
    }
    let error = write_all(&[create(&place, "no/directory", "")]).unwrap_err();
    assert!(matches!(error, WriteError::Directory { .. }), "{error}");
}

#[test]
fn never_creates_over_something() {
    let place = Place::new(&[("a", "1"), ("there", "mine")]);
    let error =
        write_all(&[place.write("a", "1", "one"), create(&place, "there", "")]).unwrap_err();
    assert!(matches!(error, WriteError::Exists { .. }), "{error}");
    let error = write_all(&[create(&place, "new", "1"), create(&place, "new", "2")]).unwrap_err();
    assert!(matches!(error, WriteError::Twice { .. }), "{error}");
    assert_eq!([place.text("a"), place.text("there")], ["1", "mine"]);
    assert_eq!(place.names(), ["a", "there"]);
}

#[test]
fn a_created_file_goes_when_another_cannot_be_written() {
    let place = Place::new(&[("a", "1")]);
    let files = [create(&place, "new", "two"), place.write("a", "1", "one")];
    let fails = |_: NamedTempFile, _: &Path| Err(io::ErrorKind::Other.into());
    let error = write_with(&files, &fails).unwrap_err();
    assert!(matches!(error, WriteError::Replace { .. }), "{error}");
    assert_eq!((place.names(), place.text("a")), (vec!["a".to_owned()], "1".to_owned()));
}
