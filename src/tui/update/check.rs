//! Checking a text: its claims are compared with the graph and the documents in use, and shown with what these say.

use crate::run::{AnswerLine, AnswerPart, CheckedClaim, ClaimVerdict};
use crate::text::sanitise_line;
use crate::tui::app::{App, Severity};
use crate::tui::effects::Effect;
use crate::tui::form::TeachingForm;
use crate::tui::styled_text::{Block, SpanStyle};
use crate::words::{Language, counted_words, words};

impl App {
    /// Asks for the text to check; what a language model says in the answer stands there already.
    pub(super) fn begin_check(&mut self) {
        if !self.engine.is_ready() {
            self.say(Severity::Note, "Texts can be checked once the graph is open; a replay of a file has none.");
            return;
        }
        let of_model = self.run.trace.answer.lines.iter().filter(|line| line.part.is_of_model() && line.part != AnswerPart::ModelNote);
        let said: Vec<&str> = of_model.map(|line: &AnswerLine| line.text.as_str()).collect();
        self.sheets.overlay = None;
        self.selection.search = None;
        self.sheets.form = Some(TeachingForm::check(&said.join("\n")));
    }

    /// Sends the text to be checked.
    pub(super) fn check_text(&mut self, text: String) {
        self.say(Severity::Note, "Checking the claims of the text …");
        self.effects.push_back(Effect::CheckText(text));
    }

    /// The claims of the text were checked.
    pub(super) fn show_checked(&mut self, claims: &[CheckedClaim]) {
        if claims.is_empty() {
            self.say(Severity::Note, "The text has no sentence that claims something.");
            return;
        }
        let l = self.language;
        let count = |verdict| claims.iter().filter(|claim| claim.verdict == verdict).count();
        let [supported, contradicted, not_found] = ClaimVerdict::ALL.map(count);
        let all = counted_words!(l, claims.len() as u64, "claim", "claims");
        let title = words!(
            l,
            "{all}: {supported} supported, {contradicted} contradicted, {not_found} not found",
            all = all,
            supported = supported,
            contradicted = contradicted,
            not_found = not_found
        );
        let mut blocks: Vec<Block> = claims.iter().flat_map(|claim| blocks_of(claim, l)).collect();
        blocks.push(Block::new().with(words!(l, "Not found does not mean wrong."), SpanStyle::Dim));
        self.open_text(&title, vec![blocks]);
    }
}

/// A claim with what the sources say of it.
fn blocks_of(claim: &CheckedClaim, l: Language) -> Vec<Block> {
    let (sign, style) = match claim.verdict {
        ClaimVerdict::Supported => ("✓ ", SpanStyle::Good),
        ClaimVerdict::Contradicted => ("✗ ", SpanStyle::Warning),
        ClaimVerdict::NotFound => ("· ", SpanStyle::Dim),
    };
    let head = Block::new().indented(0, 2).with(sign, style).with(&sanitise_line(&claim.text), SpanStyle::Strong);
    let mut blocks = vec![head.with(&format!("  {}", l.known(claim.verdict.as_str())), style)];
    let source = |text: &str| Block::new().indented(2, 4).with(text, SpanStyle::Plain);
    for chain in &claim.chains {
        blocks.push(source(&words!(l, "graph: {chain}", chain = sanitise_line(chain))));
    }
    for passage in &claim.passages {
        blocks.push(source(&format!("{}: “{}”", sanitise_line(&passage.source()), sanitise_line(passage.text.trim()))));
    }
    blocks.push(Block::new());
    blocks
}
