//! Tests of what goes wrong after a procedure.

use super::*;
use crate::text::tokenise;

fn file() -> File {
    toml::from_str(include_str!("../../../assets/after-procedures.toml")).expect("valid")
}

fn told(question: &str) -> Vec<&'static str> {
    after_procedures(&tokenise(question), &Case::default()).into_iter().map(|after| after.when(false)).collect()
}

#[test]
fn every_procedure_has_a_name_and_an_event_and_every_event_a_sign_and_texts_of_bounded_length() {
    let mut names = std::collections::BTreeSet::new();
    for procedure in &file().procedure {
        assert!(names.insert(procedure.name.clone()), "{} twice", procedure.name);
        assert!(!procedure.words.is_empty() && !procedure.event.is_empty() && !procedure.name_zh.is_empty(), "{}", procedure.name);
        for event in &procedure.event {
            assert!(!event.says.is_empty() || !event.found.is_empty(), "{}: {}", procedure.name, event.act);
            for (text, most) in [(&event.act, 300), (&event.act_zh, 300), (&event.text, 520), (&event.text_zh, 520)] {
                assert!(!text.is_empty() && text.len() <= most, "{}: {} bytes: {text}", procedure.name, text.len());
                assert!(!text.ends_with(['.', '。', '\n']), "{text}");
            }
        }
    }
}

#[test]
fn a_sign_after_a_procedure_is_told_and_neither_one_alone() {
    let after = "after thyroid surgery";
    assert_eq!(told("4 hours after total thyroidectomy, neck swelling, dressing bulging"), [after]);
    assert_eq!(told("甲状腺全切术后3小时，颈部肿胀"), [after]);
    assert!(told("neck swelling for two weeks, dressing bulging").is_empty());
    assert!(told("total thyroidectomy yesterday, how soon can she eat?").is_empty());
}

#[test]
fn what_is_denied_still_to_come_or_long_ago_is_not_told() {
    for question in [
        "day 1 after thyroidectomy, no neck swelling",
        "neck swelling, thyroidectomy planned for March",
        "neck swelling, awaiting thyroidectomy",
        "thyroidectomy 12 years ago, now neck swelling",
        "65F, PMH hypertension, cholecystectomy, now fever and cough",
        "IBS, colonoscopy normal, abdominal pain",
        "Spinal decompression surgery this afternoon, can't feel my legs, legs weak",
    ] {
        assert!(told(question).is_empty(), "{question}");
    }
}

#[test]
fn phrases_are_written_out() {
    let file: toml::Value = toml::from_str(include_str!("../../../assets/after-procedures.toml")).expect("valid");
    let mut phrases = Vec::new();
    let mut add = |value: &toml::Value| {
        let listed =
            ["planned", "planned_behind", "ago", "recent", "words", "says", "with", "unless"].iter().filter_map(|key| value.get(key));
        phrases.extend(listed.filter_map(toml::Value::as_array).flatten().filter_map(toml::Value::as_str).map(str::to_owned));
    };
    add(&file);
    for procedure in file["procedure"].as_array().expect("a list") {
        add(procedure);
        procedure["event"].as_array().expect("a list").iter().for_each(&mut add);
    }
    assert!(phrases.len() > 100);
    for phrase in &phrases {
        let written = crate::language::wordings::wordings(phrase);
        assert!(written.iter().all(|phrase| !phrase.contains(['(', ')', '[', ']', '|'])), "{phrase}");
        assert!(!phrase.chars().any(|c| c.is_uppercase() || "'’?.,".contains(c)), "{phrase}: folded");
    }
}

#[test]
fn findings_are_of_the_graph() {
    let graph = crate::graph::starter_graph().expect("sound");
    for event in file().procedure.iter().flat_map(|procedure| &procedure.event) {
        for name in event.found.iter().chain(&event.with_found) {
            assert!(graph.entity_ids().any(|entity| graph.entity_name(entity) == name), "{name}");
        }
    }
}

#[test]
fn a_device_counts_for_as_long_as_it_is_there() {
    assert_eq!(told("VP shunt placed 3 years ago, drowsy and vomiting since yesterday"), ["with a brain shunt"]);
}
