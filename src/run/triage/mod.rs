//! Triage: what the doctor decided about anchors, chains and settings. It is a value, so that undoing is taking the one
//! before; chains are named by what they are made of, so that a decision outlives another search.

pub(crate) mod decide;
pub(crate) mod undo;
pub(crate) mod verdict;

pub(crate) use undo::Decisions;
pub(crate) use verdict::Decided;
pub use verdict::{MOST_KEPT, Verdict, Verdicts};

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::event::ScoredChain;
use crate::graph::{Chain, ChainKind, ChainTable};

/// A chain by the names of what it is made of: the same in every search of the same graph.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ChainKey {
    /// Names of its entities, in order.
    pub entities: Vec<String>,
    /// Names of its relations, in order, and whether each runs forward.
    pub relations: Vec<(String, bool)>,
}

impl ChainKey {
    /// The key of a chain of a table.
    pub fn of(table: &ChainTable, chain: &Chain) -> Self {
        let entities = chain.nodes().iter().filter_map(|node| table.entities.get(*node as usize)).map(|e| e.name.clone()).collect();
        let relations =
            chain.hops().filter_map(|hop| Some((table.relations.get(usize::from(hop.relation))?.name.clone(), hop.forward))).collect();
        Self { entities, relations }
    }
}

/// The chain as text, by the relations' names in the graph.
impl std::fmt::Display for ChainKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut entities = self.entities.iter();
        f.write_str(entities.next().map_or("", String::as_str))?;
        for ((relation, forward), entity) in self.relations.iter().zip(entities) {
            let arrow = if *forward { "→" } else { "←" };
            write!(f, " {arrow} {relation} {arrow} {entity}")?;
        }
        Ok(())
    }
}

/// What the doctor decided about a run. The default decides nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Triage {
    /// Chains that are kept whatever their score.
    pub pinned: BTreeSet<ChainKey>,
    /// Chains that are not kept.
    pub rejected: BTreeSet<ChainKey>,
    /// Chains that may be kept although one of the rules below rejects them.
    pub restored: BTreeSet<ChainKey>,
    /// Every chain of these kinds is rejected.
    pub rejected_kinds: BTreeSet<ChainKind>,
    /// Every chain through these entities (by name) is rejected.
    pub rejected_through: BTreeSet<String>,
    /// Entities (by name) that were linked and are no anchors.
    pub rejected_anchors: BTreeSet<String>,
    /// Entities (by name) that are anchors though nothing links to them.
    pub added_anchors: Vec<String>,
    /// Longest chain, in relations, instead of the run's.
    pub k: Option<usize>,
    /// How many chains are kept, instead of the run's.
    pub top_k: Option<usize>,
    /// Linking threshold, instead of the run's.
    pub delta: Option<f64>,
}

/// What became of a chain.
#[derive(Debug, Clone, PartialEq)]
pub enum Fate {
    /// It was kept, with this id.
    Kept {
        /// From 1.
        id: u32,
        /// Whether because the doctor pinned it.
        pinned: bool,
    },
    /// The doctor rejected it.
    Rejected {
        /// By which decision, in plain words.
        by: String,
    },
    /// Others were better: its score, and the lowest that was kept.
    Outscored {
        /// Its score.
        score: f64,
        /// The lowest score of a kept chain.
        least_kept: f64,
    },
    /// It says little that a kept chain does not say.
    Alike {
        /// The id of that kept chain.
        kept: u32,
        /// Its score.
        score: f64,
    },
    /// A cheaper score put it behind the chains that were read whole.
    PrefilteredOut {
        /// How many were read whole.
        read: u64,
    },
    /// The choice has not been made yet.
    Undecided,
}

/// Where a triple of a chain comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TripleOrigin {
    /// `head → relation → tail`, as the graph states it.
    pub text: String,
    /// What states it, in plain words: the graph, or the feedback it was learned from.
    pub source: String,
    /// Whether it was learned.
    pub learned: bool,
}

/// An entity as the graph describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntityCard {
    /// Its preferred name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Its description; empty when the graph has none.
    pub description: String,
    /// Other names, at most a dozen.
    pub aliases: Vec<String>,
    /// How many triples it has.
    pub triples: u64,
    /// In a list of matches: the name that matched, where that is not the preferred one.
    pub matched: Option<String>,
}

/// All that is to be said about one chain of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The chain's number in the table.
    pub chain: u32,
    /// What became of it, and why.
    pub fate: Fate,
    /// Its scores by fragment, by the encoder, whether it was kept or not.
    pub scored: Option<ScoredChain>,
    /// Its triples, in order.
    pub triples: Vec<TripleOrigin>,
    /// Its entities, in order.
    pub entities: Vec<EntityCard>,
}
