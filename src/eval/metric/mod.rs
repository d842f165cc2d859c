//! The metrics: pure functions, one file each, with the formula they compute and where it is from.

mod bert_score;
mod bleu;
#[cfg(test)]
mod conformance;
mod detection;
mod entities;
mod exact;
mod judged;
mod key_points;
mod perplexity;
mod rouge;
mod words;

pub use bert_score::{BertScore, bert_score, token_vectors};
pub use bleu::bleu;
pub use detection::{DetectionScores, Verdicts};
pub use entities::{entities_counted, key_entity_match, precision, recall};
pub use exact::{exact_match, partly_correct};
pub use judged::{Duels, acj, advantage};
pub use key_points::{COVERED, covered, covered_by_words, key_points};
pub use perplexity::perplexity;
pub use rouge::{rouge_l, rouge_n};
pub use words::{without_citations, words};
