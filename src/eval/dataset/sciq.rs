//! SciQ: `{"question","correct_answer","distractor1","distractor2","distractor3","support"}` (the form is described in the data card of allenai/sciq). Its file is
//! one list; here one object stands on each line (`jq -c '.[]'`). The support is not shown, as in WTS.

use serde_json::{Map, Value};

use super::field::{id_or_line, label, line_of, question};
use super::{AnswerOption, EvalQuestion};

pub(super) fn read(object: &Map<String, Value>, line: u64) -> Result<EvalQuestion, &'static str> {
    let option = |key: &str| object.get(key).and_then(line_of).ok_or("an option without a text");
    let right = option("correct_answer")?;
    let mut texts = vec![right.clone()];
    for key in ["distractor1", "distractor2", "distractor3"] {
        texts.push(option(key)?);
    }
    // The file has the right one first; by the alphabet it is anywhere.
    texts.sort_by_key(|text| (text.to_lowercase(), text.clone()));
    let place = texts.iter().position(|text| *text == right).ok_or("an answer that is none of the options")?;
    let options = texts.into_iter().enumerate().map(|(at, text)| AnswerOption { label: label(at), text }).collect();
    Ok(EvalQuestion {
        id: id_or_line(object, line),
        question: question(object, "question")?,
        options,
        correct: vec![place],
        ..EvalQuestion::default()
    })
}
