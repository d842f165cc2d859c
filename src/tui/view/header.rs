//! The top line: the graph in use, and what each stage is doing.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use unicode_width::UnicodeWidthStr;

use super::paint;
use crate::model::infer::StaticEncoder;
use crate::run::{Mark, Outcome, Stage, StageState};
use crate::text::sanitise_line;
use crate::tui::app::{App, Engine};
use crate::tui::styled_text::Ink;

const SPINNER: [&str; 8] = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇", "⠏", "⠋"];
/// Below these widths times, and then names of stages that are over or to come, are left out.
const WITH_TIMES: u16 = 118;
const WITH_NAMES: u16 = 70;
const WITH_GRAPH: u16 = 100;
/// The most characters of a model's name.
const NAME: usize = 24;

pub(super) fn draw(buf: &mut Buffer, app: &App, area: Rect) {
    if area.is_empty() {
        return;
    }
    let mut left = vec![(" Catena".to_owned(), Ink::Strong)];
    left.extend(graph(app, area.width));
    let right = if app.first_screen || app.is_beside() { Vec::new() } else { stages(app, area.width) };
    let cells = |pieces: &[(String, Ink)]| -> usize { pieces.iter().map(|(text, _)| text.width()).sum() };
    let width = cells(&right);
    // Models that are not the built-in ones stand where there is room for their names.
    if let Some(models) = models(app).filter(|models| cells(&left) + models.width() + width < usize::from(area.width)) {
        left.push((models, Ink::Dim));
    }
    let free = usize::from(area.width).saturating_sub(cells(&left) + width + 1);
    left.extend(learning(app, free));
    let used = paint::pieces(buf, &app.theme, (area.x, area.y), area.width, left.iter().map(|(t, ink)| (t.as_str(), *ink)));
    let room = area.width.saturating_sub(used + 1);
    let width = u16::try_from(width).unwrap_or(u16::MAX).min(room);
    let x = area.right() - width;
    paint::pieces(buf, &app.theme, (x, area.y), width, right.iter().map(|(t, ink)| (t.as_str(), *ink)));
}

pub(super) fn spinner(app: &App) -> &'static str {
    SPINNER[(app.now.as_millis() / 100) as usize % SPINNER.len()]
}

fn graph(app: &App, width: u16) -> Vec<(String, Ink)> {
    let name = match (&app.trace.settings, &app.info) {
        (Some(_), _) => app.trace.kg.name.as_str(),
        (None, Some(info)) => info.kg.name.as_str(),
        (None, None) => "",
    };
    let name = sanitise_line(name);
    if let Some(playing) = app.playing {
        let state = if playing.halted { "⏸ halted" } else { "▶ playing" };
        let place = format!("  event {} of {} · {}×", playing.at, playing.total, playing.speed());
        return vec![(format!("  {state}"), Ink::Busy), (place, Ink::Dim)];
    }
    if let Some(beside) = &app.beside {
        let place = (format!("  question {} of {}", beside.at() + 1, beside.pairs().len()), Ink::Dim);
        return match beside.opened.filter(|_| beside.in_panes) {
            Some((_, side)) => {
                let name: String = sanitise_line(&beside.pair().names[side % 2]).chars().take(NAME).collect();
                let place = if width >= WITH_GRAPH { place.0 } else { format!("  {}/{}", beside.at() + 1, beside.pairs().len()) };
                vec![(format!("  {} {name}", side + 1), Ink::Busy), (place, Ink::Dim)]
            }
            None => vec![("  two runs beside each other".into(), Ink::Busy), place],
        };
    }
    match &app.engine {
        Engine::Opening => vec![("  ".into(), Ink::Plain), (format!("{} opening the graph…", spinner(app)), Ink::Busy)],
        Engine::Failed(_) => vec![("  ✗ no graph".into(), Ink::Error)],
        Engine::Recording => vec![("  ▶ recording".into(), Ink::Busy), (format!("  {name}"), Ink::Dim)],
        Engine::Ready if width >= WITH_GRAPH || app.first_screen => vec![(format!("  {name} graph"), Ink::Dim)],
        Engine::Ready => Vec::new(),
    }
}

/// How much is learned, and how much waits for the review, in as many words as there is room for.
fn learning(app: &App, room: usize) -> Vec<(String, Ink)> {
    let Some(learning) = &app.learning else { return Vec::new() };
    let (learned, pending) = (paint::count(learning.learned), paint::count(learning.pending));
    let said = |learned_in: String, pending_in: String| {
        let mut pieces = Vec::new();
        if learning.learned > 0 {
            pieces.push((format!("  ★ {learned_in}"), Ink::Entity(Mark::Learned)));
        }
        if learning.pending > 0 {
            pieces.push((format!("  {pending_in}"), Ink::Warning));
        }
        pieces
    };
    let forms = [
        said(format!("{learned} learned"), format!("{pending} to review")),
        said(learned.clone(), format!("{pending} to review")),
        said(learned, format!("? {pending}")),
    ];
    let width = |pieces: &[(String, Ink)]| pieces.iter().map(|(text, _)| text.width()).sum::<usize>();
    forms.into_iter().find(|form| width(form) <= room).unwrap_or_default()
}

/// The models in use other than the built-in ones.
fn models(app: &App) -> Option<String> {
    let models = app.trace.models.as_ref().or(app.info.as_ref().map(|info| &info.models))?;
    let mut names = Vec::new();
    for (model, built_in) in [
        (&models.generator, models.generator.kind == "graph"),
        (&models.encoder, models.encoder.name == StaticEncoder::NAME),
        (&models.reranker, models.reranker.name.ends_with(" similarity")),
    ] {
        if !built_in {
            names.push(sanitise_line(&model.name).chars().take(NAME).collect::<String>());
        }
    }
    (!names.is_empty()).then(|| format!(" · {}", names.join(" · ")))
}

fn stages(app: &App, width: u16) -> Vec<(String, Ink)> {
    if app.run.is_none() && app.trace.id.is_empty() {
        return Vec::new();
    }
    let mut pieces = Vec::new();
    let (names, times) = (width >= WITH_NAMES, width >= WITH_TIMES);
    let over = app.trace.outcome.is_some() || app.was_stopped();
    for stage in Stage::ALL {
        let state = app.trace.stage(stage);
        let (sign, ink, time) = match state {
            StageState::Done { elapsed_ms } => ("✓", Ink::Good, Some(elapsed_ms)),
            StageState::Running { .. } if over => ("■", Ink::Warning, None),
            StageState::Running { since_ms } => (spinner(app), Ink::Busy, Some((app.elapsed_ms() - since_ms).max(0.0))),
            StageState::Waiting => ("·", Ink::Dim, None),
        };
        let running = matches!(state, StageState::Running { .. });
        pieces.push((format!("{sign} "), ink));
        if names || running {
            let ink = if running {
                Ink::Strong
            } else if matches!(state, StageState::Waiting) {
                Ink::Dim
            } else {
                Ink::Plain
            };
            pieces.push((format!("{} ", stage.as_str()), ink));
        }
        if let Some(ms) = time.filter(|_| times) {
            pieces.push((format!("{} ", paint::duration(ms)), Ink::Dim));
        }
        if times {
            pieces.push((" ".into(), Ink::Plain));
        }
    }
    let ink = match app.trace.outcome {
        Some(Outcome::Answered) => Ink::Strong,
        Some(Outcome::Failed { .. }) => Ink::Error,
        None if app.is_running() => Ink::Busy,
        _ => Ink::Warning,
    };
    pieces.push((format!("{} ", paint::duration(app.elapsed_ms())), ink));
    pieces
}
