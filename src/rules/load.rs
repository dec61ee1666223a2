//! The rule files as the program asks them.

use std::borrow::Cow;
use std::path::Path;

use crate::error::Error;
use crate::host::{EntryKind, Host};

use super::check::{Kind, own_tree, read};
use super::shelf::{Sheet, Shelf};
use super::{BUILTIN, Base, ImageKind, Platform, Sidecar, TreeKind};

/// Largest rule file that is read, in bytes.
const FILE_LIMIT: u64 = 1 << 20;

/// Everything that is known about trees, platforms and images. Answers come sorted by id.
#[derive(Debug, Clone)]
pub struct Rules {
    trees: Vec<TreeKind>,
    platforms: Shelf<Platform>,
    images: Shelf<ImageKind>,
    sidecar: Sidecar,
    /// Folders laid over the built-in files so far.
    layers: usize,
}

impl Rules {
    /// The rule files inside the program.
    ///
    /// Trees are read at once; a platform or image is read when it is first asked for, and
    /// [`Rules::check`] reads them all.
    ///
    /// # Errors
    /// [`Error::Rules`] for a tree file that does not hold.
    pub fn builtin() -> Result<Self, Error> {
        let mut trees = Vec::new();
        let mut platforms = Vec::new();
        let mut images = Vec::new();
        for &(path, text) in BUILTIN {
            let Some((folder, id)) = split(path) else {
                let message = "is not in a folder of rule files".to_owned();
                return Err(Error::Rules { file: path.to_owned(), message });
            };
            match folder {
                TreeKind::FOLDER => trees.push(read(id, &format!("rules/{path}"), text)?),
                Platform::FOLDER => platforms.push(Sheet::unread(id, text)),
                _ => images.push(Sheet::unread(id, text)),
            }
        }
        trees.sort_by(|a: &TreeKind, b| a.id.cmp(&b.id));
        Ok(Self {
            trees,
            platforms: Shelf::new(platforms),
            images: Shelf::new(images),
            sidecar: Sidecar::default(),
            layers: 0,
        })
    }

    /// These rules with those of a folder laid over them: `dir/trees/*.yaml`, `dir/platforms/*.yaml`
    /// and `dir/images/*.yaml`, as in the program's own `rules/`. A file whose id is known replaces
    /// it, another is added. All of them are read at once.
    ///
    /// # Errors
    /// [`Error::Rules`] with file, line and reason for the first file that does not hold, and for a
    /// folder that has none of the three.
    pub fn with_directory(mut self, host: &dyn Host, dir: &Path) -> Result<Self, Error> {
        let trees = folder::<TreeKind>(host, dir)?;
        let platforms = folder::<Platform>(host, dir)?;
        let images = folder::<ImageKind>(host, dir)?;
        if trees.is_none() && platforms.is_none() && images.is_none() {
            return Err(Error::Rules {
                file: dir.display().to_string(),
                message: "has none of the folders trees, platforms and images".to_owned(),
            });
        }
        self.layers += 1;
        for tree in trees.into_iter().flatten() {
            self.put_tree(tree);
        }
        for platform in platforms.into_iter().flatten() {
            self.platforms.put(Sheet::ready(platform, self.layers));
        }
        for image in images.into_iter().flatten() {
            self.images.put(Sheet::ready(image, self.layers));
        }
        Ok(self)
    }

    /// These rules with a kind of tree that the team knows itself: sources are not asked for. It
    /// replaces one of the same id.
    ///
    /// # Errors
    /// Words that stand at the place to blame, and what is wrong.
    pub fn with_tree(mut self, tree: TreeKind) -> Result<Self, (String, String)> {
        own_tree(&tree)?;
        self.put_tree(tree);
        Ok(self)
    }

    fn put_tree(&mut self, tree: TreeKind) {
        match self.trees.binary_search_by(|other| other.id.cmp(&tree.id)) {
            Ok(at) => {
                if let Some(slot) = self.trees.get_mut(at) {
                    *slot = tree;
                }
            }
            Err(at) => self.trees.insert(at, tree),
        }
    }

    /// These rules with sidecars as the team wants them.
    #[must_use]
    pub fn with_sidecar(self, sidecar: Sidecar) -> Self {
        Self { sidecar, ..self }
    }

    /// How the team wants sidecars.
    pub fn sidecar(&self) -> &Sidecar {
        &self.sidecar
    }

    /// Reads every built-in platform and image, asked for or not.
    ///
    /// # Errors
    /// [`Error::Rules`] for the first one that does not hold.
    pub fn check(&self) -> Result<(), Error> {
        self.platforms.check().and_then(|()| self.images.check())
    }

    /// All kinds of trees.
    pub fn trees(&self) -> &[TreeKind] {
        &self.trees
    }

    /// The kind of tree with this id.
    pub fn tree(&self, id: &str) -> Option<&TreeKind> {
        let at = self.trees.binary_search_by(|tree| tree.id.as_str().cmp(id)).ok()?;
        self.trees.get(at)
    }

    /// All platforms.
    pub fn platforms(&self) -> impl Iterator<Item = &Platform> {
        self.platforms.values()
    }

    /// The platform with this id.
    pub fn platform(&self, id: &str) -> Option<&Platform> {
        self.platforms.get(id)
    }

    /// The platform that a name such as `macos-docker-vmm` or `macos-docker-vmm@4.67` stands for.
    ///
    /// # Errors
    /// Why the name stands for none, where the part before the `@` is known. `Ok(None)` where it is
    /// not.
    pub fn platform_named(&self, name: &str) -> Result<Option<Cow<'_, Platform>>, String> {
        let (id, version) = match name.split_once('@') {
            Some((id, version)) => (id, Some(version)),
            None => (name, None),
        };
        match (self.platform(id), version) {
            (None, _) => Ok(None),
            (Some(platform), None) => Ok(Some(Cow::Borrowed(platform))),
            (Some(platform), Some(version)) => {
                platform.at_version(version).map(Cow::Owned).map(Some)
            }
        }
    }

    /// The platforms of a group; every platform is in the group `all`. Empty for an unknown name.
    pub fn platforms_of_group(&self, name: &str) -> Vec<&Platform> {
        if name == "all" {
            return self.platforms().collect();
        }
        let sheets = self.platforms.sheets().filter(|sheet| sheet.may_mention(name));
        let platforms = sheets.filter_map(Sheet::value);
        platforms.filter(|platform| platform.groups.iter().any(|group| group == name)).collect()
    }

    /// All families of images.
    pub fn images(&self) -> impl Iterator<Item = &ImageKind> {
        self.images.values()
    }

    /// Families of images whose files may mention one of some texts; the others are not even read.
    pub fn images_mentioning(&self, texts: &[&str]) -> impl Iterator<Item = &ImageKind> {
        let mentions = |sheet: &&Sheet<ImageKind>| texts.iter().any(|t| sheet.may_mention(t));
        self.images.sheets().filter(mentions).filter_map(Sheet::value)
    }

    /// The family that an image reference such as `docker.io/postgis/postgis:16-3.4@sha256:…`
    /// belongs to, and its major version. No version stands for the newest: no tag, `latest`, or a
    /// tag that does not begin with a number.
    ///
    /// The last components of the repository decide, registry, tag and digest do not matter. Where
    /// several families match, files laid over the built-in ones come first, then the longer name.
    /// Images to build upon are none of them, see [`Rules::base_for`].
    pub fn image_for(&self, reference: &str) -> Option<(&ImageKind, Option<u32>)> {
        let (name, tag) = name_and_tag(reference);
        let last = name.rsplit('/').next().filter(|last| !last.is_empty())?;
        let mut best: Option<((usize, usize), &ImageKind)> = None;
        for sheet in self.images.sheets().filter(|sheet| sheet.may_mention(last)) {
            let Some(image) = sheet.value().filter(|i| i.base.is_none()) else { continue };
            let lengths = image.repositories.iter().filter(|entry| ends_with(name, entry));
            let Some(length) = lengths.map(String::len).max() else { continue };
            let rank = (sheet.layer, length);
            if best.is_none_or(|(other, _)| other < rank) {
                best = Some((rank, image));
            }
        }
        best.map(|(_, image)| (image, tag.and_then(major)))
    }

    /// What holds before the first instruction of a Dockerfile that begins with this image. Only the
    /// image itself counts, not another of the same last name.
    pub fn base_for(&self, reference: &str) -> Option<&Base> {
        let (name, _) = name_and_tag(reference);
        let starts = ["docker.io/", "index.docker.io/", "public.ecr.aws/docker/"];
        let name = starts.iter().find_map(|start| name.strip_prefix(start)).unwrap_or(name);
        let name = name.strip_prefix("library/").unwrap_or(name);
        let last = name.rsplit('/').next()?;
        let sheets = self.images.sheets().filter(|sheet| sheet.may_mention(last));
        let named = |image: &&ImageKind| image.repositories.iter().any(|own| own == name);
        let found = sheets.filter_map(|sheet| Some((sheet.layer, sheet.value().filter(named)?)));
        found.max_by_key(|(layer, _)| *layer)?.1.base.as_ref()
    }
}

/// Folder and id of a built-in path.
fn split(path: &str) -> Option<(&str, &str)> {
    let (folder, name) = path.split_once('/')?;
    let known = [TreeKind::FOLDER, Platform::FOLDER, ImageKind::FOLDER].contains(&folder);
    Some((folder, name.strip_suffix(".yaml")?)).filter(|_| known)
}

/// The rule files of one kind in a user's folder; none when the folder has no place for them.
fn folder<T: Kind>(host: &dyn Host, dir: &Path) -> Result<Option<Vec<T>>, Error> {
    let dir = dir.join(T::FOLDER);
    if host.target_kind(&dir) != Some(EntryKind::Directory) {
        return Ok(None);
    }
    let error =
        |path: &Path, message: String| Error::Rules { file: path.display().to_string(), message };
    let entries = host.entries(&dir).map_err(|cause| error(&dir, cause.to_string()))?;
    let mut values = Vec::new();
    for entry in entries {
        let path = dir.join(&entry.name);
        let name = entry.name.to_string_lossy();
        if name.ends_with(".yml") {
            return Err(error(&path, "rule files end in .yaml".to_owned()));
        }
        let Some(id) = name.strip_suffix(".yaml") else { continue };
        let bytes =
            host.read(&path, FILE_LIMIT).map_err(|cause| error(&path, cause.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|cause| error(&path, cause.to_string()))?;
        values.push(read(id, &path.display().to_string(), &text)?);
    }
    Ok(Some(values))
}

/// An image reference without its digest, taken apart at the tag. A colon before a slash belongs to
/// the registry's port.
fn name_and_tag(reference: &str) -> (&str, Option<&str>) {
    let named = reference.split_once('@').map_or(reference, |(named, _)| named);
    match named.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => (name, Some(tag)),
        _ => (named, None),
    }
}

/// Whether the last components of `name` are those of `entry`.
fn ends_with(name: &str, entry: &str) -> bool {
    name.strip_suffix(entry).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// The number that a tag begins with, behind an optional `v`. A hash such as `9a8f3c` has none.
fn major(tag: &str) -> Option<u32> {
    let tag = tag.strip_prefix('v').unwrap_or(tag);
    let rest = tag.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = tag.strip_suffix(rest)?;
    let ends = rest.is_empty() || rest.starts_with(['.', '-', '_']);
    digits.parse().ok().filter(|_| ends)
}
