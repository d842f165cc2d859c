//! `catena dkg feedback`: a recorded answer is rated.

use std::io::{BufWriter, Read, Write, stdin, stdout};

use anyhow::Context;
use serde_json::json;

use super::describe::{print_proposal, proposal_json};
use super::{teacher, tell};
use crate::cli::dkg_args::{FeedbackArgs, RatingArg};
use crate::cli::exit::{self, Usage};
use crate::cli::export::recorded;
use crate::config::{Config, Paths};
use crate::dkg::{Rating, Status, rating_word};
use crate::feedback::{GivenRating, RatingResult};
use crate::model::CancelToken;
use crate::run::Trace;
use crate::text::{counted, sanitise, sanitise_line};

/// More than this of standard input is no answer; it is refused where it is recorded.
const MOST_BYTES: u64 = 1 << 20;

pub(super) fn run(args: &FeedbackArgs, config: &Config, paths: &Paths) -> anyhow::Result<u8> {
    let given = given(args)?;
    let recorded = recorded(&args.file)?;
    if recorded.torn > 0 {
        tell("the last line of the recording was cut short and is left out")?;
    }
    let trace = Trace::fold(&recorded.events);
    let teacher = teacher(&args.graph, &args.models, config, paths)?;
    if trace.kg.name != teacher.engine().knowledge().graph.name() {
        let (asked, open) = (sanitise_line(&trace.kg.name), sanitise_line(teacher.engine().knowledge().graph.name()));
        tell(&format!("the recorded answer came from the graph {asked}; proposals are checked against {open} (--kg names another)"))?;
    }
    let rated = teacher.rate(&trace, &given, &CancelToken::new())?;
    rated.warnings.iter().try_for_each(|warning| tell(warning))?;
    let mut out = BufWriter::new(stdout().lock());
    if args.json {
        let proposals: Vec<_> = rated.proposals.iter().map(proposal_json).collect();
        let all = json!({
            "record": rated.record, "run": trace.id, "rating": rating_word(given.rating), "proposals": proposals, "rejected": rated.rejected,
            "warnings": rated.warnings,
        });
        writeln!(out, "{}", sanitise(&all.to_string()))?;
    } else {
        print(&mut out, &rated, &given, &trace.id)?;
    }
    out.flush()?;
    Ok(exit::DONE)
}

/// The rating, as it was typed.
fn given(args: &FeedbackArgs) -> anyhow::Result<GivenRating> {
    let rating = match args.rating {
        RatingArg::Good => Rating::Good,
        RatingArg::Bad => Rating::Bad,
        RatingArg::Gold => Rating::Gold,
    };
    let gold = match args.answer.as_deref() {
        Some(_) if rating != Rating::Gold => {
            return Err(Usage("--answer belongs to the rating gold; what else there is to say goes with --comment".into()).into());
        }
        Some("-") if args.file == "-" => return Err(Usage("recording and answer cannot both come from standard input".into()).into()),
        Some("-") => {
            let mut bytes = Vec::new();
            stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes).context("standard input cannot be read")?;
            String::from_utf8(bytes).map_err(|error| Usage(format!("the answer is not valid UTF-8: {error}")))?
        }
        given => given.unwrap_or_default().to_owned(),
    };
    if rating == Rating::Gold && gold.trim().is_empty() {
        return Err(Usage("the gold answer is empty; --answer TEXT gives it".into()).into());
    }
    Ok(GivenRating { rating, gold, comment: args.comment.clone().unwrap_or_default(), accept: args.accept })
}

fn print(out: &mut dyn Write, rated: &RatingResult, given: &GivenRating, run: &str) -> std::io::Result<()> {
    writeln!(out, "Recorded as {}: {}, on the run {}.", rated.record, rating_word(given.rating), sanitise_line(run))?;
    if rated.proposals.is_empty() {
        writeln!(out, "Nothing is proposed because of it.")?;
    } else {
        writeln!(out, "{}:", counted(rated.proposals.len() as u64, "proposal", "proposals"))?;
        rated.proposals.iter().try_for_each(|state| print_proposal(out, state))?;
    }
    for (reason, count) in &rated.rejected {
        writeln!(out, "Not proposed: {count}, because of {}.", sanitise_line(reason))?;
    }
    let accepted = rated.count(|status| matches!(status, Status::Accepted { .. }));
    if accepted > 0 {
        let learned = counted(accepted as u64, "proposal was", "proposals were");
        writeln!(out, "{learned} accepted at once; `catena dkg undo {}` takes that back.", rated.record + 2)?;
    }
    let pending: Vec<_> = rated.proposals.iter().filter(|state| state.status == Status::Pending).collect();
    if let Some(first) = pending.first() {
        let waits = counted(pending.len() as u64, "proposal waits", "proposals wait");
        writeln!(
            out,
            "{waits} for you: `catena dkg accept {}`, or `reject`, or --all; `catena dkg review` lists all that wait.",
            first.id
        )?;
    }
    Ok(())
}
