//! Has a language model read documents (EbmKG, Eq. 1–4): which sentences are evidence, with keyword and label; which entities they mention; summaries of
//! topics. What the model does not read, for whatever reason, is read by rule and listed with the reason.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::{Value, json};

use super::build::in_graph;
use super::document::{Document, Section};
use super::label::Label;
use super::passage::{sentences, units};
use super::reading::{ReadEvidence, Reading, topic_key, unit_key};
use crate::graph::{Graph, Kind};
use crate::language::prompt::{PromptFor, Template, untrusted};
use crate::language::{Prompts, objects_in};
use crate::model::{CancelToken, Constraint, GeneratorHandle, ModelError, PromptPart, Sampling};
use crate::text::is_cjk;

/// The most characters of a sentence, and of a heading, in a prompt.
const SENTENCE: usize = 600;
const HEADING: usize = 200;
/// The most pieces of evidence of one unit, and entities of one piece.
const MOST_EVIDENCE: usize = 60;
const MOST_ENTITIES: usize = 12;
/// The longest name that is asked for, in characters.
const ASKED_NAME: usize = 80;
/// The most tokens of a reply.
const MAX_TOKENS: usize = 1500;
/// After so many failed calls in a row the model is not asked again.
const FAILURES: usize = 3;
/// The fewest pieces of evidence of a topic that is summed up, how many are summed up at a time, and the longest summary in characters.
const FEWEST: usize = 2;
const BATCH: usize = 20;
const SUMMARY: usize = 800;

/// The paper's labels of evidence about diseases (A.1), and what joins them here.
const OF_DISEASES: [&str; 9] =
    ["symptoms", "causes", "diagnosis", "treatment", "outlook", "risk", "prevention", "complications", "information"];
/// The same about drugs, with boxed warnings, populations and overdose.
const OF_DRUGS: [&str; 12] = [
    "indications",
    "dosage",
    "adverse",
    "contraindications",
    "interactions",
    "precautions",
    "boxed_warning",
    "pregnancy",
    "lactation",
    "pediatric",
    "geriatric",
    "overdose",
];

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelReport {
    /// Units that the model read now.
    pub read: usize,
    /// Documents of which it read a unit now.
    pub documents: usize,
    /// Units that it had read before.
    pub known: usize,
    /// Units that are read by rule, by reason: how many, and the ids of their documents.
    pub by_rule: BTreeMap<String, (usize, Vec<String>)>,
    /// The ids of documents in which the model found no evidence.
    pub without_evidence: Vec<String>,
    /// Topics that it summed up.
    pub topics: usize,
    /// Calls.
    pub calls: usize,
    /// Tokens that it wrote, as far as it says so.
    pub tokens: usize,
}

/// Reads documents by a language model.
pub struct ModelReader<'a> {
    generator: &'a GeneratorHandle,
    prompts: &'a Prompts,
    graph: &'a Graph,
    cancel: &'a CancelToken,
    failures: usize,
    report: ModelReport,
}

/// Why a call gave nothing.
enum Nothing {
    Cancelled,
    Why(String),
}

impl<'a> ModelReader<'a> {
    /// A reader by this model.
    pub fn new(generator: &'a GeneratorHandle, prompts: &'a Prompts, graph: &'a Graph, cancel: &'a CancelToken) -> Self {
        Self { generator, prompts, graph, cancel, failures: 0, report: ModelReport::default() }
    }

    /// Reads what is not in `reading` yet. `each` is told of each document that was read, and may keep what is read so far; it says whether to go on.
    ///
    /// # Errors
    /// [`ModelError::Cancelled`] if it is stopped; every other failure is part of the report.
    pub fn read(
        mut self,
        documents: &[Document],
        mut reading: Reading,
        each: &mut dyn FnMut(usize, &Reading) -> bool,
    ) -> Result<(Reading, ModelReport), ModelError> {
        let by = format!("{}, prompts {}", self.generator.name(), self.prompts.of(PromptFor::Evidence, false).hash);
        if reading.model != by {
            // Another model reads otherwise: a collection is read by one.
            reading = Reading { model: by, ..Reading::default() };
        }
        for (number, document) in documents.iter().enumerate() {
            let mut found = 0;
            let mut failed = false;
            let before = self.report.read;
            for section in &document.sections {
                let all = sentences(&section.text);
                for unit in units(&section.text, &all) {
                    let key = unit_key(&document.title, &section.name, section.text.get(unit.clone()).unwrap_or_default());
                    if let Some(known) = reading.units.get(&key) {
                        self.report.known += 1;
                        found += known.len();
                        continue;
                    }
                    let within: Vec<&Range<usize>> = all.iter().filter(|span| unit.start <= span.start && span.end <= unit.end).collect();
                    match self.unit(document, section, &within) {
                        Ok(evidence) => {
                            self.report.read += 1;
                            found += evidence.len();
                            reading.units.insert(key, evidence);
                        }
                        Err(Nothing::Cancelled) => return Err(ModelError::Cancelled),
                        Err(Nothing::Why(why)) => {
                            failed = true;
                            let (count, ids) = self.report.by_rule.entry(why).or_default();
                            *count += 1;
                            if ids.last() != Some(&document.id) {
                                ids.push(document.id.clone());
                            }
                        }
                    }
                }
            }
            self.report.documents += usize::from(self.report.read > before);
            if found == 0 && !failed {
                self.report.without_evidence.push(document.id.clone());
            }
            if !each(number + 1, &reading) {
                return Err(ModelError::Cancelled);
            }
        }
        self.topics(documents, &mut reading)?;
        Ok((reading, self.report))
    }

    /// The evidence of a unit: two calls, one for the sentences, one for their entities.
    fn unit(&mut self, document: &Document, section: &Section, sentences: &[&Range<usize>]) -> Result<Vec<ReadEvidence>, Nothing> {
        let text = |at: usize| sentences.get(at).and_then(|span| section.text.get((*span).clone())).unwrap_or_default();
        let chinese = is_chinese(text(0));
        let labels = self.labels(document);
        let heading = format!("{}: {}", untrusted(&document.title, HEADING), untrusted(Document::heading_of(section), HEADING));
        let form = Some(evidence_form(sentences.len(), &labels));
        let reply = self.ask((PromptFor::Evidence, chinese), form, |gap| match gap {
            "document" => vec![part(heading.clone())],
            "labels" => vec![part(labels.join(", "))],
            _ => (0..sentences.len()).map(|at| part(format!("{}. {}\n", at + 1, untrusted(text(at), SENTENCE)))).collect(),
        })?;
        let mut evidence = evidence_in(&reply, sentences.len(), &labels, &document.title)
            .ok_or_else(|| Nothing::Why("the language model did not give sentences, a label and a keyword".into()))?;
        if evidence.is_empty() {
            return Ok(evidence);
        }
        let pieces: Vec<String> = evidence.iter().map(|piece| (piece.first..=piece.last).map(text).collect::<Vec<_>>().join(" ")).collect();
        let form = Some(entities_form(evidence.len()));
        let reply = self.ask((PromptFor::EvidenceEntities, chinese), form, |_| {
            let line = |(at, piece): (usize, &String)| part(format!("{}. {}\n", at + 1, untrusted(piece, 2 * SENTENCE)));
            pieces.iter().enumerate().map(line).collect()
        })?;
        let named = entities_in(&reply, evidence.len());
        if named.is_empty() {
            return Err(Nothing::Why("the language model did not give entities for the numbered evidence".into()));
        }
        for (piece, entities) in evidence.iter_mut().zip(1..).filter_map(|(piece, number)| Some((piece, named.get(&number)?))) {
            piece.entities.clone_from(entities);
        }
        Ok(evidence)
    }

    /// The labels that evidence of a document may have: a legal pair has a keyword of the right kind.
    fn labels(&self, document: &Document) -> Vec<&'static str> {
        let names = std::iter::once(&document.title).chain(&document.aliases);
        let kind = names.filter_map(|name| in_graph(self.graph, name)).map(|entity| self.graph.kind(entity)).next();
        match kind {
            Some(Kind::Drug | Kind::DrugClass | Kind::Treatment) => OF_DRUGS.to_vec(),
            Some(Kind::Disease | Kind::Symptom) => OF_DISEASES.to_vec(),
            _ => OF_DISEASES.into_iter().chain(OF_DRUGS).collect(),
        }
    }

    /// Summaries of topics with enough evidence, in batches, and of those where there are several (Eq. 4). A topic whose summary fails has none.
    fn topics(&mut self, documents: &[Document], reading: &mut Reading) -> Result<(), ModelError> {
        let mut topics: BTreeMap<(String, Label), BTreeSet<String>> = BTreeMap::new();
        for (document, section) in documents.iter().flat_map(|document| document.sections.iter().map(move |section| (document, section))) {
            let all = sentences(&section.text);
            for unit in units(&section.text, &all) {
                let key = unit_key(&document.title, &section.name, section.text.get(unit.clone()).unwrap_or_default());
                let within: Vec<&Range<usize>> = all.iter().filter(|span| unit.start <= span.start && span.end <= unit.end).collect();
                for piece in reading.units.get(&key).into_iter().flatten() {
                    let spans = within.get(piece.first..=piece.last.min(within.len().saturating_sub(1))).unwrap_or_default();
                    let (Some(first), Some(last)) = (spans.first(), spans.last()) else { continue };
                    let Some(text) = section.text.get(first.start..last.end) else { continue };
                    let Some(entity) = in_graph(self.graph, &piece.keyword) else { continue };
                    let label = Label::parse(&piece.label).unwrap_or(Label::NONE);
                    topics.entry((self.graph.entity_name(entity).to_owned(), label)).or_default().insert(untrusted(text, SENTENCE));
                }
            }
        }
        for ((entity, label), evidence) in topics.into_iter().filter(|(_, evidence)| evidence.len() >= FEWEST) {
            let key = topic_key(&entity, label);
            if reading.summaries.contains_key(&key) {
                continue;
            }
            let evidence: Vec<String> = evidence.into_iter().collect();
            let topic = format!("{}: {}", untrusted(&entity, HEADING), label.words());
            let mut local = Vec::new();
            for batch in evidence.chunks(BATCH) {
                match self.summary(&topic, batch) {
                    Ok(summary) => local.push(summary),
                    Err(Nothing::Cancelled) => return Err(ModelError::Cancelled),
                    Err(Nothing::Why(_)) => local.clear(),
                }
            }
            let summary = match local.len() {
                0 => continue,
                1 => local.pop(),
                _ => match self.summary(&topic, &local) {
                    Ok(summary) => Some(summary),
                    Err(Nothing::Cancelled) => return Err(ModelError::Cancelled),
                    Err(Nothing::Why(_)) => None,
                },
            };
            if let Some(summary) = summary {
                self.report.topics += 1;
                reading.summaries.insert(key, summary);
            }
        }
        Ok(())
    }

    fn summary(&mut self, topic: &str, evidence: &[String]) -> Result<String, Nothing> {
        let chinese = evidence.first().is_some_and(|text| is_chinese(text));
        let reply = self.ask((PromptFor::TopicSummary, chinese), None, |gap| match gap {
            "topic" => vec![part(topic.to_owned())],
            _ => evidence.iter().map(|text| part(format!("- {text}\n"))).collect(),
        })?;
        Ok(untrusted(&reply, SUMMARY))
    }

    /// The model's reply to a prompt, at temperature 0.
    fn ask(
        &mut self,
        (what, chinese): (PromptFor, bool),
        constraint: Option<Constraint>,
        fill: impl Fn(&str) -> Vec<PromptPart>,
    ) -> Result<String, Nothing> {
        if self.failures >= FAILURES {
            return Err(Nothing::Why(format!("the language model failed {FAILURES} times in a row so Catena stopped asking it")));
        }
        let template: &Template = self.prompts.of(what, chinese);
        let sampling = Sampling { max_tokens: MAX_TOKENS, temperature: 0.0, constraint, ..Sampling::default() };
        let mut text = String::new();
        self.report.calls += 1;
        let written = self.generator.generate(template.fill(fill), sampling, self.cancel, &mut |piece| {
            text.push_str(piece);
            !self.cancel.is_cancelled()
        });
        match written {
            Err(ModelError::Cancelled) => return Err(Nothing::Cancelled),
            Err(error) => {
                self.failures += 1;
                return Err(Nothing::Why(format!("the language model failed ({error})")));
            }
            Ok(generation) => self.report.tokens += generation.new_tokens.unwrap_or(0),
        }
        self.failures = 0;
        if text.trim().is_empty() {
            return Err(Nothing::Why("the language model wrote nothing".into()));
        }
        Ok(text)
    }
}

fn part(text: String) -> PromptPart {
    PromptPart { text, rank: None }
}

fn is_chinese(text: &str) -> bool {
    text.chars().filter(|c| is_cjk(*c)).count() * 3 > text.chars().filter(|c| c.is_alphabetic()).count()
}

/// The form of a reply that [`evidence_in`] reads: of so many sentences, with one of these labels.
fn evidence_form(sentences: usize, labels: &[&str]) -> Constraint {
    let number = number_form(sentences);
    let keyword = json!({ "type": "string", "minLength": 1, "maxLength": ASKED_NAME });
    let label = json!({ "type": "string", "enum": labels });
    let fields = json!({ "first": number, "last": number, "label": label, "keyword": keyword });
    Constraint::json("evidence", list_form(0, MOST_EVIDENCE, fields, &["first", "last", "label", "keyword"]))
}

/// The form of a reply that [`entities_in`] reads: of so many pieces of evidence.
fn entities_form(evidence: usize) -> Constraint {
    let name = json!({ "type": "string", "minLength": 1, "maxLength": ASKED_NAME });
    let names = json!({ "type": "array", "maxItems": MOST_ENTITIES, "items": name });
    let fields = json!({ "number": number_form(evidence), "names": names });
    Constraint::json("entities", list_form(1, evidence.max(1), fields, &["number", "names"]))
}

fn number_form(most: usize) -> Value {
    json!({ "type": "integer", "minimum": 1, "maximum": most.max(1) })
}

fn list_form(fewest: usize, most: usize, fields: Value, required: &[&str]) -> Value {
    let item = json!({ "type": "object", "properties": fields, "required": required, "additionalProperties": false });
    json!({ "type": "array", "minItems": fewest, "maxItems": most, "items": item })
}

/// The evidence that a reply names: a JSON list, or else `3-4 | label | keyword` a line and 0 for none. `None` if nothing can be read.
fn evidence_in(reply: &str, sentences: usize, labels: &[&str], title: &str) -> Option<Vec<ReadEvidence>> {
    let mut found = Vec::new();
    let mut take = |first: usize, last: Option<usize>, label: &str, keyword: Option<&str>| {
        let Some(first) = first.checked_sub(1) else { return };
        let last = last.and_then(|last| last.checked_sub(1)).unwrap_or(first);
        let label = label.to_lowercase().replace(' ', "_");
        if first > last || last >= sentences || !labels.contains(&label.as_str()) || found.len() >= MOST_EVIDENCE {
            return;
        }
        let keyword = keyword.filter(|keyword| !keyword.trim().is_empty()).unwrap_or(title);
        found.push(ReadEvidence { first, last, label, keyword: untrusted(keyword, HEADING), entities: Vec::new() });
    };
    let mut says_none = false;
    if let Some(list) = objects_in(reply) {
        says_none = list.is_empty();
        for piece in &list {
            if let (Some(first), Some(label)) = (number_in(&piece["first"]), piece["label"].as_str()) {
                take(first, number_in(&piece["last"]), label, piece["keyword"].as_str());
            }
        }
    } else {
        for line in reply.lines() {
            let line = line.trim().trim_start_matches(['-', '*', '•', ' ']);
            says_none |= line == "0";
            let mut fields = line.split(['|', '｜']).map(str::trim);
            let (Some(numbers), Some(label)) = (fields.next(), fields.next()) else { continue };
            let mut ends = numbers.split(['-', '–', '—']).filter_map(|number| number.trim().trim_end_matches('.').parse::<usize>().ok());
            let Some(first) = ends.next() else { continue };
            take(first, ends.next(), label, fields.next());
        }
    }
    (says_none || !found.is_empty()).then_some(found)
}

/// The entities that a reply names: a JSON list, or else `2: Name; Name` a line.
fn entities_in(reply: &str, most: usize) -> BTreeMap<usize, Vec<String>> {
    let mut found: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut take = |number: Option<usize>, names: &mut dyn Iterator<Item = &str>| {
        let Some(number) = number.filter(|number| (1..=most).contains(number)) else { return };
        let names = names.map(|name| untrusted(name.trim(), HEADING)).filter(|name| !name.is_empty());
        found.entry(number).or_default().extend(names.take(MOST_ENTITIES));
    };
    if let Some(list) = objects_in(reply) {
        for piece in &list {
            if let Some(names) = piece["names"].as_array() {
                take(number_in(&piece["number"]), &mut names.iter().filter_map(Value::as_str));
            }
        }
        return found;
    }
    for line in reply.lines() {
        let Some((number, names)) = line.split_once([':', '：']) else { continue };
        let digits = number.trim().trim_matches(['[', ']', '(', ')', '.', '-', '*', ' ']);
        take(digits.parse().ok(), &mut names.split([';', '；']));
    }
    found
}

fn number_in(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|number| usize::try_from(number).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::infer::lm::meets;

    #[test]
    fn what_fits_the_forms_is_read() {
        let labels = ["treatment", "symptoms"];
        let form = evidence_form(3, &labels);
        let reply = "[{\"first\": 1, \"last\": 1, \"label\": \"treatment\", \"keyword\": \"Asthma\"}, \
                     {\"first\": 2, \"last\": 3, \"label\": \"symptoms\", \"keyword\": \"哮喘\"}]";
        assert!(meets(&form, reply) && meets(&form, "[]"));
        let found = evidence_in(reply, 3, &labels, "Title").expect("some");
        assert_eq!(
            found.iter().map(|piece| (piece.first, piece.last, piece.label.as_str(), piece.keyword.as_str())).collect::<Vec<_>>(),
            [(0, 0, "treatment", "Asthma"), (1, 2, "symptoms", "哮喘")]
        );
        assert_eq!(evidence_in("[]", 3, &labels, ""), Some(Vec::new()), "none, and said so");
        for wrong in [
            "[{\"first\": 4, \"last\": 4, \"label\": \"treatment\", \"keyword\": \"x\"}]",
            "[{\"first\": 1, \"last\": 1, \"label\": \"dosage\", \"keyword\": \"x\"}]",
            "1 | treatment | Asthma",
        ] {
            assert!(!meets(&form, wrong), "{wrong}");
        }
        // A server may not keep to it: what is not legal is no evidence, and what was not said is the title.
        let loose = "{\"evidence\": [{\"first\": 3, \"last\": 1, \"label\": \"treatment\"}, {\"first\": 2, \"label\": \"Symptoms\"}, \
                     {\"first\": -1, \"label\": \"treatment\"}]}";
        let found = evidence_in(loose, 3, &labels, "Title").expect("some");
        assert_eq!(found.iter().map(|piece| (piece.first, piece.last, piece.keyword.as_str())).collect::<Vec<_>>(), [(1, 1, "Title")]);
        assert_eq!(evidence_in("[{\"first\": 9, \"label\": \"treatment\"}]", 3, &labels, ""), None);

        let form = entities_form(2);
        let reply = "[{\"number\": 1, \"names\": [\"Asthma\", \"Adrenal Cortex Hormones\"]}, {\"number\": 2, \"names\": []}]";
        assert!(meets(&form, reply) && !meets(&form, "[]") && !meets(&form, "1: Asthma"));
        let named = entities_in(reply, 2);
        assert_eq!(named.get(&1).map(Vec::len), Some(2));
        assert_eq!((named.get(&2).map(Vec::len), named.len()), (Some(0), 2));
        assert!(entities_in("[{\"number\": 3, \"names\": [\"x\"]}, {\"number\": 1}]", 2).is_empty());
    }

    #[test]
    fn replies_are_read_leniently_and_within_what_was_asked() {
        let labels = ["treatment", "symptoms"];
        let found =
            evidence_in("- 1 | treatment | Asthma\n2–3 | Symptoms | \n9 | treatment | x\n1 | dosage | x\nSo:\n", 3, &labels, "Title")
                .expect("some");
        assert_eq!(
            found.iter().map(|piece| (piece.first, piece.last, piece.keyword.as_str())).collect::<Vec<_>>(),
            [(0, 0, "Asthma"), (1, 2, "Title")]
        );
        assert_eq!(evidence_in("0", 3, &labels, ""), Some(Vec::new()), "none, and said so");
        for malformed in ["", "There is evidence.", "0 | treatment | x", "3-1 | treatment | x"] {
            assert_eq!(evidence_in(malformed, 3, &labels, ""), None, "{malformed}");
        }
        let named = entities_in("1: Asthma; Adrenal Cortex Hormones\n(2)：\n7: x\nno\n", 2);
        assert_eq!(named.get(&1).map(Vec::len), Some(2));
        assert_eq!((named.get(&2).map(Vec::len), named.len()), (Some(0), 2));
    }
}
