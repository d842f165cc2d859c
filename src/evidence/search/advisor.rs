//! Who names search terms and features in the place of the rules: a language model, asked by whoever runs the search.

use std::collections::BTreeMap;

use super::SearchOptions;
use super::features::{Feature, task_of};
use super::question::Question;
use crate::evidence::collection::Collection;
use crate::evidence::label::Label;
use crate::text::{SplitMix64, sanitise_line};

/// The most characters of a topic's text.
const TOPIC: usize = 300;
/// The most topics of a package that an advisor is told.
const TOLD: usize = 25;
/// The most features of a package that count.
const MOST_FEATURES: usize = 10;

/// A package of topics that an advisor takes features from (EbmKG, Eq. 10).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// The task by which evidence is useful: `diagnosis`, `treatment`, `safety`, `check`, or `any`.
    pub task: &'static str,
    /// Its topics: entity, label, and what the first evidence says.
    pub topics: Vec<String>,
}

/// Names search terms and features; `None`: it cannot, and the rules do.
pub trait Advisor {
    /// At least five terms to search for.
    fn search_terms(&mut self, question: &str) -> Option<Vec<String>>;

    /// What evidence should speak of, each with its usefulness from 0 to 1, for one package of topics.
    fn features(&mut self, question: &str, package: &Package) -> Option<Vec<(String, f32)>>;
}

/// The topics, shuffled into packages; seeded.
pub(super) fn packages(topics: &[(u32, f32)], count: usize, seed: u64) -> Vec<Vec<(u32, f32)>> {
    let mut shuffled: Vec<(u32, f32)> = topics.to_vec();
    let mut random = SplitMix64::new(seed);
    for at in (1..shuffled.len()).rev() {
        shuffled.swap(at, random.next_below(at + 1));
    }
    let size = shuffled.len().div_ceil(count.max(1)).max(1);
    shuffled.chunks(size).map(<[_]>::to_vec).collect()
}

/// The features that an advisor names, with the question itself; `None` where it names none of any package.
pub(super) fn advised(
    advisor: &mut dyn Advisor,
    collection: &Collection,
    question: &Question,
    topics: &[(u32, f32)],
    options: &SearchOptions,
) -> Option<Vec<Feature>> {
    let (weights, seed) = (&options.weights, options.seed);
    let task = task_of(question, options.checks);
    let mut chosen: BTreeMap<String, f32> = BTreeMap::new();
    for package in packages(topics, weights.packages, seed) {
        let topics = package.iter().take(TOLD).filter_map(|(topic, _)| topic_text(collection, *topic)).collect();
        let named = advisor.features(&question.text, &Package { task, topics })?;
        for (text, usefulness) in named.into_iter().take(MOST_FEATURES).filter(|(text, _)| !text.trim().is_empty()) {
            let known = chosen.entry(text).or_default();
            *known = known.max(usefulness.clamp(0.0, 1.0));
        }
    }
    if chosen.is_empty() {
        return None;
    }
    let own = Feature { text: question.text.clone(), usefulness: 1.0 };
    Some(std::iter::once(own).chain(chosen.into_iter().map(|(text, usefulness)| Feature { text, usefulness })).collect())
}

/// A topic in words: its summary, where a language model wrote one; else its entity, its label and its first sentence.
pub(super) fn topic_text(collection: &Collection, topic: u32) -> Option<String> {
    let row = collection.topic_row(topic)?;
    let (name, words) = (collection.entity_name(row.entity), Label::of_number(row.label).words());
    let mut text = if words.is_empty() { name.to_owned() } else { format!("{name}: {words}") };
    let first = collection.evidence_of_topic(topic).first().and_then(|piece| collection.piece(*piece));
    let summary = collection.summary_of(row.entity, row.label).map(str::to_owned);
    let says = summary.or_else(|| {
        let row = first?;
        collection.section(row.section)?.text.get(row.start as usize..row.end as usize).map(str::to_owned)
    });
    if let Some(says) = says {
        text.push_str(". ");
        text.push_str(&sanitise_line(says.trim()));
    }
    Some(text.chars().take(TOPIC).collect())
}
