//! A document as it is read: its sections with their text, word for word; and what a reader counts.

use std::collections::BTreeMap;

/// The longest text of one section, in bytes; a longer one is rejected.
pub const LONGEST_SECTION: usize = 8 << 20;
/// The longest id, title, heading, address or date, in bytes; a longer one is cut.
const LONGEST_FIELD: usize = 1000;
/// The most other names of a document's subject.
const MOST_ALIASES: usize = 64;

/// A document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// Its id: unique in a collection; a document with the same id replaces it.
    pub id: String,
    /// Its title, or what it is about.
    pub title: String,
    /// Other names of what it is about: brand names, synonyms that its source lists.
    pub aliases: Vec<String>,
    /// Who published it.
    pub source: String,
    /// Where it can be read. Never opened by Catena.
    pub url: String,
    /// Its date, as the source gives it.
    pub date: String,
    /// Its sections, in their order.
    pub sections: Vec<Section>,
}

/// A section of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Section {
    /// What the source calls it: the name by which passages cite it.
    pub name: String,
    /// What stands above it, if that says more than the name.
    pub heading: String,
    /// Its text, word for word.
    pub text: String,
}

/// What was read and what was not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadReport {
    /// Documents taken.
    pub documents: usize,
    /// Rejected parts by reason: how many, and the place of the first (a line, a file, an id).
    pub rejected: BTreeMap<String, (usize, String)>,
}

impl ReadReport {
    /// Counts a rejected part.
    pub fn reject(&mut self, why: &str, place: impl FnOnce() -> String) {
        match self.rejected.get_mut(why) {
            Some((count, _)) => *count += 1,
            None => {
                self.rejected.insert(why.to_owned(), (1, place()));
            }
        }
    }
}

impl Document {
    /// Makes what a source says usable: fields of bounded length on one line, no empty sections; why it cannot be used, otherwise.
    ///
    /// # Errors
    /// If it has no id, no text, or too long a section.
    pub fn checked(mut self) -> Result<Self, &'static str> {
        for field in [&mut self.id, &mut self.title, &mut self.source, &mut self.url, &mut self.date] {
            *field = bounded(field);
        }
        if self.id.is_empty() {
            return Err("a document without an id");
        }
        self.aliases = self.aliases.iter().map(|alias| bounded(alias)).filter(|alias| !alias.is_empty() && *alias != self.title).collect();
        self.aliases.dedup();
        self.aliases.truncate(MOST_ALIASES);
        if self.sections.iter().any(|section| section.text.len() > LONGEST_SECTION) {
            return Err("a section of more than 8 MiB");
        }
        self.sections.retain(|section| section.text.chars().any(char::is_alphanumeric));
        if self.sections.is_empty() {
            return Err("a document without text");
        }
        for section in &mut self.sections {
            section.name = bounded(&section.name);
            section.heading = bounded(&section.heading);
        }
        Ok(self)
    }

    /// What stands above a section: its heading, or its name.
    pub fn heading_of(section: &Section) -> &str {
        if section.heading.is_empty() { &section.name } else { &section.heading }
    }
}

/// A field on one line, without control characters, of bounded length.
fn bounded(text: &str) -> String {
    let clean = crate::text::sanitise_line(text);
    if clean.len() <= LONGEST_FIELD {
        return clean;
    }
    let end = (0..=LONGEST_FIELD).rev().find(|at| clean.is_char_boundary(*at)).unwrap_or(0);
    clean.get(..end).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(text: &str) -> Section {
        Section { name: "s".into(), heading: String::new(), text: text.into() }
    }

    #[test]
    fn text_stays_word_for_word_and_fields_are_cleaned() {
        let document = Document {
            id: " a\u{1b}[31m ".into(),
            title: "x".repeat(5000),
            aliases: vec!["".into(), "b".into(), "b".into()],
            sections: vec![section(" One\u{7}\ttwo. "), section(" - ")],
            ..Document::default()
        };
        let checked = document.checked().expect("usable");
        assert_eq!(checked.id, "a[31m");
        assert_eq!(checked.title.len(), LONGEST_FIELD);
        assert_eq!(checked.aliases, ["b"]);
        assert_eq!(checked.sections, [section(" One\u{7}\ttwo. ")], "the text as it is, and no section without a word");
    }

    #[test]
    fn what_cannot_be_used_is_told() {
        let of = |id: &str, text: &str| Document { id: id.into(), sections: vec![section(text)], ..Document::default() }.checked();
        assert_eq!(of(" ", "text"), Err("a document without an id"));
        assert_eq!(of("a", "…"), Err("a document without text"));
        assert_eq!(of("a", &"x".repeat(LONGEST_SECTION + 1)), Err("a section of more than 8 MiB"));
    }
}
