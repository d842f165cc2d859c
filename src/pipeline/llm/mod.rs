//! The stages that a language model can do: hypothesis and reader (HyKGE asks it twice), and what its text is checked for.

pub(crate) mod citations;
pub(crate) mod claims;
pub(crate) mod hypothesis;
pub(crate) mod reader;
pub(crate) mod sentences;

pub(crate) use citations::ids_in as cited_in;
pub(crate) use claims::{is_own, plain_line};
pub(crate) use hypothesis::LlmHypothesis;
pub(crate) use reader::{ReaderPrompt, read_with_model};
pub(crate) use sentences::complete_until;
