//! What every screen must look like, cell by cell: where things stand, in which colours, and that they can be read.

use std::collections::BTreeSet;

use ratatui::style::{Color, Modifier};

use crate::harness::Bench;

const SIGNS: [&str; 5] = ["●", "○", "◆", "✚", "★"];

/// The least contrast of letters and figures with what is behind them, as WCAG counts it (muted text of the dark theme has 3.96).
const CONTRAST: f64 = 3.9;

/// The column and row at which a text begins, the topmost first.
pub(crate) fn place_of(bench: &Bench, text: &str) -> Option<(u16, u16)> {
    let buffer = bench.terminal.backend().buffer();
    let (width, wanted) = (buffer.area.width, text.chars().map(|c| c.to_string()).collect::<Vec<_>>());
    let begins = |x: u16, y: u16| wanted.iter().zip(x..width).filter(|(c, x)| buffer[(*x, y)].symbol() == *c).count() == wanted.len();
    (0..buffer.area.height).flat_map(|y| (0..width).map(move |x| (x, y))).find(|(x, y)| begins(*x, *y))
}

/// What holds of every screen that is large enough.
pub(crate) fn assert_well_drawn(bench: &Bench, name: &str) {
    let buffer = bench.terminal.backend().buffer();
    let (width, height) = (buffer.area.width, buffer.area.height);
    // The name at the top, in bold; the meaning of the signs at the bottom.
    assert_eq!(place_of(bench, "Catena"), Some((1, 0)), "{name}");
    assert!((1..7).all(|x| buffer[(x, 0)].modifier.contains(Modifier::BOLD)), "{name}");
    let last = height - 1;
    let legend = SIGNS.map(|sign| {
        let at = (0..width).find(|x| buffer[(*x, last)].symbol() == sign);
        at.map(|at| buffer[(at, last)].fg)
    });
    // A sign has the colour that the legend gives it, or is muted with what it stands in.
    let mut muted = BTreeSet::new();
    for y in 1..height - 2 {
        for x in 0..width {
            let cell = &buffer[(x, y)];
            if let Some(at) = SIGNS.iter().position(|sign| *sign == cell.symbol())
                && legend[at].is_some_and(|fg| cell.fg != fg)
            {
                muted.insert(format!("{:?}", cell.fg));
            }
            let is_text = cell.symbol().chars().next().is_some_and(char::is_alphanumeric);
            if let (true, Some(contrast)) = (is_text, contrast(cell.fg, cell.bg)) {
                assert!(contrast >= CONTRAST, "{name}: {:?} at {x}, {y} has a contrast of {contrast:.2}", cell.symbol());
            }
        }
    }
    assert!(muted.len() <= 1, "{name}: signs have other colours than the legend: {muted:?}");
}

/// The ratio of two colours' luminances, from 1 to 21; of the terminal's own colours nothing is known.
fn contrast(a: Color, b: Color) -> Option<f64> {
    let luminance = |colour: Color| {
        let Color::Rgb(r, g, b) = colour else { return None };
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        Some(0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b))
    };
    let (a, b) = (luminance(a)?, luminance(b)?);
    Some((a.max(b) + 0.05) / (a.min(b) + 0.05))
}

/// The row of a text is marked as selected: its background is another than that of the row `below` it.
pub(crate) fn assert_selected(bench: &Bench, text: &str) {
    let (x, y) = place_of(bench, text).unwrap_or_else(|| panic!("{text} is not on the screen:\n{}", bench.screen()));
    let buffer = bench.terminal.backend().buffer();
    assert_ne!(buffer[(x, y)].bg, buffer[(x, y + 1)].bg, "{text} is not marked:\n{}", bench.screen());
}
