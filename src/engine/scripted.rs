//! An engine for tests: it keeps its containers in memory and fails at the step that a test chooses.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use super::{Answer, Engine, Failure, Shell};

/// What happens at the chosen step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mishap {
    /// The command fails, after it did its work if it starts a container.
    Failure,
    /// The user presses Ctrl-C.
    Interruption,
    /// The program panics.
    Panic,
}

/// The engine.
#[derive(Debug, Default)]
pub(crate) struct Scripted {
    /// Names of containers that are there.
    pub(crate) containers: RefCell<BTreeSet<String>>,
    /// Every command and every script, in order.
    pub(crate) heard: RefCell<Vec<String>>,
    /// Answers to commands and scripts that hold a text.
    answers: BTreeMap<String, Result<String, Failure>>,
    mishap: Option<(usize, Mishap)>,
    steps: Cell<usize>,
}

impl Scripted {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn failing_at(mut self, step: usize, mishap: Mishap) -> Self {
        self.mishap = Some((step, mishap));
        self
    }

    pub(crate) fn answering(mut self, text: &str, answer: Result<String, Failure>) -> Self {
        self.answers.insert(text.to_owned(), answer);
        self
    }

    /// Steps so far.
    pub(crate) fn steps(&self) -> usize {
        self.steps.get()
    }

    fn step(&self, heard: &str) -> Result<(), Failure> {
        let step = self.steps.get();
        self.steps.set(step + 1);
        self.heard.borrow_mut().push(heard.to_owned());
        match self.mishap {
            Some((at, Mishap::Failure)) if at == step => {
                Err(Failure::Failed { code: Some(1), says: "it broke".to_owned() })
            }
            Some((at, Mishap::Interruption)) if at == step => Err(Failure::Interrupted),
            Some((at, Mishap::Panic)) if at == step => panic!("on purpose"),
            _ => Ok(()),
        }
    }

    fn answer(&self, heard: &str) -> Option<Result<String, Failure>> {
        let fits =
            |(text, _): &(&String, _)| heard == *text || text.len() > 1 && heard.contains(*text);
        self.answers.iter().find(fits).map(|(_, answer)| answer.clone())
    }
}

impl Engine for Scripted {
    fn program(&self) -> &'static str {
        "docker"
    }

    fn run(&self, words: &[String]) -> Result<String, Failure> {
        let heard = words.join(" ");
        self.step(&heard)?;
        if let Some(answer) = self.answer(&heard) {
            return answer;
        }
        let mut containers = self.containers.borrow_mut();
        Ok(match words[0].as_str() {
            "info" => "linux 1.0".to_owned(),
            "image" => "sha256:0a1b".to_owned(),
            "ps" => {
                let own =
                    words.iter().find_map(|word| word.strip_prefix("label=composefix.measure="));
                let listed =
                    containers.iter().filter(|name| own.is_none_or(|id| name.ends_with(id)));
                listed.cloned().collect::<Vec<_>>().join("\n")
            }
            "rm" => {
                containers.retain(|name| !words.contains(name));
                String::new()
            }
            other => panic!("unknown command {other}"),
        })
    }

    fn clean_up(&self, words: &[String]) -> Result<String, Failure> {
        self.run(words)
    }

    fn open(&self, words: &[String]) -> Result<Box<dyn Shell + '_>, Failure> {
        let name = words.iter().find_map(|word| word.strip_prefix("--name=")).unwrap();
        self.containers.borrow_mut().insert(name.to_owned());
        self.step(&words.join(" "))?;
        Ok(Box::new(ScriptedShell { engine: self, name: name.to_owned(), sound: true }))
    }
}

struct ScriptedShell<'e> {
    engine: &'e Scripted,
    name: String,
    sound: bool,
}

impl Shell for ScriptedShell<'_> {
    fn ask(&mut self, script: &str) -> Result<Answer, Failure> {
        self.sound = false;
        self.engine.step(script)?;
        let answer = self.engine.answer(script).transpose()?;
        self.sound = true;
        let usual = || if script.contains("&& timed") { "10.00 10.50" } else { "" }.to_owned();
        let text = answer.unwrap_or_else(usual);
        Ok(match text.strip_prefix("code 1: ") {
            Some(text) => Answer { code: 1, text: text.to_owned() },
            None => Answer { code: 0, text },
        })
    }

    /// As with `--rm`: a shell that ends in order takes its container along, one that broke leaves it.
    fn close(&mut self) {
        if self.sound {
            self.engine.containers.borrow_mut().remove(&self.name);
        }
    }
}
