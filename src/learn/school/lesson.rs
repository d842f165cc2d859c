//! Questions with the answers that they should have, one JSON object a line.
//!
//! ```json
//! {"id":"7","question":"…","gold":{"conditions":["Reflux"],"tests":[],"treatments":[{"names":["Omeprazole","Prilosec"]}]}}
//! ```
//!
//! GenMedGPT-5k as it is derived in `../shared/data` is read too: its keys are `disease`, `test`, `medication`, its entities have `kg_names`, and its
//! `phase` says what a question asks for.

use std::collections::BTreeMap;
use std::io::{BufRead, Read};

use serde_json::{Map, Value};

use crate::pipeline::Part;
use crate::text::{fold, sanitise_line};

/// The longest line, in bytes.
const LONGEST: usize = 1 << 20;
/// The most lessons of a file.
const MOST: usize = 1_000_000;
/// The keys of the parts.
const KEYS: [(Part, &[&str]); 3] = [
    (Part::Conditions, &["conditions", "condition", "disease", "diseases", "diagnosis"]),
    (Part::Tests, &["tests", "test"]),
    (Part::Treatments, &["treatments", "treatment", "medication", "medications", "drugs"]),
];

/// Why a file of lessons cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LessonsError {
    /// The system says so.
    #[error("{file} cannot be read: {source}")]
    Io {
        /// The file.
        file: String,
        /// What the system said.
        source: std::io::Error,
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
    pub gold: BTreeMap<Part, Vec<Vec<String>>>,
    /// The parts that the question asks for.
    pub asked: Vec<Part>,
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
        let heading = |part: &Part| match part {
            Part::Conditions => "Conditions",
            Part::Tests => "Tests",
            _ => "Medication",
        };
        let line = |(part, entities): (&Part, &Vec<Vec<String>>)| {
            let names: Vec<&str> = entities.iter().filter_map(|names| names.first().map(String::as_str)).collect();
            (!names.is_empty()).then(|| format!("{}: {}", heading(part), names.join("; ")))
        };
        self.gold.iter().filter_map(line).collect::<Vec<_>>().join("\n")
    }

    /// What of a part is among the first names that an answer states: how many, of how many.
    pub(super) fn found(&self, part: Part, stated: &[String]) -> (usize, usize) {
        let stated: Vec<String> = stated.iter().take(places(part)).map(|name| fold(name)).collect();
        let gold = self.gold.get(&part).map_or(&[][..], Vec::as_slice);
        let is_found = |names: &&Vec<String>| names.iter().any(|name| stated.contains(&fold(name)));
        (gold.iter().filter(is_found).count(), gold.len())
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
        let mut parts = BTreeMap::new();
        for (part, keys) in KEYS {
            let entities: Vec<Vec<String>> =
                keys.iter().filter_map(|key| gold.get(*key)?.as_array()).flatten().map(names).filter(|names| !names.is_empty()).collect();
            parts.insert(part, entities);
        }
        let asked: Vec<Part> = match line.get("phase").and_then(Value::as_str) {
            Some("diagnosis") => vec![Part::Conditions],
            Some("tests") => vec![Part::Tests],
            Some("medication") => vec![Part::Treatments],
            _ => parts.keys().copied().collect(),
        };
        let asked: Vec<Part> = asked.into_iter().filter(|part| parts.get(part).is_some_and(|entities| !entities.is_empty())).collect();
        if asked.is_empty() {
            return Err("nothing in \"gold\" that the question asks for");
        }
        Ok(Self { id, question, gold: parts, asked })
    }
}

/// How many places of the answer count for a part: as in RoK, the first five conditions, twelve tests or treatments.
fn places(part: Part) -> usize {
    if part == Part::Conditions { 5 } else { 12 }
}

/// All names of an entity: a text, or an object with `names` or `kg_names`.
fn names(entity: &Value) -> Vec<String> {
    let clean = |name: &Value| name.as_str().map(sanitise_line).filter(|name| !name.trim().is_empty());
    match entity {
        Value::Object(entity) => {
            let names = entity.get("names").or_else(|| entity.get("kg_names")).and_then(Value::as_array);
            names.into_iter().flatten().filter_map(clean).collect()
        }
        name => clean(name).into_iter().collect(),
    }
}

impl Lessons {
    /// Reads lessons; lines that cannot be used are counted. `file` names them in errors.
    ///
    /// # Errors
    /// If the file cannot be read, or has no lesson.
    pub fn read(from: impl BufRead, file: &str) -> Result<Self, LessonsError> {
        let mut lessons = Self::default();
        let (mut from, mut line, mut number) = (from, Vec::new(), 0u64);
        loop {
            line.clear();
            let read = from.by_ref().take(LONGEST as u64 + 1).read_until(b'\n', &mut line);
            if read.map_err(|source| LessonsError::Io { file: file.to_owned(), source })? == 0 {
                break;
            }
            number += 1;
            let mut reject = |why| lessons.rejected.entry(why).or_insert((0, number)).0 += 1;
            if line.len() > LONGEST {
                reject("longer than a megabyte");
                let mut rest = Vec::new();
                while rest.last() != Some(&b'\n') {
                    rest.clear();
                    let more = from.by_ref().take(LONGEST as u64).read_until(b'\n', &mut rest);
                    if more.map_err(|source| LessonsError::Io { file: file.to_owned(), source })? == 0 {
                        break;
                    }
                }
                continue;
            }
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            if lessons.lessons.len() == MOST {
                reject("more than a million lessons");
                continue;
            }
            let object: Result<Map<String, Value>, _> = serde_json::from_slice(&line);
            match object.map_err(|_| "no JSON object").and_then(|object| Lesson::of(&object, number)) {
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
        let told = |(why, (count, line)): (&&str, &(u64, u64))| format!("{count} × {why} (first in line {line})");
        self.rejected.iter().map(told).collect::<Vec<_>>().join(", ")
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
        assert_eq!(one.asked, [Part::Conditions, Part::Treatments]);
        assert_eq!(one.found(Part::Treatments, &["prilosec".into()]), (1, 1));
        assert_eq!(one.found(Part::Conditions, &["a".into(), "b".into(), "c".into(), "d".into(), "e".into(), "Reflux".into()]), (0, 1));
        assert_eq!((two.id.as_str(), two.answer().as_str()), ("3", "Conditions: X\nTests: B (b; c)"));
        assert_eq!(two.asked, [Part::Tests]);
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
