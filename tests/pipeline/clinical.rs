//! What would mislead a clinician, on the starter graph, by property rather than by phrase: causes, headlines, risk factors, severity,
//! clutter.

use catena::run::{AnswerPart, Trace, UrgencyLevel};

use crate::starter::{ask, entities, lines};

fn warning(trace: &Trace) -> &str {
    trace.urgency.text.as_deref().unwrap_or_default()
}

#[test]
fn a_drug_that_does_what_is_told_comes_before_tumours_and_rare_diseases() {
    for (question, said, drug) in [
        (
            "29F, prolactin 1640 mIU/L, missed periods, pregnancy test negative. On risperidone. What is the cause?",
            "side effect of Risperidone",
            "Risperidone",
        ),
        ("68F on amlodipine. Ankle swelling, NT-proBNP 60, albumin normal. What is the cause?", "side effect of Amlodipine", "Amlodipine"),
        ("女，30岁，服利培酮，闭经，泌乳素1640 mIU/L（升高）。什么原因？", "利培酮（Risperidone）的不良反应", "Risperidone"),
    ] {
        let trace = ask(question);
        assert!(lines(&trace, AnswerPart::Summary).contains(said), "{}", trace.answer.text);
        let mut details = trace.answer.lines.iter().filter(|line| matches!(line.part, AnswerPart::Cautions | AnswerPart::Conditions));
        assert_eq!(details.next().map(|line| line.entity.as_str()), Some(drug), "{}", trace.answer.text);
        assert!(entities(&trace, AnswerPart::Treatments).is_empty(), "nobody is treated for what else it could be");
        assert!(!warning(&trace).contains("Prolactinoma"), "{}", trace.answer.text);
    }
}

#[test]
fn an_emergency_is_treated_whatever_has_caused_it() {
    let trace = ask("62F started lisinopril three days ago. Swollen lips and tongue, stridor. What is it?");
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
    assert!(!entities(&trace, AnswerPart::Treatments).is_empty(), "{}", trace.answer.text);
    assert!(lines(&trace, AnswerPart::Cautions).contains("Lisinopril"), "{}", trace.answer.text);
}

#[test]
fn what_must_be_looked_into_whatever_is_taken_is_not_put_down_to_a_drug() {
    let trace = ask("64F on topiramate. Weight loss. What is the cause?");
    assert!(!lines(&trace, AnswerPart::Summary).contains("side effect"), "{}", trace.answer.text);
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Urgent), "{}", trace.answer.text);
}

#[test]
fn a_drug_that_may_do_as_much_stands_beside_what_leads() {
    let trace = ask("64M, breathless at rest since yesterday, on ticagrelor and aspirin. Cause?");
    let first = trace.answer.lines.iter().position(|line| line.part == AnswerPart::Conditions).expect("a condition");
    let beside = trace.answer.lines.get(first + 1).map(|line| (line.part, line.entity.as_str()));
    assert_eq!(beside, Some((AnswerPart::Cautions, "Ticagrelor")), "{}", trace.answer.text);
    // One complaint that fits dozens names none of them above the answer.
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency));
    assert!(warning(&trace).starts_with("Shortness of breath"), "{}", warning(&trace));
}

#[test]
fn a_drug_that_is_only_considered_has_done_nothing_yet() {
    let trace =
        ask("31F, 33 weeks pregnant, epigastric pain, nausea, BP 162/106, platelets 62, ALT 312, proteinuria. The surgeon wants to give \
         diclofenac. Diagnosis?");
    assert_eq!(entities(&trace, AnswerPart::Conditions).first(), Some(&"HELLP syndrome"), "{}", trace.answer.text);
    assert!(!lines(&trace, AnswerPart::Cautions).contains("Diclofenac"), "{}", trace.answer.text);
    assert!(lines(&trace, AnswerPart::Safety).contains("Diclofenac"), "what speaks against it is said");
}

#[test]
fn the_line_above_the_answer_names_what_leads() {
    let trace = ask("79F, vesicular rash on one side of the chest. Her family thinks it is chickenpox. What is it?");
    assert_eq!(entities(&trace, AnswerPart::Conditions).first(), Some(&"Herpes zoster"), "{}", trace.answer.text);
    assert!(warning(&trace).contains("Herpes zoster") && !warning(&trace).contains("Chickenpox"), "{}", warning(&trace));
    // A clear picture of something else answers the fear.
    let trace = ask("Husband 41 got up yesterday with face all dropped on the right. cant shut that eye, cant lift that eyebrow AT ALL, \
         forehead smooth as a baby, dribbles his tea. Behind his ear ached for couple days before. Arms legs fine, talks fine apart from \
         bit slurry on his p's, not confused. no rash or blisters in the ear, no tick bites. He says its stroke and hes making his will. \
         which is it and is there any medicine");
    assert_eq!(entities(&trace, AnswerPart::Conditions).first(), Some(&"Bell's palsy"), "{}", trace.answer.text);
    assert!(!warning(&trace).contains("Stroke"), "{}", warning(&trace));
    let trace =
        ask("Sudden shower of floaters, flashing lights and loss of peripheral vision since this morning, short sighted. What is it?");
    assert!(warning(&trace).contains("Retinal detachment"), "{}", warning(&trace));
    assert!(lines(&trace, AnswerPart::Summary).contains("Retinal detachment"), "{}", trace.answer.text);
}

#[test]
fn what_a_class_of_drugs_raises_the_risk_of_its_members_do() {
    let trace = ask("84M on edoxaban. Confusion, headache, weakness of one side for three weeks. What is it?");
    assert_eq!(entities(&trace, AnswerPart::Conditions).first(), Some(&"Subdural haematoma"), "{}", trace.answer.text);
    assert!(lines(&trace, AnswerPart::Conditions).contains("more likely with Edoxaban"), "{}", trace.answer.text);
}

#[test]
fn in_an_emergency_a_first_line_drug_that_merely_interacts_keeps_its_place() {
    let trace =
        ask("72M, fever and shaking 3 days after stopping drinking a litre of vodka a day, seeing insects on the wall, pulse 130. \
         Diagnosis and treatment?");
    let treatments = entities(&trace, AnswerPart::Treatments);
    let place = |name: &str| treatments.iter().position(|known| *known == name);
    let lorazepam = place("Lorazepam").expect("the first-line drug");
    assert!(place("Intravenous fluids").is_none_or(|fluids| lorazepam < fluids), "{treatments:?}");
    assert!(lines(&trace, AnswerPart::Treatments).contains("Caution: Lorazepam"), "what speaks against it is said");
}

#[test]
fn what_a_condition_always_brings_is_no_caution_against_its_first_treatment() {
    let trace = ask("Day 7 on heparin, platelets 62 (were 240), leg swelling. Diagnosis and treatment?");
    assert!(entities(&trace, AnswerPart::Treatments).contains(&"Argatroban"), "{}", trace.answer.text);
    assert!(!lines(&trace, AnswerPart::Treatments).contains("Caution: Argatroban"), "{}", trace.answer.text);
}

#[test]
fn a_normal_value_rules_out_what_is_nothing_but_an_abnormal_one() {
    for (question, out) in [
        (
            "Tired for months. 40F, MCV 112, folate 12 ng/ml, B12 450 ng/l. Cause?",
            &["Pernicious anaemia", "Folate deficiency", "Vitamin B12 deficiency"][..],
        ),
        (
            "48F with type 2 diabetes on metformin and empagliflozin. Vomiting, abdominal pain, pH 7.14, bicarbonate 9, lactate 1.3. \
             Diagnosis?",
            &["Lactic acidosis", "Metformin-associated lactic acidosis"],
        ),
        ("Ferritin 890, transferrin saturation 28%. What are the causes?", &["Haemochromatosis"]),
        // It is stated as a cause of a high GGT, and nearly always has it.
        ("77M, ALP 412, GGT 28, bilirubin normal. What are the causes?", &["Primary biliary cholangitis"]),
    ] {
        let trace = ask(question);
        let conditions = entities(&trace, AnswerPart::Conditions);
        assert!(!conditions.is_empty(), "{question}: {}", trace.answer.text);
        for name in out {
            assert!(!conditions.contains(name), "{name}: {}", trace.answer.text);
        }
    }
    let open = ask("Tired for months. 40F, MCV 112. Cause?");
    assert!(entities(&open, AnswerPart::Conditions).contains(&"Pernicious anaemia"), "{}", open.answer.text);
}

#[test]
fn what_calls_for_a_degree_is_offered_only_where_the_case_does_not_deny_it() {
    let treatments = |haemoglobin: u32| {
        let trace = ask(&format!("60M with myelodysplastic syndrome, Hb {haemoglobin}. Treatment?"));
        entities(&trace, AnswerPart::Treatments).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(!treatments(124).iter().any(|name| name == "Blood transfusion"));
    assert!(treatments(64).iter().any(|name| name == "Blood transfusion"), "{:?}", treatments(64));
    let bleed = |drug: &str| ask(&format!("60M with intracerebral haemorrhage, on {drug}. Treatment?"));
    let on_apixaban = bleed("apixaban");
    let stated = entities(&on_apixaban, AnswerPart::Treatments);
    assert!(!stated.contains(&"Idarucizumab") && !stated.contains(&"Phytomenadione"), "{stated:?}");
    assert!(entities(&bleed("dabigatran"), AnswerPart::Treatments).contains(&"Idarucizumab"));
}

#[test]
fn where_nothing_leads_nobody_is_treated_for_the_first_guess() {
    let trace = ask("68F. Ankle swelling. What is the cause?");
    assert!(entities(&trace, AnswerPart::Conditions).len() > 2, "{}", trace.answer.text);
    assert!(entities(&trace, AnswerPart::Treatments).is_empty(), "{}", trace.answer.text);
    assert!(entities(&trace, AnswerPart::Care).is_empty(), "{}", trace.answer.text);
}

#[test]
fn asked_for_causes_of_one_finding_the_answer_lists_them() {
    let trace = ask("55M, MCV 108, Hb 126, B12 normal, folate normal. What are the causes?");
    let causes = entities(&trace, AnswerPart::Conditions);
    assert!(causes.len() > 3 && causes.contains(&"Alcohol use disorder"), "{}", trace.answer.text);
    let mut once = causes.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), causes.len(), "each once");
}

#[test]
fn what_the_patient_has_long_been_is_not_treated_beside_what_is_new() {
    let trace = ask("Acute gout in a patient with chronic kidney disease: which drug?");
    let treatments = entities(&trace, AnswerPart::Treatments);
    assert!(!treatments.is_empty(), "{}", trace.answer.text);
    for other in ["Alfacalcidol", "Phosphate binder", "Darbepoetin alfa"] {
        assert!(!treatments.contains(&other), "{other}: {}", trace.answer.text);
    }
}

#[test]
fn croup_is_an_emergency_by_what_makes_it_one() {
    let level = |question: &str| ask(question).urgency.level;
    let calm = level("2 year old with a barking cough and stridor only when she cries, drinking well. What is it?");
    assert_eq!(calm, Some(UrgencyLevel::Urgent));
    for with in ["blue lips", "drooling"] {
        let level = level(&format!("2 year old with a barking cough, stridor and {with}. What is it?"));
        assert_eq!(level, Some(UrgencyLevel::Emergency), "{with}");
    }
    assert_eq!(level("30F with stridor after a bee sting. What is it?"), Some(UrgencyLevel::Emergency));
}

#[test]
fn what_the_patient_is_outweighs_no_finding() {
    // What an unknown degree leaves open are degrees, not every illness that comes with it.
    let trace = ask("71M on tamsulosin and aspirin, creatinine 192, tired. What is it?");
    assert!(!lines(&trace, AnswerPart::Safety).contains("Hepatorenal syndrome"), "{}", trace.answer.text);
    assert!(lines(&trace, AnswerPart::Safety).contains("Aspirin in Impaired kidney function"), "{}", trace.answer.text);
}

#[test]
fn what_kinds_of_a_drug_do_and_what_is_minor_is_no_caution() {
    let trace = ask("2 year old, vaccines up to date, barking cough, hoarse. Treatment?");
    assert!(entities(&trace, AnswerPart::Treatments).contains(&"Dexamethasone"), "{}", trace.answer.text);
    assert!(!lines(&trace, AnswerPart::Treatments).to_lowercase().contains("vaccine"), "{}", trace.answer.text);
}

#[test]
fn asked_whether_it_can_wait_the_answer_says_what_it_may_be() {
    let trace = ask("My aunt is 61, scared of a stroke. Vertigo when she turns over in bed, nausea. Is it ok to wait until Monday?");
    assert!(trace.answer.grounded, "{}", trace.answer.text);
    assert!(!entities(&trace, AnswerPart::Conditions).is_empty(), "{}", trace.answer.text);
    let of_unknown = ask("Vertigo and nausea. Is zolvaprix safe?");
    assert!(entities(&of_unknown, AnswerPart::Conditions).is_empty(), "{}", of_unknown.answer.text);
}

#[test]
fn too_much_of_a_medicine_that_is_none_of_those_named_does_not_lead() {
    let leader = |drug: &str| {
        let trace = ask(&format!("45M on {drug}. Reduced consciousness, vomiting, poor balance, tremor of the hands. What is it?"));
        entities(&trace, AnswerPart::Conditions).first().map(|name| (*name).to_owned())
    };
    assert_eq!(leader("sodium valproate").as_deref(), Some("Valproate toxicity"));
    let other = leader("clozapine");
    assert!(other.as_ref().is_some_and(|name| !name.ends_with(" toxicity")), "{other:?}");
}

#[test]
fn what_is_barred_in_the_trimester_is_not_offered_in_it() {
    let treatments = |weeks: u32| {
        let trace = ask(&format!("{weeks} weeks pregnant with Graves' disease. Treatment?"));
        entities(&trace, AnswerPart::Treatments).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let early = treatments(7);
    assert!(early.contains(&"Propylthiouracil".to_owned()), "{early:?}");
    assert!(!early.iter().any(|name| name == "Carbimazole" || name == "Thiamazole"), "{early:?}");
    assert!(treatments(24).contains(&"Carbimazole".to_owned()));
}

#[test]
fn nobody_is_transfused_for_a_severe_anaemia_that_is_none() {
    let transfuses = |haemoglobin: u32| {
        let trace = ask(&format!("68F with iron deficiency anaemia, Hb {haemoglobin}. Treatment?"));
        entities(&trace, AnswerPart::Treatments).contains(&"Blood transfusion")
    };
    assert!(transfuses(58));
    assert!(!transfuses(98));
}
