//! The team's word that a finding does not count: comments in Compose files, and entries of the
//! configuration.

mod comment;

use std::collections::BTreeSet;

use crate::compose::{FileId, Origin, Project, is_under};
use crate::config::{Config, Ignore};
use crate::finding::{Finding, MountRef};
use crate::source::Span;

pub use comment::{Comment, Comments};

/// The team's own word that a finding does not count.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Suppression {
    /// Where it is written.
    pub by: SuppressedBy,
    /// The reason given; never empty.
    pub reason: String,
}

impl Suppression {
    /// For people: `ignored by a comment: …`.
    pub fn words(&self) -> String {
        let by = match self.by {
            SuppressedBy::Comment => "a comment",
            SuppressedBy::Config => "the configuration",
        };
        format!("ignored by {by}: {}", self.reason)
    }
}

/// Where a suppression is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SuppressedBy {
    /// A comment in the Compose file.
    Comment,
    /// An entry of the configuration file.
    Config,
}

/// One thing that can suppress findings.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ask {
    /// One rule of a comment.
    Comment {
        /// The file's name.
        file: String,
        /// The comment.
        span: Span,
        /// The rule.
        rule: String,
    },
    /// An entry of `ignore`.
    Entry {
        /// The configuration's name.
        file: String,
        /// Index of the entry.
        index: usize,
    },
}

impl Comment {
    /// Each of its rules.
    fn asks<'a>(&'a self, file: &'a str) -> impl Iterator<Item = Ask> + 'a {
        self.rules.iter().map(|rule| Ask::Comment {
            file: file.to_owned(),
            span: self.span,
            rule: rule.clone(),
        })
    }
}

/// Everything that can suppress findings of one project.
pub struct Asks<'a> {
    project: &'a Project,
    config: Option<&'a Config>,
    /// By the index of the file.
    comments: Vec<Comments>,
}

impl<'a> Asks<'a> {
    /// Finds it.
    pub fn of(project: &'a Project, config: Option<&'a Config>) -> Self {
        let files = project.files.iter();
        let comments = files.map(|file| Comments::of(&file.source, &file.document)).collect();
        Self { project, config, comments }
    }

    /// True when there is nothing of that kind.
    pub fn is_empty(&self) -> bool {
        self.comments.iter().all(|comments| comments.all.is_empty())
            && self.config.is_none_or(|config| config.file.ignore.is_empty())
    }

    /// All comments, with the name of their file.
    pub fn comments(&self) -> impl Iterator<Item = (&'a str, &Comment)> {
        let files = self.project.files.iter().zip(&self.comments);
        files.flat_map(|(file, comments)| {
            comments.all.iter().map(|comment| (file.source.name(), comment))
        })
    }

    /// Everything that suppresses a finding; comments come first.
    pub fn about(&self, finding: &Finding) -> Vec<(Ask, Suppression)> {
        let mut found = Vec::new();
        for (file, comment) in self.comments_on(&finding.mount) {
            let named = comment.rules.iter().any(|rule| rule == finding.rule);
            if let (true, Some(reason)) = (named, &comment.reason) {
                let rule = finding.rule.to_owned();
                let ask = Ask::Comment { file: file.to_owned(), span: comment.span, rule };
                let reason = reason.clone();
                found.push((ask, Suppression { by: SuppressedBy::Comment, reason }));
            }
        }
        let tree = finding.tree.as_ref().map(|tree| tree.target.as_str());
        let subject = Subject {
            rule: Some(finding.rule),
            file: self.path_of(finding.mount.origin),
            service: &finding.service,
            targets: [Some(finding.mount.target.as_str()), tree],
        };
        found.extend(self.config.map(|config| entries_about(config, &subject)).unwrap_or_default());
        found
    }

    /// Everything there is: each rule of each comment, each entry.
    pub fn all(&self) -> BTreeSet<Ask> {
        let comments = self.comments().flat_map(|(file, comment)| comment.asks(file));
        let entries = self.config.iter().flat_map(|config| {
            let file = config.source.name();
            let entries = 0..config.file.ignore.len();
            entries.map(|index| Ask::Entry { file: file.to_owned(), index })
        });
        comments.chain(entries).collect()
    }

    /// Everything that speaks of a mount or of a tree below it, whatever the rule. For a comment each
    /// of its rules.
    pub fn concerning(&self, service: &str, mount: &MountRef) -> Vec<Ask> {
        let mut found = Vec::new();
        for (file, comment) in self.comments_on(mount) {
            found.extend(comment.asks(file));
        }
        let Some(config) = self.config else { return found };
        let subject = Subject {
            rule: None,
            file: self.path_of(mount.origin),
            service,
            targets: [None, None],
        };
        for (index, entry) in config.file.ignore.iter().enumerate() {
            // What is not known may be anywhere.
            let near = |target: &&str| mount.target.is_empty() || is_under(target, &mount.target);
            let below = entry.target.as_deref().filter(near);
            let subject = Subject { targets: [below, None], ..subject.clone() };
            if fits(entry, &subject) {
                found.push(Ask::Entry { file: config.source.name().to_owned(), index });
            }
        }
        found
    }

    /// The comments that speak of a mount, at the place that wrote it and in the list that has it.
    pub fn comments_on(&self, mount: &MountRef) -> Vec<(&'a str, &Comment)> {
        let mut found: Vec<(&'a str, &Comment)> = Vec::new();
        for (file, first, last) in self.lines_of(mount) {
            let (Some(of), Some(file)) = (self.comments.get(file.0), self.project.file(file))
            else {
                continue;
            };
            for comment in of.about(&file.source, first, last) {
                if !found.iter().any(|(_, other)| other.span == comment.span) {
                    found.push((file.source.name(), comment));
                }
            }
        }
        found
    }

    /// The lines that a mount stands on: those of the entry that wrote it, and, where that is an
    /// alias in a list, those of the alias.
    fn lines_of(&self, mount: &MountRef) -> Vec<(FileId, usize, usize)> {
        let own = self.lines(mount.origin, None);
        let item = mount.place.and_then(|place| {
            let file = self.project.file(place.list.file)?;
            let list = file.document.follow(place.list.node);
            let item = file.document.items(list).get(place.index)?;
            self.lines(Origin { node: item.node, ..place.list }, item.dash)
        });
        let mut all: Vec<(FileId, usize, usize)> = own.into_iter().chain(item).collect();
        all.dedup();
        all
    }

    fn lines(&self, origin: Origin, dash: Option<usize>) -> Option<(FileId, usize, usize)> {
        let file = self.project.file(origin.file)?;
        let node = file.document.node(origin.node);
        let start = dash.unwrap_or(node.start()).min(node.start());
        let line = |offset| file.source.position(offset).line;
        let last = node.end().saturating_sub(1).max(start);
        Some((origin.file, line(start), line(last)))
    }

    /// The path of a file from the configuration's directory, with `/`; none for one outside of it.
    fn path_of(&self, origin: Origin) -> Option<String> {
        let path = &self.project.file(origin.file)?.path;
        self.config?.relative(path)
    }
}

/// What entries of the configuration are asked about.
#[derive(Debug, Clone)]
pub struct Subject<'a> {
    /// The rule; none for any.
    pub rule: Option<&'a str>,
    /// The file from the configuration's directory; none for one outside of it.
    pub file: Option<String>,
    /// The service; empty for none.
    pub service: &'a str,
    /// Container paths.
    pub targets: [Option<&'a str>; 2],
}

/// Entries of a configuration that speak of something.
pub fn entries_about(config: &Config, subject: &Subject<'_>) -> Vec<(Ask, Suppression)> {
    let entries = config.file.ignore.iter().enumerate();
    let found = entries.filter(|(_, entry)| fits(entry, subject)).map(|(index, entry)| {
        let reason = entry.reason.text().to_owned();
        let file = config.source.name().to_owned();
        (Ask::Entry { file, index }, Suppression { by: SuppressedBy::Config, reason })
    });
    found.collect()
}

fn fits(entry: &Ignore, subject: &Subject<'_>) -> bool {
    let Subject { rule, file, service, targets } = subject;
    entry.rule.is_none_or(|own| rule.is_none_or(|rule| own.id() == rule))
        && entry
            .file
            .as_ref()
            .is_none_or(|pattern| file.as_ref().is_some_and(|file| pattern.fits(file)))
        && entry.service.as_ref().is_none_or(|own| own == service)
        && entry.target.as_ref().is_none_or(|own| targets.iter().flatten().any(|t| *t == own))
}
