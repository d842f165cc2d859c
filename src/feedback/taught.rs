//! Facts that are taught directly: through the same checks, review and journal as what follows from a rating.

use super::propose::Proposals;
use super::teacher::{RatingResult, TeachError, Teacher};
use crate::dkg::{DkgError, Feedback, Rating, TAUGHT};
use crate::model::CancelToken;
use crate::text::sanitise_line;

/// Relation words that are offered where a word is not understood.
pub(crate) const RELATION_WORDS: [&str; 12] = [
    "treats",
    "first line for",
    "prevents",
    "has symptom",
    "caused by",
    "has risk factor",
    "diagnosed by",
    "contraindicated in",
    "has side effect",
    "interacts with",
    "leads to",
    "is a",
];

/// A fact as a doctor states it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaughtFact {
    /// What the fact is about: the subject.
    pub head: String,
    /// The relation, as the graph calls it or in plain words ("relieves").
    pub relation: String,
    /// The object.
    pub tail: String,
    /// Why it holds; may be empty.
    pub why: String,
}

impl TaughtFact {
    /// The fact as a sentence, on one line.
    pub fn text(&self) -> String {
        sanitise_line(&format!("{} {} {}", self.head.trim(), self.relation.trim(), self.tail.trim()))
    }
}

impl Teacher {
    /// Records a fact that is taught directly, as a proposal; `accept` learns it without a review, if nothing speaks against it.
    ///
    /// # Errors
    /// If a part is missing or cannot be read, the DKG is read-only, or the work is stopped; then nothing was recorded.
    pub fn teach(&self, fact: &TaughtFact, accept: bool, cancel: &CancelToken) -> Result<RatingResult, TeachError> {
        for (part, text) in [("first name", &fact.head), ("relation", &fact.relation), ("second name", &fact.tail)] {
            if text.trim().is_empty() {
                return Err(TeachError::Typed(format!("the {part} is empty: a fact is a name, a relation and another name")));
            }
        }
        if let Some(reason) = self.dkg().read_only() {
            return Err(DkgError::ReadOnly { reason: reason.to_owned() }.into());
        }
        let knowledge = self.engine().knowledge();
        let made = self.proposing(&knowledge, 0, cancel, |proposing| {
            let made = proposing.taught(fact, self.relation(&fact.relation))?;
            // What a word is guessed to name may not fit what the two names are ("semaglutide can cause gallstones"): then it is read as in a sentence.
            let fits = made.as_ref().is_none_or(|made| !made.proposals.is_empty() || made.rejected.is_empty());
            let read = if fits || self.known_relation(&fact.relation).is_some() { None } else { proposing.taught(fact, None)? };
            Ok(read.filter(|read| !read.proposals.is_empty()).or(made))
        })?;
        let Some(made) = made else {
            let word = sanitise_line(&fact.relation);
            let known = RELATION_WORDS.join(", ");
            return Err(TeachError::Typed(format!("the relation “{word}” is not understood; use a word such as: {known}")));
        };
        if let (true, Some(reason)) = (made.proposals.is_empty(), made.rejected.keys().next()) {
            return Err(TeachError::Typed(format!("“{}” cannot be learned: {reason}{}", fact.text(), what_to_do(&made))));
        }
        let feedback = Feedback {
            answer: String::new(),
            cited: Vec::new(),
            comment: sanitise_line(&fact.why),
            gold: fact.text(),
            kg: knowledge.graph.name().to_owned(),
            models: Vec::new(),
            question: TAUGHT.to_owned(),
            rating: Rating::Gold,
            run: String::new(),
        };
        self.record_proposals(feedback, made, accept)
    }
}

/// What helps against a refusal.
fn what_to_do(made: &Proposals) -> &'static str {
    if made.rejected.contains_key("a new entity without a kind") {
        ". The graph does not know one of the names, and this relation does not say what it is; use a relation that does, such as “treats”"
    } else {
        ""
    }
}
