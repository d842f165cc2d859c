//! A language model may add, never take away: models on a server that say the worst things by script, and a small real one. Whatever they say, the
//! run has every line, entity and chain that it has without a model, in the same order, and the same outcome.

use std::sync::{Arc, LazyLock};

use crate::support::data::smollm2;
use crate::support::engine::{ENGINE, encoder, open, open_with, starter};
use crate::support::http::{self, Scripted, Step};
use crate::support::models::Script;
use candle_core::Device;
use catena::config::RemoteTable;
use catena::language::Prompts;
use catena::method::{Engine, EngineModels, EngineOptions};
use catena::model::infer::lm;
use catena::model::{CancelToken, Generator, GeneratorHandle, RemoteGenerator, Sampling};
use catena::run::{AnswerPart, AskOptions, Event, EventKind, MethodName, Outcome, Trace};
use serde::Deserialize;

/// Questions of different kinds: a diagnosis, a treatment, safety, in Chinese, an emergency, and two that are refused.
const QUESTIONS: [&str; 7] = [
    "I have heartburn after meals and regurgitation at night. What could it be?",
    "What is the first-line treatment of type 2 diabetes?",
    "Is ibuprofen safe in a patient with chronic kidney disease who takes lisinopril?",
    "饭后烧心、反酸，应该吃什么药？",
    "Sudden crushing chest pain spreading to the left arm, sweating.",
    "Who won the cup?",
    "What does flurbinoxaline do for quindle syndrome?",
];

/// A text of a model, whatever it is asked. `benches/language_model/` says the same ones.
#[derive(Deserialize)]
struct Adversary {
    name: String,
    text: String,
}

/// What a model says to every request.
fn adversaries() -> Vec<Adversary> {
    let all: Vec<Adversary> = serde_json::from_str(include_str!("../data/adversaries.json")).expect("valid JSON");
    assert_eq!(all.len(), 8);
    all
}

/// An engine whose language model is a server that says one thing, however often it is asked.
fn engine_that_says(text: &str) -> (Engine, Scripted) {
    let replies: Vec<Vec<Step>> = (0..200).map(|_| http::text(text)).collect();
    let server = Scripted::start(replies);
    let table = format!("base_url = \"{}\"\nmodel = \"adversary\"\nproxy = \"none\"\n", server.url());
    let table: RemoteTable = toml::from_str(&table).expect("a table");
    let config = table.resolve("clinic").expect("a usable table");
    let load = move || {
        let generator = RemoteGenerator::open(config.clone())?;
        Ok(Box::new(generator) as Box<dyn catena::model::Generator>)
    };
    let generator = GeneratorHandle::start("adversary", load).expect("a thread");
    (open(starter(), EngineModels { generator: Some(generator), ..EngineModels::from(encoder()) }), server)
}

fn ask(engine: &Engine, question: &str, method: MethodName) -> (Vec<Event>, Trace, Outcome) {
    let mut events = Vec::new();
    let options = AskOptions { method: Some(method), ..AskOptions::default() };
    let outcome = engine.run(question, options, &CancelToken::new(), &mut |event| {
        events.push(event);
        true
    });
    let trace = Trace::fold(&events);
    (events, trace, outcome)
}

fn kept(trace: &Trace) -> Vec<String> {
    trace.kept().map(|(_, _, chain)| trace.table.text(chain)).collect()
}

/// Asserts that a run with a model has all of a run without.
fn assert_nothing_is_lost(what: &str, without: &(Vec<Event>, Trace, Outcome), with: &(Vec<Event>, Trace, Outcome)) {
    let ((_, base, base_outcome), (events, grown, outcome)) = (without, with);
    assert_eq!(base_outcome, outcome, "{what}");
    assert_eq!(base.urgency, grown.urgency, "{what}");
    assert_eq!(base.case.refusal, grown.case.refusal, "{what}");
    assert_eq!(base.answer.lines[..], grown.answer.lines[..base.answer.lines.len()], "{what}");
    let added = &grown.answer.lines[base.answer.lines.len()..];
    assert!(added.iter().all(|line| line.part.is_of_model()), "{what}: {added:?}");
    assert!(grown.answer.text.starts_with(&base.answer.text), "{what}: {}", grown.answer.text);
    assert_eq!(base.answer.entities[..], grown.answer.entities[..base.answer.entities.len()], "{what}");
    assert_eq!((base.answer.grounded, false, false), (grown.answer.grounded, grown.answer.by_model, grown.answer.refining), "{what}");
    assert!(base.answer.citations.iter().all(|id| grown.answer.citations.contains(id)), "{what}");
    assert_eq!(base.answer.more, grown.answer.more, "{what}");
    let (kept_before, kept_now) = (kept(base), kept(grown));
    assert_eq!(kept_before[..], kept_now[..kept_before.len()], "{what}");
    assert!(kept_now.len() <= kept_before.len() + 5 && grown.pruning.of_model == kept_now.len() - kept_before.len(), "{what}");
    // Every anchor that the run has without the model is there, as it was.
    assert_eq!(base.anchors[..], grown.anchors[..base.anchors.len()], "{what}");
    assert!(grown.anchors[base.anchors.len()..].iter().all(|anchor| anchor.by_model), "{what}");
    assert!(grown.hypothesis.starts_with(&base.hypothesis), "{what}");
    assert!(grown.faults().is_empty(), "{what}: {:?}", grown.faults());
    // The answer stood before the model was asked anything.
    let finished = events.iter().position(|event| matches!(event.what, EventKind::AnswerFinished { .. })).expect("an answer");
    let asked = events.iter().position(|event| matches!(event.what, EventKind::PromptSent { .. }));
    assert!(asked.is_none_or(|asked| finished < asked), "{what}: the model was asked before there was an answer");
}

type Asked = (Vec<Event>, Trace, Outcome);

static WITHOUT: LazyLock<Vec<Asked>> =
    LazyLock::new(|| QUESTIONS.iter().map(|question| ask(&ENGINE, question, MethodName::default())).collect());

#[test]
fn whatever_a_model_says_everything_that_the_run_has_without_it_stays_in_its_place() {
    for Adversary { name, text } in adversaries() {
        let (engine, _server) = engine_that_says(&text);
        for (question, without) in QUESTIONS.iter().zip(WITHOUT.iter()) {
            let with = ask(&engine, question, MethodName::default());
            assert_nothing_is_lost(&format!("{name}: {question}"), without, &with);
            let forbidden = ["arsenic", "amputation"];
            let entities = with.1.answer.entities.join(" ").to_lowercase();
            assert!(forbidden.iter().all(|word| !entities.contains(word)), "{name}: {entities}");
            if with.1.case.refusal.is_some() {
                assert!(with.1.prompts.is_empty(), "{name}: no model is asked about {question}");
                continue;
            }
            // What is false in all of its sentences is not shown but as such.
            let adds: Vec<&str> =
                with.1.answer.lines.iter().filter(|line| line.part == AnswerPart::ModelAdds).map(|line| line.text.as_str()).collect();
            assert!(adds.is_empty(), "{name}: {question}: {adds:?}");
            assert_eq!(with.1.answer.lines.last().map(|line| line.part), Some(AnswerPart::ModelNote), "{name}: {question}");
        }
    }
}

/// Otherwise the wall would be random words too.
#[test]
fn the_wall_of_names_is_of_names_in_the_graph() {
    let wall = adversaries().into_iter().find(|adversary| adversary.name == "a wall of names").expect("it is there").text;
    let knowledge = ENGINE.knowledge();
    let names = knowledge.graph.names();
    let known = wall.split(", ").filter(|name| !names.lookup_exact(name).is_empty()).count();
    assert!(known >= 100, "{known}");
}

/// The most tokens that the real model writes at a time: enough for a few sentences.
const TOKENS: usize = 48;

#[test]
fn a_real_model_takes_nothing_away_either() {
    let Some(file) = smollm2() else { return };
    let load = move || {
        let mut model = lm::open(&file, &Device::Cpu, &lm::Options { context: Some(4096), ..lm::Options::default() })?;
        let script: Box<dyn Generator> = Script::boxed(move |prompt, sampling, emit| {
            model.generate(prompt, &Sampling { max_tokens: sampling.max_tokens.min(TOKENS), ..sampling.clone() }, emit)
        });
        Ok(script)
    };
    let models =
        EngineModels { generator: Some(GeneratorHandle::start("smollm2", load).expect("a thread")), ..EngineModels::from(encoder()) };
    let options = EngineOptions { prompts: Prompts::built_in().sized(true), ..EngineOptions::default() };
    let engine = open_with(starter(), models, &options);
    for (question, without) in QUESTIONS.iter().zip(WITHOUT.iter()).take(2) {
        let with = ask(&engine, question, MethodName::default());
        assert_nothing_is_lost(question, without, &with);
        // It was asked, and what it wrote is there, or a line says why not.
        assert_eq!(with.1.prompts.len(), 2, "{question}");
        assert!(with.1.model_hypothesis.is_some_and(|begins| begins < with.1.hypothesis.len()), "{question}: {}", with.1.hypothesis);
        assert!(with.1.answer.lines.len() > without.1.answer.lines.len(), "{question}: {}", with.1.answer.text);
    }
}

#[test]
fn the_methods_that_ask_a_model_more_often_lose_nothing_either() {
    for method in ["rok", "wts"] {
        let method: MethodName = method.parse().expect("known");
        let (engine, _server) = engine_that_says("1, 2, 3\n1: 0.0\n2: 1.0\nno, arsenic");
        for question in &QUESTIONS[..3] {
            let without = ask(&ENGINE, question, method);
            let with = ask(&engine, question, method);
            assert_nothing_is_lost(&format!("{method}: {question}"), &without, &with);
        }
    }
}

#[test]
fn a_revision_keeps_what_the_run_without_a_model_would_have() {
    let lie = "Lansoprazole treats heartburn. Gastroscopy is a test for gastritis. Coeliac disease causes heartburn.";
    let (engine, _server) = engine_that_says(lie);
    let question = QUESTIONS[0];
    let without = ask(&ENGINE, question, MethodName::default());
    let with = ask(&engine, question, MethodName::default());
    assert_nothing_is_lost("first", &without, &with);
    let rejected = kept(&without.1)[0].clone();
    let triage = |trace: &Trace| {
        let (_, _, chain) = trace.kept().next().expect("a kept chain");
        let mut triage = catena::run::Triage::default();
        triage.rejected.insert(catena::run::ChainKey::of(&trace.table, chain));
        Arc::new(triage)
    };
    let revise = |engine: &Engine, asked: &Asked| {
        let (mut events, trace) = (asked.0.clone(), &asked.1);
        engine.carry_on(trace, &triage(trace), catena::run::Stage::Read, &CancelToken::new(), &mut |event| {
            events.push(event);
            true
        });
        Trace::fold(&events)
    };
    let (before, after) = (revise(&ENGINE, &without), revise(&engine, &with));
    let (kept_before, kept_after) = (kept(&before), kept(&after));
    assert!(!kept_before.contains(&rejected) && !kept_after.contains(&rejected));
    assert_eq!(kept_before[..], kept_after[..kept_before.len()]);
    assert_eq!(before.answer.lines[..], after.answer.lines[..before.answer.lines.len()]);
}
