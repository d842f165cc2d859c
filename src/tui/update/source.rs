//! Choosing graph, model and method for the next question.

use crate::run::{EngineInfo, MethodName};
use crate::tui::action::Action;
use crate::tui::app::{App, EngineState, Overlay, Severity};
use crate::tui::effects::Effect;
use crate::tui::keymap::Context;
use crate::tui::methods::{ListedMethod, METHODS};
use crate::tui::picker::{PickerChoice, PickerItem, PickerKind};
use crate::tui::sources::{EngineChoice, SourceEntry, SourceKind};
use crate::words::words;

impl App {
    /// Whether there is an engine whose parts can be chosen; says why not.
    fn can_choose(&mut self) -> bool {
        let l = self.language;
        let why = match &self.engine {
            EngineState::Ready(_) | EngineState::Failed(_) => return true,
            EngineState::Opening => words!(l, "The graph is still opening. Choose again in a moment."),
            EngineState::Recording => words!(l, "This is a recording: no graph is open. Start Catena without it to choose one."),
        };
        self.say(Severity::Note, why);
        false
    }

    /// Lists the graphs, or the models that write.
    pub(super) fn choose_source(&mut self, kind: SourceKind) {
        if !self.can_choose() {
            return;
        }
        let offer = if kind == SourceKind::Graph { PickerKind::Graphs } else { PickerKind::Models };
        self.open_picker(offer, Vec::new());
        if let Some(Overlay::Picker(picker)) = &mut self.sheets.overlay {
            picker.awaited = true;
        }
        self.effects.push_back(Effect::ListSources(kind));
    }

    /// Shows what there is, what is in use first.
    pub(super) fn offer_sources(&mut self, kind: SourceKind, found: Result<Vec<SourceEntry>, String>) {
        let expected = if kind == SourceKind::Graph { PickerKind::Graphs } else { PickerKind::Models };
        let (l, now) = (self.language, self.engine.info().map(|info| in_use(info, kind)));
        let Some(Overlay::Picker(picker)) = &mut self.sheets.overlay else { return };
        if picker.offer != expected {
            return;
        }
        let mut entries = match found {
            Ok(entries) => entries,
            Err(why) => {
                self.sheets.overlay = None;
                self.say(Severity::Warning, why);
                return;
            }
        };
        let is_now = |entry: &SourceEntry| Some(&entry.name) == now.as_ref();
        // What is in use, what can be used, what cannot.
        entries.sort_by_key(|entry| (!is_now(entry), entry.missing.is_some()));
        let items = entries.into_iter().map(|entry| {
            let aside = match &entry.missing {
                _ if is_now(&entry) => words!(l, "in use").to_owned(),
                Some(_) => words!(l, "not now").to_owned(),
                None => String::new(),
            };
            let choice = match (&entry.missing, kind) {
                (Some(why), _) => PickerChoice::NotNow(why.clone()),
                (None, SourceKind::Graph) => PickerChoice::Graph(entry.name.clone()),
                (None, SourceKind::Generator) => PickerChoice::Model(entry.name.clone()),
            };
            let detail = entry.missing.unwrap_or(entry.detail);
            PickerItem { label: entry.name, detail, aside, choice }
        });
        picker.offer_items(items.collect());
    }

    /// Lists all methods: the one in use, those that can be used, and the others with what they need.
    pub(super) fn choose_method(&mut self) {
        if !self.can_choose() {
            return;
        }
        let l = self.language;
        let has_model = self.engine.info().is_some_and(|info| info.models.generator.kind != "graph");
        let has_documents = self.engine.info().is_some_and(|info| info.has_documents);
        let now = self.next_method.unwrap_or(self.engine.info().map_or_else(MethodName::default, |info| info.method)).to_string();
        let mut methods = METHODS.to_vec();
        let lacks_documents = |method: &ListedMethod| MethodName::OF_DOCUMENTS.contains(&method.name) && !has_documents;
        let lacks_model = |method: &ListedMethod| method.needs_model && !has_model;
        methods.sort_by_key(|method| (method.name != now, lacks_model(method), lacks_documents(method)));
        let items = methods.into_iter().filter_map(|method| {
            let name = method.name.parse::<MethodName>().ok()?;
            let (needs, why) = if lacks_model(&method) {
                let why = words!(l, "{name} needs a language model, and none is in use. Type :model to choose one.", name = method.name);
                (words!(l, " · needs a language model; none is in use (:model)"), Some(why))
            } else if lacks_documents(&method) {
                let why =
                    words!(l, "{name} needs documents. Run catena docs import and docs use, then restart Catena.", name = method.name);
                (words!(l, "needs documents: catena docs import"), Some(why))
            } else {
                ("", None)
            };
            let aside = match &why {
                _ if method.name == now => words!(l, "in use"),
                Some(_) => words!(l, "not now"),
                None => "",
            };
            let choice = why.map_or(PickerChoice::Method(name), PickerChoice::NotNow);
            let what = l.known(method.what);
            // What is to be done is not cut off.
            let detail = if lacks_documents(&method) { format!("{needs} · {what}") } else { format!("{what}{needs}") };
            Some(PickerItem { label: method.name.into(), detail, aside: aside.into(), choice })
        });
        let items = items.collect();
        self.open_picker(PickerKind::Methods, items);
    }

    /// The next question is answered by this method.
    pub(super) fn use_method(&mut self, method: MethodName) {
        self.next_method = Some(method);
        let l = self.language;
        self.say(Severity::Note, words!(l, "The next question is answered by the method {name}.", name = method));
    }

    /// Opens an engine with another graph, or another model; questions that are asked meanwhile wait for it.
    pub(super) fn reopen(&mut self, choice: EngineChoice) {
        // A rating that is still being recorded is not lost: what opens the engine waits for it.
        self.engine = EngineState::Opening;
        self.announces_engine = true;
        self.effects.push_back(Effect::Reopen(choice));
    }

    /// Says what the next question is asked of, after graph or model were changed.
    pub(super) fn announce_engine(&mut self) {
        if !std::mem::take(&mut self.announces_engine) {
            return;
        }
        // What could not be opened has been said, and nothing has changed.
        if self.sheets.messages.last().is_some_and(|message| message.severity != Severity::Note) {
            return;
        }
        let Some(info) = self.engine.info() else { return };
        let l = self.language;
        let said = match info.models.generator.kind == "graph" {
            true => words!(l, "The next question is asked of the graph {graph}; no language model writes.", graph = info.kg.name),
            false => {
                let writer = in_use(info, SourceKind::Generator);
                words!(l, "The next question is asked of the graph {graph}; {model} writes.", graph = info.kg.name, model = writer)
            }
        };
        let again = self.input.keymap.key_of(Action::EditQuestion, Context::Panes);
        let more = if self.run.trace.id.is_empty() || again.is_empty() {
            String::new()
        } else {
            words!(l, " {key} asks this question again.", key = again)
        };
        self.say(Severity::Note, format!("{said}{more}"));
    }
}

/// The name of the graph or of the writer in use.
fn in_use(info: &EngineInfo, kind: SourceKind) -> String {
    match kind {
        SourceKind::Graph => info.kg.name.clone(),
        SourceKind::Generator if info.models.generator.kind == "graph" => "graph".into(),
        SourceKind::Generator => info.models.generator.name.clone(),
    }
}
