//! IOB files: a token and its tag on each line (`B-Disease`, `I-Disease`, `O`), an empty line between sentences.

use super::{MarkedMention, MarkedText};

/// Collects lines into sentences. The text of a sentence are its tokens, joined by spaces.
#[derive(Default)]
pub(super) struct IobReader {
    texts: Vec<MarkedText>,
    current: MarkedText,
    open: Option<MarkedMention>,
}

impl IobReader {
    /// Takes a line that is not blank.
    pub(super) fn line(&mut self, line: &str) -> Result<(), &'static str> {
        let mut fields = line.split(['\t', ' ']).filter(|field| !field.is_empty());
        let (Some(token), Some(tag)) = (fields.next(), fields.next_back()) else { return Err("a line without a token and a tag") };
        let (place, of) = tag.split_once('-').unwrap_or((tag, ""));
        if !matches!((place, of.is_empty()), ("O", true) | ("B" | "I", false)) {
            return Err("a tag other than O, B-… and I-…");
        }
        let current = &mut self.current;
        if !current.text.is_empty() {
            current.text.push(' ');
        }
        let begin = current.text.len();
        current.text.push_str(token);
        let end = current.text.len();
        let of = super::usual_type(of);
        match &mut self.open {
            Some(open) if place == "I" && open.of == of => open.parts = vec![(open.span().0, end)],
            open => {
                current.mentions.extend(open.take());
                *open = (place != "O").then(|| MarkedMention::whole(begin, end, of));
            }
        }
        Ok(())
    }

    /// Takes the end of a sentence.
    pub(super) fn blank(&mut self) {
        let mut text = std::mem::take(&mut self.current);
        text.mentions.extend(self.open.take());
        text.is_sentence = true;
        if !text.text.is_empty() {
            self.texts.push(text);
        }
    }

    /// All sentences.
    pub(super) fn finish(mut self) -> Vec<MarkedText> {
        self.blank();
        self.texts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_become_spans_and_faulty_lines_are_refused() {
        let mut reader = IobReader::default();
        for line in ["Zorbin\tB-Chemical", "caused\tO", "renal B-Disease", "failure I-Disease", "pain B-Disease", "x\tI-Chemical"] {
            reader.line(line).expect("a sound line");
        }
        reader.blank();
        reader.blank();
        reader.line("Fine\tO").expect("a sound line");
        for line in ["token", "a\tE-Disease", "a\tB-", "a\tO-Disease"] {
            assert!(reader.line(line).is_err(), "{line}");
        }
        let texts = reader.finish();
        assert_eq!(texts.len(), 2);
        assert_eq!(texts[0].text, "Zorbin caused renal failure pain x");
        let spans: Vec<_> =
            texts[0].mentions.iter().map(|mention| (&texts[0].text[mention.span().0..mention.span().1], &*mention.of)).collect();
        assert_eq!(spans, [("Zorbin", "Chemical"), ("renal failure", "Disease"), ("pain", "Disease"), ("x", "Chemical")]);
    }
}
