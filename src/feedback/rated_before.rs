//! Which answers were rated already, and how: an equal rating is recorded once.

use std::collections::HashMap;

use crate::dkg::{Change, Dkg, DkgError, Feedback, ProposalId, ProposalState, Proposed, Rating};

/// The ratings of each run, by their records; read from the journal as it grows.
#[derive(Debug, Default)]
pub(super) struct RatedBefore {
    /// The first record that was not read yet.
    next: u64,
    by_run: HashMap<String, Vec<u64>>,
}

impl RatedBefore {
    /// What the ratings in force say about the answer that is rated now.
    ///
    /// # Errors
    /// If the journal or the store cannot be read.
    pub(super) fn find(&mut self, dkg: &Dkg, feedback: &Feedback) -> Result<Earlier, DkgError> {
        if feedback.run.is_empty() {
            return Ok(Earlier::None);
        }
        let next = dkg.next_seq();
        // A line that cannot be read hides one rating at most; whoever writes next is told of it.
        for record in dkg.records(self.next.max(1)..next)?.filter_map(Result::ok) {
            if let Change::Feedback(known) = record.change {
                self.by_run.entry(known.run).or_default().push(record.seq);
            }
        }
        self.next = next;
        for record in self.by_run.get(&feedback.run).into_iter().flatten().rev() {
            let Change::Feedback(known) = dkg.record(*record)?.change else { continue };
            let is_equal = says_all_of(&known, feedback);
            if !(is_equal || is_opposite(&known, feedback)) || dkg.is_void(*record)? {
                continue;
            }
            // Good, bad, and good again: the last says something new.
            return Ok(if is_equal { Earlier::Equal(*record) } else { Earlier::Opposite(*record, known.rating) });
        }
        Ok(Earlier::None)
    }
}

/// The latest rating of the same answer that is in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Earlier {
    /// There is none.
    None,
    /// It says the same. The value is its record.
    Equal(u64),
    /// One says good and the other bad. The value is the record of the earlier one.
    Opposite(u64, Rating),
}

/// Whether one rating calls an answer good and the other calls the same answer bad.
fn is_opposite(known: &Feedback, other: &Feedback) -> bool {
    let judges = |rating: Rating| matches!(rating, Rating::Good | Rating::Bad);
    known.rating != other.rating && judges(known.rating) && judges(other.rating) && known.answer == other.answer
}

/// Whether a rating says all that another one would.
fn says_all_of(known: &Feedback, other: &Feedback) -> bool {
    known.rating == other.rating
        && known.gold == other.gold
        && known.answer == other.answer
        && (other.comment.is_empty() || known.comment == other.comment)
}

/// The proposals that follow from a rating, as they stand.
///
/// # Errors
/// If the journal or the store cannot be read.
pub(super) fn proposals_of(dkg: &Dkg, rating: u64) -> Result<Vec<ProposalState>, DkgError> {
    // They are recorded right behind it.
    let record = rating + 1;
    let of_next = dkg.records(record..record + 1)?.find_map(Result::ok).map(|next| next.change);
    match of_next {
        Some(Change::Proposed(Proposed { feedback, proposals })) if feedback == rating => {
            (0..proposals.len() as u32).map(|item| dkg.proposal(ProposalId { item, record })).collect()
        }
        _ => Ok(Vec::new()),
    }
}
