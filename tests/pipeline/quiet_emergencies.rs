//! Emergencies that people tell quietly: beside something harmless, without a word for them, or of several together.

use catena::run::{AnswerPart, ConditionStatus, UrgencyLevel};

use crate::starter::{ask, condition, lines};

fn is_emergency(question: &str) {
    let trace = ask(question);
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
}

#[test]
fn anaphylaxis_leads_once_more_than_the_skin_is_told() {
    for question in [
        "My 3 year old had cashew butter, ten minutes later hives all over, swollen lips and he is wheezing. How much cetirizine?",
        "Lips swollen and hives after prawns, now wheezy and dizzy. Is cetirizine enough?",
        "孩子两岁，吃了腰果几分钟后嘴唇肿、全身风团，喘息，给多少西替利嗪？",
    ] {
        is_emergency(question);
    }
}

#[test]
fn a_newborn_with_a_fever_is_one_however_well_it_looks() {
    for question in [
        "17-day-old, T 38.4 at home. Looks well.",
        "12 day old girl, T 38.6 at home, feeding well, looks fine",
        "Three week old baby, temp under the arm 38.5 twice. Calpol?",
        "2 week old, temperature in the ear was 38.6 this morning, feeding ok. Wait and see?",
    ] {
        is_emergency(question);
    }
}

#[test]
fn what_somebody_took_for_a_pain_may_be_an_overdose() {
    for question in [
        "Toothache. Got through a pack of 16 paracetamol since last night, what else can I take?",
        "went through 24 paracetamol yesterday for my back, feel fine",
    ] {
        is_emergency(question);
    }
}

#[test]
fn who_gives_things_away_and_has_sorted_everything_is_not_asked_to_wait() {
    for question in [
        "I gave my cat to my neighbour and sorted the paperwork. No point any more. Can stopping sertraline cause headaches?",
        "He has given his things away to his brother, said he has put his affairs in order, and has got what he needs. Is it the citalopram?",
    ] {
        is_emergency(question);
    }
    for question in [
        "We gave the dog to my sister for the holiday, now my rash is better. Allergy?",
        "Gave my cat a worm tablet to my horror she was sick",
    ] {
        let trace = ask(question);
        assert_ne!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn something_caustic_in_the_eye_happened_however_it_is_told() {
    is_emergency("just got oven cleaner splashed in my left eye");
}

fn leads_to(question: &str, condition: &str) {
    let trace = ask(question);
    let first = lines(&trace, AnswerPart::Conditions);
    assert!(first.starts_with(condition), "{question}: {}", trace.answer.text);
}

#[test]
fn who_only_thinks_that_she_is_not_pregnant_may_have_an_ectopic_pregnancy() {
    for question in [
        "I have the coil so can't be pregnant, not pregnant. Sharp pain low on the left since yesterday, brown spotting, shoulder tip pain, nearly fainted",
        "Not pregnant (copper coil). Vaginal bleeding, shoulder tip pain and fainting this morning, pelvic pain",
    ] {
        is_emergency(question);
        leads_to(question, "Ectopic pregnancy");
    }
}

#[test]
fn a_fever_after_the_tropics_is_malaria_and_after_a_birth_sepsis() {
    for (question, condition) in [
        ("back from Nigeria a week ago, fever and chills", "Malaria"),
        ("my partner had our daughter 6 days ago, now fever, chills and a pulse of 118", "Maternal sepsis"),
    ] {
        is_emergency(question);
        leads_to(question, condition);
    }
}

#[test]
fn hallucinations_after_a_birth_are_a_psychosis_of_it() {
    let question = "My wife had our daughter 10 days ago. She hardly sleeps, talks nonstop and hears the neighbours whispering about her through the wall";
    is_emergency(question);
    leads_to(question, "Postpartum psychosis");
}

#[test]
fn emergencies_in_the_words_of_those_who_do_not_know_them() {
    for question in [
        "our 5 day old has thrown up her last two feeds and its bright green. is green normal?",
        "my sons got an agonising ball since this morning, been sick twice",
        "生完孩子五周，整天哭，总想抱着宝宝一起从阳台跳下去，怎么办？",
        "男，40岁，口服百草枯约20ml，1小时，怎么处理？",
    ] {
        is_emergency(question);
    }
}

#[test]
fn words_that_sound_like_an_emergency_are_none() {
    for question in [
        "My husband reckons he has low T and wants testosterone injections. Is it safe?",
        "Which opioid is safer for end-of-life pain control in renal failure?",
        "Sneezing and itchy eyes every spring. Which tablet will not knock me out?",
    ] {
        let trace = ask(question);
        assert_ne!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn one_tablet_of_a_drug_is_enough_in_a_small_child() {
    for question in [
        "Toddler swallowed one glipizide tablet, seems well",
        "My two year old has eaten one of gran's verapamil, she looks fine",
        "两岁孩子误食一片格列吡嗪，现在没什么",
        "孩子两岁,误吞了爷爷的一片硝苯地平,现在没事。",
        "三岁女孩误服外婆的一片地高辛",
        "my baby swallowed a metoprolol pill, she is 11 months",
    ] {
        is_emergency(question);
    }
    for calm in ["My 3 year old takes amoxicillin, can I give it with food?", "Can a 2 year old have ibuprofen? She has eaten."] {
        let trace = ask(calm);
        assert_ne!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{calm}: {}", trace.answer.text);
    }
}

#[test]
fn what_leads_is_urgent_where_a_drug_in_use_causes_it_or_one_finding_names_it() {
    for question in [
        "On lamotrigine for bipolar, new rash and sore mouth",
        "32 weeks pregnant, terrible itching on my palms and soles at night, no rash",
        "我爸吃华法林，昨天碰到头，今天嗜睡，怎么回事",
        "A dark line has appeared under my thumbnail and is getting wider, is that anything?",
    ] {
        let trace = ask(question);
        let level = trace.urgency.level;
        assert!(matches!(level, Some(UrgencyLevel::Urgent | UrgencyLevel::Emergency)), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn what_was_or_may_come_is_no_emergency_now() {
    let past = ask("青霉素过敏（过敏性休克史），现在社区获得性肺炎用什么抗生素？");
    assert_eq!(condition(&past, "Anaphylaxis"), Some(ConditionStatus::Past), "{:?}", past.case.conditions);
    let lasting = ask("高血压史10年，头晕怎么办");
    assert_eq!(condition(&lasting, "Hypertension"), Some(ConditionStatus::Known), "{:?}", lasting.case.conditions);
    let feared = ask("我偶尔有早搏，会不会猝死？");
    assert!(!feared.case.conditions.iter().any(|c| c.status == ConditionStatus::Known && c.text == "猝死"), "{:?}", feared.case.conditions);
    let trace = ask("Non pregnant woman 30, uncomplicated cystitis, which antibiotic?");
    assert!(trace.case.patient.pregnancy.is_none_or(|pregnancy| !pregnancy.pregnant), "{:?}", trace.case.patient);
}

#[test]
fn what_is_said_in_the_plainest_words_raises_the_alarm() {
    for question in [
        "I'm 8 weeks pregnant and bleeding. What should I do?",
        "25F, 7 weeks pregnant, one-sided pelvic pain and bleeding. What next?",
        "怀孕8周出血，怎么办？",
        "My 8 month old fell off the bed and keeps vomiting since. What should I do?",
        "八个月宝宝从床上摔下来，之后一直吐，怎么办？",
        "My belly is hard and hurts and I cannot pass wind. What is it?",
        "swallowed bleach",
        "choking on meat, can't talk",
        "snake bit my ankle",
        "blood is spurting from my wrist",
        "My elderly mother has chest pain and is sweating. What is it?",
        "my toddler took my glipizide",
        "no spleen and have a fever",
    ] {
        is_emergency(question);
    }
    for question in ["A spot on one side of my face. What is it?", "The wind hurt one side of my face.", "metformin and loose stools"] {
        let trace = ask(question);
        assert_ne!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn under_an_alarm_nobody_is_treated_for_the_first_of_several_guesses() {
    for question in [
        "I'm 8 weeks pregnant and bleeding. What should I do?",
        "My 2 year old fell off a chair and has vomited four times. What should I do?",
    ] {
        let trace = ask(question);
        let treatments: Vec<&str> =
            trace.answer.lines.iter().filter(|line| line.part == AnswerPart::Treatments).map(|line| line.text.as_str()).collect();
        assert!(treatments.is_empty(), "{question}: {treatments:?}");
    }
}

#[test]
fn what_to_do_after_an_accident_is_said_where_nothing_else_answers() {
    for question in
        ["My son hit his head on the table an hour ago and is fine now. What should I do?", "What should I watch for after a head injury?"]
    {
        let trace = ask(question);
        let care = trace.answer.lines.iter().find(|line| line.part == AnswerPart::Care);
        assert!(care.is_some_and(|line| line.text.starts_with("Head injury: ") && line.text.contains("two days")), "{}", trace.answer.text);
        assert!(trace.answer.grounded && !trace.answer.text.contains("holds nothing"), "{}", trace.answer.text);
    }
}

#[test]
fn nobody_has_hyperkalaemia_with_a_normal_potassium() {
    let question =
        |value: &str| format!("72F on ramipril and spironolactone, weakness, pulse 38, K {value}, wide QRS, peaked T waves. What is it?");
    let leads = |question: &str| {
        ask(question).answer.lines.iter().any(|line| line.part == AnswerPart::Conditions && line.entity == "Hyperkalaemia")
    };
    assert!(leads(&question("7.4")) && !leads(&question("4.2")), "{}", ask(&question("4.2")).answer.text);
}
