//! Rule files of one folder, read when somebody asks for them.
//!
//! A run asks for one or two platforms and a handful of images out of a hundred files; reading them
//! all would take longer than the rest of a small run.

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::error::Error;

use super::check::{Kind, read};

/// The files of one folder, sorted by id.
#[derive(Debug, Clone)]
pub(super) struct Shelf<T> {
    sheets: Vec<Sheet<T>>,
}

/// One file.
#[derive(Debug, Clone)]
pub(super) struct Sheet<T> {
    /// The file's name without `.yaml`.
    id: String,
    /// 0 for built-in files, counting up with each folder laid over them.
    pub(super) layer: usize,
    text: Cow<'static, str>,
    value: OnceLock<Option<T>>,
}

impl<T: Kind> Sheet<T> {
    /// A built-in file, to be read later.
    pub(super) fn unread(id: &str, text: &'static str) -> Self {
        Self { id: id.to_owned(), layer: 0, text: Cow::Borrowed(text), value: OnceLock::new() }
    }

    /// A file that has been read already.
    pub(super) fn ready(value: T, layer: usize) -> Self {
        let id = value.id().to_owned();
        Self { id, layer, text: Cow::Borrowed(""), value: OnceLock::from(Some(value)) }
    }

    /// Its content. None only for a built-in file that does not hold, which `Shelf::check` finds.
    pub(super) fn value(&self) -> Option<&T> {
        self.value.get_or_init(|| read(&self.id, &self.file(), &self.text).ok()).as_ref()
    }

    /// False when `word` is surely nowhere in the file; spares reading it.
    pub(super) fn may_mention(&self, word: &str) -> bool {
        self.value.get().is_some() || self.text.contains(word)
    }

    fn file(&self) -> String {
        format!("rules/{}/{}.yaml", T::FOLDER, self.id)
    }
}

impl<T: Kind> Shelf<T> {
    /// From sheets in any order.
    pub(super) fn new(mut sheets: Vec<Sheet<T>>) -> Self {
        sheets.sort_by(|a, b| a.id.cmp(&b.id));
        Self { sheets }
    }

    /// Adds a file, in place of one with the same id.
    pub(super) fn put(&mut self, sheet: Sheet<T>) {
        match self.sheets.binary_search_by(|other| other.id.cmp(&sheet.id)) {
            Ok(at) => {
                if let Some(slot) = self.sheets.get_mut(at) {
                    *slot = sheet;
                }
            }
            Err(at) => self.sheets.insert(at, sheet),
        }
    }

    /// The file with this id.
    pub(super) fn get(&self, id: &str) -> Option<&T> {
        let at = self.sheets.binary_search_by(|sheet| sheet.id.as_str().cmp(id)).ok()?;
        self.sheets.get(at)?.value()
    }

    /// All files by id, unread ones among them.
    pub(super) fn sheets(&self) -> impl Iterator<Item = &Sheet<T>> {
        self.sheets.iter()
    }

    /// All contents by id.
    pub(super) fn values(&self) -> impl Iterator<Item = &T> {
        self.sheets.iter().filter_map(Sheet::value)
    }

    /// The first file that does not hold, as an error.
    pub(super) fn check(&self) -> Result<(), Error> {
        for sheet in self.sheets.iter().filter(|sheet| sheet.layer == 0) {
            read::<T>(&sheet.id, &sheet.file(), &sheet.text)?;
        }
        Ok(())
    }
}
