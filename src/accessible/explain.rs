//! Explains one chain.

use super::phrases::{chain, entity_kind, kind, origin};
use crate::run::{Explanation, Fate, Marks, Taught, Trace};
use crate::text::sanitise_line;
use crate::words::{Language, counted_words, words};

/// The most fragments to name, best match first.
const FRAGMENTS: usize = 5;

/// Whether a chain was kept and why, its entities, the sources of its triples, and the fragments of question and hypothesis that it matches.
pub(super) fn explain(trace: &Trace, marks: &Marks, explanation: &Explanation, l: Language) -> Vec<String> {
    let number = explanation.chain;
    let Some(walk) = trace.table.chains.get(number as usize) else { return vec![words!(l, "There is no such chain.").into()] };
    let mut said = vec![
        words!(l, "Chain {number}: {text}.", number = number + 1, text = chain(&trace.table, marks, walk, l)),
        fate(trace, explanation, l),
    ];
    if let Some(taught) = &explanation.taught {
        by_ratings(taught, &mut said, l);
    }
    said.push(l.known(kind(walk.kind())).into());
    let mut described: Vec<u32> = Vec::new();
    for node in walk.nodes() {
        if !described.contains(node) {
            described.push(*node);
            entity(trace, marks, explanation, *node, &mut said, l);
        }
    }
    for (at, (hop, triple)) in walk.hops().zip(&explanation.triples).enumerate() {
        let nodes = walk.nodes();
        let name = |node: u32| trace.table.entities.get(node as usize).map_or_else(String::new, |e| sanitise_line(&e.name));
        let (head, tail) = if hop.forward { (nodes[at], nodes[at + 1]) } else { (nodes[at + 1], nodes[at]) };
        let display = trace.table.relations.get(usize::from(hop.relation)).map_or_else(String::new, |r| sanitise_line(&r.display));
        let learned = if triple.learned { words!(l, " The DKG learned it from feedback.") } else { "" };
        let source = sanitise_line(&triple.source);
        let triple_text = format!("{} {display} {}", name(head), name(tail));
        said.push(words!(l, "The source of “{triple}” is: {source}.{learned}", triple = triple_text, source = source, learned = learned));
        if !triple.qualifiers.is_empty() {
            said.push(words!(l, "It says more: {text}.", text = sanitise_line(&triple.qualifiers.sentence())));
        }
    }
    fragments(trace, explanation, &mut said, l);
    said
}

/// What earlier ratings did about it.
fn by_ratings(taught: &Taught, said: &mut Vec<String>, l: Language) {
    if let Some(record) = taught.pinned_by {
        said.push(words!(l, "Record {record} pins it for questions like this one.", record = record));
    }
    if taught.good + taught.bad > 0 {
        let (added, good, bad) = (format!("{:+.2}", taught.added), taught.good, taught.bad);
        said.push(words!(
            l,
            "Answers that cite it were rated good {good} times and bad {bad} times, which adds {added} to its score.",
            good = good,
            bad = bad,
            added = added
        ));
    }
}

fn fate(trace: &Trace, explanation: &Explanation, l: Language) -> String {
    let of = trace.pruning.kept.len();
    match &explanation.fate {
        Fate::Kept { id, pinned } => {
            let score = trace.pruning.kept.get((*id as usize).saturating_sub(1)).map_or(0.0, |scored| scored.score);
            let (score, pinned) = (format!("{score:.2}"), if *pinned { words!(l, ", and you pinned it") } else { "" });
            words!(l, "It is kept chain {id} of {of}, with a score of {score}{pinned}.", id = id, of = of, score = score, pinned = pinned)
        }
        Fate::Rejected { by } => words!(l, "It was not kept: {reason}.", reason = l.known(&sanitise_line(by))),
        Fate::Outscored { score, least_kept } => {
            let (score, better) = (format!("{score:.2}"), format!("{least_kept:.2}"));
            words!(
                l,
                "It was not kept: its score is {score}, and the next better chain that was kept has {better}.",
                score = score,
                better = better
            )
        }
        Fate::Alike { kept, score } => {
            let score = format!("{score:.2}");
            words!(l, "It was not kept: its score is {score}, but it adds little to kept chain {kept}.", score = score, kept = kept)
        }
        Fate::PrefilteredOut { read } => {
            let read = counted_words!(l, *read, "chain", "chains");
            words!(
                l,
                "It was not kept: in a first, quick comparison {read} scored higher, and only those were compared in full.",
                read = read
            )
        }
        Fate::Undecided => words!(l, "The run ended before chains were chosen, so it is neither kept nor rejected.").into(),
    }
}

fn entity(trace: &Trace, marks: &Marks, explanation: &Explanation, node: u32, said: &mut Vec<String>, l: Language) {
    let Some(entity) = trace.table.entities.get(node as usize) else { return };
    let name = sanitise_line(&entity.name);
    let card = explanation.entities.iter().find(|card| card.name == name);
    let kind = entity_kind(&entity.kind);
    let from = trace.table.chains.get(explanation.chain as usize).map_or("", |chain| origin(marks.in_chain(chain, node)));
    let kind = if kind.is_empty() { words!(l, "an entity").to_owned() } else { words!(l, "of the kind {kind}", kind = kind) };
    let from = l.known(if from.is_empty() { "from the graph" } else { from });
    said.push(words!(l, "{name} is {kind}, {from}.", name = name, kind = kind, from = from));
    if let Some(anchor) = trace.anchors.iter().find(|anchor| anchor.entity == entity.name) {
        let mention = sanitise_line(&anchor.mention);
        let score = format!("{:.2}", anchor.score);
        said.push(words!(
            l,
            "{name} is an anchor, linked from “{mention}” with a score of {score}.",
            name = name,
            mention = mention,
            score = score
        ));
    }
    if let Some(card) = card {
        let count = counted_words!(l, card.triples, "triple", "triples");
        said.push(words!(l, "{name} has {count} in the graph.", name = name, count = count));
        if !card.aliases.is_empty() {
            said.push(words!(l, "{name} is also called {names}.", name = name, names = l.listed(&card.aliases)));
        }
    }
    let description = card.map(|card| card.description.as_str()).filter(|text| !text.is_empty()).unwrap_or(&entity.description);
    if !description.is_empty() {
        said.push(words!(l, "Description of {name}: {text}", name = name, text = sanitise_line(description)));
    }
}

/// Adds the fragments that the chain matches best.
fn fragments(trace: &Trace, explanation: &Explanation, said: &mut Vec<String>, l: Language) {
    let Some(scored) = &explanation.scored else { return };
    let mut matched: Vec<(f64, &String)> = scored.by_fragment.iter().copied().zip(&trace.pruning.fragments).collect();
    // Equal scores keep the order of the text.
    matched.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    for (score, fragment) in matched.iter().take(FRAGMENTS) {
        let fragment = sanitise_line(fragment);
        let score = format!("{score:.2}");
        said.push(words!(
            l,
            "It matches the fragment “{fragment}” of the question or the hypothesis with a score of {score}.",
            fragment = fragment,
            score = score
        ));
    }
    if matched.len() > FRAGMENTS {
        let rest = counted_words!(l, (matched.len() - FRAGMENTS) as u64, "other fragment", "other fragments");
        said.push(words!(l, "It matches {rest} less well.", rest = rest));
    }
}
