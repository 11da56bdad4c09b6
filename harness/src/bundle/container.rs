//! The outer shape of a bundle and of a results file: a signature, a head in JSON, sections of bytes.
//!
//! ```text
//! #!/bin/sh                                                   a bundle alone: it starts itself, see `launcher.sh`
//! # ablate-bundle 1.0 length=… head=… sha256=…                results files begin here, with `# ablate-results`
//! …
//! {"…":…}\n                                                   the head, at byte `head`
//! sections, one after another, whose lengths the head knows
//! ```
//!
//! Numbers in the signature have a fixed width. `sha256` is over the whole file with 64 zeros in its own place.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::build::store::hex;
use crate::record::Format;

/// The version of both kinds of files.
pub(super) const FORMAT: Format = Format { major: 1, minor: 0 };

/// The place of the digest while it is computed.
const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// No signature lies deeper in a file than this, and none is longer.
const SIGNATURE_LIMIT: u64 = 512;

/// A head longer than this was not written by this program.
const HEAD_LIMIT: u64 = 64 << 20;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An experiment on its way to a machine that measures.
    Bundle,
    /// A run on its way back.
    Results,
}

impl Kind {
    /// The word in the signature.
    fn word(self) -> &'static str {
        match self {
            Self::Bundle => "ablate-bundle",
            Self::Results => "ablate-results",
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Bundle => "a bundle",
            Self::Results => "a results file",
        }
    }
}

/// A file whose digest was found right.
#[derive(Debug)]
pub struct Opened<H> {
    /// Where it lies.
    pub path: PathBuf,
    /// SHA-256 that its signature holds.
    pub digest: String,
    /// Its head.
    pub head: H,
    sections: u64,
}

impl<H> Opened<H> {
    /// A reader of `length` bytes from byte `offset` of the sections.
    pub(super) fn section(&self, offset: u64, length: u64) -> Result<impl Read + use<H>> {
        let mut file = File::open(&self.path).with_context(|| format!("cannot read {}", self.path.display()))?;
        file.seek(SeekFrom::Start(self.sections + offset))
            .with_context(|| format!("cannot read {}", self.path.display()))?;
        Ok(BufReader::with_capacity(1 << 18, file).take(length))
    }
}

/// What the signature says.
#[derive(Debug, PartialEq, Eq)]
struct Signature {
    format: (u32, u32),
    length: u64,
    head: u64,
    digest: String,
    /// Where the digest stands in the file.
    digest_at: u64,
}

/// Checks a file whole and reads its head. Fails where it is cut, was changed, or has another format.
pub fn open<H: DeserializeOwned>(path: &Path, kind: Kind) -> Result<Opened<H>> {
    let mut file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let shown = path.display();
    let Some(signature) = signature(&mut file, kind).with_context(|| format!("cannot read {shown}"))? else {
        bail!("{shown} is not {} of ablate: it has no line `# {} …`", kind.noun(), kind.word());
    };
    let (major, minor) = signature.format;
    if major != FORMAT.major {
        bail!(
            "{shown} has format {major}.{minor}, this ablate reads {}.x; use the ablate that it was made with",
            FORMAT.major
        );
    }
    let length = file.metadata().with_context(|| format!("cannot read {shown}"))?.len();
    if length != signature.length {
        let cut = if length < signature.length { "cut" } else { "longer than it was made" };
        bail!("{shown} is {cut}: it has {length} bytes instead of {}; copy it again", signature.length);
    }
    let digest = digest_without(&mut file, signature.digest_at).with_context(|| format!("cannot read {shown}"))?;
    if digest != signature.digest {
        bail!("{shown} was changed after it was made: its digest is {digest}, not {}; copy it again", signature.digest);
    }
    file.seek(SeekFrom::Start(signature.head)).with_context(|| format!("cannot read {shown}"))?;
    let mut line = Vec::new();
    BufReader::new(&mut file)
        .take(HEAD_LIMIT)
        .read_until(b'\n', &mut line)
        .with_context(|| format!("cannot read {shown}"))?;
    let head = serde_json::from_slice(&line)
        .with_context(|| format!("{shown}: this ablate does not understand its head; use the one it was made with"))?;
    Ok(Opened { path: path.to_owned(), digest, head, sections: signature.head + line.len() as u64 })
}

/// Writes a file in one step: the text before the signature's line and after it, the head, then the sections. Gives back its
/// digest.
///
/// `after` is called with the byte at which the sections begin, counted from 0, and must always give equally long texts.
pub(super) fn write<H: Serialize>(
    path: &Path,
    kind: Kind,
    before: &str,
    after: &dyn Fn(u64) -> String,
    head: &H,
    sections: &mut [&mut dyn Read],
) -> Result<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let shown = || format!("cannot write {}", path.display());
    let mut head = serde_json::to_vec(head).context("cannot write the head as JSON")?;
    head.push(b'\n');
    let mut file = tempfile::Builder::new()
        .prefix(".ablate-")
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666))
        .tempfile_in(folder)
        .with_context(shown)?;
    let at = before.len() + line(kind, 0, 0, ZEROS).len() + after(0).len();
    let begin = (at + head.len()) as u64;
    let mut pad = [before, &line(kind, 0, 0, ZEROS), &after(begin)].concat().into_bytes();
    pad.extend(&head);
    file.write_all(&pad).with_context(shown)?;
    for section in sections {
        std::io::copy(section, file.as_file_mut()).with_context(shown)?;
    }
    let length = file.as_file_mut().stream_position().with_context(shown)?;
    put(file.as_file_mut(), before.len(), &line(kind, length, at as u64, ZEROS)).with_context(shown)?;
    let digest_at = (before.len() + digest_offset(kind)) as u64;
    let digest = digest_without(file.as_file_mut(), digest_at).with_context(shown)?;
    put(file.as_file_mut(), before.len(), &line(kind, length, at as u64, &digest)).with_context(shown)?;
    file.as_file().sync_all().with_context(shown)?;
    file.persist(path).with_context(shown)?;
    Ok(digest)
}

fn put(file: &mut File, at: usize, text: &str) -> std::io::Result<()> {
    file.seek(SeekFrom::Start(at as u64))?;
    file.write_all(text.as_bytes())
}

fn line(kind: Kind, length: u64, head: u64, digest: &str) -> String {
    let Format { major, minor } = FORMAT;
    format!("# {} {major}.{minor} length={length:020} head={head:020} sha256={digest}\n", kind.word())
}

fn digest_offset(kind: Kind) -> usize {
    line(kind, 0, 0, ZEROS).len() - 1 - ZEROS.len()
}

/// Looks for the signature in the first lines of a file.
fn signature(file: &mut File, kind: Kind) -> std::io::Result<Option<Signature>> {
    file.seek(SeekFrom::Start(0))?;
    let mut start = Vec::new();
    file.take(SIGNATURE_LIMIT).read_to_end(&mut start)?;
    let mut at = 0;
    for line in start.split_inclusive(|&byte| byte == b'\n') {
        if let Some(found) = parse(&String::from_utf8_lossy(line), kind, at) {
            return Ok(Some(found));
        }
        at += line.len() as u64;
    }
    Ok(None)
}

fn parse(line: &str, kind: Kind, at: u64) -> Option<Signature> {
    let rest = line.strip_prefix("# ")?.strip_prefix(kind.word())?.strip_prefix(' ')?;
    let (version, rest) = rest.split_once(' ').unwrap_or((rest.trim_end(), ""));
    let (major, minor) = version.split_once('.')?;
    let value = |name: &str| rest.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
    let number = |name: &str| value(name).and_then(|digits| digits.parse().ok()).unwrap_or_default();
    let digest = value("sha256").unwrap_or_default().to_owned();
    let digest_at = at + line.find("sha256=").map_or(0, |place| place + "sha256=".len()) as u64;
    let format = (major.parse().ok()?, minor.parse().ok()?);
    Some(Signature { format, length: number("length"), head: number("head"), digest, digest_at })
}

/// SHA-256 over the file, with zeros in the place of the digest.
fn digest_without(file: &mut File, digest_at: u64) -> std::io::Result<String> {
    file.seek(SeekFrom::Start(0))?;
    let mut hasher = Sha256::new();
    let mut before = Vec::new();
    (&mut *file).take(digest_at).read_to_end(&mut before)?;
    hasher.update(&before);
    hasher.update(ZEROS.as_bytes());
    file.seek(SeekFrom::Start(digest_at + ZEROS.len() as u64))?;
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hex(&hasher.finalize())),
            Ok(length) => hasher.update(&buffer[..length]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The size of a file that is about to be packed.
pub(super) fn size(path: &Path) -> Result<u64> {
    Ok(fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?.len())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn written(kind: Kind) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x");
        let before = if kind == Kind::Bundle { "#!/bin/sh\n" } else { "" };
        let after = |begin: u64| format!("begin {begin:09}\n");
        let (mut one, mut two) = (Cursor::new(b"one"), Cursor::new(b"second"));
        write(&path, kind, before, &after, &"a head", &mut [&mut one, &mut two]).expect("written");
        (folder, path)
    }

    #[test]
    fn what_was_written_is_read_back() {
        for kind in [Kind::Bundle, Kind::Results] {
            let (_folder, path) = written(kind);
            let opened: Opened<String> = open(&path, kind).expect("opened");
            assert_eq!(opened.head, "a head");
            let mut text = String::new();
            opened.section(3, 6).expect("a section").read_to_string(&mut text).expect("read");
            assert_eq!(text, "second");
            let whole = fs::read_to_string(&path).expect("text");
            let begin: usize = whole.split("begin ").nth(1).expect("told")[..9].parse().expect("a number");
            assert_eq!(&whole[begin..], "onesecond");
        }
    }

    #[test]
    fn every_changed_byte_and_every_cut_is_found() {
        let (_folder, path) = written(Kind::Bundle);
        let whole = fs::read(&path).expect("bytes");
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            fs::write(&path, &changed).expect("written");
            assert!(open::<String>(&path, Kind::Bundle).is_err(), "byte {at} may be changed");
            fs::write(&path, &whole[..at]).expect("written");
            assert!(open::<String>(&path, Kind::Bundle).is_err(), "it may be cut at {at}");
        }
        fs::write(&path, [&whole[..], b"x"].concat()).expect("written");
        let refused = open::<String>(&path, Kind::Bundle).expect_err("longer").to_string();
        assert!(refused.contains("longer than it was made"), "{refused}");
    }

    #[test]
    fn another_format_and_another_kind_say_so() {
        let (_folder, path) = written(Kind::Bundle);
        let refused = open::<String>(&path, Kind::Results).expect_err("another kind").to_string();
        assert!(refused.contains("is not a results file of ablate"), "{refused}");
        let text = fs::read_to_string(&path).expect("text").replace("bundle 1.0", "bundle 2.7");
        fs::write(&path, text).expect("written");
        let refused = open::<String>(&path, Kind::Bundle).expect_err("another format").to_string();
        assert!(refused.contains("has format 2.7, this ablate reads 1.x"), "{refused}");
    }
}
