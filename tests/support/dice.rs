//! Numbers that look like chance and are the same on every machine, and smaller versions of what
//! they made.

use std::collections::BTreeMap;

/// Draws from a seed.
pub(crate) struct Dice {
    state: u64,
}

impl Dice {
    /// `salt` tells makers apart that get the same seeds.
    pub(crate) fn new(seed: u64, salt: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ salt }
    }

    /// Splitmix64: small, and its numbers are good from the first on.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end).unwrap()).unwrap()
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }
}

/// Every set of files that has a little less in it: a file, or a line with and without what is
/// nested in it.
pub(crate) fn smaller(files: &BTreeMap<String, String>) -> Vec<BTreeMap<String, String>> {
    let mut all = Vec::new();
    for (name, text) in files {
        let mut others = files.clone();
        others.remove(name);
        all.push(others);
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let depth = |line: &str| line.len() - line.trim_start_matches([' ', '-']).len();
        for (index, line) in lines.iter().enumerate() {
            let nested = lines[index + 1..].iter();
            let nested = nested.take_while(|other| depth(other) > depth(line)).count();
            for end in [index + 1 + nested, index + 1] {
                let rest = [&lines[..index], &lines[end..]].concat().concat();
                let mut files = files.clone();
                files.insert(name.clone(), rest);
                all.push(files);
            }
        }
    }
    all
}
