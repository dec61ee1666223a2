//! Whether an image holds the code that a bind mount shows.

use std::path::Path;

use super::copy::below;
use super::shell::join;
use super::stage::{Copy, Effect, From, Run};
use super::{Content, Image};
use crate::compose::{clean_path, is_under};

/// Stages and copies that a question may go through.
const MAX_DEPTH: usize = 40;

/// See [`Image::holds_source`].
pub(super) fn holds(image: &Image, target: &str, source: &Path) -> Content {
    Question { image, source, left: 10_000 }.at(image.target, target, 0)
}

struct Question<'a> {
    image: &'a Image,
    source: &'a Path,
    left: usize,
}

impl Question<'_> {
    fn at(&mut self, stage: usize, target: &str, depth: usize) -> Content {
        let Some(stage) = self.image.stages.get(stage).filter(|_| depth < MAX_DEPTH) else {
            return Content::Unknown;
        };
        let mut content = match &stage.from {
            From::Stage(before) => self.at(*before, target, depth + 1),
            _ => Content::Unknown,
        };
        for event in &stage.events {
            if self.left == 0 {
                return Content::Unknown;
            }
            self.left -= 1;
            match &event.effect {
                Effect::Copy(copy) => {
                    let brought = self.copied(copy, event.line, target, depth);
                    let full = matches!(content, Content::Filled { .. });
                    match brought {
                        Some(Content::Created { .. }) if full => {}
                        Some(brought) => content = brought,
                        None => {}
                    }
                }
                Effect::Run(run) if takes_away(run, target) => content = Content::Unknown,
                _ => {}
            }
        }
        content
    }

    /// What a `COPY` brings to the target; none when it leaves it as it is.
    fn copied(&mut self, copy: &Copy, line: usize, target: &str, depth: usize) -> Option<Content> {
        let part = || Content::Created { by: copy.text.clone(), line };
        if copy.to != target && is_under(&copy.to, target) {
            return Some(part());
        }
        let rest = below(target, &copy.to)?;
        if copy.odd {
            return Some(part());
        }
        let mut best = None;
        for source in &copy.sources {
            let at = clean_path(&format!("/{source}/{rest}"));
            match &copy.from {
                Some(From::Stage(stage)) => {
                    let there = join(Some("/"), &at)?;
                    let other = self.at(*stage, &there, depth + 1);
                    match other {
                        Content::Filled { .. } => {
                            return Some(Content::Filled { by: copy.text.clone(), line });
                        }
                        Content::Created { .. } => best = Some(part()),
                        _ => {}
                    }
                }
                Some(_) => {}
                None => {
                    let path = self.image.context.host_path(&at);
                    if path.as_deref() == Some(self.source) && self.lets_through(&at) {
                        return Some(Content::Filled { by: copy.text.clone(), line });
                    }
                    best = Some(part());
                }
            }
        }
        best
    }

    fn lets_through(&self, at: &str) -> bool {
        let ignore = &self.image.context.ignore;
        let at = at.trim_start_matches('/');
        let own = at.is_empty() || ignore.excludes(at) == Some(false);
        own && !ignore.starts_with_everything()
    }
}

fn takes_away(run: &Run, target: &str) -> bool {
    let command = &run.command;
    matches!(command.program(), "rm" | "mv")
        && command.operands().any(|word| {
            let top = join(command.dir.as_deref(), word.trim_end_matches('*'));
            top.is_none_or(|top| is_under(target, &top))
        })
}
