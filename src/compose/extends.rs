//! `extends`: a service on top of another one, of the same file or of another.
//!
//! What is extended lies below, lists are appended to its lists. Relative paths of another file start
//! at that file's directory, and its top-level volumes do not come along.

use std::path::Path;

use super::Role;
use super::load::{CHAIN, Context, Loader, is_remote};
use super::merge::extend;
use super::value::{Data, FileId, Map, Value};
use crate::error::Problem;
use crate::host::lexical_clean;

impl Loader<'_> {
    pub(super) fn extend_services(
        &mut self,
        root: &mut Value,
        file: FileId,
        context: &Context,
    ) -> Result<(), Problem> {
        if let Some(wrong) =
            root.get("services").filter(|s| s.map().is_none() && s.directive.is_none())
        {
            return Err(self
                .problem(wrong, "`services` must be a mapping")
                .with_help("put services below it, or take it out"));
        }
        let Data::Map(map) = &mut root.data else { return Ok(()) };
        let Some(Value { data: Data::Map(services), .. }) = map.get_mut("services") else {
            return Ok(());
        };
        let originals = services.clone();
        for (name, service) in &mut services.entries {
            if service.get("extends").is_some() {
                *service = self.extended(name, &originals, file, context, &mut Vec::new())?;
            }
        }
        Ok(())
    }

    /// A service with everything that it extends below it.
    fn extended(
        &mut self,
        name: &str,
        services: &Map,
        file: FileId,
        context: &Context,
        trail: &mut Vec<(FileId, String)>,
    ) -> Result<Value, Problem> {
        let Some(service) = services.get(name) else {
            let known = self.file(file)?.source.name().to_owned();
            return Err(Problem::of_file(known, format!("there is no service `{name}` to extend")));
        };
        let Some(extends) = service.get("extends").cloned() else { return Ok(service.clone()) };
        let step = (file, name.to_owned());
        if trail.contains(&step) {
            return Err(
                self.problem(&extends, format!("service `{name}` extends itself in a circle"))
            );
        }
        if trail.len() >= CHAIN {
            let message = format!("service `{name}` extends by more than {CHAIN} steps");
            return Err(self.problem(&extends, message));
        }
        trail.push(step);
        let mut own = service.clone();
        if let Data::Map(map) = &mut own.data {
            map.remove("extends");
        }
        let Some(reference) = extends.text().or_else(|| extends.text_of("service")) else {
            return Err(self.problem(&extends, "`extends` needs a service name"));
        };
        let base = match extends.text_of("file") {
            None => {
                if services.get(reference).is_none() {
                    let message = format!("there is no service `{reference}` to extend");
                    return Err(self.problem(&extends, message));
                }
                self.extended(reference, services, file, context, trail)?
            }
            Some(path) if is_remote(path) => {
                let reason = format!("service `{name}` extends a file that is not on this machine");
                self.skip(&extends, Some(name), reason);
                return Ok(own);
            }
            Some(path) => {
                let path = lexical_clean(&self.directory(context.base).join(path));
                self.extended_from(reference, &path, &extends, context, trail)?
            }
        };
        self.charge(&base, &extends)?;
        Ok(extend(base, own))
    }

    fn extended_from(
        &mut self,
        reference: &str,
        path: &Path,
        extends: &Value,
        context: &Context,
        trail: &mut Vec<(FileId, String)>,
    ) -> Result<Value, Problem> {
        let directory = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let inner = Context {
            base: self.base(&directory),
            role: Role::Extended,
            extend: false,
            ..context.clone()
        };
        let file = self.open(path, Role::Extended).map_err(|p| self.blame(extends, p, path))?;
        let root = self.stack(&[path.to_path_buf()], &inner)?;
        let Some(Value { data: Data::Map(services), .. }) = root.get("services") else {
            return Err(self.problem(extends, "the extended file has no services"));
        };
        if services.get(reference).is_none() {
            let message = format!("there is no service `{reference}` in the extended file");
            return Err(self.problem(extends, message));
        }
        self.extended(reference, services, file, &inner, trail)
    }
}
