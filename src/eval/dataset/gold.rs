//! Gold answers: the entities that the answer to a question should name. One reader and one type for every file that has them.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::run::AnswerPart;
use crate::text::sanitise_line;

/// The keys under which files list the entities of a part.
const KEYS: [(AnswerPart, &[&str]); 3] = [
    (AnswerPart::Conditions, &["conditions", "condition", "disease", "diseases", "diagnosis"]),
    (AnswerPart::Tests, &["tests", "test"]),
    (AnswerPart::Treatments, &["treatments", "treatment", "medication", "medications", "drugs"]),
];

/// An entity that an answer should name: all names that count as right, the preferred one first.
pub type GoldEntity = Vec<String>;

/// The entities that the answer to a question should name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GoldAnswer {
    /// The entities of each part.
    pub entities: BTreeMap<AnswerPart, Vec<GoldEntity>>,
    /// The parts that the question asks for; only these are scored.
    pub asked: Vec<AnswerPart>,
}

impl GoldAnswer {
    /// Reads `"gold"` and `"phase"` of a question's JSON object. Two forms are understood:
    ///
    /// ```json
    /// {"gold":{"conditions":["Reflux"],"treatments":[{"names":["Omeprazole","Prilosec"]}]}}
    /// {"phase":"tests","gold":{"disease":[{"surface":"reflux","kg_names":["Reflux"]}],"test":[],"medication":[]}}
    /// ```
    ///
    /// The second is GenMedGPT-5k with linked entities. A phase (`diagnosis`, `tests` or `medication`) limits what is asked for to one part;
    /// otherwise the question asks for every part that has entities.
    ///
    /// # Errors
    /// If there is no object `"gold"`, or one of its entities has no readable name: without that entity the answer would be
    /// measured against less than it should name.
    pub(crate) fn read(question: &Map<String, Value>) -> Result<Self, &'static str> {
        let gold = question.get("gold").and_then(Value::as_object).ok_or("no object \"gold\"")?;
        let of_part = |keys: &[&str]| -> Result<Vec<GoldEntity>, &'static str> {
            let lists = keys.iter().filter_map(|key| gold.get(*key)?.as_array());
            let read = |entity| Some(names(entity)).filter(|names| !names.is_empty()).ok_or("an entity in \"gold\" without a name");
            lists.flatten().map(read).collect()
        };
        let entities: BTreeMap<AnswerPart, Vec<GoldEntity>> =
            KEYS.iter().map(|(part, keys)| Ok((*part, of_part(keys)?))).collect::<Result<_, &'static str>>()?;
        let phase = question.get("phase").and_then(Value::as_str);
        let is_asked = |part: &AnswerPart| match phase {
            Some("diagnosis") => *part == AnswerPart::Conditions,
            Some("tests") => *part == AnswerPart::Tests,
            Some("medication") => *part == AnswerPart::Treatments,
            _ => true,
        };
        let asked = entities.iter().filter(|(part, entities)| is_asked(part) && !entities.is_empty()).map(|(part, _)| *part).collect();
        Ok(Self { entities, asked })
    }

    /// The entities of a part; empty where the part has none.
    pub fn of_part(&self, part: AnswerPart) -> &[GoldEntity] {
        self.entities.get(&part).map_or(&[][..], Vec::as_slice)
    }
}

/// All names of an entity: a text, a list of them, or an object with `names` or `kg_names`.
fn names(entity: &Value) -> GoldEntity {
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
