//! The learned triples in numbers, and the records of the DKG in words: read in the background, shown on a sheet.

use super::app::ListPosition;
use crate::dkg::{Change, Dkg, DkgError, ProposalId, Rating, Record, Statistics, moment};
use crate::text::{counted, sanitise_line};

/// The latest records that are listed.
const RECORDS: u64 = 200;
/// Triples named of a record that concerns many.
const NAMED: usize = 3;
/// Points of the growth curve that are kept: no screen is wider.
const POINTS: usize = 400;

/// What was learned.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LearnedOverview {
    /// In numbers. The growth curve is in `growth`.
    pub statistics: Statistics,
    /// How many triples were learned, after each record that changed it; thinned out evenly where there are more than a screen has columns.
    pub growth: Vec<u64>,
    /// The latest records, the last first.
    pub records: Vec<LearnedRecord>,
}

/// A record in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearnedRecord {
    /// Its number.
    pub record: u64,
    /// When it was written.
    pub when: String,
    /// What it did.
    pub text: String,
    /// It was undone.
    pub void: bool,
}

impl LearnedOverview {
    /// Reads the latest records and the numbers.
    ///
    /// # Errors
    /// If the journal or the store cannot be read.
    pub(super) fn read(dkg: &Dkg) -> Result<Self, DkgError> {
        let mut statistics = dkg.statistics()?;
        let growth = thinned(&std::mem::take(&mut statistics.growth).into_iter().map(|point| point.learned).collect::<Vec<_>>());
        let next = dkg.next_seq();
        let mut records = Vec::new();
        for record in dkg.records(next.saturating_sub(RECORDS).max(1)..next)? {
            let record = record?;
            let text = in_words(dkg, &record);
            // A pin counts as long as its rating does.
            let of_void = match &record.change {
                Change::Pin(pin) => dkg.is_void(pin.feedback)?,
                _ => false,
            };
            let void = of_void || dkg.is_void(record.seq)?;
            records.push(LearnedRecord { record: record.seq, when: moment(record.at_ms), text, void });
        }
        records.reverse();
        Ok(Self { statistics, growth, records })
    }
}

/// At most [`POINTS`] of the values, evenly spaced, the last among them.
fn thinned(values: &[u64]) -> Vec<u64> {
    if values.len() <= POINTS {
        return values.to_vec();
    }
    (0..POINTS).filter_map(|at| values.get((values.len() - 1) * at / (POINTS - 1)).copied()).collect()
}

fn in_words(dkg: &Dkg, record: &Record) -> String {
    match &record.change {
        Change::Feedback(feedback) if feedback.is_taught() => {
            let why = if feedback.comment.is_empty() { String::new() } else { format!(" ({})", sanitise_line(&feedback.comment)) };
            format!("Taught directly: {}{why}", sanitise_line(&feedback.gold))
        }
        Change::Feedback(feedback) => {
            let rating = match feedback.rating {
                Rating::Good => "Answer rated good",
                Rating::Bad => "Answer rated bad",
                Rating::Gold => "Gold answer written",
            };
            let comment = if feedback.comment.is_empty() { String::new() } else { format!(" ({})", sanitise_line(&feedback.comment)) };
            format!("{rating}: “{}”{comment}", sanitise_line(&feedback.question))
        }
        Change::Proposed(proposed) => {
            format!("{} from record {}", counted(proposed.proposals.len() as u64, "proposal", "proposals"), proposed.feedback)
        }
        Change::Accept { proposals } => format!("Accepted {}", named(dkg, proposals)),
        Change::Reject { proposals } => format!("Rejected {}", named(dkg, proposals)),
        Change::Edit { proposal, triple, .. } => format!("Edited proposal {proposal}: {}", sanitise_line(&triple.text())),
        Change::Import(import) => {
            format!("{} imported from {}", counted(import.triples.len() as u64, "triple", "triples"), sanitise_line(&import.file))
        }
        Change::Pin(pin) => {
            let facts: Vec<String> = pin.chains.iter().map(|chain| chain.fact.text()).collect();
            format!("Pinned from record {} for questions like its own: {}", pin.feedback, sanitise_line(&facts.join("; ")))
        }
        Change::Undo { record } => format!("Undid record {record}"),
    }
}

fn named(dkg: &Dkg, proposals: &[ProposalId]) -> String {
    let text = |id: &ProposalId| dkg.proposal(*id).map_or_else(|_| format!("proposal {id}"), |state| state.proposal.triple.text());
    let mut names: Vec<String> = proposals.iter().take(NAMED).map(text).collect();
    if proposals.len() > NAMED {
        names.push(format!("{} more", proposals.len() - NAMED));
    }
    let text = names.join("; ");
    if proposals.len() > 1 { format!("{}: {}", proposals.len(), sanitise_line(&text)) } else { sanitise_line(&text) }
}

/// The sheet that shows it.
#[derive(Debug, Default)]
pub(crate) struct LearnedSheet {
    pub(crate) overview: LearnedOverview,
    pub(crate) at: ListPosition,
    /// It is being read.
    pub(crate) awaited: bool,
}

impl LearnedSheet {
    /// The selected record.
    pub(crate) fn selected(&self) -> Option<&LearnedRecord> {
        self.overview.records.get(self.at.selected)
    }

    /// Takes in what was read; the same record stays selected.
    pub(crate) fn take(&mut self, overview: LearnedOverview) {
        let before = self.selected().map(|record| record.record);
        // Another record at the top is where one who was there wants to stay.
        let place = overview.records.iter().position(|record| Some(record.record) == before);
        self.at.selected = if self.at.selected == 0 { 0 } else { place.unwrap_or(0) };
        self.overview = overview;
        self.awaited = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_curve_is_thinned_evenly_to_its_last_value() {
        let long: Vec<u64> = (0..1_000_000).collect();
        let thin = thinned(&long);
        assert_eq!((thin.len(), thin.first(), thin.last()), (POINTS, Some(&0), Some(&999_999)));
        assert_eq!(thinned(&[1, 5, 2]), [1, 5, 2]);
    }

    #[test]
    fn a_selected_record_stays_selected_while_others_come() {
        let lessons = |records: std::ops::Range<u64>| LearnedOverview {
            records: records.rev().map(|record| LearnedRecord { record, when: String::new(), text: String::new(), void: false }).collect(),
            ..LearnedOverview::default()
        };
        let mut sheet = LearnedSheet::default();
        sheet.take(lessons(1..5));
        sheet.at.selected = 1;
        sheet.take(lessons(1..7));
        assert_eq!(sheet.selected().map(|record| record.record), Some(3));
        sheet.at.selected = 0;
        sheet.take(lessons(1..9));
        assert_eq!(sheet.selected().map(|record| record.record), Some(8), "whoever looks at the latest goes on doing so");
    }
}
