//! Rules of reading that keep an answer safe, on the starter graph: whose limits hold, what "against" asks, what is there now before what
//! is to be prevented, a fall in platelets under heparin, and what a normal value does not rule out.

use catena::run::{AnswerPart, AskKind, ConditionStatus, ResultDirection, Trace, UrgencyLevel};

use crate::starter::{ask, entities};

fn direction(trace: &Trace, test: &str) -> Option<ResultDirection> {
    trace.case.results.iter().find(|result| result.test == test).map(|result| result.direction)
}

fn must_not_wait(trace: &Trace) -> bool {
    matches!(trace.urgency.level, Some(UrgencyLevel::Urgent | UrgencyLevel::Emergency))
}

fn asks_for(trace: &Trace, kind: AskKind) -> bool {
    trace.case.asks.iter().any(|ask| ask.kind == kind)
}

#[test]
fn of_a_child_the_doctors_word_decides_over_limits_of_adults() {
    for (question, test, said) in [
        ("5 year old girl, loose stools, pale, creatinine raised at 71. What is it?", "creatinine", ResultDirection::High),
        ("5岁女孩，腹泻，苍白，肌酐71（偏高）。什么病？", "creatinine", ResultDirection::High),
        ("4 days old, pulse slow at 92, floppy", "pulse", ResultDirection::Low),
        ("6 y, dizzy, heart rate 62, which is slow for her", "pulse", ResultDirection::Low),
    ] {
        let trace = ask(question);
        assert_eq!(direction(&trace, test), Some(said), "{question}: {:?}", trace.case.results);
        assert!(must_not_wait(&trace), "{question}: {}", trace.answer.text);
    }
    // Nor is anything ruled out by what is called normal for a child, unless limits of the age say so as well.
    let trace = ask("3 year old boy, heart rate normal at 128, cough");
    assert_eq!(direction(&trace, "pulse"), Some(ResultDirection::Normal), "{:?}", trace.case.results);
}

#[test]
fn in_pregnancy_and_after_birth_a_pressure_that_is_called_high_is_high() {
    for question in [
        "36 weeks pregnant, BP raised at 136/86, headache, flashing lights. What is it?",
        "35 weeks, BP raised at 138/88, was 104/62, headache, flashing lights. What is it?",
        "孕36周，血压偏高138/88，头痛，眼前闪光。什么病？",
    ] {
        let trace = ask(question);
        assert_eq!(direction(&trace, "blood pressure"), Some(ResultDirection::High), "{question}: {:?}", trace.case.results);
        assert!(must_not_wait(&trace), "{question}: {}", trace.answer.text);
        assert!(entities(&trace, AnswerPart::Conditions).contains(&"Pre-eclampsia"), "{question}: {}", trace.answer.text);
    }
    let after = ask("Gave birth four days ago, blood pressure high at 137/88, headache");
    assert_eq!(direction(&after, "blood pressure"), Some(ResultDirection::High), "{:?}", after.case.results);
}

#[test]
fn a_word_makes_no_emergency_of_a_normal_value_of_an_adult() {
    for (question, test) in [
        ("35M, well, BP raised at 132/84", "blood pressure"),
        ("52M, creatinine raised at 98", "creatinine"),
        ("44F, potassium raised at 5.0", "potassium"),
        ("40岁男性，血压偏高132/84", "blood pressure"),
    ] {
        let trace = ask(question);
        assert_eq!(direction(&trace, test), Some(ResultDirection::Normal), "{question}: {:?}", trace.case.results);
        assert!(!must_not_wait(&trace), "{question}: {}", trace.answer.text);
    }
    // A fever is one at the same temperature for everybody.
    let trace = ask("5 year old boy, runny nose, temperature up at 37.4");
    assert_eq!(direction(&trace, "temperature"), Some(ResultDirection::Normal), "{:?}", trace.case.results);
}

#[test]
fn women_are_measured_by_limits_of_their_own_where_men_have_others() {
    for question in [
        "26F, acne, facial hair, testosterone raised at 5 nmol/L. What is it?",
        "26F, acne, facial hair, testosterone 5 nmol/L. What is it?",
    ] {
        let trace = ask(question);
        assert_eq!(direction(&trace, "testosterone"), Some(ResultDirection::High), "{question}: {:?}", trace.case.results);
        assert!(entities(&trace, AnswerPart::Conditions).contains(&"Polycystic ovary syndrome"), "{question}: {}", trace.answer.text);
    }
    assert_eq!(direction(&ask("58F, tired, ferritin high at 310"), "ferritin"), Some(ResultDirection::High));
    assert_eq!(direction(&ask("58M, tired, ferritin high at 310"), "ferritin"), Some(ResultDirection::Normal));
}

#[test]
fn against_what_is_there_asks_for_treatment_and_with_a_word_of_prevention_for_prevention() {
    for (question, of) in [
        ("What could one do against scabies?", "Scabies"),
        ("Which tablets against gout?", "Gout"),
        ("What works against a migraine?", "Migraine"),
    ] {
        let trace = ask(question);
        let care = trace.case.asks.iter().find(|ask| ask.kind == AskKind::Treatment);
        assert!(care.is_some_and(|ask| ask.of.iter().any(|name| name == of)), "{question}: {:?}", trace.case.asks);
        assert!(!asks_for(&trace, AskKind::Prevention) && !asks_for(&trace, AskKind::Diagnosis), "{question}: {:?}", trace.case.asks);
        assert!(!entities(&trace, AnswerPart::Treatments).is_empty(), "{question}: {}", trace.answer.text);
    }
    for question in ["What protects against influenza?", "How can I protect my son against influenza?", "怎么预防流感？"] {
        let trace = ask(question);
        assert!(asks_for(&trace, AskKind::Prevention), "{question}: {:?}", trace.case.asks);
        assert!(!asks_for(&trace, AskKind::Treatment), "{question}: {:?}", trace.case.asks);
    }
    let trace = ask("What speaks against gout in her?");
    assert!(!asks_for(&trace, AskKind::Treatment), "evidence is weighed: {:?}", trace.case.asks);
}

#[test]
fn blood_that_is_coughed_up_by_the_cup_is_an_emergency_however_it_is_asked() {
    for question in
        ["Is there anything against coughing up lots of blood?", "coughing up cups of blood, what to do?", "咳出大量鲜血，怎么办？"]
    {
        let trace = ask(question);
        assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
        assert!(entities(&trace, AnswerPart::Treatments).contains(&"Oxygen"), "{question}: {}", trace.answer.text);
    }
    let by_name = ask("What is the treatment of massive haemoptysis?");
    assert_ne!(by_name.urgency.level, Some(UrgencyLevel::Emergency), "asked in general: {}", by_name.answer.text);
}

#[test]
fn what_is_there_now_comes_before_what_is_to_be_prevented() {
    for (question, now) in [
        ("孕34周，头痛，血压172/112，如何预防再次抽搐？", &["Pre-eclampsia", "Eclampsia"][..]),
        (
            "32 weeks pregnant, BP 168/114, bad headache, proteinuria. How can a further seizure be prevented?",
            &["Pre-eclampsia", "Eclampsia"],
        ),
        ("Hemiparesis since this morning. How do I prevent a stroke?", &["Ischaemic stroke", "Stroke"]),
        ("31F, wheezing, SpO2 87%, cannot finish a sentence. How can I prevent asthma attacks?", &["Acute asthma attack"]),
    ] {
        let trace = ask(question);
        assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
        let first = entities(&trace, AnswerPart::Conditions).first().copied();
        assert!(first.is_some_and(|first| now.contains(&first)), "{question}: {}", trace.answer.text);
        let place = |part: AnswerPart| trace.answer.lines.iter().position(|line| line.part == part);
        assert!(place(AnswerPart::Conditions) < place(AnswerPart::Treatments), "{question}: {}", trace.answer.text);
    }
    for question in
        ["30F with asthma, well today. How can I prevent asthma attacks?", "46M with high blood pressure. How can a stroke be prevented?"]
    {
        let trace = ask(question);
        assert!(asks_for(&trace, AskKind::Prevention), "{question}: {:?}", trace.case.asks);
        assert_ne!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn platelets_that_fall_by_half_under_heparin_are_an_emergency_within_their_limits() {
    for question in [
        "Day 8 of dalteparin, platelets 380 down to 165, swollen painful calf",
        "On heparin for a week. Platelet count dropped from 410 to 180, new DVT. What is it?",
        "70F, enoxaparin for 6 days after knee surgery, platelets 150 (were 350), new DVT. Treatment?",
        "肝素治疗第8天，血小板由400降至170，新发下肢深静脉血栓，怎么处理？",
    ] {
        let trace = ask(question);
        assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
        let conditions = entities(&trace, AnswerPart::Conditions);
        assert!(conditions.contains(&"Heparin-induced thrombocytopenia"), "{question}: {}", trace.answer.text);
        let treatments = entities(&trace, AnswerPart::Treatments);
        let is_heparin = |name: &&str| ["Heparin", "Low molecular weight heparin", "Enoxaparin", "Dalteparin", "Tinzaparin"].contains(name);
        assert!(!treatments.iter().any(is_heparin), "{question}: {}", trace.answer.text);
    }
    for question in
        ["Day 8 of dalteparin, platelets 380 down to 290, feels well", "Day 8 of ramipril, platelets 380 down to 165, feels well"]
    {
        let trace = ask(question);
        assert!(
            !entities(&trace, AnswerPart::Conditions).contains(&"Heparin-induced thrombocytopenia"),
            "{question}: {}",
            trace.answer.text
        );
        assert_ne!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn a_face_that_droops_and_an_arm_that_is_weak_are_of_one_side() {
    let trace = ask("Face drooping and arm weak since this morning. What is it?");
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
    let conditions = entities(&trace, AnswerPart::Conditions);
    assert!(conditions.contains(&"Ischaemic stroke") && !conditions.contains(&"Botulism"), "{}", trace.answer.text);
}

#[test]
fn a_normal_value_does_not_rule_out_what_another_measure_shows_or_what_is_known() {
    for question in [
        "41M, sore knuckles, transferrin saturation 66 %, ferritin 210. What is it?",
        "36F, sister with haemochromatosis, TSAT 58 %, ferritin normal",
        "转铁蛋白饱和度70%，铁蛋白正常，是什么原因？",
    ] {
        let trace = ask(question);
        assert!(entities(&trace, AnswerPart::Conditions).contains(&"Haemochromatosis"), "{question}: {}", trace.answer.text);
    }
    for question in [
        "68M, pernicious anaemia, on hydroxocobalamin, B12 810. Treatment?",
        "Pernicious anaemia since 2015, B12 normal with injections. Which treatment now?",
        "恶性贫血多年，B12 620，如何治疗？",
        "恶性贫血，打维生素B12针后B12 640，怎么治疗？",
    ] {
        let trace = ask(question);
        let known = trace.case.conditions.iter().find(|condition| condition.entity.as_deref() == Some("Pernicious anaemia"));
        assert_eq!(known.map(|condition| condition.status), Some(ConditionStatus::Known), "{question}: {:?}", trace.case.conditions);
        assert!(entities(&trace, AnswerPart::Treatments).contains(&"Hydroxocobalamin"), "{question}: {}", trace.answer.text);
    }
}

/// Whether a line of a part has all these words and cites a chain that names them.
fn states_with_proof(trace: &Trace, part: AnswerPart, words: &[&str]) -> bool {
    trace.answer.lines.iter().filter(|line| line.part == part && words.iter().all(|word| line.text.contains(word))).any(|line| {
        line.citations.iter().any(|id| {
            let kept = &trace.pruning.kept[*id as usize - 1];
            let text = trace.table.text(&trace.table.chains[kept.chain as usize]);
            words.iter().all(|word| text.contains(word))
        })
    })
}

#[test]
fn a_reason_for_care_beside_a_treatment_is_proved() {
    let trace = ask("70F on warfarin, urinary tract infection. Treatment?");
    assert!(states_with_proof(&trace, AnswerPart::Treatments, &["Trimethoprim", "Warfarin"]), "{}", trace.answer.text);
}

#[test]
fn what_the_findings_most_likely_mean_forbids_a_drug_that_is_considered() {
    for (question, drug, condition) in [
        ("Tearing chest pain through to the back, BP 195/105. Should I give alteplase?", "Alteplase", "Aortic dissection"),
        ("撕裂样胸痛放射到背部，血压195/105，可以用阿替普酶溶栓吗？", "阿替普酶", "主动脉夹层"),
    ] {
        let trace = ask(question);
        let safety: Vec<&str> =
            trace.answer.lines.iter().filter(|line| line.part == AnswerPart::Safety).map(|line| line.text.as_str()).collect();
        assert!(safety.iter().any(|text| text.contains(drug) && text.contains(condition)), "{question}: {}", trace.answer.text);
    }
    // Nothing is said of what the patient is not thought to have.
    let trace = ask("Crushing chest pain, ST elevation in II, III and aVF. Should I give alteplase?");
    assert!(!trace.answer.text.contains("Aortic dissection (suspected)"), "{}", trace.answer.text);
}

#[test]
fn a_result_that_a_known_condition_explains_speaks_for_no_other() {
    for (question, other) in [
        ("62F with iron deficiency anaemia, Hb 94. Treatment?", "Anaemia of chronic disease"),
        ("55M, type 2 diabetes, HbA1c 72 mmol/mol, on metformin and ibuprofen for his knee. What should I change?", "Prediabetes"),
    ] {
        let trace = ask(question);
        assert!(!entities(&trace, AnswerPart::Conditions).contains(&other), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn a_sugar_of_three_months_is_no_emergency_of_today() {
    let trace = ask("55M, type 2 diabetes, HbA1c 76 mmol/mol, on metformin. What next?");
    assert!(matches!(trace.urgency.level, None | Some(UrgencyLevel::Routine)), "{}", trace.answer.text);
    let trace = ask("44M, HbA1c 62 mmol/mol, no symptoms. What is it?");
    assert!(entities(&trace, AnswerPart::Conditions).contains(&"Type 2 diabetes"), "{}", trace.answer.text);
}

#[test]
fn a_list_says_each_thing_once() {
    let trace = ask("72F on warfarin and amiodarone, urinary tract infection. Which antibiotic should I avoid?");
    let mut said: Vec<&str> = trace.answer.lines.iter().filter(|line| !line.citations.is_empty()).map(|line| line.text.as_str()).collect();
    assert!(said.iter().any(|text| text.contains("Trimethoprim")), "{}", trace.answer.text);
    let count = said.len();
    said.sort_unstable();
    said.dedup();
    assert_eq!(said.len(), count, "{}", trace.answer.text);
}

#[test]
fn in_an_emergency_the_answer_is_about_the_emergency() {
    for (question, condition, besides) in [
        ("Septic shock, lactate 5, on metformin for diabetes. What do I do?", "Septic shock", "Diabetes mellitus"),
        ("62M, hypertension, in status epilepticus for ten minutes. Treatment?", "Status epilepticus", "Hypertension"),
    ] {
        let trace = ask(question);
        let summary: Vec<&str> =
            trace.answer.lines.iter().filter(|line| line.part == AnswerPart::Summary).map(|line| line.text.as_str()).collect();
        assert!(summary.iter().any(|text| text.contains(condition)), "{question}: {}", trace.answer.text);
        let treatments = trace.answer.lines.iter().filter(|line| line.part == AnswerPart::Treatments);
        let is_for = |text: &str| ["treatment of", "treatments of"].iter().any(|of| text.contains(&format!("{of} {besides}")));
        assert!(!treatments.clone().any(|line| is_for(&line.text)), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn an_emergency_comes_before_what_the_patient_has_long_had() {
    let trace = ask("known asthma, anaphylaxis after a sting, treatment?");
    let first = trace.answer.lines.iter().find(|line| line.part == AnswerPart::Summary).map(|line| line.text.as_str());
    assert!(first.is_some_and(|text| text.contains("Anaphylaxis") && text.contains("Adrenaline")), "{}", trace.answer.text);
}

#[test]
fn a_drug_that_is_asked_about_does_not_hide_the_question_for_another() {
    for question in [
        "72F on warfarin, eGFR 28, urinary tract infection. Can I give trimethoprim, or what should she get for the infection?",
        "68M with gout on apixaban. Is naproxen safe? If not, what could he be given?",
    ] {
        let trace = ask(question);
        assert!(asks_for(&trace, AskKind::Safety) && asks_for(&trace, AskKind::Treatment), "{question}: {:?}", trace.case.asks);
        assert!(!entities(&trace, AnswerPart::Treatments).is_empty(), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn the_class_of_what_was_named_before_is_what_was_named() {
    for (question, kind, class) in [
        ("66M with type 2 diabetes and heart failure. Which drugs for the diabetes?", "Type 2 diabetes", "Diabetes mellitus"),
        ("82M in a home, aspiration pneumonia, confused. How do I treat his pneumonia?", "Aspiration pneumonia", "Pneumonia"),
    ] {
        let trace = ask(question);
        let named: Vec<&str> = trace.case.conditions.iter().filter_map(|condition| condition.entity.as_deref()).collect();
        assert!(named.contains(&kind) && !named.contains(&class), "{question}: {named:?}");
    }
}

#[test]
fn drugs_of_one_purpose_are_no_repetition_of_each_other() {
    let trace = ask("66M with type 2 diabetes and heart failure. Which drugs for the diabetes?");
    assert!(entities(&trace, AnswerPart::Treatments).contains(&"SGLT2 inhibitor"), "{}", trace.answer.text);
}
