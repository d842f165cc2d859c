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
use crate::language::Knowledge;
use crate::model::infer::StaticEncoder;
use crate::model::{BuildPhase, EXACT_UP_TO, EncoderHandle, NameVectors, OpenedVectors, SearchedBy, VectorKey, VectorsError, fingerprint};

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
    if let OpenedVectors::Ready(vectors) = NameVectors::open(&stem, &key)?
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
        assert_eq!(stem_of(&Engine::start_encoder().expect("a thread")), None, "made anew in no time");
        let (one, other) = (stem_of(&of("BAAI/bge:base", 1.0)).expect("stored"), stem_of(&of("BAAI/bge:base", 2.0)).expect("stored"));
        assert_ne!(one, other);
        assert_eq!(one, stem_of(&of("BAAI/bge:base", 1.0)).expect("stored"));
        let name = one.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(name.starts_with("starter.bge-base-") && one.parent() == Some(paths.graphs().as_path()), "{name}");

        // Built once, then opened; another encoder's are left alone.
        let encoder = of("a", 3.0);
        assert!(are_missing(&paths, &graph, None, &encoder));
        knowledge(&paths, starter_graph().expect("sound"), None, &encoder).expect("built");
        assert!(!are_missing(&paths, &graph, None, &encoder) && are_missing(&paths, &graph, None, &of("a", 4.0)));
    }
}
