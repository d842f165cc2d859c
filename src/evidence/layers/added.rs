//! An addition: a file with the documents that were added to a collection, and with those that take the place of others. What it changes
//! in the base is worked out when it is opened, from the documents that it replaces.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::layer::{Layer, Spans};
use super::numbers::Numbers;
use crate::evidence::build::CollectionMeta;
use crate::evidence::segment::{EntityRow, Part, TopicRow};

/// To what an addition belongs, and where its documents stand.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::evidence) struct Beside {
    /// The checksum of the base; with any other base, the addition is out of date.
    pub(in crate::evidence) base: String,
    /// For each of its documents, in order, the document of the base that it replaces; the number of documents of the base for a new one.
    pub(in crate::evidence) places: Vec<u32>,
    /// The ids of the documents that it replaces.
    pub(in crate::evidence) replaces: Vec<String>,
    /// What base and addition are together.
    pub(in crate::evidence) whole: CollectionMeta,
}

/// What is gone from a topic of the base.
#[derive(Debug, Clone, Default)]
pub(super) struct Gone {
    /// Pieces of evidence.
    pub(super) evidence: u32,
    /// For each entity of the base, the mentions.
    pub(super) mentions: BTreeMap<u32, u32>,
}

/// An addition over its base.
#[derive(Debug)]
pub(in crate::evidence) struct Added {
    pub(in crate::evidence) layer: Layer,
    pub(in crate::evidence) beside: Beside,
    pub(in crate::evidence) documents: Numbers,
    pub(in crate::evidence) sections: Numbers,
    pub(in crate::evidence) units: Numbers,
    pub(in crate::evidence) evidence: Numbers,
    pub(in crate::evidence) entities: Numbers,
    pub(in crate::evidence) topics: Numbers,
    /// By topic of the base.
    pub(super) gone: BTreeMap<u32, Gone>,
    /// The topics of the base that lose or gain evidence.
    pub(super) touched: BTreeSet<u32>,
}

/// By what entities are told apart and ordered: the name, and whether the graph knows it.
fn order_of<'l>(layer: &'l Layer, row: &EntityRow) -> (&'l str, bool) {
    (layer.string(row.name), layer.string(row.kind).is_empty())
}

/// A base's checksum as additions state it.
pub(in crate::evidence) fn base_of(base: &Layer) -> String {
    format!("{:016x}", base.segment.checksum())
}

impl Added {
    /// Reads an addition: `Some(None)` if it belongs to another base, `None` if it is damaged.
    pub(in crate::evidence) fn of(base: &Layer, layer: Layer) -> Option<Option<Self>> {
        let beside: Beside = serde_json::from_slice(layer.segment.raw(Part::Beside)).ok()?;
        if beside.base != base_of(base) {
            return Some(None);
        }
        Self::over(base, layer, beside).map(Some)
    }

    /// Lays an addition over its base; `None` if the two do not fit.
    pub(in crate::evidence) fn over(base: &Layer, layer: Layer, beside: Beside) -> Option<Self> {
        let places = &beside.places;
        let known = u32::try_from(base.documents().len()).ok()?;
        let replaced: Vec<u32> = places.iter().copied().filter(|place| *place < known).collect();
        let in_order = places.is_sorted() && replaced.is_sorted_by(|one, next| one < next);
        if places.len() != layer.documents().len() || !in_order || places.last().is_some_and(|last| *last > known) {
            return None;
        }
        let documents = Numbers::of(base.documents().len(), replaced.clone(), places.iter().map(|place| (*place, false)));
        let gone: Vec<Spans> = replaced.iter().map(|document| base.spans_of(*document)).collect();
        // For each document of the addition its own rows, and the rows of the base before which they stand.
        let stands: Vec<(Spans, Option<Spans>)> = (0u32..)
            .zip(places)
            .map(|(own, place)| (layer.spans_of(own), Some(*place).filter(|place| *place < known).map(|place| base.spans_of(place))))
            .collect();
        let numbers = |count: usize, span: fn(&Spans) -> &std::ops::Range<u32>| {
            let removed = gone.iter().flat_map(|spans| span(spans).clone()).collect();
            let places = stands.iter().flat_map(|(own, there)| {
                let before = there.as_ref().map_or(count as u32, |there| span(there).start);
                span(own).clone().map(move |_| (before, false))
            });
            Numbers::of(count, removed, places)
        };
        let sections = numbers(base.sections().len(), |spans| &spans.sections);
        let units = numbers(base.units().len(), |spans| &spans.units);
        let evidence = numbers(base.evidence().len(), |spans| &spans.evidence);

        let gone = Self::gone_from(base, &evidence);
        let entities = Self::entities_of(base, &layer, &gone, &documents)?;
        let mut topic_places: Vec<(u32, bool)> = Vec::with_capacity(layer.topics().len());
        for topic in layer.topics() {
            let own = entities.of_added(topic.entity)?;
            let row = match entities.in_base(own) {
                Some(entity) => TopicRow { entity, label: topic.label },
                // Before the topics of the entity that comes after it in the base.
                None => TopicRow { entity: Self::place_of(base, &layer, layer.entities().get(topic.entity as usize)?).0, label: 0 },
            };
            let place = base.topics().partition_point(|known| *known < row);
            let is_same = entities.in_base(own).is_some() && base.topics().get(place) == Some(&row);
            topic_places.push((u32::try_from(place).ok()?, is_same));
        }
        let mut touched: BTreeSet<u32> = topic_places.iter().filter(|(_, is_same)| *is_same).map(|(place, _)| *place).collect();
        let is_empty =
            |(topic, gone): &(&u32, &Gone)| base.evidence_of_topic(**topic).len() <= gone.evidence as usize && !touched.contains(*topic);
        let removed: Vec<u32> = gone.iter().filter(is_empty).map(|(topic, _)| *topic).collect();
        let topics = Numbers::of(base.topics().len(), removed, topic_places);
        touched.extend(gone.keys());
        Some(Self { layer, beside, documents, sections, units, evidence, entities, topics, gone, touched })
    }

    /// What the documents that are replaced had in the base's topics.
    fn gone_from(base: &Layer, evidence: &Numbers) -> BTreeMap<u32, Gone> {
        let mut gone: BTreeMap<u32, Gone> = BTreeMap::new();
        for piece in evidence.removed() {
            let section = base.evidence().get(*piece as usize).and_then(|row| base.sections().get(row.section as usize));
            let Some(label) = section.map(|section| section.label) else { continue };
            let mentions = base.mentions_of(*piece);
            for entity in mentions {
                let Ok(topic) = base.topics().binary_search(&TopicRow { entity: *entity, label }) else { continue };
                let own = gone.entry(topic as u32).or_default();
                own.evidence += 1;
                mentions.iter().for_each(|mentioned| *own.mentions.entry(*mentioned).or_default() += 1);
            }
        }
        gone
    }

    /// Where an entity of the addition stands in the base, and whether it is there.
    fn place_of(base: &Layer, layer: &Layer, row: &EntityRow) -> (u32, bool) {
        let own = order_of(layer, row);
        let place = base.entities().partition_point(|known| order_of(base, known) < own);
        let is_same = base.entities().get(place).is_some_and(|known| order_of(base, known) == own);
        (place as u32, is_same)
    }

    /// The numbers of entities; `None` if two have one name, so that nobody can tell which is which.
    fn entities_of(base: &Layer, layer: &Layer, gone: &BTreeMap<u32, Gone>, documents: &Numbers) -> Option<Numbers> {
        let places: Vec<(u32, bool)> = layer.entities().iter().map(|row| Self::place_of(base, layer, row)).collect();
        for (at, (place, is_same)) in places.iter().enumerate() {
            let is_twice = |layer: &Layer, at: usize| match (layer.entities().get(at), layer.entities().get(at + 1)) {
                (Some(one), Some(next)) => order_of(layer, one) == order_of(layer, next),
                _ => false,
            };
            if is_twice(layer, at) || (*is_same && is_twice(base, *place as usize)) {
                return None;
            }
        }
        let kept: BTreeSet<u32> = places.iter().filter(|(_, is_same)| *is_same).map(|(place, _)| *place).collect();
        // Entities that lost evidence or a document about them, and have none of either left.
        let mut lost: BTreeSet<u32> =
            gone.keys().filter_map(|topic| base.topics().get(*topic as usize)).map(|topic| topic.entity).collect();
        lost.extend(documents.removed().iter().flat_map(|document| base.subjects_of(*document)));
        lost.retain(|entity| {
            let from = base.topics().partition_point(|topic| topic.entity < *entity);
            let own = (from as u32..).zip(base.topics().get(from..).unwrap_or_default()).take_while(|(_, topic)| topic.entity == *entity);
            let is_empty = |topic: u32| base.evidence_of_topic(topic).len() <= gone.get(&topic).map_or(0, |gone| gone.evidence as usize);
            !kept.contains(entity) && own.map(|(topic, _)| topic).all(is_empty)
        });
        if !lost.is_empty() {
            // A document without a sentence is about its subjects all the same.
            for document in 0..base.documents().len() as u32 {
                if base.spans_of(document).evidence.is_empty() && !documents.is_removed(document) {
                    base.subjects_of(document).iter().for_each(|subject| {
                        lost.remove(subject);
                    });
                }
            }
        }
        Some(Numbers::of(base.entities().len(), lost.into_iter().collect(), places))
    }
}
