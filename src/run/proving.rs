//! Which steps of a kept chain prove the lines that cite it: a long chain says more than a line does.

use super::{AnswerLine, AnswerPart, Trace};
use crate::text::fold;

/// For each step of a kept chain, by its id, whether a line that cites it says what it states; empty where all do, or none can be told.
pub(crate) fn proving_steps(trace: &Trace, id: u32) -> Vec<bool> {
    let Some((_, _, chain)) = trace.kept().find(|(known, ..)| *known == id) else { return Vec::new() };
    let name = |node: u32| trace.table.entities.get(node as usize).map(|entity| entity.name.as_str());
    // What comes from an entity's own entry is proven by no chain.
    let cites = |line: &&AnswerLine| line.part != AnswerPart::Care && line.citations.contains(&id);
    let said: Vec<(&AnswerLine, String)> = trace.answer.lines.iter().filter(cites).map(|line| (line, fold(&line.text))).collect();
    let says = |(line, text): &(&AnswerLine, String), node: u32| {
        name(node).is_some_and(|name| line.stated().any(|stated| stated == name) || text.contains(&fold(name)))
    };
    let steps: Vec<bool> = chain.hops().map(|hop| said.iter().any(|line| says(line, hop.from) && says(line, hop.to))).collect();
    let differ = steps.contains(&true) && steps.contains(&false);
    if differ { steps } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::graph::{Chain, ChainTable, TableEntity};
    use crate::run::{Pruning, ScoredChain};

    #[test]
    fn the_step_that_a_line_says_is_told_from_the_rest_of_the_chain() {
        let entity = |name: &str| TableEntity { name: name.into(), kind: String::new(), description: String::new() };
        let mut chain = Chain::start(0);
        chain.push(0, true, 1);
        chain.push(1, false, 2);
        let mut trace = Trace::default();
        trace.table = Arc::new(ChainTable {
            entities: ["Pancreatic cancer", "Dark urine", "Hepatitis"].map(entity).to_vec(),
            chains: vec![chain],
            ..ChainTable::default()
        });
        let kept = vec![ScoredChain { chain: 0, score: 1.0, by_fragment: Vec::new() }];
        trace.pruning = Arc::new(Pruning { kept, ..Pruning::default() });
        let line = |part, entity: &str, text: &str| AnswerLine {
            part,
            entity: entity.into(),
            also: Vec::new(),
            role: None,
            text: text.into(),
            citations: vec![1],
            passages: Vec::new(),
            unsupported: false,
        };
        assert!(proving_steps(&trace, 1).is_empty(), "no line cites it");
        trace.answer.lines = vec![line(AnswerPart::Conditions, "Hepatitis", "Hepatitis: explains dark urine")];
        assert_eq!(proving_steps(&trace, 1), [false, true]);
        trace.answer.lines.push(line(AnswerPart::Care, "Pancreatic cancer", "Pancreatic cancer: dark urine: see today"));
        assert_eq!(proving_steps(&trace, 1), [false, true], "an entry is proven by no chain");
        trace.answer.lines.push(line(AnswerPart::Conditions, "Pancreatic cancer", "Pancreatic cancer: explains dark urine"));
        assert!(proving_steps(&trace, 1).is_empty(), "all of it is said");
        assert!(proving_steps(&trace, 2).is_empty());
    }
}
