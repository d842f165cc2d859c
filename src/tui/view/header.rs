//! The top line: the graph in use, and what each stage is doing.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use unicode_width::UnicodeWidthStr;

use super::paint;
use crate::model::infer::StaticEncoder;
use crate::run::{Mark, MethodName, Outcome, Stage, StageState};
use crate::text::sanitise_line;
use crate::tui::app::{App, EngineState};
use crate::tui::styled_text::SpanStyle;
use crate::words::words;

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
    let mut left = vec![(" Catena".to_owned(), SpanStyle::Strong)];
    left.extend(graph(app, area.width));
    let right = if app.shows_first_screen() || app.is_side_by_side() { Vec::new() } else { stages(app, area.width) };
    let cells = |pieces: &[(String, SpanStyle)]| -> usize { pieces.iter().map(|(text, _)| text.width()).sum() };
    let width = cells(&right);
    // Models that are not the built-in ones stand where there is room for their names.
    if let Some(models) = models(app).filter(|models| cells(&left) + models.width() + width < usize::from(area.width)) {
        left.push((models, SpanStyle::Dim));
    }
    let free = usize::from(area.width).saturating_sub(cells(&left) + width + 1);
    left.extend(learning(app, free));
    let used =
        paint::pieces(buf, &app.look.theme, (area.x, area.y), area.width, left.iter().map(|(t, span_style)| (t.as_str(), *span_style)));
    let room = area.width.saturating_sub(used + 1);
    let width = u16::try_from(width).unwrap_or(u16::MAX).min(room);
    let x = area.right() - width;
    paint::pieces(buf, &app.look.theme, (x, area.y), width, right.iter().map(|(t, span_style)| (t.as_str(), *span_style)));
}

pub(super) fn spinner(now: Duration) -> &'static str {
    SPINNER[(now.as_millis() / 100) as usize % SPINNER.len()]
}

fn graph(app: &App, width: u16) -> Vec<(String, SpanStyle)> {
    let name = match (&app.run.trace.settings, app.engine.info()) {
        (Some(_), _) => app.run.trace.kg.name.as_str(),
        (None, Some(info)) => info.kg.name.as_str(),
        (None, None) => "",
    };
    let name = sanitise_line(name);
    if let Some(playing) = app.run.playback() {
        let state = if playing.paused { words!(app.language, "⏸ paused") } else { words!(app.language, "▶ playing") };
        let place =
            words!(app.language, "  event {at} of {total} · {speed}×", at = playing.at, total = playing.total, speed = playing.speed());
        return vec![(format!("  {state}"), SpanStyle::Busy), (place, SpanStyle::Dim)];
    }
    if let Some(runs) = &app.side_by_side {
        let place = (words!(app.language, "  question {at} of {total}", at = runs.at() + 1, total = runs.pairs().len()), SpanStyle::Dim);
        return match runs.opened.filter(|_| runs.in_panes) {
            Some((_, side)) => {
                let name: String = sanitise_line(&runs.pair().names[side % 2]).chars().take(NAME).collect();
                let place = if width >= WITH_GRAPH { place.0 } else { format!("  {}/{}", runs.at() + 1, runs.pairs().len()) };
                vec![(format!("  {} {name}", side + 1), SpanStyle::Busy), (place, SpanStyle::Dim)]
            }
            None => vec![(words!(app.language, "  two runs side by side").into(), SpanStyle::Busy), place],
        };
    }
    match &app.engine {
        EngineState::Opening => {
            vec![
                ("  ".into(), SpanStyle::Plain),
                (format!("{} {}", spinner(app.now), words!(app.language, "opening the graph…")), SpanStyle::Busy),
            ]
        }
        EngineState::Failed(_) => vec![(words!(app.language, "  ✗ no graph").into(), SpanStyle::Error)],
        EngineState::Recording => {
            vec![(words!(app.language, "  ▶ recording").into(), SpanStyle::Busy), (format!("  {name}"), SpanStyle::Dim)]
        }
        EngineState::Ready(_) if width >= WITH_GRAPH || app.shows_first_screen() => {
            let mut pieces = vec![(words!(app.language, "  {name} graph", name = name), SpanStyle::Dim)];
            pieces.extend(method(app).map(|method| (words!(app.language, " · method {name}", name = method), SpanStyle::Busy)));
            pieces
        }
        EngineState::Ready(_) => Vec::new(),
    }
}

/// The method of the run on the screen, or of the next question where there is none; `None` for the usual one.
fn method(app: &App) -> Option<String> {
    let usual = MethodName::default().to_string();
    let chosen = app.next_method.or(app.engine.info().map(|info| info.method)).map(|method| method.to_string());
    let shown = if app.run.trace.method.is_empty() { chosen? } else { sanitise_line(&app.run.trace.method) };
    Some(shown).filter(|method| *method != usual)
}

/// How much is learned, and how much waits for the review, in as many words as there is room for.
fn learning(app: &App, room: usize) -> Vec<(String, SpanStyle)> {
    let Some(learning) = &app.teaching.status else { return Vec::new() };
    let (learned, pending) = (paint::count(learning.learned), paint::count(learning.pending));
    let said = |learned_in: String, pending_in: String| {
        let mut pieces = Vec::new();
        if learning.learned > 0 {
            pieces.push((format!("  ★ {learned_in}"), SpanStyle::Entity(Mark::Learned)));
        }
        if learning.pending > 0 {
            pieces.push((format!("  {pending_in}"), SpanStyle::Warning));
        }
        pieces
    };
    let forms = [
        said(words!(app.language, "{learned} learned", learned = learned), words!(app.language, "{pending} to review", pending = pending)),
        said(learned.clone(), words!(app.language, "{pending} to review", pending = pending)),
        // A number alone tells nothing of what it counts.
        said(learned, String::new()).into_iter().filter(|(_, style)| *style != SpanStyle::Warning).collect(),
    ];
    let width = |pieces: &[(String, SpanStyle)]| pieces.iter().map(|(text, _)| text.width()).sum::<usize>();
    forms.into_iter().find(|form| width(form) <= room).unwrap_or_default()
}

/// The models in use other than the built-in ones.
fn models(app: &App) -> Option<String> {
    let models = app.run.trace.models.as_ref().or(app.engine.info().map(|info| &info.models))?;
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

fn stages(app: &App, width: u16) -> Vec<(String, SpanStyle)> {
    if !app.run.has_begun() {
        return Vec::new();
    }
    let mut pieces = Vec::new();
    let (names, times) = (width >= WITH_NAMES, width >= WITH_TIMES);
    let over = app.run.trace.outcome.is_some() || app.run.was_stopped();
    // Once all is done, six times in a row tell nobody anything; the messages have them.
    if app.is_clinic() {
        return Vec::new();
    }
    if app.run.trace.outcome == Some(Outcome::Answered) {
        return vec![
            ("✓ ".into(), SpanStyle::Good),
            (words!(app.language, "answered in {time} ", time = paint::duration(app.elapsed_ms())), SpanStyle::Dim),
        ];
    }
    for stage in Stage::ALL {
        let state = app.run.trace.stage(stage);
        let (sign, span_style, time) = match state {
            StageState::Done { elapsed_ms } => ("✓", SpanStyle::Good, Some(elapsed_ms)),
            StageState::Running { .. } if over => ("■", SpanStyle::Warning, None),
            // Nothing turns while it is paused.
            StageState::Running { .. } if app.run.playback().is_some_and(|playback| playback.paused) => ("▸", SpanStyle::Busy, None),
            StageState::Running { since_ms } => (spinner(app.now), SpanStyle::Busy, Some((app.elapsed_ms() - since_ms).max(0.0))),
            StageState::Waiting => ("·", SpanStyle::Dim, None),
        };
        let running = matches!(state, StageState::Running { .. });
        pieces.push((format!("{sign} "), span_style));
        if names || running {
            let span_style = if running {
                SpanStyle::Strong
            } else if matches!(state, StageState::Waiting) {
                SpanStyle::Dim
            } else {
                SpanStyle::Plain
            };
            pieces.push((format!("{} ", app.language.known(stage.as_str())), span_style));
        }
        if let Some(ms) = time.filter(|_| times) {
            pieces.push((format!("{} ", paint::duration(ms)), SpanStyle::Dim));
        }
        if times {
            pieces.push((" ".into(), SpanStyle::Plain));
        }
    }
    let span_style = match app.run.trace.outcome {
        Some(Outcome::Answered) => SpanStyle::Strong,
        Some(Outcome::Failed { .. }) => SpanStyle::Error,
        None if app.is_running() => SpanStyle::Busy,
        _ => SpanStyle::Warning,
    };
    pieces.push((format!("{} ", paint::duration(app.elapsed_ms())), span_style));
    pieces
}
