//! Chain-of-Knowledge (HyKGE's baseline CoK, after Li et al., 2023c): reasoning is prepared as steps; each step is corrected, one after the other, by what is
//! retrieved for it; the answer is consolidated from the corrected steps. Four calls with two steps.

use super::by_model::AskedModel;
use super::by_query::{lines_of, nearest_to};
use super::from_triples::Baseline;
use crate::language::context::{RunContext, StageError};
use crate::language::prompt::PromptFor;
use crate::language::prompt::prompt_lines::numbered;
use crate::language::texts_form;
use crate::pipeline::llm::ReaderPrompt;

/// The most steps.
const STEPS: usize = 2;
/// The most characters of a step that is asked for.
const LONGEST: usize = 400;

/// Corrects its reasoning.
pub(super) struct ChainOfKnowledge;

impl Baseline for ChainOfKnowledge {
    fn write_answer(&self, ctx: &mut RunContext<'_>, asked: &AskedModel<'_>) -> Result<Option<String>, StageError> {
        let instead = "the model answers from the triples without steps";
        let form = Some(texts_form("steps", STEPS, LONGEST));
        let prepared = asked.consult(ctx, (PromptFor::Steps, form), instead, |_| asked.question())?;
        let steps = prepared.map(|reply| lines_of(&reply, STEPS)).unwrap_or_default();
        if steps.is_empty() {
            return asked.read(ctx, ReaderPrompt::default());
        }
        let mut corrected: Vec<String> = Vec::new();
        for step in steps {
            let nearest = nearest_to(ctx, asked.state, &step, ctx.settings.top_k)?;
            let triples = numbered(&ctx.knowledge.graph, &nearest);
            let before = corrected.join("\n");
            let reply = asked.consult(ctx, (PromptFor::CorrectedStep, None), "the step stays as it was", |gap| match gap {
                "triples" => triples.clone(),
                "corrected" => asked.text(&before),
                "step" => asked.text(&step),
                _ => asked.question(),
            })?;
            let sentence = reply.and_then(|reply| lines_of(&reply, 1).pop());
            corrected.push(sentence.unwrap_or(step));
        }
        let steps = corrected.join("\n");
        asked.answer(ctx, PromptFor::FromSteps, |gap| match gap {
            "corrected" => asked.text(&steps),
            _ => asked.question(),
        })
    }
}
