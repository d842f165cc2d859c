//! Tests of what a question asks for.

use super::*;

#[test]
fn the_cue_file_is_valid() {
    assert!(
        CueTable::parse(include_str!("../../../assets/intents.toml"))
            .is_ok_and(|table| table.cues.at(&tokenise("contraindications"), 0).is_some())
    );
}

#[test]
fn cues_tell_what_is_asked_for() {
    let parts = |question: &str| Intent::of(&tokenise(question)).parts;
    assert_eq!(parts("I feel stomach reflux after eating. What medicine should I take?"), [AnswerPart::Treatments]);
    assert_eq!(parts("What could be wrong with me and which tests do I need?"), [AnswerPart::Conditions, AnswerPart::Tests]);
    assert_eq!(parts("How is coeliac disease diagnosed?"), [AnswerPart::Tests]);
    assert_eq!(parts("胃痛反酸，应该吃什么药？"), [AnswerPart::Treatments]);
    assert_eq!(parts("头痛恶心是什么病"), [AnswerPart::Conditions]);
    assert_eq!(parts("My knee hurts."), []);
    assert_eq!(parts("What could be the reason for these symptoms?"), [AnswerPart::Conditions]);
    let passed_over = Intent::of(&tokenise("How is pneumonia diagnosed?"));
    assert_eq!(passed_over.cue_tokens, [true, true, false, true], "what a gap passes over is no cue");
}

#[test]
fn what_is_told_is_not_asked_for() {
    let parts = |question: &str| Intent::of(&tokenise(question)).parts;
    assert_eq!(parts("After some tests I was told that I have tuberculosis. What medication do I need?"), [AnswerPart::Treatments]);
    assert_eq!(parts("I feel sick after taking my medication."), []);
    assert_eq!(parts("I had a reaction to a drug."), []);
    assert_eq!(parts("What medications can I take to manage it?"), [AnswerPart::Treatments]);
    assert_eq!(parts("Can I take ibuprofen while pregnant?"), [AnswerPart::Cautions]);
    assert_eq!(parts("Which drug should I take after a stroke?"), [AnswerPart::Treatments]);
}

#[test]
fn a_test_or_treatment_that_is_only_mentioned_is_not_asked_for() {
    let asking = |question: &&str| !Intent::of(&tokenise(question)).parts.is_empty();
    let told = [
        "It is not getting any better despite taking medication",
        "the medication I have been taking",
        "It has something to do with the antipsychotic medication I have been taking.",
        "the medicine that my doctor gave me",
        "I was given a prescription",
        "the medication I was given",
        "My doctor put me on medication",
        "I am not on any medication",
        "I forgot my medication",
        "I did a test",
        "Breathing test spot on, scans all clear",
        "检查都正常",
        "I had some blood tests",
        "The scan showed nothing",
        "My last test was positive",
        "the tests they did",
        "I have a drug abuse problem",
        "I have been abusing drugs",
        "I have a history of drug abuse",
        "I was not treated properly",
        "They treated me with something",
        "I have tried different remedies but nothing works",
        "The treatment did not help",
        "I do not need medication",
        "I can feel it even after treatment",
        "The pain prevents me from walking",
        "I manage to sleep a little",
        "It gives no relief",
        "It does not get better",
        "I do not feel better",
        "I try to avoid crowds and I never interact with others",
        "How can I sleep despite taking medication",
        "我做了检查",
        "检查结果",
        "吃了药没有用",
        "治疗后头痛",
    ];
    assert_eq!(told.into_iter().filter(asking).collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn what_is_asked_for_is_asked_for_in_every_form() {
    let asks_other = |part: AnswerPart| move |question: &&str| Intent::of(&tokenise(question)).parts != [part];
    let treatments = [
        "What medications can I take?",
        "Can you suggest what medications should I take",
        "Can you prescribe any medications",
        "Do I need medication?",
        "do i have to take medication",
        "I want to take medication",
        "I need some medication to improve the situation",
        "I am worried about proper treatment for it",
        "Is there any medication I can take for this?",
        "What should be my medication?",
        "Which medicine should I be taking?",
        "Should I be on any medication?",
        "What is the treatment after a stroke?",
        "gout treatment",
        "How was it treated?",
        "How can I feel better?",
        "medication I should be taking",
        "Do you have any recommendations for medication",
        "Can it be treated?",
        "做了检查，应该吃什么药？",
        "怎么治疗",
    ];
    let cautions = ["Is my tablet safe?", "Does taking ibuprofen interact with warfarin?", "What should I avoid?", "warfarin interactions"];
    assert_eq!(cautions.into_iter().filter(asks_other(AnswerPart::Cautions)).collect::<Vec<_>>(), Vec::<&str>::new());
    assert_eq!(treatments.into_iter().filter(asks_other(AnswerPart::Treatments)).collect::<Vec<_>>(), Vec::<&str>::new());
    let tests = [
        "What tests do I need?",
        "Please suggest some tests that I can take",
        "which scan",
        "I am wondering what tests I need to have",
        "Do I need a scan?",
        "应该做哪些检查",
        "要做什么检查",
    ];
    assert_eq!(tests.into_iter().filter(asks_other(AnswerPart::Tests)).collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn a_cue_within_the_name_of_a_finding_asks_for_nothing() {
    let mut intent = Intent::of(&tokenise("drug use disorder, which scan?"));
    assert_eq!(intent.parts, [AnswerPart::Tests, AnswerPart::Treatments]);
    intent.without_names([(0, 3)].into_iter());
    assert_eq!(intent.parts, [AnswerPart::Tests]);
}
