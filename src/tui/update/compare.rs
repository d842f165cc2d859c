//! Compares the run with an earlier one: what one has that the other lacks.

use crate::run::Trace;
use crate::session::{AnchorChange, ChainChange, Difference, compare};
use crate::tui::app::App;
use crate::tui::styled_text::{Block, SpanStyle};

/// Lines of one kind.
const MOST: usize = 30;

impl App {
    /// Shows the run compared with an earlier one.
    pub(super) fn compare_with(&mut self, other: &Trace) {
        let found = compare(other, &self.run.trace);
        let differs = |Difference { what, before, after }: &Difference| {
            let block = Block::new().indented(0, 2).with(&format!("{what}: "), SpanStyle::Dim);
            block.with(or_none(before), SpanStyle::Warning).with(" → ", SpanStyle::Dim).with(or_none(after), SpanStyle::Good)
        };
        let mut both = vec![heading("Settings, and what both have")];
        if found.is_same() {
            both.push(Block::new().with("The two runs agree.", SpanStyle::Good));
        }
        both.extend(found.question.iter().chain(&found.headlines).chain(&found.settings).chain(&found.triage).map(differs));
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
            "Only the earlier run",
            "−",
            SpanStyle::Warning,
            &found.anchors_lost,
            &found.chains_lost,
            &found.entities_lost,
            (found.found_lost.0, &found.found_lost.1),
        );
        let gained = side(
            "Only this run",
            "+",
            SpanStyle::Good,
            &found.anchors_gained,
            &found.chains_gained,
            &found.entities_gained,
            (found.found_gained.0, &found.found_gained.1),
        );
        both.extend(lost);
        self.open_text("This run compared with an earlier one", vec![both, gained]);
    }
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
