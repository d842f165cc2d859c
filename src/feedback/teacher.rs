//! [`Teacher`] closes the loop: ratings become proposals, accepted proposals are recorded, and the engine's next question uses them.
//!
//! It holds the open DKG and the engine. When a call returns, its records are on disk and the engine has what they changed.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::check::{CheckSettings, Checker, InvalidTriple};
use super::propose::{Proposals, Proposing};
use super::rated_before::{Earlier, RatedBefore, proposals_of};
use crate::dkg::error::DkgError;
use crate::dkg::handle::{AppendedRecord, Dkg};
use crate::dkg::record::{Act, Change, CheckOutcome, Feedback, Pin, Proposal, ProposalId, Proposed, Rating};
use crate::dkg::state::{ProposalState, RecordEffect, Status, Waiting};
use crate::graph::{LearnedTable, NamedRelation, NamedTriple, Relation, Role, RoleRules};
use crate::language::Knowledge;
use crate::method::Engine;
use crate::model::infer::StaticEncoder;
use crate::model::{CancelToken, Matrix, ModelError};
use crate::run::passage::text_without_quotes;
use crate::run::{Models, Trace};
use crate::text::{fold, sanitise};

/// The longest gold answer or comment, in bytes.
const MOST_TYPED: usize = 64 << 10;

/// How feedback is learned.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TeachSettings {
    /// New triples are learned without a review. Conflicting and redundant proposals and retractions always wait.
    pub auto_accept: bool,
    /// How strictly proposals are checked against known triples.
    pub check: CheckSettings,
}

/// Why feedback was not recorded.
#[derive(Debug, thiserror::Error)]
pub enum TeachError {
    /// The DKG cannot be read or written.
    #[error(transparent)]
    Dkg(#[from] DkgError),
    /// A model failed, or the work was stopped.
    #[error("no proposals could be made: {0}")]
    Model(#[from] ModelError),
    /// The run has no answer to rate.
    #[error("this run has no answer to rate: it {0}. Ask the question again, then rate its answer")]
    NoAnswer(&'static str),
    /// A gold answer or a comment is empty or too long.
    #[error("{0}")]
    Typed(String),
    /// A triple cannot be learned.
    #[error("this cannot be learned: {0}")]
    InvalidTriple(#[from] InvalidTriple),
}

/// The result of a rating.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RatingResult {
    /// The feedback's record.
    pub record: u64,
    /// The proposals with their current state.
    pub proposals: Vec<ProposalState>,
    /// Warnings for the doctor.
    pub warnings: Vec<String>,
    /// Statements that were not proposed, counted by reason.
    pub rejected: BTreeMap<String, u64>,
    /// What was known already but left out, as text: pinned for questions like the rated one.
    pub pinned: Vec<String>,
    /// The answer was rated so before, by this record: nothing was recorded again.
    pub repeated: bool,
    /// The earlier rating of the same answer that this one replaces, with its record. The latest rating counts.
    pub replaces: Option<(u64, Rating)>,
}

impl RatingResult {
    /// How many proposals have a status.
    pub fn count(&self, is_meant: impl Fn(Status) -> bool) -> usize {
        self.proposals.iter().filter(|proposal| is_meant(proposal.status)).count()
    }

    /// Tells the doctor that the answer had this rating before.
    pub(crate) fn rated_already(rating: Rating) -> &'static str {
        match rating {
            Rating::Good => "You have already rated this answer as good",
            Rating::Bad => "You have already rated this answer as bad",
            Rating::Gold => "You have already entered this gold answer",
        }
    }
}

/// A rating as the doctor gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenRating {
    /// Good, bad, or a gold answer.
    pub rating: Rating,
    /// The gold answer; empty for other ratings.
    pub gold: String,
    /// A comment; may be empty.
    pub comment: String,
    /// New proposals are accepted at once.
    pub accept: bool,
}

impl GivenRating {
    /// A rating without a comment.
    pub fn plain(rating: Rating) -> Self {
        Self { rating, gold: String::new(), comment: String::new(), accept: false }
    }
}

/// The result of a decision about proposals, or of an undo.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DecisionResult {
    /// The last record that was written; 0 where none was.
    pub record: u64,
    /// How many triples are newly learned.
    pub learned: usize,
    /// How many triples are no longer learned.
    pub unlearned: usize,
}

/// The DKG and the engine that uses it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Teacher {
    engine: Arc<Engine>,
    dkg: Arc<Mutex<Dkg>>,
    rated: Arc<Mutex<RatedBefore>>,
    settings: TeachSettings,
}

impl Teacher {
    /// Opens the DKG in a folder and adds its learned triples to the engine's graph.
    ///
    /// # Errors
    /// As [`Dkg::open`].
    pub fn open(folder: &Path, engine: Arc<Engine>, settings: TeachSettings) -> Result<Self, DkgError> {
        Self::with(Dkg::open(folder)?, engine, settings)
    }

    /// The same with an open DKG.
    ///
    /// # Errors
    /// If its store fails.
    pub fn with(dkg: Dkg, engine: Arc<Engine>, settings: TeachSettings) -> Result<Self, DkgError> {
        let (table, preferences) = (dkg.table()?, dkg.preferences()?);
        let teacher = Self { engine, dkg: Arc::new(Mutex::new(dkg)), rated: Arc::default(), settings };
        teacher.update_graph(&mut teacher.dkg(), &table, &[]);
        teacher.engine.prefer(preferences);
        teacher.engine.attach(&teacher.dkg);
        Ok(teacher)
    }

    /// The DKG.
    pub fn dkg(&self) -> MutexGuard<'_, Dkg> {
        // A thread that panicked has written its records whole or not at all.
        self.dkg.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The engine.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// How feedback is learned.
    pub fn settings(&self) -> &TeachSettings {
        &self.settings
    }

    /// Reads what another instance has recorded since.
    ///
    /// # Errors
    /// If the journal cannot be read, or is no longer the one that was opened.
    pub fn refresh(&self) -> Result<(), DkgError> {
        let mut dkg = self.dkg();
        let appended = dkg.refresh()?;
        self.update_engine(&mut dkg, &appended);
        Ok(())
    }

    /// Records a rating of a run, with the proposals that follow from it. An equal rating of the same answer is recorded once.
    ///
    /// # Errors
    /// If the run has no answer, the DKG is read-only, or the work is stopped; then nothing was recorded.
    pub fn rate(&self, trace: &Trace, given: &GivenRating, cancel: &CancelToken) -> Result<RatingResult, TeachError> {
        let feedback = feedback(trace, given)?;
        if let Some(reason) = self.dkg().read_only() {
            return Err(DkgError::ReadOnly { reason: reason.to_owned() }.into());
        }
        let before = self.rated.lock().unwrap_or_else(PoisonError::into_inner).find(&self.dkg(), &feedback)?;
        let replaces = match before {
            Earlier::Equal(record) => return self.rated_before(record, given),
            Earlier::Opposite(record, rating) => Some((record, rating)),
            Earlier::None => None,
        };
        // The long part runs without the lock on the DKG.
        let knowledge = self.engine.knowledge();
        let seed = trace.settings.as_ref().map_or(0, |settings| settings.seed);
        let made = self.proposing(&knowledge, seed, cancel, |proposing| proposing.propose(trace, &feedback))?;
        Ok(RatingResult { replaces, ..self.record_proposals(feedback, made, given.accept)? })
    }

    /// What came of an equal rating; if the new one accepts, what waits of it is learned.
    fn rated_before(&self, record: u64, given: &GivenRating) -> Result<RatingResult, TeachError> {
        let waits = |state: &ProposalState| state.status == Status::Pending;
        let mut proposals = proposals_of(&self.dkg(), record)?;
        let accepts = given.accept && proposals.iter().any(waits);
        if accepts {
            self.accept(proposals.iter().filter(|state| waits(state)).map(|state| state.id).collect())?;
            proposals = proposals_of(&self.dkg(), record)?;
        }
        let now = if accepts { "; the proposals from that rating are now accepted" } else { ", so nothing new was recorded" };
        let warnings = vec![format!("{} (record {record}){now}.", RatingResult::rated_already(given.rating))];
        Ok(RatingResult { record, proposals, warnings, repeated: true, ..RatingResult::default() })
    }

    /// What makes proposals from knowledge.
    pub(super) fn proposing<T>(
        &self,
        knowledge: &Knowledge,
        seed: i64,
        cancel: &CancelToken,
        work: impl FnOnce(&Proposing<'_>) -> Result<T, ModelError>,
    ) -> Result<T, ModelError> {
        let models = self.engine.models();
        work(&Proposing {
            knowledge,
            encoder: &models.encoder,
            generator: models.generator.as_ref(),
            prompts: self.engine.prompts(),
            settings: &self.settings.check,
            seed,
            cancel,
        })
    }

    /// Records feedback with its proposals; `accept` learns at once what is new.
    pub(super) fn record_proposals(&self, feedback: Feedback, made: Proposals, accept: bool) -> Result<RatingResult, TeachError> {
        let mut dkg = self.dkg();
        let record = dkg.next_seq();
        let mut changes = vec![Change::Feedback(feedback)];
        let mut accepted = Vec::new();
        if !made.proposals.is_empty() {
            // Retractions wait unless this rating says otherwise: one bad answer may cite much that is right.
            let at_once = |act: Act| accept || (self.settings.auto_accept && act == Act::Add);
            let is_taken = |proposal: &Proposal| proposal.standing == CheckOutcome::New && at_once(proposal.act);
            let ids = (0u32..).zip(&made.proposals).filter(|(_, proposal)| is_taken(proposal));
            accepted.extend(ids.map(|(item, _)| ProposalId { item, record: record + 1 }));
            changes.push(Change::Proposed(Proposed { feedback: record, proposals: made.proposals.clone() }));
        }
        if !accepted.is_empty() {
            changes.push(Change::Accept { proposals: accepted });
        }
        // A new fact is not reported as pinned: it waits to be accepted.
        let is_new = |fact: &NamedTriple| made.proposals.iter().any(|made| made.standing == CheckOutcome::New && made.triple == *fact);
        let pinned = made.pin.iter().flat_map(|pin| &pin.chains).filter(|chain| !is_new(&chain.fact));
        let pinned = pinned.map(|chain| chain.fact.text()).collect();
        changes.extend(made.pin.map(|pin| Change::Pin(Pin { feedback: record, ..pin })));
        let appended = dkg.append(changes)?;
        self.update_engine(&mut dkg, &appended);
        let ids = (0..made.proposals.len() as u32).map(|item| ProposalId { item, record: record + 1 });
        let proposals = ids.map(|id| dkg.proposal(id)).collect::<Result<_, _>>()?;
        Ok(RatingResult { record, proposals, warnings: made.warnings, rejected: made.rejected, pinned, repeated: false, replaces: None })
    }

    /// The proposals that are not decided yet. What several ratings propose is listed once.
    ///
    /// # Errors
    /// If the store fails.
    pub fn waiting(&self) -> Result<Waiting, DkgError> {
        let mut waiting = self.dkg().waiting()?;
        for list in [&mut waiting.pending, &mut waiting.redundant, &mut waiting.conflicting] {
            let mut seen = HashSet::new();
            list.retain(|state| seen.insert((state.proposal.act, state.proposal.triple.clone())));
        }
        Ok(waiting)
    }

    /// Proposals with the equal ones that wait: whoever decides about one decides about all.
    fn with_equal(&self, mut proposals: Vec<ProposalId>) -> Result<Vec<ProposalId>, DkgError> {
        let Waiting { pending, redundant, conflicting } = self.dkg().waiting()?;
        let named: BTreeSet<ProposalId> = proposals.iter().copied().collect();
        let all = || pending.iter().chain(&redundant).chain(&conflicting);
        let key = |state: &ProposalState| (state.proposal.act, state.proposal.triple.clone());
        let meant: HashSet<(Act, NamedTriple)> = all().filter(|state| named.contains(&state.id)).map(key).collect();
        proposals.extend(all().filter(|state| !named.contains(&state.id) && meant.contains(&key(state))).map(|state| state.id));
        Ok(proposals)
    }

    /// Accepts proposals, redundant and conflicting ones too: whoever names them has seen that.
    ///
    /// # Errors
    /// If a proposal does not exist, or the DKG is read-only.
    pub fn accept(&self, proposals: Vec<ProposalId>) -> Result<DecisionResult, DkgError> {
        self.record(Change::Accept { proposals: self.with_equal(proposals)? })
    }

    /// Rejects proposals.
    ///
    /// # Errors
    /// As [`Self::accept`].
    pub fn reject(&self, proposals: Vec<ProposalId>) -> Result<DecisionResult, DkgError> {
        self.record(Change::Reject { proposals: self.with_equal(proposals)? })
    }

    /// Rewords a proposal. It is checked again, and waits for the review again.
    ///
    /// # Errors
    /// If the triple is invalid, the proposal does not exist, or the DKG is read-only.
    pub fn edit(&self, proposal: ProposalId, triple: NamedTriple) -> Result<CheckOutcome, TeachError> {
        let standing = self.check(std::slice::from_ref(&triple))?.pop().unwrap_or(Err(InvalidTriple::Nameless))?;
        let change = Change::Edit { proposal, triple, standing: standing.clone() };
        self.record(change)?;
        Ok(standing)
    }

    /// The relation with a name, after folding: the graph's own, else the one that Catena's role rules derive from the name; `None` where they
    /// derive nothing.
    pub fn relation(&self, name: &str) -> Option<NamedRelation> {
        if let Some(known) = self.known_relation(name) {
            return Some(known);
        }
        let guess = RoleRules::built_in().ok()?.guess(&name.trim().replace(' ', "_"));
        (guess.role != Role::Related).then(|| (&guess).into())
    }

    /// The graph's relation of this very name.
    pub(super) fn known_relation(&self, name: &str) -> Option<NamedRelation> {
        let knowledge = self.engine.knowledge();
        let sought = fold(&name.replace('_', " "));
        let is_sought = |known: &&Relation| [&known.display, &known.name].iter().any(|name| fold(&name.replace('_', " ")) == sought);
        knowledge.graph.relations().iter().find(is_sought).map(Into::into)
    }

    /// Undoes a record.
    ///
    /// # Errors
    /// If the record does not exist or is already undone, or the DKG is read-only.
    pub fn undo(&self, record: u64) -> Result<DecisionResult, DkgError> {
        self.record(Change::Undo { record })
    }

    /// Checks triples against the known ones.
    ///
    /// # Errors
    /// If the encoder fails.
    pub fn check(&self, triples: &[NamedTriple]) -> Result<Vec<super::Checked>, ModelError> {
        let knowledge = self.engine.knowledge();
        let cancel = CancelToken::new();
        let encoder = &self.engine.models().encoder;
        Checker { knowledge: &knowledge, encoder, settings: &self.settings.check, cancel: &cancel }.check_many(triples)
    }

    /// Records a change, and updates the engine.
    ///
    /// # Errors
    /// As [`Dkg::append`].
    pub fn record(&self, change: Change) -> Result<DecisionResult, DkgError> {
        let mut dkg = self.dkg();
        let appended = dkg.append(vec![change])?;
        self.update_engine(&mut dkg, &appended);
        let effect = |count: fn(&RecordEffect) -> usize| appended.iter().map(|one| count(&one.effect)).sum();
        Ok(DecisionResult {
            record: appended.last().map_or(0, |last| last.seq),
            learned: effect(|effect| effect.learned.len()),
            unlearned: effect(|effect| effect.unlearned.len()),
        })
    }

    fn update_engine(&self, dkg: &mut Dkg, appended: &[AppendedRecord]) {
        for AppendedRecord { effect, .. } in appended {
            if !effect.learned.is_empty() || !effect.unlearned.is_empty() {
                self.update_graph(dkg, &LearnedTable::of(&effect.learned), &effect.unlearned);
            }
        }
        // A store that fails says so at the next start, which reads all of it.
        if appended.iter().any(|record| record.effect.preferences)
            && let Ok(preferences) = dkg.preferences()
        {
            self.engine.prefer(preferences);
        }
    }

    /// Updates the engine's graph. Vectors of names are stored in the DKG, except those of the built-in encoder, which takes no time.
    fn update_graph(&self, dkg: &mut Dkg, table: &LearnedTable, unlearned: &[NamedTriple]) {
        let encoder = &self.engine.models().encoder;
        let keep = encoder.name() != StaticEncoder::NAME;
        let mut embed = |names: Vec<String>| {
            let known: Vec<Option<Vec<f32>>> =
                if keep { names.iter().map(|name| dkg.vector(encoder.name(), name).ok().flatten()).collect() } else { Vec::new() };
            if !known.is_empty()
                && let Some(known) = known.into_iter().collect::<Option<Vec<_>>>()
            {
                return Ok(Matrix::new(known.first().map_or(0, Vec::len), known.concat()));
            }
            let vectors = encoder.encode(names.clone())?;
            if keep {
                let rows: Vec<(&str, &[f32])> = names.iter().enumerate().map(|(row, name)| (name.as_str(), vectors.row(row))).collect();
                // A store that fails is rebuilt at the next start; until then vectors are computed when they are needed.
                let _ = dkg.put_vectors(encoder.name(), &rows);
            }
            Ok(vectors)
        };
        self.engine.learn(table, unlearned, &mut embed);
    }
}

/// The record of a rating.
fn feedback(trace: &Trace, given: &GivenRating) -> Result<Feedback, TeachError> {
    if trace.question.trim().is_empty() {
        return Err(TeachError::NoAnswer("has no question"));
    }
    let gold = typed("gold answer", &given.gold)?;
    let comment = typed("comment", &given.comment)?;
    if given.rating == Rating::Gold && gold.is_empty() {
        return Err(TeachError::Typed("a gold rating needs the correct answer; to rate without one, use good or bad".into()));
    }
    // A mentor may also give the answer where nothing was found.
    if given.rating != Rating::Gold && trace.evidence.is_none() {
        return Err(TeachError::NoAnswer("did not finish"));
    }
    let evidence = trace.evidence.as_ref();
    let chain = |id: &u32| {
        let evidence = evidence?;
        let scored = evidence.pruning.kept.get((*id as usize).checked_sub(1)?)?;
        Some(evidence.table.text(evidence.table.chains.get(scored.chain as usize)?))
    };
    Ok(Feedback {
        // The journal can only grow, so it holds no text of documents: they can be removed.
        answer: text_without_quotes(trace),
        cited: trace.answer.citations.iter().filter_map(chain).collect(),
        comment,
        gold: if given.rating == Rating::Gold { gold } else { String::new() },
        kg: trace.kg.name.clone(),
        models: trace.models.as_ref().map_or_else(Vec::new, models),
        question: trace.question.clone(),
        rating: given.rating,
        run: trace.id.clone(),
    })
}

fn typed(what: &str, text: &str) -> Result<String, TeachError> {
    if text.len() > MOST_TYPED {
        return Err(TeachError::Typed(format!("the {what} has {} bytes; the limit is {MOST_TYPED}", text.len())));
    }
    Ok(sanitise(text).trim().to_owned())
}

fn models(models: &Models) -> Vec<String> {
    [("generator", &models.generator), ("encoder", &models.encoder), ("reranker", &models.reranker)]
        .map(|(role, model)| format!("{role}: {}", model.name))
        .to_vec()
}
