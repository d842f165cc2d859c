//! Finds which option of a multiple-choice question a run chose.
//!
//! A language model's answer says so, and what it says is read by [`stated`]; if it names none, none was chosen. The extractive reader answers questions without
//! looking at options, so there the evidence decides which option it speaks for. That can tell options apart that are entities of the graph; where they are not,
//! only nearness is left. For yes, no and maybe it is nearness of these words to the question and no more than a guess.

mod evidence;
mod stated;

use super::dataset::EvalQuestion;
use super::score::Scoring;
use crate::model::ModelError;
use crate::run::Trace;

pub use stated::stated;

/// The options that a run chose, by place, ascending. By evidence it is one, unless the file says that several may be right.
///
/// # Errors
/// If the encoder fails.
pub fn chosen(question: &EvalQuestion, trace: &Trace, tools: &Scoring) -> Result<Vec<usize>, ModelError> {
    if trace.answer.by_model {
        return Ok(stated(&trace.answer.text, &question.options));
    }
    if question.has_several {
        return evidence::all(question, trace, tools);
    }
    Ok(evidence::best(question, trace, tools)?.into_iter().collect())
}
