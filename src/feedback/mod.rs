//! Feedback: a rated answer becomes proposals, checks set aside what is redundant or contradictory, and accepted proposals enter the DKG.

pub(crate) mod check;
pub(crate) mod exchange;
pub(crate) mod propose;
mod rated_before;
pub(crate) mod taught;
pub(crate) mod teacher;

pub use check::{CheckSettings, Checked, Checker, InvalidTriple};
pub use exchange::{ExchangeError, ExchangeForm, ImportReport, Imported, NotImported, ReadFile, Rejected, export, import, read_exchange};
pub(crate) use propose::is_usual;
pub use propose::{Proposals, Proposing};
pub(crate) use taught::RELATION_WORDS;
pub use taught::TaughtFact;
pub use teacher::{DecisionResult, GivenRating, RatingResult, TeachError, TeachSettings, Teacher};
