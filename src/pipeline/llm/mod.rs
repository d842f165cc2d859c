//! The stages that a language model can do: hypothesis and reader (HyKGE asks it twice), and what its text is checked for.
//!
//! A model may add, never take away. [`claims`] reads what a sentence claims, [`align`] what the kept chains say of it, and [`refine`] puts
//! it below the built-in answer.

mod align;
#[cfg(test)]
mod alignment_tests;
mod alone;
pub(crate) mod citations;
mod claims;
mod cues;
pub(crate) mod hypothesis;
pub(crate) mod reader;
mod refine;
pub(crate) mod sentences;
mod stated;
mod unusable;

pub(crate) use align::{Agreed, agreed, named_in};
pub(crate) use alone::{cited_answer, is_own, plain_line};
pub(crate) use citations::{ids_in as cited_in, in_round_brackets, leading as leading_citations, without as without_citations};
pub(crate) use hypothesis::LlmHypothesis;
pub(crate) use reader::{ReaderPrompt, read_alone, refine_with_model, write_text};
pub(crate) use sentences::complete_until;
pub(crate) use stated::stated;
