//! CMB-Exam: `{"exam_type","exam_class","exam_subject","question","answer":"BD","question_type":"多项选择题","option":{"A":"…",…}}` (the form is described in the
//! README of github.com/FreedomIntelligence/CMB). Its file is one list; here one object stands on each line (`jq -c '.[]'`).

use serde_json::{Map, Value};

use super::field::{id_or_line, question, text};
use super::{EvalQuestion, generic};

pub(super) fn read(object: &Map<String, Value>, line: u64) -> Result<EvalQuestion, &'static str> {
    // Questions with fewer options have empty ones at the end.
    let mut given = object.get("option").and_then(Value::as_object).cloned().ok_or("no options")?;
    given.retain(|_, text| text.as_str().is_none_or(|text| !text.trim().is_empty()));
    let options = generic::options(&Value::Object(given))?;
    let answer = object.get("answer").ok_or("no answer")?;
    Ok(EvalQuestion {
        id: id_or_line(object, line),
        group: text(object, "exam_type").unwrap_or_default(),
        question: question(object, "question")?,
        correct: generic::correct(answer, &options)?,
        options,
        has_several: text(object, "question_type").is_some_and(|kind| kind.contains("多项")),
        ..EvalQuestion::default()
    })
}
