//! Styled text: spans that say what they are; the theme says how that looks. Wrapping happens here,
//! once per text and width, never per frame.

use std::ops::Range;

use textwrap::{Options, WordSplitter, WrapAlgorithm};

use crate::run::{Mark, PassageId};
use crate::text::sanitise;

/// What a span of text is; the theme says how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpanStyle {
    Plain,
    Dim,
    Strong,
    Heading,
    Relation,
    Entity(Mark),
    /// A mention that links to nothing.
    Unlinked,
    /// A citation, by the id of its chain.
    Citation(u32),
    /// A citation of a passage.
    Passage(PassageId),
    Key,
    Good,
    Warning,
    Error,
    /// An emergency: an error in reverse, so that it needs no colour.
    Emergency,
    Busy,
    /// A bar in the strip of scores.
    Bar,
}

/// A paragraph: text with styled spans, and how far its lines are indented.
#[derive(Debug, Clone, Default)]
pub(crate) struct Block {
    text: String,
    spans: Vec<(Range<usize>, SpanStyle)>,
    indent: u16,
    hanging: u16,
    /// What the paragraph belongs to: a line of the answer.
    pub(crate) item: Option<usize>,
}

impl Block {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Indents the first line by `first` cells and the others by `rest`.
    #[must_use]
    pub(crate) fn indented(mut self, first: u16, rest: u16) -> Self {
        self.indent = first;
        self.hanging = rest;
        self
    }

    #[must_use]
    pub(crate) fn item(mut self, item: usize) -> Self {
        self.item = Some(item);
        self
    }

    #[must_use]
    pub(crate) fn with(mut self, text: &str, span_style: SpanStyle) -> Self {
        self.push(text, span_style);
        self
    }

    /// Appends text; this is where foreign text is made safe to show.
    pub(crate) fn push(&mut self, text: &str, span_style: SpanStyle) {
        let start = self.text.len();
        self.text.push_str(&sanitise(text));
        if self.text.len() > start && span_style != SpanStyle::Plain {
            self.spans.push((start..self.text.len(), span_style));
        }
    }

    /// Whether anything in it has a style.
    pub(crate) fn has(&self, style: SpanStyle) -> bool {
        self.spans.iter().any(|(_, span_style)| *span_style == style)
    }

    /// Appends an entity after its sign; the two never wrap apart.
    pub(crate) fn push_entity(&mut self, name: &str, mark: Mark) {
        self.push(&format!("{}\u{a0}{name}", mark.sign()), SpanStyle::Entity(mark));
    }

    fn wrap_into(&self, width: u16, rows: &mut Vec<TextRow>) {
        let margin = self.indent.max(self.hanging);
        // A pane narrower than its indents keeps the text and drops the indents.
        let (indent, hanging) = if width > margin + 8 { (self.indent, self.hanging) } else { (0, 0) };
        let (first_blank, blank) = (" ".repeat(usize::from(indent)), " ".repeat(usize::from(hanging)));
        let options = Options::new(usize::from(width).max(1))
            .break_words(true)
            .word_splitter(WordSplitter::NoHyphenation)
            .wrap_algorithm(WrapAlgorithm::FirstFit)
            .subsequent_indent(&blank);
        let mut first = true;
        let mut paragraph_start = 0;
        for paragraph in self.text.split('\n') {
            let mut at = paragraph_start;
            let options = options.clone().initial_indent(if first { &first_blank } else { &blank });
            for line in textwrap::wrap(paragraph, options) {
                let (indent, blank) = if first { (indent, &first_blank) } else { (hanging, &blank) };
                // Lines are pieces of the text in order; what lies between them is white space.
                let line = line.strip_prefix(blank.as_str()).unwrap_or(&line);
                let start = self.text[at..].find(line).map_or(at, |skipped| at + skipped);
                at = start + line.len();
                first = false;
                rows.push(TextRow { indent, pieces: self.pieces(start..at), item: self.item });
            }
            paragraph_start += paragraph.len() + 1;
        }
    }

    fn pieces(&self, line: Range<usize>) -> Vec<(String, SpanStyle)> {
        let mut pieces = Vec::new();
        let mut at = line.start;
        let from = self.spans.partition_point(|(range, _)| range.end <= line.start);
        for (range, span_style) in self.spans[from..].iter().take_while(|(range, _)| range.start < line.end) {
            let (start, end) = (range.start.max(line.start), range.end.min(line.end));
            if at < start {
                pieces.push((self.text[at..start].to_owned(), SpanStyle::Plain));
            }
            pieces.push((self.text[start..end].to_owned(), *span_style));
            at = end;
        }
        if at < line.end {
            pieces.push((self.text[at..line.end].to_owned(), SpanStyle::Plain));
        }
        pieces
    }
}

/// One line as it stands on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextRow {
    pub(crate) indent: u16,
    pub(crate) pieces: Vec<(String, SpanStyle)>,
    pub(crate) item: Option<usize>,
}

/// Wrapped paragraphs, kept until the text or the width changes.
#[derive(Debug, Default)]
pub(crate) struct Wrapped {
    made_for: Option<(u64, u16)>,
    rows: Vec<TextRow>,
}

impl Wrapped {
    /// The rows of what `compose` gives, wrapped to `width`; composed again only when `version` or `width` has changed.
    pub(crate) fn rows(&mut self, version: u64, width: u16, compose: impl FnOnce() -> Vec<Block>) -> &[TextRow] {
        if self.made_for != Some((version, width)) {
            self.rows = wrap(&compose(), width);
            self.made_for = Some((version, width));
        }
        &self.rows
    }

    /// The rows as last wrapped.
    pub(crate) fn last(&self) -> &[TextRow] {
        &self.rows
    }
}

/// Wraps paragraphs to a width.
pub(crate) fn wrap(blocks: &[Block], width: u16) -> Vec<TextRow> {
    let mut rows = Vec::new();
    for block in blocks {
        block.wrap_into(width, &mut rows);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text_of(rows: &[TextRow]) -> Vec<String> {
        rows.iter().map(|row| row.pieces.iter().map(|(text, _)| text.as_str()).collect()).collect()
    }

    #[test]
    fn inks_survive_wrapping() {
        let mut block = Block::new().indented(0, 2);
        block.push("Give ", SpanStyle::Plain);
        block.push_entity("calcium carbonate", Mark::Graph);
        block.push(" after meals", SpanStyle::Plain);
        let rows = wrap(&[block], 20);
        assert_eq!(text_of(&rows), ["Give ◆\u{a0}calcium", "carbonate after", "meals"]);
        assert_eq!(rows[1].pieces[0], ("carbonate".to_owned(), SpanStyle::Entity(Mark::Graph)));
        assert_eq!(rows[1].indent, 2);
    }

    #[test]
    fn chinese_wraps_without_spaces() {
        let rows = wrap(&[Block::new().with("胃食管反流病患者应避免睡前进食", SpanStyle::Plain)], 10);
        assert_eq!(text_of(&rows)[0], "胃食管反流");
    }

    proptest! {
        #[test]
        fn nothing_but_white_space_is_lost(text in "\\PC{0,80}", width in 1u16..40, cut in 0usize..80) {
            let cut = text.char_indices().map(|(at, _)| at).nth(cut).unwrap_or(text.len());
            let block = Block::new().with(&text[..cut], SpanStyle::Strong).with(&text[cut..], SpanStyle::Plain);
            let solid = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            let shown = text_of(&wrap(&[block], width)).concat();
            prop_assert_eq!(solid(&shown), solid(&(sanitise(&text[..cut]).into_owned() + &sanitise(&text[cut..]))));
        }
    }
}
