//! Proposals with the decisions about them.

use serde::{Deserialize, Serialize};

use super::keys::{Draft, Keys};
use crate::dkg::error::{DkgError, Refusal};
use crate::dkg::record::{CheckOutcome, Proposal, ProposalId};
use crate::graph::NamedTriple;

const PREFIX: u8 = b'p';
/// Proposals that wait: their numbers, by [`Waiting`].
const WAITING: u8 = b'w';
/// By feedback, the records that proposed because of it.
const BECAUSE: u8 = b'f';
/// By record that proposed: its feedback, and how many proposals it has.
const PROPOSED: u8 = b'q';

/// The status of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The feedback behind it was undone.
    Void,
    /// It waits for a decision.
    Pending,
    /// It is redundant; the review does not ask about it, but it can be accepted.
    Redundant,
    /// It contradicts a known triple; the review does not ask about it, but it can be accepted.
    Conflicting,
    /// It was accepted.
    Accepted {
        /// By which record.
        record: u64,
    },
    /// It was rejected.
    Rejected {
        /// By which record.
        record: u64,
    },
}

/// A proposal with its current state.
#[derive(Debug, Clone, PartialEq)]
pub struct ProposalState {
    /// Its number.
    pub id: ProposalId,
    /// The feedback's record.
    pub feedback: u64,
    /// Its content, after all edits that are in force.
    pub proposal: Proposal,
    /// Its original triple, if it was edited.
    pub first: Option<NamedTriple>,
    /// Its status.
    pub status: Status,
}

/// Undecided proposals, each list oldest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Waiting {
    /// Those that the review asks about.
    pub pending: Vec<ProposalState>,
    /// Redundant ones.
    pub redundant: Vec<ProposalState>,
    /// Those that contradict a known triple.
    pub conflicting: Vec<ProposalState>,
}

/// Something that was decided, in force or not.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Decision {
    pub(super) record: u64,
    pub(super) what: What,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[allow(clippy::large_enum_variant, reason = "a proposal has a few decisions; their stored form stays as it is")]
pub(super) enum What {
    Accept,
    Reject,
    Edit(NamedTriple, CheckOutcome),
}

/// A proposal as it is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Stored {
    pub(super) feedback: u64,
    /// As it was proposed.
    pub(super) proposal: Proposal,
    /// In the order of their records.
    pub(super) decisions: Vec<Decision>,
    /// The list of those that wait which it stands in.
    pub(super) list: Option<u8>,
    /// By which record, and in which words, it has a mark now.
    pub(super) marked: Option<(u64, NamedTriple)>,
}

impl Stored {
    /// How it stands, given which records are void. An edit makes it wait again: what was accepted before had other words.
    pub(super) fn state(&self, id: ProposalId, void: &mut dyn FnMut(u64) -> Result<bool, DkgError>) -> Result<ProposalState, DkgError> {
        let mut state =
            ProposalState { id, feedback: self.feedback, proposal: self.proposal.clone(), first: None, status: Status::Pending };
        let mut decided = None;
        for decision in &self.decisions {
            if void(decision.record)? {
                continue;
            }
            let record = decision.record;
            match &decision.what {
                What::Accept => decided = Some(Status::Accepted { record }),
                What::Reject => decided = Some(Status::Rejected { record }),
                What::Edit(triple, standing) => {
                    decided = None;
                    state.first = Some(self.proposal.triple.clone());
                    state.proposal.triple = triple.clone();
                    state.proposal.standing = standing.clone();
                }
            }
        }
        state.status = if void(id.record)? || void(self.feedback)? {
            Status::Void
        } else {
            decided.unwrap_or(match state.proposal.standing {
                CheckOutcome::New => Status::Pending,
                CheckOutcome::Redundant { .. } => Status::Redundant,
                CheckOutcome::Conflict { .. } => Status::Conflicting,
            })
        };
        Ok(state)
    }
}

fn key(id: ProposalId) -> Vec<u8> {
    let mut key = vec![PREFIX];
    key.extend(id.record.to_be_bytes());
    key.extend(id.item.to_be_bytes());
    key
}

fn numbered(prefix: u8, record: u64) -> Vec<u8> {
    let mut key = vec![prefix];
    key.extend(record.to_be_bytes());
    key
}

fn id_of(key: &[u8]) -> Option<ProposalId> {
    let record = u64::from_be_bytes(key.get(..8)?.try_into().ok()?);
    Some(ProposalId { item: u32::from_be_bytes(key.get(8..12)?.try_into().ok()?), record })
}

fn damaged() -> DkgError {
    DkgError::store("a proposal is damaged")
}

/// Reads a proposal.
pub(super) fn get(draft: &Draft<'_>, id: ProposalId) -> Result<Stored, DkgError> {
    draft.read(&key(id), |bytes| serde_json::from_slice(bytes.ok_or(Refusal::NoProposal(id))?).map_err(|_| damaged()))
}

/// Writes a proposal.
pub(super) fn put(draft: &mut Draft<'_>, id: ProposalId, stored: &Stored) -> Result<(), DkgError> {
    draft.put(key(id), serde_json::to_vec(stored).map_err(|_| damaged())?)
}

/// Notes that a record is feedback.
pub(super) fn note_feedback(draft: &mut Draft<'_>, record: u64) -> Result<(), DkgError> {
    draft.put(numbered(BECAUSE, record), Vec::new())
}

/// Whether a record is feedback.
pub(super) fn is_feedback(draft: &Draft<'_>, record: u64) -> Result<bool, DkgError> {
    draft.read(&numbered(BECAUSE, record), |bytes| Ok(bytes.is_some()))
}

/// Notes that a record proposed so many changes because of some feedback.
pub(super) fn note(draft: &mut Draft<'_>, record: u64, feedback: u64, count: u32) -> Result<(), DkgError> {
    let mut value = feedback.to_le_bytes().to_vec();
    value.extend(count.to_le_bytes());
    draft.put(numbered(PROPOSED, record), value)?;
    draft.slot(numbered(BECAUSE, feedback))?.get_or_insert_default().extend(record.to_le_bytes());
    Ok(())
}

/// The proposals of a record.
pub(super) fn of_record(draft: &Draft<'_>, record: u64) -> Result<Vec<ProposalId>, DkgError> {
    let count = draft.read(&numbered(PROPOSED, record), |bytes| {
        let count = bytes.and_then(|bytes| bytes.get(8..12)?.try_into().ok()).map(u32::from_le_bytes);
        count.ok_or_else(damaged)
    })?;
    Ok((0..count).map(|item| ProposalId { item, record }).collect())
}

/// The proposals because of some feedback.
pub(super) fn of_feedback(draft: &Draft<'_>, feedback: u64) -> Result<Vec<ProposalId>, DkgError> {
    let records: Vec<u64> = draft.read(&numbered(BECAUSE, feedback), |bytes| {
        Ok(bytes.unwrap_or_default().chunks_exact(8).filter_map(|bytes| bytes.try_into().ok().map(u64::from_le_bytes)).collect())
    })?;
    let mut ids = Vec::new();
    for record in records {
        ids.extend(of_record(draft, record)?);
    }
    Ok(ids)
}

/// Which list of those that wait a status belongs to.
pub(super) fn list_of(status: Status) -> Option<u8> {
    match status {
        Status::Pending => Some(0),
        Status::Redundant => Some(1),
        Status::Conflicting => Some(2),
        Status::Void | Status::Accepted { .. } | Status::Rejected { .. } => None,
    }
}

fn waiting_key(list: u8, id: ProposalId) -> Vec<u8> {
    let mut key = vec![WAITING, list];
    key.extend(id.record.to_be_bytes());
    key.extend(id.item.to_be_bytes());
    key
}

/// Moves a proposal between the lists of those that wait.
pub(super) fn move_list(draft: &mut Draft<'_>, id: ProposalId, from: Option<u8>, to: Option<u8>) -> Result<(), DkgError> {
    if from == to {
        return Ok(());
    }
    if let Some(list) = from {
        draft.delete(waiting_key(list, id))?;
    }
    if let Some(list) = to {
        draft.put(waiting_key(list, id), Vec::new())?;
    }
    Ok(())
}

/// The proposals of a list, oldest first.
pub(super) fn waiting(keys: &dyn Keys, list: u8) -> Result<Vec<ProposalId>, DkgError> {
    let mut ids = Vec::new();
    keys.scan(&[WAITING, list], &mut |key, _| {
        ids.push(id_of(&key[2..]).ok_or_else(damaged)?);
        Ok(())
    })?;
    Ok(ids)
}
