//! The records of a table: lines split at a delimiter, or CSV with quotes (RFC 4180, by `csv-core`).
//!
//! A quote that is never closed would swallow the rest of the file. So a quoted record is bounded like a line; if it does
//! not end, its first line is rejected and reading continues with the next.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use memchr::memchr_iter;

use super::error::ImportError;
use super::input::{InputBytes, LONGEST_LINE};
use super::lines::{ImportLines, find_end, has_three_columns, line_ends, skip_line};
use super::session::{ImportSession, Reason};

/// The most fields of a record; no real table has as many.
const MOST_FIELDS: usize = 4096;
/// How often reading continues after an unclosed quote; each time costs reading up to 1 MiB again.
const MOST_UNCLOSED: usize = 100;
const NOT_CLOSED: &str = "a quote is opened and not closed within 1 MiB";

/// How a table separates fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dialect {
    /// The byte between fields.
    pub(super) delimiter: u8,
    /// Whether quotes protect delimiters and line ends.
    pub(super) quotes: bool,
    /// Lines that begin with this are skipped, unless they have three columns: the caller decides what these are.
    pub(super) comment: Option<u8>,
}

impl Dialect {
    /// The delimiter in words.
    pub(super) fn separated(self) -> String {
        match self.delimiter {
            b'\t' => "tab-separated".to_owned(),
            b',' => "comma-separated".to_owned(),
            b';' => "semicolon-separated".to_owned(),
            b' ' => "space-separated".to_owned(),
            other => format!("columns separated by {:?}:", char::from(other)),
        }
    }
}

/// One record.
#[derive(Clone, Copy)]
pub(super) struct TableRecord<'l> {
    /// The number of its first line, from 1.
    pub(super) line: usize,
    /// Whether its line begins with the mark of a comment.
    pub(super) commented: bool,
    text: &'l [u8],
    ends: &'l [usize],
    gap: usize,
}

impl<'l> TableRecord<'l> {
    /// How many fields it has.
    pub(super) fn len(self) -> usize {
        self.ends.len()
    }

    /// A field; `None` if the record is too short, an error if it is not valid UTF-8.
    pub(super) fn get(self, index: usize) -> Result<Option<&'l str>, Reason> {
        let Some(&end) = self.ends.get(index) else { return Ok(None) };
        let start = if index == 0 { 0 } else { self.ends[index - 1] + self.gap };
        match std::str::from_utf8(&self.text[start..end]) {
            Ok(field) => Ok(Some(field)),
            Err(_) => Err(Reason::Borrowed("not valid UTF-8")),
        }
    }

    /// A field; empty if the record is too short.
    pub(super) fn field(self, index: usize) -> Result<&'l str, Reason> {
        Ok(self.get(index)?.unwrap_or(""))
    }

    /// All fields; those that are not valid UTF-8 are empty.
    pub(super) fn fields(self) -> impl Iterator<Item = &'l str> {
        (0..self.len()).map(move |i| self.field(i).unwrap_or(""))
    }
}

/// The records of a file.
pub(super) enum TableRecords<'r> {
    /// Split at the delimiter.
    Plain { lines: ImportLines<'r>, comment: Option<u8>, delimiter: u8, ends: Vec<usize> },
    /// Read as CSV.
    Quoted(Box<CsvRecords<'r>>),
}

impl<'r> TableRecords<'r> {
    pub(super) fn new(source: InputBytes<'r>, dialect: Dialect) -> Self {
        if dialect.quotes {
            Self::Quoted(Box::new(CsvRecords::new(source, dialect)))
        } else {
            let Dialect { comment, delimiter, .. } = dialect;
            Self::Plain { lines: ImportLines::of_table(source, comment, delimiter), comment, delimiter, ends: Vec::new() }
        }
    }

    /// The file as messages name it.
    pub(super) fn file(&self) -> &str {
        match self {
            Self::Plain { lines, .. } => lines.source.file(),
            Self::Quoted(quoted) => quoted.source.file(),
        }
    }

    /// The next record. Rejects malformed ones.
    pub(super) fn next(&mut self, session: &mut ImportSession) -> Result<Option<TableRecord<'_>>, ImportError> {
        match self {
            Self::Plain { lines, comment, delimiter, ends } => {
                let Some(line) = lines.next(session)? else { return Ok(None) };
                let text = line.bytes();
                ends.clear();
                ends.extend(memchr_iter(*delimiter, text).take(MOST_FIELDS));
                ends.push(text.len());
                let commented = comment.is_some() && text.first() == comment.as_ref();
                Ok(Some(TableRecord { line: line.number, commented, text, ends, gap: 1 }))
            }
            Self::Quoted(quoted) => quoted.next(session),
        }
    }
}

/// The records of a CSV file.
pub(super) struct CsvRecords<'r> {
    source: InputBytes<'r>,
    parser: Reader,
    comment: Option<u8>,
    delimiter: u8,
    text: Vec<u8>,
    ends: Vec<usize>,
    /// The number of the line at which the unread bytes begin.
    line: usize,
    /// Whether the last byte consumed is a CR: an LF after it ends no further line.
    after_return: bool,
    unclosed: usize,
}

/// The result of parsing a record.
enum Parsed {
    /// A record, with its length in bytes and its number of fields.
    Record { bytes: usize, fields: usize },
    /// A malformed record, with the reason.
    Bad(&'static str),
}

impl<'r> CsvRecords<'r> {
    fn new(source: InputBytes<'r>, dialect: Dialect) -> Self {
        let parser = ReaderBuilder::new().delimiter(dialect.delimiter).build();
        let Dialect { comment, delimiter, .. } = dialect;
        let (text, ends) = (vec![0; 1 << 12], vec![0; 32]);
        Self { source, parser, comment, delimiter, text, ends, line: 1, after_return: false, unclosed: 0 }
    }

    fn next(&mut self, session: &mut ImportSession) -> Result<Option<TableRecord<'_>>, ImportError> {
        let (line, commented, fields) = loop {
            if !self.pass_blank(session)? {
                return Ok(None);
            }
            if self.is_comment(session)? {
                self.drop_line(session)?;
                continue;
            }
            session.count_line();
            let commented = self.comment.is_some() && self.source.unread().first() == self.comment.as_ref();
            let begins = self.line;
            match self.parse(session)? {
                Parsed::Record { bytes, fields } => {
                    self.line += line_ends(&self.source.unread()[..bytes], &mut self.after_return);
                    self.source.consume(bytes);
                    break (begins, commented, fields);
                }
                Parsed::Bad(reason) => {
                    self.unclosed += 1;
                    if self.unclosed > MOST_UNCLOSED {
                        let file = self.source.file().to_owned();
                        return Err(ImportError::Malformed { file, line: begins, problem: reason.to_owned(), count: self.unclosed });
                    }
                    session.reject(begins, reason);
                    self.drop_line(session)?;
                }
            }
        };
        Ok(Some(TableRecord { line, commented, text: &self.text, ends: &self.ends[..fields], gap: 0 }))
    }

    /// Whether a comment begins here that has fewer than three columns.
    fn is_comment(&mut self, session: &mut ImportSession) -> Result<bool, ImportError> {
        if self.comment.is_none() || self.source.unread().first() != self.comment.as_ref() {
            return Ok(false);
        }
        let Some(end) = find_end(&mut self.source, session)? else { return Ok(false) };
        Ok(!has_three_columns(&self.source.unread()[..end.length], self.delimiter))
    }

    fn drop_line(&mut self, session: &mut ImportSession) -> Result<(), ImportError> {
        self.line += 1;
        self.after_return = false;
        skip_line(&mut self.source, session)
    }

    /// Moves to the first byte of a record; `false` at the end of the file.
    fn pass_blank(&mut self, session: &mut ImportSession) -> Result<bool, ImportError> {
        loop {
            let unread = self.source.unread();
            let blank = unread.iter().position(|b| !matches!(b, b'\r' | b'\n')).unwrap_or(unread.len());
            let more = blank == unread.len();
            self.line += line_ends(&unread[..blank], &mut self.after_return);
            self.source.consume(blank);
            if !more {
                return Ok(true);
            }
            if !self.source.more(session)? {
                return Ok(false);
            }
        }
    }

    /// Parses the record that begins here.
    fn parse(&mut self, session: &mut ImportSession) -> Result<Parsed, ImportError> {
        self.parser.reset();
        let (mut read, mut written, mut fields) = (0, 0, 0);
        let mut ended = false;
        loop {
            // At the end of the file a line end closes the record, unless a quote is open.
            let input = if ended { b"\n".as_slice() } else { &self.source.unread()[read..] };
            if input.is_empty() {
                if read > LONGEST_LINE {
                    return Ok(Parsed::Bad(NOT_CLOSED));
                }
                ended = !self.source.more(session)?;
                continue;
            }
            let (result, taken, put, closed) = self.parser.read_record(input, &mut self.text[written..], &mut self.ends[fields..]);
            read += if ended { 0 } else { taken };
            written += put;
            fields += closed;
            match result {
                ReadRecordResult::Record => return Ok(Parsed::Record { bytes: read, fields }),
                ReadRecordResult::InputEmpty | ReadRecordResult::End if ended => return Ok(Parsed::Bad(NOT_CLOSED)),
                ReadRecordResult::InputEmpty | ReadRecordResult::End => {}
                ReadRecordResult::OutputFull if written > LONGEST_LINE => return Ok(Parsed::Bad(NOT_CLOSED)),
                ReadRecordResult::OutputFull => self.text.resize(self.text.len() * 2, 0),
                ReadRecordResult::OutputEndsFull if fields >= MOST_FIELDS => return Ok(Parsed::Bad("more than 4096 columns")),
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
            }
        }
    }
}
