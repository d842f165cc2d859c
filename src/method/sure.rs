//! Summarised retrieval (HyKGE's baseline SuRe, after Kim et al., 2024): two possible answers, a summary of the triples that supports each, whether each
//! summary is valid, and which tells more. The best candidate with its summary is the answer. Six calls.

use super::by_model::AskedModel;
use super::by_query::lines_of;
use super::from_triples::Baseline;
use crate::language::context::{RunContext, StageError};
use crate::language::prompt::PromptFor;
use crate::language::prompt::prompt_lines::lines;
use crate::language::{first_word_is_yes, numbers_form, numbers_in, texts_form, yes_or_no_form};
use crate::pipeline::llm::ReaderPrompt;

/// The number of candidates.
const CANDIDATES: usize = 2;
/// The most characters of a candidate that is asked for.
const LONGEST: usize = 400;

/// A possible answer.
struct Candidate {
    text: String,
    summary: String,
    is_valid: bool,
}

/// Weighs possible answers.
pub(super) struct Sure;

impl Baseline for Sure {
    fn write_answer(&self, ctx: &mut RunContext<'_>, asked: &AskedModel<'_>) -> Result<Option<String>, StageError> {
        let triples = asked.kept();
        let instead = "the model answers from the triples without candidates";
        let form = Some(texts_form("answers", CANDIDATES, LONGEST));
        let reply = asked.consult(ctx, (PromptFor::Candidates, form), instead, |gap| match gap {
            "triples" => triples.clone(),
            _ => asked.question(),
        })?;
        let texts = reply.map(|reply| lines_of(&reply, CANDIDATES)).unwrap_or_default();
        if texts.is_empty() {
            return asked.read(ctx, ReaderPrompt::default());
        }
        let mut candidates = Vec::new();
        for text in texts {
            let summary = asked.consult(ctx, (PromptFor::Summary, None), "this candidate has no summary", |gap| match gap {
                "triples" => triples.clone(),
                "candidate" => asked.text(&text),
                _ => asked.question(),
            })?;
            candidates.push(Candidate { text, summary: summary.unwrap_or_default(), is_valid: false });
        }
        for candidate in &mut candidates {
            let form = Some(yes_or_no_form(asked.is_chinese()));
            let reply = asked.consult(ctx, (PromptFor::Valid, form), "this candidate counts as unsupported", |gap| match gap {
                "candidate" => asked.text(&candidate.text),
                "summary" => asked.text(&candidate.summary),
                _ => asked.question(),
            })?;
            candidate.is_valid = reply.is_some_and(|reply| first_word_is_yes(&reply));
        }
        let mut preferred = None;
        if candidates.len() > 1 {
            let summaries = lines(candidates.iter().map(|candidate| candidate.summary.clone()));
            let form = Some(numbers_form(candidates.len(), 1));
            let reply = asked.consult(ctx, (PromptFor::Rank, form), "the likelier candidate is preferred", |gap| match gap {
                "summaries" => summaries.clone(),
                _ => asked.question(),
            })?;
            preferred = reply.and_then(|reply| numbers_in(&reply, candidates.len())?.first().map(|number| number - 1));
        }
        let best = winner(&candidates.iter().map(|candidate| candidate.is_valid).collect::<Vec<_>>(), preferred);
        let answer = candidates.get(best).map(|best| format!("{}\n{}", best.text, best.summary).trim().to_owned());
        asked.show(ctx, answer.as_deref());
        Ok(answer)
    }
}

/// The candidate with the greatest sum of validity and rank; of equals the one that ranks higher, then the first.
fn winner(valid: &[bool], preferred: Option<usize>) -> usize {
    let score = |at: usize| (usize::from(valid[at]) + usize::from(preferred == Some(at)), preferred == Some(at));
    (0..valid.len()).max_by(|a, b| score(*a).cmp(&score(*b)).then(b.cmp(a))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn validity_and_rank_count_alike() {
        assert_eq!(winner(&[true, true], Some(1)), 1);
        assert_eq!(winner(&[true, false], Some(0)), 0);
        assert_eq!(winner(&[true, false], Some(1)), 1, "equal sums: the one that ranks higher");
        assert_eq!(winner(&[false, true], None), 1);
        assert_eq!(winner(&[false, false], None), 0);
        assert_eq!(winner(&[], None), 0);
    }
}
