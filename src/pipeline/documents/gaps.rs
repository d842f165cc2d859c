//! Where the graph does not answer: which passages are quoted in its place.

use super::{CitedPassages, DocumentInput, MOST_OF_DOCUMENTS, pairs};
use crate::evidence::{AskedLabels, Label, Passage};
use crate::graph::{EntityId, EvolvingGraph, Kind, Role};
use crate::run::event::{Answer, AnswerLine, AnswerPart};
use crate::run::{PassageKey, QuotedPassage, Refusal};
use crate::text::tokenise;

/// What graphs say nothing of, by the label of documents.
const ONLY_IN_DOCUMENTS: [&str; 14] = [
    "dosage",
    "overdose",
    "storage",
    "mechanism",
    "information",
    "inheritance",
    "frequency",
    "outlook",
    "stages",
    "research",
    "considerations",
    "pediatric",
    "geriatric",
    "lactation",
];
/// How well a section's label must fit what is asked.
const LEAST_ASKED: f32 = 0.3;

/// The passages that are quoted: those the doctor pinned, then what documents say of pairs of which the graph stores nothing, then, where the graph
/// does not answer, those that fit the question best.
pub(super) fn passages(
    input: &DocumentInput<'_>,
    answer: &Answer,
    lines: &[AnswerLine],
    fitting: &[(QuotedPassage, Passage)],
    cited: &CitedPassages,
) -> Vec<QuotedPassage> {
    let mut chosen: Vec<QuotedPassage> = Vec::new();
    let add = |passage: QuotedPassage, chosen: &mut Vec<QuotedPassage>, most: usize| {
        if chosen.len() < most && !cited.has(&passage) && !chosen.iter().any(|known| known.key() == passage.key()) {
            chosen.push(passage);
        }
    };
    let pinned = input.triage.pinned_passages.iter();
    for passage in pinned.filter_map(|key| pinned_passage(input, key, fitting)) {
        add(passage, &mut chosen, usize::MAX);
    }
    if matches!(input.case.refusal, Some(Refusal::Harm | Refusal::NotClinical)) {
        return chosen;
    }
    let most = chosen.len() + MOST_OF_DOCUMENTS;
    for passage in lines.iter().filter(|line| stores_nothing(line)).flat_map(|line| of_pairs(input, line)) {
        add(passage, &mut chosen, most);
    }
    let asked = AskedLabels::of(&tokenise(input.question));
    if chosen.len() < most && is_open(input, answer, lines, &asked) {
        let asks = !asked.weights().is_empty();
        let fits = |found: &Passage| found.fit.about && (!asks || found.fit.asked >= LEAST_ASKED);
        // Of a pair, a sentence about one of the two answers nothing.
        let of_pair = lines.iter().any(stores_nothing);
        let of_all = |found: &Passage| found.fit.covered >= if of_pair { 2 } else { found.fit.named.min(2) };
        let of_one = fitting.iter().filter(|(_, found)| !of_pair && !of_all(found));
        let quotable = fitting.iter().filter(|(_, found)| of_all(found)).chain(of_one).filter(|(_, found)| fits(found));
        for passage in quotable.filter_map(|(passage, found)| quoted(passage, found)).filter(|passage| input.is_wanted(passage)) {
            add(passage, &mut chosen, most);
        }
    }
    chosen
}

/// The sentence of a passage's section that is quoted.
pub(super) fn quoted(passage: &QuotedPassage, found: &Passage) -> Option<QuotedPassage> {
    let (place, text) = found.fit.quote.clone()?;
    Some(QuotedPassage { start: place.start, end: place.end, text, ..passage.clone() })
}

/// A pinned passage, word for word as it stands in its document.
fn pinned_passage(input: &DocumentInput<'_>, key: &PassageKey, fitting: &[(QuotedPassage, Passage)]) -> Option<QuotedPassage> {
    let found = fitting.iter().find(|(passage, _)| passage.key() == *key).map(|(passage, _)| passage.clone());
    found.or_else(|| input.library.passage(key))
}

/// Whether the graph leaves the question open.
fn is_open(input: &DocumentInput<'_>, answer: &Answer, lines: &[AnswerLine], asked: &AskedLabels) -> bool {
    let plan = &input.wording.plan;
    let says_nothing = |line: &AnswerLine| line.part == AnswerPart::Summary && [&plan.no_doses, &plan.nothing_stored].contains(&&line.text);
    let leading = asked.weights().first().map(|(label, _)| *label);
    let only_in_documents = leading.is_some_and(|label| ONLY_IN_DOCUMENTS.into_iter().any(|id| Label::parse(id) == Some(label)));
    let only_read = |line: &AnswerLine| line.citations.is_empty() && line.passages.is_empty();
    !answer.grounded || lines.iter().any(says_nothing) || only_in_documents || lines.iter().all(only_read)
}

/// Whether a line says that nothing is stored about a drug and others.
fn stores_nothing(line: &AnswerLine) -> bool {
    line.part == AnswerPart::Safety
        && line.role.is_none()
        && !line.entity.is_empty()
        && line.citations.is_empty()
        && line.passages.is_empty()
}

/// What documents say of a drug and the rest of the case.
fn of_pairs(input: &DocumentInput<'_>, line: &AnswerLine) -> Vec<QuotedPassage> {
    let graph = input.graph;
    let Some(drug) = graph.find(&line.entity) else { return Vec::new() };
    let mut others: Vec<EntityId> = input.case.concerned().filter_map(|name| graph.find(name)).filter(|other| *other != drug).collect();
    let mut seen = std::collections::BTreeSet::new();
    others.retain(|other| seen.insert(*other));
    others.into_iter().filter_map(|other| of_pair(input, graph, drug, other)).collect()
}

fn of_pair(input: &DocumentInput<'_>, graph: &EvolvingGraph, drug: EntityId, other: EntityId) -> Option<QuotedPassage> {
    let is_drug = matches!(graph.kind(other), Kind::Drug | Kind::DrugClass | Kind::Treatment);
    let roles: &[Role] = if is_drug { &[Role::Interaction] } else { &[Role::Contraindication, Role::AdverseEffect] };
    roles.iter().find_map(|role| pairs::find(input, *role, &[drug], &[other]))
}

/// A refusal says that there is no answer; beside passages it says where they come from.
pub(super) fn reword_refusal(input: &DocumentInput<'_>, text: &mut String, lines: &mut [AnswerLine]) {
    let plan = &input.wording.plan;
    let said: Vec<&String> = match input.case.refusal {
        Some(Refusal::SubjectUnknown) => vec![&plan.subject_unknown],
        Some(Refusal::TooLittleUnderstood) => vec![&plan.too_little, &plan.which_medicine, &plan.which_test, &plan.which_complaint],
        _ => return,
    };
    let Some(said) = said.into_iter().find(|said| text.contains(said.as_str())) else { return };
    let now = &plan.only_documents;
    *text = text.replacen(said.as_str(), now, 1);
    if let Some(line) = lines.iter_mut().find(|line| line.text == *said) {
        line.text.clone_from(now);
    }
}
