//! What a passage states of the graph's entities: triples that may be learned, by the same rules that find passages for the graph's own
//! (`assets/passages.toml`), read the other way round.

use super::build::in_graph;
use super::label::Label;
use super::names::forms;
use super::stating::statements_of;
use crate::graph::{EntityId, Graph, Kind, Role};
use crate::language::common_words::only_common;
use crate::run::QuotedPassage;
use crate::text::tokenise;

/// The most statements of one passage; more are a list without a verb.
const MOST: usize = 8;

/// A statement about two entities of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassageStatement {
    /// Of an interaction, contraindication or side effect the drug; of a treatment the condition.
    pub owner: EntityId,
    /// What the player is to it.
    pub role: Role,
    /// The player.
    pub player: EntityId,
}

/// The statements of a passage, as far as the graph knows what its document is about and what it names.
pub fn statements_in(graph: &Graph, passage: &QuotedPassage) -> Vec<PassageStatement> {
    let Some(subject) = forms(&passage.title).into_iter().find_map(|form| in_graph(graph, form)) else { return Vec::new() };
    let label = Label::of_heading(&passage.section);
    let made = statements_of(label, &passage.text);
    if made.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for other in named(graph, &passage.text).into_iter().filter(|other| *other != subject) {
        for statement in &made {
            let (owner, player) = if statement.subject_owns { (subject, other) } else { (other, subject) };
            if suits(statement.role, graph.kind(owner), graph.kind(player)) {
                found.push(PassageStatement { owner, role: statement.role, player });
            }
        }
    }
    // A long list of names is a table, in which nobody knows what belongs to what.
    if found.len() > MOST { Vec::new() } else { found }
}

/// The entities that a text names by their own names, each once, in order; names of several entities are left out.
fn named(graph: &Graph, text: &str) -> Vec<EntityId> {
    let tokens = tokenise(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Some(hit) = graph.names().longest_at(&tokens, at) else {
            at += 1;
            continue;
        };
        let is_name = tokens.get(at..hit.last).is_some_and(|words| !only_common(words));
        let exact: Vec<EntityId> = hit.entities.iter().filter(|(_, exact)| *exact).map(|(entity, _)| *entity).collect();
        if let ([entity], true) = (exact.as_slice(), is_name)
            && !found.contains(entity)
        {
            found.push(*entity);
        }
        at = hit.last.max(at + 1);
    }
    found
}

/// Whether ends of these kinds can have this role between them.
fn suits(role: Role, owner: &Kind, player: &Kind) -> bool {
    let is_drug = |kind: &Kind| matches!(kind, Kind::Drug | Kind::DrugClass | Kind::Treatment);
    let is_finding = |kind: &Kind| matches!(kind, Kind::Disease | Kind::Symptom);
    match role {
        Role::Treatment | Role::FirstLine | Role::Prevention => is_finding(owner) && is_drug(player),
        Role::Interaction => is_drug(owner) && is_drug(player),
        Role::Contraindication => is_drug(owner) && !is_drug(player),
        Role::AdverseEffect => is_drug(owner) && is_finding(player),
        Role::Symptom | Role::RedFlag => matches!(owner, Kind::Disease) && matches!(player, Kind::Symptom),
        Role::Test | Role::Monitoring => is_finding(owner) && matches!(player, Kind::Test),
        Role::Complication => matches!(owner, Kind::Disease) && is_finding(player),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::starter_graph;

    #[test]
    fn a_passage_states_what_its_heading_and_words_say_and_nothing_it_denies() {
        let graph = starter_graph().expect("a graph");
        let says = |title: &str, section: &str, text: &str| -> Vec<String> {
            let passage = QuotedPassage { title: title.into(), section: section.into(), text: text.into(), ..QuotedPassage::default() };
            let name = |entity| graph.entity_name(entity);
            let statement = |made: PassageStatement| format!("{} {} {}", name(made.owner), made.role.as_str(), name(made.player));
            statements_in(&graph, &passage).into_iter().map(statement).collect()
        };
        assert_eq!(
            says("Warfarin", "drug_interactions", "Monitor the INR closely when ibuprofen is given with warfarin."),
            ["Warfarin interaction Ibuprofen"]
        );
        assert!(says("Warfarin", "drug_interactions", "No interaction with ibuprofen was seen.").is_empty());
        assert!(says("Zorbazine", "drug_interactions", "Ibuprofen raises its level.").is_empty(), "nobody knows the subject");
        assert!(says("Warfarin", "storage", "Keep ibuprofen elsewhere.").is_empty(), "another heading");
    }
}
