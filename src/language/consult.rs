//! Short questions to a language model during a run: which of these, how much, is it enough? The form of each reply is asked for, and replies are
//! read leniently all the same, and only for what was asked.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::context::{RunContext, StageError};
use super::generate::{Writing, sent, write_with};
use super::prompt::PromptFor;
use crate::model::{Constraint, GeneratorHandle, ModelError, PromptPart, Sampling};
use crate::run::event::{EventKind, Stage};

/// Asks the model for a reply of a given form (below: [`numbers_form`], [`scores_form`], [`yes_or_no_form`]); gives its whole reply, or in plain words why there is
/// none.
///
/// # Errors
/// If the run is stopped.
pub(crate) fn consult_as(
    ctx: &mut RunContext<'_>,
    generator: &GeneratorHandle,
    stage: Stage,
    (what, chinese): (PromptFor, bool),
    constraint: Option<Constraint>,
    fill: impl Fn(&str) -> Vec<PromptPart>,
) -> Result<Result<String, String>, StageError> {
    let sampling = Sampling { constraint, ..Sampling::default() };
    consult_with(ctx, generator, Asking { stage, what, chinese, sampling, shown: false }, fill)
}

/// A question to a language model.
pub(crate) struct Asking {
    /// The stage that it belongs to.
    pub(crate) stage: Stage,
    /// The prompt, and whether in Chinese.
    pub(crate) what: PromptFor,
    pub(crate) chinese: bool,
    /// How the reply is drawn; the run's seed counts.
    pub(crate) sampling: Sampling,
    /// Whether the reply is the answer, and shown as it is written.
    pub(crate) shown: bool,
}

/// Asks the model; gives its whole reply, or in plain words why there is none.
///
/// # Errors
/// If the run is stopped.
pub(crate) fn consult_with(
    ctx: &mut RunContext<'_>,
    generator: &GeneratorHandle,
    asking: Asking,
    fill: impl Fn(&str) -> Vec<PromptPart>,
) -> Result<Result<String, String>, StageError> {
    let Asking { stage, what, chinese, sampling, shown } = asking;
    let template = ctx.prompts.of(what, chinese);
    let prompt = template.fill(fill);
    ctx.emit(EventKind::PromptSent { prompt: sent(stage, template, &prompt) });
    let (cancel, mut text) = (ctx.cancel.clone(), String::new());
    let sampling = Sampling { seed: ctx.settings.seed.cast_unsigned(), ..sampling };
    let written = write_with(generator, prompt, sampling, &cancel, &mut |writing| {
        match writing {
            Writing::Text(piece) => {
                text.push_str(&piece);
                if shown {
                    ctx.emit(EventKind::AnswerToken { text: piece });
                }
            }
            Writing::Activity(activity) => ctx.emit(EventKind::ModelActive { activity }),
            Writing::Instead(why) => ctx.warn(why),
        }
        ctx.check().is_ok()
    });
    match written {
        Ok(_) if text.trim().is_empty() => Ok(Err("The language model wrote nothing".into())),
        Ok(_) => Ok(Ok(text)),
        Err(ModelError::Cancelled) => Err(StageError::Cancelled),
        Err(error) => Ok(Err(format!("The language model failed ({error})"))),
    }
}

/// The form of a reply that [`numbers_in`] reads: at most `count` numbers from 1 to `most`, separated by commas, or 0 for none of them.
pub(crate) fn numbers_form(most: usize, count: usize) -> Constraint {
    let number = up_to(most);
    let more = count.clamp(1, most.max(1)) - 1;
    Constraint::Pattern(if more == 0 { format!("0|{number}") } else { format!("0|{number}(?:, {number}){{0,{more}}}") })
}

/// The form of a reply that [`scores_in`] reads: a score with two decimals for each number from 1 to `most`, in this order.
pub(crate) fn scores_form(most: usize) -> Constraint {
    let lines: Vec<String> = (1..=most.max(1)).map(|number| format!("{number}: (?:0\\.[0-9][0-9]|1\\.00)")).collect();
    Constraint::Pattern(lines.join("; "))
}

/// The form of a reply that [`first_word_is_yes`] reads.
pub(crate) fn yes_or_no_form(chinese: bool) -> Constraint {
    Constraint::choice(if chinese { ["是", "否"] } else { ["yes", "no"] })
}

/// The form of a reply that [`texts_in`] reads: a list of one to `most` texts of at most `longest` characters. `name`: what a server is told that it is.
pub(crate) fn texts_form(name: &'static str, most: usize, longest: usize) -> Constraint {
    let text = json!({ "type": "string", "minLength": 1, "maxLength": longest });
    Constraint::json(name, json!({ "type": "array", "minItems": 1, "maxItems": most.max(1), "items": text }))
}

/// The JSON list of a reply, also with words around it or as the field of an object. `None` if there is none.
fn list_in(reply: &str) -> Option<Vec<Value>> {
    serde_json::from_str(reply.get(reply.find('[')?..=reply.rfind(']')?)?).ok()
}

/// The objects of a reply that is a JSON list of objects. `None` if it is none; a number in brackets is a citation.
pub(crate) fn objects_in(reply: &str) -> Option<Vec<Value>> {
    list_in(reply).filter(|list| list.iter().all(Value::is_object))
}

/// The texts of a reply that is a JSON list of texts, each on one line. `None` if it is none.
pub(crate) fn texts_in(reply: &str) -> Option<Vec<String>> {
    let text = |value: Value| Some(value.as_str()?.split_whitespace().collect::<Vec<_>>().join(" "));
    list_in(reply)?.into_iter().map(text).collect()
}

/// A regular expression for the whole numbers from 1 to `most`.
fn up_to(most: usize) -> String {
    let numbers: Vec<String> = (1..=most.max(1)).map(|number| number.to_string()).collect();
    format!("(?:{})", numbers.join("|"))
}

/// The numbers from 1 to `most` that a reply names, each once, in its order. `None` if it names no number at all, not even 0.
pub(crate) fn numbers_in(reply: &str, most: usize) -> Option<Vec<usize>> {
    let mut numbers = Vec::new();
    let mut any = false;
    for digits in reply.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty()) {
        any = true;
        if let Ok(number) = digits.parse::<usize>()
            && (1..=most).contains(&number)
            && !numbers.contains(&number)
        {
            numbers.push(number);
        }
    }
    any.then_some(numbers)
}

/// Scores by number, from lines such as `3: 0.75`, or the same separated by semicolons; only numbers from 1 to `most` and scores from 0 to 1 count.
pub(crate) fn scores_in(reply: &str, most: usize) -> BTreeMap<usize, f64> {
    let score = |line: &str| {
        let (number, score) = line.split_once([':', '：'])?;
        let number: usize = number.trim().trim_matches(['[', ']', '(', ')', '-', '*', ' ']).parse().ok()?;
        let score: f64 = score.trim().trim_end_matches([',', '.', ';']).parse().ok()?;
        ((1..=most).contains(&number) && (0.0..=1.0).contains(&score)).then_some((number, score))
    };
    reply.lines().flat_map(|line| line.split([';', '；'])).filter_map(score).collect()
}

/// Whether a reply begins with yes, in English or Chinese.
pub(crate) fn first_word_is_yes(reply: &str) -> bool {
    let begins = reply.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let word: String = begins.chars().take_while(|c| c.is_ascii_alphabetic()).collect();
    word == "yes" || (begins.starts_with(['是', '足']) && !begins.starts_with("是否"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::infer::lm::meets;

    #[test]
    fn what_fits_the_forms_is_read() {
        for (form, reply, read) in [
            (numbers_form(12, 5), "12, 3, 1", vec![12, 3, 1]),
            (numbers_form(12, 5), "0", vec![]),
            (numbers_form(3, 1), "2", vec![2]),
            (numbers_form(0, 5), "1", vec![]),
        ] {
            assert!(meets(&form, reply), "{form:?} {reply}");
            let most = if form == numbers_form(0, 5) { 0 } else { 12 };
            assert_eq!(numbers_in(reply, most), Some(read));
        }
        let texts = texts_form("terms", 2, 20);
        for (reply, read) in [("[\"Reflux\"]", vec!["Reflux"]), ("[\"胃炎\", \"acid\"]", vec!["胃炎", "acid"])] {
            assert!(meets(&texts, reply), "{reply}");
            assert_eq!(texts_in(reply).expect("texts"), read);
        }
        let scores = scores_form(3);
        assert!(meets(&scores, "1: 0.75; 2: 1.00; 3: 0.00"));
        assert_eq!(scores_in("1: 0.75; 2: 1.00; 3: 0.00", 3).len(), 3);
        assert!(["yes", "no"].iter().all(|reply| meets(&yes_or_no_form(false), reply)) && meets(&yes_or_no_form(true), "否"));
        for (form, wrong) in [
            (numbers_form(12, 5), "13"),
            (numbers_form(12, 2), "1, 2, 3"),
            (numbers_form(12, 2), "1, "),
            (scores_form(2), "1: 0.75"),
            (scores_form(2), "1: 1.25; 2: 0.50"),
            (yes_or_no_form(false), "perhaps"),
            (yes_or_no_form(false), "ye"),
            (texts_form("terms", 2, 20), "[]"),
            (texts_form("terms", 2, 20), "[\"a\", \"b\", \"c\"]"),
            (texts_form("terms", 2, 20), "Reflux"),
        ] {
            assert!(!meets(&form, wrong), "{form:?} {wrong}");
        }
    }

    #[test]
    fn replies_are_read_leniently_and_within_what_was_asked() {
        assert_eq!(numbers_in("3, 1 and 3; also 99 (not 4)", 5), Some(vec![3, 1, 4]));
        assert_eq!(numbers_in("0", 5), Some(vec![]));
        assert_eq!(numbers_in("none of them", 5), None);
        assert_eq!(numbers_in("18446744073709551616000", 5), Some(vec![]));
        let scores = scores_in("1: 0.75\n[2]：1\n3: 7\n9: 0.5\n-4: .25\nso 5: 0.1\n", 5);
        assert_eq!(scores.into_iter().collect::<Vec<_>>(), [(1, 0.75), (2, 1.0), (4, 0.25)]);
        assert_eq!(scores_in("1: 0.75; 2: 1.00;3: 0.00", 5).into_values().collect::<Vec<_>>(), [0.75, 1.0, 0.0]);
        let fenced = "Sure:\n```json\n{\"terms\": [\"acid\\n reflux\", \"\"]}\n```";
        assert_eq!(texts_in(fenced), Some(vec!["acid reflux".into(), String::new()]));
        assert_eq!(objects_in("So: [{\"a\": 1}, {}].").map(|objects| objects.len()), Some(2));
        assert!(objects_in("[]").is_some_and(|objects| objects.is_empty()) && objects_in("0.9: dose [1]").is_none());
        assert!(["", "1. Reflux [1]", "[1, 2]", "] [", "[\"a\""].iter().all(|reply| texts_in(reply).is_none()));
        assert!(["Yes.", "**yes**, it does", "是", "足够"].iter().all(|reply| first_word_is_yes(reply)));
        assert!(["No", "yesterday", "否", "是否足够", "", "不是"].iter().all(|reply| !first_word_is_yes(reply)));
    }
}
