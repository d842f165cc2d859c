//! Counters of the state, updated with every record.

use serde::{Deserialize, Serialize};

use super::keys::{Draft, Keys};
use crate::dkg::error::DkgError;
use crate::dkg::record::{Change, CheckOutcome, Record};
use crate::dkg::statistics::{Day, Growth, RecordCounts, Statistics, day_of};

const COUNTS: &[u8] = b"c";
const DAY: u8 = b'd';
const GROWTH: u8 = b'g';
/// So many records share a value of the growth curve.
const PER_BLOCK: u64 = 512;
/// Record, time, learned triples: `u64` each.
const POINT: usize = 24;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(in crate::dkg) struct Counts {
    records: u64,
    by_type: RecordCounts,
    pub(super) learned: u64,
    /// By list: pending, redundant, conflicting.
    pub(super) waiting: [u64; 3],
}

fn damaged() -> DkgError {
    DkgError::store("a counter is damaged")
}

fn numbered(prefix: u8, number: u64) -> Vec<u8> {
    let mut key = vec![prefix];
    key.extend(number.to_be_bytes());
    key
}

impl Counts {
    pub(in crate::dkg) fn read(keys: &dyn Keys) -> Result<Self, DkgError> {
        match keys.get(COUNTS)? {
            Some(bytes) => serde_json::from_slice(&bytes).map_err(|_| damaged()),
            None => Ok(Self::default()),
        }
    }

    pub(super) fn write(&self, draft: &mut Draft<'_>) -> Result<(), DkgError> {
        draft.put(COUNTS.to_vec(), serde_json::to_vec(self).map_err(|_| damaged())?)
    }

    /// Counts a record; `grew` says whether the number of learned triples is another one now.
    pub(super) fn count(&mut self, draft: &mut Draft<'_>, record: &Record, grew: bool) -> Result<(), DkgError> {
        self.records += 1;
        let number = day_of(record.at_ms);
        let slot = draft.slot(numbered(DAY, number))?;
        let mut day: Day = match slot {
            Some(bytes) => serde_json::from_slice(bytes).map_err(|_| damaged())?,
            None => Day { day: number, ..Day::default() },
        };
        let types = &mut self.by_type;
        match &record.change {
            Change::Feedback(_) => (types.feedback, day.feedback) = (types.feedback + 1, day.feedback + 1),
            Change::Proposed(proposed) => {
                types.proposed += 1;
                day.proposed += proposed.proposals.len() as u64;
                for proposal in &proposed.proposals {
                    day.redundant += u64::from(matches!(proposal.standing, CheckOutcome::Redundant { .. }));
                    day.conflicting += u64::from(matches!(proposal.standing, CheckOutcome::Conflict { .. }));
                }
            }
            Change::Accept { proposals } => (types.accept, day.accepted) = (types.accept + 1, day.accepted + proposals.len() as u64),
            Change::Reject { proposals } => (types.reject, day.rejected) = (types.reject + 1, day.rejected + proposals.len() as u64),
            Change::Edit { .. } => (types.edit, day.edited) = (types.edit + 1, day.edited + 1),
            Change::Import(import) => (types.import, day.imported) = (types.import + 1, day.imported + import.triples.len() as u64),
            Change::Pin(_) => types.pin += 1,
            Change::Undo { .. } => (types.undo, day.undone) = (types.undo + 1, day.undone + 1),
        }
        day.learned = self.learned;
        *slot = Some(serde_json::to_vec(&day).map_err(|_| damaged())?);
        if grew {
            let block = draft.slot(numbered(GROWTH, record.seq / PER_BLOCK))?.get_or_insert_default();
            for number in [record.seq, record.at_ms, self.learned] {
                block.extend(number.to_le_bytes());
            }
        }
        Ok(())
    }
}

/// All numbers.
pub(in crate::dkg) fn statistics(keys: &dyn Keys) -> Result<Statistics, DkgError> {
    let Counts { records, by_type, learned, waiting: [pending, redundant, conflicting] } = Counts::read(keys)?;
    let mut statistics = Statistics { records, by_type, learned, pending, redundant, conflicting, days: Vec::new(), growth: Vec::new() };
    keys.scan(&[DAY], &mut |_, value| {
        statistics.days.push(serde_json::from_slice(value).map_err(|_| damaged())?);
        Ok(())
    })?;
    keys.scan(&[GROWTH], &mut |_, value| {
        for point in value.chunks_exact(POINT) {
            let number = |at: usize| point.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes);
            statistics.growth.push(Growth { record: number(0), at_ms: number(8), learned: number(16) });
        }
        Ok(())
    })?;
    Ok(statistics)
}
