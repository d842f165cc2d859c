//! The lines of an input file: numbered, of bounded length, without blank lines and comments. LF, CRLF and a CR alone end a line.

use memchr::{memchr_iter, memchr2, memchr2_iter};

use super::error::ImportError;
use super::input::{InputBytes, LONGEST_LINE};
use super::session::{ImportSession, Reason};

/// The reason of rejecting a line that is too long.
const LINE_TOO_LONG: &str = "a line of more than 1 MiB";

/// The lines of a file.
pub(super) struct ImportLines<'r> {
    pub(super) source: InputBytes<'r>,
    comment: Option<u8>,
    /// A comment with two of these is no mere comment and is returned: it may be a row of a table.
    delimiter: Option<u8>,
    /// The number of the line that begins with the unread bytes, from 1.
    number: usize,
    /// The length in bytes of the line returned last, including its end.
    given: usize,
}

/// One line, without its end.
#[derive(Clone, Copy)]
pub(super) struct ImportLine<'l> {
    /// Its number, from 1.
    pub(super) number: usize,
    bytes: &'l [u8],
}

impl<'l> ImportLine<'l> {
    /// Its bytes.
    pub(super) fn bytes(self) -> &'l [u8] {
        self.bytes
    }

    /// Its text, if it is valid.
    pub(super) fn text(self) -> Result<&'l str, Reason> {
        std::str::from_utf8(self.bytes).map_err(|_| Reason::Borrowed("not valid UTF-8"))
    }
}

impl<'r> ImportLines<'r> {
    /// Skips lines that begin with `comment`.
    pub(super) fn new(source: InputBytes<'r>, comment: Option<u8>) -> Self {
        Self { source, comment, delimiter: None, number: 1, given: 0 }
    }

    /// The lines of a table: one that begins with `comment` and has three columns is returned, so that no row is lost in silence.
    pub(super) fn of_table(source: InputBytes<'r>, comment: Option<u8>, delimiter: u8) -> Self {
        Self { delimiter: Some(delimiter), ..Self::new(source, comment) }
    }

    fn is_comment(&self, line: &[u8]) -> bool {
        self.comment.is_some_and(|mark| line.first() == Some(&mark)) && !self.delimiter.is_some_and(|mark| has_three_columns(line, mark))
    }

    /// The next line that is neither blank nor a comment. Rejects lines that are too long.
    pub(super) fn next(&mut self, session: &mut ImportSession) -> Result<Option<ImportLine<'_>>, ImportError> {
        self.pass();
        let LineEnd { length, given, .. } = loop {
            let Some(end) = find_end(&mut self.source, session)? else { return Ok(None) };
            let line = &self.source.unread()[..end.length];
            let ignored = self.is_comment(line) || line.iter().all(u8::is_ascii_whitespace);
            if ignored && end.whole {
                self.given = end.given;
                self.pass();
                continue;
            }
            if !ignored {
                session.count_line();
            }
            if end.whole {
                break end;
            }
            if !ignored {
                session.reject(self.number, LINE_TOO_LONG);
            }
            self.skip_line(session)?;
        };
        self.given = given;
        Ok(Some(ImportLine { number: self.number, bytes: &self.source.unread()[..length] }))
    }

    /// Moves past the line returned last.
    fn pass(&mut self) {
        if self.given > 0 {
            self.source.consume(self.given);
            self.number += 1;
            self.given = 0;
        }
    }

    /// Skips the rest of the line that begins here.
    fn skip_line(&mut self, session: &mut ImportSession) -> Result<(), ImportError> {
        skip_line(&mut self.source, session)?;
        self.number += 1;
        Ok(())
    }
}

/// Whether a line has three columns or more.
pub(super) fn has_three_columns(line: &[u8], delimiter: u8) -> bool {
    memchr_iter(delimiter, line).nth(1).is_some()
}

/// Where a line ends.
pub(super) struct LineEnd {
    /// Its length in bytes, without its end.
    pub(super) length: usize,
    /// The same with its end: one or two bytes, or none at the end of the file.
    given: usize,
    /// Whether this is the whole line; otherwise it is too long.
    whole: bool,
}

/// The end of the line that begins with the unread bytes; `None` at the end of the file.
pub(super) fn find_end(source: &mut InputBytes, session: &mut ImportSession) -> Result<Option<LineEnd>, ImportError> {
    let mut searched = 0;
    loop {
        let unread = source.unread();
        if let Some(found) = memchr2(b'\n', b'\r', &unread[searched..]) {
            let length = searched + found;
            let is_return = unread[length] == b'\r';
            if is_return && length + 1 == unread.len() {
                source.more(session)?;
            }
            let pair = is_return && source.unread().get(length + 1) == Some(&b'\n');
            return Ok(Some(LineEnd { length, given: length + 1 + usize::from(pair), whole: length <= LONGEST_LINE }));
        }
        searched = unread.len();
        if searched > LONGEST_LINE {
            return Ok(Some(LineEnd { length: searched, given: searched, whole: false }));
        }
        if !source.more(session)? {
            return Ok((searched > 0).then_some(LineEnd { length: searched, given: searched, whole: true }));
        }
    }
}

/// Skips the rest of a line, however long.
pub(super) fn skip_line(source: &mut InputBytes, session: &mut ImportSession) -> Result<(), ImportError> {
    while let Some(end) = find_end(source, session)? {
        let found = end.given > end.length;
        source.consume(end.given);
        if found {
            break;
        }
    }
    Ok(())
}

/// The number of line ends in some bytes. `after_return` says whether the byte before them is a CR, and then whether their last is.
pub(super) fn line_ends(bytes: &[u8], after_return: &mut bool) -> usize {
    let follows_return = |at: usize| if at == 0 { *after_return } else { bytes[at - 1] == b'\r' };
    let count = memchr2_iter(b'\n', b'\r', bytes).filter(|at| bytes[*at] == b'\r' || !follows_return(*at)).count();
    *after_return = bytes.last().map_or(*after_return, |last| *last == b'\r');
    count
}
