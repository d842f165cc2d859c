//! `catena` without a subcommand, and `catena replay`: the terminal interface.

use std::io::{BufReader, ErrorKind, IsTerminal, Write, stdin, stdout};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;

use super::args::{GraphArgs, ModelArgs};
use super::exit::{self, UsageError};
use super::graphs::{OpenedGraph, graph_name, imported_graph, open_graph};
use super::messages::note;
use super::name_vectors::{are_missing, with_name_vectors};
use super::open_engine::{DkgAccess, open_engine};
use super::progress::without_bars;
use super::setup::Setup;
use super::start_models::{StartedModels, start_models};
use crate::accessible;
use crate::language::Prompts;
use crate::method::EngineOptions;
use crate::run::Event;
use crate::session::{KEPT_SESSIONS, read_events};
use crate::tui::{self, OpenedEngine, RunPair, TuiOptions};

/// Opens the terminal interface. It shows its first frame at once and opens the graph and the models in the background.
pub(super) fn run(graph: GraphArgs, models: ModelArgs, accessible: bool) -> anyhow::Result<u8> {
    let setup = Setup::load()?;
    if accessible || setup.config.is_accessible() {
        return speak(&graph, &models, &setup);
    }
    let options = options(&setup, None)?;
    need_terminal()?;
    // Report a missing model or an unreadable prompt before the interface opens.
    Prompts::with_those_in(&setup.paths.prompts())?;
    let models = start_models(&models, &setup)?;
    build_vectors_first(&graph, &models, &setup)?;
    show(options, move || {
        let opened = open_engine(&setup, &graph, models, &EngineOptions::default(), DkgAccess::Write)?;
        Ok(OpenedEngine { engine: Arc::new(opened.engine), teacher: opened.teacher, notices: Vec::new() })
    })
}

/// The accessible mode, on standard input and output.
fn speak(graph: &GraphArgs, models: &ModelArgs, setup: &Setup) -> anyhow::Result<u8> {
    without_bars();
    writeln!(stdout(), "Catena is opening its graph and models.")?;
    let models = start_models(models, setup)?;
    let opened = open_engine(setup, graph, models, &EngineOptions::default(), DkgAccess::Write)?;
    let runtime = runtime()?;
    let result = runtime.block_on(accessible::run(Arc::new(opened.engine), opened.teacher, BufReader::new(stdin()), stdout()));
    // Exit at once, even if a run is still working or the input still being read.
    runtime.shutdown_background();
    result?;
    Ok(exit::DONE)
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

/// Replays a recording at its original speed. Opens neither graph nor models.
pub(super) fn replay(file: &Path) -> anyhow::Result<u8> {
    let setup = Setup::load()?;
    let recorded = read_events(file)?;
    if recorded.torn > 0 {
        note("the last line of the recording is incomplete; the replay leaves it out")?;
    }
    show(options(&setup, Some(recorded.events))?, || anyhow::bail!("you cannot ask questions during a replay"))
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
    Ok(TuiOptions { theme, keymap, history, recording, sessions, reports, ..defaults })
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
                Ok(Err(error)) => Err(format!("{error:#}")),
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
