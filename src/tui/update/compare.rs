//! Compares the run with another one: what one has that the other lacks. The earlier one stands first.

use crate::run::Trace;
use crate::session::{AnchorChange, ChainChange, Difference, compare, time_of_id};
use crate::tui::app::App;
use crate::tui::sessions::local_time;
use crate::tui::styled_text::{Block, SpanStyle};

/// Lines of one kind.
const MOST: usize = 30;

impl App {
    /// Shows the run compared with another one.
    pub(super) fn compare_with(&mut self, other: &Trace) {
        let this = &self.run.trace;
        let is_later = time_of_id(&other.id).zip(time_of_id(&this.id)).is_some_and(|(other, this)| other > this);
        let found = if is_later { compare(this, other) } else { compare(other, this) };
        let other_name = if is_later { "the later run" } else { "the earlier run" };
        let (first, second) = if is_later { ("this run", other_name) } else { (other_name, "this run") };
        let (title, of_first, of_second) = (
            if is_later { "This run compared with a later one" } else { "This run compared with an earlier one" },
            format!("Only {first}{}", asked_at(if is_later { this } else { other })),
            format!("Only {second}{}", asked_at(if is_later { other } else { this })),
        );
        let differs = |Difference { what, before, after }: &Difference| {
            let block = Block::new().indented(0, 2).with(&format!("{what}: "), SpanStyle::Dim);
            block.with(or_none(before), SpanStyle::Warning).with(" → ", SpanStyle::Dim).with(or_none(after), SpanStyle::Good)
        };
        let mut both: Vec<Block> = stated_the_same(this, other).into_iter().flat_map(|said| [said, Block::new()]).collect();
        both.push(heading("Settings and decisions, and what both have"));
        if found.is_same() {
            both.push(Block::new().with("The two runs agree.", SpanStyle::Good));
        }
        both.extend(found.question.iter().chain(&found.headlines).chain(&found.settings).map(differs));
        both.extend(found.triage.iter().flat_map(|difference| decided(difference, first, second)));
        let (before, after) = (crate::text::grouped(found.found.0), crate::text::grouped(found.found.1));
        both.push(quiet(if before == after {
            format!("both found {after} chains")
        } else {
            format!("chains found: {before} → {after}")
        }));
        if found.is_cut {
            both.push(quiet("A recording keeps only a part of so many chains, so which of them one run alone found is not known.".into()));
        }
        both.push(quiet(format!("anchors in both: {} · kept chains in both: {}", found.anchors_kept.len(), found.chains_kept.len())));
        for change in found.chains_kept.iter().filter(|change| change.before != change.after).take(MOST) {
            both.push(chain(change, "↕", SpanStyle::Dim));
        }
        both.push(Block::new());
        let side = |title: &str,
                    sign: &str,
                    span_style: SpanStyle,
                    anchors: &[AnchorChange],
                    chains: &[ChainChange],
                    stated: &[String],
                    more: (u64, &[String])| {
            let mut blocks = vec![heading(title)];
            // What the answers say comes first: for this the runs are compared.
            for entity in stated.iter().take(MOST) {
                blocks.push(Block::new().indented(0, 2).with(&format!("{sign} answer states "), span_style).with(entity, SpanStyle::Plain));
            }
            for change in anchors.iter().take(MOST) {
                let score = change.after.or(change.before).unwrap_or_default();
                let block = Block::new().indented(0, 2).with(&format!("{sign} anchor "), span_style).with(&change.entity, SpanStyle::Plain);
                blocks.push(block.with(&format!(" {score:.2}"), SpanStyle::Dim));
            }
            blocks.extend(chains.iter().take(MOST).map(|change| chain(change, sign, span_style)));
            let (count, examples) = more;
            if count > 0 && !found.is_cut {
                blocks.push(quiet(format!("{} only here, such as", crate::text::counted(count, "chain was found", "chains were found"))));
                blocks.extend(examples.iter().take(3).map(|text| Block::new().indented(2, 4).with(text, SpanStyle::Dim)));
            }
            if blocks.len() == 1 {
                blocks.push(quiet("nothing that the other lacks".into()));
            }
            blocks.push(Block::new());
            blocks
        };
        let lost = side(
            &of_first,
            "−",
            SpanStyle::Warning,
            &found.anchors_lost,
            &found.chains_lost,
            &found.entities_lost,
            (found.found_lost.0, &found.found_lost.1),
        );
        let gained = side(
            &of_second,
            "+",
            SpanStyle::Good,
            &found.anchors_gained,
            &found.chains_gained,
            &found.entities_gained,
            (found.found_gained.0, &found.found_gained.1),
        );
        both.extend(lost);
        self.open_text(title, vec![both, gained]);
    }
}

/// Whether the answers say the same: for this two runs are compared. `None` where neither has one.
fn stated_the_same(this: &Trace, other: &Trace) -> Option<Block> {
    if this.answer.lines.is_empty() && other.answer.lines.is_empty() {
        return None;
    }
    let texts = |trace: &Trace| trace.answer.lines.iter().map(|line| line.text.clone()).collect::<Vec<_>>();
    let (texts, stated) = ((texts(this), texts(other)), (&this.answer.entities, &other.answer.entities));
    Some(match (texts.0 == texts.1, stated.0 == stated.1) {
        (true, _) => Block::new().with("The answer says the same in both runs.", SpanStyle::Good),
        (false, true) => Block::new().with("The answer names the same results in both runs, in other lines.", SpanStyle::Plain),
        (false, false) => Block::new().with("The answer differs between the runs.", SpanStyle::Warning),
    })
}

/// When a run was asked, where its id tells; empty else.
fn asked_at(trace: &Trace) -> String {
    time_of_id(&trace.id).map_or_else(String::new, |at| format!(" ({})", local_time(at)))
}

/// What a doctor decided in one run and not in the other, and in which. A chain has arrows of its own: none stands between the two.
fn decided(Difference { what, before, after }: &Difference, first: &str, second: &str) -> Vec<Block> {
    let sides = [(before, first, SpanStyle::Warning), (after, second, SpanStyle::Good)];
    let is_in_one = before.is_empty() || after.is_empty();
    let said = sides.into_iter().filter(|(value, ..)| !value.is_empty()).flat_map(|(value, run, style)| {
        let only = if is_in_one { " only" } else { "" };
        let head = Block::new().indented(0, 2).with(&format!("{what} in {run}{only}:"), SpanStyle::Dim);
        [head, Block::new().indented(2, 4).with(value, style)]
    });
    said.collect()
}

/// A value that one run has not is said to be none, not left blank.
fn or_none(value: &str) -> &str {
    if value.is_empty() { "none" } else { value }
}

fn heading(text: &str) -> Block {
    Block::new().with(text, SpanStyle::Heading)
}

fn quiet(text: String) -> Block {
    Block::new().indented(0, 2).with(&text, SpanStyle::Dim)
}

/// A kept chain with its rank in each run.
fn chain(change: &ChainChange, sign: &str, span_style: SpanStyle) -> Block {
    let rank = match (change.before, change.after) {
        (Some(before), Some(after)) => format!("[{before}→{after}] "),
        (Some(only), None) | (None, Some(only)) => format!("[{only}] "),
        (None, None) => String::new(),
    };
    Block::new().indented(0, 2).with(&format!("{sign} kept "), span_style).with(&rank, SpanStyle::Dim).with(&change.text, SpanStyle::Plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whether_the_answers_say_the_same_is_said_first() {
        let said = |one: &Trace, other: &Trace| {
            let rows = crate::tui::styled_text::wrap(&stated_the_same(one, other).into_iter().collect::<Vec<_>>(), 200);
            rows.iter().flat_map(|row| row.pieces.iter().map(|(text, _)| text.clone())).collect::<String>()
        };
        let (one, mut other) = (Trace::default(), Trace::default());
        assert_eq!(said(&one, &other), "", "neither has an answer");
        other.answer.entities.push("Antacid".into());
        other.answer.lines.push(crate::run::AnswerLine {
            part: crate::run::AnswerPart::Treatments,
            entity: "Antacid".into(),
            also: Vec::new(),
            role: None,
            text: "Antacid".into(),
            citations: vec![1],
            passages: Vec::new(),
            unsupported: false,
        });
        assert_eq!(said(&one, &other), "The answer differs between the runs.");
        assert_eq!(said(&other.clone(), &other), "The answer says the same in both runs.");
    }

    #[test]
    fn a_decision_of_one_run_is_said_in_words_and_with_its_run() {
        let said = |before: &str, after: &str| -> Vec<String> {
            let difference = Difference { what: "rejected".into(), before: before.into(), after: after.into() };
            let rows = crate::tui::styled_text::wrap(&decided(&difference, "this run", "the later run"), 200);
            rows.iter().map(|row| row.pieces.iter().map(|(text, _)| text.as_str()).collect::<String>().trim().to_owned()).collect()
        };
        assert_eq!(said("A → treats → B", ""), ["rejected in this run only:", "A → treats → B"]);
        assert_eq!(said("", "A"), ["rejected in the later run only:", "A"]);
        assert_eq!(said("A", "B"), ["rejected in this run:", "A", "rejected in the later run:", "B"]);
    }
}
