//! Chain-of-Note (HyKGE's baseline CoN, after Yu et al., 2023): the language model notes what each retrieved triple contributes, and answers from its
//! notes. Two calls.

use super::by_model::AskedModel;
use super::from_triples::Baseline;
use crate::language::context::{RunContext, StageError};
use crate::language::prompt::PromptFor;
use crate::pipeline::llm::ReaderPrompt;

/// Takes notes.
pub(super) struct ChainOfNote;

impl Baseline for ChainOfNote {
    fn write_answer(&self, ctx: &mut RunContext<'_>, asked: &AskedModel<'_>) -> Result<Option<String>, StageError> {
        let triples = asked.kept();
        let what = (PromptFor::Notes, None);
        let notes = asked.consult(ctx, what, "the model answers from the triples without notes", |gap| match gap {
            "triples" => triples.clone(),
            _ => asked.question(),
        })?;
        // Without notes, the answer is read as of any other method.
        let Some(notes) = notes else { return asked.read(ctx, ReaderPrompt::default()) };
        asked.answer(ctx, PromptFor::FromNotes, |gap| match gap {
            "notes" => asked.text(&notes),
            _ => asked.question(),
        })
    }
}
