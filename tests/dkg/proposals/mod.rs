//! From a rated answer to checked proposals: by rule on the starter graph and on an empty one, by a language model over HTTP, and the checks
//! beside their definition.

mod checks;
mod from_documents;
mod model;
mod rules;

use catena::dkg::{CheckOutcome, Feedback, Rating};
use catena::feedback::{CheckSettings, Proposals, Proposing};
use catena::graph::{Graph, GraphBuilder, Kind, NamedEntity, NamedRelation, NamedTriple, Player, Role};
use catena::language::{Knowledge, Prompts};
use catena::method::Engine;
use catena::model::CancelToken;
use catena::model::GeneratorHandle;
use catena::run::Trace;

use crate::support::engine::{add_triples, encoder};

/// A graph of lines "head, relation, tail", and of entities with kinds.
fn graph_with_kinds(triples: &str, kinds: &[(&str, Kind)]) -> Graph {
    let mut builder = GraphBuilder::new("test");
    for (name, kind) in kinds {
        let entity = builder.entity(name);
        builder.set_kind(entity, kind.clone());
    }
    add_triples(&mut builder, triples);
    builder.finish()
}

fn feedback(trace: &Trace, rating: Rating, gold: &str) -> Feedback {
    Feedback {
        answer: trace.answer.text.clone(),
        cited: Vec::new(),
        comment: String::new(),
        gold: gold.to_owned(),
        kg: trace.kg.name.clone(),
        models: Vec::new(),
        question: trace.question.clone(),
        rating,
        run: trace.id.clone(),
    }
}

fn propose_with(
    knowledge: &Knowledge,
    generator: Option<&GeneratorHandle>,
    settings: &CheckSettings,
    trace: &Trace,
    rating: Rating,
    gold: &str,
) -> Proposals {
    let (encoder, prompts, cancel) = (encoder(), Prompts::built_in(), CancelToken::new());
    let proposing = Proposing { knowledge, encoder: &encoder, generator, prompts: &prompts, settings, seed: 0, cancel: &cancel };
    proposing.propose(trace, &feedback(trace, rating, gold)).expect("not stopped")
}

fn propose(engine: &Engine, trace: &Trace, rating: Rating, gold: &str) -> Proposals {
    propose_with(&engine.knowledge(), None, &CheckSettings::default(), trace, rating, gold)
}

/// Proposals as text, those that are new.
fn new(proposals: &Proposals) -> Vec<String> {
    let new = proposals.proposals.iter().filter(|proposal| proposal.standing == CheckOutcome::New);
    new.map(|proposal| proposal.triple.text()).collect()
}

fn entity(name: &str, kind: &Kind) -> NamedEntity {
    NamedEntity::new(name, kind)
}

fn triple(head: (&str, Kind), relation: (&str, Role, Player), tail: (&str, Kind)) -> NamedTriple {
    let (name, role, player) = relation;
    NamedTriple::new(entity(head.0, &head.1), NamedRelation { name: name.to_owned(), player, role }, entity(tail.0, &tail.1))
}
