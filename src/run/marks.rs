//! Marks show where an entity comes from (the colour code of HyKGE). Each has a sign besides its colour, so that colour is never the only
//! difference.

use std::collections::HashMap;

use super::{AnchorOrigin, AnswerLine, Trace};
use crate::graph::Chain;
use crate::text::fold;

/// Where an entity comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mark {
    /// The question.
    Question,
    /// The hypothesis.
    Hypothesis,
    /// The language model's part of the hypothesis alone.
    Model,
    /// Only the graph.
    Graph,
    /// The graph contradicts the hypothesis.
    Corrected,
    /// Learned from feedback.
    Learned,
}

impl Mark {
    /// All marks, as the legend lists them.
    pub const ALL: [Self; 6] = [Self::Question, Self::Hypothesis, Self::Model, Self::Graph, Self::Corrected, Self::Learned];

    /// The sign.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Question => "●",
            Self::Hypothesis => "○",
            Self::Model => "◇",
            Self::Graph => "◆",
            Self::Corrected => "✚",
            Self::Learned => "★",
        }
    }

    /// The word in the legend.
    pub fn word(self) -> &'static str {
        match self {
            Self::Question => "question",
            Self::Hypothesis => "hypothesis",
            Self::Model => "model",
            Self::Graph => "graph",
            Self::Corrected => "corrected",
            Self::Learned => "learned",
        }
    }
}

/// The marks of the entities of a run. Rebuilt when anchors, chains or the answer change, not for every frame.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// By the folded name of the entity; entities that only the graph names are left out.
    by_name: HashMap<String, Mark>,
    /// By the folded text of a mention.
    by_mention: HashMap<String, Mark>,
    /// By number in the chain table.
    by_entity: Vec<Mark>,
    /// The marks that occur in the run.
    present: Vec<Mark>,
}

impl Marks {
    pub(crate) fn of(trace: &Trace) -> Self {
        let mut by_name = HashMap::new();
        for anchor in &trace.anchors {
            let mark = match anchor.origin {
                AnchorOrigin::Question | AnchorOrigin::Both => Mark::Question,
                AnchorOrigin::Hypothesis if anchor.by_model => Mark::Model,
                AnchorOrigin::Hypothesis => Mark::Hypothesis,
            };
            by_name.insert(fold(&anchor.entity), mark);
        }
        for entity in &trace.answer.corrected {
            by_name.insert(fold(entity), Mark::Corrected);
        }
        let by_mention = trace.anchors.iter().filter_map(|a| Some((fold(&a.mention), *by_name.get(&fold(&a.entity))?))).collect();
        let by_entity: Vec<Mark> =
            trace.table.entities.iter().map(|e| by_name.get(&fold(&e.name)).copied().unwrap_or(Mark::Graph)).collect();
        let learned = trace.table.chains.iter().any(Chain::learned).then_some(Mark::Learned);
        let seen: Vec<Mark> = by_name.values().chain(&by_entity).copied().chain(learned).collect();
        let present = Mark::ALL.into_iter().filter(|mark| seen.contains(mark)).collect();
        Self { by_name, by_mention, by_entity, present }
    }

    /// Whether anything in the run has this mark.
    pub(crate) fn has(&self, mark: Mark) -> bool {
        self.present.contains(&mark)
    }

    /// The mark of an entity by name.
    pub(crate) fn of_name(&self, name: &str) -> Mark {
        self.by_name.get(&fold(name)).copied().unwrap_or(Mark::Graph)
    }

    /// The mark of the entity that a mention is linked to; `None` if it is not linked.
    pub(crate) fn of_mention(&self, text: &str) -> Option<Mark> {
        let folded = fold(text);
        self.by_mention.get(&folded).or_else(|| self.by_name.get(&folded)).copied()
    }

    /// The mark of an entity in a chain; in a learned chain, an entity that nothing else names is marked as learned.
    pub(crate) fn in_chain(&self, chain: &Chain, entity: u32) -> Mark {
        match self.by_entity.get(entity as usize).copied().unwrap_or(Mark::Graph) {
            Mark::Graph if chain.learned() => Mark::Learned,
            mark => mark,
        }
    }

    /// The mark of the entity that a line of the answer states; of several, the first.
    pub(crate) fn of_line(&self, trace: &Trace, line: &AnswerLine) -> Mark {
        self.of_stated(trace, line, &line.entity)
    }

    /// The mark of one of the entities that a line of the answer states.
    pub(crate) fn of_stated(&self, trace: &Trace, line: &AnswerLine, entity: &str) -> Mark {
        // Of several entities, each has its own chains among those that the line cites.
        let names_it = |chain: &Chain| {
            let is_it = |node: &u32| trace.table.entities.get(*node as usize).is_some_and(|known| known.name == entity);
            line.also.is_empty() || chain.nodes().iter().any(is_it)
        };
        let learned = |id: &u32| {
            let scored = (*id as usize).checked_sub(1).and_then(|at| trace.pruning.kept.get(at));
            let chain = scored.and_then(|s| trace.table.chains.get(s.chain as usize));
            chain.is_some_and(|chain| chain.learned() && names_it(chain))
        };
        match self.of_name(entity) {
            // What was learned shows it in the answer too, also where the hypothesis had guessed it.
            Mark::Graph | Mark::Hypothesis | Mark::Corrected if line.citations.iter().any(learned) => Mark::Learned,
            mark => mark,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::graph::{ChainTable, TableEntity};
    use crate::run::{AnswerPart, Pruning, ScoredChain};

    #[test]
    fn of_several_entities_in_a_line_each_has_the_mark_of_its_own() {
        let names = ["Reflux", "Manometry", "Gastroscopy", "Stool culture"];
        let entities = names.map(|name| TableEntity { name: name.into(), kind: "test".into(), description: String::new() }).to_vec();
        let chains = [(1, false), (2, true), (3, false)].map(|(to, learned)| {
            let recorded = serde_json::json!({ "k": "path", "n": [0, to], "r": [0], "f": 1, "l": learned });
            serde_json::from_value::<Chain>(recorded).expect("a chain")
        });
        let kept = (0..3).map(|chain| ScoredChain { chain, score: 1.0, by_fragment: Vec::new() }).collect();
        let mut trace = Trace::default();
        trace.table = Arc::new(ChainTable { entities, chains: chains.to_vec(), ..ChainTable::default() });
        trace.pruning = Arc::new(Pruning { kept, ..Pruning::default() });
        let marks = Marks { by_name: HashMap::from([(fold("Stool culture"), Mark::Question)]), ..Marks::default() };
        let line = AnswerLine {
            part: AnswerPart::Tests,
            entity: names[1].into(),
            also: vec![names[2].into(), names[3].into()],
            role: None,
            text: names[1..].join(", "),
            citations: vec![1, 2, 3],
            passages: Vec::new(),
            unsupported: false,
        };
        assert_eq!([1, 2, 3].map(|at| marks.of_stated(&trace, &line, names[at])), [Mark::Graph, Mark::Learned, Mark::Question]);
        assert_eq!(marks.of_line(&trace, &line), Mark::Graph);
        let one = AnswerLine { also: Vec::new(), ..line };
        assert_eq!(marks.of_line(&trace, &one), Mark::Learned, "a line about one thing rests on all its chains");
    }
}
