//! The baselines of RoK and WTS (embedding retrieval, MindMap, CoT, ToG) through a scripted server, and rubbish in the place of each reply
//! of every other method that asks a language model.

use super::baselines::{QUESTION, TRIPLES, ask_bare, ask_usual, assert_rubbish_ends_no_run, served, triples};
use super::{ask_by, kept, texts};
use crate::support::engine::graph_of;

#[test]
fn cot_shows_five_examples_and_takes_the_answer_after_the_thoughts() {
    let asked = ask_usual("cot", &["Zorbitis hurts. Frizzol treats it. So the answer is (Frizzol)."]);
    assert_eq!(asked.prompts(), ["cot/answer"]);
    let call = &asked.calls[0];
    assert_eq!((call.matches("So the answer is (").count(), call.matches("Question: ").count()), (5, 5), "{call}");
    assert!(call.contains(QUESTION) && triples(call).is_empty());
    let answer = &asked.trace().answer;
    assert!(answer.by_model && answer.text.contains("Frizzol treats it") && !answer.grounded, "{}", answer.text);
}

#[test]
fn tog_scores_relations_then_entities_at_each_depth_until_it_is_enough() {
    // Entities: zorbitis, quux pain. Of zorbitis: → has symptom, → need medical test, ← treats (two drugs); of quux pain: ← has symptom (two).
    let replies = ["1: 0.10; 2: 0.00; 3: 0.90", "1: 0.20; 2: 0.80", "1: 0.50", "1: 0.10; 2: 0.70", "yes", "Wibblin treats Zorbitis."];
    let asked = ask_usual("tog", &replies);
    let names = ["tog/relations", "tog/entities", "tog/relations", "tog/entities", "wts/enough", "hykge/reader"];
    assert_eq!(asked.prompts(), names, "{:?}", asked.calls);
    assert!(asked.calls.iter().all(|call| call.contains(QUESTION)));
    let relations = |call: &str| call.lines().filter(|line| line.contains(". → ") || line.contains(". ← ")).count();
    assert_eq!((relations(&asked.calls[0]), relations(&asked.calls[2])), (3, 1), "{}", asked.calls[0]);
    assert!(asked.calls[0].contains("<entity>\nZorbitis\n</entity>") && asked.calls[2].contains("<entity>\nQuux pain\n</entity>"));
    assert!(triples(&asked.calls[1]).iter().all(|triple| triple.contains("treats")), "{}", asked.calls[1]);
    // 0.9 × 0.8, 0.5 × 0.7 and 0.9 × 0.2 are the best three of the five; the lone symptom of zorbitis has 0.1 × 1.
    let found = texts(asked.trace());
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[0].contains("treats") && found[1].contains("symptom") && found[2].contains("treats"), "{found:?}");
    assert_eq!(triples(&asked.calls[4]), found, "all that was kept is judged");
    assert_eq!(kept(asked.trace()), found[..2], "and the best of it shown: topK is 2 here");
    assert!(asked.trace().answer.by_model && asked.trace().answer.text.contains("Wibblin treats Zorbitis"));
}

#[test]
fn tog_goes_deeper_where_it_is_not_enough_and_never_takes_a_triple_twice() {
    let one = "1: 1.00; 2: 0.00; 3: 0.00";
    let replies = [one, "1: 0.00", "no", one, "1: 1.00", "no", "1: 1.00", "Unknown."];
    let asked = ask_usual("tog", &replies);
    let found = texts(asked.trace());
    let distinct: std::collections::BTreeSet<&String> = found.iter().collect();
    assert_eq!(distinct.len(), found.len(), "{found:?}");
    assert!(asked.prompts().iter().filter(|name| **name == "wts/enough").count() == 2 && found.len() > 1, "{:?}", asked.prompts());
}

#[test]
fn mindmap_has_paths_and_neighbours_told_and_answers_from_both() {
    let replies = ["1. Zorbitis comes with quux pain.", "1. Frizzol treats zorbitis.", "Frizzol treats Zorbitis."];
    let asked = ask_usual("mindmap", &replies);
    assert_eq!(asked.prompts(), ["mindmap/paths", "mindmap/neighbours", "mindmap/answer"]);
    let kept = kept(asked.trace());
    assert_eq!(kept.len(), 2);
    assert_eq!((triples(&asked.calls[0]), triples(&asked.calls[1])), (vec![kept[0].as_str()], vec![kept[1].as_str()]));
    assert!(kept[0].contains("Zorbitis") && kept[0].contains("Quux pain"), "the shortest path between what is asked about: {kept:?}");
    let last = &asked.calls[2];
    assert!(last.contains("<paths>\n1. Zorbitis comes with quux pain.\n</paths>"), "{last}");
    assert!(
        last.contains("<neighbours>\n1. Frizzol treats zorbitis.\n</neighbours>") && last.contains(QUESTION) && triples(last).is_empty()
    );
    assert!(asked.trace().answer.by_model && asked.trace().answer.text.contains("Frizzol treats Zorbitis"));
}

#[test]
fn embed_alone_has_the_model_answer_from_the_nearest_triples_in_one_call() {
    let (engine, server, thinking) = served(graph_of(TRIPLES), &["Frizzol treats Zorbitis."; 2]);
    let run = ask_bare(&engine, "embed", QUESTION);
    let names: Vec<&str> = run.trace.prompts.iter().map(|prompt| prompt.name.as_str()).collect();
    let requests = server.requests();
    assert_eq!((names, requests.len()), (vec!["hykge/reader"], 1));
    let request = requests[0].json();
    assert_eq!((request["temperature"].as_f64(), request["max_tokens"].as_u64()), (Some(0.6), Some(500 + thinking as u64)));
    let call = request["messages"].to_string();
    let shown: Vec<String> = texts(&run.trace).into_iter().filter(|triple| call.contains(triple.as_str())).collect();
    let kept = kept(&run.trace);
    assert!(call.contains(QUESTION) && shown.len() == 2 && kept.len() == 2, "topK is 2 here: {call}");
    assert!(kept.iter().all(|triple| shown.contains(triple)), "{kept:?} in {shown:?}");
    assert!(run.trace.answer.by_model && run.trace.answer.text.contains("Frizzol treats Zorbitis"), "{}", run.trace.answer.text);
    run.assert_sound();
    // Not alone, the model only adds to the answer that stands without it.
    let beside = ask_by(&engine, "embed", QUESTION);
    assert!(!beside.trace.answer.by_model, "{}", beside.trace.answer.text);
}

#[test]
fn rubbish_in_the_place_of_any_reply_costs_its_part_and_ends_no_run() {
    let score = "1: 0.90; 2: 0.80; 3: 0.70";
    let sure = r#"{"confidence": "Yes", "answer": "Frizzol.", "support_info": "1"}"#;
    let unsure = r#"{"confidence": "No", "answer": "Unknown.", "support_info": "none"}"#;
    let methods: [(&str, &[&str], bool); 12] = [
        ("base", &["Frizzol."], false),
        ("cot", &["It hurts. So the answer is (Frizzol)."], false),
        ("tog", &[score, score, score, score, "yes", "Frizzol."], false),
        ("mindmap", &["1. One.", "1. Two.", "Frizzol."], false),
        ("embed", &["Frizzol."], true),
        ("wts", &[score, unsure, score, sure], true),
        ("wts-em", &[score, sure], true),
        ("wts-esr", &[score, unsure, score, sure], true),
        ("rok", &["1. Zorbitis.", r#"["zorbitis", "quux pain"]"#, "1, 2", "- Frizzol."], true),
        ("wts", &[score, "yes", "- Frizzol [1]."], false),
        ("rok", &["1. Zorbitis.", "1, 2", "- Frizzol [1]."], false),
        ("catena", &["It is zorbitis.", "- Frizzol [1]."], false),
    ];
    for (method, replies, bare) in methods {
        assert_rubbish_ends_no_run(method, replies, bare);
    }
}
