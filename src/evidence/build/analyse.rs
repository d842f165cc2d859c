//! Reads one document: labels of its sections, sentences and list items as evidence by rule, units, names, words.

use std::collections::BTreeMap;
use std::ops::Range;

use super::entities::{Found, Subjects};
use crate::evidence::document::Document;
use crate::evidence::label::Label;
use crate::evidence::passage::{sentences, units};
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
            Some("no known entity is named, and there is no title")
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
pub(super) fn analyse(document: &Document, own: &[Found], subjects: &Subjects, graph: &Graph) -> Analysis {
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
        let units = units(text, &evidence).into_iter().map(|span| {
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
