//! The trace: the state of a run after its events so far. Screen, JSON, reports and comparisons are all made from it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::case::Case;
use super::check::{self, Faults};
use super::event::{
    Anchor, Answer, Event, EventKind, KgInfo, Mention, ModelActivity, ModelRole, Models, Outcome, Pruning, SentPrompt, Settings, Stage,
    Urgency,
};
use super::event_fault::{EventFault, LONGEST_TEXT, MOST_ANCHORS, MOST_LISTED, MOST_WARNINGS};
use super::passage::QuotedPassage;
use super::reasoned::Reasoned;
use super::triage::{ChainKey, Triage};
use crate::graph::{Chain, ChainKind, ChainTable};

/// What stands between the graph's hypothesis and the language model's.
pub(crate) const BETWEEN_HYPOTHESES: &str = "\n\n";

/// The state of a stage.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum StageState {
    /// It has not started.
    #[default]
    Waiting,
    /// It has started and not ended.
    Running {
        /// When it started, in milliseconds since the start of the run.
        since_ms: f64,
    },
    /// It has ended.
    Done {
        /// How long it took, in milliseconds.
        elapsed_ms: f64,
    },
}

/// The evidence that an answer was written from. The citations of the answer are ids of these kept chains, even if others are kept later.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// The chains.
    pub table: Arc<ChainTable>,
    /// Which chains were kept.
    pub pruning: Arc<Pruning>,
}

/// The state of a run after the events that were applied.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trace {
    /// The run's id; empty before its first event.
    pub id: String,
    /// The question.
    pub question: String,
    /// The method's name.
    pub method: String,
    /// The graph.
    pub kg: KgInfo,
    /// The settings; `None` before the first event.
    pub settings: Option<Settings>,
    /// The models; `None` before the first event.
    pub models: Option<Models>,
    /// The latest activity of each model.
    pub activity: BTreeMap<ModelRole, ModelActivity>,
    /// The prompts sent to the language model, in order.
    pub prompts: Vec<SentPrompt>,
    /// The hypothesis so far: the graph's, and below it the language model's.
    pub hypothesis: String,
    /// The byte offset in the hypothesis at which the language model's begins; `None` if it wrote none beside the graph's.
    pub model_hypothesis: Option<usize>,
    /// Mentions, in the order in which they were found.
    pub mentions: Vec<Mention>,
    /// Anchors, in the order in which they were first linked.
    pub anchors: Vec<Anchor>,
    /// The texts of mentions that could not be linked.
    pub unlinked: Vec<String>,
    /// The case of the run that this one follows; `None` if it follows none.
    pub follows: Option<Arc<Case>>,
    /// How the question was read; empty until it was.
    pub case: Arc<Case>,
    /// How urgent the case is.
    pub urgency: Urgency,
    /// How a method that reasons depth by depth ended; `None` for others.
    pub reasoned: Option<Reasoned>,
    /// The chains; empty until the search has ended.
    pub table: Arc<ChainTable>,
    /// How many chains were found (so far).
    pub chains_found: u64,
    /// How many chains were found by kind; empty until the search has ended.
    pub by_kind: BTreeMap<ChainKind, u64>,
    /// Why the search stopped early; `None` if it did not.
    pub truncated: Option<String>,
    /// How many chains of the table, the last, a language model brought.
    pub chains_of_model: usize,
    /// The choice of chains from the table; empty until the pruning has ended.
    pub pruning: Arc<Pruning>,
    /// Passages of documents; `D1` is the first. Empty until the answer is made, and where no documents are in use.
    pub passages: Arc<Vec<QuotedPassage>>,
    /// The answer; its text grows while it is written.
    pub answer: Answer,
    /// The evidence of the answer; `None` until the answer is complete.
    pub evidence: Option<Evidence>,
    /// The decisions of the doctor.
    pub triage: Arc<Triage>,
    /// How often the run was continued after such decisions.
    pub revisions: u32,
    /// The stages that have started; see [`Trace::stage`].
    pub stages: BTreeMap<Stage, StageState>,
    /// Warnings, in order.
    pub warnings: Vec<String>,
    /// How the run ended; `None` while it is running.
    pub outcome: Option<Outcome>,
    /// The time of the latest event, in milliseconds since the start of the run; the total time once the run has ended.
    pub elapsed_ms: f64,
    /// The settings before any triage; `None` before the first event.
    pub started_with: Option<Settings>,
    /// Ranks of kept chains by their number in the table.
    kept_rank: HashMap<u32, u32>,
    /// Anchors that the question and the hypothesis name, without those that the doctor added.
    linked: Vec<Anchor>,
    /// For each warning, the stage that was running when it came, if it was the only one.
    warned_in: Vec<Option<Stage>>,
    /// How the evidence of the answer was found.
    read_with: ReadWith,
    /// How often the events did not fit, by reason.
    faults: BTreeMap<EventFault, u64>,
}

/// How the evidence of an answer was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ReadWith {
    pub(crate) settings: Option<Settings>,
    pub(crate) mentions: Vec<Mention>,
    pub(crate) anchors: Vec<Anchor>,
    pub(crate) unlinked: Vec<String>,
    pub(crate) chains_found: u64,
    pub(crate) truncated: Option<String>,
    pub(crate) rejected_anchors: BTreeSet<String>,
    pub(crate) case: Arc<Case>,
}

impl Trace {
    /// Applies one event. Never panics: what does not fit is left out or corrected, and a warning says so; see [`EventFault`].
    pub fn apply(&mut self, event: &Event) {
        let mut faults = Faults::new();
        if let EventKind::RunStarted { question, method, kg, settings, models } = &event.what {
            *self = Self::started(&event.run, question, method, check::kg(kg, &mut faults), settings, models, &mut faults);
            check::time(event.at_ms, &mut faults);
        } else if self.started_with.is_none() {
            faults.push(EventFault::BeforeStart);
        } else if *event.run != *self.id {
            faults.push(EventFault::OtherRun);
        } else if self.outcome.is_some() && !matches!(event.what, EventKind::Revised { .. }) {
            faults.push(EventFault::AfterEnd);
        } else {
            let at_ms = check::time(event.at_ms, &mut faults);
            self.elapsed_ms = self.elapsed_ms.max(at_ms);
            self.take(&event.what, at_ms, &mut faults);
        }
        faults.into_iter().for_each(|fault| self.report(fault));
    }

    /// A run of which only the start is known.
    fn started(id: &str, question: &str, method: &str, kg: KgInfo, settings: &Settings, models: &Models, faults: &mut Faults) -> Self {
        let settings = check::settings(settings, faults);
        let mut trace = Self { id: id.to_owned(), method: method.to_owned(), kg, models: Some(models.clone()), ..Self::default() };
        check::append(&mut trace.question, question, faults);
        trace.started_with = Some(settings.clone());
        trace.settings = Some(settings);
        trace
    }

    /// Applies an event of this run that is not its first.
    fn take(&mut self, what: &EventKind, at_ms: f64, faults: &mut Faults) {
        match what {
            EventKind::RunStarted { .. } => {}
            EventKind::StageStarted { stage } => match self.stage(*stage) {
                StageState::Running { .. } => faults.push(EventFault::StageOrder),
                StageState::Waiting | StageState::Done { .. } => {
                    if *stage == Stage::Read {
                        self.forget_answer();
                    }
                    self.stages.insert(*stage, StageState::Running { since_ms: at_ms });
                }
            },
            EventKind::StageFinished { stage, elapsed_ms } => match self.stage(*stage) {
                StageState::Waiting | StageState::Done { .. } => faults.push(EventFault::StageOrder),
                StageState::Running { .. } => {
                    let elapsed_ms = check::time(*elapsed_ms, faults);
                    self.stages.insert(*stage, StageState::Done { elapsed_ms });
                }
            },
            EventKind::ModelsChanged { models } => self.models = Some(models.clone()),
            EventKind::ModelActive { activity } => {
                self.activity.insert(activity.role, check::activity(activity, faults));
            }
            EventKind::PromptSent { prompt } => check::push(&mut self.prompts, prompt, MOST_LISTED, faults),
            EventKind::HypothesisToken { text } => check::append(&mut self.hypothesis, text, faults),
            EventKind::HypothesisAdded { text } => {
                if self.model_hypothesis.is_none() {
                    if !self.hypothesis.is_empty() {
                        check::append(&mut self.hypothesis, BETWEEN_HYPOTHESES, faults);
                    }
                    self.model_hypothesis = Some(self.hypothesis.len());
                }
                check::append(&mut self.hypothesis, text, faults);
            }
            EventKind::MentionFound { mention } => {
                if check::mention_fits(mention, &self.question) {
                    check::push(&mut self.mentions, mention, MOST_LISTED, faults);
                } else {
                    faults.push(EventFault::Mention);
                }
            }
            EventKind::AnchorLinked { anchor } => {
                let anchor = check::anchor(anchor, faults);
                // What comes after linking has ended is the doctor's, or of the language model.
                if anchor.by_model || !matches!(self.stage(Stage::Link), StageState::Done { .. }) {
                    put(&mut self.linked, &anchor, &mut Faults::new());
                }
                put(&mut self.anchors, &anchor, faults);
            }
            EventKind::MentionUnlinked { text } => check::push(&mut self.unlinked, text, MOST_LISTED, faults),
            EventKind::Followed { case } => {
                // Its offsets are of another question, which the trace does not hold.
                let (checked, _) = case.checked(usize::MAX);
                self.follows = Some(Arc::new(checked));
            }
            EventKind::CaseRead { case } => {
                let (checked, corrected) = case.checked(self.question.len());
                self.case = if corrected { Arc::new(checked) } else { Arc::clone(case) };
                if corrected {
                    faults.push(EventFault::Case);
                }
            }
            EventKind::Reasoned { reasoned } => self.reasoned = Some(*reasoned),
            EventKind::UrgencyJudged { urgency } => {
                self.urgency = check::urgency(urgency, faults);
            }
            EventKind::ChainsProgress { found } => self.chains_found = check::count(*found, faults),
            EventKind::ChainsFound { table, found, by_kind, truncated } => {
                self.chains_found = check::count(*found, faults);
                self.by_kind = by_kind.iter().map(|(kind, found)| (*kind, check::count(*found, faults))).collect();
                self.truncated.clone_from(truncated);
                let sound = table.is_sound();
                self.table = if sound { Arc::clone(table) } else { Arc::default() };
                if !sound {
                    faults.push(EventFault::Table);
                }
                self.chains_of_model = 0;
                // A choice is by numbers of its own table: none of another table's chains is chosen yet.
                self.choose(Arc::default());
            }
            EventKind::ChainsAdded { table, of_model } => {
                let of_model = usize::try_from(*of_model).unwrap_or(usize::MAX);
                let before = self.table.chains.len();
                if self.chains_of_model > 0 || !table.is_sound() || table.chains.len().checked_sub(of_model) != Some(before) {
                    faults.push(EventFault::Table);
                    return;
                }
                self.table = Arc::clone(table);
                self.chains_of_model = of_model;
                let added = of_model;
                for chain in table.chains.iter().rev().take(added) {
                    let count = self.by_kind.entry(chain.kind()).or_default();
                    *count = count.saturating_add(1);
                }
                self.chains_found = self.chains_found.saturating_add(added as u64);
            }
            EventKind::ChainsPruned { pruning } => {
                let fits = check::choice_fits(pruning, &self.table);
                self.choose(if fits { Arc::clone(pruning) } else { Arc::default() });
                if !fits {
                    faults.push(EventFault::Choice);
                }
            }
            EventKind::PassagesFound { passages } => {
                self.passages = check::passages(passages, faults).map_or_else(|| Arc::clone(passages), Arc::new);
            }
            EventKind::AnswerToken { text } => check::append(&mut self.answer.text, text, faults),
            EventKind::AnswerFinished { answer } => {
                self.answered(check::answer(answer, self.pruning.kept.len(), self.passages.len(), faults));
            }
            EventKind::Revised { triage, from } => {
                let corrected = check::triage(triage, faults).map(Arc::new);
                self.revise(corrected.as_ref().unwrap_or(triage), *from);
            }
            EventKind::Warning { text } => self.warn(check::cut(text, LONGEST_TEXT), faults),
            EventKind::RunFinished { outcome, total_ms } => {
                self.outcome = Some(outcome.clone());
                self.elapsed_ms = check::time(*total_ms, faults);
            }
        }
    }

    /// From now on these chains of the table are kept.
    fn choose(&mut self, pruning: Arc<Pruning>) {
        self.kept_rank = pruning.kept.iter().zip(1..).map(|(scored, rank)| (scored.chain, rank)).collect();
        self.pruning = pruning;
    }

    /// The answer is complete; what it was written from is kept with it.
    fn answered(&mut self, answer: Answer) {
        self.answer = answer;
        self.evidence = Some(Evidence { table: Arc::clone(&self.table), pruning: Arc::clone(&self.pruning) });
        self.read_with = ReadWith {
            settings: self.settings.clone(),
            mentions: self.mentions.clone(),
            anchors: self.anchors.clone(),
            unlinked: self.unlinked.clone(),
            chains_found: self.chains_found,
            truncated: self.truncated.clone(),
            rejected_anchors: self.triage.rejected_anchors.clone(),
            case: Arc::clone(&self.case),
        };
    }

    /// Counts a fault. Each reason has one warning, which says how often it was met.
    fn report(&mut self, fault: EventFault) {
        let count = self.faults.entry(fault).or_default();
        let before = fault.sentence(*count);
        *count = count.saturating_add(1);
        let now = fault.sentence(*count);
        match self.warnings.iter_mut().find(|warning| **warning == before) {
            Some(warning) => *warning = now,
            None => {
                self.warned_in.push(None);
                self.warnings.push(now);
            }
        }
    }

    /// What did not fit in the events so far, and how often.
    pub fn faults(&self) -> &BTreeMap<EventFault, u64> {
        &self.faults
    }

    /// Folds a whole stream.
    pub fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut trace = Self::default();
        for event in events {
            trace.apply(event);
        }
        trace
    }

    /// Goes back to before a stage. The answer, its evidence and its warnings stay until another answer is written.
    fn revise(&mut self, triage: &Arc<Triage>, from: Stage) {
        self.triage = Arc::clone(triage);
        self.settings = self.started_with.as_ref().map(|settings| triage.settings(settings));
        self.revisions = self.revisions.saturating_add(1);
        self.outcome = None;
        let answered = matches!(self.stage(Stage::Read), StageState::Done { .. }) && from != Stage::Read;
        self.stages.retain(|stage, _| *stage < from || (*stage == Stage::Read && answered));
        self.unwarn(|stage| stage >= from && stage != Stage::Read);
        if from <= Stage::Link {
            self.linked.clear();
            self.unlinked.clear();
            self.mentions.clear();
        }
        if from <= Stage::Search {
            self.anchors.clone_from(&self.linked);
        }
        if from == Stage::Read {
            self.forget_answer();
        }
    }

    /// Another answer is about to be written.
    fn forget_answer(&mut self) {
        self.answer = Answer::default();
        self.passages = Arc::default();
        self.evidence = None;
        self.read_with = ReadWith::default();
        self.unwarn(|stage| stage == Stage::Read);
    }

    /// Adds a warning, unless a revision repeats one.
    fn warn(&mut self, text: &str, faults: &mut Faults) {
        if self.warnings.len() >= MOST_WARNINGS {
            faults.push(EventFault::TooMany);
            return;
        }
        if self.revisions > 0 && self.warnings.iter().any(|known| known == text) {
            return;
        }
        let mut running = self.stages.iter().filter(|(_, state)| matches!(state, StageState::Running { .. })).map(|(stage, _)| *stage);
        self.warned_in.push(running.next().filter(|_| running.next().is_none()));
        self.warnings.push(text.to_owned());
    }

    /// Removes the warnings of stages that run again.
    fn unwarn(&mut self, again: impl Fn(Stage) -> bool) {
        let mut stages = std::mem::take(&mut self.warned_in).into_iter();
        let mut kept = Vec::new();
        self.warnings.retain(|_| {
            let stage = stages.next().flatten();
            let stays = !stage.is_some_and(&again);
            if stays {
                kept.push(stage);
            }
            stays
        });
        self.warned_in = kept;
    }

    /// Anchors that the question and the hypothesis name, in the order in which they were first linked, without those that the doctor added.
    /// Rejected ones are included.
    pub fn linked(&self) -> &[Anchor] {
        &self.linked
    }

    /// How the evidence of the answer was found. If the answer is outdated, the current settings and anchors can differ.
    pub(crate) fn read_with(&self) -> &ReadWith {
        &self.read_with
    }

    /// Whether the answer is outdated: the case is another one now, or other chains are kept than those that it was written from.
    pub fn is_stale(&self) -> bool {
        let Some(evidence) = &self.evidence else { return false };
        if self.read_with.case != self.case {
            return true;
        }
        if Arc::ptr_eq(&evidence.pruning, &self.pruning) && Arc::ptr_eq(&evidence.table, &self.table) {
            return false;
        }
        // While a language model writes, what it has brought does not outdate the answer that stands without it.
        let of_model = |pruning: &Pruning| if self.answer.refining { pruning.of_model } else { 0 };
        let keys = |table: &ChainTable, pruning: &Pruning| -> Vec<ChainKey> {
            let kept = pruning.kept.len().saturating_sub(of_model(pruning));
            pruning
                .kept
                .iter()
                .take(kept)
                .filter_map(|s| table.chains.get(s.chain as usize))
                .map(|chain| ChainKey::of(table, chain))
                .collect()
        };
        keys(&evidence.table, &evidence.pruning) != keys(&self.table, &self.pruning)
    }

    /// Whether the run has begun and not ended.
    pub fn is_running(&self) -> bool {
        !self.id.is_empty() && self.outcome.is_none()
    }

    /// The state of a stage.
    pub fn stage(&self, stage: Stage) -> StageState {
        self.stages.get(&stage).copied().unwrap_or_default()
    }

    /// Kept chains, best first, with their ids (1, 2, …) and numbers in the table.
    pub fn kept(&self) -> impl Iterator<Item = (u32, u32, &Chain)> {
        let numbered = self.pruning.kept.iter().zip(1..);
        numbered.filter_map(|(scored, id)| Some((id, scored.chain, self.table.chains.get(scored.chain as usize)?)))
    }

    /// The id of a chain by its number in the table; `None` if it is not kept.
    pub fn kept_id(&self, chain: u32) -> Option<u32> {
        self.kept_rank.get(&chain).copied()
    }
}

/// Adds an anchor, or replaces the one of the same entity.
fn put(anchors: &mut Vec<Anchor>, anchor: &Anchor, faults: &mut Faults) {
    match anchors.iter_mut().find(|known| known.entity == anchor.entity) {
        Some(known) => *known = anchor.clone(),
        None => check::push(anchors, anchor, MOST_ANCHORS, faults),
    }
}

#[cfg(test)]
#[path = "trace_tests.rs"]
mod tests;
