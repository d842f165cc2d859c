//! Drafts from passages that an accepted answer cites: what they state and the graph may lack. The reason names the passage by its place and the hash of its
//! text, never by its words: documents can be removed, the journal cannot.

use sha2::{Digest, Sha256};

use super::Proposing;
use super::draft::{Draft, Drafts};
use super::entity::Term;
use crate::dkg::Basis;
use crate::evidence::statements_in;
use crate::run::{QuotedPassage, Trace};

/// Drafts what the cited passages state. Passages that the doctor rejected since do not count.
pub(super) fn draft(proposing: &Proposing<'_>, trace: &Trace, drafts: &mut Drafts) {
    let graph = proposing.knowledge.graph.base();
    let cited = trace.answer.passages.iter().filter_map(|id| trace.passages.get(id.place()));
    for passage in cited.filter(|passage| !trace.triage.rejected_passages.contains(&passage.key())) {
        for statement in statements_in(graph, passage) {
            let term = |entity| Term::new(graph.entity_name(entity), graph.kind(entity).clone());
            let basis = Basis { chains: Vec::new(), why: reason(passage) };
            drafts.push(Draft::by_rule(term(statement.owner), statement.role, term(statement.player), basis));
        }
    }
}

/// Where a passage stands, and the hash of its text.
fn reason(passage: &QuotedPassage) -> String {
    let hash: String = Sha256::digest(passage.text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("a document states it ({}; SHA-256 {hash})", passage.key())
}
