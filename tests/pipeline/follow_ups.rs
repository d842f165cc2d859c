//! What a question means that follows another: the drugs that the answer before it offers.

use catena::model::CancelToken;
use catena::run::{AnswerPart, AskOptions, DrugStatus, Trace};

use crate::starter::{ask, drug, lines};
use crate::support::engine::ENGINE;

/// The answer to a question that follows another.
fn follow(before: &Trace, question: &str) -> Trace {
    let options = AskOptions { follows: Some(before.case_to_follow()), ..AskOptions::default() };
    let mut trace = Trace::default();
    ENGINE.run(question, options, &CancelToken::new(), &mut |event| {
        trace.apply(&event);
        true
    });
    trace
}

#[test]
fn a_follow_up_checks_the_drugs_that_were_offered() {
    let before = ask("Treatment of stable angina?");
    for question in
        ["Which of these is safe in asthma?", "He has asthma: can he have any of them?", "Is any of those contraindicated with asthma?"]
    {
        let trace = follow(&before, question);
        assert_eq!(drug(&trace, "Beta blocker"), Some(DrugStatus::Proposed), "{question}: {:?}", trace.case.drugs);
        let safety = lines(&trace, AnswerPart::Safety);
        assert!(safety.contains("Beta blocker in Asthma: contraindicated"), "{question}: {}", trace.answer.text);
        assert!(trace.answer.text.contains("considers"), "the reading says so: {}", trace.answer.text);
    }
    let chinese = ask("偏头痛怎么治疗？");
    for question in ["哪种对孕妇安全？", "这些药孕妇能用吗？"] {
        let trace = follow(&chinese, question);
        assert_eq!(drug(&trace, "Ibuprofen"), Some(DrugStatus::Proposed), "{question}: {:?}", trace.case);
        assert!(trace.answer.text.contains("拟用：布洛芬"), "{}", trace.answer.text);
    }
}

#[test]
fn what_means_none_of_them_takes_none_over() {
    let before = ask("Treatment of stable angina?");
    for question in ["And which tests?", "Is sildenafil safe for him?", "Are these symptoms dangerous?", "He also has asthma."] {
        let trace = follow(&before, question);
        assert_eq!(drug(&trace, "Statin"), None, "{question}: {:?}", trace.case.drugs);
    }
    let of_both = follow(&before, "Can he have these with sildenafil?");
    assert!(drug(&of_both, "Sildenafil").is_some() && drug(&of_both, "Glyceryl trinitrate").is_some(), "{:?}", of_both.case.drugs);
}
