//! The evolving graph (WTS, section 3.2): feedback, the triples proposed from it, the review, and the journal that
//! keeps all of it.

mod record;

pub use record::{
    Act, Basis, Change, Feedback, Import, ImportedTriple, Proposal, ProposalId, Proposed, Proposer, Rating, Record, Standing,
};
