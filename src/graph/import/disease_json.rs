//! Imports the Chinese disease knowledge base (`medical.json`): one disease on each line, a JSON object with lists of names.
//!
//! Lists become triples from the disease to the named entities. Single texts other than name and description are left out,
//! because they are paragraphs and prices. An unknown list becomes a relation named after its field.

use serde_json::{Map, Value};

use super::error::ImportError;
use super::input::InputFile;
use super::lines::{ImportLine, ImportLines};
use super::session::{ImportSession, Reason, description_of, name_of};
use crate::graph::Kind;
use crate::graph::build::Synonymy;

/// The meaning of a field.
enum FieldMeaning {
    /// Read elsewhere (the name), or not needed (the identifier).
    Ignored,
    /// Other names of the disease.
    Aliases,
    /// A list of entities: the relation to them, and their kind.
    List(&'static str, &'static str),
    /// "producer(drug)".
    Products,
    /// An unknown field.
    Unknown,
}

fn meaning(field: &str) -> FieldMeaning {
    match field {
        "_id" | "name" | "desc" => FieldMeaning::Ignored,
        "alias" | "aliases" | "synonym" | "synonyms" | "别名" => FieldMeaning::Aliases,
        "symptom" => FieldMeaning::List("has_symptom", "symptom"),
        "acompany" | "accompany" => FieldMeaning::List("has_complication", "disease"),
        "check" => FieldMeaning::List("need_test", "test"),
        "common_drug" => FieldMeaning::List("common_drug", "drug"),
        "recommand_drug" | "recommend_drug" => FieldMeaning::List("recommended_drug", "drug"),
        "cure_way" => FieldMeaning::List("cure_way", "treatment"),
        "cure_department" => FieldMeaning::List("department", "department"),
        "category" => FieldMeaning::List("category", "category"),
        "do_eat" => FieldMeaning::List("good_food", "food"),
        "not_eat" | "no_eat" => FieldMeaning::List("bad_food", "food"),
        "recommand_eat" | "recommend_eat" => FieldMeaning::List("suggested_dish", "food"),
        "drug_detail" => FieldMeaning::Products,
        _ => FieldMeaning::Unknown,
    }
}

/// Reads the files.
pub(super) fn read(files: &[InputFile], session: &mut ImportSession) -> Result<(), ImportError> {
    for file in files {
        let mut lines = ImportLines::new(file.open(session)?, None);
        while let Some(line) = lines.next(session)? {
            if let Err(reason) = take(line, session) {
                session.reject(line.number, &reason);
            }
        }
    }
    Ok(())
}

fn take(line: ImportLine, session: &mut ImportSession) -> Result<(), Reason> {
    let value: Value = serde_json::from_str(line.text()?).map_err(|error| {
        // The report states the line; the parser's column would make every reason different.
        let message = error.to_string();
        Reason::Owned(format!("not valid JSON: {}", message.split(" at line ").next().unwrap_or_default()))
    })?;
    let Value::Object(fields) = value else {
        return Err("not a JSON object".into());
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

fn describe(disease: u32, fields: &Map<String, Value>, line: usize, session: &mut ImportSession) {
    match fields.get("desc") {
        Some(Value::String(text)) if !text.trim().is_empty() => session.builder.set_description(disease, &description_of(text)),
        None | Some(Value::Null | Value::String(_)) => {}
        Some(other) => session.reject(line, &format!("the field \"desc\" is {}, not a text", type_of(other))),
    }
}

fn take_field(disease: u32, field: &str, value: &Value, line: usize, session: &mut ImportSession) {
    let meaning = meaning(field);
    let items = match (&meaning, value) {
        (FieldMeaning::Ignored, _) | (_, Value::Null) => return,
        (_, Value::Array(items)) => items.as_slice(),
        (FieldMeaning::Unknown, _) => return session.leave_out(&format!("field {}", shortened(field))),
        // A list of one item is sometimes written as the item itself.
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

fn take_item(disease: u32, field: &str, meaning: &FieldMeaning, item: &Value, session: &mut ImportSession) -> Result<(), Reason> {
    let Value::String(text) = item else {
        return Err(Reason::Owned(format!("it is {}, not a text", type_of(item))));
    };
    if text.trim().is_empty() {
        session.leave_out("empty item of a list");
        return Ok(());
    }
    match meaning {
        FieldMeaning::Ignored => {}
        FieldMeaning::Aliases => {
            let alias = name_of(text)?;
            session.builder.add_alias(disease, &alias, Synonymy::Exact);
        }
        FieldMeaning::List(relation, kind) => {
            let name = name_of(text)?;
            let relation = session.relation(relation)?;
            let thing = session.entity(&name, Some(&Kind::parse(kind)));
            session.triple(disease, relation, thing);
        }
        FieldMeaning::Products => {
            let (producer, drug) = product(text).ok_or("it is not of the form \"producer(drug)\"")?;
            let (producer, drug) = (name_of(producer)?, name_of(drug)?);
            let relation = session.relation("produced_by")?;
            let drug = session.entity(&drug, Some(&Kind::Drug));
            let producer = session.entity(&producer, Some(&Kind::parse("producer")));
            session.triple(drug, relation, producer);
        }
        FieldMeaning::Unknown => {
            let (relation, name) = (name_of(field)?, name_of(text)?);
            let relation = session.relation(&relation)?;
            let thing = session.entity(&name, None);
            session.triple(disease, relation, thing);
        }
    }
    Ok(())
}

/// Splits "producer(drug)" at the bracket that the last bracket closes; brackets may be Chinese.
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

/// A field's name, shortened for the report.
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
