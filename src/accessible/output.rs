//! Prints sentences, one per line.

use std::io::{self, Write};

use crate::text::sanitise_line;

/// Prints sentences, one per line.
#[derive(Debug)]
pub(super) struct SentenceWriter<W> {
    out: W,
}

impl<W: Write> SentenceWriter<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out }
    }

    /// Prints a sentence at once, without line breaks, control characters and drawing characters: it can contain text of others. An
    /// empty sentence prints nothing.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub(super) fn say(&mut self, sentence: &str) -> io::Result<()> {
        let line = speakable(sentence);
        if line.is_empty() {
            return Ok(());
        }
        writeln!(self.out, "{line}")?;
        self.out.flush()
    }
}

/// The text as one line that a screen reader can read aloud.
fn speakable(text: &str) -> String {
    let draws = |c: char| matches!(c, '\u{2500}'..='\u{259F}' | '\u{2800}'..='\u{28FF}');
    // A dot between parts of a line is a pause.
    let line = sanitise_line(&text.replace(" · ", "; "));
    if line.contains(draws) { sanitise_line(&line.replace(draws, " ")) } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_have_no_drawing_or_control_characters() {
        assert_eq!(speakable("one · two\n lines \u{1b}[31m│ box ─┼─ \u{202e}bars ▁▂█ and ⠿"), "one; two lines [31m box bars and");
        let mut writer = SentenceWriter::new(Vec::new());
        writer.say("One.").expect("memory");
        writer.say(" \u{7} ").expect("memory");
        assert_eq!(writer.out, b"One.\n", "an empty sentence prints nothing");
    }
}
