//! `catena` without a subcommand, and `catena replay`: the terminal interface.

use std::io::{BufReader, ErrorKind, IsTerminal, Write, stdin, stdout};
use std::sync::Arc;

use anyhow::Context;

use super::args::{GraphArgs, ModelArgs};
use super::engine_sources;
use super::exit::{self, UsageError};
use super::export::recorded;
use super::graphs::{OpenedGraph, graph_name, imported_graph, open_graph};
use super::library::library;
use super::messages::note;
use super::name_vectors::{are_missing, with_name_vectors};
use super::open_engine::{DkgAccess, open_engine};
use super::progress::without_bars;
use super::sessions;
use super::setup::Setup;
use super::start_models::{StartedModels, start_models};
use crate::accessible;
use crate::language::Prompts;
use crate::method::EngineOptions;
use crate::run::{Event, MethodName};
use crate::session::KEPT_SESSIONS;
use crate::text::suggest::did_you_mean;
use crate::tui::{self, OpenedEngine, RunPair, ScreenLayout, TuiOptions};

/// Seconds for each stage of a replay of a run that was over in a moment.
const SECONDS_A_STAGE: f64 = 1.0;

/// Opens the terminal interface. It shows its first frame at once and opens the graph and the models in the background.
pub(super) fn run(graph: GraphArgs, models: ModelArgs, method: Option<MethodName>, accessible: bool) -> anyhow::Result<u8> {
    let setup = Setup::load()?;
    if accessible || setup.config.is_accessible() {
        return speak(&graph, &models, method, &setup);
    }
    let asked = EngineOptions { method, ..EngineOptions::default() };
    let source = Some(engine_sources::shared(&graph, &models, method));
    let options = TuiOptions { source, ..options(&setup, None)? };
    need_terminal()?;
    // Report a missing model or an unreadable prompt before the interface opens.
    Prompts::with_those_in(&setup.paths.prompts())?;
    let models = start_models(&models, &setup)?;
    build_vectors_first(&graph, &models, &setup)?;
    show(options, move || {
        let (options, notices) = with_library(&setup);
        let asked = EngineOptions { library: options.library, ..asked };
        let opened = open_engine(&setup, &graph, models, &asked, DkgAccess::Write)?;
        opened.engine.warm_up();
        Ok(OpenedEngine { engine: Arc::new(opened.engine), teacher: opened.teacher, notices })
    })
}

/// The accessible mode, on standard input and output.
fn speak(graph: &GraphArgs, models: &ModelArgs, method: Option<MethodName>, setup: &Setup) -> anyhow::Result<u8> {
    without_bars();
    writeln!(stdout(), "Catena is opening its graph and models.")?;
    let models = start_models(models, setup)?;
    let (options, notices) = with_library(setup);
    for notice in &notices {
        writeln!(stdout(), "{notice}")?;
    }
    let options = EngineOptions { method, ..options };
    let opened = open_engine(setup, graph, models, &options, DkgAccess::Write)?;
    opened.engine.warm_up();
    let runtime = runtime()?;
    let result = runtime.block_on(accessible::run(
        Arc::new(opened.engine),
        opened.teacher,
        setup.config.language(),
        BufReader::new(stdin()),
        stdout(),
    ));
    // Exit at once, even if a run is still working or the input still being read.
    runtime.shutdown_background();
    result?;
    Ok(exit::DONE)
}

/// The options of an engine with the documents in use. Documents that cannot be used do not keep the screen from opening; a notice says why.
pub(super) fn with_library(setup: &Setup) -> (EngineOptions, Vec<String>) {
    match library(setup, &[]) {
        Ok(library) => (EngineOptions { library, ..EngineOptions::default() }, Vec::new()),
        Err(error) => (EngineOptions::default(), vec![format!("Answers cite no documents: {error:#}")]),
    }
}

/// Builds missing name vectors of a large graph before the interface opens: that can take minutes and shows a progress bar.
fn build_vectors_first(args: &GraphArgs, models: &StartedModels, setup: &Setup) -> anyhow::Result<()> {
    let paths = &setup.paths;
    let name = graph_name(args, setup);
    if imported_graph(paths, &name).is_none() && models.encoder_is_built_in() {
        return Ok(());
    }
    let OpenedGraph { graph, file, .. } = open_graph(args, setup)?;
    let encoder = models.encoder()?;
    if are_missing(paths, &graph, file.as_deref(), &encoder) {
        with_name_vectors(paths, graph, file.as_deref(), &encoder)?;
    }
    Ok(())
}

/// Replays a recording or a recorded session, without a name the latest session. Opens neither graph nor models.
pub(super) fn replay(file: Option<&str>, pace: Option<f64>) -> anyhow::Result<u8> {
    let setup = Setup::load()?;
    let latest = || -> anyhow::Result<String> {
        let listing = sessions::store(&setup)?.map(|store| store.list()).transpose()?;
        let newest = listing.and_then(|listing| listing.sessions.into_iter().next());
        newest.map(|summary| summary.id).ok_or_else(|| {
            UsageError("no run is recorded yet. Ask a question in the terminal interface, or name a recording: catena replay FILE".into())
                .into()
        })
    };
    let file = file.map_or_else(latest, |file| Ok(file.to_owned()))?;
    let recorded = recorded(&file)?;
    if recorded.torn > 0 {
        note("the last line of the recording is incomplete; the replay leaves it out")?;
    }
    let pace = match pace {
        Some(seconds) => Some(seconds).filter(|seconds| *seconds > 0.0),
        None => tui::is_too_fast(&recorded.events).then_some(SECONDS_A_STAGE),
    };
    // The layout of a demo is not that of the next question.
    let options = TuiOptions { pace, remembered: None, ..options(&setup, Some(recorded.events))? };
    show(options, || anyhow::bail!("you cannot ask questions during a replay"))
}

/// Shows what the screen does, a step at a time, on a recorded run.
pub(super) fn tour() -> anyhow::Result<u8> {
    let setup = Setup::load()?;
    let recording = tui::tour_recording().context("the recorded run of the tour")?;
    // What the tour changes of the layout is not remembered.
    let options = TuiOptions { tour: true, layout: ScreenLayout::Demo, remembered: None, ..options(&setup, Some(recording))? };
    show(options, || anyhow::bail!("you cannot ask questions during the tour"))
}

/// Shows pairs of recorded runs side by side, beginning with the one at `first`. Opens neither graph nor models.
pub(super) fn side_by_side(pairs: Vec<RunPair>, first: usize) -> anyhow::Result<u8> {
    let setup = Setup::load()?;
    let options = TuiOptions { pairs: pairs.into(), pair: first, sessions: None, ..options(&setup, None)? };
    show(options, || anyhow::bail!("you cannot ask questions while comparing recorded runs"))
}

fn options(setup: &Setup, recording: Option<Vec<Event>>) -> anyhow::Result<TuiOptions> {
    let Setup { paths, config } = setup;
    let keymap = match std::fs::read_to_string(paths.keymap_file()) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", paths.keymap_file().display())),
    };
    let history = config.keeps_history().then(|| paths.history_file());
    let sessions =
        (recording.is_none() && config.records_sessions()).then(|| (paths.sessions(), config.sessions_keep.unwrap_or(KEPT_SESSIONS)));
    // Reports go to the folder in which Catena was started.
    let reports = std::env::current_dir().unwrap_or_default();
    let defaults = TuiOptions::default();
    let theme = config.theme.clone().unwrap_or_else(|| defaults.theme.clone());
    // A name that no theme has is a slip; a file that is there is read, and its faults are shown on the screen.
    if !tui::Theme::names().any(|known| known == theme) && !std::path::Path::new(&theme).is_file() {
        let known: Vec<&str> = tui::Theme::names().collect();
        let all = known.join(", ");
        return Err(UsageError(format!(
            "there is no theme {theme:?}: the themes are {all}, or the path of a file{}",
            did_you_mean(&theme, known)
        ))
        .into());
    }
    let remembered = paths.screen_file();
    let layout = ScreenLayout::remembered(&remembered);
    let language = config.language();
    Ok(TuiOptions { theme, language, keymap, history, recording, sessions, reports, layout, remembered: Some(remembered), ..defaults })
}

fn need_terminal() -> anyhow::Result<()> {
    if stdin().is_terminal() && stdout().is_terminal() {
        return Ok(());
    }
    let hint = "input and output must be a terminal. In a script, use: catena ask QUESTION [--json]";
    Err(UsageError(format!("cannot open the terminal interface: {hint}")).into())
}

fn show(options: TuiOptions, open: impl FnOnce() -> anyhow::Result<OpenedEngine> + Send + 'static) -> anyhow::Result<u8> {
    need_terminal()?;
    let runtime = runtime()?;
    let result = runtime.block_on(async {
        let opening = tokio::task::spawn_blocking(open);
        let opened = async move {
            match opening.await {
                Ok(Ok(engine)) => Ok(engine),
                Ok(Err(error)) => Err(exit::in_words(&error)),
                Err(error) => Err(format!("an internal error stopped opening the graph and the models: {error}")),
            }
        };
        tui::run(opened, options).await
    });
    // Exit at once, even if a run is still working.
    runtime.shutdown_background();
    result?;
    Ok(exit::DONE)
}

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(2).enable_all().build().context("cannot start the background threads")
}
