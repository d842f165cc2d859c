//! Examples that fit the graph in use: those of the program whose names it knows, then questions about its best described conditions.

use std::cmp::Reverse;

use crate::graph::{EntityId, Role};
use crate::language::Knowledge;
use crate::run::{Example, MOST_EXAMPLES, built_in_examples};
use crate::text::is_chinese;

/// The best described conditions that are looked at.
const LOOKED_AT: usize = 200;
/// The longest name in an example, characters: a question of one line.
const LONGEST: usize = 48;

/// A form of question about a condition.
struct Form {
    field: &'static str,
    /// In English and in Chinese; the name stands at `{}`.
    question: [&'static str; 2],
    roles: &'static [Role],
}

/// Taken in turns, so that the examples ask different things.
static FORMS: [Form; 3] = [
    Form { field: "Treatment", question: ["What treats {}?", "{}怎么治疗？"], roles: &[Role::FirstLine, Role::Treatment] },
    Form { field: "Tests", question: ["Which tests are needed in {}?", "{}应该做什么检查？"], roles: &[Role::Test] },
    Form { field: "Causes", question: ["What may cause {}?", "{}的病因是什么？"], roles: &[Role::Cause, Role::RiskFactor] },
];

/// The examples that fit a graph.
pub(super) fn fitting(knowledge: &Knowledge) -> Vec<Example> {
    let names = knowledge.graph.names();
    let is_known = |name: &str| !names.lookup_exact(name).is_empty();
    let mut examples: Vec<Example> = built_in_examples()
        .iter()
        .filter(|(_, names)| names.iter().all(|name| is_known(name)))
        .map(|(example, _)| example.clone())
        .collect();
    for condition in best_described(knowledge) {
        if examples.len() >= MOST_EXAMPLES {
            break;
        }
        examples.extend(about(knowledge, condition, examples.len()));
    }
    examples
}

/// The conditions with the most triples, by name where they have as many.
fn best_described(knowledge: &Knowledge) -> Vec<EntityId> {
    let graph = &knowledge.graph;
    let mut conditions: Vec<(Reverse<usize>, EntityId)> =
        graph.entity_ids().filter(|entity| knowledge.is_condition(*entity)).map(|entity| (Reverse(graph.degree(entity)), entity)).collect();
    if conditions.len() > LOOKED_AT {
        conditions.select_nth_unstable(LOOKED_AT);
        conditions.truncate(LOOKED_AT);
    }
    conditions.sort_unstable();
    conditions.into_iter().map(|(_, entity)| entity).collect()
}

/// A question about a condition that the graph can answer; the first form in turn that fits.
fn about(knowledge: &Knowledge, condition: EntityId, turn: usize) -> Option<Example> {
    let name = knowledge.graph.entity_name(condition);
    if name.chars().count() > LONGEST || name.chars().any(char::is_control) {
        return None;
    }
    let facts = knowledge.facts();
    let has = |form: &&Form| form.roles.iter().any(|role| facts.players_of_role(condition, *role).next().is_some());
    let form = FORMS.iter().cycle().skip(turn % FORMS.len()).take(FORMS.len()).find(has)?;
    let [english, chinese] = form.question;
    let question = if is_chinese(name) { chinese } else { english };
    Some(Example { field: form.field.into(), question: question.replace("{}", name).into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{GraphBuilder, Kind, RoleRules, starter_graph};
    use crate::method::Engine;
    use crate::run::EngineInfo;

    fn examples(graph: crate::graph::Graph) -> Vec<(String, String)> {
        let encoder = Engine::start_encoder().expect("a thread");
        let engine = std::sync::Arc::new(Engine::open(graph, encoder, &Default::default(), Vec::new()).expect("opens"));
        let EngineInfo { examples, .. } = crate::run::Ask::info(&engine);
        examples.into_iter().flatten().map(|example| (example.field.into_owned(), example.question.into_owned())).collect()
    }

    #[test]
    fn the_starter_graph_has_the_examples_of_the_program() {
        let expected: Vec<String> = built_in_examples().iter().map(|(example, _)| example.question.to_string()).collect();
        let found: Vec<String> = examples(starter_graph().expect("sound")).into_iter().map(|(_, question)| question).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_graph_that_knows_none_of_their_words_is_asked_about_what_it_knows() {
        let rules = RoleRules::built_in().expect("sound");
        let mut builder = GraphBuilder::new("test");
        for (head, relation, tail) in [
            ("Zorbitis", "has_symptom", "Blorb"),
            ("Zorbitis", "has_symptom", "Quux"),
            ("Vexinol", "treats", "Zorbitis"),
            ("Frenitis", "diagnosed_by", "Frenoscopy"),
            ("Frenitis", "has_symptom", "Blorb"),
            ("Bare disease", "has_symptom", "Blorb"),
            ("佐布炎", "has_symptom", "红斑"),
            ("维克", "treats", "佐布炎"),
        ] {
            let ends = [head, tail].map(|name| builder.entity(name));
            let relation = builder.relation(rules.guess(relation)).expect("room");
            builder.triple(ends[0], relation, ends[1]);
        }
        for disease in ["Zorbitis", "Frenitis", "Bare disease", "佐布炎"] {
            let entity = builder.entity(disease);
            builder.set_kind(entity, Kind::Disease);
        }
        let found = examples(builder.finish());
        let expected =
            [("Treatment", "What treats Zorbitis?"), ("Tests", "Which tests are needed in Frenitis?"), ("Treatment", "佐布炎怎么治疗？")];
        assert_eq!(found, expected.map(|(field, question)| (field.to_owned(), question.to_owned())), "what it cannot answer is no example");
    }
}
