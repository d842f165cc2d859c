//! Normalisation: which concept of a terminology a marked mention means, by exact names first, then by the nearest of all names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Serialize;

use super::{NerCorpus, NerError};
use crate::graph::{EntityId, GraphBuilder, Synonymy};
use crate::language::Knowledge;
use crate::model::{CancelToken, EncoderHandle, VectorsError};
use crate::text::{clean_line, describe_unreadable, open_lines, sanitise_line};

/// How many concepts are looked at for each mention.
const MOST: usize = 5;
/// How many names are looked at for them: a concept has several.
const NAMES: usize = 64;
/// The most names, and the most identifiers, of a term: every identifier gets all names, and a file may be made to fill the memory.
const MOST_OF_TERM: usize = 300;
/// Mentions that are embedded at once.
const PORTION: usize = 512;

/// The concepts of a terminology by their identifier ("D006073", "OMIM:219700"), with their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConceptNames {
    names: BTreeMap<String, BTreeSet<String>>,
    /// How many lines were left out: too long, or of a term that has very many names or identifiers already.
    pub left_out: u64,
}

/// A term of an OBO file, while it is being read.
#[derive(Default)]
struct Term {
    names: Vec<String>,
    ids: Vec<String>,
    is_obsolete: bool,
}

impl ConceptNames {
    /// Reads an OBO file (also packed by gzip): the names and synonyms of its terms, under the MeSH and OMIM identifiers that they refer
    /// to.
    ///
    /// # Errors
    /// If the file cannot be read, or no term refers to MeSH or OMIM.
    pub fn open(path: &Path) -> Result<Self, NerError> {
        let unreadable = |error: &std::io::Error| NerError::Unreadable { path: path.to_owned(), why: describe_unreadable(error) };
        let (mut lines, _) = open_lines(path).map_err(|error| unreadable(&error))?;
        let (mut all, mut term) = (Self::default(), Term::default());
        while let Some(line) = lines.next().map_err(|error| unreadable(&error))? {
            let Ok(text) = line.text else {
                all.left_out += 1;
                continue;
            };
            if text.starts_with('[') {
                all.take(std::mem::take(&mut term));
                continue;
            }
            let is_full = term.names.len() >= MOST_OF_TERM || term.ids.len() >= MOST_OF_TERM;
            match text.split_once(": ") {
                Some(("name" | "synonym" | "xref", _)) if is_full => all.left_out += 1,
                Some(("name", name)) => term.names.push(name.to_owned()),
                // "gout" EXACT []
                Some(("synonym", value)) => {
                    // What is escaped does not end it: \"
                    let inner = value.strip_prefix('"').unwrap_or_default();
                    let end = inner.match_indices('"').map(|(at, _)| at).find(|at| !inner.get(..*at).is_some_and(|it| it.ends_with('\\')));
                    term.names.extend(end.and_then(|end| inner.get(..end)).map(|name| name.replace("\\\"", "\"")));
                }
                Some(("xref", value)) => {
                    let id = value.split_whitespace().next().unwrap_or_default();
                    term.ids.extend(["MESH:", "MSH:", "OMIM:"].iter().any(|source| id.starts_with(source)).then(|| usual_id(id)));
                }
                Some(("is_obsolete", value)) => term.is_obsolete = value.starts_with("true"),
                _ => {}
            }
        }
        all.take(term);
        if all.names.is_empty() { Err(NerError::NoConcepts { path: path.to_owned() }) } else { Ok(all) }
    }

    fn take(&mut self, term: Term) {
        for id in term.ids.iter().filter(|_| !term.is_obsolete) {
            self.names.entry(id.clone()).or_default().extend(term.names.iter().cloned());
        }
    }

    /// Adds the mentions of a corpus that have one concept as names of it.
    pub fn add_marked(&mut self, corpus: &NerCorpus) {
        for (words, concept) in corpus.concepts() {
            if let Concept::One(id) = concept {
                self.names.entry(id).or_default().insert(words.to_owned());
            }
        }
    }

    fn graph(&self) -> crate::graph::Graph {
        let mut builder = GraphBuilder::new("concepts");
        for (id, names) in &self.names {
            let concept = builder.entity(&sanitise_line(id));
            for name in names {
                builder.add_alias(concept, &clean_line(name), Synonymy::Loose);
            }
        }
        builder.finish()
    }
}

/// What the identifier field of a marked mention says.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Concept {
    One(String),
    /// Several concepts, or one of several.
    Several,
    None,
}

impl Concept {
    fn of(field: &str) -> Self {
        match field.trim() {
            "" | "-" | "-1" => Self::None,
            several if several.contains(['|', '+', ',']) => Self::Several,
            one => Self::One(usual_id(one)),
        }
    }
}

/// MeSH identifiers without the name of their source, as the corpora have them.
fn usual_id(id: &str) -> String {
    id.strip_prefix("MESH:").or_else(|| id.strip_prefix("MSH:")).unwrap_or(id).to_owned()
}

impl NerCorpus {
    /// Words and concept of each mention.
    fn concepts(&self) -> impl Iterator<Item = (&str, Concept)> {
        self.texts.iter().flat_map(|text| {
            text.mentions.iter().zip(&text.concepts).map(|(mention, field)| {
                let (begin, end) = mention.span();
                (text.text.get(begin..end).unwrap_or_default(), Concept::of(field))
            })
        })
    }
}

/// How well mentions are linked to their concepts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NormalisationReport {
    /// Mentions with one concept; the shares are of them.
    pub mentions: usize,
    /// Mentions of several concepts at once, which are left out.
    pub composite: usize,
    /// Mentions without a concept, which are left out.
    pub without_concept: usize,
    /// Mentions whose concept the terminology has.
    pub reachable: usize,
    /// The share of which the first concept with exactly these words as its name is the right one.
    pub exact: f64,
    /// The share of which the first concept is the right one.
    pub accuracy_at_1: f64,
    /// The share with the right one among the first five.
    pub accuracy_at_5: f64,
    /// How many concepts the terminology has.
    pub concepts: usize,
    /// The encoder.
    pub encoder: String,
}

impl NormalisationReport {
    /// Links each mention of the corpus that has one concept.
    ///
    /// # Errors
    /// If the corpus has no identifiers, the encoder fails or `cancel` is set.
    pub fn of(corpus: &NerCorpus, names: &ConceptNames, encoder: &EncoderHandle, cancel: &CancelToken) -> Result<Self, NormaliseError> {
        let all: Vec<(&str, Concept)> = corpus.concepts().collect();
        let count = |wanted: &Concept| all.iter().filter(|(_, concept)| concept == wanted).count();
        let (composite, without_concept) = (count(&Concept::Several), count(&Concept::None));
        let wanted: Vec<(&str, &str)> = all
            .iter()
            .filter_map(|(words, concept)| if let Concept::One(id) = concept { Some((*words, id.as_str())) } else { None })
            .collect();
        if wanted.is_empty() {
            return Err(NormaliseError::NoIdentifiers);
        }
        let knowledge = Knowledge::prepare(names.graph(), encoder).map_err(VectorsError::Model)?;
        let (mut exact, mut first, mut among) = (0, 0, 0);
        for portion in wanted.chunks(PORTION) {
            let texts = portion.iter().map(|(words, _)| (*words).to_owned()).collect();
            let vectors = encoder.encode_until(texts, cancel).map_err(VectorsError::Model)?.normalised();
            let nearest = knowledge.nearest_names(knowledge.vectors(), &vectors, NAMES, 0.0)?;
            for ((words, id), near) in portion.iter().zip(nearest) {
                let by_name = knowledge.graph.names().lookup(words);
                let is_it = |entity: EntityId| knowledge.graph.entity_name(entity) == *id;
                exact += usize::from(by_name.first().is_some_and(|(entity, is_exact)| *is_exact && is_it(*entity)));
                let mut ranked: Vec<EntityId> = Vec::new();
                for entity in by_name.into_iter().map(|(entity, _)| entity).chain(near.into_iter().map(|(row, _)| knowledge.named_by(row)))
                {
                    if !ranked.contains(&entity) {
                        ranked.push(entity);
                    }
                }
                first += usize::from(ranked.first().copied().is_some_and(is_it));
                among += usize::from(ranked.into_iter().take(MOST).any(is_it));
            }
        }
        let share = |hits: usize| hits as f64 / wanted.len() as f64;
        Ok(Self {
            mentions: wanted.len(),
            composite,
            without_concept,
            reachable: wanted.iter().filter(|(_, id)| names.names.contains_key(*id)).count(),
            exact: share(exact),
            accuracy_at_1: share(first),
            accuracy_at_5: share(among),
            concepts: names.names.len(),
            encoder: encoder.name().to_owned(),
        })
    }

    /// As a table.
    pub fn table(&self) -> String {
        let Self { mentions, composite, without_concept, reachable, concepts, .. } = self;
        [
            format!("{mentions} mentions with one concept; left out: {composite} with several, {without_concept} without one"),
            format!("{concepts} concepts; {reachable} of the mentions mean one of them"),
            format!("{:<24} {:.4}", "exact name alone", self.exact),
            format!("{:<24} {:.4}", "accuracy@1", self.accuracy_at_1),
            format!("{:<24} {:.4}", format!("accuracy@{MOST}"), self.accuracy_at_5),
            format!("{:<24} {}", "encoder", sanitise_line(&self.encoder)),
        ]
        .join("\n")
    }
}

/// Why linking to concepts cannot be measured.
#[derive(Debug, thiserror::Error)]
pub enum NormaliseError {
    /// The corpus has no identifiers.
    #[error(
        "no mention of this file has one concept's identifier, so there is nothing to compare with; give a PubTator file, whose sixth field is the identifier"
    )]
    NoIdentifiers,
    /// The encoder or its vectors failed.
    #[error(transparent)]
    Vectors(#[from] VectorsError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::infer::StaticEncoder;

    #[test]
    fn synonyms_end_at_their_quote_and_no_term_fills_the_memory() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.obo");
        let names: String = (0..MOST_OF_TERM + 5).map(|name| format!("synonym: \"s{name}\" EXACT []\n")).collect();
        let text = format!(
            "[Term]\nname: gout\nsynonym: \"so \\\"called\\\" gout\" EXACT [MESH:D1 \"of somebody\"]\nxref: MESH:D1\n\n[Term]\nxref: MESH:D2\n{names}"
        );
        std::fs::write(&path, text).expect("written");
        let read = ConceptNames::open(&path).expect("reads");
        assert_eq!(read.names["D1"].iter().collect::<Vec<_>>(), ["gout", "so \"called\" gout"]);
        assert_eq!((read.names["D2"].len(), read.left_out), (MOST_OF_TERM, 5));
    }

    const OBO: &str = "format-version: 1.2\n\n[Term]\nid: DOID:1\nname: gout\nsynonym: \"urate arthritis\" EXACT []\nxref: MESH:D006073\nxref: ICD9CM:274\n\n\
        [Term]\nid: DOID:2\nname: cystic fibrosis\nxref: MESH:D003550\nxref: OMIM:219700\n\n\
        [Term]\nid: DOID:3\nname: old gout\nxref: MESH:D000001\nis_obsolete: true\n\n[Typedef]\nid: part_of\nname: part of\n";
    const CORPUS: &str = "1|t|Gouts\n1|a|and urate arthritis, CF, mucoviscidosis, both\n\
        1\t0\t5\tGouts\tDisease\tD006073\n1\t10\t25\turate arthritis\tDisease\tMESH:D006073\n1\t27\t29\tCF\tDisease\tD003550\n\
        1\t31\t45\tmucoviscidosis\tDisease\tD999999\n1\t47\t51\tboth\tCompositeMention\tD006073|D003550\n";

    #[test]
    fn mentions_are_linked_by_exact_names_and_then_by_the_nearest() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("written");
            path
        };
        let mut names = ConceptNames::open(&write("a.obo", OBO)).expect("reads");
        assert_eq!(names.names.keys().collect::<Vec<_>>(), ["D003550", "D006073", "OMIM:219700"], "no obsolete term");
        let corpus = NerCorpus::open(&write("a.txt", CORPUS)).expect("reads");
        let encoder = EncoderHandle::start(StaticEncoder::NAME, StaticEncoder::built_in).expect("a thread");
        let report = |names: &ConceptNames| NormalisationReport::of(&corpus, names, &encoder, &CancelToken::new()).expect("links");
        let without = report(&names);
        assert_eq!((without.mentions, without.composite, without.without_concept, without.reachable), (4, 1, 0, 3));
        assert_eq!(without.exact, 0.25, "only the synonym is written as the terminology has it");
        assert!(without.accuracy_at_1 >= 0.5, "an inflected name is found, too: {without:?}");
        let training = NerCorpus::open(&write("b.txt", "2|t|CF\n2|a|x\n2\t0\t2\tCF\tDisease\tD003550\n")).expect("reads");
        names.add_marked(&training);
        let with = report(&names);
        assert_eq!(with.exact, 0.5, "a marked mention is a name: {with:?}");
        assert!(with.accuracy_at_1 >= 0.75 && with.accuracy_at_5 <= 0.75, "nothing links to a concept that is not there: {with:?}");
        assert!(matches!(ConceptNames::open(&write("b.obo", "[Term]\nname: gout\n")), Err(NerError::NoConcepts { .. })));
        let iob = NerCorpus::open(&write("c.tsv", "Gout\tB-Disease\n")).expect("reads");
        let refused = NormalisationReport::of(&iob, &names, &encoder, &CancelToken::new());
        assert!(matches!(refused, Err(NormaliseError::NoIdentifiers)), "{refused:?}");
    }
}
