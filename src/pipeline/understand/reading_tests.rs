//! Tests of what a question is about and whose it is: prevention, unknown diseases, kinds of drugs, times, overdoses, denials.

use super::tests::read;
use crate::run::{AskKind, Case, ConditionStatus, DrugStatus, FindingStatus, LikelyKind, ResultDirection};

fn asks(case: &Case) -> Vec<(AskKind, Vec<&str>)> {
    case.asks.iter().map(|ask| (ask.kind, ask.of.iter().map(String::as_str).collect())).collect()
}

fn status_of(case: &Case, finding: &str) -> Option<FindingStatus> {
    case.findings.iter().find(|known| known.entity.as_deref() == Some(finding)).map(|known| known.status)
}

#[test]
fn what_is_to_be_prevented_is_asked_about_and_not_there() {
    for (text, condition) in [
        ("We fly to Malawi on Sunday. What should we take so we don't catch malaria?", "Malaria"),
        ("Which prophylaxis for Lyme disease?", "Lyme disease"),
        ("How can I protect myself against influenza?", "Influenza"),
        ("how to avoid dengue fever", "Dengue fever"),
        ("怎么预防流感", "Influenza"),
        ("吃什么药才不会得疟疾", "Malaria"),
        ("Spleen out last year. How do we stop him dying of sepsis?", "Sepsis"),
        ("going to malawi for a month, which malaria stuff do we need to take?", "Malaria"),
    ] {
        let case = read(text);
        // That the spleen is out is what he has.
        assert!(case.conditions.iter().all(|of| of.entity.as_deref() != Some(condition)), "{text}: {:?}", case.conditions);
        assert_eq!(asks(&case), [(AskKind::Prevention, vec![condition])], "{text}");
    }
    let has_it = read("I have malaria. What should I take?");
    assert_eq!(has_it.conditions.first().map(|condition| condition.status), Some(ConditionStatus::Known));
    assert!(asks(&has_it).iter().all(|(kind, _)| *kind != AskKind::Prevention));
}

#[test]
fn a_mother_asks_how_her_child_is_kept_from_what_she_has() {
    for text in ["I'm 28 weeks pregnant with hepatitis B. How do I stop the baby getting it?", "孕28周乙肝大三阳，孩子怎么阻断"]
    {
        let case = read(text);
        assert!(case.patient.pregnancy.is_some_and(|pregnancy| pregnancy.week == Some(28)), "{text}: {:?}", case.patient);
        assert!(case.patient.age_months.is_none(), "{text}: {:?}", case.patient);
        let known = case.conditions.iter().find(|condition| condition.entity.as_deref() == Some("Hepatitis B"));
        assert_eq!(known.map(|condition| condition.status), Some(ConditionStatus::Known), "{text}");
        assert!(asks(&case).contains(&(AskKind::Prevention, vec!["Hepatitis B"])), "{text}: {:?}", case.asks);
    }
}

#[test]
fn a_disease_or_drug_called_by_a_name_that_nobody_knows_is_unknown_as_a_whole() {
    for (text, term, kind) in [
        ("What is the treatment for Drummond-Keller fever?", "Drummond-Keller fever", LikelyKind::Condition),
        ("My son has Voskuijlen's syndrome. Which tests?", "Voskuijlen's syndrome", LikelyKind::Condition),
        ("朗维特-韦氏综合征怎么治疗？", "朗维特-韦氏综合征", LikelyKind::Condition),
        ("诊断为布兰尼根病，预后怎样", "布兰尼根病", LikelyKind::Condition),
        ("服华法林，能加瑞索芬他汀吗", "瑞索芬他汀", LikelyKind::Drug),
    ] {
        let case = read(text);
        let unknown = case.not_understood.iter().find(|unknown| unknown.text == term);
        assert_eq!(unknown.map(|unknown| (unknown.likely, unknown.subject)), Some((Some(kind), true)), "{text}: {:?}", case.not_understood);
        let is_of_term = |start: usize, end: usize| unknown.is_some_and(|unknown| start < unknown.end && unknown.start < end);
        assert!(!case.findings.iter().any(|finding| is_of_term(finding.start, finding.end)), "{text}: {:?}", case.findings);
        assert!(!case.conditions.iter().any(|condition| is_of_term(condition.start, condition.end)), "{text}: {:?}", case.conditions);
        assert!(!case.drugs.iter().any(|drug| is_of_term(drug.start, drug.end)), "{text}: {:?}", case.drugs);
    }
    for text in [
        "Treatment for Kawasaki disease?",
        "Crohn's disease, which tests?",
        "肠易激综合征怎么治疗",
        "帕金森病吃什么药",
        "服阿托伐他汀，肌肉痛",
        "High fever since Monday, what to do?",
    ] {
        let case = read(text);
        let is_unknown = case.not_understood.iter().any(|unknown| unknown.subject || super::eponym::names_disease(&unknown.text));
        assert!(!is_unknown, "{text}: {:?}", case.not_understood);
    }
}

#[test]
fn a_kind_of_drug_that_is_wanted_is_not_taken_and_says_what_for() {
    let case = read("first line antihypertensive in a 45 year old white man");
    assert_eq!(asks(&case), [(AskKind::Treatment, vec!["Hypertension"])]);
    assert!(case.drugs.iter().all(|drug| drug.status == DrugStatus::Proposed) && case.conditions.is_empty());
    assert_eq!(case.patient.sex, Some(crate::run::PatientSex::Male));
    assert_eq!(asks(&read("Which antidepressant in the elderly?")), [(AskKind::Treatment, vec!["Depression"])]);
    assert_eq!(asks(&read("降压药首选哪种，60岁")), [(AskKind::Treatment, vec!["Hypertension"])]);
    assert_eq!(asks(&read("best antiemetic in migraine?")), [(AskKind::Treatment, vec!["Migraine"])], "what is named comes first");
    let asplenic = read("what vaccine after splenectomy");
    assert_eq!(asplenic.asks.first().map(|ask| ask.kind), Some(AskKind::Prevention), "{:?}", asplenic.asks);
    assert!(asplenic.asks[0].of.iter().any(|name| name == "Meningococcal disease"), "{:?}", asplenic.asks);
    assert_eq!(asks(&read("How is eclampsia treated in pregnancy?")), [(AskKind::Treatment, vec!["Eclampsia"])], "not the pregnancy");
    assert!(asks(&read("What is a statin?")).iter().all(|(kind, _)| *kind != AskKind::Treatment), "none is wanted");
    assert!(read("She takes an antihypertensive. Cough. What is it?").drugs.iter().all(|drug| drug.status == DrugStatus::Taken));
}

#[test]
fn a_time_belongs_to_what_stands_in_its_own_clause() {
    for text in
        ["took sildenafil, chest pain for 40 minutes", "吃了西地那非，胸痛40分钟", "took sildenafil and now has chest pain for 40 minutes"]
    {
        let case = read(text);
        assert_eq!(case.drugs.first().and_then(|drug| drug.days), None, "{text}: {:?}", case.drugs);
        assert!(case.findings.first().and_then(|finding| finding.days).is_some_and(|days| days < 0.1), "{text}: {:?}", case.findings);
    }
    let both = read("started amlodipine 3 weeks ago, ankle swelling for 2 days");
    assert_eq!(both.drugs.first().and_then(|drug| drug.days), Some(21.0));
    assert_eq!(both.findings.first().and_then(|finding| finding.days), Some(2.0));
    let purpose = read("started amlodipine for hypertension 3 weeks ago");
    assert_eq!(purpose.drugs.first().and_then(|drug| drug.days), Some(21.0), "what it is for is no finding of its own time");
}

#[test]
fn many_tablets_in_a_day_are_an_overdose_and_a_usual_dose_is_none() {
    let overdosed = |text: &str| read(text).conditions.iter().any(|condition| condition.entity.as_deref() == Some("Paracetamol overdose"));
    for text in [
        "I have been taking 2 paracetamol tablets every 2 hours for 3 days for toothache",
        "she's had two 500mg paracetamol every 3 hours since Monday for her back",
        "taking 16 paracetamol a day for a week",
        "I take methotrexate weekly and took 30 paracetamol",
        "牙疼，扑热息痛每2小时吃两片，吃了三天",
    ] {
        assert!(overdosed(text), "{text}");
    }
    assert!(read("taking 10 methotrexate tablets once a week").conditions.is_empty(), "a dose a week");
    for text in
        ["I take 2 paracetamol every 6 hours for my back", "Can I take 2 paracetamol every 2 hours?", "takes paracetamol every 4 hours"]
    {
        assert!(!overdosed(text), "{text}");
    }
}

#[test]
fn emergencies_in_lay_words_are_the_findings_that_they_are() {
    let present = |text: &str, finding: &str| status_of(&read(text), finding) == Some(FindingStatus::Present);
    for (text, finding) in [
        ("孕32周，从昨天开始宝宝就没动过", "Reduced fetal movements"),
        ("宝宝今天一天都没怎么动，我孕30周", "Reduced fetal movements"),
        ("im 34 weeks and baby has hardly kicked since yesterday", "Reduced fetal movements"),
        ("我爸右边胳膊没劲，说话大舌头", "Weakness of one side"),
        ("我妈今早左手没劲，十分钟就好了", "Weakness of one side"),
        ("my lad 13 says one of his nuts is really sore", "Testicular pain"),
    ] {
        assert!(present(text, finding), "{text}: {:?}", read(text).findings);
    }
    assert!(!present("最近总是没劲", "Weakness of one side"));
}

#[test]
fn what_a_note_denies_in_any_way_is_absent_and_a_relatives_is_the_relatives() {
    for (text, finding) in [
        ("62F dysphagia. Wt loss -ve.", "Weight loss"),
        ("cough; fever: no, night sweats: none", "Fever"),
        ("night sweats? no. lumps in neck", "Night sweats"),
        ("ROS: no SOB, palps, syncope. Tired.", "Fainting"),
        ("咳嗽（+），咯血（-）", "Coughing up blood"),
        ("否认发热、盗汗，咳嗽两月", "Night sweats"),
    ] {
        assert_eq!(status_of(&read(text), finding), Some(FindingStatus::Absent), "{text}: {:?}", read(text).findings);
    }
    for (text, finding) in [("cough: yes, fever: no", "Cough"), ("咳嗽（+），咯血（-）", "Cough"), ("否认发热、盗汗，咳嗽两月", "Cough")]
    {
        assert_eq!(status_of(&read(text), finding), Some(FindingStatus::Present), "{text}: {:?}", read(text).findings);
    }
    for (text, condition) in [
        ("咳嗽3周，姑姑有乳腺癌", "Breast cancer"),
        ("妈妈有糖尿病，我最近总口渴", "Diabetes mellitus"),
        ("his brother has schizophrenia; he now hears voices", "Schizophrenia"),
    ] {
        let case = read(text);
        assert!(case.conditions.iter().all(|known| known.entity.as_deref() != Some(condition)), "{text}: {:?}", case.conditions);
    }
}

#[test]
fn the_first_word_of_drugs_stands_for_what_they_have_in_common() {
    let case = read("took isosorbide and sildenafil together, is this safe?");
    let names: Vec<&str> = case.drugs.iter().filter_map(|drug| drug.entity.as_deref()).collect();
    assert_eq!(names, ["Nitrate", "Sildenafil"]);
    assert!(read("isosorbide dinitrate and sildenafil").drugs.iter().any(|drug| drug.entity.as_deref() == Some("Isosorbide dinitrate")));
    assert!(read("a compound fracture").drugs.is_empty());
}

#[test]
fn a_normal_result_is_normal_beside_any_word() {
    for text in
        ["ferritin raised, transferrin saturation 28%", "transferrin saturation raised at 28%, tired", "铁蛋白升高，转铁蛋白饱和度28%"]
    {
        let case = read(text);
        let saturation = case.results.iter().find(|result| result.test == "transferrin saturation");
        assert_eq!(saturation.map(|result| result.direction), Some(ResultDirection::Normal), "{text}: {:?}", case.results);
        assert!(saturation.is_some_and(|result| result.finding.is_none() && result.value == Some(28.0)), "{text}");
    }
}

#[test]
fn what_hardly_happens_is_not_sure_and_not_absent() {
    for text in ["宝宝10个月发烧39度，不怎么咳嗽，是什么病？", "他没怎么咳嗽，就是发烧", "She isn't really coughing, just a fever"]
    {
        let case = read(text);
        assert_eq!(status_of(&case, "Cough"), Some(FindingStatus::Uncertain), "{text}: {:?}", case.findings);
    }
    assert_eq!(status_of(&read("发烧39度，不咳嗽"), "Cough"), Some(FindingStatus::Absent));
}

#[test]
fn where_the_temperature_was_taken_names_it() {
    let case = read("Collapsed on a long run, rectal 41.3, confused. What is it?");
    let temperature = case.results.iter().find(|result| result.test == "temperature");
    assert!(temperature.is_some_and(|result| result.critical && result.value == Some(41.3)), "{:?}", case.results);
}

#[test]
fn a_breath_test_tells_of_no_breathlessness() {
    let case = read("Breath test for Helicobacter pylori positive. Which treatment?");
    assert_eq!(status_of(&case, "Shortness of breath"), None, "{:?}", case.findings);
}

#[test]
fn a_forehead_that_still_moves_is_told() {
    let case = read("65M, one side of the mouth droops, but he can still raise both eyebrows. What is it?");
    assert_eq!(status_of(&case, "Facial weakness sparing the forehead"), Some(FindingStatus::Present), "{:?}", case.findings);
}

#[test]
fn what_a_colleague_holds_it_to_be_is_only_suspected_and_what_he_denies_is_not_excluded() {
    for (text, condition) in [
        ("BP 82/44 despite fluids. Team calling it septic shock. Anything else?", "Septic shock"),
        ("Vertigo since this morning. ENT on-call says labyrinthitis, give prochlorperazine?", "Vestibular neuritis"),
        ("R facial weakness x 36 h. Ambulance crew had her as FAST +ve stroke. Is it?", "Stroke"),
        ("ST depression V1-V3. F1 has called it NSTEMI. Agree?", "Non-ST-elevation myocardial infarction"),
        ("Drowsy and ataxic. Med reg querying encephalitis. What is likely?", "Encephalitis"),
        ("Vomiting, pH 7.16. Surgeons: 'sugar is fine so not diabetic ketoacidosis'. What is going on?", "Diabetic ketoacidosis"),
    ] {
        let case = read(text);
        let status = case.conditions.iter().find(|known| known.entity.as_deref() == Some(condition)).map(|known| known.status);
        assert_eq!(status, Some(ConditionStatus::Suspected), "{text}: {:?}", case.conditions);
    }
    for (text, condition) in [
        ("The doctor says I have gout. Can I drink beer?", "Gout"),
        ("Under the stroke team, had a stroke 2 weeks ago and has epilepsy. Levetiracetam dose?", "Epilepsy"),
        ("GP: 54M with asthma and a cough. What to do?", "Asthma"),
    ] {
        let case = read(text);
        let status = case.conditions.iter().find(|known| known.entity.as_deref() == Some(condition)).map(|known| known.status);
        assert_eq!(status, Some(ConditionStatus::Known), "{text}: {:?}", case.conditions);
    }
}

#[test]
fn a_family_doctor_is_no_pneumonia() {
    let of = |text: &str| read(text).conditions.iter().any(|known| known.entity.as_deref() == Some("Pneumocystis pneumonia"));
    assert!(!of("Bloating and tired, labeled IBS by PCP. What next?"));
    assert!(!of("My PCP started me on lisinopril, can I take ibuprofen?"));
    assert!(of("HIV with CD4 60, dry cough, sats 88: PCP? Treatment?"));
}

#[test]
fn a_complaint_that_scares_is_there() {
    let case = read("The chest pain scares me, it spreads to my arm");
    assert!(case.findings.iter().any(|finding| finding.status == FindingStatus::Present), "{:?}", case.findings);
    assert!(case.findings.iter().all(|finding| finding.status != FindingStatus::Absent), "{:?}", case.findings);
}
