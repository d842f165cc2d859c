//! How long a frame takes: 200×60 cells, with 100,000 chains in the list.

#[path = "../tests/support/sample.rs"]
#[allow(dead_code)]
mod sample;

use catena::model::CancelToken;
use catena::run::RunHandle;
use catena::tui::{App, Colours, RunPair, TuiOptions, draw};
use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyModifiers};
use divan::{Bencher, black_box};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

fn main() {
    divan::main();
}

fn press(app: &mut App, c: char) {
    app.on_input(Input::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)));
}

fn answered(chains: usize) -> (App, Terminal<TestBackend>) {
    let options = TuiOptions { colours: Colours::Full, ..TuiOptions::default() };
    let (Ok(mut app), Ok(mut terminal)) = (App::new(&options), Terminal::new(TestBackend::new(200, 60))) else {
        unreachable!("the built-in keymap is sound, and a test terminal always opens")
    };
    app.engine_opened(Ok(sample::info()));
    // Typed: after an example's digit another digit would count as the begin of a text.
    for c in "reflux".chars() {
        press(&mut app, c);
    }
    app.on_input(Input::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE)));
    app.run_began(RunHandle { id: "a".into(), cancel: CancelToken::new() });
    for event in sample::answered_with("a", chains) {
        app.on_event(&event);
    }
    press(&mut app, '4');
    let _ = terminal.draw(|frame| draw(frame, &mut app));
    // What is measured is the screen with the chains, and not another.
    assert!(terminal.backend().to_string().contains("4 Chains"), "the chains are on the screen");
    (app, terminal)
}

/// The same frame once more.
#[divan::bench(args = [125, 100_000])]
fn frame(bencher: Bencher, chains: usize) {
    let (mut app, mut terminal) = answered(chains);
    bencher.bench_local(|| {
        let _ = black_box(terminal.draw(|frame| draw(frame, &mut app)));
    });
}

/// One chain further, and the frame that shows it.
#[divan::bench(args = [125, 100_000])]
fn select_next_and_frame(bencher: Bencher, chains: usize) {
    let (mut app, mut terminal) = answered(chains);
    bencher.bench_local(|| {
        press(&mut app, 'j');
        let _ = black_box(terminal.draw(|frame| draw(frame, &mut app)));
    });
}

/// The graph of the kept chains beside everything else.
#[divan::bench]
fn frame_with_graph(bencher: Bencher) {
    let (mut app, mut terminal) = answered(100_000);
    press(&mut app, '8');
    bencher.bench_local(|| {
        press(&mut app, ']');
        let _ = black_box(terminal.draw(|frame| draw(frame, &mut app)));
    });
}

/// A letter of a filter over all chains, and the frame that shows what is left.
#[divan::bench]
fn filter_and_frame(bencher: Bencher) {
    let (mut app, mut terminal) = answered(100_000);
    press(&mut app, 'f');
    let mut letters = "omep".chars().cycle();
    bencher.bench_local(|| {
        press(&mut app, letters.next().unwrap_or('o'));
        let _ = black_box(terminal.draw(|frame| draw(frame, &mut app)));
        app.on_input(Input::Key(KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE)));
    });
}

/// Another order of all chains.
#[divan::bench(args = ['s', 'l', 'k', 'g'])]
fn sort_and_frame(bencher: Bencher, order: char) {
    let (mut app, mut terminal) = answered(100_000);
    bencher.bench_local(|| {
        press(&mut app, 's');
        press(&mut app, order);
        let _ = black_box(terminal.draw(|frame| draw(frame, &mut app)));
    });
}

/// The next of 500 questions with two runs each: both are folded, and the frame that shows them beside each other.
#[divan::bench(args = [125, 10_000])]
fn next_question_beside(bencher: Bencher, chains: usize) {
    let (first, second) = (sample::answered_with("a", chains), sample::answered_with("b", chains));
    let pair = RunPair { first, second, ..RunPair::default() };
    let options = TuiOptions { colours: Colours::Full, pairs: vec![pair; 500].into(), ..TuiOptions::default() };
    let (Ok(mut app), Ok(mut terminal)) = (App::new(&options), Terminal::new(TestBackend::new(200, 60))) else {
        unreachable!("the built-in keymap is sound, and a test terminal always opens")
    };
    let mut steps = ['n', 'N'].into_iter().cycle();
    bencher.bench_local(|| {
        press(&mut app, steps.next().unwrap_or('n'));
        let _ = black_box(terminal.draw(|frame| draw(frame, &mut app)));
    });
    assert!(terminal.backend().to_string().contains("of 500"), "the questions are on the screen");
}
