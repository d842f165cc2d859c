//! Whole screens, as they look. A change here is to be looked at before it is accepted.

use catena::tui::{Colours, TuiOptions};

use crate::harness::{Bench, options};
use crate::lessons;
use crate::support::sample;

const SIZES: [(u16, u16); 4] = [(240, 60), (160, 48), (100, 30), (80, 24)];
const THEMES: [&str; 3] = ["dark", "light", "high-contrast"];

/// The text of the screen, and for each theme how every cell looks.
fn at_all_sizes(name: &str, prepare: impl Fn(&mut Bench)) {
    for (width, height) in SIZES {
        let mut all = String::new();
        for theme in THEMES {
            let mut bench = Bench::with(width, height, &TuiOptions { theme: theme.into(), ..options() });
            prepare(&mut bench);
            if all.is_empty() {
                all = bench.screen();
            }
            all.push_str(&format!("\n{theme}\n{}", looks(&bench)));
        }
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), all);
    }
}

/// The look of every cell: a letter for each, with the number of cells where it is more than one, row by row; then what the
/// letters mean.
fn looks(bench: &Bench) -> String {
    let buffer = bench.terminal.backend().buffer();
    let mut known: Vec<String> = Vec::new();
    let mut rows = String::new();
    for y in 0..buffer.area.height {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for x in 0..buffer.area.width {
            let cell = &buffer[(x, y)];
            let look = format!("{:?} on {:?} {:?}", cell.fg, cell.bg, cell.modifier);
            let number = known.iter().position(|known| *known == look).unwrap_or_else(|| {
                known.push(look);
                known.len() - 1
            });
            match runs.last_mut().filter(|(of, _)| *of == number) {
                Some((_, cells)) => *cells += 1,
                None => runs.push((number, 1)),
            }
        }
        for (number, cells) in runs {
            rows.push(char::from(b'A' + number as u8));
            if cells > 1 {
                rows.push_str(&cells.to_string());
            }
        }
        rows.push('\n');
    }
    for (number, look) in known.iter().enumerate() {
        rows.push_str(&format!("{} {look}\n", char::from(b'A' + number as u8)));
    }
    rows
}

#[test]
fn first_screen() {
    at_all_sizes("first", |_| {});
}

#[test]
fn running() {
    at_all_sizes("running", |bench| {
        bench.press(&["1"]).run(&sample::searching("a"));
    });
}

#[test]
fn answered() {
    at_all_sizes("answered", |bench| {
        bench.press(&["1"]).run(&sample::answered("a"));
    });
}

#[test]
fn kept_chains() {
    at_all_sizes("kept", |bench| {
        bench.press(&["1"]).run(&sample::answered("a")).press(&["5", "j", "j"]);
    });
}

#[test]
fn nothing_found() {
    at_all_sizes("nothing", |bench| {
        bench.type_text("who won the cup?").press(&["enter"]).run(&sample::nothing("a"));
    });
}

#[test]
fn failed() {
    at_all_sizes("failed", |bench| {
        bench.press(&["1"]).run(&sample::failed("a"));
    });
}

#[test]
fn help() {
    at_all_sizes("help", |bench| {
        bench.press(&["?"]);
    });
}

#[test]
fn all_chains() {
    at_all_sizes("chains", |bench| {
        bench.press(&["1"]).run(&sample::answered("a")).press(&["4", "s", "l", "s", "g", "j", "v", "j", "j"]);
    });
}

#[test]
fn filtered_chains() {
    at_all_sizes("filtered", |bench| {
        bench.press(&["1"]).run(&sample::answered("a")).press(&["4", "f"]).type_text("acid omeprazole").press(&["enter"]);
    });
}

#[test]
fn a_search() {
    at_all_sizes("search", |bench| {
        bench.press(&["1"]).run(&sample::answered("a")).press(&["2", "/"]).type_text("acid").press(&["enter", "/"]).type_text("ulcer");
    });
}

#[test]
fn anchors() {
    at_all_sizes("anchors", |bench| {
        bench.press(&["1"]).run(&sample::answered("a")).press(&["3", "j"]);
    });
}

#[test]
fn why() {
    at_all_sizes("why", |bench| {
        bench.press(&["1"]).run(&sample::answered("a")).press(&["5", "j", "7"]);
        bench.app.on_found(sample::explanation("a", 1));
        bench.press(&["z"]);
    });
}

#[test]
fn why_not() {
    at_all_sizes("why_not", |bench| {
        bench.press(&["1"]).run(&sample::answered("a")).press(&["4", "end", "7"]);
        bench.app.on_found(sample::explanation("a", 124));
        bench.draw();
    });
}

#[test]
fn the_graph() {
    at_all_sizes("graph", |bench| {
        bench.press(&["1"]).run(&sample::answered("a")).press(&["8", "]", "]"]);
    });
}

#[test]
fn triaged() {
    at_all_sizes("triaged", |bench| {
        bench.press(&["1"]).run(&sample::answered("a")).press(&["5", "x"]);
        bench.carry_on(&sample::revised("a")).press(&["4"]);
    });
}

#[test]
fn actions() {
    at_all_sizes("actions", |bench| {
        bench.press(&["1"]).run(&sample::answered("a")).press(&[":"]).type_text("reject");
    });
}

#[test]
fn keys_that_follow() {
    at_all_sizes("keys", |bench| {
        bench.press(&["1"]).run(&sample::answered("a")).press(&["space"]);
    });
}

#[test]
fn settings() {
    at_all_sizes("settings", |bench| {
        bench.press(&["1"]).run(&sample::answered("a")).press(&[",", "j", "right"]);
    });
}

#[test]
fn adding_an_anchor() {
    at_all_sizes("add_anchor", |bench| {
        bench.press(&["1"]).run(&sample::answered("a")).press(&["a"]).type_text("gast");
        bench.app.on_found(sample::entities("gast"));
        bench.press(&["down"]);
    });
}

#[test]
fn earlier_runs() {
    at_all_sizes("sessions", |bench| {
        bench.press(&["1"]).run(&sample::answered("a")).press(&["space", "h"]);
        bench.app.on_found(sample::sessions());
        bench.type_text("chest");
    });
}

#[test]
fn two_runs_compared() {
    at_all_sizes("compared", |bench| {
        bench.press(&["1"]).run(&sample::answered("a")).press(&["space", "c"]);
        let mut events = sample::answered("b");
        events.extend(sample::revised("b"));
        bench.app.on_found(catena::tui::Found::Session { events, torn: 0, beside: true });
        bench.draw();
    });
}

#[test]
fn prompts() {
    at_all_sizes("prompts", |bench| {
        bench.press(&["1"]).run(&sample::answered("a")).press(&["space", "l"]);
    });
}

#[test]
fn json() {
    at_all_sizes("json", |bench| {
        bench.press(&["1"]).run(&sample::answered("a")).press(&["space", "j"]);
    });
}

/// An answer, where something can be learned from it.
fn taught(bench: &mut Bench) -> &mut Bench {
    bench.app.on_found(lessons::learning());
    bench.press(&["1"]).run(&sample::answered("a"))
}

#[test]
fn a_comment_on_a_rating() {
    at_all_sizes("comment", |bench| {
        taught(bench).press(&["g"]).type_text("clear, and what I would have said");
    });
}

#[test]
fn a_gold_answer() {
    at_all_sizes("gold", |bench| {
        taught(bench).press(&["G"]).type_text("gastro-oesophageal reflux disease; gastritis").press(&["down"]).type_text("gastroscopy");
    });
}

#[test]
fn the_review() {
    at_all_sizes("review", |bench| {
        taught(bench).press(&["space", "r"]);
        bench.app.on_found(catena::tui::Found::Queue(Box::new(lessons::waiting())));
        bench.press(&["space", "end", "up"]);
    });
}

#[test]
fn a_contradiction_is_named_before_it_is_learned() {
    at_all_sizes("contradiction", |bench| {
        taught(bench).press(&["space", "r"]);
        bench.app.on_found(catena::tui::Found::Queue(Box::new(lessons::waiting())));
        bench.press(&["end", "up", "a"]);
    });
}

#[test]
fn a_proposal_is_worded_anew() {
    at_all_sizes("edit", |bench| {
        taught(bench).press(&["space", "r"]);
        bench.app.on_found(catena::tui::Found::Queue(Box::new(lessons::waiting())));
        bench.press(&["down", "e", "down"]);
    });
}

#[test]
fn what_was_learned() {
    at_all_sizes("lessons", |bench| {
        taught(bench).press(&["space", "d"]);
        bench.app.on_found(lessons::lessons());
        bench.press(&["down"]);
    });
}

#[test]
fn messages() {
    at_all_sizes("messages", |bench| {
        bench.press(&["1"]).run(&sample::answered("a")).press(&["m"]);
    });
}

#[test]
fn playing() {
    at_all_sizes("playing", |bench| {
        let script = sample::answered("a");
        bench.press(&["1"]).run(&script).press(&["space", "p", "space", "+"]);
        bench.begin(&script[0].run);
        for event in &script[..script.len() / 2] {
            bench.app.on_event(event);
        }
        bench.wait(100);
    });
}

#[test]
fn the_graph_cannot_be_opened() {
    let mut bench = Bench::new(100, 30);
    bench.app.engine_opened(Err("graph.bin is not a Catena snapshot".into()));
    bench.draw();
    insta::assert_snapshot!("no_graph_100x30", bench.screen());
}

#[test]
fn without_colours_signs_say_everything() {
    let mut bench = Bench::with(160, 48, &TuiOptions { colours: Colours::None, ..options() });
    bench.press(&["1"]).run(&sample::answered("a"));
    let buffer = bench.terminal.backend().buffer();
    assert!(buffer.content().iter().all(|cell| cell.fg == ratatui::style::Color::Reset && cell.bg == ratatui::style::Color::Reset));
    for sign in ["● Gastro-oesophageal", "○ Omeprazole", "◆ Gastroscopy", "✚ Amoxicillin"] {
        assert!(bench.screen().contains(sign), "{sign}");
    }
}

#[test]
fn the_same_entity_has_the_same_colour_in_every_pane() {
    let mut bench = Bench::new(160, 48);
    bench.press(&["1"]).run(&sample::answered("a"));
    let buffer = bench.terminal.backend().buffer();
    let mut colours: std::collections::BTreeMap<&str, std::collections::BTreeSet<String>> = Default::default();
    for y in 1..buffer.area.height - 2 {
        for x in 0..buffer.area.width {
            let cell = &buffer[(x, y)];
            if ["●", "○", "◆", "✚"].contains(&cell.symbol()) {
                colours.entry(cell.symbol()).or_default().insert(format!("{:?}", cell.fg));
            }
        }
    }
    assert_eq!(colours.len(), 4, "all four signs are on the screen");
    assert!(colours.values().all(|found| found.len() == 1), "{colours:?}");
}
