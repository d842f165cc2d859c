//! MedMCQA: `{"id","question","opa","opb","opc","opd","cop":1,"choice_type":"single|multi"}`.
//!
//! `cop` is the one right option, counted from 1, whatever `choice_type` says: that tells how the exam put the question, and is the subset here,
//! since WTS gives figures for both. `exp`, the explanation, names its sources and the option's letter; it is no reference answer.

use serde_json::{Map, Value};

use super::EvalQuestion;
use super::field::{options, single_choice};

/// Why a line is rejected, and with it the file.
pub(super) const COUNTED_FROM_ZERO: &str = "the key \"cop\" is 0, and the right option is counted from 1";

const OPTIONS: [&str; 4] = ["opa", "opb", "opc", "opd"];

pub(super) fn read(object: &Map<String, Value>, line: u64) -> Result<EvalQuestion, &'static str> {
    let place = match object.get("cop").and_then(Value::as_u64) {
        Some(0) => return Err(COUNTED_FROM_ZERO),
        Some(place @ 1..=4) => place as usize - 1,
        _ => return Err("no \"cop\" from 1 to 4"),
    };
    single_choice(object, line, "choice_type", options(object, &OPTIONS)?, place)
}
