//! Whole screens: one size of each as it looks (look at a change before you accept it), and what must be seen at every size.

use catena::tui::{Colours, TuiOptions};

use crate::harness::{Bench, options};
use crate::lessons;
use crate::look;
use crate::support::sample;

const SIZES: [(u16, u16); 4] = [(240, 60), (160, 48), (100, 30), (80, 24)];
/// The size at which whole screens are kept.
const ACCEPTED: (u16, u16) = (160, 48);
const THEMES: [&str; 3] = ["dark", "light", "high-contrast"];

/// The screen at every size and in every theme: it is well drawn, and shows what it must. At one size, all of it is compared with
/// what was accepted: the text, and for each theme how every cell looks.
fn at_all_sizes(name: &str, shown: &[&str], prepare: impl Fn(&mut Bench)) {
    for (width, height) in SIZES {
        let mut all = String::new();
        for theme in THEMES {
            let mut bench = Bench::with(width, height, &TuiOptions { theme: theme.into(), ..options() });
            prepare(&mut bench);
            let screen = bench.screen();
            look::assert_well_drawn(&bench, &format!("{name}, {theme} at {width} x {height}"));
            for text in shown {
                assert!(screen.contains(text), "{name} at {width} x {height} does not show {text:?}:\n{screen}");
            }
            if all.is_empty() {
                all = screen;
            }
            all.push_str(&format!("\n{theme}\n{}", looks(&bench)));
        }
        if (width, height) == ACCEPTED {
            insta::assert_snapshot!(format!("{name}_{width}x{height}"), all);
        }
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
    at_all_sizes("first", &["starter · 642 entities · 4,120 triples", "catena-static (cpu)"], |_| {});
}

#[test]
fn running() {
    at_all_sizes("running", &["✓ hypothesis", "10 mentions", "9 anchors", "▸ search", "62 chains", "· prune", "· read"], |bench| {
        bench.press(&["alt+1"]).run(&sample::searching("a"));
    });
}

#[test]
fn answered() {
    at_all_sizes(
        "answered",
        &["6 Answer from 8 of 10 kept chains · 25 ms", "Conditions", "● Gastro-oesophageal", "[3]", "Tests"],
        |bench| {
            bench.press(&["alt+1"]).run(&sample::answered("a"));
        },
    );
}

#[test]
fn kept_chains() {
    at_all_sizes("kept", &["5 Kept 10 of 125", "7 Why this chain? [5]"], |bench| {
        bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["5", "j", "j"]);
    });
}

#[test]
fn nothing_found() {
    at_all_sizes("nothing", &["6 Answer", "“won”, “cup”"], |bench| {
        bench.type_text("who won the cup?").press(&["enter"]).run(&sample::nothing("a"));
    });
}

#[test]
fn failed() {
    at_all_sizes("failed", &["6 Answer failed", "the language model at http://localhost:11434 did not reply"], |bench| {
        bench.press(&["alt+1"]).run(&sample::failed("a"));
    });
}

#[test]
fn help() {
    at_all_sizes("help", &["PgUp", "PgDn", "Alt+Enter Ctrl+J"], |bench| {
        bench.press(&["?"]);
    });
}

#[test]
fn all_chains() {
    at_all_sizes("chains", &["3 selected", "7 Why this chain?"], |bench| {
        bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["4", "s", "l", "s", "g", "j", "v", "j", "j"]);
    });
}

#[test]
fn filtered_chains() {
    at_all_sizes(
        "filtered",
        &["3 filtered from 125", "7 Why this chain?", "○ Omeprazole", "● Gastro-oesophageal reflux disease"],
        |bench| {
            bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["4", "f"]).type_text("acid omeprazole").press(&["enter"]);
        },
    );
}

#[test]
fn a_search() {
    at_all_sizes("search", &["2 Hypothesis from the graph", "Search: ulcer"], |bench| {
        bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["2", "/"]).type_text("acid").press(&["enter", "/"]).type_text("ulcer");
    });
}

#[test]
fn anchors() {
    at_all_sizes(
        "anchors",
        &["3 Anchors 9", "● Gastro-oesophageal reflux disease", "▌○ Heartburn", "○ Excess gastric acid", "0.88"],
        |bench| {
            bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["3", "j"]);
        },
    );
}

#[test]
fn why() {
    at_all_sizes(
        "why",
        &[
            "7 Why this chain? [4]",
            "◆ Calcium carbonate → treats → ○ Excess gastric acid",
            "score 0.81",
            "An antacid; it also supplies calcium.",
            "████▊",
        ],
        |bench| {
            bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["5", "j", "7"]);
            bench.app.on_reply(sample::explanation("a", 1));
            bench.press(&["z"]);
        },
    );
}

#[test]
fn why_not() {
    at_all_sizes("why_not", &["7 Why this chain?", "◆ Calcium carbonate"], |bench| {
        bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["4", "end", "7"]);
        bench.app.on_reply(sample::explanation("a", 124));
        bench.draw();
    });
}

#[test]
fn the_graph() {
    at_all_sizes("graph", &["8 Graph 13 entities · 13 relations", "⠤"], |bench| {
        bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["8", "]", "]"]);
    });
}

#[test]
fn triaged() {
    at_all_sizes("triaged", &["3 of 125", "7 Why this chain? [2]", "◆ Aluminium hydroxide"], |bench| {
        bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["5", "x"]);
        bench.carry_on(&sample::revised("a")).press(&["4"]);
    });
}

#[test]
fn actions() {
    at_all_sizes("actions", &["▸ reject", "▌ Reject the selected chain"], |bench| {
        bench.press(&["alt+1"]).run(&sample::answered("a")).press(&[":"]).type_text("reject");
    });
}

#[test]
fn keys_that_follow() {
    at_all_sizes("keys", &["Space …", "6 Answer from 8 of 10"], |bench| {
        bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["space"]);
    });
}

#[test]
fn settings() {
    at_all_sizes("settings", &["▌ topK", "11 ▸ was 10", "0.70"], |bench| {
        bench.press(&["alt+1"]).run(&sample::answered("a")).press(&[",", "j", "right"]);
    });
}

#[test]
fn adding_an_anchor() {
    at_all_sizes("add_anchor", &["▸ gast", "Gastritis", "17 triples", "▌ Gastroscopy", "Peptic ulcer"], |bench| {
        bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["a"]).type_text("gast");
        bench.app.on_reply(sample::entities("gast"));
        bench.press(&["down"]);
    });
}

#[test]
fn earlier_runs() {
    at_all_sizes("sessions", &["▸ chest", "2026-11-19 17:40", "2026-11-20 09:12"], |bench| {
        bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["space", "h"]);
        bench.app.on_reply(sample::sessions());
        bench.type_text("chest");
    });
}

#[test]
fn two_runs_compared() {
    at_all_sizes(
        "compared",
        &["both found 125 chains", "in the earlier run only:", "Omeprazole → treats → Gastro-oesophageal reflux disease"],
        |bench| {
            bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["space", "c"]);
            let mut events = sample::answered("b");
            events.extend(sample::revised("b"));
            bench.app.on_reply(catena::tui::Reply::Session { events, torn: 0, compare: true });
            bench.draw();
        },
    );
}

#[test]
fn prompts() {
    at_all_sizes("prompts", &["6 Answer from 8 of 10", "No language model"], |bench| {
        bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["space", "l"]);
    });
}

#[test]
fn json() {
    at_all_sizes("json", &["\"schema\": \"catena.trace/1\",", "\"method\": \"hykge\",", "\"entities\": 642,", "\"seed\": 0"], |bench| {
        bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["space", "j"]);
    });
}

/// An answer, where something can be learned from it.
fn taught(bench: &mut Bench) -> &mut Bench {
    bench.app.on_reply(lessons::learning());
    bench.press(&["alt+1"]).run(&sample::answered("a"))
}

#[test]
fn a_comment_on_a_rating() {
    at_all_sizes("comment", &["clear, and what I would have said", "6 Answer from 8 of 10"], |bench| {
        taught(bench).press(&["+"]).type_text("clear, and what I would have said");
    });
}

#[test]
fn a_gold_answer() {
    at_all_sizes("gold", &["; gastritis", "Tests: Gastroscopy", "Treatments: Omeprazole"], |bench| {
        taught(bench).press(&["*", "end"]).type_text("; gastritis");
    });
}

#[test]
fn the_review() {
    at_all_sizes(
        "review",
        &[
            "◉ ★ learn",
            "Omeprazole → treats → Heartburn",
            "Gaviscon (new drug) → treats → Heartburn",
            "⚠ learn",
            "Ibuprofen → contraindicated in → Peptic ulcer",
        ],
        |bench| {
            taught(bench).press(&["space", "r"]);
            bench.app.on_reply(catena::tui::Reply::Queue(Box::new(lessons::waiting())));
            bench.press(&["space", "end", "up"]);
        },
    );
}

#[test]
fn a_contradiction_is_named_before_it_is_learned() {
    at_all_sizes(
        "contradiction",
        &["⚠ learn", "Ibuprofen → treats → Peptic ulcer", "“Ibuprofen → contraindicated in → Peptic ulcer”", "y yes"],
        |bench| {
            taught(bench).press(&["space", "r"]);
            bench.app.on_reply(catena::tui::Reply::Queue(Box::new(lessons::waiting())));
            bench.press(&["end", "up", "a"]);
        },
    );
}

#[test]
fn a_proposal_is_worded_anew() {
    at_all_sizes("edit", &["Gaviscon", "◂ drug ▸", "treats", "Heartburn", "symptom"], |bench| {
        taught(bench).press(&["space", "r"]);
        bench.app.on_reply(catena::tui::Reply::Queue(Box::new(lessons::waiting())));
        bench.press(&["down", "e", "down"]);
    });
}

#[test]
fn what_was_learned() {
    at_all_sizes("lessons", &["★ 1,204 learned", "Penicillin → treats → Heartburn"], |bench| {
        taught(bench).press(&["space", "d"]);
        bench.app.on_reply(lessons::lessons());
        bench.press(&["down"]);
    });
}

#[test]
fn messages() {
    at_all_sizes("messages", &["“medicine” links to nothing"], |bench| {
        bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["m"]);
    });
}

#[test]
fn playing() {
    at_all_sizes("playing", &["⏸", "▸ hypothesis", "· search", "· read"], |bench| {
        let script = sample::answered("a");
        bench.press(&["alt+1"]).run(&script).press(&["space", "p", "space", "+"]);
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
    assert!(bench.screen().lines().next().expect("a first row").contains("✗ no graph"), "{}", bench.screen());
    let row = bench.row_with("graph.bin is not a Catena snapshot");
    assert!(row.trim_start().starts_with('✗'), "{row}");
    assert!(bench.screen().contains("catena check"), "{}", bench.screen());
}

#[test]
fn without_colours_signs_say_everything() {
    let mut bench = Bench::with(160, 48, &TuiOptions { colours: Colours::None, ..options() });
    bench.press(&["alt+1"]).run(&sample::answered("a"));
    let buffer = bench.terminal.backend().buffer();
    assert!(buffer.content().iter().all(|cell| cell.fg == ratatui::style::Color::Reset && cell.bg == ratatui::style::Color::Reset));
    for sign in ["● Gastro-oesophageal", "○ Omeprazole", "◆ Gastroscopy", "✚ Amoxicillin"] {
        assert!(bench.screen().contains(sign), "{sign}");
    }
}

#[test]
fn the_same_entity_has_the_same_colour_in_every_pane() {
    let mut bench = Bench::new(160, 48);
    bench.press(&["alt+1"]).run(&sample::answered("a"));
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
    // What a row has in common with the one above it recedes, its signs with it.
    let muted = format!("{:?}", ratatui::style::Color::Rgb(139, 145, 156));
    colours.values_mut().for_each(|found| {
        found.remove(&muted);
    });
    assert!(colours.values().all(|found| found.len() == 1), "{colours:?}");
}

#[test]
fn panes_stand_where_the_size_has_room_for_them() {
    let place = |width, height, title: &str| {
        let mut bench = Bench::new(width, height);
        bench.press(&["alt+1"]).run(&sample::answered("a"));
        look::place_of(&bench, &format!("╭ {title}"))
    };
    // Everything, with the answer at the left below the question, where the eye starts; one pane with a row of names where there is no room.
    assert!(
        ["1 Question", "2 Hypothesis", "3 Anchors", "4 Chains", "5 Kept", "6 Answer", "7 Why", "8 Graph"]
            .iter()
            .all(|t| place(240, 60, t).is_some())
    );
    assert_eq!((place(240, 60, "6 Answer"), place(240, 60, "4 Chains")), (Some((0, 7)), Some((86, 1))));
    assert_eq!((place(160, 48, "6 Answer"), place(160, 48, "4 Chains")), (Some((0, 6)), Some((72, 1))));
    let (kept, why) = (place(160, 48, "5 Kept").expect("is there"), place(160, 48, "7 Why").expect("is there"));
    assert!(kept.0 == 72 && why.0 == 72 && kept.1 < why.1, "{kept:?} {why:?}");
    assert_eq!((place(100, 30, "6 Answer"), place(100, 30, "4 Chains")), (Some((0, 5)), Some((50, 1))));
    assert_eq!(place(80, 24, "6 Answer"), Some((0, 2)));
    assert!(place(80, 24, "1 Question").is_none() && place(80, 24, "4 Chains").is_none());
}

#[test]
fn what_is_selected_is_marked_in_every_theme() {
    for theme in THEMES {
        let mut bench = Bench::with(160, 48, &TuiOptions { theme: theme.into(), ..options() });
        bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["3", "j"]);
        look::assert_selected(&bench, "▌○ Heartburn");
        bench.press(&["a"]).type_text("gast");
        bench.app.on_reply(sample::entities("gast"));
        bench.press(&["down"]);
        look::assert_selected(&bench, "Gastroscopy  ");
    }
}
