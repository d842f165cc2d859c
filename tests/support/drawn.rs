//! Damaged recordings on a screen: played, opened as an earlier run, two beside each other, at several sizes and with keys pressed in between.

use catena::model::CancelToken;
use catena::run::{Event, RunHandle};
use catena::tui::{App, Colours, Reply, RunPair, TuiOptions, draw};
use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::damage::{Random, run_of};
use super::sample;

const SIZES: [(u16, u16); 6] = [(1, 1), (18, 5), (40, 14), (80, 24), (130, 40), (200, 60)];
const KEYS: &str = "12345678fsgv,pxurjkjknNzteX/:GabyYJPwo=+-[]\n\t<>mcCV?";

/// A terminal of each size.
pub struct Terminals(Vec<Terminal<TestBackend>>);

impl Terminals {
    pub fn open() -> Self {
        let open = |(width, height): (u16, u16)| Terminal::new(TestBackend::new(width, height)).expect("a test terminal opens");
        Self(SIZES.map(open).into())
    }

    /// Draws on the terminal of one size.
    fn draw(&mut self, app: &mut App, at: usize) {
        self.0[at].draw(|frame| draw(frame, app)).expect("a test terminal is drawn on");
    }
}

fn press(app: &mut App, random: &mut Random) {
    let keys: Vec<char> = KEYS.chars().collect();
    let code = match *random.of(&keys) {
        '\n' => KeyCode::Enter,
        '\t' => KeyCode::Tab,
        'Y' => KeyCode::Down,
        'J' => KeyCode::PageDown,
        'w' => KeyCode::Up,
        'o' => KeyCode::Esc,
        'c' => KeyCode::Right,
        key => KeyCode::Char(key),
    };
    app.on_input(Input::Key(KeyEvent::new(code, KeyModifiers::NONE)));
    while app.next_effect().is_some() {}
}

/// Shows damaged recordings; gives the number of frames that were drawn.
pub fn show(events: Vec<Event>, other: Vec<Event>, terminals: &mut Terminals, random: &mut Random) -> usize {
    let mut frames = 0;
    let mut options = TuiOptions { colours: Colours::Full, ..TuiOptions::default() };
    let way = random.below(4);
    match way {
        0 | 1 => options.recording = Some(events.clone()),
        2 => options.pairs = vec![RunPair { first: events.clone(), second: other.clone(), ..RunPair::default() }].into(),
        _ => {}
    }
    let mut app = App::new(&options).expect("the built-in keymap is sound");
    match way {
        0 | 1 => {
            app.run_began(RunHandle { id: run_of(&events), cancel: CancelToken::new() });
            for event in &events {
                app.on_event(event);
                if random.chance(6) {
                    terminals.draw(&mut app, random.below(SIZES.len()));
                    press(&mut app, random);
                    frames += 1;
                }
            }
        }
        2 => {}
        _ => {
            app.engine_opened(Ok(sample::info()));
            app.on_reply(Reply::Session { events, torn: 0, compare: false });
            if random.chance(30) {
                terminals.draw(&mut app, random.below(SIZES.len()));
                app.on_reply(Reply::Session { events: other, torn: 1, compare: true });
                frames += 1;
            }
        }
    }
    let begin = random.below(SIZES.len());
    for at in 0..3 {
        terminals.draw(&mut app, (begin + at * 2 + 1) % SIZES.len());
        frames += 1;
        for _ in 0..random.below(3) {
            press(&mut app, random);
        }
    }
    frames
}
