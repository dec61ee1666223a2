//! Loading projects and looking around them, several at a time.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Session, Task};
use crate::compose::{Project, Request, Resolved, resolve};
use crate::dockerfile::Images;
use crate::progress::Progress;
use crate::scope::{Surveys, survey_binds};
use crate::survey::Limits;

/// A project with what was seen around it.
pub(super) struct Prepared<'a> {
    /// How to judge it.
    pub(super) session: &'a Session<'a>,
    /// What the user asked for.
    pub(super) asked: &'a Request,
    pub(super) resolved: Resolved,
    pub(super) surveys: Surveys,
    pub(super) images: Images,
}

impl<'a> Prepared<'a> {
    pub(super) fn of(task: &Task<'a>) -> Self {
        let Task { session, request: asked, progress } = *task;
        let Session { host, environment, rules, .. } = session;
        let resolved = resolve(*host, environment, asked);
        let (surveys, images) = match &resolved.project {
            Ok(project) => (
                look_around(session, project, progress),
                Images::read(*host, environment, rules, project),
            ),
            Err(_) => (Surveys::default(), Images::default()),
        };
        progress.looked_at();
        Self { session, asked, resolved, surveys, images }
    }
}

/// What lies below the binds of a project.
pub(super) fn look_around(
    session: &Session<'_>,
    project: &Project,
    progress: &dyn Progress,
) -> Surveys {
    let Session { host, environment, rules, settings } = session;
    let usual = Limits::default();
    let min_files = settings.min_files.unwrap_or(usual.min_files);
    let limits = Limits { full: settings.full_survey, min_files, ..usual };
    survey_binds(*host, environment, rules, project, limits, progress)
}

/// Bytes of stack of a thread that loads projects: as much as the main thread has.
const STACK: usize = 8 << 20;

/// What `work` makes of each task, in the order of the tasks, whoever was ready first.
pub(super) fn in_parallel<T: Sync, R: Send>(tasks: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(tasks.len());
    if workers < 2 {
        return tasks.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = tasks.get(index) else { return done };
            done.push((index, work(task)));
        }
    };
    let mut all = std::thread::scope(|scope| {
        let thread = |_| std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, take);
        let others: Vec<_> = (1..workers).filter_map(|n| thread(n).ok()).collect();
        let mut all = take();
        for other in others {
            match other.join() {
                Ok(done) => all.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, result)| result).collect()
}
