//! Answers that keep to what is asked: one kind of thing, a dose, what to give instead, what to watch, what to vaccinate against, and what not to
//! take before being seen.

use catena::run::{AnswerPart, PatientSex, Trace, UrgencyLevel};

use crate::starter::{ask, entities, lines};

fn treatments(trace: &Trace) -> Vec<&str> {
    entities(trace, AnswerPart::Treatments)
}

#[test]
fn a_question_for_one_kind_of_thing_gets_that_kind() {
    for (question, there, not_there) in [
        ("Newly pregnant. Which foods do I have to avoid?", "Soft cheese or cold meats", "Retinoid"),
        ("I am 15 weeks pregnant, what can't I eat?", "Raw or rare meat", "Statin"),
        ("Which antibiotics must be avoided in pregnancy?", "Tetracycline antibiotic", "Retinoid"),
        ("I take phenelzine. Which foods should I avoid?", "Tyramine-rich food", "Antidepressant drug"),
        ("怀孕了，哪些食物不能吃？", "Raw milk", "Retinoid"),
    ] {
        let trace = ask(question);
        let listed = entities(&trace, AnswerPart::Safety);
        assert!(listed.contains(&there), "{question}\n{}", trace.answer.text);
        assert!(!listed.contains(&not_there), "{question}\n{}", trace.answer.text);
        assert!(!treatments(&trace).contains(&"Folic acid"), "{question}\n{}", trace.answer.text);
    }
    let none = ask("Which vaccines should be avoided with digoxin?");
    assert!(none.answer.text.contains("Nothing is stored about vaccines"), "{}", none.answer.text);
}

#[test]
fn who_asks_for_no_list_gets_the_most_serious_and_a_count() {
    let trace = ask("Is warfarin safe?");
    let listed = trace.answer.lines.iter().filter(|line| line.part == AnswerPart::Safety && line.role.is_some()).count();
    assert!((1..=40).contains(&listed), "what is contraindicated is all there: {}", trace.answer.text);
    assert!(trace.answer.text.contains("more are stored, none more serious"), "{}", trace.answer.text);
    let all = ask("What are the contraindications of warfarin?");
    assert!(all.answer.lines.iter().filter(|line| line.part == AnswerPart::Safety && line.role.is_some()).count() > 40);
}

#[test]
fn a_dose_that_is_asked_for_is_not_passed_over() {
    for question in [
        "72M, both shoulders and hips stiff for a month, long morning stiffness, CRP 55, ESR 80. What is it and what starting dose?",
        "Known polymyalgia rheumatica. Treatment, and how long should she take it?",
        "Cellulitis of the leg. Which antibiotic, and for how many days?",
    ] {
        let trace = ask(question);
        assert!(trace.answer.text.contains("I have no doses"), "{question}\n{}", trace.answer.text);
        assert!(!treatments(&trace).is_empty(), "{question}\n{}", trace.answer.text);
    }
}

#[test]
fn what_lithium_forbids_is_replaced() {
    for drug in ["lisinopril", "ramipril", "perindopril"] {
        for question in [
            format!("72M on lithium, new hypertension. Is {drug} safe? What instead?"),
            format!("Hypertension, takes lithium. Can I start {drug}?"),
        ] {
            let trace = ask(&question);
            let offered = treatments(&trace);
            assert!(
                offered.iter().any(|name| ["Calcium channel blocker", "Felodipine", "Amlodipine"].contains(name)),
                "{}",
                trace.answer.text
            );
            for forbidden in ["ACE inhibitor", "Lisinopril", "Ramipril", "Perindopril", "Angiotensin receptor blocker", "Thiazide diuretic"]
            {
                assert!(!offered.contains(&forbidden), "{question}\n{}", trace.answer.text);
            }
        }
    }
}

#[test]
fn what_replaces_the_first_choice_comes_before_what_does_something_else() {
    let meningitis = ask("19F fever 39.5, neck stiff, photophobia, drowsy. Anaphylaxis to penicillin. Which antibiotic?");
    assert!(treatments(&meningitis).contains(&"Chloramphenicol"), "{}", meningitis.answer.text);
    let tonsillitis = ask("Tonsillitis, penicillin allergy with anaphylaxis. Which antibiotic?");
    let offered = treatments(&tonsillitis);
    let place = |name: &str| offered.iter().position(|offered| *offered == name);
    assert!(place("Clarithromycin").is_some() && place("Clarithromycin") < place("Paracetamol"), "{}", tonsillitis.answer.text);
}

#[test]
fn where_another_first_choice_is_left_it_stays_first() {
    let trace = ask("Hypertension in a 45 year old man with gout. Which drug first?");
    let offered = treatments(&trace);
    let place = |name: &str| offered.iter().position(|offered| *offered == name).unwrap_or(usize::MAX);
    assert!(place("ACE inhibitor") < place("Spironolactone") && place("ACE inhibitor") < place("Amiloride"), "{}", trace.answer.text);
}

#[test]
fn what_is_watched_is_what_the_drug_needs() {
    let trace =
        ask("My daughter (17) is about to start isotretinoin, she's got a boyfriend. What about pregnancy, and what checks does she need?");
    let tests = entities(&trace, AnswerPart::Tests);
    assert!(tests.contains(&"Pregnancy test") && tests.contains(&"Lipid profile"), "{}", trace.answer.text);
    assert!(!tests.contains(&"Rubella serology"), "{}", trace.answer.text);
    assert_ne!(trace.case.patient.sex, Some(PatientSex::Male));
    for (question, there) in [
        ("Which bloods before starting azathioprine for Crohn's disease?", "Thiopurine methyltransferase test"),
        ("About to start amiodarone: baseline and ongoing monitoring?", "Serum electrolytes"),
        ("Starting clozapine, what should I check before and during treatment?", "Full blood count"),
    ] {
        let trace = ask(question);
        assert!(entities(&trace, AnswerPart::Tests).contains(&there), "{question}\n{}", trace.answer.text);
    }
}

#[test]
fn vaccines_are_those_for_what_the_patient_is() {
    for (question, there, not_there) in [
        (
            "Splenectomy planned for hereditary spherocytosis. List vaccines and antibiotic cover.",
            "Meningococcal vaccination",
            "Paracetamol",
        ),
        ("Which vaccines in pregnancy?", "Pertussis vaccination", "Condom use"),
        ("COPD, which vaccines are recommended?", "Pneumococcal vaccination", "Stopping smoking"),
        ("vaccines needed before a cochlear implant?", "Pneumococcal vaccination", "Typhoid vaccination"),
        ("Which vaccines before starting rituximab?", "Influenza vaccination", "Dengue vaccination"),
        ("Which vaccines for a man with HIV infection?", "Hepatitis B vaccination", "Dolutegravir"),
    ] {
        let trace = ask(question);
        let offered = treatments(&trace);
        assert!(offered.contains(&there), "{question}\n{}", trace.answer.text);
        assert!(!offered.contains(&not_there), "{question}\n{}", trace.answer.text);
    }
}

#[test]
fn in_an_emergency_nothing_is_taken_for_its_harmless_twin() {
    for (question, drug) in [
        (
            "Worst headache of my life, came in a second, neck is stiff. I get migraines. Took one rizatriptan, can I take another?",
            "Rizatriptan",
        ),
        ("Sudden thunderclap headache and stiff neck. Can I take a second sumatriptan for my migraine?", "Sumatriptan"),
    ] {
        let trace = ask(question);
        assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
        let safety = lines(&trace, AnswerPart::Safety);
        assert!(safety.contains(&format!("Do not take {drug} until a doctor has seen you")), "{}", trace.answer.text);
    }
    let warfarin = ask("Sudden chest pain, breathless, takes warfarin for thrombophilia. Is it ok to take my warfarin?");
    assert!(!warfarin.answer.text.contains("until a doctor has seen you"), "{}", warfarin.answer.text);
    let asthma = ask("Asthma attack, can hardly speak, lips blue. Can I take another salbutamol?");
    assert!(!asthma.answer.text.contains("until a doctor has seen you"), "{}", asthma.answer.text);
}
