//! Methods on small graphs, against what they are by definition.

use std::collections::BTreeSet;

use catena::graph::ChainKind;
use catena::method::{Engine, EngineOptions};
use proptest::prelude::*;

use super::baselines::ask_bare;
use super::models::engine_of;
use super::{ask_by, kept, texts};
use crate::support::engine::{encoder, graph_of, open_with};
use crate::support::models::Letters;
use catena::model::EncoderHandle;
use catena::run::Trace;

const REFLUX: &str = "\
Reflux\thas_symptom\tHeartburn
Reflux\thas_symptom\tRegurgitation
Reflux\tneed_medical_test\tGastroscopy
Reflux\tneed_medication\tOmeprazole
Reflux\tneed_medication\tRanitidine
Stomach ulcer\thas_symptom\tHeartburn
Stomach ulcer\tneed_medical_test\tGastroscopy
Omeprazole\tmay_cause\tNausea
Gastroscopy\tmay_cause\tSore throat
Fig\tgrows_on\tFig tree
";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    /// Up to two relations, RoK's paths are all simple paths between two key entities, whatever the directions; beside them stand the
    /// triples that lead elsewhere.
    #[test]
    fn rok_finds_every_path_between_two_key_entities(edges in prop::collection::btree_set((0usize..7, 0usize..2, 0usize..7), 1..14)) {
        // None of these is a word of the question's language, so that nothing else links.
        let name = |at: usize| ["zorba", "blorbu", "quuxi", "frizzo", "gnarpy", "wibblo", "snorku"][at];
        let lines: Vec<String> = edges.iter().filter(|(a, _, b)| a != b).map(|(a, r, b)| format!("{}\tr{r}\t{}", name(*a), name(*b))).collect();
        prop_assume!(!lines.is_empty());
        let engine = open_with(graph_of(&lines.join("\n")), encoder(), &EngineOptions { k: Some(2), ..EngineOptions::default() });
        let trace = ask_by(&engine, "rok", "zorba, blorbu, quuxi").trace;
        let key: BTreeSet<&str> = trace.anchors.iter().map(|anchor| anchor.entity.as_str()).collect();
        let arrow = |r: usize, forward: bool| if forward { format!(" → r{r} → ") } else { format!(" ← r{r} ← ") };
        let steps: Vec<(usize, String, usize)> = edges
            .iter()
            .filter(|(a, _, b)| a != b)
            .flat_map(|(a, r, b)| [(*a, arrow(*r, true), *b), (*b, arrow(*r, false), *a)])
            .collect();
        let mut paths = BTreeSet::new();
        for (a, first, b) in steps.iter().filter(|(a, ..)| key.contains(name(*a))) {
            if key.contains(name(*b)) {
                paths.insert(format!("{}{first}{}", name(*a), name(*b)));
            }
            for (_, second, c) in steps.iter().filter(|(from, _, c)| from == b && c != a && key.contains(name(*c))) {
                paths.insert(format!("{}{first}{}{second}{}", name(*a), name(*b), name(*c)));
            }
        }
        let found: Vec<(String, ChainKind)> = trace.table.chains.iter().map(|chain| (trace.table.text(chain), chain.kind())).collect();
        let between: Vec<&String> = found.iter().filter(|(_, kind)| *kind != ChainKind::Neighbour).map(|(text, _)| text).collect();
        if !between.is_empty() {
            // Each path stands there once, from one of its two ends.
            prop_assert_eq!(2 * between.len(), paths.len(), "{:?} {:?}", &between, &paths);
            prop_assert!(between.iter().all(|path| paths.contains(*path)));
        }
        let beside = steps.iter().filter(|(a, _, b)| key.contains(name(*a)) && !key.contains(name(*b)));
        for (a, step, b) in beside {
            let text = format!("{}{step}{}", name(*a), name(*b));
            let is_there = found.iter().any(|(found, kind)| *kind == ChainKind::Neighbour && *found == text);
            prop_assert!(is_there, "{}", text);
        }
    }
}

#[test]
fn rok_leaves_out_branches_of_a_relation_that_a_kept_path_shows() {
    // With one place for a path and one for a branch, the path Reflux → has symptom → Heartburn is kept.
    let options = EngineOptions { k: Some(1), top_k: Some(10), ..EngineOptions::default() };
    let engine = open_with(
        graph_of(
            "Reflux\thas_symptom\tHeartburn\nReflux\thas_symptom\tRegurgitation\nReflux\tneed_medical_test\tGastroscopy\nHiatus hernia\thas_symptom\tHeartburn\nBurnol\ttreats\tHeartburn",
        ),
        encoder(),
        &options,
    );
    let trace = ask_by(&engine, "rok", "Is my heartburn from reflux?").trace;
    let question_only = trace.anchors.iter().all(|anchor| ["Heartburn", "Reflux"].contains(&anchor.entity.as_str()));
    if question_only {
        // Reflux's other symptom and heartburn's other disease repeat the relation; test and drug do not.
        let kept = kept(&trace);
        assert!(kept[0].contains("Reflux") && kept[0].contains("Heartburn"), "{kept:?}");
        assert!(!kept.iter().any(|text| text.contains("Regurgitation") || text.contains("hernia")), "{kept:?}");
        assert!(kept.iter().any(|text| text.contains("Gastroscopy")) && kept.iter().any(|text| text.contains("Burnol")), "{kept:?}");
    } else {
        // The graph's own hypothesis names the rest; then all triples are paths between key entities.
        assert!(texts(&trace).len() >= 3);
    }
}

#[test]
fn kgrag_finds_the_triples_of_the_questions_entities_and_nothing_else() {
    let engine = open_with(graph_of(REFLUX), encoder(), &EngineOptions::default());
    let trace = ask_by(&engine, "kgrag", "I have reflux and nausea").trace;
    let anchors: Vec<&str> = trace.anchors.iter().map(|anchor| anchor.entity.as_str()).collect();
    assert_eq!(anchors, ["Reflux", "Nausea"]);
    let expected = REFLUX.lines().filter(|line| line.contains("Reflux") || line.contains("Nausea")).count();
    assert_eq!(trace.table.chains.len(), expected);
    assert!(trace.hypothesis.is_empty() && trace.truncated.is_none());
    let scores: Vec<f64> = trace.pruning.kept.iter().map(|scored| scored.score).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b) && scores[0] > *scores.last().expect("some"));
}

/// The cosine by an encoder that counts letters.
fn cosine(a: &str, b: &str) -> f64 {
    let vector = |text: &str| {
        let mut counts = [0f64; 64];
        text.bytes().for_each(|byte| counts[usize::from(byte % 64)] += 1.0);
        counts
    };
    let (a, b) = (vector(a), vector(b));
    let dot = |a: &[f64; 64], b: &[f64; 64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt()
}

#[test]
fn embed_finds_the_nearest_triples_of_all() {
    let letters = EncoderHandle::start("letters", || Ok(Letters::new(64, |_| Ok(())))).expect("a thread");
    let engine = open_with(graph_of(REFLUX), letters, &EngineOptions { top_k: Some(3), ..EngineOptions::default() });
    let question = "Fig tree grows on what?";
    let trace = ask_by(&engine, "embed", question).trace;
    let mut all: Vec<(f64, String)> = texts(&trace).into_iter().map(|text| (cosine(question, &text), text)).collect();
    assert_eq!(all.len(), REFLUX.lines().count(), "every triple is among the nearest 256");
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    assert_eq!(kept(&trace), all.iter().take(3).map(|(_, text)| text.clone()).collect::<Vec<_>>());
    for (scored, (cosine, _)) in trace.pruning.kept.iter().zip(&all) {
        assert!((scored.score - cosine).abs() < 1e-5);
    }
}

#[test]
fn wts_stops_where_the_reader_finds_what_is_asked_for() {
    let engine = |k: usize| open_with(graph_of(REFLUX), encoder(), &EngineOptions { k: Some(k), ..EngineOptions::default() });
    // What treats reflux is one triple away …
    let near = ask_by(&engine(3), "wts", "What medicine helps against reflux?").trace;
    assert!(texts(&near).iter().all(|text| text.starts_with("Reflux")), "{:?}", texts(&near));
    // … what omeprazole's disease needs for a test is two away.
    let far = ask_by(&engine(3), "wts", "Which tests go with omeprazole?").trace;
    assert!(texts(&far).iter().any(|text| text.contains("Gastroscopy")), "{:?}", texts(&far));
    let shallow = ask_by(&engine(1), "wts", "Which tests go with omeprazole?").trace;
    assert!(texts(&shallow).iter().all(|text| text.contains("Omeprazole")) && texts(&shallow).len() == 2, "{:?}", texts(&shallow));
    assert!(near.warnings.iter().any(|warning| warning.contains("No language model is in use")));
}

#[test]
fn vectors_of_triples_are_made_once() {
    let calls = std::sync::Arc::new(std::sync::Mutex::new(Vec::<String>::new()));
    let notes = std::sync::Arc::clone(&calls);
    let load = move || {
        let notes = std::sync::Arc::clone(&notes);
        Ok(Letters::new(64, move |texts| {
            notes.lock().unwrap().extend_from_slice(texts);
            Ok(())
        }))
    };
    let engine: Engine = open_with(graph_of(REFLUX), EncoderHandle::start("letters", load).expect("a thread"), &EngineOptions::default());
    for question in ["fig tree", "omeprazole", "reflux"] {
        ask_by(&engine, "embed", question);
        ask_by(&engine, "kgrag", question);
    }
    let triples: Vec<String> = calls.lock().unwrap().iter().filter(|text| text.contains(" → ")).cloned().collect();
    assert_eq!(triples.len(), REFLUX.lines().count(), "{triples:?}");
}

/// Which triples a search at the first depth has, as pairs of names in their order.
fn pairs(trace: &Trace) -> BTreeSet<[String; 2]> {
    let name = |node: &u32| trace.table.entities[*node as usize].name.clone();
    let pair = |nodes: &[u32]| {
        let mut pair = [name(&nodes[0]), name(&nodes[1])];
        pair.sort();
        pair
    };
    trace.table.chains.iter().map(|chain| pair(chain.nodes())).collect()
}

#[test]
fn wts_retrieves_what_its_three_ways_define() {
    // Names of odd letters are far from any question.
    let triples = [
        ("Reflux", "has_symptom", "Heartburn"),
        ("Reflux", "has_symptom", "Xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
        ("Reflux", "need_medical_test", "Gastroscopy"),
        ("Omeprazole", "treats", "Reflux"),
        ("Nausea", "comes_with", "Hhhhqhhhhqhhhhqhhhhqhhhhq"),
        ("Nausea", "comes_with", "Bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"),
        ("Omeprazole", "may_cause", "Nausea"),
        ("Fig", "grows_on", "Fig tree"),
    ];
    let lines: Vec<String> = triples.iter().map(|(head, relation, tail)| format!("{head}\t{relation}\t{tail}")).collect();
    let letters = EncoderHandle::start("letters", || Ok(Letters::new(64, |_| Ok(())))).expect("a thread");
    let options = EngineOptions { k: Some(1), top_k: Some(10), delta: Some(0.99), ..EngineOptions::default() };
    let engine = open_with(graph_of(&lines.join("\n")), letters, &options);
    let question = "Reflux and nausea, hhhhhhhhhhhhhhhhhhhhhhhhhhh: what helps?";
    let mut found = Vec::new();
    for method in ["wts-em", "wts-esr", "wts"] {
        let trace = ask_bare(&engine, method, question).trace;
        let entities: Vec<&str> = trace.anchors.iter().map(|anchor| anchor.entity.as_str()).collect();
        assert!(entities.len() <= 5 && entities.contains(&"Reflux") && entities.contains(&"Nausea"), "{entities:?}");
        // T^EM: every triple of an entity; T^SR: of those, what is within L of the query.
        let query = if method == "wts-esr" { entities.join(", ") } else { question.to_owned() };
        let is_retrieved = |(head, relation, tail): &&(&str, &str, &str)| {
            let text = format!("{head} → {} → {tail}", relation.replace('_', " "));
            let of_entity = entities.contains(head) || entities.contains(tail);
            of_entity && (method == "wts-em" || 1.0 - cosine(&query, &text) <= 0.55)
        };
        let expected: BTreeSet<[String; 2]> = triples
            .iter()
            .filter(is_retrieved)
            .map(|(head, _, tail)| {
                let mut pair = [(*head).to_owned(), (*tail).to_owned()];
                pair.sort();
                pair
            })
            .collect();
        assert_eq!(pairs(&trace), expected, "{method}");
        found.push(expected);
    }
    assert!(found[0].len() > found[1].len() && found[0].len() > found[2].len() && found[1] != found[2], "the three differ: {found:?}");
}

#[test]
fn wts_starts_from_at_most_five_entities_which_the_model_chooses() {
    let names = ["zorba", "blorbu", "quuxi", "frizzo", "gnarpy", "wibblo", "snorku"];
    let lines: Vec<String> = names.iter().map(|name| format!("{name}\thas_leaf\tleaf of {name}")).collect();
    for (reply, why) in
        [("7, 6, 2, 5, 4, 3", None), ("7", None), ("none of them", Some("chose no entities")), ("@@@ ]}>", Some("chose no entities"))]
    {
        let (engine, asked) = engine_of(graph_of(&lines.join("\n")), move |prompt| {
            Some(if prompt.contains("<entities>") {
                reply.into()
            } else if prompt.contains("Scores:") {
                "1: 0.90; 2: 0.80; 3: 0.70; 4: 0.60; 5: 0.50".into()
            } else {
                r#"{"confidence": "Yes", "answer": "A leaf.", "support_info": "1"}"#.into()
            })
        });
        let run = ask_bare(&engine, "wts-em", "zorba, blorbu, quuxi, frizzo, gnarpy, wibblo, snorku: which?");
        let call = asked.lock().unwrap()[0].clone();
        assert_eq!(run.trace.prompts[0].name, "wts/entities", "{:?}", run.trace.prompts);
        let listed: Vec<&str> = (1..=7).map(|number| listed_as(&call, number)).collect();
        assert!(names.iter().all(|name| listed.contains(name)) && call.contains("zorba, blorbu"), "{call}");
        let chosen: Vec<usize> = reply.split(", ").filter_map(|number| number.parse().ok()).collect();
        let starts: BTreeSet<String> = pairs(&run.trace).into_iter().flatten().filter(|name| names.contains(&name.as_str())).collect();
        let expected: BTreeSet<String> = chosen.iter().take(5).map(|number| listed[number - 1].to_owned()).collect();
        match why {
            None => assert_eq!(starts, expected, "{reply}"),
            // The surest and rarest five.
            Some(why) => assert!(run.warned(why) && starts.len() == 5, "{starts:?} {:?}", run.trace.warnings),
        }
    }
}

/// The text behind a number in a prompt.
fn listed_as(prompt: &str, number: usize) -> &str {
    let begin = format!("{number}. ");
    prompt.lines().find_map(|line| line.strip_prefix(&begin)).unwrap_or_else(|| panic!("{number} in {prompt}"))
}
