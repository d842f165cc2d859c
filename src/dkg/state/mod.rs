//! The state of the DKG: the fold of its records.
//!
//! A record is void if and only if an undo of it is in force, that is, not void itself. A proposal follows its decisions that are not void; a
//! triple is learned if a record in force for it is later than all records in force against it. Every rule concerns one proposal or one
//! triple, so undoing an old record costs no more than writing it did.

mod check;
mod counts;
mod keys;
mod marks;
mod names;
mod preferences;
mod proposals;

use std::collections::HashSet;

pub(super) use check::admissible;
pub(super) use counts::{Counts, statistics};
pub(super) use keys::{Changes, Digest, Draft, Each, Keys, MemoryKeys};
pub(super) use marks::table;
pub(super) use preferences::read as preferences;
pub use preferences::{ChainRatings, Preferences};
pub use proposals::{ProposalState, Status, Waiting};

use super::error::DkgError;
use super::record::{Act, Change, Import, Pin, ProposalId, Record};
use crate::graph::{LearnedTriple, NamedTriple};
use marks::{Identity, Mark};
use proposals::{Decision, Stored, What};

/// By record: how many undos of it are in force.
const UNDONE: u8 = b'x';
/// By record that undoes: what it undoes. Spares the journal while a chain of undos is followed.
const UNDOES: u8 = b'y';

/// What a record changed in the learned triples. A copy is updated by removing `unlearned` first, then adding `learned`: a triple whose
/// spelling or record changes is in both.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordEffect {
    /// Triples that are newly learned or changed.
    pub learned: Vec<LearnedTriple>,
    /// Triples that are no longer learned, or changed.
    pub unlearned: Vec<NamedTriple>,
    /// Whether ratings or pins of chains changed.
    pub preferences: bool,
}

/// Gives a record that was written before.
pub(super) type Earlier<'a> = &'a dyn Fn(u64) -> Result<Record, DkgError>;

/// Applies records one by one.
pub(super) struct Fold<'a> {
    draft: Draft<'a>,
    counts: Counts,
    /// The triples that the present record concerns, with what they were shown with before it.
    touched: Vec<(Identity, Option<Mark>)>,
    /// Whether it concerns ratings or pins of chains.
    prefers: bool,
    seen: HashSet<Identity>,
}

impl<'a> Fold<'a> {
    /// Starts from a state.
    pub(super) fn new(keys: &'a dyn Keys) -> Result<Self, DkgError> {
        let counts = Counts::read(keys)?;
        Ok(Self { draft: Draft::new(keys), counts, touched: Vec::new(), prefers: false, seen: HashSet::new() })
    }

    /// What is to be written, and the digest of the state then.
    pub(super) fn finish(mut self, digest: Digest) -> Result<(Changes, Digest), DkgError> {
        self.counts.write(&mut self.draft)?;
        Ok(self.draft.finish(digest))
    }

    /// Whether a record is void.
    pub(super) fn is_void(&self, record: u64) -> Result<bool, DkgError> {
        is_void(&self.draft, record)
    }

    /// A proposal with its current state.
    pub(super) fn proposal(&self, id: ProposalId) -> Result<ProposalState, DkgError> {
        proposals::get(&self.draft, id)?.state(id, &mut |record| is_void(&self.draft, record))
    }

    /// The records that make a triple learned.
    pub(super) fn supports(&self, triple: &NamedTriple) -> Result<Vec<u64>, DkgError> {
        marks::supports_of(&self.draft, triple)
    }

    /// Whether everything in an import is learned already.
    pub(super) fn knows(&self, import: &Import) -> Result<bool, DkgError> {
        for imported in &import.triples {
            if marks::shown_of(&self.draft, Identity::of(&imported.triple))?.is_none() {
                return Ok(false);
            }
        }
        Ok(!import.triples.is_empty())
    }

    /// Applies a record.
    ///
    /// # Errors
    /// If it refers to something missing or void; then nothing has changed.
    pub(super) fn apply(&mut self, record: &Record, earlier: Earlier<'_>) -> Result<RecordEffect, DkgError> {
        self.check(record.seq, &record.change)?;
        let seq = record.seq;
        match &record.change {
            Change::Feedback(feedback) => {
                proposals::note_feedback(&mut self.draft, seq)?;
                self.prefers = preferences::put_rating(&mut self.draft, seq, feedback, true)?;
            }
            Change::Proposed(proposed) => {
                let feedback = proposed.feedback;
                let count = u32::try_from(proposed.proposals.len()).unwrap_or(u32::MAX);
                proposals::note(&mut self.draft, seq, feedback, count)?;
                for (item, proposal) in (0..count).zip(&proposed.proposals) {
                    let proposal = proposal.clone();
                    self.settle(
                        ProposalId { item, record: seq },
                        Stored { feedback, proposal, decisions: Vec::new(), list: None, marked: None },
                    )?;
                }
            }
            Change::Accept { proposals } => proposals.iter().try_for_each(|id| self.decide(*id, seq, What::Accept))?,
            Change::Reject { proposals } => proposals.iter().try_for_each(|id| self.decide(*id, seq, What::Reject))?,
            Change::Edit { proposal, triple, standing } => {
                self.decide(*proposal, seq, What::Edit(triple.clone(), standing.clone()))?;
            }
            Change::Import(import) => self.import(import, seq, true)?,
            Change::Pin(pin) => self.pin(pin, seq, true)?,
            Change::Undo { record } => {
                self.draft.put(numbered(UNDOES, seq), record.to_le_bytes().to_vec())?;
                self.undo(*record, earlier)?;
            }
        }
        let effect = self.effect()?;
        self.counts.learned = self.counts.learned + effect.learned.len() as u64 - effect.unlearned.len() as u64;
        let grew = effect.learned.len() != effect.unlearned.len();
        self.counts.count(&mut self.draft, record, grew)?;
        Ok(effect)
    }

    /// What came of the triples that the record concerns.
    fn effect(&mut self) -> Result<RecordEffect, DkgError> {
        let mut effect = RecordEffect { preferences: std::mem::take(&mut self.prefers), ..RecordEffect::default() };
        self.seen.clear();
        for (identity, before) in std::mem::take(&mut self.touched) {
            let after = marks::shown_of(&self.draft, identity)?;
            if before == after {
                continue;
            }
            if let Some(mark) = before {
                effect.unlearned.push(mark.learned(&self.draft)?.triple);
            }
            if let Some(mark) = after {
                effect.learned.push(mark.learned(&self.draft)?);
            }
        }
        Ok(effect)
    }

    fn mark(&mut self, triple: &NamedTriple, act: Act, record: u64, put: bool) -> Result<(), DkgError> {
        let identity = Identity::of(triple);
        if self.seen.insert(identity) {
            self.touched.push((identity, marks::shown_of(&self.draft, identity)?));
        }
        let change = if put { marks::put } else { marks::take };
        change(&mut self.draft, identity, triple, act, record)
    }

    fn import(&mut self, import: &Import, record: u64, put: bool) -> Result<(), DkgError> {
        import.triples.iter().try_for_each(|imported| self.mark(&imported.triple, Act::Add, record, put))
    }

    fn pin(&mut self, pin: &Pin, record: u64, put: bool) -> Result<(), DkgError> {
        self.prefers = true;
        preferences::put_pin(&mut self.draft, record, pin, put)
    }

    fn decide(&mut self, id: ProposalId, record: u64, what: What) -> Result<(), DkgError> {
        let mut stored = proposals::get(&self.draft, id)?;
        stored.decisions.push(Decision { record, what });
        self.settle(id, stored)
    }

    /// Makes lists and marks follow a proposal's decisions, and keeps it.
    fn settle(&mut self, id: ProposalId, mut stored: Stored) -> Result<(), DkgError> {
        let state = stored.state(id, &mut |record| is_void(&self.draft, record))?;
        let marked = match state.status {
            Status::Accepted { record } => Some((record, state.proposal.triple)),
            _ => None,
        };
        if stored.marked != marked {
            let act = stored.proposal.act;
            if let Some((record, triple)) = &stored.marked {
                self.mark(triple, act, *record, false)?;
            }
            if let Some((record, triple)) = &marked {
                self.mark(triple, act, *record, true)?;
            }
            stored.marked = marked;
        }
        let list = proposals::list_of(state.status);
        proposals::move_list(&mut self.draft, id, stored.list, list)?;
        for (list, more) in [(stored.list, false), (list, true)] {
            if let Some(count) = list.and_then(|list| self.counts.waiting.get_mut(usize::from(list))) {
                *count = if more { *count + 1 } else { count.saturating_sub(1) };
            }
        }
        stored.list = list;
        proposals::put(&mut self.draft, id, &stored)
    }

    fn settle_again(&mut self, ids: &[ProposalId]) -> Result<(), DkgError> {
        for id in ids {
            let stored = proposals::get(&self.draft, *id)?;
            self.settle(*id, stored)?;
        }
        Ok(())
    }

    /// One undo more of a record; and on along a chain of undos, which may be of any length.
    fn undo(&mut self, record: u64, earlier: Earlier<'_>) -> Result<(), DkgError> {
        let (mut target, mut more) = (record, true);
        loop {
            let before = number(&self.draft, UNDONE, target)?.unwrap_or(0);
            let after = if more { before + 1 } else { before.saturating_sub(1) };
            if after == 0 {
                self.draft.delete(numbered(UNDONE, target))?;
            } else {
                self.draft.put(numbered(UNDONE, target), after.to_le_bytes().to_vec())?;
            }
            let void = after > 0;
            if void == (before > 0) {
                return Ok(());
            }
            if let Some(next) = number(&self.draft, UNDOES, target)? {
                (target, more) = (next, !void);
                continue;
            }
            match earlier(target)?.change {
                Change::Feedback(feedback) => {
                    preferences::put_rating(&mut self.draft, target, &feedback, !void)?;
                    // What it pins counts only while it is in force.
                    self.prefers = true;
                    let ids = proposals::of_feedback(&self.draft, target)?;
                    return self.settle_again(&ids);
                }
                Change::Proposed(_) => {
                    let ids = proposals::of_record(&self.draft, target)?;
                    return self.settle_again(&ids);
                }
                Change::Accept { proposals } | Change::Reject { proposals } => return self.settle_again(&proposals),
                Change::Edit { proposal, .. } => return self.settle_again(&[proposal]),
                Change::Import(import) => return self.import(&import, target, !void),
                Change::Pin(pin) => return self.pin(&pin, target, !void),
                Change::Undo { .. } => return Err(DkgError::store("an undo is missing")),
            }
        }
    }
}

fn numbered(prefix: u8, record: u64) -> Vec<u8> {
    let mut key = vec![prefix];
    key.extend(record.to_be_bytes());
    key
}

/// A number that is kept by record.
fn number(draft: &Draft<'_>, prefix: u8, record: u64) -> Result<Option<u64>, DkgError> {
    draft.read(&numbered(prefix, record), |bytes| match bytes {
        Some(bytes) => bytes.try_into().map(|bytes| Some(u64::from_le_bytes(bytes))).map_err(|_| DkgError::store("an undo is damaged")),
        None => Ok(None),
    })
}

fn is_void(draft: &Draft<'_>, record: u64) -> Result<bool, DkgError> {
    Ok(number(draft, UNDONE, record)?.is_some_and(|undos| undos > 0))
}

/// The proposals that wait.
pub(super) fn waiting(keys: &dyn Keys) -> Result<Waiting, DkgError> {
    let fold = Fold::new(keys)?;
    let list = |list: u8| proposals::waiting(keys, list)?.into_iter().map(|id| fold.proposal(id)).collect::<Result<Vec<_>, _>>();
    Ok(Waiting { pending: list(0)?, redundant: list(1)?, conflicting: list(2)? })
}
