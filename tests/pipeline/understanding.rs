//! What a question says and does not say: findings that are denied, measured, or put in lay words; what is asked for and
//! what only told. On the starter graph.

use catena::run::{AnchorOrigin, AnswerPart, AskKind, ConditionStatus, FindingStatus, Trace};

use crate::starter::ask;

/// Entities that the question itself names.
fn named(trace: &Trace) -> Vec<&str> {
    trace.anchors.iter().filter(|anchor| anchor.origin != AnchorOrigin::Hypothesis).map(|anchor| anchor.entity.as_str()).collect()
}

fn kind_of<'a>(trace: &'a Trace, entity: &str) -> &'a str {
    trace.table.entities.iter().find(|known| known.name == entity).map_or("", |known| known.kind.as_str())
}

#[test]
fn what_is_denied_speaks_for_nothing_and_is_reported() {
    let with = ask("Cough and fever. What could it be?");
    let without = ask("Cough, but no fever. What could it be?");
    assert!(named(&with).contains(&"Fever"), "{:?}", named(&with));
    assert!(named(&without).contains(&"Cough") && !named(&without).contains(&"Fever"), "{:?}", named(&without));
    let case = &without.case;
    assert!(
        case.findings.iter().any(|finding| finding.entity.as_deref() == Some("Fever") && finding.status == FindingStatus::Absent),
        "{case:?}"
    );
    assert_ne!(with.answer.entities, without.answer.entities);
}

#[test]
fn measured_values_are_findings() {
    let high = ask("K+ 6.8. What should be done?");
    assert!(named(&high).contains(&"Hyperkalaemia"), "{:?}", named(&high));
    assert!(high.mentions.iter().any(|mention| mention.recogniser == "lab value" && mention.text == "K+ 6.8"), "{:?}", high.mentions);
    let normal = ask("K+ 4.2 and cough. What should be done?");
    assert_eq!(named(&normal), ["Cough"]);
}

#[test]
fn a_differential_is_followed_by_what_tells_it_apart() {
    let trace = ask("Burning behind my breastbone after meals and sour taste. What could it be?");
    let kinds: Vec<&str> = trace.answer.entities.iter().map(|entity| kind_of(&trace, entity)).collect();
    let first_test = kinds.iter().position(|kind| *kind == "test" || *kind == "procedure").expect("a test");
    assert_eq!(kinds[0], "disease", "{:?}", trace.answer.entities);
    assert!(kinds[first_test..].iter().all(|kind| *kind != "disease"), "{:?} {kinds:?}", trace.answer.entities);
}

#[test]
fn a_suspicion_without_a_question_is_answered_by_how_it_is_confirmed() {
    let trace = ask("I think I might have gout.");
    let suspected = trace.case.conditions.iter().find(|condition| condition.status == ConditionStatus::Suspected);
    assert_eq!(suspected.and_then(|condition| condition.entity.as_deref()), Some("Gout"), "{:?}", trace.case);
    // The suspicion stands in the line that says how the question was read; the answer begins with what confirms it.
    let first = trace.answer.entities.first().expect("an entity");
    assert!(["test", "procedure"].contains(&kind_of(&trace, first)), "{:?}", trace.answer.entities);
    assert!(trace.answer.lines.iter().filter(|line| line.part == AnswerPart::Tests).all(|line| line.text.contains("Gout")));
    let place = |kinds: &[&str]| trace.answer.entities.iter().position(|entity| kinds.contains(&kind_of(&trace, entity)));
    let (test, drug) = (place(&["test", "procedure"]).expect("a test"), place(&["drug", "drug_class"]).expect("a drug"));
    assert!(test < drug, "{:?}", trace.answer.entities);
}

#[test]
fn what_was_taken_or_done_is_not_asked_for() {
    let told = ask("After some tests I was diagnosed with gout. Which medicine helps?");
    assert!(told.answer.entities.iter().all(|entity| kind_of(&told, entity) != "test"), "{:?}", told.answer.entities);
}

#[test]
fn lay_words_that_link_to_nothing_still_lead_to_the_condition() {
    let trace = ask("My big toe joint is swollen, hot and terribly sore since last night. What could it be?");
    assert!(trace.answer.entities.iter().take(3).any(|entity| entity.ends_with("gout") || entity == "Gout"), "{:?}", trace.answer.entities);
    assert!(trace.answer.grounded);
}

#[test]
fn a_drug_that_is_only_mentioned_is_not_asked_for() {
    let told = ask("Burning behind my breastbone and sour taste, despite the medication I have been taking.");
    let asked = ask("Burning behind my breastbone and sour taste. Do I need medication?");
    let treatments = |trace: &Trace| trace.answer.lines.iter().filter(|line| line.part == AnswerPart::Treatments).count();
    assert!(treatments(&asked) > treatments(&told), "{:?} {:?}", asked.answer.entities, told.answer.entities);
    assert!(asked.case.asks.iter().any(|ask| ask.kind == AskKind::Treatment) && told.case.asks.is_empty());
    // What is asked for is answered for what the complaints are a sign of, which comes first in both.
    for trace in [&told, &asked] {
        assert_eq!(trace.answer.entities.first().map(|entity| kind_of(trace, entity)), Some("disease"), "{:?}", trace.answer.entities);
    }
}

#[test]
fn what_is_likely_asks_for_a_diagnosis_and_what_is_likely_to_happen_does_not() {
    let kinds = |question: &str| ask(question).case.asks.iter().map(|asked| asked.kind).collect::<Vec<_>>();
    // With a second question beside it: without one, a question about complaints is taken to ask for a diagnosis anyway.
    for complaints in ["Wheeze and night cough in a young adult", "Fever and cough for three days"] {
        for way in ["what is likely", "what's likely", "likely diagnosis", "what could this be"] {
            let question = format!("{complaints}: {way}, which treatment?");
            assert_eq!(kinds(&question), [AskKind::Diagnosis, AskKind::Treatment], "{question}");
        }
    }
    for complaints in ["发热、咳嗽三天", "头痛、恶心"] {
        for way in ["可能是什么", "会是什么病", "可能是啥", "会是哪种病"] {
            let question = format!("{complaints}，{way}，怎么治疗？");
            assert_eq!(kinds(&question), [AskKind::Diagnosis, AskKind::Treatment], "{question}");
        }
    }
    for (question, asked) in [
        ("Is ibuprofen likely to interact with warfarin?", AskKind::Safety),
        ("What is likely to interact with warfarin?", AskKind::Interactions),
        ("Which drug is most likely to interact with warfarin?", AskKind::Interactions),
        ("How likely is a recurrence of gout?", AskKind::Prognosis),
        ("I have a throbbing headache. What is likely to help?", AskKind::Treatment),
    ] {
        assert_eq!(kinds(question), [asked], "{question}");
    }
}

#[test]
fn american_names_find_british_ones_and_the_other_way_round() {
    for (american, british) in [("hypokalemia", "hypokalaemia"), ("albuterol", "salbutamol"), ("acetaminophen", "paracetamol")] {
        let (of_american, of_british) = (ask(&format!("What is {american}?")), ask(&format!("What is {british}?")));
        assert!(!named(&of_american).is_empty(), "{american}");
        assert_eq!(named(&of_american), named(&of_british));
    }
}

#[test]
fn conditions_of_pregnancy_are_for_the_pregnant() {
    let place = |question: &str| {
        let trace = ask(question);
        let first =
            trace.answer.entities.iter().position(|entity| entity.to_lowercase().contains("pregnan") || entity.contains("eclampsia"));
        first.unwrap_or(usize::MAX)
    };
    let (man, woman) = ("I am a 50-year-old man with severe", "I am 30 weeks pregnant with severe");
    let rest = "headache, high blood pressure and swollen legs. What could it be?";
    assert!(place(&format!("{woman} {rest}")) < place(&format!("{man} {rest}")));
}
