//! Chains as pieces of text: entities with their signs, relations quieter than what they relate.

use unicode_width::UnicodeWidthStr;

use crate::graph::{Chain, ChainKind, ChainTable, Hop};
use crate::run::{Mark, Marks};
use crate::text::sanitise_line;
use crate::tui::styled_text::{Block, SpanStyle};
use crate::words::Language;

/// Cells that are set aside for what is left out beside a piece.
const GAP: usize = 3;

/// Fewer cells than this say nothing of the entity at the beginning.
const SHORTEST_HEAD: usize = 8;

/// The sign of a kind of chain.
pub(super) fn sign(kind: ChainKind) -> &'static str {
    match kind {
        ChainKind::Path => "→",
        ChainKind::CoAncestor => "⇉",
        ChainKind::CoOccurrence => "⇇",
        ChainKind::Neighbour => "∘",
    }
}

/// The pieces of a chain on one line.
pub(super) fn pieces(table: &ChainTable, marks: &Marks, chain: &Chain) -> Vec<(String, SpanStyle)> {
    let mut pieces = Vec::with_capacity(2 + 3 * chain.len());
    let entity = |node: u32| {
        let mark = marks.in_chain(chain, node);
        let name = table.entities.get(node as usize).map_or_else(|| "?".into(), |e| sanitise_line(&e.name));
        (format!("{}\u{a0}{name}", mark.sign()), SpanStyle::Entity(mark))
    };
    let relation = |hop: Hop| {
        let display = table.relations.get(usize::from(hop.relation)).map_or_else(|| "?".into(), |r| sanitise_line(&r.display));
        let arrow = if hop.forward { '→' } else { '←' };
        let span_style = if marks.is_learned(hop) { SpanStyle::Entity(Mark::Learned) } else { SpanStyle::Relation };
        (format!(" {arrow} {display} {arrow} "), span_style)
    };
    // The sign says what the colour of the relations says.
    if chain.learned() {
        pieces.push((format!("{}\u{a0}", Mark::Learned.sign()), SpanStyle::Entity(Mark::Learned)));
    }
    pieces.push(entity(chain.nodes()[0]));
    for hop in chain.hops() {
        pieces.push(relation(hop));
        pieces.push(entity(hop.to));
    }
    pieces
}

/// Dims all of a chain except the steps that prove a line, as [`proving_steps`](crate::run::proving_steps) gives them.
pub(super) fn emphasise(pieces: &mut [(String, SpanStyle)], steps: &[bool]) {
    if steps.is_empty() {
        return;
    }
    let proves = |step: Option<usize>| step.and_then(|step| steps.get(step)).is_some_and(|proves| *proves);
    // Entities and relations alternate; a learned chain has a sign before them.
    let first = (pieces.len() + 1) % 2;
    for (place, (_, style)) in pieces.iter_mut().skip(first).enumerate() {
        let is_relation = place % 2 == 1;
        let is_proving = proves(Some(place / 2)) || (!is_relation && proves((place / 2).checked_sub(1)));
        match (is_proving, *style) {
            (false, _) => *style = SpanStyle::Dim,
            (true, SpanStyle::Relation) => *style = SpanStyle::Strong,
            (true, _) => {}
        }
    }
}

/// The relations in the language of the screen.
pub(super) fn in_language(pieces: &mut [(String, SpanStyle)], l: Language) {
    // Entities and relations alternate; a learned chain has a sign before them.
    let first = (pieces.len() + 1) % 2;
    for (text, _) in pieces.iter_mut().skip(first + 1).step_by(2) {
        let arrow = if text.contains('→') { '→' } else { '←' };
        let display = text.trim_matches(|c| matches!(c, '→' | '←' | ' '));
        *text = format!(" {arrow} {} {arrow} ", l.known(display));
    }
}

/// The steps that prove a line, as [`proving_steps`](crate::run::proving_steps) gives them, each by itself and read along its relation.
pub(super) fn alone(pieces: &[(String, SpanStyle)], steps: &[bool]) -> Vec<Block> {
    let first = (pieces.len() + 1) % 2;
    let proving = steps.iter().enumerate().filter(|(_, proves)| **proves);
    let step = |at: usize| {
        let [head, relation, tail] = pieces.get(first + 2 * at..first + 2 * at + 3)? else { return None };
        let (head, tail) = if relation.0.contains('←') { (tail, head) } else { (head, tail) };
        let block = Block::new().with(&head.0, head.1).with(&relation.0.replace('←', "→"), relation.1);
        Some(block.with(&tail.0, tail.1))
    };
    proving.filter_map(|(at, _)| step(at)).collect()
}

/// The pieces of a chain in so many cells. If they do not fit, its middle is left out, never its informative end; what is `sought`
/// is kept in sight. What a chain has in common with the one `above` it, from the start, recedes.
pub(super) fn fitted(
    pieces: &[(String, SpanStyle)],
    width: u16,
    above: &[(String, SpanStyle)],
    sought: &[String],
) -> Vec<(String, SpanStyle)> {
    // Entities and relations alternate; a learned chain has a sign before them.
    let entity_at = (pieces.len() + 1) % 2;
    let common = pieces.iter().zip(above).take_while(|(one, other)| one.0 == other.0).count();
    // The last entity tells two chains apart; it stays as it is.
    let common = common.min(pieces.len().saturating_sub(1));
    let styled = |at: usize| {
        let (text, style) = &pieces[at];
        (text.clone(), if at < common { SpanStyle::Dim } else { *style })
    };
    let cells = |at: usize| pieces[at].0.width();
    let room = usize::from(width);
    if (0..pieces.len()).map(cells).sum::<usize>() <= room {
        return (0..pieces.len()).map(styled).collect();
    }
    let mut order: Vec<usize> = Vec::with_capacity(pieces.len() * 3);
    let last = pieces.len() - 1;
    // What tells the chain from the one above it comes first: its last entity, or where that is the same, what else is new in it.
    let is_new = |at: &usize| above.iter().all(|(text, _)| *text != pieces[*at].0);
    if above.is_empty() || is_new(&last) {
        order.push(last);
    } else {
        order.extend((0..=last).filter(|at| at % 2 == entity_at && is_new(at)));
        order.push(last);
    }
    order.extend((0..pieces.len()).filter(|at| {
        let text = pieces[*at].0.to_lowercase();
        sought.iter().any(|word| text.contains(word))
    }));
    // Where it begins: the sign of a learned chain, and the first entity.
    order.extend(0..=entity_at.min(last));
    order.extend((1..last).rev());
    let order_first = order.first().copied().unwrap_or(last);
    let mut taken = vec![false; pieces.len()];
    let mut used = 0;
    for at in order {
        // A piece that is left out leaves an ellipsis and a blank.
        if !taken[at] && used + cells(at) + GAP <= room {
            taken[at] = true;
            used += cells(at) + GAP;
        }
    }
    if !taken[order_first] {
        // Not even what tells it apart fits: it is clipped at its own end.
        return vec![("… ".to_owned(), SpanStyle::Dim), styled(order_first)];
    }
    let mut fitted: Vec<(String, SpanStyle)> = Vec::new();
    let mut is_gap = false;
    // Where a chain begins is told, if only by its first letters.
    let left = room.saturating_sub(used);
    let mut rest = 0;
    if left >= SHORTEST_HEAD && taken.get(entity_at).is_some_and(|taken| !taken) {
        fitted.extend((0..entity_at).filter(|at| taken[*at]).map(styled));
        let (text, style) = styled(entity_at);
        fitted.push((clipped(&text, left - 1), style));
        is_gap = true;
        rest = entity_at + 1;
    }
    for (at, taken) in taken.into_iter().enumerate().skip(rest) {
        if taken {
            let blank = if is_gap && !pieces[at].0.starts_with(' ') { " " } else { "" };
            let (text, style) = styled(at);
            fitted.push((format!("{blank}{text}"), style));
        } else if !is_gap {
            let blank = fitted.last().is_some_and(|(text, _)| !text.ends_with(' '));
            fitted.push((if blank { " …" } else { "…" }.to_owned(), SpanStyle::Dim));
        }
        is_gap = !taken;
    }
    fitted
}

/// A row of a list of chains, for the row below it: what the chain consists of, and how the row reads.
#[derive(Debug, Default)]
pub(super) struct ChainRow {
    pieces: Vec<(String, SpanStyle)>,
    read: String,
    /// How it would read if nothing stood above it that reads the same.
    usual: String,
    /// Of how many rows in a row that would read the same it is the last.
    alike: usize,
}

impl ChainRow {
    /// The row of the chain below this one, in so many cells. Two neighbours never read the same: what tells the chain from the one above
    /// takes the place of what both have; where nothing short tells them apart, the row is numbered.
    pub(super) fn below(&self, pieces: Vec<(String, SpanStyle)>, width: u16, sought: &[String]) -> (Vec<(String, SpanStyle)>, Self) {
        let room = usize::from(width);
        let row = fitted(&pieces, width, &self.pieces, sought);
        let usual = as_painted(&row, room);
        if usual != self.read && usual != self.usual {
            return (row, Self { pieces, read: usual.clone(), usual, alike: 1 });
        }
        // What is sought stays in sight.
        let by_difference = if sought.is_empty() { differing(&pieces, &self.pieces, room) } else { Vec::new() };
        let read = as_painted(&by_difference, room);
        if !by_difference.is_empty() && read != self.read {
            return (by_difference, Self { pieces, read, usual, alike: 1 });
        }
        let alike = self.alike + 1;
        let mut numbered = vec![(format!("{alike}·"), SpanStyle::Dim)];
        numbered.extend(row);
        let read = as_painted(&numbered, room);
        (numbered, Self { pieces, read, usual, alike })
    }
}

/// The first piece in which a chain differs from the one above it, with its last entity; empty where there is none.
fn differing(pieces: &[(String, SpanStyle)], above: &[(String, SpanStyle)], room: usize) -> Vec<(String, SpanStyle)> {
    let common = pieces.iter().zip(above).take_while(|(one, other)| one.0 == other.0).count();
    let (Some(differs), Some(last)) = (pieces.get(common), pieces.last()) else { return Vec::new() };
    let gap = || ("…".to_owned(), SpanStyle::Dim);
    if common + 1 == pieces.len() {
        return vec![gap(), differs.clone()];
    }
    let differs = (differs.0.trim().to_owned(), differs.1);
    let ending = room.saturating_sub(differs.0.width() + 5);
    vec![gap(), (format!(" {} ", differs.0), differs.1), gap(), (format!(" {}", shortened(&last.0, ending)), last.1)]
}

/// A text that fits into so many cells, or its beginning.
pub(super) fn shortened(text: &str, cells: usize) -> String {
    if text.width() <= cells { text.to_owned() } else { clipped(text, cells.max(2)) }
}

/// How a row reads once it is painted into so many cells.
fn as_painted(pieces: &[(String, SpanStyle)], room: usize) -> String {
    let text: String = pieces.iter().map(|(text, _)| text.as_str()).collect();
    shortened(&text, room)
}

/// The beginning of a text in so many cells, with an ellipsis.
fn clipped(text: &str, cells: usize) -> String {
    let mut kept = String::new();
    for c in text.chars() {
        if kept.width() + c.to_string().width() + 1 > cells {
            break;
        }
        kept.push(c);
    }
    kept + "…"
}

/// The words that are sought in a pane, folded to small letters.
pub(super) fn sought(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_lowercase).collect()
}

/// The same as a paragraph, to be wrapped; `steps` as for [`emphasise`].
pub(super) fn block(table: &ChainTable, marks: &Marks, chain: &Chain, steps: &[bool]) -> Block {
    let mut pieces = pieces(table, marks, chain);
    emphasise(&mut pieces, steps);
    block_of(pieces)
}

/// Pieces as flowing text.
pub(super) fn block_of(pieces: Vec<(String, SpanStyle)>) -> Block {
    let mut block = Block::new();
    for (text, span_style) in pieces {
        block.push(&text, span_style);
    }
    block
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::starter_graph;
    use crate::method::{Engine, EngineOptions};
    use crate::model::CancelToken;
    use crate::run::{AskOptions, Trace};

    #[test]
    fn the_steps_that_prove_a_line_stand_alone_and_along_their_relations() {
        let piece = |text: &str, style| (text.to_owned(), style);
        let entity = |text: &str| piece(text, SpanStyle::Plain);
        let relation = |text: &str| piece(text, SpanStyle::Relation);
        let mut pieces =
            vec![entity("Fever"), relation(" ← has symptom ← "), entity("Sepsis"), relation(" ← treats ← "), entity("Noradrenaline")];
        let said = |blocks: Vec<Block>| -> Vec<String> {
            let rows = crate::tui::styled_text::wrap(&blocks, 200);
            rows.iter().map(|row| shown(&row.pieces.iter().map(|(text, style)| (text.to_string(), *style)).collect::<Vec<_>>())).collect()
        };
        assert_eq!(said(alone(&pieces, &[true, false])), ["Sepsis → has symptom → Fever"]);
        assert!(alone(&pieces, &[]).is_empty(), "all of it is said");
        in_language(&mut pieces, Language::English);
        assert_eq!(shown(&pieces), "Fever ← has symptom ← Sepsis ← treats ← Noradrenaline");
        in_language(&mut pieces, Language::Chinese);
        assert_eq!(shown(&pieces), "Fever ← 有症状 ← Sepsis ← 治疗 ← Noradrenaline");
    }

    #[test]
    fn every_relation_of_the_built_in_graph_has_chinese_words() {
        for relation in starter_graph().expect("built in").relations() {
            assert_ne!(Language::Chinese.known(&relation.display), relation.display, "{}", relation.name);
        }
    }

    fn shown(pieces: &[(String, SpanStyle)]) -> String {
        pieces.iter().map(|(text, _)| text.as_str()).collect()
    }

    fn chain(names: &[&str]) -> Vec<(String, SpanStyle)> {
        names.iter().map(|name| ((*name).to_owned(), SpanStyle::Plain)).collect()
    }

    #[test]
    fn the_middle_is_left_out_and_the_end_stays() {
        let first = chain(&["● Reflux", " → treats → ", "Antacid", " → may cause → ", "Constipation"]);
        let second = chain(&["● Reflux", " → treats → ", "Antacid", " → may cause → ", "Diarrhoea"]);
        let fit = |pieces: &[(String, SpanStyle)], above: &[_], width, words: &str| shown(&fitted(pieces, width, above, &sought(words)));
        assert_eq!(fit(&first, &[], 80, ""), "● Reflux → treats → Antacid → may cause → Constipation");
        assert_eq!(fit(&first, &[], 44, ""), "● Reflux … → may cause → Constipation");
        assert_eq!(fit(&second, &first, 30, ""), "● Reflux … Diarrhoea");
        assert_eq!(fit(&second, &first, 34, "antacid"), "● Reflux … Antacid … Diarrhoea");
        assert_eq!(fit(&first, &[], 8, ""), "… Constipation", "painting clips it");
        for width in 14..60 {
            let cells = shown(&fitted(&first, width, &[], &[])).width();
            assert!(cells <= usize::from(width) + 1, "{cells} cells of {width}");
        }
    }

    #[test]
    fn a_learned_chain_names_what_it_begins_with_behind_its_sign() {
        let mut learned = vec![("★\u{a0}".to_owned(), SpanStyle::Entity(Mark::Learned))];
        learned.extend(chain(&["Bisodol", "Gastro-oesophageal reflux disease", "Esomeprazole"]));
        let width = 48;
        let row = shown(&fitted(&learned, width, &[], &[]));
        assert!(row.starts_with('★') && row.contains("Bisodol") && row.contains("Esomeprazole"), "{row}");
        assert!(row.width() <= usize::from(width), "{row}");
        let narrow = shown(&fitted(&learned, 30, &[], &[]));
        assert!(narrow.contains("Esomeprazole") && narrow.width() <= 30, "{narrow}");
    }

    #[test]
    fn what_does_not_prove_a_line_recedes() {
        let mut pieces: Vec<(String, SpanStyle)> =
            ["★", "A", " r ", "B", " s ", "C"].map(|text| (text.to_owned(), SpanStyle::Plain)).into();
        pieces[4].1 = SpanStyle::Relation;
        emphasise(&mut pieces, &[false, true]);
        let styles: Vec<SpanStyle> = pieces.iter().map(|(_, style)| *style).collect();
        assert_eq!(styles[1..], [SpanStyle::Dim, SpanStyle::Dim, SpanStyle::Plain, SpanStyle::Strong, SpanStyle::Plain]);
        let before = pieces.clone();
        emphasise(&mut pieces, &[]);
        assert_eq!(pieces, before);
    }

    /// The rows of a list, as they read.
    fn rows(chains: &[Vec<(String, SpanStyle)>], width: u16) -> Vec<String> {
        let mut above = ChainRow::default();
        let mut rows = Vec::new();
        for pieces in chains {
            let (row, next) = above.below(pieces.clone(), width, &[]);
            rows.push(as_painted(&row, usize::from(width)));
            above = next;
        }
        rows
    }

    #[test]
    fn what_reads_like_the_row_above_shows_its_difference_or_has_a_number() {
        let long = ["○ Esomeprazole", " → is a kind of → ", "Proton pump inhibitor", " → is first-line for → ", "Reflux"];
        let ways = [
            chain(&[&long[..], &[" ← treats ← ", "○ Weight reduction"]].concat()),
            chain(&["○ Esomeprazole", " → is first-line for → ", "Reflux", " ← treats ← ", "○ Weight reduction"]),
        ];
        let read = rows(&ways, 40);
        assert_eq!(read, ["○ Esomeprazole … ○ Weight reduction", "… → is first-line for → … ○ Weight redu…"]);
        let same = vec![ways[0].clone(); 3];
        assert_eq!(
            rows(&same, 40),
            ["○ Esomeprazole … ○ Weight reduction", "2·○ Esomeprazole … ○ Weight reduction", "3·○ Esomeprazole … ○ Weight reduction"]
        );
    }

    proptest! {
        #[test]
        fn two_neighbours_never_read_the_same(
            chains in prop::collection::vec((prop::collection::vec(0usize..4, 1..6), prop::collection::vec(0usize..3, 5)), 2..30),
            width in 40u16..=120,
        ) {
            let entities = ["○ Gastro-oesophageal reflux disease in adults", "● Reflux", "◆ 胃食管反流病（成人）", "○ Upper gastrointestinal endoscopy"];
            let relations = [" → is first-line for → ", " ← treats ← ", " ← is diagnosed by ← "];
            let pieces = |(nodes, steps): &(Vec<usize>, Vec<usize>)| {
                let mut names = vec![entities[nodes[0]]];
                for (node, step) in nodes[1..].iter().zip(steps) {
                    names.extend([relations[*step], entities[*node]]);
                }
                chain(&names)
            };
            let read = rows(&chains.iter().map(pieces).collect::<Vec<_>>(), width);
            for pair in read.windows(2) {
                prop_assert_ne!(&pair[0], &pair[1]);
            }
            prop_assert!(read.iter().all(|row| row.width() <= usize::from(width)));
        }
    }

    #[test]
    fn the_longest_chains_of_a_real_question_can_be_told_apart_at_every_width() {
        let encoder = Engine::start_encoder().expect("a thread");
        let options = EngineOptions { k: Some(5), ..EngineOptions::default() };
        let engine = Engine::open(starter_graph().expect("sound"), encoder, &options, Vec::new()).expect("opens");
        let mut trace = Trace::default();
        let question = "I feel stomach reflux after eating. What medicine should I take?";
        engine.run(question, AskOptions::default(), &CancelToken::new(), &mut |event| {
            trace.apply(&event);
            true
        });
        let longest = trace.table.chains.iter().map(|chain| chain.len()).max();
        assert!(longest >= Some(3), "{longest:?}");
        let marks = Marks::of(&trace);
        // From the beginning and from the middle: the list shows the shorter ones first.
        let chains = trace.table.chains.iter();
        let some = chains.clone().take(1500).chain(chains.skip(trace.table.chains.len() / 2).take(1500));
        let all: Vec<_> = some.map(|chain| pieces(&trace.table, &marks, chain)).collect();
        for width in 40..=120 {
            let read = rows(&all, width);
            let alike = read.windows(2).find(|pair| pair[0] == pair[1]);
            assert_eq!(alike, None, "at {width}");
        }
    }

    #[test]
    fn what_is_the_same_as_above_recedes() {
        let above = chain(&["A", " → ", "B", " → ", "C"]);
        let dim = |pieces: &[(String, SpanStyle)]| pieces.iter().filter(|(_, style)| *style == SpanStyle::Dim).count();
        assert_eq!(dim(&fitted(&chain(&["A", " → ", "B", " → ", "D"]), 80, &above, &[])), 4);
        assert_eq!(dim(&fitted(&above, 80, &above, &[])), 4, "the end never recedes");
        assert_eq!(dim(&fitted(&chain(&["X", " → ", "B"]), 80, &above, &[])), 0);
    }

    #[test]
    fn what_differs_in_the_middle_is_shown_where_both_ends_are_the_same() {
        let above = chain(&[
            "Reflux disease",
            " ← first-line ← ",
            "Omeprazole",
            " → treats → ",
            "Oesophageal stricture",
            " → test → ",
            "Upper endoscopy",
        ]);
        let other = chain(&[
            "Reflux disease",
            " ← first-line ← ",
            "Omeprazole",
            " → treats → ",
            "Laryngeal reflux",
            " → test → ",
            "Upper endoscopy",
        ]);
        for width in 20..100 {
            let (one, two) = (shown(&fitted(&above, width, &[], &[])), shown(&fitted(&other, width, &above, &[])));
            assert!(two.contains("Laryngeal reflux") && one != two, "{width}: {one} | {two}");
        }
    }
}
