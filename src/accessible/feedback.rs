//! Feedback: rate an answer, hear and decide about the proposals, hear what the DKG has learned, and undo it.

use std::io::{self, Write};

use super::command::{LineCommand, ProposalSelection};
use super::phrases::{counted, entity_kind};
use super::session::{AccessibleSession, next_interrupt};
use crate::dkg::{Change, CheckNote, DkgError, ProposalId, ProposalState, Rating, Status, Waiting, act_word, proposer_words};
use crate::feedback::{DecisionResult, GivenRating, RatingResult, Teacher};
use crate::graph::NamedTriple;
use crate::model::CancelToken;

/// The most learned triples to name, latest first.
const LATEST: usize = 20;

impl<W: Write> AccessibleSession<W> {
    pub(super) async fn teach(&mut self, command: LineCommand) -> io::Result<()> {
        let Some(teacher) = self.teacher.clone() else {
            return self
                .say("Catena cannot learn now: the DKG is turned off in the configuration, or could not be opened, as a notice at the start said.");
        };
        let waiting = || teacher.waiting();
        match command {
            LineCommand::Rate(rating) => {
                // Without a run, there is nothing to rate.
                if self.settled()?.is_none() {
                    return Ok(());
                }
                if rating == Rating::Gold {
                    self.gold = Some(Vec::new());
                    return self.say("Type the correct answer, on one or more lines, and then an empty line.");
                }
                self.rate(GivenRating::plain(rating)).await
            }
            LineCommand::Review => match waiting() {
                Ok(waiting) => self.say_all(&review(&waiting)),
                Err(error) => self.fail(&error),
            },
            LineCommand::AcceptProposals(selection) => match selection.ids(&waiting) {
                Ok(ids) => self.decide_proposals(ids, "accepted", |ids| teacher.accept(ids)),
                Err(error) => self.fail(&error),
            },
            LineCommand::RejectProposals(selection) => match selection.ids(&waiting) {
                Ok(ids) => self.decide_proposals(ids, "rejected", |ids| teacher.reject(ids)),
                Err(error) => self.fail(&error),
            },
            LineCommand::TakeBack => match undo_latest(&teacher) {
                Ok(said) => self.say(&said),
                Err(error) => self.fail(&error),
            },
            LineCommand::Learned => match learned(&teacher) {
                Ok(said) => self.say_all(&said),
                Err(error) => self.fail(&error),
            },
            _ => Ok(()),
        }
    }

    fn fail(&mut self, error: &DkgError) -> io::Result<()> {
        self.say(&format!("That failed: {error}."))
    }

    /// Takes a line of a gold answer; an empty line ends it.
    pub(super) async fn add_gold_line(&mut self, mut gold: Vec<String>, line: String) -> io::Result<()> {
        if !line.trim().is_empty() {
            gold.push(line);
            self.gold = Some(gold);
            return Ok(());
        }
        if gold.is_empty() {
            return self.say("You typed no answer, so nothing was recorded.");
        }
        self.rate(GivenRating { gold: gold.join("\n"), ..GivenRating::plain(Rating::Gold) }).await
    }

    async fn rate(&mut self, given: GivenRating) -> io::Result<()> {
        let (Some(teacher), Some(trace)) = (self.teacher.clone(), self.settled()?) else { return Ok(()) };
        let cancel = CancelToken::new();
        let stop = cancel.clone();
        let mut work = tokio::task::spawn_blocking(move || teacher.rate(&trace, &given, &cancel));
        let rated = loop {
            tokio::select! {
                rated = &mut work => break rated,
                () = next_interrupt(&mut self.interrupts) => stop.cancel(),
            }
        };
        match rated {
            Ok(Ok(rated)) => self.say_all(&rating_result(&rated)),
            Ok(Err(error)) => self.say(&format!("Nothing was recorded: {error}.")),
            Err(_) => self.say("An internal error stopped the rating. Type learned to hear whether it was recorded."),
        }
    }

    fn decide_proposals(
        &mut self,
        ids: Vec<ProposalId>,
        done: &str,
        decide: impl FnOnce(Vec<ProposalId>) -> Result<DecisionResult, DkgError>,
    ) -> io::Result<()> {
        if ids.is_empty() {
            return self.say("No proposals are waiting.");
        }
        let count = counted(ids.len() as u64, "proposal", "proposals");
        match decide(ids) {
            Ok(outcome) => {
                let learned = counted(outcome.learned as u64, "triple", "triples");
                let unlearned = match outcome.unlearned {
                    0 => String::new(),
                    unlearned => format!(", and unlearned {unlearned}"),
                };
                self.say(&format!("{count} {done}. The DKG learned {learned}{unlearned}. Type take back to undo this."))
            }
            Err(error) => self.fail(&error),
        }
    }
}

impl ProposalSelection {
    /// The proposals that are meant.
    fn ids(self, waiting: &impl Fn() -> Result<Waiting, DkgError>) -> Result<Vec<ProposalId>, DkgError> {
        match self {
            Self::All => Ok(waiting()?.pending.iter().map(|state| state.id).collect()),
            Self::These(ids) => Ok(ids),
        }
    }
}

/// The result of a rating.
fn rating_result(rated: &RatingResult) -> Vec<String> {
    let mut said = vec![format!("Your rating is recorded as number {}.", rated.record)];
    said.extend(rated.warnings.iter().map(|warning| plain(warning)));
    said.push(match rated.proposals.len() as u64 {
        0 => "There are no proposals.".into(),
        1 => "There is 1 proposal.".into(),
        count => format!("There are {}.", counted(count, "proposal", "proposals")),
    });
    said.extend(rated.proposals.iter().map(proposal));
    said.extend(
        rated.pinned.iter().map(|fact| format!("{}: already known, but ranked out. It is pinned for questions like this.", plain(fact))),
    );
    let pending = rated.count(|status| status == Status::Pending);
    if pending > 0 {
        said.push(
            "Type accept all to accept the proposals that are waiting, or accept or reject and a proposal's number, such as accept 2.0."
                .into(),
        );
    }
    said
}

/// The proposals that wait for a decision.
fn review(waiting: &Waiting) -> Vec<String> {
    let lists = [
        (&waiting.pending, "proposal waits for your decision.", "proposals wait for your decision."),
        (&waiting.conflicting, "proposal is in conflict with something known.", "proposals are in conflict with something known."),
        (&waiting.redundant, "proposal is redundant.", "proposals are redundant."),
    ];
    let mut said = Vec::new();
    for (states, one, many) in lists {
        if !states.is_empty() {
            said.push(counted(states.len() as u64, one, many));
            said.extend(states.iter().map(proposal));
        }
    }
    if said.is_empty() {
        said.push("No proposals are waiting.".into());
    }
    said
}

/// A proposal in a few sentences.
fn proposal(state: &ProposalState) -> String {
    let status = match state.status {
        Status::Accepted { .. } => " It is accepted.",
        Status::Rejected { .. } => " It is rejected.",
        Status::Void => " It is void.",
        Status::Pending | Status::Redundant | Status::Conflicting => "",
    };
    let check = CheckNote::of(&state.proposal.standing).map_or_else(String::new, |note| format!(" {}.", plain(&note.line())));
    let ends = state.proposal.new_entities.iter().map(|end| {
        let triple = &state.proposal.triple;
        let entity = if end == "head" { &triple.head } else { &triple.tail };
        let kind = entity_kind(&entity.kind);
        let kind = if kind.is_empty() { "of unknown kind".to_owned() } else { format!("of the kind {kind}") };
        format!(" {} is new, {kind}.", entity.name)
    });
    let by = proposer_words(&state.proposal.proposer);
    let why = plain(&state.proposal.basis.why);
    let why = if why.is_empty() { String::new() } else { format!(", because {why}") };
    let new: String = ends.collect();
    format!("Proposal {}: {} {}, {by}{why}.{new}{check}{status}", state.id, act_word(state.proposal.act), sentence(&state.proposal.triple))
}

/// A triple as a phrase.
fn sentence(triple: &NamedTriple) -> String {
    plain(&triple.text())
}

/// The text without arrows.
fn plain(text: &str) -> String {
    let is_arrow = |c: char| matches!(c, '\u{2190}'..='\u{21FF}');
    text.split(is_arrow).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// How much the DKG has learned, and the latest triples.
fn learned(teacher: &Teacher) -> Result<Vec<String>, DkgError> {
    let mut all = teacher.dkg().learned()?;
    if all.is_empty() {
        return Ok(vec!["The DKG has learned nothing yet.".into()]);
    }
    all.sort_unstable_by(|a, b| (b.record, &a.triple).cmp(&(a.record, &b.triple)));
    let latest = if all.len() > LATEST { format!(" These are the latest {LATEST}.") } else { String::new() };
    let mut said = vec![format!("The DKG has learned {}.{latest}", counted(all.len() as u64, "triple", "triples"))];
    said.extend(all.iter().take(LATEST).map(|one| format!("{}, by record {}.", sentence(&one.triple), one.record)));
    Ok(said)
}

/// Undoes the latest record of the user that is not undone yet.
fn undo_latest(teacher: &Teacher) -> Result<String, DkgError> {
    let next = teacher.dkg().next_seq();
    for record in (1..next).rev() {
        let (written, is_void) = {
            let dkg = teacher.dkg();
            (dkg.record(record)?, dkg.is_void(record)?)
        };
        let what = match written.change {
            _ if is_void => continue,
            // Proposals and pins are undone with the rating that they come from.
            Change::Undo { .. } | Change::Proposed(_) | Change::Pin(_) => continue,
            Change::Feedback(_) => "a rating",
            Change::Accept { .. } => "an acceptance",
            Change::Reject { .. } => "a rejection",
            Change::Edit { .. } => "an edit",
            Change::Import(_) => "an import",
        };
        let outcome = teacher.undo(record)?;
        let learned = counted(outcome.learned as u64, "triple", "triples");
        let unlearned = outcome.unlearned;
        return Ok(format!("Record {record}, {what}, is undone. The DKG learned {learned} again and unlearned {unlearned}."));
    }
    Ok("Nothing to undo.".into())
}
