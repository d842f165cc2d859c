//! Triage: the decisions of the doctor about anchors, chains and settings. A triage is a value, so undo restores the previous one. Decisions
//! name chains by their entities and relations, so that they hold after another search.

pub(crate) mod decide;
pub(crate) mod undo;
pub(crate) mod verdict;

pub(crate) use undo::Decisions;
pub(crate) use verdict::Decided;
pub use verdict::{MOST_KEPT, Verdict, Verdicts};

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::case::CaseCorrection;
use super::event::ScoredChain;
use super::passage::PassageKey;
use crate::graph::{Chain, ChainKind, ChainTable, Qualifiers};

/// A chain by the names of its entities and relations: the same in every search of the same graph.
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
            write!(f, " {arrow} {} {arrow} {entity}", relation.replace('_', " "))?;
        }
        Ok(())
    }
}

/// The decisions of the doctor about a run. The default holds none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Triage {
    /// Chains to keep whatever their score.
    pub pinned: BTreeSet<ChainKey>,
    /// Chains not to keep.
    pub rejected: BTreeSet<ChainKey>,
    /// Chains that may be kept although one of the rules below rejects them.
    pub restored: BTreeSet<ChainKey>,
    /// Passages of documents to quote whatever their rank.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub pinned_passages: BTreeSet<PassageKey>,
    /// Passages of documents not to cite.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub rejected_passages: BTreeSet<PassageKey>,
    /// Every chain of these kinds is rejected.
    pub rejected_kinds: BTreeSet<ChainKind>,
    /// Every chain through these entities (by name) is rejected.
    pub rejected_through: BTreeSet<String>,
    /// Linked entities (by name) that are not to be anchors.
    pub rejected_anchors: BTreeSet<String>,
    /// Entities (by name) that are anchors although no mention is linked to them.
    pub added_anchors: Vec<String>,
    /// Corrections of how the question was read, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub case: Vec<CaseCorrection>,
    /// The longest chain, in relations (1 to 5), in place of the run's own setting.
    pub k: Option<usize>,
    /// How many chains are kept (1 to 1000), in place of the run's own setting.
    pub top_k: Option<usize>,
    /// The linking threshold (0 to 1), in place of the run's own setting.
    pub delta: Option<f64>,
}

/// Whether a chain was kept, and why.
#[derive(Debug, Clone, PartialEq)]
pub enum Fate {
    /// It was kept, with this id.
    Kept {
        /// From 1.
        id: u32,
        /// Whether it was kept because the doctor pinned it.
        pinned: bool,
    },
    /// The doctor rejected it.
    Rejected {
        /// The decision, in plain words.
        by: String,
    },
    /// Others had higher scores.
    Outscored {
        /// Its score.
        score: f64,
        /// The score of the next better chain that was kept.
        least_kept: f64,
    },
    /// It adds little to a kept chain.
    Alike {
        /// The id of that kept chain.
        kept: u32,
        /// Its score.
        score: f64,
    },
    /// The prefilter, which uses a cheaper score, ranked it behind the chains that were scored in full.
    PrefilteredOut {
        /// How many chains were scored in full.
        read: u64,
    },
    /// No chains have been chosen yet.
    Undecided,
}

/// Where a triple of a chain comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TripleOrigin {
    /// `head → relation → tail`, as the graph states it.
    pub text: String,
    /// Its source, in plain words: the graph, or the feedback from which it was learned.
    pub source: String,
    /// Whether it was learned from feedback.
    pub learned: bool,
    /// What it states beyond its ends and relation.
    pub qualifiers: Qualifiers,
}

/// What earlier ratings did about a chain.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Taught {
    /// How many answers that cited it were rated good.
    pub good: u64,
    /// How many were rated bad.
    pub bad: u64,
    /// What that adds to its score.
    pub added: f64,
    /// The record that pins it for questions like this one.
    pub pinned_by: Option<u64>,
}

/// An entity as the graph describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntityCard {
    /// Its preferred name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Its description; empty if the graph has none.
    pub description: String,
    /// Other names, at most a dozen.
    pub aliases: Vec<String>,
    /// How many triples it has.
    pub triples: u64,
    /// In a list of matches: the name that matched, if it is not the preferred one.
    pub matched: Option<String>,
}

/// The explanation of one chain of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The chain's number in the table.
    pub chain: u32,
    /// Whether it was kept, and why.
    pub fate: Fate,
    /// Its scores by fragment, whether it was kept or not; `None` if they are not known.
    pub scored: Option<ScoredChain>,
    /// Its triples, in order.
    pub triples: Vec<TripleOrigin>,
    /// Its entities, in order.
    pub entities: Vec<EntityCard>,
    /// What earlier ratings did about it; `None` if nothing.
    pub taught: Option<Taught>,
}
