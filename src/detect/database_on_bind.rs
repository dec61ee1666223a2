#![doc = include_str!("database_on_bind.md")]

use std::ops::ControlFlow;

use super::{Context, Detector, Meta, slashes};
use crate::compose::{Mount, MountKind, Service, is_under};
use crate::dockerfile::Image;
use crate::finding::{Finding, Severity};
use crate::host::EntryKind;
use crate::rules::{Cost, ImageKind, Role};

/// See the page above.
pub struct DatabaseOnBind;

const META: Meta = Meta {
    id: "database-on-bind",
    severity: Severity::Warning,
    summary: "a database's data directory lies on a bind mount",
    page: include_str!("database_on_bind.md"),
};

impl Detector for DatabaseOnBind {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn detect(&self, cx: &Context<'_>) -> Vec<Finding> {
        let platforms = cx.platforms_where(|p| p.bind.database > Cost::None);
        if platforms.is_empty() {
            return Vec::new();
        }
        cx.each_mount(|service, mount| {
            let database = cx.database_at(service, mount)?;
            let written = cx.mount_ref(mount);
            let source = written.source.clone().unwrap_or_default();
            let how = match mount.kind {
                MountKind::Volume => {
                    format!("mounted from the volume `{source}`, a bind mount by its options")
                }
                _ => format!("bind-mounted from `{source}`"),
            };
            let message = format!(
                "the data of {} in {} is {how}: slow, and databases have lost data on file shares",
                database.title, mount.target
            );
            let finding = cx.finding(&META, &service.name, message, written);
            Some(Finding { platforms: platforms.clone(), ..finding })
        })
    }
}

/// What a bind's source on the host holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contents {
    /// Nothing, or it is not there yet.
    Nothing,
    /// Files, or nobody can tell.
    Something,
}

impl<'a> Context<'a> {
    /// The database whose data directory lies on a bind, or on a volume that is one by its options:
    /// by the service's image, else by a path that no other program uses.
    pub fn database_at(&self, service: &Service, mount: &Mount) -> Option<&'a ImageKind> {
        let bind = mount.kind == MountKind::Bind || self.project.host_source(mount).is_some();
        if !bind || !mount.unset.is_empty() || !mount.target.starts_with('/') || self.is_file(mount)
        {
            return None;
        }
        let base = self.image(service).and_then(Image::base).or(service.image.as_deref());
        let known = base.and_then(|name| self.rules.image_for(name));
        if let Some((kind, major)) = known.filter(|(kind, _)| kind.role == Role::Database) {
            let here = kind.data.iter().filter(|data| data.holds_for(major)).any(|data| {
                let below = is_under(&mount.target, &data.path);
                // A volume that the image declares covers the data inside a wider bind.
                let above = !data.declared
                    && is_under(&data.path, &mount.target)
                    && service.mount_at(&data.path).is_some_and(|m| std::ptr::eq(m, mount));
                below || above
            });
            return here.then_some(kind);
        }
        self.data_path(&mount.target)
    }

    /// The database that alone uses a container path, whatever the image is called. Paths such as
    /// `/data` and `/data/db` are left out: applications use them, too.
    pub(super) fn data_path(&self, target: &str) -> Option<&'a ImageKind> {
        let slashes = target.match_indices('/').map(|(at, _)| at).chain([target.len()]);
        let above = slashes.skip(2).filter_map(|end| target.get(..end));
        let above: Vec<&str> = above.filter(|path| !is_under(path, "/data")).collect();
        let images = self.rules.images_mentioning(&above);
        let databases = images.filter(|i| i.role == Role::Database);
        let fits = |i: &&ImageKind| i.data.iter().any(|data| above.contains(&data.path.as_str()));
        let depth = |i: &ImageKind| {
            let under = i.data.iter().filter(|data| is_under(target, &data.path));
            under.map(|data| data.path.len()).max()
        };
        databases.filter(fits).max_by_key(|i| (depth(i), std::cmp::Reverse(i.id.as_str())))
    }

    /// True for a bind of a single file, such as a configuration: by what is on the host, else by
    /// its name.
    fn is_file(&self, mount: &Mount) -> bool {
        let Some(source) = self.project.host_source(mount) else { return false };
        if let Some(kind) = self.host.target_kind(source) {
            return kind != EntryKind::Directory;
        }
        let name = slashes(source);
        let last = name.rsplit('/').next().unwrap_or_default();
        last.trim_start_matches('.').contains('.')
            && last.rsplit('.').next() == mount.target.rsplit('.').next()
    }

    /// What the host directory behind a mount holds now. What may not be looked into counts as holding something.
    pub fn contents(&self, mount: &Mount) -> Contents {
        let Some(source) = self.project.host_source(mount) else { return Contents::Something };
        if self.surveys.reason_outside(&slashes(source)).is_some() {
            return Contents::Something;
        }
        match self.host.target_kind(source) {
            None => Contents::Nothing,
            Some(EntryKind::Directory) => {
                let mut found = Contents::Nothing;
                let seen = self.host.scan(source, false, &mut |entry, _| {
                    if is_placeholder(&entry.name) {
                        return ControlFlow::Continue(());
                    }
                    found = Contents::Something;
                    ControlFlow::Break(())
                });
                if seen.is_ok() { found } else { Contents::Something }
            }
            Some(_) => Contents::Something,
        }
    }
}

/// Files that stand for an empty directory in git.
fn is_placeholder(name: &std::ffi::OsStr) -> bool {
    [".gitkeep", ".gitignore", ".keep"].iter().any(|known| name == *known)
}
