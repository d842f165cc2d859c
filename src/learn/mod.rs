//! The evolving graph (WTS, section 3.2): feedback, the triples proposed from it, the review, and the journal that
//! keeps all of it.

mod check;
mod dkg;
mod error;
mod exchange;
mod gold;
mod journal;
mod lock;
mod origin;
mod propose;
mod record;
pub mod school;
mod state;
mod statistics;
mod store;
mod teacher;

pub use check::{CheckSettings, Checked, Checker, Unfit};
pub use dkg::{Appended, Dkg, StoreCheck, Verified};
pub use error::{DkgError, Refusal};
pub use exchange::{ExchangeError, ExchangeForm, Held, ImportReport, Imported, ReadFile, Rejected, export, import, read_exchange};
pub(crate) use gold::{asked_parts, found_among, gold_parts, places};
pub use journal::Records;
pub use origin::{moment, of_record as origin_of};
pub use propose::{Proposals, Proposing};
pub use record::{
    Act, Basis, Change, Feedback, Import, ImportedTriple, Proposal, ProposalId, Proposed, Proposer, Rating, Record, Standing,
};
pub use state::{Effect, ProposalState, Status, Waiting};
pub use statistics::{Day, Growth, RecordCounts, Statistics};
pub use teacher::{Given, Outcome, Rated, TeachError, TeachSettings, Teacher, act_word, proposer_word};
