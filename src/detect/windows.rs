//! What rules about paths of Windows look at.

use super::Context;
use crate::compose::{Mount, MountKind};

/// What a bind's source is called: as the file spells it, and as Compose resolves it. The second is
/// left out where a variable is missing, and where it only says where the project lies: on the next
/// machine it lies elsewhere.
pub(super) fn spellings(cx: &Context<'_>, mount: &Mount) -> Vec<String> {
    let Some(source) = mount.source.as_ref().filter(|_| mount.kind == MountKind::Bind) else {
        return Vec::new();
    };
    let written = cx.written(mount).and_then(|written| written.source);
    let resolved =
        (mount.unset.is_empty() && !cx.moves_with_project(mount)).then(|| source.clone());
    // Compose takes two dollars for one.
    written.map(|written| written.replace("$$", "$")).into_iter().chain(resolved).collect()
}
