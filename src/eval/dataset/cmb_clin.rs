//! CMB-Clin: `{"id","title","description","QA_pairs":[{"question","answer"},…]}`. Each pair is a question of its own, put under the case's description.
//!
//! The title stays away: it names the diagnosis ("案例分析-腹外疝"). EbmKG had people break the answers down into key points; here their sentences and
//! listed items are taken for that.

use serde_json::{Map, Value};

use super::field::{id_or_line, question, text};
use super::{EvalQuestion, Put};
use crate::eval::metric::key_points;

pub(super) fn read(object: &Map<String, Value>, line: u64, put: &mut Put<'_>) {
    let Some(description) = text(object, "description") else { return put(Err("no description")) };
    let pairs = object.get("QA_pairs").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if pairs.is_empty() {
        return put(Err("a case without questions"));
    }
    let id = id_or_line(object, line);
    for (pair, number) in pairs.iter().zip(1..) {
        put(read_pair(pair, &description, format!("{id}-{number}")));
    }
}

fn read_pair(pair: &Value, description: &str, id: String) -> Result<EvalQuestion, &'static str> {
    let pair = pair.as_object().ok_or("a pair that is no object")?;
    let asked = question(pair, "question")?;
    // The README of its repository calls it a solution.
    let answer = text(pair, "answer").or_else(|| text(pair, "solution")).ok_or("a question without an answer")?;
    Ok(EvalQuestion {
        id,
        question: format!("{description}\n\n{asked}"),
        key_points: key_points(&answer),
        references: vec![answer],
        ..EvalQuestion::default()
    })
}
