//! What patients say in everyday words, whose drugs they speak of, and what is only seen or likened: read on the starter graph.

use catena::run::{ConditionStatus, DrugStatus, FindingStatus, PatientSex, UrgencyLevel};

use crate::starter::{ask, drug, finding};

#[test]
fn everyday_words_name_what_they_mean() {
    for (name, questions) in [
        (
            "Urinary retention",
            [
                "71M, hasn't passed a drop since midnight. What is it?",
                "My dad can't wee a drop and his tummy hurts",
                "68岁男，一滴尿都没有，肚子胀",
            ]
            .as_slice(),
        ),
        ("Black stools", &["59M dizzy, poo like treacle", "Grandad's stools look like tar and he is dizzy", "63岁男，大便像沥青，头晕"]),
        ("Pinpoint red spots", &["4F fever, spots that don't blanch", "He has a fever and purply spots", "发热，身上有紫色小点"]),
        ("Sensitivity to light", &["19F headache, vomiting, won't have the lights on", "头痛发热，不让开灯"]),
        ("Visual hallucinations", &["82M sees rats on the wall since yesterday", "奶奶81岁，说看见墙上有虫子"]),
        ("Burrows in the skin", &["Itching, squiggly lines between my fingers", "很痒，指缝里有隧道"]),
        ("Itching in household members", &["Itching for weeks, my flatmates scratching too", "身上痒两周，一家人都痒"]),
        ("Cold clammy skin", &["74F chest pain, gone grey and clammy", "胸痛，脸色煞白冒冷汗"]),
        ("Fluctuating alertness", &["84F, up all night and dozy all day since Monday", "82岁女，一会儿清楚一会儿糊涂"]),
        ("Visual aura", &["24F jagged zigzags for twenty minutes, then headache", "头痛前眼前闪光"]),
        ("Heavy periods", &["33F tired, doubling up pads, a tampon every hour", "31岁女，例假量大，乏力"]),
        ("Saddle numbness", &["Back pain, weak legs, no feeling when I wipe", "腰痛，擦屁股没知觉"]),
        ("Vomiting", &["3M with a tummy bug, nothing stays down", "孩子喝水都吐"]),
        ("Poor feeding", &["5 week old boy, fever, off her bottles", "宝宝发热，吃奶少一半"]),
        ("Barking cough", &["2F woke hoarse, cough like a sea lion", "两岁，咳嗽像小狗叫"]),
        ("Cold pale limb", &["my foot is ice cold and numb since lunch", "His leg below the knee has gone stone cold"]),
        ("Bilious vomiting", &["My baby brought up his milk and it's dark green", "6 days old, threw up and it was bright green"]),
        ("Floaters", &["loads of black floaty bits in my sight since yesterday"]),
        ("Testicular pain", &["my son has a throbbing ball since this morning"]),
        ("Weakness of one side", &["我爸左腿拖着走，说话不清"]),
        ("Bleeding soaking pads after birth", &["Three days after the birth, soaked three big pads an hour"]),
        ("Photosensitive rash", &["41F, rash where the sun catches me", "晒到的地方起疹子，关节痛"]),
    ] {
        for question in questions {
            let trace = ask(question);
            assert_eq!(finding(&trace, name), Some(FindingStatus::Present), "{question}: {:?}", trace.case.findings);
        }
    }
}

#[test]
fn what_happened_is_read_in_everyday_words() {
    for (name, question) in [
        ("Head injury", "My nan bumped her forehead on the door and is dizzy"),
        ("Eating unknown berries or plants", "Our toddler has been chewing some leaves off a garden bush"),
        ("Eating a poisonous plant", "My daughter chewed foxglove leaves"),
        ("Paraquat poisoning", "he drank a mouthful of paraquat"),
        ("Paraquat poisoning", "误服20%百草枯一口"),
    ] {
        let trace = ask(question);
        let known = trace.case.conditions.iter().any(|c| c.entity.as_deref() == Some(name) && c.status == ConditionStatus::Known);
        assert!(known, "{question}: {:?}", trace.case.conditions);
    }
    // An exposure without a level of its own stands among the anchors alone.
    let trace = ask("He breathed in loads of smoke in the kitchen and is hoarse");
    assert!(trace.anchors.iter().any(|anchor| anchor.entity == "Smoke inhalation"), "{:?}", trace.anchors);
    let trace = ask("A curtain is coming up from the bottom of my left eye");
    assert_eq!(finding(&trace, "Loss of peripheral vision"), Some(FindingStatus::Present), "{}", trace.answer.text);
}

#[test]
fn what_has_gone_numb_or_black_is_there() {
    let trace = ask("Back pain for weeks, now my bottom has gone numb. What is it?");
    assert_eq!(finding(&trace, "Saddle numbness"), Some(FindingStatus::Present), "{:?}", trace.case.findings);
}

#[test]
fn words_in_another_order_say_something_else() {
    for (question, name) in [
        ("62M unable to lie down flat, breathless", "Vomiting"),
        ("57M night sweats, sheets wet through", "Nocturnal enuresis"),
        ("28M brown spots on the back, growing", "Vaginal bleeding"),
        ("Spotty forehead and chin at 27", "Vaginal bleeding"),
        ("80M off his food and confused since Friday", "Fluctuating alertness"),
        ("Her arm has gone floppy, 71F, speech slurred", "Floppy baby"),
        ("86F, seeing birds on the curtains", "Loss of peripheral vision"),
        ("17F migraine with shimmery lines in her sight", "Chills"),
    ] {
        let trace = ask(question);
        assert_eq!(finding(&trace, name), None, "{question}: {:?}", trace.case.findings);
    }
}

#[test]
fn a_denial_that_is_part_of_a_name_denies_nothing() {
    let trace = ask("27F, baby born last week, hasn't slept for nights, talking without end");
    assert_eq!(finding(&trace, "Sleep disturbance"), Some(FindingStatus::Present), "{:?}", trace.case.findings);
    let excluded = |question: &str| ask(question).case.conditions.iter().any(|condition| condition.status == ConditionStatus::Excluded);
    assert!(!excluded("45岁女，最近总睡不着，心烦") && excluded("45岁女，头晕，无糖尿病"));
}

#[test]
fn a_drink_beside_a_drug_is_alcohol() {
    for question in
        ["Can I have a glass of wine while on metronidazole?", "Is it ok to have a drink with metronidazole?", "吃甲硝唑能喝点酒吗？"]
    {
        let trace = ask(question);
        assert!(drug(&trace, "Alcohol use").is_some(), "{question}: {:?}", trace.case.drugs);
    }
}

#[test]
fn fright_that_is_told_in_passing_is_no_panic_attack() {
    for question in ["Bitten by a tick, bit panicky, should I worry?", "31F itchy scalp for a month, driving me nuts, getting scared"] {
        let trace = ask(question);
        assert_eq!(finding(&trace, "Panic attacks"), None, "{question}: {:?}", trace.case.findings);
    }
}

#[test]
fn since_last_night_is_not_at_night() {
    let trace = ask("77M, no urine since last night, belly hurts. What is it?");
    assert_eq!(finding(&trace, "Nocturia"), None, "{:?}", trace.case.findings);
}

#[test]
fn a_feeling_that_burns_is_no_burn() {
    for question in ["69M burning on the cheek for two days, then blisters", "Burning round my ribs on one side, 66F"] {
        let trace = ask(question);
        let conditions: Vec<_> = trace.case.conditions.iter().filter_map(|condition| condition.entity.as_deref()).collect();
        assert!(!conditions.contains(&"Burns"), "{question}: {conditions:?}");
    }
}

#[test]
fn of_two_drugs_the_one_to_be_left_is_taken_and_the_other_proposed() {
    for (question, left, wanted) in [
        ("66M AF. Could we switch apixaban to edoxaban?", "Apixaban", "Edoxaban"),
        ("54F, ok to change from sertraline to mirtazapine?", "Sertraline", "Mirtazapine"),
        ("72F wants to switch to rivaroxaban from warfarin", "Warfarin", "Rivaroxaban"),
        ("68岁女，华法林换成利伐沙班可以吗？", "Warfarin", "Rivaroxaban"),
    ] {
        let trace = ask(question);
        let statuses = (drug(&trace, left), drug(&trace, wanted));
        assert_eq!(statuses, (Some(DrugStatus::Taken), Some(DrugStatus::Proposed)), "{question}: {:?}", trace.case.drugs);
    }
}

#[test]
fn what_is_used_is_taken_and_what_is_to_be_got_or_begun_is_proposed() {
    let trace = ask("I use my salbutamol inhaler most days. Can I get propranolol for my nerves without seeing anyone?");
    assert_eq!(
        (drug(&trace, "Salbutamol"), drug(&trace, "Propranolol")),
        (Some(DrugStatus::Taken), Some(DrugStatus::Proposed)),
        "{:?}",
        trace.case.drugs
    );
    for question in ["Starting methotrexate on Friday. What must I avoid?", "There's methotrexate left over from last year, gout again"] {
        assert_eq!(drug(&ask(question), "Methotrexate"), Some(DrugStatus::Proposed), "{question}");
    }
    let trace = ask("47M rash starting after amoxicillin. What is it?");
    assert_ne!(drug(&trace, "Amoxicillin"), Some(DrugStatus::Proposed), "{:?}", trace.case.drugs);
}

#[test]
fn what_a_relative_takes_is_proposed_where_it_is_asked_for() {
    let trace = ask("I'm 20 weeks pregnant with a bad chest. My husband has doxycycline, can I share his?");
    assert_eq!(drug(&trace, "Doxycycline"), Some(DrugStatus::Proposed), "{:?}", trace.case.drugs);
    let trace = ask("Swollen ankles on amlodipine. My aunt has water tablets, can I take some?");
    assert_ne!(trace.case.patient.sex, Some(PatientSex::Female));
    let trace = ask("I have a cough. My husband has doxycycline for his skin.");
    assert_eq!(drug(&trace, "Doxycycline"), None, "{:?}", trace.case.drugs);
}

#[test]
fn somebody_who_sees_animals_is_a_patient_and_an_animal_is_not() {
    for question in ["Nan's 87, on tolterodine, sees dogs in the bedroom, drowsy by day", "两岁女孩，咳嗽像狗叫，声音嘶哑"] {
        assert_eq!(ask(question).case.refusal, None, "{question}");
    }
    assert!(ask("My dog is 9 and on meloxicam, seeing double. What dose?").case.refusal.is_some());
}

#[test]
fn food_and_drink_beside_a_drug_are_no_unknown_drugs() {
    let trace = ask("starting warfarin monday, list of things i shouldnt have with it please: food, drink, tablets");
    assert!(trace.case.refusal.is_none(), "{:?}", trace.case);
    assert!(trace.answer.grounded, "{}", trace.answer.text);
}

#[test]
fn a_denial_that_is_part_of_what_is_told_does_not_deny_it() {
    assert_ne!(finding(&ask("back pain, no urinary retention"), "Urinary retention"), Some(FindingStatus::Present));
    let trace = ask("Sciatica for weeks. Since last night numb between my legs and not been able to wee. Is it ok to wait until Thursday?");
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
}

#[test]
fn everyday_words_are_no_abbreviations() {
    let trace = ask("Attacks out of nowhere, heart racing, tingling fingers. Lasts ten minutes. What is it?");
    assert!(trace.case.conditions.is_empty(), "{:?}", trace.case.conditions);
}
