//! The passages of documents that a run found, as a list over the panes, and a stored document open at a passage.

use super::app::ListPosition;
use super::styled_text::{Block, SpanStyle};
use crate::run::{PassageId, PassageKey, QuotedPassage, StoredDocument, StoredSection, Trace, Triage};
use crate::text::sanitise_line;

/// The most characters of a section that are shown before and behind the passage.
const AROUND: usize = 20_000;

/// The list.
#[derive(Debug, Default)]
pub(crate) struct PassageSheet {
    pub(crate) at: ListPosition,
    /// The document that is open.
    pub(crate) open: Option<OpenDocument>,
}

/// A document, open at a passage.
#[derive(Debug)]
pub(crate) struct OpenDocument {
    pub(crate) title: String,
    /// The block of the passage has the item 0.
    pub(crate) blocks: Vec<Block>,
    /// The row at the top; `None` until it is drawn: then the passage is shown.
    pub(crate) offset: Option<usize>,
}

/// What was decided about a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PassageState {
    Cited,
    NotCited,
    Pinned,
    Rejected,
}

impl PassageState {
    /// The state of a passage under the decisions that are wanted.
    pub(crate) fn of(trace: &Trace, wanted: &Triage, place: usize, key: &PassageKey) -> Self {
        if wanted.pinned_passages.contains(key) {
            Self::Pinned
        } else if wanted.rejected_passages.contains(key) {
            Self::Rejected
        } else if trace.answer.passages.contains(&PassageId::at(place)) {
            Self::Cited
        } else {
            Self::NotCited
        }
    }

    /// In a word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Cited => "cited",
            Self::NotCited => "not cited",
            Self::Pinned => "pinned",
            Self::Rejected => "rejected",
        }
    }
}

impl PassageSheet {
    /// The list as paragraphs; the number of a passage is their item.
    pub(crate) fn blocks(trace: &Trace, wanted: &Triage) -> Vec<Block> {
        let mut blocks = Vec::new();
        for (place, passage) in trace.passages.iter().enumerate() {
            let state = PassageState::of(trace, wanted, place, &passage.key());
            let sign = match state {
                PassageState::Cited => ("✓ ", SpanStyle::Good),
                PassageState::Pinned => ("▲ ", SpanStyle::Key),
                PassageState::Rejected => ("✗ ", SpanStyle::Warning),
                PassageState::NotCited => ("· ", SpanStyle::Dim),
            };
            let id = PassageId::at(place);
            let head = Block::new()
                .indented(1, 4)
                .with(sign.0, sign.1)
                .with(&format!("[{id}]"), SpanStyle::Passage(id))
                .with(&format!(" {}", sanitise_line(&passage.source())), SpanStyle::Heading)
                .with(&format!("  {}", state.word()), sign.1);
            blocks.push(head.item(place));
            let style = if state == PassageState::Rejected { SpanStyle::Dim } else { SpanStyle::Plain };
            blocks.push(Block::new().indented(4, 4).with(&sanitise_line(passage.text.trim()), style).item(place));
        }
        blocks
    }
}

impl OpenDocument {
    /// A stored document at a passage, which is marked; `None` if the document does not hold it (any more).
    pub(crate) fn at(document: &StoredDocument, passage: &QuotedPassage) -> Option<Self> {
        let holds = |section: &StoredSection| {
            let mut there = section.text.chars().skip(passage.start);
            passage.text.chars().all(|c| there.next() == Some(c))
        };
        let of_name: Vec<&StoredSection> = document.sections.iter().filter(|section| section.name == passage.section).collect();
        // Older recordings do not say which of several sections of one name it is; then it is the first with this text.
        let own = of_name.get(passage.nth).filter(|section| holds(section));
        let section = *own.or_else(|| of_name.iter().find(|section| holds(section)))?;
        let characters: Vec<char> = section.text.chars().collect();
        let text = |from: usize, to: usize| characters.get(from..to).unwrap_or_default().iter().collect::<String>();
        let (begin, end) = (passage.start.saturating_sub(AROUND), passage.end.saturating_add(AROUND).min(characters.len()));
        let cut = |is_cut: bool| if is_cut { "…" } else { "" };
        let facts = [&document.source, &document.date, &document.url];
        let facts: Vec<String> = facts.into_iter().map(|fact| sanitise_line(fact)).filter(|fact| !fact.is_empty()).collect();
        let mut blocks = vec![Block::new().with(&facts.join(" · "), SpanStyle::Dim)];
        blocks.push(Block::new());
        blocks.push(Block::new().with(&sanitise_line(&passage.section.replace('_', " ")), SpanStyle::Heading));
        blocks.push(Block::new().with(cut(begin > 0), SpanStyle::Dim).with(text(begin, passage.start).trim_end(), SpanStyle::Plain));
        // The mark needs no colour: a bar stands before the first row.
        blocks.push(Block::new().indented(0, 2).with("▌ ", SpanStyle::Key).with(&passage.text, SpanStyle::Strong).item(0));
        blocks.push(
            Block::new().with(text(passage.end, end).trim_start(), SpanStyle::Plain).with(cut(end < characters.len()), SpanStyle::Dim),
        );
        let others = document.sections.len().saturating_sub(1);
        if others > 0 {
            blocks.push(Block::new());
            let said = format!("This is one section; the document has {others} more. `catena docs show` prints them all.");
            blocks.push(Block::new().with(&said, SpanStyle::Dim));
        }
        Some(Self { title: sanitise_line(&document.title), blocks, offset: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(start: usize, text: &str) -> QuotedPassage {
        let end = start + text.chars().count();
        QuotedPassage { section: "uses".into(), start, end, text: text.into(), ..QuotedPassage::default() }
    }

    #[test]
    fn a_document_opens_at_the_passage_only_where_it_stands() {
        let section = StoredSection { name: "uses".into(), text: "For pain. Not for fever. Ever.".into() };
        let document = StoredDocument { title: "A".into(), sections: vec![section], ..StoredDocument::default() };
        let open = OpenDocument::at(&document, &passage(10, "Not for fever.")).expect("there");
        assert_eq!(open.blocks.iter().filter(|block| block.item == Some(0)).count(), 1);
        assert!(OpenDocument::at(&document, &passage(9, "Not for fever.")).is_none());
        assert!(OpenDocument::at(&document, &passage(25, "Ever. And more.")).is_none());
    }

    #[test]
    fn of_several_sections_of_one_name_the_passages_own_is_opened() {
        let section = |text: &str| StoredSection { name: "uses".into(), text: text.into() };
        let sections = vec![section("For pain. In adults."), section("For pain. In children."), section("Not for fever.")];
        let document = StoredDocument { title: "A".into(), sections, ..StoredDocument::default() };
        let opened = |passage: &QuotedPassage| format!("{:?}", OpenDocument::at(&document, passage).expect("there").blocks);
        let second = opened(&QuotedPassage { nth: 1, ..passage(0, "For pain.") });
        assert!(second.contains("In children.") && !second.contains("In adults."), "{second}");
        assert!(second.contains("the document has 2 more"), "{second}");
        let first = opened(&passage(0, "For pain."));
        assert!(first.contains("In adults.") && !first.contains("In children."), "{first}");
        // A recording from before the number was kept, or a document that has changed: what is shown is the passage all the same.
        for nth in [0, 1, 9] {
            assert!(opened(&QuotedPassage { nth, ..passage(0, "Not for fever.") }).contains("Not for fever."), "{nth}");
        }
    }
}
