//! What the image of a service tells about a tree: evidence for findings and repairs.

use super::Context;
use crate::compose::Service;
use crate::dockerfile::{Access, Content, Image, User};
use crate::rules::TreeKind;

/// Programs that run others, or hand work to others, as another user.
const CHANGING: [&str; 9] =
    ["gosu", "su-exec", "sudo", "setpriv", "runuser", "supervisord", "apache", "nginx", "php-fpm"];

/// Who a service's programs run as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageUser {
    /// User 0.
    Root,
    /// Another one, by name or number.
    Other(String),
    /// The project's files do not tell.
    Unknown,
}

/// Whether something in the project fills a path of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filling {
    /// The image holds the tree, or the service installs it when it starts.
    Sure,
    /// Neither: the path stays empty.
    Never,
    /// The project's files do not tell.
    Unknown,
}

impl<'a> Context<'a> {
    /// The image that a service builds, as far as its Dockerfile tells.
    pub fn image(&self, service: &Service) -> Option<&'a Image> {
        self.images.of(service).ok()
    }

    /// The words that a service's container starts with: its own, else those of its Dockerfile. An
    /// own entry point takes the image's command away.
    pub fn command_of(&self, service: &Service) -> Vec<String> {
        let image = self.image(service);
        let own = |words: &[String]| words.to_vec();
        let entrypoint = match image.and_then(Image::entrypoint) {
            Some(words) if service.entrypoint.is_empty() => own(words),
            _ => own(&service.entrypoint),
        };
        let command = match image.and_then(Image::cmd) {
            Some(words) if service.command.is_empty() && service.entrypoint.is_empty() => {
                own(words)
            }
            _ => own(&service.command),
        };
        [entrypoint, command].concat()
    }

    /// True when a service fills trees of a kind each time it starts.
    pub fn installs(&self, service: &Service, kind: &TreeKind) -> bool {
        let line = self.command_of(service).join(" ");
        kind.installers.iter().any(|installer| {
            let mut rests = line.split(installer.as_str()).skip(1);
            rests.any(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
        })
    }

    /// True when the service's Dockerfile surely fills a path with a tree of a kind.
    pub fn image_fills(&self, service: &Service, path: &str, kind: &TreeKind) -> bool {
        let content = self.image(service).map(|image| image.content(path, kind));
        matches!(content, Some(Content::Filled { .. }))
    }

    /// What the project's files tell about a tree of a kind in a service's containers, at a path
    /// where nothing of the host is mounted.
    pub fn filling(&self, service: &Service, path: &str, kind: &TreeKind) -> Filling {
        if self.installs(service, kind) {
            return Filling::Sure;
        }
        match self.image(service).map(|image| image.content(path, kind)) {
            Some(Content::Filled { .. }) => Filling::Sure,
            Some(Content::Absent) => Filling::Never,
            _ => Filling::Unknown,
        }
    }

    /// Who a service runs as: its own `user`, else the last `USER` of its Dockerfile, else what is
    /// known of its image.
    pub fn user_of(&self, service: &Service) -> ImageUser {
        match self.known_user(service) {
            User::Root => ImageUser::Root,
            User::Named { name, .. } => ImageUser::Other(self.shown_user(service, name)),
            User::Unknown => ImageUser::Unknown,
        }
    }

    /// A user's name for output: as the file writes it, because what a variable holds is the user's
    /// own business.
    fn shown_user(&self, service: &Service, name: String) -> String {
        if service.user.is_some() {
            let written = self.written_user(service).unwrap_or_default();
            let user = written.split(':').next().filter(|_| !written.contains('$'));
            return user.unwrap_or(written).to_owned();
        }
        let args = service.build_of.iter().flat_map(|build| build.args.values().flatten());
        let argument =
            args.into_iter().any(|value| !value.is_empty() && name.contains(value.as_str()));
        if argument { "a user that an argument names".to_owned() } else { name }
    }

    /// The `user` of a service as the file writes it, variables unfilled.
    pub fn written_user(&self, service: &Service) -> Option<&'a str> {
        let origin = self.project.attribute(&service.name, "user")?.origin;
        let document = &self.project.file(origin.file)?.document;
        document.text_of(document.follow(origin.node))
    }

    fn known_user(&self, service: &Service) -> User {
        let image = self.image(service);
        if let Some(user) = service.user.as_deref() {
            let name = user.split(':').next().unwrap_or_default();
            return match (image, name) {
                (Some(image), _) => image.user_of(user),
                (None, "root" | "0") => User::Root,
                (None, name) if name.is_empty() || name.contains('$') => User::Unknown,
                (None, name) => User::Named { name: name.to_owned(), uid: name.parse().ok() },
            };
        }
        match image {
            Some(image) => image.user(),
            None if service.build.is_some() => User::Unknown,
            None => {
                let base = service.image.as_deref().and_then(|name| self.rules.base_for(name));
                match base.map(|base| base.user.as_str()) {
                    Some("root" | "0") => User::Root,
                    Some(name) => User::Named { name: name.to_owned(), uid: name.parse().ok() },
                    None => User::Unknown,
                }
            }
        }
    }

    /// The major version in the tag of the image that a service runs or is built upon, if that is
    /// the image of this name.
    pub fn base_major(&self, service: &'a Service, repository: &str) -> Option<u32> {
        let (name, tag) = self.base_of(service)?.rsplit_once(':')?;
        let last = name.rsplit('/').next()?;
        let digits: String = tag.chars().take_while(char::is_ascii_digit).collect();
        (last == repository).then(|| digits.parse().ok())?
    }

    /// The image that a service runs, or the one below all stages of its Dockerfile.
    fn base_of(&self, service: &'a Service) -> Option<&'a str> {
        match self.image(service) {
            Some(image) => image.base(),
            None if service.build.is_some() => None,
            None => service.image.as_deref(),
        }
    }

    /// True when a service's programs surely run as the container's user: the image is made for a
    /// language whose servers do, and nothing in the command changes the user.
    pub fn keeps_user(&self, service: &'a Service) -> bool {
        let keeps = self
            .base_of(service)
            .and_then(|name| self.rules.base_for(name))
            .is_some_and(|b| b.keeps_user);
        let line = self.command_of(service).join(" ");
        keeps && !CHANGING.iter().any(|word| line.contains(word))
    }

    /// True when the service's user surely may write to a new volume at a path.
    pub fn may_write(&self, service: &Service, path: &str, kind: Option<&TreeKind>) -> bool {
        let user = self.known_user(service);
        let image = self.image(service);
        user == User::Root
            || image.is_some_and(|image| {
                matches!(image.writable(path, kind, &user), Access::Yes { .. })
            })
    }

    /// The service's user, if it surely may not write to a new volume at a path.
    pub fn shut_out(&self, service: &Service, path: &str, kind: &TreeKind) -> Option<String> {
        let user = self.known_user(service);
        let User::Named { name, .. } = &user else { return None };
        let access = self.image(service)?.writable(path, Some(kind), &user);
        matches!(access, Access::No { .. }).then(|| self.shown_user(service, name.clone()))
    }
}
