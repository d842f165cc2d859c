//! How long a frame takes: 200×60 cells, with 100,000 chains in the list.

#[path = "../tests/tui/sample.rs"]
#[allow(dead_code)]
mod sample;

use catena::pipeline::{CancelToken, RunHandle};
use catena::tui::{App, Colours, TuiOptions, draw};
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
    press(&mut app, '1');
    app.run_began(RunHandle { id: "a".into(), cancel: CancelToken::new() });
    for event in sample::answered_with("a", chains) {
        app.on_event(&event);
    }
    press(&mut app, '4');
    let _ = terminal.draw(|frame| draw(frame, &mut app));
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
