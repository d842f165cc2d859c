//! The doctor corrects how the question was read, and continues the case with another question.

use std::sync::Arc;
use std::time::Duration;

use catena::run::{
    AnswerLine, AnswerPart, AskKind, Case, CaseCorrection, ConditionStatus, DrugStatus, EntityCard, Event, EventKind, FindingStatus, Stage,
    Triage,
};
use catena::tui::{Effect, Reply, TuiError, run_on};
use ratatui::Terminal;

use crate::case_run;
use crate::cells::SharedBackend;
use crate::harness::{Bench, Script, fingers, key, options};
use crate::look;

fn answered() -> Bench {
    let mut bench = Bench::new(160, 48);
    bench.press(&["alt+1"]).run(&case_run::answered("a"));
    while bench.app.next_effect().is_some() {}
    bench
}

/// The case that a follow-up continues: with what the answer offers.
fn followed() -> Case {
    Case { offered: vec!["Omeprazole".into()], warned_before: Some(Box::new(case_run::alarm())), ..case_run::case() }
}

/// The revision that the screen asks for.
fn wanted(bench: &mut Bench) -> Option<(Triage, Stage)> {
    let mut wanted = None;
    while let Some(effect) = bench.app.next_effect() {
        if let Effect::Revise { triage, from, .. } = effect {
            wanted = Some(((*triage).clone(), from));
        }
    }
    wanted
}

/// The typed words are taken without being read.
fn taken(bench: &mut Bench) {
    while let Some(effect) = bench.app.next_effect() {
        if let Effect::ReadWords(text) = effect {
            bench.app.on_reply(Reply::WordsRead { text, told: None });
        }
    }
    bench.draw();
}

/// What is to be recorded of the run.
fn recorded(bench: &mut Bench) -> Vec<Event> {
    let mut recorded = Vec::new();
    while let Some(effect) = bench.app.next_effect() {
        if let Effect::Record(events) = effect {
            recorded.extend(events);
        }
    }
    recorded
}

#[test]
fn a_corrected_finding_carries_the_run_on_and_undo_takes_it_back() {
    let mut bench = answered();
    bench.press(&["c"]);
    let screen = bench.screen();
    for shown in
        ["✓  nausea   present", "✗  fever   absent", "✓  pulse 42 (low)", "amiodarone (1 week)   newly started", "Asks, in this order"]
    {
        assert!(screen.contains(shown), "{shown:?}\n{screen}");
    }
    look::assert_selected(&bench, "✓  nausea");
    bench.press(&["space"]);
    assert!(bench.screen().contains("✗  nausea   absent   was: present"), "{}", bench.screen());
    assert_eq!(wanted(&mut bench), None, "nothing is decided before it is applied");
    bench.press(&["enter"]);
    let absent = CaseCorrection::Status { item: "Nausea".into(), status: FindingStatus::Absent };
    let (triage, from) = wanted(&mut bench).expect("the run goes on");
    assert_eq!((triage.case.as_slice(), from), ([absent].as_slice(), Stage::Read));
    bench.carry_on(&case_run::corrected("a", &triage));
    assert!(bench.screen().contains("nausea, no fever; pulse 42 (low)"), "the reading is the corrected one at once:\n{}", bench.screen());
    // The chains are the same, but the case is not: the answer is written again.
    let events = recorded(&mut bench);
    assert!(events.iter().any(|event| matches!(&event.what, catena::run::EventKind::Revised { triage, .. } if !triage.case.is_empty())));
    bench.press(&["r"]);
    assert_eq!(wanted(&mut bench).map(|(_, from)| from), Some(Stage::Read));
    bench.carry_on(&case_run::reread("a", &triage));
    assert_eq!(wanted(&mut bench), None, "and then it is up to date");
    bench.press(&["u"]);
    let (triage, from) = wanted(&mut bench).expect("undone");
    assert_eq!((triage, from), (Triage::default(), Stage::Read));
    bench.carry_on(&case_run::corrected("a", &Triage::default()));
    assert!(bench.screen().contains("· nausea;"), "{}", bench.screen());
}

#[test]
fn the_answer_to_a_corrected_case_is_regenerated_without_being_asked_for() {
    let mut bench = answered();
    bench.press(&["c", "x", "enter"]);
    let (triage, _) = wanted(&mut bench).expect("the run goes on");
    assert_eq!(triage.case, [CaseCorrection::Remove { item: "Nausea".into() }]);
    bench.carry_on(&case_run::corrected("a", &triage));
    assert_eq!(wanted(&mut bench).map(|(_, from)| from), Some(Stage::Read));
    bench.carry_on(&case_run::reread("a", &triage));
    assert_eq!(wanted(&mut bench), None);
    // What was removed is still listed, and can be taken back.
    bench.press(&["c", "down"]);
    assert!(bench.screen().contains("–  nausea   removed"), "{}", bench.screen());
    bench.press(&["x", "enter"]);
    let (triage, _) = wanted(&mut bench).expect("the run goes on");
    let mut case = case_run::case();
    case.correct(&triage.case);
    assert_eq!(case, case_run::case());
}

#[test]
fn a_finding_that_the_question_does_not_tell_is_added_by_its_name() {
    let mut bench = answered();
    // What is marked in the list stays while a name is looked up; Esc leads back to it.
    bench.press(&["c", "space", "+"]);
    assert!(bench.screen().contains("Add to the case, or type a correction"), "{}", bench.screen());
    bench.press(&["esc"]);
    assert!(bench.screen().contains("✗  nausea   absent   was: present"), "{}", bench.screen());
    bench.press(&["+"]).type_text("fat");
    let mut typed = Vec::new();
    while let Some(effect) = bench.app.next_effect() {
        if let Effect::Complete(name) = effect {
            typed.push(name);
        }
    }
    assert_eq!(typed, ["fat"]);
    let card = |name: &str, kind: &str| EntityCard { name: name.into(), kind: kind.into(), ..EntityCard::default() };
    let cards = vec![card("Fatty acid test", "test"), card("Fatigue", "symptom"), card("Fatal outcome", "risk_factor")];
    bench.app.on_reply(Reply::Entities { typed: "fat".into(), cards });
    bench.draw();
    assert!(bench.screen().contains("Fatigue"), "{}", bench.screen());
    assert!(!bench.screen().contains("Fatty acid") && !bench.screen().contains("Fatal outcome"), "{}", bench.screen());
    bench.press(&["enter"]);
    let screen = bench.screen();
    assert!(screen.contains("✓  fatigue   present   added") && screen.contains("✗  nausea   absent   was: present"), "{screen}");
    look::assert_selected(&bench, "✓  fatigue");
    assert_eq!(wanted(&mut bench), None, "nothing is decided before it is applied");
    bench.press(&["enter"]);
    let (triage, from) = wanted(&mut bench).expect("the run goes on");
    let status = |item: &str, status| CaseCorrection::Status { item: item.into(), status };
    let corrections = [status("Nausea", FindingStatus::Absent), status("Fatigue", FindingStatus::Present)];
    assert_eq!((triage.case.as_slice(), from), (corrections.as_slice(), Stage::Read));
    bench.carry_on(&case_run::corrected("a", &triage));
    assert!(bench.screen().contains("fatigue"), "{}", bench.screen());
    // From now on it is a finding like any other: it can be removed.
    bench.carry_on(&case_run::reread("a", &triage)).press(&["c"]);
    assert!(bench.screen().contains("✓  fatigue   present") && !bench.screen().contains("present   added"), "{}", bench.screen());
    bench.press(&["down", "down", "x", "enter"]);
    let (triage, _) = wanted(&mut bench).expect("the run goes on");
    let mut case = case_run::case();
    case.correct(&triage.case);
    assert!(case.findings.iter().all(|finding| finding.text != "Fatigue"), "{case:?}");
}

#[test]
fn drugs_and_conditions_are_added_and_their_status_is_changed() {
    let mut bench = answered();
    bench.press(&["c", "+"]).type_text("gout");
    while bench.app.next_effect().is_some() {}
    let card = |name: &str, kind: &str| EntityCard { name: name.into(), kind: kind.into(), ..EntityCard::default() };
    bench.app.on_reply(Reply::Entities { typed: "gout".into(), cards: vec![card("Gout", "disease")] });
    bench.press(&["enter", "+"]).type_text("pen");
    while bench.app.next_effect().is_some() {}
    bench.app.on_reply(Reply::Entities { typed: "pen".into(), cards: vec![card("Penicillin antibiotic", "drug_class")] });
    // A drug that is added is taken; the same key goes on to the other ways in which a drug can be in play.
    bench.press(&["enter"]);
    assert!(bench.screen().contains("✓  penicillin antibiotic   taken   added"), "{}", bench.screen());
    bench.press(&["space", "space", "space", "space"]);
    let screen = bench.screen();
    assert!(screen.contains("!  penicillin antibiotic   allergy   added") && screen.contains("✓  gout   known   added"), "{screen}");
    // Amiodarone stands before it; it was read as newly started.
    bench.press(&["up"]);
    look::assert_selected(&bench, "✓  amiodarone (1 week)   newly started");
    bench.press(&["space", "space", "space", "space"]);
    assert!(bench.screen().contains("taken   was: newly started"), "{}", bench.screen());
    bench.press(&["enter"]);
    let (triage, from) = wanted(&mut bench).expect("the run goes on");
    assert_eq!(from, Stage::Read);
    let drug = |item: &str, status| CaseCorrection::Drug { item: item.into(), status };
    let gout = CaseCorrection::Condition { item: "Gout".into(), status: ConditionStatus::Known };
    let corrections = [drug("Amiodarone", DrugStatus::Taken), drug("Penicillin antibiotic", DrugStatus::Allergic), gout];
    assert_eq!(triage.case, corrections);
    bench.carry_on(&case_run::corrected("a", &triage));
    assert!(bench.screen().contains("allergic to penicillin"), "{}", bench.screen());
}

#[test]
fn a_value_is_corrected_in_words_as_they_are_typed() {
    let mut bench = answered();
    bench.press(&["c", "down", "down"]);
    look::assert_selected(&bench, "✓  pulse 42");
    // The test is written already; only the value is left to type.
    bench.press(&["e"]);
    assert!(bench.screen().contains("Type a correction") && bench.screen().contains("▸ pulse "), "{}", bench.screen());
    bench.type_text("72");
    assert!(bench.screen().contains("“pulse 72”   replaces: pulse 42"), "{}", bench.screen());
    assert!(bench.app.next_effect().is_none(), "no name of the graph is looked up");
    // The key that empties a field empties this one, and nothing else.
    bench.press(&["ctrl+l"]);
    assert!(bench.screen().contains("Type a correction such as"), "{}", bench.screen());
    bench.type_text("pulse 72");
    bench.press(&["enter"]);
    taken(&mut bench);
    let screen = bench.screen();
    assert!(screen.contains("✓  “pulse 72”   added") && screen.contains("✓  pulse 42 (low)   your corrections below"), "{screen}");
    look::assert_selected(&bench, "✓  “pulse 72”");
    assert_eq!(wanted(&mut bench), None, "nothing is decided before it is applied");
    bench.press(&["enter"]);
    let (triage, from) = wanted(&mut bench).expect("the run goes on");
    let corrections = [CaseCorrection::Words { text: "pulse 72".into() }];
    assert_eq!((triage.case.as_slice(), from), (corrections.as_slice(), Stage::Read));
    // It stays in the list, and can be taken out again.
    bench.carry_on(&case_run::corrected("a", &triage)).carry_on(&case_run::reread("a", &triage)).press(&["c"]);
    // Nausea is selected; fever, pulse, digoxin, amiodarone and what was not understood stand between.
    while bench.screen().contains("✓  “pulse 72”") {
        bench.press(&["down", "x"]);
        if bench.screen().contains("✓  “pulse 72”") {
            bench.press(&["x"]);
        }
    }
    bench.press(&["enter"]);
    let (triage, _) = wanted(&mut bench).expect("the run goes on");
    assert_eq!(triage, Triage::default());
    // The name of the test alone takes the value out of no case.
    let mut bench = answered();
    bench.press(&["c", "down", "down", "e", "enter", "enter"]);
    assert_eq!(wanted(&mut bench), None, "{}", bench.screen());
}

#[test]
fn words_that_are_no_value_are_offered_behind_the_names_that_fit() {
    let mut bench = answered();
    bench.press(&["c", "+"]).type_text("gout");
    while bench.app.next_effect().is_some() {}
    let card = EntityCard { name: "Gout".into(), kind: "disease".into(), ..EntityCard::default() };
    bench.app.on_reply(Reply::Entities { typed: "gout".into(), cards: vec![card] });
    bench.draw();
    let screen = bench.screen();
    let row = |text: &str| screen.lines().position(|line| line.contains(text));
    assert!(row("Gout   disease") < row("“gout”   use these words") && row("“gout”   use these words").is_some(), "{screen}");
    bench.press(&["down", "enter"]);
    taken(&mut bench);
    assert!(bench.screen().contains("“gout”   added"), "{}", bench.screen());
}

#[test]
fn what_is_asked_is_chosen_in_order_and_esc_corrects_nothing() {
    let mut bench = answered();
    bench.press(&["c", "end", "home"]);
    let diagnosis = bench.screen().lines().position(|row| row.contains("diagnosis"));
    assert!(diagnosis.is_some() || bench.screen().contains("nausea"), "{}", bench.screen());
    // The patient and five items come before what can be asked: diagnosis, tests, treatment …
    bench
        .press(&["down", "down", "down", "down", "down", "down", "down", "space", "down", "down", "down", "down", "down", "down", "space"]);
    bench.press(&["enter"]);
    let (triage, _) = wanted(&mut bench).expect("the run goes on");
    assert_eq!(triage.case, [CaseCorrection::Asks { kinds: vec![AskKind::Tests] }], "the cause is no longer asked");
    let mut bench = answered();
    bench.press(&["c", "space", "down", "x", "esc"]);
    assert_eq!(wanted(&mut bench), None);
    bench.press(&["c", "enter"]);
    assert!(bench.screen().contains("Nothing is corrected."), "{}", bench.screen());
    bench.press(&["c", "down", "down", "a"]);
    assert!(bench.screen().contains("Only a finding or condition is present or absent."), "{}", bench.screen());
}

fn asked(bench: &mut Bench) -> Option<(String, Option<Arc<Case>>)> {
    let mut asked = None;
    while let Some(effect) = bench.app.next_effect() {
        if let Effect::Ask { question, follows, .. } = effect {
            asked = Some((question, follows));
        }
    }
    asked
}

#[test]
fn a_follow_up_continues_the_case_and_only_that_one() {
    let mut bench = answered();
    bench.press(&["F"]);
    assert!(bench.screen().contains("follow-up of this case"), "{}", bench.screen());
    bench.type_text("and her potassium is 2.9?").press(&["enter"]);
    let (question, follows) = asked(&mut bench).expect("is asked");
    assert_eq!((question.as_str(), follows.as_deref()), ("and her potassium is 2.9?", Some(&followed())));
    bench.run(&case_run::answered("b"));
    bench.press(&["i"]).press(&["ctrl+l"]).type_text("cough?").press(&["enter"]);
    assert_eq!(asked(&mut bench), Some(("cough?".into(), None)), "the next question stands alone");
    for cancel in [["F", "esc"], ["F", "ctrl+l"]] {
        let mut bench = answered();
        bench.press(&cancel).press(&["i"]).press(&["ctrl+l"]).type_text("cough?").press(&["enter"]);
        assert_eq!(asked(&mut bench).map(|(_, follows)| follows), Some(None), "{cancel:?}");
    }
}

#[test]
fn a_follow_up_that_puts_another_condition_first_says_so() {
    for changes in [true, false] {
        let mut bench = answered();
        bench.press(&["F"]).type_text("and her potassium is 2.9?").press(&["enter"]);
        let mut events = case_run::answered("b");
        for event in &mut events {
            if let (EventKind::AnswerFinished { answer }, true) = (&mut event.what, changes) {
                let is_condition = |line: &AnswerLine| line.part == AnswerPart::Conditions;
                let first = answer.lines.iter().position(is_condition).expect("a condition");
                answer.lines.swap(first, first + 1);
            }
        }
        bench.run(&events).press(&["m"]);
        assert_eq!(bench.screen().contains("After this follow-up, Peptic ulcer comes first"), changes, "{}", bench.screen());
    }
}

#[test]
fn a_follow_up_that_is_edited_still_continues_its_case() {
    let mut bench = Bench::new(160, 48);
    let mut events = case_run::answered("a");
    let follows = Event { what: EventKind::Followed { case: Arc::new(followed()) }, ..events[1].clone() };
    events.insert(1, follows);
    bench.press(&["alt+1"]).run(&events);
    while bench.app.next_effect().is_some() {}
    bench.press(&["e"]);
    assert!(bench.screen().contains("follow-up of this case"), "{}", bench.screen());
    bench.press(&["enter"]);
    assert_eq!(asked(&mut bench).and_then(|(_, follows)| follows).as_deref(), Some(&followed()));
}

#[tokio::test]
async fn the_engine_is_given_the_case_that_a_question_follows() {
    let screen = SharedBackend::new(160, 48);
    let engine = Arc::new(Script::default());
    let (input, stream) = fingers();
    let mut terminal = Terminal::new(screen.clone()).expect("a test terminal opens");
    let opened: Arc<dyn catena::run::Ask> = Arc::<Script>::clone(&engine);
    let running: tokio::task::JoinHandle<Result<(), TuiError>> =
        tokio::spawn(async move { run_on(&mut terminal, stream, async { Ok(opened.into()) }, options()).await });
    let press = |keys: &[&str]| keys.iter().for_each(|name| input.send(key(name)).expect("the loop listens"));
    screen.shows("642 entities").await;
    press(&["alt+1"]);
    engine.run(0).await.play(&case_run::answered("run-0")).await;
    screen.shows("⚠ Emergency").await;
    press(&["F"]);
    screen.shows("follow-up of this case").await;
    press(&["w", "h", "y", "?", "enter"]);
    let second = engine.run(1).await;
    assert_eq!((second.question.as_str(), second.follows.as_deref()), ("why?", Some(&followed())));
    press(&["ctrl+c"]);
    tokio::time::timeout(Duration::from_secs(2), running).await.expect("the loop ends").expect("no panic").expect("no error");
}

#[test]
fn after_a_correction_the_answer_is_read_from_its_beginning() {
    let mut bench = answered();
    let copied = |bench: &mut Bench| {
        bench.press(&["y"]);
        let mut copied = None;
        while let Some(effect) = bench.app.next_effect() {
            if let Effect::Copy(text) = effect {
                copied = Some(text);
            }
        }
        copied.expect("a line is copied")
    };
    bench.press(&["end"]);
    assert!(!copied(&mut bench).starts_with("Digoxin with Amiodarone"));
    // Wherever the doctor was: the answer is what follows from the correction.
    bench.press(&["5", "c", "space", "enter"]);
    let (triage, _) = wanted(&mut bench).expect("the run goes on");
    bench.carry_on(&case_run::corrected("a", &triage)).carry_on(&case_run::reread("a", &triage));
    assert!(copied(&mut bench).starts_with("Emergency"), "{}", bench.screen());
}

#[test]
fn a_decision_that_takes_a_warning_out_of_the_answer_says_so() {
    let rejected = |without: bool| {
        let mut bench = answered();
        bench.press(&["5", "x"]);
        let (triage, _) = wanted(&mut bench).expect("the run goes on");
        let mut events = case_run::reread("a", &triage);
        for event in &mut events {
            if let catena::run::EventKind::AnswerFinished { answer } = &mut event.what {
                answer.lines.retain(|line| !without || line.part != catena::run::AnswerPart::Safety);
            }
        }
        bench.carry_on(&events);
        bench
    };
    let lost = "Your decision removed a warning from the answer";
    let bench = rejected(true);
    assert!(bench.screen().contains(lost) && !bench.screen().contains("· unchanged"), "{}", bench.screen());
    let bench = rejected(false);
    assert!(!bench.screen().contains(lost) && bench.screen().contains("· unchanged"), "{}", bench.screen());
}
