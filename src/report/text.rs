//! Texts of a run in pieces: mentions of entities with their marks, and citations with the chains that they refer to.

use serde::Serialize;

use crate::pipeline::answer::headlines::{Headlines, has_shape, heading, is_headline, source_of_care, stands_under};
use crate::pipeline::llm::{is_own, plain_line};
use crate::run::{AnswerPart, Evidence, Mark, Marks, Mention, MentionOrigin, PassageId, Trace};
use crate::text::{is_chinese, sanitise};
use crate::words::Language;

/// Characters of a heading in an answer, at most.
const LONGEST_HEADING: usize = 60;

/// A piece of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(super) struct Piece {
    pub(super) text: String,
    /// The word of the mark, where the piece mentions an entity.
    pub(super) mark: Option<&'static str>,
    pub(super) sign: &'static str,
    /// The id of the chain that it cites, if it is a citation.
    pub(super) cites: Option<u32>,
    /// The id of the passage that it cites, if it is a citation of one.
    pub(super) quotes: Option<String>,
    /// Whether it marks the text before it as the language model's own.
    pub(super) own: bool,
}

/// A line of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct AnswerLine {
    /// `heading`, `item`, `text`; of an answer of the fixed shape also `safety`, `unknown` (not understood) or `summary`.
    pub(super) form: &'static str,
    /// The mark of the entity that it states.
    pub(super) mark: Option<&'static str>,
    pub(super) sign: &'static str,
    pub(super) pieces: Vec<Piece>,
}

fn plain(text: &str) -> Piece {
    Piece { text: sanitise(text).into_owned(), ..Piece::default() }
}

/// A text with its mentions marked. A mention that does not fit the text stays unmarked: recordings can be edited.
pub(super) fn marked(text: &str, mentions: &[Mention], origin: MentionOrigin, marks: &Marks) -> Vec<Piece> {
    let mut those: Vec<&Mention> = mentions.iter().filter(|mention| mention.origin == origin).collect();
    // If two mentions start at the same place, the longer is marked.
    those.sort_by_key(|mention| (mention.start, std::cmp::Reverse(mention.end)));
    let mut pieces = Vec::new();
    let mut at = 0;
    for mention in those {
        if mention.start < at || text.get(mention.start..mention.end) != Some(mention.text.as_str()) || mention.text.is_empty() {
            continue;
        }
        let Some(mark) = marks.of_mention(&mention.text) else { continue };
        if let Some(before) = text.get(at..mention.start).filter(|before| !before.is_empty()) {
            pieces.push(plain(before));
        }
        pieces.push(Piece { mark: Some(mark.word()), sign: mark.sign(), ..plain(&mention.text) });
        at = mention.end;
    }
    if let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        pieces.push(plain(rest));
    }
    pieces
}

/// The answer, line by line. `[n]` is a citation if the evidence has a chain with this id.
pub(super) fn answer(trace: &Trace, evidence: &Evidence, marks: &Marks) -> Vec<AnswerLine> {
    let mut lines = Vec::new();
    let mut stated = trace.answer.lines.iter().peekable();
    let (shaped, headlines) = (has_shape(&trace.answer), Headlines::of(trace));
    let mut part = None;
    let texts: Vec<&str> = trace.answer.text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    for (at, text) in texts.iter().enumerate() {
        let item = text.strip_prefix("- ").or_else(|| text.strip_prefix("* "));
        let before_item = texts.get(at + 1).is_some_and(|next| next.starts_with("- ") || next.starts_with("* "));
        let pieces = pieces(item.unwrap_or(text), evidence.pruning.kept.len(), trace.passages.len());
        let form = match item {
            Some(_) => "item",
            None if before_item && text.chars().count() <= LONGEST_HEADING && pieces.iter().all(|piece| piece.cites.is_none()) => "heading",
            None => "text",
        };
        if headlines.has(text) {
            stated.next_if(|stated| is_headline(stated.part));
            continue;
        }
        let line = stated.next_if(|stated| stated.text == plain_line(text) || plain_line(text).starts_with(stated.text.as_str()));
        let mark =
            line.filter(|line| !line.unsupported && !line.entity.is_empty() && !line.is_quote()).map(|line| marks.of_line(trace, line));
        let mut pieces = pieces;
        if let Some(line) = line.filter(|_| mark != Some(Mark::Learned)) {
            mark_learned(&mut pieces, |id| marks.cites_learned(trace, line, id));
        }
        // What to do is from the condition's entry: the chain that is cited shows only why the condition is named.
        if line.is_some_and(|line| line.part == AnswerPart::Care) {
            let l = if is_chinese(&trace.question) { Language::Chinese } else { Language::English };
            note_entry(&mut pieces, line.map_or("", |line| source_of_care(line, l)));
        }
        let form = match line.map(|line| line.part).filter(|_| shaped) {
            // That nothing is stored is no warning.
            Some(AnswerPart::Safety) if line.is_some_and(|line| !line.citations.is_empty()) => "safety",
            Some(AnswerPart::NotUnderstood) => "unknown",
            Some(AnswerPart::Summary) => "summary",
            _ => form,
        };
        // The text of an answer of the fixed shape has no headings of its own.
        let under = line.and_then(|line| trace.answer.lines.iter().position(|known| std::ptr::eq(known, line)));
        let under = under.map(|at| stands_under(&trace.answer.lines, at));
        if let Some(under) = under.filter(|under| shaped && part != Some(*under)) {
            part = Some(under);
            let has_one = lines.last().is_some_and(|line: &AnswerLine| line.form == "heading");
            if under.has_heading() && !has_one {
                let pieces = vec![plain(heading(&trace.question, under))];
                lines.push(AnswerLine { form: "heading", mark: None, sign: "", pieces });
            }
        }
        lines.push(AnswerLine { form, mark: mark.map(Mark::word), sign: mark.map_or("", Mark::sign), pieces });
    }
    lines
}

/// Puts a note before the citations of a line, or at its end.
fn note_entry(pieces: &mut Vec<Piece>, note: &str) {
    let at = pieces.iter().position(|piece| piece.cites.is_some()).unwrap_or(pieces.len());
    if let Some(before) = at.checked_sub(1).and_then(|before| pieces.get_mut(before)) {
        before.text.truncate(before.text.trim_end().len());
    }
    let space = if pieces.len() > at { " " } else { "" };
    pieces.insert(at, plain(&format!("{note}{space}")));
}

/// Puts the sign of what was learned behind the citations that the line rests on because of it.
fn mark_learned(pieces: &mut Vec<Piece>, is_learned: impl Fn(u32) -> bool) {
    let mut at = 0;
    while let Some(piece) = pieces.get(at) {
        at += 1;
        if piece.cites.is_some_and(&is_learned) {
            pieces.insert(at, plain(Mark::Learned.sign()));
            at += 1;
        }
    }
}

/// The pieces of a line: citations, and marks for what is the model's own.
fn pieces(line: &str, chains: usize, passages: usize) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for (start, length) in is_own(line) {
        if start < at {
            continue;
        }
        cited(&line[at..start], (chains, passages), &mut pieces);
        pieces.push(Piece { own: true, ..plain(&line[start..start + length]) });
        at = start + length;
    }
    cited(&line[at..], (chains, passages), &mut pieces);
    pieces
}

fn cited(text: &str, (chains, passages): (usize, usize), pieces: &mut Vec<Piece>) {
    let mut rest = text;
    let mut from = 0;
    while let Some(open) = rest[from..].find('[').map(|open| open + from) {
        let digits = rest[open + 1..].split_once(']').map_or("", |(digits, _)| digits);
        let id = digits.parse::<u32>().ok().filter(|id| (1..=chains).contains(&(*id as usize)) && !digits.starts_with('+'));
        let passage = digits.parse::<PassageId>().ok().filter(|id| id.place() < passages);
        if let (None, Some(passage)) = (id, passage) {
            if open > 0 {
                pieces.push(plain(&rest[..open]));
            }
            pieces.push(Piece { quotes: Some(passage.to_string()), ..plain(&format!("[{passage}]")) });
            rest = &rest[open + digits.len() + 2..];
            from = 0;
            continue;
        }
        let Some(id) = id else {
            from = open + 1;
            continue;
        };
        if open > 0 {
            pieces.push(plain(&rest[..open]));
        }
        pieces.push(Piece { cites: Some(id), ..plain(&format!("[{id}]")) });
        rest = &rest[open + digits.len() + 2..];
        from = 0;
    }
    if !rest.is_empty() {
        pieces.push(plain(rest));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_to_do_is_said_to_be_from_the_entry_before_its_citation() {
        for (line, expected) in [
            ("Rest; stop NSAIDs. [1][2]", "Rest; stop NSAIDs. (from the graph's entry) [1][2]"),
            ("Rest.", "Rest. (from the graph's entry)"),
        ] {
            let mut pieces = pieces(line, 2, 0);
            note_entry(&mut pieces, " (from the graph's entry)");
            let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn citations_are_those_of_chains_there_are() {
        let pieces = pieces("Omeprazole [1][2], not [9], [x], [ 1] nor [+1] [02]", 2, 0);
        assert_eq!(super::pieces("Rest [D2], not [D3]", 2, 2)[1].quotes.as_deref(), Some("D2"));
        let cites: Vec<(Option<u32>, &str)> = pieces.iter().map(|piece| (piece.cites, piece.text.as_str())).collect();
        assert_eq!(
            cites,
            [(None, "Omeprazole "), (Some(1), "[1]"), (Some(2), "[2]"), (None, ", not [9], [x], [ 1] nor [+1] "), (Some(2), "[2]")]
        );
    }
}
