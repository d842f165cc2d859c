//! PubMedQA: `{"pmid","QUESTION","CONTEXTS":[…],"LONG_ANSWER","final_decision":"yes|no|maybe"}`. The question alone is asked, with the three answers as
//! options; the contexts, which are the abstract that the question was made from, are not shown. The abstract's conclusion is the reference.

use serde_json::{Map, Value};

use super::field::{id, label, question, text};
use super::{AnswerOption, EvalQuestion};

const ANSWERS: [&str; 3] = ["yes", "no", "maybe"];

pub(super) fn read(object: &Map<String, Value>) -> Result<EvalQuestion, &'static str> {
    let decision = text(object, "final_decision").ok_or("no \"final_decision\"")?;
    let place = ANSWERS.iter().position(|answer| *answer == decision).ok_or("a decision other than yes, no, maybe")?;
    Ok(EvalQuestion {
        id: id(object, "pmid")?,
        question: question(object, "QUESTION")?,
        options: ANSWERS.iter().enumerate().map(|(place, text)| AnswerOption { label: label(place), text: (*text).to_owned() }).collect(),
        correct: vec![place],
        references: text(object, "LONG_ANSWER").into_iter().collect(),
        ..EvalQuestion::default()
    })
}
