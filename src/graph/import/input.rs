//! The input files of an import: opens them, unpacks gzip, and counts bytes for the progress.

use std::cell::Cell;
use std::fs::File;
use std::io::{Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use flate2::read::MultiGzDecoder;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::error::ImportError;
use super::session::ImportSession;
use crate::text::sanitise_line;

/// Bytes read at once; progress is reported as often.
const PORTION: usize = 1 << 18;

/// The longest accepted line, statement or quoted record, in bytes. The longest in real sources, diseases with all
/// their drugs as JSON, are a tenth of this.
pub(super) const LONGEST_LINE: usize = 1 << 20;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const BYTE_ORDER_MARK: &[u8] = "\u{FEFF}".as_bytes();

/// What is encoded in a file's address.
const IN_ADDRESS: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// A file to import, on disk or in memory. Files that begin like gzip are unpacked.
#[derive(Debug, Clone)]
pub struct InputFile {
    shown: String,
    content: FileContent,
}

#[derive(Debug, Clone)]
enum FileContent {
    Disk(PathBuf),
    Memory(Vec<u8>),
}

impl InputFile {
    /// A file on disk.
    pub fn on_disk(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        Self { shown: sanitise_line(&path.display().to_string()), content: FileContent::Disk(path.to_owned()) }
    }

    /// Bytes treated as a file of this name.
    pub fn in_memory(name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        Self { shown: sanitise_line(name), content: FileContent::Memory(bytes.into()) }
    }

    /// The file as messages name it.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Its address as an IRI, `file:///…`.
    pub(super) fn address(&self) -> String {
        let path = match &self.content {
            FileContent::Disk(path) => std::path::absolute(path).unwrap_or_else(|_| path.clone()),
            FileContent::Memory(_) => PathBuf::from(&self.shown),
        };
        let path = path.to_string_lossy().replace('\\', "/");
        format!("file:///{}", utf8_percent_encode(path.trim_start_matches('/'), IN_ADDRESS))
    }

    /// Its file name, which distinguishes the lines of several files in reports.
    pub(super) fn short_name(&self) -> &str {
        self.shown.rsplit(['/', '\\']).next().unwrap_or(&self.shown)
    }

    /// Its size on disk in bytes, compressed or not; 0 if unknown.
    pub(super) fn size(&self) -> u64 {
        match &self.content {
            FileContent::Disk(path) => std::fs::metadata(path).map_or(0, |data| data.len()),
            FileContent::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// Opens the file and starts reporting rejections under its name.
    pub(super) fn open<'a>(&'a self, session: &mut ImportSession) -> Result<InputBytes<'a>, ImportError> {
        let reader: Box<dyn Read + 'a> = match &self.content {
            FileContent::Disk(path) => Box::new(File::open(path).map_err(|source| ImportError::Io { file: self.shown.clone(), source })?),
            FileContent::Memory(bytes) => Box::new(bytes.as_slice()),
        };
        session.begin_file(self.short_name());
        InputBytes::new(reader, &self.shown, session)
    }
}

/// Counts bytes as they are read, before unpacking.
struct CountingReader<R> {
    inner: R,
    count: Rc<Cell<u64>>,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.count.set(self.count.get() + read as u64);
        Ok(read)
    }
}

/// The bytes of a file, unpacked, a portion at a time.
pub(super) struct InputBytes<'r> {
    reader: Box<dyn Read + 'r>,
    file: String,
    gzipped: bool,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    at_end: bool,
}

impl<'r> InputBytes<'r> {
    /// Wraps a reader: detects gzip and skips a byte order mark.
    pub(super) fn new(reader: impl Read + 'r, file: &str, session: &mut ImportSession) -> Result<Self, ImportError> {
        let mut counted = CountingReader { inner: reader, count: session.byte_counter() };
        let mut magic = Vec::with_capacity(GZIP_MAGIC.len());
        let wanted = GZIP_MAGIC.len() as u64;
        (&mut counted).take(wanted).read_to_end(&mut magic).map_err(|source| ImportError::Io { file: file.to_owned(), source })?;
        let gzipped = magic == GZIP_MAGIC;
        let whole = Cursor::new(magic).chain(counted);
        let reader: Box<dyn Read + 'r> = if gzipped { Box::new(MultiGzDecoder::new(whole)) } else { Box::new(whole) };
        let mut source = Self { reader, file: file.to_owned(), gzipped, buffer: vec![0; PORTION], start: 0, end: 0, at_end: false };
        while source.unread().len() < BYTE_ORDER_MARK.len() && source.more(session)? {}
        if source.unread().starts_with(BYTE_ORDER_MARK) {
            source.consume(BYTE_ORDER_MARK.len());
        }
        Ok(source)
    }

    /// The file as messages name it.
    pub(super) fn file(&self) -> &str {
        &self.file
    }

    /// The bytes read but not consumed.
    pub(super) fn unread(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Moves on by so many of the unread bytes.
    pub(super) fn consume(&mut self, bytes: usize) {
        self.start = (self.start + bytes).min(self.end);
    }

    /// Reads more bytes; `false` at the end of the file. The caller must keep the unread bytes to about [`LONGEST_LINE`],
    /// because the buffer grows to hold them.
    pub(super) fn more(&mut self, session: &mut ImportSession) -> Result<bool, ImportError> {
        if self.at_end {
            return Ok(false);
        }
        session.tick()?;
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.buffer.len() - self.end < PORTION / 2 {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        let read = loop {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => break other.map_err(|error| read_error(&self.file, self.gzipped, error))?,
            }
        };
        self.end += read;
        self.at_end = read == 0;
        Ok(!self.at_end)
    }

    /// The remaining bytes as a plain reader; convert its errors with [`ReadErrors::error`].
    pub(super) fn into_rest(self) -> (impl Read + 'r, ReadErrors) {
        let unread = self.unread().to_vec();
        (Cursor::new(unread).chain(self.reader), ReadErrors { file: self.file, gzipped: self.gzipped })
    }
}

/// Converts the errors of a reader made by [`InputBytes::into_rest`].
pub(super) struct ReadErrors {
    pub(super) file: String,
    gzipped: bool,
}

impl ReadErrors {
    /// The error of the import for an error of the reader.
    pub(super) fn error(&self, error: std::io::Error) -> ImportError {
        read_error(&self.file, self.gzipped, error)
    }
}

fn read_error(file: &str, gzipped: bool, source: std::io::Error) -> ImportError {
    let file = file.to_owned();
    match source.kind() {
        ErrorKind::UnexpectedEof if gzipped => ImportError::CutOff { file },
        ErrorKind::InvalidInput | ErrorKind::InvalidData if gzipped => ImportError::Damaged { file, source },
        _ => ImportError::Io { file, source },
    }
}
