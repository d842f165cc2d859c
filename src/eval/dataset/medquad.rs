//! MedQuAD: a document a line, `{"id","focus","qa":[{"qid","qtype","question","answer"},…]}`; each pair is a question of its own.

use serde_json::{Map, Value};

use super::field::{id, question, text};
use super::{EvalQuestion, Put};

pub(super) fn read(object: &Map<String, Value>, put: &mut Put<'_>) {
    let document = match id(object, "id") {
        Ok(document) => document,
        Err(why) => return put(Err(why)),
    };
    let pairs = object.get("qa").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if pairs.is_empty() {
        return put(Err("a document without questions"));
    }
    for pair in pairs {
        put(read_pair(pair, &document));
    }
}

fn read_pair(pair: &Value, document: &str) -> Result<EvalQuestion, &'static str> {
    let pair = pair.as_object().ok_or("a pair that is no object")?;
    let answer = text(pair, "answer").ok_or("a question without an answer")?;
    Ok(EvalQuestion {
        // The ids of pairs are those of their document in its folder, and folders share them.
        id: format!("{document}/{}", id(pair, "qid")?),
        group: text(pair, "qtype").unwrap_or_default(),
        question: question(pair, "question")?,
        references: vec![answer],
        ..EvalQuestion::default()
    })
}
