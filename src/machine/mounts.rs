//! The kernel's table of mounts, which tells what lies below a directory.

use std::path::{Path, PathBuf};

use crate::host::Host;

/// Where the kernel shows the table.
const TABLE: &str = "/proc/self/mountinfo";

/// Largest table that is read, in bytes.
const TABLE_LIMIT: u64 = 16 << 20;

/// One mounted file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MountEntry {
    /// Where it is mounted.
    pub point: PathBuf,
    /// Its type: `ext4`, `9p`, `virtiofs`, `fuse.sshfs`.
    pub kind: String,
    /// What is mounted: a device, a share, a drive.
    pub source: String,
    /// Options of the file system, joined by commas.
    pub options: String,
}

impl MountEntry {
    /// The drive or directory of Windows that WSL mounts here: `C:\`. Empty where it does not say
    /// which; none where it is none.
    ///
    /// WSL 2 mounts drives by 9p with `aname=drvfs;path=C:\`, or by virtiofs where that is turned
    /// on; WSL 1 has a type of its own.
    pub fn windows_drive(&self) -> Option<&str> {
        match self.kind.as_str() {
            "drvfs" => Some(&self.source),
            "9p" => {
                let mut words = self.options.split([',', ';']);
                words.any(|word| word == "aname=drvfs").then_some(())?;
                let mut words = self.options.split([',', ';']);
                Some(words.find_map(|word| word.strip_prefix("path=")).unwrap_or_default())
            }
            "virtiofs" if self.source.starts_with("drvfs") => Some(""),
            _ => None,
        }
    }
}

/// The mounted file systems; empty on systems without such a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MountTable {
    /// In the order of mounting.
    entries: Vec<MountEntry>,
}

impl MountTable {
    /// The table of this process. Empty where there is none.
    pub fn read(host: &dyn Host) -> Self {
        let bytes = host.read(Path::new(TABLE), TABLE_LIMIT).unwrap_or_default();
        Self::parse(&String::from_utf8_lossy(&bytes))
    }

    /// Reads the text of `/proc/self/mountinfo`; lines that do not fit are left out.
    fn parse(text: &str) -> Self {
        Self { entries: text.lines().filter_map(entry).collect() }
    }

    /// What lies at an absolute path: the last mount over it or over the nearest directory above.
    pub fn at(&self, path: &Path) -> Option<&MountEntry> {
        let over = self.entries.iter().filter(|entry| path.starts_with(&entry.point));
        over.max_by_key(|entry| entry.point.components().count())
    }

    /// Every entry, in the order of mounting.
    pub fn entries(&self) -> impl Iterator<Item = &MountEntry> {
        self.entries.iter()
    }
}

/// `36 35 98:0 /root /point rw,noatime master:1 - kind source options`.
fn entry(line: &str) -> Option<MountEntry> {
    let (left, right) = line.split_once(" - ")?;
    let point = left.split(' ').nth(4)?;
    let mut right = right.split(' ');
    let (kind, source) = (right.next()?, right.next()?);
    Some(MountEntry {
        point: PathBuf::from(unescaped(point)),
        kind: kind.to_owned(),
        source: unescaped(source),
        options: unescaped(right.next().unwrap_or_default()),
    })
}

/// The kernel writes blanks, line breaks and backslashes as `\` with three octal digits.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend(before.bytes());
        let code = after.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        if let (Some(code), Some(behind)) = (code, after.get(3..)) {
            bytes.push(code);
            rest = behind;
        } else {
            bytes.push(b'\\');
            rest = after;
        }
    }
    bytes.extend(rest.bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WSL: &str = r"60 53 8:32 / / rw,relatime - ext4 /dev/sdc rw,discard,errors=remount-ro
64 60 0:28 / /mnt/wsl rw,relatime shared:1 - tmpfs none rw
89 60 0:66 / /mnt/c rw,noatime - 9p C:\134 rw,aname=drvfs;path=C:\134;uid=1000;gid=1000;symlinkroot=/mnt/,mmap,access=client,trans=fd
90 60 0:67 / /win/my\040data rw,noatime - virtiofs drvfsD0 rw
91 60 0:68 / /share rw - 9p host rw,trans=virtio
broken line
";

    #[test]
    fn the_longest_point_decides() {
        let table = MountTable::parse(WSL);
        let at = |path: &str| table.at(Path::new(path)).map(|entry| entry.kind.as_str());
        assert_eq!(table.entries().count(), 5);
        assert_eq!(at("/home/me/shop"), Some("ext4"));
        assert_eq!(at("/mnt/c/shop"), Some("9p"));
        assert_eq!(at("/mnt/cc"), Some("ext4"));
        assert_eq!(at("/win/my data/shop"), Some("virtiofs"));
        assert_eq!(MountTable::default().at(Path::new("/")), None);
    }

    #[test]
    fn later_mounts_cover_earlier_ones() {
        let table = MountTable::parse("1 0 0:1 / /a rw - ext4 a rw\n2 0 0:2 / /a rw - xfs b rw\n");
        assert_eq!(table.at(Path::new("/a/b")).unwrap().kind, "xfs");
    }

    #[test]
    fn drives_of_windows_are_told_from_other_shares() {
        let table = MountTable::parse(WSL);
        let drive = |path: &str| table.at(Path::new(path)).unwrap().windows_drive();
        assert_eq!(drive("/mnt/c/shop"), Some(r"C:\"));
        assert_eq!(drive("/win/my data"), Some(""));
        assert_eq!(drive("/mnt/wsl/x"), None);
        assert_eq!(drive("/home"), None);
        assert_eq!(drive("/share"), None);
        let old = MountTable::parse("3 2 0:3 / /mnt/d rw - drvfs D: rw\n");
        assert_eq!(old.at(Path::new("/mnt/d")).unwrap().windows_drive(), Some("D:"));
    }

    #[test]
    fn escapes_of_the_kernel_are_undone() {
        assert_eq!(unescaped(r"a\040b\134c"), r"a b\c");
        assert_eq!(unescaped(r"a\04"), r"a\04");
        assert_eq!(unescaped(r"a\999"), r"a\999");
    }
}
