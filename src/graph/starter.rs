//! The starter graph, embedded: `assets/starter-kg/`.

use super::build::GraphBuilder;
use super::entity::Kind;
use super::qualifiers::{Qualifiers, keys};
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

/// Files of entities: (file, its text). One on each line, in the order in which they are read; a test finds files that are not listed.
const ENTITIES: &[(&str, &str)] = &files!(
    "entities":
    "digestive-kidney-urology",
    "heart-lung-blood",
    "brain-mind-eye-ear",
    "hormones-joints-women",
    "skin-infection-child",
    "split",
    "coverage",
    "drugs",
    "states",
    "interactions",
    "presentations",
    "chinese",
    "further-conditions",
    "completions",
    "everyday",
    "topics",
);
/// The same for files of triples. Those about the safety of drugs have files of their own, because they are reviewed as a whole.
const TRIPLES: &[(&str, &str)] = &files!(
    "triples":
    "digestive-kidney-urology",
    "heart-lung-blood",
    "brain-mind-eye-ear",
    "hormones-joints-women",
    "skin-infection-child",
    "split",
    "coverage",
    "drugs",
    "states",
    "interaction-classes",
    "interactions",
    "contraindications",
    "safety-drugs",
    "presentations",
    "chinese",
    "further-conditions",
    "completions",
    "everyday",
);
const RELATIONS: &str = include_str!("../../assets/starter-kg/relations.tsv");
/// The words in which each condition is told: its name, the words, and Chinese words.
const PICTURES: &str = include_str!("../../assets/starter-kg/pictures.tsv");
/// Cases of each condition: its name, and the cases.
const CASES: &str = include_str!("../../assets/starter-kg/cases.tsv");
const FURTHER_CASES: &str = include_str!("../../assets/starter-kg/further-cases.tsv");
/// What to do for each condition, and its course: its name, the care in English and Chinese, and the course in both.
const CARE: &str = include_str!("../../assets/starter-kg/care.tsv");
/// What happens where a drug is stopped, and how it is stopped: a drug or class, both in English, both in Chinese, and the members that differ.
const STOPPING: &str = include_str!("../../assets/starter-kg/stopping.tsv");
/// What patients ask about using a drug: a drug or class; how soon it works, how it is taken, a missed dose, driving, each in English and Chinese; and
/// the members of the class that differ.
const USING: &str = include_str!("../../assets/starter-kg/using.tsv");
/// What one dose too many calls for: a drug or class; the level, that of children; what it may do, the next dose, each in English and Chinese; and the
/// members of the class that differ.
const TWICE: &str = include_str!("../../assets/starter-kg/twice.tsv");
/// What may be used with what: a drug or class, the other, a note in English and Chinese, and the members of the class that differ.
const USABLE: &str = include_str!("../../assets/starter-kg/usable.tsv");
/// What the answer says about a topic. Each line: an entity, the topic, the text in English and Chinese.
const TOPICS: &[(&str, &str)] = &files!("topics": "general", "scores-and-results", "next-steps", "screening-and-procedures", "living", "follow-up",
    "together", "drugs-in-use", "decisions", "traps");
/// What to do about side effects: a drug or class, the effect, and the advice in English and Chinese.
const SIDE_EFFECTS: &str = include_str!("../../assets/starter-kg/side-effects.tsv");
const AMBIGUOUS: &str = include_str!("../../assets/starter-kg/ambiguous.txt");

/// Where a column says nothing.
const NOTHING: &str = "-";

/// Adds what a file tells of each entity, each column under one of the keys; a column that says [`NOTHING`] adds nothing.
fn add_columns(builder: &mut GraphBuilder, file: &'static str, text: &str, keys: &[&str]) -> Result<(), StarterError> {
    for (line, columns) in rows(text) {
        let fail = |problem: String| StarterError { file, line, problem };
        let Some((name, cases)) = columns.split_first().filter(|(_, cases)| cases.len() == keys.len()) else {
            return Err(fail(format!("{} columns instead of {}", columns.len(), keys.len() + 1)));
        };
        if !builder.has_entity(name) {
            return Err(fail(format!("unknown entity {name}")));
        }
        let cases: Vec<String> =
            keys.iter().zip(cases).filter(|(_, case)| **case != NOTHING).map(|(key, case)| format!("{key}={case}")).collect();
        let cases = Qualifiers::of_columns(cases.iter().map(String::as_str)).map_err(|fault| fail(fault.to_string()))?;
        let entity = builder.entity(name);
        builder.attribute(entity, &cases);
    }
    Ok(())
}

/// The key of the attribute for a line of a list, by its number: `usable_a`, `usable_b` … `usable_z`, `usable_za`, `usable_zb` …
fn numbered_key(key: &str, number: usize) -> String {
    let last = u8::try_from(number % 26).map_or('z', |letter| char::from(b'a' + letter));
    format!("{key}_{}{last}", "z".repeat(number / 26))
}

/// Adds what may be used with what, an attribute for each line.
fn add_usable(builder: &mut GraphBuilder) -> Result<(), StarterError> {
    let mut lines_of: std::collections::HashMap<&str, usize> = std::collections::HashMap::new();
    for (line, columns) in rows(USABLE) {
        let fail = |problem: String| StarterError { file: "usable.tsv", line, problem };
        let [drug, other, english, chinese, except] = columns[..] else {
            return Err(fail(format!("{} columns instead of five", columns.len())));
        };
        if let Some(unknown) = [drug, other].into_iter().chain(except.split('|')).find(|name| *name != NOTHING && !builder.has_entity(name))
        {
            return Err(fail(format!("unknown entity {unknown}")));
        }
        let number = lines_of.entry(drug).or_default();
        let key = numbered_key("usable", *number);
        *number += 1;
        let mut told = vec![format!("{key}={other}: {english}"), format!("{key}_zh={chinese}")];
        told.extend((except != NOTHING).then(|| format!("{key}_except={except}")));
        let told = Qualifiers::of_columns(told.iter().map(String::as_str)).map_err(|fault| fail(fault.to_string()))?;
        let entity = builder.entity(drug);
        builder.attribute(entity, &told);
    }
    Ok(())
}

/// Adds the texts on topics, one attribute for each line: `topic_a`, `topic_b` … The topic `with …` names another entity of the graph.
fn add_topics(builder: &mut GraphBuilder) -> Result<(), StarterError> {
    let mut lines_of: std::collections::HashMap<&str, usize> = std::collections::HashMap::new();
    for (file, line, columns) in TOPICS.iter().flat_map(|(file, text)| rows(text).map(move |(line, columns)| (*file, line, columns))) {
        let fail = |problem: String| StarterError { file, line, problem };
        let [entity, topic, english, chinese] = columns[..] else {
            return Err(fail(format!("{} columns instead of four", columns.len())));
        };
        if let Some(unknown) = [Some(entity), topic.strip_prefix("with ")].into_iter().flatten().find(|name| !builder.has_entity(name)) {
            return Err(fail(format!("unknown entity {unknown}")));
        }
        let number = lines_of.entry(entity).or_default();
        let key = numbered_key("topic", *number);
        *number += 1;
        let told = [format!("{key}={topic}: {english}"), format!("{key}_zh={chinese}")];
        let told = Qualifiers::of_columns(told.iter().map(String::as_str)).map_err(|fault| fail(fault.to_string()))?;
        let entity = builder.entity(entity);
        builder.attribute(entity, &told);
    }
    Ok(())
}

/// The columns of each line that is neither blank nor a comment, with the line number.
fn rows(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|(number, line)| (number, line.split('\t').map(str::trim).collect()))
}

/// Reads the embedded starter graph: more than 5,000 entities over all main specialties.
///
/// # Errors
/// If one of its files is malformed or refers to an entity or relation that does not exist.
pub fn starter_graph() -> Result<Graph, StarterError> {
    let mut builder = GraphBuilder::new("starter");
    let mut relations = std::collections::HashMap::new();
    for (line, columns) in rows(RELATIONS) {
        let fail = |problem: &str| StarterError { file: "relations.tsv", line, problem: problem.into() };
        let [name, display, inverse, role, player, inherits] = columns[..] else { return Err(fail("not six columns")) };
        let role: Role = plain(role).ok_or_else(|| fail("unknown role"))?;
        let player: Player = plain(player).ok_or_else(|| fail("unknown player"))?;
        let inherits = match inherits {
            "yes" => true,
            "no" => false,
            _ => return Err(fail("inherited is neither yes nor no")),
        };
        let relation =
            Relation { name: name.into(), display: display.into(), inverse: inverse.into(), role, player, guessed: false, inherits };
        let id = builder.relation(relation).ok_or_else(|| fail("too many relations"))?;
        relations.insert(name, id);
    }
    for alias in AMBIGUOUS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        builder.allow_ambiguous(alias);
    }
    for &(file, text) in ENTITIES {
        for (line, columns) in rows(text) {
            let fail = |problem: String| StarterError { file, line, problem };
            let [name, kind, aliases, chinese, description, ref attributes @ ..] = columns[..] else {
                return Err(fail(format!("{} columns instead of five", columns.len())));
            };
            let attributes = Qualifiers::of_columns(attributes.iter().copied()).map_err(|fault| fail(fault.to_string()))?;
            if builder.has_entity(name) {
                return Err(fail(format!("{name} is described twice")));
            }
            let aliases = aliases.split('|').chain(chinese.split('|')).map(str::trim).filter(|a| !a.is_empty()).map(str::to_owned);
            let aliases = aliases.collect();
            let entity = builder.entity(name);
            builder.describe(entity, Kind::parse(kind), description.to_owned(), aliases);
            builder.attribute(entity, &attributes);
        }
    }
    for (line, columns) in rows(PICTURES) {
        let fail = |problem: String| StarterError { file: "pictures.tsv", line, problem };
        let [name, words, chinese] = columns[..] else { return Err(fail(format!("{} columns instead of three", columns.len()))) };
        if !builder.has_entity(name) {
            return Err(fail(format!("unknown entity {name}")));
        }
        let picture = [format!("{}={words}", keys::PICTURE), format!("{}={chinese}", keys::PICTURE_ZH)];
        let picture = Qualifiers::of_columns(picture.iter().map(String::as_str)).map_err(|fault| fail(fault.to_string()))?;
        let entity = builder.entity(name);
        builder.attribute(entity, &picture);
    }
    add_columns(&mut builder, "cases.tsv", CASES, &keys::CASES)?;
    add_columns(&mut builder, "further-cases.tsv", FURTHER_CASES, &keys::FURTHER_CASES)?;
    add_columns(&mut builder, "care.tsv", CARE, &[keys::CARE, keys::CARE_ZH, keys::COURSE, keys::COURSE_ZH])?;
    let stopping = [keys::STOPPING, keys::STOPPING_ACTION, keys::STOPPING_ZH, keys::STOPPING_ACTION_ZH, keys::STOPPING_EXCEPT];
    add_columns(&mut builder, "stopping.tsv", STOPPING, &stopping)?;
    let using = [keys::WORKS, keys::TAKING, keys::MISSED, keys::DRIVING].concat();
    add_columns(&mut builder, "using.tsv", USING, &[using, vec![keys::USING_EXCEPT]].concat())?;
    let twice = [vec![keys::TWICE_LEVEL, keys::TWICE_CHILD], [keys::TWICE, keys::TWICE_NEXT].concat(), vec![keys::TWICE_EXCEPT]].concat();
    add_columns(&mut builder, "twice.tsv", TWICE, &twice)?;
    add_usable(&mut builder)?;
    add_topics(&mut builder)?;
    let mut triples = std::collections::HashSet::new();
    for &(file, text) in TRIPLES {
        for (line, columns) in rows(text) {
            let fail = |problem: String| StarterError { file, line, problem };
            let [head, relation, tail, ref qualifiers @ ..] = columns[..] else {
                return Err(fail(format!("{} columns instead of three", columns.len())));
            };
            let qualifiers = Qualifiers::of_columns(qualifiers.iter().copied()).map_err(|fault| fail(fault.to_string()))?;
            let relation = *relations.get(relation).ok_or_else(|| fail(format!("unknown relation {relation}")))?;
            for name in [head, tail].into_iter().chain(qualifiers.list(keys::EXCEPT)) {
                if !builder.has_entity(name) {
                    return Err(fail(format!("unknown entity {name}")));
                }
            }
            let (h, t) = (builder.entity(head), builder.entity(tail));
            if !triples.insert((h, relation, t)) {
                return Err(fail(format!("the triple of {head} and {tail} is there already")));
            }
            builder.triple(h, relation, t);
            builder.qualify(h, relation, t, qualifiers);
        }
    }
    let may_cause = relations.get("may_cause").copied();
    for (line, columns) in rows(SIDE_EFFECTS) {
        let fail = |problem: String| StarterError { file: "side-effects.tsv", line, problem };
        let [drug, effect, english, chinese] = columns[..] else { return Err(fail(format!("{} columns instead of four", columns.len()))) };
        let (head, tail) = (builder.entity(drug), builder.entity(effect));
        let relation = may_cause.filter(|relation| triples.contains(&(head, *relation, tail)));
        let relation = relation.ok_or_else(|| fail(format!("no triple says that {drug} may cause {effect}")))?;
        let [key, key_zh] = keys::IF_IT_OCCURS;
        let advice = [format!("{key}={english}"), format!("{key_zh}={chinese}")];
        let advice = Qualifiers::of_columns(advice.iter().map(String::as_str)).map_err(|fault| fail(fault.to_string()))?;
        builder.qualify(head, relation, tail, advice);
    }
    Ok(builder.finish())
}

/// Parses a word as a variant of an enumeration.
fn plain<T: serde::de::DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(serde_json::Value::String(word.to_owned())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::RelationId;

    #[test]
    fn every_file_of_the_starter_graph_is_read() {
        for (folder, listed) in [("entities", ENTITIES), ("triples", TRIPLES), ("topics", TOPICS)] {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/starter-kg").join(folder);
            let mut found: Vec<String> = std::fs::read_dir(path)
                .expect("the folder")
                .map(|file| format!("{folder}/{}", file.expect("a file").file_name().display()))
                .collect();
            let mut listed: Vec<String> = listed.iter().map(|(file, _)| (*file).to_owned()).collect();
            found.sort();
            listed.sort();
            assert_eq!(listed, found);
        }
    }

    #[test]
    fn relations_that_make_drugs_dangerous_are_inherited() {
        let graph = starter_graph().expect("sound");
        for (number, relation) in (0..).zip(graph.relations()) {
            assert_eq!(relation.inherits, relation.role.inherits(), "{}", relation.name);
            assert_eq!(graph.relation(RelationId(number)), relation);
        }
    }
}
