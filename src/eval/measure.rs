//! The measures of an answer, and their names.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::run::{AnswerPart, Stage};

/// A fraction: found of all. Over several questions a share is Σ found / Σ all; where a question has one value, `all` is 1 and the share their mean.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// How much was found, or the value.
    pub found: f64,
    /// Of how much.
    pub all: f64,
}

impl Ratio {
    /// A value of which each question has one.
    pub fn one(value: f64) -> Self {
        Self { found: value, all: 1.0 }
    }

    /// So many of so many.
    pub(super) fn of((found, all): (usize, usize)) -> Self {
        Self { found: found as f64, all: all as f64 }
    }
}

/// A measure. The order is that of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// RoK's key-entity match for conditions: the share of the gold ones among the first 5 entities of the answer.
    KeyEntityConditions,
    /// The same for tests, among the first 12.
    KeyEntityTests,
    /// The same for treatments, among the first 12.
    KeyEntityTreatments,
    /// The same by part: the share of the gold conditions among the first 5 conditions that the answer states. The paper's answers have three parts.
    KeyEntityConditionsByPart,
    /// The gold tests among the first 12 tests stated.
    KeyEntityTestsByPart,
    /// The gold treatments among the first 12 treatments stated.
    KeyEntityTreatmentsByPart,
    /// HyKGE's EM: exactly the right options were chosen. By chance 1 / options, where one is right: 0.25 of four, 0.333 of yes, no, maybe; always
    /// saying "yes" has the share of "yes", 0.55 in PubMedQA.
    ExactMatch,
    /// HyKGE's PCR: only right options were chosen, at least one. By chance at least as [`Self::ExactMatch`].
    PartialCorrect,
    /// EbmKG's key-point coverage, without a judge.
    KeyPoints,
    /// ROUGE-1 recall.
    Rouge1,
    /// ROUGE-2 recall.
    Rouge2,
    /// ROUGE-L recall.
    RougeL,
    /// HyKGE's ROUGE-R against what was retrieved: words of the kept chains that are in the answer.
    RougeKnowledge,
    /// BLEU-1.
    Bleu1,
    /// BLEU-4.
    Bleu4,
    /// BERTScore, precision.
    BertPrecision,
    /// BERTScore, recall.
    BertRecall,
    /// BERTScore, F1.
    BertF1,
    /// Perplexity of an answer, given its prompt, to the language model that wrote it; where it runs here.
    Perplexity,
    /// Gold entities that are in any of the chains found (those that the run holds: 10,000 unless told otherwise).
    RecallChains,
    /// Gold entities that are in the chains kept.
    RecallKept,
    /// Gold entities that the answer states, at whatever place.
    RecallAnswer,
    /// Entities of the chains kept that are gold; what the question names itself does not count, unless it is gold.
    PrecisionKept,
    /// Entities that the answer states that are gold.
    PrecisionAnswer,
    /// Questions that were answered from evidence.
    Grounded,
    /// Calls of a language model.
    Calls,
    /// Tokens that it read; only where it says.
    TokensRead,
    /// Tokens that it wrote; only where it says.
    TokensWritten,
    /// Milliseconds in the first stage; of an overlapping stage the work.
    HypothesisMs,
    /// Milliseconds in recognising.
    RecogniseMs,
    /// Milliseconds in linking.
    LinkMs,
    /// Milliseconds in searching.
    SearchMs,
    /// Milliseconds in pruning.
    PruneMs,
    /// Milliseconds in reading.
    ReadMs,
    /// Milliseconds from the question to the end of the answer.
    TotalMs,
}

/// The scores of an answer, only for measures that apply to its question.
pub type AnswerScores = BTreeMap<Measure, Ratio>;

impl Measure {
    /// All measures, in order.
    pub const ALL: [Self; 35] = [
        Self::KeyEntityConditions,
        Self::KeyEntityTests,
        Self::KeyEntityTreatments,
        Self::KeyEntityConditionsByPart,
        Self::KeyEntityTestsByPart,
        Self::KeyEntityTreatmentsByPart,
        Self::ExactMatch,
        Self::PartialCorrect,
        Self::KeyPoints,
        Self::Rouge1,
        Self::Rouge2,
        Self::RougeL,
        Self::RougeKnowledge,
        Self::Bleu1,
        Self::Bleu4,
        Self::BertPrecision,
        Self::BertRecall,
        Self::BertF1,
        Self::Perplexity,
        Self::RecallChains,
        Self::RecallKept,
        Self::RecallAnswer,
        Self::PrecisionKept,
        Self::PrecisionAnswer,
        Self::Grounded,
        Self::Calls,
        Self::TokensRead,
        Self::TokensWritten,
        Self::HypothesisMs,
        Self::RecogniseMs,
        Self::LinkMs,
        Self::SearchMs,
        Self::PruneMs,
        Self::ReadMs,
        Self::TotalMs,
    ];

    /// The measures of key-entity match, whose mean is RoK's figure.
    pub const KEY_ENTITY: [Self; 3] = [Self::KeyEntityConditions, Self::KeyEntityTests, Self::KeyEntityTreatments];

    /// The same by part.
    pub const KEY_ENTITY_BY_PART: [Self; 3] =
        [Self::KeyEntityConditionsByPart, Self::KeyEntityTestsByPart, Self::KeyEntityTreatmentsByPart];

    /// Its name in files, and what a table calls it.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::KeyEntityConditions => ("key_entity_conditions", "key entities, conditions"),
            Self::KeyEntityTests => ("key_entity_tests", "key entities, tests"),
            Self::KeyEntityTreatments => ("key_entity_treatments", "key entities, treatments"),
            Self::KeyEntityConditionsByPart => ("key_entity_conditions_by_part", "conditions, by part"),
            Self::KeyEntityTestsByPart => ("key_entity_tests_by_part", "tests, by part"),
            Self::KeyEntityTreatmentsByPart => ("key_entity_treatments_by_part", "treatments, by part"),
            Self::ExactMatch => ("exact_match", "exact match"),
            Self::PartialCorrect => ("partial_correct", "partial correct rate"),
            Self::KeyPoints => ("key_points", "key points"),
            Self::Rouge1 => ("rouge1", "ROUGE-1 recall"),
            Self::Rouge2 => ("rouge2", "ROUGE-2 recall"),
            Self::RougeL => ("rouge_l", "ROUGE-L recall"),
            Self::RougeKnowledge => ("rouge_knowledge", "ROUGE-1 recall of the evidence"),
            Self::Bleu1 => ("bleu1", "BLEU-1"),
            Self::Bleu4 => ("bleu4", "BLEU-4"),
            Self::BertPrecision => ("bert_precision", "BERTScore precision"),
            Self::BertRecall => ("bert_recall", "BERTScore recall"),
            Self::BertF1 => ("bert_f1", "BERTScore F1"),
            Self::Perplexity => ("perplexity", "perplexity"),
            Self::RecallChains => ("recall_chains", "gold in all chains"),
            Self::RecallKept => ("recall_kept", "gold in kept chains"),
            Self::RecallAnswer => ("recall_answer", "gold in the answer"),
            Self::PrecisionKept => ("precision_kept", "precision of kept chains"),
            Self::PrecisionAnswer => ("precision_answer", "precision of the answer"),
            Self::Grounded => ("grounded", "answered from evidence"),
            Self::Calls => ("calls", "calls of the language model"),
            Self::TokensRead => ("tokens_read", "tokens read"),
            Self::TokensWritten => ("tokens_written", "tokens written"),
            Self::HypothesisMs => ("hypothesis_ms", "hypothesis, ms"),
            Self::RecogniseMs => ("recognise_ms", "recognise, ms"),
            Self::LinkMs => ("link_ms", "link, ms"),
            Self::SearchMs => ("search_ms", "search, ms"),
            Self::PruneMs => ("prune_ms", "prune, ms"),
            Self::ReadMs => ("read_ms", "read, ms"),
            Self::TotalMs => ("total_ms", "whole run, ms"),
        }
    }

    /// Its name in files.
    pub fn as_str(self) -> &'static str {
        self.names().0
    }

    /// What a table calls it.
    pub fn label(self) -> &'static str {
        self.names().1
    }

    /// Whether more is better.
    pub fn is_better_high(self) -> bool {
        self != Self::Perplexity && !self.is_cost() && !self.is_time()
    }

    /// Whether it is a time, and so differs from run to run.
    pub fn is_time(self) -> bool {
        self >= Self::HypothesisMs
    }

    /// Whether it counts what the language model did.
    pub fn is_cost(self) -> bool {
        matches!(self, Self::Calls | Self::TokensRead | Self::TokensWritten)
    }

    /// Whether it lies between 0 and 1.
    pub fn is_share(self) -> bool {
        self.is_better_high()
    }

    /// The key-entity match of a part; `None` for parts that have none.
    pub fn key_entity(part: AnswerPart) -> Option<Self> {
        match part {
            AnswerPart::Conditions => Some(Self::KeyEntityConditions),
            AnswerPart::Tests => Some(Self::KeyEntityTests),
            AnswerPart::Treatments => Some(Self::KeyEntityTreatments),
            _ => None,
        }
    }

    /// The same by part.
    pub fn key_entity_by_part(part: AnswerPart) -> Option<Self> {
        match part {
            AnswerPart::Conditions => Some(Self::KeyEntityConditionsByPart),
            AnswerPart::Tests => Some(Self::KeyEntityTestsByPart),
            AnswerPart::Treatments => Some(Self::KeyEntityTreatmentsByPart),
            _ => None,
        }
    }

    /// The time of a stage.
    pub fn time_of(stage: Stage) -> Self {
        match stage {
            Stage::Hypothesis => Self::HypothesisMs,
            Stage::Recognise => Self::RecogniseMs,
            Stage::Link => Self::LinkMs,
            Stage::Search => Self::SearchMs,
            Stage::Prune => Self::PruneMs,
            Stage::Read => Self::ReadMs,
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An unknown measure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown measure {name:?}; the measures are {}", Measure::ALL.map(Measure::as_str).join(", "))]
pub struct UnknownMeasure {
    /// What was asked for.
    name: String,
}

impl FromStr for Measure {
    type Err = UnknownMeasure;

    fn from_str(name: &str) -> Result<Self, UnknownMeasure> {
        Self::ALL
            .into_iter()
            .find(|measure| measure.as_str() == name)
            .ok_or_else(|| UnknownMeasure { name: crate::text::sanitise_line(name) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measure_has_one_name_everywhere() {
        assert!(Measure::ALL.is_sorted());
        for measure in Measure::ALL {
            assert_eq!(serde_json::to_value(measure).expect("a name"), measure.as_str());
            assert_eq!(measure.as_str().parse(), Ok(measure));
        }
        assert!("rouge3".parse::<Measure>().expect_err("unknown").to_string().contains("rouge2"));
        let high = Measure::ALL.iter().filter(|measure| measure.is_better_high()).count();
        assert_eq!((high, Measure::ALL.iter().filter(|measure| measure.is_time()).count()), (24, 7));
    }
}
