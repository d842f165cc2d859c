//! The hypothesis of a language model (HyKGE 2025, §4.1.1). Where the model fails, the graph's own takes its place.

use crate::language::context::RunContext;
use crate::language::generate::{QUESTION, Writing, sent, write};
use crate::language::prompt::{PromptFor, untrusted};
use crate::model::{CancelToken, GeneratorHandle, ModelError, Prompt, PromptPart};
use crate::pipeline::answer::hypothesis::{GraphHypothesis, HypothesisWriter};
use crate::run::event::{EventKind, Stage};

/// Writes the hypothesis with a language model.
pub(crate) struct LlmHypothesis {
    generator: GeneratorHandle,
    prompt: Prompt,
    seed: i64,
    cancel: CancelToken,
    otherwise: GraphHypothesis,
}

impl LlmHypothesis {
    /// Makes the prompt and tells it. `prompt`: which one, and whether in Chinese. `otherwise`: what is written where the model fails.
    pub(crate) fn new(
        ctx: &mut RunContext<'_>,
        generator: &GeneratorHandle,
        question: &str,
        (prompt, chinese): (PromptFor, bool),
        otherwise: GraphHypothesis,
    ) -> Self {
        if question.chars().nth(QUESTION).is_some() {
            ctx.warn(format!("The question is very long; the language model reads only its first {QUESTION} characters."));
        }
        let template = ctx.prompts.of(prompt, chinese);
        let prompt = template.fill(|_| vec![PromptPart { text: untrusted(question, QUESTION), rank: None }]);
        ctx.emit(EventKind::PromptSent { prompt: sent(Stage::Hypothesis, template, &prompt) });
        Self { generator: generator.clone(), prompt, seed: ctx.settings.seed, cancel: ctx.cancel.clone(), otherwise }
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
        let what = if begun { "the rest of the hypothesis is" } else { "the hypothesis is" };
        if !emit(Writing::Instead(format!("{why}; {what} derived from the graph instead."))) {
            return;
        }
        if begun && !emit(Writing::Text("\n".into())) {
            return;
        }
        self.otherwise.write(emit);
    }
}
