//! Feedback: a rated answer becomes proposals, checks sort out what is redundant or does not fit, and the rest enters the DKG.

pub(crate) mod check;
pub(crate) mod exchange;
pub(crate) mod propose;
pub(crate) mod teacher;

pub use check::{CheckSettings, Checked, Checker, Unfit};
pub use exchange::{ExchangeError, ExchangeForm, Held, ImportReport, Imported, ReadFile, Rejected, export, import, read_exchange};
pub use propose::{Proposals, Proposing};
pub use teacher::{Given, Outcome, Rated, TeachError, TeachSettings, Teacher, act_word, proposer_word};
