//! The lines that methods put into prompts: numbered triples, numbered entities, the question; all escaped.

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

/// Chains as numbered lines, from 1. If they do not all fit, the last are left out first.
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
