//! Compares two runs.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::graph::{Chain, ChainTable};
use crate::pipeline::answer::headlines::Headlines;
use crate::run::{ChainKey, Evidence, Pruning, Trace};
use crate::text::{fold, sanitise_line};

/// How many chains are shown of those that only one of the runs found.
const EXAMPLES: usize = 20;

/// A setting, a decision or another value that differs between two runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// What differs: `graph`, `k`, `encoder`, …
    pub what: String,
    /// The value in the first run; empty if it has none.
    pub before: String,
    /// The value in the second run; empty if it has none.
    pub after: String,
}

/// An anchor of one run or of both.
#[derive(Debug, Clone, PartialEq)]
pub struct AnchorChange {
    /// The entity's name.
    pub entity: String,
    /// Its link score in the first run; `None` if it is not an anchor there.
    pub before: Option<f64>,
    /// Its link score in the second run; `None` if it is not an anchor there.
    pub after: Option<f64>,
}

/// A kept chain of one run or of both.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainChange {
    /// Its entities and relations, by name.
    pub key: ChainKey,
    /// The chain as text, on one line and safe to print.
    pub text: String,
    /// Its rank among the kept chains of the first run, from 1; `None` if it is not kept there.
    pub before: Option<u32>,
    /// Its rank among the kept chains of the second run, from 1; `None` if it is not kept there.
    pub after: Option<u32>,
}

/// What changed from one run to another. If a run has an answer, its kept chains are those that the answer was written from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparison {
    /// The questions, if they differ.
    pub question: Option<Difference>,
    /// How urgent the cases are and how the questions were read, where these differ.
    pub headlines: Vec<Difference>,
    /// Settings, models, graph and method that differ.
    pub settings: Vec<Difference>,
    /// The doctor's decisions that differ.
    pub triage: Vec<Difference>,
    /// Anchors of the second run alone, by name.
    pub anchors_gained: Vec<AnchorChange>,
    /// Anchors of the first run alone, by name.
    pub anchors_lost: Vec<AnchorChange>,
    /// Anchors of both, by name.
    pub anchors_kept: Vec<AnchorChange>,
    /// Kept chains of the second run alone, best first.
    pub chains_gained: Vec<ChainChange>,
    /// Kept chains of the first run alone, best first.
    pub chains_lost: Vec<ChainChange>,
    /// Chains that both runs keep, in the order of the second.
    pub chains_kept: Vec<ChainChange>,
    /// How many chains were found, as each run counted them.
    pub found: (u64, u64),
    /// How many chains only the second trace holds, and some of them as text. A trace may hold fewer chains than were found.
    pub found_gained: (u64, Vec<String>),
    /// How many chains only the first trace holds, and some of them as text.
    pub found_lost: (u64, Vec<String>),
    /// Whether a trace holds only a part of the chains that were found, so that nobody can say which of them one run alone found.
    pub is_cut: bool,
    /// Entities that only the second answer states.
    pub entities_gained: Vec<String>,
    /// Entities that only the first answer states.
    pub entities_lost: Vec<String>,
}

impl Comparison {
    /// Whether nothing differs except scores and ranks.
    pub fn is_same(&self) -> bool {
        self.question.is_none()
            && self.headlines.is_empty()
            && self.settings.is_empty()
            && self.triage.is_empty()
            && self.anchors_gained.is_empty()
            && self.anchors_lost.is_empty()
            && self.chains_gained.is_empty()
            && self.chains_lost.is_empty()
            && self.found.0 == self.found.1
            && self.found_gained.0 == 0
            && self.found_lost.0 == 0
            && self.entities_gained.is_empty()
            && self.entities_lost.is_empty()
    }
}

/// Compares two runs.
pub fn compare(before: &Trace, after: &Trace) -> Comparison {
    let (evidence_before, evidence_after) = (evidence(before), evidence(after));
    let (kept_before, kept_after) = (kept(&evidence_before), kept(&evidence_after));
    let (anchors_before, anchors_after) = (anchors(before), anchors(after));
    let anchor = |entity: &&str| AnchorChange {
        entity: sanitise_line(entity),
        before: anchors_before.get(entity).copied(),
        after: anchors_after.get(entity).copied(),
    };
    let chain = |key: &ChainKey, text: &str| ChainChange {
        key: key.clone(),
        text: text.to_owned(),
        before: kept_before.get(key).map(|(rank, _)| *rank),
        after: kept_after.get(key).map(|(rank, _)| *rank),
    };
    let of = |from: &BTreeMap<ChainKey, (u32, String)>, wanted: &dyn Fn(&ChainKey) -> bool| {
        let mut some: Vec<_> = from.iter().filter(|(key, _)| wanted(key)).collect();
        some.sort_by_key(|(_, (rank, _))| *rank);
        some.into_iter().map(|(key, (_, text))| chain(key, text)).collect()
    };
    let is_whole = |trace: &Trace| trace.table.chains.len() as u64 >= trace.chains_found;
    let (whole_before, whole_after) = (is_whole(before), is_whole(after));
    let (mut found_gained, mut found_lost) = found(&before.table, &after.table);
    // What the other trace does not hold may have been found there too.
    if !whole_before {
        found_gained = Default::default();
    }
    if !whole_after {
        found_lost = Default::default();
    }
    let only = |of: &Trace, other: &Trace| -> Vec<String> {
        let stated: HashSet<String> = other.answer.entities.iter().map(|entity| fold(entity)).collect();
        of.answer.entities.iter().filter(|entity| !stated.contains(&fold(entity))).map(|entity| sanitise_line(entity)).collect()
    };
    Comparison {
        question: difference("question", &before.question, &after.question),
        headlines: headlines(before, after),
        settings: settings(before, after),
        triage: triage(before, after),
        anchors_gained: anchors_after.keys().filter(|entity| !anchors_before.contains_key(*entity)).map(anchor).collect(),
        anchors_lost: anchors_before.keys().filter(|entity| !anchors_after.contains_key(*entity)).map(anchor).collect(),
        anchors_kept: anchors_after.keys().filter(|entity| anchors_before.contains_key(*entity)).map(anchor).collect(),
        chains_gained: of(&kept_after, &|key| !kept_before.contains_key(key)),
        chains_lost: of(&kept_before, &|key| !kept_after.contains_key(key)),
        chains_kept: of(&kept_after, &|key| kept_before.contains_key(key)),
        found: (before.chains_found, after.chains_found),
        found_gained,
        found_lost,
        is_cut: !(whole_before && whole_after),
        entities_gained: only(after, before),
        entities_lost: only(before, after),
    }
}

/// What stands above the answers, where it differs.
fn headlines(before: &Trace, after: &Trace) -> Vec<Difference> {
    let [before, after] = [before, after].map(|trace| {
        let Headlines { urgency, read_as } = Headlines::of(trace);
        (urgency.map(|(_, text)| text).unwrap_or_default(), read_as.unwrap_or_default())
    });
    [difference("urgency", &before.0, &after.0), difference("reading", &before.1, &after.1)].into_iter().flatten().collect()
}

/// The evidence that the answer was written from; the chains that are kept now if there is no answer.
fn evidence(trace: &Trace) -> Evidence {
    trace.evidence.clone().unwrap_or_else(|| Evidence { table: trace.table.clone(), pruning: trace.pruning.clone() })
}

fn kept(Evidence { table, pruning }: &Evidence) -> BTreeMap<ChainKey, (u32, String)> {
    let pruning: &Pruning = pruning;
    let chains = pruning.kept.iter().zip(1u32..).filter_map(|(scored, rank)| Some((rank, table.chains.get(scored.chain as usize)?)));
    chains.map(|(rank, chain)| (ChainKey::of(table, chain), (rank, sanitise_line(&table.text(chain))))).collect()
}

fn anchors(trace: &Trace) -> BTreeMap<&str, f64> {
    trace.anchors.iter().map(|anchor| (anchor.entity.as_str(), anchor.score)).collect()
}

/// A chain by borrowed names: a table can hold 250,000 chains.
type Names<'a> = (Vec<&'a str>, Vec<(&'a str, bool)>);

fn names<'a>(table: &'a ChainTable, chain: &Chain) -> Names<'a> {
    let entities = chain.nodes().iter().filter_map(|node| table.entities.get(*node as usize)).map(|entity| entity.name.as_str()).collect();
    let relation = |number: u16| table.relations.get(usize::from(number)).map(|relation| relation.name.as_str());
    let relations = chain.hops().filter_map(|hop| Some((relation(hop.relation)?, hop.forward))).collect();
    (entities, relations)
}

type Counted = (u64, Vec<String>);

/// The chains that only the second table has, and those that only the first has.
fn found(before: &ChainTable, after: &ChainTable) -> (Counted, Counted) {
    fn all(table: &ChainTable) -> HashSet<Names<'_>> {
        table.chains.iter().map(|chain| names(table, chain)).collect()
    }
    let only = |of: &ChainTable, others: &HashSet<Names<'_>>| {
        let mut count = 0;
        let mut examples = Vec::new();
        for chain in of.chains.iter().filter(|chain| !others.contains(&names(of, chain))) {
            count += 1;
            if examples.len() < EXAMPLES {
                examples.push(sanitise_line(&of.text(chain)));
            }
        }
        (count, examples)
    };
    (only(after, &all(before)), only(before, &all(after)))
}

fn difference(what: &str, before: &str, after: &str) -> Option<Difference> {
    (before != after).then(|| Difference { what: what.to_owned(), before: sanitise_line(before), after: sanitise_line(after) })
}

fn settings(before: &Trace, after: &Trace) -> Vec<Difference> {
    let texts = |trace: &Trace| -> Vec<(&'static str, String)> {
        let settings = |text: &dyn Fn(&crate::run::Settings) -> String| trace.settings.as_ref().map(text).unwrap_or_default();
        let model = |of: &dyn Fn(&crate::run::Models) -> &crate::run::ModelInfo| {
            let info = trace.models.as_ref().map(of);
            info.map(|model| format!("{} ({}, {})", model.name, model.kind, model.device)).unwrap_or_default()
        };
        vec![
            ("method", trace.method.clone()),
            (
                "graph",
                format!("{} ({} entities, {} triples, {} learned)", trace.kg.name, trace.kg.entities, trace.kg.triples, trace.kg.learned),
            ),
            ("k", settings(&|s| s.k.to_string())),
            ("top_k", settings(&|s| s.top_k.to_string())),
            ("delta", settings(&|s| s.delta.to_string())),
            ("fragment_words", settings(&|s| s.fragment_words.to_string())),
            ("fragment_overlap", settings(&|s| s.fragment_overlap.to_string())),
            ("seed", settings(&|s| s.seed.to_string())),
            ("generator", model(&|m| &m.generator)),
            ("encoder", model(&|m| &m.encoder)),
            ("reranker", model(&|m| &m.reranker)),
        ]
    };
    texts(before).into_iter().zip(texts(after)).filter_map(|((what, a), (_, b))| difference(what, &a, &b)).collect()
}

fn triage(before: &Trace, after: &Trace) -> Vec<Difference> {
    let texts = |trace: &Trace| -> Vec<(&'static str, String)> {
        let triage = &trace.triage;
        let chains = |keys: &BTreeSet<ChainKey>| keys.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        vec![
            ("pinned", chains(&triage.pinned)),
            ("rejected", chains(&triage.rejected)),
            ("restored", chains(&triage.restored)),
            ("rejected kinds", triage.rejected_kinds.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(", ")),
            ("rejected through", triage.rejected_through.iter().cloned().collect::<Vec<_>>().join(", ")),
            ("rejected anchors", triage.rejected_anchors.iter().cloned().collect::<Vec<_>>().join(", ")),
            ("added anchors", triage.added_anchors.join(", ")),
        ]
    };
    texts(before).into_iter().zip(texts(after)).filter_map(|((what, a), (_, b))| difference(what, &a, &b)).collect()
}
