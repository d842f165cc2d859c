//! Reads one document: labels of its sections, sentences and list items as evidence by rule, units, names, words.

use std::collections::BTreeMap;
use std::ops::Range;

use super::entities::{Found, Subjects, in_graph};
use crate::evidence::document::Document;
use crate::evidence::label::Label;
use crate::evidence::passage::{sentences, units};
use crate::evidence::reading::{ReadEvidence, Reading, unit_key};
use crate::evidence::terms::{term, terms};
use crate::graph::Graph;
use crate::text::tokenise;

/// What a document's text gives.
pub(super) struct Analysis {
    pub(super) sections: Vec<SectionAnalysis>,
    /// The terms of its title and other names.
    pub(super) title_terms: BTreeMap<String, u16>,
    has_subject: bool,
}

/// What a section's text gives.
pub(super) struct SectionAnalysis {
    pub(super) label: Label,
    /// Sentences and list items.
    pub(super) evidence: Vec<Range<usize>>,
    /// For each piece of evidence, the entities: what the document is about, and what it mentions.
    pub(super) mentions: Vec<Vec<Found>>,
    /// The labels of pieces that a language model gave others than the heading does.
    pub(super) labels: BTreeMap<usize, Label>,
    pub(super) units: Vec<UnitAnalysis>,
    pub(super) heading_terms: BTreeMap<String, u16>,
}

/// What a unit's text gives.
pub(super) struct UnitAnalysis {
    pub(super) span: Range<usize>,
    pub(super) terms: BTreeMap<String, u16>,
    /// How many terms it has, repeated ones counted.
    pub(super) length: u32,
}

impl Analysis {
    /// Why a document gave no evidence that a topic could hold; `None` if it gave some.
    pub(super) fn why_nothing(&self) -> Option<&'static str> {
        if self.sections.iter().all(|section| section.evidence.is_empty()) {
            Some("no sentence was found")
        } else if !self.has_subject && self.sections.iter().all(|section| section.mentions.iter().all(Vec::is_empty)) {
            Some("there is no title, and the text names no entity of the graph")
        } else {
            None
        }
    }
}

fn counted(terms: impl IntoIterator<Item = String>) -> BTreeMap<String, u16> {
    let mut counts: BTreeMap<String, u16> = BTreeMap::new();
    for term in terms {
        let count = counts.entry(term).or_default();
        *count = count.saturating_add(1);
    }
    counts
}

/// The evidence of a document by rule: each sentence and list item, with the label that its section's heading gives, about the document's
/// subject and the entities that it names.
/// Where a language model read a unit, its choice of sentences, labels and entities counts instead.
pub(super) fn analyse(document: &Document, own: &[Found], subjects: &Subjects, (graph, reading): (&Graph, &Reading)) -> Analysis {
    let sections = document.sections.iter().map(|section| {
        let text = section.text.as_str();
        let evidence = sentences(text);
        let tokens = tokenise(text);
        let mut mentions: Vec<Vec<Found>> = vec![own.to_vec(); evidence.len()];
        let (mut at, mut sentence) = (0, 0);
        while let Some(token) = tokens.get(at) {
            while evidence.get(sentence).is_some_and(|span| span.end <= token.start) {
                sentence += 1;
            }
            let Some((last, found)) = subjects.longest_at(graph, &tokens, at) else {
                at += 1;
                continue;
            };
            // A name may begin in one sentence and end in the next; then it is none.
            let end = last.checked_sub(1).and_then(|last| tokens.get(last)).map_or(token.end, |token| token.end);
            if evidence.get(sentence).is_some_and(|span| span.start <= token.start && end <= span.end)
                && let Some(mentions) = mentions.get_mut(sentence)
            {
                for found in found {
                    if !mentions.contains(&found) {
                        mentions.push(found);
                    }
                }
            }
            at = last.max(at + 1);
        }
        let with_terms: Vec<(usize, String)> = tokens.iter().filter_map(|token| Some((token.start, term(token)?))).collect();
        let spans = units(text, &evidence);
        let mut labels = BTreeMap::new();
        for span in spans.iter().filter(|_| !reading.is_empty()) {
            let key = unit_key(&document.title, &section.name, text.get(span.clone()).unwrap_or_default());
            if let Some(read) = reading.units.get(&key) {
                by_model(read, (&evidence, span), (own, graph), &mut mentions, &mut labels);
            }
        }
        let units = spans.into_iter().map(|span| {
            let from = with_terms.partition_point(|(at, _)| *at < span.start);
            let to = with_terms.partition_point(|(at, _)| *at < span.end);
            let own = with_terms.get(from..to).unwrap_or_default();
            UnitAnalysis { span, length: own.len() as u32, terms: counted(own.iter().map(|(_, term)| term.clone())) }
        });
        let heading = Document::heading_of(section).replace('_', " ");
        // The name says more surely what the section is; the heading may be a whole question.
        let label = [section.name.as_str(), &heading].into_iter().map(Label::of_heading).find(|label| *label != Label::NONE);
        SectionAnalysis {
            label: label.unwrap_or(Label::NONE),
            mentions,
            labels,
            units: units.collect(),
            heading_terms: counted(terms(&section.name.replace('_', " ")).into_iter().chain(terms(&heading))),
            evidence,
        }
    });
    let sections = sections.collect();
    let title = std::iter::once(&document.title).chain(&document.aliases).flat_map(|name| terms(name));
    // A word counts once, in however many of its names it stands.
    let title_terms = title.map(|term| (term, 1)).collect();
    Analysis { sections, title_terms, has_subject: !own.is_empty() }
}

/// Puts a model's reading of a unit in the place of the rules': sentences that it did not choose belong to no topic but their document's.
fn by_model(
    read: &[ReadEvidence],
    (evidence, unit): (&[Range<usize>], &Range<usize>),
    (own, graph): (&[Found], &Graph),
    mentions: &mut [Vec<Found>],
    labels: &mut BTreeMap<usize, Label>,
) {
    let within: Vec<usize> =
        evidence.iter().enumerate().filter(|(_, span)| unit.start <= span.start && span.end <= unit.end).map(|(at, _)| at).collect();
    for at in &within {
        if let Some(mentions) = mentions.get_mut(*at) {
            *mentions = own.to_vec();
        }
        labels.insert(*at, Label::NONE);
    }
    for piece in read {
        let label = Label::parse(&piece.label).unwrap_or(Label::NONE);
        let named = std::iter::once(&piece.keyword).chain(&piece.entities).filter_map(|name| in_graph(graph, name)).map(Found::Graph);
        let named: Vec<Found> = named.collect();
        for at in within.get(piece.first..=piece.last.min(within.len().saturating_sub(1))).unwrap_or_default() {
            labels.insert(*at, label);
            if let Some(mentions) = mentions.get_mut(*at) {
                mentions.extend(named.iter().filter(|found| !own.contains(found)));
                mentions.sort_unstable();
                mentions.dedup();
            }
        }
    }
}
