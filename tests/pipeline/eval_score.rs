//! A real run measured: which measures apply, that they say what they should, and that options are chosen by evidence.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use catena::eval::choice::chosen;
use catena::eval::dataset::{AnswerOption, EvalQuestion, GoldAnswer};
use catena::eval::score::{AnswerScores, Measure, Ratio, Scoring, score};
use catena::method::EngineModels;
use catena::model::{CancelToken, Finish, Generation, Generator, GeneratorHandle, ModelError, Prompt, Sampling};
use catena::run::{AnswerPart, AskOptions, SentPrompt, Stage, Trace};

use crate::starter::ask;
use crate::support::engine::{ENGINE, encoder, open, starter};
use crate::support::models::{Script, generation};

fn scored(case: &EvalQuestion, trace: &Trace) -> AnswerScores {
    score(case, trace, &Scoring::of(&ENGINE)).expect("scores")
}

fn entity(name: &str) -> Vec<String> {
    vec![name.to_owned()]
}

const QUESTION: &str = "I have heartburn and regurgitation after meals. What is it?";

#[test]
fn entities_are_found_where_the_run_has_them() {
    let trace = ask(QUESTION);
    let (first, last) = (trace.answer.entities.first().expect("an answer"), trace.answer.entities.last().expect("an answer"));
    let gold =
        BTreeMap::from([(AnswerPart::Conditions, vec![entity(first), entity("No such thing")]), (AnswerPart::Tests, vec![entity(last)])]);
    let case = EvalQuestion { gold: GoldAnswer { entities: gold, asked: vec![AnswerPart::Conditions] }, ..EvalQuestion::default() };
    let scores = scored(&case, &trace);
    let ratio = |found: f64, all: f64| Some(Ratio { found, all });
    assert_eq!(scores.get(&Measure::KeyEntityConditions).copied(), ratio(1.0, 2.0));
    assert_eq!(scores.get(&Measure::KeyEntityTests), None, "tests were not asked for");
    assert_eq!(scores.get(&Measure::RecallAnswer).copied(), ratio(1.0, 2.0));
    assert_eq!(scores.get(&Measure::PrecisionAnswer).copied(), ratio(1.0, trace.answer.entities.len() as f64));
    assert_eq!(scores.get(&Measure::RecallChains).copied(), ratio(1.0, 2.0));
    assert_eq!(scores.get(&Measure::RecallKept).copied(), ratio(1.0, 2.0));
    let precision = scores[&Measure::PrecisionKept];
    assert!(precision.found == 1.0 && precision.all > 1.0, "{precision:?}");
    assert_eq!(scores.get(&Measure::Grounded).copied(), ratio(1.0, 1.0));
    for measure in Measure::ALL.into_iter().filter(|measure| measure.is_time()) {
        assert!(scores[&measure].found >= 0.0 && scores[&measure].all == 1.0, "{measure}");
    }
    assert!(
        !scores.contains_key(&Measure::ExactMatch) && !scores.contains_key(&Measure::Rouge1) && !scores.contains_key(&Measure::KeyPoints)
    );
}

#[test]
fn texts_are_held_against_the_nearest_reference() {
    let trace = ask(QUESTION);
    let case = EvalQuestion {
        references: vec!["zinc".into(), trace.answer.text.clone()],
        key_points: vec!["zinc".into()],
        ..EvalQuestion::default()
    };
    let scores = scored(&case, &trace);
    // The citations of the answer are no words, those of the reference are.
    for measure in [Measure::Rouge1, Measure::BertF1, Measure::BertPrecision] {
        assert!(scores[&measure].found > 0.8 && scores[&measure].all == 1.0, "{measure} {:?}", scores[&measure]);
    }
    assert_eq!(scores[&Measure::KeyPoints], Ratio { found: 0.0, all: 1.0 });
    assert!(!scores.contains_key(&Measure::RecallChains));
    // A run that failed said nothing.
    let nothing = scored(&case, &Trace::default());
    for measure in [Measure::Rouge1, Measure::Bleu4, Measure::BertF1, Measure::KeyPoints, Measure::Grounded] {
        assert_eq!(nothing[&measure].found, 0.0, "{measure}");
    }
}

fn with_options(question: &str, options: &[&str]) -> EvalQuestion {
    let options = options.iter().zip('A'..).map(|(text, label)| AnswerOption { label: label.into(), text: (*text).into() }).collect();
    EvalQuestion { question: question.into(), options, correct: vec![0], ..EvalQuestion::default() }
}

#[test]
fn options_are_chosen_by_what_is_connected_with_the_question() {
    let tools = Scoring::of(&ENGINE);
    let stated = ask(QUESTION).answer.entities.first().expect("an answer").clone();
    for place in 0..3 {
        let mut texts = vec!["Ingrown toenail", "Fracture of the wrist"];
        texts.insert(place, &stated);
        let case = with_options(QUESTION, &texts);
        let trace = ask(&case.asked_as());
        assert_eq!(chosen(&case, &trace, &tools).expect("chooses"), [place], "{texts:?}: {:?}", trace.answer.entities);
        let exact = scored(&EvalQuestion { correct: vec![place], ..case.clone() }, &trace)[&Measure::ExactMatch];
        let wrong = scored(&EvalQuestion { correct: vec![(place + 1) % 3], ..case.clone() }, &trace)[&Measure::ExactMatch];
        assert_eq!((exact.found, wrong.found), (1.0, 0.0));
        let two = scored(&EvalQuestion { correct: vec![place, (place + 1) % 3], ..case }, &trace);
        assert_eq!((two[&Measure::ExactMatch].found, two[&Measure::PartialCorrect].found), (0.0, 1.0));
    }
    let exception = with_options("Heartburn and regurgitation come with all of the following except:", &[&stated, "Fracture of the wrist"]);
    assert_eq!(chosen(&exception, &ask(&exception.asked_as()), &tools).expect("chooses"), [1]);
}

#[test]
fn a_models_answer_is_taken_at_its_word() {
    let tools = Scoring::of(&ENGINE);
    let case = with_options("Which?", &["Aspirin", "Iron"]);
    let mut trace = ask(QUESTION);
    trace.answer.by_model = true;
    trace.answer.text = "The answer is B [1].".into();
    assert_eq!(chosen(&case, &trace, &tools).expect("chooses"), [1]);
    trace.answer.text = "I do not know.".into();
    assert!(chosen(&case, &trace, &tools).expect("chooses").is_empty(), "an answer that names none chose none");
}

#[test]
fn key_entities_count_by_part_where_the_answer_states_others_before_them() {
    let mut trace = ask(QUESTION);
    let of = |part: AnswerPart| {
        trace.answer.lines.iter().find(|line| line.part == part && !line.entity.is_empty()).map(|line| line.entity.clone())
    };
    let test = of(AnswerPart::Tests).expect("the answer states a test");
    // Twelve others stand first.
    trace.answer.entities.splice(0..0, (0..12).map(|other| format!("Other {other}")));
    let gold = BTreeMap::from([(AnswerPart::Tests, vec![entity(&test), entity("No such thing")])]);
    let case = EvalQuestion { gold: GoldAnswer { entities: gold, asked: vec![AnswerPart::Tests] }, ..EvalQuestion::default() };
    let scores = scored(&case, &trace);
    assert_eq!(scores[&Measure::KeyEntityTests], Ratio { found: 0.0, all: 2.0 });
    assert_eq!(scores[&Measure::KeyEntityTestsByPart], Ratio { found: 1.0, all: 2.0 });
    assert!(!scores.contains_key(&Measure::KeyEntityConditionsByPart));
}

#[test]
fn every_test_in_a_line_of_a_models_answer_counts_but_those_that_it_advises_against() {
    let reply = "Tests: colonoscopy, faecal calprotectin, gastroscopy, colonoscopy again and oesophageal manometry.\n\
                 Do a stool culture. Kidney biopsy is not needed; omeprazole helps.";
    let load = move || {
        Ok(Script::boxed(move |_, _, emit| {
            emit(reply);
            Ok(generation(Finish::Stop))
        }))
    };
    let generator = GeneratorHandle::start("script", load).expect("a thread");
    let engine = open(starter(), EngineModels { generator: Some(generator), ..encoder().into() });
    let mut trace = Trace::default();
    let options = AskOptions { method: Some("base".parse().expect("a method")), bare: true, ..AskOptions::default() };
    engine.run(QUESTION, options, &CancelToken::new(), &mut |event| {
        trace.apply(&event);
        true
    });
    assert!(trace.answer.by_model, "{:?}", trace.warnings);
    let lines = trace.answer.lines.iter().filter(|line| line.part == AnswerPart::Tests);
    let stated: Vec<Vec<&str>> = lines.map(|line| line.stated().collect()).collect();
    let first = ["Colonoscopy", "Faecal calprotectin", "Upper gastrointestinal endoscopy", "Oesophageal manometry"];
    assert_eq!(stated, [first.to_vec(), vec!["Stool culture"]], "{}", trace.answer.text);
    let tests = first.into_iter().chain(["Stool culture", "Kidney biopsy"]).map(entity).collect();
    let gold = BTreeMap::from([(AnswerPart::Tests, tests)]);
    let case = EvalQuestion { gold: GoldAnswer { entities: gold, asked: vec![AnswerPart::Tests] }, ..EvalQuestion::default() };
    assert_eq!(scored(&case, &trace)[&Measure::KeyEntityTestsByPart], Ratio { found: 5.0, all: 6.0 });
}

#[test]
fn the_evidence_that_an_answer_uses_is_its_recall_of_the_kept_chains() {
    let mut trace = ask(QUESTION);
    let case = EvalQuestion::default();
    let chains: Vec<String> = trace.kept().map(|(_, _, chain)| trace.table.text(chain)).collect();
    trace.answer.text = chains.join("\n");
    assert_eq!(scored(&case, &trace)[&Measure::RougeKnowledge], Ratio { found: 1.0, all: 1.0 });
    trace.answer.text = "zinc".into();
    assert_eq!(scored(&case, &trace)[&Measure::RougeKnowledge], Ratio { found: 0.0, all: 1.0 });
}

#[test]
fn several_options_are_chosen_where_the_file_says_that_several_may_be_right() {
    let tools = Scoring::of(&ENGINE);
    let entities = ask(QUESTION).answer.entities;
    let case = with_options(QUESTION, &[entities[0].as_str(), "Ingrown toenail", entities[1].as_str(), "Fracture of the wrist"]);
    let case = EvalQuestion { has_several: true, correct: vec![0, 2], ..case };
    let trace = ask(&case.asked_as());
    let found = chosen(&case, &trace, &tools).expect("chooses");
    assert!(found.contains(&0) && !found.contains(&1) && !found.contains(&3), "{found:?}: {:?}", trace.answer.entities);
    assert!(chosen(&EvalQuestion { has_several: false, ..case }, &trace, &tools).expect("chooses").len() == 1);
}

/// What a model was asked to weigh: the prompt's two messages, and the text.
type Weighed = Arc<Mutex<Vec<(String, String, String)>>>;

/// A model to which three tokens of any reply are a half, a quarter and an eighth likely.
struct Weigher(Weighed);

impl Generator for Weigher {
    fn name(&self) -> &str {
        "weigher"
    }

    fn kind(&self) -> &'static str {
        "script"
    }

    fn device(&self) -> String {
        "cpu".into()
    }

    fn generate(&mut self, _prompt: &Prompt, _sampling: &Sampling, _emit: &mut dyn FnMut(&str) -> bool) -> Result<Generation, ModelError> {
        Ok(generation(Finish::Stop))
    }

    fn log_probabilities(
        &mut self,
        prompt: Option<&Prompt>,
        text: &str,
        _wanted: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Vec<f64>>, ModelError> {
        let prompt = prompt.expect("the prompt of the answer");
        self.0.lock().unwrap().push((prompt.system.clone(), prompt.user(u32::MAX), text.to_owned()));
        Ok(Some([0.5f64, 0.25, 0.125].map(f64::ln).to_vec()))
    }
}

#[test]
fn perplexity_is_of_the_answer_given_the_prompt_that_asked_for_it() {
    let weighed = Weighed::default();
    let notes = Arc::clone(&weighed);
    let generator = GeneratorHandle::start("weigher", move || Ok(Box::new(Weigher(Arc::clone(&notes))) as Box<dyn Generator>));
    let tools = Scoring { generator: Some(generator.expect("a thread")), ..Scoring::of(&ENGINE) };
    let sent = |name: &str| SentPrompt {
        stage: Stage::Read,
        name: name.into(),
        version: 1,
        hash: String::new(),
        own: false,
        system: format!("system of {name}"),
        user: format!("user of {name}"),
    };
    for (names, asks) in [
        (&["hykge/hypothesis", "hykge/reader"][..], "hykge/reader"),
        (&["kalmv/answer", "kalmv/verify"], "kalmv/answer"),
        (&["rok/expansion-small", "rok/answer-small"], "rok/answer-small"),
        (&["sure/candidates", "sure/summary"], "sure/summary"),
    ] {
        let mut trace = Trace::default();
        trace.prompts.extend(names.iter().map(|name| sent(name)));
        (trace.answer.by_model, trace.answer.text) = (true, "Omeprazole helps [1].".into());
        let scores = score(&EvalQuestion::default(), &trace, &tools).expect("scores");
        // Eq. 9: 2 to the mean of 1, 2 and 3 bits.
        assert!((scores[&Measure::Perplexity].found - 4.0).abs() < 1e-9, "{names:?}");
        let (system, user, text) = weighed.lock().unwrap().pop().expect("it was asked");
        assert_eq!((system, user), (format!("system of {asks}"), format!("user of {asks}")));
        assert!(text.contains("Omeprazole helps") && !text.contains("[1]"), "{text}");
        trace.answer.by_model = false;
        assert!(!score(&EvalQuestion::default(), &trace, &tools).expect("scores").contains_key(&Measure::Perplexity));
    }
    assert!(weighed.lock().unwrap().is_empty(), "what no model wrote is not weighed");
}
