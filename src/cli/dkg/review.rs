//! `catena dkg review`: the proposals that wait for a decision.

use std::io::{BufWriter, Write, stdout};

use serde_json::{Value, json};

use super::describe::{print_proposal, proposal_json};
use crate::cli::exit;
use crate::dkg::{Dkg, ProposalState};
use crate::text::sanitise;

pub(super) fn run(dkg: &Dkg, json: bool) -> anyhow::Result<u8> {
    let waiting = dkg.waiting()?;
    let mut out = BufWriter::new(stdout().lock());
    if json {
        let list = |states: &[ProposalState]| states.iter().map(proposal_json).collect::<Vec<Value>>();
        let [pending, redundant, conflicting] = [&waiting.pending, &waiting.redundant, &waiting.conflicting].map(|states| list(states));
        let all = json!({ "pending": pending, "redundant": redundant, "conflicting": conflicting });
        writeln!(out, "{}", sanitise(&all.to_string()))?;
        out.flush()?;
        return Ok(exit::DONE);
    }
    let lists = [
        ("waiting for your decision: catena dkg accept ID…, catena dkg reject ID…, or --all", &waiting.pending),
        ("in conflict with something known; to learn them, accept them by number", &waiting.conflicting),
        ("redundant; you need not decide about them", &waiting.redundant),
    ];
    if lists.iter().all(|(_, states)| states.is_empty()) {
        writeln!(out, "No proposals are waiting.")?;
    }
    for (said, states) in lists {
        if !states.is_empty() {
            writeln!(out, "{} {said}", states.len())?;
            states.iter().try_for_each(|state| print_proposal(&mut out, state))?;
        }
    }
    out.flush()?;
    Ok(exit::DONE)
}
