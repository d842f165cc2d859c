//! Forms: a comment on a rating, a mentor's answer, an edited proposal, a text to check. And yes-or-no questions.

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent};

use super::editor::Editor;
use super::history::History;
use super::line_input::LineInput;
use super::sessions::report_name;
use super::teach_form::TeachForm;
use crate::dkg::{ProposalId, ProposalState, Rating};
use crate::feedback::GivenRating;
use crate::graph::NamedTriple;
use crate::report::Format;
use crate::run::{AnswerLine, AnswerPart, Trace};
use crate::text::{is_cjk, sanitise_line};

/// The kinds that an entity can be given; another one that it has is kept.
const KINDS: [&str; 8] = ["disease", "symptom", "test", "drug", "drug_class", "treatment", "risk_factor", "pathogen"];
/// Headings of a mentor's answer.
const ENGLISH: &str = "Conditions: \nTests: \nTreatments: ";
const CHINESE: &str = "疾病：\n检查：\n治疗：";

/// What is being typed.
#[derive(Debug)]
pub(crate) enum TeachingForm {
    /// A rating with its comment.
    Rate {
        /// The run.
        trace: Arc<Trace>,
        rating: Rating,
        comment: Box<LineInput>,
    },
    /// What the answer should have been.
    Gold {
        /// The run.
        trace: Arc<Trace>,
        editor: Box<Editor>,
    },
    /// A text whose claims are to be checked.
    Check(Box<Editor>),
    /// Other words for a proposal.
    Edit(Box<EditForm>),
    /// A fact, taught directly.
    Teach(Box<TeachForm>),
    /// Where a report is to be written.
    SaveAs {
        /// The run.
        trace: Arc<Trace>,
        format: Format,
        path: Box<LineInput>,
    },
}

/// A proposal that is being edited.
#[derive(Debug)]
pub(crate) struct EditForm {
    pub(crate) id: ProposalId,
    before: NamedTriple,
    pub(crate) head: LineInput,
    pub(crate) head_kind: String,
    pub(crate) relation: LineInput,
    pub(crate) tail: LineInput,
    pub(crate) tail_kind: String,
    /// The field that is typed into, of [`EditForm::FIELDS`].
    pub(crate) at: usize,
}

impl TeachingForm {
    /// A prompt for a comment on a rating.
    pub(crate) fn rate(trace: Arc<Trace>, rating: Rating, comment: &str) -> Self {
        Self::Rate { trace, rating, comment: Box::new(LineInput::new(comment)) }
    }

    /// An editor for a mentor's answer; with headings to fill in where nothing is written yet.
    pub(crate) fn gold(trace: Arc<Trace>, text: &str) -> Self {
        let chinese = trace.question.chars().any(is_cjk);
        let headings = match of_answer(&trace, chinese) {
            Some(answer) => answer,
            None => (if chinese { CHINESE } else { ENGLISH }).to_owned(),
        };
        let mut editor = Editor::new(History::new(Vec::new()));
        editor.set_text(if text.is_empty() { &headings } else { text });
        if text.is_empty() {
            editor.go_to_first_line_end();
        }
        Self::Gold { trace, editor: Box::new(editor) }
    }

    /// An editor for a text to check.
    pub(crate) fn check(text: &str) -> Self {
        let mut editor = Editor::new(History::new(Vec::new()));
        editor.set_text(text);
        Self::Check(Box::new(editor))
    }

    /// A form for other words.
    pub(crate) fn edit(state: &ProposalState) -> Self {
        let before = state.proposal.triple.clone();
        Self::Edit(Box::new(EditForm {
            id: state.id,
            head: LineInput::new(&sanitise_line(&before.head.name)),
            head_kind: before.head.kind.clone(),
            relation: LineInput::new(&sanitise_line(&before.relation.name.replace('_', " "))),
            tail: LineInput::new(&sanitise_line(&before.tail.name)),
            tail_kind: before.tail.kind.clone(),
            before,
            at: 0,
        }))
    }

    /// The form as it was sent, to be sent again: its rating was not recorded.
    pub(crate) fn again(trace: Arc<Trace>, given: &GivenRating) -> Self {
        match given.rating {
            Rating::Gold => Self::gold(trace, &given.gold),
            rating => Self::rate(trace, rating, &given.comment),
        }
    }

    /// A key that is bound to nothing; returns a name to look up in the graph.
    pub(crate) fn input(&mut self, key: KeyEvent) -> Option<String> {
        match self {
            Self::Rate { comment, .. } => {
                comment.input(key);
            }
            Self::Gold { editor, .. } | Self::Check(editor) => {
                editor.input(key);
            }
            Self::Edit(form) => form.input(key),
            Self::Teach(form) => return form.input(key),
            Self::SaveAs { trace, format, path } => {
                if let KeyCode::Char(c @ ('/' | '~')) = key.code {
                    begin_path(trace, *format, path, c);
                }
                path.input(key);
            }
        }
        None
    }

    /// Pastes; `false` when not everything had room.
    pub(crate) fn paste(&mut self, text: &str) -> bool {
        match self {
            Self::Gold { editor, .. } | Self::Check(editor) => return editor.paste(text),
            Self::Rate { comment, .. } => comment.paste(text),
            Self::SaveAs { trace, format, path } => {
                if let Some(first) = text.trim_start().chars().next() {
                    begin_path(trace, *format, path, first);
                }
                path.paste(text.trim());
            }
            Self::Teach(form) => {
                form.paste(text);
            }
            Self::Edit(form) => {
                if let Some(line) = form.line() {
                    line.paste(text);
                }
            }
        }
        true
    }

    /// Empties what is typed into. The form stays.
    pub(crate) fn clear(&mut self) {
        match self {
            Self::Gold { editor, .. } | Self::Check(editor) => editor.set_text(""),
            Self::Rate { comment: line, .. } | Self::SaveAs { path: line, .. } => **line = LineInput::new(""),
            Self::Teach(form) => form.clear(),
            Self::Edit(form) => form.line().into_iter().for_each(|line| *line = LineInput::new("")),
        }
    }

    /// The next field, or the one before.
    pub(crate) fn step(&mut self, by: isize) {
        match self {
            Self::Edit(form) => form.at = (form.at as isize + by).rem_euclid(EditForm::FIELDS.len() as isize) as usize,
            Self::Teach(form) => form.step(by),
            _ => {}
        }
    }

    /// Tab: completes the field, or goes to the next one.
    pub(crate) fn complete_or_step(&mut self, by: isize) {
        match self {
            Self::Teach(form) => form.complete_or_step(by),
            _ => self.step(by),
        }
    }
}

/// Behind the name that is proposed, what begins a path of its own takes its place: no file of that name is a folder.
fn begin_path(trace: &Trace, format: Format, path: &mut LineInput, first: char) {
    if matches!(first, '/' | '~') && path.is_at_end() && path.text() == report_name(trace, format) {
        *path = LineInput::new("");
    }
}

/// The present answer under the headings of a mentor's, to be edited; `None` where it states nothing.
fn of_answer(trace: &Trace, chinese: bool) -> Option<String> {
    let headings = if chinese { CHINESE } else { ENGLISH };
    let parts = [AnswerPart::Conditions, AnswerPart::Tests, AnswerPart::Treatments];
    let of = |part: AnswerPart| {
        let mut names: Vec<String> = Vec::new();
        for name in trace.answer.lines.iter().filter(|line| line.part == part).flat_map(AnswerLine::stated) {
            let name = sanitise_line(name);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.join("; ")
    };
    let named = parts.map(of);
    let lines = headings.lines().zip(&named).map(|(heading, names)| format!("{heading}{names}"));
    named.iter().any(|names| !names.is_empty()).then(|| lines.collect::<Vec<_>>().join("\n"))
}

/// What a mentor wrote without headings that have nothing after them; empty where nothing was written.
pub(crate) fn written(text: &str) -> String {
    // A heading with a list in the lines below it is one with something after it.
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let is_heading = |line: &str| line.trim_end().ends_with([':', '：']);
    let said = |at: usize| {
        let line = lines[at];
        !is_heading(line)
            || lines.get(at + 1).is_some_and(|next| !next.trim().is_empty() && !is_heading(next) && !next.contains([':', '：']))
    };
    let kept: Vec<&str> = (0..lines.len()).filter(|at| said(*at)).map(|at| lines[at]).collect();
    kept.join("\n").trim().to_owned()
}

impl EditForm {
    /// The fields, in order.
    pub(crate) const FIELDS: [&str; 5] = ["head", "kind", "relation", "tail", "kind"];

    /// The line of the field, where it is one.
    fn line(&mut self) -> Option<&mut LineInput> {
        match self.at {
            0 => Some(&mut self.head),
            2 => Some(&mut self.relation),
            3 => Some(&mut self.tail),
            _ => None,
        }
    }

    fn input(&mut self, key: KeyEvent) {
        let step = match key.code {
            KeyCode::Left => -1,
            KeyCode::Right | KeyCode::Char(' ') => 1,
            _ => 0,
        };
        match self.at {
            1 => step_kind(&mut self.head_kind, step),
            4 => step_kind(&mut self.tail_kind, step),
            _ => {
                if let Some(line) = self.line() {
                    line.input(key);
                }
            }
        }
    }

    /// What it says now, and whether the relation is another one; the field that says nothing, if one does not.
    pub(crate) fn triple(&self) -> Result<(NamedTriple, bool), &'static str> {
        let text = |line: &LineInput| line.text().trim().to_owned();
        let (head, relation, tail) = (text(&self.head), text(&self.relation), text(&self.tail));
        for (text, field) in [(&head, "head"), (&relation, "relation"), (&tail, "tail")] {
            if text.is_empty() {
                return Err(field);
            }
        }
        let mut triple = self.before.clone();
        // Names that were only shown in a safer form are what they were.
        if head != sanitise_line(&triple.head.name).trim() {
            triple.head.name = head;
        }
        if tail != sanitise_line(&triple.tail.name).trim() {
            triple.tail.name = tail;
        }
        triple.head.kind.clone_from(&self.head_kind);
        triple.tail.kind.clone_from(&self.tail_kind);
        let other_relation = relation != sanitise_line(&triple.relation.name.replace('_', " ")).trim();
        if other_relation {
            triple.relation.name = relation;
        }
        Ok((triple, other_relation))
    }

    /// Whether nothing was changed.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.triple().is_ok_and(|(triple, other)| !other && triple == self.before)
    }
}

fn step_kind(kind: &mut String, by: isize) {
    if by == 0 {
        return;
    }
    let at = KINDS.iter().position(|known| known == kind).map_or(if by > 0 { -1 } else { 0 }, |at| at as isize);
    (*kind) = KINDS[(at + by).rem_euclid(KINDS.len() as isize) as usize].to_owned();
}

/// A question to be answered with yes or no.
#[derive(Debug)]
pub(crate) struct Confirm {
    pub(crate) title: &'static str,
    /// What is asked, and what the doctor should know before answering; a paragraph each.
    pub(crate) text: Vec<String>,
    pub(crate) then: ConfirmedAction,
}

/// What follows from a yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ConfirmedAction {
    Accept(Vec<ProposalId>),
    Reject(Vec<ProposalId>),
    Undo(u64),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_with_nothing_after_them_say_nothing() {
        assert_eq!(written(ENGLISH), "");
        assert_eq!(written(CHINESE), "");
        assert_eq!(
            written("Conditions: reflux\nTests: \nTreatments: omeprazole; diet"),
            "Conditions: reflux\nTreatments: omeprazole; diet"
        );
        assert_eq!(written("Conditions:\n- reflux\n- ulcer\nTests: "), "Conditions:\n- reflux\n- ulcer");
        assert_eq!(written("It is reflux. Give omeprazole."), "It is reflux. Give omeprazole.");
        assert_eq!(written("Conditions: \nTests: gastroscopy"), "Tests: gastroscopy");
    }

    #[test]
    fn kinds_go_round() {
        let mut kind = "pathogen".to_owned();
        step_kind(&mut kind, 1);
        assert_eq!(kind, "disease");
        step_kind(&mut kind, -1);
        assert_eq!(kind, "pathogen");
        for (by, to) in [(1, "disease"), (-1, "pathogen")] {
            let mut kind = "gene".to_owned();
            step_kind(&mut kind, by);
            assert_eq!(kind, to);
        }
    }
}
