//! How the question was read, as a list to correct. The list is a draft: nothing is decided until it is applied.

use super::app::ListPosition;
use super::update::case_words::tells_of_patient;
use crate::run::{
    AskKind, CaseCorrection, CaseItem, CaseItemKind, ConditionStatus, DrugStatus, Event, EventKind, FindingStatus, Trace, Triage,
};
use crate::text::is_cjk;

/// What holds of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowState {
    /// A finding with its status.
    Status(FindingStatus),
    /// A drug, and how it is in play.
    Drug(DrugStatus),
    /// A condition, and how it is in play.
    Condition(ConditionStatus),
    /// Any other item of the case.
    Kept,
    /// It is no part of the case.
    Removed,
}

impl RowState {
    /// The state in a word or two; empty where there is nothing to say.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Status(status) => status.word(),
            Self::Drug(status) => status.word(),
            Self::Condition(status) => status.word(),
            Self::Kept => "",
            Self::Removed => "removed",
        }
    }
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

    /// An item that is to be added.
    fn adding(item: CaseItem) -> Self {
        Self { now: as_read(&item), item, before: RowState::Removed, is_new: true }
    }
}

/// What an item is unless it is corrected.
fn as_read(item: &CaseItem) -> RowState {
    state_of(item.kind)
}

fn state_of(kind: CaseItemKind) -> RowState {
    match kind {
        CaseItemKind::Finding(status) => RowState::Status(status),
        CaseItemKind::Drug(status) => RowState::Drug(status),
        CaseItemKind::Condition(status) => RowState::Condition(status),
        CaseItemKind::Patient | CaseItemKind::Result | CaseItemKind::NotUnderstood | CaseItemKind::Words => RowState::Kept,
    }
}

/// The list. Its items come first, then everything that can be asked.
#[derive(Debug, Default)]
pub(crate) struct CaseSheet {
    pub(crate) rows: Vec<CaseRow>,
    /// The items of the question as it was first read.
    as_read: Vec<CaseItem>,
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
        // The case holds what it was corrected by already; only what was decided since is new.
        let known = trace.triage.case.iter().zip(&wanted.case).take_while(|(held, wanted)| held == wanted).count();
        case.correct(wanted.case.get(known..).unwrap_or_default());
        let mut rows: Vec<CaseRow> = case.items(chinese).into_iter().map(|item| CaseRow::of(item, false)).collect();
        // Later readings hold what the doctor added.
        let first = recorded.iter().find_map(|event| if let EventKind::CaseRead { case } = &event.what { Some(case) } else { None });
        let as_read: Vec<CaseItem> = first.map(|case| case.items(chinese)).unwrap_or_default();
        for correction in &wanted.case {
            let CaseCorrection::Remove { item: name } = correction else { continue };
            // What the doctor had added, and removed again, is gone.
            let Some(item) = as_read.iter().find(|item| item.name == *name).cloned() else { continue };
            if rows.iter().all(|row| row.item.name != *name) {
                let at = rows.iter().rposition(|row| row.item.kind.title() == item.kind.title()).map_or(rows.len(), |at| at + 1);
                rows.insert(at, CaseRow::of(item, true));
            }
        }
        rows.extend(wanted.case.iter().filter_map(CaseCorrection::words).map(|text| CaseRow::of(in_words(text), false)));
        // Items of one kind stand together.
        rows.sort_by_key(|row| rank(row.item.kind));
        let asks = case.asked();
        // The patient stands first, but is seldom what was misread.
        let selected = rows.iter().position(|row| row.item.kind != CaseItemKind::Patient).unwrap_or(0);
        Self { rows, as_read, asks_before: asks.clone(), asks, chinese, at: ListPosition { selected, ..ListPosition::default() } }
    }

    /// How many lines can be selected.
    pub(crate) fn len(&self) -> usize {
        self.rows.len() + AskKind::ALL.len()
    }

    /// What can be asked on the line, if it is one of those.
    fn ask_at(&self) -> Option<AskKind> {
        AskKind::ALL.get(self.at.selected.checked_sub(self.rows.len())?).copied()
    }

    /// Turns the selected line: a finding between present and absent, a drug or condition to its next status, another item between kept and
    /// removed, an ask between asked and not.
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
                (_, RowState::Removed) => as_read(&row.item),
                (CaseItemKind::Patient, _) => RowState::Kept,
                (_, RowState::Drug(status)) => RowState::Drug(next(&DrugStatus::ALL, status)),
                (_, RowState::Condition(status)) => RowState::Condition(next(&ConditionStatus::ALL, status)),
                _ => RowState::Removed,
            };
        }
    }

    /// Marks the selected finding or condition as present or absent; `false` if the line is neither.
    pub(crate) fn mark(&mut self, present: bool) -> bool {
        let Some(row) = self.rows.get_mut(self.at.selected) else { return false };
        let Some(kind) = row.item.kind.marked(present) else { return false };
        row.now = state_of(kind);
        true
    }

    /// What the selected item is, if the line is one.
    pub(crate) fn selected_kind(&self) -> Option<CaseItemKind> {
        self.rows.get(self.at.selected).map(|row| row.item.kind)
    }

    /// The selected item as it reads, and how words in its place begin: with the test of a result, so that only its value is left to type.
    pub(crate) fn begin_words(&self) -> (String, String) {
        let Some(row) = self.rows.get(self.at.selected) else { return Default::default() };
        match row.item.kind {
            CaseItemKind::Result => (row.item.text.clone(), format!("{} ", row.item.name)),
            CaseItemKind::Patient => (row.item.text.clone(), String::new()),
            _ => Default::default(),
        }
    }

    /// Whether a correction in words is listed that holds, and is about a row: about the patient if it tells who that is, about a result if it names
    /// the test.
    pub(crate) fn may_be_corrected(&self, row: &CaseRow) -> bool {
        let mut words = self.rows.iter().filter(|row| row.item.kind == CaseItemKind::Words && row.now == RowState::Kept);
        match row.item.kind {
            CaseItemKind::Patient => words.any(|words| tells_of_patient(&words.item.name)),
            CaseItemKind::Result => words.any(|words| words.item.name.to_lowercase().contains(&row.item.name.to_lowercase())),
            _ => false,
        }
    }

    /// Removes the selected item, or takes it back into the case; `false` if the line is none, or is the patient.
    pub(crate) fn remove(&mut self) -> bool {
        let Some(row) = self.rows.get_mut(self.at.selected).filter(|row| row.item.kind != CaseItemKind::Patient) else { return false };
        row.now = if row.now == RowState::Removed { as_read(&row.item) } else { RowState::Removed };
        true
    }

    /// Lists an entity of the graph, behind the others of its kind; one that is listed already is as `kind` says now. It is selected.
    pub(crate) fn add(&mut self, name: &str, kind: CaseItemKind) {
        let item = CaseItem::of_entity(name, kind, self.chinese);
        let is_known = |row: &CaseRow| row.item.name == name && rank(row.item.kind) == rank(kind);
        let at = self.rows.iter().position(is_known).unwrap_or_else(|| {
            let at = self.rows.iter().take_while(|row| rank(row.item.kind) <= rank(kind)).count();
            self.rows.insert(at, CaseRow::adding(item.clone()));
            at
        });
        self.at.selected = at;
        if let Some(row) = self.rows.get_mut(at) {
            row.now = as_read(&item);
        }
    }

    /// Lists a correction in words; one that is listed already holds again. It is selected.
    pub(crate) fn add_words(&mut self, text: &str) {
        let item = in_words(text);
        let at = self.rows.iter().position(|row| row.item == item).unwrap_or_else(|| {
            self.rows.push(CaseRow::adding(item));
            self.rows.len() - 1
        });
        self.at.selected = at;
        if let Some(row) = self.rows.get_mut(at) {
            row.now = RowState::Kept;
        }
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
                RowState::Removed if row.item.kind == CaseItemKind::Words => triage.forget_words(&item),
                _ if row.item.kind == CaseItemKind::Words => triage.correct(CaseCorrection::Words { text: item }),
                // What the doctor had added is as if it had never been.
                RowState::Removed if !self.as_read.iter().any(|read| read.name == item) => {
                    triage.forget_correction(&item);
                    // What words brought in stays in them, and is taken out again behind them.
                    if triage.case.iter().any(|correction| correction.words().is_some()) {
                        triage.correct(CaseCorrection::Remove { item });
                    }
                }
                RowState::Removed => triage.correct(CaseCorrection::Remove { item }),
                RowState::Status(status) => triage.correct(CaseCorrection::Status { item, status }),
                RowState::Drug(status) => triage.correct(CaseCorrection::Drug { item, status }),
                RowState::Condition(status) => triage.correct(CaseCorrection::Condition { item, status }),
                RowState::Kept => triage.forget_correction(&item),
            }
        }
        if self.asks != self.asks_before {
            triage.correct(CaseCorrection::Asks { kinds: self.asks.clone() });
        }
    }
}

/// A correction in words, as a line of the list.
fn in_words(text: &str) -> CaseItem {
    CaseItem { kind: CaseItemKind::Words, name: text.to_owned(), text: format!("“{text}”") }
}

/// The status after another one; after the last, the first.
fn next<S: Copy + PartialEq>(all: &[S], status: S) -> S {
    all.iter().copied().cycle().skip_while(|one| *one != status).nth(1).unwrap_or(status)
}

fn rank(kind: CaseItemKind) -> u8 {
    match kind {
        CaseItemKind::Patient => 0,
        CaseItemKind::Finding(_) => 1,
        CaseItemKind::Result => 2,
        CaseItemKind::Drug(_) => 3,
        CaseItemKind::Condition(_) => 4,
        CaseItemKind::NotUnderstood => 5,
        CaseItemKind::Words => 6,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::run::triage::Decisions;
    use crate::run::{Case, CaseAsk, CaseCondition, CaseDrug, CaseFinding, CasePatient, CaseResult, NotUnderstood, PatientSex};

    fn case() -> Case {
        let finding = |name: &str, status| CaseFinding { text: name.into(), entity: Some(name.into()), status, ..CaseFinding::default() };
        Case {
            patient: CasePatient { sex: Some(PatientSex::Female), ..CasePatient::default() },
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
            rounds in prop::collection::vec(prop::collection::vec((0usize..30, 0u8..8), 0..8), 1..4),
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
                        1 => drop(sheet.mark(false)),
                        2 => drop(sheet.mark(true)),
                        3 => sheet.add("Warfarin", CaseItemKind::Drug(DrugStatus::Taken)),
                        4 => sheet.add("Gout", CaseItemKind::Condition(ConditionStatus::Known)),
                        5 => sheet.add_words("potassium 6.1"),
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
                // What was added and removed again is gone.
                let read = case().items(false);
                let stays = |row: &&CaseRow| row.now != RowState::Removed || read.iter().any(|item| item.name == row.item.name);
                let shown = |sheet: &CaseSheet| {
                    sheet.rows.iter().filter(stays).map(|row| (row.item.name.clone(), row.now)).collect::<Vec<_>>()
                };
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
