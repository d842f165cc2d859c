//! Gold: the entities that the answer to a question should name, and how many of them an answer names.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::run::AnswerPart;
use crate::text::{fold, sanitise_line};

/// The keys of the parts.
const KEYS: [(AnswerPart, &[&str]); 3] = [
    (AnswerPart::Conditions, &["conditions", "condition", "disease", "diseases", "diagnosis"]),
    (AnswerPart::Tests, &["tests", "test"]),
    (AnswerPart::Treatments, &["treatments", "treatment", "medication", "medications", "drugs"]),
];

/// What an answer should name, by part: each entity with all names that are right, the usual one first.
pub(crate) type GoldParts = BTreeMap<AnswerPart, Vec<Vec<String>>>;

/// Reads `{"conditions":["Reflux"],"treatments":[{"names":["Omeprazole","Prilosec"]}]}`; all three parts are there afterwards. GenMedGPT-5k as
/// it is derived in `../shared/data` is read too: its keys are `disease`, `test`, `medication`, its entities have `kg_names`.
///
/// # Errors
/// What is wrong with it, where an entity has no name that can be read: without it, the answer would be held against less than it should state.
pub(crate) fn gold_parts(gold: &Map<String, Value>) -> Result<GoldParts, &'static str> {
    let entities = |keys: &[&str]| -> Result<Vec<Vec<String>>, &'static str> {
        let lists = keys.iter().filter_map(|key| gold.get(*key)?.as_array());
        let read = |entity| Some(names(entity)).filter(|names| !names.is_empty()).ok_or("an entity in \"gold\" without a name");
        lists.flatten().map(read).collect()
    };
    KEYS.iter().map(|(part, keys)| Ok((*part, entities(keys)?))).collect()
}

/// The parts that a question asks for and gold has something of: one where its phase says so, else all.
pub(crate) fn asked_parts(gold: &GoldParts, phase: Option<&str>) -> Vec<AnswerPart> {
    let asked = |part: &AnswerPart| match phase {
        Some("diagnosis") => *part == AnswerPart::Conditions,
        Some("tests") => *part == AnswerPart::Tests,
        Some("medication") => *part == AnswerPart::Treatments,
        _ => true,
    };
    gold.iter().filter(|(part, entities)| asked(part) && !entities.is_empty()).map(|(part, _)| *part).collect()
}

/// How many places of the answer count for a part in RoK's key-entity match: the first five conditions, twelve tests or treatments.
pub(crate) fn places(part: AnswerPart) -> usize {
    if part == AnswerPart::Conditions { 5 } else { 12 }
}

/// How many of the gold entities are among some names, of how many. Names are equal after folding.
pub(crate) fn found_among<'a>(gold: &[Vec<String>], stated: impl IntoIterator<Item = &'a str>) -> (usize, usize) {
    let stated: std::collections::BTreeSet<String> = stated.into_iter().map(fold).collect();
    let is_found = |names: &&Vec<String>| names.iter().any(|name| stated.contains(&fold(name)));
    (gold.iter().filter(is_found).count(), gold.len())
}

/// All names of an entity: a text, a list of them, or an object with `names` or `kg_names`.
fn names(entity: &Value) -> Vec<String> {
    let clean = |name: &Value| name.as_str().map(sanitise_line).filter(|name| !name.trim().is_empty());
    match entity {
        Value::Object(entity) => {
            let names = entity.get("names").or_else(|| entity.get("kg_names")).and_then(Value::as_array);
            names.into_iter().flatten().filter_map(clean).collect()
        }
        Value::Array(names) => names.iter().filter_map(clean).collect(),
        name => clean(name).into_iter().collect(),
    }
}
