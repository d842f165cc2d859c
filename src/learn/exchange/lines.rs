//! Lines of a file: numbered, of bounded length, and summed as they are read.

use std::io::{self, BufRead, Read};

use sha2::{Digest, Sha256};

/// Longest line, bytes.
const LONGEST: usize = 1 << 20;
const BYTE_ORDER_MARK: char = '\u{FEFF}';

/// Reads lines.
pub(super) struct Lines<R> {
    input: R,
    number: u64,
    sum: Sha256,
}

/// A line, or what is wrong with it.
pub(super) struct Line {
    /// Its number, from 1.
    pub(super) number: u64,
    pub(super) text: Result<String, &'static str>,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, number: 0, sum: Sha256::new() }
    }

    /// The next line that is not blank; `None` at the end.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(super) fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let mut bytes = Vec::new();
            let read = self.input.by_ref().take(LONGEST as u64 + 1).read_until(b'\n', &mut bytes)?;
            if read == 0 {
                return Ok(None);
            }
            self.sum.update(&bytes);
            self.number += 1;
            let number = self.number;
            if bytes.last() == Some(&b'\n') {
                bytes.pop();
            } else if read > LONGEST {
                self.pass_over()?;
                return Ok(Some(Line { number, text: Err("a line of more than 1 MiB") }));
            }
            if bytes.last() == Some(&b'\r') {
                bytes.pop();
            }
            let Ok(mut text) = String::from_utf8(bytes) else {
                return Ok(Some(Line { number, text: Err("not valid UTF-8") }));
            };
            if number == 1 && text.starts_with(BYTE_ORDER_MARK) {
                text.drain(..BYTE_ORDER_MARK.len_utf8());
            }
            if !text.chars().all(|c| c == ' ') {
                return Ok(Some(Line { number, text: Ok(text) }));
            }
        }
    }

    /// Passes over the rest of a line.
    fn pass_over(&mut self) -> io::Result<()> {
        loop {
            let part = self.input.fill_buf()?;
            if part.is_empty() {
                return Ok(());
            }
            let end = memchr::memchr(b'\n', part);
            let length = end.map_or(part.len(), |end| end + 1);
            self.sum.update(&part[..length]);
            self.input.consume(length);
            if end.is_some() {
                return Ok(());
            }
        }
    }

    /// The sum of all that was read, hexadecimal.
    pub(super) fn sha256(self) -> String {
        self.sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
