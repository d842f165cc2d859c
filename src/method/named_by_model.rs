//! What a language model says of words that nothing else understood: that they name a drug, or a disease. It only adds their kind.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;

use crate::language::consult::consult_as;
use crate::language::context::{RunContext, StageError};
use crate::language::prompt::PromptFor;
use crate::language::prompt::prompt_lines::question_part;
use crate::model::{Constraint, GeneratorHandle};
use crate::pipeline::answer::wording::Wording;
use crate::run::event::Mention;
use crate::run::{Case, EventKind, LikelyKind, MentionOrigin, NotUnderstood, Stage};

/// The most names that count.
const MOST: usize = 5;
/// The longest name, in characters.
const LONGEST: usize = 80;

#[derive(Debug, Default, Deserialize)]
struct Reply {
    names: Vec<Named>,
}

#[derive(Debug, Deserialize)]
struct Named {
    text: String,
    kind: String,
}

/// The form of the reply.
fn form() -> Constraint {
    let text = json!({ "type": "string", "minLength": 1, "maxLength": LONGEST });
    let fields = json!({ "text": text, "kind": { "type": "string", "enum": ["drug", "disease"] } });
    let name = json!({ "type": "object", "properties": fields, "required": ["text", "kind"], "additionalProperties": false });
    let fields = json!({ "names": { "type": "array", "maxItems": MOST, "items": name } });
    Constraint::json("names", json!({ "type": "object", "properties": fields, "required": ["names"], "additionalProperties": false }))
}

/// Whether words are in no vocabulary, and nothing tells what they name.
fn is_open(term: &NotUnderstood) -> bool {
    !term.passage && term.may_mean.is_empty() && term.likely == Some(LikelyKind::Other)
}

/// Asks the model what the question's unknown words name, if there are any. The case is told again if it says so.
///
/// # Errors
/// If the run is stopped.
pub(super) fn name_unknown(
    ctx: &mut RunContext<'_>,
    generator: &GeneratorHandle,
    question: &str,
    case: &Arc<Case>,
) -> Result<(), StageError> {
    if !case.not_understood.iter().any(is_open) {
        return Ok(());
    }
    let chinese = Wording::for_text(question).is_chinese();
    let asked = consult_as(ctx, generator, Stage::Hypothesis, (PromptFor::Names, chinese), Some(form()), |_| question_part(question))?;
    let reply = match asked {
        Ok(reply) => reply,
        Err(why) => {
            ctx.warn(format!("{why}; the unknown words stay unknown."));
            return Ok(());
        }
    };
    let Some(named) = read(&reply) else {
        ctx.warn("Catena could not read the language model's list of names, so the unknown words stay unknown.".to_owned());
        return Ok(());
    };
    let mut case = Case::clone(case);
    let mentions = typed(question, &mut case, &named);
    if !mentions.is_empty() {
        mentions.into_iter().for_each(|mention| ctx.emit(EventKind::MentionFound { mention }));
        ctx.emit(EventKind::CaseRead { case: Arc::new(case) });
    }
    Ok(())
}

/// The names of a reply, also with words around the JSON; `None` if there is none.
fn read(reply: &str) -> Option<Vec<Named>> {
    let json = reply.get(reply.find('{')?..=reply.rfind('}')?)?;
    serde_json::from_str::<Reply>(json).ok().map(|reply| reply.names)
}

/// Gives the open words of a case the kind that the names have which stand there in the question. Gives these names.
fn typed(question: &str, case: &mut Case, named: &[Named]) -> Vec<Mention> {
    let mut mentions = Vec::new();
    for Named { text, kind } in named.iter().take(MOST) {
        let kind = match kind.as_str() {
            "drug" => LikelyKind::Drug,
            "disease" => LikelyKind::Condition,
            _ => continue,
        };
        let text = text.trim();
        let Some(start) = question.find(text).filter(|_| !text.is_empty()) else { continue };
        let end = start + text.len();
        let mut is_new = false;
        for term in case.not_understood.iter_mut().filter(|term| is_open(term) && term.start < end && start < term.end) {
            term.likely = Some(kind);
            is_new = true;
        }
        if is_new {
            mentions.push(Mention { text: text.to_owned(), start, end, origin: MentionOrigin::Question, recogniser: "llm".into() });
        }
    }
    mentions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::infer::lm::meets;

    #[test]
    fn only_words_of_the_question_that_nobody_understood_get_a_kind() {
        let question = "Is zorblaxin safe in gout and brallen?";
        let term = |text: &str, likely| {
            let start = question.find(text).expect("is there");
            NotUnderstood { text: text.into(), likely, start, end: start + text.len(), ..NotUnderstood::default() }
        };
        let mut case = Case {
            not_understood: vec![term("zorblaxin", Some(LikelyKind::Other)), term("brallen", Some(LikelyKind::Drug))],
            ..Case::default()
        };
        let reply = r#"Here: {"names": [{"text": "zorblaxin", "kind": "drug"}, {"text": "brallen", "kind": "disease"},
            {"text": "gout", "kind": "disease"}, {"text": "warfarin", "kind": "drug"}, {"text": "", "kind": "drug"}]}"#;
        let mentions = typed(question, &mut case, &read(reply).expect("JSON"));
        let found: Vec<_> = mentions.iter().map(|mention| (&*mention.text, mention.start, &*mention.recogniser)).collect();
        assert_eq!(found, [("zorblaxin", 3, "llm")], "what is understood stays as it was, what is not there is left out");
        let likely: Vec<_> = case.not_understood.iter().map(|term| term.likely).collect();
        assert_eq!(likely, [Some(LikelyKind::Drug), Some(LikelyKind::Drug)]);
        assert!(read("nothing").is_none() && read("} {").is_none() && read(r#"{"names": 3}"#).is_none());
    }

    #[test]
    fn at_most_five_names_count_and_fit_the_form() {
        let question = "aa bb cc dd ee ff";
        let open = |text: &str| {
            let start = question.find(text).expect("is there");
            let likely = Some(LikelyKind::Other);
            NotUnderstood { text: text.into(), likely, start, end: start + 2, ..NotUnderstood::default() }
        };
        let names = ["aa", "bb", "cc", "dd", "ee", "ff"];
        let mut case = Case { not_understood: names.map(open).to_vec(), ..Case::default() };
        let list = |names: &[&str]| {
            let names: Vec<_> = names.iter().map(|name| format!(r#"{{"text": "{name}", "kind": "drug"}}"#)).collect();
            format!(r#"{{"names": [{}]}}"#, names.join(", "))
        };
        assert_eq!(typed(question, &mut case, &read(&list(&names)).expect("JSON")).len(), MOST);
        assert_eq!(case.not_understood.last().and_then(|term| term.likely), Some(LikelyKind::Other));
        assert!(meets(&form(), &list(&names[..MOST])) && !meets(&form(), &list(&names)));
    }
}
