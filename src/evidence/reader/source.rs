//! Files of documents: those of a folder, texts of bounded size, and bytes that may be packed (gzip, zip).

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::Output;
use crate::evidence::document::Document;
use crate::text::{Bounded, UNPACKS_TO_TOO_MUCH, most_unpacked};

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

/// Bytes of a file, unpacked if they begin like gzip or zip. Of a zip archive, every file with one of these endings, one after another, and an only
/// file whatever its name; the others are rejected.
pub(super) fn unpacked(
    path: &Path,
    endings: &[&str],
    out: &mut Output<'_>,
    mut read: impl FnMut(&mut dyn Read, &mut Output<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let mut begin = [0; 4];
    let mut file = File::open(path)?;
    let most = most_unpacked(&file.metadata()?);
    let mut filled = 0;
    while let Some(rest) = begin.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read(rest)? {
            0 => break,
            more => filled += more,
        }
    }
    let file = BufReader::with_capacity(1 << 18, File::open(path)?);
    if begin.starts_with(&[0x1f, 0x8b]) {
        let bytes = flate2::bufread::MultiGzDecoder::new(file);
        return read(&mut BufReader::new(Bounded::new(bytes, most, UNPACKS_TO_TOO_MUCH)), out);
    }
    if begin != *b"PK\x03\x04" {
        return read(&mut { file }, out);
    }
    let damaged = |error: zip::result::ZipError| io::Error::other(format!("its zip archive cannot be read ({error})"));
    let mut archive = zip::ZipArchive::new(file).map_err(damaged)?;
    let is_only = archive.len() == 1;
    for number in 0..archive.len() {
        let Ok(inner) = archive.by_index(number) else {
            out.reject("a file of a zip archive that cannot be read", || format!("file {} of the archive", number + 1));
            continue;
        };
        if inner.is_dir() {
            continue;
        }
        let name = inner.name().map(Cow::into_owned).unwrap_or_default();
        if !is_only && !endings.iter().any(|ending| name.to_lowercase().ends_with(ending)) {
            out.reject("a file of another kind in a zip archive", || name);
            continue;
        }
        // All files together have one bound: those of an archive may lie over each other.
        read(&mut BufReader::new(Bounded::new(inner, Rc::clone(&most), UNPACKS_TO_TOO_MUCH)), out)?;
        if !out.wants_more() {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use crate::evidence::reader::DocumentFormat;
    use crate::evidence::reader::tests::read_text;

    fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut packed = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (name, bytes) in files {
            packed.start_file(*name, zip::write::SimpleFileOptions::default()).expect("a file");
            packed.write_all(bytes).expect("packs");
        }
        packed.finish().expect("packs").into_inner()
    }

    const LABEL: &[u8] = br#"{"set_id":"a","sections":{"overdosage":"Text of the label."}}"#;

    #[test]
    fn every_file_of_an_archive_is_read_or_told() {
        let other = br#"{"set_id":"b","sections":{"overdosage":"Text of another."}}"#;
        let bytes = zipped(&[("readme.txt", LABEL), ("one.jsonl", LABEL), ("two.JSONL", &other[..])]);
        let (documents, report) = read_text(DocumentFormat::OpenFda, bytes);
        assert_eq!(documents.iter().map(|document| document.id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(report.rejected["a file of another kind in a zip archive"], (1, "readme.txt".to_owned()));
        let (documents, report) = read_text(DocumentFormat::OpenFda, zipped(&[("labels", LABEL)]));
        assert!(documents.len() == 1 && report.rejected.is_empty(), "an only file has any name: {report:?}");
    }

    /// How many documents are read before the file is given up, and what is said of it.
    fn told(format: DocumentFormat, bytes: &[u8]) -> (usize, String) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        std::fs::write(&file, bytes).expect("a file");
        let mut count = 0;
        let read = crate::evidence::reader::read(format, &file, &mut |_| {
            count += 1;
            true
        });
        (count, read.map_or_else(|error| error.to_string(), |report| format!("{:?}", report.rejected)))
    }

    #[test]
    fn bombs_are_told_and_fill_no_memory() {
        let mut bomb = LABEL.to_vec();
        bomb.push(b'\n');
        bomb.resize(bomb.len() + (80 << 20), b' ');
        let mut gzip = flate2::GzBuilder::new().write(Vec::new(), flate2::Compression::default());
        gzip.write_all(&bomb).expect("packs");
        let (gzip, zip) = (gzip.finish().expect("packs"), zipped(&[("a.jsonl", bomb.as_slice())]));
        for bytes in [&gzip, &zip] {
            assert!(bytes.len() < 1 << 20, "packed");
            let (count, told) = told(DocumentFormat::OpenFda, bytes);
            assert!(count == 1 && told.contains(crate::text::UNPACKS_TO_TOO_MUCH), "{told}");
            let (_, told) = self::told(DocumentFormat::MedlinePlus, bytes);
            assert!(told.contains("a topic of more than 8 MiB"), "{told}");
        }
        for format in [DocumentFormat::JsonLines, DocumentFormat::MedQuad] {
            assert!(told(format, &gzip).1.contains(crate::text::UNPACKS_TO_TOO_MUCH), "{format}");
        }
    }

    #[test]
    fn texts_that_are_no_utf_8_or_too_large_are_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let large = folder.path().join("large");
        std::fs::File::create(&large).and_then(|file| file.set_len(super::LARGEST_TEXT + 1)).expect("a file");
        for format in [DocumentFormat::Markdown, DocumentFormat::Plain, DocumentFormat::Html] {
            let (documents, report) = read_text(format, b"# Asthma\n\xff\xfe wheeze");
            assert!(documents.is_empty() && report.rejected.contains_key("not valid UTF-8"), "{format}: {report:?}");
            let report = crate::evidence::reader::read(format, &large, &mut |_| true).expect("reads");
            assert!(report.documents == 0 && report.rejected.contains_key("a file of more than 64 MiB"), "{format}: {report:?}");
        }
    }
}
