//! Lists, the selection that all panes share, and the answer's citations.

use catena::run::EventKind;
use crossterm::event::{Event as Input, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::style::Modifier;

use crate::harness::Bench;
use crate::support::sample;

fn answered() -> Bench {
    let mut bench = Bench::new(160, 48);
    bench.press(&["alt+1"]).run(&sample::answered("a"));
    bench
}

/// Citations that stand out in the answer.
fn marked_citations(bench: &Bench) -> Vec<String> {
    let buffer = bench.terminal.backend().buffer();
    let mut found = Vec::new();
    for y in 6..33 {
        let cells = (0..72).map(|x| &buffer[(x, y)]).filter(|cell| cell.modifier.contains(Modifier::REVERSED));
        let text: String = cells.map(|cell| cell.symbol()).collect();
        if !text.is_empty() {
            found.push(text);
        }
    }
    found
}

#[test]
fn a_kept_chain_is_selected_in_every_pane() {
    let mut bench = answered();
    bench.press(&["5", "home", "j", "j"]);
    assert!(bench.screen().contains("3 of 125"), "it is the third of the full list");
    assert!(bench.row_with("Why this chain?").contains("[3]"));
    assert_eq!(marked_citations(&bench), ["[3]", "[3]"]);
    // The seventh kept chain is the eleventh of the full list.
    bench.press(&["j", "j", "j", "j"]);
    assert!(bench.screen().contains("11 of 125"));
}

#[test]
fn a_chain_of_the_full_list_selects_its_kept_one_and_its_citations() {
    let mut bench = answered();
    bench.press(&["4", "home", "j", "j", "j"]);
    assert!(bench.row_with("Why this chain?").contains("[4]"));
    assert_eq!(marked_citations(&bench), ["[4]"]);
    // One that was not kept marks nothing, and the screen says why it was not.
    bench.press(&["end"]);
    assert!(bench.screen().contains("125 of 125") && bench.screen().contains("not kept"));
    assert!(marked_citations(&bench).is_empty());
}

#[test]
fn moving_over_the_answer_selects_what_it_cites() {
    let mut bench = answered();
    bench.press(&["6", "home"]);
    assert!(bench.row_with("Why this chain?").contains("[3]"), "the first line rests on 3 and 5");
    bench.press(&["j", "j"]);
    assert!(bench.row_with("Why this chain?").contains("[6]"));
    bench.press(&["end"]);
    assert!(bench.row_with("Why this chain?").contains("[7]"));
}

#[test]
fn a_hundred_thousand_chains_scroll_to_their_end() {
    let mut bench = Bench::new(160, 48);
    bench.press(&["alt+1"]).run(&sample::answered_with("a", 100_000)).press(&["4", "end"]);
    assert!(bench.screen().contains("100000 of 100,000") || bench.screen().contains("100,000 of 100,000"));
    bench.press(&["pageup", "home"]);
    assert!(bench.screen().contains("1 of 100,000"));
}

fn mouse(kind: MouseEventKind, column: u16, row: u16) -> Input {
    Input::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE })
}

#[test]
fn the_mouse_scrolls_and_selects_where_it_points() {
    let mut bench = answered();
    bench.app.on_input(mouse(MouseEventKind::ScrollDown, 100, 5));
    bench.draw();
    assert!(bench.screen().contains("6 of 125"), "three further than the third");
    bench.app.on_input(mouse(MouseEventKind::Down(MouseButton::Left), 100, 2));
    bench.draw();
    assert!(bench.screen().contains("1 of 125"));
    bench.app.on_input(mouse(MouseEventKind::Down(MouseButton::Left), 100, 22));
    bench.draw();
    assert!(bench.row_with("Why this chain?").contains("[4]"));
    // Outside everything nothing happens.
    bench.app.on_input(mouse(MouseEventKind::Down(MouseButton::Left), 5000, 5000));
    bench.app.on_input(mouse(MouseEventKind::ScrollUp, 5000, 5000));
    bench.draw();
}

#[test]
fn the_mouse_drags_the_borders_between_panes() {
    let mut bench = answered();
    let top_of = |bench: &Bench, title: &str| {
        let screen = bench.screen();
        let (y, line) = screen.lines().enumerate().find(|(_, line)| line.contains(title)).expect("the pane is there");
        let x = line.chars().position(|c| c == title.chars().next().expect("a title")).expect("its title");
        (x as u16, y as u16)
    };
    let (_, before) = top_of(&bench, "2 Hypothesis");
    for kind in [MouseEventKind::Down(MouseButton::Left), MouseEventKind::Drag(MouseButton::Left), MouseEventKind::Up(MouseButton::Left)] {
        let row = if matches!(kind, MouseEventKind::Down(_)) { before } else { before - 6 };
        bench.app.on_input(mouse(kind, 60, row));
        bench.draw();
    }
    let (_, after) = top_of(&bench, "2 Hypothesis");
    assert!((before - 7..=before - 5).contains(&after), "from row {before} to row {after}");
    // Let go, it stays where it is.
    bench.app.on_input(mouse(MouseEventKind::Drag(MouseButton::Left), 60, before));
    bench.draw();
    assert_eq!(top_of(&bench, "2 Hypothesis").1, after);
}

#[test]
fn several_chains_are_rejected_at_once_and_a_kind_and_an_entity() {
    use catena::tui::Effect;
    let wanted = |bench: &mut Bench| {
        let mut latest = None;
        while let Some(command) = bench.app.next_effect() {
            if let Effect::Revise { triage, .. } = command {
                latest = Some(triage);
            }
        }
        latest.expect("the run is to be carried on")
    };
    let mut bench = answered();
    bench.press(&["4", "home", "v", "j", "j", "x"]);
    assert_eq!(wanted(&mut bench).rejected.len(), 3);
    bench.press(&["home", "X", "k"]);
    assert_eq!(wanted(&mut bench).rejected_kinds.len(), 1);
    bench.press(&["X", "e"]).type_text("omepr").press(&["enter"]);
    let triage = wanted(&mut bench);
    assert_eq!(triage.rejected_through.iter().map(String::as_str).collect::<Vec<_>>(), ["Omeprazole"]);
    assert_eq!((triage.rejected.len(), triage.rejected_kinds.len()), (3, 1), "what was decided before still holds");
    bench.press(&["u", "u"]);
    let triage = wanted(&mut bench);
    assert!(triage.rejected_kinds.is_empty() && triage.rejected_through.is_empty() && triage.rejected.len() == 3);
}

#[test]
fn a_decision_before_the_run_is_over_is_refused_in_words() {
    let mut bench = Bench::new(160, 48);
    bench.press(&["alt+1"]).run(&sample::searching("a")).press(&["a"]);
    assert!(bench.screen().contains("The run is not finished yet"));
}

#[test]
fn zoom_fills_the_screen_and_esc_shrinks_it() {
    let mut bench = answered();
    bench.press(&["4", "z"]);
    assert!(!bench.screen().contains("Hypothesis ") && bench.row_with("4 Chains").ends_with('╮'));
    bench.press(&["esc"]);
    assert!(bench.screen().contains("2 Hypothesis"));
}

#[test]
fn text_from_outside_cannot_reach_the_terminal() {
    use catena::run::{Event, EventKind};
    let mut bench = Bench::new(160, 48);
    let mut script = sample::answered("a");
    script.truncate(2);
    let evil = "\u{1b}[2Jred\u{7} \u{202e}txet\u{200b}";
    script.push(Event { run: "a".into(), at_ms: 1.0, what: EventKind::HypothesisToken { text: evil.into() } });
    script.push(Event { run: "a".into(), at_ms: 1.0, what: EventKind::MentionUnlinked { text: evil.into() } });
    script.push(Event { run: "a".into(), at_ms: 1.0, what: EventKind::Warning { text: evil.into() } });
    bench.press(&["alt+1"]).run(&script);
    assert!(bench.screen().contains("[2Jred txet"));
    assert!(!bench.screen().chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'));
}

#[test]
fn more_kept_chains_than_the_setting_says_are_explained_and_a_place_is_called_one() {
    let mut events = sample::answered("a");
    if let EventKind::RunStarted { settings, .. } = &mut events[0].what {
        settings.top_k = 8;
    }
    let mut bench = Bench::new(160, 48);
    bench.press(&["alt+1"]).run(&events).press(&["4", "home"]);
    assert!(bench.screen().contains("5 Kept 10 of 125 · 8 chosen, 2 prove the answer"), "{}", bench.screen());
    assert!(bench.screen().contains(" row 1 of 125 "), "{}", bench.screen());
}
