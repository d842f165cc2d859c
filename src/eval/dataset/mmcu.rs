//! MMCU, its medical subjects: `{"subject","row":[question, option A, …, answer]}`, one row of its sheets on each line. A sheet has a row
//! of titles, then in each row the question, the options, and last the labels of the right ones ("BD"); so it is read by
//! FelixTestChatGPT.py at a04c1723 in github.com/Felixgithub2017/MMCU. One or several options are right, and the file does not say how
//! many.

use serde_json::{Map, Value};

use super::field::{clean, id_or_line, label, line_of, text};
use super::{AnswerOption, EvalQuestion, generic};

pub(super) fn read(object: &Map<String, Value>, line: u64) -> Result<EvalQuestion, &'static str> {
    let row = object.get("row").and_then(Value::as_array).ok_or("no row")?;
    // Sheets have empty cells at the end of a row.
    let filled = row.iter().rposition(|cell| line_of(cell).is_some()).ok_or("no question")?;
    let [question, options @ .., answer] = row.get(..=filled).unwrap_or_default() else { return Err("no answer") };
    let option = |(place, cell): (usize, &Value)| {
        let label = label(place);
        let text = without_label(&line_of(cell)?, &label)?;
        Some(AnswerOption { label, text })
    };
    let options: Vec<AnswerOption> = options.iter().enumerate().filter_map(option).collect();
    if options.len() < 2 {
        return Err("fewer than two options");
    }
    let answer = Value::String(in_ascii(&line_of(answer).ok_or("no answer")?));
    Ok(EvalQuestion {
        id: id_or_line(object, line),
        group: text(object, "subject").unwrap_or_default(),
        question: clean(question).ok_or("no question")?,
        correct: generic::correct(&answer, &options)?,
        options,
        has_several: true,
        ..EvalQuestion::default()
    })
}

/// An option without the label that some have before their text ("A、…", "Ａ．…"); `None` if nothing is left.
fn without_label(text: &str, label: &str) -> Option<String> {
    let text = text.trim();
    let mut rest = text.chars();
    let first: Option<String> = rest.next().map(|c| in_ascii(c.encode_utf8(&mut [0; 4])));
    let after = rest.as_str().trim_start();
    let marked = first.as_deref() == Some(label) && after.starts_with(['、', '.', '．', ':', '：']);
    let text = if marked { after.chars().skip(1).collect::<String>().trim().to_owned() } else { text.to_owned() };
    (!text.is_empty()).then_some(text)
}

/// With ASCII letters for those of full width.
fn in_ascii(text: &str) -> String {
    let narrow = |c: char| if ('Ａ'..='ｚ').contains(&c) { char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c) } else { c };
    text.chars().map(narrow).collect()
}
