//! What somebody else has beside the asker, drugs that were stopped or may be, and ages behind the sex in Chinese notes. On the starter graph.

use catena::run::{AnswerPart, ConditionStatus, DrugStatus, FindingStatus, PatientSex, Trace, UrgencyLevel};

use crate::starter::{ask, condition, drug, entities, finding};

fn is_allergic(trace: &Trace) -> bool {
    !trace.case.patient.allergies.is_empty() || trace.case.drugs.iter().any(|drug| drug.status == DrugStatus::Allergic)
}

#[test]
fn an_allergy_of_another_is_not_the_askers() {
    for question in [
        "My brother is allergic to penicillin but I'm not. I've been given amoxicillin for a chest infection. Is it safe?",
        "My brother's allergic to penicillin. I've been prescribed amoxicillin, is it safe?",
        "My sister is allergic to sulfa but I'm not. Can I take co-trimoxazole for a urine infection?",
        "My sister is allergic to sulfa, I'm on trimethoprim, is that ok?",
        "弟弟对头孢过敏,我不过敏,能用头孢克肟吗",
        "弟弟青霉素过敏，本人不过敏，能用阿莫西林吗",
    ] {
        let trace = ask(question);
        assert!(!is_allergic(&trace), "{question}: {:?}", trace.case);
        assert_eq!(trace.case.patient.sex, None, "{question}");
    }
    for question in [
        "My brother is allergic to penicillin, he was given amoxicillin",
        "My brother is allergic to penicillin. He has been given amoxicillin and I'm not sure it is safe",
        "My wife is allergic to penicillin. I've been given her amoxicillin to collect, is it safe?",
        "My daughter is allergic to penicillin. Can she take amoxicillin?",
        "弟弟对青霉素过敏，医生给他开了阿莫西林，我不放心",
        "儿子青霉素过敏，我不知道能不能用阿莫西林",
        "I am allergic to penicillin but my brother isn't. I've been given amoxicillin",
        "我对青霉素过敏，弟弟不过敏，我能用阿莫西林吗",
    ] {
        let trace = ask(question);
        assert!(is_allergic(&trace), "{question}: {:?}", trace.case);
    }
}

#[test]
fn an_illness_of_another_is_not_the_askers() {
    for (question, name) in [
        ("母亲有哮喘,本人没有,可以用普萘洛尔吗", "Asthma"),
        ("父亲有冠心病史,本人男32岁,无胸痛", "Coronary artery disease"),
        ("妈妈有高血压,我28岁,最近头晕", "Hypertension"),
        ("My mother has asthma but I don't. Can I take propranolol?", "Asthma"),
        ("My friend has shingles and I had chickenpox as a child. Can I catch it from him?", "Herpes zoster"),
        ("My brother is allergic to penicillin, sulfa and latex but I'm not. Can I take co-trimoxazole?", "Penicillin allergy"),
    ] {
        let trace = ask(question);
        assert_eq!(condition(&trace, name), None, "{question}: {:?}", trace.case.conditions);
    }
    for (question, name) in [
        ("我妈75岁,早上起来嘴有点歪", "Facial weakness"),
        ("我爸突然胸痛，我28岁，该怎么办", "Chest pain"),
        ("我老公有胸痛，我给他吃了硝酸甘油", "Chest pain"),
        ("妈妈有胸痛，我不知道怎么办", "Chest pain"),
        ("爸爸有胸痛，本人不愿去医院", "Chest pain"),
        ("女儿3岁有发烧，我没有体温计", "Fever"),
        ("My husband has chest pain and I'm on the train, what should he do?", "Chest pain"),
        ("My husband has chest pain, I'm not with him", "Chest pain"),
        ("My dad has chest pain. Can I take him to hospital myself?", "Chest pain"),
        ("My son has chest pain and I have tried paracetamol", "Chest pain"),
    ] {
        let trace = ask(question);
        assert_eq!(finding(&trace, name), Some(FindingStatus::Present), "{question}: {:?}", trace.case.findings);
    }
}

#[test]
fn the_sex_of_another_is_not_the_askers() {
    for (question, sex) in [
        ("我爸爸有痛风,我脚趾疼,我是女的", Some(PatientSex::Female)),
        ("妈妈有高血压,我28岁,最近头晕", None),
        ("父亲有冠心病史,本人男32岁,无胸痛", Some(PatientSex::Male)),
        ("我妈75岁,早上起来嘴有点歪", Some(PatientSex::Female)),
    ] {
        assert_eq!(ask(question).case.patient.sex, sex, "{question}");
    }
}

fn status(question: &str) -> Option<DrugStatus> {
    ask(question).case.drugs.first().map(|drug| drug.status)
}

#[test]
fn a_drug_that_was_stopped_in_chinese_is_stopped() {
    for question in [
        "2型糖尿病,自行停胰岛素2天,口渴多尿",
        "男,60岁,自行停美托洛尔2天,心慌胸闷",
        "停了华法林一周,左腿肿",
        "停掉华法林一周,左腿肿",
        "美托洛尔停了3天,心慌",
        "华法林停2天,左腿肿",
        "自行停华法林一周,左腿肿,怎么办?",
        "因不能耐受自行停美托洛尔2天,心慌",
        "胃不适停美托洛尔2天,心慌",
    ] {
        assert_eq!(status(question), Some(DrugStatus::Stopped), "{question}");
    }
    for question in [
        "能直接停掉氯硝西泮吗,吃了两年",
        "吃美托洛尔三年了,要不要停美托洛尔",
        "一直吃华法林,没停华法林,鼻子出血",
        "直接停掉氯硝西泮可以吗",
        "心脏骤停肾上腺素1mg静推",
    ] {
        assert_ne!(status(question), Some(DrugStatus::Stopped), "{question}");
    }
}

#[test]
fn too_much_of_a_drug_that_was_stopped_does_not_lead() {
    let trace = ask("停了华法林一周,左腿肿");
    assert_ne!(entities(&trace, AnswerPart::Conditions).first(), Some(&"Over-anticoagulation"), "{}", trace.answer.text);
    let trace = ask("Woman 82, stopped digoxin, now vomiting, yellow vision, pulse 38. What is it?");
    assert!(entities(&trace, AnswerPart::Conditions).contains(&"Digoxin toxicity"), "it stays for days: {}", trace.answer.text);
    let trace = ask("Takes digoxin, now nausea, yellow vision and a slow pulse. What is it?");
    assert!(entities(&trace, AnswerPart::Conditions).contains(&"Digoxin toxicity"), "{}", trace.answer.text);
}

#[test]
fn who_bleeds_or_has_a_rash_is_not_told_to_go_on() {
    for question in ["吃华法林,鼻子一直出血,能停吗", "吃他汀两周了,全身起皮疹,要不要停", "怀孕8周,吃异维A酸,要停吗"]
    {
        let trace = ask(question);
        assert!(!trace.answer.text.contains("骤停"), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn a_denied_allergy_is_no_drug_in_play() {
    assert_eq!(status("青霉素不过敏,肺炎,用什么"), None);
    assert_eq!(drug(&ask("青霉素过敏,肺炎,用什么"), "Benzylpenicillin"), Some(DrugStatus::Allergic));
    assert_eq!(drug(&ask("对青霉素不过敏,能用阿莫西林吗"), "Amoxicillin"), Some(DrugStatus::Proposed));
}

#[test]
fn months_weeks_and_days_behind_the_sex_of_a_child_are_its_age() {
    let age = |question: &str| ask(question).case.patient.age_months.map(|age| (age.from, age.to));
    for (question, months) in [
        ("患儿,男,2月,发热38.5℃半天", 2),
        ("患儿，男，9个月，发热", 9),
        ("患儿,女,10月,咳嗽2天,无发热", 10),
        ("患儿,男,1个半月,呕吐", 1),
        ("女婴,20天,体温38.2,吃奶差", 0),
        ("男婴45天，发热", 1),
        ("患儿，女，6周，发热", 1),
        ("新生儿，男，12天，黄疸", 0),
    ] {
        assert_eq!(age(question), Some((months, months)), "{question}");
    }
    for question in [
        "女，10天前起病，咳嗽",
        "女，3月前出现咳嗽",
        "男，2天，胸痛",
        "患儿，男，咳嗽2月，无发热",
        "患儿，男，发热，2天，咳嗽",
        "女，3个月没来月经",
        "女，停经2月，腹痛",
    ] {
        assert!(age(question).is_none_or(|(from, to)| from != to), "{question}: {:?}", age(question));
    }
    assert_eq!(age("男，32岁，2月，咳嗽"), Some((32 * 12, 32 * 12)));
    let level = |question: &str| ask(question).urgency.level;
    assert_eq!(level("患儿,男,2月,发热38.5℃半天"), Some(UrgencyLevel::Emergency));
    assert_ne!(level("患儿,男,9月,发热38.5℃半天"), Some(UrgencyLevel::Emergency));
}

#[test]
fn small_words_between_a_part_and_its_state_are_bridged() {
    for (question, name) in [
        ("吃了花生,嗓子有点紧", "Throat tightness"),
        ("被蜂蜇了,嘴唇有点发胀", "Swelling of lips"),
        ("蜜蜂蜇后头也晕", "Dizziness"),
        ("吃他汀两周了,大腿有点酸", "Muscle pain"),
    ] {
        let trace = ask(question);
        assert!(trace.case.findings.iter().any(|of| of.status == FindingStatus::Present), "{question}: {:?}", trace.case);
        assert!(finding(&trace, name).is_some() || name == "Swelling of lips", "{question}: {:?}", trace.case.findings);
    }
    let trace = ask("孩子吃果冻呛了一下,现在喘气有点响");
    assert!(!trace.case.findings.is_empty(), "{:?}", trace.case);
}

#[test]
fn a_planned_pregnancy_leads_no_answer_beside_a_drug() {
    let trace = ask("备孕查出怀孕5周,我一直在吃治痤疮的异维A酸,怎么办");
    assert!(!entities(&trace, AnswerPart::Treatments).contains(&"Folic acid"), "{}", trace.answer.text);
    assert_ne!(condition(&trace, "Planning pregnancy"), Some(ConditionStatus::Suspected));
}

#[test]
fn bile_acids_and_kidney_function_are_results() {
    let trace = ask("女,31岁,孕30周,全身瘙痒,无皮疹,总胆汁酸 48 μmol/L");
    assert!(trace.case.results.iter().any(|of| of.test == "bile acids" && of.value == Some(48.0)), "{:?}", trace.case.results);
    let trace = ask("肾功能正常,痛风,十二指肠溃疡,选什么药");
    assert!(trace.case.results.iter().any(|of| of.test == "renal function"), "{:?}", trace.case.results);
}

#[test]
fn an_emergency_of_a_relative_is_one_whatever_the_asker_has() {
    for question in [
        "My mother has crushing chest pain. I have diabetes. What should we do?",
        "My wife has a thunderclap headache. I have asthma.",
        "My wife has anaphylaxis. I've got an EpiPen. What now?",
    ] {
        let trace = ask(question);
        assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
    }
    let trace = ask("My father had a stroke at 50. I have a mild headache today. What is it?");
    assert_ne!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{}", trace.answer.text);
}
