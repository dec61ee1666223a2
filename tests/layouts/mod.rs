//! Compose files in every layout that people write: [`file`] draws a project from a [`Tape`] and
//! writes it down, with indentation, quotes, brackets, comments and line ends as the tape says.

mod project;
mod writer;

use project::content;

/// A source of choices. Zeros, and everything past its end, stand for the most common choice, so a
/// shorter tape or one with smaller bytes gives a plainer file.
pub(crate) struct Tape<'a> {
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> Tape<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes: bytes.iter() }
    }

    fn next(&mut self) -> usize {
        self.bytes.next().map_or(0, |byte| usize::from(*byte))
    }

    /// A number below `count`.
    pub(crate) fn pick(&mut self, count: usize) -> usize {
        self.next() * count / 256
    }

    /// One of several.
    pub(crate) fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.pick(choices.len())]
    }

    /// True in so many of a hundred cases.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.next() * 100 >= 256 * (100 - percent)
    }
}

/// A value to be written.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    /// Text that may be written without quotes or with them.
    Text(String),
    /// Lines of a program or notice; the writer likes block scalars for them.
    Lines(String),
    /// Written bare: numbers, booleans, `<<`'s aliases.
    Bare(String),
    /// `key:` with nothing behind it, `{}` in brackets.
    Nothing,
    /// A list.
    List(Vec<Self>),
    /// A mapping.
    Map(Vec<(String, Self)>),
    /// A value with an anchor or a tag in front.
    Marked(String, Box<Self>),
}

/// A Compose file as text.
pub(crate) fn file(tape: &mut Tape<'_>) -> String {
    let json = tape.chance(8);
    let documents = content(tape, json);
    writer::write(tape, &documents, json)
}
