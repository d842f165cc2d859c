//! The hypothesis of a language model (HyKGE 2025, §4.1.1). It stands beside the graph's own and never in its place.

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
        Self { generator: generator.clone(), prompt, seed: ctx.settings.seed, cancel: ctx.cancel.clone() }
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
        let what = if begun { "its hypothesis ends in the middle" } else { "the hypothesis is the graph's alone" };
        // Whoever listens no more needs no reason.
        let _ = emit(Writing::Instead(format!("{why}; {what}.")));
    }
}
