//! Feedback in lines: an answer is rated, what is proposed because of it is told and decided about, what was learned is told and taken back.

use std::io::{self, Write};

use super::command::{Command, Named};
use super::session::{Session, pressed};
use super::words::{counted, entity_kind};
use crate::dkg::{Change, CheckNote, DkgError, ProposalId, ProposalState, Rating, Status, Waiting, act_word, proposer_words};
use crate::feedback::{DecisionResult, GivenRating, RatingResult, Teacher};
use crate::graph::NamedTriple;
use crate::model::CancelToken;

/// Learned triples that are told, the latest.
const TOLD: usize = 20;

impl<W: Write> Session<W> {
    pub(super) async fn teach(&mut self, command: Command) -> io::Result<()> {
        let Some(teacher) = self.teacher.clone() else {
            return self
                .say("Nothing can be learned here. The notices at the start say why, or the configuration says that it is not wanted.");
        };
        let waiting = || teacher.waiting();
        match command {
            Command::Rate(rating) => {
                // There must be an answer before one says how it was.
                if self.settled()?.is_none() {
                    return Ok(());
                }
                if rating == Rating::Gold {
                    self.gold = Some(Vec::new());
                    return self.say("Type the answer that it should have been, in one line or several, and then an empty line.");
                }
                self.rate(GivenRating::plain(rating)).await
            }
            Command::Review => match waiting() {
                Ok(waiting) => self.say_all(&review(&waiting)),
                Err(error) => self.fail(&error),
            },
            Command::AcceptProposals(named) => match named.ids(&waiting) {
                Ok(ids) => self.decided(ids, "accepted", |ids| teacher.accept(ids)),
                Err(error) => self.fail(&error),
            },
            Command::RejectProposals(named) => match named.ids(&waiting) {
                Ok(ids) => self.decided(ids, "turned down", |ids| teacher.reject(ids)),
                Err(error) => self.fail(&error),
            },
            Command::TakeBack => match take_back(&teacher) {
                Ok(said) => self.say(&said),
                Err(error) => self.fail(&error),
            },
            Command::Learned => match learned(&teacher) {
                Ok(said) => self.say_all(&said),
                Err(error) => self.fail(&error),
            },
            _ => Ok(()),
        }
    }

    fn fail(&mut self, error: &DkgError) -> io::Result<()> {
        self.say(&format!("That could not be done: {error}."))
    }

    /// A line came while a gold answer is typed: more of it, or its end.
    pub(super) async fn more_gold(&mut self, mut gold: Vec<String>, line: String) -> io::Result<()> {
        if !line.trim().is_empty() {
            gold.push(line);
            self.gold = Some(gold);
            return Ok(());
        }
        if gold.is_empty() {
            return self.say("No answer was typed, so nothing is recorded.");
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
                () = pressed(&mut self.interrupts) => stop.cancel(),
            }
        };
        match rated {
            Ok(Ok(rated)) => self.say_all(&told(&rated)),
            Ok(Err(error)) => self.say(&format!("Nothing was recorded: {error}.")),
            Err(_) => self.say("The rating ended by a fault in Catena itself. Type learned to hear whether it was recorded."),
        }
    }

    fn decided(
        &mut self,
        ids: Vec<ProposalId>,
        done: &str,
        decide: impl FnOnce(Vec<ProposalId>) -> Result<DecisionResult, DkgError>,
    ) -> io::Result<()> {
        if ids.is_empty() {
            return self.say("No proposal waits.");
        }
        let count = counted(ids.len() as u64, "proposal is", "proposals are");
        match decide(ids) {
            Ok(outcome) => {
                let learned = counted(outcome.learned as u64, "triple is learned by that", "triples are learned by that");
                let gone = match outcome.unlearned {
                    0 => String::new(),
                    gone => format!(", and {} no longer", counted(gone as u64, "is learned", "are learned")),
                };
                self.say(&format!("{count} {done}. {learned}{gone}. Type take back to undo it."))
            }
            Err(error) => self.fail(&error),
        }
    }
}

impl Named {
    /// The proposals that are meant.
    fn ids(self, waiting: &impl Fn() -> Result<Waiting, DkgError>) -> Result<Vec<ProposalId>, DkgError> {
        match self {
            Self::All => Ok(waiting()?.pending.iter().map(|state| state.id).collect()),
            Self::These(ids) => Ok(ids),
        }
    }
}

/// What came of a rating.
fn told(rated: &RatingResult) -> Vec<String> {
    let mut said = vec![format!("Your rating is recorded as number {}.", rated.record)];
    said.extend(rated.warnings.iter().map(|warning| plain(warning)));
    said.push(match rated.proposals.len() as u64 {
        0 => "Nothing is proposed because of it.".into(),
        1 => "There is 1 proposal because of it.".into(),
        count => format!("There are {} because of it.", counted(count, "proposal", "proposals")),
    });
    said.extend(rated.proposals.iter().map(proposal));
    let pending = rated.count(|status| status == Status::Pending);
    if pending > 0 {
        said.push("Type accept all to have what waits learned, or accept or reject and a proposal's number, such as accept 2.0.".into());
    }
    said
}

/// What waits.
fn review(waiting: &Waiting) -> Vec<String> {
    let lists = [
        (&waiting.pending, "proposal waits for you.", "proposals wait for you."),
        (&waiting.conflicting, "proposal contradicts something known.", "proposals contradict something known."),
        (&waiting.redundant, "proposal says nothing new.", "proposals say nothing new."),
    ];
    let mut said = Vec::new();
    for (states, one, many) in lists {
        if !states.is_empty() {
            said.push(counted(states.len() as u64, one, many));
            said.extend(states.iter().map(proposal));
        }
    }
    if said.is_empty() {
        said.push("No proposal waits.".into());
    }
    said
}

/// A proposal in a sentence or two.
fn proposal(state: &ProposalState) -> String {
    let status = match state.status {
        Status::Accepted { .. } => " It is accepted.",
        Status::Rejected { .. } => " It was turned down.",
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

/// A triple as it is said.
fn sentence(triple: &NamedTriple) -> String {
    plain(&triple.text())
}

/// Text without arrows.
fn plain(text: &str) -> String {
    let is_arrow = |c: char| matches!(c, '\u{2190}'..='\u{21FF}');
    text.split(is_arrow).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// How much is learned, and the latest of it.
fn learned(teacher: &Teacher) -> Result<Vec<String>, DkgError> {
    let mut all = teacher.dkg().learned()?;
    if all.is_empty() {
        return Ok(vec!["Nothing is learned.".into()]);
    }
    all.sort_unstable_by(|a, b| (b.record, &a.triple).cmp(&(a.record, &b.triple)));
    let latest = if all.len() > TOLD { format!(" These are the latest {TOLD}.") } else { String::new() };
    let mut said = vec![format!("{} learned.{latest}", counted(all.len() as u64, "triple is", "triples are"))];
    said.extend(all.iter().take(TOLD).map(|one| format!("{}, by record {}.", sentence(&one.triple), one.record)));
    Ok(said)
}

/// Takes back the latest record that is in force, if it is of someone's making.
fn take_back(teacher: &Teacher) -> Result<String, DkgError> {
    let next = teacher.dkg().next_seq();
    for record in (1..next).rev() {
        let (written, is_void) = {
            let dkg = teacher.dkg();
            (dkg.record(record)?, dkg.is_void(record)?)
        };
        let what = match written.change {
            _ if is_void => continue,
            // What was proposed goes with the rating that it was proposed because of.
            Change::Undo { .. } | Change::Proposed(_) => continue,
            Change::Feedback(_) => "a rating",
            Change::Accept { .. } => "an acceptance",
            Change::Reject { .. } => "a rejection",
            Change::Edit { .. } => "a new wording",
            Change::Import(_) => "an import",
        };
        let outcome = teacher.undo(record)?;
        let learned = counted(outcome.learned as u64, "triple is learned again", "triples are learned again");
        let gone = counted(outcome.unlearned as u64, "is learned", "are learned");
        return Ok(format!("Record {record}, {what}, is taken back. {learned}, and {gone} no longer."));
    }
    Ok("There is no record to take back.".into())
}
