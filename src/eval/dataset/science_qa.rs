//! ScienceQA: `{"question","choices":["…",…],"answer":1,"hint","image":null,"subject":"natural science","split":"test",…}`, the answer counted from 0. Its file
//! (data/scienceqa/problems.json of github.com/lupantech/ScienceQA) is one object of problems by id; here one stands on each line
//! (`jq -c 'to_entries[] | .value + {id: .key}'`). As in WTS, problems with an image or a text to read are left out; the subject is the subset.

use serde_json::{Map, Value};

use super::field::{single_choice, text};
use super::{EvalQuestion, generic};

pub(super) fn read(object: &Map<String, Value>, line: u64) -> Result<EvalQuestion, &'static str> {
    if object.get("image").is_some_and(|image| !image.is_null()) {
        return Err("a problem with an image");
    }
    if text(object, "hint").is_some() {
        return Err("a problem with a text to read");
    }
    let options = generic::options(object.get("choices").unwrap_or(&Value::Null))?;
    let place = object.get("answer").and_then(Value::as_u64).and_then(|place| usize::try_from(place).ok());
    let place = place.filter(|place| *place < options.len()).ok_or("an answer that is none of the options")?;
    single_choice(object, line, "subject", options, place)
}
