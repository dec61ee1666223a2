//! Which image the steps run in. None is ever pulled.

use super::session::{ANOTHER, interrupted};
use super::stop;
use super::subject::Subject;
use crate::engine::{Engine, Failure};
use crate::error::Error;

/// An image on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// As it is called.
    pub name: String,
    /// As the engine knows it.
    pub id: String,
}

/// The image that the user names, else the service's own.
pub(super) fn find(
    engine: &dyn Engine,
    subject: &Subject,
    asked: Option<&str>,
) -> Result<Image, Error> {
    let names: Vec<&str> = match asked {
        Some(name) => vec![name],
        None => subject.images.iter().map(String::as_str).collect(),
    };
    for name in &names {
        let words = ["image", "inspect", "--format", "{{.Id}}", "--", name];
        match engine.run(&words.map(str::to_owned)) {
            Ok(id) if is_id(&id) => return Ok(Image { name: (*name).to_owned(), id }),
            Err(Failure::Interrupted) => return Err(interrupted()),
            _ => {}
        }
    }
    let program = engine.program();
    let service = &subject.service;
    Err(stop(match (asked, names.first()) {
        (Some(name), _) => {
            format!("the image {name} is not on this machine; `{program} pull {name}` gets it")
        }
        (None, Some(_)) if subject.built => format!(
            "the image of {service} is not built yet; `{program} compose build {service}` does \
             that, or {ANOTHER}"
        ),
        (None, Some(name)) => format!(
            "the image {name} of {service} is not on this machine; `{program} pull {name}` gets \
             it, or {ANOTHER}"
        ),
        (None, None) => format!("{service} has no image; {ANOTHER}"),
    }))
}

/// Hexadecimal digits with or without the name of the digest.
fn is_id(text: &str) -> bool {
    let digits = text.strip_prefix("sha256:").unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}
