//! How the question was read, as a list to correct. The list is a draft: nothing is decided until it is applied.

use super::app::ListPosition;
use crate::run::{AskKind, Case, CaseCorrection, CaseFinding, CaseItem, CaseItemKind, Event, EventKind, FindingStatus, Trace, Triage};
use crate::text::is_cjk;

/// What holds of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowState {
    /// A finding with its status.
    Status(FindingStatus),
    /// Any other item of the case.
    Kept,
    /// It is no part of the case.
    Removed,
}

/// An item, as it is and as it is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CaseRow {
    pub(crate) item: CaseItem,
    pub(crate) before: RowState,
    pub(crate) now: RowState,
    /// It was added to the list, and is no part of the case yet.
    pub(crate) is_new: bool,
}

impl CaseRow {
    fn of(item: CaseItem, removed: bool) -> Self {
        let state = if removed { RowState::Removed } else { as_read(&item) };
        Self { item, before: state, now: state, is_new: false }
    }

    /// A finding that is to be added.
    fn adding(item: CaseItem) -> Self {
        Self { now: as_read(&item), item, before: RowState::Removed, is_new: true }
    }

    fn is_finding(&self) -> bool {
        matches!(self.item.kind, CaseItemKind::Finding(_))
    }
}

/// What an item is unless it is corrected.
fn as_read(item: &CaseItem) -> RowState {
    match item.kind {
        CaseItemKind::Finding(status) => RowState::Status(status),
        _ => RowState::Kept,
    }
}

/// The list. Its items come first, then everything that can be asked.
#[derive(Debug, Default)]
pub(crate) struct CaseSheet {
    pub(crate) rows: Vec<CaseRow>,
    /// What is to be asked, in order.
    pub(crate) asks: Vec<AskKind>,
    asks_before: Vec<AskKind>,
    pub(crate) chinese: bool,
    pub(crate) at: ListPosition,
}

impl CaseSheet {
    /// The case of a run with the corrections that are wanted. What they removed is listed as it was read: `recorded` are the run's events.
    pub(crate) fn of(trace: &Trace, wanted: &Triage, recorded: &[Event]) -> Self {
        let chinese = trace.question.chars().any(is_cjk);
        let mut case = (*trace.case).clone();
        case.correct(&wanted.case);
        let mut rows: Vec<CaseRow> = case.items(chinese).into_iter().map(|item| CaseRow::of(item, false)).collect();
        let as_read: Vec<CaseItem> = recorded
            .iter()
            .filter_map(|event| if let EventKind::CaseRead { case } = &event.what { Some(case.items(chinese)) } else { None })
            .flatten()
            .collect();
        for correction in &wanted.case {
            let CaseCorrection::Remove { item: name } = correction else { continue };
            let unknown = || CaseItem { kind: CaseItemKind::NotUnderstood, name: name.clone(), text: name.clone() };
            let item = as_read.iter().find(|item| item.name == *name).cloned().unwrap_or_else(unknown);
            if rows.iter().all(|row| row.item.name != *name) {
                let at = rows.iter().rposition(|row| row.item.kind.title() == item.kind.title()).map_or(rows.len(), |at| at + 1);
                rows.insert(at, CaseRow::of(item, true));
            }
        }
        // Items of one kind stand together.
        rows.sort_by_key(|row| rank(row.item.kind));
        let asks = case.asked();
        Self { rows, asks_before: asks.clone(), asks, chinese, at: ListPosition::default() }
    }

    /// How many lines can be selected.
    pub(crate) fn len(&self) -> usize {
        self.rows.len() + AskKind::ALL.len()
    }

    /// What can be asked on the line, if it is one of those.
    fn ask_at(&self) -> Option<AskKind> {
        AskKind::ALL.get(self.at.selected.checked_sub(self.rows.len())?).copied()
    }

    /// Turns the selected line: a finding between present and absent, another item between kept and removed, an ask between asked and not.
    pub(crate) fn turn(&mut self) {
        if let Some(kind) = self.ask_at() {
            match self.asks.iter().position(|asked| *asked == kind) {
                Some(at) => drop(self.asks.remove(at)),
                None => self.asks.push(kind),
            }
        } else if let Some(row) = self.rows.get_mut(self.at.selected) {
            row.now = match (row.item.kind, row.now) {
                (CaseItemKind::Finding(_), RowState::Status(FindingStatus::Absent)) => RowState::Status(FindingStatus::Present),
                (CaseItemKind::Finding(_), _) => RowState::Status(FindingStatus::Absent),
                (_, RowState::Removed) => RowState::Kept,
                _ => RowState::Removed,
            };
        }
    }

    /// Marks the selected finding; `false` if the line is none.
    pub(crate) fn mark(&mut self, status: FindingStatus) -> bool {
        let row = self.rows.get_mut(self.at.selected).filter(|row| row.is_finding());
        row.map(|row| row.now = RowState::Status(status)).is_some()
    }

    /// Removes the selected item, or takes it back into the case; `false` if the line is none.
    pub(crate) fn remove(&mut self) -> bool {
        let Some(row) = self.rows.get_mut(self.at.selected) else { return false };
        row.now = if row.now == RowState::Removed { as_read(&row.item) } else { RowState::Removed };
        true
    }

    /// Lists a finding of the graph as present, behind the other findings; one that is listed already is present now. It is selected.
    pub(crate) fn add(&mut self, name: &str) {
        let finding = CaseFinding { text: name.to_owned(), entity: Some(name.to_owned()), ..CaseFinding::default() };
        let alone = Case { findings: vec![finding], ..Case::default() };
        let known = self.rows.iter().position(|row| row.is_finding() && row.item.name == name);
        let at = known.unwrap_or_else(|| self.rows.iter().take_while(|row| row.is_finding()).count());
        if known.is_none() {
            self.rows.splice(at..at, alone.items(self.chinese).into_iter().map(CaseRow::adding));
        }
        self.at.selected = at;
        self.mark(FindingStatus::Present);
    }

    /// Whether applying it would change something.
    pub(crate) fn is_changed(&self) -> bool {
        self.asks != self.asks_before || self.rows.iter().any(|row| row.now != row.before)
    }

    /// Makes the changes part of the decisions.
    pub(crate) fn apply(&self, triage: &mut Triage) {
        for row in self.rows.iter().filter(|row| row.now != row.before) {
            let item = row.item.name.clone();
            match row.now {
                RowState::Removed => triage.correct(CaseCorrection::Remove { item }),
                RowState::Status(status) => triage.correct(CaseCorrection::Status { item, status }),
                RowState::Kept => triage.forget_correction(&item),
            }
        }
        if self.asks != self.asks_before {
            triage.correct(CaseCorrection::Asks { kinds: self.asks.clone() });
        }
    }
}

fn rank(kind: CaseItemKind) -> u8 {
    match kind {
        CaseItemKind::Finding(_) => 0,
        CaseItemKind::Result => 1,
        CaseItemKind::Drug => 2,
        CaseItemKind::Condition => 3,
        CaseItemKind::NotUnderstood => 4,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::run::triage::Decisions;
    use crate::run::{CaseAsk, CaseCondition, CaseDrug, CaseResult, NotUnderstood};

    fn case() -> Case {
        let finding = |name: &str, status| CaseFinding { text: name.into(), entity: Some(name.into()), status, ..CaseFinding::default() };
        Case {
            findings: vec![
                finding("Nausea", FindingStatus::Present),
                finding("Fever", FindingStatus::Absent),
                finding("Cough", FindingStatus::Uncertain),
            ],
            results: vec![CaseResult { test: "pulse".into(), value: Some(42.0), ..CaseResult::default() }],
            drugs: ["Digoxin", "Amiodarone"]
                .map(|name| CaseDrug { text: name.into(), entity: Some(name.into()), ..CaseDrug::default() })
                .into(),
            conditions: vec![CaseCondition { text: "asthma".into(), ..CaseCondition::default() }],
            asks: [AskKind::Causes, AskKind::Tests].map(|kind| CaseAsk { kind, of: vec![] }).into(),
            not_understood: vec![NotUnderstood { text: "zorb".into(), ..NotUnderstood::default() }],
            ..Case::default()
        }
    }

    /// The run as an engine would give it with these decisions, and the events of its readings.
    fn run(triage: &Triage) -> (Trace, Vec<Event>) {
        let mut corrected = case();
        corrected.correct(&triage.case);
        let mut trace = Trace::default();
        (trace.case, trace.triage) = (Arc::new(corrected), Arc::new(triage.clone()));
        let event = |case| Event { run: "a".into(), at_ms: 0.0, what: EventKind::CaseRead { case } };
        (trace.clone(), vec![event(Arc::new(case())), event(trace.case)])
    }

    proptest! {
        #[test]
        fn what_is_applied_is_what_the_sheet_shows_and_undo_gives_the_case_before(
            rounds in prop::collection::vec(prop::collection::vec((0usize..30, 0u8..4), 0..8), 1..4),
        ) {
            let mut decisions = Decisions::default();
            let (trace, _) = run(&Triage::default());
            decisions.settle(Arc::new(trace));
            let mut made = Vec::new();
            for keys in rounds {
                let (trace, recorded) = run(&decisions.wanted);
                let mut sheet = CaseSheet::of(&trace, &decisions.wanted, &recorded);
                prop_assert!(!sheet.is_changed());
                for (at, key) in keys {
                    sheet.at.selected = at % sheet.len();
                    match key {
                        0 => sheet.turn(),
                        1 => drop(sheet.mark(FindingStatus::Absent)),
                        2 => drop(sheet.mark(FindingStatus::Present)),
                        _ => drop(sheet.remove()),
                    }
                }
                let before = (*trace.case).clone();
                let decided = decisions.decide(|triage| sheet.apply(triage));
                if decided {
                    made.push(before);
                }
                let (now, recorded) = run(&decisions.wanted);
                let again = CaseSheet::of(&now, &decisions.wanted, &recorded);
                let shown = |sheet: &CaseSheet| sheet.rows.iter().map(|row| (row.item.name.clone(), row.now)).collect::<Vec<_>>();
                let sorted = |mut rows: Vec<(String, RowState)>| { rows.sort_by(|a, b| a.0.cmp(&b.0)); rows };
                prop_assert_eq!(sorted(shown(&again)), sorted(shown(&sheet)));
                prop_assert_eq!(&again.asks, &sheet.asks);
            }
            while let Some(before) = made.pop() {
                prop_assert!(decisions.undo());
                prop_assert_eq!(&*run(&decisions.wanted).0.case, &before);
            }
            prop_assert!(!decisions.undo());
        }
    }
}
