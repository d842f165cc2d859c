//! The stages of a run, in order: understand the question, check its safety, weigh the differential, write a hypothesis, search chains, prune them,
//! answer. [`method`](crate::method) puts them together.

pub(crate) mod answer;
pub(crate) mod check_answer;
pub(crate) mod differential;
pub(crate) mod documents;
pub(crate) mod llm;
pub(crate) mod prune;
#[allow(dead_code, unused_imports, reason = "the answer takes it over in the next step")]
pub(crate) mod safety;
pub(crate) mod search;
pub(crate) mod understand;
