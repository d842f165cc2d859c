//! What is an emergency and what is not, on the starter graph, by property rather than by phrase.

use catena::run::{AnswerPart, UrgencyLevel};

use crate::starter::level;
use crate::support::engine::ENGINE;
use crate::support::runs;

fn is_emergency(question: &str) -> bool {
    level(question) == Some(UrgencyLevel::Emergency)
}

#[test]
fn what_is_conditional_is_an_emergency_only_where_its_condition_holds() {
    for (without, with) in [
        ("Breathless for two months on hills, saturation 98%. Cause?", "Suddenly breathless with blue lips, saturation 86%. Cause?"),
        ("Petechiae on both shins for a week, otherwise well. What is it?", "Petechiae on both shins with fever since today. What is it?"),
        ("Painful eye since last week. What is it?", "Painful red eye, haloes around lights and vomiting. What is it?"),
    ] {
        assert!(!is_emergency(without), "{without}");
        assert!(is_emergency(with), "{with}");
    }
}

#[test]
fn what_is_old_somebody_elses_or_only_in_a_question_about_a_drug_is_none() {
    for question in [
        "70M, old stroke with spasticity on tizanidine. OK to give ciprofloxacin?",
        "Rifampicin for 2 days because a girl at nursery got meningitis. Is my pill still safe?",
    ] {
        assert!(!is_emergency(question), "{question}");
    }
    assert!(is_emergency("My dad is having a stroke right now, his face has dropped. Is aspirin safe?"));
    assert!(is_emergency("I took 30 paracetamol. Is it safe to drink alcohol?"));
}

#[test]
fn an_event_that_is_over_is_urgent_and_one_that_goes_on_is_an_emergency() {
    let over = level("24F with epilepsy on lamotrigine, two typical seizures last week, recovered fully. Why now?");
    assert_ne!(over, Some(UrgencyLevel::Emergency));
    assert!(is_emergency("My son is having a seizure, he is still shaking. What do I do?"));
}

#[test]
fn signs_that_are_none_alone_are_an_emergency_together() {
    assert!(is_emergency("Thoracic back pain 10 days, CRP 188, since yesterday urinary hesitancy. Which test next?"));
    assert!(!is_emergency("Thoracic back pain 10 days after lifting. Which test next?"));
}

#[test]
fn an_overdose_is_one_wherever_the_number_of_tablets_stands() {
    for question in [
        "Last night she swallowed a whole box of paracetamol (30 tablets) and feels fine. Can we wait?",
        "她昨晚吃了一整盒对乙酰氨基酚（30片左右），现在只有点恶心。要紧吗？",
    ] {
        assert!(is_emergency(question), "{question}");
    }
    assert!(!is_emergency("Can I take paracetamol 500 mg tablets for a cold?"));
}

#[test]
fn a_spared_forehead_speaks_for_a_stroke_and_not_for_the_nerve() {
    for question in [
        "Since this morning the lower half of his face hangs, but he can wrinkle the forehead. What is it?",
        "72M, UMN facial weakness for an hour. Cause?",
    ] {
        let trace = runs::ask(&ENGINE, question).trace;
        assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}");
        let leads = trace.answer.lines.iter().find(|line| line.part == AnswerPart::Conditions).map(|line| line.entity.as_str());
        assert_ne!(leads, Some("Bell's palsy"), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn a_danger_that_is_said_in_part_counts_with_what_explains_it() {
    let question = "My 9 day old has been sick three times, and the last two were bright, green like grass. Is it only reflux?";
    assert!(is_emergency(question), "{question}");
    assert!(is_emergency("My toddler swallowed one of the flat batteries of the remote. What should I do?"));
}

#[test]
fn a_pressure_that_is_high_only_in_spells_is_no_critical_value() {
    assert!(!is_emergency("41F, headache, sweating, palpitations, BP 224/128 during the spells. Which test?"));
    assert!(is_emergency("41F, headache, sweating, palpitations, BP 224/128. Which test?"));
    assert!(is_emergency("41F, a spell is on now, BP 224/128 as in the spells before. Which test?"), "it is on now");
}

#[test]
fn a_bite_is_urgent_and_what_comes_of_it_an_emergency() {
    assert_eq!(level("Bitten by a stray dog in Vietnam yesterday, I feel well. What do I do?"), Some(UrgencyLevel::Urgent));
    assert!(is_emergency("Bitten by a stray dog in Vietnam in May, now fever, restlessness and fear of water. What is it?"));
}

#[test]
fn what_makes_it_one_is_an_emergency() {
    for question in [
        "4 year old boy ate fava beans yesterday. Pallor, jaundice, dark urine. What is it?",
        "我妈71岁，刚才右手没劲、说话含糊，十分钟后完全恢复。是什么病？",
        "58M, chest pressure since this morning, sweating. What is it?",
    ] {
        assert!(is_emergency(question), "{question}");
    }
    assert!(!is_emergency("29F, sleep paralysis twice this month with chest pressure. What is it?"));
}

#[test]
fn an_alarm_says_what_of_the_case_raised_it() {
    use catena::run::UrgencyReasonKind::{Company, Danger, Drug, Finding, Named, RedFlag, Result};
    for (question, kinds, part) in [
        ("58M, crushing chest pain and sweating for 40 minutes. What is it?", [Finding, RedFlag, Danger].as_slice(), "hest pain"),
        ("Fever, stiff neck and a rash that does not fade, since this morning. What is it?", &[Finding, RedFlag, Danger, Company], "tiff"),
        ("I took 30 paracetamol. Is it safe to drink alcohol?", &[Named, Danger, Company], ""),
        ("82F, potassium 7.1. What should I do?", &[Result], "7.1"),
        ("44F takes carbimazole. Sore throat. What is the cause?", &[Drug, Finding, RedFlag, Danger, Company], ""),
        ("持续呕血两小时，头晕，该怎么办？", &[Finding, RedFlag, Danger, Company], ""),
    ] {
        let trace = runs::ask(&ENGINE, question).trace;
        let because = &trace.urgency.because;
        assert!(trace.urgency.level >= Some(UrgencyLevel::Urgent), "{question}: {}", trace.answer.text);
        assert!(because.iter().any(|reason| kinds.contains(&reason.kind) && reason.text.contains(part)), "{question}: {because:?}");
        // Its line names a reason, unless what it says is one.
        let line = trace.answer.lines.iter().find(|line| line.part == AnswerPart::Emergency).expect("an alarm");
        let says = |text: &str| line.text.to_lowercase().contains(&text.to_lowercase());
        let is_named = because.iter().any(|reason| reason.kind == Named) && (says("names it") || says("提及"));
        assert!(is_named || because.iter().any(|reason| says(&reason.text)), "{question}: {}", line.text);
    }
}

#[test]
fn nothing_raised_a_case_that_can_wait() {
    for question in ["Which tests confirm coeliac disease?", "34F, itchy scalp for a month. What is it?"] {
        let urgency = runs::ask(&ENGINE, question).trace.urgency;
        assert!(urgency.because.is_empty() && urgency.condition.is_none(), "{question}: {urgency:?}");
    }
}

#[test]
fn an_emergency_of_somebody_without_age_or_sex_is_one_too() {
    for question in [
        "PMH AF. Stroke 2h ago. What next?",
        "25M testicular torsion. What next?",
        "Background of COPD, today tension pneumothorax. What next?",
        "患者过敏性休克，怎么治疗？",
        "known asthma, anaphylaxis after a sting, treatment?",
        "PMH asthma, now anaphylaxis. Treatment?",
        "pt has meningitis, which antibiotic?",
    ] {
        assert!(is_emergency(question), "{question}");
    }
    for question in [
        "How do I treat anaphylaxis?",
        "Which antibiotic for a patient with meningitis?",
        "肺栓塞患者如何抗凝？",
        "65M, stroke last year, on clopidogrel. What next?",
    ] {
        assert!(!is_emergency(question), "{question}");
    }
}
