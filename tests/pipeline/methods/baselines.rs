//! HyKGE's baselines and the published loops of WTS and RoK through a scripted server: which calls, in which order, with what in them; and what becomes of
//! replies that are none.

use catena::config::RemoteTable;
use catena::method::{Engine, EngineModels, EngineOptions};
use catena::model::{CancelToken, Generator, GeneratorHandle, RemoteGenerator};
use catena::run::{AnchorOrigin, AskOptions, Outcome, Trace};

use super::{ask_by, kept, texts};
use crate::support::engine::{encoder, graph_of, open_with, starter};
use crate::support::http::{self, Scripted};
use crate::support::runs::{REFLUX, Run};

pub(super) const TRIPLES: &str = "\
Zorbitis\thas_symptom\tQuux pain
Blorb fever\thas_symptom\tQuux pain
Zorbitis\tneed_medical_test\tGnarposcopy
Frizzol\ttreats\tZorbitis
Wibblin\ttreats\tZorbitis
Frizzol\tmay_cause\tSnorku rash";
pub(super) const QUESTION: &str = "Which drug treats zorbitis with quux pain?";

/// An engine whose language model is a server with these replies, and the tokens that the server may think besides.
pub(super) fn served(graph: catena::graph::Graph, replies: &[&str]) -> (Engine, Scripted, usize) {
    let server = Scripted::start(replies.iter().map(|reply| http::text(reply)).collect::<Vec<_>>());
    let table = format!("base_url = \"{}\"\nmodel = \"ward\"\nproxy = \"none\"\nretries = 0\n", server.url());
    let table: RemoteTable = toml::from_str(&table).expect("a table");
    let config = table.resolve("clinic").expect("a usable table");
    let thinking = config.thinking_tokens;
    let load = move || Ok(Box::new(RemoteGenerator::open(config.clone())?) as Box<dyn Generator>);
    let generator = GeneratorHandle::start("ward", load).expect("a thread");
    let models = EngineModels { generator: Some(generator), ..EngineModels::from(encoder()) };
    (open_with(graph, models, &EngineOptions { top_k: Some(2), ..EngineOptions::default() }), server, thinking)
}

pub(super) struct Asked {
    pub(super) run: Run,
    /// What the model was asked, in order: both messages of each call.
    pub(super) calls: Vec<String>,
    /// The names of the forms that its replies should have; empty for texts that people read.
    pub(super) forms: Vec<String>,
}

impl Asked {
    pub(super) fn trace(&self) -> &Trace {
        &self.run.trace
    }

    pub(super) fn prompts(&self) -> Vec<&str> {
        self.run.trace.prompts.iter().map(|prompt| prompt.name.as_str()).collect()
    }
}

pub(super) fn ask(method: &str, replies: &[&str], (temperature, tokens): (f64, u64)) -> Asked {
    let (engine, server, thinking) = served(graph_of(TRIPLES), replies);
    let run = ask_by(&engine, method, QUESTION);
    let requests = server.requests();
    assert_eq!(requests.len(), run.trace.prompts.len(), "{method}");
    for request in &requests {
        let request = request.json();
        assert_eq!((request["temperature"].as_f64(), request["max_tokens"].as_u64()), (Some(temperature), Some(tokens + thinking as u64)));
    }
    let text = |request: &http::Request| {
        let request = request.json();
        let messages = request["messages"].as_array().expect("messages").clone();
        messages.iter().filter_map(|message| message["content"].as_str()).collect::<Vec<_>>().join("\n")
    };
    let calls = requests.iter().map(text).collect();
    let form = |request: &http::Request| request.json()["response_format"]["json_schema"]["name"].as_str().unwrap_or_default().to_owned();
    let forms = requests.iter().map(form).collect();
    run.assert_sound();
    Asked { run, calls, forms }
}

/// The same with the settings of HyKGE's paper (A.2.3).
pub(super) fn ask_usual(method: &str, replies: &[&str]) -> Asked {
    ask(method, replies, (0.6, 500))
}

/// The lines of a prompt that are numbered triples.
pub(super) fn triples(call: &str) -> Vec<&str> {
    let numbered = call.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()) && line.contains(['→', '←']));
    numbered.filter_map(|line| line.split_once(". ").map(|(_, triple)| triple)).collect()
}

#[test]
fn kgrag_and_base_take_one_call() {
    let asked = ask_usual("kgrag", &["Frizzol treats Zorbitis."]);
    assert_eq!(asked.prompts(), ["hykge/reader"]);
    assert!(kept(asked.trace()).iter().all(|triple| asked.calls[0].contains(triple.as_str())));
    assert!(asked.trace().answer.by_model && asked.trace().answer.text.contains("Frizzol treats Zorbitis"));
    let asked = ask_usual("base", &["Frizzol."]);
    assert_eq!(asked.prompts(), ["base/answer"]);
    assert!(asked.calls[0].contains(QUESTION) && !asked.calls[0].contains("→"));
}

#[test]
fn qe_searches_with_what_the_model_adds_to_the_question() {
    let asked = ask_usual("qe", &["wibblin, snorku rash", "Wibblin treats Zorbitis."]);
    assert_eq!(asked.prompts(), ["qe/expansion", "hykge/reader"]);
    assert!(asked.calls[0].contains(QUESTION) && !asked.calls[0].contains("→"));
    let trace = asked.trace();
    assert_eq!(trace.hypothesis, "wibblin, snorku rash");
    let added = |name: &str| trace.anchors.iter().any(|anchor| anchor.entity == name && anchor.origin == AnchorOrigin::Hypothesis);
    assert!(added("Wibblin") && added("Snorku rash"), "{:?}", trace.anchors);
    assert!(texts(trace).iter().any(|text| text.contains("Snorku rash")), "{:?}", texts(trace));
    assert!(trace.answer.text.contains("Wibblin treats Zorbitis"), "{}", trace.answer.text);
}

#[test]
fn con_answers_from_its_notes() {
    let asked = ask_usual("con", &["1. It treats the disease.\n2. Irrelevant.", "Frizzol treats Zorbitis."]);
    assert_eq!(asked.prompts(), ["chain-of-note/notes", "chain-of-note/answer"]);
    assert_eq!(triples(&asked.calls[0]), kept(asked.trace()), "the kept triples in their order");
    assert!(asked.calls[1].contains("1. It treats the disease.\n2. Irrelevant.") && triples(&asked.calls[1]).is_empty());
    assert!(asked.calls.iter().all(|call| call.contains(QUESTION)));
}

#[test]
fn cok_corrects_one_step_after_the_other() {
    let replies =
        ["1. Zorbitis has quux pain.\n2. Snorku treats it.\n3. Too many.", "Zorbitis has Quux pain.", "Frizzol treats it.", "Frizzol."];
    let asked = ask_usual("cok", &replies);
    assert_eq!(asked.prompts(), ["cok/rationales", "cok/correct", "cok/correct", "cok/answer"]);
    let [first, second, third, last] = &asked.calls[..] else { panic!("four calls") };
    assert!(first.contains(QUESTION) && triples(first).is_empty());
    assert!(second.contains("<step>\nZorbitis has quux pain.\n</step>") && second.contains("<corrected>\n\n</corrected>"), "{second}");
    assert!(triples(second)[0].contains("Quux pain"), "what is retrieved for this step: {second}");
    assert!(
        third.contains("<step>\nSnorku treats it.\n</step>") && third.contains("<corrected>\nZorbitis has Quux pain.\n</corrected>"),
        "{third}"
    );
    assert!(last.contains("<corrected>\nZorbitis has Quux pain.\nFrizzol treats it.\n</corrected>") && triples(last).is_empty(), "{last}");
}

#[test]
fn kalmv_retrieves_or_writes_again_until_the_verifier_agrees() {
    let asked = ask_usual("kalmv", &["Frizzol treats Zorbitis.", "A"]);
    assert_eq!(asked.prompts(), ["kalmv/answer", "kalmv/verify"]);
    assert_eq!(triples(&asked.calls[0]), kept(asked.trace()));
    assert!(
        asked.calls[1].contains("<answer>\nFrizzol treats Zorbitis.\n</answer>") && triples(&asked.calls[1]) == triples(&asked.calls[0])
    );

    let asked = ask_usual("kalmv", &["One.", "B", "Two.", "C: no", "Wibblin treats Zorbitis.", "A"]);
    assert_eq!(asked.prompts(), ["kalmv/answer", "kalmv/verify"].repeat(3));
    assert_ne!(triples(&asked.calls[2]), triples(&asked.calls[0]), "other triples are retrieved");
    assert_eq!(triples(&asked.calls[4]), triples(&asked.calls[2]), "the answer alone is written again");
    assert!(asked.trace().answer.text.contains("Wibblin treats Zorbitis") && !asked.trace().answer.text.contains("Two."));

    let asked = ask_usual("kalmv", &["One.", "C", "Two.", "C", "Three.", "C"]);
    assert!(asked.run.warned("accepted none of 3 answers") && asked.trace().answer.text.contains("Three."));
    let asked = ask_usual("kalmv", &["One.", "Perhaps"]);
    assert!(asked.run.warned("none of A, B and C") && asked.trace().answer.text.contains("One."));
}

#[test]
fn kg_gpt_infers_from_the_relations_that_it_chooses() {
    let replies = ["Something treats zorbitis.\nZorbitis has quux pain.\nThere is a test.", "3", "1, 1", "0", "Frizzol treats Zorbitis."];
    let asked = ask_usual("kggpt", &replies);
    assert_eq!(asked.prompts(), ["kggpt/split", "kggpt/relations", "kggpt/relations", "kggpt/relations", "hykge/reader"]);
    assert!(asked.calls[0].contains(QUESTION));
    for (call, part) in asked.calls[1..4].iter().zip(["Something treats zorbitis.", "Zorbitis has quux pain.", "There is a test."]) {
        assert!(call.contains(&format!("<sentence>\n{part}\n</sentence>")), "{call}");
        assert!(call.contains("1. has symptom\n2. need medical test\n3. treats\n"), "{call}");
    }
    let found = texts(asked.trace());
    assert!(found.iter().all(|text| text.contains("treats") || text.contains("has symptom")) && found.len() > 2, "{found:?}");
    assert!(kept(asked.trace()).iter().all(|triple| asked.calls[4].contains(triple.as_str())));
    let none = ask_usual("kggpt", &["What?", "none", "Frizzol treats Zorbitis."]);
    assert!(none.run.warned("chose no relations") && texts(none.trace()).iter().any(|text| text.contains("test")));
}

#[test]
fn sure_gives_the_candidate_whose_summary_wins() {
    let replies = ["1. Frizzol\n2. Wibblin\n3. Snorku", "Frizzol is named.", "Wibblin treats Zorbitis.", "No.", "Yes.", "2"];
    let asked = ask_usual("sure", &replies);
    let names = ["sure/candidates", "sure/summary", "sure/summary", "sure/valid", "sure/valid", "sure/rank"];
    assert_eq!(asked.prompts(), names);
    assert_eq!(triples(&asked.calls[0]), kept(asked.trace()));
    for (at, candidate, summary) in [(0, "Frizzol", "Frizzol is named."), (1, "Wibblin", "Wibblin treats Zorbitis.")] {
        assert!(asked.calls[1 + at].contains(&format!("<candidate>\n{candidate}\n</candidate>")));
        assert_eq!(triples(&asked.calls[1 + at]), triples(&asked.calls[0]));
        let valid = &asked.calls[3 + at];
        assert!(valid.contains(&format!("<summary>\n{summary}\n</summary>")) && valid.contains(candidate), "{valid}");
    }
    assert!(asked.calls[5].contains("1. Frizzol is named.\n2. Wibblin treats Zorbitis.\n"), "{}", asked.calls[5]);
    let answer = &asked.trace().answer;
    assert!(answer.text.contains("Wibblin treats Zorbitis") && !answer.text.contains("Frizzol"), "{}", answer.text);
    assert!(answer.by_model && answer.entities.contains(&"Wibblin".to_owned()));
}

#[test]
fn lists_are_asked_for_and_read_as_json() {
    let asked = ask_usual("cok", &[r#"{"steps": ["Zorbitis has quux pain.", "Snorku treats it."]}"#, "One.", "Two.", "Frizzol."]);
    assert_eq!(asked.forms, ["steps", "", "", ""]);
    assert!(asked.calls[2].contains("<step>\nSnorku treats it.\n</step>"), "{}", asked.calls[2]);
    let asked = ask_usual("kggpt", &[r#"{"parts": ["Something treats zorbitis."]}"#, "3", "Frizzol treats Zorbitis."]);
    assert_eq!(asked.forms, ["parts", "answer", ""]);
    assert!(asked.calls[1].contains("<sentence>\nSomething treats zorbitis.\n</sentence>"), "{}", asked.calls[1]);
    // Some servers leave the object out.
    let asked = ask_usual("sure", &[r#"["Frizzol", "Wibblin"]"#, "One.", "Wibblin treats Zorbitis.", "no", "yes", "2"]);
    assert_eq!(asked.forms, ["answers", "", "", "answer", "answer", "answer"]);
    assert!(asked.calls[2].contains("<candidate>\nWibblin\n</candidate>"), "{}", asked.calls[2]);
    assert!(asked.trace().answer.text.contains("Wibblin treats Zorbitis") && asked.trace().warnings.is_empty());
}

#[test]
fn a_malformed_reply_to_any_call_costs_its_part_and_ends_no_run() {
    let methods: [(&str, &[&str]); 11] = [
        ("kgrag", &["Frizzol treats Zorbitis."]),
        ("qe", &["wibblin", "Wibblin."]),
        ("con", &["1. It treats.", "Frizzol."]),
        ("cok", &["One step.\nTwo steps.", "One.", "Two.", "Frizzol."]),
        ("kalmv", &["One.", "C", "Frizzol.", "A"]),
        ("kggpt", &["One part.\nTwo parts.", "3", "1", "Frizzol."]),
        ("sure", &["Frizzol\nWibblin", "One.", "Two.", "yes", "no", "1"]),
        ("hykge", &["It is zorbitis.", "Frizzol."]),
        ("hykge+ner", &["It is zorbitis.", r#"["quux pain", "zorbitis"]"#, "Frizzol."]),
        ("hykge+reranker", &["It is zorbitis.", "1: 0.90; 2: 0.10", "Frizzol."]),
        ("hykge+summary", &["It is zorbitis.", "It hurts.", "Frizzol."]),
    ];
    for (method, replies) in methods {
        assert_rubbish_ends_no_run(method, replies, false);
    }
}

/// Replaces each reply by rubbish of three kinds: the run still ends with an answer, and nothing of the rubbish gets into a terminal or the form of a prompt.
pub(super) fn assert_rubbish_ends_no_run(method: &str, replies: &[&str], bare: bool) {
    for at in 0..replies.len() {
        for wrong in [" \n", "@@@ ]}> 99999999999999999999", "</question></triples> [1] \u{1b}[31m"] {
            let mut replies: Vec<&str> = replies.to_vec();
            replies[at] = wrong;
            replies.extend(["Frizzol treats Zorbitis."; 24]);
            let (engine, server, _) = served(graph_of(TRIPLES), &replies);
            let run = if bare { ask_bare(&engine, method, QUESTION) } else { ask_by(&engine, method, QUESTION) };
            let trace = &run.trace;
            // Without a graph and without a reply there is nothing to say, and the run says that.
            let alone = matches!(method, "base" | "cot") && wrong.trim().is_empty();
            let expected = if alone { Outcome::NothingFound } else { Outcome::Answered };
            assert_eq!(trace.outcome, Some(expected), "{method} {at} {wrong:?}");
            assert!(!trace.answer.text.trim().is_empty() && !trace.answer.text.contains('\u{1b}'), "{method} {at} {wrong:?}");
            assert!(server.requests().len() < replies.len(), "{method} {at} {wrong:?}");
            assert!(wrong.trim().len() > 1 || !trace.warnings.is_empty(), "{method} {at}: nothing is said of an empty reply");
            for request in server.requests() {
                let body = request.json().to_string();
                assert!(!body.contains("</question></triples> [1]"), "{method} {at}: {body}");
            }
            run.assert_sound();
        }
    }
}

pub(super) fn ask_bare(engine: &Engine, method: &str, question: &str) -> Run {
    let mut run = Run { trace: Trace::default(), events: Vec::new(), latest: 0 };
    let options = AskOptions { method: Some(super::method(method)), bare: true, ..AskOptions::default() };
    engine.run(question, options, &CancelToken::new(), &mut |event| run.take(event));
    run
}

const SURE: &str = r#"{"confidence": "Yes", "answer": "It is Gnarpitis.", "support_info": "1"}"#;
const UNSURE: &str = r#"{"confidence": "No", "answer": "Unknown.", "support_info": "none"}"#;
/// At each depth one triple more.
const LINE: &str = "Zorbitis\tleads_to\tQuux pain\nQuux pain\tleads_to\tSnorku rash\nSnorku rash\tleads_to\tGnarpitis";

#[test]
fn wts_alone_scores_and_reasons_at_each_depth_until_it_is_confident() {
    let score = "1: 0.90";
    for (replies, depth, confident) in [
        (vec![score, SURE], 1, true),
        (vec![score, UNSURE, score, SURE], 2, true),
        (vec![score, UNSURE, "rubbish", "not JSON", score, UNSURE], 3, false),
    ] {
        let (engine, server, thinking) = served(graph_of(LINE), &replies);
        let run = ask_bare(&engine, "wts-em", "zorbitis?");
        let trace = &run.trace;
        let names: Vec<&str> = trace.prompts.iter().map(|prompt| prompt.name.as_str()).collect();
        assert_eq!(names, ["wts/score", "wts/answer"].repeat(depth), "{:?}", trace.warnings);
        let reasoned = trace.reasoned.expect("it has reasoned");
        assert_eq!((reasoned.depth, reasoned.deepest, reasoned.confident), (depth as u64, 3, confident));
        let requests = server.requests();
        for request in &requests {
            let request = request.json();
            assert_eq!((request["temperature"].as_f64(), request["max_tokens"].as_u64()), (Some(0.2), Some(2048 + thinking as u64)));
        }
        // All triples that were kept so far make the prompt.
        let last = requests.last().expect("a request").json()["messages"].to_string();
        assert_eq!(last.matches("leads to").count(), depth, "{last}");
        assert!(trace.answer.by_model && trace.answer.text.contains(if confident { "It is Gnarpitis" } else { "Unknown." }));
        assert_eq!(depth == 3, run.warned("not the JSON asked for") && run.warned("gave no scores"), "{:?}", trace.warnings);
    }
}

#[test]
fn wts_alone_has_every_triple_scored_in_portions() {
    let scores: Vec<String> = (1..=60).map(|number| format!("{number}: 0.50")).collect();
    let scores = scores.join("; ");
    let mut replies: Vec<&str> = vec![scores.as_str(); 5];
    for used in 1..=5 {
        // The answer comes after as many portions as there are.
        replies.truncate(used);
        replies.push(SURE);
        let (engine, _server, _) = served(starter(), &replies);
        let run = ask_bare(&engine, "wts-em", REFLUX);
        let names: Vec<&str> = run.trace.prompts.iter().map(|prompt| prompt.name.as_str()).collect();
        let scored = names.iter().filter(|name| **name == "wts/score").count();
        if run.trace.reasoned.is_some_and(|reasoned| reasoned.confident && reasoned.depth == 1) && scored == used {
            assert_eq!(scored, run.trace.table.chains.len().div_ceil(60), "{names:?}");
            assert!(run.trace.table.chains.len() > 60 && used > 1, "{} triples", run.trace.table.chains.len());
            return;
        }
        replies = vec![scores.as_str(); 5];
    }
    panic!("no number of portions fits");
}

#[test]
fn rok_alone_keeps_the_top_paths_and_every_branch_that_the_model_likes() {
    let expansion = "1. Zorbitis.\n2. Frizzol, not wibblin.";
    let entities = r#"["quux pain", "blorb fever", "Zorbitis", "Frizzol"]"#;
    let replies = [expansion, entities, "1, 2, 3, 4, 5, 6", "- It may be Zorbitis.\n- Frizzol treats Zorbitis."];
    let (engine, server, _) = served(graph_of(TRIPLES), &replies);
    let run = ask_bare(&engine, "rok", "quux pain and blorb fever: what is it?");
    let trace = &run.trace;
    let names: Vec<&str> = trace.prompts.iter().map(|prompt| prompt.name.as_str()).collect();
    assert_eq!((names, server.requests().len()), (vec!["rok/expansion", "rok/entities", "rok/branches", "rok/answer"], 4));
    assert_eq!(trace.hypothesis, expansion);
    let call = server.requests()[1].json()["messages"].to_string();
    assert!(call.contains("quux pain and blorb fever") && call.contains("Frizzol, not wibblin"), "{call}");
    let mut key: Vec<&str> = trace.anchors.iter().map(|anchor| anchor.entity.as_str()).collect();
    key.sort_unstable();
    assert_eq!(key, ["Blorb fever", "Frizzol", "Quux pain", "Zorbitis"], "what the second call lists, and nothing else");
    assert!(trace.answer.by_model && trace.answer.text.contains("Frizzol treats Zorbitis ["), "{}", trace.answer.text);
    let kept = kept(trace);
    let branches = kept.iter().filter(|text| text.contains("Wibblin") || text.contains("Gnarposcopy") || text.contains("Snorku")).count();
    assert!(kept.len() == 2 + branches && branches > 0, "{kept:?}");
    // Blorb fever → quux pain ← zorbitis ← frizzol.
    assert!(texts(trace).iter().any(|text| text.matches(['→', '←']).count() == 6), "{:?}", texts(trace));
}
