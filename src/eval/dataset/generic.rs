//! Questions in a form of their own: `{"id","question","options","multiple","answer","gold","key_points","group"}`, of which only the question must be there and
//! something that an answer can be held against.
//!
//! `options` is a list of texts, called A, B, C …, or an object from labels to texts. `answer` is then a label, several ("BD", "B, D"), a list of them,
//! or an option's text; without options it is a reference answer, or a list of such. `gold` is as in `catena dkg trial`.

use serde_json::{Map, Value};

use super::field::{MOST_OPTIONS, clean, id_or_line, label, line_of, place_of, question, text};
use super::{AnswerOption, EvalQuestion, GoldAnswer};
use crate::text::fold;

pub(super) fn read(object: &Map<String, Value>, line: u64) -> Result<EvalQuestion, &'static str> {
    let mut read = EvalQuestion {
        id: id_or_line(object, line),
        group: text(object, "group").unwrap_or_default(),
        question: question(object, "question")?,
        has_several: object.get("multiple").and_then(Value::as_bool).unwrap_or_default(),
        ..EvalQuestion::default()
    };
    let given = |key: &str| object.get(key).filter(|value| !value.is_null());
    if let Some(options) = given("options") {
        read.options = self::options(options)?;
    }
    match (given("answer"), read.options.is_empty()) {
        (None, _) => {}
        (Some(answer), false) => read.correct = correct(answer, &read.options)?,
        (Some(Value::Array(answers)), true) => read.references = texts(answers).ok_or("an answer that is no text")?,
        (Some(answer), true) => read.references = vec![clean(answer).ok_or("an answer that is no text")?],
    }
    if let Some(points) = given("key_points") {
        read.key_points = points.as_array().and_then(|points| texts(points)).ok_or("\"key_points\" that are no list of texts")?;
    }
    if given("gold").is_some() {
        read.gold = GoldAnswer::read(object)?;
    }
    Ok(read)
}

fn texts(values: &[Value]) -> Option<Vec<String>> {
    values.iter().map(clean).collect()
}

/// Options as a list of texts, or as an object from labels to texts.
pub(super) fn options(value: &Value) -> Result<Vec<AnswerOption>, &'static str> {
    let option = |label: String, text: &Value| {
        let text = line_of(text).ok_or("an option without a text")?;
        if label.is_empty() { Err("an option without a label") } else { Ok(AnswerOption { label, text }) }
    };
    let options: Vec<AnswerOption> = match value {
        Value::Array(texts) => {
            texts.iter().take(MOST_OPTIONS + 1).zip(0..).map(|(text, place)| option(label(place), text)).collect::<Result<_, _>>()?
        }
        Value::Object(texts) => texts
            .iter()
            .take(MOST_OPTIONS + 1)
            .map(|(label, text)| option(crate::text::sanitise_line(label), text))
            .collect::<Result<_, _>>()?,
        _ => return Err("options that are neither a list nor an object"),
    };
    match options.len() {
        0 | 1 => Err("fewer than two options"),
        count if count > MOST_OPTIONS => Err("more than 26 options"),
        _ => Ok(options),
    }
}

/// Which options an answer means.
pub(super) fn correct(answer: &Value, options: &[AnswerOption]) -> Result<Vec<usize>, &'static str> {
    const NONE: &str = "an answer that is none of the options";
    let mut places = match answer {
        Value::Array(answers) => {
            let answers = answers.iter().map(|answer| correct(answer, options)).collect::<Result<Vec<_>, _>>()?;
            answers.into_iter().flatten().collect()
        }
        answer => {
            let answer = line_of(answer).ok_or(NONE)?;
            let folded = fold(&answer);
            let by_text = || options.iter().position(|option| !folded.is_empty() && fold(&option.text) == folded);
            match place_of(&answer, options).or_else(by_text) {
                Some(place) => vec![place],
                None => labels(&answer, options).ok_or(NONE)?,
            }
        }
    };
    places.sort_unstable();
    places.dedup();
    if places.is_empty() { Err(NONE) } else { Ok(places) }
}

/// Several labels in one text: "BD", "B, D", "b、d".
fn labels(answer: &str, options: &[AnswerOption]) -> Option<Vec<usize>> {
    let pieces = answer.split([',', ';', '、', '，', '/', ' ']).map(str::trim).filter(|piece| !piece.is_empty());
    let mut places = Vec::new();
    for piece in pieces {
        match place_of(piece, options) {
            Some(place) => places.push(place),
            None => {
                for letter in piece.chars() {
                    places.push(place_of(letter.encode_utf8(&mut [0; 4]), options)?);
                }
            }
        }
    }
    Some(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(json: &str) -> Result<EvalQuestion, &'static str> {
        read(&serde_json::from_str(json).expect("an object"), 7)
    }

    #[test]
    fn answers_are_labels_texts_or_references() {
        let correct = |answer: &str| {
            let json = format!(r#"{{"question":"?","options":["aspirin","iron","vitamin C","both"],"answer":{answer}}}"#);
            parsed(&json).map(|question| question.correct)
        };
        assert_eq!(correct("\"B\""), Ok(vec![1]));
        assert_eq!(correct("\" b \""), Ok(vec![1]));
        assert_eq!(correct("\"DB\""), Ok(vec![1, 3]));
        assert_eq!(correct("\"B, D\""), Ok(vec![1, 3]));
        assert_eq!(correct("[\"D\",\"iron\",\"D\"]"), Ok(vec![1, 3]));
        assert_eq!(correct("\"Vitamin C\""), Ok(vec![2]));
        assert_eq!(correct("\"zinc\""), Err("an answer that is none of the options"));
        assert_eq!(correct("[]"), Err("an answer that is none of the options"));
        assert_eq!(correct("null"), Ok(vec![]));

        let named = parsed(r#"{"question":"?","options":{"1":"x","2":"y"},"answer":2}"#).expect("a question");
        assert_eq!((named.id.as_str(), named.correct, named.options[1].label.as_str()), ("7", vec![1], "2"));
        let open = parsed(r#"{"id":5,"question":" Why?\n","answer":["because","so"],"gold":{"tests":["ECG"]}}"#).expect("a question");
        assert_eq!((open.id.as_str(), open.question.as_str(), open.references), ("5", "Why?", vec!["because".into(), "so".into()]));
        assert_eq!(open.gold.asked, [crate::run::AnswerPart::Tests]);
    }

    #[test]
    fn broken_fields_are_named() {
        for (json, why) in [
            (r#"{"question":" "}"#, "no question"),
            (r#"{"question":"?","options":["a"]}"#, "fewer than two options"),
            (r#"{"question":"?","options":["a",""]}"#, "an option without a text"),
            (r#"{"question":"?","options":"a"}"#, "options that are neither a list nor an object"),
            (r#"{"question":"?","answer":true}"#, "an answer that is no text"),
            (r#"{"question":"?","gold":[]}"#, "no object \"gold\""),
            (r#"{"question":"?","key_points":[1]}"#, "\"key_points\" that are no list of texts"),
        ] {
            assert_eq!(parsed(json), Err(why), "{json}");
        }
        let many = format!(r#"{{"question":"?","options":[{}]}}"#, vec!["\"x\""; 27].join(","));
        assert_eq!(parsed(&many), Err("more than 26 options"));
        let hostile = parsed("{\"question\":\"a\\u001b[31mb\\u202e\",\"answer\":\"\\u0007x\"}").expect("a question");
        assert_eq!((hostile.question.as_str(), hostile.references[0].as_str()), ("a[31mb", "x"));
    }
}
