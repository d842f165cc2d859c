//! Two runs of one question, side by side: the pairs that were given, and the one that is shown. Runs are folded when
//! their pair is shown, never all at once.

use std::collections::HashSet;
use std::sync::Arc;

use super::app::App;
use crate::run::{ChainKey, Event, EventKind, Marks, Trace};
use crate::text::fold;

/// What a good answer states, of one part of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expected {
    /// The part, such as `tests`.
    pub part: String,
    /// The entities, each with all its names, the first of which is shown. An answer states the entity if it states one
    /// of the names, whatever the case and spelling ([`fold`]).
    pub entities: Vec<Vec<String>>,
}

/// Two runs of one question, to show side by side.
#[derive(Debug, Clone, Default)]
pub struct RunPair {
    /// The question's id and what was measured, such as `4711 · tests found`.
    pub title: String,
    /// What the answer should have stated.
    pub expected: Vec<Expected>,
    /// What made the runs, such as two methods.
    pub names: [String; 2],
    /// The share of each, such as `0.50`.
    pub shares: [String; 2],
    /// The first run's recording; without events it is shown as missing.
    pub first: Vec<Event>,
    /// The second run's.
    pub second: Vec<Event>,
}

impl RunPair {
    /// The recording of a side, 0 or 1.
    pub(crate) fn events(&self, side: usize) -> &[Event] {
        if side == 0 { &self.first } else { &self.second }
    }

    /// The question as either run was asked it; empty when neither began.
    pub(crate) fn question(&self) -> &str {
        let asked = |event: &'_ Event| matches!(event.what, EventKind::RunStarted { .. });
        let started = self.first.iter().find(|event| asked(event)).or_else(|| self.second.iter().find(|event| asked(event)));
        match started.map(|event| &event.what) {
            Some(EventKind::RunStarted { question, .. }) => question,
            _ => "",
        }
    }
}

/// A run as it stood at its end, with what the other is compared by.
#[derive(Debug)]
pub(crate) struct Side {
    pub(crate) trace: Trace,
    pub(crate) marks: Marks,
    stated: HashSet<String>,
    anchors: HashSet<String>,
    kept: HashSet<ChainKey>,
}

impl Side {
    fn of(events: &[Event]) -> Self {
        let trace = Trace::fold(events);
        let marks = Marks::of(&trace);
        let stated = trace.answer.entities.iter().map(|name| fold(name)).collect();
        let anchors = trace.anchors.iter().map(|anchor| fold(&anchor.entity)).collect();
        let kept = trace.kept().map(|(_, _, chain)| ChainKey::of(&trace.table, chain)).collect();
        Self { trace, marks, stated, anchors, kept }
    }

    /// Whether the answer states it.
    pub(crate) fn states(&self, name: &str) -> bool {
        self.stated.contains(&fold(name))
    }

    /// Whether the answer states an entity by one of its names.
    pub(crate) fn states_one_of(&self, names: &[String]) -> bool {
        names.iter().any(|name| self.states(name))
    }

    pub(crate) fn links(&self, entity: &str) -> bool {
        self.anchors.contains(&fold(entity))
    }

    pub(crate) fn keeps(&self, chain: &ChainKey) -> bool {
        self.kept.contains(chain)
    }
}

/// The pairs, and which of them is shown.
#[derive(Debug)]
pub(crate) struct SideBySide {
    pairs: Arc<[RunPair]>,
    at: usize,
    sides: [Side; 2],
    /// All names of the expected entities, folded.
    expected: HashSet<String>,
    /// Which run the panes show: its pair and its side.
    pub(crate) opened: Option<(usize, usize)>,
    /// Whether the panes are shown, rather than both runs.
    pub(crate) in_panes: bool,
    /// The first visible row.
    pub(crate) offset: usize,
}

impl SideBySide {
    /// Shows the pair with this number, or the last one; `None` if there are none.
    pub(crate) fn new(pairs: &Arc<[RunPair]>, at: usize) -> Option<Self> {
        let at = at.min(pairs.len().checked_sub(1)?);
        let sides = [Side::of(&pairs[at].first), Side::of(&pairs[at].second)];
        let mut runs = Self { pairs: Arc::clone(pairs), at, sides, expected: HashSet::new(), opened: None, in_panes: false, offset: 0 };
        runs.expected = runs.names_expected();
        Some(runs)
    }

    fn names_expected(&self) -> HashSet<String> {
        let entities = self.pair().expected.iter().flat_map(|part| &part.entities);
        entities.flatten().map(|name| fold(name)).collect()
    }

    pub(crate) fn pairs(&self) -> &[RunPair] {
        &self.pairs
    }

    /// The number of the shown pair, from 0.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn pair(&self) -> &RunPair {
        &self.pairs[self.at]
    }

    /// A run of the pair, and the other.
    pub(crate) fn side(&self, side: usize) -> (&Side, &Side) {
        (&self.sides[side % 2], &self.sides[(side + 1) % 2])
    }

    /// Goes to another pair; `false` when there is no such.
    pub(crate) fn go_to(&mut self, at: usize) -> bool {
        if at >= self.pairs.len() {
            return false;
        }
        if at != self.at {
            self.at = at;
            self.sides = [Side::of(&self.pair().first), Side::of(&self.pair().second)];
            self.expected = self.names_expected();
            self.offset = 0;
        }
        true
    }

    /// Whether an entity that an answer states is expected.
    pub(crate) fn expects(&self, name: &str) -> bool {
        self.expected.contains(&fold(name))
    }
}

impl App {
    /// Whether two runs are shown side by side, in place of the panes.
    pub(crate) fn is_side_by_side(&self) -> bool {
        self.side_by_side.as_ref().is_some_and(|runs| !runs.in_panes)
    }
}
