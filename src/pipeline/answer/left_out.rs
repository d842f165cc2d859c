//! What was learned or what the hypothesis proposed, and the answer leaves out although the graph knows it: the first of it, and why it was not kept.

use crate::graph::{Chain, Hop, triple_of};
use crate::run::{AnchorOrigin, AnswerPart, AskKind, Outcome, Trace};
use crate::text::{fold, sanitise_line};
use crate::words::{Language, words};

/// Something that the hypothesis proposed or that was learned, with a chain that would bring it into the evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// The entity, by name; of what was learned, the triple.
    pub(crate) entity: String,
    /// Whether it was learned: who taught it looks for it.
    pub(crate) is_learned: bool,
    /// The chain's number in the table of the run.
    pub(crate) chain: u32,
    /// The score of the chain and that of the last one kept, in hundredths; `None` if it was not compared closely.
    scores: Option<(i64, i64)>,
}

impl LeftOut {
    /// The best anchor of the hypothesis that fits what is asked and that neither answer nor kept chains name. Of those whose chains the
    /// doctor rejected, nothing is said.
    pub(crate) fn of(trace: &Trace) -> Option<Self> {
        if trace.outcome != Some(Outcome::Answered) || trace.answer.by_model {
            return None;
        }
        if let Some(learned) = Self::learned(trace) {
            return Some(learned);
        }
        let said = fold(&trace.answer.text);
        let is_kept = |name: &str| {
            let is_it = |node: &u32| trace.table.entities.get(*node as usize).is_some_and(|entity| entity.name == name);
            trace.kept().any(|(_, _, chain)| chain.nodes().iter().any(is_it))
        };
        let proposed = trace.anchors.iter().filter(|anchor| anchor.origin == AnchorOrigin::Hypothesis && is_asked(trace, &anchor.kind));
        let mut left_out = proposed.filter(|anchor| !trace.answer.more.contains(&anchor.entity) && !is_kept(&anchor.entity));
        left_out.find_map(|anchor| if said.contains(&fold(&anchor.entity)) { None } else { Self::with_chain(trace, &anchor.entity) })
    }

    /// The first learned triple about something in the question, or about the condition that the answer puts first, that a chain states which was found,
    /// and no kept one; with its best chain.
    fn learned(trace: &Trace) -> Option<Self> {
        let table = &trace.table;
        if !table.chains.iter().any(Chain::learned) {
            return None;
        }
        let learned = table.learned_triples();
        let name = |node: u32| table.entities.get(node as usize).map(|entity| entity.name.as_str());
        let asked = |node: u32| {
            let is_asked =
                |anchor: &crate::run::Anchor| anchor.origin != AnchorOrigin::Hypothesis && Some(anchor.entity.as_str()) == name(node);
            trace.anchors.iter().any(is_asked) || first_named(trace).is_some_and(|first| Some(first) == name(node))
        };
        let kept: Vec<Hop> = trace.kept().flat_map(|(_, _, chain)| chain.hops().collect::<Vec<_>>()).collect();
        let is_new = |hop: &Hop| {
            let triple = triple_of(*hop);
            learned.contains(&triple) && (asked(hop.from) || asked(hop.to)) && !kept.iter().any(|kept| triple_of(*kept) == triple)
        };
        let hop = |number: u32| {
            let chain = table.chains.get(number as usize).filter(|chain| chain.learned())?;
            let is_rejected = trace.triage.verdict(table, chain).reason().is_some();
            chain.hops().find(|hop| !is_rejected && is_new(hop))
        };
        let compared = trace.pruning.runners_up.iter().map(|scored| scored.chain);
        let (chain, hop) = compared.chain(0..table.chains.len() as u32).find_map(|number| Some((number, hop(number)?)))?;
        // What it states by itself is what is pinned, if it was found by itself.
        let alone = |number: &u32| {
            table
                .chains
                .get(*number as usize)
                .is_some_and(|chain| chain.len() == 1 && chain.hops().any(|one| triple_of(one) == triple_of(hop)))
        };
        let chain = (0..table.chains.len() as u32).find(alone).unwrap_or(chain);
        let (head, tail) = if hop.forward { (hop.from, hop.to) } else { (hop.to, hop.from) };
        let relation = &table.relations.get(usize::from(hop.relation))?.display;
        let entity = format!("{} → {relation} → {}", name(head)?, name(tail)?);
        Some(Self { entity, is_learned: true, chain, scores: None })
    }

    /// The entity with its best chain: the best of those compared closely, else the first that was found.
    fn with_chain(trace: &Trace, entity: &str) -> Option<Self> {
        let node = trace.table.entities.iter().position(|known| known.name == entity)? as u32;
        let has_it = |number: u32| {
            let chain = trace.table.chains.get(number as usize);
            chain.is_some_and(|chain| {
                let ends = [chain.nodes()[0], chain.nodes()[chain.len()]];
                ends.contains(&node) && trace.triage.verdict(&trace.table, chain).reason().is_none()
            })
        };
        let pruning = &trace.pruning;
        let hundredths = |score: f64| (score * 100.0).round() as i64;
        if let Some(scored) = pruning.runners_up.iter().find(|scored| has_it(scored.chain)) {
            let lowest = pruning.kept.last().map_or(0, |kept| hundredths(kept.score));
            return Some(Self {
                entity: entity.to_owned(),
                is_learned: false,
                chain: scored.chain,
                scores: Some((hundredths(scored.score), lowest)),
            });
        }
        let chain = (0..trace.table.chains.len() as u32).find(|number| has_it(*number))?;
        Some(Self { entity: entity.to_owned(), is_learned: false, chain, scores: None })
    }

    /// What the graph also knows, and why it was not kept; without a full stop.
    pub(crate) fn sentence(&self, l: Language) -> String {
        let name = sanitise_line(&self.entity);
        match self.scores {
            _ if self.is_learned => words!(l, "Learned and found, but other chains fit better: {name}", name = name),
            Some((score, lowest)) if score < lowest => {
                let [score, lowest] = [score, lowest].map(|hundredths| format!("{:.2}", hundredths as f64 / 100.0));
                words!(
                    l,
                    "The graph also knows {name}, not kept because its best chain scores {score} and the last one kept {lowest}",
                    name = name,
                    score = score,
                    lowest = lowest
                )
            }
            Some(_) => words!(l, "The graph also knows {name}, not kept because its chain adds little to those kept", name = name),
            None => words!(l, "The graph also knows {name}, not kept because other chains fit the question better", name = name),
        }
    }

    /// The same in fewer words.
    pub(crate) fn brief(&self, l: Language) -> String {
        let name = sanitise_line(&self.entity);
        match self.is_learned {
            true => words!(l, "Learned but not kept: {name}", name = name),
            false => words!(l, "The graph also knows {name}, but others fit better", name = name),
        }
    }

    /// The same in the fewest words.
    pub(crate) fn short(&self, l: Language) -> String {
        match self.is_learned {
            true => words!(l, "Learned but not kept: a fact").to_owned(),
            false => words!(l, "The graph also knows {name}", name = sanitise_line(&self.entity)),
        }
    }
}

/// The condition that the answer puts first: what it says is about that, whether the question names it or not.
fn first_named(trace: &Trace) -> Option<&str> {
    let line = trace.answer.lines.iter().find(|line| line.part == AnswerPart::Conditions && !line.entity.is_empty());
    line.map(|line| line.entity.as_str())
}

/// Whether an entity of a kind can be part of what is asked; all can where nothing is asked in particular.
fn is_asked(trace: &Trace, kind: &str) -> bool {
    let asked = trace.case.asked();
    let any = |kinds: &[AskKind]| asked.is_empty() || asked.iter().any(|kind| kinds.contains(kind));
    match kind {
        "drug" | "drug_class" | "treatment" => any(&[AskKind::Treatment, AskKind::Prevention]),
        "test" => any(&[AskKind::Tests, AskKind::Monitoring]),
        "disease" => any(&[AskKind::Diagnosis, AskKind::Causes]),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::graph::{Chain, ChainTable, TableEntity};
    use crate::run::{Anchor, Answer, ChainKey, Pruning, ScoredChain, Triage};

    fn trace() -> Trace {
        let entity = |name: &str| TableEntity { name: name.into(), kind: String::new(), description: String::new() };
        let chain = |to: u32| {
            let mut chain = Chain::start(0);
            chain.push(0, true, to);
            chain
        };
        let anchor = |name: &str, kind: &str, origin| Anchor {
            entity: name.into(),
            kind: kind.into(),
            score: 1.0,
            origin,
            mention: name.into(),
            by_model: false,
        };
        let scored = |chain, score| ScoredChain { chain, score, by_fragment: Vec::new() };
        let mut trace = Trace::default();
        trace.outcome = Some(Outcome::Answered);
        trace.table = Arc::new(ChainTable {
            entities: ["Reflux", "Antacid", "Sucralfate", "Mosapride"].map(entity).to_vec(),
            chains: vec![chain(1), chain(2), chain(3)],
            ..ChainTable::default()
        });
        trace.anchors = vec![
            anchor("Reflux", "disease", AnchorOrigin::Both),
            anchor("Antacid", "drug", AnchorOrigin::Hypothesis),
            anchor("Sucralfate", "drug", AnchorOrigin::Hypothesis),
            anchor("Mosapride", "drug", AnchorOrigin::Hypothesis),
        ];
        trace.pruning = Arc::new(Pruning { kept: vec![scored(0, 0.5)], runners_up: vec![scored(1, 0.25)], ..Pruning::default() });
        trace.answer = Answer { text: "Antacid treats reflux [1]".into(), ..Answer::default() };
        trace
    }

    #[test]
    fn what_was_learned_about_the_question_and_not_kept_is_named_first() {
        let mut trace = trace();
        let learned = |nodes: &[u32], forward: u8| {
            let relations = vec![0; nodes.len() - 1];
            let recorded = serde_json::json!({ "k": "path", "n": nodes, "r": relations, "f": forward, "l": true });
            serde_json::from_value::<Chain>(recorded).expect("a chain")
        };
        let relation = |display: &str| crate::graph::TableRelation {
            name: display.into(),
            display: display.into(),
            role: crate::graph::Role::Treatment,
            player: crate::graph::Player::Head,
        };
        // Mosapride → treats → Reflux was learned; Mosapride → treats → Sucralfate, too, but nobody asked about that.
        let table = Arc::make_mut(&mut trace.table);
        table.relations = vec![relation("treats")];
        table.chains.extend([learned(&[3, 2], 1), learned(&[0, 3, 2], 0b10), learned(&[3, 0], 1)]);
        table.learned = vec![(3, 0, 0), (3, 0, 2)];
        let left_out = LeftOut::of(&trace).expect("it was found");
        assert_eq!((left_out.entity.as_str(), left_out.chain), ("Mosapride → treats → Reflux", 5));
        assert_eq!(left_out.sentence(Language::English), "Learned and found, but other chains fit better: Mosapride → treats → Reflux");
        assert_eq!(left_out.brief(Language::English), "Learned but not kept: Mosapride → treats → Reflux");
        // It is about what the answer puts first, too, although only the hypothesis named that; but not about what stands below.
        trace.anchors[0].origin = AnchorOrigin::Hypothesis;
        let line = |entity: &str| crate::run::AnswerLine {
            part: AnswerPart::Conditions,
            entity: entity.into(),
            also: Vec::new(),
            role: None,
            text: entity.into(),
            citations: Vec::new(),
            passages: Vec::new(),
            unsupported: false,
        };
        for (lines, is_said) in [(["Reflux", "Antacid"], true), (["Antacid", "Reflux"], false)] {
            trace.answer.lines = lines.map(line).to_vec();
            assert_eq!(LeftOut::of(&trace).is_some_and(|left_out| left_out.is_learned), is_said, "{lines:?}");
        }
        trace.answer.lines.clear();
        trace.anchors[0].origin = AnchorOrigin::Both;
        // Once a chain that states it is kept, nothing of the kind is said.
        let kept = ScoredChain { chain: 4, score: 0.4, by_fragment: Vec::new() };
        Arc::make_mut(&mut trace.pruning).kept.push(kept);
        assert_eq!(LeftOut::of(&trace).map(|left_out| left_out.entity), None);
    }

    #[test]
    fn the_first_that_is_left_out_is_named_with_the_reason() {
        let mut trace = trace();
        let left_out = LeftOut::of(&trace).expect("sucralfate is left out");
        assert_eq!((left_out.entity.as_str(), left_out.chain), ("Sucralfate", 1));
        let said = left_out.sentence(Language::English);
        assert_eq!(said, "The graph also knows Sucralfate, not kept because its best chain scores 0.25 and the last one kept 0.50");
        // What the doctor rejected is not offered again; the next is.
        let key = ChainKey::of(&trace.table, &trace.table.chains[1]);
        let mut triage = Triage::default();
        triage.reject(key);
        trace.triage = Arc::new(triage);
        assert_eq!(LeftOut::of(&trace).map(|left_out| left_out.entity), Some("Mosapride".into()));
        // An answer that names all leaves nothing out.
        trace.answer.text = "antacid, sucralfate and mosapride".into();
        assert_eq!(LeftOut::of(&trace), None);
    }
}
