//! `catena dkg teach`: teaches a fact directly.

use std::io::{BufWriter, Write, stdout};

use serde_json::json;

use super::describe::{print_proposal, proposal_json};
use super::open_teacher;
use crate::cli::dkg_args::TeachArgs;
use crate::cli::exit;
use crate::cli::messages::note;
use crate::cli::setup::Setup;
use crate::dkg::Status;
use crate::feedback::TaughtFact;
use crate::model::CancelToken;
use crate::text::sanitise;

pub(super) fn run(args: &TeachArgs, setup: &Setup) -> anyhow::Result<u8> {
    let fact = TaughtFact {
        head: args.head.clone(),
        relation: args.relation.clone(),
        tail: args.tail.clone(),
        why: args.why.clone().unwrap_or_default(),
    };
    let teacher = open_teacher(&args.learning.graph, &args.learning.models, setup)?;
    let taught = teacher.teach(&fact, args.learning.accept, &CancelToken::new())?;
    taught.warnings.iter().try_for_each(|warning| note(warning))?;
    let mut out = BufWriter::new(stdout().lock());
    if args.learning.json {
        let proposals: Vec<_> = taught.proposals.iter().map(proposal_json).collect();
        let all = json!({ "record": taught.record, "proposals": proposals, "warnings": taught.warnings });
        writeln!(out, "{}", sanitise(&all.to_string()))?;
    } else {
        taught.proposals.iter().try_for_each(|state| print_proposal(&mut out, state))?;
        for state in &taught.proposals {
            match state.status {
                Status::Accepted { .. } => writeln!(out, "Learned. To undo: catena dkg undo {}", taught.record + 2)?,
                Status::Redundant => {
                    writeln!(out, "The graph knows this already. To learn it nevertheless: catena dkg accept {}", state.id)?
                }
                Status::Conflicting => {
                    writeln!(out, "This contradicts what is known. To learn it nevertheless: catena dkg accept {}", state.id)?;
                }
                _ => writeln!(out, "It waits for your decision: catena dkg accept {0}, or catena dkg reject {0}.", state.id)?,
            }
        }
    }
    out.flush()?;
    Ok(exit::DONE)
}
