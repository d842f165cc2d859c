//! What a language model says of words that nothing else understands.

use crate::support::engine::{encoder, graph_of, open_with};
use crate::support::models::{Script, generation};
use catena::method::{EngineModels, EngineOptions};
use catena::model::{CancelToken, Finish, GeneratorHandle};
use catena::run::{AskOptions, Event, EventKind, LikelyKind, Trace};

const TRIPLES: &str = "\
Reflux\thas_symptom\tHeartburn
Stomach ulcer\thas_symptom\tHeartburn
Omeprazole\ttreats\tReflux
Omeprazole\ttreats\tStomach ulcer
";
const QUESTION: &str = "I have reflux and a stomach ulcer. My zorblaxin is old. What medicine should I take?";
const NAMES: &str =
    r#"{"names":[{"kind":"drug","text":"zorblaxin"},{"kind":"disease","text":"reflux"},{"kind":"drug","text":"warfarin"}]}"#;

/// Asks with a model that lists these names where a form is asked for, and else writes a sentence; without one if there are none. Gives the
/// number of lists it was asked for, too.
fn ask(question: &str, names: Option<&'static str>) -> (Trace, usize) {
    let generator = names.map(|names| {
        let load = move || {
            Ok(Script::boxed(move |_, sampling, emit| {
                emit(if sampling.constraint.is_some() { names } else { "Omeprazole helps." });
                Ok(generation(Finish::Stop))
            }))
        };
        GeneratorHandle::start("script", load).expect("a thread")
    });
    let models = EngineModels { generator, ..EngineModels::from(encoder()) };
    let engine = open_with(graph_of(TRIPLES), models, &EngineOptions { seed: Some(7), ..EngineOptions::default() });
    let mut events = Vec::new();
    engine.run(question, AskOptions::default(), &CancelToken::new(), &mut |event| {
        events.push(event);
        true
    });
    let of_names = |event: &&Event| matches!(&event.what, EventKind::PromptSent { prompt } if prompt.name == "hykge/names");
    let asked = events.iter().filter(of_names).count();
    (Trace::fold(&events), asked)
}

fn kind(trace: &Trace) -> Option<LikelyKind> {
    trace.case.not_understood.iter().find(|term| term.text.contains("zorblaxin")).and_then(|term| term.likely)
}

fn lines(trace: &Trace) -> Vec<&str> {
    trace.answer.lines.iter().filter(|line| !line.part.is_of_model()).map(|line| line.text.as_str()).collect()
}

#[test]
fn a_model_says_what_an_unknown_word_names_and_changes_nothing_else() {
    let (without, _) = ask(QUESTION, None);
    assert_eq!(kind(&without), Some(LikelyKind::Other), "{:?}", without.case.not_understood);
    let (with, asked) = ask(QUESTION, Some(NAMES));
    assert_eq!((asked, kind(&with)), (1, Some(LikelyKind::Drug)), "{:?}", with.case.not_understood);
    let by_model: Vec<&str> =
        with.mentions.iter().filter(|mention| mention.recogniser == "llm").map(|mention| mention.text.as_str()).collect();
    assert_eq!(by_model, ["zorblaxin"], "what the graph knows stays its own, and what the question does not say is left out");
    assert_eq!(lines(&with), lines(&without), "the answer without the model stands");
    let mut same = catena::run::Case::clone(&with.case);
    same.not_understood.clone_from(&without.case.not_understood);
    assert_eq!(same, *without.case, "only the kind is new");
}

#[test]
fn a_model_is_not_asked_where_all_words_are_understood_and_a_bad_list_is_a_warning() {
    let (known, asked) = ask("I have reflux and a stomach ulcer. What medicine should I take?", Some(NAMES));
    assert_eq!(asked, 0, "{:?}", known.case.not_understood);
    let (bad, asked) = ask(QUESTION, Some("zorblaxin is a drug"));
    assert_eq!((asked, kind(&bad)), (1, Some(LikelyKind::Other)));
    assert!(bad.warnings.iter().any(|warning| warning.contains("could not read the language model's list of names")), "{:?}", bad.warnings);
}
