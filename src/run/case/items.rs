//! The items of a case: what a doctor can correct, each with the name that a [`CaseCorrection`](super::CaseCorrection) uses.

use super::read_as;
use super::{AskKind, Case, CaseCondition, ConditionStatus, DrugStatus, FindingStatus};

/// What an item of a case is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseItemKind {
    /// Who the patient is.
    Patient,
    /// A finding, and whether it is there.
    Finding(FindingStatus),
    /// A result.
    Result,
    /// A drug, and how it is in play.
    Drug(DrugStatus),
    /// A condition, and how it is in play.
    Condition(ConditionStatus),
    /// Words that link to nothing.
    NotUnderstood,
    /// A correction in words. It is no item of a case.
    Words,
}

impl CaseItemKind {
    /// The heading of such items.
    pub fn title(self) -> &'static str {
        match self {
            Self::Patient => "Patient",
            Self::Finding(_) => "Findings",
            Self::Result => "Results",
            Self::Drug(_) => "Drugs",
            Self::Condition(_) => "Conditions",
            Self::NotUnderstood => "Not understood",
            Self::Words => "Your corrections",
        }
    }
}

impl CaseItemKind {
    /// A finding that is present or absent, a condition that is known or excluded; `None` for what is neither.
    pub(crate) fn marked(self, present: bool) -> Option<Self> {
        match self {
            Self::Finding(_) => Some(Self::Finding(if present { FindingStatus::Present } else { FindingStatus::Absent })),
            Self::Condition(_) => Some(Self::Condition(if present { ConditionStatus::Known } else { ConditionStatus::Excluded })),
            Self::Patient | Self::Drug(_) | Self::Result | Self::NotUnderstood | Self::Words => None,
        }
    }
}

/// An item of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseItem {
    /// What it is.
    pub kind: CaseItemKind,
    /// The name by which a correction means it.
    pub name: String,
    /// How it reads, without its status.
    pub text: String,
}

impl CaseItem {
    /// An entity of the graph that the question does not tell of.
    pub(crate) fn of_entity(name: &str, kind: CaseItemKind, chinese: bool) -> Self {
        Self { kind, name: name.to_owned(), text: read_as::shown(Some(name), name, chinese) }
    }
}

impl FindingStatus {
    /// The status in a word or two.
    pub fn word(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Absent => "absent",
            Self::Resolved => "resolved",
            Self::Uncertain => "uncertain",
            Self::FamilyHistory => "family history",
        }
    }
}

impl DrugStatus {
    /// Every status, in the order in which a list offers them.
    pub const ALL: [Self; 5] = [Self::Taken, Self::New, Self::Proposed, Self::Stopped, Self::Allergic];

    /// The status in a word or two.
    pub fn word(self) -> &'static str {
        match self {
            Self::Taken => "taken",
            Self::New => "newly started",
            Self::Proposed => "considered",
            Self::Stopped => "no longer taken",
            Self::Allergic => "allergy",
        }
    }
}

impl ConditionStatus {
    /// Every status, in the order in which a list offers them.
    pub const ALL: [Self; 4] = [Self::Known, Self::Suspected, Self::Excluded, Self::Past];

    /// The status in a word or two.
    pub fn word(self) -> &'static str {
        match self {
            Self::Known => "known",
            Self::Suspected => "suspected",
            Self::Excluded => "excluded",
            Self::Past => "in the past",
        }
    }
}

impl AskKind {
    /// Everything that can be asked, in the order in which it is listed.
    pub const ALL: [Self; 13] = [
        Self::Diagnosis,
        Self::Tests,
        Self::Treatment,
        Self::Safety,
        Self::Interactions,
        Self::Contraindications,
        Self::SideEffects,
        Self::Causes,
        Self::Prevention,
        Self::Monitoring,
        Self::Prognosis,
        Self::Dose,
        Self::Other,
    ];

    /// The kind that a word names: its title in English or Chinese, or the beginning of a single title in English.
    pub fn named(word: &str) -> Option<Self> {
        let word = word.trim().to_lowercase();
        let is_it = |kind: &&Self| kind.title(false) == word || kind.title(true) == word;
        if let Some(kind) = Self::ALL.iter().find(is_it) {
            return Some(*kind);
        }
        let mut begin = Self::ALL
            .iter()
            .filter(|kind| !word.is_empty() && (kind.title(false).starts_with(&word) || word == format!("{}s", kind.title(false))));
        begin.next().copied().filter(|_| begin.next().is_none())
    }
}

impl Case {
    /// Patient, findings, results, drugs, conditions and what was not understood, each name once. What is asked is not among them.
    pub fn items(&self, chinese: bool) -> Vec<CaseItem> {
        let mut items: Vec<CaseItem> = Vec::new();
        let mut push = |kind: CaseItemKind, name: &str, text: String| {
            let same = |item: &CaseItem| item.name == name && item.kind.title() == kind.title();
            if !items.iter().any(same) {
                items.push(CaseItem { kind, name: name.to_owned(), text });
            }
        };
        // An allergy that is read as a drug and as a condition, too, is one item.
        let mut patient = self.patient.clone();
        patient.allergies.retain(|allergy| !self.is_allergy_told(allergy));
        let patient = Self { patient, ..Self::default() }.read_as(chinese);
        if !patient.is_empty() {
            push(CaseItemKind::Patient, "patient", patient);
        }
        for finding in &self.findings {
            let mut alone = finding.clone();
            alone.status = FindingStatus::Present;
            let name = finding.entity.as_deref().unwrap_or(&finding.text);
            push(CaseItemKind::Finding(finding.status), name, Self { findings: vec![alone], ..Self::default() }.read_as(chinese));
        }
        for result in &self.results {
            push(CaseItemKind::Result, &result.test, read_as::result(result, chinese));
        }
        for drug in &self.drugs {
            let name = drug.entity.as_deref().unwrap_or(&drug.text);
            let text = format!("{}{}", drug.shown(chinese), read_as::since(drug.days, chinese));
            push(CaseItemKind::Drug(drug.status), name, text);
        }
        let is_own = |condition: &&CaseCondition| condition.status != ConditionStatus::Known || !self.is_told_as_drug(condition);
        for condition in self.conditions.iter().filter(is_own) {
            let name = condition.entity.as_deref().unwrap_or(&condition.text);
            push(CaseItemKind::Condition(condition.status), name, read_as::shown(condition.entity.as_deref(), &condition.text, chinese));
        }
        let unknown = self.not_understood.iter();
        items.extend(unknown.map(|word| CaseItem { kind: CaseItemKind::NotUnderstood, name: word.text.clone(), text: word.text.clone() }));
        items
    }

    /// Whether it asks for interactions, contraindications or side effects and nothing else, and tells of nothing that a diagnosis could explain.
    pub(crate) fn asks_for_safety_alone(&self) -> bool {
        use AskKind::{Contraindications, Interactions, Safety, SideEffects};
        let is_told = self.findings.iter().any(|finding| matches!(finding.status, FindingStatus::Present | FindingStatus::Uncertain));
        !self.asks.is_empty()
            && self.asks.iter().all(|ask| matches!(ask.kind, Safety | Interactions | Contraindications | SideEffects))
            && !is_told
            && self.results.is_empty()
    }

    /// The names of its drugs and conditions, and of what else is asked about, each once.
    pub(crate) fn concerned(&self) -> impl Iterator<Item = &str> {
        let drugs = self.drugs.iter().filter_map(|drug| drug.entity.as_deref());
        let conditions = self.conditions.iter().filter_map(|condition| condition.entity.as_deref());
        let asked = self.asks.iter().flat_map(|ask| ask.of.iter().map(String::as_str));
        let mut before: Vec<&str> = Vec::new();
        drugs.chain(conditions).chain(asked).filter(move |name| {
            let is_new = !before.contains(name);
            before.push(name);
            is_new
        })
    }

    /// What is asked, each kind once, in the order asked.
    pub fn asked(&self) -> Vec<AskKind> {
        let mut kinds: Vec<AskKind> = Vec::new();
        self.asks.iter().for_each(|ask| {
            if !kinds.contains(&ask.kind) {
                kinds.push(ask.kind);
            }
        });
        kinds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_titles_and_by_a_beginning_of_its_own() {
        for kind in AskKind::ALL {
            assert_eq!((AskKind::named(kind.title(false)), AskKind::named(kind.title(true))), (Some(kind), Some(kind)));
        }
        assert_eq!(
            (AskKind::named("causes"), AskKind::named("Diag"), AskKind::named("side")),
            (Some(AskKind::Causes), Some(AskKind::Diagnosis), Some(AskKind::SideEffects))
        );
        assert_eq!((AskKind::named("pr"), AskKind::named(""), AskKind::named("zorb")), (None, None, None));
    }
}
