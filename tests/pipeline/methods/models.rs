//! Methods whose papers ask a language model, with one by script.

use std::sync::{Arc, Mutex};

use catena::method::{Engine, EngineModels};
use catena::model::{Finish, GeneratorHandle, ModelError};
use catena::run::{Outcome, Stage};

use super::{ask_by, kept};
use crate::support::engine::{encoder, open, starter};
use crate::support::models::{Script, generation};
use crate::support::runs::{REFLUX, rejecting, reopened};

/// An engine whose model replies by what it is asked; `None` fails.
fn engine(reply: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> (Engine, Arc<Mutex<Vec<String>>>) {
    engine_of(starter(), reply)
}

/// The same on another graph.
pub(super) fn engine_of(
    graph: catena::graph::Graph,
    reply: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
) -> (Engine, Arc<Mutex<Vec<String>>>) {
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let (notes, reply) = (Arc::clone(&asked), Arc::new(reply));
    let load = move || {
        let (notes, reply) = (Arc::clone(&notes), Arc::clone(&reply));
        Ok(Script::boxed(move |prompt, _, emit| {
            let whole = format!("{}\n{}", prompt.system, prompt.user(u32::MAX));
            notes.lock().unwrap().push(whole.clone());
            match reply(&whole) {
                Some(text) => {
                    emit(&text);
                    Ok(generation(Finish::Stop))
                }
                None => Err(ModelError::Compute { name: "script".into(), problem: "out of order".into() }),
            }
        }))
    };
    let generator = GeneratorHandle::start("script", load).expect("a thread");
    let models = EngineModels { generator: Some(generator), ..encoder().into() };
    (open(graph, models), asked)
}

fn line_of(prompt: &str, wanted: &str) -> Option<String> {
    let line = prompt.lines().find(|line| line.contains(wanted) && line.starts_with(|c: char| c.is_ascii_digit()))?;
    line.split_once('.').map(|(number, _)| number.to_owned())
}

fn prompts(run: &crate::support::runs::Run) -> Vec<&str> {
    run.trace.prompts.iter().map(|prompt| prompt.name.as_str()).collect()
}

#[test]
fn rok_asks_three_times_and_keeps_the_branches_that_the_model_chooses_too() {
    let (engine, asked) = engine(|prompt| {
        Some(if prompt.contains("step by step") {
            "1. Reflux after meals.\n2. Gastro-oesophageal reflux disease.\n3. Gastroscopy.\n4. Omeprazole.".into()
        } else if prompt.contains("which triples") {
            "2, 1".into()
        } else {
            "- It may be gastro-oesophageal reflux disease [1].\n- Gastroscopy confirms it [1][2].\n- Omeprazole helps [1][2][3].".into()
        })
    });
    let run = ask_by(&engine, "rok", REFLUX);
    assert_eq!(prompts(&run), ["rok/expansion", "rok/branches", "rok/answer"]);
    assert!(run.trace.hypothesis.contains("4. Omeprazole.") && !run.trace.answer.by_model);
    let shown: Vec<String> = asked.lock().unwrap()[1]
        .lines()
        .filter(|line| line.starts_with("1. ") || line.starts_with("2. "))
        .map(|line| line[3..].to_owned())
        .collect();
    let kept = kept(&run.trace);
    let places: Vec<Option<usize>> = shown.iter().map(|text| kept.iter().position(|kept| kept == text)).collect();
    assert!(places.iter().all(Option::is_some), "{shown:?} in {kept:?}");
    assert!(!run.warned("No language model is in use"));
    run.assert_sound();
    // Carried on, it keeps to what the model said, and asks only for the new answer.
    let first = run.kept()[0].clone();
    let revised = reopened(&run).change(&engine, &rejecting([first]));
    assert_eq!(asked.lock().unwrap().len(), 3);
    // (What stood without it may give way: with another path kept, other relations are shown.)
    let of_model = &kept[kept.len() - run.trace.pruning.of_model..];
    assert!(of_model.iter().all(|text| super::kept(&revised.trace).contains(text)), "{of_model:?}");
    revised.revise(&engine, &revised.trace.triage, Stage::Read).assert_sound();
    assert_eq!(asked.lock().unwrap().len(), 4);
}

#[test]
fn wts_scores_and_stops_by_what_the_model_says() {
    for (enough_at, depths) in [(1, 1), (2, 2), (9, 3)] {
        let calls = Mutex::new(0);
        let (engine, _) = engine(move |prompt| {
            Some(if prompt.contains("how much each triple") {
                let best = line_of(prompt, "Omeprazole").unwrap_or_else(|| "1".into());
                format!("{best}: 1.00\n2: 0.10")
            } else if prompt.contains("decide whether") {
                let mut calls = calls.lock().unwrap();
                *calls += 1;
                if *calls >= enough_at { "Yes.".into() } else { "No, more is needed.".into() }
            } else {
                "- Omeprazole treats it [1].".into()
            })
        });
        let run = ask_by(&engine, "wts", REFLUX);
        let scored = prompts(&run).iter().filter(|name| **name == "wts/score").count();
        assert_eq!(scored, depths, "{:?}", prompts(&run));
        // At the last depth there is nothing to decide.
        assert_eq!(prompts(&run).iter().filter(|name| **name == "wts/enough").count(), depths.min(2));
        let of_model = &kept(&run.trace)[run.trace.pruning.kept.len() - run.trace.pruning.of_model..];
        assert!(run.trace.pruning.of_model <= 5, "{of_model:?}");
        run.assert_sound();
        let revised = reopened(&run).change(&engine, &rejecting([run.not_kept()]));
        assert_eq!(revised.kept(), run.kept(), "what the model brought stays");
    }
}

#[test]
fn a_model_that_fails_costs_its_part_and_the_run_says_so() {
    let (engine, _) = engine(|_| None);
    for (name, says) in [
        ("rok", "the built-in scorer chooses the neighbouring triples"),
        ("wts", "the built-in scorer scores the triples"),
        ("base", "so there is no answer"),
    ] {
        let run = ask_by(&engine, name, REFLUX);
        assert!(run.warned(says), "{name}: {:?}", run.trace.warnings);
        assert_eq!(run.trace.answer.grounded, name != "base", "{name}");
    }
    let (engine, _) = self::engine(|_| Some("I would rather not say.".into()));
    let run = ask_by(&engine, "rok", REFLUX);
    assert!(run.warned("named no numbers"), "{:?}", run.trace.warnings);
    assert!(ask_by(&engine, "wts", REFLUX).warned("gave no scores"));
}

#[test]
fn the_base_is_the_model_alone_and_marked_so() {
    let (engine, asked) = engine(|_| Some("- Omeprazole is usual.\n- Gastroscopy if it lasts [3].".into()));
    let run = ask_by(&engine, "base", REFLUX);
    assert_eq!(prompts(&run), ["base/answer"]);
    assert!(!asked.lock().unwrap()[0].contains("<evidence>"));
    let answer = &run.trace.answer;
    assert!(!answer.grounded && answer.by_model && answer.citations.is_empty() && !answer.text.contains("[3]"), "{}", answer.text);
    assert!(answer.text.contains("the model's own") && answer.entities.contains(&"Omeprazole".to_owned()), "{answer:?}");
    assert!(run.warned("without a graph"), "{:?}", run.trace.warnings);
    assert_eq!(run.trace.outcome, Some(Outcome::Answered));
    assert!(run.trace.anchors.is_empty() && run.trace.table.chains.is_empty());
}
