//! What a model's text must be, so that a program can parse it: a part of the request. Local models cannot write anything else; servers are asked for JSON
//! that fits a schema.

use serde_json::{Value, json};

/// The key under which servers write a text that is not JSON by itself.
const ANSWER: &str = "answer";

/// The form of a text.
#[derive(Debug, Clone, PartialEq)]
pub enum Constraint {
    /// JSON that fits a JSON schema. Bound its arrays and strings (`maxItems`, `maxLength`): a model can write to the end of any limit.
    Json {
        /// What it is called in requests to servers: letters, digits, `_`.
        name: &'static str,
        /// The schema.
        schema: Value,
    },
    /// One of these texts.
    Choice(Vec<String>),
    /// A text that this regular expression matches as a whole: literals, classes, groups, alternatives and repetitions, without line breaks.
    Pattern(String),
}

impl Constraint {
    /// JSON that fits a schema.
    pub fn json(name: &'static str, schema: Value) -> Self {
        Self::Json { name, schema }
    }

    /// One of these texts.
    pub fn choice<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::Choice(texts.into_iter().map(Into::into).collect())
    }

    /// Whether the text is JSON.
    pub(super) fn is_json(&self) -> bool {
        matches!(self, Self::Json { .. })
    }

    /// The name and schema that servers get, which want an object: anything else becomes its only field; see [`Self::unwrapped`].
    pub(super) fn for_servers(&self) -> (&'static str, Value) {
        let field = match self {
            Self::Json { name, schema } if !self.is_wrapped() => return (name, schema.clone()),
            Self::Json { schema, .. } => schema.clone(),
            Self::Choice(texts) => json!({ "type": "string", "enum": texts }),
            Self::Pattern(pattern) => json!({ "type": "string", "pattern": format!("^(?:{pattern})$") }),
        };
        let name = self.field();
        (name, json!({ "type": "object", "properties": { name: field }, "required": [name], "additionalProperties": false }))
    }

    /// Whether [`Self::for_servers`] wraps the text in an object.
    pub(super) fn is_wrapped(&self) -> bool {
        !matches!(self, Self::Json { schema, .. } if schema["type"] == "object")
    }

    fn field(&self) -> &'static str {
        if let Self::Json { name, .. } = self { name } else { ANSWER }
    }

    /// The text in a server's reply: the field of the object that it was asked for; anything else as it is.
    pub(super) fn unwrapped(&self, reply: String) -> String {
        if !self.is_wrapped() {
            return reply;
        }
        let Ok(value) = serde_json::from_str::<Value>(&reply) else { return reply };
        match &value[self.field()] {
            Value::Null => reply,
            field if self.is_json() => field.to_string(),
            Value::String(text) => text.clone(),
            _ => reply,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_write_texts_as_the_only_field_of_an_object() {
        let yes_or_no = Constraint::choice(["yes", "no"]);
        let (name, schema) = yes_or_no.for_servers();
        assert_eq!((name, &schema["properties"]["answer"]["enum"]), ("answer", &json!(["yes", "no"])));
        assert_eq!(yes_or_no.unwrapped(r#"{"answer": "yes"}"#.into()), "yes");
        for as_it_is in ["yes", "{\"answer\": 1}", "{\"answer\": \"ye"] {
            assert_eq!(yes_or_no.unwrapped(as_it_is.into()), as_it_is);
        }
        let pattern = Constraint::Pattern("a|b".into()).for_servers().1;
        assert_eq!(pattern["properties"]["answer"]["pattern"], "^(?:a|b)$");
    }

    #[test]
    fn objects_stay_what_they_are_and_lists_become_a_field() {
        let schema = json!({ "type": "object", "properties": { "a": { "type": "integer" } } });
        let constraint = Constraint::json("count", schema.clone());
        assert_eq!(constraint.for_servers(), ("count", schema));
        assert_eq!(constraint.unwrapped(r#"{"count": [1]}"#.into()), r#"{"count": [1]}"#);
        let list = Constraint::json("triples", json!({ "type": "array", "maxItems": 3 }));
        assert_eq!(list.for_servers().1["properties"]["triples"]["maxItems"], 3);
        assert_eq!(list.unwrapped(r#"{"triples": [1, 2]}"#.into()), "[1,2]");
        assert_eq!(list.unwrapped("[1, 2]".into()), "[1, 2]");
    }
}
