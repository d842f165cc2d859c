//! Reads the lines of a file: numbered, of bounded length, unpacked if gzipped; and computes the file's SHA-256.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

use flate2::bufread::MultiGzDecoder;
use sha2::{Digest, Sha256};

use super::bounded::{Bounded, UNPACKS_TO_TOO_MUCH, most_unpacked};

/// The longest line, in bytes.
const LONGEST: usize = 1 << 20;
/// Bytes read from a file at once.
const PORTION: usize = 1 << 18;
const BYTE_ORDER_MARK: char = '\u{FEFF}';
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Rejected lines: for each reason, how many there are and the number of the first (from 1).
pub(crate) type LinesRejected = BTreeMap<&'static str, (u64, u64)>;

/// The rejected lines in words; empty if there are none.
pub(crate) fn describe_rejected(rejected: &LinesRejected) -> String {
    let describe = |(why, (count, line)): (&&str, &(u64, u64))| format!("{count} × {why} (first in line {line})");
    rejected.iter().map(describe).collect::<Vec<_>>().join(", ")
}

/// Reads lines and numbers them.
pub(crate) struct NumberedLines<R> {
    input: R,
    number: u64,
}

/// A line, or why it was rejected.
pub(crate) struct NumberedLine {
    /// Its number, from 1.
    pub(crate) number: u64,
    /// The text without the line end.
    pub(crate) text: Result<String, &'static str>,
}

impl<R: BufRead> NumberedLines<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, number: 0 }
    }

    /// The next line that is not blank; `None` at the end.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn next(&mut self) -> io::Result<Option<NumberedLine>> {
        loop {
            let mut bytes = Vec::new();
            let read = self.input.by_ref().take(LONGEST as u64 + 1).read_until(b'\n', &mut bytes)?;
            if read == 0 {
                return Ok(None);
            }
            self.number += 1;
            let number = self.number;
            if bytes.last() == Some(&b'\n') {
                bytes.pop();
            } else if read > LONGEST {
                self.input.skip_until(b'\n')?;
                return Ok(Some(NumberedLine { number, text: Err("a line of more than 1 MiB") }));
            }
            if bytes.last() == Some(&b'\r') {
                bytes.pop();
            }
            let Ok(mut text) = String::from_utf8(bytes) else {
                return Ok(Some(NumberedLine { number, text: Err("not valid UTF-8") }));
            };
            if number == 1 && text.starts_with(BYTE_ORDER_MARK) {
                text.drain(..BYTE_ORDER_MARK.len_utf8());
            }
            if !text.chars().all(|c| c == ' ') {
                return Ok(Some(NumberedLine { number, text: Ok(text) }));
            }
        }
    }
}

/// The SHA-256 of a file's bytes as stored (before unpacking). Complete once all lines have been read.
pub(crate) struct FileDigest(Rc<RefCell<Sha256>>);

impl FileDigest {
    /// The digest, in hexadecimal.
    pub(crate) fn hex(&self) -> String {
        self.0.borrow().clone().finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

struct HashingFile {
    file: File,
    sum: Rc<RefCell<Sha256>>,
}

impl Read for HashingFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.sum.borrow_mut().update(&buffer[..read]);
        Ok(read)
    }
}

/// Opens a file; unpacks it if it begins like gzip.
///
/// # Errors
/// If the file cannot be read. A gzip file that is cut off or damaged causes an error at the line that cannot be read, one that unpacks to absurdly much
/// at the line where that shows.
pub(crate) fn open_lines(path: &Path) -> io::Result<(NumberedLines<Box<dyn BufRead>>, FileDigest)> {
    let sum = Rc::new(RefCell::new(Sha256::new()));
    let file = File::open(path)?;
    let most = most_unpacked(&file.metadata()?);
    let summed = HashingFile { file, sum: Rc::clone(&sum) };
    let mut plain = BufReader::with_capacity(PORTION, summed);
    // The first read returns at least two bytes, unless the file is shorter.
    let is_packed = plain.fill_buf()?.starts_with(&GZIP_MAGIC);
    let input: Box<dyn BufRead> = if is_packed {
        Box::new(BufReader::with_capacity(PORTION, Bounded::new(MultiGzDecoder::new(plain), most, UNPACKS_TO_TOO_MUCH)))
    } else {
        Box::new(plain)
    };
    Ok((NumberedLines::new(input), FileDigest(sum)))
}

/// Why a file cannot be read, in words; the system's own message about a damaged gzip file is not helpful.
pub(crate) fn describe_unreadable(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "its gzip data is cut off; copy or download it again".into(),
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            format!("its gzip data is damaged ({error}); copy or download it again")
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(lines: &mut NumberedLines<impl BufRead>) -> Vec<(u64, Result<String, &'static str>)> {
        std::iter::from_fn(|| lines.next().expect("reads")).map(|line| (line.number, line.text)).collect()
    }

    #[test]
    fn long_and_broken_lines_cost_themselves() {
        let mut text = "\u{FEFF}one\r\n\n   \n".as_bytes().to_vec();
        text.extend_from_slice(b"\xff\xfe\n");
        text.resize(text.len() + 3 * LONGEST, b'x');
        text.extend_from_slice(b"\n");
        text.resize(text.len() + LONGEST, b'y');
        text.extend_from_slice(b"\nlast");
        let lines = read(&mut NumberedLines::new(text.as_slice()));
        let numbers: Vec<u64> = lines.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [1, 4, 5, 6, 7]);
        assert_eq!(lines[0].1.as_deref(), Ok("one"));
        assert_eq!(lines[1].1, Err("not valid UTF-8"));
        assert_eq!(lines[2].1, Err("a line of more than 1 MiB"));
        assert_eq!(lines[3].1.as_ref().map(String::len), Ok(LONGEST), "one of exactly so many is taken");
        assert_eq!(lines[4].1.as_deref(), Ok("last"));
    }

    #[test]
    fn a_line_of_a_gibibyte_is_passed_over() {
        let mut lines = NumberedLines::new(BufReader::with_capacity(PORTION, io::repeat(b'x').take(1 << 30).chain(&b"\nlast"[..])));
        assert_eq!(read(&mut lines), [(1, Err("a line of more than 1 MiB")), (2, Ok("last".into()))]);
    }

    #[test]
    fn a_file_that_unpacks_to_absurdly_much_is_not_read_to_its_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("f.gz");
        let mut encoder = flate2::GzBuilder::new().write(Vec::new(), flate2::Compression::default());
        encoder.write_all(b"one\n").expect("packs");
        io::copy(&mut io::repeat(b'\n').take(80 << 20), &mut encoder).expect("packs");
        std::fs::write(&path, encoder.finish().expect("packs")).expect("a file");
        let (mut lines, _) = open_lines(&path).expect("opens");
        assert_eq!(lines.next().expect("reads").map(|line| line.text), Some(Ok("one".into())));
        let error = lines.next().map(|line| line.is_some()).expect_err("a bomb");
        assert_eq!(describe_unreadable(&error), UNPACKS_TO_TOO_MUCH);
    }

    #[test]
    fn packed_files_are_unpacked_and_summed_as_they_lie_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("f.gz");
        let mut packed = Vec::new();
        for part in ["one\n", "two\n"] {
            // Several members, as `cat a.gz b.gz` makes them.
            let mut encoder = flate2::GzBuilder::new().write(&mut packed, flate2::Compression::default());
            encoder.write_all(part.as_bytes()).expect("packs");
            encoder.finish().expect("packs");
        }
        std::fs::write(&path, &packed).expect("a file");
        let (mut lines, sum) = open_lines(&path).expect("opens");
        assert_eq!(read(&mut lines), [(1, Ok("one".into())), (2, Ok("two".into()))]);
        let expected: String = Sha256::digest(&packed).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(sum.hex(), expected);

        std::fs::write(&path, &packed[..packed.len() - 6]).expect("a file");
        let (mut lines, _) = open_lines(&path).expect("opens");
        let error = std::iter::from_fn(|| lines.next().map(|line| line.map(|_| ())).transpose()).find_map(Result::err).expect("cut off");
        assert!(describe_unreadable(&error).contains("cut off"), "{error}");
    }
}
