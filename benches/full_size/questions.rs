//! Questions: sets of anchors, drawn by a rule that knows nothing of time.
//!
//! A candidate has 23 anchors. Some of them, from 12 to 23 and drawn anew for each candidate, are drawn as likely as they have triples (an end of a
//! random triple), the others evenly: what people ask about is better connected than most. A candidate becomes a question if its chains of at most three relations are as many as
//! asked for. So that large questions are among them, the range is cut into three parts of equal ratio that are filled by turns. The number
//! of chains is a property of graph and anchors, the same for whoever counts.

use std::path::Path;
use std::time::Duration;

use catena::graph::{ChainBudget, EntityId, Graph, Triple};
use serde_json::{Value, json};

use crate::power_law::Random;
use crate::subject;

/// Anchors of a question.
pub(crate) const ANCHORS: usize = 23;
/// Of these at least so many are drawn by their triples.
const FEWEST_BY_DEGREE: usize = 12;
/// Largest hubs among the anchors of the hub question.
const HUBS: usize = 8;
/// Candidates after which a range that cannot be filled is given up.
const MOST_CANDIDATES: usize = 3_000;

/// A set of anchors, by name and by number in the graph.
pub(crate) struct Question {
    pub(crate) names: Vec<String>,
    pub(crate) anchors: Vec<EntityId>,
}

struct Draw<'a> {
    graph: &'a Graph,
    triples: Vec<Triple>,
    random: Random,
}

impl Draw<'_> {
    /// An entity that its own name finds, evenly or by its triples.
    fn entity(&mut self, by_degree: bool) -> EntityId {
        loop {
            let entity = if by_degree {
                let triple = self.triples[self.random.below(self.triples.len() as u64) as usize];
                if self.random.below(2) == 0 { triple.head } else { triple.tail }
            } else {
                EntityId(self.random.below(self.graph.entity_count() as u64) as u32)
            };
            if self.graph.find(self.graph.entity_name(entity)) == Some(entity) {
                return entity;
            }
        }
    }

    fn anchors(&mut self, mut anchors: Vec<EntityId>, by_degree: usize) -> Vec<EntityId> {
        while anchors.len() < ANCHORS {
            let entity = self.entity(anchors.len() < by_degree);
            if !anchors.contains(&entity) {
                anchors.push(entity);
            }
        }
        anchors
    }
}

/// Draws `count` questions with `least..=most` chains each, and the hub question, as JSON.
pub(crate) fn draw(graph: &Graph, count: usize, (least, most): (u64, u64), seed: u64) -> Value {
    let mut draw = Draw { graph, triples: graph.triples().collect(), random: Random(seed) };
    let named = |anchors: &[EntityId]| anchors.iter().map(|a| graph.entity_name(*a).to_owned()).collect::<Vec<_>>();
    let bound = |third: i32| least as f64 * (most as f64 / least as f64).powf(f64::from(third) / 3.0);
    let mut questions = Vec::new();
    let mut candidates = 0;
    while questions.len() < count && candidates < MOST_CANDIDATES {
        candidates += 1;
        let by_degree = FEWEST_BY_DEGREE + draw.random.below((ANCHORS - FEWEST_BY_DEGREE) as u64 + 1) as usize;
        let anchors = draw.anchors(Vec::new(), by_degree);
        let third = (questions.len() % 3) as i32;
        let counted = ChainBudget { chains: 1, time: Duration::from_secs(600) };
        let chains = subject::search(graph, 3, &anchors, counted).found;
        if (least..=most).contains(&chains) && (bound(third)..=bound(third + 1)).contains(&(chains as f64)) {
            questions.push(json!({ "anchors": named(&anchors), "by_degree": by_degree, "chains": chains }));
        }
    }
    assert_eq!(questions.len(), count, "{MOST_CANDIDATES} candidates do not give {count} questions of {least} to {most} chains");
    let mut by_degree: Vec<EntityId> = graph.entity_ids().filter(|e| graph.find(graph.entity_name(*e)) == Some(*e)).collect();
    by_degree.sort_by_key(|entity| (std::cmp::Reverse(graph.degree(*entity)), *entity));
    by_degree.truncate(HUBS);
    let hubs: Vec<usize> = by_degree.iter().map(|hub| graph.degree(*hub)).collect();
    let hub_anchors = draw.anchors(by_degree, 15);
    json!({
        "seed": seed,
        "chains_asked_for": [least, most],
        "candidates": candidates,
        "questions": questions,
        "hub_question": { "anchors": named(&hub_anchors), "triples_of_its_hubs": hubs },
    })
}

/// Reads what [`draw`] gave: the questions and the hub question.
pub(crate) fn read(graph: &Graph, file: &Path) -> (Vec<Question>, Question) {
    let text = std::fs::read_to_string(file).expect("the questions");
    let json: Value = serde_json::from_str(&text).expect("JSON");
    let question = |value: &Value| {
        let names: Vec<String> = serde_json::from_value(value["anchors"].clone()).expect("names of anchors");
        let anchors = names.iter().map(|name| graph.find(name).unwrap_or_else(|| panic!("no entity is called {name}"))).collect();
        Question { names, anchors }
    };
    (json["questions"].as_array().expect("questions").iter().map(question).collect(), question(&json["hub_question"]))
}

/// What a doctor might type for a name: a letter swapped, a word left out, words in another order.
pub(crate) fn mention_of(name: &str, random: &mut Random) -> String {
    let mut words: Vec<String> = name.split(' ').map(str::to_owned).collect();
    match random.below(3) {
        0 if words.len() > 1 => {
            words.remove(random.below(words.len() as u64) as usize);
        }
        1 if words.len() > 1 => words.rotate_left(1),
        _ => {
            let longest = words.iter().enumerate().max_by_key(|(i, word)| (word.chars().count(), *i)).map_or(0, |(i, _)| i);
            let mut letters: Vec<char> = words[longest].chars().collect();
            let at = random.below((letters.len() as u64).saturating_sub(1).max(1)) as usize;
            if at + 1 < letters.len() {
                letters.swap(at, at + 1);
            }
            words[longest] = letters.into_iter().collect();
        }
    }
    words.join(" ")
}
