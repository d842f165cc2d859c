//! From names and paths to a graph and an engine.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::args::GraphArgs;
use super::exit::Usage;
use super::models_open::Opening;
use super::name_vectors::knowledge;
use super::progress;
use crate::config::{Config, Paths};
use crate::graph::import::read_tsv;
use crate::graph::{BuildReport, Graph, RoleRules, SNAPSHOT_MAGIC, starter_graph};
use crate::language::Prompts;
use crate::method::{Engine, EngineOptions};

/// The name of the built-in graph.
pub(super) const STARTER: &str = "starter";
/// A file of more names than this is better imported than read at every start.
const READ_ANEW_UP_TO: usize = 50_000;

/// Where the name of the graph chosen with `kg use` is kept.
pub(super) fn chosen_graph_file(paths: &Paths) -> PathBuf {
    paths.graphs().join("in-use")
}

/// Where an imported graph is kept.
pub(super) fn graph_file(paths: &Paths, name: &str) -> PathBuf {
    paths.graphs().join(format!("{name}.kg"))
}

/// The file of an imported graph, if there is one: a snapshot, or triples as earlier versions kept them.
pub(super) fn imported_graph(paths: &Paths, name: &str) -> Option<PathBuf> {
    let candidates = [graph_file(paths, name), paths.graphs().join(format!("{name}.tsv"))];
    candidates.into_iter().find(|file| is_graph_name(name) && file.is_file())
}

/// The file that keeps the roles of an imported graph's relations.
pub(super) fn roles_file(paths: &Paths, name: &str) -> PathBuf {
    paths.graphs().join(format!("{name}.roles.toml"))
}

/// Whether a word can be the name of an imported graph: one that names a file in its folder and no other.
pub(super) fn is_graph_name(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c)) && !name.starts_with('.') && !name.is_empty() && name != STARTER
}

/// The rules by which a foreign graph's relations get their roles: those of the files, the first before the
/// second, and the built-in ones last.
pub(super) fn role_rules(files: &[Option<&Path>]) -> anyhow::Result<RoleRules> {
    let mut rules = RoleRules::built_in().context("the built-in relation roles")?;
    for file in files.iter().rev().copied().flatten() {
        let text = std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
        let own = RoleRules::parse(&text).map_err(|error| Usage(format!("{}: {error}", file.display())))?;
        rules = rules.preceded_by(own);
    }
    Ok(rules)
}

/// Which graph is meant: the flag, else environment and configuration, else the one chosen with `kg use`, else the starter.
pub(super) fn graph_name(args: &GraphArgs, config: &Config, paths: &Paths) -> String {
    let chosen =
        || std::fs::read_to_string(chosen_graph_file(paths)).ok().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    args.kg.clone().or_else(|| config.kg.clone()).or_else(chosen).unwrap_or_else(|| STARTER.into())
}

/// A graph that was opened.
pub(super) struct OpenedGraph {
    pub(super) graph: Graph,
    /// What of a file of triples was not taken.
    pub(super) report: Option<BuildReport>,
    /// Where it was opened from; `None` for the built-in graph.
    pub(super) file: Option<PathBuf>,
}

/// Opens a graph by name or path.
pub(super) fn open_graph(args: &GraphArgs, config: &Config, paths: &Paths) -> anyhow::Result<OpenedGraph> {
    let name = graph_name(args, config, paths);
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
        let hint = "`catena kg list` shows the graphs there are; a path must lead to a TSV file of triples, or to a graph that Catena has written (.kg)";
        return Err(Usage(format!("there is no graph {name:?}: {hint}")).into());
    }
    // What this command line says comes before what the import settled, and that before the general setting.
    let rules = role_rules(&[args.roles.as_deref(), kept_roles.as_deref(), config.roles.as_deref()])?;
    let mut file = File::open(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    if is_snapshot(&mut file).with_context(|| format!("{} cannot be read", path.display()))? {
        let graph = Graph::open(&path, &shown)?;
        // The snapshot has the roles that its import settled; only what the user says since then changes them.
        let corrected = args.roles.is_some() || kept_roles.is_some();
        let graph = if corrected { graph.with_roles(&rules) } else { graph };
        return Ok(OpenedGraph { graph, report: None, file: Some(path) });
    }
    let (graph, report) = read_tsv(file, &path.display().to_string(), &shown, &rules)?;
    Ok(OpenedGraph { graph, report: Some(report), file: Some(path) })
}

/// Whether a file is a graph that Catena has written.
fn is_snapshot(file: &mut File) -> std::io::Result<bool> {
    let mut begin = [0; SNAPSHOT_MAGIC.len()];
    let read = file.read(&mut begin)?;
    file.rewind()?;
    Ok(read == begin.len() && begin == *SNAPSHOT_MAGIC)
}

/// What a user should know about how a graph was read: lines left out, roles guessed.
pub(super) fn notices(graph: &Graph, report: Option<&BuildReport>) -> Vec<String> {
    let mut notices = Vec::new();
    if let Some(summary) = report.and_then(BuildReport::summary) {
        notices.push(format!("Graph {}: {summary}.", graph.name()));
    }
    let guessed: Vec<String> =
        graph.relations().iter().filter(|r| r.guessed).map(|r| format!("{} = {}", r.name, r.role.as_str())).collect();
    if report.is_some() && graph.name_count() > READ_ANEW_UP_TO {
        notices.push(format!(
            "The file of the graph {} is read anew each time, which takes long; `catena kg import tsv FILE --name NAME` makes it open at once.",
            graph.name()
        ));
    }
    if !guessed.is_empty() {
        let shown = guessed.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
        let more = if guessed.len() > 8 { format!(" and {} more", guessed.len() - 8) } else { String::new() };
        notices.push(format!("Relation roles were guessed from their names ({shown}{more}); `--roles FILE` states them."));
    }
    notices
}

/// Opens the engine. The models go on loading on their threads while the graph is read. `said` joins what the user is told.
pub(super) fn open_engine(
    args: &GraphArgs,
    models: Opening,
    config: &Config,
    paths: &Paths,
    options: &EngineOptions,
    said: &[String],
) -> anyhow::Result<Engine> {
    let prompts = Prompts::with_those_in(&paths.prompts())?;
    let OpenedGraph { graph, report, file } = open_graph(args, config, paths)?;
    let mut notices = notices(&graph, report.as_ref());
    notices.extend_from_slice(said);
    let models = models.ready()?;
    let knowledge = knowledge(paths, graph, file.as_deref(), &models.encoder)?;
    let options = EngineOptions {
        k: options.k.or(config.k),
        top_k: options.top_k.or(config.top_k),
        delta: options.delta.or(config.delta),
        seed: options.seed.or(config.seed),
        prompts,
    };
    Ok(Engine::with_knowledge(knowledge, models, &options, notices)?)
}

/// The folders and the configuration of this user.
pub(super) fn surroundings() -> anyhow::Result<(Paths, Config)> {
    let paths = Paths::discover()?;
    let config = Config::load(&paths.config_file())?;
    if config.is_accessible() {
        progress::without_bars();
    }
    Ok((paths, config))
}
