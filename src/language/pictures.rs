//! Clinical pictures: which conditions are described in the words of a question, whether its complaints link to names or not.
//!
//! Each condition is a document: its names and description, the words in which it is told, and made-up cases of it; without cases, the names of its
//! findings, red flags and risk factors. The question's words rank the documents by BM25 (Robertson and Zaragoza, *The Probabilistic Relevance Framework*, 2009, Eq. 3.15). "Swung her round by the
//! hands, now she won't use the arm" names no finding of the graph, and yet no document but that of a pulled elbow has these words.
//!
//! A picture is no proof. It adds to what the findings explain, and it lets a finding of a likely condition be read from half of its words.

use std::collections::{HashMap, HashSet};

use super::denying::lacks_denial;
use super::recognise::Span;
use super::reordered_names::form_of;
use crate::graph::{EntityId, Facts, Graph, Kind, Role, qualifier_keys as keys};
use crate::text::{Token, tokenise};

/// BM25's saturation of a word's weight, and how much a document's length counts.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.6;
/// The weight of a word in a condition's own name, and in its description.
const IN_NAME: f64 = 1.0;
const IN_DESCRIPTION: f64 = 0.5;
/// The weight of a word in the words in which the condition is told, where the graph has them (attribute `picture`).
const IN_PICTURE: f64 = 1.0;
/// The weight of a word in each of the cases of the condition (attributes `case_a` …).
const IN_CASE: f64 = 0.8;
/// The same of the further cases (attributes `case_f` …).
const IN_FURTHER_CASE: f64 = 0.4;
/// A picture is clear from this BM25 score on, if the next condition's is so much lower. Of 448 questions that name a leading condition and that
/// nobody wrote for this, 324 had a clear picture, of the right condition in 308 (BM25 over these texts with nearly these weights; record 122).
const CLEAR: f64 = 20.0;
const CLEARLY_BETTER: f64 = 1.2;
/// The same of a picture that is to be named whatever is asked.
const UNMISTAKABLE: f64 = 28.0;
const UNMISTAKABLY_BETTER: f64 = 1.5;
/// The weight of a word in the names of a feature of a condition without cases: the first, and what each further name adds, up to so many. With cases,
/// these names do harm: BM25 puts 0.93 of 58 unseen leading conditions first without them, and 0.79 with them (record 122).
const IN_FEATURE: f64 = 0.35;
const IN_FURTHER: f64 = 0.175;
const MOST_NAMES_OF_FEATURE: f64 = 4.0;
/// Graphs with more names have no pictures: the index would take seconds to make.
const MOST_NAMES: usize = 300_000;
/// The share of the weight of a name that must be said for a finding of a likely condition, and the fewest words of it that tell something:
/// so rare that they are not in two of five pictures.
const SAID: f64 = 0.5;
const FEWEST: usize = 2;
const TELLING: f64 = 1.0;
/// The least weight of the words that say it: two words that are not in every document.
const LEAST: f64 = 5.0;
/// The most words from the first to the last that say it.
const WITHIN: usize = 16;

/// The conditions of a graph as documents, by their words.
#[derive(Debug, Default)]
pub(crate) struct Pictures {
    forms: HashMap<String, usize>,
    /// The form of each word met while the index is made, so that a word is stemmed once; empty afterwards.
    met: HashMap<String, Option<usize>>,
    /// How rare each form is, as the logarithm of the odds against it: among the documents and the names of their findings …
    rarity: Vec<f64>,
    /// … and among the documents alone.
    rarity_told: Vec<f64>,
    /// The documents with a form, and its weight in each.
    postings: Vec<Vec<(usize, f64)>>,
    conditions: Vec<EntityId>,
    /// Those of which the graph has cases.
    told: HashSet<EntityId>,
    lengths: Vec<f64>,
    mean_length: f64,
}

/// The words of a question that may tell of the patient: the number of the form of each token; `None` for the others.
pub(crate) type Words = Vec<Option<usize>>;

/// A condition whose picture fits clearly better than every other's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Recognised {
    pub(crate) condition: EntityId,
    /// Clearly better than every other, so that tests and treatments for it are named, too.
    pub(crate) clear: bool,
    /// By so much that it is to be named whatever the question asks.
    pub(crate) unmistakable: bool,
    /// Told much like a condition that it comes of, or that comes of it, of which one is an emergency: the findings tell them apart.
    pub(crate) is_like_kin: bool,
}

/// The condition whose picture fits clearly better than every other's, of a ranking by [`Pictures::rank`]. `is_kin`: whether two conditions are
/// told alike because one is a kind of the other, or comes from it.
pub(crate) fn clear_picture(ranked: &[(EntityId, f64)], is_kin: impl Fn(EntityId, EntityId) -> bool) -> Option<Recognised> {
    let (condition, best) = ranked.first()?;
    let next = ranked.iter().skip(1).find(|(other, _)| !is_kin(*condition, *other)).map_or(0.0, |(_, score)| *score);
    let unmistakable = *best >= UNMISTAKABLE && *best >= UNMISTAKABLY_BETTER * next;
    (*best >= CLEAR && *best >= CLEARLY_BETTER * next).then_some(Recognised {
        condition: *condition,
        clear: true,
        unmistakable,
        is_like_kin: false,
    })
}

/// A finding that a question says in part.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PartlySaid {
    pub(crate) span: Span,
    /// The share of the name's weight that is said.
    pub(crate) share: f64,
}

impl Pictures {
    /// The pictures of a graph's conditions; none if it has too many names.
    pub(crate) fn of(graph: &Graph) -> Self {
        let mut pictures = Self::default();
        if graph.name_count() > MOST_NAMES {
            return pictures;
        }
        let facts = Facts::of(graph);
        let mut of_feature: HashMap<EntityId, Vec<(usize, f64)>> = HashMap::new();
        for entity in (0..graph.entity_count()).filter_map(|at| u32::try_from(at).ok()).map(EntityId) {
            if !matches!(graph.kind(entity), Kind::Disease) {
                continue;
            }
            let players = facts.players(entity);
            let players = players.iter().filter(|fact| matches!(fact.role, Role::Symptom | Role::RedFlag | Role::RiskFactor));
            let caused = facts.owners_of_role(entity, Role::Cause).filter(|other| matches!(graph.kind(*other), Kind::Symptom));
            let mut features: Vec<EntityId> = players.map(|fact| fact.other).chain(caused).collect();
            features.sort_unstable();
            features.dedup();
            let attributes = graph.attributes(entity);
            let is_told = keys::CASES.iter().any(|key| attributes.get(key).is_some());
            if features.is_empty() && !is_told {
                continue;
            }
            let mut words: HashMap<usize, f64> = HashMap::new();
            for name in std::iter::once(graph.entity_name(entity)).chain(graph.aliases(entity)) {
                for form in pictures.forms_of(name) {
                    words.insert(form, IN_NAME);
                }
            }
            for form in pictures.forms_of(graph.description(entity)) {
                *words.entry(form).or_default() += IN_DESCRIPTION;
            }
            for feature in features {
                let of_feature = of_feature.entry(feature).or_insert_with(|| pictures.feature(graph, feature));
                // Where cases tell how it is told, the names of its findings only say how rare their words are.
                for (form, weight) in of_feature.iter() {
                    *words.entry(*form).or_default() += if is_told { 0.0 } else { *weight };
                }
            }
            let told: Vec<&str> = [keys::PICTURE, keys::PICTURE_ZH].into_iter().filter_map(|key| attributes.get(key)).collect();
            for form in pictures.forms_of(&told.join(" ; ")) {
                *words.entry(form).or_default() += IN_PICTURE;
            }
            let weighed = keys::CASES.map(|key| (key, IN_CASE)).into_iter().chain(keys::FURTHER_CASES.map(|key| (key, IN_FURTHER_CASE)));
            for (case, weight) in weighed.filter_map(|(key, weight)| attributes.get(key).map(|case| (case, weight))) {
                pictures.told.insert(entity);
                for form in pictures.forms_of(case) {
                    *words.entry(form).or_default() += weight;
                }
            }
            pictures.add(entity, words);
        }
        pictures.met = HashMap::new();
        let documents = pictures.conditions.len() as f64;
        let rarity = |of: usize| (1.0 + (documents - of as f64 + 0.5) / (of as f64 + 0.5)).ln();
        pictures.rarity = pictures.postings.iter().map(|of| rarity(of.len())).collect();
        pictures.postings.iter_mut().for_each(|of| of.retain(|(_, weight)| *weight > 0.0));
        pictures.rarity_told = pictures.postings.iter().map(|of| rarity(of.len())).collect();
        pictures.mean_length = pictures.lengths.iter().sum::<f64>() / documents.max(1.0);
        pictures
    }

    fn add(&mut self, condition: EntityId, words: HashMap<usize, f64>) {
        let document = self.conditions.len();
        self.conditions.push(condition);
        let mut words: Vec<(usize, f64)> = words.into_iter().collect();
        words.sort_unstable_by_key(|(form, _)| *form);
        // Added up in a fixed order: a sum that differs in its last digit can turn a ranking round.
        self.lengths.push(words.iter().map(|(_, weight)| weight).sum());
        for (form, weight) in words {
            if let Some(postings) = self.postings.get_mut(form) {
                postings.push((document, weight));
            }
        }
    }

    /// The forms in the names of a feature, with their weights.
    fn feature(&mut self, graph: &Graph, feature: EntityId) -> Vec<(usize, f64)> {
        let mut names: HashMap<usize, f64> = HashMap::new();
        for name in std::iter::once(graph.entity_name(feature)).chain(graph.aliases(feature)) {
            for form in self.forms_of(name) {
                *names.entry(form).or_default() += 1.0;
            }
        }
        let mut weights: Vec<(usize, f64)> =
            names.into_iter().map(|(form, names)| (form, IN_FEATURE + IN_FURTHER * names.min(MOST_NAMES_OF_FEATURE))).collect();
        weights.sort_unstable_by_key(|(form, _)| *form);
        weights
    }

    /// The forms of a text, each once; new ones get a number.
    fn forms_of(&mut self, text: &str) -> Vec<usize> {
        let tokens = tokenise(text);
        let mut forms: Vec<usize> = (0..tokens.len()).filter_map(|at| self.number_at(&tokens, at)).collect();
        forms.sort_unstable();
        forms.dedup();
        forms
    }

    /// The number of the form at a token; a new form gets one.
    fn number_at(&mut self, tokens: &[Token], at: usize) -> Option<usize> {
        let word = tokens.get(at).filter(|token| !token.cjk).map(|token| token.text.as_str());
        if let Some(known) = word.and_then(|word| self.met.get(word)) {
            return *known;
        }
        let number = form_at(tokens, at).map(|form| {
            let next = self.postings.len();
            let number = *self.forms.entry(form).or_insert(next);
            if number == next {
                self.postings.push(Vec::new());
            }
            number
        });
        if let Some(word) = word {
            self.met.insert(word.to_owned(), number);
        }
        number
    }

    /// The words of a question. `tells`: whether a token may tell of the patient.
    pub(crate) fn words(&self, tokens: &[Token], tells: impl Fn(usize) -> bool) -> Words {
        (0..tokens.len()).map(|at| if tells(at) { self.forms.get(&form_at(tokens, at)?).copied() } else { None }).collect()
    }

    /// Adds the words of a name that was read, apart from what the question says itself.
    pub(crate) fn add_name(&self, words: &mut Words, name: &str) {
        words.extend([None; WITHIN]);
        let tokens = tokenise(name);
        words.extend(self.words(&tokens, |_| true));
    }

    /// Whether the graph has cases of a condition. How far a score must be from the next to be sure was measured with them alone.
    pub(crate) fn is_told(&self, condition: EntityId) -> bool {
        self.told.contains(&condition)
    }

    /// How well the document of a condition fits the words; 0 if it has none.
    pub(crate) fn score(&self, words: &Words, condition: EntityId) -> f64 {
        self.rank(words, usize::MAX).into_iter().find(|(ranked, _)| *ranked == condition).map_or(0.0, |(_, score)| score)
    }

    /// Conditions by how well their documents fit the words, best first, at most `most`.
    pub(crate) fn rank(&self, words: &Words, most: usize) -> Vec<(EntityId, f64)> {
        let mut said: Vec<usize> = words.iter().flatten().copied().collect();
        said.sort_unstable();
        said.dedup();
        let mut scores = vec![0.0; self.conditions.len()];
        for form in said {
            let rarity = self.rarity_told.get(form).copied().unwrap_or_default();
            for (document, weight) in self.postings.get(form).into_iter().flatten() {
                let length = self.lengths.get(*document).copied().unwrap_or_default() / self.mean_length.max(f64::MIN_POSITIVE);
                let saturated = weight * (SATURATION + 1.0) / (weight + SATURATION * (1.0 - LENGTH + LENGTH * length));
                if let Some(score) = scores.get_mut(*document) {
                    *score += rarity * saturated;
                }
            }
        }
        let mut ranked: Vec<(EntityId, f64)> = self.conditions.iter().copied().zip(scores).filter(|(_, score)| *score > 0.0).collect();
        ranked.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        ranked.truncate(most);
        ranked
    }

    /// Whether the words say a finding in part: most of the weight of one of its names, close together. The best of its names counts.
    /// `together`: whether two tokens may say it together, because they stand in one sentence.
    pub(crate) fn partly_said(
        &self,
        graph: &Graph,
        finding: EntityId,
        (tokens, words): (&[Token], &Words),
        together: &dyn Fn(usize, usize) -> bool,
    ) -> Option<PartlySaid> {
        let mut best: Option<PartlySaid> = None;
        for name in std::iter::once(graph.entity_name(finding)).chain(graph.aliases(finding)) {
            let is_meant =
                |said: &PartlySaid| has_head(name, tokens, said.span, together) && !lacks_denial(&tokenise(name), tokens, said.span);
            let said = self.name_said(name, words, together).filter(is_meant);
            if said.as_ref().is_some_and(|said| best.as_ref().is_none_or(|best| said.share > best.share)) {
                best = said;
            }
        }
        best
    }

    fn name_said(&self, name: &str, words: &Words, together: &dyn Fn(usize, usize) -> bool) -> Option<PartlySaid> {
        let tokens = tokenise(name);
        let mut forms: Vec<usize> = (0..tokens.len()).filter_map(|at| self.forms.get(&form_at(&tokens, at)?).copied()).collect();
        forms.sort_unstable();
        forms.dedup();
        let weight = |form: &usize| self.rarity.get(*form).copied().unwrap_or_default();
        let all: f64 = forms.iter().map(weight).sum();
        // The window that says the most of it.
        let places: Vec<(usize, usize)> =
            words.iter().enumerate().filter_map(|(at, form)| form.filter(|form| forms.contains(form)).map(|form| (at, form))).collect();
        let mut best: Option<(f64, usize, Span)> = None;
        for (number, (first, _)) in places.iter().enumerate() {
            let mut seen: Vec<usize> = Vec::new();
            let mut last = *first;
            for (at, form) in places.iter().skip(number).take_while(|(at, _)| at - first < WITHIN && together(*first, *at)) {
                if !seen.contains(form) {
                    seen.push(*form);
                    last = *at;
                }
            }
            let said: f64 = seen.iter().map(weight).sum();
            if best.as_ref().is_none_or(|(most, ..)| said > *most) {
                let telling = seen.iter().filter(|form| weight(form) >= TELLING).count();
                best = Some((said, telling, Span { first: *first, last: last + 1 }));
            }
        }
        let (said, count, span) = best?;
        let share = said / all.max(f64::MIN_POSITIVE);
        (count >= FEWEST && said >= LEAST && share >= SAID).then_some(PartlySaid { span, share })
    }
}

/// Whether a sentence that says part of a Chinese name says what it is about, its last character: without a pain, 静息 is no 静息痛.
fn has_head(name: &str, tokens: &[Token], span: Span, together: &dyn Fn(usize, usize) -> bool) -> bool {
    let Some(head) = tokenise(name).pop().filter(|token| token.cjk) else { return true };
    tokens.iter().enumerate().any(|(at, token)| token.text == head.text && together(at.min(span.first), at.max(span.first)))
}

/// The form of the word at a token; of a Chinese character, with the next one.
fn form_at(tokens: &[Token], at: usize) -> Option<String> {
    let token = tokens.get(at)?;
    if !token.cjk {
        return form_of(token);
    }
    let next = tokens.get(at + 1).filter(|next| next.cjk && !next.after_break)?;
    Some(format!("{}{}", token.text, next.text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{GraphBuilder, RoleRules};

    const FACTS: [(&str, &str); 8] = [
        ("Pulled elbow", "Arm held still after a pull on the hand"),
        ("Pulled elbow", "Elbow pain"),
        ("Fracture", "Arm pain"),
        ("Fracture", "Swelling of the arm"),
        ("Lyme disease", "Growing round rash, pale in the middle"),
        ("Lyme disease", "Tick bite"),
        ("Ringworm", "Round itchy rash"),
        ("Gastroenteritis", "Vomiting"),
    ];

    fn graph() -> Graph {
        let rules = RoleRules::built_in().expect("rules");
        let mut builder = GraphBuilder::new("t");
        let has_symptom = builder.relation(rules.guess("has_symptom")).expect("room");
        for (condition, finding) in FACTS {
            let (condition, finding) = (builder.entity(condition), builder.entity(finding));
            builder.set_kind(condition, Kind::Disease);
            builder.set_kind(finding, Kind::Symptom);
            builder.triple(condition, has_symptom, finding);
        }
        builder.finish()
    }

    fn ranked(text: &str) -> Vec<String> {
        let graph = graph();
        let pictures = Pictures::of(&graph);
        let words = pictures.words(&tokenise(text), |_| true);
        pictures.rank(&words, 9).into_iter().map(|(condition, _)| graph.entity_name(condition).to_owned()).collect()
    }

    #[test]
    fn the_condition_whose_words_the_question_has_comes_first() {
        assert_eq!(ranked("I pulled her up by the hand, now she holds the arm still").first().map(String::as_str), Some("Pulled elbow"));
        assert_eq!(ranked("a round patch grows every day, paler in the middle").first().map(String::as_str), Some("Lyme disease"));
        assert!(ranked("which broadband is cheapest").is_empty());
    }

    /// BM25 written down from its definition.
    #[test]
    fn the_score_is_bm25() {
        let graph = graph();
        let pictures = Pictures::of(&graph);
        let words = pictures.words(&tokenise("round rash"), |_| true);
        let document =
            |name: &str| pictures.conditions.iter().position(|condition| graph.entity_name(*condition) == name).expect("is there");
        let mut expected = 0.0;
        let of = document("Ringworm");
        for form in words.iter().flatten() {
            let weight = pictures.postings[*form].iter().find(|(document, _)| *document == of).expect("has it").1;
            let n = pictures.postings[*form].len() as f64;
            let idf = (1.0 + (5.0 - n + 0.5) / (n + 0.5)).ln();
            let norm = 1.2 * (0.4 + 0.6 * pictures.lengths[of] / (pictures.lengths.iter().sum::<f64>() / 5.0));
            expected += idf * weight * 2.2 / (weight + norm);
        }
        let score = pictures.rank(&words, 9).into_iter().find(|(c, _)| graph.entity_name(*c) == "Ringworm").expect("ranked").1;
        assert!((score - expected).abs() < 1e-9, "{score} {expected}");
    }

    #[test]
    fn the_words_of_made_up_cases_count_each_and_a_clear_picture_needs_a_distance() {
        let mut builder = GraphBuilder::new("t");
        let has_symptom = builder.relation(RoleRules::built_in().expect("rules").guess("has_symptom")).expect("room");
        for (condition, cases) in [("Gout", "toe woke me;toe on fire"), ("Bunion", "toe leans"), ("Croup", "barks like a seal")] {
            let (of, finding) = (builder.entity(condition), builder.entity("Pain"));
            builder.set_kind(of, Kind::Disease);
            builder.set_kind(finding, Kind::Symptom);
            builder.triple(of, has_symptom, finding);
            let columns: Vec<String> = keys::CASES.iter().zip(cases.split(';')).map(|(key, case)| format!("{key}={case}")).collect();
            builder.attribute(of, &crate::graph::Qualifiers::of_columns(columns.iter().map(String::as_str)).expect("valid"));
        }
        let graph = builder.finish();
        let pictures = Pictures::of(&graph);
        let ranked = |text: &str| pictures.rank(&pictures.words(&tokenise(text), |_| true), 9);
        let toe = ranked("my toe");
        let names: Vec<&str> = toe.iter().map(|(condition, _)| graph.entity_name(*condition)).collect();
        assert_eq!(names, ["Gout", "Bunion"], "two cases of gout have the word");
        assert_eq!(clear_picture(&toe, |_, _| false), None, "too little is said");
        let far = |next: f64| clear_picture(&[(EntityId(1), CLEAR), (EntityId(2), next)], |_, _| false);
        let first = |unmistakable| Some(Recognised { condition: EntityId(1), clear: true, unmistakable, is_like_kin: false });
        assert_eq!((far(CLEAR / CLEARLY_BETTER), far(CLEAR / CLEARLY_BETTER + 0.1)), (first(false), None));
        assert_eq!(clear_picture(&[(EntityId(1), CLEAR), (EntityId(2), CLEAR)], |_, _| true), first(false), "kin does not count");
        let next = UNMISTAKABLE / UNMISTAKABLY_BETTER;
        let told = |next: f64| clear_picture(&[(EntityId(1), UNMISTAKABLE), (EntityId(2), next)], |_, _| false);
        assert_eq!((told(next - 0.1), told(next + 0.1)), (first(true), first(false)));
    }

    #[test]
    fn a_finding_is_partly_said_by_most_of_its_words_close_together() {
        let graph = graph();
        let pictures = Pictures::of(&graph);
        let rash = graph.find("Growing round rash, pale in the middle").expect("is there");
        let said = |text: &str| {
            let tokens = tokenise(text);
            let words = pictures.words(&tokens, |_| true);
            pictures
                .partly_said(&graph, rash, (&tokens, &words), &|one, other| tokens[one..other].iter().all(|token| token.text != "but"))
                .map(|said| (said.span.first, said.span.last))
        };
        assert_eq!(said("it is round, growing and pale in the middle"), Some((2, 9)));
        assert_eq!(said("it is round but growing, but in the middle"), None, "each in another sentence");
        assert_eq!(said("a round table"), None);
    }

    #[test]
    fn part_of_a_chinese_name_says_nothing_without_what_it_is_about() {
        let has_head = |text: &str| {
            let tokens = tokenise(text);
            has_head("静息时胸痛", &tokens, Span { first: 0, last: 2 }, &|_, _| true)
        };
        assert!(has_head("静息也会胸口痛") && !has_head("静息时突感吸气不够"));
    }

    #[test]
    fn chinese_characters_count_in_pairs() {
        let forms: Vec<String> = (0..4).filter_map(|at| form_at(&tokenise("手足口病"), at)).collect();
        assert_eq!(forms, ["手足", "足口", "口病"]);
    }
}
