//! The reader of a language model (HyKGE 2025, Eq. 5): question, kept chains, and what the chains' ends are, make the prompt. The text that
//! comes back is only added to the built-in answer, as far as the chains bear it out; without a graph, it is the answer.

use std::collections::BTreeSet;

use super::alone;
use super::refine::refine;
use crate::graph::EntityId;
use crate::language::context::{RunContext, StageError};
use crate::language::generate::{QUESTION, Writing, sent, write};
use crate::language::prompt::{PromptFor, untrusted};
use crate::model::{Finish, Generation, GeneratorHandle, ModelError, PromptPart};
use crate::pipeline::answer::extractive::ReadInput;
use crate::run::event::{Answer, EventKind, Stage};

/// The most characters of a chain in the prompt …
const CHAIN: usize = 600;
/// … and of the description of one of its ends.
const DESCRIPTION: usize = 200;

/// How a language model is asked for the answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReaderPrompt {
    /// The prompt.
    pub(crate) prompt: PromptFor,
    /// Whether the descriptions of a chain's ends go with the chain.
    pub(crate) descriptions: bool,
}

impl Default for ReaderPrompt {
    fn default() -> Self {
        Self { prompt: PromptFor::Reader, descriptions: true }
    }
}

/// Has a language model write about the kept chains, and adds to the answer what they bear out.
///
/// # Errors
/// If the run was stopped.
pub(crate) fn refine_with_model(
    ctx: &mut RunContext<'_>,
    input: &ReadInput<'_>,
    question: &str,
    generator: &GeneratorHandle,
    how: ReaderPrompt,
    (base, forbids): (Answer, &dyn Fn(EntityId) -> bool),
) -> Result<Answer, StageError> {
    let mut text = String::new();
    let written = ask(ctx, input, (question, generator, how), &mut |_, piece| text.push_str(&piece))?;
    let text = match &written {
        Ok(generation) => {
            report_left_out(ctx, input, generation);
            Some((text.as_str(), generation.finish == Finish::Loop))
        }
        Err(error) => {
            ctx.warn(format!("The language model failed ({error}); the answer is composed from the evidence chains alone."));
            None
        }
    };
    Ok(refine(input, base, text, forbids))
}

/// Has a language model answer alone. `None`: it failed or wrote nothing; a warning has said so.
///
/// # Errors
/// If the run was stopped.
pub(crate) fn read_alone(
    ctx: &mut RunContext<'_>,
    input: &ReadInput<'_>,
    question: &str,
    generator: &GeneratorHandle,
    how: ReaderPrompt,
) -> Result<Option<Answer>, StageError> {
    let Some(text) = written(ctx, input, (question, generator, how), "so there is no answer")? else { return Ok(None) };
    ctx.warn("The language model answered alone, without a graph: no evidence supports this answer.");
    Ok(Some(alone::answer(input, &text)))
}

/// Has a language model write the answer from the kept chains; its text is shown as it is written. `None`: it failed or wrote nothing; a warning has
/// said so.
///
/// # Errors
/// If the run was stopped.
pub(crate) fn write_text(
    ctx: &mut RunContext<'_>,
    input: &ReadInput<'_>,
    question: &str,
    generator: &GeneratorHandle,
    how: ReaderPrompt,
) -> Result<Option<String>, StageError> {
    written(ctx, input, (question, generator, how), "the answer is composed from the evidence chains alone")
}

/// The text of a language model, shown as it is written. `otherwise`: what follows where there is none.
fn written(
    ctx: &mut RunContext<'_>,
    input: &ReadInput<'_>,
    asked: (&str, &GeneratorHandle, ReaderPrompt),
    otherwise: &str,
) -> Result<Option<String>, StageError> {
    let mut text = String::new();
    let written = ask(ctx, input, asked, &mut |ctx, piece| {
        text.push_str(&piece);
        ctx.emit(EventKind::AnswerToken { text: piece });
    })?;
    match written {
        Ok(generation) if !text.trim().is_empty() => {
            report_left_out(ctx, input, &generation);
            if generation.finish == Finish::Length {
                ctx.warn("The answer reached the token limit and may be cut short.");
            }
            Ok(Some(text))
        }
        Ok(_) => {
            ctx.warn(format!("The language model wrote no answer; {otherwise}."));
            Ok(None)
        }
        Err(error) => {
            ctx.warn(format!("The language model failed ({error}); {otherwise}."));
            Ok(None)
        }
    }
}

/// Asks for the text. The inner error is the model's.
fn ask(
    ctx: &mut RunContext<'_>,
    input: &ReadInput<'_>,
    (question, generator, how): (&str, &GeneratorHandle, ReaderPrompt),
    take: &mut dyn FnMut(&mut RunContext<'_>, String),
) -> Result<Result<Generation, ModelError>, StageError> {
    let template = ctx.prompts.of(how.prompt, input.wording.is_chinese());
    let prompt = template.fill(|gap| match gap {
        "evidence" => evidence(input, how.descriptions),
        _ => vec![PromptPart { text: untrusted(question, QUESTION), rank: None }],
    });
    ctx.emit(EventKind::PromptSent { prompt: sent(Stage::Read, template, &prompt) });
    let (cancel, seed) = (ctx.cancel.clone(), ctx.settings.seed);
    let written = write(generator, prompt, seed, &cancel, &mut |writing| {
        match writing {
            Writing::Text(piece) => take(ctx, piece),
            Writing::Activity(activity) => ctx.emit(EventKind::ModelActive { activity }),
            Writing::Instead(why) => ctx.warn(why),
        }
        ctx.check().is_ok()
    });
    match written {
        Err(ModelError::Cancelled) => Err(StageError::Cancelled),
        written => Ok(written),
    }
}

/// Says which chains the model did not see.
fn report_left_out(ctx: &mut RunContext<'_>, input: &ReadInput<'_>, generation: &Generation) {
    // A part's rank is its chain's id.
    let kept = input.pruning.kept.len() as u32;
    let left_out: BTreeSet<u32> = generation.left_out.iter().copied().filter(|id| (1..=kept).contains(id)).collect();
    if !left_out.is_empty() {
        let ids: Vec<String> = left_out.iter().take(20).map(u32::to_string).collect();
        ctx.warn(format!(
            "The evidence did not fit into the language model's context: {} of {kept} chains, those of the lowest rank, were left out ({}).",
            left_out.len(),
            ids.join(", ")
        ));
    }
}

/// The kept chains, a line each. Where ends are to be described, an entity is described where it first stands at an end: chains that are left out for want of room
/// come after it.
fn evidence(input: &ReadInput<'_>, describe: bool) -> Vec<PromptPart> {
    let graph = &input.knowledge.graph;
    let mut described: BTreeSet<EntityId> = BTreeSet::new();
    let kept = input.pruning.kept.iter().zip(1u32..);
    kept.map(|(scored, id)| {
        let chain = &input.found.chains[scored.chain as usize];
        let mut line = format!("[{id}] {}", untrusted(&graph.chain_text(chain), CHAIN));
        let nodes = chain.nodes();
        let ends = [nodes.first(), nodes.last()].into_iter().flatten().map(|node| EntityId(*node));
        let of_ends: Vec<String> = ends
            .filter(|end| describe && !graph.description(*end).trim().is_empty() && described.insert(*end))
            .map(|end| format!("{}: {}", untrusted(graph.entity_name(end), DESCRIPTION), untrusted(graph.description(end), DESCRIPTION)))
            .collect();
        if !of_ends.is_empty() {
            line.push_str(&format!(" ({})", of_ends.join("; ")));
        }
        line.push('\n');
        PromptPart { text: line, rank: Some(id) }
    })
    .collect()
}
