//! Marks show where an entity comes from (the colour code of HyKGE). Each has a sign besides its colour, so that colour is never the only
//! difference.

use std::collections::HashMap;
use std::sync::Arc;

use super::{AnchorOrigin, AnswerLine, AnswerPart, Trace};
use crate::graph::{Chain, ChainTable, Hop, LearnedTriples, triple_of};
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
    /// The graph contradicts what the hypothesis says of it. Recordings and themes call it `corrected`, although nobody corrected anything.
    Contested,
    /// Learned from feedback.
    Learned,
}

impl Mark {
    /// All marks, as the legend lists them.
    pub const ALL: [Self; 6] = [Self::Question, Self::Hypothesis, Self::Model, Self::Graph, Self::Contested, Self::Learned];

    /// The sign.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Question => "●",
            Self::Hypothesis => "○",
            Self::Model => "◇",
            Self::Graph => "◆",
            Self::Contested => "✚",
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
            Self::Contested => "contested",
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
    /// The learned triples of the chain table.
    learned: LearnedTriples,
    /// The marks that occur in the run.
    present: Vec<Mark>,
}

impl Marks {
    pub(crate) fn of(trace: &Trace) -> Self {
        let mut by_name = HashMap::new();
        // While a revision links again, the answer from before still stands, and its names keep their marks.
        let before = if trace.outcome.is_none() { trace.read_with().anchors.as_slice() } else { &[] };
        for anchor in before.iter().chain(&trace.anchors) {
            let mark = match anchor.origin {
                AnchorOrigin::Question | AnchorOrigin::Both => Mark::Question,
                AnchorOrigin::Hypothesis if anchor.by_model => Mark::Model,
                AnchorOrigin::Hypothesis => Mark::Hypothesis,
            };
            by_name.insert(fold(&anchor.entity), mark);
        }
        for entity in &trace.answer.corrected {
            by_name.insert(fold(entity), Mark::Contested);
        }
        let by_mention =
            before.iter().chain(&trace.anchors).filter_map(|a| Some((fold(&a.mention), *by_name.get(&fold(&a.entity))?))).collect();
        let by_entity: Vec<Mark> =
            trace.table.entities.iter().map(|e| by_name.get(&fold(&e.name)).copied().unwrap_or(Mark::Graph)).collect();
        let learned = trace.table.chains.iter().any(Chain::learned).then_some(Mark::Learned);
        let seen: Vec<Mark> = by_name.values().chain(&by_entity).copied().chain(learned).collect();
        let present = Mark::ALL.into_iter().filter(|mark| seen.contains(mark)).collect();
        Self { by_name, by_mention, by_entity, learned: trace.table.learned_triples(), present }
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

    /// Whether the triple of a hop was learned.
    pub(crate) fn is_learned(&self, hop: Hop) -> bool {
        self.learned.contains(&triple_of(hop))
    }

    /// Whether a chain states something learned of an entity.
    fn states_learned_of(&self, chain: &Chain, entity: u32) -> bool {
        chain.learned() && chain.hops().any(|hop| (hop.from == entity || hop.to == entity) && self.is_learned(hop))
    }

    /// The mark of an entity in a chain; an entity that nothing else names is marked as learned where what the chain states of it was.
    pub(crate) fn in_chain(&self, chain: &Chain, entity: u32) -> Mark {
        match self.by_entity.get(entity as usize).copied().unwrap_or(Mark::Graph) {
            Mark::Graph if self.states_learned_of(chain, entity) => Mark::Learned,
            mark => mark,
        }
    }

    /// Whether a line rests on something learned that a chain which it cites states: the learned triple is what the line says, not only a part of
    /// the chain beside it.
    pub(crate) fn cites_learned(&self, trace: &Trace, line: &AnswerLine, id: u32) -> bool {
        cited_chain(trace, id)
            .is_some_and(|(table, chain)| line.stated().any(|stated| self.rests_on_learned(trace, line, (table, chain), stated)))
    }

    /// The mark of the entity that a line of the answer states; of several, the first.
    pub(crate) fn of_line(&self, trace: &Trace, line: &AnswerLine) -> Mark {
        self.of_stated(trace, line, &line.entity)
    }

    /// The mark of one of the entities that a line of the answer states.
    pub(crate) fn of_stated(&self, trace: &Trace, line: &AnswerLine, entity: &str) -> Mark {
        // Of several entities, each has its own chains among those that the line cites; and of a chain, what it states of the entity.
        let learned = |id: &u32| cited_chain(trace, *id).is_some_and(|cited| self.rests_on_learned(trace, line, cited, entity));
        match self.of_name(entity) {
            // The sentence that answers is about a condition, and names what was learned of it: its citation has the sign.
            mark if line.part == AnswerPart::Summary => mark,
            // What was learned shows it in the answer too, also where the hypothesis had guessed it.
            Mark::Graph | Mark::Hypothesis | Mark::Contested if line.citations.iter().any(learned) => Mark::Learned,
            mark => mark,
        }
    }

    /// Whether what a line says of one of its entities is what a learned triple of a cited chain states. Where the line names other entities of
    /// the chain, too, the triple must be between two that it names.
    fn rests_on_learned(&self, trace: &Trace, line: &AnswerLine, (table, chain): (&ChainTable, &Chain), entity: &str) -> bool {
        // What comes from an entity's own entry cites only why the entity is named.
        if line.part == AnswerPart::Care || !chain.learned() {
            return false;
        }
        let name = |node: u32| table.entities.get(node as usize).map(|known| known.name.as_str());
        let Some(node) = chain.nodes().iter().copied().find(|node| name(*node) == Some(entity)) else { return line.also.is_empty() };
        let text = fold(&line.text);
        let says = |other: u32| {
            name(other).is_some_and(|other| line.stated().any(|stated| stated == other) || text.contains(&fold(other))) && other != node
        };
        let names_others = chain.nodes().iter().any(|other| says(*other));
        let is_learned =
            |hop: Hop| if same_table(trace, table) { self.is_learned(hop) } else { table.learned_triples().contains(&triple_of(hop)) };
        let says_end = |hop: &Hop| !names_others || says(if hop.from == node { hop.to } else { hop.from });
        chain.hops().filter(|hop| hop.from == node || hop.to == node).filter(says_end).any(is_learned)
    }
}

/// Whether a table is that of the chains that are kept now.
fn same_table(trace: &Trace, table: &ChainTable) -> bool {
    std::ptr::eq(Arc::as_ptr(&trace.table), table)
}

/// The chain that a citation refers to, from 1, with its table: of the evidence that the answer was written from.
fn cited_chain(trace: &Trace, id: u32) -> Option<(&ChainTable, &Chain)> {
    let (table, pruning) = match &trace.evidence {
        Some(evidence) => (&evidence.table, &evidence.pruning),
        None => (&trace.table, &trace.pruning),
    };
    let scored = (id as usize).checked_sub(1).and_then(|at| pruning.kept.get(at))?;
    Some((table.as_ref(), table.chains.get(scored.chain as usize)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::TableEntity;
    use crate::run::{Pruning, ScoredChain};

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
        let learned = trace.table.learned_triples();
        let marks = Marks { by_name: HashMap::from([(fold("Stool culture"), Mark::Question)]), learned, ..Marks::default() };
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

    #[test]
    fn in_a_learned_chain_only_what_its_learned_triple_is_about_is_marked() {
        let names = ["Fibrosis", "Newdrug", "Oxygen"];
        let entities = names.map(|name| TableEntity { name: name.into(), kind: "drug".into(), description: String::new() }).to_vec();
        let chain = |nodes: &[u32], forward: u8, learned: bool| {
            let relations = vec![0; nodes.len() - 1];
            let recorded = serde_json::json!({ "k": "path", "n": nodes, "r": relations, "f": forward, "l": learned });
            serde_json::from_value::<Chain>(recorded).expect("a chain")
        };
        // Newdrug → treats → Fibrosis ← treats ← Oxygen: the first was learned, the second is the graph's own.
        let chains = vec![chain(&[1, 0, 2], 1, true), chain(&[2, 0], 1, false)];
        for noted in [vec![(1, 0, 0)], Vec::new()] {
            let mut trace = Trace::default();
            let table = ChainTable { entities: entities.clone(), chains: chains.clone(), learned: noted, ..ChainTable::default() };
            trace.table = Arc::new(table);
            let marks = Marks::of(&trace);
            let learned = &trace.table.chains[0];
            assert_eq!((marks.in_chain(learned, 1), marks.in_chain(learned, 2)), (Mark::Learned, Mark::Graph));
            assert_eq!(learned.hops().map(|hop| marks.is_learned(hop)).collect::<Vec<_>>(), [true, false]);
            assert_eq!(marks.in_chain(&trace.table.chains[1], 2), Mark::Graph);
        }
    }

    #[test]
    fn only_a_line_that_says_what_a_learned_triple_states_has_its_mark() {
        let names = ["Muscle pain", "Pravastatin", "Myopathy", "Ezetimibe", "Thyroid test"];
        let entities = names.map(|name| TableEntity { name: name.into(), kind: "drug".into(), description: String::new() }).to_vec();
        let chain = |nodes: &[u32], forward: u8, learned: bool| {
            let relations = vec![0; nodes.len() - 1];
            let recorded = serde_json::json!({ "k": "path", "n": nodes, "r": relations, "f": forward, "l": learned });
            serde_json::from_value::<Chain>(recorded).expect("a chain")
        };
        // Muscle pain ← Pravastatin → Myopathy → Thyroid test: the middle was learned. And Ezetimibe → Myopathy.
        let chains = vec![chain(&[0, 1, 2, 4], 0b110, true), chain(&[3, 2], 1, false)];
        let kept = (0..2).map(|chain| ScoredChain { chain, score: 1.0, by_fragment: Vec::new() }).collect();
        let mut trace = Trace::default();
        trace.table = Arc::new(ChainTable { entities, chains, learned: vec![(1, 0, 2)], ..ChainTable::default() });
        trace.pruning = Arc::new(Pruning { kept, ..Pruning::default() });
        let marks = Marks::of(&trace);
        let line = |part: AnswerPart, entity: &str, also: &[&str], text: &str| AnswerLine {
            part,
            entity: entity.into(),
            also: also.iter().map(|name| (*name).to_owned()).collect(),
            role: None,
            text: text.into(),
            citations: vec![1, 2],
            passages: Vec::new(),
            unsupported: false,
        };
        let taught = line(AnswerPart::Treatments, "Pravastatin", &["Ezetimibe"], "Pravastatin and Ezetimibe: treatments of Myopathy");
        assert_eq!([names[1], names[3]].map(|name| marks.of_stated(&trace, &taught, name)), [Mark::Learned, Mark::Graph]);
        assert_eq!([1, 2].map(|id| marks.cites_learned(&trace, &taught, id)), [true, false]);
        let headline = line(AnswerPart::Summary, "Myopathy", &[], "For Myopathy: pravastatin and Ezetimibe.");
        assert_eq!([1, 2].map(|id| marks.cites_learned(&trace, &headline, id)), [true, false]);
        assert_eq!(marks.of_line(&trace, &headline), Mark::Graph, "the condition is not what was learned");
        let care = line(AnswerPart::Care, "Myopathy", &[], "Myopathy: rest; Pravastatin later.");
        let test = line(AnswerPart::Tests, "Thyroid test", &[], "Thyroid test: test for Myopathy");
        let side_effect = line(AnswerPart::Cautions, "Pravastatin", &[], "Pravastatin: may cause Muscle pain");
        let without = line(AnswerPart::Summary, "Myopathy", &[], "For Myopathy: Ezetimibe. Thyroid test later.");
        for said in [&care, &test, &side_effect, &without] {
            assert!(!marks.cites_learned(&trace, said, 1), "{}", said.text);
            assert_eq!(marks.of_line(&trace, said), Mark::Graph, "{}", said.text);
        }
    }
}
