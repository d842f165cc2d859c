//! Text generation by a language model: the call, the text as it is written, and the model's progress.

use std::time::{Duration, Instant};

use super::prompt::Template;
use crate::model::{CancelToken, Constraint, Generation, GeneratorHandle, ModelError, Prompt, Sampling, WorkerState, WorkerStatus};
use crate::run::event::{ModelActivity, ModelRole, ModelState, SentPrompt, Stage, TokensSpent};

/// The most characters of a question that go into a prompt.
pub(crate) const QUESTION: usize = 6000;
/// The interval between two progress reports.
const TOLD_EVERY: Duration = Duration::from_millis(100);

/// What arrives while a model writes.
#[derive(Debug)]
pub(crate) enum Writing {
    /// More of the text.
    Text(String),
    /// What the model is doing now.
    Activity(ModelActivity),
    /// The model failed and something else continues; why, in plain words.
    Instead(String),
}

/// A worker's status as an event.
pub(crate) fn activity(role: ModelRole, status: &WorkerStatus) -> ModelActivity {
    let (done, total) = status.progress.unwrap_or_default();
    ModelActivity {
        role,
        state: match status.state {
            WorkerState::Loading => ModelState::Loading,
            WorkerState::Idle => ModelState::Idle,
            WorkerState::Busy => ModelState::Busy,
            WorkerState::Failed => ModelState::Failed,
        },
        queued: status.queued as u64,
        done: done as u64,
        total: total as u64,
        tokens_per_second: status.tokens_per_second.map(|speed| (speed * 10.0).round() / 10.0),
        spent: None,
    }
}

/// A prompt as an event.
pub(crate) fn sent(stage: Stage, template: &Template, prompt: &Prompt) -> SentPrompt {
    SentPrompt {
        stage,
        name: template.name.clone(),
        version: template.version,
        hash: template.hash.clone(),
        own: template.own,
        system: prompt.system.clone(),
        user: prompt.user(u32::MAX),
    }
}

/// Generates a text, without the model's thinking (HyKGE 2025, A.2.3: at most 500 tokens, temperature 0.6).
pub(crate) fn write(
    generator: &GeneratorHandle,
    prompt: Prompt,
    seed: i64,
    cancel: &CancelToken,
    emit: &mut dyn FnMut(Writing) -> bool,
) -> Result<Generation, ModelError> {
    write_as(generator, prompt, None, seed, cancel, emit)
}

/// The same, for a text of a given form.
pub(crate) fn write_as(
    generator: &GeneratorHandle,
    prompt: Prompt,
    constraint: Option<Constraint>,
    seed: i64,
    cancel: &CancelToken,
    emit: &mut dyn FnMut(Writing) -> bool,
) -> Result<Generation, ModelError> {
    let sampling = Sampling { seed: seed.cast_unsigned(), constraint, ..Sampling::default() };
    write_with(generator, prompt, sampling, cancel, emit)
}

/// The same, drawn in any way.
pub(crate) fn write_with(
    generator: &GeneratorHandle,
    prompt: Prompt,
    sampling: Sampling,
    cancel: &CancelToken,
    emit: &mut dyn FnMut(Writing) -> bool,
) -> Result<Generation, ModelError> {
    let mut told: Option<(Instant, ModelActivity)> = None;
    let generation = generator.generate(prompt, sampling, cancel, &mut |piece| {
        if told.as_ref().is_none_or(|(when, _)| when.elapsed() >= TOLD_EVERY) {
            let now = activity(ModelRole::Generator, &generator.status());
            let changed = told.as_ref().is_none_or(|(_, before)| *before != now);
            told = Some((Instant::now(), now.clone()));
            if changed && !emit(Writing::Activity(now)) {
                return false;
            }
        }
        piece.is_empty() || emit(Writing::Text(piece.to_owned()))
    })?;
    let tokens = |count: Option<usize>| count.map(|count| count as u64);
    let spent = Some(TokensSpent { read: tokens(generation.prompt_tokens), written: tokens(generation.new_tokens) });
    let last = ModelActivity { state: ModelState::Idle, done: 0, total: 0, spent, ..activity(ModelRole::Generator, &generator.status()) };
    if emit(Writing::Activity(last)) { Ok(generation) } else { Err(ModelError::Cancelled) }
}
