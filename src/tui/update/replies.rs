//! What was done outside the screen comes back, and texts are sent out.

use crate::run::{SentPrompt, Trace, TraceDocument};
use crate::tui::action::Pane;
use crate::tui::app::{App, Overlay, TextSheet, Weight};
use crate::tui::chain_list::ListRow;
use crate::tui::command::{Command, Found, Grammar, SessionLine};
use crate::tui::highlight::Line;
use crate::tui::picker::{Choice, Item, Offer};
use crate::tui::styled_text::{Block, Ink};

const PROMPTS: &str = "What the language model was told";
const JSON: &str = "This run as JSON";
/// Chains in the JSON that is shown; exports have more.
const CHAINS_SHOWN: usize = 200;

impl App {
    /// Takes in what came of a command.
    pub fn on_found(&mut self, found: Found) {
        self.dirty = true;
        match found {
            Found::Note { text, failed } => self.say(if failed { Weight::Warning } else { Weight::Note }, text),
            Found::Entities { typed, cards } => {
                let Some(Overlay::Picker(picker)) = &mut self.overlay else { return };
                if picker.offer != Offer::Anchors || picker.line.text().trim() != typed {
                    return;
                }
                let items = cards.into_iter().map(|card| {
                    let kind = card.kind.replace('_', " ");
                    let detail = card.matched.map_or(kind.clone(), |matched| format!("{kind} · also called {matched}"));
                    Item { label: card.name.clone(), detail, aside: format!("{} triples", card.triples), choice: Choice::Entity(card.name) }
                });
                picker.offer_items(items.collect());
            }
            Found::Explanation { run, revisions, explanation } => {
                if self.trace.id == run && self.trace.revisions == revisions && self.chain == Some(explanation.chain) {
                    self.explained = Some(*explanation);
                    self.version += 1;
                }
            }
            Found::NoExplanation => {}
            Found::Highlighted { title: None, lines } => {
                self.highlighted = lines.0;
                self.version += 1;
            }
            Found::Highlighted { title: Some(title), lines } => {
                if let Some(Overlay::Text(sheet)) = &mut self.overlay
                    && sheet.title == title
                {
                    sheet.columns = vec![lines.0.into_iter().map(line).collect()];
                }
            }
            Found::Sessions { lines, unreadable } => {
                if unreadable > 0 {
                    let text =
                        format!("{unreadable} recorded runs could not be read and are not listed; “catena export” says why of each.");
                    self.say(Weight::Warning, text);
                }
                self.offer_sessions(lines);
            }
            Found::Session { events, torn, beside } => {
                if torn > 0 {
                    self.say(Weight::Warning, "The end of this recording is torn: what came last is missing.");
                }
                if beside {
                    let other = Trace::fold(&events);
                    self.compare_with(&other);
                } else {
                    self.open_run(events);
                    self.say(Weight::Note, "An earlier run. Ask its question again from the editor, or triage its evidence.");
                }
            }
            Found::Began { asked, handle } => match self.starting {
                Some(wanted) if wanted == asked => self.run_began(handle),
                // It was stopped, or another was asked for, before it began.
                _ => handle.cancel.cancel(),
            },
            Found::Learning(learning) => self.learning_stands(learning),
            Found::Rated { given, result } => self.rated(&given, result),
            Found::Decided { accepted, proposals, result } => self.decided(accepted, &proposals, result),
            Found::Edited { result } => self.edited(result),
            Found::Undone { record, result } => self.undone(record, result),
            Found::Queue(waiting) => self.review.offer(*waiting),
            Found::Lessons(lessons) => self.lessons.take(*lessons),
        }
    }

    fn offer_sessions(&mut self, lines: Vec<SessionLine>) {
        let here = self.trace.id.clone();
        let Some(Overlay::Picker(picker)) = &mut self.overlay else { return };
        if !matches!(picker.offer, Offer::Sessions | Offer::Comparison) {
            return;
        }
        let beside = picker.offer == Offer::Comparison;
        let items = lines.into_iter().filter(|line| !beside || line.id != here).map(|line| Item {
            label: line.question,
            detail: line.detail,
            aside: line.when,
            choice: Choice::Session(line.id),
        });
        picker.offer_items(items.collect());
    }

    /// Shows a recorded run as it stood at its end.
    pub(super) fn open_run(&mut self, events: Vec<crate::run::Event>) {
        self.stop_run();
        self.run = None;
        self.first_screen = false;
        self.zoomed = false;
        self.focus = Pane::Answer;
        let trace = Trace::fold(&events);
        self.settled_tape = events.len();
        self.tape = events;
        self.decisions.forget();
        self.editor.set_text(&trace.question);
        self.show_trace(&trace);
        self.settle();
    }

    pub(super) fn show_prompts(&mut self) {
        if self.trace.prompts.is_empty() {
            let text = "No language model was asked: hypothesis and answer come from the graph itself.";
            self.open_text(PROMPTS, vec![vec![Block::new().with(text, Ink::Dim)]]);
            return;
        }
        let mut text = String::new();
        for prompt in &self.trace.prompts {
            let own = if prompt.own { ", your own" } else { "" };
            let SentPrompt { name, version, hash, system, user, .. } = prompt;
            text.push_str(&format!("# {name} · version {version} · {hash}{own}\n\n**System**\n\n{system}\n\n**User**\n\n{user}\n\n"));
        }
        self.show_text(PROMPTS, text, Grammar::Markdown);
    }

    pub(super) fn show_json(&mut self) {
        if self.trace.id.is_empty() {
            self.say(Weight::Note, "There is no run to show yet.");
            return;
        }
        let text = serde_json::to_string_pretty(&TraceDocument::of(&self.trace, CHAINS_SHOWN)).unwrap_or_default();
        self.show_text(JSON, text, Grammar::Json);
    }

    /// Shows a text plainly at once, and in its inks as soon as they are known.
    fn show_text(&mut self, title: &'static str, text: String, grammar: Grammar) {
        let blocks = text.lines().map(|text| line(vec![(text.to_owned(), Ink::Plain)])).collect();
        self.open_text(title, vec![blocks]);
        self.commands.push_back(Command::Highlight { title: Some(title), text, grammar });
    }

    pub(super) fn open_text(&mut self, title: &str, columns: Vec<Vec<Block>>) {
        self.sheet_offset = 0;
        self.overlay = Some(Overlay::Text(Box::new(TextSheet { title: title.to_owned(), columns })));
    }

    /// Copies what is selected in the focused pane.
    pub(super) fn copy_selected(&mut self) {
        let table = &self.trace.table;
        let chain_text = |chain: u32| table.chains.get(chain as usize).map(|chain| table.text(chain));
        let text = match self.focus {
            Pane::Anchors => self.anchor_rows().get(self.anchors.selected).map(|at| match self.trace.anchors.get(*at) {
                Some(anchor) => anchor.entity.clone(),
                None => self.anchor_text(*at),
            }),
            Pane::Chains => {
                let rows = self.selected_rows().filter_map(|at| match self.list.row(at) {
                    Some(ListRow::Chain(chain)) => chain_text(chain),
                    _ => None,
                });
                Some(rows.collect::<Vec<_>>().join("\n"))
            }
            Pane::Kept | Pane::Why | Pane::Graph => self.chain.and_then(chain_text),
            Pane::Hypothesis => Some(self.trace.hypothesis.clone()),
            Pane::Question => Some(self.editor.text()),
            Pane::Answer => self.trace.answer.lines.get(self.answer.selected).map(|line| {
                let cited: String = line.citations.iter().map(|id| format!("[{id}]")).collect();
                format!("{} {cited}", line.text).trim_end().to_owned()
            }),
        };
        self.copy(text.filter(|text| !text.is_empty()));
    }

    pub(super) fn copy_answer(&mut self) {
        let text = self.trace.answer.text.trim().to_owned();
        self.copy(Some(text).filter(|text| !text.is_empty()));
    }

    fn copy(&mut self, text: Option<String>) {
        match text {
            Some(text) => {
                let lines = text.lines().count();
                self.commands.push_back(Command::Copy(text));
                self.say(Weight::Note, if lines == 1 { "Copied.".to_owned() } else { format!("{lines} lines copied.") });
            }
            None => self.say(Weight::Note, "There is nothing to copy here."),
        }
    }
}

/// A line of a text that is shown as it is: what it is indented by does not break.
fn line(pieces: Line) -> Block {
    let mut block = Block::new().indented(0, 2);
    let mut begun = false;
    for (text, ink) in pieces {
        let blanks = if begun { 0 } else { text.len() - text.trim_start_matches(' ').len() };
        begun |= blanks < text.len();
        block.push(&"\u{a0}".repeat(blanks), Ink::Plain);
        block.push(&text[blanks..], ink);
    }
    block
}
