//! MedQA: `{"question","options":{"A":"…",…},"answer_idx":"B","answer":"…","meta_info":"step1"}`. It has no ids: the line's number is one.

use serde_json::{Map, Value};

use super::field::{place_of, single_choice, text};
use super::{EvalQuestion, generic};

pub(super) fn read(object: &Map<String, Value>, line: u64) -> Result<EvalQuestion, &'static str> {
    let options = generic::options(object.get("options").unwrap_or(&Value::Null))?;
    let label = text(object, "answer_idx").ok_or("no \"answer_idx\"")?;
    let place = place_of(&label, &options).ok_or("an answer that is none of the options")?;
    single_choice(object, line, "meta_info", options, place)
}
