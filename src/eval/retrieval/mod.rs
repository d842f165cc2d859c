//! Retrieval sets: questions with the passages that answer them, `{"id","question","relevant":{"DOCUMENT#SECTION": grade}}` a line, and the measures of a
//! ranking: P@1, MRR, MAP@10, nDCG@10 and recall@k, of all passages and of judged ones only.

mod measures;
mod report;
mod usefulness;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::dataset::DatasetError;
use crate::text::open_lines;

pub use measures::{MEASURES, RankingScores, scores};
pub use report::{MeasuredRanking, RetrievalReport};
pub use usefulness::UsefulnessJudge;

/// A question with its relevant passages.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RetrievalQuestion {
    /// Its id.
    pub id: String,
    /// The question.
    pub question: String,
    /// The grade of each judged passage, `DOCUMENT#SECTION` or `DOCUMENT` for all sections of a document; 0 is judged and not relevant.
    pub relevant: BTreeMap<String, f64>,
}

/// The questions of a file, and how many lines were rejected for which reason (with the number of the first).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RetrievalSet {
    /// The questions.
    pub questions: Vec<RetrievalQuestion>,
    /// Rejected lines.
    pub rejected: BTreeMap<&'static str, (u64, u64)>,
}

/// How many lines of a file tell whether it is a retrieval set.
const LOOKED_AT: usize = 20;

impl RetrievalSet {
    /// Whether a file looks like a retrieval set: one of its first lines is a question with relevant passages.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn is_one(path: &Path) -> Result<bool, DatasetError> {
        let unreadable = |source: std::io::Error| DatasetError::Io { file: path.display().to_string(), source };
        let (mut lines, _) = open_lines(path).map_err(unreadable)?;
        for _ in 0..LOOKED_AT {
            let Some(line) = lines.next().map_err(unreadable)? else { break };
            let is_object = |text: &String| {
                let line: Option<serde_json::Map<String, serde_json::Value>> = serde_json::from_str(text).ok();
                line.is_some_and(|line| line.get("relevant").is_some_and(serde_json::Value::is_object))
            };
            if line.text.as_ref().is_ok_and(is_object) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads a file; gzip is unpacked.
    ///
    /// # Errors
    /// If it cannot be read or has no question.
    pub fn open(path: &Path) -> Result<Self, DatasetError> {
        let unreadable = |source: std::io::Error| DatasetError::Io { file: path.display().to_string(), source };
        let (mut lines, _) = open_lines(path).map_err(unreadable)?;
        let mut set = Self::default();
        while let Some(line) = lines.next().map_err(unreadable)? {
            match line.text.and_then(|text| parse(&text)) {
                Ok(question) => set.questions.push(question),
                Err(why) => set.rejected.entry(why).or_insert((0, line.number)).0 += 1,
            }
        }
        if set.questions.is_empty() {
            let why = "it has no line {\"id\",\"question\",\"relevant\":{passage: grade}}";
            return Err(unreadable(std::io::Error::other(why)));
        }
        Ok(set)
    }
}

fn parse(text: &str) -> Result<RetrievalQuestion, &'static str> {
    let question: RetrievalQuestion = serde_json::from_str(text).map_err(|_| "no question with relevant passages")?;
    let is_grade = |grade: &f64| grade.is_finite() && *grade >= 0.0;
    if !question.relevant.values().all(is_grade) {
        return Err("a grade below 0");
    }
    if question.relevant.values().all(|grade| *grade == 0.0) {
        return Err("a question without a relevant passage");
    }
    Ok(question)
}

impl RetrievalQuestion {
    /// The judged passage that a section of a document is: that section, or the whole document.
    pub fn judged(&self, document: &str, section: &str) -> Option<(&str, f64)> {
        let of = |key: &str| self.relevant.get_key_value(key).map(|(key, grade)| (key.as_str(), *grade));
        of(&format!("{document}#{section}")).or_else(|| of(document))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read_and_bad_lines_are_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("set.jsonl");
        let lines = concat!(
            r#"{"id":"1","question":"q","relevant":{"d#s":2,"e":1,"f":0}}"#,
            "\n{}\n",
            r#"{"id":"2","question":"q","relevant":{"d":0}}"#,
            "\n",
            r#"{"id":"3","question":"q","relevant":{"d":-1}}"#,
        );
        std::fs::write(&path, lines).expect("a file");
        let set = RetrievalSet::open(&path).expect("reads");
        assert_eq!(set.questions.len(), 1);
        assert_eq!(set.questions[0].judged("d", "s"), Some(("d#s", 2.0)));
        assert_eq!(set.questions[0].judged("e", "any"), Some(("e", 1.0)));
        assert_eq!(set.questions[0].judged("d", "t"), None);
        assert_eq!(set.rejected.values().map(|(count, _)| count).sum::<u64>(), 3);
        std::fs::write(&path, "{}").expect("a file");
        assert!(RetrievalSet::open(&path).is_err());
    }
}
