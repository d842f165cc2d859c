//! Plain text: one section; the file's name is the title.

use crate::evidence::document::{Document, Section};

pub(super) fn read(name: &str, text: &str) -> Document {
    let section = Section { text: text.to_owned(), ..Section::default() };
    Document { id: name.to_owned(), title: title_of(name), sections: vec![section], ..Document::default() }
}

/// What a file's name says: without folders and ending, its hyphens and underscores as blanks.
pub(super) fn title_of(name: &str) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    stem.replace(['-', '_'], " ").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_a_section() {
        let document = read("a/heart_failure.txt", "One.\n\nTwo.");
        assert_eq!((document.title.as_str(), document.sections.len()), ("heart failure", 1));
        assert_eq!(document.sections[0].text, "One.\n\nTwo.");
    }
}
