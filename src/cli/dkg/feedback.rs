//! `catena dkg feedback`: rates a recorded answer.

use std::io::{BufWriter, Read, Write, stdin, stdout};

use anyhow::Context;
use serde_json::json;

use super::describe::{print_proposal, proposal_json};
use super::open_teacher;
use crate::cli::dkg_args::{FeedbackArgs, RatingArg};
use crate::cli::exit::{self, UsageError};
use crate::cli::export::recorded;
use crate::cli::messages::note;
use crate::cli::setup::Setup;
use crate::dkg::{Rating, Status, rating_word};
use crate::feedback::{GivenRating, RatingResult};
use crate::model::CancelToken;
use crate::run::Trace;
use crate::text::{counted, sanitise, sanitise_line};

/// The most bytes to read from standard input; recording refuses an answer of this length.
const MOST_BYTES: u64 = 1 << 20;

pub(super) fn run(args: &FeedbackArgs, setup: &Setup) -> anyhow::Result<u8> {
    let given = given(args)?;
    let recorded = recorded(&args.file)?;
    if recorded.torn > 0 {
        note("the last line of the recording is incomplete; Catena ignores it")?;
    }
    let trace = Trace::fold(&recorded.events);
    let teacher = open_teacher(&args.learning.graph, &args.learning.models, setup)?;
    if trace.kg.name != teacher.engine().knowledge().graph.name() {
        let (asked, open) = (sanitise_line(&trace.kg.name), sanitise_line(teacher.engine().knowledge().graph.name()));
        note(&format!("the recorded answer comes from the graph {asked}; Catena checks proposals against {open} (to use another: --kg)"))?;
    }
    let rated = teacher.rate(&trace, &given, &CancelToken::new())?;
    rated.warnings.iter().try_for_each(|warning| note(warning))?;
    let mut out = BufWriter::new(stdout().lock());
    if args.learning.json {
        let proposals: Vec<_> = rated.proposals.iter().map(proposal_json).collect();
        let all = json!({
            "record": rated.record, "run": trace.id, "rating": rating_word(given.rating), "proposals": proposals, "rejected": rated.rejected,
            "warnings": rated.warnings, "pinned": rated.pinned,
        });
        writeln!(out, "{}", sanitise(&all.to_string()))?;
    } else {
        print(&mut out, &rated, &given, &trace.id)?;
    }
    out.flush()?;
    Ok(exit::DONE)
}

/// The rating, from the command line.
fn given(args: &FeedbackArgs) -> anyhow::Result<GivenRating> {
    let rating = match args.rating {
        RatingArg::Good => Rating::Good,
        RatingArg::Bad => Rating::Bad,
        RatingArg::Gold => Rating::Gold,
    };
    let gold = match args.answer.as_deref() {
        Some(_) if rating != Rating::Gold => {
            return Err(UsageError("--answer is only for the rating gold; to add a remark, use --comment".into()).into());
        }
        Some("-") if args.file == "-" => {
            return Err(UsageError("the recording and the answer cannot both come from standard input".into()).into());
        }
        Some("-") => {
            let mut bytes = Vec::new();
            stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes).context("cannot read standard input")?;
            String::from_utf8(bytes).map_err(|error| UsageError(format!("the answer is not valid UTF-8: {error}")))?
        }
        given => given.unwrap_or_default().to_owned(),
    };
    if rating == Rating::Gold && gold.trim().is_empty() {
        return Err(UsageError("the gold answer is empty; give it with --answer TEXT".into()).into());
    }
    Ok(GivenRating { rating, gold, comment: args.comment.clone().unwrap_or_default(), accept: args.learning.accept })
}

fn print(out: &mut dyn Write, rated: &RatingResult, given: &GivenRating, run: &str) -> std::io::Result<()> {
    writeln!(out, "Recorded as {}: {}, for the run {}.", rated.record, rating_word(given.rating), sanitise_line(run))?;
    if rated.proposals.is_empty() {
        writeln!(out, "There are no proposals.")?;
    } else {
        writeln!(out, "{}:", counted(rated.proposals.len() as u64, "proposal", "proposals"))?;
        rated.proposals.iter().try_for_each(|state| print_proposal(out, state))?;
    }
    for fact in &rated.pinned {
        writeln!(out, "Already known, but ranked out: pinned for questions like this: {}.", sanitise_line(fact))?;
    }
    for (reason, count) in &rated.rejected {
        writeln!(out, "Not proposed: {count} ({}).", sanitise_line(reason))?;
    }
    let accepted = rated.count(|status| matches!(status, Status::Accepted { .. }));
    if accepted > 0 {
        let count = counted(accepted as u64, "proposal", "proposals");
        writeln!(out, "{count} accepted at once. To undo: catena dkg undo {}", rated.record + 2)?;
    }
    let pending: Vec<_> = rated.proposals.iter().filter(|state| state.status == Status::Pending).collect();
    if let Some(first) = pending.first() {
        let waits = counted(pending.len() as u64, "proposal waits", "proposals wait");
        writeln!(
            out,
            "{waits} for your decision: catena dkg accept {}, catena dkg reject …, or --all. `catena dkg review` lists all.",
            first.id
        )?;
    }
    Ok(())
}
