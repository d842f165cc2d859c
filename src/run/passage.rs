//! Passages: what documents say, word for word, and where it stands there. An answer cites them as `[D1]`.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::answer::AnswerLine;
use super::trace::Trace;
use crate::text::{quoted_in, sanitise_line};

/// The most passages of a run.
pub const MOST_PASSAGES: usize = 100;

/// The id of a passage in its run: `D1`, `D2`, …
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PassageId(u32);

/// A text that is no id of a passage.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not the id of a passage, such as D1")]
pub struct NotAPassageId(String);

impl PassageId {
    /// The id of the passage at a place of the list, from 0.
    pub fn at(place: usize) -> Self {
        Self(u32::try_from(place).unwrap_or(u32::MAX).saturating_add(1))
    }

    /// Its place in the list, from 0.
    pub fn place(self) -> usize {
        self.0.saturating_sub(1) as usize
    }
}

impl fmt::Display for PassageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "D{}", self.0)
    }
}

impl FromStr for PassageId {
    type Err = NotAPassageId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix('D').filter(|digits| digits.starts_with(|c: char| ('1'..='9').contains(&c)));
        let number = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit())).and_then(|digits| digits.parse().ok());
        number.map(Self).ok_or_else(|| NotAPassageId(text.to_owned()))
    }
}

impl TryFrom<String> for PassageId {
    type Error = NotAPassageId;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<PassageId> for String {
    fn from(id: PassageId) -> Self {
        id.to_string()
    }
}

/// A passage of a document, as a run found it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct QuotedPassage {
    /// The collection.
    pub collection: String,
    /// The document's id in it.
    pub document: String,
    /// The document's title.
    pub title: String,
    /// The section's name.
    pub section: String,
    /// The number of the section among those of its document that have its name, from 0.
    #[serde(skip_serializing_if = "is_first")]
    pub nth: usize,
    /// The document's date, as its source gives it; may be empty.
    pub date: String,
    /// The document's address; may be empty. Never opened by Catena.
    pub url: String,
    /// Where it begins in the section's text, in characters.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Its text, word for word; not cleaned.
    pub text: String,
}

/// A passage by its place: the same in every run over the same documents.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PassageKey {
    /// The collection.
    pub collection: String,
    /// The document's id in it.
    pub document: String,
    /// The section's name.
    pub section: String,
    /// The number of the section among those of its document that have its name, from 0. Keys from before it was kept mean the first.
    #[serde(default, skip_serializing_if = "is_first")]
    pub nth: usize,
    /// Where it begins in the section's text, in characters.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_first(nth: &usize) -> bool {
    *nth == 0
}

impl fmt::Display for PassageKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}, {}", self.collection, self.document, shown_section(&self.section))?;
        if self.nth > 0 {
            write!(f, " (section {} of this name)", self.nth.saturating_add(1))?;
        }
        write!(f, ", characters {} to {}", self.start, self.end)
    }
}

impl QuotedPassage {
    /// Its key.
    pub fn key(&self) -> PassageKey {
        PassageKey {
            collection: self.collection.clone(),
            document: self.document.clone(),
            section: self.section.clone(),
            nth: self.nth,
            start: self.start,
            end: self.end,
        }
    }

    /// Where it stands, for readers: title, section and date. Not cleaned.
    pub fn source(&self) -> String {
        let title = if self.title.is_empty() { &self.document } else { &self.title };
        let parts = [title.clone(), shown_section(&self.section), shown_date(&self.date)];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }
}

/// A document as it is stored, for reading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredDocument {
    /// Its title.
    pub title: String,
    /// Who published it; may be empty.
    pub source: String,
    /// Its date, as its source gives it; may be empty.
    pub date: String,
    /// Its address; may be empty. Never opened by Catena.
    pub url: String,
    /// Its sections.
    pub sections: Vec<StoredSection>,
}

/// A section of a stored document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredSection {
    /// Its name.
    pub name: String,
    /// Its text, word for word; not cleaned.
    pub text: String,
}

/// The text of a run's answer with the places of passages where it quotes them: a language model's statement may be the passage itself, cited or not,
/// or a part of it.
pub(crate) fn text_without_quotes(trace: &Trace) -> String {
    let answer = trace.answer.text.as_str();
    let mut quoted: Vec<(Range<usize>, Option<&QuotedPassage>)> = Vec::new();
    let is_of_documents = |line: &&AnswerLine| line.citations.is_empty() && !line.passages.is_empty() && !line.text.is_empty();
    // Each text once: a recording may have very many lines.
    let mut lines: BTreeMap<&str, Option<&QuotedPassage>> = BTreeMap::new();
    for line in trace.answer.lines.iter().filter(is_of_documents) {
        let passage = || line.passages.first().and_then(|id| trace.passages.get(id.place()));
        lines.entry(&line.text).or_insert_with(passage);
    }
    for (line, passage) in lines {
        quoted.extend(answer.match_indices(line).map(|(at, found)| (at..at + found.len(), passage)));
    }
    for passage in trace.passages.iter() {
        quoted.extend(quoted_in(answer, &passage.text).into_iter().map(|span| (span, Some(passage))));
    }
    // The longest first: a passage may be a part of another. All are spans of the answer itself: nothing replaces a part of what replaced another,
    // so that no recording makes the text grow without end.
    quoted.sort_by_key(|(span, _)| (span.start, Reverse(span.end)));
    let (mut text, mut done) = (String::new(), 0);
    for (span, passage) in quoted {
        let begin = span.start.max(done);
        let Some(rest) = answer.get(begin..span.end).filter(|rest| rest.chars().any(char::is_alphanumeric)) else { continue };
        text.push_str(answer.get(done..begin).unwrap_or_default());
        let place = passage.map(|passage| sanitise_line(&passage.key().to_string())).unwrap_or_default();
        text.extend(["(", place.as_str(), ")"]);
        done = begin + rest.len();
    }
    text.push_str(answer.get(done..).unwrap_or_default());
    text
}

/// A section's name for readers: "drug_interactions" is "drug interactions".
fn shown_section(name: &str) -> String {
    name.replace('_', " ")
}

/// A date for readers: "20231121" is "2023-11-21".
fn shown_date(date: &str) -> String {
    match (date.get(..4), date.get(4..6), date.get(6..8)) {
        (Some(year), Some(month), Some(day)) if date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("{year}-{month}-{day}")
        }
        _ => date.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::run::{Answer, AnswerPart};

    #[test]
    fn ids_are_told_from_other_texts() {
        assert_eq!("D3".parse(), Ok(PassageId(3)));
        assert_eq!((PassageId::at(0).to_string(), PassageId(3).place()), ("D1".to_owned(), 2));
        for wrong in ["", "D", "D0", "D01", "d1", "3", "D1x", "D99999999999", "D+1"] {
            assert!(wrong.parse::<PassageId>().is_err(), "{wrong}");
        }
        assert_eq!(serde_json::to_string(&PassageId(2)).expect("writes"), "\"D2\"");
        assert!(serde_json::from_str::<PassageId>("2").is_err());
    }

    #[test]
    fn a_place_says_which_of_several_sections_of_one_name_it_is_in() {
        let old = r#"{"collection":"c","document":"d","section":"key_facts","start":2,"end":5}"#;
        let first: PassageKey = serde_json::from_str(old).expect("a key from before sections of one name were told apart");
        assert_eq!((first.nth, first.to_string().as_str()), (0, "c: d, key facts, characters 2 to 5"));
        assert_eq!(serde_json::to_string(&first).expect("writes"), old);
        let second = PassageKey { nth: 1, ..first.clone() };
        assert_eq!(second.to_string(), "c: d, key facts (section 2 of this name), characters 2 to 5");
        let written = serde_json::to_string(&second).expect("writes");
        assert_eq!(serde_json::from_str::<PassageKey>(&written).expect("reads"), second);
        let last = PassageKey { nth: usize::MAX, ..first };
        assert!(last.to_string().contains("of this name"), "numbers of a damaged file do no harm");

        let quoted: QuotedPassage = serde_json::from_str(r#"{"section":"key_facts","start":2,"end":5,"text":"abc"}"#).expect("reads");
        assert!(quoted.nth == 0 && !serde_json::to_string(&quoted).expect("writes").contains("nth"));
        let quoted = QuotedPassage { nth: 1, ..quoted };
        assert_eq!(quoted.key().nth, 1);
        let written = serde_json::to_string(&quoted).expect("writes");
        assert_eq!(serde_json::from_str::<QuotedPassage>(&written).expect("reads"), quoted);
    }

    #[test]
    fn an_answer_without_quotations_has_their_places() {
        let passage = QuotedPassage {
            collection: "mine".into(),
            document: "zoloft".into(),
            section: "dosage".into(),
            end: 49,
            text: "Adults with depression begin with 50 mg once daily.".into(),
            ..QuotedPassage::default()
        };
        let quoted = format!("“{}” (Zoloft, dosage)", passage.text);
        let text = format!("{quoted} [D1]\nThe model says that adults with depression begin with 50 mg once daily.\nDrink water.");
        let line = AnswerLine {
            part: AnswerPart::Documents,
            entity: String::new(),
            also: Vec::new(),
            role: None,
            text: quoted,
            citations: Vec::new(),
            passages: vec![PassageId::at(0)],
            unsupported: false,
        };
        let fill = |trace: &mut Trace| {
            trace.passages = Arc::new(vec![passage]);
            trace.answer = Answer { text, lines: vec![line], passages: vec![PassageId::at(0)], ..Answer::default() };
        };
        let mut trace = Trace::default();
        fill(&mut trace);
        let place = "(mine: zoloft, dosage, characters 0 to 49)";
        assert_eq!(text_without_quotes(&trace), format!("{place} [D1]\nThe model says that {place}.\nDrink water."));

        // A recording made to fill the memory: lines without text, and such as stand in every place.
        let line = trace.answer.lines.first().cloned().expect("a line");
        let made = ["", "e", "m"].map(|text| AnswerLine { text: text.into(), ..line.clone() });
        trace.answer.lines = made.iter().cycle().take(300).cloned().collect();
        assert!(text_without_quotes(&trace).len() < 10_000);
    }

    #[test]
    fn sources_are_told_as_people_say_them() {
        let passage = QuotedPassage {
            document: "x1".into(),
            title: "Coreg".into(),
            section: "drug_interactions".into(),
            date: "20231121".into(),
            ..QuotedPassage::default()
        };
        assert_eq!(passage.source(), "Coreg, drug interactions, 2023-11-21");
        let bare = QuotedPassage { document: "x1".into(), date: "March 2020".into(), ..QuotedPassage::default() };
        assert_eq!(bare.source(), "x1, March 2020");
    }
}
