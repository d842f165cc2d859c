//! The vectors of a graph's names: made with the graph for a small one, stored beside an imported large one.

use std::io::{Write, stderr};
use std::path::{Path, PathBuf};

use anyhow::Context;
use indicatif::ProgressBar;

use super::interrupt::Interrupt;
use super::open::imported_graph;
use super::progress::count_bar;
use crate::config::Paths;
use crate::graph::Graph;
use crate::model::{
    BuildPhase, EXACT_UP_TO, EncoderHandle, NameVectors, Opened, SearchedBy, StaticEncoder, VectorKey, VectorsError, fingerprint,
};
use crate::pipeline::Knowledge;

/// Up to so many names the built-in encoder makes vectors anew whenever the graph is opened: that takes less than a tenth of a
/// second.
pub(super) const IN_MEMORY_UP_TO: usize = 5_000;
/// The same for other encoders, which manage about a thousand names a second.
const IN_MEMORY_BY_OTHERS: usize = 100;

/// Where the vectors of a graph's names are kept, without the ending; `None` for a graph whose vectors are not stored. Each encoder
/// has files of its own. Two sets of weights under one name are told apart too, so that changing between them builds nothing anew.
fn stem(paths: &Paths, graph: &Graph, file: Option<&Path>, encoder: &EncoderHandle) -> anyhow::Result<Option<PathBuf>> {
    let built_in = encoder.name() == StaticEncoder::NAME;
    let many = graph.name_count() > if built_in { IN_MEMORY_UP_TO } else { IN_MEMORY_BY_OTHERS };
    let is_kept = match file {
        Some(file) => imported_graph(paths, graph.name()).as_deref() == Some(file),
        // The starter graph is always at hand.
        None => !built_in,
    };
    if !many || !is_kept {
        return Ok(None);
    }
    let name =
        if built_in { encoder.name().to_owned() } else { format!("{}-{:016x}", file_name_of(encoder.name()), fingerprint(encoder)?) };
    Ok(Some(paths.graphs().join(format!("{}.{name}", graph.name()))))
}

/// A model's name as part of a file's: it may be a path or hold a slash.
fn file_name_of(name: &str) -> String {
    let last = name.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default();
    last.chars().map(|c| if c.is_alphanumeric() || "-_".contains(c) { c } else { '-' }).take(60).collect()
}

/// Makes a graph ready: with stored vectors where there are some or should be, else with new ones. `file`: where the
/// graph was opened from.
pub(super) fn knowledge(paths: &Paths, graph: Graph, file: Option<&Path>, encoder: &EncoderHandle) -> anyhow::Result<Knowledge> {
    let Some(stem) = stem(paths, &graph, file, encoder)? else {
        return Ok(Knowledge::prepare(graph, encoder)?);
    };
    if let Some(folder) = stem.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    }
    let key = VectorKey::of(u128::from(graph.names_fingerprint()), encoder)?;
    if let Opened::Ready(vectors) = NameVectors::open(&stem, &key)?
        && !matches!(vectors.searched_by(), SearchedBy::EveryRowUntilBuilt(_))
    {
        return Ok(Knowledge::with_vectors(graph, vectors));
    }
    let vectors = build(&stem, &key, &graph, encoder)?;
    Ok(Knowledge::with_vectors(graph, vectors))
}

/// Whether opening this graph will first have to build vectors, as far as can be told without an encoder.
pub(super) fn are_missing(paths: &Paths, graph: &Graph, file: Option<&Path>, encoder: &EncoderHandle) -> bool {
    // An encoder that fails says so when it is used.
    stem(paths, graph, file, encoder)
        .ok()
        .flatten()
        .is_some_and(|stem| !added(&stem, ".vectors").is_file() || (graph.name_count() > EXACT_UP_TO && !added(&stem, ".ann").is_file()))
}

fn added(stem: &Path, ending: &str) -> PathBuf {
    let mut name = stem.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    stem.with_file_name(name)
}

/// Builds vectors and index with a bar. What an interruption leaves is taken up the next time.
fn build(stem: &Path, key: &VectorKey, graph: &Graph, encoder: &EncoderHandle) -> Result<NameVectors, VectorsError> {
    let interrupt = Interrupt::listen();
    let bar: ProgressBar = count_bar();
    if bar.is_hidden() {
        // Someone who waits without a bar should know for what.
        let _ = writeln!(
            stderr(),
            "catena: {}: embedding {} names; this is done once, and an interruption loses little of it",
            graph.name(),
            graph.name_count()
        );
    }
    let vectors = NameVectors::build(stem, key, graph, encoder, &mut |progress| {
        bar.set_length(progress.total as u64);
        bar.set_position(progress.done as u64);
        bar.set_message(match progress.phase {
            BuildPhase::Embedding => "names embedded",
            BuildPhase::Grouping => "rounds of grouping",
            BuildPhase::Filing => "names filed",
        });
        !interrupt.asked()
    });
    bar.finish_and_clear();
    vectors
}

/// Builds the vectors of a graph that was just imported, if it is large. Interrupted, the graph stays usable: the next
/// question goes on with the building.
pub(super) fn build_for_import(paths: &Paths, name: &str, file: &Path) -> anyhow::Result<()> {
    let graph = Graph::open(file, name)?;
    if graph.name_count() <= IN_MEMORY_UP_TO {
        return Ok(());
    }
    let encoder = crate::method::Engine::start_encoder()?;
    match knowledge(paths, graph, Some(file), &encoder) {
        Ok(_) => Ok(()),
        Err(error) if matches!(error.downcast_ref(), Some(VectorsError::Interrupted)) => {
            writeln!(stderr(), "catena: the graph {name} is imported; {error}")?;
            Ok(())
        }
        Err(error) => Err(error),
    }
}
