//! The formats of question files, and how a file's format is recognised.

use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Value};

use super::{Put, cmb_clin, cmb_exam, cmmlu, generic, genmedgpt, medmcqa, medqa, medquad, mmcu, pubmedqa, science_qa, sciq, web_questions};

/// A format of question files. Each has one JSON object per line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DatasetFormat {
    /// GenMedGPT-5k (Li et al. 2023) with the entities of its answers: a diagnosis, tests or drugs are asked for.
    GenMedGpt,
    /// MedQA (Jin et al. 2021): questions of medical licensing exams with four or five options.
    MedQa,
    /// MedMCQA (Pal et al. 2022): questions of medical entrance exams with four options, one of them right.
    MedMcqa,
    /// PubMedQA (Jin et al. 2019): questions of abstracts, answered by yes, no or maybe. The abstracts are not shown.
    PubMedQa,
    /// CMMLU (Li et al. 2024): Chinese exam questions with four options.
    Cmmlu,
    /// CMB-Clin (Wang et al. 2024): Chinese cases with open questions.
    CmbClin,
    /// MedQuAD (Ben Abacha and Demner-Fushman 2019): documents with the questions that they answer.
    MedQuad,
    /// CMB-Exam (Wang et al. 2024): Chinese exam questions with up to six options, one or several of them right.
    CmbExam,
    /// SciQ (Welbl et al. 2017): science questions with four options.
    SciQ,
    /// ScienceQA (Lu et al. 2022): science questions, those without an image or a text to read.
    ScienceQa,
    /// WebQuestions (Berant et al. 2013): open questions with short answers.
    WebQuestions,
    /// MMCU (Zeng 2023), its medical subjects: Chinese exam questions, one or several options right.
    Mmcu,
    /// Any questions with gold, an answer, or options and an answer.
    Generic,
}

/// An unknown format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown format {name:?}; the formats are {}", DatasetFormat::listed())]
pub struct UnknownDatasetFormat {
    /// What was asked for.
    name: String,
}

impl DatasetFormat {
    /// All forms.
    pub const ALL: [Self; 13] = [
        Self::GenMedGpt,
        Self::MedQa,
        Self::MedMcqa,
        Self::PubMedQa,
        Self::Cmmlu,
        Self::CmbClin,
        Self::MedQuad,
        Self::CmbExam,
        Self::SciQ,
        Self::ScienceQa,
        Self::WebQuestions,
        Self::Mmcu,
        Self::Generic,
    ];

    /// What it is called on the command line and in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::GenMedGpt => "genmedgpt",
            Self::MedQa => "medqa",
            Self::MedMcqa => "medmcqa",
            Self::PubMedQa => "pubmedqa",
            Self::Cmmlu => "cmmlu",
            Self::CmbClin => "cmb-clin",
            Self::MedQuad => "medquad",
            Self::CmbExam => "cmb-exam",
            Self::SciQ => "sciq",
            Self::ScienceQa => "scienceqa",
            Self::WebQuestions => "webquestions",
            Self::Mmcu => "mmcu",
            Self::Generic => "generic",
        }
    }

    /// The names of all forms, for messages.
    pub(super) fn listed() -> String {
        Self::ALL.map(Self::as_str).join(", ")
    }

    /// The form of a file whose first object is this: the first whose own keys it has.
    pub(super) fn of(object: &Map<String, Value>) -> Self {
        let has = |keys: &[&str]| keys.iter().all(|key| object.contains_key(*key));
        if has(&["gold", "phase"]) {
            Self::GenMedGpt
        } else if has(&["question", "options", "answer_idx"]) {
            Self::MedQa
        } else if has(&["question", "opa", "opb", "cop"]) {
            Self::MedMcqa
        } else if has(&["QUESTION", "final_decision"]) {
            Self::PubMedQa
        } else if has(&["question", "A", "B", "C", "D", "answer"]) {
            Self::Cmmlu
        } else if has(&["description", "QA_pairs"]) {
            Self::CmbClin
        } else if has(&["focus", "qa"]) {
            Self::MedQuad
        } else if has(&["question", "option", "answer", "question_type"]) {
            Self::CmbExam
        } else if has(&["question", "correct_answer", "distractor1", "distractor2", "distractor3"]) {
            Self::SciQ
        } else if has(&["question", "choices", "answer", "subject"]) {
            Self::ScienceQa
        } else if has(&["question", "answers", "url"]) {
            Self::WebQuestions
        } else if has(&["subject", "row"]) {
            Self::Mmcu
        } else {
            Self::Generic
        }
    }

    /// Reads the questions of an object, which stands in this line.
    pub(super) fn read(self, object: &Map<String, Value>, line: u64, put: &mut Put<'_>) {
        match self {
            Self::GenMedGpt => put(genmedgpt::read(object)),
            Self::MedQa => put(medqa::read(object, line)),
            Self::MedMcqa => put(medmcqa::read(object, line)),
            Self::PubMedQa => put(pubmedqa::read(object)),
            Self::Cmmlu => put(cmmlu::read(object, line)),
            Self::CmbClin => cmb_clin::read(object, line, put),
            Self::MedQuad => medquad::read(object, put),
            Self::CmbExam => put(cmb_exam::read(object, line)),
            Self::SciQ => put(sciq::read(object, line)),
            Self::ScienceQa => put(science_qa::read(object, line)),
            Self::WebQuestions => put(web_questions::read(object, line)),
            Self::Mmcu => put(mmcu::read(object, line)),
            Self::Generic => put(generic::read(object, line)),
        }
    }
}

impl fmt::Display for DatasetFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for DatasetFormat {
    type Err = UnknownDatasetFormat;

    fn from_str(name: &str) -> Result<Self, UnknownDatasetFormat> {
        Self::ALL
            .into_iter()
            .find(|format| format.as_str() == name)
            .ok_or_else(|| UnknownDatasetFormat { name: crate::text::sanitise_line(name) })
    }
}
