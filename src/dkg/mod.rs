//! The DKG, the dynamic knowledge graph of WTS (section 3.2): learned triples, kept in an auditable journal and in a store that can be
//! rebuilt from it.

pub(crate) mod error;
pub(crate) mod handle;
pub(crate) mod journal;
pub(crate) mod lock;
pub(crate) mod provenance;
pub(crate) mod record;
pub(crate) mod state;
pub(crate) mod statistics;
pub(crate) mod store;
pub(crate) mod wording;

pub use error::{DkgError, Refusal};
pub use handle::{Dkg, StoreCheck, Verified};
pub use provenance::{moment, origin_of};
pub use record::{
    Act, Basis, Change, CheckOutcome, Feedback, Import, ImportedTriple, Pin, PinnedChain, Proposal, ProposalId, Proposed, Proposer, Rating,
    Record, TAUGHT,
};
pub use state::{ChainRatings, Preferences, ProposalState, RecordEffect, Status, Waiting};
pub use statistics::{Day, RecordCounts, Statistics};
pub use wording::{CheckNote, act_word, proposer_words, rating_word, status_words};
