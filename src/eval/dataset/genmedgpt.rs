//! GenMedGPT-5k (ChatDoctor) with the entities of its answers, as it is derived in `../shared/data`:
//! `{"id","question","answer","phase":"diagnosis|tests|medication","gold":{"disease":[{"surface","kg_names"}],"test":[…],"medication":[…]}}`.
//!
//! What is asked for are the entities of the phase. A record whose answer names none stays for the measures of text.

use serde_json::{Map, Value};

use super::Case;
use super::field::{id, question, text};
use super::{asked_parts, gold_parts};

pub(super) fn read(object: &Map<String, Value>) -> Result<Case, &'static str> {
    let gold = gold_parts(object.get("gold").and_then(Value::as_object).ok_or("no object \"gold\"")?)?;
    let phase = object.get("phase").and_then(Value::as_str);
    let phase = phase.filter(|phase| ["diagnosis", "tests", "medication"].contains(phase)).ok_or("a phase that is not known")?;
    Ok(Case {
        id: id(object, "id")?,
        group: phase.to_owned(),
        question: question(object, "question")?,
        references: text(object, "answer").into_iter().collect(),
        asked: asked_parts(&gold, Some(phase)),
        gold,
        ..Case::default()
    })
}
