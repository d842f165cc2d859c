//! What is said, a sentence a line.

use std::io::{self, Write};

use crate::text::sanitise_line;

/// Writes sentences.
#[derive(Debug)]
pub(super) struct Speaker<W> {
    out: W,
}

impl<W: Write> Speaker<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out }
    }

    /// Says a sentence at once. This is where foreign text is made safe: it is one line, with nothing in it that a terminal could
    /// obey or that only draws.
    ///
    /// # Errors
    /// If the output does not take it.
    pub(super) fn say(&mut self, sentence: &str) -> io::Result<()> {
        let line = spoken(sentence);
        if line.is_empty() {
            return Ok(());
        }
        writeln!(self.out, "{line}")?;
        self.out.flush()
    }
}

/// One line of text that can be read aloud.
fn spoken(text: &str) -> String {
    let draws = |c: char| matches!(c, '\u{2500}'..='\u{259F}' | '\u{2800}'..='\u{28FF}');
    let line = sanitise_line(text);
    if line.contains(draws) { sanitise_line(&line.replace(draws, " ")) } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_said_that_draws_or_commands() {
        assert_eq!(spoken("two\n lines \u{1b}[31m│ box ─┼─ \u{202e}bars ▁▂█ and ⠿"), "two lines [31m box bars and");
        let mut speaker = Speaker::new(Vec::new());
        speaker.say("One.").expect("memory");
        speaker.say(" \u{7} ").expect("memory");
        assert_eq!(speaker.out, b"One.\n", "what is empty is not said");
    }
}
