//! `catena` without a subcommand, and `catena replay`: the terminal interface.

use std::io::{BufReader, ErrorKind, IsTerminal, Write, stderr, stdin, stdout};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;

use super::args::{GraphArgs, ModelArgs};
use super::dkg_overlay::{Purpose, open_taught};
use super::exit::{self, Usage};
use super::models_open::{Opening, open_models};
use super::name_vectors::{are_missing, knowledge};
use super::open::{OpenedGraph, graph_name, imported_graph, open_graph, surroundings};
use super::progress::without_bars;
use crate::accessible;
use crate::config::{Config, Paths};
use crate::language::Prompts;
use crate::method::EngineOptions;
use crate::run::Event;
use crate::session::{KEPT_SESSIONS, read_events};
use crate::tui::{self, Opened, Pair, TuiOptions};

/// Opens the screen. The graph and the models are opened behind it, so that its first frame is there at once.
pub(super) fn run(graph: GraphArgs, models: ModelArgs, accessible: bool) -> anyhow::Result<u8> {
    let (paths, config) = surroundings()?;
    if accessible || config.is_accessible() {
        return talk(&graph, &models, &config, &paths);
    }
    let options = options(&paths, &config, None)?;
    need_terminal()?;
    // A model that is not there, or a prompt that cannot be read, is better said before the screen opens than behind it.
    Prompts::with_those_in(&paths.prompts())?;
    let models = open_models(&models, &config, &paths)?;
    build_vectors_first(&graph, &models, &config, &paths)?;
    show(options, move || {
        let taught = open_taught(&graph, models, &config, &paths, &EngineOptions::default(), Purpose::Learn)?;
        Ok(Opened { engine: Arc::new(taught.engine), teacher: taught.teacher, notices: Vec::new() })
    })
}

/// Talks in plain lines, with whoever or whatever is at the other end of standard input and output.
fn talk(graph: &GraphArgs, models: &ModelArgs, config: &Config, paths: &Paths) -> anyhow::Result<u8> {
    without_bars();
    writeln!(stdout(), "Catena is opening its graph and models.")?;
    let models = open_models(models, config, paths)?;
    let taught = open_taught(graph, models, config, paths, &EngineOptions::default(), Purpose::Learn)?;
    let runtime = runtime()?;
    let talked = runtime.block_on(accessible::run(Arc::new(taught.engine), taught.teacher, BufReader::new(stdin()), stdout()));
    // A run that is still going on, or a line that is still waited for, must not hold up the way out.
    runtime.shutdown_background();
    talked?;
    Ok(exit::DONE)
}

/// The vectors of a large graph may take minutes, which are better spent under a progress bar than behind a screen that
/// can do nothing. Where none is large, or all are there, this costs no time.
fn build_vectors_first(args: &GraphArgs, models: &Opening, config: &Config, paths: &Paths) -> anyhow::Result<()> {
    let name = graph_name(args, config, paths);
    if imported_graph(paths, &name).is_none() && models.encoder_is_built_in() {
        return Ok(());
    }
    let OpenedGraph { graph, file, .. } = open_graph(args, config, paths)?;
    let encoder = models.encoder()?;
    if are_missing(paths, &graph, file.as_deref(), &encoder) {
        knowledge(paths, graph, file.as_deref(), &encoder)?;
    }
    Ok(())
}

/// Plays a recording at its own pace; neither graph nor models are opened.
pub(super) fn replay(file: &Path) -> anyhow::Result<u8> {
    let (paths, config) = surroundings()?;
    let recorded = read_events(file)?;
    if recorded.torn > 0 {
        writeln!(stderr(), "catena: the last line of the recording is cut short and is left out")?;
    }
    show(options(&paths, &config, Some(recorded.events))?, || anyhow::bail!("a recording is being played; no question can be asked"))
}

/// Shows pairs of recorded runs side by side, the one at `first` to begin with; neither graph nor models are opened.
pub(super) fn beside(pairs: Vec<Pair>, first: usize) -> anyhow::Result<u8> {
    let (paths, config) = surroundings()?;
    let options = TuiOptions { pairs: pairs.into(), pair: first, sessions: None, ..options(&paths, &config, None)? };
    show(options, || anyhow::bail!("recorded runs are being compared; no question can be asked"))
}

fn options(paths: &Paths, config: &Config, recording: Option<Vec<Event>>) -> anyhow::Result<TuiOptions> {
    let keymap = match std::fs::read_to_string(paths.keymap_file()) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("{} cannot be read", paths.keymap_file().display())),
    };
    let history = config.keeps_history().then(|| paths.history_file());
    let sessions =
        (recording.is_none() && config.records_sessions()).then(|| (paths.sessions(), config.sessions_keep.unwrap_or(KEPT_SESSIONS)));
    // Reports are written where Catena was started; the message that says so names the whole path.
    let reports = std::env::current_dir().unwrap_or_default();
    let defaults = TuiOptions::default();
    let theme = config.theme.clone().unwrap_or_else(|| defaults.theme.clone());
    Ok(TuiOptions { theme, keymap, history, recording, sessions, reports, ..defaults })
}

fn need_terminal() -> anyhow::Result<()> {
    if stdin().is_terminal() && stdout().is_terminal() {
        return Ok(());
    }
    let hint = "it needs a terminal for input and output. To ask from a script: catena ask QUESTION [--json]";
    Err(Usage(format!("the terminal interface cannot be opened: {hint}")).into())
}

fn show(options: TuiOptions, open: impl FnOnce() -> anyhow::Result<Opened> + Send + 'static) -> anyhow::Result<u8> {
    need_terminal()?;
    let runtime = runtime()?;
    let result = runtime.block_on(async {
        let opening = tokio::task::spawn_blocking(open);
        let opened = async move {
            match opening.await {
                Ok(Ok(engine)) => Ok(engine),
                Ok(Err(error)) => Err(format!("{error:#}")),
                Err(error) => Err(format!("opening was interrupted: {error}")),
            }
        };
        tui::run(opened, options).await
    });
    // A run that is still going on must not hold up the way out.
    runtime.shutdown_background();
    result?;
    Ok(exit::DONE)
}

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(2).enable_all().build().context("the background threads could not be started")
}
