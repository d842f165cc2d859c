//! The demo: a strip of all stages, and for the one that is shown a caption in words, what its new signs mean, and its counts as bars.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use super::{help, paint};
use crate::graph::ChainKind;
use crate::run::{AnchorOrigin, AnswerPart, Mark, Marks, MentionOrigin, Stage, StageState, Trace};
use crate::text::sanitise_line;
use crate::tui::action::Pane;
use crate::tui::app::App;
use crate::tui::styled_text::{self, Block, SpanStyle};
use crate::tui::update::{DEMO_STAGES, kinds_of_decisions};
use crate::words::{Language, counted_words, words};

/// Cells for the name of a bar, and for the longest bar.
const NAME: usize = 24;
const BAR: u64 = 40;

pub(super) fn draw(buf: &mut Buffer, app: &mut App, strip: Rect, caption: Rect) {
    if strip.is_empty() {
        return;
    }
    stages(buf, app, strip);
    let trace = &app.run.trace;
    let said_here = || {
        let said = caption_of(trace, app.layout.focus, app.language);
        // These stages ran again, and are shown again.
        let is_again =
            trace.revisions > 0 && app.run.playback().is_some() && !matches!(app.layout.focus, Pane::Question | Pane::Hypothesis);
        if is_again { after_decision(trace, &said, app.language) } else { said }
    };
    let text = app.tour.map_or_else(said_here, |tour| tour.text(&app.input.keymap, app.language));
    let width = caption.width.saturating_sub(2).max(1);
    let mut blocks = vec![Block::new().with(&text, SpanStyle::Strong)];
    blocks.extend(first_seen(trace, &app.run.marks, app.layout.focus).into_iter().map(|mark| {
        let sign = Block::new().indented(0, 2).with(mark.sign(), SpanStyle::Entity(mark));
        sign.with("\u{a0}", SpanStyle::Plain).with(help::meaning(mark, app.language), SpanStyle::Plain)
    }));
    let rows = styled_text::wrap(&blocks, width);
    let area = Rect::new(caption.x + 1, caption.y, width.min(caption.width), caption.height);
    paint::rows(buf, &app.look.theme, area, &rows, 0, |_, _, style| style);
    let top = caption.y + (rows.len() as u16).min(caption.height) + 1;
    let bars = bars(trace, app.layout.focus, app.language);
    let most = bars.iter().map(|(_, count, _)| *count).max().unwrap_or(0).max(1);
    for ((name, count, style), y) in bars.iter().zip(top..caption.bottom()) {
        // What is there at all is seen.
        let cells = (count * BAR).div_ceil(most) as usize;
        let name = format!("{name}{}", " ".repeat(NAME.saturating_sub(name.width())));
        let bar = "█".repeat(cells);
        let number = format!(" {}", paint::count(*count));
        let pieces = [(name.as_str(), SpanStyle::Plain), (bar.as_str(), *style), (number.as_str(), SpanStyle::Strong)];
        paint::pieces(buf, &app.look.theme, (area.x, y), area.width, pieces);
    }
}

/// That a stage ran again, and after which decisions.
fn after_decision(trace: &Trace, caption: &str, l: Language) -> String {
    let what: Vec<String> = kinds_of_decisions(&trace.triage, false).into_iter().map(|what| l.known(what).to_owned()).collect();
    match what.is_empty() {
        true => words!(l, "After your decision, this stage ran again. {caption}", caption = caption),
        false => {
            words!(l, "After your decision ({what}), this stage ran again. {caption}", what = l.listed(&what), caption = caption)
        }
    }
}

/// All stages in a row; the one that is shown stands out, and a click goes to any.
fn stages(buf: &mut Buffer, app: &mut App, area: Rect) {
    let mut x = area.x + 1;
    for (at, pane) in DEMO_STAGES.into_iter().enumerate() {
        let is_here = pane == app.layout.focus;
        let count = count(&app.run.trace, pane).filter(|count| *count > 0).map(|count| format!(" {}", paint::count(count)));
        let text = format!(" {}{} ", app.language.known(pane.title()), count.unwrap_or_default());
        let room = area.right().saturating_sub(x);
        if at > 0 {
            x += paint::pieces(buf, &app.look.theme, (x, area.y), room, [("▸", SpanStyle::Dim)]);
        }
        let style =
            if is_here { app.look.theme.styles.selected.patch(app.look.theme.styles.title_focused) } else { app.look.theme.styles.dim };
        let used = paint::styled(buf, (x, area.y), area.right().saturating_sub(x), [(text.as_str(), style)]);
        app.layout.frame.tabs.push((Rect::new(x, area.y, used, 1), pane));
        x += used;
    }
}

/// How many things a stage has found.
fn count(trace: &Trace, pane: Pane) -> Option<u64> {
    match pane {
        Pane::Anchors => Some(trace.anchors.len() as u64),
        Pane::Chains => Some(trace.chains_found),
        Pane::Kept => Some(trace.pruning.kept.len() as u64),
        _ => None,
    }
}

/// The signs of origin that a stage is the first to show.
fn first_seen(trace: &Trace, marks: &Marks, pane: Pane) -> Vec<Mark> {
    let at = DEMO_STAGES.iter().position(|stage| *stage == pane).unwrap_or(0);
    let earlier = || DEMO_STAGES.into_iter().take(at);
    let is_new = |mark: &Mark| {
        // What the answer corrects is known only with it: whoever saw the run arrive has not seen the sign before.
        let comes_with_answer = pane == Pane::Answer && *mark == Mark::Contested;
        shows(trace, marks, pane, *mark) && (comes_with_answer || !earlier().any(|stage| shows(trace, marks, stage, *mark)))
    };
    Mark::ALL.into_iter().filter(is_new).collect()
}

/// Whether a sign of origin is on a stage.
fn shows(trace: &Trace, marks: &Marks, pane: Pane, mark: Mark) -> bool {
    let mentioned = |origin: MentionOrigin| {
        marks.has(mark) && trace.mentions.iter().any(|mention| mention.origin == origin && marks.of_mention(&mention.text) == Some(mark))
    };
    match pane {
        Pane::Question => mentioned(MentionOrigin::Question),
        Pane::Hypothesis => mentioned(MentionOrigin::Hypothesis) || (mark == Mark::Model && trace.model_hypothesis.is_some()),
        Pane::Anchors => trace.anchors.iter().any(|anchor| marks.of_name(&anchor.entity) == mark),
        // From the chains on, any may be there.
        Pane::Chains | Pane::Kept | Pane::Answer | Pane::Why | Pane::Graph => marks.has(mark),
    }
}

/// What a stage does, in words, with its own numbers.
fn caption_of(trace: &Trace, pane: Pane, l: Language) -> String {
    let is_done = |stage: Stage| matches!(trace.stage(stage), StageState::Done { .. });
    let (anchors, kept) = (trace.anchors.len() as u64, trace.pruning.kept.len() as u64);
    match pane {
        Pane::Question => words!(l, "A question, as a doctor or a patient would ask it. Words that the graph knows are marked.").into(),
        Pane::Hypothesis if !is_done(Stage::Hypothesis) => words!(l, "A first guess at the answer is being written.").into(),
        Pane::Hypothesis => {
            let by =
                trace.models.as_ref().filter(|models| models.generator.kind != "graph").map(|models| sanitise_line(&models.generator.name));
            let by = by.map_or_else(
                || words!(l, "from the graph itself, without a language model").to_owned(),
                |name| words!(l, "by {name}", name = name),
            );
            words!(l, "A first guess, written {by}. It only says what else to look for; it is not the answer.", by = by)
        }
        Pane::Anchors => {
            let unlinked = trace.unlinked.len() as u64;
            let rest = match unlinked {
                0 => String::new(),
                n => words!(l, " {count} not, and said so.", count = counted_words!(l, n, "phrase is", "phrases are")),
            };
            let count = counted_words!(l, anchors, "name is", "names are");
            words!(l, "{count} linked to entities of the graph: the search begins there.{rest}", count = count, rest = rest)
        }
        Pane::Chains if trace.chains_found == 0 => words!(l, "The search looks for every chain of relations between two anchors.").into(),
        Pane::Chains => {
            let k = trace.settings.as_ref().map_or(3, |settings| settings.k);
            let count = counted_words!(l, trace.chains_found, "chain", "chains");
            words!(l, "{count} of at most {k} relations between the anchors, found in the graph; none is invented.", count = count, k = k)
        }
        Pane::Kept if kept == 0 => words!(l, "The chains that fit the question best are chosen.").into(),
        Pane::Kept => {
            let count = counted_words!(l, trace.chains_found, "chain", "chains");
            words!(l, "Of {count}, {kept} are kept: best fit, least repetition.", count = count, kept = kept)
        }
        Pane::Answer if trace.answer.text.is_empty() => words!(l, "The answer is written from the kept chains alone.").into(),
        Pane::Answer if !trace.case.is_empty() => {
            words!(l, "The answer. Each line below “Read as” cites the chains that prove it; what to do is quoted from the graph's entry.")
                .into()
        }
        Pane::Answer => {
            words!(l, "The answer. Each line cites the chains that prove it; what to do is quoted from the graph's entry.").into()
        }
        Pane::Why => {
            words!(l, "Why a line is in the answer: the chain it cites, its entities, and where each statement comes from.").into()
        }
        Pane::Graph => {
            words!(l, "The same evidence, drawn as a graph: the anchors and the kept chains. The selected chain is bright.").into()
        }
    }
}

/// The counts of a stage, with what they count.
fn bars(trace: &Trace, pane: Pane, l: Language) -> Vec<(String, u64, SpanStyle)> {
    let signed = |mark: Mark, text: &str| format!("{} {text}", mark.sign());
    let bars = match pane {
        Pane::Question => {
            vec![(signed(Mark::Question, words!(l, "named in the question")), of_question(trace), SpanStyle::Entity(Mark::Question))]
        }
        Pane::Anchors => {
            let hypothesis = trace.anchors.len() as u64 - of_question(trace);
            vec![
                (signed(Mark::Question, words!(l, "from the question")), of_question(trace), SpanStyle::Entity(Mark::Question)),
                (signed(Mark::Hypothesis, words!(l, "from the guess")), hypothesis, SpanStyle::Entity(Mark::Hypothesis)),
                (words!(l, "✗ not in the graph").into(), trace.unlinked.len() as u64, SpanStyle::Warning),
            ]
        }
        Pane::Chains => {
            let kind = |kind: &ChainKind| {
                let name = format!("{} {}", super::chain::sign(*kind), l.known(kind.word()));
                (name, trace.by_kind.get(kind).copied().unwrap_or(0), SpanStyle::Bar)
            };
            ChainKind::ALL.iter().map(kind).collect()
        }
        Pane::Kept => {
            vec![
                (words!(l, "found").into(), trace.chains_found, SpanStyle::Bar),
                (words!(l, "kept").into(), trace.pruning.kept.len() as u64, SpanStyle::Good),
            ]
        }
        Pane::Answer => {
            let of = |part: AnswerPart| trace.answer.lines.iter().filter(|line| line.part == part).count() as u64;
            let parts = [
                (words!(l, "lines: safety"), AnswerPart::Safety),
                (words!(l, "lines: conditions"), AnswerPart::Conditions),
                (words!(l, "lines: tests"), AnswerPart::Tests),
                (words!(l, "lines: treatments"), AnswerPart::Treatments),
            ];
            let mut bars: Vec<_> = parts.into_iter().map(|(name, part)| (name.to_owned(), of(part), SpanStyle::Bar)).collect();
            bars.push((words!(l, "chains cited").into(), trace.answer.citations.len() as u64, SpanStyle::Good));
            bars
        }
        Pane::Hypothesis | Pane::Why | Pane::Graph => Vec::new(),
    };
    bars.into_iter().filter(|(_, count, _)| *count > 0).collect()
}

fn of_question(trace: &Trace) -> u64 {
    trace.anchors.iter().filter(|anchor| anchor.origin != AnchorOrigin::Hypothesis).count() as u64
}
