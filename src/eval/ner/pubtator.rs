//! PubTator files: `ID|t|title`, `ID|a|abstract`, then a line for each mention: ID, first and last character, words, type, identifier.

use std::collections::HashMap;

use super::{MarkedMention, MarkedText};

/// Collects lines into documents: title and abstract with one space between them.
#[derive(Default)]
pub(super) struct PubtatorReader {
    documents: Vec<Document>,
    numbers: HashMap<String, usize>,
}

#[derive(Default)]
struct Document {
    id: String,
    title: String,
    body: String,
    mentions: Vec<Described>,
}

/// A mention as its line has it.
struct Described {
    /// First character and the one behind the last, counted in Unicode characters over the whole document.
    begin: usize,
    end: usize,
    words: String,
    of: String,
    /// The identifier of its concept; empty if the line has none.
    concept: String,
}

impl PubtatorReader {
    /// Takes a line that is not blank.
    pub(super) fn line(&mut self, line: &str) -> Result<(), &'static str> {
        if let Some((id, rest)) = line.split_once('|').filter(|(id, _)| !id.contains('\t')) {
            let (part, text) = rest.split_once('|').ok_or("a text without t or a")?;
            let document = self.document(id);
            match part {
                "t" => document.title = text.to_owned(),
                "a" => document.body = text.to_owned(),
                _ => return Err("a text that is neither t nor a"),
            }
            return Ok(());
        }
        let fields: Vec<&str> = line.split('\t').collect();
        let [id, begin, end, words, of, ref rest @ ..] = fields[..] else {
            // Relations have fewer fields (ID, kind, two identifiers).
            return if fields.len() == 4 { Ok(()) } else { Err("a mention without its five fields") };
        };
        let (Ok(begin), Ok(end)) = (begin.parse::<usize>(), end.parse::<usize>()) else {
            return Err("a mention whose places are no numbers");
        };
        if begin >= end {
            return Err("a mention that ends before it begins");
        }
        let concept = rest.first().copied().unwrap_or_default().to_owned();
        self.document(id).mentions.push(Described { begin, end, words: words.to_owned(), of: of.to_owned(), concept });
        Ok(())
    }

    fn document(&mut self, id: &str) -> &mut Document {
        let next = self.documents.len();
        let number = *self.numbers.entry(id.to_owned()).or_insert(next);
        if number == next {
            self.documents.push(Document { id: id.to_owned(), ..Document::default() });
        }
        &mut self.documents[number]
    }

    /// All documents, and the number of mentions that do not stand where they should.
    pub(super) fn finish(self) -> (Vec<MarkedText>, u64) {
        let mut misplaced = 0;
        let text = |document: Document| {
            let text = format!("{} {}", document.title, document.body);
            let mut places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            places.push(text.len());
            let (mut mentions, mut concepts) = (Vec::new(), Vec::new());
            for Described { begin, end, words, of, concept } in document.mentions {
                let found = places.get(begin).zip(places.get(end)).map(|(begin, end)| (*begin, *end));
                match found.filter(|(begin, end)| text.get(*begin..*end) == Some(&words)) {
                    Some((begin, end)) => {
                        mentions.push(MarkedMention::whole(begin, end, &of));
                        concepts.push(concept);
                    }
                    None => misplaced += 1,
                }
            }
            MarkedText { id: document.id, text, is_sentence: false, mentions, concepts }
        };
        (self.documents.into_iter().map(text).collect(), misplaced)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_over_title_and_abstract() {
        let mut reader = PubtatorReader::default();
        let lines = [
            "7|t|Über gout.",
            "7|a|It hurts.",
            "7\t5\t9\tgout\tSpecificDisease\tD1",
            "7\tCID\tD1\tD2",
            "7\t14\t19\thurts\tSymptom\t-",
            "7\t0\t4\tgout\tDisease\tD1",
        ];
        lines.iter().for_each(|line| reader.line(line).expect("a sound line"));
        for line in ["7|x|no", "7|t", "7\t1\t2", "7\t9\t5\tx\tDisease\tD1", "7\ta\t5\tx\tDisease\tD1"] {
            assert!(reader.line(line).is_err(), "{line}");
        }
        let (texts, misplaced) = reader.finish();
        assert_eq!((texts.len(), misplaced), (1, 1));
        let words: Vec<&str> = texts[0].mentions.iter().map(|mention| &texts[0].text[mention.span().0..mention.span().1]).collect();
        assert_eq!(words, ["gout", "hurts"]);
        assert_eq!((&*texts[0].mentions[0].of, &*texts[0].mentions[1].of), ("Disease", "Symptom"));
        assert_eq!((&*texts[0].id, &texts[0].concepts[..]), ("7", &["D1".to_owned(), "-".to_owned()][..]), "one for each mention");
    }
}
