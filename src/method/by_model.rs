//! The answer of a method whose paper has a language model write it: the model's text, each sentence with the chains that state it or marked as
//! the model's own, below what must be said all the same.

use super::Method;
use super::run_state::{RunState, no_model};
use crate::graph::Chain;
use crate::language::consult::{Asking, consult_with};
use crate::language::context::{RunContext, StageError};
use crate::language::generate::QUESTION;
use crate::language::prompt::prompt_lines::{numbered, question_part};
use crate::language::prompt::{PromptFor, untrusted};
use crate::model::{Constraint, GeneratorHandle, PromptPart, Sampling};
use crate::pipeline::answer::compose::{self, Composed, KeptChains, above, cited, is_preamble};
use crate::pipeline::answer::extractive::{ReadInput, read};
use crate::pipeline::answer::plan::PlannedLine;
use crate::pipeline::answer::wording::Wording;
use crate::pipeline::llm::{ReaderPrompt, cited_answer, read_alone, write_text};
use crate::run::{Answer, EventKind, Pruning, Stage};

/// A language model and what it is asked about.
pub(super) struct AskedModel<'a> {
    pub(super) state: &'a RunState<'a>,
    pub(super) input: &'a ReadInput<'a>,
    pub(super) generator: &'a GeneratorHandle,
}

impl AskedModel<'_> {
    /// Asks for the answer from the kept chains; its text is shown as it is written.
    pub(super) fn read(&self, ctx: &mut RunContext<'_>, how: ReaderPrompt) -> Result<Option<String>, StageError> {
        write_text(ctx, self.input, self.state.question, self.generator, how)
    }

    /// The question, for a prompt.
    pub(super) fn question(&self) -> Vec<PromptPart> {
        question_part(self.state.question)
    }

    /// What the model wrote before, for another prompt.
    pub(super) fn text(&self, written: &str) -> Vec<PromptPart> {
        let lines: Vec<String> = written.lines().map(|line| untrusted(line, QUESTION)).collect();
        vec![PromptPart { text: lines.join("\n"), rank: None }]
    }

    /// The kept chains as numbered lines.
    pub(super) fn kept(&self) -> Vec<PromptPart> {
        numbered(&self.input.knowledge.graph, &self.kept_chains())
    }

    /// The kept chains, best first.
    pub(super) fn kept_chains(&self) -> Vec<Chain> {
        let chains = &self.input.found.chains;
        let kept = self.input.pruning.kept.iter().filter_map(|scored| chains.get(scored.chain as usize));
        kept.copied().collect()
    }

    /// Shows an answer that was not shown as it was written.
    pub(super) fn show(&self, ctx: &mut RunContext<'_>, answer: Option<&str>) {
        if let Some(text) = answer {
            ctx.emit(EventKind::AnswerToken { text: text.to_owned() });
        }
    }

    /// Asks a question of the method's own; gives the reply, or `None` with a warning. `instead`: what happens without a reply.
    pub(super) fn consult(
        &self,
        ctx: &mut RunContext<'_>,
        (what, form): (PromptFor, Option<Constraint>),
        instead: &str,
        fill: impl Fn(&str) -> Vec<PromptPart>,
    ) -> Result<Option<String>, StageError> {
        let sampling = Sampling { constraint: form, ..Sampling::default() };
        let asking = Asking { stage: Stage::Read, what, chinese: self.is_chinese(), sampling, shown: false };
        let reply = consult_with(ctx, self.generator, asking, fill)?;
        Ok(told(ctx, reply, instead))
    }

    /// Asks for the answer in words of the method's own; its text is shown as it is written.
    pub(super) fn answer(
        &self,
        ctx: &mut RunContext<'_>,
        what: PromptFor,
        fill: impl Fn(&str) -> Vec<PromptPart>,
    ) -> Result<Option<String>, StageError> {
        let sampling = Sampling::default();
        let asking = Asking { stage: Stage::Read, what, chinese: self.is_chinese(), sampling, shown: true };
        let reply = consult_with(ctx, self.generator, asking, fill)?;
        Ok(told(ctx, reply, "the answer is composed from the evidence chains alone"))
    }

    /// Whether the question is Chinese.
    pub(super) fn is_chinese(&self) -> bool {
        Wording::for_text(self.state.question).is_chinese()
    }
}

fn told(ctx: &mut RunContext<'_>, reply: Result<String, String>, instead: &str) -> Option<String> {
    reply.map_err(|why| ctx.warn(format!("{why}; {instead}."))).ok()
}

impl RunState<'_> {
    /// The answer that a language model writes, and how many bytes of its text have been shown already. If the model fails, the built-in reader answers.
    pub(super) fn answer_by_model(
        &self,
        ctx: &mut RunContext<'_>,
        method: &dyn Method,
        pruning: &Pruning,
        generator: &GeneratorHandle,
    ) -> Result<(Answer, usize), StageError> {
        let preamble = match self.preamble_or_refusal(ctx, pruning) {
            Ok(preamble) => preamble,
            Err(refusal) => return Ok((*refusal, 0)),
        };
        let shown = show(ctx, &preamble);
        let input = self.read_input(ctx.knowledge, pruning);
        let asked = AskedModel { state: self, input: &input, generator };
        let written = method.write_answer(ctx, &asked)?;
        ctx.models_may_be_known();
        let graph = &ctx.knowledge.graph;
        let forbids = |drug| self.planned.forbids(graph, drug);
        let answer = match written {
            Some(text) => cited_answer(&input, &text, &forbids),
            None if pruning.kept.is_empty() => self.nothing_kept(ctx, Wording::for_text(self.question)),
            None => read(&input),
        };
        Ok((above(preamble, answer), shown))
    }

    /// What stands above every answer; or, of a question that is refused, the refusal.
    pub(super) fn preamble_or_refusal(&self, ctx: &mut RunContext<'_>, pruning: &Pruning) -> Result<Composed, Box<Answer>> {
        if !self.bare {
            ctx.emit(EventKind::UrgencyJudged { urgency: self.planned.urgency.clone() });
        }
        let kept = KeptChains::of(&self.searched.found, pruning);
        let composed = |belongs: &dyn Fn(&PlannedLine) -> bool| cited(&ctx.knowledge.graph, &self.planned.plan, &kept, belongs);
        if !self.bare && self.understood.case.refusal.is_some() {
            let mut answer = compose::answer(composed(&|_| true), Vec::new());
            answer.grounded = false;
            return Err(Box::new(answer));
        }
        Ok(composed(&|line: &PlannedLine| is_preamble(line.part)))
    }

    /// The answer of a method without a graph: the language model's, below what must be said all the same.
    pub(super) fn answer_without_graph(&self, ctx: &mut RunContext<'_>, method: &dyn Method) -> Result<Answer, StageError> {
        let wording = Wording::for_text(self.question);
        let pruning = Pruning::default();
        let preamble = match self.preamble_or_refusal(ctx, &pruning) {
            Ok(preamble) => preamble,
            Err(refusal) => return Ok(*refusal),
        };
        if !self.triage.is_empty() {
            ctx.warn("This method uses no graph, so decisions about anchors and chains change nothing.");
        }
        let Some(generator) = ctx.generator else { return Ok(above(preamble, no_model(wording))) };
        show(ctx, &preamble);
        let input = self.read_input(ctx.knowledge, &pruning);
        let by_model = read_alone(ctx, &input, self.question, generator, method.reader())?;
        Ok(above(preamble, by_model.unwrap_or_else(|| no_model(wording))))
    }
}

/// Shows what stands above a model's text, before it is written; gives its length with the blank line below it.
fn show(ctx: &mut RunContext<'_>, preamble: &Composed) -> usize {
    if preamble.lines.is_empty() {
        return 0;
    }
    let mut text = compose::text_of(&preamble.lines);
    text.push_str("\n\n");
    let shown = text.len();
    ctx.emit(EventKind::AnswerToken { text });
    shown
}
