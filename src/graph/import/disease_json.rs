//! The Chinese disease knowledge base (`medical.json`): a disease a line as a JSON object with lists of names.
//!
//! Lists become triples from the disease to the things named, single texts other than name and description are left
//! out: they are paragraphs and prices, no names. A list that is not known becomes a relation of its field's name.

use serde_json::{Map, Value};

use super::error::ImportError;
use super::input::InputFile;
use super::lines::{Line, Lines};
use super::session::{Reason, Session, description_of, name_of};
use crate::graph::Kind;
use crate::graph::build::Synonymy;

/// What a known field is.
enum Meaning {
    /// Name, identifier: read elsewhere, or of no use.
    Ignored,
    /// Other names of the disease.
    Aliases,
    /// A list of things: relation, and their kind.
    List(&'static str, &'static str),
    /// "producer(drug)".
    Products,
    /// Nothing is known of it.
    Unknown,
}

fn meaning(field: &str) -> Meaning {
    match field {
        "_id" | "name" | "desc" => Meaning::Ignored,
        "alias" | "aliases" | "synonym" | "synonyms" | "别名" => Meaning::Aliases,
        "symptom" => Meaning::List("has_symptom", "symptom"),
        "acompany" | "accompany" => Meaning::List("has_complication", "disease"),
        "check" => Meaning::List("need_test", "test"),
        "common_drug" => Meaning::List("common_drug", "drug"),
        "recommand_drug" | "recommend_drug" => Meaning::List("recommended_drug", "drug"),
        "cure_way" => Meaning::List("cure_way", "treatment"),
        "cure_department" => Meaning::List("department", "department"),
        "category" => Meaning::List("category", "category"),
        "do_eat" => Meaning::List("good_food", "food"),
        "not_eat" | "no_eat" => Meaning::List("bad_food", "food"),
        "recommand_eat" | "recommend_eat" => Meaning::List("suggested_dish", "food"),
        "drug_detail" => Meaning::Products,
        _ => Meaning::Unknown,
    }
}

/// Reads the files.
pub(super) fn read(files: &[InputFile], session: &mut Session) -> Result<(), ImportError> {
    for file in files {
        let mut lines = Lines::new(file.open(session)?, None);
        while let Some(line) = lines.next(session)? {
            if let Err(reason) = take(line, session) {
                session.reject(line.number, &reason);
            }
        }
    }
    Ok(())
}

fn take(line: Line, session: &mut Session) -> Result<(), Reason> {
    let value: Value = serde_json::from_str(line.text()?).map_err(|error| {
        // The line is named beside it, and a column a line would make every reason another.
        let message = error.to_string();
        Reason::Owned(format!("not valid JSON: {}", message.split(" at line ").next().unwrap_or_default()))
    })?;
    let Value::Object(fields) = value else {
        return Err("no JSON object".into());
    };
    let name = match fields.get("name") {
        Some(Value::String(name)) => name_of(name).map_err(|reason| Reason::Owned(format!("the field \"name\": {reason}")))?,
        Some(other) => return Err(Reason::Owned(format!("the field \"name\" is {}, not a text", type_of(other)))),
        None => return Err("the field \"name\" is missing".into()),
    };
    let disease = session.entity(&name, Some(&Kind::Disease));
    describe(disease, &fields, line.number, session);
    for (field, value) in &fields {
        take_field(disease, field, value, line.number, session);
    }
    Ok(())
}

fn describe(disease: u32, fields: &Map<String, Value>, line: usize, session: &mut Session) {
    match fields.get("desc") {
        Some(Value::String(text)) if !text.trim().is_empty() => session.builder.set_description(disease, &description_of(text)),
        None | Some(Value::Null | Value::String(_)) => {}
        Some(other) => session.reject(line, &format!("the field \"desc\" is {}, not a text", type_of(other))),
    }
}

fn take_field(disease: u32, field: &str, value: &Value, line: usize, session: &mut Session) {
    let meaning = meaning(field);
    let items = match (&meaning, value) {
        (Meaning::Ignored, _) | (_, Value::Null) => return,
        (_, Value::Array(items)) => items.as_slice(),
        (Meaning::Unknown, _) => return session.leave_out(&format!("field {}", shortened(field))),
        // A list of one is sometimes written as the thing itself.
        (_, Value::String(text)) if text.trim().is_empty() => return,
        (_, Value::String(_)) => std::slice::from_ref(value),
        (_, other) => return session.reject(line, &format!("the field \"{}\" is {}, not a list", shortened(field), type_of(other))),
    };
    for item in items {
        if let Err(reason) = take_item(disease, field, &meaning, item, session) {
            session.reject(line, &format!("an item of the field \"{}\": {reason}", shortened(field)));
        }
    }
}

fn take_item(disease: u32, field: &str, meaning: &Meaning, item: &Value, session: &mut Session) -> Result<(), Reason> {
    let Value::String(text) = item else {
        return Err(Reason::Owned(format!("it is {}, not a text", type_of(item))));
    };
    if text.trim().is_empty() {
        session.leave_out("empty item of a list");
        return Ok(());
    }
    match meaning {
        Meaning::Ignored => {}
        Meaning::Aliases => {
            let alias = name_of(text)?;
            session.builder.add_alias(disease, &alias, Synonymy::Exact);
        }
        Meaning::List(relation, kind) => {
            let name = name_of(text)?;
            let relation = session.relation(relation)?;
            let thing = session.entity(&name, Some(&Kind::parse(kind)));
            session.triple(disease, relation, thing);
        }
        Meaning::Products => {
            let (producer, drug) = product(text).ok_or("it is not of the form \"producer(drug)\"")?;
            let (producer, drug) = (name_of(producer)?, name_of(drug)?);
            let relation = session.relation("produced_by")?;
            let drug = session.entity(&drug, Some(&Kind::Drug));
            let producer = session.entity(&producer, Some(&Kind::parse("producer")));
            session.triple(drug, relation, producer);
        }
        Meaning::Unknown => {
            let (relation, name) = (name_of(field)?, name_of(text)?);
            let relation = session.relation(&relation)?;
            let thing = session.entity(&name, None);
            session.triple(disease, relation, thing);
        }
    }
    Ok(())
}

/// Divides "producer(drug)" at the bracket that the last one closes; brackets may be Chinese.
fn product(text: &str) -> Option<(&str, &str)> {
    let inner = text.trim().strip_suffix([')', '）'])?;
    let mut depth = 1;
    for (i, c) in inner.char_indices().rev() {
        match c {
            ')' | '）' => depth += 1,
            '(' | '（' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let (producer, drug) = (inner[..i].trim(), inner[i + c.len_utf8()..].trim());
            return (!producer.is_empty() && !drug.is_empty()).then_some((producer, drug));
        }
    }
    None
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A field's name for a report.
fn shortened(field: &str) -> String {
    field.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::product;

    #[test]
    fn products_are_divided_at_the_bracket_that_the_last_one_closes() {
        assert_eq!(product("同仁堂(百合固金丸)"), Some(("同仁堂", "百合固金丸")));
        assert_eq!(product("A(B)（C (D)）"), Some(("A(B)", "C (D)")));
        assert_eq!(product("no bracket"), None);
        assert_eq!(product("(nothing before)"), None);
        assert_eq!(product("unopened)"), None);
    }
}
