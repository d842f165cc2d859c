//! Keys that fingers know: they do what other programs taught, and nothing to what is not seen.

use catena::tui::{Effect, ScreenLayout, TuiOptions};
use crossterm::event::{Event as Input, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use crate::harness::{Bench, options};
use crate::lessons;
use crate::support::sample;

fn answered() -> Bench {
    let mut bench = Bench::new(160, 48);
    bench.app.on_reply(lessons::learning());
    bench.press(&["alt+1"]).run(&sample::answered("a"));
    while bench.app.next_effect().is_some() {}
    bench
}

pub(crate) fn click(bench: &mut Bench, text: &str) {
    let screen = bench.screen();
    let (y, line) = screen.lines().enumerate().find(|(_, line)| line.contains(text)).expect("it is on the screen");
    let x = line.chars().position(|c| c == text.chars().next().expect("a text")).expect("it is in its line");
    let kind = MouseEventKind::Down(MouseButton::Left);
    bench.app.on_input(Input::Mouse(MouseEvent { kind, column: x as u16, row: y as u16, modifiers: KeyModifiers::NONE }));
    bench.draw();
}

#[test]
fn a_click_on_an_example_asks_it() {
    let mut bench = Bench::new(160, 48);
    click(&mut bench, "Throbbing one-sided");
    assert!(bench.effects().iter().any(|effect| matches!(effect, Effect::Ask { question, .. } if question.starts_with("Throbbing"))));
}

#[test]
fn hints_of_the_first_screen_work_on_it() {
    let mut bench = Bench::new(160, 48);
    bench.press(&["space", "h"]);
    assert!(bench.effects().contains(&Effect::ListSessions) && bench.screen().contains("Earlier runs"));
    // What no sequence goes on with is typed after all.
    let mut bench = Bench::new(160, 48);
    bench.press(&["space", "x"]).type_text("yz");
    assert!(bench.screen().contains(" xyz"), "{}", bench.screen());
    // In the editor, the messages have a key that is not a letter.
    bench.press(&["ctrl+l"]).type_text("fever");
    bench.app.on_reply(catena::tui::Reply::Note { text: "one".into(), failed: true });
    bench.app.on_reply(catena::tui::Reply::Note { text: "two".into(), failed: true });
    bench.draw();
    assert!(bench.row_with("all 2 warnings").contains("F4"), "{}", bench.screen());
    bench.press(&["f4"]);
    assert!(bench.screen().contains("Messages, newest first"));
}

#[test]
fn i_begins_a_new_question_and_e_edits_this_one() {
    let mut bench = answered();
    bench.press(&["i"]);
    assert!(bench.screen().contains("Describe the patient"), "empty:\n{}", bench.screen());
    bench.press(&["up"]);
    assert!(bench.row_with("empties").contains("Ctrl+L"), "the key that empties it is shown");
    bench.press(&["enter"]);
    assert!(bench.effects().iter().any(|effect| matches!(effect, Effect::Ask { question, .. } if question == sample::QUESTION)));
    let mut bench = answered();
    bench.press(&["e"]).type_text(" Now").press(&["enter"]);
    let asked = format!("{} Now", sample::QUESTION);
    assert!(bench.effects().iter().any(|effect| matches!(effect, Effect::Ask { question, .. } if *question == asked)));
    // What was typed and never asked is not thrown away.
    let mut bench = answered();
    bench.press(&["i"]).type_text("half a question").press(&["esc", "i"]);
    assert!(bench.screen().contains("half a question"));
}

#[test]
fn enter_opens_why_and_esc_leads_back() {
    let mut bench = answered();
    for pane in ["4", "5", "6"] {
        bench.press(&[pane, "enter", "/"]).type_text("zzz").press(&["enter"]);
        assert!(bench.screen().contains("“zzz” is not in this pane"));
        bench.press(&["esc", "esc"]);
    }
    bench.press(&["5", "home", "enter", "esc", "x"]);
    let revised = bench.effects().into_iter().find_map(|effect| match effect {
        Effect::Revise { triage, .. } => Some(triage.rejected.len()),
        _ => None,
    });
    assert_eq!(revised, Some(1), "Esc led back to the kept chains, where x rejects");
    // From the editor, too.
    let mut bench = answered();
    bench.press(&["4", "i", "esc", "end"]);
    assert!(bench.screen().contains("125 of 125"), "{}", bench.screen());
    // An anchor opens as the chains through it.
    bench.press(&["3", "home", "enter"]);
    assert!(bench.screen().contains("filtered from 125"), "{}", bench.screen());
}

#[test]
fn gg_and_enter_rates_nothing_and_plus_rates() {
    let mut bench = answered();
    bench.press(&["4", "end", "g", "g"]);
    assert!(bench.screen().contains("1 of 125"));
    bench.press(&["G"]);
    assert!(bench.screen().contains("125 of 125"));
    bench.press(&["g", "g", "enter"]);
    assert!(!bench.effects().iter().any(|effect| matches!(effect, Effect::Dkg(_))), "nothing is recorded");
    for (key, title) in [("+", "Good answer"), ("-", "Bad answer"), ("*", "Gold answer")] {
        bench.press(&["6", key]);
        assert!(bench.screen().contains(title), "{key}:\n{}", bench.screen());
        bench.press(&["esc"]);
    }
    // Elsewhere they rate nothing: in the graph they zoom.
    bench.press(&["8", "+"]);
    assert!(!bench.screen().contains("Comment (optional)"));
    // A key that has moved says so.
    bench.press(&["6", "b"]);
    assert!(bench.screen().contains("b does nothing here"), "{}", bench.screen());
}

#[test]
fn ctrl_z_takes_a_decision_back() {
    let mut bench = answered();
    bench.press(&["5", "home", "x", "ctrl+z"]);
    assert!(bench.screen().contains("Undone"), "{}", bench.screen());
}

#[test]
fn what_is_not_listed_is_not_rejected() {
    let mut bench = answered();
    bench.press(&["4", "home", "f"]).type_text("zzzz").press(&["enter", "x"]);
    assert!(bench.screen().contains("No chain is selected here"), "{}", bench.screen());
    bench.press(&["3", "p"]);
    assert!(!bench.effects().iter().any(|effect| matches!(effect, Effect::Revise { .. })));
    // After a filter, what is selected is among what is listed.
    bench.press(&["4", "esc", "end", "f"]).type_text("omeprazole").press(&["enter", "x"]);
    let rejected = bench.effects().into_iter().find_map(|effect| match effect {
        Effect::Revise { triage, .. } => triage.rejected.iter().next().map(ToString::to_string),
        _ => None,
    });
    assert!(rejected.as_deref().is_some_and(|chain| chain.contains("Omeprazole")), "{rejected:?}");
}

#[test]
fn a_row_stays_selected_among_the_kept_ones() {
    let mut bench = answered();
    bench.press(&["5", "home", "x"]);
    bench.carry_on(&sample::revised("a"));
    assert!(bench.row_with("Why this chain?").contains('['), "a kept chain is selected:\n{}", bench.screen());
}

#[test]
fn matches_are_counted_and_seen() {
    let mut bench = answered();
    bench.press(&["4", "home", "/"]).type_text("omeprazole").press(&["enter"]);
    let first = bench.row_with("next · ");
    assert!(first.contains("“omeprazole”: ") && first.contains(" of "), "{first}");
    bench.press(&["n"]);
    assert_ne!(first, bench.row_with("next · "), "the next one has another number");
    bench.press(&["N"]);
    assert_eq!(first, bench.row_with("next · "));
}

#[test]
fn the_search_leaves_a_line_of_the_answer_that_takes_several_rows() {
    let mut bench = Bench::new(80, 24);
    bench.press(&["alt+1"]).run(&sample::answered("a"));
    bench.press(&["6", "home", "/"]).type_text("reflux").press(&["enter"]);
    let first = bench.row_with("next · ");
    let of: usize = first.split(" of ").nth(1).and_then(|rest| rest.split(' ').next()).and_then(|of| of.parse().ok()).expect("a count");
    assert!(of > 1, "{first}");
    let mut seen = std::collections::BTreeSet::from([first.clone()]);
    for _ in 1..of {
        bench.press(&["n"]);
        assert!(seen.insert(bench.row_with("next · ")), "it stays where it is:\n{}", bench.screen());
    }
    bench.press(&["n"]);
    assert_eq!(first, bench.row_with("next · "), "round the end");
}

#[test]
fn the_built_in_reader_reads_again_at_once() {
    let mut bench = answered();
    bench.press(&["5", "home", "x"]);
    let from = bench.effects().into_iter().find_map(|effect| match effect {
        Effect::Revise { from, .. } => Some(from),
        _ => None,
    });
    assert_eq!(from, Some(catena::run::Stage::Read), "the answer is written again with the decision");
}

#[test]
fn layouts_change_by_one_key_and_are_remembered() {
    for (width, height) in [(240, 60), (160, 48), (100, 30), (80, 24)] {
        let mut bench = Bench::new(width, height);
        bench.press(&["alt+1"]).run(&sample::answered("a"));
        bench.effects();
        bench.press(&["L"]);
        assert!(bench.effects().contains(&Effect::RememberLayout(ScreenLayout::Clinic)));
        let clinic = bench.screen();
        assert!(clinic.contains("6 Answer") && clinic.contains("7 Why") && !clinic.contains("answered in"), "{width}:\n{clinic}");
        bench.press(&["L"]);
        let demo = bench.screen();
        assert!(demo.contains("A question, as a doctor or a patient would ask it"), "{width}:\n{demo}");
        // Space steps through all stages, and the arrows lead back.
        bench.press(&["space", "space", "space", "space"]);
        assert!(bench.screen().contains("Of 125 chains, 10 are kept: best fit, least repetition."), "{}", bench.screen());
        bench.press(&["left"]);
        assert!(bench.screen().contains("125 chains of at most"), "{}", bench.screen());
        bench.press(&["L"]);
        assert!(bench.effects().contains(&Effect::RememberLayout(ScreenLayout::SideBySide)));
    }
}

#[test]
fn a_replay_in_the_demo_waits_for_its_first_step() {
    let options = TuiOptions { recording: Some(sample::answered("a")), layout: ScreenLayout::Demo, ..options() };
    let mut bench = Bench::without_engine(100, 30, &options);
    assert!(bench.screen().contains("paused"), "{}", bench.screen());
    bench.press(&["space"]);
    assert!(bench.effects().contains(&Effect::Playback(catena::tui::PlaybackControl::Stage)));
}

#[test]
fn a_fact_is_taught_in_three_fields() {
    let mut bench = answered();
    bench.press(&["space", "t"]).type_text("Gaviscon").press(&["enter"]);
    assert!(bench.screen().contains("Teach a fact"), "Enter goes to what is missing:\n{}", bench.screen());
    bench.type_text("tre").press(&["tab"]);
    assert!(bench.row_with("relation").contains("treats"), "Tab completes:\n{}", bench.screen());
    bench.press(&["tab"]).type_text("reflux").press(&["enter"]);
    assert!(bench.screen().contains("Teach a fact"), "Enter goes on to the reason:\n{}", bench.screen());
    bench.press(&["enter"]);
    let taught = bench.effects().into_iter().find_map(|effect| match effect {
        Effect::Dkg(catena::tui::DkgRequest::Teach(fact)) => Some(fact.text()),
        _ => None,
    });
    assert_eq!(taught.as_deref(), Some("Gaviscon treats reflux"));
}

#[test]
fn a_report_asks_where_it_goes() {
    let mut bench = answered();
    bench.press(&["space", "e", "enter"]);
    assert!(
        bench.screen().contains("Write the report to this file") && bench.screen().contains("catena-i-feel-stomach"),
        "{}",
        bench.screen()
    );
    bench.press(&["enter"]);
    let path = bench.effects().into_iter().find_map(|effect| match effect {
        Effect::Export { path, .. } => Some(path),
        _ => None,
    });
    assert!(path.is_some_and(|path| path.to_string_lossy().ends_with(".html")));
}

#[test]
fn a_low_screen_shows_its_keys_before_its_legend() {
    let mut bench = Bench::new(80, 24);
    bench.app.on_reply(lessons::learning());
    bench.press(&["alt+1"]).run(&sample::answered("a"));
    let row = bench.row_with("? help");
    for hint in ["why?", "good bad gold", "new question"] {
        assert!(row.contains(hint), "{hint}: {row}");
    }
}

#[test]
fn a_long_question_is_seen_whole() {
    let mut bench = Bench::new(80, 24);
    for line in ["one", "two", "three"] {
        bench.type_text(line).press(&["alt+enter"]);
    }
    bench.type_text("four");
    let screen = bench.screen();
    for line in ["one", "two", "three", "four"] {
        assert!(screen.contains(line), "{screen}");
    }
}

#[test]
fn the_list_of_actions_begins_with_what_works_here() {
    let mut bench = answered();
    bench.press(&["6", ":"]);
    let screen = bench.screen();
    assert!(bench.row_with("Good answer").contains('▌'), "{screen}");
    assert!(!screen.contains("Close what is open"));
}

#[tokio::test]
async fn the_tour_goes_step_by_step() {
    let session = crate::driven::Driven::start(
        async { Err("nothing is opened".to_owned()) },
        TuiOptions { recording: Some(sample::answered("a")), layout: ScreenLayout::Demo, tour: true, ..options() },
    );
    session.shows("Step 1 of 10.").await;
    session.press(&["space", "space", "right"]);
    session.shows("Step 4 of 10.").await;
    session.press(&["left"]);
    session.shows("Step 3 of 10.").await;
    // A key that the tour names changes nothing in it, and says what it does elsewhere; what begins at the start is the tour.
    session.press(&["space", "space", "p"]);
    session.shows("p means: Pin the selected chain").await;
    session.shows("Step 5 of 10.").await;
    session.press(&["space", "p"]);
    session.shows("Nothing is played in the tour").await;
    session.press(&["P"]);
    session.shows("Step 1 of 10.").await;
    session.ends().await;
}

#[test]
fn a_rejection_says_what_it_was_and_how_to_undo_it_in_the_row_that_there_is() {
    let mut bench = Bench::new(80, 24);
    bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["5", "x"]);
    let row = bench.row_with("Rejected [");
    assert!(row.contains("u undoes it. The evidence is chosen again."), "{row}");
    bench.press(&["u"]);
    assert!(bench.row_with("Undone").contains("Ctrl+R redoes it"), "{}", bench.screen());
}

#[test]
fn what_was_said_before_the_next_question_can_still_be_read() {
    let mut bench = answered();
    bench.app.on_reply(catena::tui::Reply::Note { text: "The fact was recorded.".into(), failed: false });
    bench.press(&["i"]).type_text("And what else?").press(&["enter"]).run(&sample::answered("b"));
    assert!(!bench.screen().contains("The fact was recorded."), "it is not about this question");
    bench.press(&["m"]);
    let screen = bench.screen();
    assert!(screen.contains("Before this question") && screen.contains("The fact was recorded."), "{screen}");
}

#[test]
fn each_form_says_at_the_bottom_what_enter_does_in_it() {
    let mut bench = answered();
    bench.press(&["/"]);
    assert!(bench.screen().contains("Enter search"), "{}", bench.screen());
    bench.press(&["esc", "4", "f"]);
    assert!(bench.screen().contains("Enter keep the filter"), "{}", bench.screen());
    bench.press(&["esc", "6", "-"]);
    assert!(bench.screen().contains("Enter record"), "{}", bench.screen());
}

#[test]
fn the_keys_that_work_here_name_no_key_twice() {
    let mut bench = Bench::without_engine(160, 200, &TuiOptions { recording: Some(sample::answered("a")), ..options() });
    bench.press(&["?"]);
    let screen = bench.screen();
    // Among the kept chains the key rates; in the answer, while a recording is played, it makes it faster.
    assert!(screen.contains("Faster") && screen.matches("Good answer: record").count() == 1, "{screen}");
}

#[test]
fn the_first_screen_says_that_there_is_more_below() {
    let mut bench = Bench::new(80, 24);
    assert!(bench.screen().contains("▼ more: PgDn"), "{}", bench.screen());
    bench.press(&["pagedown", "pagedown", "pagedown"]);
    assert!(!bench.screen().contains("▼ more") && bench.screen().contains("all keys"), "{}", bench.screen());
    let roomy = Bench::new(160, 60);
    assert!(!roomy.screen().contains("▼ more") && roomy.screen().contains("not a medical device"), "{}", roomy.screen());
}

#[test]
fn the_help_on_the_first_screen_scrolls_to_its_end() {
    let mut bench = Bench::new(100, 30);
    bench.press(&["?"]);
    let first = bench.screen();
    bench.press(&["G"]);
    assert!(bench.screen() != first, "{}", bench.screen());
    let last = bench.screen();
    bench.press(&["pagedown"]);
    assert_eq!(bench.screen(), last, "there is no more");
}

#[test]
fn another_method_than_the_usual_one_is_named_at_the_top() {
    let bench = answered();
    assert!(bench.row_with("Catena").contains("· method hykge"), "{}", bench.screen());
}

#[test]
fn a_recording_offers_no_key_that_would_change_it() {
    let mut bench = Bench::without_engine(160, 48, &TuiOptions { recording: Some(sample::answered("a")), ..options() });
    bench.press(&["esc"]);
    for pane in ["5", "4", "3", "6"] {
        bench.press(&[pane]);
        let screen = bench.screen();
        let hints = screen.lines().last().unwrap_or_default();
        for word in ["p pin", "x reject", "c correct", "F follow up", "i new question"] {
            assert!(!hints.contains(word), "pane {pane}: {hints}");
        }
        assert!(hints.contains("help"), "{hints}");
    }
}
