//! What a person sees who waits for a long run: one line, gone at the end.

use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use crate::compose::relative_name;
use crate::detect::grouped;
use crate::progress::Progress;
use crate::report::visible::visible;

/// A run that ends sooner tells nothing.
const PATIENCE: Duration = Duration::from_millis(500);

/// From one look of the line to the next.
const PAUSE: Duration = Duration::from_millis(100);

/// Goes to the start of the line and lets nothing run into the next one.
const OPEN: &str = "\r\u{1b}[?7l";

/// Removes what is left of a longer line, and lets lines run on again.
const CLOSE: &str = "\u{1b}[K\u{1b}[?7h";

/// Removes the line.
const GONE: &str = "\r\u{1b}[K";

/// A line on a terminal that tells how far a run is. Nothing runs beside the run: whoever calls
/// looks at the clock, and draws when it is time. Dropping it removes the line.
pub(super) struct Meter<'a> {
    /// Time since the start.
    clock: &'a (dyn Fn() -> Duration + Sync),
    /// The working directory, which names are shown from.
    here: &'a Path,
    screen: Mutex<Screen<'a>>,
    /// When to draw, in milliseconds since the start.
    next: AtomicU64,
    asked: AtomicUsize,
    looked_at: AtomicUsize,
    judged: AtomicUsize,
    files: AtomicU64,
}

struct Screen<'a> {
    out: &'a mut (dyn Write + Send),
    drawn: bool,
}

impl<'a> Meter<'a> {
    pub(super) fn new(
        out: &'a mut (dyn Write + Send),
        here: &'a Path,
        clock: &'a (dyn Fn() -> Duration + Sync),
    ) -> Self {
        Self {
            clock,
            here,
            screen: Mutex::new(Screen { out, drawn: false }),
            next: AtomicU64::new(milliseconds(PATIENCE)),
            asked: AtomicUsize::default(),
            looked_at: AtomicUsize::default(),
            judged: AtomicUsize::default(),
            files: AtomicU64::default(),
        }
    }

    /// Draws when it is time. Another thread that draws just now is not waited for.
    fn tick(&self, tree: Option<&Path>) {
        let now = milliseconds((self.clock)());
        if now < self.next.load(Ordering::Relaxed) {
            return;
        }
        let Ok(mut screen) = self.screen.try_lock() else { return };
        if now < self.next.load(Ordering::Relaxed) {
            return;
        }
        self.next.store(now + milliseconds(PAUSE), Ordering::Relaxed);
        screen.drawn = true;
        let line = self.line(tree);
        screen.show(&format!("{OPEN}{}{CLOSE}", visible(&line)));
    }

    fn line(&self, tree: Option<&Path>) -> String {
        let [asked, looked_at, judged] =
            [&self.asked, &self.looked_at, &self.judged].map(|count| count.load(Ordering::Relaxed));
        let files = Some(self.files.load(Ordering::Relaxed)).filter(|files| *files > 0);
        let files = files.map(|files| format!(", counted {} files", grouped(files)));
        let tree = tree.map(|tree| format!(", now in {}", relative_name(self.here, tree)));
        format!(
            "looked at {looked_at} of {asked} projects, judged {judged}{}{}",
            files.unwrap_or_default(),
            tree.unwrap_or_default()
        )
    }
}

impl Progress for Meter<'_> {
    fn asked(&self, projects: usize) {
        self.asked.fetch_add(projects, Ordering::Relaxed);
        self.tick(None);
    }

    fn looked_at(&self) {
        self.looked_at.fetch_add(1, Ordering::Relaxed);
        self.tick(None);
    }

    fn judged(&self) {
        self.judged.fetch_add(1, Ordering::Relaxed);
        self.tick(None);
    }

    fn counted(&self, tree: &Path, files: u64) {
        self.files.fetch_add(files, Ordering::Relaxed);
        self.tick(Some(tree));
    }
}

impl Drop for Meter<'_> {
    fn drop(&mut self) {
        if let Ok(screen) = self.screen.get_mut()
            && screen.drawn
        {
            screen.show(GONE);
        }
    }
}

impl Screen<'_> {
    /// Nobody can be told when that fails.
    fn show(&mut self, text: &str) {
        self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush()).ok();
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands on a terminal at the end, and every line that stood there on the way.
    fn shown(out: &[u8]) -> (String, Vec<String>) {
        let text = String::from_utf8(out.to_vec()).unwrap();
        let mut lines: Vec<String> = text.split('\r').map(str::to_owned).collect();
        let last = lines.pop().unwrap();
        let lines = lines.iter().filter_map(|line| {
            line.strip_prefix("\u{1b}[?7l")?.strip_suffix(CLOSE).map(str::to_owned)
        });
        (last.replace("\u{1b}[K", ""), lines.collect())
    }

    /// Plays a run by a clock that stands at the given milliseconds at each step.
    fn play(times: &[u64], step: impl Fn(&Meter<'_>, usize)) -> Vec<u8> {
        let mut out = Vec::new();
        let now = AtomicU64::default();
        let clock = || Duration::from_millis(now.load(Ordering::Relaxed));
        let meter = Meter::new(&mut out, Path::new("/work"), &clock);
        meter.asked(12);
        for (index, time) in times.iter().enumerate() {
            now.store(*time, Ordering::Relaxed);
            step(&meter, index);
        }
        drop(meter);
        out
    }

    #[test]
    fn a_short_run_writes_nothing() {
        assert_eq!(play(&[1, 4, 499], |meter, _| meter.judged()), b"");
    }

    #[test]
    fn a_long_run_shows_how_far_it_is_and_leaves_nothing() {
        let times = [100, 510, 550, 609, 611, 900];
        let out = play(&times, |meter, index| match index {
            0 | 1 => meter.looked_at(),
            2..5 => meter.counted(Path::new("/work/shop/node_modules"), 1_000),
            _ => meter.judged(),
        });
        let (last, lines) = shown(&out);
        assert_eq!(
            lines,
            [
                "looked at 2 of 12 projects, judged 0",
                "looked at 2 of 12 projects, judged 0, counted 3,000 files, now in shop/node_modules",
                "looked at 2 of 12 projects, judged 1, counted 3,000 files",
            ]
        );
        assert_eq!(last, "");
    }

    #[test]
    fn names_are_escaped() {
        let out = play(&[600], |meter, _| meter.counted(Path::new("/work/\u{1b}[2J"), 1));
        let (_, lines) = shown(&out);
        assert!(lines.iter().all(|line| line.ends_with("now in \\u{1b}[2J")), "{lines:?}");
        assert_eq!(lines.len(), 1);
    }

    #[test]
    fn threads_count_together() {
        let mut out = Vec::new();
        let clock = || Duration::from_secs(1);
        let meter = Meter::new(&mut out, Path::new("/work"), &clock);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let count = || (0..1_000).for_each(|_| meter.counted(Path::new("/work/a"), 3));
                scope.spawn(count);
            }
        });
        assert_eq!(meter.line(None), "looked at 0 of 0 projects, judged 0, counted 12,000 files");
        drop(meter);
        let (last, lines) = shown(&out);
        // The clock stands still, so one look is all there is.
        assert_eq!((last.as_str(), lines.len()), ("", 1));
    }
}
