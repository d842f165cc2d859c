//! Reads questions with known answers from JSON-lines files in several formats. No dataset is bundled.

mod cmb_clin;
mod cmb_exam;
mod cmmlu;
pub(super) mod field;
mod format;
mod generic;
mod genmedgpt;
mod gold;
mod medmcqa;
mod medqa;
mod medquad;
mod mmcu;
mod pubmedqa;
mod sample;
mod science_qa;
mod sciq;
mod web_questions;

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::Path;

pub use format::{DatasetFormat, UnknownDatasetFormat};
pub use gold::{GoldAnswer, GoldEntity};
use serde_json::{Map, Value};

use crate::text::{LinesRejected, describe_rejected, describe_unreadable, open_lines, sanitise_line};

/// The most questions of a file.
const MOST: usize = 1_000_000;
/// The most bytes of a file's lines, unpacked: they are held in memory.
const MOST_BYTES: usize = 1 << 30;

/// Why a file of questions cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// It cannot be read.
    #[error("{file} cannot be read: {}", describe_unreadable(source))]
    Io {
        /// The file.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// Nothing in it can be used.
    #[error(
        "{file} has no usable question{}: {why}. Each line must be an object: of {}, or {{\"id\":\"1\",\"question\":\"…\"}} with \"gold\", \
         \"answer\", or \"options\" and \"answer\"",
        format.map_or_else(String::new, |format| format!(" as {format}")),
        DatasetFormat::listed()
    )]
    Nothing {
        /// The file.
        file: String,
        /// The form that it was read as; `None` if it has no object at all.
        format: Option<DatasetFormat>,
        /// The reasons, counted.
        why: String,
    },
    /// It numbers its options from 0, and the form numbers them from 1: every other line would be read wrongly without a sign.
    #[error(
        "{file}, line {line}: the key \"cop\" is 0. MedMCQA counts the right option from 1, but this file counts from 0, so every answer would \
         be off by one. Add 1 to every \"cop\" and try again"
    )]
    CountedFromZero {
        /// The file.
        file: String,
        /// The first such line.
        line: u64,
    },
}

/// An option of a multiple-choice question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerOption {
    /// Its label: `A`.
    pub label: String,
    /// Its text.
    pub text: String,
}

/// A question with a known answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EvalQuestion {
    /// Its id, unique in its file: the file's own, or the number of its line.
    pub id: String,
    /// Its subset, such as a phase, a subject or a kind of question; empty where the file has none.
    pub group: String,
    /// The question, without the options. Several lines where it describes a question.
    pub question: String,
    /// The options to choose from; empty for open questions.
    pub options: Vec<AnswerOption>,
    /// Which of them are right (indexes into [`Self::options`]), ascending; empty if unknown.
    pub correct: Vec<usize>,
    /// Whether the file says that several options may be right.
    pub has_several: bool,
    /// Reference answers; an answer is compared with the nearest.
    pub references: Vec<String>,
    /// What an answer should cover.
    pub key_points: Vec<String>,
    /// The entities that an answer should name; empty where the file has none.
    pub gold: GoldAnswer,
}

impl EvalQuestion {
    /// The question as it is put to a method: with the options under it, one a line.
    ///
    /// ```
    /// use catena::eval::dataset::{EvalQuestion, AnswerOption};
    /// let choice = |label: &str, text: &str| AnswerOption { label: label.into(), text: text.into() };
    /// let question = EvalQuestion { question: "Which?".into(), options: vec![choice("A", "this"), choice("B", "that")], ..EvalQuestion::default() };
    /// assert_eq!(question.asked_as(), "Which?\nA. this\nB. that");
    /// ```
    pub fn asked_as(&self) -> String {
        let mut asked = self.question.clone();
        for option in &self.options {
            asked.push_str(&format!("\n{}. {}", option.label, option.text));
        }
        asked
    }

    /// The same, and that nothing but the label is wanted: HyKGE and WTS have language models answer so.
    pub fn asked_for_labels(&self) -> String {
        let asked = self.asked_as();
        if self.options.is_empty() {
            return asked;
        }
        let wanted = match (asked.chars().any(crate::text::is_cjk), self.has_several) {
            (true, true) => "只回答所有正确选项的字母。",
            (true, false) => "只回答正确选项的字母。",
            (false, true) => "Reply with the letters of all right options alone.",
            (false, false) => "Reply with the letter of the right option alone.",
        };
        format!("{asked}\n{wanted}")
    }

    /// Whether an answer can be scored.
    fn can_be_scored(&self) -> bool {
        !self.correct.is_empty() || !self.references.is_empty() || !self.key_points.is_empty() || !self.gold.asked.is_empty()
    }
}

/// The questions of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dataset {
    /// The file's name without its folder and endings.
    pub name: String,
    /// Its format.
    pub format: DatasetFormat,
    /// The usable questions, in the file's order.
    pub questions: Vec<EvalQuestion>,
    /// Unusable lines by reason: how many, and the number of the first.
    pub rejected: BTreeMap<&'static str, (u64, u64)>,
    /// SHA-256 of the file's bytes, compressed or not; hexadecimal.
    pub digest: String,
}

/// What a reader makes of an object: each question that is in it, or why it is none.
type Put<'a> = dyn FnMut(Result<EvalQuestion, &'static str>) + 'a;

impl Dataset {
    /// Reads a file of JSON objects, one a line, packed by gzip or not. The form is told from the keys of the first object unless it is
    /// given. What cannot be used is left out and counted; of two questions with one id the first stays.
    ///
    /// # Errors
    /// If the file cannot be read, has no question that can be used, or numbers its options otherwise than its form does.
    pub fn open(path: &Path, format: Option<DatasetFormat>) -> Result<Self, DatasetError> {
        let file = sanitise_line(&path.display().to_string());
        let failed = |source| DatasetError::Io { file: file.clone(), source };
        let (mut lines, sum) = open_lines(path).map_err(failed)?;
        let mut format = format;
        let mut read = DatasetReader::default();
        while let Some(line) = lines.next().map_err(failed)? {
            let number = line.number;
            let object = line.text.and_then(|text| {
                read.bytes = read.bytes.saturating_add(text.len());
                if read.bytes > MOST_BYTES {
                    return Err("beyond the first GiB of the file");
                }
                serde_json::from_str::<Map<String, Value>>(&text).map_err(|_| "no JSON object")
            });
            match object {
                Ok(object) => {
                    let format = *format.get_or_insert_with(|| DatasetFormat::of(&object));
                    format.read(&object, number, &mut |question| read.put(question, number));
                }
                Err(why) => read.reject(why, number),
            }
        }
        if let Some((_, line)) = read.rejected.get(medmcqa::COUNTED_FROM_ZERO) {
            return Err(DatasetError::CountedFromZero { file, line: *line });
        }
        let format = match format {
            Some(format) if !read.questions.is_empty() => format,
            format => {
                let why = if read.rejected.is_empty() { "it is empty".into() } else { describe_rejected(&read.rejected) };
                return Err(DatasetError::Nothing { file, format, why });
            }
        };
        Ok(Self { name: name(path), format, questions: read.questions, rejected: read.rejected, digest: sum.hex() })
    }

    /// What was left out, in words; empty where nothing was.
    pub fn rejected_in_words(&self) -> String {
        describe_rejected(&self.rejected)
    }

    /// At most `limit` of the questions, in the file's order. A seed decides which; a larger limit has all that a smaller one has. Every subset and every
    /// combination of parts asked for has its share, and one question at least where the limit allows it.
    pub fn sample(&self, limit: Option<usize>, seed: u64) -> Vec<&EvalQuestion> {
        sample::sample(&self.questions, limit, seed)
    }
}

/// What has been read of a file.
#[derive(Default)]
struct DatasetReader {
    questions: Vec<EvalQuestion>,
    ids: HashSet<String>,
    rejected: LinesRejected,
    bytes: usize,
}

impl DatasetReader {
    fn put(&mut self, question: Result<EvalQuestion, &'static str>, number: u64) {
        match question {
            Err(why) => self.reject(why, number),
            Ok(_) if self.questions.len() == MOST => self.reject("more than a million questions", number),
            Ok(question) if !question.can_be_scored() => self.reject("nothing to score an answer by", number),
            Ok(question) if !self.ids.insert(question.id.clone()) => self.reject("a repeated id", number),
            Ok(question) => self.questions.push(question),
        }
    }

    fn reject(&mut self, why: &'static str, number: u64) {
        self.rejected.entry(why).or_insert((0, number)).0 += 1;
    }
}

/// The name of a file without its endings.
fn name(path: &Path) -> String {
    let name = sanitise_line(&path.file_name().unwrap_or_default().to_string_lossy());
    let plain = name.strip_suffix(".gz").unwrap_or(&name);
    plain.rsplit_once('.').map_or(plain, |(stem, _)| if stem.is_empty() { plain } else { stem }).to_owned()
}
