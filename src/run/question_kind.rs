//! What makes two questions alike: the entities that they name, and the kinds of what they ask.

use super::case::Case;
use super::event::AnchorOrigin;
use super::trace::Trace;

/// The kind of a question; questions of one kind name the same entities and ask the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct QuestionKind {
    /// The entities that it names, sorted.
    pub(crate) linked: Vec<String>,
    /// The kinds of what it asks, in English, sorted.
    pub(crate) asks: Vec<String>,
}

impl QuestionKind {
    /// The kind of a question that names these entities.
    pub(crate) fn of(mut linked: Vec<String>, case: &Case) -> Self {
        let mut asks: Vec<String> = case.asked().into_iter().map(|kind| kind.title(false).to_owned()).collect();
        linked.sort_unstable();
        linked.dedup();
        asks.sort_unstable();
        Self { linked, asks }
    }

    /// The kind of a run's question, as it was linked before the doctor decided anything about its anchors.
    pub(crate) fn of_trace(trace: &Trace) -> Self {
        let of_question = trace.linked().iter().filter(|anchor| anchor.origin != AnchorOrigin::Hypothesis);
        Self::of(of_question.map(|anchor| anchor.entity.clone()).collect(), &trace.case)
    }
}
