//! What a doctor who sees only the screen could take for something else, or for nothing.

use std::path::PathBuf;

use catena::run::{AnswerPart, EngineInfo, Event, EventKind, NotUnderstood, Outcome, Triage};
use catena::tui::{Effect, ScreenLayout, TuiOptions};

use crate::case_run;
use crate::harness::{Bench, options};
use crate::lessons;
use crate::support::sample::{self, line};

fn answered(script: &[Event]) -> Bench {
    let mut bench = Bench::new(160, 48);
    bench.press(&["alt+1"]).run(script);
    bench.effects();
    bench
}

/// Where a report is written.
fn exported(bench: &mut Bench) -> Option<PathBuf> {
    bench.effects().into_iter().find_map(|effect| match effect {
        Effect::Export { path, .. } => Some(path),
        _ => None,
    })
}

#[test]
fn the_hypothesis_from_before_a_correction_says_so_and_undo_takes_that_back() {
    let mut bench = answered(&case_run::answered("a"));
    assert!(bench.screen().contains("2 Hypothesis from the graph"), "{}", bench.screen());
    bench.press(&["c", "space", "enter"]);
    let triage = bench.decided().expect("the run goes on");
    bench.carry_on(&case_run::corrected("a", &triage)).carry_on(&case_run::reread("a", &triage));
    assert!(bench.screen().contains("2 Hypothesis before correction"), "{}", bench.screen());
    bench.press(&["u"]);
    bench.carry_on(&case_run::corrected("a", &Triage::default())).carry_on(&case_run::reread("a", &Triage::default()));
    assert!(bench.screen().contains("2 Hypothesis from the graph"), "{}", bench.screen());
}

#[test]
fn a_path_of_its_own_takes_the_place_of_the_proposed_name() {
    for path in ["/tmp/ward/round.html", "~/round.html"] {
        let mut bench = answered(&sample::answered("a"));
        bench.press(&["space", "e", "enter"]).type_text(path);
        assert!(!bench.row_with("File: ").contains("catena-i-feel"), "{}", bench.screen());
        bench.press(&["enter"]);
        let written = exported(&mut bench).expect("it is written");
        assert!(written.ends_with(path.trim_start_matches("~/").trim_start_matches('/')), "{}", written.display());
        assert!(written.is_absolute() && !written.to_string_lossy().contains("catena-i-feel"), "{}", written.display());
    }
    // Elsewhere in the line both are letters like any other.
    let mut bench = answered(&sample::answered("a"));
    bench.press(&["space", "e", "enter", "home"]).type_text("ward/");
    assert!(bench.row_with("File: ").contains("ward/catena-i-feel"), "{}", bench.screen());
    assert!(bench.row_with("Path: ").contains("ward/catena-i-feel"), "{}", bench.screen());
}

#[test]
fn that_a_recording_plays_is_said_no_longer_than_it_does() {
    let mut bench = answered(&sample::answered("a"));
    bench.press(&["space", "p", "a"]);
    assert!(bench.screen().contains("A recording is playing."), "{}", bench.screen());
    bench.press(&["esc"]);
    assert!(!bench.screen().contains("A recording is playing."), "{}", bench.screen());
}

#[test]
fn ctrl_u_empties_what_is_typed() {
    let mut bench = answered(&sample::answered("a"));
    bench.press(&["space", "e", "enter"]);
    assert!(bench.screen().contains("Ctrl+L empties the line") && !bench.screen().contains("Ctrl+U"), "one key for all fields");
    bench.press(&["ctrl+l"]);
    assert!(!bench.screen().contains("catena-i-feel"), "{}", bench.screen());
    let mut bench = answered(&sample::answered("a"));
    bench.press(&["space", "e", "enter", "ctrl+u"]);
    assert!(!bench.screen().contains("catena-i-feel") && !bench.screen().contains("It becomes"), "{}", bench.screen());
    bench.type_text("a.md").press(&["enter"]);
    assert!(exported(&mut bench).is_some_and(|path| path.ends_with("a.md")));
    bench.press(&["i"]).type_text("fever and").press(&["ctrl+u"]).type_text("cough").press(&["enter"]);
    let asked = bench.effects().into_iter().find_map(|effect| match effect {
        Effect::Ask { question, .. } => Some(question),
        _ => None,
    });
    assert_eq!(asked.as_deref(), Some("cough"));
}

#[test]
fn methods_of_documents_are_not_offered_without_any() {
    let choose = |bench: &mut Bench, name: &str| {
        bench.press(&[":"]).type_text("method").press(&["enter"]).type_text(name);
    };
    let is_refused = |bench: &Bench, name: &str| {
        let screen = bench.screen();
        screen.lines().any(|line| line.contains(name) && line.contains("needs documents: catena docs import") && line.contains("not now"))
    };
    for name in ["idep", "bm25", "vector", "graphrag"] {
        let mut bench = Bench::new(160, 48);
        choose(&mut bench, name);
        assert!(is_refused(&bench, name), "{}", bench.screen());
        bench.press(&["enter"]);
        assert!(bench.screen().contains("then restart Catena"), "{}", bench.screen());
        bench.app.engine_opened(Ok(EngineInfo { has_documents: true, ..sample::info() }));
        choose(&mut bench, name);
        assert!(!is_refused(&bench, name), "{}", bench.screen());
        bench.press(&["enter"]);
        assert!(bench.screen().contains(&format!("answered by the method {name}")), "{}", bench.screen());
    }
}

/// A run of a method of documents where none are in use, with these kinds of lines.
fn without_documents(outcome: Outcome, parts: &[AnswerPart]) -> Vec<Event> {
    let mut events = case_run::answered("a");
    for event in &mut events {
        match &mut event.what {
            EventKind::RunStarted { method, .. } => *method = "bm25".into(),
            EventKind::AnswerFinished { answer } => {
                answer.lines.retain(|line| parts.contains(&line.part));
                answer.text = answer.lines.iter().map(|line| format!("{}\n", line.text)).collect();
                answer.text.push_str("\nThis method answers from documents, and none are in use.");
                answer.more.clear();
            }
            EventKind::RunFinished { outcome: ended, .. } => *ended = outcome.clone(),
            _ => {}
        }
    }
    events
}

#[test]
fn an_answer_without_documents_says_one_thing() {
    for (outcome, parts) in [
        (Outcome::NothingFound, [AnswerPart::ReadAs].as_slice()),
        (Outcome::Answered, &[AnswerPart::ReadAs, AnswerPart::Safety]),
        (Outcome::NothingFound, &[]),
    ] {
        let bench = answered(&without_documents(outcome, parts));
        let screen = bench.screen();
        assert_eq!(screen.matches("This method answers from documents").count(), 1, "{screen}");
        for other in ["in other words", "Try another name", "6 Answer no evidence"] {
            assert!(!screen.contains(other), "{other}:\n{screen}");
        }
    }
}

#[test]
fn what_to_do_leads_to_the_entry_that_says_it() {
    let mut events = case_run::answered("a");
    for event in &mut events {
        if let EventKind::AnswerFinished { answer } = &mut event.what {
            let at = answer.lines.iter().position(|line| line.part == AnswerPart::Summary).expect("is there") + 1;
            let care = line(AnswerPart::Care, "Peptic ulcer", "Peptic ulcer: Stop NSAIDs.", &[6]);
            answer.lines.insert(at, care);
        }
    }
    let mut bench = answered(&events);
    assert!(bench.screen().contains("(from the graph's entry)"), "{}", bench.screen());
    bench.press(&["6", "home"]);
    let mut steps = 0;
    while !bench.screen().contains("The entry of Peptic ulcer in the graph") {
        bench.press(&["j"]);
        steps += 1;
        assert!(steps < 10, "{}", bench.screen());
    }
    let screen = bench.screen();
    assert!(screen.contains("No chain states this.") && screen.contains("Why this chain? [6]"), "{screen}");
    // Whoever looks at the chain itself sees the chain.
    bench.press(&["5"]);
    assert!(bench.screen().contains("Why this chain? [6]") && !bench.screen().contains("The entry of"), "{}", bench.screen());
}

#[test]
fn a_question_that_is_asked_again_says_that_decisions_are_left_behind_and_redo_makes_them_again() {
    for more in ["", " In short?"] {
        let mut bench = answered(&sample::answered("a"));
        bench.press(&["5", "home", "x"]);
        assert!(bench.decided().is_some());
        bench.press(&["e"]).type_text(more).press(&["enter"]);
        let said = "Rejected chains are not carried over; Ctrl+R rejects them again.";
        assert!(bench.screen().contains(said), "{}", bench.screen());
        bench.run(&sample::answered("b"));
        assert_eq!(bench.decided(), None, "nothing is decided by itself");
        bench.press(&["ctrl+r"]);
        assert_eq!(bench.decided().map(|triage| triage.rejected.len()), Some(1));
    }
    // Another question has none to bring back, and says nothing of them.
    let mut bench = answered(&sample::answered("a"));
    bench.press(&["5", "home", "x", "i"]).type_text("cough?").press(&["enter"]);
    assert!(!bench.screen().contains("carried over"), "{}", bench.screen());
    bench.run(&sample::answered("b")).press(&["ctrl+r"]);
    assert!(bench.screen().contains("Nothing to redo."), "{}", bench.screen());
}

#[test]
fn a_low_screen_says_that_a_pane_has_all_of_it() {
    let mut bench = Bench::new(80, 24);
    bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["6", "z"]);
    assert!(bench.screen().contains("already fills the screen"), "{}", bench.screen());
    let before = bench.press(&["6"]).screen();
    bench.press(&["L", "6", "z"]);
    assert!(!bench.screen().contains("already fills the screen") && bench.screen() != before, "{}", bench.screen());
    let mut wide = answered(&sample::answered("a"));
    wide.press(&["6", "z"]);
    assert!(!wide.screen().contains("already fills the screen"), "{}", wide.screen());
}

#[test]
fn a_bar_stands_beside_every_line_that_is_selected() {
    let mut bench = Bench::new(80, 24);
    bench.press(&["alt+1"]).run(&case_run::answered("a")).press(&["6", "home"]);
    let mut steps = 0;
    while !bench.row_with("Best fit").contains('▌') {
        bench.press(&["j"]);
        steps += 1;
        assert!(steps < 6, "{}", bench.screen());
    }
}

#[test]
fn a_chain_that_is_explained_can_be_rejected_there() {
    let mut bench = answered(&sample::answered("a"));
    bench.press(&["6", "j", "enter"]);
    assert!(bench.row_with("? help").contains("x reject"), "{}", bench.screen());
    bench.press(&["x"]);
    assert!(bench.decided().is_some_and(|triage| triage.rejected.len() == 1));
}

#[test]
fn a_chain_that_is_kept_with_short_bars_says_why() {
    for (scores, said) in [(0.05, true), (0.6, false)] {
        let mut events = sample::answered("a");
        for event in &mut events {
            if let EventKind::ChainsPruned { pruning } = &mut event.what {
                let kept = std::sync::Arc::make_mut(pruning).kept.iter_mut();
                kept.flat_map(|kept| &mut kept.by_fragment).for_each(|score| *score = scores);
            }
        }
        let mut bench = answered(&events);
        bench.press(&["5", "home", "7", "z"]);
        assert_eq!(bench.screen().contains("The bars compare only words"), said, "{}", bench.screen());
    }
}

#[test]
fn words_that_were_not_understood_are_not_ticked() {
    let mut events = case_run::answered("a");
    for event in &mut events {
        if let EventKind::CaseRead { case } = &mut event.what {
            let word = NotUnderstood { text: "zorbing".into(), ..NotUnderstood::default() };
            std::sync::Arc::make_mut(case).not_understood = vec![word];
        }
    }
    let mut bench = answered(&events);
    bench.press(&["c"]);
    let row = bench.row_with("zorbing");
    assert!(row.contains("?  zorbing") && !row.contains('✓'), "{row}");
}

#[test]
fn the_last_stage_of_the_demo_says_that_it_is_the_last() {
    let mut bench = answered(&sample::answered("a"));
    bench.press(&["L", "L"]);
    for _ in 0..7 {
        bench.press(&["space"]);
        assert!(!bench.screen().contains("the last stage"), "{}", bench.screen());
    }
    bench.press(&["space"]);
    assert!(bench.screen().contains("This is the last stage. "), "{}", bench.screen());
}

#[test]
fn the_clock_of_a_replay_is_that_of_its_recording() {
    let events = sample::answered("a");
    let options = TuiOptions { recording: Some(events.clone()), layout: ScreenLayout::Demo, ..options() };
    let mut bench = Bench::without_engine(160, 48, &options);
    bench.begin(&events[0].run);
    for event in &events[..6] {
        bench.app.on_event(event);
    }
    let before = bench.wait(1).screen();
    let after = bench.wait(77_000).screen();
    assert!(before.contains("paused"), "{before}");
    assert_eq!(before, after, "what is paused does not go on");
}

#[test]
fn what_waits_is_counted_in_words_or_not_at_all() {
    for width in (80..=160).step_by(4) {
        let mut bench = Bench::new(width, 48);
        bench.app.on_reply(lessons::learning());
        bench.press(&["alt+1"]).run(&sample::searching("a"));
        let screen = bench.screen();
        let head = screen.lines().next().unwrap_or_default();
        assert!(!head.contains("? 3"), "{width}: {head}");
    }
}
