//! The groups of measures that tables show, and an explanation of each measure.

use crate::eval::score::Measure;

/// A table of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MeasureGroup {
    /// What the answer states of what it should.
    KeyEntities,
    /// Options chosen.
    Options,
    /// What was retrieved.
    Retrieval,
    /// How near the text is to the reference.
    Texts,
}

impl MeasureGroup {
    pub(super) const ALL: [Self; 4] = [Self::KeyEntities, Self::Options, Self::Retrieval, Self::Texts];

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::KeyEntities => "Key-entity match",
            Self::Options => "Options",
            Self::Retrieval => "Retrieval",
            Self::Texts => "Texts",
        }
    }
}

/// The group of a measure; none for times.
pub(super) fn group(measure: Measure) -> Option<MeasureGroup> {
    use Measure as M;
    match measure {
        M::KeyEntityConditions | M::KeyEntityTests | M::KeyEntityTreatments => Some(MeasureGroup::KeyEntities),
        M::ExactMatch | M::PartialCorrect => Some(MeasureGroup::Options),
        M::RecallChains | M::RecallKept | M::RecallAnswer | M::PrecisionKept | M::PrecisionAnswer | M::Grounded => {
            Some(MeasureGroup::Retrieval)
        }
        M::KeyPoints
        | M::Rouge1
        | M::Rouge2
        | M::RougeL
        | M::Bleu1
        | M::Bleu4
        | M::BertPrecision
        | M::BertRecall
        | M::BertF1
        | M::Perplexity => Some(MeasureGroup::Texts),
        M::HypothesisMs | M::RecogniseMs | M::LinkMs | M::SearchMs | M::PruneMs | M::ReadMs | M::TotalMs => None,
    }
}

/// What a measure is, in a line.
pub(super) fn explained(measure: Measure) -> &'static str {
    use Measure as M;
    match measure {
        M::KeyEntityConditions => "gold conditions among the first 5 entities of the answer (RoK)",
        M::KeyEntityTests => "gold tests among the first 12 (RoK)",
        M::KeyEntityTreatments => "gold treatments among the first 12 (RoK)",
        M::ExactMatch => "exactly the right options chosen (HyKGE); by chance 1 / options",
        M::PartialCorrect => "only right options chosen, at least one (HyKGE)",
        M::KeyPoints => "key points of the reference that the answer covers (EbmKG), judged by words and vectors",
        M::Rouge1 => {
            "words of the reference that are in the answer; words are compared without case and accents, an apostrophe joins (doctor's is one \
             word), and a Chinese character is a word"
        }
        M::Rouge2 => "pairs of words of the reference that are in the answer",
        M::RougeL => "the longest common subsequence, of the reference's words",
        M::Bleu1 => "words of the answer that are in a reference, with a penalty for short answers",
        M::Bleu4 => {
            "the same for up to four words in a row; from pairs on, 1 is added above and below the line (NLTK's smoothing method 2)"
        }
        M::BertPrecision => "how near each token of the answer is to one of the reference, by the encoder in use",
        M::BertRecall => "how near each token of the reference is to one of the answer",
        M::BertF1 => "their harmonic mean",
        M::Perplexity => "perplexity of the answer to the model that wrote it; lower is better",
        M::RecallChains => "gold entities in any chain found",
        M::RecallKept => "gold entities in a kept chain",
        M::RecallAnswer => "gold entities in the answer, at any position",
        M::PrecisionKept => "share of the kept chains' entities that are gold",
        M::PrecisionAnswer => "share of the answer's entities that are gold",
        M::Grounded => "questions answered from evidence",
        M::HypothesisMs | M::RecogniseMs | M::LinkMs | M::SearchMs | M::PruneMs | M::ReadMs | M::TotalMs => "milliseconds",
    }
}
