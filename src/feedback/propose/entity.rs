//! Resolves names to entities: the graph's own where it has the name or nearly the same, else a new one of a stated kind.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::Proposing;
use crate::feedback::check::{NamePair, same_meaning};
use crate::graph::{EntityId, Kind, NamedEntity};
use crate::language::Knowledge;
use crate::model::ModelError;
use crate::text::{fold, sanitise_line};

/// The longest name, in characters …
const NAME_CHARACTERS: usize = 120;
/// … and in words.
const NAME_WORDS: usize = 12;
/// The cosine above which a name that says the same word by word is the graph's own.
const SAME_NAME: f64 = 0.8;
/// How many of the nearest names are looked at.
const NEAREST: usize = 5;

/// A thing that something was read of: by a name, and the kind that it must be if the graph does not have it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Term {
    pub(super) name: String,
    pub(super) kind: Kind,
}

impl Term {
    pub(super) fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self { name: name.into(), kind }
    }
}

/// An end of a triple.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ResolvedEnd {
    pub(super) entity: NamedEntity,
    pub(super) is_new: bool,
}

/// Makes a name fit for the graph, or says why it cannot be one.
pub(super) fn clean_name(raw: &str) -> Result<String, &'static str> {
    // Whatever is far too long is not even cleaned.
    if raw.len() > 16 * NAME_CHARACTERS {
        return Err("too long to be a name");
    }
    let line = sanitise_line(raw);
    let name = line.trim_matches(|c: char| c.is_whitespace() || "\"'“”‘’`.,;:。，；：、*•-–—".contains(c));
    // What was only trimmed of its bracket would not be balanced any more.
    if !name.chars().any(char::is_alphabetic) {
        return Err("no letters in a name");
    }
    if name.contains(['<', '>', '{', '}', '|', '`', '\u{2192}', '\u{2190}']) || name.contains("://") || name.contains("[INST") {
        return Err("markup in a name");
    }
    if name.chars().nth(NAME_CHARACTERS).is_some() || name.split(' ').nth(NAME_WORDS).is_some() {
        return Err("too long to be a name");
    }
    Ok(name.to_owned())
}

/// Whether two kinds may be meant for one thing: graphs call procedures now tests, now treatments, and findings now symptoms, now diseases.
fn agree(one: &Kind, other: &Kind) -> bool {
    const GROUPS: [&[Kind]; 3] = [
        &[Kind::Disease, Kind::Symptom, Kind::RiskFactor, Kind::Pathogen],
        &[Kind::Drug, Kind::DrugClass, Kind::Treatment],
        &[Kind::Test, Kind::Treatment],
    ];
    let unknown = |kind: &Kind| matches!(kind, Kind::Other(_));
    one == other || unknown(one) || unknown(other) || GROUPS.iter().any(|group| group.contains(one) && group.contains(other))
}

/// A name without the brackets at its end; `None` if it has none, or nothing before them.
fn without_remark(name: &str) -> Option<&str> {
    let name = name.trim_end();
    let open = name.strip_suffix(')').and_then(|inner| inner.rfind('(')).or_else(|| name.strip_suffix('）')?.rfind('（'))?;
    let outer = name.get(..open)?.trim_end();
    (!outer.is_empty()).then_some(outer)
}

/// The entity of the graph that has this very name (or, if none has, an inflected form of it), the likeliest of several: of the
/// same kind before a kind that agrees, then the one with the most triples.
pub(super) fn known(knowledge: &Knowledge, term: &Term) -> Option<EntityId> {
    let graph = &knowledge.graph;
    let rank = |entity: EntityId| {
        let kind = graph.kind(entity);
        if *kind == term.kind { 0 } else { 2 - u8::from(agree(kind, &term.kind)) }
    };
    let mut named = graph.names().lookup(&term.name);
    if named.is_empty() {
        // An answer says when a drug is given: "Fosfomycin (uncomplicated, in women)" is fosfomycin.
        named = without_remark(&term.name).map(|name| graph.names().lookup(name)).unwrap_or_default();
    }
    // An inflected form of another kind is another thing; the very name is taken whatever its kind, and checked later.
    let fits = named.into_iter().filter(|(entity, exact)| *exact || rank(*entity) < 2);
    fits.min_by_key(|(entity, exact)| (!exact, rank(*entity), Reverse(graph.degree(*entity)), *entity)).map(|(entity, _)| entity)
}

/// Finds the entities of terms, each once. Gives them in the terms' order.
///
/// # Errors
/// If the run is stopped or the encoder fails.
pub(super) fn resolve(proposing: &Proposing<'_>, terms: &[Term], by_vectors: bool) -> Result<Vec<ResolvedEnd>, ModelError> {
    let graph = &proposing.knowledge.graph;
    let of_graph =
        |entity: EntityId| ResolvedEnd { entity: NamedEntity::new(graph.entity_name(entity), graph.kind(entity)), is_new: false };
    let mut ends: Vec<Option<ResolvedEnd>> = terms.iter().map(|term| known(proposing.knowledge, term).map(of_graph)).collect();
    if by_vectors {
        let open: Vec<usize> = (0..ends.len()).filter(|at| ends[*at].is_none()).collect();
        for (at, entity) in nearest(proposing, terms, &open)? {
            ends[at] = Some(of_graph(entity));
        }
    }
    // Two spellings of one new name are one entity, named and of the kind as it came first.
    let mut new: HashMap<String, NamedEntity> = HashMap::new();
    let or_new = |(term, end): (&Term, Option<ResolvedEnd>)| {
        end.unwrap_or_else(|| {
            let entity = new.entry(fold(&term.name)).or_insert_with(|| NamedEntity::new(term.name.clone(), &term.kind));
            ResolvedEnd { entity: entity.clone(), is_new: true }
        })
    };
    Ok(terms.iter().zip(ends).map(or_new).collect())
}

/// Entities whose names are nearest to terms and say the same word by word.
fn nearest(proposing: &Proposing<'_>, terms: &[Term], open: &[usize]) -> Result<Vec<(usize, EntityId)>, ModelError> {
    let knowledge = proposing.knowledge;
    if open.is_empty() || knowledge.graph.entity_count() == 0 {
        return Ok(Vec::new());
    }
    let texts: Vec<String> = open.iter().map(|at| terms[*at].name.clone()).collect();
    let vectors = proposing.encoder.encode_until(texts, proposing.cancel)?.normalised();
    let Ok(near) = knowledge.nearest_names(knowledge.vectors(), &vectors, NEAREST, SAME_NAME) else {
        // Stored vectors that cannot be read any more: names are then found by their spelling alone.
        return Ok(Vec::new());
    };
    let mut pairs = Vec::new();
    for (at, rows) in open.iter().zip(near) {
        for (row, _) in rows {
            let entity = knowledge.named_by(row);
            if agree(knowledge.graph.kind(entity), &terms[*at].kind) {
                pairs.push((*at, entity, row));
            }
        }
    }
    let compared = |(at, _, row): &(usize, EntityId, usize)| NamePair {
        names: [terms[*at].name.as_str(), knowledge.name(*row)],
        remedies: matches!(terms[*at].kind, Kind::Drug | Kind::DrugClass | Kind::Treatment),
    };
    let names: Vec<NamePair<'_>> = pairs.iter().map(compared).collect();
    let same = same_meaning(proposing.encoder, proposing.cancel, &names)?;
    let mut found: Vec<(usize, EntityId)> = Vec::new();
    for ((at, entity, _), _) in pairs.into_iter().zip(same).filter(|(_, same)| *same) {
        // Nearest first.
        if found.last().is_none_or(|(last, _)| *last != at) {
            found.push((at, entity));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_brackets_behind_a_name_is_a_remark() {
        assert_eq!(without_remark("Fosfomycin (uncomplicated, in women)"), Some("Fosfomycin"));
        assert_eq!(without_remark("磷霉素（单纯性）"), Some("磷霉素"));
        for whole in ["Fosfomycin", "(in women)", "Fosfomycin (in women", "Vitamin B12 (cobalamin) level"] {
            assert_eq!(without_remark(whole), None, "{whole}");
        }
    }

    #[test]
    fn names_are_cleaned_and_what_is_no_name_is_refused() {
        assert_eq!(clean_name(" \"Reflux\u{1b}[31m disease\u{202e}\".\n").as_deref(), Ok("Reflux[31m disease"));
        assert_eq!(clean_name("- 胃食管反流病。").as_deref(), Ok("胃食管反流病"));
        assert_eq!(clean_name("Vitamin B12 (cobalamin)").as_deref(), Ok("Vitamin B12 (cobalamin)"));
        for (raw, why) in [
            ("", "no letters"),
            ("12.5", "no letters"),
            ("</question> ignore", "markup"),
            ("<|im_end|>", "markup"),
            ("see https://x.y", "markup"),
            ("a → treats → b", "markup"),
        ] {
            assert!(clean_name(raw).is_err_and(|reason| reason.contains(why)), "{raw}");
        }
        assert!(
            clean_name(&"word ".repeat(13)).is_err() && clean_name(&"x".repeat(121)).is_err() && clean_name(&"y".repeat(1 << 20)).is_err()
        );
    }
}
