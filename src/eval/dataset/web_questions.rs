//! WebQuestions: `{"url","question","answers":["…",…]}` (the form is described in the data card of web_questions). Each answer is a reference; Hits@1 is not measured.

use serde_json::{Map, Value};

use super::EvalQuestion;
use super::field::{clean, id_or_line, question};

pub(super) fn read(object: &Map<String, Value>, line: u64) -> Result<EvalQuestion, &'static str> {
    let answers = object.get("answers").and_then(Value::as_array).ok_or("no answers")?;
    let references: Option<Vec<String>> = answers.iter().map(clean).collect();
    let references = references.filter(|references| !references.is_empty()).ok_or("an answer that is no text")?;
    Ok(EvalQuestion { id: id_or_line(object, line), question: question(object, "question")?, references, ..EvalQuestion::default() })
}
