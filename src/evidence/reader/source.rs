//! Files of documents: those of a folder, texts of bounded size, and bytes that may be packed (gzip, zip).

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::Output;
use crate::evidence::document::Document;

/// The largest file of text, in bytes.
const LARGEST_TEXT: u64 = 64 << 20;
/// The most files of a folder.
const MOST_FILES: usize = 100_000;
/// How deep folders are searched.
const DEEPEST: usize = 8;

/// The file itself, or the files with one of these endings in a folder and the folders below, in the order of their paths.
pub(super) fn files(path: &Path, endings: &[&str]) -> io::Result<Vec<PathBuf>> {
    if !std::fs::metadata(path)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    let mut folders = vec![(path.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            // A link may lead anywhere, also back.
            let kind = entry.file_type()?;
            let name = entry.file_name().to_string_lossy().to_lowercase();
            if kind.is_dir() && depth < DEEPEST {
                folders.push((entry.path(), depth + 1));
            } else if kind.is_file() && endings.iter().any(|ending| name.ends_with(ending)) {
                found.push(entry.path());
            }
            if found.len() > MOST_FILES {
                return Err(io::Error::other(format!("the folder has more than {MOST_FILES} files; import it in parts")));
            }
        }
    }
    found.sort();
    if found.is_empty() {
        let endings = endings.join(", ");
        return Err(io::Error::other(format!("the folder has no file of this format ({endings})")));
    }
    Ok(found)
}

/// Reads a file of text as one document.
pub(super) fn text_file(file: &Path, shown: &str, out: &mut Output<'_>, read: impl FnOnce(&str, &str) -> Document) -> io::Result<()> {
    let mut bytes = Vec::new();
    File::open(file)?.take(LARGEST_TEXT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST_TEXT {
        out.reject("a file of more than 64 MiB", || shown.to_owned());
        return Ok(());
    }
    match String::from_utf8(bytes) {
        Ok(text) => {
            let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
            out.put(read(shown, text), || shown.to_owned());
        }
        Err(_) => out.reject("not valid UTF-8", || shown.to_owned()),
    }
    Ok(())
}

/// Reads until so many bytes came since its bound was set again: a part that never ends is an error, and fills no memory.
pub(super) struct Bounded<R> {
    input: R,
    left: Rc<Cell<u64>>,
}

impl<R> Bounded<R> {
    pub(super) fn new(input: R, left: Rc<Cell<u64>>) -> Self {
        Self { input, left }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        let left = self.left.get().checked_sub(read as u64).ok_or_else(|| io::Error::other("a part is too large"))?;
        self.left.set(left);
        Ok(read)
    }
}

/// Bytes of a file, unpacked if they begin like gzip or zip. Of a zip archive, the first file.
pub(super) fn unpacked<T>(path: &Path, read: impl FnOnce(&mut dyn Read) -> io::Result<T>) -> io::Result<T> {
    let mut begin = [0; 4];
    let mut file = File::open(path)?;
    let mut filled = 0;
    while let Some(rest) = begin.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read(rest)? {
            0 => break,
            more => filled += more,
        }
    }
    let file = BufReader::with_capacity(1 << 18, File::open(path)?);
    if begin.starts_with(&[0x1f, 0x8b]) {
        return read(&mut BufReader::new(flate2::bufread::MultiGzDecoder::new(file)));
    }
    if begin == *b"PK\x03\x04" {
        let damaged = |error: zip::result::ZipError| io::Error::other(format!("its zip archive cannot be read ({error})"));
        let mut archive = zip::ZipArchive::new(file).map_err(damaged)?;
        let inner = archive.by_index(0).map_err(damaged)?;
        return read(&mut BufReader::new(inner));
    }
    read(&mut { file })
}
