//! The origin of a learned triple, as exports state it.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use xxhash_rust::xxh3::xxh3_128;

use crate::dkg::error::DkgError;
use crate::dkg::handle::Dkg;
use crate::dkg::record::{Change, Feedback, Rating};
use crate::dkg::wording::{proposer_words, rating_word};
use crate::graph::NamedTriple;
use crate::text::sanitise_line;

/// The most chains that are told.
const CHAINS: usize = 5;
/// The longest text about an origin, in characters.
const LONGEST_ORIGIN: usize = 1000;

/// Where a triple comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Provenance {
    /// The journal's record that it is learned by.
    pub(super) record: u64,
    /// When that was written: `2026-11-21T14:03:00Z`.
    pub(super) at: String,
    /// How the answer was found.
    pub(super) rating: Option<Rating>,
    /// Who proposed it, in words.
    pub(super) proposer: String,
    /// The chains it was drawn from.
    pub(super) chains: Vec<String>,
    /// Where the team that it was taken over from had it from.
    pub(super) origin: String,
    /// Only where they are asked for: what was asked, the answer that was rated, a mentor's answer, and what made it follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) question: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) answer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) gold: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) why: Option<String>,
}

impl Provenance {
    /// The same in a line of words, without question and answer. What was taken over keeps the words of whoever had it first.
    pub(super) fn words(&self) -> String {
        if !self.origin.is_empty() {
            return clipped(&self.origin);
        }
        let mut parts = Vec::new();
        if !self.at.is_empty() {
            parts.push(format!("learned {}", self.at));
        }
        parts.extend(self.rating.map(|rating| format!("answer rated {}", rating_word(rating))));
        if !self.proposer.is_empty() {
            parts.push(format!("proposed {}", self.proposer));
        }
        if !self.chains.is_empty() {
            parts.push(format!("from {}", self.chains.join("; ")));
        }
        clipped(&parts.join("; "))
    }
}

/// One line that is not too long.
pub(super) fn clipped(text: &str) -> String {
    sanitise_line(text).chars().take(LONGEST_ORIGIN).collect()
}

/// A time as XML Schema has it.
fn iso(at_ms: u64) -> String {
    let at = i64::try_from(at_ms / 1000).ok().and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok());
    let at = at.unwrap_or(OffsetDateTime::UNIX_EPOCH);
    format!("{}T{:02}:{:02}:{:02}Z", at.date(), at.hour(), at.minute(), at.second())
}

/// What two triples have in common that are one: folded names, kinds of both ends.
pub(super) fn identity(triple: &NamedTriple) -> u128 {
    let (head, relation, tail) = triple.folded();
    let mut bytes = Vec::with_capacity(head.len() + relation.len() + tail.len() + 64);
    for part in [&head, &triple.head.kind, &relation, &tail, &triple.tail.kind] {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(part.as_bytes());
    }
    xxh3_128(&bytes)
}

/// Where the triples of one record come from.
pub(super) struct Sources {
    common: Provenance,
    by_triple: HashMap<u128, Provenance>,
}

impl Sources {
    /// Reads a record and what it rests on.
    pub(super) fn of(dkg: &Dkg, record: u64, with_questions: bool) -> Result<Self, DkgError> {
        let written = dkg.record(record)?;
        let common = Provenance { record, at: iso(written.at_ms), ..Provenance::default() };
        let mut by_triple = HashMap::new();
        match written.change {
            Change::Accept { proposals } => {
                let mut rated: Option<(u64, Feedback)> = None;
                for id in proposals {
                    let state = dkg.proposal(id)?;
                    if rated.as_ref().is_none_or(|(known, _)| *known != state.feedback) {
                        rated = match dkg.record(state.feedback)?.change {
                            Change::Feedback(feedback) => Some((state.feedback, feedback)),
                            _ => None,
                        };
                    }
                    let chains = state.proposal.basis.chains.iter().take(CHAINS).map(|chain| clipped(chain)).collect();
                    let mut from = Provenance { proposer: proposer_words(&state.proposal.proposer), chains, ..common.clone() };
                    if let Some((_, feedback)) = &rated {
                        from.rating = Some(feedback.rating);
                        if with_questions {
                            let line = |text: &str| Some(sanitise_line(text)).filter(|text| !text.is_empty());
                            from.question = line(&feedback.question);
                            from.answer = line(&feedback.answer);
                            from.gold = line(&feedback.gold);
                            from.why = line(&state.proposal.basis.why);
                        }
                    }
                    by_triple.insert(identity(&state.proposal.triple), from);
                }
            }
            Change::Import(import) => {
                for imported in import.triples {
                    let from = Provenance { origin: clipped(&imported.origin), ..common.clone() };
                    by_triple.insert(identity(&imported.triple), from);
                }
            }
            _ => {}
        }
        Ok(Self { common, by_triple })
    }

    /// Where one of its triples comes from.
    pub(super) fn of_triple(&self, triple: &NamedTriple) -> &Provenance {
        self.by_triple.get(&identity(triple)).unwrap_or(&self.common)
    }
}
