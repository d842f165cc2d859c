//! Questions with the answers that they should have, one JSON object a line.
//!
//! ```json
//! {"id":"7","question":"…","gold":{"conditions":["Reflux"],"tests":[],"treatments":[{"names":["Omeprazole","Prilosec"]}]}}
//! ```
//!
//! GenMedGPT-5k with linked entities is read too; its `phase` says what a question asks for ([`GoldAnswer`] reads both).

use std::collections::BTreeMap;
use std::io::{self, BufRead};
use std::path::Path;

use serde_json::{Map, Value};

use crate::eval::dataset::field::{id_or_line, question};
use crate::eval::dataset::{GoldAnswer, GoldEntity};
use crate::run::AnswerPart;
use crate::text::{NumberedLines, describe_rejected, describe_unreadable, open_lines, sanitise_line};

/// The most questions of a file.
const MOST: usize = 1_000_000;

/// Why a file of training questions cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TrainingSetError {
    /// The system reports an error.
    #[error("{file} cannot be read: {}", describe_unreadable(source))]
    Io {
        /// The file.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// No line can be used.
    #[error(
        "{file} has no usable question: {why}. Each line must be an object such as {{\"id\":\"1\",\"question\":\"…\",\"gold\":{{\"conditions\":[\"…\"]}}}}"
    )]
    Nothing {
        /// The file.
        file: String,
        /// The reasons, with counts.
        why: String,
    },
}

/// A question with the answer that it should have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrainingQuestion {
    /// Its id: the file's own, or the number of its line.
    pub id: String,
    /// The question.
    pub question: String,
    /// What the answer should name; at least one part is asked for.
    pub gold: GoldAnswer,
}

/// The training questions of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrainingSet {
    /// The usable questions, in the file's order.
    pub questions: Vec<TrainingQuestion>,
    /// Unusable lines by reason: how many, and the number of the first.
    pub rejected: BTreeMap<&'static str, (u64, u64)>,
}

impl TrainingQuestion {
    /// The answer as a mentor would type it: a line for each part, "Conditions: Reflux; Gastritis".
    pub fn mentor_answer(&self) -> String {
        let heading = |part: &AnswerPart| match part {
            AnswerPart::Conditions => "Conditions",
            AnswerPart::Tests => "Tests",
            _ => "Medication",
        };
        let line = |(part, entities): (&AnswerPart, &Vec<GoldEntity>)| {
            let names: Vec<&str> = entities.iter().filter_map(|names| names.first().map(String::as_str)).collect();
            (!names.is_empty()).then(|| format!("{}: {}", heading(part), names.join("; ")))
        };
        self.gold.entities.iter().filter_map(line).collect::<Vec<_>>().join("\n")
    }

    fn read(object: &Map<String, Value>, line: u64) -> Result<Self, &'static str> {
        let question = question(object, "question")?;
        let gold = GoldAnswer::read(object)?;
        if gold.asked.is_empty() {
            return Err("nothing in \"gold\" that the question asks for");
        }
        Ok(Self { id: id_or_line(object, line), question, gold })
    }
}

impl TrainingSet {
    /// Reads a file, compressed with gzip or not. Unusable lines are counted.
    ///
    /// # Errors
    /// If the file cannot be read, or has no usable question.
    pub fn open(path: &Path) -> Result<Self, TrainingSetError> {
        let file = sanitise_line(&path.display().to_string());
        match open_lines(path) {
            Ok((lines, _)) => Self::from_lines(lines, &file),
            Err(source) => Err(TrainingSetError::Io { file, source }),
        }
    }

    /// Reads questions from anywhere. Unusable lines are counted; `file` is the name used in errors.
    ///
    /// # Errors
    /// If reading fails, or there is no usable question.
    pub fn read(from: impl BufRead, file: &str) -> Result<Self, TrainingSetError> {
        Self::from_lines(NumberedLines::new(from), file)
    }

    fn from_lines(mut lines: NumberedLines<impl BufRead>, file: &str) -> Result<Self, TrainingSetError> {
        let mut set = Self::default();
        while let Some(line) = lines.next().map_err(|source| TrainingSetError::Io { file: file.to_owned(), source })? {
            let mut reject = |why| set.rejected.entry(why).or_insert((0, line.number)).0 += 1;
            if set.questions.len() == MOST {
                reject("more than a million questions");
                continue;
            }
            let object = line.text.and_then(|text| serde_json::from_str(&text).map_err(|_| "no JSON object"));
            match object.and_then(|object| TrainingQuestion::read(&object, line.number)) {
                Ok(question) => set.questions.push(question),
                Err(why) => reject(why),
            }
        }
        if set.questions.is_empty() {
            let why = if set.rejected.is_empty() { "it is empty".into() } else { set.rejected_in_words() };
            return Err(TrainingSetError::Nothing { file: file.to_owned(), why });
        }
        Ok(set)
    }

    /// The reasons for rejected lines, with counts; empty where no line was rejected.
    pub fn rejected_in_words(&self) -> String {
        describe_rejected(&self.rejected)
    }

    /// The questions shuffled by the seed and split in two halves; the first has one more where the number is odd.
    pub fn halves(&self, seed: u64) -> (Vec<TrainingQuestion>, Vec<TrainingQuestion>) {
        let mut order: Vec<(u64, &TrainingQuestion)> = self
            .questions
            .iter()
            .zip(0u64..)
            .map(|(question, at)| (xxhash_rust::xxh3::xxh3_64_with_seed(&at.to_le_bytes(), seed), question))
            .collect();
        order.sort_by_key(|(key, _)| *key);
        let half = order.len().div_ceil(2);
        let questions = |part: &[(u64, &TrainingQuestion)]| part.iter().map(|(_, question)| (*question).clone()).collect();
        (questions(&order[..half]), questions(&order[half..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read_and_the_rest_is_counted() {
        let text = concat!(
            r#"{"id":"a","question":"Heartburn?","gold":{"conditions":["Reflux"],"tests":[],"treatments":[{"names":["Omeprazole","Prilosec"]}]}}"#,
            "\n\n",
            r#"{"question":"What test?","phase":"tests","gold":{"disease":[{"surface":"x","kg_names":["X"]}],"test":[{"surface":"b; c","kg_names":["B (b; c)"]}]}}"#,
            "\n{\"question\":\"?\"}\n[1]\n",
            r#"{"id":3,"question":"?","phase":"medication","gold":{"disease":["X"]}}"#,
            "\n{\"gold\":{}}",
        );
        let set = TrainingSet::read(text.as_bytes(), "f").expect("some");
        assert_eq!(set.questions.len(), 2);
        let [one, two] = &set.questions[..] else { panic!("two") };
        assert_eq!(one.mentor_answer(), "Conditions: Reflux\nMedication: Omeprazole");
        assert_eq!(one.gold.asked, [AnswerPart::Conditions, AnswerPart::Treatments]);
        assert_eq!(one.gold.of_part(AnswerPart::Treatments), [["Omeprazole", "Prilosec"]]);
        assert_eq!((two.id.as_str(), two.mentor_answer().as_str()), ("3", "Conditions: X\nTests: B (b; c)"));
        assert_eq!(two.gold.asked, [AnswerPart::Tests]);
        let counted: Vec<(&str, u64, u64)> = set.rejected.iter().map(|(why, (count, line))| (*why, *count, *line)).collect();
        let expected = [
            ("no JSON object", 1, 5),
            ("no object \"gold\"", 1, 4),
            ("no question", 1, 7),
            ("nothing in \"gold\" that the question asks for", 1, 6),
        ];
        assert_eq!(counted, expected);
        assert!(matches!(TrainingSet::read(&b"[]\n"[..], "f"), Err(TrainingSetError::Nothing { .. })));
    }

    #[test]
    fn halves_have_every_question_once_and_a_seed_decides() {
        let text: String = (0..51).map(|i| format!("{{\"id\":{i},\"question\":\"?\",\"gold\":{{\"tests\":[\"T\"]}}}}\n")).collect();
        let set = TrainingSet::read(text.as_bytes(), "f").expect("some");
        let (first, second) = set.halves(7);
        assert_eq!((first.len(), second.len()), (26, 25));
        let mut ids: Vec<&str> = first.iter().chain(&second).map(|question| question.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 51);
        assert_eq!(set.halves(7).0, first);
        assert_ne!(set.halves(8).0, first);
    }
}
