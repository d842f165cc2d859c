//! CMMLU, its medical subjects: `{"id","subject","question","A","B","C","D","answer":"D"}`.

use serde_json::{Map, Value};

use super::EvalQuestion;
use super::field::{options, place_of, single_choice, text};

pub(super) fn read(object: &Map<String, Value>, line: u64) -> Result<EvalQuestion, &'static str> {
    let options = options(object, &["A", "B", "C", "D"])?;
    let label = text(object, "answer").ok_or("no answer")?;
    let place = place_of(&label, &options).ok_or("an answer that is none of the options")?;
    single_choice(object, line, "subject", options, place)
}
