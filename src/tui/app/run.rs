//! The run on the screen: one state at a time, and the trace that its events add up to.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use crate::model::CancelToken;
use crate::pipeline::answer::left_out::LeftOut;
use crate::run::triage::Decisions;
use crate::run::{
    Case, EngineInfo, Event, EventKind, Example, Explanation, Marks, MethodName, Outcome, RunHandle, Trace, built_in_examples,
};
use crate::tui::highlight;
use crate::tui::playback::Playback;
use crate::tui::verdicts::ChainVerdicts;

/// The engine, as far as the screen knows.
#[derive(Debug, Clone)]
pub(crate) enum EngineState {
    Opening,
    Ready(Box<EngineInfo>),
    /// It could not be opened, and why.
    Failed(String),
    /// There is none: recorded runs are shown.
    Recording,
}

impl EngineState {
    pub(crate) fn is_opening(&self) -> bool {
        matches!(self, Self::Opening)
    }

    pub(crate) fn is_ready(&self) -> bool {
        matches!(self, Self::Ready(_))
    }

    /// Whether only recorded runs are shown.
    pub(crate) fn is_recording(&self) -> bool {
        matches!(self, Self::Recording)
    }

    /// The example questions: those that fit the graph, once it is open.
    pub(crate) fn examples(&self) -> Vec<Example> {
        let fitting = self.info().and_then(|info| info.examples.clone());
        fitting.unwrap_or_else(|| built_in_examples().iter().map(|(example, _)| example.clone()).collect())
    }

    /// Graph and models, once it is open.
    pub(crate) fn info(&self) -> Option<&EngineInfo> {
        match self {
            Self::Ready(info) => Some(info),
            _ => None,
        }
    }
}

/// A run whose events come to the screen.
#[derive(Debug)]
pub(crate) struct ActiveRun {
    pub(crate) id: Arc<str>,
    pub(crate) cancel: CancelToken,
    /// When it began, on [`App::now`](super::App::now)'s clock.
    pub(crate) began: Duration,
}

/// What the run on the screen is doing.
#[derive(Debug, Default)]
pub(crate) enum RunState {
    /// There is no run.
    #[default]
    Idle,
    /// A question waits until the graph is open.
    Opening { question: String, follows: Option<Arc<Case>>, method: Option<MethodName> },
    /// A run begins in the background; `request` is the number of the request for it.
    Starting { request: u64 },
    /// Events come in: of a new run, or of a revision.
    Running(ActiveRun),
    /// It is over: answered, nothing found, failed or cancelled by itself. Whoever made it may still send a revision.
    Settled { run: Option<ActiveRun> },
    /// The doctor stopped it after this time; its events are no longer taken.
    Stopped { after: Duration },
    /// A recording is played; `run` is what plays it, once it has begun.
    Replaying { playback: Playback, run: Option<ActiveRun> },
}

/// The run on the screen.
#[derive(Debug, Default)]
pub(crate) struct RunView {
    pub(crate) state: RunState,
    pub(crate) trace: Trace,
    pub(crate) marks: Marks,
    pub(crate) marks_stale: bool,
    /// Counts every change of the trace; texts made from it are made again when it has changed.
    pub(crate) version: u64,
    /// What the doctor decided about the evidence.
    pub(crate) decisions: Decisions,
    /// The condition that came first in the run that this one follows.
    pub(crate) led_before: Option<String>,
    /// What follows from that for each chain of the table.
    pub(crate) verdicts: ChainVerdicts,
    /// The entities at which a chain begins or ends.
    pub(crate) connected: HashSet<String>,
    /// What the hypothesis proposed and the answer leaves out.
    pub(crate) left_out: Option<LeftOut>,
    /// Facts were withdrawn since the run began: what its chains know as learned may be no longer.
    pub(crate) unlearned: bool,
    /// All that is known about the selected chain.
    pub(crate) explanation: Option<Explanation>,
    /// For each chain that the answer cites, its number in the table as it is now.
    pub(crate) cited: Vec<Option<u32>>,
    /// Whether other chains are kept now than the answer was written from, or some of them rest on what was withdrawn since.
    pub(crate) outdated: bool,
    /// Whether facts were withdrawn since the answer was written, which rests on learned ones.
    pub(crate) withdrawn: bool,
    /// The lines of a language model's answer, with the styles of its Markdown.
    pub(crate) highlighted: Vec<highlight::StyledLine>,
    /// What the last decision left of the answer as it was.
    pub(crate) sameness: Sameness,
    /// Whether the last decision was taken back or made again: the message says how the answer then stands.
    pub(crate) stepped_back: bool,
    /// When a replay came to its end by itself: a key that was meant for it may still follow.
    pub(crate) replay_ended: Option<Duration>,
    /// When the run last sent an event, on [`App::now`](super::App::now)'s clock.
    pub(crate) last_event: Duration,
    /// The events of the run, to be played again.
    pub(crate) recorded: Vec<Event>,
    /// How many of them belong to what is settled; the others to a revision under way.
    pub(crate) settled_events: usize,
}

/// What a decision left of the answer as it was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Sameness {
    /// Its lines are others, or there was no decision.
    #[default]
    Other,
    /// The words of every line: another chain proves what the rejected one proved, or a chain has another number.
    Words,
    /// Words and citations.
    All,
}

impl RunView {
    /// A recording that is played from its start.
    pub(super) fn replaying(recording: Vec<Event>, paused: bool) -> Self {
        let playback = Playback::new(recording.len()).paused_if(paused);
        let state = RunState::Replaying { playback, run: None };
        Self { state, settled_events: recording.len(), recorded: recording, ..Self::default() }
    }

    /// The run whose events are taken.
    pub(crate) fn active(&self) -> Option<&ActiveRun> {
        match &self.state {
            RunState::Running(run) => Some(run),
            RunState::Settled { run } | RunState::Replaying { run, .. } => run.as_ref(),
            RunState::Idle | RunState::Opening { .. } | RunState::Starting { .. } | RunState::Stopped { .. } => None,
        }
    }

    /// Whether a run or a replay is under way.
    pub(crate) fn is_running(&self) -> bool {
        match &self.state {
            RunState::Running(_) => true,
            // A recording can hold revisions: it goes on after the first outcome.
            RunState::Replaying { run, .. } => run.is_some() && self.trace.outcome.is_none(),
            _ => false,
        }
    }

    pub(crate) fn is_starting(&self) -> bool {
        matches!(self.state, RunState::Starting { .. })
    }

    /// Whether no run is coming or under way.
    pub(crate) fn is_at_rest(&self) -> bool {
        matches!(self.state, RunState::Idle | RunState::Settled { .. } | RunState::Stopped { .. })
    }

    /// Whether the stages of a run can be shown.
    pub(crate) fn has_begun(&self) -> bool {
        self.active().is_some() || matches!(self.state, RunState::Stopped { .. }) || !self.trace.id.is_empty()
    }

    /// The run on the screen was stopped by the doctor.
    pub(crate) fn was_stopped(&self) -> bool {
        match self.trace.outcome {
            Some(Outcome::Cancelled) => true,
            Some(_) => false,
            None => matches!(self.state, RunState::Stopped { .. }),
        }
    }

    /// The recording that is played.
    pub(crate) fn playback(&self) -> Option<&Playback> {
        match &self.state {
            RunState::Replaying { playback, .. } => Some(playback),
            _ => None,
        }
    }

    pub(crate) fn playback_mut(&mut self) -> Option<&mut Playback> {
        match &mut self.state {
            RunState::Replaying { playback, .. } => Some(playback),
            _ => None,
        }
    }

    /// Milliseconds that the run has taken so far, or took.
    pub(crate) fn elapsed_ms(&self, now: Duration) -> f64 {
        let ran = match (&self.trace.outcome, &self.state) {
            (None, RunState::Stopped { after }) => Some(*after),
            // A replay has the times of its recording, however fast it goes and while it is paused.
            (None, RunState::Replaying { .. }) => None,
            (None, _) => self.active().map(|run| now.saturating_sub(run.began)),
            _ => None,
        };
        ran.map_or(self.trace.elapsed_ms, |ran| ran.as_secs_f64() * 1000.0)
    }

    /// A run, a revision or a replay begins: from now on its events are taken.
    pub(crate) fn begin(&mut self, handle: RunHandle, now: Duration) {
        let active = ActiveRun { id: handle.id, cancel: handle.cancel, began: now };
        match &mut self.state {
            RunState::Replaying { run, .. } => *run = Some(active),
            state => {
                *state = RunState::Settled { run: Some(active) };
                self.follow_outcome();
            }
        }
    }

    /// Brings the state in line with the trace: with an outcome the run is settled, without one it is under way.
    pub(crate) fn follow_outcome(&mut self) {
        self.state = match (std::mem::take(&mut self.state), &self.trace.outcome) {
            (RunState::Running(run), Some(_)) => RunState::Settled { run: Some(run) },
            (RunState::Settled { run: Some(run) }, None) => RunState::Running(run),
            (state, _) => state,
        };
    }

    /// Takes an event; `false` if it belongs to another run, or to one that was stopped.
    pub(crate) fn take_event(&mut self, event: &Event, now: Duration) -> bool {
        if self.active().is_none_or(|run| *run.id != *event.run) {
            return false;
        }
        self.trace.apply(event);
        self.last_event = now;
        match &mut self.state {
            RunState::Replaying { playback, .. } => playback.at += 1,
            _ if matches!(event.what, EventKind::RunStarted { .. }) => self.recorded = vec![event.clone()],
            _ => self.recorded.push(event.clone()),
        }
        self.follow_outcome();
        self.version += 1;
        true
    }

    /// Forgets the run on the screen, for the next one to come.
    pub(crate) fn reset(&mut self, now: Duration) {
        self.explanation = None;
        self.recorded = Vec::new();
        self.settled_events = 0;
        self.decisions.forget();
        self.led_before = None;
        self.verdicts = ChainVerdicts::default();
        self.connected.clear();
        self.left_out = None;
        self.unlearned = false;
        self.cited.clear();
        self.highlighted.clear();
        self.last_event = now;
        self.outdated = false;
        self.withdrawn = false;
        self.stepped_back = false;
        self.version += 1;
        self.marks_stale = true;
    }

    /// Counts the chains as judged by triage.
    pub(crate) fn judge(&mut self) {
        self.verdicts = ChainVerdicts::of(&self.trace, &self.trace.triage);
        self.find_left_out();
        let table = &self.trace.table;
        let ends: HashSet<u32> = table.chains.iter().flat_map(|chain| [chain.nodes()[0], chain.nodes()[chain.len()]]).collect();
        self.connected = ends.into_iter().filter_map(|end| Some(table.entities.get(end as usize)?.name.clone())).collect();
    }

    /// Looks for what the answer leaves out. It is known only once the answer stands: a run that was just made says the same as when it is opened again.
    pub(crate) fn find_left_out(&mut self) {
        let found = LeftOut::of(&self.trace).filter(|left_out| !(left_out.is_learned && self.unlearned));
        if self.left_out != found {
            self.left_out = found;
            self.version += 1;
        }
    }

    /// Whether the answer rests on something that was learned.
    pub(crate) fn rests_on_learned(&self) -> bool {
        let Some(evidence) = &self.trace.evidence else { return false };
        let chains = &evidence.table.chains;
        evidence.pruning.kept.iter().filter_map(|kept| chains.get(kept.chain as usize)).any(|chain| chain.learned())
    }

    /// Whether the answer was written since the run, or a revision of it, last ended.
    pub(crate) fn was_answered_anew(&self) -> bool {
        let news = self.recorded.get(self.settled_events..).unwrap_or_default();
        news.iter().any(|event| matches!(event.what, EventKind::AnswerFinished { .. }))
    }

    /// Whether a chain begins or ends at an entity; unknown, and so assumed, before there are chains.
    pub(crate) fn is_connected(&self, entity: &str) -> bool {
        self.trace.table.chains.is_empty() || self.connected.contains(entity)
    }
}
