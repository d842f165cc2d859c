//! Says what graph and documents say of the claims of a text.

use std::io::{self, Write};
use std::sync::Arc;

use super::session::AccessibleSession;
use crate::run::{AnswerPart, CheckedClaim, ClaimVerdict, Trace};
use crate::text::sanitise_line;
use crate::words::{Language, counted_words, words};

impl<W: Write> AccessibleSession<W> {
    /// Checks the current answer: what a language model says in it, where there is one.
    pub(super) async fn check_answer(&mut self) -> io::Result<()> {
        let Some(trace) = self.settled()? else { return Ok(()) };
        self.check(answer_of(&trace)).await
    }

    /// Takes a line of a text to check; an empty line ends it.
    pub(super) async fn add_claim_line(&mut self, mut lines: Vec<String>, line: String) -> io::Result<()> {
        if !line.trim().is_empty() {
            lines.push(line);
            self.to_check = Some(lines);
            return Ok(());
        }
        self.check(lines.join("\n")).await
    }

    async fn check(&mut self, text: String) -> io::Result<()> {
        let engine = Arc::clone(&self.engine);
        let checked = tokio::task::spawn_blocking(move || engine.check_answer(&text)).await;
        let said = said_of(&checked.unwrap_or_default(), self.language());
        self.say_all(&said)
    }
}

/// What a language model says in an answer; the whole answer where none does.
fn answer_of(trace: &Trace) -> String {
    let of_model: Vec<&str> = trace
        .answer
        .lines
        .iter()
        .filter(|line| line.part.is_of_model() && line.part != AnswerPart::ModelNote)
        .map(|line| line.text.as_str())
        .collect();
    if of_model.is_empty() { trace.answer.text.clone() } else { of_model.join("\n") }
}

/// The claims in sentences.
fn said_of(claims: &[CheckedClaim], l: Language) -> Vec<String> {
    if claims.is_empty() {
        return vec!["The text has no sentence that claims something.".to_owned()];
    }
    let mut said = Vec::new();
    for (number, claim) in (1..).zip(claims) {
        let text = sanitise_line(&claim.text).replace(" · ", ", ");
        said.push(match claim.verdict {
            ClaimVerdict::Supported => words!(l, "Claim {number} is supported: “{text}”", number = number, text = text),
            ClaimVerdict::Contradicted => words!(l, "Claim {number} is contradicted: “{text}”", number = number, text = text),
            ClaimVerdict::NotFound => words!(l, "Claim {number} was not found: “{text}”", number = number, text = text),
        });
        for chain in &claim.chains {
            // Statements of the graph are single triples, read from left to right.
            said.push(words!(l, "The graph states: {statement}.", statement = sanitise_line(chain).replace(" → ", " ")));
        }
        for passage in &claim.passages {
            let (source, text) = (sanitise_line(&passage.source()), sanitise_line(passage.text.trim().trim_start_matches(['•', ' '])));
            said.push(words!(l, "A document states: “{text}” ({source}).", text = text, source = source));
        }
    }
    let count = |verdict| claims.iter().filter(|claim| claim.verdict == verdict).count();
    let [supported, contradicted, not_found] = ClaimVerdict::ALL.map(count);
    let all = counted_words!(l, claims.len() as u64, "claim", "claims");
    let summary = words!(
        l,
        "{all}: {supported} supported, {contradicted} contradicted, {not_found} not found",
        all = all,
        supported = supported,
        contradicted = contradicted,
        not_found = not_found
    );
    said.push(words!(l, "{summary}. Not found does not mean wrong.", summary = summary));
    said
}
