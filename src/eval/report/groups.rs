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
    /// What the language model did for it.
    Cost,
}

impl MeasureGroup {
    pub(super) const ALL: [Self; 5] = [Self::KeyEntities, Self::Options, Self::Retrieval, Self::Texts, Self::Cost];

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::KeyEntities => "Key-entity match",
            Self::Options => "Options",
            Self::Retrieval => "Retrieval",
            Self::Texts => "Texts",
            Self::Cost => "Language model, per question",
        }
    }
}

/// The group of a measure; none for times.
pub(super) fn group(measure: Measure) -> Option<MeasureGroup> {
    use Measure as M;
    match measure {
        M::KeyEntityConditions
        | M::KeyEntityTests
        | M::KeyEntityTreatments
        | M::KeyEntityConditionsByPart
        | M::KeyEntityTestsByPart
        | M::KeyEntityTreatmentsByPart => Some(MeasureGroup::KeyEntities),
        M::Calls | M::TokensRead | M::TokensWritten => Some(MeasureGroup::Cost),
        M::ExactMatch | M::PartialCorrect => Some(MeasureGroup::Options),
        M::RecallChains | M::RecallKept | M::RecallAnswer | M::PrecisionKept | M::PrecisionAnswer | M::Grounded => {
            Some(MeasureGroup::Retrieval)
        }
        M::KeyPoints
        | M::Rouge1
        | M::Rouge2
        | M::RougeL
        | M::RougeKnowledge
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
        M::KeyEntityConditionsByPart => {
            "gold conditions among the first 5 conditions that the answer states (RoK's answers have three parts)"
        }
        M::KeyEntityTestsByPart => "gold tests among the first 12 tests stated",
        M::KeyEntityTreatmentsByPart => "gold treatments among the first 12 treatments stated",
        M::Calls => "how often the language model was asked",
        M::TokensRead => "tokens of its prompts, where it says how many",
        M::TokensWritten => "tokens of its replies, where it says how many",
        M::ExactMatch => "exactly the right options chosen (HyKGE); by chance 1 / options",
        M::PartialCorrect => "only right options chosen, at least one (HyKGE)",
        M::KeyPoints => "key points of the reference that the answer covers (EbmKG), judged by words and vectors",
        M::Rouge1 => {
            "words of the reference that are in the answer; words are compared without case and accents, an apostrophe joins (doctor's is one \
             word), and a Chinese character is a word"
        }
        M::Rouge2 => "pairs of words of the reference that are in the answer",
        M::RougeL => "the longest common subsequence, of the reference's words",
        M::RougeKnowledge => "words of the kept chains that are in the answer (HyKGE's ROUGE-R)",
        M::Bleu1 => "words of the answer that are in a reference, with a penalty for short answers",
        M::Bleu4 => {
            "the same for up to four words in a row; from pairs on, 1 is added above and below the line (NLTK's smoothing method 2)"
        }
        M::BertPrecision => "how near each token of the answer is to one of the reference, by the encoder in use",
        M::BertRecall => "how near each token of the reference is to one of the answer",
        M::BertF1 => "their harmonic mean",
        M::Perplexity => "perplexity of the answer, given its prompt, to the model that wrote it; lower is better",
        M::RecallChains => "gold entities in any chain found",
        M::RecallKept => "gold entities in a kept chain",
        M::RecallAnswer => "gold entities in the answer, at any position",
        M::PrecisionKept => "share of the kept chains' entities that are gold",
        M::PrecisionAnswer => "share of the answer's entities that are gold",
        M::Grounded => "questions answered from evidence",
        M::HypothesisMs | M::RecogniseMs | M::LinkMs | M::SearchMs | M::PruneMs | M::ReadMs | M::TotalMs => "milliseconds",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::metric::{rouge_n, words};

    /// What a reader must know who computes the same again. rouge_score 0.1.2 (`RougeScorer(["rouge1"]).score("the doctor's advice", "the
    /// doctors advice")["rouge1"].recall` is 0.5) takes "doctor's" for two words; NLTK's `SmoothingFunction().method2` is the smoothing.
    #[test]
    fn the_report_says_how_words_are_counted_and_bleu_is_smoothed() {
        assert!(
            explained(Measure::Rouge1).contains("doctor's is one word")
                && explained(Measure::Rouge1).contains("a Chinese character is a word")
        );
        assert_eq!(words("The doctor's 胃"), ["the", "doctors", "胃"]);
        assert_eq!(rouge_n(&words("the doctors advice"), &words("the doctor's advice"), 1), Some(1.0));
        assert!(explained(Measure::Bleu4).contains("NLTK's smoothing method 2"));
    }
}
