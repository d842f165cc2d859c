//! Fields of a question's object: cleaned texts, and why one is not as it should be.

use serde_json::{Map, Value};

use super::{AnswerOption, EvalQuestion};
use crate::text::{sanitise, sanitise_line};

/// The most options of a question.
pub(super) const MOST_OPTIONS: usize = 26;

/// A text with its lines, cleaned and trimmed; `None` if it is missing or blank.
pub(super) fn text(object: &Map<String, Value>, key: &str) -> Option<String> {
    clean(object.get(key)?)
}

/// The same of a value.
pub(super) fn clean(value: &Value) -> Option<String> {
    let text = sanitise(value.as_str()?).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// A text on one line, or a number.
pub(super) fn line_of(value: &Value) -> Option<String> {
    let line = match value {
        Value::String(text) => sanitise_line(text),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!line.trim().is_empty()).then_some(line)
}

/// The question.
pub(in crate::eval) fn question(object: &Map<String, Value>, key: &str) -> Result<String, &'static str> {
    text(object, key).ok_or("no question")
}

/// An id that must be there.
pub(super) fn id(object: &Map<String, Value>, key: &str) -> Result<String, &'static str> {
    object.get(key).and_then(line_of).ok_or("no id")
}

/// An id, or the number of the line.
pub(in crate::eval) fn id_or_line(object: &Map<String, Value>, line: u64) -> String {
    id(object, "id").unwrap_or_else(|_| line.to_string())
}

/// The label of an option by its place, from 0.
pub(super) fn label(place: usize) -> String {
    char::from(b'A' + (place % MOST_OPTIONS) as u8).to_string()
}

/// Options in keys of their own.
pub(super) fn options(object: &Map<String, Value>, keys: &[&str]) -> Result<Vec<AnswerOption>, &'static str> {
    let option = |(place, key): (usize, &&str)| {
        let text = object.get(*key).and_then(line_of).ok_or("an option without a text")?;
        Ok(AnswerOption { label: label(place), text })
    };
    keys.iter().enumerate().map(option).collect()
}

/// A question with one right option, the one at `place`. `group`: the key of its subset.
pub(super) fn single_choice(
    object: &Map<String, Value>,
    line: u64,
    group: &str,
    options: Vec<AnswerOption>,
    place: usize,
) -> Result<EvalQuestion, &'static str> {
    Ok(EvalQuestion {
        id: id_or_line(object, line),
        group: text(object, group).unwrap_or_default(),
        question: question(object, "question")?,
        options,
        correct: vec![place],
        ..EvalQuestion::default()
    })
}

/// The place of a label among options.
pub(super) fn place_of(label: &str, options: &[AnswerOption]) -> Option<usize> {
    options.iter().position(|option| option.label.eq_ignore_ascii_case(label.trim()))
}
