//! Server-sent events (WHATWG HTML, §9.2): bytes as they arrive become the data of whole events.
//!
//! Our own parser, because the input is untrusted: lines are limited in length, each byte is read once, invalid UTF-8 does not affect
//! what follows, and a byte order mark is ignored.

/// The longest line, in bytes.
const LONGEST_LINE: usize = 1 << 20;

/// A line was too long.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LineTooLong;

/// Takes bytes in portions of any size and returns the data of each complete event.
#[derive(Debug, Default)]
pub(super) struct EventReader {
    line: Vec<u8>,
    data: Option<String>,
    after_return: bool,
    begun: bool,
}

impl EventReader {
    /// The longest line that is read, in bytes.
    pub(super) const LONGEST_LINE: usize = LONGEST_LINE;

    /// Adds bytes; returns the events that they complete, in order.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<Vec<String>, LineTooLong> {
        let mut events = Vec::new();
        for &byte in bytes {
            let after_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                _ if self.line.len() == LONGEST_LINE => return Err(LineTooLong),
                _ => self.line.push(byte),
            }
        }
        Ok(events)
    }

    /// The last event, at the end of the stream. Strictly, an event ends with an empty line, but servers omit it after the
    /// last one.
    pub(super) fn end(&mut self) -> Option<String> {
        if !self.line.is_empty() {
            self.end_line();
        }
        self.end_line()
    }

    fn end_line(&mut self) -> Option<String> {
        let bytes = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&bytes);
        let line = if std::mem::replace(&mut self.begun, true) { &line } else { line.trim_start_matches('\u{FEFF}') };
        if line.is_empty() {
            return self.data.take();
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        if field == "data" {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.into()),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(portions: &[&[u8]]) -> Vec<String> {
        let mut reader = EventReader::default();
        let mut events: Vec<String> = portions.iter().flat_map(|portion| reader.push(portion).expect("short lines")).collect();
        events.extend(reader.end());
        events
    }

    #[test]
    fn comments_other_fields_and_every_kind_of_line_end_are_understood() {
        let text = "\u{FEFF}: hello\n\nevent: x\r\ndata:  two\r\ndata:lines\r\n\r\nid: 4\rdata: \u{5934}\r\r:\n\ndata\n\ndata: last";
        assert_eq!(read(&[text.as_bytes()]), [" two\nlines", "\u{5934}", "", "last"]);
        assert_eq!(read(&[b"data: a\xFFb\n\ndata: c\n\n"]), ["a\u{FFFD}b", "c"]);
        assert!(read(&[b"", b"\n\n\n"]).is_empty());
    }

    #[test]
    fn no_line_is_too_long_to_be_refused() {
        let mut reader = EventReader::default();
        assert_eq!(reader.push(&vec![b'a'; LONGEST_LINE]), Ok(Vec::new()));
        assert_eq!(reader.push(b"a"), Err(LineTooLong));
    }

    proptest! {
        #[test]
        fn where_the_bytes_are_cut_makes_no_difference(text in "(data: ?[a头é]{0,5}|:|event: x|\u{FEFF}|)(\n|\r\n|\r){0,3}(data: [b疼]{0,4}\r?\n){0,3}\n{0,2}", cuts in prop::collection::vec(0usize..60, 0..6)) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).chain([0, bytes.len()]).collect();
            cuts.sort_unstable();
            let portions: Vec<&[u8]> = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]).collect();
            prop_assert_eq!(read(&portions), read(&[bytes]));
        }
    }
}
