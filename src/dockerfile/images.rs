//! Reading the Dockerfiles of a project's services.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::context::Context;
use super::ignore::Ignore;
use super::stage::{From, Stage, stages, target};
use super::{Image, lex};
use crate::compose::{Build, Project, Service};
use crate::host::{Environment, Host, lexical_clean};
use crate::rules::{Base, Rules};
use crate::scope::Scope;

/// Bytes of a Dockerfile or `.dockerignore` that are read.
const FILE_LIMIT: u64 = 1 << 20;

/// The images that the services of a project build.
#[derive(Debug, Default)]
pub struct Images {
    /// By [`Service::build`].
    by_build: BTreeMap<String, Result<Image, String>>,
}

impl Images {
    /// Reads the Dockerfile of every service that builds, each build once. Nothing outside the
    /// project is read.
    pub fn read(
        host: &dyn Host,
        environment: &Environment,
        rules: &Rules,
        project: &Project,
    ) -> Self {
        let mut images = Self::default();
        let mut scope = None;
        for service in &project.services {
            let (Some(key), Some(build)) = (&service.build, &service.build_of) else { continue };
            if images.by_build.contains_key(key) {
                continue;
            }
            let scope =
                scope.get_or_insert_with(|| Scope::of(host, environment, &project.directory));
            images.by_build.insert(key.clone(), read(host, scope, rules, build));
        }
        images
    }

    /// The image that a service builds.
    ///
    /// # Errors
    /// Why nothing is known of it: half a sentence for people, lower case, no full stop.
    pub fn of(&self, service: &Service) -> Result<&Image, &str> {
        let key = service.build.as_ref().ok_or("the service builds no image")?;
        let image = self.by_build.get(key).ok_or("the build was not read")?;
        image.as_ref().map_err(String::as_str)
    }

    /// The instructions of a service's Dockerfile, those of all stages, that have an effect on
    /// running containers: name and arguments of each `ENV`, `CMD`, `ENTRYPOINT`, `HEALTHCHECK`.
    pub fn lasting(&self, service: &Service) -> Vec<(String, String)> {
        if let Ok(image) = self.of(service) {
            return image.lasting.clone();
        }
        // What stands in the Compose file is known even where the rest of the build is not.
        let inline = service.build_of.as_ref().and_then(|build| build.inline.as_deref());
        inline.and_then(|text| lex::read(text).ok()).map(lasting).unwrap_or_default()
    }
}

/// See [`Images::lasting`].
fn lasting(text: lex::Text) -> Vec<(String, String)> {
    let lasts = |name: &str| ["ENV", "CMD", "ENTRYPOINT", "HEALTHCHECK"].contains(&name);
    let instructions = text.instructions.into_iter().filter(|i| lasts(&i.name));
    instructions.map(|i| (i.name, i.rest)).collect()
}

fn read(host: &dyn Host, scope: &Scope, rules: &Rules, build: &Build) -> Result<Image, String> {
    if let Some(name) = build.unset.first() {
        return Err(format!("its build depends on `{name}`, which is not set"));
    }
    let local = Some(Path::new(&build.context)).filter(|path| path.is_absolute() && !build.remote);
    let directory = local.ok_or("its build context is no directory of this machine")?;
    let (file, text) = if let Some(text) = &build.inline {
        (None, text.clone())
    } else {
        let path =
            lexical_clean(&directory.join(build.dockerfile.as_deref().unwrap_or("Dockerfile")));
        let text = text_of(host, scope, &path)
            .map_err(|reason| format!("its Dockerfile cannot be read: {reason}"))?;
        (Some(path), text)
    };
    let wrong = |reason: String| format!("its Dockerfile does not tell: {reason}");
    let parsed = lex::read(&text).map_err(wrong)?;
    let stages = stages(&parsed, build, rules).map_err(wrong)?;
    let target = target(&stages, build).map_err(wrong)?;
    let ignore = ignore(host, scope, directory, file.as_deref())?;
    let context = Context::read(host, directory, ignore, &stages);
    let bases = bases(&stages, rules);
    Ok(Image { file, stages, target, context, lasting: lasting(parsed), bases })
}

fn text_of(host: &dyn Host, scope: &Scope, path: &Path) -> Result<String, String> {
    scope.admits(host, path)?;
    let bytes = host.read(path, FILE_LIMIT).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|_| "it is no text".to_owned())
}

/// `<Dockerfile>.dockerignore` comes before the context's own.
fn ignore(
    host: &dyn Host,
    scope: &Scope,
    directory: &Path,
    file: Option<&Path>,
) -> Result<Ignore, String> {
    let beside = file.map(|file| {
        let mut name = file.as_os_str().to_owned();
        name.push(".dockerignore");
        PathBuf::from(name)
    });
    let files = beside.into_iter().chain([directory.join(".dockerignore")]);
    let Some(path) = files.into_iter().find(|path| host.kind(path).is_some()) else {
        return Ok(Ignore::default());
    };
    let text = text_of(host, scope, &path);
    text.map(|text| Ignore::read(&text))
        .map_err(|reason| format!("its .dockerignore cannot be read: {reason}"))
}

fn bases(stages: &[Stage], rules: &Rules) -> BTreeMap<String, Base> {
    let names = stages.iter().filter_map(|stage| match &stage.from {
        From::Image(name) => Some(name),
        _ => None,
    });
    names.filter_map(|name| Some((name.clone(), rules.base_for(name)?.clone()))).collect()
}
