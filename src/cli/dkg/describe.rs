//! Records and proposals in words, safe to print.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::dkg::{Change, Dkg, DkgError, Proposal, ProposalId, ProposalState, Rating, Record, Standing, Status, moment};
use crate::feedback::{act_word, proposer_word};
use crate::text::sanitise_line;

/// The most triples of a decision to name in the log.
const NAMED: usize = 3;

/// `1 triple`, `2 triples`.
pub(super) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A rating as a word.
pub(super) fn rating(rating: Rating) -> &'static str {
    match rating {
        Rating::Good => "good",
        Rating::Bad => "bad",
        Rating::Gold => "gold",
    }
}

/// How a proposal compares with what is known, as a clause; empty if it is new.
pub(super) fn standing(standing: &Standing) -> String {
    let source = |learned: &bool| if *learned { "learned" } else { "known" };
    sanitise_line(&match standing {
        Standing::New => String::new(),
        Standing::Redundant { distance, learned, with } if *distance > 0.0 => {
            format!("redundant, nearly the same as a {} triple (distance {distance:.3}): {with}", source(learned))
        }
        Standing::Redundant { learned, with, .. } => format!("redundant, same as a {} triple: {with}", source(learned)),
        Standing::Conflict { learned, with, why } => format!("CONFLICT: {why}; {}: {with}", source(learned)),
    })
}

/// The status of a proposal, in a word or two.
pub(super) fn status(status: Status) -> String {
    match status {
        Status::Void => "void".into(),
        Status::Pending => "waiting".into(),
        Status::Redundant => "redundant".into(),
        Status::Conflicting => "conflict".into(),
        Status::Accepted { record } => format!("accepted by {record}"),
        Status::Rejected { record } => format!("rejected by {record}"),
    }
}

/// Prints a proposal on two or three lines.
pub(super) fn print_proposal(out: &mut dyn Write, state: &ProposalState) -> io::Result<()> {
    let ProposalState { id, proposal, .. } = state;
    let text = sanitise_line(&proposal.triple.text());
    writeln!(out, "  {:<8} {:<14} {:<9} {text}{}", id.to_string(), status(state.status), act_word(proposal.act), new_ends(proposal))?;
    let comparison = standing(&proposal.standing);
    if !comparison.is_empty() {
        writeln!(out, "           {comparison}")?;
    }
    let why = sanitise_line(&proposal.basis.why);
    let by = sanitise_line(&proposer_word(&proposal.proposer));
    writeln!(out, "           {by}{}{why}", if why.is_empty() { "" } else { ": " })
}

fn new_ends(proposal: &Proposal) -> String {
    let triple = &proposal.triple;
    let named = |end: &String| {
        let entity = if end == "head" { &triple.head } else { &triple.tail };
        let kind = if entity.kind.is_empty() { "of unknown kind" } else { &entity.kind };
        sanitise_line(&format!("{}, {}", entity.name, kind.replace('_', " ")))
    };
    let ends: Vec<String> = proposal.new_entities.iter().map(named).collect();
    if ends.is_empty() { String::new() } else { format!("  [new: {}]", ends.join("; ")) }
}

/// A proposal as JSON.
pub(super) fn proposal_json(state: &ProposalState) -> Value {
    let status = match state.status {
        Status::Void => "void",
        Status::Pending => "pending",
        Status::Redundant => "redundant",
        Status::Conflicting => "conflicting",
        Status::Accepted { .. } => "accepted",
        Status::Rejected { .. } => "rejected",
    };
    json!({
        "id": state.id.to_string(), "feedback": state.feedback, "status": status, "text": state.proposal.triple.text(),
        "proposal": state.proposal,
    })
}

/// What a record does, without its question and answer.
pub(super) fn record(dkg: &Dkg, record: &Record) -> Result<String, DkgError> {
    let said = match &record.change {
        Change::Feedback(feedback) => {
            let cited = counted(feedback.cited.len() as u64, "chain", "chains");
            format!("rated {}: run {}, which cites {cited}", rating(feedback.rating), feedback.run)
        }
        Change::Proposed(proposed) => {
            let count = |is: fn(&Standing) -> bool| proposed.proposals.iter().filter(|proposal| is(&proposal.standing)).count();
            let redundant = count(|standing| matches!(standing, Standing::Redundant { .. }));
            let conflicting = count(|standing| matches!(standing, Standing::Conflict { .. }));
            let new = proposed.proposals.len() - redundant - conflicting;
            format!("proposals from {}: {new} new, {redundant} redundant, {conflicting} in conflict", proposed.feedback)
        }
        Change::Accept { proposals } => format!("accepted {}", named(dkg, proposals)?),
        Change::Reject { proposals } => format!("rejected {}", named(dkg, proposals)?),
        Change::Edit { proposal, triple, .. } => format!("edited {proposal}: {}", triple.text()),
        Change::Import(import) => {
            format!("imported {} from {}", counted(import.triples.len() as u64, "triple", "triples"), import.file)
        }
        Change::Undo { record } => format!("undid {record}"),
    };
    Ok(sanitise_line(&said))
}

fn named(dkg: &Dkg, ids: &[ProposalId]) -> Result<String, DkgError> {
    let mut said = Vec::new();
    for id in ids.iter().take(NAMED) {
        let proposal = dkg.proposal(*id)?.proposal;
        let act = if proposal.act == crate::dkg::Act::Retract { "to unlearn " } else { "" };
        said.push(format!("{id} {act}{}", proposal.triple.text()));
    }
    let more = if ids.len() > NAMED { format!(" and {} more", ids.len() - NAMED) } else { String::new() };
    Ok(format!("{}{more}", said.join("; ")))
}

/// The type of a record, by its name in the journal.
pub(super) fn type_name(change: &Change) -> &'static str {
    match change {
        Change::Feedback(_) => "feedback",
        Change::Proposed(_) => "proposed",
        Change::Accept { .. } => "accept",
        Change::Reject { .. } => "reject",
        Change::Edit { .. } => "edit",
        Change::Import(_) => "import",
        Change::Undo { .. } => "undo",
    }
}

/// A point in time (milliseconds since 1970, UTC), for people.
pub(super) fn when(at_ms: u64) -> String {
    moment(at_ms)
}
