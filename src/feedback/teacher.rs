//! The loop closed: ratings become proposals, accepted proposals are recorded, and the engine's next question sees them.
//!
//! One [`Teacher`] holds the evolving graph open and the engine that asks it. What it records is on disk when a call returns, and the
//! engine has it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::check::{CheckSettings, Checker, InvalidTriple};
use super::propose::Proposing;
use crate::dkg::error::DkgError;
use crate::dkg::handle::{AppendedRecord, Dkg};
use crate::dkg::record::{Act, Change, CheckOutcome, Feedback, Proposal, ProposalId, Proposed, Rating};
use crate::dkg::state::{ProposalState, RecordEffect, Status, Waiting};
use crate::graph::{LearnedTable, NamedRelation, NamedTriple, Relation, Role, RoleRules};
use crate::method::Engine;
use crate::model::infer::StaticEncoder;
use crate::model::{CancelToken, Matrix, ModelError};
use crate::run::{Models, Trace};
use crate::text::{fold, sanitise};

/// The longest gold answer or comment, in bytes.
const MOST_TYPED: usize = 64 << 10;

/// How feedback is turned into what is learned.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TeachSettings {
    /// Triples that are new are learned without a review. Those in conflict, those that say nothing new, and taking back always wait.
    pub auto_accept: bool,
    /// How strictly proposals are held against what is known.
    pub check: CheckSettings,
}

/// Why nothing was learned.
#[derive(Debug, thiserror::Error)]
pub enum TeachError {
    /// What is recorded cannot be read or written.
    #[error(transparent)]
    Dkg(#[from] DkgError),
    /// A model failed, or it was stopped.
    #[error("the proposals could not be made: {0}")]
    Model(#[from] ModelError),
    /// The run has no answer that could be rated.
    #[error("this run has no answer to rate: it {0}. Ask the question again, and rate the answer that comes")]
    NoAnswer(&'static str),
    /// A gold answer says nothing, or too much.
    #[error("{0}")]
    Typed(String),
    /// A triple cannot be learned.
    #[error("this cannot be learned: {0}")]
    InvalidTriple(#[from] InvalidTriple),
}

/// What came of a rating.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RatingResult {
    /// The feedback's record.
    pub record: u64,
    /// What was proposed, as it stands now.
    pub proposals: Vec<ProposalState>,
    /// What the doctor should know, in plain words.
    pub warnings: Vec<String>,
    /// What was not proposed, counted by the reason.
    pub rejected: BTreeMap<String, u64>,
}

impl RatingResult {
    /// How many proposals stand so.
    pub fn count(&self, is_meant: impl Fn(Status) -> bool) -> usize {
        self.proposals.iter().filter(|proposal| is_meant(proposal.status)).count()
    }
}

/// A rating, as someone gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenRating {
    /// Good, bad, or a gold answer.
    pub rating: Rating,
    /// The gold answer; empty for other ratings.
    pub gold: String,
    /// What else was said; may be empty.
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

/// What a decision came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DecisionResult {
    /// The last record that was written; 0 where there was nothing to write.
    pub record: u64,
    /// Triples that are learned now and were not.
    pub learned: usize,
    /// Triples that are learned no longer.
    pub unlearned: usize,
}

/// The evolving graph and the engine that asks it. Cheap to copy.
#[derive(Debug, Clone)]
pub struct Teacher {
    engine: Arc<Engine>,
    dkg: Arc<Mutex<Dkg>>,
    settings: TeachSettings,
}

impl Teacher {
    /// Opens the evolving graph of a folder and lays all that was learned over the engine's graph.
    ///
    /// # Errors
    /// As [`Dkg::open`].
    pub fn open(folder: &Path, engine: Arc<Engine>, settings: TeachSettings) -> Result<Self, DkgError> {
        Self::with(Dkg::open(folder)?, engine, settings)
    }

    /// The same with one that is open.
    ///
    /// # Errors
    /// If its store fails.
    pub fn with(dkg: Dkg, engine: Arc<Engine>, settings: TeachSettings) -> Result<Self, DkgError> {
        let table = dkg.table()?;
        let teacher = Self { engine, dkg: Arc::new(Mutex::new(dkg)), settings };
        teacher.let_learn(&mut teacher.dkg(), &table, &[]);
        teacher.engine.attach(&teacher.dkg);
        Ok(teacher)
    }

    /// The evolving graph itself.
    pub fn dkg(&self) -> MutexGuard<'_, Dkg> {
        // Whatever a thread that panicked was about to write was written whole or not at all.
        self.dkg.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The engine.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// How feedback is turned into what is learned.
    pub fn settings(&self) -> &TeachSettings {
        &self.settings
    }

    /// Takes in what another instance has recorded since.
    ///
    /// # Errors
    /// If the journal cannot be read any more, or is no longer the one that was opened.
    pub fn refresh(&self) -> Result<(), DkgError> {
        let mut dkg = self.dkg();
        let appended = dkg.refresh()?;
        self.take_in(&mut dkg, &appended);
        Ok(())
    }

    /// Records a rating of a run, with what is proposed because of it.
    ///
    /// # Errors
    /// If the run has no answer, nothing may be written, or it is stopped; then nothing was recorded.
    pub fn rate(&self, trace: &Trace, given: &GivenRating, cancel: &CancelToken) -> Result<RatingResult, TeachError> {
        let feedback = feedback(trace, given)?;
        if let Some(reason) = self.dkg().read_only() {
            return Err(DkgError::ReadOnly { reason: reason.to_owned() }.into());
        }
        // What takes long is done without holding the evolving graph.
        let knowledge = self.engine.knowledge();
        let models = self.engine.models();
        let proposing = Proposing {
            knowledge: &knowledge,
            encoder: &models.encoder,
            generator: models.generator.as_ref(),
            prompts: self.engine.prompts(),
            settings: &self.settings.check,
            seed: trace.settings.as_ref().map_or(0, |settings| settings.seed),
            cancel,
        };
        let made = proposing.propose(trace, &feedback)?;
        let mut dkg = self.dkg();
        let record = dkg.next_seq();
        let mut changes = vec![Change::Feedback(feedback)];
        let mut accepted = Vec::new();
        if !made.proposals.is_empty() {
            // What is to be taken back is asked about unless this very rating says otherwise: one bad answer may cite much that is right.
            let at_once = |act: Act| given.accept || (self.settings.auto_accept && act == Act::Add);
            let is_taken = |proposal: &Proposal| proposal.standing == CheckOutcome::New && at_once(proposal.act);
            let ids = (0u32..).zip(&made.proposals).filter(|(_, proposal)| is_taken(proposal));
            accepted.extend(ids.map(|(item, _)| ProposalId { item, record: record + 1 }));
            changes.push(Change::Proposed(Proposed { feedback: record, proposals: made.proposals.clone() }));
        }
        if !accepted.is_empty() {
            changes.push(Change::Accept { proposals: accepted });
        }
        let appended = dkg.append(changes)?;
        self.take_in(&mut dkg, &appended);
        let ids = (0..made.proposals.len() as u32).map(|item| ProposalId { item, record: record + 1 });
        let proposals = ids.map(|id| dkg.proposal(id)).collect::<Result<_, _>>()?;
        Ok(RatingResult { record, proposals, warnings: made.warnings, rejected: made.rejected })
    }

    /// The proposals about which nothing is decided.
    ///
    /// # Errors
    /// If the store fails.
    pub fn waiting(&self) -> Result<Waiting, DkgError> {
        self.dkg().waiting()
    }

    /// Accepts proposals, also such as are redundant or in conflict: whoever names them has seen that.
    ///
    /// # Errors
    /// If there is none with such a number, or nothing may be written.
    pub fn accept(&self, proposals: Vec<ProposalId>) -> Result<DecisionResult, DkgError> {
        self.record(Change::Accept { proposals })
    }

    /// Turns proposals down.
    ///
    /// # Errors
    /// As [`Self::accept`].
    pub fn reject(&self, proposals: Vec<ProposalId>) -> Result<DecisionResult, DkgError> {
        self.record(Change::Reject { proposals })
    }

    /// Words a proposal anew; it is checked again, and waits as before.
    ///
    /// # Errors
    /// If the triple cannot be learned, there is no such proposal, or nothing may be written.
    pub fn edit(&self, proposal: ProposalId, triple: NamedTriple) -> Result<CheckOutcome, TeachError> {
        let standing = self.check(std::slice::from_ref(&triple))?.pop().unwrap_or(Err(InvalidTriple::Nameless))?;
        let change = Change::Edit { proposal, triple, standing: standing.clone() };
        self.record(change)?;
        Ok(standing)
    }

    /// The relation of this name, however it is spelt: the graph's own, else what the name says to Catena's own rules; `None` where it says nothing.
    pub fn relation(&self, name: &str) -> Option<NamedRelation> {
        let knowledge = self.engine.knowledge();
        let sought = fold(&name.replace('_', " "));
        let is_sought = |known: &&Relation| [&known.display, &known.name].iter().any(|name| fold(&name.replace('_', " ")) == sought);
        if let Some(known) = knowledge.graph.relations().iter().find(is_sought) {
            return Some(known.into());
        }
        let guess = RoleRules::built_in().ok()?.guess(&name.trim().replace(' ', "_"));
        (guess.role != Role::Related).then(|| (&guess).into())
    }

    /// Takes back what a record did.
    ///
    /// # Errors
    /// If there is no such record, it is undone already, or nothing may be written.
    pub fn undo(&self, record: u64) -> Result<DecisionResult, DkgError> {
        self.record(Change::Undo { record })
    }

    /// Holds triples against what is known now.
    ///
    /// # Errors
    /// If the encoder fails.
    pub fn check(&self, triples: &[NamedTriple]) -> Result<Vec<super::Checked>, ModelError> {
        let knowledge = self.engine.knowledge();
        let cancel = CancelToken::new();
        let encoder = &self.engine.models().encoder;
        Checker { knowledge: &knowledge, encoder, settings: &self.settings.check, cancel: &cancel }.check_many(triples)
    }

    /// Records a change, and lets the engine learn what follows from it.
    ///
    /// # Errors
    /// As [`Dkg::append`].
    pub fn record(&self, change: Change) -> Result<DecisionResult, DkgError> {
        let mut dkg = self.dkg();
        let appended = dkg.append(vec![change])?;
        self.take_in(&mut dkg, &appended);
        let effect = |count: fn(&RecordEffect) -> usize| appended.iter().map(|one| count(&one.effect)).sum();
        Ok(DecisionResult {
            record: appended.last().map_or(0, |last| last.seq),
            learned: effect(|effect| effect.learned.len()),
            unlearned: effect(|effect| effect.unlearned.len()),
        })
    }

    fn take_in(&self, dkg: &mut Dkg, appended: &[AppendedRecord]) {
        for AppendedRecord { effect, .. } in appended {
            if *effect != RecordEffect::default() {
                self.let_learn(dkg, &LearnedTable::of(&effect.learned), &effect.unlearned);
            }
        }
    }

    /// Vectors of names are kept in the store where making them takes long.
    fn let_learn(&self, dkg: &mut Dkg, table: &LearnedTable, unlearned: &[NamedTriple]) {
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
                // A store that fails is made again at the next start; until then the vectors are made when they are needed.
                let _ = dkg.put_vectors(encoder.name(), &rows);
            }
            Ok(vectors)
        };
        self.engine.learn(table, unlearned, &mut embed);
    }
}

/// What is recorded of a rating.
fn feedback(trace: &Trace, given: &GivenRating) -> Result<Feedback, TeachError> {
    if trace.question.trim().is_empty() {
        return Err(TeachError::NoAnswer("holds no question"));
    }
    let gold = typed("gold answer", &given.gold)?;
    let comment = typed("comment", &given.comment)?;
    if given.rating == Rating::Gold && gold.is_empty() {
        return Err(TeachError::Typed("a gold answer needs the answer; for a mere rating there are good and bad".into()));
    }
    // A mentor may also teach where nothing was found.
    if given.rating != Rating::Gold && trace.evidence.is_none() {
        return Err(TeachError::NoAnswer("did not come to its end"));
    }
    let evidence = trace.evidence.as_ref();
    let chain = |id: &u32| {
        let evidence = evidence?;
        let scored = evidence.pruning.kept.get((*id as usize).checked_sub(1)?)?;
        Some(evidence.table.text(evidence.table.chains.get(scored.chain as usize)?))
    };
    Ok(Feedback {
        answer: trace.answer.text.clone(),
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
        return Err(TeachError::Typed(format!("the {what} has {} bytes; at most {MOST_TYPED} can be kept", text.len())));
    }
    Ok(sanitise(text).trim().to_owned())
}

fn models(models: &Models) -> Vec<String> {
    [("generator", &models.generator), ("encoder", &models.encoder), ("reranker", &models.reranker)]
        .map(|(role, model)| format!("{role}: {}", model.name))
        .to_vec()
}
