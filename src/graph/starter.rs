//! The starter graph, embedded: `assets/starter-kg/`.

use super::build::GraphBuilder;
use super::entity::Kind;
use super::role::{Player, Relation, Role};
use super::store::Graph;

/// A mistake in the embedded starter graph. Users never see this error, because a test reads the graph.
#[derive(Debug, thiserror::Error)]
#[error("starter graph, {file}, line {line}: {problem}")]
pub struct StarterError {
    file: &'static str,
    line: usize,
    problem: String,
}

macro_rules! files {
    ($folder:literal: $($area:literal),* $(,)?) => {
        [$((
            concat!($folder, "/", $area, ".tsv"),
            include_str!(concat!("../../assets/starter-kg/", $folder, "/", $area, ".tsv")),
        )),*]
    };
}

/// (file, its text) for the entities of each area.
const ENTITIES: [(&str, &str); 5] = files!("entities": "digestive-kidney-urology", "heart-lung-blood", "brain-mind-eye-ear", "hormones-joints-women", "skin-infection-child");
/// The same for the triples. Those about the safety of drugs have files of their own, because they are reviewed as a whole.
const TRIPLES: [(&str, &str); 7] = files!(
    "triples": "digestive-kidney-urology",
    "heart-lung-blood",
    "brain-mind-eye-ear",
    "hormones-joints-women",
    "skin-infection-child",
    "interactions",
    "contraindications",
);
const RELATIONS: &str = include_str!("../../assets/starter-kg/relations.tsv");
const AMBIGUOUS: &str = include_str!("../../assets/starter-kg/ambiguous.txt");

/// The columns of each line that is neither blank nor a comment, with the line number.
fn rows(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|(number, line)| (number, line.split('\t').map(str::trim).collect()))
}

/// Reads the embedded starter graph: about 1,300 entities over all main specialties.
///
/// # Errors
/// If one of its files is malformed or refers to an entity or relation that does not exist.
pub fn starter_graph() -> Result<Graph, StarterError> {
    let mut builder = GraphBuilder::new("starter");
    let mut relations = std::collections::HashMap::new();
    for (line, columns) in rows(RELATIONS) {
        let fail = |problem: &str| StarterError { file: "relations.tsv", line, problem: problem.into() };
        let [name, display, inverse, role, player] = columns[..] else { return Err(fail("not five columns")) };
        let role: Role = plain(role).ok_or_else(|| fail("unknown role"))?;
        let player: Player = plain(player).ok_or_else(|| fail("unknown player"))?;
        let relation = Relation { name: name.into(), display: display.into(), inverse: inverse.into(), role, player, guessed: false };
        let id = builder.relation(relation).ok_or_else(|| fail("too many relations"))?;
        relations.insert(name, id);
    }
    for alias in AMBIGUOUS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        builder.allow_ambiguous(alias);
    }
    for (file, text) in ENTITIES {
        for (line, columns) in rows(text) {
            let fail = |problem: String| StarterError { file, line, problem };
            let [name, kind, aliases, chinese, description] = columns[..] else {
                return Err(fail(format!("{} columns instead of five", columns.len())));
            };
            if builder.has_entity(name) {
                return Err(fail(format!("{name} is described twice")));
            }
            let aliases = aliases.split('|').chain(chinese.split('|')).map(str::trim).filter(|a| !a.is_empty()).map(str::to_owned);
            let aliases = aliases.collect();
            let entity = builder.entity(name);
            builder.describe(entity, Kind::parse(kind), description.to_owned(), aliases);
        }
    }
    let mut triples = std::collections::HashSet::new();
    for (file, text) in TRIPLES {
        for (line, columns) in rows(text) {
            let fail = |problem: String| StarterError { file, line, problem };
            let [head, relation, tail] = columns[..] else {
                return Err(fail(format!("{} columns instead of three", columns.len())));
            };
            let relation = *relations.get(relation).ok_or_else(|| fail(format!("unknown relation {relation}")))?;
            for name in [head, tail] {
                if !builder.has_entity(name) {
                    return Err(fail(format!("unknown entity {name}")));
                }
            }
            let (h, t) = (builder.entity(head), builder.entity(tail));
            if !triples.insert((h, relation, t)) {
                return Err(fail(format!("the triple of {head} and {tail} is there already")));
            }
            builder.triple(h, relation, t);
        }
    }
    Ok(builder.finish())
}

/// Parses a word as a variant of an enumeration.
fn plain<T: serde::de::DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(serde_json::Value::String(word.to_owned())).ok()
}
