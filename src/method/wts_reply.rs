//! The reply of WTS's reasoning (its prompt 3): JSON with confidence, answer and what supports it.

use serde_json::{Value, json};

use crate::language::first_word_is_yes;
use crate::model::Constraint;

/// The most characters of a text field.
const LONGEST: usize = 4000;

/// A reply, read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reasoning {
    /// Whether the answer is given with confidence.
    pub(super) confident: bool,
    pub(super) answer: String,
}

/// The form of the reply.
pub(super) fn form() -> Constraint {
    let text = json!({ "type": "string", "minLength": 1, "maxLength": LONGEST });
    let confidence = json!({ "type": "string", "enum": ["Yes", "No"] });
    let fields = json!({ "confidence": confidence, "answer": text, "support_info": text });
    let required = ["confidence", "answer", "support_info"];
    Constraint::json("reasoning", json!({ "type": "object", "properties": fields, "required": required, "additionalProperties": false }))
}

/// Reads a reply, also with words around its JSON; `None` if it has no object with an answer.
pub(super) fn read_reasoning(reply: &str) -> Option<Reasoning> {
    let object = reply.get(reply.find('{')?..=reply.rfind('}')?)?;
    let object: Value = serde_json::from_str(object).ok()?;
    let text = |field: &str| match object.get(field)? {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Bool(yes) => Some(if *yes { "yes" } else { "no" }.to_owned()),
        _ => None,
    };
    let answer = text("answer").filter(|answer| !answer.is_empty())?;
    let confident = text("confidence").is_some_and(|confidence| first_word_is_yes(&confidence));
    Some(Reasoning { confident, answer })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::infer::lm::meets;

    #[test]
    fn a_reply_is_read_and_what_is_no_reply_is_none() {
        let of = |confident, answer: &str| Some(Reasoning { confident, answer: answer.into() });
        let whole = r#"{"confidence": "Yes", "answer": "Reflux.", "support_info": "triple 1"}"#;
        assert!(meets(&form(), whole));
        for (reply, expected) in [
            (whole, of(true, "Reflux.")),
            ("Sure:\n```json\n{\"confidence\":\"no\",\"answer\":\" Ulcer \"}\n```", of(false, "Ulcer")),
            (r#"{"confidence":true,"answer":"x"}"#, of(true, "x")),
            (r#"{"answer":"x"}"#, of(false, "x")),
            (r#"{"confidence":"Yes","answer":""}"#, None),
            (r#"{"confidence":"Yes","answer":["x"]}"#, None),
            ("} {", None),
            ("I am sure.", None),
            ("", None),
        ] {
            assert_eq!(read_reasoning(reply), expected, "{reply}");
        }
    }
}
