//! What is told of topics (procedures, prevention, contagion, screening, scores), one ingredient in two products, what is never stopped suddenly, and what is
//! stored of bleeding tumours and past hepatitis B. On the starter graph.

use catena::run::{AnswerPart, Trace};

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

#[test]
fn a_question_of_daily_life_with_an_illness_is_told_what_is_stored() {
    for (question, text) in [
        ("can i put a bit of honey on 8 month olds dummy for cough", "none before the first birthday"),
        (
            "55, type 2 diabetes on gliclazide and metformin. Ramadan starts in three weeks, I want to fast. What to change?",
            "moved to the evening meal",
        ),
        ("Just diagnosed coeliac. Can I have porridge oats?", "pure gluten-free oats"),
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
