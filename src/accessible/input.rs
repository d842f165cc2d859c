//! Reads input lines on a thread of its own, so that waiting for the next one can be interrupted.

use std::io::{self, BufRead, Read};

use tokio::sync::mpsc;

/// The most bytes of a line; the rest of a longer line is skipped.
const MOST_BYTES: u64 = 1 << 20;

/// A line of input.
#[derive(Debug)]
pub(super) enum InputLine {
    /// A line, without its end.
    Text(String),
    /// A line longer than [`MOST_BYTES`].
    TooLong,
    /// A line that is not valid UTF-8.
    NotText,
    /// The input cannot be read any further.
    Failed(io::Error),
}

/// Starts to read. The channel closes at the end of the input.
///
/// # Errors
/// If the system cannot start a thread.
pub(super) fn read(mut input: impl BufRead + Send + 'static) -> io::Result<mpsc::Receiver<InputLine>> {
    let (sender, receiver) = mpsc::channel(1);
    std::thread::Builder::new().name("input".into()).spawn(move || {
        while let Some(line) = next(&mut input) {
            let last = matches!(line, InputLine::Failed(_));
            if sender.blocking_send(line).is_err() || last {
                return;
            }
        }
    })?;
    Ok(receiver)
}

/// The next line; `None` at the end.
fn next(input: &mut impl BufRead) -> Option<InputLine> {
    let mut bytes = Vec::new();
    match input.by_ref().take(MOST_BYTES + 1).read_until(b'\n', &mut bytes) {
        Err(error) => return Some(InputLine::Failed(error)),
        Ok(0) => return None,
        Ok(_) => {}
    }
    if bytes.len() as u64 > MOST_BYTES && bytes.last() != Some(&b'\n') {
        return Some(input.skip_until(b'\n').map_or_else(InputLine::Failed, |_| InputLine::TooLong));
    }
    Some(String::from_utf8(bytes).map_or(InputLine::NotText, |text| InputLine::Text(text.trim_end_matches(['\n', '\r']).to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded_and_a_broken_one_costs_itself() {
        let mut input = b"one\r\n\xff\xfe\n".to_vec();
        input.resize(input.len() + (MOST_BYTES as usize) * 2, b'a');
        input.extend_from_slice(b"\n\nlast");
        let mut input = io::Cursor::new(input);
        let said: Vec<String> = std::iter::from_fn(|| next(&mut input))
            .map(|line| match line {
                InputLine::Text(text) => text,
                other => format!("{other:?}"),
            })
            .collect();
        assert_eq!(said, ["one", "NotText", "TooLong", "", "last"]);
    }
}
