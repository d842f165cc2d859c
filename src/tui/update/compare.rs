//! Two runs side by side: what one has that the other has not.

use crate::run::Trace;
use crate::session::{AnchorChange, ChainChange, Difference, compare};
use crate::tui::app::App;
use crate::tui::styled_text::{Block, Ink};

/// Lines of one kind.
const MOST: usize = 30;

impl App {
    /// Shows the run beside an earlier one.
    pub(super) fn compare_with(&mut self, other: &Trace) {
        let found = compare(other, &self.trace);
        let mut both = vec![heading("Both")];
        if found.is_same() {
            both.push(Block::new().with("The two runs say the same.", Ink::Good));
        }
        let differences = found.question.iter().chain(&found.settings).chain(&found.triage);
        for Difference { what, before, after } in differences {
            let block = Block::new().indented(0, 2).with(&format!("{what}: "), Ink::Dim);
            both.push(block.with(before, Ink::Warning).with(" → ", Ink::Dim).with(after, Ink::Good));
        }
        both.push(quiet(format!("chains found: {} → {}", found.found.0, found.found.1)));
        both.push(quiet(format!("anchors in both: {} · kept chains in both: {}", found.anchors_kept.len(), found.chains_kept.len())));
        for change in found.chains_kept.iter().filter(|change| change.before != change.after).take(MOST) {
            both.push(chain(change, "↕", Ink::Dim));
        }
        both.push(Block::new());
        let side = |title: &str,
                    sign: &str,
                    ink: Ink,
                    anchors: &[AnchorChange],
                    chains: &[ChainChange],
                    stated: &[String],
                    more: (u64, &[String])| {
            let mut blocks = vec![heading(title)];
            for change in anchors.iter().take(MOST) {
                let score = change.after.or(change.before).unwrap_or_default();
                let block = Block::new().indented(0, 2).with(&format!("{sign} anchor "), ink).with(&change.entity, Ink::Plain);
                blocks.push(block.with(&format!(" {score:.2}"), Ink::Dim));
            }
            blocks.extend(chains.iter().take(MOST).map(|change| chain(change, sign, ink)));
            for entity in stated.iter().take(MOST) {
                blocks.push(Block::new().indented(0, 2).with(&format!("{sign} answer states "), ink).with(entity, Ink::Plain));
            }
            let (count, examples) = more;
            if count > 0 {
                blocks.push(quiet(format!("{count} chains were found by this one only, such as")));
                blocks.extend(examples.iter().take(3).map(|text| Block::new().indented(2, 4).with(text, Ink::Dim)));
            }
            if blocks.len() == 1 {
                blocks.push(quiet("nothing that the other has not".into()));
            }
            blocks.push(Block::new());
            blocks
        };
        let lost = side(
            "Only the earlier run",
            "−",
            Ink::Warning,
            &found.anchors_lost,
            &found.chains_lost,
            &found.entities_lost,
            (found.found_lost.0, &found.found_lost.1),
        );
        let gained = side(
            "Only this run",
            "+",
            Ink::Good,
            &found.anchors_gained,
            &found.chains_gained,
            &found.entities_gained,
            (found.found_gained.0, &found.found_gained.1),
        );
        both.extend(lost);
        self.open_text("This run beside an earlier one", vec![both, gained]);
    }
}

fn heading(text: &str) -> Block {
    Block::new().with(text, Ink::Heading)
}

fn quiet(text: String) -> Block {
    Block::new().indented(0, 2).with(&text, Ink::Dim)
}

/// A kept chain with its rank in each run.
fn chain(change: &ChainChange, sign: &str, ink: Ink) -> Block {
    let rank = match (change.before, change.after) {
        (Some(before), Some(after)) => format!("[{before}→{after}] "),
        (Some(only), None) | (None, Some(only)) => format!("[{only}] "),
        (None, None) => String::new(),
    };
    Block::new().indented(0, 2).with(&format!("{sign} kept "), ink).with(&rank, Ink::Dim).with(&change.text, Ink::Plain)
}
