//! What makes two questions alike: the entities that they name, and the kinds of what they ask.

use super::case::{AskKind, Case};
use super::event::AnchorOrigin;
use super::trace::Trace;

/// The kind of a question; questions of one kind name the same entities and ask the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct QuestionKind {
    /// The entities that it names, sorted.
    pub(crate) linked: Vec<String>,
    /// The kinds of what it asks, by the names under which they are stored, sorted.
    pub(crate) asks: Vec<String>,
}

impl QuestionKind {
    /// The kind of a question that names these entities.
    pub(crate) fn of(mut linked: Vec<String>, case: &Case) -> Self {
        // Records keep them: what the screen calls a kind may change.
        let stored = |kind: AskKind| serde_json::to_value(kind).ok()?.as_str().map(str::to_owned);
        let mut asks: Vec<String> = case.asked().into_iter().filter_map(stored).collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::case::CaseAsk;

    #[test]
    fn what_is_asked_is_kept_by_its_stored_name_and_not_as_the_screen_says_it() {
        let asks = [AskKind::SideEffects, AskKind::Causes].map(|kind| CaseAsk { kind, of: Vec::new() }).to_vec();
        let kind = QuestionKind::of(vec!["B".into(), "A".into(), "A".into()], &Case { asks, ..Case::default() });
        assert_eq!((kind.linked, kind.asks), (vec!["A".to_owned(), "B".to_owned()], vec!["causes".to_owned(), "side_effects".to_owned()]));
    }
}
