//! Records and proposals in words, safe to print.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::dkg::{
    Change, CheckNote, CheckOutcome, Dkg, DkgError, Proposal, ProposalId, ProposalState, Record, Status, act_word, moment, proposer_words,
    rating_word, status_words,
};
use crate::text::{counted, sanitise_line};

/// The most triples of a decision to name in the log.
const NAMED: usize = 3;

/// Prints a proposal on two or three lines.
pub(super) fn print_proposal(out: &mut dyn Write, state: &ProposalState) -> io::Result<()> {
    let ProposalState { id, proposal, .. } = state;
    let text = sanitise_line(&proposal.triple.text());
    writeln!(out, "  {:<8} {:<14} {:<9} {text}{}", id.to_string(), status_words(state.status), act_word(proposal.act), new_ends(proposal))?;
    if !proposal.triple.qualifiers.is_empty() {
        writeln!(out, "           {}", sanitise_line(&proposal.triple.qualifiers.to_string()))?;
    }
    if let Some(note) = CheckNote::of(&proposal.standing) {
        writeln!(out, "           {}", note.line())?;
    }
    let why = sanitise_line(&proposal.basis.why);
    let by = proposer_words(&proposal.proposer);
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
        Change::Feedback(feedback) if feedback.run.is_empty() => "taught a fact directly".to_owned(),
        Change::Feedback(feedback) => {
            let cited = counted(feedback.cited.len() as u64, "chain", "chains");
            format!("rated {}: run {}, which cites {cited}", rating_word(feedback.rating), feedback.run)
        }
        Change::Proposed(proposed) => {
            let count = |is: fn(&CheckOutcome) -> bool| proposed.proposals.iter().filter(|proposal| is(&proposal.standing)).count();
            let redundant = count(|standing| matches!(standing, CheckOutcome::Redundant { .. }));
            let conflicting = count(|standing| matches!(standing, CheckOutcome::Conflict { .. }));
            let new = proposed.proposals.len() - redundant - conflicting;
            format!("proposals from {}: {new} new, {redundant} redundant, {conflicting} in conflict", proposed.feedback)
        }
        Change::Accept { proposals } => format!("accepted {}", named(dkg, proposals)?),
        Change::Reject { proposals } => format!("rejected {}", named(dkg, proposals)?),
        Change::Edit { proposal, triple, .. } => format!("edited {proposal}: {}", triple.text()),
        Change::Import(import) => {
            format!("imported {} from {}", counted(import.triples.len() as u64, "triple", "triples"), import.file)
        }
        Change::Pin(pin) => {
            let facts: Vec<String> = pin.chains.iter().map(|chain| chain.fact.text()).collect();
            format!("pinned from {}, for questions like its own: {}", pin.feedback, facts.join("; "))
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
        Change::Pin(_) => "pin",
        Change::Undo { .. } => "undo",
    }
}

/// A point in time (milliseconds since 1970, UTC), for people.
pub(super) fn when(at_ms: u64) -> String {
    moment(at_ms)
}
