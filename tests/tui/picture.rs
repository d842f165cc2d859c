//! `docs/screen.svg`: the screen after a recorded run, drawn from the cells. The test fails when the picture is out of date;
//! `CATENA_WRITE_PICTURE=1 cargo test --test tui picture` draws it again.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use catena::run::{EventKind, read_recording};
use catena::tui::{ScreenLayout, TuiOptions};
use crossterm::event::Event as Input;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr;

use crate::harness::{Bench, options};
use crate::support::sample;

/// A run on the starter graph, with fewer chains than it found: those that were kept or nearly kept, and their neighbours in the list.
const RECORDING: &str = "docs/screen/run.jsonl";
/// The pictures of the README and of the guide.
const PICTURES: [(&str, ScreenLayout); 2] =
    [("docs/screen.svg", ScreenLayout::SideBySide), ("docs/screen/clinic.svg", ScreenLayout::Clinic)];
/// Names a folder for pictures of every layout at every size.
const ALL: &str = "CATENA_ALL_PICTURES";
/// Set this variable to write the picture instead of comparing it.
const WRITE: &str = "CATENA_WRITE_PICTURE";
/// A cell's width and height in the picture, in tenths of a unit.
const CELL: (usize, usize) = (84, 170);
const LARGEST: usize = 200_000;

#[test]
fn the_picture_of_the_screen_shows_the_screen_as_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let recording = fs::read(root.join(RECORDING)).expect("the recording is in the repository");
    let events = read_recording(recording.as_slice()).expect("a sound recording");
    let EventKind::RunStarted { question, kg, models, .. } = &events[0].what else { panic!("a recording begins with its run") };
    let mut info = sample::info();
    (info.kg, info.models) = (kg.clone(), models.clone());
    let shown = |width, height, layout| {
        let mut bench = Bench::without_engine(width, height, &TuiOptions { layout, ..options() });
        bench.app.engine_opened(Ok(info.clone()));
        bench.app.on_input(Input::Paste(question.clone()));
        bench.press(&["enter"]).run(&events);
        bench
    };
    let bench = shown(160, 48, ScreenLayout::SideBySide);
    let screen = bench.screen();
    assert!(screen.contains("Hospital at once: stop digoxin") && screen.contains("79,208"), "{screen}");
    for (picture, layout) in PICTURES {
        let bench = shown(160, 48, layout);
        let drawn = svg(bench.terminal.backend().buffer());
        assert!(drawn.len() < LARGEST, "{picture} has {} bytes", drawn.len());
        let path = root.join(picture);
        if std::env::var_os(WRITE).is_some() {
            fs::write(&path, &drawn).expect("the picture is written");
        }
        let known = fs::read_to_string(&path).unwrap_or_default();
        assert!(known == drawn, "{picture} shows an older screen; draw it again: {WRITE}=1 cargo test --test tui picture");
    }
    // Every layout at every size, to be looked at.
    let Some(folder) = std::env::var_os(ALL) else { return };
    for layout in [ScreenLayout::SideBySide, ScreenLayout::Clinic, ScreenLayout::Demo] {
        for (width, height) in [(80, 24), (100, 30), (160, 48), (240, 60)] {
            let mut bench = shown(width, height, layout);
            if layout == ScreenLayout::Demo {
                bench.press(&["left"]);
            }
            let path = Path::new(&folder).join(format!("{layout:?}-{width}x{height}.svg"));
            fs::write(path, svg(bench.terminal.backend().buffer())).expect("the picture is written");
        }
    }
}

/// How a cell looks: text colour, background, bold, dim, italic, underlined.
type Style = (String, String, [bool; 4]);

/// The cells as a picture: rectangles for backgrounds, text in a font whose characters are all as wide as a cell.
fn svg(buffer: &Buffer) -> String {
    let (columns, rows) = (usize::from(buffer.area.width), usize::from(buffer.area.height));
    let ground = style_of(&buffer[(0, 0)]).1;
    let mut classes: BTreeMap<String, usize> = BTreeMap::new();
    let mut body = String::new();
    for y in 0..rows {
        let mut x = 0;
        while x < columns {
            let style = style_of(&buffer[(x as u16, y as u16)]);
            let start = x;
            let mut text = String::new();
            while x < columns && style_of(&buffer[(x as u16, y as u16)]) == style {
                let symbol = buffer[(x as u16, y as u16)].symbol();
                text.push_str(symbol);
                x += symbol.width().max(1);
            }
            let (left, width) = (tenths(start * CELL.0), tenths((x - start) * CELL.0));
            if style.1 != ground {
                let (top, height) = (tenths(y * CELL.1), tenths(CELL.1));
                let _ = writeln!(body, r#"<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="{}"/>"#, style.1);
            }
            let blanks = text.len() - text.trim_start_matches(' ').len();
            let text = text.trim_matches(' ');
            if text.is_empty() {
                continue;
            }
            let (left, width) = (tenths((start + blanks) * CELL.0), tenths(text.width() * CELL.0));
            let next = classes.len();
            let class = *classes.entry(css(&style)).or_insert(next);
            let baseline = tenths(y * CELL.1 + 130);
            let _ = writeln!(body, r#"<text class="s{class}" x="{left}" y="{baseline}" textLength="{width}">{}</text>"#, escaped(text));
        }
    }
    let mut rules: Vec<(usize, String)> = classes.into_iter().map(|(css, number)| (number, css)).collect();
    rules.sort();
    let rules: String = rules.iter().map(|(number, css)| format!(".s{number}{{{css}}}\n")).collect();
    let (width, height) = (tenths(columns * CELL.0), tenths(rows * CELL.1));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" \
         aria-label=\"Catena's screen: a question, its chains of evidence, and the answer with citations\">\n<style>\n\
         text{{font:14px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre}}\n{rules}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{ground}\"/>\n{body}</svg>\n"
    )
}

fn style_of(cell: &Cell) -> Style {
    let (fg, bg) = (colour(cell.fg, "#d0d0d0"), colour(cell.bg, "#101010"));
    let is = |modifier| cell.modifier.contains(modifier);
    let (fg, bg) = if is(Modifier::REVERSED) { (bg, fg) } else { (fg, bg) };
    (fg, bg, [Modifier::BOLD, Modifier::DIM, Modifier::ITALIC, Modifier::UNDERLINED].map(is))
}

fn colour(colour: Color, default: &str) -> String {
    match colour {
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        _ => default.to_owned(),
    }
}

fn css((colour, _, modifiers): &Style) -> String {
    let names = ["font-weight:bold", "opacity:.7", "font-style:italic", "text-decoration:underline"];
    let mut css = format!("fill:{colour}");
    for (name, _) in names.iter().zip(modifiers).filter(|(_, on)| **on) {
        css.push(';');
        css.push_str(name);
    }
    css
}

/// A number of tenths, as a decimal number.
fn tenths(number: usize) -> String {
    if number.is_multiple_of(10) { (number / 10).to_string() } else { format!("{}.{}", number / 10, number % 10) }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
