//! Questions with the answers that they should have, one JSON object a line.
//!
//! ```json
//! {"id":"7","question":"…","gold":{"conditions":["Reflux"],"tests":[],"treatments":[{"names":["Omeprazole","Prilosec"]}]}}
//! ```
//!
//! GenMedGPT-5k as it is derived in `../shared/data` is read too; its `phase` says what a question asks for.

use std::collections::BTreeMap;
use std::io::{self, BufRead};
use std::path::Path;

use serde_json::{Map, Value};

use crate::eval::dataset::gold::{asked_parts, found_among, gold_parts, places};
use crate::run::AnswerPart;
use crate::text::{Lines, open_lines, sanitise_line, told_rejected, told_unreadable};

/// The most lessons of a file.
const MOST: usize = 1_000_000;

/// Why a file of lessons cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LessonsError {
    /// The system says so.
    #[error("{file} cannot be read: {}", told_unreadable(source))]
    Io {
        /// The file.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// Nothing in it can be used.
    #[error(
        "{file} has no lesson that could be used: {why}. A line is an object such as {{\"id\":\"1\",\"question\":\"…\",\"gold\":{{\"conditions\":[\"…\"]}}}}"
    )]
    Nothing {
        /// The file.
        file: String,
        /// The reasons, counted.
        why: String,
    },
}

/// A question with the answer that it should have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lesson {
    /// Its id.
    pub id: String,
    /// The question.
    pub question: String,
    /// What the answer names, by part; each with all names that are right, the usual one first.
    pub gold: BTreeMap<AnswerPart, Vec<Vec<String>>>,
    /// The parts that the question asks for.
    pub asked: Vec<AnswerPart>,
}

/// The lessons of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lessons {
    /// Those that can be used.
    pub lessons: Vec<Lesson>,
    /// Lines that cannot, counted by the reason, each with the first line's number.
    pub rejected: BTreeMap<&'static str, (u64, u64)>,
}

impl Lesson {
    /// The mentor's answer, as a mentor would type it.
    pub fn answer(&self) -> String {
        let heading = |part: &AnswerPart| match part {
            AnswerPart::Conditions => "Conditions",
            AnswerPart::Tests => "Tests",
            _ => "Medication",
        };
        let line = |(part, entities): (&AnswerPart, &Vec<Vec<String>>)| {
            let names: Vec<&str> = entities.iter().filter_map(|names| names.first().map(String::as_str)).collect();
            (!names.is_empty()).then(|| format!("{}: {}", heading(part), names.join("; ")))
        };
        self.gold.iter().filter_map(line).collect::<Vec<_>>().join("\n")
    }

    /// What of a part is among the first names that an answer states: how many, of how many.
    pub(super) fn found(&self, part: AnswerPart, stated: &[String]) -> (usize, usize) {
        let gold = self.gold.get(&part).map_or(&[][..], Vec::as_slice);
        found_among(gold, stated.iter().take(places(part)).map(String::as_str))
    }

    fn of(line: &Map<String, Value>, number: u64) -> Result<Self, &'static str> {
        let question = line.get("question").and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        let question = question.ok_or("no question")?.to_owned();
        let id = match line.get("id") {
            Some(Value::String(id)) => sanitise_line(id),
            Some(Value::Number(id)) => id.to_string(),
            _ => number.to_string(),
        };
        let gold = line.get("gold").and_then(Value::as_object).ok_or("no object \"gold\"")?;
        let gold = gold_parts(gold)?;
        let asked = asked_parts(&gold, line.get("phase").and_then(Value::as_str));
        if asked.is_empty() {
            return Err("nothing in \"gold\" that the question asks for");
        }
        Ok(Self { id, question, gold, asked })
    }
}

impl Lessons {
    /// Reads the lessons of a file, also of a packed one; lines that cannot be used are counted.
    ///
    /// # Errors
    /// If the file cannot be read, or has no lesson.
    pub fn open(path: &Path) -> Result<Self, LessonsError> {
        let file = sanitise_line(&path.display().to_string());
        match open_lines(path) {
            Ok((lines, _)) => Self::of(lines, &file),
            Err(source) => Err(LessonsError::Io { file, source }),
        }
    }

    /// Reads lessons; lines that cannot be used are counted. `file` names them in errors.
    ///
    /// # Errors
    /// If the file cannot be read, or has no lesson.
    pub fn read(from: impl BufRead, file: &str) -> Result<Self, LessonsError> {
        Self::of(Lines::new(from), file)
    }

    fn of(mut lines: Lines<impl BufRead>, file: &str) -> Result<Self, LessonsError> {
        let mut lessons = Self::default();
        while let Some(line) = lines.next().map_err(|source| LessonsError::Io { file: file.to_owned(), source })? {
            let mut reject = |why| lessons.rejected.entry(why).or_insert((0, line.number)).0 += 1;
            if lessons.lessons.len() == MOST {
                reject("more than a million lessons");
                continue;
            }
            let object = line.text.and_then(|text| serde_json::from_str(&text).map_err(|_| "no JSON object"));
            match object.and_then(|object| Lesson::of(&object, line.number)) {
                Ok(lesson) => lessons.lessons.push(lesson),
                Err(why) => reject(why),
            }
        }
        if lessons.lessons.is_empty() {
            let why = if lessons.rejected.is_empty() { "it is empty".into() } else { lessons.told() };
            return Err(LessonsError::Nothing { file: file.to_owned(), why });
        }
        Ok(lessons)
    }

    /// What was rejected, in words; empty where nothing was.
    pub fn told(&self) -> String {
        told_rejected(&self.rejected)
    }

    /// Every second lesson, and the others, after a shuffle that a seed decides.
    pub fn halves(&self, seed: u64) -> (Vec<Lesson>, Vec<Lesson>) {
        let mut order: Vec<(u64, &Lesson)> = self
            .lessons
            .iter()
            .zip(0u64..)
            .map(|(lesson, at)| (xxhash_rust::xxh3::xxh3_64_with_seed(&at.to_le_bytes(), seed), lesson))
            .collect();
        order.sort_by_key(|(key, _)| *key);
        let half = order.len().div_ceil(2);
        let lessons = |part: &[(u64, &Lesson)]| part.iter().map(|(_, lesson)| (*lesson).clone()).collect();
        (lessons(&order[..half]), lessons(&order[half..]))
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
        let lessons = Lessons::read(text.as_bytes(), "f").expect("some");
        assert_eq!(lessons.lessons.len(), 2);
        let [one, two] = &lessons.lessons[..] else { panic!("two") };
        assert_eq!(one.answer(), "Conditions: Reflux\nMedication: Omeprazole");
        assert_eq!(one.asked, [AnswerPart::Conditions, AnswerPart::Treatments]);
        assert_eq!(one.found(AnswerPart::Treatments, &["prilosec".into()]), (1, 1));
        assert_eq!(
            one.found(AnswerPart::Conditions, &["a".into(), "b".into(), "c".into(), "d".into(), "e".into(), "Reflux".into()]),
            (0, 1)
        );
        assert_eq!((two.id.as_str(), two.answer().as_str()), ("3", "Conditions: X\nTests: B (b; c)"));
        assert_eq!(two.asked, [AnswerPart::Tests]);
        let counted: Vec<(&str, u64, u64)> = lessons.rejected.iter().map(|(why, (count, line))| (*why, *count, *line)).collect();
        let expected = [
            ("no JSON object", 1, 5),
            ("no object \"gold\"", 1, 4),
            ("no question", 1, 7),
            ("nothing in \"gold\" that the question asks for", 1, 6),
        ];
        assert_eq!(counted, expected);
        assert!(matches!(Lessons::read(&b"[]\n"[..], "f"), Err(LessonsError::Nothing { .. })));
    }

    #[test]
    fn halves_have_every_lesson_once_and_a_seed_decides() {
        let text: String = (0..51).map(|i| format!("{{\"id\":{i},\"question\":\"?\",\"gold\":{{\"tests\":[\"T\"]}}}}\n")).collect();
        let lessons = Lessons::read(text.as_bytes(), "f").expect("some");
        let (first, second) = lessons.halves(7);
        assert_eq!((first.len(), second.len()), (26, 25));
        let mut ids: Vec<&str> = first.iter().chain(&second).map(|lesson| lesson.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 51);
        assert_eq!(lessons.halves(7).0, first);
        assert_ne!(lessons.halves(8).0, first);
    }
}
