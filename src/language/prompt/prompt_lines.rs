//! What methods tell a language model: numbered triples, numbered entities, the question; each made fit for a prompt.

use super::untrusted;
use crate::graph::{Chain, EvolvingGraph};
use crate::language::generate::QUESTION;
use crate::model::PromptPart;

/// The most characters of a line.
const LINE: usize = 300;

/// A question in a prompt.
pub(crate) fn question_part(question: &str) -> Vec<PromptPart> {
    vec![PromptPart { text: untrusted(question, QUESTION), rank: None }]
}

/// Chains as numbered lines, from 1. Those at the end are left out first where they do not fit.
pub(crate) fn numbered(graph: &EvolvingGraph, chains: &[Chain]) -> Vec<PromptPart> {
    lines(chains.iter().map(|chain| graph.chain_text(chain)))
}

/// Texts as numbered lines, from 1.
pub(crate) fn lines(texts: impl Iterator<Item = String>) -> Vec<PromptPart> {
    texts
        .zip(1u32..)
        .map(|(text, number)| PromptPart { text: format!("{number}. {}\n", untrusted(&text, LINE)), rank: Some(number) })
        .collect()
}
