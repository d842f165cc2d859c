//! The hypothesis of a language model (HyKGE 2025, §4.1.1). In Catena's own method it stands beside the graph's; in HyKGE as published, alone.

use crate::language::context::RunContext;
use crate::language::generate::{QUESTION, Writing, sent, write};
use crate::language::prompt::{PromptFor, untrusted};
use crate::model::{CancelToken, GeneratorHandle, ModelError, Prompt, PromptPart};
use crate::pipeline::answer::hypothesis::HypothesisWriter;
use crate::run::event::{EventKind, Stage};

/// Writes the hypothesis with a language model.
pub(crate) struct LlmHypothesis {
    generator: GeneratorHandle,
    prompt: Prompt,
    seed: i64,
    cancel: CancelToken,
    is_alone: bool,
}

impl LlmHypothesis {
    /// Makes the prompt and tells it. `prompt`: which one, and whether in Chinese.
    pub(crate) fn new(ctx: &mut RunContext<'_>, generator: &GeneratorHandle, question: &str, (prompt, chinese): (PromptFor, bool)) -> Self {
        if question.chars().nth(QUESTION).is_some() {
            ctx.warn(format!("The question is very long; the language model reads only its first {QUESTION} characters."));
        }
        let template = ctx.prompts.of(prompt, chinese);
        let prompt = template.fill(|_| vec![PromptPart { text: untrusted(question, QUESTION), rank: None }]);
        ctx.emit(EventKind::PromptSent { prompt: sent(Stage::Hypothesis, template, &prompt) });
        Self { generator: generator.clone(), prompt, seed: ctx.settings.seed, cancel: ctx.cancel.clone(), is_alone: false }
    }

    /// The same where no hypothesis of the graph stands beside it.
    pub(crate) fn alone(self) -> Self {
        Self { is_alone: true, ..self }
    }
}

impl HypothesisWriter for LlmHypothesis {
    fn write(&self, emit: &mut dyn FnMut(Writing) -> bool) {
        let mut begun = false;
        let written = write(&self.generator, self.prompt.clone(), self.seed, &self.cancel, &mut |writing| match writing {
            // Blank lines before the first word say nothing.
            Writing::Text(text) if !begun => {
                let text = text.trim_start();
                begun = !text.is_empty();
                !begun || emit(Writing::Text(text.to_owned()))
            }
            other => emit(other),
        });
        let why = match written {
            Ok(_) if begun => return,
            Err(ModelError::Cancelled) => return,
            Ok(_) => "The language model wrote no hypothesis".to_owned(),
            Err(error) => format!("The language model failed ({error})"),
        };
        let what = match (begun, self.is_alone) {
            (true, _) => "its hypothesis ends in the middle",
            (false, false) => "the hypothesis is the graph's alone",
            (false, true) => "there is no hypothesis",
        };
        // Whoever listens no more needs no reason.
        let _ = emit(Writing::Instead(format!("{why}; {what}.")));
    }
}
