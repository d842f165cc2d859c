//! HyKGE with a language model for one of its parts (2025, Table 4): as reranker, and to sum up the kept chains. As recogniser it is in
//! `extracted`.

use super::by_model::AskedModel;
use super::ranking::Ranked;
use super::run_state::RunState;
use crate::graph::Chain;
use crate::language::consult::consult_as;
use crate::language::context::{RunContext, StageError};
use crate::language::generate::QUESTION;
use crate::language::prompt::prompt_lines::{numbered, question_part};
use crate::language::prompt::{PromptFor, untrusted};
use crate::language::{scores_form, scores_in};
use crate::model::PromptPart;
use crate::pipeline::answer::wording::Wording;
use crate::pipeline::llm::ReaderPrompt;
use crate::run::{ScoredBy, ScoredChain, Stage};

/// The most chains that the model scores: as many scores as a reply of 500 tokens has room for.
const SCORED: usize = 40;
/// What the model scored stands above this, the other chains below it.
const OF_MODEL: f64 = 0.5;

/// The place of a chain that the model did not score.
fn below(scored: &mut ScoredChain) {
    scored.score *= OF_MODEL;
}

/// Has the language model score the best chains, which then stand in its order; the others follow in theirs. What it said before is taken
/// from the record.
pub(super) fn rerank(ctx: &mut RunContext<'_>, state: &RunState<'_>, ranked: &mut Ranked) -> Result<(), StageError> {
    if !state.scores.is_empty() {
        for scored in &mut ranked.order {
            match state.scores.get(&scored.chain).filter(|score| **score >= OF_MODEL) {
                Some(known) => scored.score = *known,
                None => below(scored),
            }
        }
        ranked.sort();
        return Ok(());
    }
    let best: Vec<(u32, Chain)> =
        ranked.order.iter().take(SCORED).filter_map(|scored| Some((scored.chain, *state.chains().get(scored.chain as usize)?))).collect();
    ranked.order.iter_mut().for_each(below);
    let Some(generator) = ctx.asked_model().filter(|_| !best.is_empty()) else { return Ok(()) };
    let chains: Vec<Chain> = best.iter().map(|(_, chain)| *chain).collect();
    let lines = numbered(&ctx.knowledge.graph, &chains);
    let chinese = Wording::for_text(state.question).is_chinese();
    let form = Some(scores_form(chains.len()));
    let reply = consult_as(ctx, generator, Stage::Prune, (PromptFor::ChainScores, chinese), form, |gap| match gap {
        "chains" => lines.clone(),
        "hypothesis" => hypothesis_lines(state.hypothesis),
        _ => question_part(state.question),
    })?;
    let given = match reply.map(|reply| scores_in(&reply, chains.len())) {
        Ok(given) if !given.is_empty() => given,
        without => {
            let why = without.err().unwrap_or_else(|| "The language model gave no scores".into());
            ctx.warn(format!("{why}; the chains keep the order of the reranker."));
            return Ok(());
        }
    };
    ranked.scored.push(ScoredBy { scorer: generator.name().to_owned(), chains: given.len() as u64 });
    ranked.record_all = true;
    for (number, score) in given {
        let chain = best.get(number - 1).map(|(chain, _)| *chain);
        if let Some(scored) = ranked.order.iter_mut().find(|scored| Some(scored.chain) == chain) {
            scored.score = OF_MODEL + (1.0 - OF_MODEL) * score;
        }
    }
    ranked.sort();
    Ok(())
}

/// Has the language model sum up the kept chains, and write the answer from its summary. Without a summary it reads the chains.
pub(super) fn write_from_summary(
    ctx: &mut RunContext<'_>,
    asked: &AskedModel<'_>,
    how: ReaderPrompt,
) -> Result<Option<String>, StageError> {
    let chains = asked.kept();
    if chains.is_empty() {
        return asked.read(ctx, how);
    }
    let reply = asked.consult(ctx, (PromptFor::ChainSummary, None), "the model reads the chains themselves", |gap| match gap {
        "chains" => chains.clone(),
        _ => asked.question(),
    })?;
    let Some(summary) = reply else { return asked.read(ctx, how) };
    let mut evidence = asked.text(&summary);
    evidence.push(PromptPart { text: "\n".into(), rank: None });
    asked.answer(ctx, how.prompt, |gap| match gap {
        "evidence" => evidence.clone(),
        _ => asked.question(),
    })
}

/// A hypothesis in a prompt, line by line.
pub(super) fn hypothesis_lines(hypothesis: &str) -> Vec<PromptPart> {
    let lines: Vec<String> = hypothesis.lines().map(|line| untrusted(line, QUESTION)).collect();
    vec![PromptPart { text: lines.join("\n"), rank: None }]
}
