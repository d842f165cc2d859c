//! The case: how a question was read. Who the patient is, what was found, which drugs and conditions are in play, what is asked, and
//! what was not understood. It is shown as one line ([`Case::read_as`]) and can be corrected ([`CaseCorrection`]).
//!
//! Entities are named by their preferred names in the graph, so that a recorded case needs no graph. Offsets are bytes into the question.

mod amend;
mod carry;
mod check;
mod correction;
mod duplicates;
mod items;
mod read_as;

pub use correction::CaseCorrection;
pub use items::{CaseItem, CaseItemKind};

use serde::{Deserialize, Serialize};

use crate::run::Urgency;

/// How a question was read (the key `case` of `catena.trace/1`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Case {
    /// Who it is about.
    pub patient: CasePatient,
    /// Symptoms and signs, in the order of the question.
    pub findings: Vec<CaseFinding>,
    /// Measured values and test results, in the order of the question.
    pub results: Vec<CaseResult>,
    /// Drugs, in the order of the question.
    pub drugs: Vec<CaseDrug>,
    /// Conditions that the question names, in its order.
    pub conditions: Vec<CaseCondition>,
    /// What is asked, in the order asked; empty if the question does not say.
    pub asks: Vec<CaseAsk>,
    /// Content words that link to nothing.
    pub not_understood: Vec<NotUnderstood>,
    /// Why the question cannot be answered as it was asked; `None` if it can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
    /// What was taken over from the run before, as text of the "Read as" line; empty if the question does not follow another.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub carried_over: Vec<String>,
    /// Of the case that a question follows: the treatments that its answer offers, which the question may mean by "these".
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub offered: Vec<String>,
    /// Of the case that a question follows: the alarm that its answer raised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warned_before: Option<Box<Urgency>>,
    /// Whether the question reads like a follow-up although nothing was carried over.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub looks_like_follow_up: bool,
}

/// Who the question is about, as far as it says.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CasePatient {
    /// Age in months, from the youngest to the oldest that it may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_months: Option<AgeMonths>,
    /// Sex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sex: Option<PatientSex>,
    /// What is said of pregnancy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pregnancy: Option<Pregnancy>,
    /// Whether breastfeeding.
    pub breastfeeding: bool,
    /// Kidney function, where it is not simply unsaid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renal: Option<OrganFunction>,
    /// Liver function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hepatic: Option<OrganFunction>,
    /// Allergies, as named: entities of the graph where they are known, else words of the question.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allergies: Vec<String>,
    /// Smoking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smoking: Option<Smoking>,
}

/// An age in months: at least `from`, at most `to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgeMonths {
    /// The youngest that it may be.
    pub from: u16,
    /// The oldest.
    pub to: u16,
}

/// The patient's sex, as far as the question says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PatientSex {
    /// Male.
    Male,
    /// Female.
    Female,
}

impl CasePatient {
    /// Whether she is pregnant, or gave birth within about six weeks.
    pub fn is_pregnant_or_postpartum(&self) -> bool {
        self.pregnancy.is_some_and(|pregnancy| pregnancy.pregnant || pregnancy.postpartum)
    }
}

/// What is said of pregnancy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pregnancy {
    /// Whether pregnant now.
    pub pregnant: bool,
    /// Whether she gave birth within about six weeks.
    pub postpartum: bool,
    /// Completed weeks, 0 to 45.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub week: Option<u8>,
    /// Trimester, 1 to 3, stated or from the week.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trimester: Option<u8>,
}

/// How an organ works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrganFunction {
    /// Normal.
    Normal,
    /// Impaired, to an unknown degree.
    Impaired,
    /// Mildly impaired (kidney: eGFR 60 to 89; liver: Child–Pugh A).
    Mild,
    /// Moderately impaired (kidney: eGFR 30 to 59; liver: Child–Pugh B).
    Moderate,
    /// Severely impaired (kidney: eGFR below 30; liver: Child–Pugh C).
    Severe,
    /// Replaced (dialysis).
    Dialysis,
}

/// Smoking, where stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Smoking {
    /// Smokes.
    Current,
    /// Has stopped.
    Former,
    /// Has never smoked.
    Never,
}

/// Whether a finding is there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingStatus {
    /// It is.
    #[default]
    Present,
    /// It is denied, or was looked for and not found.
    Absent,
    /// It was, and is over.
    Resolved,
    /// It may be.
    Uncertain,
    /// A relative has or had it.
    FamilyHistory,
}

/// A symptom or sign.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CaseFinding {
    /// The words of the question.
    pub text: String,
    /// The entity of the graph.
    pub entity: Option<String>,
    /// Whether it is there.
    pub status: FindingStatus,
    /// Where its words begin.
    pub start: usize,
    /// Where they end.
    pub end: usize,
    /// How long it has lasted, in days.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub days: Option<f64>,
    /// How severe it is said to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// On which side it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
}

/// How severe a finding is said to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Mild.
    Mild,
    /// Moderate.
    Moderate,
    /// Severe.
    Severe,
}

/// The side of the body on which a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Left.
    Left,
    /// Right.
    Right,
    /// Both.
    Both,
}

/// What a result says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultDirection {
    /// Below its limits.
    Low,
    /// Within its limits, or said to be normal.
    Normal,
    /// Above its limits.
    High,
    /// Positive, or abnormal as a whole.
    Positive,
    /// Negative.
    Negative,
    /// Not known.
    #[default]
    Unknown,
}

/// A measured value or the result of a test.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CaseResult {
    /// What was measured, by its first name in the list of analytes, or the entity of the test.
    pub test: String,
    /// The value, in `unit`; `None` if only words say it.
    pub value: Option<f64>,
    /// The second value of a pair, in `unit`: of a blood pressure, the diastolic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second: Option<f64>,
    /// The unit.
    pub unit: Option<String>,
    /// Whether the unit was inferred from the value.
    pub unit_inferred: bool,
    /// What it says.
    pub direction: ResultDirection,
    /// Where its words begin.
    pub start: usize,
    /// Where they end.
    pub end: usize,
    /// The entity of the graph that the result amounts to ("Hyperkalaemia"); `None` for a normal one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<String>,
    /// Entities that a normal or negative result speaks against.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<String>,
    /// Whether the value alone is an emergency.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub critical: bool,
}

/// How a drug is in play.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DrugStatus {
    /// Taken.
    #[default]
    Taken,
    /// Started lately.
    New,
    /// Considered, or asked about.
    Proposed,
    /// Stopped.
    Stopped,
    /// The patient is allergic to it.
    Allergic,
}

impl DrugStatus {
    /// Whether the patient takes it now.
    pub(crate) fn is_in_use(self) -> bool {
        matches!(self, Self::Taken | Self::New)
    }

    /// Whether the patient takes it, or has taken it.
    pub(crate) fn was_given(self) -> bool {
        self.is_in_use() || self == Self::Stopped
    }
}

/// A drug, class of drugs, food or other substance.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CaseDrug {
    /// The entity of the graph.
    pub entity: Option<String>,
    /// The words of the question.
    pub text: String,
    /// How it is in play.
    pub status: DrugStatus,
    /// Where its words begin.
    pub start: usize,
    /// Where they end.
    pub end: usize,
    /// How many days ago it was started or stopped, where stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub days: Option<f64>,
}

/// How a condition is in play.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConditionStatus {
    /// The patient has it.
    #[default]
    Known,
    /// It is suspected, or asked about.
    Suspected,
    /// It has been ruled out.
    Excluded,
    /// The patient had it.
    Past,
}

impl ConditionStatus {
    /// Whether the patient has it now, or may have it.
    pub(crate) fn is_now(self) -> bool {
        matches!(self, Self::Known | Self::Suspected)
    }

    /// Whether the patient has it now, or had it.
    pub(crate) fn is_had(self) -> bool {
        matches!(self, Self::Known | Self::Past)
    }
}

/// A condition that the question names.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CaseCondition {
    /// The entity of the graph.
    pub entity: Option<String>,
    /// The words of the question.
    pub text: String,
    /// How it is in play.
    pub status: ConditionStatus,
    /// Where its words begin.
    pub start: usize,
    /// Where they end.
    pub end: usize,
}

/// What can be asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskKind {
    /// Which condition it is.
    Diagnosis,
    /// Which tests to do.
    Tests,
    /// How to treat.
    Treatment,
    /// Whether something is safe.
    Safety,
    /// Which interactions something has.
    Interactions,
    /// When something must not be used.
    Contraindications,
    /// Which side effects something has.
    SideEffects,
    /// What causes something.
    Causes,
    /// How to prevent something.
    Prevention,
    /// How to monitor something.
    Monitoring,
    /// How something ends, or what it leads to.
    Prognosis,
    /// How much of a drug to give.
    Dose,
    /// Something else.
    #[default]
    Other,
}

/// One thing that is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CaseAsk {
    /// What.
    pub kind: AskKind,
    /// Of which entities of the graph, where the question says; empty: of the case.
    pub of: Vec<String>,
}

/// What an unknown word probably names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LikelyKind {
    /// A drug.
    Drug,
    /// A condition.
    Condition,
    /// A test.
    Test,
    /// Something else.
    Other,
}

/// A content word that links to nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NotUnderstood {
    /// The words of the question.
    pub text: String,
    /// What they probably name; `None` if nothing suggests it.
    pub likely: Option<LikelyKind>,
    /// Where they begin.
    pub start: usize,
    /// Where they end.
    pub end: usize,
    /// Whether the question is about it, so that no answer is possible without it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub subject: bool,
    /// Whether it is a whole clause that seems to tell of a finding.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub passage: bool,
    /// Entities that it may name; not empty only for an ambiguous name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub may_mean: Vec<String>,
}

/// Why a question cannot be answered as it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Refusal {
    /// It is not a clinical question.
    NotClinical,
    /// What it is about is not understood; the terms stand in [`Case::not_understood`] as subjects.
    SubjectUnknown,
    /// Only weak links carry it, or they cover little of it.
    TooLittleUnderstood,
    /// It asks how to harm or deceive somebody.
    Harm,
}
