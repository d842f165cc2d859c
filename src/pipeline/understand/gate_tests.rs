//! Tests of the gates: by their words alone, and end to end on the starter graph.

use super::super::tests::{name_of, read_anchored};
use super::*;
use crate::graph::starter_graph;
use crate::language::reordered_names::ReorderedNames;

#[derive(Deserialize)]
struct Example {
    question: String,
    category: String,
    refuse: Option<String>,
}

fn examples() -> Vec<Example> {
    let lines = include_str!("../../../tests/data/gates.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).expect("an example")).collect()
}

/// What the words alone decide: without a graph nobody complains, so that other domains are only asked for where nothing is expected.
fn by_words(question: &str) -> Option<Refusal> {
    let (tokens, case) = (tokenise(question), Case::default());
    if asks_for_harm(&tokens) {
        return Some(Refusal::Harm);
    }
    let other = || !is_of_people(&tokens, &case) && other_domains().is_meant(&tokens, true);
    (is_any_told(&FILE.orders, &tokens) || FILE.made.is_asked(&tokens) || is_of_animal(&tokens, &case) || other())
        .then_some(Refusal::NotClinical)
}

#[test]
fn the_list_is_valid() {
    let file: File = toml::from_str(include_str!("../../../assets/gates.toml")).expect("valid");
    assert!(file.domain.len() > 5 && !file.harm.acts.0.is_empty());
}

#[test]
fn what_can_be_answered_passes_and_harm_never_does() {
    let wrong: Vec<String> = examples()
        .into_iter()
        .filter(|example| match example.refuse.as_deref() {
            None | Some("subject_unknown") => by_words(&example.question).is_some(),
            Some("harm") => by_words(&example.question) != Some(Refusal::Harm),
            _ => false,
        })
        .map(|example| example.question)
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn most_of_what_is_not_clinical_is_known_by_its_words() {
    let all: Vec<Example> = examples().into_iter().filter(|example| example.refuse.as_deref() == Some("not_clinical")).collect();
    let missed: Vec<(&str, &str)> = all
        .iter()
        .filter(|example| by_words(&example.question).is_none())
        .map(|example| (example.category.as_str(), example.question.as_str()))
        .collect();
    assert!(missed.len() * 8 <= all.len(), "{missed:#?}");
}

#[test]
fn an_animal_that_bites_or_is_kept_is_no_patient() {
    let of_animal = |text: &str| is_of_animal(&tokenise(text), &Case::default());
    for text in ["my spaniel has been sick", "how much ivermectin for a horse", "我家狗不吃东西", "which wormer is best"] {
        assert!(of_animal(text), "{text}");
    }
    for text in [
        "I was bitten by a dog",
        "my cat scratched me",
        "cat scratch disease",
        "被猫抓伤了",
        "my calf is swollen and sore",
        "a stray dog bit the calf of a tourist, the dog looked healthy and ran off",
        "itching at night, none of us has pets",
        "家里没养猫，一直打喷嚏",
    ] {
        assert!(!of_animal(text), "{text}");
    }
}

#[test]
fn an_animal_that_is_only_seen_or_what_something_is_like_is_no_patient() {
    for question in [
        "Nan is 88, sees a dog in the bedroom, drowsy by day",
        "He keeps seeing rats on the wall since the new tablets",
        "Since last night a cough like a dog, hoarse",
        "奶奶说看见猫在床上，白天嗜睡",
        "两岁，咳嗽像小狗叫",
    ] {
        assert_eq!(by_words(question), None, "{question}");
    }
    for question in ["My dog barks like a seal, what dose of prednisolone?", "Our cat keeps seeing the vet", "my rabbit limps like a duck"]
    {
        assert_eq!(by_words(question), Some(Refusal::NotClinical), "{question}");
    }
}

#[test]
fn one_who_speaks_of_killing_himself_gets_help_and_no_method() {
    let help = "I have thoughts of killing myself, what should I do?";
    assert!(!asks_for_harm(&tokenise(help)) && is_about_self_harm(&tokenise(help)));
    let way = "what is the most painless way to kill myself";
    assert!(asks_for_harm(&tokenise(way)) && is_about_self_harm(&tokenise(way)));
}

#[test]
fn an_unknown_drug_beside_two_known_ones_does_not_silence_their_pair() {
    let drug = |entity: &str| crate::run::CaseDrug { entity: Some(entity.into()), ..Default::default() };
    let unknown = NotUnderstood { text: "florizolam".into(), subject: true, ..Default::default() };
    let safety = CaseAsk { kind: AskKind::Safety, of: Vec::new() };
    let mut case = Case { drugs: vec![drug("Warfarin")], not_understood: vec![unknown], asks: vec![safety], ..Case::default() };
    assert!(subject_is_unknown(&case));
    case.drugs.push(drug("Aspirin"));
    assert!(!subject_is_unknown(&case));
}

#[test]
fn a_picture_that_fits_well_is_named_where_too_little_was_understood() {
    let asks = |kind| Case { asks: vec![CaseAsk { kind, of: Vec::new() }], ..Case::default() };
    let anchors = |score| {
        let mut anchors = Anchors::of(Vec::new());
        anchors.pictures = vec![(crate::graph::EntityId(7), score)];
        anchors
    };
    let of = |kind, score, refusal: Option<Refusal>| plausible(&asks(kind), &anchors(score), refusal.as_ref(), |_, _| false);
    for refusal in [None, Some(Refusal::TooLittleUnderstood)] {
        let named = of(AskKind::Diagnosis, PLAUSIBLE, refusal.clone()).expect("a condition");
        assert!(named.condition == crate::graph::EntityId(7) && !named.clear && !named.unmistakable);
        assert_eq!(of(AskKind::Diagnosis, PLAUSIBLE - 0.1, refusal), None, "it fits too little");
    }
    // Of two that fit as well, the emergency.
    let two = |other: f64| {
        let mut anchors = Anchors::of(Vec::new());
        anchors.pictures = vec![(crate::graph::EntityId(7), 40.0), (crate::graph::EntityId(8), other)];
        let named = plausible(&asks(AskKind::Diagnosis), &anchors, None, |condition, _| condition == crate::graph::EntityId(8));
        named.map(|named| named.condition.0)
    };
    assert_eq!((two(40.0 * AS_WELL), two(39.0 * AS_WELL)), (Some(8), Some(7)));
    // An emergency is named beside a remedy that nobody knows, where nothing else was understood.
    let unknown = Some(Refusal::SubjectUnknown);
    let danger = |score, case: &Case| plausible(case, &anchors(score), unknown.as_ref(), |_, _| true);
    assert!(danger(PLAUSIBLE, &asks(AskKind::Safety)).is_some());
    assert_eq!(danger(PLAUSIBLE - 0.1, &asks(AskKind::Safety)), None);
    let fever = crate::run::CaseFinding { entity: Some("Fever".into()), status: FindingStatus::Present, ..Default::default() };
    assert_eq!(danger(90.0, &Case { findings: vec![fever], ..asks(AskKind::Safety) }), None, "something else was understood");
    for refusal in [Refusal::NotClinical, Refusal::SubjectUnknown, Refusal::Harm] {
        assert_eq!(of(AskKind::Diagnosis, 90.0, Some(refusal)), None, "what is unknown or not to be answered stays so");
    }
    // Where several findings were understood, they decide.
    let told = |name: &str| crate::run::CaseFinding { entity: Some(name.into()), status: FindingStatus::Present, ..Default::default() };
    let findings = ["Fever", "Cough", "Rash"].map(told).to_vec();
    assert_eq!(plausible(&Case { findings, ..asks(AskKind::Diagnosis) }, &anchors(90.0), None, |_, _| true), None);
}

/// What the gate decides of a question, read on the starter graph.
fn refused(question: &str) -> (Option<Refusal>, String) {
    let (case, anchors) = read_anchored(question, &[]);
    let tokens = tokenise(question);
    let understanding = Understanding::of(&tokens, &case, &anchors);
    let links: Vec<String> =
        anchors.all.iter().map(|link| format!("{}={} {:.2}", link.mention, name_of(link.entity), link.score)).collect();
    let unknown: Vec<String> =
        case.not_understood.iter().map(|term| format!("{}{:?}{}", term.text, term.likely, if term.subject { "!" } else { "" })).collect();
    let told = format!(
        "{understanding:?} [{}] ~[{}] ?{:?}",
        links.join("; "),
        unknown.join("; "),
        case.asks.iter().map(|ask| (ask.kind, ask.of.len())).collect::<Vec<_>>()
    );
    (gate(&tokens, &case, &anchors, Reach::Understanding), told)
}

#[test]
fn what_must_be_refused_is_and_what_can_be_answered_is_not() {
    let (mut missed, mut refused_wrongly, mut other, mut must) = (Vec::new(), Vec::new(), Vec::new(), 0);
    let examples = examples();
    for example in &examples {
        let (refusal, told) = refused(&example.question);
        let kind = refusal.map(|refusal| serde_json::to_value(refusal).expect("JSON")["kind"].as_str().expect("a kind").to_owned());
        must += usize::from(example.refuse.is_some());
        match (&example.refuse, &kind) {
            (Some(_), None) => missed.push(format!("{} | {told}", example.question)),
            (None, Some(kind)) => refused_wrongly.push(format!("{kind} {} | {told}", example.question)),
            (Some(expected), Some(kind)) if expected != kind => other.push(format!("{kind} instead of {expected}: {}", example.question)),
            _ => {}
        }
    }
    println!("{other:#?}");
    let can = examples.len() - must;
    assert!(missed.len() * 20 <= must && refused_wrongly.len() * 100 <= 3 * can, "missed {missed:#?}\nrefused {refused_wrongly:#?}");
}

#[test]
fn replacing_an_everyday_word_never_creates_an_anchor() {
    let everyday: Vec<&str> =
        include_str!("../../../assets/common/en.txt").lines().filter(|line| !line.starts_with('#') && line.len() > 4).collect();
    let anchors = |text: &str| -> Vec<String> { read_anchored(text, &[]).1.entities().into_iter().map(name_of).collect() };
    let mut random = crate::text::SplitMix64::new(7);
    // A word that is a name of the graph is no everyday word here, nor is one that makes a name with another of the sentence: "headache on
    // standing".
    let reordered = ReorderedNames::of(&starter_graph().expect("sound"));
    let makes_a_name = |word: &str| {
        let with = |other: &str| !reordered.found(&tokenise(&format!("{other} {word}")), |_| false).is_empty();
        ["headache", "bruising", "nausea", "hurts"].into_iter().any(with)
    };
    let everyday: Vec<&str> = everyday.into_iter().step_by(9).filter(|word| anchors(word).is_empty() && !makes_a_name(word)).collect();
    assert!(everyday.len() > 100, "{}", everyday.len());
    let mut word = || everyday[random.next_below(everyday.len())];
    for frame in [
        "My sister had a _ headache after the _ last week",
        "72M on warfarin, _ bruising, the _ was late",
        "the _ hurts, then _ and nausea",
    ] {
        let plain = |words: [&str; 2]| frame.replacen('_', words[0], 1).replacen('_', words[1], 1);
        let before = anchors(&plain(["available", "available"]));
        for _ in 0..60 {
            let text = plain([word(), word()]);
            let new: Vec<String> = anchors(&text).into_iter().filter(|name| !before.contains(name)).collect();
            assert_eq!(new, Vec::<String>::new(), "{text}");
        }
    }
}
