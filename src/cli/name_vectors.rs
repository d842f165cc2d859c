//! The vectors of a graph's names: computed at every start for a small graph, stored beside a large imported one.

use std::path::{Path, PathBuf};

use anyhow::Context;
use indicatif::ProgressBar;

use super::graphs::imported_graph;
use super::interrupt::Interrupt;
use super::messages::note;
use super::progress::count_bar;
use crate::config::Paths;
use crate::graph::Graph;
use crate::language::Knowledge;
use crate::model::infer::StaticEncoder;
use crate::model::{BuildPhase, EXACT_UP_TO, EncoderHandle, NameVectors, OpenedVectors, SearchedBy, VectorKey, VectorsError, fingerprint};

/// Up to this many names, the built-in encoder computes the vectors at every start, in less than a tenth of a second.
pub(super) const IN_MEMORY_UP_TO: usize = 5_000;
/// The same limit for other encoders, which embed about a thousand names a second.
const IN_MEMORY_BY_OTHERS: usize = 100;

/// The path of a graph's stored name vectors, without the ending; `None` if they are not stored. Each encoder has its own files, also
/// if two encoders with different weights have the same name, so changing between them rebuilds nothing.
fn stem(paths: &Paths, graph: &Graph, file: Option<&Path>, encoder: &EncoderHandle) -> anyhow::Result<Option<PathBuf>> {
    let built_in = encoder.name() == StaticEncoder::NAME;
    let many = graph.name_count() > if built_in { IN_MEMORY_UP_TO } else { IN_MEMORY_BY_OTHERS };
    let is_stored = match file {
        Some(file) => imported_graph(paths, graph.name()).as_deref() == Some(file),
        // The starter graph is built in.
        None => !built_in,
    };
    if !many || !is_stored {
        return Ok(None);
    }
    let name =
        if built_in { encoder.name().to_owned() } else { format!("{}-{:016x}", file_name_of(encoder.name()), fingerprint(encoder)?) };
    Ok(Some(paths.graphs().join(format!("{}.{name}", graph.name()))))
}

/// A model's name as part of a file name: it may be a path or contain a slash.
fn file_name_of(name: &str) -> String {
    let last = name.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default();
    last.chars().map(|c| if c.is_alphanumeric() || "-_".contains(c) { c } else { '-' }).take(60).collect()
}

/// Adds the vectors of all names to a graph: stored ones, else new ones, which are stored if the graph is large. `file`: the file that
/// the graph was read from.
///
/// # Errors
/// If the encoder fails, the vectors cannot be read or written, or Ctrl-C interrupts building them.
pub(super) fn with_name_vectors(paths: &Paths, graph: Graph, file: Option<&Path>, encoder: &EncoderHandle) -> anyhow::Result<Knowledge> {
    let Some(stem) = stem(paths, &graph, file, encoder)? else {
        return Ok(Knowledge::prepare(graph, encoder)?);
    };
    if let Some(folder) = stem.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    }
    let key = VectorKey::of(u128::from(graph.names_fingerprint()), encoder)?;
    if let OpenedVectors::Ready(vectors) = NameVectors::open(&stem, &key)?
        && !matches!(vectors.searched_by(), SearchedBy::EveryRowUntilBuilt(_))
    {
        return Ok(Knowledge::with_vectors(graph, vectors));
    }
    let vectors = build(&stem, &key, &graph, encoder)?;
    Ok(Knowledge::with_vectors(graph, vectors))
}

/// Whether opening this graph first builds vectors, judged by the files alone.
pub(super) fn are_missing(paths: &Paths, graph: &Graph, file: Option<&Path>, encoder: &EncoderHandle) -> bool {
    // If the encoder fails, using it reports the error.
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

/// Builds vectors and index, with a progress bar. After an interruption, the next call continues.
fn build(stem: &Path, key: &VectorKey, graph: &Graph, encoder: &EncoderHandle) -> Result<NameVectors, VectorsError> {
    let interrupt = Interrupt::listen();
    let bar: ProgressBar = count_bar();
    if bar.is_hidden() {
        // Without a bar, say what the user waits for. Building goes on even if standard error is closed.
        let what = format!("{}: embedding {} names", graph.name(), graph.name_count());
        let _ = note(&format!("{what}; this happens once, and if interrupted it continues where it stopped"));
    }
    let vectors = NameVectors::build(stem, key, graph, encoder, &mut |progress| {
        bar.set_length(progress.total as u64);
        bar.set_position(progress.done as u64);
        bar.set_message(match progress.phase {
            BuildPhase::Embedding => "names embedded",
            BuildPhase::Grouping => "rounds of grouping",
            BuildPhase::Filing => "names filed",
        });
        !interrupt.requested()
    });
    bar.finish_and_clear();
    vectors
}

/// Builds the vectors of a graph that was just imported, if it is large. If interrupted, the graph stays usable, and the next question
/// continues.
///
/// # Errors
/// If the graph cannot be opened, the encoder fails, or the vectors cannot be written.
pub(super) fn build_for_import(paths: &Paths, name: &str, file: &Path) -> anyhow::Result<()> {
    let graph = Graph::open(file, name)?;
    if graph.name_count() <= IN_MEMORY_UP_TO {
        return Ok(());
    }
    let encoder = crate::method::Engine::start_encoder()?;
    match with_name_vectors(paths, graph, Some(file), &encoder) {
        Ok(_) => Ok(()),
        Err(error) if matches!(error.downcast_ref(), Some(VectorsError::Interrupted)) => {
            note(&format!("the graph {name} is imported; {error}"))?;
            Ok(())
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::starter_graph;
    use crate::method::Engine;
    use crate::model::{Encoder, Matrix, ModelError};

    /// Vectors that depend on a number: other weights under one name.
    struct Weights(f32);

    impl Encoder for Weights {
        fn name(&self) -> &str {
            "weights"
        }
        fn dim(&self) -> usize {
            2
        }
        fn delta(&self) -> f64 {
            0.5
        }
        fn encode(&mut self, texts: &[String]) -> Result<Matrix, ModelError> {
            Ok(Matrix::new(2, texts.iter().flat_map(|text| [text.len() as f32, self.0]).collect()))
        }
    }

    #[test]
    fn every_encoder_has_vectors_of_its_own() {
        let home = tempfile::tempdir().expect("a folder");
        let paths = Paths::under(home.path());
        let graph = starter_graph().expect("sound");
        let of = |name: &str, weights: f32| EncoderHandle::start(name, move || Ok(Weights(weights))).expect("a thread");
        let stem_of = |encoder: &EncoderHandle| stem(&paths, &graph, None, encoder).expect("encodes");
        assert_eq!(stem_of(&Engine::start_encoder().expect("a thread")), None, "made again in no time");
        let (one, other) = (stem_of(&of("BAAI/bge:base", 1.0)).expect("stored"), stem_of(&of("BAAI/bge:base", 2.0)).expect("stored"));
        assert_ne!(one, other);
        assert_eq!(one, stem_of(&of("BAAI/bge:base", 1.0)).expect("stored"));
        let name = one.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(name.starts_with("starter.bge-base-") && one.parent() == Some(paths.graphs().as_path()), "{name}");

        // Built once, then opened; another encoder's are left alone.
        let encoder = of("a", 3.0);
        assert!(are_missing(&paths, &graph, None, &encoder));
        with_name_vectors(&paths, starter_graph().expect("sound"), None, &encoder).expect("built");
        assert!(!are_missing(&paths, &graph, None, &encoder) && are_missing(&paths, &graph, None, &of("a", 4.0)));
    }
}
