//! What passages state that an accepted answer cites: a proposal by the same checks as any other, with the passage's place and hash, and never its text.

use std::sync::Arc;

use catena::dkg::{CheckOutcome, Proposer, Rating};
use catena::evidence::{Collection, Document, Library, Section};
use catena::graph::Kind;
use catena::method::EngineOptions;
use catena::model::CancelToken;
use catena::run::{Ask, AskOptions, MethodName, Triage};

use super::{graph_with_kinds, propose};
use crate::support::engine::{encoder, open_with};
use crate::support::runs::Run;

const STATED: &str = "Zorbazine raises the level of frizzol.";
const KNOWN: &str = "The dose of wibblin is halved when zorbazine is given.";
const DENIED: &str = "No interaction with quuxol was seen.";

#[test]
fn what_a_cited_passage_states_and_the_graph_lacks_is_proposed_with_its_place() {
    let drugs = ["Zorbazine", "Frizzol", "Wibblin", "Quuxol"].map(|name| (name, Kind::Drug));
    let graph = graph_with_kinds("Zorbazine\tinteracts_with\tWibblin\nZorbazine\tinteracts_with\tQuuxol", &drugs);
    let text = format!("{STATED} {KNOWN} {DENIED}");
    let section = Section { name: "drug_interactions".into(), heading: String::new(), text };
    let document = Document { id: "z".into(), title: "Zorbazine".into(), sections: vec![section], ..Document::default() };
    let collection = Collection::build("mine", &[document.checked().expect("usable")], &graph, &|_| true).expect("builds");
    let library = Arc::new(Library::of(vec![("mine".into(), collection)]));
    let engine = Arc::new(open_with(graph, encoder(), &EngineOptions { library, ..EngineOptions::default() }));
    let ask = |question: &str, method: MethodName| {
        let mut run = Run { trace: Default::default(), events: Vec::new(), latest: 0 };
        let options = AskOptions { method: Some(method), ..AskOptions::default() };
        engine.run(question, options, &CancelToken::new(), &mut |event| run.take(event));
        run
    };

    let run = ask("Does zorbazine interact with frizzol?", MethodName::Idep);
    let cited: Vec<&str> = run.trace.answer.passages.iter().map(|id| run.trace.passages[id.place()].text.as_str()).collect();
    assert!(cited.contains(&STATED), "{}", run.trace.answer.text);
    let made = propose(&engine, &run.trace, Rating::Good, "");
    let proposal = made.proposals.iter().find(|proposal| proposal.triple.text().contains("Frizzol")).expect("proposed");
    assert_eq!((&proposal.standing, &proposal.proposer), (&CheckOutcome::New, &Proposer::Rule));
    let why = &proposal.basis.why;
    assert!(why.contains("mine: z, drug interactions, characters 0 to") && why.contains("SHA-256"), "{why}");
    let written = serde_json::to_string(&made.proposals).expect("JSON");
    assert!(!written.contains(STATED) && !written.contains("raises the level"), "never the text");
    // A passage that the doctor rejects proposes nothing, and a bad answer neither.
    let mut rejecting = run.trace.clone();
    let mut triage = Triage::default();
    triage.rejected_passages.extend(rejecting.passages.iter().map(catena::run::QuotedPassage::key));
    rejecting.triage = Arc::new(triage);
    assert!(propose(&engine, &rejecting, Rating::Good, "").proposals.is_empty());
    assert!(propose(&engine, &run.trace, Rating::Bad, "").proposals.is_empty());

    // "Why?" names what a document states, and flags what one denies.
    let run = ask("Can I give zorbazine with wibblin and quuxol?", MethodName::default());
    let told: Vec<String> = (0..run.trace.table.chains.len() as u32)
        .filter_map(|chain| engine.explain(&run.trace, chain))
        .flat_map(|explained| explained.triples.into_iter().map(|triple| triple.source))
        .collect();
    assert!(told.iter().any(|source| source.contains("a document states it, too") && source.contains("wibblin")), "{told:?}");
    assert!(
        told.iter().any(|source| source.contains("to be reviewed, because a document says otherwise") && source.contains(DENIED)),
        "{told:?}"
    );
}
