//! What is told of topics (procedures, prevention, contagion, screening, scores), one ingredient in two products, what is never stopped suddenly, and what is
//! stored of bleeding tumours and past hepatitis B. On the starter graph.

use catena::run::{AnswerPart, AskKind, DrugStatus, Trace};

use crate::starter::ask;

fn says(trace: &Trace, text: &str) -> bool {
    trace.answer.lines.iter().any(|line| line.text.contains(text))
}

#[test]
fn what_a_question_asks_of_a_topic_is_told() {
    for (question, text) in [
        ("What actually happens in a colonoscopy? I have one in two weeks and I'm dreading the prep.", "Low-fibre food"),
        ("How do I stop my toddler getting nits again and again? We've done the comb twice this month.", "wet combing on days"),
        ("My friend has shingles on his back. I had chickenpox as a kid. Can I catch it from him?", "shingles itself is not caught"),
        ("Impetigo in a 4 year old: treatment, and when back at nursery?", "48 hours after antibiotic treatment began"),
        ("社区获得性肺炎成人患者,如何用CURB-65评分决定门诊还是住院?", "尿素>7"),
        ("房颤患者,80岁,体重52 kg,血肌酐145 μmol/L,拟用阿哌沙班预防卒中,剂量如何选择?", "三项中满足两项"),
        ("患者既往2018年急性心梗行PCI,目前无胸痛,规律服药,来门诊咨询拔牙前是否需停用阿司匹林。", "抗血小板药均不停"),
        ("Tooth extraction tomorrow, takes rivaroxaban. Should it be stopped?", "one to three simple teeth"),
        ("What's the difference between flu and covid jabs and can I have both on the same day? I'm 78.", "may be given at one visit"),
    ] {
        let trace = ask(question);
        assert!(says(&trace, text), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn a_topic_is_not_told_where_something_else_is_asked_or_matters_more() {
    for (question, text) in [
        ("Colonoscopy was normal but she still bleeds. What next?", "Low-fibre food"),
        ("Child with chickenpox, breathing fast and drowsy. Can I catch it?", "a second attack is rare"),
        ("Calf swollen after a 14 hour flight", "flight stockings"),
        ("Head lice treatment for a toddler?", "no product prevents them"),
        ("Shingles, how do I treat it?", "shingles itself is not caught"),
        ("拔牙后出血不止，吃华法林", "即不停药"),
        ("dental abscess: treatment?", "not stopped"),
    ] {
        let trace = ask(question);
        assert!(!says(&trace, text), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn a_missed_dose_asks_for_no_dose_and_stops_no_drug() {
    for question in ["Forgot this morning's dose of apixaban, it's 2pm now, what to do?", "missed apixaban this morning, take two?"] {
        let trace = ask(question);
        assert!(says(&trace, "after a missed dose"), "{question}: {}", trace.answer.text);
        assert!(!says(&trace, "lower dose"), "{question}: {}", trace.answer.text);
        assert!(trace.case.asks.iter().all(|ask| ask.kind != AskKind::Dose), "{question}: {:?}", trace.case.asks);
        assert!(trace.case.drugs.iter().all(|drug| drug.status != DrugStatus::Stopped), "{question}: {:?}", trace.case.drugs);
    }
    // What was missed for days, or may have done harm already, is as good as stopped.
    for question in ["Missed prednisolone for 5 days, what now?", "Missed her clonidine yesterday, headache and sweating"] {
        let trace = ask(question);
        assert!(trace.case.drugs.iter().any(|drug| drug.status == DrugStatus::Stopped), "{question}: {:?}", trace.case.drugs);
    }
}

#[test]
fn of_two_things_together_nothing_is_told_where_one_of_them_is_not_the_patients() {
    for (question, text) in [
        (
            "63F asks the same questions over and over for 4 hours, no head injury, no headache. Does she need aspirin?",
            "never after a recent stent",
        ),
        ("38F HIV negative, tuberculosis confirmed. When to start isoniazid and rifampicin?", "no bictegravir"),
    ] {
        let trace = ask(question);
        assert!(!says(&trace, text), "{question}: {}", trace.answer.text);
    }
    let source = ask("Nurse, needlestick 40 minutes ago, source has HIV infection on antiretrovirals. What should she do?");
    let names = |name: &str| source.case.conditions.iter().any(|condition| condition.entity.as_deref() == Some(name));
    assert!(!names("HIV infection"), "{}", source.answer.text);
}

#[test]
fn one_ingredient_in_two_products_is_a_double_dose() {
    for (question, text) in [
        ("Can I take Tylenol with Panadol?", "Tylenol and Panadol both contain paracetamol"),
        ("泰诺和快克能一起吃吗", "泰诺与快克都含对乙酰氨基酚"),
        ("Can I take Sudafed with Lemsip?", "two of one kind"),
    ] {
        let trace = ask(question);
        assert!(says(&trace, text), "{question}: {}", trace.answer.text);
    }
    for question in [
        "Is Tylenol the same as paracetamol?",
        "Amoxicillin or co-amoxiclav for sinusitis?",
        "Can my 3 year old take Calpol and Nurofen together?",
        "Took 30 Tylenol and some Panadol an hour ago",
    ] {
        let trace = ask(question);
        assert!(!says(&trace, "both contain"), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn what_is_never_stopped_suddenly_is_so_beside_its_small_harms() {
    for (question, text) in [
        ("My mum has taken diazepam for 12 years. Can she stop it at once?", "Stopping Diazepam: seizures"),
        ("我奶奶85岁,吃安眠药好几年了(艾司唑仑),最近走路不稳摔了一次,没受伤,能直接停药吗", "逐步减量"),
        ("服用普萘洛尔,头晕,能马上停吗", "逐步减量"),
    ] {
        let trace = ask(question);
        assert!(says(&trace, text), "{question}: {}", trace.answer.text);
    }
    for question in [
        "I take lorazepam every night and my tongue is swelling. Can I stop it?",
        "On bisoprolol, dizzy and HR 38. Can I stop it?",
        "Sertraline gave me hives. Should I stop it?",
        "On carbamazepine with blistering rash, stop at once?",
        "I want to stop my diazepam because I'm pregnant",
    ] {
        let trace = ask(question);
        let stopping = trace.answer.lines.iter().find(|line| line.text.starts_with("Stopping ") && line.part == AnswerPart::Safety);
        assert!(stopping.is_none(), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn tumours_that_bleed_and_past_hepatitis_b_are_warned_of() {
    let trace = ask("Gastric cancer, primary in situ, on chemo. New proximal femoral DVT. Was going to use rivaroxaban - ok?");
    assert!(says(&trace, "prefer low molecular weight heparin"), "{}", trace.answer.text);
    let trace = ask("HBsAg neg, anti-HBs 220, anti-HBc total pos, IgM anti-HBc neg, ALT 24. What is this? She's due to start rituximab");
    assert!(says(&trace, "entecavir or tenofovir from before the first dose"), "{}", trace.answer.text);
}

const DAYS_OF_WARFARIN: &str = "stopped five days before";
const DAYS_OF_DOAC: &str = "only for an operation with a date";

#[test]
fn days_of_a_planned_operation_are_told_of_one_that_can_wait() {
    for (question, text) in [
        ("Hernia repair booked next month, on warfarin. How many days is it stopped?", DAYS_OF_WARFARIN),
        ("Knee replacement for knee pain, on apixaban. When do I stop it?", DAYS_OF_DOAC),
        ("Hysterectomy for heavy periods, takes warfarin. How many days is it stopped?", DAYS_OF_WARFARIN),
        ("Elective cholecystectomy in three weeks, on apixaban. When is apixaban stopped?", DAYS_OF_DOAC),
    ] {
        let trace = ask(question);
        assert!(says(&trace, text), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn an_operation_that_cannot_wait_gets_no_days_and_its_emergency_is_told() {
    for question in [
        "Hip replacement tomorrow because of a broken hip, 82F on warfarin INR 2.8. What about the warfarin?",
        "Cholecystectomy this afternoon for gangrenous gallbladder, on apixaban. When is apixaban stopped?",
        "Hernia repair: the lump is hard, red and painful and he is vomiting, on warfarin. How many days is it stopped?",
    ] {
        let trace = ask(question);
        assert!(!says(&trace, DAYS_OF_WARFARIN) && !says(&trace, DAYS_OF_DOAC), "{question}: {}", trace.answer.text);
    }
    for (question, emergency) in [
        (
            "Hernia repair today: the lump is hard, red and painful and he is vomiting, on warfarin. How many days is it stopped?",
            "Strangulated",
        ),
        ("Spinal decompression surgery this afternoon, can't feel my bottom, on rivaroxaban. Do I stop it?", "Cauda equina"),
    ] {
        let trace = ask(question);
        assert!(!says(&trace, DAYS_OF_WARFARIN) && !says(&trace, DAYS_OF_DOAC), "{question}: {}", trace.answer.text);
        assert!(says(&trace, emergency), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn a_question_for_a_dose_hides_nothing_that_must_be_seen_soon() {
    let arteritis = ask("Dose of ibuprofen for headaches with jaw pain on chewing, 74F?");
    assert!(says(&arteritis, "Prednisolone") && says(&arteritis, "Never delay treatment for tests"), "{}", arteritis.answer.text);
    for (question, condition) in [
        ("What is the dose of amoxicillin for a cough of two months with blood and night sweats?", "Pulmonary tuberculosis: explains"),
        ("Dose of Gaviscon for trouble swallowing and weight loss, 62M?", "Oesophageal cancer: explains"),
        ("Dose of flucloxacillin for a breast lump with skin dimpling, 55F?", "Inflammatory breast cancer: explains"),
    ] {
        let trace = ask(question);
        assert!(says(&trace, condition), "{question}: {}", trace.answer.text);
    }
    let ache = ask("Dose of ibuprofen for a headache, 30F?");
    assert!(!ache.answer.lines.iter().any(|line| line.part == AnswerPart::Conditions), "{}", ache.answer.text);
}

#[test]
fn no_next_step_of_a_long_illness_stands_beneath_an_alarm() {
    for (question, text) in [
        (
            "Stable angina on bisoprolol and amlodipine, still chest pain, now at rest for 40 minutes with sweating. Next drug?",
            "check tablets",
        ),
        (
            "Stable angina on bisoprolol, still gets chest pain, now several times a day and last night at rest for 20 minutes. Next step?",
            "check tablets",
        ),
        ("癫痫，今天抽了40分钟没停，丙戊酸控制不好，下一步换什么药？", "癫痫中心"),
        (
            "Known migraine with aura, 34F, sumatriptan failed. This headache came on over two weeks, worse lying down and when she coughs, blurred \
             vision. Next step?",
            "Triptan failed in three attacks",
        ),
    ] {
        let trace = ask(question);
        assert!(!says(&trace, text), "{question}: {}", trace.answer.text);
    }
    for (question, text) in [
        ("Status epilepticus, lorazepam has not worked. He normally takes valproate for epilepsy. Next step?", "call anaesthetist"),
        ("Asthma not controlled on a steroid inhaler, wheezing at night. Next step?", "MART"),
    ] {
        let trace = ask(question);
        assert!(says(&trace, text), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn nothing_is_told_of_an_illness_that_is_not_there() {
    for (question, text) in [
        ("Coeliac disease was ruled out but I have lost 9 kg and have greasy stools. What can I eat?", "strictly without wheat"),
        ("Coeliac disease was ruled out. What can I eat?", "strictly without wheat"),
        ("He doesn't have diabetes, but what diet is best for gout? 70M on warfarin.", "half the plate vegetables"),
        ("I'm 30 and not pregnant. Can I have the MMR vaccine?", "no pregnancy for one month after"),
        ("My wife is pregnant. Can I have the MMR vaccine? I am 30.", "no pregnancy for one month after"),
    ] {
        let trace = ask(question);
        assert!(!says(&trace, text), "{question}: {}", trace.answer.text);
    }
    for (question, text) in [
        ("He doesn't have diabetes, but what diet is best for gout? 70M on warfarin.", "offal"),
        ("I have coeliac disease. What can I eat?", "strictly without wheat"),
        ("I have never had chickenpox. Can I catch it from my son's shingles?", "shingles itself is not caught"),
    ] {
        let trace = ask(question);
        assert!(says(&trace, text), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn how_somebody_lives_with_an_illness_is_no_answer_where_something_is_urgent() {
    for (question, text) in [
        ("Gallstones, what should I eat? I am yellow, shivering and have pain on the right.", "low-fat small meals"),
        (
            "Nursery has norovirus. My 10 month old has had diarrhoea for two days, no wet nappy for 12 hours, sunken eyes, floppy. When can she go \
             back to nursery?",
            "until 48 hours after the last vomiting",
        ),
        ("I have hypertrophic cardiomyopathy and passed out playing football yesterday. When can I go back to sport?", "mostly safe"),
    ] {
        let trace = ask(question);
        assert!(!says(&trace, text), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn a_question_of_daily_life_with_an_illness_is_told_what_is_stored() {
    for (question, text) in [
        ("can i put a bit of honey on 8 month olds dummy for cough", "none before the first birthday"),
        (
            "55, type 2 diabetes on gliclazide and metformin. Ramadan starts in three weeks, I want to fast. What to change?",
            "moved to the evening meal",
        ),
        ("Just diagnosed coeliac. Can I have porridge oats?", "gluten-free"),
        ("放支架5个月，一直吃阿司匹林和氯吡格雷。下周要拔颗智齿，要停药吗", "抗血小板药均不停"),
        ("末次月经上月12号，今天测出怀孕，5周。之前吃过三天左氧氟沙星。要不要流产？", "全或无"),
        ("Lost my spleen in a car crash in 2019. I feel great, do I really need the jabs every few years?", "MenB"),
    ] {
        let trace = ask(question);
        assert!(says(&trace, text), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn what_is_about_men_and_after_the_menopause_is_not_said_to_a_young_woman() {
    let trace = ask("I'm a 33 year old woman, very tired, hair falling out, chewing ice all day. Ferritin 7.");
    assert!(!says(&trace, "en and after the menopause"), "{}", trace.answer.text);
    let trace = ask("I'm a 63 year old man, very tired, pale, chewing ice all day. Ferritin 7.");
    assert!(says(&trace, "en and after the menopause"), "{}", trace.answer.text);
}
