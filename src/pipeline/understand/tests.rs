//! Tests of the case as a whole: properties that hold whatever the wording.

use std::sync::Arc;

use super::layout::Layout;
use super::question::{ReadQuestion, read_question};
use super::scope::Scopes;
use crate::graph::starter_graph;
use crate::language::context::RunContext;
use crate::language::knowledge::Knowledge;
use crate::language::link::Anchors;
use crate::language::prompt::Prompts;
use crate::model::infer::StaticEncoder;
use crate::model::{CancelToken, EncoderHandle, MentionType, ModelError, Recogniser, RecogniserHandle, TypedMention};
use crate::run::event::{Event, EventKind};
use crate::run::{Case, CaseCorrection, Models, Settings};
use crate::text::tokenise;

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
    let (case, anchors) = read_anchored(question, corrections);
    let graph = &READER.knowledge.graph;
    let anchors = anchors.entities().into_iter().map(|entity| graph.entity_name(entity).to_owned()).collect();
    (case, anchors)
}

/// The name of an entity of the graph in use here.
pub(super) fn name_of(entity: crate::graph::EntityId) -> String {
    READER.knowledge.graph.entity_name(entity).to_owned()
}

/// Whether a word of a text is told of somebody else than the patient.
pub(super) fn is_of_another(text: &str, word: &str) -> bool {
    let tokens = tokenise(text);
    let at = tokens.iter().position(|token| token.text == word).unwrap_or_else(|| panic!("{word} in {text}"));
    Scopes::of(text, &tokens, &Layout::of(text, &tokens), &|_| false).at(at).family
}

/// What questions ask of topics: the topic, whether the wording asks for it, and the wording, with the name in braces.
pub(super) fn topic_wordings() -> impl Iterator<Item = (&'static str, bool, &'static str)> {
    let lines = include_str!("../../../tests/data/topic-wordings.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let row: Vec<&str> = line.split('\t').collect();
        let [topic, asks @ ("+" | "-"), wording] = row[..] else { panic!("a topic, + or -, and a wording: {line}") };
        (topic, asks == "+", wording)
    })
}

/// The case of a question, and its anchors.
pub(super) fn read_anchored(question: &str, corrections: &[CaseCorrection]) -> (Arc<Case>, Anchors) {
    read_with(question, corrections, None, &mut |_| true)
}

/// The same with a recogniser, and every event.
fn read_with(
    question: &str,
    corrections: &[CaseCorrection],
    recogniser: Option<&RecogniserHandle>,
    sink: &mut dyn FnMut(Event) -> bool,
) -> (Arc<Case>, Anchors) {
    let Reader { knowledge, encoder } = &*READER;
    let delta = encoder.delta().expect("known");
    let settings = Settings { k: 3, top_k: 10, delta, fragment_words: 10, fragment_overlap: 4, seed: 0 };
    let (prompts, cancel) = (Prompts::default(), CancelToken::new());
    let mut ctx = RunContext {
        knowledge,
        encoder,
        vectors: knowledge.vectors(),
        reranker: None,
        recogniser,
        generator: None,
        asks_model: false,
        reasoned: None,
        prompts: &prompts,
        delta,
        models: Models::in_use(encoder, None, None),
        settings: &settings,
        cancel: &cancel,
        id: "t".into(),
        started: std::time::Instant::now(),
        before_ms: 0.0,
        relinking: false,
        sink,
    };
    let mut anchors = Anchors::default();
    let read = read_question(&mut ctx, question, (corrections, false), true, &mut anchors).expect("reads");
    (read.case, anchors)
}

pub(super) fn read(question: &str) -> Arc<Case> {
    read_corrected(question, &[]).0
}

/// What a case says, without where it stands.
fn gist(case: &Case) -> String {
    let mut drugs: Vec<String> = case.drugs.iter().map(|drug| format!("{:?} {:?}", drug.entity, drug.status)).collect();
    let mut findings: Vec<String> = case.findings.iter().map(|finding| format!("{:?} {:?}", finding.entity, finding.status)).collect();
    let mut conditions: Vec<String> =
        case.conditions.iter().map(|condition| format!("{:?} {:?}", condition.entity, condition.status)).collect();
    let mut results: Vec<String> = case.results.iter().map(|result| format!("{} {:?}", result.test, result.direction)).collect();
    [&mut drugs, &mut findings, &mut conditions, &mut results].into_iter().for_each(|list| list.sort());
    let asks: Vec<_> = case.asks.iter().map(|ask| ask.kind).collect();
    format!("{:?} {:?} {drugs:?} {findings:?} {conditions:?} {results:?} {asks:?}", case.patient.age_months, case.patient.sex)
}

#[test]
fn a_case_worded_in_four_ways_is_the_same_case() {
    let drugs = [("Warfarin", "Clarithromycin"), ("Digoxin", "Amiodarone"), ("Lithium", "Ramipril"), ("Simvastatin", "Erythromycin")];
    let findings = ["nausea", "headache", "cough", "palpitations"];
    for ((taken, new), finding) in drugs.into_iter().zip(findings) {
        let ways = [
            format!("81 year old woman on {taken}, started on {new} last week, now has {finding}. What is going on?"),
            format!("81F takes {taken}. {new} started 7 days ago. {finding}. Dx?"),
            format!("PC: {finding}\nAge: 81 year old woman\nDH: {taken}, {new} (new)\nWhat is the diagnosis?"),
            format!("What could be wrong with an 81-year-old woman with {finding} who takes {taken} and was recently prescribed {new}?"),
        ];
        let gists: Vec<String> = ways.iter().map(|text| gist(&read(text))).collect();
        for (way, said) in ways.iter().zip(&gists) {
            assert_eq!(*said, gists[0], "{way}");
        }
    }
}

#[test]
fn denying_a_finding_changes_its_status_and_nothing_else() {
    for finding in ["fever", "chest pain", "cough", "vomiting", "headache"] {
        let with = read(&format!("58M with palpitations and {finding}. On warfarin. What is it?"));
        for denied in ["but no", "without", "and denies"] {
            let without = read(&format!("58M with palpitations {denied} {finding}. On warfarin. What is it?"));
            let flipped = gist(&without).replace("Absent", "Present");
            assert_eq!(flipped, gist(&with), "{denied} {finding}");
            assert_eq!(gist(&without).matches("Absent").count(), 1, "{denied} {finding}: {}", gist(&without));
        }
    }
    for (with, without) in [("发热，咳嗽", "无发热，咳嗽"), ("胸痛，头痛", "否认胸痛，头痛")] {
        assert_eq!(gist(&read(without)).replace("Absent", "Present"), gist(&read(with)), "{without}");
    }
}

#[test]
fn a_normal_result_adds_a_result_and_no_finding() {
    for result in [
        "K 4.2",
        "troponin normal",
        "D-dimer negative",
        "Hb 140 g/L",
        "CT head normal",
        "ECG unremarkable",
        "TSH 2.1",
        "血钾4.2",
        "心电图正常",
    ] {
        let (before, before_anchors) = read_corrected("58M with cough and fever. What is it?", &[]);
        let (after, after_anchors) = read_corrected(&format!("58M with cough and fever. {result}. What is it?"), &[]);
        assert_eq!(after.findings.len(), before.findings.len(), "{result}");
        assert_eq!(after.conditions, before.conditions, "{result}");
        assert_eq!(after.results.len(), before.results.len() + 1, "{result}: {:?}", after.results);
        assert!(after.results.iter().all(|result| result.finding.is_none()), "{result}");
        assert_eq!(after_anchors, before_anchors, "{result}");
    }
    assert!(!read("58M with weakness. K 4.2.").results[0].against.is_empty());
    assert!(read("We did an ECG and a troponin for the cough.").results.is_empty(), "a test that is merely named");
}

#[test]
fn a_correction_is_in_the_case_and_takes_its_anchor() {
    use crate::run::{AskKind, FindingStatus};
    let text = "58M with cough and fever, K 6.9. What is it?";
    let (_, anchors) = read_corrected(text, &[]);
    assert!(["Cough", "Fever", "Hyperkalaemia"].iter().all(|name| anchors.iter().any(|anchor| anchor == name)), "{anchors:?}");
    let corrections = [
        CaseCorrection::Status { item: "Fever".into(), status: FindingStatus::Absent },
        CaseCorrection::Remove { item: "potassium".into() },
        CaseCorrection::Asks { kinds: vec![AskKind::Tests] },
    ];
    let (case, anchors) = read_corrected(text, &corrections);
    assert_eq!(anchors, ["Cough"]);
    assert!(case.results.is_empty() && case.asks.iter().map(|ask| ask.kind).eq([AskKind::Tests]));
    let back = [CaseCorrection::Status { item: "Fever".into(), status: FindingStatus::Present }];
    assert!(read_corrected("Cough, no fever", &back).1.contains(&"Fever".to_owned()));
}

#[test]
fn kin_of_whatever_age_is_the_patient_with_whom_a_question_begins() {
    use crate::run::FindingStatus;
    for text in [
        "My elderly mother has chest pain and is sweating. What is it?",
        "my teenage daughter has a fever and a stiff neck",
        "My eldest son has a rash.",
        "my diabetic dad has chest pain",
    ] {
        let findings = &read(text).findings;
        assert!(!findings.is_empty() && findings.iter().all(|finding| finding.status == FindingStatus::Present), "{text}: {findings:?}");
    }
    let other = read("I am dizzy. My elderly mother had a stroke.");
    let statuses: Vec<FindingStatus> = other.findings.iter().map(|finding| finding.status).collect();
    assert_eq!(statuses, [FindingStatus::Present, FindingStatus::FamilyHistory], "{other:?}");
}

#[test]
fn an_age_with_a_sex_names_nothing() {
    let (case, anchors) = read_anchored("62M crushing chest pain, sweating", &[]);
    assert!(case.patient.age_months.is_some() && anchors.unlinked.is_empty(), "{:?}", anchors.unlinked);
}

#[test]
fn the_rate_behind_a_pressure_is_no_unit_of_it() {
    let results =
        |text: &str| read(text).results.iter().map(|result| (result.test.clone(), result.value, result.second)).collect::<Vec<_>>();
    let of = |test: &str, value, second| (test.to_owned(), Some(value), second);
    assert_eq!(read("chest pain, BP 88/50 HR 120").findings[0].days, None);
    assert_eq!(results("seizure for 1 hr 30 min"), []);
    assert!(read("seizure for 1 hr 30 min").findings[0].days.is_some_and(|days| days > 0.0), "an hour is a time, whatever minutes follow");
    assert_eq!(results("BP 88/50 HR 120"), [of("blood pressure", 88.0, Some(50.0)), of("pulse", 120.0, None)]);
    assert_eq!(
        results("RR 28 SBP 85 HR 125"),
        [of("respiratory rate", 28.0, None), of("blood pressure", 85.0, None), of("pulse", 125.0, None)]
    );
}

#[test]
fn what_is_over_denied_or_only_a_place_is_no_finding() {
    use crate::run::FindingStatus;
    let present = |text: &str| -> Vec<String> {
        let findings = &read(text).findings;
        findings.iter().filter(|of| of.status == FindingStatus::Present).filter_map(|of| of.entity.clone()).collect()
    };
    assert_eq!(present("lost 12 kg without trying and coughing up some blood"), ["Weight loss", "Coughing up blood"]);
    assert!(present("I had a seizure 10 years ago, can I drive?").is_empty());
    assert_eq!(present("I had a seizure 20 years ago and another one today"), ["Seizure"]);
    assert_eq!(present("Nothing swollen. Knee hurts. What is it?"), ["Knee pain"]);
    assert_eq!(present("Nothing swollen, knee hurts after running. What is it?"), ["Knee pain"]);
    assert!(present("A spot on one side of my face. What is it?").iter().all(|name| !name.contains("eakness")));
    assert_eq!(present("The wind hurt one side of my face."), ["Facial pain"]);
    assert_eq!(present("My belly hurts and I cannot pass wind."), ["Abdominal pain", "Not passing stool or gas"]);
    assert_eq!(present("I cannot breathe through my nose."), ["Blocked nose"]);
}

#[test]
fn what_a_correction_says_in_words_takes_the_place_of_the_same() {
    use crate::run::{FindingStatus, OrganFunction};
    let words = |text: &str| CaseCorrection::Words { text: text.into() };
    let text = "34F, 20 weeks pregnant, cough and fever, K 6.9, eGFR 25, on warfarin. What is it?";
    let (before, _) = read_corrected(text, &[]);
    assert!(before.results.iter().any(|result| result.critical) && before.patient.renal == Some(OrganFunction::Severe), "{before:?}");
    let (case, anchors) = read_corrected(text, &[words("K 4.1, no fever"), words("aged 43, not pregnant, eGFR 95")]);
    let potassium: Vec<_> = case.results.iter().filter(|result| result.test == "potassium").collect();
    assert!(matches!(potassium[..], [result] if result.value == Some(4.1) && !result.critical), "{potassium:?}");
    assert!(!anchors.contains(&"Hyperkalaemia".to_owned()) && !anchors.contains(&"Fever".to_owned()), "{anchors:?}");
    let status = |name: &str| case.findings.iter().find(|finding| finding.entity.as_deref() == Some(name)).map(|finding| finding.status);
    assert_eq!((status("Cough"), status("Fever")), (Some(FindingStatus::Present), Some(FindingStatus::Absent)));
    assert_eq!(case.patient.age_months.map(|age| age.from / 12), Some(43));
    assert!(case.patient.pregnancy.is_some_and(|pregnancy| !pregnancy.pregnant), "{:?}", case.patient);
    assert_eq!(case.patient.renal, Some(OrganFunction::Normal));
    assert_eq!(case.patient.sex, before.patient.sex, "what the words do not say stays");
    assert_eq!(case.drugs, before.drugs);
    assert_eq!(case.asks, before.asks);
    // The later correction holds.
    let later = [words("K 4.1"), CaseCorrection::Remove { item: "potassium".into() }, words("K 6.2")];
    let values: Vec<_> =
        read_corrected(text, &later).0.results.iter().filter(|result| result.test == "potassium").map(|r| r.value).collect();
    assert_eq!(values, [Some(6.2)]);
}

#[test]
fn what_is_asked_is_known_in_order_and_of_what() {
    use crate::run::AskKind::{
        Causes, Contraindications, Diagnosis, Dose, Interactions, Monitoring, Safety, SideEffects, Tests, Treatment,
    };
    let kinds = |text: &str| read(text).asks.iter().map(|ask| ask.kind).collect::<Vec<_>>();
    for (text, expected) in [
        ("Can I take ibuprofen with warfarin?", vec![Safety]),
        ("ibuprofen and warfarin together?", vec![Safety]),
        ("Is ibuprofen ok in pregnancy?", vec![Safety]),
        ("Nitrofurantoin OK?", vec![Safety]),
        ("Any interaction between warfarin and amiodarone?", vec![Safety]),
        ("What interacts with warfarin?", vec![Interactions]),
        ("List contraindications of metformin", vec![Contraindications]),
        ("What causes raised calcium?", vec![Causes]),
        ("How much paracetamol should I take?", vec![Dose]),
        ("Long term amiodarone - what to monitor?", vec![Monitoring]),
        ("side effects of prednisolone", vec![SideEffects]),
        ("58M chest pain. Dx and which tests? Then Rx?", vec![Diagnosis, Tests, Treatment]),
        ("华法林和布洛芬能一起吃吗", vec![Safety]),
        ("头痛发热，诊断？怎么治疗？", vec![Diagnosis, Treatment]),
        ("I have had a cough for three days.", vec![]),
    ] {
        assert_eq!(kinds(text), expected, "{text}");
    }
    let of = |text: &str| read(text).asks.first().map(|ask| ask.of.clone()).unwrap_or_default();
    assert_eq!(of("What is the first-line treatment for gout?"), ["Gout"]);
    assert_eq!(of("Contraindications to metformin?"), ["Metformin"]);
    assert_eq!(of("Can I take ibuprofen with warfarin?"), ["Ibuprofen", "Warfarin"]);
}

#[test]
fn a_drug_that_nobody_knows_is_the_subject_of_a_question_about_it() {
    use crate::run::LikelyKind;
    for text in [
        "is zorbimab safe with warfarin?",
        "What are the contraindications to velmorastat?",
        "my doctor put me on Florbazenol, what side effects does it have",
    ] {
        let case = read(text);
        let subject = case.not_understood.iter().find(|word| word.subject).unwrap_or_else(|| panic!("{text}: {:?}", case.not_understood));
        assert_eq!(subject.likely, Some(LikelyKind::Drug), "{text}");
    }
    for text in [
        "can i take paracetamol with my sertraline, got a headache",
        "Is it OK to take naproxen for my bad back while I'm on apixaban for AF?",
    ] {
        assert!(read(text).not_understood.iter().all(|word| !word.subject), "{text}: {:?}", read(text).not_understood);
    }
}

#[test]
fn drugs_and_conditions_have_their_status() {
    use crate::run::{ConditionStatus, DrugStatus};
    let drug = |text: &str| read(text).drugs.iter().map(|drug| (drug.status, drug.days)).next_back();
    for (text, status) in [
        ("She takes warfarin", DrugStatus::Taken),
        ("stable on warfarin", DrugStatus::Taken),
        ("Warfarin started 5 days ago", DrugStatus::New),
        ("Can I give warfarin?", DrugStatus::Proposed),
        ("wants to add warfarin", DrugStatus::Proposed),
        ("warfarin was stopped last month", DrugStatus::Stopped),
        ("allergic to penicillin", DrugStatus::Allergic),
        ("Allergies: penicillin", DrugStatus::Allergic),
        ("华法林治疗3年", DrugStatus::Taken),
        ("青霉素过敏", DrugStatus::Allergic),
        ("拟加华法林", DrugStatus::Proposed),
        ("On digoxin and furosemide, amiodarone started a week ago", DrugStatus::New),
        ("amlodipine dose raised 2 weeks ago", DrugStatus::New),
        ("started on amiodarone and digoxin, takes furosemide", DrugStatus::Taken),
    ] {
        assert_eq!(drug(text).map(|(status, _)| status), Some(status), "{text}");
    }
    assert_eq!(drug("started on warfarin 4/7 ago"), Some((DrugStatus::New, Some(4.0))));
    let condition = |text: &str| read(text).conditions.first().map(|condition| condition.status);
    for (text, status) in [
        ("She has asthma", ConditionStatus::Known),
        ("?asthma", ConditionStatus::Suspected),
        ("could this be asthma", ConditionStatus::Suspected),
        ("asthma was ruled out", ConditionStatus::Excluded),
        ("no evidence of asthma", ConditionStatus::Excluded),
        ("history of asthma", ConditionStatus::Past),
        ("PMH: asthma", ConditionStatus::Past),
        ("疑似哮喘", ConditionStatus::Suspected),
        ("stroke 15/12 ago", ConditionStatus::Past),
        ("pneumonia in 2018", ConditionStatus::Past),
        ("stroke 3/7 ago", ConditionStatus::Known),
    ] {
        assert_eq!(condition(text), Some(status), "{text}");
    }
}

/// A pasted note of about 500 words.
fn note() -> String {
    let part = "PC: cough and chest pain for 3 days. Denies fever, vomiting, headache. PMH: asthma, hypertension, gout.\nDH: ramipril 5 mg, aspirin 75 mg, \
         simvastatin (new). Allergies: penicillin.\nFH: mother had breast cancer. SH: ex-smoker.\nO/E: T 37.2, BP 148/82, HR 78 reg, chest clear, abdomen soft. \
         Bloods: Hb 109, K 4.2, creat 96, CRP 48, troponin normal. CXR clear. Imp: ?PE.\n";
    part.repeat(7) + "What is it, and which tests?"
}

#[test]
fn spans_slice_the_question_and_time_grows_with_its_length() {
    let text = note();
    let case = read(&text);
    for finding in &case.findings {
        assert_eq!(text.get(finding.start..finding.end), Some(finding.text.as_str()));
    }
    assert!(case.drugs.iter().all(|drug| text.get(drug.start..drug.end) == Some(drug.text.as_str())));
    assert!(case.conditions.iter().all(|condition| text.get(condition.start..condition.end) == Some(condition.text.as_str())));
    assert!(case.results.iter().all(|result| text.get(result.start..result.end).is_some()));
    assert!(case.not_understood.iter().all(|word| text.get(word.start..word.end) == Some(word.text.as_str())));
    assert!(case.drugs.len() >= 3 && case.results.len() >= 7, "{}", case.read_as(false));
}

#[test]
fn corrections_of_a_follow_up_hold_of_what_it_takes_over() {
    use crate::run::DrugStatus;
    let before = read("72 year old man on digoxin, started furosemide 4 days ago. Nausea.");
    let drug = |item: &str, status| CaseCorrection::Drug { item: item.into(), status };
    let corrections =
        [drug("Furosemide", DrugStatus::New), drug("Digoxin", DrugStatus::Stopped), CaseCorrection::Remove { item: "Nausea".into() }];
    let mut next = ReadQuestion { case: read("What is the diagnosis?"), ..ReadQuestion::default() };
    next.follow((&READER.knowledge, "What is the diagnosis?"), &before, &corrections, false);
    let drugs: Vec<_> = next.case.drugs.iter().map(|drug| (drug.entity.as_deref(), drug.status, drug.days)).collect();
    assert_eq!(
        drugs,
        [(Some("Digoxin"), DrugStatus::Stopped, None), (Some("Furosemide"), DrugStatus::New, Some(4.0))],
        "each once; what stays as it is keeps its days"
    );
    assert!(next.case.findings.is_empty(), "{:?}", next.case.findings);
}

/// One letter can stand for several words, whose tokens then share its place.
#[test]
fn letters_that_stand_for_several_words_are_read() {
    for text in ["ヿ", "ヿ pain ヿ. Fever ㍿ ㌀?", "ﷺ cough, no ﷺ fever", "㏒ mg ㏂ 8"] {
        let case = read(text);
        assert!(case.findings.iter().all(|finding| text.get(finding.start..finding.end).is_some()), "{text}");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]
    #[test]
    fn no_text_is_too_strange_to_read(text in "(\\PC|[0-9/+?:,. \n(-]|no |on |mg|岁|孕|阳性|K |BP |PMH: |what ){0,60}") {
        let case = read(&text);
        for word in &case.not_understood {
            proptest::prop_assert!(text.get(word.start..word.end).is_some());
        }
        for finding in &case.findings {
            proptest::prop_assert!(text.get(finding.start..finding.end).is_some());
        }
        for result in &case.results {
            proptest::prop_assert!(text.get(result.start..result.end).is_some());
        }
    }
}

/// Recognises the names that it was given; fails where it was given none.
struct Scripted(Vec<(&'static str, MentionType)>);

impl Recogniser for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn device(&self) -> String {
        "cpu".into()
    }

    fn recognise(&mut self, sentences: &[String], _: &dyn Fn() -> bool) -> Result<Vec<Vec<TypedMention>>, ModelError> {
        if self.0.is_empty() {
            return Err(ModelError::Compute { name: "scripted".into(), problem: "it has no names".into() });
        }
        let found = |sentence: &String| {
            let mention = |(name, of): &(&'static str, MentionType)| {
                sentence.find(name).map(|at| TypedMention { parts: vec![(at, at + name.len())], of: *of })
            };
            self.0.iter().filter_map(mention).collect()
        };
        Ok(sentences.iter().map(found).collect())
    }
}

#[test]
fn a_recogniser_says_what_unknown_words_are_and_changes_nothing_else() {
    use crate::run::LikelyKind;
    let names = [("zorblaxin", MentionType::Chemical), ("Warfarin", MentionType::Disease), ("kobrel eyes", MentionType::Disease)];
    let recogniser = RecogniserHandle::start("scripted", move || Ok(Box::new(Scripted(names.to_vec())))).expect("a thread");
    let question = "She has gout. Is zorblaxin safe with kobrel eyes? Warfarin was stopped.";
    let mut mentions = Vec::new();
    let mut sink = |event: Event| {
        if let EventKind::MentionFound { mention } = event.what {
            mentions.push((mention.text, mention.recogniser));
        }
        true
    };
    let (with, anchors) = read_with(question, &[], Some(&recogniser), &mut sink);
    let (without, anchors_without) = read_anchored(question, &[]);
    let kind = |case: &Case, words: &str| case.not_understood.iter().find(|term| term.text == words).and_then(|term| term.likely);
    assert_eq!((kind(&without, "zorblaxin"), kind(&with, "zorblaxin")), (Some(LikelyKind::Other), Some(LikelyKind::Drug)));
    assert_eq!(kind(&with, "kobrel eyes"), Some(LikelyKind::Condition), "{:?}", with.not_understood);
    assert!(with.not_understood.iter().any(|term| term.text == "zorblaxin" && term.subject));
    assert_eq!((&with.drugs, &with.conditions, &with.findings), (&without.drugs, &without.conditions, &without.findings));
    assert_eq!(anchors.entities(), anchors_without.entities());
    let of_network: Vec<&str> = mentions.iter().filter(|(_, by)| by == "w2ner").map(|(text, _)| text.as_str()).collect();
    assert_eq!(of_network, ["zorblaxin", "kobrel eyes"], "what is linked is not reported as unknown");
}

#[test]
fn without_the_recogniser_that_fails_the_question_is_read_all_the_same() {
    let recogniser = RecogniserHandle::start("scripted", || Ok(Box::new(Scripted(Vec::new())))).expect("a thread");
    let mut warnings = Vec::new();
    let mut sink = |event: Event| {
        if let EventKind::Warning { text } = event.what {
            warnings.push(text);
        }
        true
    };
    let question = "Is zorblaxin safe in gout?";
    let (case, _) = read_with(question, &[], Some(&recogniser), &mut sink);
    assert_eq!(case, read_anchored(question, &[]).0);
    assert!(warnings.iter().any(|warning| warning.contains("may go unnoticed") && warning.contains("it has no names")), "{warnings:?}");
}
