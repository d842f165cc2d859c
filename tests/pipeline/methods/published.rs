//! HyKGE as published, against its equations on small inputs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use catena::graph::{Graph, GraphBuilder};
use catena::method::{Engine, EngineModels, EngineOptions};
use catena::model::{EncoderHandle, Matrix, RerankerHandle};
use catena::run::{AnchorOrigin, AnswerPart, Ask, Fate, MentionOrigin, Stage, Trace, Triage};
use catena::text::{StopWords, word_fragments};

use super::models::engine_of;
use super::{ask_by, kept, texts};
use crate::support::engine::{ENGINE, add_triples, encoder, graph_of, open_with, starter};
use crate::support::models::{Letters, Table};
use crate::support::runs::{REFLUX, rejecting};

const TRIPLES: &str = "\
Zorbitis\thas_symptom\tQuux pain
Blorb fever\thas_symptom\tQuux pain
Zorbitis\tneed_medical_test\tGnarposcopy
Blorb fever\tneed_medical_test\tGnarposcopy
Frizzol\ttreats\tZorbitis
Frizzol\ttreats\tBlorb fever
Wibblin\ttreats\tZorbitis";
const QUESTION: &str = "quux pain, zorbitis and blorb fever: what now?";

fn letters() -> EncoderHandle {
    EncoderHandle::start("letters", || Ok(Letters::new(64, |_| Ok(())))).expect("a thread")
}

fn cosine(a: &str, b: &str) -> f64 {
    let vector = |text: &str| {
        let mut counts = [0f64; 64];
        text.bytes().for_each(|byte| counts[usize::from(byte % 64)] += 1.0);
        counts
    };
    let dot = |a: &[f64; 64], b: &[f64; 64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (a, b) = (vector(a), vector(b));
    dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt()
}

#[test]
fn a_mention_links_to_its_nearest_name_above_delta_and_to_nothing_else() {
    let names = ["Zorbitis", "Quux pain", "Blorb fever", "Gnarposcopy", "Frizzol", "Wibblin"];
    for delta in [0.5, 0.8, 0.95] {
        let engine = open_with(graph_of(TRIPLES), letters(), &EngineOptions { delta: Some(delta), ..EngineOptions::default() });
        let trace = ask_by(&engine, "hykge-hypothesis", "quux pane with Zorbitis, gnarposcopy and wobbling").trace;
        // §4.2.1 transcribed: e = argmax sim(u, e) if sim(u, e) > delta.
        let link = |mention: &str| -> Option<(&str, f64)> {
            let best = names.iter().map(|name| (*name, cosine(mention, name))).max_by(|a, b| a.1.total_cmp(&b.1))?;
            (best.1 > delta).then_some(best)
        };
        let mut expected: BTreeMap<&str, f64> = BTreeMap::new();
        let of_question: Vec<&str> = trace
            .mentions
            .iter()
            .filter(|mention| mention.origin == MentionOrigin::Question)
            .map(|mention| mention.text.as_str())
            .collect();
        for (name, score) in of_question.iter().filter_map(|mention| link(mention)) {
            let known = expected.entry(name).or_default();
            *known = known.max(score);
        }
        let anchors = trace.anchors.iter().filter(|anchor| anchor.origin != AnchorOrigin::Hypothesis);
        let linked: BTreeMap<&str, f64> = anchors.map(|anchor| (anchor.entity.as_str(), anchor.score)).collect();
        assert_eq!(linked.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{of_question:?}");
        for (name, score) in &linked {
            assert!((score - expected[name]).abs() < 1e-5 && *score > delta, "{name}: {score}");
        }
        assert!(trace.unlinked.iter().all(|mention| link(mention).is_none()), "{:?}", trace.unlinked);
        assert!(linked.contains_key("Zorbitis"), "the name itself has the cosine 1");
    }
}

/// The numbers of texts and queries of each call.
type Asked = Arc<Mutex<Vec<(usize, usize)>>>;

/// An engine with a cross-encoder that scores a pair by a rule, and what it was asked.
fn with_reranker(graph: Graph, options: &EngineOptions) -> (Engine, Asked) {
    let asked: Asked = Arc::default();
    let notes = Arc::clone(&asked);
    let load = move || {
        let notes = Arc::clone(&notes);
        Ok(Table::boxed("cpu", move |queries, documents| {
            notes.lock().unwrap().push((queries.len(), documents.len()));
            let data = queries.iter().flat_map(|query| documents.iter().map(move |document| rule(query, document))).collect();
            Ok(Matrix::new(documents.len(), data))
        }))
    };
    let reranker = RerankerHandle::start("table", load).expect("a thread");
    let models = EngineModels { reranker: Some(reranker), ..encoder().into() };
    (open_with(graph, models, options), asked)
}

/// Some number for a pair that nothing else of a run has to do with.
fn rule(query: &str, document: &str) -> f32 {
    let sum = |text: &str| text.bytes().map(u64::from).sum::<u64>();
    ((sum(query) * 31 + sum(document) * 17) % 997) as f32 / 1000.0
}

#[test]
fn eq_4_the_reranker_alone_ranks_every_chain_with_every_fragment() {
    let options = EngineOptions { top_k: Some(3), fragment_words: Some(3), fragment_overlap: Some(1), ..EngineOptions::default() };
    let (engine, asked) = with_reranker(graph_of(TRIPLES), &options);
    let question = format!("{QUESTION} {}", "stabbing burning pressing pulling aching throbbing ".repeat(9));
    let trace = ask_by(&engine, "hykge", &question).trace;
    // Eq. 3: all of them, of the question and the hypothesis together.
    let text = format!("{}\n{}", question.trim(), trace.hypothesis);
    assert_eq!(trace.pruning.fragments, word_fragments(&text, 3, 1, StopWords::built_in()));
    assert!(trace.pruning.fragments.len() > 24 && !trace.hypothesis.is_empty());
    let pairs: usize = asked.lock().unwrap().iter().map(|(queries, documents)| queries * documents).sum();
    assert_eq!(pairs, trace.pruning.fragments.len() * trace.table.chains.len(), "every pair, once");
    // Eq. 4: the topK by the matrix.
    let score = |text: &String| trace.pruning.fragments.iter().map(|fragment| f64::from(rule(fragment, text))).fold(0.0, f64::max);
    let mut expected: Vec<(f64, usize, String)> =
        texts(&trace).into_iter().enumerate().map(|(number, text)| (score(&text), number, text)).collect();
    expected.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    assert_eq!(kept(&trace), expected.iter().take(3).map(|(_, _, text)| text.clone()).collect::<Vec<_>>());
    for (scored, (score, ..)) in trace.pruning.kept.iter().zip(&expected) {
        assert!((scored.score - score).abs() < 1e-6);
    }
    // "w/o Fragment": the whole text is one.
    let whole = ask_by(&engine, "hykge-fragment", &question).trace;
    assert_eq!(whole.pruning.fragments.len(), 1);
    // The same by the encoder's cosine where there is no cross-encoder.
    let engine = open_with(graph_of(TRIPLES), letters(), &options);
    let trace = ask_by(&engine, "hykge", QUESTION).trace;
    let score = |text: &String| trace.pruning.fragments.iter().map(|fragment| cosine(fragment, text)).fold(0.0, f64::max);
    let best = texts(&trace).iter().map(score).fold(0.0, f64::max);
    assert!((trace.pruning.kept[0].score - best).abs() < 1e-5);
}

#[test]
fn without_one_of_its_parts_it_differs_there_and_nowhere_else() {
    let ask = |name: &str| ask_by(&ENGINE, name, REFLUX).trace;
    let whole = ask("hykge");
    let without = ask("hykge-hypothesis");
    assert!(without.hypothesis.is_empty() && without.anchors.iter().all(|anchor| anchor.origin == AnchorOrigin::Question));
    assert!(without.anchors.len() < whole.anchors.len());
    let without = ask("hykge-chains");
    assert_eq!((&without.hypothesis, &without.anchors), (&whole.hypothesis, &whole.anchors));
    assert!(without.table.chains.iter().all(|chain| chain.len() == 1));
    let without = ask("hykge-rerank");
    assert_eq!(without.table, whole.table);
    assert!(without.pruning.kept.iter().take(3).map(|scored| scored.chain).eq(0..3));
}

#[test]
fn a_language_model_writes_hypothesis_and_answer_and_nothing_stands_beside_them() {
    let hypothesis = "It may be zorbitis. Gnarposcopy could show it. Frizzol might help.";
    let (engine, asked) = engine_of(graph_of(TRIPLES), move |prompt| {
        Some(if prompt.contains("<evidence>") {
            "Frizzol treats Zorbitis [2]. Wibblin cures everything at once. [1]".into()
        } else {
            hypothesis.into()
        })
    });
    let run = ask_by(&engine, "hykge", "I have quux pain. What is it?");
    let trace = &run.trace;
    let prompts: Vec<(&str, Stage)> = trace.prompts.iter().map(|prompt| (prompt.name.as_str(), prompt.stage)).collect();
    assert_eq!(prompts, [("hykge/hypothesis", Stage::Hypothesis), ("hykge/reader", Stage::Read)]);
    let asked = asked.lock().unwrap().clone();
    assert!(asked.len() == 2 && asked[0].contains("quux pain") && asked[1].contains("quux pain"));
    // Eq. 1: the model's hypothesis is the whole hypothesis; Eq. 2: what it names steers the search as the question does.
    assert_eq!((trace.hypothesis.as_str(), trace.model_hypothesis), (hypothesis, None));
    let origin = |name: &str| trace.anchors.iter().find(|anchor| anchor.entity == name).map(|anchor| anchor.origin);
    assert_eq!(origin("Quux pain"), Some(AnchorOrigin::Question));
    for name in ["Zorbitis", "Gnarposcopy", "Frizzol"] {
        assert_eq!(origin(name), Some(AnchorOrigin::Hypothesis), "{name}");
    }
    assert!(texts(trace).iter().any(|text| text.contains("Frizzol") && text.contains("Gnarposcopy")), "between two of the hypothesis");
    assert!(trace.pruning.fragments.iter().any(|fragment| fragment.contains("gnarposcopy")));
    // Eq. 5: the reader sees the kept chains in their order; the answer is its text, with our citations.
    let line = |(id, text): (usize, &String)| asked[1].find(&format!("[{id}] {text}"));
    let places: Vec<Option<usize>> = (1..).zip(&kept(trace)).map(line).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}");
    let answer = &trace.answer;
    assert!(answer.by_model && answer.grounded && answer.text.contains("Frizzol treats Zorbitis ["), "{}", answer.text);
    assert!(answer.text.contains("cures everything at once") && !answer.text.contains("once [1]"), "{}", answer.text);
    for id in &answer.citations {
        let cited = &kept(trace)[*id as usize - 1];
        assert!(cited.contains("Frizzol") && cited.contains("Zorbitis"), "{cited}");
    }
    // Carried on, it is answered by the model again.
    let revised = run.revise(&engine, &Triage::default(), Stage::Read);
    assert!(revised.trace.answer.by_model && revised.trace.prompts.len() >= 2);
}

#[test]
fn a_language_model_that_fails_or_says_nothing_costs_its_part_and_the_run_says_so() {
    let (engine, _) = engine_of(graph_of(TRIPLES), |_| None);
    let run = ask_by(&engine, "hykge", QUESTION);
    assert!(run.warned("there is no hypothesis") && run.warned("composed from the evidence chains alone"), "{:?}", run.trace.warnings);
    assert!(run.trace.hypothesis.is_empty() && run.trace.answer.grounded && !run.trace.answer.by_model);
    let (engine, _) = engine_of(graph_of(TRIPLES), |_| Some(" \n".into()));
    let run = ask_by(&engine, "hykge", QUESTION);
    assert!(run.warned("wrote no hypothesis") && run.warned("wrote no answer"), "{:?}", run.trace.warnings);
}

#[test]
fn what_the_safety_pass_says_stands_above_the_models_answer() {
    let (engine, _) = engine_of(starter(), |prompt| {
        Some(if prompt.contains("<evidence>") { "Warfarin goes well with ibuprofen.".into() } else { "Ibuprofen. Warfarin.".into() })
    });
    let trace = ask_by(&engine, "hykge", "Can I take ibuprofen with warfarin?").trace;
    let said = trace.answer.lines.iter().find(|line| line.part == AnswerPart::Safety).expect("a line of the safety pass");
    let model = trace.answer.text.find("goes well").expect("the model's text");
    assert!(trace.answer.text.find(&said.text).is_some_and(|at| at < model));
}

#[test]
fn a_recording_from_before_catena_had_its_own_name_is_carried_on_by_what_made_it() {
    let mut run = ask_by(&ENGINE, "catena", REFLUX);
    run.trace.method = "hykge".into();
    let first = run.kept()[0].clone();
    let revised = run.change(&ENGINE, &rejecting([first.clone()]));
    assert!(revised.warned("is called catena now"), "{:?}", revised.trace.warnings);
    let same = ask_by(&ENGINE, "catena", REFLUX).change(&ENGINE, &rejecting([first]));
    assert_eq!(revised.kept(), same.kept());
}

#[test]
fn every_kept_chain_and_every_other_is_explained_by_its_score() {
    let run = ask_by(&ENGINE, "hykge", REFLUX);
    let other = run.trace.pruning.runners_up.first().expect("one").chain;
    let explained = ENGINE.explain(&run.trace, other).expect("a chain");
    assert!(matches!(explained.fate, Fate::Outscored { .. }), "{:?}", explained.fate);
}

#[test]
fn descriptions_go_to_the_reranker_unless_they_are_left_out() {
    let read: Arc<Mutex<Vec<String>>> = Arc::default();
    let notes = Arc::clone(&read);
    let load = move || {
        let notes = Arc::clone(&notes);
        Ok(Table::boxed("cpu", move |queries, documents| {
            notes.lock().unwrap().extend_from_slice(documents);
            Ok(Matrix::new(documents.len(), vec![0.5; queries.len() * documents.len()]))
        }))
    };
    let mut builder = GraphBuilder::new("test");
    add_triples(&mut builder, TRIPLES);
    let entity = builder.entity("Zorbitis");
    builder.set_description(entity, "An inflammation of the zorb.");
    let models = EngineModels { reranker: Some(RerankerHandle::start("table", load).expect("a thread")), ..encoder().into() };
    let engine = open_with(builder.finish(), models, &EngineOptions::default());
    let described = |name: &str| {
        let _trace: Trace = ask_by(&engine, name, QUESTION).trace;
        let read = std::mem::take(&mut *read.lock().unwrap());
        assert!(!read.is_empty());
        read.iter().any(|text| text.contains("inflammation of the zorb"))
    };
    assert!(described("hykge") && !described("hykge-description"));
}

#[test]
fn without_each_of_its_parts_a_cross_encoder_still_ranks_by_eq_4() {
    let options = EngineOptions { top_k: Some(3), fragment_words: Some(4), fragment_overlap: Some(1), ..EngineOptions::default() };
    let (engine, asked) = with_reranker(graph_of(TRIPLES), &options);
    for part in ["", "-hypothesis", "-chains", "-description", "-fragment", "-rerank"] {
        let trace = ask_by(&engine, &format!("hykge{part}"), QUESTION).trace;
        let calls = std::mem::take(&mut *asked.lock().unwrap());
        assert_eq!(calls.is_empty(), part == "-rerank", "hykge{part}: {calls:?}");
        assert_eq!(trace.hypothesis.is_empty(), part == "-hypothesis");
        assert_eq!(trace.pruning.fragments.len() == 1, part == "-fragment", "hykge{part}: {:?}", trace.pruning.fragments);
        assert!(part != "-chains" || trace.table.chains.iter().all(|chain| chain.len() == 1), "single triples");
        if part == "-rerank" {
            assert!(trace.pruning.kept.iter().map(|scored| scored.chain).eq(0..3));
            continue;
        }
        let score = |text: &String| trace.pruning.fragments.iter().map(|fragment| f64::from(rule(fragment, text))).fold(0.0, f64::max);
        let mut expected: Vec<(f64, usize, String)> =
            texts(&trace).into_iter().enumerate().map(|(at, text)| (score(&text), at, text)).collect();
        expected.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        assert_eq!(kept(&trace), expected.iter().take(3).map(|(_, _, text)| text.clone()).collect::<Vec<_>>(), "hykge{part}");
    }
}
