//! What do the documents say? Passages that state what a line of the answer states are cited beside its chains, the safety pass quotes the
//! label, and where the graph does not answer, a few passages are quoted word for word. Nothing is paraphrased.

mod alone;
mod cite;
mod gaps;
mod pairs;
mod text;

use std::borrow::Cow;
use std::collections::BTreeSet;

pub(crate) use alone::{ModelLine, answer_alone, bears_out, fitting, offered, share_of_words};
pub(crate) use cite::CitedPassages;
pub(crate) use pairs::names_of;

use crate::evidence::{CollectionError, Library, SearchMethod, SearchOptions, is_quotable};
use crate::graph::{EvolvingGraph, FoundChains};
use crate::pipeline::answer::wording::Wording;
use crate::pipeline::llm::in_round_brackets;
use crate::run::event::{Answer, AnswerLine, AnswerPart, Pruning};
use crate::run::{Case, FindingStatus, PassageId, QuotedPassage, Triage};
use crate::text::sanitise_line;

/// The most lines of an answer that get a passage.
const MOST_SUPPORTED: usize = 24;
/// The most lines of the safety pass that are followed by the sentence of a document.
const MOST_QUOTED: usize = 3;
/// The most passages that are quoted where the graph does not answer.
const MOST_OF_DOCUMENTS: usize = 3;
/// How many passages that fit the question are listed, whether the answer cites them or not.
const LISTED: usize = 12;

/// What an answer is joined with passages from.
pub(crate) struct DocumentInput<'a> {
    pub(crate) library: &'a Library,
    pub(crate) graph: &'a EvolvingGraph,
    pub(crate) question: &'a str,
    pub(crate) case: &'a Case,
    /// The chains that the answer cites.
    pub(crate) found: &'a FoundChains,
    pub(crate) pruning: &'a Pruning,
    pub(crate) triage: &'a Triage,
    pub(crate) wording: &'a Wording,
    /// The seed of the random walk.
    pub(crate) seed: u64,
    /// How passages that fit the question are searched.
    pub(crate) method: SearchMethod,
}

/// An answer with its passages: those that it cites first.
pub(crate) struct WithPassages {
    pub(crate) answer: Answer,
    pub(crate) passages: Vec<QuotedPassage>,
}

impl DocumentInput<'_> {
    fn is_wanted(&self, passage: &QuotedPassage) -> bool {
        !self.triage.rejected_passages.contains(&passage.key())
    }

    /// The question as passages are searched for: with gaps where it denies findings, which would be searched for as if they were there. A
    /// question with no finding that is there may be about the one that is not.
    fn sought(&self) -> Cow<'_, str> {
        let has = |status: FindingStatus| self.case.findings.iter().any(|finding| finding.status == status);
        if !has(FindingStatus::Present) || !has(FindingStatus::Absent) {
            return Cow::Borrowed(self.question);
        }
        let mut text = self.question.to_owned();
        for finding in self.case.findings.iter().filter(|finding| finding.status == FindingStatus::Absent) {
            // What was taken over from the run before has its place in the question of that run.
            if self.question.get(finding.start..finding.end) == Some(finding.text.as_str()) {
                text.replace_range(finding.start..finding.end, &" ".repeat(finding.text.len()));
            }
        }
        Cow::Owned(text)
    }
}

/// Joins an answer with what the documents say.
///
/// # Errors
/// If the search fails; the answer stands without documents then.
pub(crate) fn with_documents(input: &DocumentInput<'_>, mut answer: Answer) -> Result<WithPassages, CollectionError> {
    let options = SearchOptions { limit: LISTED, seed: input.seed, ..SearchOptions::default() };
    let fitting = input.library.search(input.graph.base(), &input.sought(), input.method, &options)?;
    let mut cited = CitedPassages::default();
    let mut lines = beside_chains(input, std::mem::take(&mut answer.lines), &mut cited);
    let of_documents = gaps::passages(input, &answer, &lines, &fitting, &cited);
    if !of_documents.is_empty() {
        if lines.is_empty() && !answer.text.is_empty() {
            lines.push(said(&answer.text));
        }
        gaps::reword_refusal(input, &mut answer.text, &mut lines);
    }
    let of_documents = of_documents.iter().map(|passage| quote(AnswerPart::Documents, passage, cited.cite(passage))).collect();
    Ok(joined(input, answer, (lines, of_documents), cited, fitting.into_iter().map(|(passage, _)| passage)))
}

/// The lines of an answer with the passages that state the same, and below those of the safety pass the sentences of documents.
fn beside_chains(input: &DocumentInput<'_>, of_answer: Vec<AnswerLine>, cited: &mut CitedPassages) -> Vec<AnswerLine> {
    let mut lines: Vec<AnswerLine> = Vec::with_capacity(of_answer.len());
    let (mut supported, mut quoted) = (0, 0);
    for mut line in of_answer {
        let may_be = !line.citations.is_empty() && !line.part.is_of_model() && supported < MOST_SUPPORTED;
        let passage = if may_be { pairs::stating(input, &line) } else { None };
        let Some(passage) = passage else {
            lines.push(line);
            continue;
        };
        supported += 1;
        // Lists that were asked for come below the sentence that answers; they are long enough without quotations.
        let in_list = lines.iter().any(|line| line.part == AnswerPart::Summary);
        let quotes =
            line.part == AnswerPart::Safety && !in_list && quoted < MOST_QUOTED && !cited.has(&passage) && is_quotable(&passage.text);
        let id = cited.cite(&passage);
        line.passages.push(id);
        let quote = quotes.then(|| quote(AnswerPart::Safety, &passage, id));
        lines.push(line);
        quoted += usize::from(quote.is_some());
        lines.extend(quote);
    }
    lines
}

/// An answer with its lines, those of the documents' part below them.
fn joined(
    input: &DocumentInput<'_>,
    mut answer: Answer,
    (mut lines, of_documents): (Vec<AnswerLine>, Vec<AnswerLine>),
    cited: CitedPassages,
    others: impl Iterator<Item = QuotedPassage>,
) -> WithPassages {
    answer.text = text::with_passages(&answer.text, &lines, &of_documents, input.wording.part(AnswerPart::Documents));
    lines.extend(of_documents);
    let ids: BTreeSet<PassageId> = lines.iter().flat_map(|line| line.passages.iter().copied()).collect();
    answer.grounded |= !ids.is_empty();
    answer.passages = ids.into_iter().collect();
    answer.lines = lines;
    WithPassages { answer, passages: cited.and_others(others, LISTED) }
}

/// A line that is a text and cites nothing.
fn said(text: &str) -> AnswerLine {
    AnswerLine {
        part: AnswerPart::Summary,
        entity: String::new(),
        role: None,
        text: text.to_owned(),
        citations: Vec::new(),
        passages: Vec::new(),
        also: Vec::new(),
        unsupported: false,
    }
}

/// A line that quotes a passage. It states nothing itself.
fn quote(part: AnswerPart, passage: &QuotedPassage, id: PassageId) -> AnswerLine {
    AnswerLine {
        part,
        text: in_round_brackets(&format!("“{}” ({})", sanitise_line(passage.text.trim()), sanitise_line(&passage.source()))),
        passages: vec![id],
        ..said("")
    }
}
