//! Some models think aloud before they write (`<think>…</think>`). That is no part of the text.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Lets a text through without what stands between `<think>` and `</think>`, piece by piece.
#[derive(Debug, Default)]
pub(super) struct Thoughts {
    /// What may be the beginning of a tag.
    held: String,
    thinking: bool,
}

impl Thoughts {
    /// Takes a piece in; gives what is known to be text.
    pub(super) fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let mut text = String::new();
        loop {
            let tag = if self.thinking { CLOSE } else { OPEN };
            if let Some(at) = self.held.find(tag) {
                if !self.thinking {
                    text.push_str(&self.held[..at]);
                }
                self.held.drain(..at + tag.len());
                self.thinking = !self.thinking;
                continue;
            }
            // The longest end that a tag could begin with waits for more.
            let kept = (0..tag.len()).rev().find(|len| self.held.ends_with(&tag[..*len])).unwrap_or(0);
            let ready: String = self.held.drain(..self.held.len() - kept).collect();
            if !self.thinking {
                text.push_str(&ready);
            }
            return text;
        }
    }

    /// What is left at the end of the text.
    pub(super) fn end(self) -> String {
        if self.thinking { String::new() } else { self.held }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_are_left_out_however_they_are_cut() {
        let whole = "<think>is it 1 < 2?\n胃</think>Take < 3 [1]. <thi";
        for size in 1..12 {
            let characters: Vec<char> = whole.chars().collect();
            let mut thoughts = Thoughts::default();
            let mut text: String = characters.chunks(size).map(|piece| thoughts.push(&piece.iter().collect::<String>())).collect();
            text += &thoughts.end();
            assert_eq!(text, "Take < 3 [1]. <thi", "pieces of {size}");
        }
        let mut endless = Thoughts::default();
        assert_eq!(endless.push("<think>for ever") + &endless.end(), "");
    }
}
