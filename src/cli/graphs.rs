//! Graphs by name or path: which one is meant, where imported ones are stored, and opening them.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::args::GraphArgs;
use super::exit::UsageError;
use super::setup::Setup;
use crate::config::Paths;
use crate::graph::import::read_tsv;
use crate::graph::{BuildReport, Graph, RoleRules, SNAPSHOT_MAGIC, starter_graph};
use crate::text::suggest::did_you_mean;

/// The name of the built-in graph.
pub(super) const STARTER: &str = "starter";
/// A file with more names than this takes long to read at every start, so importing it is recommended.
const IMPORT_RECOMMENDED_ABOVE: usize = 50_000;
/// How many guessed relation roles a notice lists.
const GUESSED_SHOWN: usize = 8;

/// The file with the name of the graph chosen by `catena kg use`.
pub(super) fn chosen_graph_file(paths: &Paths) -> PathBuf {
    paths.graphs().join("in-use")
}

/// The snapshot of an imported graph.
pub(super) fn graph_file(paths: &Paths, name: &str) -> PathBuf {
    paths.graphs().join(format!("{name}.kg"))
}

/// The file of an imported graph, if it exists: a snapshot, or the TSV file that earlier versions wrote.
pub(super) fn imported_graph(paths: &Paths, name: &str) -> Option<PathBuf> {
    let candidates = [graph_file(paths, name), paths.graphs().join(format!("{name}.tsv"))];
    candidates.into_iter().find(|file| is_graph_name(name) && file.is_file())
}

/// The names of the imported graphs.
pub(super) fn graph_names(paths: &Paths) -> Vec<String> {
    let entries = std::fs::read_dir(paths.graphs()).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| {
            let path = entry.path();
            let is_graph = path.extension().is_some_and(|ending| ending == "kg" || ending == "tsv");
            path.file_stem().filter(|_| is_graph).map(|stem| stem.to_string_lossy().into_owned())
        })
        .collect();
    names.sort();
    names
}

/// The file with the relation roles of an imported graph.
pub(super) fn roles_file(paths: &Paths, name: &str) -> PathBuf {
    paths.graphs().join(format!("{name}.roles.toml"))
}

/// Whether an imported graph can have this name: letters, digits, `-`, `_` and `.`, not `.` first, and not `starter`.
pub(super) fn is_graph_name(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c)) && !name.starts_with('.') && !name.is_empty() && name != STARTER
}

/// The rules that give an imported graph's relations their roles: those of each file, earlier files first, then the built-in ones.
pub(super) fn role_rules(files: &[Option<&Path>]) -> anyhow::Result<RoleRules> {
    let mut rules = RoleRules::built_in().context("the built-in relation roles")?;
    for file in files.iter().rev().copied().flatten() {
        let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let own = RoleRules::parse(&text).map_err(|error| UsageError(format!("{}: {error}", file.display())))?;
        rules = rules.preceded_by(own);
    }
    Ok(rules)
}

/// The graph to use: that of `--kg`, else of the environment or the configuration, else of `catena kg use`, else the starter graph.
pub(super) fn graph_name(args: &GraphArgs, setup: &Setup) -> String {
    let file = chosen_graph_file(&setup.paths);
    let chosen = || std::fs::read_to_string(file).ok().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    args.kg.clone().or_else(|| setup.config.kg.clone()).or_else(chosen).unwrap_or_else(|| STARTER.into())
}

/// A graph, and how it was opened.
pub(super) struct OpenedGraph {
    pub(super) graph: Graph,
    /// What was left out of a TSV file; `None` for a snapshot and for the built-in graph.
    pub(super) report: Option<BuildReport>,
    /// The file it was read from; `None` for the built-in graph.
    pub(super) file: Option<PathBuf>,
}

/// Opens a graph by name or path.
///
/// # Errors
/// If there is no such graph, or its file or a file of relation roles cannot be read.
pub(super) fn open_graph(args: &GraphArgs, setup: &Setup) -> anyhow::Result<OpenedGraph> {
    let Setup { paths, config } = setup;
    let name = graph_name(args, setup);
    if name == STARTER {
        let graph = starter_graph().context("the built-in graph")?;
        return Ok(OpenedGraph { graph, report: None, file: None });
    }
    let (path, shown, kept_roles) = if let Some(imported) = imported_graph(paths, &name) {
        (imported, name.clone(), Some(roles_file(paths, &name)).filter(|file| file.is_file()))
    } else {
        let path = PathBuf::from(&name);
        let unpacked = if path.extension().is_some_and(|ending| ending == "gz") { path.with_extension("") } else { path.clone() };
        let stem = unpacked.file_stem().map_or_else(|| name.clone(), |stem| stem.to_string_lossy().into_owned());
        (path, stem, None)
    };
    if !path.is_file() {
        let hint = "`catena kg list` lists the graphs; a path must name a TSV file of triples or a graph that Catena wrote (.kg)";
        let known = graph_names(paths);
        let like = did_you_mean(&name, known.iter().map(String::as_str).chain([STARTER]));
        return Err(UsageError(format!("there is no graph {name:?}: {hint}{like}")).into());
    }
    // The command line comes before the roles stored with the graph, and those before the configuration.
    let rules = role_rules(&[args.roles.as_deref(), kept_roles.as_deref(), config.roles.as_deref()])?;
    let mut file = File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
    if is_snapshot(&mut file).with_context(|| format!("cannot read {}", path.display()))? {
        let graph = Graph::open(&path, &shown)?;
        // The snapshot holds the roles decided at import; only later corrections by the user change them.
        let corrected = args.roles.is_some() || kept_roles.is_some();
        let graph = if corrected { graph.with_roles(&rules) } else { graph };
        return Ok(OpenedGraph { graph, report: None, file: Some(path) });
    }
    let (graph, report) = read_tsv(file, &path.display().to_string(), &shown, &rules)?;
    Ok(OpenedGraph { graph, report: Some(report), file: Some(path) })
}

/// Whether a file is a snapshot written by Catena.
fn is_snapshot(file: &mut File) -> std::io::Result<bool> {
    let mut begin = [0; SNAPSHOT_MAGIC.len()];
    let read = file.read(&mut begin)?;
    file.rewind()?;
    Ok(read == begin.len() && begin == *SNAPSHOT_MAGIC)
}

impl OpenedGraph {
    /// What the user should know about how the graph was read: lines left out, a file that takes long to read, guessed roles.
    pub(super) fn notices(&self) -> Vec<String> {
        let is_large_file = self.report.is_some() && self.graph.name_count() > IMPORT_RECOMMENDED_ABOVE;
        let slow = is_large_file.then(|| {
            let name = self.graph.name();
            let advice = "Import it to open it at once: `catena kg import tsv FILE --name NAME`";
            format!("Catena reads the file of the graph {name} at every start, which takes long. {advice}.")
        });
        let rejected = self.report.as_ref().and_then(|report| rejected_notice(&self.graph, report));
        rejected.into_iter().chain(slow).chain(guessed_notice(&self.graph)).collect()
    }
}

/// What the user should know about a graph that was just built from files: lines left out, guessed roles.
pub(super) fn build_notices(graph: &Graph, report: &BuildReport) -> Vec<String> {
    rejected_notice(graph, report).into_iter().chain(guessed_notice(graph)).collect()
}

fn rejected_notice(graph: &Graph, report: &BuildReport) -> Option<String> {
    report.summary().map(|summary| format!("Graph {}: {summary}.", graph.name()))
}

fn guessed_notice(graph: &Graph) -> Option<String> {
    let guessed: Vec<String> =
        graph.relations().iter().filter(|r| r.guessed).map(|r| format!("{} = {}", r.name, r.role.as_str())).collect();
    if guessed.is_empty() {
        return None;
    }
    let shown = guessed.iter().take(GUESSED_SHOWN).cloned().collect::<Vec<_>>().join(", ");
    let more = if guessed.len() > GUESSED_SHOWN { format!(" and {} more", guessed.len() - GUESSED_SHOWN) } else { String::new() };
    Some(format!("Catena guessed relation roles from their names ({shown}{more}). To state them yourself, use `--roles FILE`."))
}
