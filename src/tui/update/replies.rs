//! Replies to effects; and the texts that are shown or copied.

use crate::run::{SentPrompt, Trace, TraceDocument};
use crate::text::sanitise_line;
use crate::tui::action::Pane;
use crate::tui::app::{App, Overlay, RunState, Severity, TextSheet};
use crate::tui::chain_list::ListRow;
use crate::tui::effects::{Effect, Grammar, Reply, SessionEntry};
use crate::tui::form::TeachingForm;
use crate::tui::highlight::StyledLine;
use crate::tui::picker::{PickerChoice, PickerItem, PickerKind};
use crate::tui::sessions::LATEST;
use crate::tui::styled_text::{Block, SpanStyle};
use crate::words::words;

const PROMPTS: &str = "Prompts sent to the language model";
const JSON: &str = "This run as JSON";
/// The most characters of a question that are compared.
const LISTED: usize = 1_000;
/// Chains in the JSON that is shown; exports have more.
const CHAINS_SHOWN: usize = 200;

impl App {
    /// Takes the reply to an effect.
    pub fn on_reply(&mut self, found: Reply) {
        self.dirty = true;
        match found {
            Reply::Note { text, failed } => self.say(if failed { Severity::Warning } else { Severity::Note }, text),
            Reply::Entities { typed, cards } => {
                if let Some(TeachingForm::Teach(form)) = &mut self.sheets.form {
                    form.offer(&typed, cards.into_iter().map(|card| card.name));
                    return;
                }
                let Some(Overlay::Picker(picker)) = &mut self.sheets.overlay else { return };
                if !picker.offer.is_looked_up() || picker.line.text().trim() != typed {
                    return;
                }
                let offer = picker.offer;
                let items = cards.into_iter().filter_map(|card| {
                    let choice = offer.choice_of(&card.name, &card.kind)?;
                    let kind = card.kind.replace('_', " ");
                    let detail = card.matched.map_or(kind.clone(), |matched| format!("{kind} · also called {matched}"));
                    Some(PickerItem { label: card.name, detail, aside: format!("{} triples", card.triples), choice })
                });
                let found: Vec<PickerItem> = items.collect();
                let found = if offer == PickerKind::CaseItems {
                    picker.with_words(found, words!(self.language, "use these words as a correction"))
                } else {
                    found
                };
                picker.offer_items(found);
            }
            Reply::WordsRead { text, told } => self.take_case_words(&text, told.as_deref()),
            Reply::Explanation { run, revisions, explanation } => {
                if self.run.trace.id == run && self.run.trace.revisions == revisions && self.selection.chain == Some(explanation.chain) {
                    self.run.explanation = Some(*explanation);
                    self.run.version += 1;
                }
            }
            Reply::Sources { kind, found } => self.offer_sources(kind, found),
            Reply::NoExplanation => {}
            Reply::Checked(claims) => self.show_checked(&claims),
            Reply::Document { passage, document } => self.show_document(&passage, document.as_deref()),
            Reply::Highlighted { title: None, lines } => {
                self.run.highlighted = lines.0;
                self.run.version += 1;
            }
            Reply::Highlighted { title: Some(title), lines } => {
                if let Some(Overlay::Text(sheet)) = &mut self.sheets.overlay
                    && sheet.title == title
                {
                    sheet.columns = vec![lines.0.into_iter().map(line).collect()];
                }
            }
            Reply::Sessions { lines, unreadable } => {
                if unreadable > 0 {
                    let text =
                        format!("{unreadable} recorded runs could not be read and are not listed; “catena export” says why for each.");
                    self.say(Severity::Warning, text);
                }
                self.sheets.latest_runs = lines.iter().take(LATEST).cloned().collect();
                self.offer_sessions(lines);
            }
            Reply::LatestRuns(runs) => self.sheets.latest_runs = runs,
            Reply::Session { events, torn, compare } => {
                if torn > 0 {
                    self.say(Severity::Warning, "The end of this recording is damaged: its last events are missing.");
                }
                if compare {
                    let other = Trace::fold(&events);
                    self.compare_with(&other);
                } else {
                    self.end_tour();
                    self.open_run(events);
                    self.say(Severity::Note, "This is an earlier run. You can ask its question again, or pin and reject its chains.");
                }
            }
            Reply::Began { asked, handle } => match self.run.state {
                RunState::Starting { request } if request == asked => self.run_began(handle),
                // It was stopped, or another was asked for, before it began.
                _ => handle.cancel.cancel(),
            },
            Reply::DkgStatus(learning) => self.learning_stands(learning),
            Reply::Taught { fact, result } => self.taught(&fact, result),
            Reply::Rated { given, result } => self.rated(&given, result),
            Reply::Decided { accepted, proposals, result } => self.decided(accepted, &proposals, result),
            Reply::Edited { result } => self.edited(result),
            Reply::Undone { record, result } => self.undone(record, result),
            Reply::Queue(waiting) => self.teaching.review.offer(*waiting),
            Reply::Learned(overview) => self.teaching.learned.take(*overview),
        }
    }

    fn offer_sessions(&mut self, lines: Vec<SessionEntry>) {
        let (here, asked) = (self.run.trace.id.clone(), listed_question(&self.run.trace.question));
        let Some(Overlay::Picker(picker)) = &mut self.sheets.overlay else { return };
        if !matches!(picker.offer, PickerKind::Sessions | PickerKind::Comparison) {
            return;
        }
        let compare = picker.offer == PickerKind::Comparison;
        let others = lines.iter().filter(|line| !compare || line.id != here);
        // Two runs of one question are what is compared most.
        let alike = others.map(|line| listed_question(&line.question)).position(|question| compare && question.trim() == asked.trim());
        let items = lines.into_iter().filter(|line| !compare || line.id != here).map(|line| PickerItem {
            label: line.question,
            detail: line.detail,
            aside: line.when,
            choice: PickerChoice::Session(line.id),
        });
        picker.offer_items(items.collect());
        if let Some(alike) = alike.filter(|_| picker.line.text().trim().is_empty()) {
            picker.at.selected = alike;
        }
    }

    /// Shows a recorded run as it stood at its end.
    pub(super) fn open_run(&mut self, events: Vec<crate::run::Event>) {
        self.stop_run();
        self.input.follows = None;
        self.selection.unfolded = false;
        self.run.state = RunState::Settled { run: None };
        self.layout.first_screen = false;
        self.layout.zoomed = false;
        self.layout.focus = Pane::Answer;
        let trace = Trace::fold(&events);
        self.run.settled_events = events.len();
        self.run.recorded = events;
        self.run.withdrawn = false;
        self.run.unlearned = false;
        self.run.decisions.forget();
        self.input.editor.set_text(&trace.question);
        self.show_trace(&trace);
        self.selection.from_start = true;
        self.settle();
    }

    pub(super) fn show_prompts(&mut self) {
        if self.run.trace.prompts.is_empty() {
            let text = "No language model was used: hypothesis and answer come from the graph itself.";
            self.open_text(PROMPTS, vec![vec![Block::new().with(text, SpanStyle::Dim)]]);
            return;
        }
        let mut text = String::new();
        for prompt in &self.run.trace.prompts {
            let own = if prompt.own { ", your own" } else { "" };
            let SentPrompt { name, version, hash, system, user, .. } = prompt;
            text.push_str(&format!("# {name} · version {version} · {hash}{own}\n\n**System**\n\n{system}\n\n**User**\n\n{user}\n\n"));
        }
        self.show_text(PROMPTS, text, Grammar::Markdown);
    }

    pub(super) fn show_json(&mut self) {
        if self.run.trace.id.is_empty() {
            self.say(Severity::Note, "There is no run to show yet.");
            return;
        }
        let text = serde_json::to_string_pretty(&TraceDocument::of(&self.run.trace, CHAINS_SHOWN)).unwrap_or_default();
        self.show_text(JSON, text, Grammar::Json);
    }

    /// Shows a text plain at once, and highlighted as soon as that is done.
    fn show_text(&mut self, title: &'static str, text: String, grammar: Grammar) {
        let blocks = text.lines().map(|text| line(vec![(text.to_owned(), SpanStyle::Plain)])).collect();
        self.open_text(title, vec![blocks]);
        self.effects.push_back(Effect::Highlight { title: Some(title), text, grammar });
    }

    pub(super) fn open_text(&mut self, title: &str, columns: Vec<Vec<Block>>) {
        self.sheets.offset = 0;
        self.sheets.overlay = Some(Overlay::Text(Box::new(TextSheet { title: title.to_owned(), columns })));
    }

    /// Copies the selection of the focused pane.
    pub(super) fn copy_selected(&mut self) {
        let table = &self.run.trace.table;
        let chain_text = |chain: u32| table.chains.get(chain as usize).map(|chain| table.text(chain));
        let text = match self.layout.focus {
            Pane::Anchors => self.anchor_rows().get(self.selection.anchors.selected).map(|at| match self.run.trace.anchors.get(*at) {
                Some(anchor) => anchor.entity.clone(),
                None => self.anchor_text(*at),
            }),
            Pane::Chains => {
                let rows = self.selected_rows().filter_map(|at| match self.selection.list.row(at) {
                    Some(ListRow::Chain(chain)) => chain_text(chain),
                    _ => None,
                });
                Some(rows.collect::<Vec<_>>().join("\n"))
            }
            Pane::Kept | Pane::Why | Pane::Graph => self.selection.chain.and_then(chain_text),
            Pane::Hypothesis => Some(self.run.trace.hypothesis.clone()),
            Pane::Question => Some(self.input.editor.text()),
            Pane::Answer => self.run.trace.answer.lines.get(self.selection.answer.selected).map(|line| {
                let cited: String = line.citations.iter().map(|id| format!("[{id}]")).collect();
                format!("{} {cited}", line.text).trim_end().to_owned()
            }),
        };
        self.copy(text.filter(|text| !text.is_empty()));
    }

    pub(super) fn copy_answer(&mut self) {
        let text = self.run.trace.answer.text.trim().to_owned();
        self.copy(Some(text).filter(|text| !text.is_empty()));
    }

    fn copy(&mut self, text: Option<String>) {
        match text {
            Some(text) => {
                let lines = text.lines().count();
                self.effects.push_back(Effect::Copy(text));
                self.say(Severity::Note, if lines == 1 { "Copied.".to_owned() } else { format!("{lines} lines copied.") });
            }
            None => self.say(Severity::Note, "There is nothing to copy here."),
        }
    }
}

/// A question as the list of runs has it.
fn listed_question(question: &str) -> String {
    sanitise_line(question).chars().take(LISTED).collect()
}

/// A line of a text that is shown as it is: what it is indented by does not break.
fn line(pieces: StyledLine) -> Block {
    let mut block = Block::new().indented(0, 2);
    let mut begun = false;
    for (text, span_style) in pieces {
        let blanks = if begun { 0 } else { text.len() - text.trim_start_matches(' ').len() };
        begun |= blanks < text.len();
        block.push(&"\u{a0}".repeat(blanks), SpanStyle::Plain);
        block.push(&text[blanks..], span_style);
    }
    block
}
