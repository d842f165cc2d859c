//! Composes an answer: the planned lines with the kept chains that prove them. What no kept chain states is not said.

use std::collections::BTreeSet;

use super::plan::{Plan, PlannedLine};
use crate::graph::{Chain, EntityId, EvolvingGraph, FoundChains, Hop};
use crate::run::event::{Answer, AnswerLine, AnswerPart, Pruning};

/// The most chains that a line cites: what a condition's line names at most (four findings and four reasons), each by itself and by a class of it.
const CITATIONS: usize = 16;

/// The kept chains, to find those that state something.
pub(crate) struct KeptChains<'a> {
    chains: Vec<(u32, &'a Chain)>,
}

impl<'a> KeptChains<'a> {
    /// The kept chains with their ids.
    pub(crate) fn of(found: &'a FoundChains, pruning: &Pruning) -> Self {
        let kept = pruning.kept.iter().zip(1u32..);
        Self { chains: kept.filter_map(|(scored, id)| Some((id, found.chains.get(scored.chain as usize)?))).collect() }
    }

    /// The id of the kept chain that states every triple of a proof, one after the other, with the least beside it; of several, the best.
    pub(crate) fn stating(&self, proof: &Chain) -> Option<u32> {
        self.chains.iter().filter(|(_, chain)| states(chain, proof)).min_by_key(|(_, chain)| chain.len()).map(|(id, _)| *id)
    }
}

/// Whether a chain holds all triples of another, next to each other and in the same order, read from either end.
pub(crate) fn states(chain: &Chain, proof: &Chain) -> bool {
    let holds = |proof: &Chain| {
        let (hops, wanted): (Vec<Hop>, Vec<Hop>) = (chain.hops().collect(), proof.hops().collect());
        !wanted.is_empty() && hops.windows(wanted.len()).any(|window| window == wanted.as_slice())
    };
    holds(proof) || holds(&proof.reversed())
}

/// The proofs of a plan that no kept chain states, each once, in the order of the lines.
pub(crate) fn missing(plan: &Plan, kept: &KeptChains<'_>, belongs: impl Fn(&PlannedLine) -> bool) -> Vec<Chain> {
    let mut missing: Vec<Chain> = Vec::new();
    for proof in plan.lines.iter().filter(|line| belongs(line)).flat_map(|line| &line.proofs) {
        let is_there = kept.stating(proof).is_some() || missing.iter().any(|chain| states(chain, proof));
        if !is_there {
            missing.push(*proof);
        }
    }
    missing
}

/// What is composed of a plan.
pub(crate) struct Composed {
    pub(crate) lines: Vec<AnswerLine>,
    /// Entities that the lines state as results, in their order.
    pub(crate) entities: Vec<String>,
    /// Entities of folded lines.
    pub(crate) more: Vec<String>,
}

/// The planned lines that `belongs` accepts, with their citations. A line whose proofs are not kept (the doctor rejected them) is left
/// out, and of one of several results or clauses what is not proven.
pub(crate) fn cited(graph: &EvolvingGraph, plan: &Plan, kept: &KeptChains<'_>, belongs: impl Fn(&PlannedLine) -> bool) -> Composed {
    let name = |entity: EntityId| graph.entity_name(entity).to_owned();
    let mut composed = Composed { lines: Vec::new(), entities: Vec::new(), more: plan.more.iter().copied().map(name).collect() };
    let mut stated = BTreeSet::new();
    for line in plan.lines.iter().filter(|line| belongs(line)) {
        // What is stored about safety is said as long as any chain states it.
        let may_be_stated = |proof: &Chain| line.part == AnswerPart::Safety || !plan.is_rejected(proof);
        let stating = |proof: &Chain| kept.stating(proof).filter(|_| may_be_stated(proof));
        let is_kept = |proof: &Chain| stating(proof).is_some();
        let is_part = |proof: &&Chain| line.clauses.as_ref().is_none_or(|clauses| clauses.rests_on(proof, &is_kept));
        let mut citations: Vec<u32> = line.proofs.iter().filter(is_part).filter_map(stating).collect();
        let mut seen = BTreeSet::new();
        citations.retain(|id| seen.insert(*id));
        // Of results that stand together each has its own proof.
        let together = line.together.as_ref().filter(|together| together.items.len() > 1);
        citations.truncate(together.map_or(CITATIONS, |together| together.items.len()));
        // A caution is no proof of what it stands beside: without its first proof, what is offered is not offered.
        let is_unproven = line.needs_care && line.proofs.first().is_some_and(|claim| !is_kept(claim));
        if is_unproven || !line.proofs.is_empty() && citations.is_empty() {
            continue;
        }
        let text = || line.clauses.as_ref().map_or_else(|| line.text.clone(), |clauses| clauses.text(&is_kept));
        let whole = || (line.entity.into_iter().collect(), text());
        let proven = together.and_then(|together| together.proven(is_kept));
        let is_listed = |entity: &EntityId| together.is_some_and(|together| together.items.iter().any(|item| item.entity == *entity));
        let is_stated = |entity: &EntityId| !is_listed(entity) || proven.as_ref().is_none_or(|(proven, _)| proven.contains(entity));
        let leaves_out = |entity: &EntityId| line.clauses.as_ref().is_some_and(|clauses| clauses.leaves_out(*entity, &is_kept));
        let (entity, other) = (line.entity.filter(is_stated), line.other.filter(is_stated).filter(|other| !leaves_out(other)));
        let (entities, text): (Vec<EntityId>, String) = match proven {
            // The sentence states what it is about first; a list states its results.
            Some((_, text)) if line.part == AnswerPart::Summary => (entity.into_iter().collect(), text),
            proven => proven.unwrap_or_else(whole),
        };
        // What is done for a condition besides is no result of its own.
        let results = entities.iter().copied().chain(other).filter(|_| line.part != AnswerPart::Care);
        for entity in results {
            if stated.insert(entity) {
                composed.entities.push(name(entity));
            }
        }
        let mut entities = entities.into_iter().map(name);
        composed.lines.push(AnswerLine {
            part: line.part,
            entity: entities.next().unwrap_or_default(),
            also: entities.collect(),
            role: line.role,
            text,
            citations,
            passages: Vec::new(),
            unsupported: false,
        });
    }
    composed.more.retain(|entity| !composed.entities.contains(entity));
    composed
}

/// Whether a part stands above the details, whoever writes these.
pub(crate) fn is_preamble(part: AnswerPart) -> bool {
    matches!(part, AnswerPart::Emergency | AnswerPart::ReadAs | AnswerPart::NotUnderstood | AnswerPart::Safety)
}

/// Lines as text, one a line, with their citations.
pub(crate) fn text_of(lines: &[AnswerLine]) -> String {
    let mut text = String::new();
    for line in lines {
        if line.part.has_heading() {
            text.push_str("- ");
        }
        text.push_str(&line.text);
        if !line.citations.is_empty() || !line.passages.is_empty() {
            text.push(' ');
        }
        line.citations.iter().for_each(|id| text.push_str(&format!("[{id}]")));
        line.passages.iter().for_each(|id| text.push_str(&format!("[{id}]")));
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text
}

/// Whether a line answers: it rests on evidence, or says that nothing is stored of two things that were both understood. What only says how the
/// question was read, or what was not understood, is no answer.
fn answers(line: &AnswerLine) -> bool {
    // What to do about an accident is the graph's entry of it; about a value, or after a procedure, a table says it.
    let is_care = line.part == AnswerPart::Care && line.role.is_none();
    !line.citations.is_empty() || is_care || (line.part == AnswerPart::Safety && line.role.is_none() && !line.entity.is_empty())
}

/// The answer of planned lines alone.
pub(crate) fn answer(composed: Composed, corrected: Vec<String>) -> Answer {
    let citations: BTreeSet<u32> = composed.lines.iter().flat_map(|line| line.citations.iter().copied()).collect();
    Answer {
        text: text_of(&composed.lines),
        entities: composed.entities,
        citations: citations.into_iter().collect(),
        passages: Vec::new(),
        corrected,
        grounded: composed.lines.iter().any(answers),
        lines: composed.lines,
        by_model: false,
        more: composed.more,
        refining: false,
    }
}

/// Puts lines above an answer that a method wrote.
pub(crate) fn above(preamble: Composed, mut answer: Answer) -> Answer {
    let above = text_of(&preamble.lines);
    if above.is_empty() {
        return answer;
    }
    let citations: BTreeSet<u32> =
        preamble.lines.iter().flat_map(|line| line.citations.iter().copied()).chain(answer.citations.iter().copied()).collect();
    answer.text = if answer.text.is_empty() { above } else { format!("{above}\n{}{}", separator(), answer.text) };
    answer.citations = citations.into_iter().collect();
    answer.grounded |= preamble.lines.iter().any(answers);
    answer.lines = preamble.lines.into_iter().chain(answer.lines).collect();
    let mut entities = preamble.entities;
    entities.extend(answer.entities.into_iter().filter(|entity| !entities.contains(entity)).collect::<Vec<_>>());
    answer.entities = entities;
    answer
}

/// What separates the lines above from a method's own text.
pub(crate) fn separator() -> &'static str {
    "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_chains_that_state_a_proof_the_one_that_says_the_least_else_is_cited() {
        let chain = |steps: &[(u16, bool, u32)], start: u32| {
            let mut chain = Chain::start(start);
            steps.iter().for_each(|(relation, forward, node)| chain.push(*relation, *forward, *node));
            chain
        };
        let proof = chain(&[(1, true, 2)], 1);
        let roundabout = chain(&[(1, false, 1), (2, false, 3), (3, true, 4)], 2);
        let (direct, again) = (proof.reversed(), proof);
        let kept = KeptChains { chains: vec![(1, &roundabout), (2, &direct), (3, &again)] };
        assert_eq!(kept.stating(&proof), Some(2), "of two as short, the better one");
        let kept = KeptChains { chains: vec![(1, &roundabout)] };
        assert_eq!(kept.stating(&proof), Some(1), "where nothing shorter is kept");
        assert_eq!(kept.stating(&chain(&[(4, true, 2)], 1)), None);
    }
}
