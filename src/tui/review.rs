//! The review: the pending proposals, and the decisions made here. A decision shows at once; what could not be recorded comes back.

use std::collections::{BTreeMap, BTreeSet};

use super::app::ListPosition;
use crate::dkg::{ProposalId, ProposalState, Status, Waiting};

/// Where a proposal stands in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ReviewGroup {
    /// It waits for a decision.
    Pending,
    /// It contradicts what is known.
    Conflicting,
    /// It repeats what is known.
    Redundant,
}

impl ReviewGroup {
    pub(crate) const ALL: [Self; 3] = [Self::Pending, Self::Conflicting, Self::Redundant];

    pub(crate) fn of(state: &ProposalState) -> Self {
        match state.status {
            Status::Conflicting => Self::Conflicting,
            Status::Redundant => Self::Redundant,
            _ => Self::Pending,
        }
    }

    /// The heading above its proposals.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Pending => "Waiting for your decision",
            Self::Conflicting => "Held back: conflicts with what is known",
            Self::Redundant => "Redundant",
        }
    }
}

/// A row of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReviewRow {
    Heading(ReviewGroup, usize),
    /// By its place.
    Proposal(usize),
}

#[derive(Debug, Default)]
pub(crate) struct Review {
    items: Vec<ProposalState>,
    /// `selected` is a proposal's place, `offset` a row.
    pub(crate) at: ListPosition,
    marked: BTreeSet<(u64, u32)>,
    /// Decided here, and not yet known to be recorded.
    under_way: BTreeMap<(u64, u32), ProposalState>,
    /// The records of what was decided here, in order.
    decided: Vec<u64>,
    /// The list is being read.
    pub(crate) awaited: bool,
    /// The first proposal of what was taught or rated last: there the review opens.
    latest: Option<ProposalId>,
    /// Whether the last thing done here, since it was opened, was to accept (`true`) or to reject.
    pub(crate) last: Option<bool>,
}

/// Oldest first.
fn key(id: ProposalId) -> (u64, u32) {
    (id.record, id.item)
}

fn order(state: &ProposalState) -> (ReviewGroup, (u64, u32)) {
    (ReviewGroup::of(state), key(state.id))
}

impl Review {
    /// What is listed, by group.
    pub(crate) fn items(&self) -> &[ProposalState] {
        &self.items
    }

    /// The rows: a heading before each group.
    pub(crate) fn rows(&self) -> Vec<ReviewRow> {
        let mut rows = Vec::with_capacity(self.items.len() + ReviewGroup::ALL.len());
        let mut group = None;
        for (place, item) in self.items.iter().enumerate() {
            let of = ReviewGroup::of(item);
            if group != Some(of) {
                group = Some(of);
                rows.push(ReviewRow::Heading(of, self.items.iter().filter(|item| ReviewGroup::of(item) == of).count()));
            }
            rows.push(ReviewRow::Proposal(place));
        }
        rows
    }

    /// Takes in the list as it was read. What was decided since stays decided, and the same proposal stays selected.
    pub(crate) fn offer(&mut self, waiting: Waiting) {
        self.awaited = false;
        let before = self.selected().map(|item| item.id);
        let Waiting { pending, redundant, conflicting } = waiting;
        self.items =
            pending.into_iter().chain(conflicting).chain(redundant).filter(|item| !self.under_way.contains_key(&key(item.id))).collect();
        self.items.sort_by_key(order);
        let latest = self.latest.take().filter(|latest| self.items.iter().any(|item| item.id == *latest));
        let before = latest.or(before);
        let there: BTreeSet<(u64, u32)> = self.items.iter().map(|item| key(item.id)).collect();
        self.marked.retain(|id| there.contains(id));
        if let Some(place) = self.items.iter().position(|item| Some(item.id) == before) {
            self.at.selected = place;
        }
        self.keep_in_bounds();
    }

    /// Goes to the first of these that waits, as soon as it is listed.
    pub(crate) fn go_to_first_of(&mut self, proposals: &[ProposalState]) {
        let waits = |state: &&ProposalState| matches!(state.status, Status::Pending | Status::Conflicting);
        self.latest = proposals.iter().find(waits).map(|state| state.id).or(self.latest);
    }

    /// Selects a proposal by its place.
    pub(crate) fn select(&mut self, place: usize) {
        self.at.selected = place;
        self.keep_in_bounds();
    }

    fn keep_in_bounds(&mut self) {
        self.at.selected = self.at.selected.min(self.items.len().saturating_sub(1));
    }

    /// The selected proposal.
    pub(crate) fn selected(&self) -> Option<&ProposalState> {
        self.items.get(self.at.selected)
    }

    /// Whether a proposal is marked.
    pub(crate) fn is_marked(&self, id: ProposalId) -> bool {
        self.marked.contains(&key(id))
    }

    /// How many are marked.
    pub(crate) fn marks(&self) -> usize {
        self.marked.len()
    }

    /// Marks the selected proposal or unmarks it, and goes on to the next.
    pub(crate) fn mark(&mut self) {
        let Some(id) = self.selected().map(|item| key(item.id)) else { return };
        if !self.marked.remove(&id) {
            self.marked.insert(id);
        }
        self.at.selected += 1;
        self.keep_in_bounds();
    }

    /// The proposals that a decision about several concerns: the marked ones, else all pending ones.
    pub(crate) fn several(&self) -> Vec<&ProposalState> {
        let is_meant = |item: &&ProposalState| {
            if self.marked.is_empty() { ReviewGroup::of(item) == ReviewGroup::Pending } else { self.is_marked(item.id) }
        };
        self.items.iter().filter(is_meant).collect()
    }

    /// Takes proposals that were decided off the list.
    pub(crate) fn take(&mut self, proposals: &[ProposalId]) {
        let meant: BTreeSet<(u64, u32)> = proposals.iter().map(|id| key(*id)).collect();
        let group = self.selected().filter(|item| meant.contains(&key(item.id))).map(ReviewGroup::of);
        let above = self.items.iter().take(self.at.selected).filter(|item| meant.contains(&key(item.id))).count();
        let (taken, left) = std::mem::take(&mut self.items).into_iter().partition(|item: &ProposalState| meant.contains(&key(item.id)));
        let taken: Vec<ProposalState> = taken;
        self.items = left;
        self.under_way.extend(taken.into_iter().map(|item| (key(item.id), item)));
        self.marked.retain(|id| !meant.contains(id));
        self.at.selected -= above;
        self.keep_in_bounds();
        // Behind the last of a group, the one before it comes next, not one of another group.
        let is_of = |review: &Self, place: usize| review.items.get(place).map(ReviewGroup::of) == group;
        if group.is_some()
            && !is_of(self, self.at.selected)
            && let Some(before) = self.at.selected.checked_sub(1).filter(|before| is_of(self, *before))
        {
            self.at.selected = before;
        }
    }

    /// The triple of a proposal whose decision is being recorded, in words.
    pub(crate) fn stated(&self, proposal: ProposalId) -> Option<String> {
        Some(self.under_way.get(&key(proposal))?.proposal.triple.text())
    }

    /// A decision came back: it was recorded by a record, or could not be, and the proposals are on the list again.
    pub(crate) fn came_back(&mut self, proposals: &[ProposalId], record: Option<u64>) {
        let selected = self.selected().map(|item| item.id);
        for id in proposals {
            if let (Some(item), None) = (self.under_way.remove(&key(*id)), record) {
                self.items.push(item);
            }
        }
        self.items.sort_by_key(order);
        if let Some(place) = self.items.iter().position(|item| Some(item.id) == selected) {
            self.at.selected = place;
        }
        self.decided.extend(record);
    }

    /// A record edited a proposal.
    pub(crate) fn was_edited(&mut self, record: u64) {
        self.decided.push(record);
    }

    /// The record of the last decision made here that was not undone.
    pub(crate) fn last_decision(&mut self) -> Option<u64> {
        self.decided.pop()
    }

    /// A record was undone, here or elsewhere: it is no decision to take back any more.
    pub(crate) fn was_undone(&mut self, record: u64) {
        self.decided.retain(|decided| *decided != record);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dkg::{Act, Basis, CheckOutcome, Proposal, Proposer};
    use crate::graph::{Kind, NamedEntity, NamedRelation, NamedTriple, Player, Role};

    fn state(record: u64, item: u32, status: Status) -> ProposalState {
        let triple = NamedTriple::new(
            NamedEntity::new("a", &Kind::Drug),
            NamedRelation { name: "treats".into(), player: Player::Head, role: Role::Treatment },
            NamedEntity::new("b", &Kind::Disease),
        );
        let proposal = Proposal {
            act: Act::Add,
            basis: Basis::default(),
            new_entities: Vec::new(),
            proposer: Proposer::Rule,
            standing: CheckOutcome::New,
            triple,
        };
        ProposalState { id: ProposalId { item, record }, feedback: 1, proposal, first: None, status }
    }

    fn waiting() -> Waiting {
        Waiting {
            pending: vec![state(2, 0, Status::Pending), state(2, 1, Status::Pending), state(5, 0, Status::Pending)],
            redundant: vec![state(2, 2, Status::Redundant)],
            conflicting: vec![state(4, 0, Status::Conflicting)],
        }
    }

    fn ids(review: &Review) -> Vec<String> {
        review.items().iter().map(|item| item.id.to_string()).collect()
    }

    #[test]
    fn what_waits_comes_before_what_is_held_back() {
        let mut review = Review::default();
        review.offer(waiting());
        assert_eq!(ids(&review), ["2.0", "2.1", "5.0", "4.0", "2.2"]);
        let headings: Vec<usize> =
            review.rows().iter().filter_map(|row| if let ReviewRow::Heading(_, count) = row { Some(*count) } else { None }).collect();
        assert_eq!((headings, review.rows().len()), (vec![3, 1, 1], 8));
    }

    #[test]
    fn a_decision_shows_at_once_and_comes_back_when_it_fails() {
        let mut review = Review::default();
        review.offer(waiting());
        review.at.selected = 1;
        let id = review.selected().expect("one").id;
        review.take(&[id]);
        assert_eq!(ids(&review), ["2.0", "5.0", "4.0", "2.2"]);
        assert_eq!(review.selected().map(|item| item.id.to_string()).as_deref(), Some("5.0"), "the next is selected");
        // When the list is read again before the decision is recorded, the proposal is not listed.
        review.offer(waiting());
        assert_eq!(ids(&review).len(), 4);
        review.came_back(&[id], None);
        assert_eq!(ids(&review), ["2.0", "2.1", "5.0", "4.0", "2.2"], "where it was");
        assert_eq!(review.selected().map(|item| item.id.to_string()).as_deref(), Some("5.0"));
        assert_eq!(review.last_decision(), None);
        review.take(&[id]);
        review.came_back(&[id], Some(7));
        assert_eq!((ids(&review).len(), review.last_decision(), review.last_decision()), (4, Some(7), None));
    }

    #[test]
    fn several_are_those_marked_or_all_that_wait() {
        let mut review = Review::default();
        review.offer(waiting());
        assert_eq!(review.several().len(), 3, "what is held back is never meant by all");
        review.at.selected = 2;
        review.mark();
        review.mark();
        let several: Vec<String> = review.several().iter().map(|item| item.id.to_string()).collect();
        assert_eq!(several, ["5.0", "4.0"]);
        let meant: Vec<ProposalId> = review.several().iter().map(|item| item.id).collect();
        review.take(&meant);
        assert_eq!((review.marks(), ids(&review)), (0, vec!["2.0".to_owned(), "2.1".into(), "2.2".into()]));
        assert_eq!(review.at.selected, 2);
        review.offer(Waiting::default());
        assert!(review.selected().is_none() && review.several().is_empty());
    }
}
