//! A method without one of its parts differs from the whole method where that part is, and nowhere else.

use catena::graph::ChainKind;
use catena::method::{Engine, EngineModels};
use catena::model::{Matrix, RerankerHandle};
use catena::run::{AnchorOrigin, Trace};

use super::ask_by;
use crate::support::engine::{ENGINE, open, starter};
use crate::support::models::Table;
use crate::support::runs::REFLUX;

#[test]
fn without_the_hypothesis_anchors_and_fragments_are_the_questions() {
    let (whole, without) = (ask_by(&ENGINE, "catena", REFLUX).trace, ask_by(&ENGINE, "catena-hypothesis", REFLUX).trace);
    assert!(!whole.hypothesis.is_empty() && without.hypothesis.is_empty());
    let of_question = |origin: AnchorOrigin| origin != AnchorOrigin::Hypothesis;
    let question: Vec<_> = whole.anchors.iter().filter(|anchor| of_question(anchor.origin)).map(|anchor| &anchor.entity).collect();
    assert!(question.len() < whole.anchors.len());
    assert_eq!(without.anchors.iter().map(|anchor| &anchor.entity).collect::<Vec<_>>(), question);
    assert!(without.anchors.iter().all(|anchor| anchor.origin == AnchorOrigin::Question));
    assert!(whole.pruning.fragments.starts_with(&without.pruning.fragments));
    assert!(without.pruning.fragments.len() < whole.pruning.fragments.len());
}

#[test]
fn without_chains_there_are_single_triples_of_the_anchors() {
    let (whole, without) = (ask_by(&ENGINE, "catena", REFLUX).trace, ask_by(&ENGINE, "catena-chains", REFLUX).trace);
    assert_eq!((&without.hypothesis, &without.anchors), (&whole.hypothesis, &whole.anchors));
    assert!(whole.table.chains.iter().any(|chain| chain.len() > 1));
    let is_anchor = |node: u32| without.anchors.iter().any(|anchor| anchor.entity == without.table.entities[node as usize].name);
    assert!(!without.table.chains.is_empty());
    for chain in &without.table.chains {
        assert!(chain.len() == 1 && chain.kind() == ChainKind::Neighbour && is_anchor(chain.nodes()[0]));
    }
}

#[test]
fn without_fragments_the_whole_text_is_one() {
    let (whole, without) = (ask_by(&ENGINE, "catena", REFLUX).trace, ask_by(&ENGINE, "catena-fragment", REFLUX).trace);
    assert_eq!((&without.table, &without.anchors), (&whole.table, &whole.anchors));
    assert_eq!(without.pruning.fragments.len(), 1);
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let whole_text = words(&without.pruning.fragments[0]);
    assert!(whole.pruning.fragments.iter().flat_map(|fragment| words(fragment)).all(|word| whole_text.contains(&word)));
}

/// Of ten places, the first are the search's first chains in its order. What the answer rests on comes behind them; for it the last of
/// those gave way that no line cites.
fn assert_in_the_searchs_order(trace: &Trace) {
    let kept: Vec<u32> = trace.pruning.kept.iter().map(|scored| scored.chain).collect();
    assert_eq!(kept.len(), 10, "{kept:?}");
    let is_cited = |at: &usize| trace.answer.citations.contains(&(*at as u32 + 1));
    let searched = kept.iter().take_while(|chain| **chain < 10).count();
    let (first, joined) = kept.split_at(searched);
    assert!(first.is_sorted() && joined.iter().all(|chain| *chain >= 10), "{kept:?}");
    assert!((searched..kept.len()).all(|at| is_cited(&at)), "{kept:?} {:?}", trace.answer.citations);
    let gave_way = (0..10).find(|chain| !first.contains(chain)).unwrap_or(10);
    let idle = (0..searched).filter(|at| !is_cited(at)).map(|at| first[at]).max();
    assert!(idle.is_none_or(|idle| idle < gave_way), "{kept:?} {:?}", trace.answer.citations);
}

#[test]
fn without_the_reranker_the_searchs_order_stands() {
    let (whole, without) = (ask_by(&ENGINE, "catena", REFLUX).trace, ask_by(&ENGINE, "catena-rerank", REFLUX).trace);
    assert_eq!(without.table, whole.table);
    assert_in_the_searchs_order(&without);
    assert_ne!(whole.pruning.kept, without.pruning.kept);
    let both = ask_by(&ENGINE, "catena-hypothesis-rerank", REFLUX).trace;
    assert!(both.hypothesis.is_empty());
    assert_in_the_searchs_order(&both);
    assert_eq!(both.method, "catena-hypothesis-rerank");
}

#[test]
fn without_descriptions_the_reranker_is_told_none() {
    let read = std::sync::Arc::new(std::sync::Mutex::new(Vec::<String>::new()));
    let notes = std::sync::Arc::clone(&read);
    let load = move || {
        let notes = std::sync::Arc::clone(&notes);
        Ok(Table::boxed("cuda:0", move |queries, documents| {
            notes.lock().unwrap().extend_from_slice(documents);
            Ok(Matrix::new(documents.len(), vec![0.5; queries.len() * documents.len()]))
        }))
    };
    let reranker = RerankerHandle::start("table", load).expect("a thread");
    let models = EngineModels { reranker: Some(reranker), ..Engine::start_encoder().expect("a thread").into() };
    let engine = open(starter(), models);
    let documents = |name: &str| {
        let trace = ask_by(&engine, name, REFLUX).trace;
        assert!(!trace.warnings.iter().any(|warning| warning.contains("changes nothing")), "{:?}", trace.warnings);
        std::mem::take(&mut *read.lock().unwrap())
    };
    let (whole, without) = (documents("catena"), documents("catena-description"));
    assert!(whole.iter().any(|document| document.contains(": ")) && !without.is_empty());
    assert!(without.iter().all(|document| !document.contains(". ") && !document.contains(": ")), "{without:?}");
    assert!(ask_by(&ENGINE, "catena-description", REFLUX).warned("changes nothing"));
}

#[test]
fn with_a_cross_encoder_every_part_can_be_left_out_and_only_the_reranker_takes_it_away() {
    let asked = std::sync::Arc::new(std::sync::Mutex::new(Vec::<(usize, usize)>::new()));
    let notes = std::sync::Arc::clone(&asked);
    let load = move || {
        let notes = std::sync::Arc::clone(&notes);
        Ok(Table::boxed("cuda:0", move |queries, documents| {
            notes.lock().unwrap().push((queries.len(), documents.len()));
            Ok(Matrix::new(documents.len(), vec![0.5; queries.len() * documents.len()]))
        }))
    };
    let reranker = RerankerHandle::start("table", load).expect("a thread");
    let models = EngineModels { reranker: Some(reranker), ..Engine::start_encoder().expect("a thread").into() };
    let engine = open(starter(), models);
    for part in ["", "-hypothesis", "-chains", "-description", "-fragment", "-rerank", "-ratings"] {
        let run = ask_by(&engine, &format!("catena{part}"), REFLUX);
        let calls = std::mem::take(&mut *asked.lock().unwrap());
        assert_eq!(calls.is_empty(), part == "-rerank", "catena{part}: {calls:?}");
        let by_table = run.trace.pruning.scored.iter().any(|by| by.scorer.contains("table"));
        assert_eq!(by_table, part != "-rerank", "catena{part}: {:?}", run.trace.pruning.scored);
        if part == "-fragment" {
            assert!(calls.iter().all(|(queries, _)| *queries == 1), "{calls:?}");
        }
        assert!(run.trace.answer.grounded, "catena{part}");
        run.assert_sound();
    }
}
