//! What deserves a second look in an imported graph: names that cannot be told apart, aliases that would link
//! ordinary words, entities that nothing is said about.

use super::entity::EntityId;
use super::store::Graph;
use crate::text::{StopWords, fold, tokenise};

/// A kind of suspicion, with what raised it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LintFinding {
    /// What it is, in plain words.
    pub what: &'static str,
    /// How often it was met.
    pub count: usize,
    /// The first few cases, in words.
    pub examples: Vec<String>,
}

impl LintFinding {
    /// How many examples are kept.
    const SHOWN: usize = 5;

    fn new(what: &'static str) -> Self {
        Self { what, count: 0, examples: Vec::new() }
    }

    fn add(&mut self, example: impl FnOnce() -> String) {
        self.count += 1;
        if self.examples.len() < Self::SHOWN {
            self.examples.push(example());
        }
    }
}

/// The longest name that anyone would write, in characters.
const LONG: usize = 200;

/// Looks through all names and triples; gives only suspicions with at least one case.
pub fn lint(graph: &Graph) -> Vec<LintFinding> {
    let stop = StopWords::built_in();
    let mut shared =
        LintFinding::new("names that belong to several entities (a question that uses one is linked to the best connected of them)");
    let mut homonyms = LintFinding::new("entities of different kinds with one name (kept apart on purpose)");
    let mut plain = LintFinding::new("names that consist of everyday words (a question's own words may be taken for them)");
    let mut short = LintFinding::new("names of one letter, or of digits alone");
    let mut long = LintFinding::new("names of more than 200 characters (a question will hardly contain them)");
    let mut bare = LintFinding::new("entities that no triple mentions");
    for names in graph.names().shared() {
        let describe = |of: &[EntityId]| {
            let shown = of.iter().take(3).map(|e| format!("{} ({})", graph.entity_name(*e), shown_kind(graph, *e)));
            shown.collect::<Vec<_>>().join(", ")
        };
        let own = names.entities.iter().filter(|e| fold(graph.entity_name(**e)) == names.name).count();
        let target = if own == names.entities.len() { &mut homonyms } else { &mut shared };
        target.add(|| format!("{}: {}", names.name, describe(&names.entities)));
    }
    for entity in graph.entity_ids() {
        if graph.degree(entity) == 0 {
            bare.add(|| graph.entity_name(entity).to_owned());
        }
        for row in graph.name_rows(entity) {
            let name = graph.name_at(row);
            let example = || {
                if name == graph.entity_name(entity) { name.to_owned() } else { format!("{name} (alias of {})", graph.entity_name(entity)) }
            };
            let tokens = tokenise(name);
            if name.len() > LONG && name.chars().count() > LONG {
                long.add(|| example().chars().take(80).chain("…".chars()).collect());
            } else if tokens.len() == 1
                && !tokens[0].cjk
                && (tokens[0].text.chars().count() == 1 || tokens[0].text.bytes().all(|b| b.is_ascii_digit()))
            {
                short.add(example);
            } else if !tokens.is_empty() && tokens.iter().all(|t| stop.contains(&t.text)) {
                plain.add(example);
            }
        }
    }
    [shared, homonyms, plain, short, long, bare].into_iter().filter(|s| s.count > 0).collect()
}

fn shown_kind(graph: &Graph, entity: EntityId) -> &str {
    let kind = graph.kind(entity).as_str();
    if kind.is_empty() { "unknown kind" } else { kind }
}
