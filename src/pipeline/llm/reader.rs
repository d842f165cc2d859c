//! The reader of a language model (HyKGE 2025, Eq. 5): question, kept chains, and what the chains' ends are, make the prompt; the
//! text that comes back is checked against the chains before it is an answer.

use std::collections::BTreeSet;

use super::citations::cited;
use super::claims::{Claims, judge};
use crate::graph::EntityId;
use crate::language::context::{RunContext, StageError};
use crate::language::generate::{QUESTION, Writing, sent, write};
use crate::language::prompt::{PromptFor, untrusted};
use crate::model::{Finish, GeneratorHandle, ModelError, PromptPart};
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
    /// Whether the answer is to rest on the graph at all.
    pub(crate) graph: bool,
}

impl Default for ReaderPrompt {
    fn default() -> Self {
        Self { prompt: PromptFor::Reader, descriptions: true, graph: true }
    }
}

/// Has the language model write the answer. `None`: it failed or wrote nothing; a warning has said so.
///
/// # Errors
/// If the run was stopped.
pub(crate) fn read_with_model(
    ctx: &mut RunContext<'_>,
    input: &ReadInput<'_>,
    question: &str,
    generator: &GeneratorHandle,
    how: ReaderPrompt,
) -> Result<Option<Answer>, StageError> {
    let template = ctx.prompts.of(how.prompt, input.wording.is_chinese());
    let prompt = template.fill(|gap| match gap {
        "evidence" => evidence(input, how.descriptions),
        _ => vec![PromptPart { text: untrusted(question, QUESTION), rank: None }],
    });
    ctx.emit(EventKind::PromptSent { prompt: sent(Stage::Read, template, &prompt) });
    let cancel = ctx.cancel.clone();
    let (seed, mut text) = (ctx.settings.seed, String::new());
    let written = write(generator, prompt, seed, &cancel, &mut |writing| {
        match writing {
            Writing::Text(piece) => {
                text.push_str(&piece);
                ctx.emit(EventKind::AnswerToken { text: piece });
            }
            Writing::Activity(activity) => ctx.emit(EventKind::ModelActive { activity }),
            Writing::Instead(why) => ctx.warn(why),
        }
        ctx.check().is_ok()
    });
    let without_graph = !how.graph;
    let instead = if without_graph { "so there is no answer" } else { "the answer is composed from the evidence chains instead" };
    let generation = match written {
        Ok(generation) if !text.trim().is_empty() => generation,
        Err(ModelError::Cancelled) => return Err(StageError::Cancelled),
        Ok(_) => {
            ctx.warn(format!("The language model wrote no answer; {instead}."));
            return Ok(None);
        }
        Err(error) => {
            ctx.warn(format!("The language model failed ({error}); {instead}."));
            return Ok(None);
        }
    };
    if generation.finish == Finish::Length {
        ctx.warn("The answer reached the token limit and may be cut short.");
    }
    let mut shown: BTreeSet<u32> = (1..=input.pruning.kept.len() as u32).collect();
    // A part's rank is its chain's id.
    let left_out: BTreeSet<u32> = generation.left_out.iter().copied().filter(|id| shown.remove(id)).collect();
    if !left_out.is_empty() {
        ctx.warn(format!(
            "The evidence did not fit into the language model's context: {} of {} chains, those of the lowest rank, were left out ({}).",
            left_out.len(),
            input.pruning.kept.len(),
            list(left_out.iter().map(u32::to_string))
        ));
    }
    let cited = cited(text.trim(), &shown);
    if !cited.removed.is_empty() {
        ctx.warn(format!(
            "The answer cited chains that the language model had not been shown ({}); these citations were removed.",
            list(cited.removed.iter().map(|written| format!("[{}]", crate::text::sanitise_line(written))))
        ));
    }
    let Claims { answer, unsupported, ruled_out } = judge(input, &cited);
    if unsupported > 0 && !without_graph {
        let (statements, are) = if unsupported == 1 { ("statement", "is") } else { ("statements", "are") };
        ctx.warn(format!(
            "{unsupported} {statements} in the answer {are} not supported by the cited chains; text that is the model's own is marked."
        ));
    }
    if answer.citations.is_empty() {
        ctx.warn(if without_graph {
            "The language model answered alone, without a graph: no evidence supports this answer."
        } else {
            "The language model's answer cites no evidence; all of it is the model's own."
        });
    }
    for (drug, states) in ruled_out {
        ctx.warn(format!("The answer names {drug}, which the graph says is contraindicated in {states}."));
    }
    Ok(Some(answer))
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.take(20).collect::<Vec<_>>().join(", ")
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
