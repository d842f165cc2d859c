//! Tests of the case as a whole: properties that hold whatever the wording.

use std::sync::Arc;

use super::question::read_question;
use crate::graph::starter_graph;
use crate::language::context::RunContext;
use crate::language::knowledge::Knowledge;
use crate::language::link::Anchors;
use crate::language::prompt::Prompts;
use crate::model::infer::StaticEncoder;
use crate::model::{CancelToken, EncoderHandle};
use crate::run::{Case, CaseCorrection, Models, Settings};

struct Reader {
    knowledge: Knowledge,
    encoder: EncoderHandle,
}

static READER: std::sync::LazyLock<Reader> = std::sync::LazyLock::new(|| {
    let encoder = EncoderHandle::start("catena-static", StaticEncoder::built_in).expect("a thread");
    let knowledge = Knowledge::prepare(starter_graph().expect("sound"), &encoder).expect("opens");
    Reader { knowledge, encoder }
});

/// The case of a question, and the names of its anchors.
fn read_corrected(question: &str, corrections: &[CaseCorrection]) -> (Arc<Case>, Vec<String>) {
    let Reader { knowledge, encoder } = &*READER;
    let delta = encoder.delta().expect("known");
    let settings = Settings { k: 3, top_k: 10, delta, fragment_words: 10, fragment_overlap: 4, seed: 0 };
    let (prompts, cancel) = (Prompts::default(), CancelToken::new());
    let mut ctx = RunContext {
        knowledge,
        encoder,
        vectors: knowledge.vectors(),
        reranker: None,
        generator: None,
        prompts: &prompts,
        delta,
        models: Models::in_use(encoder, None, None),
        settings: &settings,
        cancel: &cancel,
        id: "t".into(),
        started: std::time::Instant::now(),
        before_ms: 0.0,
        relinking: false,
        sink: &mut |_| true,
    };
    let mut anchors = Anchors::default();
    let read = read_question(&mut ctx, question, corrections, true, &mut anchors).expect("reads");
    let anchors = anchors.entities().into_iter().map(|entity| knowledge.graph.entity_name(entity).to_owned()).collect();
    (read.case, anchors)
}

fn read(question: &str) -> Arc<Case> {
    read_corrected(question, &[]).0
}

#[test]
#[ignore = "prints how the questions of a file are read: CATENA_QUESTIONS=FILE"]
fn print_how_questions_are_read() {
    let Ok(path) = std::env::var("CATENA_QUESTIONS") else { return };
    for line in std::fs::read_to_string(path).expect("readable").lines() {
        let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let question = value["question"].as_str().expect("a question");
        let (case, anchors) = read_corrected(question, &[]);
        let of: Vec<String> = case.asks.iter().map(|ask| format!("{:?}{:?}", ask.kind, ask.of)).collect();
        let unknown: Vec<String> = case
            .not_understood
            .iter()
            .map(|word| {
                format!(
                    "{}{}{}",
                    word.text,
                    word.likely.map_or(String::new(), |kind| format!(":{kind:?}")),
                    if word.subject { "!" } else { "" }
                )
            })
            .collect();
        println!(
            "{} {}\n  = {}\n  ? {}   want {}\n  ~ {}\n  @ {}\n",
            value["id"].as_str().unwrap_or(""),
            question,
            case.read_as(false),
            of.join("; "),
            value["asks"],
            unknown.join(" | "),
            anchors.join(", ")
        );
    }
}
