//! Explains one chain.

use super::phrases::{chain, counted, entity_kind, kind, listed, origin};
use crate::run::{Explanation, Fate, Marks, Trace};
use crate::text::sanitise_line;

/// The most fragments to name, best match first.
const FRAGMENTS: usize = 5;

/// Whether a chain was kept and why, its entities, the sources of its triples, and the fragments of question and hypothesis that it matches.
pub(super) fn explain(trace: &Trace, marks: &Marks, explanation: &Explanation) -> Vec<String> {
    let number = explanation.chain;
    let Some(walk) = trace.table.chains.get(number as usize) else { return vec!["There is no such chain.".into()] };
    let mut said = vec![format!("Chain {}: {}.", number + 1, chain(&trace.table, marks, walk)), fate(trace, explanation)];
    said.push(kind(walk.kind()).into());
    let mut described: Vec<u32> = Vec::new();
    for node in walk.nodes() {
        if !described.contains(node) {
            described.push(*node);
            entity(trace, marks, explanation, *node, &mut said);
        }
    }
    for (at, (hop, triple)) in walk.hops().zip(&explanation.triples).enumerate() {
        let nodes = walk.nodes();
        let name = |node: u32| trace.table.entities.get(node as usize).map_or_else(String::new, |e| sanitise_line(&e.name));
        let (head, tail) = if hop.forward { (nodes[at], nodes[at + 1]) } else { (nodes[at + 1], nodes[at]) };
        let display = trace.table.relations.get(usize::from(hop.relation)).map_or_else(String::new, |r| sanitise_line(&r.display));
        let learned = if triple.learned { " The DKG learned it from feedback." } else { "" };
        let source = sanitise_line(&triple.source);
        said.push(format!("The source of \u{201C}{} {display} {}\u{201D} is: {source}.{learned}", name(head), name(tail)));
        if !triple.qualifiers.is_empty() {
            said.push(format!("It says more: {}.", sanitise_line(&triple.qualifiers.sentence())));
        }
    }
    fragments(trace, explanation, &mut said);
    said
}

fn fate(trace: &Trace, explanation: &Explanation) -> String {
    let of = trace.pruning.kept.len();
    match &explanation.fate {
        Fate::Kept { id, pinned } => {
            let score = trace.pruning.kept.get((*id as usize).saturating_sub(1)).map_or(0.0, |scored| scored.score);
            let pinned = if *pinned { ", and you pinned it" } else { "" };
            format!("It is kept chain {id} of {of}, with a score of {score:.2}{pinned}.")
        }
        Fate::Rejected { by } => format!("It was not kept: {}.", sanitise_line(by)),
        Fate::Outscored { score, least_kept } => {
            format!("It was not kept: its score is {score:.2}, and the lowest score of a kept chain is {least_kept:.2}.")
        }
        Fate::Alike { kept, score } => {
            format!("It was not kept: its score is {score:.2}, but it adds little to kept chain {kept}.")
        }
        Fate::PrefilteredOut { read } => {
            let read = counted(*read, "chain", "chains");
            format!("It was not kept: in a first, quick comparison {read} scored higher, and only those were compared in full.")
        }
        Fate::Undecided => "The run ended before chains were chosen, so it is neither kept nor rejected.".into(),
    }
}

fn entity(trace: &Trace, marks: &Marks, explanation: &Explanation, node: u32, said: &mut Vec<String>) {
    let Some(entity) = trace.table.entities.get(node as usize) else { return };
    let name = sanitise_line(&entity.name);
    let card = explanation.entities.iter().find(|card| card.name == name);
    let kind = entity_kind(&entity.kind);
    let from = trace.table.chains.get(explanation.chain as usize).map_or("", |chain| origin(marks.in_chain(chain, node)));
    let kind = if kind.is_empty() { "an entity".to_owned() } else { format!("of the kind {kind}") };
    let from = if from.is_empty() { "from the graph" } else { from };
    said.push(format!("{name} is {kind}, {from}."));
    if let Some(anchor) = trace.anchors.iter().find(|anchor| anchor.entity == entity.name) {
        let mention = sanitise_line(&anchor.mention);
        said.push(format!("{name} is an anchor, linked from \u{201C}{mention}\u{201D} with a score of {:.2}.", anchor.score));
    }
    if let Some(card) = card {
        said.push(format!("{name} has {} in the graph.", counted(card.triples, "triple", "triples")));
        if !card.aliases.is_empty() {
            said.push(format!("{name} is also called {}.", listed(&card.aliases)));
        }
    }
    let description = card.map(|card| card.description.as_str()).filter(|text| !text.is_empty()).unwrap_or(&entity.description);
    if !description.is_empty() {
        said.push(format!("Description of {name}: {}", sanitise_line(description)));
    }
}

/// Adds the fragments that the chain matches best.
fn fragments(trace: &Trace, explanation: &Explanation, said: &mut Vec<String>) {
    let Some(scored) = &explanation.scored else { return };
    let mut matched: Vec<(f64, &String)> = scored.by_fragment.iter().copied().zip(&trace.pruning.fragments).collect();
    // Equal scores keep the order of the text.
    matched.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    for (score, fragment) in matched.iter().take(FRAGMENTS) {
        let fragment = sanitise_line(fragment);
        said.push(format!(
            "It matches the fragment \u{201C}{fragment}\u{201D} of the question or the hypothesis with a score of {score:.2}."
        ));
    }
    if matched.len() > FRAGMENTS {
        let rest = counted((matched.len() - FRAGMENTS) as u64, "other fragment", "other fragments");
        said.push(format!("It matches {rest} less well."));
    }
}
