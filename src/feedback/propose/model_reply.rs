//! Reads the triples in a language model's reply: JSON of the form that was asked for, also as broken as models write it where they cannot be kept to it — in a
//! code fence, with words around it, a comma too many, single quotes, or cut off.

use serde_json::{Map, Value, json};

use crate::model::Constraint;

/// The most triples of one reply.
pub(super) const MOST: usize = 60;
/// The most characters of a field; longer ones are no names.
const FIELD: usize = 400;
/// How many times a reply's length is parsed at most; only hostile nesting takes more.
const EFFORT: usize = 24;

/// The longest name or relation that is asked for, in characters, and the most triples: as many as fit into the reply.
const ASKED_FIELD: usize = 80;
const ASKED: usize = 20;
/// The kinds of names that a model can choose from: those of the prompt, and one for all else.
const KINDS: [&str; 9] = ["disease", "symptom", "test", "drug", "drug_class", "treatment", "risk_factor", "pathogen", "other"];

/// The form of the reply. Relations are free: a graph may have its own, and those that mean nothing are rejected later.
pub(super) fn form() -> Constraint {
    let name = json!({ "type": "string", "minLength": 1, "maxLength": ASKED_FIELD });
    let kind = json!({ "type": "string", "enum": KINDS });
    let fields = json!({ "head": name, "head_kind": kind, "relation": name, "tail": name, "tail_kind": kind });
    let required = ["head", "head_kind", "relation", "tail", "tail_kind"];
    let triple = json!({ "type": "object", "properties": fields, "required": required, "additionalProperties": false });
    Constraint::json("triples", json!({ "type": "array", "maxItems": ASKED, "items": triple }))
}

/// A triple as the model wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExtractedTriple {
    pub(super) head: String,
    pub(super) head_kind: String,
    pub(super) relation: String,
    pub(super) tail: String,
    pub(super) tail_kind: String,
}

/// A reply, read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ModelReply {
    pub(super) triples: Vec<ExtractedTriple>,
    /// Objects with a field that is missing or no text.
    pub(super) malformed: u64,
    /// Triples beyond [`MOST`].
    pub(super) left_out: u64,
    /// Whether there was any JSON; an empty list is an answer too.
    pub(super) is_json: bool,
}

/// Reads a reply. Takes time in proportion to its length.
pub(super) fn read(text: &str) -> ModelReply {
    let mut reply = ModelReply::default();
    let mut effort = EFFORT.saturating_mul(text.len());
    let mut after = 0;
    for (start, end) in objects(text) {
        if start < after {
            continue;
        }
        let object = &text[start..end];
        if object.len() > effort {
            break;
        }
        effort -= object.len();
        let Some(object) = parse(object) else { continue };
        after = end;
        reply.is_json = true;
        reply.take(&Value::Object(object));
    }
    reply.is_json |= text.contains('[') && text.split('[').any(|rest| rest.trim_start().starts_with(']'));
    reply
}

impl ModelReply {
    /// Takes the triples of a value in, wherever they are in it.
    fn take(&mut self, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.take(item)),
            Value::Object(object) => {
                let nested: Vec<&Value> = object.values().filter(|value| value.is_array() || value.is_object()).collect();
                let has_field = field(object, &["head", "subject"]).is_some() || field(object, &["relation", "predicate"]).is_some();
                if nested.is_empty() || has_field {
                    self.triple(object);
                } else {
                    nested.into_iter().for_each(|value| self.take(value));
                }
            }
            _ => {}
        }
    }

    fn triple(&mut self, object: &Map<String, Value>) {
        let text = |names: &[&str]| field(object, names).and_then(Value::as_str).filter(|text| text.chars().nth(FIELD).is_none());
        let optional = |names: &[&str]| text(names).unwrap_or_default().to_owned();
        let (Some(head), Some(relation), Some(tail)) =
            (text(&["head", "subject"]), text(&["relation", "predicate"]), text(&["tail", "object"]))
        else {
            self.malformed += 1;
            return;
        };
        let (head_kind, tail_kind) = (optional(&["head_kind", "subject_kind"]), optional(&["tail_kind", "object_kind"]));
        let written = ExtractedTriple { head: head.to_owned(), head_kind, relation: relation.to_owned(), tail: tail.to_owned(), tail_kind };
        if self.triples.len() < MOST {
            self.triples.push(written);
        } else {
            self.left_out += 1;
        }
    }
}

fn field<'v>(object: &'v Map<String, Value>, names: &[&str]) -> Option<&'v Value> {
    names.iter().find_map(|name| object.get(*name))
}

/// Where objects begin and end, in the order of their beginnings. One pass: an object that is never closed has no end, those in it do.
fn objects(text: &str) -> Vec<(usize, usize)> {
    let mut open: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    let mut quote = None;
    let mut escaped = false;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        if let Some(mark) = quote {
            // No string of JSON goes over a line's end; a quotation mark that is never closed must not hide the rest.
            if c == '\n' || (c == mark && !escaped && closes(text, at + c.len_utf8(), mark)) {
                quote = None;
            }
            escaped = c == '\\' && !escaped;
        } else {
            match c {
                '{' => open.push(at),
                '}' => found.extend(open.pop().map(|start| (start, at + 1))),
                '"' if !open.is_empty() => quote = Some('"'),
                '\'' if !open.is_empty() && "{:,[ ".contains(before) => quote = Some('\''),
                _ => {}
            }
            escaped = false;
        }
        before = c;
    }
    found.sort_unstable();
    found
}

/// Whether a quotation mark ends a string; a single one may be an apostrophe in it.
fn closes(text: &str, after: usize, mark: char) -> bool {
    mark == '"' || text[after..].trim_start().starts_with([',', ':', '}', ']']) || text[after..].trim().is_empty()
}

/// An object, as it is or repaired.
fn parse(text: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(text).or_else(|_| serde_json::from_str(&repaired(text))).ok()
}

/// With double quotation marks, and without commas before a closing bracket.
fn repaired(text: &str) -> String {
    let mut repaired = String::with_capacity(text.len() + 8);
    let mut quote = None;
    let mut escaped = false;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let after = at + c.len_utf8();
        match quote {
            Some(mark) => {
                if c == mark && !escaped && closes(text, after, mark) {
                    quote = None;
                    repaired.push('"');
                } else if c == '"' && mark == '\'' && !escaped {
                    repaired.push_str("\\\"");
                } else if !(c == '\\' && text[after..].starts_with('\'')) {
                    repaired.push(c);
                }
                escaped = c == '\\' && !escaped;
            }
            None => match c {
                '"' => {
                    quote = Some('"');
                    repaired.push('"');
                }
                '\'' if "{:,[ \n".contains(before) => {
                    quote = Some('\'');
                    repaired.push('"');
                }
                ',' if text[after..].trim_start().starts_with(['}', ']']) => {}
                c => repaired.push(c),
            },
        }
        before = c;
    }
    repaired
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::infer::lm::meets;

    const ONE: &str = r#"{"head":"Omeprazole","head_kind":"drug","relation":"treats","tail":"Reflux","tail_kind":"disease"}"#;

    fn heads(text: &str) -> Vec<String> {
        read(text).triples.into_iter().map(|written| written.head).collect()
    }

    #[test]
    fn json_is_found_however_it_is_wrapped_and_broken() {
        for text in [
            format!("[{ONE}]"),
            ONE.to_owned(),
            format!("```json\n[{ONE}]\n```"),
            format!("Here's what I found (it isn't much):\n[{ONE},]\nLet me know!"),
            format!("{{\"triples\": [{ONE}]}}"),
            format!("[{ONE}, {{\"head\": \"Cut o"),
            format!("{{\"triples\": [{ONE}, {{\"head\": \"Cut o"),
            ONE.replace("\"disease\"}", "\"disease\",}"),
            ONE.replace('"', "'"),
            format!("{{broken: }} {ONE}"),
            format!("{{ \" never closed\n{ONE}"),
            ONE.replace("head", "subject").replace("relation", "predicate").replace("tail", "object"),
        ] {
            assert_eq!(heads(&text), ["Omeprazole"], "{text}");
        }
        assert_eq!(read("{'head': 'Crohn's disease', 'relation': 'has \"red\" flag', 'tail': 'x'}").triples[0].head, "Crohn's disease");
    }

    #[test]
    fn what_fits_the_form_is_read() {
        let one = ONE.replace("\":\"", "\": \"").replace("\",\"", "\", \"");
        for (text, count) in [("[]".to_owned(), 0), (format!("[{one}]"), 1), (format!("[{}]", vec![one.as_str(); ASKED].join(", ")), ASKED)]
        {
            assert!(meets(&form(), &text), "{text}");
            assert_eq!(read(&text).triples.len(), count);
        }
        assert!(!meets(&form(), &one) && !meets(&form(), "[{}]"));
    }

    #[test]
    fn what_is_no_json_is_told_from_an_empty_list() {
        assert!(!read("I cannot do that.").is_json);
        assert!(read("[]").is_json && read("```json\n[ ]\n```").is_json && read("{\"triples\": []}").is_json);
        assert_eq!(read("[]").triples, []);
    }

    #[test]
    fn wrong_types_and_too_many_are_counted() {
        let odd = r#"[{"head": 1, "relation": "treats", "tail": "b"}, {"head": "a", "tail": "b"}, {"head": ["a"], "relation": "r", "tail": null}, 7, "x"]"#;
        let reply = read(odd);
        assert_eq!((reply.triples.len(), reply.malformed), (0, 3));
        let many = format!("[{}]", vec![ONE; 1000].join(","));
        let reply = read(&many);
        assert_eq!((reply.triples.len(), reply.left_out), (MOST, 940));
        let long = ONE.replace("Omeprazole", &"x".repeat(FIELD + 1));
        assert_eq!(read(&long).malformed, 1);
    }

    #[test]
    fn hostile_nesting_ends_soon() {
        for text in ["{".repeat(200_000), "{\"a\":".repeat(50_000) + &"}".repeat(50_000), "{}".repeat(100_000), "{'".repeat(100_000)] {
            assert_eq!(read(&text).triples, []);
        }
    }

    proptest::proptest! {
        #[test]
        fn nothing_makes_it_fail(text in "[\\{\\}\\[\\]\"',:\\\\a-c \n头]{0,80}") {
            read(&text);
        }

        #[test]
        fn any_text_around_changes_nothing(before in "[a-z .,:]{0,20}", after in "[a-z .,:]{0,20}") {
            proptest::prop_assert_eq!(heads(&format!("{before}{ONE}{after}")), vec!["Omeprazole".to_owned()]);
        }
    }
}
