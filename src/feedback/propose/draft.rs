//! Drafts: statements by role and name, before they have the graph's entities and relations; and how they become proposals.

use std::collections::{BTreeMap, HashMap};

use super::entity::{ResolvedEnd, Term, clean_name, resolve};
use super::relation::Relations;
use super::{Proposals, Proposing};
use crate::dkg::{Act, Basis, CheckOutcome, Proposal, Proposer};
use crate::graph::{Kind, NamedRelation, NamedTriple, Player, Role};
use crate::model::ModelError;
use crate::text::sanitise_line;

/// The most proposals of one rating; nobody reviews more.
pub(super) const MOST_PROPOSED: usize = 200;
/// The most chains that a proposal names as its basis.
const CHAINS: usize = 4;

/// Something that may be learned.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Draft {
    /// What has the player.
    pub(super) owner: Term,
    /// What the player is to it.
    pub(super) role: Role,
    pub(super) player: Term,
    /// The very relation, where it was named; else the graph's word for the role.
    pub(super) relation: Option<NamedRelation>,
    pub(super) basis: Basis,
    pub(super) proposer: Proposer,
}

impl Draft {
    /// A draft by rule.
    pub(super) fn by_rule(owner: Term, role: Role, player: Term, basis: Basis) -> Self {
        Self { owner, role, player, relation: None, basis, proposer: Proposer::Rule }
    }
}

/// Drafts with what was not drafted.
#[derive(Debug, Default)]
pub(super) struct Drafts {
    drafts: Vec<Draft>,
    pub(super) warnings: Vec<String>,
    rejected: BTreeMap<String, u64>,
    /// Drafts beyond those that are kept.
    left_out: u64,
}

impl Drafts {
    /// Takes a draft in. Ends whose names cannot be names are counted.
    pub(super) fn push(&mut self, mut draft: Draft) {
        for term in [&mut draft.owner, &mut draft.player] {
            match clean_name(&term.name) {
                Ok(name) => term.name = name,
                Err(reason) => return self.reject(reason),
            }
        }
        // Names, and chains of a recording that anyone may have edited, stand in the reasons too.
        let Basis { chains, why } = draft.basis;
        draft.basis = Basis { chains: chains.iter().map(|chain| sanitise_line(chain)).collect(), why: sanitise_line(&why) };
        // The same from elsewhere is one more reason for it.
        let same = |known: &&mut Draft| known.owner == draft.owner && known.role == draft.role && known.player == draft.player;
        if let Some(known) = self.drafts.iter_mut().find(same) {
            add_chains(&mut known.basis, draft.basis);
        } else if self.drafts.len() < MOST_PROPOSED {
            self.drafts.push(draft);
        } else {
            self.left_out += 1;
        }
    }

    /// Counts something that is not proposed.
    pub(super) fn reject(&mut self, reason: impl Into<String>) {
        self.reject_many(reason, 1);
    }

    pub(super) fn reject_many(&mut self, reason: impl Into<String>, count: u64) {
        if count > 0 {
            *self.rejected.entry(reason.into()).or_default() += count;
        }
    }

    /// How often something was rejected so far.
    pub(super) fn rejections(&self) -> u64 {
        self.rejected.values().sum()
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.drafts.len()
    }

    /// Drafts in the graph's words, checked.
    ///
    /// # Errors
    /// If it is stopped.
    pub(super) fn checked(self, proposing: &Proposing<'_>) -> Result<Proposals, ModelError> {
        let Self { drafts, mut warnings, mut rejected, left_out } = self;
        if left_out > 0 {
            warnings.push(format!("More than {MOST_PROPOSED} changes follow from this rating; the {left_out} beyond that are dropped."));
        }
        let terms: Vec<Term> = drafts.iter().flat_map(|draft| [draft.owner.clone(), draft.player.clone()]).collect();
        let mut encoder_failed = None;
        let ends = or_without(&mut encoder_failed, resolve(proposing, &terms, true), || resolve(proposing, &terms, false))?;
        let (mut proposals, without_kind) = triples(proposing, drafts, &ends);
        if without_kind > 0 {
            *rejected.entry("a new entity without a kind".to_owned()).or_default() += without_kind;
        }
        let stated: Vec<NamedTriple> = proposals.iter().map(|proposal| proposal.triple.clone()).collect();
        let checker = proposing.checker();
        let by_encoder = if encoder_failed.is_none() { checker.check_many(&stated) } else { checker.check_exactly(&stated) };
        let checked = or_without(&mut encoder_failed, by_encoder, || checker.check_exactly(&stated))?;
        if let Some(error) = encoder_failed {
            warnings.push(format!("The encoder failed ({error}), so near-duplicates of known triples were not detected."));
        }
        let mut standings = checked.into_iter();
        proposals.retain_mut(|proposal| match standings.next() {
            Some(Ok(standing)) => {
                proposal.standing = standing;
                true
            }
            Some(Err(refusal)) => {
                *rejected.entry(refusal.reason().to_owned()).or_default() += 1;
                false
            }
            None => false,
        });
        Ok(Proposals { proposals, warnings, rejected, pin: None })
    }
}

/// A result, or what can be had without the encoder where that fails; a stop stays one.
fn or_without<T>(
    failed: &mut Option<ModelError>,
    result: Result<T, ModelError>,
    otherwise: impl FnOnce() -> Result<T, ModelError>,
) -> Result<T, ModelError> {
    match result {
        Err(ModelError::Cancelled) => Err(ModelError::Cancelled),
        Err(error) => {
            *failed = Some(error);
            otherwise()
        }
        Ok(value) => Ok(value),
    }
}

fn add_chains(basis: &mut Basis, more: Basis) {
    for chain in more.chains {
        if basis.chains.len() < CHAINS && !basis.chains.contains(&chain) {
            basis.chains.push(chain);
        }
    }
}

/// Drafts as proposals, each triple once, and how many had a new end without a kind; `ends` has owner and player of each draft.
fn triples(proposing: &Proposing<'_>, drafts: Vec<Draft>, ends: &[ResolvedEnd]) -> (Vec<Proposal>, u64) {
    let relations = Relations::of(proposing.knowledge);
    let mut proposals: Vec<Proposal> = Vec::new();
    let mut known: HashMap<NamedTriple, usize> = HashMap::new();
    let mut without_kind = 0;
    for (draft, ends) in drafts.into_iter().zip(ends.chunks_exact(2)) {
        let [owner, player] = ends else { continue };
        if ends.iter().any(|end| end.is_new && matches!(end.entity.kind(), Kind::Other(_))) {
            without_kind += 1;
            continue;
        }
        let named = || relations.named(draft.role, &owner.entity.kind(), &player.entity.kind());
        let relation = draft.relation.clone().unwrap_or_else(named);
        let (head, tail) = match relation.player {
            Player::Head => (player, owner),
            Player::Tail => (owner, player),
        };
        let new_entities =
            [("head", head), ("tail", tail)].into_iter().filter(|(_, end)| end.is_new).map(|(end, _)| end.to_owned()).collect();
        let triple = NamedTriple::new(head.entity.clone(), relation, tail.entity.clone());
        // Two names of one entity were two drafts.
        if let Some(at) = known.get(&triple) {
            add_chains(&mut proposals[*at].basis, draft.basis);
            continue;
        }
        known.insert(triple.clone(), proposals.len());
        proposals.push(Proposal {
            act: Act::Add,
            basis: draft.basis,
            new_entities,
            proposer: draft.proposer,
            standing: CheckOutcome::New,
            triple,
        });
    }
    (proposals, without_kind)
}
