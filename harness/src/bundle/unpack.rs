//! Puts a bundle's files where they are measured from.

use std::collections::HashMap;
use std::fs::{self, File, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::container::Opened;
use super::head::{BundleHead, Packed};
use super::pack::{BESIDE, WINDOW_LOG};
use crate::build::store::{digest_of, hex};
use crate::record::{ArchiveParts, Build};
use sha2::{Digest, Sha256};

/// Says in an unpacked folder which bundle it is of.
const MARK: &str = ".ablate/bundle";

/// Where a bundle is unpacked unless something else is said: beside itself, under its name without the ending.
pub fn default_folder(bundle: &Path) -> PathBuf {
    match bundle.extension() {
        Some(_) => bundle.with_extension(""),
        None => bundle.with_extension("unpacked"),
    }
}

/// Unpacks a bundle into `folder`, which appears whole or not at all. One that is there already is checked file by file.
pub fn unpack(opened: &Opened<BundleHead>, folder: &Path) -> Result<()> {
    opened.head.check_paths()?;
    match fs::read_to_string(folder.join(MARK)) {
        Ok(mark) if mark.trim() == opened.digest => return check(&opened.head, folder),
        Ok(_) => bail!("{} holds another bundle; name another folder with --dir, or remove it", folder.display()),
        Err(_) => {}
    }
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        bail!("{} is there and holds something else; name another folder with --dir", folder.display());
    }
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let making = || -> Result<tempfile::TempDir> {
        fs::create_dir_all(parent)?;
        Ok(tempfile::Builder::new()
            .prefix(".unpacking-")
            .permissions(Permissions::from_mode(0o777))
            .tempdir_in(parent)?)
    };
    let making = making().with_context(|| format!("cannot make {}", folder.display()))?;
    let section = opened.section(opened.head.program_bytes, opened.head.files_bytes)?;
    extract(section, &opened.head.files, making.path())
        .with_context(|| format!("cannot unpack {}", opened.path.display()))?;
    fs::create_dir_all(making.path().join(".ablate"))
        .and_then(|()| fs::write(making.path().join(MARK), &opened.digest))
        .with_context(|| format!("cannot write into {}", making.path().display()))?;
    fs::rename(making.path(), folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let _ = making.keep();
    Ok(())
}

/// The parts of the archives of the builds, as the bundle that was unpacked there had them.
pub fn archives(folder: &Path, builds: &[Build]) -> Result<Vec<ArchiveParts>> {
    ArchiveParts::read_all(&folder.join(BESIDE), builds)
}

/// A folder that was unpacked before: every file must still be what it was.
fn check(head: &BundleHead, folder: &Path) -> Result<()> {
    for file in &head.files {
        let path = folder.join(&file.path);
        match digest_of(&path) {
            Ok(digest) if digest == file.sha256 => {}
            Ok(_) => bail!("{} was changed since it was unpacked; remove {}", path.display(), folder.display()),
            Err(error) => {
                return Err(error).with_context(|| format!("{}: remove {}", path.display(), folder.display()));
            }
        }
    }
    Ok(())
}

/// Extracts exactly the files that are listed, each with its content.
pub(super) fn extract(section: impl Read, files: &[Packed], folder: &Path) -> Result<()> {
    let mut decoder = zstd::Decoder::new(section)?;
    decoder.window_log_max(WINDOW_LOG)?;
    let mut left: HashMap<&str, &Packed> = files.iter().map(|file| (file.path.as_str(), file)).collect();
    let mut archive = tar::Archive::new(decoder);
    for entry in archive.entries()? {
        let mut entry = entry?;
        let place = entry.path()?.to_string_lossy().into_owned();
        let Some(packed) = left.remove(place.as_str()) else { bail!("{place} is not in its list of files") };
        place_file(&mut entry, packed, &folder.join(&place)).with_context(|| place.clone())?;
    }
    match left.keys().next() {
        Some(missing) => bail!("{missing} is in its list of files and not in the archive"),
        None => Ok(()),
    }
}

fn place_file(from: &mut impl Read, packed: &Packed, path: &Path) -> Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut file = File::create_new(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        let length = from.read(&mut buffer)?;
        if length == 0 {
            break;
        }
        hasher.update(&buffer[..length]);
        file.write_all(&buffer[..length])?;
    }
    let digest = hex(&hasher.finalize());
    if digest != packed.sha256 {
        bail!("its digest is {digest}, not {}", packed.sha256);
    }
    if packed.executable {
        file.set_permissions(Permissions::from_mode(0o555))?;
    }
    file.sync_all()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_is_unpacked_under_its_own_name() {
        let folder = |path: &str| default_folder(Path::new(path));
        assert_eq!(folder("/x/phase4.bundle"), Path::new("/x/phase4"));
        assert_eq!(folder("phase4"), Path::new("phase4.unpacked"));
    }
}
