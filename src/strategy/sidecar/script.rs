//! What the new service runs.

/// Where its packages come from: a maintained distribution with its own packages.
pub(super) const IMAGE: &str = "alpine:3.22";

/// The file that is there once the first copy is complete.
pub(super) const READY: &str = "/tmp/ready";

/// Seconds between two looks at everything, where nobody says otherwise.
pub(super) const INTERVAL: u32 = 10;

/// How it learns of changes on the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sync {
    /// By file events, and by a look at everything when there was none for a minute.
    Listen,
    /// By file events, and by looking at everything again after so many seconds, because some
    /// machines raise none.
    Both(u32),
    /// By looking at everything again after so many seconds.
    Poll(u32),
}

/// A shell script that copies one directory, one way, for ever.
#[derive(Debug, Clone)]
pub(super) struct Script {
    /// The tree of the host, in the container.
    pub(super) from: String,
    /// Where the copy goes.
    pub(super) to: String,
    /// `uid` or `uid:gid` of the copies.
    pub(super) owner: Option<String>,
    /// How it learns of changes.
    pub(super) sync: Sync,
    /// True when the script gets its programs itself.
    pub(super) fetches: bool,
}

/// Waits for events until there was none for a minute: those of a directory that is removed and made
/// anew are lost, and some shares swallow some. The pause behind it keeps a listener that cannot start
/// from spinning.
const LISTENER: &str =
    "inotifywait -mqr -t 60 --format . -e modify,attrib,close_write,move,create,delete \"$tree\"";

/// Copies for each line that it reads; what belongs to one burst is copied at once.
const COPIER: &str = "\
while read -r event; do
  count=0
  while [ $count -lt 1000 ] && read -r -t 1 event; do count=$((count + 1)); done
  copy
done
";

impl Script {
    /// The Dockerfile that holds its programs.
    pub(super) fn dockerfile(&self) -> String {
        format!("FROM {IMAGE}\nRUN apk add --no-cache {}\n", self.packages())
    }

    fn packages(&self) -> &'static str {
        match self.sync {
            Sync::Listen | Sync::Both(_) => "rsync inotify-tools",
            Sync::Poll(_) => "rsync",
        }
    }

    /// The script, with `$$` for each `$` as Compose wants it.
    ///
    /// Links are copied as links, and nothing is excluded, so that the copy is the tree. A tree that
    /// is empty or gone is about to be installed anew and deletes nothing. Code 24 of rsync: a file
    /// was gone before its turn.
    pub(super) fn text(&self) -> String {
        let owner = self.owner.as_ref().map_or_else(String::new, |o| format!(" --chown={o}"));
        let fetch = if self.fetches {
            format!("command -v rsync >/dev/null || apk add --no-cache {}\n", self.packages())
        } else {
            String::new()
        };
        let rest = match self.sync {
            Sync::Listen => {
                format!("while :; do\n  {LISTENER}\n  sleep 5\n  echo .\ndone | {COPIER}")
            }
            Sync::Both(seconds) => format!(
                "{{\n  while :; do\n    {LISTENER}\n    sleep 5\n  done &\n  while sleep {seconds}; do echo .; done\n}} | {COPIER}"
            ),
            Sync::Poll(seconds) => format!("while sleep {seconds}; do copy; done\n"),
        };
        format!(
            "{fetch}tree={}
copy() {{
  [ -n \"$(ls -A \"$tree\")\" ] || {{ echo \"nothing to copy in $tree\"; return 1; }}
  rsync -a --delete --chmod=a+rX{owner} \"$tree/\" {}/ || [ $? -eq 24 ]
}}
rm -f {READY}
until copy; do sleep 5; done
touch {READY}
{rest}",
            word(&self.from),
            word(&self.to),
        )
        .replace('$', "$$")
    }
}

/// A text as one word of the shell.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '.');
    if text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(from: &str, sync: Sync) -> Script {
        Script { from: from.to_owned(), to: "/data".to_owned(), owner: None, sync, fetches: false }
    }

    #[test]
    fn paths_are_one_word_for_the_shell_and_no_variable_for_compose() {
        let text = script("/host/it's $HOME/vendor", Sync::Poll(INTERVAL)).text();
        assert!(text.starts_with("tree='/host/it'\\''s $$HOME/vendor'\n"), "{text}");
        let single = text.replace("$$", "");
        assert!(!single.contains('$'), "a lone $ is left: {text}");
    }

    #[test]
    fn nothing_but_the_tree_is_deleted_and_links_stay_links() {
        for sync in [Sync::Listen, Sync::Both(INTERVAL), Sync::Poll(INTERVAL)] {
            let text =
                Script { owner: Some("1001:1001".to_owned()), ..script("/host/vendor", sync) }
                    .text();
            let copies: Vec<&str> = text.lines().filter(|l| l.contains("rsync ")).collect();
            assert_eq!(
                copies,
                [
                    "  rsync -a --delete --chmod=a+rX --chown=1001:1001 \"$$tree/\" /data/ || [ $$? -eq 24 ]"
                ]
            );
        }
    }

    #[test]
    fn ready_comes_after_the_first_copy_and_not_from_an_earlier_run() {
        for sync in [Sync::Listen, Sync::Both(INTERVAL), Sync::Poll(INTERVAL)] {
            let text = script("/host/vendor", sync).text();
            let at = |line: &str| text.find(line).unwrap();
            assert!(at("rm -f /tmp/ready") < at("until copy;"), "{text}");
            assert!(at("until copy;") < at("touch /tmp/ready"), "{text}");
            assert!(at("touch /tmp/ready") < at("while "), "{text}");
        }
    }

    #[test]
    fn the_team_chooses_how_often_it_looks() {
        assert!(
            script("/host/vendor", Sync::Poll(3))
                .text()
                .ends_with("while sleep 3; do copy; done\n")
        );
    }

    #[test]
    fn a_team_of_several_machines_listens_and_looks() {
        let text = script("/host/vendor", Sync::Both(4)).text();
        assert!(text.contains("inotifywait -mqr -t 60"), "{text}");
        assert!(text.contains("  while sleep 4; do echo .; done\n} | while read"), "{text}");
    }

    #[test]
    fn only_a_listener_needs_a_program_to_listen() {
        for sync in [Sync::Listen, Sync::Both(INTERVAL)] {
            assert!(script("/host/vendor", sync).dockerfile().contains("inotify-tools"));
        }
        assert!(!script("/host/vendor", Sync::Poll(INTERVAL)).dockerfile().contains("inotify"));
        assert!(!script("/host/vendor", Sync::Poll(INTERVAL)).text().contains("inotify"));
    }
}
