//! Answers from documents alone (`idep` and its baselines): the passages that fit the question best, word for word; or a language model's
//! statements, each with the passage that it cites and that bears it out, below the safety pass.

use std::collections::HashSet;

use super::{CitedPassages, DocumentInput, WithPassages, beside_chains, gaps, joined, quote, said};
use crate::evidence::{Advisor, CollectionError, Passage, SearchOptions};
use crate::pipeline::answer::compose::text_of;
use crate::run::QuotedPassage;
use crate::run::event::{Answer, AnswerLine, AnswerPart};
use crate::text::{StopWords, tokenise};

/// The most passages that are quoted …
const QUOTED: usize = 5;
/// … and the most sections that are searched.
const SEARCHED: usize = 60;
/// The most words that a language model reads (EbmKG, A.3); in Chinese, characters.
const MOST_WORDS: usize = 8000;
/// The same of a small model, which mostly runs on a processor.
const MOST_WORDS_SMALL: usize = 1500;
/// How much of a statement's words its passages must have.
const BORNE_OUT: f32 = 0.5;

/// A statement of a language model with the passages that it cites, by their places among those it was told.
pub(crate) struct ModelLine {
    pub(crate) text: String,
    pub(crate) cites: Vec<usize>,
}

/// The passages that fit the question, the best first, without those that the doctor rejected. `advisor` names search terms and features.
///
/// # Errors
/// If the search fails.
pub(crate) fn fitting(
    input: &DocumentInput<'_>,
    advisor: Option<&mut dyn Advisor>,
) -> Result<Vec<(QuotedPassage, Passage)>, CollectionError> {
    let options = SearchOptions { limit: SEARCHED, seed: input.seed, ..SearchOptions::default() };
    let mut found = input.library.advised_search(input.graph.base(), &input.sought(), (input.method, &options), advisor)?;
    found.retain(|(passage, found)| input.is_wanted(passage) && (found.fit.named == 0 || found.fit.covered > 0 || found.fit.about));
    Ok(found)
}

/// The passages that a language model is told: those that fit, then the other evidence of their units, until there are 8,000 words; fewer
/// for a small model.
pub(crate) fn offered(input: &DocumentInput<'_>, fitting: &[(QuotedPassage, Passage)], is_small: bool) -> Vec<QuotedPassage> {
    let most = if is_small { MOST_WORDS_SMALL } else { MOST_WORDS };
    let others = fitting.iter().flat_map(|(passage, found)| input.library.others(passage, found));
    let mut words = 0;
    let told = fitting.iter().map(|(passage, _)| passage.clone()).chain(others.filter(|other| input.is_wanted(other)));
    let within = |passage: &QuotedPassage| {
        words += tokenise(&passage.text).len();
        words <= most
    };
    told.take_while(within).collect()
}

/// An answer from passages, below `above`. `written`: a language model's statements, with the passages that it was told; where there are
/// none, the passages are quoted.
pub(crate) fn answer_alone(
    input: &DocumentInput<'_>,
    mut above: Answer,
    fitting: &[(QuotedPassage, Passage)],
    written: Option<(Vec<ModelLine>, &[QuotedPassage])>,
) -> WithPassages {
    let mut cited = CitedPassages::default();
    let mut lines = beside_chains(input, std::mem::take(&mut above.lines), &mut cited);
    let others = || fitting.iter().map(|(passage, _)| passage.clone());
    if let Some((written, told)) = written.filter(|(written, _)| !written.is_empty()) {
        let own: Vec<AnswerLine> = written.into_iter().map(|line| of_model(line, told, &mut cited)).collect();
        let mut with_passages = joined(input, above, (lines, Vec::new()), cited, others());
        let answer = &mut with_passages.answer;
        for part in [AnswerPart::ModelAdds, AnswerPart::ModelUnsupported] {
            let of_part: Vec<AnswerLine> = own.iter().filter(|line| line.part == part).cloned().collect();
            if of_part.is_empty() {
                continue;
            }
            let gap = if answer.text.is_empty() { "" } else { "\n\n" };
            answer.text = format!("{}{gap}{}\n{}", answer.text, input.wording.part(part), text_of(&of_part));
            answer.passages.extend(of_part.iter().flat_map(|line| line.passages.iter().copied()));
            answer.lines.extend(of_part);
        }
        answer.passages.sort_unstable();
        answer.passages.dedup();
        answer.grounded |= !answer.passages.is_empty();
        answer.by_model = true;
        return with_passages;
    }
    if lines.is_empty() && !above.text.is_empty() {
        lines.push(said(&above.text));
    }
    gaps::reword_refusal(input, &mut above.text, &mut lines);
    let mut quotes: Vec<AnswerLine> = Vec::new();
    for (passage, found) in fitting {
        if quotes.len() == QUOTED {
            break;
        }
        let sentence = gaps::quoted(passage, found).unwrap_or_else(|| passage.clone());
        if input.is_wanted(&sentence) && !cited.has(&sentence) {
            quotes.push(quote(AnswerPart::Documents, &sentence, cited.cite(&sentence)));
        }
    }
    joined(input, above, (lines, quotes), cited, others())
}

/// A language model's statement: with the passages that bear it out, or marked as its own.
fn of_model(line: ModelLine, told: &[QuotedPassage], cited: &mut CitedPassages) -> AnswerLine {
    let passages: Vec<&QuotedPassage> = line.cites.iter().filter_map(|place| told.get(*place)).collect();
    let borne_out = bears_out(&line.text, &passages);
    let ids: Vec<_> = if borne_out { passages.iter().filter_map(|passage| cited.cite_within(passage)).collect() } else { Vec::new() };
    let borne_out = borne_out && !ids.is_empty();
    let part = if borne_out { AnswerPart::ModelAdds } else { AnswerPart::ModelUnsupported };
    AnswerLine { part, text: line.text, passages: ids, unsupported: !borne_out, ..said("") }
}

/// The share of a statement's words with content that passages have, by the beginnings of words.
pub(crate) fn share_of_words(statement: &str, passages: &[&QuotedPassage]) -> f32 {
    let words = |text: &str| -> Vec<String> { tokenise(text).into_iter().map(|token| token.text).collect() };
    let stem = |word: &String| word.chars().take(5).collect::<String>();
    let there = passages.iter().flat_map(|passage| words(&passage.text).into_iter().chain(words(&passage.title)));
    let stems: HashSet<String> = there.map(|word| stem(&word)).collect();
    let own: Vec<String> = words(statement).into_iter().filter(|word| !StopWords::built_in().contains(word)).collect();
    own.iter().filter(|word| stems.contains(&stem(word))).count() as f32 / own.len().max(1) as f32
}

/// Whether passages hold what a statement says: every number, half of its words, and as many denials.
pub(crate) fn bears_out(statement: &str, passages: &[&QuotedPassage]) -> bool {
    let words = |text: &str| -> Vec<String> { tokenise(text).into_iter().map(|token| token.text).collect() };
    let is_denial = |word: &String| {
        matches!(word.as_str(), "not" | "no" | "never" | "without" | "avoid" | "cannot" | "contraindicated" | "不" | "无" | "禁")
    };
    let is_number = |word: &String| word.starts_with(|c: char| c.is_ascii_digit());
    let own = words(statement);
    let there: Vec<String> = passages.iter().flat_map(|passage| words(&passage.text).into_iter().chain(words(&passage.title))).collect();
    let there: HashSet<&String> = there.iter().collect();
    let numbers = own.iter().filter(|word| is_number(word)).all(|number| there.contains(number));
    let denials = own.iter().any(is_denial) == there.iter().any(|word| is_denial(word));
    // A statement without a denial may stand beside one in the same passage; a denial that no passage has may not.
    let denials = denials || !own.iter().any(is_denial);
    numbers && denials && share_of_words(statement, passages) >= BORNE_OUT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_borne_out_by_its_words_numbers_and_denials() {
        let passage = QuotedPassage {
            title: "Warfarin".into(),
            text: "Ibuprofen raises the risk of bleeding with warfarin. Begin with 5 mg.".into(),
            ..QuotedPassage::default()
        };
        let says = |statement: &str| bears_out(statement, &[&passage]);
        assert!(says("With ibuprofen, warfarin has a higher risk of bleeding."));
        assert!(says("Warfarin begins with 5 mg."));
        assert!(!says("Warfarin begins with 10 mg."), "another number");
        assert!(!says("Ibuprofen does not raise the risk of bleeding with warfarin."), "a denial of its own");
        assert!(!says("Take paracetamol for headaches instead."));
        assert!(!bears_out("Ibuprofen raises the risk.", &[]) && !says("…"));
    }
}
