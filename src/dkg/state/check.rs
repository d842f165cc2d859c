//! Checks a change before it is recorded.

use super::Fold;
use super::proposals::{self, Status};
use crate::dkg::error::{DkgError, Refusal};
use crate::dkg::record::{Change, CheckOutcome, ProposalId};
use crate::graph::NamedTriple;
use crate::text::{clean_line, fold};

/// The longest name, bytes.
const LONGEST_NAME: usize = 2000;
/// How much of a refused name is shown, characters.
const SHOWN: usize = 60;

/// Checks a change by itself. Records of the journal passed this check when they were written.
pub(in crate::dkg) fn admissible(change: &Change) -> Result<(), Refusal> {
    match change {
        Change::Feedback(_) | Change::Accept { .. } | Change::Reject { .. } | Change::Undo { .. } => Ok(()),
        Change::Proposed(proposed) => proposed.proposals.iter().try_for_each(|proposal| {
            standing(&proposal.standing)?;
            triple(&proposal.triple)
        }),
        Change::Edit { triple: edited, standing: how, .. } => {
            standing(how)?;
            triple(edited)
        }
        Change::Import(import) => import.triples.iter().try_for_each(|imported| triple(&imported.triple)),
        Change::Pin(pin) => {
            let chains = pin.chains.iter();
            chains.clone().try_for_each(|chain| triple(&chain.fact))?;
            let names = chains.flat_map(|chain| chain.entities.iter().chain(chain.relations.iter().map(|(name, _)| name)));
            names.chain(&pin.linked).chain(&pin.asks).try_for_each(|name| line(name))
        }
    }
}

fn standing(standing: &CheckOutcome) -> Result<(), Refusal> {
    match standing {
        CheckOutcome::Redundant { distance, .. } if !distance.is_finite() => Err(Refusal::Distance),
        _ => Ok(()),
    }
}

fn triple(triple: &NamedTriple) -> Result<(), Refusal> {
    for name in [&triple.head.name, &triple.relation.name, &triple.tail.name] {
        line(name)?;
        if fold(name).is_empty() {
            return Err(refused(name, "it has neither letters nor digits"));
        }
    }
    [&triple.head.kind, &triple.tail.kind].into_iter().try_for_each(|kind| line(kind))
}

fn line(name: &str) -> Result<(), Refusal> {
    if name.len() > LONGEST_NAME {
        return Err(refused(name, "it is too long"));
    }
    if clean_line(name) != name {
        return Err(refused(name, "it has blanks or control characters where none may be"));
    }
    Ok(())
}

fn refused(name: &str, reason: &'static str) -> Refusal {
    Refusal::Name { name: clean_line(name).chars().take(SHOWN).collect(), reason }
}

impl Fold<'_> {
    /// Checks that the records and proposals of a change exist and are in force. `seq` is the number that it would get.
    pub(super) fn check(&self, seq: u64, change: &Change) -> Result<(), DkgError> {
        match change {
            Change::Feedback(_) => Ok(()),
            Change::Proposed(proposed) => self.check_feedback(proposed.feedback),
            Change::Pin(pin) if pin.chains.is_empty() => Err(Refusal::Nothing("chain").into()),
            Change::Pin(pin) => self.check_feedback(pin.feedback),
            Change::Accept { proposals } | Change::Reject { proposals } => {
                if proposals.is_empty() {
                    return Err(Refusal::Nothing("proposal").into());
                }
                let mut sorted = proposals.clone();
                sorted.sort_unstable();
                if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                    return Err(Refusal::Twice(twice[0]).into());
                }
                proposals.iter().try_for_each(|id| self.check_proposal(*id))
            }
            Change::Edit { proposal, .. } => self.check_proposal(*proposal),
            Change::Import(import) if import.triples.is_empty() => Err(Refusal::Nothing("triple").into()),
            Change::Import(_) => Ok(()),
            Change::Undo { record } => {
                if *record == 0 || *record >= seq {
                    return Err(Refusal::NoRecord(*record).into());
                }
                if self.is_void(*record)? {
                    return Err(Refusal::AlreadyUndone(*record).into());
                }
                Ok(())
            }
        }
    }

    fn check_feedback(&self, record: u64) -> Result<(), DkgError> {
        if !proposals::is_feedback(&self.draft, record)? {
            return Err(Refusal::NoFeedback(record).into());
        }
        if self.is_void(record)? {
            return Err(Refusal::VoidFeedback(record).into());
        }
        Ok(())
    }

    fn check_proposal(&self, id: ProposalId) -> Result<(), DkgError> {
        if self.proposal(id)?.status == Status::Void {
            return Err(Refusal::VoidProposal(id).into());
        }
        Ok(())
    }
}
