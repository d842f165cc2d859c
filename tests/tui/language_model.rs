//! Runs with a language model: its text as it comes, what it does, what is its own.

use catena::run::{Anchor, AnchorOrigin, Answer, AnswerPart, Event, EventKind, Mention, MentionOrigin, ModelInfo, Outcome, Stage};

use crate::harness::Bench;
use crate::look::place_of;
use crate::support::sample;

fn shown(events: &[Event]) -> Bench {
    let mut bench = Bench::new(160, 48);
    bench.press(&["alt+1"]).run(events);
    bench
}

#[test]
fn the_answer_is_shown_as_it_is_written() {
    let bench = shown(&sample::writing("a"));
    assert!(bench.row_with("gastro-oesophageal").contains('-'), "{}", bench.screen());
    assert!(bench.screen().contains("Omeprazole treats"), "{}", bench.screen());
    assert!(bench.screen().contains("31 tokens/s"), "{}", bench.screen());
    assert!(bench.screen().contains("qwen3-8b"), "{}", bench.screen());
}

#[test]
fn the_checked_text_takes_its_place_with_what_is_the_models_own() {
    let mut bench = shown(&sample::written("a"));
    let screen = bench.screen();
    assert!(screen.contains("Treatments") && screen.contains("[1]") && screen.contains("(the model's own)"), "{screen}");
    assert!(screen.contains("✚ Calcium carbonate is cheap"), "{screen}");
    assert_eq!(screen.matches("is cheap").count(), 1, "{screen}");
    assert!(!screen.contains("tokens/s"), "{screen}");
    // Its lines can be walked, and lead to what they cite.
    bench.press(&["6", "j"]);
    assert!(bench.screen().contains("is cheap"));
}

const OF_GRAPH: &str = "Reflux burns.";
const OF_MODEL: &str = "Gallstones hurt too.";

/// A run that is answered without the language model, which then adds its hypothesis, so far.
fn refining() -> Vec<Event> {
    let mut events = sample::answered("a");
    if let EventKind::RunStarted { models, .. } = &mut events[0].what {
        models.generator = ModelInfo { kind: "candle".into(), name: "qwen3-8b".into(), device: "cpu".into() };
    }
    let end = events.iter().position(|event| matches!(event.what, EventKind::AnswerFinished { .. })).expect("an answer");
    events.truncate(end);
    // A short hypothesis, so that both have room in the pane.
    let is_of_long_one = |event: &Event| match &event.what {
        EventKind::HypothesisToken { .. } => true,
        EventKind::MentionFound { mention } => mention.origin == MentionOrigin::Hypothesis,
        _ => false,
    };
    events.retain(|event| !is_of_long_one(event));
    let event = |at_ms: f64, what| Event { run: "a".into(), at_ms, what };
    events.insert(2, event(1.0, EventKind::HypothesisToken { text: OF_GRAPH.into() }));
    let start = format!("{OF_GRAPH}\n\n").len();
    let (name, origin) = ("Gallstones", MentionOrigin::Hypothesis);
    let mention = Mention { text: name.into(), start, end: start + name.len(), origin, recogniser: "gazetteer".into() };
    let anchor = Anchor {
        entity: name.into(),
        kind: "disease".into(),
        score: 1.0,
        origin: AnchorOrigin::Hypothesis,
        mention: name.into(),
        by_model: true,
    };
    events.extend([
        event(25.0, EventKind::AnswerFinished { answer: Answer { refining: true, ..base() } }),
        event(25.1, EventKind::StageStarted { stage: Stage::Hypothesis }),
        event(26.0, EventKind::HypothesisAdded { text: OF_MODEL.into() }),
        event(26.1, EventKind::MentionFound { mention }),
        event(26.2, EventKind::AnchorLinked { anchor }),
    ]);
    events
}

/// The answer without the model.
fn base() -> Answer {
    let all = sample::answer();
    let lines: Vec<_> = all.lines.into_iter().filter(|line| line.entity == "Omeprazole").collect();
    Answer { text: lines[0].text.clone(), entities: vec!["Omeprazole".into()], citations: vec![1], corrected: Vec::new(), lines, ..all }
}

/// The same with what the model's sentences came to.
fn refined() -> Vec<Event> {
    let mut events = refining();
    let mut answer = base();
    answer.lines.extend([
        sample::line(AnswerPart::ModelAdds, "Omeprazole", "Antacids help.", &[1]),
        sample::line(AnswerPart::ModelContradicted, "Omeprazole", "Never eat again.", &[2]),
        sample::line(AnswerPart::ModelUnsupported, "", "Chew slowly.", &[]),
        sample::line(AnswerPart::ModelUnsupported, "", "Rest well.", &[]),
    ]);
    let event = |at_ms: f64, what| Event { run: "a".into(), at_ms, what };
    events.extend([
        event(30.0, EventKind::StageFinished { stage: Stage::Hypothesis, elapsed_ms: 5.0 }),
        event(40.0, EventKind::AnswerFinished { answer }),
        event(40.0, EventKind::RunFinished { outcome: Outcome::Answered, total_ms: 40.0 }),
    ]);
    events
}

#[test]
fn both_hypotheses_are_shown_and_told_apart_by_label_and_style() {
    let bench = shown(&refining());
    let place = |text: &str| place_of(&bench, text).unwrap_or_else(|| panic!("{text} is not on the screen:\n{}", bench.screen()));
    let rows = ["From the graph", OF_GRAPH, "◇ From qwen3-8b", "hurt too."].map(|text| place(text).1);
    assert!(rows.is_sorted_by(|a, b| a < b), "{rows:?}:\n{}", bench.screen());
    // The label of the model has the style of its entities, and another than that of the graph.
    let buffer = bench.terminal.backend().buffer();
    let style = |text: &str| buffer[place(text)].style();
    assert_ne!(style("From the graph"), style("◇ From qwen3-8b"));
    let entity = buffer[place("Gallstones hurt")].style();
    assert_eq!(entity.fg, style("◇ From qwen3-8b").fg, "{}", bench.screen());
    assert_ne!(entity.fg, buffer[place(OF_GRAPH)].style().fg);
    // The answer is there, and says that it may grow.
    assert!(bench.screen().contains("the language model may add to it"), "{}", bench.screen());
    assert!(bench.row_with("treats ● gastro-oesophageal reflux disease. [1]").contains("Omeprazole"));
}

#[test]
fn the_models_sentences_have_signs_and_what_has_no_evidence_is_folded() {
    let mut bench = shown(&refined());
    let screen = bench.screen();
    assert!(!screen.contains("may add to it") && screen.contains("The language model adds, with evidence"), "{screen}");
    assert!(screen.contains("but the evidence contradicts it"), "{screen}");
    let sign = |bench: &Bench, text: &str| {
        let (x, y) = place_of(bench, text).unwrap_or_else(|| panic!("{text} is not on the screen:\n{}", bench.screen()));
        let cell = &bench.terminal.backend().buffer()[(x - 2, y)];
        (cell.symbol().to_owned(), cell.fg)
    };
    let (added, contradicted) = (sign(&bench, "Antacids help."), sign(&bench, "Never eat again."));
    assert_eq!((added.0.as_str(), contradicted.0.as_str()), ("◇", "✗"), "{screen}");
    assert_ne!(added.1, contradicted.1, "different colours");
    assert!(bench.row_with("Antacids help.").contains("[1]"), "{screen}");
    assert!(screen.contains("without evidence: 2") && !screen.contains("Chew slowly"), "{screen}");
    bench.press(&["6", "M"]);
    assert!(bench.screen().contains("Chew slowly.") && bench.screen().contains("Rest well."), "{}", bench.screen());
    bench.press(&["M"]);
    assert!(!bench.screen().contains("Chew slowly"), "{}", bench.screen());
}
