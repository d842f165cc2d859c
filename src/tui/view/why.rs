//! Why this chain? The selected chain in full, the entities at its ends, and how it fits each fragment of
//! question and hypothesis.

use std::collections::BTreeSet;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{chain, paint, pane, why_alarm, why_uncited};
use crate::graph::{Chain, ChainKind};
use crate::run::{ChainKey, Explanation, Fate, ScoredChain, Taught, Trace, proving_steps};
use crate::run::{Mark, Marks};
use crate::text::{StopWords, is_chinese, sanitise_line, stretch};
use crate::tui::action::{Action, Pane};
use crate::tui::app::{App, RunView};
use crate::tui::keymap::Context;
use crate::tui::styled_text::{Block, SpanStyle};
use crate::words::{Language, words};

const BARS: [&str; 9] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉", "█", "█"];
/// Cells of the longest bar.
const BAR: usize = 6;
/// If no bar is longer, something else is why the chain was kept: Chinese words resemble the English names of a graph little.
const SHORT: f64 = 0.25;

/// If a score exceeds the longest bar by more than this, a line says why.
const LEAST_SAID: f64 = 0.05;

pub(super) fn draw(buf: &mut Buffer, app: &mut App, area: Rect) {
    let l = app.language;
    if app.selection.alarm {
        why_alarm::draw(buf, app, area);
        return;
    }
    if app.selected_uncited().is_some() {
        why_uncited::draw(buf, app, area);
        return;
    }
    let more = match (app.selection.chain, app.selected_kept()) {
        (Some(_), Some(id)) => vec![(words!(l, "this chain? ").into(), SpanStyle::Dim), (format!("[{id}]"), SpanStyle::Citation(id))],
        _ => vec![(words!(l, "this chain?").into(), SpanStyle::Dim)],
    };
    let inner = pane::frame(buf, app, Pane::Why, area, &more);
    let Some(number) = app.selection.chain else {
        pane::empty_text(buf, &app.look.theme, inner, words!(l, "The selected chain in full: its entities, and how it fits the question."));
        return;
    };
    let entry = app.selected_entry().map(|line| (sanitise_line(&line.entity), sanitise_line(&line.text)));
    let line =
        LineCites { chains: app.cited_by_line(), chain: number, key: app.input.keymap.key_of(Action::NextKept, Context::Panes), entry };
    let height = usize::from(inner.height);
    let App { layout, run, look, selection, .. } = app;
    let RunView { trace, marks, version, explanation, decisions, .. } = run;
    let (theme, why_offset) = (&look.theme, &mut selection.why_offset);
    // The text depends on the selected chain too.
    let key = version.wrapping_mul(1 << 32).wrapping_add(u64::from(number)).wrapping_add(line.version() << 24);
    let explained = explanation.as_ref().filter(|explained| explained.chain == number);
    let facts = ChainFacts { language: l, trace, marks, explained, pinned: &decisions.wanted.pinned };
    let rows = layout.frame.why.rows(key, inner.width, || line.blocks(l).into_iter().chain(compose(&facts, number)).collect());
    let total = rows.len();
    *why_offset = (*why_offset).min(total.saturating_sub(height));
    let offset = *why_offset;
    paint::rows(buf, theme, inner, rows, offset, |_, _, style| style);
    pane::scrollbar(buf, &app.look.theme, area, offset, total);
}

/// The chains that one line of the answer cites, where it cites more than the one that is shown.
struct LineCites {
    /// By their numbers in the table and their ids.
    chains: Vec<(u32, u32)>,
    /// The one that is shown.
    chain: u32,
    /// The key that goes to the next.
    key: String,
    /// The condition, and what its entry says, where the line is that.
    entry: Option<(String, String)>,
}

impl LineCites {
    /// Differs for different chains, and where the line is an entry.
    fn version(&self) -> u64 {
        let entry = u64::from(self.entry.is_some());
        self.chains.iter().fold(entry, |sum, (_, id)| sum.wrapping_mul(31).wrapping_add(u64::from(*id)))
    }

    fn blocks(&self, l: Language) -> Vec<Block> {
        let Some((condition, text)) = &self.entry else { return self.block(l).into_iter().collect() };
        let head = words!(l, "The entry of {condition} in the graph", condition = condition);
        let below = words!(l, "No chain states this. The chain below shows why {condition} is named:", condition = condition);
        vec![
            Block::new().with(&head, SpanStyle::Heading),
            Block::new().indented(2, 2).with(text, SpanStyle::Plain),
            Block::new().with(&below, SpanStyle::Dim),
        ]
    }

    fn block(&self, l: Language) -> Option<Block> {
        if self.chains.len() < 2 {
            return None;
        }
        let mut block = Block::new().indented(0, 2).with(words!(l, "The line rests on "), SpanStyle::Dim);
        for (chain, id) in &self.chains {
            let style = if *chain == self.chain { SpanStyle::Strong } else { SpanStyle::Citation(*id) };
            block.push(&format!("[{id}]"), style);
        }
        let more = words!(l, "; {key} shows the next", key = self.key);
        Some(block.with(&more, SpanStyle::Dim))
    }
}

/// What is known about the chain.
struct ChainFacts<'a> {
    language: Language,
    trace: &'a Trace,
    marks: &'a Marks,
    explained: Option<&'a Explanation>,
    pinned: &'a BTreeSet<ChainKey>,
}

fn compose(facts: &ChainFacts<'_>, number: u32) -> Vec<Block> {
    let ChainFacts { language: l, trace, marks, explained, .. } = *facts;
    let Some(chain) = trace.table.chains.get(number as usize) else { return Vec::new() };
    let kept = trace.kept_id(number).filter(|_| !trace.is_stale());
    let steps = kept.map(|id| proving_steps(trace, id)).unwrap_or_default();
    let mut pieces = chain::pieces(&trace.table, marks, chain);
    chain::in_language(&mut pieces, l);
    // A long chain says more than the line: what proves that stands first, by itself.
    let mut blocks: Vec<Block> = chain::alone(&pieces, &steps).into_iter().map(|block| block.indented(0, 2)).collect();
    if !blocks.is_empty() {
        blocks.push(Block::new().with(words!(l, "This is part of a longer chain:"), SpanStyle::Dim));
    }
    chain::emphasise(&mut pieces, &steps);
    blocks.push(chain::block_of(pieces).indented(0, 2));
    blocks.push(place(facts, number, chain));
    blocks.extend(explained.and_then(|explained| explained.taught.as_ref()).map(|taught| by_ratings(taught, l)));
    let interior = if chain.len() > 1 { &chain.nodes()[1..chain.len()] } else { &[] };
    let ends = [chain.nodes()[0], chain.nodes()[chain.len()]];
    for (node, is_end) in ends.iter().map(|node| (*node, true)).chain(interior.iter().map(|node| (*node, false))) {
        let Some(entity) = trace.table.entities.get(node as usize) else { continue };
        let mut block = Block::new().indented(0, 2);
        block.push_entity(&sanitise_line(&entity.name), marks.in_chain(chain, node));
        if !entity.kind.is_empty() {
            block.push(&format!(" · {}", sanitise_line(&entity.kind).replace('_', " ")), SpanStyle::Dim);
        }
        if let Some(anchor) = trace.anchors.iter().find(|anchor| anchor.entity == entity.name) {
            let mention = sanitise_line(&anchor.mention);
            let score =
                if anchor.score < 0.995 { words!(l, " at {score}", score = format_args!("{:.2}", anchor.score)) } else { String::new() };
            block.push(&words!(l, " · linked from “{mention}”{score}", mention = mention, score = score), SpanStyle::Dim);
        }
        let card = explained.and_then(|explained| explained.entities.iter().find(|card| card.name == entity.name));
        if let Some(card) = card {
            block.push(&words!(l, " · {count} triples", count = paint::count(card.triples)), SpanStyle::Dim);
        }
        if !entity.description.is_empty() && (is_end || explained.is_some()) {
            block.push(&format!("  {}", sanitise_line(&entity.description)), SpanStyle::Plain);
        }
        if let Some(card) = card.filter(|card| is_end && !card.aliases.is_empty()) {
            let aliases: Vec<String> = card.aliases.iter().map(|alias| sanitise_line(alias)).collect();
            block.push(&words!(l, "  Also: {names}.", names = aliases.join(", ")), SpanStyle::Dim);
        }
        blocks.push(block);
    }
    if let Some(explained) = explained.filter(|explained| !explained.triples.is_empty()) {
        blocks.push(Block::new().with(words!(l, "Sources of its triples"), SpanStyle::Heading));
        for triple in &explained.triples {
            let span_style = if triple.learned { SpanStyle::Entity(Mark::Learned) } else { SpanStyle::Plain };
            let sign = if triple.learned { format!("{}\u{a0}", Mark::Learned.sign()) } else { String::new() };
            let block = Block::new().indented(0, 2).with(&sign, span_style).with(&triple_in(&triple.text, l), span_style);
            blocks.push(block.with(&format!("  {}", sanitise_line(&triple.source)), SpanStyle::Dim));
            let qualifiers = sanitise_line(&triple.qualifiers.in_language(is_chinese(&trace.question)));
            if !qualifiers.is_empty() {
                blocks.push(Block::new().indented(2, 2).with(&qualifiers, SpanStyle::Plain));
            }
        }
    }
    fragments(facts, number, &mut blocks);
    blocks
}

/// A triple with its relation in the language of the screen.
fn triple_in(text: &str, l: Language) -> String {
    let text = sanitise_line(text);
    match text.split(" → ").collect::<Vec<_>>().as_slice() {
        [head, relation, tail] => format!("{head} → {} → {tail}", l.known(relation)),
        _ => text,
    }
}

/// What earlier ratings did about it.
fn by_ratings(taught: &Taught, l: Language) -> Block {
    let mut block = Block::new().indented(0, 2);
    if let Some(record) = taught.pinned_by {
        block.push(&words!(l, "▲ pinned for questions like this (record {record})", record = record), SpanStyle::Good);
    }
    if taught.good + taught.bad > 0 {
        if taught.pinned_by.is_some() {
            block.push(" · ", SpanStyle::Dim);
        }
        let added = format!("{:+.2}", taught.added);
        let text = words!(
            l,
            "ratings add {added}: answers that cite it were rated good {good}×, bad {bad}×",
            added = added,
            good = taught.good,
            bad = taught.bad
        );
        block.push(&text, SpanStyle::Dim);
    }
    block
}

/// What kind of chain it is and where it came in.
fn place(facts: &ChainFacts<'_>, number: u32, chain: &Chain) -> Block {
    let (trace, l) = (facts.trace, facts.language);
    let kind_text = match chain.kind() {
        ChainKind::Path => words!(l, "path: one leads to the other"),
        ChainKind::CoAncestor => words!(l, "shared result: both lead to the same entity"),
        ChainKind::CoOccurrence => words!(l, "shared cause: both come from the same entity"),
        ChainKind::Neighbour => words!(l, "neighbour of the only anchor"),
    };
    let mut block = Block::new().indented(0, 2).with(&format!("{} {kind_text}", chain::sign(chain.kind())), SpanStyle::Dim);
    if chain.learned() {
        block.push(" · ", SpanStyle::Dim);
        block.push_entity(words!(l, "learned from feedback or taught"), Mark::Learned);
    }
    block.push(" · ", SpanStyle::Dim);
    let pruning = &trace.pruning;
    let pinned = || facts.pinned.contains(&ChainKey::of(&trace.table, chain));
    if let Some(at) = pruning.kept.iter().position(|scored| scored.chain == number) {
        block.push(&words!(l, "kept as {at} of {total}", at = at + 1, total = pruning.kept.len()), SpanStyle::Good);
        block.push(&words!(l, ", score {score}", score = format_args!("{:.2}", pruning.kept[at].score)), SpanStyle::Dim);
        if pinned() {
            block.push(words!(l, " · ▲ pinned by you"), SpanStyle::Good);
        }
        return block;
    }
    if let Some(explained) = facts.explained {
        not_kept(&mut block, &explained.fate, l);
    } else if let Some(at) = pruning.runners_up.iter().position(|scored| scored.chain == number) {
        let score = pruning.runners_up[at].score;
        block.push(&words!(l, "not kept: runner-up {at}", at = at + 1), SpanStyle::Warning);
        // A chain is kept for what it adds, too: one with a lower score may be among those kept.
        let better = pruning.kept.iter().map(|kept| kept.score).filter(|kept| *kept > score).reduce(f64::min);
        let text = match better {
            Some(better) => words!(
                l,
                ", score {score}; the next better one kept has {better}",
                score = format_args!("{score:.2}"),
                better = format_args!("{better:.2}")
            ),
            None => words!(l, ", score {score}", score = format_args!("{score:.2}")),
        };
        block.push(&text, SpanStyle::Dim);
    } else if !pruning.kept.is_empty() {
        block.push(words!(l, "not kept"), SpanStyle::Warning);
        match pruning.scored.last() {
            Some(last) => {
                let scorer = sanitise_line(&last.scorer);
                let text = words!(l, ": others fit better ({scorer} compared {count})", scorer = scorer, count = paint::count(last.chains));
                block.push(&text, SpanStyle::Dim);
            }
            None => block.push(words!(l, ": others fit better"), SpanStyle::Dim),
        }
    }
    block
}

/// What kept a chain out.
fn not_kept(block: &mut Block, fate: &Fate, l: Language) {
    match fate {
        Fate::Kept { .. } | Fate::Undecided => block.push(words!(l, "not decided yet"), SpanStyle::Dim),
        Fate::Rejected { by } => {
            block.push(words!(l, "✗ not kept"), SpanStyle::Warning);
            block.push(&words!(l, ": {reason}", reason = l.known(&sanitise_line(by))), SpanStyle::Dim);
        }
        Fate::Outscored { score, least_kept } => {
            block.push(words!(l, "not kept"), SpanStyle::Warning);
            block.push(
                &words!(
                    l,
                    ": score {score}; the next better one kept has {better}",
                    score = format_args!("{score:.2}"),
                    better = format_args!("{least_kept:.2}")
                ),
                SpanStyle::Dim,
            );
        }
        Fate::Alike { kept, score } => {
            block.push(words!(l, "not kept"), SpanStyle::Warning);
            block.push(&words!(l, ": score {score}, but it adds little to ", score = format_args!("{score:.2}")), SpanStyle::Dim);
            block.push(&format!("[{kept}]"), SpanStyle::Citation(*kept));
        }
        Fate::PrefilteredOut { read } => {
            block.push(words!(l, "not kept"), SpanStyle::Warning);
            let count = paint::count(*read);
            let text = words!(l, ": a quick look put {count} other chains first; only those were compared closely", count = count);
            block.push(&text, SpanStyle::Dim);
        }
    }
}

/// The scores of a chain by fragment: as the choice knew them, or as they were found when asked why.
fn scores<'a>(facts: &'a ChainFacts<'_>, number: u32) -> Option<&'a ScoredChain> {
    let pruning = &facts.trace.pruning;
    let known = pruning.kept.iter().chain(&pruning.runners_up).find(|scored| scored.chain == number);
    known.or_else(|| facts.explained.and_then(|explained| explained.scored.as_ref())).filter(|scored| !scored.by_fragment.is_empty())
}

/// A strip of scores: how well the chain fits each fragment.
fn fragments(facts: &ChainFacts<'_>, number: u32, blocks: &mut Vec<Block>) {
    let pruning = &facts.trace.pruning;
    let Some(scored) = scores(facts, number) else { return };
    blocks.push(Block::new().with(words!(facts.language, "How well it fits each part of question and hypothesis"), SpanStyle::Heading));
    let of_words = facts.trace.settings.as_ref().map_or(0, |settings| settings.fragment_words);
    if of_words > 0 && pruning.fragments.len() > 1 {
        let text = words!(
            facts.language,
            "Each part has {count} words and overlaps the next. The longer the bar, the better the chain fits.",
            count = of_words
        );
        blocks.push(Block::new().with(&text, SpanStyle::Dim));
    }
    let is_kept = pruning.kept.iter().any(|kept| kept.chain == number);
    if is_kept && scored.by_fragment.iter().all(|score| *score < SHORT) {
        let text = words!(facts.language, "The bars compare only words. Catena kept this chain mainly for what it states.");
        blocks.push(Block::new().with(text, SpanStyle::Dim));
    }
    for (score, fragment) in scored.by_fragment.iter().zip(&pruning.fragments) {
        let indent = BAR as u16 + 6;
        let block = Block::new().indented(0, indent).with(&bar(*score), SpanStyle::Bar).with(&format!(" {score:>4.2} "), SpanStyle::Dim);
        // As it stands in question or hypothesis, not as the words that were compared.
        let texts = [&facts.trace.question, &facts.trace.hypothesis];
        let found = texts.into_iter().find_map(|text| stretch(text, fragment, StopWords::built_in()));
        let shown = found.map_or_else(|| fragment.clone(), |found| format!("… {found} …"));
        blocks.push(block.with(&sanitise_line(&shown), SpanStyle::Plain));
    }
    let longest = scored.by_fragment.iter().copied().fold(0.0, f64::max);
    if is_kept && scored.score > longest + LEAST_SAID {
        let text = words!(
            facts.language,
            "The score is higher than every bar, because it also counts what the chain states and what it adds to the chains above it."
        );
        blocks.push(Block::new().with(text, SpanStyle::Dim));
    }
}

/// A bar of [`BAR`] cells at most; blanks that do not break fill it up.
fn bar(score: f64) -> String {
    let eighths = (score.clamp(0.0, 1.0) * (BAR * 8) as f64).round() as usize;
    let mut bar = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        bar.push_str(BARS[eighths % 8 - 1]);
    }
    let missing = BAR - bar.chars().count();
    bar + &"\u{a0}".repeat(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ratings_did_is_said_with_its_sign_and_its_record() {
        let said = |taught: Taught| {
            let rows = crate::tui::styled_text::wrap(&[by_ratings(&taught, Language::English)], 200);
            rows.iter().flat_map(|row| row.pieces.iter().map(|(text, _)| text.as_str())).collect::<String>()
        };
        let rated = said(Taught { good: 0, bad: 2, added: -0.04, pinned_by: None });
        assert_eq!(rated, "ratings add -0.04: answers that cite it were rated good 0×, bad 2×");
        let both = said(Taught { good: 1, bad: 0, added: 0.02, pinned_by: Some(7) });
        assert!(both.starts_with("▲ pinned for questions like this (record 7) · ratings add +0.02"), "{both}");
    }

    #[test]
    fn bars_have_one_length_whatever_the_score() {
        for score in [-1.0, 0.0, 0.01, 0.5, 0.99, 1.0, 7.0, f64::NAN] {
            assert_eq!(bar(score).chars().count(), BAR, "{score}");
        }
        assert!(bar(1.0).starts_with("██████"));
    }
}
