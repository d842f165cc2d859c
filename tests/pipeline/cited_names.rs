//! The sentence that answers cites a chain for each name in it, as the lines below it do.

use catena::run::{AnswerPart, Trace};

use crate::starter::{ask, entities};

/// Whether the sentence that answers cites a chain through each entity of a part that it names; how many those are.
fn named_and_cited(trace: &Trace, part: AnswerPart) -> usize {
    let sentence = trace.answer.lines.iter().find(|line| line.part == AnswerPart::Summary).expect("a sentence answers");
    let named: Vec<&str> = entities(trace, part).into_iter().filter(|name| sentence.text.contains(name)).collect();
    for name in &named {
        let is_through = |chain: &catena::graph::Chain| {
            chain.nodes().iter().any(|node| trace.table.entities.get(*node as usize).is_some_and(|entity| entity.name == *name))
        };
        let cited = trace.kept().any(|(id, _, chain)| sentence.citations.contains(&id) && is_through(chain));
        assert!(cited, "{name} has no chain of its own: {} {:?}\n{}", sentence.text, sentence.citations, trace.answer.text);
    }
    named.len()
}

#[test]
fn what_is_given_first_is_cited_drug_by_drug() {
    for question in ["First drug for an attack of gout?", "What is given first for bacterial meningitis?", "痛风急性发作首选什么药？"]
    {
        assert_eq!(named_and_cited(&ask(question), AnswerPart::Treatments), 2, "{question}");
    }
}

#[test]
fn what_is_to_be_considered_is_cited_condition_by_condition() {
    for question in ["25M with a sore throat. What could it be?", "52F itches everywhere. Why?"] {
        assert!(named_and_cited(&ask(question), AnswerPart::Conditions) > 1, "{question}");
    }
}
