//! Which sentence of a section that was found is quoted as an answer: one that a reader can take in, that names what the question names, with
//! the question's words. The search itself is not affected.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use super::question::Question;
use super::{Ranked, Searcher};
use crate::evidence::collection::Collection;
use crate::evidence::label::Label;
use crate::evidence::passage::unhandy;
use crate::evidence::terms::terms;
use crate::text::tokenise;

/// What a question's entity counts for in a sentence.
const ENTITY: f32 = 3.0;
/// What a quantity counts for where a dose is asked for.
const QUANTITY: f32 = 4.0;
/// What a sentence loses with each step of unhandiness.
const UNHANDY: f32 = 2.0;
/// Units of doses, folded.
const UNITS: [&str; 9] = ["mg", "mcg", "g", "ml", "units", "tablet", "tablets", "capsule", "capsules"];

/// How a passage fits the question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fit {
    /// Whether its document is about something that the question names.
    pub about: bool,
    /// How well its label fits what the question asks for, 0 to 1.
    pub asked: f32,
    /// How many things the question names.
    pub named: usize,
    /// How many of them the document is about or the quoted sentence names.
    pub covered: usize,
    /// The sentence to quote: its place in the section's text in characters, and its text.
    pub quote: Option<(Range<usize>, String)>,
}

impl Searcher<'_> {
    pub(super) fn fit(&self, ranked: &Ranked, read: &Question) -> Fit {
        let named: Vec<u32> = read.entities.iter().filter(|(_, weight)| *weight >= 1.0).map(|(entity, _)| *entity).collect();
        let Some(section) = self.collection.section(ranked.section) else { return Fit::default() };
        let subjects = self.collection.subjects_of(ranked.section);
        let about = named.iter().any(|entity| subjects.contains(entity));
        let others: BTreeSet<u32> = named.iter().copied().filter(|entity| !subjects.contains(entity)).collect();
        let words: HashSet<&str> = read.words.iter().filter(|(_, weight)| **weight >= 0.9).map(|(word, _)| word.as_str()).collect();
        let asks_dose = read.asked.weights().first().is_some_and(|(label, _)| Some(*label) == Label::parse("dosage"));
        let mut best: Option<(f32, usize, Range<usize>)> = None;
        for span in self.spans_of(ranked) {
            let Some(text) = section.text.get(span.clone()) else { continue };
            let Some(unhandy) = unhandy(text) else { continue };
            let own: HashSet<String> = terms(text).into_iter().collect();
            let shared = own.iter().filter(|term| words.contains(term.as_str())).count();
            let names = if others.is_empty() { 0 } else { self.collection.names_in(text).intersection(&others).count() };
            let quantity = if asks_dose && has_quantity(text) { QUANTITY } else { 0.0 };
            let score = ENTITY * names as f32 + shared as f32 + quantity - UNHANDY * f32::from(unhandy);
            if best.as_ref().is_none_or(|(known, ..)| score > *known) {
                best = Some((score, names, span));
            }
        }
        let covered = usize::from(about) + best.as_ref().map_or(0, |(_, names, _)| *names);
        let quote = best.and_then(|(_, _, span)| {
            let text = section.text.get(span.clone())?.to_owned();
            Some((Collection::in_characters(section.text, span), text))
        });
        Fit { about, asked: read.asked.answered_by(section.label), named: usize::from(about) + others.len(), covered, quote }
    }
}

fn has_quantity(text: &str) -> bool {
    let tokens = tokenise(text);
    tokens.windows(2).any(|pair| match pair {
        [number, unit] => number.text.starts_with(|c: char| c.is_ascii_digit()) && UNITS.contains(&unit.text.as_str()),
        _ => false,
    })
}
