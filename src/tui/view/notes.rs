//! What stands in place of an answer: how far the run is, why it failed, why there is no answer, and what to do next.

use unicode_width::UnicodeWidthStr;

use super::answer::{Shown, body};
use super::paint;
use crate::pipeline::answer::headlines::unlisted;
use crate::run::{AnswerPart, Marks, MethodName, Refusal, Stage, StageState, Trace};
use crate::text::sanitise_line;
use crate::tui::styled_text::{Block, SpanStyle};
use crate::words::{Language, counted_words, words};

/// Cells for the headings to the left of these texts.
const NOTES: usize = 16;

/// Whether the answer only says why there is none.
pub(super) fn is_refused(trace: &Trace) -> bool {
    trace.case.refusal.is_some() || trace.answer.lines.iter().any(|line| line.part == AnswerPart::NotUnderstood)
}

/// Whether a method that answers from documents found none: its answer says so, and what to do, below what the graph states.
pub(super) fn is_without_passages(trace: &Trace) -> bool {
    MethodName::OF_DOCUMENTS.contains(&trace.method.as_str()) && trace.passages.is_empty()
}

/// What the text of an answer says beside its lines.
pub(super) fn beside_lines<'a>(trace: &'a Trace) -> impl Iterator<Item = Block> + use<'a> {
    unlisted(&trace.answer, &trace.question).into_iter().map(|text| Block::new().with(text, SpanStyle::Strong))
}

/// How far the run is, while there is no answer to show.
pub(super) fn progress(trace: &Trace, opening: bool, blocks: &mut Vec<Block>, l: Language) {
    if trace.id.is_empty() {
        blocks.push(if opening {
            Block::new()
                .with(words!(l, "Opening the graph… "), SpanStyle::Busy)
                .with(words!(l, "Catena asks your question as soon as it is open."), SpanStyle::Dim)
        } else {
            Block::new().with(words!(l, "Ask a question: the answer appears here, with a citation for each claim."), SpanStyle::Dim)
        });
        return;
    }
    for stage in Stage::ALL {
        let (sign, span_style, time) = match trace.stage(stage) {
            StageState::Done { elapsed_ms } => ("✓", SpanStyle::Good, paint::duration(elapsed_ms)),
            StageState::Running { .. } => ("▸", SpanStyle::Busy, String::new()),
            StageState::Waiting => ("·", SpanStyle::Dim, String::new()),
        };
        let name = if matches!(trace.stage(stage), StageState::Running { .. }) { SpanStyle::Strong } else { SpanStyle::Plain };
        let mut block = Block::new().indented(1, 3).with(&format!("{sign} "), span_style);
        block.push(&padded(l.known(stage.as_str()), 12), name);
        block.push(&padded(&time, 10), SpanStyle::Dim);
        blocks.push(block.with(&stage_result(trace, stage, l), SpanStyle::Dim));
    }
}

/// What a stage has found so far, in a few words.
fn stage_result(trace: &Trace, stage: Stage, l: Language) -> String {
    let unlinked = match trace.unlinked.len() {
        0 => String::new(),
        n => words!(l, ", {n} not linked", n = n),
    };
    match stage {
        _ if trace.stage(stage) == StageState::Waiting => String::new(),
        Stage::Hypothesis => String::new(),
        Stage::Recognise => counted_words!(l, trace.mentions.len() as u64, "mention", "mentions"),
        Stage::Link => counted_words!(l, trace.anchors.len() as u64, "anchor", "anchors") + &unlinked,
        Stage::Search => counted_words!(l, trace.chains_found, "chain", "chains"),
        Stage::Prune if trace.pruning.kept.is_empty() => String::new(),
        Stage::Prune => words!(l, "{n} kept", n = trace.pruning.kept.len()),
        Stage::Read => String::new(),
    }
}

/// A text of at least `cells` cells; the blanks are never cut off.
fn padded(text: &str, cells: usize) -> String {
    format!("{text}{}", "\u{a0}".repeat(cells.saturating_sub(text.width())))
}

/// A heading with its text to its right.
fn note(heading: &str) -> Block {
    Block::new().indented(0, NOTES as u16).with(&padded(heading, NOTES), SpanStyle::Heading)
}

pub(super) fn failed(message: &str, blocks: &mut Vec<Block>, l: Language) {
    blocks.push(note(words!(l, "What happened")).with(message, SpanStyle::Error));
    let means =
        words!(l, "There is no answer to this question. The other panes show what was found before the failure; it is still valid.");
    blocks.push(note(words!(l, "What it means")).with(means, SpanStyle::Plain));
    let todo =
        words!(l, "The question is still in the editor: go there and ask again. If it fails again, “catena check” says what is missing.");
    blocks.push(note(words!(l, "What to do")).with(todo, SpanStyle::Plain));
}

pub(super) fn nothing(trace: &Trace, marks: &Marks, shown: &Shown, blocks: &mut Vec<Block>) {
    let l = shown.language;
    if !trace.answer.lines.is_empty() || trace.case.refusal.is_some() {
        refused(trace, marks, shown, blocks);
        return;
    }
    let reply = match trace.answer.text.trim() {
        "" if trace.anchors.is_empty() => words!(l, "Nothing in the question could be linked to the graph."),
        "" => words!(l, "No evidence was found in the graph."),
        text => text,
    };
    blocks.push(note(words!(l, "No evidence")).with(reply, SpanStyle::Strong));
    if is_without_passages(trace) {
        return;
    }
    if !trace.unlinked.is_empty() {
        let mut block = note(words!(l, "Not understood"));
        for (at, term) in trace.unlinked.iter().enumerate() {
            block.push(if at == 0 { "“" } else { ", “" }, SpanStyle::Dim);
            block.push(&sanitise_line(term), SpanStyle::Strong);
            block.push("”", SpanStyle::Dim);
        }
        blocks.push(block);
    }
    let todo =
        words!(l, "Try another name for the condition, symptom, test or drug, or use a graph that covers it. Catena does not guess.");
    blocks.push(note(words!(l, "What to do")).with(todo, SpanStyle::Plain));
}

/// Why there is no answer, and what to do next.
fn refused(trace: &Trace, marks: &Marks, shown: &Shown, blocks: &mut Vec<Block>) {
    body(trace, marks, &[], shown, blocks);
    // Without lines, the body has the whole text already.
    if !trace.answer.lines.is_empty() {
        blocks.extend(beside_lines(trace));
    }
    let Shown { language: l, case_key, anchor_key, .. } = shown;
    let todo = match &trace.case.refusal {
        // The answer itself says what to do, or there is nothing to do.
        Some(Refusal::NotClinical | Refusal::Harm) => return,
        None if is_without_passages(trace) => return,
        Some(Refusal::SubjectUnknown) => {
            words!(
                l,
                "Check the spelling, or write the name in another way. {anchor} searches the graph for an entity and adds it; another graph may know more.",
                anchor = anchor_key
            )
        }
        Some(Refusal::TooLittleUnderstood) | None => words!(
            l,
            "Name the main finding, condition or drug in other words. {case} shows how the question was read and corrects it; {anchor} adds an entity of the graph.",
            case = case_key,
            anchor = anchor_key
        ),
    };
    blocks.push(Block::new());
    blocks.push(note(words!(l, "What to do")).with(&todo, SpanStyle::Plain));
}
