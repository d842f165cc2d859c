//! The lines of an input file: numbered, of bounded length, without blank lines and comments.

use memchr::{memchr, memchr_iter};

use super::error::ImportError;
use super::input::{InputBytes, LONGEST_LINE};
use super::session::{ImportSession, Reason};

/// The reason of rejecting a line that is too long.
const LINE_TOO_LONG: &str = "a line of more than 1 MiB";

/// The lines of a file.
pub(super) struct ImportLines<'r> {
    pub(super) source: InputBytes<'r>,
    comment: Option<u8>,
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
        Self { source, comment, number: 1, given: 0 }
    }

    /// The next line that is neither blank nor a comment. Rejects lines that are too long.
    pub(super) fn next(&mut self, session: &mut ImportSession) -> Result<Option<ImportLine<'_>>, ImportError> {
        self.pass();
        let length = loop {
            let Some((length, whole)) = self.find_end(session)? else { return Ok(None) };
            let line = &self.source.unread()[..length];
            let ignored = self.comment.is_some_and(|mark| line.first() == Some(&mark)) || line.iter().all(u8::is_ascii_whitespace);
            if ignored && whole {
                self.given = length + 1;
                self.pass();
                continue;
            }
            if !ignored {
                session.count_line();
            }
            if whole {
                break length;
            }
            if !ignored {
                session.reject(self.number, LINE_TOO_LONG);
            }
            self.skip_line(session)?;
        };
        self.given = length + 1;
        let line = &self.source.unread()[..length];
        Ok(Some(ImportLine { number: self.number, bytes: line.strip_suffix(b"\r").unwrap_or(line) }))
    }

    /// Moves past the line returned last.
    fn pass(&mut self) {
        if self.given > 0 {
            self.source.consume(self.given);
            self.number += 1;
            self.given = 0;
        }
    }

    /// The length of the line that begins here, and whether that is the whole line; `None` at the end of the file.
    fn find_end(&mut self, session: &mut ImportSession) -> Result<Option<(usize, bool)>, ImportError> {
        let mut searched = 0;
        loop {
            let unread = self.source.unread();
            if let Some(found) = memchr(b'\n', &unread[searched..]) {
                let length = searched + found;
                return Ok(Some((length, length <= LONGEST_LINE)));
            }
            searched = unread.len();
            if searched > LONGEST_LINE {
                return Ok(Some((searched, false)));
            }
            if !self.source.more(session)? {
                return Ok((searched > 0).then_some((searched, true)));
            }
        }
    }

    /// Skips the rest of the line that begins here.
    fn skip_line(&mut self, session: &mut ImportSession) -> Result<(), ImportError> {
        skip_line(&mut self.source, session)?;
        self.number += 1;
        Ok(())
    }
}

/// Skips the rest of a line, however long.
pub(super) fn skip_line(source: &mut InputBytes, session: &mut ImportSession) -> Result<(), ImportError> {
    loop {
        let unread = source.unread();
        let (passed, found) = memchr(b'\n', unread).map_or((unread.len(), false), |end| (end + 1, true));
        source.consume(passed);
        if found || !source.more(session)? {
            return Ok(());
        }
    }
}

/// The number of line ends in some bytes.
pub(super) fn line_ends(bytes: &[u8]) -> usize {
    memchr_iter(b'\n', bytes).count()
}
