//! What a complaint, a value or an interaction means beside what else is told: few complaints name no condition, a normal value may be the alarm, what is
//! given together is no contraindication, and who is in hospital needs no ambulance.

use catena::run::{AnswerPart, ResultDirection, UrgencyLevel};

use crate::starter::{ask, lines};

#[test]
fn complaints_that_many_conditions_share_name_none_and_are_not_treated() {
    for question in [
        "weak and dizzy lately, what tablets can i take",
        "just don't feel right, tired all the time for weeks, 38, is there a tablet",
        "乏力、头晕两周，吃什么药？",
    ] {
        let trace = ask(question);
        let text = &trace.answer.text;
        assert!(!text.contains("Best fit") && !text.contains("最符合"), "{question}: {text}");
        assert!(text.contains("do not point to one condition") || text.contains("不能指向某一种疾病"), "{question}: {text}");
        assert!(lines(&trace, AnswerPart::Treatments).is_empty(), "{question}: {text}");
        assert!(!lines(&trace, AnswerPart::Conditions).is_empty(), "{question}: {text}");
    }
}

#[test]
fn what_else_is_told_beside_them_still_leads() {
    for question in [
        "tired, thirsty and peeing a lot, 30M",
        "dizzy when I stand up, tired, on ramipril",
        "cough and fever 2 days, what is it and what helps",
    ] {
        let trace = ask(question);
        assert!(!trace.answer.text.contains("do not point to one condition"), "{question}: {}", trace.answer.text);
    }
}

#[test]
fn a_normal_carbon_dioxide_of_somebody_who_tires_in_an_asthma_attack_is_an_alarm() {
    let trace = ask("Asthma attack, 24F, drowsy, PaCO2 5.2 kPa, sats 91% on 10 L. Next step?");
    let gas = trace.case.results.iter().find(|result| result.test == "pCO2").expect("a result");
    assert!(gas.critical && gas.direction != ResultDirection::Normal, "{}", trace.answer.text);
    assert!(trace.answer.text.contains("a sign of tiring"), "{}", trace.answer.text);
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency));
    let calm = ask("58M, stable COPD, PaCO2 5.2 kPa, sats 96%. Which inhaler?");
    assert!(!calm.answer.text.contains("a sign of tiring"), "{}", calm.answer.text);
}

#[test]
fn what_is_given_together_for_the_illness_is_accepted_and_what_is_not_stays() {
    let trace = ask("NSTEMI, stented yesterday, on aspirin and clopidogrel. Ok together?");
    assert!(lines(&trace, AnswerPart::Safety).contains("accepted in Non-ST-elevation"), "{}", trace.answer.text);
    let trace = ask("On aspirin and clopidogrel. Ok together?");
    let said = lines(&trace, AnswerPart::Safety);
    assert!(said.contains("Clopidogrel") && !said.contains("accepted"), "{}", trace.answer.text);
}

#[test]
fn who_is_treated_in_hospital_is_told_to_call_no_ambulance() {
    let urgent = |question: &str| ask(question).urgency.text.clone().unwrap_or_default().to_lowercase();
    let ward = urgent("On the ward: 70M, NEWS 8, T 38.9, BP 85/50, lactate 4.5, on 10 L oxygen, bloods sent. What is it and what next?");
    assert!(ward.contains("senior help") && !ward.contains("emergency services") && !ward.contains("ambulance"), "{ward}");
    let home = urgent("70M at home, T 38.9, BP 85/50, confused, shivering. What is it and what next?");
    assert!(!home.contains("senior help"), "{home}");
}
