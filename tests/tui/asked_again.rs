//! A question that is asked again: corrections of its reading hold again by themselves, decisions about chains by a key; and what rejecting a chain
//! does to the numbers of the others.

use std::sync::Arc;

use catena::run::{CaseCorrection, Event, EventKind, FindingStatus, Outcome, Stage, Triage};

use crate::case_run;
use crate::harness::Bench;
use crate::support::sample;

fn absent() -> CaseCorrection {
    CaseCorrection::Status { item: "Nausea".into(), status: FindingStatus::Absent }
}

/// A run of which the reading was corrected, and, if `rejects`, a chain rejected.
fn corrected(rejects: bool) -> Bench {
    let mut bench = Bench::new(160, 48);
    bench.press(&["alt+1"]).run(&case_run::answered("a"));
    bench.effects();
    bench.press(&["c", "space", "enter"]);
    let triage = bench.decided().expect("the run goes on");
    bench.carry_on(&case_run::corrected("a", &triage)).carry_on(&case_run::reread("a", &triage));
    if rejects {
        bench.press(&["5", "home", "x"]);
        let triage = bench.decided().expect("the run goes on");
        bench.carry_on(&case_run::reread("a", &triage));
    }
    bench.effects();
    bench
}

#[test]
fn corrections_of_the_reading_hold_again_in_a_run_of_the_same_question() {
    let mut bench = corrected(false);
    bench.press(&["e", "enter"]);
    assert!(bench.screen().contains("Your corrections are kept: Catena applies them"), "{}", bench.screen());
    bench.run(&case_run::answered("b"));
    let triage = bench.decided().expect("the reading is corrected without being asked for");
    assert_eq!(triage.case, [absent()]);
    bench.carry_on(&case_run::corrected("b", &triage)).carry_on(&case_run::reread("b", &triage));
    assert!(bench.screen().contains("Your corrections apply again; u removes them."), "{}", bench.screen());
    assert!(bench.screen().contains("nausea, no fever"), "{}", bench.screen());
    bench.press(&["u"]);
    assert_eq!(bench.decided().map(|triage| triage.is_empty()), Some(true), "and the doctor can remove them");
    // Removed once, they do not come back.
    bench.carry_on(&case_run::corrected("b", &Triage::default())).carry_on(&case_run::reread("b", &Triage::default()));
    bench.press(&["e", "enter"]).run(&case_run::answered("c"));
    assert_eq!(bench.decided(), None);
}

#[test]
fn of_other_decisions_it_is_said_which_are_left_behind() {
    let mut bench = corrected(true);
    bench.press(&["e", "enter"]).run(&case_run::answered("b"));
    let triage = bench.decided().expect("the run goes on");
    assert_eq!((triage.case.len(), triage.rejected.len()), (1, 0));
    bench.carry_on(&case_run::corrected("b", &triage)).carry_on(&case_run::reread("b", &triage));
    let said = "Your corrections apply again; u removes them. Not carried over: rejected chains; Ctrl+R restores them.";
    assert!(bench.screen().contains(said), "{}", bench.screen());
    bench.press(&["ctrl+r"]);
    assert_eq!(bench.decided().map(|triage| (triage.case.len(), triage.rejected.len())), Some((1, 1)));
}

#[test]
fn another_question_has_no_corrections_of_this_one() {
    // In other words: they are offered.
    let mut bench = corrected(false);
    bench.press(&["e"]).type_text(" In short?").press(&["enter"]);
    assert!(bench.screen().contains("Not carried over: corrections to the case; Ctrl+R restores them."), "{}", bench.screen());
    bench.run(&case_run::answered("b"));
    assert_eq!(bench.decided(), None);
    bench.press(&["ctrl+r"]);
    assert_eq!(bench.decided().map(|triage| triage.case), Some(vec![absent()]));
    // As a follow-up, the same words are about another case.
    let mut bench = corrected(false);
    let question = sample::answered("a").iter().find_map(|event| match &event.what {
        EventKind::RunStarted { question, .. } => Some(question.clone()),
        _ => None,
    });
    bench.press(&["F"]).type_text(&question.expect("is asked")).press(&["enter"]).run(&case_run::answered("b"));
    assert_eq!(bench.decided().map(|triage| triage.case), None);
    // A run that was stopped is not taken up again.
    let mut bench = corrected(false);
    bench.press(&["e", "enter"]);
    let mut stopped = case_run::searching("b");
    stopped.push(Event { what: EventKind::RunFinished { outcome: Outcome::Cancelled, total_ms: 3.0 }, ..stopped[0].clone() });
    bench.run(&stopped);
    assert_eq!(bench.decided(), None);
    bench.press(&["e", "enter"]).run(&case_run::answered("c"));
    assert_eq!(bench.decided().map(|triage| triage.case), Some(vec![absent()]), "but they are not lost");
}

/// The run after its best chain was rejected: the others move up, and the answer cites them by their new numbers or, if `same`, says the same of the
/// same chains.
fn without_the_best(triage: &Triage, same: bool) -> Vec<Event> {
    let mut events = case_run::reread("a", triage);
    let pruned = sample::answered("a").into_iter().find_map(|event| match event.what {
        EventKind::ChainsPruned { pruning } => Some(pruning),
        _ => None,
    });
    let mut pruning = (*pruned.expect("is there")).clone();
    if !same {
        pruning.kept.remove(0);
    }
    let revised = EventKind::Revised { triage: Arc::new(triage.clone()), from: Stage::Prune };
    let chosen = EventKind::ChainsPruned { pruning: Arc::new(pruning) };
    let run = events[0].clone();
    events[0].what = revised;
    events.insert(1, Event { what: chosen, ..run });
    events
}

#[test]
fn a_rejected_chain_is_said_to_be_cited_no_longer_though_another_has_its_number() {
    for same in [false, true] {
        let mut bench = Bench::new(160, 48);
        bench.press(&["alt+1"]).run(&case_run::answered("a"));
        bench.effects();
        bench.press(&["5", "home", "x"]);
        let triage = bench.decided().expect("the run goes on");
        bench.carry_on(&without_the_best(&triage, same));
        let screen = bench.screen();
        let said = "Rejected (u undoes it). Its line stays: chain [1] states it too.";
        assert_eq!(screen.contains(said), !same, "{screen}");
        assert_eq!(screen.contains("· unchanged"), same, "{screen}");
    }
}
