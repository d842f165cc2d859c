//! GenMedGPT-5k (ChatDoctor) with the entities of its answers linked to a graph:
//! `{"id","question","answer","phase":"diagnosis|tests|medication","gold":{"disease":[{"surface","kg_names"}],"test":[…],"medication":[…]}}`.
//!
//! A question asks for the entities of its phase. A record whose answer names none is kept for the measures of text.

use serde_json::{Map, Value};

use super::field::{id, question, text};
use super::{EvalQuestion, GoldAnswer};

pub(super) fn read(object: &Map<String, Value>) -> Result<EvalQuestion, &'static str> {
    let gold = GoldAnswer::read(object)?;
    let phase = object.get("phase").and_then(Value::as_str);
    let phase = phase.filter(|phase| ["diagnosis", "tests", "medication"].contains(phase)).ok_or("an unknown phase")?;
    Ok(EvalQuestion {
        id: id(object, "id")?,
        group: phase.to_owned(),
        question: question(object, "question")?,
        references: text(object, "answer").into_iter().collect(),
        gold,
        ..EvalQuestion::default()
    })
}
