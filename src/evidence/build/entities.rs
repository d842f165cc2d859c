//! Entities: what documents are about, and what their evidence mentions, normalised to the graph's entities where it has them (EbmKG, Eq. 2–3).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fst::Map;
use rayon::prelude::*;

use super::analyse::Analysis;
use crate::evidence::document::Document;
use crate::evidence::names::{NameParts, Names, forms, longest_at};
use crate::graph::{EntityId, Graph};
use crate::language::common_words::only_common;
use crate::text::{Token, fold};

/// The most entities that a document is about.
const MOST_SUBJECTS: usize = 6;

/// An entity before it has its number: one of the graph, or what a document is about and the graph does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Found {
    /// Of the graph.
    Graph(EntityId),
    /// A title, by its number in [`Subjects`].
    Own(u32),
}

/// What the documents are about.
pub(super) struct Subjects {
    /// Titles that the graph does not know, in order.
    pub(super) titles: Vec<String>,
    /// For each document, what it is about: its title first.
    pub(super) of_document: Vec<Vec<Found>>,
    /// Names of the titles, for finding them in texts.
    map: Option<Map<Vec<u8>>>,
    starts: Vec<u32>,
    entities: Vec<u32>,
    /// Further names: of titles, and of entities of the graph.
    pub(super) names: Vec<(String, Found)>,
}

/// The graph's entity of a name; the first where it has several.
pub(in crate::evidence) fn in_graph(graph: &Graph, name: &str) -> Option<EntityId> {
    forms(name).into_iter().find_map(|form| graph.names().lookup(form).first().map(|(entity, _)| *entity))
}

impl Subjects {
    pub(super) fn of(documents: &[Document], graph: &Graph) -> Self {
        let of_title =
            |document: &Document| Some(document.title.as_str()).filter(|title| !title.is_empty()).map(|title| in_graph(graph, title));
        let of_titles: Vec<Option<Option<EntityId>>> = documents.par_iter().map(of_title).collect();
        // Titles that fold alike are one.
        let mut by_fold: BTreeMap<String, &str> = BTreeMap::new();
        for (document, _) in documents.iter().zip(&of_titles).filter(|(_, known)| **known == Some(None)) {
            by_fold.entry(fold(&document.title)).or_insert(&document.title);
        }
        let numbers: HashMap<&str, u32> = by_fold.keys().map(String::as_str).zip(0..).collect();
        let titles: Vec<String> = by_fold.values().map(|title| (*title).to_owned()).collect();
        let mut names = Vec::new();
        let mut of_document = Vec::with_capacity(documents.len());
        for (document, of_title) in documents.iter().zip(of_titles) {
            let own = numbers.get(fold(&document.title).as_str()).map(|number| Found::Own(*number));
            let main = own.or_else(|| of_title.flatten().map(Found::Graph));
            let mut found: Vec<Found> = main.into_iter().collect();
            for alias in &document.aliases {
                if let Some(main) = main {
                    names.push((alias.clone(), main));
                }
                let of_graph = in_graph(graph, alias).map(Found::Graph);
                found.extend(of_graph.filter(|of_graph| !found.contains(of_graph) && found.len() < MOST_SUBJECTS));
            }
            if let Some(main) = main {
                names.push((document.title.clone(), main));
            }
            of_document.push(found);
        }
        names.sort();
        names.dedup();
        let mut gazetteer = Names::default();
        for (name, found) in &names {
            if let Found::Own(number) = found {
                gazetteer.add(name, *number);
            }
        }
        let NameParts { map, starts, entities } = gazetteer.parts();
        Self { titles, of_document, map: Map::new(map).ok(), starts, entities, names }
    }

    /// The same names, with what only some of the documents are about.
    pub(super) fn only(mut self, documents: &[usize]) -> Self {
        self.of_document = documents.iter().filter_map(|document| self.of_document.get(*document).cloned()).collect();
        self
    }

    /// The longest name that begins at a token, of a title or of the graph: one past its last token, and the entities.
    pub(super) fn longest_at(&self, graph: &Graph, tokens: &[Token], first: usize) -> Option<(usize, Vec<Found>)> {
        let own = self.map.as_ref().and_then(|map| longest_at(map, tokens, first));
        let own_last = own.map_or(first, |(last, _)| last);
        let hit = graph.names().longest_at(tokens, first).filter(|hit| hit.last >= own_last);
        if let Some(hit) = hit.filter(|hit| tokens.get(first..hit.last).is_some_and(|words| !only_common(words))) {
            return Some((hit.last, hit.entities.first().map(|(entity, _)| Found::Graph(*entity)).into_iter().collect()));
        }
        let (last, number) = own?;
        let range = *self.starts.get(number as usize)? as usize..*self.starts.get(number as usize + 1)? as usize;
        Some((last, self.entities.get(range)?.iter().take(2).map(|entity| Found::Own(*entity)).collect()))
    }
}

/// The entities of a collection with their numbers: in the order of their names.
pub(super) struct EntityTable {
    rows: Vec<Found>,
    numbers: HashMap<Found, u32>,
    /// Their names.
    pub(super) names: Vec<String>,
}

impl EntityTable {
    pub(super) fn of(subjects: &Subjects, analyses: &[Analysis], graph: &Graph) -> Self {
        let mut used: BTreeSet<Found> = subjects.of_document.iter().flatten().copied().collect();
        used.extend(analyses.iter().flat_map(|analysis| &analysis.sections).flat_map(|section| section.mentions.iter().flatten()));
        let name = |found: &Found| match found {
            Found::Graph(entity) => graph.entity_name(*entity).to_owned(),
            Found::Own(number) => subjects.titles.get(*number as usize).cloned().unwrap_or_default(),
        };
        let mut rows: Vec<(String, Found)> = used.iter().map(|found| (name(found), *found)).collect();
        rows.sort();
        let numbers = rows.iter().zip(0..).map(|((_, found), number)| (*found, number)).collect();
        let (names, rows) = rows.into_iter().unzip();
        Self { rows, numbers, names }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn graph_entities(&self) -> usize {
        self.rows.iter().filter(|found| matches!(found, Found::Graph(_))).count()
    }

    pub(super) fn rows(&self) -> &[Found] {
        &self.rows
    }

    pub(super) fn number(&self, found: &Found) -> Option<u32> {
        self.numbers.get(found).copied()
    }

    /// All names: their own, and for entities of the graph its aliases.
    pub(super) fn all_names(&self, subjects: &Subjects, graph: &Graph) -> Names {
        let mut names = Names::default();
        for (number, found) in (0..).zip(&self.rows) {
            match found {
                Found::Graph(entity) => {
                    names.add(graph.entity_name(*entity), number);
                    graph.aliases(*entity).for_each(|alias| names.add(alias, number));
                }
                Found::Own(title) => {
                    if let Some(title) = subjects.titles.get(*title as usize) {
                        names.add(title, number);
                    }
                }
            }
        }
        for (name, found) in &subjects.names {
            if let Some(number) = self.number(found) {
                names.add(name, number);
            }
        }
        names
    }
}
